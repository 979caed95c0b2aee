/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/phase.h"

static const unsigned char table[PHASE_COUNT][PHASE_EVENT_COUNT] = {
	[PHASE_IDLE] = {[PHASE_NEWS] = PHASE_APPLYING,
		[PHASE_OVERTAKEN] = PHASE_IDLE,
		[PHASE_KEYFRAME_DUE] = PHASE_KEYFRAME},
	[PHASE_APPLYING] = {[PHASE_NEWS] = PHASE_APPLYING,
		[PHASE_APPLIED] = PHASE_NOTING,
		[PHASE_PAUSED] = PHASE_IDLE,
		[PHASE_TIRED] = PHASE_RESTING,
		[PHASE_OVERTAKEN] = PHASE_APPLYING},
	/* A pause does not interrupt it: the same news would be noted a second time after it. */
	[PHASE_NOTING] = {[PHASE_NEWS] = PHASE_NOTING,
		[PHASE_NOTED] = PHASE_JUDGING,
		[PHASE_OVERTAKEN] = PHASE_APPLYING},
	[PHASE_JUDGING] = {[PHASE_NEWS] = PHASE_JUDGING,
		[PHASE_JUDGED] = PHASE_IDLE,
		[PHASE_OVERTAKEN] = PHASE_APPLYING},
	[PHASE_RESTING] = {[PHASE_NEWS] = PHASE_APPLYING,
		[PHASE_OVERTAKEN] = PHASE_RESTING,
		[PHASE_KEYFRAME_DUE] = PHASE_KEYFRAME},
	[PHASE_KEYFRAME] = {[PHASE_NEWS] = PHASE_KEYFRAME, [PHASE_KEYFRAME_OVER] = PHASE_IDLE},
};

enum phase phase_after(enum phase phase, enum phase_event event)
{
	if ((unsigned)phase >= PHASE_COUNT || (unsigned)event >= PHASE_EVENT_COUNT)
		return PHASE_NONE;
	return (enum phase)table[phase][event];
}

bool phase_works(enum phase phase)
{
	return phase == PHASE_APPLYING || phase == PHASE_NOTING || phase == PHASE_JUDGING ||
	       phase == PHASE_KEYFRAME;
}
