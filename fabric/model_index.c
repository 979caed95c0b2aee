/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/types.h"

#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

struct entry {
	char name[NAME_MAX_LEN];
	enum name_rank rank;
	void *thing;
	UT_hash_handle hh;
};

static struct entry *find(const void *index, const char *name)
{
	struct entry *head = (struct entry *)index, *e = NULL;

	HASH_FIND_STR(head, name, e);
	return e;
}

void index_put(void **index, const char *name, enum name_rank rank, void *thing)
{
	struct entry *head = *index, *e;

	if (!*name || strlen(name) >= NAME_MAX_LEN)
		return;
	e = find(head, name);
	if (e) {
		if (rank < e->rank) {
			e->rank = rank;
			e->thing = thing;
		}
		return;
	}
	e = mem_calloc(1, sizeof(*e));
	(void)str_copy(e->name, sizeof(e->name), name);
	e->rank = rank;
	e->thing = thing;
	HASH_ADD_STR(head, name, e);
	*index = head;
}

void index_drop(void **index, const char *name, enum name_rank rank, const void *thing)
{
	struct entry *head = *index, *e = find(head, name);

	if (!e || e->thing != thing || e->rank != rank)
		return;
	HASH_DEL(head, e);
	free(e);
	*index = head;
}

void *index_get(const void *index, const char *name)
{
	struct entry *e = find(index, name);

	return e ? e->thing : NULL;
}

void index_free(void **index)
{
	struct entry *head = *index, *e = head, *next;

	HASH_CLEAR(hh, head);
	for (; e; e = next) {
		next = e->hh.next;
		free(e);
	}
	*index = NULL;
}

size_t index_size(const void *index)
{
	const struct entry *head = index;

	return HASH_COUNT(head);
}

bool index_next(const void *index, struct index_at *a)
{
	const struct entry *e = a->name ? a->next : index;

	if (!e)
		return false;
	*a = (struct index_at){e->name, e->rank, e->thing, e->hh.next};
	return true;
}
