/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/transport/transport.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/str.h"
#include "tests/integration/https/https.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/* The HTTPS transport against a real TLS server. */

#define PATIENCE_MS 20000

struct reply {
	bool came;
	char bytes[128];
	size_t len;
	int status;
	uint64_t received;
	struct err err;
};

struct fixture {
	struct scratch scratch;
	struct https *server;
	unsigned port;
	uv_loop_t loop;
	uv_timer_t guard;
	void *shard;
	struct plan_device device;
	struct credential credential;
	struct device_link *link;
	unsigned ups, downs;
	struct err why;
	struct request_list requests;
	char reference[16];
	struct login login;
	struct backend_ops ops; /* of which the transport takes port and login */
};

static void on_up(void *ctx)
{
	((struct fixture *)ctx)->ups++;
}

static void on_down(void *ctx, const struct err *why)
{
	struct fixture *f = ctx;

	f->downs++;
	f->why = *why;
}

static void on_reply(void *ctx, const struct answer *a)
{
	struct reply *r = ctx;

	assert_false(r->came);
	r->came = true;
	str_copyn(r->bytes, sizeof(r->bytes), a->bytes, a->len);
	r->len = a->len;
	r->status = a->status;
	r->received = a->received;
	r->err = a->err;
}

static void on_guard(uv_timer_t *t)
{
	(void)t;
}

static void await_reply(struct fixture *f, const struct reply *r)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!r->came) {
		if (now_ms() > until)
			fail_msg("no answer within %d s", PATIENCE_MS / 1000);
		uv_run(&f->loop, UV_RUN_ONCE);
	}
}

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	scratch_open(&f->scratch);
	https_certificates(&f->scratch);
	/* A proxy of the user's must not see the devices. */
	setenv("https_proxy", "http://127.0.0.1:1", 1);
	*state = f;
	return 0;
}

static int teardown_group(void **state)
{
	struct fixture *f = *state;

	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = *state;

	memset(&f->why, 0, sizeof(f->why));
	memset(&f->device, 0, sizeof(f->device));
	memset(&f->credential, 0, sizeof(f->credential));
	memset(&f->ops, 0, sizeof(f->ops));
	f->ops.reads = all_reads;
	str_copy(f->reference, sizeof(f->reference), "env:EAPI");
	f->ups = f->downs = 0;
	f->server = NULL;
	f->port = 0;
	uv_loop_init(&f->loop);
	uv_timer_init(&f->loop, &f->guard);
	uv_timer_start(&f->guard, on_guard, 200, 200);
	f->shard = transport_rest.shard_open(&f->loop);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	transport_rest.close(f->link);
	transport_rest.shard_close(f->shard);
	uv_close((uv_handle_t *)&f->guard, NULL);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	if (f->server)
		https_stop(f->server);
	requests_free(&f->requests);
	free(f->device.address);
	free(f->device.tls_ca);
	return 0;
}

static void go(struct fixture *f, const char *certificate, const char *ca)
{
	struct link_events events = {.up = on_up, .down = on_down, .ctx = f};

	f->server = https_start(&f->scratch, certificate, &f->port);
	str_copy(f->device.name, sizeof(f->device.name), "spine-000");
	f->device.address = mem_strdup("127.0.0.1");
	f->device.port = f->port;
	f->device.tls_ca = mem_strdup(scratch_path(&f->scratch, ca));
	f->link = transport_rest.open(f->shard, &f->device, &f->ops, &f->credential, &events);
	transport_rest.connect(f->link);
	assert_true(transport_rest.ready(f->link));
}

static struct request *request(struct fixture *f, const char *method, const char *path)
{
	vec_reserve(&f->requests.at, 64); /* elements must not move */
	return requests_http(&f->requests, "test", method, path, NULL, NULL);
}

static struct reply run(struct fixture *f, const struct request *r)
{
	struct reply reply = {0};

	transport_rest.ask(f->link, r, POLL_FAST, on_reply, &reply);
	await_reply(f, &reply);
	return reply;
}

CASE_WITH(gets_and_posts, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct reply r;

	go(f, "good", "ca.pem");
	r = run(f, request(f, "GET", "/ok"));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_string_equal(r.bytes, "hello");
	assert_int_equal(r.status, 200);
	assert_int_equal(f->ups, 1);
	vec_reserve(&f->requests.at, 64);
	q = requests_http(&f->requests, "test", "POST", "/echo", "application/json", "{\"a\":1}");
	r = run(f, q);
	assert_string_equal(r.bytes, "{\"a\":1}");
	/* A GET after a POST is a GET again. */
	r = run(f, request(f, "GET", "/ok"));
	assert_string_equal(r.bytes, "hello");
	assert_int_equal(f->ups, 1);
}

CASE_WITH(keeps_the_connection, setup, teardown)
{
	struct fixture *f = *state;

	go(f, "good", "ca.pem");
	for (int i = 0; i < 20; i++)
		assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	assert_int_equal(https_connections(f->server), 1);
}

static void refused(struct fixture *f, const char *text, const char *cure)
{
	struct reply r = run(f, request(f, "GET", "/ok"));

	assert_int_equal(r.err.code, ERR_UNAUTHORISED);
	assert_int_equal(f->downs, 1);
	assert_int_equal(f->ups, 0);
	assert_false(transport_rest.ready(f->link));
	assert_int_equal(f->why.code, ERR_UNAUTHORISED);
	assert_string_equal(f->why.origin, "spine-000");
	if (!strstr(f->why.text, text) || !strstr(f->why.cure, cure))
		fail_msg("%s (%s)", f->why.text, f->why.cure);
	assert_int_equal(r.received, 0);
}

CASE_WITH(refuses_a_certificate_of_another_ca, setup, teardown)
{
	go(*state, "good", "other_ca.pem");
	refused(*state, "certificate of 127.0.0.1", "tls_ca");
}

CASE_WITH(refuses_a_certificate_for_another_name, setup, teardown)
{
	go(*state, "foreign", "ca.pem");
	refused(*state, "certificate of 127.0.0.1",
		"the certificate must contain 127.0.0.1 or spine-000");
}

CASE_WITH(refuses_an_expired_certificate, setup, teardown)
{
	go(*state, "expired", "ca.pem");
	refused(*state, "expired", "renew");
}

CASE_WITH(accepts_a_certificate_for_the_device_name, setup, teardown)
{
	struct fixture *f = *state;

	go(f, "named", "ca.pem");
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	assert_int_equal(f->downs, 0);
}

CASE_WITH(reports_an_unusable_ca_file, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	go(f, "good", "no_such.pem");
	r = run(f, request(f, "GET", "/ok"));
	assert_int_equal(r.err.code, ERR_CONFIG);
	assert_non_null(strstr(r.err.text, "no_such.pem"));
}

CASE_WITH(sends_credentials, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;
	char secret[] = "noc:sec:ret", wrong[] = "noc:wrong-one";

	f->credential.userpwd = secret;
	go(f, "good", "ca.pem");
	r = run(f, request(f, "GET", "/auth"));
	assert_string_equal(r.bytes, "welcome");
	transport_rest.close(f->link);
	https_stop(f->server);
	free(f->device.address);
	free(f->device.tls_ca);
	f->credential.userpwd = wrong;
	f->port = 0;
	f->ups = 0;
	go(f, "good", "ca.pem");
	f->device.credentials = f->reference;
	r = run(f, request(f, "GET", "/auth"));
	assert_int_equal(r.err.code, ERR_UNAUTHORISED);
	assert_int_equal(f->downs, 1);
	assert_non_null(strstr(f->why.text, "401"));
	assert_non_null(strstr(f->why.cure, "env:EAPI"));
	assert_null(strstr(f->why.text, "wrong-one"));
	/* And comes back when told to. */
	transport_rest.connect(f->link);
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	/* A user with other rights lacks one right: that costs this question only. */
	r = run(f, request(f, "GET", "/forbidden"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(r.err.text, "403"));
	assert_int_equal(f->downs, 1);
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	f->device.credentials = NULL;
}

CASE_WITH(refuses_a_user_who_may_nothing, setup, teardown)
{
	struct fixture *f = *state;

	go(f, "good", "ca.pem");
	assert_int_equal(run(f, request(f, "GET", "/forbidden")).err.code, ERR_UNAUTHORISED);
	assert_int_equal(f->downs, 1);
}

CASE_WITH(uses_a_netrc, setup, teardown)
{
	struct fixture *f = *state;

	scratch_write(&f->scratch, "netrc", "machine 127.0.0.1 login noc password sec:ret\n");
	f->credential.netrc = mem_strdup(scratch_path(&f->scratch, "netrc"));
	go(f, "good", "ca.pem");
	assert_string_equal(run(f, request(f, "GET", "/auth")).bytes, "welcome");
	free(f->credential.netrc);
	f->credential.netrc = NULL;
}

static char *login_body(const char *user, const char *password)
{
	char body[256];

	(void)snprintf(body, sizeof(body), "{\"name\":\"%s\",\"pwd\":\"%s\"}", user, password);
	return secret_copy(body);
}

static void go_with_login(struct fixture *f, const char *path, char *userpwd, int64_t refresh_us)
{
	f->login = (struct login){.path = path,
		.content_type = "application/json",
		.body = login_body,
		.refresh_us = refresh_us};
	f->ops.login = &f->login;
	f->credential.userpwd = userpwd;
	f->device.credentials = f->reference;
	go(f, "good", "ca.pem");
}

static void welcome(struct fixture *f, const char *path, enum poll_tier tier)
{
	struct reply r = {0};

	transport_rest.ask(f->link, request(f, "GET", path), tier, on_reply, &r);
	await_reply(f, &r);
	if (r.err.code != ERR_NONE)
		fail_msg("%s: %s", path, r.err.text);
	assert_string_equal(r.bytes, "welcome");
}

/* One login for all lanes and requests, and again when the device has forgotten. */
CASE_WITH(logs_in_once_and_again_when_forgotten, setup, teardown)
{
	struct fixture *f = *state;
	char secret[] = "noc:sec:ret";

	go_with_login(f, "/login", secret, 0);
	for (int i = 0; i < 9; i++)
		welcome(f, "/session", (enum poll_tier)(i % 3));
	assert_int_equal(https_logins(f->server), 1);
	assert_int_equal(f->ups, 1);
	https_forget_sessions(f->server);
	for (int i = 0; i < 9; i++)
		welcome(f, "/session", (enum poll_tier)(i % 3));
	assert_int_equal(https_logins(f->server), 2);
	/* Some say so with another status. */
	https_forget_sessions(f->server);
	for (int i = 0; i < 9; i++)
		welcome(f, "/token", (enum poll_tier)(i % 3));
	assert_int_equal(https_logins(f->server), 3);
	assert_int_equal(https_refusals(f->server), 0);
	assert_int_equal(f->downs, 0);
	assert_int_equal(f->ups, 1);
	assert_in_range(https_connections(f->server), 1, 3);
	f->device.credentials = NULL;
}

CASE_WITH(all_tiers_share_one_login_at_a_time, setup, teardown)
{
	struct fixture *f = *state;
	char secret[] = "noc:sec:ret";
	struct reply r[9] = {{0}};

	go_with_login(f, "/login", secret, 0);
	for (int round = 0; round < 3; round++) {
		memset(r, 0, sizeof(r));
		for (int i = 0; i < 9; i++)
			transport_rest.ask(f->link, request(f, "GET", "/session"),
				(enum poll_tier)(i % 3), on_reply, &r[i]);
		for (int i = 0; i < 9; i++) {
			await_reply(f, &r[i]);
			assert_string_equal(r[i].bytes, "welcome");
		}
		assert_int_equal(https_logins(f->server), round + 1);
		https_forget_sessions(f->server);
	}
	f->device.credentials = NULL;
}

CASE_WITH(logs_in_before_the_session_ends, setup, teardown)
{
	struct fixture *f = *state;
	char secret[] = "noc:sec:ret";

	go_with_login(f, "/login", secret, 1); /* a microsecond: with each request */
	for (int i = 0; i < 4; i++)
		welcome(f, "/session", POLL_FAST);
	assert_int_equal(https_logins(f->server), 4);
	f->device.credentials = NULL;
}

/* However many questions wait: a wrong password is told the device once. */
CASE_WITH(a_refused_login_is_not_repeated, setup, teardown)
{
	struct fixture *f = *state;
	char wrong[] = "noc:wrong-one";
	struct reply r[9] = {{0}};

	go_with_login(f, "/login", wrong, 0);
	for (int i = 0; i < 9; i++)
		transport_rest.ask(f->link, request(f, "GET", "/session"), (enum poll_tier)(i % 3),
			on_reply, &r[i]);
	for (int i = 0; i < 9; i++) {
		await_reply(f, &r[i]);
		assert_int_equal(r[i].err.code, ERR_UNAUTHORISED);
		assert_null(strstr(r[i].err.text, "wrong-one"));
	}
	assert_int_equal(https_refusals(f->server), 1);
	assert_int_equal(f->downs, 1);
	assert_non_null(strstr(f->why.text, "/login"));
	assert_non_null(strstr(f->why.cure, "env:EAPI"));
	assert_false(transport_rest.ready(f->link));
	/* Nor with Basic. */
	transport_rest.close(f->link);
	https_stop(f->server);
	free(f->device.address);
	free(f->device.tls_ca);
	f->port = 0;
	f->ops.login = NULL;
	go(f, "good", "ca.pem");
	memset(r, 0, sizeof(r));
	for (int i = 0; i < 9; i++)
		transport_rest.ask(f->link, request(f, "GET", "/auth"), (enum poll_tier)(i % 3),
			on_reply, &r[i]);
	for (int i = 0; i < 9; i++) {
		await_reply(f, &r[i]);
		assert_int_equal(r[i].err.code, ERR_UNAUTHORISED);
	}
	assert_int_equal(https_refusals(f->server), 1);
	f->device.credentials = NULL;
}

CASE_WITH(falls_back_to_the_password, setup, teardown)
{
	struct fixture *f = *state;
	char secret[] = "noc:sec:ret";

	/* A release that has no login at all. */
	go_with_login(f, "/api/aaaLogin.json", secret, 0);
	for (int i = 0; i < 3; i++)
		welcome(f, "/auth", (enum poll_tier)i);
	assert_int_equal(https_logins(f->server), 0);
	transport_rest.close(f->link);
	https_stop(f->server);
	free(f->device.address);
	free(f->device.tls_ca);
	f->port = 0;
	/* One path takes the session, another the password only. */
	go_with_login(f, "/login", secret, 0);
	for (int i = 0; i < 3; i++) {
		welcome(f, "/session", POLL_FAST);
		welcome(f, "/basic", POLL_MEDIUM);
	}
	assert_in_range(https_logins(f->server), 1, 2);
	assert_int_equal(https_refusals(f->server), 0);
	assert_int_equal(f->downs, 0);
	f->device.credentials = NULL;
}

/* Neither a lack of rights nor a session that is never accepted makes it log in for ever. */
CASE_WITH(does_not_log_in_for_ever, setup, teardown)
{
	struct fixture *f = *state;
	char secret[] = "noc:sec:ret";

	go_with_login(f, "/login", secret, 0);
	welcome(f, "/session", POLL_FAST);
	for (int i = 0; i < 5; i++) {
		struct reply r = run(f, request(f, "GET", "/forbidden"));

		assert_int_equal(r.err.code, ERR_PROTOCOL);
		welcome(f, "/session", POLL_FAST);
	}
	assert_in_range(https_logins(f->server), 1, 2);
	assert_int_equal(f->downs, 0);
	f->device.credentials = NULL;
}

CASE_WITH(hands_refusals_in_json_on, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	go(f, "good", "ca.pem");
	r = run(f, request(f, "GET", "/refused400"));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(r.status, 400);
	assert_string_equal(r.bytes, " {\"error\":\"no such command\"}");
	r = run(f, request(f, "GET", "/nothing"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_int_equal(r.status, 404);
	assert_int_equal(f->downs, 0);
}

CASE_WITH(an_answer_that_breaks_off_costs_itself_only, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	go(f, "good", "ca.pem");
	r = run(f, request(f, "GET", "/partial"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(r.err.text, "broken after 10 bytes"));
	assert_int_equal(r.len, 0);
	assert_int_equal(f->downs, 0);
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	/* Nobody asked for it packed. */
	assert_string_equal(run(f, request(f, "GET", "/packed")).bytes, "hello");
}

CASE_WITH(follows_nothing, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "GET", "/ok");

	q->follow = true;
	go(f, "good", "ca.pem");
	assert_int_equal(run(f, q).err.code, ERR_UNSUPPORTED);
	assert_int_equal(f->downs, 0);
}

/* A request behind a command that hangs has not had its turn: its time begins with it. */
CASE_WITH(a_slow_question_times_out_alone, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "GET", "/stall"), *behind = request(f, "GET", "/ok");
	struct reply slow = {0}, next = {0}, medium = {0};

	go(f, "good", "ca.pem");
	q->timeout_us = behind->timeout_us = CLOCK_SEC / 2;
	transport_rest.ask(f->link, q, POLL_SLOW, on_reply, &slow);
	transport_rest.ask(f->link, behind, POLL_SLOW, on_reply, &next);
	transport_rest.ask(f->link, request(f, "GET", "/ok"), POLL_MEDIUM, on_reply, &medium);
	await_reply(f, &medium);
	assert_string_equal(medium.bytes, "hello");
	assert_false(slow.came);
	await_reply(f, &next);
	assert_int_equal(slow.err.code, ERR_TIMEOUT);
	assert_string_equal(next.bytes, "hello");
	assert_int_equal(f->downs, 0);
}

CASE_WITH(bounds_an_endless_body, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "GET", "/huge");
	struct reply r;

	go(f, "good", "ca.pem");
	q->cap = 1 << 20;
	r = run(f, q);
	assert_int_equal(r.err.code, ERR_LIMIT);
	assert_non_null(strstr(r.err.text, "1048576 bytes"));
	assert_true(r.received < 2 << 20);
	assert_int_equal(f->downs, 0);
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
}

CASE_WITH(gives_up_a_device_that_stalls, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "GET", "/stall");
	struct reply r;

	go(f, "good", "ca.pem");
	q->timeout_us = CLOCK_SEC / 5;
	r = run(f, q);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	assert_string_equal(r.err.text, "test: no answer within 0.2 s");
	assert_non_null(strstr(r.err.cure, "ask it less often"));
	assert_int_equal(f->downs, 1);
}

CASE_WITH(keeps_a_device_whose_spare_question_stalls, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "GET", "/stall");

	go(f, "good", "ca.pem");
	q->timeout_us = CLOCK_SEC / 5;
	q->spare = true;
	assert_int_equal(run(f, q).err.code, ERR_TIMEOUT);
	assert_int_equal(f->downs, 0);
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
}

CASE_WITH(a_slow_question_in_the_background_delays_nobody, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q = request(f, "GET", "/stall");
	struct reply slow = {0};

	go(f, "good", "ca.pem");
	q->timeout_us = 60 * CLOCK_SEC;
	transport_rest.ask(f->link, q, POLL_SLOW, on_reply, &slow);
	for (int i = 0; i < 5; i++)
		assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	assert_false(slow.came);
}

CASE_WITH(follows_no_redirection, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	go(f, "good", "ca.pem");
	r = run(f, request(f, "GET", "/redirect"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_int_equal(r.status, 302);
	r = run(f, request(f, "GET", "/nothing"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(r.err.text, "404"));
	assert_non_null(strstr(r.err.text, "such page"));
	assert_null(strchr(r.err.text, 033));
	assert_int_equal(f->downs, 0);
}

CASE_WITH(comes_back_after_the_server_went, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	go(f, "good", "ca.pem");
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	https_stop(f->server);
	r = run(f, request(f, "GET", "/ok"));
	assert_int_equal(r.err.code, ERR_UNREACHABLE);
	assert_int_equal(f->downs, 1);
	f->server = https_start(&f->scratch, "good", &f->port);
	transport_rest.connect(f->link);
	assert_string_equal(run(f, request(f, "GET", "/ok")).bytes, "hello");
	assert_int_equal(f->ups, 2);
}

CASE_WITH(closes_in_the_middle, setup, teardown)
{
	struct fixture *f = *state;
	struct link_events events = {.up = on_up, .down = on_down, .ctx = f};
	struct reply never = {0};

	go(f, "good", "ca.pem");
	for (int i = 0; i < 3; i++)
		transport_rest.ask(
			f->link, request(f, "GET", "/stall"), (enum poll_tier)i, on_reply, &never);
	for (int i = 0; i < 5; i++)
		uv_run(&f->loop, UV_RUN_ONCE);
	transport_rest.close(f->link);
	f->link = transport_rest.open(f->shard, &f->device, &f->ops, NULL, &events);
	assert_false(never.came);
}

CASES_MAIN(setup_group, teardown_group)
