/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_OBSERVATIONS_H
#define EMULATOR_OBSERVATIONS_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "emulator/sim/sim.h"

/*
 * The run as observation JSON lines (the contract of railtop --observations): what the hardware
 * holds, not what a platform shows of it. Taken at exact device times, so that the same seed and
 * faults write the same file whatever else is asked meanwhile.
 */
struct observations;

struct observations_opts {
	struct sim *sim;
	const char *path;    /* "-": standard output */
	FILE *file;          /* NULL; else written instead of path, and left open at the end */
	int64_t start_us;    /* sim_opts.start_us */
	double speed;        /* sim_opts.speed */
	int64_t interval_us; /* of device time */
};

/* ERR_IO names the file when it cannot be created. */
struct observations *observations_new(const struct observations_opts *o, struct err *err);
/* Writes what is buffered. *err (may be NULL) says when some of it was lost. */
bool observations_close(struct observations *w, struct err *err);
/*
 * Advances the sim to every time of observation up to wall time wall_us, and writes what is there.
 * To be called before the sim is advanced beyond. A write error ends the file, and nothing else;
 * it is reported once, on standard error.
 */
void observations_run(struct observations *w, int64_t wall_us);
/* One observation at wall time wall_us, whatever the interval is. */
void observations_take(struct observations *w, int64_t wall_us);
/* Wall time of the next observation; INT64_MAX after an error. */
int64_t observations_next(const struct observations *w);

#endif
