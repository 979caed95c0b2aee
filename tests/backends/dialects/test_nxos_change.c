/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/backends/dialects/change_bed.h"
#include "tests/support/cases.h"

#define PORT "Ethernet1/7"

#define PORT_ROW                                                                                   \
	"{\"TABLE_interface\":{\"ROW_interface\":[{\"interface\":\"" PORT                          \
	"\",\"state\":\"up\",\"admin_state\":\"up\",\"eth_beacon\":\"off\"}]}}"
#define WD_ROW(status, state)                                                                      \
	"{\"TABLE_module\":{\"ROW_module\":{\"glb-wd-status\":\"Enabled\",\"glb-wd-timer\":"       \
	"\"100\",\"TABLE_queuing_interface\":{\"ROW_queuing_interface\":{\"if_name_str\":\"" PORT  \
	" Interface PFC watchdog\",\"wd-status\":\"" status                                        \
	"\",\"disable-action\":\"No\",\"intf-multi\":\"0\",\"TABLE_qosgrp_stats\":{"               \
	"\"ROW_qosgrp_stats\":{\"eq-qosgrp\":\"5\",\"eq-qosgrp-state\":\"" state                   \
	"\",\"pfc-configured\":\"YES\",\"pfc-cos\":\"3\",\"TABLE_qosgrp_stats_entry\":{"           \
	"\"ROW_qosgrp_stats_entry\":[{\"q-shutdown\":\"4\"},{\"q-restored\":\"3\"}]}}}}}}}}"
#define PFC_ROW                                                                                    \
	"{\"TABLE_pfc_interface\":{\"ROW_pfc_interface\":{\"if_name_str\":\"" PORT                 \
	"\",\"admin\":\"On\",\"oper\":\"On\",\"vl-bmap\":\"(8)\"}}}"
#define QUEUING_ROW                                                                                \
	"{\"TABLE_module\":{\"ROW_module\":{\"TABLE_queuing_interface\":{"                         \
	"\"ROW_queuing_interface\":{\"dir\":\"Ingress\",\"if_name_str\":\"" PORT                   \
	"\",\"TABLE_pfc_stats\":{\"ROW_pfc_stats\":{\"cos\":\"3\",\"rx-pause-count\":\"812\","     \
	"\"tx-pause-count\":\"0\"}}}}}}}"
#define RUNNING                                                                                    \
	"\n!Command: show running-config interface " PORT "\n\nversion 10.4(3)\n\ninterface " PORT \
	"\n  no switchport\n  ip address 10.64.3.0/31\n  no shutdown\n"
#define BGP                                                                                        \
	"\nrouter bgp 65100\n  router-id 10.0.0.9\n  template peer SPINE\n    remote-as 65001\n"   \
	"  neighbor 10.64.3.1\n    inherit peer SPINE\n    address-family ipv4 unicast\n"          \
	"  neighbor 10.64.3.3\n    remote-as 65002\n    shutdown\n  vrf RED\n"                     \
	"    neighbor 10.64.3.1\n      shutdown\n"
#define SUMMARY                                                                                    \
	"\nBGP summary information for VRF default, address family IPv4 Unicast\n"                 \
	"BGP router identifier 10.0.0.9, local AS number 65100\n\nNeighbor V AS ...\n"             \
	"10.64.3.1       4 65001 12 12 42 0 0 1d02h 544\n"                                         \
	"10.64.3.3       4 65002 0 0 0 0 0 never Shut (Admin)\n"

/* ---- beds ---- */

static void open_ready(struct change_bed *b, enum transport_kind transport)
{
	change_bed_open(b, "nxos", transport);
	facts_set(&b->facts, "nxos.cos", "-----3--");
	facts_set(&b->facts, "nxos.wd.stop", "2");
	facts_set(&b->facts, "nxos.wd.back", "4");
	b->now.admin = b->now.oper = OPER_UP;
	b->now.wd = 1;
	b->now.pfc = 1 << 3;
	b->now.wd_set = (struct wd_setting){.action = "drop", .detect_ms = 200, .restore_ms = 400};
	b->now.bgp_asn = 65100;
	(void)str_copy(b->now.bgp_peer, sizeof(b->now.bgp_peer), "10.64.3.1");
}

/* ---- words ---- */

CASE(test_words_over_ssh)
{
	static const struct {
		enum verb verb;
		const char *want;
	} simple[] = {
		{VERB_PORT_DOWN, "configure terminal ; interface " PORT " ; shutdown"},
		{VERB_PORT_UP, "configure terminal ; interface " PORT " ; no shutdown"},
		{VERB_LOCATE_ON, "configure terminal ; interface " PORT " ; beacon"},
		{VERB_LOCATE_OFF, "configure terminal ; interface " PORT " ; no beacon"},
		{VERB_WD_RECOVER, "priority-flow-control recover interface " PORT},
	};
	struct order queue = change_order(VERB_WD_RECOVER, PORT), site = queue;
	struct change_bed b;

	open_ready(&b, TRANSPORT_SSH);
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
		struct order o = change_order(simple[i].verb, PORT);

		change_says(&b, &o, simple[i].want);
	}
	queue.priority = 3;
	change_says(&b, &queue, "priority-flow-control recover interface " PORT " qos-group 5");
	site.lines = "interface {port}\nclear queuing pfc-queue interface {port}\n";
	change_says(&b, &site,
		"configure terminal ; interface " PORT
		" ; clear queuing pfc-queue interface " PORT);
	change_bed_close(&b);
}

#define CONF(input)                                                                                \
	"{\"ins_api\":{\"version\":\"1.0\",\"type\":\"cli_conf\",\"chunk\":\"0\",\"sid\":\"1\","   \
	"\"input\":\"" input "\",\"output_format\":\"json\",\"rollback\":\"stop-on-error\"}}"

CASE(test_words_over_https)
{
	struct order down = change_order(VERB_PORT_DOWN, PORT);
	struct order recover = change_order(VERB_WD_RECOVER, PORT);
	struct order stop = change_order(VERB_WD_STOP, PORT);
	struct order start = change_start_order(PORT, "drop", 200, 400),
		     alert = change_start_order(PORT, "alert", 200, 400);
	struct order shut = change_bgp_order(VERB_BGP_DOWN, PORT),
		     open = change_bgp_order(VERB_BGP_UP, PORT);
	struct change_bed b;

	open_ready(&b, TRANSPORT_HTTPS);
	change_says(&b, &down, CONF("interface " PORT " ;shutdown"));
	change_says(&b, &recover, CONF("priority-flow-control recover interface " PORT));
	change_says(&b, &stop,
		CONF("interface " PORT " ;priority-flow-control watch-dog-interval off"));
	change_says(&b, &start,
		CONF("interface " PORT " ;priority-flow-control watch-dog-interval on"));
	change_says(&b, &alert,
		CONF("interface " PORT
		     " ;priority-flow-control watch-dog-interval on disable-action"));
	change_says(&b, &shut, CONF("router bgp 65100 ;neighbor 10.64.3.1 ;shutdown"));
	change_says(&b, &open, CONF("router bgp 65100 ;neighbor 10.64.3.1 ;no shutdown"));
	change_bed_close(&b);
}

/*
 * "shutdown" is also for all of BGP, "watch-dog-interval" for the whole switch: where nothing says
 * that the CLI stops at a line that fails, none of them is sent.
 */
CASE(test_no_word_that_could_be_for_more)
{
	struct order all[] = {change_order(VERB_WD_STOP, PORT),
		change_start_order(PORT, "drop", 200, 400), change_bgp_order(VERB_BGP_DOWN, PORT),
		change_bgp_order(VERB_BGP_UP, PORT)};
	struct order site = change_bgp_order(VERB_BGP_DOWN, PORT);
	struct change_bed b;

	open_ready(&b, TRANSPORT_SSH);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		change_refused(&b, &all[i], ERR_REFUSED, "more than this port");
	site.lines = "router bgp {asn}\nneighbor {peer}\nshutdown";
	change_says(
		&b, &site, "configure terminal ; router bgp 65100 ; neighbor 10.64.3.1 ; shutdown");
	change_bed_close(&b);
}

CASE(test_what_is_refused)
{
	struct order stop = change_order(VERB_WD_STOP, PORT), bad = stop, counters = stop,
		     site = stop, queue = stop, bgp = change_bgp_order(VERB_BGP_UP, PORT);
	struct order forward = change_start_order(PORT, "forward", 200, 400);
	struct order other = change_start_order(PORT, "drop", 300, 400),
		     start = change_start_order(PORT, "drop", 200, 400);
	struct change_bed b;

	(void)str_copy(bad.port, sizeof(bad.port), "Ethernet1/7 ; reload");
	counters.verb = VERB_COUNTERS_ON;
	(void)str_copy(counters.group, sizeof(counters.group), "ecn");
	queue.verb = VERB_WD_RECOVER;
	open_ready(&b, TRANSPORT_HTTPS);
	change_refused(&b, &bad, ERR_REFUSED, "not allowed in a command");
	change_refused(&b, &counters, ERR_UNSUPPORTED, "counters-on");
	change_refused(&b, &forward, ERR_REFUSED, "only counts them");
	change_refused(&b, &other, ERR_REFUSED, "one pair of watchdog times");
	site.lines = "interface {port} ; reload";
	change_refused(&b, &site, ERR_CONFIG, "character");
	/* Priority 4 is in no queue of its own. */
	queue.priority = 4;
	change_refused(&b, &queue, ERR_REFUSED, "qos-group");
	facts_set(&b.facts, "nxos.cos", "");
	queue.priority = 3;
	change_refused(&b, &queue, ERR_REFUSED, "qos-group");
	b.now.pfc = 0;
	change_refused(&b, &start, ERR_REFUSED, "PFC is off");
	b.now.pfc = -1;
	change_refused(&b, &start, ERR_REFUSED, "not reported");
	b.now.wd = 0;
	change_refused(&b, &queue, ERR_REFUSED, "no watchdog");
	b.now.wd = -1;
	change_refused(&b, &stop, ERR_REFUSED, "not reported");
	bgp.asn = 65101;
	change_refused(&b, &bgp, ERR_REFUSED, "AS number");
	(void)str_copy(bgp.peer, sizeof(bgp.peer), "10.64.3.3");
	change_refused(&b, &bgp, ERR_REFUSED, "no such BGP neighbour");
	b.now.oper = OPER_UNKNOWN;
	change_refused(&b, &stop, ERR_REFUSED, "does not report");
	change_bed_close(&b);
}

/* ---- the answers ---- */

#define INS(output)                                                                                \
	"{\"ins_api\":{\"type\":\"cli_conf\",\"version\":\"1.0\",\"sid\":\"eoc\",\"outputs\":{"    \
	"\"output\":" output "}}}"
#define OK "{\"code\":\"200\",\"msg\":\"Success\",\"body\":{}}"
#define NO(words)                                                                                  \
	"{\"code\":\"400\",\"msg\":\"Input CLI command error\",\"clierror\":\"" words "\"}"

CASE(test_taken_over_https)
{
	/* The first command that fails, and the answer of a switch that goes on after it. */
	static const char *const not [] = {"", "{", "null", "[]", INS("[]"), INS(OK),
		INS("[" OK "]"), INS("[" OK "," OK "," OK "]"),
		INS("[" NO("% Invalid command\\n") "]"),
		INS("[" NO("% Invalid command\\n") "," OK "]"),
		INS("[" OK "," NO("% Invalid command\\n") "]"), INS("[" OK ",null]"),
		INS("[" OK ",{\"code\":\"200\",\"body\":\"ERROR: no such thing\"}]"), INS("7"),
		"{\"ins_api\":{\"outputs\":{\"output\":[" OK "," OK, "<html>502</html>"};
	struct order down = change_order(VERB_PORT_DOWN, PORT);
	struct order recover = change_order(VERB_WD_RECOVER, PORT);
	struct change_bed b;

	open_ready(&b, TRANSPORT_HTTPS);
	assert_int_equal(change_taken(&b, &down, INS("[" OK "," OK "]"), 200), TAKEN_YES);
	assert_int_equal(change_taken(&b, &recover, INS(OK), 200), TAKEN_YES);
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		if (change_taken(&b, &down, not [i], 200) != TAKEN_NO)
			fail_msg("taken: %s", not [i]);
	assert_int_equal(change_taken(&b, &down, INS("[" OK "," OK "]"), 500), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, INS("[" OK "," OK "]"), -1), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, "<html>401</html>", 401), TAKEN_NO);
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	assert_int_equal(
		change_taken(&b, &down,
			INS("[" OK "," NO("% Permission denied for the role\\n") "]"), 200),
		TAKEN_NO);
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(b.err.text, "Permission denied for the role (to line 2 of 2)"));
	change_bed_close(&b);
}

CASE(test_taken_over_ssh)
{
	struct order down = change_order(VERB_PORT_DOWN, PORT);
	struct change_bed b;

	open_ready(&b, TRANSPORT_SSH);
	assert_int_equal(change_taken(&b, &down, "", 0), TAKEN_YES);
	assert_int_equal(
		change_taken(&b, &down,
			"Enter configuration commands, one per line. End with CNTL/Z.\n", 0),
		TAKEN_YES);
	assert_int_equal(
		change_taken(&b, &down, "          ^\n% Invalid command at '^' marker.\n", 0),
		TAKEN_NO);
	assert_non_null(strstr(b.err.text, "Invalid command at '^' marker."));
	assert_int_equal(
		change_taken(&b, &down, "% Permission denied for the role\n", 0), TAKEN_NO);
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	assert_int_equal(change_taken(&b, &down, "ERROR: Service not responding\n", 0), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, "", 16), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, "", -1), TAKEN_NO);
	change_bed_close(&b);
}

/* ---- the condition ---- */

CASE(test_look)
{
	struct order drain = change_order(VERB_PORT_DOWN, PORT), stop = drain;
	struct change_bed b;
	char *text;

	stop.verb = VERB_WD_STOP;
	open_ready(&b, TRANSPORT_SSH);
	text = change_looks(&b, &drain);
	assert_string_equal(text, "look-port: show interface " PORT " | json native\n"
				  "look-link: show running-config interface " PORT
				  " ; show running-config bgp ; show bgp all summary vrf all\n");
	free(text);
	text = change_looks(&b, &stop);
	assert_string_equal(text,
		"look-watchdog: show interface " PORT
		" | json native ; show queuing pfc-queue interface " PORT
		" detail | json native ; show interface " PORT
		" priority-flow-control | json native ; show queuing interface " PORT
		" | json native\n");
	free(text);
	b.target.transport = TRANSPORT_HTTPS;
	drain.verb = VERB_LOCATE_ON;
	text = change_looks(&b, &drain);
	assert_string_equal(text,
		"look-port: [{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show "
		"interface " PORT "\",\"version\":1},\"id\":1}]\n");
	free(text);
	change_bed_close(&b);
}

static void watchdog_seen(struct change_bed *b, const char *bytes, int status)
{
	struct order stop = change_order(VERB_WD_STOP, PORT);

	condition_init(&b->now);
	if (!change_see(b, &stop, "look-watchdog", bytes, status))
		fail_msg("%s", b->err.text);
	assert_int_equal(b->now.oper, OPER_UP);
	assert_int_equal(b->now.beacon, 0);
	assert_int_equal(b->now.wd, 1);
	assert_string_equal(b->now.wd_set.action, "drop");
	assert_int_equal(b->now.wd_set.detect_ms, 200);
	assert_int_equal(b->now.wd_set.restore_ms, 400);
	/* By its priority, not by its qos-group. */
	assert_int_equal(b->now.wd_state[3], WD_STORMED);
	assert_int_equal(b->now.wd_state[5], WD_UNKNOWN);
	assert_int_equal(b->now.wd_storms[3], 4);
	assert_int_equal(b->now.rx_pause[3], 812);
	assert_int_equal(b->now.pfc, 1 << 3);
}

#define RESULT(body) "{\"jsonrpc\":\"2.0\",\"result\":{\"body\":" body "},\"id\":1}"
#define REFUSED(words)                                                                             \
	"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"Invalid params\","          \
	"\"data\":{\"msg\":\"" words "\"}},\"id\":1}"

CASE(test_see_the_watchdog)
{
	struct order stop = change_order(VERB_WD_STOP, PORT);
	struct change_bed b;
	char why[128];

	open_ready(&b, TRANSPORT_SSH);
	watchdog_seen(&b,
		PORT_ROW "\n" WD_ROW("Enabled", "Shutdown") "\n" PFC_ROW "\n" QUEUING_ROW "\n", 0);
	assert_int_equal(order_goal(&stop, &b.now, why, sizeof(why)), GOAL_NOT_MET);
	condition_init(&b.now);
	assert_true(change_see(
		&b, &stop, "look-watchdog", PORT_ROW "\n" WD_ROW("Disabled", "Active"), 0));
	assert_int_equal(b.now.wd, 0);
	assert_int_equal(b.now.wd_state[3], WD_OFF);
	/* The switch's times are told all the same: a watchdog would have them. */
	assert_int_equal(b.now.wd_set.detect_ms, 200);
	assert_int_equal(b.now.pfc, -1);
	assert_int_equal(order_goal(&stop, &b.now, why, sizeof(why)), GOAL_MET);
	b.target.transport = TRANSPORT_HTTPS;
	watchdog_seen(&b,
		"[" RESULT(PORT_ROW) "," RESULT(WD_ROW("Enabled", "Shutdown")) "," RESULT(
			PFC_ROW) "," RESULT(QUEUING_ROW) "]",
		200);
	/* A release without the command: nothing is known of it. */
	condition_init(&b.now);
	assert_true(change_see(&b, &stop, "look-watchdog",
		"[" RESULT(PORT_ROW) "," REFUSED("% Invalid command\\n") "]", 200));
	assert_int_equal(b.now.wd, -1);
	change_bed_close(&b);
}

CASE(test_see_the_link)
{
	struct order drain = change_order(VERB_BGP_DOWN, PORT);
	struct change_bed b;

	change_bed_open(&b, "nxos", TRANSPORT_SSH);
	assert_true(change_see(&b, &drain, "look-link", RUNNING BGP SUMMARY, 0));
	assert_string_equal(b.now.bgp_peer, "10.64.3.1");
	assert_int_equal(b.now.bgp_asn, 65100);
	assert_int_equal(b.now.bgp_shut, 0);
	assert_int_equal(b.now.bgp, BGP_ESTABLISHED);
	assert_string_equal(b.now.hazard, "");
	/* The other session, which is shut; its line is wrapped. */
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		"interface " PORT "\n  ip address 10.64.3.2/31\n" BGP
		"BGP summary information for VRF default, address family IPv4 Unicast\n"
		"10.64.3.3\n                4 65002 0 0 0 0 0 never Shut (Admin)\n",
		0));
	assert_string_equal(b.now.bgp_peer, "10.64.3.3");
	assert_int_equal(b.now.bgp_shut, 1);
	assert_int_equal(b.now.bgp, BGP_ADMIN_DOWN);
	/* Unnumbered, and shut through an inherited template. */
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		"interface " PORT "\n  no switchport\nrouter bgp 1.10\n  template peer S\n    "
		"shutdown\n  neighbor " PORT "\n    inherit peer S\n",
		0));
	assert_string_equal(b.now.bgp_peer, PORT);
	assert_int_equal(b.now.bgp_asn, 65546);
	assert_int_equal(b.now.bgp_shut, 1);
	assert_non_null(strstr(b.now.hazard, "template"));
	/* In a VRF; and BGP that is not there. */
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		"interface " PORT "\n  vrf member RED\n  ip address 10.64.3.0/31\n" BGP, 0));
	assert_string_equal(b.now.bgp_peer, "");
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		RUNNING "                         ^\n% Invalid command at '^' marker.\n", 16));
	assert_int_equal(b.now.bgp_shut, -1);
	change_bed_close(&b);
}

CASE(test_see_over_https)
{
	struct order drain = change_order(VERB_BGP_DOWN, PORT);
	struct change_bed b;

	change_bed_open(&b, "nxos", TRANSPORT_HTTPS);
	assert_true(change_see(&b, &drain, "look-link",
		"[{\"result\":{\"msg\":\"interface " PORT
		"\\n  ip address 10.64.3.0/31\\n\"},\"id\":1},{\"result\":{\"body\":\"router bgp "
		"65100\\n  neighbor 10.64.3.1\\n    shutdown\\n\"},\"id\":2},{\"result\":null}]",
		200));
	assert_string_equal(b.now.bgp_peer, "10.64.3.1");
	assert_int_equal(b.now.bgp_shut, 1);
	assert_false(change_see(&b, &drain, "look-link",
		"[" REFUSED("% Permission denied for the role\\n") "]", 200));
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	assert_false(change_see(&b, &drain, "look-link", "<html>", 403));
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	change_bed_close(&b);
}

CASE(test_see_garbage)
{
	static const char *const requests[] = {"look-port", "look-watchdog", "look-link"};
	static const char *const bytes[] = {"", "\n\n", "{", "[]", "null", "[null]",
		"{\"result\":null}", "[{\"result\":{\"body\":7}}]", "interface Ethernet1/70\n",
		"interface", "\x1b[2J",
		"{\"TABLE_interface\":{\"ROW_interface\":{\"interface\":7}}}",
		"{\"TABLE_interface\":{\"ROW_interface\":{\"interface\":\"Ethernet1/70\",\"state\":"
		"\"up\",\"admin_state\":\"up\"}}}",
		"[{\"result\":{\"body\":{\"TABLE_interface\":{\"ROW_interface\":{\"interface\":"
		"\"" PORT "\",\"state\":\"up\"}}}}}]",
		"% Invalid command at '^' marker.\n"};
	struct order drain = change_order(VERB_PORT_DOWN, PORT);
	struct change_bed b;

	for (int t = 0; t < TRANSPORT_COUNT; t++) {
		change_bed_open(&b, "nxos", (enum transport_kind)t);
		for (size_t r = 0; r < sizeof(requests) / sizeof(requests[0]); r++)
			for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
				if (change_see(&b, &drain, requests[r], bytes[i],
					    t == TRANSPORT_HTTPS ? 200 : 0))
					fail_msg("%s, %s: %s", transport_name(b.target.transport),
						requests[r], bytes[i]);
		assert_false(change_see(&b, &drain, "look-nothing", "", 0));
		change_bed_close(&b);
	}
	change_bed_open(&b, "nxos", TRANSPORT_SSH);
	assert_false(change_see(&b, &drain, "look-link", RUNNING, -1));
	change_bed_close(&b);
}

CASES_MAIN(NULL, NULL)
