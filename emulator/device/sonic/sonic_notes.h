/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SONIC_NOTES_H
#define EMULATOR_SONIC_NOTES_H

#include "emulator/device/personality_internal.h"

/*
 * Settings of a SONiC switch that do not affect the physics. A device has none before the first
 * write.
 */

/* The groups of FLEX_COUNTER_TABLE. */
enum sonic_group {
	SONIC_PORT,
	SONIC_QUEUE,
	SONIC_PG_DROP,
	SONIC_PORT_BUFFER_DROP,
	SONIC_QUEUE_WATERMARK,
	SONIC_PG_WATERMARK,
	SONIC_POOL_WATERMARK,
	SONIC_PFCWD,
	SONIC_WRED_QUEUE,
	SONIC_WRED_PORT,
	SONIC_GROUPS
};

struct sonic_group_info {
	const char *key;          /* FLEX_COUNTER_TABLE|key */
	const char *title;        /* in `counterpoll show`; NULL: not shown */
	const char *cli;          /* counterpoll CLI enable; NULL: cannot be set there */
	unsigned low_ms, high_ms; /* range of the interval in the CLI */
};
extern const struct sonic_group_info sonic_groups[SONIC_GROUPS];
extern const char *const sonic_group_keys[SONIC_GROUPS + 1]; /* NULL-terminated */

bool sonic_group_on(
	const struct personality_ctx *ctx, const struct sim_device *d, enum sonic_group g);
/* Milliseconds; *set: the row has a POLL_INTERVAL of its own. */
unsigned sonic_group_interval(const struct personality_ctx *ctx, const struct sim_device *d,
	enum sonic_group g, bool *set);
/* Groups that affect the physics go through sim_configure_device(). */
void sonic_group_enable(
	struct personality_ctx *ctx, struct sim_device *d, enum sonic_group g, bool on);
/*
 * Stores the interval and shows it. Ports, queues and watermarks of queues are refreshed at it from
 * now on; the other groups keep the platform's own period.
 */
void sonic_group_set_interval(
	struct personality_ctx *ctx, struct sim_device *d, enum sonic_group g, unsigned ms);

/*
 * The port with the counters that the group last wrote: the current ones, or those at the time when
 * the group was switched off.
 */
const struct sim_port *sonic_counted(const struct personality_ctx *ctx, const struct sim_device *d,
	const struct sim_port *p, enum sonic_group g);

/* Setting of `config pfcwd pfc_stat_history` for a port. */
bool sonic_history(
	const struct personality_ctx *ctx, const struct sim_device *d, const struct sim_port *p);
void sonic_set_history(
	struct personality_ctx *ctx, const struct sim_device *d, const struct sim_port *p, bool on);

void sonic_notes_free(struct sonic_notes *all);

#endif
