/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_BGP_NEIGHBORS_H
#define BACKENDS_PARSE_BGP_NEIGHBORS_H

#include "backends/parse/json_value.h"
#include "fabric/vocabulary/observation.h"

/*
 * Reads BGP neighbours as objects by name, {"swp1": {"state": ...}}: NVUE's `router bgp neighbor`,
 * and FRR's "show bgp [vrf all] neighbors json", which may group them by VRF. Adds a session for
 * each address family of a neighbour and sets bgp_whole. Returns the number of neighbours.
 */
size_t bgp_read_neighbors(const struct json_value *doc, struct obs *o);

#endif
