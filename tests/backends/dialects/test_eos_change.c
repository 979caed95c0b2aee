/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/backends/dialects/change_bed.h"
#include "tests/support/cases.h"

#define PORT "Ethernet3/1"

#define RUNNING                                                                                    \
	"interface Ethernet3/1\n   mtu 9214\n   no switchport\n   ip address 10.64.3.0/31\n"       \
	"   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n"               \
	"   priority-flow-control pause watchdog\n"
#define TIMERS                                                                                     \
	"   priority-flow-control pause watchdog port action no-drop\n"                            \
	"   priority-flow-control pause watchdog port timer timeout 0.20 polling-interval auto "   \
	"recovery-time 1.50\n"
#define BGP                                                                                        \
	"router bgp 65100\n   router-id 10.0.0.9\n   neighbor SPINES peer group\n"                 \
	"   neighbor 10.64.3.1 peer group SPINES\n   neighbor 10.64.3.1 remote-as 65001\n"         \
	"   neighbor 10.64.3.3 remote-as 65002\n   neighbor 10.64.3.3 shutdown\n"                  \
	"   !\n   vrf RED\n      neighbor 10.64.3.1 shutdown\n"
#define SUMMARY                                                                                    \
	"BGP summary information for VRF default\nRouter identifier 10.0.0.9, local AS number "    \
	"65100\n  Description Neighbor V AS MsgRcvd MsgSent InQ OutQ Up/Down State PfxRcd\n"       \
	"  leaf-1 10.64.3.1 4 65001 12 12 0 0 01:02:03 Estab 12 12\n"                              \
	"  leaf-2 10.64.3.3 4 65002 0 0 0 0 01:02:03 Idle(Admin)\n"

/* ---- beds ---- */

static void open_ready(struct change_bed *b, enum transport_kind transport)
{
	change_bed_open(b, "eos", transport);
	b->now.admin = b->now.oper = OPER_UP;
	b->now.wd = 1;
	b->now.pfc = 1 << 3;
	b->now.bgp_asn = 65100;
	(void)str_copy(b->now.bgp_peer, sizeof(b->now.bgp_peer), "10.64.3.1");
}

/* ---- words ---- */

#define WD "priority-flow-control pause watchdog"

CASE(test_words_over_ssh)
{
	struct order down = change_order(VERB_PORT_DOWN, PORT), up = down, stop = down, on = down,
		     off = down, start = change_start_order(PORT, "", 0, 0), site = down;
	struct order bgp_down = change_bgp_order(VERB_BGP_DOWN, PORT),
		     bgp_up = change_bgp_order(VERB_BGP_UP, PORT);
	struct order timed = change_start_order(PORT, "forward", 200, 1500);
	struct change_bed b;

	up.verb = VERB_PORT_UP;
	stop.verb = VERB_WD_STOP;
	on.verb = VERB_LOCATE_ON;
	off.verb = VERB_LOCATE_OFF;
	site.lines = "interface {port}\n\n  shutdown\n";
	open_ready(&b, TRANSPORT_SSH);
	change_says(&b, &down, "enable\nconfigure\ninterface " PORT "\nshutdown");
	change_says(&b, &up, "enable\nconfigure\ninterface " PORT "\nno shutdown");
	change_says(&b, &stop, "enable\nconfigure\ninterface " PORT "\nno " WD);
	change_says(&b, &start, "enable\nconfigure\ninterface " PORT "\n" WD);
	change_says(&b, &timed,
		"enable\nconfigure\ninterface " PORT "\n" WD " port action no-drop\n" WD
		" port timer timeout 0.20 polling-interval auto recovery-time 1.50\n" WD);
	change_says(
		&b, &bgp_down, "enable\nconfigure\nrouter bgp 65100\nneighbor 10.64.3.1 shutdown");
	change_says(
		&b, &bgp_up, "enable\nconfigure\nrouter bgp 65100\nno neighbor 10.64.3.1 shutdown");
	change_says(&b, &on, "enable\nlocator-led interface " PORT);
	change_says(&b, &off, "enable\nno locator-led interface " PORT);
	change_says(&b, &site, "enable\nconfigure\ninterface " PORT "\nshutdown");
	change_bed_close(&b);
}

CASE(test_words_over_https)
{
	struct order down = change_order(VERB_PORT_DOWN, PORT);
	struct change_bed b;

	open_ready(&b, TRANSPORT_HTTPS);
	change_says(&b, &down,
		"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":\"railtop-change\",\"params\":{"
		"\"version\":1,\"format\":\"json\",\"timestamps\":false,\"cmds\":[{\"cmd\":"
		"\"enable\"},{\"cmd\":\"configure\"},{\"cmd\":\"interface " PORT
		"\"},{\"cmd\":\"shutdown\"}]}}");
	change_bed_close(&b);
}

CASE(test_what_is_refused)
{
	struct order stop = change_order(VERB_WD_STOP, PORT), bad = stop, recover = stop,
		     counters = stop, site = stop, bgp = change_bgp_order(VERB_BGP_DOWN, PORT);
	struct order half = change_start_order(PORT, "drop", 200, 0),
		     odd = change_start_order(PORT, "drop", 205, 200);
	struct order start = change_start_order(PORT, "drop", 200, 200),
		     far = change_start_order(PORT, "drop", 50, 200);
	struct change_bed b;

	(void)str_copy(bad.port, sizeof(bad.port), "Ethernet1\nreload");
	recover.verb = VERB_WD_RECOVER;
	counters.verb = VERB_COUNTERS_ON;
	(void)str_copy(counters.group, sizeof(counters.group), "ecn");
	open_ready(&b, TRANSPORT_HTTPS);
	change_refused(&b, &bad, ERR_REFUSED, "not allowed in a command");
	change_refused(&b, &recover, ERR_UNSUPPORTED, "wd-recover");
	change_refused(&b, &counters, ERR_UNSUPPORTED, "counters-on");
	change_refused(&b, &half, ERR_REFUSED, "together");
	change_refused(&b, &odd, ERR_REFUSED, "10 ms");
	change_refused(&b, &far, ERR_REFUSED, "out of range");
	site.lines = "interface {prot}";
	change_refused(&b, &site, ERR_CONFIG, "is not a placeholder");
	site.lines = "interface {port}\n\treload";
	change_refused(&b, &site, ERR_CONFIG, "character");
	b.now.pfc = 0;
	change_refused(&b, &start, ERR_REFUSED, "PFC is off");
	b.now.pfc = -1;
	change_refused(&b, &start, ERR_REFUSED, "not reported");
	b.now.wd = -1;
	change_refused(&b, &stop, ERR_REFUSED, "profile");
	bgp.asn = 65101;
	change_refused(&b, &bgp, ERR_REFUSED, "AS number");
	(void)str_copy(bgp.peer, sizeof(bgp.peer), "10.64.3.3");
	change_refused(&b, &bgp, ERR_REFUSED, "no such BGP neighbour");
	b.now.oper = OPER_UNKNOWN;
	change_refused(&b, &stop, ERR_REFUSED, "does not report");
	change_bed_close(&b);
}

/* ---- the answers ---- */

#define RPC_OK "{\"jsonrpc\":\"2.0\",\"id\":\"railtop-change\",\"result\":[{},{},{},{}]}"
#define RPC_BAD                                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":1002,\"message\":\"CLI command 4 "  \
	"of 4 'shutdown' failed: invalid command\",\"data\":[{},{},{},{\"errors\":[\"Invalid "     \
	"input (%s)\"]}]}}"

CASE(test_taken_over_https)
{
	static const char *const not [] = {"", "{", "null", "[]", "{\"result\":[]}",
		"{\"result\":[{},{},{}]}", "{\"result\":[{},{},{},{},{}]}",
		"{\"result\":[{},{},{},{\"errors\":[\"x\"]}]}", "{\"result\":[{},{},{},null]}",
		"{\"result\":{}}", "{\"error\":{}}",
		"{\"error\":{\"code\":1000},\"result\":[{},{},{},{}]}",
		"{\"jsonrpc\":\"2.0\",\"result\":[{},{},{},{}", "<html>502</html>"};
	struct order down = change_order(VERB_PORT_DOWN, PORT);
	char text[512];
	struct change_bed b;

	open_ready(&b, TRANSPORT_HTTPS);
	assert_int_equal(change_taken(&b, &down, RPC_OK, 200), TAKEN_YES);
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		if (change_taken(&b, &down, not [i], 200) != TAKEN_NO)
			fail_msg("taken: %s", not [i]);
	assert_int_equal(change_taken(&b, &down, RPC_OK, 500), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, RPC_OK, -1), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, "unauthorized", 401), TAKEN_NO);
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	str_printf(text, sizeof(text), RPC_BAD, "at token 1: 'shutdown'");
	assert_int_equal(change_taken(&b, &down, text, 200), TAKEN_NO);
	assert_int_equal(b.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(b.err.text, "'shutdown' failed: invalid command: Invalid input"));
	assert_non_null(strstr(b.err.text, "(3 ran before it)"));
	str_printf(text, sizeof(text), RPC_BAD, "privileged mode required");
	assert_int_equal(change_taken(&b, &down, text, 200), TAKEN_NO);
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	change_bed_close(&b);
}

CASE(test_taken_over_ssh)
{
	struct order down = change_order(VERB_PORT_DOWN, PORT);
	struct change_bed b;

	open_ready(&b, TRANSPORT_SSH);
	assert_int_equal(change_taken(&b, &down, "", 0), TAKEN_YES);
	assert_int_equal(change_taken(&b, &down, "! a warning: 50% of it\n", 0), TAKEN_YES);
	/* The CLI goes on behind a line that it refuses, and ends well. */
	assert_int_equal(change_taken(&b, &down, "ok\n% Invalid input\n", 0), TAKEN_NO);
	assert_non_null(strstr(b.err.text, "% Invalid input"));
	assert_int_equal(change_taken(&b, &down, "% Authorization denied\n", 1), TAKEN_NO);
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	assert_int_equal(change_taken(&b, &down, "", 1), TAKEN_NO);
	assert_int_equal(change_taken(&b, &down, "", -1), TAKEN_NO);
	change_bed_close(&b);
}

/* ---- the condition ---- */

static void looks(struct change_bed *b, enum verb verb, const char *want)
{
	struct order o = change_order(verb, PORT);
	char *text = change_looks(b, &o);

	assert_string_equal(text, want);
	free(text);
}

CASE(test_look)
{
	struct order bad = change_order(VERB_PORT_DOWN, "Ethernet1;reload");
	struct request_list l = {0};
	struct change_bed b;

	open_ready(&b, TRANSPORT_SSH);
	looks(&b, VERB_WD_STOP,
		"look-config: enable\nshow running-config interfaces " PORT " | no-more\n"
		"look-port: show interfaces " PORT " | json\n"
		"look-sessions: show configuration sessions | json\n"
		"look-watchdog: show priority-flow-control counters watchdog | json\n"
		"look-pause: show interfaces " PORT
		" priority-flow-control counters detail | json\n");
	looks(&b, VERB_BGP_UP,
		"look-link: enable\nshow running-config interfaces " PORT " | no-more\n"
		"show running-config section bgp | no-more\nshow bgp summary vrf all | no-more\n"
		"look-port: show interfaces " PORT " | json\n"
		"look-sessions: show configuration sessions | json\n");
	looks(&b, VERB_LOCATE_ON,
		"look-port: show interfaces " PORT
		" | json\nlook-light: show locator-led | json\n");
	assert_false(b.can->look(&b.target, &bad, &l, &b.err));
	change_bed_close(&b);
}

CASE(test_see_the_watchdog)
{
	struct order stop = change_order(VERB_WD_STOP, PORT);
	struct change_bed b;
	char why[128];

	change_bed_open(&b, "eos", TRANSPORT_SSH);
	/* In this order: the counters come before the settings that explain a missing counter. */
	assert_true(change_see(&b, &stop, "look-watchdog",
		"{\"interfaces\":{\"" PORT
		"\":{\"txQueues\":{\"3\":{\"stuckCount\":2,\"recoveryCount\":1}}}}}",
		0));
	assert_true(change_see(&b, &stop, "look-config", RUNNING TIMERS, 0));
	assert_true(change_see(&b, &stop, "look-port",
		"{\"interfaces\":{\"" PORT "\":{\"lineProtocolStatus\":\"up\","
		"\"interfaceStatus\":\"connected\"}}}",
		0));
	assert_true(change_see(
		&b, &stop, "look-sessions", "{\"sessions\":{\"x\":{\"state\":\"completed\"}}}", 0));
	assert_true(change_see(&b, &stop, "look-pause",
		"{\"interfaces\":{\"" PORT
		"\":{\"priorities\":{\"3\":{\"rxFrames\":812,\"txFrames\":0}}}}}",
		0));
	assert_int_equal(b.now.admin, OPER_UP);
	assert_int_equal(b.now.oper, OPER_UP);
	assert_int_equal(b.now.wd, 1);
	assert_string_equal(b.now.wd_set.action, "forward");
	assert_int_equal(b.now.wd_set.detect_ms, 200);
	assert_int_equal(b.now.wd_set.restore_ms, 1500);
	assert_int_equal(b.now.wd_state[3], WD_STORMED);
	assert_int_equal(b.now.wd_state[4], WD_UNKNOWN);
	assert_int_equal(b.now.wd_storms[3], 2);
	assert_int_equal(b.now.rx_pause[3], 812);
	assert_int_equal(b.now.pfc, 1 << 3);
	assert_int_equal(b.now.pending, 0);
	assert_string_equal(b.now.hazard, "");
	assert_int_equal(order_goal(&stop, &b.now, why, sizeof(why)), GOAL_NOT_MET);
	/* Off: it forgets the storm. */
	condition_init(&b.now);
	assert_true(change_see(
		&b, &stop, "look-config", "interface " PORT "\n   priority-flow-control on\n", 0));
	assert_true(change_see(&b, &stop, "look-watchdog",
		"{\"interfaces\":{\"" PORT
		"\":{\"txQueues\":{\"3\":{\"stuckCount\":2,\"recoveryCount\":1}}}}}",
		0));
	assert_int_equal(b.now.wd, 0);
	assert_int_equal(b.now.wd_state[3], WD_OFF);
	assert_int_equal(order_goal(&stop, &b.now, why, sizeof(why)), GOAL_MET);
	change_bed_close(&b);
}

/* Settings that a stop restores only in part, and open sessions of others. */
CASE(test_see_hazards)
{
	struct order stop = change_order(VERB_WD_STOP, PORT), drain = stop;
	struct change_bed b;

	drain.verb = VERB_BGP_DOWN;
	change_bed_open(&b, "eos", TRANSPORT_SSH);
	assert_true(change_see(&b, &stop, "look-config",
		RUNNING "   priority-flow-control pause watchdog port timer timeout 0.20 "
			"polling-interval 0.05 recovery-time 0.40 forced\n",
		0));
	assert_non_null(strstr(b.now.hazard, "could not be restored"));
	condition_init(&b.now);
	assert_true(change_see(
		&b, &stop, "look-config", "interface " PORT "\n   service-profile LOSSLESS\n", 0));
	assert_int_equal(b.now.wd, -1);
	assert_int_equal(b.now.pfc, -1);
	assert_true(change_see(&b, &stop, "look-sessions",
		"{\"sessions\":{\"cvp\":{\"state\":\"pendingCommitTimer\"}}}", 0));
	assert_int_equal(b.now.pending, 1);
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		RUNNING "router bgp 65100\n   neighbor SPINES peer group\n   neighbor SPINES "
			"shutdown\n   neighbor 10.64.3.1 peer group SPINES\n",
		0));
	assert_int_equal(b.now.bgp_shut, 1);
	assert_non_null(strstr(b.now.hazard, "peer group"));
	change_bed_close(&b);
}

CASE(test_see_the_link)
{
	struct order drain = change_order(VERB_BGP_DOWN, PORT);
	struct change_bed b;

	change_bed_open(&b, "eos", TRANSPORT_SSH);
	assert_true(change_see(&b, &drain, "look-link", RUNNING BGP SUMMARY, 0));
	assert_string_equal(b.now.bgp_peer, "10.64.3.1");
	assert_int_equal(b.now.bgp_asn, 65100);
	assert_int_equal(b.now.bgp_shut, 0);
	assert_int_equal(b.now.bgp, BGP_ESTABLISHED);
	/* BGP is not on: the rest is known all the same. */
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		"interface " PORT "\n   shutdown\n   ip address 10.64.3.2/31\n% BGP inactive\n",
		1));
	assert_string_equal(b.now.bgp_peer, "");
	assert_int_equal(b.now.bgp_shut, -1);
	assert_int_equal(b.now.admin, OPER_DOWN);
	/* In a VRF: the neighbour with the same address in the default VRF is another one. */
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		"interface " PORT "\n   vrf RED\n   ip address 10.64.3.0/31\n" BGP, 0));
	assert_string_equal(b.now.bgp_peer, "");
	change_bed_close(&b);
}

CASE(test_see_over_https)
{
	struct order drain = change_order(VERB_PORT_DOWN, PORT);
	struct change_bed b;

	change_bed_open(&b, "eos", TRANSPORT_HTTPS);
	assert_true(change_see(&b, &drain, "look-link",
		"{\"result\":[{\"output\":\"\"},{\"output\":\"interface " PORT
		"\\n   ip address 10.64.3.0/31\\n\"},{\"output\":\"router bgp 65100\\n   neighbor "
		"10.64.3.1 remote-as 1\\n   neighbor 10.64.3.1 shutdown\\n\"},{\"output\":\"\"}]}",
		200));
	assert_int_equal(b.now.bgp_shut, 1);
	/* The last command failed: the output of the earlier ones counts. */
	condition_init(&b.now);
	assert_true(change_see(&b, &drain, "look-link",
		"{\"error\":{\"code\":1000,\"message\":\"failed\",\"data\":[{\"output\":\"\"},{"
		"\"output\":\"interface " PORT "\\n   shutdown\\n\"},{\"output\":\"\"},{"
		"\"errors\":[\"BGP inactive\"]}]}}",
		200));
	assert_int_equal(b.now.admin, OPER_DOWN);
	assert_false(change_see(&b, &drain, "look-link",
		"{\"error\":{\"code\":1002,\"message\":\"failed\",\"data\":[{\"errors\":[\"Invalid "
		"input (privileged mode required)\"]}]}}",
		200));
	assert_int_equal(b.err.code, ERR_UNAUTHORISED);
	/* A release without sessions. */
	assert_true(change_see(&b, &drain, "look-sessions",
		"{\"error\":{\"code\":1002,\"message\":\"failed\",\"data\":[{\"errors\":[\"Invalid "
		"input\"]}]}}",
		200));
	assert_int_equal(b.now.pending, -1);
	change_bed_close(&b);
}

CASE(test_see_the_light)
{
	struct order on = change_order(VERB_LOCATE_ON, PORT);
	struct change_bed b;

	change_bed_open(&b, "eos", TRANSPORT_SSH);
	assert_true(change_see(&b, &on, "look-light", "{\"interfaces\":[\"" PORT "\"]}", 0));
	assert_int_equal(b.now.beacon, 1);
	assert_true(change_see(&b, &on, "look-light", "{\"interfaces\":{\"Ethernet3/10\":{}}}", 0));
	assert_int_equal(b.now.beacon, 0);
	/* Another release's form of it. */
	condition_init(&b.now);
	assert_true(change_see(&b, &on, "look-light", "{\"x\":1}", 0));
	assert_int_equal(b.now.beacon, -1);
	assert_false(change_see(&b, &on, "look-light", "[1]", 0));
	change_bed_close(&b);
}

/* Of the light any object is an answer, which need not say anything. */
static bool is_other_form(const char *request, const char *bytes, int transport)
{
	return transport == TRANSPORT_SSH && str_eq(request, "look-light") && bytes[0] == '{' &&
	       bytes[1];
}

/* Nothing in them, half of them, another port's: none is an answer. */
CASE(test_see_garbage)
{
	static const char *const requests[] = {"look-config", "look-link", "look-port",
		"look-sessions", "look-watchdog", "look-light"};
	static const char *const bytes[] = {"", "\n\n", "{", "[]", "null", "{\"result\":[]}",
		"{\"result\":[null]}", "{\"result\":{}}", "{\"error\":{\"data\":{}}}",
		"interface Ethernet3/10\n   shutdown\n", "interface", "\x1b[2J",
		"{\"interfaces\":7,\"sessions\":7}"};
	struct order stop = change_order(VERB_WD_STOP, PORT);
	struct change_bed b;

	for (int t = 0; t < TRANSPORT_COUNT; t++) {
		change_bed_open(&b, "eos", (enum transport_kind)t);
		for (size_t r = 0; r < sizeof(requests) / sizeof(requests[0]); r++)
			for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
				/* An error without text about an answer that is not vital. */
				bool excused = (t == TRANSPORT_HTTPS && r > 2 &&
						       strstr(bytes[i], "error")) ||
					       is_other_form(requests[r], bytes[i], t);

				if (change_see(&b, &stop, requests[r], bytes[i],
					    t == TRANSPORT_HTTPS ? 200 : 0) != excused)
					fail_msg("%s, %s: %s", transport_name(b.target.transport),
						requests[r], bytes[i]);
			}
		assert_false(change_see(&b, &stop, "look-nothing", "", 0));
		change_bed_close(&b);
	}
	/* Cut off: half a configuration is none. */
	change_bed_open(&b, "eos", TRANSPORT_SSH);
	assert_false(change_see(&b, &stop, "look-config", RUNNING, -1));
	change_bed_close(&b);
}

CASES_MAIN(NULL, NULL)
