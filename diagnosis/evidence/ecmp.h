/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_ECMP_H
#define DIAGNOSIS_EVIDENCE_ECMP_H

#include "base/vec.h"
#include "diagnosis/engine/detector.h"

/*
 * Private to diagnosis/detectors/ecmp*.c: the uplinks of each switch as one group, and its parallel
 * links to each switch below as one group each.
 */

#define ECMP_LONG_S     300.0 /* the five minutes of section 3 */
#define ECMP_RECENT_S   20.0  /* four samples at 5 s */
#define ECMP_IDLE_SHARE 0.05  /* of the siblings' median: less is idle */
#define ECMP_LOAD_LEAST 0.002 /* share of the speed: a group with less load proves nothing */

struct ecmp_member {
	uint32_t port, peer; /* peer: PORT_NONE */
	/* The links of a bundle are one member: its hash is another one. port is one of them. */
	uint32_t bundle; /* PORT_NONE: a link of its own */
	bool up;
	double speed_bps;
	double tx, rx, seconds; /* bits per second, average over about five minutes; NAN */
	double sent, received;  /* over the last samples: ECMP_RECENT_S at 5 s; NAN */
};
struct ecmp_group {
	uint32_t device;
	struct ecmp_member *at; /* n members, of struct ecmp_kept */
	size_t n;
	unsigned planned, up;
	double tx_median, rx_median; /* over members that are up and known; NAN */
	double sent_median, received_median;
	/* whole: it has load, all members are up, and the load of each is known. most: the highest
	 * load of a member. idle: number of members with next to none. */
	bool whole;
	double most;
	unsigned idle;
	bool suspect; /* a finding about it is possible */
};
typedef VEC(struct ecmp_group) ecmp_group_vec;
typedef VEC(struct ecmp_member) ecmp_member_vec;
/* parallel: those of a device are adjacent. */
struct ecmp {
	ecmp_group_vec groups, parallel;
};
/* Of a device, as of its last news. below: members of parallel. */
struct ecmp_kept {
	ecmp_member_vec members, below;
	struct ecmp_group g;
	ecmp_group_vec parallel;
	unsigned inputs; /* links to switches, uplinks and parallel ones, that bring load */
};

/* Of a port: averages over its samples as of its device's last news. */
struct ecmp_recent {
	double sent, received; /* NAN */
	/* When it last carried a share of what its siblings did; 0: never. */
	int64_t sent_us, received_us;
};
/* The detector's memory. */
struct ecmp_memory {
	int64_t stalled_us;             /* last time that pauses stalled flows, 0: never */
	VEC(struct ecmp_recent) recent; /* of each port */
	VEC(struct ecmp_kept) kept;     /* per device; no state */
};
struct ecmp_memory *ecmp_memory_of(struct diag_run *r); /* created on first use */
void ecmp_free_memory(void *memory);
void ecmp_state(struct state *s, void **memory, const struct model *m); /* see struct detector */

/* Recomputes the group of the device; *until: end of validity of the idle members. */
struct ecmp_group *ecmp_digest(struct diag_run *r, const struct device *d, int64_t *until);
/* The same for its parallel links to switches below; the groups are left in the memory. */
void ecmp_digest_parallel(struct diag_run *r, const struct device *d, int64_t *until);
/* All kept groups of more than one member. */
void ecmp_find(struct diag_run *r, struct ecmp *e);
void ecmp_free(struct ecmp *e);
/* ecmp_polarisation.c: claims polarisation; false: there is none. */
void ecmp_polarisation_digest(struct ecmp_group *g);
void ecmp_polarisation_digest_parallel(struct diag_run *r, const struct device *d);
bool ecmp_polarisation(struct diag_run *r, const struct ecmp *e);

#endif
