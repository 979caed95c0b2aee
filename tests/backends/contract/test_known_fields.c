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

CASES_MAIN(NULL, NULL)
