/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_RECURRENCE_H
#define DIAGNOSIS_EVIDENCE_RECURRENCE_H

#include "diagnosis/engine/finding.h"
#include "fabric/history/history.h"

/*
 * Trouble that comes back: its bursts within the history of a port, and their rhythm. A rhythm
 * names its source: checkpoints write to storage, steps of a job move its traffic, a timer moves
 * neither.
 */
enum recurs_with {
	RECURS_ALONE,
	RECURS_STORAGE, /* the host's storage traffic has the same period */
	RECURS_TRAFFIC, /* the port's traffic has it */
};

struct recurrence {
	unsigned bursts; /* beginnings that were seen; one at the edge of what is known counts */
	double known_s;  /* how much of the last hour is known */
	double period_s; /* from one beginning to the next; NAN: no rhythm */
	enum recurs_with with;
};

/* Columns of width_s, oldest first. A burst reaches half of the largest value, and floor. */
void recurrence_of(const struct history_column *c, unsigned n, double width_s, double floor,
	struct recurrence *out);

/*
 * Of a finding at a port: its pauses, or the times that its link went down. False: there is no
 * such history, or fewer than two bursts. It reads an hour of history: for what is shown, not for
 * each poll.
 */
bool finding_recurrence(
	const struct model *m, const struct finding *f, int64_t now_us, struct recurrence *out);
/* "12 times in 15 min, every 62 s, as the writes to storage". */
char *recurrence_words(const struct recurrence *r, char *dst, size_t size);
const char *recurs_with_name(enum recurs_with w); /* "storage", "traffic", "nothing" */

#endif
