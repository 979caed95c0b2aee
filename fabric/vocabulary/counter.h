/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_COUNTER_H
#define FABRIC_VOCABULARY_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define PRIORITIES 8
#define LANES      8
#define FEC_BINS   16

enum counter_id {
#define COUNTER(id, name, dim, kind, unit, group, bits, trend, abbr, help) CTR_##id,
#include "fabric/vocabulary/counters.def"
#undef COUNTER
	COUNTER_COUNT
};

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

/* The table of fabric/vocabulary/counters.def; first_cell is filled at build time. */
extern const struct counter_info counter_info[COUNTER_COUNT];

/* A cell is one number: a counter at one priority, lane or bin. CELL_COUNT cells cover all
 * counters. */
enum {
#define DIM_SIZE_ONE  1
#define DIM_SIZE_PRIO PRIORITIES
#define DIM_SIZE_LANE LANES
#define DIM_SIZE_BIN  FEC_BINS
#define COUNTER(id, name, dim, kind, unit, group, bits, trend, abbr, help)                         \
	CELL_##id, CELL_LAST_##id = CELL_##id + DIM_SIZE_##dim - 1,
#include "fabric/vocabulary/counters.def"
#undef COUNTER
	CELL_COUNT
};

/* Properties per cell, for loops over millions of cells. */
struct cell_info {
	uint8_t id, sub; /* enum counter_id; priority, lane or bin */
	uint8_t kind, group, bits;
};
extern const struct cell_info cell_info[CELL_COUNT];

/* sub: priority, lane or bin, 0 for DIM_ONE. An out-of-range sub is a programming error (asserted).
 */
uint16_t counter_cell(enum counter_id id, unsigned sub);
/* The counter a cell belongs to; *sub (may be NULL) receives its priority, lane or bin. */
enum counter_id counter_of_cell(uint16_t cell, unsigned *sub);
/* Number of cells: 1, 8, 8 or 16. */
unsigned counter_dim_size(enum counter_id id);

/*
 * Whether the model keeps rate history of it: load, pause, congestion and loss, which are drawn as
 * sparklines. The other counters are not worth 480 bytes a port and priority.
 */
bool counter_charted(enum counter_id id);

/* COUNTER_COUNT when there is no such name. */
enum counter_id counter_by_name(const char *name);
const char *unit_name(enum counter_unit unit); /* "bytes", "us", "" for a ratio */
const char *validity_name(enum validity v);    /* "ok", "unsupported", ... (contract) */

#endif
