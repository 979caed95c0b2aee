/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/acceptance/certificate.h"

#include <jansson.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"
#include "base/str.h"

#define COLUMNS 100

static const char *sentence_of(enum accept_result r)
{
	switch (r) {
	case ACCEPT_PASS:
		return "accepted: every check passed";
	case ACCEPT_FAIL:
		return "NOT accepted: a check failed";
	default:
		return "NOT accepted yet: nothing failed, but some checks have no input";
	}
}

static void count_rows(const accept_vec *rows, size_t count[3])
{
	memset(count, 0, 3 * sizeof(count[0]));
	for (size_t i = 0; i < rows->n; i++)
		count[rows->at[i].result]++;
}

/* ---- text ---- */

/* Prints text in lines behind an indentation. */
static void print_wrapped(FILE *out, const char *text, int indent)
{
	int column = indent;

	(void)fprintf(out, "%*s", indent, "");
	while (*text) {
		size_t n = strcspn(text, " ");

		if (column > indent && column + 1 + (int)n > COLUMNS) {
			(void)fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			(void)fputc(' ', out);
			column++;
		}
		(void)fprintf(out, "%.*s", (int)n, text);
		column += (int)n;
		text += n;
		text += strspn(text, " ");
	}
	(void)fputc('\n', out);
}

static void print_row(const struct certificate *c, const struct accept_row *r, FILE *out)
{
	static const char *const words[] = {"pass", "FAIL", "unknown"};
	char place[200] = "", line[720];

	(void)ref_format(c->model, r->at, place, sizeof(place));
	(void)str_printf(line, sizeof(line), "%s: %s%s%s", place, r->is,
		r->should[0] ? "; should be " : "", r->should);
	(void)fprintf(out, "%-8s %-9s", words[r->result], accept_check_name(r->check));
	/* The first line goes on behind the two words. */
	if (strlen(line) <= COLUMNS - 18) {
		(void)fprintf(out, "%s\n", line);
	} else {
		(void)fprintf(out, "%s:\n", place);
		(void)str_printf(line, sizeof(line), "%s%s%s", r->is,
			r->should[0] ? "; should be " : "", r->should);
		print_wrapped(out, line, 18);
	}
	if (r->cure[0] && r->result != ACCEPT_PASS) {
		(void)str_printf(line, sizeof(line), "cure: %s", r->cure);
		print_wrapped(out, line, 18);
	}
}

bool certificate_text(const struct certificate *c, FILE *out)
{
	static const enum accept_result order[] = {ACCEPT_FAIL, ACCEPT_UNKNOWN, ACCEPT_PASS};
	char place[200] = "", when[32];
	size_t count[3];

	count_rows(c->rows, count);
	(void)ref_format(c->model, c->at, place, sizeof(place));
	(void)fprintf(out, "Acceptance of %s (%s) at %s\n", place,
		c->model->fabric[0] ? c->model->fabric : "the fabric",
		model_utc(c->model, c->now_us, when, sizeof(when)));
	if (c->by[0])
		(void)fprintf(out, "by %s\n", c->by);
	if (c->partner[0])
		(void)fprintf(
			out, "measured against %s; act %s in %s\n", c->partner, c->act, c->ledger);
	(void)fprintf(out, "%s\n%zu failed, %zu unknown, %zu passed\n\n",
		sentence_of(acceptance_overall(c->rows)), count[ACCEPT_FAIL], count[ACCEPT_UNKNOWN],
		count[ACCEPT_PASS]);
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < c->rows->n; i++)
			if (c->rows->at[i].result == order[k])
				print_row(c, &c->rows->at[i], out);
	return fflush(out) == 0 && !ferror(out);
}

/* ---- Markdown ---- */

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			(void)fputs("&lt;", out);
		else if (*text == '&')
			(void)fputs("&amp;", out);
		else if (strchr("\\`*_{}[]#|~!>", *text))
			(void)fprintf(out, "\\%c", *text);
		else
			(void)fputc(*text, out);
		if (*text == '@') /* else a ticket system tells somebody of that name */
			(void)fputs("<!-- -->", out);
	}
}

static void put_cell(FILE *out, const char *text)
{
	(void)fputs(" ", out);
	put_escaped(out, text);
	(void)fputs(" |", out);
}

static void put_item(FILE *out, const char *name, const char *text)
{
	if (!text[0])
		return;
	(void)fprintf(out, "- %s: ", name);
	put_escaped(out, text);
	(void)fputc('\n', out);
}

bool certificate_markdown(const struct certificate *c, FILE *out)
{
	char place[200] = "", when[32];

	(void)ref_format(c->model, c->at, place, sizeof(place));
	(void)fputs("# Acceptance of ", out);
	put_escaped(out, place);
	(void)fprintf(out, "\n\n**%s**\n\n", sentence_of(acceptance_overall(c->rows)));
	put_item(out, "fabric", c->model->fabric);
	put_item(out, "time", model_utc(c->model, c->now_us, when, sizeof(when)));
	put_item(out, "by", c->by);
	put_item(out, "measured against", c->partner);
	put_item(out, "act in the ledger", c->act);
	(void)fputs("\n| result | check | place | is | should be | cure |\n"
		    "|---|---|---|---|---|---|\n",
		out);
	for (size_t i = 0; i < c->rows->n; i++) {
		const struct accept_row *r = &c->rows->at[i];

		place[0] = '\0';
		(void)ref_format(c->model, r->at, place, sizeof(place));
		(void)fputs("|", out);
		put_cell(out, r->result == ACCEPT_FAIL ? "FAIL" : accept_result_name(r->result));
		put_cell(out, accept_check_name(r->check));
		put_cell(out, place);
		put_cell(out, r->is);
		put_cell(out, r->should);
		put_cell(out, r->result == ACCEPT_PASS ? "" : r->cure);
		(void)fputc('\n', out);
	}
	return fflush(out) == 0 && !ferror(out);
}

/* ---- JSON ---- */

static json_t *row_json(const struct certificate *c, const struct accept_row *r)
{
	json_t *o = json_object();

	json_put(o, "check", json_string(accept_check_name(r->check)));
	json_put(o, "result", json_string(accept_result_name(r->result)));
	place_into(o, c->model, r->at);
	json_put(o, "is", json_text_or_null(r->is));
	json_put(o, "should", json_text_or_null(r->should));
	json_put(o, "cure", json_text_or_null(r->cure));
	return o;
}

bool certificate_json(const struct certificate *c, FILE *out, struct err *err)
{
	json_t *list = json_array(), *root = json_object();
	size_t count[3];

	count_rows(c->rows, count);
	for (size_t i = 0; i < c->rows->n; i++)
		json_append(list, row_json(c, &c->rows->at[i]));
	json_put(root, "schema", json_integer(CERTIFICATE_SCHEMA));
	json_put(root, "fabric", json_text(c->model->fabric));
	json_put(root, "time", json_number_or_null((double)model_wall(c->model, c->now_us) / 1e6));
	json_put(root, "about", place_json(c->model, c->at));
	json_put(root, "result", json_string(accept_result_name(acceptance_overall(c->rows))));
	json_put(root, "failed", json_integer((json_int_t)count[ACCEPT_FAIL]));
	json_put(root, "unknown", json_integer((json_int_t)count[ACCEPT_UNKNOWN]));
	json_put(root, "passed", json_integer((json_int_t)count[ACCEPT_PASS]));
	json_put(root, "by", json_text_or_null(c->by));
	json_put(root, "partner", json_text_or_null(c->partner));
	json_put(root, "act", json_text_or_null(c->act));
	json_put(root, "ledger", json_text_or_null(c->ledger));
	json_put(root, "coverage", coverage_json(c->model));
	json_put(root, "rows", list);
	return export_json(root, "acceptance", out, err);
}
