/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each guard of guards.def during an action. The guard alone refuses, in one line with its cure,
 * and nothing is sent. After the named fault is fixed, and only that one, the action succeeds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"

#define LEAF "leaf-r0-00"

/* ---- ledger entries of others ---- */

static struct ledger *others_ledger(struct way *r, const char *user)
{
	struct ledger_opts o = {.path = r->ledger, .clock = &r->clock};
	struct err err = {0};
	struct ledger *l;
	struct who who;

	who = r->who;
	who.pid++;
	if (user)
		(void)str_copy(who.user, sizeof(who.user), user);
	l = ledger_open(&o, &who, &err);
	if (!l)
		fail_msg("%s", err.text);
	return l;
}

static void begun(struct way *r, const char *act, const char *user, const char *port, bool over)
{
	struct ledger *l = others_ledger(r, user);
	struct err err = {0};

	assert_true(ledger_append(l, LEDGER_BEGUN, act,
		json_pack("{s:s, s:s, s:s}", "action", "port-bounce", "device",
			port ? LEAF : "spine-000", "port", port ? port : "Ethernet1/1"),
		&err));
	if (over)
		assert_true(ledger_append(l, LEDGER_DONE, act, NULL, &err));
	ledger_close(l);
}

/* ---- the table's rows: the fault, and its repair ---- */

static void grant_wrong(struct way *r)
{
	r->site->plan.actions.allow = mem_strdup("locate");
}

static void grant_right(struct way *r)
{
	free(r->site->plan.actions.allow);
	r->site->plan.actions.allow = mem_strdup("locate, port-drain");
}

static void kill_switch_wrong(struct way *r)
{
	int fd = open(r->kill_switch, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	(void)close(fd);
}

static void kill_switch_right(struct way *r)
{
	assert_int_equal(unlink(r->kill_switch), 0);
}

static void reason_wrong(struct way *r)
{
	r->consent.incident[0] = '\0';
}

static void reason_right(struct way *r)
{
	(void)str_copy(r->consent.incident, sizeof(r->consent.incident), "INC-1234");
}

static void ledger_wrong(struct way *r)
{
	assert_int_equal(mkdir(r->ledger, 0700), 0);
}

static void ledger_right(struct way *r)
{
	assert_int_equal(rmdir(r->ledger), 0);
}

static void unfinished_wrong(struct way *r)
{
	r->site->plan.actions.switch_us = CLOCK_SEC;
	begun(r, "other", NULL, "Ethernet16", false);
	way_polls(r, 1);
}

static void unfinished_right(struct way *r)
{
	struct ledger *l = others_ledger(r, NULL);
	struct err err = {0};

	assert_true(ledger_append(l, LEDGER_SETTLED, "other",
		json_pack("{s:s}", "reason", "looked at it: all is well"), &err));
	ledger_close(l);
}

static struct ledger *holder;

static void lock_wrong(struct way *r)
{
	struct err err = {0};

	holder = others_ledger(r, NULL);
	assert_true(ledger_lock(holder, "port-drain spine-000", &err));
}

static void lock_right(struct way *r)
{
	(void)r;
	ledger_close(holder);
}

static void user_wrong(struct way *r)
{
	begun(r, "one", NULL, NULL, true);
	begun(r, "two", NULL, NULL, true);
	begun(r, "three", NULL, NULL, true);
}

static void user_right(struct way *r)
{
	r->site->plan.actions.per_hour = 4;
}

static void switch_wrong(struct way *r)
{
	begun(r, "other", "bob", "Ethernet16", true);
}

static void switch_right(struct way *r)
{
	way_polls(r, 120);
}

static void port_wrong(struct way *r)
{
	begun(r, "other", "bob", FAKE_PORT, true);
	way_polls(r, 120);
}

static void port_right(struct way *r)
{
	r->site->plan.actions.port_us = 600 * CLOCK_SEC;
}

/* Nothing was polled meanwhile. */
static void model_wrong(struct way *r)
{
	r->site->now_us += 40 * CLOCK_SEC;
	atomic_store(&r->now_us, r->site->now_us);
	(void)model_age(r->site->m, r->site->now_us);
}

static void model_right(struct way *r)
{
	way_polls(r, 3);
}

/* Since it was planned. */
static void read_wrong(struct way *r)
{
	r->site->now_us += 11 * CLOCK_SEC;
	atomic_store(&r->now_us, r->site->now_us);
}

static void nothing(struct way *r)
{
	(void)r;
}

static void agreement_wrong(struct way *r)
{
	site_word(r->site, LEAF, FAKE_PORT, ATTR_ADMIN, "down");
}

static void agreement_right(struct way *r)
{
	site_word(r->site, LEAF, FAKE_PORT, ATTR_ADMIN, "up");
}

static void pending_wrong(struct way *r)
{
	r->fake.pending = true;
}

static void pending_right(struct way *r)
{
	r->fake.pending = false;
}

static void pfc_wrong(struct way *r)
{
	r->fake.pfc = 1 << 4; /* without any the dialect has no words */
}

static void pfc_right(struct way *r)
{
	r->fake.pfc = 1 << 3;
}

static void timers_wrong(struct way *r)
{
	r->site->plan.actions.wd_restore_ms = 0;
}

static void timers_right(struct way *r)
{
	r->site->plan.actions.wd_restore_ms = 400;
}

static void storm_wrong(struct way *r)
{
	r->site->pfc3 += 1000;
	way_polls(r, 1);
	r->fake.rx3 = r->site->pfc3;
}

static void storm_right(struct way *r)
{
	way_polls(r, 3);
}

static void uplinks_wrong(struct way *r)
{
	site_word(r->site, LEAF, "Ethernet16", ATTR_OPER, "down");
	site_word(r->site, LEAF, "Ethernet20", ATTR_OPER, "down");
}

static void uplinks_right(struct way *r)
{
	site_word(r->site, LEAF, "Ethernet16", ATTR_OPER, "up");
	site_word(r->site, LEAF, "Ethernet20", ATTR_OPER, "up");
}

static void snapshot_wrong(struct way *r)
{
	r->snapshot_fails = true;
}

static void snapshot_right(struct way *r)
{
	r->snapshot_fails = false;
}

static void eyes_wrong(struct way *r)
{
	r->site->plan.actions.four_eyes = true;
}

/* After sudo the account is the one before sudo; without root there is no second account. */
static void eyes_right(struct way *r)
{
	char *dir = ledger_beside(r->ledger, "approvals");
	const struct act_plan *p = manager_plan(r->acts);
	struct err err = {0};
	struct who bob;

	bob = r->who;
	(void)str_copy(bob.via, sizeof(bob.via), "bob");
	if (bob.uid != 0)
		r->site->plan.actions.four_eyes = false;
	else if (!approval_offer(dir, p->hash, act_plan_json(p), &err) ||
		 !approval_give(dir, p->hash, &bob, &r->clock, &err))
		fail_msg("%s", err.text);
	free(dir);
}

enum asked {
	AT_PLAN, /* the plan says it already */
	AT_GO,   /* the guard asks only before a real run */
	AT_RUN,  /* only when it begins can it be told */
};
static const struct row {
	const char *guard, *action;
	enum asked asked;
	void (*wrong)(struct way *r);
	void (*right)(struct way *r);
	const char *cure; /* has these words */
} rows[] = {
	{"grant", "port-drain", AT_PLAN, grant_wrong, grant_right, "actions.allow"},
	{"kill-switch", "port-drain", AT_PLAN, kill_switch_wrong, kill_switch_right, "rm "},
	{"reason", "port-drain", AT_GO, reason_wrong, reason_right, "incident"},
	{"ledger", "port-drain", AT_PLAN, ledger_wrong, ledger_right, ""},
	{"unfinished", "port-drain", AT_PLAN, unfinished_wrong, unfinished_right,
		"railtop ledger settle other"},
	{"one-at-a-time", "port-drain", AT_RUN, lock_wrong, lock_right, "wait"},
	{"rate-user", "port-drain", AT_PLAN, user_wrong, user_right, "actions.per_hour"},
	{"rate-switch", "port-drain", AT_PLAN, switch_wrong, switch_right, "UTC"},
	{"cool-down", "port-drain", AT_PLAN, port_wrong, port_right, "UTC"},
	{"fresh-data", "pfcwd-enable", AT_PLAN, model_wrong, model_right, "railtop check"},
	{"fresh-read", "port-drain", AT_GO, read_wrong, nothing, "again"},
	{"agreement", "port-drain", AT_PLAN, agreement_wrong, agreement_right, "next poll"},
	{"pending", "port-drain", AT_PLAN, pending_wrong, pending_right, "discard"},
	{"pfc", "pfcwd-enable", AT_PLAN, pfc_wrong, pfc_right, "PFC"},
	{"timers", "pfcwd-enable", AT_PLAN, timers_wrong, timers_right, "watchdog: {"},
	{"storm-active", "pfcwd-reset", AT_PLAN, storm_wrong, storm_right, "railtop trace --at"},
	{"uplinks", "port-drain", AT_PLAN, uplinks_wrong, uplinks_right, "links first"},
	{"snapshot", "port-drain", AT_GO, snapshot_wrong, snapshot_right, "ledger"},
	{"four-eyes", "port-drain", AT_GO, eyes_wrong, eyes_right, "railtop approve"},
};
/* supported and last-path have tests of their own below, idle-host and hosts beside their actions.
 */
#define NROWS (sizeof(rows) / sizeof(rows[0]))

/*
 * With an unusable ledger nothing counts that it contains. A device that has PFC on another
 * priority has to report its pauses.
 */
static bool follows(const struct row *w, const char *guard)
{
	return str_eq(w->guard, "ledger") ||
	       (str_eq(w->guard, "pfc") && str_eq(guard, "storm-active"));
}

/* Without timers no plan can be made: that is said before guards are asked. */
static const char *said_by(const struct row *w)
{
	return str_eq(w->guard, "timers") ? "plan" : w->guard;
}

static void only(struct way *r, const struct row *w)
{
	const refusal_vec *no = manager_refusals(r->acts);
	char line[640];

	for (size_t i = 0; i < no->n; i++)
		if (!str_eq(no->at[i].guard, said_by(w)) && !follows(w, no->at[i].guard))
			fail_msg("%s: %s refuses as well: %s", w->guard, no->at[i].guard,
				no->at[i].why);
	if (!no->n || !str_eq(no->at[0].guard, said_by(w)) || !no->at[0].why[0] ||
		!strstr(no->at[0].cure, w->cure))
		fail_msg("%s: %zu refusals: %s; %s", w->guard, no->n, no->n ? no->at[0].why : "",
			no->n ? no->at[0].cure : "");
	refusal_line(&no->at[0], line, sizeof(line));
	assert_null(strchr(line, '\n'));
	assert_true(str_starts(line, "refused by "));
}

static void begin(struct way *r, const struct row *w, enum act_stage wanted)
{
	struct err err = {0};
	char text[640];

	if (!way_begin(r, w->action, &err))
		fail_msg("%s: %s", w->guard, err.text);
	if (way_leave_stage(r, ACT_LOOKING) == wanted)
		return;
	manager_summary(r->acts, text, sizeof(text));
	fail_msg("%s: %s: %s", w->guard, act_stage_name(manager_stage(r->acts)), text);
}

static void refused(struct way *r, const struct row *w)
{
	struct err err = {0};

	if (w->asked == AT_PLAN) {
		w->wrong(r);
		begin(r, w, ACT_REFUSED);
		only(r, w);
		assert_false(way_go(r, &err));
		return;
	}
	begin(r, w, ACT_PLANNED);
	w->wrong(r);
	if (w->asked == AT_RUN) {
		assert_true(way_go(r, &err));
		assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_REFUSED);
	} else {
		assert_false(way_go(r, &err));
		assert_int_equal(err.code, ERR_REFUSED);
		assert_non_null(strstr(err.text, w->guard));
		assert_non_null(strstr(err.cure, w->cure));
	}
	only(r, w);
}

CASE(each_refuses_alone_and_is_satisfied_alone)
{
	for (size_t i = 0; i < NROWS; i++) {
		const struct row *w = &rows[i];
		struct way *r = way_new();
		struct err err = {0};

		way_fit(r, &(struct way_case){w->action, false});
		refused(r, w);
		assert_int_equal(fake_changes(&r->fake), 0);
		assert_false(way_says(r, "begun", r->consent.reason));
		w->right(r);
		assert_true(manager_drop(r->acts, &err));
		begin(r, w, ACT_PLANNED);
		if (!way_go(r, &err))
			fail_msg("%s: still %s", w->guard, err.text);
		if (way_leave_stage(r, ACT_RUNNING) != ACT_WATCHING)
			fail_msg("%s: %s", w->guard, act_stage_name(manager_stage(r->acts)));
		assert_true(fake_changes(&r->fake) > 0);
		assert_true(way_says(r, "begun", r->consent.reason));
		way_free(r);
	}
}

/* A row that is left out is noticed. */
CASE(no_guard_is_without_a_row)
{
	for (size_t i = 0; i < guard_count; i++) {
		const char *name = guard_table[i].name;
		bool has = str_eq(name, "supported") || str_eq(name, "last-path") ||
			   str_eq(name, "idle-host") || str_eq(name, "hosts");

		for (size_t k = 0; k < NROWS; k++)
			has |= str_eq(rows[k].guard, name);
		if (!has)
			fail_msg("guard %s has no row here", name);
	}
}

CASE(an_approval_begins_one_act)
{
	struct way *r = way_new();
	const struct act_plan *p;
	struct err err = {0};
	char hash[65];

	if (r->who.uid != 0) {
		way_free(r);
		skip();
	}
	way_fit(r, &(struct way_case){"port-drain", false});
	r->site->plan.actions.four_eyes = true;
	r->site->plan.actions.switch_us = r->site->plan.actions.port_us = CLOCK_SEC;
	way_plan(r, "port-drain");
	p = manager_plan(r->acts);
	(void)str_copy(hash, sizeof(hash), p->hash);
	eyes_right(r);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_WATCHING);
	assert_true(way_says(r, "begun", "bob"));
	assert_true(manager_drop(r->acts, &err));
	/* The port is as it was, so the same plan has the same hash, and the approval is still new.
	 */
	pthread_mutex_lock(&r->fake.lock);
	r->fake.now = r->before;
	pthread_mutex_unlock(&r->fake.lock);
	way_polls(r, 2);
	way_plan(r, "port-drain");
	assert_string_equal(manager_plan(r->acts)->hash, hash);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "four-eyes");
	assert_non_null(strstr(manager_refusals(r->acts)->at[0].why, "has begun an act already"));
	assert_true(manager_drop(r->acts, &err));
	way_plan(r, "port-drain");
	eyes_right(r);
	assert_true(way_go(r, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_WATCHING);
	way_free(r);
}

CASE(a_dialect_without_the_words)
{
	struct way *r = way_new();
	struct dialect_changes few = fake_changes_ops;
	struct backend_ops mute = fake_backend;
	struct action_manager_opts o = {.plan = &r->site->plan,
		.clock = &r->clock,
		.transport = fake_transport_of,
		.ops = &mute};
	struct action_manager *whole = r->acts;
	struct err err = {0};

	few.verbs &= ~(1u << VERB_PORT_DOWN);
	mute.changes = &few;
	r->acts = manager_open(&o, &err);
	assert_non_null(r->acts);
	assert_false(way_begin(r, "port-drain", &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "port"));
	assert_int_equal(manager_stage(r->acts), ACT_NONE);
	manager_close(r->acts);
	r->acts = whole;
	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
	way_free(r);
}

/* All other links are lost: a job that crosses them has only this one left. */
CASE(the_last_path_of_a_job)
{
	static const char *const others[] = {"Ethernet16", "Ethernet20", "Ethernet24"};
	struct way *r = way_new();
	const refusal_vec *no;
	struct err err = {0};
	bool seen = false;

	for (size_t i = 0; i < 3; i++)
		site_word(r->site, LEAF, others[i], ATTR_OPER, "down");
	assert_true(way_begin(r, "port-drain", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_REFUSED);
	no = manager_refusals(r->acts);
	for (size_t i = 0; i < no->n; i++) {
		seen |= str_eq(no->at[i].guard, "last-path");
		assert_true(
			str_eq(no->at[i].guard, "last-path") || str_eq(no->at[i].guard, "uplinks"));
	}
	assert_true(seen);
	for (size_t i = 0; i < 3; i++)
		site_word(r->site, LEAF, others[i], ATTR_OPER, "up");
	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
	way_free(r);
}

/* Between two lines the clock goes back by a day: the chain holds, and limits do not open. */
CASE(a_clock_that_is_set_back)
{
	struct way *r = way_new();
	struct ledger_report report;
	struct err err = {0};

	assert_int_equal(way_do(r, "port-drain"), ACT_DONE);
	assert_true(manager_drop(r->acts, &err));
	r->site->now_us -= 86400 * CLOCK_SEC;
	atomic_store(&r->now_us, r->site->now_us);
	assert_true(way_begin(r, "port-bounce", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_REFUSED);
	assert_int_equal(fake_changes(&r->fake), 1);
	assert_true(ledger_verify(r->ledger, &report, &err));
	assert_int_equal(report.bad_line, 0);
	way_free(r);
}

CASES_MAIN(NULL, NULL)
