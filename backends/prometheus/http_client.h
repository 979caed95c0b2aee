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
 * headers only. One thread only, except prometheus_http_wake().
 */
struct prometheus_http;
struct prometheus_transfer;

#define PROMETHEUS_TIMEOUT_US  (INT64_C(60) * 1000000)
#define PROMETHEUS_REPLY_BYTES ((uint64_t)1 << 30) /* beyond it the query is divided */

enum prometheus_end {
	END_ANSWERED, /* HTTP 200 */
	END_REFUSED,  /* another status: the body is an error message */
	END_DOWN,     /* no connection, no TLS, or the connection broke */
	END_SLOW,     /* connected, but no answer in time */
	END_LARGE,    /* above PROMETHEUS_REPLY_BYTES */
	END_STOPPED,  /* bytes() returned false */
};

struct prometheus_ended {
	enum prometheus_end end;
	long status;     /* HTTP */
	int64_t date_us; /* the server's clock from its Date header, in whole seconds; 0: none */
	int64_t took_us;
	uint64_t bytes;
	char said[160]; /* the beginning of an error's body, sanitised */
	struct err err; /* for END_DOWN, END_SLOW and END_LARGE; for END_REFUSED if the status
			 * explains itself */
};

struct prometheus_transfer_fns {
	bool (*bytes)(
		void *ctx, const char *data, size_t len); /* a part of the body; false: stop */
	void (*done)(void *ctx,
		const struct prometheus_ended *end); /* the transfer is freed after it returns */
	void *ctx;
};

/*
 * Returns NULL with ERR_CONFIG when the URL is invalid, a secret cannot be read or it would go over
 * plain HTTP. The caller closes it with prometheus_http_close().
 */
struct prometheus_http *prometheus_http_open(const struct plan_engine *pe, struct err *err);
/* Cancels all transfers. NULL is allowed. */
void prometheus_http_close(struct prometheus_http *h);

/*
 * Posts the form (copied) to path ("/api/v1/query") below the URL. Without memory for it the next
 * prometheus_http_run() ends it with END_DOWN.
 */
struct prometheus_transfer *prometheus_http_start(struct prometheus_http *h, const char *path,
	const char *form, const struct prometheus_transfer_fns *fns);
/* Does not call done(). */
void prometheus_http_cancel(struct prometheus_transfer *t);
/* Runs transfers for at most timeout_us, or until something happened; calls bytes() and done(). */
void prometheus_http_run(struct prometheus_http *h, int64_t timeout_us);
/* Ends prometheus_http_run(). May be called from any thread. */
void prometheus_http_wake(struct prometheus_http *h);
/* Adds name=value to a form, percent-encoded. */
struct buf;
bool prometheus_form_add(struct buf *form, const char *name, const char *value);

#endif
