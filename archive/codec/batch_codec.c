/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/str.h"

/* ---- texts ---- */

static struct known_text *add_text(struct coder *c, const char *text)
{
	size_t n = strlen(text);
	struct known_text *t = mem_alloc(sizeof(*t) + n + 1);

	memset(t, 0, sizeof(*t));
	memcpy(t->text, text, n + 1);
	vec_push(&c->texts, t);
	t->id = (uint32_t)c->texts.n;
	c->bytes += sizeof(*t) + n + 1;
	return t;
}

uint32_t coder_text(struct coder *c, const char *text)
{
	struct known_text *t;
	size_t n = strlen(text);

	if (!n)
		return 0;
	/* "up", port by port. */
	if (c->text && strcmp(c->text->text, text) == 0)
		return c->text->id;
	HASH_FIND(hh, c->string_pool_by_text, text, n, t);
	if (!t) {
		t = add_text(c, text);
		HASH_ADD_KEYPTR(hh, c->string_pool_by_text, t->text, n, t);
	}
	c->text = t;
	return t->id;
}

const char *coder_text_of(const struct coder *c, uint64_t id)
{
	return id && id <= c->texts.n ? c->texts.at[id - 1]->text : "";
}

uint32_t coder_text_into(struct coder *c, struct obs *o, uint64_t id)
{
	struct known_text *t = id && id <= c->texts.n ? c->texts.at[id - 1] : NULL;

	if (!t)
		return 0;
	if (t->batch != c->batch) {
		t->batch = c->batch;
		t->offset = obs_string(o, t->text);
	}
	return t->offset;
}

void coder_text_ref(struct coder *c, struct state *s, uint64_t *id)
{
	char text[CODER_TEXT_MAX] = "", clean[CODER_TEXT_MAX];

	state_u64(s, id);
	if (!s->loading) {
		/* New ones are met in the order of their numbers. */
		if (*id > c->string_pool_told) {
			(void)str_copy(text, sizeof(text), coder_text_of(c, *id));
			state_text(s, text, sizeof(text));
			c->string_pool_told = (size_t)*id;
		}
		return;
	}
	if (*id == c->texts.n + 1) {
		state_text(s, text, sizeof(text));
		(void)str_sanitise(clean, sizeof(clean), text, strlen(text));
		(void)add_text(c, clean);
	}
	if (*id > c->texts.n) {
		s->bad = true;
		*id = 0;
	}
}

static void visit_text(struct coder *c, struct state *s, char *text, size_t size)
{
	uint64_t id = s->loading ? 0 : coder_text(c, text);

	coder_text_ref(c, s, &id);
	if (s->loading)
		(void)str_copy(text, size, coder_text_of(c, id));
}

/* ---- batches ---- */

/* Device and request, each with its NUL; returns the bytes without the last one. */
static size_t stream_key(char *key, const char *device, const char *request)
{
	size_t n = strlen(device) + 1, m = strlen(request);

	memcpy(key, device, n);
	memcpy(key + n, request, m + 1);
	return n + m;
}

static struct stream *stream_new(struct coder *c, const char *key, size_t len)
{
	struct stream *st = mem_calloc(1, sizeof(*st) + len + 1);

	memcpy(st->key, key, len + 1);
	st->key_len = (uint16_t)len;
	st->request = (uint16_t)(strlen(key) + 1);
	st->number = NOT_TOLD;
	vec_push(&c->streams, st);
	c->bytes += stream_bytes(st);
	return st;
}

static struct stream *save_stream(struct coder *c, struct state *s, const struct obs *o)
{
	char key[STREAM_KEY_MAX];
	size_t len = stream_key(key, o->device, o->request);
	struct stream *st;

	HASH_FIND(hh, c->streams_by_key, key, len, st);
	if (!st) {
		st = stream_new(c, key, len);
		HASH_ADD_KEYPTR(hh, c->streams_by_key, st->key, len, st);
	}
	if (st->number != NOT_TOLD) {
		state_u64(s, &(uint64_t){st->number});
		return st;
	}
	st->number = c->streams_told++;
	state_u64(s, &(uint64_t){st->number});
	state_text(s, st->key, NAME_MAX_LEN);
	state_text(s, st->key + st->request, STREAM_KEY_MAX - NAME_MAX_LEN);
	return st;
}

static struct stream *load_stream(struct coder *c, struct state *s)
{
	uint64_t number = 0;
	char device[NAME_MAX_LEN] = "", request[STREAM_KEY_MAX - NAME_MAX_LEN] = "";
	char key[STREAM_KEY_MAX];

	state_u64(s, &number);
	if (s->bad || number > c->streams.n) {
		s->bad = true;
		return NULL;
	}
	if (number < c->streams.n)
		return c->streams.at[number];
	state_text(s, device, sizeof(device));
	state_text(s, request, sizeof(request));
	return s->bad ? NULL : stream_new(c, key, stream_key(key, device, request));
}

static void add_shape(struct coder *c, struct shape *h)
{
	h->at = c->shapes.n;
	vec_push(&c->shapes, h);
	c->bytes += shape_bytes(h);
}

/* The shape of the batch among those that were met before, or a new one. */
static const struct shape *find_shape(struct coder *c, const struct obs *o)
{
	struct shape *h = shape_of(o), *known;

	HASH_FIND(hh, c->shapes_by_hash, &h->hash, sizeof(h->hash), known);
	if (known && shape_equal(known, h)) {
		shape_free(h);
		return known;
	}
	h->number = NOT_TOLD;
	add_shape(c, h);
	h->hashed = !known;
	if (h->hashed)
		HASH_ADD(hh, c->shapes_by_hash, hash, sizeof(h->hash), h);
	return h;
}

/* Its number, and itself where it is new to who reads. */
static void tell_shape(struct coder *c, struct state *s, const struct shape *shape)
{
	struct shape *h = c->shapes.at[shape->at];
	bool is_new = h->number == NOT_TOLD;

	if (is_new)
		h->number = c->shapes_told++;
	state_u64(s, &(uint64_t){h->number});
	if (is_new)
		shape_save(s, h);
}

enum obs_flag {
	FLAG_RESULT = 3, /* enum obs_result */
	FLAG_ERR = 4,
	FLAG_BGP_WHOLE = 8,
	FLAG_FOLLOWED = 16,
	FLAG_SAME_SHAPE = 32,
	FLAG_NUMBERED = 64,
	FLAG_REST = 128,   /* with FLAG_SAME_SHAPE: told by places in that */
	FLAG_PLACED = 256, /* with FLAG_REST: by places in one that is told or numbered here */
	FLAGS_ALL = 511,
};

static void visit_err(struct coder *c, struct state *s, struct err *e)
{
	STATE_ENUM(s, e->code, ERR_INTERNAL + 1);
	visit_text(c, s, e->origin, sizeof(e->origin));
	visit_text(c, s, e->text, sizeof(e->text));
	visit_text(c, s, e->cure, sizeof(e->cure));
}

/* What stands before the numbers; how: of the shape. */
static void save_flags(
	struct coder *c, struct state *s, struct obs *o, struct stream *st, uint32_t how)
{
	bool err = o->err.code != ERR_NONE || o->err.text[0] || o->err.origin[0] || o->err.cure[0];
	uint32_t flags = (uint32_t)o->result & FLAG_RESULT;

	flags |= (err ? FLAG_ERR : 0U) | (o->bgp_whole ? FLAG_BGP_WHOLE : 0U) |
		 (o->followed ? FLAG_FOLLOWED : 0U) | (o->number ? FLAG_NUMBERED : 0U) | how;
	state_below(s, &flags, FLAGS_ALL + 1);
	if (err)
		visit_err(c, s, &o->err);
	if (o->number) {
		uint32_t step = o->number - st->batch;

		state_u32(s, &step);
		st->batch = o->number;
	}
}

/*
 * What names only what moved. Its shape would be another each time, so it is not kept; where there
 * is a whole one before it, it is told by that.
 */
static void save_rest(struct coder *c, struct state *s, struct entry *e, struct stream *st)
{
	struct shape *h;

	if (st->shape && coder_rest_fits(c, st->shape, e->obs)) {
		save_flags(
			c, s, e->obs, st, FLAG_REST | (st->said ? FLAG_SAME_SHAPE : FLAG_PLACED));
		if (!st->said)
			tell_shape(c, s, st->shape);
		coder_save_places(c, s, st->shape);
		coder_save_rest(c, s, st, e->obs, e->t_us);
		return;
	}
	h = shape_of(e->obs);
	save_flags(c, s, e->obs, st, FLAG_REST);
	shape_save(s, h);
	coder_fill(c, e->obs, h, e->t_us);
	coder_save_slots(c, s, h, NULL);
	shape_free(h);
}

static void save_obs(struct coder *c, struct state *s, struct entry *e)
{
	struct obs *o = e->obs;
	struct stream *st = save_stream(c, s, o);
	const struct shape *h;
	bool same;

	assert(!o->more);
	if (o->unchanged_rest) {
		save_rest(c, s, e, st);
		return;
	}
	h = st->shape && shape_fits(st->shape, o) ? st->shape : find_shape(c, o);
	same = st->said && h == st->shape;
	save_flags(c, s, o, st, same ? FLAG_SAME_SHAPE : 0);
	if (!same)
		tell_shape(c, s, h);
	coder_fill(c, o, h, e->t_us);
	coder_save_slots(c, s, h, same ? coder_before(c, st) : NULL);
	coder_remember(c, st, h);
}

static const struct shape *load_shape(struct coder *c, struct state *s)
{
	uint64_t number = 0;

	state_u64(s, &number);
	if (s->bad || number > c->shapes.n) {
		s->bad = true;
		return NULL;
	}
	if (number == c->shapes.n) {
		struct shape *h = shape_load(s, &c->maps);

		if (!h)
			return NULL;
		add_shape(c, h);
	}
	return c->shapes.at[number];
}

static bool too_much(const struct coder *c, const struct shape *h)
{
	return c->bytes + h->slots * sizeof(uint64_t) > CODER_MEMORY_MAX;
}

/* By places in a shape; one that is not the stream's is its from now on. */
static void load_placed(struct coder *c, struct state *s, struct entry *e, struct stream *st,
	const struct shape *h, bool same)
{
	if (!h || too_much(c, h)) {
		s->bad = true;
		return;
	}
	coder_load_places(c, s, h);
	if (!s->bad)
		coder_load_slots(c, s, h, same ? coder_before(c, st) : NULL);
	if (s->bad)
		return;
	coder_unfill_places(c, e->obs, h, e->t_us);
	coder_remember(c, st, h);
}

/* As save_rest() has it. */
static void load_rest(
	struct coder *c, struct state *s, struct entry *e, struct stream *st, uint32_t flags)
{
	struct shape *own;

	e->obs->unchanged_rest = true;
	c->batch++;
	if (flags & FLAG_SAME_SHAPE) {
		load_placed(c, s, e, st, st->shape, true);
		return;
	}
	if (flags & FLAG_PLACED) {
		load_placed(c, s, e, st, load_shape(c, s), false);
		return;
	}
	own = shape_load(s, &c->maps);
	if (!own)
		return;
	if (too_much(c, own))
		s->bad = true;
	else
		coder_load_slots(c, s, own, NULL);
	if (!s->bad)
		coder_unfill(c, e->obs, own, e->t_us);
	shape_free(own);
}

static void load_number(struct state *s, struct obs *o, struct stream *st)
{
	uint32_t step = 0;

	state_u32(s, &step);
	o->number = st->batch += step;
}

static void load_obs(struct coder *c, struct state *s, struct entry *e)
{
	struct stream *st = load_stream(c, s);
	const struct shape *h;
	uint32_t flags = 0;
	bool same;

	state_below(s, &flags, FLAGS_ALL + 1);
	s->bad |= (flags & FLAG_RESULT) > OBS_FAILED;
	if (s->bad)
		return;
	e->obs = obs_new(st->key, st->key + st->request);
	e->obs->result = (enum obs_result)(flags & FLAG_RESULT);
	e->obs->bgp_whole = (flags & FLAG_BGP_WHOLE) != 0;
	e->obs->followed = (flags & FLAG_FOLLOWED) != 0;
	if (flags & FLAG_ERR)
		visit_err(c, s, &e->obs->err);
	if (flags & FLAG_NUMBERED)
		load_number(s, e->obs, st);
	same = (flags & FLAG_SAME_SHAPE) != 0;
	if (flags & FLAG_REST) {
		load_rest(c, s, e, st, flags);
		return;
	}
	h = same ? st->shape : load_shape(c, s);
	if (!h || too_much(c, h)) {
		s->bad = true;
		return;
	}
	coder_load_slots(c, s, h, same ? coder_before(c, st) : NULL);
	if (s->bad)
		return;
	c->batch++;
	coder_unfill(c, e->obs, h, e->t_us);
	coder_remember(c, st, h);
}

/* ---- entries ---- */

static void visit_trail(struct state *s, struct runbook_log_entry *t)
{
	state_i64(s, &t->t_us);
	state_text(s, t->user, sizeof(t->user));
	state_text(s, t->runbook, sizeof(t->runbook));
	state_text(s, t->step, sizeof(t->step));
	state_text(s, t->target, sizeof(t->target));
	STATE_ENUM(s, t->outcome, STEP_OUTCOME_COUNT);
	state_bool(s, &t->by_hand);
	state_text(s, t->value, sizeof(t->value));
	state_text(s, t->note, sizeof(t->note));
}

static void visit_kind(struct coder *c, struct state *s, struct entry *e)
{
	switch ((enum entry_kind)e->kind) {
	case ENTRY_OBS:
		if (s->loading)
			load_obs(c, s, e);
		else
			save_obs(c, s, e);
		break;
	case ENTRY_MARK:
	case ENTRY_UNMARK:
	case ENTRY_GAP:
	case ENTRY_PIN:
	case ENTRY_UNPIN:
		state_text(s, e->text, sizeof(e->text));
		break;
	case ENTRY_ACK:
		state_u64(s, &e->key);
		state_i64(s, &e->until_us);
		state_text(s, e->user, sizeof(e->user));
		state_text(s, e->text, sizeof(e->text));
		break;
	case ENTRY_UNACK:
		state_u64(s, &e->key);
		break;
	case ENTRY_TRAIL:
		visit_trail(s, &e->trail);
		break;
	default: /* a judgement is its time */
		break;
	}
}

bool coder_entry(struct coder *c, struct state *s, struct entry *e)
{
	uint32_t kind = e->kind;
	int64_t step = (int64_t)((uint64_t)e->t_us - (uint64_t)c->t_us);

	if (s->loading)
		memset(e, 0, sizeof(*e));
	if (!c->named) {
		coder_names(s, &c->maps);
		c->named = true;
	}
	state_below(s, &kind, ENTRY_KIND_COUNT);
	state_i64(s, &step);
	if (s->loading) {
		e->kind = (uint8_t)kind;
		e->t_us = (int64_t)((uint64_t)c->t_us + (uint64_t)step);
	}
	c->t_us = e->t_us;
	visit_kind(c, s, e);
	if (s->loading && (s->bad || c->bytes > CODER_MEMORY_MAX)) {
		s->bad = true;
		entry_free(e);
	}
	return !s->bad;
}
