/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/noc_app.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/config/embedded_texts.h"
#include "app/console/settings_file.h"
#include "app/notify/acks.h"
#include "app/session/observation_reader.h"
#include "app/session/shutdown_deadline.h"
#include "app/session/session.h"
#include "app/console/term_loop.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/sandbox/sandbox.h"
#include "base/process/service_notify.h"
#include "base/str.h"
#include "tui/keymap.h"
#include "views/noc/noc.h"

enum { SIGNALS = 4, ENDING_SIGNALS = 3, WARNINGS_MAX = 50 };
static const int signal_numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};

struct noc_app {
	const struct options *options;
	uv_loop_t loop;
	struct term *term;
	struct keymap *keymap;
	struct noc *noc;
	struct session *session;
	struct acks *acks; /* of consoles; NULL: the session is not open */
	struct term_loop screen;
	uv_signal_t signals[SIGNALS];
	struct service_notify service;
	int feed_fd; /* the original standard input, if observations come from it; -1: none */
	bool stopping;
	VEC(char *) warnings; /* printed at the end, because they contain file names */
};

static int64_t wall_now(void)
{
	return clock_wall(&clock_system);
}

static int64_t mono_now(void)
{
	return clock_mono(&clock_system);
}

static void keep_warning(void *ctx, const char *message)
{
	struct noc_app *a = ctx;

	if (a->warnings.n < WARNINGS_MAX)
		vec_push(&a->warnings, mem_strdup(message));
}

static void data_changed(void *ctx)
{
	struct noc_app *a = ctx;

	if (!a->noc || !a->session)
		return;
	if (a->acks)
		acks_step(a->acks, session_model(a->session), session_diag(a->session),
			session_now(a->session), NULL, NULL);
	noc_data(a->noc, session_model(a->session), session_diag(a->session),
		session_now(a->session), mono_now());
}

static void stop_wall(void *ctx)
{
	struct noc_app *a = ctx;

	if (a->stopping)
		return;
	a->stopping = true;
	service_notify_close(&a->service);
	for (int i = 0; i < SIGNALS; i++)
		uv_close((uv_handle_t *)&a->signals[i], NULL);
	shutdown_deadline_begin();
	term_loop_stop(&a->screen);
	acks_close(a->acks);
	a->acks = NULL;
	(void)session_close(a->session);
	a->session = NULL;
}

/* ---- the screen's hooks ---- */

static void hook_key(void *ctx, int key)
{
	struct noc_app *a = ctx;

	noc_key(a->noc, key, mono_now());
	if (noc_quitting(a->noc))
		stop_wall(a);
}

static bool hook_dirty(void *ctx)
{
	return noc_dirty(((struct noc_app *)ctx)->noc);
}

static bool hook_draw(void *ctx)
{
	struct noc_app *a = ctx;
	int64_t gate = term_gate_deadline(a->term);

	/* The terminal has not answered for ten seconds: its contents are unknown. */
	if (gate != INT64_MAX && mono_now() >= gate)
		term_repaint(a->term);
	return noc_draw(a->noc);
}

static int64_t hook_turn(void *ctx)
{
	struct noc_app *a = ctx;

	noc_tick(a->noc, wall_now(), mono_now());
	service_notify_alive(&a->service, mono_now(), NULL);
	return noc_due(a->noc);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct noc_app *a = handle->data;

	if (number != SIGWINCH) {
		stop_wall(a);
		return;
	}
	term_resize(a->term);
	noc_touch(a->noc);
}

/* ---- start and end ---- */

static bool open_session(struct noc_app *a, struct err *err)
{
	const struct options *o = a->options;
	struct session_opts sopts = {
		.inventory = o->inventory,
		.observations = o->observations,
		.observations_fd = a->feed_fd,
		.collectors = o->collectors,
		.memory = o->memory,
		.in_pieces = true,
		.changed = data_changed,
		.warn = keep_warning,
		.ctx = a,
	};

	a->session = session_open(&a->loop, &sopts, err);
	return a->session != NULL;
}

static bool open_screen(struct noc_app *a, struct err *err)
{
	const struct options *o = a->options;
	const char *no_color = getenv("NO_COLOR");
	const struct embedded_text *keys = embedded_text("noc.keys");
	struct term_opts topts = {
		.ascii = o->ascii, .no_color = no_color && *no_color, .theme = o->theme};
	/*
	 * Observations that have ended already came from a file. A named pipe is a stream and has
	 * not ended, see observation_reader.c.
	 */
	struct noc_opts nopts = {.rotate_us = o->rotate_us,
		.replay = session_ended(a->session),
		.zone = settings_zone()};
	char missing[SANDBOX_TEXT], text[SANDBOX_TEXT + 64];

	nopts.bare = sandbox_missing(missing, sizeof(missing));
	if (nopts.bare) {
		(void)str_printf(
			text, sizeof(text), "the sandbox of this run is not complete: %s", missing);
		keep_warning(a, text);
	}

	a->keymap = keymap_new();
	(void)keymap_read(
		a->keymap, "noc.keys", keys->text, noc_command_known, NULL, keep_warning, a);
	a->term = term_open(&topts, err);
	if (!a->term)
		return false;
	mem_set_oom_hook(term_emergency);
	nopts.term = a->term;
	nopts.keymap = a->keymap;
	a->noc = noc_new(&nopts, wall_now(), mono_now());
	return true;
}

static void start_wall(struct noc_app *a)
{
	/* Ctrl-Z would give the keyboard to a shell, Ctrl-\ would end the wall. */
	(void)signal(SIGTSTP, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	a->screen = (struct term_loop){.term = a->term,
		.idle_fd = a->options->idle_fd,
		.hooks = {.key = hook_key,
			.dirty = hook_dirty,
			.draw = hook_draw,
			.turn = hook_turn,
			.gone = stop_wall,
			.ctx = a}};
	term_loop_start(&a->screen, &a->loop);
	for (int i = 0; i < SIGNALS; i++) {
		uv_signal_init(&a->loop, &a->signals[i]);
		a->signals[i].data = a;
		uv_signal_start(&a->signals[i], on_signal, signal_numbers[i]);
	}
	shutdown_deadline_watch(signal_numbers, ENDING_SIGNALS,
		&(struct shutdown_deadline_opts){.restore = term_emergency});
	if (!a->options->observations)
		a->acks = acks_open(session_plan(a->session));
	data_changed(a);
	service_notify_ready(&a->service);
}

static void close_all(struct noc_app *a)
{
	noc_free(a->noc);
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

/*
 * The first given option that the wall does not support; NULL: none. It is an error, so that the
 * operator does not believe it took effect.
 */
static const char *unsupported_option(const struct options *o)
{
	return o->record ? "--record" : o->asciicast ? "--asciicast" : o->view ? "--view" : NULL;
}

int noc_run(const struct options *o)
{
	struct noc_app app = {.options = o, .feed_fd = -1}, *a = &app;
	struct err err = {0};
	const char *other = unsupported_option(o);
	bool ok;

	if (other) {
		(void)fprintf(stderr,
			"railtop: --noc does not take %s (the wall records nothing and has pages "
			"of its own)\n",
			other);
		return EXIT_USAGE;
	}
	if (!descriptors_loop(&a->loop, &err)) {
		err_print(&err);
		return EXIT_INTERNAL;
	}
	service_notify_open(&a->service);
	/*
	 * The session opens before the screen, so that errors of the inventory go to the plain
	 * terminal.
	 */
	ok = observation_reader_claim_stdin(a->options->observations, &a->feed_fd, &err) &&
	     open_session(a, &err) && open_screen(a, &err);
	if (ok)
		start_wall(a);
	else if (a->session)
		(void)session_close(a->session);
	uv_run(&a->loop, UV_RUN_DEFAULT);
	service_notify_close(&a->service);
	close_all(a);
	uv_loop_close(&a->loop);
	shutdown_deadline_end();
	if (!ok) {
		err_print(&err);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}
