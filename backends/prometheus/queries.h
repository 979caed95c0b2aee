/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_QUERIES_H
#define BACKENDS_PROMETHEUS_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/prometheus/series_index.h"
#include "base/buf.h"

/*
 * What the server is asked: each ask is one query, some metrics of some devices. Asks are as large
 * as a server may be expected to answer; one that is too large is divided, and stays so.
 */
enum engine_part {
	PART_ALL,
	PART_LOSSLESS, /* of what is per priority: those that are */
	PART_OTHERS,
};

struct engine_ask {
	VEC(uint16_t) rules; /* of one mapping, with the same where and device label */
	size_t from, to;     /* devices of the book */
	size_t series;       /* about so many */
	enum engine_part part;
	bool cursor;
	bool small;       /* asked now and then, and yet part of the first picture */
	bool spread;      /* it has its place among the rounds */
	int64_t every_us; /* 0: each round */
	struct series_list known;
	bool divided;          /* two others stand for it */
	struct engine_ask *of; /* the one that it is a half of; NULL: none */
	int64_t joined_us;     /* divided: monotonic, from when on it is tried as one; 0: never */
	unsigned slow;         /* how often it was divided because its answer took too long */
	bool whole; /* the first answer had too few samples: once more, and further back */
	/* Of the rounds: */
	int64_t due_us;   /* monotonic */
	int64_t asked_us; /* server time of the last answer; 0: none yet */
	unsigned empty;   /* answers that brought nothing, see round.c */
};

/* Of devices from..to: how they are asked, and when. */
struct engine_shard {
	size_t from, to;
	VEC(struct engine_ask *) asks;
	int64_t due_us; /* monotonic */
	bool done;      /* at least once */
	uint32_t told;  /* hash of the error that its devices were told */
};

#define ENGINE_SHARD_DEVICES 512 /* about 33,000 ports: a PFC counter of them is 260,000 series */
#define ENGINE_ASK_SERIES    262144

enum engine_which {
	WHICH_ALWAYS, /* what everybody is asked */
	WHICH_CURSOR, /* what only the device under the cursor is asked */
	WHICH_NUMBERS /* all but words: for its history */
};

/* Fills an empty shard with asks for devices from..to. series: the most of one ask, about. */
void engine_shard_plan(struct engine_shard *s, const struct book *b, const struct engine_map *map,
	enum engine_which which, size_t from, size_t to, size_t series);
void engine_shard_free(struct engine_shard *s); /* and empties it */
/* Two asks instead of one, at the end of the shard; false: it is as small as can be. */
bool engine_ask_divide(struct engine_shard *s, struct engine_ask *a);

#define ENGINE_SLACK_US INT64_C(10000000) /* a sample may be that late without being missed */

/*
 * A server may have been slow for reasons of its own: what was divided for that is asked as one
 * again after ten minutes, and after twice as long each time that it was too slow again, a day at
 * most. engine_ask_slow() says when, of an ask that was divided; engine_shard_join() puts such asks
 * together whose time has come, when no query is under way.
 */
void engine_ask_slow(struct engine_ask *a, int64_t now_us);
void engine_shard_join(struct engine_shard *s, int64_t now_us);

/*
 * How far back the first query looks, for two samples of each series. spacing_us: the most that lay
 * between two samples of what was scraped alike, 0: not known yet; late_us: how old the newest of
 * them is. Not known: two rounds, or two scrapes a minute apart and one that is late.
 */
int64_t engine_first_window(int64_t interval_us, int64_t spacing_us, int64_t late_us);

/*
 * The query: a selector over the time before it is evaluated, so that samples come with the times
 * at which they were taken. False: it does not fit into text.
 */
bool engine_ask_query(const struct engine_ask *a, const struct book *b, const struct plan *plan,
	const struct engine_map *map, int64_t window_us, struct buf *text);

#endif
