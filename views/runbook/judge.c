/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/diag_rows.h"
#include "views/rows.h"
#include "views/runbook/place.h"
#include "views/runbook/told.h"

#define NAMED     3  /* rows that the value names */
#define PART_MOST 48 /* bytes of each part of a row's name */

/* ---- properties of a view ---- */

/* Views that report the age of data: a stale device is their result, not a lack of data. */
static bool shows_age(const struct view_ops *v)
{
	return str_eq(v->name, "devices") || str_eq(v->name, "device");
}

static const char *row_noun(const struct view_ops *v, bool one)
{
	static const struct {
		const char *view, *one, *many;
	} words[] = {{"leaf", "port", "ports"}, {"host", "NIC", "NICs"}, {"links", "link", "links"},
		{"ports", "port", "ports"}, {"port", "priority", "priorities"},
		{"bgp", "session", "sessions"}, {"events", "event", "events"},
		{"findings", "finding", "findings"}, {"devices", "device", "devices"},
		{"rail", "switch", "switches"}, {"ranks", "rank", "ranks"}, {"jobs", "job", "jobs"},
		{"lint", "check", "checks"}, {"storm", "paused port", "paused ports"},
		{"priority", "counter", "counters"}, {"device", "need", "needs"},
		{"cluster", "rail", "rails"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(v->name, words[i].view))
			return one ? words[i].one : words[i].many;
	return one ? "row" : "rows";
}

/* ---- one judgement ---- */

/* A field of the current row: its column is looked up once, its cell once a row. */
struct field_cell {
	const char *name; /* of the query: the same pointer each time; NULL: free */
	int col;
	bool made;
	struct view_cell cell;
};
#define FIELDS 8

struct runbook_judging {
	const struct runbook_step *step;
	struct view_ctx ctx;
	struct ref subject;
	struct query *filter; /* NULL: all rows */
	struct ref row;
	bool old;        /* the current row is stale */
	bool perhaps;    /* the current row may be about the subject, or about another port */
	char text[4096]; /* of the current row's cells, for free text */
	bool has_text;
	struct field_cell fields[FIELDS];
	char missing[64]; /* the first unknown field of the row, or an upper bound */
	bool missing_is_bound, lacked_is_bound;
	/* over all rows */
	size_t yes, no, unknown, seen;
	size_t old_rows, perhaps_rows;
	VEC(uint64_t) whose; /* for "each" of the step: the object of each matching row */
	size_t most_of_one;  /* the largest number of rows of one object */
	struct ref one;      /* the first row of that object */
	int64_t watched_us;  /* events are known for this period only; 0: irrelevant here */
	char lacked[64];     /* a field that rows lacked */
	struct ref named[NAMED];
	int measured; /* column with the range of numbers; -1: none */
	double least, most;
	char least_text[TABLE_CELL_TEXT], most_text[TABLE_CELL_TEXT];
	/* progress */
	struct view_cache *own; /* of views that need one of their own; NULL */
	row_vec rows;
	size_t at; /* index of the next row */
	size_t listed_at;
	bool listed;     /* the list of rows is complete */
	uint64_t wiring; /* of the model at the begin */
};

static struct field_cell *field_of(
	struct runbook_judging *j, const char *name, struct field_cell *spare)
{
	struct field_cell *f = spare;

	for (size_t i = 0; i < FIELDS; i++) {
		f = &j->fields[i];
		if (f->name == name)
			return f;
		if (!f->name)
			break;
		f = spare;
	}
	f->name = name;
	f->col = view_column(j->step->view, name);
	f->made = false;
	return f;
}

static const struct view_cell *cell_of(struct runbook_judging *j, struct field_cell *f)
{
	if (f->made)
		return &f->cell;
	f->cell = (struct view_cell){.number = NAN};
	j->step->view->cell(&j->ctx, j->row, (size_t)f->col, &f->cell);
	f->made = true;
	return &f->cell;
}

static bool judge_field(void *opaque, const char *name, struct query_value *out)
{
	struct runbook_judging *j = opaque;
	const struct view_ops *v = j->step->view;
	struct field_cell spare, *f = field_of(j, name, &spare);
	const struct view_cell *cell;
	bool known;

	if (f->col < 0)
		return false;
	cell = cell_of(j, f);
	(void)str_copy(out->text, sizeof(out->text), cell->text);
	out->number = cell->number;
	out->second = cell->second;
	out->at_most = cell->at_most;
	/* An empty word is a known value ("nothing there"), unlike in the search with '/'. */
	known = !str_eq(cell->text, "-");
	if (cell->has_number)
		known = known && !isnan(cell->number);
	else
		known = known && (cell->role != ROLE_UNKNOWN || shows_age(v));
	out->type = !known ? QV_UNKNOWN : cell->has_number ? QV_NUMBER : QV_TEXT;
	if ((!known || cell->at_most) && !j->missing[0]) {
		(void)str_copy(j->missing, sizeof(j->missing), name);
		j->missing_is_bound = known;
	}
	return true;
}

static const char *judge_text(void *opaque)
{
	struct runbook_judging *j = opaque;
	size_t n = 0;

	for (size_t i = 0; !j->has_text && i < j->step->view->ncolumns; i++) {
		struct view_cell cell = {.number = NAN};

		j->step->view->cell(&j->ctx, j->row, i, &cell);
		(void)str_printf(j->text + n, sizeof(j->text) - n, "%s\n", cell.text);
		n += strlen(j->text + n);
	}
	j->has_text = true;
	return j->text;
}

static enum query_answer answer_and(enum query_answer a, enum query_answer b)
{
	if (a == QUERY_NO || b == QUERY_NO)
		return QUERY_NO;
	return a == QUERY_UNKNOWN || b == QUERY_UNKNOWN ? QUERY_UNKNOWN : QUERY_YES;
}

static enum query_answer not_so(enum query_answer a)
{
	return a == QUERY_UNKNOWN ? a : a == QUERY_YES ? QUERY_NO : QUERY_YES;
}

static void note_number(struct runbook_judging *j)
{
	const struct view_cell *cell = NULL;
	struct field_cell spare = {.col = j->measured};

	if (j->measured < 0 || j->old)
		return;
	for (size_t i = 0; i < FIELDS && j->fields[i].name && !cell; i++)
		if (j->fields[i].col == j->measured)
			cell = cell_of(j, &j->fields[i]);
	if (!cell)
		cell = cell_of(j, &spare);
	if (!cell->has_number || isnan(cell->number))
		return;
	if (isnan(j->least) || cell->number < j->least) {
		j->least = cell->number;
		(void)str_copy(j->least_text, sizeof(j->least_text), cell->text);
	}
	if (isnan(j->most) || cell->number > j->most) {
		j->most = cell->number;
		(void)str_copy(j->most_text, sizeof(j->most_text), cell->text);
	}
}

/* ---- counting for each object ---- */

/* The object of a row: its port, else its device. */
static uint64_t whose_row(const struct runbook_judging *j, struct ref row)
{
	const struct model *m = j->ctx.model;
	struct ref what = row;

	if (row.kind == REF_EVENT && row.seq && row.seq <= m->event_seq) {
		const struct event *e = model_event(m, (size_t)(m->event_seq - row.seq));

		if (e)
			return e->port < m->ports.n ? (uint64_t)e->port + 1
						    : (uint64_t)(e->device + 1) << 32;
	}
	if (j->step->view->about && (row.kind == REF_ROW || row.kind == REF_FINDING))
		what = j->step->view->about(&j->ctx, row);
	if (what.kind == REF_PORT || what.kind == REF_PRIORITY || what.kind == REF_LINK)
		return (uint64_t)what.port + 1;
	return what.kind == REF_DEVICE || what.kind == REF_BGP ? (uint64_t)(what.device + 1) << 32
							       : 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Finds the largest number of matching rows of one object. */
static void count_each(struct runbook_judging *j, const row_vec *rows)
{
	uint64_t worst = 0;

	if (j->whose.n)
		qsort(j->whose.at, j->whose.n, sizeof(j->whose.at[0]), by_number);
	for (size_t i = 0, from = 0; i < j->whose.n; i++) {
		if (j->whose.at[i] != j->whose.at[from])
			from = i;
		if (i - from + 1 > j->most_of_one) {
			j->most_of_one = i - from + 1;
			worst = j->whose.at[i];
		}
	}
	for (size_t i = 0; j->most_of_one && i < rows->n; i++)
		if (whose_row(j, rows->at[i]) == worst) {
			j->one = rows->at[i];
			break;
		}
}

/* ---- events before railtop started ---- */

static bool watched_field(void *opaque, const char *name, struct query_value *out)
{
	const struct runbook_judging *j = opaque;

	out->type = QV_UNKNOWN;
	if (!str_eq(name, "age"))
		return view_column(j->step->view, name) >= 0;
	out->type = QV_NUMBER;
	out->number = (double)j->watched_us / (double)CLOCK_SEC;
	return true;
}

static const char *watched_text(void *opaque)
{
	(void)opaque;
	return NULL; /* the text of an unseen event is unknown */
}

static bool names_age(const struct query *q)
{
	const char *fields[8];
	size_t n = q ? query_fields(q, fields, 8) : 0;

	for (size_t i = 0; i < n; i++)
		if (str_eq(fields[i], "age"))
			return true;
	return false;
}

/* Whether the step asks for events before the watched period: "in the last hour" after a minute. */
static bool asks_for_more(struct runbook_judging *j)
{
	const struct query_source source = {watched_field, watched_text, j};
	enum query_answer in = QUERY_YES, match = QUERY_YES;

	if (!str_eq(j->step->view->name, "events"))
		return false;
	j->watched_us = runbook_watched(j->ctx.model, j->subject, j->ctx.now_us);
	if (!names_age(j->filter) && !names_age(j->step->query))
		return false;
	if (j->filter)
		in = query_decide(j->filter, &source);
	match = query_decide(j->step->query, &source);
	if (j->step->rows == ROWS_ALL)
		match = not_so(match);
	return answer_and(in, match) != QUERY_NO;
}

/* ---- a row ---- */

/* Counts the row: a row that matches, or for ROWS_ALL a row that does not match. */
static void judge_row(struct runbook_judging *j)
{
	const struct query_source source = {judge_field, judge_text, j};
	enum query_answer in = QUERY_YES, match;

	j->has_text = false;
	j->missing[0] = '\0';
	for (size_t i = 0; i < FIELDS; i++)
		j->fields[i].made = false;
	if (j->filter)
		in = query_decide(j->filter, &source);
	if (in == QUERY_NO && !j->old)
		return;
	match = query_decide(j->step->query, &source);
	if (j->step->rows == ROWS_ALL)
		match = not_so(match);
	match = answer_and(in, match);
	if (j->perhaps && match == QUERY_YES) {
		match = QUERY_UNKNOWN;
		j->perhaps_rows++;
	}
	if (j->old) {
		/* The last values of a silent device are no answer, whatever they were. */
		match = QUERY_UNKNOWN;
		j->old_rows++;
	}
	j->seen++;
	note_number(j);
	if (match == QUERY_UNKNOWN) {
		j->unknown++;
		if (!j->old && !j->perhaps && !j->lacked[0]) {
			(void)str_copy(j->lacked, sizeof(j->lacked), j->missing);
			j->lacked_is_bound = j->missing_is_bound;
		}
		return;
	}
	if (match == QUERY_NO) {
		j->no++;
		return;
	}
	if (j->yes < NAMED)
		j->named[j->yes] = j->row;
	if (j->step->each)
		vec_push(&j->whose, whose_row(j, j->row));
	j->yes++;
}

static void begin_rows(struct runbook_judging *j)
{
	const char *fields[8];
	size_t n = query_fields(j->step->query, fields, 8);

	j->measured = n ? view_column(j->step->view, fields[0]) : -1;
	j->least = j->most = NAN;
}

/* Judges at most most further rows. */
static void judge_rows(struct runbook_judging *j, size_t most)
{
	for (; j->at < j->rows.n && most > 0; j->at++, most--) {
		struct ref row = j->rows.at[j->at];
		bool within = runbook_row_within(&j->ctx, j->step->view, row, j->subject);

		j->perhaps =
			!within && runbook_row_perhaps(&j->ctx, j->step->view, row, j->subject);
		if (!within && !j->perhaps)
			continue;
		j->row = row;
		j->old = !shows_age(j->step->view) && runbook_row_is_old(&j->ctx, j->row);
		judge_row(j);
	}
}

/* more: whether there may be rows that no device reports. */
static enum step_outcome outcome_of(const struct runbook_judging *j, bool more)
{
	size_t perhaps = j->unknown + more, want = j->step->count;
	size_t yes = j->step->each ? j->most_of_one : j->yes;

	switch ((enum runbook_rows)j->step->rows) {
	case ROWS_NONE:
	case ROWS_ALL: /* yes counts the rows that do not match */
		return j->yes ? STEP_FAIL : perhaps ? STEP_UNKNOWN : STEP_PASS;
	case ROWS_ANY:
		return j->yes ? STEP_PASS : perhaps ? STEP_UNKNOWN : STEP_FAIL;
	case ROWS_AT_LEAST:
		if (j->yes >= want)
			return STEP_PASS;
		return more || j->yes + j->unknown >= want ? STEP_UNKNOWN : STEP_FAIL;
	case ROWS_AT_MOST:
		if (yes > want)
			return STEP_FAIL;
		return more || yes + j->unknown > want ? STEP_UNKNOWN : STEP_PASS;
	}
	return STEP_UNKNOWN;
}

/* ---- text ---- */

static void row_cell(
	const struct runbook_judging *j, struct ref row, const char *id, char *dst, size_t size)
{
	struct view_cell cell = {.number = NAN};
	int col = view_column(j->step->view, id);

	dst[0] = '\0';
	if (col < 0)
		return;
	j->step->view->cell(&j->ctx, row, (size_t)col, &cell);
	if (!str_eq(cell.text, "-"))
		(void)str_copy(dst, size, cell.text);
}

/* "leaf-r3-00:Ethernet12", "leaf-r3-00 10.0.0.1", "pfc.storm leaf-r3-00:Ethernet12" */
static void row_name(const struct runbook_judging *j, struct ref row, char *dst, size_t size)
{
	static const char *const parts[] = {
		"a", "kind", "check", "what", "device", "where", "peer", "need", "counter", "job"};
	char part[TABLE_CELL_TEXT];
	size_t n = 0;
	bool own = row.kind == REF_PORT || row.kind == REF_DEVICE || row.kind == REF_PRIORITY ||
		   row.kind == REF_RAIL || row.kind == REF_RANK || row.kind == REF_JOB;

	dst[0] = '\0';
	if (own && ref_format(j->ctx.model, row, dst, size))
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && n + 2 < size; i++) {
		row_cell(j, row, parts[i], part, sizeof(part));
		if (!part[0] || (str_eq(parts[i], "peer") && row.kind != REF_BGP))
			continue;
		part[PART_MOST] = '\0';
		trim_cut(part);
		(void)str_printf(dst + n, size - n, "%s%s", n ? " " : "", part);
		trim_cut(dst);
		n += strlen(dst + n);
	}
}

static void append_text(char *dst, size_t size, const char *text)
{
	size_t n = strlen(dst);

	(void)str_copy(dst + n, size - n, text);
	trim_cut(dst);
}

/* Writes the row's values of the fields in the query; several fields each with its name. */
static void row_numbers(
	const struct runbook_judging *j, struct ref row, const char *name, char *dst, size_t size)
{
	const char *fields[4];
	size_t n = query_fields(j->step->query, fields, 4), len = 0;
	char cell[TABLE_CELL_TEXT];

	dst[0] = '\0';
	for (size_t i = 0; i < n && len + 2 < size; i++) {
		row_cell(j, row, fields[i], cell, sizeof(cell));
		if (!cell[0] || strstr(name, cell))
			continue;
		(void)str_printf(dst + len, size - len, " %s%s%s", n > 1 ? fields[i] : "",
			n > 1 ? " " : "", cell);
		trim_cut(dst + len);
		len += strlen(dst + len);
	}
}

/* Checks of the whole fabric that found no difference: no row of theirs names a place. */
static size_t consistent_checks(const struct runbook_judging *j)
{
	size_t n = 0;

	if (!str_eq(j->step->view->name, "lint"))
		return 0;
	for (size_t i = 0; i < j->rows.n; i++) {
		const struct lint_row *l = lint_of_row(&j->ctx, j->rows.at[i]);

		n += l && l->result == LINT_OK;
	}
	return n;
}

/* "all 44 devices have state fresh or late", "none of 64 ports has paused rx above 1%". */
static void say_count(const struct runbook_judging *j, char *dst, size_t size)
{
	const struct runbook_step *s = j->step;
	bool all = s->rows == ROWS_ALL;
	const char *noun = row_noun(s->view, j->seen == 1);
	size_t ok = j->seen ? 0 : consistent_checks(j);
	char words[256];

	if (!query_words(s->query, words, sizeof(words)))
		(void)str_printf(words, sizeof(words), "what is asked for");
	if (ok)
		(void)str_printf(dst, size, "no check names it: %zu check%s found all consistent",
			ok, str_plural((unsigned)ok));
	else if (!j->seen)
		(void)str_printf(dst, size, "there are no %s", row_noun(s->view, false));
	else if (!j->yes && all && j->seen == 1)
		(void)str_printf(dst, size, "the one %s has %s", noun, words);
	else if (!j->yes && all)
		(void)str_printf(dst, size, "all %zu %s have %s", j->seen, noun, words);
	else if (!j->yes)
		(void)str_printf(dst, size, "none of %zu %s has %s", j->seen, noun, words);
	else
		(void)str_printf(dst, size, "%zu of %zu %s %s %s", j->yes, j->seen, noun,
			all           ? j->yes == 1 ? "does not have" : "do not have"
			: j->yes == 1 ? "has"
				      : "have",
			words);
}

static void say_value(const struct runbook_judging *j, struct runbook_result *out)
{
	const struct runbook_step *s = j->step;
	char name[160], number[160], part[336];

	say_count(j, out->value, sizeof(out->value));
	if (s->each && j->most_of_one) {
		row_name(j, j->one, name, sizeof(name));
		(void)str_printf(
			part, sizeof(part), ", at most %zu of one: %s", j->most_of_one, name);
		append_text(out->value, sizeof(out->value), part);
		return;
	}
	for (size_t i = 0; i < j->yes && i < NAMED; i++) {
		row_name(j, j->named[i], name, sizeof(name));
		row_numbers(j, j->named[i], name, number, sizeof(number));
		(void)str_printf(part, sizeof(part), "%s%s%s", i ? ", " : ": ", name, number);
		append_text(out->value, sizeof(out->value), part);
	}
	if (j->yes > NAMED) {
		(void)str_printf(part, sizeof(part), " and %zu more", j->yes - NAMED);
		append_text(out->value, sizeof(out->value), part);
	}
	/* "state fresh (fresh)" */
	if (!j->yes && j->least_text[0] &&
		!(str_eq(j->least_text, j->most_text) && strstr(out->value, j->least_text))) {
		(void)str_printf(part, sizeof(part), "%s%s%s%s%s", " (", j->least_text,
			str_eq(j->least_text, j->most_text) ? "" : " to ",
			str_eq(j->least_text, j->most_text) ? "" : j->most_text, ")");
		append_text(out->value, sizeof(out->value), part);
	}
}

/* none: the reason why nothing can be judged, if it is known. */
static void say_why(const struct runbook_judging *j, const char *none, unsigned silent,
	unsigned devices, struct runbook_result *out)
{
	const struct view_ops *v = j->step->view;

	if (j->old_rows)
		(void)str_printf(out->why, sizeof(out->why), "%zu of %zu %s: %s", j->old_rows,
			j->seen, row_noun(v, j->seen == 1),
			str_eq(v->name, "ranks")
				? "no source reports the job any more, its numbers are old: give "
				  "a job that runs"
				: "the numbers are old, railtop check has the reason");
	else if (j->perhaps_rows)
		(void)str_printf(out->why, sizeof(out->why),
			"%zu of %zu %s: the same state holds for several ports of the device, "
			"perhaps for this one",
			j->perhaps_rows, j->seen, row_noun(v, j->seen == 1));
	else if (j->lacked[0] && j->lacked_is_bound)
		(void)str_printf(out->why, sizeof(out->why),
			"%s is an upper bound for %zu of %zu %s: frames were counted, not their "
			"time; railtop check says whether that can be",
			j->lacked, j->unknown, j->seen, row_noun(v, j->seen == 1));
	else if (j->lacked[0])
		(void)str_printf(out->why, sizeof(out->why),
			"%s is not known for %zu of %zu %s: railtop check has the reason",
			j->lacked, j->unknown, j->seen, row_noun(v, j->seen == 1));
	else if (silent)
		(void)str_printf(out->why, sizeof(out->why),
			"%u of %u devices do not answer: railtop check has the cure", silent,
			devices);
	else if (j->watched_us) {
		char age[16];

		(void)str_age(j->watched_us, age, sizeof(age));
		(void)str_printf(out->why, sizeof(out->why),
			"watched for %s only: ask again later, or give a recording that begins "
			"earlier (--from FILE)",
			age);
	} else if (j->unknown)
		(void)str_printf(out->why, sizeof(out->why),
			"%zu of %zu %s: a word stands where the step compares a number, see the "
			"view %s",
			j->unknown, j->seen, row_noun(v, j->seen == 1), v->name);
	else if (none)
		(void)str_copy(out->why, sizeof(out->why), none);
	else
		(void)str_printf(
			out->why, sizeof(out->why), "there are no %s to judge", row_noun(v, false));
}

static void set_result(struct runbook_judging *j, size_t rows, struct runbook_result *out)
{
	const struct view_ops *v = j->step->view;
	unsigned silent, devices = runbook_devices(j->ctx.model, v, j->subject, &silent);
	bool troubles = runbook_lists_troubles(v), nothing = false, before = asks_for_more(j);
	const char *none = troubles ? runbook_deaf(&j->ctx, v, j->subject) : NULL;

	/*
	 * No row is left after the filter: no match was found, but "all" of no rows proves nothing.
	 */
	if (!troubles)
		nothing = !j->seen && (j->step->rows == ROWS_ALL || !rows);
	out->matched = j->step->rows == ROWS_ALL ? j->no : j->yes;
	out->unknown = j->unknown;
	out->rows = j->seen;
	out->outcome =
		(uint8_t)(nothing ? STEP_UNKNOWN : outcome_of(j, silent > 0 || before || none));
	if (!before)
		j->watched_us = 0;
	say_value(j, out);
	if (out->outcome == STEP_UNKNOWN)
		say_why(j, nothing && v->empty ? v->empty(&j->ctx) : none, silent, devices, out);
	trim_cut(out->value);
	trim_cut(out->why);
}

/* Counts the view's rows inside the subject, without the filter. */
static size_t rows_within(const struct runbook_judging *j, const row_vec *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += runbook_row_within(&j->ctx, j->step->view, rows->at[i], j->subject);
	return n;
}

/*
 * Some views cache their rows by the object that they were opened on. Judging must not replace the
 * rows of the page on the screen.
 */
static bool needs_own_cache(const struct view_ctx *ctx, const struct view_ops *v)
{
	return !ctx->cache || str_eq(v->name, "ranks") || str_eq(v->name, "trace");
}

/*
 * Whether the rows can be judged in pieces. Rows of ports and devices stay valid in any later
 * model, and rows of links while the wiring does not change. Other rows are few and are judged at
 * once, because their objects are created anew with each model.
 */
static bool goes_in_pieces(const struct runbook_judging *j)
{
	enum ref_kind kind = j->rows.n ? (enum ref_kind)j->rows.at[0].kind : REF_NONE;

	return kind == REF_PORT || kind == REF_LINK || kind == REF_DEVICE;
}

static void begin_at(struct runbook_judging *j)
{
	struct err err = {0};

	if (needs_own_cache(&j->ctx, j->step->view))
		j->ctx.cache = j->own = view_cache_new();
	if (j->step->filter && j->step->filter[0])
		j->filter = query_parse(j->step->filter, &err);
	j->wiring = j->ctx.model->wiring_generation;
	begin_rows(j);
}

static void conclude_all(struct runbook_judging *j, struct runbook_result *out)
{
	if (j->step->each)
		count_each(j, &j->rows);
	set_result(j, j->seen ? j->seen : rows_within(j, &j->rows), out);
}

/* A step about a job has no job: there are several, none is known, or none runs at the place. */
static void say_no_job(const struct model *m, struct ref target, struct runbook_result *out)
{
	bool whole = target.kind == REF_FABRIC || target.kind == REF_NONE;
	unsigned jobs = 0;
	const char *name = "";

	for (size_t i = 0; i < m->nccl->jobs.n; i++)
		if (!job_is_free(m->nccl->jobs.at[i])) {
			name = jobs ? name : m->nccl->jobs.at[i]->name;
			jobs++;
		}
	if (!jobs)
		(void)str_copy(out->why, sizeof(out->why),
			"no job is known: jobs: in the inventory names a source, and it takes a "
			"few polls");
	else if (whole)
		(void)str_printf(out->why, sizeof(out->why),
			"this step is about one of %u jobs: give one as the place, such as \"job "
			"%.48s\"",
			jobs, name);
	else
		(void)str_printf(out->why, sizeof(out->why),
			"no known job runs there: give a job as the place, such as \"job %.48s\"",
			name);
}

/* Prepares the judgement. False: there is nothing to look at, and *out has the reason. */
static bool is_judged(const struct runbook_step *step, const struct view_ctx *ctx,
	struct ref target, struct runbook_judging *j, struct runbook_result *out)
{
	memset(out, 0, sizeof(*out));
	if (!step->query || !step->view) {
		out->outcome = STEP_OPEN;
		return true;
	}
	out->outcome = STEP_UNKNOWN;
	if (runbook_place(step, ctx->model, target, &j->ctx.scope) &&
		runbook_subject((enum runbook_scope)step->scope, ctx->model, target, &j->subject))
		return false;
	if (step->scope == SCOPE_JOB) {
		say_no_job(ctx->model, target, out);
		return true;
	}
	(void)str_printf(out->why, sizeof(out->why), "%s",
		target.kind == REF_FABRIC || target.kind == REF_NONE
			? "this step is about one port: give the runbook a port as its place"
			: "the other end, or the rail, of this place is not known: see the "
			  "wiring view");
	return true;
}

struct runbook_judging *runbook_judging_new(const struct runbook_step *step,
	const struct view_ctx *ctx, struct ref target, struct runbook_result *out)
{
	struct runbook_judging *j = mem_calloc(1, sizeof(*j));

	j->step = step;
	j->ctx = *ctx;
	j->ctx.folded = false; /* steps count */
	j->measured = -1;
	if (is_judged(step, ctx, target, j, out)) {
		free(j);
		return NULL;
	}
	begin_at(j);
	return j;
}

bool runbook_judging_some(struct runbook_judging *j, const struct view_ctx *ctx, size_t most,
	struct runbook_result *out)
{
	struct ref scope = j->ctx.scope;

	j->ctx = *ctx;
	j->ctx.scope = scope;
	j->ctx.folded = false;
	if (j->own)
		j->ctx.cache = j->own;
	if (!j->listed) {
		j->listed = view_list_some(&j->ctx, j->step->view, &j->listed_at, &j->rows);
		if (!j->listed || goes_in_pieces(j))
			return false;
	}
	judge_rows(j, goes_in_pieces(j) ? most : j->rows.n);
	if (j->at < j->rows.n)
		return false;
	memset(out, 0, sizeof(*out));
	conclude_all(j, out);
	return true;
}

bool runbook_judging_is_outdated(const struct runbook_judging *j, const struct model *m)
{
	return j->rows.n && j->rows.at[0].kind == REF_LINK && j->wiring != m->wiring_generation;
}

unsigned runbook_judging_percent(const struct runbook_judging *j)
{
	if (!j->rows.n)
		return j->listed ? 100 : 0;
	return (unsigned)(j->at * 100 / j->rows.n);
}

void runbook_judging_free(struct runbook_judging *j)
{
	if (!j)
		return;
	vec_free(&j->rows);
	vec_free(&j->whose);
	query_free(j->filter);
	view_cache_free(j->own);
	free(j);
}

void runbook_judge(const struct runbook_step *step, const struct view_ctx *ctx, struct ref target,
	struct runbook_result *out)
{
	struct runbook_judging *j = runbook_judging_new(step, ctx, target, out);

	while (j && !runbook_judging_some(j, ctx, SIZE_MAX, out))
		;
	runbook_judging_free(j);
}
