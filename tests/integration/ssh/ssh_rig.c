/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

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

void ssh_rig_link(struct ssh_rig *r, const struct link_events *events)
{
	memset(&r->loop, 0, sizeof(r->loop)); /* of a parent, its data is not ours */
	uv_loop_init(&r->loop);
	uv_timer_init(&r->loop, &r->guard);
	uv_timer_start(&r->guard, on_guard, 200, 200);
	r->shard = transport_ssh.shard_open(&r->loop);
	r->link = transport_ssh.open(r->shard, &r->device, &all_reads_ops, NULL, events);
}

void ssh_rig_open(struct ssh_rig *r, const struct link_events *events)
{
	struct plan_device *d = &r->device;

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
