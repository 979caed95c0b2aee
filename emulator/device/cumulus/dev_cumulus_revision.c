/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* NVUE's changesets: created, filled, applied, queried. */

struct cumulus_revision *cumulus_revision_new(struct machine *m)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	unsigned id = ++box->revisions;
	struct cumulus_revision *r = &box->revision[id % CUMULUS_REVISIONS];

	/* Replaces the oldest revision; a switch keeps a bounded history too. */
	json_decref(r->patch);
	*r = (struct cumulus_revision){.id = id, .since_us = sim_now(m->ctx->sim)};
	r->patch = json_object();
	return r;
}

struct cumulus_revision *cumulus_revision(struct machine *m, const char *id)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	struct cumulus_revision *r;
	uint64_t n;

	if (!strcmp(id, "pending"))
		n = box->cli;
	else if (!strcmp(id, "applied"))
		n = box->applied;
	else if (!str_to_u64(id, &n))
		return NULL;
	r = &box->revision[n % CUMULUS_REVISIONS];
	return n && r->id == n ? r : NULL;
}

const char *cumulus_revision_state(const struct machine *m, struct cumulus_revision *r)
{
	int64_t age = sim_now(m->ctx->sim) - r->since_us;

	switch (r->phase) {
	case CUMULUS_PENDING:
		return "pending";
	case CUMULUS_ASKING:
		if (age < CUMULUS_ASK_US)
			return "ays";
		r->phase = CUMULUS_FAILED;
		(void)str_copy(r->message, sizeof(r->message),
			"Timeout while waiting for client response");
		return "ays_fail";
	case CUMULUS_APPLIED:
		if (age < CUMULUS_PHASE_US)
			return "ready";
		return age < 2 * CUMULUS_PHASE_US ? "reloading" : "applied";
	case CUMULUS_FAILED:
		break;
	}
	return str_starts(r->message, "Timeout") ? "ays_fail" : "invalid";
}

json_t *cumulus_revision_json(const struct machine *m, struct cumulus_revision *r)
{
	const char *state = cumulus_revision_state(m, r);
	json_t *issue = json_object();
	const char *progress = "";

	if (r->phase == CUMULUS_ASKING)
		progress = "Are you sure?";
	if (r->phase == CUMULUS_FAILED) {
		bool timeout = !strcmp(state, "ays_fail");

		progress = timeout ? "Aborted apply after warnings" : "Invalid config";
		(void)json_object_set_new(issue, "0",
			json_pack("{s:s,s:{},s:s,s:s}", "code",
				timeout ? "client_timeout" : "config_invalid", "data", "message",
				r->message, "severity", "error"));
	}
	return json_pack("{s:s,s:{s:o,s:s}}", "state", state, "transition", "issue", issue,
		"progress", progress);
}

void cumulus_apply(struct machine *m, struct cumulus_revision *r, bool yes)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	bool disruptive = false;

	if (r->phase == CUMULUS_APPLIED)
		return;
	r->since_us = sim_now(m->ctx->sim);
	r->phase = CUMULUS_FAILED;
	if (!cumulus_patch(m, r->patch, false, &disruptive, r->message))
		return;
	/* A change of PFC or ECN rebuilds the buffers: NVUE warns about that. */
	if (disruptive && !yes) {
		r->phase = CUMULUS_ASKING;
		return;
	}
	(void)cumulus_patch(m, r->patch, true, NULL, r->message);
	r->phase = CUMULUS_APPLIED;
	box->applied = r->id;
	if (box->cli == r->id)
		box->cli = 0;
}

/* An enumeration, written as an object with one empty member, replaces the other members. */
static bool is_enumeration(const char *key, const json_t *value)
{
	return !strcmp(key, "state") && json_object_size(value) == 1;
}

void cumulus_merge(json_t *into, const json_t *from)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)from, key, value)
	{
		json_t *old = json_object_get(into, key);

		if (json_is_object(old) && json_is_object(value) && !is_enumeration(key, value))
			cumulus_merge(old, value);
		else
			(void)json_object_set_new_nocheck(into, key, json_deep_copy(value));
	}
}

bool cumulus_stage(struct machine *m, struct cumulus_revision *r, const char *const *words,
	unsigned n, json_t *body, char why[160])
{
	json_t *all = json_deep_copy(r->patch);
	bool ok;

	while (n--)
		body = json_pack("{s:o}", words[n], body);
	if (json_is_object(body))
		cumulus_merge(all, body);
	ok = json_is_object(body) && cumulus_patch(m, all, false, NULL, why);
	if (!json_is_object(body))
		(void)str_copy(why, 160, "The body is not an object");
	json_decref(body);
	if (!ok) {
		json_decref(all);
		return false;
	}
	json_decref(r->patch);
	r->patch = all;
	return true;
}
