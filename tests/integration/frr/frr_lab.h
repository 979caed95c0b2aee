/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_FRR_FRR_LAB_H
#define TESTS_INTEGRATION_FRR_FRR_LAB_H

#include <stdbool.h>
#include <sys/types.h>

#include "fabric/plan/plan.h"
#include "tests/integration/support/scratch.h"

/*
 * 2 spines, 4 leaves, 8 hosts: real FRR, lldpd and OpenSSH in namespaces (frr_lab.sh). The calling
 * process moves into a network namespace of its own, from which all of them are reached.
 */
struct frr_lab {
	struct scratch scratch;
	pid_t pid;
	int in, out; /* its standard input and output */
	char text[4096];
	size_t len; /* of the output that was not taken */
};

/* False when this machine cannot: the reason has been printed. Fails the test beyond. */
bool frr_lab_start(struct frr_lab *l);
/*
 * The same with another script and an argument for it, up to `nodes` of its own, not started by
 * frr_lab.sh. frr_lab_word() waits for a line that it prints.
 */
bool frr_lab_start_as(struct frr_lab *l, const char *script, const char *argument, unsigned nodes);
void frr_lab_word(struct frr_lab *l, const char *word);
/* Ends all of it. */
void frr_lab_stop(struct frr_lab *l);

#define FRR_LAB_NODES 14
/* All nodes, each tier polled every second. */
void frr_lab_plan(const struct frr_lab *l, struct plan *plan);

/* Runs a command in the node; fails the test when it fails or takes longer than 20 s. */
void frr_lab_run(struct frr_lab *l, const char *node, const char *command);
/* Whether the command succeeds in the node. */
bool frr_lab_is(struct frr_lab *l, const char *node, const char *command);
/* Until the command succeeds there: how a test waits for the real programs themselves. */
void frr_lab_until(struct frr_lab *l, const char *node, const char *command);

#endif
