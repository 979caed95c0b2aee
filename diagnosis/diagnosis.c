/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/diagnosis.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine.h"

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
	d->memory = mem_calloc(detector_count, sizeof(*d->memory));
	return d;
}

static void drop(struct record *r)
{
	finding_free(&r->f);
	free(r);
}

static void drop_claims(struct diag *d)
{
	HASH_CLEAR(hh, d->claimed);
	for (size_t i = 0; i < d->claims.n; i++)
		drop(d->claims.at[i]);
	d->claims.n = 0;
}

void diag_free(struct diag *d)
{
	struct record *r, *next;

	if (!d)
		return;
	drop_claims(d);
	vec_free(&d->claims);
	HASH_ITER (hh, d->known, r, next) {
		HASH_DEL(d->known, r);
		drop(r);
	}
	for (size_t i = 0; i < detector_count; i++)
		if (detector_table[i]->free_memory)
			detector_table[i]->free_memory(d->memory[i]);
	free(d->memory);
	for (size_t i = 0; i < d->closed.n; i++)
		finding_free(&d->closed.at[i]);
	vec_free(&d->closed);
	vec_free(&d->closed_us);
	vec_free(&d->order);
	verdict_free(&d->verdict);
	pause_graph_free(d->pauses);
	windows_free(d->windows);
	free(d);
}

/* ---- claims ---- */

struct finding *diag_claimed(struct diag_run *r, enum finding_id id, struct ref at)
{
	uint64_t key = finding_key(id, at);
	struct record *c;

	HASH_FIND(hh, r->d->claimed, &key, sizeof(key), c);
	return c ? &c->f : NULL;
}

struct finding *diag_claim(struct diag_run *r, enum finding_id id, struct ref at)
{
	const struct finding_info *info = &finding_info[id];
	struct finding *f = diag_claimed(r, id, at);
	struct record *c;

	if (f)
		return f;
	c = mem_calloc(1, sizeof(*c));
	f = &c->f;
	f->key = finding_key(id, at);
	f->id = id;
	f->at = at;
	f->severity = info->severity;
	f->role = info->prior > 0 ? ROLE_CULPRIT : ROLE_RISK;
	f->onset_us = r->now_us;
	(void)str_copy(f->title, sizeof(f->title), info->title);
	vec_push(&r->d->claims, c);
	HASH_ADD(hh, r->d->claimed, f.key, sizeof(f->key), c);
	return f;
}

struct finding *diag_claim_at(struct diag_run *r, size_t i)
{
	return i < r->d->claims.n ? &r->d->claims.at[i]->f : NULL;
}

const struct finding *diag_open(const struct diag_run *r, enum finding_id id, struct ref at)
{
	return diag_finding(r->d, finding_key(id, at));
}

/* ---- runs ---- */

void diag_note(struct diag *d, const struct model *m, uint32_t device, int64_t now_us)
{
	int64_t start = cpu_us();

	(void)windows_note(d->windows, m, device, now_us);
	d->noted = true;
	d->cost.notes++;
	d->cost.note_us += cpu_us() - start;
}

static void detect(struct diag *d, const struct model *m, int64_t now_us)
{
	struct diag_run r = {m, now_us, d->windows, d->pauses, d, NULL};

	for (size_t i = 0; i < detector_count; i++) {
		r.memory = &d->memory[i];
		if (d->claims.n < CLAIMS_MAX)
			detector_table[i]->run(&r);
	}
}

void diag_run(struct diag *d, const struct model *m, int64_t now_us)
{
	int64_t start = cpu_us();

	if (!d->noted)
		return;
	d->noted = false;
	d->runs++;
	windows_at(d->windows, m, now_us);
	pause_graph_build(d->pauses, m, d->windows, now_us);
	detect(d, m, now_us);
	engine_settle(d, m, now_us);
	drop_claims(d);
	engine_explain(d, m, now_us);
	verdict_make(&d->verdict, d, m, JOB_NONE, now_us);
	d->cost.runs++;
	d->cost.run_us = cpu_us() - start;
}

/* ---- what is open ---- */

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
	bool port = place.kind == REF_PORT || place.kind == REF_PRIORITY || place.kind == REF_LINK;

	if (at.kind == REF_DEVICE && port)
		return place.port < m->ports.n && m->ports.at[place.port]->device == at.device;
	if (at.kind == REF_PORT && port)
		return place.port == at.port;
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

static struct finding *open_finding(struct diag *d, uint64_t key, struct err *err)
{
	struct record *r;

	HASH_FIND(hh, d->known, &key, sizeof(key), r);
	if (r && r->f.open)
		return &r->f;
	err_set(err, ERR_USAGE, "findings", "there is no such open finding");
	return NULL;
}

bool diag_ack(struct diag *d, uint64_t key, int64_t now_us, int64_t until_us, const char *user,
	const char *note, struct err *err)
{
	struct finding *f = open_finding(d, key, err);

	if (!f)
		return false;
	f->acked_us = now_us;
	f->ack_until_us = until_us;
	str_sanitise(f->ack_note, sizeof(f->ack_note), note, strlen(note));
	str_sanitise(f->ack_user, sizeof(f->ack_user), user, strlen(user));
	d->generation++;
	return true;
}

bool diag_unack(struct diag *d, uint64_t key, struct err *err)
{
	struct finding *f = open_finding(d, key, err);

	if (!f)
		return false;
	f->acked_us = f->ack_until_us = 0;
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
