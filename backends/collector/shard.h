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

/* Private to backends/collector/. */

enum poller_state {
	POLLER_IDLE,       /* waiting for its next attempt */
	POLLER_QUEUED,     /* the attempt is due, but CONNECTING_MOST others are connecting */
	POLLER_CONNECTING, /* counted in shard->connecting */
	POLLER_READY,
	POLLER_FINISHED /* with once */
};

struct poller;

struct question {
	struct poller *poller;
	enum poll_tier tier;
	const struct request *request;
	bool repeated;            /* the dialect wanted it again; at most once */
	struct request_list anew; /* the requests planned for that */
};

/* One poll of a tier: its requests, and how many are under way. */
struct round {
	const struct request_list *list; /* NULL: no round is under way */
	struct question *questions;      /* one per request */
	size_t sent, answered;
};

/* A followed request: its output is read for as long as the device is connected. */
struct follow {
	struct poller *poller;
	const struct request *request;
	bool asked;   /* it is under way */
	bool running; /* its command has started */
	bool said;    /* the validity of the need is known since the start */
	bool told;    /* with once: nothing more is awaited */
	unsigned ended;
	int64_t began_us;
	int64_t due_us;          /* the next event, see follows_due(); INT64_MAX: none */
	const struct duty *duty; /* its job query; NULL: it is the dialect's log */
	uint64_t lost;           /* lines not reported yet */
	int64_t lost_due_us;     /* earliest time of the next report */
};
struct follows {
	struct request_list list;
	struct follow *at; /* one per request; NULL before the first question */
};

/* A job query: one entry of the inventory's jobs on this host. */
struct duty {
	struct poller *poller;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	struct request_list list; /* of the current round */
	size_t next;
	bool on; /* wanted: for sources with an election, see collector_jobs() */
	bool busy, failed;
	unsigned failures;  /* consecutive failed rounds */
	enum err_code told; /* the last failure that was reported to the operator */
	int64_t due_us;     /* INT64_MAX: not scheduled */
	int64_t asked_us; /* start of the last round, 0: never; kept when the connection is lost */
};

/* A job source that is a file of this machine. */
struct local {
	struct shard *shard;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	bool failed; /* and the failure was logged */
	uv_timer_t timer;
};

struct poller {
	struct shard *shard;
	struct poller *next_queued;
	struct poller *next_held; /* next in the shard's queue of held pollers */
	bool held;
	const struct plan_device *device;
	const struct backend_ops *ops;
	const struct transport *transport;
	struct target target;
	struct facts facts; /* learnt since the connection; target.facts */
	const struct credential *credential;
	struct device_link *link;
	uv_timer_t timer;
	struct schedule schedule;
	struct round rounds[POLL_TIER_COUNT];
	struct {
		struct kept_plan *plan; /* NULL: none yet */
		unsigned edits;         /* facts.edits at planning */
	} plans[POLL_TIER_COUNT];
	struct decode decode; /* of the fast tier */
	struct follows follows;
	VEC(struct duty) duties;
	enum poller_state state;
	unsigned failures, refusals; /* consecutive */
	int64_t armed_us;            /* when the next action is due */
	int64_t timer_us;            /* when the timer fires: not later than armed_us */
	int64_t retry_us;
	int64_t rest_us;         /* parked: when to close the connection */
	int64_t left_out_due_us; /* next report of skipped polls, not before */
	unsigned steady;      /* consecutive answers of the fast tier that differ in numbers only */
	bool streams;         /* it tells by itself what the fast tier asks */
	const char *way_told; /* delivery mode of its answers as last reported; NULL: not yet */
	bool asked_now;       /* collector_poll_now(); protected by collector.lock */
	bool jobs_on;         /* collector_jobs(); likewise */
	atomic_bool keep_raw; /* collector_keep_raw() */
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
	unsigned asking; /* rounds under way */
	struct poller *held_first,
		*held_last;    /* queue of READY pollers that are due but must wait */
	struct poller *let_in; /* taken from that queue and permitted to poll */
	struct poller *focused;
	uint32_t random;
	struct again_shelf *shelf; /* of the answers of its devices */
	struct plan_shelf plans;   /* of their request lists */
	struct local *locals;      /* only in the first shard */
	size_t nlocals;
	bool stopping;
	atomic_bool wishes; /* the main thread has changed the focus or requested a poll */
};

struct collector {
	const struct plan *plan;
	struct collector_opts opts;
	struct credentials *credentials;
	struct obs_queue queue;
	struct shard *shards;
	unsigned n;
	atomic_bool stop;
	atomic_bool holding;    /* some device is held until the queue is drained */
	size_t asked;           /* devices to poll, with once */
	atomic_size_t finished; /* of those, the finished ones */
	pthread_mutex_t lock;   /* protects focus and the pollers' asked_now and jobs_on */
	char focus[NAME_MAX_LEN];
};

/* ---- device_poller.c: the state machine of one device ---- */
/* Called from the shard's queue; the state is POLLER_CONNECTING. */
void poller_connect(struct poller *p);
void poller_start(struct poller *p, int64_t now_us);
/* Resumes a poller that was held. */
void poller_go_on(struct poller *p);
void poller_stop(struct poller *p);
void poller_focus(struct poller *p, bool focused);
/* True: a metrics engine covers it and it is not in focus, so it is not polled. */
static inline bool poller_parked(const struct poller *p)
{
	return p->device->by_engine && !p->schedule.focused;
}
void poller_now(struct poller *p);
/* Sets the timer for the next due action. */
void poller_arm(struct poller *p);
struct obs *poller_batch(const struct poller *p, const char *request);
void poller_push_failed(struct poller *p, const char *request, const struct err *why);
/*
 * poll_mode_report.c: reports whether an answer of the fast tier came in the mode of
 * plan_device.poll, and if not, why; only when that changed.
 */
void poller_tell_way(struct poller *p, const struct request *r, const struct answer *a);
/* ---- device_stream.c: what the fast tier asks is told by the device itself ---- */
void poller_stream_answer(struct poller *p, const struct answer *a);
/* At the end of a round, before it is cleared. True: the next one begins with a tick. */
bool poller_stream_go_on(struct poller *p);
/* Adds the verbatim answer to the batch, if collector_keep_raw() is on. */
void poller_keep_raw(
	const struct poller *p, struct obs *o, const struct request *r, const struct answer *a);
/* Appends the answer's standard error, which often explains why it could not be parsed. */
void poller_add_complaint(struct err *e, const struct answer *a);
/* With once: closes the device when everything was answered. True: closed. */
bool poller_finish(struct poller *p);

/* ---- log_stream.c: followed outputs ---- */
void follows_begin(struct poller *p);
/* Restarts outputs that ended, and reports the need as ok for those that run. */
void follows_due(struct poller *p, int64_t now_us);
int64_t follows_next_us(const struct poller *p); /* INT64_MAX: never */
/* True: it is known for each output if it can be followed. */
bool follows_told(const struct poller *p);
/* Discards them; the link is down or closed. */
void follows_drop(struct poller *p);

/* ---- job_query.c: job queries of hosts ---- */
/* Assigns job queries before the threads run. False: the inventory names an unknown device. */
bool duties_prepare(struct collector *c, struct err *err);
/* The device is connected, and DETECT is done. */
void duties_begin(struct poller *p);
void duties_due(struct poller *p, int64_t now_us);
int64_t duties_next_us(const struct poller *p); /* INT64_MAX: never */
/* The link is down or closed. */
void duties_drop(struct poller *p);
/* Switches sources with an election on or off. */
void duties_switch(struct poller *p, bool on);
/* Adds the followed requests. */
void duties_follow(struct poller *p, struct request_list *out);
/* Returns the job query of the request; NULL: it is the dialect's. */
const struct duty *duty_of(const struct poller *p, const char *request);
bool duty_parse(const struct duty *d, const char *request, const struct answer *a, struct obs *o,
	struct err *e);
void locals_start(struct shard *s);
void locals_stop(struct shard *s);

/* ---- shard.c: one collector thread ---- */
bool shard_start(struct shard *s, struct err *err);
/* The queue takes ownership of the batch. */
void shard_push(struct shard *s, struct obs *o);
uint32_t shard_random(struct shard *s);
/*
 * True: a round of this device may begin. False: too many are under way, or the queue is full;
 * poller_go_on() is called later. The device in focus is never held.
 */
bool shard_may_ask(struct poller *p);
/* Likewise, without a later call. */
bool shard_has_room(const struct poller *p);
/* A round has ended, or will not be answered. */
void shard_asked(struct shard *s);
/* Connects now, or when another handshake has ended. */
void shard_connect(struct poller *p);
void shard_connect_ended(struct poller *p);

#endif
