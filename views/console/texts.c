/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"
#include "views/rows.h"

const char *page_text(struct page *p, const struct view_ctx *ctx, size_t i, struct ref row)
{
	char joined[VIEW_ROW_TEXT];
	uint64_t key = ref_key(row), stamp = p->view->stamp ? p->view->stamp(ctx, row) : 0;
	struct row_text *t;
	size_t len;

	while (p->texts.n <= i)
		(void)vec_add(&p->texts);
	t = &p->texts.at[i];
	if (t->text && stamp && t->stamp == stamp && t->key == key)
		return t->text;
	len = view_row_text(ctx, p->view, row, joined);
	if (!t->text || len >= t->size) {
		t->size = len + 1;
		t->text = mem_realloc(t->text, t->size, 1);
	}
	memcpy(t->text, joined, len + 1);
	t->key = key;
	t->stamp = stamp;
	return t->text;
}

void texts_forget(struct console *c)
{
	for (size_t i = 0; i < c->pages.n; i++)
		for (size_t k = 0; k < c->pages.at[i]->texts.n; k++)
			c->pages.at[i]->texts.at[k].stamp = 0;
}

void page_texts_free(struct page *p)
{
	for (size_t i = 0; i < p->texts.n; i++)
		free(p->texts.at[i].text);
	vec_free(&p->texts);
}
