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
 * Access to JSON intended for display: leaves with units, words for booleans, tables with a depth
 * that depends on the release. As in json_value.h, NULL and values of another type are "absent".
 */

/* Follows a path "link/phy/health"; returns v itself for "". */
const struct json_value *tree_at(const struct json_value *v, const char *path);
/* Returns the member `name`, or else `other`. */
const struct json_value *tree_either(
	const struct json_value *v, const char *name, const char *other);
/* Returns row i of a table: {"3": {}}, {kind: {"3": {}}}, or a list of rows with {kind: 3}. */
const struct json_value *tree_row(const struct json_value *table, const char *kind, unsigned i);

/* Reads a count or a size: 4096, "4096", "153.00 KB". */
bool tree_amount(const struct json_value *v, uint64_t *out);
/* Reads a number with the unit, in v or in its member leaf: {"power": "0.86 mW / -0.64 dBm"}. */
enum number tree_reading(
	const struct json_value *v, const char *leaf, const char *unit, double *out);
/* Reads a duration "0:00:00.100000" in seconds; `bare` is the unit of a bare number, in seconds. */
bool tree_duration_s(const struct json_value *v, double bare, double *seconds);
/* True for "enable", "enabled", "on", "yes", true. */
bool tree_is_on(const struct json_value *v);
/* True for "disable", "disabled", "off", "no", false. A value is neither if it cannot be read. */
bool tree_is_off(const struct json_value *v);
/* Returns a word, or the key of an enumeration shown as an object, {"up": {}}; never NULL. */
const char *tree_word(const struct json_value *v);
/*
 * Writes a map in the form of observations: one digit per entry, '-' if the table has no row or the
 * row's leaf has no number below 8. n entries and a NUL. False: no entry has a number.
 */
bool tree_map(
	const struct json_value *table, const char *kind, const char *leaf, unsigned n, char *map);

struct tree_count {
	const char *path; /* "rx-stats/rx-pfc-stats/pause-packets" */
	counter_id id;
};
/*
 * Adds the counts that are present. With absent set, missing counts of a port with other members in
 * v are reported as unsupported. s: see backends/parse/number_positions.h.
 */
void tree_counts(struct number_positions *s, struct obs *o, uint32_t port, unsigned sub,
	const struct json_value *v, const struct tree_count *table, size_t n, bool absent);

/*
 * Adds the four limits of a reading, if they are next to it: "low-alarm-threshold",
 * "high-warning-thresh" and so on. True: there was at least one.
 */
bool tree_limits(struct obs *o, uint32_t port, enum obs_attr attr, const struct json_value *v,
	const char *unit);

/*
 * Reads the output of a shell loop: a line "@swp1", then the output for that port. Calls each()
 * with its JSON, or with NULL and its first line if it is not JSON. Returns the number of such
 * lines.
 */
size_t tree_blocks(const char *bytes, size_t len,
	void (*each)(
		void *ctx, const char *name, const struct json_value *v, const char *complaint),
	void *ctx);

#endif
