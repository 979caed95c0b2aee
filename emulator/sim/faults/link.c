/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "emulator/sim/faults/fault_effects.h"

/* Cables, transceivers, routes. */

/*
 * Near the limit of RS(544,514): the bit error ratio that goes with a connector that corrupts
 * packets.
 */
#define CORRUPT_BER 1e-4
/*
 * log10 of the pre-FEC bit error ratio against the light that is lost: 1e-9 with all of it, 5e-6 at
 * 3 dB, 1e-4 at 6 dB, the limit of the code (2.4e-4) at about 8 dB. A fit, not a law.
 */
#define BER_FLOOR (-9.0)
#define BER_SPAN  5.8
#define BER_DB    3.0
#define ALARM_DB  6.8 /* light loss at which the module raises its alarm: -6.5 dBm arrive */
#define DIM_HEAT                                                                                   \
	0.5 /* a laser driver that compensates for lost light runs warmer, degrees per dB */

void apply_link(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, down), on);
}

void apply_half(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, slow), on);
}

void apply_one_way(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, one_way), on);
}

static void keep_out(struct sim *s, struct sim_port *p, bool on)
{
	fault_count(s, p, offsetof(struct knobs, one_way), on);
	p->lacp_out += on ? 1U : -1U;
}

void apply_lacp(struct sim *s, struct fault *f, bool on)
{
	keep_out(s, f->port, on);
	if (f->port->plan_peer)
		keep_out(s, f->port->plan_peer, on);
}

void apply_bgp(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, bgp_down), on);
}

void apply_corrupt(struct sim *s, struct fault *f, bool on)
{
	f->part.loss = on ? f->k.loss : 0;
	f->part.ber = on ? CORRUPT_BER : 0;
	fault_settle(s, f);
}

void apply_optic(struct sim *s, struct fault *f, bool on)
{
	double was = f->part.rx_loss_db + f->part.lane_loss_db;
	double db = on ? f->k.db * fault_ramp(f) : 0;
	double ber = on ? pow(10, BER_FLOOR + BER_SPAN * (1 - exp(-db / BER_DB))) : 0;

	f->part.heat_c = DIM_HEAT * db;
	f->part.rx_loss_db = f->k.lane ? 0 : db;
	f->part.lane_loss_db = f->k.lane ? db : 0;
	f->part.ber = f->k.lane ? ber / f->port->lanes : ber;
	fault_settle(s, f);
	if (db > ALARM_DB && was <= ALARM_DB)
		sim_log_add(s, sim_device_of(s, f->port), f->port, SIM_LOG_OPTIC, 0,
			"rx power low warning");
}

/* ---- swapped cables ---- */

static void unplug_cable(struct sim *s, struct sim_port *p)
{
	/* Pulling a cable takes its link down; a cable that was wrong from the start did not
	 * change. */
	if (!p || !p->up || s->now <= s->o.start_us)
		return;
	p->up = false;
	p->carrier_down++;
	p->last_change_us = s->now;
	sim_log_add(s, sim_device_of(s, p), p, SIM_LOG_LINK_DOWN, 0, NULL);
}

static void plug_cable(struct sim *s, struct sim_port *a, struct sim_port *b)
{
	if (a->peer == b)
		return;
	unplug_cable(s, a);
	unplug_cable(s, b);
	a->peer = b;
	b->peer = a;
}

static void swap_ports(struct sim_port **a, struct sim_port **b)
{
	struct sim_port *t = *a;

	*a = *b;
	*b = t;
}

/* Computes where the cables of NICs lead: the plan, then all miswire faults in the order given. */
static void compute_wiring(struct sim *s, struct sim_port **far)
{
	for (size_t i = 0; i < s->nports; i++)
		far[i] = s->port[i].plan_peer;
	for (size_t i = 0; i < s->faults.n; i++) {
		const struct fault *f = &s->faults.at[i];
		unsigned n = (unsigned)f->ports.n;

		if (!f->on || f->class->apply != apply_miswire)
			continue;
		if (f->with) {
			swap_ports(&far[f->port - s->port], &far[f->with - s->port]);
			continue;
		}
		/* A rotation by one, rotate= times, is a row of swaps each. */
		for (unsigned r = 0; r < f->k.rotate % n; r++)
			for (unsigned k = 0; k + 1 < n; k++)
				swap_ports(&far[f->ports.at[k] - s->port],
					&far[f->ports.at[k + 1] - s->port]);
	}
}

void apply_miswire(struct sim *s, struct fault *f, bool on)
{
	struct sim_port **far = mem_calloc(s->nports, sizeof(struct sim_port *));

	(void)f;
	(void)on;
	compute_wiring(s, far);
	for (size_t i = 0; i < s->nports; i++)
		if (s->port[i].tier == TIER_HOST && far[i])
			plug_cable(s, &s->port[i], far[i]);
	free(far);
	s->rewired = true;
}
