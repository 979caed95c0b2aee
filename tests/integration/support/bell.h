/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_BELL_H
#define TESTS_INTEGRATION_SUPPORT_BELL_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/collector/collector.h"

/* A collector's thread wakes with it a test that waits for a batch. */
struct bell {
	int fd[2];
};
void bell_open(struct bell *b);
void bell_close(struct bell *b);
/* collector_opts.wake, with the bell as its context. */
void bell_ring(void *bell);
/*
 * Waits for a ring, half a second at most: the awaited state may need no answer of a device. False
 * when the mono time is after until_ms: the deadline only makes a hang a failure.
 */
bool bell_wait(const struct bell *b, int64_t until_ms);
/* Shows each batch that waits, the oldest first, and frees it. */
void bell_drain(struct collector *c, void (*see)(void *ctx, const struct obs *o), void *ctx);

#endif
