/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_WATCHDOG_H
#define DIAGNOSIS_EVIDENCE_WATCHDOG_H

#include "diagnosis/engine/detector.h"

/*
 * The PFC watchdog of a queue as evidence. Some chips count no PFC frames while the watchdog acts,
 * so the counted share of pauses is too low in the middle of a storm.
 */

/* The watchdog's own state if reported, else its counters: fewer restored than detected storms. */
bool watchdog_acts_now(const struct port *p, unsigned prio);
/*
 * True: it detects a storm again nearly as soon as it has restored the queue, over the last
 * sample. The storm itself does not end, whatever the counted share of pauses is.
 */
bool watchdog_detects_again(const struct port *p, unsigned prio);
/*
 * True: the watchdog still blocks the queue although no PFC frame has come in for several times its
 * restoration time. A watchdog that works would have restored it.
 */
bool watchdog_is_stuck(const struct diag_run *r, const struct port *p, unsigned prio);
/*
 * Whether a restart of the port's watchdog can release the queue. False: the port has no PFC on
 * that priority any more, so the watchdog would not start again. Or it runs in the chip ("hw
 * drop"), and the switch refuses its restart while the queue is in a storm.
 */
bool watchdog_reset_helps(const struct port *p, unsigned prio);

#endif
