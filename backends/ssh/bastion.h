/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_BASTION_H
#define BACKENDS_SSH_BASTION_H

#include "backends/ssh/session_private.h"

/*
 * Private to bastion.c and bastion_relay.c. A bastion is one SSH session of the
 * shard; a relay is one channel in it, whose other end is a socket that the device's own session
 * (or libcurl) takes for its connection.
 */

enum relay_stage {
	RELAY_BARRED,  /* its device is down because the bastion is; told when it is back */
	RELAY_WAITING, /* for the bastion */
	RELAY_OPENING, /* the bastion connects to the device */
	RELAY_OPEN,
};

struct ssh_relay {
	struct ssh_relay *prev, *next;
	struct ssh_bastion *bastion;
	struct ssh_rider *rider; /* NULL: nobody wants it any more, but it still opens */
	enum relay_stage stage;
	char host[256]; /* as the bastion is asked for it */
	unsigned port;
	ssh_channel channel;
	unsigned number; /* of the channel in the session, as libssh's errors have it */
	struct ssh_channel_callbacks_struct callbacks;
	int ours, theirs; /* the two ends; -1: none, or handed over */
	uv_poll_t *poll;
	int armed;
	bool backed; /* the device's session does not keep up: bytes are left in the channel */
	bool held;   /* the bastion does not keep up: the socket is not read */
	bool ended;  /* the channel has */
	bool left;   /* nobody has the other end of the socket any more */
	char *in;    /* taken out of the channel, not yet into the socket */
	size_t in_at, in_len;
	char *out; /* out of the socket, not yet into the channel */
	size_t out_at, out_len;
};

enum bastion_state { BASTION_NEW, BASTION_CONNECTING, BASTION_UP, BASTION_DOWN };

struct ssh_bastion {
	struct ssh_bastion *next;
	struct ssh_shard *shard;
	struct plan_device device; /* the bastion as something to connect to */
	struct ssh_link *link;
	enum bastion_state state;
	bool closing;
	struct ssh_relay *relays;
	unsigned n, opening, held;
	unsigned opened;  /* channels of this session, ever */
	char refusal[96]; /* the last that libssh told of */
	struct err why;   /* of being down */
	unsigned failures;
	int64_t retry_us, idle_us;
	bool stirred; /* something was done to the session outside of its pump */
	uv_timer_t timer;
};

/* ---- bastion.c ---- */
/* The pump of its session has to turn soon. */
void ssh_bastion_stir(struct ssh_bastion *b);

/* ---- bastion_relay.c ---- */
struct ssh_relay *ssh_relay_new(struct ssh_bastion *b, struct ssh_rider *l, enum relay_stage stage);
/* The rider is gone, or does not want it any more. Frees it, or leaves it to open. */
void ssh_relay_drop(struct ssh_relay *r);
/* Nothing more comes of it: the device has closed it, or it is none. */
bool ssh_relay_ended(const struct ssh_rider *l);
/* Asks the bastion for the connection; the rider may fail in here. */
void ssh_relay_open(struct ssh_relay *r);
/* Moves on what opens and what was held. */
void ssh_relays_step(struct ssh_bastion *b);
/* The session is about to be freed, and its channels with it. */
void ssh_relays_lost(struct ssh_bastion *b);

#endif
