/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_RTS_H
#define ARCHIVE_RECORDING_RTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/codec/entry.h"
#include "base/buf.h"
#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * The file of recordings and snapshots, "*.rts": an SQLite database, application_id RTS_ID,
 * user_version RTS_FORMAT, with exactly these tables (times are microseconds since 1970, sizes
 * those before compression, sha256 of the compressed bytes):
 *
 *   meta      key, value: format, tool, kind, fabric, user, host, created_us, redacted, closed,
 *             plan_sha256, chain_start, first_entry, entries, from_us, to_us, contents
 *   chunk     id, head, first, entries, from_us, to_us, size, sha256, chain, blob
 *             entries of about one interval, see entry.h; first: the number of its first entry.
 *             head: the chunk at which the coder was reset: from there on they are read in order
 *             (at most an hour; each keyframe begins a new run). chain: SHA-256 over the chain of
 *             the chunk before (meta.chain_start), "chunk", id, head, first, entries, from_us,
 *             to_us, size, blob, sha256
 *   keyframe  id, t_us, chunk, stamp, whole, model, history, diag
 *             the state before the first entry of chunk (which may not be there yet); stamp: of the
 *             version that can load it; whole: its histories do not go on from the keyframe
 *             before; then the number of steps of each section
 *   section   id, keyframe, section, first, steps, size, sha256, blob
 *             some steps of a keyframe, each after its length
 *   part      name, type, asked, t_us, size, sha256, blob
 *             named documents: plan.json, raw/DEVICE/REQUEST, those of a snapshot
 *   blob      id, bytes: zstd, one frame that states its size
 *
 * meta.contents is a SHA-256 over meta, the last chain, the number of chunks, and the hashes of all
 * rows of keyframe, section and part: so what is in the file is known to be what was written before
 * any blob was read. It tells damage and edits, it is no signature.
 *
 * A file that grows is in WAL mode with one transaction a chunk, so that a kill costs what was not
 * committed; one that was closed is a single file in plain mode.
 */
#define RTS_ID 0x72747331 /* "rts1" */
/*
 * What an older railtop would take for damage is a higher one; all lower ones are read. 2: shapes
 * of batches go on from run to run (run.c).
 */
#define RTS_FORMAT   2
#define RTS_CHUNK_US (5 * INT64_C(1000000)) /* a chunk is committed after so long at the latest */

/* ---- writing: a thread of its own; nothing here waits for the disk but rts_writer_close() ---- */

struct rts_writer;

struct rts_writer_opts {
	const char *path;
	const struct plan
		*plan;    /* no secrets: neither credentials nor how to reach devices get in */
	const char *tool; /* "railtop 0.1.0" */
	const char *user, *host; /* who records, where; may be NULL */
	const char *kind;        /* "recording", "live" */
	/*
	 * A file that is larger or covers more is closed and goes on as NAME-<utc of its first
	 * entry>.rts; the next one begins with a keyframe. 0: never. keep: of those files the
	 * newest so many stay; 0: all.
	 */
	uint64_t rotate_bytes;
	int64_t rotate_us;
	unsigned keep;
	/* Forgets what is older, or beyond so many bytes, the oldest first; 0: nothing. */
	int64_t forget_us;
	uint64_t forget_bytes;
	size_t queue_bytes; /* what may wait for the disk; beyond it batches are lost (ENTRY_GAP) */
	bool patient;       /* whoever adds waits for room instead: nothing is ever lost */
	bool exclusive;     /* refuse a path that exists; else a recording there is continued */
	/* From the writer's thread: it failed, or rotated. */
	void (*wake)(void *ctx);
	void *ctx;
};
/* NULL with err: the directory, the file of somebody else, a fabric that is another one. */
struct rts_writer *rts_writer_open(const struct rts_writer_opts *o, struct err *err);
/* Takes over what the entry owns. */
void rts_writer_add(struct rts_writer *w, struct entry *e);
/*
 * A keyframe is due: the file has none, or replaying what came since the last one would take longer
 * than a scrub may (by entries and items, see tests/bench/history/README.md). all_history: a whole
 * one.
 */
bool rts_writer_wants_keyframe(const struct rts_writer *w, bool *all_history);
/* From here until the end no entry may be added. section: of the model, of histories, of the
 * diagnosis; bytes are copied. False: too much waits already, try again in the next turn. */
enum rts_section { SECTION_MODEL, SECTION_HISTORY, SECTION_DIAG, SECTION_COUNT };
void rts_keyframe_begin(struct rts_writer *w, int64_t t_us, bool all_history);
bool rts_keyframe_step(struct rts_writer *w, enum rts_section section, const void *bytes, size_t n);
void rts_keyframe_end(struct rts_writer *w);
void rts_keyframe_drop(struct rts_writer *w); /* instead of its end: as if it had not begun */
/* What the device said, verbatim: kept for each device and request, the newest one. */
void rts_writer_raw(struct rts_writer *w, const char *device, const char *request,
	const char *asked, int64_t t_us, const char *bytes, size_t n);
/* Everything that was added is on its way to the disk when done is called (writer's thread). */
void rts_writer_flush(
	struct rts_writer *w, void (*done)(void *ctx, const struct err *e), void *ctx);

struct rts_status {
	uint64_t bytes, entries, lost; /* of the file at hand; lost: batches */
	int64_t from_us, to_us;
	bool failed; /* err says why; nothing is written any more */
	struct err err;
};
struct rts_status rts_writer_status(struct rts_writer *w);
/* Commits, makes a plain file of it, joins the thread. False: err has what failed. */
bool rts_writer_close(struct rts_writer *w, struct err *err);

/* ---- reading ---- */

struct rts;

struct rts_info {
	char fabric[NAME_MAX_LEN], tool[32], kind[16], user[32], host[NAME_MAX_LEN];
	unsigned format;
	int64_t created_us, from_us, to_us; /* of the entries */
	uint64_t bytes, chunks, keyframes, entries;
	bool closed; /* in an orderly way: else the last interval may be missing */
	bool redacted;
};
/*
 * Opens for reading only; the file may be growing. Refuses, each with its own words: what is no
 * SQLite file, one of another program, one of a newer railtop, one that is cut off, one whose table
 * of contents was altered. Files up to RTS_VERIFY_BYTES are verified whole; larger ones chunk by
 * chunk, when they are read (rts_verify_some() goes through the rest).
 */
#define RTS_VERIFY_BYTES (UINT64_C(64) << 20)
struct rts *rts_open(const char *path, struct err *err);
void rts_close(struct rts *r);
const struct rts_info *rts_info(const struct rts *r);
/* Looks how far a growing file has come. */
bool rts_refresh(struct rts *r, struct err *err);
/* A plan without access: names, tiers, links, jobs' sources. The caller's. */
bool rts_plan(struct rts *r, struct plan *out, struct err *err);
/* Goes on verifying; true: all done. False with err set: altered. */
bool rts_verify_some(struct rts *r, unsigned chunks, bool *done, struct err *err);

/* A place in the entries. Chunks that were forgotten or altered are skipped: *gap is set. */
struct rts_cursor;
struct rts_cursor *rts_cursor_new(struct rts *r);
void rts_cursor_free(struct rts_cursor *c);
void rts_cursor_first(struct rts_cursor *c);
/* The next entry, whose obs the caller frees. False: the end so far, or err is set. */
bool rts_next(struct rts_cursor *c, struct entry *e, bool *gap, struct err *err);

/* The newest keyframe at or before t_us that this version can load. */
struct rts_keyframe {
	uint64_t id;
	int64_t t_us;
	size_t steps[SECTION_COUNT];
	unsigned
		parts; /* of histories: that many sections of them are to be loaded, oldest first */
};
bool rts_keyframe_at(struct rts *r, int64_t t_us, struct rts_keyframe *k);
/* The oldest one that this version can load. */
bool rts_keyframe_first(struct rts *r, struct rts_keyframe *k);
/* Bytes of an average keyframe in the file, histories included. */
uint64_t rts_keyframe_bytes(struct rts *r);
/* part: 0 .. parts - 1 of histories (whether it is a whole one in *all), 0 of the others. */
bool rts_keyframe_load(struct rts *r, const struct rts_keyframe *k, enum rts_section section,
	unsigned part, size_t step, struct buf *out, bool *all, struct err *err);
/* The cursor goes to the first entry after the keyframe. */
bool rts_cursor_after(struct rts_cursor *c, const struct rts_keyframe *k, struct err *err);

/* Named parts of a snapshot, and raw outputs ("raw/DEVICE/REQUEST"). */
bool rts_part(struct rts *r, const char *name, struct buf *out, struct err *err);
bool rts_parts(struct rts *r,
	void (*each)(
		void *ctx, const char *name, const char *type, uint64_t size, const char *sha256),
	void *ctx, struct err *err);

#endif
