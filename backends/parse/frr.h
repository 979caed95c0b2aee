/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_FRR_H
#define BACKENDS_PARSE_FRR_H

#include "backends/parse/json_value.h"
#include "fabric/vocabulary/observation.h"

/* Reads the JSON of FRR's vtysh on any system with FRR (SONiC, Cumulus, Linux). */

/*
 * A shell filter for vtysh's output: removes unused members, half of the output. It removes only
 * lines with one member and a comma at the end, so the JSON stays valid; all other lines pass. It
 * contains no '*', because it is part of a pattern in backends/contract/reads.h.
 */
#define FRR_BGP_FILTER                                                                             \
	"LC_ALL=C grep -vE '^ +\"(vrfId|tableVersion|(rib|peer)(Count|Memory)|localAs|version|"    \
	"msg(Rcvd|Sent)|(in|out)q|peerUptimeEstablishedEpoch|pfxSnt|connectionsEstablished|desc)"  \
	"\":[^][{}]+,$'"

/*
 * Reads vtysh's output: the JSON or an error. Reports NEED_BGP: ok; disabled when FRR runs without
 * BGP or bgpd is absent; unsupported without vtysh. True when the output was understood, also if
 * there is no BGP.
 */
bool frr_read_bgp(const char *bytes, size_t len, struct obs *o);

/*
 * Reads `show evpn es json`: the segments of EVPN multihoming that this switch serves, each with
 * its bundle and the other switches. Format: zebra/zebra_evpn_mh.c. Any other output says nothing.
 */
void frr_segments(const struct json_value *list, struct obs *o);
/* The output is an empty list: FRR has multihoming, and no bundle is in a segment. */
bool frr_no_segments(const char *bytes, size_t len);

#endif
