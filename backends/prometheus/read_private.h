/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_READ_PRIVATE_H
#define BACKENDS_PROMETHEUS_READ_PRIVATE_H

#include "backends/prometheus/read.h"

/* Private to backends/prometheus/read*.c and series_index*.c. */

void prometheus_labels_begin(struct prometheus_reader *r);
/* Adds a label and checks both limits; false: there is no room. */
bool prometheus_labels_put(struct prometheus_reader *r, const char *name, size_t name_len,
	const char *value, size_t value_len);
/* Returns the hash of labels as written in JSON without blanks: "name":"value",... */
uint64_t prometheus_labels_hash(uint64_t seed, const char *text, size_t len);
/* Begins a series with that hash and returns its state. */
enum prometheus_seen prometheus_series_seen(struct prometheus_reader *r, uint64_t hash);
/* Call it when its labels are read; raw as in series(). Determines if its samples are wanted. */
void prometheus_series_named(
	struct prometheus_reader *r, enum prometheus_seen seen, const char *raw, size_t len);
void prometheus_series_over(struct prometheus_reader *r);

/*
 * Reads a series that lies completely in these bytes, in the usual form without blanks and escapes.
 * Returns the number of bytes read; 0: the scanner must read it.
 */
size_t prometheus_read_fast(struct prometheus_reader *r, const char *bytes, size_t len);

#endif
