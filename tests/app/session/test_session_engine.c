/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session.h"
#include "app/session/sources.h"
#include "archive/replay/replay.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/app/support/fake_prometheus.h"
#include "tests/support/cases.h"

/* A session with a metrics engine: leaf-1 can be asked itself, leaf-2 cannot. */

static const char inventory[] =
	"fabric: t\n"
	"engine: {url: \"http://127.0.0.1:9\"}\n"
	"switches:\n"
	"  - {names: leaf-1, dialect: sonic, tier: leaf, address: 127.0.0.1, port: 9}\n"
	"  - {names: leaf-2, tier: leaf}\n";

struct stage {
	uv_loop_t loop;
	struct session *session;
	char dir[64], path[96], inventory[96];
	size_t changed;
	struct err err;
};

static void on_changed(void *ctx)
{
	((struct stage *)ctx)->changed++;
}

static void write_inventory(const struct stage *s, const char *text)
{
	FILE *f = fopen(s->inventory, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-engine-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->path, sizeof(s->path), "%s/o", s->dir);
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/f.yaml", s->dir);
	write_inventory(s, inventory);
	*state = s;
	return uv_loop_init(&s->loop);
}

static int teardown(void **state)
{
	struct stage *s = *state;

	if (s->session)
		session_close(s->session);
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&s->loop), 0);
	assert_false(fake_engine_runs());
	(void)unlink(s->path);
	(void)unlink(s->inventory);
	(void)rmdir(s->dir);
	free(s);
	return 0;
}

static bool open_session(struct stage *s, struct session_opts opts)
{
	opts.inventory = s->inventory;
	opts.changed = on_changed;
	opts.ctx = s;
	s->session = session_open(&s->loop, &opts, &s->err);
	return s->session != NULL;
}

static struct obs *said(const char *device, const char *request, int64_t at_us, uint64_t rx)
{
	struct obs *o = obs_new(device, request);
	uint32_t p = obs_port(o, "e0");

	o->received_us = at_us;
	o->ports.at[p].sample_us = at_us;
	obs_count(o, p, CTR_RX_BYTES, 0, rx);
	return o;
}

/* Gives it, and waits for the turn that takes it. */
static void gives(struct stage *s, struct obs *o)
{
	size_t n = s->changed;

	fake_engine_gives(o);
	while (s->changed == n)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
}

static const struct device *leaf(struct stage *s, const char *name)
{
	return model_device(session_model(s->session), name);
}

static const struct port *port(struct model *m, const char *name)
{
	return model_port(m, model_device(m, name), "e0");
}

CASE_WITH(the_engine_tells, setup, teardown)
{
	struct stage *s = *state;
	int64_t now = clock_wall(&clock_system);

	assert_true(open_session(s, (struct session_opts){.collectors = 1}));
	gives(s, said("leaf-2", REQUEST_ENGINE, now - 40 * CLOCK_SEC, 1000));
	gives(s, said("leaf-2", REQUEST_ENGINE, now - 25 * CLOCK_SEC, 16000));
	assert_true(leaf(s, "leaf-2")->engine);
	assert_true(leaf(s, "leaf-2")->engine_us == now - 25 * CLOCK_SEC);
	assert_true(port_rate(port(session_model(s->session), "leaf-2"), CTR_RX_BYTES, 0) == 1000);
	session_focus(s->session, "leaf-2");
	session_focus(s->session, "leaf-2");
	session_focus(s->session, NULL);
	assert_string_equal(fake_engine_told(), "focus leaf-2; focus -; ");
}

static void on_deadline(uv_timer_t *t)
{
	*(bool *)t->data = true;
}

/* Batches that arrive during the rest have no second signal: the end of the rest is one. */
CASE_WITH(what_comes_while_judging_rests_is_judged, setup, teardown)
{
	struct stage *s = *state;
	int64_t now = clock_wall(&clock_system), judged;
	bool late = false;
	uv_timer_t deadline;

	write_inventory(s,
		"fabric: t\nengine: {url: \"http://127.0.0.1:9\"}\ndefaults: {interval: 10m}\n"
		"switches: [{names: \"leaf-[0000-3999]\", tier: leaf}]\n");
	assert_true(open_session(s, (struct session_opts){.collectors = 1, .in_pieces = true}));
	gives(s, said("leaf-0000", REQUEST_ENGINE, now, 1000));
	judged = session_judged(s->session);
	fake_engine_gives(said("leaf-0001", REQUEST_ENGINE, now, 1000));
	while (!leaf(s, "leaf-0001")->last_ok_us)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	assert_true(session_judged(s->session) == judged);
	uv_timer_init(&s->loop, &deadline);
	deadline.data = &late;
	uv_timer_start(&deadline, on_deadline, 20000, 0);
	while (session_judged(s->session) == judged && !late)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&deadline, NULL);
	(void)uv_run(&s->loop, UV_RUN_NOWAIT);
	assert_false(late);
}

CASE_WITH(what_keeps_it_from_starting_is_said, setup, teardown)
{
	struct stage *s = *state;

	write_inventory(s, "fabric: t\nengine: {url: \"http://refused\"}\n"
			   "switches: [{names: leaf-2, tier: leaf}]\n");
	assert_false(open_session(s, (struct session_opts){.collectors = 1}));
	assert_string_equal(s->err.text, "credentials cannot be read");
	write_inventory(s, "fabric: t\nengine: {url: \"http://p\", mapping: ./none.map}\n"
			   "switches: [{names: leaf-2, tier: leaf}]\n");
	assert_false(open_session(s, (struct session_opts){.collectors = 1}));
	assert_non_null(strstr(s->err.origin, "none.map"));
}

/* ---- one source at a time ---- */

struct bench {
	struct plan plan;
	struct model *m;
	struct sources *s;
};

static void no_wake(void *ctx)
{
	(void)ctx;
}

static void bench_open(struct bench *b)
{
	static const char *const names[] = {"leaf-1", "leaf-2", "leaf-3"};
	struct sources_opts o = {.plan = &b->plan, .dir = ".", .collectors = 1, .wake = no_wake};
	struct err err;

	plan_init(&b->plan);
	b->plan.engine.url = mem_strdup("http://127.0.0.1:9");
	for (int i = 0; i < 3; i++) {
		struct plan_device *d = vec_add(&b->plan.devices);

		(void)str_copy(d->name, sizeof(d->name), names[i]);
		d->tier = TIER_LEAF;
		d->by_engine = i < 2;
		d->dialect = mem_strdup("sonic");
		d->transport = mem_strdup("ssh");
		d->address = mem_strdup("127.0.0.1");
		d->port = 9;
		d->interval_us = 60 * CLOCK_SEC;
	}
	b->m = model_new(&b->plan);
	b->s = sources_start(&o, &err);
	assert_non_null(b->s);
	(void)fake_engine_told();
}

static void bench_close(struct bench *b)
{
	assert_true(sources_stop(b->s));
	model_free(b->m);
	plan_free(&b->plan);
}

static bool taken(struct bench *b, struct obs *o)
{
	bool yes = sources_take(b->s, b->m, o);

	obs_free(o);
	return yes;
}

static struct obs *lost(const char *device, const char *request, enum err_code code)
{
	struct obs *o = obs_new(device, request);

	o->result = OBS_FAILED;
	err_set(&o->err, code, device, "gone");
	return o;
}

CASE(one_source_tells_at_a_time)
{
	struct bench b;

	bench_open(&b);
	assert_true(taken(&b, said("leaf-1", REQUEST_ENGINE, 1, 1)));
	/* The device is not in focus: its own answer is to an older question. */
	assert_false(taken(&b, said("leaf-1", "fast", 1, 1)));
	assert_true(taken(&b, said("leaf-3", "fast", 1, 1)));
	sources_focus(b.s, "leaf-1");
	assert_string_equal(fake_engine_told(), "focus leaf-1; ");
	/* The device is connected and detected: the engine still supplies the counters. */
	assert_true(taken(&b, obs_new("leaf-1", "detect")));
	assert_true(taken(&b, said("leaf-1", REQUEST_ENGINE, 1, 1)));
	assert_true(taken(&b, said("leaf-1", "fast", 1, 1)));
	assert_true(taken(&b, said("leaf-1", "fast", 2, 1)));
	assert_string_equal(fake_engine_told(), "leave leaf-1 on; ");
	assert_false(taken(&b, said("leaf-1", REQUEST_ENGINE, 1, 1)));
	assert_true(taken(&b, said("leaf-1", REQUEST_HISTORY, 1, 1)));
	assert_true(taken(&b, said("leaf-2", REQUEST_ENGINE, 1, 1)));
	/* One bad answer is none of the connection. */
	assert_true(taken(&b, lost("leaf-1", "fast", ERR_PROTOCOL)));
	assert_string_equal(fake_engine_told(), "");
	assert_true(taken(&b, lost("leaf-1", "connect", ERR_TIMEOUT)));
	assert_string_equal(fake_engine_told(), "leave leaf-1 off; ");
	assert_true(taken(&b, said("leaf-1", REQUEST_ENGINE, 1, 1)));
	assert_true(taken(&b, said("leaf-1", "fast", 3, 1)));
	sources_focus(b.s, "leaf-2");
	assert_string_equal(
		fake_engine_told(), "leave leaf-1 on; leave leaf-1 off; focus leaf-2; ");
	assert_false(taken(&b, said("leaf-1", "fast", 4, 1)));
	assert_true(taken(&b, said("leaf-1", REQUEST_ENGINE, 1, 1)));
	bench_close(&b);
}

/* ---- the past ---- */

static struct history_column hour(struct model *m, int64_t end_us)
{
	struct history_column c;

	(void)history_columns(port(m, "leaf-2"), CTR_RX_BYTES, 0, end_us, 3000 * CLOCK_SEC, &c, 1);
	return c;
}

CASE_WITH(a_recording_has_the_past_as_well, setup, teardown)
{
	struct stage *s = *state;
	const struct recording_opts recording = {.path = s->path, .patient = true};
	int64_t now = clock_wall(&clock_system), end = now - 60 * CLOCK_SEC;
	struct history_column live, again;
	struct replay *p;
	struct rts *r;
	uint64_t used;

	assert_true(
		open_session(s, (struct session_opts){.collectors = 1, .recording = &recording}));
	gives(s, said("leaf-2", REQUEST_ENGINE, now - 30 * CLOCK_SEC, 3570000));
	gives(s, said("leaf-2", REQUEST_ENGINE, now - 15 * CLOCK_SEC, 3585000));
	/* All of it before the loop's next turn, as an engine hands it over. */
	for (int i = 0; i < 239; i++)
		fake_engine_gives(said("leaf-2", REQUEST_HISTORY, now - (3600 - i * 15) * CLOCK_SEC,
			(uint64_t)i * 15000));
	gives(s, said("leaf-2", REQUEST_HISTORY, now - 15 * CLOCK_SEC, 3585000));
	live = hour(session_model(s->session), end);
	used = history_status(session_model(s->session)).used;
	assert_true(fabs((double)live.mean - 1000) < 0.1);
	/* Nothing of now came from then. */
	assert_true(leaf(s, "leaf-2")->engine_us == now - 15 * CLOCK_SEC);
	session_close(s->session);
	s->session = NULL;
	r = rts_open(s->path, &s->err);
	assert_non_null(r);
	p = replay_new(r, &s->err);
	assert_non_null(p);
	if (!replay_go_to(p, INT64_MAX, &s->err))
		fail_msg("%s", s->err.text);
	again = hour(replay_model(p), end);
	assert_memory_equal(&again.mean, &live.mean, sizeof(live.mean));
	assert_int_equal(history_status(replay_model(p)).used, used);
	assert_true(model_device(replay_model(p), "leaf-2")->engine);
	replay_free(p);
}

CASES_MAIN(NULL, NULL)
