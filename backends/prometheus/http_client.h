/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_HTTP_CLIENT_H
#define BACKENDS_PROMETHEUS_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * Queries to a metrics engine over HTTP(S): forms that are posted, answers that are handed over as
 * they come. Certificates are verified; nothing is redirected; secrets are in headers only. Of one
 * thread, but for engine_http_wake().
 */
struct engine_http;
struct engine_transfer;

#define ENGINE_TIMEOUT_US (INT64_C(60) * 1000000)
#define ENGINE_REPLY_BYTES                                                                         \
	((uint64_t)1 << 30) /* a longer reply is given up, and asked in parts                      \
			     */

enum engine_end {
	END_ANSWERED, /* HTTP 200 */
	END_REFUSED,  /* another status: what came is the body of an error */
	END_DOWN,     /* no connection, no TLS, or it broke */
	END_SLOW,     /* connected, and no answer in time */
	END_LARGE,    /* above ENGINE_REPLY_BYTES */
	END_STOPPED,  /* bytes() returned false */
};

struct engine_ended {
	enum engine_end end;
	long status;     /* HTTP */
	int64_t date_us; /* the server's clock as its Date says, to the second; 0: it says none */
	int64_t took_us;
	uint64_t bytes;
	char said[160]; /* the beginning of an error's body, sanitised */
	struct err err; /* END_DOWN, END_SLOW, END_LARGE; END_REFUSED: of statuses that say all */
};

struct engine_transfer_fns {
	bool (*bytes)(void *ctx, const char *data, size_t len);  /* false: stop */
	void (*done)(void *ctx, const struct engine_ended *end); /* the transfer is gone after it */
	void *ctx;
};

/* ERR_CONFIG: the URL, or secrets that cannot be read or would go over plain HTTP. */
struct engine_http *engine_http_open(const struct plan_engine *pe, struct err *err);
/* Cancels what is under way. NULL is allowed. */
void engine_http_close(struct engine_http *h);

/* Posts the form (copied) to path ("/api/v1/query") below the URL. */
struct engine_transfer *engine_http_start(struct engine_http *h, const char *path, const char *form,
	const struct engine_transfer_fns *fns);
/* Without done(). */
void engine_http_cancel(struct engine_transfer *t);
/* Works for at most timeout_us, less when something happened; calls bytes() and done(). */
void engine_http_run(struct engine_http *h, int64_t timeout_us);
/* Ends a run. From any thread. */
void engine_http_wake(struct engine_http *h);
/* Adds name=value to a form, encoded. */
struct buf;
bool engine_form_add(struct buf *form, const char *name, const char *value);

#endif
