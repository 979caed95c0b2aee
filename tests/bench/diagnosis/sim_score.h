/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_SIM_SCORE_H
#define TESTS_BENCH_DIAGNOSIS_SIM_SCORE_H

#include <jansson.h>

#include "tests/bench/diagnosis/bed.h"

/*
 * Findings against the truth of an emulated fabric. A fault counts as found when a finding with its
 * name is open at its place in two polls of its time; the first finding of the list is the verdict.
 * A fault set beside a load (no marking, no PFC) is found at the load's place too.
 */
#define SIM_FAULTS 8

struct sim_fault_score {
	char class[32];
	double from_s, to_s; /* of the run's clock */
	unsigned polls, found, first, first_class;
	double stable_s; /* from when on the first finding was right to the end of the fault; NAN */
};

struct sim_score {
	struct sim_fault_score fault[SIM_FAULTS];
	unsigned nfaults, victim_first;
	bool unseen;               /* neither end of the place of any fault reports anything */
	unsigned incidents, right; /* culprits that stood for two polls */
	unsigned top_polls, top_right,
		top_class; /* while a fault was on and its second poll past */
	double stable_s;   /* from the first fault's start until the verdict stayed right; NAN */
	char other[120];   /* the last verdict with another name than the fault's, "" */
	struct seen *seen; /* private */
	size_t nseen;
};

/* Findings close after six quiet samples; two more for the poll that is under way. */
#define SIM_AFTER_S 45.0

/* Whether a fault of the truth is on at now_s, or ended less than after seconds before. */
bool sim_fault_on(const json_t *fault, double now_s, double after);
/* Whether the finding is at the fault, or at the load that shows the wrong setting. */
bool sim_fault_at(
	const struct model *m, const struct finding *f, const json_t *fault, const json_t *faults);
/* Whether a finding of that id is a right name for a fault of the class. */
bool sim_fault_called(const char *class, enum finding_id id);

/* One poll: truth as of now, now_s since the start. */
void sim_score_poll(struct sim_score *s, const struct bed *b, const json_t *truth, double now_s);
/* Counts incidents; frees. list (may be NULL) gets a line for each wrong one. */
void sim_score_end(
	struct sim_score *s, const struct bed *b, void (*wrong)(const char *text, size_t n));

#endif
