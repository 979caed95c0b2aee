/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/counters.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const struct counter_info counter_info[COUNTER_COUNT] = {
#define COUNTER(id, name, dim, kind, unit, group, bits, trend, abbr, help)                         \
	{name, DIM_##dim, KIND_##kind, UNIT_##unit, GROUP_##group, bits, TREND_##trend, abbr,      \
		help, CELL_##id},
#include "fabric/vocabulary/counters.def"
#undef COUNTER
};

_Static_assert(COUNTER_COUNT <= COUNTERS_MAX && CELL_COUNT <= CELLS_MAX, "arrays have that room");

/* Cell -> counter without a search: every sample takes this path. */
#define AT(id, sub, kind, group, bits)                                                             \
	{                                                                                          \
		CTR_##id, sub, KIND_##kind, GROUP_##group, bits                                    \
	}
#define OF_ONE(...) AT(__VA_ARGS__)
#define FOUR(id, sub, ...)                                                                         \
	AT(id, sub, __VA_ARGS__), AT(id, (sub) + 1, __VA_ARGS__), AT(id, (sub) + 2, __VA_ARGS__),  \
		AT(id, (sub) + 3, __VA_ARGS__)
#define OF_PRIO(id, sub, ...) FOUR(id, sub, __VA_ARGS__), FOUR(id, (sub) + 4, __VA_ARGS__)
#define OF_LANE(...)          OF_PRIO(__VA_ARGS__)
#define OF_BIN(id, sub, ...)  OF_PRIO(id, sub, __VA_ARGS__), OF_PRIO(id, (sub) + 8, __VA_ARGS__)
const struct cell_info cell_info[CELL_COUNT] = {
#define COUNTER(id, name, dim, kind, unit, group, bits, trend, abbr, help)                         \
	OF_##dim(id, 0, kind, group, bits),
#include "fabric/vocabulary/counters.def"
#undef COUNTER
};

uint16_t counter_cell(counter_id id, unsigned sub)
{
	unsigned cell;

	assert(id < COUNTER_COUNT);
	cell = counter_info[id].first_cell + sub;
	assert(sub < CELL_COUNT && cell < CELL_COUNT && cell_info[cell].id == id);
	return (uint16_t)cell;
}

counter_id counter_of_cell(uint16_t cell, unsigned *sub)
{
	enum counter_id id;

	assert(cell < CELL_COUNT);
	id = (enum counter_id)cell_info[cell].id;
	if (sub)
		*sub = cell_info[cell].sub;
	return id;
}

unsigned counter_dim_size(counter_id id)
{
	static const uint8_t sizes[] = {
		[DIM_ONE] = 1, [DIM_PRIO] = PRIORITIES, [DIM_LANE] = LANES, [DIM_BIN] = FEC_BINS};

	return sizes[counter_info[id].dim];
}

bool counter_charted(counter_id id)
{
	switch (id) {
	case CTR_RX_BYTES:
	case CTR_TX_BYTES:
	case CTR_RX_DISCARDS:
	case CTR_TX_DISCARDS:
	case CTR_PFC_RX_FRAMES:
	case CTR_PFC_TX_FRAMES:
	case CTR_PFC_RX_DURATION_US:
	case CTR_PFC_TX_DURATION_US:
	case CTR_QUEUE_DROPS:
	case CTR_ECN_MARKED_PACKETS:
	case CTR_CNP_SENT:
	case CTR_CNP_HANDLED:
	case CTR_ECN_MARKED_ROCE_PACKETS:
	case CTR_RX_PRIO_DISCARDS:
	case CTR_PG_DROPS:
	case CTR_LINK_DOWN_EVENTS:
	case CTR_RX_FCS_ERRORS:
	case CTR_FEC_UNCORRECTABLE_CODEWORDS:
	case CTR_OUT_OF_SEQUENCE:
		return true;
	default:
		return false;
	}
}

/* The counters in the order of their names: each line of an observation looks up dozens. */
static struct {
	pthread_once_t once;
	enum counter_id id[COUNTER_COUNT];
} by_name = {.once = PTHREAD_ONCE_INIT};

static int by_their_names(const void *a, const void *b)
{
	return strcmp(counter_info[*(const enum counter_id *)a].name,
		counter_info[*(const enum counter_id *)b].name);
}

static void sort_names(void)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		by_name.id[i] = (enum counter_id)i;
	qsort(by_name.id, COUNTER_COUNT, sizeof(by_name.id[0]), by_their_names);
}

static int with_name(const void *name, const void *id)
{
	return strcmp(name, counter_info[*(const enum counter_id *)id].name);
}

counter_id counter_by_name(const char *name)
{
	const enum counter_id *id;

	(void)pthread_once(&by_name.once, sort_names);
	id = bsearch(name, by_name.id, COUNTER_COUNT, sizeof(by_name.id[0]), with_name);
	return id ? *id : COUNTER_COUNT;
}

const char *unit_name(enum counter_unit unit)
{
	static const char *const names[] = {
		[UNIT_BYTES] = "bytes",
		[UNIT_PACKETS] = "packets",
		[UNIT_FRAMES] = "frames",
		[UNIT_US] = "us",
		[UNIT_CODEWORDS] = "codewords",
		[UNIT_BITS] = "bits",
		[UNIT_EVENTS] = "events",
		[UNIT_RATIO] = "",
		[UNIT_DBM] = "dBm",
		[UNIT_DB] = "dB",
		[UNIT_MA] = "mA",
		[UNIT_CELSIUS] = "C",
		[UNIT_VOLT] = "V",
		[UNIT_LANES] = "lanes",
		[UNIT_MTPS] = "MT/s",
		[UNIT_PERCENT] = "%",
	};

	return (unsigned)unit < sizeof(names) / sizeof(names[0]) ? names[unit] : "";
}

const char *validity_name(enum validity v)
{
	static const char *const names[] = {
		[VALID_UNKNOWN] = "unknown",
		[VALID_OK] = "ok",
		[VALID_UNSUPPORTED] = "unsupported",
		[VALID_DISABLED] = "disabled",
		[VALID_STALE] = "stale",
		[VALID_RESET] = "reset",
	};

	return (unsigned)v < sizeof(names) / sizeof(names[0]) ? names[v] : "unknown";
}
