/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/shipped.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define ROUNDED 50 /* a fiftieth */

#define WATCHDOG_MS   200
#define WATCHDOG_MOST 8
#define QUEUES        8

#define SHIPPED_CHIP(model, chip)
#define SHIPPED_ECN(dialect, name, min, max, source)
#define SHIPPED_PFC(dialect, mask, source)
#define SHIPPED_WEIGHTS(dialect, source, ...)
#define SHIPPED_HEADROOM(dialect, chip, gbps, metres, bytes, source)

static const struct {
	const char *model, *chip;
} chips[] = {
#undef SHIPPED_CHIP
#define SHIPPED_CHIP(model, chip) {model, chip},
#include "fabric/vocabulary/shipped.def"
#undef SHIPPED_CHIP
#define SHIPPED_CHIP(model, chip)
};

static const struct {
	const char *dialect, *name;
	uint32_t min, max;
} thresholds[] = {
#undef SHIPPED_ECN
#define SHIPPED_ECN(dialect, name, min, max, source) {dialect, name, min, max},
#include "fabric/vocabulary/shipped.def"
#undef SHIPPED_ECN
#define SHIPPED_ECN(dialect, name, min, max, source)
};

static const struct {
	const char *dialect;
	uint8_t mask;
} masks[] = {
#undef SHIPPED_PFC
#define SHIPPED_PFC(dialect, mask, source) {dialect, mask},
#include "fabric/vocabulary/shipped.def"
#undef SHIPPED_PFC
#define SHIPPED_PFC(dialect, mask, source)
};

static const struct {
	const char *dialect;
	uint8_t weight[QUEUES]; /* 0: it has none, or is strict */
} weights[] = {
#undef SHIPPED_WEIGHTS
#define SHIPPED_WEIGHTS(dialect, source, ...) {dialect, {__VA_ARGS__}},
#include "fabric/vocabulary/shipped.def"
#undef SHIPPED_WEIGHTS
#define SHIPPED_WEIGHTS(dialect, source, ...)
};

static const struct {
	const char *dialect, *chip;
	unsigned mbps, metres;
	uint32_t bytes;
} headrooms[] = {
#undef SHIPPED_HEADROOM
#define SHIPPED_HEADROOM(dialect, chip, gbps, metres, bytes, source)                               \
	{dialect, chip, 1000 * (gbps), metres, bytes},
#include "fabric/vocabulary/shipped.def"
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static bool is_near(uint32_t a, uint32_t b)
{
	return (a > b ? a - b : b - a) <= b / ROUNDED;
}

const char *shipped_chip(const char *dialect, const char *model)
{
	/* A host's model is a server, whatever letters it has. */
	if (str_eq(dialect, "linux"))
		return NULL;
	for (size_t i = 0; i < COUNT_OF(chips); i++)
		if (strstr(model, chips[i].model))
			return chips[i].chip;
	return NULL;
}

const char *shipped_ecn(const char *dialect, uint32_t min_bytes, uint32_t max_bytes)
{
	for (size_t i = 0; i < COUNT_OF(thresholds); i++)
		if (str_eq(thresholds[i].dialect, dialect) &&
			is_near(min_bytes, thresholds[i].min) &&
			is_near(max_bytes, thresholds[i].max))
			return thresholds[i].name;
	return NULL;
}

bool shipped_watchdog(const char *dialect, uint32_t detect_ms, uint32_t restore_ms)
{
	return str_eq(dialect, "sonic") && detect_ms && detect_ms == restore_ms &&
	       detect_ms % WATCHDOG_MS == 0 && detect_ms / WATCHDOG_MS <= WATCHDOG_MOST;
}

bool shipped_pfc(const char *dialect, uint8_t priorities)
{
	for (size_t i = 0; i < COUNT_OF(masks); i++)
		if (str_eq(masks[i].dialect, dialect) && masks[i].mask == priorities)
			return true;
	return false;
}

/* ---- schedulers ---- */

/* Reads "0:DWRR 14 3:WRR 15 6:STRICT". False: there is a word of another form. */
static bool read_weights(const char *words, uint8_t weight[QUEUES])
{
	memset(weight, 0, QUEUES);
	while (*words) {
		char *end;
		unsigned long queue = strtoul(words, &end, 10), n = 0;

		if (end == words || *end != ':' || queue >= QUEUES)
			return false;
		words = end + 1 + strcspn(end + 1, " ");
		words += strspn(words, " ");
		/* The next word is a weight, unless it is another queue. */
		if (words[strcspn(words, " :")] != ':') {
			n = strtoul(words, &end, 10);
			words = end + strspn(end, " ");
		}
		weight[queue] = n < 256 ? (uint8_t)n : 0;
	}
	return true;
}

bool shipped_scheduler(const char *dialect, const char *words)
{
	uint8_t weight[QUEUES];
	unsigned told = 0;

	if (!read_weights(words, weight))
		return false;
	for (size_t i = 0; i < QUEUES; i++)
		told += weight[i] > 0;
	/* One weight alone is no set of weights. */
	for (size_t i = 0; told > 1 && i < COUNT_OF(weights); i++)
		if (str_eq(weights[i].dialect, dialect) &&
			memcmp(weight, weights[i].weight, QUEUES) == 0)
			return true;
	return false;
}

/* ---- headroom ---- */

struct shipped_headroom shipped_headroom(
	const char *dialect, const char *model, unsigned mbps, unsigned metres)
{
	const char *chip = shipped_chip(dialect, model);
	struct shipped_headroom found = {0};

	for (size_t i = 0; chip && i < COUNT_OF(headrooms); i++) {
		if (!str_eq(headrooms[i].dialect, dialect) || !str_eq(headrooms[i].chip, chip) ||
			headrooms[i].mbps != mbps || headrooms[i].metres < metres)
			continue;
		if (!found.bytes || headrooms[i].metres < found.metres)
			found = (struct shipped_headroom){
				headrooms[i].bytes, headrooms[i].metres, chip};
	}
	return found;
}

bool shipped_headroom_is(
	const char *dialect, const char *model, unsigned mbps, uint32_t headroom_bytes)
{
	const char *chip = shipped_chip(dialect, model);

	for (size_t i = 0; chip && i < COUNT_OF(headrooms); i++)
		if (str_eq(headrooms[i].dialect, dialect) && str_eq(headrooms[i].chip, chip) &&
			headrooms[i].mbps == mbps && is_near(headroom_bytes, headrooms[i].bytes))
			return true;
	return false;
}
