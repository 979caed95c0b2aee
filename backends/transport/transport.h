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
 * Sends requests to devices. A transport has one shard for each collector thread and one link for
 * each device. Everything runs on the shard's loop, nothing blocks, and no callback runs inside the
 * call that leads to it except where stated.
 */

/* The answer to one request. All pointers are valid during the callback only. */
struct answer {
	const char *bytes; /* NUL-terminated at len; never NULL */
	size_t len;
	const char *complaint; /* SSH: standard error, sanitised, at most 4 KB; never NULL */
	int status;            /* SSH: exit status, HTTPS: status code; -1: none came */
	uint64_t received;     /* bytes received, including those above the cap */
	int64_t took_us;       /* from ask() to the last byte */
	/*
	 * The request may have reached the device, whatever err says: its first byte was handed to
	 * the connection. False: it certainly did not, so no change was made. Always true for an
	 * answer without error.
	 */
	bool left;
	struct err err; /* ERR_NONE: bytes hold the whole answer */
	/*
	 * Of a followed request only. more: it runs and other answers come; the first, without
	 * bytes, reports its start. The last answer has the rest of the output and the complaint
	 * and status of the end. lost: lines dropped since the last answer, because there were too
	 * many for its cap.
	 */
	bool more;
	uint64_t lost;
	/*
	 * The last delivered answer to the same question. The transport keeps it until this answer
	 * comes, and this one until the next. NULL: it does not.
	 */
	const struct text_before *before;
	/* It passed a filter that omits unchanged text (plan_device.poll). */
	bool filtered;
	/*
	 * Why it came in full although the inventory wants less (plan_device.poll); NULL: no
	 * reason. Static.
	 */
	const char *full_why;
};
typedef void answer_fn(void *ctx, const struct answer *a);

struct link_events {
	void (*up)(void *ctx); /* SSH: authenticated; HTTPS: the first answer after an outage */
	/* The link is unusable, or did not become usable; all its requests were answered. */
	void (*down)(void *ctx, const struct err *why);
	/*
	 * The cause of the outage elsewhere, such as a bastion, is over: connect() is worth a try.
	 * May be NULL.
	 */
	void (*again)(void *ctx);
	void *ctx;
};

struct transport;
struct device_link {
	const struct transport *ops;
};

struct transport {
	/* Transports use the loop's data pointer (uv_loop_set_data()). */
	void *(*shard_open)(uv_loop_t *loop);
	/*
	 * Call it after all links of the shard were closed; the memory is freed in the loop's next
	 * turn.
	 */
	void (*shard_close)(void *shard);
	/*
	 * Opens a link. d, ops and c must outlive it. c may be NULL. The link uses the default
	 * port, the login and the list of reads of ops; NULL: no request is allowed.
	 */
	struct device_link *(*open)(void *shard, const struct plan_device *d,
		const struct backend_ops *ops, const struct credential *c,
		const struct link_events *events);
	/* Starts to connect; up() or down() follows, down() possibly before this returns. */
	void (*connect)(struct device_link *l);
	/* True: the link is usable for ask(). */
	bool (*ready)(const struct device_link *l);
	/*
	 * Sends a request. fn is called exactly once (more often when r->follow is set) unless the
	 * link is closed before, possibly before this returns. r must live until then. No request
	 * delays one of a faster tier. When the link fails, ready() is already false during the
	 * error callbacks.
	 *
	 * ERR_REFUSED: the request is not on the dialect's list of reads and the link has no
	 * permission to change anything; nothing was sent. A request with change set is sent at
	 * most once: over HTTPS on its own connection; over SSH without a later signal, which would
	 * stop it half way. ERR_UNREACHABLE without left: it was not sent.
	 */
	void (*ask)(struct device_link *l, const struct request *r, enum poll_tier tier,
		answer_fn *fn, void *ctx);
	/*
	 * Permits requests that are not on the dialect's list of reads (backend_ops.reads) from now
	 * on. Without it, as for every link of a collector, they fail with ERR_REFUSED and nothing
	 * is sent. Called by actions/ only (tools/layering.sh).
	 */
	void (*permit)(struct device_link *l);
	/* Drops everything at once; no callback follows. May be called from any callback. */
	void (*close)(struct device_link *l);
};

extern const struct transport transport_ssh;
extern const struct transport transport_rest;

const struct transport *transport_of(enum transport_kind kind);

#endif
