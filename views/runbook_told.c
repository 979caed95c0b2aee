/* SPDX-License-Identifier: Apache-2.0 */
#include "views/runbook_told.h"

#include "base/str.h"
#include "views/common.h"
#include "views/runbook_place.h"

bool runbook_lists_troubles(const struct view_ops *v)
{
	static const char *const names[] = {
		"events", "findings", "storm", "lint", "wiring", "audit"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(v->name, names[i]))
			return true;
	return false;
}

bool runbook_is_deaf(const struct view_ctx *ctx, const struct view_ops *v, struct ref subject)
{
	const struct model *m = ctx->model;

	if (str_eq(v->name, "findings") || str_eq(v->name, "storm"))
		return !ctx->diag;
	if (str_eq(v->name, "audit"))
		return !ctx->audit;
	if (!str_eq(v->name, "wiring"))
		return false;
	for (uint32_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->plan_peer != PORT_NONE && p->lldp_device[0] &&
			runbook_within(m, ref_of_port(p), subject))
			return false;
	}
	return true;
}

unsigned runbook_devices(const struct model *m, struct ref subject, unsigned *old)
{
	unsigned n = 0;

	*old = 0;
	for (uint32_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (!runbook_device_within(m, i, subject))
			continue;
		n++;
		*old += device_is_old(d) || d->state == DEV_PENDING;
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
	/* What was pushed out of the ring is as little known as what was before. */
	if (last && oldest && oldest->wall_us > last)
		last = oldest->wall_us;
	return !last ? 0 : now_us > last ? now_us - last : 1;
}
