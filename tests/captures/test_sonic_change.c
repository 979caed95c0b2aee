/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/change.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"
#include "tests/support/sonic_redis.h"

/*
 * The checks before a change of SONiC, asked by a real shell of a real Redis; and the reading of
 * the state that the tools leave there.
 */

#define FIXTURES "tests/captures/fixtures/"

static struct facts facts;
static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .facts = &facts};

static void load(const struct sonic_redis *r, int asic)
{
	json_t *more = json_loads(
		"{\"PORT\": {\"Ethernet0\": {\"admin_status\": \"up\"}},"
		" \"INTERFACE\": {\"Ethernet0\": {\"NULL\": \"NULL\"},"
		"  \"Ethernet0|10.64.0.0/31\": {\"NULL\": \"NULL\"}},"
		" \"BGP_NEIGHBOR\": {\"10.64.0.1\": {\"asn\": \"65100\", \"name\": \"spine\","
		"  \"local_addr\": \"10.64.0.0\"}, \"10.64.0.3\": {\"asn\": \"65100\"}}}",
		0, NULL);
	json_t *state = json_loads(
		"{\"NEIGH_STATE_TABLE\": {\"10.64.0.1\": {\"state\": \"Established\"}}}", 0, NULL);

	sonic_redis_load(r, asic, APPL_DB, FIXTURES "sonic_appl.json");
	sonic_redis_load(r, asic, COUNTERS_DB, FIXTURES "sonic_counters.json");
	sonic_redis_load(r, asic, CONFIG_DB, FIXTURES "sonic_config.json");
	sonic_redis_load(r, asic, STATE_DB, FIXTURES "sonic_state.json");
	sonic_redis_load_tables(r, asic, CONFIG_DB, more);
	sonic_redis_load_tables(r, asic, STATE_DB, state);
	json_decref(more);
	json_decref(state);
}

static struct order order(enum verb v)
{
	struct order o = {.verb = v, .priority = -1};

	(void)str_copy(o.port, sizeof(o.port), "Ethernet0");
	if (v == VERB_COUNTERS_ON) {
		o.port[0] = '\0';
		(void)str_copy(o.group, sizeof(o.group), "wredqueue");
	}
	return o;
}

/* The condition as the first request of look() tells it. */
static bool look(
	const struct sonic_redis *r, const struct order *o, struct condition *c, struct err *err)
{
	const char *environment[] = {r->path, NULL}, *argv[] = {"bash", "-c", NULL, NULL};
	struct request_list l = {0};
	struct reply reply = {.complaint = ""};
	char *out;
	bool ok;

	condition_init(c);
	*err = (struct err){0};
	assert_true(sonic_changes.look(&leaf, o, &l, err));
	argv[2] = l.at.at[0].command;
	out = run_command(argv, environment, NULL, &reply.len, &reply.status);
	assert_non_null(out);
	reply.bytes = out;
	ok = sonic_changes.see(&leaf, o, l.at.at[0].name, &reply, c, err);
	free(out);
	requests_free(&l);
	return ok;
}

static void tell(const struct sonic_redis *r, const char *command)
{
	free(sonic_redis_cli(r, -1, command));
}

static int setup(void **state)
{
	struct sonic_redis *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	facts_free(&facts);
	*state = r;
	if (sonic_redis_start(r))
		load(r, -1);
	return 0;
}

static int teardown(void **state)
{
	struct sonic_redis *r = *state;

	if (r->dir[0])
		sonic_redis_stop(r);
	free(r);
	facts_free(&facts);
	return 0;
}

static const struct sonic_redis *redis_of(void **state)
{
	const struct sonic_redis *r = *state;

	if (!r->pid)
		skip();
	return r;
}

CASE_WITH(the_condition_of_a_port, setup, teardown)
{
	const struct sonic_redis *r = redis_of(state);
	struct order o = order(VERB_WD_STOP);
	struct condition c;
	struct err err;

	if (!look(r, &o, &c, &err))
		fail_msg("%s", err.text);
	assert_int_equal(c.wd, 1);
	assert_string_equal(c.wd_set.action, "drop");
	assert_true(c.wd_set.detect_ms == 200 && c.wd_set.restore_ms == 200);
	assert_false(c.wd_set.history);
	assert_int_equal(c.wd_poll_ms, 200);
	assert_int_equal(c.wd_state[3], WD_STORMED);
	assert_int_equal(c.pfc, 1 << 3 | 1 << 4);
	assert_true(c.rx_pause[3] == 31);
	assert_int_equal(c.admin, OPER_UP);
	assert_int_equal(c.oper, OPER_UP);
	assert_string_equal(c.bgp_peer, "10.64.0.1");
	assert_int_equal(c.bgp, BGP_ESTABLISHED);
	assert_int_equal(c.bgp_shut, 0);
	assert_int_equal(c.bgp_asn, 65042);
	assert_string_equal(c.hazard, "");
}

/* The effect of `pfcwd stop`, orchagent and `pfcwd start` on the databases, step by step. */
CASE_WITH(a_watchdog_is_stopped_and_started, setup, teardown)
{
	const struct sonic_redis *r = redis_of(state);
	struct order stop = order(VERB_WD_STOP), start = order(VERB_WD_START);
	const char *q = "oid:0x15000000000003";
	struct condition c;
	struct err err;
	char text[160];

	start.wd = (struct wd_setting){.action = "drop", .detect_ms = 200, .restore_ms = 400};
	tell(r, "-n 4 DEL 'PFC_WD|Ethernet0'");
	assert_true(look(r, &stop, &c, &err));
	assert_int_equal(c.wd, 0);
	assert_int_equal(order_goal(&stop, &c, NULL, 0), GOAL_NOT_MET); /* still stormed */
	(void)str_printf(text, sizeof(text), "-n 2 HDEL COUNTERS:%s PFC_WD_STATUS", q);
	tell(r, text);
	assert_true(look(r, &stop, &c, &err));
	assert_int_equal(order_goal(&stop, &c, NULL, 0), GOAL_NOT_MET); /* APPL_DB says so */
	tell(r, "-n 0 DEL PFC_WD_TABLE_INSTORM:Ethernet0");
	tell(r, "-n 2 HDEL COUNTERS:oid:0x15000000000004 PFC_WD_STATUS");
	assert_true(look(r, &stop, &c, &err));
	assert_int_equal(order_goal(&stop, &c, NULL, 0), GOAL_MET);
	tell(r, "-n 4 HSET 'PFC_WD|Ethernet0' action drop detection_time 200 restoration_time 400");
	assert_true(look(r, &start, &c, &err));
	assert_int_equal(order_goal(&start, &c, NULL, 0), GOAL_UNKNOWN);
	(void)str_printf(text, sizeof(text), "-n 2 HSET COUNTERS:%s PFC_WD_STATUS operational", q);
	tell(r, text);
	assert_true(look(r, &start, &c, &err));
	assert_int_equal(order_goal(&start, &c, NULL, 0), GOAL_MET);
	start.wd.detect_ms = 300;
	assert_int_equal(order_goal(&start, &c, NULL, 0), GOAL_NOT_MET);
}

CASE_WITH(what_else_speaks_against_it, setup, teardown)
{
	const struct sonic_redis *r = redis_of(state);
	struct order o = order(VERB_WD_STOP);
	struct condition c;
	struct err err;

	tell(r, "-n 4 HSET 'PFC_WD|GLOBAL' BIG_RED_SWITCH enable");
	assert_true(look(r, &o, &c, &err));
	assert_non_null(strstr(c.hazard, "big red switch"));
	tell(r, "-n 4 DEL 'PFC_WD|GLOBAL'");
	tell(r, "-n 4 RENAME 'PFC_WD|Ethernet0' 'PFC_WD|Ethernet0,Ethernet8'");
	assert_true(look(r, &o, &c, &err));
	assert_int_equal(c.wd, 1);
	assert_non_null(strstr(c.hazard, "shared"));
	/* The table of releases before 2019. */
	tell(r, "-n 4 RENAME 'PFC_WD|Ethernet0,Ethernet8' 'PFC_WD_TABLE|Ethernet0'");
	assert_true(look(r, &o, &c, &err));
	assert_int_equal(c.wd, 1);
	assert_string_equal(c.hazard, "");
	(void)str_copy(o.port, sizeof(o.port), "Ethernet400");
	assert_false(look(r, &o, &c, &err));
	assert_int_equal(err.code, ERR_REFUSED);
}

CASE_WITH(counters_and_sessions, setup, teardown)
{
	const struct sonic_redis *r = redis_of(state);
	struct order o = order(VERB_COUNTERS_ON);
	struct condition c;
	struct err err;

	assert_true(look(r, &o, &c, &err));
	assert_int_equal(c.counters, 0);
	tell(r, "-n 4 HSET 'FLEX_COUNTER_TABLE|WRED_ECN_QUEUE' FLEX_COUNTER_STATUS enable");
	assert_true(look(r, &o, &c, &err));
	assert_int_equal(c.counters, 1);
	o = order(VERB_BGP_DOWN);
	tell(r, "-n 4 HSET 'BGP_NEIGHBOR|10.64.0.1' admin_status down");
	tell(r, "-n 6 HSET 'NEIGH_STATE_TABLE|10.64.0.1' state Idle");
	assert_true(look(r, &o, &c, &err));
	assert_int_equal(c.bgp_shut, 1);
	assert_int_equal(c.bgp, BGP_IDLE);
	assert_int_equal(order_goal(&o, &c, NULL, 0), GOAL_MET);
}

/* Only one of the ASICs has the port; where sudo asks for a password, nothing is known. */
CASE_WITH(one_of_two_asics, setup, teardown)
{
	struct sonic_redis *r = *state;
	struct order o = order(VERB_WD_STOP);
	struct condition c;
	struct err err;

	(void)redis_of(state);
	facts_set(&facts, "asics", "asic0 asic1");
	sonic_redis_start_asic(r, 0);
	sonic_redis_start_asic(r, 1);
	load(r, 1);
	assert_false(look(r, &o, &c, &err));
	assert_int_equal(err.code, ERR_UNAUTHORISED);
	sonic_redis_grant(r, "sonic-db-cli");
	if (!look(r, &o, &c, &err))
		fail_msg("%s", err.text);
	assert_int_equal(c.wd, 1);
	assert_int_equal(c.wd_state[3], WD_STORMED);
}

CASE_WITH(a_dead_redis_is_told_as_such, setup, teardown)
{
	struct sonic_redis *r = *state;
	struct order o = order(VERB_WD_STOP);
	struct condition c;
	struct err err;

	(void)redis_of(state);
	stop_program(r->pid);
	r->pid = 0;
	assert_false(look(r, &o, &c, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_non_null(strstr(err.cure, "systemctl status database"));
}

CASES_MAIN(NULL, NULL)
