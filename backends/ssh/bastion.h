/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_BASTION_H
#define BACKENDS_SSH_BASTION_H

#include "backends/ssh/session_private.h"

/*
 * Private to bastion.c and bastion_relay.c. A bastion is one SSH session of the shard. A relay is
 * one channel in it. The relay's other end is a socket that the device's own session (or libcurl)
 * uses as its connection.
 */

enum relay_stage {
	RELAY_BARRED,  /* the device is down because the bastion is; notified when it is back */
	RELAY_WAITING, /* for the bastion */
	RELAY_OPENING, /* the bastion connects to the device */
	RELAY_OPEN,
};

struct ssh_relay {
	struct ssh_relay *prev, *next;
	struct ssh_bastion *bastion;
	struct ssh_rider *rider; /* NULL: given up by its rider, but still opening */
	enum relay_stage stage;
	char host[256]; /* address of the device as the bastion resolves it */
	unsigned port;
	ssh_channel channel;
	unsigned number; /* channel number in the session, as libssh's errors state it */
	struct ssh_channel_callbacks_struct callbacks;
	int ours, theirs; /* the two ends of the socket; -1: none, or handed over */
	uv_poll_t *poll;
	int armed;
	bool backed; /* backlog: the device's session is slow, bytes are left in the channel */
	bool held;   /* the bastion is slow: the socket is not read */
	bool ended;  /* the channel has ended */
	bool left;   /* the other end of the socket is closed */
	char *in;    /* read from the channel, not yet written to the socket */
	size_t in_at, in_len;
	char *out; /* read from the socket, not yet written to the channel */
	size_t out_at, out_len;
};

enum bastion_state { BASTION_NEW, BASTION_CONNECTING, BASTION_UP, BASTION_DOWN };

struct ssh_bastion {
	struct ssh_bastion *next;
	struct ssh_shard *shard;
	struct plan_device device; /* the bastion as a device to connect to */
	struct ssh_link *link;
	enum bastion_state state;
	bool closing;
	struct ssh_relay *relays;
	unsigned n, opening, held;
	unsigned opened;  /* channels opened in this session so far */
	char refusal[96]; /* the last refusal that libssh reported */
	struct err why;   /* error while down */
	unsigned failures;
	int64_t retry_us, idle_us;
	bool stirred; /* the session was used outside of its pump */
	uv_timer_t timer;
};

/* ---- bastion.c ---- */
/* Makes the pump of its session run soon. */
void ssh_bastion_stir(struct ssh_bastion *b);

/* ---- bastion_relay.c ---- */
struct ssh_relay *ssh_relay_new(struct ssh_bastion *b, struct ssh_rider *l, enum relay_stage stage);
/* The rider is gone or has given up. Frees the relay, or leaves it until it is open. */
void ssh_relay_drop(struct ssh_relay *r);
/*
 * True: no more bytes will come, because the device has closed the connection or there is no relay.
 */
bool ssh_relay_ended(const struct ssh_rider *l);
/* Asks the bastion for the connection; the rider's fail() may run in here. */
void ssh_relay_open(struct ssh_relay *r);
/* Advances relays that open and those that the bastion had slowed down. */
void ssh_relays_step(struct ssh_bastion *b);
/* Call before the session is freed: its channels go with it. */
void ssh_relays_lost(struct ssh_bastion *b);

#endif
