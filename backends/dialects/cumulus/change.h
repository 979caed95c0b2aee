/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CUMULUS_CHANGE_H
#define BACKENDS_DIALECTS_CUMULUS_CHANGE_H

#include "backends/contract/change.h"
#include "backends/parse/json_value.h"

/*
 * Changes by NVUE. Over HTTPS each is a revision of its own: made, filled, applied, and asked about
 * until it is applied, so that nothing of anybody else's is applied with it. In a shell `nv` fills
 * the one revision that is pending for the user: only where there is none, and what cannot be
 * applied is detached from.
 *
 * Nothing is answered in advance: where NVUE asks (files edited by hand that it would overwrite, a
 * service to restart), nothing is applied. Since 5.9 it saves what it applies (auto-save): a drain
 * survives a reboot there, and not before.
 *
 * The neighbour of a link is the one that has the port's name (BGP unnumbered); another one has to
 * be named by the order.
 */
extern const struct dialect_changes cumulus_changes;

/* The questions of look(), by what they are about; a path of NVUE's tree each, '%' is the port. */
struct cumulus_question {
	const char *name, *path;
	unsigned verbs; /* asked for these */
	bool config;    /* of what is applied, not of what is */
	bool vital;     /* without it nothing is known */
	void (*see)(const struct order *o, const struct dv *v, struct condition *c);
};
extern const struct cumulus_question cumulus_questions[];
extern const size_t cumulus_question_count;
/* Over SSH: what `nv config apply` would apply as well. */
#define CUMULUS_PENDING "change-pending"
#define CUMULUS_DIFF    "nv config diff"

/* see() for all of them: change_readback.c. */
bool cumulus_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

#endif
