/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_PANEL_H
#define VIEWS_PANELS_PANEL_H

#include "views/common.h"

/*
 * Panels consist of lines: a word that shows the severity, then text. The lines are made separately
 * from the drawing, so that tests need no screen.
 */
struct panel_line {
	enum role role; /* of head */
	char head[16];  /* "CRIT", "peer", "" */
	char text[320];
};

/*
 * The number of lines of a tall panel, out of h. The console keeps room for a header and four rows.
 * Tables below tall panels have eight rows (rails, priorities), so the panel leaves four more
 * lines, unless it would become too small.
 */
int panel_height(int h);
/* Draws as many lines as fit and returns their number. */
int panel_draw(struct region r, const struct panel_line *lines, size_t n);
/* A line of label and text. */
void panel_say(struct panel_line *l, enum role role, const char *head, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* One line about a rail or a device: verdict, contents, age of its data. */
void panel_rail_line(const struct view_ctx *ctx, int rail, struct panel_line *out);
/* The way of the poll, where the device has told it; returns the number of lines, 0 or 1. */
size_t poll_path_line(const struct view_ctx *ctx, const struct device *d, struct panel_line *out);
void panel_device_line(const struct view_ctx *ctx, const struct device *d, struct panel_line *out);
/*
 * The age and the source of its data: "from Prometheus, <1m old", "<10s direct"; "<10s" if no
 * engine reports the device. Returns dst.
 */
const char *source_text(const struct view_ctx *ctx, const struct device *d, char *dst, size_t size);
/* The reason why the device cannot be polled directly, if that was tried; 0 lines or one. */
size_t not_asked_line(const struct device *d, struct panel_line *out);
/* view_ops.panel of a device: that line and, when it does not answer, the error with its cure. */
int panel_device(const struct view_ctx *ctx, struct region r);
/* The same for a host, with the odd one out among its NICs. */
int panel_host(const struct view_ctx *ctx, struct region r);

/* ---- parts of tables of ports ---- */

/* view_ops.rows: the ports of the scope's device in natural order. */
void device_port_rows(const struct view_ctx *ctx, row_vec *out);
/* view_ops.empty: the reason why a device shows no port. */
const char *device_ports_empty(const struct view_ctx *ctx);
/* view_ops.enter: the port view of the row's port. */
bool enter_port(const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope);

#endif
