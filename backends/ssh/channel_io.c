/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"

/* The pump of a session: it reads bytes, advances requests and checks deadlines. */

/*
 * libssh reads READ_SIZE bytes at a time, so one device gets at most 256 KB before the next one's
 * turn.
 */
#define READ_SIZE     4096
#define PUMP_TURNS    64
#define DISCARD_LIMIT ((uint64_t)8 << 20)

/* ---- key exchange, host key, authentication ---- */

static void fail_kex(struct ssh_link *l)
{
	struct err err;

	if (strstr(ssh_link_reason(l), "disconnected") || strstr(ssh_link_reason(l), "reset"))
		err_set(&err, ERR_UNREACHABLE, l->device->name,
			"%s port %u closed the connection before the SSH handshake was done",
			l->host, l->port);
	else
		err_set(&err, ERR_PROTOCOL, l->device->name, "no SSH handshake with %s port %u: %s",
			l->host, l->port, ssh_link_reason(l));
	err_cure(&err,
		"ssh -v -p %u %s shows how far it comes; MaxStartups of the server may refuse "
		"many connections at once",
		l->port, l->host);
	ssh_link_fail(l, &err);
}

static void step_kex(struct ssh_link *l)
{
	int rc = ssh_connect(l->session), fd = ssh_get_fd(l->session);
	struct err err = {0};

	/* libssh makes the socket blocking once, right before it sends its first bytes. */
	if (fd >= 0 && !l->unblocked && l->wire.out_bytes) {
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		l->unblocked = true;
	}
	if (rc == SSH_AGAIN)
		return;
	if (rc != SSH_OK) {
		fail_kex(l);
		return;
	}
	l->steps++;
	if (!ssh_hostkey_verify(l, &err)) {
		ssh_link_fail(l, &err);
		return;
	}
	l->stage = STAGE_AUTH;
}

static void step_auth(struct ssh_link *l)
{
	struct err err = {0};
	int rc = ssh_auth_step(l, &err);

	if (rc == SSH_AUTH_AGAIN)
		return;
	l->steps++;
	if (rc != SSH_AUTH_SUCCESS) {
		ssh_link_fail(l, &err);
		return;
	}
	ssh_auth_reset(l);
	ssh_config_done(l);
	l->stage = STAGE_UP;
	if (l->events.up)
		l->events.up(l->events.ctx);
}

/* ---- the pump ---- */

static void fail_lost(struct ssh_link *l)
{
	struct err err;
	const char *reason = ssh_link_reason(l);

	err_set(&err, ERR_UNREACHABLE, l->device->name,
		l->stage == STAGE_AUTH ? "connection lost during authentication: %s"
				       : "connection lost: %s",
		reason);
	ssh_link_fail(l, &err);
}

static void step_link(struct ssh_link *l)
{
	if (l->stage == STAGE_KEX)
		step_kex(l);
	if (l->stage == STAGE_AUTH)
		step_auth(l);
	if (l->stage == STAGE_UP)
		ssh_asks_step(l);
	if (l->stage == STAGE_UP && l->bastion)
		ssh_jump_step(l->bastion);
}

/* Reason for another turn of the pump. */
enum pump_need { PUMP_NOTHING, PUMP_STEP, PUMP_LOOK };

/*
 * True: libssh has bytes that the socket has not taken; they wait until it is writable. With no
 * such bytes libssh checks for writability at its next read, and no wake-up is needed.
 */
static bool is_writing(struct ssh_link *l)
{
	return (ssh_get_poll_flags(l->session) & SSH_WRITE_PENDING) &&
	       (l->stage < STAGE_UP || l->bastion || ssh_blocking_flush(l->session, 0) != SSH_OK);
}

/* System calls are a third of the cost besides the answer itself, so none is made in vain. */
static enum pump_need pump_once(struct ssh_link *l, bool look)
{
	uint64_t in = l->wire.in_bytes, out = l->wire.out_bytes, steps = l->steps, read, seen;
	int rc = look ? ssh_event_dopoll(l->event, 0) : SSH_OK;
	struct err err;

	read = l->wire.in_bytes - in;
	seen = l->steps;
	step_link(l);
	if (!l->session)
		return PUMP_NOTHING;
	if (l->stage > STAGE_KEX && (rc == SSH_ERROR || !ssh_is_connected(l->session))) {
		fail_lost(l);
		return PUMP_NOTHING;
	}
	if (l->discarded > DISCARD_LIMIT + l->forgiven) {
		err_set(&err, ERR_LIMIT, l->device->name,
			"keeps sending after its channel was closed (%llu bytes)",
			(unsigned long long)l->discarded);
		ssh_link_fail(l, &err);
		return PUMP_NOTHING;
	}
	l->writing = is_writing(l);
	if (l->stage < STAGE_UP || l->bastion)
		return l->wire.in_bytes != in || l->wire.out_bytes != out || l->steps != steps
			       ? PUMP_LOOK
			       : PUMP_NOTHING;
	/*
	 * The loop reports bytes that are left in the socket; bytes read in other calls must be
	 * handled now.
	 */
	if (read >= READ_SIZE || l->wire.in_bytes != in + read)
		return PUMP_LOOK;
	return l->steps != seen ? PUMP_STEP : PUMP_NOTHING;
}

static void pump_link(struct ssh_link *l, bool look)
{
	enum pump_need need = look ? PUMP_LOOK : PUMP_STEP;

	/* Inside of the pump a callback's new request is served by the running loop. */
	if (l->pumping || !l->session || l->stage < STAGE_KEX) {
		l->steps++;
		return;
	}
	l->pumping = true;
	for (int turn = 0; turn < PUMP_TURNS && need != PUMP_NOTHING && l->event; turn++)
		need = pump_once(l, need == PUMP_LOOK);
	l->pumping = false;
	l->again = need != PUMP_NOTHING;
	ssh_link_arm(l);
}

void ssh_link_pump(struct ssh_link *l)
{
	pump_link(l, true);
}

void ssh_link_step(struct ssh_link *l)
{
	pump_link(l, false);
}

/* ---- time ---- */

static void fail_connect_timeout(struct ssh_link *l)
{
	static const char *const doing[] = {
		[STAGE_RESOLVE] = "resolving the name",
		[STAGE_TCP] = "opening the TCP connection",
		[STAGE_JUMP] = "opening the connection",
		[STAGE_KEX] = "the SSH handshake",
		[STAGE_AUTH] = "authentication",
	};
	struct err err;

	err_set(&err, l->stage <= STAGE_JUMP ? ERR_UNREACHABLE : ERR_TIMEOUT, l->device->name,
		"%s port %u: no answer within %d s during %s", l->host, l->port,
		(int)(l->connect_us / CLOCK_SEC), doing[l->stage]);
	if (l->stage == STAGE_TCP || l->stage == STAGE_JUMP)
		err_cure(&err, "check the management network of the device, and the port");
	else if (l->stage == STAGE_RESOLVE)
		err_cure(&err, "check the name servers of this machine, or give the address");
	else
		err_cure(&err,
			"the port is open: check with ssh -v -p %u %s that an SSH server answers "
			"there and is not overloaded (LoginGraceTime, MaxStartups, its processor)",
			l->port, l->host);
	ssh_link_fail(l, &err);
}

/*
 * Ends expired requests. Their callback may send new requests. A nested pump would answer and free
 * requests that ssh_asks_expire() still has to visit, so the pump is blocked.
 */
static bool expire_requests(struct ssh_link *l, int64_t now_us, struct err *err)
{
	bool ok;

	l->pumping = true;
	ok = ssh_asks_expire(l, now_us, err);
	l->pumping = false;
	return ok;
}

/* When the next keepalive is due, so that firewalls keep the connection. */
static int64_t keepalive_due(struct ssh_link *l, int64_t now_us)
{
	uint64_t bytes = l->wire.in_bytes + l->wire.out_bytes;

	if (bytes != l->quiet_bytes) {
		l->quiet_bytes = bytes;
		l->quiet_since_us = now_us;
	}
	return l->quiet_since_us + l->keepalive_us;
}

/* SSH_MSG_IGNORE needs no answer and is allowed at any time (RFC 4253, 11.2). */
static void keep_alive(struct ssh_link *l, int64_t now_us)
{
	if (now_us < keepalive_due(l, now_us))
		return;
	l->pumping = true; /* the call may also read */
	(void)ssh_send_ignore(l->session, "");
	l->pumping = false;
	l->quiet_since_us = now_us;
}

static void on_timer(uv_timer_t *t)
{
	struct ssh_link *l = t->data;
	int64_t now = ssh_now_us(l);
	struct err err;

	if (l->stage == STAGE_DOWN)
		return;
	if (l->stage < STAGE_UP && now >= l->connect_deadline_us) {
		fail_connect_timeout(l);
		return;
	}
	if (l->stage == STAGE_UP && !expire_requests(l, now, &err)) {
		ssh_link_fail(l, &err);
		return;
	}
	if (l->stage == STAGE_UP)
		keep_alive(l, now);
	if (l->session && l->stage >= STAGE_KEX)
		ssh_link_pump(l);
	else
		ssh_link_arm(l);
}

void ssh_link_arm(struct ssh_link *l)
{
	int64_t due, alive, now = ssh_now_us(l);
	int events = UV_READABLE;

	if (l->closing || l->stage == STAGE_DOWN)
		return;
	if (l->stage >= STAGE_KEX) {
		if (l->writing)
			events |= UV_WRITABLE;
		ssh_watch_arm(l, events);
	}
	due = l->connect_deadline_us;
	if (l->stage == STAGE_UP) {
		due = ssh_asks_deadline(l);
		alive = keepalive_due(l, now);
		due = due && due < alive ? due : alive;
	}
	if (l->again)
		due = now;
	l->again = false;
	/* A timer that fires too early is set again then: most deadlines are never reached. */
	if (uv_is_active((uv_handle_t *)&l->timer) && l->timer_us <= due)
		return;
	l->timer_us = due > now ? due : now;
	due = due > now ? (due - now) / CLOCK_MSEC + 1 : 1;
	(void)uv_timer_start(&l->timer, on_timer, (uint64_t)due, 0);
}
