/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_FRR_H
#define BACKENDS_PARSE_FRR_H

#include "fabric/vocabulary/observation.h"

/*
 * What FRR's vtysh prints as JSON, wherever FRR runs (SONiC, Cumulus, Linux).
 */

/*
 * Behind vtysh, for a shell: leaves out the members that nothing is read of, half of what it
 * prints. Only lines that are one member and end with a comma go, so that what is left is as valid
 * as it was; whatever is no such line passes. No '*': it is part of a pattern in
 * backends/contract/reads.h.
 */
#define FRR_BGP_FILTER                                                                             \
	"LC_ALL=C grep -vE '^ +\"(vrfId|tableVersion|(rib|peer)(Count|Memory)|localAs|version|"    \
	"msg(Rcvd|Sent)|(in|out)q|peerUptimeEstablishedEpoch|pfxSnt|connectionsEstablished|desc)"  \
	"\":[^][{}]+,$'"

/*
 * Reads the text that vtysh printed: the JSON, or why there is none. Says NEED_BGP: ok; disabled
 * when FRR runs without BGP or bgpd is not there; unsupported without vtysh. True when it was
 * understood, also where there is no BGP.
 */
bool frr_read_bgp(const char *bytes, size_t len, struct obs *o);

#endif
