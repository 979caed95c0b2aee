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
	struct request *request;
	bool repeated; /* the dialect wanted it again, once */
};

/* One tier being asked: its requests, and how many are out. */
struct round {
	struct request_list list;
	struct question *questions; /* one a request */
	size_t sent, answered;
};

/* A followed request: its output is answers for as long as the device is connected. */
struct follow {
	struct poller *poller;
	const struct request *request;
	bool asked;   /* under way */
	bool running; /* its command has been started */
	bool said;    /* something about the need, since it was asked */
	bool told;    /* enough for once: nothing more is waited for */
	unsigned ended;
	int64_t began_us;
	int64_t due_us;      /* what comes next, see follows_due(); INT64_MAX: nothing */
	uint64_t lost;       /* lines, not told yet */
	int64_t lost_due_us; /* not before */
};
struct follows {
	struct request_list list;
	struct follow *at; /* one a request; NULL before the first question */
};

struct poller {
	struct shard *shard;
	struct poller *next_queued;
	const struct plan_device *device;
	const struct backend_ops *ops;
	const struct transport *transport;
	struct target target;
	struct facts facts; /* learnt since it was connected to; target.facts */
	const struct credential *credential;
	struct link *link;
	uv_timer_t timer;
	struct schedule schedule;
	struct round rounds[POLL_TIER_COUNT];
	struct follows follows;
	enum poller_state state;
	unsigned failures, refusals; /* in a row */
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
/* Sets the timer for whatever comes next. */
void poller_arm(struct poller *p);
struct obs *poller_batch(const struct poller *p, const char *request);
void poller_push_failed(struct poller *p, const char *request, const struct err *why);
/* What the dialect could not read is often explained on standard error. */
void poller_add_complaint(struct err *e, const struct answer *a);
/* With once: closes the device when everything was answered. True: it did. */
bool poller_finish(struct poller *p);

/* ---- collector_follow.c: outputs that do not end ---- */
void follows_begin(struct poller *p);
/* Asks again what ended some time ago, and says of what has run for a moment that it can. */
void follows_due(struct poller *p, int64_t now_us);
int64_t follows_next_us(const struct poller *p); /* INT64_MAX: never */
/* Whether it is known of each if it can be followed. */
bool follows_told(const struct poller *p);
/* Forgets them; the link is down or closed. */
void follows_drop(struct poller *p);

/* ---- collector_shard.c: one thread ---- */
bool shard_start(struct shard *s, struct err *err);
/* The batch becomes the queue's. */
void shard_push(struct shard *s, struct obs *o);
uint32_t shard_random(struct shard *s);
/* Connects now or as soon as others are done. */
void shard_connect(struct poller *p);
void shard_connect_ended(struct poller *p);

#endif
