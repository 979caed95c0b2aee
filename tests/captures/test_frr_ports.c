/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/switch_lab.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/* Ports, their counters and neighbours as real iproute2 6.1, lldpd 1.0.16 and tc printed them. */

static struct covered table[] = {{"identity", NOTHING}, {"port state", NOTHING},
	{"port counters", NOTHING}, {"link flaps", NOTHING}, {"FEC counters", NOTHING},
	{"PFC frames per priority", NOTHING}, {"queue counters", NOTHING}, {"ECN marks", NOTHING},
	{"ECN settings", NOTHING}, {"PFC settings", NOTHING}, {"DSCP and queue maps", NOTHING},
	{"optics: light received", NOTHING}, {"LLDP neighbours", NOTHING},
	{"hash settings", NOTHING}, {"event log", NOTHING}};
#define ROWS (sizeof(table) / sizeof(table[0]))

/* ---- ports ---- */

static const json_t *at_path(const json_t *o, const char *a, const char *b, const char *c)
{
	o = json_object_get(o, a);
	o = b ? json_object_get(o, b) : o;
	return c ? json_object_get(o, c) : o;
}

static void same_count(struct obs_port_ref p, const char *counter, const json_t *link,
	const char *side, const char *key)
{
	const json_t *v = at_path(link, "stats64", side, key);

	if (v)
		assert_int_equal(cell_count(p, counter, 0), json_integer_value(v));
	else
		assert_int_not_equal(cell_validity(p, counter, 0), VALID_OK);
}

static void same_as_link(const struct obs *o, const json_t *link)
{
	const char *name = json_string_value(json_object_get(link, "ifname"));
	const char *oper = json_string_value(json_object_get(link, "operstate"));
	struct obs_port_ref p;

	/* The loopback, and the management port. */
	if (str_eq(name, "lo") || str_eq(name, "eth0")) {
		assert_false(has_port(o, name));
		return;
	}
	p = at_port(o, name);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), str_eq(oper, "UP") ? "up" : "down");
	assert_true(attr_number(p, ATTR_MTU, 0) ==
		    (double)json_integer_value(json_object_get(link, "mtu")));
	assert_string_equal(
		attr_word(p, ATTR_MAC, 0), json_string_value(json_object_get(link, "address")));
	same_count(p, "rx_bytes", link, "rx", "bytes");
	same_count(p, "rx_packets", link, "rx", "packets");
	same_count(p, "rx_errors", link, "rx", "errors");
	same_count(p, "rx_discards", link, "rx", "dropped");
	same_count(p, "tx_bytes", link, "tx", "bytes");
	same_count(p, "tx_packets", link, "tx", "packets");
	same_count(p, "tx_errors", link, "tx", "errors");
	same_count(p, "tx_discards", link, "tx", "dropped");
	same_count(p, "carrier_changes", link, "tx", "carrier_changes");
}

static void check_links(const char *file)
{
	struct obs *o = switch_decode_one("sw-fast", "link", file);
	json_t *list = switch_json(file), *link;
	size_t i, ports = 0;

	json_array_foreach(list, i, link)
	{
		const char *name = json_string_value(json_object_get(link, "ifname"));

		same_as_link(o, link);
		ports += !str_eq(name, "lo") && !str_eq(name, "eth0");
	}
	assert_int_equal(o->ports.n, ports);
	assert_true(ports >= 1);
	assert_int_equal(o->err.code, ERR_NONE);
	json_decref(list);
	obs_free(o);
}

CASE(ports_are_as_ip_lists_them)
{
	/* 14 healthy nodes, 18 after faults; one port alone; the forms without details. */
	assert_int_equal(switch_each(".ip-s-link.json", check_links), 14 + 21);
	assert_int_equal(switch_each(".ip-s-link-plain.json", check_links), 2);
	check_links(LAB "unprivileged/leaf1.ip.json");
	covered(table, ROWS, "port state", REAL);
	covered(table, ROWS, "port counters", REAL);
}

struct port_want {
	const char *file, *port, *oper, *admin;
	unsigned mtu, carrier_changes, tx_discards;
};

CASE(ports_of_each_fault)
{
	static const struct port_want wanted[] = {
		{"healthy/leaf1", "swp49", "up", "up", 9216, 2, 0},
		{"fault-link-down-t0/leaf1", "swp49", "down", "down", 9216, 3, 1},
		{"fault-link-down-t0/spine1", "swp1", "down", "up", 9216, 3, 6},
		{"fault-link-down-t10/spine1", "swp1", "down", "up", 9216, 3, 20},
		{"fault-link-restored/leaf1", "swp49", "up", "up", 9216, 4, 1},
		{"fault-flap-just-after/leaf3", "swp50", "up", "up", 9216, 12, 8},
		{"fault-flap-6s/spine2", "swp3", "up", "up", 9216, 12, 0},
		{"fault-oneway/leaf2", "swp49", "up", "up", 9216, 2, 0},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct port_want *w = &wanted[i];
		struct obs_port_ref p;
		char file[600];
		struct obs *o;

		str_printf(file, sizeof(file), LAB "%s.ip-s-link.json", w->file);
		o = switch_decode_one("sw-fast", "link", file);
		p = at_port(o, w->port);
		assert_string_equal(attr_word(p, ATTR_OPER, 0), w->oper);
		assert_string_equal(attr_word(p, ATTR_ADMIN, 0), w->admin);
		assert_true(attr_number(p, ATTR_MTU, 0) == w->mtu);
		assert_int_equal(cell_count(p, "carrier_changes", 0), w->carrier_changes);
		assert_int_equal(cell_count(p, "tx_discards", 0), w->tx_discards);
		obs_free(o);
	}
}

CASE(a_port_with_another_mtu)
{
	struct obs *o = switch_decode_one("sw-fast", "link", LAB "fault-mtu/leaf3.ip-s-link.json");

	assert_true(attr_number(at_port(o, "swp50"), ATTR_MTU, 0) == 1500);
	assert_true(attr_number(at_port(o, "swp49"), ATTR_MTU, 0) == 9216);
	assert_string_equal(attr_word(at_port(o, "swp50"), ATTR_OPER, 0), "up");
	obs_free(o);
	o = switch_decode_one("sw-fast", "link", LAB "fault-mtu/spine2.ip-s-link.json");
	assert_true(attr_number(at_port(o, "swp3"), ATTR_MTU, 0) == 9216);
	obs_free(o);
}

/* Both captures of queue disciplines were of one device, which tc then does not name. */
static void add_qdisc(struct switch_answer *a, const char *file)
{
	json_t *list = switch_json(file);
	char *text;

	for (size_t i = 0; i < json_array_size(list); i++)
		json_object_set_new(json_array_get(list, i), "dev", json_string("swp1"));
	text = json_dumps(list, 0);
	switch_add_text(a, "qdisc", text);
	free(text);
	json_decref(list);
}

/* The shaper of 1 Mbit/s dropped 339 packets; the kernel's own drops of the port are 0. */
CASE(drops_of_a_shaper)
{
	struct switch_answer a;
	struct obs_port_ref p;
	struct obs *o;

	switch_begin(&a);
	switch_add(&a, "link", LAB "fault-tbf/leaf1.ip-s-link.json");
	add_qdisc(&a, LAB "fault-tbf/leaf1.tc-s-qdisc.json");
	o = switch_decode(&a, "sw-fast");
	p = at_port(o, "swp1");
	assert_int_equal(cell_count(p, "tx_discards", 0), 339);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	obs_free(o);
}

static void speed_and_flaps(const char *node, size_t ports)
{
	struct switch_answer a;
	char file[128];
	struct obs *o;

	switch_begin(&a);
	str_printf(file, sizeof(file), LAB "once/%s.ip-s-link-plain.json", node);
	switch_add(&a, "link", file);
	/* The lines of other files in it, and the errors of lo, are passed over. */
	str_printf(file, sizeof(file), LAB "once/%s.sysfs-net.txt", node);
	switch_add(&a, "net", file);
	str_printf(file, sizeof(file), LAB "once/%s.tc-qdisc.json", node);
	switch_add(&a, "qdisc", file);
	o = switch_decode(&a, "sw-fast");
	assert_int_equal(o->ports.n, ports);
	for (size_t i = 0; i < o->ports.n; i++) {
		struct obs_port_ref p = at_port(o, o->ports.at[i].name);

		assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 10000);
		assert_int_equal(cell_count(p, "link_down_events", 0), 1);
		assert_int_equal(cell_count(p, "tx_discards", 0), 0);
	}
	obs_free(o);
}

CASE(speed_and_flaps_of_sysfs)
{
	speed_and_flaps("leaf1", 6);
	speed_and_flaps("host1", 2);
	covered(table, ROWS, "link flaps", REAL);
}

/* The files below statistics/ are the same counters, read a moment later. */
static void counts_the_same(const char *node)
{
	static const char *const pairs[][2] = {{"rx_packets", "rx_packets"},
		{"tx_packets", "tx_packets"}, {"rx_errors", "rx_errors"},
		{"tx_errors", "tx_errors"}};
	char file[128], *text, *dev;
	struct obs *o;
	size_t len;

	str_printf(file, sizeof(file), LAB "once/%s.sysfs-net-statistics.txt", node);
	text = capture_read(file, &len);
	str_printf(file, sizeof(file), LAB "once/%s.proc-net-dev.txt", node);
	dev = capture_read(file, &len);
	str_printf(file, sizeof(file), LAB "once/%s.ip-s-link-plain.json", node);
	o = switch_decode_one("sw-fast", "link", file);
	for (size_t i = 0; i < o->ports.n * 4; i++) {
		const char *name = o->ports.at[i / 4].name;
		char key[128];
		unsigned long long later;
		const char *at;
		double now;

		str_printf(key, sizeof(key), "%s/statistics/%s:", name, pairs[i % 4][1]);
		at = strstr(text, key);
		assert_non_null(at);
		later = strtoull(at + strlen(key), NULL, 10);
		now = cell_value(at_port(o, name), pairs[i % 4][0], 0);
		assert_true(now <= (double)later && (double)later <= now + 20);
		assert_non_null(strstr(dev, name));
	}
	obs_free(o);
	free(text);
	free(dev);
}

CASE(sysfs_counts_the_same)
{
	counts_the_same("leaf1");
	counts_the_same("host1");
}

/*
 * Another daemon's view of the same ports, at another time: fields that do not change must agree.
 */
CASE(zebra_sees_the_same_ports)
{
	struct obs *o = switch_decode_one("sw-fast", "link", LAB "healthy/leaf1.ip-s-link.json");
	json_t *doc = switch_json(LAB "vtysh/show-interface-json.json");

	for (size_t i = 0; i < o->ports.n; i++) {
		const json_t *z = json_object_get(doc, o->ports.at[i].name);
		struct obs_port_ref p = at_port(o, o->ports.at[i].name);

		assert_string_equal(attr_word(p, ATTR_MAC, 0),
			json_string_value(json_object_get(z, "hardwareAddress")));
		assert_string_equal(attr_word(p, ATTR_OPER, 0),
			json_string_value(json_object_get(z, "operationalStatus")));
		assert_string_equal(attr_word(p, ATTR_ADMIN, 0),
			json_string_value(json_object_get(z, "administrativeStatus")));
		assert_true(attr_number(p, ATTR_MTU, 0) ==
			    (double)json_integer_value(json_object_get(z, "mtu")));
	}
	json_decref(doc);
	obs_free(o);
}

/* A real RED queue, of a Linux host: 1568 packets marked, 2 dropped. */
CASE(marks_of_red)
{
	static const char file[] = "lab/qemu-bookworm/fault-ecn/tc-qdisc.json";
	struct obs_port_ref p;
	struct switch_answer a;
	struct obs *o;

	switch_begin(&a);
	switch_add_text(&a, "link",
		"[{\"ifname\":\"swp1\",\"link_type\":\"ether\",\"stats64\":{\"tx\":{"
		"\"dropped\":0}}}]");
	add_qdisc(&a, file);
	o = switch_decode(&a, "sw-fast");
	p = at_port(o, "swp1");
	assert_int_equal(cell_count(p, "ecn_marked_packets", 0), 1568);
	assert_int_equal(cell_count(p, "wred_drops", 0), 2);
	assert_int_equal(cell_count(p, "tx_discards", 0), 2);
	assert_int_equal(cell_count(p, "queue_tx_packets", 0), 1602);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 0), 6648470);
	obs_free(o);
	switch_begin(&a);
	switch_add_text(&a, "link", "[{\"ifname\":\"swp1\",\"link_type\":\"ether\"}]");
	add_qdisc(&a, file);
	o = switch_decode(&a, "sw-slow");
	p = at_port(o, "swp1");
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 0) == 20480);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 0) == 61440);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 1);
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_OK);
	obs_free(o);
	covered(table, ROWS, "ECN marks", REAL);
	covered(table, ROWS, "ECN settings", REAL);
	covered(table, ROWS, "queue counters", REAL);
}

/* ---- the ethtool output of a virtual port ---- */

CASE(virtual_ports_have_no_chip)
{
	static const char *const sections[][2] = {{"stats swp1", "S.txt"},
		{"stats swp2", "S-allgroups.txt"}, {"fec swp1", "I-showfec.txt"},
		{"fec swp2", "I-showfec.txt.err"}, {"fec swp3", "showfec.txt.err"},
		{"stats swp4", "phystatistics.txt.err"},
		{"stats swp50", "../unprivileged/host1.ethtool.txt"},
		{"fec swp50", "../unprivileged/host1.ethtool.txt.err"}};
	struct switch_answer a;
	struct obs *o;

	switch_begin(&a);
	switch_add(&a, "link", LAB "healthy/leaf1.ip-s-link.json");
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		char file[128];

		str_printf(file, sizeof(file), LAB "ethtool-veth/%s", sections[i][1]);
		switch_add(&a, sections[i][0], file);
	}
	o = switch_decode(&a, "sw-fast");
	for (size_t i = 0; i < o->ports.n; i++) {
		struct obs_port_ref p = at_port(o, o->ports.at[i].name);

		assert_int_equal(cell_validity(p, "pfc_rx_frames", 3), VALID_UNSUPPORTED);
		assert_int_equal(cell_validity(p, "rx_fcs_errors", 0), VALID_UNSUPPORTED);
		assert_int_equal(cell_validity(p, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
		assert_string_equal(attr_word(p, ATTR_FEC, 0), "(none)");
	}
	obs_free(o);
	switch_begin(&a);
	switch_add(&a, "link", LAB "healthy/leaf1.ip-s-link.json");
	switch_add(&a, "reason swp1", LAB "ethtool-veth/show.txt");
	switch_add(&a, "module swp1", LAB "ethtool-veth/m.txt.err");
	o = switch_decode(&a, "sw-optics");
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_DOWN_REASON, 0), "(none)");
	assert_int_equal(cell_validity(at_port(o, "swp1"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	obs_free(o);
	/* A driver without firmware has no version of it. */
	switch_begin(&a);
	switch_add(&a, "link", LAB "healthy/leaf1.ip-s-link.json");
	switch_add(&a, "driver swp1", LAB "ethtool-veth/i.txt");
	o = switch_decode(&a, "sw-slow");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_FIRMWARE, 0), "(none)");
	obs_free(o);
}

/* ---- LLDP ---- */

/* leafN's swp49 and swp50 go to swpN of the spines; hosts hang on swp1-4 of leaf pairs. */
static void wired(const char *node, const char *port, char *dst, size_t size)
{
	unsigned n = (unsigned)atoi(node + strcspn(node, "123456789")), p;
	bool upper = n > 2;

	p = (unsigned)atoi(port + strcspn(port, "123456789"));
	if (str_starts(node, "spine"))
		str_printf(dst, size, "leaf%u:swp%u", p, n == 1 ? 49 : 50);
	else if (str_starts(node, "leaf") && p >= 49)
		str_printf(dst, size, "spine%u:swp%u", p - 48, n);
	else if (str_starts(node, "leaf"))
		str_printf(dst, size, "host%u:ens%unp0", p + (upper ? 4 : 0), n % 2 ? 1 : 2);
	else
		str_printf(dst, size, "leaf%u:swp%u", (n > 4 ? 2 : 0) + p, n > 4 ? n - 4 : n);
}

static bool is_cut(const char *file, const char *node, const char *port)
{
	bool down = strstr(file, "link-down") != NULL;

	if (down && str_eq(node, "leaf1") && str_eq(port, "swp49"))
		return true;
	if (down && str_eq(node, "spine1") && str_eq(port, "swp1"))
		return true;
	/* lldpd of leaf4 is dead; leaf2 sends nothing to spine1. */
	if (strstr(file, "lldpd-dead") && str_eq(node, "spine1") && str_eq(port, "swp4"))
		return true;
	return strstr(file, "fault-oneway/") && str_eq(node, "spine1") && str_eq(port, "swp2");
}

static void check_neighbours(const char *file)
{
	char node[64], link[600], want[96], got[160];
	const char *slash = strrchr(file, '/');
	struct switch_answer a;
	struct obs *o;

	if (strstr(file, "fault-lldpd-dead/leaf4"))
		return;
	str_copyn(node, sizeof(node), slash + 1, strcspn(slash + 1, "."));
	str_printf(link, sizeof(link), "%.*s/%s.ip-s-link.json", (int)(slash - file), file, node);
	switch_begin(&a);
	switch_add(&a, "link", link);
	switch_add(&a, "lldp", file);
	o = switch_decode(&a, "sw-lldp");
	assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
	for (size_t i = 0; i < o->ports.n; i++) {
		const char *port = o->ports.at[i].name;

		wired(node, port, want, sizeof(want));
		lldp_of(at_port(o, port), got, sizeof(got));
		assert_string_equal(got, is_cut(file, node, port) ? ":" : want);
	}
	obs_free(o);
}

CASE(neighbours_are_as_cabled)
{
	assert_int_equal(switch_each(".lldp-neighbors.json", check_neighbours), 14 + 18);
	covered(table, ROWS, "LLDP neighbours", REAL);
}

CASE(every_format_names_the_same_neighbours)
{
	static const struct {
		const char *node, *ending;
	} files[] = {{"leaf1", "json0"}, {"leaf1", "-details.json"}, {"host1", "json0"},
		{"host1", "-details.json"}};
	char got[160], want[96], key[128];

	for (size_t i = 0; i < 4; i++) {
		const char *node = files[i].node;
		struct switch_answer a;
		char file[128], *text;
		struct obs *o;
		size_t len;

		str_printf(file, sizeof(file), LAB "once/%s.lldp-neighbors.keyvalue", node);
		text = capture_read(file, &len);
		str_printf(file, sizeof(file), LAB "healthy/%s.ip-s-link.json", node);
		switch_begin(&a);
		switch_add(&a, "link", file);
		str_printf(file, sizeof(file), LAB "once/%s.lldp-neighbors%s%s", node,
			files[i].ending[0] == '-' ? "" : ".", files[i].ending);
		switch_add(&a, "lldp", file);
		o = switch_decode(&a, "sw-lldp");
		assert_int_equal(o->ports.n, i < 2 ? 6 : 2);
		for (size_t k = 0; k < o->ports.n; k++) {
			const char *port = o->ports.at[k].name;

			wired(node, port, want, sizeof(want));
			assert_string_equal(lldp_of(at_port(o, port), got, sizeof(got)), want);
			str_printf(key, sizeof(key), "lldp.%s.chassis.name=%.*s\n", port,
				(int)strcspn(want, ":"), want);
			assert_non_null(strstr(text, key));
		}
		assert_string_equal(
			attr_word(at_port(o, i < 2 ? "swp49" : "ens1np0"), ATTR_LLDP_MGMT, 0),
			i < 2 ? "10.255.0.11" : "10.255.0.21");
		assert_true(str_starts(
			attr_word(at_port(o, i < 2 ? "swp49" : "ens1np0"), ATTR_LLDP_DESCR, 0),
			"Debian GNU/Linux 12 (bookworm) Linux 6.18.44-fc-v669"));
		obs_free(o);
		free(text);
	}
}

CASE(shapes_of_none_one_and_two)
{
	static const char *const files[] = {"host1.none.json", "host1.none.json0", "host1.one.json",
		"host1.one.json0", "host2.two.json", "host2.two.json0"};
	char got[160];

	for (size_t i = 0; i < 6; i++) {
		struct switch_answer a;
		char file[128];
		struct obs *o;

		str_printf(file, sizeof(file), LAB "lldp-shapes/%s", files[i]);
		switch_begin(&a);
		switch_add(&a, "link",
			i < 4 ? LAB "healthy/host1.ip-s-link.json"
			      : LAB "healthy/host2.ip-s-link.json");
		switch_add(&a, "lldp", file);
		o = switch_decode(&a, "sw-lldp");
		assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
		assert_string_equal(lldp_of(at_port(o, "ens1np0"), got, sizeof(got)),
			i < 4 ? ":" : "leaf1:swp2");
		assert_string_equal(
			lldp_of(at_port(o, "ens2np0"), got, sizeof(got)), i < 2   ? ":"
									  : i < 4 ? "leaf2:swp1"
										  : "leaf2:swp2");
		obs_free(o);
	}
}

CASE(lldpd_refuses)
{
	static const struct {
		const char *file;
		enum validity validity;
		const char *cure;
	} cases[] = {
		{"fault-lldpd-dead/leaf4.lldp-neighbors.json.err", VALID_DISABLED,
			"systemctl start lldpd"},
		{"unprivileged/leaf1.lldpcli.txt.err", VALID_DISABLED, "_lldpd"},
		{"unprivileged/leaf1.lldpcli-nopath.txt.err", VALID_UNSUPPORTED, "install"},
	};
	char got[160];

	for (size_t i = 0; i < 3; i++) {
		struct switch_answer a;
		const char *cure = "";
		char file[128];
		struct obs *o;

		str_printf(file, sizeof(file), LAB "%s", cases[i].file);
		switch_begin(&a);
		switch_add(&a, "link", LAB "healthy/leaf1.ip-s-link.json");
		switch_add(&a, "lldp", file);
		o = switch_decode(&a, "sw-lldp");
		assert_int_equal(capability_of(o, "LLDP neighbours", &cure), cases[i].validity);
		assert_non_null(strstr(cure, cases[i].cure));
		/* Nobody said that the neighbours are gone: they age. */
		assert_string_equal(lldp_of(at_port(o, "swp49"), got, sizeof(got)), "(none)");
		obs_free(o);
	}
}

/* A neighbour that says no name has its MAC in place of it. */
CASE(neighbours_of_a_production_switch)
{
	static const char *const files[] = {"switches/frr-lldp/lldp/lldpctl_interface_only.json",
		"switches/frr-lldp/lldp/lldpctl_short.json"};
	char got[160];

	for (int i = 0; i < 2; i++) {
		struct switch_answer a;
		struct obs *o;

		switch_begin(&a);
		switch_add_text(&a, "link",
			"[{\"ifname\":\"Ethernet0\",\"link_type\":\"ether\"},"
			"{\"ifname\":\"Ethernet100\",\"link_type\":\"ether\"}]");
		switch_add(&a, "lldp", files[i]);
		o = switch_decode(&a, "sw-lldp");
		assert_string_equal(lldp_of(at_port(o, "Ethernet0"), got, sizeof(got)),
			i ? ":" : "00:11:22:33:44:55:Ethernet1");
		assert_string_equal(lldp_of(at_port(o, "Ethernet100"), got, sizeof(got)),
			i ? ":" : "switch13:Ethernet26");
		obs_free(o);
	}
}

/* ---- identity ---- */

CASE(versions_of_the_system)
{
	struct switch_answer a;
	struct obs *o;

	switch_begin(&a);
	/* One capture holds the output of two sections. */
	switch_add(&a, "os", LAB "once/leaf1.uname.txt");
	switch_add(&a, "frr", LAB "once/leaf1.uname.txt");
	o = switch_decode(&a, "sw-slow");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_OS_VERSION, 0),
		"Debian GNU/Linux 12 (bookworm), FRR 8.4.4");
	assert_int_equal(capability_of(o, "identity", NULL), VALID_OK);
	obs_free(o);
	/* A host has no FRR. */
	switch_begin(&a);
	switch_add(&a, "os", LAB "once/host1.uname.txt");
	switch_add(&a, "frr", LAB "once/host1.uname.txt");
	o = switch_decode(&a, "sw-slow");
	assert_string_equal(
		attr_word(at_port(o, NULL), ATTR_OS_VERSION, 0), "Debian GNU/Linux 12 (bookworm)");
	obs_free(o);
	covered(table, ROWS, "identity", REAL);
}

CASE(what_this_rests_on)
{
	covered_print("frr", table, ROWS);
}

CASES_MAIN(NULL, NULL)
