/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EMULATOR_SUPPORT_RIG_CUMULUS_H
#define TESTS_EMULATOR_SUPPORT_RIG_CUMULUS_H

#include "tests/emulator/support/rig.h"

/* A spine of the rig that speaks Cumulus, and NVUE by REST without a network. */

#define NVUE_SWITCH "spine-000"
#define NVUE_API    "/nvue_v1"

int nvue_setup(void **state); /* *state: struct rig */
int nvue_teardown(void **state);
struct sim_device *nvue_switch(struct rig *r);
/* The status of one request; the body is in r->out. */
unsigned nvue_ask(
	struct rig *r, const char *method, const char *path, const char *query, const char *body);
json_t *nvue_body(struct rig *r); /* the caller's */
/* GET of an operational item that is there; the caller's. */
json_t *nvue_get(struct rig *r, const char *path);
/* "link>stats>in-bytes"; fails when there is nothing. */
json_t *nvue_at(json_t *o, const char *path);
void nvue_text(json_t *o, const char *path, const char *want);
void nvue_number(json_t *o, const char *path, uint64_t want);

/* Opens a revision. */
void nvue_open(struct rig *r, char id[16]);
/* PATCH of a path in a revision; want: the status. */
void nvue_write(struct rig *r, const char *id, const char *path, const char *body, unsigned want);
/* yes: and answers the question that may come. */
void nvue_apply(struct rig *r, const char *id, bool yes);
void nvue_state(struct rig *r, const char *id, const char *want);
/* The sessions of the first two ports, in any fabric: one up for 214 s, one down. */
void nvue_sessions(struct sim_device *d);

#endif
