/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_STATE_STATE_INTERNAL_H
#define FABRIC_STATE_STATE_INTERNAL_H

#include "base/state.h"
#include "fabric/model/model.h"

/* What those share that save and load parts of the model. */

/* A rail: -1 none. */
void state_rail(struct state *s, int *rail);

/* state_device.c, state_port.c */
void device_state(struct state *s, struct model *m, struct device *d);
/* All of the port but its id, its histories, and since when it is the device's. */
void port_state(struct state *s, struct model *m, struct port *p);

/* state_nccl.c: how much there is, and that in steps. */
void nccl_state_shape(struct state *s, struct nccl *n);
size_t nccl_state_steps(const struct nccl *n);
void nccl_state_step(struct state *s, struct model *m, size_t step);
/* Indices, and what the parts say of each other. False: they contradict. */
bool nccl_state_loaded(struct model *m);

#endif
