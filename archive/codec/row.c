/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a batch as a row of numbers: those of the batch itself, sample times, values of
 * items, texts of items, and fields of records. Values of one kind stand together, because equal
 * ones are then long runs. Texts are ids. Sample times and fields are differences to the one
 * before: those that grow together stay the same from row to row.
 */
#include <math.h>
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/str.h"

#define HEAD_SLOTS 8

/* ---- reals ---- */

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

/* Readings have at most three decimals nearly always. */
#define MILLI_MOST (UINT64_C(1) << 50)

static uint64_t milli_bits(uint64_t zigzag)
{
	return bits_of((double)(int64_t)(zigzag & 1 ? ~(zigzag >> 1) : zigzag >> 1) / 1000.0);
}

/*
 * A real as a number, and back: the numbers below MILLI_MOST and the reals of so many thousandths
 * change places, so each is the inverse of the other.
 */
static uint64_t swap_real(uint64_t bits)
{
	double v = real_of(bits);
	uint64_t zigzag;

	if (bits < MILLI_MOST)
		return milli_bits(bits);
	if (!(fabs(v) < 1e12))
		return bits;
	zigzag = state_zigzag(llround(v * 1000));
	return zigzag < MILLI_MOST && milli_bits(zigzag) == bits ? zigzag : bits;
}

/* ---- records ---- */

enum field_type { FIELD_SMALL, FIELD_32, FIELD_64, FIELD_REAL, FIELD_TEXT };
struct field {
	uint8_t type, limit, other; /* a small number of limit or more becomes other */
	uint16_t offset;
};

#define TEXT_OF(record, name)   FIELD_TEXT, 0, 0, offsetof(struct record, name)
#define NUMBER_32(record, name) FIELD_32, 0, 0, offsetof(struct record, name)
#define NUMBER_64(record, name) FIELD_64, 0, 0, offsetof(struct record, name)
#define REAL_OF(record, name)   FIELD_REAL, 0, 0, offsetof(struct record, name)

static const struct field bgp_fields[] = {{TEXT_OF(obs_bgp, peer)}, {TEXT_OF(obs_bgp, host)},
	{TEXT_OF(obs_bgp, vrf)}, {FIELD_SMALL, BGP_OTHER, BGP_OTHER, offsetof(struct obs_bgp, afi)},
	{FIELD_SMALL, BGP_STATE_COUNT, BGP_UNKNOWN, offsetof(struct obs_bgp, state)},
	{NUMBER_32(obs_bgp, remote_as)}, {REAL_OF(obs_bgp, since_s)},
	{NUMBER_64(obs_bgp, prefixes)}, {NUMBER_64(obs_bgp, drops)}};

#define NCCL_NO_KIND (NCCL_DONE + 1)
static const struct field nccl_fields[] = {
	{FIELD_SMALL, NCCL_NO_KIND, NCCL_NO_KIND, offsetof(struct obs_nccl, kind)},
	{FIELD_SMALL, NCCL_SOURCE_COUNT, SOURCE_UNKNOWN, offsetof(struct obs_nccl, source)},
	{FIELD_SMALL, NCCL_STATE_COUNT, NCCL_UNKNOWN, offsetof(struct obs_nccl, state)},
	{TEXT_OF(obs_nccl, job)}, {TEXT_OF(obs_nccl, comm)}, {TEXT_OF(obs_nccl, comm_name)},
	{NUMBER_32(obs_nccl, rank)}, {NUMBER_32(obs_nccl, nranks)}, {NUMBER_32(obs_nccl, peer)},
	{TEXT_OF(obs_nccl, host)}, {NUMBER_32(obs_nccl, pid)}, {NUMBER_32(obs_nccl, gpu)},
	{NUMBER_32(obs_nccl, local_gpu)}, {TEXT_OF(obs_nccl, nic)}, {TEXT_OF(obs_nccl, func)},
	{NUMBER_64(obs_nccl, seq)}, {NUMBER_64(obs_nccl, completed)},
	{NUMBER_64(obs_nccl, begin_us)}, {NUMBER_64(obs_nccl, end_us)},
	{REAL_OF(obs_nccl, took_us)}, {REAL_OF(obs_nccl, took_max_us)},
	{REAL_OF(obs_nccl, wait_us)}, {REAL_OF(obs_nccl, credit_us)}, {NUMBER_64(obs_nccl, bytes)},
	{TEXT_OF(obs_nccl, text)}, {TEXT_OF(obs_nccl, text2)}};
#define BGP_FIELDS  (sizeof(bgp_fields) / sizeof(bgp_fields[0]))
#define NCCL_FIELDS (sizeof(nccl_fields) / sizeof(nccl_fields[0]))

static uint64_t get_field(
	struct coder *c, const struct obs *o, const unsigned char *record, const struct field *f)
{
	uint32_t v32 = 0;
	uint64_t v64 = 0;

	switch ((enum field_type)f->type) {
	case FIELD_SMALL:
		return record[f->offset];
	case FIELD_32:
	case FIELD_TEXT:
		memcpy(&v32, record + f->offset, sizeof(v32));
		return f->type == FIELD_32 ? v32 : coder_text(c, obs_text(o, v32));
	case FIELD_64:
	case FIELD_REAL:
		memcpy(&v64, record + f->offset, sizeof(v64));
		return f->type == FIELD_64 ? v64 : swap_real(v64);
	}
	return 0;
}

static void set_field(
	struct coder *c, struct obs *o, unsigned char *record, const struct field *f, uint64_t v)
{
	uint32_t v32 = (uint32_t)v;

	switch ((enum field_type)f->type) {
	case FIELD_SMALL:
		record[f->offset] = v < f->limit ? (uint8_t)v : f->other;
		break;
	case FIELD_32:
	case FIELD_TEXT:
		v32 = f->type == FIELD_32 ? v32 : coder_text_into(c, o, v);
		memcpy(record + f->offset, &v32, sizeof(v32));
		break;
	case FIELD_64:
	case FIELD_REAL:
		v = f->type == FIELD_64 ? v : swap_real(v);
		memcpy(record + f->offset, &v, sizeof(v));
		break;
	}
}

/* A column for each field, of differences to the record before. */
static void fill_records(struct coder *c, const struct obs *o, uint64_t *to, const void *records,
	size_t n, size_t size, const struct field *fields, size_t width)
{
	for (size_t k = 0; k < width; k++) {
		uint64_t last = 0;

		for (size_t i = 0; i < n; i++) {
			uint64_t v = get_field(
				c, o, (const unsigned char *)records + i * size, &fields[k]);

			*to++ = v - last;
			last = v;
		}
	}
}

static void take_records(struct coder *c, struct obs *o, const uint64_t *from, void *records,
	size_t n, size_t size, const struct field *fields, size_t width)
{
	for (size_t k = 0; k < width; k++) {
		uint64_t v = 0;

		for (size_t i = 0; i < n; i++)
			set_field(c, o, (unsigned char *)records + i * size, &fields[k],
				v += *from++);
	}
}

/* Removes sessions without a peer, and records of a kind that this version does not know. */
static void drop_unknown(struct obs *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->bgp.n; i++)
		if (o->bgp.at[i].peer)
			o->bgp.at[n++] = o->bgp.at[i];
	o->bgp.n = n;
	n = 0;
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind != NCCL_NO_KIND)
			o->nccl.at[n++] = o->nccl.at[i];
	o->nccl.n = n;
}

/* ---- a batch as a row, and back ---- */

size_t row_length(const struct layout *h)
{
	return HEAD_SLOTS + h->head.ports + 2 * h->head.items + h->head.bgp * BGP_FIELDS +
	       h->head.nccl * NCCL_FIELDS;
}

static uint64_t item_value(struct coder *c, const struct obs *o, const struct obs_item *it)
{
	if (it->kind == OBS_GAUGE || it->kind == OBS_NUMBER)
		return swap_real(it->u64);
	return obs_has_text2(it) ? coder_text(c, obs_text(o, it->text2)) : it->u64;
}

void row_fill(struct coder *c, const struct obs *o, int64_t t_us, const struct layout *h,
	const struct part *p)
{
	const uint32_t *slot = p ? p->slots.at : h->slot;
	uint64_t *to = c->now.at, *text;
	int64_t sample_us = 0;

	*to++ = (uint64_t)o->received_us - (uint64_t)t_us;
	*to++ = (uint64_t)o->device_us;
	*to++ = (uint64_t)o->took_us;
	*to++ = o->bytes;
	*to++ = o->err.code;
	*to++ = coder_text(c, o->err.origin);
	*to++ = coder_text(c, o->err.text);
	*to++ = coder_text(c, o->err.cure);
	for (size_t i = 0; i < o->ports.n; i++) {
		*to++ = (uint64_t)o->ports.at[i].sample_us - (uint64_t)sample_us;
		sample_us = o->ports.at[i].sample_us;
	}
	text = to + h->head.items;
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind >= OBS_FACT)
			continue;
		to[*slot] = item_value(c, o, it);
		text[*slot++] = it->text ? coder_text(c, obs_text(o, it->text)) : 0;
	}
	to = text + h->head.items;
	fill_records(c, o, to, o->bgp.at, o->bgp.n, sizeof(*o->bgp.at), bgp_fields, BGP_FIELDS);
	to += o->bgp.n * BGP_FIELDS;
	fill_records(
		c, o, to, o->nccl.at, o->nccl.n, sizeof(*o->nccl.at), nccl_fields, NCCL_FIELDS);
}

static void take_text(const struct coder *c, uint64_t id, char *dst, size_t size)
{
	(void)str_copy(dst, size, coder_text_of(c, id));
}

static const uint64_t *take_head(
	struct coder *c, struct obs *o, int64_t t_us, const struct layout *h)
{
	const uint64_t *from = c->now.at;
	uint64_t sample_us = 0;

	o->received_us = (int64_t)(from[0] + (uint64_t)t_us);
	o->device_us = (int64_t)from[1];
	o->took_us = (int64_t)from[2];
	o->bytes = from[3];
	o->err.code = from[4] <= ERR_INTERNAL ? (enum err_code)from[4] : ERR_INTERNAL;
	take_text(c, from[5], o->err.origin, sizeof(o->err.origin));
	take_text(c, from[6], o->err.text, sizeof(o->err.text));
	take_text(c, from[7], o->err.cure, sizeof(o->err.cure));
	from += HEAD_SLOTS;
	memcpy(o->refresh_ms, h->head.refresh_ms, sizeof(o->refresh_ms));
	memcpy(o->narrow, h->head.narrow, sizeof(o->narrow));
	vec_reserve(&o->ports, h->head.ports);
	for (size_t i = 0; i < h->head.ports; i++) {
		struct obs_port *p = vec_add(&o->ports);

		memcpy(p->name, layout_port(h, i), sizeof(p->name));
		p->sample_us = (int64_t)(sample_us += *from++);
	}
	return from;
}

static void take_item(struct coder *c, struct obs *o, uint64_t key, uint64_t v, uint64_t text)
{
	struct obs_item *it = &o->items.at[o->items.n++];
	unsigned kind = (uint8_t)key;

	layout_item(key, it);
	it->text = text ? coder_text_into(c, o, text) : 0;
	it->u64 = v;
	if (kind == OBS_GAUGE || kind == OBS_NUMBER) {
		it->u64 = swap_real(v);
		if (!isfinite(it->real))
			o->items.n--;
	} else if (obs_has_text2(it)) {
		it->u64 = 0;
		it->text2 = coder_text_into(c, o, v);
	}
}

void row_take(
	struct coder *c, struct obs *o, int64_t t_us, const struct layout *h, const struct part *p)
{
	const uint64_t *from = take_head(c, o, t_us, h), *text = from + h->head.items;
	const uint64_t *key = layout_keys(h);

	vec_reserve(&o->items, h->head.items);
	for (size_t i = 0; i < h->head.items; i++) {
		uint32_t slot = h->slot[i];

		if ((!p || p->named.at[slot]) && key[i] != KEY_UNKNOWN)
			take_item(c, o, key[i], from[slot], text[slot]);
	}
	from = text + h->head.items;
	for (size_t i = 0; i < h->head.bgp; i++)
		(void)vec_add(&o->bgp);
	for (size_t i = 0; i < h->head.nccl; i++)
		(void)vec_add(&o->nccl);
	take_records(c, o, from, o->bgp.at, o->bgp.n, sizeof(*o->bgp.at), bgp_fields, BGP_FIELDS);
	from += o->bgp.n * BGP_FIELDS;
	take_records(
		c, o, from, o->nccl.at, o->nccl.n, sizeof(*o->nccl.at), nccl_fields, NCCL_FIELDS);
	drop_unknown(o);
}

/* ---- a row as bytes ---- */

#define BLOCK  512
#define STRIDE 8

static bool stride_is_same(const uint64_t *now, const uint64_t *was)
{
	uint64_t any = 0;

	for (size_t i = 0; i < STRIDE; i++)
		any |= now[i] ^ was[i];
	return !any;
}

/* A difference, or 0 and the number of further slots without one. */
void row_save(struct state *s, const uint64_t *now, const uint64_t *was, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n;) {
		size_t end = n - i < BLOCK ? n : i + BLOCK;
		/* At most three numbers for two slots. */
		char *to = state_room(s, (size_t)2 * BLOCK);

		s->bad |= !to;
		if (s->bad)
			return;
		while (i < end) {
			size_t equal = now[i] == was[i];

			if (end - i >= STRIDE && stride_is_same(now + i, was + i))
				equal = STRIDE;
			same += equal;
			i += equal;
			if (equal)
				continue;
			if (same)
				to = state_put(state_put(to, 0), same - 1);
			same = 0;
			to = state_put(to, state_zigzag((int64_t)(now[i] - was[i])));
			i++;
		}
		state_put_to(s, to);
	}
	if (same) {
		state_u64(s, &(uint64_t){0});
		state_u64(s, &(uint64_t){same - 1});
	}
}

void row_load(struct state *s, uint64_t *row, size_t n)
{
	for (size_t i = 0; i < n && !s->bad; i++) {
		uint64_t v = state_get(s), same;

		row[i] += v & 1 ? ~(v >> 1) : v >> 1;
		if (v)
			continue;
		same = state_get(s);
		s->bad |= same >= n - i;
		i += (size_t)same;
	}
}
