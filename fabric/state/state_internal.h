/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_STATE_STATE_INTERNAL_H
#define FABRIC_STATE_STATE_INTERNAL_H

#include "base/state.h"
#include "fabric/model/model.h"

/* What those share that save and load parts of the model. */

/* Where pointers have 8 bytes: who adds a field notices that it is to be visited too. */
#if UINTPTR_MAX == UINT64_MAX
#define STATE_VISITS(type, bytes)                                                                  \
	_Static_assert(sizeof(type) == (bytes),                                                    \
		"visit the new field in model_state*.c, then change this")
#else
#define STATE_VISITS(type, bytes) _Static_assert(sizeof(type) > 0, "")
#endif

/* A time near another one; 0, which says never, is a single byte. */
void state_time(struct state *s, int64_t *v, int64_t near);
/* A number near another one. */
void state_near(struct state *s, int64_t *v, int64_t near);
void state_near32(struct state *s, int32_t *v, int32_t near);
/* An id below limit, or UINT32_MAX, near another one. */
void state_near_id(struct state *s, uint32_t *v, uint32_t near, size_t limit);
void state_i16(struct state *s, int16_t *v);
/* A real: NAN and 0 are a single byte. */
void state_real(struct state *s, float *v);
/* A byte below limit. */
void state_small(struct state *s, uint8_t *v, unsigned limit);
/* A rail: -1 none. */
void state_rail(struct state *s, int *rail);
/* Whether it is the NAN of the macro, to the bit. */
bool state_is_nan(float v);

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
