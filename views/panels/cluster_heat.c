/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "views/panels/cause.h"
#include "views/panels/cluster_panel.h"
#include "views/summary.h"

#define HEAT_LABEL 6 /* "spine " */

/* The row of a device: leaves by rail, spines, superspines; -1: not on the map. */
static int heat_row_of(const struct heat *h, const struct device *d)
{
	switch (d->tier) {
	case TIER_LEAF:
		return d->rail >= 0 && d->rail < h->rails ? d->rail : -1;
	case TIER_SPINE:
		return h->rails;
	case TIER_SUPERSPINE:
		return h->rails + 1;
	default:
		return -1;
	}
}

/* Collects the devices by row, in two passes: there are thousands. */
static void heat_gather(struct heat *h)
{
	const struct model *m = h->ctx->model;
	size_t rows = (size_t)h->rails + 2, *at = mem_calloc(rows + 1, sizeof(*at));

	for (size_t i = 0; i < m->devices.n; i++) {
		int row = heat_row_of(h, m->devices.at[i]);

		if (row >= 0)
			at[row + 1]++;
	}
	vec_push(&h->row_at, (size_t)0);
	for (size_t row = 0; row < rows; row++) {
		at[row + 1] += at[row];
		/* A fabric without spines or superspines has no rows for them. */
		if (row >= (size_t)h->rails && at[row + 1] == at[row])
			continue;
		vec_push(&h->row_at, at[row + 1]);
		h->rows++;
	}
	vec_reserve(&h->devices, at[rows] + 1);
	h->devices.n = at[rows];
	for (size_t i = 0; i < m->devices.n; i++) {
		int row = heat_row_of(h, m->devices.at[i]);

		if (row >= 0)
			h->devices.at[at[row]++] = (uint32_t)i;
	}
	free(at);
}

static int row_length(const struct heat *h, int row)
{
	return (int)(h->row_at.at[row + 1] - h->row_at.at[row]);
}

void heat_init(struct heat *h, const struct view_ctx *ctx, int width)
{
	int longest = 0, fit;
	const struct finding *f = cause_finding(ctx);
	struct coverage cover = model_coverage(ctx->model);

	*h = (struct heat){.ctx = ctx, .rails = view_rails(ctx->model)};
	h->cause = f ? ref_device(ctx->model, f->at) : NULL;
	h->cause_peer = f ? ref_device(ctx->model, f->peer) : NULL;
	heat_gather(h);
	h->blind = cover.devices && !cover.by_state[DEV_FRESH] && !cover.by_state[DEV_LATE];
	for (int row = 0; row < h->rails; row++)
		longest = row_length(h, row) > longest ? row_length(h, row) : longest;
	/* Spines decide the width only if there is no leaf; four spines always fit. */
	for (int row = h->rails; row < h->rows; row++)
		if (longest < 4)
			longest = row_length(h, row) < 4 ? row_length(h, row) : 4;
	/* A label that is cut off would be that of another leaf. */
	h->cell_width = longest <= 8 || longest > 100 ? 3 : 2;
	if (longest > 1000)
		h->cell_width = 4;
	fit = (width - HEAT_LABEL) / (h->cell_width + 1);
	if (fit > HEAT_COLUMNS_MAX)
		fit = HEAT_COLUMNS_MAX;
	if (fit < 1)
		fit = 1;
	/* Columns of several leaves have equally many, so that each label is right: "14+". */
	h->share = longest > fit ? (longest + fit - 1) / fit : 1;
	h->columns = (longest + h->share - 1) / h->share;
	if (h->columns < 1)
		h->columns = 1;
	if (h->share > 1 && HEAT_LABEL + h->columns * 4 <= width)
		h->cell_width = 3;
}

void heat_free(struct heat *h)
{
	vec_free(&h->devices);
	vec_free(&h->row_at);
	vec_free(&h->kept);
}

/*
 * The devices of a cell. Leaves stand under the label with their index, whatever their number in
 * this row. Spines have no labels: one in a cell if the row is short enough, else an equal share.
 */
static void heat_share(const struct heat *h, int row, int column, size_t *from, size_t *to)
{
	size_t start = h->row_at.at[row], n = (size_t)row_length(h, row);
	size_t columns = (size_t)h->columns, c = (size_t)column, share = (size_t)h->share;

	if (row < h->rails) {
		*from = start + (c * share < n ? c * share : n);
		*to = start + ((c + 1) * share < n ? (c + 1) * share : n);
	} else if (n <= columns) {
		*from = start + (c < n ? c : n);
		*to = start + (c < n ? c + 1 : n);
	} else {
		*from = start + c * n / columns;
		*to = start + (c + 1) * n / columns;
	}
}

/* Writes "W12", "v50" or "W+": the count as far as it fits beside the letter. */
static void heat_count(
	const struct heat *h, const char *letter, unsigned bad, struct table_cell *out)
{
	unsigned most = h->cell_width >= 3 ? 99 : 9;

	if (!bad)
		(void)str_printf(out->text, sizeof(out->text), "%s", letter);
	else if (bad <= most)
		(void)str_printf(out->text, sizeof(out->text), "%s%u", letter, bad);
	else
		(void)str_printf(out->text, sizeof(out->text), "%s+", letter);
}

static bool is_victim(const struct heat *h, const struct device *d)
{
	struct summary s;

	summary_device(h->ctx, d, &s);
	return cause_victim(h->ctx, d, &s.health);
}

void heat_cell(const struct heat *h, int row, int column, struct table_cell *out)
{
	enum severity worst = SEV_UNKNOWN;
	unsigned bad = 0;
	bool cause = false, victims = true;
	size_t from, to;

	out->text[0] = '\0';
	out->role = ROLE_DIM;
	if (row < 0 || row >= h->rows || column < 0 || column >= h->columns)
		return;
	heat_share(h, row, column, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct device *d = h->ctx->model->devices.at[h->devices.at[i]];
		unsigned more;
		enum severity one = summary_severity(h->ctx, d, &more);

		cause |= h->cause && (d == h->cause || d == h->cause_peer);
		worst = one > worst ? one : worst;
		victims &= one < SEV_WARN || is_victim(h, d);
		bad += more;
	}
	if (from == to)
		return;
	out->role = role_of_severity(worst);
	/* The place of the cause stands out among its victims. */
	if (cause) {
		out->role = ROLE_CRIT;
		(void)str_copy(out->text, sizeof(out->text), h->cell_width >= 3 ? "[X]" : "X");
	} else if (h->blind)
		(void)str_copy(out->text, sizeof(out->text), severity_letter(SEV_UNKNOWN));
	else if (worst >= SEV_WARN)
		heat_count(h, victims ? "v" : severity_letter(worst), bad, out);
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

/* The index of the column's first leaf, with a + if others follow in it and the cell has room. */
void heat_column_label(const struct heat *h, int column, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%d", column * h->share);
	if (h->share > 1 && (int)strlen(dst) < h->cell_width)
		(void)str_printf(dst, size, "%d+", column * h->share);
}

/* The worst of a row: above all others where the cause is. */
static int row_weight(const struct heat *h, int row)
{
	int worst = -1;

	for (size_t i = h->row_at.at[row]; i < h->row_at.at[row + 1]; i++) {
		const struct device *d = h->ctx->model->devices.at[h->devices.at[i]];
		unsigned more;
		int one = (int)summary_severity(h->ctx, d, &more);

		if (h->cause && (d == h->cause || d == h->cause_peer))
			return SEV_CRIT + (d == h->cause ? 2 : 1);
		worst = one > worst ? one : worst;
	}
	return worst;
}

int heat_keep(struct heat *h, int most)
{
	h->kept.n = 0;
	for (int row = 0; row < h->rows; row++)
		vec_push(&h->kept, row);
	while ((int)h->kept.n > most && h->kept.n) {
		size_t least = 0;

		/* The last of equals goes. */
		for (size_t i = 1; i < h->kept.n; i++)
			if (row_weight(h, h->kept.at[i]) <= row_weight(h, h->kept.at[least]))
				least = i;
		memmove(&h->kept.at[least], &h->kept.at[least + 1],
			(h->kept.n - least - 1) * sizeof(h->kept.at[0]));
		h->kept.n--;
	}
	return (int)h->kept.n;
}
