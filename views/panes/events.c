/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"

enum events_column {
	EVENTS_TIME,
	EVENTS_DEVICE_TIME,
	EVENTS_SEVERITY,
	EVENTS_KIND,
	EVENTS_WHERE,
	EVENTS_PRIORITY,
	EVENTS_TEXT,
	EVENTS_MEANING,
	EVENTS_AGE,
	EVENTS_COLUMNS
};

static const struct table_column columns[EVENTS_COLUMNS] = {
	[EVENTS_TIME] = {"time", "time", 10, 0, 0, false,
		"Time when railtop learnt of it, UTC unless a zone was set"},
	[EVENTS_DEVICE_TIME] = {"device_time", "device at", 10, 0, 2, false,
		"Time of the event by the device's own clock, UTC unless a zone was set; -: not "
		"reported"},
	[EVENTS_SEVERITY] = {"state", "state", 5, 0, 0, false, "ok, WARN or CRIT"},
	[EVENTS_KIND] = {"kind", "kind", 17, 0, 1, false, "Kind of the event"},
	[EVENTS_WHERE] = {"where", "where", 20, 1, 0, false, "Device and port"},
	[EVENTS_PRIORITY] = {"prio", "prio", 4, 0, 2, true, "Priority, if the event has one"},
	[EVENTS_TEXT] = {"text", "text", 20, 3, 1, false, "Detail"},
	[EVENTS_AGE] = {"age", "age", 5, 0, 5, true,
		"Time since railtop learnt of it, in steps; filters compare the time: age<1h"},
	[EVENTS_MEANING] = {"meaning", "meaning", 30, 1, 4, false, "Meaning of the kind"},
};

/* What ends what: the row of the beginning shows its end, and the end has no row of its own. */
static const struct {
	enum event_kind begins, ends;
	const char *words;
} pairs[] = {{EV_LINK_DOWN, EV_LINK_UP, "up after"},
	{EV_STORM_DETECTED, EV_STORM_RESTORED, "ended after"},
	{EV_UNREACHABLE, EV_BACK, "answered after"}, {EV_UNAUTHORISED, EV_BACK, "answered after"},
	{EV_STALE, EV_BACK, "answered after"}, {EV_BGP_DOWN, EV_BGP_UP, "up after"},
	{EV_PORT_GONE, EV_PORT_NEW, "back after"}};
#define PAIRS       (sizeof(pairs) / sizeof(pairs[0]))
#define PAIR_WITHIN ((size_t)512) /* events between the two */

static bool same_place(const struct event *a, const struct event *b)
{
	return a->device == b->device && a->port == b->port && a->priority == b->priority;
}

static bool begins(const struct event *e, enum event_kind end)
{
	for (size_t k = 0; k < PAIRS; k++)
		if (pairs[k].begins == e->kind && pairs[k].ends == end)
			return true;
	return false;
}

/* The event that ended the i-th newest; NULL: none, or another one began before the end. */
static const struct event *end_of(const struct model *m, size_t i, size_t pair)
{
	const struct event *e = model_event(m, i), *other;

	for (size_t k = i; k-- > 0 && i - k <= PAIR_WITHIN;) {
		other = model_event(m, k);
		if (!other || !same_place(e, other))
			continue;
		if (other->kind == pairs[pair].ends)
			return other;
		if (begins(other, pairs[pair].ends))
			return NULL;
	}
	return NULL;
}

/* Whether the i-th newest event ends one whose row says so. */
static bool is_end(const struct model *m, size_t i)
{
	const struct event *e = model_event(m, i), *other;
	bool ends = false;

	for (size_t k = 0; k < PAIRS; k++)
		ends |= pairs[k].ends == e->kind;
	for (size_t k = i + 1; ends && k - i <= PAIR_WITHIN && (other = model_event(m, k)); k++) {
		if (!same_place(e, other))
			continue;
		if (begins(other, e->kind))
			return true;
		if (other->kind == e->kind)
			return false;
	}
	return false;
}

/* ---- what happens again and again ---- */

#define AGAIN_WITHIN (900 * CLOCK_SEC) /* from one beginning to the next */

/* Index of the next older (step 1) or newer (-1) beginning of the same; SIZE_MAX: there is none. */
static size_t same_again(const struct model *m, size_t i, int step)
{
	const struct event *e = model_event(m, i), *other;

	for (size_t k = 1; k <= PAIR_WITHIN && (step > 0 || k <= i); k++) {
		size_t at = step > 0 ? i + k : i - k;

		other = model_event(m, at);
		if (!other)
			return SIZE_MAX;
		if (other->kind == e->kind && same_place(e, other)) {
			int64_t apart = other->wall_us - e->wall_us;

			return (apart < 0 ? -apart : apart) <= AGAIN_WITHIN ? at : SIZE_MAX;
		}
	}
	return SIZE_MAX;
}

/* What one port does again: events of a whole device may be about its different sessions. */
static bool may_fold(const struct model *m, const struct event *e)
{
	return (e->kind == EV_LINK_DOWN || e->kind == EV_STORM_DETECTED) &&
	       model_port_at(m, e->port);
}

/* The newest of a row of the same stands for all of them. */
static bool is_folded(const struct model *m, size_t i)
{
	return may_fold(m, model_event(m, i)) && same_again(m, i, -1) != SIZE_MAX;
}

/* The events that the i-th newest stands for. */
struct again {
	unsigned times;
	const struct event *first;
	const char *text; /* the newest text that one of them has; "" */
};
static struct again count_again(const struct view_ctx *ctx, size_t i)
{
	const struct model *m = ctx->model;
	struct again a = {1, model_event(m, i), model_event(m, i)->text};

	if (!ctx->folded || !may_fold(m, a.first))
		return a;
	for (size_t at = same_again(m, i, 1); at != SIZE_MAX; at = same_again(m, at, 1)) {
		a.times++;
		a.first = model_event(m, at);
		if (!a.text[0])
			a.text = a.first->text;
	}
	return a;
}

static void events_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct event *e;

	for (size_t i = 0; (e = model_event(ctx->model, i)); i++)
		if (!is_end(ctx->model, i) && !(ctx->folded && is_folded(ctx->model, i)))
			vec_push(out, (struct ref){.kind = REF_EVENT, .seq = e->seq});
}

static const struct event *row_event(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;

	if (row.kind != REF_EVENT || row.seq == 0 || row.seq > m->event_seq)
		return NULL;
	return model_event(m, (size_t)(m->event_seq - row.seq));
}

static const struct port *event_port(const struct view_ctx *ctx, const struct event *e)
{
	return model_port_at(ctx->model, e->port);
}

static const struct device *event_device(const struct view_ctx *ctx, const struct event *e)
{
	return model_device_at(ctx->model, e->device);
}

static void cell_where(const struct view_ctx *ctx, const struct event *e, struct view_cell *out)
{
	const struct port *p = event_port(ctx, e);
	const struct device *d = event_device(ctx, e);
	char name[2 * NAME_MAX_LEN];

	if (p)
		cell_text(out, ROLE_NORMAL, "%s", port_locator(ctx->model, p, name, sizeof(name)));
	else if (d)
		cell_text(out, ROLE_NORMAL, "%s", d->name);
}

static void cell_detail(const struct view_ctx *ctx, const struct event *e, struct view_cell *out)
{
	size_t i = (size_t)(ctx->model->event_seq - e->seq);
	struct again a = count_again(ctx, i);
	const char *text = a.text;
	char often[64] = "", when[16];

	if (a.times > 1)
		(void)str_printf(often, sizeof(often), "%ux since %s; ", a.times,
			view_hms(ctx, a.first->wall_us, when, sizeof(when)));
	for (size_t k = 0; k < PAIRS; k++) {
		const struct event *end =
			pairs[k].begins == e->kind ? end_of(ctx->model, i, k) : NULL;
		char age[24];

		if (!end)
			continue;
		cell_text(out, ROLE_NORMAL, "%s%s %s%s%s", often, pairs[k].words,
			str_age(end->wall_us - e->wall_us, age, sizeof(age)), text[0] ? "; " : "",
			text);
		return;
	}
	cell_text(out, ROLE_NORMAL, "%s%s%s%s", often,
		a.times > 1 && e->kind == EV_LINK_DOWN ? "down now" : "",
		a.times > 1 && e->kind == EV_LINK_DOWN && text[0] ? "; " : "", text);
}

static void events_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct event *e = row_event(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!e || (unsigned)e->kind >= EVENT_COUNT)
		return;
	switch (col) {
	case EVENTS_TIME:
		cell_moment(ctx, e->wall_us, out);
		break;
	case EVENTS_DEVICE_TIME:
		cell_clock(ctx, e->device_us, out);
		break;
	case EVENTS_SEVERITY:
		cell_severity(out, (struct health){.severity = event_info[e->kind].severity});
		break;
	case EVENTS_KIND:
		cell_text(out, role_of_severity(event_info[e->kind].severity), "%s",
			event_info[e->kind].name);
		break;
	case EVENTS_WHERE:
		cell_where(ctx, e, out);
		break;
	case EVENTS_PRIORITY:
		if (e->priority < 0)
			break;
		cell_text(out, ROLE_NORMAL, "%d", e->priority);
		out->number = e->priority;
		out->has_number = true;
		break;
	case EVENTS_TEXT:
		cell_detail(ctx, e, out);
		break;
	case EVENTS_AGE:
		cell_text(out, ROLE_DIM, "%s", age_step(ctx->now_us, e->wall_us));
		out->number = (double)(ctx->now_us - e->wall_us) / (double)CLOCK_SEC;
		out->has_number = true;
		break;
	case EVENTS_MEANING:
		cell_text(out, ROLE_DIM, "%s", event_info[e->kind].help);
		break;
	default:
		break;
	}
}

static bool events_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct event *e = row_event(ctx, row);
	const struct port *p = e ? event_port(ctx, e) : NULL;
	const struct device *d = e ? event_device(ctx, e) : NULL;

	if (p) {
		*view = "port";
		*scope = ref_of_port(p);
	} else if (d) {
		*view = "device";
		*scope = ref_of_device(d);
	}
	return p || d;
}

static const char *events_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "nothing has happened since railtop started";
}

const struct view_ops view_events = {
	.name = "events",
	.title = "events",
	.help = "Events, newest first: flaps, storms, sessions, resets, restarts, reachability, "
		"and lines of the devices' own logs (log, log_alarm, log_unknown). time is "
		"the time when "
		"railtop learnt of it. device at is the time by the device's own clock, if it was "
		"reported. What ended has one row, that of its beginning: up after 3s. What began "
		"again within 15 minutes has one row, the newest: 16x since 13:52:04. "
		"Enter leads "
		"to "
		"the port, or to the device if the event has no port.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = EVENTS_COLUMNS,
	.rows = events_rows,
	.cell = events_cell,
	.enter = events_enter,
	.empty = events_empty,
};
