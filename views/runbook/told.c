/* SPDX-License-Identifier: Apache-2.0 */
#include "views/runbook/told.h"

#include <math.h>

#include "base/str.h"
#include "views/common.h"
#include "views/runbook/place.h"

bool runbook_lists_troubles(const struct view_ops *v)
{
	static const char *const names[] = {
		"events", "findings", "storm", "lint", "wiring", "audit"};

	return str_is_one_of(v->name, names, sizeof(names) / sizeof(names[0]));
}

/* Pause counters may be switched off, and a share of time needs two samples. */
static bool tells_pauses(const struct model *m, struct ref subject)
{
	for (uint32_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->seen && !isnan(port_paused_max(p, 0xff, DIR_RX).percent) &&
			runbook_within(m, ref_of_port(p), subject))
			return true;
	}
	return false;
}

static bool tells_neighbours(const struct model *m, struct ref subject)
{
	for (uint32_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->plan_peer != PORT_NONE && p->lldp_device[0] &&
			runbook_within(m, ref_of_port(p), subject))
			return true;
	}
	return false;
}

const char *runbook_deaf(const struct view_ctx *ctx, const struct view_ops *v, struct ref subject)
{
	bool storm = str_eq(v->name, "storm"), deaf = false;

	if (storm || str_eq(v->name, "findings"))
		deaf = !ctx->diag;
	else if (str_eq(v->name, "audit"))
		deaf = !ctx->audit;
	else if (str_eq(v->name, "wiring"))
		deaf = !tells_neighbours(ctx->model, subject);
	if (storm && !deaf && !tells_pauses(ctx->model, subject))
		return "no port reports yet how long it is paused";
	return !deaf ? NULL : v->empty ? v->empty(ctx) : "no source reports it";
}

/* Views that list reports of devices: a device without any answer has no row there. */
static bool is_of_devices(const struct view_ops *v)
{
	static const char *const names[] = {"events", "findings", "storm", "lint", "wiring", "bgp",
		"ports", "links", "leaf", "host", "rail", "cluster", "port", "priority"};

	return str_is_one_of(v->name, names, sizeof(names) / sizeof(names[0]));
}

/*
 * A host need not have sessions. A switch of the fabric that never listed sessions has not reported
 * them.
 */
static bool tells_sessions(const struct device *d)
{
	return d->bgp_us || d->tier == TIER_HOST || d->net != NET_BACKEND;
}

unsigned runbook_devices(
	const struct model *m, const struct view_ops *v, struct ref subject, unsigned *silent)
{
	bool bgp = str_eq(v->name, "bgp");
	unsigned n = 0;

	*silent = 0;
	for (uint32_t i = 0; is_of_devices(v) && i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (!runbook_device_within(m, i, subject) ||
			(bgp && d->tier == TIER_HOST && !d->bgp.n))
			continue;
		n++;
		*silent +=
			device_is_old(d) || d->state == DEV_PENDING || (bgp && !tells_sessions(d));
	}
	return n;
}

int64_t runbook_watched(const struct model *m, struct ref subject, int64_t now_us)
{
	const struct event *oldest = model_event(m, EVENT_RING - 1);
	int64_t last = 0;

	for (uint32_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (d->heard_us > last && runbook_device_within(m, i, subject))
			last = d->heard_us;
	}
	/* Events that the ring has dropped are as unknown as those before the start. */
	if (last && oldest && oldest->wall_us > last)
		last = oldest->wall_us;
	return !last ? 0 : now_us > last ? now_us - last : 1;
}
