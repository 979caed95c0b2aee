/* SPDX-License-Identifier: Apache-2.0 */
#include "views/need_groups.h"

#include <string.h>

#include "base/str.h"

/* In the order that an operator reads them. tests/app/test_console.c: no need of a dialect is
 * missing. */
static const struct {
	const char *need, *group;
} needs[] = {
	{"identity", "identity"},
	{"uptime", "identity"},
	{"port state", "ports"},
	{"port counters", "counters"},
	{"link flaps", "counters"},
	{"FEC counters", "FEC"},
	{"FEC histogram", "FEC"},
	{"pre-FEC BER", "FEC"},
	{"PFC frames per priority", "PFC"},
	{"pause duration received", "PFC"},
	{"pause duration sent", "PFC"},
	{"queue counters", "queues"},
	{"queue drops", "queues"},
	{"ECN marks", "queues"},
	{"queue watermarks", "queues"},
	{"headroom watermarks", "queues"},
	{"priority-group drops", "queues"},
	{"ECN settings", "settings"},
	{"PFC settings", "settings"},
	{"DSCP and queue maps", "settings"},
	{"PFC watchdog", "watchdog"},
	{"PFC watchdog settings", "watchdog"},
	{"optics: light received", "optics"},
	{"optics: light sent", "optics"},
	{"optics: bias current", "optics"},
	{"optics: temperature", "optics"},
	{"optics: thresholds", "optics"},
	{"LLDP neighbours", "LLDP"},
	{"BGP sessions", "BGP"},
	{"hash settings", "hash"},
	{"event log", "log"},
	{"congestion notifications", "NIC"},
	{"RoCE retransmission counters", "NIC"},
	{"PCIe width and speed", "NIC"},
	{"DCQCN settings", "NIC"},
	{"RDMA devices", "NIC"},
};
enum { NEEDS = sizeof(needs) / sizeof(needs[0]) };

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
	enum counter_id id;

	for (unsigned i = 0; i < NEEDS; i++)
		if (str_eq(needs[i].need, need))
			return needs[i].group;
	id = counter_by_name(need);
	return id == COUNTER_COUNT ? "other" : counter_group(id);
}

unsigned need_order(const char *need)
{
	const char *group = need_group(need);
	unsigned last = NEEDS;

	for (unsigned i = 0; i < NEEDS; i++) {
		if (str_eq(needs[i].need, need))
			return 2 * i;
		if (str_eq(needs[i].group, group))
			last = i;
	}
	return 2 * last + 1; /* behind those of its group */
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
