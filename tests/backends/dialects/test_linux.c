/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

#define FIXTURES "tests/backends/fixtures/"

static const struct target node = {
	.device = "node007", .tier = TIER_HOST, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static struct obs *decode_bytes(const char *request, const char *bytes, size_t len)
{
	struct obs *o = obs_new(node.device, request);
	struct err err = {0};

	if (!backend_by_name("linux")->parse(&node, request, bytes, len, o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode(const char *request, const char *file)
{
	size_t len;
	char *bytes = read_file(file, &len);
	struct obs *o;

	assert_non_null(bytes);
	o = decode_bytes(request, bytes, len);
	assert_int_equal(o->err.code, ERR_NONE);
	free(bytes);
	return o;
}

CASE(the_wire_counts_before_what_is_further_away)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), q = at_port(o, "mlx5_1");

	assert_int_equal(cell_count(p, "rx_bytes", 0), 5000);
	assert_int_equal(cell_count(p, "link_down_events", 0), 3);
	assert_int_equal(cell_count(p, "fec_corrected_bits", 0), 77);
	assert_int_equal(cell_count(p, "rx_out_of_buffer", 0), 5);
	assert_int_equal(cell_count(p, "rx_errors", 0), 17);
	/* IB data counters are words of four bytes; a value that would overflow is absent. */
	assert_int_equal(cell_count(q, "rx_bytes", 0), 10);
	assert_int_equal(cell_validity(q, "tx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 6000);
	obs_free(o);
}

CASE(roce_pause_and_fec_counters)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0");

	assert_true(cell_count(p, "cnp_sent", 0) == 4294967290u);
	assert_int_equal(cell_count(p, "cnp_handled", 0), 12);
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 7);
	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 3);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 100);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 200);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 2500);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 7500);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 3), 4100);
	assert_int_equal(cell_count(p, "rx_prio_discards", 3), 9);
	assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 2);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 1000);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 8);
	assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
	obs_free(o);
}

CASE(other_vendors_names)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "bnxt_re0");

	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 21);
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 22);
	assert_int_equal(cell_count(p, "rx_bytes", 0), 23);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 31);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 32);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 33);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 34);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 35);
	assert_int_equal(cell_count(p, "link_down_events", 0), 36);
	/* operstate "unknown" leaves the word to the RDMA port. */
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	obs_free(o);
}

CASE(names_of_other_drivers)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref b = at_port(o, "bnxt_re0"), i = at_port(o, "irdma0"),
			    e = at_port(o, "efa_0"), x = at_port(o, "rxe0");

	assert_int_equal(cell_count(b, "transport_retries_exceeded", 0), 24);
	assert_int_equal(cell_count(b, "cnp_sent", 0), 25);
	assert_int_equal(cell_count(b, "cnp_handled", 0), 26);
	assert_int_equal(cell_count(b, "ecn_marked_roce_packets", 0), 27);
	/* 32 bits in this driver only. */
	assert_true(cell_count(i, "cnp_handled", 0) == 4294967000u);
	assert_true(o->narrow[CTR_CNP_HANDLED]);
	assert_false(o->narrow[CTR_RX_BYTES]);
	assert_int_equal(cell_count(i, "packet_seq_err", 0), 51);
	assert_int_equal(cell_count(i, "local_ack_timeout_err", 0), 52);
	assert_int_equal(cell_count(i, "rnr_nak_retry_err", 0), 53);
	assert_int_equal(cell_count(e, "rx_bytes", 0), 61);
	assert_int_equal(cell_count(e, "rx_discards", 0), 62);
	assert_int_equal(cell_count(e, "local_ack_timeout_err", 0), 63);
	assert_int_equal(cell_count(e, "transport_retries_exceeded", 0), 64);
	/* A soft device lies on a netdev: the kernel counts the bytes on the wire. */
	assert_string_equal(attr_word(x, ATTR_NETDEV, 0), "ens9");
	assert_int_equal(cell_count(x, "roce_adp_retrans", 0), 71);
	assert_int_equal(cell_count(x, "transport_retries_exceeded", 0), 72);
	assert_int_equal(cell_count(x, "packet_seq_err", 0), 73);
	assert_int_equal(cell_count(x, "rx_bytes", 0), 9001);
	assert_int_equal(cell_count(x, "rx_discards", 0), 9002);
	assert_int_equal(cell_count(x, "link_down_events", 0), 3);
	/* The device cannot report its pause time; the RoCE counters lack nothing because of
	 * PFC. */
	assert_int_equal(cell_validity(x, "pfc_rx_duration_us", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(x, "local_ack_timeout_err", 0), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "RoCE retransmission counters", NULL), VALID_OK);
	obs_free(o);
}

CASE(what_else_a_nic_counts)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), q = at_port(o, "mlx5_1");

	assert_int_equal(cell_count(p, "duplicate_request", 0), 41);
	assert_int_equal(cell_count(p, "transport_retries_exceeded", 0), 42);
	assert_int_equal(cell_count(p, "rx_icrc_errors", 0), 43);
	assert_int_equal(cell_count(p, "pfc_rx_transitions", 3), 50);
	assert_int_equal(cell_count(p, "pause_storm_warnings", 0), 2);
	assert_int_equal(cell_count(p, "pause_storm_errors", 0), 1);
	assert_int_equal(cell_count(p, "rx_buffer_passed_threshold", 0), 88);
	/* Readings, not counters. */
	assert_true(cell_value(p, "pci_stalled_read_pct", 0) == 7);
	assert_true(cell_value(p, "pci_stalled_write_pct", 0) == 0);
	assert_int_equal(cell_validity(q, "pci_stalled_read_pct", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "fec_bin", 0), 900);
	assert_int_equal(cell_count(p, "fec_bin", 15), 4);
	assert_int_equal(capability_of(o, "FEC histogram", NULL), VALID_OK);
	/* The driver's flap count is nearer to the cable than the kernel's. */
	assert_int_equal(cell_count(q, "link_down_events", 0), 2);
	assert_int_equal(cell_count(q, "rx_pause_frames", 0), 6);
	assert_int_equal(cell_count(q, "tx_pause_frames", 0), 5);
	obs_free(o);
}

CASE(a_container_that_hides_sysfs_and_a_nic_that_hangs)
{
	size_t len;
	char *bytes = read_file(FIXTURES "linux_container.txt", &len);
	struct obs *o = decode_bytes("fast", bytes, len);
	struct obs_port_ref p = at_port(o, "mlx5_0"), hung = at_port(o, "mlx5_1");

	assert_int_equal(o->ports.n, 2);
	assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "net1");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(hung, ATTR_DOWN_REASON, 0), "Polling");
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 215);
	assert_int_equal(cell_count(p, "cnp_sent", 0), 1099991);
	assert_int_equal(cell_validity(p, "cnp_handled", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(hung, "duplicate_request", 0), 12);
	/* The values that ethtool would have given are neither absent nor zero: the old values
	 * age. */
	assert_int_equal(cell_validity(hung, "rx_bytes", 0), VALID_UNKNOWN);
	assert_int_equal(cell_validity(hung, "pfc_rx_frames", 3), VALID_UNKNOWN);
	assert_int_equal(o->err.code, ERR_TIMEOUT);
	assert_non_null(strstr(o->err.text, "net2"));
	obs_free(o);
	free(bytes);
}

CASE(rdma_text_in_both_layouts)
{
	static const char *const texts[] = {"link mlx5_0/1 out_of_sequence 215 np_cnp_sent 7 "
					    "\nlink mlx5_1/1 out_of_sequence 1\n",
		"link mlx5_0/1 \n    out_of_sequence 215 \n    np_cnp_sent 7 \nlink mlx5_1/1: \n"
		"    out_of_sequence 1 \n"};

	for (size_t i = 0; i < 2; i++) {
		char all[512];
		struct obs *o;

		(void)str_printf(all, sizeof(all),
			"@@begin 1\n1\n@@rlink\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP "
			"netdev e0\n@@rstat\n%s@@end\n1\n",
			texts[i]);
		o = decode_bytes("fast", all, strlen(all));
		assert_int_equal(cell_count(at_port(o, "mlx5_0"), "out_of_sequence", 0), 215);
		assert_int_equal(cell_count(at_port(o, "mlx5_0"), "cnp_sent", 0), 7);
		assert_int_equal(cell_count(at_port(o, "mlx5_1"), "out_of_sequence", 0), 1);
		assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_NETDEV, 0), "e0");
		obs_free(o);
	}
}

CASE(ports_are_named_by_rdma_device_and_number)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");

	assert_int_equal(o->ports.n, 7);
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_NETDEV, 0), "eth0");
	/* Without a GID entry the only netdev of the function is taken. */
	assert_string_equal(attr_word(at_port(o, "mlx5_1"), ATTR_NETDEV, 0), "eth1");
	assert_string_equal(attr_word(at_port(o, "mlx5_2/2"), ATTR_NETDEV, 0), "eth3");
	obs_free(o);
}

CASE(state_speed_and_identity)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref up = at_port(o, "mlx5_0"), down = at_port(o, "mlx5_1");
	struct obs_port_ref dev = at_port(o, NULL);

	assert_string_equal(attr_word(up, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(up, ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(up, ATTR_DOWN_REASON, 0), "");
	assert_string_equal(attr_word(down, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(down, ATTR_ADMIN, 0), "down");
	assert_string_equal(attr_word(down, ATTR_DOWN_REASON, 0),
		"Bad signal integrity, Large number of physical errors");
	assert_true(attr_number(up, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(isnan(attr_number(down, ATTR_SPEED_MBPS, 0)));
	assert_true(attr_number(up, ATTR_MTU, 0) == 9000);
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "node007");
	assert_string_equal(
		attr_word(dev, ATTR_BOOT_ID, 0), "5d0e8a52-3c1b-4f7e-8a90-6b2d1c0f9e88");
	assert_true(attr_number(dev, ATTR_UPTIME_S, 0) == 7200.5);
	/* The middle of the run. */
	assert_true(o->device_us == INT64_C(1764000000200000));
	/* read when asked: a counter that stands still is a rate of 0 */
	assert_true(o->ports.n > 0 && o->ports.at[0].sample_us == o->device_us);
	obs_free(o);
}

CASE(absent_counters_say_why)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), q = at_port(o, "mlx5_1");

	assert_int_equal(cell_validity(p, "rx_discards", 0), VALID_UNSUPPORTED);
	/* mlx5 prints pause counters only for priorities with PFC. */
	assert_int_equal(cell_validity(q, "pfc_rx_frames", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(q, "pfc_rx_frames", 3), "eth1"));
	assert_int_equal(
		cell_validity(at_port(o, "mlx5_2/2"), "pfc_rx_frames", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "pause duration sent", NULL), VALID_OK);
	obs_free(o);
}

CASE(a_host_without_ethtool_or_rdma)
{
	static const char bare[] = "@@begin 1\n1\n@@map\n*/device/net/*\n@@ib\n@@net\n@@stats *\n"
				   "@@fec *\nsh: 1: ethtool: not found\n@@end\n1764000000\n";
	static const char nic[] =
		"@@begin 1\n1764000000\n@@map\nm/device/net/e\n@@ib\nm/ports/1/state:4: ACTIVE\n"
		"@@stats e\n@@fec e\nsh: 1: ethtool: not found\n@@end\n1764000001%N\n";
	struct obs *o = decode_bytes("fast", bare, strlen(bare));
	const char *cure = "";

	assert_int_equal(o->ports.n, 0);
	assert_int_equal(capability_of(o, "RDMA devices", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "mlx5_ib"));
	obs_free(o);
	o = decode_bytes("fast", nic, strlen(nic));
	assert_int_equal(
		cell_validity(at_port(o, "m"), "fec_corrected_codewords", 0), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(at_port(o, "m"), "pfc_rx_frames", 3), "package ethtool"));
	/* Seconds only, as busybox prints them. */
	assert_true(o->device_us == INT64_C(1764000000500000));
	obs_free(o);
}

/* A bond, a port that is InfiniBand, a NIC that only ethtool knows, and one without a netdev. */
CASE(what_a_device_is_decides_what_counts)
{
	static const char answer[] =
		"@@begin 1\n1764000000\n@@map\nmlx5_bond_0/device/net/eth0\n"
		"irdma0/device/net/eth7\nefa_0/device/net/\nrxe0/parent:eth9\n"
		"mlx5_4/device/net/ib0\n"
		"@@ports\nmlx5_bond_0/ports/1/state:4: ACTIVE\n"
		"mlx5_bond_0/ports/1/gid_attrs/ndevs/0:bond0\nirdma0/ports/1/state:4: ACTIVE\n"
		"efa_0/ports/1/state:4: ACTIVE\nrxe0/ports/1/state:4: ACTIVE\n"
		"mlx5_4/ports/1/state:4: ACTIVE\n"
		"@@ib\nmlx5_bond_0/ports/1/counters/port_rcv_data:100\n"
		"mlx5_bond_0/ports/1/hw_counters/out_of_sequence:3\n"
		"mlx5_4/ports/1/link_layer:InfiniBand\nmlx5_4/ports/1/rate:400 Gb/sec (4X NDR)\n"
		"efa_0/ports/1/rate:200 Gb/sec (4X HDR)\nrxe0/ports/1/rate:2.5 Gb/sec (1X SDR)\n"
		"@@bonds\nbond0 eth0 eth1\n@@net\nbond0/speed:800000\n"
		"bond0/statistics/rx_bytes:5\neth7/statistics/rx_bytes:6\n"
		"eth9/statistics/rx_bytes:7\n"
		"@@stats ib0\n     rx_bytes_phy: 9\n@@stats eth7\n     tx_bytes.nic: 70\n"
		"@@end\n1764000001\n";
	struct obs *o = decode_bytes("fast", answer, strlen(answer));
	struct obs_port_ref bond = at_port(o, "mlx5_bond_0"), irdma = at_port(o, "irdma0");

	/* Of one link, of the kernel's own: neither is the traffic of both. */
	assert_int_equal(cell_validity(bond, "rx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(bond, "out_of_sequence", 0), 3);
	assert_true(attr_number(bond, ATTR_SPEED_MBPS, 0) == 800000);
	assert_int_equal(cell_validity(irdma, "rx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(irdma, "tx_bytes", 0), 70);
	assert_int_equal(cell_count(at_port(o, "rxe0"), "rx_bytes", 0), 7);
	assert_true(isnan(attr_number(at_port(o, "rxe0"), ATTR_SPEED_MBPS, 0)));
	assert_true(attr_number(at_port(o, "efa_0"), ATTR_SPEED_MBPS, 0) == 200000);
	assert_true(attr_number(at_port(o, "mlx5_4"), ATTR_SPEED_MBPS, 0) == 400000);
	/* There is no PFC to be switched on. */
	assert_int_equal(
		cell_validity(at_port(o, "mlx5_4"), "pfc_rx_frames", 3), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(an_answer_that_breaks_off_or_is_another_shell)
{
	static const char cut[] = "@@begin 1\n1764000000\n@@ib\nm/ports/1/state:4: ACTIVE\n";
	static const char other[] = "This account is currently not available.\n";
	struct obs *o = decode_bytes("fast", cut, strlen(cut));
	struct err err = {0};

	assert_int_equal(o->ports.n, 1);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.text, "breaks off"));
	obs_free(o);
	o = obs_new("node007", "fast");
	assert_false(backend_by_name("linux")->parse(&node, "fast", other, strlen(other), o, &err));
	assert_non_null(strstr(err.text, "not available"));
	assert_non_null(strstr(err.cure, "sh -s"));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
