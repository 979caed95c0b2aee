/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_LAG_H
#define DIAGNOSIS_STRAGGLER_LAG_H

#include "base/state.h"
#include "diagnosis/straggler/straggler.h"
#include "fabric/model/model.h"

/*
 * Ranks that are late again and again, from counts of launched operations alone (NCCL RAS). A rank
 * that is late for every operation is one behind the others whenever it is looked at in time, and
 * never by more: the others wait for it. By chance, ranks are one behind in few answers, each time
 * other ones. So the answers in which a rank was behind are counted.
 */
struct nccl_lags;
struct nccl_lags *nccl_lags_new(void);
void nccl_lags_free(struct nccl_lags *l);
/*
 * Takes the newest answer about the communicator, if there is a new one. Appends the ranks that
 * were behind too often for chance, as STRAGGLER_LAGS: ops is the number of answers that show it,
 * z the number of answers looked at.
 */
void nccl_lags_take(struct nccl_lags *l, const struct model *m, uint32_t comm, straggler_vec *out);
/* Serialisation, see struct detector. */
void nccl_lags_state(struct state *s, struct nccl_lags *l);

#endif
