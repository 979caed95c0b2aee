/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_WIRING_H
#define DIAGNOSIS_EVIDENCE_WIRING_H

#include "diagnosis/engine/finding.h"

/*
 * Compares LLDP with the plan: the faults, and the fewest cable moves that repair them.
 *
 * The planned lower ends form a permutation x -> f(x): f(x) is the lower end where the cable in x
 * belongs by its upper end. A cycle of k ends takes k moves: each of its k cables is in a wrong
 * port, and one move repairs at most one cable. The first cable hangs loose (parked) until its
 * port is free. A chain that ends at a free port needs no parking. Cables are moved at the side
 * with fewer devices to visit, else at the lower end.
 */

struct cable_move {
	uint32_t cable_at; /* the end that stays: port id */
	uint32_t from, to; /* the other end: from this port to that one */
	unsigned step;     /* 1, 2, ...: order in which ports become free */
	unsigned group;    /* moves of one repair (a swap, a rotation) */
	bool parked;       /* pulled before all others of its group, plugged in at its step */
};

enum wiring_kind {
	WIRING_OK,
	WIRING_SWAP,
	WIRING_ROTATION,
	WIRING_OTHER,
	WIRING_NO_PROOF,
	WIRING_NO_NAMES /* the ports of the plan are unknown: nothing is compared */
};
struct wiring_fault {
	enum wiring_kind kind;
	/*
	 * The planned lower ends with another neighbour than planned. WIRING_NO_PROOF: ports of
	 * one device that are up without a neighbour; none: no device shows any neighbour.
	 * WIRING_NO_NAMES: none, see model_unnamed().
	 */
	VEC(uint32_t) ports;
	int rails; /* WIRING_ROTATION: number of rails shifted */
	bool wrong_tier, wrong_rail;
	char text[120];               /* "node003 mlx5_2 and node004 mlx5_2 are swapped" */
	VEC(struct cable_move) moves; /* none: the neighbour's port is unknown */
};
typedef VEC(struct wiring_fault) wiring_vec;

/* Appends the faults; the caller frees each with wiring_fault_free(). Call model_links() before. */
void wiring_check(const struct model *m, wiring_vec *out);
void wiring_fault_free(struct wiring_fault *f);
/* Frees all of them and the list. */
void wiring_free(wiring_vec *v);
/* Names the fixed end and the move of the other one: "2. node003 mlx5_2: leaf-r2-00 Ethernet8 ->
 * Ethernet12 (pull first, park)". */
bool wiring_move_text(const struct model *m, const struct cable_move *c, char *dst, size_t size);

/* The name of a port for people: "node003 mlx5_2". */
bool wiring_port_name(const struct model *m, uint32_t port, char *dst, size_t size);

/* ---- between wiring.c and wiring_moves.c ---- */

/* Ends x0, f(x0), ...; a cycle closes from the last to the first. */
struct wiring_chain {
	VEC(uint32_t) ends;
	bool cycle;
	uint32_t next; /* PORT_NONE, or the free lower end for the last cable */
};
/*
 * Appends the moves of the chains to f, each chain as a group. peers: observed peer of every port.
 * One side is chosen for all of them.
 */
void wiring_moves(const struct model *m, const uint32_t *peers, const struct wiring_chain *chains,
	size_t n, struct wiring_fault *f);

#endif
