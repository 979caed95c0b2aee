/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports about switches that were read wrongly: neighbours without a name, several neighbours on
 * one port, ports that come and go, speeds. switches.md lists the sources.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/plan_make.h"

#define LEAF "leaf-a"
#define NODE "node000"

struct fabric {
	struct model *m;
	double now;
};

/* One leaf of the dialect, two hosts, and the leaf and spine that the reports name. */
static struct fabric fabric_of(const char *port_a, const char *port_b)
{
	struct plan plan;
	struct fabric f = {.now = 1};

	plan_init(&plan);
	(void)plan_make_device(&plan, LEAF, TIER_LEAF, 0);
	(void)plan_make_device(&plan, NODE, TIER_HOST, -1);
	(void)plan_make_device(&plan, "node001", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	(void)plan_make_device(&plan, "spine-000", TIER_SPINE, -1);
	plan_make_link(&plan, 1, "mlx5_0", 0, port_a, 0);
	plan_make_link(&plan, 2, "mlx5_0", 0, port_b, 0);
	f.m = model_new(&plan);
	plan_free(&plan);
	return f;
}

static struct obs *decode(
	const char *dialect, enum transport_kind way, const char *request, const char *text)
{
	const struct target t = {
		.device = LEAF, .tier = TIER_LEAF, .transport = way, .lossless = 8};
	struct obs *o = obs_new(LEAF, request);
	struct err err = {0};

	if (!backend_by_name(dialect)->parse(&t, request, text, strlen(text), o, &err))
		fail_msg("%s %s: %s", dialect, request, err.text);
	return o;
}

static void apply(struct fabric *f, struct obs *o)
{
	f->now += 5;
	feed(f->m, o, f->now);
	model_links(f->m);
}

static struct port *port_at(const struct fabric *f, const char *device, const char *port)
{
	struct port *p = model_port(f->m, model_device(f->m, device), port);

	if (!p)
		fail_msg("%s has no port %s", device, port);
	return p;
}

static void expect(const struct fabric *f, const char *port, const char *device, const char *peer)
{
	const struct port *p = port_at(f, LEAF, port);

	assert_string_equal(p->lldp_device, device);
	assert_string_equal(p->lldp_port, peer);
	assert_false(port_miswired(f->m, p));
}

/* A NIC of the host reports its MAC: the firmware's neighbour is then known. */
static void tell_mac(struct fabric *f, const char *host, const char *mac)
{
	struct obs *o = feed_batch_of(host, "slow");

	obs_word(o, obs_port(o, "mlx5_0"), ATTR_MAC, 0, mac);
	apply(f, o);
}

static void expect_link(const struct fabric *f, const char *port, const char *host)
{
	const struct port *p = port_at(f, LEAF, port), *nic = port_at(f, host, "mlx5_0");

	assert_int_equal(p->lldp_peer, nic->id);
	assert_false(port_miswired(f->m, p));
}

/* NX-OS writes "null", "not advertised" or "unspecified" for a TLV that is absent. */
CASE(nxos_names_that_were_not_advertised)
{
	static const char cli[] =
		"{\"TABLE_interface\":{\"ROW_interface\":[{\"interface\":\"Ethernet1/1\"},"
		"{\"interface\":\"Ethernet1/2\"},{\"interface\":\"Ethernet1/3\"}]}}\n"
		"{\"TABLE_nbor_detail\":{\"ROW_nbor_detail\":["
		"{\"chassis_type\":\"Mac Address\",\"chassis_id\":\"b8ce.f6aa.0001\",\"port_type\":"
		"\"Mac Address\",\"port_id\":\"b8ce.f6aa.0001\",\"l_port_id\":\"Eth1/1\","
		"\"port_desc\":\"null\",\"sys_name\":\"null\",\"sys_desc\":\"null\","
		"\"mgmt_addr\":\"not advertised\"},"
		"{\"chassis_type\":\"Mac Address\",\"chassis_id\":\"b8ce.f6aa.0001\",\"port_type\":"
		"\"Interface "
		"Name\",\"port_id\":\"ens1f0np0\",\"l_port_id\":\"Eth1/1\",\"port_desc\":"
		"\"ens1f0np0\",\"sys_name\":\"node000\",\"sys_desc\":\"Ubuntu\",\"mgmt_addr\":"
		"\"10.0.0.1\"},"
		"{\"chassis_type\":\"Mac Address\",\"chassis_id\":\"b8ce.f6aa.0002\",\"port_type\":"
		"\"Mac Address\",\"port_id\":\"b8ce.f6aa.0002\",\"l_port_id\":\"Eth1/2\","
		"\"port_desc\":\"not advertised\",\"sys_name\":\"not advertised\",\"sys_desc\":"
		"\"not advertised\",\"mgmt_addr\":\"not advertised\"},"
		"{\"chassis_type\":\"Mac Address\",\"chassis_id\":\"b8ce.f6aa.0003\",\"l_port_id\":"
		"\"Eth1/3\",\"port_desc\":\"Ethernet124\",\"sys_name\":\"leaf-r0-00\"}]}}";
	static const char dme[] =
		"{\"totalCount\":\"1\",\"imdata\":[{\"lldpIf\":{\"attributes\":{\"dn\":"
		"\"sys/lldp/inst/if-[eth1/1]\"},\"children\":[{\"lldpAdjEp\":{\"attributes\":{"
		"\"chassisIdV\":\"b8ce.f6aa.0001\",\"portIdT\":\"mac\",\"portIdV\":\"b8ce.f6aa."
		"0001\","
		"\"sysName\":\"\",\"portDesc\":\"\",\"sysDesc\":\"\"}}},{\"lldpAdjEp\":{"
		"\"attributes\":{"
		"\"chassisIdV\":\"b8ce.f6aa.0001\",\"portIdT\":\"mac\",\"portIdV\":\"b8ce.f6aa."
		"0001\","
		"\"sysName\":\"node000\",\"portDesc\":\"Interface  28 as enp154s0\",\"mgmtIp\":"
		"\"10.0.0.1\",\"sysDesc\":\"Ubuntu "
		"Linux\"}}}]}},{\"lldpIf\":{\"attributes\":{\"dn\":"
		"\"sys/lldp/inst/if-[eth1/2]\"},\"children\":[{\"lldpAdjEp\":{\"attributes\":{"
		"\"chassisIdV\":\"b8ce.f6aa.0002\",\"portIdT\":\"mac\",\"portIdV\":\"b8ce.f6aa."
		"0002\","
		"\"sysName\":\"unspecified\",\"portDesc\":\"unspecified\",\"sysDesc\":"
		"\"unspecified\"}}}]}}]}";

	for (int way = 0; way < 2; way++) {
		struct fabric f = fabric_of("Ethernet1/1", "Ethernet1/2");
		struct obs *o = decode(
			"nxos", way ? TRANSPORT_HTTPS : TRANSPORT_SSH, "lldp", way ? dme : cli);
		char text[160];

		assert_string_equal(lldp_of(at_port(o, "Ethernet1/2"), text, sizeof(text)),
			"b8:ce:f6:aa:00:02:b8:ce:f6:aa:00:02");
		assert_string_equal(
			attr_word(at_port(o, "Ethernet1/2"), ATTR_LLDP_MGMT, 0), "(none)");
		apply(&f, o);
		expect(&f, "Ethernet1/1", NODE, way ? "enp154s0" : "ens1f0np0");
		assert_string_equal(port_at(&f, LEAF, "Ethernet1/1")->more->lldp_mgmt, "10.0.0.1");
		expect(&f, "Ethernet1/2", "b8:ce:f6:aa:00:02", "b8:ce:f6:aa:00:02");
		if (!way)
			expect(&f, "Ethernet1/3", "leaf-r0-00", "Ethernet124");
		assert_null(model_device(f.m, "not advertised"));
		tell_mac(&f, "node001", "B8:CE:F6:AA:00:02");
		expect_link(&f, "Ethernet1/2", "node001");
		model_free(f.m);
	}
}

/* The firmware comes first in the list, the host second. */
CASE(eos_hears_firmware_and_host_on_one_port)
{
	static const char text[] =
		"{\"lldpNeighbors\":{\"Ethernet1/1\":{\"lldpNeighborInfo\":["
		"{\"chassisIdType\":\"macAddress\",\"chassisId\":\"b8ce.f6aa.0001\","
		"\"neighborInterfaceInfo\":{\"interfaceIdType\":\"macAddress\",\"interfaceId\":"
		"\"b8ce.f6aa.0001\",\"interfaceId_v2\":\"b8ce.f6aa.0001\"},\"systemName\":null},"
		"{\"chassisIdType\":\"macAddress\",\"chassisId\":\"b8ce.f6aa.0001\",\"systemName\":"
		"\"node000\",\"neighborInterfaceInfo\":{\"interfaceIdType\":\"interfaceName\","
		"\"interfaceId\":\"\\\"ens1f0np0\\\"\",\"interfaceId_v2\":\"ens1f0np0\"}}]},"
		"\"Ethernet2/1\":{\"lldpNeighborInfo\":[{\"chassisIdType\":\"macAddress\","
		"\"chassisId\":\"b8ce.f6aa.0002\",\"neighborInterfaceInfo\":{\"interfaceIdType\":"
		"\"macAddress\",\"interfaceId_v2\":\"b8ce.f6aa.0002\"}}]},"
		"\"Ethernet3/1\":{\"lldpNeighborInfo\":[{\"systemName\":\"leaf-r0-00\","
		"\"chassisIdType\":\"macAddress\",\"chassisId\":\"fcbd.6762.0f90\","
		"\"neighborInterfaceInfo\":{\"interfaceIdType\":\"macAddress\",\"interfaceId_v2\":"
		"\"fcbd.6762.0f90\",\"interfaceDescription\":\"Ethernet124\"}}]},"
		"\"Ethernet4/1\":{\"lldpNeighborInfo\":[{\"systemName\":\"leaf-r0-00\","
		"\"chassisIdType\":\"macAddress\",\"chassisId\":\"fcbd.6762.0f90\","
		"\"neighborInterfaceInfo\":{\"interfaceIdType\":\"local\",\"interfaceId\":"
		"\"\\\"etp30a\\\"\",\"interfaceId_v2\":\"etp30a\",\"interfaceDescription\":"
		"\"ARISTA02T1:Ethernet1\"}}]}}}";
	struct fabric f = fabric_of("Ethernet1/1", "Ethernet2/1");

	apply(&f, decode("eos", TRANSPORT_SSH, "lldp", text));
	expect(&f, "Ethernet1/1", NODE, "ens1f0np0");
	expect(&f, "Ethernet2/1", "b8:ce:f6:aa:00:02", "b8:ce:f6:aa:00:02");
	expect(&f, "Ethernet3/1", "leaf-r0-00", "Ethernet124");
	expect(&f, "Ethernet4/1", "leaf-r0-00", "etp30a");
	model_free(f.m);
}

/* SONiC sends its alias as the port id; the description is the operator's "PEER:PORT". */
CASE(sonic_alias_before_description)
{
	static const char text[] =
		"{\"t\":[\"1795700000\",\"1\"],\"df\":[\"temperature\",\"voltage\"],\"lf\":["
		"\"lldp_rem_sys_name\",\"lldp_rem_port_id\",\"lldp_rem_port_desc\","
		"\"lldp_rem_port_id_subtype\"],\"cf\":[\"index\",\"lanes\",\"dom_polling\"],"
		"\"lldp\":\"enabled\",\"ports\":{\"Ethernet0\":{\"d\":null,\"l\":[\"spine-000\","
		"\"etp1\",\"leaf-r0-00:Ethernet0\",\"7\"],\"p\":[\"1\",\"0,1,2,3\"]}}}";
	struct fabric f = fabric_of("Ethernet64", "Ethernet72");
	struct obs *o = feed_batch_of("spine-000", "fast");

	obs_word(o, obs_port(o, "Ethernet0"), ATTR_ALIAS, 0, "etp1");
	apply(&f, o);
	apply(&f, decode("sonic", TRANSPORT_SSH, "optics", text));
	expect(&f, "Ethernet0", "spine-000", "etp1");
	assert_int_equal(port_at(&f, LEAF, "Ethernet0")->lldp_peer,
		port_at(&f, "spine-000", "Ethernet0")->id);
	model_free(f.m);
}

/* lldpcli on Linux and the tree of Cumulus: firmware and daemon on one port. */
CASE(linux_and_cumulus_hear_firmware_and_host)
{
	static const char lldpcli[] =
		"@@begin 1\n1\n@@link\n[{\"ifname\":\"swp1\",\"link_type\":\"ether\"},"
		"{\"ifname\":\"swp2\",\"link_type\":\"ether\"}]\n@@lldp\n"
		"{\"lldp\":[{\"interface\":["
		"{\"name\":\"swp1\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":"
		"\"b8:ce:f6:aa:00:01\"}]}],\"port\":[{\"id\":[{\"type\":\"mac\",\"value\":"
		"\"b8:ce:f6:aa:00:01\"}]}]},"
		"{\"name\":\"swp1\",\"chassis\":[{\"name\":[{\"value\":\"node000\"}],\"id\":[{"
		"\"type\":\"mac\",\"value\":\"b8:ce:f6:aa:00:01\"}]}],\"port\":[{\"id\":[{\"type\":"
		"\"mac\",\"value\":\"b8:ce:f6:aa:00:01\"}],\"descr\":[{\"value\":\"ens1f0np0\"}]}]}"
		","
		"{\"name\":\"swp2\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":"
		"\"b8:ce:f6:aa:00:02\"}]}],\"port\":[{\"id\":[{\"type\":\"mac\",\"value\":"
		"\"b8:ce:f6:aa:00:02\"}]}]}]}]}\n@@end\n1\n";
	static const char tree[] =
		"{\"swp1\":{\"lldp\":{\"neighbor\":{\"b8:ce:f6:aa:00:01\":{\"chassis\":{"
		"\"chassis-id\":\"b8:ce:f6:aa:00:01\"},\"port\":{\"name\":\"b8:ce:f6:aa:00:01\","
		"\"type\":\"mac\"}},\"node000\":{\"chassis\":{\"chassis-id\":\"b8:ce:f6:aa:00:01\","
		"\"system-name\":\"node000\"},\"port\":{\"name\":\"b8:ce:f6:aa:00:01\",\"type\":"
		"\"mac\",\"description\":\"ens1f0np0\"}}}}},\"swp2\":{\"lldp\":{\"neighbor\":{"
		"\"b8:ce:f6:aa:00:02\":{\"chassis\":{\"chassis-id\":\"b8:ce:f6:aa:00:02\"},"
		"\"port\":{"
		"\"name\":\"b8:ce:f6:aa:00:02\",\"type\":\"mac\"}}}}}}";

	for (int cumulus = 0; cumulus < 2; cumulus++) {
		struct fabric f = fabric_of("swp1", "swp2");

		apply(&f, cumulus ? decode("cumulus", TRANSPORT_HTTPS, "lldp", tree)
				  : decode("linux", TRANSPORT_SSH, "sw-lldp", lldpcli));
		expect(&f, "swp1", NODE, "ens1f0np0");
		expect(&f, "swp2", "b8:ce:f6:aa:00:02", "b8:ce:f6:aa:00:02");
		tell_mac(&f, "node001", "b8:ce:f6:aa:00:02");
		expect_link(&f, "swp2", "node001");
		model_free(f.m);
	}
}

/* A known MAC in the wrong port is a real mis-wiring; an unknown one never is. */
CASE(a_mac_proves_only_what_it_belongs_to)
{
	struct fabric f = fabric_of("Ethernet0", "Ethernet8");
	struct obs *o = feed_batch_of(LEAF, "lldp");

	obs_lldp(o, obs_port(o, "Ethernet0"), "b8:ce:f6:aa:00:02", "b8:ce:f6:aa:00:02");
	obs_lldp(o, obs_port(o, "Ethernet8"), "localhost", "eth0");
	apply(&f, o);
	assert_false(port_miswired(f.m, port_at(&f, LEAF, "Ethernet0")));
	assert_false(port_miswired(f.m, port_at(&f, LEAF, "Ethernet8")));
	tell_mac(&f, "node001", "b8:ce:f6:aa:00:02");
	assert_true(port_miswired(f.m, port_at(&f, LEAF, "Ethernet0")));
	tell_mac(&f, "node001", "b8:ce:f6:aa:00:09");
	assert_false(port_miswired(f.m, port_at(&f, LEAF, "Ethernet0")));
	model_free(f.m);
}

/* Both slaves of a bond have the bond's MAC: the planned one is meant. */
CASE(slaves_of_a_bond_share_a_mac)
{
	struct fabric f = fabric_of("Ethernet0", "Ethernet8");
	struct obs *o = feed_batch_of(NODE, "slow");

	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"mlx5_0", "mlx5_1", "bond0"};
		uint32_t port = obs_port(o, names[i]);

		obs_word(o, port, ATTR_MAC, 0, "b8:ce:f6:aa:00:01");
		obs_word(o, port, ATTR_BOND, 0, "bond0");
	}
	apply(&f, o);
	o = feed_batch_of(LEAF, "lldp");
	obs_lldp(o, obs_port(o, "Ethernet0"), "b8:ce:f6:aa:00:01", "b8:ce:f6:aa:00:01");
	obs_lldp(o, obs_port(o, "Ethernet8"), "b8:ce:f6:aa:00:01", "b8:ce:f6:aa:00:01");
	apply(&f, o);
	expect_link(&f, "Ethernet0", NODE);
	/* The other port has a cable of that host too, in a NIC that cannot be told. */
	assert_int_equal(port_at(&f, LEAF, "Ethernet8")->lldp_peer, PORT_NONE);
	model_free(f.m);
}

/* An agent that calls home is heard before and after the host; the planned neighbour stays. */
CASE(the_planned_neighbour_counts_whatever_the_order)
{
	struct fabric f = fabric_of("Ethernet0", "Ethernet8");

	for (int turn = 0; turn < 4; turn++) {
		struct obs *o = feed_batch_of(LEAF, "lldp");
		uint32_t port = obs_port(o, "Ethernet0");

		for (int i = 0; i < 2; i++) {
			bool host = (turn + i) % 2;

			obs_lldp(o, port, host ? NODE : "ztp-agent", host ? "mlx5_0" : "eth0");
			obs_word(o, port, ATTR_LLDP_MGMT, 0, host ? "10.0.0.1" : "192.0.2.1");
		}
		apply(&f, o);
		expect(&f, "Ethernet0", NODE, "mlx5_0");
		assert_string_equal(port_at(&f, LEAF, "Ethernet0")->more->lldp_mgmt, "10.0.0.1");
	}
	assert_int_equal(feed_events(f.m, EV_NEIGHBOUR), 0);
	model_free(f.m);
}

/* A name that the system came with names nothing: thousands of devices have it. */
CASE(a_default_name_is_none)
{
	static const char *const names[] = {"sonic", "localhost.localdomain", "cumulus", "ubuntu"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct fabric f = fabric_of("Ethernet0", "Ethernet8");
		struct obs *o = feed_batch_of(LEAF, "lldp");

		obs_lldp(o, obs_port(o, "Ethernet0"), names[i], "Ethernet520");
		apply(&f, o);
		if (port_miswired(f.m, port_at(&f, LEAF, "Ethernet0")))
			fail_msg("%s is taken for another device", names[i]);
		model_free(f.m);
	}
}

/* Two entries of one chassis for a while: the port's own name, then its MAC alone. */
CASE(two_entries_of_one_chassis)
{
	struct fabric f = fabric_of("Ethernet64", "Ethernet72");
	struct obs *o;

	o = decode("linux", TRANSPORT_SSH, "sw-lldp",
		"@@begin 1\n1\n@@link\n[{\"ifname\":\"Ethernet38\",\"link_type\":\"ether\"}]\n"
		"@@lldp\n{\"lldp\":[{\"interface\":["
		"{\"name\":\"Ethernet38\",\"chassis\":[{\"name\":[{\"value\":\"spine-000\"}],"
		"\"id\":[{\"type\":\"mac\",\"value\":\"58:69:6c:fb:22:08\"}]}],\"port\":[{\"id\":[{"
		"\"type\":\"mac\",\"value\":\"58:69:6c:fb:22:08\"}]}]},"
		"{\"name\":\"Ethernet38\",\"chassis\":[{\"name\":[{\"value\":\"spine-000\"}],"
		"\"id\":[{\"type\":\"mac\",\"value\":\"58:69:6c:fb:22:08\"}]}],\"port\":[{\"id\":[{"
		"\"type\":\"local\",\"value\":\"hundredGigE0/39\"}],\"descr\":[{\"value\":"
		"\"Ethernet38\"}]}]}]}]}\n@@end\n1\n");
	apply(&f, o);
	assert_string_equal(port_at(&f, LEAF, "Ethernet38")->lldp_device, "spine-000");
	o = feed_batch_of("spine-000", "fast");
	obs_word(o, obs_port(o, "Ethernet38"), ATTR_OPER, 0, "up");
	apply(&f, o);
	assert_false(port_miswired(f.m, port_at(&f, LEAF, "Ethernet38")));
	model_free(f.m);
}

/* SONiC's row for a neighbour that it has not heard whole: no name, the peer's port. */
CASE(sonic_row_without_a_name)
{
	struct fabric f = fabric_of("Ethernet4", "Ethernet5");

	apply(&f, decode("sonic", TRANSPORT_SSH, "optics",
			  "{\"df\":[\"temperature\"],\"lf\":[\"lldp_rem_sys_name\",\"lldp_rem_port_"
			  "id\","
			  "\"lldp_rem_port_desc\",\"lldp_rem_port_id_subtype\",\"lldp_rem_chassis_"
			  "id\"],"
			  "\"cf\":[],\"ports\":{\"Ethernet4\":{\"l\":[\"\",\"fortyGigE0/0\","
			  "\"Ethernet1\",\"7\",\"52:54:00:1a:2a:4b\"]}}}"));
	expect(&f, "Ethernet4", "52:54:00:1a:2a:4b", "fortyGigE0/0");
	model_free(f.m);
}

/* ---- ports that come and go ---- */

static void poll_ports(struct fabric *f, const char *const *names, size_t n, uint64_t bytes)
{
	struct obs *o = feed_batch_of(LEAF, "fast");

	for (size_t i = 0; i < n; i++) {
		uint32_t port = obs_port(o, names[i]);

		obs_word(o, port, ATTR_OPER, 0, "up");
		obs_count(o, port, CTR_RX_BYTES, 0, bytes);
	}
	obs_port_list(o);
	apply(f, o);
}

/* Dynamic breakout: Ethernet8 becomes four ports, the planned Ethernet16 is removed. */
CASE(a_removed_port_is_gone_within_two_polls)
{
	static const char *const before[] = {"Ethernet0", "Ethernet8", "Ethernet16"};
	static const char *const after[] = {
		"Ethernet0", "Ethernet8", "Ethernet10", "Ethernet12", "Ethernet14"};
	struct fabric f = fabric_of("Ethernet0", "Ethernet16");
	const struct port *p = port_at(&f, LEAF, "Ethernet16");
	uint64_t bytes = 0;

	for (int i = 0; i < 3; i++)
		poll_ports(&f, before, 3, bytes += 1000000);
	assert_true(port_rate(p, CTR_RX_BYTES, 0) > 0);
	poll_ports(&f, after, 5, bytes += 1000000);
	assert_false(port_is_gone(p));
	poll_ports(&f, after, 5, bytes += 1000000);
	assert_true(port_is_gone(p));
	assert_int_equal(p->oper, OPER_UNKNOWN);
	assert_true(isnan(port_rate(p, CTR_RX_BYTES, 0)));
	assert_int_equal(port_cell_valid(f.m, p, CTR_RX_BYTES, 0), VALID_STALE);
	assert_int_equal(feed_events(f.m, EV_PORT_GONE), 1);
	assert_true(port_rate(port_at(&f, LEAF, "Ethernet0"), CTR_RX_BYTES, 0) > 0);
	poll_ports(&f, before, 3, bytes += 1000000);
	assert_false(port_is_gone(p));
	assert_int_equal(p->oper, OPER_UP);
	assert_int_equal(feed_events(f.m, EV_PORT_NEW), 1);
	model_free(f.m);
}

/* A line card with 36 ports is pulled: one event. A list that broke off says nothing. */
CASE(a_pulled_line_card_is_one_event)
{
	char names[40][NAME_MAX_LEN];
	const char *list[40];
	struct fabric f = fabric_of("Ethernet1/1", "Ethernet3/1");

	for (unsigned i = 0; i < 40; i++) {
		(void)str_printf(names[i], sizeof(names[i]), "Ethernet%u/%u", i < 4 ? 1 : 3,
			i < 4 ? i + 1 : i - 3);
		list[i] = names[i];
	}
	for (unsigned i = 0; i < 3; i++) {
		struct obs *o;

		poll_ports(&f, list, 40, 1000);
		o = feed_batch_of(LEAF, "fast");
		obs_number(o, OBS_NO_PORT, ATTR_PORT_LIST, 0, 40);
		obs_count(o, obs_port(o, "Ethernet1/1"), CTR_RX_BYTES, 0, 1000);
		apply(&f, o);
	}
	assert_int_equal(feed_events(f.m, EV_PORT_GONE), 0);
	poll_ports(&f, list, 4, 1000);
	poll_ports(&f, list, 4, 1000);
	assert_int_equal(feed_events(f.m, EV_PORT_GONE), 1);
	assert_string_equal(
		feed_event(f.m, EV_PORT_GONE)->text, "36 ports, Ethernet3/1 to Ethernet3/36");
	assert_true(port_is_gone(port_at(&f, LEAF, "Ethernet3/36")));
	model_free(f.m);
}

/* Each dialect states that its answer about states lists all ports. */
CASE(each_dialect_lists_its_ports)
{
	static const struct {
		const char *dialect, *request, *text;
		enum transport_kind way;
	} answers[] = {
		{"sonic", "fast",
			"{\"t\":[\"1795700000\",\"1\"],\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],"
			"\"rf\":[\"FEC_PRE_BER\"],\"qf\":[\"PFC_WD_STATUS\"],\"af\":[\"oper_"
			"status\"],"
			"\"mf\":[\"status\"],\"fc\":{\"PORT\":\"enable\"},\"fi\":{},\"can\":{},"
			"\"ports\":{\"Ethernet0\":{\"c\":\"5\",\"a\":[\"up\"]}}}",
			TRANSPORT_SSH},
		{"nxos", "brief",
			"{\"TABLE_interface\":{\"ROW_interface\":[{\"interface\":\"Ethernet1/1\","
			"\"state\":\"up\",\"speed\":\"400G(D)\"}]}}",
			TRANSPORT_SSH},
		{"nxos", "oper",
			"{\"imdata\":[{\"ethpmPhysIf\":{\"attributes\":{\"dn\":"
			"\"sys/intf/phys-[eth1/1]/phys\",\"operSt\":\"up\"}}}]}",
			TRANSPORT_HTTPS},
		{"eos", "fast",
			"{\"interfaces\":{\"Ethernet1/1\":{\"interfaceStatus\":\"connected\","
			"\"lineProtocolStatus\":\"up\",\"bandwidth\":400000000000}}}",
			TRANSPORT_SSH},
		{"cumulus", "interfaces",
			"{\"swp1\":{\"link\":{\"oper-status\":\"up\",\"speed\":\"400G\"}}}",
			TRANSPORT_HTTPS},
		{"linux", "sw-fast",
			"@@begin 1\n1\n@@link\n[{\"ifname\":\"swp1\",\"link_type\":\"ether\","
			"\"operstate\":\"UP\",\"flags\":[\"UP\",\"LOWER_UP\"]}]\n@@end\n1\n",
			TRANSPORT_SSH},
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct obs *o = decode(
			answers[i].dialect, answers[i].way, answers[i].request, answers[i].text);

		if (!(attr_number(at_port(o, NULL), ATTR_PORT_LIST, 0) == 1))
			fail_msg("%s %s lists no ports", answers[i].dialect, answers[i].request);
		obs_free(o);
	}
}

/* ---- speeds ---- */

CASE(nxos_speeds_of_this_decade)
{
	static const char brief[] =
		"{\"TABLE_interface\":{\"ROW_interface\":["
		"{\"interface\":\"Ethernet1/1\",\"state\":\"up\",\"speed\":\"800G(D)\"},"
		"{\"interface\":\"Ethernet1/2\",\"state\":\"up\",\"speed\":\"1.6T(D)\"},"
		"{\"interface\":\"Ethernet1/3/1\",\"state\":\"down\",\"state_rsn_desc\":"
		"\"SFP not inserted\",\"speed\":\"auto(D)\"},"
		"{\"interface\":\"Ethernet1/4\",\"state\":\"up\",\"speed\":\"a-400G(D)\","
		"\"portchan\":\"10\"}]}}";
	static const char oper[] =
		"{\"imdata\":[{\"ethpmPhysIf\":{\"attributes\":{\"dn\":"
		"\"sys/intf/phys-[eth1/1]/phys\",\"operSt\":\"up\",\"operSpeed\":\"1.6T\"}}},"
		"{\"ethpmPhysIf\":{\"attributes\":{\"dn\":\"sys/intf/phys-[eth1/2]/phys\","
		"\"operSt\":\"down\",\"operSpeed\":\"unknown\"}}}]}";
	struct obs *o = decode("nxos", TRANSPORT_SSH, "brief", brief);

	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0) == 800000);
	assert_true(attr_number(at_port(o, "Ethernet1/2"), ATTR_SPEED_MBPS, 0) == 1600000);
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/3/1"), ATTR_SPEED_MBPS, 0)));
	assert_true(attr_number(at_port(o, "Ethernet1/4"), ATTR_SPEED_MBPS, 0) == 400000);
	obs_free(o);
	o = decode("nxos", TRANSPORT_HTTPS, "oper", oper);
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0) == 1600000);
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/2"), ATTR_SPEED_MBPS, 0)));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
