/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/event.h"
#include "fabric/vocabulary/types.h"
#include "tests/support/cases.h"

CASE(cells_are_dense_and_unique)
{
	uint16_t next = 0;

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

CASE(names_lead_back)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		assert_int_equal(counter_by_name(counter_info[i].name), i);
		assert_true(counter_info[i].help[0] && counter_info[i].abbr[0]);
		assert_true(counter_info[i].bits == 32 || counter_info[i].bits == 64);
	}
	assert_int_equal(counter_by_name("rx_byte"), COUNTER_COUNT);
	assert_int_equal(counter_by_name(""), COUNTER_COUNT);
}

CASE(words_of_the_contract)
{
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

CASE(tiers_go_by_their_aliases)
{
	static const struct {
		const char *name;
		enum tier tier;
	} cases[] = {{"host", TIER_HOST}, {"LEAF", TIER_LEAF}, {"rtsw", TIER_LEAF},
		{"ToR", TIER_LEAF}, {"ctsw", TIER_SPINE}, {"atsw", TIER_SUPERSPINE},
		{"superspine", TIER_SUPERSPINE}};
	enum tier t;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(tier_by_name(cases[i].name, &t));
		assert_int_equal(t, cases[i].tier);
	}
	assert_false(tier_by_name("core", &t));
	assert_false(tier_by_name("", &t));
}

CASE(events_have_names)
{
	for (unsigned i = 0; i < EVENT_COUNT; i++)
		assert_int_equal(event_by_name(event_info[i].name), i);
	assert_int_equal(event_by_name("nothing"), EVENT_COUNT);
	assert_int_equal(event_info[EV_STORM_DETECTED].severity, SEV_CRIT);
}

/* Rings cost half a kilobyte a priority: only counters that are drawn may have one. */
CASE(only_a_few_are_charted)
{
	unsigned cells = 0;

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

CASES_MAIN(NULL, NULL)
