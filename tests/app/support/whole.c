/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/console/commands.h"
#include "app/config/embedded_texts.h"
#include "app/config/runbooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/app/support/whole.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/views/support/fake_diag.h"
#include "tests/views/support/fixture.h"

#define BEGUN    3600 /* second of the fixture at which it begins */
#define MOMENTS  5
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct whole {
	enum whole_mode mode;
	struct term *term;
	struct keymap *keys;
	struct console *console;
	struct runbooks books;
	struct model *live, *past; /* past: of another moment; NULL: live is shown */
	struct diag *diag, *past_diag;
	int now; /* second of the fixture */
	unsigned moment;
	bool paused;
	difference_vec differences;
	runbook_log trail;
	struct act_sheet sheet;
	struct audit_log log;
};

void whole_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vdprintf(STDERR_FILENO, fmt, ap);
	va_end(ap);
	(void)dprintf(STDERR_FILENO, "\n");
	_exit(9);
}

/* ---- a model that has everything ---- */

static void tell_ranks(struct model *m, int s)
{
	struct obs *o = obs_new("node000", "nccl");
	char text[32];

	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	for (int32_t size = 4; size <= 16; size += 12) {
		for (int32_t r = 0; r < size; r++) {
			struct obs_nccl *n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);

			n->job = obs_string(o, "pretrain");
			n->comm = obs_string(o, size == 16 ? "0x9bd8b4c5a3b1e8f7" : "0x17");
			n->rank = r;
			n->nranks = size;
			(void)str_printf(text, sizeof(text), "node%03d", r / 8);
			n->host = obs_string(o, text);
			n->gpu = r % 8;
			(void)str_printf(text, sizeof(text), "mlx5_%d", r % 8);
			n->nic = obs_string(o, text);
			n->state = NCCL_RUNNING;
		}
	}
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

/* The attributes that a switch reports beside its counters. */
static void tell_switch(struct model *m, const struct device *d, int s)
{
	struct obs *o = obs_new(d->name, "slow");

	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	obs_capability(o, "ECN marks", VALID_DISABLED, "counterpoll wredqueue enable");
	obs_capability(o, "BGP sessions", VALID_OK, "");
	obs_capability(o, "optics", VALID_UNSUPPORTED, "");
	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", BGP_ESTABLISHED);
	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.3", "spine-001", BGP_IDLE);
	obs_log(o, OBS_NO_PORT, -1, true, 0, "fan 2 failed");
	if (d->ports.n)
		obs_word(o, obs_port(o, m->ports.at[d->ports.at[0]]->name), ATTR_PFCWD_STATE, 3,
			s % 2 ? "off" : "stormed");
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

/* A device that answers and that the plan does not know. */
static void tell_stranger(struct model *m, int s)
{
	struct obs *o;
	char name[32];

	(void)str_printf(name, sizeof(name), "stranger-%d", s % 3);
	o = obs_new(name, "fast");
	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	obs_word(o, obs_port(o, "eth0"), ATTR_OPER, 0, "up");
	obs_capability(o, "ECN marks", VALID_DISABLED, "nobody knows");
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

static void tell_all(struct model *m, int s)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 400000, .pfc_frames = 9e4},
		{.device = "leaf-r5-00", .port = "Ethernet4", .down = true},
		{.device = "leaf-r3-00",
			.port = "Ethernet0",
			.lldp_device = "node001",
			.lldp_port = "mlx5_4"},
		{.device = "leaf-r1-00", .port = "Ethernet0", .drops = 500}};

	fix_poll(m, s, faults, COUNT(faults));
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i]->planned && m->devices.at[i]->tier != TIER_HOST)
			tell_switch(m, m->devices.at[i], s);
	(void)model_age(m, fix_time(s));
	model_links(m);
}

static struct model *large_model(int s, bool jobs)
{
	struct model *m = fix_model();

	for (int t = s - 10; t <= s; t += 5) {
		tell_all(m, t);
		if (jobs)
			tell_ranks(m, t);
	}
	tell_stranger(m, s);
	model_links(m);
	return m;
}

static struct model *small_model(int s, unsigned devices)
{
	struct plan p;
	struct model *m;

	plan_init(&p);
	(void)str_copy(p.fabric, sizeof(p.fabric), "fixture");
	p.rails = devices ? 2 : 0;
	/* In another order than in the large one, so that numbers mean something else. */
	if (devices) {
		(void)plan_make_device(&p, "leaf-r1-00", TIER_LEAF, 1);
		(void)plan_make_device(&p, "node000", TIER_HOST, -1);
		plan_make_link(&p, 1, "mlx5_1", 0, "Ethernet0", 1);
	}
	m = model_new(&p);
	plan_free(&p);
	for (int t = s - 10; devices && t <= s; t += 5)
		tell_all(m, t);
	return m;
}

static struct model *model_of(unsigned moment, int s)
{
	switch (moment % MOMENTS) {
	case 1:
		return small_model(s, 2);
	case 2:
		return large_model(s, false);
	case 3:
		return small_model(s, 0);
	default:
		return large_model(s, true);
	}
}

/* ---- a finding at each kind of place ---- */

static void add_finding(struct diag *d, const struct model *m, struct ref at, struct ref peer)
{
	struct finding *f;
	size_t n;

	if (!ref_lives(m, at))
		return;
	(void)diag_findings(d, &n);
	f = fake_finding(
		d, (enum finding_id)(n % FIND_COUNT), at, n % 2 ? ROLE_CULPRIT : ROLE_INFO, 0);
	f->peer = ref_lives(m, peer) ? peer : (struct ref){.kind = REF_NONE};
	(void)finding_number(f, at, "held", 31, "%", "> 1%", "PFC");
	(void)finding_text(f, f->peer, "change by an operator", "shut by hand", "log");
	finding_refute(f, FIND_LINK_DOWN, at, "it is up");
	finding_victim(f, at, 12);
	vec_push(&f->members, at);
}

static struct diag *diag_of(const struct model *m)
{
	struct diag *d = diag_new();
	uint32_t port = m->ports.n ? (uint32_t)(m->ports.n / 2) : PORT_NONE;
	struct ref peer = {.kind = REF_PORT, .port = port};
	const struct ref places[] = {
		peer,
		{.kind = REF_PRIORITY, .port = port, .priority = 3},
		{.kind = REF_LINK, .port = m->links.n ? m->links.at[0].a : PORT_NONE},
		{.kind = REF_COUNTER, .port = port, .cell = counter_cell(CTR_RX_BYTES, 0)},
		{.kind = REF_DEVICE, .device = m->devices.n ? 0 : UINT32_MAX},
		{.kind = REF_DEVICE, .device = (uint32_t)m->devices.n - 1},
		{.kind = REF_BGP, .device = (uint32_t)m->devices.n - 2, .cell = 0},
		{.kind = REF_JOB, .job = 0},
		{.kind = REF_COMM, .comm = 0},
		{.kind = REF_RANK, .comm = 0, .rank = 3},
		{.kind = REF_TIER, .tier = TIER_SPINE},
		{.kind = REF_RAIL, .rail = 1},
		{.kind = REF_FABRIC},
	};
	uint32_t end;

	for (size_t i = 0; i < COUNT(places); i++)
		add_finding(d, m, places[i], peer);
	for (uint32_t i = 0; m->ports.n && i < FIND_COUNT; i++)
		add_finding(d, m, (struct ref){.kind = REF_PORT, .port = i % (uint32_t)m->ports.n},
			peer);
	if (m->ports.n > 2) {
		end = fake_pause(d, 0, UINT32_MAX, fix_time(BEGUN));
		(void)fake_pause(d, 1, end, fix_time(BEGUN));
	}
	return d;
}

/* ---- the console's questions to its surroundings ---- */

const struct model *whole_model(const struct whole *w)
{
	return w->past ? w->past : w->live;
}

static void show(struct whole *w)
{
	int64_t now = fix_time(w->now - 60 * (int)w->moment);
	struct console_moment at = {.replay = w->past != NULL || w->mode == WHOLE_FILE,
		.file = w->mode == WHOLE_FILE,
		.at_us = now,
		.from_us = fix_time(BEGUN - 3000),
		.to_us = fix_time(w->now)};

	console_moment(w->console, &at);
	console_diagnosis(w->console, w->past ? w->past_diag : w->diag);
	console_recorded_trail(w->console, w->past ? &w->trail : NULL);
	console_data(w->console, w->past ? w->past : w->live, now, w->paused ? 3 : 0);
}

static void forget(struct whole *w)
{
	diag_free(w->past_diag);
	model_free(w->past);
	w->past = NULL;
	w->past_diag = NULL;
}

void whole_moment(struct whole *w, unsigned n)
{
	/* The shown model is freed before the next one is announced. */
	forget(w);
	w->moment = n % MOMENTS;
	if (w->moment) {
		w->past = model_of(w->moment, w->now - 60 * (int)w->moment);
		w->past_diag = diag_of(w->past);
	}
	show(w);
}

static void must_live(const struct whole *w, const char *who, struct ref r)
{
	if (!ref_lives(whole_model(w), r))
		whole_fail("%s is asked about what is not there: kind %d", who, (int)r.kind);
}

static void must_be_device(const struct whole *w, const char *who, const char *name)
{
	if (name && !model_device(whole_model(w), name))
		whole_fail("%s is asked about a device that is not there: %s", who, name);
}

static void hook_focus(void *ctx, const char *device)
{
	must_be_device(ctx, "focus", device);
}

static void hook_poll(void *ctx, const char *device)
{
	must_be_device(ctx, "poll", device);
}

static void hook_pause(void *ctx, bool paused)
{
	((struct whole *)ctx)->paused = paused;
}

static void hook_actions(void *ctx, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to)
{
	must_live(ctx, "actions", r);
	add(to, "locate", "blink the port");
	add(to, "pfcwd-reset", "restart the watchdog");
}

static bool hook_act_begin(void *ctx, const char *action, struct ref r, struct err *err)
{
	struct whole *w = ctx;
	struct sheet_line *l;

	must_live(w, "act", r);
	if (w->sheet.busy)
		return err_set(err, ERR_REFUSED, "", "%s is under way", w->sheet.title);
	(void)str_printf(w->sheet.title, sizeof(w->sheet.title), "%s", action);
	(void)str_copy(w->sheet.state, sizeof(w->sheet.state), "planned");
	(void)str_copy(w->sheet.typed, sizeof(w->sheet.typed), "1");
	w->sheet.ask = SHEET_CONSENT;
	w->sheet.lines.n = 0;
	for (int i = 0; i < 30; i++) {
		l = vec_add(&w->sheet.lines);
		(void)str_printf(l->text, sizeof(l->text), "line %d of the plan", i);
	}
	console_act_sheet(w->console, &w->sheet);
	return true;
}

static bool hook_act_go(
	void *ctx, const char *reason, const char *incident, const char *typed, struct err *err)
{
	struct whole *w = ctx;

	(void)incident;
	if (str_starts(reason, "x"))
		return err_set(err, ERR_REFUSED, "", "refused by a guard: %s", typed);
	(void)str_copy(w->sheet.state, sizeof(w->sheet.state), "watching 12m");
	w->sheet.ask = SHEET_UNDO;
	console_act_sheet(w->console, &w->sheet);
	return true;
}

static bool hook_act_undo(void *ctx, const char *reason, const char *incident, struct err *err)
{
	struct whole *w = ctx;

	(void)reason;
	(void)incident;
	(void)err;
	w->sheet.ask = SHEET_SHOWS;
	console_act_sheet(w->console, &w->sheet);
	return true;
}

static bool hook_act_drop(void *ctx, struct err *err)
{
	(void)err;
	console_act_sheet(((struct whole *)ctx)->console, NULL);
	return true;
}

static void hook_audit(void *ctx)
{
	struct whole *w = ctx;
	static const char *const events[] = {"begun", "sending", "answered", "done", "refused"};

	for (size_t i = 0; i < COUNT(events) && w->log.rows.n < 3 * COUNT(events); i++) {
		struct audit_row *row = vec_add(&w->log.rows);

		*row = (struct audit_row){.n = w->log.rows.n, .t_us = fix_time(BEGUN + (int)i)};
		(void)str_copy(row->event, sizeof(row->event), events[i]);
		(void)str_copy(row->act, sizeof(row->act), "20231114T221330Z-4f2a91");
		(void)str_copy(row->action, sizeof(row->action), "pfcwd-reset");
		(void)str_copy(row->device, sizeof(row->device), i == 4 ? "gone" : "leaf-r1-00");
		(void)str_copy(row->port, sizeof(row->port), "Ethernet0");
	}
	console_audit(w->console, &w->log);
}

static bool hook_scrub(void *ctx, enum scrub how, int64_t arg, struct err *err)
{
	struct whole *w = ctx;
	int64_t step = how == SCRUB_STEP ? -arg : how == SCRUB_LIVE ? -(int64_t)w->moment : 1;

	if (how == SCRUB_AT && arg > fix_time(w->now))
		return err_set(err, ERR_USAGE, "", "that moment has not come yet");
	whole_moment(w, (unsigned)(((int64_t)w->moment + step) % MOMENTS + MOMENTS));
	return true;
}

static bool hook_diff(void *ctx, const char *text, struct err *err)
{
	static const char *const places[] = {
		"leaf-r1-00:Ethernet0", "node001:mlx5_3", "leaf-r9-00", "cluster", "rail 7", ""};
	struct whole *w = ctx;

	if (str_eq(text, "no-such-place"))
		return err_set(err, ERR_USAGE, "", "there is no such file");
	difference_free(&w->differences);
	for (size_t i = 0; i < COUNT(places); i++) {
		struct difference *d = vec_add(&w->differences);

		d->kind = (uint8_t)(i % DIFF_KIND_COUNT);
		d->number = (double)NAN;
		d->at = (struct ref){.kind = REF_PORT, .port = 1000};
		(void)str_copy(d->place, sizeof(d->place), places[i]);
		(void)str_copy(d->what, sizeof(d->what), "oper");
	}
	console_differences(
		w->console, &w->differences, INT64_C(1700000000000000), INT64_C(1700003700000000));
	return true;
}

static bool hook_text(void *ctx, const char *text, struct err *err)
{
	console_message(((struct whole *)ctx)->console, ROLE_NORMAL, "as you say: %s", text);
	return !str_eq(text, "no-such-place") || err_set(err, ERR_IO, "", "cannot be written");
}

static void hook_noted(void *ctx, const struct console_note *note)
{
	struct whole *w = ctx;

	if (note->trail && w->trail.n < 64)
		vec_push(&w->trail, *note->trail);
}

static void hooks_of(struct whole *w, struct console_opts *opts)
{
	opts->hooks = (struct console_hooks){.focus = hook_focus,
		.audit = hook_audit,
		.noted = hook_noted,
		.scrub = hook_scrub,
		.diff = hook_diff,
		.snapshot = hook_text,
		.ctx = w};
	if (w->mode == WHOLE_FILE)
		return;
	opts->hooks.poll = hook_poll;
	opts->hooks.pause = hook_pause;
	opts->hooks.record = hook_text;
	if (w->mode != WHOLE_LIVE)
		return;
	opts->hooks.actions = hook_actions;
	opts->hooks.act_begin = hook_act_begin;
	opts->hooks.act_go = hook_act_go;
	opts->hooks.act_undo = hook_act_undo;
	opts->hooks.act_drop = hook_act_drop;
}

const struct command *whole_commands(const struct whole *w, size_t *n)
{
	*n = w->mode == WHOLE_LIVE ? command_count_acting : command_count;
	return command_table;
}

static void begin(struct whole *w)
{
	struct console_opts opts = {.term = w->term,
		.keymap = w->keys,
		.read_only = w->mode != WHOLE_LIVE,
		.user = "ann",
		.runbooks = &w->books};

	opts.commands = whole_commands(w, &opts.ncommands);
	hooks_of(w, &opts);
	console_free(w->console);
	w->paused = false;
	w->console = console_new(&opts);
	whole_moment(w, 0);
}

/* ---- the outside ---- */

struct whole *whole_new(enum whole_mode mode, struct term *term)
{
	struct whole *w = mem_calloc(1, sizeof(*w));
	struct err err = {0};

	w->mode = mode;
	w->term = term;
	w->now = BEGUN;
	w->keys = keymap_new();
	if (keymap_read(w->keys, "default.keys", embedded_text("default.keys")->text, NULL, NULL,
		    NULL, NULL) != 0 ||
		!runbooks_load(&w->books, NULL, NULL, &err))
		whole_fail("keys or runbooks cannot be read: %s", err.text);
	w->live = model_of(0, w->now);
	w->diag = diag_of(w->live);
	begin(w);
	return w;
}

void whole_free(struct whole *w)
{
	console_free(w->console);
	forget(w);
	diag_free(w->diag);
	model_free(w->live);
	keymap_free(w->keys);
	runbooks_free(&w->books);
	difference_free(&w->differences);
	vec_free(&w->trail);
	vec_free(&w->sheet.lines);
	vec_free(&w->log.rows);
	free(w);
}

struct console *whole_console(struct whole *w)
{
	if (console_quitting(w->console))
		begin(w);
	return w->console;
}

const struct keymap *whole_keys(const struct whole *w)
{
	return w->keys;
}

void whole_tick(struct whole *w)
{
	w->now += 5;
	if (w->mode == WHOLE_FILE || w->paused)
		return;
	/* Now and then for half a minute from nobody anything. */
	if (w->now / 30 % 4 == 3) {
		(void)model_age(w->live, fix_time(w->now));
	} else {
		tell_all(w->live, w->now);
		tell_stranger(w->live, w->now);
		model_links(w->live);
	}
	if (!w->past)
		show(w);
}
