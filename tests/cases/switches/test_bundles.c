/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles and pairs of switches as each dialect prints them, and the findings that follow. */
#include <string.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "diagnosis/engine/finding.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#undef at_port
#include "tests/support/obs_find.h"

static struct obs *decode(
	const char *dialect, enum transport_kind way, const char *request, const char *text)
{
	const struct target t = {
		.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = way, .lossless = 8};
	struct obs *o = obs_new("leaf-r0-00", request);
	struct err err = {0};

	if (!backend_by_name(dialect)->parse(&t, request, text, strlen(text), o, &err))
		fail_msg("%s %s: %s", dialect, request, err.text);
	return o;
}

static void expect_member(
	const struct obs *o, const char *port, const char *bundle, const char *state)
{
	assert_string_equal(attr_word(at_port(o, port), ATTR_BOND, 0), bundle);
	assert_string_equal(attr_word(at_port(o, port), ATTR_LAG_STATE, 0), state);
}

/* teamd's rows: selected and enabled, no LACP from the peer, link down, selected but disabled. */
CASE(sonic_port_channels)
{
	struct obs *o = decode("sonic", TRANSPORT_SSH, "optics",
		"{\"t\":[\"1795700000\",\"1\"],\"df\":[\"temperature\"],\"lf\":[],\"cf\":[],"
		"\"ports\":{"
		"\"Ethernet0\":{},\"Ethernet8\":{},\"Ethernet16\":{},\"Ethernet24\":{},"
		"\"Ethernet32\":{}},\"lags\":{\"PortChannel101\":{\"c\":[\"2\",\"up\"],\"s\":"
		"\"up\","
		"\"r\":\"true\",\"m\":{\"Ethernet0\":[\"enabled\",\"true\",\"true\",\"current\"],"
		"\"Ethernet8\":[\"disabled\",\"true\",\"false\",\"defaulted\"],"
		"\"Ethernet16\":[\"disabled\",\"false\",\"false\",\"expired\"],"
		"\"Ethernet24\":[\"disabled\",\"true\",\"true\",\"current\"]}}},"
		"\"pair\":{\"id\":\"1\",\"c\":[\"10.0.0.2\",\"PortChannel1\"],\"s\":\"down\"}}");

	expect_member(o, "Ethernet0", "PortChannel101", "active");
	expect_member(
		o, "Ethernet8", "PortChannel101", "suspended: no LACP from the peer, defaulted");
	expect_member(o, "Ethernet16", "PortChannel101", "down");
	expect_member(o, "Ethernet24", "PortChannel101",
		"suspended: selected, and disabled in the switch");
	expect_member(o, "Ethernet32", "", "");
	assert_string_equal(attr_word(at_port(o, "PortChannel101"), ATTR_OPER, 0), "up");
	assert_true(attr_number(at_port(o, "PortChannel101"), ATTR_LAG_MIN, 0) == 2);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_PAIR, 0),
		"kind=mclag state=down domain=1 peer=10.0.0.2 link=PortChannel1");
	obs_free(o);
}

CASE(eos_port_channels_and_mlag)
{
	struct obs *o = decode("eos", TRANSPORT_SSH, "lag",
		"{\"portChannels\":{\"Port-Channel1\":{\"recircFeature\":[],\"fallbackState\":"
		"\"unconfigured\",\"minLinks\":2,\"inactivePorts\":{\"Ethernet5\":{"
		"\"reasonUnconfigured\":\"waiting for LACP response\"}},\"activePorts\":{"
		"\"Ethernet6\":{\"protocol\":\"lacp\",\"lacpMode\":\"active\"}},\"inactiveLag\":"
		"false}}}");

	expect_member(o, "Ethernet5", "Port-Channel1", "suspended: waiting for LACP response");
	expect_member(o, "Ethernet6", "Port-Channel1", "active");
	/* One active member of two that it needs. */
	assert_string_equal(attr_word(at_port(o, "Port-Channel1"), ATTR_OPER, 0), "down");
	obs_free(o);
	o = decode("eos", TRANSPORT_SSH, "mlag",
		"{\"domainId\":\"pair1\",\"localInterface\":\"Vlan4094\",\"peerAddress\":\"10.0.0."
		"2\","
		"\"peerLink\":\"Port-Channel1000\",\"state\":\"active\",\"negStatus\":"
		"\"connected\","
		"\"peerLinkStatus\":\"up\",\"localIntfStatus\":\"up\",\"mlagPorts\":{\"Disabled\":"
		"0,"
		"\"Inactive\":0,\"Active-partial\":1,\"Configured\":0,\"Active-full\":3}}");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_PAIR, 0),
		"kind=mlag state=ok domain=pair1 peer=10.0.0.2 link=Port-Channel1000 partial=1");
	obs_free(o);
}

CASE(nxos_port_channels_and_vpc)
{
	struct obs *o = decode("nxos", TRANSPORT_SSH, "lag",
		"{\"TABLE_channel\":{\"ROW_channel\":[{\"group\":10,\"port-channel\":\"port-"
		"channel10\","
		"\"layer\":\"S\",\"status\":\"U\",\"type\":\"Eth\",\"prtcl\":\"LACP\",\"TABLE_"
		"member\":{"
		"\"ROW_member\":[{\"port\":\"Ethernet1/1\",\"port-status\":\"P\"},{\"port\":"
		"\"Ethernet1/2\",\"port-status\":\"s\"},{\"port\":\"Ethernet1/3\",\"port-status\":"
		"\"D\"}]}},{\"group\":\"11\",\"port-channel\":\"Po11\",\"status\":\"M\",\"prtcl\":"
		"\"LACP\",\"TABLE_member\":{\"ROW_member\":{\"port\":\"Eth1/4\",\"port-status\":"
		"\"P\"}}}]}}");

	expect_member(o, "Ethernet1/1", "port-channel10", "active");
	expect_member(o, "Ethernet1/2", "port-channel10", "suspended");
	expect_member(o, "Ethernet1/3", "port-channel10", "down");
	expect_member(o, "Ethernet1/4", "port-channel11", "active");
	assert_string_equal(attr_word(at_port(o, "port-channel10"), ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(at_port(o, "port-channel11"), ATTR_OPER, 0), "down");
	assert_string_equal(
		attr_word(at_port(o, "port-channel11"), ATTR_DOWN_REASON, 0), "min-links not met");
	obs_free(o);
	o = decode("nxos", TRANSPORT_SSH, "vpc",
		"{\"vpc-domain-id\":\"7\",\"vpc-peer-status\":\"peer-link-down\","
		"\"vpc-peer-keepalive-status\":\"peer-alive\",\"vpc-role\":\"primary\",\"TABLE_"
		"peerlink\":"
		"{\"ROW_peerlink\":{\"peer-link-id\":\"1\",\"peerlink-ifindex\":\"Po1\"}},\"TABLE_"
		"vpc\":{"
		"\"ROW_vpc\":[{\"vpc-id\":\"10\",\"vpc-ifindex\":\"Po10\",\"vpc-port-state\":\"1\","
		"\"vpc-consistency\":\"consistent\"}]}}");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_PAIR, 0),
		"kind=vpc state=split domain=7 link=port-channel1 why=peer-link-down");
	assert_string_equal(attr_word(at_port(o, "port-channel10"), ATTR_LAG_PAIR, 0), "vpc 10 up");
	obs_free(o);
}

CASE(linux_and_cumulus_bonds)
{
	struct obs *o = decode("linux", TRANSPORT_SSH, "sw-fast",
		"@@begin 1\n1\n@@link\n["
		"{\"ifname\":\"swp1\",\"link_type\":\"ether\",\"operstate\":\"UP\",\"flags\":["
		"\"UP\"],"
		"\"master\":\"bond0\",\"linkinfo\":{\"info_slave_kind\":\"bond\",\"info_slave_"
		"data\":{"
		"\"state\":\"ACTIVE\",\"mii_status\":\"UP\",\"ad_actor_oper_port_state\":63}}},"
		"{\"ifname\":\"swp2\",\"link_type\":\"ether\",\"operstate\":\"UP\",\"flags\":["
		"\"UP\"],"
		"\"master\":\"bond0\",\"linkinfo\":{\"info_slave_kind\":\"bond\",\"info_slave_"
		"data\":{"
		"\"state\":\"ACTIVE\",\"mii_status\":\"UP\",\"ad_actor_oper_port_state\":7}}},"
		"{\"ifname\":\"swp3\",\"link_type\":\"ether\",\"operstate\":\"UP\",\"flags\":["
		"\"UP\"]},"
		"{\"ifname\":\"bond0\",\"link_type\":\"ether\",\"operstate\":\"UP\",\"linkinfo\":{"
		"\"info_kind\":\"bond\",\"info_data\":{\"mode\":\"802.3ad\",\"min_links\":1}}}]\n"
		"@@end\n1\n");

	expect_member(o, "swp1", "bond0", "active");
	expect_member(o, "swp2", "bond0", "suspended: LACP has not agreed");
	expect_member(o, "swp3", "", "");
	expect_member(o, "bond0", "bond0", "lacp");
	obs_free(o);
	o = decode("cumulus", TRANSPORT_HTTPS, "bonds",
		"{\"swp1\":{},\"eth0\":{},\"bond1\":{\"bond\":{\"mode\":\"lacp\",\"member\":{"
		"\"swp1\":{},"
		"\"swp2\":{}},\"mlag\":{\"id\":1}}}}");
	expect_member(o, "swp1", "bond1", "unknown");
	expect_member(o, "bond1", "bond1", "lacp");
	assert_false(has_port(o, "eth0"));
	obs_free(o);
}

/* ---- public outputs, rewritten: see switches.md ---- */

static void expect_pair(
	const char *dialect, const char *request, const char *text, const char *pair)
{
	struct obs *o = decode(dialect, TRANSPORT_SSH, request, text);
	const char *state = strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "state=");

	if (!state || strncmp(state + 6, pair, strlen(pair)) != 0)
		fail_msg("%s is read as %s", text, attr_word(at_port(o, NULL), ATTR_PAIR, 0));
	obs_free(o);
}

CASE(mlag_states_of_many_releases)
{
	expect_pair("eos", "mlag",
		"{\"state\":\"active\",\"negStatus\":\"connected\",\"peerLinkStatus\":\"up\","
		"\"localIntfStatus\":\"up\"}",
		"ok");
	expect_pair("eos", "mlag",
		"{\"state\":\"active\",\"negStatus\":\"connected\",\"peerLinkStatus\":\"up\","
		"\"localIntfStatus\":\"down\"}",
		"down");
	/* The session's state is missing: nothing contradicts. */
	expect_pair("eos", "mlag",
		"{\"state\":\"active\",\"peerState\":\"active\",\"peerLink\":\"Port-Channel1\","
		"\"peerLinkStatus\":\"up\",\"localIntfStatus\":{\"localIpAddr\":\"10.255.0.1\"}}",
		"ok");
	expect_pair("eos", "mlag",
		"{\"state\":\"inactive\",\"peerLinkStatus\":\"down\",\"localIntfStatus\":{}}",
		"down");
}

CASE(vpc_states_of_old_and_new_releases)
{
	expect_pair("nxos", "vpc",
		"{\"vpc-domain-id\":1,\"vpc-peer-status\":\"peer adjacency formed ok\","
		"\"vpc-peer-keepalive-status\":\"peer is alive\"}",
		"ok");
	expect_pair("nxos", "vpc",
		"{\"vpc-domain-id\":\"10\",\"vpc-peer-status\":\"peer-ok\","
		"\"vpc-peer-keepalive-status\":\"peer-not-reachable-through-keepalive\"}",
		"down");
}

CASE(nxos_member_on_an_extender_and_words_for_flags)
{
	struct obs *o = decode("nxos", TRANSPORT_SSH, "lag",
		"{\"TABLE_channel\":{\"ROW_channel\":{\"group\":3054,\"port-channel\":"
		"\"port-channel3054\",\"layer\":\"S\",\"status\":\"D\",\"prtcl\":\"LACP\","
		"\"TABLE_member\":{\"ROW_member\":{\"port\":\"Ethernet118/1/5\",\"port-status\":"
		"\"I\"}}}}}");

	expect_member(o, "Ethernet118/1/5", "port-channel3054", "individual");
	assert_string_equal(attr_word(at_port(o, "port-channel3054"), ATTR_OPER, 0), "down");
	obs_free(o);
	o = decode("nxos", TRANSPORT_SSH, "lag",
		"{\"TABLE_channel\":{\"ROW_channel\":[{\"port-channel\":\"Po1\",\"status\":\"up\","
		"\"prtcl\":\"lacp\",\"TABLE_member\":{\"ROW_member\":[{\"port\":\"Eth1/1\","
		"\"port-status\":\"P\"}]}},{\"port-channel\":\"Po2\",\"status\":\"down\",\"prtcl\":"
		"\"none\",\"TABLE_member\":{\"ROW_member\":{\"port\":\"Eth1/3\",\"port-status\":"
		"\"D\"}}}]}}");
	assert_string_equal(attr_word(at_port(o, "port-channel1"), ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(at_port(o, "port-channel2"), ATTR_OPER, 0), "down");
	obs_free(o);
}

/* Ports of the pair's other switch are listed beside its own. */
CASE(eos_ports_of_the_peer_are_none_of_its)
{
	struct obs *o = decode("eos", TRANSPORT_SSH, "lag",
		"{\"portChannels\":{\"Port-Channel5\":{\"activePorts\":{\"Ethernet4\":{},"
		"\"PeerEthernet4\":{}},\"rxPorts\":{},\"inactivePorts\":{\"Ethernet8\":{"
		"\"reasonUnconfigured\":\"waiting for LACP response\"}},\"minLinks\":0}}}");

	expect_member(o, "Ethernet4", "Port-Channel5", "active");
	assert_false(has_port(o, "PeerEthernet4"));
	assert_int_equal(o->ports.n, 3);
	obs_free(o);
}

/* A member stays selected while its bundle is down for want of another. */
CASE(sonic_selected_member_of_a_bundle_that_is_down)
{
	struct obs *o = decode("sonic", TRANSPORT_SSH, "optics",
		"{\"df\":[\"temperature\"],\"lf\":[],\"cf\":[],\"ports\":{\"Ethernet312\":{},"
		"\"Ethernet320\":{}},\"lags\":{\"PortChannel1\":{\"c\":[\"2\",\"up\"],\"s\":"
		"\"down\",\"m\":{\"Ethernet312\":[\"disabled\",\"false\",\"false\",\"expired\"],"
		"\"Ethernet320\":[\"enabled\",\"true\",\"true\",\"current\"]}}}}");

	expect_member(o, "Ethernet320", "PortChannel1", "active");
	assert_string_equal(attr_word(at_port(o, "PortChannel1"), ATTR_OPER, 0), "down");
	assert_true(attr_number(at_port(o, "PortChannel1"), ATTR_LAG_MIN, 0) == 2);
	obs_free(o);
}

CASE(linux_team_without_carrier)
{
	struct obs *o = decode("linux", TRANSPORT_SSH, "sw-fast",
		"@@begin 1\n1\n@@link\n["
		"{\"ifname\":\"PortChannel0\",\"link_type\":\"ether\",\"operstate\":\"DOWN\","
		"\"flags\":[\"NO-CARRIER\",\"UP\"],\"linkinfo\":{\"info_kind\":\"team\"}},"
		"{\"ifname\":\"Ethernet0\",\"link_type\":\"ether\",\"operstate\":\"UP\",\"flags\":"
		"[\"UP\",\"LOWER_UP\"],\"master\":\"PortChannel0\"},"
		"{\"ifname\":\"Ethernet4\",\"link_type\":\"ether\",\"operstate\":\"DOWN\","
		"\"flags\":"
		"[\"NO-CARRIER\",\"UP\"],\"master\":\"PortChannel0\"}]\n@@end\n1\n");

	assert_string_equal(attr_word(at_port(o, "PortChannel0"), ATTR_OPER, 0), "down");
	expect_member(o, "Ethernet0", "PortChannel0", "unknown");
	expect_member(o, "Ethernet4", "PortChannel0", "down");
	obs_free(o);
}

CASE(cumulus_bonds_of_the_manual)
{
	struct obs *o = decode("cumulus", TRANSPORT_HTTPS, "bonds",
		"{\"bond0\":{\"bond\":{\"member\":{\"swp1\":{},\"swp2\":{}}},\"type\":\"bond\"},"
		"\"bond1\":{\"bond\":{\"lacp-bypass\":\"on\",\"member\":{\"swp3\":{}},\"mlag\":{"
		"\"enable\":\"on\",\"id\":1},\"mode\":\"lacp\"},\"type\":\"bond\"},\"eth0\":{"
		"\"ip\":{}}}");

	assert_string_equal(attr_word(at_port(o, "swp2"), ATTR_BOND, 0), "bond0");
	assert_string_equal(attr_word(at_port(o, "bond1"), ATTR_LAG_PAIR, 0), "mlag 1");
	obs_free(o);
}

/* ---- findings ---- */

/* Four uplinks of a leaf in one bundle, all active. */
static struct stand *bundled(void)
{
	static const char *const members[] = {
		"Ethernet16", "Ethernet20", "Ethernet24", "Ethernet28"};
	struct stand *s = stand_new();
	struct obs *o = stand_batch(s, "leaf-r0-00");
	uint32_t bundle = obs_port(o, "PortChannel1");

	obs_word(o, bundle, ATTR_BOND, 0, "PortChannel1");
	obs_word(o, bundle, ATTR_OPER, 0, "up");
	obs_word(o, bundle, ATTR_LAG_STATE, 0, "lacp");
	obs_number(o, bundle, ATTR_LAG_MIN, 0, 3);
	for (int i = 0; i < 4; i++) {
		obs_word(o, obs_port(o, members[i]), ATTR_BOND, 0, "PortChannel1");
		obs_word(o, obs_port(o, members[i]), ATTR_LAG_STATE, 0, "active");
	}
	stand_poll(s, 3);
	return s;
}

static void set_member(struct stand *s, const char *port, const char *state)
{
	stand_word(s, port, ATTR_LAG_STATE, 0, state);
}

CASE(a_member_that_lacp_keeps_out)
{
	struct stand *s = bundled();
	const struct finding *f;

	assert_int_equal(stand_count(s, "lag.member"), 0);
	assert_int_equal(stand_count(s, "lag.down"), 0);
	set_member(s, "leaf-r0-00:Ethernet20", "suspended: no LACP from the peer, defaulted");
	stand_poll(s, 1);
	f = stand_found(s, "lag.member", "leaf-r0-00:Ethernet20");
	assert_non_null(f);
	assert_string_equal(f->title,
		"Ethernet20 is up, and LACP keeps it out of PortChannel1: no LACP from the peer, "
		"defaulted; 3 of 4 members are active");
	/* With a second one it has fewer than its least. */
	set_member(s, "leaf-r0-00:Ethernet24", "individual");
	stand_poll(s, 1);
	f = stand_found(s, "lag.down", "leaf-r0-00:PortChannel1");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "2 of 4 members active and needs 3"));
	set_member(s, "leaf-r0-00:Ethernet20", "active");
	set_member(s, "leaf-r0-00:Ethernet24", "active");
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "lag.member"), 0);
	assert_int_equal(stand_count(s, "lag.down"), 0);
	stand_free(s);
}

/* The member's own link is the cause; members without a known state claim nothing. */
CASE(a_member_that_is_down)
{
	struct stand *s = bundled();
	const struct finding *f;

	stand_link(s, "leaf-r0-00:Ethernet16", false);
	set_member(s, "leaf-r0-00:Ethernet16", "down");
	stand_poll(s, 2);
	f = stand_found(s, "link.bond", "leaf-r0-00:PortChannel1");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "3 of 4 links"));
	assert_int_equal(stand_count(s, "link.down"), 1);
	assert_int_equal(stand_count(s, "lag.down"), 0);
	for (int i = 0; i < 3; i++) {
		static const char *const rest[] = {
			"leaf-r0-00:Ethernet20", "leaf-r0-00:Ethernet24", "leaf-r0-00:Ethernet28"};

		set_member(s, rest[i], "unknown");
	}
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "lag.down"), 0);
	stand_free(s);
}

CASE(a_pair_that_is_not_whole)
{
	static const char *const words[] = {
		"kind=vpc state=split domain=7 link=port-channel1 why=peer-link-down",
		"kind=mlag state=ok domain=p peer=10.0.0.2 link=Port-Channel1000 partial=2",
		"kind=mclag state=unknown domain=1", "kind=mlag state=ok domain=p partial=0", ""};
	static const char *const titles[] = {
		"the vpc pair is split: each side works alone, link port-channel1",
		"2 bundles of the mlag pair are active on one side only", NULL, NULL, NULL};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct stand *s = stand_new();
		const struct finding *f;

		obs_word(stand_batch(s, "leaf-r0-00"), OBS_NO_PORT, ATTR_PAIR, 0, words[i]);
		stand_poll(s, 2);
		f = stand_found(s, "lag.pair", "leaf-r0-00");
		if (titles[i])
			assert_string_equal(f ? f->title : "none", titles[i]);
		else
			assert_null(f);
		stand_free(s);
	}
}

/* Two switches should serve a bundle, and the other one does not. */
CASE(a_bundle_that_one_switch_serves)
{
	static const struct {
		const char *pair, *title;
	} cases[] = {
		{"segment 03:00:50:56:9e:e7:11:00:00:01 up alone",
			"PortChannel1 should be served by two switches: segment "
			"03:00:50:56:9e:e7:11:00:00:01 up alone"},
		{"vpc 10 up inconsistent",
			"PortChannel1 should be served by two switches: vpc 10 up inconsistent"},
		{"mclag, peer's down",
			"PortChannel1 should be served by two switches: mclag, peer's down"},
		{"segment 03:00:50:56:9e:e7:11:00:00:01 up", NULL},
		{"mlag 1 dual", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stand *s = bundled();
		const struct finding *f;

		stand_word(s, "leaf-r0-00:PortChannel1", ATTR_LAG_PAIR, 0, cases[i].pair);
		stand_poll(s, 2);
		f = stand_found(s, "lag.pair", "leaf-r0-00");
		if (cases[i].title) {
			assert_string_equal(f ? f->title : "none", cases[i].title);
			assert_int_equal(f->severity, SEV_WARN);
		} else {
			assert_null(f);
		}
		stand_free(s);
	}
}

/* A planned port that the device no longer lists; its peer's dead link follows from it. */
CASE(a_planned_port_that_is_gone)
{
	struct stand *s = stand_new();
	const struct finding *f;

	for (int i = 0; i < 4; i++) {
		struct obs *o = stand_batch(s, "spine-000");

		/* As a whole list would: the stand reports all ports in each poll. */
		if (i == 0)
			obs_number(o, OBS_NO_PORT, ATTR_PORT_LIST, 0, 4);
		stand_poll(s, 1);
	}
	assert_int_equal(stand_count(s, "link.gone"), 0);
	port_more(stand_port_of(s, "spine-000:Ethernet1/1"))->listed = PORT_GONE;
	stand_poll(s, 1);
	f = stand_found(s, "link.gone", "spine-000:Ethernet1/1");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "no longer has this port"));
	port_more(stand_port_of(s, "spine-000:Ethernet2/1"))->listed = PORT_GONE;
	stand_poll(s, 1);
	f = stand_found(s, "link.gone", "spine-000:Ethernet1/1");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "2 planned ports are gone"));
	stand_free(s);
}

/* A NIC with a port in each plane lost one of them. */
CASE(a_link_of_one_plane)
{
	struct stand *s = stand_new();
	const struct finding *f;

	stand_port_of(s, "node000:mlx5_1")->rail = 0;
	stand_link(s, "node000:mlx5_0", false);
	stand_poll(s, 2);
	f = stand_found(s, "link.down", "node000:mlx5_0");
	if (!f)
		f = stand_found(s, "link.down", "leaf-r0-00:Ethernet0");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "; 1 of 2 planes of rail 0 are up"));
	stand_free(s);
}

/* A link that once ran faster, without a plan: said to be inferred. */
CASE(a_speed_below_the_first_one)
{
	struct stand *s = stand_new();
	const struct finding *f;

	stand_port_of(s, "leaf-r0-00:Ethernet16")->plan_speed_mbps = 0;
	stand_port_of(s, "spine-000:Ethernet1/1")->plan_speed_mbps = 0;
	stand_poll(s, 2);
	stand_number(s, "leaf-r0-00:Ethernet16", ATTR_SPEED_MBPS, 0, 200000);
	stand_number(s, "spine-000:Ethernet1/1", ATTR_SPEED_MBPS, 0, 200000);
	stand_poll(s, 2);
	f = stand_found(s, "link.speed", "leaf-r0-00:Ethernet16");
	if (!f)
		f = stand_found(s, "link.speed", "spine-000:Ethernet1/1");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_non_null(strstr(f->title, "before at 400G; no speed is planned"));
	stand_free(s);
}

CASES_MAIN(NULL, NULL)
