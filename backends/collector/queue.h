/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_QUEUE_H
#define BACKENDS_COLLECTOR_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/observation.h"

/* Queue of batches to the main thread. All functions may be called from any thread. */
#define QUEUE_BATCHES 65536
#define QUEUE_BYTES   ((size_t)512 << 20)
/* queue_is_full() is true from here on; producers should wait. */
#define QUEUE_ENOUGH ((size_t)256 << 20)

struct obs_queue {
	pthread_mutex_t lock;
	struct obs *first, *last;
	size_t n, bytes;
	size_t max_n, max_bytes, enough;
	uint64_t dropped;
	atomic_uint lost; /* dropped, and batches lost after the queue (collector_lost()) */
	int64_t publish_us;
	int64_t last_wake_us; /* monotonic; 0: never */
	bool wake_promised;   /* a thread has a timer for the next wake */
};

void queue_init(struct obs_queue *q, int64_t publish_us);
void queue_free(struct obs_queue *q);

/*
 * Appends o and takes ownership. A full queue drops the device's oldest data, or else the oldest
 * batch, so that a stalled consumer costs history and not memory. Returns the time of the next wake
 * of the consumer: 0: now; > 0: after that many microseconds the caller calls queue_wake_due(); -1:
 * another thread does.
 */
int64_t queue_push(struct obs_queue *q, struct obs *o, int64_t now_us);
/* Appends all batches of a list at once: the consumer gets none or all of them. */
int64_t queue_push_list(struct obs_queue *q, struct obs *list, int64_t now_us);
/* Call it after the wait of queue_push(). True: there are batches, wake the consumer. */
bool queue_wake_due(struct obs_queue *q, int64_t now_us);
bool queue_is_full(struct obs_queue *q);
struct obs *queue_take_all(struct obs_queue *q);

#endif
