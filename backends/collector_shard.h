/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_SHARD_H
#define BACKENDS_COLLECTOR_SHARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

#include "backends/collector.h"
#include "backends/collector_queue.h"
#include "backends/collector_schedule.h"
#include "backends/transport.h"

/* Private to collector*.c. */

enum poller_state {
	POLLER_IDLE,       /* waiting for its (next) attempt */
	POLLER_QUEUED,     /* the attempt is due, but enough others are connecting */
	POLLER_CONNECTING, /* counted in shard->connecting */
	POLLER_READY,
	POLLER_FINISHED /* with once */
};

struct poller;

struct question {
	struct poller *poller;
	enum poll_tier tier;
	const struct request *request;
};

/* One tier being asked: its requests, and how many are out. */
struct round {
	struct request_list list;
	struct question *questions; /* one a request */
	size_t sent, answered;
};

struct poller {
	struct shard *shard;
	struct poller *next_queued;
	const struct plan_device *device;
	const struct backend_ops *ops;
	const struct transport *transport;
	struct target target;
	const struct credential *credential;
	struct link *link;
	uv_timer_t timer;
	struct schedule schedule;
	struct round rounds[POLL_TIER_COUNT];
	enum poller_state state;
	unsigned failures;
	int64_t retry_us;
	bool asked_now; /* collector_poll_now(); under collector.lock */
};

struct shard {
	struct collector *collector;
	pthread_t thread;
	bool running;
	uv_loop_t loop;
	uv_async_t async;
	uv_timer_t wake;
	void *transports[TRANSPORT_COUNT];
	struct poller *pollers;
	unsigned n;
	unsigned connecting;
	struct poller *queue_first, *queue_last;
	struct poller *focused;
	uint32_t random;
	bool stopping;
	atomic_bool wishes; /* the main thread changed focus or asked for a poll */
};

struct collector {
	const struct plan *plan;
	struct collector_opts opts;
	struct credentials *credentials;
	struct obs_queue queue;
	struct shard *shards;
	unsigned n;
	atomic_bool stop;
	atomic_size_t finished; /* devices that are through, with once */
	pthread_mutex_t lock;   /* of what follows, and of asked_now */
	char focus[NAME_MAX_LEN];
};

/* ---- collector_poll.c: one device's life ---- */
/* Runs inside the shard's queue; the state is POLLER_CONNECTING. */
void poller_connect(struct poller *p);
void poller_start(struct poller *p, int64_t now_us);
void poller_stop(struct poller *p);
void poller_focus(struct poller *p, bool focused);
void poller_now(struct poller *p);

/* ---- collector_shard.c: one thread ---- */
bool shard_start(struct shard *s, struct err *err);
/* The batch becomes the queue's. */
void shard_push(struct shard *s, struct obs *o);
uint32_t shard_random(struct shard *s);
/* Connects now or as soon as others are done. */
void shard_connect(struct poller *p);
void shard_connect_ended(struct poller *p);

#endif
