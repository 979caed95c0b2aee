/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

#define T0 INT64_C(1700000000)

struct stage {
	uv_loop_t loop;
	struct session *session;
	char dir[64], path[96], inventory[96];
	int fd[2]; /* a pipe to the session, -1: none */
	size_t changed, warned;
	bool told; /* of the port, when it was there */
	char warning[640];
	struct err err;
};

static const struct port *port(const struct stage *s)
{
	const struct model *m = session_model(s->session);
	const struct device *d = model_device(m, "leaf");

	return d ? model_port(m, d, "e0") : NULL;
}

static void on_changed(void *ctx)
{
	struct stage *s = ctx;

	s->changed++;
	s->told |= s->session && port(s);
}

static void on_warning(void *ctx, const char *message)
{
	struct stage *s = ctx;

	s->warned++;
	(void)str_copy(s->warning, sizeof(s->warning), message);
}

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	s->fd[0] = s->fd[1] = -1;
	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-session-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->path, sizeof(s->path), "%s/o", s->dir);
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/f.yaml", s->dir);
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
	for (int i = 0; i < 2; i++) {
		if (s->fd[i] >= 0)
			(void)close(s->fd[i]);
	}
	(void)unlink(s->path);
	(void)unlink(s->inventory);
	(void)rmdir(s->dir);
	free(s);
	return 0;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool open_session(struct stage *s, struct session_opts opts)
{
	opts.changed = on_changed;
	opts.warn = on_warning;
	opts.ctx = s;
	memset(&s->err, 0, sizeof(s->err));
	s->session = session_open(&s->loop, &opts, &s->err);
	return s->session != NULL;
}

static void open_file(struct stage *s, const char *text)
{
	write_file(s->path, text);
	if (!open_session(s, (struct session_opts){.observations = s->path}))
		fail_msg("%s", s->err.text);
}

static void open_pipe(struct stage *s, size_t held_max)
{
	struct session_opts opts = {.observations = "-", .held_max = held_max};

	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	assert_true(open_session(s, opts));
}

/* One answer at second t, and the loop's turn that takes it. */
static void answer(struct stage *s, int64_t t, uint64_t rx_bytes)
{
	char line[256];
	size_t n = s->changed;

	(void)str_printf(line, sizeof(line),
		"{\"t\":%lld,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":%llu}}"
		"\n",
		(long long)t, (unsigned long long)rx_bytes);
	assert_int_equal(write(s->fd[1], line, strlen(line)), (ssize_t)strlen(line));
	while (s->changed == n)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
}

static uint64_t value(const struct stage *s)
{
	const struct cell *c = port_cell(port(s), CTR_RX_BYTES, 0);

	assert_non_null(c);
	return c->u64;
}

CASE_WITH(a_file_is_the_whole_session, setup, teardown)
{
	struct stage *s = *state;

	open_file(s, "{\"t\":1700000000,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":"
		     "{\"rx_bytes\":1000}}\n"
		     "{\"t\":1700000010,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":"
		     "{\"rx_bytes\":6000}}\n");
	assert_true(session_ended(s->session));
	assert_true(session_all_heard(s->session));
	assert_int_equal(session_model(s->session)->devices.n, 1);
	assert_true(value(s) == 6000);
	/* By the times in the file, not by when it was read. */
	assert_true(port_rate(port(s), CTR_RX_BYTES, 0) == 500);
	assert_true(s->changed > 0);
	assert_false(session_poll(s->session, "leaf"));
	session_focus(s->session, "leaf");
}

CASE_WITH(time_stands_still_in_a_file, setup, teardown)
{
	struct stage *s = *state;

	open_file(s, "{\"t\":1700000000,\"device\":\"leaf\",\"state\":{\"model\":\"x\"}}\n"
		     "{\"t\":1700000002.5,\"device\":\"leaf\",\"state\":{\"model\":\"x\"}}\n"
		     "{\"t\":1700000001,\"device\":\"leaf\",\"state\":{\"model\":\"x\"}}\n");
	assert_true(session_now(s->session) == T0 * CLOCK_SEC + 2500000);
	/* Nothing is left to happen: the loop does not wait for a timer. */
	(void)uv_run(&s->loop, UV_RUN_NOWAIT);
	assert_true(session_now(s->session) == T0 * CLOCK_SEC + 2500000);
	assert_int_equal(model_device(session_model(s->session), "leaf")->state, DEV_FRESH);
}

CASE_WITH(a_file_with_the_inventory, setup, teardown)
{
	struct stage *s = *state;

	write_file(s->inventory, "fabric: t\nswitches:\n"
				 "  - {names: \"leaf,quiet\", dialect: sonic, transport: ssh, "
				 "tier: leaf}\n");
	write_file(s->path, "{\"t\":1700000000,\"device\":\"leaf\",\"mood\":1}\n"
			    "{\"t\":1700000000,\"nccl\":{\"log\":\"nothing\"}}\n");
	if (!open_session(
		    s, (struct session_opts){.inventory = s->inventory, .observations = s->path}))
		fail_msg("%s: %s", s->err.origin, s->err.text);
	/* A line about jobs is no device. */
	assert_int_equal(session_model(s->session)->devices.n, 2);
	assert_int_equal(model_device(session_model(s->session), "quiet")->state, DEV_PENDING);
	assert_int_equal(s->warned, 1);
	assert_non_null(strstr(s->warning, "unknown key \"mood\""));
}

CASE_WITH(what_cannot_be_used_is_said, setup, teardown)
{
	struct stage *s = *state;

	assert_false(open_session(s, (struct session_opts){.observations = "/nonexistent/o"}));
	assert_int_equal(s->err.code, ERR_CONFIG);
	assert_string_equal(s->err.origin, "/nonexistent/o");
	write_file(s->path, "{\"device\":\"leaf\"}\n");
	assert_false(open_session(s, (struct session_opts){
					     .inventory = "/nonexistent/f.yaml",
					     .observations = s->path,
				     }));
	assert_true(s->err.code != ERR_NONE && s->err.text[0]);
	assert_int_equal(s->changed, 0);
}

CASE_WITH(what_is_held_is_applied_on_release, setup, teardown)
{
	struct stage *s = *state;

	open_pipe(s, 0);
	assert_false(session_ended(s->session));
	answer(s, T0, 1000);
	session_hold(s->session, true);
	for (int i = 1; i <= 3; i++)
		answer(s, T0 + 10 * i, 1000 + 5000 * (uint64_t)i);
	assert_int_equal(session_waiting(s->session), 3);
	assert_true(value(s) == 1000);
	session_hold(s->session, true);
	assert_int_equal(session_waiting(s->session), 3);
	session_hold(s->session, false);
	assert_int_equal(session_waiting(s->session), 0);
	assert_true(value(s) == 16000);
	/* In order and at their own times, or there would be no such rate. */
	assert_true(port_rate(port(s), CTR_RX_BYTES, 0) == 500);
	assert_int_equal(session_model(s->session)->batches, 4);
	answer(s, T0 + 40, 41000);
	assert_true(value(s) == 41000);
	assert_true(port_rate(port(s), CTR_RX_BYTES, 0) == 2500);
	/* Again: nothing of the first time is left. */
	session_hold(s->session, true);
	answer(s, T0 + 50, 42000);
	assert_int_equal(session_waiting(s->session), 1);
	session_hold(s->session, false);
	assert_true(value(s) == 42000);
}

/* Batches recorded in a pause get as many judgements as the same batches after the pause. */
CASE_WITH(a_pause_is_recorded_with_its_judgements, setup, teardown)
{
	struct stage *s = *state;
	int64_t t = clock_wall(&clock_system) / CLOCK_SEC + 100;
	const struct recording_opts recording = {.path = s->path, .patient = true};
	struct session_opts opts = {.observations = "-", .recording = &recording};
	struct rts_cursor *c;
	struct rts *r;
	struct entry e;
	unsigned batches = 0, judged = 0;
	bool gap;

	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	assert_true(open_session(s, opts));
	session_hold(s->session, true);
	for (int i = 0; i < 4; i++)
		answer(s, t + 10 * i, 1000 * (uint64_t)i);
	session_close(s->session);
	s->session = NULL;
	r = rts_open(s->path, &s->err);
	assert_non_null(r);
	c = rts_cursor_new(r);
	while (rts_next(c, &e, &gap, &s->err)) {
		batches += e.kind == ENTRY_OBS;
		judged += e.kind == ENTRY_JUDGE && e.t_us == (t + 10 * judged) * CLOCK_SEC;
		/* A judgement of that time is right before its batch. */
		assert_true(e.kind != ENTRY_OBS || judged == batches);
		entry_free(&e);
	}
	assert_int_equal(batches, 4);
	assert_int_equal(judged, 4);
	rts_cursor_free(c);
	rts_close(r);
}

/*
 * A session that ends while it writes a keyframe. The file has the batches that waited for the
 * keyframe, and counts those beyond the bound. The order of the two events does not matter.
 */
CASE_WITH(an_end_within_a_keyframe_loses_nothing, setup, teardown)
{
	static const char lines[] = "{\"t\":1700000000,\"device\":\"leaf-0001\"}\n"
				    "{\"t\":1700000001,\"device\":\"leaf-0001\"}\n"
				    "{\"t\":1700000002,\"device\":\"leaf-0001\"}\n";
	struct stage *s = *state;
	const struct recording_opts recording = {.path = s->path, .patient = true};
	struct session_opts opts = {.inventory = s->inventory,
		.observations = "-",
		.recording = &recording,
		.held_max = 1};
	struct rts_cursor *c;
	struct rts *r;
	struct entry e;
	unsigned batches = 0;
	unsigned long missing = 0;
	size_t n;
	bool gap;

	write_file(s->inventory,
		"fabric: t\nswitches:\n"
		"  - {names: \"leaf-[0000-3999]\", dialect: sonic, transport: ssh, "
		"tier: leaf}\n");
	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	if (!open_session(s, opts))
		fail_msg("%s", s->err.text);
	assert_int_equal(write(s->fd[1], lines, strlen(lines)), (ssize_t)strlen(lines));
	for (n = s->changed; s->changed == n;)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	session_close(s->session);
	s->session = NULL;
	r = rts_open(s->path, &s->err);
	assert_non_null(r);
	c = rts_cursor_new(r);
	while (rts_next(c, &e, &gap, &s->err)) {
		batches += e.kind == ENTRY_OBS;
		if (e.kind == ENTRY_GAP)
			missing += strtoul(e.text, NULL, 10);
		entry_free(&e);
	}
	assert_in_range(batches, 1, 3);
	assert_int_equal(batches + missing, 3);
	rts_cursor_free(c);
	rts_close(r);
}

/* The word of an earlier release: the session begins, and says so once. */
CASE_WITH(poll_stream_is_warned_of_once, setup, teardown)
{
	struct stage *s = *state;
	struct session_opts opts = {.inventory = s->inventory, .observations = "-"};

	write_file(s->inventory,
		"fabric: t\ndefaults: {poll: stream}\n"
		"switches: [{names: \"leaf-[0-9]\", dialect: sonic, tier: leaf, poll: stream}]\n");
	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	if (!open_session(s, opts))
		fail_msg("%s", s->err.text);
	assert_int_equal(s->warned, 1);
	assert_non_null(strstr(s->warning, ":2: poll: stream is read as poll: filtered"));
}

/* Nothing is pinned twice, or again once it was let go; a replay pins when the session did. */
CASE_WITH(ports_of_the_inventory_are_pinned, setup, teardown)
{
	struct stage *s = *state;
	const struct recording_opts recording = {.path = s->path, .patient = true};
	struct session_opts opts = {
		.inventory = s->inventory, .observations = "-", .recording = &recording};
	struct rts_cursor *c;
	struct rts *r;
	struct entry e;
	struct err err;
	unsigned batches = 0, pins = 0;
	bool gap;

	write_file(s->inventory,
		"fabric: t\nswitches: [{names: leaf, dialect: sonic, tier: leaf}]\n"
		"pins: [\"leaf:e0\", \"leaf:e7\"]\n");
	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	if (!open_session(s, opts))
		fail_msg("%s", s->err.text);
	assert_null(port(s));
	answer(s, T0, 1);
	assert_true(port(s)->pinned);
	assert_true(history_pin(session_model(s->session),
		session_model(s->session)->ports.at[port(s)->id], false, &err));
	answer(s, T0 + 1, 2);
	assert_false(port(s)->pinned);
	session_close(s->session);
	s->session = NULL;
	r = rts_open(s->path, &s->err);
	assert_non_null(r);
	c = rts_cursor_new(r);
	while (rts_next(c, &e, &gap, &s->err)) {
		batches += e.kind == ENTRY_OBS;
		if (e.kind == ENTRY_PIN) {
			assert_string_equal(e.text, "leaf:e0");
			assert_int_equal(batches, 1);
			pins++;
		}
		entry_free(&e);
	}
	assert_int_equal(pins, 1);
	assert_int_equal(batches, 2);
	rts_cursor_free(c);
	rts_close(r);
}

CASE_WITH(what_is_held_is_bounded, setup, teardown)
{
	struct stage *s = *state;
	size_t full = 0;

	open_pipe(s, 64 << 10);
	session_hold(s->session, true);
	for (int i = 0; i < 300; i++) {
		answer(s, T0 + i, (uint64_t)i);
		assert_true(session_waiting(s->session) >= full);
		full = session_waiting(s->session);
	}
	assert_true(full > 4 && full < 100);
	session_hold(s->session, false);
	/* The oldest went. */
	assert_int_equal(session_model(s->session)->batches, full);
	assert_true(value(s) == 299);
}

CASE_WITH(a_batch_larger_than_the_bound_is_kept, setup, teardown)
{
	struct stage *s = *state;

	open_pipe(s, 1);
	session_hold(s->session, true);
	answer(s, T0, 1);
	answer(s, T0 + 1, 2);
	assert_int_equal(session_waiting(s->session), 1);
	session_hold(s->session, false);
	assert_true(value(s) == 2);
}

/* The teardown closes it; a leak or a use after free is the sanitiser's to find. */
CASE_WITH(closed_while_held, setup, teardown)
{
	struct stage *s = *state;

	open_pipe(s, 0);
	session_hold(s->session, true);
	answer(s, T0, 1);
	assert_null(port(s));
}

CASE_WITH(live_time_goes_on, setup, teardown)
{
	struct stage *s = *state;
	int64_t before = clock_wall(&clock_system);

	open_pipe(s, 0);
	answer(s, T0, 1);
	assert_true(session_now(s->session) >= before);
	(void)close(s->fd[1]);
	s->fd[1] = -1;
	while (!session_ended(s->session))
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	assert_true(session_all_heard(s->session));
	assert_true(session_now(s->session) >= before);
}

/* A session that reads a pipe and has a keyframe to make, which it has not begun. */
static void open_keeping(struct stage *s, const char *devices)
{
	const struct recording_opts recording = {.path = s->path, .patient = true};
	struct session_opts opts = {
		.inventory = s->inventory, .observations = "-", .recording = &recording};
	char text[200];

	(void)str_printf(text, sizeof(text),
		"fabric: t\nhosts:\n  - {names: \"%s\", dialect: linux, transport: ssh}\n",
		devices);
	write_file(s->inventory, text);
	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	if (!open_session(s, opts))
		fail_msg("%s", s->err.text);
}

static void count_turns(uv_handle_t *h, void *arg)
{
	*(unsigned *)arg += h->type == UV_IDLE && uv_is_active(h);
}

static unsigned turns(struct stage *s)
{
	unsigned n = 0;

	uv_walk(&s->loop, count_turns, &n);
	return n;
}

/* A user's entry drops the keyframe, with all of its work. */
CASE_WITH(a_dropped_keyframe_leaves_no_work, setup, teardown)
{
	struct stage *s = *state;
	struct entry e = {.kind = ENTRY_MARK};

	open_keeping(s, "n0");
	assert_int_equal(turns(s), 1);
	e.t_us = session_now(s->session);
	(void)str_copy(e.text, sizeof(e.text), "before");
	session_note(s->session, &e);
	assert_int_equal(turns(s), 0);
	/* The next change starts a new one. */
	answer(s, clock_wall(&clock_system) / CLOCK_SEC, 1);
	assert_int_equal(turns(s), 1);
	while (turns(s))
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	assert_true(value(s) == 1);
}

/* A large model takes several turns; batches that arrive meanwhile wait, and are reported later. */
CASE_WITH(what_comes_during_a_keyframe_is_told, setup, teardown)
{
	static const char line[] = "{\"device\":\"leaf\",\"port\":\"e0\"}\n";
	struct stage *s = *state;

	open_keeping(s, "n[0000-3999]");
	assert_int_equal(write(s->fd[1], line, sizeof(line) - 1), (ssize_t)sizeof(line) - 1);
	while (!port(s))
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	assert_true(s->told);
}

CASES_MAIN(NULL, NULL)
