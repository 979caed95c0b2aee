/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of model_links() while a fabric comes up: its devices report their neighbours one after
 * the other, and the list of links is read after each. CPU time of one thread.
 *
 *   PRESET=24k build/tests/bench/bench_wiring
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/support/figures.h"

/* All neighbours of a device as the plan has them. */
static void tell_neighbours(struct model *m, const struct device *d, int64_t now)
{
	struct obs *o = obs_new(d->name, "medium");
	char hostname[NAME_MAX_LEN];

	(void)str_printf(hostname, sizeof(hostname), "n-%s", d->name);
	obs_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, hostname);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]], *q;

		if (p->plan_peer == PORT_NONE)
			continue;
		q = m->ports.at[p->plan_peer];
		obs_lldp(o, obs_port(o, p->name), model_dev_of(m, q)->name, q->name);
	}
	o->received_us = now;
	model_apply(m, o, now);
	obs_free(o);
}

static double links(struct model *m)
{
	double t = thread_cpu_us() / 1e3;

	model_links(m);
	return thread_cpu_us() / 1e3 - t;
}

int main(void)
{
	const char *preset = getenv("PRESET") ? getenv("PRESET") : "4k";
	int64_t now = INT64_C(1763726000) * CLOCK_SEC;
	double sum = 0, longest = 0, all;
	struct plan plan;
	struct figures *f;
	struct model *m;

	if (!sizing_preset(preset)) {
		(void)fprintf(stderr, "PRESET=%s: there are %s\n", preset, sizing_preset_names());
		return 2;
	}
	bench_fabric_plan(&plan, preset);
	m = model_new(&plan);
	for (size_t i = 0; i < m->devices.n; i++) {
		double took;

		tell_neighbours(m, m->devices.at[i], now);
		took = links(m);
		sum += took;
		longest = took > longest ? took : longest;
	}
	m->links_dirty = true;
	all = links(m);
	f = figures_new("wiring");
	figure(f, "a device tells its neighbours: mean", sum / (double)m->devices.n, "ms CPU", 0);
	figure(f, "the longest", longest, "ms CPU", 10);
	figure(f, "all ports looked at", all, "ms CPU", 0);
	model_free(m);
	plan_free(&plan);
	return figures_end(f) ? 0 : 1;
}
