/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static struct fact *find_fact(const struct facts *f, const char *key)
{
	for (size_t i = 0; i < f->at.n; i++)
		if (str_eq(f->at.at[i].name, key))
			return &f->at.at[i];
	return NULL;
}

const char *facts_get(const struct facts *f, const char *key)
{
	const struct fact *known = f ? find_fact(f, key) : NULL;

	return known ? known->text : "";
}

/* A device has dozens of facts of a few bytes each, so each uses no more memory than it needs. */
static void fact_put(struct fact *f, const char *key, const char *value)
{
	size_t n = strlen(key) + 1, len = strlen(value) + 1;
	char *room = mem_alloc(n + len);

	memcpy(room, key, n);
	memcpy(room + n, value, len);
	free(f->name);
	f->name = room;
	f->text = room + n;
}

void facts_set(struct facts *f, const char *key, const char *value)
{
	struct fact *fact = find_fact(f, key);

	if (!*key || strlen(key) >= FACT_KEY_SIZE || strlen(value) >= FACT_VALUE_SIZE)
		return;
	if (!fact && (!*value || f->at.n >= FACTS_MAX))
		return;
	if (fact && str_eq(fact->text, value))
		return;
	f->edits++;
	f->read_edits += !str_starts(key, FACT_ASK);
	if (!*value) {
		free(fact->name);
		*fact = f->at.at[--f->at.n];
		return;
	}
	fact_put(fact ? fact : vec_add(&f->at), key, value);
}

void facts_learn(struct facts *f, const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_FACT)
			facts_set(f, obs_text(o, it->text), obs_text(o, it->text2));
	}
}

bool facts_news(const struct facts *f, const struct obs *o)
{
	for (; f && o; o = o->more)
		for (size_t i = 0; i < o->items.n; i++) {
			const struct obs_item *it = &o->items.at[i];

			if (it->kind == OBS_FACT && !str_eq(facts_get(f, obs_text(o, it->text)),
							    obs_text(o, it->text2)))
				return true;
		}
	return false;
}

void facts_free(struct facts *f)
{
	f->edits++;
	f->read_edits++;
	for (size_t i = 0; i < f->at.n; i++)
		free(f->at.at[i].name);
	vec_free(&f->at);
}
