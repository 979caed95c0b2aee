/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/inventory_yaml.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "app/inventory/site_policy.h"
#include "base/str.h"

/*
 * Limits against slow input. libyaml searches all anchors for each alias, and all open brackets for
 * each token. No inventory comes near these limits.
 */
#define YAML_NODES   200000
#define YAML_ANCHORS 100
#define YAML_DEPTH   32

/* ---- syntax ---- */

static unsigned line_at(const char *text, size_t len, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset && i < len; i++)
		line += text[i] == '\n';
	return line;
}

static bool indents_with_tab(const char *text, size_t len, unsigned line)
{
	size_t at = 0;

	for (unsigned i = 1; i < line && at < len; at++)
		i += text[at] == '\n';
	while (at < len && text[at] == ' ')
		at++;
	return at < len && text[at] == '\t';
}

static void syntax_problem(
	const yaml_parser_t *y, const char *text, size_t len, struct problems *problems)
{
	/* A character encoding error has an offset instead of a mark. */
	unsigned line = y->error == YAML_READER_ERROR ? line_at(text, len, y->problem_offset)
						      : (unsigned)y->problem_mark.line + 1;
	const char *what = y->problem ? y->problem : "cannot be read";

	if (y->error == YAML_MEMORY_ERROR)
		mem_exhausted("libyaml");
	if (y->error == YAML_READER_ERROR)
		(void)problem_add(problems, line, NULL, "not a text file: %s", what);
	else if (indents_with_tab(text, len, line))
		(void)problem_add(problems, line, NULL,
			"a tab indents the line, and YAML takes spaces only (cure: expand -t 2)");
	else if (y->context)
		(void)problem_add(problems, line, NULL, "not YAML: %s, %s (line %zu)", y->context,
			what, y->context_mark.line + 1);
	else
		(void)problem_add(problems, line, NULL, "not YAML: %s", what);
}

struct census {
	unsigned nodes, anchors, depth, documents;
};

/* False: a limit is exceeded, described by *problem. */
static bool count_event(struct census *c, const yaml_event_t *e, const char **problem)
{
	const yaml_char_t *anchor = NULL;

	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		c->documents++;
		break;
	case YAML_ALIAS_EVENT:
		anchor = e->data.alias.anchor;
		break;
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		c->nodes++;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = e->data.sequence_start.anchor;
		c->nodes++, c->depth++;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = e->data.mapping_start.anchor;
		c->nodes++, c->depth++;
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		c->depth--;
		break;
	default:
		break;
	}
	c->anchors += anchor != NULL;
	*problem = c->documents > 1            ? "more than one document"
		   : c->depth > YAML_DEPTH     ? "nested too deep"
		   : c->anchors > YAML_ANCHORS ? "too many anchors and aliases"
		   : c->nodes > YAML_NODES     ? "too many values"
					       : NULL;
	return !*problem;
}

static void parser_start(yaml_parser_t *y, const char *text, size_t len)
{
	if (!yaml_parser_initialize(y))
		mem_exhausted("libyaml");
	yaml_parser_set_input_string(y, (const unsigned char *)text, len);
}

/* Counts all events first, which needs no memory, before a document is built. */
static bool within_limits(const char *text, size_t len, struct problems *problems)
{
	struct census census = {0};
	const char *what = NULL;
	yaml_parser_t y;
	bool end = false, ok = true;

	parser_start(&y, text, len);
	while (ok && !end) {
		yaml_event_t e;

		if (!yaml_parser_parse(&y, &e)) {
			syntax_problem(&y, text, len, problems);
			ok = false;
			break;
		}
		end = e.type == YAML_STREAM_END_EVENT;
		if (!count_event(&census, &e, &what))
			ok = problem_add(
				problems, (unsigned)e.start_mark.line + 1, NULL, "%s", what);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&y);
	return ok;
}

void yaml_with_document(
	const char *text, size_t len, struct problems *problems, yaml_document_fn *read, void *ctx)
{
	yaml_parser_t y;
	yaml_document_t doc;

	if (!within_limits(text, len, problems))
		return;
	parser_start(&y, text, len);
	if (yaml_parser_load(&y, &doc)) {
		read(&doc, problems, ctx);
		yaml_document_delete(&doc);
	} else {
		syntax_problem(&y, text, len, problems);
	}
	yaml_parser_delete(&y);
}

static void read_inventory(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	inventory_read_document(doc, ctx, problems);
}

/* ---- reports ---- */

static int by_line(const void *a, const void *b)
{
	const struct problem *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

bool problems_report(struct problems *p, inventory_report report, void *ctx)
{
	bool ok = !p->at.n;

	if (p->at.n > 1)
		qsort(p->at.at, p->at.n, sizeof(p->at.at[0]), by_line);
	for (size_t i = 0; report && i < p->at.n; i++)
		report(ctx, &p->at.at[i].err);
	problems_free(p);
	return ok;
}

bool inventory_parse(const char *name, const char *dir, const char *text, size_t len,
	struct plan *plan, inventory_report report, void *ctx)
{
	struct problems problems = {.file = name};
	struct inventory inv = {.file = name, .dir = dir};

	plan_init(plan);
	inv.lossless = plan->lossless;
	plan_notify_init(&inv.notify);
	yaml_with_document(text, len, &problems, read_inventory, &inv);
	/* Without all groups the checks of names and wiring would only report consequences. */
	if (!problems.at.n)
		inventory_build(&inv, plan, &problems);
	inventory_free(&inv);
	return problems_report(&problems, report, ctx);
}

bool inventory_check(const char *path, struct plan *plan, inventory_report report, void *ctx)
{
	char *copy = mem_strdup(path);
	struct err err = {0};
	struct buf b;
	bool ok;

	plan_init(plan);
	buf_init(&b, INVENTORY_FILE_MAX);
	ok = inventory_slurp(path, &b, &err);
	if (ok) {
		ok = inventory_parse(
			path, dirname(copy), b.data ? b.data : "", b.len, plan, report, ctx);
	} else if (report) {
		if (!err.cure[0])
			(void)err_cure(&err, "see railtop-fabric(5) for the format");
		report(ctx, &err);
	}
	buf_free(&b);
	free(copy);
	return ok;
}

struct kept {
	struct err at[INVENTORY_PROBLEMS_MAX];
	unsigned n;
};

static void keep_problem(void *ctx, const struct err *problem)
{
	struct kept *k = ctx;

	if (k->n < INVENTORY_PROBLEMS_MAX)
		k->at[k->n++] = *problem;
}

static void warn_all(const struct kept *k, void (*warn)(void *ctx, const char *message), void *ctx)
{
	char line[sizeof(k->at[0])];

	for (unsigned i = 0; i < k->n; i++)
		warn(ctx, err_format(&k->at[i], line, sizeof(line)));
}

bool inventory_load(const char *path, struct plan *plan,
	void (*warn)(void *ctx, const char *message), void *ctx, struct err *err)
{
	struct kept *k = mem_calloc(1, sizeof(*k));
	bool ok = inventory_check(path, plan, keep_problem, k);

	if (k->n > 1 && warn) {
		warn_all(k, warn, ctx);
		(void)err_set(err, ERR_CONFIG, path, "%u problems, see above", k->n);
	} else if (k->n && err) {
		*err = k->at[0];
	}
	free(k);
	if (ok && plan->actions.granted)
		ok = site_policy_apply(SITE_POLICY_FILE, 0, plan, err);
	return ok;
}
