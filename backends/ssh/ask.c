/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/ioctl.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

#define OPEN_RETRIES  5
#define OPEN_RETRY_US (10 * CLOCK_MSEC)
#define INPUT_CHUNK   ((size_t)32 << 10)
#define STARVED_US    CLOCK_SEC

/* ---- callbacks of libssh: they only set flags, because the channel is in use around them ---- */

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
	int is_stderr, void *userdata)
{
	struct ssh_ask *a = userdata;
	struct buf *b = is_stderr ? &a->complaint : &a->out;
	size_t room = b->cap - b->len;

	(void)session;
	(void)channel;
	a->link->steps++;
	if (a->abandoned)
		return (int)len;
	if (!is_stderr)
		a->received += len;
	if (!is_stderr && a->request->follow) {
		ssh_follow_data(a, data, len);
		return (int)len;
	}
	if (!buf_add(b, data, len))
		(void)buf_add(b, data, room < len ? room : len);
	return (int)len;
}

static void on_eof(ssh_session session, ssh_channel channel, void *userdata)
{
	struct ssh_ask *a = userdata;

	(void)session;
	(void)channel;
	a->eof = true;
	a->link->steps++;
}

static void on_close(ssh_session session, ssh_channel channel, void *userdata)
{
	struct ssh_ask *a = userdata;

	(void)session;
	(void)channel;
	a->closed = true;
	a->link->steps++;
}

static void on_status(ssh_session session, ssh_channel channel, int status, void *userdata)
{
	struct ssh_ask *a = userdata;

	(void)session;
	(void)channel;
	a->status = status;
	a->link->steps++;
}

static void on_signal(ssh_session session, ssh_channel channel, const char *name, int core,
	const char *message, const char *lang, void *userdata)
{
	struct ssh_ask *a = userdata;

	(void)session;
	(void)channel;
	(void)core;
	(void)message;
	(void)lang;
	(void)buf_addf(&a->complaint, "killed by signal %s", name ? name : "?");
	a->link->steps++;
}

/* ---- ending ---- */

/* True: the command runs, the channel can carry a signal, and to stop the command does no harm. */
static bool takes_signal(const struct ssh_ask *a)
{
	return a->channel && !a->port && !a->request->change && a->stage >= ASK_INPUT &&
	       !a->closed && a->status < 0 && ssh_is_connected(a->link->session);
}

static void channel_drop(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;

	if (!a->channel)
		return;
	l->running--;
	/* Abandoned commands must not pile up on the device, poll after poll. */
	if (takes_signal(a))
		(void)ssh_channel_request_send_signal(a->channel, "TERM");
	/*
	 * The peer may go on sending until it has read our close; those bytes are counted and
	 * dropped.
	 */
	ssh_remove_channel_callbacks(a->channel, &a->callbacks);
	(void)ssh_add_channel_callbacks(a->channel, &l->discard);
	ssh_channel_free(a->channel);
	a->channel = NULL;
}

static void unlink_ask(struct ssh_ask *a)
{
	struct ssh_ask **at = &a->link->asks;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
}

/* Length of the answer for the callback. A difference that led to no text counts as empty. */
static size_t answer_len(const struct ssh_ask *a)
{
	return a->text ? a->text->delta.len : a->filtered ? 0 : a->out.len;
}

static const char *answer_bytes(const struct ssh_ask *a)
{
	const char *bytes = a->text ? a->text->delta.text : a->out.data;

	return bytes && answer_len(a) ? bytes : "";
}

/* Calls the callback and frees a. The callback may send a new request or close the link. */
static void ask_answer(struct ssh_ask *a)
{
	struct ssh_shard *s = a->link->shard; /* the link may be gone after the callback */
	char complaint[SSH_COMPLAINT_CAP + 1];
	struct answer answer;

	unlink_ask(a);
	ssh_quick_note(a);
	ssh_shell_done(a);
	channel_drop(a);
	a->link->steps++;
	complaint[0] = '\0';
	if (a->complaint.len)
		(void)str_sanitise(
			complaint, sizeof(complaint), a->complaint.data, a->complaint.len);
	answer = (struct answer){.bytes = answer_bytes(a),
		.len = answer_len(a),
		.before = a->text ? &a->before : NULL,
		.filtered = a->text != NULL,
		.full_why =
			a->request->shell && a->tier == POLL_FAST ? ssh_filter_told(a->link) : NULL,
		.complaint = complaint,
		.status = a->status,
		.received = a->received,
		.took_us = ssh_now_us(a->link) - a->began_us,
		.left = a->left,
		.lost = a->follow.lost,
		.err = a->err};
	a->fn(a->ctx, &answer);
	ssh_ask_give(s, a);
}

/*
 * Answers a request whose channel is not open yet. The peer may take arbitrarily long to accept the
 * connection, so the entry stays in the list without its request until the channel can be closed.
 */
static void ask_abandon(struct ssh_ask *a)
{
	struct answer answer = {.bytes = "",
		.complaint = "",
		.status = -1,
		.took_us = ssh_now_us(a->link) - a->began_us,
		.err = a->err};
	answer_fn *fn = a->fn;

	a->abandoned = true;
	a->request = NULL;
	a->deadline_us = INT64_MAX;
	fn(a->ctx, &answer);
}

static void abandoned_step(struct ssh_ask *a)
{
	if (ssh_forward_open(a) == SSH_AGAIN)
		return;
	a->stage = ASK_DONE;
	unlink_ask(a);
	channel_drop(a);
	a->link->steps++;
	ssh_ask_give(a->link->shard, a);
}

static void ask_finish(struct ssh_ask *a)
{
	const char *device = a->link->device->name, *name = a->request->name;
	size_t cap = a->complaint.len < 200 ? a->complaint.len : 200;
	const char *said = a->complaint.data ? a->complaint.data : "";

	if (a->request->follow || (a->request->change && a->status >= 0))
		; /* the dialect decides by the complaint and the status */
	else if (answer_len(a) == 0 && a->status > 0)
		err_set(&a->err, ERR_PROTOCOL, device, "%s: exit status %d: %.*s", name, a->status,
			(int)cap, said);
	else if (answer_len(a) == 0 && a->complaint.len > 0)
		err_set(&a->err, ERR_PROTOCOL, device, "%s: no output, but: %.*s", name, (int)cap,
			said);
	ask_answer(a);
}

/* ---- the stages of a request ---- */

static void fail_channel(struct ssh_ask *a, const char *what)
{
	struct ssh_link *l = a->link;
	struct err err;

	err_set(&err, ERR_PROTOCOL, l->device->name, "%s: %s: %s", a->request->name, what,
		ssh_link_reason(l));
	if (a->err.code != ERR_NONE && a->port) {
		ask_answer(a); /* a->err says why already */
		return;
	}
	if (a->stage == ASK_OPENING) {
		/*
		 * The device opens no channel at all, and the requests that hang will end only with
		 * the session.
		 */
		ssh_link_fail(l, &err);
		return;
	}
	a->err = err;
	ask_answer(a);
}

static bool channel_begin(struct ssh_ask *a)
{
	a->channel = ssh_channel_new(a->link->session);
	if (!a->channel)
		return false;
	a->link->running++;
	a->asked_us = ssh_now_us(a->link);
	a->callbacks.userdata = a;
	a->callbacks.channel_data_function = on_data;
	a->callbacks.channel_eof_function = on_eof;
	a->callbacks.channel_close_function = on_close;
	a->callbacks.channel_exit_status_function = on_status;
	a->callbacks.channel_exit_signal_function = on_signal;
	ssh_callbacks_init(&a->callbacks);
	return ssh_add_channel_callbacks(a->channel, &a->callbacks) == SSH_OK;
}

/* Returns SSH_OK to go on with the next stage at once. */
static int step_input(struct ssh_ask *a)
{
	const struct request *r = a->request;
	const char *input = r->confirmed && a->confirmed ? r->confirmed : r->input;
	size_t left;
	int n;

	if (!a->guarded && ssh_guard_wants(a))
		ssh_guard_wrap(a);
	input = a->guarded ? a->guarded : input;
	left = input ? strlen(input) - a->sent : 0;

	while (left) {
		a->left = true;
		n = ssh_channel_write(a->channel, input + a->sent,
			(uint32_t)(left < INPUT_CHUNK ? left : INPUT_CHUNK));
		if (n < 0)
			return SSH_ERROR;
		if (n == 0)
			return SSH_AGAIN;
		a->sent += (size_t)n;
		left -= (size_t)n;
	}
	/* A followed command, a guard or a peer program treats end of input as the end of the
	 * client. */
	if (a->request->follow || a->guarded || a->port)
		return SSH_OK;
	return ssh_channel_send_eof(a->channel) == SSH_ERROR ? SSH_ERROR : SSH_OK;
}

bool ssh_is_background(enum poll_tier tier)
{
	return tier == POLL_MEDIUM || tier == POLL_SLOW;
}

void ssh_channels_proven(struct ssh_link *l, unsigned n)
{
	l->proven = n > l->proven ? n : l->proven;
}

/* Counts the channels that the device has confirmed. */
static unsigned channels_open(const struct ssh_link *l)
{
	unsigned n = ssh_shell_open(l);

	for (const struct ssh_ask *a = l->asks; a; a = a->next)
		n += a->channel && a->stage > ASK_OPENING;
	return n;
}

static bool fast_runs(const struct ssh_link *l)
{
	for (const struct ssh_ask *a = l->asks; a; a = a->next)
		if (a->channel && !a->abandoned && !ssh_is_background(a->tier) &&
			!a->request->follow)
			return true;
	return false;
}

/*
 * Devices allow fewer channels at a time than OpenSSH's ten, so the limit is learned here. A server
 * that allows one may still be closing the previous channel.
 */
static int step_open(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	int rc = a->port ? ssh_forward_open(a) : ssh_channel_open_session(a->channel);

	if (rc == SSH_OK)
		ssh_channels_proven(l, channels_open(l) + 1);
	if (rc != SSH_ERROR || !ssh_is_connected(l->session) || a->port)
		return rc;
	/* As many were open before, so the device is still closing the previous channel. */
	if ((channels_open(l) < l->proven || !l->proven) && a->refused++ < OPEN_RETRIES) {
		l->hold_until_us = ssh_now_us(l) + (OPEN_RETRY_US << a->refused);
	} else if (channels_open(l)) {
		l->parallel = channels_open(l);
		l->limited = true;
		/* Other requests have priority over the kept shell. */
		if (l->parallel < SSH_SHELL_NEEDS)
			(void)ssh_shell_yield(l);
	} else {
		return SSH_ERROR;
	}
	channel_drop(a);
	a->stage = ASK_WAITING;
	return SSH_AGAIN;
}

/*
 * Slow requests that began before the channel limit was known can occupy every channel and hang.
 * With some servers a command that we gave up keeps its channel. So only a new connection helps; it
 * starts with the known limit.
 */
static bool is_starved(const struct ssh_ask *a)
{
	const struct ssh_link *l = a->link;

	return a->stage == ASK_WAITING && a->tier == POLL_FAST && !a->shell && l->limited &&
	       l->running && !fast_runs(l) && ssh_now_us(l) >= a->began_us + STARVED_US;
}

static void fail_starved(struct ssh_link *l)
{
	struct err err;

	err_set(&err, ERR_UNREACHABLE, l->device->name,
		"connecting again: slow commands occupy all %u channels that the device allows",
		l->proven);
	ssh_link_fail(l, &err);
}

/* One channel stays free for the fast tier if the device allows more than one. */
static bool may_begin(const struct ssh_ask *a)
{
	const struct ssh_link *l = a->link;
	unsigned background = 0, kept = ssh_shell_open(l);

	if (l->running + kept >= l->parallel || ssh_now_us(l) < l->hold_until_us ||
		ssh_shell_leaving(l))
		return false;
	if (!ssh_is_background(a->tier))
		return true;
	for (const struct ssh_ask *other = l->asks; other; other = other->next) {
		if (other->channel && !other->abandoned && ssh_is_background(other->tier))
			background++;
		else if (!other->channel && !other->shell && other->tier == POLL_FAST)
			return false;
	}
	/* The shell serves the fast tier, so no further channel need stay free. */
	return background < SSH_BACKGROUND &&
	       (l->parallel == 1 || kept || l->running < l->parallel - 1);
}

static int step_stage(struct ssh_ask *a)
{
	switch (a->stage) {
	case ASK_WAITING:
		if (!may_begin(a))
			return SSH_AGAIN;
		return channel_begin(a) ? SSH_OK : SSH_ERROR;
	case ASK_OPENING:
		return step_open(a);
	case ASK_EXEC:
		a->left = a->left || !a->port;
		return a->port ? SSH_OK : ssh_channel_request_exec(a->channel, a->request->command);
	case ASK_INPUT:
		return step_input(a);
	case ASK_READING:
	case ASK_DONE:
		break;
	}
	return SSH_AGAIN;
}

static const char *const doing[] = {
	[ASK_WAITING] = "no channel",
	[ASK_OPENING] = "the device opens no channel",
	[ASK_EXEC] = "the device runs no command",
	[ASK_INPUT] = "the command takes no input",
	[ASK_READING] = "",
	[ASK_DONE] = "",
};

static void fail_limit(struct ssh_ask *a)
{
	err_set(&a->err, ERR_LIMIT, a->link->device->name,
		"%s: the answer is larger than %zu bytes (%llu received)", a->request->name,
		a->request->cap, (unsigned long long)a->received);
	ask_answer(a);
}

/* Fails the request if the device has too few channels for it; true: it was answered. */
static bool ended_for_want_of_channels(struct ssh_ask *a)
{
	unsigned parallel = a->link->parallel, needs = SSH_FOLLOW_NEEDS;

	/* Each output that is followed before this one also keeps a channel. */
	for (const struct ssh_ask *o = a->link->asks; a->request->follow && o && o != a;
		o = o->next)
		needs += !o->abandoned && o->request->follow;
	if (!a->request->follow || parallel >= needs)
		return false;
	err_set(&a->err, ERR_LIMIT, a->link->device->name,
		"%s: the device allows %u channel%s at a time, and others use them",
		a->request->name, parallel, str_plural(parallel));
	err_cure(&a->err, "allow %u session%s per connection (MaxSessions of its SSH server)",
		needs, str_plural(needs));
	ask_answer(a);
	return true;
}

static void ask_step(struct ssh_ask *a)
{
	int rc = SSH_OK;

	if (a->abandoned) {
		abandoned_step(a);
		return;
	}
	if (ended_for_want_of_channels(a))
		return;
	if (a->port && a->stage == ASK_WAITING && ssh_forward_stuck(a)) {
		ask_answer(a);
		return;
	}
	if (is_starved(a)) {
		fail_starved(a->link);
		return;
	}
	if (a->port && a->stage == ASK_READING && ssh_forward_confirmed(a))
		a->stage = ASK_INPUT;
	if (a->shell && a->stage == ASK_WAITING &&
		(ssh_quick_yields(a) || (!ssh_shell_take(a) && a->shell)))
		return;
	while (rc == SSH_OK && a->stage < ASK_READING) {
		rc = step_stage(a);
		/* A command may end without reading its input; its output still counts. */
		if (rc == SSH_ERROR && a->stage == ASK_INPUT && (a->eof || a->closed))
			rc = SSH_OK;
		if (rc == SSH_OK) {
			a->stage++;
			a->link->steps++;
		}
	}
	/* The pump sees a lost connection as well and fails all requests. */
	if (rc == SSH_ERROR && !ssh_is_connected(a->link->session))
		return;
	if (rc == SSH_ERROR || (a->closed && a->stage < ASK_INPUT))
		fail_channel(a, doing[a->stage]);
	else if (a->out.overflow)
		fail_limit(a);
	else if (a->request->follow && ssh_follow_floods(a))
		ask_answer(a);
	else if (a->closed || (a->eof && a->status >= 0) || (a->port && ssh_forward_ended(a))) {
		if (!ssh_shell_text(a))
			return;
		if (answer_len(a) > a->request->cap)
			fail_limit(a);
		else
			ask_finish(a);
	} else if (a->request->follow && a->stage >= ASK_READING)
		ssh_follow_step(a);
}

void ssh_asks_step(struct ssh_link *l)
{
	struct ssh_ask *a, *next;

	ssh_shell_step(l);
	/*
	 * Answering removes only the request itself from the list; new ones are appended. The
	 * callback may close the link, and then the list is empty.
	 */
	for (a = l->asks; a && l->session; a = next) {
		next = a->next;
		ask_step(a);
		if (!l->asks)
			break;
		/* Whichever request runs first meets the lost session. */
		if (!ssh_is_connected(l->session))
			break;
	}
}

static void set_late(struct ssh_ask *a)
{
	double limit_s = (double)a->request->timeout_us / (double)CLOCK_SEC;
	const char *device = a->link->device->name;

	if (a->request->change && !a->left)
		err_set(&a->err, ERR_UNREACHABLE, device, "%s: could not be sent within %.3g s",
			a->request->name, limit_s);
	else
		err_set(&a->err, ERR_TIMEOUT, device, "%s: no answer within %.3g s",
			a->request->name, limit_s);
}

/* Whose fault it is: the device is silent, bytes wait unread, or none could be written. */
static void log_late(const struct ssh_ask *a)
{
	static const char *const stages[] = {[ASK_WAITING] = "waiting for its turn",
		[ASK_OPENING] = "opening",
		[ASK_EXEC] = "starting",
		[ASK_INPUT] = "sending",
		[ASK_READING] = "reading",
		[ASK_DONE] = "done"};
	const struct ssh_link *l = a->link;
	int flags = ssh_get_poll_flags(l->session), unread = 0;

	(void)ioctl(ssh_get_fd(l->session), FIONREAD, &unread);
	log_line("ssh",
		"%s: %s is late, %s%s: %zu bytes of it, %llu of the session since; unread %d, "
		"unwritten %s, of the shell's input %zu, channels %u of %u",
		l->device->name, a->request->name, stages[a->stage],
		a->shell ? " in the kept shell" : "", a->out.len,
		(unsigned long long)(l->wire.in_bytes - a->wire_mark), unread,
		flags & SSH_WRITE_PENDING ? "yes" : "no", l->shell.in.len - l->shell.sent,
		l->running, l->parallel);
}

/*
 * A timeout here says nothing about the session: another program listens on that port.
 */
static void expire_forward(struct ssh_ask *a)
{
	ssh_forward_late(a);
	if (a->stage == ASK_OPENING)
		ask_abandon(a);
	else
		ask_answer(a);
}

/* A request to the kept shell opened no channel, so only this command may be silent. */
static void expire_in_shell(struct ssh_link *l, struct ssh_ask *a)
{
	bool silent = l->wire.in_bytes == a->wire_mark;

	ask_answer(a);
	if (l->session && silent)
		ssh_shell_doubt(l);
}

/* Nothing came back at all, so the session is dead and not merely the command slow. */
static bool is_session_silent(const struct ssh_link *l, const struct ssh_ask *a)
{
	return l->wire.in_bytes == a->wire_mark || a->stage == ASK_OPENING || a->stage == ASK_EXEC;
}

bool ssh_asks_expire(struct ssh_link *l, int64_t now_us, struct err *err)
{
	struct ssh_ask *a, *next;

	if (!ssh_shell_expire(l, now_us, err))
		return false;
	for (a = l->asks; a; a = next) {
		next = a->next;
		if (a->abandoned || now_us < a->deadline_us || a->follow.told)
			continue;
		set_late(a);
		log_late(a);
		if (a->port) {
			expire_forward(a);
		} else if (a->shell) {
			expire_in_shell(l, a);
		} else if (is_session_silent(l, a)) {
			*err = a->err;
			return false;
		} else {
			ask_answer(a);
		}
		if (!l->session || !l->asks)
			break;
	}
	return true;
}

static int64_t ask_deadline(const struct ssh_ask *a, int64_t now_us)
{
	const struct ssh_link *l = a->link;
	int64_t due = a->deadline_us;

	if (a->abandoned)
		return 0;
	if (a->follow.told)
		return ssh_follow_due(a);
	if (a->stage != ASK_WAITING)
		return due;
	if (a->shell)
		return ssh_shell_due(a) < due ? ssh_shell_due(a) : due;
	if (l->hold_until_us > now_us && l->hold_until_us < due)
		due = l->hold_until_us;
	/* Wakes at the moment when is_starved() can decide; later it no longer applies. */
	if (l->limited && a->tier == POLL_FAST && now_us < a->began_us + STARVED_US)
		due = a->began_us + STARVED_US;
	return due;
}

int64_t ssh_asks_deadline(const struct ssh_link *l)
{
	int64_t first = ssh_shell_deadline(l), due, now = ssh_now_us(l);

	for (const struct ssh_ask *a = l->asks; a; a = a->next) {
		due = ask_deadline(a, now);
		if (due && (!first || due < first))
			first = due;
	}
	return first;
}

void ssh_asks_fail(struct ssh_link *l, const struct err *why)
{
	struct ssh_ask *a;

	l->running = 0;
	/* A callback may close the link, which drops the remaining requests. */
	while ((a = l->asks)) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): an answered one has left l->asks */
		a->channel = NULL; /* went with the session */
		if (a->abandoned) {
			unlink_ask(a);
			ssh_ask_give(l->shard, a);
			continue;
		}
		a->err = *why;
		ask_answer(a);
	}
}

void ssh_asks_drop(struct ssh_link *l)
{
	struct ssh_ask *next;

	for (; l->asks; l->asks = next) {
		next = l->asks->next;
		ssh_ask_give(l->shard, l->asks);
	}
	l->running = 0;
}

void ssh_asks_signal(struct ssh_link *l)
{
	if (l->session)
		ssh_shell_signal(l);
	for (struct ssh_ask *a = l->asks; a && l->session; a = a->next)
		if (takes_signal(a))
			(void)ssh_channel_request_send_signal(a->channel, "TERM");
}

struct ssh_ask *ssh_ask_new(
	struct ssh_link *l, const struct request *r, enum poll_tier tier, answer_fn *fn, void *ctx)
{
	struct ssh_ask *a = ssh_ask_take(l->shard, l, r), **at = &l->asks;

	a->port = r->forward_port;
	a->confirmed = !r->confirmed;
	a->tier = tier;
	/* The first question is one for the shell, which the fast tier needs right after it. */
	a->shell = tier == POLL_FAST || tier == POLL_DETECT ? ssh_shell_wants(l, r)
							    : ssh_quick_wants(l, r, tier);
	a->fn = fn;
	a->ctx = ctx;
	a->began_us = ssh_now_us(l);
	a->deadline_us = a->began_us + r->timeout_us;
	a->wire_mark = l->wire.in_bytes;
	while (*at)
		at = &(*at)->next;
	*at = a;
	return a;
}
