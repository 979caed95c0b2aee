/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/secret.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/backends/dialects/nxos_bed.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"

/* Managed objects. */

static struct nxos_bed bed;

static int open_bed(void **state)
{
	(void)state;
	nxos_bed_open(&bed, TRANSPORT_HTTPS);
	return 0;
}

static int close_bed(void **state)
{
	(void)state;
	nxos_bed_close(&bed);
	return 0;
}

CASE_WITH(octets_and_the_time_of_their_refresh, open_bed, close_bed)
{
	struct obs *o = nxos_bed_class(&bed, "in");
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_MAX);
	assert_int_equal(cell_count(p, "rx_packets", 0), 16);
	assert_true(o->ports.at[p.port].sample_us == INT64_C(1764000000250000));
	assert_int_equal(nxos_need(o, "port counters"), VALID_OK);
	obs_free(o);

	o = nxos_bed_class(&bed, "out");
	p = at_port(o, "Ethernet1/1");
	assert_int_equal(cell_count(p, "tx_bytes", 0), 4000);
	assert_int_equal(cell_count(p, "tx_packets", 0), 40);
	/* The same moment in another zone. */
	assert_true(o->ports.at[p.port].sample_us == INT64_C(1764000000250000));
	obs_free(o);
}

CASE_WITH(times_in_every_form, open_bed, close_bed)
{
	static const struct {
		const char *text;
		int64_t us;
	} cases[] = {
		{"2025-11-24T16:00:00.250+00:00", INT64_C(1764000000250000)},
		{"2025-11-24T16:00:00.250", INT64_C(1764000000250000)},
		{"2025-11-24T16:00:00Z", INT64_C(1764000000000000)},
		{"2025-11-24T16:00:00-05:30", INT64_C(1764019800000000)},
		{"2025-11-24T16:00:00+1:00", INT64_C(1763996400000000)},
		{"2025-1-2T3:4:5", INT64_C(1735787045000000)},
		{"2025-11-24T16:00:00 UTC", 0},
		{"2025-11-24T16:00", 0},
		{"1970-01-01T00:00:00.000+00:00", 0},
		{"2025-13-24T16:00:00", 0},
		{"never", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];
		struct obs *o;

		str_printf(text, sizeof(text),
			"{\"imdata\":[{\"rmonIfHCIn\":{\"attributes\":{\"dn\":\"phys-[eth1/1]\","
			"\"modTs\":\"%s\",\"octets\":\"1\"}}}]}",
			cases[i].text);
		o = nxos_bed_parse(&bed, "in", text);
		assert_int_equal(o->ports.n, 1);
		if (o->ports.at[0].sample_us != cases[i].us)
			fail_msg("%s: %lld", cases[i].text, (long long)o->ports.at[0].sample_us);
		obs_free(o);
	}
}

/* The part before the break is not taken as half of a poll. */
CASE_WITH(objects_that_break_off_leave_nothing, open_bed, close_bed)
{
	static const char text[] = "{\"imdata\":[{\"rmonIfHCIn\":{\"attributes\":{\"dn\":"
				   "\"phys-[eth1/1]\",\"octets\":\"1\"}}},{\"rmonIfHCIn\":{\"attr";
	struct obs *o = obs_new(bed.target.device, "in");
	struct err err = {0};

	assert_false(
		backend_by_name("nxos")->parse(&bed.target, "in", text, strlen(text), o, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_int_equal(o->ports.n, 0);
	assert_int_equal(o->items.n, 0);
	obs_free(o);
}

CASE_WITH(errors_by_class, open_bed, close_bed)
{
	static const struct {
		const char *class, *counter;
		uint64_t value;
	} cases[] = {
		{"errors-in", "rx_errors", 3},
		{"errors-in", "rx_discards", 4},
		{"errors-out", "tx_errors", 5},
		{"errors-out", "tx_discards", 6},
		{"ether", "rx_fcs_errors", 7},
		{"ether", "rx_stomped_crc", 8},
		{"dot3", "rx_symbol_errors", 9},
		{"dot3", "rx_pause_frames", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = nxos_bed_class(&bed, cases[i].class);
		struct obs_port_ref p = at_port(o, "Ethernet1/1");

		assert_true(cell_count(p, cases[i].counter, 0) == cases[i].value);
		assert_true(o->ports.at[p.port].sample_us == 0);
		obs_free(o);
	}
}

CASE_WITH(an_attribute_that_is_missing_is_unsupported, open_bed, close_bed)
{
	struct obs *o = nxos_bed_class(&bed, "dot3");

	assert_int_equal(
		cell_validity(at_port(o, "Ethernet1/1"), "tx_pause_frames", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE_WITH(states_of_interfaces, open_bed, close_bed)
{
	struct obs *o = nxos_bed_class(&bed, "oper");
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "up");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
	assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
	assert_true(fabs(attr_number(p, ATTR_LAST_CHANGE, 0) - 1763600523.5) < 1e-3);
	assert_int_equal(cell_count(p, "link_down_events", 0), 6);

	p = at_port(o, "Ethernet1/2/1");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), "link failure");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "(none)");
	assert_true(isnan(attr_number(p, ATTR_SPEED_MBPS, 0)));
	/* 1970: it never changed. */
	assert_true(isnan(attr_number(p, ATTR_LAST_CHANGE, 0)));

	p = at_port(o, "Ethernet1/3");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "down");
	assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), "");
	assert_int_equal(nxos_need(o, "port state"), VALID_OK);
	obs_free(o);

	o = nxos_bed_class(&bed, "admin");
	p = at_port(o, "Ethernet1/1");
	assert_string_equal(attr_word(p, ATTR_DESCRIPTION, 0), "to node000");
	assert_int_equal(cell_validity(p, "pre_fec_ber", 0), VALID_UNSUPPORTED);
	assert_int_equal(nxos_need(o, "headroom watermarks"), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE_WITH(queues, open_bed, close_bed)
{
	struct obs *o = nxos_bed_class(&bed, "queues");
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 100);
	assert_int_equal(cell_count(p, "queue_tx_packets", 0), 9);
	assert_int_equal(cell_count(p, "queue_drops", 3), 2); /* not those of arrival */
	assert_int_equal(cell_count(p, "wred_drops", 3), 1);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 30);
	assert_true(cell_value(p, "queue_depth_bytes", 3) == 832);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 4294967000);
	assert_true(o->narrow[CTR_PFC_RX_FRAMES]);
	assert_int_equal(nxos_need(o, "PFC frames per priority"), VALID_OK);
	obs_free(o);

	/* A queue of another number than its priority. */
	facts_set(&bed.facts, "nxos.cos", "---5----");
	o = nxos_bed_class(&bed, "queues");
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1"), "pfc_tx_frames", 5), 12);
	obs_free(o);
}

/* The time between two refreshes is learnt; a poll that missed one does not make it longer. */
CASE_WITH(the_period_of_the_queues, open_bed, close_bed)
{
	static const struct {
		const char *time;
		uint32_t ms;
	} polls[] = {{"16:00:00.000", 0}, {"16:00:00.000", 0}, {"16:00:10.000", 10000},
		{"16:00:15.000", 5000}, {"16:00:25.000", 5000}, {"16:00:05.000", 5000}};

	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]); i++) {
		char text[512];
		struct obs *o;

		str_printf(text, sizeof(text),
			"{\"imdata\":[{\"ipqosQueuingStats\":{\"attributes\":{\"dn\":\"sys/policy/"
			"out/"
			"intf-[eth1/1]/x\",\"cmapName\":\"c-out-q3\",\"txPackets\":\"1\",\"modTs\":"
			"\"2025-11-24T%s+00:00\"}}}]}",
			polls[i].time);
		o = nxos_bed_parse(&bed, "queues", text);
		assert_int_equal(o->refresh_ms[GROUP_QUEUE], polls[i].ms);
		obs_free(o);
	}
}

static bool lldp_has(const struct obs *o, const char *port, const char *device, const char *peer)
{
	bool has = false;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		has |= it->kind == OBS_LLDP && it->port == at_port(o, port).port &&
		       str_eq(obs_text(o, it->text), device) &&
		       str_eq(obs_text(o, it->text2), peer);
	}
	return has;
}

/* "lldpIf" rows with their neighbours as children. */
CASE_WITH(neighbours, open_bed, close_bed)
{
	static const char text[] =
		"{\"imdata\":[{\"lldpIf\":{\"attributes\":{\"dn\":\"sys/lldp/inst/if-[eth1/1]\"},"
		"\"children\":[{\"lldpAdjEp\":{\"attributes\":{\"sysName\":\"node000\",\"portIdT\":"
		"\"mac\",\"portIdV\":\"00aa.bb00.0001\",\"portDesc\":\"eth0\",\"mgmtIp\":"
		"\"10.0.0.7\"}}},{\"lldpAdjEp\":{\"attributes\":{\"sysName\":\"oob\",\"portIdV\":"
		"\"7\",\"mgmtIp\":\"10.0.0.8\"}}}]}},"
		"{\"lldpIf\":{\"attributes\":{\"dn\":\"sys/lldp/inst/if-[eth1/2]\"}}},"
		"{\"lldpIf\":{\"attributes\":{\"dn\":\"sys/lldp/inst/if-[mgmt0]\"}}}]}";
	struct obs *o = nxos_bed_parse(&bed, "lldp", text);
	const char *cure;
	char peer[128];

	/* Both that it hears, each with its own address behind it: here the last one's. */
	assert_true(lldp_has(o, "Ethernet1/1", "node000", "eth0"));
	assert_true(lldp_has(o, "Ethernet1/1", "oob", "7"));
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_LLDP_MGMT, 0), "10.0.0.8");
	assert_string_equal(lldp_of(at_port(o, "Ethernet1/2"), peer, sizeof(peer)), ":");
	assert_int_equal(o->ports.n, 2);
	assert_int_equal(nxos_need(o, "LLDP neighbours"), VALID_OK);
	obs_free(o);

	o = nxos_bed_parse(&bed, "lldp", "{\"totalCount\":\"0\",\"imdata\":[]}");
	assert_int_equal(capability_of(o, "LLDP neighbours", &cure), VALID_DISABLED);
	assert_string_equal(cure, "feature lldp");
	obs_free(o);
}

static bool planned(enum poll_tier tier, const char *name)
{
	struct request_list l = {0};
	struct err err = {0};
	bool found = false;

	assert_true(backend_by_name("nxos")->plan(&bed.target, tier, &l, &err));
	for (size_t i = 0; i < l.at.n; i++)
		found |= str_eq(l.at.at[i].name, name);
	requests_free(&l);
	return found;
}

CASE_WITH(the_cli_has_the_queues_where_objects_have_not, open_bed, close_bed)
{
	static const char none[] = "{\"imdata\":[{\"error\":{\"attributes\":{\"code\":\"400\","
				   "\"text\":\"Request invalid: unknown class\"}}}]}";

	assert_true(planned(POLL_DETECT, "queues"));
	obs_free(nxos_bed_class(&bed, "queues"));
	assert_false(planned(POLL_MEDIUM, "queuing"));
	obs_free(nxos_bed_parse(&bed, "queues", none));
	assert_true(planned(POLL_MEDIUM, "queuing"));
	/* The fast tier never asks the CLI: each request is a line in the switch's log. */
	assert_false(planned(POLL_FAST, "queuing") || planned(POLL_FAST, "fast"));
}

CASE_WITH(a_class_that_is_missing_costs_its_need_only, open_bed, close_bed)
{
	struct obs *o = nxos_bed_parse(&bed, "in",
		"{\"totalCount\":\"1\",\"imdata\":[{\"error\":{\"attributes\":{\"code\":\"400\","
		"\"text\":\"Request invalid: unknown managed object class\"}}}]}");

	assert_int_equal(nxos_need(o, "port counters"), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE_WITH(refusals_get_a_cure, open_bed, close_bed)
{
	static const struct {
		const char *answer;
		enum err_code code;
		const char *cure;
	} cases[] = {
		{"{\"imdata\":[{\"error\":{\"attributes\":{\"code\":\"403\",\"text\":\"Token was "
		 "invalid\"}}}]}",
			ERR_UNAUTHORISED, "role"},
		{"{\"imdata\":[{\"error\":{\"attributes\":{\"code\":\"500\",\"text\":\"down\"}}}]}",
			ERR_PROTOCOL, "show"},
		{"<html>404 Not Found</html>", ERR_PROTOCOL, "feature nxapi"},
		{"{}", ERR_PROTOCOL, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = obs_new("leaf-r0-00", "in");
		struct err err = {0};

		assert_false(backend_by_name("nxos")->parse(
			&bed.target, "in", cases[i].answer, strlen(cases[i].answer), o, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.cure, cases[i].cure));
		obs_free(o);
	}
}

CASE_WITH(a_login_that_lasts_less_than_its_cookie, open_bed, close_bed)
{
	const struct login *l = backend_by_name("nxos")->login;
	char *body = l->body("noc", "a\"b");
	json_t *o = json_loads(body, 0, NULL);
	const json_t *a = json_object_get(json_object_get(o, "aaaUser"), "attributes");

	assert_string_equal(l->path, "/api/aaaLogin.json");
	assert_in_range(l->refresh_us, INT64_C(60000000), INT64_C(599000000));
	assert_string_equal(json_string_value(json_object_get(a, "name")), "noc");
	assert_string_equal(json_string_value(json_object_get(a, "pwd")), "a\"b");
	json_decref(o);
	secret_free(body);
}

CASE_WITH(hostile_answers_of_dme, open_bed, close_bed)
{
	static const char *const classes[] = {"in", "oper", "queues", "admin"};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		char *good = nxos_bed_objects(classes[i]);

		hostile_answers(
			backend_by_name("nxos"), &bed.target, classes[i], good, strlen(good));
		free(good);
	}
}

CASES_MAIN(NULL, NULL)
