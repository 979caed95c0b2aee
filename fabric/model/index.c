/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/vocabulary/types.h"

#define BUCKETS_LEAST 8
#define ENTRY_NONE    ((1U << ENTRY_BITS) - 1)
#define ENTRY_BITS    29

/*
 * There are several entries per port, so each is as small as possible: all entries in one array,
 * all names in one buffer. Entries are in order of arrival.
 */
struct entry {
	void *thing; /* NULL: dropped */
	uint32_t hash;
	uint32_t name;              /* offset in names */
	uint32_t next : ENTRY_BITS; /* next entry of the same bucket */
	uint32_t rank : 3;          /* enum name_rank */
};

struct index {
	uint32_t *buckets;
	struct entry *at;
	char *names;
	uint32_t nbuckets; /* a power of two */
	uint32_t n, size;  /* entries including dropped ones; capacity */
	uint32_t dropped;
	uint32_t used, room; /* bytes of names */
};

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h;
}

static uint32_t *bucket_of(const struct index *x, uint32_t hash)
{
	return &x->buckets[hash & (x->nbuckets - 1)];
}

static struct entry *find_entry(const struct index *x, const char *name)
{
	uint32_t hash = hash_of(name);

	for (uint32_t i = x ? *bucket_of(x, hash) : ENTRY_NONE; i != ENTRY_NONE; i = x->at[i].next)
		if (x->at[i].hash == hash && strcmp(x->names + x->at[i].name, name) == 0)
			return &x->at[i];
	return NULL;
}

static void put_into_bucket(struct index *x, uint32_t i)
{
	uint32_t *b = bucket_of(x, x->at[i].hash);

	x->at[i].next = *b & ENTRY_NONE;
	*b = i;
}

static void fill_buckets(struct index *x)
{
	for (uint32_t i = 0; i < x->nbuckets; i++)
		x->buckets[i] = ENTRY_NONE;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->at[i].thing)
			put_into_bucket(x, i);
}

/* Removes dropped entries and their names. */
static void close_up(struct index *x)
{
	uint32_t n = 0, used = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		struct entry e = x->at[i];
		uint32_t len = (uint32_t)strlen(x->names + e.name) + 1;

		if (!e.thing)
			continue;
		memmove(x->names + used, x->names + e.name, len);
		e.name = used;
		used += len;
		x->at[n++] = e;
	}
	x->n = n;
	x->used = used;
	x->dropped = 0;
	fill_buckets(x);
}

static void make_room(struct index *x, uint32_t name)
{
	/* Grows by a quarter, not to twice the size: most indexes are filled once. */
	if (x->n == x->size) {
		x->size += x->size / 4 + BUCKETS_LEAST;
		x->at = mem_realloc(x->at, x->size, sizeof(*x->at));
	}
	if (x->room - x->used < name) {
		x->room += x->room / 4 + name + 8 * BUCKETS_LEAST;
		x->names = mem_realloc(x->names, x->room, 1);
	}
	if (x->n < x->nbuckets)
		return;
	x->nbuckets = x->nbuckets ? x->nbuckets * 2 : BUCKETS_LEAST;
	x->buckets = mem_realloc(x->buckets, x->nbuckets, sizeof(*x->buckets));
	fill_buckets(x);
}

static void add_entry(struct index *x, const char *name, enum name_rank rank, void *thing)
{
	uint32_t len = (uint32_t)strlen(name) + 1;

	make_room(x, len);
	memcpy(x->names + x->used, name, len);
	x->at[x->n] = (struct entry){
		.thing = thing, .hash = hash_of(name), .name = x->used, .rank = rank & 7U};
	x->used += len;
	put_into_bucket(x, x->n++);
}

void index_put(void **index, const char *name, enum name_rank rank, void *thing)
{
	struct entry *e;

	if (!*name || strlen(name) >= NAME_MAX_LEN)
		return;
	e = find_entry(*index, name);
	if (!e) {
		if (!*index)
			*index = mem_calloc(1, sizeof(struct index));
		add_entry(*index, name, rank, thing);
	} else if (rank < e->rank) {
		e->rank = rank & 7U;
		e->thing = thing;
	}
}

void index_drop(void **index, const char *name, enum name_rank rank, const void *thing)
{
	struct index *x = *index;
	struct entry *e = find_entry(x, name);
	uint32_t i, was;

	if (!e || e->thing != thing || e->rank != rank)
		return;
	i = (uint32_t)(e - x->at);
	was = *bucket_of(x, e->hash);
	if (was == i)
		*bucket_of(x, e->hash) = e->next;
	while (was != i) {
		struct entry *before = &x->at[was];

		was = before->next;
		if (was == i)
			before->next = e->next;
	}
	e->thing = NULL;
	if (++x->dropped == x->n)
		index_free(index);
	else if (x->dropped > x->n / 2)
		close_up(x);
}

void *index_get(const void *index, const char *name)
{
	struct entry *e = find_entry(index, name);

	return e ? e->thing : NULL;
}

void index_free(void **index)
{
	struct index *x = *index;

	if (!x)
		return;
	free(x->buckets);
	free(x->at);
	free(x->names);
	free(x);
	*index = NULL;
}

size_t index_size(const void *index)
{
	const struct index *x = index;

	return x ? x->n - x->dropped : 0;
}

bool index_next(const void *index, struct index_at *a)
{
	const struct index *x = index;
	uint32_t i = a->name ? a->next : 0;

	while (x && i < x->n && !x->at[i].thing)
		i++;
	if (!x || i >= x->n)
		return false;
	*a = (struct index_at){
		x->names + x->at[i].name, (enum name_rank)x->at[i].rank, x->at[i].thing, i + 1};
	return true;
}
