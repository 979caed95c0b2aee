/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_RTS_H
#define ARCHIVE_RECORDING_RTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/codec/entry.h"
#include "base/buf.h"
#include "base/clock_track.h"
#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * The file format of recordings and snapshots, "*.rts". A file is an SQLite database with
 * application_id RTS_ID and user_version RTS_FORMAT. Times are microseconds since 1970. A size is
 * the size before compression. A sha256 is that of the compressed bytes. The tables are exactly:
 *
 *   meta      key, value.
 *             Keys: format, tool, kind, fabric, user, host, created_us, redacted, closed,
 *             plan_sha256; chain_start, first_entry, entries, from_us, to_us, contents; clock.
 *             Times count in session time. clock: the steps of the wall clock, see
 *             clock_track_print(). Without it both are the same.
 *   chunk     id, head, first, entries, from_us, to_us, size, sha256, chain, blob.
 *             The entries of about one interval, see entry.h. first: the number of its first entry.
 *             head: the chunk at which the coder was reset. The reader decodes a run of chunks in
 *             order from its head. A run is at most an hour; each keyframe begins a new one.
 *             chain: SHA-256 over the chain of the chunk before (meta.chain_start for the first);
 *             then "chunk", id, head, first, entries, from_us, to_us, size, blob, sha256.
 *   keyframe  id, t_us, chunk, stamp, whole, model, history, diag.
 *             The state before the first entry of chunk, which may not be written yet. stamp: of
 *             the version that can load it. whole: its histories do not continue those of the
 *             keyframe before. model, history, diag: the number of steps of each section.
 *   section   id, keyframe, section, first, steps, size, sha256, blob.
 *             Some steps of a keyframe, each after its length.
 *   part      name, type, asked, t_us, size, sha256, blob.
 *             Named documents: plan.json, raw/DEVICE/REQUEST, and those of a snapshot.
 *   blob      id, bytes: one zstd frame that states its size.
 *
 * meta.contents is a SHA-256 over meta, the last chain, the number of chunks, and the hashes of all
 * rows of keyframe, section and part. It shows damage and edits before any blob is read. It is not
 * a signature.
 *
 * A growing file is in WAL mode with one transaction per chunk. A kill loses only the data that was
 * not committed. A closed file is a single file in plain (DELETE) journal mode.
 */
#define RTS_ID 0x72747331 /* "rts1" */
/*
 * Raised when an older railtop would mistake a new file for a damaged one. Files of another format
 * are refused: those of formats 1 and 2 have another codec.
 */
#define RTS_FORMAT 3
#define RTS_CHUNK_US                                                                               \
	(5 * INT64_C(1000000)) /* a chunk is committed after this time at the latest               \
				*/

/* ---- writing: in a thread of its own; only rts_writer_close() waits for the disk ---- */

struct rts_writer;

struct rts_writer_opts {
	const char *path;
	const struct plan *plan; /* written without secrets: no credentials, no device access */
	const char *tool;        /* "railtop 0.1.0" */
	const char *user, *host; /* the recording user and host; may be NULL */
	const char *kind;        /* "recording", "live" */
	/*
	 * A file above rotate_bytes, or with more than rotate_us of entries, is closed and renamed
	 * to NAME-<utc of its first entry>.rts. The next file begins with a keyframe. 0: never.
	 * keep: the newest files to keep; 0: all.
	 */
	uint64_t rotate_bytes;
	int64_t rotate_us;
	unsigned keep;
	/* Deletes the oldest entries: those older than forget_us, or beyond forget_bytes. 0:
	 * off. */
	int64_t forget_us;
	uint64_t forget_bytes;
	size_t queue_bytes; /* limit of the queue; when it is full, batches are lost (ENTRY_GAP) */
	const struct clock_track
		*clock; /* copied; NULL: its times are of a wall clock, which may go back */
	bool patient;   /* a full queue blocks the caller: nothing is lost */
	bool exclusive; /* refuse an existing path; false: continue its recording */
	/* Called in the writer's thread when a write failed or the file was rotated. */
	void (*wake)(void *ctx);
	void *ctx;
};
/* Opens or creates the file and starts the thread. NULL with err: a bad directory, a file that is
 * not a recording, or a recording of another fabric. */
struct rts_writer *rts_writer_open(const struct rts_writer_opts *o, struct err *err);
/* Queues an entry and takes ownership of its contents. */
void rts_writer_add(struct rts_writer *w, struct entry *e);
/*
 * True when a keyframe is due. Either the file has none, or replaying the entries since the last
 * one would take longer than a scrub may. The cost counts entries and items, see
 * tests/bench/history/README.md. *all_history: it must be a whole keyframe.
 */
bool rts_writer_wants_keyframe(const struct rts_writer *w, bool *all_history);
/* Writes a keyframe in steps. No entry may be added between begin and end. section: the model, the
 * histories or the diagnosis. bytes are copied. rts_keyframe_step() returns false when the queue is
 * full; the caller tries again in its next turn. */
enum rts_section { SECTION_MODEL, SECTION_HISTORY, SECTION_DIAG, SECTION_COUNT };
void rts_keyframe_begin(struct rts_writer *w, int64_t t_us, bool all_history);
bool rts_keyframe_step(struct rts_writer *w, enum rts_section section, const void *bytes, size_t n);
void rts_keyframe_end(struct rts_writer *w);
void rts_keyframe_drop(struct rts_writer *w); /* instead of end: discards the keyframe */
/* Replaces the steps of the wall clock. Later entries are of session times after the last step. */
void rts_writer_clock(struct rts_writer *w, const struct clock_track *t);
/* Keeps raw output of a device verbatim: the newest for each device and request. */
void rts_writer_raw(struct rts_writer *w, const char *device, const char *request,
	const char *asked, int64_t t_us, const char *bytes, size_t n);
/* Calls done in the writer's thread once everything queued before is on its way to the disk. */
void rts_writer_flush(
	struct rts_writer *w, void (*done)(void *ctx, const struct err *e), void *ctx);

struct rts_status {
	uint64_t bytes, entries, lost; /* of the current file; lost: batches */
	int64_t from_us, to_us;
	bool failed; /* nothing is written any more; err has the reason */
	struct err err;
};
struct rts_status rts_writer_status(struct rts_writer *w);
/* Commits, converts to a plain file and joins the thread. False with err: it failed. */
bool rts_writer_close(struct rts_writer *w, struct err *err);

/* ---- reading ---- */

struct rts;

struct rts_info {
	char fabric[NAME_MAX_LEN], tool[32], kind[16], user[32], host[NAME_MAX_LEN];
	unsigned format;
	int64_t created_us, from_us, to_us; /* of the entries */
	uint64_t bytes, chunks, keyframes, entries;
	bool closed; /* closed properly; false: the last interval may be missing */
	bool redacted;
};
/*
 * Opens a file for reading only; the file may be growing. Each refusal has its own message: not an
 * SQLite file, a file of another program, an older or newer format, a truncated file, an altered
 * table of contents. Files up to RTS_VERIFY_BYTES are verified at opening. Larger files are
 * verified chunk by chunk as they are read; rts_verify_some() verifies the rest.
 */
#define RTS_VERIFY_BYTES (UINT64_C(64) << 20)
struct rts *rts_open(const char *path, struct err *err);
void rts_close(struct rts *r);
const struct rts_info *rts_info(const struct rts *r);
/*
 * The steps of the wall clock. All times that this reader returns are session times: they follow
 * the order of the entries. In a file of an older railtop, whose times go back where the clock was
 * set back, the reader counts on and adds the step here.
 */
const struct clock_track *rts_clock(const struct rts *r);
/* Reads the newest table of contents of a growing file. */
bool rts_refresh(struct rts *r, struct err *err);
/* The plan without device access: names, tiers, links, sources of jobs. The caller frees it. */
bool rts_plan(struct rts *r, struct plan *out, struct err *err);
/* Verifies some more chunks. *done: all are verified. False with err: the file was altered. */
bool rts_verify_some(struct rts *r, unsigned chunks, bool *done, struct err *err);

/* A position among the entries. Forgotten and altered chunks are skipped, which sets *gap. */
struct rts_cursor;
struct rts_cursor *rts_cursor_new(struct rts *r);
void rts_cursor_free(struct rts_cursor *c);
void rts_cursor_first(struct rts_cursor *c);
/*
 * Leaves out entries before t_us as far as it can: goes on to the last run of chunks that begins at
 * or before t_us, if that is ahead of the cursor.
 */
void rts_cursor_skip(struct rts_cursor *c, int64_t t_us);
/* The next entry; the caller frees its obs. False: no further entry yet, or err is set. */
bool rts_next(struct rts_cursor *c, struct entry *e, bool *gap, struct err *err);

/* Finds the newest keyframe at or before t_us that this version can load. */
struct rts_keyframe {
	uint64_t id;
	int64_t t_us;
	size_t steps[SECTION_COUNT];
	unsigned parts; /* sections of histories to load, oldest first */
};
bool rts_keyframe_at(struct rts *r, int64_t t_us, struct rts_keyframe *k);
/* Finds the oldest keyframe that this version can load. */
bool rts_keyframe_first(struct rts *r, struct rts_keyframe *k);
/* Average bytes of a keyframe in the file, with its histories. */
uint64_t rts_keyframe_bytes(struct rts *r);
/* Loads one step of a section. part: 0 .. parts - 1 of the histories, 0 for other sections. *all:
 * the loaded part is a whole one. */
bool rts_keyframe_load(struct rts *r, const struct rts_keyframe *k, enum rts_section section,
	unsigned part, size_t step, struct buf *out, bool *all, struct err *err);
/* Moves the cursor to the first entry after the keyframe. */
bool rts_cursor_after(struct rts_cursor *c, const struct rts_keyframe *k, struct err *err);

/* Named parts of a snapshot, and raw output ("raw/DEVICE/REQUEST"). */
bool rts_part(struct rts *r, const char *name, struct buf *out, struct err *err);
bool rts_parts(struct rts *r,
	void (*each)(
		void *ctx, const char *name, const char *type, uint64_t size, const char *sha256),
	void *ctx, struct err *err);

#endif
