/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded before a program (LD_PRELOAD): a kernel with an older Landlock, or without seccomp. Only
 * tests load it. OLDER_LANDLOCK is the version, 0: none. OLDER_SECCOMP=0: none. As the kernel does,
 * it refuses rights and sizes that its version does not know: security/landlock/syscalls.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION_FLAG = 1 };

/* Rights of files, by version. */
static const uint64_t known[] = {0, (1u << 13) - 1, (1u << 14) - 1, (1u << 15) - 1, (1u << 15) - 1,
	(1u << 16) - 1, (1u << 16) - 1};
/* Bytes of the structure of a set of rules, by version. */
static const size_t sizes[] = {0, 8, 8, 8, 16, 16, 24};
enum { NEWEST = sizeof(known) / sizeof(known[0]) - 1 };

struct rule {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));

static long refuse(int error)
{
	errno = error;
	return -1;
}

static long call_kernel(long number, const long a[6])
{
	static long (*real)(long, ...);
	void *p;

	if (!real) {
		p = dlsym(RTLD_NEXT, "syscall");
		memcpy(&real, &p, sizeof(p));
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static long create_ruleset(unsigned version, const long a[6])
{
	const uint64_t *attr = (const uint64_t *)a[0];

	if (a[2] == VERSION_FLAG)
		return (long)version;
	if ((size_t)a[1] > sizes[version])
		return refuse(E2BIG);
	if (attr[0] & ~known[version] || (version >= 4 && attr[1] & ~(uint64_t)3))
		return refuse(EINVAL);
	return call_kernel(CREATE_RULESET, a);
}

long syscall(long number, ...);

long syscall(long number, ...)
{
	const char *landlock = getenv("OLDER_LANDLOCK"), *seccomp = getenv("OLDER_SECCOMP");
	unsigned long version = landlock ? strtoul(landlock, NULL, 10) : NEWEST + 1;
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (seccomp && *seccomp == '0' && number == SYS_seccomp)
		return refuse(ENOSYS);
	if (number < CREATE_RULESET || number > RESTRICT_SELF || version > NEWEST)
		return call_kernel(number, a);
	if (!version)
		return refuse(ENOSYS);
	if (number == CREATE_RULESET)
		return create_ruleset((unsigned)version, a);
	if (number == ADD_RULE && ((const struct rule *)a[2])->rights & ~known[version])
		return refuse(EINVAL);
	return call_kernel(number, a);
}
