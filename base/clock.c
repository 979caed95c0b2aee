/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

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
