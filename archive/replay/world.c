/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats the batches and judgements of a session. */
#include <string.h>

#include "archive/replay/replay_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/ref.h"

/* Ports sampled in one piece: 2 to 4 ms. */
#define PIECE_PORTS 2048

struct world *world_new(struct rts *r, const struct plan *plan)
{
	struct world *w = mem_calloc(1, sizeof(*w));

	w->m = model_new(plan);
	w->d = diag_new();
	reader_init(&w->rd, r);
	return w;
}

void world_free(struct world *w)
{
	if (!w)
		return;
	reader_free(&w->rd);
	vec_free(&w->trail);
	changed_devices_free(&w->news);
	diag_free(w->d);
	model_free(w->m);
	free(w);
}

/* ---- as in app/session/session.c ---- */

static void apply_batch(struct world *w, struct obs *o, int64_t at_us)
{
	const struct device *d;

	if (!o)
		return;
	model_apply(w->m, o, at_us);
	d = model_device(w->m, o->device);
	/* Past samples of a history request do not count as news. */
	if (d && !str_eq(o->request, REQUEST_HISTORY))
		changed_devices_add(&w->news, d->id, at_us);
}

/* A locator may name a port that redaction renamed: ignore it. */
static void apply_pin(struct world *w, const char *locator, bool on)
{
	struct ref r;
	struct err err;

	if (ref_parse(w->m, locator, &r, &err) && r.kind == REF_PORT)
		(void)history_pin(w->m, ref_port(w->m, r), on, &err);
}

/* A recorded command of the operator succeeded then. Errors are ignored. */
static void apply_entry(struct world *w, struct entry *e)
{
	struct err err;

	if (e->kind != ENTRY_OBS && e->t_us > w->settled_us)
		w->settled_us = e->t_us;
	switch (e->kind) {
	case ENTRY_OBS:
		w->dirty = true;
		apply_batch(w, e->obs, e->t_us);
		break;
	case ENTRY_MARK:
		(void)model_mark(w->m, e->text, e->t_us, &err);
		break;
	case ENTRY_UNMARK:
		(void)model_unmark(w->m, e->text, &err);
		break;
	case ENTRY_PIN:
	case ENTRY_UNPIN:
		apply_pin(w, e->text, e->kind == ENTRY_PIN);
		break;
	case ENTRY_ACK:
		(void)diag_ack(w->d, e->key, e->t_us, e->until_us, e->user, e->text, &err);
		break;
	case ENTRY_UNACK:
		(void)diag_unack(w->d, e->key, &err);
		break;
	case ENTRY_TRAIL:
		runbook_log_append(&w->trail, &e->trail);
		break;
	default:
		break;
	}
	entry_free(e);
}

static void take_gap(struct world *w)
{
	if (!w->rd.gap)
		return;
	w->gap = true;
	(void)str_copy(w->why, sizeof(w->why), w->rd.why);
}

static bool judge_some(struct world *w, int64_t budget_us)
{
	if (!w->judging) {
		if (!changed_devices_note_some(&w->news, w->d, w->m, PIECE_PORTS))
			return false;
		(void)model_age(w->m, w->rd.judge_us);
		model_links(w->m);
		w->judging = w->dirty = true;
	}
	if (!diag_run_some(w->d, w->m, w->rd.judge_us, budget_us))
		return false;
	w->judging = w->dirty = false;
	w->judged = true;
	w->judged_us = w->rd.judge_us;
	take_gap(w);
	reader_next(&w->rd);
	return true;
}

bool world_go_on(struct world *w, int64_t budget_us)
{
	struct reader *rd = &w->rd;

	if (rd->done < rd->group.n) {
		apply_entry(w, &rd->group.at[rd->done++]);
		return false;
	}
	return judge_some(w, budget_us);
}

void world_settle(struct world *w, int64_t until_us)
{
	struct reader *rd = &w->rd;

	while (rd->done < rd->group.n && rd->group.at[rd->done].kind != ENTRY_OBS &&
		rd->group.at[rd->done].t_us <= until_us)
		apply_entry(w, &rd->group.at[rd->done++]);
	/* Runbook steps do not depend on the model, so they do not wait for a batch before them. */
	for (size_t i = rd->done; i < rd->group.n && rd->group.at[i].t_us <= until_us; i++) {
		struct entry *e = &rd->group.at[i];

		if (e->kind != ENTRY_TRAIL)
			continue;
		apply_entry(w, e);
		*e = (struct entry){.kind = ENTRY_GAP, .t_us = e->t_us};
	}
}
