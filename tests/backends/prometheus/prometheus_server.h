/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_PROMETHEUS_PROMETHEUS_SERVER_H
#define TESTS_BACKENDS_PROMETHEUS_PROMETHEUS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A server of canned replies on a port of 127.0.0.1, with a thread of its own; one connection at a
 * time, one request a connection.
 */
struct prometheus_server;

struct prometheus_answer {
	int status;         /* 0: the connection is closed without a word */
	const char *header; /* one line more, without its end; NULL */
	char *body;         /* allocated, freed by the server; NULL: empty */
	size_t cut;         /* 0: all; else the connection ends after this number of body bytes */
};

/* Called in the server's thread. head: request line and headers; query: the form's, decoded. */
typedef void prometheus_answer_fn(
	void *ctx, const char *head, const char *query, struct prometheus_answer *out);

struct prometheus_server *prometheus_server_start(prometheus_answer_fn *answer, void *ctx);
unsigned prometheus_server_port(const struct prometheus_server *s);
void prometheus_server_stop(struct prometheus_server *s);

#endif
