/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of actions on the console's main thread: an idle turn at 24k GPUs, and the state before
 * an action as a document at 4k, which is needed once an action.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actions/manager/manager.h"
#include "archive/export/snapshot.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/figures.h"

enum { TURNS = 100000, POLLS = 6, SHOTS = 20 };
#define TURN_NS_MAX 10000
#define SHOT_MS_MAX 100

static const struct transport *no_transport(enum transport_kind kind)
{
	(void)kind;
	return NULL;
}

/* ns of a turn with nothing to do. */
static double turn_cost(const char *preset)
{
	struct action_manager_opts o = {.transport = no_transport};
	struct sim_run run;
	struct bed bed;
	struct err err = {0};
	struct action_manager *a;
	int64_t start;

	if (!sim_run_open(&run, preset, 1, NULL, &sweep_none, &err))
		bench_fail_err(NULL, &err);
	bed_open(&bed, &run.plan, &sweep_none);
	run.plan.actions.granted = true;
	run.plan.actions.ledger = mem_strdup("/nonexistent/actions.jsonl");
	o.plan = &run.plan;
	a = manager_open(&o, &err);
	if (!a)
		bench_fail_err(NULL, &err);
	start = clock_mono(&clock_system);
	for (int i = 0; i < TURNS; i++)
		(void)manager_turn(a, bed.m, run.now_us);
	start = clock_mono(&clock_system) - start;
	manager_close(a);
	bed_close(&bed);
	sim_run_close(&run);
	return (double)start * 1000 / TURNS;
}

/* Of this thread: others on the machine do not count. */
static int64_t cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * CLOCK_SEC + t.tv_nsec / 1000;
}

/* A leaf and the link partner of its first port, as acting_snapshot() picks them. */
static struct snapshot_some pick(const struct model *m, uint32_t ids[2])
{
	struct snapshot_some some = {ids, 1};

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		const struct port *peer = NULL;

		if (d->tier != TIER_LEAF || !d->ports.n)
			continue;
		ids[0] = d->id;
		peer = port_peer(m, m->ports.at[d->ports.at[0]], NULL);
		if (peer)
			ids[some.n++] = peer->device;
		break;
	}
	return some;
}

static double shot(const struct bed *bed, int64_t now_us, size_t *size)
{
	uint32_t ids[2];
	struct snapshot_some some = pick(bed->m, ids);
	struct err err = {0};
	char *text = NULL, hash[65];
	size_t n = 0;
	int64_t start = cpu_us();
	FILE *f = open_memstream(&text, &n);

	if (!f || !snapshot_json_some(bed->m, bed->d, &some, now_us, f, &err))
		bench_fail_err(NULL, &err);
	(void)fclose(f);
	sha256_hex(text, n, hash);
	start = cpu_us() - start;
	*size = n;
	free(text);
	return (double)start / CLOCK_MSEC;
}

static void bench_snapshot(struct figures *f)
{
	struct sim_run run;
	struct bed bed;
	struct err err = {0};
	double worst = 0;
	size_t size = 0;

	if (!sim_run_open(&run, figures_quick() ? "ref256" : "4k", 1, NULL, &sweep_none, &err))
		bench_fail_err(NULL, &err);
	bed_open(&bed, &run.plan, &sweep_none);
	for (int i = 0; i < POLLS; i++)
		sim_run_poll(&run, &bed);
	for (int i = 0; i < SHOTS; i++) {
		double ms = shot(&bed, run.now_us, &size);

		worst = ms > worst ? ms : worst;
	}
	figure(f, "the state before an action, 4k, worst of 20", worst, "ms CPU", SHOT_MS_MAX);
	figure(f, "its size", (double)size / 1024, "KB", 0);
	bed_close(&bed);
	sim_run_close(&run);
}

int main(void)
{
	struct figures *f = figures_new("acts");

	figure(f, "a turn with nothing to do, 24k", turn_cost(figures_quick() ? "ref256" : "24k"),
		"ns", TURN_NS_MAX);
	bench_snapshot(f);
	return figures_end(f) ? 0 : 1;
}
