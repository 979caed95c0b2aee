/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_CLUSTER_PANEL_H
#define VIEWS_PANELS_CLUSTER_PANEL_H

#include "views/panels/panel.h"

/*
 * view_ops.panel of the cluster: verdict, poll health, heat map beside the worst devices and ports.
 */
int cluster_panel(const struct view_ctx *ctx, struct region r);

/* Verdict and census; devices by freshness. */
void cluster_state_line(const struct view_ctx *ctx, struct panel_line *out);
void cluster_poll_line(const struct view_ctx *ctx, struct panel_line *out);

/*
 * The map: a row for each rail, then one for the spines and one for the superspines if there are
 * any; a column for each leaf of the rail. If there are more devices than columns, a cell stands
 * for several and shows the worst of them.
 */
#define HEAT_COLUMNS_MAX 64
struct heat {
	const struct view_ctx *ctx;
	int rails, rows, columns;
	int cell_width;
	int share; /* leaves in a column */
	/* Device ids of each row in natural order; row_at[r] .. row_at[r + 1]. */
	VEC(uint32_t) devices;
	VEC(size_t) row_at;
	const struct device *cause, *cause_peer; /* of the banner; NULL: none */
	VEC(int) kept;                           /* of heat_keep(): rows of the map, in order */
	bool blind;                              /* no device answers: then the map knows nothing */
};
/* width: the columns that the map may use. heat_free() frees it. */
void heat_init(struct heat *h, const struct view_ctx *ctx, int width);
void heat_free(struct heat *h);
/*
 * Where not all rows fit, those of the cause and the worst ones stay, in their order. Returns how
 * many there are; h->kept has them.
 */
int heat_keep(struct heat *h, int most);
void heat_cell(const struct heat *h, int row, int column, struct table_cell *out);
void heat_row_label(const struct heat *h, int row, char *dst, size_t size);
void heat_column_label(const struct heat *h, int column, char *dst, size_t size);

#endif
