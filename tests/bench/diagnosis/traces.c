/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a straggler to the link that causes it: tests/scenarios while their faults are on. Traces
 * start at a rank that waits for another, at the place of the fault, and at a job that is not
 * harmed. A rank is drawn again at every poll.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/trace/trace.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/bench/diagnosis/sim_score.h"
#include "tests/support/scenario_file.h"

#define FOLDER       "tests/scenarios/faults"
#define CLASSES_MOST 64
#define JOBS_MOST    32
#define DETECT_S     15.0 /* the first two polls of a fault are for detection */
#define SHOWN        3    /* wrong traces of a run that are printed */

/* The start of a trace. */
enum where { FROM_WAITER, FROM_PLACE, FROM_BYSTANDER, FROM_COUNT };

struct part {
	unsigned traces, culprit, class, verdict;
};
struct case_tally {
	char class[32];
	struct part part[FROM_COUNT];
	unsigned victims; /* named as culprits */
};
struct healthy {
	unsigned polls, quiet, clean, traces, silent;
};
struct suite {
	const struct bench *b;
	struct case_tally all, by_class[CLASSES_MOST];
	size_t classes;
	struct healthy healthy;
	char name[128];
	unsigned shown;
	bool hurt[JOBS_MOST]; /* jobs that a fault of the run has harmed so far */
};

/* A fault that is not in a file of tests/scenarios. */
static const struct {
	const char *name, *spec;
} more[] = {
	{"rank-frozen", "rank-frozen,for=40s"},
	{"gpu-error", "gpu-error:node006,for=40s"},
	{"gpu-straggler-small", "gpu-straggler,delay=400ms,for=40s"},
	{"host-link-down", "link-down:node009:mlx5_2,for=40s"},
	{"uplink-down", "link-down:leaf-r2-00:Ethernet28,for=40s"},
};

static struct case_tally *tally_of(struct suite *s, const char *class)
{
	for (size_t i = 0; i < s->classes; i++)
		if (str_eq(s->by_class[i].class, class))
			return &s->by_class[i];
	if (s->classes == CLASSES_MOST)
		return &s->by_class[0];
	(void)str_copy(s->by_class[s->classes].class, 32, class);
	return &s->by_class[s->classes++];
}

/* ---- the truth ---- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool of_gpu(const char *class)
{
	return str_starts(class, "gpu-") || str_starts(class, "rank-");
}

static bool right_verdict(const char *class, enum verdict v)
{
	return v == (of_gpu(class) ? VERDICT_GPU : VERDICT_NETWORK);
}

static bool harms(const json_t *fault, const char *job)
{
	const json_t *j;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(fault, "victims"), "jobs"), i, j)
	{
		if (str_eq(text_of(j, "name"), job))
			return true;
	}
	return false;
}

static bool is_at_host(const struct model *m, const json_t *fault, uint32_t host)
{
	const json_t *peer = json_object_get(fault, "peer");
	const char *name = m->devices.at[host]->name;

	return str_eq(text_of(fault, "device"), name) || str_eq(text_of(peer, "device"), name);
}

/* ---- where from ---- */

struct scene {
	struct suite *s;
	const struct sim *sim;
	const struct bed *b;
	const json_t *faults;
	double now_s;
	int64_t now_us;
};

/* The model's job for the emulated one: the model knows its hosts, not its name. */
static uint32_t job_of(const struct scene *c, size_t i)
{
	struct sim_job_view v;
	struct sim_rank_view r;
	const struct device *host;

	sim_job(c->sim, i, &v);
	sim_rank(c->sim, i, 0, &r);
	host = v.nranks && r.host ? model_device(c->b->m, r.host->name) : NULL;
	return host ? model_job_of(c->b->m, host->id) : JOB_NONE;
}

static const char *job_name(const struct scene *c, size_t i, struct sim_job_view *v)
{
	sim_job(c->sim, i, v);
	return v->name;
}

/* A rank of the job that is not where a fault is. */
static bool draw_rank(const struct scene *c, uint32_t job, struct ref *out)
{
	const struct nccl *n = c->b->m->nccl;
	uint32_t comm;
	const struct comm *w = job_world(n, n->jobs.at[job], &comm);
	unsigned first =
		w ? (unsigned)(chance(n->jobs.at[job]->name, c->b->poll, 7) * w->nranks) : 0;

	for (int32_t i = 0; w && i < w->nranks; i++) {
		int32_t rank = (int32_t)((first + (unsigned)i) % (unsigned)w->nranks);
		bool free = w->rank[rank].host != JOB_NONE;
		const json_t *f;
		size_t k;

		json_array_foreach(c->faults, k, f)
		{
			free = free && !is_at_host(c->b->m, f, w->rank[rank].host);
		}
		*out = (struct ref){.kind = REF_RANK, .comm = comm, .rank = rank};
		if (free)
			return true;
	}
	return false;
}

static bool place_of_fault(const struct model *m, const json_t *fault, struct ref *out)
{
	const struct device *d = model_device(m, text_of(fault, "device"));
	const struct port *p = d ? model_port(m, d, text_of(fault, "port")) : NULL;

	if (!d || (!p && d->tier != TIER_HOST))
		return false;
	*out = p ? at_port(p->id) : at_device(d->id);
	return true;
}

/* ---- judging ---- */

struct judged {
	bool culprit, class, verdict, victim;
};

static bool names_innocent(const struct scene *c, struct ref at)
{
	const json_t *f, *v;
	size_t i, k;

	json_array_foreach(c->faults, i, f)
	{
		json_array_foreach(json_object_get(f, "innocent"), k, v)
		{
			const struct device *d = model_device(c->b->m, text_of(v, "device"));
			const struct port *p =
				d ? model_port(c->b->m, d, text_of(v, "port")) : NULL;

			if (p && (at.kind == REF_PORT || at.kind == REF_PRIORITY) &&
				at.port == p->id)
				return true;
		}
	}
	return false;
}

static struct judged judge(const struct scene *c, const struct trace *t, const char *job)
{
	const struct finding *said = t->finding ? diag_finding(c->b->d, t->finding) : NULL;
	struct judged j = {0};
	const json_t *f;
	size_t i;

	json_array_foreach(c->faults, i, f)
	{
		/* A fault that has just ended may still be the reason of a wait. */
		if (!sim_fault_on(f, c->now_s, SIM_AFTER_S) || (job && !harms(f, job)))
			continue;
		if (!said || !sim_fault_at(c->b->m, said, f, c->faults))
			continue;
		j.culprit = true;
		j.class |= sim_fault_called(text_of(f, "class"), said->id);
		j.verdict |= right_verdict(text_of(f, "class"), t->verdict);
	}
	j.victim = said && !j.culprit && names_innocent(c, said->at);
	return j;
}

static void show(const struct scene *c, const struct trace *t, const char *what)
{
	char from[96] = "";

	if (c->s->shown++ >= SHOWN)
		return;
	(void)ref_format(c->b->m, t->from, from, sizeof(from));
	(void)printf("    %-36s %3.0f s %s %s: %s %s [%s]\n", c->s->name, c->now_s, what, from,
		t->id < FIND_COUNT ? finding_info[t->id].name : "nothing", verdict_name(t->verdict),
		t->summary);
}

static void add(struct case_tally *t, enum where w, const struct judged *j)
{
	struct part *p = &t->part[w];

	p->traces++;
	p->culprit += j->culprit;
	p->class += j->class;
	p->verdict += j->verdict;
	t->victims += j->victim;
}

static void count(struct scene *c, enum where w, const char *class, const struct judged *j)
{
	add(&c->s->all, w, j);
	add(tally_of(c->s, class), w, j);
}

static void trace_harmed(
	struct scene *c, enum where w, struct ref from, const char *class, const char *job)
{
	struct trace t;
	struct err err = {0};
	struct judged j = {0};

	if (trace_from(c->b->d, c->b->m, from, c->now_us, &t, &err))
		j = judge(c, &t, job);
	else
		(void)printf("    %s: %s\n", c->s->name, err.text);
	count(c, w, class, &j);
	if (!j.culprit || !j.class || !j.verdict)
		show(c, &t, w == FROM_WAITER ? "waits" : "place");
	trace_free(&t);
}

/* Nothing of it may be said to suffer from a place that is at fault nowhere. */
static void trace_bystander(struct scene *c, struct ref from, const char *class)
{
	struct trace t;
	struct err err = {0};
	struct judged j = {0};

	if (!trace_from(c->b->d, c->b->m, from, c->now_us, &t, &err))
		return;
	j.culprit = j.class = !t.finding;
	j.verdict = t.verdict == VERDICT_UNKNOWN;
	j.victim = names_innocent(c, t.culprit);
	count(c, FROM_BYSTANDER, class, &j);
	if (!j.culprit || !j.verdict)
		show(c, &t, "bystander");
	trace_free(&t);
}

static void trace_job(struct scene *c, const json_t *fault, size_t i)
{
	struct sim_job_view v;
	const char *name = job_name(c, i, &v);
	uint32_t job = job_of(c, i);
	const char *class = text_of(fault, "class");
	struct ref from;

	if (job == JOB_NONE || !draw_rank(c, job, &from))
		return;
	if (harms(fault, name))
		trace_harmed(c, FROM_WAITER, from, class, name);
	else if (!c->s->hurt[i])
		trace_bystander(c, from, class);
}

static void take_fault(struct scene *c, const json_t *fault)
{
	struct sim_job_view v;
	bool hurts = false;
	struct ref from;

	for (size_t i = 0; i < sim_job_count(c->sim) && i < JOBS_MOST; i++) {
		trace_job(c, fault, i);
		hurts |= harms(fault, job_name(c, i, &v));
	}
	if (hurts && place_of_fault(c->b->m, fault, &from))
		trace_harmed(c, FROM_PLACE, from, text_of(fault, "class"), NULL);
}

static void take_healthy(struct scene *c)
{
	const struct verdict_report *v = diag_verdict(c->b->d);
	struct healthy *h = &c->s->healthy;

	/* Rates need two polls. */
	if (c->now_s < DETECT_S)
		return;
	h->polls++;
	h->quiet += !v->trouble;
	h->clean += v->fabric_clean;
	for (size_t i = 0; i < v->proof.n && !v->fabric_clean; i++)
		if ((!v->proof.at[i].ok || !v->proof.at[i].checked) && c->s->shown++ < SHOWN)
			(void)printf("    %-36s %3.0f s not clean: %s\n", c->s->name, c->now_s,
				v->proof.at[i].text);
	for (size_t i = 0; i < sim_job_count(c->sim); i++) {
		struct ref from;
		struct trace t;
		struct err err = {0};
		uint32_t job = job_of(c, i);

		if (job == JOB_NONE || !draw_rank(c, job, &from) ||
			!trace_from(c->b->d, c->b->m, from, c->now_us, &t, &err))
			continue;
		h->traces++;
		h->silent += !t.finding && t.verdict == VERDICT_UNKNOWN;
		if (t.finding || t.verdict != VERDICT_UNKNOWN)
			show(c, &t, "healthy");
		trace_free(&t);
	}
}

static void take_poll(struct scene *c)
{
	bool blamed = false;
	struct sim_job_view v;
	const json_t *f;
	size_t i, k;

	json_array_foreach(c->faults, i, f)
	{
		blamed |= !json_is_false(json_object_get(f, "blame"));
		/* It is harmed while it communicates, and not in between. */
		for (k = 0; k < sim_job_count(c->sim) && k < JOBS_MOST; k++)
			c->s->hurt[k] |=
				sim_fault_on(f, c->now_s, 0) && harms(f, job_name(c, k, &v));
		if (sim_fault_on(f, c->now_s, 0) && !sim_fault_on(f, c->now_s - DETECT_S, 0))
			continue;
		if (sim_fault_on(f, c->now_s, 0))
			take_fault(c, f);
	}
	if (!blamed)
		take_healthy(c);
}

static void play(struct suite *s, const char *path, uint64_t seed, int64_t length)
{
	struct sim_run run;
	struct bed bed;
	struct err err = {0};

	if (!sim_run_open(&run, "ref256", seed, path, &sweep_none, &err)) {
		(void)fprintf(stderr, "%s: %s\n", path, err.text);
		return;
	}
	bed_open(&bed, &run.plan, &sweep_none);
	s->shown = 0;
	memset(s->hurt, 0, sizeof(s->hurt));
	while (run.now_us + run.interval_us <= SIM_START + length) {
		json_t *truth;
		struct scene c;

		sim_run_poll(&run, &bed);
		truth = sim_run_truth(&run);
		c = (struct scene){.s = s,
			.sim = run.sim,
			.b = &bed,
			.faults = json_object_get(truth, "faults"),
			.now_us = run.now_us,
			.now_s = (double)(run.now_us - SIM_START) / 1e6};
		take_poll(&c);
		json_decref(truth);
	}
	bed_close(&bed);
	sim_run_close(&run);
}

/* ---- all of them ---- */

static bool is_wanted(const char *name)
{
	const char *only = getenv("SCENARIO");

	return !only || strstr(name, only);
}

static int is_scenario(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && str_eq(dot, ".scenario") && is_wanted(e->d_name);
}

static void play_file(struct suite *s, const char *file)
{
	struct scenario *c = mem_calloc(1, sizeof(*c));
	struct err err = {0};
	char path[300];

	(void)str_printf(path, sizeof(path), FOLDER "/%s", file);
	if (!scenario_read(c, path, &err))
		(void)fprintf(stderr, "%s: %s\n", path, err.text);
	/* The first seed is for tuning. */
	for (unsigned k = 1; k < c->nseeds && (k < 2 || s->b->full); k++) {
		(void)str_printf(s->name, sizeof(s->name), "%.*s seed %llu",
			(int)strcspn(file, "."), file, (unsigned long long)c->seed[k]);
		play(s, path, c->seed[k], c->length);
	}
	free(c);
}

static void play_more(struct suite *s, size_t i)
{
	char path[300];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s.scenario", s->b->build, more[i].name);
	f = fopen(path, "w");
	if (!f) {
		(void)fprintf(stderr, "%s cannot be written\n", path);
		return;
	}
	(void)fprintf(f, "20s %s\n", more[i].spec);
	(void)fclose(f);
	for (uint64_t seed = 4; seed < (s->b->full ? 7 : 5); seed++) {
		(void)str_printf(s->name, sizeof(s->name), "%s seed %llu", more[i].name,
			(unsigned long long)seed);
		play(s, path, seed, 70 * CLOCK_SEC);
	}
}

static double percent(unsigned part, unsigned whole)
{
	return whole ? 100.0 * part / whole : (double)NAN;
}

static void print_classes(const struct suite *s)
{
	(void)printf("    %-18s %6s %7s %6s %7s %6s %7s %6s %7s %6s %6s\n", "traces of", "waits",
		"culprit", "class", "verdict", "place", "culprit", "class", "by-", "silent",
		"victim");
	for (size_t i = 0; i < s->classes; i++) {
		const struct case_tally *t = &s->by_class[i];
		const struct part *p = t->part;

		(void)printf("    %-18s %6u %6.0f%% %5.0f%% %6.0f%% %6u %6.0f%% %5.0f%% %7u "
			     "%5.0f%% %6u\n",
			t->class, p[0].traces, percent(p[0].culprit, p[0].traces),
			percent(p[0].class, p[0].traces), percent(p[0].verdict, p[0].traces),
			p[1].traces, percent(p[1].culprit, p[1].traces),
			percent(p[1].class, p[1].traces), p[2].traces,
			percent(p[2].culprit, p[2].traces), t->victims);
	}
}

static void report(const struct suite *s)
{
	static const char *const who[FROM_COUNT] = {"a rank that waits", "its place", "bystanders"};
	struct figures *f = s->b->figures;
	const struct healthy *h = &s->healthy;
	char name[96];

#define NAME(...) (str_printf(name, sizeof(name), __VA_ARGS__), name)
	for (int w = 0; w < FROM_BYSTANDER; w++) {
		const struct part *p = &s->all.part[w];

		figure_least(f, NAME("traces from %s: culprit", who[w]),
			percent(p->culprit, p->traces), "%", 97.5);
		figure_least(f, NAME("traces from %s: class", who[w]), percent(p->class, p->traces),
			"%", 97.5);
		figure_least(f, NAME("traces from %s: verdict", who[w]),
			percent(p->verdict, p->traces), "%", 97.5);
	}
	figure_least(f, NAME("traces of bystanders that accuse nobody"),
		percent(s->all.part[FROM_BYSTANDER].culprit, s->all.part[FROM_BYSTANDER].traces),
		"%", 97.5);
	figure_none(f, NAME("traces with a victim as the culprit"), s->all.victims, "");
	figure_least(f, NAME("traces of healthy jobs that accuse nobody"),
		percent(h->silent, h->traces), "%", 97.5);
	figure_least(
		f, NAME("healthy polls without trouble"), percent(h->quiet, h->polls), "%", 97.5);
	figure_least(f, NAME("healthy polls with the fabric proven clean"),
		percent(h->clean, h->polls), "%", 97.5);
#undef NAME
}

void bench_traces(const struct bench *b)
{
	struct suite *s = mem_calloc(1, sizeof(*s));
	struct dirent **file = NULL;
	int n = scandir(FOLDER, &file, is_scenario, alphasort);

	s->b = b;
	for (int i = 0; i < n; i++) {
		play_file(s, file[i]->d_name);
		free(file[i]);
	}
	free(file);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (is_wanted(more[i].name))
			play_more(s, i);
	print_classes(s);
	report(s);
	free(s);
}
