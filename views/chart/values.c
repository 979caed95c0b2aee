/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/history/gauges.h"
#include "fabric/vocabulary/counters.h"
#include "views/chart/chart.h"
#include "views/common.h"

const struct counter_info *chart_info(counter_id id)
{
	static const struct counter_info ops = {.name = "operations",
		.dim = DIM_ONE,
		.kind = KIND_COUNT,
		.unit = UNIT_EVENTS,
		.trend = TREND_LOAD,
		.abbr = "ops/s",
		.help = "Operations per second of the job's largest communicator"};

	return id == CHART_OPS ? &ops : &counter_info[id];
}

bool chart_is_reading(counter_id id)
{
	return chart_info(id)->kind != KIND_COUNT;
}

/* Of readings, by their unit: what stands behind the number. */
static const char *reading_unit(counter_id id)
{
	static const char *const words[] = {[UNIT_DBM] = "dBm",
		[UNIT_CELSIUS] = "C",
		[UNIT_BYTES] = "B",
		[UNIT_PERCENT] = "%",
		[UNIT_MA] = "mA",
		[UNIT_DB] = "dB",
		[UNIT_VOLT] = "V",
		[UNIT_RATIO] = "errors a bit"};
	unsigned unit = chart_info(id)->unit;

	return unit < sizeof(words) / sizeof(words[0]) && words[unit] ? words[unit] : "";
}

const char *chart_unit(const struct view_ctx *ctx, counter_id id)
{
	if (chart_is_reading(id))
		return reading_unit(id);
	switch (chart_info(id)->unit) {
	case UNIT_US:
		return "%";
	case UNIT_BYTES:
		return view_in_bytes(ctx) ? "B/s" : "b/s";
	default:
		return "/s";
	}
}

bool chart_from_zero(counter_id id)
{
	switch (chart_info(id)->unit) {
	case UNIT_DBM:
	case UNIT_CELSIUS:
	case UNIT_DB:
	case UNIT_VOLT:
	case UNIT_MA:
		return false;
	default:
		return true;
	}
}

/* From the rate of the counter to the unit of chart_unit(). */
static double factor_of(const struct view_ctx *ctx, counter_id id)
{
	if (chart_is_reading(id))
		return 1;
	switch (chart_info(id)->unit) {
	case UNIT_US:
		return 1e-4;
	case UNIT_BYTES:
		return view_in_bytes(ctx) ? 1 : 8;
	default:
		return 1;
	}
}

static char *reading_text(counter_id id, double v, char *dst, size_t size)
{
	char si[16];

	switch (chart_info(id)->unit) {
	case UNIT_RATIO:
		(void)str_printf(dst, size, "%.1e", v);
		break;
	case UNIT_BYTES:
		(void)str_printf(dst, size, "%sB", v < 1 ? "0 " : str_si(v, si, sizeof(si)));
		break;
	case UNIT_PERCENT:
		return percent_text(v, dst, size);
	default:
		(void)str_printf(dst, size, "%.1f %s", no_minus_zero(v), reading_unit(id));
		break;
	}
	return dst;
}

char *chart_value_text(const struct view_ctx *ctx, counter_id id, double v, char *dst, size_t size)
{
	char si[16];

	if (!isfinite(v))
		(void)str_copy(dst, size, "-");
	else if (chart_is_reading(id))
		return reading_text(id, v, dst, size);
	else if (chart_info(id)->unit == UNIT_US)
		return percent_text(v, dst, size);
	else if (chart_info(id)->unit == UNIT_BYTES)
		return view_bitrate(ctx, view_in_bytes(ctx) ? v * 8 : v, dst, size);
	else
		(void)str_printf(dst, size, "%s/s", str_si(v, si, sizeof(si)));
	return dst;
}

bool chart_has_past(const struct view_ctx *ctx, const struct port *p, counter_id id, unsigned sub)
{
	return chart_is_reading(id) ? gauge_known(ctx->model, p, id, sub)
				    : port_charted(p, id, sub);
}

bool chart_worst_is_least(counter_id id)
{
	return chart_info(id)->unit == UNIT_DBM || chart_info(id)->unit == UNIT_DB;
}

char *chart_place_text(
	const struct view_ctx *ctx, const struct chart_series *s, char *dst, size_t size)
{
	char at[160] = "";

	(void)ref_format(ctx->model, s->at, at, sizeof(at));
	if (chart_info(s->id)->dim == DIM_PRIO)
		(void)str_printf(dst, size, "%s p%u", at, s->sub);
	else if (chart_info(s->id)->dim == DIM_LANE)
		(void)str_printf(dst, size, "%s lane %u", at, s->sub + 1U);
	else
		(void)str_copy(dst, size, at);
	return dst;
}

/* Readings of several ports are not summed: the worst stands for them. */
static float joined(counter_id id, float a, float b)
{
	if (isnan(a))
		return b;
	if (!chart_is_reading(id))
		return a + b;
	return chart_worst_is_least(id) ? fminf(a, b) : fmaxf(a, b);
}

/* Adds a port's columns. An unknown value is not zero: only a sum of none is unknown. */
static void add_port(const struct view_ctx *ctx, const struct port *p, const struct chart_series *s,
	const struct chart_window *w, struct chart_values *out)
{
	struct history_column columns[PLOT_COLUMNS];
	double factor = factor_of(ctx, s->id);

	out->of++;
	if (out->ports == CHART_PORTS_MAX || !chart_has_past(ctx, p, s->id, s->sub))
		return;
	if (chart_is_reading(s->id))
		(void)gauge_columns(
			ctx->model, p, s->id, s->sub, w->end_us, w->width_us, columns, w->n);
	else if (!history_columns(p, s->id, s->sub, w->end_us, w->width_us, columns, w->n))
		return;
	out->ports++;
	for (unsigned i = 0; i < w->n; i++) {
		float v = (float)((double)columns[i].mean * factor);

		if (!isnan(v))
			out->mean[i] = joined(s->id, out->mean[i], v);
	}
}

static void add_device(const struct view_ctx *ctx, const struct device *d,
	const struct chart_series *s, const struct chart_window *w, struct chart_values *out)
{
	for (size_t i = 0; i < d->ports.n; i++)
		add_port(ctx, ctx->model->ports.at[d->ports.at[i]], s, w, out);
}

static void add_place(const struct view_ctx *ctx, const struct chart_series *s,
	const struct chart_window *w, struct chart_values *out)
{
	const struct model *m = ctx->model;
	const struct port *p = ref_port(m, s->at);
	const struct device *d = ref_device(m, s->at);
	const struct job *j = s->at.kind == REF_JOB ? ref_job(m, s->at) : NULL;

	if (p) {
		add_port(ctx, p, s, w, out);
	} else if (d) {
		add_device(ctx, d, s, w, out);
	} else if (j) {
		for (size_t i = 0; i < j->hosts.n; i++)
			if (j->hosts.at[i] < m->devices.n)
				add_device(ctx, m->devices.at[j->hosts.at[i]], s, w, out);
	} else if (s->at.kind == REF_RAIL) {
		for (size_t i = 0; i < m->devices.n; i++)
			if (m->devices.at[i]->tier == TIER_LEAF &&
				m->devices.at[i]->rail == s->at.rail)
				add_device(ctx, m->devices.at[i], s, w, out);
	}
}

/* The communicator that has the progress of a job; NULL. */
static const struct comm *pace_of(const struct view_ctx *ctx, struct ref at)
{
	const struct job *j = at.kind == REF_JOB ? ref_job(ctx->model, at) : NULL;
	const struct comm *c = j ? job_world(ctx->model->nccl, j, NULL) : NULL;

	return c && c->pace.n ? c : NULL;
}

bool chart_has_pace(const struct view_ctx *ctx, struct ref at)
{
	return pace_of(ctx, at) != NULL;
}

static void add_pace(const struct view_ctx *ctx, const struct chart_series *s,
	const struct chart_window *w, struct chart_values *out)
{
	const struct comm *c = pace_of(ctx, s->at);

	out->ports = out->of = 1;
	for (unsigned k = 0; c && k < w->n; k++) {
		int64_t end = w->end_us - (int64_t)(w->n - 1 - k) * w->width_us;

		out->mean[k] = (float)comm_pace_rate(c, end - w->width_us, end);
	}
}

void chart_read(const struct view_ctx *ctx, const struct chart *c, size_t i,
	const struct chart_window *w, struct chart_values *out)
{
	double sum = 0;
	unsigned n = 0, at = w->n;

	memset(out, 0, sizeof(*out));
	out->now = out->least = out->most = out->average = out->at_cursor = NAN;
	for (unsigned k = 0; k < w->n; k++)
		out->mean[k] = NAN;
	if (c->series[i].id == CHART_OPS)
		add_pace(ctx, &c->series[i], w, out);
	else
		add_place(ctx, &c->series[i], w, out);
	chart_past_read(c, i, w, factor_of(ctx, c->series[i].id), out);
	if (c->cursor_us && c->cursor_us < w->end_us &&
		c->cursor_us >= w->end_us - (int64_t)w->n * w->width_us)
		at = w->n - 1 - (unsigned)((w->end_us - 1 - c->cursor_us) / w->width_us);
	for (unsigned k = 0; k < w->n; k++) {
		double v = (double)out->mean[k];

		if (isnan(v))
			continue;
		sum += v;
		n++;
		out->now = v;
		out->least = fmin(out->least, v);
		out->most = fmax(out->most, v);
		if (k == at)
			out->at_cursor = v;
	}
	out->known = n > 0;
	if (n)
		out->average = sum / n;
	if (at == w->n)
		out->at_cursor = out->now;
}
