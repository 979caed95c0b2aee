/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_METRICS_METRICS_H
#define TESTS_BENCH_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "fabric/plan/sizing.h"

/* Private to tests/bench/metrics: a server that answers as Prometheus would. */

#define METRICS_START INT64_C(1790000000) /* counters began then, or somewhat later */

/* A metric, from its line in the table. */
struct series_kind {
	char name[96], label[32]; /* label: of priority, lane or bin; "": none */
	char text[32];            /* the value of series that do not move */
	uint64_t rate;            /* a second; 0: it does not move */
	bool micro;               /* the rate is of millionths */
	bool held;                /* only priority 3 of one port in ten moves */
	bool device;              /* it is about the device */
	unsigned subs[TIER_COUNT];
};

struct table {
	const struct sizing *sizing;
	int64_t scrape_ms;
	VEC(struct series_kind) kinds;
	struct device_name *names;
	VEC(char *) ports[TIER_COUNT]; /* names, as they are in JSON */
};

struct device_at {
	enum tier tier;
	unsigned index; /* in its tier */
};

/*
 * file: METRIC LABEL|-|@ TEXT RATE[u] HELD HOST LEAF SPINE SUPERSPINE, a line each; @: of devices;
 * u: millionths.
 */
bool table_open(struct table *t, const char *preset, const char *file);
const struct series_kind *table_kind(const struct table *t, const char *name, size_t len);
bool table_device(const struct table *t, const char *name, size_t len, struct device_at *at);

/* An answer: its query, and its progress. */
struct answer {
	VEC(const struct series_kind *) kinds;
	VEC(struct device_at) devices;
	uint64_t subs; /* those that the query selects */
	int64_t from_ms, to_ms;
	/* how far it is */
	bool begun, ended, any;
	size_t kind, device;
	unsigned port;
};

/* Reads a posted form; false: it is not a query that this server knows. */
bool answer_begin(struct answer *a, const struct table *t, const char *form, size_t len);
/* Adds up to about `most` bytes of it; false: it is whole. */
bool answer_more(struct answer *a, const struct table *t, struct buf *out, size_t most);
void answer_free(struct answer *a);

#endif
