/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/str.h"
#include "tests/integration/https/https.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

static int setup(void **state);
static int teardown(void **state);

/*
 * The requests that a transport sends without a permission. And the way a change is sent: once, and
 * with an answer that tells whether it may have arrived. Against a real OpenSSH and a real TLS
 * server.
 */

#define PATIENCE_MS 20000

struct reply {
	bool came, left;
	char bytes[64];
	int status;
	struct err err;
};

struct fixture {
	struct ssh_rig rig; /* its loop serves both transports */
	struct https *server;
	struct credential credential;
	struct login login;
	struct backend_ops ops;
	void *rest_shard;
	struct plan_device rest_device;
	struct device_link *rest;
};

static void on_reply(void *ctx, const struct answer *a)
{
	struct reply *r = ctx;

	assert_false(r->came);
	*r = (struct reply){.came = true, .left = a->left, .status = a->status, .err = a->err};
	(void)str_copyn(r->bytes, sizeof(r->bytes), a->bytes, a->len);
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition)) {                                                             \
			if (now_ms() > until_)                                                     \
				fail_msg("%s: not within %d s", #condition, PATIENCE_MS / 1000);   \
			uv_run(&(f)->rig.loop, UV_RUN_ONCE);                                       \
		}                                                                                  \
	} while (0)

static struct reply run(struct fixture *f, struct device_link *l, const struct request *r)
{
	struct reply reply = {0};

	l->ops->ask(l, r, POLL_FAST, on_reply, &reply);
	AWAIT(f, reply.came);
	return reply;
}

/* ---- SSH ---- */

/* A question that is on the list: "true". */
static bool true_reads(const struct request *r)
{
	return !r->change && str_eq(r->command, "true");
}

static const struct backend_ops narrow = {.name = "narrow", .reads = true_reads};
static const struct backend_ops mute = {.name = "mute"};

static void open_ssh(struct fixture *f, const struct backend_ops *ops, const char *extra)
{
	struct link_events events = ssh_rig_events(&f->rig);
	unsigned want = f->rig.ups + 1;

	transport_ssh.close(f->rig.link);
	if (*extra) {
		sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
		f->rig.device.port = f->rig.own.port;
	}
	f->rig.link = transport_ssh.open(f->rig.shard, &f->rig.device, ops, NULL, &events);
	transport_ssh.connect(f->rig.link);
	AWAIT(f, f->rig.ups == want);
}

static struct request *touch(struct fixture *f, const char *name)
{
	char line[256];

	vec_reserve(&f->rig.requests.at, 64); /* elements must not move */
	(void)snprintf(line, sizeof(line), "touch %s", scratch_path(&f->rig.scratch, name));
	return requests_ssh(&f->rig.requests, "touch", line, NULL);
}

static bool exists(struct fixture *f, const char *name)
{
	return access(scratch_path(&f->rig.scratch, name), F_OK) == 0;
}

static struct request *question(struct fixture *f)
{
	vec_reserve(&f->rig.requests.at, 64);
	return requests_ssh(&f->rig.requests, "true", "true", NULL);
}

CASE_WITH(ssh_sends_what_is_listed_only, setup, teardown)
{
	struct fixture *f = *state;
	const struct backend_ops *const closed[] = {&narrow, &mute, NULL};
	struct reply r;

	for (size_t i = 0; i < 3; i++) {
		open_ssh(f, closed[i], "");
		r = (struct reply){0};
		/* Before ask() returns: it has gone nowhere. */
		transport_ssh.ask(f->rig.link, touch(f, "never"), POLL_FAST, on_reply, &r);
		assert_true(r.came);
		assert_int_equal(r.err.code, ERR_REFUSED);
		assert_string_equal(r.err.origin, "leaf-r0-00");
		assert_non_null(strstr(r.err.text, "touch"));
		assert_true(*r.err.cure);
		assert_false(r.left);
		r = run(f, f->rig.link, question(f));
		assert_int_equal(r.err.code, i ? ERR_REFUSED : ERR_NONE);
		assert_int_equal(r.left, i == 0);
		assert_true(transport_ssh.ready(f->rig.link));
	}
	assert_false(exists(f, "never"));
}

static unsigned lookups;

/* One script is on the list. */
static bool script_reads(const struct request *r)
{
	lookups++;
	return !r->change && !r->method && str_eq(r->command, "sh -s") && r->input &&
	       str_eq(r->input, "echo kept");
}

static const struct backend_ops scripted = {.name = "scripted", .reads = script_reads};

/* A request known to its shell is not looked up again; one that differs in anything is. */
CASE_WITH(ssh_shell_answers_what_is_listed_only, setup, teardown)
{
	struct fixture *f = *state;
	struct request *known, *other[4];
	struct reply r;

	vec_reserve(&f->rig.requests.at, 64);
	known = requests_ssh(&f->rig.requests, "known", "sh -s", "echo kept");
	other[0] = requests_ssh(&f->rig.requests, "longer", "sh -s", "echo kept;");
	other[1] = requests_ssh(&f->rig.requests, "as a command", "echo kept", NULL);
	other[2] = requests_ssh(&f->rig.requests, "with a method", "sh -s", "echo kept");
	other[3] = requests_ssh(&f->rig.requests, "to another", "sh", "echo kept");
	known->shell = true;
	for (size_t i = 0; i < 4; i++)
		other[i]->shell = true;
	other[2]->method = "GET";
	open_ssh(f, &scripted, "");
	lookups = 0;
	for (unsigned i = 0; i < 3; i++) {
		r = run(f, f->rig.link, known);
		assert_int_equal(r.err.code, ERR_NONE);
		assert_string_equal(r.bytes, "kept\n");
		assert_int_equal(lookups, 1);
	}
	for (size_t i = 0; i < 4; i++) {
		r = run(f, f->rig.link, other[i]);
		assert_int_equal(r.err.code, ERR_REFUSED);
		assert_false(r.left);
		assert_int_equal(lookups, i + 2);
	}
	known->change = true;
	assert_int_equal(run(f, f->rig.link, known).err.code, ERR_REFUSED);
	known->change = false;
	/* A new connection has a new shell, which knows nothing. */
	open_ssh(f, &scripted, "");
	lookups = 0;
	assert_int_equal(run(f, f->rig.link, known).err.code, ERR_NONE);
	assert_int_equal(lookups, 1);
	open_ssh(f, &narrow, "");
	assert_int_equal(run(f, f->rig.link, known).err.code, ERR_REFUSED);
}

CASE_WITH(ssh_sends_no_change_without_permission, setup, teardown)
{
	struct fixture *f = *state;
	struct request *change = touch(f, "changed");
	struct reply r;

	/* Even if the list permits it. */
	open_ssh(f, &all_reads_ops, "");
	change->change = true;
	r = run(f, f->rig.link, change);
	assert_int_equal(r.err.code, ERR_REFUSED);
	assert_false(exists(f, "changed"));
	transport_ssh.permit(f->rig.link);
	r = run(f, f->rig.link, change);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_true(r.left);
	assert_true(exists(f, "changed"));
}

/* Another link to the device is none the wiser. */
CASE_WITH(a_permission_is_of_one_link, setup, teardown)
{
	struct fixture *f = *state;

	open_ssh(f, &narrow, "");
	transport_ssh.permit(f->rig.link);
	assert_int_equal(run(f, f->rig.link, touch(f, "one")).err.code, ERR_NONE);
	open_ssh(f, &narrow, "");
	assert_int_equal(run(f, f->rig.link, touch(f, "two")).err.code, ERR_REFUSED);
	assert_false(exists(f, "two"));
}

/*
 * The change may have been carried out, and is not stopped in the middle. OpenSSH delivers no
 * signal to processes of root, so that nothing can be checked where the tests run as root.
 */
CASE_WITH(a_change_that_is_late_has_left_and_goes_on, setup, teardown)
{
	struct fixture *f = *state;
	struct request *r;
	struct reply reply;
	char line[512];

	open_ssh(f, &narrow, "");
	transport_ssh.permit(f->rig.link);
	(void)snprintf(line, sizeof(line),
		"trap 'touch %s' TERM; echo begun; while [ ! -e %s ]; do sleep 0.05; done; touch "
		"%s",
		scratch_path(&f->rig.scratch, "term"), scratch_path(&f->rig.scratch, "go"),
		scratch_path(&f->rig.scratch, "done"));
	vec_reserve(&f->rig.requests.at, 64);
	r = requests_ssh(&f->rig.requests, "slow", line, NULL);
	r->change = true;
	r->timeout_us = CLOCK_SEC / 2;
	reply = run(f, f->rig.link, r);
	assert_int_equal(reply.err.code, ERR_TIMEOUT);
	assert_true(reply.left);
	scratch_write(&f->rig.scratch, "go", "");
	AWAIT(f, exists(f, "done"));
	assert_false(exists(f, "term"));
}

CASE_WITH(a_change_that_waits_for_a_channel_has_not_left, setup, teardown)
{
	struct fixture *f = *state;
	struct request *hog, *change;
	struct reply first = {0}, reply;

	open_ssh(f, &narrow, "MaxSessions 1");
	transport_ssh.permit(f->rig.link);
	vec_reserve(&f->rig.requests.at, 64);
	hog = requests_ssh(&f->rig.requests, "hog", "echo x; exec sleep 30", NULL);
	transport_ssh.ask(f->rig.link, hog, POLL_FAST, on_reply, &first);
	change = touch(f, "late");
	change->change = true;
	change->timeout_us = CLOCK_SEC / 2;
	reply = run(f, f->rig.link, change);
	assert_int_equal(reply.err.code, ERR_UNREACHABLE);
	assert_false(reply.left);
	assert_false(exists(f, "late"));
}

CASE_WITH(a_change_without_connection_has_not_left, setup, teardown)
{
	struct fixture *f = *state;
	struct request *change = touch(f, "late");
	struct reply reply;

	transport_ssh.permit(f->rig.link);
	change->change = true;
	reply = run(f, f->rig.link, change);
	assert_int_equal(reply.err.code, ERR_UNREACHABLE);
	assert_false(reply.left);
}

/* ---- HTTPS ---- */

static char *good_login(const char *user, const char *password)
{
	(void)user;
	(void)password;
	return secret_copy(HTTPS_LOGIN);
}

static void open_rest(struct fixture *f, const char *certificate, bool session)
{
	struct link_events events = ssh_rig_events(&f->rig);
	static char userpwd[] = "noc:sec:ret";

	f->server = https_start(&f->rig.scratch, certificate, &f->rest_device.port);
	f->ops = (struct backend_ops){.name = "test", .reads = all_reads};
	if (session) {
		f->login = (struct login){.path = "/login", .body = good_login};
		f->ops.login = &f->login;
		f->credential.userpwd = userpwd;
	}
	str_copy(f->rest_device.name, sizeof(f->rest_device.name), "spine-000");
	f->rest_device.address = mem_strdup("127.0.0.1");
	f->rest_device.tls_ca = mem_strdup(scratch_path(&f->rig.scratch, "ca.pem"));
	f->rest = transport_rest.open(
		f->rest_shard, &f->rest_device, &f->ops, &f->credential, &events);
	transport_rest.connect(f->rest);
}

static struct request *http(struct fixture *f, const char *method, const char *path)
{
	struct request *r;

	vec_reserve(&f->rig.requests.at, 64);
	r = requests_http(&f->rig.requests, "test", method, path, "application/json",
		str_eq(method, "GET") ? NULL : "{}");
	r->change = !str_eq(method, "GET");
	return r;
}

CASE_WITH(https_sends_nothing_without_permission, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	open_rest(f, "good", false);
	r = run(f, f->rest, http(f, "PATCH", "/method"));
	assert_int_equal(r.err.code, ERR_REFUSED);
	assert_string_equal(r.err.origin, "spine-000");
	assert_false(r.left);
	f->ops.reads = NULL;
	r = run(f, f->rest, http(f, "GET", "/ok"));
	assert_int_equal(r.err.code, ERR_REFUSED);
	assert_int_equal(https_connections(f->server), 0);
	transport_rest.permit(f->rest);
	assert_int_equal(run(f, f->rest, http(f, "GET", "/ok")).err.code, ERR_NONE);
}

CASE_WITH(changes_have_their_method, setup, teardown)
{
	static const char *const methods[] = {"PATCH", "POST", "DELETE", "PUT"};
	struct fixture *f = *state;

	open_rest(f, "good", false);
	transport_rest.permit(f->rest);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		assert_string_equal(
			run(f, f->rest, http(f, methods[i], "/method")).bytes, methods[i]);
		assert_string_equal(run(f, f->rest, http(f, "GET", "/method")).bytes, "GET");
	}
}

CASE_WITH(a_change_has_a_connection_of_its_own, setup, teardown)
{
	struct fixture *f = *state;

	open_rest(f, "good", false);
	transport_rest.permit(f->rest);
	(void)run(f, f->rest, http(f, "GET", "/ok"));
	(void)run(f, f->rest, http(f, "GET", "/ok"));
	assert_int_equal(https_connections(f->server), 1);
	(void)run(f, f->rest, http(f, "POST", "/ok"));
	(void)run(f, f->rest, http(f, "POST", "/ok"));
	assert_int_equal(https_connections(f->server), 3);
	assert_int_equal(https_asked(f->server), 4);
}

/* A question is repeated on a connection that turned out to be dead; a change never. */
CASE_WITH(a_change_is_sent_once, setup, teardown)
{
	static const char *const paths[] = {"/drop", "/partial", "/error", "/redirect"};
	struct fixture *f = *state;
	struct reply r;

	open_rest(f, "good", false);
	transport_rest.permit(f->rest);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		unsigned before;

		transport_rest.connect(f->rest);
		(void)run(f, f->rest, http(f, "GET", "/ok"));
		before = https_asked(f->server);
		r = run(f, f->rest, http(f, "POST", paths[i]));
		assert_int_not_equal(r.err.code, ERR_NONE);
		assert_true(r.left);
		/* The next answer comes after a second try. */
		transport_rest.connect(f->rest);
		(void)run(f, f->rest, http(f, "GET", "/ok"));
		assert_int_equal(https_asked(f->server), before + 2);
	}
}

CASE_WITH(a_change_without_answer_has_left, setup, teardown)
{
	struct fixture *f = *state;
	struct request *r;
	struct reply reply;

	open_rest(f, "good", false);
	transport_rest.permit(f->rest);
	r = http(f, "POST", "/stall");
	r->timeout_us = CLOCK_SEC;
	reply = run(f, f->rest, r);
	assert_int_equal(reply.err.code, ERR_TIMEOUT);
	assert_true(reply.left);
	assert_int_equal(https_asked(f->server), 1);
}

CASE_WITH(a_change_without_handshake_has_not_left, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	open_rest(f, "expired", false);
	transport_rest.permit(f->rest);
	r = run(f, f->rest, http(f, "POST", "/ok"));
	assert_int_equal(r.err.code, ERR_UNAUTHORISED);
	assert_false(r.left);
	https_stop(f->server);
	f->server = NULL;
	transport_rest.connect(f->rest);
	r = run(f, f->rest, http(f, "POST", "/ok"));
	assert_int_equal(r.err.code, ERR_UNREACHABLE);
	assert_false(r.left);
}

/* A 401 means that the change was not done; after a 403 that is not certain. */
CASE_WITH(a_forgotten_session_is_renewed_after_401_only, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	open_rest(f, "good", true);
	transport_rest.permit(f->rest);
	assert_int_equal(run(f, f->rest, http(f, "GET", "/session")).status, 200);
	https_forget_sessions(f->server);
	r = run(f, f->rest, http(f, "POST", "/session"));
	assert_string_equal(r.bytes, "welcome");
	assert_true(r.left);
	assert_int_equal(https_asked(f->server), 3);
	assert_int_equal(https_logins(f->server), 2);
	https_forget_sessions(f->server);
	r = run(f, f->rest, http(f, "POST", "/token"));
	assert_int_equal(r.status, 403);
	assert_int_equal(https_asked(f->server), 4);
}

/* ---- rig ---- */

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ssh_rig_start(&f->rig);
	https_certificates(&f->rig.scratch);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = *state;

	memset(&f->credential, 0, sizeof(f->credential));
	memset(&f->rest_device, 0, sizeof(f->rest_device));
	ssh_rig_open(&f->rig, NULL);
	f->rest_shard = transport_rest.shard_open(&f->rig.loop);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->rest)
		transport_rest.close(f->rest);
	f->rest = NULL;
	transport_rest.shard_close(f->rest_shard);
	if (f->server)
		https_stop(f->server);
	f->server = NULL;
	free(f->rest_device.address);
	free(f->rest_device.tls_ca);
	ssh_rig_close(&f->rig);
	return 0;
}

CASES_MAIN(setup_group, ssh_rig_group_end)
