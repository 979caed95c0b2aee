/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_WIRING_H
#define DIAGNOSIS_WIRING_H

#include "diagnosis/finding.h"

/* LLDP against the plan: what is wrong, and the fewest cable moves that put it right. */

struct cable_move {
	uint32_t cable_at; /* the end that stays: port id */
	uint32_t from, to; /* the other end: out of this port, into that one */
	unsigned step;     /* 1, 2, ...: the order in which ports become free */
	unsigned group;    /* moves that belong together (a swap, a rotation) */
};

enum wiring_kind { WIRING_OK, WIRING_SWAP, WIRING_ROTATION, WIRING_OTHER, WIRING_NO_PROOF };
struct wiring_fault {
	enum wiring_kind kind;
	VEC(uint32_t) ports; /* the planned ends whose neighbour is another than planned */
	int rails;           /* WIRING_ROTATION: by how many */
	bool wrong_tier, wrong_rail;
	char text[120]; /* "node003 mlx5_2 and node004 mlx5_2 are swapped" */
	VEC(struct cable_move) moves;
};
typedef VEC(struct wiring_fault) wiring_vec;

/* Appends the faults; free each with wiring_fault_free(). */
void wiring_check(const struct model *m, wiring_vec *out);
void wiring_fault_free(struct wiring_fault *f);

#endif
