/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_ACTING_HOST_H
#define TESTS_INTEGRATION_SUPPORT_ACTING_HOST_H

#include "tests/integration/ssh/sshd.h"
#include "tests/integration/support/scratch.h"

/*
 * A host that can be acted on: fake_host.h behind a real OpenSSH server, and an ip(8) that keeps
 * the admin state of its two ports in files. The device's state and the commands that it carried
 * out are read from these files, and not from railtop. The inventory grants all actions on "gpu1".
 */
struct acting_host {
	struct scratch scratch;
	struct sshd sshd;
	char inventory[128], ledger[128], told[128];
};

#define ACTING_HOST_PORT "gpu1:mlx5_0"

void acting_host_open(struct acting_host *h);
void acting_host_close(struct acting_host *h);

/*
 * For a child process too, so none of these fails the test. Waits until no session is left at the
 * server and no command of the device runs: what a killed railtop had sent is then done. False: it
 * did not end within 20 s.
 */
bool acting_host_rest(const struct acting_host *h);
/* Whether the port is switched on. */
bool acting_host_is_up(const struct acting_host *h);
/* Switches it on, as the operator would by hand. */
void acting_host_raise(const struct acting_host *h);
/* A whole file; "" where there is none. The caller frees it. */
char *acting_host_read(const char *path);

#endif
