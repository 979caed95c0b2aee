/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_TRANSPORT_H
#define FABRIC_VOCABULARY_TRANSPORT_H

#include "fabric/vocabulary/counter.h"

/*
 * What a NIC's port speaks. RoCE is held back by PFC, by priority. An InfiniBand port waits for
 * credits and has no priorities. EFA (Amazon's SRD) has neither: it sends over many paths and sends
 * again what was lost.
 */
enum link_layer { LAYER_UNKNOWN, LAYER_ETHERNET, LAYER_INFINIBAND, LAYER_EFA, LAYER_COUNT };
const char *link_layer_name(enum link_layer l); /* "", "ethernet", "infiniband", "efa" */
enum link_layer link_layer_by_name(const char *s);

/* For people: "RoCE", "InfiniBand", "EFA"; "" unknown. */
const char *transport_title(enum link_layer l);
/* What holds a sender back on it: "paused", "no credits"; "" where nothing does. */
const char *transport_hold(enum link_layer l);
/* Whether it has PFC, priorities, and marks of ECN. Unknown counts as RoCE. */
bool transport_has_pfc(enum link_layer l);
/*
 * The name that the counter has in the transport's own words: CTR_LOCAL_ACK_TIMEOUT_ERR of EFA is
 * "retrans_timeout_events". NULL: counter_info[id].name is its name.
 */
const char *transport_counter(enum link_layer l, counter_id id);
/* Likewise the meaning; NULL: counter_info[id].help. */
const char *transport_counter_help(enum link_layer l, counter_id id);

#endif
