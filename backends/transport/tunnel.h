/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_TUNNEL_H
#define BACKENDS_TRANSPORT_TUNNEL_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * Connections to one device through the bastions of its jump:, for who speaks something else than
 * SSH there: each is a socket, and a channel in the session to the bastion, which the loop's SSH
 * links share (bastion.c). Callbacks come from the loop, and from no function here.
 */
struct tunnel;

struct tunnel_events {
	void (*open)(void *ctx); /* the first connection is made */
	void (*failed)(void *ctx, const struct err *why);
	/* The bastion is back: what had failed is worth another attempt. Asks nothing in here. */
	void (*again)(void *ctx);
	void *ctx;
};

/*
 * d must outlive it, d->jump is the way; host, which is copied, is the bastion's to resolve.
 */
struct tunnel *tunnel_new(uv_loop_t *loop, const struct plan_device *d, const char *host,
	unsigned port, const struct tunnel_events *events);
/* Forgets what was and makes the first connection; open() or failed() follows. */
void tunnel_begin(struct tunnel *t);
/*
 * A connection: the first one that nobody has taken, or another. The socket takes bytes at once;
 * they go when the bastion has connected, and the socket ends where it does not. It goes back with
 * tunnel_drop(). -1: there is none, tunnel_why() says why.
 */
int tunnel_socket(struct tunnel *t);
/* False: fd is none of it. */
bool tunnel_drop(struct tunnel *t, int fd);
/* Why a connection ended or was not made; ERR_NONE: nothing is known since one was made. */
const struct err *tunnel_why(const struct tunnel *t);
/* The last bastion of the way, "" before the first attempt. */
const char *tunnel_via(const struct tunnel *t);
/* Ends all; who has a socket of it closes that himself. No callback follows. */
void tunnel_close(struct tunnel *t);

#endif
