/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_PHASE_H
#define APP_SESSION_PHASE_H

#include <stdbool.h>

/*
 * The phases of a session that works in pieces between two keys, and the one table that says which
 * follows which. Pure: session.c does the work of a phase and reports its end as an event.
 */
enum phase {
	PHASE_NONE,     /* the event cannot happen in this phase */
	PHASE_IDLE,     /* nothing is to do */
	PHASE_APPLYING, /* batches go into the model */
	PHASE_NOTING,   /* samples of the devices with news go into the diagnosis' windows */
	PHASE_JUDGING,  /* the diagnosis runs; the model must stay as it is */
	PHASE_RESTING,  /* batches are applied, and judged when the rest is over */
	PHASE_KEYFRAME, /* the recording saves the model; the model must stay as it is */
	PHASE_COUNT
};

enum phase_event {
	PHASE_NEWS,          /* batches wait, a device has grown old, or a rest is over */
	PHASE_APPLIED,       /* no batch is left */
	PHASE_PAUSED,        /* no batch is left, and the screen is paused: nothing is judged */
	PHASE_TIRED,         /* no batch is left, and the last judgement is too recent */
	PHASE_NOTED,         /* the windows are complete */
	PHASE_JUDGED,        /* the diagnosis is complete */
	PHASE_OVERTAKEN,     /* the model was judged as a whole, out of turn */
	PHASE_KEYFRAME_DUE,  /* the recording wants a keyframe */
	PHASE_KEYFRAME_OVER, /* the keyframe is saved, or was given up */
	PHASE_EVENT_COUNT
};

/*
 * The phase after an event. PHASE_NEWS during work keeps the phase: the caller remembers it and
 * raises it again at the end. PHASE_NONE: the event cannot happen in this phase.
 */
enum phase phase_after(enum phase phase, enum phase_event event);
/* True while a turn of the loop has work to do in this phase. */
bool phase_works(enum phase phase);

#endif
