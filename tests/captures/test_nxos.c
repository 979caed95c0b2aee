/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/nxos_text.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define NXOS         "switches/nxos/"
#define RECEIVED     INT64_C(1763750000000000)

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};
static const struct target leaf_https = {.device = "leaf-r0-00",
	.tier = TIER_LEAF,
	.transport = TRANSPORT_HTTPS,
	.lossless = 1u << 3};

static struct covered needs[] = {
#define NEED(id, number, who, group, counter, name) {name, NOTHING},
#include "fabric/vocabulary/capabilities.def"
#undef NEED
};

/* The needs of hosts (number 14) are none of a switch's. */
static const size_t switch_needs = 31;

static void by(const char *need, enum evidence e)
{
	covered(needs, ARRAY_LEN(needs), need, e);
}

static struct obs *decode_text(const struct target *t, const char *request, const char *text)
{
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};

	o->received_us = RECEIVED;
	if (!backend_by_name("nxos")->parse(t, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode_file(const struct target *t, const char *request, const char *file)
{
	char *text = capture_read(file, NULL);
	struct obs *o = decode_text(t, request, text);

	free(text);
	return o;
}

/* The capture's page for people, as the body of the same command. */
static struct obs *decode_printed(
	const char *request, const char *file, json_t *(*body_of)(const char *text))
{
	char *text = capture_read(file, NULL);
	json_t *body = body_of(text);
	char *json = json_dumps(body, 0);
	struct obs *o = decode_text(&leaf, request, json);

	free(json);
	json_decref(body);
	free(text);
	return o;
}

/* ---- identity ---- */

CASE(versions)
{
	struct obs *o = decode_file(&leaf, "identity", NXOS "json-native/show_version.json");
	struct obs_port_ref dev = at_port(o, NULL);

	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "Nexus9000 C9300v");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "9SM7CHR8WEF");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "9.3(4)");
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "spine02");
	assert_true(attr_number(dev, ATTR_UPTIME_S, 0) == 3 * 86400 + 47 * 60 + 49);
	obs_free(o);

	/* Before nxos_ver_str. */
	o = decode_file(&leaf, "identity", NXOS "json/show_version.json");
	dev = at_port(o, NULL);
	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "NX-OSv");
	assert_string_equal(
		attr_word(dev, ATTR_OS_VERSION, 0), "7.3(1)D1(1) [build 7.3(1)D1(0.10)]");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "TM6017D760B");
	assert_true(attr_number(dev, ATTR_UPTIME_S, 0) == 47 * 86400 + 3600 + 37 * 60 + 11);
	obs_free(o);

	o = decode_file(&leaf, "identity", NXOS "json/show_inventory.json");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "N6K-C6001-64P");
	obs_free(o);
	by("identity", REAL);
	by("uptime", REAL);
}

CASE(two_commands_of_one_request)
{
	struct obs *o = decode_file(
		&leaf_https, "identity", NXOS "nxapi/jsonrpc_show_hostname__show_version.json");
	struct obs_port_ref dev = at_port(o, NULL);

	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "TM6012EC74B");
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "nxos1");
	assert_true(attr_number(dev, ATTR_UPTIME_S, 0) == 32 * 86400 + 23 * 3600 + 36 * 60 + 25);
	obs_free(o);
	/* One command: one object, not an array; and its text is beside the body. */
	o = decode_file(&leaf_https, "log", NXOS "nxapi/jsonrpc_show_hostname_raw.json");
	assert_int_equal(o->ports.n, 0);
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
}

/* ---- ports ---- */

/* The same switch, asked twice: JSON and text must say the same of each port. */
CASE(states_as_the_text_has_them)
{
	struct obs *o = decode_file(&leaf, "brief", NXOS "json-native/show_interface_brief.json");
	char *text = capture_read(NXOS "text/show_interface_egrep.txt", NULL), line[512];
	const char *at = text;
	unsigned ports = 0, up = 0;

	while (nxos_next_line(&at, line)) {
		char name[64], *is = strstr(line, " is ");
		struct obs_port_ref p;
		bool is_up;

		if (!str_starts(line, "Ethernet") || !is)
			continue;
		(void)str_copyn(name, sizeof(name), line, (size_t)(is - line));
		is_up = str_starts(is, " is up");
		p = at_port(o, name);
		assert_string_equal(attr_word(p, ATTR_OPER, 0), is_up ? "up" : "down");
		assert_string_equal(
			attr_word(p, ATTR_DOWN_REASON, 0), is_up ? "" : "Link not connected");
		ports++;
		up += is_up;
	}
	assert_int_equal(ports, 64);
	assert_int_equal(up, 6);
	assert_int_equal(o->ports.n, 64);
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0) == 1000);
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/7"), ATTR_SPEED_MBPS, 0)));
	free(text);
	obs_free(o);
	by("port state", REAL);
}

CASE(interfaces_that_are_down)
{
	struct obs *o = decode_file(&leaf, "interface", NXOS "json/show_interface_down.json");
	struct obs_port_ref p = at_port(o, "Ethernet1/2");

	assert_int_equal(o->ports.n, 2);
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "down");
	assert_true(attr_number(p, ATTR_MTU, 0) == 1500);
	assert_true(isnan(attr_number(p, ATTR_SPEED_MBPS, 0)));
	assert_int_equal(cell_validity(p, "link_down_events", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(an_interface_that_carries_traffic)
{
	struct obs *o =
		decode_printed("interface", NXOS "text/show_interface.txt", nxos_interface_of);
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_true(attr_number(p, ATTR_MTU, 0) == 9216);
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 10000);
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(p, ATTR_DESCRIPTION, 0), "FAN-OUT-S1_E6/1");
	assert_int_equal(cell_count(p, "link_down_events", 0), 1);
	assert_int_equal(cell_count(p, "rx_discards", 0), 0);
	assert_int_equal(cell_count(p, "rx_pause_frames", 0), 0);
	assert_int_equal(cell_count(p, "tx_pause_frames", 0), 0);
	obs_free(o);
	by("link flaps", AUTHORED);
}

CASE(counters_and_errors)
{
	struct obs *o = decode_printed(
		"counters", NXOS "text/show_interface_counters.txt", nxos_counters_of);
	struct obs_port_ref p = at_port(o, "Ethernet1/33");

	assert_int_equal(cell_count(p, "rx_bytes", 0), 1162614);
	assert_int_equal(cell_count(p, "rx_packets", 0), 14178 + 64);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 12199396);
	assert_int_equal(cell_count(p, "tx_packets", 0), 23366 + 65 + 1);
	obs_free(o);

	o = decode_printed(
		"errors", NXOS "text/show_interface_counters_errors.txt", nxos_errors_of);
	assert_int_equal(o->ports.n, 24);
	p = at_port(o, "Ethernet1/13");
	assert_int_equal(cell_count(p, "tx_discards", 0), 14500);
	assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 0); /* 500 is Align-Err */
	assert_int_equal(cell_count(p, "rx_discards", 0), 0);
	assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 0);
	assert_int_equal(cell_count(p, "rx_stomped_crc", 0), 0);
	assert_int_equal(cell_count(at_port(o, "Ethernet1/23"), "tx_discards", 0), 20340);
	assert_false(has_port(o, "mgmt0"));
	obs_free(o);
	by("port counters", AUTHORED);
}

/* ---- flow control ---- */

CASE(pfc_modes)
{
	struct obs *o = decode_file(
		&leaf, "settings", NXOS "derived/show_interface_priority-flow-control.json");

	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_PFC_ENABLED, 0) == 8);
	assert_true(attr_number(at_port(o, "Ethernet1/2"), ATTR_PFC_ENABLED, 0) == 8);
	obs_free(o);
	/* (9) is priorities 0 and 3; (0) is none although the port's mode is on. */
	o = decode_printed(
		"settings", NXOS "qos-text/show_interface_priority-flow-control.txt", nxos_pfc_of);
	assert_true(attr_number(at_port(o, "Ethernet1/2"), ATTR_PFC_ENABLED, 0) == 9);
	assert_true(attr_number(at_port(o, "Ethernet1/5"), ATTR_PFC_ENABLED, 0) == 0);
	assert_int_equal(o->ports.n, 2);
	obs_free(o);
	by("PFC settings", AUTHORED);
}

static void check_queue_of_derived(struct obs_port_ref p)
{
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 803785);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 3), 3353392);
	assert_int_equal(cell_count(p, "queue_drops", 3), 0);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 51234);
	assert_true(cell_value(p, "queue_depth_bytes", 3) == 416);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 1890);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 4088353);
}

CASE(queues)
{
	struct obs *o = decode_file(&leaf, "queuing", NXOS "derived/show_queuing_interface.json");
	struct obs_port_ref p;

	check_queue_of_derived(at_port(o, "Ethernet1/1"));
	obs_free(o);

	/* The same queue as a managed object. */
	o = decode_file(&leaf_https, "queues", NXOS "derived/dme_ipqosQueuingStats.json");
	p = at_port(o, "Ethernet1/1");
	check_queue_of_derived(p);
	assert_int_equal(cell_count(p, "wred_drops", 3), 0);
	/* Its time is that of the queues, and perhaps not of the PFC frames beside them. */
	assert_true(o->ports.at[p.port].sample_us == 0);
	obs_free(o);

	o = decode_printed("queuing", NXOS "qos-text/show_queuing_interface.txt", nxos_queuing_of);
	p = at_port(o, "Ethernet2/1");
	assert_int_equal(cell_count(p, "queue_tx_packets", 0), 12 + 22 + 34);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 0), 1200 + 2200 + 3400);
	assert_int_equal(cell_count(p, "queue_drops", 0), 1 + 0 + 2);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 50);
	assert_int_equal(cell_count(p, "queue_drops", 3), 6);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 7);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 8);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 0), 0);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	obs_free(o);
	by("PFC frames per priority", AUTHORED);
	by("queue counters", AUTHORED);
	by("queue drops", AUTHORED);
	by("ECN marks", AUTHORED);
}

CASE(watchdogs)
{
	struct obs *o =
		decode_file(&leaf, "watchdog", NXOS "derived/show_queuing_pfc-queue_detail.json");
	struct obs_port_ref p = at_port(o, "Ethernet1/23");

	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "drop");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 2);
	assert_int_equal(cell_count(p, "pfcwd_storm_restored", 3), 1);
	assert_int_equal(cell_count(p, "pfcwd_drops", 3), 9 + 1925);
	assert_true(attr_number(at_port(o, NULL), ATTR_PFCWD_POLL_MS, 0) == 100);
	obs_free(o);

	o = decode_printed(
		"watchdog", NXOS "qos-text/show_queuing_pfc-queue_detail.txt", nxos_watchdog_of);
	p = at_port(o, "Ethernet1/23");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "drop");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 1);
	assert_int_equal(cell_count(p, "pfcwd_storm_restored", 3), 2);
	assert_int_equal(cell_count(p, "pfcwd_drops", 3), 6 + 1925);
	obs_free(o);
	by("PFC watchdog", AUTHORED);
	by("PFC watchdog settings", AUTHORED);
}

/* ---- optics ---- */

CASE(modules_that_measure_nothing)
{
	struct obs *o = decode_printed(
		"optics", NXOS "text/show_interface_transceiver_details.txt", nxos_optics_of);
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "QSFP-DD-400G-COPPER");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "LCC2411GG1W-A");
	assert_int_equal(cell_validity(p, "rx_power_dbm", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);
	o = decode_printed(
		"optics", NXOS "text/ntc_show_interface_transceiver.txt", nxos_optics_of);
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/35"), ATTR_MODULE_SN, 0), "IND282502DJ");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/36"), ATTR_MODULE_SN, 0), "IND282501TU");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/36"), ATTR_MEDIA, 0), "QSFP-DD-400G-FR4");
	obs_free(o);
}

/* ---- neighbours ---- */

CASE(lldp)
{
	struct obs *o = decode_file(&leaf, "lldp", NXOS "json-native/show_lldp_neighbors.json");
	char peer[128];

	assert_int_equal(o->ports.n, 4);
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/1"), peer, sizeof(peer)), "spine01:Ethernet1/4");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/2"), peer, sizeof(peer)), "spine02:Ethernet1/4");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/5"), peer, sizeof(peer)), "leaf03:Ethernet1/5");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/6"), peer, sizeof(peer)), "leaf03:Ethernet1/6");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/2"), ATTR_LLDP_MGMT, 0), "10.255.2.120");
	obs_free(o);

	o = decode_printed("lldp", NXOS "text/napalm_show_lldp_neighbors_detail.txt", nxos_lldp_of);
	assert_int_equal(o->ports.n, 2); /* mgmt0 is no port of the fabric */
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/1"), peer, sizeof(peer)), "n9k2.ntc.com:Ethernet1/1");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/2"), ATTR_LLDP_MGMT, 0), "10.1.100.21");
	obs_free(o);

	o = decode_printed("lldp", NXOS "text/show_lldp_neighbors_detail.txt", nxos_lldp_of);
	assert_string_equal(lldp_of(at_port(o, "Ethernet1/1"), peer, sizeof(peer)),
		"R1_csr1000v.openstacklocal:Gi3");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/1"), ATTR_LLDP_PORT, 0), "GigabitEthernet3");
	/* A description of "null" is none. */
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/2"), peer, sizeof(peer)), "R2_xrv9000:Gi0/0/0/1");
	obs_free(o);
	by("LLDP neighbours", REAL);
}

static const struct obs_bgp *session(
	const struct obs *o, const char *vrf, const char *peer, enum bgp_afi afi)
{
	for (size_t i = 0; i < o->bgp.n; i++) {
		const struct obs_bgp *s = &o->bgp.at[i];

		if (s->afi == afi && str_eq(obs_text(o, s->peer), peer) &&
			str_eq(obs_text(o, s->vrf), vrf))
			return s;
	}
	fail_msg("no session with %s", peer);
	return NULL;
}

CASE(bgp)
{
	struct obs *o =
		decode_file(&leaf, "bgp", NXOS "json-native/show_bgp_all_summary_vrf_all.json");
	const struct obs_bgp *s = session(o, "default", "10.0.0.22", BGP_EVPN);

	assert_int_equal(o->bgp.n, 4);
	assert_true(o->bgp_whole);
	assert_int_equal(s->state, BGP_ESTABLISHED);
	assert_int_equal(s->remote_as, 64520);
	assert_true(s->since_s == 2 * 86400 + 16 * 3600 + 8 * 60 + 50);
	assert_int_equal(s->prefixes, 36);
	assert_int_equal(session(o, "default", "10.0.0.21", BGP_IPV4)->prefixes, 0);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 64520);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.0.0.13");
	obs_free(o);

	/* Rows as objects, and VRFs without any family. */
	o = decode_file(&leaf, "bgp", NXOS "json/show_bgp_all_summary_vrf_all.json");
	assert_int_equal(o->bgp.n, 14);
	s = session(o, "NON_PROD", "10.1.1.163", BGP_IPV4);
	assert_int_equal(s->prefixes, 441);
	assert_true(s->since_s == (11 * 7 + 3) * 86400.0);
	assert_int_equal(s->remote_as, 64862);
	s = session(o, "default", "10.1.1.135", BGP_EVPN);
	assert_int_equal(s->prefixes, 7237);
	assert_true(s->since_s == 19 * 7 * 86400.0);
	obs_free(o);

	o = decode_printed("bgp", NXOS "text/show_bgp_vrf_all_all_summary.txt", nxos_bgp_of);
	assert_int_equal(o->bgp.n, 5);
	s = session(o, "VRF1", "10.16.2.10", BGP_IPV4);
	assert_int_equal(s->state, BGP_IDLE);
	assert_true(s->prefixes == UINT64_MAX);
	s = session(o, "default", "2001:db8:8191:506d:5::5", BGP_IPV4);
	assert_int_equal(s->state, BGP_ADMIN_DOWN);
	assert_int_equal(s->remote_as, 200);
	assert_true(s->since_s == (5 * 7 + 5) * 86400.0);
	assert_int_equal(session(o, "default", "10.16.2.2", BGP_OTHER)->prefixes, 1);
	obs_free(o);
	by("BGP sessions", REAL);
}

/* ---- the log: lines of an access list are nobody's business at night ---- */

CASE(a_log)
{
	struct obs *o = decode_file(&leaf, "log", NXOS "text/show_logging_logfile.txt");
	const char *cure;

	assert_int_equal(capability_of(o, "event log", &cure), VALID_OK);
	for (size_t i = 0; i < o->items.n; i++)
		assert_int_not_equal(o->items.at[i].kind, OBS_EVENT);
	obs_free(o);
	by("event log", REAL);
}

CASE(evidence_is_printed)
{
	covered_print("nxos", needs, switch_needs);
}

CASES_MAIN(NULL, NULL)
