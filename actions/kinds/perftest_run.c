/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "actions/kinds/perftest.h"
#include "base/str.h"

static bool run_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	return perftest_wants(at, VERB_PERFTEST_RUN, look, err);
}

/* The address of the host at the other end; false: there is none. */
static bool partner_address(
	const struct place_of_action *at, char *dst, size_t size, struct err *err)
{
	const struct device *d =
		at->partner || !at->dev ? NULL : perftest_choose(at->model, at->dev);
	const char *name = at->partner ? at->partner->host : d ? d->name : NULL;
	int i = name ? plan_find(at->plan, name) : -1;

	if (at->partner && at->partner->address && at->partner->address[0])
		return str_copy(dst, size, at->partner->address);
	if (i >= 0)
		return str_copy(dst, size,
			at->plan->devices.at[i].address ? at->plan->devices.at[i].address : name);
	err_set(err, ERR_REFUSED, at->device->name,
		"no other idle host answers to measure against");
	return err_cure(err, "name one: railtop accept %s --partner HOST", at->device->name);
}

static bool run_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n = at->dev ? perftest_nics(at->model, at->dev, at->port, nics) : 0;

	if (!perftest_ready(at, now, err))
		return false;
	for (size_t i = 0; i < n; i++)
		for (unsigned t = 0; t < PERFTEST_TOOLS; t++) {
			struct order o = perftest_order(at, VERB_PERFTEST_RUN, nics[i]);

			o.tool = (enum perftest_tool)t;
			if (!partner_address(at, o.peer, sizeof(o.peer), err))
				return false;
			(void)step_add(out, &o, NULL);
		}
	return true;
}

static void run_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n = at->dev ? perftest_nics(at->model, at->dev, at->port, nics) : 0;

	(void)now;
	(void)str_printf(dst, size, "bandwidth and latency of %zu NIC%s of %s measured", n,
		str_plural(n), at->device->name);
}

const struct action_ops action_perftest_run = {
	.name = "perftest-run",
	.title = "measure bandwidth and latency of the rails of an idle host (perftest)",
	.help = "Runs ib_write_bw for ten seconds and ib_read_lat on each NIC of an idle host, or "
		"on "
		"one NIC, one after the other. They go to the servers that perftest-serve began on "
		"another host. A link is full for those ten seconds. railtop accept does both and "
		"compares with the baselines.",
	.kinds = 1u << REF_DEVICE | 1u << REF_PORT,
	.needs = NEED_IDLE_HOST,
	.harmless = true,
	.by_name = true,
	.wants = run_wants,
	.compose = run_compose,
	.expect = run_expect,
};
