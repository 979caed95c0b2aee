/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/recorded_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session.h"
#include "archive/replay/replay.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/app/support/shown.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"
#include "tests/support/slot.h"
#include "tests/support/built.h"
#include "tests/support/effort.h"

/* With FULL=1 ten. */
enum { SHOTS = 10, SHOTS_FEW = 6, AFTER = 4 };
/* Only a hang may meet it: run.sh ends a program after 600 s, and the file is compared after this.
 */
#define DEADLINE_MS 400000

struct shot {
	int64_t t_us;
	char *text;
	size_t findings;
};
struct watch {
	uv_loop_t loop;
	uv_timer_t deadline, people;
	struct session *session;
	char dir[64], path[128], inventory[128];
	pid_t emulator;
	struct shot shots[SHOTS];
	size_t most;    /* shots that are taken */
	size_t n, with; /* shots; those with findings */
	unsigned judgements;
	bool noted, acknowledged;
};

static void emulate(struct watch *w, const char *const faults[])
{
	const char *argv[24];
	char path[256], first[32];
	size_t n = 0;

	(void)built_path("railtop-emulator", path, sizeof(path));
	if (access(path, X_OK) != 0)
		skip();
	(void)str_copy(w->dir, sizeof(w->dir), "/tmp/railtop-recorded-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	(void)str_printf(w->path, sizeof(w->path), "%s/shift.rts", w->dir);
	(void)str_printf(w->inventory, sizeof(w->inventory), "%s/fabric.yaml", w->dir);
	argv[n++] = path;
	argv[n++] = "--preset";
	argv[n++] = "ref256";
	argv[n++] = "--listen";
	argv[n++] = slot_address(first, sizeof(first));
	argv[n++] = "--dir";
	argv[n++] = w->dir;
	argv[n++] = "--die-with-parent";
	argv[n++] = "--for";
	argv[n++] = "900s";
	for (; *faults; faults++) {
		argv[n++] = "--fault";
		argv[n++] = *faults;
	}
	argv[n] = NULL;
	w->emulator = start_program(argv, "ready ");
	assert_true(w->emulator > 0);
}

/* The operator's entries go into the file, too. */
static void mark(struct watch *w)
{
	struct entry e = {.kind = ENTRY_MARK, .t_us = session_now(w->session)};
	struct err err = {0};

	(void)str_copy(e.text, sizeof(e.text), "before");
	assert_true(model_mark(session_model(w->session), "before", e.t_us, &err));
	session_note(w->session, &e);
	w->noted = true;
}

static void acknowledge(struct watch *w)
{
	struct diag *d = session_diag(w->session);
	int64_t t = session_now(w->session);
	struct entry e = {.kind = ENTRY_ACK, .t_us = t, .until_us = t + 600 * CLOCK_SEC};
	struct err err = {0};
	size_t n;
	const struct finding *const *all = diag_findings(d, &n);

	if (!n)
		return;
	e.key = all[0]->key;
	(void)str_copy(e.user, sizeof(e.user), "ann");
	(void)str_copy(e.text, sizeof(e.text), "seen");
	assert_true(diag_ack(d, e.key, t, e.until_us, e.user, e.text, &err));
	session_note(w->session, &e);
	w->acknowledged = true;
}

static void on_people(uv_timer_t *t)
{
	struct watch *w = t->data;

	if (w->with >= 2 && !w->acknowledged)
		acknowledge(w);
	if (w->n >= 3 && !w->noted)
		mark(w);
}

static void shoot(struct watch *w)
{
	static const runbook_log nothing = {0};
	struct diag *d = session_diag(w->session);
	struct shot *s = &w->shots[w->n];

	s->t_us = session_judged(w->session);
	s->text = shown_at(session_model(w->session), d, &nothing, s->t_us);
	(void)diag_findings(d, &s->findings);
	w->n++;
	w->with += s->findings != 0;
	/* As with keys: between two turns of collecting. */
	uv_timer_start(&w->people, on_people, 0, 0);
	if (w->n == w->most)
		uv_stop(&w->loop);
}

static void on_changed(void *ctx)
{
	struct watch *w = ctx;
	size_t n;

	/* A judgement without devices shows nothing; the same judgement is not taken twice. */
	if (!w->session || w->n == w->most ||
		(w->n && session_judged(w->session) == w->shots[w->n - 1].t_us))
		return;
	(void)diag_findings(session_diag(w->session), &n);
	w->judgements++;
	/* The last ones are kept for the incident. */
	if (w->judgements % 2 == 0 && (n || w->n < w->most - AFTER))
		shoot(w);
}

static void on_warning(void *ctx, const char *message)
{
	(void)ctx;
	print_message("# %s\n", message);
}

static void on_deadline(uv_timer_t *t)
{
	uv_stop(t->loop);
}

static void watch_live(struct watch *w, bool in_pieces)
{
	const struct recording_opts recording = {.path = w->path, .patient = true};
	const struct session_opts opts = {.inventory = w->inventory,
		.collectors = 1,
		.in_pieces = in_pieces,
		.recording = &recording,
		.changed = on_changed,
		.warn = on_warning,
		.ctx = w};
	struct err err = {0};

	assert_int_equal(uv_loop_init(&w->loop), 0);
	uv_timer_init(&w->loop, &w->deadline);
	uv_timer_init(&w->loop, &w->people);
	w->people.data = w;
	uv_timer_start(&w->deadline, on_deadline, DEADLINE_MS, 0);
	w->session = session_open(&w->loop, &opts, &err);
	if (!w->session)
		fail_msg("%s", err.text);
	(void)uv_run(&w->loop, UV_RUN_DEFAULT);
	session_close(w->session);
	uv_close((uv_handle_t *)&w->deadline, NULL);
	uv_close((uv_handle_t *)&w->people, NULL);
	(void)uv_run(&w->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	stop_program(w->emulator);
}

static void expect_shot(struct replay *p, const struct shot *s, size_t i, const char *how)
{
	struct err err = {0};
	char when[96], *text;

	(void)str_printf(when, sizeof(when), "%s, moment %zu", how, i);
	replay_seek(p, s->t_us);
	while (!replay_work(p, CLOCK_SEC))
		;
	if (replay_error(p, &err))
		fail_msg("%s: %s", when, err.text);
	if (replay_now(p) != s->t_us)
		fail_msg("%s: asked for %lld, is %lld us later", when, (long long)s->t_us,
			(long long)(replay_now(p) - s->t_us));
	text = shown_at(replay_model(p), replay_diag(p), replay_trail(p), s->t_us);
	shown_expect(s->text, text, when);
	free(text);
}

static void compare(struct watch *w, const char *what)
{
	struct err err = {0};
	struct rts *r = rts_open(w->path, &err);
	struct replay *p;

	if (!r)
		fail_msg("%s", err.text);
	p = replay_new(r, &err);
	assert_non_null(p);
	for (size_t i = w->n; i--;)
		expect_shot(p, &w->shots[i], i, what);
	for (size_t i = 0; i < w->n; i += 3)
		expect_shot(p, &w->shots[i * 7 % w->n], i * 7 % w->n, what);
	replay_free(p);
}

static void clean(struct watch *w)
{
	const char *const rm[] = {"rm", "-rf", "--", w->dir, NULL};

	free(run_command(rm, NULL, NULL, NULL, NULL));
	for (size_t i = 0; i < w->n; i++)
		free(w->shots[i].text);
}

void recorded_live(const char *name, const char *const faults[], bool in_pieces)
{
	struct watch w = {.most = effort_full() ? SHOTS : SHOTS_FEW};

	emulate(&w, faults);
	watch_live(&w, in_pieces);
	print_message("# figure %s: %zu moments, %zu with findings, %zu kB shown\n", name, w.n,
		w.with, strlen(w.shots[w.n ? w.n - 1 : 0].text) / 1024);
	assert_int_equal(w.n, w.most);
	assert_true(w.with >= AFTER);
	assert_true(w.noted && w.acknowledged);
	compare(&w, name);
	clean(&w);
}
