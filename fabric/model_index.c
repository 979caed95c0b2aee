/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model_index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/types.h"

#define BUCKETS_LEAST 8

/* There are some for each port: an entry is no larger than it must be. */
struct entry {
	struct entry *next;          /* of the same bucket */
	struct entry *older, *newer; /* of the index */
	void *thing;
	uint32_t hash;
	uint8_t rank; /* enum name_rank */
	char name[];
};

struct index {
	struct entry **buckets;
	size_t size, n;
	struct entry *oldest, *newest;
};

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h;
}

static struct entry *find(const struct index *x, const char *name)
{
	uint32_t hash = hash_of(name);

	for (struct entry *e = x ? x->buckets[hash & (x->size - 1)] : NULL; e; e = e->next)
		if (e->hash == hash && strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

static void put_into_bucket(struct index *x, struct entry *e)
{
	struct entry **b = &x->buckets[e->hash & (x->size - 1)];

	e->next = *b;
	*b = e;
}

static void grow(struct index *x)
{
	x->size = x->size ? x->size * 2 : BUCKETS_LEAST;
	free(x->buckets);
	x->buckets = mem_calloc(x->size, sizeof(struct entry *));
	for (struct entry *e = x->oldest; e; e = e->newer)
		put_into_bucket(x, e);
}

static void add(struct index *x, const char *name, enum name_rank rank, void *thing)
{
	size_t len = strlen(name);
	struct entry *e = mem_alloc(sizeof(*e) + len + 1);

	*e = (struct entry){
		.older = x->newest, .thing = thing, .hash = hash_of(name), .rank = (uint8_t)rank};
	memcpy(e->name, name, len + 1);
	if (x->n == x->size)
		grow(x);
	if (x->newest)
		x->newest->newer = e;
	else
		x->oldest = e;
	x->newest = e;
	x->n++;
	put_into_bucket(x, e);
}

void index_put(void **index, const char *name, enum name_rank rank, void *thing)
{
	struct entry *e;

	if (!*name || strlen(name) >= NAME_MAX_LEN)
		return;
	e = find(*index, name);
	if (!e) {
		if (!*index)
			*index = mem_calloc(1, sizeof(struct index));
		add(*index, name, rank, thing);
	} else if (rank < e->rank) {
		e->rank = (uint8_t)rank;
		e->thing = thing;
	}
}

void index_drop(void **index, const char *name, enum name_rank rank, const void *thing)
{
	struct index *x = *index;
	struct entry *e = find(x, name), **b;

	if (!e || e->thing != thing || e->rank != rank)
		return;
	b = &x->buckets[e->hash & (x->size - 1)];
	while (*b != e)
		b = &(*b)->next;
	*b = e->next;
	*(e->older ? &e->older->newer : &x->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &x->newest) = e->older;
	free(e);
	if (!--x->n)
		index_free(index);
}

void *index_get(const void *index, const char *name)
{
	struct entry *e = find(index, name);

	return e ? e->thing : NULL;
}

void index_free(void **index)
{
	struct index *x = *index;

	if (!x)
		return;
	for (struct entry *e = x->oldest, *newer; e; e = newer) {
		newer = e->newer;
		free(e);
	}
	free(x->buckets);
	free(x);
	*index = NULL;
}

size_t index_size(const void *index)
{
	return index ? ((const struct index *)index)->n : 0;
}

bool index_next(const void *index, struct index_at *a)
{
	const struct index *x = index;
	const struct entry *e = a->name ? a->next : x ? x->oldest : NULL;

	if (!e)
		return false;
	*a = (struct index_at){e->name, (enum name_rank)e->rank, e->thing, e->newer};
	return true;
}
