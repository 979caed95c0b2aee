/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EMULATOR_SUPPORT_RIG_H
#define TESTS_EMULATOR_SUPPORT_RIG_H

#include <jansson.h>

#include "emulator/device/personality.h"

/* A fabric of ref256 after a minute of traffic, and its devices' answers without a network. */
struct rig {
	struct sim *sim;
	struct personality_ctx *ctx;
	struct buf out, err;
	struct http_reply reply; /* of the last rig_http() */
};

#define RIG_START INT64_C(1763726000000000)
#define RIG_NOW   (RIG_START + 60 * INT64_C(1000000))

void rig_open(struct rig *r, const char *fault); /* fault: NULL or a spec */
void rig_close(struct rig *r);
/* The fixture: *state is such a rig without a fault. */
int rig_setup(void **state);
int rig_teardown(void **state);
struct sim_device *rig_device(struct rig *r, const char *name);
/* The exit status; r->out and r->err hold the output, never NULL. */
int rig_exec(struct rig *r, const char *device, const char *command, const char *input);
/* The status; r->out holds the body. As a user with the right password, or as the one in q. */
unsigned rig_http(
	struct rig *r, const char *device, const char *method, const char *path, const char *body);
unsigned rig_http_as(struct rig *r, const char *device, const struct http_request *q);
/* One eAPI request for a list of commands, as JSON; the reply is the caller's. */
json_t *rig_eapi(struct rig *r, const char *device, const char *commands, const char *format);

/* The element at "a>b>0>c": keys and indexes; NULL where there is none. */
json_t *rig_at(json_t *o, const char *path);
/* Fails unless the device shows the wanted text under each fault, in a rig of its own. */
struct rig_fault_case {
	const char *fault, *command, *want; /* want: in the output */
};
void rig_shows_faults(const char *device, const struct rig_fault_case *cases, size_t n);

/* A file of the captures that the tests may have beside the project; NULL: not here. */
json_t *rig_capture_json(const char *file);
char *rig_capture_text(const char *file);
/* Every key of want that is missing in have, recursively through objects; prints and counts. */
unsigned rig_missing_keys(const json_t *want, const json_t *have, const char *where);

#endif
