/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/ssh/ssh_rig.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

static void on_guard(uv_timer_t *t)
{
	(void)t;
}

void ssh_rig_start(struct ssh_rig *r)
{
	sshd_begin(&r->sshd, &r->scratch);
}

void ssh_rig_stop(struct ssh_rig *r)
{
	sshd_end(&r->sshd);
}

int ssh_rig_group(void **state, size_t fixture)
{
	struct ssh_rig *r = mem_calloc(1, fixture);

	ssh_rig_start(r);
	*state = r;
	return 0;
}

int ssh_rig_group_end(void **state)
{
	ssh_rig_stop(*state);
	free(*state);
	return 0;
}

static void on_up(void *ctx)
{
	((struct ssh_rig *)ctx)->ups++;
}

static void on_down(void *ctx, const struct err *why)
{
	struct ssh_rig *r = ctx;

	r->downs++;
	r->why = *why;
}

struct link_events ssh_rig_events(struct ssh_rig *r)
{
	return (struct link_events){.up = on_up, .down = on_down, .ctx = r};
}

static void open_link(struct ssh_rig *r, const struct link_events *events)
{
	const struct link_events own = ssh_rig_events(r);

	r->link = transport_ssh.open(
		r->shard, &r->device, &all_reads_ops, NULL, events ? events : &own);
}

void ssh_rig_reopen(struct ssh_rig *r)
{
	open_link(r, NULL);
}

void ssh_rig_relink(struct ssh_rig *r)
{
	transport_ssh.close(r->link);
	open_link(r, NULL);
}

void ssh_rig_link(struct ssh_rig *r, const struct link_events *events)
{
	memset(&r->loop, 0, sizeof(r->loop)); /* of a parent, its data is not ours */
	uv_loop_init(&r->loop);
	uv_timer_init(&r->loop, &r->guard);
	uv_timer_start(&r->guard, on_guard, 200, 200);
	r->shard = transport_ssh.shard_open(&r->loop);
	open_link(r, events);
}

void ssh_rig_open(struct ssh_rig *r, const struct link_events *events)
{
	struct plan_device *d = &r->device;

	r->ups = r->downs = 0;
	r->why = (struct err){0};
	memset(d, 0, sizeof(*d));
	str_copy(d->name, sizeof(d->name), "leaf-r0-00");
	d->address = mem_strdup("127.0.0.1");
	d->port = r->sshd.port;
	d->user = mem_strdup(r->sshd.user);
	d->identity = mem_strdup(scratch_path(&r->scratch, "user_key"));
	d->known_hosts = mem_strdup(scratch_path(&r->scratch, "known_hosts"));
	ssh_rig_link(r, events);
}

void ssh_rig_close(struct ssh_rig *r)
{
	struct plan_device *d = &r->device;

	transport_ssh.close(r->link);
	transport_ssh.shard_close(r->shard);
	uv_close((uv_handle_t *)&r->guard, NULL);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&r->loop), 0);
	if (r->own.pid > 0) {
		sshd_stop(&r->own);
		sshd_write_known_hosts(&r->sshd);
	}
	requests_free(&r->requests);
	free(d->address);
	free(d->user);
	free(d->identity);
	free(d->known_hosts);
	free(d->ssh_config);
}

int ssh_rig_setup(void **state)
{
	ssh_rig_open(*state, NULL);
	return 0;
}

int ssh_rig_teardown(void **state)
{
	ssh_rig_close(*state);
	return 0;
}

void ssh_rig_up(struct ssh_rig *r)
{
	unsigned want = r->ups + 1;
	int64_t until = now_ms() + SSH_RIG_PATIENCE_MS;

	transport_ssh.connect(r->link);
	while (r->ups < want) {
		if (r->downs || now_ms() > until)
			fail_msg("down: %s (%s)", r->why.text, r->why.cure);
		uv_run(&r->loop, UV_RUN_ONCE);
	}
}

void ssh_rig_await(struct ssh_rig *r, const unsigned *count, unsigned want)
{
	int64_t until = now_ms() + SSH_RIG_PATIENCE_MS;

	while (*count < want) {
		if (now_ms() > until)
			fail_msg("nothing happened within %d s", SSH_RIG_PATIENCE_MS / 1000);
		uv_run(&r->loop, UV_RUN_ONCE);
	}
}

void ssh_rig_until(struct ssh_rig *r, const bool *flag)
{
	int64_t until = now_ms() + SSH_RIG_PATIENCE_MS;

	while (!*flag) {
		if (now_ms() > until)
			fail_msg("no answer within %d s", SSH_RIG_PATIENCE_MS / 1000);
		uv_run(&r->loop, UV_RUN_ONCE);
	}
}

void ssh_rig_reply(void *ctx, const struct answer *a)
{
	struct ssh_reply *r = ctx;

	assert_false(r->came);
	r->came = true;
	r->bytes = mem_strndup(a->bytes, a->len);
	r->len = a->len;
	assert_int_equal(a->bytes[a->len], 0);
	str_copy(r->complaint, sizeof(r->complaint), a->complaint);
	r->status = a->status;
	r->received = a->received;
	r->err = a->err;
}

struct ssh_reply ssh_rig_run(struct ssh_rig *r, const struct request *q)
{
	struct ssh_reply reply = {0};

	transport_ssh.ask(r->link, q, POLL_FAST, ssh_rig_reply, &reply);
	ssh_rig_until(r, &reply.came);
	return reply;
}
