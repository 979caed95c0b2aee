/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SSH_SSHD_H
#define TESTS_INTEGRATION_SSH_SSHD_H

#include <sys/types.h>

#include "tests/integration/support/scratch.h"

/*
 * A real OpenSSH server of the test's own on 127.0.0.1, with a host key and one accepted user key
 * ("user_key" in the scratch directory; "other_key" is not accepted). known_hosts is written.
 */
struct sshd {
	struct scratch *scratch;
	unsigned port;
	pid_t pid;
	int log; /* reads its standard error, which is a file */
	char user[64];
};

void sshd_keys(struct scratch *s); /* once a directory */
/* extra: lines for sshd_config, may be "". Returns when it listens. */
void sshd_start(struct sshd *d, struct scratch *s, unsigned port, const char *extra);
/* Names the server in known_hosts, and no other. */
void sshd_write_known_hosts(const struct sshd *d);
/* Ends the listener; sessions that exist go on. */
void sshd_stop(struct sshd *d);

/* Once a program: the directory, keys and server. The user's own files do not take part. */
void sshd_begin(struct sshd *d, struct scratch *s);
void sshd_end(struct sshd *d);

#endif
