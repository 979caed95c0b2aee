/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_PLACEMENT_PLACEMENT_H
#define FABRIC_PLACEMENT_PLACEMENT_H

#include "fabric/placement/units.h"

/*
 * Where the ranks of a job are, against leaves and rails. NCCL makes its rings over the hosts in
 * the order of ranks: each pair of neighbours in different units sends over the spines, on every
 * rail. With the hosts of a unit next to each other in that order there are as many such pairs as
 * units, and no order has fewer.
 */
struct placement {
	uint32_t job;
	bool ordered;        /* the order of its ranks is known; else only its hosts are */
	device_ids hosts;    /* in rank order; else in natural order */
	unsigned lost_ranks; /* ranks whose host is not known */
	unsigned unplaced;   /* hosts without a known unit */
	/* Used, and the least number of pods that have so many hosts. */
	unsigned units, pods, pods_least;
	/* Of an ordered one: pairs of neighbours in different units and pods, and the least. */
	unsigned crossings, crossings_least, pod_crossings, pod_crossings_least;
	unsigned runs; /* of ranks on one host: more than hosts if they are scattered */
	/* Pairs of neighbours and GPUs whose NICs are known, and those on different rails. */
	unsigned rail_pairs, off_rail;
	int32_t off_from, off_to; /* ranks of the first of these */
};

/* False: there is no such job, or it has ended, or its hosts are not known. */
bool placement_find(
	const struct model *m, const struct units *u, uint32_t job, struct placement *p);
void placement_free(struct placement *p);
/* Whether another order of the same hosts crosses less. */
bool placement_improves(const struct placement *p);
/* The hosts in such an order: by pod, by unit, and within a unit as they were. */
void placement_better(const struct units *u, const struct placement *p, device_ids *order);

#endif
