/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_COUNTER_H
#define FABRIC_VOCABULARY_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define PRIORITIES 8
#define LANES      8
#define FEC_BINS   16

/*
 * A counter of counters.def, one of the names of counters.h. Most code gets it and passes it on,
 * and includes this header. Only code that names a counter includes counters.h, so a new counter
 * compiles little. The number of counters and cells is known there only: arrays have room for the
 * most.
 */
typedef unsigned counter_id;
#define COUNTERS_MAX 128
#define CELLS_MAX    255 /* a cell's place in a port is a byte, 255 means none */

enum counter_dim { DIM_ONE, DIM_PRIO, DIM_LANE, DIM_BIN };
enum counter_kind { KIND_COUNT, KIND_GAUGE, KIND_PEAK };
enum counter_trend { TREND_INFO, TREND_LOAD, TREND_BAD };

enum counter_unit {
	UNIT_BYTES,
	UNIT_PACKETS,
	UNIT_FRAMES,
	UNIT_US,
	UNIT_CODEWORDS,
	UNIT_BITS,
	UNIT_EVENTS,
	UNIT_RATIO,
	UNIT_DBM,
	UNIT_DB,
	UNIT_MA,
	UNIT_CELSIUS,
	UNIT_VOLT,
	UNIT_LANES,
	UNIT_MTPS,
	UNIT_PERCENT,
};

/* Groups of counters that a device refreshes in one pass; see fabric/model/rate.h. */
enum refresh_group {
	GROUP_PORT,
	GROUP_QUEUE,
	GROUP_WATERMARK,
	GROUP_PGDROP,
	GROUP_WATCHDOG,
	GROUP_NIC,
	GROUP_OPTICS,
	GROUP_CONFIG,
	GROUP_COUNT
};

/* Whether a cell holds a number, and why not. Views show all but VALID_OK as a word, never as
 * zero. */
enum validity {
	VALID_UNKNOWN, /* no report yet */
	VALID_OK,
	VALID_UNSUPPORTED, /* the device cannot report it */
	VALID_DISABLED,    /* the device could report it, but it is switched off */
	VALID_STALE,       /* was ok; the device no longer answers */
	VALID_RESET,       /* went backwards: re-baselined, the next sample gives a rate again */
};

struct counter_info {
	const char *name; /* canonical JSON name */
	enum counter_dim dim;
	enum counter_kind kind;
	enum counter_unit unit;
	enum refresh_group group;
	unsigned bits;
	enum counter_trend trend;
	const char *abbr; /* column title */
	const char *help;
	uint16_t first_cell;
};

/*
 * The table of fabric/vocabulary/counters.def; first_cell is filled at build time. A cell is one
 * number: a counter at one priority, lane or bin.
 */
extern const struct counter_info counter_info[];

/* Properties per cell, for loops over millions of cells. */
struct cell_info {
	uint8_t id, sub; /* counter_id; priority, lane or bin */
	uint8_t kind, group, bits;
};
extern const struct cell_info cell_info[];

/* sub: priority, lane or bin, 0 for DIM_ONE. An out-of-range sub is a programming error (asserted).
 */
uint16_t counter_cell(counter_id id, unsigned sub);
/* The counter a cell belongs to; *sub (may be NULL) receives its priority, lane or bin. */
counter_id counter_of_cell(uint16_t cell, unsigned *sub);
/* Number of cells: 1, 8, 8 or 16. */
unsigned counter_dim_size(counter_id id);

/*
 * Whether the model keeps rate history of it: load, pause, congestion and loss, which are drawn as
 * sparklines. The other counters are not worth 480 bytes a port and priority.
 */
bool counter_charted(counter_id id);

/* COUNTER_COUNT when there is no such name. */
counter_id counter_by_name(const char *name);
const char *unit_name(enum counter_unit unit); /* "bytes", "us", "" for a ratio */
const char *validity_name(enum validity v);    /* "ok", "unsupported", ... (contract) */

#endif
