/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/discover/discover.h"
#include "app/discover/found_role.h"
#include "backends/dialects/detect.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Devices are asked in tasks: each is a collector with the devices that were named since the last
 * one. A task probes devices, or asks them in their own dialects. Tasks run side by side, so that
 * a slow device delays only itself.
 *
 * A device is reached by its name, or by the management address that a neighbour announced. The
 * address is tried when the name leads nowhere, or to nothing for HEDGE_US: a name server that does
 * not answer costs ten seconds. The first connection that is up counts.
 */

#define TICK_US       (CLOCK_SEC / 20)
#define HEDGE_US      (3 * CLOCK_SEC / 2)
#define EACH_US       (30 * CLOCK_MSEC) /* further time of a task for each of its devices */
#define BUSY_US       (2 * CLOCK_SEC)   /* while answers come, railtop itself may be what is slow */
#define TASKS_MAX     16
#define DIALECT_SCORE 60 /* least score, of 100, of a system description */

enum way { BY_NAME, BY_MGMT, WAYS, NO_WAY = WAYS };

/* Progress of one device. */
struct progress {
	enum way way; /* of the connection that counts */
	bool asked[WAYS];
	unsigned open; /* connections that are tried or up */
	size_t answers, late;
	int64_t since_us;
	bool settled;
	bool own;   /* its own dialect is still to be asked */
	bool linux; /* it was asked by backend_detect_linux */
};

struct task {
	struct asking *asking;
	enum way way;
	bool own;   /* it asks in the devices' own dialects */
	bool linux; /* it asks by backend_detect_linux */
	VEC(size_t) which;
	int64_t end_us;
};

struct rounds {
	const struct discover_opts *opts;
	struct discovery *d;
	VEC(struct progress) progress; /* one a device */
	VEC(struct task *) tasks;
	struct task *now; /* whose batches are taken */
	int64_t busy_us;  /* when the last batch came */
	sem_t *woken;
	bool left; /* a thread did not end */
};

static int64_t now_us(void)
{
	return clock_mono(&clock_system);
}

static struct progress *progress_of(struct rounds *r, size_t device)
{
	while (r->progress.n <= device)
		*vec_add(&r->progress) = (struct progress){.way = NO_WAY};
	return &r->progress.at[device];
}

/* ---- the dialect ---- */

static bool is_better(const struct found *f, const char *dialect, int score)
{
	if (score != f->score)
		return score > f->score;
	return strcmp(dialect, f->dialect) < 0;
}

static void learn_dialect(struct found *f, const struct obs *o)
{
	const char *dialect = "";
	uint64_t score = 0;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind != OBS_FACT)
			continue;
		if (str_eq(obs_text(o, it->text), "dialect"))
			dialect = obs_text(o, it->text2);
		else if (str_eq(obs_text(o, it->text), "score"))
			(void)str_to_u64(obs_text(o, it->text2), &score);
	}
	if (!*dialect || !is_better(f, dialect, (int)score))
		return;
	f->score = (int)score;
	(void)str_copy(f->dialect, sizeof(f->dialect), dialect);
}

/*
 * Each switch answers the probe of Linux as well. Where its own probe was late, the neighbours'
 * description says what it is.
 */
static void dialect_of_description(struct found *f)
{
	int score;
	const struct backend_ops *ops = detect_score(f->descr, strlen(f->descr), &score);

	if (ops && score >= DIALECT_SCORE && !str_eq(ops->name, "linux"))
		(void)str_copy(f->dialect, sizeof(f->dialect), ops->name);
}

static void settle_failed(struct rounds *r, struct found *f)
{
	f->state = FOUND_FAILED;
	if (f->err.code)
		return;
	err_set(&f->err, ERR_TIMEOUT, f->name, "no answer within %d s",
		(int)(r->opts->patience_us / CLOCK_SEC));
	err_cure(&f->err, "ask again, with a longer --for");
}

static const char *address_of(const struct found *f, enum way way)
{
	return way == BY_MGMT ? f->mgmt : f->address;
}

static void settle(struct rounds *r, size_t device)
{
	struct progress *p = progress_of(r, device);
	struct found *f = &r->d->devices.at[device];

	if (p->settled || f->state == FOUND_SAME)
		return;
	p->settled = true;
	if (p->way == BY_MGMT) {
		(void)str_copy(f->address, sizeof(f->address), f->mgmt);
		r->d->unnamed = true;
	}
	if (p->late && str_eq(f->dialect, "linux"))
		dialect_of_description(f);
	if (p->way == NO_WAY || (str_eq(f->dialect, "linux") && p->late && !f->role.read)) {
		settle_failed(r, f);
	} else if (f->dialect[0]) {
		f->state = FOUND_KNOWN;
		memset(&f->err, 0, sizeof(f->err));
		p->own = !str_eq(f->dialect, "linux");
	} else if (p->late) {
		settle_failed(r, f);
	} else {
		f->state = FOUND_FAILED;
		err_set(&f->err, ERR_UNSUPPORTED, f->name,
			"the device answers, but no dialect matches");
	}
}

/* ---- batches ---- */

static void probe_ended(struct rounds *r, size_t device, const struct obs *o)
{
	struct progress *p = progress_of(r, device);
	struct found *f = &r->d->devices.at[device];

	p->open -= p->open > 0;
	if (p->settled || (p->way != NO_WAY && p->way != r->now->way))
		return;
	if (r->now->way == BY_NAME || !f->err.code || o->err.code != ERR_UNREACHABLE)
		f->err = o->err;
	/* A connection that broke off counts by what it has told; the other way is not better. */
	if (p->way != NO_WAY)
		p->late++;
	if (p->way != NO_WAY || (!p->open && o->err.code != ERR_UNREACHABLE && p->asked[BY_NAME] &&
					p->asked[BY_MGMT]))
		settle(r, device);
}

/* Whether this batch was the last one of backend_detect. */
static bool has_answered(const struct found *f, const struct progress *p)
{
	if (p->linux || str_eq(f->dialect, "linux"))
		return p->answers == 2;
	return *f->dialect || p->answers == 1 + detect_probes();
}

static void on_probe(struct rounds *r, size_t device, const struct obs *o)
{
	struct progress *p = progress_of(r, device);
	struct found *f = &r->d->devices.at[device];

	if (o->result == OBS_CONNECTED && p->way == NO_WAY) {
		p->way = r->now->way;
		p->linux = r->now->linux;
	}
	if (o->result == OBS_FAILED && str_eq(o->request, "connect")) {
		probe_ended(r, device, o);
		return;
	}
	if (o->result == OBS_CONNECTED || p->way != r->now->way || p->settled)
		return;
	if (o->result == OBS_DATA) {
		learn_dialect(f, o);
		discovery_learn(r->d, device, o, r->opts->limit);
	} else if (o->err.code == ERR_TIMEOUT) {
		p->late++;
		f->err = o->err;
	}
	p->answers++;
	/* Its neighbours are new devices, so the list may have moved. */
	if (has_answered(&r->d->devices.at[device], p))
		settle(r, device);
}

static void on_batch(void *ctx, size_t device, const struct obs *o)
{
	struct rounds *r = ctx;
	struct found *f = &r->d->devices.at[device];

	r->busy_us = now_us();
	if (f->state == FOUND_SAME)
		return;
	if (!r->now->own)
		on_probe(r, device, o);
	else if (o->result == OBS_DATA)
		discovery_learn(r->d, device, o, r->opts->limit);
	else if (o->result == OBS_FAILED && !f->err.code)
		f->err = o->err;
}

/* ---- tasks ---- */

/* ops NULL: the devices' own dialects. */
static bool task_start(struct rounds *r, const struct asked *which, size_t n, enum way way,
	const struct backend_ops *ops, struct err *err)
{
	struct task *t;
	struct asking *a = asking_start(r->opts, r->d, which, n, ops, r->woken, err);

	if (!a)
		return false;
	t = mem_calloc(1, sizeof(*t));
	t->asking = a;
	t->way = way;
	t->own = !ops;
	t->linux = ops == &backend_detect_linux;
	t->end_us = now_us() + r->opts->patience_us + (int64_t)n * EACH_US;
	for (size_t i = 0; i < n; i++)
		vec_push(&t->which, which[i].device);
	vec_push(&r->tasks, t);
	return true;
}

static bool may_ask(struct rounds *r, size_t device, enum way way)
{
	const struct found *f = &r->d->devices.at[device];
	struct progress *p = progress_of(r, device);

	if (f->state != FOUND_NEW || p->settled || p->way != NO_WAY || p->asked[way])
		return false;
	if (way == BY_NAME)
		/* Where names lead nowhere the address comes first. */
		return !r->d->unnamed || !f->mgmt[0] ||
		       (p->asked[BY_MGMT] && (!p->open || now_us() > p->since_us + HEDGE_US));
	if (!f->mgmt[0] || str_eq(f->mgmt, f->address))
		return false;
	if (r->d->unnamed)
		return true;
	return p->asked[BY_NAME] &&
	       (p->open ? now_us() > p->since_us + HEDGE_US : f->err.code == ERR_UNREACHABLE);
}

/* "Debian GNU/Linux 12 (bookworm) Linux 6.1.0-18-amd64 #1 SMP ...": as lldpd says it. */
static bool heard_to_be_linux(const struct found *f)
{
	int score;
	const struct backend_ops *ops = detect_score(f->descr, strlen(f->descr), &score);

	return ops && str_eq(ops->name, "linux") && strstr(f->descr, " Linux ");
}

static bool start_probes_of(struct rounds *r, enum way way, bool linux, struct err *err)
{
	VEC(struct asked) which = {0};
	bool ok = true;

	for (size_t i = 0; i < r->d->devices.n; i++)
		if (may_ask(r, i, way) && heard_to_be_linux(&r->d->devices.at[i]) == linux)
			vec_push(
				&which, ((struct asked){i, address_of(&r->d->devices.at[i], way)}));
	for (size_t i = 0; i < which.n; i++) {
		struct progress *p = progress_of(r, which.at[i].device);

		p->asked[way] = true;
		p->open++;
		p->since_us = now_us();
	}
	if (which.n)
		ok = task_start(r, which.at, which.n, way,
			linux ? &backend_detect_linux : &backend_detect, err);
	vec_free(&which);
	return ok;
}

static bool start_probes(struct rounds *r, enum way way, struct err *err)
{
	return start_probes_of(r, way, true, err) && start_probes_of(r, way, false, err);
}

static bool start_own(struct rounds *r, struct err *err)
{
	VEC(struct asked) which = {0};
	bool ok = true;

	for (size_t i = 0; i < r->d->devices.n; i++) {
		struct progress *p = progress_of(r, i);

		if (!p->own)
			continue;
		p->own = false;
		r->d->devices.at[i].tier = TIER_LEAF;
		vec_push(&which, ((struct asked){i, r->d->devices.at[i].address}));
	}
	if (which.n)
		ok = task_start(r, which.at, which.n, NO_WAY, NULL, err);
	vec_free(&which);
	return ok;
}

static void task_end(struct rounds *r, struct task *t)
{
	for (size_t i = 0; !t->own && i < t->which.n; i++) {
		struct progress *p = progress_of(r, t->which.at[i]);

		if (p->settled || p->way != t->way)
			continue;
		p->late++;
		settle(r, t->which.at[i]);
	}
	r->left |= !asking_end(t->asking);
	vec_free(&t->which);
	free(t);
}

/* A connection that is tried and not up when its task ends has failed. */
static void close_open(struct rounds *r, const struct task *t)
{
	for (size_t i = 0; !t->own && i < t->which.n; i++) {
		struct progress *p = progress_of(r, t->which.at[i]);

		if (!p->settled && p->way == NO_WAY)
			p->open -= p->open > 0;
	}
}

/* All that is still open of the task is of no use: its devices answered by another way. */
static bool is_needless(struct rounds *r, const struct task *t)
{
	for (size_t i = 0; i < t->which.n; i++)
		if (t->own || (!progress_of(r, t->which.at[i])->settled &&
				      r->d->devices.at[t->which.at[i]].state != FOUND_SAME))
			return false;
	return true;
}

static void take_tasks(struct rounds *r)
{
	for (size_t i = 0; i < r->tasks.n;) {
		struct task *t = r->tasks.at[i];
		bool finished;

		r->now = t;
		finished = asking_take(t->asking, on_batch, r) || is_needless(r, t);
		if (!finished && (now_us() < t->end_us || now_us() < r->busy_us + BUSY_US)) {
			i++;
			continue;
		}
		if (!finished)
			close_open(r, t);
		task_end(r, t);
		r->tasks.at[i] = r->tasks.at[--r->tasks.n];
	}
}

/* Devices that no way leads to. */
static void settle_lost(struct rounds *r)
{
	for (size_t i = 0; i < r->d->devices.n; i++) {
		struct progress *p = progress_of(r, i);

		if (!p->settled && p->way == NO_WAY && !p->open &&
			(p->asked[BY_NAME] || p->asked[BY_MGMT]) && !may_ask(r, i, BY_NAME) &&
			!may_ask(r, i, BY_MGMT))
			settle(r, i);
	}
}

static void wait_for(sem_t *s)
{
	struct timespec until;
	int64_t at = now_us() + TICK_US;

	until.tv_sec = (time_t)(at / CLOCK_SEC);
	until.tv_nsec = (long)(at % CLOCK_SEC) * 1000;
	while (sem_clockwait(s, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR)
		;
}

static bool is_pending(struct rounds *r)
{
	for (size_t i = 0; i < r->d->devices.n; i++)
		if (progress_of(r, i)->own || may_ask(r, i, BY_NAME) || may_ask(r, i, BY_MGMT))
			return true;
	return false;
}

static bool run_rounds(struct rounds *r, struct err *err)
{
	bool ok = true;

	do {
		if (r->tasks.n < TASKS_MAX)
			ok = start_probes(r, BY_NAME, err) && start_probes(r, BY_MGMT, err) &&
			     start_own(r, err);
		if (r->tasks.n)
			wait_for(r->woken);
		take_tasks(r);
		settle_lost(r);
		if (r->opts->progress)
			r->opts->progress(r->opts->ctx, r->d, "asking");
	} while (ok && (r->tasks.n || is_pending(r)));
	while (r->tasks.n)
		task_end(r, r->tasks.at[--r->tasks.n]);
	return ok;
}

/* ---- seeds ---- */

/* "leaf:22", "10.0.0.1:22": an IPv6 address has at least two colons. */
static bool has_port(const char *seed)
{
	const char *colon = strchr(seed, ':');

	return colon && colon != seed && !strchr(colon + 1, ':');
}

static bool add_seed(struct discovery *d, const char *seed, struct err *err)
{
	if (has_port(seed)) {
		err_set(err, ERR_USAGE, "", "the port in the seed \"%s\" is not valid", seed);
		err_cure(err, "give it in --ssh-config FILE: Host NAME, Port N");
		return false;
	}
	if (!found_name_ok(seed) && !found_address_ok(seed))
		return err_set(err, ERR_USAGE, "", "\"%s\" is not a host name or an address", seed);
	if (discovery_find(d, seed) == SIZE_MAX)
		(void)discovery_add(d, seed);
	return true;
}

bool discover_run(const struct discover_opts *opts, struct discovery *out, struct err *err)
{
	struct rounds r = {.opts = opts, .d = out};
	bool ok = true;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; ok && i < opts->nseeds; i++)
		ok = add_seed(out, opts->seeds[i], err);
	if (!ok)
		return false;
	/* Allocated: a thread that did not end may still post it. */
	r.woken = mem_calloc(1, sizeof(*r.woken));
	(void)sem_init(r.woken, 0, 0);
	ok = run_rounds(&r, err);
	vec_free(&r.progress);
	vec_free(&r.tasks);
	if (!r.left) {
		(void)sem_destroy(r.woken);
		free(r.woken);
	}
	discovery_match_macs(out);
	discovery_sort(out);
	discovery_tiers(out);
	return ok;
}
