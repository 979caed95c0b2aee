/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process/service_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

#define STATUS_US (5 * CLOCK_SEC)

/* "/run/systemd/notify", or "@name" in the abstract namespace. */
static int connect_socket(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t n = strlen(name);
	int fd;

	if ((*name != '/' && *name != '@') || n < 2 || n >= sizeof(at.sun_path))
		return -1;
	memcpy(at.sun_path, name, n);
	if (*name == '@')
		at.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at,
			       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* The time is for the process that WATCHDOG_PID names, or for any. */
static int64_t watchdog_interval(void)
{
	const char *time = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t us, number;

	if (!time || !str_to_u64(time, &us) || us > INT64_MAX)
		return 0;
	if (pid && (!str_to_u64(pid, &number) || number != (uint64_t)getpid()))
		return 0;
	return (int64_t)us / 2;
}

void service_notify_open(struct service_notify *s)
{
	const char *name = getenv("NOTIFY_SOCKET");

	*s = (struct service_notify){.fd = -1};
	if (!name)
		return;
	s->fd = connect_socket(name);
	s->watchdog_us = watchdog_interval();
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unsetenv("WATCHDOG_USEC");
	(void)unsetenv("WATCHDOG_PID");
}

static void say(const struct service_notify *s, const char *text)
{
	ssize_t sent = s->fd < 0 ? 0 : send(s->fd, text, strlen(text), MSG_NOSIGNAL);

	(void)sent;
}

void service_notify_ready(struct service_notify *s)
{
	if (!s->ready)
		say(s, "READY=1\n");
	s->ready = true;
}

void service_notify_alive(struct service_notify *s, int64_t now_us, const char *status)
{
	char text[sizeof(s->status) + 16];

	if (s->fd < 0)
		return;
	if (s->watchdog_us && now_us - s->alive_us >= s->watchdog_us) {
		s->alive_us = now_us;
		say(s, "WATCHDOG=1\n");
	}
	if (!status || now_us - s->status_us < STATUS_US || str_eq(status, s->status))
		return;
	s->status_us = now_us;
	(void)str_copy(s->status, sizeof(s->status), status);
	(void)str_printf(text, sizeof(text), "STATUS=%s\n", s->status);
	say(s, text);
}

void service_notify_close(struct service_notify *s)
{
	say(s, "STOPPING=1\n");
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
}
