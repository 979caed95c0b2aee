/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drops on a lossless priority that PFC should have prevented, and RDMA outside the lossless
 * priorities: diagnosis reference, section 4, classes 18 to 20.
 */
#include <math.h>

#include "diagnosis/evidence/congestion.h"
#include "fabric/vocabulary/counters.h"

/* A port that never pauses its peer while it drops. */
#define NO_PAUSE 0.0005F
/* Drops although the NIC gets pauses: shorter pauses may coincide with a drop by chance. */
#define HOLDS_LEAST 0.05F
/* Section 4, class 18: "bytes on a priority where peers have none": most NICs are right. */
#define WRONG_MOST 0.3

static bool watchdog_or_link(const struct sample *s)
{
	/* Trap 15: loss while a watchdog acts is the watchdog's; a link that is down drops as
	 * well. */
	return s->watchdog_drops > 0 || s->flaps || s->down_drops > 0;
}

/* Its buffers fill up, and its siblings send pauses: reference, section 4, class 19. */
static bool siblings_hold(const struct diag_run *r, const struct port *p)
{
	const struct device *d = model_dev_of(r->m, p);

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct sample *s = window_last(r->w, d->ports.at[i]);

		if (d->ports.at[i] != p->id && s && s->holds > PAUSE_HELD_LEAST)
			return true;
	}
	return false;
}

static void claim_pfc_off(struct diag_run *r, const struct port *p, const struct sample *s,
	const struct port *peer, double drops)
{
	struct finding *f = diag_claim(r, FIND_PFC_OFF, at_port(p->id));

	if (peer)
		f->peer = at_port(peer->id);
	finding_number(f, f->at, "pg_drops", drops, "/s", "= 0", "counter");
	finding_number(f, f->at, "time that it pauses its peer", (double)s->holds * 100, "%",
		"> 0%", "counter");
	finding_weigh(f, SIGNAL_LOSS, 60);
	if (siblings_hold(r, p)) {
		finding_text(f, at_device(p->device), "other ports of the switch",
			"pause their peers", "counter");
		finding_weigh(f, SIGNAL_PAUSE, 20);
	}
	if (p->pfc_enabled & 1U << 8 && !(p->pfc_enabled & lossless_priorities(&r->m->lossless))) {
		finding_text(f, f->at, "PFC", "off on the lossless priority", "config");
		finding_weigh(f, SIGNAL_CONFIG, 100);
	}
	finding_refute(f, FIND_NIC_IGNORES_PFC, f->at, "the port never paused its peer");
}

static void claim_ignored(struct diag_run *r, const struct port *p, const struct sample *s,
	const struct port *peer, double drops)
{
	struct finding *f = diag_claim(r, FIND_NIC_IGNORES_PFC, at_port(peer->id));

	f->peer = at_port(p->id);
	finding_number(f, f->peer, "pg_drops", drops, "/s", "= 0", "counter");
	finding_number(f, f->peer, "time that it pauses the NIC", (double)s->holds * 100, "%", "",
		"counter");
	finding_number(f, f->peer, "load received meanwhile", (double)s->rx_util * 100, "%", "",
		"counter");
	finding_text(f, at_device(p->device), "other ports of the switch",
		"pause their peers and drop nothing", "counter");
	finding_weigh(f, SIGNAL_LOSS, 100);
	finding_weigh(f, SIGNAL_PAUSE, 20);
	finding_refute(f, FIND_PFC_OFF, f->peer, "the port pauses its NIC");
}

/* When several ports drop, the buffers are too small or badly set; a single port points to its
 * NIC. */
static bool drops_alone(const struct diag_run *r, const struct port *p)
{
	const struct device *d = model_dev_of(r->m, p);
	uint8_t lossless = lossless_priorities(&r->m->lossless);

	for (size_t i = 0; i < d->ports.n; i++)
		if (d->ports.at[i] != p->id &&
			port_rate_prios(r->m->ports.at[d->ports.at[i]], CTR_PG_DROPS, lossless) > 0)
			return false;
	return true;
}

/* A port that paused its peer a moment ago does send PFC. */
static bool paused_before(const struct diag_run *r, uint32_t port)
{
	for (unsigned ago = 1; ago < WINDOW_SAMPLES; ago++) {
		const struct sample *s = window_ago(r->w, port, ago);

		if (s && s->holds > NO_PAUSE)
			return true;
	}
	return false;
}

static void judge_drops(struct diag_run *r, const struct port *p, const struct sample *s)
{
	const struct port *peer = port_peer(r->m, p, NULL);
	double drops = port_rate_prios(p, CTR_PG_DROPS, lossless_priorities(&r->m->lossless));
	bool nic = peer && model_dev_of(r->m, peer)->tier == TIER_HOST;

	if (!(drops > 0) || watchdog_or_link(s) || isnan(s->holds))
		return;
	if (s->holds <= NO_PAUSE && !paused_before(r, p->id))
		claim_pfc_off(r, p, s, peer, drops);
	else if (nic && s->holds > HOLDS_LEAST && drops_alone(r, p))
		claim_ignored(r, p, s, peer, drops);
}

void congestion_losses(struct diag_run *r)
{
	for (uint32_t i = window_marked(r->w, WINDOW_LOSING, 0); i != PORT_NONE;
		i = window_marked(r->w, WINDOW_LOSING, i + 1)) {
		const struct port *p = r->m->ports.at[i];
		const struct sample *s = window_last(r->w, i);

		if (s && !p->merged && s->lossless_drops > 0 &&
			model_dev_of(r->m, p)->tier != TIER_HOST)
			judge_drops(r, p, s);
	}
}

/* ---- RDMA on a priority that may drop ---- */

static unsigned wrong_nics(struct diag_run *r, const struct device *d, uint32_t *first)
{
	unsigned n = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct sample *s = window_last(r->w, p->id);

		if (!s || p->merged || !congestion_sends_lossy(p, s))
			continue;
		if (!n++)
			*first = p->id;
	}
	return n;
}

static void claim_wrong(struct diag_run *r, const struct device *d, unsigned n, uint32_t first)
{
	struct finding *f =
		diag_claim(r, FIND_WRONG_DSCP, n > 1 ? at_device(d->id) : at_port(first));

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct sample *s = window_last(r->w, p->id);

		if (!s || p->merged || !congestion_sends_lossy(p, s))
			continue;
		vec_push(&f->members, at_port(p->id));
		finding_number(f, at_port(p->id), "sent on priorities that may drop",
			(double)s->other_tx_bps / 1e9, "Gb/s", "0, as at its siblings", "counter");
	}
	finding_weigh(f, SIGNAL_LOAD, 150);
}

void congestion_wrong_priority(struct diag_run *r, const struct congestion *c)
{
	const struct congestion_memory *mem = *r->memory;

	/* When many NICs do so, the fabric is run that way: the plan's priority is wrong, not the
	 * NICs. */
	if (!c->nics_wrong || c->nics_wrong > WRONG_MOST * c->nics)
		return;
	for (size_t i = 0; i < mem->parts.n; i++) {
		const struct device *d = r->m->devices.at[i];
		uint32_t first = PORT_NONE;
		unsigned n = mem->parts.at[i].lossy ? wrong_nics(r, d, &first) : 0;

		if (n)
			claim_wrong(r, d, n, first);
	}
}
