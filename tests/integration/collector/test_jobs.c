/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/collector/collector.h"
#include "backends/jobs/election.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"
#include "tests/support/built.h"

/*
 * Jobs of the emulated fabric as the collectors find them. RAS goes through the hosts' SSH
 * sessions; the way from rank to leaf port comes from the hosts and their neighbours.
 */

#define PATIENCE_MS 90000
#define HOSTS       32
#define LEAVES      8

struct watch {
	struct lab lab;
	struct plan plan;
	struct model *model;
	struct job_election *election;
	struct collector *collector;
	struct bell bell;
	unsigned asked[HOSTS + LEAVES]; /* answers about jobs, by device */
	bool on[HOSTS + LEAVES];
	unsigned host_errors; /* failures that the devices were blamed for */
};

/* ---- the fabric, as its inventory has it ---- */

static char *slurp(const char *path)
{
	static char text[8192];
	FILE *f = fopen(path, "re");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

static void add_devices(struct watch *w, const char *line, const char *names, unsigned count,
	const char *dialect, enum tier tier)
{
	const char *at = strstr(line, names), *address, *port;
	unsigned a, b, c, first, number;
	char text[300];

	assert_non_null(at);
	address = strstr(at, "address: \"");
	port = strstr(at, "port: ");
	assert_true(address && port);
	assert_int_equal(sscanf(address, "address: \"%u.%u.%u.[%u", &a, &b, &c, &first), 4);
	assert_int_equal(sscanf(port, "port: %u", &number), 1);
	for (unsigned i = 0; i < count; i++) {
		struct plan_device *d = vec_add(&w->plan.devices);

		memset(d, 0, sizeof(*d));
		(void)str_printf(d->name, sizeof(d->name),
			tier == TIER_HOST ? "node%03u" : "leaf-r%u-00", i);
		d->tier = tier;
		d->rail = tier == TIER_HOST ? -1 : (int)i;
		d->port = number;
		d->interval_us = CLOCK_SEC;
		d->medium_us = 2 * CLOCK_SEC;
		d->dialect = mem_strdup(dialect);
		d->transport = mem_strdup("ssh");
		d->user = mem_strdup("noc");
		(void)str_printf(text, sizeof(text), "%u.%u.%u.%u", a, b, c, first + i);
		d->address = mem_strdup(text);
		(void)str_printf(text, sizeof(text), "%s/id_ed25519", w->lab.dir);
		d->identity = mem_strdup(text);
		(void)str_printf(text, sizeof(text), "%s/known_hosts", w->lab.dir);
		d->known_hosts = mem_strdup(text);
	}
}

static void on_election(void *ctx, const char *device, bool on)
{
	struct watch *w = ctx;
	int i = plan_find(&w->plan, device);

	assert_true(i >= 0);
	w->on[i] = on;
	collector_jobs(w->collector, device, on);
}

static int setup(void **state)
{
	struct watch *w = mem_calloc(1, sizeof(*w));
	struct collector_opts opts = {.wake = bell_ring, .ctx = &w->bell, .publish_us = 100000};
	struct plan_jobs *j;
	struct err err = {0};
	char *yaml;

	lab_start(&w->lab, (const char *const[]){NULL});
	yaml = slurp(w->lab.inventory);
	assert_non_null(strstr(yaml, "jobs: {source: nccl-ras}"));
	plan_init(&w->plan);
	add_devices(w, yaml, "names: \"node[", HOSTS, "linux", TIER_HOST);
	add_devices(w, yaml, "names: \"leaf-r[", LEAVES, "sonic", TIER_LEAF);
	j = vec_add(&w->plan.jobs);
	memset(j, 0, sizeof(*j));
	(void)str_copy(j->source, sizeof(j->source), "nccl-ras");
	bell_open(&w->bell);
	w->model = model_new(&w->plan);
	w->election = job_election_new(&w->plan);
	w->collector = collector_start(&w->plan, &opts, &err);
	if (!w->collector)
		fail_msg("%s", err.text);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct watch *w = *state;

	collector_stop(w->collector);
	bell_close(&w->bell);
	job_election_free(w->election);
	model_free(w->model);
	plan_free(&w->plan);
	lab_stop(&w->lab);
	free(w);
	return 0;
}

static void take(struct watch *w)
{
	struct obs *o = collector_drain(w->collector), *next;

	for (; o; o = next) {
		int i = plan_find(&w->plan, o->device);

		next = o->next;
		o->next = NULL;
		model_apply(w->model, o, clock_wall(&clock_system));
		job_election_heard(w->election, w->model, o, clock_mono(&clock_system));
		if (i >= 0 && str_eq(o->request, "nccl-ras") && o->result == OBS_DATA)
			w->asked[i]++;
		if (o->result == OBS_FAILED && !o->followed)
			w->host_errors++;
		obs_free(o);
	}
	(void)model_links(w->model);
	job_election_step(w->election, w->model, clock_mono(&clock_system), on_election, w);
}

#define AWAIT(w, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition)) {                                                             \
			if (!bell_wait(&(w)->bell, until_))                                        \
				fail_msg("%s: not within %d s", #condition, PATIENCE_MS / 1000);   \
			take(w);                                                                   \
		}                                                                                  \
	} while (0)

/* ---- the expected state ---- */

static const struct comm *world(const struct watch *w, size_t job)
{
	return job_world(w->model->nccl, w->model->nccl->jobs.at[job], NULL);
}

/* A rank with its whole path to the leaf known, each step from its own source. */
static bool is_traced(const struct watch *w, const struct rank *r)
{
	const struct port *nic, *leaf;

	if (r->host == JOB_NONE || r->gpu < 0 || r->nic == JOB_NONE ||
		r->nic_source != SOURCE_TOPOLOGY)
		return false;
	nic = w->model->ports.at[r->nic];
	if (nic->device != r->host || nic->lldp_peer == PORT_NONE)
		return false;
	leaf = w->model->ports.at[nic->lldp_peer];
	return w->model->devices.at[leaf->device]->tier == TIER_LEAF;
}

static unsigned traced(const struct watch *w)
{
	unsigned n = 0;

	for (size_t k = 0; k < w->model->nccl->jobs.n; k++) {
		const struct comm *c = world(w, k);

		for (int32_t i = 0; c && i < c->nranks; i++)
			n += is_traced(w, &c->rank[i]);
	}
	return n;
}

static int64_t launched(const struct watch *w)
{
	int64_t n = 0;

	for (size_t k = 0; k < w->model->nccl->jobs.n; k++) {
		const struct comm *c = world(w, k);

		for (unsigned f = 0; c && f < c->nfuncs; f++)
			n += comm_launched(c, f);
	}
	return n;
}

static void check_rails(const struct watch *w)
{
	for (size_t k = 0; k < w->model->nccl->jobs.n; k++) {
		const struct comm *c = world(w, k);

		for (int32_t i = 0; c && i < c->nranks; i++) {
			const struct port *nic = w->model->ports.at[c->rank[i].nic];
			const struct port *leaf = w->model->ports.at[nic->lldp_peer];
			char name[32];

			(void)str_printf(name, sizeof(name), "mlx5_%d", c->rank[i].gpu);
			assert_string_equal(nic->name, name);
			(void)str_printf(name, sizeof(name), "leaf-r%d-00", c->rank[i].gpu);
			assert_string_equal(w->model->devices.at[leaf->device]->name, name);
		}
	}
}

static unsigned asked_hosts(const struct watch *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HOSTS; i++)
		n += w->on[i];
	return n;
}

static unsigned answers_of_elected(const struct watch *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HOSTS; i++)
		n += w->on[i] ? w->asked[i] : 0;
	return n;
}

static void inject(const struct watch *w, const char *what)
{
	char program[256];
	const char *argv[] = {built_path("railtop-emulator", program, sizeof(program)), "ctl",
		w->lab.dir, "inject", what, NULL};
	int status = -1;
	char *out = run_command(argv, NULL, "", NULL, &status);

	if (status != 0)
		fail_msg("inject %s: exit %d: %s", what, status, out ? out : "");
	free(out);
}

/* ---- tests ---- */

CASE_WITH(ranks_are_found_from_job_to_leaf, setup, teardown)
{
	struct watch *w = *state;
	unsigned first = HOSTS, answers;
	int64_t before;
	char what[64];

	AWAIT(w, traced(w) == 256);
	assert_int_equal(w->model->nccl->jobs.n, 2);
	check_rails(w);
	AWAIT(w, asked_hosts(w) == 2);
	before = launched(w);
	AWAIT(w, launched(w) > before);
	assert_int_equal(w->host_errors, 0);

	/* A host that answered for its job is lost: another answers. */
	for (unsigned i = 0; i < HOSTS; i++)
		if (w->on[i])
			first = i;
	assert_true(first < HOSTS);
	(void)str_printf(what, sizeof(what), "device-down:node%03u", first);
	inject(w, what);
	AWAIT(w, !w->on[first]);
	AWAIT(w, asked_hosts(w) == 2);
	answers = answers_of_elected(w);
	AWAIT(w, answers_of_elected(w) > answers + 1);
}

int main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	return cases_run(NULL, NULL);
}
