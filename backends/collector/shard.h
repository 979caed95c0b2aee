/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_SHARD_H
#define BACKENDS_COLLECTOR_SHARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

#include "backends/collector/collector.h"
#include "backends/collector/backpressure.h"
#include "backends/collector/plans.h"
#include "backends/collector/queue.h"
#include "backends/collector/schedule.h"
#include "backends/incremental/poll_decode.h"
#include "backends/jobs/source.h"
#include "backends/transport/transport.h"

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
	bool repeated;            /* the dialect wanted it again, once: */
	struct request_list anew; /* planned for that */
};

/* One tier being asked: its requests, and how many are out. */
struct round {
	const struct request_list *list; /* NULL: none is under way */
	struct question *questions;      /* one a request */
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
	int64_t due_us;          /* what comes next, see follows_due(); INT64_MAX: nothing */
	const struct duty *duty; /* it is about a job; NULL: it is the dialect's log */
	uint64_t lost;           /* lines, not told yet */
	int64_t lost_due_us;     /* not before */
};
struct follows {
	struct request_list list;
	struct follow *at; /* one a request; NULL before the first question */
};

/* One entry of the inventory's jobs, as far as this host is asked. */
struct duty {
	struct poller *poller;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	struct request_list list; /* of the round that is under way */
	size_t next;
	bool on; /* it is wanted: of sources with an election, see collector_jobs() */
	bool busy, failed;
	unsigned failures;  /* rounds in a row */
	enum err_code told; /* the failure that was told to the operator */
	int64_t due_us;     /* INT64_MAX: not asked */
	int64_t asked_us;   /* when the last round began, 0: never; over connections, too */
};

/* One that is a file of this machine. */
struct local {
	struct shard *shard;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	bool failed; /* and it was told */
	uv_timer_t timer;
};

struct poller {
	struct shard *shard;
	struct poller *next_queued;
	struct poller *next_held; /* in the shard's line of those that are held back */
	bool held;
	const struct plan_device *device;
	const struct backend_ops *ops;
	const struct transport *transport;
	struct target target;
	struct facts facts; /* learnt since it was connected to; target.facts */
	const struct credential *credential;
	struct device_link *link;
	uv_timer_t timer;
	struct schedule schedule;
	struct round rounds[POLL_TIER_COUNT];
	struct {
		struct kept_plan *plan; /* NULL: none yet */
		unsigned edits;         /* of the facts that it was planned with */
	} plans[POLL_TIER_COUNT];
	struct decode decode; /* of the fast tier */
	struct follows follows;
	VEC(struct duty) duties;
	enum poller_state state;
	unsigned failures, refusals; /* in a row */
	int64_t armed_us;            /* when something is due */
	int64_t timer_us;            /* when the timer fires: not after that */
	int64_t retry_us;
	int64_t rest_us;         /* parked: when its connection is closed */
	int64_t left_out_due_us; /* polls that were left out are told of, not before */
	unsigned steady;         /* answers of the fast tier in a row that differ in numbers only */
	bool streams;            /* it tells by itself what the fast tier asks */
	const char *way_told;    /* how its answers come, as it was told last; NULL: it was not */
	bool asked_now;          /* collector_poll_now(); under collector.lock */
	bool jobs_on;            /* collector_jobs(); likewise */
	atomic_bool keep_raw;    /* collector_keep_raw() */
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
	struct pace pace;
	unsigned asking;                       /* rounds under way */
	struct poller *held_first, *held_last; /* READY when they came, and due */
	struct poller *let_in;                 /* was the first of them, and may ask */
	struct poller *focused;
	uint32_t random;
	struct again_shelf *shelf; /* of what its devices answered */
	struct plan_shelf plans;   /* of what they are asked */
	struct local *locals;      /* of the first shard */
	size_t nlocals;
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
	atomic_bool holding;    /* some device is held back until the queue was drained */
	size_t asked;           /* devices that are asked, with once */
	atomic_size_t finished; /* those of them that are through */
	pthread_mutex_t lock;   /* of what follows, and of asked_now */
	char focus[NAME_MAX_LEN];
};

/* ---- device_poller.c: one device's life ---- */
/* Runs inside the shard's queue; the state is POLLER_CONNECTING. */
void poller_connect(struct poller *p);
void poller_start(struct poller *p, int64_t now_us);
/* It was held back, and is no longer. */
void poller_go_on(struct poller *p);
void poller_stop(struct poller *p);
void poller_focus(struct poller *p, bool focused);
/* A metrics engine tells about it and nobody looks at it: it is not asked. */
static inline bool poller_parked(const struct poller *p)
{
	return p->device->by_engine && !p->schedule.focused;
}
void poller_now(struct poller *p);
/* Sets the timer for whatever comes next. */
void poller_arm(struct poller *p);
struct obs *poller_batch(const struct poller *p, const char *request);
void poller_push_failed(struct poller *p, const char *request, const struct err *why);
/* poll_mode_report.c: tells, when it is news, whether an answer of the fast tier came as
 * plan_device.poll says, and why not. */
void poller_tell_way(struct poller *p, const struct request *r, const struct answer *a);
/* ---- device_stream.c: what the fast tier asks is told by the device itself ---- */
void poller_stream_answer(struct poller *p, const struct answer *a);
/* At the end of a round, before it is cleared. True: the next one begins with a tick. */
bool poller_stream_go_on(struct poller *p);
/* The answer goes along, verbatim, while somebody wants that. */
void poller_keep_raw(
	const struct poller *p, struct obs *o, const struct request *r, const struct answer *a);
/* What the dialect could not read is often explained on standard error. */
void poller_add_complaint(struct err *e, const struct answer *a);
/* With once: closes the device when everything was answered. True: it did. */
bool poller_finish(struct poller *p);

/* ---- log_stream.c: outputs that do not end ---- */
void follows_begin(struct poller *p);
/* Asks again what ended some time ago, and says of what has run for a moment that it can. */
void follows_due(struct poller *p, int64_t now_us);
int64_t follows_next_us(const struct poller *p); /* INT64_MAX: never */
/* Whether it is known of each if it can be followed. */
bool follows_told(const struct poller *p);
/* Forgets them; the link is down or closed. */
void follows_drop(struct poller *p);

/* ---- job_query.c: what hosts are asked about jobs ---- */
/* Before the threads run: who is asked what. False: the inventory names a device that is none. */
bool duties_prepare(struct collector *c, struct err *err);
/* Connected, and the device is known. */
void duties_begin(struct poller *p);
void duties_due(struct poller *p, int64_t now_us);
int64_t duties_next_us(const struct poller *p); /* INT64_MAX: never */
/* The link is down or closed. */
void duties_drop(struct poller *p);
/* Sources with an election are asked from now on, or not any more. */
void duties_switch(struct poller *p, bool on);
/* Adds what is followed. */
void duties_follow(struct poller *p, struct request_list *out);
/* Whose request it is; NULL: the dialect's. */
const struct duty *duty_of(const struct poller *p, const char *request);
bool duty_parse(const struct duty *d, const char *request, const struct answer *a, struct obs *o,
	struct err *e);
void locals_start(struct shard *s);
void locals_stop(struct shard *s);

/* ---- shard.c: one thread ---- */
bool shard_start(struct shard *s, struct err *err);
/* The batch becomes the queue's. */
void shard_push(struct shard *s, struct obs *o);
uint32_t shard_random(struct shard *s);
/*
 * Whether a round of this device may begin. False: too many are under way, or the main thread has
 * not taken what there is; poller_go_on() is called later. The device in focus is never held back.
 */
bool shard_may_ask(struct poller *p);
/* The same for one that cannot be called later. */
bool shard_has_room(const struct poller *p);
/* A round has ended, or will not be answered. */
void shard_asked(struct shard *s);
/* Connects now or as soon as others are done. */
void shard_connect(struct poller *p);
void shard_connect_ended(struct poller *p);

#endif
