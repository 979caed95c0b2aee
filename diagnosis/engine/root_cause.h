/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_ROOT_CAUSE_H
#define DIAGNOSIS_ENGINE_ROOT_CAUSE_H

#include "diagnosis/engine/engine.h"

/* Private to root_cause*.c and impact.c: which finding can follow from which. */

/* Place of a finding, as far as the model knows. PORT_NONE, NO_DEVICE, JOB_NONE: unknown. */
struct place {
	uint32_t port, peer_port;
	uint32_t device, peer_device;
	uint32_t host; /* the host at one of the two ends */
	uint32_t job;
};
struct place place_of(const struct model *m, const struct finding *f);

/* The network of a place: of its switch, also for a NIC that leads there. NET_BACKEND: that, or
 * unknown. */
enum net_kind place_net(const struct model *m, const struct place *at);

/* Required relation of the root to the symptom. */
enum relation {
	REL_LINK = 1U << 0U,    /* an end of the same link */
	REL_DEVICE = 1U << 1U,  /* the symptom's device is at an end of the root's link, or is it */
	REL_HOST = 1U << 2U,    /* the same host */
	REL_VICTIM = 1U << 3U,  /* the root names the symptom's place as a victim or member */
	REL_MANY = 1U << 4U,    /* the same, with two members or more */
	REL_PATH = 1U << 5U,    /* the pauses at the symptom end at the root */
	REL_JOB = 1U << 6U,     /* the symptom's job uses the root's object */
	REL_PROMOTE = 1U << 7U, /* additional: makes a risk a culprit */
	REL_RISK = 1U << 8U,    /* additional: also folds a risk */
	REL_ONE = 1U << 9U,     /* as REL_DEVICE, for a symptom with less than two members */
	REL_TREE = 1U << 10U, /* an egress of the root's device is paused because of the symptom */
	REL_TIER =
		1U << 12U,   /* the root is of the tier of the symptom's device, or of the fabric */
	REL_ANY = 1U << 13U, /* wherever both are */
	/* The root is between the ends that the symptom names, or at one of them. A symptom that
	 * names no NIC: as REL_HOST and REL_JOB. */
	REL_ENDS = 1U << 14U,
	REL_AHEAD = 1U << 11U, /* additional: no explanation; the root is only ranked before it */
};
/* Relations that require a device in common; the others need a test of every root. */
#define REL_LOCAL (REL_LINK | REL_DEVICE | REL_HOST | REL_ONE)
#define REL_WIDE                                                                                   \
	(REL_VICTIM | REL_MANY | REL_PATH | REL_JOB | REL_TREE | REL_TIER | REL_ANY | REL_ENDS)

struct root_cause_rules {
	uint16_t how[FIND_COUNT][FIND_COUNT]; /* [symptom][root]: enum relation, 0: never */
};
void root_cause_rules_fill(struct root_cause_rules *rules);

/* One side of a pair: symptom or root. */
struct side {
	const struct finding *f;
	struct place at;
};
/* Whether a relation of the mask holds. */
bool root_cause_at_ends(const struct model *m, const struct side *symptom, const struct side *root);
bool root_cause_related(const struct diag *d, const struct model *m, const struct side *symptom,
	const struct side *root, unsigned mask);

#endif
