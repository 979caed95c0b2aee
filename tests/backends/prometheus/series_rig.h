/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_PROMETHEUS_SERIES_RIG_H
#define TESTS_BACKENDS_PROMETHEUS_SERIES_RIG_H

#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/queries.h"
#include "backends/prometheus/series_index.h"
#include "base/buf.h"

/* An index of series over the devices of prometheus_plan(), and replies that are written by hand.
 */

#define T0               INT64_C(1700000000)
#define SERIES_RIG_RULES 9 /* those of prometheus_rules(), and three more */

struct series_rig {
	struct plan plan;
	struct prometheus_map *map;
	struct series_index *book;
	struct series_index_query q;
	struct series_list known;
	uint16_t rules[SERIES_RIG_RULES];
	uint16_t nrules;
};

/* For cmocka; more adds rules of the test's own, NULL: none. */
int series_rig_setup(void **state, void (*more)(struct prometheus_map *map));
int series_rig_teardown(void **state);
/* Adds a series to a reply: its labels, and samples as "[time,\"value\"]". */
void series_rig_add(struct buf *b, const char *metric, const char *labels, const char *values);
/* Reads the reply into the index and empties it. */
void series_rig_feed(struct series_rig *r, struct buf *series);
/* The batches of one gather; the caller frees them. */
struct obs *series_rig_gather(
	struct series_rig *r, enum series_index_mode mode, int64_t now_s, struct buf *series);
void series_rig_free(struct obs *o); /* all of the list */

#endif
