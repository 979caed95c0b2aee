/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_ZONE_H
#define BASE_CLOCK_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The time zone in which a screen shows times, and reads those that the operator types. Files,
 * records and JSON are always in UTC. {0} is UTC.
 */
enum clock_zone_kind {
	CLOCK_ZONE_UTC,
	CLOCK_ZONE_LOCAL, /* of the process: TZ, else /etc/localtime */
	CLOCK_ZONE_FIXED,
};
struct clock_zone {
	enum clock_zone_kind kind;
	int east_s; /* CLOCK_ZONE_FIXED: seconds east of Greenwich */
};

/*
 * Reads the process's zone from its file. Call it once while there is one thread: the sandbox may
 * close the file later.
 */
void clock_zone_load(void);

/* "utc", "local", "+02:00", "-0530", "+2". False: it is none of these. */
bool clock_zone_parse(const char *text, struct clock_zone *out);

/* Seconds east of Greenwich at a wall time in us. z NULL: 0. */
int clock_zone_east(const struct clock_zone *z, int64_t wall_us);

/* The wall time as the zone's clock shows it, for clock_format_hms(). z NULL: UTC. */
int64_t clock_zone_shown(const struct clock_zone *z, int64_t wall_us);

/* The reverse: the wall time at which the zone's clock shows that. */
int64_t clock_zone_wall(const struct clock_zone *z, int64_t shown_us);

/* What stands behind a time: "Z", "+02", "-03:30". dst of at least 8 bytes; returns dst. */
char *clock_zone_suffix(const struct clock_zone *z, int64_t wall_us, char *dst, size_t size);

/*
 * A moment as the operator typed it, in UTC for clock_parse(): one without a Z and without a sign
 * is of the zone. A trailing "#2" stays. latest_us: as in clock_parse(). False: it does not fit.
 */
bool clock_zone_typed(
	const struct clock_zone *z, const char *text, int64_t latest_us, char *dst, size_t size);

#endif
