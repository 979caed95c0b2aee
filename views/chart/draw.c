/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/chart/chart.h"
#include "views/common.h"

#define DAY_US    (INT64_C(86400) * CLOCK_SEC)
#define AXIS      7    /* columns of the labels and of the line beside them */
#define TICK      16   /* columns between two times */
#define LOG_RANGE 1e5  /* of a logarithmic scale */
#define EVENTS    4096 /* newest events that are searched for marks */

/* The plot of one frame. */
struct plot {
	const struct view_ctx *ctx;
	const struct chart *c;
	struct chart_window w;
	enum plot_style style;
	struct chart_values *values; /* by series */
	double top[CHART_SERIES];    /* of the scale of each series */
	double low[CHART_SERIES];    /* its lower end: 0, except for light and the like */
	int width;                   /* in cells */
};

/* The least of 1, 2, 5, 10, ... that is not below v. */
static double round_up(double v)
{
	double ten = pow(10, floor(log10(v)));

	if (v <= ten)
		return ten;
	return v <= 2 * ten ? 2 * ten : v <= 5 * ten ? 5 * ten : 10 * ten;
}

/* Series of the same unit have the same scale. */
static void scale(struct plot *p)
{
	for (size_t i = 0; i < p->c->n; i++) {
		double most = NAN, least = NAN;

		for (size_t k = 0; k < p->c->n; k++)
			if (str_eq(chart_unit(p->ctx, p->c->series[k].id),
				    chart_unit(p->ctx, p->c->series[i].id))) {
				most = fmax(most, p->values[k].most);
				least = fmin(least, p->values[k].least);
			}
		if (!chart_from_zero(p->c->series[i].id) && !isnan(most)) {
			double step = most - least > 10 ? 10 : most - least > 2 ? 2 : 1;

			p->low[i] = floor(least / step) * step;
			p->top[i] = ceil(most / step) * step;
			if (p->top[i] - p->low[i] < step)
				p->top[i] = p->low[i] + step;
			continue;
		}
		p->top[i] = most > 0 ? round_up(most) : 1;
		/* Time paused cannot be more than the whole. */
		if (str_eq(chart_unit(p->ctx, p->c->series[i].id), "%") && most > 20)
			p->top[i] = 100;
	}
}

static float share_of(const struct plot *p, size_t i, double v)
{
	double top = p->top[i], low = p->low[i];

	if (isnan(v))
		return NAN;
	/* There is no logarithm of dBm, which are one, and none of degrees. */
	if (!p->c->log || !chart_from_zero(p->c->series[i].id))
		return (float)((v - low) / (top - low));
	if (v <= top / LOG_RANGE)
		return 0;
	return (float)(1 + log10(v / top) / log10(LOG_RANGE));
}

static void draw_lines(const struct plot *p, struct region r)
{
	float *shares = mem_calloc(p->c->n * PLOT_COLUMNS, sizeof(*shares));
	struct plot_line lines[CHART_SERIES];

	for (size_t i = 0; i < p->c->n; i++) {
		float *to = shares + i * PLOT_COLUMNS;

		for (unsigned k = 0; k < p->w.n; k++)
			to[k] = share_of(p, i, (double)p->values[i].mean[k]);
		lines[i] = (struct plot_line){to, p->w.n};
	}
	plot_draw(r, p->style, lines, p->c->n);
	free(shares);
}

/* The labels of a scale, at the top, in the middle and at the bottom. */
static void draw_axis(const struct plot *p, struct region r)
{
	counter_id id = p->c->series[0].id;
	bool log = p->c->log && chart_from_zero(id);
	double top = p->top[0], middle = log ? top / sqrt(LOG_RANGE) : (top + p->low[0]) / 2;
	double values[] = {top, middle, log ? top / LOG_RANGE : p->low[0]};
	int at[] = {0, (r.h - 1) / 2, r.h - 1};

	for (int y = 0; y < r.h; y++)
		(void)draw_text(r, y, AXIS - 1, ROLE_DIM, glyph(r.term, GLYPH_TRUNK), 1);
	for (int i = 0; i < 3; i++) {
		char text[32], si[16];

		if (i == 1 && r.h < 3)
			continue;
		if (!chart_from_zero(id))
			(void)str_printf(text, sizeof(text), "%.1f", no_minus_zero(values[i]));
		else if (chart_info(id)->unit == UNIT_RATIO)
			(void)str_printf(text, sizeof(text), "%.0e", values[i]);
		else if (str_eq(chart_unit(p->ctx, id), "%"))
			(void)percent_text(values[i], text, sizeof(text));
		else
			(void)str_copy(text, sizeof(text), str_si(values[i], si, sizeof(si)));
		draw_right(r, at[i], 0, AXIS - 1, ROLE_DIM, text);
	}
}

/* Cells per column of the window. */
static int cell_of(const struct plot *p, int64_t us)
{
	int64_t start = p->w.end_us - (int64_t)p->w.n * p->w.width_us;

	if (us < start || us >= p->w.end_us)
		return -1;
	return (int)((us - start) / p->w.width_us * p->width / p->w.n);
}

/* The least usual distance of two times that have TICK columns between them. */
static int64_t tick_of(const struct plot *p)
{
	static const int64_t steps[] = {5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
		10800, 21600, 43200, 86400, 172800, 345600};
	int64_t least = p->c->span_us / p->width * TICK;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * CLOCK_SEC >= least)
			return steps[i] * CLOCK_SEC;
	return 345600 * CLOCK_SEC;
}

static void draw_times(const struct plot *p, struct region r)
{
	int64_t step = tick_of(p), at = p->w.end_us - (int64_t)p->w.n * p->w.width_us;

	for (at = (at / step + 1) * step; at < p->w.end_us; at += step) {
		int x = cell_of(p, at);
		char text[16];

		if (x < 0 || x + 8 >= p->width - 4)
			continue;
		(void)view_hms(p->ctx, at, text, sizeof(text));
		if (step >= DAY_US)
			(void)view_day(p->ctx, at, text, sizeof(text));
		else if (step >= 60 * CLOCK_SEC)
			text[5] = '\0';
		(void)draw_text(r, 0, AXIS + x, ROLE_DIM, text, -1);
	}
	draw_right(r, 0, 0, r.w, ROLE_DIM, p->c->back_us ? "" : "now");
	/* Of a recording there is more behind the shown moment. */
	if (p->c->back_us < 0 && cell_of(p, p->ctx->now_us) >= 0)
		(void)draw_text(r, 0, AXIS + cell_of(p, p->ctx->now_us), ROLE_ACCENT, "^shown", -1);
}

static bool concerns(const struct plot *p, const struct event *e)
{
	const struct model *m = p->ctx->model;

	for (size_t i = 0; i < p->c->n; i++) {
		const struct port *port = ref_port(m, p->c->series[i].at);
		const struct device *d = ref_device(m, p->c->series[i].at);

		if (port ? e->port == port->id : d && e->device == d->id)
			return true;
	}
	return false;
}

/* Marks the events of the charted places; the newest one in words, if there is room. */
static void draw_events(const struct plot *p, struct region r)
{
	const struct event *e;
	int words_from = p->width;

	for (size_t i = 0; i < EVENTS && (e = model_event(p->ctx->model, i)); i++) {
		enum severity severity = event_info[e->kind].severity;
		char text[64], when[16];
		int x = cell_of(p, e->wall_us);

		if (x < 0 || !concerns(p, e))
			continue;
		(void)str_printf(text, sizeof(text), "^%s %s", event_info[e->kind].name,
			view_hms(p->ctx, e->wall_us, when, sizeof(when)));
		if (x + text_width(text) + 1 < words_from)
			words_from = x;
		else
			text[1] = '\0';
		(void)draw_text(r, 0, AXIS + x, role_of_severity(severity), text, -1);
	}
}

static void draw_cursor_line(const struct plot *p, struct region r)
{
	int x = p->c->cursor_us ? cell_of(p, p->c->cursor_us) : -1;
	char text[16];

	if (x < 0)
		return;
	for (int y = 0; y < r.h - 2; y++)
		(void)draw_text(r, y, AXIS + x, ROLE_ACCENT, glyph(r.term, GLYPH_TRUNK), 1);
	(void)view_hms(p->ctx, p->c->cursor_us, text, sizeof(text));
	(void)draw_text(r, r.h - 1, AXIS + (x + 8 < p->width ? x : x - 8), ROLE_BADGE, text, -1);
}

/* Which part of the picture is not this program's own. */
static void say_source(const struct plot *p, char *dst, size_t size)
{
	const char *name = p->c->source[0] ? p->c->source : "the metrics engine";
	unsigned borrowed = 0;
	char when[16];

	dst[0] = '\0';
	for (size_t i = 0; i < p->c->n; i++)
		if (p->values[i].borrowed > borrowed)
			borrowed = p->values[i].borrowed;
	if (p->c->asking)
		(void)str_printf(dst, size, "; asking %s", name);
	else if (p->c->why[0])
		(void)str_printf(dst, size, "; %s: %s", name, p->c->why);
	else if (borrowed && p->c->of_file)
		(void)str_printf(dst, size, "; a point each %s from %s",
			str_age(p->c->past.step_us, when, sizeof(when)), name);
	else if (borrowed)
		(void)str_printf(dst, size, "; until %.5s from %s",
			view_hms(p->ctx, p->w.end_us - (int64_t)(p->w.n - borrowed) * p->w.width_us,
				when, sizeof(when)),
			name);
}

static void draw_head(const struct plot *p, struct region r)
{
	char text[400], span[24], when[48], end[16], more[64] = "", source[220];

	for (size_t i = 0; i < p->c->n; i++)
		if (!str_eq(chart_unit(p->ctx, p->c->series[i].id),
			    chart_unit(p->ctx, p->c->series[0].id))) {
			(void)str_printf(more, sizeof(more), "; %s on a scale of its own",
				chart_unit(p->ctx, p->c->series[i].id));
			break;
		}
	say_source(p, source, sizeof(source));
	(void)str_age(p->c->span_us, span, sizeof(span));
	if (p->c->back_us)
		(void)str_printf(when, sizeof(when), "%s until %.5s", span,
			view_hms(p->ctx, p->w.end_us, end, sizeof(end)));
	else
		(void)str_printf(when, sizeof(when), "the last %s", span);
	(void)str_printf(text, sizeof(text), "%s of %s%s%s%s",
		chart_unit(p->ctx, p->c->series[0].id), when, p->c->log ? ", logarithmic" : "",
		more, source);
	draw_fill(r, 0, 0, r.w, ROLE_HEADER);
	(void)draw_text(r, 0, 0, ROLE_HEADER, text, -1);
}

/* An empty picture says that it is one. */
static void draw_nothing(const struct plot *p, struct region r)
{
	static const char text[] = "no history of this: it never moved, or is not kept";

	for (size_t i = 0; i < p->c->n; i++)
		if (p->values[i].known)
			return;
	if (r.h > 2)
		(void)draw_brief(r, r.h / 3,
			r.w > (int)sizeof(text) ? (r.w - (int)sizeof(text)) / 2 : 0, ROLE_DIM,
			p->c->asking && p->c->of_file ? "reading the recording"
			: p->c->asking                ? "asking the metrics engine"
						      : text);
}

int chart_draw(const struct view_ctx *ctx, struct region r)
{
	struct plot p = {.ctx = ctx, .c = ctx->chart};
	struct region body;

	if (!p.c || !p.c->n || r.h < 6 || r.w < AXIS + 20)
		return 0;
	p.width = r.w - AXIS;
	p.style = plot_style(r.term, p.c->choice, p.c->n);
	p.w = chart_window(p.c, ctx->now_us, plot_columns(p.style, p.width));
	p.values = mem_calloc(p.c->n, sizeof(*p.values));
	for (size_t i = 0; i < p.c->n; i++)
		chart_read(ctx, p.c, i, &p.w, &p.values[i]);
	scale(&p);
	draw_head(&p, r);
	body = region_sub(r, 1, 0, r.h - 1, r.w);
	draw_axis(&p, region_sub(body, 0, 0, body.h - 2, body.w));
	draw_lines(&p, region_sub(body, 0, AXIS, body.h - 2, p.width));
	draw_nothing(&p, region_sub(body, 0, AXIS, body.h - 2, p.width));
	draw_events(&p, region_sub(body, body.h - 2, 0, 1, body.w));
	draw_times(&p, region_sub(body, body.h - 1, 0, 1, body.w));
	draw_cursor_line(&p, body);
	free(p.values);
	return r.h;
}
