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
};

/* Once a program: keys and server. The user's own files do not take part. */
void ssh_rig_start(struct ssh_rig *r);
void ssh_rig_stop(struct ssh_rig *r);
/* The same for cmocka: makes a fixture of that size, which begins with its rig, and frees it. */
int ssh_rig_group(void **state, size_t fixture);
int ssh_rig_group_end(void **state);
/* Once a test: loop, device and link. */
void ssh_rig_open(struct ssh_rig *r, const struct link_events *events);
/* Its second half, for a child process: the loop of the parent is not for two. */
void ssh_rig_link(struct ssh_rig *r, const struct link_events *events);
void ssh_rig_close(struct ssh_rig *r);

#endif
