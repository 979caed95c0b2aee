/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/sonic/sonic_notes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/clock.h"
#include "base/mem.h"

#define PORTS_MAX 256u

/* flexcounter's groups, with the ranges of sonic-utilities' counterpoll. */
const struct sonic_group_info sonic_groups[SONIC_GROUPS] = {
	[SONIC_PORT] = {"PORT", "PORT_STAT", "port", 100, 30000},
	[SONIC_QUEUE] = {"QUEUE", "QUEUE_STAT", "queue", 100, 30000},
	[SONIC_PG_DROP] = {"PG_DROP", "PG_DROP_STAT", "pg-drop", 1000, 30000},
	[SONIC_PORT_BUFFER_DROP] = {"PORT_BUFFER_DROP", "PORT_BUFFER_DROP", "port-buffer-drop",
		30000, 300000},
	[SONIC_QUEUE_WATERMARK] = {"QUEUE_WATERMARK", "QUEUE_WATERMARK_STAT", "watermark", 1000,
		60000},
	[SONIC_PG_WATERMARK] = {"PG_WATERMARK", "PG_WATERMARK_STAT", "watermark", 1000, 60000},
	[SONIC_POOL_WATERMARK] = {"BUFFER_POOL_WATERMARK", "BUFFER_POOL_WATERMARK_STAT",
		"watermark", 1000, 60000},
	[SONIC_PFCWD] = {"PFCWD", NULL, NULL, 0, 0},
	[SONIC_WRED_QUEUE] = {"WRED_ECN_QUEUE", "WRED_ECN_QUEUE_STAT", "wredqueue", 100, 30000},
	[SONIC_WRED_PORT] = {"WRED_ECN_PORT", "WRED_ECN_PORT_STAT", "wredport", 100, 30000},
};

const char *const sonic_group_keys[SONIC_GROUPS + 1] = {"PORT", "QUEUE", "PG_DROP",
	"PORT_BUFFER_DROP", "QUEUE_WATERMARK", "PG_WATERMARK", "BUFFER_POOL_WATERMARK", "PFCWD",
	"WRED_ECN_QUEUE", "WRED_ECN_PORT", NULL};

struct sonic_notes {
	const struct sim_device *d;
	unsigned interval_ms[SONIC_GROUPS]; /* 0: never set */
	bool off[SONIC_GROUPS], on[SONIC_GROUPS];
	bool history[PORTS_MAX];
	struct sim_port
		*still[SONIC_GROUPS]; /* all ports at the time when the group was switched off */
	UT_hash_handle hh;
};

static struct sonic_notes *find_notes(const struct personality_ctx *ctx, const struct sim_device *d)
{
	struct sonic_notes *n = NULL;

	if (ctx->sonic_notes)
		HASH_FIND_PTR(ctx->sonic_notes, &d, n);
	return n;
}

static struct sonic_notes *make_notes(struct personality_ctx *ctx, const struct sim_device *d)
{
	struct sonic_notes *n = find_notes(ctx, d);

	if (n)
		return n;
	n = mem_calloc(1, sizeof(*n));
	n->d = d;
	HASH_ADD_PTR(ctx->sonic_notes, d, n);
	return n;
}

void sonic_notes_free(struct sonic_notes *all)
{
	struct sonic_notes *n, *next;

	HASH_ITER (hh, all, n, next) {
		HASH_DEL(all, n);
		for (int g = 0; g < SONIC_GROUPS; g++)
			free(n->still[g]);
		free(n);
	}
}

bool sonic_group_on(
	const struct personality_ctx *ctx, const struct sim_device *d, enum sonic_group g)
{
	const struct sonic_notes *n;

	switch (g) {
	case SONIC_PORT:
		return d->config.count_ports;
	case SONIC_QUEUE:
		return d->config.count_queues;
	case SONIC_QUEUE_WATERMARK:
	case SONIC_PG_WATERMARK:
	case SONIC_POOL_WATERMARK:
		return d->config.count_watermarks;
	case SONIC_WRED_QUEUE:
		return d->config.count_ecn;
	default:
		n = find_notes(ctx, d);
		return g == SONIC_WRED_PORT ? n && n->on[g] : !n || !n->off[g];
	}
}

unsigned sonic_group_interval(const struct personality_ctx *ctx, const struct sim_device *d,
	enum sonic_group g, bool *set)
{
	const struct sonic_notes *n = find_notes(ctx, d);
	const struct sim_platform *p = d->platform;

	*set = true;
	if (n && n->interval_ms[g])
		return n->interval_ms[g];
	switch (g) {
	case SONIC_PORT:
	case SONIC_WRED_PORT:
		return (unsigned)(p->port_us / CLOCK_MSEC);
	case SONIC_QUEUE:
	case SONIC_PG_DROP:
	case SONIC_WRED_QUEUE:
		return (unsigned)(p->queue_us / CLOCK_MSEC);
	case SONIC_PFCWD:
		return d->config.wd_poll_ms;
	case SONIC_PORT_BUFFER_DROP:
		return 60000;
	default:
		*set = false;
		return (unsigned)(p->watermark_us / CLOCK_MSEC);
	}
}

const struct sim_port *sonic_counted(const struct personality_ctx *ctx, const struct sim_device *d,
	const struct sim_port *p, enum sonic_group g)
{
	const struct sonic_notes *n = find_notes(ctx, d);

	return n && n->still[g] ? &n->still[g][p->port] : p;
}

static void hold_still(struct sonic_notes *n, enum sonic_group g, bool on)
{
	if (on) {
		free(n->still[g]);
		n->still[g] = NULL;
	} else if (!n->still[g]) {
		n->still[g] = mem_calloc(n->d->nports, sizeof(*n->still[g]));
		memcpy(n->still[g], n->d->ports, n->d->nports * sizeof(*n->still[g]));
	}
}

void sonic_group_enable(
	struct personality_ctx *ctx, struct sim_device *d, enum sonic_group g, bool on)
{
	struct sim_device_config c = d->config;
	struct sonic_notes *n = make_notes(ctx, d);

	if (g != SONIC_PFCWD)
		hold_still(n, g, on);
	switch (g) {
	case SONIC_PORT:
		c.count_ports = on;
		break;
	case SONIC_QUEUE:
		c.count_queues = on;
		break;
	case SONIC_QUEUE_WATERMARK:
	case SONIC_PG_WATERMARK:
	case SONIC_POOL_WATERMARK:
		c.count_watermarks = on;
		break;
	case SONIC_WRED_QUEUE:
		c.count_ecn = on;
		break;
	default:
		n->on[g] = on;
		n->off[g] = !on;
		return;
	}
	sim_configure_device(ctx->sim, d, &c, "noc");
}

void sonic_group_set_interval(
	struct personality_ctx *ctx, struct sim_device *d, enum sonic_group g, unsigned ms)
{
	struct sim_device_config c = d->config;

	make_notes(ctx, d)->interval_ms[g] = ms;
	if (g != SONIC_PORT && g != SONIC_QUEUE && g != SONIC_QUEUE_WATERMARK)
		return;
	c.refresh_ms[g == SONIC_PORT ? 0 : g == SONIC_QUEUE ? 1 : 2] = ms;
	sim_configure_device(ctx->sim, d, &c, "noc");
}

bool sonic_history(
	const struct personality_ctx *ctx, const struct sim_device *d, const struct sim_port *p)
{
	const struct sonic_notes *n = find_notes(ctx, d);

	return n && p->port < PORTS_MAX && n->history[p->port];
}

void sonic_set_history(
	struct personality_ctx *ctx, const struct sim_device *d, const struct sim_port *p, bool on)
{
	if (p->port < PORTS_MAX && sim_write(ctx->sim, d) == SIM_WRITE_TAKES)
		make_notes(ctx, d)->history[p->port] = on;
}
