/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/incremental/answer_layout.h"

#include <stdlib.h>
#include <string.h>

#include "backends/parse/number.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define PORTS_MOST 1024

struct making {
	struct number_positions *told;
	const struct obs *o;
	struct answer_shelf *shelf;
	struct answer_template *lesson;
};

/* False for events and neighbours: they are more than the last reported value. */
static bool is_learnable(const struct obs *o)
{
	if (o->result != OBS_DATA || o->err.code != ERR_NONE || o->again || o->followed ||
		o->bgp.n || o->bgp_whole || o->nccl.n || o->ports.n > PORTS_MOST)
		return false;
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT || o->items.at[i].kind == OBS_LLDP)
			return false;
	return o->items.n > 0;
}

/* Returns the proof of a cell, and creates it on first use: few of the many cells are used. */
static struct proof *proof_of(const struct making *m, unsigned port, unsigned cell)
{
	struct proof *p = &m->shelf->proofs[(size_t)port * CELL_COUNT + cell];

	if (p->lesson != m->shelf->lesson)
		*p = (struct proof){.lesson = m->shelf->lesson, .total = TOTAL_NONE};
	return p;
}

static void proofs_begin(struct answer_shelf *shelf, size_t n)
{
	if (n > shelf->proofs_n || !++shelf->lesson) {
		n = n > shelf->proofs_n ? n : shelf->proofs_n;
		free(shelf->proofs);
		shelf->proofs = mem_calloc(n + 1, sizeof(*shelf->proofs));
		shelf->proofs_n = n;
		shelf->lesson = 1;
	}
}

static bool is_of_cell(const struct position_seen *s)
{
	return s->kind == POSITION_COUNT || s->kind == POSITION_RATIO || s->kind == POSITION_AMOUNT;
}

static void add_slot(struct making *m, const struct position_seen *s)
{
	const char *at = m->told->bytes + s->at;
	struct proof *p = proof_of(m, s->port, s->cell);
	uint64_t value;

	if (position_value((enum position_kind)s->kind, at, s->n, s->scale, &value)) {
		p->sum += value;
		p->counts++;
	} else if (parse_real(at, s->n, &p->ratio) == NUMBER_OK) {
		p->ratios++;
	}
}

static void add_items(struct making *m)
{
	for (size_t i = 0; i < m->o->items.n; i++) {
		const struct obs_item *it = &m->o->items.at[i];
		struct proof *p;

		if (it->kind > OBS_VALID || it->port >= m->o->ports.n || it->cell >= CELL_COUNT)
			continue;
		p = proof_of(m, it->port, it->cell);
		p->items++;
		p->item = (uint32_t)i + 1;
	}
}

static bool same_real(double a, double b)
{
	return !(a < b) && !(a > b);
}

/* True: the item equals the value computed from its slots. */
static bool is_proven(const struct making *m, const struct proof *p)
{
	const struct obs_item *it = p->item ? &m->o->items.at[p->item - 1] : NULL;

	if (!it || p->items != 1 || (p->counts && p->ratios) || p->ratios > 1)
		return false;
	if (it->kind == OBS_COUNT)
		return p->counts && it->u64 == p->sum;
	if (it->kind != OBS_GAUGE)
		return false;
	return same_real(it->real, p->ratios ? p->ratio : (double)p->sum);
}

/* Decides if a slot is kept. Unreliable slots are dropped; numbers without an item are ignored. */
static void judge_slot(struct making *m, struct position_seen *s, uint32_t *totals, bool *keep)
{
	struct proof *p = is_of_cell(s) ? proof_of(m, s->port, s->cell) : NULL;

	*keep = true;
	if (!p)
		return;
	if (!p->items && s->kind == POSITION_COUNT) {
		s->kind = POSITION_UNUSED;
		return;
	}
	*keep = is_proven(m, p);
	if (*keep && p->counts > 1 && p->total == TOTAL_NONE) {
		*keep = *totals < TOTAL_NONE;
		p->total = (uint16_t)*totals;
		*totals += *keep;
	}
}

/* Returns the index of an equal item; o->items.n: none. */
static size_t find_item(const struct obs *o, const struct obs_item *like)
{
	size_t k = 0;

	while (k < o->items.n &&
		(o->items.at[k].kind != like->kind || o->items.at[k].code != like->code ||
			o->items.at[k].sub != like->sub || o->items.at[k].port != like->port ||
			(!obs_has_text2(like) && !same_real(o->items.at[k].real, like->real))))
		k++;
	return k;
}

/* Computes the ports' times from the reported times. False: a port has several. */
static bool compute_times(const struct making *m, struct obs *said)
{
	for (size_t i = 0; i < m->told->seen.n; i++) {
		const struct position_seen *s = &m->told->seen.at[i];
		int64_t *us;

		if (s->kind != POSITION_TIME)
			continue;
		if (!m->told->time || s->port >= said->ports.n || said->ports.at[s->port].sample_us)
			return false;
		us = &said->ports.at[s->port].sample_us;
		*us = m->told->time(m->told->bytes + s->at, s->n);
		if (!*us)
			return false;
	}
	return true;
}

static bool same_times(const struct obs *said, const struct obs *o)
{
	if (said->device_us != o->device_us || said->ports.n != o->ports.n)
		return false;
	for (size_t i = 0; i < said->ports.n; i++)
		if (said->ports.at[i].sample_us != o->ports.at[i].sample_us)
			return false;
	return true;
}

static bool reproduces_words(const struct making *m)
{
	struct words *w = &m->lesson->words;
	struct position_word words[POSITION_WORDS] = {{0}};
	struct obs *said = obs_new(m->o->device, m->o->request);
	bool same;

	for (size_t i = 0; i < m->told->seen.n; i++) {
		const struct position_seen *s = &m->told->seen.at[i];

		if (s->kind == POSITION_WORD || s->kind == POSITION_RISING)
			words[s->scale] = (struct position_word){m->told->bytes + s->at, s->n};
	}
	/* The names are valid and unique. */
	for (size_t i = 0; i < m->o->ports.n; i++)
		memcpy(vec_add(&said->ports)->name, m->o->ports.at[i].name,
			sizeof(m->o->ports.at[i].name));
	same = compute_times(m, said) && (!m->told->tell || m->told->tell(words, said)) &&
	       same_times(said, m->o) && said->items.n <= POSITION_WORDS;
	for (size_t i = 0; same && i < said->items.n; i++) {
		const struct obs_item *it = &said->items.at[i];

		w->told[i] = (uint32_t)find_item(m->o, it);
		same = w->told[i] < m->o->items.n && (!i || w->told[i - 1] < w->told[i]) &&
		       str_eq(obs_text(said, it->text),
			       obs_text(m->o, m->o->items.at[w->told[i]].text));
	}
	w->told_n = same ? said->items.n : 0;
	obs_free(said);
	return same;
}

/* If words cannot be reproduced, they become fixed text. */
static void judge_words(struct making *m)
{
	size_t n = 0;

	if ((m->told->tell || m->told->time) && reproduces_words(m))
		return;
	m->told->tell = NULL;
	m->told->time = NULL;
	m->lesson->words.told_n = 0;
	for (size_t i = 0; i < m->told->seen.n; i++) {
		const struct position_seen *s = &m->told->seen.at[i];

		if (s->kind != POSITION_WORD && s->kind != POSITION_RISING &&
			s->kind != POSITION_TIME)
			m->told->seen.at[n++] = *s;
	}
	m->told->seen.n = n;
}

#define RADIX 2048U

static void sort_by_digit(
	const struct position_seen *from, size_t n, unsigned shift, struct position_seen *to)
{
	uint32_t place[RADIX + 1] = {0};

	for (size_t i = 0; i < n; i++)
		place[((uint64_t)from[i].at >> shift) % RADIX + 1]++;
	for (unsigned d = 1; d < RADIX; d++)
		place[d] += place[d - 1];
	for (size_t i = 0; i < n; i++)
		to[place[((uint64_t)from[i].at >> shift) % RADIX]++] = from[i];
}

static bool is_in_order(const struct position_seen *at, size_t n)
{
	size_t i = 1;

	while (i < n && at[i - 1].at <= at[i].at)
		i++;
	return i >= n;
}

/*
 * Radix sort with two digits of 11 bits at a time: a comparison sort takes as long as all of the
 * other work.
 */
static void sort_by_place(struct making *m, struct position_seen *at, size_t n)
{
	if (is_in_order(at, n))
		return; /* when the positions were reported while reading */
	vec_reserve(&m->shelf->sorted, n + 1);
	for (unsigned shift = 0; shift < 32 && m->told->len >> shift; shift += 22) {
		sort_by_digit(at, n, shift, m->shelf->sorted.at);
		sort_by_digit(m->shelf->sorted.at, n, shift + 11, at);
	}
}

/*
 * Sorts the slots and drops unusable ones. Returns the number of sums; UINT32_MAX: slots overlap.
 */
static uint32_t filter_slots(struct making *m)
{
	struct position_seen *at = m->told->seen.at;
	uint32_t totals = 0, end = 0;
	size_t n = 0;
	bool keep;

	for (size_t i = 0; i < m->told->seen.n; i++)
		if (is_of_cell(&at[i]))
			add_slot(m, &at[i]);
	add_items(m);
	for (size_t i = 0; i < m->told->seen.n; i++) {
		judge_slot(m, &at[i], &totals, &keep);
		if (keep)
			at[n++] = at[i];
	}
	m->told->seen.n = n;
	sort_by_place(m, at, n);
	for (size_t i = 0; i < n; i++) {
		if (i && at[i].at < end)
			return UINT32_MAX;
		end = at[i].at + at[i].n;
	}
	return totals;
}

static struct answer_layout *make_shape(struct making *m, uint32_t totals)
{
	struct answer_template *l = m->lesson;
	size_t slots = m->told->seen.n, ports = m->o->ports.n;
	size_t size = sizeof(struct answer_layout_body) + ports * sizeof(struct obs_port) +
		      slots * sizeof(struct layout_position);
	struct answer_layout *s = mem_calloc(1, sizeof(*s));
	uint32_t lengths = 0;

	s->size = size;
	s->body = mem_calloc(1, size);
	s->body->tell = m->told->tell;
	s->body->time = m->told->time;
	s->body->slots = (uint32_t)slots;
	s->body->ports = (uint32_t)ports;
	s->body->totals = totals;
	s->body->items = (uint32_t)m->o->items.n;
	for (size_t i = 0; i < POSITION_WORDS; i++)
		s->body->words[i] = (uint32_t)slots;
	memcpy(s->body->refresh_ms, m->o->refresh_ms, sizeof(s->body->refresh_ms));
	memcpy(s->body->narrow, m->o->narrow, sizeof(s->body->narrow));
	for (size_t i = 0; i < ports; i++) {
		struct obs_port *p = &answer_layout_ports(s)[i];

		(void)str_copy(p->name, sizeof(p->name), m->o->ports.at[i].name);
	}
	for (size_t i = 0; i < slots; i++) {
		const struct position_seen *seen = &m->told->seen.at[i];
		const struct proof *p =
			is_of_cell(seen) ? proof_of(m, seen->port, seen->cell) : NULL;

		answer_layout_slots(s)[i] = (struct layout_position){.upto = seen->at - lengths,
			.item = p ? p->item - 1 : 0,
			.port = seen->port,
			.cell = seen->cell,
			.total = p ? p->total : TOTAL_NONE,
			.kind = seen->kind,
			.scale = seen->scale};
		lengths += seen->n;
		l->lengths[i] = seen->n;
		if (seen->kind == POSITION_WORD || seen->kind == POSITION_RISING)
			s->body->words[seen->scale] = (uint32_t)i;
		if (p && p->total != TOTAL_NONE)
			l->totals[p->total] = p->sum;
	}
	return s;
}

/* A shape has some 50 kB: hash eight bytes at a time. */
static unsigned hash_of(const char *bytes, size_t n)
{
	uint64_t hash = n, word;
	size_t i = 0;

	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	for (; i < n; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	return (unsigned)hash;
}

/* Returns the identical shape from the shelf, if there is one; else adds s. */
static struct answer_layout *share_shape(struct answer_shelf *shelf, struct answer_layout *s)
{
	unsigned hash = hash_of((const char *)s->body, s->size);
	struct answer_layout *known;

	HASH_FIND_BYHASHVALUE(hh, shelf->shapes, s->body, s->size, hash, known);
	if (known) {
		free(s->body);
		free(s);
		s = known;
	} else {
		HASH_ADD_KEYPTR_BYHASHVALUE(hh, shelf->shapes, s->body, s->size, hash, s);
		shelf->bytes += s->size;
	}
	s->users++;
	return s;
}

static void copy_times(struct answer_template *l, const struct obs *o)
{
	l->times = mem_calloc(o->ports.n + 1, sizeof(*l->times));
	for (size_t i = 0; i < o->ports.n; i++)
		l->times[i] = o->ports.at[i].sample_us;
}

static bool has_times(const struct obs *o)
{
	for (size_t i = 0; i < o->ports.n; i++)
		if (o->ports.at[i].sample_us)
			return true;
	return o->device_us != 0;
}

static bool is_reproduced(const struct words *w, size_t item)
{
	for (size_t i = 0; i < w->told_n; i++)
		if (w->told[i] == item)
			return true;
	return false;
}

/*
 * Words of ports are unchanged in the model, because a changed word needs a full parse. Exceptions
 * are the port state, without which growing link counters wait for a batch with it, and the
 * attributes that other answers report too.
 */
static bool is_named(const struct obs_item *it, uint64_t others)
{
	if (it->kind <= OBS_VALID)
		return false;
	if (it->port == OBS_NO_PORT || (it->kind != OBS_WORD && it->kind != OBS_NUMBER))
		return true;
	return it->code == ATTR_OPER || it->code == ATTR_LAST_CHANGE ||
	       others & ANSWER_CACHE_ATTR(it->code);
}

static uint32_t copy_text(struct words *w, const struct obs *o, uint32_t text)
{
	uint32_t at = (uint32_t)w->strings_n;
	size_t n = strlen(obs_text(o, text)) + 1;

	if (n == 1)
		return 0;
	memcpy(w->strings + at, obs_text(o, text), n);
	w->strings_n += n;
	return at;
}

static void copy_word(struct words *w, const struct obs *o, size_t i)
{
	struct obs_item *it = &w->item[w->n];

	*it = o->items.at[i];
	it->text = copy_text(w, o, it->text);
	if (obs_has_text2(it))
		it->text2 = copy_text(w, o, it->text2);
	w->at[w->n++] = (uint32_t)i;
}

static void copy_words(struct words *w, const struct obs *o, uint64_t others)
{
	size_t n = 0, strings = 1;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (!is_named(it, others))
			continue;
		n++;
		strings += strlen(obs_text(o, it->text)) + 1;
		if (obs_has_text2(it))
			strings += strlen(obs_text(o, it->text2)) + 1;
	}
	w->item = mem_calloc(n + 1, sizeof(*w->item));
	w->at = mem_calloc(n + 1, sizeof(*w->at));
	/* The text begins with the empty string. */
	w->strings = mem_calloc(strings, 1);
	w->strings_n = 1;
	for (size_t i = 0; i < o->items.n; i++)
		if (is_named(&o->items.at[i], others) && !is_reproduced(w, i))
			copy_word(w, o, i);
}

/* False: the batch lacks a port, so it is not from the same answer. */
static bool is_of_batch(const struct number_positions *told, const struct obs *o)
{
	for (size_t i = 0; i < told->seen.n; i++)
		if (is_of_cell(&told->seen.at[i]) && told->seen.at[i].port >= o->ports.n)
			return false;
	return true;
}

bool answer_template_take(struct answer_template *l, struct answer_shelf *shelf,
	struct number_positions *told, const struct obs *o, uint64_t others)
{
	struct making m = {.told = told, .o = o, .shelf = shelf, .lesson = l};
	uint32_t sums;

	memset(l, 0, sizeof(*l));
	if (!is_learnable(o) || !is_of_batch(told, o))
		return false;
	proofs_begin(shelf, o->ports.n * CELL_COUNT);
	judge_words(&m);
	sums = filter_slots(&m);
	if (sums != UINT32_MAX && (told->tell || told->time || !has_times(o))) {
		l->lengths = mem_alloc(told->seen.n + 1);
		l->totals = mem_calloc(sums + 1, sizeof(*l->totals));
		l->shape = share_shape(shelf, make_shape(&m, sums));
		copy_words(&l->words, o, others);
		if (told->time)
			copy_times(l, o);
	}
	return l->shape != NULL;
}

static void answer_layout_drop(struct answer_shelf *shelf, struct answer_layout *s)
{
	if (--s->users)
		return;
	HASH_DEL(shelf->shapes, s);
	shelf->bytes -= s->size;
	free(s->body);
	free(s);
}

void answer_template_free(struct answer_template *l, struct answer_shelf *shelf)
{
	if (l->shape)
		answer_layout_drop(shelf, l->shape);
	free(l->lengths);
	free(l->totals);
	free(l->times);
	free(l->words.item);
	free(l->words.at);
	free(l->words.strings);
	memset(l, 0, sizeof(*l));
}

size_t answer_template_bytes(const struct answer_template *l)
{
	const struct words *w = &l->words;

	return l->shape->body->slots + l->shape->body->totals * sizeof(*l->totals) +
	       (l->times ? l->shape->body->ports * sizeof(*l->times) : 0) +
	       w->n * (sizeof(*w->item) + sizeof(*w->at)) + w->strings_n;
}
