/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/actor.h"

#include <stdlib.h>

struct actor *actor_start(const struct actor_opts *o, struct err *err)
{
	(void)o;
	(void)err_set(err, ERR_INTERNAL, "actions", "not yet");
	return NULL;
}

void actor_stop(struct actor *a)
{
	(void)a;
}

void actor_look(struct actor *a, const struct plan_device *d, const struct order *o)
{
	(void)a, (void)d, (void)o;
}

void actor_run(struct actor *a, struct act_plan *plan, const struct consent *c,
	const char *snapshot, const char *snapshot_sha256)
{
	(void)a, (void)plan, (void)c, (void)snapshot, (void)snapshot_sha256;
}

void actor_write(struct actor *a, enum ledger_event e, const char *act, json_t *detail)
{
	(void)a, (void)e, (void)act;
	json_decref(detail);
}

void actor_leave(struct actor *a)
{
	(void)a;
}

struct actor_event *actor_take(struct actor *a)
{
	(void)a;
	return NULL;
}

void actor_event_free(struct actor_event *e)
{
	free(e);
}
