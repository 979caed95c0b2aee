/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "views/columns/columns.h"
#include "views/panels/cause.h"
#include "views/outlier.h"

/* The first NICs have a column; the outlier is found among all. */
#define HOSTS_NICS 8

enum hosts_column {
	HOSTS_NAME,
	HOSTS_STATE,
	HOSTS_NIC0,
	HOSTS_ODD = HOSTS_NIC0 + HOSTS_NICS,
	HOSTS_DATA,
	HOSTS_RX,
	HOSTS_TX,
	HOSTS_WHY,
	HOSTS_COLUMNS
};

#define NIC_HELP                                                                                   \
	"NIC of this rail: per cent of line rate, the busier direction; W or C before it: its "    \
	"state; dn: down; * behind it: the NIC is the outlier"

static const struct table_column columns[HOSTS_COLUMNS] = {
	[HOSTS_NAME] = {"host", "host", 8, 0, 0, false, "Name of the host"},
	[HOSTS_STATE] = COLUMN_STATE,
	[HOSTS_NIC0] = {"r0", "r0", 5, 0, 0, true, NIC_HELP},
	{"r1", "r1", 5, 0, 0, true, NIC_HELP},
	{"r2", "r2", 5, 0, 0, true, NIC_HELP},
	{"r3", "r3", 5, 0, 0, true, NIC_HELP},
	{"r4", "r4", 5, 0, 0, true, NIC_HELP},
	{"r5", "r5", 5, 0, 0, true, NIC_HELP},
	{"r6", "r6", 5, 0, 0, true, NIC_HELP},
	{"r7", "r7", 5, 0, 0, true, NIC_HELP},
	[HOSTS_ODD] = {"odd", "outlier", 16, 2, 1, false,
		"The NIC that differs from the others of its host, with the number that differs"},
	[HOSTS_DATA] = {"data", "data", 7, 0, 2, false,
		"State of the data: fresh, late, stale, unreachable, unauthorised, not_understood"},
	[HOSTS_RX] = {"rx", "rx b/s", 6, 0, 2, true, "Bits per second received by all NICs"},
	[HOSTS_TX] = {"tx", "tx b/s", 6, 0, 2, true, "Bits per second sent by all NICs"},
	[HOSTS_WHY] = {"why", "why", 24, 2, 3, false, "Problem found by the worst rule"},
};

static void hosts_rows(const struct view_ctx *ctx, row_vec *out)
{
	for (size_t i = 0; i < ctx->model->devices.n; i++)
		if (ctx->model->devices.at[i]->tier == TIER_HOST)
			vec_push(out, ref_of_device(ctx->model->devices.at[i]));
}

static void cell_odd(const struct view_ctx *ctx, const struct device *d, struct view_cell *out)
{
	struct outlier odd = summary_odd(ctx, d);

	/* Old numbers have an outlier of then, not of now. */
	if (!odd.text[0] && device_is_old(d))
		cell_text(out, ROLE_WARN, "data %s", dev_state_name(d->state));
	else
		cell_text(out, ROLE_WARN, "%s", odd.text);
}

/* "74%", "W74%", "Cdn", "74%*". */
static void cell_nic(
	const struct view_ctx *ctx, const struct device *d, size_t nic, struct view_cell *out)
{
	const struct port *nics[ODD_NICS], *p;
	struct health h;
	double util;
	char text[16];
	bool odd;

	host_nics(ctx->model, d, nics);
	p = nics[nic];
	cell_unknown(out, VALID_UNKNOWN);
	if (!p)
		return;
	h = summary_health(ctx, p);
	util = fmax(port_utilisation(p, DIR_RX), port_utilisation(p, DIR_TX)) * 100;
	odd = summary_odd(ctx, d).nic == (int)nic;
	if (p->oper == OPER_DOWN)
		(void)str_copy(text, sizeof(text), "dn");
	else if (util < 9.5)
		(void)str_printf(text, sizeof(text), "%.0f%%", util);
	else
		(void)percent_text(util, text, sizeof(text));
	cell_text(out, odd && h.severity < SEV_WARN ? ROLE_WARN : role_of_severity(h.severity),
		"%s%s%s", h.severity > SEV_OK ? severity_letter(h.severity) : "", text,
		odd ? "*" : "");
	if (h.severity == SEV_OK && !odd)
		out->role = ROLE_NORMAL;
	/*
	 * A port that is down has no traffic: it sorts before idle ones, whatever the last rate
	 * was.
	 */
	out->number = p->oper == OPER_DOWN ? 0 : util;
	out->has_number = true;
	if (device_is_old(d))
		cell_mark_old(out);
}

static void hosts_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	static const enum column kinds[HOSTS_COLUMNS] = {[HOSTS_NAME] = COL_NAME,
		[HOSTS_STATE] = COL_STATE,
		[HOSTS_DATA] = COL_DATA,
		[HOSTS_RX] = COL_RX,
		[HOSTS_TX] = COL_TX,
		[HOSTS_WHY] = COL_WHY};
	const struct device *d = view_device_of(ctx, row);

	if (!d || col >= HOSTS_COLUMNS)
		cell_unknown(out, VALID_UNKNOWN);
	else if (col == HOSTS_ODD)
		cell_odd(ctx, d, out);
	else if (col >= HOSTS_NIC0 && col < HOSTS_NIC0 + HOSTS_NICS)
		cell_nic(ctx, d, col - HOSTS_NIC0, out);
	else
		cause_device_column(ctx, d, kinds[col], out);
}

static bool hosts_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (!view_device_of(ctx, row))
		return false;
	*view = "host";
	*scope = row;
	return true;
}

static const char *hosts_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "the inventory has no host";
}

const struct view_ops view_hosts = {
	.name = "hosts",
	.title = "hosts",
	.help = "One row a host, its NICs side by side, one a rail. The NICs of a host do the same "
		"work in a collective. So look at the outlier even where no rule is broken: it has "
		"a * and is named at the end of the row. If all NICs of a host are slow, the cause "
		"is elsewhere.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = HOSTS_COLUMNS,
	.sort = "-state",
	.rows = hosts_rows,
	.cell = hosts_cell,
	.enter = hosts_enter,
	.empty = hosts_empty,
};
