/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_OBSERVATIONS_H
#define EMULATOR_OBSERVATIONS_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "emulator/sim/sim.h"

/*
 * Records the run as observation JSON lines (the contract of railtop --observations). The values
 * are those of the hardware, not those that a platform shows. They are taken at exact device times:
 * the same seed and faults always write the same file, independent of other requests.
 */
struct observations;

struct observations_opts {
	struct sim *sim;
	const char *path; /* "-": standard output */
	FILE *file; /* NULL: path is used; else written instead of path, and left open at the end */
	int64_t start_us;    /* sim_opts.start_us */
	double speed;        /* sim_opts.speed */
	int64_t interval_us; /* of device time */
	uint64_t most;       /* bytes of a file; 0: OBSERVATIONS_MOST */
};
#define OBSERVATIONS_MOST (UINT64_C(4) << 30)

/* ERR_IO names the file when it cannot be created. */
struct observations *observations_new(const struct observations_opts *o, struct err *err);
/*
 * Writes the buffered lines. Fails if some of them were lost; *err (may be NULL) then has the
 * reason.
 */
bool observations_close(struct observations *w, struct err *err);
/*
 * Advances the sim to the next time of observation if wall time wall_us has reached it, and writes
 * it: one at most, so that a machine that is too slow for the fabric still answers signals. Returns
 * the wall time up to which the sim may be advanced: the fabric's time falls behind rather than
 * leave one out. A write error only ends the file; it is reported once, on standard error.
 */
int64_t observations_run(struct observations *w, int64_t wall_us);
/* One observation at wall time wall_us, whatever the interval is. */
void observations_take(struct observations *w, int64_t wall_us);
/* Wall time of the next observation; INT64_MAX after an error. */
int64_t observations_next(const struct observations *w);

#endif
