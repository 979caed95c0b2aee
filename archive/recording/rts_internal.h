/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_RTS_INTERNAL_H
#define ARCHIVE_RECORDING_RTS_INTERNAL_H

#include <sqlite3.h>
#include <sys/types.h>

#include "archive/recording/rts.h"
#include "base/vec.h"

/* Limit of a blob before and after compression. Chunks close at CHUNK_BYTES, sections at twice
 * that. */
#define RTS_BLOB_MAX    (64U << 20)
#define RTS_CHUNK_BYTES (4U << 20)
/* Limit of items in a chunk: a few bytes may encode many. The writer stops at a quarter of it. */
#define RTS_CHUNK_ITEMS (32U << 20)
/* Limits of a run of chunks. A decoder may need more than twice the coder's memory. An unreadable
 * chunk makes the rest of its run unreadable, which is an hour at most. */
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
	int64_t size; /* before compression */
	struct rts_sum sum, chain;
	int64_t blob;
	int64_t shift_us; /* not in the table: session time minus the times in it, straighten.c */
};
struct rts_key {
	int64_t id, t_us;
	int64_t chunk; /* id of the first chunk after it */
	int64_t stamp;
	int64_t whole; /* 1: the histories are whole ones */
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
/* Each hashes a row. The hash of a chunk continues the chain of the chunk before. */
struct rts_sum rts_chunk_sum(const struct rts_sum *before, const struct rts_chunk *c);
struct rts_sum rts_key_sum(const struct rts_key *k);
struct rts_sum rts_piece_sum(const struct rts_piece *p);
struct rts_sum rts_named_sum(const struct rts_named *p);

/* Each reads a row with all columns. *bad: a value that our tables never hold. */
void rts_chunk_row(sqlite3_stmt *st, struct rts_chunk *c, bool *bad);
void rts_key_row(sqlite3_stmt *st, struct rts_key *k, bool *bad);
void rts_piece_row(sqlite3_stmt *st, struct rts_piece *p, bool *bad);
void rts_named_row(sqlite3_stmt *st, struct rts_named *p, bool *bad);

struct rts_sums {
	struct rts_sum chain; /* of the last chunk */
	struct rts_sum keys;  /* of keyframes and their pieces, in any order */
	struct rts_sum parts;
	int64_t chunks;
};
/* Hashes the sums and all of meta except contents: the expected meta.contents. */
bool rts_contents(
	sqlite3 *db, const char *path, const struct rts_sums *s, char hex[65], struct err *err);

/* ---- SQLite and zstd (database.c) ---- */

extern const char *const rts_schema[]; /* the statements that create the tables, NULL-terminated */
/* Fills err for an SQLite error code with a remedy; db may be NULL. Returns false. */
bool rts_db_err(struct err *err, sqlite3 *db, int rc, const char *path, const char *doing);
bool rts_exec(sqlite3 *db, const char *path, const char *sql, struct err *err);
sqlite3_stmt *rts_prepare(sqlite3 *db, const char *path, const char *sql, struct err *err);
/* Text of meta.key, "" when there is none. */
void rts_meta_get(sqlite3 *db, const char *key, char *dst, size_t size);
/* The whole text, which the caller frees. */
char *rts_meta_text(sqlite3 *db, const char *key);
int64_t rts_meta_number(sqlite3 *db, const char *key);
bool rts_meta_put(
	sqlite3 *db, const char *path, const char *key, const char *value, struct err *err);
/* Read a column of an untrusted file. *bad: a wrong type, or outside its range. */
int64_t rts_column(sqlite3_stmt *st, int column, int64_t most, bool *bad);
void rts_column_sum(sqlite3_stmt *st, int column, struct rts_sum *sum, bool *bad);
void rts_column_text(sqlite3_stmt *st, int column, char *dst, size_t size, bool *bad);

bool rts_pack(const void *bytes, size_t n, int level, struct buf *out);
/* size: the expected size after decompression. */
bool rts_unpack(const void *bytes, size_t n, size_t size, struct buf *out);

/*
 * Whether the system failed to read or write the file: then nothing that is missing or wrong in
 * what came says that the file was altered. Fills *err.
 */
bool rts_disk_failed(sqlite3 *db, const char *path, struct err *err);

/* The stamp of the keyframes that this version can load. */
int64_t rts_stamp(void);

/* ---- the plan (plan.c) ---- */

/* The plan as JSON, without device access. Its SHA-256 identifies it. */
bool rts_plan_text(const struct plan *p, struct buf *out, struct err *err);
bool rts_plan_parse(
	const char *text, size_t n, struct plan *out, const char *path, struct err *err);

/* ---- creating a file with all its tables, or none (create.c) ---- */

struct rts_new {
	char path[4096]; /* "TO.new", empty and locked against a second writer */
	int fd;
};
bool rts_new_begin(struct rts_new *n, const char *to, struct err *err);
/* good: renames the file to its name, never over another file. Else removes it. The caller has
 * closed its database before. */
bool rts_new_end(struct rts_new *n, const char *to, bool good, struct err *err);

/* ---- a growing file, without a thread (file.c) ---- */

struct rts_about {
	const char *fabric;
	const struct buf *plan; /* rts_plan_text() */
	const char *tool, *user, *host, *kind;
	bool redacted, counted; /* counted: in session time */
	const char *clock;      /* clock_track_print(); "": not stepped */
};
/* The running totals of a file. */
struct rts_mark {
	struct rts_sums sums;
	struct rts_sum chain_start; /* the chain before the first kept chunk */
	int64_t next_chunk, next_entry, entries, next_key, keys;
	int64_t from_us, to_us; /* 0: no entry yet */
};
struct rts_file {
	char path[4096];
	sqlite3 *db;
	sqlite3_stmt *add_blob, *add_chunk, *add_key, *add_piece, *add_part, *get_part, *drop_blob;
	struct rts_mark at, safe; /* now, and at the last commit */
	uint64_t bytes;           /* as of the last commit */
	dev_t dev;
	ino_t ino;
	bool in_transaction;
	char *clock; /* meta.clock from the next commit on; NULL: as it is */
};
/* Creates the file, or continues one of the same fabric and plan. exclusive: it must not exist. */
bool rts_file_open(struct rts_file *f, const char *path, const struct rts_about *about,
	bool exclusive, struct err *err);
/*
 * Each adds a row and its bytes. The first call begins a transaction. After a false result the file
 * holds nothing newer than the last commit; the caller must call rts_file_undo().
 */
bool rts_file_begin(struct rts_file *f, struct err *err);
/* Fills in id, first, chain and sum of the row. head 0: this chunk is the head. */
bool rts_file_chunk(
	struct rts_file *f, struct rts_chunk *c, const void *packed, size_t n, struct err *err);
/* Likewise; packed bytes go to the blob as they are. */
bool rts_file_key(struct rts_file *f, struct rts_key *k, struct err *err);
bool rts_file_piece(
	struct rts_file *f, struct rts_piece *p, const void *packed, size_t n, struct err *err);
/* Replaces a part of the same name. bytes: not compressed. */
bool rts_file_part(struct rts_file *f, const char *name, const char *type, int64_t t_us,
	const char *asked, const void *bytes, size_t n, struct err *err);
/* Deletes the chunks below the id, and their keyframes. */
bool rts_file_forget(struct rts_file *f, int64_t below, struct err *err);
bool rts_file_commit(struct rts_file *f, struct err *err);
void rts_file_undo(struct rts_file *f);
/* True while the path still names this file. */
bool rts_file_there(const struct rts_file *f);
/* Commits, marks the file as closed and converts it to one plain file. *busy: another process reads
 * it, so it stays open and in WAL mode. */
bool rts_file_plain(struct rts_file *f, bool *busy, struct err *err);
void rts_file_close(struct rts_file *f); /* without a commit */

/* ---- reading ---- */

/* meta: how the writer counted time. Without it in wall time, which may go back. */
#define RTS_META_TIME    "time"
#define RTS_SESSION_TIME "session"

struct rts {
	char path[4096];
	bool counted; /* its writer counted in session time */
	sqlite3 *db;
	struct rts_info info;
	struct rts_sums sums;
	struct rts_sum chain_start;
	struct clock_track clock;
	VEC(struct rts_chunk) chunks;
	VEC(struct rts_key) keys;
	VEC(struct rts_piece) pieces; /* by keyframe, section, first */
	VEC(int64_t) bad;             /* chunks found to be altered */
	size_t verified;              /* chunks that rts_verify_some() has verified */
	struct {
		int64_t piece; /* id of the piece in the buffer */
		struct buf raw;
		size_t step, at; /* offset of step in the buffer */
	} loaded[SECTION_COUNT];
};
/* Loads the table of contents. verify: also checks every blob against its hash. */
bool rts_toc_load(struct rts *r, bool verify, struct err *err);
bool rts_verify_all(struct rts *r, struct err *err);
/* Reads a blob, checks its hash and unpacks it into out. */
bool rts_blob(struct rts *r, int64_t blob, const struct rts_sum *sum, int64_t size, struct buf *out,
	struct err *err);
/*
 * After loading: reads the clock's steps, and counts on where the times of the chunks go back.
 * Makes the keyframes behind such a place unloadable: their model has the other times.
 */
bool rts_straighten(struct rts *r, struct err *err);
/* Times of a chunk in session time. */
int64_t rts_chunk_from_us(const struct rts_chunk *c);
int64_t rts_chunk_to_us(const struct rts_chunk *c);
/* Index of the first chunk with this id or a higher one, else chunks.n. */
size_t rts_chunk_from(const struct rts *r, int64_t id);

#endif
