/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/prometheus_past.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "diagnosis/engine/changed_devices.h"

#define PIECE_US    4000
#define PIECE_PORTS 2048 /* ports sampled per turn */

/* A model and its diagnosis at one time. */
struct past_moment {
	struct model *m;
	struct diag *d;
	struct changed_devices news;
	int64_t t_us;
};

struct prometheus_past {
	struct prometheus_past_opts opts;
	uv_idle_t work;
	bool active, asked, working, judging;
	int64_t goal_us; /* the time shown or sought */
	struct past_moment shown, next;
	struct obs *pending; /* batches not yet applied to next */
};

static void moment_free(struct past_moment *m)
{
	changed_devices_free(&m->news);
	diag_free(m->d);
	model_free(m->m);
	*m = (struct past_moment){.m = NULL};
}

static void drop_next(struct prometheus_past *p)
{
	while (p->pending) {
		struct obs *o = p->pending;

		p->pending = o->next;
		obs_free(o);
	}
	moment_free(&p->next);
	p->working = p->judging = false;
	uv_idle_stop(&p->work);
}

static void notify_changed(struct prometheus_past *p)
{
	p->opts.changed(p->opts.ctx);
}

/* ---- building a moment ---- */

static void apply_batch(struct past_moment *m, struct obs *o)
{
	int64_t at = o->received_us && o->received_us < m->t_us ? o->received_us : m->t_us;
	const struct device *d;

	model_apply(m->m, o, at);
	d = model_device(m->m, o->device);
	if (d)
		changed_devices_add(&m->news, d->id, at);
	obs_free(o);
}

static void show_next(struct prometheus_past *p)
{
	struct past_moment was = p->shown;

	p->shown = p->next;
	p->next = (struct past_moment){.m = NULL};
	p->working = p->judging = false;
	uv_idle_stop(&p->work);
	notify_changed(p);
	/* Freed after the notification, which stops the screen from using it. */
	moment_free(&was);
}

static void on_work(uv_idle_t *idle)
{
	struct prometheus_past *p = idle->data;
	int64_t start = clock_mono(&clock_system);

	while (p->pending) {
		struct obs *o = p->pending;

		p->pending = o->next;
		o->next = NULL;
		apply_batch(&p->next, o);
		if (clock_mono(&clock_system) - start > PIECE_US)
			return;
	}
	if (!p->judging) {
		if (!changed_devices_note_some(&p->next.news, p->next.d, p->next.m, PIECE_PORTS))
			return;
		(void)model_age(p->next.m, p->next.t_us);
		model_links(p->next.m);
		p->judging = true;
		return;
	}
	if (diag_run_some(p->next.d, p->next.m, p->next.t_us, PIECE_US))
		show_next(p);
}

void prometheus_past_look(struct prometheus_past *p)
{
	struct err err = {0};
	struct obs *o = NULL;
	int64_t t_us = 0;

	if (!p || !p->asked || !prometheus_moment(p->opts.engine, &t_us, &o, &err))
		return;
	drop_next(p);
	p->pending = o;
	/* The answer to an earlier request, or no longer wanted. */
	if (!p->active || t_us != p->goal_us) {
		drop_next(p);
		return;
	}
	p->asked = false;
	if (!o) {
		/* Keep the shown moment; without one, return to the present. */
		p->active = p->shown.m != NULL;
		p->goal_us = p->shown.t_us;
		p->opts.failed(p->opts.ctx, &err);
		notify_changed(p);
		return;
	}
	p->next = (struct past_moment){.m = model_new(p->opts.plan), .d = diag_new(), .t_us = t_us};
	p->working = true;
	uv_idle_start(&p->work, on_work);
}

/* ---- seeking ---- */

static void leave_past(struct prometheus_past *p)
{
	struct past_moment was = p->shown;

	if (!p->active)
		return;
	p->active = p->asked = false;
	drop_next(p);
	p->shown = (struct past_moment){.m = NULL};
	notify_changed(p);
	moment_free(&was);
}

static void seek_moment(struct prometheus_past *p, int64_t t_us)
{
	p->active = p->asked = true;
	p->goal_us = t_us > CLOCK_SEC ? t_us : CLOCK_SEC;
	drop_next(p);
	prometheus_at(p->opts.engine, p->goal_us);
	notify_changed(p);
}

bool prometheus_past_do(struct prometheus_past *p, enum scrub *how, int64_t *arg, int64_t from_us,
	int64_t here_us, int64_t step_us)
{
	int64_t to;

	if (p->active)
		here_us = p->goal_us;
	switch (*how) {
	case SCRUB_AT:
		to = *arg;
		break;
	case SCRUB_BY:
		to = here_us + *arg;
		break;
	case SCRUB_STEP:
		/* The recording has its own steps, except those before its beginning. */
		if (!p->active && (*arg >= 0 || here_us > from_us))
			return false;
		to = here_us + *arg * step_us;
		break;
	case SCRUB_LIVE:
		leave_past(p);
		return false;
	case SCRUB_PLAY:
	default:
		return p->active;
	}
	if (to < from_us) {
		seek_moment(p, to);
		return true;
	}
	if (!p->active)
		return false;
	leave_past(p);
	*how = SCRUB_AT;
	*arg = to;
	return false;
}

/* ---- the shown moment ---- */

bool prometheus_past_active(const struct prometheus_past *p)
{
	return p && p->active;
}

struct model *prometheus_past_model(struct prometheus_past *p)
{
	return p && p->active ? p->shown.m : NULL;
}

struct diag *prometheus_past_diag(struct prometheus_past *p)
{
	return p && p->active ? p->shown.d : NULL;
}

int64_t prometheus_past_now(const struct prometheus_past *p)
{
	return p ? p->shown.t_us : 0;
}

bool prometheus_past_seeking(const struct prometheus_past *p)
{
	return p && p->active && (p->asked || p->working);
}

/* ---- open and close ---- */

struct prometheus_past *prometheus_past_open(const struct prometheus_past_opts *o)
{
	struct prometheus_past *p = mem_calloc(1, sizeof(*p));

	p->opts = *o;
	uv_idle_init(o->loop, &p->work);
	p->work.data = p;
	return p;
}

static void on_closed(uv_handle_t *h)
{
	free(h->data);
}

void prometheus_past_close(struct prometheus_past *p)
{
	if (!p)
		return;
	drop_next(p);
	moment_free(&p->shown);
	uv_close((uv_handle_t *)&p->work, on_closed);
}
