/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SUBCOMMANDS_CHECK_PRIVATE_H
#define APP_SUBCOMMANDS_CHECK_PRIVATE_H

#include "app/options/options.h"
#include "backends/prometheus/mapping.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/* The data that the metrics engine has of its devices. */
struct check_engine {
	const char *url; /* NULL: there is no engine */
	unsigned devices, heard;
	int64_t newest_us;         /* wall time of the newest sample, 0: none */
	const struct err *err;     /* error of the first device with one; NULL: none */
	unsigned mapped;           /* metrics mapped to counters */
	VEC(const char *) without; /* mapped metrics without a value on any device */
};
/* Fills c, which points into plan, map and model. */
void check_engine_find(struct check_engine *c, const struct plan *plan,
	const struct prometheus_map *map, const struct model *m);
void check_engine_text(const struct check_engine *c, int64_t now_us, FILE *out);
void check_engine_free(struct check_engine *c);

/* The two formats of `railtop check`: the answer of each device, and its missing capabilities. */
bool check_text(const struct model *m, int64_t now_us, FILE *out);
/* d, engine and plan may be NULL. */
bool check_json(const struct model *m, const struct diag *d, const struct check_engine *engine,
	const struct plan *plan, int64_t now_us, FILE *out);

#endif
