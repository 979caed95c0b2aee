/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SERVER_INTERNAL_H
#define EMULATOR_SERVER_INTERNAL_H

#include "base/vec.h"
#include "emulator/serve/command_log.h"
#include "emulator/serve/observations.h"
#include "emulator/serve/ras.h"
#include "emulator/serve/server.h"

/*
 * A file descriptor on the loop. watch_free() closes the descriptor at once; the struct is freed
 * later.
 */
struct watch {
	uv_poll_t poll;
	int fd;
	int events;
	void (*fn)(void *arg, int events);
	void *arg;
};

struct watch *watch_new(
	uv_loop_t *loop, int fd, int events, void (*fn)(void *arg, int events), void *arg);
void watch_events(struct watch *w, int events); /* UV_READABLE | UV_WRITABLE, 0: none */
void watch_free(struct watch *w);               /* NULL is allowed */

struct listener {
	struct server *server;
	struct sim_device *device;
	bool https;
	unsigned conduct;    /* conduct of the device as last applied */
	struct watch *watch; /* NULL while the device is unreachable */
	VEC(int) held;       /* accepted while the device hangs */
};

struct ssh_server;
struct https_server;

struct server {
	struct server_opts o;
	unsigned ssh_port, https_port;
	struct listener *listener;
	size_t nlisteners;
	struct ssh_server *ssh;
	struct https_server *https;
	uv_timer_t timer; /* the sim's next change, or the next delayed answer */
	struct ras *ras;
	struct command_log *log; /* of the options; NULL: none */
	bool ras_behind;         /* the fabric changed since the last RAS update */
	int64_t ras_due;         /* mono; earliest time of the next update */
	int64_t next_wall;       /* of the fabric's next change or observation */
	uint64_t generation, answers;
	uint64_t mutations; /* answers that server_mutate() was given */
	bool closing;
};

/* Applies all due events; call it at every wake-up. Does not bring counters up to date. */
void server_advance(struct server *s);
/* Brings the counters of d to now: call before every answer, and server_answered() after it. */
void server_present(struct server *s, struct sim_device *d);
void server_answered(struct server *s);
int64_t server_mono(const struct server *s);
/* Sets the timer again after a delayed answer was added. */
void server_arm(struct server *s);

/*
 * Both protocols have the same functions. adopt: takes over an accepted descriptor. resume:
 * continues connections that are due or that a changed fault releases. due: the monotonic time of
 * the next delayed answer.
 */
struct ssh_server *ssh_server_new(struct server *s, struct err *err);
void ssh_server_adopt(struct ssh_server *s, struct sim_device *d, int fd);
/* all: the conduct of some device changed; else only connections that are due. */
void ssh_server_resume(struct ssh_server *s, bool all);
size_t ssh_server_connections(const struct ssh_server *s);
int64_t ssh_server_due(const struct ssh_server *s);
void ssh_server_free(struct ssh_server *s);

struct https_server *https_server_new(struct server *s, struct err *err);
void https_server_adopt(struct https_server *s, struct sim_device *d, int fd);
void https_server_resume(struct https_server *s);
size_t https_server_connections(const struct https_server *s);
int64_t https_server_due(const struct https_server *s);
void https_server_free(struct https_server *s);

/* server_noise.c: bytes that no parser accepts, terminal escapes included. */
void server_garbage(struct buf *out, uint64_t seed);
/* With server_opts.mutate: changes some bytes of some answers. */
void server_mutate(struct server *s, struct buf *out);

#endif
