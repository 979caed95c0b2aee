/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "emulator/serve/server_ssh_internal.h"

/*
 * SSH for every device. libssh's callbacks only record events. pump_channels() serves the channels
 * outside of them, because libssh handles packets, and so calls back, inside almost every call.
 */

#define TURNS 16 /* polls of one connection per wake-up, so that others get their turn */

/* ---- callbacks ---- */

static int on_pubkey(
	ssh_session session, const char *user, struct ssh_key_struct *key, char state, void *arg)
{
	struct ssh_conn *c = arg;
	const struct site *site = c->server->server->o.site;

	(void)session;
	if (c->device->refuses_key || strcmp(user, SITE_USER) != 0 ||
		ssh_key_cmp(key, site->user, SSH_KEY_CMP_PUBLIC) != 0)
		return SSH_AUTH_DENIED;
	if (state == SSH_PUBLICKEY_STATE_VALID)
		c->trusted = true;
	return state == SSH_PUBLICKEY_STATE_NONE || c->trusted ? SSH_AUTH_SUCCESS : SSH_AUTH_DENIED;
}

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
	int is_stderr, void *arg)
{
	struct ssh_chan *ch = arg;

	(void)session;
	(void)channel;
	/* Input beyond the buffer's limit is lost, as with a program that stops reading. */
	if (!is_stderr)
		(void)buf_add(&ch->in, data, len);
	return (int)len;
}

static void on_eof(ssh_session session, ssh_channel channel, void *arg)
{
	struct ssh_chan *ch = arg;

	(void)session;
	(void)channel;
	ch->eof = true;
}

static void on_close(ssh_session session, ssh_channel channel, void *arg)
{
	struct ssh_chan *ch = arg;

	(void)session;
	(void)channel;
	ch->closed = true;
}

struct ssh_chan *ssh_channel_adopt(struct ssh_conn *c, ssh_channel channel)
{
	struct ssh_chan *ch = mem_calloc(1, sizeof(*ch));

	ch->conn = c;
	ch->channel = channel;
	buf_init(&ch->in, SSH_INPUT_CAP);
	buf_init(&ch->out, SSH_OUTPUT_CAP);
	buf_init(&ch->err, SSH_OUTPUT_CAP);
	ch->cb.userdata = ch;
	ch->cb.channel_data_function = on_data;
	ch->cb.channel_eof_function = on_eof;
	ch->cb.channel_close_function = on_close;
	ch->cb.channel_exec_request_function = ssh_exec_request;
	ssh_callbacks_init(&ch->cb);
	ssh_set_channel_callbacks(channel, &ch->cb);
	ch->next = c->channels;
	c->channels = ch;
	c->nchannels++;
	return ch;
}

static ssh_channel on_open(ssh_session session, void *arg)
{
	struct ssh_conn *c = arg;
	ssh_channel channel;

	if (c->nchannels == SSH_CHANNEL_MOST)
		return NULL;
	channel = ssh_channel_new(session);
	if (channel)
		(void)ssh_channel_adopt(c, channel);
	return channel;
}

/* ---- output ---- */

static bool has_output(const struct ssh_chan *ch)
{
	return (ch->answered || ch->ras || ch->shell) &&
	       (ch->flood_left || ch->out_off < ch->out.len || ch->err_off < ch->err.len);
}

/* Writes one piece of output within the peer's window; false if nothing could be written. */
static bool write_some(struct ssh_chan *ch)
{
	uint32_t n = ssh_channel_window_size(ch->channel);
	size_t left;
	int rc;

	if (n > SSH_WRITE_CHUNK)
		n = SSH_WRITE_CHUNK;
	if (!n || ssh_get_poll_flags(ch->conn->session) & SSH_WRITE_PENDING)
		return false;
	if (ch->flood_left) {
		n = ch->flood_left < n ? (uint32_t)ch->flood_left : n;
		rc = ssh_channel_write(ch->channel, ch->conn->server->flood, n);
		if (rc > 0)
			ch->flood_left -= (uint32_t)rc;
		return rc > 0;
	}
	if (ch->out_off < ch->out.len) {
		left = ch->out.len - ch->out_off;
		n = left < n ? (uint32_t)left : n;
		rc = ssh_channel_write(ch->channel, ch->out.data + ch->out_off, n);
		if (rc > 0)
			ch->out_off += (size_t)rc;
		return rc > 0;
	}
	left = ch->err.len - ch->err_off;
	n = left < n ? (uint32_t)left : n;
	rc = ssh_channel_write_stderr(ch->channel, ch->err.data + ch->err_off, n);
	if (rc > 0)
		ch->err_off += (size_t)rc;
	return rc > 0;
}

static void free_channel(struct ssh_chan *ch)
{
	ssh_remove_channel_callbacks(ch->channel, &ch->cb);
	ssh_channel_free(ch->channel);
	ras_disconnect(ch->ras);
	ch->conn->server->followers -= ch->followed != NULL;
	free(ch->followed);
	personality_session_free(ch->shell);
	buf_free(&ch->in);
	buf_free(&ch->out);
	buf_free(&ch->err);
	free(ch->command);
	free(ch);
}

static void end_channel(struct ssh_chan *ch)
{
	if (!ch->ras)
		(void)ssh_channel_request_send_exit_status(ch->channel, ch->status);
	(void)ssh_channel_send_eof(ch->channel);
	(void)ssh_channel_close(ch->channel);
}

/* Serves every channel once; returns true if one made progress. */
static bool pump_channels(struct ssh_conn *c)
{
	bool moved = false;

	for (struct ssh_chan **at = &c->channels; *at;) {
		struct ssh_chan *ch = *at;

		if (!ch->closed) {
			if (ch->ras)
				ssh_forward_turn(ch);
			else
				ssh_exec_turn(ch);
			if (has_output(ch) && write_some(ch))
				moved = true;
		}
		if (!ch->closed && (!ch->answered || ch->followed || has_output(ch))) {
			at = &ch->next;
			continue;
		}
		if (!ch->closed)
			end_channel(ch);
		/* end_channel() may have called back, but new channels come in front of the list.
		 */
		while (*at != ch)
			at = &(*at)->next;
		*at = ch->next;
		c->nchannels--;
		free_channel(ch);
		moved = true;
	}
	return moved;
}

/* ---- connections ---- */

static void free_conn(struct ssh_conn *c)
{
	while (c->channels) {
		struct ssh_chan *ch = c->channels;

		c->channels = ch->next;
		free_channel(ch);
	}
	if (c->prev)
		c->prev->next = c->next;
	else
		c->server->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	if (c->event) {
		(void)ssh_event_remove_session(c->event, c->session);
		ssh_event_free(c->event);
	}
	ssh_disconnect(c->session);
	ssh_free(c->session);
	watch_free(c->watch);
	free(c);
}

/*
 * Faults of trust close the connections trusted before; a persistent session would never see them
 * otherwise.
 */
static bool must_go(const struct ssh_conn *c)
{
	return c->cut || c->device->unreachable || c->wrong_key != c->device->wrong_key ||
	       (c->trusted && c->device->refuses_key);
}

static bool is_over(const struct ssh_conn *c)
{
	return must_go(c) || ssh_get_status(c->session) & (SSH_CLOSED | SSH_CLOSED_ERROR);
}

/* Events to wait for: always reading; writing if libssh or a channel has output. */
static int wanted_events(const struct ssh_conn *c)
{
	int events = UV_READABLE;

	if (ssh_get_poll_flags(c->session) & SSH_WRITE_PENDING)
		return events | UV_WRITABLE;
	for (const struct ssh_chan *ch = c->channels; ch; ch = ch->next)
		if (has_output(ch) && ssh_channel_window_size(ch->channel))
			events |= UV_WRITABLE;
	return events;
}

static void serve_connection(struct ssh_conn *c)
{
	if (c->busy) /* a changed fault calls resume() while an answer is being made */
		return;
	c->busy = true;
	c->more = true;
	for (int i = 0; i < TURNS && c->more; i++) {
		int rc = ssh_event_dopoll(c->event, 0);
		bool moved = pump_channels(c);

		c->more = !is_over(c) && (rc == SSH_OK || moved);
	}
	c->busy = false;
	if (is_over(c)) {
		free_conn(c);
		return;
	}
	watch_events(c->watch, c->device->hung ? 0 : wanted_events(c));
	/* libssh has read more than it handled; the descriptor does not signal that again. */
	if (c->more && !c->device->hung)
		ssh_server_wait(c->server, server_mono(c->server->server));
}

static void on_conn(void *arg, int events)
{
	struct ssh_conn *c = arg;

	(void)events;
	c->busy = true;
	server_advance(c->server->server);
	c->busy = false;
	if (c->device->hung)
		watch_events(c->watch, 0);
	else
		serve_connection(c);
}

/* All devices share the bind: each session copies the name that is set when it begins. */
static bool accept_as(ssh_bind bind, const struct sim_device *d, ssh_session session, int fd)
{
	return ssh_bind_options_set(bind, SSH_BIND_OPTIONS_BANNER, d->platform->ssh) == SSH_OK &&
	       ssh_bind_accept_fd(bind, session, fd) == SSH_OK;
}

void ssh_server_adopt(struct ssh_server *s, struct sim_device *d, int fd)
{
	struct ssh_conn *c = mem_calloc(1, sizeof(*c));
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ssh_bind bind = d->wrong_key ? s->wrong_bind : s->bind;

	c->server = s;
	c->device = d;
	c->wrong_key = d->wrong_key;
	c->session = ssh_new();
	c->watch = watch_new(s->server->o.loop, fd, UV_READABLE, on_conn, c);
	c->next = s->conns;
	if (s->conns)
		s->conns->prev = c;
	s->conns = c;
	if (copy < 0 || !c->session || !c->watch || !accept_as(bind, d, c->session, copy)) {
		free_conn(c);
		return;
	}
	ssh_set_blocking(c->session, 0);
	c->cb.userdata = c;
	c->cb.auth_pubkey_function = on_pubkey;
	c->cb.channel_open_request_session_function = on_open;
	ssh_callbacks_init(&c->cb);
	ssh_set_server_callbacks(c->session, &c->cb);
	ssh_set_message_callback(c->session, ssh_forward_request, c);
	ssh_set_auth_methods(c->session, SSH_AUTH_METHOD_PUBLICKEY);
	c->event = ssh_event_new();
	(void)ssh_handle_key_exchange(c->session);
	(void)ssh_event_add_session(c->event, c->session);
	serve_connection(c);
}

/* True if a channel of this connection waits for the clock or for log lines, and they are there. */
static bool is_due(const struct ssh_conn *c, int64_t now)
{
	if (c->more)
		return true;
	for (const struct ssh_chan *ch = c->channels; ch; ch = ch->next)
		if ((!ch->answered && ch->due && ch->due <= now) ||
			(ch->ras && ras_output(ch->ras)->len) || ssh_exec_has_news(ch))
			return true;
	return false;
}

/*
 * The exact next time over all channels. A hung device has none: its answers wait until it
 * recovers.
 */
static int64_t find_due(const struct ssh_server *s)
{
	int64_t due = INT64_MAX;

	for (const struct ssh_conn *c = s->conns; c; c = c->next) {
		if (c->device->hung)
			continue;
		if (c->more)
			return 0;
		for (const struct ssh_chan *ch = c->channels; ch; ch = ch->next)
			if (!ch->answered && ch->due && ch->due < due)
				due = ch->due;
	}
	return due;
}

void ssh_server_resume(struct ssh_server *s, bool all)
{
	int64_t now = server_mono(s->server);

	if (!all && s->due > now && !s->followers && !ras_monitored(s->server->ras))
		return;
	for (struct ssh_conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		if (c->busy)
			continue;
		if (all && must_go(c))
			free_conn(c);
		else if (!c->device->hung && (all || is_due(c, now)))
			serve_connection(c);
	}
	s->due = find_due(s);
}

int64_t ssh_server_due(const struct ssh_server *s)
{
	return s->due;
}

void ssh_server_wait(struct ssh_server *s, int64_t due)
{
	if (due < s->due)
		s->due = due;
	server_arm(s->server);
}

size_t ssh_server_connections(const struct ssh_server *s)
{
	size_t n = 0;

	for (const struct ssh_conn *c = s->conns; c; c = c->next)
		n++;
	return n;
}

static ssh_bind make_bind(ssh_key key, struct err *err)
{
	ssh_bind b = ssh_bind_new();
	ssh_key copy = ssh_key_dup(key); /* the bind keeps it */
	bool off = false;

	if (b && copy && ssh_bind_options_set(b, SSH_BIND_OPTIONS_PROCESS_CONFIG, &off) == SSH_OK &&
		ssh_bind_options_set(b, SSH_BIND_OPTIONS_IMPORT_KEY, copy) == SSH_OK)
		return b;
	err_set(err, ERR_INTERNAL, "libssh", "cannot use the host key: %s",
		b ? ssh_get_error(b) : "");
	if (b)
		ssh_bind_free(b);
	return NULL;
}

struct ssh_server *ssh_server_new(struct server *server, struct err *err)
{
	struct ssh_server *s = mem_calloc(1, sizeof(*s));

	s->server = server;
	s->due = INT64_MAX;
	memset(s->flood, 'x', sizeof(s->flood));
	s->bind = make_bind(server->o.site->host, err);
	s->wrong_bind = s->bind ? make_bind(server->o.site->wrong_host, err) : NULL;
	if (s->wrong_bind)
		return s;
	ssh_server_free(s);
	return NULL;
}

void ssh_server_free(struct ssh_server *s)
{
	if (!s)
		return;
	for (struct ssh_conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		free_conn(c);
	}
	if (s->bind)
		ssh_bind_free(s->bind);
	if (s->wrong_bind)
		ssh_bind_free(s->wrong_bind);
	free(s);
}
