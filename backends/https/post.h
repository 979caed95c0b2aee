/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_HTTPS_POST_H
#define BACKENDS_HTTPS_POST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Posts one body to a URL that is no device: a receiver of messages. Blocks its thread for at most
 * most_us. Certificates and names are verified, redirections are not followed. The URL itself may
 * be a secret: no error repeats it.
 */
struct post_request {
	const char *url;
	const char *shown;        /* in messages, in place of the URL: "notify pagerduty" */
	const char *content_type; /* "application/json" */
	const char *encoding;     /* of the body: "gzip"; NULL: none */
	const char *body;
	size_t len;
	const char *token;   /* bearer token; NULL */
	const char *userpwd; /* "user:password"; NULL */
	const char *netrc;   /* path; NULL */
	const char *ca;      /* path; NULL: the system's CAs */
	const char *proxy;   /* "http://proxy:3128"; NULL: none */
	int64_t most_us;
	const atomic_bool *stop; /* ends the request soon after it is true; NULL */
};

struct post_answer {
	long status;      /* HTTP; 0: there was no answer */
	int64_t again_us; /* Retry-After in microseconds, at most an hour; 0: not stated */
	char said[160];   /* the beginning of the answer, sanitised */
	char head[160];   /* the same as it came */
	size_t head_len;
};

/* Before the first request of a thread, and after its last one. */
void post_begin(void);
void post_end(void);
/* Whether the answer is one of 2xx. False with err: the reason and its cure; *answer is filled. */
bool post_send(const struct post_request *r, struct post_answer *answer, struct err *err);

/*
 * How long to wait after so many failures in a row, in microseconds: least_us, doubled by each
 * further one up to most_us, and never less than the receiver's again_us. Up to a tenth is added,
 * so that all consoles of a site do not knock at the same time. 0 failures: 0.
 */
int64_t post_pause(unsigned failures, int64_t least_us, int64_t most_us, int64_t again_us);

/* Whether the URL is of this machine, so that nothing of it crosses the network: localhost, ::1, or
 * an address of 127.0.0.0/8. */
bool post_is_local(const char *url);

/*
 * Checks a URL that came from a secret: https, or http to this machine, with a host and without a
 * user. False with err, which does not repeat it.
 */
bool post_url_ok(const char *url, const char *origin, struct err *err);

#endif
