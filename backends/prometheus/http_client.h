/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_HTTP_CLIENT_H
#define BACKENDS_PROMETHEUS_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * Sends queries to a metrics engine over HTTP(S). A query is a posted form; the answer is passed on
 * as it arrives. Certificates are verified, redirections are not followed, and secrets are sent in
 * headers only. One thread only, except engine_http_wake().
 */
struct engine_http;
struct engine_transfer;

#define ENGINE_TIMEOUT_US  (INT64_C(60) * 1000000)
#define ENGINE_REPLY_BYTES ((uint64_t)1 << 30) /* beyond it the query is divided */

enum engine_end {
	END_ANSWERED, /* HTTP 200 */
	END_REFUSED,  /* another status: the body is an error message */
	END_DOWN,     /* no connection, no TLS, or the connection broke */
	END_SLOW,     /* connected, but no answer in time */
	END_LARGE,    /* above ENGINE_REPLY_BYTES */
	END_STOPPED,  /* bytes() returned false */
};

struct engine_ended {
	enum engine_end end;
	long status;     /* HTTP */
	int64_t date_us; /* the server's clock from its Date header, in whole seconds; 0: none */
	int64_t took_us;
	uint64_t bytes;
	char said[160]; /* the beginning of an error's body, sanitised */
	struct err err; /* for END_DOWN, END_SLOW and END_LARGE; for END_REFUSED if the status
			 * explains itself */
};

struct engine_transfer_fns {
	bool (*bytes)(
		void *ctx, const char *data, size_t len); /* a part of the body; false: stop */
	void (*done)(void *ctx,
		const struct engine_ended *end); /* the transfer is freed after it returns */
	void *ctx;
};

/*
 * Returns NULL with ERR_CONFIG when the URL is invalid, a secret cannot be read or it would go over
 * plain HTTP. The caller closes it with engine_http_close().
 */
struct engine_http *engine_http_open(const struct plan_engine *pe, struct err *err);
/* Cancels all transfers. NULL is allowed. */
void engine_http_close(struct engine_http *h);

/* Posts the form (copied) to path ("/api/v1/query") below the URL. */
struct engine_transfer *engine_http_start(struct engine_http *h, const char *path, const char *form,
	const struct engine_transfer_fns *fns);
/* Does not call done(). */
void engine_http_cancel(struct engine_transfer *t);
/* Runs transfers for at most timeout_us, or until something happened; calls bytes() and done(). */
void engine_http_run(struct engine_http *h, int64_t timeout_us);
/* Ends engine_http_run(). May be called from any thread. */
void engine_http_wake(struct engine_http *h);
/* Adds name=value to a form, percent-encoded. */
struct buf;
bool engine_form_add(struct buf *form, const char *name, const char *value);

#endif
