/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/shipped.h"

#include <stddef.h>

#include "base/str.h"

#define ROUNDED 50 /* a fiftieth */

#define WATCHDOG_MS   200
#define WATCHDOG_MOST 8

static const struct {
	const char *dialect, *name;
	uint32_t min, max;
} shipped[] = {
#define SHIPPED_ECN(dialect, name, min, max) {dialect, name, min, max},
#include "fabric/vocabulary/shipped.def"
#undef SHIPPED_ECN
};

static bool is_near(uint32_t a, uint32_t b)
{
	return (a > b ? a - b : b - a) <= b / ROUNDED;
}

const char *shipped_ecn(const char *dialect, uint32_t min_bytes, uint32_t max_bytes)
{
	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++)
		if (str_eq(shipped[i].dialect, dialect) && is_near(min_bytes, shipped[i].min) &&
			is_near(max_bytes, shipped[i].max))
			return shipped[i].name;
	return NULL;
}

bool shipped_watchdog(const char *dialect, uint32_t detect_ms, uint32_t restore_ms)
{
	return str_eq(dialect, "sonic") && detect_ms && detect_ms == restore_ms &&
	       detect_ms % WATCHDOG_MS == 0 && detect_ms / WATCHDOG_MS <= WATCHDOG_MOST;
}
