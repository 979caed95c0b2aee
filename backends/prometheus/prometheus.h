/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_PROMETHEUS_H
#define BACKENDS_PROMETHEUS_PROMETHEUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "backends/prometheus/mapping.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/plan/plan.h"

/*
 * A metrics engine as the source of the model: a thread that asks a Prometheus-compatible server
 * over HTTP(S) and hands over batches as a collector does, so that whoever applies them need not
 * know where they come from. A series' own timestamps are the sample times; a device without new
 * samples grows stale by itself.
 */
struct engine;

struct engine_opts {
	/* As of struct collector_opts: called from the engine's thread, must only wake. */
	void (*wake)(void *ctx);
	void *ctx;
	int64_t publish_us; /* least time between two wakes; 0 means one second */
	bool once;          /* everything once, then stop: for `check` */
	/*
	 * Bytes of batches that wait to be drained, beyond which no round begins, 0: 64 MB. Not
	 * with once.
	 */
	size_t waiting_most;
};

/* plan and map must outlive it. ERR_CONFIG: what would fail for ever (URL, credentials). */
struct engine *engine_start(const struct plan *plan, const struct engine_map *map,
	const struct engine_opts *opts, struct err *err);

/* Takes all waiting batches, oldest first, linked by next; NULL when there are none. */
struct obs *engine_drain(struct engine *e);
/* With once: every query was answered or failed, and it can be drained. */
bool engine_finished(const struct engine *e);

/*
 * The device under the operator's cursor: all of its series, also those that are too many to ask of
 * everybody. The first time, batches of the last history_us come before, oldest first, with request
 * ENGINE_HISTORY; they are for model_history_settle() and not for the present. NULL: none.
 */
#define ENGINE_HISTORY "history"
void engine_focus(struct engine *e, const char *device);
/* While on, no batches of the device: it is being asked itself. */
void engine_leave(struct engine *e, const char *device, bool on);

/*
 * The fabric as it was at t_us: two moments (one before, for rates), oldest first. Batches are the
 * engine's until engine_moments() gives them; a later call replaces an earlier one that has not
 * been answered. Wakes like any batch.
 */
void engine_at(struct engine *e, int64_t t_us);
/* False: nothing new. Else out is what engine_at(t_us) found, or NULL with err. Caller frees. */
bool engine_moment(struct engine *e, int64_t *t_us, struct obs **out, struct err *err);

/* As collector_stop(). */
bool engine_stop(struct engine *e);

#endif
