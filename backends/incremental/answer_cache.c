/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/incremental/answer_cache.h"

#include <stdlib.h>
#include <string.h>

#include "backends/incremental/answer_cache_private.h"
#include "base/mem.h"
#include "base/str.h"

/* The most answers to skip before the next lesson, for answers that never fit. */
#define WAIT_MOST 64

struct answer_shelf *answer_shelf_new(size_t most)
{
	struct answer_shelf *shelf = mem_calloc(1, sizeof(*shelf));

	shelf->most = most;
	return shelf;
}

void answer_shelf_free(struct answer_shelf *shelf)
{
	if (!shelf)
		return;
	positions_free(&shelf->slots);
	free(shelf->proofs);
	vec_free(&shelf->sorted);
	vec_free(&shelf->named);
	vec_free(&shelf->item);
	vec_free(&shelf->token);
	free(shelf);
}

size_t answer_shelf_bytes(const struct answer_shelf *shelf)
{
	return shelf->bytes;
}

struct answer_cache *answer_cache_new(struct answer_shelf *shelf)
{
	struct answer_cache *a = mem_calloc(1, sizeof(*a));

	a->shelf = shelf;
	return a;
}

static void discard_state(struct answer_cache *a)
{
	if (a->next)
		answer_cache_free(a->next);
	a->next = NULL;
	answer_cache_tokens_drop(a);
	answer_template_free(&a->known, a->shelf);
	a->shelf->bytes -= a->bytes;
	free(a->text);
	a->text = NULL;
	a->bytes = a->len = a->size = 0;
	a->text_id = 0;
}

void answer_cache_free(struct answer_cache *a)
{
	if (!a)
		return;
	discard_state(a);
	free(a);
}

void answer_cache_forget(struct answer_cache *a)
{
	discard_state(a);
	a->misses = a->wait = 0;
}

bool answer_cache_knows(const struct answer_cache *a)
{
	return a->known.shape != NULL;
}

void answer_cache_others(struct answer_cache *a, uint64_t attrs)
{
	if (attrs & ~a->others)
		discard_state(a);
	a->others |= attrs;
}

void answer_cache_kept(struct answer_cache *a, const struct text_before *b)
{
	a->kept = b;
}

static void drop_text(struct answer_cache *a)
{
	free(a->text);
	a->text = NULL;
	a->shelf->bytes -= a->size;
	a->bytes -= a->size;
	a->len = a->size = 0;
}

/* Keeps the answer; the bytes before `from` are kept already. */
static void keep_text(struct answer_cache *a, const char *bytes, size_t len, size_t from)
{
	/* The caller keeps whole answers only, not parts. */
	a->text_id = a->kept && !a->next ? a->kept->id : 0;
	if (a->text_id) {
		drop_text(a);
		return;
	}
	if (len > a->size || !a->text) {
		/* Numbers grow: some spare room avoids the next reallocations. */
		size_t size = len + len / 64 + 1;

		free(a->text);
		a->text = mem_alloc(size);
		a->shelf->bytes += size - a->size;
		a->bytes += size - a->size;
		a->size = size;
		from = 0;
	}
	if (from < len)
		memcpy(a->text + from, bytes + from, len - from);
	a->len = len;
}

/* ---- incremental read ---- */

static bool fill_words(struct reading *r)
{
	const struct answer_template *l = &r->a->known;

	if (!l->shape->body->tell)
		return true;
	return l->shape->body->tell(r->words, r->o) && r->o->items.n == l->words.told_n;
}

static void begin_batch(const struct answer_template *l, struct obs *o)
{
	const struct answer_layout_body *body = l->shape->body;
	const struct obs_port *ports = answer_layout_ports(l->shape);

	vec_reserve(&o->ports, body->ports);
	if (body->ports)
		memcpy(o->ports.at, ports, body->ports * sizeof(*ports));
	o->ports.n = body->ports;
	memcpy(o->refresh_ms, body->refresh_ms, sizeof(o->refresh_ms));
	memcpy(o->narrow, body->narrow, sizeof(o->narrow));
	for (size_t i = 0; l->times && i < body->ports; i++)
		o->ports.at[i].sample_us = l->times[i];
}

/* Adds the words that precede item `before`. */
static void add_words(struct obs *o, const struct words *w, size_t *next, uint32_t before)
{
	while (*next < w->n && w->at[*next] < before)
		o->items.at[o->items.n++] = w->item[(*next)++];
}

/* Sets the fixed texts, and the items that the shape's tell() produced again. */
static void fill_texts(struct reading *r)
{
	const struct answer_shelf *shelf = r->a->shelf;
	const struct words *w = &r->a->known.words;
	char text[POSITION_WORDS][POSITION_TEXT_MOST + 1];

	for (size_t i = 0; i < w->told_n; i++)
		(void)str_copy(text[i], sizeof(text[i]), obs_text(r->o, r->o->items.at[i].text));
	obs_expect(r->o, 0, w->strings_n);
	memcpy(r->o->strings.at, w->strings, w->strings_n);
	r->o->strings.n = w->strings_n;
	for (size_t i = 0; i < w->told_n; i++) {
		uint32_t item = w->told[i];

		shelf->named.at[item / 64] |= UINT64_C(1) << (item % 64);
		shelf->item.at[item] = r->o->items.at[i];
		shelf->item.at[item].text = obs_string(r->o, text[i]);
	}
}

/* Merges the changed items and the words, in the order of the full batch. */
static void fill_batch(struct reading *r)
{
	const struct answer_shelf *shelf = r->a->shelf;
	const struct words *w = &r->a->known.words;
	size_t groups = r->a->known.shape->body->items / 64 + 1, n = w->n, next = 0;
	struct obs *o = r->o;

	fill_texts(r);
	for (size_t g = 0; g < groups; g++)
		n += (unsigned)__builtin_popcountll(shelf->named.at[g]);
	o->items.n = 0;
	obs_expect(o, n, 0);
	for (size_t g = 0; g < groups; g++)
		for (uint64_t bits = shelf->named.at[g]; bits; bits &= bits - 1) {
			uint32_t item = (uint32_t)(g * 64) + (uint32_t)__builtin_ctzll(bits);

			add_words(o, w, &next, item);
			/* Another thread used this memory, so it is not in the cache. */
			__builtin_prefetch(o->items.at + o->items.n + 16, 1);
			o->items.at[o->items.n++] = shelf->item.at[item];
		}
	add_words(o, w, &next, UINT32_MAX);
}

static void reset_batch(struct obs *o, const struct obs_mark *mark)
{
	obs_rewind(o, mark);
	obs_free(o->more);
	o->more = NULL;
	o->unchanged_rest = false;
	o->device_us = 0;
	memset(o->narrow, 0, sizeof(o->narrow));
}

static void note_miss(struct answer_cache *a)
{
	unsigned misses = a->misses;

	discard_state(a);
	a->misses = misses < 31 ? misses + 1 : misses;
	/* Learn at once after a state change; learn more rarely if answers never fit. */
	a->wait = a->misses < 3 ? 0 : 1U << (a->misses < 9 ? a->misses - 3 : 6);
	if (a->wait > WAIT_MOST)
		a->wait = WAIT_MOST;
}

/* Marks all items as unchanged. */
static void clear_shelf(struct answer_shelf *shelf, size_t items)
{
	size_t groups = items / 64 + 1;

	vec_reserve(&shelf->named, groups);
	memset(shelf->named.at, 0, groups * sizeof(*shelf->named.at));
	vec_reserve(&shelf->item, items + 1);
}

/* Reads the part of one question. Returns the start of the next part; NULL: the text differs. */
static const char *read_one(
	struct answer_cache *a, const char *bytes, const char *end, struct obs *o)
{
	struct reading r = {.a = a, .bytes = bytes, .end = end, .o = o, .moves_at = SIZE_MAX};
	struct answer_layout *shape = a->known.shape;

	r.slots = answer_layout_slots(shape);
	r.n = shape->body->slots;
	clear_shelf(a->shelf, shape->body->items);
	/* Expect as many items as last time, to avoid growth in small steps. */
	obs_expect(o, a->told_n + a->told_n / 16, a->known.words.strings_n);
	begin_batch(&a->known, o);
	if (!answer_cache_compare(&r) || !fill_words(&r))
		return NULL;
	fill_batch(&r);
	a->told_n = o->items.n;
	o->unchanged_rest = true;
	keep_text(a, bytes, (size_t)(r.rest - bytes), r.moves_at);
	return r.rest;
}

bool answer_cache_read(struct answer_cache *a, const char *bytes, size_t len, struct obs *o)
{
	const char *at = bytes, *end = bytes + len;
	struct obs_mark mark = obs_mark(o);

	if (!a->known.shape)
		return false;
	/*
	 * Other answers were read in between. This is not a miss, but the last text is unavailable.
	 */
	if (a->text_id && (!a->kept || a->kept->was != a->text_id)) {
		discard_state(a);
		return false;
	}
	for (struct answer_cache *one = a; at && one; one = one->next)
		at = read_one(one, at, end, one == a ? o : obs_more(o, one->request));
	if (!at) {
		reset_batch(o, &mark);
		note_miss(a);
		return false;
	}
	a->misses = 0;
	return true;
}

/* ---- learning ---- */

struct number_positions *answer_cache_lesson(struct answer_cache *a, const char *bytes, size_t len)
{
	discard_state(a);
	if (a->wait) {
		a->wait--;
		return NULL;
	}
	if (a->shelf->bytes + len * 2 > a->shelf->most)
		return NULL;
	positions_begin(&a->shelf->slots, bytes, len);
	return &a->shelf->slots;
}

uint64_t answer_cache_attrs(const struct obs *o)
{
	uint64_t attrs = 0;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if ((it->kind == OBS_WORD || it->kind == OBS_NUMBER) && it->port != OBS_NO_PORT)
			attrs |= ANSWER_CACHE_ATTR(it->code);
	}
	return attrs;
}

/*
 * Returns the attributes that more than one batch of the answer reports: the model may have the
 * value of either.
 */
static uint64_t told_twice(const struct obs *o)
{
	uint64_t once = 0, twice = 0;

	for (; o; o = o->more) {
		uint64_t attrs = answer_cache_attrs(o);

		twice |= once & attrs;
		once |= attrs;
	}
	return twice;
}

/* Learns one batch from its slots; keeps the text of its part. */
static bool learn_one(
	struct answer_cache *a, struct number_positions *part, const struct obs *o, uint64_t others)
{
	if (!answer_template_take(&a->known, a->shelf, part, o, others))
		return false;
	a->bytes = answer_template_bytes(&a->known);
	a->shelf->bytes += a->bytes;
	keep_text(a, part->bytes, part->len, 0);
	return true;
}

/* Returns the start of a batch's part: its first slot, or that of a later batch if it has none. */
static size_t piece_at(const struct number_positions *told, size_t first)
{
	size_t least = told->len;

	for (size_t i = first; i < told->seen.n; i++)
		if (told->seen.at[i].at < least)
			least = told->seen.at[i].at;
	return least;
}

/* Copies slots first..end with offsets relative to their part. False: some are outside the part. */
static bool copy_piece(const struct number_positions *told, size_t first, size_t end, size_t from,
	size_t to, struct number_positions *piece)
{
	positions_begin(piece, told->bytes + from, to - from);
	piece->tell = first ? NULL : told->tell;
	for (size_t i = first; i < end; i++) {
		struct position_seen seen = told->seen.at[i];

		if (seen.at < from || seen.at + seen.n > to)
			return false;
		seen.at -= (uint32_t)from;
		if (seen.kind == POSITION_TIME)
			piece->time = told->time;
		vec_push(&piece->seen, seen);
	}
	return true;
}

static bool learn_pieces(struct answer_cache *a, const struct obs *o)
{
	const struct number_positions *told = &a->shelf->slots;
	uint64_t others = a->others | told_twice(o);
	struct number_positions piece = {0};
	size_t first = 0, from = 0, n = told->batches.n;
	bool ok = true;

	for (size_t k = 0; ok && k <= n; k++, o = o->more) {
		size_t end = k < n ? told->batches.at[k] : told->seen.n;
		size_t to = k < n ? piece_at(told, end) : told->len;

		if (k) {
			a->next = answer_cache_new(a->shelf);
			a = a->next;
			(void)str_copy(a->request, sizeof(a->request), o->request);
		}
		ok = o->more ? k < n : k == n;
		ok = ok && first <= end && end <= told->seen.n && from <= to &&
		     copy_piece(told, first, end, from, to, &piece) &&
		     learn_one(a, &piece, o, others);
		first = end;
		from = to;
	}
	positions_free(&piece);
	return ok;
}

bool answer_cache_learn(struct answer_cache *a, const struct obs *o)
{
	struct number_positions *told = &a->shelf->slots;
	bool one = !told->batches.n && !o->more;

	if (!one)
		a->kept = NULL; /* nobody keeps the text of single parts */
	/* An answer without numbers is not worth learning. */
	if (!told->seen.n || !(one ? learn_one(a, told, o, a->others) : learn_pieces(a, o))) {
		note_miss(a);
		return false;
	}
	return true;
}
