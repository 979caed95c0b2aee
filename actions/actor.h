/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_ACTOR_H
#define ACTIONS_ACTOR_H

#include "actions/act_plan.h"
#include "actions/acts.h"

/*
 * The thread that talks to the one device and writes the ledger. Private to actions/: acts.c is its
 * only user. It knows no model; what it learns comes back as events.
 */
struct actor;

enum actor_event_kind {
	ACTOR_SAW,     /* the condition was read: condition */
	ACTOR_NOTE,    /* something happened: text, tone */
	ACTOR_DONE,    /* condition is the one read back */
	ACTOR_FAILED,  /* nothing was changed, or all of it was taken back; err */
	ACTOR_UNKNOWN, /* err */
};
struct actor_event {
	struct actor_event *next;
	enum actor_event_kind kind;
	struct condition condition;
	struct err err;
	enum plan_tone tone;
	char text[240];
	struct facts facts; /* with ACTOR_SAW: what the device's detection taught; the taker's */
};

struct actor_opts {
	const struct plan *plan;
	const struct clock *clock;
	void (*wake)(void *ctx);
	void *ctx;
	const struct transport *(*transport)(enum transport_kind kind);
	const char *ledger, *kill_switch;
	const struct who *who;
};
struct actor *actor_start(const struct actor_opts *o, struct err *err);
void actor_stop(struct actor *a);

/* Connects to the device if it is not, and reads what order needs. Answered by ACTOR_SAW/FAILED. */
void actor_look(struct actor *a, const struct plan_device *d, const struct order *o);
/*
 * Does the plan: locks and opens the ledger, asks it again (rates, cool-down, unfinished, kill
 * switch), writes "begun", reads the device again and compares with plan->before, then each step.
 * The plan becomes the actor's.
 */
void actor_run(struct actor *a, struct act_plan *plan, const struct consent *c,
	const char *snapshot, const char *snapshot_sha256);
/* Writes one line about an act that is over (LEDGER_WATCHED, LEDGER_REFUSED). */
void actor_write(struct actor *a, enum ledger_event e, const char *act, json_t *detail);
/* Ends the connection to the device. */
void actor_leave(struct actor *a);
/* All events so far, oldest first; the caller frees each (actor_event_free()). */
struct actor_event *actor_take(struct actor *a);
void actor_event_free(struct actor_event *e);

#endif
