/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/support/stage.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "tests/views/support/fixture.h"
#include "tests/views/support/stage_past.h"
#include "views/console/console.h"

static volatile sig_atomic_t resized;

static void on_winch(int number)
{
	(void)number;
	resized = 1;
}

/* The state of the program in the terminal. */
struct player {
	const struct stage *x;
	struct term *term;
	struct keymap *keymap;
	struct console *console;
	struct model *model;
	struct act_sheet sheet;
	struct audit_log log;
	struct past *past;
	size_t keys;
};

/* ---- commands ---- */

/* Beside those of the small stage: for stages with a past or runbooks. */
static const struct command more_commands[] = {
	{"sort", "table", "", "Sort", true, RUN_TEXT(console_sort)},
	{"filter", "table", "", "Filter", true, RUN_TEXT(console_filter_or_ask)},
	{"peer", "go", "", "Peer", true, RUN_PLAIN(console_peer)},
	{"trace", "go", "", "Trace", true, RUN_TEXT(console_trace)},
	{"fold", "table", "", "Fold", true, RUN_TEXT(console_fold)},
	{"forward", "go", "", "Forward", true, RUN_PLAIN(console_forward)},
	{"ack", "console", "", "Ack", true, RUN_TEXT(console_ack)},
	{"pause", "console", "", "Pause", true, RUN_QUIET(console_pause)},
	{"scrub", "time", "STEPS", "Scrub", true, RUN_TEXT(console_scrub)},
	{"at", "time", "TIME", "At", true, RUN_TEXT(console_at)},
	{"play", "time", "[FACTOR]", "Play", true, RUN_TEXT(console_play)},
	{"diff", "time", "[A [B]]", "Diff", true, RUN_TEXT(console_diff)},
	{"snapshot", "time", "[REASON]", "Snapshot", true, RUN_TEXT(console_snapshot)},
	{"runbook", "runbook", "[NAME]", "Runbook", true, RUN_TEXT(console_runbook)},
	{"next", "runbook", "", "Next", true, RUN_TEXT(console_runbook_next)},
	{"runbook-back", "runbook", "", "Back", true, RUN_PLAIN(console_runbook_back)},
	{"note", "runbook", "", "Note", true, RUN_TEXT(console_runbook_note)},
	{"look", "runbook", "", "Look", true, RUN_PLAIN(console_runbook_look)},
	{"runbook-end", "runbook", "", "End", true, RUN_PLAIN(console_runbook_end)},
};
enum { MORE = sizeof(more_commands) / sizeof(more_commands[0]) };

static const struct command commands[] = {
	{"up", "move", "", "Up", true, RUN_MOVE(TABLE_UP)},
	{"down", "move", "", "Down", true, RUN_MOVE(TABLE_DOWN)},
	{"page-up", "move", "", "Page up", true, RUN_MOVE(TABLE_PAGE_UP)},
	{"page-down", "move", "", "Page down", true, RUN_MOVE(TABLE_PAGE_DOWN)},
	{"top", "move", "", "Top", true, RUN_MOVE(TABLE_TOP)},
	{"bottom", "move", "", "Bottom", true, RUN_MOVE(TABLE_BOTTOM)},
	{"open", "go", "", "Open", true, RUN_PLAIN(console_enter)},
	{"back", "go", "", "Back", true, RUN_PLAIN(console_back)},
	{"close", "go", "", "Close", true, RUN_QUIET(console_close)},
	{"quit", "go", "", "Quit", true, RUN_QUIET(console_quit)},
	{"palette", "go", "", "Palette", true, RUN_QUIET(console_prompt_palette)},
	{"columns", "go", "", "Columns", true, RUN_QUIET(console_columns)},
	{"help", "go", "", "Help", true, RUN_QUIET(console_help)},
	{"view", "go", "NAME", "View", true, RUN_TEXT(console_jump)},
	{"act", "act", "[NAME [PLACE]]", "Plan an action", false, RUN_TEXT(console_act)},
	{"act-show", "act", "", "Show it again", false, RUN_PLAIN(console_act_show)},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]), ACTING = 2 };

/* Valid until the next call. */
static const struct command *commands_of(const struct stage *x, size_t *n)
{
	static struct command all[MORE + COMMANDS];
	size_t more = x->with_past || x->with_runbooks ? MORE : 0;

	memcpy(all, more_commands, more * sizeof(all[0]));
	memcpy(all + more, commands, sizeof(commands));
	*n = more + COMMANDS - (x->read_only ? ACTING : 0);
	return all;
}

static bool known(void *ctx, const char *name)
{
	(void)ctx;
	return command_find(commands, COMMANDS, name) || command_find(more_commands, MORE, name);
}

static bool present(void *ctx, const char *name)
{
	size_t n;
	const struct command *all = commands_of(ctx, &n);

	return command_find(all, n, name) != NULL;
}

/* ---- actions ---- */

static void say(struct player *p, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct player *p, enum role role, const char *fmt, ...)
{
	struct sheet_line *l = vec_add(&p->sheet.lines);
	va_list ap;

	l->role = role;
	va_start(ap, fmt);
	(void)vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
}

static void stands(struct player *p, const char *state, enum role role, enum sheet_ask ask)
{
	(void)str_copy(p->sheet.state, sizeof(p->sheet.state), state);
	p->sheet.role = role;
	p->sheet.ask = ask;
	p->sheet.busy = str_eq(state, "running");
	p->sheet.follows = p->sheet.busy || str_starts(state, "watching");
	console_act_sheet(p->console, &p->sheet);
}

static void hook_actions(void *ctx, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to)
{
	(void)ctx;
	if (r.kind == REF_DEVICE) {
		add(to, "counterpoll-enable", "switch on counters that are off");
		return;
	}
	add(to, "pfcwd-reset", "restart the PFC watchdog of one port");
	add(to, "pfcwd-enable", "give one port the site's watchdog");
	add(to, "port-drain", "take one link out of service");
	add(to, "locate", "blink the port");
}

static void plan_lines(struct player *p, const char *port)
{
	say(p, ROLE_HEADER, "What is there now");
	say(p, ROLE_NORMAL,
		"  watchdog drop, detects after 200 ms, restores after 400 ms; stormed");
	say(p, ROLE_NORMAL, " ");
	say(p, ROLE_HEADER, "What would be sent");
	say(p, ROLE_ACCENT, "  sudo -n config pfcwd stop %s", port);
	say(p, ROLE_ACCENT,
		"  sudo -n config pfcwd start --action drop %s 200 --restoration-time 400", port);
	say(p, ROLE_NORMAL, " ");
	say(p, ROLE_HEADER, "Whom it would hit");
	say(p, ROLE_WARN,
		"  job pretrain: 32 ranks on 32 GPUs use this port; 3 of 4 uplinks stay up, and "
		"while the watchdog is off a new storm on the port would not be stopped by "
		"anybody");
	say(p, ROLE_HEADER, "To take it back");
	for (unsigned i = 1; i <= 12; i++)
		say(p, ROLE_DIM, "  step %u of what takes it back", i);
}

static bool hook_begin(void *ctx, const char *action, struct ref r, struct err *err)
{
	struct player *p = ctx;
	char place[160];

	if (p->sheet.busy)
		return err_set(err, ERR_REFUSED, "", "%s is running", p->sheet.title);
	(void)ref_format(p->model, r, place, sizeof(place));
	(void)str_printf(p->sheet.title, sizeof(p->sheet.title), "%s %s", action, place);
	p->sheet.lines.n = 0;
	if (r.kind == REF_DEVICE) {
		say(p, ROLE_CRIT, "refused by rate-switch: ann acted on it 4 minutes ago");
		say(p, ROLE_NORMAL, "  what would satisfy it: wait until 22:19:20Z");
		stands(p, "refused", ROLE_WARN, SHEET_SHOWS);
		return true;
	}
	(void)str_copy(p->sheet.typed, sizeof(p->sheet.typed), p->model->ports.at[r.port]->name);
	plan_lines(p, p->sheet.typed);
	stands(p, "planned", ROLE_ACCENT, SHEET_CONSENT);
	return true;
}

static bool hook_go(
	void *ctx, const char *reason, const char *incident, const char *typed, struct err *err)
{
	struct player *p = ctx;

	if (str_starts(reason, "fail")) {
		err_set(err, ERR_REFUSED, "", "refused by storm-active");
		return err_cure(err, "find the cause of the pauses first");
	}
	say(p, ROLE_OK, "CONFIRMED by \"%s\", %s, %s", reason, incident, typed);
	say(p, ROLE_NORMAL, "sent: sudo -n config pfcwd stop %s", typed);
	if (str_starts(reason, "lost")) {
		say(p, ROLE_CRIT, "the connection was lost before the answer: nobody knows");
		stands(p, "unknown", ROLE_CRIT, SHEET_SHOWS);
	} else if (str_starts(reason, "watch")) {
		say(p, ROLE_OK, "done: the watchdog is operational again");
		stands(p, "watching 12m", ROLE_OK, SHEET_UNDO);
	} else {
		stands(p, "running", ROLE_WARN, SHEET_SHOWS);
	}
	return true;
}

static bool hook_undo(void *ctx, const char *reason, const char *incident, struct err *err)
{
	struct player *p = ctx;

	(void)err;
	say(p, ROLE_WARN, "TAKEN BACK for \"%s\", %s", reason, incident);
	stands(p, "undone", ROLE_OK, SHEET_SHOWS);
	return true;
}

static bool hook_drop(void *ctx, struct err *err)
{
	struct player *p = ctx;

	if (p->sheet.busy)
		return err_set(err, ERR_REFUSED, "", "it is under way");
	console_act_sheet(p->console, NULL);
	return true;
}

/* ---- the fabric and its ledger ---- */

static void shut_by_hand(struct model *m)
{
	struct obs *o = obs_new("leaf-r1-00", "fast");

	o->result = OBS_DATA;
	o->received_us = fix_time(60);
	obs_word(o, obs_port(o, "Ethernet4"), ATTR_PFCWD_STATE, 3, "off");
	model_apply(m, o, fix_time(60));
	obs_free(o);
}

static void ledger_line(struct player *p, int s, const char *event, const char *text)
{
	struct audit_row *row = vec_add(&p->log.rows);

	*row = (struct audit_row){.n = 40 + p->log.rows.n, .t_us = fix_time(s)};
	(void)str_copy(row->event, sizeof(row->event), event);
	(void)str_copy(row->act, sizeof(row->act), "20231114T221330Z-4f2a91");
	(void)str_copy(row->action, sizeof(row->action), "pfcwd-reset");
	(void)str_copy(row->user, sizeof(row->user), "ann");
	(void)str_copy(row->from, sizeof(row->from), "10.0.0.7");
	(void)str_copy(row->device, sizeof(row->device), "leaf-r0-00");
	(void)str_copy(row->port, sizeof(row->port), "Ethernet0");
	(void)str_copy(row->incident, sizeof(row->incident), "INC-4711");
	(void)str_copy(row->text, sizeof(row->text), text);
}

static void hook_audit(void *ctx)
{
	struct player *p = ctx;

	if (!p->x->with_ledger || p->log.rows.n)
		return;
	ledger_line(p, 10, "begun", "watchdog stuck after the storm of node001");
	ledger_line(p, 12, "sending", "sudo -n config pfcwd stop Ethernet0");
	ledger_line(p, 13, "answered", "exit status 0");
	ledger_line(p, 20, "done", "watchdog operational, drop 200/400 ms");
	ledger_line(p, 90, "refused", "cool-down: ann acted on the port 80 s ago");
	(void)str_copy(p->log.path, sizeof(p->log.path), "/var/lib/railtop/actions.jsonl");
	(void)str_copy(p->log.problem, sizeof(p->log.problem), p->x->problem ? p->x->problem : "");
	console_audit(p->console, &p->log);
}

/* ---- the loop ---- */

static void keys_of(struct player *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen("keymaps/default.keys", "re"), *out = open_memstream(&text, &size);
	int c;

	while (f && out && (c = fgetc(f)) != EOF)
		(void)fputc(c, out);
	if (f)
		(void)fclose(f);
	if (out)
		(void)fclose(out);
	p->keymap = keymap_new();
	(void)keymap_read(p->keymap, "default.keys", text ? text : "", known, NULL, NULL, NULL);
	if (p->x->keymap)
		(void)keymap_read(p->keymap, "more.keys", p->x->keymap, known, NULL, NULL, NULL);
	keymap_prune(p->keymap, present, (void *)(uintptr_t)p->x);
	free(text);
}

static void open_console(struct player *p)
{
	struct console_opts o = {.term = p->term,
		.keymap = p->keymap,
		.read_only = p->x->read_only,
		.mode = p->x->read_only ? "RO" : NULL};

	o.commands = commands_of(p->x, &o.ncommands);
	o.hooks.ctx = p;
	o.hooks.audit = hook_audit;
	if (!p->x->read_only) {
		o.hooks.actions = hook_actions;
		o.hooks.act_begin = hook_begin;
		o.hooks.act_go = hook_go;
		o.hooks.act_undo = hook_undo;
		o.hooks.act_drop = hook_drop;
	}
	if (p->x->with_past || p->x->with_runbooks) {
		p->past = past_new(p->x, &o);
		p->console = past_console(p->past);
		return;
	}
	p->console = console_new(&o);
	p->model = fix_model();
	fix_poll(p->model, 0, NULL, 0);
	fix_poll(p->model, 5, NULL, 0);
	if (p->x->with_ledger)
		shut_by_hand(p->model);
	console_data(p->console, p->model, fix_time(100), 0);
}

static void take_keys(struct player *p)
{
	int key;

	while (!console_quitting(p->console) && (key = term_key(p->term)) != -1) {
		p->keys++;
		console_key(p->console, key);
	}
}

static void sleep_until_input(struct player *p, int idle_fd, const sigset_t *mask)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	int64_t deadline = term_gate_deadline(p->term);
	struct timespec ts, *wait = NULL;

	if (idle_fd >= 0 && !console_dirty(p->console) && deadline == INT64_MAX)
		(void)dprintf(idle_fd, "idle %zu\n", p->keys + console_flushed(p->console));
	if (deadline != INT64_MAX) {
		int64_t left = deadline - clock_mono(&clock_system);

		left = left > 0 ? left : 0;
		ts.tv_sec = left / CLOCK_SEC;
		ts.tv_nsec = left % CLOCK_SEC * 1000;
		wait = &ts;
	}
	(void)ppoll(&in, 1, wait, mask);
}

static int play(void *ctx, int idle_fd)
{
	struct player player = {.x = ctx}, *p = &player;
	struct term_opts topts = {.no_gate = p->x->no_gate, .no_color = true};
	struct sigaction action = {.sa_handler = on_winch};
	struct err err = {0};
	sigset_t block, mask;

	(void)sigemptyset(&block);
	(void)sigaddset(&block, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &block, &mask);
	(void)sigaction(SIGWINCH, &action, NULL);
	p->term = term_open(&topts, &err);
	if (!p->term)
		return 3;
	keys_of(p);
	open_console(p);
	while (!console_quitting(p->console)) {
		if (resized) {
			resized = 0;
			term_resize(p->term);
			console_touch(p->console);
		}
		take_keys(p);
		if (console_dirty(p->console))
			(void)console_draw(p->console);
		if (!console_quitting(p->console))
			sleep_until_input(p, idle_fd, &mask);
	}
	console_free(p->console);
	past_free(p->past);
	term_close(p->term);
	keymap_free(p->keymap);
	if (p->model)
		model_free(p->model);
	vec_free(&p->sheet.lines);
	vec_free(&p->log.rows);
	return 0;
}

/* ---- the test's side ---- */

struct vt *stage_start(const struct stage *x, int rows, int cols)
{
	struct vt_opts opts = {.rows = rows, .cols = cols, .idle = true, .own_stderr = true};
	struct vt *vt = vt_spawn_fn(&opts, play, (void *)(uintptr_t)x);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

void stage_type(struct vt *vt, const char *keys)
{
	for (; *keys; keys++) {
		char one[2] = {*keys, '\0'};

		if (*keys == '\r')
			vt_key(vt, "Enter");
		else if (*keys == '\033')
			vt_key(vt, "Esc");
		else if (*keys == '\t')
			vt_key(vt, "Tab");
		else if (*keys == '\b')
			vt_key(vt, "Backspace");
		else
			vt_type(vt, one);
		vt_settle(vt);
	}
}

void stage_end(struct vt *vt)
{
	/* The first only closes a prompt, where one is open. */
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re"), *out;
	char *text = NULL;
	size_t size = 0;
	int c;

	if (!f)
		return NULL;
	out = open_memstream(&text, &size);
	while (out && (c = fgetc(f)) != EOF)
		(void)fputc(c, out);
	if (out)
		(void)fclose(out);
	(void)fclose(f);
	return text;
}

void stage_golden(struct vt *vt, const char *name)
{
	char path[160], *want, *shown = vt_screen(vt);

	(void)str_printf(path, sizeof(path), "tests/views/golden/%s.%dx%d.txt", name, vt_cols(vt),
		vt_rows(vt));
	if (getenv("UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		(void)fputs(shown, f);
		(void)fclose(f);
		free(shown);
		return;
	}
	want = slurp(path);
	if (!want)
		fail_msg("%s is missing: run with UPDATE_GOLDEN=1 and read it", path);
	if (strcmp(want, shown) != 0)
		fail_msg("%s differs\n--- wanted\n%s--- shown\n%s", path, want, shown);
	free(want);
	free(shown);
}
