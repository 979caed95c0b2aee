/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_PERFTEST_H
#define BACKENDS_PARSE_PERFTEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The result of one program of the package perftest (ib_write_bw, ib_read_lat, ...), which prints a
 * table behind a line that begins with "#bytes". Releases differ in its columns and units.
 */
struct perftest_result {
	double gbps;         /* average bandwidth, Gb/s; NAN: the table has none */
	double typical_us;   /* typical latency: half of the round trip, for reads the whole; NAN */
	double average_us;   /* NAN: the table has none */
	double tail_us;      /* of 99 % of the operations; NAN */
	unsigned long bytes; /* size of a message */
};

/*
 * Reads the last row of the table. False: there is none, or its numbers cannot be (releases up to
 * 5.6 print negative ones after an overflow). why: the program's own complaint, from its output or
 * from complaint, which is its standard error; else what was missing.
 */
bool perftest_read(const char *bytes, size_t len, const char *complaint,
	struct perftest_result *out, char *why, size_t size);

#endif
