/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/string_pool.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BUCKETS_LEAST 64

/* Not built on uthash: its handle is larger than most texts. */
struct text {
	struct text *next;
	uint32_t hash, owners;
	char at[];
};

struct string_pool {
	struct text **buckets;
	size_t size, n;
};

struct string_pool *string_pool_new(void)
{
	struct string_pool *t = mem_calloc(1, sizeof(*t));

	t->size = BUCKETS_LEAST;
	t->buckets = mem_calloc(t->size, sizeof(struct text *));
	return t;
}

void string_pool_free(struct string_pool *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->size; i++)
		while (t->buckets[i]) {
			struct text *e = t->buckets[i];

			t->buckets[i] = e->next;
			free(e);
		}
	free(t->buckets);
	free(t);
}

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h;
}

static struct text **bucket_of(const struct string_pool *t, uint32_t hash)
{
	return &t->buckets[hash & (t->size - 1)];
}

static void grow_buckets(struct string_pool *t)
{
	struct text **was = t->buckets;
	size_t n = t->size;

	t->size *= 2;
	t->buckets = mem_calloc(t->size, sizeof(struct text *));
	for (size_t i = 0; i < n; i++)
		for (struct text *e = was[i], *next; e; e = next) {
			struct text **b = bucket_of(t, e->hash);

			next = e->next;
			e->next = *b;
			*b = e;
		}
	free(was);
}

static const char *acquire_text(struct string_pool *t, const char *text)
{
	uint32_t hash = hash_of(text);
	size_t len = strlen(text);
	struct text *e, **b;

	for (e = *bucket_of(t, hash); e; e = e->next)
		if (e->hash == hash && strcmp(e->at, text) == 0) {
			e->owners++;
			return e->at;
		}
	if (t->n == t->size)
		grow_buckets(t);
	b = bucket_of(t, hash);
	e = mem_alloc(sizeof(*e) + len + 1);
	*e = (struct text){.next = *b, .hash = hash, .owners = 1};
	memcpy(e->at, text, len + 1);
	*b = e;
	t->n++;
	return e->at;
}

static void release_text(struct string_pool *t, const char *text)
{
	struct text *e = (struct text *)(void *)((uintptr_t)text - offsetof(struct text, at));
	struct text **b = bucket_of(t, e->hash);

	if (--e->owners)
		return;
	while (*b != e)
		b = &(*b)->next;
	*b = e->next;
	t->n--;
	free(e);
}

void string_pool_set(struct string_pool *t, const char **at, const char *text)
{
	const char *was = *at;

	/* Take the new text before the old one is released: both may be the same. */
	*at = *text ? acquire_text(t, text) : "";
	if (*was)
		release_text(t, was);
}
