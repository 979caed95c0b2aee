/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_DAILY_COUNTS_H
#define FABRIC_MODEL_DAILY_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/state.h"

/*
 * What happened in the last 24 hours, in numbers: it outlives the ring of events, which a storm
 * fills within minutes. Part of the model; bounded, whatever devices say.
 */
enum tally_kind {
	TALLY_FLAPS,          /* link downs seen at ports: a link that flaps counts at both ends */
	TALLY_WD_DETECTED,    /* storms that a PFC watchdog detected */
	TALLY_WD_RESTORED,    /* and those that ended */
	TALLY_LOSSLESS_DROPS, /* packets dropped by queues and buffers of a lossless priority */
	TALLY_BGP_DOWNS,      /* sessions that were established and are not any more */
	TALLY_REBOOTS,        /* devices that restarted */
	TALLY_KINDS
};

#define TALLY_BUCKETS   96
#define TALLY_BUCKET_US (INT64_C(900) * 1000000)
#define TALLY_HOURS     24
#define TALLY_PORTS     32 /* kept by name, of each kind that keeps ports */

/* One port's share, in hours: at[h] of the hour h that is current is its newest. */
struct tally_port {
	uint32_t port;   /* id; UINT32_MAX: free */
	int64_t last_us; /* wall */
	uint32_t at[TALLY_HOURS];
};

struct tally {
	/* Wall time since which the kind was watched: the first that anybody told of it. 0: nobody
	 * has, so that no count is not zero. */
	int64_t since_us[TALLY_KINDS];
	int64_t bucket; /* the newest: wall time / TALLY_BUCKET_US; 0: none yet */
	uint64_t count[TALLY_KINDS][TALLY_BUCKETS]; /* bucket b at b % TALLY_BUCKETS */
	/* Flaps, watchdog detections, lossless drops: the ports with most of them. */
	struct tally_port ports[TALLY_KINDS][TALLY_PORTS];
	int64_t lost_us[TALLY_KINDS]; /* wall time when a port last had to make room, 0: never */
};

struct model;
struct port;
struct device;

void tally_init(struct tally *t);

/* How many in the last hours (1..24) before now_us, up to a bucket less. *since_us (may be NULL):
 * from when on they were counted, later than that many hours ago when less is known; 0: nobody
 * reports these, the sum says nothing. */
uint64_t tally_sum(const struct model *m, enum tally_kind kind, int64_t now_us, unsigned hours,
	int64_t *since_us);

/* A port and how many it had in the last 24 hours, up to an hour less. */
struct tally_worst {
	uint32_t port;
	uint64_t n;
	int64_t last_us;
};
/*
 * The ports that had most, most first; of two that are the ends of one link the one with more.
 * *more (may be NULL): there were others, which had no room. Returns how many were written.
 */
size_t tally_worst(const struct model *m, enum tally_kind kind, int64_t now_us,
	struct tally_worst *out, size_t max, bool *more);

/* Saves or loads; what is loaded may name ports that the model does not have: all who read it
 * check. */
void tally_state(struct state *s, struct tally *t);

#endif
