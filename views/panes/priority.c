/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/panels/panel.h"

enum counter_column {
	COUNTER_NAME,
	COUNTER_VALUE,
	COUNTER_RATE,
	COUNTER_SINCE,
	COUNTER_VALID,
	COUNTER_AGE,
	COUNTER_UNIT,
	COUNTER_MEANING,
	COUNTER_COLUMNS
};

static const struct table_column columns[COUNTER_COLUMNS] = {
	[COUNTER_NAME] = {"counter", "counter", 24, 0, 0, false,
		"Canonical name, as in the JSON of a snapshot"},
	[COUNTER_VALUE] = {"value", "value", 20, 0, 0, true,
		"Last value as the device reported it; peaks and readings are not counted up"},
	[COUNTER_RATE] = {"rate", "rate/s", 6, 0, 0, true,
		"Per second over the last refresh by the device; readings and peaks have none"},
	[COUNTER_SINCE] = {"since_mark", "since", 8, 0, 1, true,
		"Growth since the mark (m sets one); growth before a clear or a restart of the "
		"device counts too"},
	[COUNTER_VALID] = {"valid", "valid", 11, 0, 1, false,
		"ok; unsupported: the device cannot report it; disabled: switched off there; "
		"stale: the device does not answer; reset: new baseline taken"},
	[COUNTER_AGE] = {"age", "age", 5, 0, 1, true, "Age of the value, in steps"},
	[COUNTER_UNIT] = {"unit", "unit", 9, 0, 2, false, "Unit of the value"},
	[COUNTER_MEANING] = {"meaning", "meaning", 30, 1, 3, false, "Meaning of the counter"},
};

/* Counters without a priority on the same subject: global pauses and losses. */
static const enum counter_id related[] = {
	CTR_RX_PAUSE_FRAMES,
	CTR_TX_PAUSE_FRAMES,
	CTR_RX_DISCARDS,
	CTR_TX_DISCARDS,
	CTR_ECN_MARKED_ROCE_PACKETS,
	CTR_CNP_SENT,
	CTR_CNP_HANDLED,
	CTR_CNP_IGNORED,
	CTR_OUT_OF_SEQUENCE,
	CTR_ROCE_SLOW_RESTART,
	CTR_RX_OUT_OF_BUFFER,
};

static bool scope_priority(const struct view_ctx *ctx, unsigned *prio)
{
	unsigned sub = 0;

	if (ctx->scope.kind == REF_COUNTER && ctx->scope.cell < CELL_COUNT) {
		enum counter_id id = counter_of_cell(ctx->scope.cell, &sub);

		*prio = counter_info[id].dim == DIM_PRIO ? sub : 0;
		return true;
	}
	*prio = ctx->scope.priority;
	return ctx->scope.kind == REF_PRIORITY && *prio < PRIORITIES;
}

static void push_counter(row_vec *out, const struct port *p, enum counter_id id, unsigned sub)
{
	vec_push(out,
		(struct ref){.kind = REF_COUNTER, .port = p->id, .cell = counter_cell(id, sub)});
}

static void priority_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct port *p = view_port_of(ctx, ctx->scope);
	unsigned prio;

	if (!p || !scope_priority(ctx, &prio))
		return;
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		if (counter_info[id].dim == DIM_PRIO)
			push_counter(out, p, (enum counter_id)id, prio);
	/* A counter without a priority only if the device has it: a switch has no CNP counter. */
	for (size_t i = 0; i < sizeof(related) / sizeof(related[0]); i++)
		if (port_cell(p, related[i], 0))
			push_counter(out, p, related[i], 0);
}

static void cell_value(const struct cell *cell, const struct counter_info *info, enum validity v,
	struct view_cell *out)
{
	cell_unknown(out, v);
	if (!cell || (v != VALID_OK && v != VALID_STALE && v != VALID_RESET))
		return;
	if (info->kind == KIND_GAUGE) {
		cell_text(out, ROLE_NORMAL, "%.6g", cell->real);
		out->number = cell->real;
	} else {
		cell_text(out, ROLE_NORMAL, "%" PRIu64, cell->u64);
		out->number = (double)cell->u64;
	}
	out->has_number = true;
	if (v == VALID_STALE)
		cell_mark_old(out);
}

/* Shows small numbers exactly: the difference between "3 drops" and "3" matters. */
static void cell_exact_since(const struct view_ctx *ctx, const struct port *p, enum counter_id id,
	unsigned sub, struct view_cell *out)
{
	uint64_t n;

	cell_since(ctx, out, p, id, (uint8_t)(1U << sub));
	if (!isnan(out->number) && port_since(ctx->model, p, view_mark(ctx), id, sub, &n) &&
		n < 10000000)
		(void)str_printf(out->text, sizeof(out->text), "%" PRIu64 "%s", n,
			out->role == ROLE_CRIT ? "!" : "");
}

static void cell_validity(enum validity v, struct view_cell *out)
{
	cell_text(out,
		v == VALID_OK                          ? ROLE_NORMAL
		: v == VALID_STALE || v == VALID_RESET ? ROLE_WARN
						       : ROLE_UNKNOWN,
		"%s", validity_name(v));
}

static void cell_age(const struct view_ctx *ctx, int64_t seen_us, struct view_cell *out)
{
	cell_unknown(out, VALID_UNKNOWN);
	if (seen_us <= 0)
		return;
	cell_text(out, ROLE_DIM, "%s", age_step(ctx->now_us, seen_us));
	out->number = (double)(ctx->now_us - seen_us) / (double)CLOCK_SEC;
	out->has_number = true;
}

static void priority_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct port *p = view_port_of(ctx, row);
	const struct counter_info *info;
	const struct cell *cell;
	enum counter_id id;
	enum validity valid;
	unsigned sub;

	cell_unknown(out, VALID_UNKNOWN);
	if (!p || row.kind != REF_COUNTER || row.cell >= CELL_COUNT)
		return;
	id = counter_of_cell(row.cell, &sub);
	info = &counter_info[id];
	cell = port_cell(p, id, sub);
	valid = port_cell_valid(ctx->model, p, id, sub);
	switch (col) {
	case COUNTER_NAME:
		cell_text(out, ROLE_NORMAL, "%s", info->name);
		break;
	case COUNTER_VALUE:
		cell_value(cell, info, valid, out);
		break;
	case COUNTER_RATE:
		if (info->kind == KIND_COUNT)
			cell_counter(ctx, out, p, id, sub);
		break;
	case COUNTER_SINCE:
		cell_exact_since(ctx, p, id, sub, out);
		break;
	case COUNTER_VALID:
		cell_validity(valid, out);
		break;
	case COUNTER_AGE:
		cell_age(ctx, cell ? cell_seen_us(p, cell) : 0, out);
		break;
	case COUNTER_UNIT:
		cell_text(out, ROLE_DIM, "%s", unit_name(info->unit));
		break;
	case COUNTER_MEANING:
		cell_text(out, ROLE_DIM, "%s", info->help);
		break;
	default:
		break;
	}
}

static void say_settings(
	const struct view_ctx *ctx, const struct port *p, unsigned prio, struct panel_line *out)
{
	static const char *const words[] = {"off", "on"};
	const struct watchdog *wd = &p->wd[prio];
	bool lossless = lossless_priorities(&ctx->model->lossless) >> prio & 1;
	const char *pfc = p->pfc_enabled >> 8 & 1 ? words[p->pfc_enabled >> prio & 1] : "-";
	const char *ecn = p->ecn_enabled >> 8 & 1 ? words[p->ecn_enabled >> prio & 1] : "-";
	char times[48] = "";

	if (wd->detect_ms)
		(void)str_printf(times, sizeof(times), " detect %u ms restore %u ms", wd->detect_ms,
			wd->restore_ms);
	panel_say(out, watchdog_role((enum wd_state)wd->state), "",
		"priority %u %s  pfc %s  ecn %s  watchdog %s %s%s", prio,
		lossless ? "lossless" : "lossy", pfc, ecn, wd_state_name((enum wd_state)wd->state),
		wd->action, times);
}

static void say_paused(
	const struct view_ctx *ctx, const struct port *p, unsigned prio, struct panel_line *out)
{
	struct paused prx = port_paused(p, prio, DIR_RX), ptx = port_paused(p, prio, DIR_TX);
	char peer[2 * NAME_MAX_LEN];
	struct view_cell rx, tx;

	cell_paused(ctx, &rx, prx);
	cell_paused(ctx, &tx, ptx);
	(void)peer_locator(ctx->model, p, peer, sizeof(peer));
	panel_say(out, ROLE_NORMAL, "", "paused by peer %s, pauses peer %s  peer %s", rx.text,
		tx.text, peer[0] ? peer : "-");
}

static int priority_panel(const struct view_ctx *ctx, struct region r)
{
	const struct port *p = view_port_of(ctx, ctx->scope);
	struct panel_line lines[2];
	unsigned prio;

	if (!p || !scope_priority(ctx, &prio))
		return 0;
	say_settings(ctx, p, prio, &lines[0]);
	say_paused(ctx, p, prio, &lines[1]);
	return panel_draw(r, lines, 2);
}

static const char *priority_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no priority is chosen: type one in the palette, such as leaf-r0-00:Ethernet0:3";
}

const struct view_ops view_priority = {
	.name = "priority",
	.title = "priority",
	.help = "Every counter of one priority of one port: PFC, ECN, queue, watchdog, watermarks, "
		"then the related counters of the whole port. The column valid has the reason for "
		"a missing number: unsupported and disabled are not zero. Rates are taken over the "
		"device's own refreshes.",
	.scope = REF_PRIORITY,
	.columns = columns,
	.ncolumns = COUNTER_COLUMNS,
	.rows = priority_rows,
	.cell = priority_cell,
	.panel = priority_panel,
	.empty = priority_empty,
};
