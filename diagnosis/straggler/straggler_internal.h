/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_STRAGGLER_INTERNAL_H
#define DIAGNOSIS_STRAGGLER_STRAGGLER_INTERNAL_H

#include "diagnosis/straggler/straggler.h"

/* Private to diagnosis/straggler. */

#define STRAGGLER_OPS    8    /* newest operations to judge */
#define STRAGGLER_Z      6.0  /* robust deviations: diagnosis reference 2.7 */
#define STRAGGLER_SHOW   3    /* operations that must show it (reference 2.7) */
#define STRAGGLER_FEW    2    /* ... or this many, if each exceeds STRAGGLER_CLEAR */
#define STRAGGLER_CLEAR  24.0 /* deviations: four times the threshold */
#define STRAGGLER_FRESH  3    /* of this many newest operations ... */
#define STRAGGLER_AGAIN  2    /* ... this many must show it: healed trouble is over */
#define STRAGGLER_LEAST  4    /* values to compare with */
#define STRAGGLER_OF_ALL 4    /* at most every fourth rank: if more show it, it is not their own */

/* Median and robust deviation (1.4826 MAD, at least 1 % of the median and a microsecond). */
struct spread {
	double median, deviation;
	size_t n;
};
/* Reorders at and writes into it. NAN values must not be in it. */
struct spread spread_of(double *at, size_t n);

/* One rank that deviated in some of the operations. */
struct showing {
	uint16_t bits;       /* bit i: operation i, 0 is the newest of its kind */
	double us, ratio, z; /* of the newest operation that shows it */
	double least_z;
	int64_t since_us;
};
bool showing_counts(const struct showing *s, unsigned *ops);
void showing_add(struct showing *s, unsigned op, double us, double ratio, double z, int64_t t);

/*
 * Appends the ranks that show it. edges: the operation with each rank's peer, for slow edges;
 * NULL: for late entries. Appends none if more than every STRAGGLER_OF_ALL-th rank shows it.
 */
void showing_tell(uint32_t comm, const struct comm *c, const struct showing *show,
	const struct op *edges, straggler_vec *out);

/* Operations of one function in the communicator, newest (greatest seq) first; returns their
 * number. */
unsigned straggler_ops(const struct comm *c, uint8_t func, const struct op **out, unsigned max);

/* gap.c: ranks that enter late by their own gap. */
void straggler_gaps(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out);
/* The same if only durations are reported: the late rank has the shortest. */
void straggler_times(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out);

#endif
