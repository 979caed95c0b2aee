/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "emulator/sim/sim_internal.h"

/* The wire: link state, and the bit errors that forward error correction sees. */

/* RS(544,514) over 10-bit symbols (IEEE 802.3 clause 119, "KP4"): repairs up to 15 of them. */
#define CODEWORD_SYMBOLS 544.0
#define SYMBOL_BITS      10.0
#define REPAIRABLE       15
/* Codewords that one packet of 4,166 bytes touches; any lost one damages the packet. */
#define CODEWORDS_A_PACKET 7.1
#define NO_LOSS            1e-15 /* share of codewords: less than one per month at 400G */

/* The last codewords before the receiver loses lock cannot be corrected. */
static void last_words(struct sim *s, const struct sim_port *p)
{
	uint64_t h = sim_hash((uint64_t)(p - s->port), p->carrier_down);

	sim_bump(s, p, S_FEC_UNCORRECTABLE, 4 + (double)(h % 12));
	sim_bump(s, p, S_FEC_BIN16, 4 + (double)(h % 12));
	sim_bump(s, p, S_RX_SYMBOL, 2);
	sim_bump(s, p, S_RX_FCS, 1);
	sim_bump(s, p, S_RX_ERRORS, 1);
}

static void update_link(struct sim *s, struct sim_port *p)
{
	const struct knobs *mine = &sim_state(s, p)->k;
	const struct knobs *theirs = p->peer ? &sim_state(s, p->peer)->k : mine;
	bool up = p->peer && p->config.admin_up && p->peer->config.admin_up && !mine->down &&
		  !theirs->down;

	p->speed_mbps = p->plan_mbps / (mine->slow || theirs->slow ? 2 : 1);
	if (p->tier == TIER_HOST)
		p->nic.pcie_width = p->nic.pcie_width_max / (mine->pcie_narrow ? 4 : 1);
	if (up == p->up)
		return;
	p->up = up;
	p->last_change_us = s->now;
	sim_log_add(s, sim_device_of(s, p), p, up ? SIM_LOG_LINK_UP : SIM_LOG_LINK_DOWN, 0, "");
	if (up) {
		p->carrier_up++;
	} else {
		p->carrier_down++;
		last_words(s, p);
	}
}

/* A dirty lane has its own ratio; the others share the rest, each by its specimen. */
static void spread_lanes(const struct sim *s, const struct sim_port *p, double bits)
{
	struct port_state *st = sim_state(s, p);
	double weight[8], sum = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t h = sim_hash(s->o.seed ^ 0x1a9e, (uint64_t)(p - s->port) * 8 + i);

		weight[i] = i < p->lanes ? 0.5 + sim_unit(h) : 0;
		if (i == 2 && st->k.lane_loss_db > 0)
			weight[i] *= pow(10, st->k.lane_loss_db);
		sum += weight[i];
	}
	for (unsigned i = 0; i < 8; i++)
		st->rate[S_LANE_BITS0 + i] = sum > 0 ? bits * weight[i] / sum : 0;
}

/* Errors fall on symbols independently: their number in a codeword is Poisson. */
static void set_fec_rates(const struct sim *s, const struct sim_port *p, double ber, double speed)
{
	struct port_state *st = sim_state(s, p);
	double words = speed / (CODEWORD_SYMBOLS * SYMBOL_BITS);
	double mean = CODEWORD_SYMBOLS * (1 - pow(1 - ber, SYMBOL_BITS));
	double share = exp(-mean), rest = 1, repaired = 0, symbols = 0;

	for (unsigned k = 0; k <= REPAIRABLE; k++) {
		st->rate[S_FEC_BIN0 + k] = words * share;
		rest -= share;
		repaired += k ? share : 0;
		symbols += k * share;
		share *= mean / (k + 1);
	}
	/* The rest of a sum near 1 is noise: its first term and a geometric tail are exact. */
	rest = mean < 8 ? share / (1 - mean / (REPAIRABLE + 2)) : fmax(rest, 0);
	st->rate[S_FEC_BIN16] = st->rate[S_FEC_UNCORRECTABLE] = words * rest;
	st->rate[S_FEC_CORRECTED] = words * repaired;
	st->rate[S_FEC_SYMBOLS] = words * symbols;
	st->rate[S_FEC_BITS] = words * symbols * (ber > 0 ? speed / words * ber / mean : 1);
	st->line_loss = rest < NO_LOSS ? 0 : fmin(rest * CODEWORDS_A_PACKET, 1);
	spread_lanes(s, p, st->rate[S_FEC_BITS]);
}

static void update_line(struct sim *s, const struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);
	double ber = fmin(st->ber + st->k.ber, 0.1), speed = p->up ? p->speed_mbps * 1e6 : 0;

	/* lane_loss_db moves errors between lanes; it changes only together with the ratio. */
	if (ber == st->fec_ber && speed == st->fec_speed)
		return;
	sim_rebase_line(s, p);
	st->fec_ber = ber;
	st->fec_speed = speed;
	if (speed > 0) {
		set_fec_rates(s, p, ber, speed);
		return;
	}
	memset(&st->rate[SLOT_LINE], 0, (SLOT_COUNT - SLOT_LINE) * sizeof(st->rate[0]));
	st->line_loss = 0;
}

void sim_lines_settle(struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++)
		update_link(s, &s->port[i]);
	for (size_t i = 0; i < s->nports; i++)
		update_line(s, &s->port[i]);
}
