/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/export/findings.h"
#include "archive/replay/replay_private.h"
#include "archive/export/snapshot.h"
#include "base/str.h"
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"
#include "tests/archive/support/live.h"
#include "tests/support/cases.h"

uint32_t live_random(struct live *l, uint32_t below)
{
	l->seed ^= l->seed << 13;
	l->seed ^= l->seed >> 17;
	l->seed ^= l->seed << 5;
	return l->seed % below;
}

/* ---- the screen ---- */

static void write_traces(const struct model *m, const struct diag *d, int64_t now_us, FILE *out)
{
	size_t n;
	const struct finding *const *all = diag_findings(d, &n);
	struct err err;

	for (size_t i = 0; i < n; i++) {
		struct trace t;

		if (!trace_from(d, m, all[i]->at, now_us, &t, &err)) {
			fprintf(out, "no trace: %s\n", err.text);
			continue;
		}
		assert_true(trace_json(m, d, &t, out, &err));
		trace_free(&t);
	}
}

static void write_pauses(const struct pause_graph *g, FILE *out)
{
	fprintf(out, "storm: %u held\n", g->held);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct pause_node *n = &g->nodes.at[i];

		fprintf(out, "%u:%u %s %d %a %a %a %lld %u %u %u %u %u\n", n->port, n->priority,
			pause_end_name((enum pause_end)n->end), n->bound, (double)n->held,
			(double)n->lost_bps, (double)n->blame_bps, (long long)n->since_us, n->cycle,
			n->depth, n->toward, n->root, n->nupstream);
	}
	for (size_t i = 0; i < g->edges.n; i++)
		fprintf(out, "%u>%u %a\n", g->edges.at[i].from, g->edges.at[i].to,
			(double)g->edges.at[i].weight);
	for (size_t i = 0; i < g->terminals.n; i++)
		fprintf(out, "end %u\n", g->terminals.at[i]);
}

static void write_closed(const struct model *m, const struct diag *d, FILE *out)
{
	const struct finding *f;
	int64_t closed_us;
	char where[256];

	for (size_t i = 0; (f = diag_closed(d, i, &closed_us)); i++) {
		finding_locator(m, f, where, sizeof(where));
		fprintf(out, "closed %lld %s: %s\n", (long long)closed_us, where, f->title);
	}
	fprintf(out, "generation %llu\n", (unsigned long long)diag_generation(d));
}

static void write_marks(const struct model *m, FILE *out)
{
	for (unsigned i = 0; i < m->nmarks; i++)
		fprintf(out, "mark %s %lld\n", m->marks[i].name, (long long)m->marks[i].wall_us);
	for (size_t i = 0; m->nmarks && i < m->ports.n; i++) {
		uint64_t since;

		if (port_since(m, m->ports.at[i], 0, CTR_RX_BYTES, 0, &since))
			fprintf(out, "%zu since %llu\n", i, (unsigned long long)since);
	}
}

char *shot_text(struct model *m, struct diag *d, const runbook_log *trail, int64_t now_us)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	assert_non_null(out);
	assert_true(snapshot_json(m, d, now_us, out, &err));
	assert_true(snapshot_text(m, d, now_us, out, &err));
	assert_true(findings_json(m, d, now_us, out, &err));
	write_traces(m, d, now_us, out);
	write_pauses(diag_pauses(d), out);
	write_closed(m, d, out);
	write_marks(m, out);
	for (size_t i = 0; i < trail->n; i++)
		fprintf(out, "%lld %s %s %s %u %s\n", (long long)trail->at[i].t_us,
			trail->at[i].user, trail->at[i].runbook, trail->at[i].step,
			trail->at[i].outcome, trail->at[i].value);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void print_line(const char *what, const char *text, const char *at)
{
	const char *from = at, *to = at + strcspn(at, "\n");

	while (from > text && from[-1] != '\n' && at - from < 160)
		from--;
	if (to - at > 160)
		to = at + 160;
	print_message("%s: %.*s\n", what, (int)(to - from), from);
}

void shot_expect(struct replay *p, const struct shot *shot, const char *when)
{
	char *text;
	size_t i = 0;

	if (replay_now(p) != shot->t_us)
		fail_msg("%s: is at %lld, %lld us off", when, (long long)replay_now(p),
			(long long)(replay_now(p) - shot->t_us));
	text = shot_text(replay_model(p), replay_diag(p), replay_trail(p), shot->t_us);
	if (strcmp(text, shot->text) != 0) {
		while (text[i] && text[i] == shot->text[i])
			i++;
		print_line("live  ", shot->text, shot->text + i);
		print_line("replay", text, text + i);
		fail_msg("%s: differs at %zu", when, i);
	}
	free(text);
}

/* ---- the session ---- */

static void record(struct live *l, struct entry e)
{
	recorder_entry(l->rec, &e);
}

static void told(struct live *l, uint32_t device, int64_t at_us)
{
	while (l->told_us.n <= device)
		vec_push(&l->told_us, 0);
	if (!l->told_us.at[device])
		vec_push(&l->told, device);
	l->told_us.at[device] = at_us;
}

static void judge_at(struct live *l, int64_t at_us);

static void apply(void *ctx, struct obs *o, int64_t at_us)
{
	struct live *l = ctx;
	const struct device *d;

	if (l->o.unjudged && l->told.n && at_us - l->told_us.at[l->told.at[0]] > 3000000)
		judge_at(l, at_us);
	model_apply(l->s->m, o, at_us);
	d = model_device(l->s->m, o->device);
	if (d)
		told(l, d->id, at_us);
	recorder_obs(l->rec, o, at_us);
}

static void keep_shot(struct live *l, int64_t at_us)
{
	struct shot shot = {at_us, NULL};

	if (l->o.shot_in && live_random(l, l->o.shot_in) != 0)
		return;
	shot.text = shot_text(l->s->m, l->s->d, &l->trail, at_us);
	vec_push(&l->shots, shot);
}

static void keyframe(struct live *l, int64_t at_us)
{
	if (l->o.no_keyframes)
		return;
	if (l->o.keyframe_in && live_random(l, l->o.keyframe_in) == 0)
		recorder_force(l->rec);
	if (!recorder_due(l->rec))
		return;
	l->pieces++;
	/* Now and then a keyframe is dropped. */
	if (l->keyframes % 5 == 4 && !recorder_work(l->rec, l->s->m, l->s->d, at_us, 0)) {
		recorder_drop(l->rec);
		l->keyframes++;
		return;
	}
	while (!recorder_work(l->rec, l->s->m, l->s->d, at_us, 100))
		l->pieces++;
	l->keyframes++;
}

static void judge_at(struct live *l, int64_t at_us)
{
	for (size_t i = 0; i < l->told.n; i++) {
		diag_note(l->s->d, l->s->m, l->told.at[i], l->told_us.at[l->told.at[i]]);
		l->told_us.at[l->told.at[i]] = 0;
	}
	l->told.n = 0;
	(void)model_age(l->s->m, at_us);
	model_links(l->s->m);
	diag_run(l->s->d, l->s->m, at_us);
	l->judgements++;
	keep_shot(l, at_us);
	if (l->o.unjudged)
		return;
	recorder_judged(l->rec, at_us);
	keyframe(l, at_us);
}

static void judge(void *ctx, int64_t at_us)
{
	struct live *l = ctx;

	if (!l->o.unjudged)
		judge_at(l, at_us);
}

void live_open(struct live *l, const struct live_opts *o)
{
	const char *tmp = getenv("TMPDIR");
	struct rts_writer_opts w = {.tool = "railtop test",
		.user = "eva",
		.host = "noc1",
		.kind = "recording",
		.rotate_us = o->rotate_us,
		.queue_bytes = (size_t)64 << 20,
		.patient = true,
		.exclusive = true};
	struct err err = {0};

	memset(l, 0, sizeof(*l));
	l->o = *o;
	l->seed = o->seed;
	(void)str_printf(l->dir, sizeof(l->dir), "%s/live-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(l->dir));
	(void)str_printf(l->path, sizeof(l->path), "%s/shift.rts", l->dir);
	(void)str_printf(l->second_path, sizeof(l->second_path), "%s/second.rts", l->dir);
	stand_plan(&l->plan);
	w.path = l->path;
	w.plan = &l->plan;
	l->w = rts_writer_open(&w, &err);
	if (!l->w)
		fail_msg("%s", err.text);
	l->rec = recorder_new(l->w, NULL);
	l->s = stand_new();
	l->s->driver = (struct stand_driver){apply, judge, l};
	l->r = ring_make(l->s);
}

/* ---- entries of the operator, and unsolicited events ---- */

static void acknowledge(struct live *l, int64_t t_us)
{
	size_t n;
	const struct finding *const *all = diag_findings(l->s->d, &n);
	struct entry e = {.kind = ENTRY_ACK, .t_us = t_us, .user = "eva", .text = "known"};
	struct err err;

	if (!n)
		return;
	e.key = all[live_random(l, (uint32_t)n)]->key;
	e.until_us = t_us + 25000000;
	if (live_random(l, 3) == 0) {
		e.kind = ENTRY_UNACK;
		(void)diag_unack(l->s->d, e.key, &err);
	} else {
		assert_true(diag_ack(l->s->d, e.key, t_us, e.until_us, e.user, e.text, &err));
	}
	record(l, e);
}

static void set_mark(struct live *l, int64_t t_us)
{
	struct entry e = {.kind = ENTRY_MARK, .t_us = t_us, .text = "before"};
	struct err err;

	if (l->s->m->nmarks) {
		e.kind = ENTRY_UNMARK;
		assert_true(model_unmark(l->s->m, e.text, &err));
	} else {
		assert_true(model_mark(l->s->m, e.text, t_us, &err));
	}
	record(l, e);
}

/* Uses no random number, so that the sequence of other events stays the same. */
static void pin(struct live *l, unsigned n, int64_t t_us)
{
	struct entry e = {.kind = ENTRY_PIN, .t_us = t_us};
	uint32_t id = n / 2 % 5 * 7 % (uint32_t)l->s->m->ports.n;
	struct port *p = l->s->m->ports.at[id];
	struct err err;

	if (p->merged)
		return;
	e.kind = p->pinned ? ENTRY_UNPIN : ENTRY_PIN;
	assert_true(ref_format(
		l->s->m, (struct ref){.kind = REF_PORT, .port = id}, e.text, sizeof(e.text)));
	assert_true(history_pin(l->s->m, p, !p->pinned, &err));
	record(l, e);
}

static void walk(struct live *l, int64_t t_us)
{
	struct entry e = {.kind = ENTRY_TRAIL, .t_us = t_us};

	e.trail = (struct runbook_log_entry){.t_us = t_us, .outcome = STEP_FAIL};
	(void)str_copy(e.trail.user, sizeof(e.trail.user), "eva");
	(void)str_copy(e.trail.runbook, sizeof(e.trail.runbook), "link-flap");
	(void)str_printf(e.trail.step, sizeof(e.trail.step), "step-%zu", l->trail.n);
	(void)str_copy(e.trail.value, sizeof(e.trail.value), "7 flaps in 60 s");
	vec_push(&l->trail, e.trail);
	record(l, e);
}

static void unplanned(struct live *l, int64_t t_us)
{
	struct obs *o = obs_new("tor-x", "counters");
	uint32_t at = obs_port(o, "Ethernet7");

	o->received_us = o->device_us = t_us;
	obs_word(o, at, ATTR_OPER, 0, "up");
	obs_count(o, at, CTR_RX_BYTES, 0, (uint64_t)(t_us - STAND_T0) * 10);
	apply(l, o, t_us);
}

/* As the console's `record FILE` and `record stop` do it, even during a keyframe. */
static void change_second(struct live *l, unsigned poll)
{
	struct rts_writer_opts w = {.path = l->second_path,
		.plan = &l->plan,
		.tool = "railtop test",
		.patient = true,
		.exclusive = true};
	struct err err = {0};

	if (l->o.second_to && poll == l->o.second_from) {
		l->second = rts_writer_open(&w, &err);
		if (!l->second)
			fail_msg("%s", err.text);
		recorder_drop(l->rec);
		recorder_second(l->rec, l->second);
	} else if (l->second && poll == l->o.second_to) {
		recorder_drop(l->rec);
		recorder_second(l->rec, NULL);
		if (!rts_writer_close(l->second, &err))
			fail_msg("%s", err.text);
		l->second = NULL;
	}
}

void live_play(struct live *l, enum incident which)
{
	for (unsigned n = 0; n < INCIDENT_POLLS; n++) {
		int64_t after;

		if (n == 18)
			l->s->now_us += 70000000; /* nobody polled */
		incident_step(l->s, &l->r, which, n);
		stand_poll(l->s, 1);
		after = l->s->now_us + 1000;
		if (live_random(l, 4) == 0)
			acknowledge(l, after);
		if (live_random(l, 5) == 0)
			set_mark(l, after + 1000);
		if (live_random(l, 4) == 0)
			walk(l, after + 2000);
		if (n % 2)
			pin(l, n, after + 2500);
		change_second(l, n);
		/* Each answer is judged soon; now and then a judgement comes without an answer. */
		if (n > 6 && live_random(l, 3) == 0) {
			unplanned(l, after + 3000);
			judge(l, after + 4000);
		}
		if (live_random(l, 3) == 0)
			judge(l, after + 1500000);
	}
}

void live_close_file(struct live *l)
{
	struct err err = {0};

	recorder_free(l->rec);
	l->rec = NULL;
	if (!rts_writer_close(l->w, &err))
		fail_msg("%s", err.text);
	l->w = NULL;
}

void live_done(struct live *l)
{
	DIR *dir = opendir(l->dir);
	struct dirent *e;
	char path[1024];

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		(void)str_printf(path, sizeof(path), "%s/%s", l->dir, e->d_name);
		if (e->d_name[0] != '.')
			(void)unlink(path);
	}
	(void)closedir(dir);
	(void)rmdir(l->dir);
	for (size_t i = 0; i < l->shots.n; i++)
		free(l->shots.at[i].text);
	vec_free(&l->shots);
	vec_free(&l->told);
	vec_free(&l->told_us);
	vec_free(&l->trail);
	stand_free(l->s);
	plan_free(&l->plan);
}

/* ---- the replay ---- */

struct replay *replay_of(const char *path)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct replay *p = r ? replay_new(r, &err) : NULL;

	if (!p)
		fail_msg("%s: %s", path, err.text);
	return p;
}

void replay_arrive(struct replay *p)
{
	struct err err;

	while (!replay_work(p, 300)) {
	}
	if (replay_error(p, &err))
		fail_msg("%s", err.text);
	assert_true(replay_arrived(p));
}

void replay_go(struct replay *p, int64_t t_us)
{
	replay_seek(p, t_us);
	replay_arrive(p);
}
