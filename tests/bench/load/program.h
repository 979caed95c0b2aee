/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_PROGRAM_H
#define TESTS_BENCH_LOAD_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A server of a bench that is a program of its own; it ends when its standard input does. */
struct program {
	pid_t pid; /* -1: none */
	int life;  /* its standard input; -1: none */
	unsigned port;
};

/*
 * argv[0] is a path below $BUILD. Returns when the program printed "ready PORT"; false: the reason
 * is on standard error.
 */
bool program_start(struct program *p, char *const *argv);
void program_stop(struct program *p);

#endif
