/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

/* Connections to a port of the device itself, through a real OpenSSH server. */

#define PATIENCE_MS 20000
#define HELLO       "CLIENT PROTOCOL 2\nSET FORMAT json\n"
#define REPORT      "{\"nccl_version\":\"2.30.7\"}\n"

enum manner {
	NEW,    /* knows JSON */
	OLD,    /* does not */
	HALF,   /* closes in the middle */
	FLOOD,  /* never stops */
	SILENT, /* accepts, and says nothing */
};

struct told {
	unsigned ends;
	char text[4096];
	size_t len;
	uint64_t received;
	struct err err;
};

/* One listener; one connection at a time is all that is asked of it. */
struct peer {
	enum manner manner;
	uv_tcp_t listener, client;
	unsigned port, accepted;
	bool listens, connected, status_asked;
	char line[256];
	size_t len;
};

struct fixture {
	struct ssh_rig rig;
	struct peer peer;
};

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition)) {                                                             \
			if (now_ms() > until_)                                                     \
				fail_msg("%s: not within %d s", #condition, PATIENCE_MS / 1000);   \
			uv_run(&(f)->rig.loop, UV_RUN_ONCE);                                       \
		}                                                                                  \
	} while (0)

/* ---- the listener ---- */

static void on_closed(uv_handle_t *h)
{
	((struct peer *)h->data)->connected = false;
}

static void hang_up(struct peer *p)
{
	if (p->connected && !uv_is_closing((uv_handle_t *)&p->client))
		uv_close((uv_handle_t *)&p->client, on_closed);
}

static void flood(struct peer *p);

static void on_written(uv_write_t *w, int status)
{
	struct peer *p = w->data;

	free(w);
	if (status == 0 && p->manner == FLOOD && p->status_asked && p->connected &&
		!uv_is_closing((uv_handle_t *)&p->client))
		flood(p);
}

static void say(struct peer *p, const char *text)
{
	uv_write_t *w = mem_calloc(1, sizeof(*w));
	uv_buf_t b = uv_buf_init((char *)text, (unsigned)strlen(text));

	w->data = p;
	assert_int_equal(uv_write(w, (uv_stream_t *)&p->client, &b, 1, on_written), 0);
}

static void flood(struct peer *p)
{
	static char junk[32769];

	memset(junk, 'x', sizeof(junk) - 1);
	say(p, junk);
}

static void on_line(struct peer *p, const char *line)
{
	if (p->manner == SILENT)
		return;
	if (str_starts(line, "CLIENT PROTOCOL")) {
		say(p, "SERVER PROTOCOL 2\n");
	} else if (p->manner == OLD && str_starts(line, "SET FORMAT")) {
		say(p, "ERROR: Unknown command SET FORMAT json\n");
	} else if (str_starts(line, "SET FORMAT")) {
		say(p, "OK\n");
	} else if (str_starts(line, "STATUS")) {
		p->status_asked = true;
		if (p->manner == FLOOD) {
			flood(p);
			return;
		}
		say(p, p->manner == HALF ? "{\"nccl_ver" : REPORT);
		hang_up(p);
	}
}

static void on_alloc(uv_handle_t *h, size_t size, uv_buf_t *b)
{
	struct peer *p = h->data;

	(void)size;
	*b = uv_buf_init(p->line + p->len, (unsigned)(sizeof(p->line) - 1 - p->len));
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct peer *p = s->data;
	char *end;

	(void)b;
	if (n <= 0) {
		hang_up(p);
		return;
	}
	p->len += (size_t)n;
	p->line[p->len] = '\0';
	while ((end = strchr(p->line, '\n'))) {
		*end = '\0';
		on_line(p, p->line);
		p->len -= (size_t)(end + 1 - p->line);
		memmove(p->line, end + 1, p->len + 1);
	}
}

static void on_connection(uv_stream_t *s, int status)
{
	struct peer *p = s->data;

	assert_int_equal(status, 0);
	assert_false(p->connected);
	uv_tcp_init(s->loop, &p->client);
	p->client.data = p;
	p->connected = true;
	p->accepted++;
	p->len = 0;
	assert_int_equal(uv_accept(s, (uv_stream_t *)&p->client), 0);
	uv_read_start((uv_stream_t *)&p->client, on_alloc, on_read);
}

static void listen_as(struct fixture *f, enum manner manner)
{
	struct peer *p = &f->peer;
	struct sockaddr_in a;

	memset(p, 0, sizeof(*p));
	p->manner = manner;
	p->port = slot_port();
	assert_int_equal(uv_ip4_addr("127.0.0.1", (int)p->port, &a), 0);
	uv_tcp_init(&f->rig.loop, &p->listener);
	p->listener.data = p;
	p->listens = true;
	assert_int_equal(uv_tcp_bind(&p->listener, (const struct sockaddr *)&a, 0), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&p->listener, 4, on_connection), 0);
}

/* ---- the fixture ---- */

static void on_answer(void *ctx, const struct answer *a)
{
	struct told *t = ctx;

	assert_int_equal(t->ends++, 0);
	assert_int_equal(a->bytes[a->len], 0);
	t->err = a->err;
	t->len = a->len;
	t->received = a->received;
	(void)str_copy(t->text, sizeof(t->text), a->bytes);
}

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

static int setup(void **state)
{
	struct fixture *f = *state;

	memset(&f->peer, 0, sizeof(f->peer));
	ssh_rig_open(&f->rig, NULL);
	vec_reserve(&f->rig.requests.at, 64); /* elements must not move */
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	hang_up(&f->peer);
	if (f->peer.listens)
		uv_close((uv_handle_t *)&f->peer.listener, NULL);
	ssh_rig_close(&f->rig);
	return 0;
}

static void go_up(struct fixture *f)
{
	transport_ssh.connect(f->rig.link);
	AWAIT(f, f->rig.ups);
}

static struct request *forward(struct fixture *f, unsigned port)
{
	return requests_forward(
		&f->rig.requests, "nccl-ras", (uint16_t)port, HELLO, "OK", "STATUS\n");
}

static void ask(struct fixture *f, const struct request *r, struct told *t)
{
	transport_ssh.ask(f->rig.link, r, POLL_MEDIUM, on_answer, t);
	AWAIT(f, t->ends);
}

/* The link is as good as before. */
static void still_answers(struct fixture *f)
{
	struct told t = {0};

	transport_ssh.ask(f->rig.link, requests_ssh(&f->rig.requests, "fast", "echo fast", NULL),
		POLL_FAST, on_answer, &t);
	AWAIT(f, t.ends);
	assert_string_equal(t.text, "fast\n");
	assert_int_equal(f->rig.ups, 1);
	assert_int_equal(f->rig.downs, 0);
}

/* ---- tests ---- */

CASE_WITH(asks_for_the_report_when_it_is_understood, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0}, again = {0};

	go_up(f);
	listen_as(f, NEW);
	ask(f, forward(f, f->peer.port), &t);
	assert_int_equal(t.err.code, ERR_NONE);
	assert_string_equal(t.text, "SERVER PROTOCOL 2\nOK\n" REPORT);
	AWAIT(f, !f->peer.connected);
	ask(f, forward(f, f->peer.port), &again);
	assert_string_equal(again.text, t.text);
	assert_int_equal(f->peer.accepted, 2);
	still_answers(f);
}

CASE_WITH(asks_no_more_where_it_is_not, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};

	go_up(f);
	listen_as(f, OLD);
	ask(f, forward(f, f->peer.port), &t);
	assert_int_equal(t.err.code, ERR_NONE);
	assert_string_equal(t.text, "SERVER PROTOCOL 2\nERROR: Unknown command SET FORMAT json\n");
	assert_false(f->peer.status_asked);
	AWAIT(f, !f->peer.connected); /* we hung up */
	still_answers(f);
}

CASE_WITH(needs_no_confirmation, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	struct request *r;

	go_up(f);
	listen_as(f, NEW);
	r = requests_forward(
		&f->rig.requests, "nccl-ras", (uint16_t)f->peer.port, HELLO "STATUS\n", NULL, NULL);
	ask(f, r, &t);
	assert_string_equal(t.text, "SERVER PROTOCOL 2\nOK\n" REPORT);
}

CASE_WITH(hands_over_half_an_answer, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};

	go_up(f);
	listen_as(f, HALF);
	ask(f, forward(f, f->peer.port), &t);
	assert_int_equal(t.err.code, ERR_NONE);
	assert_string_equal(t.text, "SERVER PROTOCOL 2\nOK\n{\"nccl_ver");
	still_answers(f);
}

CASE_WITH(bounds_a_flood, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	struct request *r;

	go_up(f);
	listen_as(f, FLOOD);
	r = forward(f, f->peer.port);
	r->cap = 65536;
	ask(f, r, &t);
	assert_int_equal(t.err.code, ERR_LIMIT);
	assert_true(t.len <= 65536);
	AWAIT(f, !f->peer.connected);
	still_answers(f);
}

CASE_WITH(gives_up_one_that_says_nothing, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	struct request *r;

	go_up(f);
	listen_as(f, SILENT);
	r = forward(f, f->peer.port);
	r->timeout_us = CLOCK_SEC / 4;
	ask(f, r, &t);
	assert_int_equal(t.err.code, ERR_TIMEOUT);
	assert_non_null(strstr(t.err.text, "nccl-ras: localhost port "));
	AWAIT(f, !f->peer.connected);
	still_answers(f);
}

CASE_WITH(tells_of_a_closed_port, setup, teardown)
{
	struct fixture *f = *state;
	struct told t[12] = {0};
	unsigned port = slot_port();
	char expected[128];

	go_up(f);
	(void)snprintf(expected, sizeof(expected),
		"nccl-ras: no process listens on localhost port %u of 127.0.0.1", port);
	/* More often than the device has channels: none is lost by it. */
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		ask(f, forward(f, port), &t[i]);
		assert_int_equal(t[i].err.code, ERR_UNREACHABLE);
		assert_string_equal(t[i].err.text, expected);
		assert_non_null(strstr(t[i].err.cure, "NCCL_RAS_ENABLE"));
	}
	still_answers(f);
}

CASE_WITH(tells_that_forwarding_is_forbidden, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};

	sshd_start(&f->rig.own, &f->rig.scratch, 0, "AllowTcpForwarding no");
	f->rig.device.port = f->rig.own.port;
	go_up(f);
	listen_as(f, NEW);
	ask(f, forward(f, f->peer.port), &t);
	assert_int_equal(t.err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(t.err.text, "forwards no connection to localhost port"));
	assert_non_null(strstr(t.err.cure, "AllowTcpForwarding"));
	assert_int_equal(f->peer.accepted, 0);
	still_answers(f);
}

/* It goes with the session, and nobody is told anything after that. */
CASE_WITH(goes_with_the_link, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};

	go_up(f);
	listen_as(f, SILENT);
	transport_ssh.ask(f->rig.link, forward(f, f->peer.port), POLL_MEDIUM, on_answer, &t);
	AWAIT(f, f->peer.connected);
	assert_int_equal(t.ends, 0);
}

int main(void)
{
	(void)signal(SIGPIPE, SIG_IGN); /* a connection that we write to is closed under us */
	return cases_run(setup_group, ssh_rig_group_end);
}
