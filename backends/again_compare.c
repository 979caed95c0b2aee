/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/again_private.h"
#include "backends/parse_number.h"
#include "base/digits.h"

/*
 * The last answer and the next one, from slot to slot that differs: all of both, or what somebody
 * else has found to differ (text_before.changes), which then is all that is looked at.
 */

/* How many bytes both have in common, up to n. */
static size_t common(const char *x, const char *y, size_t n)
{
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		uint64_t a[4], b[4];

		memcpy(a, x + i, sizeof(a));
		memcpy(b, y + i, sizeof(b));
		if ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]))
			break;
	}
	while (i + 8 <= n && digits_load(x + i) == digits_load(y + i))
		i += 8;
	if (i + 8 <= n)
		return i +
		       ((unsigned)__builtin_ctzll(digits_load(x + i) ^ digits_load(y + i)) >> 3);
	while (i < n && x[i] == y[i])
		i++;
	return i;
}

/* The item that the slot belongs to has a value, as its bits. */
static void put(struct reading *r, size_t slot, uint64_t value)
{
	struct again_shelf *shelf = r->a->shelf;
	uint32_t item = r->slots[slot].item;

	shelf->named.at[item / 64] |= UINT64_C(1) << (item % 64);
	shelf->value.at[item] = value;
	shelf->from.at[item] = (uint32_t)slot;
}

static bool count_changes(struct reading *r, size_t slot, struct slot_word was, struct slot_word is)
{
	const struct shape_slot *s = &r->slots[slot];
	enum slot_kind kind = (enum slot_kind)s->kind;
	uint64_t value, before;

	if (!slot_value(kind, is.at, is.n, s->scale, &value))
		return false;
	if (s->total != TOTAL_NONE) {
		(void)slot_value(kind, was.at, was.n, s->scale, &before);
		value = r->a->known.totals[s->total] += value - before;
	}
	put(r, slot, value);
	return true;
}

static bool ratio_changes(struct reading *r, size_t slot, struct slot_word is)
{
	uint64_t bits;
	double v;

	if (parse_real(is.at, is.n, &v) != NUMBER_OK || !(v >= 0 && v <= 1))
		return false;
	memcpy(&bits, &v, sizeof(bits));
	put(r, slot, bits);
	return true;
}

static bool time_changes(struct reading *r, uint16_t port, struct slot_word is)
{
	int64_t us = r->a->known.shape->body->time(is.at, is.n);

	r->a->known.times[port] = r->o->ports.at[port].sample_us = us;
	return us != 0;
}

/* Of a time that goes back the reader is told. */
static bool rises(struct slot_word was, struct slot_word is)
{
	double before, now;

	return parse_real(was.at, was.n, &before) == NUMBER_OK &&
	       parse_real(is.at, is.n, &now) == NUMBER_OK && now >= before;
}

static bool slot_changes(struct reading *r, size_t slot, struct slot_word was, struct slot_word is)
{
	const struct shape_slot *s = &r->slots[slot];

	switch (s->kind) {
	case SLOT_COUNT:
	case SLOT_AMOUNT:
		return count_changes(r, slot, was, is);
	case SLOT_RATIO:
		return ratio_changes(r, slot, is);
	case SLOT_RISING:
		return rises(was, is);
	case SLOT_REAL:
		return slot_is_real(is.at, is.n);
	case SLOT_TIME:
		return time_changes(r, s->port, is);
	default:
		return true;
	}
}

/* Words are told of whether they changed or not. */
static void note_word(struct reading *r, size_t slot, const char *at, size_t n)
{
	const struct shape_slot *s = &r->slots[slot];

	if (s->kind == SLOT_WORD || s->kind == SLOT_RISING)
		r->words[s->scale] = (struct slot_word){at, n};
}

/* A stretch of the answer, and what was in its place. */
struct stretch {
	const char *old, *now;
	size_t old_n, now_n;
};

/* The next slot, and where in the stretch as it was it begins. */
struct place {
	size_t slot, at;
};

static size_t gap_of(const struct reading *r, size_t slot)
{
	return r->slots[slot].upto - (slot ? r->slots[slot - 1].upto : 0);
}

static void next_slot(const struct reading *r, struct place *p)
{
	p->at += r->a->known.lengths[p->slot];
	if (++p->slot < r->n)
		p->at += gap_of(r, p->slot);
}

/* The slot is all that differs, up to its end; *now: where it is in the stretch, then behind it. */
static bool slot_fits(
	struct reading *r, const struct stretch *x, const struct place *p, size_t *now)
{
	uint8_t *length = &r->a->known.lengths[p->slot];
	struct slot_word was = {x->old + p->at, *length}, is = {x->now + *now, 0};

	is.n = slot_length((enum slot_kind)r->slots[p->slot].kind, is.at, r->end);
	if (!is.n || is.n > x->now_n - *now || !slot_changes(r, p->slot, was, is))
		return false;
	note_word(r, p->slot, is.at, is.n);
	*length = (uint8_t)is.n;
	*now += is.n;
	return true;
}

/*
 * open: more may follow than what was there. p is then the first slot behind the stretch. False:
 * something differs that is no slot.
 */
static bool stretch_fits(struct reading *r, const struct stretch *x, bool open, struct place *p)
{
	const uint8_t *lengths = r->a->known.lengths;
	size_t old = 0, now = 0;

	for (;;) {
		size_t room = x->old_n - old, left = x->now_n - now, length;
		size_t same = common(x->old + old, x->now + now, room < left ? room : left);
		bool all = same == room && (same == left || open);

		/* Where it ends belongs to a slot: there a number grows. */
		while (p->slot < r->n && p->at < x->old_n &&
			(all || p->at + lengths[p->slot] < old + same)) {
			note_word(r, p->slot, x->now + now + (p->at - old), lengths[p->slot]);
			next_slot(r, p);
		}
		if (all) {
			r->rest = x->now + now + same;
			return true;
		}
		if (p->slot == r->n || p->at > old + same)
			return false;
		length = lengths[p->slot];
		now += p->at - old;
		old = p->at + length;
		if (old > x->old_n || !slot_fits(r, x, p, &now))
			return false;
		p->at = old;
		if (++p->slot < r->n)
			p->at += gap_of(r, p->slot);
	}
}

static bool whole_fits(struct reading *r)
{
	const struct again *a = r->a;
	struct stretch x = {.now = r->bytes, .now_n = (size_t)(r->end - r->bytes)};
	struct place p = {.at = r->n ? r->slots[0].upto : 0};

	x.old = a->text_id ? a->kept->bytes : a->text;
	x.old_n = a->text_id ? a->kept->len : a->len;
	return stretch_fits(r, &x, a->next != NULL, &p);
}

/* ---- only what is known to differ ---- */

static size_t sum_of_8(const uint8_t *bytes)
{
	const uint64_t pairs = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t w = digits_load((const char *)bytes);

	return (((w & pairs) + (w >> 8 & pairs)) * UINT64_C(0x0001000100010001)) >> 48;
}

/* A slot, and the lengths of all before it: what it begins at, in the answer as it is now. */
struct front {
	size_t slot, lengths;
};

/* Goes on to the first slot that does not end before `to`. */
static void skip(const struct reading *r, size_t to, struct front *f)
{
	const uint8_t *lengths = r->a->known.lengths;
	size_t sum;

	while (f->slot + 8 <= r->n) {
		sum = f->lengths + sum_of_8(lengths + f->slot);
		if (r->slots[f->slot + 7].upto + sum > to)
			break;
		f->slot += 8;
		f->lengths = sum;
	}
	while (f->slot < r->n && r->slots[f->slot].upto + f->lengths + lengths[f->slot] <= to)
		f->lengths += lengths[f->slot++];
}

static bool change_fits(struct reading *r, const struct text_change *c, struct front *f)
{
	struct stretch x = {.old = r->a->kept->bytes + c->was,
		.old_n = c->was_len,
		.now = r->bytes + c->at,
		.now_n = c->len};
	struct place p;
	size_t begins;

	skip(r, c->at, f);
	begins = f->slot < r->n ? r->slots[f->slot].upto + f->lengths : c->at;
	/* One that began before is in two tokens. */
	if (begins < c->at)
		return false;
	p = (struct place){f->slot, begins - c->at};
	if (!stretch_fits(r, &x, false, &p))
		return false;
	f->slot = p.slot;
	if (p.slot < r->n)
		f->lengths = c->at + c->len + (p.at - c->was_len) - r->slots[p.slot].upto;
	return true;
}

/* Those outside of what changed are where the lengths lead; of several slots the last counts. */
static void find_words(struct reading *r)
{
	const struct shape_body *body = r->a->known.shape->body;
	const uint8_t *lengths = r->a->known.lengths;

	for (size_t i = 0; i < SLOT_WORDS; i++) {
		size_t slot = body->words[i], before = 0, k = 0;

		if (slot == body->slots)
			continue;
		for (; k + 8 <= slot; k += 8)
			before += sum_of_8(lengths + k);
		for (; k < slot; k++)
			before += lengths[k];
		r->words[i] =
			(struct slot_word){r->bytes + r->slots[slot].upto + before, lengths[slot]};
	}
}

static bool changes_fit(struct reading *r)
{
	const struct text_before *b = r->a->kept;
	struct front f = {0};

	for (size_t i = 0; i < b->changes_n; i++)
		if (!change_fits(r, &b->changes[i], &f))
			return false;
	find_words(r);
	r->rest = r->end;
	return true;
}

bool again_compare(struct reading *r)
{
	return r->a->text_id && r->a->kept->changes ? changes_fit(r) : whole_fits(r);
}
