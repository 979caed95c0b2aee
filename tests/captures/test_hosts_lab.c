/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/host_script.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LAB          "lab/qemu-bookworm/"

/*
 * Two real guests with soft RoCE on an e1000 and a virtio NIC, healthy and under faults: the
 * decoded data must show the fault. gpu1 sends, gpu5 receives.
 */

static struct covered needs[] = {{"port state", NOTHING}, {"port counters", NOTHING},
	{"link flaps", NOTHING}, {"RoCE retransmission counters", NOTHING},
	{"RDMA devices", NOTHING}, {"LLDP neighbours", NOTHING}, {"event log", NOTHING},
	{"identity", NOTHING}};

static void by(const char *need)
{
	covered(needs, ARRAY_LEN(needs), need, REAL);
}

/* A guest at one moment, as the answer of a host with hidden sysfs. */
static struct obs *guest(const char *moment, const char *name)
{
	char file[128];
	struct buf b;

	script_begin(&b);
	str_printf(file, sizeof(file), LAB "%s/%s.rdma-link.json", moment, name);
	script_file(&b, "rlink", file);
	str_printf(file, sizeof(file), LAB "%s/%s.rdma-statistic.json", moment, name);
	script_file(&b, "rstat", file);
	str_printf(file, sizeof(file), LAB "%s/%s.ip-s-link.json", moment, name);
	script_net(&b, file);
	str_printf(file, sizeof(file), LAB "%s/%s.ethtool-S-ens1np0.txt", moment, name);
	script_file(&b, "stats ens1np0", file);
	str_printf(file, sizeof(file), LAB "%s/%s.ethtool-ens1np0.txt", moment, name);
	script_file(&b, "link ens1np0", file);
	return script_decode(&b, "fast");
}

struct sender {
	const char *moment, *oper, *admin, *reason;
	uint64_t flaps, changes, sent, retrans, seq_err, tx_errors, rx_bytes;
};

CASE(what_the_sender_shows)
{
	static const struct sender cases[] = {
		{"traffic-before", "up", "up", "", 1, 2, 0, 0, 0, 0, 19150},
		{"traffic-after", "up", "up", "", 1, 2, 94200, 36, 0, 0, 2483086},
		{"fault-loss", "up", "up", "", 1, 2, 191962, 106, 65, 0, 2858178},
		{"fault-ecn", "up", "up", "", 1, 2, 193562, 106, 65, 0, 2865866},
		{"fault-link-down", "down", "up", "Polling", 2, 3, 193562, 106, 65, 0, 2866130},
		{"fault-link-restored", "up", "up", "", 2, 4, 193562, 106, 65, 0, 2867270},
		{"fault-flap", "up", "up", "", 4, 8, 193562, 106, 65, 0, 2868086},
		{"fault-cut", "down", "up", "Polling", 5, 9, 260134, 341, 65, 0, 3009426},
		{"fault-admin-down", "down", "down", "Disabled", 6, 11, 291586, 402, 66, 0,
			3105918},
		/* A hole in the path's MTU: nothing gets out any more. */
		{"fault-mtu", "up", "up", "", 6, 12, 291587, 403, 66, 922155, 3113768},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct sender *c = &cases[i];
		struct obs *o = guest(c->moment, "gpu1");
		struct obs_port_ref p = at_port(o, "rxe0"), q = at_port(o, "rxe1");

		print_message("# %s\n", c->moment);
		assert_int_equal(o->ports.n, 2);
		assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "ens1np0");
		assert_string_equal(attr_word(q, ATTR_NETDEV, 0), "ens2np0");
		assert_string_equal(attr_word(p, ATTR_OPER, 0), c->oper);
		assert_string_equal(attr_word(p, ATTR_ADMIN, 0), c->admin);
		assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), c->reason);
		assert_true(attr_number(p, ATTR_MTU, 0) == 9000);
		assert_int_equal(cell_count(p, "link_down_events", 0), c->flaps);
		assert_int_equal(cell_count(p, "carrier_changes", 0), c->changes);
		assert_int_equal(cell_count(p, "tx_packets", 0), c->sent);
		assert_int_equal(cell_count(p, "roce_adp_retrans", 0), c->retrans);
		assert_int_equal(cell_count(p, "packet_seq_err", 0), c->seq_err);
		assert_int_equal(cell_count(p, "tx_errors", 0), c->tx_errors);
		assert_int_equal(cell_count(p, "rx_bytes", 0), c->rx_bytes);
		assert_int_equal(cell_count(p, "transport_retries_exceeded", 0), 0);
		/* The other rail has no part in it. */
		assert_string_equal(attr_word(q, ATTR_OPER, 0), "up");
		assert_int_equal(cell_count(q, "link_down_events", 0), 0);
		/* Soft RoCE counts no marks: that is no zero. */
		assert_int_equal(cell_validity(p, "ecn_marked_roce_packets", 0), VALID_UNSUPPORTED);
		obs_free(o);
	}
	by("port state");
	by("port counters");
	by("link flaps");
	by("RoCE retransmission counters");
	by("RDMA devices");
}

CASE(what_the_receiver_shows)
{
	static const struct {
		const char *moment;
		uint64_t out_of_sequence, duplicates, discards, received;
	} cases[] = {{"traffic-before", 0, 0, 0, 0}, {"traffic-after", 3, 467, 7464, 93355},
		{"fault-loss", 71, 533, 50264, 190890}, {"fault-ecn", 71, 533, 61024, 192490},
		{"fault-link-down", 71, 533, 65059, 192490}, {"fault-cut", 71, 533, 98684, 228668},
		{"fault-mtu", 72, 533, 165934, 252357}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct obs *o = guest(cases[i].moment, "gpu5");
		struct obs_port_ref p = at_port(o, "rxe0");

		print_message("# %s\n", cases[i].moment);
		assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
		assert_int_equal(cell_count(p, "out_of_sequence", 0), cases[i].out_of_sequence);
		assert_int_equal(cell_count(p, "duplicate_request", 0), cases[i].duplicates);
		assert_int_equal(cell_count(p, "rx_packets", 0), cases[i].received);
		/* The guest is too slow to empty the NIC: no buffer. */
		assert_int_equal(cell_count(p, "rx_discards", 0), cases[i].discards);
		obs_free(o);
	}
}

CASE(a_host_that_lost_its_rdma_device)
{
	char *text = capture_read(LAB "fault-norxe/all.txt", NULL), *none = strstr(text, "[]");
	struct obs *o;
	struct buf b;

	assert_non_null(none);
	script_begin(&b);
	script_text(&b, "rlink", none);
	o = script_decode(&b, "fast");
	assert_int_equal(o->ports.n, 0);
	assert_int_equal(capability_of(o, "RDMA devices", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	free(text);
}

/* ": " of a listing for people becomes ":" as grep prints it. */
static char *as_grep(const char *file)
{
	char *text = capture_read(file, NULL), *to = text, *from = text;
	bool name = true;

	for (; *from; from++) {
		*to++ = *from;
		if (name && *from == ':' && from[1] == ' ')
			from++;
		name = *from == '\n' || (name && *from != ':' && *from != ' ');
	}
	*to = '\0';
	return text;
}

CASE(the_guests_sysfs)
{
	static const char *const layouts[] = {"rdma/statistic.txt", "rdma/statistic.json",
		"rdma/statistic.pretty.json", "rdma/statistic.d.json"};
	static const char *const links[] = {
		"rdma/link.txt", "rdma/link.json", "rdma/link.pretty.json", "rdma/link.d.json"};
	char *tree = as_grep(LAB "sysfs/infiniband.txt"), file[128];
	struct obs_port_ref p;
	struct obs *o;
	struct buf b;

	script_begin(&b);
	script_text(&b, "map", tree);
	script_text(&b, "ib", tree);
	script_file(&b, "net", LAB "sysfs/net.txt");
	script_file(&b, "net", LAB "sysfs/net-statistics.txt");
	o = script_decode(&b, "fast");
	p = at_port(o, "rxe0");
	assert_int_equal(o->ports.n, 2);
	assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "ens1np0");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 1000);
	assert_true(isnan(attr_number(at_port(o, "rxe1"), ATTR_SPEED_MBPS, 0)));
	/* The kernel's count of lost carriers and the driver's agree. */
	assert_int_equal(cell_count(p, "link_down_events", 0), 1);
	assert_int_equal(cell_count(p, "rx_bytes", 0), 12418);
	obs_free(o);
	free(tree);
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		script_begin(&b);
		str_printf(file, sizeof(file), LAB "%s", links[i]);
		script_file(&b, "rlink", file);
		str_printf(file, sizeof(file), LAB "%s", layouts[i]);
		script_file(&b, "rstat", file);
		o = script_decode(&b, "fast");
		assert_int_equal(o->ports.n, 2);
		assert_int_equal(cell_count(at_port(o, "rxe0"), "link_down_events", 0), 1);
		assert_int_equal(cell_count(at_port(o, "rxe1"), "link_down_events", 0), 0);
		assert_string_equal(attr_word(at_port(o, "rxe1"), ATTR_NETDEV, 0), "ens2np0");
		obs_free(o);
	}
}

/*
 * A virtio NIC, an e1000 and netdevsim refuse in three ways; each keeps the data of the other
 * tools.
 */
CASE(nics_that_support_little)
{
	static const struct {
		const char *netdev, *pci, *fec, *firmware;
	} cases[] = {{"ens1np0", "0000:00:03.0", "(none)", "(none)"},
		{"ens2np0", "0000:00:04.0", "(none)", "(none)"},
		{"sim0", "(none)", "none", "10.20.30"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static const char *const fast[][2] = {
			{"stats", "S"}, {"fec", "I-show-fec"}, {"link", "show"}, {"pause", "I-a"}};
		static const char *const dcb[] = {"pfc", "ets", "app", "apptrust", "buffer"};
		char title[48], file[128];
		struct obs_port_ref p;
		struct obs *o;
		struct buf b;

		script_begin(&b);
		script_port(&b, "rxe0", cases[i].netdev);
		for (size_t k = 0; k < ARRAY_LEN(fast); k++) {
			str_printf(title, sizeof(title), "%s %s", fast[k][0], cases[i].netdev);
			str_printf(file, sizeof(file), LAB "ethtool-%s/%s.txt", cases[i].netdev,
				fast[k][1]);
			script_file(&b, title, file);
		}
		o = script_decode(&b, "fast");
		p = at_port(o, "rxe0");
		assert_string_equal(attr_word(p, ATTR_FEC, 0), cases[i].fec);
		assert_int_equal(cell_validity(p, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
		assert_int_equal(cell_validity(p, "pfc_rx_frames", 3), VALID_UNSUPPORTED);
		assert_int_equal(
			cell_validity(p, "rx_pause_frames", 0), i ? VALID_UNSUPPORTED : VALID_OK);
		obs_free(o);
		script_begin(&b);
		script_port(&b, "rxe0", cases[i].netdev);
		str_printf(title, sizeof(title), "module %s", cases[i].netdev);
		str_printf(file, sizeof(file), LAB "ethtool-%s/m.txt", cases[i].netdev);
		script_file(&b, title, file);
		o = script_decode(&b, "optics");
		assert_int_equal(
			cell_validity(at_port(o, "rxe0"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
		obs_free(o);
		script_begin(&b);
		script_port(&b, "rxe0", cases[i].netdev);
		str_printf(title, sizeof(title), "driver %s", cases[i].netdev);
		str_printf(file, sizeof(file), LAB "ethtool-%s/i.txt", cases[i].netdev);
		script_file(&b, title, file);
		o = script_decode(&b, "slow");
		assert_string_equal(attr_word(at_port(o, "rxe0"), ATTR_PCI_ADDR, 0), cases[i].pci);
		assert_string_equal(
			attr_word(at_port(o, NULL), ATTR_FIRMWARE, 0), cases[i].firmware);
		obs_free(o);
		script_begin(&b);
		script_port(&b, "rxe0", cases[i].netdev);
		for (size_t k = 0; k < ARRAY_LEN(dcb); k++) {
			str_printf(title, sizeof(title), "%s %s", dcb[k], cases[i].netdev);
			str_printf(
				file, sizeof(file), LAB "dcb/%s.%s.json", cases[i].netdev, dcb[k]);
			script_file(&b, title, file);
		}
		str_printf(title, sizeof(title), "flow %s", cases[i].netdev);
		str_printf(file, sizeof(file), LAB "ethtool-%s/a.txt", cases[i].netdev);
		script_file(&b, title, file);
		o = script_decode(&b, "qos");
		assert_int_equal(capability_of(o, "PFC settings", NULL), VALID_UNSUPPORTED);
		assert_true(isnan(attr_number(at_port(o, "rxe0"), ATTR_PFC_ENABLED, 0)));
		/* 802.3x is on (RX) on the e1000, but there is no PFC beside it. */
		assert_null(log_text(o, NULL));
		obs_free(o);
	}
	by("identity");
}

CASE(what_netdevsim_was_made_to_say)
{
	struct obs *o;
	struct buf b;

	script_begin(&b);
	script_port(&b, "sim", "sim0");
	script_file(&b, "fec sim0", LAB "sim/set-fec.txt");
	script_file(&b, "pause sim0", LAB "sim/pause-stats.txt");
	script_file(&b, "link sim0", LAB "sim/link-down.txt");
	o = script_decode(&b, "fast");
	assert_string_equal(attr_word(at_port(o, "sim"), ATTR_FEC, 0), "rs");
	assert_int_equal(cell_count(at_port(o, "sim"), "rx_pause_frames", 0), 1);
	assert_int_equal(cell_count(at_port(o, "sim"), "tx_pause_frames", 0), 2);
	obs_free(o);
}

CASE(neighbours_of_the_guest)
{
	char text[128];
	struct obs *o;
	struct buf b;

	script_begin(&b);
	script_port(&b, "rxe0", "ens1np0");
	script_port(&b, "rxe1", "ens2np0");
	script_file(&b, "lldp", LAB "lldp/neighbors.json");
	o = script_decode(&b, "lldp");
	assert_string_equal(lldp_of(at_port(o, "rxe0"), text, sizeof(text)), "leaf1:swp1");
	assert_string_equal(lldp_of(at_port(o, "rxe1"), text, sizeof(text)), "leaf2:swp1");
	assert_string_equal(attr_word(at_port(o, "rxe0"), ATTR_LLDP_MGMT, 0), "10.255.0.21");
	assert_true(str_starts(attr_word(at_port(o, "rxe1"), ATTR_LLDP_DESCR, 0), "Debian GNU"));
	obs_free(o);
	by("LLDP neighbours");
}

/* ---- logs ---- */

static struct obs *log_of(const char *file, const char *netdev, const char *rdma, const char *pci)
{
	char *text = capture_read(file, NULL), key[64];
	struct facts known = {0};
	struct buf b;
	struct obs *o;

	str_printf(key, sizeof(key), "nd.%s", netdev);
	facts_set(&known, key, rdma);
	str_printf(key, sizeof(key), "pci.%s", pci);
	facts_set(&known, key, rdma);
	buf_init(&b, 1u << 20);
	buf_adds(&b, text);
	o = script_decode_as(&b, "log", &known);
	facts_free(&known);
	free(text);
	return o;
}

CASE(kernel_logs)
{
	struct obs *o = log_of(
		"hosts/syslog/synthetic/mlx5_flap_journal.log", "rdma3", "mlx5_3", "0000:5e:00.0");

	assert_int_equal(o->ports.n, 1);
	assert_int_equal(log_lines(o, "rdma3: Link down"), 2);
	assert_int_equal(log_lines(o, "rdma3: Link up"), 2);
	assert_int_equal(log_lines(o, "Cable error, High Temperature"), 1);
	for (size_t i = 0; i < o->items.n; i++)
		assert_int_equal(o->items.at[i].port, at_port(o, "mlx5_3").port);
	/* 2026-11-20 12:15:56.104512 UTC */
	assert_true(o->items.at[0].time_us == INT64_C(1795176956104512));
	obs_free(o);
	o = log_of(LAB "fault-flap/dmesg-tail.txt", "ens1np0", "rxe0", "0000:00:03.0");
	assert_int_equal(log_lines(o, "NIC Link is Down"), 2);
	assert_int_equal(log_lines(o, "NIC Link is Up"), 3);
	assert_int_equal(log_lines(o, "speed is unknown"), 0);
	assert_string_equal(o->ports.at[0].name, "rxe0");
	obs_free(o);
	o = log_of(LAB "inv/dmesg.txt", "ens1np0", "rxe0", "0000:00:03.0");
	assert_int_equal(log_lines(o, "ens1np0 NIC Link is Up"), 1);
	/* Of 390 lines of a boot few are worth a look. */
	assert_true(o->items.n < 30);
	obs_free(o);
	o = log_of(LAB "fault-link-down/dmesg-tail.txt", "ens1np0", "rxe0", "0000:00:03.0");
	assert_int_equal(o->items.n, 0);
	obs_free(o);
	o = log_of("hosts/syslog/azure_1dev_6flap_syslog.log", "ib6", "mlx5_6", "-");
	assert_true(log_lines(o, "ib6: ") >= 12 || log_lines(o, "ost carrier") >= 6);
	obs_free(o);
	o = log_of("hosts/syslog/azure_0flap_syslog.log", "ib6", "mlx5_6", "-");
	assert_int_equal(log_lines(o, "carrier"), 0);
	obs_free(o);
	o = log_of("hosts/syslog/gpud_dmesg_xid119.log", "rdma3", "mlx5_3", "0000:5e:00.0");
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
	o = log_of("hosts/syslog/gpud_dmesg_nccl_segfault.log", "rdma3", "mlx5_3", "-");
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
	by("event log");
}

/* Old ways of drivers, and a netdev without a driver. */
CASE(other_machines)
{
	static const char *const versions[] = {"6.1", "6.14.2", "7.2"};
	char file[128];
	struct obs *o;

	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		static const char *const parts[][2] = {{"stats rdma3", "S"}, {"fec rdma3", "fec"},
			{"link rdma3", "settings"}, {"pause rdma3", "a"}};
		struct buf b;

		script_begin(&b);
		script_port(&b, "mlx5_3", "rdma3");
		for (size_t k = 0; k < ARRAY_LEN(parts); k++) {
			str_printf(file, sizeof(file), "hosts/ethtool/real-virtio_net/%s_%s.txt",
				parts[k][1], versions[v]);
			script_file(&b, parts[k][0], file);
		}
		o = script_decode(&b, "fast");
		assert_int_equal(
			cell_validity(at_port(o, "mlx5_3"), "rx_bytes", 0), VALID_UNSUPPORTED);
		assert_int_equal(cell_validity(at_port(o, "mlx5_3"), "fec_corrected_codewords", 0),
			VALID_UNSUPPORTED);
		assert_int_equal(
			cell_validity(at_port(o, "mlx5_3"), "pfc_rx_frames", 3), VALID_UNSUPPORTED);
		obs_free(o);
		str_printf(
			file, sizeof(file), "hosts/ethtool/real-virtio_net/m_%s.txt", versions[v]);
		o = script_section("optics", "module rdma3", file);
		assert_int_equal(
			cell_validity(at_port(o, "mlx5_3"), "temperature_c", 0), VALID_UNSUPPORTED);
		obs_free(o);
		str_printf(
			file, sizeof(file), "hosts/ethtool/real-virtio_net/i_%s.txt", versions[v]);
		o = script_section("slow", "driver rdma3", file);
		assert_string_equal(
			attr_word(at_port(o, "mlx5_3"), ATTR_PCI_ADDR, 0), "0000:00:03.0");
		obs_free(o);
	}
	o = script_section("slow", "driver rdma3", "hosts/ethtool/node_exporter/eth0_driver.txt");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_FIRMWARE, 0), "0.5-4");
	assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_PCI_ADDR, 0), "0000:00:1f.6");
	obs_free(o);
	o = script_section(
		"fast", "stats rdma3", "hosts/ethtool/node_exporter/eth0_statistics.txt");
	assert_int_equal(
		cell_validity(at_port(o, "mlx5_3"), "pfc_rx_frames", 3), VALID_UNSUPPORTED);
	obs_free(o);
	o = script_section("fast", "link rdma3", "hosts/ethtool/node_exporter/eth0_settings.txt");
	assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_DOWN_REASON, 0), "");
	obs_free(o);
}

CASE(a_namespace_with_eight_rails)
{
	struct obs *o;
	struct buf b;

	script_begin(&b);
	script_port(&b, "mlx5_3", "rdma3");
	script_port(&b, "mlx5_5", "rdma5");
	script_file(&b, "net", "hosts/iproute2/sysfs-class-net.txt");
	script_file(&b, "link rdma3", "hosts/iproute2/ethtool-veth.txt");
	o = script_decode(&b, "fast");
	assert_int_equal(cell_count(at_port(o, "mlx5_3"), "carrier_changes", 0), 76);
	assert_int_equal(cell_count(at_port(o, "mlx5_3"), "link_down_events", 0), 38);
	assert_string_equal(attr_word(at_port(o, "mlx5_5"), ATTR_OPER, 0), "down");
	assert_int_equal(cell_count(at_port(o, "mlx5_5"), "link_down_events", 0), 2);
	obs_free(o);
	/* The same by iproute2. */
	script_begin(&b);
	script_port(&b, "mlx5_3", "rdma3");
	script_net(&b, "hosts/iproute2/ip-j-s-s-link.json");
	o = script_decode(&b, "fast");
	assert_int_equal(cell_count(at_port(o, "mlx5_3"), "carrier_changes", 0), 76);
	assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_MTU, 0) == 4220);
	obs_free(o);
}

CASE(what_rests_on_which_capture)
{
	covered_print("linux", needs, ARRAY_LEN(needs));
}

CASES_MAIN(NULL, NULL)
