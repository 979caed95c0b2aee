/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "archive/recording/writer_internal.h"
#include "base/clock.h"
#include "base/str.h"

#define RETRY_US    (3 * CLOCK_SEC)
#define RAW_MAX     RTS_BLOB_MAX
#define PIECE_BYTES ((size_t)2 << 20) /* bytes of keyframe steps in a piece, before compression */
#define LEVEL       3

/* ---- the status that other threads read ---- */

static void publish_status(struct rts_writer *w)
{
	const struct rts_file *f = &w->filer.file;

	pthread_mutex_lock(&w->lock);
	w->status.bytes = f->bytes;
	w->status.entries = (uint64_t)f->at.entries;
	w->status.from_us = f->at.from_us;
	w->status.to_us = f->at.to_us;
	if (rts_rotate_due(w))
		w->key_wanted = w->whole_wanted = true;
	pthread_mutex_unlock(&w->lock);
}

static void wake_caller(struct rts_writer *w)
{
	if (w->opts.wake)
		w->opts.wake(w->opts.ctx);
}

static void drop_chunk(struct filer *f)
{
	f->raw.len = 0;
	f->batches = 0;
	f->items = 0;
	f->chunk = (struct rts_chunk){0};
	coder_run(f->coder);
	f->head = 0;
}

static void drop_keyframe(struct filer *f)
{
	buf_reset(&f->keying.pending);
	/* A large device may have needed more than a piece: free that memory. */
	if (f->keying.pending.size > 2 * PIECE_BYTES)
		buf_free(&f->keying.pending);
	f->keying.on = f->keying.failed = false;
}

/* Stops writing for RETRY_US and counts the batches lost meanwhile. */
static void fail_writer(struct rts_writer *w, const struct err *why)
{
	struct filer *f = &w->filer;

	rts_file_undo(&f->file);
	f->lost += (uint64_t)f->batches;
	(void)str_copy(f->why, sizeof(f->why), why->text);
	f->failing = true;
	f->retry_mono_us = clock_mono(&clock_system) + RETRY_US;
	pthread_mutex_lock(&w->lock);
	w->status.lost += (uint64_t)f->batches;
	w->status.failed = true;
	w->status.err = *why;
	w->key_wanted = w->whole_wanted = true;
	pthread_mutex_unlock(&w->lock);
	drop_chunk(f);
	f->keying.failed = true;
	wake_caller(w);
}

/* ---- chunks ---- */

static bool file_replaced(struct rts_writer *w, struct err *err)
{
	errno = 0;
	if (rts_file_there(&w->filer.file))
		return false;
	if (errno && errno != ENOENT && errno != ENOTDIR) {
		err_system(err, ERR_IO, w->path, "cannot be found again", errno);
		return true;
	}
	err_set(err, ERR_IO, w->path, "the file was deleted or replaced while it was written");
	err_cure(err, "do not touch the file until the recording has ended");
	return true;
}

/* Commits the chunk and all rows. False: the writer failed. */
static bool commit_chunk(struct rts_writer *w)
{
	struct filer *f = &w->filer;
	struct err err = {0};
	struct buf packed;
	bool good;

	buf_init(&packed, RTS_BLOB_MAX);
	if (f->chunk.entries) {
		f->chunk.size = (int64_t)f->raw.len;
		f->chunk.head = f->head;
		good = rts_pack(f->raw.data, f->raw.len, LEVEL, &packed) ||
		       err_set(&err, ERR_LIMIT, w->path, "a chunk is too large");
		good = good && rts_file_chunk(&f->file, &f->chunk, packed.data, packed.len, &err);
	} else {
		good = true;
	}
	buf_free(&packed);
	good = good && !file_replaced(w, &err) && rts_file_commit(&f->file, &err);
	if (!good) {
		fail_writer(w, &err);
		return false;
	}
	if (f->chunk.entries) {
		f->head = f->chunk.head;
		if (f->chunk.id - f->head >= RTS_RUN_CHUNKS ||
			coder_bytes(f->coder) > RTS_CODER_BYTES) {
			f->head = 0;
			coder_run(f->coder);
			if (coder_bytes(f->coder) > RTS_CODER_BYTES / 2)
				coder_reset(f->coder);
		}
	}
	f->raw.len = 0;
	f->batches = 0;
	f->items = 0;
	f->chunk = (struct rts_chunk){0};
	publish_status(w);
	return true;
}

static uint64_t count_items(const struct obs *o)
{
	return o ? o->items.n + o->ports.n + o->bgp.n + o->nccl.n : 0;
}

static void append_entry(struct rts_writer *w, struct entry *e)
{
	struct filer *f = &w->filer;
	struct state s;
	bool batch = e->kind == ENTRY_OBS;
	uint64_t n = count_items(e->obs);

	/* Checks both directions of time: after a clock step back the chunk would grow for
	 * hours. */
	if (f->chunk.entries &&
		(e->t_us - f->chunk.from_us >= RTS_CHUNK_US || e->t_us < f->chunk.from_us ||
			f->raw.len >= RTS_CHUNK_BYTES || f->items + n > RTS_CHUNK_ITEMS / 4) &&
		!commit_chunk(w)) {
		f->lost += batch;
		return;
	}
	if (!f->chunk.entries) {
		f->chunk.from_us = f->chunk.to_us = e->t_us;
		f->open_mono_us = clock_mono(&clock_system);
	}
	state_saves(&s, &f->raw);
	if (!coder_entry(f->coder, &s, e)) {
		struct err err = {0};

		err_set(&err, ERR_LIMIT, w->path, "a batch is too large");
		f->batches += batch;
		fail_writer(w, &err);
		return;
	}
	f->chunk.entries++;
	f->chunk.to_us = e->t_us > f->chunk.to_us ? e->t_us : f->chunk.to_us;
	f->items += n;
	f->batches += batch;
}

/* ---- after a failure ---- */

static bool reopen_file(struct rts_writer *w, struct err *err)
{
	struct filer *f = &w->filer;
	struct rts_about about = rts_writer_about(w);

	if (f->file.db && rts_file_there(&f->file))
		return true;
	rts_file_close(&f->file);
	return rts_file_open(&f->file, w->path, &about, false, err);
}

static void try_again(struct rts_writer *w, int64_t t_us)
{
	struct filer *f = &w->filer;
	struct err err = {0};
	struct entry e = {.kind = ENTRY_GAP, .t_us = t_us};

	if (!f->failing || clock_mono(&clock_system) < f->retry_mono_us)
		return;
	f->retry_mono_us = clock_mono(&clock_system) + RETRY_US;
	if (!reopen_file(w, &err)) {
		pthread_mutex_lock(&w->lock);
		w->status.err = err;
		pthread_mutex_unlock(&w->lock);
		return;
	}
	f->failing = false;
	(void)str_printf(e.text, sizeof(e.text), "%llu batch%s not recorded: %.180s",
		(unsigned long long)f->lost, str_count_word(f->lost, "", "es"), f->why);
	append_entry(w, &e);
	if (!commit_chunk(w))
		return;
	f->lost = 0;
	pthread_mutex_lock(&w->lock);
	w->status.failed = false;
	pthread_mutex_unlock(&w->lock);
	wake_caller(w);
}

static void write_entry(struct rts_writer *w, struct entry *e)
{
	struct filer *f = &w->filer;

	try_again(w, e->t_us);
	if (!f->failing) {
		append_entry(w, e);
	} else if (e->kind == ENTRY_OBS) {
		f->lost++;
		pthread_mutex_lock(&w->lock);
		w->status.lost++;
		pthread_mutex_unlock(&w->lock);
	}
}

/* ---- keyframes ---- */

static void add_piece(struct rts_writer *w)
{
	struct keying *k = &w->filer.keying;
	struct buf *raw = &k->pending, packed;
	struct err err = {0};
	struct rts_piece p = {.section = k->section,
		.first = k->first,
		.steps = k->key.steps[k->section] - k->first,
		.size = (int64_t)raw->len};

	if (k->failed || !p.steps)
		return;
	buf_init(&packed, RTS_BLOB_MAX);
	if ((!rts_pack(raw->data, raw->len, LEVEL, &packed) &&
		    !err_set(&err, ERR_LIMIT, w->path, "a keyframe is too large")) ||
		!rts_file_piece(&w->filer.file, &p, packed.data, packed.len, &err))
		fail_writer(w, &err);
	buf_free(&packed);
	buf_reset(raw);
	k->first = k->key.steps[k->section];
}

static void begin_keyframe(struct rts_writer *w, const struct op *op)
{
	struct filer *f = &w->filer;
	struct keying *k = &f->keying;
	struct err err = {0};

	drop_keyframe(f);
	try_again(w, op->t_us);
	k->on = true;
	k->failed = f->failing || !commit_chunk(w);
	/* Rotates here so that the next file begins with a keyframe. */
	if (!k->failed && op->whole && rts_rotate_due(w)) {
		if (!rts_rotate(w, &err) || f->file.db == NULL)
			k->failed = true;
		if (k->failed)
			fail_writer(w, &err);
		wake_caller(w);
	}
	coder_run(f->coder);
	f->head = 0;
	k->key = (struct rts_key){.t_us = op->t_us, .stamp = rts_stamp(), .whole = op->whole};
	k->section = SECTION_MODEL;
	k->first = 0;
}

static void step_keyframe(struct rts_writer *w, const struct op *op)
{
	struct keying *k = &w->filer.keying;
	struct buf *raw = &k->pending;
	struct state s;

	if (!k->on || k->failed)
		return;
	if (op->section != k->section || (raw->len && raw->len + op->n > PIECE_BYTES))
		add_piece(w);
	if (op->section != k->section) {
		k->section = op->section;
		k->first = k->key.steps[k->section];
	}
	state_saves(&s, raw);
	state_u64(&s, &(uint64_t){op->n});
	state_bytes(&s, op->bytes, op->n);
	if (s.bad) {
		struct err err = {0};

		err_set(&err, ERR_LIMIT, w->path, "a step of a keyframe is too large");
		fail_writer(w, &err);
	}
	k->key.steps[op->section]++;
}

static void end_keyframe(struct rts_writer *w)
{
	struct filer *f = &w->filer;
	struct err err = {0};

	if (f->keying.on)
		add_piece(w);
	if (f->keying.on && !f->keying.failed) {
		if (!rts_file_key(&f->file, &f->keying.key, &err))
			fail_writer(w, &err);
		else if (commit_chunk(w) && !rts_forget_some(w, &err))
			fail_writer(w, &err);
	}
	drop_keyframe(f);
}

static void give_up_keyframe(struct rts_writer *w)
{
	rts_file_undo(&w->filer.file);
	drop_keyframe(&w->filer);
}

/* ---- raw output and flush ---- */

static void keep_raw(struct rts_writer *w, const struct op *op)
{
	struct err err = {0};

	if (!w->filer.failing && !rts_file_part(&w->filer.file, op->name, "text/plain", op->t_us,
					 op->asked, op->bytes, op->n, &err))
		fail_writer(w, &err);
}

static void flush_file(struct rts_writer *w, const struct op *op)
{
	struct filer *f = &w->filer;
	struct err err = {0};

	/* A commit now would keep half a keyframe, whose number the next one reuses. Everything
	 * before the keyframe is committed already. */
	if (!f->failing && !f->keying.on)
		(void)commit_chunk(w);
	if (f->failing) {
		pthread_mutex_lock(&w->lock);
		err = w->status.err;
		pthread_mutex_unlock(&w->lock);
	}
	op->done(op->ctx, f->failing ? &err : NULL);
}

/* The entries before it are of the time before the step: they are committed with it or earlier. */
static void take_clock(struct rts_writer *w, struct op *op)
{
	free(w->clock);
	w->clock = mem_strdup(op->name);
	free(w->filer.file.clock);
	w->filer.file.clock = mem_strdup(op->name);
}

void filer_do(struct rts_writer *w, struct op *op)
{
	switch (op->kind) {
	case OP_ENTRY:
		write_entry(w, &op->entry);
		break;
	case OP_BEGIN:
		begin_keyframe(w, op);
		break;
	case OP_STEP:
		step_keyframe(w, op);
		break;
	case OP_END:
		end_keyframe(w);
		break;
	case OP_DROP:
		give_up_keyframe(w);
		break;
	case OP_RAW:
		keep_raw(w, op);
		break;
	case OP_FLUSH:
		flush_file(w, op);
		break;
	case OP_CLOCK:
		take_clock(w, op);
		break;
	}
}

int64_t filer_due(const struct rts_writer *w)
{
	const struct filer *f = &w->filer;

	return f->chunk.entries ? f->open_mono_us + RTS_CHUNK_US : INT64_MAX;
}

void filer_tick(struct rts_writer *w)
{
	(void)commit_chunk(w);
}

void filer_open(struct rts_writer *w)
{
	w->filer.coder = coder_new();
	buf_init(&w->filer.raw, RAW_MAX);
	buf_init(&w->filer.keying.pending, RAW_MAX);
	publish_status(w);
}

bool filer_close(struct rts_writer *w, struct err *err)
{
	struct filer *f = &w->filer;
	struct err why = {0};
	bool busy = false, good;

	if (f->keying.on)
		give_up_keyframe(w);
	f->retry_mono_us = 0;
	try_again(w, w->now_us);
	good = !f->failing && commit_chunk(w);
	if (good && !rts_file_plain(&f->file, &busy, &why)) {
		fail_writer(w, &why);
		good = false;
	}
	if (!good && err)
		*err = w->status.err;
	if (good && w->status.lost) {
		good = err_set(err, ERR_IO, w->path, "%llu batch%s not recorded: %.180s",
			(unsigned long long)w->status.lost,
			str_count_word(w->status.lost, "", "es"),
			f->why[0] ? f->why : "the disk was too slow");
		(void)err_cure(err, "the file marks the gaps; write to a disk with free space");
	}
	rts_file_close(&f->file);
	coder_free(f->coder);
	buf_free(&f->raw);
	buf_free(&f->keying.pending);
	return good;
}
