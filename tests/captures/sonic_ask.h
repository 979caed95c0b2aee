/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_SONIC_ASK_H
#define TESTS_CAPTURES_SONIC_ASK_H

#include "backends/contract/backend.h"
#include "tests/support/sonic_redis.h"

/* The dialect "sonic" with a real shell and a real Redis in the place of the switch. */

/*
 * Runs the command line that plan() has for the request, and returns its output; the caller frees
 * it, and the list. Fails the test when the tier has no such request.
 */
char *sonic_run(const struct sonic_redis *r, const struct target *t, enum poll_tier tier,
	const char *request, struct request_list *l, size_t *len);
/* The same, decoded; the target's facts learn from it. Fails the test when it is not understood. */
struct obs *sonic_ask(const struct sonic_redis *r, const struct target *t, struct facts *facts,
	enum poll_tier tier, const char *request);

#endif
