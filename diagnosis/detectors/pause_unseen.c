/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/detectors/pause_internal.h"
#include "fabric/ref.h"

/*
 * A NIC that pauses its leaf, where nobody reads the leaf: a tenant without switches, or a leaf
 * that is silent. Its own counters of sent pauses tell what the leaf's would.
 */

/* As for a NIC that an unseen leaf holds. */
#define UNSEEN_HOLDS 0.05F
/* Diagnosis reference, table of thresholds: share of time paused by a NIC. */
#define NIC_CRIT  0.10F
#define NIC_STORM 0.90F
/* Load that still passes in a storm: next to none. */
#define STORM_UTIL 0.02F

static void leaf_name(const struct port *p, char *dst, size_t size)
{
	if (p->lldp_device[0])
		(void)str_printf(dst, size, "%s:%s (LLDP)", p->lldp_device, p->lldp_port);
	else
		(void)str_copy(dst, size, "its leaf");
}

/* A claim of more than one poll: samples before the newest that show the same. */
static int64_t holds_since(const struct diag_run *r, uint32_t port, int64_t now_us)
{
	const struct sample *s;

	for (unsigned k = 0; k < WINDOW_SAMPLES; k++) {
		s = window_ago(r->w, port, k);
		if (!s || !(s->holds >= UNSEEN_HOLDS))
			break;
		now_us = s->at_us;
	}
	return now_us;
}

static void judge_nic(struct diag_run *r, const struct port *p, const struct sample *s)
{
	bool storm = s->holds >= NIC_STORM && s->rx_util < STORM_UTIL;
	char where[96] = "", leaf[2 * NAME_MAX_LEN + 16];
	struct finding *f;

	if (diag_claimed(r, FIND_PFC_STORM, at_port(p->id)) ||
		diag_claimed(r, FIND_SLOW_RECEIVER, at_port(p->id)) ||
		diag_claimed(r, FIND_PCIE_BOUND, at_port(p->id)))
		return;
	f = diag_claim(r, storm ? FIND_PFC_STORM : FIND_SLOW_RECEIVER, at_port(p->id));
	(void)ref_format(r->m, f->at, where, sizeof(where));
	leaf_name(p, leaf, sizeof(leaf));
	finding_title(f,
		storm ? "PFC storm from %s: it pauses %s %.0f%% of the time, and receives nothing"
		      : "%s receives less than its link delivers: it pauses %s %.0f%% of the time",
		where, leaf, (double)s->holds * 100);
	if (s->holds < NIC_CRIT)
		f->severity = SEV_WARN;
	(void)finding_number(f, at_priority(p->id, s->holds_prio), "pfc_tx_duration_us",
		(double)s->holds * 100, "%", "> 5%", "counter");
	if (!isnan(s->rx_util))
		(void)finding_number(f, at_port(p->id), "load received", (double)s->rx_util * 100,
			"%", "below line rate", "counter");
	finding_weigh(f, SIGNAL_PAUSE, storm ? 100 : 1 + 40 * fmin(1, 2 * (double)s->holds));
	f->onset_us = holds_since(r, p->id, s->at_us);
}

void pause_judge_unseen_leaves(struct diag_run *r)
{
	const struct pause_memory *mem = *r->memory;

	for (size_t d = 0; mem && d < mem->unseen.n; d++) {
		const struct device *dev = r->m->devices.at[d];

		for (size_t i = 0; mem->unseen.at[d] && i < dev->ports.n; i++) {
			const struct port *p = r->m->ports.at[dev->ports.at[i]];
			const struct sample *s;

			if (port_is_bond(p) || p->oper == OPER_DOWN || port_peer(r->m, p, NULL))
				continue;
			s = window_last(r->w, p->id);
			/* An upper bound from frames proves no pause of this length. */
			if (s && !s->holds_bound && !s->flaps && s->holds >= UNSEEN_HOLDS)
				judge_nic(r, p, s);
		}
	}
}
