/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_RESOLVE_H
#define BACKENDS_TRANSPORT_RESOLVE_H

#include <stdbool.h>
#include <sys/socket.h>
#include <uv.h>

/*
 * Names to addresses without blocking the loop. Each look-up has its own short-lived detached
 * thread: libuv's pool has four, which one dead name server blocks for everybody, and it is joined
 * at exit, which would hold up the end of the program for as long as that server is silent.
 */
struct resolver;
struct lookup;

#define RESOLVE_MAX 4 /* addresses of a name that are tried */

struct resolved {
	struct sockaddr_storage at[RESOLVE_MAX];
	socklen_t len[RESOLVE_MAX];
	unsigned n;
	char error[128]; /* with n 0: why */
};
typedef void resolved_fn(void *ctx, const struct resolved *r);

struct resolver *resolver_new(uv_loop_t *loop);
/* Forgets pending look-ups; their threads end by themselves. */
void resolver_close(struct resolver *r);

/* family: AF_UNSPEC: any. fn is called from the loop. NULL: no thread could be started. */
struct lookup *resolver_lookup(struct resolver *r, const char *host, unsigned port, int family,
	resolved_fn *fn, void *ctx);
/* fn will not be called. */
void lookup_cancel(struct lookup *l);

/* An address in digits needs no look-up; false: it is a name. */
bool resolve_numeric(const char *host, unsigned port, int family, struct resolved *out);

#endif
