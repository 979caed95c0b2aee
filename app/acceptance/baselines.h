/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_ACCEPTANCE_BASELINES_H
#define APP_ACCEPTANCE_BASELINES_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "fabric/vocabulary/types.h"

/*
 * The site's baselines: results of perftest on good hosts, a JSON object a line. railtop(1),
 * ACCEPTANCE, has its members.
 */
#define BASELINES_SCHEMA 1
struct baseline {
	char test[24]; /* "ib_write_bw" */
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	unsigned speed_mbps; /* of the port then; 0: unknown */
	double value;
	int64_t wall_us;
};
typedef VEC(struct baseline) baseline_vec;

/* ERR_CONFIG with the line where the file is not as described; ERR_IO. Appends to out. */
bool baselines_read(const char *path, baseline_vec *out, struct err *err);
/* Rewrites the file with its old lines and these behind them. unit: by test, "Gb/s". */
bool baselines_store(const char *path, const baseline_vec *more, struct err *err);

/*
 * The baseline of a port: the median of its last 5 results; else that of all ports
 * of its speed, the last of each. NAN: there is none. source: "this port before (3)", "12 ports of
 * 400 Gb/s".
 */
double baseline_of(const baseline_vec *v, const struct baseline *now, char *source, size_t size);

#endif
