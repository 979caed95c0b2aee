/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/support/stage_past.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/plan_make.h"
#include "tests/views/support/fake_diag.h"
#include "tests/views/support/fixture.h"

#define LIVE   3700 /* second of the fixture that is now */
#define STEP   5
#define FIRST  100
#define STEPS  ((LIVE - FIRST) / STEP)
#define SHIFTS 7 /* seconds between two events of the story */

struct past {
	struct console *console;
	struct model *live, *shown; /* shown: of the recording; NULL: live is shown */
	struct diag *diag, *shown_diag;
	struct console_moment moment;
	struct runbooks books;
	difference_vec differences;
	int at; /* judgements before now */
	bool with_past;
};

/* ---- models ---- */

static void tell_job(struct model *m, int s)
{
	struct obs *o = obs_new("node000", "nccl");
	char text[32];

	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	for (int32_t r = 0; r < 16; r++) {
		struct obs_nccl *n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);

		n->job = obs_string(o, "pretrain");
		n->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		n->rank = r;
		n->nranks = 16;
		(void)str_printf(text, sizeof(text), "node%03d", r / 8);
		n->host = obs_string(o, text);
		n->gpu = r % 8;
		(void)str_printf(text, sizeof(text), "mlx5_%d", r % 8);
		n->nic = obs_string(o, text);
		n->state = NCCL_RUNNING;
	}
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

static struct model *small_model(void)
{
	struct plan p;
	struct model *m;

	plan_init(&p);
	(void)str_copy(p.fabric, sizeof(p.fabric), "fixture");
	p.rails = 2;
	p.lossless.priorities = 1U << 3;
	/* In another order than in the large one, so that numbers mean something else. */
	(void)plan_make_device(&p, "leaf-r1-00", TIER_LEAF, 1);
	(void)plan_make_device(&p, "leaf-r0-00", TIER_LEAF, 0);
	(void)plan_make_device(&p, "node000", TIER_HOST, -1);
	plan_make_link(&p, 2, "mlx5_1", 0, "Ethernet0", 1);
	plan_make_link(&p, 2, "mlx5_0", 1, "Ethernet0", 0);
	m = model_new(&p);
	plan_free(&p);
	return m;
}

static struct model *model_at(int s, bool small)
{
	static const struct fault down = {
		.device = "leaf-r1-00", .port = "Ethernet0", .down = true};
	struct model *m = small ? small_model() : fix_model();

	/* Two losses of a link half an hour ago, so that there is something on the line. */
	for (int t = LIVE / 2; t < LIVE / 2 + 6 * SHIFTS && t < s; t += SHIFTS)
		fix_poll(m, t, &down, (size_t)((t - LIVE / 2) / SHIFTS % 2));
	fix_poll(m, s - 5, NULL, 0);
	if (!small)
		tell_job(m, s - 5);
	fix_poll(m, s, NULL, 0);
	return m;
}

static struct diag *diag_at(const struct model *m, int s)
{
	struct diag *d = diag_new();
	struct ref port = fix_port_ref(m, "leaf-r1-00", "Ethernet0");
	struct finding *f;
	uint64_t key;

	if (s < LIVE / 2)
		return d;
	f = fake_finding(d, FIND_LINK_FLAPPING, port, ROLE_CULPRIT, 0);
	f->first_seen_us = fix_time(LIVE / 2 + 2 * SHIFTS);
	key = f->key;
	f = fake_finding(d, FIND_LOSSLESS_DROP, port, ROLE_SYMPTOM, key);
	f->first_seen_us = fix_time(LIVE / 2 + 3 * SHIFTS);
	return d;
}

/* ---- moments ---- */

static void tell(struct past *p)
{
	int64_t now = p->shown ? p->moment.at_us : fix_time(LIVE);

	p->moment.replay = p->shown != NULL;
	p->moment.from_us = fix_time(FIRST);
	p->moment.to_us = fix_time(LIVE);
	if (!p->shown)
		p->moment.at_us = now;
	if (p->with_past)
		console_moment(p->console, &p->moment);
	console_diagnosis(p->console, p->shown ? p->shown_diag : p->diag);
	console_data(p->console, p->shown ? p->shown : p->live, now, 0);
}

static void forget(struct past *p)
{
	if (p->shown) {
		diag_free(p->shown_diag);
		model_free(p->shown);
	}
	p->shown = NULL;
	p->shown_diag = NULL;
}

static void show(struct past *p, int steps_back)
{
	int s;

	if (steps_back > STEPS)
		steps_back = STEPS;
	p->at = steps_back > 0 ? steps_back : 0;
	s = LIVE - p->at * STEP;
	/* The shown model is freed before the next one is announced. */
	forget(p);
	if (p->at) {
		p->shown = model_at(s, p->at % 2 == 1);
		p->shown_diag = diag_at(p->shown, s);
		p->moment.at_us = fix_time(s);
	}
	p->moment.speed = p->at ? p->moment.speed : 0;
	tell(p);
}

static bool hook_scrub(void *ctx, enum scrub how, int64_t arg, struct err *err)
{
	struct past *p = ctx;

	(void)err;
	switch (how) {
	case SCRUB_LIVE:
		show(p, 0);
		break;
	case SCRUB_STEP:
		show(p, p->at - (int)arg);
		break;
	case SCRUB_BY:
		show(p, p->at - (int)(arg / (STEP * CLOCK_SEC)));
		break;
	case SCRUB_AT:
		show(p, (int)((fix_time(LIVE) - arg) / (STEP * CLOCK_SEC)));
		break;
	case SCRUB_PLAY:
		p->moment.speed = arg;
		if (arg == 16000)
			p->moment.seeking = true;
		if (arg == 8000)
			(void)str_copy(
				p->moment.gap, sizeof(p->moment.gap), "12 batches lost: disk full");
		tell(p);
		break;
	}
	return true;
}

static void difference(struct past *p, enum difference_kind kind, enum severity severity,
	bool better, const char *place, const char *what, const char *before, const char *after)
{
	struct difference *d = vec_add(&p->differences);

	d->kind = (uint8_t)kind;
	d->severity = (uint8_t)severity;
	d->better = better;
	d->number = kind == DIFF_COUNTER ? 41.5 : (double)NAN;
	(void)str_copy(d->place, sizeof(d->place), place);
	(void)str_copy(d->what, sizeof(d->what), what);
	(void)str_copy(d->before, sizeof(d->before), before);
	(void)str_copy(d->after, sizeof(d->after), after);
}

static bool hook_diff(void *ctx, const char *text, struct err *err)
{
	struct past *p = ctx;

	(void)err;
	p->differences.n = 0;
	if (str_eq(text, "nothing")) {
		console_differences(
			p->console, &p->differences, FIX_START, FIX_START + 3700 * CLOCK_SEC);
		return true;
	}
	difference(p, DIFF_LINK, SEV_CRIT, false, "leaf-r1-00:Ethernet0", "oper", "up", "down");
	difference(p, DIFF_FINDING, SEV_CRIT, false, "leaf-r1-00:Ethernet0", "link.flapping", "-",
		"CRIT");
	difference(p, DIFF_DEVICE, SEV_CRIT, false, "leaf-r9-00", "state", "fresh", "-");
	difference(p, DIFF_SPEED, SEV_WARN, false, "leaf-r0-00:Ethernet4", "speed", "400G", "200G");
	difference(p, DIFF_COUNTER, SEV_WARN, false, "node001:mlx5_3", "pfc_tx_frames[3]", "0/s",
		"1.2k/s");
	difference(p, DIFF_WIRING, SEV_WARN, false, "leaf-r2-00:Ethernet0", "neighbour",
		"node000:mlx5_2", "node001:mlx5_2");
	difference(p, DIFF_CONFIG, SEV_OK, true, "leaf-r3-00:Ethernet0", "pfc", "-", "3");
	console_differences(p->console, &p->differences, FIX_START, FIX_START + 3700 * CLOCK_SEC);
	return true;
}

static bool hook_snapshot(void *ctx, const char *reason, struct err *err)
{
	struct past *p = ctx;

	(void)err;
	console_message(p->console, ROLE_NORMAL, "snapshot for \"%s\"", reason);
	return true;
}

/* ---- runbooks ---- */

struct step_text {
	const char *id, *text, *view, *filter, *expect;
	enum runbook_scope scope;
	enum runbook_rows rows;
	const char *pass, *fail, *question;
};

static void add_step(struct runbook *b, const struct step_text *t)
{
	struct runbook_step *s = vec_add(&b->steps);

	(void)str_copy(s->id, sizeof(s->id), t->id);
	s->text = mem_strdup(t->text);
	s->view = t->view ? fix_view(t->view) : NULL;
	s->scope = (uint8_t)t->scope;
	s->filter = mem_strdup(t->filter ? t->filter : "");
	s->expect = t->expect ? mem_strdup(t->expect) : NULL;
	s->query = t->expect ? query_parse(t->expect, NULL) : NULL;
	s->rows = (uint8_t)t->rows;
	s->question = mem_strdup(t->question ? t->question : "");
	s->pass_says = mem_strdup(t->pass ? t->pass : "");
	s->fail_says = mem_strdup(t->fail ? t->fail : "");
	s->collect = mem_strdup("");
}

static struct runbook *add_book(
	struct past *p, const char *name, const char *title, const char *target)
{
	struct runbook *b = mem_calloc(1, sizeof(*b));

	(void)str_copy(b->name, sizeof(b->name), name);
	(void)str_copy(b->source, sizeof(b->source), "built in");
	b->title = mem_strdup(title);
	b->about = mem_strdup("");
	b->target = mem_strdup(target);
	vec_push(&p->books.at, b);
	return b;
}

static void add_books(struct past *p)
{
	static const struct step_text flap[] = {
		{.id = "now",
			.text = "First see whether the link is up at this moment. Both ends are in "
				"one row: if only one end says down, that end has lost the light "
				"or "
				"was shut, and the other is still waiting.",
			.view = "links",
			.scope = SCOPE_LINK,
			.expect = "oper~up",
			.rows = ROWS_ALL,
			.pass = "It is up now. What counts is how often it goes down.",
			.fail = "It is down now: find out whether somebody shut it."},
		{.id = "often",
			.text = "Count how often either end saw the link go down.",
			.view = "events",
			.scope = SCOPE_LINK,
			.filter = "kind~link",
			.expect = "kind~link",
			.rows = ROWS_NONE,
			.fail = "It will not heal by itself."},
		{.id = "who",
			.text = "The ledger has every action that railtop took; an event with no "
				"line there was made by somebody else.",
			.question = "Was the change planned, and is it over?",
			.fail = "Nobody owns the change."},
	};
	struct runbook *b =
		add_book(p, "link-flap", "A link goes down and comes back", "port link");

	for (size_t i = 0; i < sizeof(flap) / sizeof(flap[0]); i++)
		add_step(b, &flap[i]);
	(void)str_copy(b->steps.at[1].action, sizeof(b->steps.at[1].action), "port-drain");
	(void)str_copy(
		b->steps.at[2].on_fail, sizeof(b->steps.at[2].on_fail), "runbook:host-check");
	free(b->steps.at[1].collect);
	b->steps.at[1].collect = mem_strdup("times of each down and up, of both ends");
	b = add_book(p, "host-check", "A host before it takes jobs", "");
	add_step(b, &(struct step_text){.id = "fresh",
			    .text = "Every device has to answer.",
			    .view = "devices",
			    .expect = "state=fresh",
			    .rows = ROWS_ALL});
}

/* ---- all of it ---- */

struct past *past_new(const struct stage *x, struct console_opts *opts)
{
	struct past *p = mem_calloc(1, sizeof(*p));

	p->with_past = x->with_past;
	p->live = model_at(LIVE, false);
	p->diag = diag_at(p->live, LIVE);
	if (x->with_past) {
		opts->hooks.scrub = hook_scrub;
		opts->hooks.diff = hook_diff;
		opts->hooks.snapshot = hook_snapshot;
	}
	opts->hooks.audit = NULL;
	opts->hooks.actions = NULL;
	opts->hooks.ctx = p;
	opts->user = "ann";
	if (x->with_runbooks) {
		add_books(p);
		opts->runbooks = &p->books;
	}
	p->console = console_new(opts);
	tell(p);
	return p;
}

struct console *past_console(const struct past *p)
{
	return p->console;
}

void past_free(struct past *p)
{
	if (!p)
		return;
	forget(p);
	diag_free(p->diag);
	model_free(p->live);
	runbooks_free(&p->books);
	vec_free(&p->differences);
	free(p);
}
