/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "views/cluster_panel.h"
#include "views/summary.h"

#define HEAT_LABEL 6 /* "spine " */

static void heat_add_row(struct heat *h, enum tier tier, int rail)
{
	const struct model *m = h->ctx->model;
	size_t before = h->devices.n;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (d->tier == tier && (tier != TIER_LEAF || d->rail == rail))
			vec_push(&h->devices, d->id);
	}
	if (tier != TIER_LEAF && h->devices.n == before)
		return;
	vec_push(&h->row_at, h->devices.n);
	h->rows++;
}

static int row_length(const struct heat *h, int row)
{
	return (int)(h->row_at.at[row + 1] - h->row_at.at[row]);
}

void heat_init(struct heat *h, const struct view_ctx *ctx, int width)
{
	int longest = 0, fit;

	*h = (struct heat){.ctx = ctx, .rails = view_rails(ctx->model)};
	vec_push(&h->row_at, (size_t)0);
	for (int rail = 0; rail < h->rails; rail++)
		heat_add_row(h, TIER_LEAF, rail);
	heat_add_row(h, TIER_SPINE, -1);
	heat_add_row(h, TIER_SUPERSPINE, -1);
	for (int row = 0; row < h->rails; row++)
		longest = row_length(h, row) > longest ? row_length(h, row) : longest;
	/* Spines alone decide only where there is no leaf at all; four fit anywhere. */
	for (int row = h->rails; row < h->rows; row++)
		if (longest < 4)
			longest = row_length(h, row) < 4 ? row_length(h, row) : 4;
	h->cell_width = longest <= 8 ? 3 : 2;
	fit = (width - HEAT_LABEL) / (h->cell_width + 1);
	if (fit > HEAT_COLUMNS_MAX)
		fit = HEAT_COLUMNS_MAX;
	h->columns = longest < fit ? longest : fit;
	if (h->columns < 1)
		h->columns = 1;
}

void heat_free(struct heat *h)
{
	vec_free(&h->devices);
	vec_free(&h->row_at);
}

/* The devices that a cell stands for: one where the row is short enough, else an equal share. */
static void heat_share(const struct heat *h, int row, int column, size_t *from, size_t *to)
{
	size_t start = h->row_at.at[row], n = (size_t)row_length(h, row);
	size_t columns = (size_t)h->columns, c = (size_t)column;

	if (n <= columns) {
		*from = start + (c < n ? c : n);
		*to = start + (c < n ? c + 1 : n);
	} else {
		*from = start + c * n / columns;
		*to = start + (c + 1) * n / columns;
	}
}

/* "W12", "W9+" or "W+": what fits beside the letter. */
static void heat_count(const struct heat *h, enum severity s, unsigned bad, struct table_cell *out)
{
	unsigned most = h->cell_width >= 3 ? 99 : 9;

	if (!bad)
		(void)str_printf(out->text, sizeof(out->text), "%s", severity_letter(s));
	else if (bad <= most)
		(void)str_printf(out->text, sizeof(out->text), "%s%u", severity_letter(s), bad);
	else
		(void)str_printf(out->text, sizeof(out->text), "%s+", severity_letter(s));
}

void heat_cell(const struct heat *h, int row, int column, struct table_cell *out)
{
	enum severity worst = SEV_UNKNOWN;
	unsigned bad = 0;
	size_t from, to;

	out->text[0] = '\0';
	out->role = ROLE_DIM;
	if (row < 0 || row >= h->rows || column < 0 || column >= h->columns)
		return;
	heat_share(h, row, column, &from, &to);
	for (size_t i = from; i < to; i++) {
		struct summary s;

		summary_device(h->ctx, h->ctx->model->devices.at[h->devices.at[i]], &s);
		if (s.health.severity > worst)
			worst = s.health.severity;
		bad += s.by_severity[SEV_WARN] + s.by_severity[SEV_CRIT];
	}
	if (from == to)
		return;
	out->role = role_of_severity(worst);
	if (worst >= SEV_WARN)
		heat_count(h, worst, bad, out);
	else
		(void)str_copy(out->text, sizeof(out->text), worst == SEV_OK ? "ok" : "?");
}

void heat_row_label(const struct heat *h, int row, char *dst, size_t size)
{
	const struct device *d;

	if (row < h->rails) {
		(void)str_printf(dst, size, "r%d", row);
		return;
	}
	d = h->ctx->model->devices.at[h->devices.at[h->row_at.at[row]]];
	(void)str_copy(dst, size, d->tier == TIER_SPINE ? "spine" : "super");
}

/* The index of the first leaf that the column stands for. */
void heat_column_label(const struct heat *h, int column, char *dst, size_t size)
{
	int longest = h->columns;

	for (int row = 0; row < h->rails; row++)
		longest = row_length(h, row) > longest ? row_length(h, row) : longest;
	(void)str_printf(dst, size, "%d", column * longest / h->columns);
}
