/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/act_plan.h"

#include <string.h>

#include "base/str.h"

bool act_plan_make(const struct place_of_action *at, const struct action_ops *action,
	const struct condition *now, struct act_plan *out, struct err *err)
{
	memset(out, 0, sizeof(*out));
	out->action = action;
	out->before = *now;
	return action->compose(at, now, &out->steps, err);
}

void act_plan_free(struct act_plan *p)
{
	steps_free(&p->steps);
}

void act_plan_seal(struct act_plan *p)
{
	p->hash[0] = '\0';
}

void request_line(const struct request *r, char *dst, size_t size)
{
	(void)str_copy(dst, size, r->command ? r->command : r->path);
}

void act_plan_lines(const struct act_plan *p, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx)
{
	(void)width;
	line(ctx, TONE_HEAD, p->place);
}

json_t *act_plan_json(const struct act_plan *p)
{
	(void)p;
	return json_object();
}

json_t *condition_json(const struct condition *c)
{
	(void)c;
	return json_object();
}
