/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/needs.h"

#include "base/str.h"

void need_say(struct obs *o, enum need_id need, enum validity v, const char *cure)
{
	obs_capability(o, need_info[need].name, v, cure);
}

struct need_state {
	enum validity validity;
	uint32_t cure; /* offset in the batch's strings */
};

static void need_note(struct need_state *s, const struct obs_item *item)
{
	if (item->kind == OBS_COUNT || item->kind == OBS_GAUGE) {
		s->validity = VALID_OK;
	} else if (item->kind == OBS_VALID && s->validity != VALID_OK) {
		s->validity = item->code;
		s->cure = item->text;
	}
}

void needs_report(struct obs *o, const enum need_id *needs, size_t n)
{
	struct need_state state[COUNTER_COUNT] = {0};

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *item = &o->items.at[i];

		if (item->kind == OBS_COUNT || item->kind == OBS_GAUGE || item->kind == OBS_VALID)
			need_note(&state[counter_of_cell(item->cell, NULL)], item);
	}
	for (size_t i = 0; i < n; i++) {
		const struct need_state *s;
		char cure[256];

		if (need_info[needs[i]].counter == COUNTER_COUNT)
			continue;
		s = &state[need_info[needs[i]].counter];
		if (s->validity == VALID_UNKNOWN)
			continue;
		/* Copied: adding a string may move the batch's strings. */
		str_copy(cure, sizeof(cure), s->validity == VALID_OK ? "" : obs_text(o, s->cure));
		need_say(o, needs[i], s->validity, cure);
	}
}

void needs_say(struct obs *o, need_set needs, enum validity v, const char *cure)
{
	for (unsigned i = 0; i < NEED_COUNT; i++)
		if (needs >> i & 1)
			need_say(o, (enum need_id)i, v, cure);
}

void needs_settle(struct obs *o, need_set needs, need_set met, const char *cure)
{
	for (unsigned i = 0; i < NEED_COUNT; i++) {
		enum need_id need = (enum need_id)i;
		size_t before = o->items.n;

		if (!(needs >> i & 1))
			continue;
		if (met >> i & 1) {
			need_say(o, need, VALID_OK, "");
			continue;
		}
		needs_report(o, &need, 1);
		if (o->items.n == before)
			need_say(o, need, VALID_UNSUPPORTED, cure);
	}
}
