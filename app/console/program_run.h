/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_PROGRAM_RUN_H
#define APP_CONSOLE_PROGRAM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/err.h"

/*
 * Runs the program of an own command: without a shell, with a small environment, without standard
 * input, for at most PROGRAM_MOST_US, and keeps PROGRAM_BYTES of its output. It runs in the
 * process outside, where a command that is on no list gains no privileges and writes only where
 * railtop may (base/sandbox/outside.h).
 */
#define PROGRAM_MOST_US (INT64_C(30) * 1000000)
#define PROGRAM_BYTES   ((size_t)256 << 10)

struct program_run;

/*
 * done: on the caller's loop, once; output and end are valid until it returns, and the program_run
 * is freed afterwards. end says how it ended: "ended well", "failed with status 2". The words have
 * no control characters. NULL with err.
 */
struct program_run *program_run_start(uv_loop_t *loop, const char *const *argv, size_t n,
	void (*done)(void *ctx, const char *output, size_t len, const char *end), void *ctx,
	struct err *err);
/* Kills the program; done() is not called. The loop must run until it has ended. NULL is allowed.
 */
void program_run_stop(struct program_run *p);

#endif
