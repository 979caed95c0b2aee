/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/contract/backend.h"
#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/all_reads.h"

/*
 * The collector, and devices of a real OpenSSH server that tell by themselves. The answers of a
 * dialect of the test's own say which place of the stream they have, or that they were asked for.
 */

#define PATIENCE_MS 30000

static struct scratch scratch;
static struct sshd sshd;

static bool plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	const char *turn = facts_get(t->facts, "turn");
	char text[128];

	(void)err;
	if (tier != POLL_FAST)
		return true;
	(void)str_printf(text, sizeof(text), "echo \"place ${t_k:-0} of a stream\" %s",
		str_starts(t->device, "other") ? turn : "");
	requests_ssh(out, "fast", "sh -s", text)->shell = true;
	if (str_starts(t->device, "two"))
		requests_ssh(out, "more", "sh -s", "echo place 0 of another")->shell = true;
	return true;
}

static bool parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *out, struct err *err)
{
	unsigned long turn = strtoul(facts_get(t->facts, "turn"), NULL, 10);
	char text[32];

	(void)request, (void)len;
	if (!str_starts(bytes, "place "))
		return err_set(err, ERR_PROTOCOL, t->device, "what is \"%s\"?", bytes);
	(void)str_printf(text, sizeof(text), "%lu", turn + 1);
	obs_fact(out, "turn", text);
	(void)str_copyn(text, sizeof(text), bytes + 6, strcspn(bytes + 6, " "));
	obs_log(out, OBS_NO_PORT, -1, true, 0, text);
	return true;
}

#define TEST_DIALECT(n, t)                                                                         \
	const struct backend_ops backend_##n = {.name = #n,                                        \
		.title = #n,                                                                       \
		.transports = 1u << (t),                                                           \
		.plan = plan,                                                                      \
		.parse = parse,                                                                    \
		.reads = all_reads}
TEST_DIALECT(linux, TRANSPORT_SSH);
TEST_DIALECT(sonic, TRANSPORT_SSH);
TEST_DIALECT(eos, TRANSPORT_HTTPS);

struct daily_counts {
	unsigned ticks, asked, failed, connected, ways;
	enum validity way;
	char cure[200];
	int64_t received_us;
};

struct fixture {
	struct plan plan;
	struct collector *collector;
	struct bell bell;
	struct daily_counts tallies[4];
};

static void count(void *ctx, const struct obs *o)
{
	struct fixture *f = ctx;
	struct daily_counts *t = &f->tallies[plan_find(&f->plan, o->device)];

	t->connected += o->result == OBS_CONNECTED;
	t->failed += o->result == OBS_FAILED;
	if (str_eq(o->request, "way")) {
		assert_string_equal(obs_text(o, o->items.at[0].text), "filtered answers");
		t->way = (enum validity)o->items.at[0].code;
		(void)str_copy(t->cure, sizeof(t->cure), obs_text(o, o->items.at[0].text2));
		t->ways++;
	} else if (o->result == OBS_DATA && str_eq(o->request, "fast")) {
		assert_true(o->received_us > t->received_us);
		t->received_us = o->received_us;
		for (size_t i = 0; i < o->items.n; i++) {
			if (o->items.at[i].kind != OBS_EVENT)
				continue;
			if (str_eq(obs_text(o, o->items.at[i].text), "0"))
				t->asked++;
			else
				t->ticks++;
		}
	}
}

static void drain(struct fixture *f)
{
	bell_drain(f->collector, count, f);
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition)) {                                                             \
			if (!bell_wait(&(f)->bell, until_))                                        \
				fail_msg("it did not happen within %d s: " #condition,             \
					PATIENCE_MS / 1000);                                       \
			drain(f);                                                                  \
		}                                                                                  \
	} while (0)

static int setup_group(void **state)
{
	(void)state;
	sshd_begin(&sshd, &scratch);
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	sshd_end(&sshd);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	plan_init(&f->plan);
	bell_open(&f->bell);
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

static void add(struct fixture *f, const char *name, int64_t interval_us)
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
	d->poll = POLL_WAY_STREAM;
}

static void start(struct fixture *f)
{
	struct collector_opts opts = {
		.threads = 1, .wake = bell_ring, .ctx = &f->bell, .publish_us = 20000};
	struct err err = {0};

	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

static void steady_answers_are_streamed(void **state)
{
	struct fixture *f = *state;
	const struct daily_counts *t = f->tallies;

	add(f, "same-0", CLOCK_SEC / 2);
	add(f, "other-0", CLOCK_SEC / 2);
	add(f, "two-0", CLOCK_SEC / 2);
	start(f);
	AWAIT(f, t[0].ticks >= 8 && t[1].asked >= 8 && t[2].asked >= 8);
	assert_true(t[0].asked >= 3);
	assert_int_equal(t[0].way, VALID_OK);
	/* Another question each time: there is nothing that could be gone on with. */
	assert_int_equal(t[1].ticks, 0);
	assert_int_equal(t[2].ticks, 0);
	assert_int_equal(t[2].way, VALID_DISABLED);
	assert_non_null(strstr(t[2].cure, "several questions a poll"));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t[i].failed, 0);
		assert_int_equal(t[i].connected, 1);
		assert_int_equal(t[i].ways, 1);
	}
}

/* Each second while it is in focus. */
static void its_interval_follows_the_cursor(void **state)
{
	struct fixture *f = *state;
	const struct daily_counts *t = f->tallies;
	unsigned ticks, asked;

	add(f, "same-0", 2 * CLOCK_SEC);
	start(f);
	AWAIT(f, t->ticks >= 1);
	for (int i = 0; i < 2; i++) {
		ticks = t->ticks;
		asked = t->asked;
		collector_focus(f->collector, i ? "" : "same-0");
		AWAIT(f, t->asked > asked && t->ticks >= ticks + 2);
	}
	assert_int_equal(t->failed, 0);
	assert_int_equal(t->connected, 1);
	assert_int_equal(t->way, VALID_OK);
}

/* Wanted now, it is asked now, and tells by itself again later. */
static void it_may_be_wanted_now(void **state)
{
	struct fixture *f = *state;
	const struct daily_counts *t = f->tallies;
	unsigned ticks, asked;

	add(f, "same-0", CLOCK_SEC);
	start(f);
	AWAIT(f, t->ticks >= 1);
	ticks = t->ticks;
	asked = t->asked;
	collector_poll_now(f->collector, "same-0");
	AWAIT(f, t->asked > asked && t->ticks >= ticks + 2);
	assert_int_equal(t->failed, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(steady_answers_are_streamed),
		TEST(its_interval_follows_the_cursor), TEST(it_may_be_wanted_now)};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
