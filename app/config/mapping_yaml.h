/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_MAPPING_YAML_H
#define APP_CONFIG_MAPPING_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/prometheus/mapping.h"
#include "base/err.h"

/*
 * Reads mapping files (man/railtop-mapping.5). All problems of a file are reported in one run. Each
 * message has the file, the line, the place in the file, the error and the allowed values.
 */
#define MAPPING_FILE_MAX ((size_t)1 << 20) /* limit of a file in bytes */

/* Receives one problem, in order of lines; print it with err_format(). */
typedef void (*mapping_report)(void *ctx, const struct err *problem);

/*
 * Adds the rules of one file, given as text, to map. name: the file in messages. False when there
 * was a problem; the caller must then free the map. report may be NULL.
 */
bool mapping_parse(const char *name, const char *text, size_t len, struct prometheus_map *map,
	mapping_report report, void *ctx);

/*
 * Reads a comma-separated list of mappings. Each is an embedded one ("railtop", "node_exporter") or
 * a file, which has a slash or a dot in its name and is relative to dir. list NULL: "railtop". The
 * caller frees the result. NULL with the first problem in err.
 */
struct prometheus_map *mapping_read(const char *list, const char *dir, struct err *err);

#endif
