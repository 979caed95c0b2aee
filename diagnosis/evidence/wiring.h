/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_WIRING_H
#define DIAGNOSIS_EVIDENCE_WIRING_H

#include "diagnosis/engine/finding.h"

/*
 * LLDP against the plan: what is wrong, and the fewest cable moves that put it right.
 *
 * The planned lower ends are what is permuted: x -> f(x), the end where the cable that is in x
 * belongs by its upper end. A cycle of k ends takes k moves, for each of its k cables is in a wrong
 * port and one move puts at most one cable right; the first cable hangs loose (parked) until its
 * port is free. A chain that ends at a free port needs no parking. Cables are moved at the end
 * where fewer devices are touched, at the lower end when that is alike.
 */

struct cable_move {
	uint32_t cable_at; /* the end that stays: port id */
	uint32_t from, to; /* the other end: out of this port, into that one */
	unsigned step;     /* 1, 2, ...: the order in which ports become free */
	unsigned group;    /* moves that belong together (a swap, a rotation) */
	bool parked;       /* pulled before all others of its group, plugged in at its step */
};

enum wiring_kind {
	WIRING_OK,
	WIRING_SWAP,
	WIRING_ROTATION,
	WIRING_OTHER,
	WIRING_NO_PROOF,
	WIRING_NO_NAMES /* nobody knows which ports the plan means: nothing is compared */
};
struct wiring_fault {
	enum wiring_kind kind;
	/* The planned lower ends whose neighbour is another than planned (WIRING_NO_PROOF: ports
	 * of one device that are up and show nobody; none: no device shows any neighbour;
	 * WIRING_NO_NAMES: none, see model_unnamed()). */
	VEC(uint32_t) ports;
	int rails; /* WIRING_ROTATION: by how many */
	bool wrong_tier, wrong_rail;
	char text[120];               /* "node003 mlx5_2 and node004 mlx5_2 are swapped" */
	VEC(struct cable_move) moves; /* none: the neighbour's port is not known */
};
typedef VEC(struct wiring_fault) wiring_vec;

/* Appends the faults; free each with wiring_fault_free(). model_links() must have been called. */
void wiring_check(const struct model *m, wiring_vec *out);
void wiring_fault_free(struct wiring_fault *f);
/* Frees all of them and the list. */
void wiring_free(wiring_vec *v);
/* The end that stays, and where the other one goes: "2. node003 mlx5_2: leaf-r2-00 Ethernet8 ->
 * Ethernet12 (pull first, park)". */
bool wiring_move_text(const struct model *m, const struct cable_move *c, char *dst, size_t size);

/* The name of a port as people say it: "node003 mlx5_2". */
bool wiring_port_name(const struct model *m, uint32_t port, char *dst, size_t size);

/* ---- between wiring.c and wiring_moves.c ---- */

/* Ends x0, f(x0), ... in this order; a cycle closes from the last to the first. */
struct wiring_chain {
	VEC(uint32_t) ends;
	bool cycle;
	uint32_t next; /* PORT_NONE, or the free lower end where the last cable belongs */
};
/*
 * Appends the moves of the chains to f, each chain a group. peers: observed peer of every port.
 * The side is chosen once for all of them.
 */
void wiring_moves(const struct model *m, const uint32_t *peers, const struct wiring_chain *chains,
	size_t n, struct wiring_fault *f);

#endif
