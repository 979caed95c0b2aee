/* SPDX-License-Identifier: Apache-2.0 */
/* Guard of capacity: enough hosts stay in service. */
#include "actions/guards/guard.h"
#include "base/str.h"

static bool answers(const struct model *m, const char *name)
{
	const struct device *d = model_device(m, name);

	return d && (d->state == DEV_FRESH || d->state == DEV_LATE);
}

bool guard_hosts(const struct guard_context *x, struct refusal *out)
{
	const struct plan *p = x->at->plan;
	unsigned hosts = 0, away = 0, most = plan_hosts_out(p);

	if (!(x->action->needs & NEED_HOSTS))
		return true;
	if (!x->at->model)
		return refuse(out, CURE_AGAIN, "the hosts that answer are not known");
	for (size_t i = 0; i < p->devices.n; i++) {
		const struct plan_device *d = &p->devices.at[i];

		if (d->tier != TIER_HOST)
			continue;
		hosts++;
		away += d != x->at->device && !answers(x->at->model, d->name);
	}
	if (away + 1 <= most)
		return true;
	return refuse(out,
		"bring other hosts back first (railtop check), or state actions.hosts_out",
		"%u of %u other hosts %s not answer, and %u may be out in all", away, hosts - 1,
		str_count_word(away, "does", "do"), most);
}
