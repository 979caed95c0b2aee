/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/event_text.h"

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

static void events_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct event *e;

	for (size_t i = 0; (e = model_event(ctx->model, i)); i++)
		if (event_has_row(ctx, i))
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

static void events_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct event *e = row_event(ctx, row);
	char text[TABLE_CELL_TEXT];

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
		event_detail(ctx, (size_t)(ctx->model->event_seq - e->seq), text, sizeof(text));
		cell_text(out, ROLE_NORMAL, "%s", text);
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
		"again within 15 minutes has one row, the newest: flapped 16x, down 3s each, "
		"since 13:52:04. "
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
