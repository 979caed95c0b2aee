/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/console_app_private.h"
#include "app/headless/place_check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "app/console/commands.h"
#include "app/output/arranged_json.h"
#include "app/session/machine_load.h"
#include "app/session/observation_reader.h"
#include "app/console/keymaps.h"
#include "app/console/settings_file.h"
#include "app/session/shutdown_deadline.h"
#include "app/config/runbooks.h"
#include "app/config/user_identity.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/sandbox/sandbox.h"
#include "base/str.h"
#include "tui/capture.h"

/* The first ENDING_SIGNALS of them end the program. */
static const int signal_numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT};
enum { ENDING_SIGNALS = 3 };

static void keep_warning(void *ctx, const char *message)
{
	struct console_app *a = ctx;

	if (a->warnings.n < 50)
		vec_push(&a->warnings, mem_strdup(message));
	if (!a->problem[0])
		(void)str_copy(a->problem, sizeof(a->problem), message);
	if (a->console)
		console_message(a->console, ROLE_WARN, "%s", message);
}

/* ---- events ---- */

/*
 * The drawn model may have been freed. The caller must call this at once after such a change,
 * before the console uses that model again.
 */
/*
 * Goes to the place of --view. The answers of devices may still bring it; a recording or a file of
 * observations has all that it will ever have.
 */
static void show_place(struct console_app *a)
{
	struct err err = {0};

	if (!a->place)
		return;
	if (!console_jump(a->console, a->place, &err)) {
		if (a->session && !session_ended(a->session))
			return;
		console_message(a->console, ROLE_WARN, "--view: %s%s%s", err.text,
			err.cure[0] ? "; " : "", err.cure);
	}
	a->place = NULL;
}

void console_app_show(struct console_app *a)
{
	bool engine = prometheus_past_active(a->prometheus_past),
	     past = time_travel_active(a->past) && !engine;
	struct model *m = past     ? time_travel_model(a->past)
			  : engine ? prometheus_past_model(a->prometheus_past)
				   : NULL;
	int64_t live = a->session ? session_now(a->session) : 0;
	struct console_moment moment = {0};

	if (a->past)
		time_travel_moment(a->past, live, &moment);
	console_past_moment(a, live, &moment);
	console_moment(a->console, &moment);
	console_recorded_trail(a->console, past ? time_travel_trail(a->past) : NULL);
	if (m && engine) {
		if (console_app_clock(a))
			model_set_clock(m, console_app_clock(a));
		console_diagnosis(a->console, prometheus_past_diag(a->prometheus_past));
		console_data(a->console, m, prometheus_past_now(a->prometheus_past), 0);
	} else if (m) {
		console_diagnosis(a->console, time_travel_diag(a->past));
		if (!a->session)
			console_past_audit(a);
		console_data(a->console, m, time_travel_now(a->past), 0);
	} else if (a->session) {
		/* Live data also stays on the screen until the first moment has been loaded. */
		console_diagnosis(a->console, session_diag(a->session));
		console_data(
			a->console, session_model(a->session), live, session_waiting(a->session));
	} else {
		return;
	}
	/* The model has a port that is not in the plan only after its device has answered. */
	show_place(a);
}

static void keep_raw(void *ctx, const char *device, bool on)
{
	session_keep_raw(((struct console_app *)ctx)->session, device, on);
}

static void report_problems(struct console_app *a)
{
	struct recording *r = session_recording(a->session);
	char text[640];

	if (recording_problem(r, text, sizeof(text)))
		console_message(a->console, ROLE_CRIT, "%s", text);
	console_recording(a->console, !recording_into_file(r)      ? RECORDING_NONE
				      : recording_status(r).failed ? RECORDING_FAILED
								   : RECORDING_ON);
}

#define LOAD_SAID_US   (60 * CLOCK_SEC)
#define STOOD_STILL_US (5 * CLOCK_SEC)

/* Says that this machine may be the cause where many devices that should answer are dark. */
static void warn_of_load(struct console_app *a)
{
	int64_t now = clock_mono(&clock_system);
	struct coverage v;
	char text[160];

	if (a->opts->options->observations || now - a->load_us < LOAD_SAID_US)
		return;
	v = model_coverage(session_model(a->session));
	if (5 * (v.by_state[DEV_FRESH] + v.by_state[DEV_LATE]) >= 4 * v.devices ||
		!machine_busy(text, sizeof(text)))
		return;
	a->load_us = now;
	console_message(a->console, ROLE_WARN, "%u of %u devices are dark; %s",
		v.devices - v.by_state[DEV_FRESH] - v.by_state[DEV_LATE], v.devices, text);
}

static void data_changed(void *ctx)
{
	struct console_app *a = ctx;

	if (!a->console || !a->session)
		return;
	prometheus_past_look(a->prometheus_past);
	console_chart_look(a);
	console_app_show(a);
	capture_targets_update(
		a->raw, session_diag(a->session), session_model(a->session), keep_raw, a);
	report_problems(a);
	console_acks_look(a);
	if (a->notify)
		notify_step(a->notify, session_model(a->session), session_diag(a->session),
			session_now(a->session));
	warn_of_load(a);
	if (a->acts)
		act_console_turn(a->acts);
}

/* All that a start has opened, or a part of it, but the actions. */
static void close_parts(struct console_app *a)
{
	program_run_stop(a->program);
	a->program = NULL;
	notify_stop(a->notify);
	a->notify = NULL;
	acks_close(a->acks);
	a->acks = NULL;
	prometheus_past_close(a->prometheus_past);
	a->prometheus_past = NULL;
	if (a->session)
		(void)session_close(a->session);
	a->session = NULL;
	/*
	 * After the session, because the session's writer thread reports flushed data to
	 * time_travel.
	 */
	time_travel_close(a->past);
	a->past = NULL;
	chart_file_close(a->chart_file);
	a->chart_file = NULL;
}

static void close_down(struct console_app *a)
{
	if (a->stopping)
		return;
	a->stopping = true;
	for (int i = 0; i < SIGNALS; i++)
		uv_close((uv_handle_t *)&a->signals[i], NULL);
	/*
	 * Closing actions may take longer than the rest, so that a change of a device is completed.
	 */
	shutdown_deadline_hold(a->acts != NULL);
	shutdown_deadline_begin();
	act_console_close(a->acts);
	a->acts = NULL;
	shutdown_deadline_hold(false);
	close_parts(a);
	term_loop_stop(&a->screen);
}

void console_app_stop(struct console_app *a)
{
	if (a->snapshot && !a->leave && !a->stopping) {
		a->leave = true;
		console_message(a->console, ROLE_WARN,
			"railtop leaves when the snapshot is written; once more: leave at once, "
			"without it");
		return;
	}
	close_down(a);
}

static void on_key(void *ctx, int key)
{
	struct console_app *a = ctx;

	a->place = NULL; /* a key ends the wait for the place of --view */
	console_key(a->console, key);
	if (console_quitting(a->console))
		console_app_stop(a);
}

/* The terminal has hung up, for example because the SSH connection ended: leave. */
static void on_gone(void *ctx)
{
	close_down(ctx);
}

static void suspend_console(struct console_app *a)
{
	/*
	 * SIGSTOP stops all threads: a change of a port would stay incomplete until the operator
	 * resumes.
	 */
	if (a->acts && act_console_running(a->acts)) {
		console_message(
			a->console, ROLE_WARN, "railtop cannot leave: a device is being changed");
		return;
	}
	term_suspend(a->term);
	(void)raise(SIGSTOP);
}

/*
 * After SIGSTOP, a debugger or fg. All values have the age of the pause, and whatever was under way
 * has run out of time: that says nothing about the devices.
 */
static void say_stood_still(struct console_app *a)
{
	int64_t now = clock_mono(&clock_system), still = now - a->turn_us;

	/* The turn may have come before the signal. */
	if (still < CLOCK_SEC)
		still = a->slept_us;
	if (!a->session || still < STOOD_STILL_US)
		return;
	a->load_us = now;
	console_message(a->console, ROLE_WARN,
		"railtop itself stood still for %d s: values are as old, and devices are asked "
		"again",
		(int)(still / CLOCK_SEC));
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct console_app *a = handle->data;

	switch (number) {
	case SIGWINCH:
		term_resize(a->term);
		act_console_resized(a->acts);
		console_touch(a->console);
		break;
	case SIGTSTP:
		suspend_console(a);
		break;
	case SIGCONT:
		term_resume(a->term);
		say_stood_still(a);
		act_console_resized(a->acts);
		console_touch(a->console);
		break;
	default:
		close_down(a);
		break;
	}
}

/* Appends the frame that was just sent to the asciicast. */
static void record_frame(struct console_app *a)
{
	struct err err = {0};
	char text[640];

	if (a->asciicast &&
		!asciicast_frame(a->asciicast, a->term, clock_mono(&clock_system), &err))
		keep_warning(a, err_format(&err, text, sizeof(text)));
}

static bool is_dirty(void *ctx)
{
	return console_dirty(((struct console_app *)ctx)->console);
}

static bool draw_frame(void *ctx)
{
	struct console_app *a = ctx;

	/*
	 * Extends the shutdown deadline while a device is being changed. Set at each frame, because
	 * this thread may hang at any later point.
	 */
	shutdown_deadline_hold(a->acts && act_console_running(a->acts));
	if (!console_draw(a->console))
		return false;
	record_frame(a);
	return true;
}

static bool do_work(void *ctx)
{
	return console_work(((struct console_app *)ctx)->console);
}

static int64_t next_due(void *ctx)
{
	struct console_app *a = ctx;
	int64_t now = clock_mono(&clock_system);

	a->slept_us = a->turn_us ? now - a->turn_us : 0;
	a->turn_us = now;
	return console_due(a->console);
}

static bool is_busy(void *ctx)
{
	struct console_app *a = ctx;
	struct console_moment m = {0};

	if (a->past)
		time_travel_moment(a->past, 0, &m);
	return m.seeking || prometheus_past_seeking(a->prometheus_past) || a->comparing ||
	       a->snapshot || a->program;
}

static size_t count_flushed(void *ctx)
{
	return console_flushed(((struct console_app *)ctx)->console);
}

static void start_handles(struct console_app *a)
{
	a->screen.term = a->term;
	a->screen.idle_fd = a->opts->options->idle_fd;
	a->screen.hooks = (struct term_loop_hooks){.key = on_key,
		.dirty = is_dirty,
		.draw = draw_frame,
		.work = do_work,
		.turn = next_due,
		.busy = is_busy,
		.flushed = count_flushed,
		.gone = on_gone,
		.ctx = a};
	term_loop_start(&a->screen, &a->loop);
	for (int i = 0; i < SIGNALS; i++) {
		uv_signal_init(&a->loop, &a->signals[i]);
		a->signals[i].data = a;
		uv_signal_start(&a->signals[i], on_signal, signal_numbers[i]);
	}
	shutdown_deadline_watch(signal_numbers, ENDING_SIGNALS,
		&(struct shutdown_deadline_opts){.restore = term_emergency});
}

static void say_notify(void *ctx, bool bad, const char *line)
{
	struct console_app *a = ctx;

	if (a->console)
		console_message(a->console, bad ? ROLE_WARN : ROLE_NORMAL, "%s", line);
}

/* Only where the inventory asks for it: `railtop watch` is made for that. */
static void start_notify(struct console_app *a)
{
	const struct plan *plan = session_plan(a->session);
	struct notify_opts opts = {.plan = plan, .say = say_notify, .ctx = a};

	if (plan->notify.console && !a->opts->options->observations)
		a->notify = notify_start(&opts);
}

static bool open_session(struct console_app *a, struct err *err)
{
	const struct options *o = a->opts->options;
	struct recording_opts recording = {
		.live = !o->given[OPT_HISTORY] || o->history,
		.live_bytes = o->history,
		.path = o->record,
	};
	struct session_opts sopts = {
		.inventory = a->opts->inventory,
		.observations = o->observations,
		.observations_fd = a->feed_fd,
		.collectors = o->collectors,
		.memory = o->memory,
		.in_pieces = true,
		.recording = &recording, /* may start a file later */
		.changed = data_changed,
		.warn = keep_warning,
		.ctx = a,
	};

	if (a->opts->file)
		return console_past_open(a, err);
	a->session = session_open(&a->loop, &sopts, err);
	if (a->session) {
		console_acks_open(a);
		start_notify(a);
	}
	return a->session && console_past_open(a, err);
}

/* Refuses a place of --view that the inventory rules out, on the plain terminal. */
static bool check_place(const struct console_app *a, struct err *err)
{
	const char *text = a->opts->options->view;
	struct ref known;
	char word[64];

	if (!text || !a->session || a->opts->options->observations ||
		(str_copyn(word, sizeof(word), text, strcspn(text, " ")) && view_by_name(word)))
		return true;
	if (ref_parse(session_model(a->session), text, &known, NULL))
		return true;
	/* A word alone that is near to the name of a view is that, and not the name of a job. */
	if (!strpbrk(text, ": ") && view_misspelt(text, err))
		return false;
	return place_possible(session_plan(a->session), session_model(a->session), text, err);
}

static const char *mode_badge(const struct console_app *a)
{
	if (a->opts->mode)
		return a->opts->mode;
	/* Observations from a pipe are live data. */
	if (a->opts->options->observations && !str_eq(a->opts->options->observations, "-"))
		return "REPLAY";
	/* An open recording has the badge of its shown moment instead. */
	if (!a->session)
		return NULL;
	return act_console_acting(a->acts) ? "RW" : "RO";
}

static bool has_command(void *ctx, const char *name)
{
	const struct console_opts *o = ctx;

	return command_find(o->commands, o->ncommands, name) != NULL;
}

/* Restores the columns and the order of each view from an earlier session. */
static void restore_views(struct console_app *a)
{
	struct arranged_opts o = {.warn = keep_warning, .ctx = a};
	struct saved_filter saved;

	a->arranged = arranged_open(&o);
	for (size_t i = 0; i < view_count; i++) {
		char sort[64];
		uint64_t hidden;

		if (arranged_get(a->arranged, view_table[i], sort, sizeof(sort), &hidden))
			console_arrange(a->console, view_table[i], sort, hidden);
	}
	for (size_t i = 0; i < SAVED_MOST && arranged_filter(a->arranged, i, &saved); i++)
		(void)console_add_saved(a->console, &saved);
}

static bool open_asciicast(struct console_app *a, struct err *err)
{
	a->asciicast = asciicast_open(
		a->opts->options->asciicast, a->term, "railtop", clock_wall(&clock_system), err);
	return a->asciicast != NULL;
}

static bool open_console(struct console_app *a, struct err *err)
{
	const struct options *o = a->opts->options;
	const char *no_color = getenv("NO_COLOR");
	char missing[SANDBOX_TEXT], text[SANDBOX_TEXT + 64];
	struct term_opts topts = {
		.ascii = o->ascii,
		.no_color = no_color && *no_color,
		.theme = o->theme,
	};
	struct console_opts copts = {
		.commands = command_table,
		.ncommands = command_count,
		.nall = command_count_acting,
		.read_only = true,
	};

	copts.bare = sandbox_missing(missing, sizeof(missing));
	if (copts.bare) {
		(void)str_printf(
			text, sizeof(text), "the sandbox of this run is not complete: %s", missing);
		keep_warning(a, text);
	}
	if (a->session)
		a->acts = act_console_open(
			&a->loop, a->session, o->read_only || o->observations, keep_warning, a);
	if (!runbooks_load(&a->runbooks, keep_warning, a, err))
		return false;
	copts.runbooks = &a->runbooks;
	copts.mode = mode_badge(a);
	a->keymap = keymaps_load(o->keymap, keep_warning, a, err);
	if (!a->keymap)
		return false;
	a->term = term_open(&topts, err);
	if (!a->term)
		return false;
	mem_set_oom_hook(term_emergency);
	term_mouse_on(a->term, true);
	term_ask_background(a->term);
	user_identity(a->user, sizeof(a->user), NULL, 0);
	copts.user = a->user;
	copts.term = a->term;
	copts.keymap = a->keymap;
	console_hooks_fill(a, &copts.hooks);
	console_hooks_act(a, &copts);
	/* Removes keys of commands that do not exist in this mode. */
	keymap_prune(a->keymap, has_command, &copts);
	a->console = console_new(&copts);
	if (a->acts)
		act_console_attach(a->acts, a->console);
	restore_views(a);
	settings_load(a->console, keep_warning, a);
	return !o->asciicast || open_asciicast(a, err);
}

static void show_first_page(struct console_app *a)
{
	a->place = a->opts->options->view;
	if (a->session)
		data_changed(a);
	else
		console_app_show(a);
	if (a->place)
		console_message(a->console, ROLE_WARN, "waiting for %s", a->place);
	else if (a->problem[0])
		console_message(a->console, ROLE_WARN, "%s%s", a->problem,
			a->warnings.n > 1 ? " (more when you leave)" : "");
	else if (a->opts->notice)
		console_message(a->console, ROLE_HINT, "%s", a->opts->notice);
}

static void close_all(struct console_app *a)
{
	struct err err = {0};
	char text[640];

	if (!asciicast_close(a->asciicast, &err))
		keep_warning(a, err_format(&err, text, sizeof(text)));
	console_free(a->console);
	a->console = NULL;
	runbooks_free(&a->runbooks);
	arranged_close(a->arranged);
	difference_free(&a->differences);
	vec_free(&a->audit.rows);
	capture_targets_free(a->raw);
	term_close(a->term);
	mem_set_oom_hook(NULL);
	keymap_free(a->keymap);
	for (size_t i = 0; i < a->warnings.n; i++) {
		(void)fprintf(stderr, "railtop: %s\n", a->warnings.at[i]);
		free(a->warnings.at[i]);
	}
	vec_free(&a->warnings);
	if (a->feed_fd >= 0)
		(void)close(a->feed_fd);
}

int console_app_run(const struct console_app_opts *opts)
{
	struct console_app app = {.opts = opts, .feed_fd = -1}, *a = &app;
	struct err err = {0};
	bool ok;

	if (!descriptors_loop(&a->loop, &err)) {
		err_print(&err);
		return EXIT_INTERNAL;
	}
	/* At the start all devices are dark, and that says nothing. */
	a->load_us = clock_mono(&clock_system) - LOAD_SAID_US / 2;
	a->raw = capture_targets_new();
	/*
	 * The session opens before the screen, so that errors of the inventory go to the plain
	 * terminal.
	 */
	ok = observation_reader_claim_stdin(a->opts->options->observations, &a->feed_fd, &err) &&
	     open_session(a, &err) && check_place(a, &err) && open_console(a, &err);
	if (ok) {
		start_handles(a);
		show_first_page(a);
	} else {
		act_console_close(a->acts);
		close_parts(a);
	}
	uv_run(&a->loop, UV_RUN_DEFAULT);
	close_all(a);
	uv_loop_close(&a->loop);
	shutdown_deadline_end();
	if (!ok) {
		err_print(&err);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}
