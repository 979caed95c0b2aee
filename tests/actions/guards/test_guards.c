/* SPDX-License-Identifier: Apache-2.0 */
/* Each guard: it passes, it refuses, and it refuses where the fact is not known. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

static void make_switch(char *path, size_t size, const char *text)
{
	int fd;

	(void)str_copy(path, size, "/tmp/railtop-stop-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

CASE_WITH(everything_passes_in_a_healthy_fabric, site_setup, site_teardown)
{
	struct site *s = *state;
	refusal_vec why = {0};

	s->jobs = false;
	site_action(s, "port-drain");
	if (!guards_ask(&s->x, &why))
		fail_msg("%s: %s", why.at[0].guard, why.at[0].why);
	vec_free(&why);
}

CASE_WITH(all_refusals_are_collected_in_order, site_setup, site_teardown)
{
	struct site *s = *state;
	refusal_vec why = {0};

	s->plan.actions.granted = false;
	s->consent.reason[0] = '\0';
	s->now.at_us -= 11 * CLOCK_SEC;
	assert_false(guards_ask(&s->x, &why));
	assert_int_equal(why.n, 3);
	assert_string_equal(why.at[0].guard, "grant");
	assert_string_equal(why.at[1].guard, "reason");
	assert_string_equal(why.at[2].guard, "fresh-read");
	vec_free(&why);
}

CASE_WITH(nothing_known_refuses_by_every_guard_that_needs_it, site_setup, site_teardown)
{
	struct site *s = *state;
	refusal_vec why = {0};

	s->x.condition = NULL;
	s->x.ledger = NULL;
	s->x.who = NULL;
	s->x.consent = NULL;
	s->x.kill_switch = NULL;
	s->x.snapshot_taken = false;
	s->plan.actions.four_eyes = true;
	assert_false(guards_ask(&s->x, &why));
	/* kill-switch reason ledger unfinished one-at-a-time 3 rates fresh-read agreement pending
	 * snapshot four-eyes */
	assert_int_equal(why.n, 13);
	for (size_t i = 0; i < why.n; i++)
		assert_true(why.at[i].why[0] && why.at[i].cure[0]);
	vec_free(&why);
}

CASE_WITH(grant, site_setup, site_teardown)
{
	struct site *s = *state;
	struct plan_actions *a = &s->plan.actions;

	site_passes(s, "grant");
	a->allow = mem_strdup("locate, port-drain");
	a->devices = mem_strdup("leaf-r[0-1]-[00-15]");
	site_passes(s, "grant");
	site_action(s, "port-bounce");
	site_refused(s, "grant", "not port-bounce", "add port-bounce to actions.allow");
	site_action(s, "locate");
	site_at(s, "spine-000", "Ethernet1/1", -1);
	site_refused(s, "grant", "not on spine-000", "add spine-000 to actions.devices");
	free(a->devices);
	a->devices = mem_strdup("leaf-r[0-");
	site_at(s, "leaf-r0-00", "Ethernet12", -1);
	site_refused(s, "grant", "cannot determine the granted devices", "correct actions.devices");
	a->granted = false;
	site_refused(s, "grant", "grants no actions", "actions:");
}

CASE_WITH(a_load_on_the_fabric_is_granted_by_name, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "perftest-run");
	site_refused(s, "grant", "has to be granted by its name", "add perftest-run to");
	s->plan.actions.allow = mem_strdup("locate, perftest-run");
	site_passes(s, "grant");
}

CASE_WITH(a_name_within_a_name_is_not_granted, site_setup, site_teardown)
{
	struct site *s = *state;

	s->plan.actions.allow = mem_strdup("port-drain-all,xport-drain,port-undrain");
	site_refused(s, "grant", "not port-drain", "actions.allow");
}

CASE_WITH(kill_switch, site_setup, site_teardown)
{
	struct site *s = *state;
	char path[64], under[80];

	site_passes(s, "kill-switch");
	make_switch(path, sizeof(path), "change freeze\x1b[31m, ask ann\nmore\n");
	s->x.kill_switch = path;
	site_refused(s, "kill-switch", "change freeze?[31m, ask ann", path);
	/* Below a file there can be no file: nobody can tell. */
	(void)str_printf(under, sizeof(under), "%s/stop", path);
	s->x.kill_switch = under;
	site_refused(s, "kill-switch", "cannot check if", "actions.kill_switch");
	(void)unlink(path);
	/* A symbolic link that leads nowhere counts as a kill switch as well. */
	assert_int_equal(symlink("/nonexistent", path), 0);
	s->x.kill_switch = path;
	site_refused(s, "kill-switch", "stopped", "rm ");
	(void)unlink(path);
	s->x.kill_switch = NULL;
	site_refused(s, "kill-switch", "not known", "actions.kill_switch");
}

CASE_WITH(a_kill_switch_that_is_a_fifo_does_not_hang, site_setup, site_teardown)
{
	struct site *s = *state;
	char path[64];

	make_switch(path, sizeof(path), "");
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	s->x.kill_switch = path;
	site_refused(s, "kill-switch", "stopped", "rm ");
	(void)unlink(path);
}

CASE_WITH(supported, site_setup, site_teardown)
{
	struct site *s = *state;
	struct act_plan p = {0};
	struct step *step;

	site_passes(s, "supported");
	step = vec_add(&p.steps);
	step->order.verb = VERB_PORT_DOWN;
	s->x.plan = &p;
	site_passes(s, "supported");
	step->order.verb = VERB_WD_RECOVER;
	site_refused(s, "supported", "no commands for wd-recover", "on the device");
	s->x.plan = NULL;
	s->can.verbs = 0;
	site_refused(s, "supported", "cannot shut a port", "on the device");
	vec_free(&p.steps);
}

CASE_WITH(reason_and_incident, site_setup, site_teardown)
{
	static const struct {
		const char *reason, *incident, *why;
	} bad[] = {
		{"", "INC-1", "0 characters"},
		{"too short", "INC-1", "9 characters"},
		{"   short        ", "INC-1", "5 characters"},
		/* Nine characters in more bytes. */
		{"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc",
			"INC-1", "9 characters"},
		{"a reason\nwith lines", "INC-1", "control characters"},
		{"a reason\x7fof sorts", "INC-1", "control characters"},
		{"long enough now", "", "no incident"},
		{"long enough now", "I", "not an incident key"},
		{"long enough now", "-INC", "not an incident key"},
		{"long enough now", "INC 1", "not an incident key"},
		{"long enough now", "INC;1", "not an incident key"},
		{"long enough now", "IN\xc3\xa4", "not an incident key"},
	};
	struct site *s = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)str_copy(s->consent.reason, sizeof(s->consent.reason), bad[i].reason);
		(void)str_copy(s->consent.incident, sizeof(s->consent.incident), bad[i].incident);
		site_refused(s, "reason", bad[i].why, "");
	}
	(void)str_copy(s->consent.incident, sizeof(s->consent.incident), "ops/INC_1.2#3-4");
	(void)str_copy(s->consent.reason, sizeof(s->consent.reason), "0123456789");
	site_passes(s, "reason");
	memset(s->consent.incident, 'x', 63);
	s->consent.incident[63] = '\0';
	site_passes(s, "reason");
	s->x.consent = NULL;
	site_refused(s, "reason", "no reason and no incident", "--reason");
	s->x.dry_run = true;
	site_passes(s, "reason");
}

CASE_WITH(ledger, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "ledger");
	(void)err_set(&s->ledger.unusable, ERR_IO, "/var/x", "line 17 was altered");
	(void)err_cure(&s->ledger.unusable, "railtop ledger verify");
	site_refused(s, "ledger", "line 17 was altered", "ledger verify");
	s->x.dry_run = true;
	site_refused(s, "ledger", "line 17 was altered", "ledger verify");
	/* With an unusable ledger the rates are unknown. */
	site_refused(s, "unfinished", "cannot check for unfinished actions", "ledger verify");
	site_refused(s, "rate-user", "cannot count", "ledger verify");
	site_refused(s, "rate-switch", "time of the last action", "ledger verify");
	site_refused(s, "cool-down", "time of the last action", "ledger verify");
	s->x.ledger = NULL;
	site_refused(s, "ledger", "not been checked", "again");
}

CASE_WITH(unfinished, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "unfinished");
	(void)str_copy(
		s->ledger.unfinished, sizeof(s->ledger.unfinished), "20261122T010203Z-4f2a91");
	(void)str_copy(s->ledger.unfinished_by, sizeof(s->ledger.unfinished_by), "bob");
	site_refused(s, "unfinished", "by bob on leaf-r0-00", "settle 20261122T010203Z-4f2a91");
	/* Even a light may be switched on only when nothing is open. */
	site_action(s, "locate");
	site_refused(s, "unfinished", "by bob", "settle");
	s->x.ledger = NULL;
	site_refused(s, "unfinished", "cannot check for unfinished actions", "verify");
}

CASE_WITH(one_at_a_time, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "one-at-a-time");
	(void)str_copy(s->ledger.held_by, sizeof(s->ledger.held_by), "bob: port-drain spine-000");
	site_refused(s, "one-at-a-time", "bob: port-drain spine-000", "wait");
	site_action(s, "locate");
	site_refused(s, "one-at-a-time", "bob", "wait");
	s->x.dry_run = true;
	site_passes(s, "one-at-a-time");
	s->x.dry_run = false;
	s->x.ledger = NULL;
	site_refused(s, "one-at-a-time", "cannot check for other actions", "verify");
}

CASE_WITH(rate_of_a_user, site_setup, site_teardown)
{
	struct site *s = *state;

	s->ledger.users_last_hour = 2;
	s->ledger.users_oldest_us = s->now_us - 1800 * CLOCK_SEC;
	site_passes(s, "rate-user");
	s->ledger.users_last_hour = 3;
	/* SITE_T0 is 22:13:20; 20 s of polls. */
	site_refused(s, "rate-user", "3 actions by ann within an hour; 3 are", "at 22:43:40 UTC");
	s->plan.actions.per_hour = 4;
	site_passes(s, "rate-user");
	s->plan.actions.per_hour = 1;
	site_refused(s, "rate-user", "1 are allowed", "actions.per_hour");
	site_action(s, "locate");
	site_passes(s, "rate-user");
	site_action(s, "port-drain");
	s->x.ledger = NULL;
	site_refused(s, "rate-user", "cannot count", "verify");
}

CASE_WITH(time_between_two_on_a_switch, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "rate-switch");
	s->ledger.device_us = s->now_us - 599 * CLOCK_SEC;
	(void)str_copy(s->ledger.device_by, sizeof(s->ledger.device_by), "bob");
	site_refused(s, "rate-switch", "bob acted on leaf-r0-00", "at 22:13:41 UTC");
	s->ledger.device_us = s->now_us - 600 * CLOCK_SEC;
	site_passes(s, "rate-switch");
	s->plan.actions.switch_us = 7200 * CLOCK_SEC;
	site_refused(s, "rate-switch", "7200 s must pass", "2023-11-15 00:03:40 UTC");
	/* A clock that was set back. */
	s->plan.actions.switch_us = 0;
	s->ledger.device_us = s->now_us + 60 * CLOCK_SEC;
	site_refused(s, "rate-switch", "bob", "allowed again");
	/* It was set back by an hour in this session: the model goes on, the ledger has its times.
	 */
	s->x.wall_us = s->now_us - 3600 * CLOCK_SEC;
	s->ledger.device_us = s->x.wall_us - 300 * CLOCK_SEC;
	site_refused(s, "rate-switch", "bob acted on leaf-r0-00 5m", "allowed again");
	site_passes(s, "fresh-read");
	s->x.wall_us = s->now_us;
	site_action(s, "locate");
	site_passes(s, "rate-switch");
}

CASE_WITH(cool_down_of_a_port, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "cool-down");
	s->ledger.port_us = s->now_us - 3599 * CLOCK_SEC;
	site_refused(s, "cool-down", "somebody acted on Ethernet12", "at 22:13:41 UTC");
	s->plan.actions.port_us = 60 * CLOCK_SEC;
	site_passes(s, "cool-down");
	s->x.ledger = NULL;
	site_refused(s, "cool-down", "time of the last action", "verify");
	site_at(s, "leaf-r0-00", NULL, -1);
	site_passes(s, "cool-down");
}

CASE_WITH(data_of_the_model_is_fresh, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "fresh-data");
	s->x.now_us += 21 * CLOCK_SEC;
	site_refused(s, "fresh-data", "21 s old", "next poll");
	(void)model_age(s->m, s->x.now_us);
	site_refused(s, "fresh-data", "is stale", "railtop check");
	s->x.now_us = s->now_us;
	(void)model_age(s->m, s->now_us);
	site_passes(s, "fresh-data");
	s->at.dev = NULL;
	site_refused(s, "fresh-data", "no data", "wait");
}

CASE_WITH(a_device_that_was_never_polled_is_not_fresh, site_setup, site_teardown)
{
	struct site *s = *state;
	struct model *m = model_new(&s->plan);

	s->at.dev = model_device(m, "leaf-r0-00");
	site_refused(s, "fresh-data", "pending", "check");
	model_free(m);
}

CASE_WITH(the_reading_is_fresh, site_setup, site_teardown)
{
	struct site *s = *state;

	s->x.now_us = s->now.at_us + 10 * CLOCK_SEC;
	site_passes(s, "fresh-read");
	s->x.now_us++;
	site_refused(s, "fresh-read", "10 s ago", "again");
	s->x.now_us = s->now.at_us - 2 * CLOCK_SEC;
	site_refused(s, "fresh-read", "future", "clock");
	s->now.at_us = 0;
	site_refused(s, "fresh-read", "not been read", "again");
	s->x.condition = NULL;
	site_refused(s, "fresh-read", "not been read", "again");
}

CASE_WITH(port_agrees, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "agreement");
	s->now.admin = OPER_DOWN;
	site_refused(s, "agreement", "polled as up and read as down", "next poll");
	s->now.admin = OPER_UNKNOWN;
	site_refused(s, "agreement", "not known", "next poll");
	s->now.admin = OPER_UP;
	s->now.oper = OPER_DOWN;
	site_refused(s, "agreement", "the link state", "next poll");
	s->x.condition = NULL;
	site_refused(s, "agreement", "not been read", "again");
}

CASE_WITH(watchdog_agrees, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	site_passes(s, "agreement");
	/* The guard ignores settings that the action does not touch. */
	s->now.admin = s->now.oper = OPER_UNKNOWN;
	site_passes(s, "agreement");
	s->now.wd_state[3] = WD_STORMED;
	site_refused(s, "agreement", "polled as operational and read as stormed", "next poll");
	s->now.wd_state[3] = WD_OPERATIONAL;
	s->now.wd_set.restore_ms = 800;
	site_refused(s, "agreement", "200/400 ms and read as 200/800 ms", "next poll");
	s->now.wd_set.restore_ms = 400;
	(void)str_copy(s->now.wd_set.action, sizeof(s->now.wd_set.action), "alert");
	site_refused(s, "agreement", "polled as drop and read as alert", "next poll");
	s->now.wd = 0;
	site_refused(s, "agreement", "polled as on, and is off", "next poll");
	s->now.wd = -1;
	site_refused(s, "agreement", "does not report", "device");
	s->now.wd = 1;
	s->at.port = site_port(s, "node000", "mlx5_0");
	site_refused(s, "agreement", "has not been polled", "railtop check");
}

CASE_WITH(session_agrees, site_setup, site_teardown)
{
	struct site *s = *state;

	s->plan.actions.drain_bgp = true;
	(void)str_copy(s->now.bgp_peer, sizeof(s->now.bgp_peer), "Ethernet12");
	s->now.bgp_shut = 0;
	site_passes(s, "agreement");
	s->now.bgp_shut = 1;
	site_refused(s, "agreement", "polled as established and read as shut", "BGP");
	/* Not every device tells a session that was shut from one that is down. */
	site_bgp(s, "leaf-r0-00", "Ethernet12", BGP_IDLE);
	site_passes(s, "agreement");
	site_bgp(s, "leaf-r0-00", "Ethernet12", BGP_ADMIN_DOWN);
	site_passes(s, "agreement");
	s->now.bgp_shut = 0;
	site_refused(s, "agreement", "polled as admin-down and read as not shut", "BGP");
	s->now.bgp_shut = -1;
	site_refused(s, "agreement", "does not report", "device");
	s->now.bgp_shut = 0;
	(void)str_copy(s->now.bgp_peer, sizeof(s->now.bgp_peer), "10.0.0.1");
	site_refused(s, "agreement", "has not been polled", "BGP");
}

CASE_WITH(others_at_work, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "pending");
	s->now.pending = 1;
	site_refused(s, "pending", "leaf-r0-00 has unapplied changes", "discard");
	(void)str_copy(s->now.hazard, sizeof(s->now.hazard), "the big red switch is on");
	site_refused(s, "pending", "big red switch", "correct this");
	s->x.condition = NULL;
	site_refused(s, "pending", "cannot check for unapplied changes", "again");
}

CASE_WITH(pfc_is_on, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-enable");
	site_passes(s, "pfc");
	s->now.pfc = 1 << 4;
	site_refused(s, "pfc", "PFC is off on Ethernet12", "configure");
	s->now.pfc = -1;
	site_passes(s, "pfc"); /* the model knows */
	s->at.port = &(struct port){.name = "Ethernet12"};
	site_refused(s, "pfc", "not known", "railtop check");
	site_action(s, "port-drain");
	site_passes(s, "pfc");
}

CASE_WITH(timers_are_stated, site_setup, site_teardown)
{
	struct site *s = *state;
	struct plan_actions *a = &s->plan.actions;

	site_passes(s, "timers"); /* port-drain needs none */
	site_action(s, "pfcwd-enable");
	site_refused(s, "timers", "action is missing", "actions.watchdog");
	(void)str_copy(a->wd_action, sizeof(a->wd_action), "drop");
	site_refused(s, "timers", "detect is missing", "actions.watchdog");
	a->wd_detect_ms = 200;
	site_refused(s, "timers", "restore is missing", "actions.watchdog");
	a->wd_restore_ms = 400;
	site_passes(s, "timers");
}

CASE_WITH(a_snapshot_was_taken, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "snapshot");
	s->x.snapshot_taken = false;
	site_refused(s, "snapshot", "not written", "ledger");
	s->x.dry_run = true;
	site_passes(s, "snapshot");
	s->x.dry_run = false;
	site_action(s, "locate");
	site_passes(s, "snapshot");
}

CASE_WITH(four_eyes_ask_only_where_wanted, site_setup, site_teardown)
{
	struct site *s = *state;
	struct act_plan p = {.hash = "0123"};

	site_passes(s, "four-eyes");
	s->plan.actions.four_eyes = true;
	site_refused(s, "four-eyes", "no plan yet", "again");
	s->x.plan = &p;
	site_refused(s, "four-eyes", "", "");
	s->x.who = NULL;
	site_refused(s, "four-eyes", "the operator is not known", "again");
	s->x.dry_run = true;
	site_passes(s, "four-eyes");
	s->x.dry_run = false;
	site_action(s, "locate");
	site_passes(s, "four-eyes");
}

/*
 * Under root, the account before sudo tells two people apart; without root one person cannot be
 * two.
 */
CASE_WITH(another_operator_approves_the_very_plan, site_setup, site_teardown)
{
	struct site *s = *state;
	struct act_plan p = {0}, other = {0};
	struct clock_fake clock;
	struct who ann, bob;
	struct err err = {0};
	struct rig r;
	char approvals[96], given[200];

	rig_open(&r);
	(void)str_printf(approvals, sizeof(approvals), "%s/approvals", r.dir);
	clock_fake_init(&clock, s->now_us);
	who_am_i(&ann);
	bob = ann;
	(void)str_copy(ann.via, sizeof(ann.via), "ann");
	(void)str_copy(bob.via, sizeof(bob.via), "bob");
	s->plan.actions.four_eyes = true;
	s->x.approvals = approvals;
	s->x.who = &ann;
	assert_true(act_plan_make(&s->at, s->x.action, &s->now, &p, &err));
	s->x.plan = &p;
	site_refused(s, "four-eyes", "", p.hash);
	assert_true(approval_offer(approvals, p.hash, act_plan_json(&p), &err));
	site_refused(s, "four-eyes", "", "railtop approve ");
	if (ann.uid == 0) {
		assert_true(approval_give(approvals, p.hash, &ann, &clock.clock, &err));
		site_refused(s, "four-eyes", "", "leaf-r0-00:Ethernet12");
		(void)str_printf(given, sizeof(given), "%s/%s.json", approvals, p.hash);
		assert_int_equal(unlink(given), 0);
		assert_true(approval_give(approvals, p.hash, &bob, &clock.clock, &err));
		site_passes(s, "four-eyes");
		/* Another plan is not approved by it. */
		s->now.wd_set.detect_ms++;
		assert_true(act_plan_make(&s->at, s->x.action, &s->now, &other, &err));
		s->x.plan = &other;
		site_refused(s, "four-eyes", "", other.hash);
		s->x.plan = &p;
		s->x.now_us += ACTIONS_APPROVED_US + CLOCK_SEC;
		s->x.wall_us = s->x.now_us;
		site_refused(s, "four-eyes", "", "railtop approve ");
	}
	act_plan_free(&p);
	act_plan_free(&other);
	rig_close(&r);
}

CASE_WITH(what_is_told_is_safe_to_print, site_setup, site_teardown)
{
	struct refusal r = {.guard = "x"};
	char line[600];

	assert_false(refuse(&r, "cure\x1b[2J", "why %s", "\x1b]0;t\x07"));
	refusal_line(&r, line, sizeof(line));
	assert_null(strchr(line, '\x1b'));
	assert_string_equal(line, "refused by x: why ?]0;t?; cure?[2J");
}

CASES_MAIN(NULL, NULL)
