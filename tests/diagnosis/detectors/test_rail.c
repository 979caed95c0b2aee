/* SPDX-License-Identifier: Apache-2.0 */
/* One rail that differs from the others. */
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

static const char *const leaves[] = {"leaf-r0-00", "leaf-r0-01", "leaf-r1-00", "leaf-r1-01"};

/* The stand's four leaves as four rails. */
static void four_rails(const struct stand *s)
{
	for (int rail = 0; rail < 4; rail++) {
		const struct device *d = s->m->devices.at[stand_device(s, leaves[rail])];

		for (size_t i = 0; i < d->ports.n; i++)
			s->m->ports.at[d->ports.at[i]]->rail = rail;
	}
}

static const struct finding *found(const struct stand *s, int rail)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(s->d, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i]->open && f[i]->id == FIND_RAIL_OUTLIER && f[i]->at.rail == rail)
			return f[i];
	return NULL;
}

CASE_WITH(a_rail_that_is_paused_more_than_the_others, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	four_rails(s);
	stand_hold(s, "leaf-r1-00:Ethernet0", 40);
	stand_poll(s, 6);
	f = found(s, 2);
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_int_equal(f->role, ROLE_RISK);
	assert_non_null(strstr(f->title, "rail 2 has more pauses than the others"));
	assert_int_equal(stand_count(s, "rail.outlier"), 1);
}

/* All rails alike are the workload, and twice of nothing is nothing. */
CASE_WITH(rails_that_are_alike_are_no_finding, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	four_rails(s);
	stand_hold(s, "leaf-r0-00:Ethernet0", 40);
	stand_hold(s, "leaf-r0-01:Ethernet0", 38);
	stand_hold(s, "leaf-r1-00:Ethernet0", 42);
	stand_hold(s, "leaf-r1-01:Ethernet0", 40);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "rail.outlier"), 0);
}

/* Of two rails neither is the odd one. */
CASE_WITH(two_rails_have_no_median, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, "leaf-r1-00:Ethernet0", 40);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "rail.outlier"), 0);
}

CASES_MAIN(NULL, NULL)
