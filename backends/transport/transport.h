/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_TRANSPORT_H
#define BACKENDS_TRANSPORT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "backends/incremental/text_delta.h"
#include "backends/contract/backend.h"
#include "backends/transport/credentials.h"
#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * How questions reach a device. A transport has one shard for each collector thread and one link
 * for each device; everything happens on the shard's loop, nothing blocks, and no callback runs
 * inside the call that leads to it except where stated.
 */

/* What came back for one request. All pointers are valid during the callback only. */
struct answer {
	const char *bytes; /* NUL-terminated at len; never NULL */
	size_t len;
	const char *complaint; /* SSH: standard error, sanitised, at most 4 KB; never NULL */
	int status;            /* SSH: exit status, HTTPS: status code; -1: none came */
	uint64_t received;     /* bytes that came, also those above the cap */
	int64_t took_us;       /* from ask() to the last byte */
	/*
	 * The request may have reached the device, whatever err says: its first byte was handed to
	 * the connection. False: it certainly did not, so that a change was not made. An answer
	 * without error always has it.
	 */
	bool left;
	struct err err; /* ERR_NONE: bytes are the whole answer */
	/*
	 * Of a followed request only. more: it runs and other answers come; the first, with no
	 * bytes, says that it has been started. The last answer has what was left, and the end's
	 * complaint and status. lost: lines left out since the answer before, too many for its cap.
	 */
	bool more;
	uint64_t lost;
	/*
	 * What is not as it was in the answer before this one to the same question: everything that
	 * differs lies within. NULL: not known.
	 */
	const struct text_change *changed;
	size_t changed_n;
	/*
	 * The last one to the same question that somebody was given, which the transport keeps
	 * until this one comes, and this one until the next. NULL: it does not.
	 */
	const struct text_before *before;
	/* It came through a filter, which leaves out what is as it was (plan_device.poll). */
	bool filtered;
	/* Why it came in full though the inventory wants less (plan_device.poll); NULL: no reason.
	 * Static. */
	const char *full_why;
	/* Why it had to be asked for though the inventory wants a stream; NULL: no reason. Static.
	 */
	const char *asked_why;
};
typedef void answer_fn(void *ctx, const struct answer *a);

struct link_events {
	void (*up)(void *ctx); /* SSH: authenticated; HTTPS: the first answer after being down */
	/* The link is not usable any more (or did not become so); its requests were answered. */
	void (*down)(void *ctx, const struct err *why);
	/*
	 * It was down for the sake of something else that is back: connect() is worth it now. May
	 * be NULL.
	 */
	void (*again)(void *ctx);
	/*
	 * What is streamed has come (transport.stream): one ask() for it in here is answered with
	 * it. left_out: so many ticks before it came too late, or not at all. May be NULL where
	 * nothing is streamed.
	 */
	void (*tick)(void *ctx, uint64_t left_out);
	void *ctx;
};

struct transport;
struct device_link {
	const struct transport *ops;
};

struct transport {
	/* The loop's data (uv_loop_set_data()) is the transports' own. */
	void *(*shard_open)(uv_loop_t *loop);
	/* After all links of the shard were closed; the memory goes with the loop's next turn. */
	void (*shard_close)(void *shard);
	/*
	 * d, ops and c must outlive the link. c may be NULL; of ops (NULL: nothing, so that nothing
	 * may be asked) it takes the default port, the login and the list of reads.
	 */
	struct device_link *(*open)(void *shard, const struct plan_device *d,
		const struct backend_ops *ops, const struct credential *c,
		const struct link_events *events);
	/* Starts to connect; up() or down() follows (down() possibly before this returns). */
	void (*connect)(struct device_link *l);
	/* Whether ask() makes sense. */
	bool (*ready)(const struct device_link *l);
	/*
	 * Asks; fn is called exactly once (more often when r->follow is set) unless the link is
	 * closed before, possibly before this returns. r must live until then. No request delays
	 * one of a faster tier. Where the link fails, ready() is false already when the answers
	 * say so.
	 *
	 * ERR_REFUSED: it is not on the dialect's list of reads and the link was not permitted to
	 * change anything; nothing was sent. A request with change set is sent at most once: a
	 * connection of its own over HTTPS, and no signal follows it over SSH, which would stop it
	 * half way. ERR_UNREACHABLE without left: it was not sent.
	 */
	void (*ask)(struct device_link *l, const struct request *r, enum poll_tier tier,
		answer_fn *fn, void *ctx);
	/*
	 * From now on the device is to answer r by itself every so often, each time as if it was
	 * asked then: link_events.tick() tells. r was asked before, and is not kept. True: it does,
	 * as far as is known, and false: it does not, for what it was asked differs, or it cannot.
	 * Whatever else is asked of the same shell ends it, so does every_us of 0, and so do ticks
	 * that are overdue: who waits for one asks. May be NULL: the transport has no way to.
	 */
	bool (*stream)(struct device_link *l, const struct request *r, int64_t every_us);
	/*
	 * From now on requests that are not on the dialect's list of reads (backend_ops.reads) pass
	 * as well; before, and for every link of a collector, they are answered with ERR_REFUSED
	 * and nothing is sent. Called by actions/ only (tools/layering.sh).
	 */
	void (*permit)(struct device_link *l);
	/* Drops everything at once; no callback follows. May be called from any callback. */
	void (*close)(struct device_link *l);
};

extern const struct transport transport_ssh;
extern const struct transport transport_rest;

const struct transport *transport_of(enum transport_kind kind);

#endif
