/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/switches/readings.h"

#include <math.h>

#include "tests/support/cases.h"

const char *reading_word(const struct obs *o, const char *port, enum obs_attr attr)
{
	return attr_word(at_port(o, port), attr, 0);
}

double reading_value(const struct obs *o, const char *port, const char *counter, unsigned sub)
{
	return cell_value(at_port(o, port), counter, sub);
}

bool reading_is_known(const struct obs *o, const char *port, const char *counter, unsigned sub)
{
	return has_port(o, port) && !isnan(reading_value(o, port, counter, sub));
}

void expect_pair(const struct obs *o, const char *bundle, const char *want)
{
	assert_string_equal(reading_word(o, bundle, ATTR_LAG_PAIR), want);
}

void expect_state(const struct obs *o, const char *port, const char *state)
{
	assert_string_equal(reading_word(o, port, ATTR_LAG_STATE), state);
}

void expect_peer(const struct obs *o, const char *port, const char *peer)
{
	char text[160];

	assert_string_equal(lldp_of(at_port(o, port), text, sizeof(text)), peer);
}

void expect_near(double v, double want)
{
	if (!(fabs(v - want) < 0.005))
		fail_msg("%g in place of %g", v, want);
}
