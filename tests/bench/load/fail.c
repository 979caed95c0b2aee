/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void begin(void)
{
	(void)fflush(stdout);
	(void)fprintf(stderr, "%s cannot measure: ", program_invocation_short_name);
}

void bench_fail(const char *fmt, ...)
{
	va_list ap;

	begin();
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "\n");
	exit(1);
}

void bench_fail_err(const char *what, const struct err *err)
{
	char text[640];

	bench_fail(
		"%s%s%s", what ? what : "", what ? ": " : "", err_format(err, text, sizeof(text)));
}

void bench_fail_errno(const char *what)
{
	bench_fail("%s: %s", what, strerror(errno));
}

void bench_fail_screen(struct vt *vt, const char *fmt, ...)
{
	char *screen = vt_screen(vt);
	va_list ap;

	begin();
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "; the screen is\n%s", screen);
	free(screen);
	vt_free(vt);
	exit(1);
}

void bench_fail_child(const char *what)
{
	(void)dprintf(STDERR_FILENO, "%s: a child cannot go on: %s: %s\n",
		program_invocation_short_name, what, strerror(errno));
	_exit(1);
}
