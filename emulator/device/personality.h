/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_PERSONALITY_H
#define EMULATOR_PERSONALITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "emulator/sim/sim.h"

/*
 * How a device answers, in its vendor's own words. The servers (SSH, HTTPS) know nothing of
 * vendors; personalities know nothing of sockets. Written from the vendors' documentation and
 * captures without sharing code with railtop's decoders, so that a misreading shows.
 */
struct personality_ctx; /* holds the sim, the Lua state and caches; one a process */

struct personality {
	const char *dialect;
	/*
	 * SSH exec: command line, standard input (may be NULL, after EOF). Appends to out and err
	 * as a shell would and returns the exit status. Unknown commands print "command not found",
	 * 127.
	 */
	int (*exec)(struct personality_ctx *ctx, struct sim_device *d, const char *command,
		const char *input, struct buf *out, struct buf *err);
	/* HTTPS: returns the status (200, 400, 404, ...); body appended to out; *type set. */
	unsigned (*http)(struct personality_ctx *ctx, struct sim_device *d, const char *method,
		const char *path, const char *body, size_t len, struct buf *out, const char **type);
	/*
	 * Whether this command reads its standard input to the end before it answers; the server
	 * then waits for EOF. NULL: the server guesses from the command's words.
	 */
	bool (*reads_input)(const char *command);
};

struct personality_ctx *personality_new(struct sim *s);
void personality_free(struct personality_ctx *ctx);
const struct personality *personality_for(const char *dialect); /* NULL: none */

#endif
