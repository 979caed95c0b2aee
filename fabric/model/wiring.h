/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_WIRING_H
#define FABRIC_MODEL_WIRING_H

#include "fabric/model/model.h"

/*
 * Tracks which port hears which, private to the model: the ports to re-examine after a change of
 * the wiring. While a fabric comes up its devices report their neighbours one after the other, and
 * resolving all ports each time would be slow.
 *
 * Derived from the model and not saved: it is rebuilt after loading. Code that changes the wiring
 * calls the functions below, and model.wiring_generation grows. It sets model.links_dirty when it
 * cannot name the change.
 */

/* The port's announced neighbour, its peer or its place in the plan changed. */
void wiring_port(struct model *m, const struct port *p);
/* The device has a new port, or a port name leads elsewhere. */
void wiring_ports_of(struct model *m, const struct device *d);
/* The device is new, or its name changed. */
void wiring_name(struct model *m, const struct device *d);
/* Whether there are changes that model_links() has not processed. */
bool wiring_noted(const struct model *m);
void wiring_forget(struct model *m);

/* The port that the neighbour's names lead to; NULL: it is not in this model. */
struct port *wiring_neighbour(const struct model *m, const struct port *p);

/*
 * Sets lldp_peer of each port to the port that its neighbour's names lead to. A port without LLDP
 * gets the one with the highest id among those that hear it. False: everything was rebuilt. True:
 * *moved are the ports with possibly changed links, ascending; valid until the next change.
 */
struct port_ids {
	const uint32_t *at;
	size_t n;
};
bool wiring_follow(struct model *m, struct port_ids *moved);

/* The port of each entry of model.links. First those of the plan, then the others found, each part
 * in order of these ports. */
struct link_list {
	VEC(uint32_t) of;
	size_t planned; /* number of planned ones */
};
struct link_list *wiring_list(struct model *m);

#endif
