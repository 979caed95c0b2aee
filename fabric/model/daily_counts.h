/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_DAILY_COUNTS_H
#define FABRIC_MODEL_DAILY_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/state.h"

/*
 * Counts of events of the last 24 hours. They outlive the event ring, which a storm fills within
 * minutes. Part of the model; bounded, whatever devices report.
 */
enum tally_kind {
	TALLY_FLAPS,          /* link downs seen at ports: a link that flaps counts at both ends */
	TALLY_WD_DETECTED,    /* storms that a PFC watchdog detected */
	TALLY_WD_RESTORED,    /* storms that ended */
	TALLY_LOSSLESS_DROPS, /* packets dropped by queues and buffers of a lossless priority */
	TALLY_BGP_DOWNS,      /* sessions that left Established */
	TALLY_REBOOTS,        /* devices that restarted */
	TALLY_KINDS
};

#define TALLY_BUCKETS   96
#define TALLY_BUCKET_US (INT64_C(900) * 1000000)
#define TALLY_HOURS     24
#define TALLY_PORTS     32 /* ports with entries of their own, per kind that has them */

/* One port's count by hour: at[h % TALLY_HOURS] is hour h; older ones are overwritten. */
struct daily_port {
	uint32_t port;   /* id; UINT32_MAX: free */
	int64_t last_us; /* wall */
	uint32_t at[TALLY_HOURS];
};

struct daily_counts {
	/* Start of counting by wall time: the first report of this kind. 0: no device reports it,
	 * so a count of 0 does not mean none. */
	int64_t since_us[TALLY_KINDS];
	int64_t bucket; /* the newest: wall time / TALLY_BUCKET_US; 0: none yet */
	uint64_t count[TALLY_KINDS][TALLY_BUCKETS]; /* bucket b at b % TALLY_BUCKETS */
	/* The ports with the most flaps, watchdog detections and lossless drops. */
	struct daily_port ports[TALLY_KINDS][TALLY_PORTS];
	int64_t lost_us[TALLY_KINDS]; /* wall time when a port was last evicted, 0: never */
};

struct model;
struct port;
struct device;

void daily_counts_init(struct daily_counts *t);

/*
 * Count of the last hours (1..24) before now_us, up to a bucket less. *since_us (may be NULL) is
 * the start of counting if it is later than that; 0: no device reports this kind, and the sum is
 * meaningless.
 */
uint64_t daily_counts_sum(const struct model *m, enum tally_kind kind, int64_t now_us,
	unsigned hours, int64_t *since_us);

/*
 * Counts of the last TALLY_HOURS hours of the clock (UTC), oldest first; the last one is under way.
 * TALLY_UNKNOWN: an hour before the counting.
 */
#define TALLY_UNKNOWN UINT64_MAX
void daily_counts_hours(
	const struct model *m, enum tally_kind kind, int64_t now_us, uint64_t out[TALLY_HOURS]);

/* A port and its count of the last 24 hours, up to an hour less. */
struct daily_worst {
	uint32_t port;
	uint64_t n;
	int64_t last_us;
};
/*
 * The ports with the highest counts, highest first. Of the two ends of a link only the higher one
 * is listed. *more (may be NULL): ports were evicted or left out. Returns the number written.
 */
size_t daily_counts_worst(const struct model *m, enum tally_kind kind, int64_t now_us,
	struct daily_worst *out, size_t max, bool *more);

/* Saves or loads. Loaded entries may name ports that the model does not have: readers check. */
void daily_counts_state(struct state *s, struct daily_counts *t);

#endif
