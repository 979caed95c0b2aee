/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/backends/dialects/eos_bed.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"

/* Questions without a model: text, and the facts learnt from it. */

static const enum transport_kind both[] = {TRANSPORT_HTTPS, TRANSPORT_SSH};

CASE(pfc_and_watchdog_settings)
{
	for (size_t i = 0; i < 2; i++) {
		struct eos_bed b;
		struct obs *o;
		struct obs_port_ref p;

		eos_bed_open(&b, both[i], "");
		o = eos_bed_file(&b, "pfc_status", "eos_pfc_status.txt");
		p = at_port(o, "Ethernet1/1");
		assert_int_equal((int)attr_number(p, ATTR_PFC_ENABLED, 0), 1 << 3 | 1 << 4);
		assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 200);
		assert_true(attr_number(p, ATTR_PFCWD_RESTORE_MS, 4) == 400);
		assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "drop");
		assert_true(isnan(attr_number(p, ATTR_PFCWD_DETECT_MS, 5)));
		/* Its own action and time. */
		p = at_port(o, "Ethernet2/1");
		assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 500);
		assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 4), "errdisable");
		/* Then it has a recovery time of its own as well, which is not told. */
		assert_true(isnan(attr_number(p, ATTR_PFCWD_RESTORE_MS, 3)));
		p = at_port(o, "Ethernet3/1");
		assert_int_equal((int)attr_number(p, ATTR_PFC_ENABLED, 0), 1 << 3 | 1 << 4);
		assert_true(isnan(attr_number(p, ATTR_PFCWD_DETECT_MS, 3)));
		assert_true(attr_number(at_port(o, "Ethernet4/1"), ATTR_PFC_ENABLED, 0) == 0);
		assert_false(has_port(o, "Management1"));
		assert_true(attr_number(at_port(o, NULL), ATTR_PFCWD_POLL_MS, 0) == 100);
		assert_int_equal(capability_of(o, "PFC settings", NULL), VALID_OK);
		assert_int_equal(capability_of(o, "PFC watchdog settings", NULL), VALID_OK);
		obs_free(o);
		eos_bed_close(&b);
	}
}

/* The same words as on other systems, whichever the switch uses. */
CASE(watchdog_actions_have_common_words)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	o = eos_bed_text(&b, "pfc_status",
		"The PFC watchdog timeout is 0.20 second(s)\nThe PFC watchdog action is no-drop\n"
		"Port Status Priorities Action Timeout Note\nEt1/1 E A W 3 - -\n"
		"Et2/1 E A W 3 notify-only 0.2\n");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_PFCWD_ACTION, 3), "forward");
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_PFCWD_ACTION, 3), "alert");
	obs_free(o);
	eos_bed_close(&b);
}

CASE(the_older_table_of_pfc)
{
	struct eos_bed b;
	struct obs *o;
	const char *cure;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	o = eos_bed_text(&b, "pfc_status",
		"Port       Enabled  Priorities  Active  Note\n"
		"---------  -------  ----------  ------  -------------\n"
		"Ethernet1  Yes      3           Yes     DCBX disabled\n"
		"Ethernet2  No                   No      DCBX disabled\n");
	assert_true(attr_number(at_port(o, "Ethernet1"), ATTR_PFC_ENABLED, 0) == 8);
	assert_true(attr_number(at_port(o, "Ethernet2"), ATTR_PFC_ENABLED, 0) == 0);
	assert_int_equal(capability_of(o, "PFC watchdog settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "pause watchdog"));
	obs_free(o);
	o = eos_bed_text(&b, "pfc_status", "Port Status Priorities\nEt1 D - -\n");
	assert_int_equal(capability_of(o, "PFC settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "priority-flow-control on"));
	obs_free(o);
	eos_bed_close(&b);
}

/* A queue is listed from its first storm on: silence is 0 only where the watchdog looks. */
CASE(silence_of_the_watchdog)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	o = eos_bed_body(&b, "watchdog", "{\"interfaces\":{}}");
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
	obs_free(eos_bed_body(&b, "ports",
		"{\"interfaceStatuses\":{\"Ethernet1/1\":{},\"Ethernet2/1\":{},\"Ethernet3/1\":{},"
		"\"Management1\":{}}}"));
	obs_free(eos_bed_file(&b, "pfc_status", "eos_pfc_status.txt"));
	o = eos_bed_body(&b, "watchdog",
		"{\"interfaces\":{\"Ethernet2/1\":{\"txQueues\":{\"4\":{\"stuckCount\":2,"
		"\"recoveryCount\":1}}}}}");
	p = at_port(o, "Ethernet1/1");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 0);
	assert_int_equal(cell_count(p, "pfcwd_storm_restored", 4), 0);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "operational");
	assert_int_equal(cell_validity(p, "pfcwd_storm_detected", 5), VALID_UNKNOWN);
	p = at_port(o, "Ethernet2/1");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 0);
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 4), 2);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 4), "stormed");
	p = at_port(o, "Ethernet3/1");
	assert_int_equal(cell_validity(p, "pfcwd_storm_detected", 3), VALID_DISABLED);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "off");
	assert_int_equal(capability_of(o, "PFC watchdog", NULL), VALID_OK);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(a_switch_without_watchdog)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_SSH, "ports.0=1/1");
	obs_free(eos_bed_text(&b, "pfc_status", "Et1/1 E A - 3\n"));
	o = eos_bed_body(&b, "watchdog", "{\"interfaces\":{}}");
	assert_int_equal(capability_of(o, "PFC watchdog", NULL), VALID_DISABLED);
	assert_int_equal(cell_validity(at_port(o, "Ethernet1/1"), "pfcwd_storm_detected", 3),
		VALID_DISABLED);
	obs_free(o);
	eos_bed_close(&b);
}

/* 300 ports do not fit in one fact, and neither do 200 exceptions. */
CASE(many_ports)
{
	char *list = malloc(64 * 1024), *text = malloc(64 * 1024);
	size_t at = 0, used = 0;
	struct eos_bed b;
	struct obs *o;

	at += (size_t)snprintf(list, 64, "{\"interfaceStatuses\":{\"Ethernet1/1/1\":{}");
	for (unsigned i = 2; i <= 300; i++)
		at += (size_t)snprintf(list + at, 64, ",\"Ethernet%u/1/1\":{}", i);
	snprintf(list + at, 64, "}}");
	for (unsigned i = 1; i <= 300; i++)
		used += (size_t)snprintf(
			text + used, 64, "Et%u/1/1 E A %c 3\n", i, i % 3 ? 'W' : '-');
	eos_bed_open(&b, TRANSPORT_SSH, "");
	obs_free(eos_bed_body(&b, "ports", list));
	o = eos_bed_text(&b, "pfc_status", text);
	assert_int_equal(o->ports.n, 300);
	obs_free(o);
	o = eos_bed_body(&b, "watchdog", "{\"interfaces\":{}}");
	/* Which of them are watched is not known any more: nothing is said. */
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
	obs_free(eos_bed_text(&b, "pfc_status", strstr(text, "Et300/1/1")));
	o = eos_bed_body(&b, "watchdog", "{\"interfaces\":{}}");
	assert_int_equal(o->ports.n, 300);
	obs_free(o);
	/* Fewer ports after a module was pulled. */
	obs_free(eos_bed_body(&b, "ports", "{\"interfaceStatuses\":{\"Ethernet7/1/1\":{}}}"));
	o = eos_bed_body(&b, "watchdog", "{\"interfaces\":{}}");
	assert_int_equal(o->ports.n, 1);
	obs_free(o);
	eos_bed_close(&b);
	free(list);
	free(text);
}

CASE(ecn_thresholds)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	o = eos_bed_file(&b, "ecn_config", "eos_ecn_config.txt");
	p = at_port(o, "Ethernet1/1");
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 150e3);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 900e3);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 20);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 4) == 2e6);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == (1 << 3 | 1 << 4));
	/* Cells of unknown size: it marks, nobody knows from where. */
	p = at_port(o, "Ethernet2/1");
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 1 << 3);
	assert_true(isnan(attr_number(p, ATTR_ECN_MIN_BYTES, 3)));
	assert_true(attr_number(at_port(o, "Ethernet3/1"), ATTR_ECN_ENABLED, 0) == 0);
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_OK);
	obs_free(o);

	o = eos_bed_text(&b, "ecn_config",
		"Ethernet1:\nTx-Queue  Threshold  ECN Min     ECN Max\n"
		"          Unit       Threshold   Threshold\n--------  ---------\n"
		"3         kbytes     256         512\n");
	p = at_port(o, "Ethernet1");
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 256e3);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 512e3);
	assert_true(isnan(attr_number(p, ATTR_ECN_PROBABILITY, 3)));
	obs_free(o);
	eos_bed_close(&b);
}

CASE(ecn_that_is_off_and_ecn_that_is_not_understood)
{
	struct eos_bed b;
	struct obs *o;
	const char *cure;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	o = eos_bed_text(&b, "ecn_config", "Ethernet1:\n  Tx Queue  Minimum\n\nEthernet2:\n");
	assert_int_equal(capability_of(o, "ECN settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "random-detect ecn"));
	assert_true(attr_number(at_port(o, "Ethernet2"), ATTR_ECN_ENABLED, 0) == 0);
	obs_free(o);
	o = eos_bed_text(&b, "ecn_config", "Ethernet1:\n  queue three: 256 to 512\n");
	assert_true(o->again);
	assert_int_equal(o->items.n, 1); /* the fact to ask for the configuration */
	obs_free(o);
	eos_bed_close(&b);
}

CASE(ecn_out_of_the_configuration)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;
	char line[512];

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	obs_free(eos_bed_text(&b, "ecn_config", "Ethernet1:\n  queue three: 256 to 512\n"));
	eos_bed_command(&b, POLL_SLOW, "ecn_config", line, sizeof(line));
	assert_non_null(strstr(line, "[{\"cmd\":\"enable\"},{\"cmd\":\"show running-config"));
	eos_bed_close(&b);

	eos_bed_open(&b, TRANSPORT_SSH, "use.ecn_config=1");
	o = eos_bed_file(&b, "ecn_config", "eos_running.txt");
	p = at_port(o, "Ethernet1/1");
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == (1 << 3 | 1 << 4));
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 256e3);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 512e3);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 100);
	assert_true(isnan(attr_number(p, ATTR_ECN_MIN_BYTES, 4))); /* in segments */
	/* Its own queue goes before the profile's. */
	p = at_port(o, "Ethernet2/1");
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 1e6);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == (1 << 3 | 1 << 4));
	assert_true(attr_number(at_port(o, "Ethernet3/1"), ATTR_ECN_ENABLED, 0) == 0);
	assert_false(has_port(o, "Management1"));
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_OK);
	obs_free(o);
	o = eos_bed_text(&b, "ecn_config", "");
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_DISABLED);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(maps_are_every_ports)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;

	eos_bed_open(&b, TRANSPORT_HTTPS, "ports.0=1/1 2/1");
	o = eos_bed_file(&b, "maps", "eos_maps.txt");
	for (int i = 0; i < 2; i++) {
		p = at_port(o, i ? "Ethernet2/1" : "Ethernet1/1");
		assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0),
			"1111111100000000222222223333333344444444555555556666666677777777");
		assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "10234567");
		assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "(none)");
	}
	assert_int_equal(capability_of(o, "DSCP and queue maps", NULL), VALID_OK);
	obs_free(o);
	/* A table that lost rows says nothing of the others. */
	o = eos_bed_text(&b, "maps",
		"   Dscp-tc map:\n      0 :     1  1\n   Tc - tx-queue map:\n"
		"     tc:        0 1 2 3 4 5 6 7\n     tx-queue:  1 0 2 3 4 5 6 7\n");
	p = at_port(o, "Ethernet1/1");
	assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0), "(none)");
	assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "10234567");
	obs_free(o);
	eos_bed_close(&b);
}

CASE(cluster_load_balancing)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	o = eos_bed_text(&b, "balancing",
		"load-balance cluster\n   forwarding type bridged encapsulation vxlan ipv4\n"
		"   flow source learning\n!\nip hardware fib load-balance distribution dynamic\n");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_BALANCING, 0), "cluster dlb");
	obs_free(o);
	o = eos_bed_text(&b, "balancing", "ip load-sharing trident fields ipv6 next-header\n");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_BALANCING, 0), "(none)");
	obs_free(o);
	eos_bed_close(&b);
}

CASE(trust_and_hash)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref dev;
	const char *cure;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	o = eos_bed_text(&b, "trust",
		"Port               Trust Mode\n           Operational  Configured\n"
		"-------------------------\nEthernet1/1  DSCP  DEFAULT\nEthernet2/1  COS  COS\n"
		"Ethernet3/1  UNTRUSTED  UNTRUSTED\nEthernet4/1  WHATEVER  X\n");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_TRUST, 0), "dscp");
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_TRUST, 0), "pcp");
	assert_string_equal(attr_word(at_port(o, "Ethernet3/1"), ATTR_TRUST, 0), "port");
	assert_false(has_port(o, "Ethernet4/1"));
	obs_free(o);

	o = eos_bed_text(&b, "hash",
		"L3 hashing fields: ingress interface, source and destination address, protocol, "
		"source and destination port\nHash polynomial: 3\nHash seed: 17\n"
		"Source MAC address hashing for non-IP packets is ON\n"
		"Destination IP address hashing for IP packets is OFF\n");
	dev = at_port(o, NULL);
	assert_string_equal(
		attr_word(dev, ATTR_ECMP_HASH, 0), "in-port src-ip dst-ip protocol l4-src l4-dst");
	assert_string_equal(attr_word(dev, ATTR_LAG_HASH, 0), "src-mac");
	assert_string_equal(attr_word(dev, ATTR_HASH_ALGORITHM, 0), "polynomial 3 seed 17");
	obs_free(o);
	o = eos_bed_text(&b, "hash", "Profile x is unlike any other\n");
	assert_true(o->again);
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_UNKNOWN);
	obs_free(o);
	o = eos_bed_text(&b, "hash", "Profile x is unlike any other\n");
	assert_int_equal(capability_of(o, "hash settings", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "does not know"));
	obs_free(o);
	eos_bed_close(&b);
}

static const struct obs_item *first_event(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT)
			return &o->items.at[i];
	return NULL;
}

CASE(the_log_in_its_own_zone)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	o = eos_bed_body(&b, "clock",
		"{\"utcTime\":1764000000.2,\"timezone\":\"X\",\"localTime\":{\"year\":2025,"
		"\"month\":"
		"11,\"dayOfMonth\":24,\"hour\":21,\"min\":30,\"sec\":0}}");
	assert_string_equal(facts_get(&b.facts, "zone"), "+0530");
	obs_free(o);
	facts_set(&b.facts, "zone", "-0015");
	o = eos_bed_file(&b, "log", "eos_log.txt");
	assert_non_null(first_event(o));
	/* 15:50:11 a quarter of an hour west is 16:05:11 UTC. */
	assert_true(first_event(o)->time_us == INT64_C(1764000311000000));
	assert_string_equal(o->ports.at[first_event(o)->port].name, "Ethernet1/1");
	assert_int_equal(capability_of(o, "event log", NULL), VALID_OK);
	obs_free(o);
	/* A quiet quarter of an hour. */
	o = eos_bed_text(&b, "log", "");
	assert_int_equal(capability_of(o, "event log", NULL), VALID_OK);
	obs_free(o);
	o = eos_bed_text(&b, "log", "Syslog logging: disabled\n");
	assert_int_equal(capability_of(o, "event log", NULL), VALID_DISABLED);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(queues_as_text)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;

	eos_bed_open(&b, TRANSPORT_SSH, "use.queues=2");
	o = eos_bed_text(&b, "queues",
		"Port   TxQ   Counter/pkts  Counter/bytes  Drop/pkts  Drop/bytes\n"
		"------ ----- ------------- -------------- ---------- ----------\n"
		"Et1/1  UC3   100           9000           4          300\n"
		"Et1/1  MC3   1             90             2          100\n"
		"Et1/1  UC0   7             70             0          0\n"
		"Et2/1  UC3   5             50             -          -\n"
		"Et3/1  UC3   5             50             1          1\n");
	p = at_port(o, "Ethernet1/1");
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 101);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 3), 9090);
	assert_int_equal(cell_count(p, "queue_drops", 3), 6);
	assert_int_equal(cell_count(p, "queue_drops", 0), 0);
	assert_false(has_port(o, "Ethernet2/1"));
	assert_int_equal(cell_count(at_port(o, "Ethernet3/1"), "queue_drops", 3), 1);
	assert_int_equal(capability_of(o, "queue counters", NULL), VALID_OK);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(hostile_text)
{
	static const struct {
		const char *request, *file;
	} all[] = {{"pfc_status", "eos_pfc_status.txt"}, {"ecn_config", "eos_ecn_config.txt"},
		{"maps", "eos_maps.txt"}, {"log", "eos_log.txt"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char path[128], *text, *bytes;
		struct eos_bed b;

		str_printf(path, sizeof(path), FIXTURES "%s", all[i].file);
		text = read_file(path, NULL);
		assert_non_null(text);
		bytes = eos_wrap(TRANSPORT_HTTPS, NULL, text);
		eos_bed_open(&b, TRANSPORT_HTTPS, "ports.0=1/1 2/1");
		hostile_answers(
			backend_by_name("eos"), &b.target, all[i].request, bytes, strlen(bytes));
		eos_bed_close(&b);
		free(bytes);
		free(text);
	}
}

CASES_MAIN(NULL, NULL)
