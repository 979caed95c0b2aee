/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
#include "tests/support/slot.h"

/*
 * The collector against a real OpenSSH server. Dialects of the test's own (behaviour.h)
 * stand in for all vendors.
 */

#define PATIENCE_MS 20000

static struct scratch scratch;
static struct sshd sshd;
static int log_fd; /* our end of the pipe that the "log" devices follow */

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

/* ---- arrived batches ---- */

struct daily_counts {
	char device[NAME_MAX_LEN];
	unsigned fast, medium, slow, connected, failed, detected, again, lines;
	struct err err;
	char failed_request[32];
	char line[64];     /* the last of its log */
	unsigned left_out; /* polls, as it was told of */
	enum validity log;
	char log_cure[128];
	unsigned ways; /* how often it was told how its answers come, and the last of it */
	enum validity way;
	unsigned raws;           /* batches with a verbatim answer */
	char raw[64], asked[64]; /* the last of them */
};

struct fixture {
	struct plan plan;
	struct collector *collector;
	struct bell bell;
	struct daily_counts tallies[300];
	unsigned n;
};

static struct daily_counts *tally_of(struct fixture *f, const char *device)
{
	for (unsigned i = 0; i < f->n; i++)
		if (str_eq(f->tallies[i].device, device))
			return &f->tallies[i];
	fail_msg("a batch of unknown device %s", device);
	return NULL;
}

static void count_log(struct daily_counts *t, const struct obs *o)
{
	assert_true(o->followed);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_EVENT) {
			t->lines++;
			str_copy(t->line, sizeof(t->line), obs_text(o, it->text));
		} else if (it->kind == OBS_CAPABILITY) {
			assert_string_equal(obs_text(o, it->text), "event log");
			t->log = (enum validity)it->code;
			str_copy(t->log_cure, sizeof(t->log_cure), obs_text(o, it->text2));
		}
	}
}

static void count_left_out(struct daily_counts *t, const struct obs *o)
{
	assert_true(o->followed);
	assert_int_equal(o->items.n, 1);
	assert_int_equal(o->items.at[0].kind, OBS_EVENT);
	assert_int_equal(o->items.at[0].code, EV_POLLS_LEFT_OUT);
	t->left_out += (unsigned)strtoul(obs_text(o, o->items.at[0].text), NULL, 10);
}

static void count(void *ctx, const struct obs *o)
{
	struct fixture *f = ctx;
	struct daily_counts *t = tally_of(f, o->device);

	assert_true(o->received_us > 0);
	assert_true(!o->raw == !o->asked);
	if (o->raw) {
		assert_false(o->followed);
		assert_int_equal(strlen(o->raw), o->raw_len);
		t->raws++;
		str_copy(t->raw, sizeof(t->raw), o->raw);
		str_copy(t->asked, sizeof(t->asked), o->asked);
	}
	if (o->result == OBS_CONNECTED)
		t->connected++;
	else if (o->result == OBS_FAILED) {
		t->failed++;
		t->err = o->err;
		str_copy(t->failed_request, sizeof(t->failed_request), o->request);
	} else if (str_eq(o->request, "log")) {
		count_log(t, o);
	} else if (str_eq(o->request, "way")) {
		assert_true(o->followed);
		assert_string_equal(obs_text(o, o->items.at[0].text), "filtered answers");
		t->way = (enum validity)o->items.at[0].code;
		t->ways++;
	} else if (str_eq(o->request, "left-out")) {
		count_left_out(t, o);
	} else if (o->again) {
		t->again++;
	} else if (str_eq(o->request, "detect")) {
		/* Nothing else was asked before. */
		assert_true(t->detected || t->fast + t->medium + t->slow == 0);
		t->detected++;
	} else if (str_eq(o->request, "fast")) {
		/* A kept shell sends marks as well. */
		assert_true(str_starts(o->device, "shell") ? o->bytes > 5 : o->bytes == 5);
		assert_int_equal(o->items.n, 1);
		t->fast++;
		if (o->err.code != ERR_NONE)
			t->err = o->err;
	} else if (str_eq(o->request, "medium"))
		t->medium++;
	else
		t->slow++;
}

static void drain(struct fixture *f)
{
	bell_drain(f->collector, count, f);
}

/* Waits for the next bell, drains; the deadline makes a hang a failure. */
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

/* ---- fixtures ---- */

static int setup_group(void **state)
{
	char script[200];

	(void)state;
	sshd_begin(&sshd, &scratch);
	str_copy(script, sizeof(script), scratch_path(&scratch, "fast.sh"));
	behaviour_set(script, scratch_path(&scratch, "log"));
	assert_int_equal(mkfifo(scratch_path(&scratch, "log"), 0600), 0);
	log_fd = open(scratch_path(&scratch, "log"), O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_true(log_fd >= 0);
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	(void)close(log_fd);
	sshd_end(&sshd);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	plan_init(&f->plan);
	bell_open(&f->bell);
	scratch_write(&scratch, "fast.sh", "echo fast\n");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (!collector_stop(f->collector))
		return -1; /* its thread still uses the plan */
	plan_free(&f->plan);
	bell_close(&f->bell);
	free(f);
	return 0;
}

static struct plan_device *add(struct fixture *f, const char *name, int64_t interval_us)
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
	d->interval_us = interval_us;
	str_copy(f->tallies[f->n++].device, NAME_MAX_LEN, name);
	return d;
}

static void start(struct fixture *f, bool once, unsigned threads)
{
	struct collector_opts opts = {.threads = threads,
		.wake = bell_ring,
		.ctx = &f->bell,
		.publish_us = 20000,
		.once = once};
	struct err err = {0};

	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

/* ---- cases ---- */

CASE_WITH(polls_every_tier, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	add(f, "leaf-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, t->fast >= 4 && t->medium >= 1 && t->slow >= 12);
	assert_int_equal(t->connected, 1);
	assert_int_equal(t->failed, 0);
	assert_int_equal(t->medium, 1); /* not due again before 30 s */
	assert_int_equal(t->slow, 12);
}

CASE_WITH(nobody_waits_for_the_bad_ones, setup, teardown)
{
	struct fixture *f = *state;

	add(f, "leaf-0", CLOCK_SEC / 5);
	add(f, "hang-0", CLOCK_SEC / 5);
	add(f, "hang-1", CLOCK_SEC / 5);
	add(f, "flood-0", CLOCK_SEC / 5);
	add(f, "slow-0", CLOCK_SEC / 5);
	add(f, "dead-0", CLOCK_SEC / 5)->port = slot_port();
	add(f, "garbage-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, f->tallies[0].fast >= 15);
	AWAIT(f, f->tallies[1].failed && f->tallies[2].failed && f->tallies[3].failed &&
			 f->tallies[5].failed && f->tallies[6].failed);
	/* Its slow tier never ends, its fast one goes on. */
	AWAIT(f, f->tallies[4].fast >= 15);
	assert_int_equal(f->tallies[4].slow, 0);
	assert_int_equal(f->tallies[0].failed, 0);
	assert_int_equal(f->tallies[1].err.code, ERR_TIMEOUT);
	assert_string_equal(f->tallies[1].err.origin, "hang-0");
	assert_int_equal(f->tallies[3].err.code, ERR_LIMIT);
	assert_int_equal(f->tallies[5].err.code, ERR_UNREACHABLE);
	assert_string_equal(f->tallies[5].failed_request, "connect");
	assert_int_equal(f->tallies[6].err.code, ERR_PROTOCOL);
	assert_non_null(strstr(f->tallies[6].err.text, "tool: broken"));
}

/* A command that stops halfway: the output so far is there, and the reason of the end. */
CASE_WITH(takes_what_a_hanging_command_said, setup, teardown)
{
	struct fixture *f = *state;

	add(f, "halfway-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, f->tallies[0].fast >= 3);
	assert_int_equal(f->tallies[0].failed, 0);
	assert_int_equal(f->tallies[0].connected, 1);
	assert_int_equal(f->tallies[0].err.code, ERR_TIMEOUT);
	assert_non_null(strstr(f->tallies[0].err.text, "no answer within"));
}

/* Its answers come, only not as often as the plan says: that is told, and not each time. */
CASE_WITH(tells_of_polls_that_were_left_out, setup, teardown)
{
	struct fixture *f = *state;
	unsigned told;

	scratch_write(&scratch, "fast.sh", "sleep 0.5; echo fast\n");
	add(f, "script-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, f->tallies[0].left_out);
	told = f->tallies[0].left_out;
	assert_in_range(told, 2, 1000);
	AWAIT(f, f->tallies[0].fast >= 4);
	assert_int_equal(f->tallies[0].left_out, told);
	assert_int_equal(f->tallies[0].failed, 0);
	/* Of those since it is told before the device goes, which it may do for long. */
	scratch_write(&scratch, "fast.sh", "kill -9 $PPID\n");
	AWAIT(f, f->tallies[0].failed);
	assert_true(f->tallies[0].left_out > told);
}

CASE_WITH(tells_once_how_answers_come, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	add(f, "leaf-0", CLOCK_SEC / 5)->poll = POLL_WAY_FILTERED;
	add(f, "shell-0", CLOCK_SEC / 5)->poll = POLL_WAY_FILTERED;
	add(f, "shell-1", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, t[0].fast >= 5 && t[1].fast >= 5 && t[2].fast >= 5);
	assert_true(t[0].way == VALID_UNSUPPORTED && t[1].way == VALID_OK);
	assert_true(t[0].ways == 1 && t[1].ways == 1 && t[2].ways == 0);
}

/* Verbatim answers of the devices that are asked to keep them, also of unreadable ones. */
CASE_WITH(keeps_what_was_said, setup, teardown)
{
	struct fixture *f = *state;
	unsigned before;

	add(f, "leaf-0", CLOCK_SEC / 5);
	add(f, "leaf-1", CLOCK_SEC / 5);
	add(f, "garbage-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, f->tallies[0].fast >= 2 && f->tallies[1].fast >= 2 && f->tallies[2].failed);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f->tallies[i].raws, 0);
	collector_keep_raw(f->collector, "leaf-0", true);
	collector_keep_raw(f->collector, "garbage-0", true);
	collector_keep_raw(f->collector, "nobody", true);
	/* Of the tier that was the last to answer. */
	AWAIT(f, str_eq(f->tallies[0].raw, "fast\n") && f->tallies[2].raws >= 2 &&
			 str_eq(f->tallies[2].raw, "rubbish\n"));
	assert_string_equal(f->tallies[0].asked, "echo fast");
	assert_int_equal(f->tallies[1].raws, 0);
	collector_keep_raw(f->collector, "leaf-0", false);
	/* One may have been on its way. */
	before = f->tallies[0].fast;
	AWAIT(f, f->tallies[0].fast >= before + 2);
	before = f->tallies[0].raws;
	AWAIT(f, f->tallies[2].raws >= 6);
	assert_int_equal(f->tallies[0].raws, before);
}

CASE_WITH(a_followed_log_is_not_kept, setup, teardown)
{
	struct fixture *f = *state;

	add(f, "log-0", CLOCK_SEC / 5);
	start(f, false, 1);
	collector_keep_raw(f->collector, "log-0", true);
	AWAIT(f, f->tallies[0].log == VALID_OK && f->tallies[0].fast >= 2);
	assert_true(write(log_fd, "log: ALARM fire\n", 16) == 16);
	AWAIT(f, f->tallies[0].lines >= 1); /* count() looks at each */
	assert_true(f->tallies[0].raws > 0);
}

CASE_WITH(a_server_that_comes_back_is_polled_again, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;
	unsigned before, port = sshd.port;

	add(f, "script-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, t->fast >= 1);
	sshd_stop(&sshd);
	/* The parent of a command is the server's process for this connection. */
	scratch_write(&scratch, "fast.sh", "kill -9 $PPID\n");
	AWAIT(f, t->failed >= 2);
	assert_int_equal(t->err.code, ERR_UNREACHABLE);
	scratch_write(&scratch, "fast.sh", "echo fast\n");
	sshd_start(&sshd, &scratch, port, "");
	before = t->fast;
	AWAIT(f, t->fast > before);
	assert_int_equal(t->connected, 2);
}

/* At once, and for that device only. */
CASE_WITH(focus_speeds_a_device_up, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;
	unsigned then;

	for (int i = 0; i < 3; i++) {
		char name[24];

		(void)snprintf(name, sizeof(name), "leaf-%d", i);
		add(f, name, 60 * CLOCK_SEC);
	}
	start(f, false, 2);
	AWAIT(f, t[0].fast == 1 && t[1].fast == 1 && t[2].fast == 1);
	collector_focus(f->collector, "leaf-1");
	AWAIT(f, t[1].fast >= 4);
	assert_int_equal(t[0].fast, 1);
	assert_int_equal(t[2].fast, 1);
	collector_focus(f->collector, "leaf-2");
	then = t[1].fast;
	AWAIT(f, t[2].fast >= 4);
	/* An answer on its way at that moment may still come. */
	assert_in_range(t[1].fast, then, then + 1);
	assert_int_equal(t[0].fast, 1);
	collector_focus(f->collector, NULL);
	collector_focus(f->collector, "leaf-0");
	then = t[2].fast;
	AWAIT(f, t[0].fast >= 3);
	assert_in_range(t[2].fast, then, then + 1);
}

/* The facts learnt on the way are there for the first plan of any other tier, and new each time. */
CASE_WITH(detects_first_with_each_connection, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;
	unsigned fast;

	add(f, "facts-0", CLOCK_SEC / 5);
	add(f, "undetected-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, t[0].fast >= 2 && t[0].medium && t[0].slow == 12);
	assert_int_equal(t[0].detected, 1);
	assert_int_equal(t[0].failed, 0);
	/* A device whose detection fails is polled all the same. */
	AWAIT(f, t[1].fast >= 2);
	assert_int_equal(t[1].failed, 1);
	assert_string_equal(t[1].failed_request, "detect");
	scratch_write(&scratch, "fast.sh", "kill -9 $PPID\n");
	AWAIT(f, t[0].failed);
	assert_string_equal(t[0].failed_request, "connect");
	fast = t[0].fast;
	scratch_write(&scratch, "fast.sh", "echo fast\n");
	AWAIT(f, t[0].fast > fast);
	assert_int_equal(t[0].connected, t[0].detected);
	assert_true(t[0].detected >= 2);
}

CASE_WITH(asks_again_at_once_but_not_for_ever, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	add(f, "again-0", 60 * CLOCK_SEC);
	add(f, "stubborn-0", 60 * CLOCK_SEC);
	start(f, false, 1);
	/*
	 * The answer of the same poll, planned with the learnt facts; the other one is given up.
	 * Only the last of its answers is handed on: the others taught how to ask, and told
	 * nothing.
	 */
	AWAIT(f, t[0].fast == 1 && t[1].again == 1);
	assert_int_equal(atomic_load(&behaviour_stubborn), 3);
	assert_int_equal(t[0].again, 0);
	collector_poll_now(f->collector, NULL);
	AWAIT(f, t[0].fast == 2 && t[1].again == 2);
	assert_int_equal(atomic_load(&behaviour_stubborn), 6);
	assert_int_equal(t[0].again, 0);
	assert_int_equal(t[0].failed + t[1].failed, 0);
}

/* A command that hangs is known to, so that a dialect can leave it out. */
CASE_WITH(what_was_not_answered_is_a_fact, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	add(f, "late-0", CLOCK_SEC / 20);
	start(f, false, 1);
	AWAIT(f, t[0].fast >= 5);
	assert_int_equal(t[0].failed, 1);
	assert_int_equal(t[0].err.code, ERR_TIMEOUT);
	assert_int_equal(t[0].connected, 1);
}

/* Several batches of one answer are handed over, and learnt from, each for itself. */
CASE_WITH(an_answer_to_several_questions, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	add(f, "more-0", CLOCK_SEC / 20);
	start(f, false, 1);
	/* One of them as its own poll, one with the first answer, with which a failure came too. */
	AWAIT(f, t[0].fast >= 3 && t[0].medium >= 2 && t[0].failed >= 1);
}

CASE_WITH(periods_are_the_plan_s, setup, teardown)
{
	struct fixture *f = *state;
	struct plan_device *d = add(f, "many-0", 60 * CLOCK_SEC);

	d->medium_us = CLOCK_SEC / 5;
	d->slow_us = CLOCK_SEC / 2;
	start(f, false, 1);
	AWAIT(f, f->tallies[0].medium >= 6 && f->tallies[0].slow >= 3);
	assert_int_equal(f->tallies[0].fast, 1);
}

static void device_logs(const char *text)
{
	assert_int_equal(write(log_fd, text, strlen(text)), (ssize_t)strlen(text));
}

CASE_WITH(follows_a_log_beside_the_polls, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;
	unsigned fast;

	add(f, "log-0", CLOCK_SEC / 5);
	add(f, "nolog-0", CLOCK_SEC / 5);
	add(f, "babble-0", CLOCK_SEC / 5);
	start(f, false, 1);
	/* That it can be followed is known without a line of it. */
	AWAIT(f, t[0].log == VALID_OK && t[1].log == VALID_DISABLED);
	assert_int_equal(t[0].lines, 0);
	assert_string_equal(t[1].log_cure, "usermod -aG adm");
	device_logs("log: all is well\nlog: ALARM fan 3 failed\nlog: ALAR");
	AWAIT(f, t[0].lines == 1);
	assert_string_equal(t[0].line, "fan 3 failed");
	device_logs("M psu 1 lost\n");
	AWAIT(f, t[0].lines == 2);
	assert_string_equal(t[0].line, "psu 1 lost");
	/* A device that floods its log loses its log; no other device loses anything. */
	AWAIT(f, t[2].log == VALID_UNSUPPORTED);
	assert_non_null(strstr(t[2].log_cure, "MB in a second"));
	fast = t[2].fast;
	AWAIT(f, t[2].fast >= fast + 5 && t[0].fast >= 10 && t[1].fast >= 10);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t[i].failed, 0);
		assert_int_equal(t[i].connected, 1);
	}
}

CASE_WITH(once_tells_of_the_log_as_well, setup, teardown)
{
	struct fixture *f = *state;
	struct daily_counts *t = f->tallies;

	add(f, "log-0", CLOCK_SEC / 10);
	add(f, "nolog-0", CLOCK_SEC / 10);
	add(f, "facts-0", CLOCK_SEC / 10);
	start(f, true, 1);
	AWAIT(f, collector_finished(f->collector));
	drain(f);
	assert_int_equal(t[0].log, VALID_OK);
	assert_int_equal(t[1].log, VALID_DISABLED);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t[i].fast, 1);
		assert_int_equal(t[i].slow, 12);
		assert_int_equal(t[i].failed, 0);
	}
	assert_int_equal(t[2].detected, 1);
}

CASE_WITH(polls_now_when_told, setup, teardown)
{
	struct fixture *f = *state;

	add(f, "leaf-0", 60 * CLOCK_SEC);
	add(f, "leaf-1", 60 * CLOCK_SEC);
	start(f, false, 2);
	AWAIT(f, f->tallies[0].fast == 1 && f->tallies[1].fast == 1);
	collector_poll_now(f->collector, "leaf-0");
	AWAIT(f, f->tallies[0].fast == 2);
	assert_int_equal(f->tallies[1].fast, 1);
	collector_poll_now(f->collector, NULL);
	AWAIT(f, f->tallies[0].fast == 3 && f->tallies[1].fast == 2);
}

CASE_WITH(poll_now_ends_a_back_off, setup, teardown)
{
	struct fixture *f = *state;
	struct plan_device *d = add(f, "leaf-0", CLOCK_SEC / 5);

	scratch_run(&scratch, "cp other_key fixed_key");
	free(d->identity);
	d->identity = mem_strdup(scratch_path(&scratch, "fixed_key"));
	start(f, false, 1);
	AWAIT(f, f->tallies[0].failed == 1);
	assert_int_equal(f->tallies[0].err.code, ERR_UNAUTHORISED);
	/* Without this it would wait 30 s. */
	scratch_run(&scratch, "cp user_key fixed_key");
	collector_poll_now(f->collector, "leaf-0");
	AWAIT(f, f->tallies[0].fast >= 1);
	assert_int_equal(f->tallies[0].failed, 1);
}

CASE_WITH(once_polls_once, setup, teardown)
{
	struct fixture *f = *state;

	add(f, "leaf-0", CLOCK_SEC / 10);
	add(f, "leaf-1", CLOCK_SEC / 10);
	add(f, "dead-0", CLOCK_SEC / 10)->port = slot_port();
	start(f, true, 1);
	AWAIT(f, f->tallies[0].fast && f->tallies[1].fast && f->tallies[2].failed);
	AWAIT(f, f->tallies[0].medium && f->tallies[0].slow == 12);
	assert_int_equal(f->tallies[0].fast, 1);
	assert_int_equal(f->tallies[2].failed, 1);
}

CASE_WITH(many_devices_on_two_threads, setup, teardown)
{
	struct fixture *f = *state;
	char name[32];
	bool all = false;

	for (unsigned i = 0; i < 60; i++) {
		(void)snprintf(name, sizeof(name), "many-%u", i);
		add(f, name, 2 * CLOCK_SEC);
	}
	start(f, false, 2);
	for (int64_t until = now_ms() + 3 * PATIENCE_MS; !all;) {
		await_more(f, until);
		all = true;
		for (unsigned i = 0; i < f->n; i++)
			all = all && f->tallies[i].fast >= 2;
	}
	for (unsigned i = 0; i < f->n; i++)
		assert_int_equal(f->tallies[i].failed, 0);
}

/* Half of them hang in a command, half of them in the handshake or the name. */
CASE_WITH(stops_in_bounded_time, setup, teardown)
{
	struct fixture *f = *state;
	struct plan_device *d;
	int64_t began;

	add(f, "hang-0", CLOCK_SEC);
	add(f, "slow-0", CLOCK_SEC);
	add(f, "flood-0", CLOCK_SEC);
	d = add(f, "dead-0", CLOCK_SEC);
	free(d->address);
	d->address = mem_strdup("192.0.2.1"); /* documentation network: nobody answers */
	d = add(f, "dead-1", CLOCK_SEC);
	free(d->address);
	d->address = mem_strdup("no-such-host.invalid");
	start(f, false, 1);
	AWAIT(f, f->tallies[1].fast >= 1);
	began = now_ms();
	assert_true(collector_stop(f->collector));
	f->collector = NULL;
	/* None of the devices' own timeouts is waited for. */
	assert_true(now_ms() - began < PATIENCE_MS);
}

/* A main loop that lets no collector thread go on. */
struct blocking {
	sem_t entered, leave;
	atomic_uint calls;
	sigset_t blocked;
};

static void block(void *ctx)
{
	struct blocking *b = ctx;

	atomic_fetch_add(&b->calls, 1);
	(void)pthread_sigmask(SIG_SETMASK, NULL, &b->blocked);
	(void)sem_post(&b->entered);
	while (sem_wait(&b->leave) != 0)
		;
}

CASE_WITH(says_when_a_thread_lives_on, setup, teardown)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct fixture *f = *state;
	struct blocking b = {0};
	struct collector_opts opts = {
		.threads = 1, .wake = block, .ctx = &b, .publish_us = 1, .once = true};
	struct err err = {0};

	(void)sem_init(&b.entered, 0, 0);
	(void)sem_init(&b.leave, 0, 0);
	add(f, "dead-0", CLOCK_SEC)->port = slot_port();
	add(f, "dead-1", CLOCK_SEC)->port = slot_port();
	f->collector = collector_start(&f->plan, &opts, &err);
	assert_non_null(f->collector);
	while (sem_wait(&b.entered) != 0)
		;
	/* A crash there must be heard of; a broken pipe must not be one. */
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_int_equal(sigismember(&b.blocked, own[i]), 0);
	assert_int_equal(sigismember(&b.blocked, SIGPIPE), 1);
	assert_int_equal(sigismember(&b.blocked, SIGINT), 1);
	assert_false(collector_lives_on());
	assert_false(collector_stop(f->collector));
	assert_true(collector_lives_on());
	/* It is all there still when the thread goes on, and nobody is woken any more. */
	for (int i = 0; i < 8; i++)
		(void)sem_post(&b.leave);
	assert_int_equal(pthread_join(f->collector->shards[0].thread, NULL), 0);
	f->collector->shards[0].running = false;
	assert_int_equal(atomic_load(&b.calls), 1);
	(void)sem_destroy(&b.entered);
	(void)sem_destroy(&b.leave);
}

static void refuses(struct fixture *f, const char *text)
{
	struct collector_opts opts = {.threads = 2};
	struct err err = {0};

	assert_null(collector_start(&f->plan, &opts, &err));
	assert_int_equal(err.code, ERR_CONFIG);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
	assert_true(err.cure[0]);
}

CASE_WITH(refuses_what_fails_for_every_device, setup, teardown)
{
	struct fixture *f = *state;
	struct plan_device *d;

	add(f, "leaf-0", CLOCK_SEC);
	d = add(f, "leaf-1", CLOCK_SEC);
	free(d->dialect);
	d->dialect = mem_strdup("junos");
	refuses(f, "unknown dialect \"junos\"");
	free(d->dialect);
	d->dialect = mem_strdup("eos");
	refuses(f, "does not work over ssh");
	free(d->transport);
	d->transport = mem_strdup("gnmi");
	refuses(f, "unknown transport");
	free(d->transport);
	d->transport = mem_strdup("https");
	d->credentials = mem_strdup("env:RAILTOP_NO_SUCH_VARIABLE");
	refuses(f, "variable is not set");
}

CASES_MAIN(setup_group, teardown_group)
