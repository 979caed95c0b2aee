/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drops on a lossless priority: one packet breaks the contract (thresholds table "Lossless-prio
 * drop"). Drops by the PFC watchdog belong to the watchdog (trap 15). Tail drops of other
 * priorities are intended.
 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/vocabulary/counters.h"

/* One packet in twenty seconds still counts; a lower rate is rounding (railtop's own). */
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

static void add_number(struct finding *f, const char *what, double v, const char *threshold)
{
	if (!isnan(v))
		(void)finding_number(f, f->at, what, v, "/s", threshold, "counter");
}

static const char *drop_place(const struct drops *d)
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

	/* The sample has the rate only if it was refreshed; the cell may just hold an old one. */
	if (!s || !((double)s->lossless_drops > RATE_MIN))
		return;
	d = worst_priority(r->m, p);
	if (d.prio == PRIORITIES)
		return;
	/* Some queues include the watchdog's drops: then there are no others. */
	if (d.watchdog > 0 && d.watchdog >= drops_of(&d) * 0.9)
		return;
	peer = port_peer(r->m, p, NULL);
	f = diag_claim(r, FIND_LOSSLESS_DROP, at_priority(p->id, d.prio));
	if (peer)
		f->peer = at_port(peer->id);
	add_number(f, "queue_drops", d.queue, "0");
	add_number(f, "pg_drops", d.group, "0");
	add_number(f, "rx_prio_discards", d.nic, "0");
	add_number(f, "pfcwd_drops", d.watchdog, "not counted here");
	finding_weigh(f, SIGNAL_LOSS, 50);
	if (!(d.watchdog > 0))
		finding_refute(f, FIND_WATCHDOG_FIRED, f->at, "the watchdog drops nothing here");
	finding_title(f, "%s drops/s on lossless priority %u: %s", STR_NUMBER(drops_of(&d)), d.prio,
		drop_place(&d));
}

/* A port that is paused that long grants no credit: then the pauses are the cause. */
static void judge_credit(struct diag_run *r, const struct port *p)
{
	double rate = port_rate(p, CTR_CREDIT_WD_DROPS, 0);
	const struct port *peer;
	struct finding *f;

	if (!(rate > RATE_MIN))
		return;
	peer = port_peer(r->m, p, NULL);
	f = diag_claim(r, FIND_VOQ_CREDIT, at_port(p->id));
	if (peer)
		f->peer = at_port(peer->id);
	add_number(f, "credit_wd_drops", rate, "0");
	finding_weigh(f, SIGNAL_LOSS, 50);
	finding_title(f, "%s packets/s for %s are deleted: it grants no credit", STR_NUMBER(rate),
		p->name);
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		judge_port(r, r->m->ports.at[d->ports.at[i]]);
		judge_credit(r, r->m->ports.at[d->ports.at[i]]);
	}
}

static void run_drops(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_drops = {"drops", run_drops, NULL, NULL, NULL};
