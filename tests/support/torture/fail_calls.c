/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/torture/fail_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define OUTPUT_MAX ((size_t)8 << 20)
#define SHORT_MAX  ((size_t)1 << 20)

const char *const call_fault_names[CALL_FAULTS] = {
	"EIO", "ENOSPC", "short", "EINTR", "EMFILE", "EAGAIN", "EACCES", "ECONNRESET"};

#define BIT(fault) (1u << (fault))
#define EIO_       BIT(CALL_EIO)
#define ENOSPC_    BIT(CALL_ENOSPC)
#define SHORT_     BIT(CALL_SHORT)
#define EINTR_     BIT(CALL_EINTR)
#define EMFILE_    BIT(CALL_EMFILE)
#define EAGAIN_    BIT(CALL_EAGAIN)
#define EACCES_    BIT(CALL_EACCES)
#define RESET_     BIT(CALL_RESET)

/* Where a call has the file that it is about. */
enum about { ABOUT_NOTHING, ABOUT_FD, ABOUT_PATH0, ABOUT_PATH1 };

/*
 * close() is not among them: the kernel closes even where it says EIO. What only some machines have
 * (open, stat, poll) is left out where it is missing.
 */
static const struct call {
	int number;
	const char *name;
	enum about about;
	unsigned faults;
} calls[] = {
	{SYS_read, "read", ABOUT_FD, EIO_ | SHORT_ | EINTR_ | RESET_},
	{SYS_pread64, "pread64", ABOUT_FD, EIO_ | SHORT_ | EINTR_},
	{SYS_readv, "readv", ABOUT_FD, EIO_ | EINTR_},
	{SYS_write, "write", ABOUT_FD, EIO_ | ENOSPC_ | SHORT_ | EINTR_ | RESET_},
	{SYS_pwrite64, "pwrite64", ABOUT_FD, EIO_ | ENOSPC_ | SHORT_ | EINTR_},
	{SYS_writev, "writev", ABOUT_FD, EIO_ | ENOSPC_ | EINTR_},
	{SYS_fsync, "fsync", ABOUT_FD, EIO_ | ENOSPC_ | EINTR_},
	{SYS_fdatasync, "fdatasync", ABOUT_FD, EIO_ | ENOSPC_ | EINTR_},
	{SYS_ftruncate, "ftruncate", ABOUT_FD, EIO_ | ENOSPC_},
	{SYS_fallocate, "fallocate", ABOUT_FD, EIO_ | ENOSPC_ | EINTR_},
	{SYS_getdents64, "getdents64", ABOUT_FD, EIO_},
	{SYS_lseek, "lseek", ABOUT_FD, EIO_},
	{SYS_newfstatat, "newfstatat", ABOUT_PATH1, EIO_ | EACCES_},
	{SYS_fstat, "fstat", ABOUT_FD, EIO_},
	{SYS_statx, "statx", ABOUT_PATH1, EIO_ | EACCES_},
	{SYS_fchmod, "fchmod", ABOUT_FD, EIO_ | EACCES_},
	{SYS_fchown, "fchown", ABOUT_FD, EIO_ | EACCES_},
	{SYS_flock, "flock", ABOUT_FD, EIO_ | EINTR_},
	{SYS_openat, "openat", ABOUT_PATH1, EIO_ | ENOSPC_ | EINTR_ | EMFILE_ | EACCES_},
	{SYS_renameat, "renameat", ABOUT_PATH1, EIO_ | ENOSPC_ | EACCES_},
	{SYS_renameat2, "renameat2", ABOUT_PATH1, EIO_ | ENOSPC_ | EACCES_},
	{SYS_linkat, "linkat", ABOUT_PATH1, EIO_ | ENOSPC_ | EACCES_},
	{SYS_unlinkat, "unlinkat", ABOUT_PATH1, EIO_ | EACCES_},
	{SYS_mkdirat, "mkdirat", ABOUT_PATH1, EIO_ | ENOSPC_ | EACCES_},
	{SYS_statfs, "statfs", ABOUT_PATH0, EIO_},
	{SYS_fstatfs, "fstatfs", ABOUT_FD, EIO_},
	{SYS_socket, "socket", ABOUT_NOTHING, EMFILE_ | EACCES_},
	{SYS_accept4, "accept4", ABOUT_NOTHING, EMFILE_ | EINTR_},
	{SYS_connect, "connect", ABOUT_FD, EINTR_ | RESET_},
	{SYS_recvmsg, "recvmsg", ABOUT_FD, EINTR_ | RESET_},
	{SYS_recvfrom, "recvfrom", ABOUT_FD, EINTR_ | RESET_},
	{SYS_sendmsg, "sendmsg", ABOUT_FD, EINTR_ | RESET_},
	{SYS_sendto, "sendto", ABOUT_FD, EINTR_ | RESET_},
	{SYS_pipe2, "pipe2", ABOUT_NOTHING, EMFILE_},
	{SYS_dup, "dup", ABOUT_NOTHING, EMFILE_},
	{SYS_epoll_create1, "epoll_create1", ABOUT_NOTHING, EMFILE_},
	{SYS_eventfd2, "eventfd2", ABOUT_NOTHING, EMFILE_},
	{SYS_timerfd_create, "timerfd_create", ABOUT_NOTHING, EMFILE_},
	{SYS_inotify_init1, "inotify_init1", ABOUT_NOTHING, EMFILE_},
	{SYS_memfd_create, "memfd_create", ABOUT_NOTHING, EMFILE_},
	{SYS_epoll_pwait, "epoll_pwait", ABOUT_NOTHING, EINTR_},
	{SYS_ppoll, "ppoll", ABOUT_NOTHING, EINTR_},
	{SYS_clock_nanosleep, "clock_nanosleep", ABOUT_NOTHING, EINTR_},
	{SYS_wait4, "wait4", ABOUT_NOTHING, EINTR_},
	{SYS_clone3, "clone3", ABOUT_NOTHING, EAGAIN_},
	{SYS_clone, "clone", ABOUT_NOTHING, EAGAIN_},
#ifdef SYS_open
	{SYS_open, "open", ABOUT_PATH0, EIO_ | ENOSPC_ | EINTR_ | EMFILE_ | EACCES_},
	{SYS_stat, "stat", ABOUT_PATH0, EIO_ | EACCES_},
	{SYS_lstat, "lstat", ABOUT_PATH0, EIO_ | EACCES_},
	{SYS_access, "access", ABOUT_PATH0, EIO_ | EACCES_},
	{SYS_unlink, "unlink", ABOUT_PATH0, EIO_ | EACCES_},
	{SYS_rename, "rename", ABOUT_PATH0, EIO_ | ENOSPC_ | EACCES_},
	{SYS_link, "link", ABOUT_PATH0, EIO_ | ENOSPC_ | EACCES_},
	{SYS_mkdir, "mkdir", ABOUT_PATH0, EIO_ | ENOSPC_ | EACCES_},
	{SYS_readlink, "readlink", ABOUT_PATH0, EIO_ | EACCES_},
	{SYS_poll, "poll", ABOUT_NOTHING, EINTR_},
	{SYS_epoll_wait, "epoll_wait", ABOUT_NOTHING, EINTR_},
#endif
};

static const int numbers[CALL_FAULTS] = {
	[CALL_EIO] = EIO,
	[CALL_ENOSPC] = ENOSPC,
	[CALL_EINTR] = EINTR,
	[CALL_EMFILE] = EMFILE,
	[CALL_EAGAIN] = EAGAIN,
	[CALL_EACCES] = EACCES,
	[CALL_RESET] = ECONNRESET,
};

/* ---- the program's side ---- */

/* Asks for the calls of this fault, and for the opens that begin the count. */
static int ask_for(enum call_fault fault)
{
	struct sock_filter code[2 * COUNT(calls) + 4];
	unsigned short n = 0;
	struct sock_fprog program = {.filter = code};

	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < COUNT(calls); i++) {
		bool opens = calls[i].number == SYS_openat;

#ifdef SYS_open
		opens = opens || calls[i].number == SYS_open;
#endif
		if (!opens && !(calls[i].faults & BIT(fault)))
			continue;
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* What both sides share: the descriptor in the program, and that we have it too. */
struct handover {
	_Atomic int listener; /* -1: not yet, -2: there is none */
	_Atomic bool taken;
};

static void become(const struct fail_calls *f, int out, int err, struct handover *h)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), fd;

	(void)dup2(null, STDIN_FILENO);
	(void)dup2(out, STDOUT_FILENO);
	(void)dup2(err, STDERR_FILENO);
	fd = ask_for(f->fault);
	h->listener = fd < 0 ? -2 : fd;
	/* The exec closes it. */
	while (fd >= 0 && !h->taken)
		(void)sched_yield();
	if (fd >= 0)
		(void)execv(f->argv[0], (char *const *)(uintptr_t)f->argv);
	_exit(126);
}

/* ---- ours ---- */

struct run {
	struct fail_calls *f;
	pid_t pid;
	int listener;
	bool counting;
};

static void read_text(pid_t pid, uint64_t at, char *dst, size_t size)
{
	size_t n = 0;

	/* A page at a time at most: the next may not be there. */
	while (n + 1 < size) {
		size_t part = 64 - (at + n) % 64;
		struct iovec to = {dst + n, part < size - 1 - n ? part : size - 1 - n};
		struct iovec from = {(void *)(uintptr_t)(at + n), to.iov_len};
		ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);

		if (got <= 0)
			break;
		if (memchr(dst + n, '\0', (size_t)got))
			return;
		n += (size_t)got;
	}
	dst[n] = '\0';
}

static void path_of(const struct seccomp_notif *q, const struct call *c, char *dst, size_t size)
{
	char link[64];
	ssize_t n;

	dst[0] = '\0';
	if (c->about == ABOUT_PATH0)
		read_text((pid_t)q->pid, q->data.args[0], dst, size);
	else if (c->about == ABOUT_PATH1)
		read_text((pid_t)q->pid, q->data.args[1], dst, size);
	if (dst[0] || c->about == ABOUT_NOTHING)
		return;
	(void)str_printf(link, sizeof(link), "/proc/%d/fd/%d", (int)q->pid, (int)q->data.args[0]);
	n = readlink(link, dst, size - 1);
	dst[n > 0 ? n : 0] = '\0';
}

static bool ends(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && strcmp(path + n - m, end) == 0;
}

/* Does half of it in the program's place; false: there is no half. */
static bool do_half(const struct run *r, const struct seccomp_notif *q, int64_t *done)
{
	size_t n = (size_t)q->data.args[2] / 2;
	int pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0), fd = -1;
	bool writes = q->data.nr == SYS_write || q->data.nr == SYS_pwrite64;
	bool placed = q->data.nr == SYS_pwrite64 || q->data.nr == SYS_pread64;
	off_t at = (off_t)q->data.args[3];
	struct stat st;
	struct iovec ours, theirs = {(void *)(uintptr_t)q->data.args[1], n};
	char *bytes = n && n <= SHORT_MAX ? malloc(n) : NULL;

	*done = -1;
	if (pidfd >= 0)
		fd = (int)syscall(SYS_pidfd_getfd, pidfd, (int)q->data.args[0], 0);
	ours = (struct iovec){bytes, n};
	if (bytes && fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		if (!writes) {
			*done = placed ? pread(fd, bytes, n, at) : read(fd, bytes, n);
			ours.iov_len = theirs.iov_len = *done > 0 ? (size_t)*done : 0;
			if (*done > 0 &&
				process_vm_writev((pid_t)q->pid, &ours, 1, &theirs, 1, 0) < 0)
				*done = -1;
		} else if (process_vm_readv((pid_t)q->pid, &ours, 1, &theirs, 1, 0) == (ssize_t)n) {
			*done = placed ? pwrite(fd, bytes, n, at) : write(fd, bytes, n);
		}
	}
	free(bytes);
	if (fd >= 0)
		(void)close(fd);
	if (pidfd >= 0)
		(void)close(pidfd);
	return *done > 0;
}

/*
 * A call of the sanitizer's own, at the program's end: its search for leaks lists the threads and
 * stops them by a process that nobody traces. If that fails it ends the program by itself.
 */
static bool of_a_sanitizer(const struct seccomp_notif *q, const char *path)
{
	if (q->data.nr == SYS_clone)
		return (q->data.args[0] & CLONE_UNTRACED) != 0;
	return strncmp(path, "/proc/", 6) == 0 && strstr(path, "/task");
}

/* Whether this call is one that the fault may meet. */
static bool may_fail(
	struct run *r, const struct seccomp_notif *q, const struct call *c, const char *path)
{
	struct fail_calls *f = r->f;

	if (!r->counting) {
		r->counting = !*f->from || ((c->faults & EMFILE_) && *path && ends(path, f->from));
		if (!r->counting || *f->from)
			return false;
	}
	if (f->failed || !(c->faults & BIT(f->fault)) || (f->only && !strstr(path, f->only)) ||
		of_a_sanitizer(q, path))
		return false;
	/* What is no file has no disk below it. */
	if ((f->fault == CALL_EIO || f->fault == CALL_ENOSPC) && c->about != ABOUT_NOTHING &&
		path[0] != '/')
		return false;
	/* Only a connection is reset. */
	if (f->fault == CALL_RESET && strncmp(path, "socket:", 7) != 0)
		return false;
	/* A full disk has no room for new files, and all others open. */
	if (f->fault == CALL_ENOSPC && c->number == SYS_openat && !(q->data.args[2] & O_CREAT))
		return false;
	return ++f->seen == f->n;
}

static void answer(struct run *r, const struct seccomp_notif *q)
{
	struct seccomp_notif_resp a = {.id = q->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
	const struct call *c = NULL;
	char path[256];
	int64_t done;

	for (size_t i = 0; i < COUNT(calls) && !c; i++)
		if (calls[i].number == q->data.nr)
			c = &calls[i];
	if (c) {
		path_of(q, c, path, sizeof(path));
		if (may_fail(r, q, c, path)) {
			r->f->failed = true;
			(void)str_copy(r->f->call, sizeof(r->f->call), c->name);
			(void)str_copy(r->f->path, sizeof(r->f->path), path);
			if (r->f->fault != CALL_SHORT) {
				a.flags = 0;
				a.error = -numbers[r->f->fault];
			} else if (do_half(r, q, &done)) {
				a.flags = 0;
				a.val = done;
			}
		}
	}
	(void)ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, &a);
}

static int64_t mono_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static bool take(int *fd, struct buf *b)
{
	char bytes[16384];
	ssize_t n = read(*fd, bytes, sizeof(bytes));

	if (n > 0) {
		(void)buf_add(b, bytes, (size_t)n);
		return true;
	}
	(void)close(*fd);
	*fd = -1;
	return false;
}

static void take_question(struct run *r)
{
	struct seccomp_notif q;

	memset(&q, 0, sizeof(q));
	if (ioctl(r->listener, SECCOMP_IOCTL_NOTIF_RECV, &q) == 0)
		answer(r, &q);
}

/* Until the program and all it started have gone; false: not in time. */
static bool serve(struct run *r, int *out, int *err, struct buf *said, struct buf *complaint)
{
	int64_t end = mono_ms() + (int64_t)1000 * r->f->seconds;
	bool over = false;

	while (!over || *out >= 0 || *err >= 0) {
		struct pollfd p[3] = {{.fd = over ? -1 : r->listener, .events = POLLIN},
			{.fd = *out, .events = POLLIN}, {.fd = *err, .events = POLLIN}};

		if (mono_ms() > end)
			return false;
		if (poll(p, 3, 100) <= 0)
			continue;
		if (p[0].revents & POLLIN)
			take_question(r);
		else if (p[0].revents)
			over = true;
		if (p[1].revents)
			(void)take(out, said);
		if (p[2].revents)
			(void)take(err, complaint);
	}
	return true;
}

static int fetch_listener(pid_t pid, struct handover *h)
{
	int64_t end = mono_ms() + 20000;
	int pidfd, fd = -1;

	while (h->listener == -1 && mono_ms() < end)
		(void)sched_yield();
	if (h->listener < 0)
		return -1;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, h->listener, 0);
	(void)close(pidfd);
	h->taken = true;
	return fd;
}

void fail_calls_run(struct fail_calls *f)
{
	struct run r = {.f = f};
	struct handover *h =
		mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct buf said, complaint;
	int out[2], err[2], status = 0;
	bool ended;

	f->here = f->failed = false;
	f->seen = 0;
	f->call[0] = f->path[0] = '\0';
	f->out = f->err = NULL;
	f->code = -1;
	if (h == MAP_FAILED || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		abort();
	h->listener = -1;
	(void)fflush(NULL);
	r.pid = fork();
	if (r.pid == 0)
		become(f, out[1], err[1], h);
	(void)close(out[1]);
	(void)close(err[1]);
	r.listener = r.pid > 0 ? fetch_listener(r.pid, h) : -1;
	f->here = r.listener >= 0;
	buf_init(&said, OUTPUT_MAX);
	buf_init(&complaint, OUTPUT_MAX);
	ended = f->here && serve(&r, &out[0], &err[0], &said, &complaint);
	if (!ended && r.pid > 0)
		(void)kill(r.pid, SIGKILL);
	if (r.pid > 0 && waitpid(r.pid, &status, 0) == r.pid && ended)
		f->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (r.listener >= 0)
		(void)close(r.listener);
	if (out[0] >= 0)
		(void)close(out[0]);
	if (err[0] >= 0)
		(void)close(err[0]);
	f->out = buf_take(&said, NULL);
	f->err = buf_take(&complaint, NULL);
	(void)munmap(h, sizeof(*h));
}
