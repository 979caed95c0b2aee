/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_EXPORT_HTTP_H
#define APP_EXPORT_HTTP_H

#include <stdint.h>
#include <uv.h>

#include "archive/openmetrics/metrics.h"
#include "base/err.h"

/*
 * The HTTP server of `railtop export`, on the caller's loop. It serves GET and HEAD of /metrics,
 * /-/healthy and a small page at /. An answer is written in pieces as the client reads it. So
 * neither a slow client nor a large fabric blocks the loop. /metrics takes any number of
 * collect[]=FAMILY and then sends only these families. An unknown name is refused (400) with a list
 * of all names. A client that asks for gzip or zstd gets the metrics compressed (compress.h).
 */
struct export_http;

struct export_http_opts {
	uv_loop_t *loop;
	int fd;                 /* listening socket; the server takes ownership */
	const char *cert, *key; /* PEM; NULL: no TLS */
	const char *token;      /* NULL: none required; must outlive the server */
	/* Returns a copy of the current metrics, which the server frees. */
	struct metrics *(*take)(void *ctx, uint64_t scrapes, uint64_t refused);
	void *ctx;
	int64_t longest_us, shared_us; /* 0: the defaults below */
};

#define EXPORT_CONNECTIONS 64 /* at the same time; more wait in the socket's backlog */
/*
 * Above so many, an address keeps at most EXPORT_SILENT connections that ask nothing for
 * EXPORT_SILENT_US, a TLS handshake among them. So silent ones of one client cost others a moment,
 * and not the idle time of each. Clients that gave the token keep theirs.
 */
#define EXPORT_CROWD     (EXPORT_CONNECTIONS / 2)
#define EXPORT_SILENT    2
#define EXPORT_SILENT_US INT64_C(500000)
#define EXPORT_REQUEST_MOST                                                                        \
	(128U << 10)          /* limit of a request, and of a piece of an answer, in bytes */
#define EXPORT_IDLE_S     15U /* seconds without a byte in either direction */
#define EXPORT_LONGEST_US (60 * INT64_C(1000000)) /* limit of a request with its answer */
#define EXPORT_SHARED_US  INT64_C(1000000)        /* scrapes of the same second share a copy */
#define EXPORT_PICTURES   3 /* limit of copies: slow clients cannot fill the memory */

/* NULL with err: it does not start; the socket is closed. */
struct export_http *export_http_start(const struct export_http_opts *opts, struct err *err);
/* To be called a few times a second: ends connections that take too long and frees unused
 * copies. */
void export_http_tick(struct export_http *h);
/* The loop must run once more. NULL is allowed. */
void export_http_stop(struct export_http *h);

#endif
