/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/news.h"

void news_add(struct news *n, uint32_t device, int64_t at_us)
{
	while (n->of.n <= device)
		vec_push(&n->of, 0);
	if (!n->of.at[device]) {
		vec_push(&n->items, (struct news_item){device, at_us});
		n->of.at[device] = (uint32_t)n->items.n;
	}
	n->items.at[n->of.at[device] - 1].at_us = at_us;
}

void news_note(struct news *n, struct diag *d, const struct model *m)
{
	for (size_t i = 0; i < n->items.n; i++) {
		diag_note(d, m, n->items.at[i].device, n->items.at[i].at_us);
		n->of.at[n->items.at[i].device] = 0;
	}
	n->items.n = 0;
}

void news_free(struct news *n)
{
	vec_free(&n->items);
	vec_free(&n->of);
}
