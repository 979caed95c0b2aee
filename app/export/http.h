/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_EXPORT_HTTP_H
#define APP_EXPORT_HTTP_H

#include <stdint.h>
#include <uv.h>

#include "archive/openmetrics/metrics.h"
#include "base/err.h"

/*
 * The server of `railtop export`, on the loop of whoever starts it: GET and HEAD of /metrics,
 * /-/healthy and a small page at /. An answer is written in pieces as its client takes them, so
 * that neither a slow client nor a large fabric keeps the loop from collecting. /metrics takes
 * collect[]=FAMILY, as often as one likes: only these are sent. A name that there is not is refused
 * (400) with all that there are.
 */
struct export_http;

struct export_http_opts {
	uv_loop_t *loop;
	int fd;                 /* it listens; belongs to the server from then on */
	const char *cert, *key; /* PEM; NULL: no TLS */
	const char *token;      /* NULL: none is asked for; lives as long as the server */
	/* A picture of the model as it is now; the server frees it. */
	struct metrics *(*take)(void *ctx, uint64_t scrapes, uint64_t refused);
	void *ctx;
	int64_t longest_us, shared_us; /* 0: those below */
};

#define EXPORT_CONNECTIONS  16           /* at once; more wait in the queue of the socket */
#define EXPORT_REQUEST_MOST (128U << 10) /* bytes of a request, and of a piece of an answer */
#define EXPORT_IDLE_S       15U          /* without a byte in either direction */
#define EXPORT_LONGEST_US   (60 * INT64_C(1000000)) /* a request with its answer */
#define EXPORT_SHARED_US    INT64_C(1000000) /* scrapes of the same second get the same picture */
#define EXPORT_PICTURES     3                /* at once: slow clients do not fill the memory */

/* NULL with err filled; the socket is closed then, too. */
struct export_http *export_http_start(const struct export_http_opts *opts, struct err *err);
/* A few times a second: ends connections that take too long, frees what nobody reads. */
void export_http_tick(struct export_http *h);
/* The loop must run once more. NULL is allowed. */
void export_http_stop(struct export_http *h);

#endif
