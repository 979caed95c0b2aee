/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/common.h"
#include "views/diag_rows.h"
#include "views/panels/cause.h"
#include "views/summary.h"

/*
 * Heat over time: a line a port that was red within the hour, a sign a slice of time, sorted by the
 * first red slice, so that the origin stands at the top.
 */

#define SLICE_US  (HISTORY_WHOLE_US / HEAT_SLICES)
#define FINE      100 /* columns within a slice, for the order of onsets */
#define ROWS_MOST 256
#define AGAIN_US  (5 * CLOCK_SEC)
#define RED       10.0 /* per cent of the time paused */

enum heat_column {
	HEAT_PORT,
	HEAT_MORE,
	HEAT_STRIP,
	HEAT_FIRST,
	HEAT_PEAK,
	HEAT_NOTE,
	HEAT_COLUMNS
};

static const struct table_column columns[HEAT_COLUMNS] = {
	[HEAT_PORT] = {"port", "port", 18, 1, 0, false, "Port; its NIC or switch"},
	[HEAT_MORE] = {"more", "+", 4, 0, 3, true, "Other ports of the device with the same hour"},
	[HEAT_STRIP] = {"hour", "the last hour, 100 s a sign", HEAT_SLICES, 0, 0, false,
		". no pause, : above 1%, + above 10%, # above 50% of the time; ! the link went "
		"down; blank: not known"},
	[HEAT_FIRST] = {"first", "first", 8, 0, 0, false, "First time above 10%, or link down"},
	[HEAT_PEAK] = {"peak", "peak", 5, 0, 2, true, "Highest share of a slice that was paused"},
	[HEAT_NOTE] = {"note", "cause", 9, 1, 1, false, "cause: the banner names this port"},
};

static char sign_of(double percent, bool down)
{
	if (down)
		return '!';
	if (isnan(percent))
		return ' ';
	return percent > 50 ? '#' : percent > RED ? '+' : percent > 1 ? ':' : '.';
}

/* The share of time that the port was paused by its peer or paused it, in a stretch of time. */
static void read_paused(const struct view_ctx *ctx, const struct port *p, int64_t end_us,
	int64_t width_us, float *out, unsigned n)
{
	static const counter_id ids[] = {CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US,
		CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES};
	struct history_column c[HEAT_SLICES > FINE ? HEAT_SLICES : FINE];
	uint8_t mask = lossless_priorities(&ctx->model->lossless);
	double frames = port_pfc_frames_full(p);

	for (unsigned k = 0; k < n; k++)
		out[k] = NAN;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		/* Frames give an upper bound, for devices that report no duration. */
		double factor = i < 2 ? 1e-4 : frames > 0 ? 100 / frames : NAN;

		for (unsigned prio = 0; prio < PRIORITIES; prio++) {
			if (!(mask >> prio & 1) || (i >= 2 && port_charted(p, ids[i - 2], prio)) ||
				!history_columns(p, ids[i], prio, end_us, width_us, c, n))
				continue;
			for (unsigned k = 0; k < n; k++) {
				float share = (float)((double)c[k].mean * factor);

				/* A bound, or polls that came late, may be more than all. */
				out[k] = fmaxf(out[k], share > 100 ? 100 : share);
			}
		}
	}
}

static void read_downs(
	const struct port *p, int64_t end_us, int64_t width_us, bool *out, unsigned n)
{
	struct history_column c[HEAT_SLICES > FINE ? HEAT_SLICES : FINE];

	memset(out, 0, n * sizeof(*out));
	if (!history_columns(p, CTR_LINK_DOWN_EVENTS, 0, end_us, width_us, c, n))
		return;
	for (unsigned k = 0; k < n; k++)
		out[k] = c[k].most > 0;
}

/* Looks into the first red slice: onsets of one cascade are seconds apart. */
static int64_t first_moment(const struct view_ctx *ctx, const struct port *p, int64_t slice_end)
{
	float paused[FINE];
	bool down[FINE];
	int64_t width = SLICE_US / FINE;

	read_paused(ctx, p, slice_end, width, paused, FINE);
	read_downs(p, slice_end, width, down, FINE);
	for (unsigned k = 0; k < FINE; k++)
		if (paused[k] > (float)RED || down[k])
			return slice_end - (int64_t)(FINE - k) * width;
	return slice_end - SLICE_US;
}

/* Whether the port may have been red: most ports were green all the hour, and reading costs. */
static bool was_bad(const struct view_ctx *ctx, const struct port *p)
{
	return history_kept(ctx->model, p, ctx->now_us).whole ||
	       summary_health(ctx, p).severity > SEV_OK;
}

/* False: the port was not red. */
static bool read_strip(const struct view_ctx *ctx, const struct port *p, struct heat_strip *s)
{
	int64_t end = (ctx->now_us / SLICE_US + 1) * SLICE_US;
	float paused[HEAT_SLICES];
	bool down[HEAT_SLICES];

	memset(s, 0, sizeof(*s));
	s->port = p->id;
	s->peak = NAN;
	read_paused(ctx, p, end, SLICE_US, paused, HEAT_SLICES);
	read_downs(p, end, SLICE_US, down, HEAT_SLICES);
	for (unsigned k = 0; k < HEAT_SLICES; k++) {
		s->signs[k] = sign_of((double)paused[k], down[k]);
		s->peak = fmaxf(s->peak, paused[k]);
		if (!s->first_us && (paused[k] > (float)RED || down[k]))
			s->first_us = first_moment(
				ctx, p, end - (int64_t)(HEAT_SLICES - 1 - k) * SLICE_US);
	}
	return s->first_us != 0;
}

/* Ports of one device with the same hour are one line; the cause has its own. */
static bool fold_strip(const struct model *m, struct diag_rows *d, const struct heat_strip *s)
{
	for (size_t i = d->heat.n; i-- > 0 && !s->cause;) {
		struct heat_strip *o = &d->heat.at[i];

		if (m->ports.at[o->port]->device != m->ports.at[s->port]->device)
			return false;
		if (o->cause || strcmp(o->signs, s->signs) != 0)
			continue;
		o->more++;
		if (s->first_us < o->first_us)
			o->first_us = s->first_us;
		return true;
	}
	return false;
}

/* A link may go down at which nobody counts pauses. */
static float peak_of(const struct heat_strip *s)
{
	return isnan(s->peak) ? -1 : s->peak;
}

static int by_first(const void *pa, const void *pb)
{
	const struct heat_strip *a = pa, *b = pb;

	if (a->first_us != b->first_us)
		return a->first_us < b->first_us ? -1 : 1;
	if (a->cause != b->cause)
		return a->cause ? -1 : 1;
	if (peak_of(a) > peak_of(b) || peak_of(a) < peak_of(b))
		return peak_of(a) > peak_of(b) ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

static void add_strip(
	const struct view_ctx *ctx, struct diag_rows *d, const struct port *p, bool cause)
{
	struct heat_strip s;

	if (!was_bad(ctx, p) || !read_strip(ctx, p, &s))
		return;
	s.cause = cause;
	if (!fold_strip(ctx->model, d, &s))
		vec_push(&d->heat, s);
}

static void heat_read(const struct view_ctx *ctx, struct diag_rows *d)
{
	const struct model *m = ctx->model;
	const struct finding *f = cause_finding(ctx);
	const struct port *ends[] = {
		f ? ref_port(m, f->at) : NULL, f ? ref_port(m, f->peer) : NULL};

	d->heat.n = 0;
	/* The cause has its line, however many there are. */
	for (size_t e = 0; e < 2; e++)
		if (ends[e] && (!e || ends[e] != ends[0]))
			add_strip(ctx, d, ends[e], true);
	for (size_t i = 0; i < m->devices.n; i++)
		for (size_t k = 0; k < m->devices.at[i]->ports.n; k++) {
			const struct port *p = m->ports.at[m->devices.at[i]->ports.at[k]];

			if (d->heat.n < ROWS_MOST && p != ends[0] && p != ends[1])
				add_strip(ctx, d, p, false);
		}
	if (d->heat.n)
		qsort(d->heat.at, d->heat.n, sizeof(d->heat.at[0]), by_first);
}

static void heat_rows(const struct view_ctx *ctx, row_vec *out)
{
	struct diag_rows *d = diag_rows_of(ctx);

	if (!d)
		return;
	if (d->heat_of != ctx->model || llabs(ctx->now_us - d->heat_us) >= AGAIN_US) {
		heat_read(ctx, d);
		d->heat_of = ctx->model;
		d->heat_us = ctx->now_us;
	}
	for (size_t i = 0; i < d->heat.n; i++)
		if (d->heat.at[i].port < ctx->model->ports.n)
			vec_push(out, ref_of_port(ctx->model->ports.at[d->heat.at[i].port]));
}

static const struct heat_strip *strip_of(const struct view_ctx *ctx, struct ref row)
{
	const struct diag_rows *d = diag_rows_of(ctx);
	const struct port *p = ref_port(ctx->model, row);

	for (size_t i = 0; d && p && i < d->heat.n; i++)
		if (d->heat.at[i].port == p->id)
			return &d->heat.at[i];
	return NULL;
}

static void heat_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct heat_strip *s = strip_of(ctx, row);
	char text[160];

	cell_unknown(out, VALID_UNKNOWN);
	if (!s)
		return;
	switch (col) {
	case HEAT_PORT:
		cell_text(out, ROLE_NORMAL, "%s",
			port_locator(ctx->model, ref_port(ctx->model, row), text, sizeof(text)));
		break;
	case HEAT_MORE:
		if (s->more)
			cell_text(out, ROLE_DIM, "+%u", s->more);
		out->number = s->more;
		out->has_number = true;
		break;
	case HEAT_STRIP:
		cell_text(out, ROLE_ACCENT, "%s", s->signs);
		break;
	case HEAT_FIRST:
		cell_moment(ctx, s->first_us, out);
		break;
	case HEAT_PEAK:
		cell_percent(out, (double)s->peak, 1, RED);
		break;
	case HEAT_NOTE:
		cell_text(out, ROLE_CRIT, "%s", s->cause ? "<- cause" : "");
		break;
	default:
		break;
	}
}

static bool heat_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct port *p = ref_port(ctx->model, row);

	if (!p)
		return false;
	*view = "port";
	*scope = ref_of_port(p);
	return true;
}

static const char *heat_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no port was paused above 10% or went down within the hour that is kept";
}

const struct view_ops view_heat = {
	.name = "heat",
	.title = "heat over time",
	.help = "A line a port that was paused above 10% of the time, or went down, within the "
		"last hour; a sign every 100 s. The first line is the port that began: a storm "
		"spreads from its origin. Ports of one device with the same hour are one line. "
		"Enter opens the port, v its chart.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = HEAT_COLUMNS,
	.rows = heat_rows,
	.cell = heat_cell,
	.enter = heat_enter,
	.empty = heat_empty,
};
