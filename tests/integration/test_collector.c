/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/backend.h"
#include "backends/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/sshd.h"

/*
 * The collector against a real OpenSSH server. Dialects of the test's own stand in for all
 * vendors: the first letters of a device's name decide how it behaves.
 */

#define PATIENCE_MS 20000

static struct scratch scratch;
static struct sshd sshd;
static char script[200]; /* what the "script" devices run: written before any thread runs */

static bool test_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	struct request *r;

	(void)err;
	if (tier == POLL_MEDIUM)
		requests_ssh(out, "medium", "echo medium", NULL);
	if (tier == POLL_SLOW) {
		for (int i = 0; i < (str_starts(t->device, "many") ? 1 : 12); i++) {
			r = requests_ssh(out, "slow",
				str_starts(t->device, "slow") ? "sleep 60" : "echo slow", NULL);
			r->timeout_us = 100 * CLOCK_SEC;
		}
	}
	if (tier != POLL_FAST)
		return true;
	if (str_starts(t->device, "hang")) {
		r = requests_ssh(out, "fast", "sleep 60", NULL);
		r->timeout_us = CLOCK_SEC / 5;
	} else if (str_starts(t->device, "flood")) {
		r = requests_ssh(out, "fast", "yes", NULL);
		r->cap = 1 << 20;
	} else if (str_starts(t->device, "script")) {
		requests_ssh(out, "fast", script, NULL);
	} else if (str_starts(t->device, "garbage")) {
		requests_ssh(out, "fast", "echo rubbish; echo 'tool: broken' >&2", NULL);
	} else {
		requests_ssh(out, "fast", "echo fast", NULL);
	}
	return true;
}

static bool test_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *out, struct err *err)
{
	if (strncmp(bytes, request, strlen(request)) != 0)
		return err_set(err, ERR_PROTOCOL, t->device, "%s: %zu strange bytes", request, len);
	obs_number(out, OBS_NO_PORT, ATTR_UPTIME_S, 0, 1);
	return true;
}

#define TEST_DIALECT(n, t)                                                                         \
	const struct backend_ops backend_##n = {.name = #n,                                        \
		.title = #n,                                                                       \
		.transports = 1u << (t),                                                           \
		.plan = test_plan,                                                                 \
		.parse = test_parse}
TEST_DIALECT(linux, TRANSPORT_SSH);
TEST_DIALECT(sonic, TRANSPORT_SSH);
TEST_DIALECT(eos, TRANSPORT_HTTPS);

/* ---- what came ---- */

struct tally {
	char device[NAME_MAX_LEN];
	unsigned fast, medium, slow, connected, failed;
	struct err err;
	char failed_request[32];
};

struct fixture {
	struct plan plan;
	struct collector *collector;
	int bell[2];
	struct tally tallies[300];
	unsigned n;
};

static void ring(void *ctx)
{
	struct fixture *f = ctx;

	assert_true(write(f->bell[1], "", 1) == 1);
}

static struct tally *tally_of(struct fixture *f, const char *device)
{
	for (unsigned i = 0; i < f->n; i++)
		if (str_eq(f->tallies[i].device, device))
			return &f->tallies[i];
	fail_msg("a batch of unknown device %s", device);
	return NULL;
}

static void count(struct fixture *f, const struct obs *o)
{
	struct tally *t = tally_of(f, o->device);

	assert_true(o->received_us > 0);
	if (o->result == OBS_CONNECTED)
		t->connected++;
	else if (o->result == OBS_FAILED) {
		t->failed++;
		t->err = o->err;
		str_copy(t->failed_request, sizeof(t->failed_request), o->request);
	} else if (str_eq(o->request, "fast")) {
		assert_int_equal(o->bytes, 5);
		assert_int_equal(o->items.n, 1);
		t->fast++;
	} else if (str_eq(o->request, "medium"))
		t->medium++;
	else
		t->slow++;
}

static void drain(struct fixture *f)
{
	struct obs *next;

	for (struct obs *o = collector_drain(f->collector); o; o = next) {
		next = o->next;
		count(f, o);
		obs_free(o);
	}
}

/* Waits for the next bell, drains; the deadline makes a hang a failure. */
static void await_more(struct fixture *f, int64_t until)
{
	struct pollfd p = {.fd = f->bell[0], .events = POLLIN};
	char buf[64];

	if (now_ms() > until)
		fail_msg("it did not happen within %d s", PATIENCE_MS / 1000);
	if (poll(&p, 1, 500) > 0)
		(void)!read(f->bell[0], buf, sizeof(buf));
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
	(void)state;
	scratch_open(&scratch);
	sshd_keys(&scratch);
	(void)snprintf(script, sizeof(script), "exec sh %s", scratch_path(&scratch, "fast.sh"));
	setenv("HOME", scratch.dir, 1);
	unsetenv("SSH_AUTH_SOCK");
	sshd_start(&sshd, &scratch, 0, "");
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	sshd_stop(&sshd);
	scratch_close(&scratch);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	plan_init(&f->plan);
	assert_int_equal(pipe2(f->bell, O_CLOEXEC), 0);
	scratch_write(&scratch, "fast.sh", "echo fast\n");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	collector_stop(f->collector);
	plan_free(&f->plan);
	(void)close(f->bell[0]);
	(void)close(f->bell[1]);
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
	struct collector_opts opts = {
		.threads = threads, .wake = ring, .ctx = f, .publish_us = 20000, .once = once};
	struct err err = {0};

	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

/* ---- cases ---- */

static void polls_every_tier(void **state)
{
	struct fixture *f = *state;
	struct tally *t = f->tallies;

	add(f, "leaf-0", CLOCK_SEC / 5);
	start(f, false, 1);
	AWAIT(f, t->fast >= 4 && t->medium >= 1 && t->slow >= 12);
	assert_int_equal(t->connected, 1);
	assert_int_equal(t->failed, 0);
	assert_int_equal(t->medium, 1); /* not due again before 30 s */
	assert_int_equal(t->slow, 12);
}

static void nobody_waits_for_the_bad_ones(void **state)
{
	struct fixture *f = *state;

	add(f, "leaf-0", CLOCK_SEC / 5);
	add(f, "hang-0", CLOCK_SEC / 5);
	add(f, "hang-1", CLOCK_SEC / 5);
	add(f, "flood-0", CLOCK_SEC / 5);
	add(f, "slow-0", CLOCK_SEC / 5);
	add(f, "dead-0", CLOCK_SEC / 5)->port = free_port();
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

static void a_server_that_comes_back_is_polled_again(void **state)
{
	struct fixture *f = *state;
	struct tally *t = f->tallies;
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

static void focus_speeds_a_device_up(void **state)
{
	struct fixture *f = *state;

	add(f, "leaf-0", 60 * CLOCK_SEC);
	add(f, "leaf-1", 60 * CLOCK_SEC);
	start(f, false, 1);
	AWAIT(f, f->tallies[0].fast == 1 && f->tallies[1].fast == 1);
	collector_focus(f->collector, "leaf-1");
	AWAIT(f, f->tallies[1].fast >= 4);
	assert_int_equal(f->tallies[0].fast, 1);
	collector_focus(f->collector, NULL);
}

static void polls_now_when_told(void **state)
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

static void poll_now_ends_a_back_off(void **state)
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

static void once_polls_once(void **state)
{
	struct fixture *f = *state;

	add(f, "leaf-0", CLOCK_SEC / 10);
	add(f, "leaf-1", CLOCK_SEC / 10);
	add(f, "dead-0", CLOCK_SEC / 10)->port = free_port();
	start(f, true, 1);
	AWAIT(f, f->tallies[0].fast && f->tallies[1].fast && f->tallies[2].failed);
	AWAIT(f, f->tallies[0].medium && f->tallies[0].slow == 12);
	assert_int_equal(f->tallies[0].fast, 1);
	assert_int_equal(f->tallies[2].failed, 1);
}

static void many_devices_on_two_threads(void **state)
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
static void stops_in_bounded_time(void **state)
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
	collector_stop(f->collector);
	f->collector = NULL;
	assert_true(now_ms() - began < 2000);
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

static void refuses_what_fails_for_every_device(void **state)
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
	refuses(f, "does not speak ssh");
	free(d->transport);
	d->transport = mem_strdup("gnmi");
	refuses(f, "unknown transport");
	free(d->transport);
	d->transport = mem_strdup("https");
	d->credentials = mem_strdup("env:RAILTOP_NO_SUCH_VARIABLE");
	refuses(f, "no such variable");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(polls_every_tier),
		CASE(nobody_waits_for_the_bad_ones),
		CASE(a_server_that_comes_back_is_polled_again),
		CASE(focus_speeds_a_device_up),
		CASE(polls_now_when_told),
		CASE(poll_now_ends_a_back_off),
		CASE(once_polls_once),
		CASE(many_devices_on_two_threads),
		CASE(stops_in_bounded_time),
		CASE(refuses_what_fails_for_every_device),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
