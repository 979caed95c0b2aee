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

enum device_poller_state {
	POLLER_IDLE,       /* waiting for its next attempt */
	POLLER_QUEUED,     /* the attempt is due, but CONNECTING_MOST others are connecting */
	POLLER_CONNECTING, /* counted in shard->connecting */
	POLLER_READY,
	POLLER_FINISHED /* with once */
};

struct device_poller;

/*
 * An answer may show that a device forgot a script, and the next one that it has more ports than
 * were asked for. A dialect that wants more than that is wrong.
 */
#define REPEATS_MOST 2

struct question {
	struct device_poller *poller;
	enum poll_tier tier;
	const struct request *request;
	unsigned repeats;         /* the dialect wanted it again so often */
	struct request_list anew; /* the requests planned for that */
};

/* One poll of a tier: its requests, and how many are under way. */
struct round {
	const struct request_list *list; /* NULL: no round is under way */
	struct question *questions;      /* one per request */
	size_t sent, answered;
};

/* Lines of a followed job source since its start. */
struct followed_lines {
	struct obs_lines count; /* without its texts */
	int64_t first_us;
	char example[48], trouble[160];
};

/* A followed request: its output is read for as long as the device is connected. */
struct log_stream {
	struct device_poller *poller;
	const struct request *request;
	bool asked;   /* it is under way */
	bool running; /* its command has started */
	bool said;    /* the validity of the need is known since the start */
	bool told;    /* with once: nothing more is awaited */
	unsigned ended;
	int64_t began_us;
	int64_t due_us;               /* the next event, see log_streams_due(); INT64_MAX: none */
	struct job_query *duty;       /* its job query; NULL: it is the dialect's log */
	struct followed_lines *lines; /* of the job query; NULL: none yet */
	uint64_t lost;                /* lines not reported yet */
	int64_t lost_due_us;          /* earliest time of the next report */
};
struct log_streams {
	struct request_list list;
	struct log_stream *at; /* one per request; NULL before the first question */
};

/* A job query: one entry of the inventory's jobs on this host. */
struct job_query {
	struct device_poller *poller;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	struct request_list list; /* of the current round */
	size_t next;
	bool on; /* wanted: for sources with an election, see collector_jobs() */
	bool busy, failed;
	bool done;          /* with once: it was asked */
	unsigned failures;  /* consecutive failed rounds */
	enum err_code told; /* the last failure that was reported to the operator */
	uint64_t said;      /* hash of the state as last reported, see job_query_say(); 0: none */
	int64_t due_us;     /* INT64_MAX: not scheduled */
	int64_t asked_us; /* start of the last round, 0: never; kept when the connection is lost */
};

/* A job source that is a file of this machine. */
struct local_file {
	struct shard *shard;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	bool failed; /* and the failure was logged */
	uv_timer_t timer;
};

struct device_poller {
	struct shard *shard;
	struct device_poller *next_queued;
	struct device_poller *next_held; /* next in the shard's queue of held pollers */
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
	struct log_streams follows;
	VEC(struct job_query) duties;
	enum device_poller_state state;
	unsigned failures, refusals; /* consecutive */
	int64_t armed_us;            /* when the next action is due */
	int64_t timer_us;            /* when the timer fires: not later than armed_us */
	int64_t retry_us;
	int64_t rest_us;         /* parked: when to close the connection */
	int64_t left_out_due_us; /* next report of skipped polls, not before */
	const char *way_told;    /* delivery mode of its answers as last reported; NULL: not yet */
	bool asked_now;          /* collector_poll_now(); protected by collector.lock */
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
	struct device_poller *pollers;
	unsigned n;
	unsigned connecting;
	struct device_poller *queue_first, *queue_last;
	struct pace pace;
	unsigned asking; /* rounds under way */
	struct device_poller *held_first,
		*held_last;           /* queue of READY pollers that are due but must wait */
	struct device_poller *let_in; /* taken from that queue and permitted to poll */
	struct device_poller *focused;
	uint32_t random;
	struct answer_shelf *shelf; /* of the answers of its devices */
	struct plan_shelf plans;    /* of their request lists */
	struct local_file *locals;  /* only in the first shard */
	size_t nlocals;
	struct remote_source *remotes; /* see job_remote.c */
	size_t nremotes;
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
void device_poller_connect(struct device_poller *p);
void device_poller_start(struct device_poller *p, int64_t now_us);
/* Resumes a poller that was held. */
void device_poller_go_on(struct device_poller *p);
void device_poller_stop(struct device_poller *p);
void device_poller_focus(struct device_poller *p, bool focused);
/* True: a metrics engine covers it and it is not in focus, so it is not polled. */
static inline bool device_poller_parked(const struct device_poller *p)
{
	return p->device->by_engine && !p->schedule.focused;
}
void device_poller_now(struct device_poller *p);
/* Sets the timer for the next due action. */
void device_poller_arm(struct device_poller *p);
struct obs *device_poller_batch(const struct device_poller *p, const char *request);
void device_poller_push_failed(struct device_poller *p, const char *request, const struct err *why);
/*
 * poll_mode_report.c: reports whether an answer of the fast tier came in the mode of
 * plan_device.poll, and if not, why; only when that changed.
 */
void device_poller_tell_way(
	struct device_poller *p, const struct request *r, const struct answer *a);
/* Adds the verbatim answer to the batch, if collector_keep_raw() is on. */
void device_poller_keep_raw(const struct device_poller *p, struct obs *o, const struct request *r,
	const struct answer *a);
/* Appends the answer's standard error, which often explains why it could not be parsed. */
void device_poller_add_complaint(struct err *e, const struct answer *a);
/* With once: closes the device when everything was answered. True: closed. */
bool device_poller_finish(struct device_poller *p);

/* ---- log_stream.c: followed outputs ---- */
void log_streams_begin(struct device_poller *p);
/* Restarts outputs that ended, and reports the need as ok for those that run. */
void log_streams_due(struct device_poller *p, int64_t now_us);
int64_t log_streams_next_us(const struct device_poller *p); /* INT64_MAX: never */
/* True: it is known for each output if it can be followed. */
bool log_streams_told(const struct device_poller *p);
/* Discards them; the link is down or closed. */
void log_streams_drop(struct device_poller *p);

/* ---- job_query.c: job queries of hosts ---- */
/* Assigns job queries before the threads run. False: the inventory names an unknown device. */
bool job_queries_prepare(struct collector *c, struct err *err);
/* The device is connected, and DETECT is done. */
void job_queries_begin(struct device_poller *p);
void job_queries_due(struct device_poller *p, int64_t now_us);
int64_t job_queries_next_us(const struct device_poller *p); /* INT64_MAX: never */
/* The link is down or closed. */
void job_queries_drop(struct device_poller *p);
/* Switches sources with an election on or off. */
void job_queries_switch(struct device_poller *p, bool on);
/* Adds the followed requests. */
void job_queries_follow(struct device_poller *p, struct request_list *out);
/* Returns the job query of the request; NULL: it is the dialect's. */
struct job_query *job_query_of(const struct device_poller *p, const char *request);
/* Reports the state of the source, if it differs from the last report: see source_state.h. */
void job_query_say(struct job_query *d, enum validity v, const char *text);
/* Explains and reports that its command failed. */
void job_query_failed(struct job_query *d, const struct answer *a, const struct err *why);
/* With once: each source was asked. */
bool job_queries_done(const struct device_poller *p);
bool job_query_parse(const struct job_query *d, const char *request, const struct answer *a,
	struct obs *o, struct err *e);
/* ---- job_remote.c: job sources that are reached by a URL ---- */
/* Checks URLs and tokens before the threads run. */
bool remote_sources_prepare(struct collector *c, struct err *err);
void remote_sources_start(struct shard *s);
void remote_sources_stop(struct shard *s);

void local_files_start(struct shard *s);
void local_files_stop(struct shard *s);

/* ---- shard.c: one collector thread ---- */
bool shard_start(struct shard *s, struct err *err);
/* The queue takes ownership of the batch. */
void shard_push(struct shard *s, struct obs *o);
uint32_t shard_random(struct shard *s);
/*
 * True: a round of this device may begin. False: too many are under way, or the queue is full;
 * device_poller_go_on() is called later. The device in focus is never held.
 */
bool shard_may_ask(struct device_poller *p);
/* A round has ended, or will not be answered. */
void shard_asked(struct shard *s);
/* Connects now, or when another handshake has ended. */
void shard_connect(struct device_poller *p);
void shard_connect_ended(struct device_poller *p);

#endif
