/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_CHAOS_TORTURE_H
#define TESTS_INTEGRATION_CHAOS_TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/integration/support/scratch.h"

struct torture;

/* A run of railtop in which something fails, and how its result is looked at afterwards. */
struct torture_work {
	const char *name;
	const char *argv[16]; /* NULL-ended */
	const char *from;     /* the end of the path of the file whose open begins it */
	void (*prepare)(struct torture *t);
	/*
	 * Whether what is left is valid; done: success was claimed, so it must be whole. why: what
	 * is wrong with it.
	 */
	bool (*valid)(struct torture *t, bool done, char *why, size_t size);
};

#define TORTURE_WORKS 6

struct torture {
	struct scratch scratch;
	uint64_t seed, state;    /* SEED in the environment, else another each time */
	unsigned faults, wrongs; /* made, and answered wrongly */
	char program[512];
	/* Files of the scratch directory. */
	char observations[128], more[128], good[128], product[128], page[128], inventory[128],
		ledger[128], kept_ledger[128];
	struct torture_work works[TORTURE_WORKS];
};

/* Fails the test when railtop cannot do without faults what it is to be tormented at. */
void torture_open(struct torture *t);
void torture_close(struct torture *t);
const struct torture_work *torture_work(const struct torture *t, const char *name);
size_t torture_below(struct torture *t, size_t n);
/*
 * Sanitizers of a program that is run report on stderr: a confined program cannot write files of
 * theirs. Such a report is looked for in the program's words.
 */
void torture_watch_sanitizers(void);
bool torture_has_report(const char *err);

#endif
