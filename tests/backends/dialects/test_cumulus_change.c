/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of the dialect "cumulus" for a change, and its reading of NVUE's answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/cumulus/change.h"
#include "base/str.h"
#include "tests/support/cases.h"

static const struct target rest = {
	.device = "leaf1", .tier = TIER_LEAF, .transport = TRANSPORT_HTTPS, .lossless = 8};
static const struct target shell = {
	.device = "leaf1", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 8};

static struct condition fine(void)
{
	struct condition c;

	condition_init(&c);
	c.pending = 0;
	c.pfc = 1 << 3;
	c.wd_set.detect_ms = 300;
	(void)str_copy(c.bgp_peer, sizeof(c.bgp_peer), "swp5");
	return c;
}

static struct order order_of(enum verb verb)
{
	struct order o = {.verb = verb, .priority = -1};

	(void)str_copy(o.port, sizeof(o.port), "swp5");
	(void)str_copy(o.peer, sizeof(o.peer), "swp5");
	return o;
}

static struct request_list words_of(
	const struct target *t, const struct order *o, const struct condition *c)
{
	struct request_list l = {0};
	struct err err = {0};

	if (!cumulus_changes.command(t, o, c, &l, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < l.at.n; i++)
		assert_true(l.at.at[i].change);
	return l;
}

static void refuses(
	const struct target *t, const struct order *o, const struct condition *c, const char *why)
{
	struct request_list l = {0};
	struct err err = {0};

	assert_false(cumulus_changes.command(t, o, c, &l, &err));
	assert_int_equal(l.at.n, 0);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" instead of \"%s\"", err.text, why);
}

static void request_is(const struct request_list *l, size_t i, const char *name, const char *method,
	const char *path, const char *body)
{
	const struct request *r = &l->at.at[i];

	assert_string_equal(r->name, name);
	assert_string_equal(r->method, method);
	assert_string_equal(r->path, path);
	if (body)
		assert_string_equal(r->body, body);
	else
		assert_null(r->body);
	assert_null(r->command);
}

CASE(a_revision_of_its_own_byte_by_byte)
{
	static const struct {
		enum verb verb;
		const char *path, *body;
	} all[] = {
		{VERB_WD_STOP, "interface/swp5/qos/pfc-watchdog", "{\"state\": \"disable\"}"},
		{VERB_WD_START, "interface/swp5/qos/pfc-watchdog", "{\"state\": \"enable\"}"},
		{VERB_PORT_DOWN, "interface/swp5/link", "{\"state\": {\"down\": {}}}"},
		{VERB_PORT_UP, "interface/swp5/link", "{\"state\": {\"up\": {}}}"},
		{VERB_BGP_DOWN, "vrf/default/router/bgp/neighbor/swp5", "{\"shutdown\": \"on\"}"},
		{VERB_BGP_UP, "vrf/default/router/bgp/neighbor/swp5", "{\"shutdown\": \"off\"}"},
	};
	struct condition c = fine();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct order o = order_of(all[i].verb);
		struct request_list l = words_of(&rest, &o, &c);
		char path[160];

		(void)str_printf(path, sizeof(path), "/nvue_v1/%s?rev={revision}", all[i].path);
		assert_int_equal(l.at.n, 4);
		request_is(&l, 0, "revision", "POST", "/nvue_v1/revision", NULL);
		request_is(&l, 1, "set", "PATCH", path, all[i].body);
		request_is(&l, 2, "apply", "PATCH", "/nvue_v1/revision/{revision}",
			"{\"state\": \"apply\"}");
		request_is(&l, 3, "applied", "GET", "/nvue_v1/revision/{revision}", NULL);
		requests_free(&l);
	}
}

CASE(one_line_of_a_shell_byte_by_byte)
{
	static const struct {
		enum verb verb;
		const char *line;
	} all[] = {
		{VERB_WD_STOP, "nv set interface swp5 qos pfc-watchdog state disable"},
		{VERB_WD_START, "nv set interface swp5 qos pfc-watchdog state enable"},
		{VERB_PORT_DOWN, "nv set interface swp5 link state down"},
		{VERB_PORT_UP, "nv set interface swp5 link state up"},
		{VERB_BGP_DOWN, "nv set vrf default router bgp neighbor swp5 shutdown on"},
		{VERB_BGP_UP, "nv set vrf default router bgp neighbor swp5 shutdown off"},
	};
	struct condition c = fine();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct order o = order_of(all[i].verb);
		struct request_list l = words_of(&shell, &o, &c);
		char line[256];

		(void)str_printf(line, sizeof(line),
			"%s && nv config apply --assume-no; r=$?; nv config detach >/dev/null "
			"2>&1; exit $r",
			all[i].line);
		assert_int_equal(l.at.n, 1);
		assert_string_equal(l.at.at[0].command, line);
		assert_null(l.at.at[0].input);
		requests_free(&l);
	}
}

CASE(what_is_not_safe_is_refused)
{
	struct condition c = fine();
	struct order o = order_of(VERB_WD_START);
	struct request_list l;

	/* An apply would also apply other pending changes. */
	c.pending = 1;
	refuses(&shell, &o, &c, "unapplied changes");
	c.pending = -1;
	refuses(&shell, &o, &c, "railtop cannot check");
	/* A revision of its own takes none of it along. */
	l = words_of(&rest, &o, &c);
	requests_free(&l);
	c = fine();
	c.pfc = 0;
	refuses(&rest, &o, &c, "PFC is off");
	c.pfc = -1;
	refuses(&rest, &o, &c, "the PFC setting");
	/* The times apply to the whole switch: another switch-wide time would break the order. */
	c = fine();
	o.wd.detect_ms = 200;
	refuses(&rest, &o, &c, "after 300 ms on the whole switch");
	o.wd.detect_ms = 300;
	l = words_of(&rest, &o, &c);
	requests_free(&l);
	o = order_of(VERB_BGP_DOWN);
	c.bgp_peer[0] = '\0';
	refuses(&rest, &o, &c, "no neighbour of this name");
	c = fine();
	(void)str_copy(o.peer, sizeof(o.peer), "fe80::1%swp5");
	(void)str_copy(c.bgp_peer, sizeof(c.bgp_peer), "fe80::1%swp5");
	refuses(&rest, &o, &c, "cannot contain a neighbour");
	o = order_of(VERB_LOCATE_ON);
	refuses(&rest, &o, &c, "no locate-on");
	o = order_of(VERB_WD_RECOVER);
	refuses(&rest, &o, &c, "no wd-recover");
}

CASE(hostile_words_never_get_into_a_request)
{
	static const char *const ports[] = {"", "eth0", "swp", "swp5; reboot", "swp1-64", "swp1,2",
		"swp5/../../system", "swp5?rev=1", "swp5%2f", "-y", "swp5 link", "swp5\n", "lo"};
	struct condition c = fine();

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		struct order o = order_of(VERB_PORT_DOWN);
		struct request_list l = {0};
		struct err err = {0};

		(void)str_copy(o.port, sizeof(o.port), ports[i]);
		assert_false(cumulus_changes.look(&rest, &o, &l, &err));
		assert_int_equal(err.code, ERR_REFUSED);
		assert_false(cumulus_changes.command(&rest, &o, &c, &l, &err));
		assert_false(cumulus_changes.command(&shell, &o, &c, &l, &err));
		assert_int_equal(l.at.n, 0);
	}
}

CASE(the_sites_lines_need_a_shell)
{
	struct condition c = fine();
	struct order o = order_of(VERB_WD_STOP);
	struct request_list l;

	o.lines = "nv set interface {port} qos pfc-watchdog state disable\nnv config apply -y\n";
	l = words_of(&shell, &o, &c);
	assert_int_equal(l.at.n, 1);
	assert_string_equal(l.at.at[0].command, "sh -e -s");
	assert_string_equal(l.at.at[0].input,
		"nv set interface swp5 qos pfc-watchdog state disable\nnv config apply -y\n");
	requests_free(&l);
	refuses(&rest, &o, &c, "cannot be sent over HTTPS");
}

/* ---- whether it was taken ---- */

static enum taken taken(const struct target *t, const char *request, int status, const char *bytes,
	const char *complaint, struct change_notes *notes, struct err *err)
{
	struct order o = order_of(VERB_WD_STOP);
	struct reply r = {bytes, strlen(bytes), status, complaint};

	memset(err, 0, sizeof(*err));
	return cumulus_changes.taken(t, &o, request, &r, notes, err);
}

#define REST(request, status, bytes) taken(&rest, request, status, bytes, "", &notes, &e)
#define STATE(word, issue)                                                                         \
	"{\"state\": \"" word "\", \"transition\": {\"issue\": {" issue "}, \"progress\": \"\"}}"

CASE(a_revision_is_noted)
{
	struct change_notes notes = {0};
	struct err e;

	assert_int_equal(REST("revision", 200, "{\"17\": {\"state\": \"pending\"}}"), TAKEN_YES);
	assert_string_equal(notes.revision, "17");
	/* As the first releases named them: one segment of a path. */
	assert_int_equal(
		REST("revision", 200, "{\"changeset/cumulus/2021-11-02_16.09.18_S0QM\": {}}"),
		TAKEN_YES);
	assert_string_equal(notes.revision, "changeset%2Fcumulus%2F2021-11-02_16.09.18_S0QM");
	assert_int_equal(REST("revision", 200, "{\"../../system\": {}}"), TAKEN_NO);
	assert_int_equal(REST("revision", 200, "{\"1?x\": {}}"), TAKEN_NO);
	assert_int_equal(REST("revision", 200, "{\"1 2\": {}}"), TAKEN_NO);
	assert_int_equal(REST("revision", 200, "{}"), TAKEN_NO);
	assert_int_equal(REST("revision", 200, "hello"), TAKEN_NO);
	assert_int_equal(REST("revision", 200,
				 "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
				 "aaaaaaaaaaaaa"
				 "aaaaaaaaaaaaaaaaaaaa\": {}}"),
		TAKEN_NO);
}

CASE(an_apply_is_waited_for)
{
	struct change_notes notes = {0};
	struct err e;

	assert_int_equal(REST("set", 200, "{\"state\": \"disable\"}"), TAKEN_YES);
	assert_int_equal(REST("apply", 200, STATE("apply", "")), TAKEN_YES);
	assert_int_equal(REST("applied", 200, STATE("apply", "")), TAKEN_WAIT);
	assert_int_equal(REST("applied", 200, STATE("ready", "")), TAKEN_WAIT);
	assert_int_equal(REST("applied", 200, STATE("reloading", "")), TAKEN_WAIT);
	assert_int_equal(REST("applied", 200, STATE("applied", "")), TAKEN_YES);
	assert_int_equal(REST("applied", 200, STATE("applied_and_saved", "")), TAKEN_YES);
	assert_int_equal(REST("applied", 200, STATE("pending", "")), TAKEN_WAIT);
	/* As it should be already: nothing to apply. */
	assert_int_equal(REST("applied", 200,
				 STATE("pending", "\"00000\": {\"message\": \"config apply "
						  "executed with no config diff\"}")),
		TAKEN_YES);
}

CASE(an_apply_that_fails_says_why)
{
	struct change_notes notes = {0};
	struct err e;

	assert_int_equal(
		REST("applied", 200,
			STATE("invalid", "\"0\": {\"code\": \"config_invalid\", \"message\": "
					 "\"PFC must be enabled on swp5\", \"severity\": "
					 "\"error\"}")),
		TAKEN_NO);
	assert_non_null(strstr(e.text, "invalid: PFC must be enabled on swp5"));
	assert_non_null(strstr(e.cure, "not applied"));
	assert_int_equal(REST("applied", 200, STATE("ays_fail", "")), TAKEN_NO);
	assert_int_equal(REST("applied", 200, STATE("ready_error", "")), TAKEN_NO);
	assert_int_equal(REST("apply", 200, STATE("invalid", "")), TAKEN_NO);
	/* It warns of more than was asked for, and waits for an answer that is not given. */
	assert_int_equal(REST("applied", 200, STATE("ays", "")), TAKEN_NO);
	assert_non_null(strstr(e.text, "asks for a confirmation"));
	assert_non_null(strstr(e.cure, "manual edits"));
	assert_int_equal(REST("apply", 200, STATE("ays", "")), TAKEN_NO);
	/* A service failed in the middle: that is not nothing. */
	assert_int_equal(REST("applied", 200,
				 STATE("ignore_fail", "\"0\": {\"message\": \"Unable to "
						      "reload-or-restart services (frr)\"}")),
		TAKEN_NO);
	assert_non_null(strstr(e.text, "ignore_fail: Unable to reload"));
	assert_non_null(strstr(e.cure, "may be in force"));
	/* Nothing that says how it is. */
	assert_int_equal(REST("applied", 200, "{}"), TAKEN_NO);
	assert_int_equal(REST("applied", 200, "<html>"), TAKEN_NO);
	assert_int_equal(REST("applied", 500,
				 "{\"title\": \"Internal Server Error\", \"status\": 500, "
				 "\"detail\": \"nvued is not running\"}"),
		TAKEN_NO);
	assert_non_null(strstr(e.text, "nvued is not running"));
	assert_int_equal(REST("set", 400,
				 "{\"title\": \"Bad Request\", \"status\": 400, \"detail\": "
				 "\"'swp500' does not exist\"}"),
		TAKEN_NO);
	assert_int_equal(REST("set", 403,
				 "{\"title\": \"Forbidden\", \"status\": 403, \"detail\": "
				 "\"read only\"}"),
		TAKEN_NO);
	assert_int_equal(e.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(e.cure, "nvapply"));
}

CASE(a_shell_says_it_in_words)
{
	struct change_notes notes = {0};
	struct err e;

	assert_int_equal(taken(&shell, "apply", 0, "applied [rev_id: 7]\n", "created [rev_id: 7]\n",
				 &notes, &e),
		TAKEN_YES);
	assert_int_equal(
		taken(&shell, "apply", 0, "applied_and_saved [rev_id: 7]\n", "", &notes, &e),
		TAKEN_YES);
	assert_int_equal(taken(&shell, "apply", 1, "invalid [rev_id: 7]\n",
				 "created [rev_id: 7]\nError: PFC must be enabled\n", &notes, &e),
		TAKEN_NO);
	assert_non_null(strstr(e.text, "PFC must be enabled"));
	/* Declined, with any exit status. */
	assert_int_equal(taken(&shell, "apply", 0,
				 "Warning: The following files have been changed since the last "
				 "save, and they WILL be overwritten.\n- /etc/frr/frr.conf\n"
				 "Are you sure? [y/N] Declined apply after warnings [rev_id: 7]\n",
				 "", &notes, &e),
		TAKEN_NO);
	assert_non_null(strstr(e.text, "WILL be overwritten"));
	assert_non_null(strstr(e.cure, "manual edits"));
	assert_int_equal(taken(&shell, "apply", 0, "applied\n",
				 "Warning: Existing certificates are old\n", &notes, &e),
		TAKEN_YES);
	assert_int_equal(
		taken(&shell, "apply", 1, "Failure during apply. Ignore? [y/N]\n", "", &notes, &e),
		TAKEN_NO);
	assert_non_null(strstr(e.cure, "may be in force"));
	/* nv printed an error and succeeded. */
	assert_int_equal(taken(&shell, "apply", 0, "", "Error: something\n", &notes, &e), TAKEN_NO);
	assert_int_equal(taken(&shell, "apply", 1, "", "", &notes, &e), TAKEN_NO);
	assert_int_equal(
		taken(&shell, "apply", 1, "", "Error: Permission denied\n", &notes, &e), TAKEN_NO);
	assert_int_equal(e.code, ERR_UNAUTHORISED);
}

/* ---- reading the condition ---- */

static bool see(const struct target *t, enum verb verb, const char *request, int status,
	const char *bytes, struct condition *c)
{
	struct order o = order_of(verb);
	struct reply r = {bytes, strlen(bytes), status, ""};
	struct err err = {0};

	o.peer[0] = '\0';
	return cumulus_changes.see(t, &o, request, &r, c, &err);
}

CASE(a_watchdog_is_seen)
{
	struct condition c;

	condition_init(&c);
	assert_true(see(&rest, VERB_WD_STOP, "change-watchdog", 200,
		"{\"state\": \"enable\", \"status\": {\"traffic-class\": {\"3\": {\"status\": "
		"\"DEADLOCK\", \"deadlock-count\": 4}, \"4\": {\"status\": \"OK\", "
		"\"deadlock-count\": 0}}}}",
		&c));
	assert_int_equal(c.wd, 1);
	assert_int_equal(c.wd_global, 1);
	assert_int_equal(c.wd_state[3], WD_STORMED);
	assert_int_equal(c.wd_state[4], WD_OPERATIONAL);
	assert_int_equal(c.wd_state[0], WD_UNKNOWN);
	assert_int_equal(c.wd_storms[3], 4);
	assert_true(c.wd_storms[0] == UINT64_MAX);
	assert_int_equal(c.pending, 0);
	assert_true(see(&rest, VERB_WD_STOP, "change-times", 200,
		"{\"polling-interval\": \"0:00:00.100000\", \"robustness\": 3}", &c));
	assert_int_equal(c.wd_set.detect_ms, 300);
	assert_true(see(&rest, VERB_WD_STOP, "change-pfc", 200,
		"{\"switch-priority\": {\"3\": {}}, \"rx-enable\": \"enable\", \"tx-enable\": "
		"\"enable\"}",
		&c));
	assert_int_equal(c.pfc, 8);
	assert_true(see(&rest, VERB_WD_STOP, "change-counters", 200,
		"{\"pfc-stats\": {\"switch-priority\": {\"3\": {\"rx-pause-frames\": 812}}}}", &c));
	assert_int_equal(c.rx_pause[3], 812);
	assert_true(c.rx_pause[4] == UINT64_MAX);
	assert_true(
		see(&rest, VERB_WD_STOP, "change-watchdog", 200, "{\"state\": \"disable\"}", &c));
	assert_int_equal(c.wd, 0);
	assert_int_equal(c.wd_state[3], WD_OFF);
	assert_true(see(&rest, VERB_WD_STOP, "change-pfc", 200,
		"{\"switch-priority\": {\"3\": {}}, \"rx-enable\": \"disable\", \"tx-enable\": "
		"\"disable\"}",
		&c));
	assert_int_equal(c.pfc, 0);
}

CASE(the_devices_own_times_are_no_failure)
{
	struct condition c = fine();
	struct order o = order_of(VERB_WD_START);
	char why[200];

	(void)str_copy(o.wd.action, sizeof(o.wd.action), "drop");
	o.wd.detect_ms = 300;
	o.wd.restore_ms = 400;
	c.wd = c.wd_global = 1;
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_MET);
	c.wd_state[3] = WD_STORMED;
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_NOT_MET);
	c.wd_state[3] = WD_OPERATIONAL;
	c.wd_global = 0;
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_NOT_MET);
}

CASE(a_session_is_seen)
{
	static const char bgp[] =
		"{\"autonomous-system\": 65101, \"neighbor\": {\"swp5\": {\"state\": "
		"\"established\", \"remote-as\": 65000}, \"swp6\": {\"state\": \"idle\"}}}";
	struct condition c;

	condition_init(&c);
	assert_true(see(&rest, VERB_BGP_DOWN, "change-bgp", 200, bgp, &c));
	assert_int_equal(c.bgp_asn, 65101);
	assert_string_equal(c.bgp_peer, "swp5");
	assert_int_equal(c.bgp, BGP_ESTABLISHED);
	assert_int_equal(c.bgp_shut, -1);
	assert_true(see(&rest, VERB_BGP_DOWN, "change-shutdown", 200,
		"{\"swp5\": {\"remote-as\": \"external\"}}", &c));
	assert_int_equal(c.bgp_shut, 0);
	assert_true(see(&rest, VERB_BGP_DOWN, "change-shutdown", 200,
		"{\"swp5\": {\"shutdown\": \"on\"}}", &c));
	assert_int_equal(c.bgp_shut, 1);
	assert_true(see(&rest, VERB_BGP_DOWN, "change-link", 200,
		"{\"admin-status\": \"up\", \"oper-status\": \"down\"}", &c));
	assert_int_equal(c.admin, OPER_UP);
	assert_int_equal(c.oper, OPER_DOWN);
}

CASE(what_is_not_told_is_unknown)
{
	static const char missing[] =
		"{\"title\": \"Not Found\", \"status\": 404, \"detail\": \"The requested item does "
		"not exist.\"}";
	struct condition c;

	condition_init(&c);
	assert_true(see(&rest, VERB_WD_STOP, "change-times", 404, missing, &c));
	assert_true(see(&rest, VERB_WD_STOP, "change-counters", 404, missing, &c));
	assert_true(see(&shell, VERB_WD_STOP, "change-pfc", 1,
		"Error: The requested item does not exist.\n", &c));
	assert_int_equal(c.wd_set.detect_ms, 0);
	assert_int_equal(c.pfc, -1);
	/* Without these nothing is known. */
	assert_false(see(&rest, VERB_WD_STOP, "change-watchdog", 404, missing, &c));
	assert_false(see(&rest, VERB_WD_STOP, "change-link", 500, missing, &c));
	assert_false(see(&rest, VERB_WD_STOP, "change-link", 200, "<html>", &c));
	assert_false(see(&rest, VERB_WD_STOP, "change-link", 200, "{\"admin-status\": \"u", &c));
	assert_false(see(&rest, VERB_WD_STOP, "other", 200, "{}", &c));
	assert_int_equal(c.wd, -1);
	assert_true(see(&rest, VERB_WD_STOP, "change-link", 200, "{}", &c));
	assert_int_equal(c.admin, OPER_UNKNOWN);
}

CASE(what_is_pending_is_seen)
{
	static const struct {
		int status;
		const char *bytes;
		int pending;
	} all[] = {
		{0, "", 0},
		{0, "\n", 0},
		{0, "[]\n", 0},
		{0, "{}\n", 0},
		{0, "[\n  {\n    \"set\": {}\n  }\n]\n", 0},
		{0, "- set:\n    interface:\n      swp1:\n        type: swp\n", 1},
		{0, "- unset:\n    interface:\n", 1},
		{0, "[{\"set\": {\"interface\": {\"swp1\": {\"link\": {\"mtu\": 9000}}}}}]", 1},
		{0,
			"[{\"set\": {\"interface\": {\"swp1\": {\"link\": {\"state\": {\"up\": "
			"{}}}}}}}]",
			1},
		{0, "[{\"unset\": {\"interface\": {\"swp1\": {}}}}]", 1},
		{0, "Something else\n", -1},
		{1, "", -1},
		{1, "Error: Internal Server Error\n", -1},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct condition c;

		condition_init(&c);
		assert_true(see(
			&shell, VERB_PORT_DOWN, CUMULUS_PENDING, all[i].status, all[i].bytes, &c));
		if (c.pending != all[i].pending)
			fail_msg("%s: %d", all[i].bytes, c.pending);
	}
}

CASES_MAIN(NULL, NULL)
