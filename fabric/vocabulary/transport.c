/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/transport.h"

#include <stddef.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"

static const struct {
	const char *name, *title, *hold;
} layers[LAYER_COUNT] = {
	[LAYER_UNKNOWN] = {"", "", "paused"},
	[LAYER_ETHERNET] = {"ethernet", "RoCE", "paused"},
	[LAYER_INFINIBAND] = {"infiniband", "InfiniBand", "no credits"},
	[LAYER_EFA] = {"efa", "EFA", ""},
};

/* Words of the efa driver (efa_verbs.c), and what Amazon's documents say of them. */
static const struct {
	enum counter_id id;
	const char *name, *help;
} efa[] = {
	{CTR_RX_BYTES, "rx_bytes", "Bytes received"},
	{CTR_TX_BYTES, "tx_bytes", "Bytes sent"},
	{CTR_RX_DISCARDS, "rx_drops", "Packets that arrived and were dropped"},
	{CTR_TX_ERRORS, "rdma_read_wr_err + rdma_write_wr_err",
		"RDMA reads and writes that ended with an error"},
	{CTR_RDMA_RX_BYTES, "recv_bytes + rdma_read_bytes + rdma_write_recv_bytes",
		"Bytes of messages, of reads, and of writes by others"},
	{CTR_RDMA_TX_BYTES, "send_bytes + rdma_write_bytes + rdma_read_resp_bytes",
		"Bytes of messages, of writes, and of reads by others"},
	{CTR_ROCE_ADP_RETRANS, "retrans_pkts", "SRD packets sent again"},
	{CTR_LOCAL_ACK_TIMEOUT_ERR, "retrans_timeout_events",
		"Times that SRD got no answer in time and changed the path"},
	{CTR_TRANSPORT_RETRIES_EXCEEDED, "unresponsive_remote_events",
		"Times that the far end of an SRD connection did not respond: the job sees an "
		"error"},
	{CTR_ROCE_SLOW_RESTART, "impaired_remote_conn_events",
		"Times that an SRD connection became impaired: its rate is limited"},
};

const char *link_layer_name(enum link_layer l)
{
	return (unsigned)l < LAYER_COUNT ? layers[l].name : "";
}

enum link_layer link_layer_by_name(const char *s)
{
	enum link_layer l = LAYER_COUNT;

	while (--l > LAYER_UNKNOWN && !str_eq(s, layers[l].name))
		continue;
	return l;
}

const char *transport_title(enum link_layer l)
{
	return (unsigned)l < LAYER_COUNT ? layers[l].title : "";
}

const char *transport_hold(enum link_layer l)
{
	return (unsigned)l < LAYER_COUNT ? layers[l].hold : "";
}

bool transport_has_pfc(enum link_layer l)
{
	return l != LAYER_INFINIBAND && l != LAYER_EFA;
}

const char *transport_counter(enum link_layer l, counter_id id)
{
	for (size_t i = 0; l == LAYER_EFA && i < sizeof(efa) / sizeof(efa[0]); i++)
		if (efa[i].id == id)
			return efa[i].name;
	return NULL;
}

const char *transport_counter_help(enum link_layer l, counter_id id)
{
	for (size_t i = 0; l == LAYER_EFA && i < sizeof(efa) / sizeof(efa[0]); i++)
		if (efa[i].id == id)
			return efa[i].help;
	return NULL;
}
