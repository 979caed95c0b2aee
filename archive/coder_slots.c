/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "archive/coder_internal.h"
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

static void fill_head(struct filler *f, const struct obs *o, int64_t t_us)
{
	put(f, (uint64_t)o->received_us - (uint64_t)t_us);
	put(f, (uint64_t)o->device_us);
	put(f, (uint64_t)o->took_us);
	put(f, o->bytes);
	for (size_t i = 0; i < o->ports.n; i++)
		put(f, (uint64_t)o->ports.at[i].sample_us);
}

static void fill_records(struct filler *f, const struct obs *o)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		fill_bgp(f, &o->bgp.at[i]);
	for (size_t i = 0; i < o->nccl.n; i++)
		fill_nccl(f, &o->nccl.at[i]);
	f->c->now.n = (size_t)(f->at - f->c->now.at);
}

void coder_fill(struct coder *c, const struct obs *o, const struct shape *h, int64_t t_us)
{
	struct filler f = {.c = c, .o = o};

	vec_reserve(&c->now, h->slots);
	f.at = c->now.at;
	fill_head(&f, o, t_us);
	for (size_t i = 0; i < o->items.n; i++)
		fill_item(&f, &o->items.at[i]);
	fill_records(&f, o);
}

void coder_fill_places(struct coder *c, const struct obs *o, const struct shape *h, int64_t t_us,
	const uint64_t *before)
{
	struct filler f = {.c = c, .o = o};
	size_t item = 0;

	vec_reserve(&c->now, h->slots);
	f.at = c->now.at;
	if (h->slots)
		memcpy(f.at, before, h->slots * sizeof(*f.at));
	fill_head(&f, o, t_us);
	for (size_t i = 0; i < h->items.n; i++) {
		if (!c->places.at[i]) {
			f.at += parts_of(h->items.at[i].parts);
			continue;
		}
		while (o->items.at[item].kind >= OBS_FACT)
			item++;
		fill_item(&f, &o->items.at[item++]);
	}
	fill_records(&f, o);
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
	struct obs_item it = {
		.kind = h->kind, .code = h->code, .sub = h->sub, .cell = h->cell, .port = h->port};
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

static void unfill(
	struct coder *c, struct obs *o, const struct shape *h, int64_t t_us, const uint8_t *places)
{
	struct taker k = {.c = c, .o = o, .at = c->now.at};

	o->received_us = (int64_t)(take(&k) + (uint64_t)t_us);
	o->device_us = (int64_t)take(&k);
	o->took_us = (int64_t)take(&k);
	o->bytes = take(&k);
	memcpy(o->refresh_ms, h->refresh_ms, sizeof(o->refresh_ms));
	memcpy(o->narrow, h->narrow, sizeof(o->narrow));
	vec_reserve(&o->ports, h->ports.n);
	vec_reserve(&o->items, h->items.n);
	for (size_t i = 0; i < h->ports.n; i++) {
		struct obs_port *p = vec_add(&o->ports);

		memcpy(p->name, h->ports.at[i].name, sizeof(p->name));
		p->sample_us = (int64_t)take(&k);
	}
	for (size_t i = 0; i < h->items.n; i++) {
		if (!places || places[i])
			take_item(&k, &h->items.at[i]);
		else
			k.at += parts_of(h->items.at[i].parts);
	}
	for (size_t i = 0; i < h->bgp; i++)
		take_bgp(&k);
	for (size_t i = 0; i < h->nccl; i++)
		take_nccl(&k);
}

void coder_unfill(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us)
{
	unfill(c, o, h, t_us, NULL);
}

void coder_unfill_places(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us)
{
	unfill(c, o, h, t_us, c->places.at);
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

static void save_real(struct state *s, uint64_t bits)
{
	int64_t milli;
	double v = real_of(bits);

	if (as_milli(bits, &milli)) {
		uint64_t u = ((uint64_t)milli << 1) ^ (uint64_t)(milli >> 63);

		u <<= 1;
		state_u64(s, &u);
	} else {
		uint64_t u = 1;

		state_u64(s, &u);
		state_f64(s, &v);
	}
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

static void save_slot(
	struct coder *c, struct state *s, enum slot_kind kind, uint64_t v, uint64_t was)
{
	int64_t diff;

	switch (kind) {
	case SLOT_REAL:
		save_real(s, v);
		break;
	case SLOT_TEXT:
		coder_text_ref(c, s, &v);
		break;
	default:
		diff = (int64_t)(v - was);
		state_i64(s, &diff);
		break;
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

/* Runs of what is as guessed, and of what is not, in turns. */
void coder_save_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before)
{
	const uint64_t *now = c->now.at;
	size_t at = 0;

	while (at < h->slots) {
		size_t from = at;

		while (at < h->slots && now[at] == guess(h, now, before, at))
			at++;
		state_u64(s, &(uint64_t){at - from});
		from = at;
		while (at < h->slots && now[at] != guess(h, now, before, at))
			at++;
		if (from < h->slots)
			state_u64(s, &(uint64_t){at - from});
		for (size_t i = from; i < at; i++)
			save_slot(c, s, shape_slot_kind(h, i), now[i], guess(h, now, before, i));
	}
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
	size_t at = 0;
	uint64_t *now;

	vec_reserve(&c->now, h->slots);
	now = c->now.at;
	c->now.n = h->slots;
	while (at < h->slots && !s->bad) {
		size_t same = load_run(s, h->slots - at), other;

		for (; same; same--, at++)
			now[at] = guess(h, now, before, at);
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
