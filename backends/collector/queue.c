/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/queue.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"

void queue_init(struct obs_queue *q, int64_t publish_us)
{
	memset(q, 0, sizeof(*q));
	pthread_mutex_init(&q->lock, NULL);
	q->publish_us = publish_us > 0 ? publish_us : CLOCK_SEC;
	q->max_n = QUEUE_BATCHES;
	q->max_bytes = QUEUE_BYTES;
	q->enough = QUEUE_ENOUGH;
}

void queue_free(struct obs_queue *q)
{
	struct obs *next;

	for (struct obs *o = queue_take_all(q); o; o = next) {
		next = o->next;
		obs_free(o);
	}
	pthread_mutex_destroy(&q->lock);
}

static size_t batch_bytes(const struct obs *o)
{
	return sizeof(*o) + o->ports.size * sizeof(*o->ports.at) +
	       o->items.size * sizeof(*o->items.at) + o->strings.size + o->raw_len;
}

/* Drops the first data batch of this device, or else the first batch of all. */
static void drop_one(struct obs_queue *q, const char *device)
{
	struct obs *before = NULL, *o = q->first, *prev = NULL;

	while (o && !(o->result == OBS_DATA && str_eq(o->device, device))) {
		before = o;
		o = o->next;
	}
	if (o)
		prev = before;
	else
		o = q->first;
	if (!o)
		return;
	if (prev)
		prev->next = o->next;
	else
		q->first = o->next;
	if (q->last == o)
		q->last = prev;
	q->n--;
	q->bytes -= batch_bytes(o);
	q->dropped++;
	atomic_fetch_add(&q->lost, 1);
	obs_free(o);
}

static void add_batch(struct obs_queue *q, struct obs *o)
{
	size_t size = batch_bytes(o);

	o->next = NULL;
	while (q->n && (q->n >= q->max_n || q->bytes + size > q->max_bytes))
		drop_one(q, o->device);
	if (q->last)
		q->last->next = o;
	else
		q->first = o;
	q->last = o;
	q->n++;
	q->bytes += size;
}

static int64_t next_wake(struct obs_queue *q, int64_t now_us)
{
	int64_t due = q->last_wake_us ? q->last_wake_us + q->publish_us : now_us;
	int64_t wake = due > now_us ? due - now_us : 0;

	if (q->wake_promised)
		return -1;
	q->wake_promised = wake > 0;
	if (!wake)
		q->last_wake_us = now_us;
	return wake;
}

int64_t queue_push_list(struct obs_queue *q, struct obs *list, int64_t now_us)
{
	int64_t wake = -1;

	pthread_mutex_lock(&q->lock);
	while (list) {
		struct obs *o = list;

		list = o->next;
		add_batch(q, o);
	}
	if (q->n)
		wake = next_wake(q, now_us);
	pthread_mutex_unlock(&q->lock);
	return wake;
}

int64_t queue_push(struct obs_queue *q, struct obs *o, int64_t now_us)
{
	o->next = NULL;
	return queue_push_list(q, o, now_us);
}

bool queue_wake_due(struct obs_queue *q, int64_t now_us)
{
	bool any;

	pthread_mutex_lock(&q->lock);
	q->wake_promised = false;
	any = q->first != NULL;
	if (any)
		q->last_wake_us = now_us;
	pthread_mutex_unlock(&q->lock);
	return any;
}

bool queue_is_full(struct obs_queue *q)
{
	bool full;

	pthread_mutex_lock(&q->lock);
	/* Incremental batches are small: their number may reach its limit first. */
	full = q->bytes >= q->enough || q->n >= q->max_n / 2;
	pthread_mutex_unlock(&q->lock);
	return full;
}

struct obs *queue_take_all(struct obs_queue *q)
{
	struct obs *all;

	pthread_mutex_lock(&q->lock);
	all = q->first;
	q->first = q->last = NULL;
	q->n = q->bytes = 0;
	pthread_mutex_unlock(&q->lock);
	return all;
}
