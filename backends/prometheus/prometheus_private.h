/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_PROMETHEUS_PRIVATE_H
#define BACKENDS_PROMETHEUS_PROMETHEUS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "backends/collector/queue.h"
#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/queries.h"
#include "backends/prometheus/series_index.h"
#include "backends/prometheus/http_client.h"

/* Private to backends/prometheus/prometheus.c and round.c. */

#define PROMETHEUS_IN_FLIGHT 4
#define PROMETHEUS_WARNING   200

enum prometheus_job {
	ROUND_NONE,
	ROUND_SHARD,
	ROUND_FOCUS,
	ROUND_HISTORY,
	ROUND_MOMENT,
	ROUND_SPAN
};

struct prometheus;

/* A query under way. */
struct prometheus_flight {
	struct prometheus *engine;
	struct prometheus_shard *shard;
	struct prometheus_ask *ask;
	struct prometheus_transfer *transfer; /* NULL: the flight is free */
	bool brief;                           /* its window is as short as the known scrape interval
					       * allows */
	struct series_index_query query;
};

struct prometheus_todo {
	struct prometheus_shard *shard;
	struct prometheus_ask *ask;
};

/* The gather under way; used by the engine's thread only. */
struct prometheus_round {
	enum prometheus_job job;
	VEC(struct prometheus_todo) todo;
	size_t next;
	int64_t eval_us; /* server time at which all its queries are evaluated, so that they agree
			  */
	int64_t t_us;    /* ROUND_MOMENT */
	bool broken;     /* the server is down: skip the remaining queries */
	char warning[PROMETHEUS_WARNING];
	struct err err; /* if broken; else of the first refused query */
};

struct prometheus {
	const struct plan *plan;
	const struct prometheus_map *map;
	struct prometheus_opts opts;
	struct prometheus_http *http;
	struct series_index *book;
	pthread_t thread;
	bool started;
	atomic_bool stop, finished;
	atomic_bool held; /* no round begins until the queue is emptied */

	pthread_mutex_t lock; /* protects the members up to moment */
	struct obs_queue queue;
	char focus[NAME_MAX_LEN];
	bool *left; /* devices polled by a collector, by index in the plan */
	int64_t moment_t;
	bool moment_wanted;
	struct {
		bool ready;
		int64_t t_us;
		struct obs *obs;
		struct err err;
	} moment;
	struct {
		bool wanted, ready;
		struct prometheus_span asked, answered;
		struct obs *obs;
		struct err err;
	} span; /* span.c; protected by lock too */

	/* The engine's thread only: */
	VEC(struct prometheus_shard) shards;
	struct prometheus_shard focused, past;    /* asks for the device under the cursor */
	char focused_name[NAME_MAX_LEN];          /* the device that these are for */
	size_t focus_at;                          /* index in the book; SIZE_MAX: none */
	VEC(struct prometheus_shard) span_shards; /* of the span that is being asked */
	struct prometheus_span spanning;
	bool *past_done;      /* by index in the book */
	int64_t past_due_us;  /* monotonic; 0: not wanted */
	unsigned past_broken; /* failed rounds of it */
	struct prometheus_round round;
	struct prometheus_flight flights[PROMETHEUS_IN_FLIGHT];
	int64_t ahead_us; /* how far the server's clock is ahead of ours */
	bool clock_known;
	unsigned downs;   /* consecutive failed rounds */
	int64_t retry_us; /* monotonic; no query before */
	uint32_t told;    /* hash of the last error reported for the devices */
	int64_t wake_us;  /* monotonic time of a promised wake; 0: none */
};

/* ---- round.c ---- */
int64_t prometheus_interval(const struct prometheus *e);
/* Begins a round with the due asks of the shards. */
void prometheus_round_begin(struct prometheus *e, enum prometheus_job job,
	struct prometheus_shard *shards, size_t n, int64_t t_us);
/* Starts queries. True: none is left or under way. */
bool prometheus_round_step(struct prometheus *e);
/* Ends the round and returns its batches. */
struct obs *prometheus_round_end(struct prometheus *e);
void prometheus_round_drop(struct prometheus *e);

/* ---- span.c ---- */
/* Begins the round of a requested span; false: there is none. */
bool prometheus_span_begin(struct prometheus *e);
void prometheus_span_end(struct prometheus *e, struct obs *list);
void prometheus_span_free(struct prometheus *e);

/* ---- prometheus.c ---- */
/* Delivers batches, except those of devices polled by a collector. */
void prometheus_publish(struct prometheus *e, struct obs *list);

#endif
