/* SPDX-License-Identifier: Apache-2.0 */
/* Guard of measurements: they take the whole link, so no job may run on the host. */
#include <math.h>

#include "actions/guards/guard.h"
#include "actions/kinds/perftest.h"

#define LOAD_IDLE 0.01

static bool nic_idle(const struct guard_context *x, const struct port *nic, struct refusal *out)
{
	struct blast b;

	blast_of(x->at->model, nic, x->now_us, &b);
	if (b.jobs)
		return refuse(out, "drain the host from the scheduler first", "job %s runs on %s",
			b.names, x->at->device->name);
	if (b.load > LOAD_IDLE)
		return refuse(out, "find what sends there, or wait for two polls",
			"%s of %s carries %.1f %% of its speed", nic->name, x->at->device->name,
			100 * b.load);
	if (b.jobs_unknown && isnan(b.load))
		return refuse(out, "state jobs: in fabric.yaml, or wait for two polls",
			"it is not known if a job runs on %s, nor what %s carries",
			x->at->device->name, nic->name);
	return true;
}

bool guard_idle_host(const struct guard_context *x, struct refusal *out)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n;

	if (!(x->action->needs & NEED_IDLE_HOST))
		return true;
	if (!x->at->model || !x->at->dev)
		return refuse(out, CURE_AGAIN, "the jobs on the host are not known");
	n = perftest_nics(x->at->model, x->at->dev, x->at->port, nics);
	for (size_t i = 0; i < n; i++)
		if (!nic_idle(x, nics[i], out))
			return false;
	return n > 0 || refuse(out, CURE_AGAIN, "no NIC of the host is known");
}
