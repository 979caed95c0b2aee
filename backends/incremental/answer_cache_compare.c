/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/incremental/answer_cache_private.h"
#include "backends/parse/number.h"
#include "base/digits.h"

/*
 * Compares the last answer and the next one. With text_before.changes only the known differences
 * are visited; otherwise the full texts are compared up to each slot that differs.
 */

/* Returns the length of the common prefix of x and y, up to n. */
static size_t common_prefix(const char *x, const char *y, size_t n)
{
	uint64_t differ = 0;
	size_t i = 0;

	for (; i + 8 <= n && !differ; i += 8)
		differ = digits_load(x + i) ^ digits_load(y + i);
	if (differ)
		return i - 8 + ((unsigned)__builtin_ctzll(differ) >> 3);
	if (i + 4 <= n) {
		differ = digits_load4(x + i) ^ digits_load4(y + i);
		if (differ)
			return i + ((unsigned)__builtin_ctzll(differ) >> 3);
		i += 4;
	}
	while (i < n && x[i] == y[i])
		i++;
	return i;
}

static inline struct obs_item *mark_item(struct reading *r, size_t slot)
{
	struct answer_shelf *shelf = r->a->shelf;
	const struct layout_position *s = &r->slots[slot];
	struct obs_item *it = &shelf->item.at[s->item];

	shelf->named.at[s->item / 64] |= UINT64_C(1) << (s->item % 64);
	*it = (struct obs_item){.kind = OBS_COUNT, .port = s->port, .cell = s->cell};
	return it;
}

/* Sets the item of the slot. */
static inline void put_value(struct reading *r, size_t slot, uint64_t value)
{
	struct obs_item *it = mark_item(r, slot);

	it->u64 = value;
	if (cell_info[it->cell].kind == KIND_GAUGE) {
		it->kind = OBS_GAUGE;
		it->real = (double)value;
	}
}

static void add_to_total(struct reading *r, size_t slot, uint64_t before, uint64_t now)
{
	put_value(r, slot, r->a->known.totals[r->slots[slot].total] += now - before);
}

static bool count_changes(
	struct reading *r, size_t slot, struct position_word was, struct position_word is)
{
	const struct layout_position *s = &r->slots[slot];
	enum position_kind kind = (enum position_kind)s->kind;
	uint64_t value, before = 0;

	if (!position_value(kind, is.at, is.n, s->scale, &value))
		return false;
	if (s->total == TOTAL_NONE) {
		put_value(r, slot, value);
		return true;
	}
	(void)position_value(kind, was.at, was.n, s->scale, &before);
	add_to_total(r, slot, before, value);
	return true;
}

static bool ratio_changes(struct reading *r, size_t slot, struct position_word is)
{
	struct obs_item *it;
	double v;

	if (parse_real(is.at, is.n, &v) != NUMBER_OK || !(v >= 0 && v <= 1))
		return false;
	it = mark_item(r, slot);
	it->kind = OBS_GAUGE;
	it->real = v;
	return true;
}

static bool time_changes(struct reading *r, uint16_t port, struct position_word is)
{
	int64_t us = r->a->known.shape->body->time(is.at, is.n);

	r->a->known.times[port] = r->o->ports.at[port].sample_us = us;
	return us != 0;
}

/* A time that goes back needs a full parse. */
static bool is_rising(struct position_word was, struct position_word is)
{
	double before, now;

	return parse_real(was.at, was.n, &before) == NUMBER_OK &&
	       parse_real(is.at, is.n, &now) == NUMBER_OK && now >= before;
}

static bool slot_changes(
	struct reading *r, size_t slot, struct position_word was, struct position_word is)
{
	const struct layout_position *s = &r->slots[slot];

	switch (s->kind) {
	case POSITION_COUNT:
	case POSITION_AMOUNT:
		return count_changes(r, slot, was, is);
	case POSITION_RATIO:
		return ratio_changes(r, slot, is);
	case POSITION_RISING:
		return is_rising(was, is);
	case POSITION_REAL:
		return position_is_real(is.at, is.n);
	case POSITION_TIME:
		return time_changes(r, s->port, is);
	default:
		return true;
	}
}

/* A part of the answer, and the text that was in its place. */
struct stretch {
	const char *old, *now;
	size_t old_n, now_n;
};

/*
 * A slot, and the sum of the lengths of all slots before it, which gives its offset in the answer.
 */
struct front {
	size_t slot, lengths;
};

static size_t slot_offset(const struct reading *r, const struct front *f)
{
	return r->slots[f->slot].upto + f->lengths;
}

/* Advances to the first slot that ends at `to` or later. */
static void skip_slots(const struct reading *r, size_t to, struct front *f)
{
	const uint8_t *lengths = r->a->known.lengths;
	size_t sum, near = f->slot + 4;

	/* Usually it is one of the next four. */
	while (f->slot < near && f->slot < r->n && slot_offset(r, f) + lengths[f->slot] < to)
		f->lengths += lengths[f->slot++];
	if (f->slot < near)
		return;
	while (f->slot + 8 <= r->n) {
		sum = f->lengths + digits_sum_bytes(digits_load((const char *)lengths + f->slot));
		if (r->slots[f->slot + 7].upto + sum >= to)
			break;
		f->slot += 8;
		f->lengths = sum;
	}
	while (f->slot < r->n && slot_offset(r, f) + lengths[f->slot] < to)
		f->lengths += lengths[f->slot++];
}

/* Stores the new number of a slot of digits. */
static inline void number_changes(
	struct reading *r, size_t slot, struct position_word was, uint64_t number)
{
	const struct layout_position *s = &r->slots[slot];

	if (s->kind == POSITION_COUNT && s->total == TOTAL_NONE)
		put_value(r, slot, number * s->scale);
	else if (s->kind == POSITION_COUNT)
		add_to_total(r, slot, position_number(was.at, was.n) * s->scale, number * s->scale);
}

/*
 * Like position_length() and slot_changes(), for a slot of digits. Returns its new length; 0: it is
 * no number.
 */
static inline size_t digits_fit(
	struct reading *r, size_t slot, struct position_word was, const char *now)
{
	const struct layout_position *s = &r->slots[slot];
	uint64_t value = 0;
	size_t n = 16;

	if (r->end - now >= 16)
		n = digits_16(now, &value);
	if (n == 16) {
		n = position_length((enum position_kind)s->kind, now, r->end);
		value = position_number(now, n);
	}
	if (!n || (n > 1 && *now == '0'))
		return 0;
	number_changes(r, slot, was, value);
	return n;
}

/*
 * Overwrites the kept text during the comparison, until the first slot that changes its length.
 * Equal text needs no copy.
 */
static void update_text(struct reading *r, const char *old, size_t old_n, const char *now, size_t n)
{
	char *text = r->a->text;

	if (!text || r->moves_at != SIZE_MAX)
		return;
	if (old_n == n)
		digits_copy(text + (old - text), now, n);
	else
		r->moves_at = (size_t)(now - r->bytes);
}

/*
 * Updates the slot, which must contain the whole difference and have at most `most` bytes. Returns
 * its new length; 0: it does not fit.
 */
static size_t slot_fits(
	struct reading *r, struct front *f, const char *old, const char *now, size_t most)
{
	const struct layout_position *s = &r->slots[f->slot];
	uint8_t *length = &r->a->known.lengths[f->slot];
	struct position_word was = {old, *length}, is = {now, 0};

	if (answer_layout_slot_is_digits(s)) {
		is.n = digits_fit(r, f->slot, was, now);
	} else {
		is.n = position_length((enum position_kind)s->kind, now, r->end);
		if (is.n && is.n <= most && !slot_changes(r, f->slot, was, is))
			return 0;
	}
	if (!is.n || is.n > most)
		return 0;
	update_text(r, old, was.n, now, is.n);
	*length = (uint8_t)is.n;
	f->lengths += is.n;
	f->slot++;
	return is.n;
}

/*
 * Compares a stretch that begins at offset `at`. open: the new text may be longer. f ends after the
 * last slot that differs. False: text outside the slots differs.
 */
static bool stretch_fits(
	struct reading *r, const struct stretch *x, size_t at, bool open, struct front *f)
{
	size_t old = 0, now = 0;

	for (;;) {
		size_t room = x->old_n - old, left = x->now_n - now, was, n;
		size_t same = common_prefix(x->old + old, x->now + now, room < left ? room : left);

		if (same == room && (same == left || open)) {
			r->rest = x->now + now + same;
			return true;
		}
		/* The end of the common text may belong to the slot: the number grows there. */
		skip_slots(r, at + now + same, f);
		if (f->slot == r->n || slot_offset(r, f) > at + now + same ||
			slot_offset(r, f) < at + now)
			return false;
		old += slot_offset(r, f) - (at + now);
		now = slot_offset(r, f) - at;
		was = r->a->known.lengths[f->slot];
		if (was > x->old_n - old)
			return false;
		n = slot_fits(r, f, x->old + old, x->now + now, x->now_n - now);
		if (!n)
			return false;
		old += was;
		now += n;
	}
}

static bool whole_fits(struct reading *r)
{
	const struct answer_cache *a = r->a;
	struct stretch x = {.now = r->bytes, .now_n = (size_t)(r->end - r->bytes)};
	struct front f = {0};

	x.old = a->text_id ? a->kept->bytes : a->text;
	x.old_n = a->text_id ? a->kept->len : a->len;
	return stretch_fits(r, &x, 0, a->next != NULL, &f);
}

/* ---- known differences only ---- */

/* Extends the stretch to the whole token, when the slot begins before the change. */
static void widen_stretch(struct reading *r, const struct text_change *c, struct stretch *x)
{
	struct answer_shelf *shelf = r->a->shelf;

	x->now -= c->head;
	x->now_n += c->head;
	vec_reserve(&shelf->token, c->head + x->old_n + 1);
	memcpy(shelf->token.at, x->now, c->head);
	memcpy(shelf->token.at + c->head, x->old, x->old_n);
	x->old = shelf->token.at;
	x->old_n += c->head;
}

_Static_assert(DELTA_DIGITS <= POSITION_DIGITS, "what a token becomes may be too long for a slot");

/* The most frequent change: another number in a slot of digits. */
static inline void token_changes(struct reading *r, size_t slot, const struct text_change *c)
{
	uint8_t *length = &r->a->known.lengths[slot];
	struct position_word was = {r->a->kept->bytes + c->was, *length};

	number_changes(r, slot, was, c->value);
	*length = c->digits;
}

static bool change_fits(struct reading *r, const struct text_change *c, struct front *f)
{
	struct stretch x;
	size_t at = c->at;

	skip_slots(r, at + 1, f);
	x = (struct stretch){.old = r->a->kept->bytes + c->was,
		.old_n = c->was_len,
		.now = r->bytes + at,
		.now_n = c->len};
	if (f->slot < r->n && slot_offset(r, f) < at) {
		widen_stretch(r, c, &x);
		at -= c->head;
	}
	return stretch_fits(r, &x, at, false, f);
}

/* Words are reported even if unchanged; of several slots the last one counts. */
static void find_words(struct reading *r)
{
	const struct answer_layout_body *body = r->a->known.shape->body;
	const uint8_t *lengths = r->a->known.lengths;

	for (size_t i = 0; i < POSITION_WORDS; i++) {
		size_t slot = body->words[i], before = 0, k = 0;

		if (slot == body->slots)
			continue;
		for (; k + 8 <= slot; k += 8)
			before += digits_sum_bytes(digits_load((const char *)lengths + k));
		for (; k < slot; k++)
			before += lengths[k];
		r->words[i] = (struct position_word){
			r->bytes + r->slots[slot].upto + before, lengths[slot]};
	}
}

static bool changes_fit(struct reading *r)
{
	const struct text_before *b = r->a->kept;
	const struct token_slots *known = r->a->tokens;
	struct front f = {0};

	for (size_t i = 0; i < b->changes_n; i++) {
		const struct text_change *c = &b->changes[i];
		size_t slot = TOKEN_NO_SLOT;

		if (c->digits && known && c->token < known->n)
			slot = known->slot[c->token];
		if (slot != TOKEN_NO_SLOT)
			token_changes(r, slot, c);
		else if (!change_fits(r, c, &f))
			return false;
	}
	r->rest = r->end;
	return true;
}

bool answer_cache_compare(struct reading *r)
{
	struct answer_cache *a = r->a;

	if (a->text_id && a->kept->changes) {
		if (!changes_fit(r))
			return false;
	} else {
		answer_cache_tokens_drop(a);
		if (!whole_fits(r))
			return false;
	}
	find_words(r);
	if (a->text_id)
		answer_cache_tokens_find(a, r->bytes);
	return true;
}
