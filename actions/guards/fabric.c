/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of the fabric: no storm is active, and no job or host loses its last path. */
#include <math.h>
#include <string.h>

#include "actions/kinds/common.h"
#include "actions/guards/guard.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* A queue that its peer has not paused for this long is stuck. */
#define QUIET_LEAST_US (10 * CLOCK_SEC)
#define QUIET_RESTORES 3
#define LOAD_IDLE      0.01

/* ---- storm ---- */

static void cure_of_storm(const struct guard_context *x, char *dst, size_t size)
{
	(void)str_printf(dst, size, "find the cause of the pauses first: railtop trace --at %s:%s",
		x->at->device->name, x->at->port->name);
}

/* The priorities that the port's watchdog covers: the action stops it for all of them. */
static uint8_t watched_priorities(const struct guard_context *x)
{
	uint8_t mask = lossless_priorities(&x->at->plan->lossless);

	if (x->condition && x->condition->pfc > 0)
		mask |= (uint8_t)x->condition->pfc;
	if (x->at->priority >= 0)
		mask |= action_priorities(x->at);
	return mask;
}

static bool pauses_now(const struct guard_context *x, unsigned prio, struct refusal *out)
{
	const struct port *p = x->at->port;
	const struct cell *c = port_cell(p, CTR_PFC_RX_FRAMES, prio);
	double rate = port_rate(p, CTR_PFC_RX_FRAMES, prio);
	struct paused held = port_paused(p, prio, DIR_RX);
	uint64_t now = x->condition ? x->condition->rx_pause[prio] : UINT64_MAX;
	char cure[160];

	cure_of_storm(x, cure, sizeof(cure));
	if (rate > 0)
		return refuse(out, cure, "%s receives %.3g PFC frames/s on priority %u", p->name,
			rate, prio);
	if (held.percent > 0 && !held.upper_bound)
		return refuse(out, cure,
			"%s is paused by its peer %.3g%% of the time on priority %u", p->name,
			held.percent, prio);
	if (c && c->valid == VALID_OK && now != UINT64_MAX && now > c->u64)
		return refuse(out, cure,
			"%s received %llu PFC frames on priority %u since the last poll", p->name,
			(unsigned long long)(now - c->u64), prio);
	return true;
}

/* A rate needs at least two samples: one number does not show whether the counter grows. */
static bool pause_known(const struct guard_context *x, unsigned prio, struct refusal *out)
{
	const struct cell *c = port_cell(x->at->port, CTR_PFC_RX_FRAMES, prio);

	if (c && c->valid == VALID_OK && isfinite(c->rate))
		return true;
	return refuse(out, "wait for two polls; see railtop check for PFC frames per priority",
		"it is not known if %s is paused on priority %u: PFC frames are %s",
		x->at->port->name, prio,
		!c                     ? "not reported"
		: c->valid == VALID_OK ? "counted only once"
				       : validity_name((enum validity)c->valid));
}

/*
 * The time until which the port was certainly quiet: the last sample, or the last reading with the
 * same count.
 */
static int64_t quiet_until(const struct guard_context *x, uint8_t mask)
{
	int64_t seen = INT64_MAX, read = x->condition ? x->condition->at_us : 0;

	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct cell *c = port_cell(x->at->port, CTR_PFC_RX_FRAMES, p);

		if (!((unsigned)mask >> p & 1u) || !c)
			continue;
		if (cell_seen_us(x->at->port, c) < seen)
			seen = cell_seen_us(x->at->port, c);
		if (!x->condition || x->condition->rx_pause[p] != c->u64)
			read = 0;
	}
	return read > seen ? read : seen;
}

static unsigned longest_restore(const struct guard_context *x)
{
	unsigned ms = x->condition ? x->condition->wd_set.restore_ms : 0;

	for (unsigned p = 0; p < PRIORITIES; p++)
		if (x->at->port->wd[p].restore_ms > ms)
			ms = x->at->port->wd[p].restore_ms;
	return ms;
}

static bool quiet_enough(const struct guard_context *x, uint8_t mask, struct refusal *out)
{
	int64_t need = QUIET_RESTORES * (int64_t)longest_restore(x) * CLOCK_MSEC;
	int64_t since = x->at->port->pfc_quiet_us, quiet = quiet_until(x, mask) - since;
	char again[96];

	if (!since)
		return refuse(out, "see railtop check for PFC frames per priority",
			"the time of the last pause of %s is not known", x->at->port->name);
	if (need < QUIET_LEAST_US)
		need = QUIET_LEAST_US;
	if (quiet >= need)
		return true;
	if (since + need > x->now_us)
		(void)guard_allowed_at(
			since + need + x->wall_us - x->now_us, x->wall_us, again, sizeof(again));
	else
		(void)str_copy(again, sizeof(again), "wait for the next poll");
	return refuse(out, again,
		"%s has been quiet for %lld s, %lld s are needed (three restoration times, at "
		"least 10 s)",
		x->at->port->name, (long long)((quiet > 0 ? quiet : 0) / CLOCK_SEC),
		(long long)((need + CLOCK_SEC - 1) / CLOCK_SEC));
}

bool guard_storm(const struct guard_context *x, struct refusal *out)
{
	uint8_t mask;

	if (!(x->action->needs & NEED_NO_STORM))
		return true;
	if (!x->at->port)
		return refuse(out, CURE_AGAIN, "the port is not known");
	mask = watched_priorities(x);
	for (unsigned p = 0; p < PRIORITIES; p++)
		if ((unsigned)mask >> p & 1u && (!pauses_now(x, p, out) || !pause_known(x, p, out)))
			return false;
	return quiet_enough(x, mask, out);
}

/* ---- paths ---- */

/* The blast radius from the current model, else from the plan. */
static const struct blast *blast_now(const struct guard_context *x, struct blast *own)
{
	if (x->at->model && x->at->port) {
		blast_of(x->at->model, x->at->port, x->now_us, own);
		return own;
	}
	return x->plan ? &x->plan->blast : NULL;
}

static bool host_link(const struct guard_context *x)
{
	const struct port *peer = action_peer(x->at);

	return x->at->device->tier == TIER_HOST ||
	       (peer && model_dev_of(x->at->model, peer)->tier == TIER_HOST);
}

static bool enough_stay(const struct guard_context *x, const char *device, const char *what,
	unsigned planned, unsigned up, struct refusal *out)
{
	bool counts = x->at->port->oper == OPER_UP && x->at->port->admin != OPER_DOWN;
	unsigned after = up - (counts && up ? 1 : 0);

	if (after + 1 >= planned)
		return true;
	return refuse(out, "restore its other links first: railtop findings lists them",
		"%s would keep %u of %u %s, %u must stay", device, after, planned, what,
		planned - 1);
}

bool guard_uplinks(const struct guard_context *x, struct refusal *out)
{
	const struct port *peer;
	const struct device *d;
	const struct blast *b;
	struct blast own;

	if (!(x->action->needs & NEED_PATHS))
		return true;
	b = blast_now(x, &own);
	peer = action_peer(x->at);
	if (!b || !x->at->port || !x->at->dev || (!peer && x->at->device->tier != TIER_HOST))
		return refuse(out, "state the link in wiring:, or switch LLDP on",
			"the other end of %s is not known",
			x->at->port ? x->at->port->name : x->at->device->name);
	if (host_link(x))
		return true;
	d = model_dev_of(x->at->model, peer);
	if (d->state != DEV_FRESH && d->state != DEV_LATE)
		return refuse(out, "railtop check shows why it does not answer",
			"the number of links of %s that are up is not known: its data is %s",
			d->name, dev_state_words(d->state));
	if (!b->uplinks_planned || !b->peer_planned)
		return refuse(out, "state the links in wiring:",
			"the number of planned links beside %s is not known", x->at->port->name);
	return enough_stay(x, x->at->device->name, "links on that side", b->uplinks_planned,
		       b->uplinks_up, out) &&
	       enough_stay(x, d->name, "links to that tier", b->peer_planned, b->peer_up, out);
}

/* Whether no other link carries the traffic of this one. */
static bool only_way(const struct guard_context *x, const struct blast *b)
{
	return host_link(x) || b->uplinks_up <= 1 || b->peer_up <= 1;
}

bool guard_last_path(const struct guard_context *x, struct refusal *out)
{
	const struct blast *b;
	struct blast own;

	if (!(x->action->needs & NEED_PATHS))
		return true;
	b = blast_now(x, &own);
	if (!b)
		return refuse(out, CURE_AGAIN, "the jobs that use the link are not known");
	if (b->last_path)
		return refuse(out, "drain the job or the host first, then plan the action again",
			"job %s (%u rank%s, %u GPU%s) has no path but %s", b->last_job, b->ranks,
			str_plural(b->ranks), b->gpus, str_plural(b->gpus),
			x->at->port ? x->at->port->name : x->at->device->name);
	if (!b->jobs_unknown || !only_way(x, b))
		return true;
	if (isnan(b->load))
		return refuse(out, "state jobs: in fabric.yaml, or wait for two polls",
			"the jobs and the load of the link are not known");
	if (b->load > LOAD_IDLE)
		return refuse(out, "state jobs: in fabric.yaml, or drain the host first",
			"the running jobs are not known, and the link carries %.1f%% of its speed",
			100 * b->load);
	return true;
}
