/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_GAUGES_H
#define FABRIC_HISTORY_GAUGES_H

#include "fabric/history/history.h"

/*
 * The last hour of readings: light, temperature, bit error ratios, queue depth, watermarks. One
 * value per HISTORY_STEP_US, the newest of it; each series has GAUGE_BYTES. A reading stands until
 * the next one if that comes within GAUGE_HOLD_US, else there is a gap. Nothing of it is saved: a
 * model that was loaded begins anew.
 */
#define GAUGE_STEPS   ((unsigned)(HISTORY_WHOLE_US / HISTORY_STEP_US))
#define GAUGE_HOLD_US (INT64_C(600) * 1000000)
#define GAUGE_BYTES   512

/* Memory for all of them, in bytes; series beyond it are not kept. */
#define GAUGE_BUDGET (UINT64_C(32) << 20)

struct history_store;

/* Whether readings of it are kept: not of what only a rebuild changes. */
bool gauge_charted(counter_id id);
/* Keeps a reading of a port at wall time at_us. */
void gauge_note(struct history_store *h, uint32_t port, uint16_t cell, double value, int64_t at_us);
/* Whether a port has readings of it. */
bool gauge_known(const struct model *m, const struct port *p, counter_id id, unsigned sub);
/* As history_columns(), with the readings themselves: least, mean and most are equal. */
bool gauge_columns(const struct model *m, const struct port *p, counter_id id, unsigned sub,
	int64_t end_us, int64_t width_us, struct history_column *out, unsigned n);

#endif
