/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

/* The SSH transport against a real OpenSSH server. */

#define PATIENCE_MS 20000

struct fixture {
	struct ssh_rig rig;
};

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

static char *own(const char *s)
{
	return mem_strdup(s);
}

static void go_up(struct fixture *f)
{
	ssh_rig_up(&f->rig);
	assert_true(transport_ssh.ready(f->rig.link));
}

static void go_down(struct fixture *f)
{
	unsigned want = f->rig.downs + 1;

	transport_ssh.connect(f->rig.link);
	ssh_rig_await(&f->rig, &f->rig.downs, want);
	assert_false(transport_ssh.ready(f->rig.link));
	assert_string_equal(f->rig.why.origin, "leaf-r0-00");
}

/* A request that lives until the end of the test. */
static struct request *request(struct fixture *f, const char *command, const char *input)
{
	vec_reserve(&f->rig.requests.at, 64); /* elements must not move */
	return requests_ssh(&f->rig.requests, "test", command, input);
}

CASE_WITH(runs_a_command, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;

	go_up(f);
	r = ssh_rig_run(&f->rig, request(f, "printf hello", NULL));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_string_equal(r.bytes, "hello");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.received, 5);
	free(r.bytes);
}

CASE_WITH(sends_standard_input_and_its_end, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char *big = malloc(300001);
	struct ssh_reply r;

	memset(big, 'x', 300000);
	big[300000] = '\0';
	go_up(f);
	r = ssh_rig_run(&f->rig, request(f, "cat", "a line\n"));
	assert_string_equal(r.bytes, "a line\n");
	free(r.bytes);
	r = ssh_rig_run(&f->rig, request(f, "wc -c", big));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(atol(r.bytes), 300000);
	free(r.bytes);
	r = ssh_rig_run(&f->rig, request(f, "echo early", big));
	assert_string_equal(r.bytes, "early\n");
	free(r.bytes);
	free(big);
}

/* Sets the limit of unsent bytes on all sockets that are connected to the port. */
static unsigned keep_unsent(unsigned port, int bytes)
{
	unsigned n = 0;

	for (int fd = 3; fd < 256; fd++) {
		struct sockaddr_in to;
		socklen_t size = sizeof(to);

		if (getpeername(fd, (struct sockaddr *)&to, &size) == 0 &&
			to.sin_family == AF_INET && ntohs(to.sin_port) == port &&
			setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) == 0)
			n++;
	}
	return n;
}

/* For a second the server does not read: the rest of the data goes when the socket takes more. */
CASE_WITH(goes_on_when_the_socket_takes_more, ssh_rig_setup, ssh_rig_teardown)
{
	const size_t n = 1900000; /* less than the window that OpenSSH opens */
	struct fixture *f = *state;
	char *big = malloc(n + 1);
	struct ssh_reply r;

	memset(big, 'x', n);
	big[n] = '\0';
	go_up(f);
	assert_int_equal(keep_unsent(f->rig.device.port, 16384), 1);
	r = ssh_rig_run(
		&f->rig, request(f, "kill -STOP $PPID; sleep 1; kill -CONT $PPID; wc -c", big));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(atol(r.bytes), n);
	free(r.bytes);
	free(big);
}

CASE_WITH(quotes_standard_error_and_status, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;

	go_up(f);
	r = ssh_rig_run(&f->rig, request(f, "printf 'no \\033[31mrdma\\n' >&2; exit 3", NULL));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(r.err.text, "exit status 3"));
	assert_non_null(strstr(r.err.text, "rdma"));
	assert_null(strchr(r.err.text, 033));
	assert_int_equal(r.status, 3);
	free(r.bytes);
	/* With data there, it is for the dialect to judge. */
	r = ssh_rig_run(&f->rig, request(f, "echo data; echo warning >&2; exit 1", NULL));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_string_equal(r.bytes, "data\n");
	assert_int_equal(r.status, 1);
	assert_non_null(strstr(r.complaint, "warning"));
	free(r.bytes);
	r = ssh_rig_run(&f->rig, request(f, "kill -9 $$", NULL));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(r.err.text, "signal KILL"));
	free(r.bytes);
}

CASE_WITH(runs_channels_in_parallel, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply slow = {0}, r[12] = {{0}};
	struct request *q = request(f, "sleep 30", NULL);
	char command[64];

	go_up(f);
	q->timeout_us = 60 * CLOCK_SEC;
	transport_ssh.ask(f->rig.link, q, POLL_FAST, ssh_rig_reply, &slow);
	for (int i = 0; i < 12; i++) {
		(void)snprintf(command, sizeof(command), "echo %d", i);
		transport_ssh.ask(
			f->rig.link, request(f, command, NULL), POLL_FAST, ssh_rig_reply, &r[i]);
	}
	for (int i = 0; i < 12; i++) {
		ssh_rig_until(&f->rig, &r[i].came);
		assert_int_equal(r[i].err.code, ERR_NONE);
		assert_int_equal(atoi(r[i].bytes), i);
		free(r[i].bytes);
	}
	assert_false(slow.came);
}

CASE_WITH(bounds_an_endless_answer, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "head -c 100000000 /dev/zero | tr '\\0' x", NULL);
	struct ssh_reply r;

	go_up(f);
	q->cap = 1 << 20;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_LIMIT);
	assert_non_null(strstr(r.err.text, "1048576 bytes"));
	assert_true(r.received < 8 << 20);
	assert_true(r.len <= q->cap);
	free(r.bytes);
	/* The session goes on. */
	r = ssh_rig_run(&f->rig, request(f, "echo still here", NULL));
	assert_string_equal(r.bytes, "still here\n");
	free(r.bytes);
	assert_int_equal(f->rig.downs, 0);
}

CASE_WITH(reads_a_large_answer_whole, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "head -c 5000000 /dev/zero | tr '\\0' x", NULL);
	struct ssh_reply r;

	go_up(f);
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(r.len, 5000000);
	free(r.bytes);
}

CASE_WITH(gives_up_a_slow_command, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "sleep 30; echo late", NULL);
	struct ssh_reply r;

	go_up(f);
	q->timeout_us = CLOCK_SEC / 5;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	assert_string_equal(r.err.text, "test: no answer within 0.2 s");
	free(r.bytes);
	assert_int_equal(f->rig.downs, 0);
	r = ssh_rig_run(&f->rig, request(f, "echo next", NULL));
	assert_string_equal(r.bytes, "next\n");
	free(r.bytes);
}

/* Asks again when it is told of its timeout, while the other's answer waits in the socket. */
struct late {
	struct fixture *f;
	struct ssh_reply more[8];
	bool told, inside;
};
struct other {
	const struct late *late;
	bool came;
};

static void on_other(void *ctx, const struct answer *a)
{
	struct other *o = ctx;

	assert_int_equal(a->err.code, ERR_NONE);
	/* This call frees the request: a loop over the list would stand on it. */
	assert_false(o->late->inside);
	o->came = true;
}

static void on_late(void *ctx, const struct answer *a)
{
	struct late *t = ctx;
	struct fixture *f = t->f;
	const struct ssh_link *l = (const struct ssh_link *)f->rig.link;
	struct pollfd readable = {.fd = ssh_get_fd(l->session), .events = POLLIN};

	assert_int_equal(a->err.code, ERR_TIMEOUT);
	t->inside = true;
	for (size_t i = 0; i < sizeof(t->more) / sizeof(t->more[0]); i++) {
		/* To end a channel may have read the other's end already: no more comes then. */
		if (l->asks->status < 0 && !l->asks->eof && !l->asks->closed)
			(void)poll(&readable, 1, PATIENCE_MS);
		transport_ssh.ask(f->rig.link, request(f, "echo more", NULL), POLL_FAST,
			ssh_rig_reply, &t->more[i]);
	}
	t->inside = false;
	t->told = true;
}

CASE_WITH(asks_again_after_a_timeout, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_link *l = (struct ssh_link *)f->rig.link;
	struct late late = {.f = f};
	struct other other = {.late = &late};
	const char *path = scratch_path(&f->rig.scratch, "go");
	char command[300];
	int go;

	assert_int_equal(mkfifo(path, 0600), 0);
	go = open(path, O_RDWR | O_CLOEXEC);
	assert_true(go >= 0);
	(void)str_printf(command, sizeof(command), "read x <%s", path);
	go_up(f);
	transport_ssh.ask(
		f->rig.link, request(f, "printf some; sleep 30", NULL), POLL_FAST, on_late, &late);
	transport_ssh.ask(f->rig.link, request(f, command, NULL), POLL_FAST, on_other, &other);
	for (int64_t until = now_ms() + PATIENCE_MS;
		!l->asks->received || l->asks->next->stage < ASK_READING;) {
		assert_true(now_ms() < until);
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	}
	/* The deadline is over before the loop reads the new data. */
	l->asks->deadline_us = 1;
	assert_int_equal(write(go, "\n", 1), 1);
	l->timer.timer_cb(&l->timer);
	assert_true(late.told);
	for (size_t i = 0; i < sizeof(late.more) / sizeof(late.more[0]); i++) {
		ssh_rig_until(&f->rig, &late.more[i].came);
		assert_string_equal(late.more[i].bytes, "more\n");
		free(late.more[i].bytes);
	}
	while (!other.came)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	(void)close(go);
}

CASE_WITH(makes_do_with_one_channel, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r[5] = {{0}};

	sshd_start(&f->rig.own, &f->rig.scratch, 0, "MaxSessions 1");
	f->rig.device.port = f->rig.own.port;
	go_up(f);
	for (int i = 0; i < 5; i++)
		transport_ssh.ask(
			f->rig.link, request(f, "echo x", NULL), POLL_FAST, ssh_rig_reply, &r[i]);
	for (int i = 0; i < 5; i++) {
		ssh_rig_until(&f->rig, &r[i].came);
		assert_int_equal(r[i].err.code, ERR_NONE);
		assert_string_equal(r[i].bytes, "x\n");
		free(r[i].bytes);
	}
	assert_int_equal(f->rig.downs, 0);
}

CASE_WITH(refuses_an_unknown_host_key, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char keyscan[64];

	scratch_write(&f->rig.scratch, "empty_hosts", "");
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = own(scratch_path(&f->rig.scratch, "empty_hosts"));
	go_down(f);
	(void)snprintf(
		keyscan, sizeof(keyscan), "ssh-keyscan -p %u 127.0.0.1 >>", f->rig.sshd.port);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->rig.why.text, "SHA256:"));
	assert_non_null(strstr(f->rig.why.text, "empty_hosts"));
	assert_non_null(strstr(f->rig.why.cure, keyscan));
	/* With a missing file no server is accepted either. */
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = own(scratch_path(&f->rig.scratch, "no_such_file"));
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
}

CASE_WITH(refuses_a_changed_host_key, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char keygen[64];

	scratch_run(&f->rig.scratch,
		"printf '[127.0.0.1]:%u %%s\\n' \"$(cut -d' ' -f1,2 "
		"other_host_key.pub)\" > changed_hosts",
		f->rig.sshd.port);
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = own(scratch_path(&f->rig.scratch, "changed_hosts"));
	go_down(f);
	(void)snprintf(
		keygen, sizeof(keygen), "ssh-keygen -R '[127.0.0.1]:%u' -f", f->rig.sshd.port);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->rig.why.text, "CHANGED"));
	assert_non_null(strstr(f->rig.why.cure, keygen));
	assert_non_null(strstr(f->rig.why.cure, "changed_hosts"));
	/* Both fingerprints, the offered and the recorded one. */
	assert_non_null(strstr(f->rig.why.text, "SHA256:"));
	assert_non_null(strstr(strstr(f->rig.why.text, "SHA256:") + 1, "SHA256:"));
}

CASE_WITH(names_the_key_that_is_refused, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	free(f->rig.device.identity);
	f->rig.device.identity = own(scratch_path(&f->rig.scratch, "other_key"));
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->rig.why.text, "other_key"));
	assert_non_null(strstr(f->rig.why.text, "publickey"));
	assert_non_null(strstr(f->rig.why.cure, "ssh-copy-id -i"));
	free(f->rig.device.identity);
	f->rig.device.identity = own(scratch_path(&f->rig.scratch, "locked_key"));
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->rig.why.text, "passphrase"));
	free(f->rig.device.identity);
	f->rig.device.identity = own(scratch_path(&f->rig.scratch, "no_such_key"));
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "cannot be read"));
}

CASE_WITH(accepts_an_rsa_key, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	free(f->rig.device.identity);
	f->rig.device.identity = own(scratch_path(&f->rig.scratch, "rsa_key"));
	go_up(f);
}

CASE_WITH(uses_an_agent_and_lets_it_go, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	const char *socket_path = scratch_path(&f->rig.scratch, "agent");
	struct ssh_reply r;

	scratch_run(&f->rig.scratch, "ssh-agent -a agent > agent.env");
	setenv("SSH_AUTH_SOCK", socket_path, 1);
	scratch_run(&f->rig.scratch, "ssh-add user_key");
	free(f->rig.device.identity);
	f->rig.device.identity = NULL;
	go_up(f);
	r = ssh_rig_run(&f->rig, request(f, "echo agent", NULL));
	assert_string_equal(r.bytes, "agent\n");
	free(r.bytes);
	/* Again, with a wrong key first. */
	transport_ssh.close(f->rig.link);
	f->rig.device.identity = own(scratch_path(&f->rig.scratch, "other_key"));
	ssh_rig_reopen(&f->rig);
	go_up(f);
	/* An agent that is gone is as good as none. */
	scratch_run(&f->rig.scratch, ". ./agent.env && ssh-agent -k");
	transport_ssh.close(f->rig.link);
	ssh_rig_reopen(&f->rig);
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
	unsetenv("SSH_AUTH_SOCK");
}

CASE_WITH(reports_a_refused_connection, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	f->rig.device.port = slot_port();
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNREACHABLE);
	assert_non_null(strstr(f->rig.why.text, "connection refused"));
}

CASE_WITH(reports_a_name_that_does_not_resolve, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	free(f->rig.device.address);
	f->rig.device.address = own("no-such-host.invalid");
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNREACHABLE);
	assert_non_null(strstr(f->rig.why.text, "no-such-host.invalid does not resolve"));
}

CASE_WITH(resolves_a_name, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	free(f->rig.device.address);
	f->rig.device.address = own("localhost");
	scratch_run(&f->rig.scratch, "sed 's/127.0.0.1/localhost/' known_hosts > local_hosts");
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = own(scratch_path(&f->rig.scratch, "local_hosts"));
	go_up(f);
}

CASE_WITH(survives_a_server_that_dies, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply dead = {0}, r;

	go_up(f);
	transport_ssh.ask(
		f->rig.link, request(f, "sleep 60", NULL), POLL_FAST, ssh_rig_reply, &dead);
	r = (struct ssh_reply){0};
	/* The parent of a command is the server's process for this connection. */
	transport_ssh.ask(
		f->rig.link, request(f, "kill -9 $PPID", NULL), POLL_FAST, ssh_rig_reply, &r);
	ssh_rig_await(&f->rig, &f->rig.downs, 1);
	assert_true(dead.came && r.came);
	assert_int_equal(dead.err.code, ERR_UNREACHABLE);
	assert_int_equal(f->rig.why.code, ERR_UNREACHABLE);
	free(dead.bytes);
	free(r.bytes);
	f->rig.downs = 0;
	go_up(f);
	r = ssh_rig_run(&f->rig, request(f, "echo again", NULL));
	assert_string_equal(r.bytes, "again\n");
	free(r.bytes);
}

/* Not the device's refusal, whichever call meets the dead socket first. */
CASE_WITH(tells_a_lost_connection_from_a_refusal, ssh_rig_setup, ssh_rig_teardown)
{
	static const enum ask_stage stages[] = {ASK_OPENING, ASK_EXEC, ASK_READING};
	struct fixture *f = *state;
	struct ssh_link *l = (struct ssh_link *)f->rig.link;

	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		struct ssh_reply r = {0};

		f->rig.downs = 0;
		go_up(f);
		transport_ssh.ask(
			f->rig.link, request(f, "sleep 60", NULL), POLL_FAST, ssh_rig_reply, &r);
		for (int64_t until = now_ms() + PATIENCE_MS; l->asks->stage < stages[i];) {
			assert_true(now_ms() < until);
			uv_run(&f->rig.loop, UV_RUN_ONCE);
		}
		assert_int_equal(shutdown(ssh_get_fd(l->session), SHUT_RDWR), 0);
		ssh_rig_await(&f->rig, &f->rig.downs, 1);
		assert_true(r.came);
		assert_int_equal(r.err.code, ERR_UNREACHABLE);
		assert_int_equal(f->rig.why.code, ERR_UNREACHABLE);
		free(r.bytes);
	}
}

CASE_WITH(honours_ssh_config, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char text[1024];
	struct ssh_reply r;

	(void)snprintf(text, sizeof(text),
		"Host leaf-*\n\tHostName 127.0.0.1\n\tPort %u\n\tUser %s\n\tIdentityFile %s\n",
		f->rig.sshd.port, f->rig.sshd.user, scratch_path(&f->rig.scratch, "user_key"));
	scratch_write(&f->rig.scratch, "config", text);
	f->rig.device.ssh_config = own(scratch_path(&f->rig.scratch, "config"));
	f->rig.device.port = 0;
	free(f->rig.device.address);
	free(f->rig.device.user);
	free(f->rig.device.identity);
	f->rig.device.address = f->rig.device.user = f->rig.device.identity = NULL;
	go_up(f);
	r = ssh_rig_run(&f->rig, request(f, "id -un", NULL));
	assert_int_equal(strncmp(r.bytes, f->rig.sshd.user, strlen(f->rig.sshd.user)), 0);
	free(r.bytes);
}

CASE_WITH(inventory_wins_over_ssh_config, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	scratch_write(&f->rig.scratch, "config",
		"Host leaf-*\n\tHostName 127.0.0.9\n\tPort 1\n\tUser nobody-at-all\n");
	f->rig.device.ssh_config = own(scratch_path(&f->rig.scratch, "config"));
	go_up(f);
}

CASE_WITH(refuses_a_proxy_command, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	scratch_write(&f->rig.scratch, "config",
		"Host leaf-*\n\tProxyCommand nc -x proxy.example %h %p\n");
	f->rig.device.ssh_config = own(scratch_path(&f->rig.scratch, "config"));
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(f->rig.why.cure, "ProxyJump"));
	scratch_write(&f->rig.scratch, "config", "Host leaf-*\n\tProxyJump none\n");
	f->rig.downs = 0;
	go_up(f);
}

CASE_WITH(reports_a_missing_ssh_config, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	f->rig.device.ssh_config = own(scratch_path(&f->rig.scratch, "not_there"));
	go_down(f);
	assert_int_equal(f->rig.why.code, ERR_CONFIG);
	assert_non_null(strstr(f->rig.why.text, "not_there"));
}

CASE_WITH(closes_in_the_middle_of_everything, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply never = {0};

	transport_ssh.close(f->rig.link);
	ssh_rig_reopen(&f->rig);
	transport_ssh.connect(f->rig.link);
	transport_ssh.close(f->rig.link);
	ssh_rig_reopen(&f->rig);
	go_up(f);
	transport_ssh.ask(
		f->rig.link, request(f, "sleep 60", NULL), POLL_FAST, ssh_rig_reply, &never);
	transport_ssh.ask(f->rig.link, request(f, "yes", NULL), POLL_FAST, ssh_rig_reply, &never);
	uv_run(&f->rig.loop, UV_RUN_ONCE);
	transport_ssh.close(f->rig.link);
	ssh_rig_reopen(&f->rig);
	assert_false(never.came);
}

CASE_WITH(answers_when_not_connected, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r = {0};

	transport_ssh.ask(f->rig.link, request(f, "true", NULL), POLL_FAST, ssh_rig_reply, &r);
	assert_true(r.came);
	assert_int_equal(r.err.code, ERR_UNREACHABLE);
	free(r.bytes);
}

CASES_MAIN(setup_group, ssh_rig_group_end)
