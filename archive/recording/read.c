/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/recording/rts_internal.h"
#include "base/mem.h"

/* ---- entries ---- */

struct rts_cursor {
	struct rts *r;
	struct coder *coder;
	int64_t next;  /* the next chunk has this id or a higher one */
	int64_t run;   /* head of the chunks that the coder has decoded; 0: none */
	bool open;     /* raw holds a chunk with entries left */
	bool gap;      /* reported with the next entry */
	size_t left;   /* entries left in the chunk */
	size_t budget; /* limit of items still to come from it */
	int64_t from_us, to_us, shift_us; /* of the chunk, in the file's own times */
	struct buf raw;
	struct state s;
};

struct rts_cursor *rts_cursor_new(struct rts *r)
{
	struct rts_cursor *c = mem_calloc(1, sizeof(*c));

	c->r = r;
	c->coder = coder_new();
	return c;
}

void rts_cursor_free(struct rts_cursor *c)
{
	if (!c)
		return;
	coder_free(c->coder);
	buf_free(&c->raw);
	free(c);
}

void rts_cursor_first(struct rts_cursor *c)
{
	c->next = 0;
	c->run = 0;
	c->open = c->gap = false;
}

void rts_cursor_skip(struct rts_cursor *c, int64_t t_us)
{
	const struct rts *r = c->r;

	for (size_t i = r->chunks.n; i-- > 0 && r->chunks.at[i].id >= c->next;) {
		const struct rts_chunk *chunk = &r->chunks.at[i];

		if (chunk->head != chunk->id || chunk->from_us + chunk->shift_us > t_us)
			continue;
		c->next = chunk->id;
		c->run = 0;
		c->open = false;
		return;
	}
}

static bool known_bad(const struct rts *r, int64_t id)
{
	for (size_t i = 0; i < r->bad.n; i++)
		if (r->bad.at[i] == id)
			return true;
	return false;
}

/* After an unreadable chunk the decoder is incomplete until the next head resets it. */
static void skip_chunk(struct rts_cursor *c, const struct rts_chunk *chunk)
{
	c->gap = true;
	c->open = false;
	c->run = 0;
	c->next = chunk->id + 1;
}

/* False with err: the system failed to read the file, which says nothing about the chunk. */
static bool open_chunk(struct rts_cursor *c, const struct rts_chunk *chunk, struct err *err)
{
	if (c->next && chunk->id != c->next && c->run)
		c->gap = true;
	if (chunk->head == chunk->id) {
		coder_reset(c->coder);
		c->run = chunk->id;
	}
	if (chunk->head != c->run || known_bad(c->r, chunk->id)) {
		skip_chunk(c, chunk);
		return true;
	}
	if (!rts_blob(c->r, chunk->blob, &chunk->sum, chunk->size, &c->raw, err)) {
		if (err->code == ERR_IO) {
			c->run = 0;
			return false;
		}
		vec_push(&c->r->bad, chunk->id);
		skip_chunk(c, chunk);
		return true;
	}
	c->next = chunk->id + 1;
	c->open = true;
	c->left = (size_t)chunk->entries;
	c->from_us = chunk->from_us;
	c->to_us = chunk->to_us;
	c->shift_us = chunk->shift_us;
	c->budget = RTS_CHUNK_ITEMS;
	state_loads(&c->s, c->raw.data, c->raw.len);
	return true;
}

static size_t count_items(const struct obs *o)
{
	return o ? o->items.n + o->ports.n + o->bgp.n + o->nccl.n : 0;
}

/* No entry leaves its chunk: the times of the chunks are in order. */
static void to_session_time(const struct rts_cursor *c, struct entry *e)
{
	e->t_us = e->t_us < c->from_us ? c->from_us : e->t_us > c->to_us ? c->to_us : e->t_us;
	e->t_us += c->shift_us;
	if (e->until_us > 0 && e->until_us < INT64_MAX / 4)
		e->until_us += c->shift_us;
	if (e->obs && e->obs->received_us > 0 && e->obs->received_us < INT64_MAX / 4)
		e->obs->received_us += c->shift_us;
}

/* Decodes the next entry of the open chunk. */
static bool from_chunk(struct rts_cursor *c, struct entry *e)
{
	size_t n;

	if (!c->left || !coder_entry(c->coder, &c->s, e))
		return false;
	n = count_items(e->obs);
	if (n > c->budget) {
		entry_free(e);
		return false;
	}
	c->budget -= n;
	c->left--;
	to_session_time(c, e);
	return true;
}

bool rts_next(struct rts_cursor *c, struct entry *e, bool *gap, struct err *err)
{
	struct err why = {0};

	*gap = false;
	if (err)
		err->code = ERR_NONE;
	for (;;) {
		size_t i;

		if (c->open && from_chunk(c, e)) {
			*gap = c->gap || e->kind == ENTRY_GAP;
			c->gap = false;
			return true;
		}
		i = rts_chunk_from(c->r, c->next);
		if (c->open && (c->left || !state_ended(&c->s))) {
			/* Its hash was right, so another program wrote it. */
			size_t at = rts_chunk_from(c->r, c->next - 1);

			vec_push(&c->r->bad, c->next - 1);
			if (at < c->r->chunks.n)
				skip_chunk(c, &c->r->chunks.at[at]);
		}
		c->open = false;
		if (i >= c->r->chunks.n)
			break;
		if (!open_chunk(c, &c->r->chunks.at[i], &why)) {
			if (err)
				*err = why;
			return false;
		}
	}
	*gap = c->gap;
	return false;
}

/* ---- keyframes ---- */

static size_t key_index(const struct rts *r, uint64_t id)
{
	size_t low = 0, high = r->keys.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((uint64_t)r->keys.at[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->keys.n && (uint64_t)r->keys.at[low].id == id ? low : SIZE_MAX;
}

/* The writer makes a whole keyframe at least every 16th time; another program may make fewer. */
#define HISTORY_PARTS_MAX 64

/* Number of keyframes from the last whole one to this one; 0: the chain is broken. */
static unsigned history_parts(const struct rts *r, size_t key)
{
	unsigned n = 1;

	for (; !r->keys.at[key].whole; key--, n++)
		if (key == 0 || n == HISTORY_PARTS_MAX ||
			r->keys.at[key - 1].id != r->keys.at[key].id - 1 ||
			r->keys.at[key - 1].stamp != r->keys.at[key].stamp)
			return 0;
	return n;
}

static void fill_keyframe(const struct rts *r, size_t at, struct rts_keyframe *k)
{
	const struct rts_key *key = &r->keys.at[at];

	*k = (struct rts_keyframe){.id = (uint64_t)key->id, .t_us = key->t_us};
	for (unsigned s = 0; s < SECTION_COUNT; s++)
		k->steps[s] = (size_t)key->steps[s];
	k->parts = history_parts(r, at);
}

bool rts_keyframe_at(struct rts *r, int64_t t_us, struct rts_keyframe *k)
{
	for (size_t i = r->keys.n; i-- > 0;) {
		const struct rts_key *key = &r->keys.at[i];

		if (key->t_us > t_us || key->stamp != rts_stamp())
			continue;
		fill_keyframe(r, i, k);
		return true;
	}
	return false;
}

bool rts_keyframe_first(struct rts *r, struct rts_keyframe *k)
{
	size_t first = SIZE_MAX;

	/* By time, not by number: a foreign file may have them in any order. */
	for (size_t i = 0; i < r->keys.n; i++)
		if (r->keys.at[i].stamp == rts_stamp() &&
			(first == SIZE_MAX || r->keys.at[i].t_us <= r->keys.at[first].t_us))
			first = i;
	if (first == SIZE_MAX)
		return false;
	fill_keyframe(r, first, k);
	return true;
}

/* Finds the piece that holds the step. */
static const struct rts_piece *find_piece(
	const struct rts *r, int64_t keyframe, enum rts_section section, size_t step)
{
	size_t low = 0, high = r->pieces.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct rts_piece *p = &r->pieces.at[middle];

		if (p->keyframe < keyframe ||
			(p->keyframe == keyframe &&
				(p->section < (int64_t)section ||
					(p->section == (int64_t)section &&
						p->first + p->steps <= (int64_t)step))))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < r->pieces.n) {
		const struct rts_piece *p = &r->pieces.at[low];

		if (p->keyframe == keyframe && p->section == (int64_t)section &&
			p->first <= (int64_t)step)
			return p;
	}
	return NULL;
}

static bool err_damaged(struct rts *r, struct err *err)
{
	err_set(err, ERR_PROTOCOL, r->path, "was altered: a keyframe differs from the written one");
	return err_cure(err, "take another copy of it");
}

/* Copies one step. Steps are stored one after another, each after its length. */
static bool step_bytes(struct rts *r, enum rts_section section, size_t skip_steps, struct buf *out)
{
	struct state s;
	size_t n = 0;

	if (skip_steps < r->loaded[section].step)
		r->loaded[section].step = r->loaded[section].at = 0;
	state_loads(&s, r->loaded[section].raw.data + r->loaded[section].at,
		r->loaded[section].raw.len - r->loaded[section].at);
	for (; !s.bad; r->loaded[section].step++) {
		r->loaded[section].at = r->loaded[section].raw.len - (size_t)(s.end - s.at);
		state_count(&s, &n, RTS_BLOB_MAX);
		if (s.bad || n > (size_t)(s.end - s.at))
			return false;
		if (r->loaded[section].step == skip_steps)
			break;
		s.at += n;
	}
	return !s.bad && buf_add(out, s.at, n);
}

bool rts_keyframe_load(struct rts *r, const struct rts_keyframe *k, enum rts_section section,
	unsigned part, size_t step, struct buf *out, bool *all, struct err *err)
{
	size_t at = key_index(r, k->id);
	const struct rts_key *key;
	const struct rts_piece *p;

	if (section == SECTION_HISTORY && at != SIZE_MAX) {
		unsigned back = k->parts ? k->parts - 1 - part : 0;

		at = part < k->parts && at >= back ? at - back : SIZE_MAX;
	}
	key = at == SIZE_MAX ? NULL : &r->keys.at[at];
	p = key ? find_piece(r, key->id, section, step) : NULL;
	if (!p)
		return err_damaged(r, err);
	if (all)
		*all = key->whole != 0;
	if (r->loaded[section].piece != p->id) {
		r->loaded[section].piece = -1;
		if (!rts_blob(r, p->blob, &p->sum, p->size, &r->loaded[section].raw, err))
			return false;
		r->loaded[section].piece = p->id;
		r->loaded[section].step = r->loaded[section].at = 0;
	}
	return step_bytes(r, section, step - (size_t)p->first, out) || err_damaged(r, err);
}

bool rts_cursor_after(struct rts_cursor *c, const struct rts_keyframe *k, struct err *err)
{
	size_t at = key_index(c->r, k->id);

	if (at == SIZE_MAX)
		return err_damaged(c->r, err);
	rts_cursor_first(c);
	c->next = c->r->keys.at[at].chunk;
	return true;
}

uint64_t rts_keyframe_bytes(struct rts *r)
{
	sqlite3_stmt *st = rts_prepare(r->db, r->path,
		"SELECT total(length(bytes)) FROM blob WHERE id IN (SELECT blob FROM section)",
		NULL);
	double all = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_double(st, 0) : 0;

	sqlite3_finalize(st);
	return r->keys.n ? (uint64_t)(all / (double)r->keys.n) : 0;
}
