/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "fabric/placement/units.h"
#include "views/columns/columns.h"
#include "views/diag_rows.h"
#include "views/summary.h"

/* Pods of the backend, and how much of their hosts' traffic leaves their units and their pod. */

enum pods_column {
	PODS_NAME,
	PODS_UNITS,
	PODS_HOSTS,
	PODS_LEAVES,
	PODS_RAILS,
	PODS_SPINES,
	PODS_SENT,
	PODS_OVER_UNITS,
	PODS_OVER_PODS,
	PODS_ISLAND,
	PODS_COLUMNS
};

static const struct table_column columns[PODS_COLUMNS] = {
	[PODS_NAME] = {"pod", "pod", 14, 1, 0, false,
		"Hosts whose leaves share spines; by the name of its spine, or of the first one"},
	[PODS_UNITS] = {"units", "units", 5, 0, 0, true,
		"Sets of hosts that reach each other over one leaf on each rail"},
	[PODS_HOSTS] = {"hosts", "hosts", 6, 0, 0, true, "Hosts below its leaves"},
	[PODS_LEAVES] = {"leaves", "leaves", 6, 0, 1, true, "Leaves of its units"},
	[PODS_RAILS] = {"rails", "rails", 5, 0, 1, true,
		"Rails on one of its leaves: 1 in a rail fabric, more where a leaf has several "
		"NICs "
		"of a host"},
	[PODS_SPINES] = {"spines", "spines", 6, 0, 1, true, "Spines that its leaves share"},
	[PODS_SENT] = {"sent", "sent b/s", 8, 0, 0, true,
		"Bits per second that its hosts send into their leaves"},
	[PODS_OVER_UNITS] = {"over_units", "units%", 6, 0, 0, true,
		"Share of it that the leaves send up to spines, between units"},
	[PODS_OVER_PODS] = {"over_pods", "pods%", 6, 0, 0, true,
		"Share of it that the spines send up, between pods; none: there is nothing above"},
	[PODS_ISLAND] = {"island", "island", 14, 1, 2, false,
		"Pods with a path between them, by the first switch above"},
};

/* Of the wiring as it is: found anew when that changes. */
static const struct units *units_of_view(const struct view_ctx *ctx)
{
	struct diag_rows *d = diag_rows_of(ctx);

	if (!d)
		return NULL;
	if (d->units_of == ctx->model && d->units_wiring == ctx->model->wiring_generation)
		return &d->units;
	if (d->units_of)
		units_free(&d->units);
	units_find(ctx->model, &d->units);
	d->units_of = ctx->model;
	d->units_wiring = ctx->model->wiring_generation;
	return &d->units;
}

static void pods_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct units *u = units_of_view(ctx);

	for (size_t i = 0; u && i < u->pods.n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
}

/* Traffic of some switches; unknown as soon as that of one of them is, because a part is no share.
 */
struct traffic {
	double down, up; /* received from below, sent up; bits per second */
	bool climbs;     /* some of them have ports to the tier above */
};

static void add_switch(const struct view_ctx *ctx, uint32_t id, struct traffic *t)
{
	struct summary s;

	summary_device(ctx, ctx->model->devices.at[id], &s);
	t->down += s.rx_bps;
	if (!(s.up_capacity_bps > 0))
		return;
	t->climbs = true;
	t->up += s.up_tx_bps;
}

static struct traffic of_leaves(
	const struct view_ctx *ctx, const struct units *u, const struct pod *p)
{
	struct traffic t = {.climbs = false};

	for (size_t i = 0; i < p->units.n; i++)
		for (size_t k = 0; k < u->at.at[p->units.at[i]].leaves.n; k++)
			add_switch(ctx, u->at.at[p->units.at[i]].leaves.at[k], &t);
	return t;
}

static struct traffic of_spines(const struct view_ctx *ctx, const struct pod *p)
{
	struct traffic t = {.climbs = false};

	for (size_t i = 0; i < p->spines.n; i++)
		add_switch(ctx, p->spines.at[i], &t);
	return t;
}

/* Number of different rails among the NICs below a leaf. */
static unsigned rails_on(const struct model *m, uint32_t leaf)
{
	const struct device *d = m->devices.at[leaf];
	uint64_t seen = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *q = port_peer(m, m->ports.at[d->ports.at[i]], NULL);

		if (q && model_dev_of(m, q)->tier == TIER_HOST && q->rail >= 0 && q->rail < 64)
			seen |= UINT64_C(1) << q->rail;
	}
	return (unsigned)__builtin_popcountll(seen);
}

static unsigned most_rails(const struct model *m, const struct units *u, const struct pod *p)
{
	unsigned most = 0;

	for (size_t i = 0; i < p->units.n; i++)
		for (size_t k = 0; k < u->at.at[p->units.at[i]].leaves.n; k++) {
			unsigned n = rails_on(m, u->at.at[p->units.at[i]].leaves.at[k]);

			most = n > most ? n : most;
		}
	return most;
}

static size_t count_leaves(const struct units *u, const struct pod *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->units.n; i++)
		n += u->at.at[p->units.at[i]].leaves.n;
	return n;
}

static void cell_number(struct view_cell *out, size_t n)
{
	cell_text(out, n ? ROLE_NORMAL : ROLE_DIM, "%zu", n);
	out->number = (double)n;
	out->has_number = true;
}

static void cell_part(struct view_cell *out, const struct traffic *of, double sent)
{
	if (!of->climbs)
		cell_text(out, ROLE_DIM, "none");
	else if (sent > 0 && !isnan(of->up))
		cell_percent(out, fmin(of->up / sent * 100, 100), NAN, NAN);
}

static void pods_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct units *u = units_of_view(ctx);
	const struct pod *p;
	struct traffic leaves, spines;

	cell_unknown(out, VALID_UNKNOWN);
	if (!u || row.kind != REF_ROW || row.seq >= u->pods.n)
		return;
	p = &u->pods.at[row.seq];
	switch (col) {
	case PODS_NAME:
		cell_text(out, ROLE_NORMAL, "%s", p->name);
		break;
	case PODS_UNITS:
		cell_number(out, p->units.n);
		break;
	case PODS_HOSTS:
		cell_number(out, p->hosts);
		break;
	case PODS_LEAVES:
		cell_number(out, count_leaves(u, p));
		break;
	case PODS_RAILS:
		cell_number(out, most_rails(ctx->model, u, p));
		break;
	case PODS_SPINES:
		cell_number(out, p->spines.n);
		break;
	case PODS_SENT:
		leaves = of_leaves(ctx, u, p);
		if (!isnan(leaves.down))
			cell_bps(ctx, out, leaves.down);
		break;
	case PODS_OVER_UNITS:
		leaves = of_leaves(ctx, u, p);
		cell_part(out, &leaves, leaves.down);
		break;
	case PODS_OVER_PODS:
		leaves = of_leaves(ctx, u, p);
		spines = of_spines(ctx, p);
		cell_part(out, &spines, leaves.down);
		break;
	case PODS_ISLAND:
		if (p->island < u->islands.n)
			cell_text(out, ROLE_DIM, "%s", u->islands.at[p->island].name);
		break;
	default:
		break;
	}
}

const struct view_ops view_pods = {
	.name = "pods",
	.title = "pods",
	.help = "Pods of the backend, as LLDP and plan show them, with the traffic of their hosts: "
		"the "
		"share that leaves a unit over the spines, and the share that leaves the pod. A "
		"job "
		"that fits into one unit or pod should have little of either. rails: NICs of "
		"several "
		"rails on one leaf keep more of it there.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = PODS_COLUMNS,
	.rows = pods_rows,
	.cell = pods_cell,
};
