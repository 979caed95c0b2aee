/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

/*
 * A debug log file, off until log_open(). Lines are sanitised, carry a UTC time, and may come from
 * any thread. Never log a credential: callers pass origins and texts, not requests.
 */
bool log_open(const char *path);
void log_close(void);
void log_line(const char *origin, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
