/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_SSH_DEVICES_H
#define TESTS_BENCH_LOAD_SSH_DEVICES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * SSH servers that only let in every user with a key: one process of their own, one connection at a
 * time, each at another address of the loopback interface and all at one port.
 */
struct ssh_devices {
	pid_t pid;
	unsigned n, port;
	char host_key[256]; /* "ssh-ed25519 AAAA...", of all of them */
};

/* Writes a user's private key to identity. The process ends with ssh_devices_stop() or with us. */
bool ssh_devices_start(struct ssh_devices *d, unsigned n, const char *identity);
void ssh_devices_stop(struct ssh_devices *d);
/* "127.77.0.1"; valid until the next call. */
const char *ssh_devices_address(unsigned i);

#endif
