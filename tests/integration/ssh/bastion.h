/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SSH_BASTION_H
#define TESTS_INTEGRATION_SSH_BASTION_H

#include "tests/integration/ssh/sshd.h"

/* A real OpenSSH server that devices are behind. */
struct bastion {
	struct sshd sshd;
	char jump[64]; /* as the inventory has it */
};

/* sshd_keys() first. As sshd_start(), which describes known_hosts. */
void bastion_start(struct bastion *b, struct scratch *s, unsigned port, const char *extra);
/* The listener, and the sessions that it has. */
void bastion_kill(struct bastion *b);
/* The number of logins since the last call. */
unsigned bastion_logins(struct bastion *b);

#endif
