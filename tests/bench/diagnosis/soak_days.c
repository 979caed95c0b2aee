/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/sim.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/sim_run.h"

/*
 * Healthy fabrics in simulated days, under loads that look like trouble: jobs that come and go,
 * bursts after long gaps, checkpoints, all NICs loaded at once. Nothing is broken, so every culprit
 * is false, with one exception: flows that share a link by chance do fill it, and it is told apart
 * by the simulator's own bytes. DAYS= is the time in GPU-days, of which each fabric in its turn
 * gets a leg.
 */
#define LEG_S      7200.0
#define DAY_S      86400.0
#define AGAIN_US   (600 * CLOCK_SEC) /* a finding that was away this long is counted again */
#define SLOTS      4U                /* groups of hosts; each has a job, or none */
#define FEW_DAYS   12.0
#define MANY_DAYS  10000.0
#define BOUND_DAYS 6000.0 /* below that no number of findings shows 0.5 a day */
#define TARGET     0.5
#define FULL_SHARE 0.9 /* of the line, by the simulator's own bytes: a link is really full */
#define KEPT       5U  /* polls: three before a finding, and the two that it has stood */

static const char *const fabrics[] = {"ref256", "three-tier", "rail-only", "dual-plane",
	"two-leaf-rail", "breakout", "single-spine"};
#define FABRICS (sizeof(fabrics) / sizeof(fabrics[0]))

/* A finding that is open, or was. */
struct false_finding {
	uint64_t key;
	unsigned polls; /* in a row */
	int64_t seen_us;
	bool counted;
};

struct soak_days {
	uint64_t seed, draws;
	double gpu_days;
	unsigned findings;
	unsigned full; /* findings of a full link that the simulator has as well: not false */
	struct sweep sweep;
	/* of the leg */
	const char *fabric;
	struct sim_run run;
	unsigned hosts, gpus;
	char job[SLOTS][128]; /* "": none */
	unsigned jobs_begun;
	int64_t next_job_us, next_stress_us;
	VEC(struct false_finding) seen;
	/* Bytes that each port of the simulator had sent at the last polls, see keep_sent(). */
	VEC(uint64_t) sent[KEPT];
};

/* [0, 1) */
static double draw(struct soak_days *s)
{
	char name[48];

	(void)str_printf(name, sizeof(name), "%llu soak", (unsigned long long)s->seed);
	return chance(name, (unsigned)s->draws++, 9);
}

static unsigned draw_below(struct soak_days *s, unsigned n)
{
	return (unsigned)(draw(s) * n);
}

static int64_t draw_time(struct soak_days *s, double least_s, double most_s)
{
	return s->run.now_us + (int64_t)((least_s + draw(s) * (most_s - least_s)) * 1e6);
}

/* ---- loads ---- */

static void draw_job(struct soak_days *s, unsigned slot)
{
	static const char *const kinds[] = {
		"ring", "tree", "alltoall", "pipeline", "ring+alltoall", "tree+pipeline"};
	static const unsigned steps_ms[] = {1000, 2000, 4000, 8000, 16000};
	unsigned a = slot * s->hosts / SLOTS, b = (slot + 1) * s->hosts / SLOTS - 1;
	unsigned step = steps_ms[draw_below(s, 5)];
	unsigned checkpoint = 20 + draw_below(s, 400);

	s->job[slot][0] = '\0';
	if (s->jobs_begun >= SLOTS && draw(s) < 0.2)
		return;
	(void)str_printf(s->job[slot], sizeof(s->job[slot]),
		"name=job%u,kind=%s,hosts=%u-%u,step=%ums,gap=%ums,checkpoint=%us,qps=%u",
		s->jobs_begun++, kinds[draw_below(s, 6)], a, b, step,
		(unsigned)(step * (0.1 + 0.8 * draw(s))), checkpoint, 1 + draw_below(s, 4));
}

static void set_jobs(struct soak_days *s)
{
	const char *specs[SLOTS + 1];
	struct err err = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		if (s->job[i][0])
			specs[n++] = s->job[i];
	specs[n] = NULL;
	if (n && !sim_set_jobs(s->run.sim, specs, &err))
		(void)fprintf(stderr, "soak: %s %s\n", err.origin, err.text);
}

static void put_stress(struct soak_days *s)
{
	struct err err = {0};
	char spec[96];

	if (draw(s) < 0.5)
		(void)str_printf(spec, sizeof(spec), "heavy-load,rate=%u%%,for=%us",
			10 + draw_below(s, 30), 30 + draw_below(s, 900));
	else
		(void)str_printf(spec, sizeof(spec), "checkpoint,fanin=%u,rate=%u%%,for=%us",
			4 + draw_below(s, 20), 4 + draw_below(s, 6), 1 + draw_below(s, 8));
	if (!sim_inject(s->run.sim, spec, NULL, &err))
		(void)fprintf(stderr, "soak: %s %s\n", err.origin, err.text);
}

static void change_load(struct soak_days *s)
{
	if (s->run.now_us >= s->next_job_us) {
		draw_job(s, draw_below(s, SLOTS));
		set_jobs(s);
		s->next_job_us = draw_time(s, 60, 900);
	}
	if (s->run.now_us >= s->next_stress_us) {
		put_stress(s);
		s->next_stress_us = draw_time(s, 60, 1200);
	}
}

/* ---- findings ---- */

static struct false_finding *finding_of(struct soak_days *s, uint64_t key)
{
	for (size_t i = 0; i < s->seen.n; i++)
		if (s->seen.at[i].key == key)
			return &s->seen.at[i];
	vec_push(&s->seen, ((struct false_finding){.key = key}));
	return &s->seen.at[s->seen.n - 1];
}

/* What was open beside it: it may have been taken for the cause of one of them. */
static void print_others(const struct bed *b, const struct finding *f)
{
	const struct finding *const *list;
	char where[160];
	size_t n;

	list = diag_findings(b->d, &n);
	for (size_t i = 0; getenv("VERBOSE") && i < n; i++) {
		if (list[i] == f)
			continue;
		finding_locator(b->m, list[i], where, sizeof(where));
		(void)printf("      beside %s %s (%s)\n", finding_role_name(list[i]->role), where,
			list[i]->title);
	}
}

static void print_finding(
	struct soak_days *s, const struct bed *b, const struct finding *f, const char *what)
{
	char where[160];

	finding_locator(b->m, f, where, sizeof(where));
	(void)printf("    %s: %s seed %llu at %.0f s: %s (%s)\n", what, s->fabric,
		(unsigned long long)s->seed, (double)(s->run.now_us - SIM_START) / 1e6, where,
		f->title);
	for (size_t i = 0; getenv("VERBOSE") && i < f->evidence.n; i++) {
		const struct evidence *e = &f->evidence.at[i];

		(void)ref_format(b->m, e->at, where, sizeof(where));
		(void)printf("      %s: %s %.4g %s %s (%s)\n", where, e->what, e->value, e->text,
			e->unit, e->threshold);
	}
	print_others(b, f);
}

/* The last of s->sent is the present poll. */
static void keep_sent(struct soak_days *s)
{
	size_t n = sim_device_count(s->run.sim);

	for (unsigned k = 0; k + 1 < KEPT; k++) {
		s->sent[k].n = 0;
		for (size_t i = 0; i < s->sent[k + 1].n; i++)
			vec_push(&s->sent[k], s->sent[k + 1].at[i]);
	}
	s->sent[KEPT - 1].n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct sim_device *d = sim_device(s->run.sim, i);

		for (unsigned p = 0; p < d->nports; p++)
			vec_push(&s->sent[KEPT - 1], d->ports[p].tx_bytes);
	}
}

/* Share of the line that the simulator's port sent, over the polls that led to a finding. */
static double load_of(const struct soak_days *s, const char *device, const char *port)
{
	size_t before = 0, n = sim_device_count(s->run.sim);
	char name[64];

	for (size_t i = 0; i < n; i++) {
		const struct sim_device *d = sim_device(s->run.sim, i);

		for (unsigned p = 0; str_eq(d->name, device) && p < d->nports; p++) {
			size_t at = before + p;
			double line = d->ports[p].speed_mbps * 1e6 / 8 *
				      (double)s->run.interval_us / 1e6 * (KEPT - 2);

			sim_port_name(s->run.sim, &d->ports[p], name, sizeof(name));
			if (str_eq(name, port) && line > 0 && at < s->sent[0].n)
				return (double)(s->sent[KEPT - 2].at[at] - s->sent[0].at[at]) /
				       line;
		}
		before += d->nports;
	}
	return 0;
}

/* Nobody planted it, but the flows of healthy jobs met there. */
static bool is_really_full(const struct soak_days *s, const struct bed *b, const struct finding *f)
{
	const struct port *p = f->at.kind == REF_PORT ? b->m->ports.at[f->at.port] : NULL;

	return (f->id == FIND_FULL_LINK || f->id == FIND_ECMP_COLLISION) && p &&
	       load_of(s, b->m->devices.at[p->device]->name, p->name) > FULL_SHARE;
}

static void take_findings(struct soak_days *s, const struct bed *b)
{
	size_t n;
	const struct finding *const *list = diag_findings(b->d, &n);

	for (size_t i = 0; i < n; i++) {
		struct false_finding *x;
		int64_t away;

		if (list[i]->role != ROLE_CULPRIT || list[i]->root)
			continue;
		x = finding_of(s, list[i]->key);
		away = s->run.now_us - x->seen_us;
		if (away > 2 * s->run.interval_us)
			x->polls = 0;
		if (away > AGAIN_US)
			x->counted = false;
		x->seen_us = s->run.now_us;
		/* As everywhere here: it stood for two polls. */
		if (++x->polls < 2 || x->counted)
			continue;
		x->counted = true;
		if (is_really_full(s, b, list[i])) {
			s->full++;
			print_finding(s, b, list[i], "really full");
		} else {
			s->findings++;
			print_finding(s, b, list[i], "false");
		}
	}
}

/* ---- a leg ---- */

static void count_gpus(struct soak_days *s)
{
	struct sim_job_view job;

	s->gpus = s->hosts = 0;
	for (size_t i = 0; i < sim_job_count(s->run.sim); i++) {
		sim_job(s->run.sim, i, &job);
		s->gpus += job.nranks;
		s->hosts += job.nranks / job.gpus_per_host;
	}
}

/* False: there is no such fabric. */
static bool run_leg(struct soak_days *s, double most_days)
{
	struct err err = {0};
	struct bed bed;
	double a_poll;

	if (!sim_run_open(&s->run, s->fabric, s->seed, NULL, &s->sweep, &err)) {
		(void)fprintf(stderr, "soak: %s: %s\n", s->fabric, err.text);
		return false;
	}
	count_gpus(s);
	s->jobs_begun = 0;
	for (unsigned i = 0; i < SLOTS; i++)
		draw_job(s, i);
	set_jobs(s);
	s->next_job_us = draw_time(s, 60, 900);
	s->next_stress_us = draw_time(s, 60, 1200);
	s->seen.n = 0;
	for (unsigned k = 0; k < KEPT; k++)
		s->sent[k].n = 0;
	bed_open(&bed, &s->run.plan, &s->sweep);
	a_poll = s->gpus * ((double)s->run.interval_us / 1e6) / DAY_S;
	for (double done = 0; done < most_days && (double)(s->run.now_us - SIM_START) / 1e6 < LEG_S;
		done += a_poll) {
		change_load(s);
		sim_run_poll(&s->run, &bed);
		keep_sent(s);
		take_findings(s, &bed);
		s->gpu_days += a_poll;
	}
	bed_close(&bed);
	sim_run_close(&s->run);
	return true;
}

/* ---- the figure ---- */

/* Probability of at most n events where mean are expected. */
static double poisson_most(unsigned n, double mean)
{
	double sum = 0;

	for (unsigned k = 0; k <= n; k++)
		sum += exp(k * log(mean) - mean - lgamma(k + 1.0));
	return sum;
}

/* The mean with which n events or fewer are seen one time in twenty. */
static double poisson_bound(unsigned n)
{
	double low = 1e-9, high = 3.0 * n + 10;

	while (high - low > 1e-6 * high) {
		double mid = (low + high) / 2;

		if (poisson_most(n, mid) > 0.05)
			low = mid;
		else
			high = mid;
	}
	return high;
}

static double wanted_days(const struct bench *b)
{
	const char *text = getenv("DAYS");
	double days;

	if (text && str_to_double(text, &days) && days > 0)
		return days;
	return b->full ? MANY_DAYS : FEW_DAYS;
}

/* POLLS_OF=10 polls each 10 s, a multiple of 5. */
static unsigned polls_of_5s(void)
{
	const char *text = getenv("POLLS_OF");
	unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;

	return seconds > 5 ? (unsigned)(seconds / 5) : 1;
}

static uint64_t first_seed(void)
{
	const char *text = getenv("SEEDS");
	time_t now = time(NULL);
	struct tm day;

	if (text)
		return strtoull(text, NULL, 10);
	(void)gmtime_r(&now, &day);
	return (uint64_t)(day.tm_year + 1900) * 10000000 + (uint64_t)(day.tm_mon + 1) * 100000 +
	       (uint64_t)day.tm_mday * 1000;
}

void bench_soak_days(const struct bench *b)
{
	const char *only = getenv("PRESETS");
	double days = wanted_days(b), per, cpu = thread_cpu_us();
	struct soak_days *s = mem_calloc(1, sizeof(*s));

	s->seed = first_seed();
	s->sweep = sweep_none;
	s->sweep.coarse = polls_of_5s();
	/* Of a short soak each fabric gets its part. */
	per = days / (only ? 1 : FABRICS);
	(void)printf("  healthy for %.0f GPU-days, first seed %llu; a leg again by SEEDS=SEED "
		     "PRESETS=FABRIC\n",
		days, (unsigned long long)s->seed);
	for (size_t leg = 0; s->gpu_days < days; leg++, s->seed++) {
		s->fabric = only ? only : fabrics[leg % FABRICS];
		s->draws = 0;
		if (!run_leg(s, fmin(per, days - s->gpu_days + 1e-9)))
			break;
		if ((leg + 1) % (4 * FABRICS) == 0)
			(void)fprintf(stderr, "soak: %.0f GPU-days, %u false findings\n",
				s->gpu_days, s->findings);
	}
	(void)printf("    %.1f GPU-days in %.0f s of CPU: %u false findings, %u of links that are "
		     "full\n",
		s->gpu_days, (thread_cpu_us() - cpu) / 1e6, s->findings, s->full);
	figure(b->figures, "healthy days: false findings a day, 1,000 GPUs",
		s->findings / s->gpu_days * 1000, "", TARGET);
	figure(b->figures, "healthy days: the same, 95 % upper bound",
		poisson_bound(s->findings) / s->gpu_days * 1000, "",
		s->gpu_days >= BOUND_DAYS ? TARGET : 0);
	vec_free(&s->seen);
	for (unsigned k = 0; k < KEPT; k++)
		vec_free(&s->sent[k]);
	free(s);
}
