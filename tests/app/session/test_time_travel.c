/* SPDX-License-Identifier: Apache-2.0 */
/* The way through a recording on a loop, without a console. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/time_travel.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define T0          (INT64_C(1700000000) * CLOCK_SEC)
#define DEADLINE_MS 60000

struct way {
	uv_loop_t loop;
	uv_timer_t deadline;
	bool late;
	char dir[64], path[96];
	struct time_travel *s;
	const struct model *told; /* the model that is drawn until on_changed() names another */
};

/* Two judgements, and a batch that nobody judged: the session was killed. */
static void record(const char *path)
{
	struct plan plan;
	struct rts_writer_opts o = {.path = path, .plan = &plan, .tool = "railtop test"};
	struct rts_writer *w;
	struct err err = {0};

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-0", TIER_LEAF, 0);
	w = rts_writer_open(&o, &err);
	if (!w)
		fail_msg("%s", err.text);
	for (int i = 0; i < 3; i++) {
		int64_t t = T0 + i * CLOCK_SEC;
		struct entry batch = {
			.kind = ENTRY_OBS, .t_us = t, .obs = obs_new("leaf-0", "fast")};
		struct entry judge = {.kind = ENTRY_JUDGE, .t_us = t};

		rts_writer_add(w, &batch);
		if (i < 2)
			rts_writer_add(w, &judge);
	}
	if (!rts_writer_close(w, &err))
		fail_msg("%s", err.text);
	plan_free(&plan);
}

static void on_changed(void *ctx)
{
	struct way *w = ctx;

	w->told = w->s ? time_travel_model(w->s) : NULL;
}

static void on_failed(void *ctx, const struct err *e)
{
	(void)ctx;
	fail_msg("%s", e->text);
}

static void on_deadline(uv_timer_t *t)
{
	((struct way *)t->data)->late = true;
}

static struct console_moment moment(struct way *w)
{
	struct console_moment m;

	time_travel_moment(w->s, 0, &m);
	return m;
}

static void arrive(struct way *w)
{
	while (moment(w).seeking && !w->late) {
		(void)uv_run(&w->loop, UV_RUN_ONCE);
		/* Drawing between two turns uses this model. */
		assert_ptr_equal(w->told, time_travel_model(w->s));
	}
	assert_false(w->late);
}

static void open_way(struct way *w)
{
	struct time_travel_opts o = {.loop = &w->loop,
		.path = w->path,
		.at_us = INT64_MAX,
		.changed = on_changed,
		.failed = on_failed,
		.ctx = w};
	struct err err = {0};

	(void)str_copy(w->dir, sizeof(w->dir), "/tmp/railtop-lookback-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	(void)str_printf(w->path, sizeof(w->path), "%s/shift.rts", w->dir);
	record(w->path);
	assert_int_equal(uv_loop_init(&w->loop), 0);
	uv_timer_init(&w->loop, &w->deadline);
	w->deadline.data = w;
	uv_timer_start(&w->deadline, on_deadline, DEADLINE_MS, 0);
	w->s = time_travel_open(&o, &err);
	if (!w->s)
		fail_msg("%s", err.text);
}

static void close_way(struct way *w)
{
	time_travel_close(w->s);
	uv_close((uv_handle_t *)&w->deadline, NULL);
	(void)uv_run(&w->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	(void)unlink(w->path);
	assert_int_equal(rmdir(w->dir), 0);
}

CASE(play_ends_where_nobody_judged)
{
	struct way w = {0};
	struct err err = {0};

	open_way(&w);
	arrive(&w);
	assert_true(moment(&w).at_us == T0 + CLOCK_SEC && moment(&w).to_us == T0 + 2 * CLOCK_SEC);
	assert_true(time_travel_do(w.s, SCRUB_AT, T0, 0, &err));
	arrive(&w);
	assert_true(time_travel_do(w.s, SCRUB_PLAY, 1000000, 0, &err));
	while (moment(&w).speed && !w.late)
		(void)uv_run(&w.loop, UV_RUN_ONCE);
	assert_false(w.late);
	assert_true(moment(&w).at_us == T0 + CLOCK_SEC);
	close_way(&w);
}

/* A step that is wanted while another moment is sought: that one comes and goes first. */
CASE(nobody_looks_at_what_is_gone)
{
	struct way w = {0};
	struct err err = {0};

	open_way(&w);
	arrive(&w);
	assert_true(time_travel_do(w.s, SCRUB_AT, T0, 0, &err));
	assert_true(time_travel_do(w.s, SCRUB_STEP, 1, 0, &err));
	arrive(&w);
	assert_true(moment(&w).at_us == T0 + CLOCK_SEC);
	close_way(&w);
}

CASES_MAIN(NULL, NULL)
