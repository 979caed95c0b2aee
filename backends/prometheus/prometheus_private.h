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

#define ENGINE_IN_FLIGHT 4
#define ENGINE_WARNING   200

enum engine_job { JOB_NONE, JOB_SHARD, JOB_FOCUS, JOB_HISTORY, JOB_MOMENT };

struct engine;

/* A query under way. */
struct engine_flight {
	struct engine *engine;
	struct engine_shard *shard;
	struct engine_ask *ask;
	struct engine_transfer *transfer; /* NULL: free */
	bool brief;                       /* it looks back as far as others are scraped */
	struct book_query query;
};

struct engine_todo {
	struct engine_shard *shard;
	struct engine_ask *ask;
};

/* The gather that is under way; of the engine's thread. */
struct engine_round {
	enum engine_job job;
	VEC(struct engine_todo) todo;
	size_t next;
	int64_t eval_us; /* server time that all its queries are evaluated at, so that they agree */
	int64_t t_us;    /* JOB_MOMENT */
	bool broken;     /* the server is down: what is left is not asked */
	char warning[ENGINE_WARNING];
	struct err err; /* broken; or the first that was refused */
};

struct engine {
	const struct plan *plan;
	const struct engine_map *map;
	struct engine_opts opts;
	struct engine_http *http;
	struct book *book;
	pthread_t thread;
	bool started;
	atomic_bool stop, finished;
	atomic_bool held; /* no round begins until the queue was emptied */

	pthread_mutex_t lock; /* what follows */
	struct obs_queue queue;
	char focus[NAME_MAX_LEN];
	bool *left; /* by index in the plan */
	int64_t moment_t;
	bool moment_wanted;
	struct {
		bool ready;
		int64_t t_us;
		struct obs *obs;
		struct err err;
	} moment;

	/* Of the thread: */
	VEC(struct engine_shard) shards;
	struct engine_shard focused, past; /* asks of the device under the cursor */
	char focused_name[NAME_MAX_LEN];   /* the wish that these are of */
	size_t focus_at;                   /* index in the book; SIZE_MAX: none */
	bool *past_done;                   /* by index in the book */
	int64_t past_due_us;               /* monotonic; 0: not wanted */
	unsigned past_broken;              /* rounds of it that broke */
	struct engine_round round;
	struct engine_flight flights[ENGINE_IN_FLIGHT];
	int64_t ahead_us; /* the server's clock is ahead of ours */
	bool clock_known;
	unsigned downs;   /* rounds in a row that broke */
	int64_t retry_us; /* monotonic; nothing is asked before */
	uint32_t told;    /* hash of the error that devices were told */
	int64_t wake_us;  /* monotonic, a wake was promised; 0: none */
};

/* ---- round.c ---- */
int64_t engine_interval(const struct engine *e);
/* Begins a round with the asks of the shards that are due. */
void engine_round_begin(
	struct engine *e, enum engine_job job, struct engine_shard *shards, size_t n, int64_t t_us);
/* Starts queries; true: nothing is left and nothing under way. */
bool engine_round_step(struct engine *e);
/* Ends it; what came. */
struct obs *engine_round_end(struct engine *e);
void engine_round_drop(struct engine *e);

/* ---- prometheus.c ---- */
/* Hands batches over, but those of devices that are asked themselves. */
void engine_publish(struct engine *e, struct obs *list);

#endif
