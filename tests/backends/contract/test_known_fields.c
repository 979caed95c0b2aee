/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/contract/facts.h"
#include "backends/contract/known_fields.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

static const struct known_fields list[] = {
	{"fast", "inOctets outOctets"}, {"phy", "ber"}, {NULL, NULL}};

static struct facts facts;
static const struct target leaf = {.device = "leaf", .facts = &facts};

static enum validity check(const char *request, const char *text, char cure[160])
{
	struct obs *o = obs_new("leaf", request);
	const char *said = "";
	enum validity v;

	(void)obs_port(o, "Ethernet1");
	known_fields_check(list, &leaf, text, strlen(text), o);
	v = capability_of(o, KNOWN_FIELDS, &said);
	(void)str_copy(cure, 160, v == VALID_UNKNOWN ? "" : said);
	facts_learn(&facts, o);
	obs_free(o);
	return v;
}

CASE(names_that_are_gone_are_told_once)
{
	char cure[160];

	assert_int_equal(check("fast", "{\"inOctets\":1,\"outBytes\":2}", cure), VALID_UNSUPPORTED);
	assert_string_equal(cure, "fast lacks outOctets: renamed in this release?");
	/* Another request of the same connection does not hide it. */
	assert_int_equal(check("phy", "{\"ber\":1}", cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "outOctets"));
	/* Later answers are not searched. */
	assert_int_equal(check("fast", "{\"inOctets\":1,\"outBytes\":2}", cure), VALID_UNKNOWN);
	facts_free(&facts);
}

CASE(whole_answers_are_ok)
{
	char cure[160];

	assert_int_equal(check("fast", "{\"inOctets\":1,\"outOctets\":2}", cure), VALID_OK);
	assert_int_equal(check("other", "{}", cure), VALID_UNKNOWN);
	facts_free(&facts);
}

/* An error in place of an answer has no port, and says nothing about fields. */
CASE(an_answer_without_ports_proves_nothing)
{
	struct obs *o = obs_new("leaf", "fast");

	known_fields_check(list, &leaf, "{}", 2, o);
	assert_int_equal(o->items.n, 0);
	obs_free(o);
}

/* ---- a schema that no decoder knows ---- */

/* The words about the answer to a request of the dialect; "": none. */
static void expect_unread(
	const char *dialect, const char *request, const char *text, const char *said)
{
	const struct target t = {.device = "leaf",
		.tier = TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.lossless = 8,
		.facts = &facts};
	struct obs *o = NULL;
	const char *cure = "";
	struct err err = {0};
	bool again = true;

	/* A dialect that has other words for its question tries them all. */
	for (unsigned i = 0; i < 6 && again; i++) {
		obs_free(o);
		o = obs_new("leaf", request);
		assert_true(
			backend_by_name(dialect)->parse(&t, request, text, strlen(text), o, &err));
		known_fields_unread(&t, text, strlen(text), o);
		facts_learn(&facts, o);
		again = o->again;
	}
	facts_free(&facts);
	if (*said) {
		if (capability_of(o, KNOWN_FIELDS, &cure) != VALID_UNSUPPORTED)
			fail_msg("%s %s: nothing is said", dialect, request);
		assert_non_null(strstr(cure, "renamed in this release?"));
		assert_non_null(strstr(o->err.text, said));
	} else {
		assert_string_equal(o->err.text, "");
		assert_int_equal(capability_of(o, KNOWN_FIELDS, &cure), VALID_UNKNOWN);
	}
	obs_free(o);
}

CASE(an_answer_in_unknown_names_is_told_in_all_dialects)
{
	static const struct {
		const char *dialect, *request;
	} asked[] = {{"eos", "optics"}, {"eos", "queues"}, {"eos", "errdisabled"}, {"nxos", "vpc"},
		{"nxos", "interface"}, {"nxos", "counters"}, {"nxos", "queuing"}, {"nxos", "brief"},
		{"nxos", "errors"}, {"nxos", "lag"}, {"cumulus", "lldp"}, {"cumulus", "optics"},
		{"cumulus", "phy"}, {"cumulus", "qos"}, {"cumulus", "bonds"}};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		expect_unread(asked[i].dialect, asked[i].request,
			"{\"quux\":{\"Ethernet1/1\":{\"a\":1}}}", "it names ports (Ethernet1/1)");
		expect_unread(asked[i].dialect, asked[i].request, "{}", "");
	}
	expect_unread("cumulus", "qos", " {\"quux\":{\"swp1s0\":{\"a\":1}}}", "swp1s0");
}

CASE(an_answer_without_ports_or_neighbours_is_no_unknown_one)
{
	expect_unread("cumulus", "lldp", "{\"swp1\":{\"lldp\":{\"neighbor\":{}}}}", "");
	expect_unread("cumulus", "optics", "{\"eth0\":{\"type\":\"eth\"}}", "");
	expect_unread("nxos", "vpc", "{\"quux\":\"Ethernet\"}", "");
}

CASES_MAIN(NULL, NULL)
