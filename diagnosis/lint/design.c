/* SPDX-License-Identifier: Apache-2.0 */
/* The design: ratio of uplinks to downlinks, and selection of paths. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"
#include "fabric/model/nets.h"
#include "fabric/model/unnamed.h"
#include "fabric/vocabulary/shipped.h"

/* ---- oversubscription ---- */

/* Rounding of speeds; one uplink of 64 is 1.6 %. */
#define RATIO_SLACK 1.01

/*
 * A plan above this is told, of the backend alone: collectives between leaves are slower by the
 * ratio. Public designs for training have 1:1, and at most 2:1 above the leaves.
 */
#define DESIGN_MOST 2.0

struct capacity {
	double live_up, live_down, plan_up, plan_down; /* Mb/s */
	unsigned up, up_planned;
	bool unknown;
};

static void count_port(const struct lint *l, const struct port *p, struct capacity *c)
{
	const struct port *q;
	unsigned planned = p->plan_speed_mbps;
	bool up;

	if (p->plan_peer == PORT_NONE || p->merged)
		return;
	q = l->m->ports.at[p->plan_peer];
	if (!planned)
		planned = q->plan_speed_mbps;
	c->unknown |= !planned || p->oper == OPER_UNKNOWN || (p->oper == OPER_UP && !p->speed_mbps);
	up = model_dev_of(l->m, q)->tier > model_dev_of(l->m, p)->tier;
	*(up ? &c->plan_up : &c->plan_down) += planned;
	c->up_planned += up;
	if (p->oper != OPER_UP)
		return;
	*(up ? &c->live_up : &c->live_down) += p->speed_mbps;
	c->up += up;
}

/* Few uplinks by design: a reference of 256 GPUs with two NICs a host has 8:1. */
static int design_differs(struct lint *l, const struct device *d, double planned)
{
	struct lint_difference w = {
		.id = FIND_LINT_OVERSUBSCRIPTION, .reason = "design", .value = ""};

	if (d->net != NET_BACKEND || planned <= DESIGN_MOST * RATIO_SLACK)
		return LINT_OK;
	(void)str_printf(w.is, sizeof(w.is), "%.2f:1 by plan", planned);
	(void)str_printf(w.should, sizeof(w.should), "at most %.0f:1", DESIGN_MOST);
	return lint_device_differs(l, at_device(d->id), &w);
}

static int oversubscription_device(struct lint *l, const struct device *d)
{
	struct lint_difference w = {
		.id = FIND_LINT_OVERSUBSCRIPTION, .reason = "plan", .value = ""};
	struct capacity c = {0};
	double live, planned;

	if (d->tier != TIER_LEAF)
		return LINT_NOTHING;
	for (size_t i = 0; i < d->ports.n; i++)
		count_port(l, l->m->ports.at[d->ports.at[i]], &c);
	if (device_unnamed_links(l->m, d))
		return LINT_UNKNOWN;
	if (c.plan_up <= 0 || c.plan_down <= 0)
		return LINT_NOTHING;
	if (c.unknown)
		return LINT_UNKNOWN;
	planned = c.plan_down / c.plan_up;
	live = c.live_up > 0 ? c.live_down / c.live_up : 0;
	if (c.live_down <= 0 || (c.live_up > 0 && live <= planned * RATIO_SLACK))
		return design_differs(l, d, planned);
	if (c.live_up > 0)
		(void)str_printf(w.is, sizeof(w.is), "%.2f:1 with %u of %u uplinks", live, c.up,
			c.up_planned);
	else
		(void)str_printf(w.is, sizeof(w.is), "no uplink of %u is up", c.up_planned);
	(void)str_printf(w.should, sizeof(w.should), "%.2f:1", planned);
	return lint_device_differs(l, at_device(d->id), &w);
}

const struct lint_check lint_oversubscription = {.id = FIND_LINT_OVERSUBSCRIPTION,
	.what = "oversubscription",
	.device = oversubscription_device};

/* ---- headroom against the cable ---- */

/*
 * Source: IEEE 802.1Q, annex on the headroom of PFC, of which this is the time of light alone: with
 * less something is certainly lost.
 */
static int headroom_of_light(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_HEADROOM,
		.reason = "cable",
		.value = "",
		.cure = "give the port a buffer profile for that length; SONiC: sudo config "
			"interface cable-length PORT METRESm"};
	double least = port_headroom_least(p);
	char is[16], should[16];
	int result = LINT_NOTHING;

	if (isnan(least))
		return LINT_NOTHING;
	for (unsigned left = lossless_priorities(&l->m->lossless); left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		uint32_t has = p->qos ? p->qos->prio[prio].headroom_bytes : UINT32_MAX;

		if (has == UINT32_MAX)
			return LINT_UNKNOWN;
		if (has >= least) {
			result = LINT_OK;
			continue;
		}
		(void)str_printf(w.is, sizeof(w.is), "priority %u: %sB", prio,
			str_si((double)has, is, sizeof(is)));
		(void)str_printf(w.should, sizeof(w.should), "%sB for %u m at least",
			str_si(least, should, sizeof(should)), p->more->metres);
		return lint_differs(l, p, &w);
	}
	return result;
}

/*
 * Far below the profile that ships for the chip, which counts the time that chip and peer need to
 * stop too. Sites tune it, so only less than half of it is a difference.
 */
static int headroom_of_chip(struct lint *l, const struct port *p)
{
	const struct device *d = model_dev_of(l->m, p);
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	struct shipped_headroom s = shipped_headroom(d->dialect, d->model, mbps, p->more->metres);
	struct lint_difference w = {.id = FIND_LINT_HEADROOM,
		.reason = "default of its chip",
		.value = "",
		.cure = "compare its buffer profile with pg_profile_lookup.ini of the board"};
	char is[16], should[16];

	for (unsigned left = lossless_priorities(&l->m->lossless); s.bytes && left;
		left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		uint32_t has = p->qos ? p->qos->prio[prio].headroom_bytes : UINT32_MAX;

		if (has == UINT32_MAX)
			return LINT_UNKNOWN;
		if (has >= s.bytes / 2)
			continue;
		(void)str_printf(w.is, sizeof(w.is), "priority %u: %sB", prio,
			str_si((double)has, is, sizeof(is)));
		(void)str_printf(w.should, sizeof(w.should), "%sB, of %s for %u m",
			str_si((double)s.bytes, should, sizeof(should)), s.chip, s.metres);
		return lint_differs(l, p, &w);
	}
	return s.bytes ? LINT_OK : LINT_NOTHING;
}

static int headroom_port(struct lint *l, const struct port *p)
{
	int light, chip;

	if (model_dev_of(l->m, p)->tier == TIER_HOST)
		return LINT_NOTHING;
	light = headroom_of_light(l, p);
	if (light == LINT_DIFFERS)
		return light;
	chip = headroom_of_chip(l, p);
	return chip == LINT_NOTHING ? light : chip;
}

const struct lint_check lint_headroom = {
	.id = FIND_LINT_HEADROOM, .what = "headroom for the cable", .port = headroom_port};

/* ---- the poll ---- */

static int poll_path_device(struct lint *l, const struct device *d)
{
	struct lint_difference w = {.id = FIND_LINT_POLL_PATH,
		.reason = "design",
		.value = "",
		.cure = "set address: in fabric.yaml to that of its management port"};
	struct poll_path way = device_poll_path(l->m, d);

	if (!*way.device)
		return LINT_NOTHING;
	/* A host's own network device is often in no inventory, and no storm ends there. */
	if (way.kind == PATH_UNKNOWN)
		return d->tier == TIER_HOST ? LINT_NOTHING : LINT_UNKNOWN;
	if (way.kind != PATH_IN_BAND)
		return LINT_OK;
	(void)str_printf(w.is, sizeof(w.is), "in-band by %.48s", way.device);
	(void)str_copy(w.should, sizeof(w.should), "out-of-band");
	return lint_device_differs(l, at_device(d->id), &w);
}

const struct lint_check lint_poll_path = {
	.id = FIND_LINT_POLL_PATH, .what = "way of the poll", .device = poll_path_device};

/* ---- hash ---- */

static uint64_t hash_value(const struct lint *l, const struct device *d)
{
	(void)l;
	return *d->ecmp_hash ? lint_text_number(d->ecmp_hash) : LINT_UNSPOKEN;
}

/* A device of the tier below or above; NULL: none. */
static const struct device *next_tier(const struct lint *l, const struct device *d, bool above)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *q = lint_peer(l, l->m->ports.at[d->ports.at[i]]);
		const struct device *o = q ? model_dev_of(l->m, q) : NULL;

		if (o && (above ? o->tier > d->tier : o->tier < d->tier))
			return o;
	}
	return NULL;
}

/*
 * Two tiers that select paths with the same function of the same fields: one sends only flows that
 * use some members of the other (polarisation). Seeds are compared if reported. Other vendors hash
 * differently, whatever the function's name.
 */
static int same_on_both_tiers(struct lint *l, const struct device *d)
{
	struct lint_difference w = {.id = FIND_LINT_HASH, .reason = "other tier", .value = "!"};
	const struct device *below = next_tier(l, d, false);

	if (d->tier < TIER_SPINE || !below || below->tier < TIER_LEAF || !next_tier(l, d, true))
		return LINT_OK;
	if (!strstr(d->hash_algorithm, "seed") || !str_eq(d->dialect, below->dialect) ||
		!str_eq(d->hash_algorithm, below->hash_algorithm) ||
		!str_eq(d->ecmp_hash, below->ecmp_hash))
		return LINT_OK;
	l->device_rows = 0;
	(void)str_printf(w.is, sizeof(w.is), "%.40s on both tiers", d->hash_algorithm);
	(void)str_copy(w.should, sizeof(w.should), "a different seed on each tier");
	return lint_device_differs(l, (struct ref){.kind = REF_TIER, .tier = (uint8_t)d->tier}, &w);
}

static int hash_device(struct lint *l, const struct device *d)
{
	struct lint_difference w = {.id = FIND_LINT_HASH, .reason = "siblings", .value = ""};
	uint64_t most;

	if (d->tier == TIER_HOST || !next_tier(l, d, true))
		return LINT_NOTHING;
	/* The hash alone does not choose the path there. */
	if (device_spreads(d))
		return LINT_OK;
	if (!*d->ecmp_hash)
		return LINT_UNKNOWN;
	if (!lint_usual_device(l, d, &most) || most == hash_value(l, d))
		return same_on_both_tiers(l, d);
	(void)str_copy(w.is, sizeof(w.is), d->ecmp_hash);
	for (size_t i = 0; i < l->m->devices.n && !*w.should; i++)
		if (hash_value(l, l->m->devices.at[i]) == most)
			(void)str_copy(w.should, sizeof(w.should), l->m->devices.at[i]->ecmp_hash);
	return lint_device_differs(l, at_device(d->id), &w);
}

const struct lint_check lint_hash = {.id = FIND_LINT_HASH,
	.what = "ECMP hash",
	.device_value = hash_value,
	.device = hash_device};
