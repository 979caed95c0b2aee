/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_STATE_STATE_INTERNAL_H
#define FABRIC_STATE_STATE_INTERNAL_H

#include "base/state.h"
#include "fabric/model/model.h"

/* Shared by the files that save and load parts of the model. */

/* A rail: -1 none. */
void state_rail(struct state *s, int *rail);

/* state_device.c, state_port.c */
void device_state(struct state *s, struct model *m, struct device *d);
void state_capabilities(struct state *s, struct capability_list *list);
/* All of the port except its id, its histories, and the time it joined the device. */
void port_state(struct state *s, struct model *m, struct port *p);

/* state_nccl.c: numbers of items, then the items in steps. */
void nccl_state_shape(struct state *s, struct nccl *n);
size_t nccl_state_steps(const struct nccl *n);
void nccl_state_step(struct state *s, struct model *m, size_t step);
/* Rebuilds indices and checks that the parts agree. False: they contradict each other. */
bool nccl_state_loaded(struct model *m);

#endif
