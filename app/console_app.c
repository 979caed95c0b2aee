/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console_app.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "app/act_console.h"
#include "app/commands.h"
#include "app/keymaps.h"
#include "app/session.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "views/console.h"

enum { SIGNALS = 6 };
static const int signal_numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT};

struct console_app {
	const struct console_app_opts *opts;
	uv_loop_t loop;
	struct term *term;
	struct keymap *keymap;
	struct console *console;
	struct session *session;
	struct act_console *acts; /* and the ledger; NULL: of a recording */
	uv_poll_t input;
	uv_signal_t signals[SIGNALS];
	uv_timer_t gate;     /* when the frame gate gives up */
	uv_prepare_t settle; /* just before the loop sleeps: draws what is due */
	bool stopping, frame_since_idle;
	unsigned long keys, keys_told;
	int feed_fd; /* what was standard input, when observations come from it */
	VEC(char *) warnings;
	char user[32];     /* who acknowledges findings */
	char problem[256]; /* first warning, for the message line */
	const char *place; /* --view, until the data that it names has come; NULL: done */
};

static void warning(void *ctx, const char *message)
{
	struct console_app *a = ctx;

	if (a->warnings.n < 50)
		vec_push(&a->warnings, mem_strdup(message));
	if (!a->problem[0])
		(void)str_copy(a->problem, sizeof(a->problem), message);
	if (a->console)
		console_message(a->console, ROLE_WARN, "%s", message);
}

/* ---- what the console asks for ---- */

static void hook_focus(void *ctx, const char *device)
{
	struct console_app *a = ctx;

	if (a->session)
		session_focus(a->session, device);
}

static void hook_poll(void *ctx, const char *device)
{
	(void)session_poll(((struct console_app *)ctx)->session, device);
}

static void hook_pause(void *ctx, bool paused)
{
	struct console_app *a = ctx;

	if (a->session)
		session_hold(a->session, paused);
}

static void hook_actions(void *ctx, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to)
{
	act_console_actions(((struct console_app *)ctx)->acts, r, add, to);
}

static bool hook_act_begin(void *ctx, const char *action, struct ref r, struct err *err)
{
	return act_console_begin(((struct console_app *)ctx)->acts, action, r, err);
}

static bool hook_act_go(
	void *ctx, const char *reason, const char *incident, const char *typed, struct err *err)
{
	return act_console_go(((struct console_app *)ctx)->acts, reason, incident, typed, err);
}

static bool hook_act_undo(void *ctx, const char *reason, const char *incident, struct err *err)
{
	return act_console_undo(((struct console_app *)ctx)->acts, reason, incident, err);
}

static bool hook_act_drop(void *ctx, struct err *err)
{
	return act_console_drop(((struct console_app *)ctx)->acts, err);
}

static void hook_audit(void *ctx)
{
	struct console_app *a = ctx;

	if (a->acts)
		act_console_audit(a->acts);
}

/* ---- what happens ---- */

static void data_changed(void *ctx)
{
	struct console_app *a = ctx;

	if (!a->console || !a->session)
		return;
	console_diagnosis(a->console, session_diag(a->session));
	console_data(a->console, session_model(a->session), session_now(a->session),
		session_waiting(a->session));
	if (a->acts)
		act_console_turn(a->acts);
	/* A port that the plan does not name exists only once its device has answered. */
	if (a->place && console_jump(a->console, a->place, NULL))
		a->place = NULL;
}

static void stop(struct console_app *a);

static void read_keys(struct console_app *a)
{
	int key;

	while (!a->stopping && (key = term_key(a->term)) != -1) {
		a->keys++;
		a->place = NULL; /* the operator has taken over */
		console_key(a->console, key);
		if (console_quitting(a->console))
			stop(a);
	}
}

static void on_input(uv_poll_t *poll, int status, int events)
{
	struct console_app *a = poll->data;

	read_keys(a);
	/* The terminal is gone (the ssh connection died): nobody is left to draw for. */
	if (!a->stopping && (status < 0 || (events & UV_DISCONNECT) || term_lost(a->term)))
		stop(a);
}

static void suspend(struct console_app *a)
{
	/* All threads stop: a port would stay halfway for as long as nobody looks. */
	if (a->acts && act_console_running(a->acts)) {
		console_message(a->console, ROLE_WARN, "not now: a device is being changed");
		return;
	}
	term_suspend(a->term);
	(void)raise(SIGSTOP);
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
		suspend(a);
		break;
	case SIGCONT:
		term_resume(a->term);
		act_console_resized(a->acts);
		console_touch(a->console);
		break;
	default:
		stop(a);
		break;
	}
}

static void on_gate(uv_timer_t *timer)
{
	/* Only wakes the loop: on_settle asks the gate again. */
	(void)timer;
}

static void say_idle(struct console_app *a)
{
	char line[48];
	int fd = a->opts->options->idle_fd;
	unsigned long keys = a->keys + console_flushed(a->console);

	if (fd < 0 || (!a->frame_since_idle && keys == a->keys_told))
		return;
	(void)str_printf(line, sizeof(line), "idle %lu\n", keys);
	if (write(fd, line, strlen(line)) < 0)
		return;
	a->keys_told = keys;
	a->frame_since_idle = false;
}

static void on_settle(uv_prepare_t *prepare)
{
	struct console_app *a = prepare->data;
	int64_t deadline;

	if (a->stopping)
		return;
	/* Keys may have been read into the terminal library's buffer while it looked for a gate
	 * answer. */
	read_keys(a);
	if (!a->stopping && console_dirty(a->console) && console_draw(a->console))
		a->frame_since_idle = true;
	if (a->stopping)
		return;
	deadline = term_gate_deadline(a->term);
	if (deadline == INT64_MAX) {
		uv_timer_stop(&a->gate);
	} else {
		int64_t wait = (deadline - clock_mono(&clock_system)) / 1000 + 1;

		uv_timer_start(&a->gate, on_gate, wait > 0 ? (uint64_t)wait : 1, 0);
	}
	if (!console_dirty(a->console) && deadline == INT64_MAX)
		say_idle(a);
}

static void stop(struct console_app *a)
{
	if (a->stopping)
		return;
	a->stopping = true;
	act_console_close(a->acts);
	a->acts = NULL;
	if (a->session)
		session_close(a->session);
	a->session = NULL;
	uv_close((uv_handle_t *)&a->input, NULL);
	uv_close((uv_handle_t *)&a->gate, NULL);
	uv_close((uv_handle_t *)&a->settle, NULL);
	for (int i = 0; i < SIGNALS; i++)
		uv_close((uv_handle_t *)&a->signals[i], NULL);
}

static void start_handles(struct console_app *a)
{
	uv_poll_init(&a->loop, &a->input, STDIN_FILENO);
	uv_timer_init(&a->loop, &a->gate);
	uv_prepare_init(&a->loop, &a->settle);
	a->input.data = a->gate.data = a->settle.data = a;
	uv_poll_start(&a->input, UV_READABLE | UV_DISCONNECT, on_input);
	uv_prepare_start(&a->settle, on_settle);
	for (int i = 0; i < SIGNALS; i++) {
		uv_signal_init(&a->loop, &a->signals[i]);
		a->signals[i].data = a;
		uv_signal_start(&a->signals[i], on_signal, signal_numbers[i]);
	}
}

/* `collector | railtop --observations -`: the lines keep their descriptor, keys come from the tty.
 */
static bool claim_stdin(struct console_app *a, struct err *err)
{
	int tty;

	a->feed_fd = -1;
	if (!str_eq(a->opts->options->observations, "-"))
		return true;
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (tty < 0)
		return err_set(err, ERR_IO, "/dev/tty", "no terminal to read keys from");
	a->feed_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	(void)dup2(tty, STDIN_FILENO);
	(void)close(tty);
	return a->feed_fd >= 0 || err_set(err, ERR_IO, "standard input", "is closed");
}

static bool open_session(struct console_app *a, struct err *err)
{
	const struct options *o = a->opts->options;
	struct session_opts sopts = {
		.inventory = a->opts->inventory,
		.observations = o->observations,
		.observations_fd = a->feed_fd,
		.collectors = o->collectors,
		.in_pieces = true,
		.changed = data_changed,
		.warn = warning,
		.ctx = a,
	};

	a->session = session_open(&a->loop, &sopts, err);
	return a->session != NULL;
}

/* The account, and not $USER: what is noted about a finding is to say who it was. */
static void find_user(struct console_app *a)
{
	struct passwd pw, *found = NULL;
	char scratch[4096];

	if (getpwuid_r(getuid(), &pw, scratch, sizeof(scratch), &found) == 0 && found)
		(void)str_copy(a->user, sizeof(a->user), found->pw_name);
}

/* Only here do keys and commands learn that there are actions. */
static void add_actions(struct console_app *a, struct console_opts *copts)
{
	copts->hooks.audit = hook_audit;
	if (!act_console_acting(a->acts))
		return;
	copts->ncommands = command_count_acting;
	copts->read_only = false;
	copts->hooks.actions = hook_actions;
	copts->hooks.act_begin = hook_act_begin;
	copts->hooks.act_go = hook_act_go;
	copts->hooks.act_undo = hook_act_undo;
	copts->hooks.act_drop = hook_act_drop;
}

static const char *mode_of(const struct console_app *a)
{
	if (a->opts->mode)
		return a->opts->mode;
	if (a->opts->options->observations)
		return "REPLAY";
	return act_console_acting(a->acts) ? "RW" : "RO";
}

static bool has_command(void *ctx, const char *name)
{
	const struct console_opts *o = ctx;

	return command_find(o->commands, o->ncommands, name) != NULL;
}

static bool open_console(struct console_app *a, struct err *err)
{
	const struct options *o = a->opts->options;
	const char *no_color = getenv("NO_COLOR");
	struct term_opts topts = {
		.ascii = o->ascii,
		.no_color = no_color && *no_color,
		.theme = o->theme,
	};
	struct console_opts copts = {
		.commands = command_table,
		.ncommands = command_count,
		.hooks = {.focus = hook_focus,
			.poll = o->observations ? NULL : hook_poll,
			.pause = hook_pause,
			.ctx = a},
		.read_only = true,
	};

	a->acts =
		act_console_open(&a->loop, a->session, o->read_only || o->observations, warning, a);
	copts.mode = mode_of(a);
	a->keymap = keymaps_load(o->keymap, warning, a, err);
	if (!a->keymap)
		return false;
	a->term = term_open(&topts, err);
	if (!a->term)
		return false;
	mem_set_oom_hook(term_emergency);
	find_user(a);
	copts.user = a->user;
	copts.term = a->term;
	copts.keymap = a->keymap;
	add_actions(a, &copts);
	/* No key leads to what is not there. */
	keymap_prune(a->keymap, has_command, &copts);
	a->console = console_new(&copts);
	act_console_attach(a->acts, a->console);
	return true;
}

static void first_page(struct console_app *a)
{
	a->place = a->opts->options->view;
	data_changed(a);
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
	console_free(a->console);
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

	uv_loop_init(&a->loop);
	/* The session comes first: what is wrong with the inventory belongs on the plain terminal.
	 */
	ok = claim_stdin(a, &err) && open_session(a, &err) && open_console(a, &err);
	if (ok) {
		start_handles(a);
		first_page(a);
	} else if (a->session) {
		act_console_close(a->acts);
		session_close(a->session);
	}
	uv_run(&a->loop, UV_RUN_DEFAULT);
	close_all(a);
	uv_loop_close(&a->loop);
	if (!ok) {
		err_print(&err);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}
