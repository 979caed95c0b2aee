/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/changed_devices.h"

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

bool news_note_some(struct news *n, struct diag *d, const struct model *m, size_t ports)
{
	size_t looked = 0;

	while (n->noted < n->items.n && looked < ports) {
		const struct news_item *it = &n->items.at[n->noted++];

		diag_note(d, m, it->device, it->at_us);
		n->of.at[it->device] = 0;
		looked += 1 + m->devices.at[it->device]->ports.n;
	}
	if (n->noted < n->items.n)
		return false;
	n->items.n = n->noted = 0;
	return true;
}

void news_note(struct news *n, struct diag *d, const struct model *m)
{
	(void)news_note_some(n, d, m, SIZE_MAX);
}

void news_free(struct news *n)
{
	vec_free(&n->items);
	vec_free(&n->of);
}
