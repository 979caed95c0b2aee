/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

/* The socket of a session. */
#define PER_SSH 1
/* Through a bastion, the other end of each connection. */
#define PER_JUMP 1
/* Connections at a time (REST_LANES). */
#define PER_HTTPS 3
/*
 * Terminal, files, loops; and the additional files of handshakes under way: 64 per collector
 * thread, with a file of known keys and a connection to the agent each.
 */
#define OTHERS(threads) (128 + (size_t)64 * 2 * (threads))

/* Global, because the limit belongs to the process. */
static _Atomic unsigned long long before;

void descriptors_raise(void)
{
	struct rlimit r;
	rlim_t was;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur == r.rlim_max)
		return;
	was = r.rlim_cur;
	r.rlim_cur = r.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &r) == 0)
		before = was;
	else
		log_line("descriptors", "the limit of open files could not be raised");
}

unsigned long long descriptors_before(void)
{
	return before;
}

bool descriptors_ran_out(int error, const char *device, struct err *err)
{
	if (error != EMFILE && error != ENFILE)
		return false;
	err_set(err, ERR_IO, device, "this machine has no open file left for it: %s",
		strerror(error));
	(void)err_cure(err,
		"raise the limit of open files before the start: ulimit -n, or LimitNOFILE= of the "
		"systemd unit");
	return true;
}

/* The descriptors of a first loop. Without its pipe libuv aborts the program. */
static int room_for_loop(void)
{
	int fds[4] = {-1, -1, -1, -1}, error = 0;

	if (pipe2(fds, O_CLOEXEC) != 0 || pipe2(fds + 2, O_CLOEXEC) != 0)
		error = errno;
	for (int i = 0; i < 4; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	return -error;
}

/* The status of an error of this machine: EXIT STATUS in railtop(1). */
#define STATUS_OF_MACHINE 5

static void on_abort(int number)
{
	static const char words[] =
		"railtop: this machine has no open file left: its event loop cannot begin (raise "
		"the limit of open files before the start: ulimit -n, or LimitNOFILE= of the "
		"systemd unit)\n";
	ssize_t n = write(STDERR_FILENO, words, sizeof(words) - 1);

	(void)number;
	(void)n;
	_exit(STATUS_OF_MACHINE);
}

/*
 * The table of files may fill up between the look and the loop. Then libuv aborts: nothing was read
 * or sent yet, and the end has its reason.
 */
static int make_loop(uv_loop_t *loop)
{
	struct sigaction was, now = {.sa_handler = on_abort};
	int rc;

	(void)sigemptyset(&now.sa_mask);
	(void)sigaction(SIGABRT, &now, &was);
	rc = uv_loop_init(loop);
	(void)sigaction(SIGABRT, &was, NULL);
	return rc;
}

bool descriptors_loop(uv_loop_t *loop, struct err *err)
{
	int rc = room_for_loop();

	if (rc == 0)
		rc = make_loop(loop);
	if (rc == 0)
		return true;
	if (!descriptors_ran_out(-rc, "", err))
		(void)err_set(err, ERR_IO, "", "cannot begin: %s", uv_strerror(rc));
	return false;
}

size_t descriptors_needed(const struct descriptors_for *d)
{
	return d->ssh * PER_SSH + d->ssh_behind * PER_JUMP + d->https * PER_HTTPS +
	       d->https_behind * PER_HTTPS * PER_JUMP + OTHERS(d->threads);
}

bool descriptors_suffice(size_t needed, const char *origin, struct err *err)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur == RLIM_INFINITY ||
		needed <= r.rlim_cur)
		return true;
	err_set(err, ERR_LIMIT, origin,
		"the devices need up to %zu open files, and the limit is %llu: some devices may "
		"stay without a connection",
		needed, (unsigned long long)r.rlim_cur);
	return err_cure(err,
		"raise it before the start: ulimit -n %zu, LimitNOFILE=%zu of the systemd unit, or "
		"nofile in /etc/security/limits.conf",
		needed, needed);
}
