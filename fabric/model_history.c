/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fabric/model_internal.h"

struct history *history_add(struct port *p, struct cell *c, uint16_t cell)
{
	struct history *h;

	/* Exact growth: a ring is half a kilobyte, and doubling would waste as much again. */
	if (p->histories.n == p->histories.size) {
		p->histories.size += 2;
		p->histories.at =
			mem_realloc(p->histories.at, p->histories.size, sizeof(*p->histories.at));
	}
	h = &p->histories.at[p->histories.n++];
	memset(h, 0, sizeof(*h));
	h->cell = cell;
	c->chart = (uint8_t)p->histories.n;
	return h;
}

static void push(struct history *h, float rate)
{
	h->at[h->next] = rate;
	h->next = (uint16_t)((h->next + 1) % HISTORY_LEN);
	h->pushed++;
	if (h->used < HISTORY_LEN)
		h->used++;
}

void history_push(struct port *p, struct cell *c, uint16_t cell, float rate)
{
	enum counter_id id = counter_of_cell(cell, NULL);
	struct history *h;

	if (!c->chart) {
		/* Most priorities never carry anything: their rings start with the first movement,
		 * after one zero that shows where it came from. */
		if (!counter_charted(id) || isnan(rate))
			return;
		if (!(rate > 0) && id != CTR_RX_BYTES && id != CTR_TX_BYTES)
			return;
		h = history_add(p, c, cell);
		if (rate > 0 && counter_info[id].dim == DIM_PRIO)
			push(h, 0);
	} else {
		h = &p->histories.at[c->chart - 1];
	}
	/* One gap is one gap, however long it lasts. */
	if (isnan(rate) && h->used && isnan(h->at[(h->next + HISTORY_LEN - 1) % HISTORY_LEN]))
		return;
	push(h, rate);
}

const struct history *port_history(const struct port *p, enum counter_id id, unsigned sub)
{
	const struct cell *c = port_cell(p, id, sub);

	return c && c->chart ? &p->histories.at[c->chart - 1] : NULL;
}
