/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_COLLECTOR_H
#define BACKENDS_COLLECTOR_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "backends/contract/backend.h"
#include "base/err.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/plan/plan.h"

/*
 * Collector threads: each owns a shard of the plan's devices, keeps one session a device, polls on
 * schedule with deadlines and jittered back-off, decodes, and hands batches over. The main thread
 * never blocks on a device. Where it does not take them, or the thread is short of processor time,
 * polls wait, and those that are left out for that are told (EV_POLLS_LEFT_OUT).
 *
 * A device that a metrics engine tells about (plan_device.by_engine) is asked only while it has the
 * focus, and with once not at all; its connection is kept for COLLECTOR_REST_US after that.
 */
struct collector;
#define COLLECTOR_REST_US INT64_C(180000000)

struct collector_opts {
	unsigned threads; /* 0: by the number of devices, see collector_threads() */
	/*
	 * Called from a collector thread when batches are waiting: at once for the first after a
	 * quiet time, then at most once a second, so that an idle console is not woken a device at
	 * a time. Must only wake the main loop.
	 */
	void (*wake)(void *ctx);
	void *ctx;
	int64_t publish_us;            /* least time between two wakes; 0 means one second */
	const struct backend_ops *ops; /* asks every device in this dialect; NULL: the plan's */
	int64_t rest_us;               /* 0: COLLECTOR_REST_US */
	unsigned rounds; /* of a thread at a time, at most; 0: what it keeps up with */
	bool once;       /* everything once a device, then stop: for `check` */
};

/*
 * Starts polling. The plan must outlive the collector. Fails (ERR_CONFIG) on what would fail for
 * every device: unknown dialect, dialect without that transport, credentials that cannot be read.
 */
struct collector *collector_start(
	const struct plan *plan, const struct collector_opts *opts, struct err *err);

/*
 * How many threads so many devices get where nothing else is said: one, and one more each
 * COLLECTOR_SHARE devices, because shaking hands with all of them takes a processor half a
 * millisecond each and more; but a processor less than there are, for the screen's thread, and
 * at most COLLECTOR_THREADS.
 */
#define COLLECTOR_SHARE   2500
#define COLLECTOR_THREADS 4
unsigned collector_threads(size_t devices, long processors);

/*
 * Whether the process may open as many files as the devices need, with the limit as far up as it
 * goes; false: ERR_LIMIT says how many. A warning, for some may be unreachable anyway.
 */
bool collector_descriptors(const struct collector *c, struct err *err);

/* Takes all waiting batches, oldest first, linked by next; NULL when there are none. */
struct obs *collector_drain(struct collector *c);

/*
 * Batches that were drained were dropped and not applied: the next ones are whole, so that nothing
 * that was in them alone stays unknown.
 */
void collector_lost(struct collector *c);

/* With once: every device has answered everything or failed, and it can be drained. */
bool collector_finished(const struct collector *c);

/* The device under the operator's cursor is polled at one second; NULL: none. */
void collector_focus(struct collector *c, const char *device);
/* Polls the device now (or all with NULL), e.g. after the user fixed a key. */
void collector_poll_now(struct collector *c, const char *device);

/*
 * Whether the device is asked about its jobs where any host of a job answers for all of it
 * (nccl-ras): no device is in the beginning. See backends/jobs/election.h.
 */
void collector_jobs(struct collector *c, const char *device, bool on);

/*
 * While on, each answer of the device carries what it said, verbatim, and what it was asked
 * (obs.raw, obs.asked): of several batches of one answer the first; of one that could not be
 * decoded the batch that failed. At most 1 MB of an answer; never a log that is followed. Off for
 * every device in the beginning. Takes effect with the next answer; a device that is none is left
 * out.
 */
void collector_keep_raw(struct collector *c, const char *device, bool on);

/*
 * Closes every session and joins the threads; bounded (a stuck session loses its socket). wake() is
 * not called any more. False: a thread did not end in time (a call into an ssh-agent that hangs)
 * and still uses the collector and the plan, which both must be left alone for ever.
 */
bool collector_stop(struct collector *c);

/*
 * Whether a collector_stop() of this process was false: it must end by _exit(), because exit()
 * takes apart the libraries that the thread is in.
 */
bool collector_lives_on(void);

#endif
