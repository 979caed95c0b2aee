/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each forbidden thing is tried under each profile, in a process of its own, and tried without the
 * sandbox as well: a test that could not fail would show nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox/sandbox.h"
#include "base/str.h"
#include "tests/support/cases.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Results of a try beside an errno: 0 it was done. */
enum { DIED = 1000, DIED_OTHERWISE };

struct world {
	char top[64], own[96], outside[96], file[128], foreign[128];
};

static void make_file(const char *path)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs("before\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void make_world(struct world *w)
{
	(void)snprintf(w->top, sizeof(w->top), "/tmp/railtop-sandbox-XXXXXX");
	assert_non_null(mkdtemp(w->top));
	(void)snprintf(w->own, sizeof(w->own), "%s/own", w->top);
	(void)snprintf(w->outside, sizeof(w->outside), "%s/outside", w->top);
	(void)snprintf(w->file, sizeof(w->file), "%s/file", w->own);
	(void)snprintf(w->foreign, sizeof(w->foreign), "%s/file", w->outside);
	assert_int_equal(mkdir(w->own, 0700), 0);
	assert_int_equal(mkdir(w->outside, 0700), 0);
	make_file(w->file);
	make_file(w->foreign);
}

static void remove_world(const struct world *w)
{
	char line[160];

	(void)snprintf(line, sizeof(line), "rm -rf %s", w->top);
	assert_int_equal(system(line), 0);
}

/* ---- what is tried: each returns 0 or the errno ---- */

typedef int try_fn(const struct world *w);

static int done(long rc)
{
	return rc >= 0 ? 0 : errno;
}

static int try_write_foreign(const struct world *w)
{
	return done(open(w->foreign, O_WRONLY | O_CLOEXEC));
}

static int try_truncate_foreign(const struct world *w)
{
	return done(truncate(w->foreign, 0));
}

static int try_remove_foreign(const struct world *w)
{
	return done(unlink(w->foreign));
}

static int try_make_foreign(const struct world *w)
{
	char path[160];

	(void)str_printf(path, sizeof(path), "%s/new", w->outside);
	return done(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int try_make_directory(const struct world *w)
{
	char path[160];

	(void)str_printf(path, sizeof(path), "%s/directory", w->outside);
	return done(mkdir(path, 0700));
}

static int try_link_out(const struct world *w)
{
	char path[160];

	(void)str_printf(path, sizeof(path), "%s/link", w->outside);
	return done(link(w->file, path));
}

static int try_rename_out(const struct world *w)
{
	return done(rename(w->file, w->foreign));
}

/* A link in the own directory that leads out. */
static int try_through_link(const struct world *w)
{
	char path[160];

	(void)str_printf(path, sizeof(path), "%s/way", w->own);
	return done(open(path, O_WRONLY | O_CLOEXEC));
}

/* Its own memory by way of a file: pages that may not be written would be. */
static int try_own_memory(const struct world *w)
{
	(void)w;
	return done(open("/proc/self/mem", O_WRONLY | O_CLOEXEC));
}

static int try_read_foreign(const struct world *w)
{
	return done(open(w->foreign, O_RDONLY | O_CLOEXEC));
}

static int try_own_file(const struct world *w)
{
	char path[160];
	int fd;

	(void)str_printf(path, sizeof(path), "%s/made", w->own);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
		return errno;
	return done(rename(path, w->file));
}

static int try_tcp(const struct world *w)
{
	(void)w;
	return done(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int try_udp6(const struct world *w)
{
	(void)w;
	return done(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static int try_unix(const struct world *w)
{
	(void)w;
	return done(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int try_packets(const struct world *w)
{
	(void)w;
	return done(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
}

static int try_crypto_socket(const struct world *w)
{
	(void)w;
	return done(socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int try_program(const struct world *w)
{
	char *argv[] = {"true", NULL};

	(void)w;
	/* It replaces this process: the end is then one with status 0. */
	(void)execv("/bin/true", argv);
	return errno;
}

static int try_process(const struct world *w)
{
	pid_t pid = fork();

	(void)w;
	if (pid == 0)
		_exit(0);
	return done(pid);
}

static void *nothing(void *arg)
{
	return arg;
}

static int try_thread(const struct world *w)
{
	pthread_t t;
	int rc = pthread_create(&t, NULL, nothing, NULL);

	(void)w;
	return rc ? rc : pthread_join(t, NULL);
}

static int try_kill_other(const struct world *w)
{
	(void)w;
	return done(kill(getppid(), SIGCONT));
}

/* A file that a killed process left is known by its number. */
static int try_ask_other(const struct world *w)
{
	(void)w;
	return done(kill(getppid(), 0));
}

/* Types into a terminal: the shell would run it later. */
static int try_type(const struct world *w)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	long rc = ioctl(master, TIOCSTI, "x");
	int why = errno;

	(void)w;
	/* The kernel refuses it as well since 6.2: only what the sandbox says is of interest. */
	return master < 0 ? errno : rc == 0 ? 0 : why;
}

static int try_ptrace(const struct world *w)
{
	(void)w;
	/* Unlike PTRACE_ATTACH it does not stop the other. */
	return done(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}

static int try_read_memory(const struct world *w)
{
	static char from[8], to[8];
	struct iovec a = {to, sizeof(to)}, b = {from, sizeof(from)};

	(void)w;
	return done(process_vm_readv(getppid(), &a, 1, &b, 1, 0));
}

#define CALL(name)                                                                                 \
	static int try_##name(const struct world *w)                                               \
	{                                                                                          \
		(void)w;                                                                           \
		return done(syscall(SYS_##name, -1L, -1L, -1L, -1L, -1L));                         \
	}
CALL(bpf)
CALL(mount)
CALL(setns)
CALL(unshare)
CALL(keyctl)
CALL(perf_event_open)
CALL(userfaultfd)
CALL(finit_module)
CALL(kexec_load)
CALL(io_uring_setup)

/* A call of a kernel that is newer than the list. */
static int try_newer(const struct world *w)
{
	(void)w;
	return done(syscall(9999));
}

/* ---- one try ---- */

/* What it says on standard error goes into said. */
static int run_under(
	const struct world *w, enum sandbox_profile profile, try_fn *fn, char *said, size_t size)
{
	struct sandbox_place own = {w->own, SANDBOX_MAKE};
	int out[2], err[2], result = DIED_OTHERWISE, status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)dup2(err[1], STDERR_FILENO);
		(void)signal(SIGSYS, SIG_DFL);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)fcntl(out[1], F_SETFD, FD_CLOEXEC);
		if (profile != SANDBOX_NONE) {
			(void)sandbox_filter_calls(profile);
			(void)sandbox_limit_places(profile, &own, 1);
		}
		result = fn(w);
		(void)!write(out[1], &result, sizeof(result));
		_exit(0);
	}
	(void)close(out[1]);
	(void)close(err[1]);
	n = read(out[0], &result, sizeof(result));
	said[0] = '\0';
	for (ssize_t got; (got = read(err[0], said, size - 1)) > 0;)
		said[got] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)close(out[0]);
	(void)close(err[0]);
	if (n == (ssize_t)sizeof(result))
		return result;
	/* A program that ran in its place ends well and reports nothing. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? DIED : DIED_OTHERWISE;
}

static void expect(try_fn *fn, const char *what, int files, int local, int devices)
{
	const int wants[] = {
		[SANDBOX_FILES] = files, [SANDBOX_LOCAL] = local, [SANDBOX_DEVICES] = devices};

	for (int p = SANDBOX_FILES; p <= SANDBOX_DEVICES; p++) {
		struct world w;
		char said[512], link[160];
		int got;

		make_world(&w);
		(void)str_printf(link, sizeof(link), "%s/way", w.own);
		assert_int_equal(symlink(w.foreign, link), 0);
		got = run_under(&w, (enum sandbox_profile)p, fn, said, sizeof(said));
		if (got != wants[p])
			fail_msg("%s, profile %d: %d (%s), and not %d; it says: %s", what, p, got,
				got < DIED ? strerror(got) : "ended", wants[p], said);
		if (got == DIED && (!strstr(said, "ended by the sandbox: the system call ") ||
					   !strstr(said, what)))
			fail_msg("%s: the end does not name the call: %s", what, said);
		remove_world(&w);
	}
}
#define ALL(fn, want) expect(try_##fn, #fn, want, want, want)

static bool has_places(void)
{
	return sandbox_kernel_places() > 0;
}

/* ---- the cases ---- */

CASE(without_a_sandbox_they_are_done)
{
	static const struct {
		try_fn *fn;
		const char *name;
	} tries[] = {{try_write_foreign, "write"}, {try_truncate_foreign, "truncate"},
		{try_make_foreign, "make"}, {try_make_directory, "directory"},
		{try_link_out, "link"}, {try_rename_out, "rename"}, {try_remove_foreign, "remove"},
		{try_through_link, "through a link"}, {try_own_memory, "memory"}, {try_tcp, "tcp"},
		{try_unix, "unix"}, {try_program, "program"}, {try_process, "process"},
		{try_kill_other, "kill"}, {try_ptrace, "ptrace"}};

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct world w;
		char said[512], link[160];
		int got;

		make_world(&w);
		(void)str_printf(link, sizeof(link), "%s/way", w.own);
		assert_int_equal(symlink(w.foreign, link), 0);
		got = run_under(&w, SANDBOX_NONE, tries[i].fn, said, sizeof(said));
		/* Yama may forbid to trace a parent; the sandbox's answer is another one. */
		if (got != 0 && !(tries[i].fn == try_ptrace && got == EPERM))
			fail_msg("%s: %d %s", tries[i].name, got, said);
		remove_world(&w);
	}
}

CASE(writes_stay_in_their_places)
{
	if (!has_places()) {
		print_message("# skip: this kernel has no Landlock\n");
		skip();
	}
	ALL(write_foreign, EACCES);
	ALL(make_foreign, EACCES);
	ALL(make_directory, EACCES);
	ALL(remove_foreign, EACCES);
	ALL(through_link, EACCES);
	ALL(own_memory, EACCES);
	ALL(link_out, EACCES);
	ALL(rename_out, EACCES);
	if (sandbox_kernel_places() >= 3)
		ALL(truncate_foreign, EACCES);
	ALL(own_file, 0);
	ALL(read_foreign, 0);
}

CASE(sockets_are_those_of_the_profile)
{
	expect(try_tcp, "tcp", EACCES, EAFNOSUPPORT, 0);
	expect(try_udp6, "udp", EACCES, EAFNOSUPPORT, 0);
	expect(try_unix, "unix", EACCES, 0, 0);
	expect(try_packets, "packets", EACCES, EAFNOSUPPORT, EAFNOSUPPORT);
	expect(try_crypto_socket, "vsock", EACCES, EAFNOSUPPORT, EAFNOSUPPORT);
}

CASE(no_program_and_no_process_is_started)
{
	ALL(program, EACCES);
	if (!SANITIZED)
		ALL(process, EPERM);
	ALL(thread, 0);
}

CASE(calls_that_rule_the_machine_end_it)
{
	ALL(bpf, DIED);
	ALL(mount, DIED);
	ALL(setns, DIED);
	ALL(unshare, DIED);
	ALL(keyctl, DIED);
	ALL(perf_event_open, DIED);
	ALL(userfaultfd, DIED);
	ALL(finit_module, DIED);
	ALL(kexec_load, DIED);
	expect(try_read_memory, "process_vm_readv", DIED, DIED, DIED);
	if (!SANITIZED)
		ALL(ptrace, DIED);
}

CASE(others_fail_as_on_an_older_kernel)
{
	ALL(io_uring_setup, ENOSYS);
	ALL(newer, ENOSYS);
	ALL(type, EPERM);
	expect(try_kill_other, "kill", EPERM, EPERM, 0);
	ALL(ask_other, 0);
}

/* ---- kernels without it ---- */

/* As of a kernel that lacks the call. */
static void take_away(unsigned call)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {.len = 4, .filter = rules};

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int try_without_landlock(const struct world *w)
{
	struct sandbox_place own = {w->own, SANDBOX_MAKE};
	char text[256], kernel[256];

	take_away(444);
	if (sandbox_limit_places(SANDBOX_FILES, &own, 1) || sandbox_kernel_places())
		return 1;
	sandbox_status_text(text, sizeof(text));
	sandbox_kernel_text(kernel, sizeof(kernel));
	if (!strstr(text, "writes: NOT limited (this kernel has no Landlock)") ||
		!strstr(kernel, "writes are NOT limited (this kernel has no Landlock)"))
		return 2;
	/* The other half holds all the same. */
	if (!sandbox_filter_calls(SANDBOX_FILES) || try_tcp(w) != EACCES)
		return 3;
	return sandbox_missing(text, sizeof(text)) &&
			       strcmp(text,
				       "writes are not limited (this kernel has no Landlock)") == 0
		       ? 0
		       : 4;
}

static int try_without_seccomp(const struct world *w)
{
	struct sandbox_place own = {w->own, SANDBOX_MAKE};
	char text[256], kernel[256];

	take_away(SYS_seccomp);
	if (sandbox_filter_calls(SANDBOX_FILES))
		return 1;
	sandbox_status_text(text, sizeof(text));
	sandbox_kernel_text(kernel, sizeof(kernel));
	if (!strstr(text, "system calls: NOT filtered (this kernel has no seccomp)") ||
		!strstr(kernel, "system calls are NOT filtered"))
		return 2;
	if (!has_places())
		return 0;
	return sandbox_limit_places(SANDBOX_FILES, &own, 1) && try_write_foreign(w) == EACCES ? 0
											      : 3;
}

CASE(a_kernel_without_one_half_says_so_and_has_the_other)
{
	static try_fn *const tries[] = {try_without_landlock, try_without_seccomp};

	for (size_t i = 0; i < 2; i++) {
		struct world w;
		char said[512];

		make_world(&w);
		assert_int_equal(run_under(&w, SANDBOX_NONE, tries[i], said, sizeof(said)), 0);
		remove_world(&w);
	}
}

/* ---- no core, no privileges ---- */

static bool status_has(const char *line)
{
	char text[4096];
	FILE *f = fopen("/proc/self/status", "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		(void)fclose(f);
	return strstr(text, line) != NULL;
}

static int try_under_self(const struct world *w)
{
	struct rlimit core;
	struct sandbox_status s = sandbox_status();

	(void)w;
	if (!status_has("NoNewPrivs:\t1\n"))
		return 1;
	if (!status_has("Seccomp:\t2\n"))
		return 2;
	if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_cur || core.rlim_max)
		return 3;
	if (prctl(PR_GET_DUMPABLE) != 0)
		return 4;
	if (!s.no_core || !s.no_new_privs || !s.calls || s.places != has_places())
		return 5;
	return 0;
}

CASE(the_kernel_confirms_it)
{
	ALL(under_self, 0);
}

/* With an unlimited core the shell's way leaves one; the sandbox's leaves none. */
static int end_with_secret(const struct world *w)
{
	char planted[64];

	if (chdir(w->own) != 0)
		return errno;
	(void)snprintf(planted, sizeof(planted), "%s-%d", "planted-PASSWORD", 4711);
	if (strlen(planted) > 8)
		abort();
	return 0;
}

static bool core_is_a_file(void)
{
	char pattern[128] = "|";
	FILE *f = fopen("/proc/sys/kernel/core_pattern", "re");

	if (f)
		(void)!fgets(pattern, sizeof(pattern), f);
	if (f)
		(void)fclose(f);
	return pattern[0] != '|' && pattern[0] != '/';
}

static bool leaves_core(enum sandbox_profile profile)
{
	struct world w;
	char said[512], line[200];
	bool core;

	make_world(&w);
	assert_int_equal(
		run_under(&w, profile, end_with_secret, said, sizeof(said)), DIED_OTHERWISE);
	(void)str_printf(line, sizeof(line), "grep -qs planted-PASSWORD-4711 %s/core*", w.own);
	core = system(line) == 0;
	remove_world(&w);
	return core;
}

CASE(an_abort_leaves_no_core)
{
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

	if (SANITIZED || !core_is_a_file() || setrlimit(RLIMIT_CORE, &all) != 0) {
		print_message("# skip: cores are not files here\n");
		skip();
	}
	/* The kernel lets this one, so that the other shows something. */
	assert_true(leaves_core(SANDBOX_NONE));
	assert_false(leaves_core(SANDBOX_FILES));
	assert_false(leaves_core(SANDBOX_DEVICES));
}

CASES_MAIN(NULL, NULL)
