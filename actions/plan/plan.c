/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "actions/kinds/common.h"
#include "actions/ledger/ledger.h"
#include "base/clock.h"
#include "base/str.h"

bool act_plan_name(int64_t wall_us, char *dst, size_t size, struct err *err)
{
	unsigned char r[3];
	char t[32];

	while (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		if (errno != EINTR)
			return err_system(err, ERR_IO, "getrandom", "", errno);
	(void)clock_format_utc(wall_us, t, sizeof(t));
	(void)str_printf(dst, size, "%.4s%.2s%.5s%.2s%.2sZ-%02x%02x%02x", t, t + 5, t + 8, t + 14,
		t + 17, r[0], r[1], r[2]);
	return true;
}

/* ---- commands ---- */

static const char *sites_lines(const struct place_of_action *at, enum verb v)
{
	const struct plan_actions *a = &at->plan->actions;

	for (size_t i = 0; i < a->commands.n; i++)
		if (str_eq(a->commands.at[i].dialect, at->device->dialect) &&
			str_eq(a->commands.at[i].verb, verb_name(v)))
			return a->commands.at[i].lines;
	return NULL;
}

/* Builds the exact requests of one order. */
static bool word_order(const struct place_of_action *at, struct order *o,
	const struct condition *now, struct request_list *out, struct err *err)
{
	o->lines = sites_lines(at, o->verb);
	if (!order_check(o, err) || !at->can->command(at->target, o, now, out, err))
		return false;
	if (!out->at.n)
		return err_set(err, ERR_INTERNAL, at->device->name, "no commands were made for %s",
			verb_name(o->verb));
	for (size_t i = 0; i < out->at.n; i++)
		if (!out->at.at[i].change)
			return err_set(err, ERR_INTERNAL, at->device->name,
				"a request of %s is not marked as a change", verb_name(o->verb));
	return true;
}

static bool word_step(
	const struct place_of_action *at, struct step *s, struct condition *then, struct err *err)
{
	if (!word_order(at, &s->order, then, &s->requests, err))
		return false;
	s->sites_own = s->order.lines != NULL;
	s->unproven = !s->sites_own && at->can->unproven & VERB_BIT(s->order.verb);
	order_project(&s->order, then);
	if (!s->has_undo)
		return true;
	s->unproven |= !sites_lines(at, s->undo.verb) && at->can->unproven & VERB_BIT(s->undo.verb);
	/* A step whose undo has no command is not allowed. */
	return word_order(at, &s->undo, then, &s->undoing, err);
}

/* ---- the plan ---- */

static void fill_place(const struct place_of_action *at, struct act_plan *p)
{
	const struct port *peer = action_peer(at);

	(void)str_copy(p->device, sizeof(p->device), at->device->name);
	if (at->port)
		(void)str_copy(p->port, sizeof(p->port), at->port->name);
	p->priority = at->port ? at->priority : -1;
	(void)action_place(at, p->place, sizeof(p->place));
	(void)str_copy(p->typed, sizeof(p->typed), at->port ? p->port : p->device);
	if (at->model && peer)
		(void)str_printf(p->peer, sizeof(p->peer), "%s:%s",
			model_dev_of(at->model, peer)->name, peer->name);
	(void)str_copy(
		p->dialect, sizeof(p->dialect), at->device->dialect ? at->device->dialect : "");
	(void)str_copy(p->transport, sizeof(p->transport),
		at->device->transport ? at->device->transport : "");
}

static bool make_plan(const struct place_of_action *at, const struct condition *now,
	struct act_plan *p, struct err *err)
{
	struct condition then = *now;

	if (!act_plan_name(p->made_us, p->id, sizeof(p->id), err))
		return false;
	if (p->action->words ? !p->action->words(at, &p->words, err)
			     : !p->action->compose(at, now, &p->steps, err))
		return false;
	for (size_t i = 0; i < p->steps.n; i++)
		if (!word_step(at, &p->steps.at[i], &then, err))
			return false;
	p->action->expect(at, now, p->expect, sizeof(p->expect));
	if (at->port && at->model)
		blast_of(at->model, at->port, at->now_us, &p->blast);
	else if (at->dev && p->words.n)
		blast_of_host(at->model, at->dev, at->now_us, &p->blast);
	act_plan_seal(p);
	return true;
}

bool act_plan_make(const struct place_of_action *at, const struct action_ops *action,
	const struct condition *now, struct act_plan *out, struct err *err)
{
	memset(out, 0, sizeof(*out));
	out->action = action;
	out->before = *now;
	out->made_us = at->model ? model_wall(at->model, at->now_us) : at->now_us;
	fill_place(at, out);
	if (make_plan(at, now, out, err))
		return true;
	if (!err->origin[0])
		(void)str_copy(err->origin, sizeof(err->origin), out->place);
	act_plan_free(out);
	return false;
}

bool words_line(const char *line, const char *incident, char *dst, size_t size)
{
	const char *at = strstr(line, WORDS_INCIDENT);

	if (!at)
		return str_copy(dst, size, line);
	return str_printf(dst, size, "%.*s%s%s", (int)(at - line), line, incident,
		at + strlen(WORDS_INCIDENT));
}

void act_plan_free(struct act_plan *p)
{
	steps_free(&p->steps);
	vec_free(&p->words);
}
