/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/cluster_panel.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hostlist_compress.h"
#include "base/str.h"
#include "views/event_text.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"
#include "views/panels/net_tiles.h"
#include "views/short_names.h"
#include "views/summary.h"

#define WORST_WIDTH 28 /* columns below which the list of the worst is too narrow */
#define WORST_LINES 24 /* a longer list belongs into a table */
#define TALL_PANEL  20 /* lines from which the list may be longer than the map */
#define EVENT_WIDTH 64 /* least columns of the last events beside the list */
/* The console keeps these lines for the table: a header and four rows. */
#define CONSOLE_KEEPS 5

/*
 * "links 512/512". Fewer are those that LLDP shows as planned: a host without a daemon has links
 * that are up and unproven, and they are no links that are down.
 */
static void links_text(const struct census *c, char *dst, size_t size)
{
	if (!c->links_expected)
		(void)str_printf(dst, size, "links %u", c->links_found);
	else
		(void)str_printf(dst, size, "%slinks %u/%u",
			c->links_found < c->links_expected ? "LLDP " : "", c->links_found,
			c->links_expected);
}

void cluster_state_line(const struct view_ctx *ctx, struct panel_line *out)
{
	struct census c = model_census_links(ctx->model);
	struct summary s;
	enum severity severity;
	char super[32] = "", links[48];

	summary_fabric(ctx, &s);
	if (c.expected[TIER_SUPERSPINE])
		(void)str_printf(super, sizeof(super), " super %u/%u", c.seen[TIER_SUPERSPINE],
			c.expected[TIER_SUPERSPINE]);
	links_text(&c, links, sizeof(links));
	severity = severity_with_verdict(ctx, s.health.severity);
	panel_say(out, role_of_severity(severity), severity_word(severity),
		"ports %u crit %u warn  hosts %u/%u leaves %u/%u spines %u/%u%s %s",
		s.by_severity[SEV_CRIT], s.by_severity[SEV_WARN], c.seen[TIER_HOST],
		c.expected[TIER_HOST], c.seen[TIER_LEAF], c.expected[TIER_LEAF], c.seen[TIER_SPINE],
		c.expected[TIER_SPINE], super, links);
}

void cluster_poll_line(const struct view_ctx *ctx, struct panel_line *out)
{
	static const enum dev_state order[] = {DEV_FRESH, DEV_LATE, DEV_STALE, DEV_UNREACHABLE,
		DEV_UNAUTHORISED, DEV_NOT_UNDERSTOOD, DEV_PENDING};
	struct coverage c = model_coverage(ctx->model);
	enum role role = ROLE_OK;
	char text[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		/*
		 * Rare states, and states of the start, are named only if there are such devices.
		 */
		if ((order[i] == DEV_PENDING || order[i] == DEV_NOT_UNDERSTOOD) &&
			!c.by_state[order[i]])
			continue;
		(void)str_printf(text + len, sizeof(text) - len, "%s%s %u", i ? "  " : "",
			dev_state_words(order[i]), c.by_state[order[i]]);
		len += strlen(text + len);
	}
	if (c.by_state[DEV_STALE])
		role = ROLE_WARN;
	if (c.by_state[DEV_UNREACHABLE] || c.by_state[DEV_UNAUTHORISED] ||
		c.by_state[DEV_NOT_UNDERSTOOD])
		role = ROLE_CRIT;
	if (c.by_state[DEV_FRESH] + c.by_state[DEV_LATE] == 0)
		role = ROLE_UNKNOWN;
	panel_say(out, role, "data", "%s", text);
}

static void draw_cell(void *ctx, int row, int column, struct table_cell *out)
{
	const struct heat *h = ctx;

	heat_cell(h, h->kept.at[row], column, out);
}

static void draw_row_label(void *ctx, int row, char *dst, size_t size)
{
	const struct heat *h = ctx;

	heat_row_label(h, h->kept.at[row], dst, size);
	/* The cells stay where they are when the row of spines has no room. */
	if (h->rows > h->rails && strlen(dst) < strlen("spine"))
		(void)str_printf(dst + strlen(dst), size - strlen(dst), "%*s",
			(int)(strlen("spine") - strlen(dst)), "");
}

static void draw_column_label(void *ctx, int column, char *dst, size_t size)
{
	heat_column_label(ctx, column, dst, size);
}

/* Rows that have no room are counted in the corner: "+2". */
static int draw_heat(struct region r, struct heat *h)
{
	struct heatmap_state state = {0};
	struct heatmap_source src = {.columns = h->columns,
		.cell_width = h->cell_width,
		.ctx = h,
		.cell = draw_cell,
		.row_label = draw_row_label,
		.column_label = draw_column_label};
	int used;

	src.rows = heat_keep(h, r.h - 1);
	used = heatmap_draw(r, &state, &src, false);
	if (used && src.rows < h->rows)
		(void)draw_textf(r, 0, 0, ROLE_DIM, "+%d", h->rows - src.rows);
	return used;
}

static const char *nothing_worst(const struct view_ctx *ctx, char *dst, size_t size)
{
	unsigned risks = ctx->diag ? diag_verdict(ctx->diag)->risks : 0;
	struct summary all;
	enum severity severity;

	summary_fabric(ctx, &all);
	if (!all.devices_seen)
		return "worst now: no data yet";
	severity = severity_with_verdict(ctx, all.health.severity);
	if (severity >= SEV_WARN)
		return "worst now: no single port";
	if (risks) {
		(void)str_printf(dst, size, "worst now: no port; the findings have %u risk%s",
			risks, str_plural(risks));
		return dst;
	}
	return severity == SEV_OK ? "worst now: no problem" : "worst now: no known problem";
}

static bool at_cause(const struct view_ctx *ctx, const struct worst *w)
{
	const struct device *d = ref_device(ctx->model, w->ref);

	return d && cause_is_at(ctx, d);
}

/* Problems where the cause is come first; the order is kept otherwise. */
static void cause_first(const struct view_ctx *ctx, struct worst *list, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		struct worst w = list[i];

		if (!at_cause(ctx, &w))
			continue;
		memmove(&list[to + 1], &list[to], (i - to) * sizeof(*list));
		list[to++] = w;
	}
}

static void draw_problem(const struct view_ctx *ctx, struct region r, int y, const struct worst *w)
{
	char name[2 * NAME_MAX_LEN] = "";
	int x = draw_text(r, y, 0, role_of_severity(w->health.severity),
		severity_letter(w->health.severity), -1);

	(void)ref_format(ctx->model, w->ref, name, sizeof(name));
	/* The reason is worth more than the whole of a long name. */
	if (text_width(name) + text_width(w->health.why) + 4 > r.w) {
		char whole[sizeof(name)];

		(void)str_copy(whole, sizeof(whole), name);
		short_place(whole, name, sizeof(name));
	}
	x += 1 + draw_text(r, y, x + 1, ROLE_NORMAL, name, -1);
	if (w->more)
		x += 1 + draw_textf(r, y, x + 1, ROLE_NORMAL, "+%u", w->more);
	(void)draw_brief(r, y, x + 1, ROLE_DIM, w->health.why);
}

#define SILENT_NAMED 512 /* names that are read for the line; more would not fit */

/* The reason of one device stands for those of the same kind, with the cure where it fits. */
static int draw_reason(struct region r, int y, const struct device *d)
{
	int from = y;

	if (y < r.h && d->err->text[0])
		(void)draw_brief(r, y++, 2, ROLE_NORMAL, d->err->text);
	if (y < r.h && y > from && d->err->cure[0]) {
		(void)draw_text(r, y, 2, ROLE_DIM, "cure: ", -1);
		(void)draw_brief(r, y++, 8, ROLE_DIM, d->err->cure);
	}
	return y;
}

/*
 * "91 devices without an answer: node[209-210],spine-003": what cannot be seen is one line, and
 * below it why, where rows are free. Returns the next free row.
 */
static int draw_silent(const struct view_ctx *ctx, struct region r, int y)
{
	const char *names[SILENT_NAMED];
	const struct model *m = ctx->model;
	const struct device *first = NULL;
	unsigned silent = 0;
	struct buf list;
	char *text;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (!device_is_old(d) || d->state == DEV_PENDING)
			continue;
		if (silent < SILENT_NAMED)
			names[silent] = d->name;
		silent++;
		if (!first || (!first->err->text[0] && d->err->text[0]))
			first = d;
	}
	if (!first)
		return y;
	buf_init(&list, (size_t)SILENT_NAMED * NAME_MAX_LEN);
	hostlist_compress(names, silent < SILENT_NAMED ? silent : SILENT_NAMED, &list);
	text = buf_take(&list, NULL);
	(void)draw_text(r, y, 0, ROLE_UNKNOWN, severity_letter(SEV_UNKNOWN), -1);
	(void)draw_brief(r, y,
		2 + draw_textf(r, y, 2, ROLE_NORMAL, "%u device%s without an answer: ", silent,
			    str_plural(silent)),
		ROLE_NORMAL, text ? text : "");
	free(text);
	return draw_reason(r, y + 1, first);
}

static int draw_worst(const struct view_ctx *ctx, struct region r)
{
	struct worst list[WORST_LINES];
	char none[80];
	size_t n, seen = 0, silent;
	int y = 0;

	if (r.h < 1 || r.w < WORST_WIDTH / 2)
		return 0;
	n = summary_worst(ctx, list, WORST_LINES);
	(void)draw_text(r, y++, 0, ROLE_HEADER,
		n ? "worst now" : nothing_worst(ctx, none, sizeof(none)), -1);
	while (seen < n && !list[seen].silent)
		seen++;
	silent = n - seen;
	cause_first(ctx, list, seen);
	/* A few silent devices have a line each, with the reason. */
	if (silent > 0 && silent < 3 && (int)n < r.h - 1)
		seen = n;
	for (size_t i = 0; i < seen && y < r.h - (seen < n); i++, y++)
		draw_problem(ctx, r, y, &list[i]);
	return seen < n && y < r.h ? draw_silent(ctx, r, y) : y;
}

/* One line a row of the view of events; the name of the place gets short before the text is cut. */
static void draw_event(const struct view_ctx *ctx, struct region r, int y, size_t i)
{
	const struct model *m = ctx->model;
	const struct event *e = model_event(m, i);
	enum severity severity = event_info[e->kind].severity;
	const struct device *d = model_device_at(m, e->device);
	const struct port *p = model_port_at(m, e->port);
	char when[16], at[2 * NAME_MAX_LEN], brief[2 * NAME_MAX_LEN], detail[160], line[400];
	int x;

	(void)str_printf(
		at, sizeof(at), "%s%s%s", d ? d->name : "", p ? ":" : "", p ? p->name : "");
	event_detail(ctx, i, detail, sizeof(detail));
	x = draw_text(r, y, 0, role_of_severity(severity), severity_letter(severity), -1);
	x += 2 +
	     draw_textf(r, y, x + 1, ROLE_DIM, "%s", view_hms(ctx, e->wall_us, when, sizeof(when)));
	for (int form = 0; form < 2; form++) {
		short_place(at, brief, sizeof(brief));
		(void)str_printf(line, sizeof(line), "%s %s%s%s", event_info[e->kind].name,
			form ? brief : at, detail[0] ? " " : "", detail);
		if (draw_width(ctx->term, line) <= r.w - x)
			break;
	}
	(void)draw_brief(r, y, x, ROLE_NORMAL, line);
}

#define EVENTS_LOOKED_AT 400 /* for the few lines that there are */

/* Draws the last events if the screen has room: the newest rows of the view of events. */
static int draw_events(const struct view_ctx *ctx, struct region r)
{
	struct view_ctx folded = *ctx;
	int y = 0;

	folded.folded = true;
	(void)draw_text(r, y++, 0, ROLE_HEADER, "last events", -1);
	for (size_t i = 0; y < r.h && i < EVENTS_LOOKED_AT && model_event(ctx->model, i); i++)
		if (event_has_row(&folded, i))
			draw_event(&folded, r, y++, i);
	return y;
}

/* The height of a list beside the map: the lines that the table below does not fill. */
static int list_height(const struct view_ctx *ctx, int offered, int used, int map)
{
	int rows = (int)ctx->model->rails, spare;

	for (size_t i = 0; i < ctx->model->devices.n; i++) {
		const struct device *d = ctx->model->devices.at[i];

		rows += d->tier != TIER_HOST && d->rail < 0;
	}
	spare = offered + CONSOLE_KEEPS - 1 - rows - used;
	if (spare > WORST_LINES)
		spare = WORST_LINES;
	return spare > map ? spare : map;
}

int cluster_panel(const struct view_ctx *ctx, struct region r)
{
	struct panel_line lines[4];
	struct heat h;
	size_t n = 2;
	int y, map_width, map, list, events_width = 0, offered = r.h;

	r.h = panel_height(r.h);
	cluster_state_line(ctx, &lines[0]);
	cluster_poll_line(ctx, &lines[1]);
	if (net_tiles_line(ctx, &lines[n]))
		n++;
	/* On a small screen the title already has the verdict. */
	if (ctx->diag && r.h >= TALL_PANEL)
		verdict_line(ctx, diag_verdict(ctx->diag), &lines[n++]);
	y = panel_draw(r, lines, n);
	if (r.h - y < 3)
		return y;
	heat_init(&h, ctx, r.w >= 2 * WORST_WIDTH ? r.w - WORST_WIDTH : r.w);
	map_width = 7 + h.columns * (h.cell_width + 1);
	map = h.rows ? draw_heat(region_sub(r, y, 0, r.h - y, map_width), &h) : 0;
	if (!map)
		map_width = 0;
	heat_free(&h);
	/* Beside the map the lists cost no line; only a tall screen has room for longer ones. */
	list = r.h >= TALL_PANEL ? list_height(ctx, offered, y, map) : map ? map : r.h - y;
	if (r.w - map_width > 2 * EVENT_WIDTH) {
		events_width = (r.w - map_width) / 2;
		(void)draw_events(ctx, region_sub(r, y, r.w - events_width, list, events_width));
	}
	list = draw_worst(ctx, region_sub(r, y, map_width, list,
				       r.w - map_width - events_width - (events_width > 0)));
	return y + (list > map ? list : map);
}
