/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_QUEUE_H
#define BACKENDS_COLLECTOR_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/observation.h"

/* Batches on their way to the main thread. Any thread may call any of these. */
#define QUEUE_BATCHES 65536
#define QUEUE_BYTES   ((size_t)512 << 20)
/* Where so much waits, whoever fills it had better wait, too: queue_is_full(). */
#define QUEUE_ENOUGH ((size_t)256 << 20)

struct obs_queue {
	pthread_mutex_t lock;
	struct obs *first, *last;
	size_t n, bytes;
	size_t max_n, max_bytes, enough;
	uint64_t dropped;
	atomic_uint lost; /* likewise, with what got lost later (collector_lost()) */
	int64_t publish_us;
	int64_t last_wake_us; /* monotonic; 0: never */
	bool wake_promised;   /* some thread has a timer for the next wake */
};

void queue_init(struct obs_queue *q, int64_t publish_us);
void queue_free(struct obs_queue *q);

/*
 * Takes o over. When the queue is full the device's oldest data goes (or the oldest of all), so
 * that a consumer that stands still costs history, not memory. Returns when the consumer is to be
 * woken: 0: now, > 0: in so many microseconds by the caller, who then calls queue_wake_due();
 * -1: somebody else does.
 */
int64_t queue_push(struct obs_queue *q, struct obs *o, int64_t now_us);
/* Likewise all of a list, of which the consumer gets nothing or everything at a time. */
int64_t queue_push_list(struct obs_queue *q, struct obs *list, int64_t now_us);
/* The promised moment came; whether there is anything to wake for. */
bool queue_wake_due(struct obs_queue *q, int64_t now_us);
bool queue_is_full(struct obs_queue *q);
struct obs *queue_take_all(struct obs_queue *q);

#endif
