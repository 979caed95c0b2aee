/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_FAIL_H
#define TESTS_BENCH_LOAD_FAIL_H

#include "base/err.h"
#include "tests/support/terminal/vt.h"

/*
 * A bench that cannot measure prints the failed step or wait, with the reason, to standard error,
 * and ends with 1. Nothing else in tests/bench ends a program (make layering).
 */
void bench_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same with an error of the program; `what` may be NULL. */
void bench_fail_err(const char *what, const struct err *err) __attribute__((noreturn));
/* The same with errno of the last call. */
void bench_fail_errno(const char *what) __attribute__((noreturn));
/* The same with the text on the terminal; the program in it is ended. */
void bench_fail_screen(struct vt *vt, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* In a child process: its parent's buffers and exit handlers are not touched. */
void bench_fail_child(const char *what) __attribute__((noreturn));

#endif
