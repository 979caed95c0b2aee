/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/diagnosis.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"

static int64_t cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct diag *diag_new(void)
{
	struct diag *d = mem_calloc(1, sizeof(*d));

	d->windows = windows_new();
	d->pauses = pause_graph_new();
	d->building = pause_graph_new();
	d->table = detector_table;
	d->ndetectors = detector_count;
	d->at_once = DIAG_AT_ONCE;
	d->memory = mem_calloc(detector_count, sizeof(*d->memory));
	return d;
}

void diag_free(struct diag *d)
{
	struct record *r, *next;

	if (!d)
		return;
	engine_free_claims(d);
	r = d->known;
	HASH_CLEAR(hh, d->known);
	for (; r; r = next) {
		next = r->hh.next;
		finding_free(&r->f);
		free(r);
	}
	vec_free(&d->changed);
	vec_free(&d->judging);
	vec_free(&d->step_us);
	vec_free(&d->noted_us);
	vec_free(&d->is_changed);
	engine_digest_free(d);
	for (size_t i = 0; i < d->ndetectors; i++)
		if (d->table[i]->free_memory)
			d->table[i]->free_memory(d->memory[i]);
	free(d->memory);
	for (size_t i = 0; i < d->closed.n; i++)
		finding_free(&d->closed.at[i]);
	vec_free(&d->closed);
	vec_free(&d->closed_us);
	vec_free(&d->order);
	verdict_free(&d->verdict);
	pause_graph_free(d->pauses);
	pause_graph_free(d->building);
	windows_free(d->windows);
	free(d);
}

/* ---- runs ---- */

static void remember_noted(struct diag *d, uint32_t device, int64_t now_us)
{
	while (d->noted_us.n <= device) {
		vec_push(&d->noted_us, 0);
		vec_push(&d->is_changed, 0);
	}
	d->noted_us.at[device] = now_us;
	if (!d->is_changed.at[device])
		vec_push(&d->changed, device);
	d->is_changed.at[device] = 1;
}

void diag_note(struct diag *d, const struct model *m, uint32_t device, int64_t now_us)
{
	(void)windows_note(d->windows, m, device, now_us);
	remember_noted(d, device, now_us);
	d->cost.notes++;
}

bool engine_heard(const struct diag *d, const struct model *m, uint32_t device, int64_t now_us)
{
	int64_t interval;

	if (device >= d->noted_us.n || !d->noted_us.at[device])
		return false;
	interval = m->devices.at[device]->interval_us;
	if (interval <= 0)
		interval = IDLE_RUN_US;
	return now_us - d->noted_us.at[device] <= interval * 5 / 2;
}

/* Up to a tenth of an interval early counts as on time: polls jitter. */
static void advance_tick(struct diag *d, const struct model *m, int64_t now_us)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < d->changed.n; i++) {
		int64_t interval = m->devices.at[d->changed.at[i]]->interval_us;

		if (interval > 0 && interval < least)
			least = interval;
	}
	if (least == INT64_MAX)
		least = IDLE_RUN_US;
	if (d->tick_us && now_us - d->tick_us < least * 9 / 10)
		return;
	d->ticks++;
	d->tick_us = now_us;
}

/* ---- the steps of a run ---- */

/* Steps of a run: the parts of the graph from step 1 on, the digests of devices, one for each
 * detector, and two more. Some steps have parts: a step is over when its last part is. */
#define STEP_DIGEST  (PAUSE_GRAPH_PARTS + 1)
#define STEPS_BESIDE (STEP_DIGEST + 2)

static void start_run(struct diag *d, const struct model *m, int64_t now_us)
{
	d->run_us = now_us;
	advance_tick(d, m, now_us);
	d->judging.n = 0;
	for (size_t i = 0; i < d->changed.n; i++) {
		vec_push(&d->judging, d->changed.at[i]);
		d->is_changed.at[d->changed.at[i]] = 0;
	}
	d->changed.n = 0;
	engine_digest_begin(d, m);
	while (d->step_us.n <= d->ndetectors + STEPS_BESIDE)
		vec_push(&d->step_us, 0);
	d->cost.run_us = d->cost.step_us = 0;
	d->step = 1;
}

/* Readers use the graph of the last run until the new one is complete. */
static bool build_graph(struct diag *d, const struct model *m, unsigned part)
{
	struct pause_graph was;

	if (part == 0) {
		windows_at(d->windows, m, d->run_us);
		pause_graph_take_over(d->building, d->pauses);
	}
	if (!pause_graph_build_part(d->building, m, d->windows, d->run_us, part))
		return false;
	if (part < PAUSE_GRAPH_PARTS - 1)
		return true;
	was = *d->pauses;
	*d->pauses = *d->building;
	*d->building = was;
	engine_forget(d);
	return true;
}

/* Views may read findings between two steps: closed ones are freed in the step that rebuilds the
 * list. */
static bool do_step(struct diag *d, const struct model *m)
{
	size_t detector = d->step - 1 - STEP_DIGEST;
	int64_t now_us = d->run_us;

	if (d->step <= PAUSE_GRAPH_PARTS) {
		return build_graph(d, m, (unsigned)d->step - 1);
	} else if (d->step == STEP_DIGEST) {
		return engine_digest_some(d, m);
	} else if (detector < d->ndetectors) {
		return engine_detect(d, m, (uint32_t)detector, now_us);
	} else if (detector == d->ndetectors) {
		engine_settle(d, m, now_us);
		engine_drop_claims(d);
		engine_explain(d, m, now_us);
	} else {
		verdict_make(&d->verdict, d, m, JOB_NONE, now_us);
	}
	return true;
}

/*
 * Runs steps until the run is over, or the next step, by its last duration, would exceed the
 * budget. Runs one step at least.
 */
static bool go_on(struct diag *d, const struct model *m, int64_t budget_us)
{
	int64_t start_us = cpu_us(), spent = 0;

	do {
		int64_t before = spent, took, *longest = &d->step_us.at[d->step];
		bool whole = do_step(d, m);

		spent = cpu_us() - start_us;
		took = spent - before;
		*longest = d->part && *longest > took ? *longest : took;
		d->cost.step_us = took > d->cost.step_us ? took : d->cost.step_us;
		d->part = !whole;
		d->step += whole;
	} while (d->step < d->ndetectors + STEPS_BESIDE + 1 &&
		 spent + d->step_us.at[d->step] < budget_us);
	d->cost.run_us += spent;
	if (d->step < d->ndetectors + STEPS_BESIDE + 1)
		return false;
	d->step = 0;
	d->cost.runs++;
	return true;
}

bool diag_run_some(struct diag *d, const struct model *m, int64_t now_us, int64_t budget_us)
{
	if (!d->step) {
		if (!d->changed.n && d->cost.runs && now_us - d->run_us < IDLE_RUN_US)
			return true;
		start_run(d, m, now_us);
	}
	return go_on(d, m, budget_us);
}

void diag_run(struct diag *d, const struct model *m, int64_t now_us)
{
	if (d->step)
		(void)go_on(d, m, INT64_MAX / 2);
	(void)diag_run_some(d, m, now_us, INT64_MAX / 2);
}

/* ---- open findings ---- */

const struct finding *const *diag_findings(const struct diag *d, size_t *n)
{
	*n = d->order.n;
	return (const struct finding *const *)d->order.at;
}

const struct finding *diag_finding(const struct diag *d, uint64_t key)
{
	struct record *r;

	HASH_FIND(hh, d->known, &key, sizeof(key), r);
	return r && r->f.open ? &r->f : NULL;
}

static bool is_at(const struct model *m, struct ref place, struct ref at)
{
	const struct port *p = place.kind == REF_COUNTER ? NULL : ref_port(m, place);

	if (at.kind == REF_DEVICE && p)
		return p->device == at.device;
	if (at.kind == REF_PORT && p)
		return p == ref_port(m, at);
	return ref_eq(place, at);
}

static bool finding_is_at(const struct model *m, const struct finding *f, struct ref at)
{
	bool is = is_at(m, f->at, at) || is_at(m, f->peer, at);

	for (size_t i = 0; i < f->members.n && !is; i++)
		is = is_at(m, f->members.at[i], at);
	return is;
}

size_t diag_findings_at(const struct diag *d, const struct model *m, struct ref at,
	const struct finding **out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < d->order.n && n < max; i++)
		if (finding_is_at(m, d->order.at[i], at))
			out[n++] = d->order.at[i];
	return n;
}

const struct finding *diag_closed(const struct diag *d, size_t i, int64_t *closed_us)
{
	size_t at;

	if (i >= d->closed.n)
		return NULL;
	at = (size_t)((d->nclosed - 1 - i) % CLOSED_RING);
	*closed_us = d->closed_us.at[at];
	return &d->closed.at[at];
}

uint64_t diag_generation(const struct diag *d)
{
	return d->generation;
}

static struct record *open_finding(struct diag *d, uint64_t key, struct err *err)
{
	struct record *r;

	HASH_FIND(hh, d->known, &key, sizeof(key), r);
	if (r && r->f.open)
		return r;
	err_set(err, ERR_USAGE, "findings", "there is no such open finding");
	return NULL;
}

bool diag_ack(struct diag *d, uint64_t key, int64_t now_us, int64_t until_us, const char *user,
	const char *note, struct err *err)
{
	struct record *r = open_finding(d, key, err);
	struct finding *f;

	if (!r)
		return false;
	f = &r->f;
	r->acked_severity = f->severity;
	f->acked_us = now_us;
	f->ack_until_us = until_us;
	str_sanitise(f->ack_note, sizeof(f->ack_note), note, strlen(note));
	str_sanitise(f->ack_user, sizeof(f->ack_user), user, strlen(user));
	d->generation++;
	return true;
}

bool diag_unack(struct diag *d, uint64_t key, struct err *err)
{
	struct record *r = open_finding(d, key, err);

	if (!r)
		return false;
	r->f.acked_us = r->f.ack_until_us = 0;
	d->generation++;
	return true;
}

const struct pause_graph *diag_pauses(const struct diag *d)
{
	return d->pauses;
}

const struct verdict_report *diag_verdict(const struct diag *d)
{
	return &d->verdict;
}

struct diag_cost diag_cost(const struct diag *d)
{
	return d->cost;
}
