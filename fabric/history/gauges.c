/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/history/gauges.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fabric/history/history_internal.h"
#include "fabric/vocabulary/counters.h"

struct gauge_series {
	int64_t newest; /* step of the newest reading */
	uint16_t cell, used;
	float at[GAUGE_STEPS]; /* of step s in s % GAUGE_STEPS */
};
_Static_assert(sizeof(struct gauge_series) <= GAUGE_BYTES, "the budget counts in these");

bool gauge_charted(counter_id id)
{
	if (id >= COUNTER_COUNT || id == CTR_PCIE_WIDTH || id == CTR_PCIE_SPEED_MTPS)
		return false;
	return counter_info[id].kind == KIND_GAUGE || counter_info[id].kind == KIND_PEAK;
}

static struct gauge_series *find(const struct gauge_list *l, uint16_t cell)
{
	for (size_t i = 0; i < l->of.n; i++)
		if (l->of.at[i]->cell == cell)
			return l->of.at[i];
	return NULL;
}

/* Most priorities have no queue: theirs begin with the first reading that is not 0. */
static struct gauge_series *series_of(
	struct history_store *h, uint32_t port, uint16_t cell, double value)
{
	struct gauge_series *s;

	while (h->gauges.n <= port)
		vec_push(&h->gauges, (struct gauge_list){0});
	s = find(&h->gauges.at[port], cell);
	if (s || h->gauge_bytes + GAUGE_BYTES > GAUGE_BUDGET)
		return s;
	if (counter_info[counter_of_cell(cell, NULL)].dim == DIM_PRIO && !(value > 0))
		return NULL;
	h->gauge_bytes += GAUGE_BYTES;
	s = mem_calloc(1, sizeof(*s));
	s->cell = cell;
	vec_push(&h->gauges.at[port].of, s);
	return s;
}

/* Fills the steps up to this one: with the reading before it, unless that is too old. */
static void advance(struct gauge_series *s, int64_t step)
{
	int64_t from = s->newest + 1, gone = step - s->newest;
	float last = s->at[s->newest % GAUGE_STEPS];

	if (gone * HISTORY_STEP_US > GAUGE_HOLD_US)
		last = NAN;
	if (from < step - (int64_t)GAUGE_STEPS)
		from = step - (int64_t)GAUGE_STEPS;
	for (; from < step; from++)
		s->at[from % GAUGE_STEPS] = last;
	s->used = gone + s->used < (int64_t)GAUGE_STEPS ? (uint16_t)(gone + s->used) : GAUGE_STEPS;
}

void gauge_note(struct history_store *h, uint32_t port, uint16_t cell, double value, int64_t at_us)
{
	int64_t step = at_us / HISTORY_STEP_US;
	struct gauge_series *s;

	if (at_us <= 0 || !gauge_charted(counter_of_cell(cell, NULL)))
		return;
	s = series_of(h, port, cell, value);
	/* A clock that went back would rewrite what was seen. */
	if (!s || (s->used && step < s->newest))
		return;
	if (!s->used)
		s->used = 1;
	else if (step > s->newest)
		advance(s, step);
	s->newest = step;
	s->at[step % GAUGE_STEPS] = (float)value;
}

static const struct gauge_series *known(
	const struct model *m, const struct port *p, counter_id id, unsigned sub)
{
	const struct history_store *h = m->history;

	if (p->id >= h->gauges.n || sub >= counter_dim_size(id))
		return NULL;
	return find(&h->gauges.at[p->id], counter_cell(id, sub));
}

bool gauge_known(const struct model *m, const struct port *p, counter_id id, unsigned sub)
{
	return known(m, p, id, sub) != NULL;
}

static double reading(const struct gauge_series *s, int64_t at_us)
{
	int64_t step = at_us / HISTORY_STEP_US;

	if (step > s->newest || step <= s->newest - s->used)
		return NAN;
	return (double)s->at[step % GAUGE_STEPS];
}

bool gauge_columns(const struct model *m, const struct port *p, counter_id id, unsigned sub,
	int64_t end_us, int64_t width_us, struct history_column *out, unsigned n)
{
	const struct gauge_series *s = known(m, p, id, sub);

	for (unsigned i = 0; i < n; i++) {
		int64_t at = end_us - (int64_t)(n - 1 - i) * width_us - 1;
		float v = s && at > 0 ? (float)reading(s, at) : NAN;

		/* The newest reading of a wide column is the one that counts, if there is any. */
		for (int64_t back = at; s && isnan(v) && back > at - width_us && back > 0;
			back -= HISTORY_STEP_US)
			v = (float)reading(s, back);
		out[i] = (struct history_column){v, v, v, isnan(v), true};
	}
	return s != NULL;
}

void gauges_free(struct history_store *h)
{
	for (size_t i = 0; i < h->gauges.n; i++) {
		for (size_t k = 0; k < h->gauges.at[i].of.n; k++)
			free(h->gauges.at[i].of.at[k]);
		vec_free(&h->gauges.at[i].of);
	}
	vec_free(&h->gauges);
}
