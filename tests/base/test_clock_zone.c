/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/clock_zone.h"
#include "tests/support/cases.h"

#define UTC(text_) utc_of(text_)

static int64_t utc_of(const char *text)
{
	int64_t us = 0;

	assert_true(clock_parse(text, 0, 0, &us));
	return us;
}

CASE(names_of_zones)
{
	struct clock_zone z;

	assert_true(clock_zone_parse("utc", &z) && z.kind == CLOCK_ZONE_UTC);
	assert_true(clock_zone_parse("local", &z) && z.kind == CLOCK_ZONE_LOCAL);
	assert_true(clock_zone_parse("+02:00", &z) && z.east_s == 7200);
	assert_true(clock_zone_parse("-0330", &z) && z.east_s == -12600);
	assert_true(clock_zone_parse("+2", &z) && z.east_s == 7200);
	assert_true(clock_zone_parse("+05:45", &z) && z.east_s == 20700);
	assert_false(clock_zone_parse("", &z));
	assert_false(clock_zone_parse("+", &z));
	assert_false(clock_zone_parse("02:00", &z));
	assert_false(clock_zone_parse("+25", &z));
	assert_false(clock_zone_parse("+02:60", &z));
	assert_false(clock_zone_parse("+02:0", &z));
	assert_false(clock_zone_parse("+02:000", &z));
	assert_false(clock_zone_parse("Europe/Berlin", &z));
}

/* The night of 2026-10-25 has the hour from 2 to 3 twice in Berlin. */
CASE(the_hour_changes_with_the_zone)
{
	struct clock_zone z = {.kind = CLOCK_ZONE_LOCAL};
	char text[32];

	assert_int_equal(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1), 0);
	clock_zone_load();
	assert_int_equal(clock_zone_east(&z, UTC("2026-07-01T12:00:00Z")), 7200);
	assert_int_equal(clock_zone_east(&z, UTC("2026-12-01T12:00:00Z")), 3600);
	assert_string_equal(
		clock_zone_suffix(&z, UTC("2026-07-01T12:00:00Z"), text, sizeof(text)), "+02");
	for (int64_t h = 0; h < 365 * 24; h++) {
		int64_t wall = UTC("2026-01-01T00:00:00Z") + h * 3600 * CLOCK_SEC,
			shown = clock_zone_shown(&z, wall), back = clock_zone_wall(&z, shown);

		/* Only the hour that is there twice may be taken for the other one. */
		if (back != wall)
			assert_int_equal(clock_zone_shown(&z, back), shown);
	}
}

CASE(what_is_typed_is_of_the_zone)
{
	struct clock_zone z = {.kind = CLOCK_ZONE_FIXED, .east_s = 7200}, utc = {0};
	int64_t now = UTC("2026-11-22T02:13:30Z");
	char text[64];

	assert_true(clock_zone_typed(&z, "04:13:30", now, text, sizeof(text)));
	assert_string_equal(text, "2026-11-22T02:13:30Z");
	/* Half past midnight there is the evening before in UTC. */
	assert_true(clock_zone_typed(&z, "00:30", now, text, sizeof(text)));
	assert_string_equal(text, "2026-11-21T22:30:00Z");
	assert_true(clock_zone_typed(&z, "2026-11-22T04:13:30#2", now, text, sizeof(text)));
	assert_string_equal(text, "2026-11-22T02:13:30Z#2");
	assert_true(clock_zone_typed(&z, "02:13:30Z", now, text, sizeof(text)));
	assert_string_equal(text, "02:13:30Z");
	assert_true(clock_zone_typed(&z, "-5m", now, text, sizeof(text)));
	assert_string_equal(text, "-5m");
	assert_true(clock_zone_typed(&z, "nonsense", now, text, sizeof(text)));
	assert_string_equal(text, "nonsense");
	assert_true(clock_zone_typed(&utc, "04:13:30", now, text, sizeof(text)));
	assert_string_equal(text, "04:13:30");
}

CASES_MAIN(NULL, NULL)
