/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/contract/reads.h"
#include "backends/ssh/session_private.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * One persistent libssh session for each device, driven by the shard's loop. A connected socket
 * belongs to libssh, which closes it at any time. So its descriptor is never stored here
 * (session_epoll.c).
 */

/*
 * Slow tiers and silent logs leave a link unused for minutes, and firewalls on the path may then
 * forget the connection. RFC 5382 asks for two hours; NAT gateways of clouds drop it after four to
 * six minutes.
 */
#define KEEPALIVE_US (60 * CLOCK_SEC)
/* TCP_USER_TIMEOUT: after this long without an acknowledgement the peer is dead. */
#define DEAD_AFTER_MS 60000u

static void start_tcp(struct ssh_link *l);

int64_t ssh_now_us(const struct ssh_link *l)
{
	(void)l;
	return clock_mono(&clock_system);
}

const char *ssh_link_reason(const struct ssh_link *l)
{
	const char *text = l->session ? ssh_get_error(l->session) : "";

	return text && *text ? text : "connection lost";
}

/* ---- ending ---- */

static void on_poll_closed(uv_handle_t *h)
{
	free(h);
}

static void socket_close(struct ssh_link *l)
{
	if (l->poll) {
		uv_close((uv_handle_t *)l->poll, on_poll_closed); /* also stops it */
		l->poll = NULL;
	}
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

static void connection_close(struct ssh_link *l)
{
	lookup_cancel(l->lookup);
	l->lookup = NULL;
	if (l->event && l->session)
		(void)ssh_event_remove_session(l->event, l->session);
	ssh_event_free(l->event);
	l->event = NULL;
	ssh_watch_end(l);
	ssh_auth_reset(l);
	ssh_hosts_done(l);
	ssh_config_done(l);
	ssh_shell_reset(l);
	if (l->bastion)
		ssh_jump_lost(l->bastion);
	/* Not ssh_disconnect(): it forgets the descriptor it was given without closing it. */
	ssh_free(l->session);
	l->session = NULL;
	socket_close(l);
	ssh_jump_leave(&l->rider);
	l->stage = STAGE_DOWN;
	l->writing = false;
	uv_timer_stop(&l->timer);
}

static void err_via(struct err *e, const char *bastion)
{
	size_t n = strlen(e->text);

	(void)str_printf(e->text + n, sizeof(e->text) - n, " (through bastion %s)", bastion);
}

void ssh_link_fail(struct ssh_link *l, const struct err *why)
{
	struct err copy = *why;

	if (l->rider.via[0] && !strstr(copy.text, "bastion"))
		err_via(&copy, l->rider.via);
	connection_close(l);
	ssh_asks_fail(l, &copy);
	if (!l->closing && l->events.down)
		l->events.down(l->events.ctx, &copy);
}

static void on_timer_closed(uv_handle_t *h)
{
	struct ssh_link *l = h->data;

	vec_free(&l->known);
	free(l->jump);
	free(l);
}

static void link_close(struct device_link *base)
{
	struct ssh_link *l = (struct ssh_link *)base;

	if (l->closing)
		return;
	l->closing = true;
	ssh_asks_signal(l);
	connection_close(l);
	ssh_asks_drop(l);
	uv_close((uv_handle_t *)&l->timer, on_timer_closed);
}

/* ---- TCP ---- */

static bool start_session(struct ssh_link *l)
{
	int theirs;

	/* Without a descriptor libssh would see no known host and request any type of key. */
	if (!ssh_hosts_prepare(l))
		return false;
	/* This duplicate stays ours until libssh surely owns the socket. */
	theirs = fcntl(l->fd, F_DUPFD_CLOEXEC, 3);
	if (theirs < 0)
		return false;
	l->event = ssh_event_new();
	if (!l->event || ssh_options_set(l->session, SSH_OPTIONS_FD, &theirs) != SSH_OK) {
		(void)close(theirs);
		return false;
	}
	memset(&l->wire, 0, sizeof(l->wire));
	ssh_set_counters(l->session, &l->wire, NULL);
	l->stage = STAGE_KEX;
	l->unblocked = false;
	/* The first call hands the descriptor over; only then can the session join its event. */
	(void)ssh_connect(l->session);
	if (ssh_event_add_session(l->event, l->session) != SSH_OK || !ssh_watch_begin(l))
		return false;
	socket_close(l);
	return true;
}

/*
 * ConnectTimeout limits the network part only: a slow switch has the usual time for its handshake.
 */
static void allow_handshake(struct ssh_link *l)
{
	if (l->connect_us >= SSH_CONNECT_US)
		return;
	l->connect_deadline_us += SSH_CONNECT_US - l->connect_us;
	l->connect_us = SSH_CONNECT_US;
}

static void begin_session(struct ssh_link *l)
{
	struct err err;
	int why;

	allow_handshake(l);
	if (start_session(l)) {
		ssh_link_pump(l);
		return;
	}
	why = errno;
	if (!descriptors_ran_out(why, l->device->name, &err))
		err_system(
			&err, ERR_IO, l->device->name, "no SSH session on a new connection", why);
	ssh_link_fail(l, &err);
}

/* ---- through a bastion ---- */

static struct ssh_link *link_of(const struct ssh_rider *r)
{
	return (struct ssh_link *)(void *)((char *)(uintptr_t)r - offsetof(struct ssh_link, rider));
}

static void rider_asked(struct ssh_rider *r)
{
	struct ssh_link *l = link_of(r);

	l->connect_deadline_us = ssh_now_us(l) + l->connect_us;
	ssh_link_arm(l);
}

static void rider_take(struct ssh_rider *r, int fd)
{
	struct ssh_link *l = link_of(r);

	l->fd = fd;
	begin_session(l);
}

static void rider_fail(struct ssh_rider *r, const struct err *why)
{
	ssh_link_fail(link_of(r), why);
}

static bool rider_waits(const struct ssh_rider *r)
{
	const struct ssh_link *l = link_of(r);

	return !l->closing && l->stage == STAGE_DOWN;
}

static void rider_again(struct ssh_rider *r)
{
	struct ssh_link *l = link_of(r);

	if (l->events.again)
		l->events.again(l->events.ctx);
}

static const struct rider_ops rider_ops = {
	.asked = rider_asked,
	.take = rider_take,
	.fail = rider_fail,
	.waits = rider_waits,
	.again = rider_again,
};

static void go_by_bastion(struct ssh_link *l)
{
	l->stage = STAGE_JUMP;
	l->connect_deadline_us = INT64_MAX; /* until the bastion is asked to connect */
	l->rider.device = l->device;
	l->rider.host = l->host;
	l->rider.port = l->port;
	l->rider.jump = l->jump;
	l->rider.hops = l->hops;
	ssh_jump_connect(l->shard, &l->rider);
}

static void on_tcp(uv_poll_t *h, int status, int events)
{
	struct ssh_link *l = h->data;
	socklen_t size = sizeof(int);
	int code = 0;

	(void)events;
	/* libuv reports every error as EBADF, so the error is read from the socket. */
	(void)getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &code, &size);
	if (!code && status < 0)
		code = -status;
	if (code) {
		err_set(&l->last, ERR_UNREACHABLE, l->device->name, "%s port %u: %s", l->host,
			l->port, uv_strerror(-code));
		socket_close(l);
		start_tcp(l);
		return;
	}
	begin_session(l);
}

static int tcp_socket(const struct ssh_link *l, unsigned i)
{
	const struct resolved *r = &l->addresses;
	int fd = socket(r->at[i].ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	unsigned dead_after = DEAD_AFTER_MS;
	int one = 1;

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead_after, sizeof(dead_after));
	if (ssh_config_bind(l, fd, r->at[i].ss_family) &&
		(connect(fd, (const struct sockaddr *)&r->at[i], r->len[i]) == 0 ||
			errno == EINPROGRESS))
		return fd;
	one = errno;
	(void)close(fd);
	errno = one;
	return -1;
}

static const char *role_of(const struct ssh_link *l)
{
	return l->bastion ? "bastion" : "device";
}

/* Tries the next address of the name, or fails. */
static void start_tcp(struct ssh_link *l)
{
	unsigned i;
	int why = 0;

	l->stage = STAGE_TCP;
	while (l->next_address < l->addresses.n) {
		i = l->next_address++;
		l->fd = tcp_socket(l, i);
		if (l->fd >= 0) {
			l->poll = mem_calloc(1, sizeof(*l->poll));
			l->poll->data = l;
			(void)uv_poll_init(l->shard->loop, l->poll, l->fd);
			(void)uv_poll_start(l->poll, UV_WRITABLE, on_tcp);
			ssh_link_arm(l);
			return;
		}
		why = errno;
		err_set(&l->last, ERR_UNREACHABLE, l->device->name, "%s port %u: %s", l->host,
			l->port, strerror(why));
	}
	if (!descriptors_ran_out(why, l->device->name, &l->last))
		err_cure(&l->last, "check address and port of the %s, and that its SSH server runs",
			role_of(l));
	ssh_link_fail(l, &l->last);
}

static void on_resolved(void *ctx, const struct resolved *r)
{
	struct ssh_link *l = ctx;
	struct err err;

	l->lookup = NULL;
	l->addresses = *r;
	if (r->n) {
		start_tcp(l);
		return;
	}
	err_set(&err, ERR_UNREACHABLE, l->device->name, "the name %s does not resolve: %s", l->host,
		r->error);
	if (ssh_config_family(l) != AF_UNSPEC)
		err_cure(&err, "AddressFamily any in ssh_config, if it has addresses of the other");
	else if (l->said && l->said->name_is_short)
		err_cure(&err,
			"HostName %%h.DOMAIN in ssh_config: railtop does not try the domains of "
			"CanonicalizeHostname");
	else
		err_cure(&err, "add %s to the %s, or the name to DNS or /etc/hosts",
			l->bastion || !l->device->source[0] ? "HostName in ssh_config" : "address:",
			role_of(l));
	ssh_link_fail(l, &err);
}

/* ---- the transport ---- */

static void link_connect(struct device_link *base)
{
	struct ssh_link *l = (struct ssh_link *)base;
	struct err err = {0};

	if (l->stage != STAGE_DOWN || l->closing)
		return;
	ssh_jump_leave(&l->rider);
	l->stage = STAGE_RESOLVE;
	l->rider.via[0] = '\0';
	l->next_address = 0;
	l->discarded = l->forgiven = 0;
	l->parallel = l->limited && l->proven ? l->proven : SSH_PARALLEL;
	l->hold_until_us = 0;
	ssh_shell_reset(l);
	l->connect_us = SSH_CONNECT_US;
	if (!ssh_config_apply(l, &err)) {
		ssh_link_fail(l, &err);
		return;
	}
	l->connect_deadline_us = ssh_now_us(l) + l->connect_us;
	if (l->jump) {
		go_by_bastion(l);
		return;
	}
	if (resolve_numeric(l->host, l->port, ssh_config_family(l), &l->addresses)) {
		start_tcp(l);
		return;
	}
	l->lookup = resolver_lookup(
		l->shard->resolver, l->host, l->port, ssh_config_family(l), on_resolved, l);
	if (!l->lookup) {
		err_set(&err, ERR_IO, l->device->name, "no thread to resolve %s", l->host);
		ssh_link_fail(l, &err);
		return;
	}
	ssh_link_arm(l);
}

static bool link_ready(const struct device_link *base)
{
	return ((const struct ssh_link *)base)->stage == STAGE_UP;
}

static void link_ask(struct device_link *base, const struct request *r, enum poll_tier tier,
	answer_fn *fn, void *ctx)
{
	struct ssh_link *l = (struct ssh_link *)base;
	struct answer none = {.bytes = "", .complaint = "", .status = -1};

	if (!l->permitted && !ssh_shell_knows(l, r) &&
		!reads_allow(l->ops, r, l->device->name, &none.err)) {
		fn(ctx, &none);
		return;
	}
	if (l->stage != STAGE_UP) {
		err_set(&none.err, ERR_UNREACHABLE, l->device->name, "not connected");
		fn(ctx, &none);
		return;
	}
	(void)ssh_ask_new(l, r, tier, fn, ctx);
	ssh_link_step(l);
}

static int on_discard(ssh_session session, ssh_channel channel, void *data, uint32_t len,
	int is_stderr, void *userdata)
{
	struct ssh_link *l = userdata;

	(void)session;
	(void)channel;
	(void)data;
	(void)is_stderr;
	l->discarded += len;
	return (int)len;
}

static struct device_link *link_open(void *shard, const struct plan_device *d,
	const struct backend_ops *ops, const struct credential *c, const struct link_events *events)
{
	struct ssh_link *l = mem_calloc(1, sizeof(*l));

	(void)c;
	l->base.ops = &transport_ssh;
	l->shard = shard;
	l->device = d;
	l->ops = ops;
	l->events = *events;
	l->keepalive_us = KEEPALIVE_US;
	l->fd = l->agent = l->known_fd = l->rider.ours = -1;
	l->rider.ops = &rider_ops;
	l->discard.userdata = l;
	l->discard.channel_data_function = on_discard;
	ssh_callbacks_init(&l->discard);
	(void)uv_timer_init(l->shard->loop, &l->timer);
	l->timer.data = l;
	return &l->base;
}

void *ssh_shard_open(uv_loop_t *loop)
{
	struct ssh_shard *s = uv_loop_get_data(loop);

	if (s) {
		s->users++;
		return s;
	}
	s = mem_calloc(1, sizeof(*s));
	uv_loop_set_data(loop, s);
	s->loop = loop;
	s->users = 1;
	s->resolver = resolver_new(loop);
	s->keys = ssh_keys_new();
	s->config = ssh_files_new();
	hosts_files_open();
	return s;
}

void ssh_shard_close(void *shard)
{
	struct ssh_shard *s = shard;

	if (--s->users > 0)
		return;
	uv_loop_set_data(s->loop, NULL);
	ssh_jump_shut(s);
	ssh_watch_free(s->watch);
	resolver_close(s->resolver);
	ssh_hosts_shut(s);
	hosts_files_close();
	ssh_keys_free(s->keys);
	ssh_files_free(s->config);
	delta_scratch_free(&s->scratch);
	ssh_asks_spare_free(s);
	free(s);
}

static void link_permit(struct device_link *base)
{
	((struct ssh_link *)base)->permitted = true;
}

const struct transport transport_ssh = {
	.shard_open = ssh_shard_open,
	.shard_close = ssh_shard_close,
	.open = link_open,
	.connect = link_connect,
	.ready = link_ready,
	.ask = link_ask,
	.permit = link_permit,
	.close = link_close,
};
