/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_BEHAVIOUR_H
#define TESTS_INTEGRATION_SUPPORT_BEHAVIOUR_H

#include <stdatomic.h>

#include "backends/contract/backend.h"

/*
 * The plan and the parser of a dialect that stands in for all vendors. The first letters of a
 * device's name ("hang-0", "flood-1") select its request and so its behaviour.
 */

/* The answers of "stubborn" devices, each of which asks for a repetition. */
extern atomic_uint behaviour_stubborn;

/*
 * The script of the "script" devices, and the log that "log" devices follow. Before any thread
 * runs.
 */
void behaviour_set(const char *script_path, const char *log_path);
/* backend_ops.plan and .parse */
bool behaviour_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err);
bool behaviour_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *out, struct err *err);

#endif
