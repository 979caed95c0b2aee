/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "backends/dialects/sonic/change.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* SONiC's commands for changes, the refusals, and the meaning of answers; hostile ones too. */

static struct facts no_facts, two_asics;

static struct target target(const struct facts *f)
{
	return (struct target){
		.device = "leaf", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .facts = f};
}

static struct order order(enum verb v)
{
	struct order o = {.verb = v, .priority = -1};

	(void)str_copy(o.port, sizeof(o.port), "Ethernet12");
	(void)str_copy(o.peer, sizeof(o.peer), "10.64.0.1");
	o.wd = (struct wd_setting){.action = "drop", .detect_ms = 200, .restore_ms = 400};
	if (v == VERB_COUNTERS_ON || v == VERB_COUNTERS_OFF) {
		o.port[0] = '\0';
		(void)str_copy(o.group, sizeof(o.group), "wredqueue");
	}
	return o;
}

static struct condition healthy(void)
{
	struct condition c;

	condition_init(&c);
	c.admin = c.oper = OPER_UP;
	c.wd = 1;
	c.pfc = 8;
	c.wd_poll_ms = 200;
	(void)str_copy(c.bgp_peer, sizeof(c.bgp_peer), "10.64.0.1");
	c.bgp_shut = 0;
	c.bgp = BGP_ESTABLISHED;
	return c;
}

/* ---- words ---- */

static void expect_words(const struct order *o, const char *want)
{
	struct target t = target(&no_facts);
	struct condition c = healthy();
	struct request_list l = {0};
	struct err err = {0};

	if (!sonic_changes.command(&t, o, &c, &l, &err))
		fail_msg("%s: %s", want, err.text);
	assert_int_equal(l.at.n, 1);
	assert_string_equal(l.at.at[0].command, want);
	assert_true(l.at.at[0].change);
	assert_null(l.at.at[0].input);
	assert_false(sonic_reads(&l.at.at[0]));
	requests_free(&l);
}

CASE(each_change_is_one_command_line)
{
	struct order o = order(VERB_WD_STOP);

	expect_words(&o, "sudo -n pfcwd stop Ethernet12");
	o = order(VERB_WD_START);
	expect_words(&o, "sudo -n pfcwd start --action drop Ethernet12 200 --restoration-time 400");
	o.wd.history = true;
	expect_words(&o, "sudo -n pfcwd start --action drop Ethernet12 200 --restoration-time 400 "
			 "--pfc-stat-history");
	o = order(VERB_PORT_DOWN);
	expect_words(
		&o, "SONIC_CLI_IFACE_MODE=default sudo -n config interface shutdown Ethernet12");
	o = order(VERB_PORT_UP);
	expect_words(
		&o, "SONIC_CLI_IFACE_MODE=default sudo -n config interface startup Ethernet12");
	o = order(VERB_BGP_DOWN);
	expect_words(&o, "sudo -n config bgp shutdown neighbor 10.64.0.1");
	o = order(VERB_BGP_UP);
	expect_words(&o, "sudo -n config bgp startup neighbor 10.64.0.1");
	o = order(VERB_COUNTERS_ON);
	expect_words(&o, "sudo -n counterpoll wredqueue enable");
	o = order(VERB_COUNTERS_OFF);
	expect_words(&o, "sudo -n counterpoll wredqueue disable");
}

CASE(the_sites_own_lines_are_one_request)
{
	struct order o = order(VERB_PORT_DOWN);
	struct target t = target(&two_asics);
	struct condition c = healthy();
	struct request_list l = {0};
	struct err err = {0};

	o.lines = "sudo -n config interface -n asic0 shutdown {port}";
	assert_true(sonic_changes.command(&t, &o, &c, &l, &err));
	assert_int_equal(l.at.n, 1);
	assert_string_equal(l.at.at[0].command, "sh -e -s");
	assert_string_equal(
		l.at.at[0].input, "sudo -n config interface -n asic0 shutdown Ethernet12");
	assert_true(l.at.at[0].change);
	requests_free(&l);
	o.lines = "shutdown {nothing}";
	assert_false(sonic_changes.command(&t, &o, &c, &l, &err));
	assert_int_equal(err.code, ERR_CONFIG);
}

static void expect_refused(
	const struct target *t, const struct order *o, const struct condition *c, const char *why)
{
	struct request_list l = {0};
	struct err err = {0};

	if (sonic_changes.command(t, o, c, &l, &err))
		fail_msg("%s was not refused: %s", why, l.at.at[0].command);
	assert_int_equal(l.at.n, 0);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, err.text);
}

CASE(what_is_not_safe_is_refused)
{
	struct target t = target(&no_facts);
	struct condition c = healthy();
	struct order o = order(VERB_WD_START);

	c.pfc = 0;
	expect_refused(&t, &o, &c, "PFC is not enabled");
	c.pfc = -1;
	expect_refused(&t, &o, &c, "not known");
	c = healthy();
	o.wd.restore_ms = 0;
	expect_refused(&t, &o, &c, "a time is missing");
	o.wd.restore_ms = 100;
	expect_refused(&t, &o, &c, "shorter than the watchdog's polling interval");
	o = order(VERB_WD_START);
	(void)str_copy(o.wd.action, sizeof(o.wd.action), "");
	expect_refused(&t, &o, &c, "not drop, forward");
	o = order(VERB_BGP_DOWN);
	(void)str_copy(o.peer, sizeof(o.peer), "spine-000");
	expect_refused(&t, &o, &c, "not an address");
	(void)str_copy(o.peer, sizeof(o.peer), "10.64.0.3");
	expect_refused(&t, &o, &c, "no such BGP session");
	o = order(VERB_BGP_DOWN);
	(void)str_copy(c.hazard, sizeof(c.hazard), "several BGP sessions");
	expect_refused(&t, &o, &c, "several BGP sessions");
	c = healthy();
	c.bgp_shut = -1;
	expect_refused(&t, &o, &c, "no such BGP session");
	o = order(VERB_LOCATE_ON);
	expect_refused(&t, &o, &c, "SONiC has no locate-on");
	o = order(VERB_WD_RECOVER);
	expect_refused(&t, &o, &c, "SONiC has no wd-recover");
	o = order(VERB_COUNTERS_ON);
	(void)str_copy(o.group, sizeof(o.group), "acl");
	expect_refused(&t, &o, &c, "does not have this group");
}

/* Strings that could name more than the one port, or end the argument. */
CASE(no_other_word_gets_into_a_command)
{
	static const char *const ports[] = {"", "all", "-r", "Ethernet", "Ethernet0-3",
		"Ethernet0,Ethernet4", "Ethernet0 Ethernet4", "Ethernet0;reboot", "Ethernet$(id)",
		"Ethernet0\n", "Ethernet-BP0", "PortChannel1", "etp1", "Ethernet0/1",
		"Ethernet0000000000000000000"};
	struct target t = target(&no_facts);
	struct condition c = healthy();

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		for (enum verb v = VERB_WD_STOP; v <= VERB_BGP_UP; v++) {
			struct order o = order(v);
			struct request_list l = {0};
			struct err err = {0};

			(void)str_copy(o.port, sizeof(o.port), ports[i]);
			assert_false(sonic_changes.command(&t, &o, &c, &l, &err));
			assert_true(*err.text);
			assert_false(sonic_changes.look(&t, &o, &l, &err));
			assert_int_equal(l.at.n, 0);
		}
}

CASE(tools_that_must_be_told_the_asic_are_refused)
{
	struct target t = target(&two_asics);
	struct condition c = healthy();
	struct order o = order(VERB_PORT_DOWN);
	struct request_list l = {0};
	struct err err = {0};

	expect_refused(&t, &o, &c, "several ASICs");
	o = order(VERB_COUNTERS_ON);
	expect_refused(&t, &o, &c, "several ASICs");
	o = order(VERB_WD_STOP);
	assert_true(sonic_changes.command(&t, &o, &c, &l, &err));
	requests_free(&l);
}

/* ---- looking ---- */

CASE(looking_is_on_the_list_of_reads)
{
	const struct facts *facts[] = {&no_facts, &two_asics};

	for (size_t f = 0; f < 2; f++)
		for (enum verb v = 0; v < VERB_COUNT; v++) {
			struct target t = target(facts[f]);
			struct order o = order(v);
			struct request_list l = {0};
			struct err err = {0};

			assert_true(sonic_changes.look(&t, &o, &l, &err));
			assert_true(l.at.n >= 1);
			for (size_t i = 0; i < l.at.n; i++)
				assert_true(sonic_reads(&l.at.at[i]));
			requests_free(&l);
		}
}

#define HEAD                                                                                       \
	"{\"t\":[\"1\",\"2\"],\"has\":1,\"wf\":[\"action\",\"detection_time\",\"restoration_"      \
	"time\","                                                                                  \
	"\"pfc_stat_history\"],\"qf\":[\"PFC_WD_STATUS\",\"PFC_WD_QUEUE_STATS_DEADLOCK_"           \
	"DETECTED\","                                                                              \
	"\"DEBUG_STORM\"],\"nf\":[\"local_addr\",\"admin_status\",\"state\"],"
#define PORT                                                                                       \
	"\"appl\":[\"up\",\"up\"],\"conf\":\"up\",\"qos\":[\"3,4\",\"3,4\"],"                      \
	"\"rx\":[\"0\",\"0\",\"0\",\"812\",\"0\",\"0\",\"0\",\"0\"],"
#define WATCHDOG                                                                                   \
	"\"wk\":\"PFC_WD|Ethernet12\",\"w\":[\"drop\",\"200\",\"400\",\"enable\"],"                \
	"\"q\":{\"3\":[\"stormed\",\"2\",null],\"4\":[\"operational\",\"0\",null]},"
#define REST "\"all\":[\"200\",\"disable\"],\"meta\":[\"65001\",null],\"flex\":null,\"can\":{},"
#define BGP                                                                                        \
	"\"ips\":[\"10.64.0.0/31\"],\"near\":{\"10.64.0.1\":[\"10.64.0.0\",null,\"Established\"]," \
	"\"10.64.0.3\":[\"10.64.0.2\",\"down\",\"Idle\"]}}"

static bool see(const struct order *o, const char *request, const char *bytes, struct condition *c,
	struct err *err)
{
	struct target t = target(&no_facts);
	struct reply r = {.bytes = bytes, .len = strlen(bytes), .status = 0, .complaint = ""};

	condition_init(c);
	*err = (struct err){0};
	return sonic_changes.see(&t, o, request, &r, c, err);
}

CASE(the_condition_is_read)
{
	struct order o = order(VERB_WD_START);
	struct condition c;
	struct err err;

	assert_true(see(&o, SONIC_CONDITION, HEAD PORT WATCHDOG REST BGP, &c, &err));
	assert_int_equal(c.wd, 1);
	assert_string_equal(c.wd_set.action, "drop");
	assert_int_equal(c.wd_set.detect_ms, 200);
	assert_int_equal(c.wd_set.restore_ms, 400);
	assert_true(c.wd_set.history);
	assert_int_equal(c.wd_poll_ms, 200);
	assert_int_equal(c.wd_state[3], WD_STORMED);
	assert_int_equal(c.wd_state[4], WD_OPERATIONAL);
	assert_int_equal(c.wd_state[0], WD_UNKNOWN);
	assert_true(c.wd_storms[3] == 2 && c.wd_storms[0] == UINT64_MAX);
	assert_true(c.rx_pause[3] == 812);
	assert_int_equal(c.pfc, 1 << 3 | 1 << 4);
	assert_int_equal(c.admin, OPER_UP);
	assert_int_equal(c.oper, OPER_UP);
	assert_string_equal(c.bgp_peer, "10.64.0.1");
	assert_int_equal(c.bgp_shut, 0);
	assert_int_equal(c.bgp, BGP_ESTABLISHED);
	assert_int_equal(c.bgp_asn, 65001);
	assert_int_equal(c.pending, 0);
	assert_int_equal(c.beacon, -1);
	assert_int_equal(c.counters, -1);
	assert_string_equal(c.hazard, "");
}

CASE(what_is_not_there_is_told_as_such)
{
	struct order o = order(VERB_WD_START);
	struct condition c;
	struct err err;

	/* No row, no PFC, nothing in APPL_DB. */
	assert_true(see(&o, SONIC_CONDITION,
		HEAD "\"appl\":[null,null],\"conf\":null,\"qos\":[null,null],\"rx\":null,"
		     "\"wk\":null,\"w\":null,\"q\":{},\"all\":[null,null],\"meta\":[null,null],"
		     "\"flex\":null,\"can\":{},\"ips\":{},\"near\":{}}",
		&c, &err));
	assert_int_equal(c.wd, 0);
	assert_int_equal(c.pfc, 0);
	assert_int_equal(c.admin, OPER_DOWN); /* SONiC's default for a row without it */
	assert_int_equal(c.oper, OPER_UNKNOWN);
	assert_int_equal(c.bgp_shut, -1);
	assert_string_equal(c.bgp_peer, "");
	assert_true(c.rx_pause[3] == UINT64_MAX);
	/* A row that no queue shows yet: orchagent has not taken it up. */
	assert_true(see(&o, SONIC_CONDITION,
		HEAD PORT "\"wk\":\"PFC_WD|Ethernet12\",\"w\":[\"drop\",\"200\",\"400\",null],"
			  "\"q\":{\"3\":[null,\"2\",null]}," REST BGP,
		&c, &err));
	assert_int_equal(c.wd, -1);
	o.verb = VERB_WD_STOP;
	assert_true(see(&o, SONIC_CONDITION,
		HEAD PORT "\"wk\":\"PFC_WD|Ethernet12\",\"w\":[\"drop\",\"200\",null,null],"
			  "\"q\":{\"3\":[null,\"2\",null]}," REST BGP,
		&c, &err));
	assert_int_equal(c.wd, 1);
	assert_int_equal(c.wd_set.restore_ms, 0);
}

CASE(hazards_are_told)
{
	struct order o = order(VERB_WD_STOP);
	struct condition c;
	struct err err;

	assert_true(see(&o, SONIC_CONDITION,
		HEAD PORT WATCHDOG "\"all\":[\"200\",\"enable\"],\"meta\":[],\"flex\":null,"
				   "\"can\":{}," BGP,
		&c, &err));
	assert_non_null(strstr(c.hazard, "big red switch"));
	assert_true(see(&o, SONIC_CONDITION,
		HEAD PORT "\"wk\":\"PFC_WD|Ethernet8,Ethernet12\",\"w\":[\"drop\",\"200\",\"400\","
			  "null],\"q\":{}," REST BGP,
		&c, &err));
	assert_non_null(strstr(c.hazard, "shared by several ports"));
	assert_true(see(&o, SONIC_CONDITION,
		HEAD PORT "\"wk\":\"PFC_WD|Ethernet12\",\"w\":[\"drop\",\"200\",\"400\",null],"
			  "\"q\":{\"3\":[\"stormed\",\"1\",\"enabled\"]}," REST BGP,
		&c, &err));
	assert_non_null(strstr(c.hazard, "simulated"));
	o = order(VERB_BGP_DOWN);
	assert_true(see(&o, SONIC_CONDITION,
		HEAD PORT WATCHDOG REST
		"\"ips\":[\"10.64.0.0/31\",\"fc00::a/126\"],\"near\":{\"10.64.0.1\":["
		"\"10.64.0.0\",null,null],\"fc00::9\":[\"FC00:0::A\",null,null]}}",
		&c, &err));
	assert_non_null(strstr(c.hazard, "several BGP sessions"));
}

CASE(sessions_are_those_of_the_link)
{
	static const struct {
		const char *ips, *near, *peer;
		int shut;
	} all[] = {
		{"\"10.0.0.0/31\"", "\"10.0.0.1\":[null,null,null]", "10.0.0.1", 0},
		{"\"10.0.0.5/30\"", "\"10.0.0.6\":[null,\"down\",null]", "10.0.0.6", 1},
		{"\"10.0.0.0/24\"", "\"10.0.0.1\":[null,null,null]", "", -1},
		{"\"10.0.0.0/24\"", "\"10.0.0.1\":[\"10.0.0.0\",null,null]", "10.0.0.1", 0},
		{"\"fc00::2/127\"", "\"fc00::3\":[null,\"up\",null]", "fc00::3", 0},
		{"\"10.0.0.0/31\"", "\"Vrf1|10.0.0.1\":[\"10.0.0.0\",null,null]", "", -1},
		{"\"10.0.0.0\"", "\"10.0.0.1\":[null,null,null]", "", -1},
		{"\"10.0.0.0/99999999999999999999\",7", "\"10.0.0.1\":[7,{},[]]", "", -1},
		{"\"10.0.0.0/31\"", "\"10.0.0.1\":[null,\"sideways\",null]", "10.0.0.1", -1},
	};
	struct order o = order(VERB_BGP_DOWN);
	struct condition c;
	struct err err;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char text[2048];

		(void)str_printf(text, sizeof(text),
			HEAD PORT WATCHDOG REST "\"ips\":[%s],\"near\":{%s}}", all[i].ips,
			all[i].near);
		assert_true(see(&o, SONIC_CONDITION, text, &c, &err));
		assert_string_equal(c.bgp_peer, all[i].peer);
		assert_int_equal(c.bgp_shut, all[i].shut);
	}
}

CASE(counters_are_on_or_off)
{
	struct order o = order(VERB_COUNTERS_ON);
	struct condition c;
	struct err err;

	assert_true(see(&o, SONIC_CONDITION,
		HEAD "\"appl\":[null,null],\"flex\":\"enable\",\"can\":{\"ecn\":\"true\"}}", &c,
		&err));
	assert_int_equal(c.counters, 1);
	assert_true(see(&o, SONIC_CONDITION,
		HEAD "\"appl\":[null,null],\"flex\":null,\"can\":{\"ecn\":\"false\"}}", &c, &err));
	assert_int_equal(c.counters, 0);
	assert_non_null(strstr(c.hazard, "does not count"));
	(void)str_copy(o.group, sizeof(o.group), "queue");
	assert_true(see(&o, SONIC_CONDITION, HEAD "\"appl\":[null,null],\"flex\":null}", &c, &err));
	assert_int_equal(c.counters, -1);
}

CASE(the_asic_with_the_port_counts)
{
	struct order o = order(VERB_WD_STOP);
	struct condition c;
	struct err err;

	assert_true(see(&o, SONIC_CONDITION,
		"@asic asic0\n{\"t\":[],\"has\":0,\"appl\":[null,null],\"qf\":[]}\n"
		"@asic asic1\n" HEAD PORT WATCHDOG REST BGP "\n",
		&c, &err));
	assert_int_equal(c.wd, 1);
	assert_false(see(&o, SONIC_CONDITION,
		"@asic asic0\n{\"t\":[],\"has\":0,\"appl\":[null,null],\"qf\":[]}\n", &c, &err));
	assert_non_null(strstr(err.text, "no port Ethernet12"));
	/* An ASIC that does not answer may have the port. */
	assert_false(see(&o, SONIC_CONDITION,
		"@asic asic0\nsudo: a password is required\n"
		"@asic asic1\n" HEAD PORT WATCHDOG REST BGP "\n",
		&c, &err));
	assert_int_equal(err.code, ERR_UNAUTHORISED);
}

CASE(garbage_is_no_condition)
{
	static const char *const all[] = {"", "{}", "[]", "null", "\"up\"", "\033[2J\a\n",
		"(error) ERR Error running script", "Could not connect to Redis at 127.0.0.1:6379",
		"{\"t\":[1,2],\"has\":1}", "{\"t\":{},\"has\":1,\"appl\":{},\"qf\":{}}",
		"@asic asic0\n", "@asic"};
	static const char whole[] = HEAD PORT WATCHDOG REST BGP;
	struct order o = order(VERB_WD_STOP);
	char cut[sizeof(whole)];
	struct condition c;
	struct err err;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_false(see(&o, SONIC_CONDITION, all[i], &c, &err));
		assert_true(*err.text);
		if (!strchr(all[i], '{')) /* an object without sessions is fine */
			assert_false(see(&o, SONIC_SESSIONS, all[i], &c, &err));
	}
	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		memcpy(cut, whole, n);
		cut[n] = '\0';
		assert_false(see(&o, SONIC_CONDITION, cut, &c, &err));
		assert_int_equal(c.wd, -1);
	}
	assert_false(see(&o, "fast", whole, &c, &err));
}

/* Every value of another type than it should be. */
CASE(wrong_types_tell_nothing)
{
	struct order o = order(VERB_WD_START);
	struct condition c;
	struct err err;

	assert_true(see(&o, SONIC_CONDITION,
		"{\"t\":[],\"has\":1,\"wf\":7,\"qf\":[[],{},1],\"nf\":\"x\",\"appl\":[1,[]],"
		"\"conf\":[],\"qos\":{},\"rx\":[null,-1,\"x\",[],{},1e99,\"99999999999999999999\"],"
		"\"wk\":[],\"w\":[[],{},1],\"q\":{\"9\":[],\"x\":1,\"3\":{}},\"all\":7,"
		"\"meta\":\"x\",\"flex\":[],\"can\":7,\"ips\":{\"a\":1},\"near\":{\"10.0.0.1\":1}}",
		&c, &err));
	assert_int_equal(c.wd, -1);
	assert_int_equal(c.wd_set.detect_ms, 0);
	assert_int_equal(c.oper, OPER_UNKNOWN);
	assert_string_equal(c.bgp_peer, "");
	for (unsigned p = 0; p < PRIORITIES; p++)
		assert_true(c.rx_pause[p] == UINT64_MAX);
}

CASE(frr_says_how_the_session_is)
{
	static const char summary[] =
		"{\"default\":{\"ipv4Unicast\":{\"routerId\":\"1.1.1.1\",\"as\":65001,\"peers\":{"
		"\"10.64.0.1\":{\"remoteAs\":65100,\"state\":\"Idle (Admin)\"},"
		"\"10.64.0.3\":{\"remoteAs\":65100,\"state\":\"Established\"}}}}}";
	struct order o = order(VERB_BGP_DOWN);
	struct condition c;
	struct err err;

	assert_true(see(&o, SONIC_SESSIONS, summary, &c, &err));
	assert_int_equal(c.bgp, BGP_ADMIN_DOWN);
	(void)str_copy(o.peer, sizeof(o.peer), "10.64.0.9");
	assert_true(see(&o, SONIC_SESSIONS, summary, &c, &err));
	assert_int_equal(c.bgp, BGP_UNKNOWN);
}

/* ---- goals ---- */

static enum goal goal(enum verb v, const char *bytes)
{
	struct order o = order(v);
	struct condition c;
	struct err err;

	o.wd.history = true;
	assert_true(see(&o, SONIC_CONDITION, bytes, &c, &err));
	return order_goal(&o, &c, NULL, 0);
}

CASE(the_condition_decides_the_goal)
{
	static const char off[] =
		HEAD PORT "\"wk\":null,\"w\":null,\"q\":{\"3\":[null,\"2\",null]}," REST BGP;
	static const char on[] = HEAD PORT
		"\"wk\":\"PFC_WD|Ethernet12\",\"w\":[\"drop\",\"200\",\"400\",\"enable\"],"
		"\"q\":{\"3\":[\"operational\",\"2\",null]}," REST BGP;
	static const char leaving[] =
		HEAD PORT "\"wk\":null,\"w\":null,\"q\":{\"3\":[\"stormed\",\"2\",null]}," REST BGP;

	assert_int_equal(goal(VERB_WD_STOP, off), GOAL_MET);
	assert_int_equal(goal(VERB_WD_STOP, leaving), GOAL_NOT_MET);
	assert_int_equal(goal(VERB_WD_STOP, on), GOAL_NOT_MET);
	assert_int_equal(goal(VERB_WD_START, on), GOAL_MET);
	assert_int_equal(goal(VERB_WD_START, off), GOAL_NOT_MET);
	assert_int_equal(goal(VERB_WD_START, HEAD PORT WATCHDOG REST BGP), GOAL_NOT_MET);
	assert_int_equal(goal(VERB_PORT_UP, on), GOAL_MET);
	assert_int_equal(goal(VERB_PORT_DOWN, on), GOAL_NOT_MET);
	assert_int_equal(goal(VERB_BGP_UP, on), GOAL_MET);
	assert_int_equal(goal(VERB_BGP_DOWN, on), GOAL_NOT_MET);
}

/* ---- whether it was taken ---- */

CASE(answers_mean_what_they_say)
{
	static const struct {
		int status;
		const char *out, *complaint;
		enum taken taken;
		enum err_code code;
		const char *text;
	} all[] = {
		{0, "", "", TAKEN_YES, ERR_NONE, ""},
		{0, "Shutting down BGP session with neighbor 10.64.0.1...\n", "", TAKEN_YES,
			ERR_NONE, ""},
		{1, "", "sudo: a password is required\n", TAKEN_NO, ERR_UNAUTHORISED,
			"a password is required"},
		{1, "", "Root privileges are required for this operation\n", TAKEN_NO,
			ERR_UNAUTHORISED, "Root privileges"},
		{0, "SKIPPED: PFC is not enabled on port: Ethernet12\n", "", TAKEN_NO, ERR_PROTOCOL,
			"SKIPPED: PFC"},
		{0, "SKIPPED: PFC WD 'forward' action not supported on asic 'cisco-8000'\n", "",
			TAKEN_NO, ERR_PROTOCOL, "not supported on asic"},
		{1, "Failed to run command, invalid options:\nEthernet12\n", "", TAKEN_NO,
			ERR_PROTOCOL, "Failed to run command"},
		{2, "",
			"Usage: config pfcwd stop [OPTIONS]\nTry 'config pfcwd stop -h' for "
			"help.\n\n"
			"Error: Got unexpected extra argument (Ethernet12)\n",
			TAKEN_NO, ERR_PROTOCOL, "Error: Got unexpected"},
		{2, "", "Usage: x\nError: No such command \"wredqueue\".\n", TAKEN_NO, ERR_PROTOCOL,
			"No such command"},
		{0, "", "Traceback (most recent call last):\nKeyError: 'x'\n", TAKEN_NO,
			ERR_PROTOCOL, "KeyError"},
		{1, "", "Unable to connect to redis\n", TAKEN_NO, ERR_PROTOCOL,
			"Unable to connect"},
		{7, "", "", TAKEN_NO, ERR_PROTOCOL, "exit status 7"},
		{127, "", "bash: pfcwd: command not found\n", TAKEN_NO, ERR_PROTOCOL, "not found"},
		{-1, "", "", TAKEN_NO, ERR_PROTOCOL, "without an exit status"},
		{1, "\033[2J\007evil\n", "", TAKEN_NO, ERR_PROTOCOL, "evil"},
		/* TACACS+ says it on standard output; with "tacacs+ local" it is run all the same.
		 */
		{1,
			"/usr/bin/sudo authorize failed by TACACS+ with given arguments, not "
			"executing\n",
			"", TAKEN_NO, ERR_UNAUTHORISED, "authorize failed by TACACS+"},
		{0,
			"/usr/bin/sudo not authorized by TACACS+ with given arguments, not "
			"executing\n",
			"", TAKEN_YES, ERR_NONE, ""},
		{2, "", "Error: Interface name is invalid. Please enter a valid interface name!!\n",
			TAKEN_NO, ERR_PROTOCOL, "Interface name is invalid"},
	};
	struct target t = target(&no_facts);
	struct order o = order(VERB_WD_START);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct reply r = {.bytes = all[i].out,
			.len = strlen(all[i].out),
			.status = all[i].status,
			.complaint = all[i].complaint};
		struct change_notes notes = {0};
		struct err err = {0};

		assert_int_equal(
			sonic_changes.taken(&t, &o, "wd-start", &r, &notes, &err), all[i].taken);
		assert_int_equal(err.code, all[i].code);
		if (!strstr(err.text, all[i].text))
			fail_msg("\"%s\" is not in \"%s\"", all[i].text, err.text);
		assert_null(strchr(err.text, '\033'));
	}
}

static int make_facts(void **state)
{
	(void)state;
	facts_set(&two_asics, "asics", "asic0 asic1");
	return 0;
}

static int free_facts(void **state)
{
	(void)state;
	facts_free(&two_asics);
	return 0;
}

CASES_MAIN(make_facts, free_facts)
