/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "base/str.h"

static int64_t system_time(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * CLOCK_SEC + ts.tv_nsec / 1000;
}

static int64_t system_wall(void *ctx)
{
	(void)ctx;
	return system_time(CLOCK_REALTIME);
}

static int64_t system_mono(void *ctx)
{
	(void)ctx;
	return system_time(CLOCK_MONOTONIC);
}

const struct clock clock_system = {system_wall, system_mono, NULL};

int64_t clock_wall(const struct clock *c)
{
	return c->wall(c->ctx);
}

int64_t clock_mono(const struct clock *c)
{
	return c->mono(c->ctx);
}

static int64_t fake_now(void *ctx)
{
	return ((struct clock_fake *)ctx)->now;
}

void clock_fake_init(struct clock_fake *f, int64_t now_us)
{
	f->clock = (struct clock){fake_now, fake_now, f};
	f->now = now_us;
}

static char *format_time(int64_t wall_us, const char *fmt, char *dst, unsigned long size)
{
	time_t t = (time_t)(wall_us / CLOCK_SEC);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(dst, size, fmt, &tm) == 0)
		(void)snprintf(dst, size, "-");
	return dst;
}

char *clock_format_utc(int64_t wall_us, char *dst, unsigned long size)
{
	return format_time(wall_us, "%Y-%m-%dT%H:%M:%SZ", dst, size);
}

char *clock_format_hms(int64_t wall_us, char *dst, unsigned long size)
{
	return format_time(wall_us, "%H:%M:%S", dst, size);
}

/* Reads a number of exactly n digits from least to most, and moves *at behind it. */
static bool read_digits(const char **at, size_t n, int least, int most, int *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++, ++*at) {
		if (**at < '0' || **at > '9')
			return false;
		*out = *out * 10 + (**at - '0');
	}
	return *out >= least && *out <= most;
}

static bool skip_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* "02:13:30", "02:13" */
static bool time_of_day(const char **at, struct tm *tm)
{
	tm->tm_sec = 0;
	return read_digits(at, 2, 0, 23, &tm->tm_hour) && skip_char(at, ':') &&
	       read_digits(at, 2, 0, 59, &tm->tm_min) &&
	       (!skip_char(at, ':') || read_digits(at, 2, 0, 59, &tm->tm_sec));
}

static bool read_date(const char **at, struct tm *tm)
{
	if (!read_digits(at, 4, 1970, 9999, &tm->tm_year) || !skip_char(at, '-') ||
		!read_digits(at, 2, 1, 12, &tm->tm_mon) || !skip_char(at, '-') ||
		!read_digits(at, 2, 1, 31, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return true;
}

#define SHIFT_MAX_US (INT64_C(36500) * 86400 * CLOCK_SEC) /* a century: more is a mistake */

bool clock_parse(const char *text, int64_t at_us, int64_t latest_us, int64_t *out_us)
{
	struct tm tm = {0};
	const char *at = text;
	int64_t by;

	if (*text == '-' || *text == '+') {
		if (!str_to_duration(text + 1, &by) || by > SHIFT_MAX_US)
			return false;
		*out_us = *text == '-' ? at_us - by : at_us + by;
		return true;
	}
	if (read_date(&at, &tm)) {
		if ((!skip_char(&at, 'T') && !skip_char(&at, ' ')) || !time_of_day(&at, &tm))
			return false;
		(void)skip_char(&at, 'Z');
		*out_us = (int64_t)timegm(&tm) * CLOCK_SEC;
		return *at == '\0';
	}
	at = text;
	tm = (struct tm){0};
	if (!time_of_day(&at, &tm))
		return false;
	(void)skip_char(&at, 'Z');
	by = ((int64_t)tm.tm_hour * 3600 + (int64_t)tm.tm_min * 60 + tm.tm_sec) * CLOCK_SEC;
	*out_us = latest_us - latest_us % (86400 * CLOCK_SEC) + by;
	if (*out_us > latest_us)
		*out_us -= 86400 * CLOCK_SEC;
	return *at == '\0';
}
