/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_COUNTERS_H
#define FABRIC_VOCABULARY_COUNTERS_H

#include "fabric/vocabulary/counter.h"

/*
 * The counters by name, for code that names one or needs their number. A change of counters.def
 * compiles each file that includes this header. A header for other rooms includes counter.h.
 */
enum counter_id {
#define COUNTER(id, name, dim, kind, unit, group, bits, trend, abbr, help) CTR_##id,
#include "fabric/vocabulary/counters.def"
#undef COUNTER
	COUNTER_COUNT
};

/* The first and the last cell of each counter. CELL_COUNT cells cover all counters. */
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

#endif
