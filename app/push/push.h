/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PUSH_PUSH_H
#define APP_PUSH_PUSH_H

#include <stdatomic.h>
#include <stdint.h>

#include "archive/openmetrics/metrics.h"
#include "base/err.h"

/*
 * Sends the metrics to a collector by OTLP/HTTP (protobuf, gzip). A picture that the collector does
 * not take is dropped: the next one has newer numbers. While it fails, it is asked again after
 * growing pauses, or when it said so (Retry-After).
 */
struct push_to {
	const char *url;   /* https, or http to this machine; others only with `insecure` */
	const char *token; /* bearer token; NULL: none */
	const char *ca;    /* path; NULL: the system's CAs */
	bool insecure;
};
#define PUSH_EVERY_US (60 * INT64_C(1000000)) /* OpenTelemetry's own */

/* Checks it, and returns the URL with /v1/metrics where it has no path; the caller frees it. NULL
 * with err. */
char *push_url(const struct push_to *to, struct err *err);

/* The result for one picture. */
struct push_sent {
	uint64_t points, rejected;
	int64_t again_us; /* Retry-After; 0: not stated */
	char why[160];    /* of the rejection */
};
/* Blocks its thread until the picture is sent; stop ends it soon, NULL. False with err. */
bool push_picture(const struct push_to *to, const struct metrics *x, const char *fabric,
	int64_t now_us, const atomic_bool *stop, struct push_sent *sent, struct err *err);

/* ---- again and again, by a thread of its own ---- */

struct push;
/* All of `to` must outlive it; its url is that of push_url(). NULL with err. */
struct push *push_start(
	const struct push_to *to, int64_t every_us, const char *fabric, struct err *err);
/* True: the next picture is due, and none is on its way. */
bool push_is_due(struct push *p, int64_t mono_us);
/* Takes ownership of x. */
void push_give(struct push *p, struct metrics *x, int64_t now_us, int64_t mono_us);
/* Words for the operator: that it fails, or works again. False: none. */
bool push_news(struct push *p, char *dst, size_t size);
void push_stop(struct push *p); /* NULL is allowed */

#endif
