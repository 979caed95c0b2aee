/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links that corrupt packets. Errors are counted where packets arrive, but the bad part may be the
 * far transmitter (trap 12). So the far end is named too.
 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/evidence/cells.h"
#include "diagnosis/detectors/link.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* Post-FEC bit errors: above 1e-12 is critical (thresholds table "Post-FEC / CRC"). */
#define POST_FEC_MAX 1e-12
/* Symbol errors after FEC: NVSentinel 10/s; below it the 2-of-3 rule and the other counters
 * decide. */
#define SYMBOLS_MAX 10.0
/* A lower rate is one packet in a poll: the margin rules cover that (railtop's own). */
#define RATE_MIN 0.05

struct errors {
	double fcs, uncorrectable, symbols, post_fec, stomped;
};

static struct errors read_errors(const struct diag_run *r, const struct port *p)
{
	struct errors e = {.fcs = cell_rate(p, CELL_RX_FCS_ERRORS),
		.uncorrectable = cell_rate(p, CELL_FEC_UNCORRECTABLE_CODEWORDS),
		.symbols = cell_rate(p, CELL_RX_SYMBOL_ERRORS),
		.post_fec = cell_gauge(p, CELL_POST_FEC_BER),
		.stomped = cell_rate(p, CELL_RX_STOMPED_CRC)};

	/* The sample has the rate only if it was refreshed; the cell may just hold an old one. */
	if (e.fcs > 0) {
		const struct sample *s = window_last(r->w, p->id);

		e.fcs = s ? (double)s->fcs_pps : (double)NAN;
	}
	/* Stomped frames were broken before this link; many devices count them as FCS errors
	 * too. */
	if (e.stomped > 0)
		e.fcs = e.fcs > e.stomped ? e.fcs - e.stomped : 0;
	return e;
}

static bool is_corrupting(const struct errors *e)
{
	return e->fcs > RATE_MIN || e->uncorrectable > RATE_MIN || e->symbols > SYMBOLS_MAX ||
	       e->post_fec > POST_FEC_MAX;
}

static void add_number(struct finding *f, const struct port *p, const char *what, double v,
	const char *unit, const char *threshold)
{
	if (v > 0)
		(void)finding_number(f, at_port(p->id), what, v, unit, threshold, "counter");
}

/* CorrOpt: corruption does not depend on the load, congestion loss does. */
static void add_load(struct diag_run *r, struct finding *f, const struct port *p)
{
	const struct sample *now = window_last(r->w, p->id), *was = window_ago(r->w, p->id, 2);
	double load = now ? (double)now->rx_util : (double)NAN;

	if (!now)
		return;
	if (!isnan(load))
		(void)finding_number(f, at_port(p->id), "receive load", load * 100, "%",
			"independent", "counter");
	if (was && (double)was->fcs_pps > 0 && (double)was->rx_util > 2 * load)
		finding_weigh(f, SIGNAL_LOAD, 3);
	finding_refute(
		f, FIND_INCAST, at_port(p->id), "the errors are broken frames, not full queues");
}

/* Low transmit power at the sender is the sender's fault. */
static void add_far_end(struct finding *f, const struct port *peer)
{
	double least = (double)NAN;

	for (unsigned lane = 0; peer && lane < LANES; lane++) {
		const struct cell *c = port_cell(peer, CTR_TX_POWER_DBM, lane);

		if (c && c->valid == VALID_OK && c->real > -30)
			least = fmin(least, c->real);
	}
	if (!peer)
		return;
	(void)finding_text(f, at_port(peer->id), "alternative",
		"its transmitter: errors are counted at the receiving end", "counter");
	if (!isnan(least))
		(void)finding_number(f, at_port(peer->id), "tx_power_dbm", least, "dBm",
			"module's own limits", "counter");
}

/* The title has the number that convicts, as its evidence names it. */
static void say_corrupting(
	const struct diag_run *r, struct finding *f, const struct port *p, const struct errors *e)
{
	const struct {
		double rate;
		const char *words;
	} kinds[] = {{e->fcs, "FCS errors/s"}, {e->uncorrectable, "uncorrectable codewords/s"},
		{e->symbols, "symbol errors/s"}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!(kinds[i].rate > 0))
			continue;
		finding_title(f, "%s corrupts packets: %s %s received here", link_kind(r->m, p),
			STR_NUMBER(kinds[i].rate), kinds[i].words);
		return;
	}
	finding_title(f, "%s corrupts packets: post-FEC BER %.1e", link_kind(r->m, p), e->post_fec);
}

void link_judge_errors(struct diag_run *r, const struct port *p)
{
	const struct errors e = read_errors(r, p);
	const struct port *peer;
	struct finding *f;

	if (p->oper == OPER_DOWN || !is_corrupting(&e))
		return;
	peer = port_peer(r->m, p, NULL);
	if (peer) {
		/* Name the end with more errors; the other one's errors are evidence. */
		const struct errors far = read_errors(r, peer);

		if (is_corrupting(&far) &&
			known_sum(far.fcs, far.uncorrectable) > known_sum(e.fcs, e.uncorrectable))
			return;
	}
	f = diag_claim_link(r, FIND_LINK_CORRUPTING, p->id);
	add_number(f, p, "rx_fcs_errors", e.fcs, "/s", "0");
	add_number(f, p, "fec_uncorrectable_codewords", e.uncorrectable, "/s", "0");
	add_number(f, p, "rx_symbol_errors", e.symbols, "/s", "< 10/s");
	add_number(f, p, "post_fec_ber", e.post_fec, "", "< 1e-12");
	add_load(r, f, p);
	add_far_end(f, peer);
	finding_weigh(f, SIGNAL_FACT, 50); /* guide: post-FEC/CRC > 0 growing */
	say_corrupting(r, f, p, &e);
}

/* ---- downstream ---- */

/* FEC errors prove that this very link lost bits: then its errors are its own. */
static bool own_errors(const struct port *p)
{
	return cell_rate(p, CELL_FEC_UNCORRECTABLE_CODEWORDS) > 0 ||
	       cell_rate(p, CELL_RX_SYMBOL_ERRORS) > SYMBOLS_MAX;
}

/* The worst corrupting link into the device that sends to p; NULL. */
static const struct finding *upstream_of(
	struct diag_run *r, const struct finding *f, const struct port *peer)
{
	const struct device *sender = r->m->devices.at[peer->device];
	double own = port_rate(ref_port(r->m, f->at), CTR_RX_FCS_ERRORS, 0);
	const struct finding *worst = NULL;

	for (size_t i = 0; i < sender->ports.n; i++) {
		uint32_t port = sender->ports.at[i];
		const struct finding *c;
		double rate;

		if (port == peer->id)
			continue;
		c = diag_claimed(r, FIND_LINK_CORRUPTING, diag_link_place(r->m, port));
		if (!c || c->at.port != port)
			continue;
		rate = port_rate(r->m->ports.at[port], CTR_RX_FCS_ERRORS, 0);
		if (!(rate < own))
			worst = c;
	}
	return worst;
}

/* A cut-through switch forwards broken frames, so the receivers count them as well. */
void link_trace_errors(struct diag_run *r)
{
	struct finding *f;

	for (size_t i = 0; (f = diag_claim_at(r, i)); i++) {
		const struct port *p, *peer;
		const struct finding *root;

		if (f->id != FIND_LINK_CORRUPTING)
			continue;
		p = ref_port(r->m, f->at);
		peer = port_peer(r->m, p, NULL);
		if (!peer || own_errors(p) || model_dev_of(r->m, peer)->tier == TIER_HOST)
			continue;
		root = upstream_of(r, f, peer);
		if (root)
			f->root = root->key;
	}
}
