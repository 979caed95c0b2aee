/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_TUNNEL_H
#define BACKENDS_TRANSPORT_TUNNEL_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * Connections to one device through the bastions of its jump:, for protocols other than SSH. Each
 * is a local socket and a channel in the session to the bastion, which the loop's SSH links share
 * (bastion.c). Callbacks come from the loop, not from the functions here.
 */
struct tunnel;

struct tunnel_events {
	void (*open)(void *ctx); /* the first connection is made */
	void (*failed)(void *ctx, const struct err *why);
	/*
	 * The bastion is up again: a failed connection is worth a retry. Must not request a
	 * connection in the callback.
	 */
	void (*again)(void *ctx);
	void *ctx;
};

/*
 * Creates a tunnel. d must outlive it and has the route in d->jump. The bastion resolves host,
 * which is copied.
 */
struct tunnel *tunnel_new(uv_loop_t *loop, const struct plan_device *d, const char *host,
	unsigned port, const struct tunnel_events *events);
/* Resets the tunnel and makes the first connection; open() or failed() follows. */
void tunnel_begin(struct tunnel *t);
/*
 * Returns a connected socket: the unused first connection, or a new one. It accepts bytes at once.
 * They are sent when the bastion has connected; on failure the socket ends. The caller returns it
 * with tunnel_drop(). -1: there is none, see tunnel_why().
 */
int tunnel_socket(struct tunnel *t);
/* Closes a socket of the tunnel. False: fd belongs to another. */
bool tunnel_drop(struct tunnel *t, int fd);
/* Returns why a connection ended or failed; ERR_NONE: no error since the last success. */
const struct err *tunnel_why(const struct tunnel *t);
/* Returns the last bastion of the route; "" before the first attempt. */
const char *tunnel_via(const struct tunnel *t);
/* Ends all connections. The users of its sockets close these themselves. No callback follows. */
void tunnel_close(struct tunnel *t);

#endif
