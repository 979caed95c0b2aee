/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_READ_ONLY_READ_CHECK_H
#define TESTS_INTEGRATION_READ_ONLY_READ_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a device's received commands only read, by rules of the test's own. The rules are a list
 * of words that change something anywhere, and per tool its permitted arguments. They are
 * independent of backends/contract/reads.h.
 */

/* A command line or a script of a POSIX shell, or a line of a switch's CLI. why: the word. */
bool read_check_shell(const char *text, char *why, size_t size);
/* An HTTPS request; body may be "". */
bool read_check_https(
	const char *method, const char *path, const char *body, char *why, size_t size);
/* A command to Redis, or one that a script ran: its first word. */
bool read_check_redis(const char *command);

/*
 * Each line of the emulator's --command-log: fails the test at a command that does not only read,
 * or that changed something. Returns their number, and that of their devices.
 */
unsigned read_check_log(const char *path, unsigned *devices);

#endif
