/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drops on a lossless priority: one packet breaks the contract (thresholds table "Lossless-prio
 * drop"). What the PFC watchdog drops is the watchdog's (trap 15), and tail drops of other
 * priorities are how those are meant to work.
 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"

/* A packet in twenty seconds is still seen as one: slower than that is rounding (ours). */
#define RATE_MIN 0.05

struct drops {
	unsigned prio;
	double queue, group, nic, watchdog;
};

static double drops_of(const struct drops *d)
{
	return fmax(fmax(d->queue, d->group), d->nic);
}

static struct drops worst_priority(const struct model *m, const struct port *p)
{
	uint8_t mask = lossless_priorities(&m->lossless);
	struct drops worst = {.prio = PRIORITIES};

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		struct drops d = {prio,
			fmax(port_rate(p, CTR_QUEUE_DROPS, prio),
				port_rate(p, CTR_WRED_DROPS, prio)),
			port_rate(p, CTR_PG_DROPS, prio), port_rate(p, CTR_RX_PRIO_DISCARDS, prio),
			port_rate(p, CTR_PFCWD_DROPS, prio)};

		if (!(mask & 1U << prio) || !(drops_of(&d) > RATE_MIN))
			continue;
		if (worst.prio == PRIORITIES || drops_of(&d) > drops_of(&worst))
			worst = d;
	}
	return worst;
}

static void number(struct finding *f, const char *what, double v, const char *threshold)
{
	if (!isnan(v))
		(void)finding_number(f, f->at, what, v, "/s", threshold, "counter");
}

static const char *where(const struct drops *d)
{
	if (d->group > RATE_MIN)
		return "on arrival, the priority group was full";
	return d->nic > RATE_MIN ? "in the NIC's receive buffer" : "at the egress queue";
}

static void judge_port(struct diag_run *r, const struct port *p)
{
	const struct sample *s = window_last(r->w, p->id);
	const struct port *peer;
	struct finding *f;
	struct drops d;

	/* The window knows what was refreshed and what is merely held. */
	if (!s || !((double)s->lossless_drops > RATE_MIN))
		return;
	d = worst_priority(r->m, p);
	if (d.prio == PRIORITIES)
		return;
	/* Where queues count what the watchdog drops, there is nothing beside it. */
	if (d.watchdog > 0 && d.watchdog >= drops_of(&d) * 0.9)
		return;
	peer = port_peer(r->m, p, NULL);
	f = diag_claim(r, FIND_LOSSLESS_DROP, at_priority(p->id, d.prio));
	if (peer)
		f->peer = at_port(peer->id);
	number(f, "queue_drops", d.queue, "0");
	number(f, "pg_drops", d.group, "0");
	number(f, "rx_prio_discards", d.nic, "0");
	number(f, "pfcwd_drops", d.watchdog, "not counted here");
	finding_weigh(f, SIGNAL_LOSS, 50);
	if (!(d.watchdog > 0))
		finding_refute(f, FIND_WATCHDOG_FIRED, f->at, "no drops of the watchdog here");
	finding_title(
		f, "%.3g drops/s on lossless priority %u: %s", drops_of(&d), d.prio, where(&d));
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++)
		judge_port(r, r->m->ports.at[d->ports.at[i]]);
}

static void run(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_drops = {"drops", run, NULL, NULL, NULL};
