/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_POOLS_H
#define FABRIC_VOCABULARY_POOLS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Buffer pools of a switch as one line for people, the value of ATTR_POOLS:
 * "ingress_lossless_pool 92 % of 25.2 MB, headroom 16 % of 5.24 MB, now 3 %; egress unknown of 12
 * MB". Peaks are since the switch's own clear.
 */
#define POOLS_MOST 8u
#define POOLS_TEXT 256

struct pool {
	char name[40]; /* without blanks */
	/* Shares of the size, 1 is full; NAN: the switch does not tell. Some chips let a pool
	 * borrow from others: above 1. */
	double peak, now;
	double size; /* bytes, 0: unknown, the chip counts cells */
	double headroom_peak, headroom_size;
};

/* Nothing is known of it but its name, in which '-' takes the place of blanks. */
struct pool pool_named(const char *name);
/* Appends it to the text of at most size bytes; false: no room, the text stays as it was. */
bool pools_add(char *text, size_t size, const struct pool *p);
/* Reads the pool at `at`; returns the place of the next one, NULL at the end or without one. */
const char *pools_next(const char *at, struct pool *p);

#endif
