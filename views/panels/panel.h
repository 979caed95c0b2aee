/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_PANEL_H
#define VIEWS_PANELS_PANEL_H

#include "views/common.h"

/*
 * Panels are made of lines: a word that carries the severity, then text. The lines are made apart
 * from the drawing, so that they can be tested without a screen.
 */
struct panel_line {
	enum role role; /* of head */
	char head[16];  /* "CRIT", "peer", "" */
	char text[320];
};

/*
 * How many of h lines a tall panel takes. The console keeps room for a header and four rows; the
 * tables below tall panels have eight (rails, priorities), so four lines more are left to them
 * unless that would starve the panel.
 */
int panel_height(int h);
/* Draws as many lines as fit and returns how many. */
int panel_draw(struct region r, const struct panel_line *lines, size_t n);
/* A line of label and text. */
void panel_say(struct panel_line *l, enum role role, const char *head, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* One line about a rail or a device: its verdict, what it has, how current it is. */
void panel_rail_line(const struct view_ctx *ctx, int rail, struct panel_line *out);
void panel_device_line(const struct view_ctx *ctx, const struct device *d, struct panel_line *out);
/* How old its data is, and whose: "from Prometheus, <1m old", "<10s direct"; "<10s" where no engine
 * tells about the device. Returns dst. */
const char *source_text(const struct view_ctx *ctx, const struct device *d, char *dst, size_t size);
/* Why it cannot be asked itself, where it was tried; 0 lines or one. */
size_t not_asked_line(const struct device *d, struct panel_line *out);
/* view_ops.panel of a device: that line and, when it does not answer, the error with its cure. */
int panel_device(const struct view_ctx *ctx, struct region r);
/* The same for a host, with the odd one out among its NICs. */
int panel_host(const struct view_ctx *ctx, struct region r);

/* ---- parts that tables of ports share ---- */

/* view_ops.rows: the ports of the scope's device in natural order. */
void device_port_rows(const struct view_ctx *ctx, row_vec *out);
/* view_ops.empty: why a device shows no port. */
const char *device_ports_empty(const struct view_ctx *ctx);
/* view_ops.enter: the port view of the row's port. */
bool enter_port(const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope);

#endif
