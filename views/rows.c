/* SPDX-License-Identifier: Apache-2.0 */
#include "views/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Other names of columns: a counter's family, a dot, and the quantity. */
static const struct {
	const char *name, *id;
} aliases[] = {
	{"pfc_rx.paused", "paused_rx"},
	{"pfc_tx.paused", "paused_tx"},
	{"pfc_rx.since", "since_pfc_rx"},
	{"pfc_tx.since", "since_pfc_tx"},
	{"rx.util", "rx_util"},
	{"tx.util", "tx_util"},
};

static int column_by_id(const struct view_ops *v, const char *id)
{
	for (size_t i = 0; i < v->ncolumns; i++)
		if (str_eq(v->columns[i].id, id))
			return (int)i;
	return -1;
}

int view_column(const struct view_ops *v, const char *name)
{
	int col = column_by_id(v, name);

	for (size_t i = 0; col < 0 && i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (str_eq(aliases[i].name, name))
			col = column_by_id(v, aliases[i].id);
	return col;
}

void view_column_names(const struct view_ops *v, char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < v->ncolumns && n + 1 < size; i++) {
		(void)str_printf(dst + n, size - n, "%s%s", i ? ", " : "", v->columns[i].id);
		n += strlen(dst + n);
	}
}

static bool column_exists(void *ctx, const char *name)
{
	return view_column(ctx, name) >= 0;
}

bool view_query_check(const struct view_ops *v, const struct query *q, struct err *err)
{
	char names[320];

	view_column_names(v, names, sizeof(names));
	return query_check(q, column_exists, (void *)v, names, err);
}

bool view_list_some(const struct view_ctx *ctx, const struct view_ops *v, size_t *at, row_vec *out)
{
	if (v->list)
		return v->list(ctx, at, out);
	v->rows(ctx, out);
	return true;
}

bool view_field(const struct view_ctx *ctx, const struct view_ops *v, struct ref row,
	const char *name, struct query_value *out)
{
	struct view_cell cell = {.number = NAN};
	int col = view_column(v, name);

	if (col < 0)
		return false;
	v->cell(ctx, row, (size_t)col, &cell);
	(void)str_copy(out->text, sizeof(out->text), cell.text);
	out->number = cell.number;
	out->second = cell.second;
	out->is_bits = cell.is_bits;
	if (cell.has_number)
		out->type = isnan(cell.number) ? QV_UNKNOWN : QV_NUMBER;
	else
		out->type = cell.text[0] && !str_eq(cell.text, "-") ? QV_TEXT : QV_UNKNOWN;
	return true;
}

size_t view_row_text(
	const struct view_ctx *ctx, const struct view_ops *v, struct ref row, char *dst)
{
	size_t n = 0;

	for (size_t col = 0; col < v->ncolumns && col < TABLE_MAX_COLUMNS; col++) {
		struct view_cell cell = {.number = NAN};
		size_t len;

		v->cell(ctx, row, col, &cell);
		len = strnlen(cell.text, sizeof(cell.text) - 1);
		memcpy(dst + n, cell.text, len);
		n += len;
		dst[n++] = '\n';
	}
	dst[n] = '\0';
	return n;
}

/* ---- filter ---- */

struct row_source {
	const struct view_ctx *ctx;
	const struct view_ops *view;
	struct ref row;
	bool joined; /* text is of this row */
	char text[VIEW_ROW_TEXT];
};

static bool row_field(void *opaque, const char *name, struct query_value *out)
{
	const struct row_source *s = opaque;

	return view_field(s->ctx, s->view, s->row, name, out);
}

static const char *row_text(void *opaque)
{
	struct row_source *s = opaque;

	if (!s->joined)
		(void)view_row_text(s->ctx, s->view, s->row, s->text);
	s->joined = true;
	return s->text;
}

void view_keep_rows(
	const struct view_ctx *ctx, const struct view_ops *v, const struct query *q, row_vec *rows)
{
	struct row_source s = {.ctx = ctx, .view = v};
	struct query_source src = {row_field, row_text, &s};
	size_t kept = 0;

	for (size_t i = 0; i < rows->n; i++) {
		s.row = rows->at[i];
		s.joined = false;
		if (query_match(q, &src))
			rows->at[kept++] = rows->at[i];
	}
	rows->n = kept;
}

/* ---- order ---- */

/*
 * The sort key of a row, so that a cell is computed once and not log n times. It is small, because
 * there may be one for each of 24,000 ports: only rows without a number keep a text.
 */
struct sort_key {
	double number;
	uint32_t order; /* position before sorting */
	uint32_t text;  /* offset in texts */
};
struct row_sort {
	size_t col, n, at; /* at: number of keys computed */
	bool descending;
	row_vec *rows;              /* the caller's */
	row_vec out;                /* the sorted rows */
	struct sort_key *keys, *to; /* of the current pass: sorted runs of width, merged into to */
	VEC(char) texts;
	size_t width, left, right,
		next; /* of the pass: next of either run, and the next output position */
	size_t base;  /* where the two runs begin */
};

/* Rows that are sorted at once. */
#define SORT_RUN ((size_t)1024)

static int compare_rows(const void *pa, const void *pb, void *sorting)
{
	const struct sort_key *a = pa, *b = pb;
	const struct row_sort *s = sorting;
	int way = s->descending ? -1 : 1;
	bool ua = isnan(a->number), ub = isnan(b->number);
	int c;

	/* Rows without a number sort by their text; unknown ones go last in both directions. */
	if (ua && ub) {
		const char *ta = s->texts.at + a->text, *tb = s->texts.at + b->text;
		bool da = str_eq(ta, "-"), db = str_eq(tb, "-");

		if (da != db)
			return da ? 1 : -1;
		c = str_natcmp(ta, tb) * way;
	} else if (ua != ub) {
		return ua ? 1 : -1;
	} else {
		c = (a->number > b->number ? 1 : a->number < b->number ? -1 : 0) * way;
	}
	if (c)
		return c;
	return a->order < b->order ? -1 : 1;
}

static void keep_text(struct row_sort *s, struct sort_key *k, const char *text)
{
	size_t size = strlen(text) + 1;

	k->text = (uint32_t)s->texts.n;
	vec_reserve(&s->texts, s->texts.n + size);
	memcpy(s->texts.at + s->texts.n, text, size);
	s->texts.n += size;
}

struct row_sort *row_sort_new(size_t col, bool descending, row_vec *rows)
{
	struct row_sort *s = mem_calloc(1, sizeof(*s));

	s->col = col;
	s->descending = descending;
	s->rows = rows;
	s->n = rows->n;
	s->keys = mem_calloc(s->n + 1, sizeof(*s->keys));
	return s;
}

void row_sort_free(struct row_sort *s)
{
	if (!s)
		return;
	vec_free(&s->texts);
	free(s->keys);
	free(s->to);
	vec_free(&s->out);
	free(s);
}

static void find_key(
	struct row_sort *s, const struct view_ctx *ctx, const struct view_ops *v, size_t i)
{
	struct view_cell cell = {.number = NAN};
	struct sort_key *k = &s->keys[i];

	v->cell(ctx, s->rows->at[i], s->col, &cell);
	k->order = (uint32_t)i;
	k->number = cell.has_number ? cell.number : NAN;
	if (isnan(k->number))
		keep_text(s, k, cell.text);
}

static size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void begin_pass(struct row_sort *s)
{
	s->base = s->left = s->next = 0;
	s->right = smaller_of(s->width, s->n);
}

static void end_pass(struct row_sort *s)
{
	struct sort_key *was = s->keys;

	s->keys = s->to;
	s->to = was;
	s->width *= 2;
	begin_pass(s);
}

/* Merges runs of width into runs of twice the width, most rows in a call; true: all is one run. */
static bool merge_runs(struct row_sort *s, size_t most)
{
	while (s->width < s->n) {
		size_t middle = smaller_of(s->base + s->width, s->n);
		size_t end = smaller_of(s->base + 2 * s->width, s->n);

		while (s->left < middle || s->right < end) {
			bool left = s->right >= end ||
				    (s->left < middle && compare_rows(&s->keys[s->left],
								 &s->keys[s->right], s) < 0);

			if (!most--)
				return false;
			s->to[s->next++] = s->keys[left ? s->left++ : s->right++];
		}
		s->base = s->left = end;
		s->right = smaller_of(end + s->width, s->n);
		if (s->base == s->n)
			end_pass(s);
	}
	return true;
}

/* Copies most rows in a call; true: all of them. */
static bool put_in_order(struct row_sort *s, size_t most)
{
	row_vec was = *s->rows;

	vec_reserve(&s->out, s->n);
	for (; s->out.n < s->n && most > 0; most--) {
		struct ref r = was.at[s->keys[s->out.n].order];

		vec_push(&s->out, r);
	}
	if (s->out.n < s->n)
		return false;
	*s->rows = s->out;
	s->out = was;
	return true;
}

bool row_sort_some(struct row_sort *s, const struct view_ctx *ctx, const struct view_ops *v)
{
	size_t from = s->at;

	while (s->at < s->n && s->at < from + ROW_SORT_PIECE) {
		find_key(s, ctx, v, s->at++);
		if (s->at % SORT_RUN == 0 || s->at == s->n) {
			size_t run = (s->at - 1) / SORT_RUN * SORT_RUN;

			qsort_r(&s->keys[run], s->at - run, sizeof(*s->keys), compare_rows, s);
		}
	}
	if (s->at < s->n)
		return false;
	if (!s->width && s->n > SORT_RUN)
		s->to = mem_calloc(s->n, sizeof(*s->to));
	if (!s->width) {
		s->width = SORT_RUN;
		begin_pass(s);
	}
	if (!merge_runs(s, 16 * ROW_SORT_PIECE))
		return false;
	return put_in_order(s, 16 * ROW_SORT_PIECE);
}

void view_sort_rows(const struct view_ctx *ctx, const struct view_ops *v, size_t col,
	bool descending, row_vec *rows)
{
	struct row_sort *s;

	if (rows->n < 2)
		return;
	s = row_sort_new(col, descending, rows);
	while (!row_sort_some(s, ctx, v))
		;
	row_sort_free(s);
}
