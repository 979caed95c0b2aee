/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_READ_ONLY_READ_CHECK_H
#define TESTS_INTEGRATION_READ_ONLY_READ_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether what a device was sent only reads, judged by rules of the test's own: words that change
 * something anywhere, and per tool the words that it may be followed by. It knows nothing of
 * backends/contract/reads.h.
 */

/* A command line or a script of a POSIX shell, or a line of a switch's CLI. why: the word. */
bool read_check_shell(const char *text, char *why, size_t size);
/* An HTTPS request; body may be "". */
bool read_check_https(
	const char *method, const char *path, const char *body, char *why, size_t size);
/* A command that Redis was given, and what a script did: the first word of it. */
bool read_check_redis(const char *command);

/*
 * Each line of the emulator's --command-log: fails the test at one that does not only read, or
 * that changed something. Returns how many there were, and of how many devices.
 */
unsigned read_check_log(const char *path, unsigned *devices);

#endif
