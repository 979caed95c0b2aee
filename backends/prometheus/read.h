/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_READ_H
#define BACKENDS_PROMETHEUS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/scan.h"

/*
 * Reads what a Prometheus-compatible server answers to a query whose result is a matrix, as it
 * comes and wherever it is cut: nothing of it is kept but the labels of the series at hand. A reply
 * may hold millions of samples.
 */
#define ENGINE_LABELS_MAX 64   /* of a series; one with more is left out and counted */
#define ENGINE_LABELS_LEN 8192 /* bytes of names and values of a series, with their ends */
#define ENGINE_TEXT_MAX   256

struct engine_labels {
	unsigned n;
	uint64_t hash; /* of all, in their order; by the reader's seed */
	struct {
		uint16_t name, value; /* where in text; both are terminated */
		uint16_t value_len;
	} at[ENGINE_LABELS_MAX];
	char text[ENGINE_LABELS_LEN];
};
/* The value of a label; NULL: it has none. */
const char *engine_label(const struct engine_labels *l, const char *name);

struct engine_sample {
	int64_t us; /* Unix time */
	bool whole; /* count is exact; else see real */
	uint64_t count;
	double real; /* finite */
};

/* What is known of a series by the hash of its labels. */
enum engine_seen {
	ENGINE_UNKNOWN,  /* series() is asked */
	ENGINE_UNWANTED, /* its samples are left out */
	ENGINE_WANTED,
	ENGINE_NAMED, /* wanted, and the reader's labels have to be there */
};

/* Of a series that is cut between two pieces, put together to be read in one go; longer ones are
 * scanned. */
#define ENGINE_CUT_MAX 4096

#define ENGINE_TIMES 4

struct engine_reader {
	/* A series begins. Labels may not have been read yet. NULL: nothing is known. */
	enum engine_seen (*seen)(void *ctx, uint64_t hash);
	/*
	 * A series that is not known begins, and these are its labels as they are written: plain,
	 * but for what is not as in the series before. False: read them, and ask series(). NULL:
	 * labels are always read.
	 */
	bool (*alike)(void *ctx, uint64_t hash, const char *raw, size_t len, bool *wanted);
	/*
	 * A series that is not known begins; false: its samples are not wanted. raw: its labels as
	 * they are written, without escapes; NULL: they were written in another way.
	 */
	bool (*series)(void *ctx, const struct engine_labels *l, const char *raw, size_t len);
	void (*sample)(void *ctx, const struct engine_sample *s);
	void (*series_end)(void *ctx); /* of one that was wanted */
	void *ctx;
	uint64_t seed;
	/* What came; for whoever asked. */
	uint64_t n_series, n_samples;
	uint64_t odd;    /* samples that are no finite number of today, histograms, series with too
			    many labels: left out */
	bool failed;     /* status is "error" */
	bool partial;    /* the server says that something is missing */
	bool not_matrix; /* another type of result */
	char error[ENGINE_TEXT_MAX];   /* what the server says of an error, sanitised */
	char warning[ENGINE_TEXT_MAX]; /* the first warning, sanitised; "" */
	/* private */
	struct scan scan;
	unsigned where, skip; /* skip: objects and arrays to leave */
	unsigned after;       /* the value of which key comes */
	bool wanted, known, cut, too_long;
	bool ended, between; /* the last event ended a series; and nothing came behind it */
	size_t used;         /* of labels.text */
	uint16_t name_at;
	struct engine_sample now;
	bool timed;
	size_t held;
	char hold[ENGINE_TEXT_MAX];
	struct engine_labels labels;
	/* How the n-th samples of series were dated last, see read_fast.c; len 0: not yet.
	 */
	struct engine_time {
		uint64_t first, last; /* eight bytes of its text, and the last eight */
		int64_t us;
		size_t len;
	} times[ENGINE_TIMES];
	size_t begun; /* bytes of start: of a series whose end is in the next piece */
	char start[ENGINE_CUT_MAX];
};

/* The functions, ctx and seed stay. */
void engine_reader_begin(struct engine_reader *r);
/* False: it is no JSON, or no answer of such a server; see engine_reader_end(). */
bool engine_reader_feed(struct engine_reader *r, const char *bytes, size_t len);
/* There are no more bytes. False with err (ERR_PROTOCOL): it is broken, cut off or none. */
bool engine_reader_end(struct engine_reader *r, struct err *err);

/* "12", "1.5e+06", "NaN": false when it is no finite number. */
bool engine_number(const char *text, size_t len, struct engine_sample *out);

#endif
