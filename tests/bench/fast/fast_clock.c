/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's own functions go before those of the C library, also for the libraries that it is
 * linked with. The C library's functions cannot be called any more, so these call the kernel.
 */
/* poll() is defined here: the checked one of the headers would stand in its way. */
#undef _FORTIFY_SOURCE
#include "tests/bench/fast/fast_clock.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NSEC      INT64_C(1000000000)
#define MSEC_NSEC INT64_C(1000000)

static double times = 1;
static int64_t began_mono, began_wall; /* of the system, when times was set */

static int64_t nsec_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * NSEC + t->tv_nsec;
}

static struct timespec spec_of(int64_t nsec)
{
	return (struct timespec){.tv_sec = nsec / NSEC, .tv_nsec = nsec % NSEC};
}

static int64_t real(clockid_t id)
{
	struct timespec t = {0};

	(void)syscall(SYS_clock_gettime, id, &t);
	return nsec_of(&t);
}

void fast_clock(double n)
{
	began_mono = real(CLOCK_MONOTONIC);
	began_wall = real(CLOCK_REALTIME);
	times = n;
}

static int64_t fast(int64_t now, int64_t began)
{
	return began + (int64_t)((double)(now - began) * times);
}

/* Of a wait. Never 0 for a wait above 0, or a waiting loop would spin. */
static int part(int ms)
{
	return ms <= 0 ? ms : (int)(((double)ms + times - 1) / times);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	long rc = syscall(SYS_clock_gettime, id, t);

	if (rc != 0)
		return (int)rc;
	if (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME ||
		id == CLOCK_MONOTONIC_RAW)
		*t = spec_of(fast(nsec_of(t), began_mono));
	else if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		*t = spec_of(fast(nsec_of(t), began_wall));
	return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	int64_t now = fast(real(CLOCK_REALTIME), began_wall);

	(void)zone;
	*tv = (struct timeval){.tv_sec = now / NSEC, .tv_usec = now % NSEC / 1000};
	return 0;
}

time_t time(time_t *t)
{
	time_t now = (time_t)(fast(real(CLOCK_REALTIME), began_wall) / NSEC);

	if (t)
		*t = now;
	return now;
}

int epoll_pwait(int epoll, struct epoll_event *events, int most, int ms, const sigset_t *mask)
{
	return (int)syscall(SYS_epoll_pwait, epoll, events, most, part(ms), mask, _NSIG / 8);
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int ms)
{
	return epoll_pwait(epoll, events, most, ms, NULL);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec t = spec_of(part(ms) * MSEC_NSEC);

	return (int)syscall(SYS_ppoll, fds, n, ms < 0 ? NULL : &t, NULL, _NSIG / 8);
}

int nanosleep(const struct timespec *asked, struct timespec *left)
{
	struct timespec t = spec_of((int64_t)((double)nsec_of(asked) / times));

	return (int)syscall(SYS_nanosleep, &t, left);
}

/* Of conditions with the monotonic clock: there are no others here. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock,
	const struct timespec *restrict until)
{
	struct timespec t =
		spec_of(began_mono + (int64_t)((double)(nsec_of(until) - began_mono) / times));

	return pthread_cond_clockwait(cond, lock, CLOCK_MONOTONIC, &t);
}
