/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_RTS_INTERNAL_H
#define ARCHIVE_RECORDING_RTS_INTERNAL_H

#include <sqlite3.h>
#include <sys/types.h>

#include "archive/recording/rts.h"
#include "base/vec.h"

/* Of one blob, before and after compression: chunks are closed at CHUNK_BYTES, sections at twice.
 */
#define RTS_BLOB_MAX    (64U << 20)
#define RTS_CHUNK_BYTES (4U << 20)
/* Items of one chunk: a few bytes may stand for many. Who writes stops at a quarter of it. */
#define RTS_CHUNK_ITEMS (32U << 20)
/* Of a run of chunks: a coder that is read may remember more than twice that; and one chunk that
 * cannot be read costs those after it, an hour at most. */
#define RTS_CODER_BYTES (96U << 20)
#define RTS_RUN_CHUNKS  720

struct rts_sum {
	unsigned char at[32];
};
struct rts_sum rts_sha256(const void *bytes, size_t n);
void rts_sum_xor(struct rts_sum *sum, const struct rts_sum *other);
bool rts_sum_equal(const struct rts_sum *a, const struct rts_sum *b);
void rts_sum_hex(const struct rts_sum *s, char dst[65]);

/* The rows of the table of contents. */
struct rts_chunk {
	int64_t id;
	int64_t head;  /* id of the chunk at which its coder was reset */
	int64_t first; /* number of its first entry in the file's life */
	int64_t entries;
	int64_t from_us, to_us;
	int64_t size; /* not compressed */
	struct rts_sum sum, chain;
	int64_t blob;
};
struct rts_key {
	int64_t id, t_us;
	int64_t chunk; /* id of the first chunk after it */
	int64_t stamp;
	int64_t whole; /* the histories are whole ones */
	int64_t steps[SECTION_COUNT];
};
struct rts_piece { /* some steps of one section of a keyframe */
	int64_t id, keyframe, section, first, steps, size;
	struct rts_sum sum;
	int64_t blob;
};
struct rts_named {
	char name[200], type[64], asked[512];
	int64_t t_us, size;
	struct rts_sum sum;
	int64_t blob;
};
/* What the rows say as one hash; a chunk's goes on from the chain of the one before it. */
struct rts_sum rts_chunk_sum(const struct rts_sum *before, const struct rts_chunk *c);
struct rts_sum rts_key_sum(const struct rts_key *k);
struct rts_sum rts_piece_sum(const struct rts_piece *p);
struct rts_sum rts_named_sum(const struct rts_named *p);

/* Rows with all columns; bad: not what a table of ours holds. */
void rts_chunk_row(sqlite3_stmt *st, struct rts_chunk *c, bool *bad);
void rts_key_row(sqlite3_stmt *st, struct rts_key *k, bool *bad);
void rts_piece_row(sqlite3_stmt *st, struct rts_piece *p, bool *bad);
void rts_named_row(sqlite3_stmt *st, struct rts_named *p, bool *bad);

struct rts_sums {
	struct rts_sum chain; /* of the last chunk */
	struct rts_sum keys;  /* of keyframes and their pieces, without order */
	struct rts_sum parts;
	int64_t chunks;
};
/* Over the sums and all of meta but itself: what meta.contents must be. */
bool rts_contents(
	sqlite3 *db, const char *path, const struct rts_sums *s, char hex[65], struct err *err);

/* ---- SQLite and zstd (database.c) ---- */

extern const char *const rts_schema[]; /* the statements that make the tables; NULL ends */
/* Fills err for an SQLite error code of db (may be NULL), with what the user can do. False. */
bool rts_db_err(struct err *err, sqlite3 *db, int rc, const char *path, const char *doing);
bool rts_exec(sqlite3 *db, const char *path, const char *sql, struct err *err);
sqlite3_stmt *rts_prepare(sqlite3 *db, const char *path, const char *sql, struct err *err);
/* Text of meta.key, "" where there is none. */
void rts_meta_get(sqlite3 *db, const char *key, char *dst, size_t size);
int64_t rts_meta_number(sqlite3 *db, const char *key);
bool rts_meta_put(
	sqlite3 *db, const char *path, const char *key, const char *value, struct err *err);
/* Columns of hostile files: of the type and range that they must have, else *bad. */
int64_t rts_column(sqlite3_stmt *st, int column, int64_t most, bool *bad);
void rts_column_sum(sqlite3_stmt *st, int column, struct rts_sum *sum, bool *bad);
void rts_column_text(sqlite3_stmt *st, int column, char *dst, size_t size, bool *bad);

bool rts_pack(const void *bytes, size_t n, int level, struct buf *out);
/* size: what it must become. */
bool rts_unpack(const void *bytes, size_t n, size_t size, struct buf *out);

/* The number that a keyframe has which this version can load. */
int64_t rts_stamp(void);

/* ---- the plan (plan.c) ---- */

/* As JSON, without what is needed to reach devices; names its SHA-256. */
bool rts_plan_text(const struct plan *p, struct buf *out, struct err *err);
bool rts_plan_parse(
	const char *text, size_t n, struct plan *out, const char *path, struct err *err);

/* ---- a file that is there when it has its tables (create.c) ---- */

struct rts_new {
	char path[4096]; /* "TO.new", empty and locked, so that two do not make it at once */
	int fd;
};
bool rts_new_begin(struct rts_new *n, const char *to, struct err *err);
/* good: it gets its name, never over another file; else it is removed. Who wrote it has closed it.
 */
bool rts_new_end(struct rts_new *n, const char *to, bool good, struct err *err);

/* ---- a file that grows, without a thread (file.c) ---- */

struct rts_about {
	const char *fabric;
	const struct buf *plan; /* rts_plan_text() */
	const char *tool, *user, *host, *kind;
	bool redacted;
};
/* How far it has come. */
struct rts_mark {
	struct rts_sums sums;
	struct rts_sum chain_start; /* what the first chunk that is kept goes on from */
	int64_t next_chunk, next_entry, entries, next_key, keys;
	int64_t from_us, to_us; /* 0: no entry yet */
};
struct rts_file {
	char path[4096];
	sqlite3 *db;
	sqlite3_stmt *add_blob, *add_chunk, *add_key, *add_piece, *add_part, *get_part, *drop_blob;
	struct rts_mark at, safe; /* as of now, of the last commit */
	uint64_t bytes;           /* as of the last commit */
	dev_t dev;
	ino_t ino;
	bool in_transaction;
};
/* Makes it (exclusive: must not exist), or goes on with one of the same fabric and plan. */
bool rts_file_open(struct rts_file *f, const char *path, const struct rts_about *about,
	bool exclusive, struct err *err);
/*
 * Each adds a row and its bytes, within the transaction that the first of them begins. On false
 * nothing since the last commit is in the file: call rts_file_undo().
 */
bool rts_file_begin(struct rts_file *f, struct err *err);
/* id, first, chain and sum of the row are filled in; head 0: itself. */
bool rts_file_chunk(
	struct rts_file *f, struct rts_chunk *c, const void *packed, size_t n, struct err *err);
/* Likewise; bytes as they are in the blob. */
bool rts_file_key(struct rts_file *f, struct rts_key *k, struct err *err);
bool rts_file_piece(
	struct rts_file *f, struct rts_piece *p, const void *packed, size_t n, struct err *err);
/* Replaces one of the same name. bytes: not compressed. */
bool rts_file_part(struct rts_file *f, const char *name, const char *type, int64_t t_us,
	const char *asked, const void *bytes, size_t n, struct err *err);
/* Forgets chunks below the id, and the keyframes that belong to them. */
bool rts_file_forget(struct rts_file *f, int64_t below, struct err *err);
bool rts_file_commit(struct rts_file *f, struct err *err);
void rts_file_undo(struct rts_file *f);
/* Whether the path still is this file. */
bool rts_file_there(const struct rts_file *f);
/* Commits, marks it as closed, makes one plain file of it. *busy: somebody reads it, it stays in
 * WAL mode (and open). */
bool rts_file_plain(struct rts_file *f, bool *busy, struct err *err);
void rts_file_close(struct rts_file *f); /* without another word */

/* ---- reading ---- */

struct rts {
	char path[4096];
	sqlite3 *db;
	struct rts_info info;
	struct rts_sums sums;
	struct rts_sum chain_start;
	VEC(struct rts_chunk) chunks;
	VEC(struct rts_key) keys;
	VEC(struct rts_piece) pieces; /* by keyframe, section, first */
	VEC(int64_t) bad;             /* chunks that turned out altered */
	size_t verified;              /* chunks that rts_verify_some() has been through */
	struct {
		int64_t piece; /* what the buffer holds */
		struct buf raw;
		size_t step, at; /* where step begins in it */
	} loaded[SECTION_COUNT];
};
/* verify: and that every blob is what was written. */
bool rts_toc_load(struct rts *r, bool verify, struct err *err);
bool rts_verify_all(struct rts *r, struct err *err);
/* Bytes of a blob, checked against its hash and unpacked into out. */
bool rts_blob(struct rts *r, int64_t blob, const struct rts_sum *sum, int64_t size, struct buf *out,
	struct err *err);
/* The first chunk with an id of at least that: index, or chunks.n. */
size_t rts_chunk_from(const struct rts *r, int64_t id);

#endif
