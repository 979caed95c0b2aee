/* SPDX-License-Identifier: Apache-2.0 */
/* A replay shows at every moment what the live session showed, whichever way led there. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/replay/replay_private.h"
#include "archive/recording/copy.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/archive/support/live.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

static void expect_at(struct replay *p, const struct live *l, size_t i, const char *how)
{
	char when[128];

	(void)str_printf(when, sizeof(when), "%s, moment %zu of %zu", how, i, l->shots.n);
	shot_expect(p, &l->shots.at[i], when);
}

/* At random, then forwards, then backwards. */
static void seek_all_over(struct live *l, const char *how)
{
	struct replay *p = replay_of(l->path);

	assert_true(l->shots.n >= 20);
	assert_null(replay_model(p));
	for (unsigned i = 0; i < effort(20); i++) {
		size_t at = live_random(l, (uint32_t)l->shots.n);

		replay_go(p, l->shots.at[at].t_us);
		expect_at(p, l, at, how);
	}
	for (size_t i = 0; i < l->shots.n; i += effort_full() ? 4 : 16) {
		replay_go(p, l->shots.at[i].t_us);
		expect_at(p, l, i, how);
	}
	for (size_t i = l->shots.n; i > 16; i -= effort_full() ? 8 : 16) {
		replay_go(p, l->shots.at[i - 1].t_us);
		expect_at(p, l, i - 1, how);
	}
	replay_free(p);
}

/* Every third incident, unless FULL=1. */
#define SOME (effort_full() ? 1u : 3u)

static void play(enum incident which, const struct live_opts *o)
{
	struct live l;
	char how[96];

	live_open(&l, o);
	live_play(&l, which);
	live_close_file(&l);
	(void)str_printf(how, sizeof(how), "%s, %u keyframes", incident_name(which), l.keyframes);
	if (o->keyframe_in)
		assert_true(l.keyframes > 1);
	seek_all_over(&l, how);
	live_done(&l);
}

CASE(without_keyframes)
{
	for (unsigned i = 0; i < INCIDENT_COUNT; i += SOME)
		play((enum incident)i, &(struct live_opts){.seed = 77 + i, .no_keyframes = true});
}

CASE(with_keyframes_as_they_are_due)
{
	play(INCIDENT_FLAP, &(struct live_opts){.seed = 177});
	play(INCIDENT_STORM, &(struct live_opts){.seed = 178});
}

CASE(with_keyframes_anywhere)
{
	for (unsigned i = SOME - 1; i < INCIDENT_COUNT; i += SOME)
		play((enum incident)i, &(struct live_opts){.seed = 277 + i, .keyframe_in = 5});
}

CASE(with_a_keyframe_at_each_judgement)
{
	play(INCIDENT_STRAGGLER, &(struct live_opts){.seed = 10, .keyframe_in = 1});
}

/* A keyframe that cannot be loaded is not missed: the replay begins earlier. So each is tried. */
static unsigned load_all(const char *path)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct rts_keyframe k;
	struct plan plan;
	unsigned n = 0;

	assert_non_null(r);
	assert_true(rts_plan(r, &plan, &err));
	for (int64_t t = INT64_MAX; rts_keyframe_at(r, t, &k); t = k.t_us - 1, n++) {
		struct world *w = world_new(r, &plan);
		struct loading l = {0};
		bool done = false;

		assert_true(k.parts > 0);
		loading_begin(&l, r, &k);
		while (!done)
			if (!loading_step(&l, r, w, &done))
				fail_msg("section %d, part %u, step %zu", (int)l.section, l.part,
					l.step);
		loading_free(&l);
		world_free(w);
	}
	plan_free(&plan);
	rts_close(r);
	return n;
}

/* A snapshot begins with a whole keyframe, made of the partial ones before it. */
static void copy_all(const struct live *l)
{
	struct err err = {0};
	struct rts *r = rts_open(l->path, &err);
	struct rts_keyframe k;
	char to[512];

	assert_non_null(r);
	(void)str_printf(to, sizeof(to), "%s/copy.rts", l->dir);
	for (int64_t t = INT64_MAX; rts_keyframe_at(r, t, &k); t = k.t_us - 1) {
		const struct rts_copy_opts o = {
			.path = to, .tool = "railtop test", .from_us = k.t_us, .to_us = k.t_us};
		struct rts *from = rts_open(l->path, &err);
		struct rts_copy *c;

		assert_non_null(from);
		c = rts_copy_new(from, &o, &err);
		if (!c)
			fail_msg("%u parts: %s", k.parts, err.text);
		rts_copy_free(c);
		(void)unlink(to);
	}
	rts_close(r);
}

CASE(each_keyframe_can_be_loaded)
{
	for (unsigned i = 0; i < INCIDENT_COUNT; i += SOME) {
		struct live l;

		live_open(
			&l, &(struct live_opts){.seed = 277 + i, .keyframe_in = 5, .shot_in = 50});
		live_play(&l, (enum incident)i);
		live_close_file(&l);
		assert_true(load_all(l.path) > 3);
		copy_all(&l);
		live_done(&l);
	}
}

/*
 * A few bytes of a crafted file may expand to many times as much. A file without judgements is
 * refused beyond a bound.
 */
CASE(what_nobody_judges_has_a_bound)
{
	struct rts_rig g;
	struct rts *r;
	struct reader rd;
	struct err err = {0};
	unsigned n = 0;

	rig_open(&g, NULL);
	for (unsigned i = 0; i < 100; i++) {
		struct entry e = {.kind = ENTRY_MARK, .t_us = RIG_T0 + i, .text = "x"};

		rts_writer_add(g.w, &e);
	}
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	reader_init(&rd, r);
	rd.most = 40 * sizeof(struct entry);
	reader_first(&rd);
	while (reader_read(&rd, &err))
		n++;
	assert_int_equal(n, 40);
	assert_int_equal(err.code, ERR_PROTOCOL);
	reader_first(&rd);
	assert_true(reader_read(&rd, &err));
	reader_free(&rd);
	rts_close(r);
	rig_done(&g);
}

/* The moment that n steps from moment i lead to: judgements of one second are one. */
static size_t stepped(const struct live *l, size_t i, int steps)
{
	for (; steps > 0 && i + 1 < l->shots.n; steps--) {
		int64_t s = l->shots.at[i].t_us / CLOCK_SEC;

		while (i + 1 < l->shots.n && l->shots.at[i].t_us / CLOCK_SEC == s)
			i++;
	}
	for (; steps < 0 && i > 0; steps++) {
		int64_t s = l->shots.at[i].t_us / CLOCK_SEC;

		while (i > 0 && l->shots.at[i].t_us / CLOCK_SEC == s)
			i--;
	}
	return i;
}

CASE(by_single_steps)
{
	struct live l;
	struct replay *p;
	size_t i, on = 0;

	live_open(&l, &(struct live_opts){.seed = 5, .keyframe_in = 6});
	live_play(&l, INCIDENT_MIXED);
	live_close_file(&l);
	p = replay_of(l.path);
	replay_go(p, 0);
	expect_at(p, &l, 0, "the beginning");
	for (i = 0; i + 1 < l.shots.n; on++) {
		i = stepped(&l, i, 1);
		replay_step(p, 1);
		replay_arrive(p);
		expect_at(p, &l, i, "a step on");
	}
	assert_true(on > 20 && on + 1 < l.shots.n); /* some of them are of one second */
	while (i > 0) {
		i = stepped(&l, i, -1);
		replay_step(p, -1);
		replay_arrive(p);
		expect_at(p, &l, i, "a step back");
	}
	replay_step(p, -3);
	replay_arrive(p);
	expect_at(p, &l, 0, "before the beginning");
	replay_step(p, 17);
	replay_arrive(p);
	i = stepped(&l, 0, 17);
	expect_at(p, &l, i, "17 on");
	replay_step(p, -12);
	replay_arrive(p);
	expect_at(p, &l, stepped(&l, i, -12), "12 back");
	replay_step(p, 100000);
	replay_arrive(p);
	expect_at(p, &l, l.shots.n - 1, "beyond the end");
	replay_free(p);
	live_done(&l);
}

CASE(what_was_there_stays_until_it_arrives)
{
	struct live l;
	struct replay *p;
	struct model *m;
	int64_t t_us;
	unsigned calls = 0;

	live_open(&l, &(struct live_opts){.seed = 6, .keyframe_in = 4});
	live_play(&l, INCIDENT_STORM);
	live_close_file(&l);
	p = replay_of(l.path);
	replay_go(p, INT64_MAX);
	m = replay_model(p);
	t_us = replay_now(p);
	assert_int_equal(t_us, l.shots.at[l.shots.n - 1].t_us);
	replay_seek(p, l.shots.at[8].t_us + 10);
	while (!replay_work(p, 0)) {
		assert_ptr_equal(replay_model(p), m);
		assert_int_equal(replay_now(p), t_us);
		assert_false(replay_arrived(p));
		/* The wish may change on the way. */
		if (++calls == 5)
			replay_seek(p, l.shots.at[3].t_us);
	}
	assert_true(calls > 10);
	assert_true(replay_model(p) != m);
	expect_at(p, &l, 3, "another wish");
	replay_free(p);
	live_done(&l);
}

CASE(before_and_after_there_is_the_first_and_the_last)
{
	struct live l;
	struct replay *p;
	char why[100];

	live_open(&l, &(struct live_opts){.seed = 7});
	live_play(&l, INCIDENT_FLAP);
	live_close_file(&l);
	p = replay_of(l.path);
	replay_go(p, 0);
	expect_at(p, &l, 0, "before it began");
	replay_go(p, INT64_MAX);
	assert_int_equal(replay_now(p), l.shots.at[l.shots.n - 1].t_us);
	/* Entries noted after the last judgement are in the file as well. */
	assert_int_equal(replay_trail(p)->n, l.trail.n);
	assert_true(replay_from(p) <= l.shots.at[0].t_us);
	assert_true(replay_to(p) >= replay_now(p));
	assert_false(replay_gap(p, why, sizeof(why)));
	replay_free(p);
	live_done(&l);
}

/* Recorded while the console was paused: the batches are there, nobody judged them. */
CASE(what_nobody_judged_is_judged)
{
	struct live l;
	struct replay *p;

	live_open(&l, &(struct live_opts){.seed = 8, .unjudged = true});
	live_play(&l, INCIDENT_FLAP);
	live_close_file(&l);
	assert_true(l.shots.n > 20);
	p = replay_of(l.path);
	for (size_t i = 0; i < l.shots.n; i += 3) {
		replay_go(p, l.shots.at[i].t_us);
		expect_at(p, &l, i, "unjudged");
	}
	replay_free(p);
	live_done(&l);
}

/* Each file of a rotation is complete in itself. */
CASE(after_rotation)
{
	struct live l;
	DIR *dir;
	struct dirent *e;
	unsigned files = 0, compared = 0;

	live_open(&l, &(struct live_opts){.seed = 11, .rotate_us = 40000000});
	live_play(&l, INCIDENT_MIXED);
	live_close_file(&l);
	dir = opendir(l.dir);
	assert_non_null(dir);
	while ((e = readdir(dir))) {
		char path[1024];
		struct replay *p;

		if (!strstr(e->d_name, ".rts"))
			continue;
		files++;
		(void)str_printf(path, sizeof(path), "%s/%s", l.dir, e->d_name);
		p = replay_of(path);
		for (size_t i = l.shots.n; i-- > 0;) {
			if (l.shots.at[i].t_us < replay_from(p) ||
				l.shots.at[i].t_us > replay_to(p))
				continue;
			replay_go(p, l.shots.at[i].t_us);
			expect_at(p, &l, i, e->d_name);
			compared++;
		}
		replay_free(p);
	}
	(void)closedir(dir);
	assert_true(files >= 3);
	assert_true(compared >= l.shots.n);
	live_done(&l);
}

/* The moments that the file has; how many. */
static size_t expect_own(const struct live *l, const char *path, const char *how)
{
	struct replay *p = replay_of(path);
	size_t n = 0;

	for (size_t i = l->shots.n; i-- > 0;) {
		if (l->shots.at[i].t_us < replay_from(p) || l->shots.at[i].t_us > replay_to(p))
			continue;
		replay_go(p, l->shots.at[i].t_us);
		expect_at(p, l, i, how);
		n++;
	}
	replay_free(p);
	return n;
}

/* The file that was opened later has everything known before it, and no half of a keyframe. */
CASE(a_second_file_for_a_while)
{
	for (uint32_t seed = 21; seed < (effort_full() ? 25 : 22); seed++) {
		struct live l;
		size_t all, some;

		live_open(&l, &(struct live_opts){.seed = seed,
				      .keyframe_in = 7,
				      .second_from = 4 + seed % 4,
				      .second_to = INCIDENT_POLLS - 4});
		live_play(&l, INCIDENT_MIXED);
		assert_null(l.second);
		live_close_file(&l);
		all = expect_own(&l, l.path, "the first file");
		some = expect_own(&l, l.second_path, "the second file");
		assert_true(all == l.shots.n);
		assert_true(some > all / 3 && some < all);
		live_done(&l);
	}
}

CASES_MAIN(NULL, NULL)
