/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "actions/kinds/action.h"
#include "app/config/runbook_yaml.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "views/rows.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* One step while it is read. */
struct step_draft {
	struct runbook_step *step;
	struct step_lines *lines;
};

static bool read_text(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_prose(r, n, &((struct step_draft *)to)->step->text);
}

static bool read_ask(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_prose(r, n, &((struct step_draft *)to)->step->question);
}

static bool read_collect(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_prose(r, n, &((struct step_draft *)to)->step->collect);
}

static bool read_id(struct reader *r, const yaml_node_t *n, void *to)
{
	struct runbook_step *s = ((struct step_draft *)to)->step;
	const char *text;

	if (!yaml_text(r, n, "the name of the step", YAML_TEXT_MAX, &text))
		return false;
	if (!runbook_name_ok(text, sizeof(s->id)) || str_eq(text, "end"))
		return yaml_not_a(r, n, text, "name of a step",
			"up to 31 lower-case letters, digits and hyphens, not \"end\"");
	return str_copy(s->id, sizeof(s->id), text);
}

/* ---- view, scope and filter ---- */

static void view_names(char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < view_count && n + 1 < size; i++) {
		(void)str_printf(dst + n, size - n, "%s%s", i ? ", " : "", view_table[i]->name);
		n += strlen(dst + n);
	}
}

static bool read_view(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	const char *text;
	char names[300];

	d->lines->view = yaml_line(n);
	if (!yaml_text(r, n, "a view", YAML_TEXT_MAX, &text))
		return false;
	d->step->view = view_by_name(text);
	if (d->step->view)
		return true;
	view_names(names, sizeof(names));
	return yaml_not_a(r, n, text, "view", names);
}

static bool read_scope(struct reader *r, const yaml_node_t *n, void *to)
{
	static const char *const names[SCOPE_COUNT] = {[SCOPE_FABRIC] = "fabric",
		[SCOPE_TARGET] = "target",
		[SCOPE_DEVICE] = "device",
		[SCOPE_PEER] = "peer",
		[SCOPE_PEER_DEVICE] = "peer-device",
		[SCOPE_LINK] = "link",
		[SCOPE_RAIL] = "rail",
		[SCOPE_JOB] = "job"};
	struct step_draft *d = to;
	const char *text;

	if (!yaml_text(r, n, "a scope", YAML_TEXT_MAX, &text))
		return false;
	for (unsigned i = 0; i < SCOPE_COUNT; i++) {
		if (str_eq(names[i], text)) {
			d->step->scope = (uint8_t)i;
			return true;
		}
	}
	return yaml_not_a(
		r, n, text, "scope", "fabric, target, device, peer, peer-device, link, rail, job");
}

static bool read_filter(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	const char *text;

	d->lines->filter = yaml_line(n);
	if (!yaml_text(r, n, "a filter", RUNBOOK_QUERY_MAX, &text))
		return false;
	yaml_put(&d->step->filter, text);
	return true;
}

/* ---- the expectation ---- */

/* "2", or "2 each": the limit applies to each object separately. */
static bool read_count(const char *text, uint64_t *count, bool *each)
{
	char number[16];
	size_t len = strcspn(text, " ");

	*each = str_eq(text + len, " each");
	if (len >= sizeof(number) || (text[len] && !*each))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	return str_to_u64(number, count) && *count <= 1000000;
}

static bool read_rows(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct {
		const char *words;
		uint8_t rows;
		bool counts;
	} forms[] = {{"none", ROWS_NONE, false}, {"any", ROWS_ANY, false}, {"all", ROWS_ALL, false},
		{"at least ", ROWS_AT_LEAST, true}, {"at most ", ROWS_AT_MOST, true}};
	struct runbook_step *s = ((struct step_draft *)to)->step;
	const char *text;
	uint64_t count = 0;
	bool each = false;

	if (!yaml_text(r, n, "number of rows", YAML_TEXT_MAX, &text))
		return false;
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		bool same = forms[i].counts ? str_starts(text, forms[i].words) &&
						      read_count(text + strlen(forms[i].words),
							      &count, &each)
					    : str_eq(text, forms[i].words);

		if (!same)
			continue;
		if (each && forms[i].rows != ROWS_AT_MOST)
			break;
		s->rows = forms[i].rows;
		s->count = (unsigned)count;
		s->each = each;
		return true;
	}
	return yaml_not_a(r, n, text, "number of rows",
		"none, any, all, at least N, at most N, at most N each");
}

static bool read_where(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	const char *text;

	d->lines->expect = yaml_line(n);
	if (!yaml_text(r, n, "expectation for a row", RUNBOOK_QUERY_MAX, &text))
		return false;
	yaml_put(&d->step->expect, text);
	return true;
}

static bool read_expect(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"rows", read_rows, 0}, {"where", read_where, 0}};
	struct step_draft *d = to;
	size_t before = r->problems->at.n;

	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	if (!d->step->expect)
		return problem_add(r->problems, yaml_line(n), r->place, "\"where\" is missing");
	return before == r->problems->at.n;
}

/* ---- the next steps ---- */

/* One of the keys pass, fail, unknown. */
struct lead {
	char *next;  /* buffer with the size of struct runbook_step.on_pass */
	char **says; /* NULL: this key has no text */
};

static bool read_next(struct reader *r, const yaml_node_t *n, void *to)
{
	struct lead *lead = to;
	const char *text, *name;

	if (!yaml_text(r, n, "the name of a step", YAML_TEXT_MAX, &text))
		return false;
	name = str_starts(text, "runbook:") ? text + strlen("runbook:") : text;
	if (!runbook_name_ok(name, 32))
		return yaml_not_a(
			r, n, text, "place to go on", "the name of a step, end, or runbook:NAME");
	return str_copy(lead->next, sizeof(((struct runbook_step *)0)->on_pass), text);
}

static bool read_says(struct reader *r, const yaml_node_t *n, void *to)
{
	struct lead *lead = to;

	if (!lead->says)
		return problem_add(r->problems, yaml_line(n), r->place,
			"only pass and fail have a text; unknown shows its reason");
	return runbook_read_prose(r, n, lead->says);
}

/* Only "next", or a map of next and says. */
static bool read_lead(struct reader *r, const yaml_node_t *n, struct lead *lead)
{
	static const struct key keys[] = {{"next", read_next, 0}, {"says", read_says, 0}};

	if (n->type == YAML_SCALAR_NODE)
		return read_next(r, n, lead);
	return yaml_read_map(r, n, keys, COUNT_OF(keys), lead);
}

static bool read_pass(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	struct lead lead = {d->step->on_pass, &d->step->pass_says};

	d->lines->pass = yaml_line(n);
	return read_lead(r, n, &lead);
}

static bool read_fail(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	struct lead lead = {d->step->on_fail, &d->step->fail_says};

	d->lines->fail = yaml_line(n);
	return read_lead(r, n, &lead);
}

static bool read_unknown(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	struct lead lead = {d->step->on_unknown, NULL};

	d->lines->unknown = yaml_line(n);
	return read_lead(r, n, &lead);
}

static bool read_action(struct reader *r, const yaml_node_t *n, void *to)
{
	struct step_draft *d = to;
	const char *text;

	d->lines->action = yaml_line(n);
	if (!yaml_text(r, n, "an action", YAML_TEXT_MAX, &text))
		return false;
	if (!action_by_name(text) || !str_copy(d->step->action, sizeof(d->step->action), text))
		return yaml_not_a(r, n, text, "action", action_names());
	return true;
}

static bool read_seeks(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_flag(
		r, n, "cause", "thing to seek", &((struct step_draft *)to)->step->seeks);
}

/* ---- the whole step ---- */

static bool is_column(void *ctx, const char *name)
{
	return view_column(ctx, name) >= 0;
}

/* Parses a query of the view. NULL after an error, which is reported. */
static struct query *compile_query(struct reader *r, const struct view_ops *v, const char *text,
	const char *key, unsigned line)
{
	struct err err = {0};
	struct query *q = query_parse(text, &err);
	char names[400];
	union {
		const void *in;
		void *out;
	} view = {v};

	view_column_names(v, names, sizeof(names));
	if (q && query_check(q, is_column, view.out, names, &err))
		return q;
	query_free(q);
	(void)problem_add(r->problems, line, r->place, "%s: %s", key, err.text);
	if (err.cure[0])
		(void)problem_cure(r->problems, "%s", err.cure);
	return NULL;
}

static void check_looks(struct reader *r, const yaml_node_t *n, const struct step_draft *d)
{
	struct runbook_step *s = d->step;

	if (s->view && s->scope == SCOPE_FABRIC && !view_is_whole(s->view)) {
		(void)problem_add(r->problems, d->lines->view, r->place,
			"the view %s needs a place", s->view->name);
		(void)problem_cure(
			r->problems, "scope: target, device, peer, peer-device, link, rail or job");
	}
	if (!s->view && (s->expect || s->filter[0]))
		(void)problem_add(r->problems, yaml_line(n), r->place,
			"\"view\" is missing: a filter and an expectation are about its rows");
	if (!s->view)
		return;
	if (s->expect)
		s->query = compile_query(r, s->view, s->expect, "expect.where", d->lines->expect);
	if (s->filter[0])
		query_free(compile_query(r, s->view, s->filter, "filter", d->lines->filter));
}

static void check_step(struct reader *r, const yaml_node_t *n, const struct step_draft *d)
{
	struct runbook_step *s = d->step;

	if (!s->id[0])
		(void)problem_add(r->problems, yaml_line(n), r->place, "\"id\" is missing");
	if (!s->text)
		(void)problem_add(r->problems, yaml_line(n), r->place, "\"text\" is missing");
	if (!s->expect && !s->question)
		(void)problem_add(r->problems, yaml_line(n), r->place,
			"neither \"expect\" nor \"ask\" is given: the step could not be judged");
	check_looks(r, n, d);
}

static void fill_empty(char **text)
{
	if (!*text)
		*text = mem_strdup("");
}

static bool read_step(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"id", read_id, 0}, {"text", read_text, 0},
		{"view", read_view, 0}, {"scope", read_scope, 0}, {"filter", read_filter, 0},
		{"expect", read_expect, 0}, {"ask", read_ask, 0}, {"pass", read_pass, 0},
		{"fail", read_fail, 0}, {"unknown", read_unknown, 0}, {"action", read_action, 0},
		{"collect", read_collect, 0}, {"seeks", read_seeks, 0}};
	struct draft *whole = to;
	size_t before = r->problems->at.n;
	struct step_draft d;
	bool ok;

	if (whole->book->steps.n >= RUNBOOK_STEPS_MAX)
		return problem_add(r->problems, yaml_line(n), r->place, "more than %d steps",
			RUNBOOK_STEPS_MAX);
	d.step = vec_add(&whole->book->steps);
	d.lines = vec_add(&whole->lines);
	d.lines->line = yaml_line(n);
	ok = yaml_read_map(r, n, keys, COUNT_OF(keys), &d);
	fill_empty(&d.step->filter);
	if (ok && before == r->problems->at.n)
		check_step(r, n, &d);
	fill_empty(&d.step->text);
	fill_empty(&d.step->question);
	fill_empty(&d.step->pass_says);
	fill_empty(&d.step->fail_says);
	fill_empty(&d.step->collect);
	return before == r->problems->at.n;
}

bool runbook_read_steps(struct reader *r, const yaml_node_t *n, void *to)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return yaml_expected(r, n, "a list of steps");
	return yaml_read_items(r, n, read_step, to);
}

/* ---- the whole runbook ---- */

static size_t index_of(const struct runbook *b, const char *id)
{
	size_t i = 0;

	while (i < b->steps.n && !str_eq(b->steps.at[i].id, id))
		i++;
	return i;
}

/* Checks that next is a step, the end, or another runbook. */
static void check_lead(const struct draft *d, size_t at, const char *key, const char *next,
	unsigned line, struct problems *problems)
{
	char nearest[128], place[64];
	struct name_suggestions near;

	if (!next[0] || str_eq(next, "end") || str_starts(next, "runbook:") ||
		index_of(d->book, next) < d->book->steps.n)
		return;
	(void)str_printf(place, sizeof(place), "steps[%zu].%s", at, key);
	(void)problem_add(problems, line, place, "there is no step \"%s\"", next);
	name_suggestions_init(&near, next);
	for (size_t i = 0; i < d->book->steps.n; i++)
		name_suggestions_offer(&near, d->book->steps.at[i].id);
	if (name_suggestions_format(&near, nearest, sizeof(nearest)))
		(void)problem_cure(problems, "did you mean %s?", nearest);
	else
		(void)problem_cure(problems, "allowed: the id of a step, end, or runbook:NAME");
}

static const enum step_outcome leads[] = {STEP_PASS, STEP_FAIL, STEP_UNKNOWN};

static size_t step_after(const struct runbook *b, size_t at, enum step_outcome o)
{
	return runbook_step_after(b, at, runbook_step_next(&b->steps.at[at], o));
}

static void check_reached(const struct draft *d, struct problems *problems)
{
	const struct runbook *b = d->book;
	uint64_t seen = 1, before = 0;

	while (seen != before) {
		before = seen;
		for (size_t i = 0; i < b->steps.n; i++)
			for (size_t o = 0; o < COUNT_OF(leads) && (seen >> i & 1); o++)
				if (step_after(b, i, leads[o]) < b->steps.n)
					seen |= UINT64_C(1) << step_after(b, i, leads[o]);
	}
	for (size_t i = 0; i < b->steps.n; i++)
		if (!(seen >> i & 1))
			(void)problem_add(problems, d->lines.at[i].line, NULL,
				"no step leads to \"%s\"", b->steps.at[i].id);
}

/* Checks that every step leads to an end. */
static void check_ends(const struct draft *d, struct problems *problems)
{
	const struct runbook *b = d->book;
	uint64_t ends = 0, before = 1;

	while (ends != before) {
		before = ends;
		for (size_t i = 0; i < b->steps.n; i++)
			for (size_t o = 0; o < COUNT_OF(leads); o++) {
				size_t next = step_after(b, i, leads[o]);

				if (next >= b->steps.n || (ends >> next & 1))
					ends |= UINT64_C(1) << i;
			}
	}
	for (size_t i = 0; i < b->steps.n; i++) {
		if (ends >> i & 1)
			continue;
		(void)problem_add(problems, d->lines.at[i].line, NULL,
			"the steps from \"%s\" form a loop without an end", b->steps.at[i].id);
		(void)problem_cure(problems, "let one of them lead to end");
		return;
	}
}

void runbook_check_steps(const struct draft *d, struct problems *problems)
{
	const struct runbook *b = d->book;

	for (size_t i = 0; i < b->steps.n; i++) {
		const struct runbook_step *s = &b->steps.at[i];

		if (index_of(b, s->id) < i)
			(void)problem_add(problems, d->lines.at[i].line, NULL,
				"two steps have the name \"%s\"", s->id);
		check_lead(d, i, "pass", s->on_pass, d->lines.at[i].pass, problems);
		check_lead(d, i, "fail", s->on_fail, d->lines.at[i].fail, problems);
		check_lead(d, i, "unknown", s->on_unknown, d->lines.at[i].unknown, problems);
	}
	if (problems->at.n)
		return;
	check_reached(d, problems);
	if (!problems->at.n)
		check_ends(d, problems);
}
