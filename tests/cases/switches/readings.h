/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_SWITCHES_READINGS_H
#define TESTS_CASES_SWITCHES_READINGS_H

#include "tests/support/obs_find.h"

/* The word of an attribute at a port; port NULL: of the device. */
const char *reading_word(const struct obs *o, const char *port, enum obs_attr attr);
/* The counter's value; NAN: none. */
double reading_value(const struct obs *o, const char *port, const char *counter, unsigned sub);
/* Whether the answer has the port, and the counter's value there. */
bool reading_is_known(const struct obs *o, const char *port, const char *counter, unsigned sub);
void expect_pair(const struct obs *o, const char *bundle, const char *want);
void expect_state(const struct obs *o, const char *port, const char *state);
void expect_peer(const struct obs *o, const char *port, const char *peer);
/* Within half a hundredth, as devices print their readings. */
void expect_near(double v, double want);

#endif
