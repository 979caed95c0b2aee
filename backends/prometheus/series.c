/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/prometheus/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SIZE_FIRST ((size_t)64)
#define PAGES_FROM ((size_t)4096) /* 64 kB */
/* Per query. Queries are divided long before; beyond this the server sends without end. */
#define SIZE_MOST ((size_t)1 << 23)
#define KEPT_US   (INT64_C(1800) * 1000000)
#define TOLD_US                                                                                    \
	(INT64_C(3900) * 1000000) /* times are unambiguous for this long and five minutes          \
				   * more */

/* Changes the capacity and keeps the series. */
static void set_capacity(struct series_list *l, size_t size)
{
	bool was = l->size >= PAGES_FROM, will = size >= PAGES_FROM;
	struct series *at;

	if (was && will) {
		at = mem_pages(l->at, l->size * sizeof(*at), size * sizeof(*at));
	} else if (!was && !will) {
		at = size ? mem_realloc(l->at, size, sizeof(*at)) : NULL;
		if (!size)
			free(l->at);
	} else {
		at = will   ? mem_pages(NULL, 0, size * sizeof(*at))
		     : size ? mem_alloc(size * sizeof(*at))
			    : NULL;
		if (l->at && size)
			memcpy(at, l->at, (l->n < size ? l->n : size) * sizeof(*at));
		if (was)
			(void)mem_pages(l->at, l->size * sizeof(*at), 0);
		else
			free(l->at);
	}
	l->at = at;
	l->size = size;
}

void known_free(struct series_list *l)
{
	set_capacity(l, 0);
	memset(l, 0, sizeof(*l));
}

static void add_all(struct series_list *l, const struct series_list *from)
{
	if (from->n)
		memcpy(l->at + l->n, from->at, from->n * sizeof(*l->at));
	l->n += from->n;
}

struct series_list known_copy(const struct series_list *l)
{
	struct series_list copy = {.read_us = l->read_us};

	set_capacity(&copy, l->n);
	add_all(&copy, l);
	return copy;
}

struct series_list known_both(const struct series_list *a, const struct series_list *b)
{
	struct series_list both = {.read_us = a->read_us < b->read_us ? a->read_us : b->read_us};

	set_capacity(&both, a->n + b->n);
	add_all(&both, a);
	add_all(&both, b);
	return both;
}

void known_expire(struct series_list *l, int64_t now_us)
{
	if (l->read_us && now_us - l->read_us > TOLD_US)
		known_free(l);
}

static struct series *append_series(struct series_list *l)
{
	if (l->n == SIZE_MOST)
		return NULL;
	if (l->n == l->size)
		set_capacity(l, l->size + l->size / 2 + SIZE_FIRST);
	return &l->at[l->n++];
}

static bool has_key(const struct series *s, uint64_t key)
{
	return s->key == (uint32_t)key && s->key_more == (uint16_t)(key >> 32);
}

void known_begin(struct series_pass *p, struct series_list *l)
{
	memset(p, 0, sizeof(*p));
	p->list = l;
	p->fresh = !l->n;
}

/* ---- a reply that differs from the last one ---- */

static void hash_list(struct series_pass *p)
{
	const struct series_list *l = p->list;
	size_t slots = 64;

	while (slots < 2 * l->n)
		slots *= 2;
	p->slots = mem_calloc(slots, sizeof(*p->slots));
	p->taken = mem_calloc(l->n + 1, sizeof(*p->taken));
	p->mask = slots - 1;
	for (size_t i = 0; i < l->n; i++) {
		size_t k = l->at[i].key & p->mask;

		while (p->slots[k])
			k = (k + 1) & p->mask;
		p->slots[k] = (uint32_t)(i + 1);
	}
}

/* Starts a list in the order of this reply. */
static void begin_new_order(struct series_pass *p)
{
	p->differs = true;
	hash_list(p);
	for (size_t i = 0; i < p->next; i++) {
		*append_series(&p->now) = p->list->at[i];
		p->taken[i] = (uint32_t)p->now.n;
	}
}

static size_t find_anywhere(const struct series_pass *p, uint64_t key)
{
	const struct series_list *l = p->list;

	for (size_t k = (uint32_t)key & p->mask; p->slots[k]; k = (k + 1) & p->mask)
		if (has_key(&l->at[p->slots[k] - 1], key))
			return p->slots[k] - 1;
	return SIZE_MAX;
}

/* Appends series i of the list to the reply's list. */
static struct series *move_series(struct series_pass *p, size_t i)
{
	struct series *s;

	p->next = i + 1;
	if (p->taken[i])
		return &p->now.at[p->taken[i] - 1];
	s = append_series(&p->now);
	if (!s)
		return NULL;
	*s = p->list->at[i];
	p->taken[i] = (uint32_t)p->now.n;
	return s;
}

struct series *known_find(struct series_pass *p, uint64_t key)
{
	struct series_list *l = p->list;
	size_t i = p->next;

	if (i < l->n && has_key(&l->at[i], key)) {
		if (p->differs)
			return move_series(p, i);
		p->next++;
		return &l->at[i];
	}
	if (p->fresh)
		return NULL;
	if (!p->differs)
		begin_new_order(p);
	i = find_anywhere(p, key);
	return i < SIZE_MAX ? move_series(p, i) : NULL;
}

struct series *known_add(struct series_pass *p, uint64_t key)
{
	struct series *s = append_series(p->fresh ? p->list : &p->now);

	if (!s)
		return NULL;
	memset(s, 0, sizeof(*s));
	s->key = (uint32_t)key;
	s->key_more = (uint16_t)(key >> 32);
	return s;
}

/* ---- end of a reply ---- */

/* A series of no device has no newest time worth keeping. */
static bool is_kept(const struct series *s, int64_t now_us)
{
	return s->place != SERIES_NOBODYS && s->newest &&
	       now_us - series_time_us(s->newest, now_us) < KEPT_US;
}

static void shrink_list(struct series_list *l)
{
	if (l->size - l->n < l->n / 8 + SIZE_FIRST)
		return;
	set_capacity(l, l->n ? l->n : 1);
}

void known_end(struct series_pass *p, int64_t now_us, bool keep)
{
	struct series_list *l = p->list;
	size_t i, n = p->next;

	if (p->differs) {
		for (i = 0; i < l->n; i++) {
			struct series *s = p->taken[i] || !keep || !is_kept(&l->at[i], now_us)
						   ? NULL
						   : append_series(&p->now);

			if (s)
				*s = l->at[i];
		}
		known_free(l);
		*l = p->now;
		free(p->taken);
		free(p->slots);
	} else if (!p->fresh) {
		for (i = p->next; i < l->n; i++)
			if (keep && is_kept(&l->at[i], now_us))
				l->at[n++] = l->at[i];
		l->n = n;
	}
	shrink_list(l);
	l->read_us = now_us;
	memset(p, 0, sizeof(*p));
}

void known_drop(struct series_pass *p)
{
	known_free(&p->now);
	free(p->taken);
	free(p->slots);
	memset(p, 0, sizeof(*p));
}
