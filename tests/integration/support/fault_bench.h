/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_FAULT_BENCH_H
#define TESTS_INTEGRATION_SUPPORT_FAULT_BENCH_H

#include "actions/manager/manager.h"
#include "tests/integration/support/wire.h"

/*
 * One device of an emulated fabric of its own, on which actions are done through manager_*() over
 * the real transport. The true state is read over a second connection, apart from the one that
 * acts, and from the device's log. The model around the device is the test's own: it has the
 * device's last answer.
 */
struct fault_kind {
	const char *name, *dialect, *platforms, *device, *port;
	enum transport_kind transport;
};

struct fault_bench {
	const struct fault_kind *kind;
	struct lab lab;
	struct wire wire;
	char log[128];
	bool by_bgp; /* port-drain shuts the session */
	unsigned runs;
	/* Of the last run. */
	char ledger[160];
	long log_from;
	struct action_manager *acts;
	struct plan plan;
	struct model *m;
	struct condition before, after;
	enum act_stage stage;
	struct act_plan copy; /* orders only */
	char summary[700], trouble[96], action[32];
	unsigned writes; /* that the device was asked for */
};

void fault_bench_open(struct fault_bench *b, const struct fault_kind *k);
void fault_bench_close(struct fault_bench *b);

/* The device's condition of the port, over the other connection. */
struct condition fault_bench_look(struct fault_bench *b, enum verb about);
void fault_bench_inject(struct fault_bench *b, const char *spec);
/* The link's session is established; false: it does not become so. */
bool fault_bench_settled(struct fault_bench *b);
/* Ends every fault at the device. */
void fault_bench_heal(struct fault_bench *b);

/*
 * Plans the action, injects trouble ("write-cut,n=1"; NULL: none), does it, and compares the claim
 * with the device's state. False: the dialect does not offer it. Fails the test with all known
 * facts when a claim is untrue.
 */
bool fault_bench_run(struct fault_bench *b, const char *action, const char *trouble);
/* Takes the last run back, which was done; no trouble. */
void fault_bench_undo(struct fault_bench *b);
/* Prints why the device could not be read, where it could not. */
void fault_bench_print_reading(const struct fault_bench *b);
/* The notes have the words. */
bool fault_bench_noted(const struct fault_bench *b, const char *words);
void fault_bench_wrong(struct fault_bench *b, const char *what) __attribute__((noreturn));

#endif
