/* SPDX-License-Identifier: Apache-2.0 */
/* Optics and counters of both ends of each link. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/acceptance/acceptance_private.h"
#include "fabric/vocabulary/counters.h"

/* railtop's own guard band, two decades below the limit of RS-544: as in runbooks/new-node.yaml. */
#define BER_MOST 1e-6

/* ---- optics ---- */

static double value_of(const struct model *m, const struct port *p, counter_id id, unsigned sub)
{
	const struct cell *c = port_cell(p, id, sub);

	return c && port_cell_valid(m, p, id, sub) == VALID_OK ? c->real : (double)NAN;
}

struct light {
	unsigned lanes;
	double least, most; /* dBm */
	bool out;           /* a lane is outside the module's own warning limits */
	bool limits;
};

static struct light light_of(
	const struct model *m, const struct port *p, counter_id id, const float *limits)
{
	struct light l = {.least = INFINITY, .most = -INFINITY};

	l.limits =
		limits && (isfinite(limits[LIMIT_LOW_WARN]) || isfinite(limits[LIMIT_LOW_ALARM]));
	for (unsigned lane = 0; lane < LANES; lane++) {
		double v = value_of(m, p, id, lane);
		float low = limits ? limits[LIMIT_LOW_WARN] : NAN;
		float high = limits ? limits[LIMIT_HIGH_WARN] : NAN;

		if (isnan(v))
			continue;
		l.lanes++;
		l.least = fmin(l.least, v);
		l.most = fmax(l.most, v);
		if (isnan(low) && limits)
			low = limits[LIMIT_LOW_ALARM];
		if (isnan(high) && limits)
			high = limits[LIMIT_HIGH_ALARM];
		l.out |= v < low || v > high;
	}
	return l;
}

/* A copper cable has no light; its module's type says so. */
static bool is_copper(const struct port *p)
{
	static const char *const words[] = {"CR", "opper", "DAC", "ACC", "AEC"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(p->more->media, words[i]))
			return true;
	return false;
}

static void add_light(const struct accepted *a, const struct port *p)
{
	const struct optics_limits *limits = p->more->limits;
	struct light rx = light_of(a->m, p, CTR_RX_POWER_DBM, limits ? limits->rx_power_dbm : NULL);
	struct light tx = light_of(a->m, p, CTR_TX_POWER_DBM, limits ? limits->tx_power_dbm : NULL);
	bool copper = !rx.lanes && is_copper(p);
	enum accept_result r = copper                                    ? ACCEPT_PASS
			       : rx.out || tx.out                        ? ACCEPT_FAIL
			       : !rx.lanes || (!rx.limits && !tx.limits) ? ACCEPT_UNKNOWN
									 : ACCEPT_PASS;
	struct accept_row *row = accept_add(a, ACCEPT_OPTICS, r, at_port(p->id));

	if (copper)
		(void)str_printf(
			row->is, sizeof(row->is), "%s: no light to measure", p->more->media);
	else if (!rx.lanes)
		(void)str_copy(row->is, sizeof(row->is), "no reading of light");
	else
		(void)str_printf(row->is, sizeof(row->is),
			"light received %.2f to %.2f dBm on %u lane%s", rx.least, rx.most, rx.lanes,
			str_plural(rx.lanes));
	if (rx.out || tx.out) {
		(void)str_copy(row->should, sizeof(row->should), "within the module's own limits");
		(void)str_copy(
			row->cure, sizeof(row->cure), "clean both ends: runbook degraded-optic");
	} else if (r == ACCEPT_UNKNOWN) {
		(void)str_copy(row->cure, sizeof(row->cure),
			rx.lanes ? "the module reports no limits to compare with"
				 : "let the login read modules (ethtool -m needs root): railtop "
				   "check");
	}
}

static void add_bit_errors(const struct accepted *a, const struct port *p)
{
	double pre = value_of(a->m, p, CTR_PRE_FEC_BER, 0);
	double post = value_of(a->m, p, CTR_POST_FEC_BER, 0);
	struct accept_row *row;

	if (isnan(pre) && isnan(post))
		return;
	row = accept_add(a, ACCEPT_OPTICS, pre >= BER_MOST || post > 0 ? ACCEPT_FAIL : ACCEPT_PASS,
		at_port(p->id));
	if (isnan(pre))
		(void)str_printf(row->is, sizeof(row->is), "bit error ratio after FEC %.2g", post);
	else
		(void)str_printf(row->is, sizeof(row->is), "bit error ratio before FEC %.2g", pre);
	(void)str_printf(
		row->should, sizeof(row->should), "below %.0e before FEC, 0 after it", BER_MOST);
	if (row->result == ACCEPT_FAIL)
		(void)str_copy(
			row->cure, sizeof(row->cure), "clean both ends: runbook degraded-optic");
}

void accept_optics(const struct accepted *a)
{
	for (size_t i = 0; i < a->ports.n; i++) {
		add_light(a, a->ports.at[i]);
		add_bit_errors(a, a->ports.at[i]);
	}
	for (size_t i = 0; i < a->far.n; i++) {
		add_light(a, a->far.at[i]);
		add_bit_errors(a, a->far.at[i]);
	}
}

/* ---- counters ---- */

struct growth {
	unsigned still, unread, grow; /* cells */
	char names[120], blind[80];   /* of those that grow; of those that were read once */
};

/* Appends "name[3] 1.2/s"; rate NAN: the name alone. */
static void add_name(char *names, size_t size, const struct cell_info *info, double rate)
{
	size_t n = strlen(names);
	char sub[8] = "", per_s[24] = "";

	if (counter_info[info->id].dim != DIM_ONE)
		(void)str_printf(sub, sizeof(sub), "[%u]", info->sub);
	if (!isnan(rate))
		(void)str_printf(per_s, sizeof(per_s), " %.3g/s", rate);
	(void)str_printf(names + n, size - n, "%s%s%s%s", n ? ", " : "",
		counter_info[info->id].name, sub, per_s);
}

static struct growth growth_of(const struct model *m, const struct port *p)
{
	struct growth g = {0};

	for (unsigned i = 0; i < p->layout->n; i++) {
		const struct cell_info *info = &cell_info[p->layout->cell[i]];
		const struct counter_info *c = &counter_info[info->id];
		const struct cell *cell = &p->cells[i];

		if (c->kind != KIND_COUNT || c->trend != TREND_BAD)
			continue;
		/* One that the device cannot report, or that is switched off, is no evidence. */
		if (cell->valid != VALID_OK && cell->valid != VALID_RESET)
			continue;
		if (port_cell_valid(m, p, info->id, info->sub) != VALID_OK || isnan(cell->rate)) {
			g.unread++;
			add_name(g.blind, sizeof(g.blind), info, (double)NAN);
		} else if (cell->rate > 0) {
			g.grow++;
			add_name(g.names, sizeof(g.names), info, (double)cell->rate);
		} else {
			g.still++;
		}
	}
	return g;
}

static void check_counters(const struct accepted *a, const struct port *p)
{
	struct growth g = growth_of(a->m, p);
	bool grows = g.grow || p->flaps;
	struct accept_row *row = accept_add(a, ACCEPT_COUNTERS,
		grows                  ? ACCEPT_FAIL
		: g.still && !g.unread ? ACCEPT_PASS
				       : ACCEPT_UNKNOWN,
		at_port(p->id));

	if (g.grow)
		(void)str_printf(row->is, sizeof(row->is), "%s", g.names);
	else if (p->flaps)
		(void)str_printf(row->is, sizeof(row->is), "%u flap%s since railtop began",
			p->flaps, str_plural(p->flaps));
	else if (g.still && !g.unread)
		(void)str_printf(row->is, sizeof(row->is), "%u counter%s of errors stand%s still",
			g.still, str_plural(g.still), g.still == 1 ? "s" : "");
	else if (g.unread)
		(void)str_printf(row->is, sizeof(row->is),
			"%u counter%s of errors stand%s still; read once: %s", g.still,
			str_plural(g.still), g.still == 1 ? "s" : "", g.blind);
	else
		(void)str_copy(row->is, sizeof(row->is), "no counter of errors is reported");
	if (grows) {
		(void)str_copy(row->should, sizeof(row->should), "no growth");
		(void)str_copy(row->cure, sizeof(row->cure),
			g.grow ? "runbook lossless-drops or degraded-optic" : "runbook link-flap");
	} else if (row->result == ACCEPT_UNKNOWN) {
		(void)str_copy(row->cure, sizeof(row->cure),
			g.unread ? "collect longer: --for 1m"
				 : "railtop check lists what it lacks");
	}
}

void accept_counters(const struct accepted *a)
{
	for (size_t i = 0; i < a->ports.n; i++)
		check_counters(a, a->ports.at[i]);
	for (size_t i = 0; i < a->far.n; i++)
		check_counters(a, a->far.at[i]);
}
