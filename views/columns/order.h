/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_COLUMNS_ORDER_H
#define VIEWS_COLUMNS_ORDER_H

#include "fabric/model/model.h"

/*
 * ECN against PFC: the senders should slow down by marks before a queue has to be paused. Of a
 * port: the share of its lossless packets that it marks, against the share of time that its peer
 * pauses it for. Of a switch: the share that all its ports mark, against the time for which it
 * pauses its peers, a mean of its ports. Per cent, NAN: not known.
 */
struct order {
	double marked, paused;
	bool bound; /* paused is an upper bound, from frames */
};
struct order order_of_port(const struct model *m, const struct port *p);
struct order order_of_device(const struct model *m, const struct device *d);

/* Less than this per cent of either is none. */
#define ORDER_NOTHING 0.01

enum order_kind {
	ORDER_UNKNOWN,
	ORDER_QUIET,       /* neither */
	ORDER_ECN,         /* marks, and no pauses worth the name */
	ORDER_ECN_FIRST,   /* both, more marks */
	ORDER_PFC_FIRST,   /* both, more pauses */
	ORDER_PFC_ALONE,   /* pauses without a mark */
	ORDER_PFC_UNKNOWN, /* pauses; marks are not counted */
};
enum order_kind order_kind(struct order o);
#endif
