/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <libssh/callbacks.h>
#include <libssh/server.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/responder/responder.h"

#define TURNS     16 /* of one connection at one wake-up */
#define INPUT_CAP ((size_t)1 << 20)
/* sshd reads so much of a command's pipe at a time, and so sends it in a packet (CHAN_RBUF). */
#define WRITE_CHUNK 16384U
#define EVENTS      256

struct chan {
	struct conn *conn;
	ssh_channel channel;
	struct ssh_channel_callbacks_struct cb;
	char *command;
	struct buf in;
	struct reply *reply; /* NULL: not yet */
	size_t off, err_off;
	int64_t due_us; /* 0: it does not think */
	bool eof, closed, followed;
	struct kept *kept; /* a shell that is asked again and again; NULL: it is none */
	bool thinking;     /* in the list of those */
	bool filtering;    /* counted as one */
	struct chan *next;
	struct chan *next_due; /* in the order of due_us: all think equally long */
};

struct conn {
	struct server *server;
	enum responder_kind kind;
	ssh_session session;
	ssh_event event;
	int fd; /* ours; libssh closes its own when it likes */
	uint32_t armed;
	struct ssh_server_callbacks_struct cb;
	struct chan *channels;
	bool more; /* it is in the list of channels that can go on at once */
	struct conn *next_more;
	unsigned short asked[QUESTIONS_MOST];
};

struct server {
	int epoll, listener, life;
	ssh_bind bind;
	ssh_key user;
	struct answers *answers;
	int64_t think_us;
	struct responder_counts *counts;
	struct conn *more;
	struct chan *due_first, *due_last;
};

/* ---- callbacks: they only take notes ---- */

static int on_pubkey(
	ssh_session session, const char *user, struct ssh_key_struct *key, char state, void *arg)
{
	struct conn *c = arg;

	(void)session;
	(void)state; /* libssh has verified the signature where there is one */
	return str_eq(user, RESPONDER_USER) &&
			       ssh_key_cmp(key, c->server->user, SSH_KEY_CMP_PUBLIC) == 0
		       ? SSH_AUTH_SUCCESS
		       : SSH_AUTH_DENIED;
}

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
	int is_stderr, void *arg)
{
	struct chan *ch = arg;

	(void)session;
	(void)channel;
	if (!is_stderr)
		(void)buf_add(&ch->in, data, len);
	return (int)len;
}

static void on_eof(ssh_session session, ssh_channel channel, void *arg)
{
	(void)session;
	(void)channel;
	((struct chan *)arg)->eof = true;
}

static void on_close(ssh_session session, ssh_channel channel, void *arg)
{
	(void)session;
	(void)channel;
	((struct chan *)arg)->closed = true;
}

static int on_exec(ssh_session session, ssh_channel channel, const char *command, void *arg)
{
	struct chan *ch = arg;

	(void)session;
	(void)channel;
	if (ch->command)
		return 1;
	ch->command = mem_strdup(command);
	return 0;
}

static int on_pty(ssh_session session, ssh_channel channel, const char *term, int width, int height,
	int pxwidth, int pxheight, void *arg)
{
	(void)session, (void)channel, (void)term, (void)width, (void)height, (void)pxwidth;
	(void)pxheight, (void)arg;
	return 0;
}

static ssh_channel on_open(ssh_session session, void *arg)
{
	struct conn *c = arg;
	ssh_channel channel = ssh_channel_new(session);
	struct chan *ch;

	if (!channel)
		return NULL;
	ch = mem_calloc(1, sizeof(*ch));
	ch->conn = c;
	ch->channel = channel;
	buf_init(&ch->in, INPUT_CAP);
	ch->cb.userdata = ch;
	ch->cb.channel_data_function = on_data;
	ch->cb.channel_eof_function = on_eof;
	ch->cb.channel_close_function = on_close;
	ch->cb.channel_exec_request_function = on_exec;
	ch->cb.channel_pty_request_function = on_pty;
	ssh_callbacks_init(&ch->cb);
	(void)ssh_set_channel_callbacks(channel, &ch->cb);
	ch->next = c->channels;
	c->channels = ch;
	return channel;
}

/* ---- answers ---- */

static bool pending(const struct chan *ch)
{
	return ch->reply && (ch->off < ch->reply->len || ch->err_off < ch->reply->err_len);
}

static void think(struct chan *ch)
{
	struct server *s = ch->conn->server;

	ch->due_us = clock_mono(&clock_system) + s->think_us;
	ch->thinking = true;
	if (s->due_last)
		s->due_last->next_due = ch;
	else
		s->due_first = ch;
	s->due_last = ch;
}

static void think_no_more(struct chan *ch)
{
	struct server *s = ch->conn->server;
	struct chan **at = &s->due_first, *last = NULL;

	while (*at && *at != ch) {
		last = *at;
		at = &last->next_due;
	}
	if (!*at)
		return;
	*at = ch->next_due;
	if (s->due_last == ch)
		s->due_last = last;
}

static void count_kept(struct chan *ch)
{
	struct responder_counts *n = ch->conn->server->counts;

	n->questions++;
	n->filtered += ch->reply->differs;
	n->filtering += (uint64_t)ch->reply->differs - (uint64_t)ch->filtering;
	ch->filtering = ch->reply->differs;
}

/* The script's answer, as the shell prints it. */
static void answer_script(struct chan *ch, const char *script, bool beside)
{
	struct conn *c = ch->conn;
	struct answers *a = c->server->answers;
	int q = answers_question(a, c->kind, "sh -s", script);

	if (q < 0) {
		ch->closed = true;
		return;
	}
	if (beside)
		ch->reply = kept_frame_beside(ch->kept, answers_get(a, q, c->asked[q]++));
	else
		ch->reply = kept_frame(ch->kept, answers_get(a, q, c->asked[q]++));
	if (beside)
		c->server->counts->beside++;
	else
		count_kept(ch);
}

static void take_line(struct chan *ch)
{
	struct kept_line line;

	if (!ch->kept)
		ch->kept = kept_new();
	if (!kept_next(ch->kept, &ch->in, &line))
		return;
	if (line.script)
		answer_script(ch, line.script, line.beside);
	else
		ch->reply = kept_frame(ch->kept, NULL);
}

/* The next question of a kept shell, when the last was answered. */
static void answer_kept(struct chan *ch)
{
	struct server *s = ch->conn->server;

	if (ch->reply) {
		reply_drop(ch->reply);
		ch->reply = NULL;
		ch->off = ch->err_off = 0;
		ch->due_us = 0;
	}
	if (ch->eof || !ch->in.len) {
		ch->closed = ch->eof;
		return;
	}
	if (s->think_us && !ch->due_us)
		think(ch);
	if (ch->due_us > clock_mono(&clock_system))
		return;
	take_line(ch);
}

static void answer(struct chan *ch)
{
	struct conn *c = ch->conn;
	struct answers *a = c->server->answers;
	int q;

	if (ch->command && !pending(ch) && (ch->kept || kept_begins(ch->command, &ch->in))) {
		answer_kept(ch);
		return;
	}
	if (ch->reply || !ch->command || ch->followed)
		return;
	if (answers_reads_input(c->kind, ch->command) && !ch->eof)
		return;
	ch->followed = answers_followed(ch->command);
	if (ch->followed)
		return;
	if (c->server->think_us && !ch->due_us)
		think(ch);
	if (ch->due_us > clock_mono(&clock_system))
		return;
	q = answers_question(a, c->kind, ch->command, ch->in.data ? ch->in.data : "");
	if (q < 0) {
		ch->closed = true;
		return;
	}
	ch->reply = answers_get(a, q, c->asked[q]++);
	c->server->counts->apart++;
}

/* One piece within the peer's window. */
static bool write_some(struct chan *ch)
{
	struct reply *r = ch->reply;
	uint32_t n = ssh_channel_window_size(ch->channel);
	size_t left = r->len - ch->off;
	int rc;

	n = n > WRITE_CHUNK ? WRITE_CHUNK : n;
	if (!n || ssh_get_poll_flags(ch->conn->session) & SSH_WRITE_PENDING)
		return false;
	if (left) {
		rc = ssh_channel_write(
			ch->channel, r->out + ch->off, left < n ? (uint32_t)left : n);
		ch->off += rc > 0 ? (size_t)rc : 0;
		ch->conn->server->counts->bytes += rc > 0 ? (uint64_t)rc : 0;
		return rc > 0;
	}
	left = r->err_len - ch->err_off;
	rc = ssh_channel_write_stderr(
		ch->channel, r->err + ch->err_off, left < n ? (uint32_t)left : n);
	ch->err_off += rc > 0 ? (size_t)rc : 0;
	ch->conn->server->counts->bytes += rc > 0 ? (uint64_t)rc : 0;
	return rc > 0;
}

static void chan_free(struct chan *ch)
{
	if (ch->thinking)
		think_no_more(ch);
	ch->conn->server->counts->filtering -= ch->filtering;
	ssh_remove_channel_callbacks(ch->channel, &ch->cb);
	ssh_channel_free(ch->channel);
	if (ch->reply)
		reply_drop(ch->reply);
	kept_free(ch->kept);
	buf_free(&ch->in);
	free(ch->command);
	free(ch);
}

static void finish(struct chan *ch)
{
	(void)ssh_channel_request_send_exit_status(ch->channel, ch->reply->status);
	(void)ssh_channel_send_eof(ch->channel);
	(void)ssh_channel_close(ch->channel);
}

static bool pump(struct conn *c)
{
	bool moved = false;

	for (struct chan **at = &c->channels, *ch; (ch = *at);) {
		if (!ch->closed)
			answer(ch);
		if (!ch->closed && pending(ch) && write_some(ch))
			moved = true;
		if (!ch->closed && (!ch->reply || ch->kept || pending(ch))) {
			at = &ch->next;
			continue;
		}
		if (!ch->closed)
			finish(ch);
		/* finish() may have called back; new channels come in front of the list. */
		while (*at != ch)
			at = &(*at)->next;
		*at = ch->next;
		chan_free(ch);
		moved = true;
	}
	return moved;
}

/* ---- connections ---- */

static void more_remove(struct conn *c)
{
	struct conn **at = &c->server->more;

	while (*at && *at != c)
		at = &(*at)->next_more;
	if (*at)
		*at = c->next_more;
	c->more = false;
}

static void conn_free(struct conn *c)
{
	struct chan *ch;

	if (c->more)
		more_remove(c);
	while ((ch = c->channels)) {
		c->channels = ch->next;
		chan_free(ch);
	}
	if (c->event) {
		(void)ssh_event_remove_session(c->event, c->session);
		ssh_event_free(c->event);
	}
	ssh_disconnect(c->session);
	ssh_free(c->session);
	(void)close(c->fd);
	c->server->counts->sessions--;
	free(c);
}

static void arm(struct conn *c)
{
	uint32_t events = EPOLLIN;

	if (ssh_get_poll_flags(c->session) & SSH_WRITE_PENDING)
		events |= EPOLLOUT;
	if (events == c->armed)
		return;
	(void)epoll_ctl(c->server->epoll, EPOLL_CTL_MOD, c->fd,
		&(struct epoll_event){.events = events, .data = {.ptr = c}});
	c->armed = events;
}

static bool is_over(const struct conn *c)
{
	return ssh_get_status(c->session) & (SSH_CLOSED | SSH_CLOSED_ERROR);
}

static void go_on(struct conn *c)
{
	bool more = true;

	for (int i = 0; i < TURNS && more; i++) {
		int rc = ssh_event_dopoll(c->event, 0);

		more = pump(c);
		more = !is_over(c) && (rc == SSH_OK || more);
	}
	if (is_over(c)) {
		conn_free(c);
		return;
	}
	arm(c);
	/* The descriptor does not announce again the rest that libssh has read. */
	if (more && !c->more) {
		c->more = true;
		c->next_more = c->server->more;
		c->server->more = c;
	}
}

static enum responder_kind kind_of(int fd)
{
	struct sockaddr_in a = {0};
	socklen_t size = sizeof(a);

	(void)getsockname(fd, (struct sockaddr *)&a, &size);
	return (ntohl(a.sin_addr.s_addr) >> 16 & 0xff) == RESPONDER_NET + RESPONDER_SWITCH
		       ? RESPONDER_SWITCH
		       : RESPONDER_HOST;
}

static void adopt(struct server *s, int fd)
{
	struct conn *c = mem_calloc(1, sizeof(*c));
	int theirs = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	c->server = s;
	s->counts->sessions++;
	c->fd = fd;
	c->kind = kind_of(fd);
	c->session = ssh_new();
	c->armed = EPOLLIN;
	if (theirs < 0 || ssh_bind_accept_fd(s->bind, c->session, theirs) != SSH_OK) {
		conn_free(c);
		return;
	}
	ssh_set_blocking(c->session, 0);
	c->cb.userdata = c;
	c->cb.auth_pubkey_function = on_pubkey;
	c->cb.channel_open_request_session_function = on_open;
	ssh_callbacks_init(&c->cb);
	(void)ssh_set_server_callbacks(c->session, &c->cb);
	ssh_set_auth_methods(c->session, SSH_AUTH_METHOD_PUBLICKEY);
	c->event = ssh_event_new();
	(void)ssh_handle_key_exchange(c->session);
	(void)ssh_event_add_session(c->event, c->session);
	(void)epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd,
		&(struct epoll_event){.events = EPOLLIN, .data = {.ptr = c}});
	go_on(c);
}

/* ---- the loop ---- */

static void accept_all(struct server *s)
{
	int fd;

	while ((fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		adopt(s, fd);
}

static int wait_ms(const struct server *s)
{
	int64_t left;

	if (s->more)
		return 0;
	if (!s->due_first)
		return -1;
	left = s->due_first->due_us - clock_mono(&clock_system);
	return left > 0 ? (int)(left / CLOCK_MSEC) + 1 : 0;
}

static void serve_due(struct server *s)
{
	int64_t now = clock_mono(&clock_system);
	struct chan *ch;

	while ((ch = s->due_first) && ch->due_us <= now) {
		s->due_first = ch->next_due;
		if (!s->due_first)
			s->due_last = NULL;
		ch->next_due = NULL;
		ch->thinking = false;
		go_on(ch->conn);
	}
}

/* Within a round only the connection that an event is of can end. False: life has ended. */
static bool turn(struct server *s)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(s->epoll, events, EVENTS, wait_ms(s));
	struct conn *more, *next;

	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == &s->listener)
			accept_all(s);
		else if (events[i].data.ptr == &s->life)
			return false;
		else
			go_on(events[i].data.ptr);
	}
	more = s->more;
	s->more = NULL;
	for (; more; more = next) {
		next = more->next_more;
		more->more = false;
		go_on(more);
	}
	serve_due(s);
	return true;
}

static bool watch(struct server *s, int fd, void *who)
{
	struct epoll_event e = {.events = EPOLLIN, .data = {.ptr = who}};

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

/* The process's end frees the connections. */
bool serve(const struct serve_opts *o)
{
	struct server s = {.epoll = epoll_create1(EPOLL_CLOEXEC),
		.listener = o->listener,
		.life = o->life,
		.bind = ssh_bind_new(),
		.user = o->user,
		.answers = o->answers,
		.think_us = o->think_us,
		.counts = o->counts};
	bool off = false;

	(void)signal(SIGPIPE, SIG_IGN);
	if (s.epoll < 0 || !watch(&s, s.listener, &s.listener) || !watch(&s, s.life, &s.life) ||
		ssh_bind_options_set(s.bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &off) != SSH_OK ||
		ssh_bind_options_set(s.bind, SSH_BIND_OPTIONS_IMPORT_KEY, o->host) != SSH_OK)
		return false;
	while (turn(&s))
		;
	return true;
}
