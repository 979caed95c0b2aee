/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_CTL_H
#define EMULATOR_CTL_H

#include <uv.h>

#include "base/clock.h"
#include "base/err.h"
#include "emulator/serve/server.h"

/*
 * Live control through the Unix socket DIR/ctl.sock, for its owner only. One request per line, of
 * at most CTL_LINE_MAX bytes: "inject SPEC", "heal WHAT", "list", "status", "jobs", "stop". The
 * reply is any number of lines; the last one is "ok" or "error: ...".
 */
#define CTL_SOCKET   "ctl.sock"
#define CTL_LINE_MAX 4096

struct ctl;

struct ctl_opts {
	uv_loop_t *loop;
	const char *dir; /* directory of the socket */
	struct sim *sim;
	struct server *server; /* source of the statistics; is notified of every change */
	const struct clock *clock;
	const char *preset; /* for status */
	double speed;
	void (*stop)(void *arg);
	void *arg;
};

/*
 * Creates the socket. Replaces a socket file without a listener. ERR_IO if the directory cannot
 * hold a socket, or if another emulator listens there.
 */
struct ctl *ctl_new(const struct ctl_opts *o, struct err *err);
/*
 * Removes the socket. The memory is freed once the loop has run the close callbacks. NULL is
 * allowed.
 */
void ctl_close(struct ctl *c);

/* ctl_answer.c: appends the reply to one request line, including "ok" or "error: ...". */
void ctl_answer(const struct ctl_opts *o, const char *line, struct buf *out);

/*
 * The client: sends the request in argv (words are joined by blanks), copies the reply's lines to
 * out, and waits 30 s at most. Returns false on failure; err names the directory, the problem and
 * the cure.
 */
bool ctl_ask(const char *dir, int argc, char *const *argv, struct buf *out, struct err *err);

/*
 * An address of the socket in dir that always fits: it goes through *fd, which the caller
 * closes.
 */
struct sockaddr_un;
bool ctl_address(const char *dir, int *fd, struct sockaddr_un *a, struct err *err);

#endif
