/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/unnamed.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

enum wiring_column {
	WIRES_STEP,
	WIRES_WHERE,
	WIRES_PLANNED,
	WIRES_FOUND,
	WIRES_WHAT,
	WIRES_COLUMNS
};

static const struct table_column columns[WIRES_COLUMNS] = {
	[WIRES_STEP] = {"step", "step", 7, 0, 0, false,
		"fault: cables that are wrong together; cable: one of them; move 1, 2, ...: cables "
		"to move, in this order"},
	[WIRES_WHERE] = {"where", "where", 20, 1, 0, false,
		"Port with the wrong cable; of a move, the end that stays"},
	[WIRES_PLANNED] = {"planned", "planned / into", 21, 1, 0, false,
		"Other end by the plan; of a move, the port to plug into"},
	[WIRES_FOUND] = {"found", "found / out of", 21, 1, 0, false,
		"Other end by LLDP; of a move, the port to take it out of"},
	[WIRES_WHAT] = {"what", "what", 30, 3, 2, false, "Description of the fault"},
};

#define WIRING_AGAIN_US (2 * CLOCK_SEC)

static void refresh_faults(const struct view_ctx *ctx, struct diag_rows *d)
{
	if (d->wiring_of == ctx->model && ctx->now_us >= d->wiring_us &&
		ctx->now_us - d->wiring_us < WIRING_AGAIN_US)
		return;
	for (size_t i = 0; i < d->faults.n; i++)
		wiring_fault_free(&d->faults.at[i]);
	d->faults.n = d->wiring.n = 0;
	wiring_check(ctx->model, &d->faults);
	for (uint32_t i = 0; i < d->faults.n; i++) {
		const struct wiring_fault *f = &d->faults.at[i];

		if (f->kind == WIRING_OK)
			continue;
		vec_push(&d->wiring, (struct wiring_row){WIRING_FAULT, i, 0});
		for (uint32_t k = 0; k < f->ports.n; k++)
			vec_push(&d->wiring, (struct wiring_row){WIRING_CABLE, i, k});
		for (uint32_t k = 0; k < f->moves.n; k++)
			vec_push(&d->wiring, (struct wiring_row){WIRING_MOVE, i, k});
	}
	d->wiring_of = ctx->model;
	d->wiring_us = ctx->now_us;
}

static void wiring_rows(const struct view_ctx *ctx, row_vec *out)
{
	struct diag_rows *d = diag_rows_of(ctx);

	if (!d)
		return;
	refresh_faults(ctx, d);
	for (size_t i = 0; i < d->wiring.n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
}

static const struct wiring_row *row_of(
	const struct view_ctx *ctx, struct ref row, const struct wiring_fault **fault)
{
	const struct diag_rows *d = diag_rows_of(ctx);

	if (!d || d->wiring_of != ctx->model || row.kind != REF_ROW || row.seq >= d->wiring.n)
		return NULL;
	*fault = &d->faults.at[d->wiring.at[row.seq].fault];
	return &d->wiring.at[row.seq];
}

const struct wiring_fault *fault_of_row(const struct view_ctx *ctx, struct ref row)
{
	const struct wiring_fault *f;
	const struct wiring_row *w = row_of(ctx, row, &f);

	return w && w->part == WIRING_FAULT ? f : NULL;
}

static void cell_port(const struct view_ctx *ctx, uint32_t id, struct view_cell *out)
{
	char text[2 * NAME_MAX_LEN];

	if (id < ctx->model->ports.n)
		cell_text(out, ROLE_NORMAL, "%s",
			port_locator(ctx->model, ctx->model->ports.at[id], text, sizeof(text)));
}

static bool is_proof(const struct wiring_fault *f)
{
	return f->kind != WIRING_NO_PROOF && f->kind != WIRING_NO_NAMES;
}

static const char *kind_word(const struct wiring_fault *f)
{
	static const char *const words[] = {[WIRING_OK] = "",
		[WIRING_SWAP] = "swapped",
		[WIRING_ROTATION] = "rotated",
		[WIRING_OTHER] = "wrong port",
		[WIRING_NO_PROOF] = "no LLDP",
		[WIRING_NO_NAMES] = "no names"};

	if (f->wrong_tier)
		return "wrong tier";
	if (f->wrong_rail && f->kind == WIRING_OTHER)
		return "wrong rail";
	return (unsigned)f->kind < sizeof(words) / sizeof(words[0]) ? words[f->kind] : "?";
}

static void cell_fault(const struct wiring_fault *f, size_t col, struct view_cell *out)
{
	bool proof = is_proof(f);

	if (col == WIRES_STEP)
		cell_text(out, proof ? ROLE_CRIT : ROLE_UNKNOWN, "%s", proof ? "FAULT" : "?");
	else if (col == WIRES_WHERE)
		cell_text(out, proof ? ROLE_CRIT : ROLE_UNKNOWN, "%s", kind_word(f));
	else if (col == WIRES_WHAT)
		cell_text(out, ROLE_NORMAL, "%s", f->text);
	else if (col == WIRES_PLANNED)
		cell_text(out, ROLE_DIM, "%zu end%s", f->ports.n, str_plural(f->ports.n));
	else if (col == WIRES_FOUND)
		cell_text(out, ROLE_DIM, "%zu move%s", f->moves.n, str_plural(f->moves.n));
}

static void cell_cable(const struct view_ctx *ctx, uint32_t id, size_t col, struct view_cell *out)
{
	const struct port *p = model_port_at(ctx->model, id);

	if (!p)
		return;
	if (col == WIRES_STEP)
		cell_text(out, ROLE_NORMAL, "cable");
	else if (col == WIRES_WHERE)
		cell_port(ctx, id, out);
	else if (col == WIRES_PLANNED)
		cell_port(ctx, p->plan_peer, out);
	else if (col == WIRES_FOUND && p->lldp_device[0])
		cell_text(out, ROLE_WARN, "%s:%s!", p->lldp_device, p->lldp_port);
	else if (col == WIRES_WHAT)
		cell_text(out, ROLE_DIM, "%s", "");
}

static void cell_move(const struct view_ctx *ctx, const struct cable_move *move, size_t col,
	struct view_cell *out)
{
	if (col == WIRES_STEP)
		cell_text(out, ROLE_ACCENT, "move %u", move->step);
	else if (col == WIRES_WHERE)
		cell_port(ctx, move->cable_at, out);
	else if (col == WIRES_PLANNED)
		cell_port(ctx, move->to, out);
	else if (col == WIRES_FOUND)
		cell_port(ctx, move->from, out);
	else if (col == WIRES_WHAT)
		cell_text(out, ROLE_DIM, "move this cable");
}

static void wiring_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct wiring_fault *f;
	const struct wiring_row *w = row_of(ctx, row, &f);

	cell_unknown(out, VALID_UNKNOWN);
	if (!w)
		return;
	if (w->part == WIRING_FAULT)
		cell_fault(f, col, out);
	else if (w->part == WIRING_CABLE)
		cell_cable(ctx, f->ports.at[w->index], col, out);
	else
		cell_move(ctx, &f->moves.at[w->index], col, out);
}

static struct ref wiring_about(const struct view_ctx *ctx, struct ref row)
{
	const struct wiring_fault *f;
	const struct wiring_row *w = row_of(ctx, row, &f);
	uint32_t port = UINT32_MAX;

	if (w && w->part == WIRING_MOVE)
		port = f->moves.at[w->index].cable_at;
	else if (w && f->ports.n)
		port = f->ports.at[w->part == WIRING_CABLE ? w->index : 0];
	if (port >= ctx->model->ports.n)
		return (struct ref){.kind = REF_NONE};
	return (struct ref){.kind = REF_PORT, .port = port};
}

static bool wiring_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	return enter_place(ctx, wiring_about(ctx, row), view, scope);
}

static int wiring_panel(const struct view_ctx *ctx, struct region r)
{
	struct diag_rows *d = diag_rows_of(ctx);
	size_t faults = 0, unproven = 0, moves = 0;
	bool unnamed = false;
	struct panel_line line;

	if (!d)
		return 0;
	refresh_faults(ctx, d);
	for (size_t i = 0; i < d->faults.n; i++) {
		const struct wiring_fault *f = &d->faults.at[i];

		faults += f->kind != WIRING_OK && is_proof(f);
		unproven += !is_proof(f);
		unnamed |= f->kind == WIRING_NO_NAMES;
		moves += f->moves.n;
	}
	if (!faults && !unproven)
		return 0;
	panel_say(&line, faults ? ROLE_CRIT : ROLE_UNKNOWN, faults ? "CRIT" : "?",
		"%zu fault%s, repaired by %zu cable move%s; %zu not confirmed%s", faults,
		str_plural(faults), moves, str_plural(moves), unproven,
		unnamed ? "; state dialect: or wiring: file" : " by LLDP");
	return panel_draw(r, &line, 1);
}

/* Wiring without any report counts as unknown, not as right. */
static const char *wiring_empty(const struct view_ctx *ctx)
{
	const struct model *m = ctx->model;
	size_t planned = 0, told = 0;
	struct unnamed u = model_unnamed(m);

	for (size_t i = 0; i < m->ports.n; i++) {
		planned += m->ports.at[i]->plan_peer != PORT_NONE;
		told += m->ports.at[i]->plan_peer != PORT_NONE && m->ports.at[i]->lldp_device[0];
	}
	if (!planned && u.links)
		return "the plan has no port names yet: state dialect: in the inventory, or a "
		       "wiring file";
	if (!planned)
		return "the inventory has no wiring plan to compare with";
	if (!told)
		return "no port has reported an LLDP neighbour: the wiring is unknown";
	if (told < planned || u.links)
		return "all cables confirmed by LLDP match the plan; some are not confirmed";
	return "all cables match the plan, confirmed by LLDP at every port";
}

const struct view_ops view_wiring = {
	.name = "wiring",
	.title = "wiring",
	.help = "Cables that do not match the plan, by LLDP. First comes the fault, then each "
		"wrong end with the planned and the found peer. Then come the fewest moves that "
		"repair it, in the order in which ports become free. Enter shows the port.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = WIRES_COLUMNS,
	.rows = wiring_rows,
	.cell = wiring_cell,
	.enter = wiring_enter,
	.about = wiring_about,
	.panel = wiring_panel,
	.empty = wiring_empty,
};
