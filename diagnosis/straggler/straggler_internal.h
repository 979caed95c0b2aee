/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_STRAGGLER_INTERNAL_H
#define DIAGNOSIS_STRAGGLER_STRAGGLER_INTERNAL_H

#include "diagnosis/straggler/straggler.h"

/* What the straggler*.c files share and nobody else may use. */

#define STRAGGLER_OPS    8    /* newest operations that are judged */
#define STRAGGLER_Z      6.0  /* robust deviations: diagnosis reference 2.7 */
#define STRAGGLER_SHOW   3    /* operations that must show it, likewise */
#define STRAGGLER_FEW    2    /* ... or so many, where each is beyond doubt: */
#define STRAGGLER_CLEAR  24.0 /* deviations: four times the threshold */
#define STRAGGLER_FRESH  3    /* of the newest so many ... */
#define STRAGGLER_AGAIN  2    /* ... so many must show it: what has healed is over */
#define STRAGGLER_LEAST  4    /* values to compare with */
#define STRAGGLER_OF_ALL 4    /* at most every fourth: what more have is not theirs */

/* Median and robust deviation (1.4826 MAD, at least 1 % of the median and a microsecond). */
struct spread {
	double median, deviation;
	size_t n;
};
/* Reorders at and writes into it. NAN values must not be in it. */
struct spread spread_of(double *at, size_t n);

/* One rank that was out of line in some of the operations. */
struct showing {
	uint16_t bits;       /* bit i: operation i, 0 is the newest of its kind */
	double us, ratio, z; /* of the newest that shows it */
	double least_z;
	int64_t since_us;
};
bool showing_counts(const struct showing *s, unsigned *ops);
void showing_add(struct showing *s, unsigned op, double us, double ratio, double z, int64_t t);

/*
 * Appends the ranks that show it. edges: the operation that tells each rank's peer, what shows is
 * its slow edge; NULL: it enters late. Nothing where more than every STRAGGLER_OF_ALL-th shows it.
 */
void showing_tell(uint32_t comm, const struct comm *c, const struct showing *show,
	const struct op *edges, straggler_vec *out);

/* Operations of one function in the communicator, newest (greatest seq) first; returns how many. */
unsigned straggler_ops(const struct comm *c, uint8_t func, const struct op **out, unsigned max);

/* gap.c: ranks that enter late by their own gap. */
void straggler_gaps(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out);
/* Likewise where only times are told: the late rank has the shortest. */
void straggler_times(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out);

#endif
