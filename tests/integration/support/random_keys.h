/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_RANDOM_KEYS_H
#define TESTS_INTEGRATION_SUPPORT_RANDOM_KEYS_H

#include "tests/support/terminal/vt.h"

/*
 * A cat on the keyboard of a real railtop: random keys, command lines, mouse reports, broken escape
 * sequences and resizes. The same seed makes the same input. What a key meets depends on the time.
 */
struct random_keys {
	const char *dir; /* the program runs here, and its sanitizer writes its reports here */
	uint64_t seed;
	int slow_ms; /* the terminal's line: how long its answers take */
	struct vt *vt;
	uint64_t state;
	unsigned long events; /* of this program */
};

/*
 * Starts argv (NULL-ended) in a terminal, its size by the seed. random_keys_press() sends input for
 * so many seconds, or until the program leaves. random_keys_end() leaves as an operator does, by
 * the seed, and fails the test unless the program ends well with its terminal as it was.
 */
void random_keys_start(struct random_keys *k, const char *const *argv);
void random_keys_press(struct random_keys *k, double seconds);
void random_keys_end(struct random_keys *k);

/* xorshift64 (Marsaglia 2003): a number below n. */
size_t random_below(uint64_t *state, size_t n);

#endif
