/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_RAIL_FABRIC_H
#define TESTS_SUPPORT_RAIL_FABRIC_H

#include "fabric/model/model.h"

/*
 * Fabrics of hosts with RAIL_FABRIC_RAILS NICs (mlx5_0, ...), each on a leaf of its own. `each`
 * hosts are below one set of leaves: node0-0, node0-1, ... below leaf0-0 to leaf3-0, and so on.
 * sets_in_pod sets share a spine (spine0-0, ...), 0: there is none; with top all spines have a
 * superspine. Nothing was heard yet: the plan alone has the links.
 */
#define RAIL_FABRIC_RAILS 4
#define RAIL_FABRIC_NOW   (INT64_C(1700000000) * 1000000)
#define RAIL_FABRIC_COMM  "0x9bd8b4c5a3b1e8f7"
struct rail_shape {
	unsigned hosts, each, sets_in_pod;
	bool top;
};
struct model *rail_fabric(struct rail_shape s);
/*
 * A job: ranks 0..n-1, `gpus` of each host, GPU k with NIC k; host(i) is the number of the i-th
 * host in the order of ranks.
 */
void rail_fabric_job(struct model *m, unsigned n, unsigned gpus, unsigned (*host)(unsigned i));

#endif
