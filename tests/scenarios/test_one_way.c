/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of a member that has just stopped: those of the seconds since, and not the mean of
 * the minutes before, in which it still carried its share.
 */
#include <string.h>

#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/cases.h"

#define FOR_S 55

CASE(a_member_that_stopped_shows_what_it_carries_now)
{
	struct sim_run run;
	struct bed bed;
	struct err err = {0};
	unsigned seen = 0;

	if (!sim_run_open(&run, "ref256", 1, "tests/scenarios/faults/one-way-member.scenario",
		    &sweep_none, &err))
		fail_msg("%s", err.text);
	bed_open(&bed, &run.plan, &sweep_none);
	while (run.now_us < SIM_START + FOR_S * CLOCK_SEC) {
		const struct finding *const *all;
		size_t n;

		sim_run_poll(&run, &bed);
		all = diag_findings(bed.d, &n);
		for (size_t i = 0; i < n; i++) {
			const struct evidence *e = all[i]->evidence.at;

			if (all[i]->id != FIND_ROUTE_ONE_WAY || !strstr(all[i]->title, "nothing"))
				continue;
			seen++;
			print_message("# %s: %s %.3f, %s %.3f\n", all[i]->title, e[0].what,
				e[0].value, e[1].what, e[1].value);
			assert_true(e[0].value < 0.05 * e[1].value);
		}
	}
	assert_true(seen > 0);
	bed_close(&bed);
	sim_run_close(&run);
}

CASES_MAIN(NULL, NULL)
