/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_LINT_RULES_H
#define DIAGNOSIS_LINT_RULES_H

#include "diagnosis/lint/lint.h"

/* Private to diagnosis/lint: one file per family of checks. */

/* Boyer-Moore vote: finds the value with more than half of the votes in one pass. */
struct lint_vote {
	uint64_t candidate;
	unsigned lead, of, n; /* of: votes of the candidate, of all n */
};
/* Fewer votes are no majority. */
#define LINT_VOTES_LEAST 3
#define LINT_GROUPS      128
#define LINT_UNSPOKEN    UINT64_MAX /* the value is unknown: no vote */
struct lint_group {
	enum tier tier;
	const char *model;
};

struct lint {
	const struct model *m;
	lint_vec *out;
	size_t device_rows; /* first row of the current device */
	struct lint_group groups[LINT_GROUPS];
	unsigned ngroups;
	uint8_t *group_of; /* by device; LINT_GROUPS: none */
	uint8_t *flags;    /* by port: LINT_IN_SCOPE, ... */
	uint32_t *peer;    /* by port, PORT_NONE */
	struct lint_vote votes[2 * LINT_GROUPS];
	struct lint_setup *setups; /* private to setup.c */
};

#define LINT_IN_SCOPE 1U
#define LINT_UPLINK   2U
#define LINT_HOST     4U

#define LINT_NOTHING (-1) /* the check does not apply to this port or device */

struct lint_check {
	enum finding_id id;
	const char *what; /* "PFC priorities" */
	/* The value to compare with siblings; NULL: they are not compared. */
	uint64_t (*value)(const struct lint *l, const struct port *p);
	uint64_t (*device_value)(const struct lint *l, const struct device *d);
	/* NULL, or collects votes of its own; called twice for each device, counting last. */
	void (*vote)(struct lint *l, const struct device *d, bool counting);
	/* Returns an enum lint_result or LINT_NOTHING; adds its own LINT_DIFFERS rows. */
	int (*port)(struct lint *l, const struct port *p);
	int (*device)(struct lint *l, const struct device *d);
};
extern const struct lint_check lint_pfc, lint_dscp, lint_trust, lint_cnp, lint_dcqcn, lint_ecn,
	lint_mtu, lint_watchdog, lint_oversubscription, lint_hash, lint_setup, lint_poll_path,
	lint_headroom;

bool lint_is_host(const struct lint *l, const struct port *p);
bool lint_is_uplink(const struct lint *l, const struct port *p);
/* The port at the other end; NULL. */
const struct port *lint_peer(const struct lint *l, const struct port *p);
/*
 * The value of most siblings: same tier and model, ports in the same direction. False: fewer than
 * 3 of them report it, or no value has more than half.
 */
bool lint_usual(const struct lint *l, const struct port *p, uint64_t *value);
bool lint_usual_device(const struct lint *l, const struct device *d, uint64_t *value);

struct lint_difference {
	enum finding_id id;
	struct ref peer;
	const char *reason; /* "plan", "other end", "siblings" */
	const char *value;  /* words to set, for the cure: see cure.c */
	const char *cure;   /* instead of cure.c's; NULL */
	char is[64], should[64];
};
/* Adds a row for the port, or counts it in an equal row of the device. Returns LINT_DIFFERS. */
int lint_differs(struct lint *l, const struct port *p, const struct lint_difference *w);
int lint_device_differs(struct lint *l, struct ref at, const struct lint_difference *w);
/* The command of the device's own dialect; "" when none is known. port may be NULL. */
void lint_cure(const struct lint *l, const struct device *d, const struct port *p,
	enum finding_id id, const char *value, char *dst, size_t size);
/* One vote for the value: first for the candidate, then, counting, for its number. */
void lint_cast(struct lint_vote *v, uint64_t value, bool counting);
/* A text as a number for a vote; never LINT_UNSPOKEN. */
uint64_t lint_text_number(const char *s);
void lint_setups_free(struct lint *l);
/* "3,4"; "none". */
void lint_mask_text(unsigned mask, char *dst, size_t size);

#endif
