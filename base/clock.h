/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Time as a dependency: tests and replay supply their own clock. All times in railtop are
 * microseconds in int64_t. "wall" counts from the Unix epoch; "mono" from an arbitrary start, and
 * never goes back.
 */
struct clock {
	int64_t (*wall)(void *ctx);
	int64_t (*mono)(void *ctx);
	void *ctx;
};

extern const struct clock clock_system;

int64_t clock_wall(const struct clock *c);
int64_t clock_mono(const struct clock *c);

/* A clock that stands still until its now is set; wall and mono are the same number. */
struct clock_fake {
	struct clock clock;
	int64_t now;
};
void clock_fake_init(struct clock_fake *f, int64_t now_us);

#define CLOCK_SEC  INT64_C(1000000)
#define CLOCK_MSEC INT64_C(1000)

/* "2026-11-21T11:35:56Z" (UTC) into dst of at least 32 bytes; returns dst. */
char *clock_format_utc(int64_t wall_us, char *dst, unsigned long size);
/* "11:35:56" (UTC). */
char *clock_format_hms(int64_t wall_us, char *dst, unsigned long size);

/*
 * Parses a moment as people write it, in UTC: "02:13:30" or "02:13" (the last one not after
 * latest_us), "2026-11-22T02:13:30" (the T may be a blank, a Z may follow, seconds may be
 * missing), "-5m" and "+30s" (relative to at_us). False: it is none of these.
 */
bool clock_parse(const char *text, int64_t at_us, int64_t latest_us, int64_t *out_us);

#endif
