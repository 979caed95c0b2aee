/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_HTTPS_FETCH_H
#define BACKENDS_HTTPS_FETCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Checks a URL for fetches: https, or http without a secret or to this machine; no user, no
 * password. Returns false with err.
 */
bool rest_fetch_check(const char *url, bool secret, const char *origin, struct err *err);

struct rest_fetch {
	const char *url, *path; /* path: appended, begins with a slash */
	const char *token;      /* bearer token; NULL */
	const char *tls_ca;     /* file; NULL: the system's CAs */
	int64_t timeout_us;
	const atomic_bool *stop; /* set by another thread: ends at once */
};
/*
 * GETs a document, and waits for it: for a thread that may wait. The body goes to out, whose cap
 * limits it. Returns false with err if there is no complete answer; any status is an answer.
 */
bool rest_fetch(const struct rest_fetch *f, struct buf *out, long *status, struct err *err);

#endif
