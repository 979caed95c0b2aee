/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/plans.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

struct kept_plan {
	UT_hash_handle hh;
	uint64_t hash;
	unsigned users;
	bool alone; /* another list has the same hash: it is not on the shelf */
	struct request_list list;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	/* Separates fields: "ab", "c" differs from "a", "bc". */
	return (hash ^ 0x100) * UINT64_C(1099511628211);
}

static uint64_t hash_of(const struct request_list *l)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < l->at.n; i++) {
		const struct request *r = &l->at.at[i];

		hash = hash_text(hash, r->name);
		hash = hash_text(hash, r->command);
		hash = hash_text(hash, r->input);
		hash = hash_text(hash, r->path);
		hash = hash_text(hash, r->body);
	}
	return hash;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && str_eq(a, b));
}

static bool same_request(const struct request *a, const struct request *b)
{
	return same_text(a->name, b->name) && same_text(a->command, b->command) &&
	       same_text(a->input, b->input) && same_text(a->method, b->method) &&
	       same_text(a->path, b->path) && same_text(a->body, b->body) &&
	       same_text(a->content_type, b->content_type) && a->cap == b->cap &&
	       a->timeout_us == b->timeout_us && a->spare == b->spare &&
	       a->may_lack == b->may_lack && a->partial == b->partial && a->shell == b->shell &&
	       a->follow == b->follow && a->forward_port == b->forward_port &&
	       same_text(a->confirm, b->confirm) && same_text(a->confirmed, b->confirmed) &&
	       a->change == b->change;
}

static bool same_list(const struct request_list *a, const struct request_list *b)
{
	if (a->at.n != b->at.n)
		return false;
	for (size_t i = 0; i < a->at.n; i++)
		if (!same_request(&a->at.at[i], &b->at.at[i]))
			return false;
	return true;
}

struct kept_plan *plan_keep(struct plan_shelf *s, struct request_list *list)
{
	uint64_t hash = hash_of(list);
	struct kept_plan *p, *known;

	HASH_FIND(hh, s->plans, &hash, sizeof(hash), known);
	if (known && same_list(&known->list, list)) {
		requests_free(list);
		known->users++;
		return known;
	}
	p = mem_calloc(1, sizeof(*p));
	p->hash = hash;
	p->users = 1;
	p->alone = known != NULL;
	p->list = *list;
	memset(list, 0, sizeof(*list));
	if (!p->alone)
		HASH_ADD(hh, s->plans, hash, sizeof(p->hash), p);
	return p;
}

void plan_drop(struct plan_shelf *s, struct kept_plan *p)
{
	if (!p || --p->users)
		return;
	if (!p->alone)
		HASH_DEL(s->plans, p);
	requests_free(&p->list);
	free(p);
}

const struct request_list *plan_requests(const struct kept_plan *p)
{
	return &p->list;
}
