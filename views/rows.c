/* SPDX-License-Identifier: Apache-2.0 */
#include "views/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Other names of columns: a counter's family, a dot, and what is asked of it. */
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

static bool known(void *ctx, const char *name)
{
	return view_column(ctx, name) >= 0;
}

bool view_query_check(const struct view_ops *v, const struct query *q, struct err *err)
{
	char names[320];

	view_column_names(v, names, sizeof(names));
	return query_check(q, known, (void *)v, names, err);
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
 * What a row is sorted by, so that a cell is computed once and not log n times. Small, for there
 * may be one for each of 24,000 ports: a text is kept only of rows without a number.
 */
struct sort_key {
	double number;
	uint32_t order; /* place before */
	uint32_t text;  /* where in the texts */
};
struct sorting {
	bool descending;
	VEC(char) texts;
};

static int compare_rows(const void *pa, const void *pb, void *sorting)
{
	const struct sort_key *a = pa, *b = pb;
	const struct sorting *s = sorting;
	int way = s->descending ? -1 : 1;
	bool ua = isnan(a->number), ub = isnan(b->number);
	int c;

	/* Rows without a number sort by their text; the unknown go last, whichever way. */
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

static void keep_text(struct sorting *s, struct sort_key *k, const char *text)
{
	size_t size = strlen(text) + 1;

	k->text = (uint32_t)s->texts.n;
	vec_reserve(&s->texts, s->texts.n + size);
	memcpy(s->texts.at + s->texts.n, text, size);
	s->texts.n += size;
}

void view_sort_rows(const struct view_ctx *ctx, const struct view_ops *v, size_t col,
	bool descending, row_vec *rows)
{
	struct sorting s = {.descending = descending};
	struct sort_key *keys;
	struct ref *was;

	if (rows->n < 2)
		return;
	keys = mem_calloc(rows->n, sizeof(*keys));
	was = mem_calloc(rows->n, sizeof(*was));
	memcpy(was, rows->at, rows->n * sizeof(*was));
	for (size_t i = 0; i < rows->n; i++) {
		struct view_cell cell = {.number = NAN};

		v->cell(ctx, was[i], col, &cell);
		keys[i].order = (uint32_t)i;
		keys[i].number = cell.has_number ? cell.number : NAN;
		if (isnan(keys[i].number))
			keep_text(&s, &keys[i], cell.text);
	}
	qsort_r(keys, rows->n, sizeof(*keys), compare_rows, &s);
	for (size_t i = 0; i < rows->n; i++)
		rows->at[i] = was[keys[i].order];
	vec_free(&s.texts);
	free(keys);
	free(was);
}
