/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "actions/kinds/perftest.h"
#include "base/str.h"

static bool serve_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	return perftest_wants(at, VERB_PERFTEST_SERVE, look, err);
}

static bool serve_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n = at->dev ? perftest_nics(at->model, at->dev, at->port, nics) : 0;

	if (!perftest_ready(at, now, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct order o = perftest_order(at, VERB_PERFTEST_SERVE, nics[i]);

		for (unsigned t = 0; t < PERFTEST_TOOLS; t++) {
			if (!perftest_runs(now, o.port, o.tcp_port + t))
				continue;
			err_set(err, ERR_REFUSED, o.port, "a program of perftest runs there");
			return err_cure(err, "wait until it ends, ten minutes at most");
		}
		/* The last rail is measured when all others are done. */
		o.seconds = (unsigned)(n + 1) * 2 * (PERFTEST_SECONDS + 10);
		if (o.seconds > PERFTEST_SERVE_MOST_S)
			o.seconds = PERFTEST_SERVE_MOST_S;
		(void)step_add(out, &o, NULL);
	}
	return true;
}

static void serve_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n = at->dev ? perftest_nics(at->model, at->dev, at->port, nics) : 0;

	(void)now;
	(void)str_printf(dst, size,
		"servers of perftest wait on %zu NIC%s of %s, and end by themselves", n,
		str_plural(n), at->device->name);
}

const struct action_ops action_perftest_serve = {
	.name = "perftest-serve",
	.title = "wait for a measurement of bandwidth and latency (perftest)",
	.help = "Begins ib_write_bw and ib_read_lat on each NIC of an idle host, or on one NIC: "
		"they wait for one client each, and end after some minutes in any case. Then "
		"measure another host with perftest-run. railtop accept does both.",
	.kinds = 1u << REF_DEVICE | 1u << REF_PORT,
	.needs = NEED_IDLE_HOST,
	.harmless = true,
	.by_name = true,
	.wants = serve_wants,
	.compose = serve_compose,
	.expect = serve_expect,
};
