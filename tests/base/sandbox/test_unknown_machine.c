/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine whose numbers of calls nobody wrote down has no filter of calls. That is said, and the
 * rest of the sandbox holds.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox/newer_calls.h"
#include "base/sandbox/sandbox_private.h"
#include "tests/support/cases.h"

/* The headers are those of this machine; the filter is that of none. */
#pragma push_macro("__x86_64__")
#pragma push_macro("__aarch64__")
#pragma push_macro("__riscv")
#undef __x86_64__
#undef __aarch64__
#undef __riscv
#include "base/sandbox/filter.c"
#pragma pop_macro("__riscv")
#pragma pop_macro("__aarch64__")
#pragma pop_macro("__x86_64__")

CASE(no_filter_is_told)
{
	char text[SANDBOX_TEXT];

	sandbox_kernel_text(text, sizeof(text));
	assert_non_null(
		strstr(text, "NOT filtered (railtop has no list of calls of this machine)"));
	assert_false(sandbox_filter_calls(SANDBOX_FILES));
	assert_false(sandbox_status().calls);
	assert_int_equal(sandbox_status().calls_error, ENOTSUP);
	assert_true(sandbox_missing(text, sizeof(text)));
	assert_non_null(strstr(text,
		"system calls are not filtered (railtop has no list of calls of this machine)"));
	sandbox_status_text(text, sizeof(text));
	assert_null(strstr(text, "calls: filtered"));
}

CASE(the_rest_holds)
{
	struct rlimit core;

	assert_true(sandbox_status().no_core);
	assert_true(sandbox_status().no_new_privs);
	assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
	assert_int_equal(core.rlim_cur, 0);
}

CASES_MAIN(NULL, NULL)
