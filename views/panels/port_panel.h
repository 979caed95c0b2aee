/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_PORT_PANEL_H
#define VIEWS_PANELS_PORT_PANEL_H

#include "views/panels/panel.h"

/*
 * view_ops.panel of a port: its two ends side by side, or one above the other on a narrow screen.
 */
int port_panel(const struct view_ctx *ctx, struct region r);

/*
 * One end of a link as lines, the most important first. The history of a line (chart NULL: none) is
 * drawn behind its text; top is its full scale, 0: its largest sample.
 */
struct end_line {
	struct panel_line line;
	const struct port *chart; /* the port of the counter */
	const struct port *strip; /* its ups and downs are drawn instead (link_strip.h) */
	counter_id counter;
	unsigned sub;
	double top;
	bool hour; /* the whole history by time, the largest of each interval; else the newest polls
		    */
};
#define END_LINES 25
size_t port_end_lines(const struct view_ctx *ctx, const struct port *p, struct end_line *out);
/* The source of the knowledge about the other end, and whether plan and LLDP agree. */
void port_neighbour_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out);

#endif
