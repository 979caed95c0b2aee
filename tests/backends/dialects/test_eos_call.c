/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/str.h"
#include "tests/backends/dialects/eos_bed.h"
#include "tests/support/cases.h"

/* Commands of eAPI that share a POST, and the fate of the others when one fails. */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static void learn_all(struct eos_bed *b, const struct obs *o)
{
	for (; o; o = o->more)
		facts_learn(&b->facts, o);
}

/* Plans a tier: puts the names of its requests into names, and returns their number. */
static size_t posts(const struct eos_bed *b, enum poll_tier tier, char *names, size_t size)
{
	struct request_list l = {0};
	struct err err = {0};
	size_t n;

	*names = '\0';
	assert_true(backend_by_name("eos")->plan(&b->target, tier, &l, &err));
	for (size_t i = 0; i < l.at.n; i++)
		str_printf(names + strlen(names), size - strlen(names), "%s ", l.at.at[i].name);
	n = l.at.n;
	requests_free(&l);
	return n;
}

/* The switch's answer to the command; NULL: it does not have the command. */
static json_t *result_of(const char *command)
{
	static const struct {
		const char *words, *body;
	} all[] = {
		{"show version", "{\"modelName\":\"M\",\"version\":\"4.32.1F\",\"uptime\":10.5,"
				 "\"bootupTimestamp\":1763999991.5}"},
		{"show hardware counter drop", "{\"dropEvents\":{}}"},
		{"show hostname", "{\"hostname\":\"spine-000\"}"},
		{"show clock", "{\"utcTime\":1764000000.5}"},
		{"counters detail", "{\"interfaces\":{\"Ethernet1/1\":{\"priorities\":{\"3\":"
				    "{\"rxFrames\":6,\"txFrames\":7}}}}}"},
		{"ecn counters queue", "{\"intfQueueCounters\":{\"Ethernet1/1\":{"
				       "\"queueCounters\":{\"3\":\"8\"}}}}"},
		{"queue detail",
			"{\"egressQueueCounters\":{\"interfaces\":{\"Ethernet1/1\":{"
			"\"ucastQueues\":{\"trafficClasses\":{\"TC3\":{\"dropPrecedences\":{"
			"\"DP0\":{\"droppedPackets\":9}}}}}}}}}"},
		{"watchdog", "{\"interfaces\":{}}"},
		{"phy detail", "{\"interfacePhyStatuses\":{}}"},
		{"transceiver", "{\"interfaces\":{}}"},
		{"lldp", "{\"lldpNeighbors\":{}}"},
		{"bgp summary", "{\"vrfs\":{\"default\":{\"peers\":{}}}}"},
		{"interfaces status", "{\"interfaceStatuses\":{}}"},
		{"load-balance", "{\"output\":\"Hash seed: 5\\n\"}"},
		{"show port-channel", "{\"portChannels\":{}}"},
		{"show mlag", "{\"state\":\"disabled\"}"},
		{"show arp vrf all", "{\"vrfs\":{\"default\":{\"ipV4Neighbors\":[]}}}"},
		{"show bgp evpn instance", "{\"bgpEvpnInstances\":{}}"},
		{"show queue-monitor length limit 90 seconds", "{\"lanzEnabled\":false}"},
		{"show logging", "{\"output\":\"\"}"},
		{"control status", "{\"output\":\"Et1/1 E A W 3 drop 0.2\\n\"}"},
		{"interfaces ecn", "{\"output\":\"Ethernet1/1:\\n 3 150 kbytes 900 kbytes 5\\n\"}"},
		{"qos maps",
			"{\"output\":\"tc : 0 1 2 3 4 5 6 7\\ntx-queue : 0 1 2 3 4 5 6 7\\n\"}"},
		{"trust", "{\"output\":\"Ethernet1/1 DSCP DSCP\\n\"}"},
		{"qos interfaces", "{\"output\":\"Ethernet1/1:\\n 3 50 - RR L\\n\"}"},
		{"show interfaces",
			"{\"interfaces\":{\"Ethernet1/1\":{\"lineProtocolStatus\":\"up\","
			"\"interfaceCounters\":{\"inOctets\":5,\"counterRefreshTime\":1764000001}}}"
			"}"},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (strstr(command, all[i].words))
			return json_loads(all[i].body, 0, NULL);
	fail_msg("nobody knows: %s", command);
	return NULL;
}

/* Runs a call as a switch that lacks the commands with those words. */
static char *run_call(const char *body, const char *lacks, const char *words)
{
	json_t *call = json_loads(body, 0, NULL), *results = json_array(), *cmd, *answer;
	const json_t *params = json_object_get(call, "params");
	bool failed = false;
	char *text;
	size_t i;

	json_array_foreach(json_object_get(params, "cmds"), i, cmd)
	{
		const char *line = json_string_value(json_object_get(cmd, "cmd"));

		failed = *lacks && strstr(line, lacks);
		json_array_append_new(
			results, failed ? json_pack("{s:[s]}", "errors", words) : result_of(line));
		if (failed)
			break;
	}
	answer = failed ? json_pack("{s:O,s:{s:i,s:s,s:o}}", "id", json_object_get(call, "id"),
				  "error", "code", 1002, "message", "failed", "data", results)
			: json_pack("{s:O,s:o}", "id", json_object_get(call, "id"), "result",
				  results);
	text = json_dumps(answer, 0);
	json_decref(answer);
	json_decref(call);
	return text;
}

/* Polls a tier once, with the questions that are repeated at once. Returns the number of POSTs. */
static size_t poll_tier(
	struct eos_bed *b, enum poll_tier tier, const char *lacks, const char *words)
{
	struct request_list l = {0};
	struct err err = {0};
	size_t posts = 0;

	assert_true(backend_by_name("eos")->plan(&b->target, tier, &l, &err));
	for (size_t i = 0; i < l.at.n; i++) {
		char *text = run_call(l.at.at[i].body, lacks, words);
		struct obs *o = eos_bed_parse(b, l.at.at[i].name, text);

		learn_all(b, o);
		posts += 1 + o->again;
		obs_free(o);
		free(text);
	}
	requests_free(&l);
	return posts;
}

CASE(what_is_known_shares_a_call)
{
	static const struct {
		enum poll_tier tier;
		size_t first, then;
		const char *names;
	} all[] = {
		{POLL_FAST, 5, 1, "fast "},
		{POLL_MEDIUM, 11, 2, "medium log "},
		{POLL_SLOW, 10, 2, "slow slow_text "},
	};
	struct eos_bed b;
	char names[256];

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		size_t first = poll_tier(&b, all[i].tier, "", "");
		size_t then = poll_tier(&b, all[i].tier, "", "");

		posts(&b, all[i].tier, names, sizeof(names));
		print_message("# POSTs: %zu, then %zu: %s\n", first, then, names);
		assert_int_equal(first, all[i].first);
		assert_int_equal(then, all[i].then);
		assert_string_equal(names, all[i].names);
	}
	eos_bed_close(&b);
}

/* Each question has a batch of its own, as if it had been asked alone. */
CASE(a_shared_answer_is_several_batches)
{
	struct request_list l = {0};
	struct err err = {0};
	struct eos_bed b;
	struct obs *o;
	char *text;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	poll_tier(&b, POLL_FAST, "", "");
	assert_true(backend_by_name("eos")->plan(&b.target, POLL_FAST, &l, &err));
	text = run_call(l.at.at[0].body, "", "");
	assert_true(l.at.at[0].spare);
	/* Facts learnt while the call is under way do not change its meaning. */
	facts_set(&b.facts, "known", "");
	facts_set(&b.facts, "use.queues", "1");
	o = eos_bed_parse(&b, "fast", text);
	assert_string_equal(o->request, "fast");
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1"), "rx_bytes", 0), 5);
	assert_true(o->ports.at[0].sample_us > 0);
	assert_string_equal(o->more->request, "pfc");
	assert_int_equal(cell_count(at_port(o->more, "Ethernet1/1"), "pfc_tx_frames", 3), 7);
	assert_true(o->more->ports.at[0].sample_us == 0);
	assert_true(o->more->received_us == EOS_NOW);
	assert_string_equal(o->more->more->request, "ecn");
	assert_string_equal(o->more->more->more->request, "queues");
	assert_int_equal(
		cell_count(at_port(o->more->more->more, "Ethernet1/1"), "queue_drops", 3), 9);
	assert_null(o->more->more->more->more->more);
	obs_free(o);
	free(text);
	requests_free(&l);
	eos_bed_close(&b);
}

CASE(one_that_fails_in_the_middle_is_alone_again)
{
	static const struct {
		const char *words;
		size_t then; /* POSTs of the poll after it */
		bool is_error;
	} all[] = {
		{"Unavailable command (not supported on this hardware platform)", 1, false},
		{"Authorization denied for command", 1, false},
		{"Unable to connect to the agent", 2, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct request_list l = {0};
		struct eos_bed b;
		struct err err = {0};
		struct obs *o;
		char *text;

		eos_bed_open(&b, TRANSPORT_HTTPS, "");
		poll_tier(&b, POLL_FAST, "", "");
		assert_true(backend_by_name("eos")->plan(&b.target, POLL_FAST, &l, &err));
		text = run_call(l.at.at[0].body, "ecn counters", all[i].words);
		o = eos_bed_parse(&b, "fast", text);
		/* The rest is asked again at once, in one call without it. */
		assert_true(o->again);
		learn_all(&b, o);
		assert_int_equal(cell_count(at_port(o, "Ethernet1/1"), "rx_bytes", 0), 5);
		assert_int_equal(o->err.code, ERR_NONE);
		assert_string_equal(o->more->more->request, "ecn");
		assert_int_equal(o->more->more->result, all[i].is_error ? OBS_FAILED : OBS_DATA);
		assert_null(o->more->more->more);
		obs_free(o);
		free(text);
		requests_free(&l);
		/* A lacking command is tried in the slow tier; one that should have worked, at
		 * once. */
		assert_int_equal(poll_tier(&b, POLL_FAST, "", ""), all[i].then);
		assert_int_equal(poll_tier(&b, POLL_FAST, "", ""), 1);
		eos_bed_close(&b);
	}
}

CASE(without_its_interfaces_a_switch_still_counts_pauses)
{
	struct request_list l = {0};
	struct err err = {0};
	struct eos_bed b;
	char names[256], *text;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	poll_tier(&b, POLL_FAST, "", "");
	assert_true(backend_by_name("eos")->plan(&b.target, POLL_FAST, &l, &err));
	text = run_call(l.at.at[0].body, "show interfaces", "Unable to connect to Sysdb");
	o = eos_bed_parse(&b, "fast", text);
	assert_int_equal(o->result, OBS_FAILED);
	assert_non_null(strstr(o->err.text, "Sysdb"));
	obs_free(o);
	free(text);
	requests_free(&l);
	assert_int_equal(posts(&b, POLL_FAST, names, sizeof(names)), 5);
	/* A call that is refused as such says nothing about its commands. */
	facts_set(&b.facts, "known", "fffff");
	o = eos_bed_parse(&b, "medium",
		"{\"id\":\"railtop-medium phy.0 optics.0\",\"error\":{\"code\":-32603,"
		"\"message\":\"Internal error\"}}");
	assert_int_equal(o->result, OBS_FAILED);
	assert_false(o->again);
	obs_free(o);
	posts(&b, POLL_MEDIUM, names, sizeof(names));
	assert_non_null(strstr(names, "phy optics"));
	eos_bed_close(&b);
}

CASE(what_is_late_waits_in_a_slower_tier)
{
	struct eos_bed b;
	char names[256];

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	poll_tier(&b, POLL_FAST, "", "");
	/* Nobody knows yet which of them it was. */
	facts_set(&b.facts, "unanswered.fast", "1");
	assert_int_equal(posts(&b, POLL_FAST, names, sizeof(names)), 5);
	facts_set(&b.facts, "unanswered.queues", "1");
	posts(&b, POLL_FAST, names, sizeof(names));
	assert_string_equal(names, "fast pfc ecn watchdog ");
	posts(&b, POLL_MEDIUM, names, sizeof(names));
	assert_non_null(strstr(names, "queues "));
	/* The slow round lets the others share a call again. */
	poll_tier(&b, POLL_SLOW, "", "");
	posts(&b, POLL_FAST, names, sizeof(names));
	assert_string_equal(names, "fast ");
	posts(&b, POLL_MEDIUM, names, sizeof(names));
	assert_non_null(strstr(names, "queues "));
	poll_tier(&b, POLL_MEDIUM, "", "");
	posts(&b, POLL_MEDIUM, names, sizeof(names));
	assert_null(strstr(names, "queues "));
	assert_string_equal(facts_get(&b.facts, "unanswered.queues"), "");
	eos_bed_close(&b);
}

/* Ids come from the answer, so they may be hostile. */
CASE(an_id_that_is_not_ours)
{
	static const char *const ids[] = {"\"railtop-fast\"", "\"railtop-fast nonsense.0\"",
		"\"railtop-fast pfc.9\"", "\"railtop-fast pfc\"", "\"railtop-pfc pfc.0\"", "7",
		"null",
		("\"railtop-fast fast.0 fast.0 fast.0 fast.0 fast.0 fast.0 fast.0 fast.0 fast.0 "
		 "fast.0 fast.0 fast.0 fast.0 fast.0 fast.0 fast.0 fast.0\"")};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		char text[1024];
		struct eos_bed b;
		struct obs *o;

		eos_bed_open(&b, TRANSPORT_HTTPS, "");
		str_printf(text, sizeof(text),
			"{\"id\":%s,\"result\":[{\"modelName\":\"M\"},{\"interfaces\":{"
			"\"Ethernet1\":{\"interfaceCounters\":{\"inOctets\":5}}}}]}",
			ids[i]);
		o = eos_bed_parse(&b, "fast", text);
		assert_int_equal(cell_count(at_port(o, "Ethernet1"), "rx_bytes", 0), 5);
		obs_free(o);
		eos_bed_close(&b);
	}
}

CASES_MAIN(NULL, NULL)
