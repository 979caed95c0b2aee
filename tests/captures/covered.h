/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_COVERED_H
#define TESTS_CAPTURES_COVERED_H

#include <stddef.h>

/*
 * The captures that lie beside the checkout ($RAILTOP_SHARED/captures, else ../shared/captures),
 * and the needs they prove. Each test notes the needs it has decoded from a capture. The last test
 * of a program prints the table, so that a need without any capture is visible.
 */
enum evidence {
	NOTHING,  /* own fixtures only */
	AUTHORED, /* device-shaped text written by hand */
	REAL,     /* a real device or the real program printed it */
};

struct covered {
	const char *need;
	enum evidence by;
};

/* Absolute path of a capture; skips the running test when it is not there. dst is returned. */
const char *capture_path(const char *file, char *dst, size_t size);
/* Its bytes; the caller frees them. Skips the test as well. */
char *capture_read(const char *file, size_t *len);

/* Raises the evidence of a need in the table; fails the test when the table has no such need. */
void covered(struct covered *table, size_t n, const char *need, enum evidence by);
/* Prints "# covered DIALECT NEED: real". */
void covered_print(const char *dialect, const struct covered *table, size_t n);

#endif
