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
 * What a metrics engine's series are in the fabric, remembered between rounds: a series that is
 * known costs one look at where it was in the last reply. Of one thread.
 *
 * A round is a gather: book_begin(), readers of replies fed with book_attach(), book_end(). Samples
 * become batches by device and time: what one scrape brought is one batch, with its time.
 */
struct book;

/* What becomes of samples. */
enum book_mode {
	BOOK_LIVE,    /* the newest of each series, when it is newer than what was had */
	BOOK_MOMENT,  /* the newest two */
	BOOK_HISTORY, /* all */
};

/* plan and map must outlive it. Devices are those of the plan that are by_engine. */
struct book *book_new(const struct plan *plan, const struct engine_map *map);
void book_free(struct book *b);

size_t book_devices(const struct book *b);
/* The i-th device: its index in the plan. */
size_t book_device(const struct book *b, size_t i);

/* The plan's lossless priorities, a bit each; never 0. */
uint8_t book_lossless(const struct book *b);

/* now_us: wall time of the server that the queries are about. */
void book_begin(struct book *b, enum book_mode mode, int64_t now_us);

/*
 * The series that was learnt last, as it was written. The next one that is learnt differs from it
 * in a value or two, of its port mostly, and only these are looked at.
 */
#define NEAR_LABELS 32
#define NEAR_BYTES  1024
#define NEAR_WHO    8 /* labels that say who measures a device */
struct book_near {
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

/* Whether series that are not in a reply are kept, see known_end(); they are at first. */
void book_keep(struct book *b, bool keep);

/* A reply that is being read; several at once may be. Must not move. */
struct book_query {
	struct engine_reader reader;
	/* private */
	struct book *book;
	const uint16_t *rules; /* indexes into the map: what the query asked for */
	size_t n_rules;
	struct series_pass pass;
	struct series_list own; /* of a query whose series are not remembered */
	struct series *series;  /* the one at hand */
	struct book_near near;
	uint8_t n;
	uint64_t n_single; /* counters that had one sample */
	int64_t had_us;
	struct engine_sample before, last;
};
/*
 * Begins a reply; rules must stay while it is read. known: the query's own, the same in each round;
 * NULL: nothing is remembered.
 */
void book_attach(struct book *b, struct book_query *q, const uint16_t *rules, size_t n,
	struct series_list *known);
/* No more bytes come; after engine_reader_end(), and whatever that said. */
void book_detach(struct book_query *q);

/*
 * In this gather devices from..to said all that they do not report (ENGINE_NEED). What is met has
 * no series: a need that was among it and is not any more is met.
 */
void book_needs_told(struct book *b, size_t from, size_t to);

/*
 * Ends the gather: batches of the devices that brought something new, oldest first of each device,
 * linked by next; with BOOK_MOMENT and BOOK_HISTORY oldest first of all. wall_us: the time now,
 * here. warning: what the devices are told of a gather that is not whole, "" when it is.
 */
struct obs *book_end(struct book *b, int64_t wall_us, const char *warning);

/* Time of the newest sample of all gathers, 0: none came. */
int64_t book_newest(const struct book *b);

/* The most time between two samples of a series of that mapping, 0: not known. */
int64_t book_spacing(const struct book *b, unsigned group);

struct book_counts {
	uint64_t series;  /* that were met for the first time */
	uint64_t foreign; /* of these, of devices that are not the plan's, or with unknown labels */
	uint64_t twins;   /* samples of another source of the same device, left out */
	uint64_t bad;     /* samples that cannot be what they should be */
};
void book_count(const struct book *b, struct book_counts *out);

#endif
