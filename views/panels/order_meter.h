/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_ORDER_METER_H
#define VIEWS_PANELS_ORDER_METER_H

#include "views/columns/order.h"
#include "views/panels/panel.h"

/* ECN against PFC as two bars on a logarithmic scale; 0: nothing of it is known. */
size_t order_line(struct order o, struct panel_line *out);

#endif
