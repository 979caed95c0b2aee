/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/collector/shard.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/behaviour.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/* How many a collector asks at a time, against a real OpenSSH server. */

#define PATIENCE_MS 20000

static struct scratch scratch;
static struct sshd sshd;

#define TEST_DIALECT(n, t)                                                                         \
	const struct backend_ops backend_##n = {.name = #n,                                        \
		.title = #n,                                                                       \
		.transports = 1u << (t),                                                           \
		.plan = behaviour_plan,                                                            \
		.parse = behaviour_parse,                                                          \
		.reads = all_reads}
TEST_DIALECT(linux, TRANSPORT_SSH);
TEST_DIALECT(sonic, TRANSPORT_SSH);
TEST_DIALECT(eos, TRANSPORT_HTTPS);

struct daily_counts {
	char device[NAME_MAX_LEN];
	unsigned fast, medium, slow, failed, left_out;
	enum err_code why;
};

struct fixture {
	struct plan plan;
	struct collector *collector;
	struct bell bell;
	struct daily_counts tallies[4];
	unsigned n;
};

static void count(void *ctx, const struct obs *o)
{
	struct fixture *f = ctx;
	struct daily_counts *t = NULL;

	for (unsigned i = 0; i < f->n; i++)
		if (str_eq(f->tallies[i].device, o->device))
			t = &f->tallies[i];
	assert_non_null(t);
	if (o->result == OBS_FAILED) {
		t->failed++;
		t->why = o->err.code;
	} else if (str_eq(o->request, "left-out")) {
		t->left_out += (unsigned)strtoul(obs_text(o, o->items.at[0].text), NULL, 10);
	} else if (str_eq(o->request, "fast")) {
		t->fast++;
	} else if (str_eq(o->request, "medium")) {
		t->medium++;
	} else if (str_starts(o->request, "slow")) {
		t->slow++;
	}
}

static void drain(struct fixture *f)
{
	bell_drain(f->collector, count, f);
}

static void await_more(struct fixture *f, int64_t until)
{
	if (!bell_wait(&f->bell, until))
		fail_msg("it did not happen within %d s", PATIENCE_MS / 1000);
	drain(f);
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition))                                                               \
			await_more(f, until_);                                                     \
	} while (0)

static int setup_group(void **state)
{
	(void)state;
	sshd_begin(&sshd, &scratch);
	behaviour_set("", "");
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	sshd_end(&sshd);
	return 0;
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	plan_init(&f->plan);
	bell_open(&f->bell);
	return f;
}

static bool fixture_free(struct fixture *f)
{
	if (!collector_stop(f->collector))
		return false; /* its thread still uses the plan */
	plan_free(&f->plan);
	bell_close(&f->bell);
	free(f);
	return true;
}

static int setup(void **state)
{
	*state = fixture_new();
	return 0;
}

static int teardown(void **state)
{
	return fixture_free(*state) ? 0 : -1;
}

static void add(struct fixture *f, const char *name)
{
	struct plan_device *d = vec_add(&f->plan.devices);

	str_copy(d->name, sizeof(d->name), name);
	d->dialect = mem_strdup("linux");
	d->transport = mem_strdup("ssh");
	d->address = mem_strdup("127.0.0.1");
	d->port = sshd.port;
	d->user = mem_strdup(sshd.user);
	d->identity = mem_strdup(scratch_path(&scratch, "user_key"));
	d->known_hosts = mem_strdup(scratch_path(&scratch, "known_hosts"));
	d->interval_us = CLOCK_SEC / 5;
	str_copy(f->tallies[f->n++].device, NAME_MAX_LEN, name);
}

/* At most `rounds` rounds at a time. */
static void start(struct fixture *f, unsigned rounds)
{
	struct collector_opts opts = {.threads = 1,
		.wake = bell_ring,
		.ctx = &f->bell,
		.publish_us = 20000,
		.rounds = rounds};
	struct err err = {0};

	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

CASE(has_threads_by_the_number_of_devices)
{
	assert_int_equal(collector_threads(0, 8), 1);
	assert_int_equal(collector_threads(2499, 8), 1);
	assert_int_equal(collector_threads(2500, 8), 2);
	assert_int_equal(collector_threads(100000, 8), 4);
	/* One is left for the screen. */
	assert_int_equal(collector_threads(100000, 3), 2);
	assert_int_equal(collector_threads(100000, 2), 1);
	assert_int_equal(collector_threads(100000, 1), 1);
	assert_int_equal(collector_threads(100000, -1), 1);
}

/* One at a time, and one of them hangs: the others have their turns, and wait for it only. */
CASE_WITH(all_have_their_turn_where_few_are_asked_at_a_time, setup, teardown)
{
	static const char *const names[] = {"leaf-0", "leaf-1", "hang-0", "leaf-2"};
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	for (unsigned i = 0; i < 4; i++)
		add(f, names[i]);
	start(f, 1);
	AWAIT(f, t[0].fast >= 3 && t[1].fast >= 3 && t[3].fast >= 3 && t[2].failed >= 2);
	assert_int_equal(t[2].why, ERR_TIMEOUT);
	/* The tiers that are asked beside the fast one, too. */
	AWAIT(f, t[0].medium && t[0].slow >= 12);
	assert_int_equal(t[0].failed, 0);
	/* Polls that did not take place are reported, of the hanging devices at least. */
	AWAIT(f, t[0].left_out || t[1].left_out || t[2].left_out || t[3].left_out);
}

/*
 * A collector whose batches are not taken does not fill its queue for ever. A second collector
 * measures the time.
 */
CASE_WITH(waits_where_what_it_brought_is_not_taken, setup, teardown)
{
	struct fixture *f = *state, *w = fixture_new();
	struct daily_counts *t = &f->tallies[0];
	struct obs_queue *q;
	unsigned before, passed;

	add(f, "leaf-0");
	start(f, 0);
	AWAIT(f, t->fast >= 1 && t->slow >= 12 && t->medium);
	q = &f->collector->queue;
	pthread_mutex_lock(&q->lock);
	q->enough = 1;
	pthread_mutex_unlock(&q->lock);
	before = t->fast;
	add(w, "witness-0");
	start(w, 0);
	AWAIT(w, atomic_load(&f->collector->holding));
	passed = w->tallies[0].fast;
	AWAIT(w, w->tallies[0].fast >= passed + 10);
	drain(f);
	/* The batches that were there, and those under way. */
	assert_in_range(t->fast, before, before + 3);
	assert_int_equal(t->left_out, 0);
	/* It goes on, and reports the polls left out. */
	AWAIT(f, t->left_out);
	assert_in_range(t->left_out, 5, 1000);
	AWAIT(f, t->fast >= before + 6);
	assert_int_equal(t->failed, 0);
	assert_true(fixture_free(w));
}

static size_t waiting(struct fixture *f)
{
	struct obs_queue *q = &f->collector->queue;
	size_t n;

	pthread_mutex_lock(&q->lock);
	n = q->n;
	pthread_mutex_unlock(&q->lock);
	return n;
}

/* Even if it was delayed already when it came into focus. */
CASE_WITH(who_is_looked_at_is_not_held_back, setup, teardown)
{
	struct fixture *f = *state, *w = fixture_new();
	struct daily_counts *t = &f->tallies[0];
	struct obs_queue *q;
	unsigned passed;
	size_t before;

	add(f, "leaf-0");
	start(f, 0);
	AWAIT(f, t->fast >= 1 && t->slow >= 12 && t->medium);
	q = &f->collector->queue;
	pthread_mutex_lock(&q->lock);
	q->enough = 1;
	pthread_mutex_unlock(&q->lock);
	add(w, "witness-0");
	start(w, 0);
	AWAIT(w, atomic_load(&f->collector->holding));
	passed = w->tallies[0].fast;
	AWAIT(w, w->tallies[0].fast >= passed + 5);
	before = waiting(f);
	collector_focus(f->collector, "leaf-0");
	AWAIT(w, waiting(f) >= before + 5);
	assert_true(fixture_free(w));
}

CASES_MAIN(setup_group, teardown_group)
