/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SONIC_NOTES_H
#define EMULATOR_SONIC_NOTES_H

#include "emulator/device/personality_internal.h"

/* What a SONiC switch was told and the physics has no use for; per device, from the first write. */

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
	unsigned low_ms, high_ms; /* what the CLI takes as interval */
};
extern const struct sonic_group_info sonic_groups[SONIC_GROUPS];
extern const char *const sonic_group_keys[SONIC_GROUPS + 1]; /* NULL-terminated */

bool sonic_group_on(
	const struct personality_ctx *ctx, const struct sim_device *d, enum sonic_group g);
/* Milliseconds; *set: whether the row has a POLL_INTERVAL of its own. */
unsigned sonic_group_interval(const struct personality_ctx *ctx, const struct sim_device *d,
	enum sonic_group g, bool *set);
/* The groups that the physics follows go through sim_configure_device(). */
void sonic_group_enable(
	struct personality_ctx *ctx, struct sim_device *d, enum sonic_group g, bool on);
/*
 * Is noted, and shown. Ports, queues and watermarks of queues are refreshed so from now on, the
 * other groups at the platform's own period.
 */
void sonic_group_set_interval(
	struct personality_ctx *ctx, struct sim_device *d, enum sonic_group g, unsigned ms);

/*
 * The port with the counters that the group last wrote: as they are, or as they were when the group
 * was switched off.
 */
const struct sim_port *sonic_counted(const struct personality_ctx *ctx, const struct sim_device *d,
	const struct sim_port *p, enum sonic_group g);

/* `config pfcwd pfc_stat_history` of a port */
bool sonic_history(
	const struct personality_ctx *ctx, const struct sim_device *d, const struct sim_port *p);
void sonic_set_history(
	struct personality_ctx *ctx, const struct sim_device *d, const struct sim_port *p, bool on);

void sonic_notes_free(struct sonic_notes *all);

#endif
