/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/server_internal.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define PORT_TRIES  50
#define HELD_MOST   64 /* connections that a hanging device keeps; beyond, the oldest is closed */
#define ACCEPT_MOST 64 /* per wake-up, so that other descriptors get their turn */

int64_t server_mono(const struct server *s)
{
	return clock_mono(s->o.clock);
}

/* ---- watches ---- */

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct watch *w = poll->data;

	/* The next read reports an error. */
	w->fn(w->arg, status < 0 ? UV_READABLE : events);
}

struct watch *watch_new(
	uv_loop_t *loop, int fd, int events, void (*fn)(void *arg, int events), void *arg)
{
	struct watch *w = mem_calloc(1, sizeof(*w));

	w->fd = fd;
	w->fn = fn;
	w->arg = arg;
	if (uv_poll_init(loop, &w->poll, fd) != 0) {
		free(w);
		(void)close(fd);
		return NULL;
	}
	w->poll.data = w;
	watch_events(w, events);
	return w;
}

void watch_events(struct watch *w, int events)
{
	if (events == w->events)
		return;
	w->events = events;
	if (events)
		(void)uv_poll_start(&w->poll, events, on_poll);
	else
		(void)uv_poll_stop(&w->poll);
}

static void on_watch_closed(uv_handle_t *h)
{
	free(h->data);
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	(void)uv_poll_stop(&w->poll);
	uv_close((uv_handle_t *)&w->poll, on_watch_closed);
	(void)close(w->fd);
}

/* ---- listeners ---- */

/* A listening socket, or -1 with errno; port 0 takes a free one. */
static int listen_on(struct in_addr a, unsigned port, unsigned *got)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, saved;

	if (fd < 0)
		return -1;
	sin.sin_addr = a;
	/* A device must get its port again after a reboot, in spite of TIME_WAIT. */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&sin, sizeof(sin)) != 0 || listen(fd, 128) != 0 ||
		getsockname(fd, (struct sockaddr *)&sin, &len) != 0) {
		saved = errno;
		(void)close(fd);
		errno = saved;
		return -1;
	}
	*got = ntohs(sin.sin_port);
	return fd;
}

static void adopt_connection(struct listener *l, int fd)
{
	int one = 1;

	/* An answer is several small packets: with Nagle's algorithm each exec took 47 ms. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (l->https)
		https_server_adopt(l->server->https, l->device, fd);
	else
		ssh_server_adopt(l->server->ssh, l->device, fd);
}

static void keep_silent(struct listener *l, int fd)
{
	if (l->held.n == HELD_MOST) {
		(void)close(l->held.at[0]);
		memmove(l->held.at, l->held.at + 1, (l->held.n - 1) * sizeof(int));
		l->held.n--;
	}
	vec_push(&l->held, fd);
}

static void on_listener(void *arg, int events)
{
	struct listener *l = arg;

	(void)events;
	server_advance(l->server);
	/* server_advance() may have closed the listener. */
	for (int i = 0; i < ACCEPT_MOST && l->watch; i++) {
		int fd = accept4(l->watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return;
		if (l->device->hung)
			keep_silent(l, fd);
		else
			adopt_connection(l, fd);
	}
}

static bool open_listener(struct listener *l, unsigned port, unsigned *got)
{
	int fd = listen_on(site_address(l->server->o.site, l->device), port, got);

	if (fd < 0)
		return false;
	l->watch = watch_new(l->server->o.loop, fd, UV_READABLE, on_listener, l);
	return l->watch != NULL;
}

static void drop_held(struct listener *l, bool serve)
{
	for (size_t i = 0; i < l->held.n; i++) {
		if (serve)
			adopt_connection(l, l->held.at[i]);
		else
			(void)close(l->held.at[i]);
	}
	l->held.n = 0;
}

static void sync_listener(struct listener *l)
{
	unsigned port = l->https ? l->server->https_port : l->server->ssh_port;

	if (l->device->unreachable && l->watch) {
		watch_free(l->watch);
		l->watch = NULL;
		drop_held(l, false);
	}
	if (!l->device->unreachable && !l->watch && !open_listener(l, port, &port))
		log_line(l->device->name, "cannot listen again: %s", strerror(errno));
	if (!l->device->hung)
		drop_held(l, true);
}

/* ---- time ---- */

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Updates the RAS threads at most once a second. */
static void tick_ras(struct server *s)
{
	int64_t now = server_mono(s);

	if (now < s->ras_due || !(s->ras_behind || ras_monitored(s->ras)))
		return;
	ras_update(s->ras);
	s->ras_behind = false;
	s->ras_due = now + CLOCK_SEC;
}

void server_poll(struct server *s)
{
	int64_t mono = server_mono(s);

	server_present(s, sim_device(s->o.sim, 0));
	server_advance(s);
	tick_ras(s);
	ssh_server_resume(s->ssh, false);
	if (https_server_due(s->https) <= mono)
		https_server_resume(s->https);
	server_arm(s);
}

static void on_timer(uv_timer_t *t)
{
	server_poll(t->data);
}

/* Wall time of the fabric's next own event. */
static int64_t next_wall(const struct server *s)
{
	int64_t next = sim_next_change(s->o.sim);

	return s->o.observations ? min_time(next, observations_next(s->o.observations)) : next;
}

void server_arm(struct server *s)
{
	int64_t wall = clock_wall(s->o.clock), mono = server_mono(s);
	int64_t next, wait = INT64_MAX;

	if (s->closing)
		return;
	s->next_wall = next_wall(s);
	if (s->next_wall != INT64_MAX)
		wait = s->next_wall - wall;
	next = min_time(ssh_server_due(s->ssh), https_server_due(s->https));
	if (s->ras_behind || ras_monitored(s->ras))
		next = min_time(next, s->ras_due);
	if (next != INT64_MAX)
		wait = min_time(wait, next - mono);
	if (sim_generation(s->o.sim) != s->generation)
		wait = 0;
	(void)uv_timer_stop(&s->timer);
	if (wait == INT64_MAX)
		return;
	/*
	 * Rounded up: a timer that fires early finds nothing due and fires again. At least a
	 * millisecond: libuv runs timers that are due until none is, and reads no signal meanwhile.
	 */
	wait = wait < CLOCK_MSEC ? 1 : (wait + CLOCK_MSEC - 1) / CLOCK_MSEC;
	(void)uv_timer_start(&s->timer, on_timer, (uint64_t)wait, 0);
}

/* The faults of the device that affect its connections and listeners. */
static unsigned conduct_of(const struct sim_device *d)
{
	return (d->unreachable > 0) | (unsigned)d->hung << 1 | (unsigned)d->refuses_key << 2 |
	       (unsigned)d->wrong_key << 3 | (unsigned)d->wrong_cert << 4;
}

/*
 * Jobs change the generation many times a second. Connections need closing, opening or waking only
 * if a device's conduct changed.
 */
static void apply_changes(struct server *s)
{
	bool any = false;

	for (size_t i = 0; i < s->nlisteners; i++) {
		struct listener *l = &s->listener[i];
		unsigned now = conduct_of(l->device);

		if (now == l->conduct)
			continue;
		sync_listener(l);
		/* If another process took the port meanwhile, the next change tries again. */
		if (l->watch || l->device->unreachable)
			l->conduct = now;
		any = true;
	}
	if (any) {
		ssh_server_resume(s->ssh, true);
		https_server_resume(s->https);
	}
	s->ras_behind = true;
	if (s->o.changed)
		s->o.changed(s->o.arg);
	server_arm(s);
}

void server_advance(struct server *s)
{
	int64_t wall = clock_wall(s->o.clock);

	if (s->next_wall <= wall) {
		if (s->o.observations)
			wall = observations_run(s->o.observations, wall);
		sim_advance_device(s->o.sim, sim_device(s->o.sim, 0), wall);
		s->next_wall = next_wall(s);
	}
	if (sim_generation(s->o.sim) == s->generation)
		return;
	s->generation = sim_generation(s->o.sim);
	apply_changes(s);
}

void server_present(struct server *s, struct sim_device *d)
{
	int64_t wall = clock_wall(s->o.clock);

	if (s->o.observations)
		wall = observations_run(s->o.observations, wall);
	sim_advance_device(s->o.sim, d, wall);
}

void server_answered(struct server *s)
{
	s->answers++;
	if (sim_generation(s->o.sim) == s->generation || s->closing)
		return;
	/*
	 * A write command, or the passing of time. The timer handles it, outside of the answering
	 * connection.
	 */
	server_arm(s);
}

/* ---- construction and end ---- */

static void close_listeners(struct server *s)
{
	for (size_t i = 0; i < s->nlisteners; i++) {
		watch_free(s->listener[i].watch);
		s->listener[i].watch = NULL;
		drop_held(&s->listener[i], false);
	}
}

/* Opens all listeners of one kind on one port; false if the port is taken on some address. */
static bool open_all(struct server *s, bool https, unsigned *port)
{
	*port = 0;
	for (size_t i = 0; i < s->nlisteners; i++) {
		struct listener *l = &s->listener[i];

		if (l->https == https && !open_listener(l, *port, port))
			return false;
	}
	return true;
}

static bool open_ports(struct server *s, struct err *err)
{
	int why = 0;

	for (int i = 0; i < PORT_TRIES; i++) {
		if (open_all(s, false, &s->ssh_port) && open_all(s, true, &s->https_port))
			return true;
		why = errno;
		close_listeners(s);
		if (why != EADDRINUSE)
			break;
	}
	err_set(err, ERR_IO, "listen", "cannot listen on all addresses: %s", strerror(why));
	return err_cure(
		err, "another --listen address, or a higher limit of open files (ulimit -n)");
}

static bool speaks_https(const struct sim_device *d)
{
	const struct personality *p = personality_for(d->dialect);

	return p && p->http;
}

static void make_listeners(struct server *s)
{
	size_t n = sim_device_count(s->o.sim);

	s->listener = mem_calloc(2 * n, sizeof(*s->listener));
	for (size_t i = 0; i < 2 * n; i++) {
		struct sim_device *d = sim_device(s->o.sim, i / 2);

		if (i % 2 && !speaks_https(d))
			continue;
		s->listener[s->nlisteners++] =
			(struct listener){.server = s, .device = d, .https = i % 2};
	}
}

static void on_server_closed(uv_handle_t *h)
{
	struct server *s = h->data;

	for (size_t i = 0; i < s->nlisteners; i++)
		vec_free(&s->listener[i].held);
	ras_free(s->ras);
	free(s->listener);
	free(s);
}

/* The address in `ip addr` of the host: its processes do not know the site's loopback. */
static void host_address(void *arg, const struct sim_device *host, char *dst, size_t size)
{
	char address[24];

	(void)arg;
	personality_address(host, address);
	(void)str_copy(dst, size, address);
}

struct server *server_new(const struct server_opts *o, struct err *err)
{
	struct server *s = mem_calloc(1, sizeof(*s));

	s->o = *o;
	s->log = o->log;
	personality_credentials(o->personality, SITE_USER, o->site->password);
	(void)uv_timer_init(o->loop, &s->timer);
	s->timer.data = s;
	make_listeners(s);
	s->ras = ras_new(
		&(struct ras_opts){.source = &ras_sim, .sim = o->sim, .address = host_address});
	s->ssh = ssh_server_new(s, err);
	s->https = s->ssh ? https_server_new(s, err) : NULL;
	if (!s->https || !open_ports(s, err)) {
		server_close(s);
		return NULL;
	}
	/* Applies faults that are on from the start. */
	server_present(s, sim_device(o->sim, 0));
	s->generation = sim_generation(o->sim);
	apply_changes(s);
	return s;
}

void server_close(struct server *s)
{
	if (!s)
		return;
	s->closing = true;
	close_listeners(s);
	ssh_server_free(s->ssh);
	https_server_free(s->https);
	uv_close((uv_handle_t *)&s->timer, on_server_closed);
}

unsigned server_ssh_port(const struct server *s)
{
	return s->ssh_port;
}

unsigned server_https_port(const struct server *s)
{
	return s->https_port;
}

struct server_stats server_stats(const struct server *s)
{
	return (struct server_stats){
		.connections = ssh_server_connections(s->ssh) + https_server_connections(s->https),
		.answers = s->answers};
}
