/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox's table of calls on aarch64, checked on any machine: a name that this architecture
 * lacks does not compile, nor do two names of one number. Its numbers are those of asm-generic,
 * with the choices of linux/arch/arm64/include/asm/unistd.h. No run on an aarch64 machine is
 * replaced by this.
 */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_TIME32_SYSCALLS
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_MEMFD_SECRET
#include <asm-generic/unistd.h>
/* None of the headers below may bring the numbers of this machine. */
#include <errno.h>

#include "base/sandbox/newer_calls.h"
#include "tests/support/cases.h"

#pragma push_macro("__x86_64__")
#undef __x86_64__

static const struct {
	int number;
	const char *name;
} calls[] = {
#define FORBID(name)        {__NR_##name, #name},
#define REFUSE(name, error) {__NR_##name, #name},
#define NETWORK(name)       {__NR_##name, #name},
#define ALLOW(name)         {__NR_##name, #name},
#include "base/sandbox/calls.def"
#undef FORBID
#undef REFUSE
#undef NETWORK
#undef ALLOW
	/* Those with conditions, in filter.c. */
	{__NR_socket, "socket"}, {__NR_clone, "clone"}, {__NR_ioctl, "ioctl"}, {__NR_kill, "kill"},
	{__NR_tgkill, "tgkill"}, {__NR_seccomp, "seccomp"}};

/* Two cases of one number do not compile. */
static int fate_of(int number)
{
	switch (number) {
#define FORBID(name)                                                                               \
	case __NR_##name:                                                                          \
		return 1;
#define REFUSE(name, error) FORBID(name)
#define NETWORK(name)       FORBID(name)
#define ALLOW(name)         FORBID(name)
#include "base/sandbox/calls.def"
#undef FORBID
#undef REFUSE
#undef NETWORK
#undef ALLOW
	default:
		return 0;
	}
}

#pragma pop_macro("__x86_64__")

_Static_assert(CALL_OPENAT2 == __NR_openat2, "openat2");
_Static_assert(CALL_FACCESSAT2 == __NR_faccessat2, "faccessat2");
_Static_assert(CALL_EPOLL_PWAIT2 == __NR_epoll_pwait2, "epoll_pwait2");
_Static_assert(CALL_LANDLOCK_FIRST == __NR_landlock_create_ruleset, "landlock");
_Static_assert(CALL_LANDLOCK_LAST == __NR_landlock_restrict_self, "landlock");
_Static_assert(CALL_FUTEX_WAITV == __NR_futex_waitv, "futex_waitv");

CASE(every_call_has_its_number_on_aarch64)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].number < 0 || calls[i].number > CALL_NEWEST)
			fail_msg("%s: %d", calls[i].name, calls[i].number);
		n += (unsigned)fate_of(calls[i].number);
	}
	/* The list of allowed calls is about 170 with the old ones of x86. */
	assert_true(n > 200);
	assert_int_equal(__NR_read, 63);
}

CASES_MAIN(NULL, NULL)
