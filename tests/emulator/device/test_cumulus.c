/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/rig_cumulus.h"
#include "tests/support/cases.h"

/* ---- reading ---- */

static const struct {
	const char *path, *file;
} shapes[] = {
	{"interface", "nvue_GET_interface.json"},
	{"system", "nvue_GET_system.json"},
	{"interface/swp1/counters/qos", "nvue_counters_qos.json"},
	{"interface/swp1/link/phy-detail", "nvue_link_phy_detail.json"},
	{"interface/swp1/qos/roce/counters", "nvue_qos_roce_counters.json"},
	{"platform/transceiver/detail", "nvue_platform_transceiver_detail.json"},
};

CASE(shapes_are_those_of_the_references)
{
	char file[128];
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		json_t *want, *have;

		(void)snprintf(file, sizeof(file), "switches/cumulus/derived/%s", shapes[i].file);
		want = rig_capture_json(file);
		if (!want)
			skip();
		have = nvue_get(*state, shapes[i].path);
		/* Another management address. */
		assert_int_equal(rig_missing_keys(want, have, shapes[i].path), i ? 0 : 1);
		json_decref(have);
		json_decref(want);
	}
}

CASE(identity_is_the_devices)
{
	struct rig *r = *state;
	json_t *o = nvue_get(r, "system");

	nvue_text(o, "hostname", NVUE_SWITCH);
	nvue_text(o, "build", "Cumulus Linux 5.11.1");
	nvue_text(o, "timezone", "Etc/UTC");
	nvue_number(o, "uptime", (uint64_t)(sim_now(r->sim) - nvue_switch(r)->boot_us) / 1000000);
	json_decref(o);
	o = nvue_get(r, "platform");
	nvue_text(o, "serial-number", nvue_switch(r)->serial);
	nvue_text(o, "product-name", "SN5400");
	json_decref(o);
	o = nvue_get(r, "system/forwarding/ecmp-hash/source-port");
	assert_string_equal(json_string_value(o), "on");
	json_decref(o);
}

CASE(interfaces_count_what_the_fabric_counts)
{
	struct rig *r = *state;
	const struct sim_port *p = &nvue_switch(r)->ports[4];
	json_t *o = nvue_get(r, "interface");

	assert_int_equal(json_object_size(o), nvue_switch(r)->nports + 1);
	nvue_text(o, "swp5>link>oper-status", "up");
	nvue_text(o, "swp5>link>speed", "400G");
	nvue_number(o, "swp5>link>mtu", p->config.mtu);
	nvue_number(o, "swp5>link>stats>in-bytes", p->rx_bytes);
	nvue_number(o, "swp5>link>stats>out-pkts", p->tx_packets);
	assert_int_equal(json_object_size(nvue_at(o, "swp5>lldp>neighbor")), 1);
	nvue_text(o, "eth0>type", "eth");
	json_decref(o);
	o = nvue_get(r, "interface/swp5/link/stats/in-bytes");
	assert_int_equal(json_integer_value(o), p->rx_bytes);
	json_decref(o);
	assert_int_equal(nvue_ask(r, "GET", NVUE_API "/interface", "filter=type=eth", ""), 200);
	o = nvue_body(r);
	assert_int_equal(json_object_size(o), 1);
	json_decref(o);
}

CASE(collections_are_cut_to_what_is_asked_for)
{
	struct rig *r = *state;
	json_t *o;

	assert_int_equal(nvue_ask(r, "GET", NVUE_API "/interface",
				 "rev=operational&include=/*/link/stats/in-bytes,/*/counters/qos/"
				 "pfc-stats",
				 ""),
		200);
	o = nvue_body(r);
	nvue_number(o, "swp2>link>stats>in-bytes", nvue_switch(r)->ports[1].rx_bytes);
	nvue_number(o, "swp2>counters>qos>pfc-stats>switch-priority>3>rx-pause-frames",
		nvue_switch(r)->ports[1].q[3].pfc_rx_frames);
	assert_int_equal(json_object_size(nvue_at(o, "swp2>link")), 1);
	json_decref(o);
	assert_int_equal(
		nvue_ask(r, "GET", NVUE_API "/interface", "omit=/*/lldp,/swp1/link/stats", ""),
		200);
	o = nvue_body(r);
	assert_null(json_object_get(nvue_at(o, "swp2"), "lldp"));
	assert_null(json_object_get(nvue_at(o, "swp1>link"), "stats"));
	assert_non_null(json_object_get(nvue_at(o, "swp2>link"), "stats"));
	json_decref(o);
	/* Nonsense selects nothing and breaks nothing. */
	assert_int_equal(
		nvue_ask(r, "GET", NVUE_API "/interface", "include=/,,*/&omit=,/,x", ""), 200);
}

CASE(a_dark_port_says_so)
{
	struct rig *r = *state;
	struct sim_port *p = &nvue_switch(r)->ports[6];
	json_t *o;

	p->up = false;
	p->lane[1].rx_dbm = -1.0 / 0.0;
	p->lane[2].rx_dbm = -1.82;
	o = nvue_get(r, "interface/swp7");
	nvue_text(o, "link>oper-status", "down");
	nvue_text(o, "link>admin-status", "up");
	assert_null(json_object_get(nvue_at(o, "link"), "speed"));
	assert_int_equal(json_object_size(nvue_at(o, "lldp>neighbor")), 0);
	json_decref(o);
	o = nvue_get(r, "platform/transceiver/swp7");
	nvue_text(o, "channel>channel-2>rx-power>power", "0.0000 mW / -inf dBm");
	nvue_text(o, "channel>channel-3>rx-power>power", "0.6577 mW / -1.82 dBm");
	json_decref(o);
	p->up = true;
}

CASE(units_are_inside_the_strings)
{
	struct rig *r = *state;
	struct sim_queue *q = &nvue_switch(r)->ports[0].q[3], old = *q;
	json_t *o;

	q->tx_bytes = UINT64_C(99669421138575); /* 92824.38 GB of 1024^3 */
	q->tx_packets = 91000;
	q->drops = 144;
	q->pg_drops = 1229;
	q->pfc_rx_frames = 184;
	q->pfc_rx_us = 3728;
	o = nvue_get(r, "interface/swp1/counters/qos");
	nvue_text(o, "egress-queue-stats>traffic-class>3>tx-bytes", "92824.38 GB");
	nvue_number(o, "egress-queue-stats>traffic-class>3>tx-frames", 91000);
	nvue_text(o, "egress-queue-stats>traffic-class>3>tx-uc-buffer-discards", "144 Bytes");
	nvue_text(o, "ingress-buffer-stats>priority-group>3>rx-buffer-discards", "1.20 KB");
	nvue_number(o, "pfc-stats>switch-priority>3>rx-pause-frames", 184);
	nvue_number(o, "pfc-stats>switch-priority>3>rx-pause-duration", 3728);
	json_decref(o);
	o = nvue_get(r, "interface/swp1/qos/roce/status");
	nvue_text(o, "pool-map>3>size", "inf");
	/* 500000 and 1500000 bytes in cells of 12 KB. */
	nvue_text(o, "congestion-control>min-threshold", "492.00 KB");
	nvue_text(o, "congestion-control>max-threshold", "1.44 MB");
	nvue_text(o, "pfc>pfc-priority", "3");
	json_decref(o);
	*q = old;
}

CASE(newer_releases_give_numbers)
{
	struct rig *r = *state;
	const struct sim_queue *q = &nvue_switch(r)->ports[0].q[3];
	json_t *o;

	assert_int_equal(nvue_ask(r, "GET", NVUE_API "/interface/qos-roce-counters", "", ""), 404);
	(void)str_copy(nvue_switch(r)->os_version, sizeof(nvue_switch(r)->os_version), "5.13.0");
	o = nvue_get(r, "interface/swp1/counters/qos");
	nvue_number(o, "egress-queue-stats>3>tx-bytes", q->tx_bytes);
	nvue_number(o, "egress-queue-stats>3>ecn-marked-frames", q->ecn_marked);
	nvue_number(o, "pfc-stats>3>tx-pause-frames", q->pfc_tx_frames);
	json_decref(o);
	o = nvue_get(r, "interface/qos-roce-counters");
	assert_int_equal(json_object_size(o), nvue_switch(r)->nports);
	nvue_number(o, "swp1>rx-stats>rx-pfc-stats>pause-packets", q->pfc_rx_frames);
	json_decref(o);
	(void)str_copy(nvue_switch(r)->os_version, sizeof(nvue_switch(r)->os_version), "5.11.1");
}

CASE(ber_is_a_digit_and_a_magnitude)
{
	struct rig *r = *state;
	struct sim_port *p = &nvue_switch(r)->ports[0], old = *p;
	json_t *o;

	p->pre_fec_ber = 2.04e-10;
	p->fec_uncorrectable = 0;
	p->fec_bin[1] = 512;
	o = nvue_get(r, "interface/swp1/link/phy-detail");
	nvue_text(o, "raw-ber", "2E-10");
	nvue_text(o, "effective-ber", "15E-255");
	nvue_number(o, "rs-num-corr-err-bin1", 512);
	assert_true(json_is_string(nvue_at(o, "phy-received-bits")));
	json_decref(o);
	*p = old;
}

CASE(the_watchdog_tells_ok_from_deadlock)
{
	struct rig *r = *state;
	struct sim_queue *q = &nvue_switch(r)->ports[0].q[3];
	json_t *o;

	q->wd_stormed = true;
	q->wd_detected = 2;
	o = nvue_get(r, "interface/swp1/qos/pfc-watchdog");
	nvue_text(o, "state", "enable");
	nvue_text(o, "status>3>status", "DEADLOCK");
	nvue_number(o, "status>3>deadlock-count", 2);
	json_decref(o);
	q->wd_stormed = false;
	o = nvue_get(r, "interface/swp1/qos/pfc-watchdog");
	nvue_text(o, "status>3>status", "OK");
	json_decref(o);
	assert_int_equal(
		nvue_ask(r, "POST", NVUE_API "/interface/swp1/qos/pfc-watchdog/deadlock-count", "",
			"{\"@clear\":{\"state\":\"start\",\"parameters\":{}}}"),
		200);
	o = nvue_get(r, "interface/swp1/qos/pfc-watchdog/status/3/deadlock-count");
	assert_int_equal(json_integer_value(o), 0);
	json_decref(o);
	q->wd_detected = 0;
	o = nvue_get(r, "qos/pfc-watchdog");
	nvue_text(o, "polling-interval", "0:00:00.200000");
	json_decref(o);
}

/* ---- refusing ---- */

CASE(errors_are_problems_in_json)
{
	struct rig *r = *state;
	static const char *const nowhere[] = {NVUE_API "/nothing", NVUE_API "/interface/swp999",
		NVUE_API "/interface/swp1/link/nothing", NVUE_API "/platform/transceiver/swp0",
		"/elsewhere", NVUE_API "x", NVUE_API "/action/77", NVUE_API "/revision/77",
		NVUE_API "/interface/swp1/qos/pfc/x/y"};
	struct http_request stranger = {
		.method = "GET", .path = NVUE_API "/system", .query = "", .body = "", .cookie = ""};
	json_t *o;
	size_t i;

	for (i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		assert_int_equal(nvue_ask(r, "GET", nowhere[i], "", ""), 404);
		o = nvue_body(r);
		nvue_text(o, "title", "Not Found");
		nvue_number(o, "status", 404);
		json_decref(o);
	}
	assert_int_equal(nvue_ask(r, "GET", NVUE_API "/interface", "rev=99", ""), 404);
	assert_non_null(strstr(r->out.data, "Revision '99'"));
	assert_int_equal(nvue_ask(r, "PUT", NVUE_API "/interface", "", "{}"), 405);
	assert_int_equal(
		nvue_ask(r, "POST", NVUE_API "/interface/swp1/counters", "", "{\"@clear\":1}"),
		400);
	assert_int_equal(rig_http_as(r, NVUE_SWITCH, &stranger), 401);
	assert_non_null(r->reply.realm);
	nvue_switch(r)->commands_fail = true;
	assert_int_equal(nvue_ask(r, "GET", NVUE_API "/system", "", ""), 500);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "nv show system -o json", NULL), 1);
	assert_string_equal(r->err.data, "Error: Internal Server Error\n");
	assert_int_equal(r->out.len, 0);
	nvue_switch(r)->commands_fail = false;
}

CASE(the_factory_password_opens_nothing)
{
	static const char *const ways[] = {
		"nv set system aaa user cumulus password Range-0815 && nv config apply -y",
		"echo cumulus:Range-0815 | sudo chpasswd"};
	size_t i;

	for (i = 0; i < 2; i++) {
		void *fresh = NULL;

		(void)nvue_setup(&fresh);
		nvue_switch(fresh)->must_change_password = true;
		assert_int_equal(nvue_ask(fresh, "GET", NVUE_API "/system", "", ""), 403);
		assert_int_equal(rig_exec(fresh, NVUE_SWITCH, "echo a:b | chpasswd", NULL), 1);
		assert_int_equal(nvue_ask(fresh, "GET", NVUE_API "/system", "", ""), 403);
		assert_int_equal(rig_exec(fresh, NVUE_SWITCH, ways[i], NULL), 0);
		assert_int_equal(nvue_ask(fresh, "GET", NVUE_API "/system", "", ""), 200);
		(void)nvue_teardown(&fresh);
	}
}

/* ---- the shell ---- */

CASE(nv_shows_what_rest_shows)
{
	struct rig *r = *state;
	json_t *o, *rest = nvue_get(r, "interface/swp1/qos/roce/counters");

	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "nv show interface swp1 qos roce counters -o json", NULL),
		0);
	o = nvue_body(r);
	assert_true(json_equal(o, rest));
	json_decref(o);
	json_decref(rest);
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "nv show interface --view=lldp -o json", NULL), 0);
	o = nvue_body(r);
	assert_int_equal(json_object_size(json_object_get(o, "swp1")), 1);
	json_decref(o);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "nv show interface", NULL), 0);
	assert_non_null(strstr(r->out.data, "swp1       up"));
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "nv show nonsense -o json", NULL), 1);
	assert_string_equal(r->err.data, "Error: The requested item does not exist.\n");
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "nv list-commands", NULL), 0);
	assert_non_null(strstr(r->out.data, "nv show interface <interface-id> qos pfc-watchdog\n"));
	assert_null(strstr(r->out.data, "qos-roce-counters"));
}

CASE(bgp_neighbours_are_ports)
{
	struct rig *r = *state;
	struct sim_device *d = nvue_switch(r);
	json_t *o, *peers;
	int64_t now = sim_now(r->sim);

	nvue_sessions(d);
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "sudo vtysh -c 'show bgp summary json'", NULL), 0);
	o = nvue_body(r);
	peers = nvue_at(o, "ipv4Unicast>peers");
	nvue_text(peers, "swp1>idType", "interface");
	nvue_text(peers, "swp1>state", "Established");
	nvue_number(peers, "swp1>pfxRcd", 17);
	nvue_number(peers, "swp1>connectionsDropped", 2);
	nvue_number(
		peers, "swp1>peerUptimeMsec", (uint64_t)(now - d->ports[0].bgp.since_us) / 1000);
	nvue_text(peers, "swp2>state", "Active");
	nvue_number(o, "ipv4Unicast>as", d->asn);
	json_decref(o);
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "sudo vtysh -c 'show bgp vrf all neighbors json'", NULL),
		0);
	o = nvue_body(r);
	nvue_text(o, "default>swp1>bgpState", "Established");
	json_decref(o);
	o = nvue_get(r, "vrf/default/router/bgp/neighbor");
	nvue_text(o, "swp1>state", "established");
	nvue_number(o, "swp1>address-family>ipv4-unicast>prefix-received", 17);
	json_decref(o);
}

CASE(lldp_is_collapsed_or_uniform)
{
	struct rig *r = *state;
	json_t *o, *first;

	assert_int_equal(rig_exec(r, NVUE_SWITCH, "lldpctl -f json swp1", NULL), 0);
	o = nvue_body(r);
	/* One neighbour is no array. */
	assert_true(json_is_object(nvue_at(o, "lldp>interface")));
	nvue_text(o, "lldp>interface>swp1>via", "LLDP");
	json_decref(o);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "lldpctl -f json", NULL), 0);
	o = nvue_body(r);
	assert_int_equal(json_array_size(nvue_at(o, "lldp>interface")), nvue_switch(r)->nports);
	json_decref(o);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "lldpcli show neighbors -f json0", NULL), 0);
	o = nvue_body(r);
	first = json_array_get(
		json_object_get(json_array_get(json_object_get(o, "lldp"), 0), "interface"), 0);
	nvue_text(first, "name", "swp1");
	assert_true(json_is_array(json_object_get(first, "chassis")));
	json_decref(o);
}

CASE(linux_tools_tell_the_same)
{
	struct rig *r = *state;
	const struct sim_port *p = &nvue_switch(r)->ports[4];
	char line[64];
	json_t *o, *one;

	assert_int_equal(rig_exec(r, NVUE_SWITCH, "ip -j -s link show dev swp5", NULL), 0);
	o = nvue_body(r);
	one = json_array_get(o, 0);
	assert_int_equal(json_array_size(o), 1);
	nvue_number(one, "stats64>rx>bytes", p->rx_bytes);
	nvue_text(one, "operstate", "UP");
	json_decref(o);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "ethtool -S swp5", NULL), 0);
	(void)snprintf(line, sizeof(line), "HwIfInOctets: %llu\n", (unsigned long long)p->rx_bytes);
	assert_non_null(strstr(r->out.data, line));
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "ethtool -S eth99", NULL), 1);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "grep swp5: /proc/net/dev | wc -l", NULL), 0);
	assert_string_equal(r->out.data, "1\n");
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "grep -c cumulus-linux /etc/os-release", NULL), 0);
	assert_string_equal(r->out.data, "1\n");
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "ip link set swp5 down", NULL), 2);
	assert_true(p->config.admin_up);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "sudo ip link set swp5 down", NULL), 0);
	assert_false(p->config.admin_up);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "sudo ip link set swp5 up", NULL), 0);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "no-such-tool", NULL), 127);
}

CASE(the_log_has_the_devices_own_time)
{
	struct rig *r = *state;
	struct sim_device *d = nvue_switch(r);

	d->logged = 1;
	d->log[0] = (struct sim_log){.t_us = RIG_NOW, .kind = SIM_LOG_BGP_DOWN, .port = 1};
	(void)str_copy(d->log[0].text, sizeof(d->log[0].text), "Interface down");
	d->clock_skew_us = INT64_C(3600000000);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "tail -n 1 /var/log/syslog", NULL), 0);
	/* RIG_NOW is 11:54:20 UTC. */
	assert_non_null(strstr(r->out.data, "2025-11-21T12:54:20.000000+00:00 spine-000 bgpd"));
	assert_non_null(strstr(r->out.data, "%ADJCHANGE: neighbor swp2("));
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "sudo journalctl -u frr -n 1 --no-pager", NULL), 0);
	assert_non_null(strstr(r->out.data, "Nov 21 12:54:20 spine-000 bgpd[2108]: "));
	d->clock_skew_us = 0;
}

CASES_MAIN(nvue_setup, nvue_teardown)
