/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/trace/trace.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/sim_run.h"

/*
 * The project's main purpose: from a rank that lags to the link that flaps. A trace counts as right
 * when its culprit is the cable of the fault and the chain marks an end of it, and nothing else.
 */

#define LENGTH_US (45 * CLOCK_SEC)

struct traced {
	unsigned polls, right;
	char said[160]; /* the last that was wrong, "" */
};

/* The port that the only fault is at; PORT_NONE before it is on. */
static uint32_t fault_port(const struct sim_run *run, const struct model *m, double now_s)
{
	json_t *truth = sim_run_truth(run);
	const json_t *f = json_array_get(json_object_get(truth, "faults"), 0);
	const char *device = json_string_value(json_object_get(f, "device"));
	const char *port = json_string_value(json_object_get(f, "port"));
	const struct device *d = device ? model_device(m, device) : NULL;
	const struct port *p = d && port ? model_port(m, d, port) : NULL;
	/* Its first two polls are for detection. */
	bool on = json_number_value(json_object_get(f, "start")) + 10 < now_s;

	json_decref(truth);
	return p && on ? p->id : PORT_NONE;
}

static bool is_behind(const struct model *m, const struct rank *k, uint32_t port)
{
	const struct port *leaf =
		k->nic == JOB_NONE ? NULL : port_peer(m, m->ports.at[k->nic], NULL);

	if (k->nic == port)
		return true;
	return leaf && leaf->device == m->ports.at[port]->device;
}

/* A rank whose traffic may cross the link; REF_NONE: there is none. */
static struct ref rank_behind(const struct model *m, uint32_t port)
{
	for (uint32_t i = 0; i < m->nccl->comms.n; i++) {
		const struct comm *c = m->nccl->comms.at[i];

		for (int32_t k = 0; k < c->nranks; k++)
			if (is_behind(m, &c->rank[k], port))
				return (struct ref){.kind = REF_RANK, .comm = i, .rank = k};
	}
	return (struct ref){.kind = REF_NONE};
}

static bool at_cable(const struct model *m, struct ref at, uint32_t port)
{
	const struct port *peer = port_peer(m, m->ports.at[port], NULL);

	return (at.kind == REF_PORT || at.kind == REF_PRIORITY || at.kind == REF_LINK) &&
	       (at.port == port || (peer && at.port == peer->id));
}

static bool names_cable(const struct model *m, const struct trace *t, uint32_t port)
{
	unsigned marked = 0;

	for (size_t i = 0; i < t->chain.n; i++) {
		if (t->chain.at[i].state != HOP_CULPRIT)
			continue;
		if (!at_cable(m, t->chain.at[i].at, port))
			return false;
		marked++;
	}
	return marked && at_cable(m, t->culprit, port) &&
	       (t->id == FIND_LINK_FLAPPING || t->id == FIND_LINK_DOWN);
}

static void trace_once(struct traced *x, const struct bed *bed, uint32_t port, int64_t now_us)
{
	struct ref from = rank_behind(bed->m, port);
	struct trace t = {0};
	struct err err = {0};

	x->polls++;
	if (!trace_from(bed->d, bed->m, from, now_us, &t, &err)) {
		(void)str_copy(x->said, sizeof(x->said), err.text);
		return;
	}
	if (names_cable(bed->m, &t, port))
		x->right++;
	else
		(void)str_copy(x->said, sizeof(x->said), t.summary);
	trace_free(&t);
}

static void trace_scenario(const char *name, uint64_t seed, struct traced *x)
{
	struct sim_run run;
	struct bed bed;
	struct err err = {0};
	char path[300];

	(void)str_printf(path, sizeof(path), "tests/scenarios/faults/%s.scenario", name);
	if (!sim_run_open(&run, "ref256", seed, path, &sweep_none, &err)) {
		(void)fprintf(stderr, "%s: %s\n", path, err.text);
		return;
	}
	bed_open(&bed, &run.plan, &sweep_none);
	while (run.now_us < SIM_START + LENGTH_US) {
		uint32_t port;

		sim_run_poll(&run, &bed);
		port = fault_port(&run, bed.m, (double)run.now_us / 1e6);
		if (port != PORT_NONE)
			trace_once(x, &bed, port, run.now_us);
	}
	bed_close(&bed);
	sim_run_close(&run);
}

void bench_trace(const struct bench *b)
{
	static const char *const names[] = {"host-link-flap", "fabric-link-flap"};
	char text[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct traced x = {0};

		for (uint64_t seed = 2; seed <= (b->full ? 3 : 2); seed++)
			trace_scenario(names[i], seed, &x);
		if (*x.said)
			(void)printf("    %s: %s\n", names[i], x.said);
		(void)str_printf(text, sizeof(text), "trace from a rank to the link: %s", names[i]);
		figure_least(b->figures, text, x.polls ? 100.0 * x.right / x.polls : 0, "%", 97.5);
	}
}
