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
#define ENGINE_LABELS_MAX 64   /* per series; a series with more is skipped and counted */
#define ENGINE_LABELS_LEN 8192 /* bytes of names and values of a series, with terminators */
#define ENGINE_TEXT_MAX   256

struct engine_labels {
	unsigned n;
	uint64_t hash; /* of all labels, in their order; with the reader's seed */
	struct {
		uint16_t name, value; /* offsets in text; both are terminated */
		uint16_t value_len;
	} at[ENGINE_LABELS_MAX];
	char text[ENGINE_LABELS_LEN];
};
/* Returns the value of a label; NULL: it has none. */
const char *engine_label(const struct engine_labels *l, const char *name);

struct engine_sample {
	int64_t us; /* Unix time */
	bool whole; /* count is exact; else use real */
	uint64_t count;
	double real; /* finite */
};

/* A series, as known by the hash of its labels. */
enum engine_seen {
	ENGINE_UNKNOWN,  /* series() is called */
	ENGINE_UNWANTED, /* its samples are skipped */
	ENGINE_WANTED,
	ENGINE_NAMED, /* wanted, and the reader must provide its labels */
};

/*
 * Bytes of a series cut between two pieces. It is joined and read at once; a longer series is
 * scanned.
 */
#define ENGINE_CUT_MAX 4096

#define ENGINE_TIMES 4

struct engine_reader {
	/* A series begins; its labels may not have been read yet. NULL: all series are unknown. */
	enum engine_seen (*seen)(void *ctx, uint64_t hash);
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
	bool (*series)(void *ctx, const struct engine_labels *l, const char *raw, size_t len);
	void (*sample)(void *ctx, const struct engine_sample *s);
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
	char error[ENGINE_TEXT_MAX];   /* the server's error message, sanitised */
	char warning[ENGINE_TEXT_MAX]; /* the first warning, sanitised; "" */
	/* private */
	struct scan scan;
	unsigned where, skip; /* skip: depth of objects and arrays to skip */
	unsigned after;       /* the key of the next value */
	bool wanted, known, cut, too_long;
	bool ended, between; /* ended: the last event ended a series; between: no byte has followed
			      * it */
	size_t used;         /* bytes of labels.text */
	uint16_t name_at;
	struct engine_sample now;
	bool timed;
	size_t held;
	char hold[ENGINE_TEXT_MAX];
	struct engine_labels labels;
	/* The last timestamp of the n-th sample of a series, see read_fast.c; len 0: none yet. */
	struct engine_time {
		uint64_t first, last; /* the first and the last eight bytes of its text */
		int64_t us;
		size_t len;
	} times[ENGINE_TIMES];
	size_t begun; /* bytes in start: of a series that ends in the next piece */
	char start[ENGINE_CUT_MAX];
};

/* Begins a reply; keeps the functions, ctx and seed. */
void engine_reader_begin(struct engine_reader *r);
/* False: it is not JSON, or not an answer of such a server; see engine_reader_end(). */
bool engine_reader_feed(struct engine_reader *r, const char *bytes, size_t len);
/* Ends the reply. False with err (ERR_PROTOCOL): it is invalid, truncated or of another kind. */
bool engine_reader_end(struct engine_reader *r, struct err *err);

/* "12", "1.5e+06", "NaN": false when it is no finite number. */
bool engine_number(const char *text, size_t len, struct engine_sample *out);

#endif
