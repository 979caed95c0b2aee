/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/engine_series.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SIZE_FIRST ((size_t)1 << 12)
#define SIZE_MOST  ((size_t)3 << 23) /* 25 million */

void known_free(struct series_table *t)
{
	free(t->at);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

struct series *known_find(struct series_table *t, uint64_t key, size_t *hint)
{
	size_t i = *hint;

	if (i < t->n && t->at[i].key == key) {
		*hint = i + 1;
		return &t->at[i];
	}
	if (!t->slots)
		return NULL;
	for (size_t k = (size_t)key & t->mask; t->slots[k]; k = (k + 1) & t->mask) {
		i = t->slots[k] - 1;
		if (t->at[i].key != key)
			continue;
		*hint = i + 1;
		return &t->at[i];
	}
	return NULL;
}

static void put_slot(struct series_table *t, size_t i)
{
	size_t k = (size_t)t->at[i].key & t->mask;

	while (t->slots[k])
		k = (k + 1) & t->mask;
	t->slots[k] = (uint32_t)(i + 1);
}

static void make_room(struct series_table *t, int64_t old_us)
{
	size_t kept = 0, slots = 2 * SIZE_FIRST;

	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].seen_us >= old_us)
			t->at[kept++] = t->at[i];
	t->n = kept;
	if (kept >= t->size / 2)
		t->size = t->size ? t->size + t->size / 2 : SIZE_FIRST;
	t->size = t->size < SIZE_MOST ? t->size : SIZE_MOST;
	t->at = mem_realloc(t->at, t->size, sizeof(*t->at));
	/* Half of the slots at least are free: chains are short. */
	while (slots < 2 * t->size)
		slots *= 2;
	free(t->slots);
	t->slots = mem_calloc(slots, sizeof(*t->slots));
	t->mask = slots - 1;
	for (size_t i = 0; i < kept; i++)
		put_slot(t, i);
}

struct series *known_add(struct series_table *t, uint64_t key, int64_t old_us)
{
	struct series *s;

	/* When it is full of what is current, it is not gone through for each that is too many. */
	if (t->n == t->size && (t->size < SIZE_MOST || old_us > t->cleared_us)) {
		t->cleared_us = old_us;
		make_room(t, old_us);
	}
	if (t->n == t->size)
		return NULL;
	s = &t->at[t->n];
	memset(s, 0, sizeof(*s));
	s->key = key;
	put_slot(t, t->n++);
	return s;
}
