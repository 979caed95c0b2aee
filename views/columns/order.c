/* SPDX-License-Identifier: Apache-2.0 */
#include "views/columns/order.h"

#include <math.h>

#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* Per cent of time: below it a pause is the safety net at work (the reference's warning limit). */
#define PAUSED_LEAST 1.0

struct sums {
	double marks, packets;
};

/* Of the queue; of the whole port where its queues are not counted: most of them are lossless. */
static double packets_of(const struct port *p, unsigned prio)
{
	double packets = port_rate(p, CTR_QUEUE_TX_PACKETS, prio);

	return isnan(packets) ? port_rate(p, CTR_TX_PACKETS, 0) : packets;
}

/* Packets of the lossless queues, and those that were marked; of queues that count both. */
static void add_marks(const struct model *m, const struct port *p, struct sums *s)
{
	uint8_t mask = lossless_priorities(&m->lossless);

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		double marks = port_rate(p, CTR_ECN_MARKED_PACKETS, prio);
		double packets = packets_of(p, prio);

		if (!(mask >> prio & 1) || isnan(marks) || isnan(packets))
			continue;
		s->marks += marks;
		s->packets += packets;
	}
}

static double share_of(const struct sums *s, bool any)
{
	if (!any)
		return (double)NAN;
	return s->packets > 0 ? fmin(100 * s->marks / s->packets, 100) : 0;
}

static bool counts_marks(const struct model *m, const struct port *p)
{
	unsigned prio = (unsigned)__builtin_ctz(lossless_priorities(&m->lossless));

	return !isnan(port_rate(p, CTR_ECN_MARKED_PACKETS, prio)) && !isnan(packets_of(p, prio));
}

struct order order_of_port(const struct model *m, const struct port *p)
{
	struct paused held = port_paused_max(p, lossless_priorities(&m->lossless), DIR_RX);
	struct sums s = {0};

	add_marks(m, p, &s);
	return (struct order){.marked = share_of(&s, counts_marks(m, p)),
		.paused = held.percent,
		.bound = held.upper_bound};
}

struct order order_of_device(const struct model *m, const struct device *d)
{
	struct order o = {.paused = (double)NAN};
	double paused = 0;
	unsigned n = 0;
	struct sums s = {0};
	bool any = false;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];
		struct paused holds;

		if (p->merged || p->oper != OPER_UP)
			continue;
		holds = port_paused_max(p, lossless_priorities(&m->lossless), DIR_TX);
		add_marks(m, p, &s);
		any |= counts_marks(m, p);
		if (isnan(holds.percent))
			continue;
		paused += holds.percent;
		o.bound |= holds.upper_bound && holds.percent > 0;
		n++;
	}
	o.marked = share_of(&s, any);
	if (n)
		o.paused = paused / n;
	return o;
}

enum order_kind order_kind(struct order o)
{
	if (isnan(o.paused) || (isnan(o.marked) && o.paused < ORDER_NOTHING))
		return ORDER_UNKNOWN;
	if (isnan(o.marked))
		return ORDER_PFC_UNKNOWN;
	if (o.paused < ORDER_NOTHING)
		return o.marked < ORDER_NOTHING ? ORDER_QUIET : ORDER_ECN;
	if (o.marked < ORDER_NOTHING && o.paused >= PAUSED_LEAST)
		return ORDER_PFC_ALONE;
	return o.paused > o.marked && o.paused >= PAUSED_LEAST ? ORDER_PFC_FIRST : ORDER_ECN_FIRST;
}
