/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Health of a port, by one table of rules. "Threshold" in the comments is the project's table of
 * default thresholds; each line names the publisher of the number. A number without a source is
 * railtop's own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/cell_at.h"
#include "fabric/health/health_internal.h"
#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/counters.h"

#define HOUR_US        (INT64_C(3600) * CLOCK_SEC)
#define FLAP_WINDOW_US (6 * HOUR_US)

/* Input of the rules. */
struct look {
	const struct model *m;
	const struct device *d;
	const struct port *p;
	int64_t now_us;
	uint8_t lossless;
	bool *at_most; /* set by a measure that yields only an upper bound */
};

enum test { NEVER, ABOVE, AT_LEAST, BELOW };
struct limit {
	enum test test;
	double at;
};

/* Form of the measured number between the two halves of the text. */
enum form {
	FORM_NONE,
	FORM_COUNT,
	FORM_RATE,
	FORM_PERCENT,
	FORM_BER,
	FORM_DBM,
	FORM_SPEED,
	FORM_CELSIUS
};

struct rule {
	double (*measure)(const struct look *l); /* NAN: unknown, the rule does not apply */
	struct limit warn, crit;
	enum form form;
	const char *before, *after;
};

/* ---- measures ---- */

static bool device_has_plan(const struct look *l)
{
	for (size_t i = 0; i < l->d->ports.n; i++) {
		if (l->m->ports.at[l->d->ports.at[i]]->plan_peer != PORT_NONE)
			return true;
	}
	return false;
}

static double down_planned(const struct look *l)
{
	return l->p->oper == OPER_DOWN && l->p->plan_peer != PORT_NONE;
}

/* An enabled port that is down. On a planned switch, empty cages are enabled and dark by custom:
 * there a port counts only if something was ever plugged in. */
static double down_enabled(const struct look *l)
{
	const struct port *p = l->p;

	if (p->oper != OPER_DOWN || p->admin != OPER_UP)
		return 0;
	return p->lldp_us || p->flaps || !device_has_plan(l);
}

/* The watchdog's own state if it gives one, else its counters: fewer restored than detected
 * storms. */
static bool storm_on(const struct port *p, unsigned prio)
{
	const struct cell *began = cell_at(p, CTR_PFCWD_STORM_DETECTED, prio);
	const struct cell *ended = cell_at(p, CTR_PFCWD_STORM_RESTORED, prio);

	if (p->wd[prio].state != WD_UNKNOWN)
		return p->wd[prio].state == WD_STORMED;
	return began && ended && began->valid == VALID_OK && ended->valid == VALID_OK &&
	       began->u64 > ended->u64;
}

static double count_storms(const struct look *l)
{
	const struct port *p = l->p;
	unsigned n = 0, left = 0xff;

	/* Without a watchdog state only the counters can tell. */
	if (!port_has_watchdogs(p))
		left = p->layout->subs[CTR_PFCWD_STORM_DETECTED];
	for (; left; left &= left - 1)
		n += storm_on(p, (unsigned)__builtin_ctz(left));
	return n;
}

static double storms_lately(const struct look *l)
{
	return port_rate_prios(l->p, CTR_PFCWD_STORM_DETECTED, 0xff);
}

static double lossless_drops(const struct look *l)
{
	static const enum counter_id drops[] = {
		CTR_QUEUE_DROPS, CTR_PG_DROPS, CTR_WRED_DROPS, CTR_RX_PRIO_DISCARDS};
	double worst = NAN;

	/* The worst, not the sum: most devices include WRED's drops in the queue's. */
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++)
		worst = fmax(worst, port_rate_prios(l->p, drops[i], l->lossless));
	return worst;
}

static double uncorrectable_rate(const struct look *l)
{
	return rate_at(l->p, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0);
}

static double pre_fec_ber(const struct look *l)
{
	return port_pre_fec_ber(l->p);
}

static double paused_share(const struct look *l, enum direction dir)
{
	struct paused worst = port_paused_max(l->p, l->lossless, dir);

	*l->at_most = worst.upper_bound;
	return worst.percent;
}

static double paused_rx(const struct look *l)
{
	return paused_share(l, DIR_RX);
}

static double paused_tx(const struct look *l)
{
	return paused_share(l, DIR_TX);
}

/* Number of flaps in the event: the model writes "5 times" when a poll found more than one. */
static double flaps_of_event(const struct event *e)
{
	size_t digits = strspn(e->text, "0123456789");

	if (e->kind == EV_LINK_DOWN)
		return 1;
	if (e->kind != EV_LINK_FLAP)
		return 0;
	return digits && strcmp(e->text + digits, " times") == 0 ? strtod(e->text, NULL) : 1;
}

/* Observed flaps within the last hour. Walks the events only for ports that flapped lately. */
static double flaps_hour(const struct look *l)
{
	const struct event *e;
	double n = 0;

	if (!l->p->last_flap_us || l->now_us - l->p->last_flap_us > HOUR_US)
		return 0;
	for (size_t i = 0; (e = model_event(l->m, i)) && l->now_us - e->wall_us <= HOUR_US; i++) {
		if (e->port == l->p->id)
			n += flaps_of_event(e);
	}
	return n;
}

static double flapped_lately(const struct look *l)
{
	return l->p->last_flap_us && l->now_us - l->p->last_flap_us <= FLAP_WINDOW_US;
}

/* Missing Mb/s against the plan. */
static double below_plan(const struct look *l)
{
	const struct port *p = l->p;

	if (!p->speed_mbps || !p->plan_speed_mbps || p->oper == OPER_DOWN)
		return NAN;
	return (double)p->plan_speed_mbps - (double)p->speed_mbps;
}

static double is_miswired(const struct look *l)
{
	return port_miswired(l->m, l->p);
}

/* Whether the module gives its own limits for low power. */
static bool module_knows(const struct look *l)
{
	const struct optics_limits *own = l->p->more->limits;

	return own && !(isnan(own->rx_power_dbm[LIMIT_LOW_ALARM]) &&
			      isnan(own->rx_power_dbm[LIMIT_LOW_WARN]));
}

/* The lowest power of a lane if it is below the module's own limit. */
static double rx_power_below(const struct look *l, enum optics_limit which)
{
	double least;

	if (!module_knows(l))
		return NAN;
	least = port_rx_power_min(l->p);
	return least < (double)l->p->more->limits->rx_power_dbm[which] ? least : NAN;
}

static double rx_power_alarm(const struct look *l)
{
	return rx_power_below(l, LIMIT_LOW_ALARM);
}

static double rx_power_warn(const struct look *l)
{
	return rx_power_below(l, LIMIT_LOW_WARN);
}

static double rx_power(const struct look *l)
{
	return module_knows(l) ? NAN : port_rx_power_min(l->p);
}

/* Above the module's own high alarm: it may switch itself off. */
static double too_hot(const struct look *l)
{
	const struct cell *c = cell_at(l->p, CTR_TEMPERATURE_C, 0);

	if (!l->p->more->limits || !c || c->valid != VALID_OK)
		return NAN;
	return c->real > (double)l->p->more->limits->temperature_c[LIMIT_HIGH_ALARM] ? c->real
										     : NAN;
}

static double symbol_errors(const struct look *l)
{
	return rate_at(l->p, CTR_RX_SYMBOL_ERRORS, 0);
}

static double rx_errors(const struct look *l)
{
	return fmax(rate_at(l->p, CTR_RX_ERRORS, 0), rate_at(l->p, CTR_RX_FCS_ERRORS, 0));
}

static double global_pause(const struct look *l)
{
	return fmax(rate_at(l->p, CTR_RX_PAUSE_FRAMES, 0), rate_at(l->p, CTR_TX_PAUSE_FRAMES, 0));
}

static double rnr_retries(const struct look *l)
{
	return rate_at(l->p, CTR_RNR_NAK_RETRY_ERR, 0);
}

static double ack_timeouts(const struct look *l)
{
	return rate_at(l->p, CTR_LOCAL_ACK_TIMEOUT_ERR, 0);
}

static double slow_restarts(const struct look *l)
{
	return rate_at(l->p, CTR_ROCE_SLOW_RESTART, 0);
}

static double tx_discards(const struct look *l)
{
	return rate_at(l->p, CTR_TX_DISCARDS, 0);
}

/* Missing lanes against the capability of card and slot, else against the best of the host's
 * NICs. */
static double pcie_lanes_missing(const struct look *l)
{
	const struct cell *own = cell_at(l->p, CTR_PCIE_WIDTH, 0);
	double best;

	if (!own || own->valid != VALID_OK)
		return NAN;
	if (l->p->more->pcie_max_width)
		return l->p->more->pcie_max_width - own->real;
	best = own->real;
	for (size_t i = 0; i < l->d->ports.n; i++) {
		const struct cell *c =
			cell_at(l->m->ports.at[l->d->ports.at[i]], CTR_PCIE_WIDTH, 0);

		if (c && c->valid == VALID_OK)
			best = fmax(best, c->real);
	}
	return best - own->real;
}

/* ---- the rules ---- */

/* clang-format off */
/* Worst first: the order ranks rules of the same severity. */
static const struct rule rules[] = {
	/* A planned link that is down is lost capacity; ECMP and NCCL do not restore it. */
	{down_planned, {NEVER, 0}, {ABOVE, 0}, FORM_NONE, "down, the plan has a link here", ""},
	{down_enabled, {NEVER, 0}, {ABOVE, 0}, FORM_NONE, "down, though enabled", ""},
	/* Threshold "watchdog storm": active, or one more since the last refresh. */
	{count_storms, {NEVER, 0}, {ABOVE, 0}, FORM_NONE, "PFC watchdog: storm", ""},
	/* Threshold "lossless queue drop": more than 0 in a poll. */
	{lossless_drops, {NEVER, 0}, {ABOVE, 0}, FORM_RATE, "", " drops/s on a lossless priority"},
	/* Threshold "uncorrectable codewords": more than 0 is data lost. */
	{uncorrectable_rate, {NEVER, 0}, {ABOVE, 0}, FORM_RATE, "", " uncorrectable codewords/s"},
	/* Threshold "flap": 1 within 6 h (OCI health check script), 3 an hour (railtop's own). */
	{flaps_hour, {NEVER, 0}, {AT_LEAST, 3}, FORM_COUNT, "flapped ", " times within an hour"},
	/* RS(544,514) corrects 15 symbols a codeword and fails near 2.4e-4; 1e-6 is railtop's
	 * own. */
	{pre_fec_ber, {ABOVE, 1e-6}, {AT_LEAST, 2.4e-4}, FORM_BER, "bit errors before FEC ", ""},
	/* Threshold "% paused": 1 and 20 are railtop's own; 10,000 frames/s at 400G in public
	 * paging rules is at most 84 %. */
	{paused_rx, {ABOVE, 1}, {ABOVE, 20}, FORM_PERCENT, "paused ", " by its peer"},
	{paused_tx, {ABOVE, 1}, {ABOVE, 20}, FORM_PERCENT, "pauses its peer ", ""},
	/* NVSentinel NIC health: any. */
	{rnr_retries, {NEVER, 0}, {ABOVE, 0}, FORM_RATE, "", " RNR retries/s"},
	{storms_lately, {ABOVE, 0}, {NEVER, 0}, FORM_NONE, "PFC watchdog: storm just now", ""},
	{below_plan, {ABOVE, 0}, {NEVER, 0}, FORM_SPEED, "", " slower than planned"},
	{is_miswired, {ABOVE, 0}, {NEVER, 0}, FORM_NONE, "wired to another port than planned", ""},
	/* The module maker's limits for low power, SFF-8636 and CMIS thresholds. */
	{rx_power_alarm, {BELOW, INFINITY}, {NEVER, 0}, FORM_DBM, "receives only ", ", below the module's alarm"},
	{rx_power_warn, {BELOW, INFINITY}, {NEVER, 0}, FORM_DBM, "receives only ", ", below the module's warning"},
	{too_hot, {ABOVE, -INFINITY}, {NEVER, 0}, FORM_CELSIUS, "module is at ", ", above its alarm"},
	/* Without the module's own limits. */
	{rx_power, {BELOW, RX_POWER_LEAST_DBM}, {NEVER, 0}, FORM_DBM, "receives only ", ""},
	/* NVSentinel NIC health: 10/s, 10/s, 1/s, 10/s, 100/s. */
	{symbol_errors, {ABOVE, 10}, {NEVER, 0}, FORM_RATE, "", " symbol errors/s"},
	{rx_errors, {ABOVE, 10}, {NEVER, 0}, FORM_RATE, "", " receive errors/s"},
	{ack_timeouts, {ABOVE, 1}, {NEVER, 0}, FORM_RATE, "", " ACK timeouts/s"},
	{slow_restarts, {ABOVE, 10}, {NEVER, 0}, FORM_RATE, "", " slow restarts/s"},
	{tx_discards, {ABOVE, 100}, {NEVER, 0}, FORM_RATE, "", " discards/s"},
	/* 802.3x pauses every priority; with PFC it must be off (public case: 21.7 % of 400G
	 * lost). */
	{global_pause, {ABOVE, 0}, {NEVER, 0}, FORM_RATE, "", " 802.3x pause frames/s"},
	{pcie_lanes_missing, {ABOVE, 0}, {NEVER, 0}, FORM_COUNT, "PCIe link lacks ", " lanes"},
	/* Past trouble ranks below present trouble. Threshold: OCI health check script. */
	{flapped_lately, {ABOVE, 0}, {NEVER, 0}, FORM_NONE, "flapped within 6 hours", ""},
};
/* clang-format on */
enum { RULES = sizeof(rules) / sizeof(rules[0]) };
_Static_assert(RULES + 1 <= HEALTH_RANK_BGP, "what a device has as a whole comes first");

/* ---- the verdict ---- */

static bool limit_hit(struct limit l, double v)
{
	switch (l.test) {
	case ABOVE:
		return v > l.at;
	case AT_LEAST:
		return v >= l.at;
	case BELOW:
		return v < l.at;
	case NEVER:
		break;
	}
	return false;
}

static enum severity rule_verdict(const struct rule *r, double v)
{
	if (limit_hit(r->crit, v))
		return SEV_CRIT;
	return limit_hit(r->warn, v) ? SEV_WARN : SEV_OK;
}

static void number_text(enum form form, double v, char *dst, size_t size)
{
	dst[0] = '\0';
	switch (form) {
	case FORM_NONE:
		break;
	case FORM_COUNT:
		(void)str_printf(dst, size, "%.0f", v);
		break;
	case FORM_RATE:
		(void)str_si(v, dst, size);
		break;
	case FORM_PERCENT:
		(void)str_printf(dst, size, v < 10 ? "%.1f%%" : "%.0f%%", v);
		break;
	case FORM_BER:
		(void)str_printf(dst, size, "%.1e", v);
		break;
	case FORM_DBM:
		(void)str_printf(dst, size, "%.1f dBm", v);
		break;
	case FORM_CELSIUS:
		(void)str_printf(dst, size, "%.0f C", v);
		break;
	case FORM_SPEED:
		(void)str_si(v * 1e6, dst, size);
		break;
	}
}

/* Order of the rule first, then the size of the number: 0 < fraction < 1. */
static float rule_rank(size_t index, double v)
{
	double size = fabs(v);

	return (float)(((double)RULES - (double)index) + size / (size + 100));
}

static struct health health_say(enum severity s, const char *why)
{
	struct health h = {.severity = s};

	(void)str_copyn(h.why, 61, why, strlen(why));
	return h;
}

struct health port_health(const struct model *m, const struct port *p, int64_t now_us)
{
	const struct device *d = m->devices.at[p->device];
	bool at_most = false;
	struct look l = {.m = m,
		.d = d,
		.p = p,
		.now_us = now_us,
		.lossless = lossless_priorities(&m->lossless),
		.at_most = &at_most};
	struct health out;

	if (!health_known(d))
		return health_say(
			SEV_UNKNOWN, d->state == DEV_PENDING ? "" : "its device does not answer");
	if (!p->seen)
		return health_say(SEV_UNKNOWN, "planned, its device does not report it");
	out = health_say(p->oper == OPER_UNKNOWN ? SEV_UNKNOWN : SEV_OK, "");
	/* Worst first: after a critical rule the others add nothing. */
	for (size_t i = 0; i < RULES && out.severity < SEV_CRIT; i++) {
		double v;
		enum severity s;
		char number[24];

		at_most = false;
		v = rules[i].measure(&l);
		s = rule_verdict(&rules[i], v);
		/* An upper bound proves nothing. It warns where the true value could be critical,
		 * and is silent below that. Frames that ask for 16 us count like frames of 84 us.
		 */
		if (at_most)
			s = s == SEV_CRIT ? SEV_WARN : SEV_OK;
		if (s < SEV_WARN || s <= out.severity)
			continue;
		out.severity = s;
		out.rank = rule_rank(i, v);
		number_text(rules[i].form, v, number, sizeof(number));
		(void)str_printf(out.why, 61, "%s%s%s%s", rules[i].before,
			at_most ? "at most " : "", number, rules[i].after);
	}
	return out;
}
