/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/private_file.h"
#include "base/str.h"

/* The only process-wide state in base: nobody would pass a log to every function. */
static FILE *log_file;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

bool log_open(const char *path)
{
	FILE *f = private_file_open(path, "a");

	if (!f)
		return false;
	pthread_mutex_lock(&log_lock);
	if (log_file)
		(void)fclose(log_file);
	log_file = f;
	pthread_mutex_unlock(&log_lock);
	return true;
}

void log_close(void)
{
	pthread_mutex_lock(&log_lock);
	if (log_file)
		(void)fclose(log_file);
	log_file = NULL;
	pthread_mutex_unlock(&log_lock);
}

void log_line(const char *origin, const char *fmt, ...)
{
	char raw[1024], clean[1024], when[32];
	va_list ap;

	pthread_mutex_lock(&log_lock);
	if (log_file) {
		va_start(ap, fmt);
		(void)vsnprintf(raw, sizeof(raw), fmt, ap);
		va_end(ap);
		str_sanitise(clean, sizeof(clean), raw, strlen(raw));
		clock_format_utc(clock_wall(&clock_system), when, sizeof(when));
		(void)fprintf(log_file, "%s %s: %s\n", when, origin, clean);
		(void)fflush(log_file);
	}
	pthread_mutex_unlock(&log_lock);
}
