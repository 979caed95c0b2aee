/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_FAIL_H
#define TESTS_BENCH_LOAD_FAIL_H

#include "base/err.h"
#include "tests/support/terminal/vt.h"

/*
 * A bench that cannot measure says so on standard error, what it did or waited for and why that
 * did not come, and ends with 1. Nothing else in tests/bench ends a program (make layering).
 */
void bench_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same with the error that the program was told; what may be NULL. */
void bench_fail_err(const char *what, const struct err *err) __attribute__((noreturn));
/* The same with errno of what was just tried. */
void bench_fail_errno(const char *what) __attribute__((noreturn));
/* The same with what the terminal shows; the program in it is ended. */
void bench_fail_screen(struct vt *vt, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* In a child process: its parent's buffers and exit handlers are not touched. */
void bench_fail_child(const char *what) __attribute__((noreturn));

#endif
