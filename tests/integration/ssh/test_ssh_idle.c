/* SPDX-License-Identifier: Apache-2.0 */
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/cases.h"

/* Links that are not used, to a real OpenSSH server. */

#define PATIENCE_MS 20000

struct fixture {
	struct ssh_rig rig;
	struct ssh_link *link;
	unsigned answers, pieces;
	char text[64];
};

static void on_answer(void *ctx, const struct answer *a)
{
	struct fixture *f = ctx;

	f->pieces += a->more;
	f->answers += !a->more;
	(void)str_copy(f->text, sizeof(f->text), a->bytes);
}

static void await(struct fixture *f, const unsigned *count, unsigned want)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (*count < want) {
		if (f->rig.downs || now_ms() > until)
			fail_msg("nothing happened within %d s", PATIENCE_MS / 1000);
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	}
}

static void ask(struct fixture *f, const char *command, bool follow)
{
	struct request *q;

	vec_reserve(&f->rig.requests.at, 8); /* elements must not move */
	q = requests_ssh(&f->rig.requests, "test", command, NULL);
	q->follow = follow;
	transport_ssh.ask(f->rig.link, q, POLL_EVENTS, on_answer, f);
}

/* How often something was sent while nobody asked for anything. */
static void await_sent(struct fixture *f, unsigned times)
{
	int64_t until = now_ms() + PATIENCE_MS;
	uint64_t sent = f->link->wire.out_bytes;

	while (times) {
		if (f->rig.downs || now_ms() > until)
			fail_msg("nothing was sent within %d s", PATIENCE_MS / 1000);
		uv_run(&f->rig.loop, UV_RUN_ONCE);
		times -= f->link->wire.out_bytes != sent;
		sent = f->link->wire.out_bytes;
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ssh_rig_start(&f->rig);
	ssh_rig_open(&f->rig, NULL);
	f->link = (struct ssh_link *)f->rig.link;
	f->link->keepalive_us = CLOCK_SEC / 5;
	transport_ssh.connect(f->rig.link);
	*state = f;
	await(f, &f->rig.ups, 1);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ssh_rig_close(&f->rig);
	ssh_rig_stop(&f->rig);
	free(f);
	return 0;
}

CASE_WITH(is_kept_alive, setup, teardown)
{
	struct fixture *f = *state;

	await_sent(f, 3);
	ask(f, "echo still here", false);
	await(f, &f->answers, 1);
	assert_string_equal(f->text, "still here\n");
	await_sent(f, 2);
}

/* A followed output that says nothing holds a request, but no traffic. */
CASE_WITH(is_kept_alive_while_it_follows, setup, teardown)
{
	struct fixture *f = *state;

	ask(f, "exec cat", true);
	await(f, &f->pieces, 1);
	await_sent(f, 3);
	assert_int_equal(f->answers, 0);
	ask(f, "echo beside it", false);
	await(f, &f->answers, 1);
	assert_string_equal(f->text, "beside it\n");
}

CASE_WITH(asks_the_kernel_to_find_dead_peers, setup, teardown)
{
	struct fixture *f = *state;
	unsigned ms = 0;
	socklen_t size = sizeof(ms);

	assert_int_equal(
		getsockopt(ssh_get_fd(f->link->session), IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, &size),
		0);
	assert_int_equal(ms, 60000);
}

CASES_MAIN(NULL, NULL)
