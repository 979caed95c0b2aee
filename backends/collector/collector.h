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
 * Collector threads. Each owns a shard of the plan's devices and keeps one session per device. It
 * polls on schedule with deadlines and jittered back-off, decodes the answers and queues batches.
 * The main thread never blocks on a device. If the main thread does not take the batches, or the
 * thread lacks processor time, polls wait; skipped polls are reported (EV_POLLS_LEFT_OUT).
 *
 * A device covered by a metrics engine (plan_device.by_engine) is polled only while it has the
 * focus, and with once never. Its connection is kept for COLLECTOR_REST_US after that.
 */
struct collector;
#define COLLECTOR_REST_US INT64_C(180000000)

struct collector_opts {
	unsigned threads; /* 0: by the number of devices, see collector_threads() */
	/*
	 * Called from a collector thread when batches are waiting: at once for the first after a
	 * quiet time, then at most once a second, so that an idle console does not wake for each
	 * device. Must only wake the main loop.
	 */
	void (*wake)(void *ctx);
	void *ctx;
	int64_t publish_us;            /* least time between two wakes; 0 means one second */
	const struct backend_ops *ops; /* dialect of every device; NULL: as in the plan */
	int64_t rest_us;               /* 0: COLLECTOR_REST_US */
	unsigned rounds; /* most poll rounds of a thread at a time; 0: limited by its speed */
	bool once;       /* every tier of each device once, then stop: for `check` */
};

/*
 * Starts polling. The plan must outlive the collector. Returns NULL with ERR_CONFIG on an error of
 * the configuration: unknown dialect, dialect without that transport, credentials that cannot be
 * read. The caller ends it with collector_stop().
 */
struct collector *collector_start(
	const struct plan *plan, const struct collector_opts *opts, struct err *err);

/*
 * Returns the default number of threads: one, and one more per COLLECTOR_SHARE devices, because a
 * handshake takes half a millisecond of processor time and more. One processor is left for the
 * screen's thread; at most COLLECTOR_THREADS.
 */
#define COLLECTOR_SHARE   2500
#define COLLECTOR_THREADS 4
unsigned collector_threads(size_t devices, long processors);

/*
 * Checks that the limit of open files, raised as far as possible, is enough for the devices. False:
 * ERR_LIMIT with the number. This is a warning, because some devices may be unreachable anyway.
 */
bool collector_descriptors(const struct collector *c, struct err *err);

/*
 * Takes all waiting batches, oldest first, linked by next; NULL when there are none. The caller
 * frees them.
 */
struct obs *collector_drain(struct collector *c);

/*
 * Reports that drained batches were dropped without being applied. The next batches are full, so
 * that no value of the dropped ones stays unknown.
 */
void collector_lost(struct collector *c);

/* With once: every device has answered everything or failed, and the result can be drained. */
bool collector_finished(const struct collector *c);

/* Polls the device under the operator's cursor once a second; NULL: none. */
void collector_focus(struct collector *c, const char *device);
/* Polls the device now (or all with NULL), e.g. after the user fixed a key. */
void collector_poll_now(struct collector *c, const char *device);

/*
 * Switches job queries of the device on or off, for sources where any host of a job answers for all
 * of it (nccl-ras). Initially off for all devices. See backends/jobs/election.h.
 */
void collector_jobs(struct collector *c, const char *device, bool on);

/*
 * While on, the device's batches carry its answers and the questions verbatim (obs.raw, obs.asked).
 * Of several batches of one answer the first carries them; if the answer could not be decoded, the
 * failed batch does. At most 1 MB per answer; never a followed log. Initially off; takes effect
 * with the next answer. An unknown device is ignored.
 */
void collector_keep_raw(struct collector *c, const char *device, bool on);

/*
 * Closes every session and joins the threads, in bounded time (a stuck session loses its socket).
 * wake() is not called any more. False: a thread did not end in time (a call into an ssh-agent that
 * hangs). It still uses the collector and the plan, which must then stay allocated for ever.
 */
bool collector_stop(struct collector *c);

/*
 * True: a collector_stop() of this process returned false. The process must end by _exit(), because
 * exit() unloads libraries that the thread still uses.
 */
bool collector_lives_on(void);

#endif
