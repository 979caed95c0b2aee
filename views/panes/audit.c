/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "views/audit_acts.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

/*
 * The acts of the ledger with their lines folded below them, and between them changes on devices
 * that no act explains: an operator worked without railtop, or railtop's own ledger is incomplete.
 */

enum audit_column {
	AUDIT_TIME,
	AUDIT_FOLD,
	AUDIT_WHO,
	AUDIT_FROM,
	AUDIT_ACTION,
	AUDIT_WHAT,
	AUDIT_WHERE,
	AUDIT_INCIDENT,
	AUDIT_TEXT,
	AUDIT_ACT,
	AUDIT_LINE,
	AUDIT_COLUMNS
};

static const struct table_column columns[AUDIT_COLUMNS] = {
	[AUDIT_TIME] = {"time", "time", 10, 0, 0, false,
		"Time of the ledger line, or the time when railtop saw the change; UTC unless a "
		"zone was set"},
	[AUDIT_FOLD] = {"steps", "+", 3, 0, 0, true,
		"Number of ledger lines of the action: + folded, - shown below (Space)"},
	[AUDIT_WHO] = {"who", "who", 14, 0, 0, false,
		"The account; \"not by railtop\": no ledger line explains the change"},
	[AUDIT_FROM] = {"from", "from", 12, 0, 4, false, "Where the session came from"},
	[AUDIT_ACTION] = {"action", "action", 16, 0, 0, false,
		"The action, or the kind of change that a device shows"},
	[AUDIT_WHAT] = {"what", "ended", 10, 0, 0, false,
		"Outcome of the action: done, held (still so after the watch), taken (not "
		"confirmed by the device), taken back, broke, failed (nothing changed), unknown, "
		"settled, unfinished; of one line: its kind"},
	[AUDIT_WHERE] = {"where", "where", 20, 1, 0, false, "Device and port"},
	[AUDIT_INCIDENT] = {"incident", "incident", 10, 0, 3, false, "Incident key"},
	[AUDIT_TEXT] = {"text", "text", 14, 3, 2, false, "Detail"},
	[AUDIT_ACT] = {"act", "act", 23, 0, 6, false, "All lines of one action have it"},
	[AUDIT_LINE] = {"line", "line", 5, 0, 5, true, "Number of the line in the ledger"},
};

/*
 * The time window in which a change on a device belongs to an act. It begins before the act,
 * because clocks differ, and ends after it, because devices are polled.
 */
#define BEFORE_US (5 * CLOCK_SEC)
#define AFTER_US  (120 * CLOCK_SEC)
/* A change this near to a restart belongs to it; see RESTART_US in fabric/model/changes.c. */
#define RESTART_US (310 * CLOCK_SEC)

/* ---- causes of a change ---- */

struct window {
	const char *act;
	uint32_t device, port; /* EVENT_NO_ID: not in the model; port: the whole device */
	bool whole;
	int64_t from_us, to_us;
};
typedef VEC(struct window) window_vec;

static struct window *window_of(window_vec *w, const char *act)
{
	for (size_t i = w->n; i-- > 0;)
		if (str_eq(w->at[i].act, act))
			return &w->at[i];
	return NULL;
}

static void window_open(const struct model *m, const struct audit_row *row, window_vec *out)
{
	const struct device *d = model_device(m, row->device);
	const struct port *p = d && row->port[0] ? model_port(m, d, row->port) : NULL;
	struct window *w = vec_add(out);

	*w = (struct window){.act = row->act,
		.device = d ? d->id : EVENT_NO_ID,
		.port = p ? p->id : EVENT_NO_ID,
		.whole = !row->port[0],
		.from_us = row->t_us - BEFORE_US,
		.to_us = row->t_us + AFTER_US};
}

/* Lines after the end of an act are not part of it: the watch, and a person's judgement. */
static bool is_afterwards(const char *event)
{
	return str_eq(event, "watched") || str_eq(event, "settled");
}

static void windows_of(const struct model *m, const struct audit_log *log, window_vec *out)
{
	for (size_t i = 0; log && i < log->rows.n; i++) {
		const struct audit_row *row = &log->rows.at[i];
		struct window *w;

		if (str_eq(row->event, "begun")) {
			window_open(m, row, out);
			continue;
		}
		w = is_afterwards(row->event) ? NULL : window_of(out, row->act);
		if (w && row->t_us + AFTER_US > w->to_us)
			w->to_us = row->t_us + AFTER_US;
	}
}

static bool explains_event(const struct window *w, const struct event *e)
{
	if (w->device != e->device || e->wall_us < w->from_us || e->wall_us > w->to_us)
		return false;
	/* The device clears all of its counters, and reports a reload in a summary. */
	return w->whole || e->port == EVENT_NO_ID || e->port == w->port;
}

static bool is_change(enum event_kind kind)
{
	return kind == EV_COUNTER_RESET || kind == EV_WATCHDOG_SET || kind == EV_ADMIN ||
	       kind == EV_PFC_SET || kind == EV_ECN_SET || kind == EV_MTU;
}

/*
 * Possible causes of a change: acts, and restarts, which set a device to its startup configuration.
 */
struct causes {
	window_vec acts;
	VEC(const struct event *) restarts;
};

static void causes_of(const struct view_ctx *ctx, struct causes *out)
{
	const struct event *e;

	*out = (struct causes){0};
	windows_of(ctx->model, ctx->audit, &out->acts);
	for (size_t i = 0; (e = model_event(ctx->model, i)); i++)
		if (e->kind == EV_REBOOT)
			vec_push(&out->restarts, e);
}

static void causes_free(struct causes *c)
{
	vec_free(&c->acts);
	vec_free(&c->restarts);
}

static bool is_foreign(const struct causes *c, const struct event *e)
{
	if (!is_change(e->kind))
		return false;
	for (size_t i = 0; i < c->acts.n; i++)
		if (explains_event(&c->acts.at[i], e))
			return false;
	for (size_t i = 0; i < c->restarts.n; i++) {
		const struct event *r = c->restarts.at[i];

		if (r->device == e->device && r->wall_us >= e->wall_us - RESTART_US &&
			r->wall_us <= e->wall_us + RESTART_US)
			return false;
	}
	return true;
}

/* ---- rows ---- */

/* The number of a line, or of an event, with its kind in the lowest bit. */
static struct ref ref_of_line(const struct audit_row *row)
{
	return (struct ref){.kind = REF_ROW, .seq = row->n << 1};
}

static struct ref ref_of_event(const struct event *e)
{
	return (struct ref){.kind = REF_ROW, .seq = e->seq << 1 | 1};
}

/* Index of the line; AUDIT_NONE: the row is no line, or the line is gone. */
static size_t row_index(const struct view_ctx *ctx, struct ref row)
{
	const struct audit_log *log = ctx->audit;
	uint64_t n = row.seq >> 1;

	if (!log || row.kind != REF_ROW || row.seq & 1)
		return AUDIT_NONE;
	/* Line numbers have no gap, unless somebody altered the ledger. */
	if (log->rows.n && n >= log->rows.at[0].n && n - log->rows.at[0].n < log->rows.n &&
		log->rows.at[n - log->rows.at[0].n].n == n)
		return (size_t)(n - log->rows.at[0].n);
	for (size_t i = 0; i < log->rows.n; i++)
		if (log->rows.at[i].n == n)
			return i;
	return AUDIT_NONE;
}

static const struct audit_row *row_line(const struct view_ctx *ctx, struct ref row)
{
	size_t i = row_index(ctx, row);

	return i == AUDIT_NONE ? NULL : &ctx->audit->rows.at[i];
}

static const struct event *row_event(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;
	uint64_t seq = row.seq >> 1;

	if (row.kind != REF_ROW || !(row.seq & 1) || seq == 0 || seq > m->event_seq)
		return NULL;
	return model_event(m, (size_t)(m->event_seq - seq));
}

/* The place of a line, as far as it is in the model. */
static struct ref line_place(const struct view_ctx *ctx, const struct audit_row *row)
{
	const struct device *d = row->device[0] ? model_device(ctx->model, row->device) : NULL;
	const struct port *p = d && row->port[0] ? model_port(ctx->model, d, row->port) : NULL;

	if (p)
		return ref_of_port(p);
	return d ? ref_of_device(d) : (struct ref){.kind = REF_NONE};
}

static struct ref event_place(const struct view_ctx *ctx, const struct event *e)
{
	const struct port *p = model_port_at(ctx->model, e->port);
	const struct device *d = model_device_at(ctx->model, e->device);

	if (p)
		return ref_of_port(p);
	if (d)
		return ref_of_device(d);
	return (struct ref){.kind = REF_NONE};
}

static struct ref audit_about(const struct view_ctx *ctx, struct ref row)
{
	const struct audit_row *line = row_line(ctx, row);
	const struct event *e = row_event(ctx, row);

	if (line)
		return line_place(ctx, line);
	return e ? event_place(ctx, e) : (struct ref){.kind = REF_NONE};
}

/* Whether the place is inside the page's scope; a change of the device concerns its ports too. */
static bool in_scope(const struct view_ctx *ctx, struct ref at)
{
	const struct port *scope = view_port_of(ctx, ctx->scope), *p = view_port_of(ctx, at);

	if (scope)
		return p ? p == scope : at.kind == REF_DEVICE && at.device == scope->device;
	if (ctx->scope.kind != REF_DEVICE)
		return true;
	return p ? p->device == ctx->scope.device
		 : at.kind == REF_DEVICE && at.device == ctx->scope.device;
}

/* Without a cache no line is folded: every line is a row of its own. */
static bool is_head(const struct view_ctx *ctx, size_t i)
{
	return diag_rows_of(ctx) && str_eq(ctx->audit->rows.at[i].event, "begun");
}

static bool is_open(const struct view_ctx *ctx, size_t i)
{
	return fold_set_has(&diag_rows_of(ctx)->acts, ctx->audit->rows.at[i].n);
}

/* Adds a line; the steps of an act stand below its first line, in the order of time. */
static void add_line(const struct view_ctx *ctx, size_t i, row_vec *out)
{
	const struct audit_log *log = ctx->audit;
	size_t begun = diag_rows_of(ctx) ? audit_begun(log, i) : AUDIT_NONE;

	if ((begun != AUDIT_NONE && begun != i) ||
		!in_scope(ctx, line_place(ctx, &log->rows.at[i])))
		return;
	vec_push(out, ref_of_line(&log->rows.at[i]));
	if (!is_head(ctx, i) || !is_open(ctx, i))
		return;
	for (size_t k = i + 1; k < log->rows.n; k++)
		if (str_eq(log->rows.at[k].act, log->rows.at[i].act) && audit_begun(log, k) == i)
			vec_push(out, ref_of_line(&log->rows.at[k]));
}

/* Merges both lists from their newest ends; at equal times the change counts as older. */
static void audit_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct audit_log *log = ctx->audit;
	size_t left = log ? log->rows.n : 0;
	const struct event *e;
	struct causes causes;

	causes_of(ctx, &causes);
	for (size_t i = 0; (e = model_event(ctx->model, i)); i++) {
		if (!is_foreign(&causes, e) || !in_scope(ctx, event_place(ctx, e)))
			continue;
		for (; left && log->rows.at[left - 1].t_us >= e->wall_us; left--)
			add_line(ctx, left - 1, out);
		vec_push(out, ref_of_event(e));
	}
	for (; left; left--)
		add_line(ctx, left - 1, out);
	causes_free(&causes);
}

struct ref audit_fold(const struct view_ctx *ctx, struct ref row)
{
	size_t i = row_index(ctx, row), begun;

	begun = i == AUDIT_NONE || !diag_rows_of(ctx) ? AUDIT_NONE : audit_begun(ctx->audit, i);
	if (begun == AUDIT_NONE)
		return (struct ref){.kind = REF_NONE};
	fold_set_turn(&diag_rows_of(ctx)->acts, ctx->audit->rows.at[begun].n);
	return ref_of_line(&ctx->audit->rows.at[begun]);
}

/* ---- cells ---- */

static void cell_text_if(struct view_cell *out, enum role role, const char *text)
{
	if (text[0])
		cell_text(out, role, "%s", text);
}

/* The role for a line's event; the words are those of the ledger. */
static enum role role_of_line(const char *event)
{
	static const struct {
		const char *event;
		enum role role;
	} roles[] = {{"done", ROLE_OK}, {"failed", ROLE_WARN}, {"refused", ROLE_WARN},
		{"mended", ROLE_WARN}, {"unknown", ROLE_CRIT}, {"lost", ROLE_CRIT}};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (str_eq(roles[i].event, event))
			return roles[i].role;
	return ROLE_NORMAL;
}

/* A cell of an act as a whole; false: use the cell of its first line. */
static bool head_cell(const struct view_ctx *ctx, size_t i, size_t col, struct view_cell *out)
{
	const struct audit_log *log = ctx->audit;
	struct audit_end end;
	const char *how, *why;

	if (col != AUDIT_FOLD && col != AUDIT_WHAT && col != AUDIT_TEXT)
		return false;
	end = audit_end_of(log, i);
	how = end.line == AUDIT_NONE ? end.word : log->rows.at[end.line].text;
	why = audit_reason(log, i);
	if (col == AUDIT_WHAT)
		cell_text(out, end.role, "%s", end.word);
	else if (col == AUDIT_TEXT)
		cell_text(out, ROLE_NORMAL, "%s%s%s", how, why[0] ? "; why: " : "", why);
	else if (end.steps)
		cell_text(out, ROLE_ACCENT, "%c%zu", is_open(ctx, i) ? '-' : '+', end.steps);
	return true;
}

static void line_cell(
	const struct view_ctx *ctx, const struct audit_row *row, size_t col, struct view_cell *out)
{
	size_t i = (size_t)(row - ctx->audit->rows.at);
	/* The action, place and people of a step are those of the line above it. */
	bool step =
		diag_rows_of(ctx) && !is_head(ctx, i) && audit_begun(ctx->audit, i) != AUDIT_NONE;
	enum role role = step ? ROLE_DIM : ROLE_NORMAL;

	if (is_head(ctx, i) && head_cell(ctx, i, col, out))
		return;
	switch (col) {
	case AUDIT_TIME:
		cell_moment(ctx, row->t_us, out);
		break;
	case AUDIT_WHO:
		cell_text_if(out, role, row->user);
		break;
	case AUDIT_FROM:
		cell_text_if(out, ROLE_DIM, row->from);
		break;
	case AUDIT_WHAT:
		cell_text_if(out, role_of_line(row->event), row->event);
		break;
	case AUDIT_ACTION:
		cell_text_if(out, role, row->action);
		break;
	case AUDIT_WHERE:
		if (row->device[0])
			cell_text(out, role, "%s%s%s", row->device, row->port[0] ? ":" : "",
				row->port);
		break;
	case AUDIT_INCIDENT:
		cell_text_if(out, role, row->incident);
		break;
	case AUDIT_TEXT:
		cell_text_if(out, ROLE_NORMAL, row->text);
		break;
	case AUDIT_ACT:
		cell_text_if(out, ROLE_DIM, row->act);
		break;
	case AUDIT_LINE:
		cell_text(out, ROLE_DIM, "%llu", (unsigned long long)row->n);
		out->number = (double)row->n;
		out->has_number = true;
		break;
	default:
		cell_text(out, ROLE_NORMAL, "%s", "");
		break;
	}
}

static void event_cell(
	const struct view_ctx *ctx, const struct event *e, size_t col, struct view_cell *out)
{
	char place[160];

	switch (col) {
	case AUDIT_TIME:
		cell_moment(ctx, e->wall_us, out);
		break;
	case AUDIT_WHO:
		cell_text(out, ROLE_WARN, "not by railtop");
		break;
	case AUDIT_ACTION:
		cell_text(out, ROLE_WARN, "%s", event_info[e->kind].name);
		break;
	case AUDIT_FOLD:
		cell_text(out, ROLE_NORMAL, "%s", "");
		break;
	case AUDIT_WHERE:
		cell_text(out, ROLE_NORMAL, "%s",
			place_text(ctx, event_place(ctx, e), place, sizeof(place)));
		break;
	case AUDIT_TEXT:
		if (e->priority >= 0)
			cell_text(out, ROLE_NORMAL, "priority %d: %s", e->priority, e->text);
		else
			cell_text_if(
				out, ROLE_NORMAL, e->text[0] ? e->text : event_info[e->kind].help);
		break;
	default:
		break;
	}
}

static void audit_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct audit_row *line = row_line(ctx, row);
	const struct event *e = row_event(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (line)
		line_cell(ctx, line, col, out);
	else if (e && (unsigned)e->kind < EVENT_COUNT)
		event_cell(ctx, e, col, out);
}

static bool audit_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	return enter_place(ctx, audit_about(ctx, row), view, scope);
}

/* ---- panel ---- */

/* Leaves out the beginning of the text if it repeats the label. */
static const char *after_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return str_starts(text, word) && str_starts(text + n, ": ") ? text + n + 2 : text;
}

static size_t say_act(const struct view_ctx *ctx, size_t i, struct panel_line lines[2])
{
	const struct audit_log *log = ctx->audit;
	struct audit_end end = audit_end_of(log, i);
	const char *incident = log->rows.at[i].incident;
	size_t n = 0;

	panel_say(&lines[n++], end.role, end.word, "%s",
		end.line == AUDIT_NONE ? "the ledger has no end of the action: it still runs, or "
					 "its console was ended"
				       : after_word(log->rows.at[end.line].text, end.word));
	if (audit_reason(log, i)[0] || incident[0])
		panel_say(&lines[n++], ROLE_NORMAL, incident, "%s", audit_reason(log, i));
	return n;
}

static int audit_panel(const struct view_ctx *ctx, struct region r)
{
	const struct audit_row *line = row_line(ctx, ctx->cursor);
	const struct event *e = row_event(ctx, ctx->cursor);
	struct panel_line lines[4];
	size_t n = 0, foreign = 0;
	row_vec rows = {0};

	if (ctx->audit && ctx->audit->problem[0])
		panel_say(&lines[n++], ROLE_CRIT, "CRIT", "%s", ctx->audit->problem);
	audit_rows(ctx, &rows);
	for (size_t i = 0; i < rows.n; i++)
		foreign += rows.at[i].seq & 1;
	vec_free(&rows);
	if (foreign)
		panel_say(&lines[n++], ROLE_WARN, "WARN",
			"%zu change%s on devices without a line in %s", foreign,
			str_plural(foreign),
			ctx->audit && ctx->audit->path[0] ? ctx->audit->path : "a ledger");
	/* Shows texts in full that a column may have cut. */
	if (line && is_head(ctx, (size_t)(line - ctx->audit->rows.at)))
		n += say_act(ctx, (size_t)(line - ctx->audit->rows.at), &lines[n]);
	else if (line && line->text[0])
		panel_say(&lines[n++], ROLE_NORMAL, "", "%s", line->text);
	else if (e && e->text[0])
		panel_say(&lines[n++], ROLE_WARN, "not by railtop", "%s", e->text);
	return panel_draw(r, lines, n);
}

static const char *audit_empty(const struct view_ctx *ctx)
{
	if (!ctx->audit)
		return "no ledger is configured, and no device has changed since railtop started";
	return "the ledger has no line about this place, and no device has changed since railtop "
	       "started";
}

const struct view_ops view_audit = {
	.name = "audit",
	.title = "audit",
	.help = "Changes on devices and their outcomes. The actions of the ledger come newest "
		"first, with their steps folded below (Space). Rows \"not by railtop\" are changes "
		"on devices without a ledger line: counters cleared, another watchdog, PFC, ECN or "
		"MTU setting, a port shut or opened. An action explains changes on its port from 5 "
		"s before it begins to 2 min after it ends. Changes by a restart are not listed. "
		"Devices report settings when they are polled, some only every five minutes. Enter "
		"leads to the port.",
	.scope = REF_NONE,
	.kinds = 1U << REF_DEVICE | 1U << REF_PORT | 1U << REF_PRIORITY,
	.columns = columns,
	.ncolumns = AUDIT_COLUMNS,
	.rows = audit_rows,
	.cell = audit_cell,
	.enter = audit_enter,
	.about = audit_about,
	.panel = audit_panel,
	.empty = audit_empty,
};
