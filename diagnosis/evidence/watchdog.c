/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/watchdog.h"

#include "base/str.h"
#include "diagnosis/evidence/cells.h"
#include "fabric/vocabulary/counters.h"

/* SONiC's defaults, for devices that report no timers. */
#define DETECT_MS  200
#define RESTORE_MS 200
/*
 * Detections take at least this share of the time in which they could follow each other. The rest
 * is the watchdog's own poll interval (sonic-buildimage 29203: 624 ms for timers of 200 and 200
 * ms).
 */
#define AGAIN_SHARE 0.5
/* A watchdog that works restores within one restoration time and a poll. */
#define STUCK_TIMES 3
#define STUCK_US    (INT64_C(5) * 1000000)

static bool is_reported(const struct port *p, enum counter_id id, unsigned prio)
{
	const struct cell *c = port_cell(p, id, prio);

	return c && c->valid == VALID_OK;
}

bool watchdog_acts_now(const struct port *p, unsigned prio)
{
	if (p->wd[prio].state != WD_UNKNOWN)
		return p->wd[prio].state == WD_STORMED;
	return is_reported(p, CTR_PFCWD_STORM_DETECTED, prio) &&
	       is_reported(p, CTR_PFCWD_STORM_RESTORED, prio) &&
	       port_cell(p, CTR_PFCWD_STORM_DETECTED, prio)->u64 >
		       port_cell(p, CTR_PFCWD_STORM_RESTORED, prio)->u64;
}

bool watchdog_detects_again(const struct port *p, unsigned prio)
{
	const struct watchdog *w = &p->wd[prio];
	double detect = w->detect_ms ? w->detect_ms : DETECT_MS;
	double restore = w->restore_ms ? w->restore_ms : RESTORE_MS;
	double rate = cell_rate(p, CELL_PFCWD_STORM_DETECTED + prio);

	return rate * (detect + restore) / 1000 >= AGAIN_SHARE;
}

bool watchdog_is_stuck(const struct diag_run *r, const struct port *p, unsigned prio)
{
	uint32_t restore = p->wd[prio].restore_ms ? p->wd[prio].restore_ms : RESTORE_MS;
	int64_t least = STUCK_TIMES * INT64_C(1000) * restore;

	if (!watchdog_acts_now(p, prio) || port_rate(p, CTR_PFCWD_STORM_DETECTED, prio) > 0)
		return false;
	if (!p->pfc_quiet_us)
		return true;
	return r->now_us - p->pfc_quiet_us >= (least > STUCK_US ? least : STUCK_US);
}

bool watchdog_reset_helps(const struct port *p, unsigned prio)
{
	if (str_starts(p->wd[prio].action, "hw "))
		return false;
	return !(p->pfc_enabled & 0x100) || p->pfc_enabled & 1U << prio;
}
