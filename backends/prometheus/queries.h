/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_QUERIES_H
#define BACKENDS_PROMETHEUS_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/prometheus/series_index.h"
#include "base/buf.h"

/*
 * Queries to the server. An ask is one query: some metrics of some devices. Asks are as large as a
 * server can be expected to answer; an ask that is too large is divided and stays divided.
 */
enum prometheus_part {
	PART_ALL,
	PART_LOSSLESS, /* of metrics per priority: the lossless priorities only */
	PART_OTHERS,
};

struct prometheus_ask {
	VEC(uint16_t) rules; /* of one mapping, with the same where and device label */
	size_t from, to;     /* devices of the book */
	size_t series;       /* estimated number of series */
	enum prometheus_part part;
	bool cursor;
	bool small;       /* asked at its own pace, but in the first round too */
	bool spread;      /* it has its place among the rounds */
	int64_t every_us; /* 0: each round */
	struct series_list known;
	bool divided;              /* its two halves replace it */
	struct prometheus_ask *of; /* the ask of which this is one half; NULL: none */
	int64_t joined_us; /* divided: monotonic time from which it is tried as one again; 0:
			    * never */
	unsigned slow;     /* times it was divided because its answer took too long */
	bool whole; /* the first answer had too few samples: repeat it with a longer window */
	/* Kept by the rounds: */
	int64_t due_us;   /* monotonic */
	int64_t asked_us; /* server time of the last answer; 0: none yet */
	unsigned empty;   /* consecutive answers without samples, see round.c */
};

/* The asks for devices from..to, and their schedule. */
struct prometheus_shard {
	size_t from, to;
	VEC(struct prometheus_ask *) asks;
	int64_t due_us; /* monotonic */
	bool done;      /* it had at least one round */
	uint32_t told;  /* hash of the last error reported for its devices */
};

#define PROMETHEUS_SHARD_DEVICES 512 /* about 33,000 ports: one PFC counter has 260,000 series */
#define PROMETHEUS_ASK_SERIES    262144

enum prometheus_which {
	WHICH_ALWAYS, /* the rules for all devices */
	WHICH_CURSOR, /* the rules for the device under the cursor only */
	WHICH_NUMBERS /* counters and attributes: for its history */
};

/*
 * Fills an empty shard with asks for devices from..to. series: the most of one ask, approximately.
 */
void prometheus_shard_plan(struct prometheus_shard *s, const struct series_index *b,
	const struct prometheus_map *map, enum prometheus_which which, size_t from, size_t to,
	size_t series);
void prometheus_shard_free(struct prometheus_shard *s); /* frees the asks and empties the shard */
/* Replaces an ask by two halves at the end of the shard; false: it cannot be divided further. */
bool prometheus_ask_divide(struct prometheus_shard *s, struct prometheus_ask *a);

#define PROMETHEUS_SLACK_US INT64_C(10000000) /* a sample may be this late without being missed */

/*
 * A slow answer may be temporary. An ask that was divided for that reason is tried as one again
 * after ten minutes. The wait doubles each time it is too slow again, up to a day.
 *
 * prometheus_ask_slow() sets the time for a divided ask. prometheus_shard_join() rejoins the asks
 * that are due; call it when no query is under way.
 */
void prometheus_ask_slow(struct prometheus_ask *a, int64_t now_us);
void prometheus_shard_join(struct prometheus_shard *s, int64_t now_us);

/*
 * Returns the window of the first query, long enough for two samples of each series. spacing_us:
 * the longest time between two samples of the same mapping, 0: unknown. late_us: age of the newest
 * sample. If unknown: two rounds, or two scrapes a minute apart plus one late scrape.
 */
int64_t prometheus_first_window(int64_t interval_us, int64_t spacing_us, int64_t late_us);

/*
 * Writes the query: a range selector up to the evaluation time, so that samples carry their own
 * timestamps. False: it does not fit into text.
 */
bool prometheus_ask_query(const struct prometheus_ask *a, const struct series_index *b,
	const struct plan *plan, const struct prometheus_map *map, int64_t window_us,
	struct buf *text);
/* The same for values a step apart: the newest sample of each step. */
bool prometheus_ask_steps(const struct prometheus_ask *a, const struct series_index *b,
	const struct plan *plan, const struct prometheus_map *map, int64_t step_us,
	struct buf *text);

#endif
