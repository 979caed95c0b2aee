/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SERVER_H
#define EMULATOR_SERVER_H

#include <uv.h>

#include "base/clock.h"
#include "base/err.h"
#include "emulator/device/personality.h"
#include "emulator/serve/command_log.h"
#include "emulator/serve/observations.h"
#include "emulator/serve/site.h"

/*
 * Serves every device of the fabric on its own loopback address: SSH, and HTTPS for devices that
 * have it. One loop, one thread, nothing blocks. The personality makes the answers; the device's
 * fault flags (sim.h) decide how it misbehaves.
 */
struct server;

struct server_opts {
	uv_loop_t *loop;
	struct sim *sim;
	struct personality_ctx *personality;
	const struct site *site; /* addresses, keys; outlives the server */
	const struct clock *clock;
	struct observations *observations; /* written while time passes; NULL: none */
	struct command_log *log;           /* commands that devices receive; NULL: none */
	unsigned mutate; /* percent of the answers that have wrong bytes in them */
	uint64_t mutate_seed;
	void (*changed)(void *arg); /* the sim's generation changed; called often; may be NULL */
	void *arg;
};

/*
 * Listens on all addresses on two free ports. Returns NULL with *err if no port is free on all of
 * them.
 */
struct server *server_new(const struct server_opts *o, struct err *err);
unsigned server_ssh_port(const struct server *s);
unsigned server_https_port(const struct server *s);

struct server_stats {
	size_t connections; /* open now, SSH and HTTPS */
	uint64_t answers;   /* given since the start */
};
struct server_stats server_stats(const struct server *s);

/*
 * Advances the fabric to the clock's time and applies the faults that began or ended. The server
 * does this by itself before every answer and by its timer; only a test that moves its clock needs
 * the call.
 */
void server_poll(struct server *s);

/*
 * Stops listening and closes every connection. The memory is freed once the loop has run the close
 * callbacks: run it once more to its end.
 */
void server_close(struct server *s);

#endif
