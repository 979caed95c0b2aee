/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/console/act_console.h"
#include "app/console/audit_rows.h"
#include "app/sandbox/confine.h"
#include "app/sandbox/state_dir.h"
#include "app/session/compare_job.h"
#include "app/console/console_app_private.h"
#include "app/session/snapshot_job.h"
#include "base/clock.h"
#include "base/str.h"
#include "tui/capture.h"

#define SCREEN_MAX ((size_t)4 << 20)

/* ---- the shown moment ---- */

static chart_file_done on_chart_file;

static void on_moment(void *ctx)
{
	struct console_app *a = ctx;

	if (a->console && !a->stopping)
		console_app_show(a);
}

static void report_error(void *ctx, const struct err *e)
{
	struct console_app *a = ctx;
	char text[640];

	if (a->console)
		console_message(a->console, ROLE_CRIT, "%s", err_format(e, text, sizeof(text)));
}

bool console_past_open(struct console_app *a, struct err *err)
{
	struct time_travel_opts o = {.loop = &a->loop,
		.path = a->opts->file,
		.at_us = a->opts->at_us,
		.changed = on_moment,
		.failed = report_error,
		.ctx = a};
	struct err problem = {0};

	if (a->session)
		o.recording = session_recording(a->session);
	if (a->session && session_prometheus(a->session)) {
		struct prometheus_past_opts eo = {.loop = &a->loop,
			.engine = session_prometheus(a->session),
			.plan = session_plan(a->session),
			.changed = on_moment,
			.failed = report_error,
			.ctx = a};

		a->prometheus_past = prometheus_past_open(&eo);
		a->opened_us = session_now(a->session);
	}
	if (!o.path && !o.recording)
		return true;
	a->past = time_travel_open(&o, err);
	if (!a->past || !o.path)
		return a->past != NULL;
	a->chart_file = chart_file_new(&a->loop, o.path, on_chart_file, a);
	if (a->opts->said && a->opts->said[0])
		console_message(a->console, ROLE_WARN, "%s", a->opts->said);
	if (!audit_rows_of_file(&a->audit, time_travel_file(a->past), &problem))
		report_error(a, &problem);
	a->audit_all = a->audit.rows.n;
	return true;
}

const struct clock_track *console_app_clock(const struct console_app *a)
{
	struct rts *file = a->past ? time_travel_file(a->past) : NULL;

	return a->session ? model_clock(session_model(a->session)) : file ? rts_clock(file) : NULL;
}

/* The time at which this session's own recording begins. */
static int64_t recording_start(const struct console_app *a, int64_t from_us)
{
	return from_us > a->opened_us ? from_us : a->opened_us;
}

void console_past_moment(const struct console_app *a, int64_t live_us, struct console_moment *out)
{
	if (!a->prometheus_past)
		return;
	out->before = true;
	if (!prometheus_past_active(a->prometheus_past))
		return;
	*out = (struct console_moment){.replay = true,
		.engine = true,
		.before = true,
		.kept_us = out->kept_us,
		.at_us = prometheus_past_now(a->prometheus_past),
		.to_us = live_us,
		.seeking = prometheus_past_seeking(a->prometheus_past)};
}

bool console_scrub_to(struct console_app *a, enum scrub how, int64_t arg, struct err *err)
{
	int64_t now = a->session ? session_now(a->session) : 0, here = now;
	struct console_moment m = {0};

	if (a->prometheus_past) {
		time_travel_moment(a->past, now, &m);
		if (time_travel_active(a->past) && m.at_us > 0)
			here = m.at_us;
		if (how == SCRUB_PLAY && prometheus_past_active(a->prometheus_past)) {
			err_set(err, ERR_USAGE, "play", "this moment is the metrics engine's");
			return err_cure(err, "go forward to the local recording with ]");
		}
		if (prometheus_past_do(a->prometheus_past, &how, &arg,
			    recording_start(a, m.from_us), here,
			    session_plan(a->session)->engine.interval_us))
			return true;
	}
	return time_travel_do(a->past, how, arg, now, err);
}

void console_past_audit(struct console_app *a)
{
	int64_t now = time_travel_now(a->past);
	size_t n = 0;

	while (n < a->audit_all && a->audit.rows.at[n].t_us <= now)
		n++;
	a->audit.rows.n = n;
	console_audit(a->console, &a->audit);
}

/* ---- the chart ---- */

static void on_chart_file(
	void *ctx, const struct thin_question *q, const struct obs *list, const struct err *err)
{
	struct console_app *a = ctx;

	if (a->console && !a->stopping)
		console_chart_past(
			a->console, list, q->from_us, q->to_us, q->step_us, "the recording", err);
}

static bool ask_file(struct console_app *a, const struct chart_question *q)
{
	struct thin_question t = {.from_us = q->from_us, .to_us = q->to_us, .step_us = q->step_us};

	_Static_assert(CHART_DEVICES <= THIN_DEVICES, "a question has room");
	for (size_t i = 0; i < q->n_devices; i++)
		(void)str_copy(t.devices[t.n_devices++], NAME_MAX_LEN, q->devices[i]);
	for (size_t i = 0; i < q->n_counters && i < THIN_COUNTERS; i++)
		t.counters[t.n_counters++] = q->counters[i];
	chart_file_ask(a->chart_file, &t);
	return true;
}

bool console_chart_ask(struct console_app *a, const struct chart_question *q, struct err *err)
{
	struct prometheus_span s = {
		.from_us = q->from_us, .to_us = q->to_us, .step_us = q->step_us};

	_Static_assert(CHART_DEVICES <= PROMETHEUS_SPAN_DEVICES, "a span has room");
	for (size_t i = 0; i < q->n_devices; i++)
		(void)str_copy(s.devices[s.n_devices++], NAME_MAX_LEN, q->devices[i]);
	for (size_t i = 0; i < q->n_counters && i < PROMETHEUS_SPAN_COUNTERS; i++)
		s.counters[s.n_counters++] = q->counters[i];
	if (!q->n_devices)
		return err_set(err, ERR_USAGE, "", "no device is charted");
	if (a->chart_file)
		return ask_file(a, q);
	prometheus_span(session_prometheus(a->session), &s);
	return true;
}

/* The host of its URL, which is the name that people know it by. */
static void engine_name(const struct console_app *a, char *dst, size_t size)
{
	const char *url = session_plan(a->session)->engine.url;
	const char *at = url ? strstr(url, "://") : NULL;

	at = at ? at + 3 : "";
	if (!str_copyn(dst, size, at, strcspn(at, "/?#")) || strchr(dst, '@'))
		(void)str_copy(dst, size, "the metrics engine");
}

void console_chart_look(struct console_app *a)
{
	struct prometheus_span of;
	struct obs *list = NULL, *next;
	struct err err = {0};
	char name[64];

	if (!a->prometheus_past ||
		!prometheus_span_ready(session_prometheus(a->session), &of, &list, &err))
		return;
	engine_name(a, name, sizeof(name));
	console_chart_past(a->console, list, of.from_us, of.to_us, of.step_us, name, &err);
	for (; list; list = next) {
		next = list->next;
		obs_free(list);
	}
}

/* ---- snapshots ---- */

static void on_snapshot_done(void *ctx, const char *path, const struct err *err)
{
	struct console_app *a = ctx;
	char text[640];

	a->snapshot = NULL;
	if (path && a->console)
		console_message(a->console, ROLE_OK, "snapshot: %s", path);
	else if (a->console)
		console_message(a->console, ROLE_CRIT, "NO SNAPSHOT: %s",
			err_format(err, text, sizeof(text)));
	if (a->leave) {
		a->leave = false;
		console_app_stop(a);
	}
}

static char *capture_screen(
	const struct term *t, bool (*capture)(const struct term *t, struct buf *out))
{
	struct buf b;

	buf_init(&b, SCREEN_MAX);
	if (capture(t, &b))
		return buf_take(&b, NULL);
	buf_free(&b);
	return NULL;
}

/*
 * The moment on the screen. While the first moment of a recording is being loaded, this is still
 * the live one. False with err: a metrics engine's moment is shown, or nothing is.
 */
static bool shown_moment(struct console_app *a, bool *past, int64_t *at_us, struct err *err)
{
	*past = time_travel_active(a->past) && time_travel_model(a->past) != NULL;
	if (prometheus_past_active(a->prometheus_past)) {
		err_set(err, ERR_REFUSED, "the metrics engine", "this moment has no recording");
		return err_cure(err, "go forward to the local recording with ]");
	}
	if (!*past && !a->session)
		return err_set(
			err, ERR_REFUSED, "the recording", "the recording is being opened: wait");
	*at_us = *past ? time_travel_now(a->past) : session_now(a->session);
	return true;
}

bool console_snap(struct console_app *a, const char *reason, struct err *err)
{
	int64_t at_us = 0;
	bool past = false, seen = shown_moment(a, &past, &at_us, err);
	char *dir = NULL;
	struct snapshot_job_opts o = {.loop = &a->loop,
		.recording = a->session ? session_recording(a->session) : NULL,
		.from = time_travel_path(a->past),
		.dir = a->opts->options->snapshots,
		.at_us = at_us,
		.wall_us = clock_track_wall(console_app_clock(a), at_us),
		.user = a->user,
		.inventory = a->opts->inventory,
		.mode = a->acts && act_console_acting(a->acts) ? "actions" : "read-only",
		.reason = reason,
		/* The trail of live runbooks is in the recording already. */
		.trail = past ? console_trail(a->console) : NULL,
		.ledger_path = a->acts ? act_console_ledger(a->acts) : NULL,
		.done = on_snapshot_done,
		.ctx = a};

	if (!seen)
		return false;
	if (a->snapshot)
		return err_set(err, ERR_REFUSED, "snapshot", "a snapshot is being written: wait");
	if (!o.from) {
		err_set(err, ERR_REFUSED, "snapshot", "the last hour is not kept");
		return err_cure(
			err, "start railtop without --history 0, with room in TMPDIR or /var/tmp");
	}
	if (!o.dir)
		o.dir = dir = state_dir_path("snapshots");
	if (!o.dir) {
		err_set(err, ERR_CONFIG, "snapshot", "there is no home directory for the snapshot");
		return err_cure(err, "give --snapshots DIR");
	}
	o.screen = capture_screen(a->term, capture_text);
	o.screen_ansi = capture_screen(a->term, capture_ansi);
	a->snapshot = snapshot_job_start(&o, err);
	if (!a->snapshot) {
		free(o.screen);
		free(o.screen_ansi);
	} else {
		console_message(a->console, ROLE_HINT, "writing a snapshot into %s ...", o.dir);
	}
	free(dir);
	return a->snapshot != NULL;
}

/* ---- recording to a file ---- */

bool console_record_file(struct console_app *a, const char *path, struct err *err)
{
	char to[PATH_MAX] = "";

	if (*path && !confine_output(path, to, sizeof(to), err))
		return false;
	path = to;
	if (!recording_file(session_recording(a->session), *path ? path : NULL,
		    session_plan(a->session), err))
		return false;
	console_recording(a->console, *path ? RECORDING_ON : RECORDING_NONE);
	if (*path)
		console_message(a->console, ROLE_OK, "recording into %s", path);
	else
		console_message(a->console, ROLE_HINT, "the recording has ended");
	return true;
}

/* ---- comparison ---- */

static void on_compare_done(
	void *ctx, difference_vec *v, int64_t from_us, int64_t to_us, const struct err *err)
{
	struct console_app *a = ctx;
	char text[640];

	a->comparing = false;
	if (!a->console || a->stopping || !v) {
		if (v)
			difference_free(v);
		else if (a->console && !a->stopping)
			console_message(
				a->console, ROLE_CRIT, "%s", err_format(err, text, sizeof(text)));
		return;
	}
	console_differences(a->console, NULL, 0, 0);
	difference_free(&a->differences);
	a->differences = *v;
	console_differences(a->console, &a->differences, from_us, to_us);
	(void)console_jump(a->console, "diff", NULL);
}

bool console_compare(struct console_app *a, const char *text, struct err *err)
{
	int64_t live = a->session ? session_now(a->session) : 0, at_us = 0;
	bool past = false;
	const char *said;
	struct console_moment m;
	struct compare_opts o = {.loop = &a->loop,
		.recording = a->session ? session_recording(a->session) : NULL,
		.done = on_compare_done,
		.ctx = a};

	if (a->comparing)
		return err_set(err, ERR_REFUSED, "diff", "another comparison is running: wait");
	if (!time_travel_path(a->past)) {
		err_set(err, ERR_REFUSED, "diff", "the last hour is not kept");
		return err_cure(
			err, "start railtop without --history 0, with room in TMPDIR or /var/tmp");
	}
	if (!shown_moment(a, &past, &at_us, err))
		return false;
	time_travel_moment(a->past, live, &m);
	if (!compare_read(text, time_travel_path(a->past), console_app_clock(a), at_us, m.from_us,
		    m.to_us, &o, err))
		return false;
	said = o.a.said[0] ? o.a.said : o.b.said;
	a->comparing = true;
	(void)compare_job_start(&o);
	console_message(a->console, ROLE_HINT, "%s", said[0] ? said : "comparing ...");
	return true;
}
