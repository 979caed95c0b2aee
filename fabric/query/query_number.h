/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_QUERY_QUERY_NUMBER_H
#define FABRIC_QUERY_QUERY_NUMBER_H

#include <stdbool.h>

/* Private to fabric/query. */

#define QUERY_UNITS "k M G T Ki Mi Gi, %%, b B dBm C, us ms s min h d, each with /s /min /h"

struct query_unit {
	bool is_time;  /* in seconds */
	bool is_bytes; /* written with B: of a rate in bits eight times as much */
};

/*
 * Reads a number with its unit: "300G", "20%", "3/h", "1.5MB", "-7.3dBm", "200ms", "2.4e-4". NULL:
 * success; *out is in base units (per second, bytes, seconds), *unit tells a time and bytes.
 * Else the position of the error in s: s itself, or the unknown unit.
 */
const char *query_number(const char *s, double *out, struct query_unit *unit);

#endif
