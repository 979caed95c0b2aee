/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_CTL_H
#define EMULATOR_CTL_H

#include <uv.h>

#include "base/clock.h"
#include "base/err.h"
#include "emulator/serve/server.h"

/*
 * Live control through the Unix socket DIR/ctl.sock, for its owner only. One request a line, of at
 * most CTL_LINE_MAX bytes: "inject SPEC", "heal WHAT", "list", "status", "jobs", "stop". The reply
 * is any number of lines, the last of which is "ok" or "error: ...".
 */
#define CTL_SOCKET   "ctl.sock"
#define CTL_LINE_MAX 4096

struct ctl;

struct ctl_opts {
	uv_loop_t *loop;
	const char *dir; /* where the socket goes */
	struct sim *sim;
	struct server *server; /* its stats, and told of every change */
	const struct clock *clock;
	const char *preset; /* for status */
	double speed;
	void (*stop)(void *arg);
	void *arg;
};

/*
 * A socket file that nobody listens on is replaced. ERR_IO when the directory cannot hold one, or
 * when another emulator listens there.
 */
struct ctl *ctl_new(const struct ctl_opts *o, struct err *err);
/* Removes the socket. The memory goes when the loop has run the close callbacks. NULL is fine. */
void ctl_close(struct ctl *c);

/* ctl_answer.c: appends the reply to one request line, "ok" or "error: ..." included. */
void ctl_answer(const struct ctl_opts *o, const char *line, struct buf *out);

/*
 * The client: sends the request in argv (words are joined by blanks), copies the reply's lines to
 * out, and waits 30 s at most. false: err names the directory, what happened, and the cure.
 */
bool ctl_ask(const char *dir, int argc, char *const *argv, struct buf *out, struct err *err);

/* An address for the socket in dir that always fits: through *fd, which the caller closes. */
struct sockaddr_un;
bool ctl_address(const char *dir, int *fd, struct sockaddr_un *a, struct err *err);

#endif
