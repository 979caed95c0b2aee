/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_SWITCH_LAB_H
#define TESTS_CAPTURES_SWITCH_LAB_H

#include <jansson.h>

#include "backends/dialects/linux/switch.h"
#include "base/buf.h"

/* The lab of real FRR, lldpd and iproute2, and how its files get to the decoders. */
#define LAB "lab/netns/"

/* Captures put together as the output of a script. */
struct switch_answer {
	struct buf buf;
};
void switch_begin(struct switch_answer *a);
/* section: with its argument, "stats swp1". */
void switch_add(struct switch_answer *a, const char *section, const char *file);
void switch_add_text(struct switch_answer *a, const char *section, const char *text);
/* Decodes and frees it; fails the test where the decoder refuses. */
struct obs *switch_decode(struct switch_answer *a, const char *request);
/* One capture that is all of an answer. */
struct obs *switch_decode_one(const char *request, const char *section, const char *file);

/* Fails the test when it is no JSON; the caller owns it. */
json_t *switch_json(const char *file);
/* Calls each() for every file of the lab that ends so, and returns how many there were. */
unsigned switch_each(const char *ending, void (*each)(const char *file));

#endif
