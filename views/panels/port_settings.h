/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_PORT_SETTINGS_H
#define VIEWS_PANELS_PORT_SETTINGS_H

#include "views/panels/panel.h"

/* The settings of a port, as short as panels and columns need them. */

/* The DSCPs that are mapped to the traffic class: "26", "24-31,46"; "" none, "-" unknown. */
void settings_dscps(const struct port *p, unsigned tc, char *dst, size_t size);
/* Bytes in three digits: "500k"; "-" for UINT32_MAX. */
void settings_bytes(uint32_t bytes, char *dst, size_t size);

/* Lines of a panel; each is false when the port has not reported the setting. */
bool settings_map_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out);
bool settings_ecn_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out);
bool settings_nic_line(const struct port *p, struct panel_line *out);
bool settings_limits_line(const struct port *p, struct panel_line *out);
bool settings_fec_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out);

#endif
