/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_STORM_TREE_H
#define VIEWS_PANELS_STORM_TREE_H

#include "diagnosis/pause_graph/pause_graph.h"
#include "views/diag_rows.h"

/*
 * Lays the pause graph out as a tree: terminals first (greatest blame first), below each the ports
 * that wait for it, by the time they were first seen. A node appears once, below the node that it
 * mostly waits for. A node that only leads into a cycle is a root of its own. Cost: n log n.
 */
void storm_layout(struct diag_rows *d, const struct model *m, const struct pause_graph *g);

/*
 * Folds ports of one device that wait for the same port, equally long, and delay nobody; NICs of
 * hosts likewise. Only for a layout that storm_layout() made.
 */
void storm_fold(struct diag_rows *d, const struct model *m, const struct pause_graph *g);

#endif
