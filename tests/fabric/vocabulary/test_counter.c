/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/vocabulary/counter.h"
#include "fabric/vocabulary/event.h"
#include "fabric/vocabulary/types.h"

static void cells_are_dense_and_unique(void **state)
{
	uint16_t next = 0;

	(void)state;
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		enum counter_id id = (enum counter_id)i;

		assert_int_equal(counter_info[i].first_cell, next);
		for (unsigned sub = 0; sub < counter_dim_size(id); sub++) {
			unsigned back = 99;

			assert_int_equal(counter_cell(id, sub), next);
			assert_int_equal(counter_of_cell(next, &back), id);
			assert_int_equal(back, sub);
			next++;
		}
	}
	assert_int_equal(next, CELL_COUNT);
}

static void names_lead_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		assert_int_equal(counter_by_name(counter_info[i].name), i);
		assert_true(counter_info[i].help[0] && counter_info[i].abbr[0]);
		assert_true(counter_info[i].bits == 32 || counter_info[i].bits == 64);
	}
	assert_int_equal(counter_by_name("rx_byte"), COUNTER_COUNT);
	assert_int_equal(counter_by_name(""), COUNTER_COUNT);
}

static void words_of_the_contract(void **state)
{
	(void)state;
	assert_string_equal(unit_name(UNIT_US), "us");
	assert_string_equal(unit_name(UNIT_RATIO), "");
	assert_string_equal(validity_name(VALID_UNSUPPORTED), "unsupported");
	assert_string_equal(validity_name((enum validity)77), "unknown");
	assert_string_equal(dev_state_name(DEV_UNAUTHORISED), "unauthorised");
	assert_string_equal(dev_state_name((enum dev_state)77), "unknown");
	assert_string_equal(tier_name(TIER_SUPERSPINE), "superspine");
	assert_string_equal(oper_name(OPER_DOWN), "down");
	assert_string_equal(severity_name(SEV_CRIT), "crit");
	assert_string_equal(net_kind_name(NET_OOB), "oob");
}

static void tiers_go_by_their_aliases(void **state)
{
	static const struct {
		const char *name;
		enum tier tier;
	} cases[] = {{"host", TIER_HOST}, {"LEAF", TIER_LEAF}, {"rtsw", TIER_LEAF},
		{"ToR", TIER_LEAF}, {"ctsw", TIER_SPINE}, {"atsw", TIER_SUPERSPINE},
		{"superspine", TIER_SUPERSPINE}};
	enum tier t;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(tier_by_name(cases[i].name, &t));
		assert_int_equal(t, cases[i].tier);
	}
	assert_false(tier_by_name("core", &t));
	assert_false(tier_by_name("", &t));
}

static void events_have_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EVENT_COUNT; i++)
		assert_int_equal(event_by_name(event_info[i].name), i);
	assert_int_equal(event_by_name("nothing"), EVENT_COUNT);
	assert_int_equal(event_info[EV_STORM_DETECTED].severity, SEV_CRIT);
}

/* Rings cost half a kilobyte a priority: only counters that are drawn may have one. */
static void only_a_few_are_charted(void **state)
{
	unsigned cells = 0;

	(void)state;
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		if (counter_charted((enum counter_id)i)) {
			assert_int_equal(counter_info[i].kind, KIND_COUNT);
			cells += counter_dim_size((enum counter_id)i);
		}
	}
	assert_true(counter_charted(CTR_PFC_RX_FRAMES) && counter_charted(CTR_RX_BYTES));
	assert_false(counter_charted(CTR_RX_PACKETS));
	assert_true(cells < 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_dense_and_unique),
		cmocka_unit_test(names_lead_back),
		cmocka_unit_test(words_of_the_contract),
		cmocka_unit_test(tiers_go_by_their_aliases),
		cmocka_unit_test(events_have_names),
		cmocka_unit_test(only_a_few_are_charted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
