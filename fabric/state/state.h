/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_STATE_STATE_H
#define FABRIC_STATE_STATE_H

#include "base/state.h"
#include "fabric/model/model.h"

/*
 * Serialises the whole model for keyframes of recordings. A loaded model continues exactly as the
 * saved one would have, private fields included. It works in steps, because the thread that owns a
 * model has 10 ms. Step 0 is the fabric's own data, then one step a device, then the NCCL data.
 * Nothing may be applied between the first step and the last.
 *
 * Loading needs a new model of the same plan, step 0 first: it adds the devices and ports that
 * came by observations only, and determines the number of steps. Ids are preserved. False: these
 * are not bytes that this version saved; free the model.
 *
 * Histories are separate, because the keyframe before already has most of their data.
 */
size_t model_state_steps(const struct model *m);
bool model_state_step(struct state *s, struct model *m, size_t step);
/*
 * The same for saving, in parts when a step is long. Start with *part 0 and repeat with its new
 * value until it is 0 again. The parts concatenated are the bytes of the step.
 */
bool model_state_save_some(struct state *s, struct model *m, size_t step, size_t *part);
/* After the last step of loading: rebuilds indices, links and derived data. False as above. */
bool model_state_loaded(struct model *m);

/*
 * Saves or loads the histories of device step - 1. There are as many steps as above; the others
 * have no histories. all: each history is complete. Else only the data since the last save, which
 * is loaded onto the data loaded before. Saving remembers its end. False: the part before is
 * missing.
 */
bool model_history_step(struct state *s, struct model *m, size_t step, bool all);

/*
 * A number that changes with the meaning of the bytes: from the tables of counters, events,
 * attributes and needs, and the version of this encoding.
 */
uint64_t model_state_stamp(void);

#endif
