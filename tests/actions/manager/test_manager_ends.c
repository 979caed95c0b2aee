/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"

/* Events from outside in the middle of an action, and those after one. */

static int setup(void **state)
{
	*state = way_new();
	return 0;
}

static int teardown(void **state)
{
	way_free(*state);
	return 0;
}

static const struct way_case reset = {"pfcwd-reset", false};

/* ---- the kill switch ---- */

static void stop_all(void *ctx, struct fake *f, unsigned n)
{
	struct way *r = ctx;
	int fd = n == 1 ? open(r->kill_switch, O_CREAT | O_WRONLY | O_CLOEXEC, 0644) : -1;

	(void)f;
	if (fd >= 0)
		(void)close(fd);
}

CASE_WITH(test_stopped_in_the_middle, setup, teardown)
{
	struct way *r = *state;

	way_fit(r, &reset);
	r->fake.before_change = stop_all;
	r->fake.ctx = r;
	assert_int_equal(way_do(r, "pfcwd-reset"), ACT_FAILED);
	assert_true(way_noted(r, "all actions were stopped"));
	assert_int_equal(fake_now(&r->fake).wd, 1);
	way_check(r, ACT_FAILED);
}

CASE_WITH(test_stopped_before, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-drain");
	stop_all(r, &r->fake, 1);
	assert_false(way_go(r, &err));
	assert_non_null(strstr(err.text, "kill-switch"));
	assert_int_equal(fake_changes(&r->fake), 0);
}

/* ---- no room for the ledger ---- */

static void limit_files(rlim_t size)
{
	struct rlimit l;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = size == RLIM_INFINITY ? l.rlim_max : size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static void fill_disk(void *ctx, struct fake *f, unsigned n)
{
	struct way *r = ctx;
	struct stat st;

	(void)f;
	if (n == 1 && stat(r->ledger, &st) == 0)
		limit_files((rlim_t)st.st_size);
}

CASE_WITH(test_the_disk_is_full_in_the_middle, setup, teardown)
{
	struct way *r = *state;
	enum act_stage end;

	r->fake.before_change = fill_disk;
	r->fake.ctx = r;
	end = way_do(r, "port-bounce");
	limit_files(RLIM_INFINITY);
	/* A request that could not be announced is not sent, not even to roll back. */
	assert_int_equal(end, ACT_UNKNOWN);
	assert_int_equal(fake_changes(&r->fake), 1);
	assert_int_equal(way_lines(r, "sending"), 1);
	assert_int_equal(way_lines(r, "done"), 0);
	assert_true(way_noted(r, "the ledger could not be written"));
	assert_true(way_noted(r, "is SHUT NOW"));
	assert_true(way_noted(r, "to correct it: set Ethernet12 admin up"));
}

CASE_WITH(test_the_disk_is_full_before, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};
	enum act_stage end;

	way_plan(r, "port-drain");
	limit_files(16);
	assert_true(way_go(r, &err));
	end = way_leave_stage(r, ACT_RUNNING);
	limit_files(RLIM_INFINITY);
	assert_int_equal(end, ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "ledger");
	assert_int_equal(fake_changes(&r->fake), 0);
}

/* ---- the end of railtop ---- */

struct gate {
	sem_t reached, open;
};

static void wait_there(void *ctx, struct fake *f, unsigned n)
{
	struct gate *g = ctx;

	(void)f;
	if (n != 1)
		return;
	(void)sem_post(&g->reached);
	(void)sem_wait(&g->open);
}

static void gate_init(struct gate *g, struct way *r)
{
	(void)sem_init(&g->reached, 0, 0);
	(void)sem_init(&g->open, 0, 0);
	r->fake.before_change = wait_there;
	r->fake.ctx = g;
}

static void *open_gate(void *ctx)
{
	(void)sem_post(&((struct gate *)ctx)->open);
	return NULL;
}

CASE_WITH(test_closed_between_stop_and_start, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};
	struct gate g;
	pthread_t thread;

	way_fit(r, &reset);
	way_plan(r, "pfcwd-reset");
	gate_init(&g, r);
	assert_true(way_go(r, &err));
	(void)sem_wait(&g.reached);
	assert_false(manager_drop(r->acts, &err));
	assert_int_equal(pthread_create(&thread, NULL, open_gate, &g), 0);
	manager_close(r->acts);
	r->acts = NULL;
	(void)pthread_join(thread, NULL);
	assert_int_equal(fake_changes(&r->fake), 2);
	assert_int_equal(fake_now(&r->fake).wd, 1);
	assert_int_equal(way_lines(r, "done"), 1);
}

CASE_WITH(test_closed_at_once, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-bounce");
	assert_true(way_go(r, &err));
	manager_close(r->acts);
	r->acts = NULL;
	assert_int_equal(way_lines(r, "done") + way_lines(r, "failed"), way_lines(r, "begun"));
	assert_int_equal(way_lines(r, "sending"), fake_changes(&r->fake));
	assert_true(fake_now(&r->fake).admin_up);
}

CASE_WITH(test_closed_while_looking, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->fake.hang_connect = true;
	assert_true(way_begin(r, "port-drain", &err));
	manager_close(r->acts);
	r->acts = NULL;
	assert_int_equal(r->fake.open_links, 0);
}

/* ---- two at once ---- */

CASE_WITH(test_two_operators_at_once, setup, teardown)
{
	struct way *r = *state;
	struct action_manager *first = r->acts;
	struct err err = {0};
	struct gate g;

	way_plan(r, "port-drain");
	r->acts = way_open(r, &err);
	assert_non_null(r->acts);
	way_plan(r, "port-bounce");
	gate_init(&g, r);
	assert_true(
		manager_go(first, &r->consent, "Ethernet12", r->site->m, r->site->now_us, &err));
	(void)sem_wait(&g.reached);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "one-at-a-time");
	(void)sem_post(&g.open);
	manager_close(first);
	assert_int_equal(fake_changes(&r->fake), 1);
	assert_int_equal(way_lines(r, "begun"), 1);
	assert_int_equal(way_lines(r, "done"), 1);
	assert_int_equal(way_lines(r, "refused"), 1);
}

/* ---- after it ---- */

static void model_sees_it_down(struct way *r)
{
	site_word(r->site, "leaf-r0-00", FAKE_PORT, ATTR_ADMIN, "down");
	site_word(r->site, "leaf-r0-00", FAKE_PORT, ATTR_OPER, "down");
	way_polls(r, 1);
}

static void drained(struct way *r)
{
	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
	assert_int_equal(manager_stage(r->acts), ACT_WATCHING);
	assert_int_equal(manager_watch_ends(r->acts), r->site->now_us + ACTIONS_WATCH_US);
	model_sees_it_down(r);
}

static void close_all(struct way *r)
{
	manager_close(r->acts);
	r->acts = NULL;
}

CASE_WITH(test_it_held, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	drained(r);
	assert_false(way_begin(r, "locate", &err));
	way_polls(r, 178);
	assert_int_equal(manager_stage(r->acts), ACT_WATCHING);
	way_polls(r, 2);
	assert_int_equal(manager_stage(r->acts), ACT_HELD);
	close_all(r);
	assert_true(way_says(r, "watched", "\"outcome\":\"held\""));
}

CASE_WITH(test_it_broke, setup, teardown)
{
	struct way *r = *state;

	drained(r);
	way_polls(r, 10);
	assert_int_equal(manager_stage(r->acts), ACT_WATCHING);
	site_word(r->site, "leaf-r0-00", FAKE_PORT, ATTR_ADMIN, "up");
	way_polls(r, 10);
	assert_int_equal(manager_stage(r->acts), ACT_BROKE);
	close_all(r);
	assert_true(way_says(r, "watched", "\"outcome\":\"broke\""));
}

/* The device is fresh all the time: the watch is shorter than its interval. */
CASE_WITH(test_the_watch_is_too_short, setup, teardown)
{
	struct way *r = *state;

	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
	(void)manager_turn(r->acts, r->site->m, r->site->now_us + ACTIONS_WATCH_US);
	assert_int_equal(manager_stage(r->acts), ACT_BROKE);
	close_all(r);
	assert_true(way_says(r, "watched", "before the device answered again (it is asked each"));
	assert_false(way_says(r, "watched", "no current data"));
}

CASE_WITH(test_the_watch_is_dropped, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	drained(r);
	assert_true(manager_drop(r->acts, &err));
	assert_int_equal(manager_stage(r->acts), ACT_NONE);
	close_all(r);
	assert_true(way_says(r, "watched", "cancelled"));
}

CASE_WITH(test_it_is_taken_back, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};
	char id[40];

	drained(r);
	(void)str_copy(id, sizeof(id), manager_plan(r->acts)->id);
	assert_true(manager_undo(r->acts, &r->consent, r->site->m, r->site->now_us, &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_RUNNING);
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_DONE);
	assert_string_not_equal(manager_plan(r->acts)->id, id);
	assert_true(fake_now(&r->fake).admin_up);
	assert_false(manager_undo(r->acts, &r->consent, r->site->m, r->site->now_us, &err));
	close_all(r);
	assert_true(way_says(r, "begun", "\"undoes\""));
	assert_true(way_says(r, "watched", "taken back"));
	assert_int_equal(way_lines(r, "done"), 2);
}

CASE_WITH(test_taking_back_is_refused, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};
	struct consent none = {0};

	drained(r);
	assert_true(manager_undo(r->acts, &none, r->site->m, r->site->now_us, &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_WATCHING);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "reason");
	assert_false(fake_now(&r->fake).admin_up);
	assert_int_equal(fake_changes(&r->fake), 1);
}

CASE_WITH(test_nothing_to_take_back, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	assert_false(manager_undo(r->acts, &r->consent, r->site->m, r->site->now_us, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_equal(way_do(r, "port-bounce"), ACT_DONE);
	assert_true(manager_undo(r->acts, &r->consent, r->site->m, r->site->now_us, &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_WATCHING);
	assert_true(way_noted(r, "nothing to take back"));
}

CASES_MAIN(NULL, NULL)
