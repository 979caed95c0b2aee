/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/need_groups.h"

#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/need.h"

static const char *counter_group(enum counter_id id)
{
	static const char *const groups[GROUP_COUNT] = {
		[GROUP_PORT] = "counters",
		[GROUP_QUEUE] = "queues",
		[GROUP_WATERMARK] = "queues",
		[GROUP_PGDROP] = "queues",
		[GROUP_WATCHDOG] = "watchdog",
		[GROUP_NIC] = "NIC",
		[GROUP_OPTICS] = "optics",
		[GROUP_CONFIG] = "NIC",
	};

	return strncmp(counter_info[id].name, "pfc_", 4) == 0   ? "PFC"
	       : strncmp(counter_info[id].name, "fec_", 4) == 0 ? "FEC"
								: groups[counter_info[id].group];
}

const char *need_group(const char *need)
{
	enum need_id known = need_by_name(need);
	enum counter_id id = counter_by_name(need);

	if (known != NEED_COUNT)
		return need_info[known].group;
	if (str_starts(need, NEED_JOB_SOURCE))
		return need_info[NEED_ADDRESSES].group;
	return id == COUNTER_COUNT ? "other" : counter_group(id);
}

unsigned need_order(const char *need)
{
	const char *group = need_group(need);
	unsigned last = NEED_COUNT;

	for (unsigned i = 0; i < NEED_COUNT; i++) {
		if (str_eq(need_info[i].name, need))
			return 2 * i;
		if (str_eq(need_info[i].group, group))
			last = i;
	}
	return 2 * last + 1; /* after the listed needs of its group */
}

struct need_count device_needs(const struct device *d)
{
	struct need_count n = {0};

	for (size_t i = 0; i < d->caps.n; i++) {
		n.ok += d->caps.at[i].valid == VALID_OK;
		n.unsupported += d->caps.at[i].valid == VALID_UNSUPPORTED;
		n.off += d->caps.at[i].valid == VALID_DISABLED;
	}
	return n;
}
