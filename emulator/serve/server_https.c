/* SPDX-License-Identifier: Apache-2.0 */
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/server_internal.h"

/*
 * HTTPS for the devices that have it. There is one libmicrohttpd daemon per TLS identity: the right
 * one, and the one of the fault wrong-cert. The loop drives both through their epoll
 * descriptors.
 */

#define BODY_CAP         (1U << 20)
#define OUTPUT_CAP       (64U << 20)
#define IDLE_TIMEOUT_S   120U
#define CONNECTIONS_MOST 8192U
#define FLOOD_BLOCK      32768U

struct https_conn {
	struct sim_device *device;
	int fd;
	bool wrong_cert; /* the identity that was presented */
	struct https_conn *prev, *next;
};

struct https_req {
	struct https_server *server;
	struct MHD_Connection *connection;
	struct sim_device *device;
	struct buf body;
	int64_t due;
	bool waited, suspended;
	bool mute;                     /* fault write-hang: it is never answered */
	char user[64];                 /* of HTTP Basic; "": a session, or none */
	struct https_req *prev, *next; /* while suspended */
};

struct daemon {
	struct https_server *server;
	struct MHD_Daemon *mhd;
	struct watch *watch;
};

struct https_server {
	struct server *server;
	struct daemon right, wrong;
	struct https_conn *conns;
	struct https_req *waiting;
	uv_timer_t *timer; /* timeout that libmicrohttpd requests; frees itself */
	bool closing;
};

/* ---- connections ---- */

static void on_connection(void *arg, struct MHD_Connection *connection, void **ctx,
	enum MHD_ConnectionNotificationCode toe)
{
	struct https_server *s = arg;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct sockaddr_in sin = {0};
	socklen_t len = sizeof(sin);
	struct https_conn *c = *ctx;

	if (toe == MHD_CONNECTION_NOTIFY_STARTED) {
		c = mem_calloc(1, sizeof(*c));
		c->fd = info->connect_fd;
		if (getsockname(c->fd, (struct sockaddr *)&sin, &len) == 0)
			c->device = site_device(s->server->o.site, sin.sin_addr);
		c->wrong_cert = c->device && c->device->wrong_cert;
		c->next = s->conns;
		if (s->conns)
			s->conns->prev = c;
		s->conns = c;
		*ctx = c;
		return;
	}
	if (!c)
		return;
	if (c->prev)
		c->prev->next = c->next;
	else
		s->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	free(c);
	*ctx = NULL;
}

/* ---- requests ---- */

static void unlink_waiting(struct https_req *r)
{
	if (!r->suspended)
		return;
	r->suspended = false;
	if (r->prev)
		r->prev->next = r->next;
	else
		r->server->waiting = r->next;
	if (r->next)
		r->next->prev = r->prev;
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **ctx,
	enum MHD_RequestTerminationCode toe)
{
	struct https_req *r = *ctx;

	(void)arg;
	(void)connection;
	(void)toe;
	if (!r)
		return;
	unlink_waiting(r);
	buf_free(&r->body);
	free(r);
	*ctx = NULL;
}

static void suspend_request(struct https_req *r)
{
	struct https_server *s = r->server;

	MHD_suspend_connection(r->connection);
	r->suspended = true;
	r->prev = NULL;
	r->next = s->waiting;
	if (s->waiting)
		s->waiting->prev = r;
	s->waiting = r;
}

static void read_basic(struct https_req *r, struct http_request *q)
{
	char *password = NULL;
	char *user = MHD_basic_auth_get_username_password(r->connection, &password);

	q->basic_given = user != NULL;
	(void)str_copy(r->user, sizeof(r->user), user ? user : "");
	q->basic_ok =
		personality_login(r->server->server->o.personality, r->device, user, password);
	MHD_free(user);
	MHD_free(password);
}

static enum MHD_Result add_argument(
	void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct buf *b = arg;

	(void)kind;
	return buf_addf(b, "%s%s%s%s", b->len ? "&" : "", key, value ? "=" : "", value ? value : "")
		       ? MHD_YES
		       : MHD_NO;
}

/* Passes the request to the device; repeats it without its session if that has expired. */
static enum sim_fate pass_request(struct https_req *r, struct http_request *q,
	const struct personality *p, struct http_reply *reply)
{
	struct server *s = r->server->server;
	const struct http_reply fresh = *reply;
	struct sim_request done;

	sim_request_begin(s->o.sim, r->device, true);
	p->http(s->o.personality, r->device, q, reply);
	done = sim_request_end(s->o.sim);
	if (done.fate == SIM_FATE_EXPIRED) {
		*reply = fresh;
		buf_reset(reply->out);
		q->cookie = "";
		q->basic_given = q->basic_ok = false;
		p->http(s->o.personality, r->device, q, reply);
	}
	command_log_http(s->log, r->device, r->user, q, reply->status, &done);
	return done.fate;
}

/* Lets the personality answer. query keeps the text that the request points to. */
static enum sim_fate ask_device(
	struct https_req *r, const char *method, const char *path, struct http_reply *reply)
{
	const struct personality *p = personality_for(r->device->dialect);
	struct http_request q = {.method = method, .path = path, .len = r->body.len};
	enum sim_fate fate;
	struct buf query;

	if (!p || !p->http) {
		reply->status = MHD_HTTP_NOT_FOUND;
		return SIM_FATE_NONE;
	}
	buf_init(&query, BODY_CAP);
	(void)MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, add_argument, &query);
	q.query = query.data ? query.data : "";
	q.body = r->body.data ? r->body.data : "";
	q.cookie =
		MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_COOKIE);
	q.cookie = q.cookie ? q.cookie : "";
	read_basic(r, &q);
	fate = pass_request(r, &q, p, reply);
	buf_free(&query);
	return fate;
}

static ssize_t flood_block(void *arg, uint64_t pos, char *to, size_t most)
{
	(void)arg;
	(void)pos;
	memset(to, 'x', most);
	return (ssize_t)most;
}

static struct MHD_Response *from_buf(struct buf *b)
{
	size_t len;
	char *data = buf_take(b, &len);

	return MHD_create_response_from_buffer(len, data, MHD_RESPMEM_MUST_FREE);
}

/* Ends the connection at once, or leaves its client waiting. */
static enum MHD_Result leave_unanswered(
	struct https_req *r, struct MHD_Response *response, enum sim_fate fate)
{
	MHD_destroy_response(response);
	server_answered(r->server->server);
	if (fate == SIM_FATE_CUT)
		return MHD_NO;
	r->mute = true;
	suspend_request(r);
	return MHD_YES;
}

static enum MHD_Result answer_request(struct https_req *r, const char *method, const char *path)
{
	struct server *s = r->server->server;
	struct http_reply reply = {.status = MHD_HTTP_OK, .type = "text/plain"};
	enum sim_fate fate = SIM_FATE_NONE;
	struct MHD_Response *response;
	enum MHD_Result rc;
	struct buf out;

	server_present(s, r->device);
	buf_init(&out, OUTPUT_CAP);
	reply.out = &out;
	if (r->device->flood_bytes) {
		response = MHD_create_response_from_callback(
			r->device->flood_bytes, FLOOD_BLOCK, flood_block, NULL, NULL);
	} else if (r->device->garbage) {
		server_garbage(&out, (uint64_t)sim_now(s->o.sim));
		response = from_buf(&out);
	} else {
		fate = ask_device(r, method, path, &reply);
		server_mutate(s, &out);
		response = from_buf(&out);
	}
	buf_free(&out);
	if (!response)
		return MHD_NO;
	if (fate == SIM_FATE_CUT || fate == SIM_FATE_HANG)
		return leave_unanswered(r, response, fate);
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type);
	if (reply.cookie[0])
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, reply.cookie);
	rc = reply.status == MHD_HTTP_UNAUTHORIZED && reply.realm
		     ? MHD_queue_basic_auth_fail_response(r->connection, reply.realm, response)
		     : MHD_queue_response(r->connection, reply.status, response);
	MHD_destroy_response(response);
	server_answered(s);
	return rc;
}

static struct https_req *new_request(struct https_server *s, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	const struct https_conn *c = info ? info->socket_context : NULL;
	struct https_req *r;

	if (!c || !c->device)
		return NULL;
	r = mem_calloc(1, sizeof(*r));
	r->server = s;
	r->connection = connection;
	r->device = c->device;
	buf_init(&r->body, BODY_CAP);
	return r;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **ctx)
{
	struct https_server *s = arg;
	struct https_req *r = *ctx;

	(void)version;
	if (!r) {
		*ctx = r = new_request(s, connection);
		return r ? MHD_YES : MHD_NO;
	}
	if (*upload_size) {
		bool fits = buf_add(&r->body, upload, *upload_size);

		*upload_size = 0;
		return fits ? MHD_YES : MHD_NO;
	}
	if (r->mute)
		return MHD_NO;
	if (r->device->answer_delay_us && !r->waited) {
		r->waited = true;
		r->due = server_mono(s->server) + r->device->answer_delay_us;
	}
	if (r->device->hung || r->due > server_mono(s->server)) {
		suspend_request(r);
		server_arm(s->server);
		return MHD_YES;
	}
	return answer_request(r, method, path);
}

/* ---- the loop ---- */

static void run_daemons(struct https_server *s);

static void on_timeout(uv_timer_t *t)
{
	run_daemons(t->data);
}

/*
 * Sets the timer for libmicrohttpd's own timeouts: idle connections, and TLS records that it has
 * already read. At least a millisecond: libuv runs timers that are due until none is, and reads no
 * other connection meanwhile.
 */
static void arm_timer(struct https_server *s)
{
	MHD_UNSIGNED_LONG_LONG ms = 0, least = 0;
	bool any = false;

	for (int i = 0; i < 2; i++) {
		if (MHD_get_timeout((i ? &s->wrong : &s->right)->mhd, &ms) != MHD_YES)
			continue;
		least = any && least < ms ? least : ms;
		any = true;
	}
	(void)uv_timer_stop(s->timer);
	if (any)
		(void)uv_timer_start(s->timer, on_timeout, least ? least : 1, 0);
}

static void run_daemons(struct https_server *s)
{
	if (s->closing)
		return;
	(void)MHD_run(s->right.mhd);
	(void)MHD_run(s->wrong.mhd);
	arm_timer(s);
}

static void on_epoll(void *arg, int events)
{
	struct daemon *d = arg;
	struct server *s = d->server->server;

	(void)events;
	server_advance(s);
	run_daemons(d->server);
}

void https_server_adopt(struct https_server *s, struct sim_device *d, int fd)
{
	struct daemon *daemon = d->wrong_cert ? &s->wrong : &s->right;
	struct sockaddr_in sin = {0};
	socklen_t len = sizeof(sin);

	/* libmicrohttpd closes the descriptor in every case. */
	if (getpeername(fd, (struct sockaddr *)&sin, &len) != 0) {
		(void)close(fd);
		return;
	}
	(void)MHD_add_connection(daemon->mhd, fd, (struct sockaddr *)&sin, len);
	run_daemons(s);
}

void https_server_resume(struct https_server *s)
{
	int64_t now = server_mono(s->server);

	for (struct https_conn *c = s->conns; c; c = c->next)
		if (c->device && (c->device->unreachable || c->wrong_cert != c->device->wrong_cert))
			(void)shutdown(c->fd, SHUT_RDWR);
	for (struct https_req *r = s->waiting, *next; r; r = next) {
		next = r->next;
		/* A connection that was shut down must be resumed before it can be freed. */
		if (!r->device->unreachable && (r->mute || r->device->hung || r->due > now))
			continue;
		unlink_waiting(r);
		MHD_resume_connection(r->connection);
	}
	run_daemons(s);
}

int64_t https_server_due(const struct https_server *s)
{
	int64_t due = INT64_MAX;

	for (const struct https_req *r = s->waiting; r; r = r->next)
		if (!r->mute && !r->device->hung && r->due < due)
			due = r->due;
	return due;
}

size_t https_server_connections(const struct https_server *s)
{
	size_t n = 0;

	for (const struct https_conn *c = s->conns; c; c = c->next)
		n++;
	return n;
}

static bool start_daemon(struct https_server *s, struct daemon *d, const char *cert,
	const char *key, struct err *err)
{
	const union MHD_DaemonInfo *info;

	d->server = s;
	d->mhd = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_TLS | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME,
		0, NULL, NULL, on_request, s, MHD_OPTION_HTTPS_MEM_CERT, cert,
		MHD_OPTION_HTTPS_MEM_KEY, key, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_CONNECTION_TIMEOUT,
		IDLE_TIMEOUT_S, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST, MHD_OPTION_END);
	if (!d->mhd)
		return err_set(err, ERR_INTERNAL, "libmicrohttpd", "cannot start");
	info = MHD_get_daemon_info(d->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	/* A copy: the daemon closes its own. */
	d->watch = watch_new(s->server->o.loop, dup(info->epoll_fd), UV_READABLE, on_epoll, d);
	return d->watch || err_set(err, ERR_INTERNAL, "libuv", "cannot watch an epoll descriptor");
}

static void on_timer_closed(uv_handle_t *h)
{
	free(h);
}

struct https_server *https_server_new(struct server *server, struct err *err)
{
	struct https_server *s = mem_calloc(1, sizeof(*s));
	const struct site *site = server->o.site;

	s->server = server;
	s->timer = mem_calloc(1, sizeof(*s->timer));
	(void)uv_timer_init(server->o.loop, s->timer);
	s->timer->data = s;
	if (start_daemon(s, &s->right, site->cert, site->key, err) &&
		start_daemon(s, &s->wrong, site->wrong_cert, site->wrong_cert_key, err))
		return s;
	https_server_free(s);
	return NULL;
}

void https_server_free(struct https_server *s)
{
	if (!s)
		return;
	s->closing = true;
	while (s->waiting) {
		struct https_req *r = s->waiting;

		unlink_waiting(r);
		MHD_resume_connection(r->connection);
	}
	watch_free(s->right.watch);
	watch_free(s->wrong.watch);
	if (s->right.mhd)
		MHD_stop_daemon(s->right.mhd);
	if (s->wrong.mhd)
		MHD_stop_daemon(s->wrong.mhd);
	uv_close((uv_handle_t *)s->timer, on_timer_closed);
	free(s);
}
