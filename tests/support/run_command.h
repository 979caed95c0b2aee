/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_RUN_COMMAND_H
#define TESTS_SUPPORT_RUN_COMMAND_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Runs argv[0] (searched in PATH) with input on its standard input and returns its standard output,
 * NUL-terminated; the caller frees it. environment: NULL-terminated "NAME=VALUE" pairs that are set
 * on top of the test's own; may be NULL. NULL when it cannot be run.
 */
char *run_command(const char *const argv[], const char *const environment[], const char *input,
	size_t *len, int *status);

/*
 * Starts a program that stays, and returns when it has printed a line that holds the words.
 * 0 when it ended before that. The caller stops it with stop_program().
 */
pid_t start_program(const char *const argv[], const char *ready);
void stop_program(pid_t pid);

/* True when the program is somewhere in PATH. */
_Bool has_program(const char *name);

#endif
