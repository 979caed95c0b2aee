/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "views/console_private.h"

/* One line a cell, so that a search never finds what lies across two of them. */
static size_t cells_join(
	const struct view_ctx *ctx, const struct view_ops *view, struct ref row, char *dst)
{
	size_t n = 0;

	for (size_t col = 0; col < view->ncolumns && col < TABLE_MAX_COLUMNS; col++) {
		struct view_cell cell = {.number = NAN};
		size_t len;

		view->cell(ctx, row, col, &cell);
		len = strnlen(cell.text, sizeof(cell.text) - 1);
		memcpy(dst + n, cell.text, len);
		n += len;
		dst[n++] = '\n';
	}
	dst[n] = '\0';
	return n;
}

const char *page_text(struct page *p, const struct view_ctx *ctx, size_t i, struct ref row)
{
	char joined[TABLE_MAX_COLUMNS * (TABLE_CELL_TEXT + 1) + 1];
	uint64_t key = ref_key(row), stamp = p->view->stamp ? p->view->stamp(ctx, row) : 0;
	struct row_text *t;
	size_t len;

	while (p->texts.n <= i)
		(void)vec_add(&p->texts);
	t = &p->texts.at[i];
	if (t->text && stamp && t->stamp == stamp && t->key == key)
		return t->text;
	len = cells_join(ctx, p->view, row, joined);
	if (!t->text || len >= t->size) {
		t->size = len + 1;
		t->text = mem_realloc(t->text, t->size, 1);
	}
	memcpy(t->text, joined, len + 1);
	t->key = key;
	t->stamp = stamp;
	return t->text;
}

void page_texts_free(struct page *p)
{
	for (size_t i = 0; i < p->texts.n; i++)
		free(p->texts.at[i].text);
	vec_free(&p->texts);
}
