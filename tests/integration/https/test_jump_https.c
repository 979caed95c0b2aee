/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/transport/transport.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/bastion.h"
#include "tests/integration/https/https.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

/* HTTPS devices behind a bastion: a real TLS server behind a real OpenSSH server. */

#define PATIENCE_MS 30000
#define PEERS       4

struct peer {
	const struct transport *transport;
	struct plan_device device;
	struct device_link *link;
	unsigned ups, downs, agains, replies;
	struct err why, err;
	char bytes[64];
	size_t len;
};

struct fixture {
	struct scratch scratch;
	struct bastion bastion, other;
	struct https *server;
	unsigned port;
	uv_loop_t loop;
	uv_timer_t guard;
	void *shards[TRANSPORT_COUNT];
	struct request_list requests;
	struct credential credential;
	struct peer peers[PEERS];
	unsigned n;
};

/* ---- events ---- */

static void on_up(void *ctx)
{
	((struct peer *)ctx)->ups++;
}

static void on_down(void *ctx, const struct err *why)
{
	struct peer *p = ctx;

	p->downs++;
	p->why = *why;
}

static void on_again(void *ctx)
{
	((struct peer *)ctx)->agains++;
}

static void on_reply(void *ctx, const struct answer *a)
{
	struct peer *p = ctx;

	p->replies++;
	p->err = a->err;
	p->len = a->len;
	str_copyn(p->bytes, sizeof(p->bytes), a->bytes, a->len);
}

static void on_guard(uv_timer_t *t)
{
	(void)t;
}

static void await(struct fixture *f, const unsigned *count, unsigned want, const char *what)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (*count < want) {
		if (now_ms() > until)
			fail_msg("%s: not within %d s; the first is down for: %s (%s)", what,
				PATIENCE_MS / 1000, f->peers[0].why.text, f->peers[0].why.cure);
		uv_run(&f->loop, UV_RUN_ONCE);
	}
}

static void says(const struct err *e, const char *words)
{
	if (!strstr(e->text, words))
		fail_msg("\"%s\" is not in: %s (%s)", words, e->text, e->cure);
}

/* ---- fixture ---- */

static void know(struct fixture *f)
{
	sshd_write_known_hosts(&f->bastion.sshd);
	scratch_run(&f->scratch,
		"printf '[127.0.0.1]:%u %%s\\n' \"$(cut -d' ' -f1,2 host_key.pub)\" >> known_hosts",
		f->other.sshd.port);
}

static void restart(struct fixture *f, const char *extra)
{
	unsigned port = f->bastion.sshd.port;

	if (f->bastion.sshd.pid > 0)
		bastion_kill(&f->bastion);
	bastion_start(&f->bastion, &f->scratch, port, extra);
	know(f);
}

static struct peer *peer_new(struct fixture *f, enum transport_kind kind, const char *address,
	unsigned port, const struct bastion *b)
{
	struct peer *p = &f->peers[f->n];
	struct plan_device *d = &p->device;
	struct link_events events = {.up = on_up, .down = on_down, .again = on_again, .ctx = p};

	memset(p, 0, sizeof(*p));
	(void)str_printf(d->name, sizeof(d->name), "spine-%03u", f->n++);
	p->transport = transport_of(kind);
	d->address = mem_strdup(address);
	d->port = port;
	d->user = mem_strdup(b->sshd.user);
	d->identity = mem_strdup(scratch_path(&f->scratch, "user_key"));
	d->known_hosts = mem_strdup(scratch_path(&f->scratch, "known_hosts"));
	d->tls_ca = mem_strdup(scratch_path(&f->scratch, "ca.pem"));
	d->jump = mem_strdup(b->jump);
	p->link = p->transport->open(f->shards[kind], d, &all_reads_ops, &f->credential, &events);
	p->transport->connect(p->link);
	return p;
}

static void serve(struct fixture *f, const char *certificate)
{
	f->server = https_start(&f->scratch, certificate, &f->port);
}

static struct peer *device(struct fixture *f)
{
	return peer_new(f, TRANSPORT_HTTPS, "127.0.0.1", f->port, &f->bastion);
}

static void ask_in(struct fixture *f, struct peer *p, const char *path, enum poll_tier tier)
{
	vec_reserve(&f->requests.at, 256); /* elements must not move */
	p->transport->ask(p->link, requests_http(&f->requests, "test", "GET", path, NULL, NULL),
		tier, on_reply, p);
}

static void ask(struct fixture *f, struct peer *p, const char *path)
{
	unsigned want = p->replies + 1;

	ask_in(f, p, path, POLL_FAST);
	await(f, &p->replies, want, path);
}

static void is_served(struct fixture *f, struct peer *p)
{
	ask(f, p, "/ok");
	if (p->err.code != ERR_NONE)
		fail_msg("%s (%s)", p->err.text, p->err.cure);
	assert_string_equal(p->bytes, "hello");
}

/* Asked, it fails and is down. */
static void is_down(struct fixture *f, struct peer *p, enum err_code code, const char *words)
{
	unsigned want = p->downs + 1;

	ask(f, p, "/ok");
	await(f, &p->downs, want, "down");
	assert_false(p->transport->ready(p->link));
	assert_int_equal(p->err.code, code);
	assert_int_equal(p->why.code, code);
	assert_string_equal(p->why.origin, p->device.name);
	says(&p->why, words);
}

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	scratch_open(&f->scratch);
	https_certificates(&f->scratch);
	sshd_keys(&f->scratch);
	setenv("HOME", f->scratch.dir, 1);
	unsetenv("SSH_AUTH_SOCK");
	bastion_start(&f->other, &f->scratch, 0, "PermitOpen 127.0.0.1:1");
	bastion_start(&f->bastion, &f->scratch, 0, "");
	know(f);
	*state = f;
	return 0;
}

static int teardown_group(void **state)
{
	struct fixture *f = *state;

	bastion_kill(&f->bastion);
	bastion_kill(&f->other);
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = *state;

	f->n = 0;
	f->port = 0;
	f->server = NULL;
	uv_loop_init(&f->loop);
	uv_timer_init(&f->loop, &f->guard);
	uv_timer_start(&f->guard, on_guard, 200, 200);
	for (int k = 0; k < TRANSPORT_COUNT; k++)
		f->shards[k] = transport_of((enum transport_kind)k)->shard_open(&f->loop);
	(void)bastion_logins(&f->bastion);
	(void)bastion_logins(&f->other);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < f->n; i++) {
		struct peer *p = &f->peers[i];

		if (p->link)
			p->transport->close(p->link);
		free(p->device.address);
		free(p->device.user);
		free(p->device.identity);
		free(p->device.known_hosts);
		free(p->device.tls_ca);
		free(p->device.jump);
	}
	for (int k = 0; k < TRANSPORT_COUNT; k++)
		transport_of((enum transport_kind)k)->shard_close(f->shards[k]);
	uv_close((uv_handle_t *)&f->guard, NULL);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	if (f->server)
		https_stop(f->server);
	requests_free(&f->requests);
	return 0;
}

/* ---- tests ---- */

CASE_WITH(asks_through_a_bastion_and_keeps_the_connection, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;

	serve(f, "good");
	p = device(f);
	assert_true(p->transport->ready(p->link));
	assert_int_equal(p->ups, 0);
	for (int i = 0; i < 20; i++)
		is_served(f, p);
	assert_int_equal(p->ups, 1);
	assert_int_equal(https_connections(f->server), 1);
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

/* A lane a tier, a connection a lane; SSH devices of the loop are behind the same session. */
CASE_WITH(shares_one_session, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p[2], *ssh;

	serve(f, "good");
	ssh = peer_new(f, TRANSPORT_SSH, "127.0.0.1", f->other.sshd.port, &f->bastion);
	for (unsigned i = 0; i < 2; i++) {
		p[i] = device(f);
		for (int tier = POLL_FAST; tier <= POLL_SLOW; tier++)
			ask_in(f, p[i], "/ok", (enum poll_tier)tier);
	}
	for (unsigned i = 0; i < 2; i++)
		await(f, &p[i]->replies, 3, "three lanes");
	await(f, &ssh->ups, 1, "ssh");
	assert_int_equal(p[0]->err.code, ERR_NONE);
	assert_int_equal(p[1]->err.code, ERR_NONE);
	assert_in_range(https_connections(f->server), 2, 6);
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

CASE_WITH(carries_more_than_a_window, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;
	struct request *q;

	serve(f, "good");
	p = device(f);
	vec_reserve(&f->requests.at, 256);
	q = requests_http(&f->requests, "test", "GET", "/huge", NULL, NULL);
	q->cap = 5000000;
	p->transport->ask(p->link, q, POLL_FAST, on_reply, p);
	await(f, &p->replies, 1, "huge");
	assert_int_equal(p->err.code, ERR_LIMIT);
	assert_int_equal(p->downs, 0);
	is_served(f, p);
}

CASE_WITH(the_certificate_is_the_devices, setup, teardown)
{
	struct fixture *f = *state;

	serve(f, "foreign");
	is_down(f, device(f), ERR_UNAUTHORISED, "the certificate of 127.0.0.1 port");
	says(&f->peers[0].why, "through bastion 127.0.0.1");
}

CASE_WITH(a_certificate_for_the_name_will_do, setup, teardown)
{
	struct fixture *f = *state;

	serve(f, "named");
	is_served(f, device(f));
	assert_int_equal(f->peers[0].downs, 0);
}

CASE_WITH(says_who_does_not_listen, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, TRANSPORT_HTTPS, "127.0.0.1", slot_port(), &f->bastion);

	is_down(f, p, ERR_UNREACHABLE, "bastion 127.0.0.1 has no connection to 127.0.0.1 port");
	says(&p->why, "refused");
}

CASE_WITH(names_are_the_bastions_business, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, TRANSPORT_HTTPS, "no-such-host.invalid", 443, &f->bastion);

	is_down(f, p, ERR_UNREACHABLE,
		"bastion 127.0.0.1 has no connection to no-such-host.invalid port 443");
}

CASE_WITH(a_silent_device_keeps_nobody, setup, teardown)
{
	struct fixture *f = *state;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct peer *p;
	struct request *q;

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	serve(f, "good");
	p = peer_new(f, TRANSPORT_HTTPS, "127.0.0.1", ntohs(at.sin_port), &f->bastion);
	vec_reserve(&f->requests.at, 256);
	q = requests_http(&f->requests, "test", "GET", "/ok", NULL, NULL);
	q->timeout_us = CLOCK_SEC;
	p->transport->ask(p->link, q, POLL_FAST, on_reply, p);
	is_served(f, device(f));
	await(f, &p->downs, 1, "silence");
	assert_int_equal(p->why.code, ERR_UNREACHABLE);
	says(&p->why, "through bastion 127.0.0.1");
	(void)close(fd);
}

CASE_WITH(says_that_forwarding_is_off, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;

	serve(f, "good");
	p = peer_new(f, TRANSPORT_HTTPS, "127.0.0.1", f->port, &f->other);
	is_down(f, p, ERR_UNAUTHORISED, "bastion 127.0.0.1 does not forward to 127.0.0.1 port");
	assert_non_null(strstr(p->why.cure, "PermitOpen"));
}

/* Behind two bastions an address is two devices: a connection to one is none to the other. */
CASE_WITH(an_address_is_not_a_device, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;

	serve(f, "good");
	is_served(f, device(f));
	p = peer_new(f, TRANSPORT_HTTPS, "127.0.0.1", f->port, &f->other);
	is_down(f, p, ERR_UNAUTHORISED, "does not forward");
	is_served(f, &f->peers[0]);
	assert_int_equal(https_connections(f->server), 1);
}

CASE_WITH(says_why_there_is_no_bastion, setup, teardown)
{
	struct fixture *f = *state;
	struct bastion nobody = f->bastion;
	struct peer *p;

	(void)str_printf(nobody.jump, sizeof(nobody.jump), "127.0.0.1:%u", slot_port());
	p = peer_new(f, TRANSPORT_HTTPS, "127.0.0.1", 443, &nobody);
	is_down(f, p, ERR_UNREACHABLE, "bastion 127.0.0.1: 127.0.0.1 port");
}

/* A request made while the bastion is away fails with its reason; its return is reported. */
CASE_WITH(comes_back_with_its_bastion, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;

	serve(f, "good");
	p = device(f);
	is_served(f, p);
	bastion_kill(&f->bastion);
	is_down(f, p, ERR_UNREACHABLE, "bastion 127.0.0.1: ");
	for (unsigned i = 2; i < 4; i++) {
		p->transport->connect(p->link);
		await(f, &p->downs, i, "still down");
		says(&p->why, "bastion 127.0.0.1: ");
	}
	assert_int_equal(p->agains, 0);
	f->bastion.sshd.pid = 0;
	restart(f, "");
	await(f, &p->agains, 1, "again");
	p->transport->connect(p->link);
	is_served(f, p);
	assert_int_equal(p->ups, 2);
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

/* In the middle of an answer: the question fails for the bastion, not for TLS. */
CASE_WITH(loses_its_bastion_in_the_middle, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;

	serve(f, "good");
	p = device(f);
	is_served(f, p);
	ask_in(f, p, "/stall", POLL_FAST);
	while (https_asked(f->server) < 2)
		uv_run(&f->loop, UV_RUN_ONCE);
	bastion_kill(&f->bastion);
	await(f, &p->downs, 1, "down");
	assert_int_equal(p->err.code, ERR_UNREACHABLE);
	says(&p->why, "bastion 127.0.0.1: connection lost");
	f->bastion.sshd.pid = 0;
	restart(f, "");
}

CASE_WITH(closes_in_the_middle_of_everything, setup, teardown)
{
	struct fixture *f = *state;

	serve(f, "good");
	for (unsigned turns = 0; turns < 16; turns++) {
		struct peer *p = device(f);

		ask_in(f, p, "/ok", POLL_FAST);
		ask_in(f, p, "/ok", POLL_SLOW);
		for (unsigned i = 0; i < turns * 2; i++)
			uv_run(&f->loop, UV_RUN_ONCE);
		p->transport->close(p->link);
		p->link = NULL;
		free(p->device.address);
		free(p->device.user);
		free(p->device.identity);
		free(p->device.known_hosts);
		free(p->device.tls_ca);
		free(p->device.jump);
		f->n--;
	}
	is_served(f, device(f));
	ask_in(f, device(f), "/ok", POLL_FAST); /* closed by the teardown as it opens */
}

/* ---- list ---- */

CASES_MAIN(setup_group, teardown_group)
