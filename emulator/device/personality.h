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

struct http_request {
	const char *method, *path;
	const char *query; /* "rev=operational&filter=x", unescaped; "" when there is none */
	const char *body;  /* never NULL */
	size_t len;
	const char *cookie;         /* the Cookie header; "" */
	bool basic_given, basic_ok; /* an Authorization: Basic header; with the right password */
};

struct http_reply {
	unsigned status;   /* 200 */
	struct buf *out;   /* the body is appended */
	const char *type;  /* "application/json" */
	const char *realm; /* not NULL with status 401: asks for Basic */
	char cookie[256];  /* the Set-Cookie header; "" */
};

struct personality {
	const char *dialect;
	/*
	 * SSH exec: command line, standard input (may be NULL, after EOF). Appends to out and err
	 * as a shell would and returns the exit status. Unknown commands print "command not found",
	 * 127.
	 */
	int (*exec)(struct personality_ctx *ctx, struct sim_device *d, const char *command,
		const char *input, struct buf *out, struct buf *err);
	/*
	 * HTTPS: fills the reply. Every request arrives here; who may come in is the device's
	 * business (r->basic_ok, or a session of its own by cookie).
	 */
	void (*http)(struct personality_ctx *ctx, struct sim_device *d,
		const struct http_request *request, struct http_reply *reply);
	/*
	 * Whether this command reads its standard input to the end before it answers; the server
	 * then waits for EOF. NULL: the server guesses from the command's words.
	 */
	bool (*reads_input)(const char *command);
	bool has_shell; /* its users have a POSIX shell: personality_feed() */
};

/*
 * PERSONALITY_SHELL whose input comes bit by bit, from one that keeps it for many questions: it has
 * opened descriptor 3. out and err are the same from the first call on.
 */
#define PERSONALITY_SHELL "sh -s"
struct shell_session;
struct shell_session *personality_session_new(
	struct personality_ctx *ctx, struct buf *out, struct buf *err);
void personality_session_free(struct shell_session *s); /* NULL is allowed */
/* More input, whole lines. False: the shell has ended with *status. */
bool personality_feed(struct personality_ctx *ctx, struct sim_device *d, struct shell_session *s,
	const char *text, struct buf *out, struct buf *err, int *status);

/*
 * What a user who may change nothing gets for a command line that would: appended to out or err;
 * the exit status. HTTPS: the personalities say it themselves (sim_write_denied()).
 */
int personality_denied(
	const struct sim_device *d, const char *command, struct buf *out, struct buf *err);

/* The device's own address in the management network, as it says it itself: "10.10.0.4". */
void personality_address(const struct sim_device *d, char dst[24]);
/* Its way out of that network, where logins come from. */
void personality_gateway(const struct sim_device *d, char dst[24]);
/* What its sshd says of a login: "10.10.0.254 50022 10.10.0.4 22". */
void personality_session(const struct sim_device *d, char dst[64]);
struct personality_ctx *personality_new(struct sim *s);
/* Who may log in over HTTPS; the strings outlive ctx. Without it nobody may. */
void personality_credentials(struct personality_ctx *ctx, const char *user, const char *password);
/* Whether this device lets them in now. */
bool personality_login(const struct personality_ctx *ctx, const struct sim_device *d,
	const char *user, const char *password);
void personality_free(struct personality_ctx *ctx);
const struct personality *personality_for(const char *dialect); /* NULL: none */

/*
 * Commands that go on after their answer: "tail -F FILE", "journalctl -f", "dmesg -w", alone or
 * with a filter behind them. NULL: this one ends; else what to give to personality_follow(), which
 * the caller frees.
 */
char *personality_followed(const char *command);
/* Appends what such a command prints about the lines of d's log from number `from` on. */
void personality_follow(struct personality_ctx *ctx, struct sim_device *d, const char *followed,
	uint64_t from, struct buf *out);

#endif
