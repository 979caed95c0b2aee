/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_BASTION_H
#define TESTS_BENCH_LOAD_BASTION_H

#include "tests/bench/load/responder.h"

/* An OpenSSH server of the bench's own on 127.0.0.1, with the responder's key and known_hosts. */
struct bastion {
	pid_t pid;
	char jump[160];        /* as the inventory has it */
	char known_hosts[128]; /* of the bastion and of all devices */
};

/* False: the reason is on standard error; there may be no sshd. */
bool bastion_start(struct bastion *b, const struct responder *r);
void bastion_stop(struct bastion *b);

#endif
