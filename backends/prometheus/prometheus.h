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
 * A metrics engine as the source of the model. A thread queries a Prometheus-compatible server over
 * HTTP(S) and delivers batches in the same form as a collector. The timestamps of the series are
 * the sample times; a device without new samples becomes stale.
 */
struct prometheus;

struct prometheus_opts {
	/*
	 * As in struct collector_opts: called from the engine's thread, must only wake the main
	 * thread.
	 */
	void (*wake)(void *ctx);
	void *ctx;
	int64_t publish_us; /* least time between two wakes; 0 means one second */
	bool once;          /* every query once, then stop: for `check` */
	/* Bytes of undrained batches beyond which no round begins; 0: 64 MB. Ignored with once. */
	size_t waiting_most;
};

/*
 * Returns NULL with ERR_CONFIG on a permanent error (URL, credentials). plan and map must outlive
 * the engine; the caller ends it with prometheus_stop().
 */
struct prometheus *prometheus_start(const struct plan *plan, const struct prometheus_map *map,
	const struct prometheus_opts *opts, struct err *err);

/*
 * Takes all waiting batches, oldest first, linked by next; NULL when there are none. The caller
 * frees them.
 */
struct obs *prometheus_drain(struct prometheus *e);
/* With once: every query was answered or failed, and the result can be drained. */
bool prometheus_finished(const struct prometheus *e);

/*
 * Sets the device under the operator's cursor; NULL: none. All of its series are queried, also
 * those that are too many to query for every device. The first time, batches of the last history_us
 * precede the others, oldest first, with request REQUEST_HISTORY; they are for
 * model_history_settle() and not for the present.
 */
void prometheus_focus(struct prometheus *e, const char *device);
/* While on, the engine delivers no batches of the device, because a collector polls it. */
void prometheus_leave(struct prometheus *e, const char *device, bool on);

/*
 * Requests the state of the fabric at t_us: two samples of each series (one before, for rates),
 * oldest first. The engine owns the batches until prometheus_moment() returns them. A later call
 * replaces an earlier one without an answer. Wakes like any batch.
 */
void prometheus_at(struct prometheus *e, int64_t t_us);
/*
 * False: nothing new. Else out is the result of prometheus_at(t_us), or NULL with err. The caller
 * frees the batches.
 */
bool prometheus_moment(struct prometheus *e, int64_t *t_us, struct obs **out, struct err *err);

/* A stretch of the past: these counters of all ports of these devices, a value each step. */
#define PROMETHEUS_SPAN_DEVICES  64
#define PROMETHEUS_SPAN_COUNTERS 16
struct prometheus_span {
	int64_t from_us, to_us, step_us;
	char devices[PROMETHEUS_SPAN_DEVICES][NAME_MAX_LEN];
	size_t n_devices;
	counter_id counters[PROMETHEUS_SPAN_COUNTERS];
	size_t n_counters;
};
/*
 * Requests it. A value is the newest sample of its step: a step without a sample has none, so that
 * a gap stays a gap. A later call replaces an earlier one without an answer. Wakes like any batch.
 */
void prometheus_span(struct prometheus *e, const struct prometheus_span *s);
/*
 * False: nothing new. Else out has the batches of the request *of, oldest first, one for each
 * device and step; err tells what is missing, NULL in out: all of it. The caller frees the batches.
 */
bool prometheus_span_ready(
	struct prometheus *e, struct prometheus_span *of, struct obs **out, struct err *err);

/* As collector_stop(). */
bool prometheus_stop(struct prometheus *e);

#endif
