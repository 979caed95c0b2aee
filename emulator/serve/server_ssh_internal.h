/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SERVER_SSH_INTERNAL_H
#define EMULATOR_SERVER_SSH_INTERNAL_H

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include "emulator/serve/ras.h"
#include "emulator/serve/server_internal.h"

/* Types and functions that only the server_ssh*.c files share. */

#define SSH_INPUT_CAP    (4U << 20)
#define SSH_OUTPUT_CAP   (64U << 20)
#define SSH_WRITE_CHUNK  32768U
#define SSH_CHANNEL_MOST 64

struct ssh_chan {
	struct ssh_conn *conn;
	ssh_channel channel;
	struct ssh_channel_callbacks_struct cb;
	struct ras_client *ras; /* of a forwarded connection; NULL: a session */
	char *command;          /* NULL until exec */
	struct buf in, out, err;
	size_t out_off, err_off;
	uint64_t flood_left;
	int status;
	int64_t due; /* mono; the answer waits until then */
	bool eof, waited, closed;
	bool mute;                   /* fault write-hang: it never answers */
	bool answered;               /* all output is there: the channel ends when it is sent */
	char *followed;              /* a command that follows the device's log; NULL: it ends */
	uint64_t seen;               /* lines of that log that it has printed */
	struct shell_session *shell; /* a persistent shell; NULL: an ordinary exec */
	struct ssh_chan *next;
};

struct ssh_conn {
	struct ssh_server *server;
	struct sim_device *device;
	ssh_session session;
	ssh_event event;
	struct watch *watch; /* our own; libssh has a copy of the descriptor, and may close that */
	struct ssh_server_callbacks_struct cb;
	struct ssh_chan *channels;
	unsigned nchannels;
	bool busy; /* inside serve_connection(): a changed fault must not free it */
	bool more; /* serve_connection() stopped before the end so that others get their turn */
	bool wrong_key; /* the key that was presented */
	bool trusted;   /* a key was accepted */
	bool cut;       /* fault write-cut: it ends now */
	struct ssh_conn *prev, *next;
};

struct ssh_server {
	struct server *server;
	ssh_bind bind, wrong_bind;
	struct ssh_conn *conns;
	int64_t due;        /* mono; no channel's answer is due earlier */
	unsigned followers; /* channels with a command that follows the log */
	char flood[SSH_WRITE_CHUNK];
};

/* Makes a channel of c that records its events. ssh_channel_adopt() owns channel. */
struct ssh_chan *ssh_channel_adopt(struct ssh_conn *c, ssh_channel channel);

/* Makes the server's timer wake a channel at `due`. */
void ssh_server_wait(struct ssh_server *s, int64_t due);

/* server_ssh_exec.c: answers when the command is complete and the device's delay is over. */
int ssh_exec_request(ssh_session session, ssh_channel channel, const char *command, void *arg);
void ssh_exec_turn(struct ssh_chan *ch);
/*
 * True if the device has logged lines that a following command has not printed and can print
 * now.
 */
bool ssh_exec_has_news(const struct ssh_chan *ch);

/*
 * server_ssh_forward.c: connections to other ports of the device, seen from the device itself. The
 * message is libssh's form of a direct-tcpip request. Returns 1 to refuse it.
 */
int ssh_forward_request(ssh_session session, ssh_message message, void *arg);
void ssh_forward_turn(struct ssh_chan *ch);

#endif
