/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_TREE_H
#define BACKENDS_PARSE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/parse/json_value.h"
#include "backends/parse/optics.h"
#include "backends/parse/number_positions_json.h"

/*
 * JSON that was made for people: leaves with units, words for switches, tables whose depth depends
 * on the release. As in json_value.h, NULL and values of another type are "absent".
 */

/* Follows "link/phy/health"; v itself for "". */
const struct dv *tree_at(const struct dv *v, const char *path);
/* The first of two names that is there. */
const struct dv *tree_either(const struct dv *v, const char *name, const char *other);
/* Row i of a table: {"3": {}}, {kind: {"3": {}}}, or a list of rows with {kind: 3}. */
const struct dv *tree_row(const struct dv *table, const char *kind, unsigned i);

/* A count or a size: 4096, "4096", "153.00 KB". */
bool tree_amount(const struct dv *v, uint64_t *out);
/* A number with the unit, in v or in its member leaf: {"power": "0.86 mW / -0.64 dBm"}. */
enum number tree_reading(const struct dv *v, const char *leaf, const char *unit, double *out);
/* Seconds of "0:00:00.100000"; a bare number counts in bare seconds each. */
bool tree_duration_s(const struct dv *v, double bare, double *seconds);
/* "enable", "enabled", "on", "yes", true. */
bool tree_is_on(const struct dv *v);
/* A word, or the key of an enumeration shown as an object, {"up": {}}; never NULL. */
const char *tree_word(const struct dv *v);
/*
 * A map as observations have it: a digit an entry, '-' where the table has no row or no number
 * below 8 in the row's leaf; false when it has none at all. n entries and a NUL.
 */
bool tree_map(const struct dv *table, const char *kind, const char *leaf, unsigned n, char *map);

struct tree_count {
	const char *path; /* "rx-stats/rx-pfc-stats/pause-packets" */
	enum counter_id id;
};
/*
 * Adds the counts that are there. Those that are not are said to be unsupported when v has members
 * and absent is set: a port that shows other counters lacks these. s: see
 * backends/parse/number_positions.h.
 */
void tree_counts(struct slots *s, struct obs *o, uint32_t port, unsigned sub, const struct dv *v,
	const struct tree_count *table, size_t n, bool absent);

/*
 * The four limits of a reading, when they are beside it: "low-alarm-threshold",
 * "high-warning-thresh" and so on. True when there was one.
 */
bool tree_limits(
	struct obs *o, uint32_t port, enum obs_attr attr, const struct dv *v, const char *unit);

/*
 * The answers of a shell's loop: a line "@swp1", then what was printed for it. Calls each() with
 * the JSON of it, or NULL and its first line where it is none. The number of such lines.
 */
size_t tree_blocks(const char *bytes, size_t len,
	void (*each)(void *ctx, const char *name, const struct dv *v, const char *complaint),
	void *ctx);

#endif
