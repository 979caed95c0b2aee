/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "tests/bench/load/parse_docs.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Answers of NX-OS and of switches with Linux and FRR. */

static unsigned long long number(void)
{
	static uint64_t state = 2;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> (20 + state % 30);
}

static void attributes(struct buf *b, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(b, ",\"%s\":\"%llu\"", names[i], number());
}

/* ---- NX-OS ---- */

void doc_nxos_queues(struct buf *b, unsigned ports)
{
	static const char *const names[] = {"dropBytes", "dropPackets", "txBytes", "txPackets",
		"randDropBytes", "randDropPackets", "randEcnMarkedBytes", "randEcnMarkedPackets",
		"currQueueDepth", "maxQueueDepth", "ucCurrQueueDepth", "ucDropBytes",
		"ucDropPackets", "ucTxBytes", "ucTxPackets", "mcDropBytes", "mcDropPackets",
		"mcTxBytes", "mcTxPackets", "pfcRxPpp", "pfcTxPpp", "pfcwdFlushedBytes",
		"pfcwdFlushedPackets"};

	buf_addf(b, "{\"totalCount\":\"%u\",\"imdata\":[", ports * 8);
	for (unsigned i = 0; i < ports * 8; i++) {
		buf_addf(b,
			"%s{\"ipqosQueuingStats\":{\"attributes\":{\"childAction\":\"\","
			"\"cmapName\":\"c-out-8q-q%u\",\"dn\":\"sys/ipqos/queuing/policy/out/"
			"intf-[eth1/%u]/pmap-[default-8q-out-policy]/queuing-stats/cmap-[c-out-8q-"
			"q%u]\",\"modTs\":\"2025-11-24T16:00:05.123+00:00\",\"status\":\"\"",
			i ? "," : "", i % 8, i / 8 + 1, i % 8);
		attributes(b, names, ARRAY_LEN(names));
		buf_adds(b, "}}}");
	}
	buf_adds(b, "]}\n");
}

void doc_nxos_in(struct buf *b, unsigned ports)
{
	static const char *const names[] = {"broadcastPkts", "discards", "errors", "multicastPkts",
		"nUcastPkts", "noBuffer", "octetRate", "octets", "packetRate", "rateInterval",
		"ucastPkts", "unknownEtype", "unknownProtos"};

	buf_addf(b, "{\"totalCount\":\"%u\",\"imdata\":[", ports);
	for (unsigned p = 0; p < ports; p++) {
		buf_addf(b,
			"%s{\"rmonIfHCIn\":{\"attributes\":{\"childAction\":\"\",\"clearTs\":"
			"\"never\",\"dn\":\"sys/intf/phys-[eth1/%u]/dbgIfHCIn\",\"modTs\":"
			"\"2025-11-24T16:00:00.250+00:00\",\"status\":\"\"",
			p ? "," : "", p + 1);
		attributes(b, names, ARRAY_LEN(names));
		buf_adds(b, "}}}");
	}
	buf_adds(b, "]}\n");
}

static void queuing_group(struct buf *b, unsigned group)
{
	static const char *const types[][2] = {{"Tx", "Pkts"}, {"Tx", "Byts"},
		{"WRED/AFD & Tail Drop", "Pkts"}, {"WRED/AFD & Tail Drop", "Byts"},
		{"Q Depth", "Byts"}, {"WD & Tail Drop", "Pkts"}, {"ECN", "Pkts"}};

	buf_addf(b,
		"%s{\"eq-qosgrp\":\"%u\",\"TABLE_qosgrp_egress_stats_entry\":{"
		"\"ROW_qosgrp_egress_stats_entry\":[",
		group ? "," : "", group);
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		buf_addf(b,
			"%s{\"eq-stat-type\":\"%s\",\"eq-stat-units\":\"%s\",\"eq-uc-stat-value\":"
			"\"%llu\",\"eq-oobfc-uc-stat-value\":\"0\",\"eq-mc-stat-value\":\"%llu\"}",
			i ? "," : "", types[i][0], types[i][1], number(), number());
	buf_adds(b, "]}}");
}

void doc_nxos_queuing(struct buf *b, unsigned ports)
{
	buf_adds(b, "{\"TABLE_module\":{\"ROW_module\":{\"TABLE_queuing_interface\":{"
		    "\"ROW_queuing_interface\":[");
	for (unsigned p = 0; p < ports; p++) {
		buf_addf(b,
			"%s{\"dir\":\"Egress\",\"if_name_str\":\"Ethernet1/%u\","
			"\"TABLE_qosgrp_egress_stats\":{\"ROW_qosgrp_egress_stats\":[",
			p ? "," : "", p + 1);
		for (unsigned group = 0; group < 8; group++)
			queuing_group(b, group);
		buf_adds(b, "]},\"TABLE_pfc_stats\":{\"ROW_pfc_stats\":[");
		for (unsigned cos = 0; cos < 8; cos++)
			buf_addf(b,
				"%s{\"cos\":\"%u\",\"rx-pause-count\":\"%llu\",\"tx-pause-count\":"
				"\"%llu\"}",
				cos ? "," : "", cos, number(), number());
		buf_adds(b, "]}}");
	}
	buf_adds(b, "]}}}}\n");
}

/* ---- FRR ---- */

static void bgp_family(struct buf *b, const char *name, unsigned peers, const char *address)
{
	buf_addf(b,
		"\"%s\":{\"routerId\":\"10.0.0.1\",\"as\":65001,\"vrfId\":0,\"vrfName\":"
		"\"default\",\"tableVersion\":812,\"ribCount\":1025,\"ribMemory\":188600,"
		"\"peerCount\":%u,\"peerMemory\":1307840,\"peers\":{",
		name, peers);
	for (unsigned i = 0; i < peers; i++)
		buf_addf(b,
			"%s\"%s%u\":{\"hostname\":\"spine-%03u\",\"remoteAs\":%u,\"localAs\":65001,"
			"\"version\":4,\"msgRcvd\":%llu,\"msgSent\":%llu,\"tableVersion\":0,"
			"\"outq\":0,\"inq\":0,\"peerUptime\":\"2d03h04m\",\"peerUptimeMsec\":%llu,"
			"\"peerUptimeEstablishedEpoch\":1763750000,\"pfxRcd\":%u,\"pfxSnt\":%u,"
			"\"state\":\"Established\",\"peerState\":\"OK\",\"connectionsEstablished\":"
			"1,\"connectionsDropped\":0,\"idType\":\"ipv4\"}",
			i ? "," : "", address, i + 1, i, 65100 + i, number(), number(), number(),
			i * 3, i * 5);
	buf_addf(b,
		"},\"failedPeers\":0,\"displayedPeers\":%u,\"totalPeers\":%u,\"dynamicPeers\":0,"
		"\"bestPath\":{\"multiPathRelax\":\"true\"}}",
		peers, peers);
}

void doc_frr_bgp(struct buf *b, unsigned peers)
{
	buf_adds(b, "@@begin 1\n1764000000100000000\n@@bgp\n{\n\"default\":{");
	bgp_family(b, "ipv4Unicast", peers, "10.1.0.");
	buf_adds(b, ",");
	bgp_family(b, "ipv6Unicast", peers, "fd00::1:");
	buf_adds(b, "}\n}\n@@end\n1764000000300000000\n");
}

static void frr_link(struct buf *b, unsigned port)
{
	buf_addf(b,
		"%s{\"ifindex\":%u,\"ifname\":\"swp%u\",\"flags\":[\"BROADCAST\",\"MULTICAST\","
		"\"UP\",\"LOWER_UP\"],\"mtu\":9216,\"qdisc\":\"ets\",\"operstate\":\"UP\","
		"\"linkmode\":\"DEFAULT\",\"group\":\"default\",\"txqlen\":1000,\"link_type\":"
		"\"ether\",\"address\":\"0c:42:a1:00:10:%02x\",\"broadcast\":\"ff:ff:ff:ff:ff:ff\","
		"\"promiscuity\":0,\"allmulti\":0,\"min_mtu\":0,\"max_mtu\":65535,"
		"\"inet6_addr_gen_mode\":\"eui64\",\"num_tx_queues\":1,\"num_rx_queues\":1,"
		"\"gso_max_size\":65536,\"gso_max_segs\":65535,\"phys_port_name\":\"p%u\","
		"\"phys_switch_id\":\"0c42a1001000\",\"parentbus\":\"pci\",\"parentdev\":"
		"\"0000:03:00.0\",\"stats64\":{\"rx\":{\"bytes\":%llu,\"packets\":%llu,\"errors\":"
		"0,\"dropped\":%llu,\"over_errors\":0,\"multicast\":%llu,\"length_errors\":0,"
		"\"crc_errors\":0,\"frame_errors\":0,\"fifo_errors\":0,\"missed_errors\":0},"
		"\"tx\":{\"bytes\":%llu,\"packets\":%llu,\"errors\":0,\"dropped\":0,"
		"\"carrier_errors\":0,\"collisions\":0,\"aborted_errors\":0,\"fifo_errors\":0,"
		"\"window_errors\":0,\"heartbeat_errors\":0,\"carrier_changes\":2}}}",
		port ? "," : "", port + 3, port + 1, port, port + 1, number(), number(), number(),
		number(), number(), number());
}

static void frr_qdiscs(struct buf *b, unsigned port)
{
	buf_addf(b,
		"%s{\"kind\":\"ets\",\"handle\":\"1:\",\"dev\":\"swp%u\",\"root\":true,"
		"\"offloaded\""
		":true,\"options\":{\"bands\":8,\"strict\":8,\"priomap\":[7,6,5,4,3,2,1,0]},"
		"\"bytes\":%llu,\"packets\":%llu,\"drops\":0,\"overlimits\":0,\"requeues\":0,"
		"\"backlog\":0,\"qlen\":0}",
		port ? "," : "", port + 1, number(), number());
	for (unsigned band = 1; band <= 8; band++)
		buf_addf(b,
			",{\"kind\":\"red\",\"handle\":\"1%u:\",\"dev\":\"swp%u\",\"parent\":"
			"\"1:%u\",\"offloaded\":true,\"options\":{\"limit\":4000000,\"min\":500000,"
			"\"max\":1500000,\"ecn\":true,\"harddrop\":false,\"adaptive\":false},"
			"\"bytes\":%llu,\"packets\":%llu,\"drops\":0,\"overlimits\":0,\"requeues\":"
			"0,"
			"\"backlog\":%llu,\"qlen\":0,\"marked\":%llu,\"early\":0,\"pdrop\":0,"
			"\"other\":0}",
			band, port + 1, band, number(), number(), number(), number());
}

static void frr_stats(struct buf *b, unsigned port)
{
	static const char *const whole[] = {"a_frames_transmitted_ok", "a_frames_received_ok",
		"a_frame_check_sequence_errors", "a_octets_transmitted_ok", "a_octets_received_ok",
		"a_symbol_error_during_carrier", "if_in_discards", "if_out_discards",
		"if_out_errors"};
	static const char *const prio[] = {"tx_octets_prio", "tx_frames_prio", "rx_pause_prio",
		"rx_pause_duration_prio", "tx_pause_prio", "tx_pause_duration_prio",
		"tc_transmit_queue_tc", "tc_no_buffer_discard_uc_tc", "tc_ecn_marked_tc"};

	buf_addf(b, "@@stats swp%u\n", port + 1);
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		buf_addf(b, "     %s: %llu\n", whole[i], number());
	for (unsigned p = 0; p < 8; p++)
		for (size_t i = 0; i < ARRAY_LEN(prio); i++)
			buf_addf(b, "     %s_%u: %llu\n", prio[i], p, number());
}

void doc_frr_fast(struct buf *b, unsigned ports)
{
	buf_adds(b, "@@begin 1\n1764000000100000000\n@@name\nleaf007\n@@uptime\n7200.50 90000.00\n"
		    "@@link\n[");
	for (unsigned p = 0; p < ports; p++)
		frr_link(b, p);
	buf_adds(b, "]\n@@qdisc\n[");
	for (unsigned p = 0; p < ports; p++)
		frr_qdiscs(b, p);
	buf_adds(b, "]\n");
	for (unsigned p = 0; p < ports; p++)
		frr_stats(b, p);
	buf_adds(b, "@@end\n1764000000300000000\n");
}
