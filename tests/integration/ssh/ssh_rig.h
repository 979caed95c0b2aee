/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SSH_SSH_RIG_H
#define TESTS_INTEGRATION_SSH_SSH_RIG_H

#include "backends/transport/transport.h"
#include "tests/integration/ssh/sshd.h"

/* One link of the SSH transport to a real OpenSSH server of the program's own. */
struct ssh_rig {
	struct scratch scratch;
	struct sshd sshd;
	struct sshd own; /* a test's own, ended by ssh_rig_close() */
	uv_loop_t loop;
	uv_timer_t guard; /* turns the loop five times a second, so that a hang is a failure */
	void *shard;
	struct plan_device device;
	struct device_link *link;
	struct request_list requests;
	/* What its own events note; `why` is of the last end. */
	unsigned ups, downs;
	struct err why;
};
#define SSH_RIG_PATIENCE_MS 30000 /* only makes a hang a failure */

/* Once a program: keys and server. The user's own files do not take part. */
void ssh_rig_start(struct ssh_rig *r);
void ssh_rig_stop(struct ssh_rig *r);
/* The same for cmocka: makes a fixture of that size, which begins with its rig, and frees it. */
int ssh_rig_group(void **state, size_t fixture);
int ssh_rig_group_end(void **state);
/* Once a test: loop, device and link. events: NULL for the rig's own. */
void ssh_rig_open(struct ssh_rig *r, const struct link_events *events);
/* Its second half, for a child process: the loop of the parent is not for two. */
void ssh_rig_link(struct ssh_rig *r, const struct link_events *events);
void ssh_rig_close(struct ssh_rig *r);
/* The same for cmocka, where *state begins with the rig. */
int ssh_rig_setup(void **state);
int ssh_rig_teardown(void **state);
struct link_events ssh_rig_events(struct ssh_rig *r);
/* Opens a link that was closed, or closes it before, with the rig's own events. */
void ssh_rig_reopen(struct ssh_rig *r);
void ssh_rig_relink(struct ssh_rig *r);

/* They turn the loop until the link is up, *count is `want` or more, *flag is set. */
void ssh_rig_up(struct ssh_rig *r);
void ssh_rig_await(struct ssh_rig *r, const unsigned *count, unsigned want);
void ssh_rig_until(struct ssh_rig *r, const bool *flag);

/* An answer; bytes are the test's to free. */
struct ssh_reply {
	bool came;
	char *bytes;
	size_t len;
	char complaint[5000];
	int status;
	uint64_t received;
	struct err err;
};
void ssh_rig_reply(void *ctx, const struct answer *a); /* into the ssh_reply at ctx */
struct ssh_reply ssh_rig_run(struct ssh_rig *r, const struct request *q);

#endif
