/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/str.h"

const char *lint_result_name(enum lint_result r)
{
	static const char *const names[] = {"ok", "differs", "unknown"};

	return (unsigned)r < sizeof(names) / sizeof(names[0]) ? names[r] : "unknown";
}

static json_t *row_json(const struct model *m, const struct lint_row *r)
{
	json_t *o = json_pack("{s:s, s:s, s:i}", "id", finding_info[r->id].name, "result",
		lint_result_name(r->result), "ports", (int)r->alike);

	place_into(o, m, r->at);
	json_put(o, "peer", place_json(m, r->peer));
	json_put(o, "is", json_text_or_null(r->is));
	json_put(o, "should", json_text_or_null(r->should));
	json_put(o, "reason", json_text_or_null(r->reason));
	json_put(o, "cure", json_text_or_null(r->cure));
	return o;
}

bool lint_json(
	const struct model *m, const lint_vec *rows, int64_t now_us, FILE *out, struct err *err)
{
	json_t *list = json_array(), *root;

	for (size_t i = 0; i < rows->n; i++)
		json_append(list, row_json(m, &rows->at[i]));
	root = json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema", 1, "fabric", json_text(m->fabric),
		"time", json_number_or_null((double)model_wall(m, now_us) / 1e6), "coverage",
		coverage_json(m), "lint", list);
	return export_json(root, "lint", out, err);
}

static void row_text(const struct model *m, const struct lint_row *r, FILE *out)
{
	char place[160] = "", peer[160] = "";

	(void)ref_format(m, r->at, place, sizeof(place));
	(void)ref_format(m, r->peer, peer, sizeof(peer));
	(void)fprintf(
		out, "%-8s %-24s %s", lint_result_name(r->result), finding_info[r->id].name, place);
	if (r->alike > 1)
		(void)fprintf(
			out, " and %u more port%s like it", r->alike - 1, str_plural(r->alike - 1));
	if (r->is[0])
		(void)fprintf(out, ": %s", r->is);
	if (r->should[0])
		(void)fprintf(out, ", should be %s", r->should);
	if (r->reason[0])
		(void)fprintf(out, " (%s%s%s)", r->reason, peer[0] ? " " : "", peer);
	(void)fputc('\n', out);
	if (r->cure[0])
		(void)fprintf(out, "   cure: %s\n", r->cure);
}

bool lint_text(
	const struct model *m, const lint_vec *rows, int64_t now_us, FILE *out, struct err *err)
{
	static const enum lint_result order[] = {LINT_DIFFERS, LINT_UNKNOWN, LINT_OK};
	struct coverage v = model_coverage(m);
	char when[32], seen[80];
	size_t count[3] = {0};

	for (size_t i = 0; i < rows->n; i++)
		count[rows->at[i].result]++;
	(void)fprintf(out, "%s at %s: %zu difference%s, %zu unknown, %zu ok; %s\n",
		m->fabric[0] ? m->fabric : "the fabric", model_utc(m, now_us, when, sizeof(when)),
		count[LINT_DIFFERS], str_plural(count[LINT_DIFFERS]), count[LINT_UNKNOWN],
		count[LINT_OK], coverage_words(&v, seen, sizeof(seen)));
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < rows->n; i++)
			if (rows->at[i].result == order[k])
				row_text(m, &rows->at[i], out);
	return (fflush(out) == 0 && !ferror(out)) ||
	       err_system(err, ERR_IO, "lint", "cannot be written", errno);
}
