/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_NET_TILES_H
#define VIEWS_PANELS_NET_TILES_H

#include "fabric/model/nets.h"
#include "views/panels/panel.h"
#include "views/view.h"

/* The networks of the site, each judged apart. */
struct net_tile {
	struct net_count count;
	unsigned crit, warn;    /* open findings in it that are no symptoms */
	enum severity severity; /* SEV_OK only if all of it was seen and nothing is wrong */
	const char *why;        /* of another severity, a few words; never NULL */
	char worst[96];         /* title of its first critical or warning finding, "" */
};

/*
 * The tiles of all networks, at [NET_COUNT] of ports whose network is not known; valid until the
 * next call. They are made again at most once a second. NULL without a cache.
 */
const struct net_tile *net_tiles(const struct view_ctx *ctx);
/* Whether the network has any device or port. */
bool net_tile_exists(const struct net_tile *t);
/* A line of all networks. False: there is only one. */
bool net_tiles_line(const struct view_ctx *ctx, struct panel_line *out);

#endif
