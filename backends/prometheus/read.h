/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_READ_H
#define BACKENDS_PROMETHEUS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/scan.h"

/*
 * Reads a server's answer to a query with a matrix as result. It reads pieces of any size and keeps
 * only the labels of the current series. A reply may hold millions of samples.
 */
#define PROMETHEUS_LABELS_MAX 64   /* per series; a series with more is skipped and counted */
#define PROMETHEUS_LABELS_LEN 8192 /* bytes of names and values of a series, with terminators */
#define PROMETHEUS_TEXT_MAX   256

struct prometheus_labels {
	unsigned n;
	uint64_t hash; /* of all labels, in their order; with the reader's seed */
	struct {
		uint16_t name, value; /* offsets in text; both are terminated */
		uint16_t value_len;
	} at[PROMETHEUS_LABELS_MAX];
	char text[PROMETHEUS_LABELS_LEN];
};
/* Returns the value of a label; NULL: it has none. */
const char *prometheus_label(const struct prometheus_labels *l, const char *name);

struct prometheus_sample {
	int64_t us; /* Unix time */
	bool whole; /* count is exact; else use real */
	uint64_t count;
	double real; /* finite */
};

/* A series, as known by the hash of its labels. */
enum prometheus_seen {
	PROMETHEUS_UNKNOWN,  /* series() is called */
	PROMETHEUS_UNWANTED, /* its samples are skipped */
	PROMETHEUS_WANTED,
	PROMETHEUS_NAMED, /* wanted, and the reader must provide its labels */
};

/*
 * Bytes of a series cut between two pieces. It is joined and read at once; a longer series is
 * scanned.
 */
#define PROMETHEUS_CUT_MAX 4096

#define PROMETHEUS_TIMES 4

struct prometheus_reader {
	/* A series begins; its labels may not have been read yet. NULL: all series are unknown. */
	enum prometheus_seen (*seen)(void *ctx, uint64_t hash);
	/*
	 * An unknown series begins. raw: its labels as written, without escapes, similar to those
	 * of the series before. False: read the labels and call series(). NULL: always read the
	 * labels.
	 */
	bool (*alike)(void *ctx, uint64_t hash, const char *raw, size_t len, bool *wanted);
	/*
	 * An unknown series begins; false: its samples are not wanted. raw: its labels as written,
	 * without escapes; NULL: they were written in another form.
	 */
	bool (*series)(void *ctx, const struct prometheus_labels *l, const char *raw, size_t len);
	void (*sample)(void *ctx, const struct prometheus_sample *s);
	void (*series_end)(void *ctx); /* end of a series that was wanted */
	void *ctx;
	uint64_t seed;
	/* Results for the caller. */
	uint64_t n_series, n_samples;
	uint64_t odd;    /* skipped: samples that are not finite or have an impossible time,
			  * histograms, series with too many labels */
	bool failed;     /* status is "error" */
	bool partial;    /* the server says that the answer is incomplete */
	bool not_matrix; /* another type of result */
	char error[PROMETHEUS_TEXT_MAX];   /* the server's error message, sanitised */
	char warning[PROMETHEUS_TEXT_MAX]; /* the first warning, sanitised; "" */
	/* private */
	struct scan scan;
	unsigned where, skip; /* skip: depth of objects and arrays to skip */
	unsigned after;       /* the key of the next value */
	bool wanted, known, cut, too_long;
	bool ended, between; /* ended: the last event ended a series; between: no byte has followed
			      * it */
	size_t used;         /* bytes of labels.text */
	uint16_t name_at;
	struct prometheus_sample now;
	bool timed;
	size_t held;
	char hold[PROMETHEUS_TEXT_MAX];
	struct prometheus_labels labels;
	/* The last timestamp of the n-th sample of a series, see read_fast.c; len 0: none yet. */
	struct prometheus_time {
		uint64_t first, last; /* the first and the last eight bytes of its text */
		int64_t us;
		size_t len;
	} times[PROMETHEUS_TIMES];
	size_t begun; /* bytes in start: of a series that ends in the next piece */
	char start[PROMETHEUS_CUT_MAX];
};

/* Begins a reply; keeps the functions, ctx and seed. */
void prometheus_reader_begin(struct prometheus_reader *r);
/* False: it is not JSON, or not an answer of such a server; see prometheus_reader_end(). */
bool prometheus_reader_feed(struct prometheus_reader *r, const char *bytes, size_t len);
/* Ends the reply. False with err (ERR_PROTOCOL): it is invalid, truncated or of another kind. */
bool prometheus_reader_end(struct prometheus_reader *r, struct err *err);

/* "12", "1.5e+06", "NaN": false when it is no finite number. */
bool prometheus_number(const char *text, size_t len, struct prometheus_sample *out);

#endif
