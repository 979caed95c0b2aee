/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_CHANGE_H
#define BACKENDS_DIALECTS_LINUX_CHANGE_H

#include "backends/contract/change.h"

/*
 * Changes on Linux: a host's NIC, a switch with FRR. One script reads the condition, as the polls
 * do; a change is one command line of iproute2, vtysh or ethtool, so that a connection that is cut
 * leaves a whole one done or none.
 */
extern const struct dialect_changes linux_changes;

/* The one request of look(); its input is "P=PORT\nB=0|1\n" and this. */
#define LINUX_CONDITION "linux-condition"
extern const char linux_condition_script[];

/* see() for its answer: change_readback.c. */
bool linux_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/* A name that the kernel may give a netdev, and that needs no quotes in a shell. */
bool linux_is_netdev(const char *name);

#endif
