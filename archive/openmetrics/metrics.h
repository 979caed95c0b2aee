/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_OPENMETRICS_METRICS_H
#define ARCHIVE_OPENMETRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"

/*
 * Exports the fabric as metrics for Prometheus: every canonical counter of every port, devices,
 * findings, jobs. Counters are those of the device, which restart with it, never rates. An unknown,
 * unsupported, disabled or stale value has no sample; it is never 0.
 *
 * metrics_take() copies one moment of the model and keeps no pointer into it. A client then reads
 * the copy in pieces at its own speed while the model changes.
 */

enum metric_type { METRIC_GAUGE, METRIC_COUNTER, METRIC_INFO };
enum metric_of { METRIC_FEW, METRIC_PORTS };

/* The other metrics come first, then those of fabric/vocabulary/counters.def in its order. */
enum metric_id {
#define METRIC(id, name, type, unit, of, dim, help) METRIC_##id,
#include "archive/openmetrics/metrics.def"
#undef METRIC
	METRIC_FIRST_COUNTER
};
#define METRIC_COUNT (METRIC_FIRST_COUNTER + COUNTER_COUNT)

struct metric_family {
	char name[80]; /* without "_total" and "_info" */
	enum metric_type type;
	enum metric_of of;
	enum counter_dim dim; /* for METRIC_PORTS */
	const char *unit;     /* "": a plain number; else the end of the name */
	int shift;            /* exported = the model's number * 10^shift */
	const char *help;
};
/* Describes a family; id < METRIC_COUNT. */
void metrics_family(unsigned id, struct metric_family *f);
/* Finds a family by its name or that of its samples; METRIC_COUNT: there is none. */
unsigned metrics_find(const char *name);
/* The name of the family's samples, with "_total" or "_info". */
void metrics_sample_name(const struct metric_family *f, char *dst, size_t size);
/* Label of a dimension: "priority", "lane", "bin", "". */
const char *metrics_dim_label(enum counter_dim dim);

/* Numbers of the exporting process; 0: unknown. */
struct metrics_own {
	const char *version;
	int64_t start_us; /* wall time */
	double cpu_s;
	double took_s; /* CPU time of the previous metrics_take() */
	uint64_t rss_bytes, scrapes, refused;
};

/* Copies the metrics. d may be NULL: no diagnosis. now_us: the wall time of the data. The caller
 * frees the result with metrics_free(). */
struct metrics *metrics_take(
	const struct model *m, const struct diag *d, const struct metrics_own *own, int64_t now_us);
void metrics_free(struct metrics *x); /* NULL is allowed */
uint64_t metrics_samples(const struct metrics *x);

enum metrics_format {
	METRICS_TEXT,        /* Prometheus text format 0.0.4 */
	METRICS_OPENMETRICS, /* OpenMetrics 1.0.0 */
};
const char *metrics_content_type(enum metrics_format f);

/* Initialize with {.of = metrics, .format = ...}. */
struct metrics_reader {
	const struct metrics *of;
	enum metrics_format format;
	bool some; /* only the families in wanted, by number; else all */
	bool wanted[METRIC_COUNT];
	/* private */
	unsigned family, sub;
	size_t at;
	bool begun, ended;
};
#define METRICS_PIECE_LEAST 2048
/*
 * Writes to dst until it is full or the exposition ends. Lines of ports are whole; other families
 * may be split anywhere. size is at least METRICS_PIECE_LEAST. Returns the bytes written, 0 at the
 * end.
 */
size_t metrics_read(struct metrics_reader *r, char *dst, size_t size);

#endif
