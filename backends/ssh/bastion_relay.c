/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "backends/ssh/bastion.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Copies bytes between a channel of the bastion's session and the socket of a device's session. It
 * buffers one piece in each direction. Bytes that the device's session does not read stay in the
 * channel, whose window then stays closed (libssh: 1.3 MB). Bytes that the bastion does not read
 * stay in the socket.
 */

#define PIECE       ((size_t)16 << 10)
#define PIECES_MOST 16
/* libssh's window: at most so many bytes can still arrive on a channel that we have closed. */
#define WINDOW_BYTES ((uint64_t)1280000)
/* libssh numbers its channels from here. */
#define FIRST_NUMBER 42u

static void on_ready(uv_poll_t *h, int status, int events);

/* ---- the socket ---- */

static void arm_socket(struct ssh_relay *r)
{
	int events = (r->backed ? UV_WRITABLE : 0) | (r->held ? 0 : UV_READABLE);

	if (!r->poll || r->stage != RELAY_OPEN || r->armed == events)
		return;
	if (events)
		(void)uv_poll_start(r->poll, events, on_ready);
	else
		(void)uv_poll_stop(r->poll);
	r->armed = events;
}

static void on_poll_closed(uv_handle_t *h)
{
	free(h);
}

static void socket_shut(struct ssh_relay *r)
{
	if (r->poll) {
		uv_poll_stop(r->poll);
		uv_close((uv_handle_t *)r->poll, on_poll_closed);
		r->poll = NULL;
	}
	if (r->ours >= 0)
		(void)close(r->ours);
	if (r->theirs >= 0)
		(void)close(r->theirs);
	r->ours = r->theirs = -1;
	r->armed = 0;
}

static bool socket_make(struct ssh_relay *r)
{
	int fds[2];

	if (r->rider->ours >= 0) {
		r->ours = r->rider->ours;
		r->rider->ours = -1;
	} else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0) {
		r->ours = fds[0];
		r->theirs = fds[1];
	} else {
		return false;
	}
	r->poll = mem_calloc(1, sizeof(*r->poll));
	r->poll->data = r;
	(void)uv_poll_init(r->bastion->shard->loop, r->poll, r->ours);
	return true;
}

/* Returns how many bytes the socket took; all of them if its other end is closed. */
static size_t send_some(struct ssh_relay *r, const char *data, size_t len)
{
	ssize_t n;

	if (r->ours < 0)
		return len;
	n = send(r->ours, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n >= 0)
		return (size_t)n;
	return errno == EAGAIN || errno == EINTR ? 0 : len;
}

/* Shuts the socket down once all bytes are written; the device's session then reads the end. */
static void end_if_empty(struct ssh_relay *r)
{
	if (r->ended && !r->backed && r->ours >= 0)
		(void)shutdown(r->ours, SHUT_WR);
}

/* ---- from the channel to the socket ---- */

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
	int is_stderr, void *userdata)
{
	struct ssh_relay *r = userdata;
	size_t n;

	(void)session;
	(void)channel;
	r->bastion->link->steps++;
	if (is_stderr)
		return (int)len;
	/*
	 * No rider wanted it when it was requested; the rider that does now gets its socket in a
	 * moment.
	 */
	if (r->ours < 0)
		r->backed = true;
	if (r->backed)
		return 0;
	n = send_some(r, data, len);
	r->backed = n < len;
	arm_socket(r);
	return (int)n;
}

static void on_end(ssh_session session, ssh_channel channel, void *userdata)
{
	struct ssh_relay *r = userdata;

	(void)session;
	(void)channel;
	r->ended = true;
	r->bastion->link->steps++;
	end_if_empty(r);
}

/* True: there was a piece, and all of it was written. */
static bool pass_piece(struct ssh_relay *r)
{
	int n;

	if (!r->in)
		r->in = mem_alloc(PIECE);
	if (!r->in_len) {
		n = ssh_channel_read_nonblocking(r->channel, r->in, PIECE, 0);
		r->in_at = 0;
		r->in_len = n > 0 ? (size_t)n : 0;
		if (!r->in_len) {
			r->backed = false;
			return false;
		}
	}
	n = (int)send_some(r, r->in + r->in_at, r->in_len);
	r->in_at += (size_t)n;
	r->in_len -= (size_t)n;
	return r->in_len == 0;
}

static void drain_channel(struct ssh_relay *r)
{
	struct ssh_link *session = r->bastion->link;
	bool pumping = session->pumping;

	session->pumping = true; /* the read may also bring bytes for other channels */
	for (int i = 0; i < PIECES_MOST && r->backed && pass_piece(r);)
		i++;
	session->pumping = pumping;
	end_if_empty(r);
}

/* ---- from the socket to the channel ---- */

static bool is_stuck(const struct ssh_relay *r)
{
	return (ssh_get_poll_flags(r->bastion->link->session) & SSH_WRITE_PENDING) ||
	       ssh_channel_window_size(r->channel) == 0;
}

static void set_held(struct ssh_relay *r, bool held)
{
	if (r->held != held)
		r->bastion->held += held ? 1 : -1u;
	r->held = held;
}

/* False: some of it is left. During a key exchange the channel takes nothing. */
static bool put_rest(struct ssh_relay *r)
{
	int n;

	if (!r->out_len)
		return true;
	n = ssh_channel_write(r->channel, r->out + r->out_at, (uint32_t)r->out_len);
	if (n > 0) {
		r->out_at += (size_t)n;
		r->out_len -= (size_t)n;
	}
	return r->out_len == 0;
}

/* False: the device's session has closed its end, or there are no bytes at the moment. */
static bool take_piece(struct ssh_relay *r)
{
	ssize_t n;

	if (!r->out)
		r->out = mem_alloc(PIECE);
	if (is_stuck(r)) {
		set_held(r, true);
		return false;
	}
	n = recv(r->ours, r->out, PIECE, MSG_DONTWAIT);
	if (n <= 0) {
		r->left = n == 0 || (errno != EAGAIN && errno != EINTR);
		if (r->left)
			set_held(r, true); /* its rider will drop the relay */
		return false;
	}
	r->out_at = 0;
	r->out_len = (size_t)n;
	if (!put_rest(r)) {
		set_held(r, true);
		return false;
	}
	return (size_t)n == PIECE;
}

static void collect_input(struct ssh_relay *r)
{
	struct ssh_link *session = r->bastion->link;
	bool pumping = session->pumping;

	session->pumping = true;
	for (int i = 0; i < PIECES_MOST && take_piece(r);)
		i++;
	session->pumping = pumping;
}

static void on_ready(uv_poll_t *h, int status, int events)
{
	struct ssh_relay *r = h->data;
	struct ssh_link *session = r->bastion->link;

	if (status < 0 || !session->session || !r->channel)
		return;
	if (events & UV_WRITABLE)
		drain_channel(r);
	if (events & UV_READABLE)
		collect_input(r);
	arm_socket(r);
	if (r->left && r->rider && r->rider->ops->left)
		r->rider->ops->left(r->rider);
	ssh_link_pump(session);
}

/* ---- opening ---- */

struct ssh_relay *ssh_relay_new(struct ssh_bastion *b, struct ssh_rider *l, enum relay_stage stage)
{
	struct ssh_relay *r = mem_calloc(1, sizeof(*r));

	r->bastion = b;
	r->rider = l;
	r->stage = stage;
	r->ours = r->theirs = -1;
	(void)str_copy(r->host, sizeof(r->host), l->host);
	r->port = l->port;
	l->relay = r;
	DL_APPEND(b->relays, r);
	b->n++;
	return r;
}

static void channel_drop(struct ssh_relay *r)
{
	struct ssh_link *session = r->bastion->link;

	if (!r->channel)
		return;
	ssh_remove_channel_callbacks(r->channel, &r->callbacks);
	(void)ssh_add_channel_callbacks(r->channel, &session->discard);
	ssh_channel_free(r->channel);
	r->channel = NULL;
	session->forgiven += WINDOW_BYTES;
	ssh_bastion_stir(r->bastion);
}

void ssh_relay_drop(struct ssh_relay *r)
{
	struct ssh_bastion *b = r->bastion;

	if (r->rider)
		r->rider->relay = NULL;
	r->rider = NULL;
	socket_shut(r);
	/* libssh must know the channel number when the bastion answers. */
	if (r->stage == RELAY_OPENING && r->channel)
		return;
	set_held(r, false);
	b->opening -= r->stage == RELAY_OPENING;
	channel_drop(r);
	DL_DELETE(b->relays, r);
	b->n--;
	free(r->in);
	free(r->out);
	free(r);
	ssh_bastion_stir(b);
}

static int ask_bastion(struct ssh_relay *r)
{
	struct ssh_link *session = r->bastion->link;
	bool pumping = session->pumping;
	int rc;

	session->pumping = true;
	rc = ssh_channel_open_forward(r->channel, r->host, (int)r->port, "127.0.0.1", 0);
	session->pumping = pumping;
	return rc;
}

static bool channel_begin(struct ssh_relay *r)
{
	struct ssh_bastion *b = r->bastion;

	r->channel = ssh_channel_new(b->link->session);
	if (!r->channel)
		return false;
	r->callbacks.userdata = r;
	r->callbacks.channel_data_function = on_data;
	r->callbacks.channel_eof_function = on_end;
	r->callbacks.channel_close_function = on_end;
	ssh_callbacks_init(&r->callbacks);
	if (ssh_add_channel_callbacks(r->channel, &r->callbacks) != SSH_OK)
		return false;
	r->number = FIRST_NUMBER + ++b->opened;
	r->stage = RELAY_OPENING;
	b->opening++;
	return ask_bastion(r) != SSH_ERROR;
}

bool ssh_relay_ended(const struct ssh_rider *l)
{
	return !l->relay || l->relay->ended;
}

/* A connection that an earlier attempt began and that may still be opening. */
static struct ssh_relay *left_behind(const struct ssh_relay *r)
{
	struct ssh_relay *other;

	DL_FOREACH(r->bastion->relays, other)
	{
		if (!other->rider && other->port == r->port && str_eq(other->host, r->host))
			return other;
	}
	return NULL;
}

static void fail_here(struct ssh_relay *r, const char *what, const char *why)
{
	struct err err;

	err_set(&err, ERR_IO, r->rider->device->name, "%s: %s", what, why);
	if (errno == EMFILE || errno == ENFILE)
		err_cure(&err, "raise the limit of open files: ulimit -n, or LimitNOFILE= of "
			       "the systemd unit");
	r->rider->ops->fail(r->rider, &err);
}

/*
 * RFC 4254, section 5.1. libssh has the code only in its error text: "... channel 43 error (1) ..."
 */
enum { OPEN_PROHIBITED = 1, OPEN_CONNECT_FAILED = 2 };

static void fail_refused(struct ssh_relay *r)
{
	const char *text = ssh_link_reason(r->bastion->link), *at = strstr(text, "channel ");
	const char *bastion = r->bastion->device.name, *device = r->rider->device->name, *why = "";
	unsigned number = 0;
	struct err err;
	int code = 0, past = 0;

	/* libssh reports only the last of several channels that were refused at once. */
	if (at && sscanf(at, "channel %9u error (%9d) %n", &number, &code, &past) == 2 && past &&
		number == r->number)
		why = at + past;
	else
		code = 0;
	if (code == OPEN_PROHIBITED) {
		err_set(&err, ERR_UNAUTHORISED, device,
			"bastion %s does not forward to %s port %u: %s", bastion, r->host, r->port,
			why);
		err_cure(&err, "AllowTcpForwarding local (or yes) and PermitOpen in the bastion's "
			       "sshd_config");
	} else {
		err_set(&err, ERR_UNREACHABLE, device,
			"bastion %s has no connection to %s port %u%s%s", bastion, r->host, r->port,
			*why ? ": " : "", why);
		err_cure(&err, "on the bastion: nc -vz %s %u", r->host, r->port);
	}
	r->rider->ops->fail(r->rider, &err);
}

/* A refusal that arrives before the call that asks returns is a refusal like any other. */
static void fail_to_open(struct ssh_relay *r)
{
	if (r->stage == RELAY_OPENING && ssh_is_connected(r->bastion->link->session))
		fail_refused(r);
	else
		fail_here(r, "no channel to go through the bastion",
			ssh_link_reason(r->bastion->link));
}

void ssh_relay_open(struct ssh_relay *r)
{
	struct ssh_bastion *b = r->bastion;
	struct ssh_relay *other = left_behind(r);
	struct ssh_rider *l = r->rider;

	if (other) {
		ssh_relay_drop(r);
		other->rider = l;
		l->relay = r = other;
	}
	l->ops->asked(l);
	errno = 0;
	if (!socket_make(r))
		fail_here(r, "no socket to go through the bastion", strerror(errno));
	else if (!other && !channel_begin(r))
		fail_to_open(r);
	ssh_bastion_stir(b);
}

static void hand_over_socket(struct ssh_relay *r)
{
	struct ssh_rider *l = r->rider;
	int fd = r->theirs;

	r->theirs = -1;
	arm_socket(r);
	end_if_empty(r);
	l->ops->take(l, fd);
}

/* Returns the first relay that the bastion has answered. */
static struct ssh_relay *next_decided(struct ssh_bastion *b, bool refusals, int *rc)
{
	struct ssh_relay *r;

	DL_FOREACH(b->relays, r)
	{
		if (r->stage != RELAY_OPENING)
			continue;
		*rc = ssh_channel_is_open(r->channel) ? SSH_OK
		      : refusals                      ? ask_bastion(r)
						      : SSH_AGAIN;
		if (*rc != SSH_AGAIN)
			return r;
	}
	return NULL;
}

/* True: libssh has a new refusal to report. Asking for each channel would cost a poll(). */
static bool has_refused(struct ssh_bastion *b)
{
	const char *text = ssh_get_error(b->link->session);

	if (!strstr(text, "opening failure") ||
		strncmp(text, b->refusal, sizeof(b->refusal) - 1) == 0)
		return false;
	(void)str_copy(b->refusal, sizeof(b->refusal), text);
	return true;
}

static void decide_opening(struct ssh_bastion *b)
{
	bool refusals = has_refused(b);
	struct ssh_relay *r;
	int rc = SSH_AGAIN;

	while (b->state == BASTION_UP && b->opening && ssh_is_connected(b->link->session) &&
		(r = next_decided(b, refusals, &rc))) {
		b->link->steps++;
		b->opening--;
		r->stage = RELAY_OPEN;
		if (!r->rider)
			ssh_relay_drop(r);
		else if (rc == SSH_OK)
			hand_over_socket(r);
		else
			fail_refused(r);
	}
}

static void release_held(struct ssh_bastion *b)
{
	struct ssh_relay *r;

	DL_FOREACH(b->relays, r)
	{
		if (!r->held || !r->channel || !ssh_is_connected(b->link->session))
			continue;
		if (is_stuck(r) || !put_rest(r))
			continue;
		set_held(r, false);
		arm_socket(r);
	}
}

void ssh_relays_step(struct ssh_bastion *b)
{
	if (b->opening)
		decide_opening(b);
	if (b->held)
		release_held(b);
}

void ssh_relays_lost(struct ssh_bastion *b)
{
	struct ssh_relay *r, *next;

	DL_FOREACH_SAFE(b->relays, r, next)
	{
		if (r->channel)
			ssh_remove_channel_callbacks(r->channel, &r->callbacks);
		r->channel = NULL;
		if (!r->rider)
			ssh_relay_drop(r);
	}
	b->opened = 0;
	b->refusal[0] = '\0';
}
