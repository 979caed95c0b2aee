/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/* The text that SONiC's dialect learns and reports: facts, refusals, BGP, the log. */

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static const struct backend_ops *sonic(void)
{
	return backend_by_name("sonic");
}

static struct obs *decode_text(const struct target *t, const char *request, const char *text)
{
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};

	o->received_us = INT64_C(1795284000000000); /* 21 Nov 2026 18:00:00 UTC */
	if (!sonic()->parse(t, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", text, err.text);
	return o;
}

/* ---- facts ---- */

static const char *fact_of(const struct obs *o, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT &&
			str_eq(obs_text(o, o->items.at[i].text), key))
			value = obs_text(o, o->items.at[i].text2);
	return value;
}

static const char *planned(
	const struct target *t, enum poll_tier tier, const char *name, struct request_list *l)
{
	struct err err;

	assert_true(sonic()->plan(t, tier, l, &err));
	for (size_t i = 0; i < l->at.n; i++)
		if (str_eq(l->at.at[i].name, name))
			return l->at.at[i].command;
	fail_msg("no request %s", name);
	return NULL;
}

#define SMALL                                                                                      \
	"{\"t\":[\"1\",\"0\"],\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"ports\":{\"Ethernet%s\":"  \
	"{\"c\":[\"7\"]}}}\n"

/* As SCRIPT LOAD prints it. */
static const char *fast_sha(char sha[SONIC_SHA_SIZE])
{
	assert_true(sonic_script_sha(sonic_fast_lua, sha));
	return sha;
}

CASE(a_script_is_sent_once)
{
	char sha[SONIC_SHA_SIZE], asked[128];
	struct facts facts = {0};
	struct target t = leaf;
	struct request_list l = {0};
	const char *command;
	char text[512];
	struct obs *o;

	t.facts = &facts;
	command = planned(&t, POLL_FAST, "fast", &l);
	assert_non_null(strstr(command, "EVAL \"$s\" 0 3 0 2>&1"));
	assert_non_null(strstr(command, "SCRIPT LOAD \"$s\""));
	requests_free(&l);
	/* The name of another script would be another script. */
	str_printf(text, sizeof(text), SMALL "0123456789abcdef0123456789abcdef01234567\n", "0");
	o = decode_text(&t, "fast", text);
	assert_null(fact_of(o, "sha.fast"));
	obs_free(o);
	str_printf(text, sizeof(text), SMALL "%s\n", "0", fast_sha(sha));
	o = decode_text(&t, "fast", text);
	assert_string_equal(fact_of(o, "sha.fast"), sha);
	assert_false(o->again);
	facts_learn(&facts, o);
	obs_free(o);
	command = planned(&t, POLL_FAST, "fast", &l);
	str_printf(asked, sizeof(asked), "COUNTERS_DB EVALSHA %s 0 3 0 2>&1", sha);
	assert_non_null(strstr(command, asked));
	assert_null(strstr(command, "redis.call"));
	assert_true(strlen(command) < 200);
	requests_free(&l);
	o = decode_text(&t, "fast", "NOSCRIPT No matching script. Please use EVAL.\n");
	assert_true(o->again);
	assert_string_equal(fact_of(o, "sha.fast"), "");
	obs_free(o);
	/* The Python sonic-db-cli of old releases. */
	o = decode_text(&t, "fast", "NoScriptError: No matching script. Please use EVAL.\n");
	assert_true(o->again);
	facts_learn(&facts, o);
	obs_free(o);
	assert_non_null(strstr(planned(&t, POLL_FAST, "fast", &l), "redis.call"));
	requests_free(&l);
	facts_free(&facts);
}

/* A port that is described with Redis's own words is a port. */
CASE(words_of_a_description_forget_nothing)
{
	char sha[SONIC_SHA_SIZE];
	struct facts facts = {0};
	struct target t = leaf;
	struct obs *o;

	t.facts = &facts;
	facts_set(&facts, "sha.fast", fast_sha(sha));
	o = decode_text(&t, "fast",
		"{\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"af\":[\"description\"],\"ports\":{"
		"\"Ethernet0\":{\"c\":\"7\",\"a\":[\"NOSCRIPT No matching script\"]}}}\n");
	assert_false(o->again);
	assert_int_equal(o->ports.n, 1);
	obs_free(o);
	facts_free(&facts);
}

CASE(what_a_switch_is_becomes_facts)
{
	struct target t = leaf;
	struct obs *o = decode_text(&t, "detect",
		"zone=+0100\nNUM_ASIC=2\nDEV_ID_ASIC_0=03:00.0\nasics.sudo=yes\nlog=sudo-whole\n"
		"vtysh=plain\n");
	char sha[SONIC_SHA_SIZE];

	/* Redis may have the script from an earlier connection; if not, it says so. */
	assert_string_equal(fact_of(o, "sha.fast"), fast_sha(sha));
	assert_string_equal(fact_of(o, "zone"), "+0100");
	assert_string_equal(fact_of(o, "asics"), "asic0 asic1");
	assert_string_equal(fact_of(o, "log"), "sudo-whole");
	assert_string_equal(fact_of(o, "vtysh"), "plain");
	assert_int_equal(capability_of(o, "port counters", NULL), VALID_UNKNOWN);
	obs_free(o);
	o = decode_text(&t, "detect", "NUM_ASIC=1\nasics.sudo=no\nlog=plain\n");
	assert_null(fact_of(o, "asics"));
	assert_int_equal(capability_of(o, "port counters", NULL), VALID_UNKNOWN);
	obs_free(o);
}

/* A user who may not ask the ASICs or read the log loses only these, and sees the cure. */
CASE(refusals_are_capabilities)
{
	struct facts facts = {0};
	struct target t = leaf;
	struct request_list l = {0};
	const char *cure = "";
	struct obs *o;
	struct err err;

	t.facts = &facts;
	o = decode_text(&t, "detect", "zone=+0000\nNUM_ASIC=4\nasics.sudo=no\nlog=no\n");
	assert_int_equal(capability_of(o, "port counters", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "sudo sonic-db-cli"));
	assert_int_equal(capability_of(o, "event log", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "usermod -aG adm"));
	facts_learn(&facts, o);
	obs_free(o);
	assert_null(strstr(planned(&t, POLL_FAST, "fast", &l), "asic0"));
	requests_free(&l);
	assert_true(sonic()->plan(&t, POLL_EVENTS, &l, &err));
	assert_int_equal(l.at.n, 0);
	requests_free(&l);
	o = decode_text(&t, "fast", "{\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"ports\":{}}");
	assert_int_equal(o->err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(o->err.cure, "sudo sonic-db-cli"));
	obs_free(o);
	facts_free(&facts);
}

CASE(several_asics_are_one_switch)
{
	struct facts facts = {0};
	struct target t = leaf;
	struct request_list l = {0};
	const char *command;
	struct obs *o;
	char text[1024], one[256], two[256], sha[SONIC_SHA_SIZE];

	t.facts = &facts;
	facts_set(&facts, "asics", "asic0 asic1");
	facts_set(&facts, "asics.sudo", "yes");
	command = planned(&t, POLL_FAST, "fast", &l);
	assert_non_null(strstr(command, "for a in asic0 asic1; do echo \"@asic $a 0\"; sudo -n "
					"sonic-db-cli -n $a COUNTERS_DB EVAL \"$s\" 0 3 0"));
	requests_free(&l);
	command = planned(&t, POLL_SLOW, "config", &l);
	assert_non_null(strstr(command, "; sonic-db-cli CONFIG_DB EVAL"));
	assert_non_null(strstr(command, "sudo -n sonic-db-cli -n $a CONFIG_DB EVAL"));
	requests_free(&l);
	command = planned(&t, POLL_MEDIUM, "bgp", &l);
	assert_non_null(strstr(command, "sudo -n rvtysh -n ${a#asic} -c"));
	requests_free(&l);
	facts_set(&facts, SONIC_FACT_BUNDLES, "yes");
	command = planned(&t, POLL_MEDIUM, "segments", &l);
	assert_non_null(strstr(command, "sudo -n rvtysh -n ${a#asic} -c \"show evpn es json\""));
	for (size_t i = 0; i < l.at.n; i++)
		assert_true(sonic()->reads(&l.at.at[i]));
	requests_free(&l);
	str_printf(one, sizeof(one), SMALL, "0");
	str_printf(two, sizeof(two), SMALL, "8");
	str_printf(text, sizeof(text), "1.5 2.5\n@asic asic0\n%s%s\n@asic asic1\n%s%s\n", one,
		fast_sha(sha), two, sha);
	o = decode_text(&t, "fast", text);
	assert_int_equal(o->ports.n, 2);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0), 7);
	assert_int_equal(cell_count(at_port(o, "Ethernet8"), "rx_bytes", 0), 7);
	assert_string_equal(fact_of(o, "sha.fast"), fast_sha(sha));
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
	/* One of them does not answer: the other's ports are there, and the error beside them. */
	str_printf(text, sizeof(text), "@asic asic0\nCould not connect to Redis\n@asic asic1\n%s",
		two);
	o = decode_text(&t, "fast", text);
	assert_int_equal(o->ports.n, 1);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.cure, "systemctl status database"));
	obs_free(o);
	/* One has lost the script: all are asked again. */
	facts_set(&facts, "sha.fast", fast_sha(sha));
	str_printf(text, sizeof(text), "@asic asic0\n%s@asic asic1\nNOSCRIPT No matching\n", one);
	o = decode_text(&t, "fast", text);
	assert_true(o->again);
	obs_free(o);
	facts_free(&facts);
}

/* One call reads so many ports: Redis answers nobody else in the meantime. */
CASE(a_large_switch_is_asked_in_pieces)
{
	struct facts facts = {0};
	struct target t = leaf;
	struct request_list l = {0};
	const char *command;
	char sha[SONIC_SHA_SIZE], text[1200];
	struct obs *o;

	t.facts = &facts;
	facts_set(&facts, "sha.fast", fast_sha(sha));
	/* Its number of ports is not known yet: a part of the ports is no answer. */
	o = decode_text(&t, "fast",
		"{\"t\":[\"1\",\"0\"],\"n\":40,\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"ports\":{"
		"\"Ethernet0\":{\"c\":[\"7\"]}}}\n");
	assert_true(o->again);
	assert_int_equal(o->ports.n, 0);
	assert_string_equal(fact_of(o, SONIC_FACT_PORTS), "40");
	facts_learn(&facts, o);
	obs_free(o);
	command = planned(&t, POLL_FAST, "fast", &l);
	assert_non_null(strstr(command, "; for i in 0 16 32; do echo \"@asic $i\"; sonic-db-cli "
					"COUNTERS_DB EVALSHA "));
	assert_non_null(strstr(command, " 0 3 $i 2>&1; done"));
	assert_true(backend_by_name("sonic")->reads(&l.at.at[0]));
	requests_free(&l);
	str_printf(text, sizeof(text),
		"1.5 2.5\n@asic 0\n" SMALL "@asic 16\n" SMALL
		"@asic 32\n{\"t\":[\"1\",\"0\"],\"n\":40,"
		"\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"ports\":{}}\n",
		"0", "128");
	o = decode_text(&t, "fast", text);
	assert_false(o->again);
	assert_int_equal(o->ports.n, 2);
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
	/* Other words in place of the pieces are no read. */
	for (unsigned i = 0; i < 3; i++) {
		static const char *const words[] = {"0 16", "0 16;reboot", "$(reboot)"};

		str_printf(text, sizeof(text),
			"cat /proc/sys/kernel/random/boot_id /proc/uptime; for i in %s; do echo "
			"\"@asic $i\"; sonic-db-cli COUNTERS_DB EVALSHA %s 0 3 $i 2>&1; done",
			words[i], sha);
		requests_ssh(&l, "fast", text, NULL);
		assert_true(backend_by_name("sonic")->reads(&l.at.at[0]) == (i == 0));
		requests_free(&l);
	}
	facts_free(&facts);
}

/* The settings of such a switch follow its version: what stands before the first piece is no reply.
 */
#define NO_SETTINGS                                                                                \
	"{\"t\":[\"1\",\"0\"],\"n\":12,\"mf\":[\"hostname\"],\"rf\":[],\"pf\":[],\"wf\":[],"       \
	"\"bf\":[],\"hf\":[],\"ports\":{}}\n"
CASE(settings_in_pieces_have_no_reply_of_their_own)
{
	struct facts facts = {0};
	struct target t = leaf;
	struct obs *o;

	t.facts = &facts;
	facts_set(&facts, SONIC_FACT_PORTS, "12");
	o = decode_text(&t, "config",
		"build_version: 'SONiC.202411.0'\nbranch: '202411'\nrelease: '202411'\n"
		"@asic 0\n" NO_SETTINGS "@asic 8\n" NO_SETTINGS);
	assert_int_equal(o->err.code, ERR_NONE);
	assert_string_equal(o->err.text, "");
	obs_free(o);
	/* Of several ASICs the switch's own reply stands there, and one that failed is said. */
	o = decode_text(&t, "config",
		"build_version: 'SONiC.202411.0'\nCould not connect to Redis\n"
		"@asic asic0 0\n" NO_SETTINGS "@asic asic0 8\n" NO_SETTINGS);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.text, "Could not connect to Redis"));
	obs_free(o);
	facts_free(&facts);
}

CASE(bgp_and_why_there_is_none)
{
	static const struct {
		const char *answer, *cure;
	} refusals[] = {
		{"Error response from daemon: No such container: bgp\n", "feature state bgp"},
		{"Error response from daemon: Container 4f is not running\n", "restart bgp"},
		{"sudo: a password is required\n", "rvtysh"},
		{"permission denied while trying to connect to the Docker daemon socket\n",
			"rvtysh"},
	};
	static const char session[] =
		"{\"ipv4Unicast\":{\"as\":65001,\"peers\":{\"10.0.0.%s\":{\"remoteAs\":65100,"
		"\"state\":\"Established\",\"pfxRcd\":3}}}}\n";
	char one[256], two[256], text[600];
	struct obs *o;

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const char *cure = "";

		o = decode_text(&leaf, "bgp", refusals[i].answer);
		assert_int_equal(capability_of(o, "BGP sessions", &cure), VALID_DISABLED);
		assert_non_null(strstr(cure, refusals[i].cure));
		assert_int_equal(o->bgp.n, 0);
		assert_false(o->bgp_whole);
		obs_free(o);
	}
	str_printf(one, sizeof(one), session, "1");
	str_printf(two, sizeof(two), session, "2");
	o = decode_text(&leaf, "bgp", one);
	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_true(o->bgp_whole);
	obs_free(o);
	str_printf(text, sizeof(text), "@asic asic0\n%s@asic asic1\n%s", one, two);
	o = decode_text(&leaf, "bgp", text);
	assert_int_equal(o->bgp.n, 2);
	assert_true(o->bgp_whole);
	obs_free(o);
	str_printf(
		text, sizeof(text), "@asic asic0\n%s@asic asic1\nNo such container: bgp1\n", one);
	o = decode_text(&leaf, "bgp", text);
	assert_int_equal(o->bgp.n, 1);
	assert_false(o->bgp_whole);
	obs_free(o);
}

CASE(the_log_is_followed)
{
	struct facts facts = {0};
	struct target t = leaf;
	struct request_list l = {0};
	const char *cure = "";
	struct obs *o;

	t.facts = &facts;
	assert_string_equal(
		planned(&t, POLL_EVENTS, "log", &l), "sudo -n tail -n0 -F /var/log/syslog");
	assert_true(l.at.at[0].follow);
	requests_free(&l);
	/* Everybody may run exactly this as root. */
	facts_set(&facts, "log", "sudo-whole");
	assert_string_equal(planned(&t, POLL_EVENTS, "log", &l), "sudo -n tail -F /var/log/syslog");
	requests_free(&l);
	facts_set(&facts, "log", "plain");
	assert_string_equal(planned(&t, POLL_EVENTS, "log", &l), "tail -n0 -F /var/log/syslog");
	requests_free(&l);
	facts_set(&facts, "zone", "+0100");
	o = decode_text(&t, "log",
		"2026 Nov 21 15:00:00.500000 leaf1 NOTICE swss#orchagent: :- "
		"setHostIntfsOperStatus: "
		"Set operation status DOWN to host interface Ethernet8\n");
	assert_int_equal(capability_of(o, "event log", NULL), VALID_OK);
	assert_int_equal(o->items.at[0].kind, OBS_EVENT);
	assert_int_equal(o->items.at[0].code, EV_LOG_ALARM);
	assert_true(
		o->items.at[0].time_us == INT64_C(1795284000500000) - INT64_C(4 * 3600) * 1000000);
	obs_free(o);
	o = decode_text(&t, "log", "sudo: a password is required\n");
	assert_int_equal(capability_of(o, "event log", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "adm"));
	obs_free(o);
	facts_free(&facts);
}

/* Cut off anywhere: understood, or refused with a reason. */
CASE(answers_in_words_may_be_cut_off)
{
	static const struct {
		const char *request, *answer;
	} cases[] = {
		{"detect", "zone=+0100\nNUM_ASIC=99\nNUM_ASIC=2\nasics.sudo=no\nlog=no\n=\n"},
		{"bgp", "@asic asic0\n{\"ipv4Unicast\":{\"peers\":{\"a\":{\"state\":\"Idle\"}}}}\n"
			"@asic asic1\nNo such container: bgp1\n"},
		{"log", "2026 Nov 21 15:00:00.500000 leaf1 NOTICE swss#orchagent: :- f: PFC "
			"Watchdog detected PFC storm on port Ethernet0, queue index 3\n"},
		{"fast", "@asic "
			 "asic0\n{\"pf\":[],\"ports\":{}}"
			 "\n0123456789abcdef0123456789abcdef01234567\n@asic asic1\nNOSCRIPT\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t n = 0; n <= strlen(cases[i].answer); n++) {
			struct obs *o = obs_new(leaf.device, cases[i].request);
			struct err err = {0};
			char *part = strndup(cases[i].answer, n);

			assert_non_null(part);
			if (!sonic()->parse(&leaf, cases[i].request, part, n, o, &err))
				assert_true(err.code != ERR_NONE && *err.text);
			free(part);
			obs_free(o);
		}
}

CASES_MAIN(NULL, NULL)
