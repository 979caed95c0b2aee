/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_HISTORY_H
#define FABRIC_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/vocabulary/counter.h"

/*
 * History of the charted counters (counter_charted()), in memory. Each poll is kept for
 * HISTORY_FINE_US (and at least the newest HISTORY_LEN polls), sums of HISTORY_STEP_US for an
 * hour. A port that was not green within that hour keeps every poll of it. Growth is kept as it
 * was counted, so rates are exact and sums lose nothing; a gap stays a gap.
 *
 * All histories share one budget. When it is too small, histories of green ports shrink first and
 * those of other ports last; only the oldest data is dropped. history_kept() tells the extent for
 * a port, history_status() for the fabric.
 */
#define HISTORY_LEN      120 /* samples of a sparkline */
#define HISTORY_FINE_US  (INT64_C(900) * 1000000)
#define HISTORY_STEP_US  (INT64_C(30) * 1000000)
#define HISTORY_WHOLE_US (INT64_C(3600) * 1000000)

/* Budget in bytes without a setting: at least this, see history_budget_of(). */
#define HISTORY_BUDGET       UINT64_C(512000000)
#define HISTORY_BUDGET_LEAST UINT64_C(16000000) /* minimum that a user may set */

struct model;
struct port;

/* Rates per second as a ring, newest at (next - 1). NAN marks a gap. */
struct history {
	uint16_t next, used;
	float at[HISTORY_LEN];
};
/* False: the counter is not charted there, or has not moved yet. */
bool port_charted(const struct port *p, counter_id id, unsigned sub);
/* The newest samples. False as above. */
bool port_history(const struct port *p, counter_id id, unsigned sub, struct history *out);

/* The same for every counter of one port at once: one read costs as much as all. */
struct history_set;
struct history_set *history_set_new(void);
void history_set_free(struct history_set *set);
/* Cheap for the port that was read last. The model must not have changed since. */
void history_set_read(struct history_set *set, const struct port *p);
/* Samples of the port that was read, oldest first; *n is their number. NULL: as above. */
const float *history_set_of(struct history_set *set, counter_id id, unsigned sub, unsigned *n);

/* A stretch of time. Rates per second; NAN: nothing is known. */
struct history_column {
	float least, mean, most;
	bool gap;    /* part of it is not known */
	bool coarse; /* made of sums: least and most are of means over up to HISTORY_STEP_US */
};
/*
 * Fills n columns of width_us each; the last one ends at end_us (wall time). False, and every
 * column unknown, as above.
 */
bool history_columns(const struct port *p, counter_id id, unsigned sub, int64_t end_us,
	int64_t width_us, struct history_column *out, unsigned n);

/*
 * The mean rate of the HISTORY_RECENT_US before the port's newest poll, or of the part of it that
 * is known. Without a history of the counter its newest rate. NAN: unknown.
 */
#define HISTORY_RECENT_US (INT64_C(60) * 1000000)
double history_recent(const struct port *p, counter_id id, unsigned sub);

/* The extent of a port's history. Wall times; 0: nothing. */
struct history_kept {
	int64_t since_us;  /* the first sample ever taken */
	int64_t coarse_us; /* the oldest sum */
	int64_t fine_us;   /* the oldest poll */
	bool whole;        /* every poll is kept: it was not green, or is pinned */
};
struct history_kept history_kept(const struct model *m, const struct port *p, int64_t now_us);

/*
 * Puts the staged past of devices from a metrics engine into the histories. It comes as batches
 * with request REQUEST_HISTORY, one per moment, oldest first, staged by model_apply(). Only
 * stretches without data are filled: samples of the session itself never change.
 *
 * model_age() calls this, so that a replay of the same batches has the same histories. A caller
 * with other work calls it earlier, for `ports` ports at a time, and applies nothing in between.
 * True: all ports are settled.
 */
bool model_history_settle(struct model *m, size_t ports);

/*
 * Pins a port: it counts as not green, so every poll is kept for an hour and its history shrinks
 * last. The pin is part of the model's state. Fails (ERR_LIMIT) beyond HISTORY_PINS ports.
 */
#define HISTORY_PINS 256
bool history_pin(struct model *m, struct port *p, bool on, struct err *err);

struct history_status {
	uint64_t budget, used; /* bytes */
	unsigned squeeze; /* 0: the budget suffices; each step halves the history of some ports */
	/* The most that is kept of green ports and of the others. */
	int64_t green_fine_us, green_us, other_fine_us, other_us;
};
struct history_status history_status(const struct model *m);
/*
 * Sets the budget in bytes. 0, the default: history_budget_of() the current number of ports. Takes
 * effect with the next batch. Each port with a history has two blocks.
 */
void history_set_budget(struct model *m, uint64_t bytes);
/*
 * Default budget for that many ports. HISTORY_BUDGET holds an hour of 24,384 ports with half as
 * much to spare. Larger fabrics get 2 kB a port and half of that in addition. So 613,184 ports
 * stay within 4 GB with the model and the diagnosis (tests/bench/history/README.md). A fixed
 * amount would be less than the two blocks that each port has.
 */
uint64_t history_budget_of(size_t ports);

#endif
