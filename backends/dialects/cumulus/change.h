/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CUMULUS_CHANGE_H
#define BACKENDS_DIALECTS_CUMULUS_CHANGE_H

#include "backends/contract/change.h"
#include "backends/parse/json_value.h"

/*
 * Changes through NVUE. Over HTTPS each change is a revision of its own, which is created, filled,
 * applied, and polled until it is applied. So no pending change of another user is applied with it.
 * In a shell `nv` fills the one revision that is pending for the user. So a change is made only if
 * none is pending, and a revision that cannot be applied is detached.
 *
 * No question is answered in advance. If NVUE asks (it would overwrite files edited by hand, or
 * restart a service), nothing is applied. Since 5.9 NVUE saves the configuration that it applies
 * (auto-save): a drain survives a reboot there, and not before.
 *
 * The BGP neighbour of a link is the one with the port's name (BGP unnumbered); another one must be
 * named by the order.
 */
extern const struct dialect_changes cumulus_changes;

/* A query for the condition: a path of NVUE's tree, '%' is the port. */
struct cumulus_question {
	const char *name, *path;
	unsigned verbs; /* verbs that need it */
	bool config;    /* read the applied configuration, not the operational state */
	bool vital;     /* required: without it the condition is unknown */
	void (*see)(const struct order *o, const struct json_value *v, struct condition *c);
};
extern const struct cumulus_question cumulus_questions[];
extern const size_t cumulus_question_count;
/* Over SSH: the pending changes, which `nv config apply` would apply as well. */
#define CUMULUS_PENDING "change-pending"
#define CUMULUS_DIFF    "nv config diff"

/* Decodes all answers: change_readback.c. */
bool cumulus_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

#endif
