/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_STORM_TREE_H
#define VIEWS_PANELS_STORM_TREE_H

#include "diagnosis/pause_graph/pause_graph.h"
#include "views/diag_rows.h"

/*
 * Lays the pause graph out as a tree: a terminal (greatest blame first), below it what waits for
 * it, by when it was first seen. A node stands once, below the node that it mostly waits for; what
 * only leads round in a cycle stands on its own. Cost: n log n.
 */
void storm_layout(struct diag_rows *d, const struct model *m, const struct pause_graph *g);

#endif
