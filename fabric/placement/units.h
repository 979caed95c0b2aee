/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_PLACEMENT_UNITS_H
#define FABRIC_PLACEMENT_UNITS_H

#include "fabric/model/model.h"

/*
 * The backend as a scheduler sees it. In a rail fabric a host is below several leaves, one a rail.
 * A unit is the set of hosts with the same leaves: two hosts of one unit reach each other on each
 * rail over one leaf. Units that share spines are a pod; pods that share superspines, or are
 * joined otherwise above the leaves, are an island. Between two islands no path is known.
 *
 * A link counts if LLDP shows it, else if the plan has it and LLDP shows no other one.
 */
typedef VEC(uint32_t) device_ids;

struct unit {
	char name[NAME_MAX_LEN];   /* its leaf; of several: "su-" and the first of its own */
	device_ids leaves, hosts;  /* device ids in natural order of their names */
	uint32_t pod;              /* index into pods */
	unsigned by_lldp, by_plan; /* links between its hosts and leaves, by their proof */
	unsigned strays; /* its hosts that also have a leaf of another unit, or lack one */
};

struct pod {
	char name[NAME_MAX_LEN]; /* its spine; of several: "pod-" and the first one */
	device_ids units;        /* indices into units, ascending */
	device_ids spines;
	uint32_t island; /* index into islands */
	unsigned hosts;
};

struct island {
	char name[NAME_MAX_LEN]; /* "top-" and its first superspine, else spine; or the pod's */
	device_ids pods;         /* indices, ascending */
};

#define UNIT_NONE UINT32_MAX
struct units {
	VEC(struct unit) at; /* in natural order of their first hosts */
	VEC(struct pod) pods;
	VEC(struct island) islands;
	uint32_t *of;        /* by device id: index of a host's unit, UNIT_NONE */
	size_t ndevices;     /* size of that */
	device_ids unplaced; /* hosts of the backend without a known leaf */
};

/* Finds the units of the model; units_free() frees what is in it. */
void units_find(const struct model *m, struct units *u);
void units_free(struct units *u);
/* The unit of a device; UNIT_NONE. */
uint32_t units_of(const struct units *u, uint32_t device);
/* The pod of a device; UNIT_NONE. */
uint32_t units_pod_of(const struct units *u, uint32_t device);

#endif
