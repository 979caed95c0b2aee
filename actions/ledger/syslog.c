/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/str.h"

/*
 * Sends the datagram itself (format of RFC 3164). syslog(3) waits for ever when the log daemon is
 * stuck, and an action must not wait between two requests to a device.
 */
void ledger_syslog(const char *text, long pid, int64_t now_us)
{
	const struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
	/* Not %b, which depends on the locale: log daemons know the English names only. */
	static const char months[12][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	char line[1000];
	time_t now = (time_t)(now_us / CLOCK_SEC);
	struct tm tm;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	if (!localtime_r(&now, &tm))
		memset(&tm, 0, sizeof(tm));
	(void)str_printf(line, sizeof(line), "<%d>%s %2d %02d:%02d:%02d railtop[%ld]: %s",
		LOG_AUTHPRIV | LOG_NOTICE, months[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min,
		tm.tm_sec, pid, text);
	(void)sendto(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT,
		(const struct sockaddr *)&to, sizeof(to));
	(void)close(fd);
}
