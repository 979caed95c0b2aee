/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/switch.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"
#include "tests/support/obs_find.h"
#include "tests/support/run_command.h"

#define FIXTURES "tests/backends/fixtures/"
#define BEGIN    "@@begin 1\n1795200000000000000\n"
#define END      "@@end\n1795200000200000000\n"
#define TWO_PORTS                                                                                  \
	"@@link\n[{\"ifname\":\"swp1\",\"link_type\":\"ether\",\"operstate\":\"UP\"},"             \
	"{\"ifname\":\"swp2\",\"link_type\":\"ether\",\"operstate\":\"UP\"}]\n"

static const struct target leaf = {
	.device = "leaf-x-07", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};
static const struct backend_ops ops = {.name = "linux", .plan = sw_plan, .parse = sw_parse};

static struct obs *decode(const char *request, const char *text)
{
	struct obs *o = obs_new(leaf.device, request);
	struct err err = {0};

	if (!sw_parse(&leaf, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode_file(const char *request, const char *file)
{
	size_t len;
	char *text = read_file(file, &len);
	struct obs *o;

	assert_non_null(text);
	o = decode(request, text);
	assert_int_equal(o->err.code, ERR_NONE);
	free(text);
	return o;
}

CASE(front_ports_only)
{
	struct obs *o = decode_file("sw-fast", FIXTURES "linux_switch_fast.txt");

	assert_int_equal(o->ports.n, 3);
	assert_true(has_port(o, "swp1") && has_port(o, "swp2") && has_port(o, "swp3"));
	obs_free(o);
	/* Without switch ids the name decides; a device stacked on a port is no port. */
	o = decode("sw-fast",
		BEGIN "@@link\n[{\"ifname\":\"eth0\",\"link_type\":\"ether\",\"operstate\":\"UP\"},"
		      "{\"ifname\":\"mgmt1\",\"link_type\":\"ether\"},"
		      "{\"ifname\":\"enp9s0\",\"link_type\":\"ether\",\"master\":\"mgmt\"},"
		      "{\"ifname\":\"dummy0\",\"link_type\":\"ether\",\"linkinfo\":{\"info_kind\":"
		      "\"dummy\"}},{\"ifname\":\"bond0\",\"link_type\":\"ether\",\"linkinfo\":{"
		      "\"info_kind\":\"bond\"}},{\"ifname\":\"eth1\",\"link_type\":\"ether\","
		      "\"master\":\"bond0\",\"linkinfo\":{\"info_kind\":\"veth\"}},"
		      "{\"ifname\":\"gre0\",\"link_type\":\"gre\"}]\n" END);
	/* The bond is there as the bundle of its member. */
	assert_int_equal(o->ports.n, 2);
	assert_true(has_port(o, "eth1"));
	assert_string_equal(attr_word(at_port(o, "eth1"), ATTR_BOND, 0), "bond0");
	assert_string_equal(attr_word(at_port(o, "bond0"), ATTR_BOND, 0), "bond0");
	obs_free(o);
}

CASE(state_of_ports)
{
	struct obs *o = decode_file("sw-fast", FIXTURES "linux_switch_fast.txt");
	struct obs_port_ref p = at_port(o, "swp1"), q = at_port(o, "swp2"), r = at_port(o, "swp3");

	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(p, ATTR_DESCRIPTION, 0), "to spine-a swp7");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(attr_number(p, ATTR_MTU, 0) == 9100);
	assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
	assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), "");
	assert_string_equal(attr_word(q, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(q, ATTR_ADMIN, 0), "up");
	/* The reason of a link that is down comes with another request and stays. */
	assert_string_equal(attr_word(q, ATTR_DOWN_REASON, 0), "(none)");
	assert_true(isnan(attr_number(q, ATTR_SPEED_MBPS, 0)));
	assert_string_equal(attr_word(r, ATTR_ADMIN, 0), "down");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HOSTNAME, 0), "leaf-x-07");
	assert_true(attr_number(at_port(o, NULL), ATTR_UPTIME_S, 0) == 86461.25);
	assert_true(o->device_us == INT64_C(1795200000200000));
	obs_free(o);
}

CASE(the_chip_counts_before_the_kernel)
{
	struct obs *o = decode_file("sw-fast", FIXTURES "linux_switch_fast.txt");
	struct obs_port_ref p = at_port(o, "swp1"), q = at_port(o, "swp2");

	assert_int_equal(cell_count(p, "rx_bytes", 0), 5000);
	assert_true(cell_count(p, "tx_bytes", 0) == UINT64_MAX);
	assert_int_equal(cell_count(p, "rx_packets", 0), 10);
	assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 3);
	assert_int_equal(cell_count(p, "rx_discards", 0), 4);
	assert_int_equal(cell_count(p, "tx_discards", 0), 12);
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 5);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 100);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 200);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 2500);
	assert_int_equal(cell_validity(p, "pfc_tx_duration_us", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 31);
	assert_int_equal(cell_count(p, "queue_drops", 3), 8);
	assert_true(cell_value(p, "queue_depth_bytes", 3) == 4096);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 500);
	/* A chip that counts PFC as 802.3x would accuse every lossless port. */
	assert_int_equal(cell_validity(p, "rx_pause_frames", 0), VALID_UNSUPPORTED);
	/* Without its own counters, those of dcb: requests are the sent frames. */
	assert_int_equal(cell_count(q, "pfc_tx_frames", 3), 21);
	assert_int_equal(cell_count(q, "pfc_rx_frames", 3), 22);
	obs_free(o);
}

CASE(queue_disciplines_mark_and_drop)
{
	struct obs *o = decode_file("sw-fast", FIXTURES "linux_switch_fast.txt");
	struct obs_port_ref p = at_port(o, "swp1"), q = at_port(o, "swp2"), r = at_port(o, "swp3");

	/* Band 5 of 8 is traffic class 3. */
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 41);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 4), 99);
	assert_int_equal(cell_count(p, "wred_drops", 3), 5);
	/* The kernel's 3 and those of the root, which has its child's among them. */
	assert_int_equal(cell_count(q, "tx_discards", 0), 33);
	assert_int_equal(cell_count(q, "wred_drops", 0), 30);
	assert_int_equal(cell_validity(q, "ecn_marked_packets", 0), VALID_UNKNOWN);
	assert_int_equal(cell_validity(r, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(r, "ecn_marked_packets", 3), "dev swp3 root red"));
	obs_free(o);
}

CASE(a_virtual_port_has_no_chip)
{
	struct obs *o = decode("sw-fast", BEGIN
		"@@link\n[{\"ifname\":\"swp1\",\"link_type\":\"ether\",\"operstate\":\"UNKNOWN\","
		"\"flags\":[\"UP\",\"LOWER_UP\"],\"linkinfo\":{\"info_kind\":\"veth\"},"
		"\"stats64\":{\"rx\":{\"bytes\":7,\"crc_errors\":0},\"tx\":{}}}]\n"
		"@@qdisc\nsh: 1: tc: not found\n" END);
	struct obs_port_ref p = at_port(o, "swp1");

	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_int_equal(cell_count(p, "rx_bytes", 0), 7);
	assert_int_equal(cell_validity(p, "rx_fcs_errors", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "pfc_rx_frames", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "tx_bytes", 0), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "PFC watchdog", NULL), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "port counters", NULL), VALID_OK);
	obs_free(o);
}

CASE(missing_tools_cost_their_own)
{
	struct obs *o =
		decode("sw-fast", BEGIN TWO_PORTS "@@stats swp1\nsh: 3: ethtool: not found\n" END);
	const char *cure = "";

	assert_int_equal(cell_validity(at_port(o, "swp1"), "pfc_rx_frames", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(at_port(o, "swp1"), "pfc_rx_frames", 3), "ethtool"));
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
	o = decode("sw-fast", BEGIN "@@link\nip: unknown option -j\n" END);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.text, "unknown option -j"));
	assert_int_equal(capability_of(o, "port state", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "iproute2"));
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
}

/* ethtool hangs on the second port: the first is as good as ever, the second's values age. */
CASE(what_came_before_a_port_hangs)
{
	static const char answer[] = BEGIN TWO_PORTS
		"@@stats swp1\n     a_octets_received_ok: 900\n@@fec swp1\n@@stats swp2\n";
	struct obs *o = decode("sw-fast", answer);
	struct obs *cut = decode("sw-optics", BEGIN TWO_PORTS "@@reason swp1\n");

	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_int_equal(cell_count(at_port(o, "swp1"), "rx_bytes", 0), 900);
	assert_int_equal(cell_validity(at_port(o, "swp2"), "rx_bytes", 0), VALID_UNKNOWN);
	assert_int_equal(cell_validity(at_port(o, "swp2"), "pfc_rx_frames", 3), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_UNKNOWN);
	assert_int_equal(capability_of(cut, "optics: temperature", NULL), VALID_UNKNOWN);
	obs_free(cut);
	obs_free(o);
}

#define NEIGH(dst, dev, mac, state)                                                                \
	"{\"dst\":\"" dst "\",\"dev\":\"" dev "\",\"lladdr\":\"" mac "\",\"state\":[\"" state "\"" \
	"]}"
#define FDB(mac, dev, more) "{\"mac\":\"" mac "\",\"ifname\":\"" dev "\"," more "}"

/* iproute2 prints flags of an entry as members without a value, and no address of a failed one. */
CASE(stations_that_ports_hear)
{
	struct obs *o = decode("sw-slow",
		BEGIN TWO_PORTS "@@neigh\n[" NEIGH("10.0.0.1", "swp1", "b8:ce:f6:aa:00:01",
			"REACHABLE") ","
				     "{\"dst\":\"fe80::1\",\"dev\":\"swp1\","
				     "\"lladdr\":\"b8:ce:f6:aa:00:01\",\"router\":null,"
				     "\"offload\":null,\"state\":[\"STALE\"]},"
				     "{\"dst\":\"10.0.0.9\",\"dev\":\"swp1\",\"state\":["
				     "\"FAILED\"]},"
				     "{\"dst\":\"10.0.0.8\",\"dev\":\"swp1\",\"state\":["
				     "\"INCOMPLETE\"]}," NEIGH("224.0.0.22", "swp1",
					     "01:00:5e:00:00:16", "NOARP") "," NEIGH("10.1.0.1",
					     "eth0", "52:54:00:12:35:02",
					     "REACHABLE") "," NEIGH("10.2.0.1", "swp2.100",
					     "b8:ce:f6:aa:00:02",
					     "DELAY") "]\n"
						      "@@fdb\n[" FDB("b8:ce:f6:aa:00:03", "swp2",
							      "\"vlan\":10,\"flags\":[],"
							      "\"master\":\"bridge\","
							      "\"state\":\"\"") "," FDB("b8"
											":c"
											"e:"
											"f6"
											":a"
											"a:"
											"00"
											":0"
											"4",
							      "swp2",
							      "\"vlan\":1,\"flags\":["
							      "\"extern_learn\","
							      "\"offload\"],"
							      "\"master\":\"br0\","
							      "\"state\":\"\"") "," FDB("44"
											":3"
											"8:"
											"39"
											":0"
											"0:"
											"00"
											":0"
											"5",
							      "swp2",
							      "\"flags\":[],\"master\":"
							      "\"bridge\",\"state\":"
							      "\"permanent\"") "," FDB("33:"
										       "33:"
										       "00:"
										       "00:"
										       "00:"
										       "01",
							      "swp2",
							      "\"flags\":[\"self\"],"
							      "\"state\":\"permanent\"") "," FDB("0"
												 "0"
												 ":"
												 "0"
												 "0"
												 ":"
												 "0"
												 "0"
												 ":"
												 "0"
												 "0"
												 ":"
												 "0"
												 "0"
												 ":"
												 "0"
												 "0",
							      "swp2",
							      "\"flags\":[\"self\"],"
							      "\"state\":\"\"") "," FDB("56"
											":2"
											"3:"
											"28"
											":4"
											"f:"
											"4f"
											":e"
											"5",
							      "vx0",
							      "\"flags\":[],\"master\":"
							      "\"br0\",\"state\":\"0x80\"") "]"
											    "\n" END);

	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_MACS, 0), "b8:ce:f6:aa:00:01");
	assert_string_equal(attr_word(at_port(o, "swp2"), ATTR_MACS, 0),
		"b8:ce:f6:aa:00:02 b8:ce:f6:aa:00:03 b8:ce:f6:aa:00:04");
	assert_true(attr_number(at_port(o, NULL), ATTR_MACS, 0) == 2);
	obs_free(o);
}

CASE(a_port_with_many_stations_says_so)
{
	char text[4096] = BEGIN TWO_PORTS "@@neigh\n[]\n@@fdb\n[";
	struct obs *o;

	for (int i = 0; i <= MACS_MOST; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			"%s{\"mac\":\"02:00:00:00:00:%02x\",\"ifname\":\"swp1\",\"state\":\"\"}",
			i ? "," : "", i);
	(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "]\n" END);
	o = decode("sw-slow", text);
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_MACS, 0), MACS_MANY);
	obs_free(o);
	/* Without ip's list nothing is known: it is no list without stations. */
	o = decode("sw-slow", BEGIN TWO_PORTS "@@neigh\n@@fdb\n" END);
	assert_true(isnan(attr_number(at_port(o, NULL), ATTR_MACS, 0)));
	obs_free(o);
}

CASE(identity_hash_and_settings)
{
	struct obs *o = decode_file("sw-slow", FIXTURES "linux_switch_slow.txt");
	struct obs_port_ref d = at_port(o, NULL), p = at_port(o, "swp1");

	assert_string_equal(
		attr_word(d, ATTR_OS_VERSION, 0), "Debian GNU/Linux 12 (bookworm), FRR 9.1.3");
	assert_string_equal(attr_word(d, ATTR_MODEL, 0), "MSN9999");
	assert_string_equal(attr_word(d, ATTR_SERIAL, 0), "MT0000X11111");
	assert_string_equal(attr_word(d, ATTR_FIRMWARE, 0), "30.2012.1012");
	/* 51 = 0x33: addresses and ports. */
	assert_string_equal(attr_word(d, ATTR_ECMP_HASH, 0), "src-ip dst-ip l4-src l4-dst");
	assert_string_equal(attr_word(d, ATTR_LAG_HASH, 0), "layer3+4");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 8);
	assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "00030060");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "00010000");
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	assert_int_equal(attr_word(p, ATTR_DSCP_TO_TC, 0)[26], '3');
	assert_int_equal(attr_word(p, ATTR_DSCP_TO_TC, 0)[27], '-');
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 500000);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 1500000);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 20);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 8);
	assert_true(attr_number(at_port(o, "swp2"), ATTR_ECN_ENABLED, 0) == 0);
	assert_true(isnan(attr_number(at_port(o, "swp2"), ATTR_PFC_ENABLED, 0)));
	assert_int_equal(capability_of(o, "identity", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "PFC settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_OK);
	obs_free(o);
}

static const char *const policies[][2] = {{"0", "src-ip dst-ip"},
	{"1", "src-ip dst-ip protocol l4-src l4-dst"}, {"2", "inner-src-ip inner-dst-ip"}};

/* Forms of `ip -j -d link` as iproute2 prints members of a VRF: a port, a VLAN on it, a bond. */
CASE(vrfs_are_tenants)
{
	struct obs *o = decode("sw-slow", BEGIN
		"@@link\n[{\"ifname\":\"swp1\",\"link_type\":\"ether\",\"master\":\"blue\","
		"\"linkinfo\":{\"info_slave_kind\":\"vrf\",\"info_slave_data\":{\"table\":100}}},"
		"{\"ifname\":\"swp2\",\"link_type\":\"ether\",\"master\":\"bond1\","
		"\"linkinfo\":{\"info_slave_kind\":\"bond\"}},"
		"{\"ifname\":\"swp3\",\"link_type\":\"ether\",\"master\":\"br0\","
		"\"linkinfo\":{\"info_slave_kind\":\"bridge\"}},"
		"{\"ifname\":\"eth0\",\"link_type\":\"ether\",\"master\":\"mgmt\","
		"\"linkinfo\":{\"info_slave_kind\":\"vrf\"}},"
		"{\"ifname\":\"swp1.20\",\"link\":\"swp1\",\"link_type\":\"ether\",\"master\":"
		"\"red\",\"linkinfo\":{\"info_kind\":\"vlan\",\"info_slave_kind\":\"vrf\"}},"
		"{\"ifname\":\"swp1.21\",\"link\":\"swp1\",\"link_type\":\"ether\",\"master\":"
		"\"red\",\"linkinfo\":{\"info_kind\":\"vlan\",\"info_slave_kind\":\"vrf\"}},"
		"{\"ifname\":\"bond1\",\"link_type\":\"ether\",\"master\":\"red\","
		"\"linkinfo\":{\"info_kind\":\"bond\",\"info_slave_kind\":\"vrf\"}},"
		"{\"ifname\":\"red\",\"link_type\":\"ether\",\"linkinfo\":{\"info_kind\":\"vrf\","
		"\"info_data\":{\"table\":7}}}]\n" END);

	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_TENANT, 0), "blue; red");
	assert_string_equal(attr_word(at_port(o, "swp2"), ATTR_TENANT, 0), "red");
	/* A bridged port says no VRF: nothing is claimed. */
	assert_string_equal(attr_word(at_port(o, "swp3"), ATTR_TENANT, 0), "(none)");
	obs_free(o);
	/* Without any overlay there are no tenants. With a VXLAN nobody knows them. */
	o = decode("sw-slow", BEGIN TWO_PORTS END);
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_TENANT, 0), "");
	obs_free(o);
	o = decode("sw-slow", BEGIN
		"@@link\n[{\"ifname\":\"swp1\",\"link_type\":\"ether\"},{\"ifname\":\"vxlan10\","
		"\"link_type\":\"ether\",\"master\":\"bridge\",\"linkinfo\":{\"info_kind\":"
		"\"vxlan\",\"info_data\":{\"id\":10},\"info_slave_kind\":\"bridge\"}}]\n" END);
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_TENANT, 0), "(none)");
	obs_free(o);
}

CASE(hash_policies_in_words)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		char text[256];
		struct obs *o;

		str_printf(text, sizeof(text),
			BEGIN "@@hash\n/proc/sys/net/ipv4/fib_multipath_hash_policy:%s\n" END,
			policies[i][0]);
		o = decode("sw-slow", text);
		assert_string_equal(attr_word(at_port(o, NULL), ATTR_ECMP_HASH, 0), policies[i][1]);
		obs_free(o);
	}
}

CASE(neighbours_come_and_go)
{
	char peer[160];
	struct obs *o = decode("sw-lldp", BEGIN TWO_PORTS
		"@@lldp\n{\"lldp\":[{\"interface\":[{\"name\":\"swp1\",\"chassis\":[{\"name\":[{"
		"\"value\":\"spine-a\"}],\"mgmt-ip\":[{\"value\":\"10.9.9.1\"}],\"descr\":[{"
		"\"value\":\"Some OS\"}]}],\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":"
		"\"swp7\"}]}]},{\"name\":\"eth0\",\"chassis\":[{\"name\":[{\"value\":\"oob\"}]}],"
		"\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"ge1\"}]}]}]}]}\n" END);

	assert_string_equal(lldp_of(at_port(o, "swp1"), peer, sizeof(peer)), "spine-a:swp7");
	assert_string_equal(lldp_of(at_port(o, "swp2"), peer, sizeof(peer)), ":");
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_LLDP_MGMT, 0), "10.9.9.1");
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_LLDP_DESCR, 0), "Some OS");
	assert_false(has_port(o, "eth0"));
	assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
	obs_free(o);
}

CASE(a_dead_lldpd_takes_no_neighbour_away)
{
	static const char *const cases[][2] = {
		{"[WARN/control] unable to connect to socket /run/lldpd.socket: No such file\n",
			"systemctl start lldpd"},
		{"sh: 5: lldpcli: Permission denied\n", "usermod -aG _lldpd"},
		{"sudo: a password is required\n", "usermod -aG _lldpd"},
		{"sh: 5: lldpcli: not found\n", "install the package lldpd"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1024], peer[160];
		const char *cure = "";
		struct obs *o;

		str_printf(text, sizeof(text), "%s@@lldp\n%s%s", BEGIN TWO_PORTS, cases[i][0], END);
		o = decode("sw-lldp", text);
		assert_string_equal(lldp_of(at_port(o, "swp1"), peer, sizeof(peer)), "(none)");
		assert_int_equal(capability_of(o, "LLDP neighbours", &cure),
			i == 3 ? VALID_UNSUPPORTED : VALID_DISABLED);
		assert_non_null(strstr(cure, cases[i][1]));
		obs_free(o);
	}
}

CASE(bgp_through_the_script)
{
	struct obs *o = decode("sw-bgp",
		BEGIN "@@bgp\n{\"default\":{\"ipv4Unicast\":{\"peers\":{\"swp7\":{\"state\":"
		      "\"Established\"}}}}}\n" END);

	assert_int_equal(o->bgp.n, 1);
	assert_true(o->bgp_whole);
	obs_free(o);
	o = decode("sw-bgp", BEGIN "@@bgp\nbgpd is not running\n" END);
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_DISABLED);
	assert_false(o->bgp_whole);
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
	o = decode("sw-bgp", BEGIN "@@bgp\nvtysh: symbol lookup error\n" END);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.text, "symbol lookup error"));
	obs_free(o);
}

CASE(why_a_link_is_down)
{
	struct obs *o = decode("sw-optics", BEGIN TWO_PORTS
		"@@reason swp1\n\tLink detected: yes\n@@module swp1\n"
		"\tIdentifier : 0x18 (QSFP-DD)\n\tModule temperature : 41.50 degrees C / 106.70 F\n"
		"\tModule temperature high alarm threshold : 75.00 degrees C / 167.00 F\n"
		"@@reason swp2\n\tLink detected: no (No cable)\n@@module swp2\n"
		"netlink error: Input/output error\n" END);

	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_DOWN_REASON, 0), "(none)");
	assert_string_equal(attr_word(at_port(o, "swp2"), ATTR_DOWN_REASON, 0), "No cable");
	assert_true(cell_value(at_port(o, "swp1"), "temperature_c", 0) == 41.5);
	assert_int_equal(capability_of(o, "optics: temperature", NULL), VALID_OK);
	/* Though the last port is an empty cage. */
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
	obs_free(o);
	/* Virtual ports have none to be read. */
	o = decode("sw-optics", BEGIN TWO_PORTS END);
	assert_int_equal(capability_of(o, "optics: temperature", NULL), VALID_UNSUPPORTED);
	obs_free(o);
}

/* ---- the questions ---- */

static const struct request *asked(
	struct request_list *l, const struct facts *facts, enum poll_tier tier, const char *name)
{
	struct target t = leaf;
	struct err err = {0};

	requests_free(l);
	t.facts = facts;
	assert_true(sw_plan(&t, tier, l, &err));
	for (size_t i = 0; i < l->at.n; i++)
		if (str_eq(l->at.at[i].name, name))
			return &l->at.at[i];
	return NULL;
}

static void learn(struct facts *f, const char *sections)
{
	char text[512];
	struct obs *o;

	str_printf(text, sizeof(text), BEGIN "%s" END, sections);
	o = decode("sw-detect", text);
	facts_learn(f, o);
	obs_free(o);
}

CASE(asks_as_the_system_lets_it)
{
	struct request_list l = {0};
	struct facts f = {0};

	assert_null(strstr(asked(&l, NULL, POLL_MEDIUM, "sw-bgp")->input, "sudo"));
	assert_null(strstr(asked(&l, NULL, POLL_FAST, "sw-fast")->input, "dcb"));
	learn(&f, "@@vtysh\nsudo\n@@lldpcli\n@@module\nsudo\n@@log\n@@pfc\ndcb\n");
	assert_non_null(strstr(asked(&l, &f, POLL_MEDIUM, "sw-bgp")->input, "\nsudo -n vtysh -c"));
	assert_non_null(strstr(asked(&l, &f, POLL_MEDIUM, "sw-lldp")->input, "\nlldpcli -f"));
	assert_non_null(
		strstr(asked(&l, &f, POLL_MEDIUM, "sw-optics")->input, "\nsudo -n ethtool -m"));
	assert_non_null(strstr(asked(&l, &f, POLL_FAST, "sw-fast")->input, "\ndcb -j -s pfc"));
	assert_null(strstr(asked(&l, &f, POLL_FAST, "sw-fast")->input, "{}"));
	facts_free(&f);
	requests_free(&l);
}

CASE(follows_the_log_that_is_there)
{
	struct request_list l = {0};
	struct facts f = {0};
	const struct request *r;

	r = asked(&l, NULL, POLL_EVENTS, "sw-log");
	assert_true(r->follow);
	assert_non_null(strstr(r->command, "journalctl -f"));
	learn(&f, "@@log\n/var/log/syslog\n/var/log/messages\n");
	assert_non_null(strstr(
		asked(&l, &f, POLL_EVENTS, "sw-log")->command, " tail -n 0 -F /var/log/syslog "));
	learn(&f, "@@log\nNov 21 18:00:00 x sshd[1]: y\njournal\n/var/log/syslog\n");
	assert_non_null(strstr(asked(&l, &f, POLL_EVENTS, "sw-log")->command, "journalctl -f"));
	/* It succeeds without a journal, too. */
	learn(&f, "@@log\nNo journal files were found.\n-- No entries --\njournal\n"
		  "/var/log/messages\n");
	assert_non_null(strstr(
		asked(&l, &f, POLL_EVENTS, "sw-log")->command, " tail -n 0 -F /var/log/messages "));
	learn(&f, "@@log\njournal\n");
	assert_non_null(strstr(asked(&l, &f, POLL_EVENTS, "sw-log")->command, "journalctl -f"));
	/* Never a path that the device made up. */
	facts_set(&f, "log", "/etc/passwd; reboot");
	assert_non_null(strstr(asked(&l, &f, POLL_EVENTS, "sw-log")->command, "journalctl -f"));
	learn(&f, "@@log\n");
	assert_null(asked(&l, &f, POLL_EVENTS, "sw-log"));
	facts_free(&f);
	requests_free(&l);
}

CASE(the_log_or_why_there_is_none)
{
	struct obs *o = obs_new(leaf.device, "sw-log");
	static const char line[] =
		"2026-11-21T18:00:00+00:00 leaf-x-07 kernel: mlxsw_spectrum3 0000:03:00.0 swp1: "
		"Link is Down\n";
	static const char refusal[] =
		"No journal files were opened due to insufficient permissions.\n";
	struct err err = {0};
	const char *cure = "";
	bool logged = false;

	o->received_us = INT64_C(1795284000000000);
	assert_true(sw_parse(&leaf, "sw-log", line, strlen(line), o, &err));
	for (size_t i = 0; i < o->items.n; i++)
		logged |= o->items.at[i].kind == OBS_EVENT;
	assert_true(logged);
	assert_int_equal(capability_of(o, "event log", NULL), VALID_OK);
	obs_free(o);
	o = obs_new(leaf.device, "sw-log");
	assert_true(sw_parse(&leaf, "sw-log", refusal, strlen(refusal), o, &err));
	assert_int_equal(capability_of(o, "event log", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "systemd-journal"));
	obs_free(o);
}

/* On any machine: each script ends in any shell, and its answer can be read. */
CASE(scripts_on_this_machine)
{
	static const char *const shells[][4] = {{"sh", "-s", NULL, NULL},
		{"bash", "-s", NULL, NULL}, {"busybox", "sh", "-s", NULL}};
	static const enum poll_tier tiers[] = {POLL_DETECT, POLL_FAST, POLL_MEDIUM, POLL_SLOW};

	for (size_t i = 0; i < 3 * 4; i++) {
		struct request_list l = {0};
		struct err err = {0};

		assert_true(sw_plan(&leaf, tiers[i % 4], &l, &err));
		for (size_t k = 0; k < l.at.n; k++) {
			size_t len;
			char *out = run_command(shells[i / 4], NULL, l.at.at[k].input, &len, NULL);
			struct obs *o = obs_new(leaf.device, l.at.at[k].name);

			assert_true(sw_parse(&leaf, l.at.at[k].name, out, len, o, &err));
			obs_free(o);
			free(out);
		}
		requests_free(&l);
	}
}

CASE(hostile_answers_of_switches)
{
	static const char *const cases[][2] = {{"sw-fast", FIXTURES "linux_switch_fast.txt"},
		{"sw-slow", FIXTURES "linux_switch_slow.txt"}};

	for (size_t i = 0; i < 2; i++) {
		size_t len;
		char *good = read_file(cases[i][1], &len);

		assert_non_null(good);
		hostile_answers(&ops, &leaf, cases[i][0], good, len);
		free(good);
	}
}

CASES_MAIN(NULL, NULL)
