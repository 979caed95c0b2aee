/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_SHIPPED_H
#define FABRIC_VOCABULARY_SHIPPED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What systems ship with, by system and by switch chip: values that nobody chose for this fabric.
 * The tables and their sources are in shipped.def.
 */

/* The switch chip of a device by its model, such as "Tomahawk 5"; NULL: not in the table. */
const char *shipped_chip(const char *dialect, const char *model);
/*
 * The system that ships with these ECN thresholds (bytes), such as "SONiC" or "SONiC on Tomahawk";
 * NULL: none, for that dialect. Devices round in words ("1.43 MB"), so a fiftieth is no difference.
 */
const char *shipped_ecn(const char *dialect, uint32_t min_bytes, uint32_t max_bytes);
/*
 * Whether `pfcwd start_default` of SONiC sets these times (ms): 200 times one to eight, both
 * alike, by the number of ports.
 */
bool shipped_watchdog(const char *dialect, uint32_t detect_ms, uint32_t restore_ms);
/* Whether the system enables PFC on these priorities by itself. */
bool shipped_pfc(const char *dialect, uint8_t priorities);
/* Whether a scheduler, as in ATTR_SCHEDULER, has the weights of the system's default. */
bool shipped_scheduler(const char *dialect, const char *words);

/*
 * The headroom (bytes behind XOFF) of a lossless priority group that ships for the chip at that
 * speed and for a cable of at least that length. metres 0: unknown, then that for the shortest
 * cable. Several boards with one chip: the least of them. bytes 0: none is known.
 */
struct shipped_headroom {
	uint32_t bytes;
	unsigned metres;
	const char *chip;
};
struct shipped_headroom shipped_headroom(
	const char *dialect, const char *model, unsigned mbps, unsigned metres);
/* Whether a headroom is one of those that ship for the chip at that speed, of any length. */
bool shipped_headroom_is(
	const char *dialect, const char *model, unsigned mbps, uint32_t headroom_bytes);

#endif
