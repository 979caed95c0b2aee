/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIAGNOSIS_ENGINE_INCIDENTS_H
#define TESTS_DIAGNOSIS_ENGINE_INCIDENTS_H

#include "tests/diagnosis/engine/ring.h"
#include "tests/diagnosis/engine/stand.h"

/*
 * Incidents on the stand, from poll to poll, for tests that compare two readers of the same fabric.
 * From the fourth poll on something happens, from the sixteenth on it is over.
 */
enum incident {
	INCIDENT_FLAP,      /* an uplink goes down and comes back, again and again */
	INCIDENT_STORM,     /* a NIC holds its leaf, and that the spines */
	INCIDENT_STRAGGLER, /* a rank of a job is late */
	INCIDENT_WATCHDOG,  /* it drops a lossless queue */
	INCIDENT_BGP,       /* sessions go down */
	INCIDENT_WIRING,    /* two cables are swapped */
	INCIDENT_MIXED, /* light fades, a GPU fails, devices restart and are silent, corruption */
	INCIDENT_COUNT
};
#define INCIDENT_POLLS 36
const char *incident_name(enum incident which);
/* Applies the events before poll n (from 0) of the stand; r is of ring_make() on it. */
void incident_step(struct stand *s, struct ring *r, enum incident which, unsigned n);

#endif
