/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"

/* Requests of the medium and the slow tier to the kept shell, on a real OpenSSH server. */

#define PATIENCE_MS 20000

struct reply {
	bool came;
	unsigned order; /* among all answers */
	long pid;
	enum err_code code;
	size_t len;
	bool filtered;
	char text[64]; /* its beginning */
	char complaint[64];
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
	r->len = a->len;
	r->filtered = a->filtered;
	(void)str_copy(r->text, sizeof(r->text), a->bytes);
	(void)str_copy(r->complaint, sizeof(r->complaint), a->complaint);
}

static struct ssh_link *link_of(struct fixture *f)
{
	return (struct ssh_link *)(void *)f->rig.link;
}

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
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

static int go_up(struct fixture *f, enum poll_way way)
{
	struct link_events events = {.up = on_up, .down = on_down, .ctx = f};
	int64_t until = now_ms() + PATIENCE_MS;

	f->ups = 0;
	ssh_rig_open(&f->rig, &events);
	f->rig.device.poll = way;
	transport_ssh.connect(f->rig.link);
	while (!f->ups && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	return f->ups ? 0 : -1;
}

static int setup(void **state)
{
	return go_up(*state, POLL_WAY_FULL);
}

static int setup_filtered(void **state)
{
	return go_up(*state, POLL_WAY_FILTERED);
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

static const struct ssh_quick *known_of(struct fixture *f, const char *name)
{
	for (size_t i = 0; i < SSH_QUICK; i++) {
		const struct ssh_quick *q = &link_of(f)->quick[i];

		if (q->name && str_eq(q->name, name))
			return q;
	}
	return NULL;
}

/*
 * Repeats until the shell is asked; a busy machine is slow now and then. A quick request must be
 * asked so.
 */
static bool is_asked_by(struct fixture *f, const struct request *q, enum poll_tier tier, long shell)
{
	int64_t most = CLOCK_SEC / 10;
	const struct ssh_quick *k;

	for (int i = 0; i < 20; i++)
		if (pid_of(f, q, tier) == shell)
			return true;
	k = known_of(f, q->name);
	assert_non_null(k);
	if (k->took_us > most || k->most_us > most)
		return false;
	assert_int_equal(pid_of(f, q, tier), shell);
	return true;
}

static bool is_asked_of(struct fixture *f, const struct request *q, long shell)
{
	return is_asked_by(f, q, POLL_MEDIUM, shell);
}

static void what_is_quick_goes_to_the_shell(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	/* A name of its own each time: a request that was slow in the shell is not asked there
	 * again. */
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
	assert_int_equal(pid_of(f, fast, POLL_FAST), pid);
}

/* The slow tier's are told apart from others by their names alone, too. */
static void so_does_the_slow_tier(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$"), *other;
	static const char *const names[] = {"a", "b", "c", "d"};
	bool any = false;
	size_t i;
	long pid = pid_of(f, fast, POLL_FAST);

	assert_int_not_equal(pid_of(f, script(f, names[0], "echo $$"), POLL_SLOW), pid);
	for (i = 0; i < 4 && !any; i++)
		any = is_asked_by(f, script(f, names[i], "echo $$"), POLL_SLOW, pid);
	assert_true(any);
	/* Where a request is not for a shell, it is not asked there. */
	other = script(f, names[i - 1], "echo $$");
	other->shell = false;
	assert_int_not_equal(pid_of(f, other, POLL_SLOW), pid);
	assert_int_equal(pid_of(f, fast, POLL_FAST), pid);
}

/* Other words of a request, as when a NIC hangs, take the place of the first. */
static void a_text_that_changes_is_the_one_that_is_asked(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	struct ssh_shell *sh = &link_of(f)->shell;
	struct reply r;
	unsigned known = 0, seq;
	long pid = pid_of(f, fast, POLL_FAST);

	if (!is_asked_by(f, script(f, "slow", "echo $$"), POLL_SLOW, pid))
		skip();
	seq = sh->beside_seq;
	for (char nic = 'a'; nic < 'g'; nic++) {
		char text[64];

		(void)str_printf(text, sizeof(text), "Q='nic%c'\necho $$ \"$Q\"", nic);
		ask(f, script(f, "slow", text), POLL_SLOW, &r);
		turn_until(f, &r.came);
		assert_int_equal(r.code, ERR_NONE);
		assert_non_null(strchr(r.text, nic));
	}
	for (unsigned i = 0; i < SSH_SHELL_TEXTS; i++)
		known += sh->texts[i] != NULL;
	assert_int_equal(known, 2);
	assert_true(sh->beside_seq > seq);
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

/* ---- through a filter ---- */

/* Repeats until the shell answers; *r is its reply. */
static bool is_said_by(struct fixture *f, const struct request *q, long shell, struct reply *r)
{
	for (int i = 0; i < 20; i++) {
		ask(f, q, POLL_MEDIUM, r);
		turn_until(f, &r->came);
		assert_int_equal(r->code, ERR_NONE);
		if (r->pid == shell)
			return true;
	}
	return false;
}

static bool is_never_asked_there(struct fixture *f, const char *name)
{
	const struct ssh_quick *k = known_of(f, name);

	return k && k->most_us > 2 * CLOCK_SEC;
}

/* The fast tier's answers are differences all the while; of the medium tier's nothing is kept. */
static void it_goes_past_a_filter(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$"), *quick;
	struct ssh_shell *sh = &link_of(f)->shell;
	struct reply first, then;
	char text[600];
	long pid = pid_of(f, fast, POLL_FAST);

	assert_int_equal(sh->filter, FILTER_ON);
	(void)str_printf(text, sizeof(text), "echo $$; cat %s/said; echo end", f->rig.scratch.dir);
	quick = script(f, "quick", text);
	if (!is_said_by(f, quick, pid, &first))
		skip(); /* the machine is too busy for anything to be quick */
	assert_false(first.filtered);
	assert_non_null(strstr(first.text, "end\n"));
	assert_int_equal(pid_of(f, fast, POLL_FAST), pid);
	assert_non_null(sh->kept[ssh_shell_function(sh, fast)]);
	assert_null(sh->kept[ssh_shell_function(sh, quick)]);
	(void)str_printf(text, sizeof(text), "%s/said", f->rig.scratch.dir);
	FILE *said = fopen(text, "we");
	assert_true(fputs("temperature 41\n", said) >= 0);
	assert_int_equal(fclose(said), 0);
	if (!is_said_by(f, quick, pid, &then))
		skip();
	assert_non_null(strstr(then.text, "\ntemperature 41\nend\n"));
	assert_int_equal(then.len, first.len + strlen("temperature 41\n"));
	assert_int_equal(unlink(text), 0);
	assert_int_equal(sh->mistakes, 0);
	assert_null(sh->full_why);
}

/* The output before the hang comes nevertheless, and the filter stays. */
static void what_hangs_beside_a_filter_says_its_half(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$"), *hangs;
	char flag[256], text[600];
	struct reply r;
	long pid = pid_of(f, fast, POLL_FAST);

	(void)str_printf(flag, sizeof(flag), "%s/hang", f->rig.scratch.dir);
	(void)str_printf(text, sizeof(text), "echo $$; [ -e %s ] && sleep 1000; echo all", flag);
	hangs = script(f, "hangs", text);
	hangs->partial = true;
	if (!is_said_by(f, hangs, pid, &r))
		skip();
	assert_int_equal(fclose(fopen(flag, "we")), 0);
	hangs->timeout_us = 6 * CLOCK_SEC;
	ask(f, hangs, POLL_MEDIUM, &r);
	turn_until(f, &r.came);
	assert_int_equal(r.code, ERR_TIMEOUT);
	assert_true(r.pid > 1 && r.pid != pid);
	assert_null(strstr(r.text, "all"));
	assert_int_equal(unlink(flag), 0);
	assert_true(is_never_asked_there(f, "hangs"));
	assert_null(link_of(f)->shell.full_why);
	(void)pid_of(f, fast, POLL_FAST);
	assert_int_equal(link_of(f)->shell.filter, FILTER_ON);
}

/* A filter could not remember so much. */
static void what_is_too_large_for_a_filter_goes_past_it(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	struct request *large = script(f, "large", "echo $$; seq 70000");
	long pid = pid_of(f, fast, POLL_FAST);
	struct reply r;

	if (!is_said_by(f, large, pid, &r))
		skip();
	assert_true(r.len > 400000);
	assert_int_equal(pid_of(f, fast, POLL_FAST), pid);
	assert_int_equal(link_of(f)->shell.filter, FILTER_ON);
	assert_int_equal(link_of(f)->shell.mistakes, 0);
}

/* Its own standard error is reported, and taken for nothing else. */
static void its_complaint_is_told(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	struct request *complains = script(f, "complains", "echo $$; echo no such >&2");
	long pid = pid_of(f, fast, POLL_FAST);
	struct reply r;

	if (!is_said_by(f, complains, pid, &r))
		skip();
	assert_string_equal(r.complaint, "no such");
	assert_null(strstr(r.text, "no such"));
}

/* It has its answer nevertheless, and so have the requests that waited behind it. */
static void what_hangs_for_once_is_asked_apart(void **state)
{
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	struct request *hangs, *behind = script(f, "behind", "echo $$");
	char flag[256], text[900];
	struct reply r, then;
	long pid = pid_of(f, fast, POLL_FAST);

	(void)str_printf(flag, sizeof(flag), "%s/hang", f->rig.scratch.dir);
	(void)str_printf(text, sizeof(text),
		"if [ -e %s ]; then rm %s; sleep 1000; fi; echo $$; echo whole", flag, flag);
	hangs = script(f, "hangs", text);
	if (!is_asked_by(f, hangs, POLL_SLOW, pid) || !is_asked_by(f, behind, POLL_SLOW, pid))
		skip();
	assert_int_equal(fclose(fopen(flag, "we")), 0);
	ask(f, hangs, POLL_SLOW, &r);
	ask(f, behind, POLL_SLOW, &then);
	turn_until(f, &r.came);
	turn_until(f, &then.came);
	assert_int_equal(r.code, ERR_NONE);
	assert_non_null(strstr(r.text, "whole"));
	assert_int_not_equal(r.pid, pid);
	assert_int_equal(then.code, ERR_NONE);
	assert_int_not_equal(then.pid, pid);
	assert_true(is_never_asked_there(f, "hangs"));
	assert_false(is_never_asked_there(f, "behind"));
	assert_int_not_equal(pid_of(f, fast, POLL_FAST), pid);
}

/* More texts than the shell has places for: each has the answer to its own. */
static void more_texts_than_places(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct fixture *f = *state;
	struct request *fast = script(f, "fast", "echo $$");
	unsigned asked = 0;
	long pid = pid_of(f, fast, POLL_FAST);

	assert_int_equal(sizeof(names) / sizeof(names[0]), SSH_QUICK);
	assert_int_equal(pid_of(f, script(f, "another", "echo $$ another"), POLL_FAST), pid);
	assert_int_equal(pid_of(f, script(f, "a third", "echo $$ third"), POLL_FAST), pid);
	for (unsigned i = 0; i < 4 * SSH_QUICK; i++) {
		char text[64], said[32];
		struct reply r;

		(void)str_printf(text, sizeof(text), "echo $$ %s", names[i % SSH_QUICK]);
		(void)str_printf(said, sizeof(said), " %s\n", names[i % SSH_QUICK]);
		ask(f, script(f, names[i % SSH_QUICK], text), POLL_SLOW, &r);
		turn_until(f, &r.came);
		assert_int_equal(r.code, ERR_NONE);
		assert_non_null(strstr(r.text, said));
		asked += r.pid == pid;
		assert_int_equal(pid_of(f, fast, POLL_FAST), pid);
	}
	if (!asked)
		skip(); /* the machine is too busy for anything to be quick */
}

#define TEST(t)     cmocka_unit_test_setup_teardown(t, setup, teardown)
#define FILTERED(t) cmocka_unit_test_setup_teardown(t, setup_filtered, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_quick_goes_to_the_shell),
		TEST(so_does_the_slow_tier),
		TEST(a_text_that_changes_is_the_one_that_is_asked),
		TEST(what_is_slow_has_a_channel_of_its_own),
		TEST(what_hangs_there_hangs_there_once),
		TEST(the_fast_tier_goes_first),
		FILTERED(what_is_quick_goes_to_the_shell),
		FILTERED(the_fast_tier_goes_first),
		FILTERED(it_goes_past_a_filter),
		FILTERED(what_hangs_beside_a_filter_says_its_half),
		FILTERED(what_is_too_large_for_a_filter_goes_past_it),
		FILTERED(its_complaint_is_told),
		FILTERED(what_hangs_for_once_is_asked_apart),
		FILTERED(more_texts_than_places),
	};

	return cmocka_run_group_tests(tests, setup_group, ssh_rig_group_end);
}
