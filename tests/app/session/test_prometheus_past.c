/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's history from before the recording, on a loop, without a console. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/prometheus_past.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/app/support/fake_prometheus.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define FROM (INT64_C(1700000000) * CLOCK_SEC) /* where the recording begins */
#define NOW  (FROM + 600 * CLOCK_SEC)
#define STEP (15 * CLOCK_SEC)

struct way {
	uv_loop_t loop;
	struct plan plan;
	struct prometheus *engine;
	struct prometheus_past *p;
	unsigned changed, failed;
	struct err err;
};

static void on_changed(void *ctx)
{
	((struct way *)ctx)->changed++;
}

static void on_failed(void *ctx, const struct err *e)
{
	struct way *w = ctx;

	w->failed++;
	w->err = *e;
}

static void no_wake(void *ctx)
{
	(void)ctx;
}

static int setup(void **state)
{
	struct way *w = calloc(1, sizeof(*w));
	struct prometheus_opts eo = {.wake = no_wake};
	struct prometheus_past_opts o = {.loop = &w->loop,
		.plan = &w->plan,
		.changed = on_changed,
		.failed = on_failed,
		.ctx = w};

	plan_init(&w->plan);
	(void)plan_make_device(&w->plan, "leaf-0", TIER_LEAF, 0);
	w->plan.engine.url = mem_strdup("http://p");
	(void)uv_loop_init(&w->loop);
	o.engine = w->engine = prometheus_start(&w->plan, NULL, &eo, &w->err);
	w->p = prometheus_past_open(&o);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct way *w = *state;

	prometheus_past_close(w->p);
	(void)uv_run(&w->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	(void)prometheus_stop(w->engine);
	plan_free(&w->plan);
	free(w);
	return 0;
}

static struct obs *was(int64_t t_us, uint64_t rx)
{
	struct obs *o = obs_new("leaf-0", REQUEST_ENGINE);

	(void)obs_port(o, "e0");
	o->received_us = o->ports.at[0].sample_us = t_us;
	obs_count(o, 0, CTR_RX_BYTES, 0, rx);
	return o;
}

/* The two moments of t_us: 1000 bytes a second. */
static struct obs *moments(int64_t t_us)
{
	struct obs *o = was(t_us - STEP, 1000);

	o->next = was(t_us, 16000);
	return o;
}

static bool wanted(struct way *w, enum scrub *how, int64_t *arg)
{
	return prometheus_past_do(w->p, how, arg, FROM, NOW, STEP);
}

static void answered(struct way *w, int64_t t_us)
{
	fake_engine_moment(t_us, moments(t_us), NULL);
	prometheus_past_look(w->p);
	while (prometheus_past_seeking(w->p))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
}

static void asked_for(int64_t t_us)
{
	int64_t asked;

	assert_true(fake_engine_asked(&asked));
	assert_int_equal(asked, t_us);
}

static double rate(struct way *w)
{
	struct model *m = prometheus_past_model(w->p);

	return port_rate(model_port(m, model_device(m, "leaf-0"), "e0"), CTR_RX_BYTES, 0);
}

CASE_WITH(a_moment_before_the_recording, setup, teardown)
{
	struct way *w = *state;
	enum scrub how = SCRUB_BY;
	int64_t arg = -3600 * CLOCK_SEC, t = NOW - 3600 * CLOCK_SEC;

	assert_true(wanted(w, &how, &arg));
	asked_for(t);
	assert_true(prometheus_past_active(w->p) && prometheus_past_seeking(w->p));
	assert_null(prometheus_past_model(w->p));
	answered(w, t);
	assert_int_equal(prometheus_past_now(w->p), t);
	assert_true(rate(w) == 1000);
	assert_int_equal(model_device(prometheus_past_model(w->p), "leaf-0")->state, DEV_FRESH);
	assert_non_null(prometheus_past_diag(w->p));
	assert_true(w->changed >= 2);
	/* A step from there is the engine's interval. */
	how = SCRUB_STEP;
	arg = -2;
	assert_true(wanted(w, &how, &arg));
	asked_for(t - 2 * STEP);
	/* The old moment stays on screen until the new one has arrived. */
	assert_int_equal(prometheus_past_now(w->p), t);
	answered(w, t - 2 * STEP);
	assert_int_equal(prometheus_past_now(w->p), t - 2 * STEP);
}

CASE_WITH(forward_returns_to_the_recording, setup, teardown)
{
	struct way *w = *state;
	enum scrub how = SCRUB_AT;
	int64_t arg = FROM - 60 * CLOCK_SEC;

	assert_true(wanted(w, &how, &arg));
	answered(w, FROM - 60 * CLOCK_SEC);
	how = SCRUB_BY;
	arg = 90 * CLOCK_SEC;
	assert_false(wanted(w, &how, &arg));
	assert_int_equal(how, SCRUB_AT);
	assert_int_equal(arg, FROM + 30 * CLOCK_SEC);
	assert_false(prometheus_past_active(w->p));
	assert_null(prometheus_past_model(w->p));
}

CASE_WITH(what_was_recorded_is_the_recording_s, setup, teardown)
{
	struct way *w = *state;
	enum scrub how = SCRUB_BY;
	int64_t arg = -60 * CLOCK_SEC;

	assert_false(wanted(w, &how, &arg));
	assert_int_equal(arg, -60 * CLOCK_SEC);
	how = SCRUB_STEP;
	arg = -1;
	assert_false(wanted(w, &how, &arg));
	/* At its beginning a step back leads out of it. */
	assert_true(prometheus_past_do(w->p, &how, &arg, FROM, FROM, STEP));
	asked_for(FROM - STEP);
}

CASE_WITH(now_is_now, setup, teardown)
{
	struct way *w = *state;
	enum scrub how = SCRUB_AT;
	int64_t arg = FROM - 60 * CLOCK_SEC;

	assert_true(wanted(w, &how, &arg));
	how = SCRUB_LIVE;
	assert_false(wanted(w, &how, &arg));
	assert_false(prometheus_past_active(w->p));
	/* Its answer comes too late. */
	fake_engine_moment(FROM - 60 * CLOCK_SEC, moments(FROM - 60 * CLOCK_SEC), NULL);
	prometheus_past_look(w->p);
	(void)uv_run(&w->loop, UV_RUN_NOWAIT);
	assert_false(prometheus_past_active(w->p));
	assert_null(prometheus_past_model(w->p));
}

CASE_WITH(what_is_not_there_is_said, setup, teardown)
{
	struct way *w = *state;
	enum scrub how = SCRUB_AT;
	int64_t arg = FROM - 60 * CLOCK_SEC, first = arg;
	struct err none;

	err_set(&none, ERR_PROTOCOL, "p", "no data of that time");
	assert_true(wanted(w, &how, &arg));
	fake_engine_moment(arg, NULL, &none);
	prometheus_past_look(w->p);
	assert_int_equal(w->failed, 1);
	assert_string_equal(w->err.text, "no data of that time");
	assert_false(prometheus_past_active(w->p));
	/* Where a moment is shown it stays, and the next step is from there. */
	assert_true(wanted(w, &how, &arg));
	answered(w, first);
	how = SCRUB_BY;
	arg = -3600 * CLOCK_SEC;
	assert_true(wanted(w, &how, &arg));
	fake_engine_moment(first - 3600 * CLOCK_SEC, NULL, &none);
	prometheus_past_look(w->p);
	assert_int_equal(w->failed, 2);
	assert_int_equal(prometheus_past_now(w->p), first);
	assert_true(rate(w) == 1000);
	how = SCRUB_STEP;
	arg = -1;
	(void)fake_engine_asked(&arg);
	arg = -1;
	assert_true(wanted(w, &how, &arg));
	asked_for(first - STEP);
}

CASES_MAIN(NULL, NULL)
