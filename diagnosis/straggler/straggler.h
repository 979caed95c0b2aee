/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_STRAGGLER_H
#define DIAGNOSIS_STRAGGLER_STRAGGLER_H

#include "base/vec.h"
#include "fabric/model/model.h"
#include "fabric/ref.h"

/*
 * Straggler logic over the operations of one communicator: who is late by himself, which edge is
 * slow, who merely waits.
 *   own gap: enter(k) - exit(k-1) of the same process, over all of its rails. Never enter - median:
 *     who left the last operation late because of the network enters the next one late, too.
 *   slow edge: time of a send step against all edges of the same operation.
 *   where only times in the operation are told: the late rank has the shortest, for the others
 *     wait for it.
 */
enum straggler_kind {
	STRAGGLER_LATE,     /* enters late by its own gap */
	STRAGGLER_EDGE,     /* rank -> peer is slow */
	STRAGGLER_BEHIND,   /* has launched fewer operations than the others */
	STRAGGLER_MISSING,  /* does not answer, or is dead */
	STRAGGLER_SLOW_ALL, /* all ranks alike: slower than the same operation before */
	STRAGGLER_STUCK,    /* all ranks launched the same operation, none advances */
};
struct straggler {
	enum straggler_kind kind;
	uint32_t comm;
	int32_t rank, peer; /* peer -1 */
	unsigned ops;       /* operations that show it */
	double ratio;       /* against the median of the others */
	double us;          /* late by, or the step's time */
	double z;           /* robust deviations (MAD) */
	int64_t since_us;
	uint8_t source;          /* enum nccl_source */
	uint8_t func;            /* of the communicator */
	int64_t launched, usual; /* STRAGGLER_BEHIND: operations; else 0 */
};
typedef VEC(struct straggler) straggler_vec;

/* Appends what the newest operations and counts of the communicator show, worst first. */
void straggler_find(const struct model *m, uint32_t comm, int64_t now_us, straggler_vec *out);

/*
 * How launched operations of a function are spread over the ranks of the newest answer: usual is
 * their median; -1: none was told. Ranks that stand out may be ahead: only those behind are late.
 */
struct straggler_counts {
	int64_t usual, least, most;
	unsigned told, behind, ahead; /* ranks; by two operations and more */
};
struct straggler_counts straggler_counts(const struct comm *c, unsigned func);

/* How long this communicator may stand still before that means something: by its own rhythm. */
int64_t straggler_patience(const struct comm *c);

/*
 * The element that the lagging ranks have in common and the others do not: NIC, host, leaf, rail,
 * uplink. REF_NONE: none explains most of them. share: of the lagging ranks that it has.
 */
struct ref straggler_common(
	const struct model *m, uint32_t comm, const int32_t *ranks, size_t n, double *share);

#endif
