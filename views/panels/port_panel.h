/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_PORT_PANEL_H
#define VIEWS_PANELS_PORT_PANEL_H

#include "views/panels/panel.h"

/* view_ops.panel of a port: its two ends side by side, one above the other when it is narrow. */
int port_panel(const struct view_ctx *ctx, struct region r);

/*
 * One end of a link as lines, the most important first. The history of a line (chart NULL: none) is
 * drawn behind its text; top is its full scale, 0: by its largest sample.
 */
struct end_line {
	struct panel_line line;
	const struct port *chart; /* whose counter that is */
	enum counter_id counter;
	unsigned sub;
	double top;
	bool hour; /* all that is kept, by time and the largest of each stretch; else the newest
		      polls */
};
#define END_LINES 21
size_t port_end_lines(const struct view_ctx *ctx, const struct port *p, struct end_line *out);
/* Where the knowledge about the other end comes from, and whether plan and LLDP agree. */
void port_neighbour_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out);

#endif
