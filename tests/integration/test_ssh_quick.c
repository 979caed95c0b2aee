/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/transport_ssh_link.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh_rig.h"

/* What the medium tier asks of the kept shell, on a real OpenSSH server. */

#define PATIENCE_MS 20000

struct reply {
	bool came;
	unsigned order; /* among all answers */
	long pid;
	enum err_code code;
};

struct fixture {
	struct ssh_rig rig;
	unsigned ups;
};

static unsigned answers;

static void on_up(void *ctx)
{
	((struct fixture *)ctx)->ups++;
}

static void on_down(void *ctx, const struct err *why)
{
	(void)ctx;
	fail_msg("down: %s", why->text);
}

static void on_reply(void *ctx, const struct answer *a)
{
	struct reply *r = ctx;

	assert_false(r->came);
	r->came = true;
	r->order = ++answers;
	r->code = a->err.code;
	r->pid = strtol(a->bytes, NULL, 10);
}

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ssh_rig_start(&f->rig);
	*state = f;
	return 0;
}

static int teardown_group(void **state)
{
	struct fixture *f = *state;

	ssh_rig_stop(&f->rig);
	free(f);
	return 0;
}

static void turn_until(struct fixture *f, const bool *came)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!*came) {
		if (now_ms() > until)
			fail_msg("not within %d s", PATIENCE_MS / 1000);
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	}
}

static int setup(void **state)
{
	struct fixture *f = *state;
	struct link_events events = {.up = on_up, .down = on_down, .ctx = f};
	int64_t until = now_ms() + PATIENCE_MS;

	f->ups = 0;
	ssh_rig_open(&f->rig, &events);
	transport_ssh.connect(f->rig.link);
	while (!f->ups && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	return f->ups ? 0 : -1;
}

static int teardown(void **state)
{
	ssh_rig_close(&((struct fixture *)*state)->rig);
	return 0;
}

/* A request that lives until the end of the test. Its name tells how quick it is. */
static struct request *script(struct fixture *f, const char *name, const char *text)
{
	struct request *r;

	vec_reserve(&f->rig.requests.at, 64); /* elements must not move */
	r = requests_ssh(&f->rig.requests, name, "sh -s", text);
	r->shell = true;
	return r;
}

static void ask(struct fixture *f, const struct request *q, enum poll_tier tier, struct reply *r)
{
	memset(r, 0, sizeof(*r));
	transport_ssh.ask(f->rig.link, q, tier, on_reply, r);
}

/* The process that it ran in, as itself says. */
static long pid_of(struct fixture *f, const struct request *q, enum poll_tier tier)
{
	struct reply r;

	ask(f, q, tier, &r);
	turn_until(f, &r.came);
	assert_int_equal(r.code, ERR_NONE);
	assert_true(r.pid > 1);
	return r.pid;
}

/* Asked until it is; a busy machine is slow now and then. */
static bool is_asked_of(struct fixture *f, const struct request *q, long shell)
{
	for (int i = 0; i < 20; i++)
		if (pid_of(f, q, POLL_MEDIUM) == shell)
			return true;
	return false;
}

static void what_is_quick_goes_to_the_shell(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	/* A name of its own each time: one that was slow in the shell is not asked there again. */
	static const char *const names[] = {"a", "b", "c", "d"};
	bool any = false;
	long pid;

	/* Nobody begins a shell but the fast tier, and nothing is known of how long it takes. */
	assert_true(pid_of(f, script(f, "a", "echo $$"), POLL_MEDIUM) > 1);
	pid = pid_of(f, fast, POLL_FAST);
	assert_int_not_equal(pid_of(f, script(f, "b", "echo $$"), POLL_MEDIUM), pid);
	for (size_t i = 0; i < 4 && !any; i++)
		any = is_asked_of(f, script(f, names[i], "echo $$"), pid);
	assert_true(any);
	/* Others are not, whatever they are. */
	assert_int_not_equal(pid_of(f, script(f, "a", "echo $$"), POLL_SLOW), pid);
	assert_int_equal(pid_of(f, fast, POLL_FAST), pid);
}

static void what_is_slow_has_a_channel_of_its_own(void **state)
{
	struct fixture *f = *state;
	long pid = pid_of(f, script(f, "fast", "echo $$"), POLL_FAST);
	struct request *slow = script(f, "slow", "sleep 0.2; echo $$");

	for (int i = 0; i < 4; i++)
		assert_int_not_equal(pid_of(f, slow, POLL_MEDIUM), pid);
}

/* It was quick, and stands still now: the fast tier goes round it, and it never comes back. */
static void what_hangs_there_hangs_there_once(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$"), *hangs;
	char flag[256], text[600];
	struct reply late, r;
	long pid, other;

	pid = pid_of(f, fast, POLL_FAST);
	(void)str_printf(flag, sizeof(flag), "%s/hang", f->rig.scratch.dir);
	(void)str_printf(text, sizeof(text), "[ -e %s ] && sleep 1000; echo $$", flag);
	hangs = script(f, "hangs", text);
	if (!is_asked_of(f, hangs, pid))
		skip(); /* the machine is too busy for anything to be quick */
	assert_int_equal(fclose(fopen(flag, "we")), 0);
	hangs->timeout_us = 4 * CLOCK_SEC;
	ask(f, hangs, POLL_MEDIUM, &late);
	ask(f, fast, POLL_FAST, &r);
	turn_until(f, &r.came);
	assert_int_equal(r.code, ERR_NONE);
	assert_int_not_equal(r.pid, pid);
	assert_false(late.came);
	turn_until(f, &late.came);
	assert_int_equal(late.code, ERR_TIMEOUT);
	assert_int_equal(unlink(flag), 0);
	other = pid_of(f, fast, POLL_FAST);
	assert_int_not_equal(other, pid);
	assert_int_equal(pid_of(f, fast, POLL_FAST), other);
	for (int i = 0; i < 4; i++)
		assert_int_not_equal(pid_of(f, hangs, POLL_MEDIUM), other);
}

/* A question of the fast tier that came later is the first to be answered. */
static void the_fast_tier_goes_first(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	struct request *first = script(f, "first", "echo $$"), *then = script(f, "then", "echo $$");
	struct reply a, b, c;
	long pid = pid_of(f, fast, POLL_FAST);

	if (!is_asked_of(f, first, pid) || !is_asked_of(f, then, pid))
		skip();
	ask(f, first, POLL_MEDIUM, &a);
	ask(f, then, POLL_MEDIUM, &b);
	ask(f, fast, POLL_FAST, &c);
	turn_until(f, &c.came);
	turn_until(f, &b.came);
	assert_true(c.order < b.order);
	assert_int_equal(c.pid, pid);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_quick_goes_to_the_shell),
		TEST(what_is_slow_has_a_channel_of_its_own),
		TEST(what_hangs_there_hangs_there_once),
		TEST(the_fast_tier_goes_first),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
