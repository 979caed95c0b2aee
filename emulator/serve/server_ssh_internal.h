/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SERVER_SSH_INTERNAL_H
#define EMULATOR_SERVER_SSH_INTERNAL_H

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include "emulator/serve/ras.h"
#include "emulator/serve/server_internal.h"

/* What only the server_ssh*.c files share. */

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
	bool mute;      /* fault write-hang: it never answers */
	bool answered;  /* all output is there: the channel ends when it is sent */
	char *followed; /* of a command that goes on with the device's log; NULL: it ends */
	uint64_t seen;  /* lines of that log that it has printed */
	struct shell_session *shell; /* it is kept for many questions; NULL: it is none such */
	struct ssh_chan *next;
};

struct ssh_conn {
	struct ssh_server *server;
	struct sim_device *device;
	ssh_session session;
	ssh_event event;
	struct watch *watch; /* ours; libssh has a copy of the descriptor, and may close that */
	struct ssh_server_callbacks_struct cb;
	struct ssh_chan *channels;
	unsigned nchannels;
	bool busy;      /* inside serve(): a changed fault must not free it */
	bool more;      /* serve() stopped for the sake of others */
	bool wrong_key; /* as it was presented */
	bool trusted;   /* a key was accepted */
	bool cut;       /* fault write-cut: it ends now */
	struct ssh_conn *prev, *next;
};

struct ssh_server {
	struct server *server;
	ssh_bind bind, wrong_bind;
	struct ssh_conn *conns;
	int64_t due;        /* mono; no channel's answer is due before */
	unsigned followers; /* channels with a command that goes on */
	char flood[SSH_WRITE_CHUNK];
};

/* A channel of c that takes notes of what arrives; ssh_channel_adopt() owns channel. */
struct ssh_chan *ssh_channel_adopt(struct ssh_conn *c, ssh_channel channel);

/* A channel waits until then. */
void ssh_server_wait(struct ssh_server *s, int64_t due);

/* server_ssh_exec.c: answers when the command is complete and the device's delay is over. */
int ssh_exec_request(ssh_session session, ssh_channel channel, const char *command, void *arg);
void ssh_exec_turn(struct ssh_chan *ch);
/* The device logged what a command that goes on has not printed yet, and can now. */
bool ssh_exec_has_news(const struct ssh_chan *ch);

/*
 * server_ssh_forward.c: connections to other ports of the device, seen from the device itself. The
 * message is libssh's way to tell of a direct-tcpip request; 1: it is refused.
 */
int ssh_forward_request(ssh_session session, ssh_message message, void *arg);
void ssh_forward_turn(struct ssh_chan *ch);

#endif
