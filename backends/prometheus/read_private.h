/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_READ_PRIVATE_H
#define BACKENDS_PROMETHEUS_READ_PRIVATE_H

#include "backends/prometheus/read.h"

/* Private to backends/prometheus/read*.c and series_index*.c. */

void engine_labels_begin(struct engine_reader *r);
/* A label, both bounds seen to; false: it is too much. */
bool engine_labels_put(struct engine_reader *r, const char *name, size_t name_len,
	const char *value, size_t value_len);
/* Of labels as they are in JSON without blanks: "name":"value",... */
uint64_t engine_labels_hash(uint64_t seed, const char *text, size_t len);
/* A series of that hash begins; what is known of it. */
enum engine_seen engine_series_seen(struct engine_reader *r, uint64_t hash);
/* Its labels are there, as of series(): whether its samples are wanted. */
void engine_series_named(
	struct engine_reader *r, enum engine_seen seen, const char *raw, size_t len);
void engine_series_over(struct engine_reader *r);

/*
 * Reads a series that is whole in these bytes and written as servers write them, without blanks and
 * escapes. Returns how many bytes it took; 0: the scanner has to read it.
 */
size_t engine_read_fast(struct engine_reader *r, const char *bytes, size_t len);

#endif
