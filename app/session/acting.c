/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/acting.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/finding.h"

struct acting {
	struct acting_opts opts;
	struct action_manager *acts;
	uv_async_t wake;
	uv_timer_t due;
	unsigned open_handles;
	bool closing;
};

static int64_t now_of(const struct acting *a)
{
	return session_now(a->opts.session);
}

static void on_due(uv_timer_t *t)
{
	acting_turn(t->data);
}

static void arm_timer(struct acting *a)
{
	int64_t due = manager_due(a->acts), now = now_of(a);

	if (due == INT64_MAX) {
		uv_timer_stop(&a->due);
		return;
	}
	due = due > now ? (due - now) / CLOCK_MSEC + 1 : 1;
	uv_timer_start(&a->due, on_due, (uint64_t)due, 0);
}

void acting_turn(struct acting *a)
{
	bool news;

	if (a->closing)
		return;
	news = manager_turn(a->acts, session_model(a->opts.session), now_of(a));
	arm_timer(a);
	if (news && a->opts.changed)
		a->opts.changed(a->opts.ctx);
}

static void on_wake(uv_async_t *w)
{
	acting_turn(w->data);
}

static void wake_loop(void *ctx)
{
	(void)uv_async_send(&((struct acting *)ctx)->wake);
}

static bool take_snapshot(
	void *ctx, const char *act, char *path, size_t size, char sha256[65], struct err *err)
{
	struct acting *a = ctx;

	return acting_snapshot(a->opts.session, manager_plan(a->acts), manager_ledger_path(a->acts),
		act, path, size, sha256, err);
}

/* The first finding at a place: diag_findings() has the most likely root first. */
static const struct finding *finding_at(const struct acting *a, struct ref at)
{
	const struct finding *f = NULL;

	return diag_findings_at(
		       session_diag(a->opts.session), session_model(a->opts.session), at, &f, 1)
		       ? f
		       : NULL;
}

/* The finding at the port that was named; else at the host, or at one of its NICs. */
static void find_cause(
	void *ctx, const struct device *d, const struct port *named, char *dst, size_t size)
{
	const struct acting *a = ctx;
	const struct model *m = session_model(a->opts.session);
	struct ref at = {.kind = REF_DEVICE, .device = d->id};
	const struct finding *f;

	if (named)
		at = (struct ref){.kind = REF_PORT, .port = named->id};
	f = finding_at(a, at);
	for (size_t i = 0; !f && !named && i < d->ports.n; i++)
		f = finding_at(a, (struct ref){.kind = REF_PORT, .port = d->ports.at[i]});
	if (f)
		finding_locator(m, f, dst, size);
	else if (named)
		(void)ref_format(m, at, dst, size);
}

struct acting *acting_open(const struct acting_opts *o, struct err *err)
{
	struct acting *a = mem_calloc(1, sizeof(*a));
	struct action_manager_opts opts = {.plan = session_plan(o->session),
		.read_only = o->read_only,
		.watch_us = o->watch_us,
		.partner = o->partner,
		.wake = wake_loop,
		.snapshot = take_snapshot,
		.cause = find_cause,
		.ctx = a};

	a->opts = *o;
	/* Initialized before the actions' thread starts, because the thread uses it. */
	uv_async_init(o->loop, &a->wake, on_wake);
	uv_timer_init(o->loop, &a->due);
	a->wake.data = a->due.data = a;
	a->open_handles = 2;
	a->acts = manager_open(&opts, err);
	if (!a->acts) {
		acting_close(a);
		return NULL;
	}
	return a;
}

static void on_closed(uv_handle_t *h)
{
	struct acting *a = h->data;

	if (--a->open_handles == 0)
		free(a);
}

void acting_close(struct acting *a)
{
	if (!a)
		return;
	a->closing = true;
	manager_close(a->acts);
	uv_close((uv_handle_t *)&a->wake, on_closed);
	uv_close((uv_handle_t *)&a->due, on_closed);
}

struct action_manager *acting_acts(struct acting *a)
{
	return a->acts;
}

static bool notify_changed(struct acting *a, bool ok)
{
	arm_timer(a);
	if (a->opts.changed)
		a->opts.changed(a->opts.ctx);
	return ok;
}

bool acting_begin(struct acting *a, const char *action, struct ref target, struct err *err)
{
	const struct action_ops *ops = action_by_name(action);

	if (!ops) {
		err_set(err, ERR_USAGE, "", "no action \"%s\"", action);
		return err_cure(err, "actions: %s", action_names());
	}
	return notify_changed(a, manager_begin(a->acts, ops, target, session_model(a->opts.session),
					 now_of(a), err));
}

bool acting_go(struct acting *a, const struct consent *c, const char *typed, struct err *err)
{
	return notify_changed(
		a, manager_go(a->acts, c, typed, session_model(a->opts.session), now_of(a), err));
}

bool acting_undo(struct acting *a, const struct consent *c, struct err *err)
{
	return notify_changed(
		a, manager_undo(a->acts, c, session_model(a->opts.session), now_of(a), err));
}
