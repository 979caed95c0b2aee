/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/parse_docs.h"

#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Counters of four to fourteen digits. */
static unsigned long long number(void)
{
	static uint64_t seed = 88172645463325252U;
	static const uint64_t below[] = {
		10000, 1000000, 100000000, 10000000000, 1000000000000, 100000000000000};

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned long long)((seed >> 8) % below[seed % ARRAY_LEN(below)]);
}

void doc_integers(struct buf *b, unsigned ports, unsigned integers)
{
	buf_adds(b, "{\"time\":1764000000250,\"ports\":{");
	for (unsigned p = 0; p < ports; p++) {
		buf_addf(b, "%s\"Ethernet%u\":{", p ? "," : "", p * 8);
		for (unsigned i = 0; i < integers; i++)
			buf_addf(b, "%s\"port_counter_%03u\":%llu", i ? "," : "", i,
				number() % 100000);
		buf_adds(b, "}");
	}
	buf_adds(b, "}}");
}

/* ---- SONiC ---- */

static const char *const sonic_port[] = {"IF_IN_OCTETS", "IF_OUT_OCTETS", "IF_IN_UCAST_PKTS",
	"IF_IN_NON_UCAST_PKTS", "IF_OUT_UCAST_PKTS", "IF_OUT_NON_UCAST_PKTS", "IF_IN_ERRORS",
	"IF_OUT_ERRORS", "IF_IN_DISCARDS", "IF_OUT_DISCARDS", "DOT3_STATS_FCS_ERRORS",
	"DOT3_STATS_SYMBOL_ERRORS", "PAUSE_RX_PKTS", "PAUSE_TX_PKTS",
	"IF_IN_FEC_CORRECTABLE_FRAMES", "IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
	"IF_IN_FEC_SYMBOL_ERRORS", "IF_IN_FEC_CORRECTED_BITS"};

static void sonic_names(struct buf *b, unsigned *n)
{
	*n = 0;
	for (size_t i = 0; i < ARRAY_LEN(sonic_port); i++)
		buf_addf(b, "%s\"SAI_PORT_STAT_%s\"", (*n)++ ? "," : "", sonic_port[i]);
	for (unsigned i = 0; i < 16; i++, (*n)++)
		buf_addf(b, ",\"SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S%u\"", i);
	for (unsigned p = 0; p < 8; p++, *n += 2)
		buf_addf(b, ",\"SAI_PORT_STAT_PFC_%u_RX_PKTS\",\"SAI_PORT_STAT_PFC_%u_TX_PKTS\"", p,
			p);
	for (unsigned p = 0; p < 8; p++)
		for (unsigned of = 0; of < 2; of++, *n += 2)
			buf_addf(b,
				",\"%s_PORT_STAT_PFC_%u_RX_PAUSE_DURATION_US\""
				",\"%s_PORT_STAT_PFC_%u_ON2OFF_RX_PKTS\"",
				of ? "EST" : "SAI", p, of ? "EST" : "SAI", p);
}

static void sonic_head(struct buf *b, unsigned *n)
{
	buf_adds(b, "0b9f5c1e-7d3a-4e52-9a61-3c2f8e4d7b10\n86400.25 170000.10\n"
		    "{\"t\":[\"1764000000\",\"250000\"],\"pf\":[");
	sonic_names(b, n);
	buf_adds(b, "],\"rf\":[\"FEC_PRE_BER\",\"FEC_POST_BER\"],\"qf\":["
		    "\"SAI_QUEUE_STAT_PACKETS\",\"SAI_QUEUE_STAT_BYTES\","
		    "\"SAI_QUEUE_STAT_DROPPED_PACKETS\","
		    "\"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS\","
		    "\"SAI_QUEUE_STAT_WRED_DROPPED_PACKETS\","
		    "\"SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES\",\"PFC_WD_STATUS\","
		    "\"PFC_WD_ACTION\",\"PFC_WD_DETECTION_TIME\",\"PFC_WD_RESTORATION_TIME\","
		    "\"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED\","
		    "\"PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED\","
		    "\"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS\","
		    "\"PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS\",\"PFC_STAT_HISTORY\","
		    "\"BIG_RED_SWITCH_MODE\"],\"af\":[\"oper_status\",\"admin_status\",\"speed\","
		    "\"mtu\",\"fec\",\"alias\",\"description\",\"flap_count\",\"last_up_time\","
		    "\"last_down_time\",\"state_speed\",\"state_fec\"],"
		    "\"mf\":[\"status\",\"error\",\"cmis_state\"],"
		    "\"fc\":{\"PORT\":\"enable\",\"QUEUE\":\"enable\",\"PG_DROP\":\"enable\","
		    "\"QUEUE_WATERMARK\":\"enable\",\"PG_WATERMARK\":\"enable\","
		    "\"WRED_ECN_QUEUE\":\"enable\"},\"fi\":{\"PORT\":\"1000\"},"
		    "\"can\":{\"ecn\":\"true\"},\"ports\":{");
}

static void sonic_queues(struct buf *b)
{
	buf_adds(b, ",\"q\":{");
	for (unsigned p = 0; p < 8; p++) {
		buf_addf(b, "%s\"%u\":[[", p ? "," : "", p);
		for (unsigned i = 0; i < 6; i++)
			buf_addf(b, "\"%llu\",", number());
		buf_adds(b, "\"operational\",\"drop\",\"200000\",\"200000\",");
		for (unsigned i = 0; i < 4; i++)
			buf_addf(b, "\"%llu\",", number() % 100);
		buf_addf(b, "null,null],\"%llu\"]", number());
	}
	buf_adds(b, "},\"g\":{");
	for (unsigned p = 0; p < 8; p++)
		buf_addf(b, "%s\"%u\":[[\"%llu\",\"%llu\"],\"%llu\"]", p ? "," : "", p, number(),
			number(), number());
	buf_adds(b, "}");
}

void doc_sonic(struct buf *b, unsigned ports)
{
	unsigned n;

	sonic_head(b, &n);
	for (unsigned p = 0; p < ports; p++) {
		buf_addf(b, "%s\"Ethernet%u\":{\"c\":\"", p ? "," : "", p * 8);
		for (unsigned i = 0; i < n; i++)
			buf_addf(b, "%s%llu", i ? "," : "", number());
		buf_adds(b, "\",\"r\":[\"1.5e-09\",\"0\"]");
		sonic_queues(b);
		buf_addf(b,
			",\"a\":[\"up\",\"up\",\"400000\",\"9100\",\"rs\",\"etp%u\",\"to node%03u "
			"mlx5_0\",\"3\",\"Sat Nov 22 10:00:00 2025\",\"Sat Nov 22 09:59:00 2025\","
			"\"400000\",\"rs\"],\"s\":{}}",
			p, p);
	}
	buf_adds(b, "}}\n");
}

/* ---- EOS ---- */

static void eos_interface(struct buf *b, unsigned p)
{
	static const char *const counts[] = {"outBroadcastPkts", "inUcastPkts", "inMulticastPkts",
		"inBroadcastPkts", "inOctets", "outOctets", "outUcastPkts", "outMulticastPkts",
		"outDiscards", "inDiscards", "totalInErrors", "totalOutErrors",
		"linkStatusChanges"};

	buf_addf(b,
		"\"Ethernet%u/1\":{\"lastStatusChangeTimestamp\":1763999100.518,"
		"\"lanes\":8,\"name\":\"Ethernet%u/1\",\"interfaceStatus\":\"connected\","
		"\"autoNegotiate\":\"unknown\",\"burnedInAddress\":\"02:00:00:00:%02x:01\","
		"\"loopbackMode\":\"loopbackNone\",\"interfaceStatistics\":{\"inBitsRate\":"
		"%llu.5,\"inPktsRate\":%llu.25,\"outBitsRate\":%llu.125,\"updateInterval\":5.0,"
		"\"outPktsRate\":%llu.75},\"mtu\":9214,\"hardware\":\"ethernet\",\"duplex\":"
		"\"duplexFull\",\"bandwidth\":400000000000,\"forwardingModel\":\"routed\","
		"\"lineProtocolStatus\":\"up\",\"interfaceCounters\":{",
		p + 1, p + 1, p, number(), number(), number(), number());
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		buf_addf(b, "\"%s\":%llu,", counts[i], number());
	buf_addf(b,
		"\"outputErrorsDetail\":{\"deferredTransmissions\":0,\"txPause\":%llu,"
		"\"collisions\":0,\"lateCollisions\":0},\"inputErrorsDetail\":{\"runtFrames\":0,"
		"\"rxPause\":%llu,\"fcsErrors\":0,\"alignmentErrors\":0,\"giantFrames\":0,"
		"\"symbolErrors\":0},\"lastClear\":1763999000.25,\"counterRefreshTime\":"
		"1763999998.25},\"interfaceAddress\":[],\"physicalAddress\":\"02:00:00:00:%02x:01\""
		",\"description\":\"to leaf-r%u-00 Ethernet%u\"}",
		number(), number(), p, p, p * 8);
}

static void eos_queues(struct buf *b, unsigned p)
{
	static const char *const casts[] = {"ucastQueues", "mcastQueues"};

	buf_addf(b, "\"Ethernet%u/1\":{", p + 1);
	for (unsigned c = 0; c < 2; c++) {
		buf_addf(b, "%s\"%s\":{\"trafficClasses\":{", c ? "," : "", casts[c]);
		for (unsigned tc = 0; tc < 8; tc++)
			buf_addf(b,
				"%s\"TC%u\":{\"dropPrecedences\":{\"DP0\":{\"enqueuedPackets\":%"
				"llu,"
				"\"enqueuedBytes\":%llu,\"droppedPackets\":%llu,\"droppedBytes\":"
				"%llu}}}",
				tc ? "," : "", tc, number(), number(), number(), number());
		buf_adds(b, "}}");
	}
	buf_adds(b, "}");
}

static void eos_priorities(struct buf *b, unsigned p)
{
	buf_addf(b, "\"Ethernet%u/1\":{\"priorities\":{", p + 1);
	for (unsigned q = 0; q < 8; q++)
		buf_addf(b, "%s\"%u\":{\"rxFrames\":%llu,\"txFrames\":%llu}", q ? "," : "", q,
			number(), number());
	buf_adds(b, "}}");
}

static void eos_marks(struct buf *b, unsigned p)
{
	buf_addf(b, "\"Ethernet%u/1\":{\"queueCounters\":{", p + 1);
	for (unsigned q = 0; q < 8; q++)
		buf_addf(b, "%s\"%u\":%llu", q ? "," : "", q, number());
	buf_adds(b, "}}");
}

void doc_eos(struct buf *b, unsigned ports)
{
	static const struct {
		const char *before, *after;
		void (*port)(struct buf *b, unsigned p);
	} results[] = {{"{\"interfaces\":{", "}}", eos_interface},
		{"{\"interfaces\":{", "}}", eos_priorities},
		{"{\"intfQueueCounters\":{", "}}", eos_marks},
		{"{\"egressQueueCounters\":{\"interfaces\":{", "}}}", eos_queues}};

	buf_adds(b, "{\"jsonrpc\":\"2.0\",\"id\":\"railtop-fast fast.0 pfc.0 ecn.0 queues.0\","
		    "\"result\":[{\"mfgName\":\"Arista\",\"modelName\":\"DCS-7060DX5-64S-F\","
		    "\"serialNumber\":\"JPE1\",\"version\":\"4.32.1F\",\"uptime\":1000.5,"
		    "\"bootupTimestamp\":1763999000.25}");
	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		buf_addf(b, ",%s", results[i].before);
		for (unsigned p = 0; p < ports; p++) {
			buf_adds(b, p ? "," : "");
			results[i].port(b, p);
		}
		buf_adds(b, results[i].after);
	}
	buf_adds(b, "]}\n");
}

/* ---- Cumulus ---- */

static void nvue_table(struct buf *b, const char *name, const char *const *columns, size_t n)
{
	buf_addf(b, "\"%s\":{", name);
	for (unsigned row = 0; row < 8; row++) {
		buf_addf(b, "%s\"%u\":{", row ? "," : "", row);
		for (size_t i = 0; i < n; i++)
			buf_addf(b, "%s\"%s\":%llu", i ? "," : "", columns[i], number());
		buf_adds(b, "}");
	}
	buf_adds(b, "},");
}

void doc_cumulus(struct buf *b, unsigned ports)
{
	static const char *const pfc[] = {
		"rx-pause-frames", "tx-pause-frames", "rx-pause-duration", "tx-pause-duration"};
	static const char *const queues[] = {"tx-frames", "tx-bytes", "tx-uc-buffer-discards",
		"wred-discards", "ecn-marked-frames"};
	static const char *const buffers[] = {
		"rx-frames", "rx-buffer-discards", "rx-shared-buffer-discards"};

	buf_adds(b, "{");
	for (unsigned p = 0; p < ports; p++) {
		buf_addf(b, "%s\"swp%us0\":{\"counters\":{\"qos\":{", p ? "," : "", p + 1);
		nvue_table(b, "pfc-stats", pfc, ARRAY_LEN(pfc));
		nvue_table(b, "egress-queue-stats", queues, ARRAY_LEN(queues));
		nvue_table(b, "ingress-buffer-stats", buffers, ARRAY_LEN(buffers));
		buf_addf(b,
			"\"port-stats\":{\"rx-stats\":{\"pause-frames\":%llu},\"tx-stats\":"
			"{\"pause-frames\":%llu,\"ecn-marked-packets\":%llu}}}}}",
			number(), number(), number());
	}
	buf_adds(b, "}\n");
}

/* ---- a host ---- */

static void host_stats(struct buf *b, unsigned nic)
{
	static const char *const whole[] = {"rx_bytes_phy", "tx_bytes_phy", "rx_packets_phy",
		"tx_packets_phy", "rx_discards_phy", "tx_discards_phy", "tx_errors_phy",
		"rx_crc_errors_phy", "rx_symbol_err_phy", "rx_corrected_bits_phy",
		"link_down_events_phy", "rx_out_of_buffer", "tx_pause_storm_warning_events",
		"outbound_pci_stalled_rd", "rx_vport_rdma_unicast_bytes"};
	static const char *const prio[] = {"rx_prio%u_bytes", "rx_prio%u_packets",
		"rx_prio%u_discards", "tx_prio%u_bytes", "tx_prio%u_packets", "rx_prio%u_pause",
		"rx_prio%u_pause_duration", "tx_prio%u_pause", "tx_prio%u_pause_duration",
		"rx_prio%u_pause_transition"};

	buf_addf(b, "@@stats eth%u\nNIC statistics:\n", nic);
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		buf_addf(b, "     %s: %llu\n", whole[i], number());
	for (unsigned p = 0; p < 8; p++)
		for (size_t i = 0; i < ARRAY_LEN(prio); i++) {
			buf_adds(b, "     ");
			/* NOLINTNEXTLINE: the formats are those above */
			buf_addf(b, prio[i], p);
			buf_addf(b, ": %llu\n", number());
		}
	for (unsigned ring = 0; ring < 33; ring++)
		for (unsigned i = 0; i < 5; i++)
			buf_addf(b, "     rx%u_%s: %llu\n", ring,
				(const char *const[]){"packets", "bytes", "csum_complete",
					"xdp_drop", "cache_reuse"}[i],
				number());
}

void doc_host(struct buf *b, unsigned nics)
{
	static const char *const ib[] = {"port_rcv_data", "port_xmit_data", "port_rcv_packets",
		"port_xmit_packets", "port_rcv_errors"};
	static const char *const hw[] = {"np_cnp_sent", "rp_cnp_handled", "rp_cnp_ignored",
		"np_ecn_marked_roce_packets", "out_of_sequence", "packet_seq_err",
		"implied_nak_seq_err", "local_ack_timeout_err", "rnr_nak_retry_err",
		"duplicate_request", "roce_adp_retrans", "roce_slow_restart", "out_of_buffer",
		"rx_write_requests", "rx_read_requests", "lifespan"};

	buf_adds(b, "@@begin 1\n1764000000100000000\n@@name\nnode007\n@@boot\n"
		    "5d0e8a52-3c1b-4f7e-8a90-6b2d1c0f9e88\n@@uptime\n7200.50 90000.00\n@@map\n");
	for (unsigned n = 0; n < nics; n++)
		buf_addf(b, "mlx5_%u/device/net/eth%u\n", n, n);
	buf_adds(b, "@@ib\n");
	for (unsigned n = 0; n < nics; n++) {
		buf_addf(b, "mlx5_%u/ports/1/state:4: ACTIVE\nmlx5_%u/ports/1/rate:400 Gb/sec\n", n,
			n);
		for (size_t i = 0; i < ARRAY_LEN(ib); i++)
			buf_addf(b, "mlx5_%u/ports/1/counters/%s:%llu\n", n, ib[i], number());
		for (size_t i = 0; i < ARRAY_LEN(hw); i++)
			buf_addf(b, "mlx5_%u/ports/1/hw_counters/%s:%llu\n", n, hw[i], number());
	}
	for (unsigned n = 0; n < nics; n++)
		host_stats(b, n);
	buf_adds(b, "@@end\n1764000000300000000\n");
}
