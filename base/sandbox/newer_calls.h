/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SANDBOX_NEWER_CALLS_H
#define BASE_SANDBOX_NEWER_CALLS_H

/*
 * Calls that the headers of Debian 12 (Linux 6.1) lack. Since 424 a number is the same on all
 * machines: linux/scripts/syscall.tbl.
 */
enum {
	CALL_OPENAT2 = 437,
	CALL_FACCESSAT2 = 439,
	CALL_EPOLL_PWAIT2 = 441,
	CALL_LANDLOCK_FIRST = 444,
	CALL_LANDLOCK_LAST = 446,
	CALL_FUTEX_WAITV = 449,
	CALL_CACHESTAT = 451,
	CALL_FCHMODAT2 = 452,
	CALL_MAP_SHADOW_STACK = 453, /* a stack of return addresses, see -fcf-protection */
	CALL_FUTEX_WAKE = 454,
	CALL_FUTEX_WAIT = 455,
	CALL_FUTEX_REQUEUE = 456,
	CALL_MSEAL = 462,
	CALL_NEWEST = 462, /* of those that are known here */
};

#endif
