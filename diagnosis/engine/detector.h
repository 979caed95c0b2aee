/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_DETECTOR_H
#define DIAGNOSIS_ENGINE_DETECTOR_H

#include "base/state.h"
#include "diagnosis/engine/finding.h"
#include "diagnosis/pause_graph/pause_graph.h"
#include "diagnosis/window/sample_window.h"
#include "fabric/model/model.h"

/*
 * For diagnosis/detectors only. A detector reads the model, the windows and the pause graph, and
 * claims findings. The engine compares the claims of successive runs, opens and closes findings
 * with hysteresis, and explains symptoms by roots. A detector keeps state only behind the pointer
 * diag_run.memory.
 *
 * run() is called in every run, and its claims hold for that run only. Claims about one device
 * (and the far ends of its links) are better made under diag_each_device(). A detector can read
 * claims of earlier detectors, kept ones too (diag_claimed()), and add to them: the addition holds
 * for this run.
 */
struct diag_run {
	const struct model *m;
	int64_t now_us;
	const struct sample_windows *w;
	const struct pause_graph *pauses; /* of this run; it is built before the detectors run */
	struct diag *d;
	void **memory;           /* of this detector: NULL at first; see free_memory */
	const uint32_t *changed; /* devices noted since the last run */
	size_t nchanged;
	/* run() sets it after one part of its work, to be called again. */
	bool again;
};

struct detector {
	const char *name;
	void (*run)(struct diag_run *r);
	void (*free_memory)(void *memory); /* NULL: none */
	/* Serialises the memory (diagnosis/engine/diag_state.h); loading: *memory is NULL at
	 * first. NULL: there is no memory. */
	void (*state)(struct state *s, void **memory, const struct model *m);
	/*
	 * Optional (NULL: none): prepares facts of one device alone for run(): its ports, its
	 * samples, the devices at their other ends. So run() need not visit all ports. Called
	 * before run() for each device that was noted, that has a sample that grew too old, or
	 * when the wiring changed. The result is kept behind *r->memory and is no part of its
	 * state: after loading it is called for all devices. Returns the time until which the
	 * result holds without news; INT64_MAX.
	 */
	int64_t (*digest)(struct diag_run *r, const struct device *d);
};

/*
 * Calls judge for each device that was noted since the last run, and for no other. Its claims are
 * kept and count as claimed in each run, until that device is noted again. So a device without
 * news costs nothing, and the findings of a silent device stay. When the devices at both ends of a
 * link claim the same, the later call counts: it gets the claim empty and fills it completely.
 * Call it once in each run, from run(). False: only some of the devices are done; run() must
 * return at once and is called again.
 */
bool diag_each_device(
	struct diag_run *r, void (*judge)(struct diag_run *r, const struct device *d));

/*
 * Returns this run's claim about id at a place, made if necessary. Role and severity come from the
 * table (ROLE_CULPRIT when it has a prior, else ROLE_RISK). The pointer is valid until the run
 * ends. After 20,000 claims of a run it returns a dummy that is ignored.
 */
struct finding *diag_claim(struct diag_run *r, enum finding_id id, struct ref at);
/*
 * A claim about a link: both ends are one finding. The key uses the end with the lower port id;
 * the place is the port that is to blame, or went down first; peer is the other one. For a port
 * without a known peer it is diag_claim(at_port(port)).
 */
struct finding *diag_claim_link(struct diag_run *r, enum finding_id id, uint32_t blamed);
/* The place that identifies the link's finding in diag_claimed(), diag_open() and finding_key(). */
struct ref diag_link_place(const struct model *m, uint32_t port);
/* A claim of this run or NULL, for detectors that build on others (order of detectors.def). */
struct finding *diag_claimed(struct diag_run *r, enum finding_id id, struct ref at);
/* Iterates over the claims of this run; NULL past the end. */
struct finding *diag_claim_at(struct diag_run *r, size_t i);
/* The finding if it is open from earlier runs, for detectors with a level hysteresis of their own;
 * NULL. */
const struct finding *diag_open(const struct diag_run *r, enum finding_id id, struct ref at);
extern const struct detector *const detector_table[];
extern const size_t detector_count;

#endif
