/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_HISTORY_H
#define FABRIC_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/vocabulary/counter.h"

/*
 * History of the charted counters (counter_charted()), in memory. What each poll saw is kept for
 * HISTORY_FINE_US (and at least the newest HISTORY_LEN polls), sums of HISTORY_STEP_US for an hour.
 * A port that was not green within that hour keeps every poll of it. Growth is kept as it was
 * counted, so rates are exact and sums lose nothing; a gap stays a gap.
 *
 * All of it has a budget. Where that is too small, what is kept of green ports grows shorter first,
 * what is kept of the others last; never is anything but the oldest dropped. history_kept() says
 * what a port has, history_status() how the whole stands.
 */
#define HISTORY_LEN      120 /* samples of a sparkline */
#define HISTORY_FINE_US  (INT64_C(900) * 1000000)
#define HISTORY_STEP_US  (INT64_C(30) * 1000000)
#define HISTORY_WHOLE_US (INT64_C(3600) * 1000000)

/* Bytes, unless something else is said: the least, or as below where that is more. */
#define HISTORY_BUDGET       UINT64_C(512000000)
#define HISTORY_BUDGET_LEAST UINT64_C(16000000) /* that a user may ask for */

struct model;
struct port;

/* Rates per second as a ring, newest at (next - 1). NAN marks a gap. */
struct history {
	uint16_t next, used;
	float at[HISTORY_LEN];
};
/* False: the counter is not charted there, or has not moved yet. */
bool port_charted(const struct port *p, enum counter_id id, unsigned sub);
/* The newest samples. False as above. */
bool port_history(const struct port *p, enum counter_id id, unsigned sub, struct history *out);

/* The same of every counter of one port at once: what is dear is reading, not how much of it. */
struct history_set;
struct history_set *history_set_new(void);
void history_set_free(struct history_set *set);
/* Cheap when it is the port that was read last; the model must not have changed since. */
void history_set_read(struct history_set *set, const struct port *p);
/* Samples of the port that was read, oldest first, *n of them; NULL: as above. */
const float *history_set_of(struct history_set *set, enum counter_id id, unsigned sub, unsigned *n);

/* A stretch of time: rates per second, NAN where nothing is known of it. */
struct history_column {
	float least, mean, most;
	bool gap;    /* something in it is not known */
	bool coarse; /* made of sums: least and most are of means over up to HISTORY_STEP_US */
};
/*
 * n columns of width_us each; the last one ends at end_us (wall time). False, and all unknown, as
 * above.
 */
bool history_columns(const struct port *p, enum counter_id id, unsigned sub, int64_t end_us,
	int64_t width_us, struct history_column *out, unsigned n);

/* What is kept of a port. Wall times; 0: nothing. */
struct history_kept {
	int64_t since_us;  /* the first that ever was */
	int64_t coarse_us; /* the oldest sum */
	int64_t fine_us;   /* the oldest poll */
	bool whole;        /* every poll is kept: it was not green, or is pinned */
};
struct history_kept history_kept(const struct model *m, const struct port *p, int64_t now_us);

/*
 * What a metrics engine has of a device's past: batches with request REQUEST_HISTORY, one a moment,
 * oldest first, staged by model_apply(). This puts the growth between them into the histories,
 * where nothing is known yet: what the session saw itself is never touched. model_age() does it, so
 * that who applies and judges the same has the same histories. Who has other things to do does it
 * before, so many ports at a time, without applying anything in between; true: all.
 */
bool model_history_settle(struct model *m, size_t ports);

/*
 * A pinned port is treated as one that is not green: every poll of it is kept for an hour, and it
 * is squeezed last. The pin is part of the model's state. Fails (ERR_LIMIT) beyond HISTORY_PINS
 * ports.
 */
#define HISTORY_PINS 256
bool history_pin(struct model *m, struct port *p, bool on, struct err *err);

struct history_status {
	uint64_t budget, used; /* bytes */
	unsigned squeeze;      /* 0: there is enough; each more halves what is kept of some */
	/* What is kept at most of green ports and of the others. */
	int64_t green_fine_us, green_us, other_fine_us, other_us;
};
struct history_status history_status(const struct model *m);
/*
 * Bytes, 0: history_budget_of() the ports that there are, which is so unless something else is
 * said. Takes effect with what is applied next. Each port that has a history has two blocks.
 */
void history_set_budget(struct model *m, uint64_t bytes);
/*
 * HISTORY_BUDGET is an hour of 24,384 ports with half as much to spare. Larger fabrics have 2 kB a
 * port and a half of that, so that 613,184 ports stay within 4 GB with the model and what is judged
 * (tests/bench/history/README.md): a fixed amount would be less than the two blocks that each port
 * has.
 */
uint64_t history_budget_of(size_t ports);

#endif
