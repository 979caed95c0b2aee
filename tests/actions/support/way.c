/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/actions/support/way.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define LEAF "leaf-r0-00"

const struct way_case way_cases[] = {
	{"pfcwd-reset", false},
	{"pfcwd-enable", false},
	{"port-drain", false},
	{"port-undrain", false},
	{"port-bounce", false},
	{"locate", false},
	{"counterpoll-enable", false},
	{"pfcwd-reset", true},
	{"port-bounce", true},
};
const size_t way_ncases = sizeof(way_cases) / sizeof(way_cases[0]);

static int64_t now_of(void *ctx)
{
	return atomic_load(&((struct way *)ctx)->now_us);
}

static void wake(void *ctx)
{
	struct way *r = ctx;

	pthread_mutex_lock(&r->lock);
	r->wakes++;
	pthread_cond_broadcast(&r->woken);
	pthread_mutex_unlock(&r->lock);
}

static bool snapshot(
	void *ctx, const char *act, char *path, size_t size, char sha256[65], struct err *err)
{
	struct way *r = ctx;

	if (r->snapshot_fails)
		return err_set(err, ERR_IO, r->dir, "no room for the snapshot");
	r->snapshots++;
	(void)str_printf(path, size, "%s/%s.json", r->dir, act);
	sha256_hex("", 0, sha256);
	return true;
}

struct action_manager *way_open(struct way *r, struct err *err)
{
	struct action_manager_opts o = {.plan = &r->site->plan,
		.clock = &r->clock,
		.wake = wake,
		.snapshot = snapshot,
		.ctx = r,
		.who = &r->who,
		.transport = fake_transport_of,
		.ops = &fake_backend,
		.hurry = 1000000};

	return manager_open(&o, err);
}

struct way *way_new(void)
{
	struct way *r = mem_calloc(1, sizeof(*r));
	struct err err = {0};

	r->site = site_new();
	who_am_i(&r->who);
	/* Root is nobody in particular: as root, this is ann, who became it by sudo. */
	if (r->who.uid == 0)
		(void)str_copy(r->who.via, sizeof(r->who.via), "ann");
	atomic_store(&r->now_us, r->site->now_us);
	r->clock = (struct clock){.wall = now_of, .mono = now_of, .ctx = r};
	(void)pthread_mutex_init(&r->lock, NULL);
	(void)pthread_cond_init(&r->woken, NULL);
	/* Hundreds of ledgers are forced to the disk: where there is a disk in memory, to that. */
	(void)str_copy(r->dir, sizeof(r->dir), "/dev/shm/railtop-acts-XXXXXX");
	if (!mkdtemp(r->dir)) {
		(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-acts-XXXXXX");
		assert_non_null(mkdtemp(r->dir));
	}
	(void)str_printf(r->ledger, sizeof(r->ledger), "%s/actions.jsonl", r->dir);
	(void)str_printf(r->kill_switch, sizeof(r->kill_switch), "%s/actions.stop", r->dir);
	r->site->plan.actions.ledger = mem_strdup(r->ledger);
	(void)str_copy(r->consent.reason, sizeof(r->consent.reason), "stuck queue after the swap");
	(void)str_copy(r->consent.incident, sizeof(r->consent.incident), "INC-1234");
	fake_init(&r->fake, LEAF);
	r->fake.rx3 = r->site->pfc3;
	r->before = r->fake.now;
	r->acts = way_open(r, &err);
	if (!r->acts)
		fail_msg("%s", err.text);
	return r;
}

static void remove_tree(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	while (d && (e = readdir(d))) {
		if (str_eq(e->d_name, ".") || str_eq(e->d_name, ".."))
			continue;
		(void)str_printf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (unlink(path) != 0 && errno == EISDIR)
			remove_tree(path);
	}
	if (d)
		(void)closedir(d);
	(void)rmdir(dir);
}

void way_free(struct way *r)
{
	manager_close(r->acts);
	assert_int_equal(r->fake.open_links, 0);
	fake_free(&r->fake);
	site_free(r->site);
	remove_tree(r->dir);
	(void)pthread_cond_destroy(&r->woken);
	(void)pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- the world ---- */

static void stuck(struct way *r)
{
	r->fake.now.stormed = true;
	site_word(r->site, LEAF, FAKE_PORT, ATTR_PFCWD_STATE, "stormed");
}

static void no_watchdog(struct way *r)
{
	struct plan_actions *a = &r->site->plan.actions;

	r->fake.now.wd = 0;
	memset(&r->fake.now.wd_set, 0, sizeof(r->fake.now.wd_set));
	site_word(r->site, LEAF, FAKE_PORT, ATTR_PFCWD_STATE, "off");
	a->wd_detect_ms = 200;
	a->wd_restore_ms = 400;
	(void)str_copy(a->wd_action, sizeof(a->wd_action), "drop");
}

static void drained(struct way *r)
{
	r->fake.now.admin_up = false;
	site_word(r->site, LEAF, FAKE_PORT, ATTR_ADMIN, "down");
	site_word(r->site, LEAF, FAKE_PORT, ATTR_OPER, "down");
}

static void counters_off(struct way *r)
{
	struct obs *o = obs_new(LEAF, "fast");

	obs_capability(o, "ECN marks", VALID_DISABLED, "");
	o->result = OBS_DATA;
	o->received_us = r->site->now_us;
	model_apply(r->site->m, o, r->site->now_us);
	obs_free(o);
}

void way_fit(struct way *r, const struct way_case *c)
{
	r->fake.staged = c->staged;
	if (str_eq(c->action, "pfcwd-reset"))
		stuck(r);
	if (str_eq(c->action, "pfcwd-enable"))
		no_watchdog(r);
	if (str_eq(c->action, "port-undrain"))
		drained(r);
	if (str_eq(c->action, "counterpoll-enable"))
		counters_off(r);
	r->before = r->fake.now;
}

void way_polls(struct way *r, unsigned n)
{
	while (n--) {
		site_poll(r->site, 1);
		atomic_store(&r->now_us, r->site->now_us);
		(void)manager_turn(r->acts, r->site->m, r->site->now_us);
	}
}

/* ---- the way ---- */

static void await(struct way *r)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	pthread_mutex_lock(&r->lock);
	while (!r->wakes)
		if (pthread_cond_timedwait(&r->woken, &r->lock, &until) != 0) {
			pthread_mutex_unlock(&r->lock);
			fail_msg("nothing happened for a minute");
		}
	r->wakes = 0;
	pthread_mutex_unlock(&r->lock);
}

enum act_stage way_leave_stage(struct way *r, enum act_stage s)
{
	while (manager_stage(r->acts) == s) {
		await(r);
		(void)manager_turn(r->acts, r->site->m, r->site->now_us);
	}
	return manager_stage(r->acts);
}

bool way_begin(struct way *r, const char *action, struct err *err)
{
	const struct port *p = site_port(r->site, LEAF, FAKE_PORT);
	bool device = str_eq(action, "counterpoll-enable");
	struct ref at = {
		.kind = device ? REF_DEVICE : REF_PORT, .device = p->device, .port = p->id};

	return manager_begin(r->acts, action_by_name(action), at, r->site->m, r->site->now_us, err);
}

void way_plan(struct way *r, const char *action)
{
	struct err err = {0};
	char text[600];

	if (!way_begin(r, action, &err))
		fail_msg("%s: %s", action, err.text);
	if (way_leave_stage(r, ACT_LOOKING) == ACT_PLANNED)
		return;
	manager_summary(r->acts, text, sizeof(text));
	fail_msg("%s: %s", action, text);
}

bool way_go(struct way *r, struct err *err)
{
	const struct act_plan *p = manager_plan(r->acts);

	return manager_go(
		r->acts, &r->consent, p ? p->typed : NULL, r->site->m, r->site->now_us, err);
}

enum act_stage way_do(struct way *r, const char *action)
{
	struct err err = {0};
	enum act_stage s;

	way_plan(r, action);
	if (!way_go(r, &err))
		fail_msg("%s: %s", action, err.text);
	s = way_leave_stage(r, ACT_RUNNING);
	return s == ACT_WATCHING ? ACT_DONE : s;
}

bool way_noted(const struct way *r, const char *text)
{
	const act_note_vec *v = manager_notes(r->acts);

	for (size_t i = 0; i < v->n; i++)
		if (strstr(v->at[i].text, text))
			return true;
	return false;
}

void way_print(const struct way *r)
{
	const act_note_vec *v = manager_notes(r->acts);

	for (size_t i = 0; i < v->n; i++)
		fprintf(stderr, "  %s\n", v->at[i].text);
}
