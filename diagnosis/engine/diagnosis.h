/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_DIAGNOSIS_H
#define DIAGNOSIS_ENGINE_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "diagnosis/engine/finding.h"
#include "diagnosis/pause_graph/pause_graph.h"
#include "diagnosis/engine/verdict.h"
#include "fabric/model/model.h"

/*
 * Diagnosis: separates causes from victims. It reads the model and adds a few samples of each
 * port, onsets, and the open findings. No I/O, no clock, one thread.
 *
 *   diag_note()  after each applied batch: takes the new samples of that device. Cost: its ports.
 *   diag_run()   when there is news: symptoms -> pause graph -> NCCL -> claims of the detectors
 *                (diagnosis/engine/detectors.def) -> explaining away -> hysteresis -> order.
 */
struct diag;

struct diag *diag_new(void);
void diag_free(struct diag *d); /* NULL is allowed */

/* now_us: wall time of the batch. */
void diag_note(struct diag *d, const struct model *m, uint32_t device, int64_t now_us);
/* Judges the devices noted since the last run; cheap without any. Finishes a run in steps first. */
void diag_run(struct diag *d, const struct model *m, int64_t now_us);
/*
 * The same in steps, for a thread that serves a terminal. Begins or continues a run until about
 * budget_us of CPU time are spent, with one step at least. A step is a part of the pause graph, a
 * detector, the roots, or the verdict. True: the run is over. Findings and verdict change in the
 * last two steps only. The model must not change during a run (nothing applied or noted). Then the
 * result equals that of diag_run() at the time of the first call.
 */
bool diag_run_some(struct diag *d, const struct model *m, int64_t now_us, int64_t budget_us);

/*
 * The open findings, most likely root first: roots by rank, each followed by the findings that it
 * explains. Valid until the next diag_run(). Acknowledged ones come last within their role.
 */
const struct finding *const *diag_findings(const struct diag *d, size_t *n);
const struct finding *diag_finding(
	const struct diag *d, uint64_t key); /* NULL: closed or unknown */
/* The open findings of one port or device, and those with it as a member. */
size_t diag_findings_at(const struct diag *d, const struct model *m, struct ref at,
	const struct finding **out, size_t max);
/* Closed findings, newest first (a ring of 256 copies). */
const struct finding *diag_closed(const struct diag *d, size_t i, int64_t *closed_us);
/* Grows when a finding opens, closes or changes its severity, role or root. */
uint64_t diag_generation(const struct diag *d);

/* A longer time is a setting, not an acknowledgement. */
#define DIAG_ACK_MOST_US (INT64_C(14) * 86400 * 1000000)

/*
 * Acknowledges a finding: it sinks below the others until until_us. It returns when it gets more
 * severe, or when it closed and opens again. user and note may be "".
 */
bool diag_ack(struct diag *d, uint64_t key, int64_t now_us, int64_t until_us, const char *user,
	const char *note, struct err *err);
bool diag_unack(struct diag *d, uint64_t key, struct err *err);

/* State after the last run. */
const struct pause_graph *diag_pauses(const struct diag *d);
const struct verdict_report *diag_verdict(const struct diag *d);
/* CPU time of the last run, for benches and the status page. Notes are not timed: that would cost
 * two system calls a device. */
struct diag_cost {
	int64_t run_us;
	int64_t step_us; /* the longest step of the last run */
	uint64_t runs, notes;
};
struct diag_cost diag_cost(const struct diag *d);

#endif
