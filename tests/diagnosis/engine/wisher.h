/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIAGNOSIS_ENGINE_WISHER_H
#define TESTS_DIAGNOSIS_ENGINE_WISHER_H

#include "tests/diagnosis/engine/stand.h"

/*
 * A stand with a detector that claims the wishes of the test, for tests of code that reads
 * findings.
 */
struct wished {
	enum finding_id id;
	struct ref at;
	double lr;              /* likelihood ratio, a fact; 0: none */
	struct ref member;      /* likewise */
	struct ref victim;      /* REF_NONE: none */
	enum finding_role role; /* ROLE_CULPRIT unless set */
	struct refuted refuted; /* id 0 at REF_NONE: none */
	bool off;               /* not claimed any more */
};
/* Before the first poll. */
void wisher_setup(struct stand *s);
struct wished *wisher_wish(struct stand *s, enum finding_id id, struct ref at, double lr);

/*
 * Job "pretrain": ranks 0 to n-1, one a host and NIC in this order: rank 0 is GPU 0 of node000 with
 * mlx5_0, rank 1 GPU 1 with mlx5_1, rank 2 GPU 0 of node001, ... RAS reports it with the next poll.
 */
void wisher_job(struct stand *s, int32_t n);

#endif
