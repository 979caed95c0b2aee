/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_DETECTOR_H
#define DIAGNOSIS_ENGINE_DETECTOR_H

#include "base/state.h"
#include "diagnosis/engine/finding.h"
#include "diagnosis/pause_graph/pause_graph.h"
#include "diagnosis/window/sample_window.h"
#include "fabric/model/model.h"

/*
 * For diagnosis/detectors only. A detector looks at the model, the windows and the pause graph,
 * and claims what it finds. The engine compares the claims of successive runs, opens and closes
 * findings with hysteresis, and explains away. A detector keeps no state of its own but what it
 * puts behind a pointer of struct detector_memory.
 *
 * run() is called in every run: what it claims holds for that run only. What follows from one
 * device (and the far ends of its links) is better claimed under diag_each_device().
 * Claims of earlier detectors, kept ones too, can be asked for (diag_claimed()) and added to: that
 * addition is of this run.
 */
struct diag_run {
	const struct model *m;
	int64_t now_us;
	const struct windows *w;
	const struct pause_graph *pauses; /* of this run, detectors come after it */
	struct diag *d;
	void **memory;           /* of this detector: NULL at first; see free_memory */
	const uint32_t *changed; /* devices that were noted since the last run */
	size_t nchanged;
	/* run() sets it: it has done a part, and is to be called again. */
	bool again;
};

struct detector {
	const char *name;
	void (*run)(struct diag_run *r);
	void (*free_memory)(void *memory); /* NULL: none */
	/* Visits what is remembered (diagnosis/engine/diag_state.h); loading: *memory is NULL at
	 * first. NULL: nothing is remembered. */
	void (*state)(struct state *s, void **memory, const struct model *m);
	/*
	 * What follows from one device alone - its ports, its samples, who is at their other ends -
	 * for run() to put together without going through all ports. Called before run() for each
	 * device that was noted, of which a sample grew too old, or when wiring changed. Kept
	 * behind *r->memory, and no part of its state: after loading it is called for all. Returns
	 * until when it holds if nothing new comes; INT64_MAX. NULL: there is none.
	 */
	int64_t (*digest)(struct diag_run *r, const struct device *d);
};

/*
 * Calls judge for each device that was noted since the last run, and for no other: what it claims
 * is kept, and counts as claimed in each run, until that device is noted again. So it costs nothing
 * while a device brings nothing new, and the findings of a device that has gone silent stay. When
 * the devices at both ends of a link claim the same, the later call counts: it is given the claim
 * empty and says all of it. To be called in each run, and once: from run(). False: these were some
 * of the devices, run() is to return at once and is called again.
 */
bool diag_each_device(
	struct diag_run *r, void (*judge)(struct diag_run *r, const struct device *d));

/*
 * The claim of this run about id at a place: made, or the one that was made already. Role and
 * severity are set from the table (ROLE_CULPRIT when it has a prior, else ROLE_RISK). The pointer
 * is good until the run ends. Beyond 20,000 claims of a run it is a place that nobody looks at.
 */
struct finding *diag_claim(struct diag_run *r, enum finding_id id, struct ref at);
/*
 * Both ends of a link are one finding: the key is that of the end with the lower port id, the place
 * is the port that is to blame, or went first; peer is the other one. For a port whose peer is not
 * known it is diag_claim(at_port(port)).
 */
struct finding *diag_claim_link(struct diag_run *r, enum finding_id id, uint32_t blamed);
/* The place that diag_claimed(), diag_open() and finding_key() know the link's finding by. */
struct ref diag_link_place(const struct model *m, uint32_t port);
/* A claim of this run or NULL; for detectors that build on others (order of detectors.def). */
struct finding *diag_claimed(struct diag_run *r, enum finding_id id, struct ref at);
/* Walks the claims of this run; NULL past the end. */
struct finding *diag_claim_at(struct diag_run *r, size_t i);
/* Whether the finding is open from earlier runs: where a detector has its own hysteresis of level.
 */
const struct finding *diag_open(const struct diag_run *r, enum finding_id id, struct ref at);
extern const struct detector *const detector_table[];
extern const size_t detector_count;

#endif
