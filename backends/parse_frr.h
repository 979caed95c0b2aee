/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_FRR_H
#define BACKENDS_PARSE_FRR_H

#include "fabric/observation.h"

/*
 * What FRR's vtysh prints as JSON, wherever FRR runs (SONiC, Cumulus, Linux).
 */

/*
 * Reads the text that vtysh printed: the JSON, or why there is none. Says NEED_BGP: ok; disabled
 * when FRR runs without BGP or bgpd is not there; unsupported without vtysh. True when it was
 * understood, also where there is no BGP.
 */
bool frr_read_bgp(const char *bytes, size_t len, struct obs *o);

#endif
