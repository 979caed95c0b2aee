/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_STATE_PARTS_H
#define DIAGNOSIS_ENGINE_STATE_PARTS_H

#include "base/state.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/finding.h"
#include "diagnosis/engine/verdict.h"

/*
 * For the state functions of diagnosis/ only: what several of them are made of. Each visits what it
 * is given (base/state.h); what is loaded is checked against the model: no place that it does not
 * have, no time that arithmetic could not stand.
 */

/*
 * A guard in each file that visits a structure: it fails when the structure has grown. Visit the
 * new field, then change the number. (Numbers are of 64-bit machines; elsewhere nothing is said.)
 */
#define STATE_SIZE(type, size)                                                                     \
	_Static_assert(sizeof(void *) != 8 || sizeof(type) == (size),                              \
		"visit the new field of " #type ", then change this")

/* The elements of a VEC, at most most: the rest of the arguments visits *element. */
#define STATE_LIST(s, list, most, element, ...)                                                    \
	do {                                                                                       \
		size_t state_n_ = (list)->n;                                                       \
                                                                                                   \
		state_count((s), &state_n_, (most));                                               \
		if ((s)->loading)                                                                  \
			(list)->n = 0;                                                             \
		for (size_t state_i_ = 0; state_i_ < state_n_ && !(s)->bad; state_i_++) {          \
			__typeof__((list)->at) element =                                           \
				(s)->loading ? vec_add(list) : &(list)->at[state_i_];              \
                                                                                                   \
			__VA_ARGS__;                                                               \
		}                                                                                  \
	} while (0)

/* A wall time, or 0. */
void state_wall(struct state *s, int64_t *us);
void state_ref(struct state *s, struct ref *r, const struct model *m);
void state_evidence(struct state *s, struct evidence *e, const struct model *m);
/* Everything, the engine's part too; what is loaded goes into an empty one. */
void state_finding(struct state *s, struct finding *f, const struct model *m);
void state_verdict(struct state *s, struct verdict_report *v, const struct model *m);
/*
 * Whether the memory of a detector is there: made (size bytes of zeros) when loading says so.
 * False: there is nothing more to visit.
 */
bool state_memory(struct state *s, void **memory, size_t size);

#endif
