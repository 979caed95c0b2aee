/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_SERIES_INDEX_H
#define BACKENDS_PROMETHEUS_SERIES_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/prometheus/mapping.h"
#include "backends/prometheus/read.h"
#include "backends/prometheus/series.h"
#include "base/vec.h"
#include "fabric/plan/plan.h"

/*
 * The index of a metrics engine's series. It remembers between rounds which port or device each
 * series belongs to; a known series costs one comparison with its place in the last reply. One
 * thread only.
 *
 * A gather is: series_index_begin(), readers of replies attached with series_index_attach(),
 * series_index_end(). Samples become batches by device and time: the samples of one scrape are one
 * batch, with its time.
 */
struct series_index;

/* Which samples become observations. */
enum series_index_mode {
	SERIES_INDEX_LIVE, /* the newest of each series, if newer than the one of the last round */
	SERIES_INDEX_MOMENT,  /* the newest two */
	SERIES_INDEX_HISTORY, /* all */
};

/*
 * plan and map must outlive the book, which contains those devices of the plan that are by_engine.
 */
struct series_index *series_index_new(const struct plan *plan, const struct prometheus_map *map);
void series_index_free(struct series_index *b);

size_t series_index_devices(const struct series_index *b);
/* Returns the index in the plan of the book's i-th device. */
size_t series_index_device(const struct series_index *b, size_t i);

/* Returns a bit mask of the plan's lossless priorities; never 0. */
uint8_t series_index_lossless(const struct series_index *b);

/* Begins a gather. now_us: wall time of the server at which the queries are evaluated. */
void series_index_begin(struct series_index *b, enum series_index_mode mode, int64_t now_us);

/*
 * The series that was learnt last, as it was written. The next one that is learnt differs from it
 * in a value or two, of its port mostly, and only these are looked at.
 */
#define NEAR_LABELS 32
#define NEAR_BYTES  1024
#define NEAR_WHO    8 /* labels that say who measures a device */
struct series_index_near {
	bool is; /* there is one */
	uint16_t len, n;
	uint16_t at[NEAR_LABELS], width[NEAR_LABELS];  /* of values, in raw */
	uint32_t name, device_label, port_label, subs; /* a bit a label: which it is */
	uint8_t who[NEAR_WHO];                         /* n: there is none */
	uint32_t who_is;                               /* their hash */
	uint32_t device, port;
	uint16_t rule, source;
	uint8_t sub;
	char raw[NEAR_BYTES];
};

/*
 * keep true (the initial state): series that are absent from a reply stay known, see known_end().
 */
void series_index_keep(struct series_index *b, bool keep);

/* A reply that is being read; several may be read at once. Must not move in memory. */
struct series_index_query {
	struct prometheus_reader reader;
	/* private */
	struct series_index *book;
	const uint16_t *rules; /* the rules that the query asks for, as indexes into the map */
	size_t n_rules;
	struct series_pass pass;
	struct series_list own; /* for a query whose series are not remembered */
	struct series *series;  /* the series being read */
	struct series_index_near near;
	uint8_t n;
	uint64_t n_single; /* counters that had only one sample */
	int64_t had_us;
	struct prometheus_sample before, last;
};
/*
 * Begins reading a reply. rules must stay valid until series_index_detach(). known: the list of
 * this query, the same one in each round; NULL: nothing is remembered.
 */
void series_index_attach(struct series_index *b, struct series_index_query *q,
	const uint16_t *rules, size_t n, struct series_list *known);
/* Ends reading. Call it after prometheus_reader_end(), also when that failed. */
void series_index_detach(struct series_index_query *q);

/*
 * In this gather devices from..to have listed everything that they do not report (PROMETHEUS_NEED).
 * A need that is met has no series. So a need that was listed before and is not listed now is met.
 */
void series_index_needs_told(struct series_index *b, size_t from, size_t to);

/*
 * Ends the gather. Returns the batches of the devices with new samples, linked by next: oldest
 * first per device; with SERIES_INDEX_MOMENT and SERIES_INDEX_HISTORY oldest first overall.
 * wall_us: local time now. warning: shown for the devices when the gather is incomplete, else "".
 * The caller frees the batches.
 */
struct obs *series_index_end(struct series_index *b, int64_t wall_us, const char *warning);

/* Returns the time of the newest sample of all gathers; 0: there was none. */
int64_t series_index_newest(const struct series_index *b);

/* Returns the longest time between two samples of a series of the mapping; 0: unknown. */
int64_t series_index_spacing(const struct series_index *b, unsigned group);

struct series_index_counts {
	uint64_t series;  /* series seen for the first time */
	uint64_t foreign; /* of these, those of devices outside the plan or with unknown labels */
	uint64_t twins;   /* samples dropped because they came from a second source of the same
			   * device */
	uint64_t bad;     /* samples with an impossible value */
};
void series_index_count(const struct series_index *b, struct series_index_counts *out);

#endif
