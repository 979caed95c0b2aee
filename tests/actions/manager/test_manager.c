/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"

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

CASE(test_each_action_is_done)
{
	for (size_t i = 0; i < way_ncases; i++) {
		struct way *r = way_new();
		struct fake_setting now;

		way_fit(r, &way_cases[i]);
		assert_int_equal(way_do(r, way_cases[i].action), ACT_DONE);
		way_check(r, ACT_DONE);
		now = fake_now(&r->fake);
		if (str_eq(way_cases[i].action, "pfcwd-reset")) {
			assert_false(now.stormed);
			assert_true(wd_setting_eq(&now.wd_set, &r->before.wd_set));
		}
		if (str_eq(way_cases[i].action, "port-drain"))
			assert_false(now.admin_up);
		if (str_eq(way_cases[i].action, "counterpoll-enable"))
			assert_true(now.counters);
		way_free(r);
	}
}

CASE_WITH(test_nothing_without_a_grant, setup, teardown)
{
	struct way *r = *state;
	struct action_manager_opts o = {.plan = &r->site->plan, .read_only = true};
	struct err err = {0};

	assert_null(manager_open(&o, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.text, "read-only"));
	o.read_only = false;
	r->site->plan.actions.granted = false;
	assert_null(manager_open(&o, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.cure, "actions:"));
	assert_int_equal(access(r->ledger, F_OK), -1);
}

CASE_WITH(test_looking_is_not_permitted_to_change, setup, teardown)
{
	struct way *r = *state;

	way_plan(r, "port-drain");
	for (size_t i = 0; i < r->fake.lines.n; i++)
		assert_false(r->fake.lines.at[i].permitted);
	assert_int_equal(fake_changes(&r->fake), 0);
	assert_int_equal(access(r->ledger, F_OK), -1);
}

/* A metrics engine tells about devices; only devices can be changed. */
CASE_WITH(test_who_is_never_asked_is_not_acted_on, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	for (size_t i = 0; i < r->site->plan.devices.n; i++) {
		free(r->site->plan.devices.at[i].transport);
		r->site->plan.devices.at[i].transport = NULL;
		r->site->plan.devices.at[i].by_engine = true;
	}
	assert_false(way_begin(r, "port-drain", &err));
	assert_non_null(strstr(err.text, "only the metrics engine reports it"));
	assert_non_null(strstr(err.cure, "transport:"));
}

/* A device that an engine polls can be changed if the inventory gives a way to reach it. */
CASE_WITH(test_who_an_engine_tells_about_is_acted_on, setup, teardown)
{
	struct way *r = *state;

	for (size_t i = 0; i < r->site->plan.devices.n; i++)
		r->site->plan.devices.at[i].by_engine = true;
	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
}

CASE_WITH(test_the_account_that_acts, setup, teardown)
{
	struct way *r = *state;

	assert_int_equal(setenv("RAILTOP_TEST_SECRET", "oper:s3cret", 1), 0);
	r->site->plan.actions.user = mem_strdup("oper");
	r->site->plan.actions.credentials = mem_strdup("env:RAILTOP_TEST_SECRET");
	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
	assert_string_equal(r->fake.user, "oper");
	assert_string_equal(r->fake.userpwd, "oper:s3cret");
	for (enum ledger_event e = 0; e < LEDGER_EVENT_COUNT; e++)
		assert_false(way_says(r, ledger_event_name(e), "s3cret"));
	assert_false(way_noted(r, "s3cret"));
}

CASE_WITH(test_credentials_that_cannot_be_read, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->site->plan.actions.credentials = mem_strdup("env:RAILTOP_TEST_NO_SUCH");
	assert_true(way_begin(r, "port-drain", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_FAILED);
	assert_int_equal(r->fake.connects, 0);
}

CASE_WITH(test_the_name_has_to_be_typed, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-drain");
	assert_false(
		manager_go(r->acts, &r->consent, "Ethernet1", r->site->m, r->site->now_us, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_false(manager_go(r->acts, &r->consent, NULL, r->site->m, r->site->now_us, &err));
	assert_int_equal(manager_stage(r->acts), ACT_PLANNED);
	way_check(r, ACT_NONE);
}

CASE_WITH(test_a_refusal_is_written, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-drain");
	r->consent.reason[0] = '\0';
	assert_false(way_go(r, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.text, "reason"));
	assert_int_equal(manager_stage(r->acts), ACT_PLANNED);
	manager_close(r->acts);
	r->acts = NULL;
	assert_true(way_says(r, "refused", "\"guard\":\"reason\""));
	way_check(r, ACT_REFUSED);
	r->acts = way_open(r, &err);
}

CASE_WITH(test_no_snapshot_no_action, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->snapshot_fails = true;
	way_plan(r, "port-drain");
	assert_false(way_go(r, &err));
	assert_non_null(strstr(err.text, "snapshot"));
	assert_int_equal(fake_changes(&r->fake), 0);
	r->snapshot_fails = false;
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_WATCHING);
	assert_int_equal(r->snapshots, 1);
	assert_true(way_says(r, "begun", "snapshot_sha256"));
}

CASE_WITH(test_login_denied, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->fake.dead = 1;
	r->fake.dead_code = ERR_UNAUTHORISED;
	assert_true(way_begin(r, "port-drain", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_FAILED);
	assert_true(way_noted(r, "login denied"));
}

CASE_WITH(test_a_device_that_does_not_answer, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->fake.hang_connect = true;
	assert_true(way_begin(r, "port-drain", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_FAILED);
	assert_true(way_noted(r, "no connection within"));
}

CASE_WITH(test_garbage_is_no_condition, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->fake.garbage = true;
	assert_true(way_begin(r, "port-drain", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_FAILED);
}

CASE_WITH(test_dropped_while_looking, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	r->fake.hang_connect = true;
	assert_true(way_begin(r, "port-drain", &err));
	assert_false(way_begin(r, "port-drain", &err));
	assert_true(manager_drop(r->acts, &err));
	assert_int_equal(manager_stage(r->acts), ACT_NONE);
	pthread_mutex_lock(&r->fake.lock);
	r->fake.hang_connect = false;
	pthread_mutex_unlock(&r->fake.lock);
	way_plan(r, "port-drain");
}

/* ---- a plan that waits ---- */

/* As manager_due() says, until the answer to a look is there. */
static void look_again(struct way *r)
{
	way_polls(r, 1);
	while (manager_due(r->acts) == INT64_MAX) {
		pthread_mutex_lock(&r->lock);
		while (!r->wakes)
			pthread_cond_wait(&r->woken, &r->lock);
		r->wakes = 0;
		pthread_mutex_unlock(&r->lock);
		(void)manager_turn(r->acts, r->site->m, r->site->now_us);
	}
}

CASE_WITH(test_a_waiting_plan_is_kept_fresh, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};
	char hash[65];
	unsigned reads;

	way_plan(r, "port-drain");
	(void)str_copy(hash, sizeof(hash), manager_plan(r->acts)->hash);
	reads = r->fake.reads;
	for (int i = 0; i < 6; i++)
		look_again(r);
	assert_true(r->fake.reads > reads);
	assert_string_equal(manager_plan(r->acts)->hash, hash);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_WATCHING);
}

CASE_WITH(test_a_guard_objects_for_a_moment, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-drain");
	pthread_mutex_lock(&r->fake.lock);
	r->fake.pending = true;
	pthread_mutex_unlock(&r->fake.lock);
	look_again(r);
	assert_int_equal(manager_stage(r->acts), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "pending");
	assert_false(way_go(r, &err));
	pthread_mutex_lock(&r->fake.lock);
	r->fake.pending = false;
	pthread_mutex_unlock(&r->fake.lock);
	look_again(r);
	assert_int_equal(manager_stage(r->acts), ACT_PLANNED);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_WATCHING);
}

CASE_WITH(test_the_port_changed_since, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-drain");
	pthread_mutex_lock(&r->fake.lock);
	r->fake.now.wd_set.restore_ms = 800;
	r->before = r->fake.now;
	pthread_mutex_unlock(&r->fake.lock);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_FAILED);
	assert_true(way_noted(r, "changed after the plan"));
	assert_int_equal(fake_changes(&r->fake), 0);
	way_check(r, ACT_FAILED);
}

CASE_WITH(test_a_hazard_came_up_since, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_fit(r, &(struct way_case){"pfcwd-enable", false});
	way_plan(r, "pfcwd-enable");
	pthread_mutex_lock(&r->fake.lock);
	(void)str_copy(r->fake.hazard, sizeof(r->fake.hazard), "big-red-switch");
	pthread_mutex_unlock(&r->fake.lock);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_FAILED);
	assert_int_equal(fake_changes(&r->fake), 0);
	way_check(r, ACT_FAILED);
}

/* ---- two at once ---- */

CASE_WITH(test_one_at_a_time, setup, teardown)
{
	struct way *r = *state;
	struct ledger_opts o = {.path = r->ledger, .clock = &r->clock};
	struct err err = {0};
	struct who who;
	struct ledger *l;

	who_am_i(&who);
	way_plan(r, "port-drain");
	l = ledger_open(&o, &who, &err);
	assert_non_null(l);
	assert_true(ledger_lock(l, "somebody else", &err));
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_REFUSED);
	assert_int_equal(manager_refusals(r->acts)->n, 1);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "one-at-a-time");
	ledger_close(l);
	way_check(r, ACT_REFUSED);
}

CASE_WITH(test_too_soon_after_another, setup, teardown)
{
	struct way *r = *state;
	struct err err = {0};

	way_plan(r, "port-drain");
	/* Another process writes first; its lines count. */
	{
		struct ledger_opts o = {.path = r->ledger, .clock = &r->clock};
		struct who who;
		struct ledger *l;

		who_am_i(&who);
		l = ledger_open(&o, &who, &err);
		assert_non_null(l);
		assert_true(ledger_append(l, LEDGER_BEGUN, "other",
			json_pack("{s:s, s:s, s:s}", "action", "port-drain", "device", "leaf-r0-00",
				"port", "Ethernet16"),
			&err));
		assert_true(ledger_append(l, LEDGER_DONE, "other", NULL, &err));
		ledger_close(l);
	}
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "rate-switch");
	assert_int_equal(fake_changes(&r->fake), 0);
	assert_true(way_says(r, "refused", "rate-switch"));
}

CASES_MAIN(NULL, NULL)
