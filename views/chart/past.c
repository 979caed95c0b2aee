/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/observation.h"
#include "views/chart/chart.h"
#include "views/common.h"

#define POINTS_MOST 4096

/* The sample before, of one port. */
struct before {
	double value;
	int64_t us; /* 0: none */
};

void chart_past_drop(struct chart *c)
{
	for (size_t i = 0; i < c->past.n_series; i++)
		free(c->past.at[i]);
	c->past = (struct chart_past){0};
}

bool chart_has_port(const struct view_ctx *ctx, struct ref at, const struct port *p)
{
	const struct model *m = ctx->model;
	const struct device *d = model_dev_of(m, p);
	const struct job *j = at.kind == REF_JOB ? ref_job(m, at) : NULL;

	if (j) {
		for (size_t i = 0; i < j->hosts.n; i++)
			if (j->hosts.at[i] == d->id)
				return true;
		return false;
	}
	if (at.kind == REF_RAIL)
		return d->tier == TIER_LEAF && d->rail == at.rail;
	if (at.kind == REF_DEVICE)
		return ref_device(m, at) == d;
	return ref_port(m, at) == p;
}

/* A later sample of the same port: its rate since the one before, or the reading itself. */
static double point_of(counter_id id, struct before *was, double value, int64_t us, int64_t step_us)
{
	struct before old = *was;

	*was = (struct before){value, us};
	if (chart_is_reading(id))
		return value;
	/* Over a gap, and over a reset, no rate is known. */
	if (!old.us || us <= old.us || us - old.us > step_us * 3 / 2 || value < old.value)
		return NAN;
	return (value - old.value) * 1e6 / (double)(us - old.us);
}

static void take_batch(struct chart *c, const struct view_ctx *ctx, size_t i, const struct obs *o,
	struct before *before)
{
	const struct chart_series *s = &c->past.series[i];
	const struct device *d = model_device(ctx->model, o->device);
	uint16_t cell = counter_cell(s->id, s->sub);

	for (size_t k = 0; d && k < o->items.n; k++) {
		const struct obs_item *it = &o->items.at[k];
		const struct port *p;
		int64_t us, at;
		double v;

		if ((it->kind != OBS_COUNT && it->kind != OBS_GAUGE) || it->cell != cell ||
			it->port == OBS_NO_PORT)
			continue;
		p = model_port(ctx->model, d, o->ports.at[it->port].name);
		if (!p || !chart_has_port(ctx, s->at, p))
			continue;
		us = o->ports.at[it->port].sample_us ? o->ports.at[it->port].sample_us
						     : o->received_us;
		v = point_of(s->id, &before[p->id],
			it->kind == OBS_COUNT ? (double)it->u64 : it->real, us, c->past.step_us);
		at = (us - c->past.from_us + c->past.step_us / 2) / c->past.step_us;
		if (isnan(v) || at < 0 || at >= c->past.n)
			continue;
		if (isnan(c->past.at[i][at]))
			c->past.at[i][at] = (float)v;
		else if (!chart_is_reading(s->id))
			c->past.at[i][at] += (float)v;
		else if (chart_worst_is_least(s->id))
			c->past.at[i][at] = fminf(c->past.at[i][at], (float)v);
		else
			c->past.at[i][at] = fmaxf(c->past.at[i][at], (float)v);
	}
}

void chart_past_fill(struct chart *c, const struct view_ctx *ctx, const struct obs *list,
	int64_t from_us, int64_t to_us, int64_t step_us)
{
	int64_t n = step_us > 0 ? (to_us - from_us) / step_us + 1 : 0;
	size_t ports = ctx->model->ports.n;

	chart_past_drop(c);
	if (n <= 0 || n > POINTS_MOST)
		return;
	c->past.from_us = from_us;
	c->past.step_us = step_us;
	c->past.n = (unsigned)n;
	c->past.n_series = c->n;
	memcpy(c->past.series, c->series, sizeof(c->series));
	for (size_t i = 0; i < c->n; i++) {
		struct before *before = mem_calloc(ports + 1, sizeof(*before));

		c->past.at[i] = mem_calloc((size_t)n, sizeof(float));
		for (int64_t k = 0; k < n; k++)
			c->past.at[i][k] = NAN;
		for (const struct obs *o = c->series[i].id == CHART_OPS ? NULL : list; o;
			o = o->next)
			take_batch(c, ctx, i, o, before);
		free(before);
	}
}

/* The mean of the points between two times; NAN: there is none. */
static double mean_between(const struct chart_past *p, size_t i, int64_t from_us, int64_t to_us)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned k = 0; k < p->n; k++) {
		int64_t end = p->from_us + (int64_t)k * p->step_us, begin = end - p->step_us;

		if (begin >= to_us)
			break;
		if (end <= from_us || isnan(p->at[i][k]))
			continue;
		sum += (double)p->at[i][k];
		n++;
	}
	return n ? sum / n : NAN;
}

void chart_past_read(const struct chart *c, size_t i, const struct chart_window *w, double factor,
	struct chart_values *out)
{
	const struct chart_past *p = &c->past;
	const struct chart_series *s = &c->series[i];
	size_t at = 0;

	while (at < p->n_series && !(ref_eq(p->series[at].at, s->at) && p->series[at].id == s->id &&
					   p->series[at].sub == s->sub))
		at++;
	if (at == p->n_series)
		return;
	for (unsigned k = 0; k < w->n; k++) {
		int64_t end = w->end_us - (int64_t)(w->n - 1 - k) * w->width_us;
		double v = isnan(out->mean[k]) ? mean_between(p, at, end - w->width_us, end) : NAN;

		if (isnan(v))
			continue;
		out->mean[k] = (float)(v * factor);
		out->borrowed = k + 1;
	}
}
