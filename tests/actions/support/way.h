/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ACTIONS_SUPPORT_WAY_H
#define TESTS_ACTIONS_SUPPORT_WAY_H

#include <stdatomic.h>

#include "actions/manager/manager.h"
#include "tests/actions/support/fake.h"
#include "tests/actions/support/site.h"

/* The way of an action from end to end: the site's model, a fake leaf-r0-00, a ledger of its own.
 */
struct way {
	struct who who; /* the operator */
	struct site *site;
	struct fake fake;
	struct action_manager *acts;
	struct clock clock;
	_Atomic int64_t now_us;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	unsigned wakes;
	char dir[64], ledger[96], kill_switch[96];
	struct consent consent;
	unsigned snapshots;
	bool snapshot_fails;
	struct fake_setting before;
};

/* The action, its port, and the state of the fabric in which it makes sense. */
struct way_case {
	const char *action;
	bool staged;
};
extern const struct way_case way_cases[];
extern const size_t way_ncases;

struct way *way_new(void);
void way_free(struct way *r);
/* Makes the device and the model fit for the action. */
void way_fit(struct way *r, const struct way_case *c);
/* Opens another one on the same ledger. */
struct action_manager *way_open(struct way *r, struct err *err);
/* Waits for news and takes them, until the stage is another one; fails the test after a minute. */
enum act_stage way_leave_stage(struct way *r, enum act_stage s);
bool way_begin(struct way *r, const char *action, struct err *err);
/* Begins, and waits for the plan; fails the test unless it stands. */
void way_plan(struct way *r, const char *action);
bool way_go(struct way *r, struct err *err);
/* All of it. The stage in which it ends; DONE for WATCHING. */
enum act_stage way_do(struct way *r, const char *action);
/* Time goes on, with polls. */
void way_polls(struct way *r, unsigned n);
/* How often the ledger has lines of the event. */
unsigned way_lines(const struct way *r, const char *event);
/* A line of the event has the text somewhere. */
bool way_says(const struct way *r, const char *event, const char *text);
/*
 * Compares the ledger with the device's log. Every change that arrived was announced, with the same
 * text and in order. Every claim is true; the claimed end is the device's state.
 */
void way_check(struct way *r, enum act_stage ended);
bool way_noted(const struct way *r, const char *text);
void way_print(const struct way *r);

#endif
