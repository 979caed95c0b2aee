/* SPDX-License-Identifier: Apache-2.0 */
#include <endian.h>
#include <math.h>
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/str.h"

static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static double real_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* ---- a batch as slots, and back ---- */

struct filler {
	struct coder *c;
	const struct obs *o;
	uint64_t *at;
};

static void put(struct filler *f, uint64_t v)
{
	*f->at++ = v;
}

static void put_i32(struct filler *f, int32_t v)
{
	put(f, (uint64_t)(int64_t)v);
}

static void put_text(struct filler *f, uint32_t offset)
{
	put(f, coder_text(f->c, obs_text(f->o, offset)));
}

static void fill_item(struct filler *f, const struct obs_item *it)
{
	unsigned parts = it->kind < OBS_FACT ? coder_kinds[it->kind].parts : 0;

	if (parts & PART_COUNT)
		put(f, it->u64);
	if (parts & PART_REAL)
		put(f, bits_of(it->real));
	if (parts & PART_TEXT)
		put_text(f, it->text);
	if (parts & PART_TEXT2)
		put_text(f, it->text2);
}

/* In the order of coder_bgp_kinds. */
static void fill_bgp(struct filler *f, const struct obs_bgp *b)
{
	put_text(f, b->peer);
	put_text(f, b->host);
	put_text(f, b->vrf);
	put(f, b->afi);
	put(f, b->state);
	put(f, b->remote_as);
	put(f, bits_of(b->since_s));
	put(f, b->prefixes);
	put(f, b->drops);
}

/* In the order of coder_nccl_kinds. */
static void fill_nccl(struct filler *f, const struct obs_nccl *r)
{
	put(f, r->kind);
	put(f, r->source);
	put(f, r->state);
	put_text(f, r->job);
	put_text(f, r->comm);
	put_text(f, r->comm_name);
	put_i32(f, r->rank);
	put_i32(f, r->nranks);
	put_i32(f, r->peer);
	put_text(f, r->host);
	put_i32(f, r->pid);
	put_i32(f, r->gpu);
	put_i32(f, r->local_gpu);
	put_text(f, r->nic);
	put_text(f, r->func);
	put(f, (uint64_t)r->seq);
	put(f, (uint64_t)r->completed);
	put(f, (uint64_t)r->begin_us);
	put(f, (uint64_t)r->end_us);
	put(f, bits_of(r->took_us));
	put(f, bits_of(r->took_max_us));
	put(f, bits_of(r->wait_us));
	put(f, bits_of(r->credit_us));
	put(f, r->bytes);
	put_text(f, r->text);
	put_text(f, r->text2);
}

static unsigned parts_of(unsigned parts)
{
	unsigned n = 0;

	for (; parts; parts &= parts - 1)
		n++;
	return n;
}

void coder_fill_head(const struct obs *o, int64_t t_us, uint64_t *to)
{
	*to++ = (uint64_t)o->received_us - (uint64_t)t_us;
	*to++ = (uint64_t)o->device_us;
	*to++ = (uint64_t)o->took_us;
	*to++ = o->bytes;
	for (size_t i = 0; i < o->ports.n; i++)
		*to++ = (uint64_t)o->ports.at[i].sample_us;
}

size_t coder_fill_item(
	struct coder *c, const struct obs *o, const struct obs_item *it, uint64_t *to)
{
	struct filler f = {.c = c, .o = o, .at = to};

	fill_item(&f, it);
	return (size_t)(f.at - to);
}

void coder_fill_records(struct coder *c, const struct obs *o, uint64_t *to)
{
	struct filler f = {.c = c, .o = o, .at = to};

	for (size_t i = 0; i < o->bgp.n; i++)
		fill_bgp(&f, &o->bgp.at[i]);
	for (size_t i = 0; i < o->nccl.n; i++)
		fill_nccl(&f, &o->nccl.at[i]);
}

void coder_fill(struct coder *c, const struct obs *o, const struct shape *h, int64_t t_us)
{
	struct filler f = {.c = c, .o = o};

	vec_reserve(&c->now, h->slots);
	coder_fill_head(o, t_us, c->now.at);
	f.at = c->now.at + shape_head(h);
	for (size_t i = 0; i < o->items.n; i++)
		fill_item(&f, &o->items.at[i]);
	coder_fill_records(c, o, f.at);
}

struct taker {
	struct coder *c;
	struct obs *o;
	const uint64_t *at;
};

static uint64_t take(struct taker *k)
{
	return *k->at++;
}

static int32_t take_i32(struct taker *k)
{
	int64_t v = (int64_t)take(k);

	return v < INT32_MIN || v > INT32_MAX ? -1 : (int32_t)v;
}

static uint32_t take_text(struct taker *k)
{
	return coder_text_into(k->c, k->o, take(k));
}

/* A number below limit, else what. */
static uint8_t take_below(struct taker *k, unsigned limit, uint8_t other)
{
	uint64_t v = take(k);

	return v < limit ? (uint8_t)v : other;
}

static void take_item(struct taker *k, const struct shape_item *h)
{
	struct obs_item it = shape_unkey(h->key);
	bool good = h->known;

	if (!h->known) {
		k->at += parts_of(h->parts);
		return;
	}
	if (h->parts & PART_COUNT)
		it.u64 = take(k);
	if (h->parts & PART_REAL)
		it.real = real_of(take(k)), good = isfinite(it.real);
	if (h->parts & PART_TEXT)
		it.text = take_text(k);
	if (h->parts & PART_TEXT2)
		it.text2 = take_text(k);
	if (good)
		vec_push(&k->o->items, it);
}

static void take_bgp(struct taker *k)
{
	struct obs_bgp *b = vec_add(&k->o->bgp);

	b->peer = take_text(k);
	b->host = take_text(k);
	b->vrf = take_text(k);
	b->afi = take_below(k, BGP_OTHER + 1, BGP_OTHER);
	b->state = take_below(k, BGP_STATE_COUNT, BGP_UNKNOWN);
	b->remote_as = (uint32_t)take(k);
	b->since_s = real_of(take(k));
	b->prefixes = take(k);
	b->drops = take(k);
	/* As obs_bgp() has it. */
	if (!b->peer)
		k->o->bgp.n--;
}

static void take_nccl(struct taker *k)
{
	struct obs_nccl *r = vec_add(&k->o->nccl);
	uint64_t kind = take(k);

	r->kind = (uint8_t)(kind <= NCCL_DONE ? kind : 0);
	r->source = take_below(k, NCCL_SOURCE_COUNT, SOURCE_UNKNOWN);
	r->state = take_below(k, NCCL_STATE_COUNT, NCCL_UNKNOWN);
	r->job = take_text(k);
	r->comm = take_text(k);
	r->comm_name = take_text(k);
	r->rank = take_i32(k);
	r->nranks = take_i32(k);
	r->peer = take_i32(k);
	r->host = take_text(k);
	r->pid = take_i32(k);
	r->gpu = take_i32(k);
	r->local_gpu = take_i32(k);
	r->nic = take_text(k);
	r->func = take_text(k);
	r->seq = (int64_t)take(k);
	r->completed = (int64_t)take(k);
	r->begin_us = (int64_t)take(k);
	r->end_us = (int64_t)take(k);
	r->took_us = real_of(take(k));
	r->took_max_us = real_of(take(k));
	r->wait_us = real_of(take(k));
	r->credit_us = real_of(take(k));
	r->bytes = take(k);
	r->text = take_text(k);
	r->text2 = take_text(k);
	if (kind > NCCL_DONE)
		k->o->nccl.n--;
}

static void unfill_head(struct taker *k, const struct shape *h, int64_t t_us)
{
	struct obs *o = k->o;

	o->received_us = (int64_t)(take(k) + (uint64_t)t_us);
	o->device_us = (int64_t)take(k);
	o->took_us = (int64_t)take(k);
	o->bytes = take(k);
	memcpy(o->refresh_ms, h->refresh_ms, sizeof(o->refresh_ms));
	memcpy(o->narrow, h->narrow, sizeof(o->narrow));
	vec_reserve(&o->ports, h->ports.n);
	for (size_t i = 0; i < h->ports.n; i++) {
		struct obs_port *p = vec_add(&o->ports);

		memcpy(p->name, h->ports.at[i].name, sizeof(p->name));
		p->sample_us = (int64_t)take(k);
	}
}

static void unfill_records(struct taker *k, const struct shape *h)
{
	k->at = k->c->now.at + h->kinds.n;
	for (size_t i = 0; i < h->bgp; i++)
		take_bgp(k);
	for (size_t i = 0; i < h->nccl; i++)
		take_nccl(k);
}

void coder_unfill(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us)
{
	struct taker k = {.c = c, .o = o, .at = c->now.at};

	unfill_head(&k, h, t_us);
	vec_reserve(&o->items, h->items.n);
	for (size_t i = 0; i < h->items.n; i++)
		take_item(&k, &h->items.at[i]);
	unfill_records(&k, h);
}

void coder_unfill_places(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us)
{
	struct taker k = {.c = c, .o = o, .at = c->now.at};

	unfill_head(&k, h, t_us);
	vec_reserve(&o->items, c->places.n);
	for (size_t i = 0; i < c->places.n; i++) {
		const struct shape_item *item = &h->items.at[c->places.at[i]];

		k.at = c->now.at + item->slot;
		take_item(&k, item);
	}
	unfill_records(&k, h);
}

/* ---- slots as bytes ---- */

/*
 * What a slot holds unless something changed: what it held before, or, in the first batch of a
 * shape, what the record before this one holds; a port's sample time goes on as its neighbour's.
 */
static uint64_t guess(
	const struct shape *h, const uint64_t *now, const uint64_t *before, size_t slot)
{
	size_t records = h->kinds.n, width;

	if (before) {
		if (slot > HEAD_SLOTS && slot < records && h->kinds.at[slot] == SLOT_SAMPLE)
			return before[slot] + (now[slot - 1] - before[slot - 1]);
		return before[slot];
	}
	if (slot < records)
		return slot > HEAD_SLOTS && h->kinds.at[slot] == SLOT_SAMPLE ? now[slot - 1] : 0;
	slot -= records;
	width = slot < h->bgp * BGP_SLOTS ? BGP_SLOTS : NCCL_SLOTS;
	if (width == NCCL_SLOTS)
		records += h->bgp * BGP_SLOTS, slot -= h->bgp * BGP_SLOTS;
	return slot < width ? 0 : now[records + slot - width];
}

/* Milli-units that give exactly the same number again; most readings are such decimals. */
static bool as_milli(uint64_t bits, int64_t *milli)
{
	double v = real_of(bits);

	if (!(fabs(v) < 1e12))
		return false;
	*milli = llround(v * 1000);
	return bits_of((double)*milli / 1000.0) == bits;
}

static char *put_real(char *to, uint64_t bits)
{
	int64_t milli;
	uint64_t le = htole64(bits);

	if (as_milli(bits, &milli))
		return state_put(to, state_zigzag(milli) << 1);
	to = state_put(to, 1);
	memcpy(to, &le, sizeof(le));
	return to + sizeof(le);
}

static uint64_t load_real(struct state *s)
{
	uint64_t u = 0;
	double v = 0;

	state_u64(s, &u);
	if (u & 1) {
		s->bad |= u != 1;
		state_f64(s, &v);
	} else {
		u >>= 1;
		v = (double)(int64_t)(u & 1 ? ~(u >> 1) : u >> 1) / 1000.0;
	}
	return bits_of(v);
}

/* Returns where the next of left goes; NULL: s->bad. */
static char *save_slot(struct coder *c, struct state *s, char *to, enum slot_kind kind,
	const struct slot *slot, size_t left)
{
	uint64_t id = slot->now;

	switch (kind) {
	case SLOT_REAL:
		return put_real(to, slot->now);
	case SLOT_TEXT:
		if (id <= c->string_pool_told)
			return state_put(to, id);
		state_put_to(s, to);
		coder_text_ref(c, s, &id);
		return state_room(s, left);
	default:
		return state_put(to, state_zigzag((int64_t)(slot->now - slot->was)));
	}
}

static uint64_t load_slot(struct coder *c, struct state *s, enum slot_kind kind, uint64_t was)
{
	uint64_t v = 0;
	int64_t diff = 0;

	switch (kind) {
	case SLOT_REAL:
		return load_real(s);
	case SLOT_TEXT:
		coder_text_ref(c, s, &v);
		return v;
	default:
		state_i64(s, &diff);
		return was + (uint64_t)diff;
	}
}

static void note_change(struct coder *c, const struct shape *h, const uint64_t *before, size_t slot)
{
	uint64_t was = guess(h, c->now.at, before, slot);

	if (c->now.at[slot] != was)
		vec_push(&c->changed, (struct slot){slot, c->now.at[slot], was});
}

void coder_head_changed(struct coder *c, const struct shape *h, const uint64_t *before)
{
	for (size_t i = 0, n = shape_head(h); i < n; i++)
		note_change(c, h, before, i);
}

/* So many slots one after the other, and how many before them are as guessed. */
static bool save_run(struct coder *c, struct state *s, const struct shape *h,
	const struct slot *slots, size_t n, size_t same)
{
	char *to = state_room(s, n + 2);

	if (to)
		to = state_put(state_put(to, same), n);
	for (size_t i = 0; to && i < n; i++)
		to = save_slot(c, s, to, shape_slot_kind(h, slots[i].at), &slots[i], n - i);
	if (to)
		state_put_to(s, to);
	s->bad |= !to;
	return to != NULL;
}

/* Runs of what is as guessed, and of what is not, in turns. */
void coder_save_changed(struct coder *c, struct state *s, const struct shape *h)
{
	const struct slot *slots = c->changed.at;
	size_t at = 0, n = c->changed.n;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && slots[end].at == slots[end - 1].at + 1;)
			end++;
		if (!save_run(c, s, h, slots + i, end - i, slots[i].at - at))
			return;
		at = slots[end - 1].at + 1;
	}
	if (at < h->slots)
		state_u64(s, &(uint64_t){h->slots - at});
}

void coder_save_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before)
{
	const uint64_t *now = c->now.at;

	c->changed.n = 0;
	coder_head_changed(c, h, before);
	for (size_t i = shape_head(h); i < h->slots; i++)
		if (!before || now[i] != before[i])
			note_change(c, h, before, i);
	coder_save_changed(c, s, h);
}

static size_t load_run(struct state *s, size_t left)
{
	uint64_t n = 0;

	state_u64(s, &n);
	s->bad |= n > left;
	return s->bad ? 0 : (size_t)n;
}

void coder_load_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before)
{
	size_t at = 0, head = shape_head(h);
	uint64_t *now;

	vec_reserve(&c->now, h->slots);
	now = c->now.at;
	c->now.n = h->slots;
	while (at < h->slots && !s->bad) {
		size_t same = load_run(s, h->slots - at), other;

		for (; same && (!before || at < head); same--, at++)
			now[at] = guess(h, now, before, at);
		if (same)
			memcpy(now + at, before + at, same * sizeof(*now));
		at += same;
		if (at == h->slots)
			break;
		other = load_run(s, h->slots - at);
		/* Else a run of nothing after a run of nothing would go on for ever. */
		s->bad |= !other;
		for (; other && !s->bad; other--, at++)
			now[at] =
				load_slot(c, s, shape_slot_kind(h, at), guess(h, now, before, at));
	}
}
