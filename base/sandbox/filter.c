/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of system calls. It is a program of the kernel's packet filter:
 * linux/Documentation/userspace-api/seccomp_filter.rst. It sees numbers and arguments of calls, and
 * no memory: no path, and no address of a socket.
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

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#define RULES_MOST 1024
/* Numbers of the second set of calls of x86 (x32), which no program of Debian uses. */
#define X32_FIRST 0x40000000u

struct program {
	struct sock_filter at[RULES_MOST];
	unsigned short n;
};

static const struct named {
	int number;
	const char *name;
} forbidden[] = {
#define FORBID(name) {__NR_##name, #name},
#define REFUSE(name, error)
#define NETWORK(name)
#define ALLOW(name)
#include "base/sandbox/calls.def"
#undef FORBID
#undef REFUSE
#undef NETWORK
#undef ALLOW
};
enum { FORBIDDEN = sizeof(forbidden) / sizeof(forbidden[0]) };

/* ---- the end by a forbidden call ---- */

static size_t put_text(char *dst, size_t size, size_t at, const char *text)
{
	while (*text && at + 1 < size)
		dst[at++] = *text++;
	return at;
}

static size_t put_number(char *dst, size_t size, size_t at, unsigned number)
{
	char digits[12];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (n && at + 1 < size)
		dst[at++] = digits[--n];
	return at;
}

size_t sandbox_refusal(int call, char *dst, size_t size)
{
	size_t at = put_text(dst, size, 0, "railtop: ended by the sandbox: the system call ");

	for (int i = 0; i < FORBIDDEN; i++)
		if (forbidden[i].number == call)
			at = put_text(dst, size, at, forbidden[i].name);
	at = put_text(dst, size, at, " (");
	at = put_number(dst, size, at, call < 0 ? 0 : (unsigned)call);
	at = put_text(dst, size, at,
		") is forbidden: a file or a device may be hostile; please report it\n");
	dst[at] = '\0';
	return at;
}

/* The call was not made. To return would let the program go on. */
static void on_forbidden(int number, siginfo_t *info, void *context)
{
	char text[200];
	size_t n = sandbox_refusal(info->si_syscall, text, sizeof(text));
	ssize_t written;

	(void)context;
	written = write(STDERR_FILENO, text, n);
	(void)written;
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

/* A terminal that is open already has a handler that restores it first. */
static void watch_forbidden(void)
{
	struct sigaction was,
		now = {.sa_sigaction = on_forbidden, .sa_flags = SA_SIGINFO | SA_NODEFER};

	(void)sigemptyset(&now.sa_mask);
	if (sigaction(SIGSYS, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
		(void)sigaction(SIGSYS, &now, NULL);
}

/* ---- the program ---- */

#ifdef MACHINE

static void add(struct program *p, struct sock_filter rule)
{
	if (p->n < RULES_MOST)
		p->at[p->n] = rule;
	p->n++;
}

static void add_end(struct program *p, unsigned fate)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, fate));
}

static unsigned failing(int error)
{
	return SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA);
}

static void on_call(struct program *p, int call, unsigned fate)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1));
	add_end(p, fate);
}

/* The lower half of an argument, on machines whose numbers begin with it. */
static void load_argument(struct program *p, unsigned which)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		       (unsigned)offsetof(struct seccomp_data, args) + 8 * which));
}

/* The call passes where the argument is one of these values. */
static void if_argument(struct program *p, int call, unsigned which, const unsigned *values,
	unsigned n, unsigned fate_of_these, unsigned fate_of_others)
{
	add(p, (struct sock_filter)BPF_JUMP(
		       BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, (unsigned char)(2 + 2 * n)));
	load_argument(p, which);
	for (unsigned i = 0; i < n; i++) {
		add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1));
		add_end(p, fate_of_these);
	}
	add_end(p, fate_of_others);
}

/* A thread may be started, a process may not. */
static void only_threads(struct program *p)
{
#ifndef SANDBOX_SANITIZED
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4));
	load_argument(p, 0);
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
	add_end(p, SECCOMP_RET_ALLOW);
	add_end(p, failing(EPERM));
#else
	on_call(p, __NR_clone, SECCOMP_RET_ALLOW);
#endif
}

/* Signal 0 asks whether a process lives; others go to the process itself. */
static void only_own_signals(struct program *p, unsigned self)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_kill, 0, 6));
	load_argument(p, 1);
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0));
	load_argument(p, 0);
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1));
	add_end(p, SECCOMP_RET_ALLOW);
	add_end(p, failing(EPERM));
}

static void add_arguments(struct program *p, enum sandbox_profile profile)
{
	static const unsigned all[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}, local[] = {AF_UNIX};
	/* These type into the terminal: the shell would run it after railtop has ended. */
	static const unsigned typing[] = {TIOCSTI, TIOCLINUX};
	const unsigned self = (unsigned)getpid();

	if (profile == SANDBOX_DEVICES)
		if_argument(p, __NR_socket, 0, all, 4, SECCOMP_RET_ALLOW, failing(EAFNOSUPPORT));
	else if (profile == SANDBOX_LOCAL)
		if_argument(p, __NR_socket, 0, local, 1, SECCOMP_RET_ALLOW, failing(EAFNOSUPPORT));
	else
		on_call(p, __NR_socket, failing(EACCES));
	if_argument(p, __NR_ioctl, 1, typing, 2, failing(EPERM), SECCOMP_RET_ALLOW);
	only_threads(p);
	if (profile == SANDBOX_DEVICES)
		return;
	only_own_signals(p, self);
	if_argument(p, __NR_tgkill, 0, &self, 1, SECCOMP_RET_ALLOW, failing(EPERM));
}

static void add_calls(struct program *p, enum sandbox_profile profile)
{
	unsigned network = profile == SANDBOX_FILES ? failing(EACCES) : SECCOMP_RET_ALLOW;

	for (int i = 0; i < FORBIDDEN; i++)
		on_call(p, forbidden[i].number, SECCOMP_RET_TRAP);
#define FORBID(name)
#define REFUSE(name, error) on_call(p, __NR_##name, failing(error));
#define NETWORK(name)       on_call(p, __NR_##name, network);
#define ALLOW(name)
#include "base/sandbox/calls.def"
#undef NETWORK
#undef REFUSE
#undef ALLOW
	if (profile == SANDBOX_DEVICES)
		return;
#define REFUSE(name, error)
#define NETWORK(name)
#define ALLOW(name) on_call(p, __NR_##name, SECCOMP_RET_ALLOW);
#include "base/sandbox/calls.def"
#undef FORBID
#undef REFUSE
#undef NETWORK
#undef ALLOW
}

static void add_newer(struct program *p)
{
	static const int newer[] = {CALL_OPENAT2, CALL_FACCESSAT2, CALL_EPOLL_PWAIT2,
		CALL_FUTEX_WAITV, CALL_CACHESTAT, CALL_FCHMODAT2, CALL_MAP_SHADOW_STACK,
		CALL_FUTEX_WAKE, CALL_FUTEX_WAIT, CALL_FUTEX_REQUEUE, CALL_MSEAL};

	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++)
		on_call(p, newer[i], SECCOMP_RET_ALLOW);
	for (int call = CALL_LANDLOCK_FIRST; call <= CALL_LANDLOCK_LAST; call++)
		on_call(p, call, SECCOMP_RET_ALLOW);
}

static void make_program(struct program *p, enum sandbox_profile profile)
{
	add(p, (struct sock_filter)BPF_STMT(
		       BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
	add_end(p, SECCOMP_RET_KILL_PROCESS);
	add(p, (struct sock_filter)BPF_STMT(
		       BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
#ifdef __x86_64__
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_FIRST, 0, 1));
	add_end(p, SECCOMP_RET_KILL_PROCESS);
#endif
	/* Arguments come first: after one was loaded the number is gone, and each of them ends. */
	add_arguments(p, profile);
	add_calls(p, profile);
	if (profile != SANDBOX_DEVICES) {
		add_newer(p);
		add_end(p, failing(ENOSYS));
		return;
	}
	/* What this list cannot know fails as on an older kernel. */
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, CALL_NEWEST, 0, 1));
	add_end(p, failing(ENOSYS));
	add_end(p, SECCOMP_RET_ALLOW);
}

const char *sandbox_no_filter(void)
{
	unsigned fate = SECCOMP_RET_TRAP;

	return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &fate) == 0
		       ? NULL
		       : "this kernel has no seccomp";
}

static int install_filter(enum sandbox_profile profile)
{
	struct program p = {.n = 0};
	struct sock_fprog whole = {.filter = p.at};
	long rc;

	make_program(&p, profile);
	if (p.n > RULES_MOST)
		return E2BIG;
	whole.len = p.n;
	/* All threads, and without the slowness against Spectre that older kernels add. */
	rc = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &whole);
	if (rc < 0 && errno == EINVAL)
		rc = syscall(
			__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &whole);
	/* Above 0: the number of a thread that has another filter. */
	return rc == 0 ? 0 : rc > 0 ? EBUSY : errno;
}

#else

const char *sandbox_no_filter(void)
{
	return "railtop has no list of calls of this machine";
}

static int install_filter(enum sandbox_profile profile)
{
	(void)profile;
	return ENOTSUP;
}

#endif

bool sandbox_filter_calls(enum sandbox_profile profile)
{
	struct sandbox_status *s = sandbox_own_status();

	sandbox_harden();
	watch_forbidden();
	s->profile = profile;
	s->calls_error = install_filter(profile);
	s->calls = s->calls_error == 0;
	return s->calls;
}

void sandbox_harden(void)
{
	struct rlimit none = {0, 0};
	struct sandbox_status *s = sandbox_own_status();

	/* A core that is piped to a program ignores the limit; one that is not dumpable has none.
	 */
	s->no_core = setrlimit(RLIMIT_CORE, &none) == 0;
	s->no_core = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && s->no_core;
	s->no_new_privs = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
