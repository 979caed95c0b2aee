/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_STRAGGLER_H
#define DIAGNOSIS_STRAGGLER_STRAGGLER_H

#include "base/vec.h"
#include "fabric/model/model.h"
#include "fabric/ref.h"

/*
 * Straggler analysis of the operations of one communicator: late ranks, slow edges, and ranks that
 * merely wait.
 *   own gap: enter(k) - exit(k-1) of the same process, over all of its rails. Never enter - median:
 *            a rank that left the last operation late because of the network enters late, too.
 *   slow edge: time of a send step against all edges of the same operation.
 *   If only durations are reported: the late rank has the shortest, because the others wait for it.
 */
enum straggler_kind {
	STRAGGLER_LATE,     /* enters late by its own gap */
	STRAGGLER_EDGE,     /* rank -> peer is slow; peer -1: the rank, to all others */
	STRAGGLER_BEHIND,   /* has launched fewer operations than the others */
	STRAGGLER_MISSING,  /* does not answer, or is dead */
	STRAGGLER_SLOW_ALL, /* all ranks equally: slower than the same operation before */
	STRAGGLER_STUCK,    /* all ranks launched the same operation, and none advances */
	STRAGGLER_LAGS,     /* one operation behind in answer after answer: see lag.h */
};
struct straggler {
	enum straggler_kind kind;
	uint32_t comm;
	int32_t rank, peer; /* peer -1 */
	unsigned ops;       /* number of operations that show it */
	double ratio;       /* against the median of the others */
	double us;          /* delay, or duration of the step */
	double z;           /* robust deviations (MAD) */
	int64_t since_us;
	uint8_t source;          /* enum nccl_source */
	uint8_t func;            /* of the communicator */
	int64_t launched, usual; /* STRAGGLER_BEHIND: operations; else 0 */
};
typedef VEC(struct straggler) straggler_vec;

/* Appends the stragglers in the newest operations and counts of the communicator, worst first. */
void straggler_find(const struct model *m, uint32_t comm, int64_t now_us, straggler_vec *out);

/*
 * Distribution of launched operations of a function over the ranks of the newest answer. usual is
 * their median; -1: none was reported. Outliers may be ahead: only ranks behind are late.
 */
struct straggler_counts {
	int64_t usual, least, most;
	unsigned told, behind, ahead; /* ranks; behind, ahead: by two operations and more */
};
struct straggler_counts straggler_counts(const struct comm *c, unsigned func);

/* All ranks send to all others at once: a rank's step is no edge from it to its peer. */
bool straggler_goes_to_all(const struct comm *c, const struct op *op);

/*
 * The element that the lagging ranks have in common and the others do not: NIC, host, leaf, rail,
 * uplink. REF_NONE: no element explains most of them. share: the part of the lagging ranks that it
 * explains.
 */
struct ref straggler_common(
	const struct model *m, uint32_t comm, const int32_t *ranks, size_t n, double *share);

#endif
