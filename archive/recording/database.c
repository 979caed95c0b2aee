/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "archive/recording/rts_internal.h"
#include "base/str.h"

/* Compared word by word at opening: a file with other tables is not a recording. */
const char *const rts_schema[] = {
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
	"CREATE TABLE chunk (id INTEGER PRIMARY KEY, head INTEGER, first INTEGER, entries INTEGER, "
	"from_us INTEGER, to_us INTEGER, size INTEGER, sha256 BLOB, chain BLOB, blob INTEGER)",
	"CREATE TABLE keyframe (id INTEGER PRIMARY KEY, t_us INTEGER, chunk INTEGER, stamp "
	"INTEGER, whole INTEGER, model INTEGER, history INTEGER, diag INTEGER)",
	"CREATE TABLE section (id INTEGER PRIMARY KEY, keyframe INTEGER, section INTEGER, first "
	"INTEGER, steps INTEGER, size INTEGER, sha256 BLOB, blob INTEGER)",
	"CREATE TABLE part (name TEXT PRIMARY KEY, type TEXT, asked TEXT, t_us INTEGER, size "
	"INTEGER, sha256 BLOB, blob INTEGER) WITHOUT ROWID",
	"CREATE TABLE blob (id INTEGER PRIMARY KEY, bytes BLOB)",
	NULL,
};

/* ---- hashes ---- */

struct rts_sum rts_sha256(const void *bytes, size_t n)
{
	struct rts_sum s = {{0}};

	(void)gnutls_hash_fast(GNUTLS_DIG_SHA256, n ? bytes : "", n, s.at);
	return s;
}

void rts_sum_xor(struct rts_sum *sum, const struct rts_sum *other)
{
	for (size_t i = 0; i < sizeof(sum->at); i++)
		sum->at[i] ^= other->at[i];
}

bool rts_sum_equal(const struct rts_sum *a, const struct rts_sum *b)
{
	return memcmp(a->at, b->at, sizeof(a->at)) == 0;
}

void rts_sum_hex(const struct rts_sum *s, char dst[65])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(s->at); i++) {
		dst[2 * i] = digits[s->at[i] >> 4];
		dst[2 * i + 1] = digits[s->at[i] & 15];
	}
	dst[64] = '\0';
}

/* The bytes to hash: numbers as 8 bytes, little endian; texts with their NUL. */
struct words {
	unsigned char at[1024];
	size_t n;
};

static void add_bytes(struct words *w, const void *p, size_t n)
{
	if (n <= sizeof(w->at) - w->n) {
		memcpy(w->at + w->n, p, n);
		w->n += n;
	}
}

static void add_number(struct words *w, int64_t v)
{
	unsigned char b[8];

	for (unsigned i = 0; i < 8; i++)
		b[i] = (unsigned char)((uint64_t)v >> (8 * i));
	add_bytes(w, b, sizeof(b));
}

static void add_text(struct words *w, const char *s)
{
	add_bytes(w, s, strlen(s) + 1);
}

static struct rts_sum words_sum(const struct words *w)
{
	return rts_sha256(w->at, w->n);
}

struct rts_sum rts_chunk_sum(const struct rts_sum *before, const struct rts_chunk *c)
{
	struct words w = {.n = 0};

	add_bytes(&w, before->at, sizeof(before->at));
	add_text(&w, "chunk");
	add_number(&w, c->id);
	add_number(&w, c->head);
	add_number(&w, c->first);
	add_number(&w, c->entries);
	add_number(&w, c->from_us);
	add_number(&w, c->to_us);
	add_number(&w, c->size);
	add_number(&w, c->blob);
	add_bytes(&w, c->sum.at, sizeof(c->sum.at));
	return words_sum(&w);
}

struct rts_sum rts_key_sum(const struct rts_key *k)
{
	struct words w = {.n = 0};

	add_text(&w, "keyframe");
	add_number(&w, k->id);
	add_number(&w, k->t_us);
	add_number(&w, k->chunk);
	add_number(&w, k->stamp);
	add_number(&w, k->whole);
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		add_number(&w, k->steps[i]);
	return words_sum(&w);
}

struct rts_sum rts_piece_sum(const struct rts_piece *p)
{
	struct words w = {.n = 0};

	add_text(&w, "section");
	add_number(&w, p->id);
	add_number(&w, p->keyframe);
	add_number(&w, p->section);
	add_number(&w, p->first);
	add_number(&w, p->steps);
	add_number(&w, p->size);
	add_number(&w, p->blob);
	add_bytes(&w, p->sum.at, sizeof(p->sum.at));
	return words_sum(&w);
}

struct rts_sum rts_named_sum(const struct rts_named *p)
{
	struct words w = {.n = 0};

	add_text(&w, "part");
	add_text(&w, p->name);
	add_text(&w, p->type);
	add_text(&w, p->asked);
	add_number(&w, p->t_us);
	add_number(&w, p->size);
	add_number(&w, p->blob);
	add_bytes(&w, p->sum.at, sizeof(p->sum.at));
	return words_sum(&w);
}

bool rts_contents(
	sqlite3 *db, const char *path, const struct rts_sums *s, char hex[65], struct err *err)
{
	struct rts_sum sum;
	struct words w = {.n = 0};
	struct buf all;
	int rc;
	sqlite3_stmt *st = rts_prepare(db, path,
		"SELECT key, value FROM meta WHERE key <> 'contents' ORDER BY key LIMIT 64", err);

	if (!st)
		return false;
	buf_init(&all, 1 << 20);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *key = (const char *)sqlite3_column_text(st, 0);
		const char *value = (const char *)sqlite3_column_text(st, 1);

		(void)(buf_addf(&all, "%s=%s\n", key ? key : "", value ? value : ""));
	}
	sqlite3_finalize(st);
	sum = rts_sha256(all.data ? all.data : "", all.len);
	buf_free(&all);
	add_bytes(&w, sum.at, sizeof(sum.at));
	add_bytes(&w, s->chain.at, sizeof(s->chain.at));
	add_bytes(&w, s->keys.at, sizeof(s->keys.at));
	add_bytes(&w, s->parts.at, sizeof(s->parts.at));
	add_number(&w, s->chunks);
	sum = words_sum(&w);
	rts_sum_hex(&sum, hex);
	return rc == SQLITE_DONE || rts_db_err(err, db, rc, path, "read");
}

/* ---- SQLite ---- */

/* What the system answered to the last read or write of the file that failed; 0: none did. */
static int file_errno(sqlite3 *db)
{
	int last = 0;

	if (!db || sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &last) != SQLITE_OK)
		return 0;
	return last;
}

/* Of a disk, or of a server that has it: not of a lock that another process holds. */
static bool is_of_disk(int error)
{
	return error == EIO || error == ENXIO || error == ESTALE || error == ETIMEDOUT ||
	       error == ENOTCONN;
}

bool rts_disk_failed(sqlite3 *db, const char *path, struct err *err)
{
	int last = file_errno(db);

	if (!is_of_disk(last))
		return false;
	(void)err_system(err, ERR_IO, path, "cannot read", last);
	return true;
}

bool rts_db_err(struct err *err, sqlite3 *db, int rc, const char *path, const char *doing)
{
	int cause = db ? sqlite3_system_errno(db) : 0;
	char what[200];

	switch (rc & 0xff) {
	case SQLITE_FULL:
		err_set(err, ERR_IO, path, "cannot %s: the disk is full", doing);
		return err_cure(err, "free space, or write to another disk");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		err_set(err, ERR_IO, path, "cannot %s: another process is writing it", doing);
		return err_cure(err, "end the other recording, or write to another file");
	case SQLITE_NOTADB:
		err_set(err, ERR_CONFIG, path, "is not a railtop recording: not an SQLite file");
		return err_cure(err, "name a file that railtop record or snapshot wrote");
	case SQLITE_CORRUPT:
		/* SQLite takes a disk that fails for a damaged file. */
		if (rts_disk_failed(db, path, err))
			return false;
		err_set(err, ERR_PROTOCOL, path, "cannot %s: the file is damaged", doing);
		return err_cure(err, "take another copy of it");
	case SQLITE_NOMEM:
		err_set(err, ERR_IO, path, "cannot %s: out of memory", doing);
		return err_cure(err, "this machine has no memory left: free -m");
	case SQLITE_TOOBIG:
		err_set(err, ERR_LIMIT, path,
			"cannot %s: a part of it is larger than allowed in a recording", doing);
		return err_cure(err, "take another copy of it");
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
		if (cause) {
			(void)str_printf(what, sizeof(what), "cannot %s", doing);
			return err_system(err, ERR_IO, path, what, cause);
		}
		err_set(err, ERR_IO, path, "cannot %s: not permitted, or not there", doing);
		return err_cure(err, "check the directory's and the file's permissions");
	default:
		(void)str_printf(what, sizeof(what), "cannot %s: %s", doing,
			db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
		cause = cause ? cause : file_errno(db);
		if (cause)
			return err_system(err, ERR_IO, path, what, cause);
		err_set(err, ERR_IO, path, "%s", what);
		return (rc & 0xff) == SQLITE_IOERR && err_cure(err, "check the disk: dmesg, df -h");
	}
}

bool rts_exec(sqlite3 *db, const char *path, const char *sql, struct err *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK || rts_db_err(err, db, rc, path, "write");
}

sqlite3_stmt *rts_prepare(sqlite3 *db, const char *path, const char *sql, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc != SQLITE_OK)
		(void)rts_db_err(err, db, rc, path, "read");
	return st;
}

void rts_meta_get(sqlite3 *db, const char *key, char *dst, size_t size)
{
	sqlite3_stmt *st = rts_prepare(db, "", "SELECT value FROM meta WHERE key = ?", NULL);

	dst[0] = '\0';
	if (st && sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
		sqlite3_step(st) == SQLITE_ROW) {
		const char *value = (const char *)sqlite3_column_text(st, 0);

		if (value)
			(void)str_sanitise(dst, size, value, strlen(value));
	}
	sqlite3_finalize(st);
}

char *rts_meta_text(sqlite3 *db, const char *key)
{
	sqlite3_stmt *st = rts_prepare(db, "", "SELECT value FROM meta WHERE key = ?", NULL);
	char *text = NULL;

	if (!st)
		return NULL;
	sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
		text = mem_strdup((const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

int64_t rts_meta_number(sqlite3 *db, const char *key)
{
	char text[32];
	uint64_t v = 0;

	rts_meta_get(db, key, text, sizeof(text));
	return str_to_u64(text, &v) && v <= INT64_MAX ? (int64_t)v : 0;
}

bool rts_meta_put(
	sqlite3 *db, const char *path, const char *key, const char *value, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(db, path, "INSERT OR REPLACE INTO meta VALUES (?, ?)", err);
	int rc;

	if (!st)
		return false;
	sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, value, -1, SQLITE_STATIC);
	rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rts_db_err(err, db, rc, path, "write");
}

int64_t rts_column(sqlite3_stmt *st, int column, int64_t most, bool *bad)
{
	int64_t v = sqlite3_column_int64(st, column);

	if (sqlite3_column_type(st, column) != SQLITE_INTEGER || v < 0 || v > most) {
		*bad = true;
		return 0;
	}
	return v;
}

void rts_column_sum(sqlite3_stmt *st, int column, struct rts_sum *sum, bool *bad)
{
	const void *p = sqlite3_column_blob(st, column);

	if (!p || sqlite3_column_bytes(st, column) != (int)sizeof(sum->at)) {
		*bad = true;
		return;
	}
	memcpy(sum->at, p, sizeof(sum->at));
}

void rts_column_text(sqlite3_stmt *st, int column, char *dst, size_t size, bool *bad)
{
	const char *p = (const char *)sqlite3_column_text(st, column);

	dst[0] = '\0';
	*bad |= !p || !str_copy(dst, size, p);
}

/* ---- zstd ---- */

/* A blob that could not be unpacked for lack of memory was not altered. */
static void check_memory(size_t result)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		mem_exhausted("zstd");
}

bool rts_pack(const void *bytes, size_t n, int level, struct buf *out)
{
	size_t most = ZSTD_compressBound(n), got;
	char *p = mem_alloc(most ? most : 1);
	bool good;

	got = ZSTD_compress(p, most, bytes, n, level);
	check_memory(got);
	good = !ZSTD_isError(got) && buf_add(out, p, got);
	free(p);
	return good;
}

bool rts_unpack(const void *bytes, size_t n, size_t size, struct buf *out)
{
	char *p;
	size_t got;

	if (size > RTS_BLOB_MAX || ZSTD_getFrameContentSize(bytes, n) != size)
		return false;
	p = mem_alloc(size + 1);
	got = ZSTD_decompress(p, size, bytes, n);
	check_memory(got);
	if (got != size) {
		free(p);
		return false;
	}
	p[size] = '\0';
	free(out->data);
	*out = (struct buf){.data = p, .len = size, .size = size + 1, .cap = RTS_BLOB_MAX};
	return true;
}
