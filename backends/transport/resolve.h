/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_RESOLVE_H
#define BACKENDS_TRANSPORT_RESOLVE_H

#include <stdbool.h>
#include <sys/socket.h>
#include <uv.h>

/*
 * Resolves names without blocking the loop. Each look-up has its own short-lived detached thread.
 * libuv's pool is not used: one dead name server blocks all four of its threads. The pool is joined
 * at exit, so a silent server would also delay the end of the program.
 */
struct resolver;
struct lookup;

#define RESOLVE_MAX 4 /* most addresses tried per name */

struct resolved {
	struct sockaddr_storage at[RESOLVE_MAX];
	socklen_t len[RESOLVE_MAX];
	unsigned n;
	char error[128]; /* with n 0: the reason */
};
typedef void resolved_fn(void *ctx, const struct resolved *r);

struct resolver *resolver_new(uv_loop_t *loop);
/* Cancels pending look-ups; their threads end by themselves. */
void resolver_close(struct resolver *r);

/*
 * Starts a look-up; fn is called from the loop. family: AF_UNSPEC: any. NULL: no thread could be
 * started.
 */
struct lookup *resolver_lookup(struct resolver *r, const char *host, unsigned port, int family,
	resolved_fn *fn, void *ctx);
/* Cancels a look-up: fn is not called. */
void lookup_cancel(struct lookup *l);

/* Converts a numeric address without a look-up; false: it is a name. */
bool resolve_numeric(const char *host, unsigned port, int family, struct resolved *out);

#endif
