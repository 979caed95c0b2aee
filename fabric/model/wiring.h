/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_WIRING_H
#define FABRIC_MODEL_WIRING_H

#include "fabric/model/model.h"

/*
 * Who hears whom, private to the model: which ports must be looked at again when something of the
 * wiring changes. While a fabric comes up its devices tell their neighbours one after the other,
 * and all ports would be resolved anew each time.
 *
 * It follows from the model and is not saved: after loading all of it is found out again. Whoever
 * changes something of this says so here, and model.wiring_generation grows; model.links_dirty is
 * for those who cannot say what.
 */

/* The neighbour that the port names, its peer or its place in the plan is another. */
void wiring_port(struct model *m, const struct port *p);
/* There is another port, or a name of one leads elsewhere. */
void wiring_ports_of(struct model *m, const struct device *d);
/* The device is new, or has another name. */
void wiring_name(struct model *m, const struct device *d);
/* Something was said that model_links() has not looked at yet. */
bool wiring_noted(const struct model *m);
void wiring_forget(struct model *m);

/* The port that the neighbour's names lead to; NULL: they are not of this model. */
struct port *wiring_neighbour(const struct model *m, const struct port *p);

/*
 * Has lldp_peer of each port be what its neighbour's names lead to; of a port without LLDP, the one
 * with the highest id of those that hear it. False: all ports are new to it, or else *moved is the
 * ports whose links may be others, ascending; valid until the next change.
 */
struct port_ids {
	const uint32_t *at;
	size_t n;
};
bool wiring_follow(struct model *m, struct port_ids *moved);

/* Beside model.links: the port that each is of. First those of the plan, then what was found
 * besides, each in the order of these ports. */
struct link_list {
	VEC(uint32_t) of;
	size_t planned; /* how many are of the plan */
};
struct link_list *wiring_list(struct model *m);

#endif
