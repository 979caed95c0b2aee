/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/engine_series.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SIZE_FIRST ((size_t)1 << 12)
#define SIZE_MOST  ((size_t)1 << 25)

void known_free(struct series_table *t)
{
	free(t->at);
	memset(t, 0, sizeof(*t));
}

struct series *known_find(struct series_table *t, uint64_t key)
{
	size_t mask = t->size - 1;

	if (!t->size)
		return NULL;
	for (size_t i = (size_t)key & mask; t->at[i].key; i = (i + 1) & mask)
		if (t->at[i].key == key)
			return &t->at[i];
	return NULL;
}

static struct series *place_for(struct series_table *t, uint64_t key)
{
	size_t mask = t->size - 1, i = (size_t)key & mask;

	while (t->at[i].key)
		i = (i + 1) & mask;
	return &t->at[i];
}

static void make_room(struct series_table *t, int64_t old_us)
{
	struct series *was = t->at;
	size_t n = t->size, kept = 0;

	for (size_t i = 0; i < n; i++)
		kept += was[i].key && was[i].seen_us >= old_us;
	t->size = n ? n : SIZE_FIRST;
	while (kept * 2 >= t->size && t->size < SIZE_MOST)
		t->size *= 2;
	t->at = mem_calloc(t->size, sizeof(*t->at));
	t->n = 0;
	t->moved++;
	for (size_t i = 0; i < n; i++) {
		if (!was[i].key || was[i].seen_us < old_us)
			continue;
		*place_for(t, was[i].key) = was[i];
		t->n++;
	}
	free(was);
}

struct series *known_add(struct series_table *t, uint64_t key, int64_t old_us)
{
	struct series *s;

	if (t->n * 4 >= t->size * 3)
		make_room(t, old_us);
	if (t->n * 8 >= t->size * 7)
		return NULL;
	s = place_for(t, key);
	memset(s, 0, sizeof(*s));
	s->key = key;
	t->n++;
	return s;
}
