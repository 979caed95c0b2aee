/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_PERSONALITY_H
#define EMULATOR_PERSONALITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "emulator/sim/sim.h"

/*
 * The answers of devices, in their vendors' own formats. The servers (SSH, HTTPS) know nothing of
 * vendors; personalities know nothing of sockets. Personalities are written from vendors'
 * documentation and captures, without code of railtop's decoders. So a misreading on either side
 * shows in tests.
 */
struct personality_ctx; /* holds the sim, the Lua state and caches; one per process */

struct http_request {
	const char *method, *path;
	const char *query; /* "rev=operational&filter=x", unescaped; "" without a query */
	const char *body;  /* never NULL */
	size_t len;
	const char *cookie;         /* the Cookie header; "" */
	bool basic_given, basic_ok; /* an Authorization: Basic header; with the right password */
};

struct http_reply {
	unsigned status;   /* 200 */
	struct buf *out;   /* the body is appended */
	const char *type;  /* "application/json" */
	const char *realm; /* not NULL with status 401: requests Basic */
	char cookie[256];  /* the Set-Cookie header; "" */
};

struct personality {
	const char *dialect;
	/*
	 * SSH exec: command line and standard input (may be NULL, after EOF). Appends to out and
	 * err as a shell would, and returns the exit status. Unknown commands print "command not
	 * found" and return 127.
	 */
	int (*exec)(struct personality_ctx *ctx, struct sim_device *d, const char *command,
		const char *input, struct buf *out, struct buf *err);
	/*
	 * HTTPS: fills the reply. Every request arrives here; the device checks the login itself
	 * (r->basic_ok, or a session of its own by cookie).
	 */
	void (*http)(struct personality_ctx *ctx, struct sim_device *d,
		const struct http_request *request, struct http_reply *reply);
	/*
	 * True if this command reads its standard input to the end before it answers; the server
	 * then waits for EOF. NULL: the server guesses from the command's words.
	 */
	bool (*reads_input)(const char *command);
	bool has_shell; /* its users have a POSIX shell: personality_feed() */
};

/*
 * PERSONALITY_SHELL with input that arrives in pieces, from a client that keeps the shell for many
 * requests and has opened descriptor 3. Pass the same out and err in every call.
 */
#define PERSONALITY_SHELL "sh -s"
struct shell_session;
struct shell_session *personality_session_new(
	struct personality_ctx *ctx, struct buf *out, struct buf *err);
void personality_session_free(struct shell_session *s); /* NULL is allowed */
/*
 * Feeds more input, in whole lines. Returns false if the shell has ended; *status is then its exit
 * status.
 */
bool personality_feed(struct personality_ctx *ctx, struct sim_device *d, struct shell_session *s,
	const char *text, struct buf *out, struct buf *err, int *status);

/*
 * The answer to a command line that would write, for a user without write permission. Appends to
 * out or err; returns the exit status. For HTTPS the personalities check sim_write_denied()
 * themselves.
 */
int personality_denied(
	const struct sim_device *d, const char *command, struct buf *out, struct buf *err);

/* The device's own address in the management network, as it reports it: "10.10.0.4". */
void personality_address(const struct sim_device *d, char dst[24]);
/* The gateway of that network, from which logins come. */
void personality_gateway(const struct sim_device *d, char dst[24]);
/* The value that its sshd sets for a login: "10.10.0.254 50022 10.10.0.4 22". */
void personality_session(const struct sim_device *d, char dst[64]);
struct personality_ctx *personality_new(struct sim *s);
/* Sets the login for HTTPS; the strings must outlive ctx. Without this call no login succeeds. */
void personality_credentials(struct personality_ctx *ctx, const char *user, const char *password);
/* True if this device accepts the login now. */
bool personality_login(const struct personality_ctx *ctx, const struct sim_device *d,
	const char *user, const char *password);
void personality_free(struct personality_ctx *ctx);
const struct personality *personality_for(const char *dialect); /* NULL: none */

/*
 * Recognises commands that continue after their answer: "tail -F FILE", "journalctl -f", "dmesg
 * -w", alone or followed by a filter. NULL: this command ends. Else returns the argument for
 * personality_follow(); the caller frees it.
 */
char *personality_followed(const char *command);
/* Appends the output of such a command for the lines of d's log from number `from` on. */
void personality_follow(struct personality_ctx *ctx, struct sim_device *d, const char *followed,
	uint64_t from, struct buf *out);

#endif
