/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_SWITCHES_LOG_LINES_H
#define TESTS_CASES_SWITCHES_LOG_LINES_H

#include <stddef.h>

#include "fabric/vocabulary/observation.h"

/* A line of a switch's log, quotes written as decode_text.h says, and its right reading. */
struct log_line {
	const char *dialect, *text;
	enum event_kind kind; /* EVENT_COUNT: nothing is told */
	const char *port;     /* NULL: none */
};

/* Reads each line alone, prints those that are read wrongly, and fails if there is one. */
void log_lines_expect(const struct log_line *lines, size_t n);

#endif
