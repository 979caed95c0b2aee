/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_STATE_STATE_H
#define FABRIC_STATE_STATE_H

#include "base/state.h"
#include "fabric/model/model.h"

/*
 * The whole model as bytes, for keyframes of recordings: what is loaded goes on exactly as the
 * model that was saved would have, private fields included. In steps, because the thread that owns
 * a model has 10 ms: step 0 is what belongs to the fabric, then a step a device, then what NCCL
 * told. Nothing may be applied between the first step and the last.
 *
 * Loading: into a new model of the same plan, step 0 first (it adds the devices and ports that came
 * by observations only, and with them the number of steps). Ids stay what they were. False: these
 * are not the bytes that were saved by this version; the model is to be freed.
 *
 * Histories are apart, because most of what they say was said by the keyframe before.
 */
size_t model_state_steps(const struct model *m);
bool model_state_step(struct state *s, struct model *m, size_t step);
/*
 * The same, saving, in parts where a step is long: the first one with *part 0, the next with what
 * it became, until that is 0 again. Their bytes behind each other are those of the step.
 */
bool model_state_save_some(struct state *s, struct model *m, size_t step, size_t *part);
/* After the last step of loading: indices, links, what is derived. False as above. */
bool model_state_loaded(struct model *m);

/*
 * The histories of device step - 1 (there are as many steps; the others have none). all: each
 * whole; else what came since they were saved last, which is loaded onto what was loaded before.
 * Saving remembers where it was. False: the part before is not there.
 */
bool model_history_step(struct state *s, struct model *m, size_t step, bool all);

/*
 * A number that is another one when bytes of a state mean something else: of the tables of
 * counters, events, attributes and needs, and the version of this encoding.
 */
uint64_t model_state_stamp(void);

#endif
