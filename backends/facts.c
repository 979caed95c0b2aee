/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/facts.h"

#include <string.h>

#include "base/str.h"

static struct fact *find(const struct facts *f, const char *key)
{
	for (size_t i = 0; i < f->at.n; i++)
		if (str_eq(f->at.at[i].key, key))
			return &f->at.at[i];
	return NULL;
}

const char *facts_get(const struct facts *f, const char *key)
{
	const struct fact *known = f ? find(f, key) : NULL;

	return known ? known->value : "";
}

void facts_set(struct facts *f, const char *key, const char *value)
{
	struct fact *fact = find(f, key);

	if (!*key || strlen(key) >= sizeof(fact->key) || strlen(value) >= sizeof(fact->value))
		return;
	if (!fact && (!*value || f->at.n >= FACTS_MAX))
		return;
	if (fact && str_eq(fact->value, value))
		return;
	f->edits++;
	if (!*value) {
		*fact = f->at.at[--f->at.n];
		return;
	}
	if (!fact) {
		fact = vec_add(&f->at);
		(void)str_copy(fact->key, sizeof(fact->key), key);
	}
	(void)str_copy(fact->value, sizeof(fact->value), value);
}

void facts_learn(struct facts *f, const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_FACT)
			facts_set(f, obs_text(o, it->text), obs_text(o, it->text2));
	}
}

void facts_free(struct facts *f)
{
	f->edits++;
	vec_free(&f->at);
}
