/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_OPENMETRICS_METRICS_PRIVATE_H
#define ARCHIVE_OPENMETRICS_METRICS_PRIVATE_H

#include "archive/openmetrics/metrics.h"
#include "base/buf.h"
#include "fabric/vocabulary/counters.h"

/* Private to archive/openmetrics. */

/* Columns of METRIC_PORTS: the cells of counters.def, then those of the other port metrics. */
enum {
#define METRIC_CELLS_FEW(dim)   0
#define METRIC_CELLS_PORTS(dim) DIM_SIZE_##dim
	METRIC_CELL_LAST_COUNTER = CELL_COUNT - 1,
#define METRIC(id, name, type, unit, of, dim, help)                                                \
	METRIC_CELL_##id, METRIC_CELL_LAST_##id = METRIC_CELL_##id + METRIC_CELLS_##of(dim) - 1,
#include "archive/openmetrics/metrics.def"
#undef METRIC
	METRIC_CELLS
};

/* Texts are copied in steps of this size, and the label buffer has a spare step at its end. */
#define METRIC_COPY_STEP 32

/* One number for all ports, by row; NULL: no port has it. */
struct metric_column {
	uint64_t *at;  /* or the bits of a double */
	uint64_t *has; /* bit r: row r has the number */
	size_t n;
};

struct metrics {
	size_t rows;
	struct buf labels;   /* of all rows, concatenated */
	uint32_t *labels_at; /* rows + 1 offsets */
	struct metric_column columns[METRIC_CELLS];
	bool real[CELL_COUNT]; /* the column has doubles */
	struct buf few;        /* the samples of all other families, one family after the other */
	struct metric_span {
		size_t from, to; /* in few */
	} span[METRIC_FIRST_COUNTER];
	uint64_t few_samples;
	uint64_t left_out;
};

/* True: the port data is not current. The device may answer other polls, see device_blind(). */
static inline bool metric_is_old(const struct device *d)
{
	return d->state >= DEV_STALE || device_blind(d);
}

/* First cell and number of cells of a family of ports. */
unsigned metrics_cells(unsigned id, unsigned *n);

/* A set of label texts, to detect duplicates. */
struct metric_seen {
	struct metric_seen_at {
		uint32_t hash, n;
		size_t at;
	} * slots;
	size_t size, n;
};
/* True: the n bytes at b->data + at are new. Added bytes must stay in place. */
bool metric_seen_new(struct metric_seen *s, const struct buf *b, size_t at, size_t n);
/* Reserves room for n texts in an empty set. */
void metric_seen_reserve(struct metric_seen *s, size_t n);
void metric_seen_free(struct metric_seen *s);

/* Adds name="value" with escapes; the caller adds separators. */
void metric_label(struct buf *b, const char *name, const char *value);

/* Each fills a part of x. */
void metrics_take_ports(struct metrics *x, const struct model *m);
void metrics_take_few(struct metrics *x, const struct model *m, const struct diag *d,
	const struct metrics_own *own, int64_t now_us);
void metrics_take_devices(struct metrics *x, const struct model *m);
void metrics_take_findings(struct metrics *x, const struct model *m, const struct diag *d);
void metrics_take_jobs(struct metrics *x, const struct model *m, int64_t now_us);

/* Adds samples of one family. metric_few_add() takes pairs of label and value, then NULL. */
struct metric_few {
	struct metrics *x;
	enum metric_id id;
	char name[96];
	struct metric_seen seen;
};
void metric_few_begin(struct metric_few *f, struct metrics *x, enum metric_id id);
void metric_few_add(struct metric_few *f, double value, ...);
void metric_few_end(struct metric_few *f);

/* Format a number; return the end of the text. to needs METRIC_NUMBER_MOST bytes. */
#define METRIC_NUMBER_MOST 48
char *metric_put_count(char *to, uint64_t v, int shift);
char *metric_put_real(char *to, double v, int shift);

#endif
