/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labelled suite: every scenario file of this folder in its presets, on fabrics of other shapes
 * (topologies/) and with its seeds, in simulated time and without a network. The checks read the
 * fabric's counters, so that a fault shows where it shows on real hardware. In every run one end
 * receives the traffic that the other sends.
 *
 *   SCENARIO=pfc-storm build/tests/scenarios/test_scenarios     only files of that name
 */
#include <dirent.h>
#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "emulator/serve/topology_file.h"
#include "tests/scenarios/metric.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenario_file.h"

#define START       (INT64_C(1763726000) * CLOCK_SEC)
#define FOLDER      "tests/scenarios/faults"
#define RUNS_MOST   512
#define JOBS_MOST   16
#define BYTES_APART 8.0 /* counters are whole numbers at both ends of a cable */

/* The metric of one check at one of its times: a value a port, or a job. */
struct reading {
	double *value;
	size_t n;
};

enum when { FROM, TO, REF_FROM, REF_TO, WHENS };

struct run {
	const struct scenario *scenario;
	const char *preset;
	uint64_t seed;
	char name[128];
	struct topology *topology;
	struct sim *sim;
	json_t *truth;
	size_t nports;
	struct reading reading[SCENARIO_CHECKS][WHENS];
	unsigned failed;
};

/* ---- readings: ports by number, over all devices ---- */

static bool is_steps(const struct scenario_check *c)
{
	return strcmp(c->metric, "steps") == 0;
}

static void read_ports(struct run *r, const struct metric *m, struct reading *out)
{
	struct sim_device *d;

	out->value = mem_calloc(r->nports, sizeof(double));
	for (size_t k = 0; (d = sim_device(r->sim, k)); k++)
		for (unsigned i = 0; i < d->nports; i++)
			out->value[out->n++] = m->of(&d->ports[i]);
}

static void read_jobs(struct run *r, struct reading *out)
{
	struct sim_job_view job;

	out->value = mem_calloc(JOBS_MOST, sizeof(double));
	for (size_t i = 0; i < sim_job_count(r->sim) && i < JOBS_MOST; i++) {
		sim_job(r->sim, i, &job);
		out->value[out->n++] = (double)job.step;
	}
}

static int64_t time_of(const struct scenario_check *c, enum when w)
{
	switch (w) {
	case FROM:
		return c->from;
	case TO:
		return c->to;
	case REF_FROM:
		return c->relative ? c->ref_from : -1;
	default:
		return c->relative ? c->ref_to : -1;
	}
}

static void take_readings(struct run *r, int64_t t)
{
	for (unsigned i = 0; i < r->scenario->nchecks; i++) {
		const struct scenario_check *c = &r->scenario->check[i];

		for (int w = 0; w < WHENS; w++) {
			if (time_of(c, (enum when)w) != t)
				continue;
			if (is_steps(c))
				read_jobs(r, &r->reading[i][w]);
			else
				read_ports(r, metric_find(c->metric), &r->reading[i][w]);
		}
	}
}

/* ---- the entity of a check ---- */

static const char *text_at(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static struct sim_port *named(const struct run *r, const char *device, const char *port)
{
	struct sim_device *d = sim_device_by_name(r->sim, device);

	for (unsigned i = 0; d && i < d->nports; i++)
		if (strcmp(d->ports[i].name, port) == 0)
			return &d->ports[i];
	return NULL;
}

/*
 * "@", "@2", "@peer", "@2uplinks": *rest is the text after the number; returns the fault's own
 * port.
 */
static struct sim_port *fault_port(const struct run *r, const char *entity, const char **rest)
{
	unsigned long n = strtoul(entity + 1, (char **)(uintptr_t)rest, 10);
	json_t *f = json_array_get(json_object_get(r->truth, "faults"), n ? n - 1 : 0);

	return named(r, text_at(f, "device"), text_at(f, "port"));
}

static const char *fault_device(const struct run *r, const char *entity)
{
	unsigned long n = strtoul(entity + 1, NULL, 10);

	return text_at(
		json_array_get(json_object_get(r->truth, "faults"), n ? n - 1 : 0), "device");
}

static bool same_device(const struct sim_port *a, const struct sim_port *b)
{
	return a->tier == b->tier && a->device == b->device;
}

/* Whether port p has this relation to the port of a fault. */
static bool fits_fault(const struct sim_port *fault, const char *word, const struct sim_port *p)
{
	const struct sim_port *leaf = fault->tier == TIER_HOST ? fault->peer : fault;

	if (!*word)
		return p == fault;
	if (strcmp(word, "peer") == 0)
		return p == fault->peer;
	if (strcmp(word, "device") == 0)
		return same_device(p, fault);
	if (!leaf)
		return false;
	if (strcmp(word, "uplinks") == 0)
		return same_device(p, leaf) && p->peer && p->peer->tier > p->tier;
	if (strcmp(word, "spines") == 0)
		return p->peer && same_device(p->peer, leaf) && p->tier > leaf->tier;
	if (strcmp(word, "siblings") == 0)
		return same_device(p, leaf) && p != leaf && p->peer && leaf->peer &&
		       p->peer->tier == leaf->peer->tier;
	if (strcmp(word, "neighbours") == 0)
		return p->tier == TIER_HOST && p != fault && p->peer && same_device(p->peer, leaf);
	return false;
}

static bool fits_tier(const char *word, const struct sim_port *p)
{
	enum tier t;

	return tier_by_name(word, &t) && p->tier == t;
}

static bool fits(const struct run *r, const char *entity, const struct sim_port *p)
{
	const char *rest = "";
	struct sim_port *fault;
	char text[96];

	if (str_starts(entity, "tier:"))
		return fits_tier(entity + 5, p);
	if (strcmp(entity, "any") == 0)
		return true;
	if (strcmp(entity, "others") == 0) {
		fault = fault_port(r, "@", &rest);
		return p != fault && (!fault || p != fault->peer);
	}
	if (strcmp(entity, "@host") == 0)
		return strcmp(sim_device_of(r->sim, p)->name, fault_device(r, entity)) == 0;
	if (entity[0] == '@') {
		fault = fault_port(r, entity, &rest);
		return fault && fits_fault(fault, rest, p);
	}
	(void)str_printf(text, sizeof(text), "%s:%s", sim_device_of(r->sim, p)->name, p->name);
	return fnmatch(entity, text, 0) == 0;
}

/* ---- one check ---- */

static double growth(const struct metric *m, const struct reading *from, const struct reading *to,
	size_t i, double seconds)
{
	if (m->gauge)
		return to->value[i];
	return (to->value[i] - from->value[i]) * m->scale / (m->total ? 1 : seconds);
}

/* The greatest over all ports that fit; NAN when none does. */
static double over_ports(const struct run *r, const struct scenario_check *c,
	const struct reading *from, const struct reading *to, double seconds)
{
	const struct metric *m = metric_find(c->metric);
	struct sim_device *d;
	double most = NAN;
	size_t n = 0;

	for (size_t k = 0; (d = sim_device(r->sim, k)); k++)
		for (unsigned i = 0; i < d->nports; i++, n++)
			if (fits(r, c->entity, &d->ports[i]))
				most = fmax(most, growth(m, from, to, n, seconds));
	return most;
}

static double over_jobs(const struct run *r, const struct scenario_check *c,
	const struct reading *from, const struct reading *to, double seconds)
{
	struct sim_job_view job;
	double sum = NAN;

	for (size_t i = 0; i < to->n; i++) {
		sim_job(r->sim, i, &job);
		if (fnmatch(c->entity, job.name, 0) == 0)
			sum = (isnan(sum) ? 0 : sum) + to->value[i] - from->value[i];
	}
	return sum / seconds;
}

static double measured(const struct run *r, unsigned i, enum when from, enum when to)
{
	const struct scenario_check *c = &r->scenario->check[i];
	const struct reading *a = &r->reading[i][from], *b = &r->reading[i][to];
	double seconds = (double)(time_of(c, to) - time_of(c, from)) / 1e6;

	return is_steps(c) ? over_jobs(r, c, a, b, seconds) : over_ports(r, c, a, b, seconds);
}

static bool has_spines(const struct run *r)
{
	for (size_t i = 0; i < r->topology->ndevices; i++)
		if (r->topology->device[i].tier == TIER_SPINE)
			return true;
	return false;
}

/* A claim about links between switches says nothing where there are none. */
static bool is_above_leaves(const char *entity)
{
	return strstr(entity, "uplinks") || strstr(entity, "spine");
}

static void judge(struct run *r, unsigned i)
{
	const struct scenario_check *c = &r->scenario->check[i];
	double have = measured(r, i, FROM, TO), want = c->value;

	if (is_above_leaves(c->entity) && !has_spines(r))
		return;
	if (c->relative)
		want *= measured(r, i, REF_FROM, REF_TO);
	if (c->op == '<' ? have < want : have > want)
		return;
	print_error("%s:%u: %s: %s %s is %g, wanted %c %g\n", r->scenario->path, c->line, r->name,
		c->metric, c->entity, have, c->op, want);
	r->failed++;
}

static void judge_due(struct run *r, int64_t t)
{
	for (unsigned i = 0; i < r->scenario->nchecks; i++)
		if (r->scenario->check[i].to == t)
			judge(r, i);
}

/* ---- invariants of every run ---- */

static bool recabled_or_cleared(const struct run *r)
{
	json_t *f;
	size_t i;

	json_array_foreach(json_object_get(r->truth, "faults"), i, f)
	{
		const char *class = text_at(f, "class");

		if (!strcmp(class, "miswire") || !strcmp(class, "clear-counters") ||
			!strcmp(class, "reboot"))
			return true;
	}
	return false;
}

static void conserve(
	struct run *r, const struct sim_port *p, const char *what, uint64_t sent, uint64_t received)
{
	if (fabs((double)sent - (double)received) <= BYTES_APART || r->failed > 10)
		return;
	print_error("%s: %s:%s sent %llu %s, its peer received %llu\n", r->name,
		sim_device_of(r->sim, p)->name, p->name, (unsigned long long)sent, what,
		(unsigned long long)received);
	r->failed++;
}

static void conserve_device(struct run *r, const struct sim_device *d)
{
	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (!p->peer)
			continue;
		conserve(r, p, "bytes", p->tx_bytes, p->peer->rx_bytes);
		conserve(r, p, "pause frames", p->q[SIM_PRIO_ROCE].pfc_tx_frames,
			p->peer->q[SIM_PRIO_ROCE].pfc_rx_frames);
		conserve(r, p, "us of pause", p->q[SIM_PRIO_ROCE].pfc_tx_us,
			p->peer->q[SIM_PRIO_ROCE].pfc_rx_us);
	}
}

static void check_conservation(struct run *r)
{
	struct sim_device *d;

	if (recabled_or_cleared(r))
		return;
	for (size_t i = 0; (d = sim_device(r->sim, i)); i++)
		conserve_device(r, d);
}

/* ---- labels ---- */

static bool label_is(const struct scenario_label *l, json_t *f)
{
	json_t *peer = json_object_get(f, "peer");
	char mine[96], theirs[96];

	if (strcmp(l->class, text_at(f, "class")) != 0)
		return false;
	(void)str_printf(mine, sizeof(mine), "%s%s%s", text_at(f, "device"),
		*text_at(f, "port") ? ":" : "", text_at(f, "port"));
	(void)str_printf(
		theirs, sizeof(theirs), "%s:%s", text_at(peer, "device"), text_at(peer, "port"));
	return fnmatch(l->entity, mine, 0) == 0 || fnmatch(l->entity, theirs, 0) == 0;
}

/* The truth that the range writes down is the label, no more and no less; stress is no fault. */
static void check_labels(struct run *r)
{
	json_t *f;
	size_t i;
	unsigned faults = 0, found = 0;

	json_array_foreach(json_object_get(r->truth, "faults"), i, f)
	{
		if (json_is_false(json_object_get(f, "blame")))
			continue;
		faults++;
		for (unsigned k = 0; k < r->scenario->nlabels; k++) {
			if (label_is(&r->scenario->label[k], f)) {
				found++;
				break;
			}
		}
	}
	if (found == faults && found >= r->scenario->nlabels)
		return;
	print_error("%s: %s: %u faults in the truth, %u labels, %u agree\n", r->scenario->path,
		r->name, faults, r->scenario->nlabels, found);
	r->failed++;
}

/* The truth's value of `what`: the length of a list, or a number. */
static double harm_of(json_t *fault, const char *what)
{
	json_t *v = json_object_get(fault, "victims");

	if (strcmp(what, "innocent") == 0)
		return (double)json_array_size(json_object_get(fault, "innocent"));
	if (strcmp(what, "jobs") == 0)
		return (double)json_array_size(json_object_get(v, "jobs"));
	return json_number_value(
		json_object_get(v, strcmp(what, "nics") == 0 ? "slowed_nics" : "paused_ports"));
}

static void check_harm(struct run *r)
{
	for (unsigned i = 0; i < r->scenario->nharms; i++) {
		const struct scenario_harm *h = &r->scenario->harm[i];
		double n = harm_of(
			json_array_get(json_object_get(r->truth, "faults"), h->fault - 1), h->what);

		if (h->op == '<' ? n < h->value : n > h->value)
			continue;
		print_error("%s:%u: %s: fault %u harms %g %s, wanted %c %g\n", r->scenario->path,
			h->line, r->name, h->fault, n, h->what, h->op, h->value);
		r->failed++;
	}
}

static bool same_port(json_t *a, json_t *b)
{
	return strcmp(text_at(a, "device"), text_at(b, "device")) == 0 &&
	       strcmp(text_at(a, "port"), text_at(b, "port")) == 0;
}

/* No entity may be called innocent of a fault in its own port. */
static void check_innocents(struct run *r)
{
	json_t *f, *who;
	size_t i, k;

	json_array_foreach(json_object_get(r->truth, "faults"), i, f)
	{
		json_array_foreach(json_object_get(f, "innocent"), k, who)
		{
			if (!*text_at(f, "port") || !same_port(f, who))
				continue;
			print_error("%s: %s:%s is culprit and innocent\n", r->name,
				text_at(f, "device"), text_at(f, "port"));
			r->failed++;
		}
	}
}

/* ---- a run ---- */

static int64_t next_time(const struct scenario *s, int64_t after)
{
	int64_t next = s->length > after ? s->length : INT64_MAX;

	for (unsigned i = 0; i < s->nchecks; i++) {
		for (int w = 0; w < WHENS; w++) {
			int64_t t = time_of(&s->check[i], (enum when)w);

			if (t > after && t < next)
				next = t;
		}
	}
	return next;
}

static void look(struct run *r, int64_t t)
{
	char *text;
	struct sim_device *d;

	sim_advance(r->sim, START + t);
	for (size_t i = 0; (d = sim_device(r->sim, i)); i++)
		sim_live(r->sim, d);
	text = sim_truth(r->sim);
	json_decref(r->truth);
	r->truth = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(r->truth);
	take_readings(r, t);
	judge_due(r, t);
	check_conservation(r);
}

static void close_run(struct run *r)
{
	for (unsigned i = 0; i < r->scenario->nchecks; i++) {
		for (int w = 0; w < WHENS; w++) {
			free(r->reading[i][w].value);
			r->reading[i][w] = (struct reading){0};
		}
	}
	json_decref(r->truth);
	r->truth = NULL;
	sim_free(r->sim);
	topology_free(r->topology);
	r->sim = NULL;
	r->topology = NULL;
}

static void test_run(void **state)
{
	struct run *r = *state;
	struct sim_opts o = {.seed = r->seed, .start_us = START, .speed = 1};
	struct err err = {0};
	char text[900];
	struct sim_device *d;

	r->topology = topology_named(r->preset, NULL, &err);
	if (!r->topology)
		fail_msg("%s", err_format(&err, text, sizeof(text)));
	o.topology = r->topology;
	r->sim = sim_new(&o);
	for (size_t i = 0; (d = sim_device(r->sim, i)); i++)
		r->nports += d->nports;
	if (!sim_scenario(r->sim, r->scenario->path, &err))
		fail_msg("%s", err_format(&err, text, sizeof(text)));
	for (int64_t t = 0; t != INT64_MAX; t = next_time(r->scenario, t))
		look(r, t);
	check_labels(r);
	check_harm(r);
	check_innocents(r);
	close_run(r);
	assert_int_equal(r->failed, 0);
}

/* ---- all of them ---- */

static int is_scenario(const struct dirent *e)
{
	const char *only = getenv("SCENARIO");
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, ".scenario") == 0 && (!only || strstr(e->d_name, only));
}

/* The runs of all files. */
struct runs {
	struct run *run;
	size_t n;
	unsigned big; /* files so far that name a big preset */
};

static void add_run(struct runs *to, const struct scenario *s, const char *file, const char *preset,
	uint64_t seed)
{
	struct run *r = &to->run[to->n];

	if (to->n == RUNS_MOST)
		return;
	to->n++;
	*r = (struct run){.scenario = s, .preset = preset, .seed = seed};
	(void)str_printf(r->name, sizeof(r->name), "%.*s %s seed %llu",
		(int)(strlen(file) - strlen(".scenario")), file, preset, (unsigned long long)seed);
}

/*
 * With FULL=1 every seed on the preset of the file, and the first on its big preset and on each
 * shape. Else one seed on one of the preset and the shapes, another one in each file, and one
 * file in eight on its big preset.
 */
static void add_runs(struct runs *to, const struct scenario *s, const char *file, size_t number)
{
	const char *shape[SCENARIO_SHAPES];
	unsigned n = scenario_shapes(s, shape), turn = (unsigned)(number % (n + 1));

	if (effort_full()) {
		for (unsigned k = 0; k < s->nseeds; k++)
			add_run(to, s, file, s->presets[0], s->seed[k]);
		for (unsigned k = 0; k < n; k++)
			add_run(to, s, file, shape[k], s->seed[0]);
	} else {
		add_run(to, s, file, turn ? shape[turn - 1] : s->presets[0],
			s->seed[number % s->nseeds]);
	}
	if (s->npresets > 1 && (effort_full() || to->big++ % 8 == 0))
		add_run(to, s, file, s->presets[1], s->seed[0]);
}

static bool metrics_known(const struct scenario *s)
{
	for (unsigned i = 0; i < s->nchecks; i++) {
		const struct scenario_check *c = &s->check[i];

		if (is_steps(c) || metric_find(c->metric))
			continue;
		print_error("%s:%u: no metric %s\n", s->path, c->line, c->metric);
		return false;
	}
	return true;
}

int main(void)
{
	struct dirent **file;
	int files = scandir(FOLDER, &file, is_scenario, alphasort), code;
	struct scenario *scenario = mem_calloc((size_t)(files > 0 ? files : 1), sizeof(*scenario));
	struct runs runs = {.run = mem_calloc(RUNS_MOST, sizeof(*runs.run))};
	struct CMUnitTest *test = mem_calloc(RUNS_MOST, sizeof(*test));
	struct err err = {0};
	char path[512], text[900];

	for (int i = 0; i < files; i++) {
		(void)str_printf(path, sizeof(path), FOLDER "/%s", file[i]->d_name);
		if (!scenario_read(&scenario[i], path, &err)) {
			print_error("%s\n", err_format(&err, text, sizeof(text)));
			return 1;
		}
		if (!metrics_known(&scenario[i]))
			return 1;
		add_runs(&runs, &scenario[i], file[i]->d_name, (size_t)i);
		free(file[i]);
	}
	for (size_t i = 0; i < runs.n; i++)
		test[i] = (struct CMUnitTest){.name = runs.run[i].name,
			.test_func = test_run,
			.initial_state = &runs.run[i]};
	code = _cmocka_run_group_tests("scenarios", test, runs.n, NULL, NULL);
	if (files >= 0)
		free(file);
	free(test);
	free(runs.run);
	free(scenario);
	return code;
}
