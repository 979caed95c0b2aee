/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_SCRATCH_H
#define TESTS_INTEGRATION_SUPPORT_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A temporary directory that removes itself, and the commands that fill it. */
struct scratch {
	char dir[64];
};
void scratch_open(struct scratch *s);
void scratch_close(struct scratch *s);

/* "DIR/name"; valid until 16 further calls. */
const char *scratch_path(const struct scratch *s, const char *name);
void scratch_write(const struct scratch *s, const char *name, const char *text);
/* Runs a shell command line in the directory; fails the test when it fails. */
void scratch_run(const struct scratch *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

int64_t now_ms(void);

#endif
