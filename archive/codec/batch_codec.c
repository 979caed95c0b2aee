/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries as bytes. A batch is a stream (its device and request), a layout (its ports and items)
 * and a row (its values). A run has each stream and layout once, and refers to it by number. A row
 * is saved as its differences to the last row of the stream, if the layout is the same.
 */
#include <assert.h>
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/str.h"

/* A writer forgets a stream after so many runs without a batch. */
#define QUIET_RUNS 32

/* ---- memory ---- */

static void begin_run(struct coder *c)
{
	HASH_CLEAR(hh, c->texts_by_text);
	for (size_t i = 0; i < c->texts.n; i++)
		free(c->texts.at[i]);
	c->text = NULL;
	c->texts.n = c->texts_told = c->streams_told = c->layouts_told = 0;
	c->bytes = 0;
	c->t_us = 0;
	c->named = false;
}

static void free_stream(struct stream *st)
{
	free(st->row);
	free(st);
}

void coder_reset(struct coder *c)
{
	begin_run(c);
	HASH_CLEAR(hh, c->streams_by_key);
	HASH_CLEAR(hh, c->layouts_by_words);
	for (size_t i = 0; i < c->streams.n; i++)
		free_stream(c->streams.at[i]);
	for (size_t i = 0; i < c->layouts.n; i++)
		layout_free(c->layouts.at[i]);
	c->streams.n = c->layouts.n = 0;
}

struct coder *coder_new(void)
{
	struct coder *c = mem_calloc(1, sizeof(*c));

	buf_init(&c->packed, CODER_MEMORY_MAX);
	coder_reset(c);
	return c;
}

void coder_free(struct coder *c)
{
	if (!c)
		return;
	coder_reset(c);
	vec_free(&c->texts);
	vec_free(&c->streams);
	vec_free(&c->layouts);
	vec_free(&c->words);
	vec_free(&c->now);
	vec_free(&c->was);
	vec_free(&c->part.slots);
	vec_free(&c->part.named);
	buf_free(&c->packed);
	free(c);
}

size_t coder_bytes(const struct coder *c)
{
	return c->bytes;
}

/*
 * A writer goes on with the layouts of its streams: a batch of changes needs the whole batch before
 * it, which may be minutes away. The new run tells each again when it is first needed.
 */
static void keep_streams(struct coder *c)
{
	size_t n = 0;

	HASH_CLEAR(hh, c->streams_by_key);
	for (size_t i = 0; i < c->streams.n; i++) {
		struct stream *st = c->streams.at[i];

		st->quiet = st->number == NOT_TOLD ? (uint8_t)(st->quiet + 1) : 0;
		if (!st->layout || st->quiet == QUIET_RUNS) {
			free_stream(st);
			continue;
		}
		HASH_ADD(hh, c->streams_by_key, key, sizeof(st->key), st);
		free(st->row);
		st->row = NULL;
		st->row_n = 0;
		st->number = NOT_TOLD;
		st->told = false;
		st->batch = 0;
		st->layout->used = true;
		c->bytes += sizeof(*st);
		c->streams.at[n++] = st;
	}
	c->streams.n = n;
}

static void keep_layouts(struct coder *c)
{
	size_t n = 0;

	HASH_CLEAR(hh, c->layouts_by_words);
	for (size_t i = 0; i < c->layouts.n; i++) {
		struct layout *h = c->layouts.at[i];

		if (!h->used) {
			layout_free(h);
			continue;
		}
		HASH_ADD_KEYPTR(
			hh, c->layouts_by_words, h->words, h->words_n * sizeof(*h->words), h);
		h->used = false;
		h->number = NOT_TOLD;
		c->bytes += layout_bytes(h);
		c->layouts.at[n++] = h;
	}
	c->layouts.n = n;
}

void coder_run(struct coder *c)
{
	begin_run(c);
	keep_streams(c);
	keep_layouts(c);
}

/* ---- texts ---- */

static struct known_text *add_text(struct coder *c, const char *text)
{
	size_t n = strlen(text);
	struct known_text *t = mem_calloc(1, sizeof(*t) + n + 1);

	memcpy(t->text, text, n + 1);
	vec_push(&c->texts, t);
	t->id = (uint32_t)c->texts.n;
	c->bytes += sizeof(*t) + n + 1;
	return t;
}

uint32_t coder_text(struct coder *c, const char *text)
{
	struct known_text *t;
	size_t n;

	if (!text[0])
		return 0;
	/* The same text follows itself often: "up", port by port. */
	if (c->text && strcmp(c->text->text, text) == 0)
		return c->text->id;
	n = strlen(text);
	HASH_FIND(hh, c->texts_by_text, text, n, t);
	if (!t) {
		t = add_text(c, text);
		HASH_ADD_KEYPTR(hh, c->texts_by_text, t->text, n, t);
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

/* The texts that this run has not told yet. */
static void visit_texts(struct coder *c, struct state *s)
{
	size_t n = c->texts.n - c->texts_told;

	state_count(s, &n, UINT32_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		char text[CODER_TEXT_MAX] = "";

		if (!s->loading)
			(void)str_copy(text, sizeof(text), c->texts.at[c->texts_told + i]->text);
		state_text(s, text, sizeof(text));
		if (s->loading)
			(void)add_text(c, text);
	}
	c->texts_told = c->texts.n;
}

/* ---- streams and layouts ---- */

static struct stream *add_stream(struct coder *c, const struct stream_key *key)
{
	struct stream *st = mem_calloc(1, sizeof(*st));

	st->key = *key;
	st->number = NOT_TOLD;
	vec_push(&c->streams, st);
	c->bytes += sizeof(*st);
	return st;
}

static void visit_key(struct state *s, struct stream_key *key)
{
	state_text(s, key->device, sizeof(key->device));
	state_text(s, key->request, sizeof(key->request));
}

static struct stream *save_stream(struct coder *c, struct state *s, const struct obs *o)
{
	struct stream_key key = {0};
	struct stream *st;
	bool is_new;

	(void)str_copy(key.device, sizeof(key.device), o->device);
	(void)str_copy(key.request, sizeof(key.request), o->request);
	HASH_FIND(hh, c->streams_by_key, &key, sizeof(key), st);
	if (!st) {
		st = add_stream(c, &key);
		HASH_ADD(hh, c->streams_by_key, key, sizeof(st->key), st);
	}
	is_new = st->number == NOT_TOLD;
	if (is_new)
		st->number = c->streams_told++;
	state_u64(s, &(uint64_t){st->number});
	if (is_new)
		visit_key(s, &st->key);
	return st;
}

static struct stream *load_stream(struct coder *c, struct state *s)
{
	struct stream_key key = {0};
	uint64_t number = 0;

	state_u64(s, &number);
	if (!s->bad && number < c->streams.n)
		return c->streams.at[number];
	s->bad |= number > c->streams.n;
	visit_key(s, &key);
	return s->bad ? NULL : add_stream(c, &key);
}

static void add_layout(struct coder *c, struct layout *h)
{
	vec_push(&c->layouts, h);
	c->bytes += layout_bytes(h);
}

/* The known layout of the batch in c->words, or a new one. */
static struct layout *find_layout(struct coder *c)
{
	size_t bytes = c->words.n * sizeof(*c->words.at);
	struct layout *h;

	HASH_FIND(hh, c->layouts_by_words, c->words.at, bytes, h);
	if (!h) {
		h = layout_new(&c->words);
		HASH_ADD_KEYPTR(hh, c->layouts_by_words, h->words, bytes, h);
		add_layout(c, h);
	}
	return h;
}

static void save_layout(struct coder *c, struct state *s, struct layout *h)
{
	bool is_new = h->number == NOT_TOLD;

	if (is_new)
		h->number = c->layouts_told++;
	state_u64(s, &(uint64_t){h->number});
	if (is_new)
		layout_save(s, h, &c->maps);
}

static struct layout *load_layout(struct coder *c, struct state *s)
{
	uint64_t number = 0;
	struct layout *h;

	state_u64(s, &number);
	if (!s->bad && number < c->layouts.n)
		return c->layouts.at[number];
	s->bad |= number > c->layouts.n;
	h = s->bad ? NULL : layout_load(s, &c->maps);
	if (h)
		add_layout(c, h);
	return h;
}

/* ---- batches ---- */

enum obs_flag {
	FLAG_RESULT = 3, /* enum obs_result */
	FLAG_BGP_WHOLE = 4,
	FLAG_FOLLOWED = 8,
	FLAG_SAME = 16,  /* the layout of the stream's last batch, and differences to its row */
	FLAG_REST = 32,  /* unchanged_rest: the batch has a part of the layout's items */
	FLAG_ALONE = 64, /* with FLAG_REST: has all items of a layout that is not kept */
	FLAGS_ALL = 127,
};

/* The stream's last row: zeros, if none was told. */
static void recall_row(words *row, const struct stream *st, const struct layout *h)
{
	size_t n = row_length(h);
	struct state s;

	vec_reserve(row, n);
	memset(row->at, 0, n * sizeof(*row->at));
	if (!st->told || st->layout != h)
		return;
	state_loads(&s, st->row, st->row_n);
	row_load(&s, row->at, n);
}

static void remember_row(struct coder *c, struct stream *st, struct layout *h)
{
	size_t n = row_length(h);
	struct state s;

	buf_reset(&c->packed);
	state_saves(&s, &c->packed);
	vec_reserve(&c->was, n);
	memset(c->was.at, 0, n * sizeof(*c->was.at));
	row_save(&s, c->now.at, c->was.at, n);
	c->bytes += c->packed.len;
	c->bytes -= st->row_n;
	if (c->packed.len != st->row_n)
		st->row = mem_realloc(st->row, c->packed.len, 1);
	st->row_n = c->packed.len;
	memcpy(st->row, c->packed.data, st->row_n);
	st->layout = h;
	st->told = !s.bad;
}

static void save_row(struct coder *c, struct state *s, const struct stream *st,
	const struct entry *e, const struct layout *h, const struct part *p)
{
	size_t n = row_length(h);

	recall_row(&c->was, st, h);
	vec_reserve(&c->now, n);
	if (p)
		memcpy(c->now.at, c->was.at, n * sizeof(*c->now.at));
	row_fill(c, e->obs, e->t_us, h, p);
	visit_texts(c, s);
	row_save(s, c->now.at, c->was.at, n);
}

static void save_flags(struct state *s, struct stream *st, const struct obs *o, uint32_t flags)
{
	uint32_t step = o->number - st->batch;

	flags |= (uint32_t)o->result | (o->bgp_whole ? FLAG_BGP_WHOLE : 0U) |
		 (o->followed ? FLAG_FOLLOWED : 0U) | (o->unchanged_rest ? FLAG_REST : 0U);
	state_below(s, &flags, FLAGS_ALL + 1);
	state_u32(s, &step);
	st->batch = o->number;
}

/* A part without a whole batch before it. The next part is another one, so nothing is remembered.
 */
static void save_alone(struct coder *c, struct state *s, struct stream *st, const struct entry *e)
{
	struct layout *h = layout_new(&c->words);

	save_flags(s, st, e->obs, FLAG_ALONE);
	layout_save(s, h, &c->maps);
	save_row(c, s, st, e, h, NULL);
	layout_free(h);
}

static void save_obs(struct coder *c, struct state *s, struct entry *e)
{
	struct stream *st = save_stream(c, s, e->obs);
	struct part *p = e->obs->unchanged_rest ? &c->part : NULL;
	struct layout *h = st->layout;
	bool same;

	assert(!e->obs->more);
	layout_words(e->obs, &c->words);
	if (p && (!h || !layout_part(h, &c->words, p))) {
		save_alone(c, s, st, e);
		return;
	}
	if (!p && (!h || !layout_is(h, &c->words)))
		h = find_layout(c);
	same = st->told && h == st->layout;
	save_flags(s, st, e->obs, same ? FLAG_SAME : 0);
	if (!same)
		save_layout(c, s, h);
	if (p)
		part_visit(s, h->head.items, p);
	save_row(c, s, st, e, h, p);
	remember_row(c, st, h);
}

static void load_row(struct coder *c, struct state *s, const struct stream *st, struct entry *e,
	const struct layout *h, const struct part *p)
{
	s->bad |= c->bytes + row_length(h) * sizeof(uint64_t) > CODER_MEMORY_MAX;
	if (s->bad)
		return;
	visit_texts(c, s);
	recall_row(&c->now, st, h);
	row_load(s, c->now.at, row_length(h));
	if (s->bad)
		return;
	c->batch++;
	row_take(c, e->obs, e->t_us, h, p);
}

static void load_alone(struct coder *c, struct state *s, const struct stream *st, struct entry *e)
{
	struct layout *h = layout_load(s, &c->maps);

	if (h)
		load_row(c, s, st, e, h, NULL);
	layout_free(h);
}

static void load_obs(struct coder *c, struct state *s, struct entry *e)
{
	struct stream *st = load_stream(c, s);
	struct part *p;
	struct layout *h;
	uint32_t flags = 0, step = 0;

	state_below(s, &flags, FLAGS_ALL + 1);
	state_u32(s, &step);
	s->bad |= (flags & FLAG_RESULT) > OBS_FAILED;
	if (s->bad)
		return;
	e->obs = obs_new(st->key.device, st->key.request);
	e->obs->result = (enum obs_result)(flags & FLAG_RESULT);
	e->obs->bgp_whole = (flags & FLAG_BGP_WHOLE) != 0;
	e->obs->followed = (flags & FLAG_FOLLOWED) != 0;
	e->obs->unchanged_rest = (flags & FLAG_REST) != 0;
	e->obs->number = st->batch += step;
	if (flags & FLAG_ALONE) {
		load_alone(c, s, st, e);
		return;
	}
	st->told &= (flags & FLAG_SAME) != 0;
	h = flags & FLAG_SAME ? st->layout : load_layout(c, s);
	s->bad |= !h;
	p = flags & FLAG_REST ? &c->part : NULL;
	if (p && h)
		part_visit(s, h->head.items, p);
	if (h)
		load_row(c, s, st, e, h, p);
	if (!s->bad)
		remember_row(c, st, h);
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
		names_visit(s, &c->maps);
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
