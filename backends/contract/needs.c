/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/needs.h"

#include "base/str.h"
#include "fabric/vocabulary/counters.h"

void need_say(struct obs *o, enum need_id need, enum validity v, const char *cure)
{
	obs_capability(o, need_info[need].name, v, cure);
}

struct need_state {
	enum validity validity;
	uint32_t cure; /* offset in the batch's strings */
};

/* Collects the validity of each counter in the batch; of several reasons the last one counts. */
static void need_states(const struct obs *o, struct need_state state[COUNTER_COUNT])
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *item = &o->items.at[i];
		struct need_state *s;

		if (item->kind > OBS_VALID)
			continue;
		s = &state[cell_info[item->cell].id];
		if (item->kind != OBS_VALID)
			s->validity = VALID_OK;
		else if (s->validity != VALID_OK)
			*s = (struct need_state){item->code, item->text};
	}
}
_Static_assert(OBS_COUNT < OBS_VALID && OBS_GAUGE < OBS_VALID && OBS_VALID < OBS_NUMBER,
	"need_states() takes those up to OBS_VALID");

/* False: the batch has no item of the need's counter. */
static bool report_need(
	struct obs *o, const struct need_state state[COUNTER_COUNT], enum need_id need)
{
	const struct need_state *s;
	char cure[256];

	if (need_info[need].counter == COUNTER_COUNT)
		return false;
	s = &state[need_info[need].counter];
	if (s->validity == VALID_UNKNOWN)
		return false;
	/* Copied: adding a string may move the batch's strings. */
	str_copy(cure, sizeof(cure), s->validity == VALID_OK ? "" : obs_text(o, s->cure));
	need_say(o, need, s->validity, cure);
	return true;
}

void needs_report(struct obs *o, const enum need_id *needs, size_t n)
{
	struct need_state state[COUNTER_COUNT] = {0};

	need_states(o, state);
	for (size_t i = 0; i < n; i++)
		(void)report_need(o, state, needs[i]);
}

void needs_say(struct obs *o, need_set needs, enum validity v, const char *cure)
{
	for (unsigned i = 0; i < NEED_COUNT; i++)
		if (needs >> i & 1)
			need_say(o, (enum need_id)i, v, cure);
}

void needs_settle(struct obs *o, need_set needs, need_set met, const char *cure)
{
	struct need_state state[COUNTER_COUNT] = {0};

	need_states(o, state);
	for (unsigned i = 0; i < NEED_COUNT; i++) {
		enum need_id need = (enum need_id)i;

		if (!(needs >> i & 1))
			continue;
		if (met >> i & 1)
			need_say(o, need, VALID_OK, "");
		else if (!report_need(o, state, need))
			need_say(o, need, VALID_UNSUPPORTED, cure);
	}
}
