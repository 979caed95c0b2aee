/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backends/contract/facts.h"
#include "tests/support/cases.h"

CASE(says_what_it_was_told)
{
	struct facts f = {0};

	assert_string_equal(facts_get(NULL, "asics"), "");
	assert_string_equal(facts_get(&f, "asics"), "");
	facts_set(&f, "asics", "asic0 asic1");
	facts_set(&f, "chip", "TH4");
	facts_set(&f, "asics", "asic0");
	assert_string_equal(facts_get(&f, "asics"), "asic0");
	assert_string_equal(facts_get(&f, "chip"), "TH4");
	assert_int_equal(f.at.n, 2);
	facts_free(&f);
	assert_string_equal(facts_get(&f, "chip"), "");
	facts_free(&f);
}

CASE(forgets_and_uses_the_room_again)
{
	struct facts f = {0};
	char key[16];

	for (int i = 0; i < 3 * FACTS_MAX; i++) {
		(void)snprintf(key, sizeof(key), "sha.%d", i);
		facts_set(&f, key, "5f");
		facts_set(&f, key, "");
		assert_string_equal(facts_get(&f, key), "");
	}
	assert_int_equal(f.edits, 6 * FACTS_MAX);
	assert_int_equal(f.read_edits, 0); /* these only say how to ask */
	facts_set(&f, "last", "kept");
	assert_int_equal(f.read_edits, 1);
	assert_string_equal(facts_get(&f, "last"), "kept");
	facts_free(&f);
}

/* A device decides which facts are learnt: none of them may grow without a bound. */
CASE(is_bounded)
{
	struct facts f = {0};
	char key[16], big[300];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (int i = 0; i < 3 * FACTS_MAX; i++) {
		(void)snprintf(key, sizeof(key), "key %d", i);
		facts_set(&f, key, "value");
	}
	assert_int_equal(f.at.n, FACTS_MAX);
	facts_set(&f, "key 0", big);
	assert_string_equal(facts_get(&f, "key 0"), "value");
	facts_set(&f, big, "value");
	facts_set(&f, "", "value");
	assert_string_equal(facts_get(&f, big), "");
	assert_string_equal(facts_get(&f, ""), "");
	facts_set(&f, "key 0", "");
	facts_set(&f, "one more", "fits now");
	assert_string_equal(facts_get(&f, "one more"), "fits now");
	facts_free(&f);
}

CASE(learns_from_a_batch)
{
	struct facts f = {0};
	struct obs *o = obs_new("leaf-0", "detect");

	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 12);
	obs_fact(o, "chip", "TH4");
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "chip");
	obs_fact(o, "asics", "asic0 asic1");
	obs_fact(o, "chip", "TH5");
	facts_learn(&f, o);
	assert_int_equal(f.at.n, 2);
	assert_string_equal(facts_get(&f, "chip"), "TH5");
	assert_string_equal(facts_get(&f, "asics"), "asic0 asic1");
	obs_free(o);
	o = obs_new("leaf-0", "fast");
	obs_fact(o, "asics", "");
	facts_learn(&f, o);
	assert_string_equal(facts_get(&f, "asics"), "");
	obs_free(o);
	facts_free(&f);
}

/* A fact that is unchanged counts like a fact that the answer does not have. */
CASE(tells_news_from_what_is_known)
{
	struct facts f = {0};
	struct obs *o = obs_new("leaf-0", "fast");

	facts_set(&f, "chip", "TH4");
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 12);
	obs_fact(o, "chip", "TH4");
	obs_fact(o, "asics", "");
	assert_false(facts_news(&f, o));
	assert_false(facts_news(NULL, o));
	obs_fact(obs_more(o, "slow"), "chip", "");
	assert_true(facts_news(&f, o));
	obs_free(o);
	facts_free(&f);
}

CASES_MAIN(NULL, NULL)
