/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_CHANGE_H
#define BACKENDS_DIALECTS_LINUX_CHANGE_H

#include "backends/contract/change.h"

/*
 * Changes on Linux: a host's NIC, a switch with FRR. One script reads the condition, like a poll. A
 * change is one command line of iproute2, vtysh or ethtool, so a lost connection leaves it either
 * complete or not begun.
 */
extern const struct dialect_changes linux_changes;

/* The only request for the condition; its input is "P=PORT\nB=0|1\n" and this script. */
#define LINUX_CONDITION "linux-condition"
extern const char linux_condition_script[];

/* Perftest, in change_perftest.c: the request for its condition, the commands, their answers. */
#define LINUX_PERFTEST "linux-perftest"
extern const char linux_perftest_script[];
bool linux_is_perftest(const struct order *o);
bool linux_perftest_command(const struct order *o, struct request_list *out, struct err *err);
bool linux_perftest_see(
	const struct target *t, const struct reply *r, struct condition *c, struct err *err);
enum taken linux_perftest_taken(const struct target *t, const struct order *o,
	const struct reply *r, struct change_notes *notes, struct err *err);

/* Decodes its answer: change_readback.c. */
bool linux_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/* True: the kernel accepts the name for a netdev, and it needs no quotes in a shell. */
bool linux_is_netdev(const char *name);

#endif
