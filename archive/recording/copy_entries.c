/* SPDX-License-Identifier: Apache-2.0 */
/* Copies entries with redaction: decodes each, replaces names and encodes it anew. */
#include "archive/recording/copy_internal.h"

struct writing {
	struct rts_copy *c;
	struct coder *coder;
	struct buf raw;
	struct rts_chunk chunk;
	int64_t head;
};

static struct rts_cursor *cursor_of(struct rts_copy *c, struct err *err)
{
	struct rts_cursor *at = rts_cursor_new(c->from);

	rts_cursor_first(at);
	if (c->has_key && !rts_cursor_after(at, &c->key, err)) {
		rts_cursor_free(at);
		return NULL;
	}
	return at;
}

bool rts_copy_learn(struct rts_copy *c, int64_t to_us, struct err *err)
{
	struct rts_cursor *at = cursor_of(c, err);
	struct entry e = {0};
	struct err why = {0};
	bool gap, more = at != NULL;

	while (more && rts_next(at, &e, &gap, &why)) {
		more = e.t_us <= to_us;
		if (more)
			redact_learn_entry(c->redact, &e);
		entry_free(&e);
	}
	rts_cursor_free(at);
	if (why.code != ERR_NONE && err)
		*err = why;
	return at && why.code == ERR_NONE;
}

static bool end_chunk(struct writing *w, struct err *err)
{
	struct buf packed;
	bool ok;

	if (!w->chunk.entries)
		return true;
	w->chunk.size = (int64_t)w->raw.len;
	w->chunk.head = w->head;
	buf_init(&packed, RTS_BLOB_MAX);
	ok = (rts_pack(w->raw.data, w->raw.len, RTS_COPY_LEVEL, &packed) ||
		     err_set(err, ERR_LIMIT, w->c->file.path, "a chunk is too large")) &&
	     rts_file_chunk(&w->c->file, &w->chunk, packed.data, packed.len, err);
	buf_free(&packed);
	w->head = w->chunk.head;
	if (w->chunk.id - w->head >= RTS_RUN_CHUNKS || coder_bytes(w->coder) > RTS_CODER_BYTES) {
		coder_reset(w->coder);
		w->head = 0;
	}
	buf_reset(&w->raw);
	w->chunk = (struct rts_chunk){0};
	return ok;
}

static bool put_entry(struct writing *w, struct entry *e, struct err *err)
{
	struct state s;

	if (w->chunk.entries &&
		(e->t_us - w->chunk.from_us >= RTS_CHUNK_US || e->t_us < w->chunk.from_us ||
			w->raw.len >= RTS_CHUNK_BYTES) &&
		!end_chunk(w, err))
		return false;
	if (!w->chunk.entries)
		w->chunk.from_us = w->chunk.to_us = e->t_us;
	state_saves(&s, &w->raw);
	if (!coder_entry(w->coder, &s, e))
		return err_set(err, ERR_LIMIT, w->c->file.path, "a batch is too large");
	w->chunk.entries++;
	w->chunk.to_us = e->t_us > w->chunk.to_us ? e->t_us : w->chunk.to_us;
	return true;
}

/* Records a gap where entries of the source are missing. */
static bool put_gap(struct writing *w, int64_t t_us, struct err *err)
{
	struct entry e = {.kind = ENTRY_GAP,
		.t_us = t_us,
		.text = "entries of the recording could not be read"};

	return put_entry(w, &e, err);
}

bool rts_copy_entries(struct rts_copy *c, int64_t to_us, struct err *err)
{
	struct rts_cursor *at = cursor_of(c, err);
	struct writing w = {.c = c, .coder = coder_new()};
	struct entry e = {0};
	struct err why = {0};
	bool gap = false, ok = at != NULL, more = ok;

	buf_init(&w.raw, RTS_BLOB_MAX);
	coder_reset(w.coder);
	while (ok && more && rts_next(at, &e, &gap, &why)) {
		more = e.t_us <= to_us;
		if (more && gap && e.kind != ENTRY_GAP)
			ok = put_gap(&w, e.t_us, err);
		if (more && ok) {
			redact_entry(c->redact, &e);
			ok = put_entry(&w, &e, err);
		}
		entry_free(&e);
	}
	ok = ok && end_chunk(&w, err);
	if (ok && why.code != ERR_NONE) {
		ok = false;
		if (err)
			*err = why;
	}
	rts_cursor_free(at);
	coder_free(w.coder);
	buf_free(&w.raw);
	return ok;
}
