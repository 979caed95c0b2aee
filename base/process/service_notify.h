/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESS_SERVICE_NOTIFY_H
#define BASE_PROCESS_SERVICE_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tells systemd that the program is ready, lives and stops: sd_notify(3) and
 * sd_watchdog_enabled(3). The protocol is a datagram of lines to the socket that NOTIFY_SOCKET
 * names. Where that is not set, and for all errors, these functions do nothing: no run depends on
 * its supervisor.
 */
struct service_notify {
	int fd;              /* -1: nobody asks */
	int64_t watchdog_us; /* half of the time after which systemd ends the program; 0: none */
	int64_t alive_us, status_us; /* when each was said last, monotonic */
	bool ready;
	char status[160];
};

/* Reads the environment, and takes its variables out of it: children are no services. */
void service_notify_open(struct service_notify *s);
/* READY=1, once. */
void service_notify_ready(struct service_notify *s);
/*
 * From the main loop, as often as it turns: the watchdog's sign of life when it is due, and the
 * status when it has changed, at most every five seconds. status may be NULL.
 */
void service_notify_alive(struct service_notify *s, int64_t now_us, const char *status);
/* STOPPING=1, and closes. */
void service_notify_close(struct service_notify *s);

#endif
