/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/bastion.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

/* Devices behind a bastion: two real OpenSSH servers, the rig's for the devices. */

#define PATIENCE_MS 30000
#define CROWD       24

struct peer {
	struct plan_device device;
	struct device_link *link;
	unsigned ups, downs, agains;
	struct err why;
	bool came;
	size_t len;
	char bytes[64];
	struct err err;
};

struct fixture {
	struct ssh_rig rig;
	struct bastion bastion;
	struct peer peers[CROWD];
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

static void on_rig_down(void *ctx, const struct err *why)
{
	(void)ctx;
	(void)why;
}

static void on_reply(void *ctx, const struct answer *a)
{
	struct peer *p = ctx;

	p->came = true;
	p->len = a->len;
	p->err = a->err;
	(void)str_copy(p->bytes, sizeof(p->bytes), a->bytes);
}

static void turn(struct fixture *f, int64_t until, const char *what)
{
	if (now_ms() > until)
		fail_msg("%s: nothing happened; the first is down for: %s", what,
			f->peers[0].why.text);
	uv_run(&f->rig.loop, UV_RUN_ONCE);
}

static void await(struct fixture *f, const unsigned *count, unsigned want)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (*count < want)
		turn(f, until, "await");
}

/* ---- the bastion ---- */

/* Both are known: they have one host key, and are told apart by their ports. */
static void know_both(struct fixture *f)
{
	sshd_write_known_hosts(&f->rig.sshd);
	scratch_run(&f->rig.scratch,
		"printf '[127.0.0.1]:%u %%s\\n' \"$(cut -d' ' -f1,2 host_key.pub)\" >> known_hosts",
		f->bastion.sshd.port);
}

static void gate_start(struct fixture *f, unsigned port, const char *extra)
{
	bastion_start(&f->bastion, &f->rig.scratch, port, extra);
	know_both(f);
}

/* ---- devices ---- */

static struct peer *peer_new(struct fixture *f, unsigned port)
{
	struct peer *p = &f->peers[f->n];
	struct plan_device *d = &p->device;

	memset(p, 0, sizeof(*p));
	(void)str_printf(d->name, sizeof(d->name), "leaf-r0-%02u", f->n++);
	d->address = mem_strdup("127.0.0.1");
	d->port = port;
	d->user = mem_strdup(f->rig.sshd.user);
	d->identity = mem_strdup(scratch_path(&f->rig.scratch, "user_key"));
	d->known_hosts = mem_strdup(scratch_path(&f->rig.scratch, "known_hosts"));
	d->jump = mem_strdup(f->bastion.jump);
	return p;
}

static void connect_to(struct fixture *f, struct peer *p)
{
	struct link_events events = {.up = on_up, .down = on_down, .again = on_again, .ctx = p};

	if (!p->link)
		p->link =
			transport_ssh.open(f->rig.shard, &p->device, &all_reads_ops, NULL, &events);
	transport_ssh.connect(p->link);
}

static void go_up(struct fixture *f, struct peer *p)
{
	unsigned want = p->ups + 1;
	int64_t until = now_ms() + PATIENCE_MS;

	connect_to(f, p);
	while (p->ups < want) {
		if (p->downs)
			fail_msg("down: %s (%s)", p->why.text, p->why.cure);
		turn(f, until, "go up");
	}
}

static void go_down(struct fixture *f, struct peer *p)
{
	unsigned want = p->downs + 1;

	connect_to(f, p);
	await(f, &p->downs, want);
	assert_false(transport_ssh.ready(p->link));
	assert_string_equal(p->why.origin, p->device.name);
}

static void ask(struct fixture *f, struct peer *p, const char *command, const char *input)
{
	vec_reserve(&f->rig.requests.at, 256); /* elements must not move */
	p->came = false;
	transport_ssh.ask(p->link, requests_ssh(&f->rig.requests, "test", command, input),
		POLL_FAST, on_reply, p);
}

static void await_reply(struct fixture *f, struct peer *p)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!p->came)
		turn(f, until, "reply");
}

static void run_is(struct fixture *f, struct peer *p, const char *command, const char *want)
{
	ask(f, p, command, NULL);
	await_reply(f, p);
	if (p->err.code != ERR_NONE)
		fail_msg("%s: %s", command, p->err.text);
	assert_string_equal(p->bytes, want);
}

static void says(const struct err *e, const char *words)
{
	if (!strstr(e->text, words))
		fail_msg("\"%s\" is not in: %s (%s)", words, e->text, e->cure);
}

static void config(struct fixture *f, struct peer *p, const char *text)
{
	scratch_write(&f->rig.scratch, "config", text);
	free(p->device.ssh_config);
	p->device.ssh_config = mem_strdup(scratch_path(&f->rig.scratch, "config"));
}

/* ---- fixture ---- */

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ssh_rig_start(&f->rig);
	gate_start(f, 0, "");
	*state = f;
	return 0;
}

static int teardown_group(void **state)
{
	struct fixture *f = *state;

	bastion_kill(&f->bastion);
	ssh_rig_stop(&f->rig);
	free(f);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = *state;
	struct link_events events = {.down = on_rig_down};

	f->n = 0;
	ssh_rig_open(&f->rig, &events);
	know_both(f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < f->n; i++) {
		struct plan_device *d = &f->peers[i].device;

		if (f->peers[i].link)
			transport_ssh.close(f->peers[i].link);
		f->peers[i].link = NULL;
		free(d->address);
		free(d->user);
		free(d->identity);
		free(d->known_hosts);
		free(d->ssh_config);
		free(d->jump);
	}
	ssh_rig_close(&f->rig);
	return 0;
}

/* ---- tests ---- */

CASE_WITH(asks_through_a_bastion, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);
	char want[64];

	go_up(f, p);
	/* The device sees the bastion, which is this machine, as its client, and not us. */
	(void)str_printf(want, sizeof(want), "%u\n", f->rig.sshd.port);
	run_is(f, p, "echo ${SSH_CONNECTION##* }", want);
}

CASE_WITH(shares_one_session, setup, teardown)
{
	struct fixture *f = *state;

	(void)bastion_logins(&f->bastion);
	for (unsigned i = 0; i < CROWD; i++)
		connect_to(f, peer_new(f, f->rig.sshd.port));
	for (unsigned i = 0; i < CROWD; i++)
		await(f, &f->peers[i].ups, 1);
	for (unsigned i = 0; i < CROWD; i++)
		ask(f, &f->peers[i], "echo here", NULL);
	for (unsigned i = 0; i < CROWD; i++) {
		await_reply(f, &f->peers[i]);
		assert_string_equal(f->peers[i].bytes, "here\n");
	}
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

CASE_WITH(carries_more_than_a_window_both_ways, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);
	size_t n = 3000000;
	char *input = mem_alloc(n + 1);

	memset(input, 'x', n);
	input[n] = '\0';
	go_up(f, p);
	ask(f, p, "head -c 5000000 /dev/zero | tr '\\0' x", NULL);
	await_reply(f, p);
	assert_int_equal(p->err.code, ERR_NONE);
	assert_int_equal(p->len, 5000000);
	ask(f, p, "wc -c", input);
	await_reply(f, p);
	assert_string_equal(p->bytes, "3000000\n");
	free(input);
}

/* Both sessions, again and again, with the devices' bytes under way. */
CASE_WITH(renews_the_keys_of_both_layers, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;
	char extra[64];
	unsigned old = f->bastion.sshd.port;

	bastion_kill(&f->bastion);
	(void)str_printf(extra, sizeof(extra), "RekeyLimit 300K");
	sshd_start(&f->rig.own, &f->rig.scratch, 0, "RekeyLimit 200K");
	gate_start(f, old, extra);
	scratch_run(&f->rig.scratch,
		"printf '[127.0.0.1]:%u %%s\\n' \"$(cut -d' ' -f1,2 host_key.pub)\" >> known_hosts",
		f->rig.own.port);
	p = peer_new(f, f->rig.own.port);
	go_up(f, p);
	for (int i = 0; i < 3; i++) {
		ask(f, p, "head -c 2000000 /dev/zero | tr '\\0' x", NULL);
		await_reply(f, p);
		assert_int_equal(p->err.code, ERR_NONE);
		assert_int_equal(p->len, 2000000);
	}
	bastion_kill(&f->bastion);
	gate_start(f, old, "");
}

CASE_WITH(a_device_that_hangs_keeps_nobody, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *hung, *p;
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	hung = peer_new(f, ntohs(at.sin_port));
	connect_to(f, hung);
	p = peer_new(f, f->rig.sshd.port);
	go_up(f, p);
	run_is(f, p, "echo here", "here\n");
	assert_int_equal(hung->downs, 0);
	await(f, &hung->downs, 1);
	assert_int_equal(hung->why.code, ERR_TIMEOUT);
	says(&hung->why, "SSH handshake");
	says(&hung->why, "through bastion 127.0.0.1");
	run_is(f, p, "echo still", "still\n");
	(void)close(fd);
}

/*
 * No process accepts the connection, so the bastion still opens it long after the attempt at the
 * device has failed. The bastion is not asked for another one meanwhile; the next attempt takes
 * over the first.
 */
CASE_WITH(an_attempt_takes_over_what_still_opens, setup, teardown)
{
	struct fixture *f = *state;
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), filler[4];
	int64_t until = now_ms() + 3 * PATIENCE_MS;
	struct peer *p;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	for (unsigned i = 0; i < 4; i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(filler[i], (struct sockaddr *)&at, sizeof(at));
	}
	p = peer_new(f, ntohs(at.sin_port));
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNREACHABLE);
	says(&p->why, "during opening the connection (through bastion 127.0.0.1)");
	connect_to(f, p);
	for (unsigned i = 0; i < 4; i++)
		(void)close(filler[i]);
	while (p->downs < 2) {
		int taken = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (taken >= 0)
			(void)close(taken);
		turn(f, until, "take over");
	}
	says(&p->why, "closed the connection before the SSH handshake");
	(void)close(fd);
	go_up(f, peer_new(f, f->rig.sshd.port));
}

/* One does not read its answers: its bytes must stay on their side of the bastion. */
CASE_WITH(a_flood_keeps_nobody, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *flood = peer_new(f, f->rig.sshd.port), *p = peer_new(f, f->rig.sshd.port);

	go_up(f, flood);
	go_up(f, p);
	ask(f, flood, "yes", NULL);
	for (int i = 0; i < 5; i++)
		run_is(f, p, "echo here", "here\n");
}

CASE_WITH(says_who_does_not_listen, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, slot_port()), *other;

	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNREACHABLE);
	says(&p->why, "bastion 127.0.0.1 has no connection to 127.0.0.1 port");
	says(&p->why, "refused");
	assert_non_null(strstr(p->why.cure, "on the bastion"));
	other = peer_new(f, f->rig.sshd.port);
	go_up(f, other);
}

CASE_WITH(names_are_the_bastions_business, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);

	free(p->device.address);
	p->device.address = mem_strdup("no-such-host.invalid");
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNREACHABLE);
	says(&p->why, "bastion 127.0.0.1 has no connection to no-such-host.invalid");
}

CASE_WITH(says_that_forwarding_is_off, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;
	unsigned old = f->bastion.sshd.port;

	bastion_kill(&f->bastion);
	gate_start(f, old, "AllowTcpForwarding no");
	p = peer_new(f, f->rig.sshd.port);
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNAUTHORISED);
	says(&p->why, "bastion 127.0.0.1 does not forward to 127.0.0.1 port");
	assert_non_null(strstr(p->why.cure, "AllowTcpForwarding"));
	bastion_kill(&f->bastion);
	gate_start(f, old, "");
}

CASE_WITH(verifies_the_bastion, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);

	sshd_write_known_hosts(&f->rig.sshd);
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNAUTHORISED);
	says(&p->why, "bastion 127.0.0.1: the host key of 127.0.0.1 port");
	know_both(f);
}

CASE_WITH(verifies_the_device_behind_it, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);

	sshd_write_known_hosts(&f->bastion.sshd);
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNAUTHORISED);
	says(&p->why, "the host key of 127.0.0.1 port");
	says(&p->why, "through bastion");
	know_both(f);
}

/* All are down for its reason, it is tried once in a while, and all are told when it is back. */
CASE_WITH(comes_back_with_its_bastion, setup, teardown)
{
	struct fixture *f = *state;
	unsigned old = f->bastion.sshd.port;

	for (unsigned i = 0; i < 5; i++)
		go_up(f, peer_new(f, f->rig.sshd.port));
	bastion_kill(&f->bastion);
	for (unsigned i = 0; i < 5; i++) {
		struct peer *p = &f->peers[i];

		await(f, &p->downs, 1);
		says(&p->why, "bastion 127.0.0.1: connection lost");
		/* Each tries at once, and none of them is the one that asks the bastion. */
		go_down(f, p);
		says(&p->why, "bastion 127.0.0.1: ");
		assert_int_equal(p->agains, 0);
	}
	gate_start(f, old, "");
	for (unsigned i = 0; i < 5; i++) {
		struct peer *p = &f->peers[i];

		await(f, &p->agains, 1);
		p->downs = 0;
		go_up(f, p);
		run_is(f, p, "echo back", "back\n");
	}
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

CASE_WITH(says_why_there_is_no_bastion, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p;
	char way[64];

	p = peer_new(f, f->rig.sshd.port);
	free(p->device.jump);
	(void)str_printf(way, sizeof(way), "127.0.0.1:%u", slot_port());
	p->device.jump = mem_strdup(way);
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_UNREACHABLE);
	says(&p->why, "bastion 127.0.0.1: 127.0.0.1 port");
	assert_non_null(strstr(p->why.cure, "of the bastion"));
}

CASE_WITH(goes_through_two, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);
	char way[160];

	(void)str_printf(way, sizeof(way), "%s,%s", f->bastion.jump, f->bastion.jump);
	free(p->device.jump);
	p->device.jump = mem_strdup(way);
	(void)bastion_logins(&f->bastion);
	go_up(f, p);
	run_is(f, p, "echo far", "far\n");
	assert_int_equal(bastion_logins(&f->bastion), 2);
}

CASE_WITH(honours_proxyjump, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);
	char text[512];

	free(p->device.jump);
	p->device.jump = NULL;
	(void)str_printf(text, sizeof(text),
		"Host gate\n\tHostName 127.0.0.1\n\tPort %u\n\tUser %s\n"
		"Host leaf-*\n\tProxyJump gate\n",
		f->bastion.sshd.port, f->bastion.sshd.user);
	config(f, p, text);
	(void)bastion_logins(&f->bastion);
	go_up(f, p);
	run_is(f, p, "echo here", "here\n");
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

CASE_WITH(the_inventory_says_none, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);

	free(p->device.jump);
	p->device.jump = mem_strdup("none");
	config(f, p, "Host *\n\tProxyJump no-such-host.invalid\n");
	(void)bastion_logins(&f->bastion);
	go_up(f, p);
	assert_int_equal(bastion_logins(&f->bastion), 0);
}

CASE_WITH(notices_a_circle, setup, teardown)
{
	struct fixture *f = *state;
	struct peer *p = peer_new(f, f->rig.sshd.port);

	free(p->device.jump);
	p->device.jump = NULL;
	config(f, p, "Host *\n\tProxyJump gate\n");
	go_down(f, p);
	assert_int_equal(p->why.code, ERR_CONFIG);
	says(&p->why, "bastion gate");
}

CASE_WITH(closes_in_the_middle_of_everything, setup, teardown)
{
	struct fixture *f = *state;

	for (unsigned turns = 0; turns < 12; turns++) {
		struct peer *p = peer_new(f, f->rig.sshd.port);

		connect_to(f, p);
		for (unsigned i = 0; i < turns * 2; i++)
			uv_run(&f->rig.loop, UV_RUN_ONCE);
		transport_ssh.close(p->link);
		p->link = NULL;
	}
	go_up(f, peer_new(f, f->rig.sshd.port));
	connect_to(f, peer_new(f, f->rig.sshd.port)); /* closed by the teardown as it opens */
}

/* ---- list ---- */

CASES_MAIN(setup_group, teardown_group)
