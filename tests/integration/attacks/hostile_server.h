/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_ATTACKS_HOSTILE_SERVER_H
#define TESTS_INTEGRATION_ATTACKS_HOSTILE_SERVER_H

/* A device that means harm: HTTPS, or the beginning of SSH, on 127.0.0.1. */
enum hostility {
	HOSTILE_HEADERS,  /* HTTPS: a header that has no end */
	HOSTILE_BOMB,     /* HTTPS: gzip of zeros that has no end */
	HOSTILE_REDIRECT, /* HTTPS: 307 to another port of this machine */
	HOSTILE_DRIP,     /* HTTPS: a byte of the answer every 200 ms */
	HOSTILE_DEPTH,    /* HTTPS: JSON of 60,000 brackets, no larger than the answer to a login */
	HOSTILE_BANNER,   /* SSH: lines before the version that have no end */
	HOSTILE_WORD,     /* SSH: one line that has no end, a byte every 100 ms */
};

struct hostile_server;

/* certificate, key: PEM files, of HTTPS. other: the port that is redirected to. */
struct hostile_server *hostile_start(enum hostility how, const char *certificate, const char *key,
	unsigned other, unsigned *port);
void hostile_stop(struct hostile_server *s);
unsigned hostile_connections(const struct hostile_server *s);
/* Requests that had a password. */
unsigned hostile_passwords(const struct hostile_server *s);

/* A run with its highest memory. */
struct measured {
	int code; /* exit status, 128 + signal, -1: it did not end in time */
	long peak_kb;
	double seconds;
	char *said; /* both outputs; the caller frees it */
};
struct measured run_measured(const char *const *argv, int seconds);

#endif
