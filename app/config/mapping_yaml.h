/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_MAPPING_YAML_H
#define APP_CONFIG_MAPPING_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/prometheus/mapping.h"
#include "base/err.h"

/*
 * Mapping files (man/railtop-mapping.5) to rules. All problems of a file are found in one go, each
 * with file, line, the place in the file, what is wrong, and what is allowed.
 */
#define MAPPING_FILE_MAX ((size_t)1 << 20) /* bytes of a file, larger ones are refused */

/* Receives one problem, in order of lines; print it with err_format(). */
typedef void (*mapping_report)(void *ctx, const struct err *problem);

/*
 * Adds the rules of one file, given as text, to map; name stands for the file in messages. False
 * when there was any problem; the map then is to be freed. report may be NULL.
 */
bool mapping_parse(const char *name, const char *text, size_t len, struct engine_map *map,
	mapping_report report, void *ctx);

/*
 * The mappings of a comma-separated list: names of embedded ones ("railtop", "node_exporter"), or
 * files (what has a slash or a dot), relative to dir. NULL is "railtop". NULL with the
 * first problem in err.
 */
struct engine_map *mapping_read(const char *list, const char *dir, struct err *err);

#endif
