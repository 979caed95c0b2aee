/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/recording/rts_internal.h"
#include "base/str.h"

#define HEADER_SIZE 100 /* header of an SQLite file: https://www.sqlite.org/fileformat.html */

static const char NOT_OURS[] = "name a file that railtop record or snapshot wrote";

/* Restricts SQLite for an untrusted file: turns off everything that our files never need. */
static void restrict_database(sqlite3 *db)
{
	static const struct {
		int what, most;
	} limits[] = {{SQLITE_LIMIT_LENGTH, RTS_BLOB_MAX}, {SQLITE_LIMIT_SQL_LENGTH, 10000},
		{SQLITE_LIMIT_COLUMN, 32}, {SQLITE_LIMIT_EXPR_DEPTH, 20},
		{SQLITE_LIMIT_COMPOUND_SELECT, 4}, {SQLITE_LIMIT_VDBE_OP, 25000},
		{SQLITE_LIMIT_FUNCTION_ARG, 8}, {SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100}, {SQLITE_LIMIT_VARIABLE_NUMBER, 16},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1}, {SQLITE_LIMIT_WORKER_THREADS, 0}};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		(void)sqlite3_limit(db, limits[i].what, limits[i].most);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_exec(
		db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
}

static bool find_sidecar(const char *path, const char *end, off_t *size)
{
	char name[4200];
	struct stat st;

	if (!str_printf(name, sizeof(name), "%s%s", path, end) || stat(name, &st) != 0)
		return false;
	*size = st.st_size;
	return true;
}

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool err_newer(const char *path, unsigned format, struct err *err)
{
	err_set(err, ERR_UNSUPPORTED, path,
		"was made by a newer railtop (format %u; this one reads %d)", format, RTS_FORMAT);
	return err_cure(err, "open it with the railtop version that made it, or a newer one");
}

static bool err_older(struct rts *r, struct err *err)
{
	char tool[32];

	rts_meta_get(r->db, "tool", tool, sizeof(tool));
	err_set(err, ERR_UNSUPPORTED, r->path,
		"was made by an older railtop (format %u; this one reads %d)", r->info.format,
		RTS_FORMAT);
	return err_cure(
		err, "open it with the railtop that made it (%s); record to another file", tool);
}

/*
 * Compares the file's size with the size in its header. Reads through SQLite's own descriptor:
 * closing another descriptor of the file would release this process's locks on it.
 */
static bool check_header(struct rts *r, off_t size, bool wal, struct err *err)
{
	unsigned char h[HEADER_SIZE] = {0};
	sqlite3_file *file = NULL;
	uint32_t page, pages;

	if (size < HEADER_SIZE ||
		sqlite3_file_control(r->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
			SQLITE_OK ||
		!file || !file->pMethods ||
		file->pMethods->xRead(file, h, sizeof(h), 0) != SQLITE_OK ||
		memcmp(h, "SQLite format 3", 16) != 0) {
		if (rts_disk_failed(r->db, r->path, err))
			return false;
		if (size >= 16 && size < HEADER_SIZE && memcmp(h, "SQLite format 3", 16) == 0) {
			err_set(err, ERR_PROTOCOL, r->path, "is cut off");
			return err_cure(err, "copy it again");
		}
		err_set(err, ERR_CONFIG, r->path, "is not a railtop recording");
		return err_cure(err, "%s", NOT_OURS);
	}
	/* Before the first checkpoint the tables are only in the WAL. */
	if (wal && big_endian(h + 68) == 0)
		return true;
	if (big_endian(h + 68) != RTS_ID) {
		err_set(err, ERR_CONFIG, r->path,
			"is an SQLite file of another program, not a railtop recording");
		return err_cure(err, "%s", NOT_OURS);
	}
	if (big_endian(h + 60) > RTS_FORMAT)
		return err_newer(r->path, big_endian(h + 60), err);
	page = (uint32_t)h[16] << 8 | h[17];
	page = page == 1 ? 65536 : page;
	pages = big_endian(h + 28);
	if (!wal && (uint64_t)page * pages > (uint64_t)size) {
		err_set(err, ERR_PROTOCOL, r->path, "is cut off: %llu of %llu bytes are there",
			(unsigned long long)size, (unsigned long long)page * pages);
		return err_cure(err, "copy it again");
	}
	return true;
}

static bool check_tables(struct rts *r, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(
		r->db, r->path, "SELECT sql FROM sqlite_schema ORDER BY rowid LIMIT 100", err);
	size_t n = 0;
	bool good = true;
	int rc;

	if (!st)
		return false;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && good) {
		const char *sql = (const char *)sqlite3_column_text(st, 0);

		good = rts_schema[n] && sql && strcmp(sql, rts_schema[n]) == 0;
		n++;
	}
	sqlite3_finalize(st);
	if (good && rc != SQLITE_DONE)
		return rts_db_err(err, r->db, rc, r->path, "read");
	if (good && !rts_schema[n])
		return true;
	err_set(err, ERR_PROTOCOL, r->path, "was altered: its tables are not those of a recording");
	return err_cure(err, "take another copy of it");
}

static bool check_format(struct rts *r, struct err *err)
{
	char text[32];
	uint64_t format = 0;

	rts_meta_get(r->db, "format", text, sizeof(text));
	if (!str_to_u64(text, &format) || format == 0 || format > 1000000) {
		if (rts_disk_failed(r->db, r->path, err))
			return false;
		err_set(err, ERR_PROTOCOL, r->path, "was altered: its format is missing");
		return err_cure(err, "take another copy of it");
	}
	r->info.format = (unsigned)format;
	if (format < RTS_FORMAT)
		return err_older(r, err);
	return format == RTS_FORMAT || err_newer(r->path, r->info.format, err);
}

static bool quick_check(struct rts *r, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(r->db, r->path, "PRAGMA quick_check(1)", err);
	int rc;
	bool good;

	if (!st)
		return false;
	rc = sqlite3_step(st);
	good = rc == SQLITE_ROW && str_eq((const char *)sqlite3_column_text(st, 0), "ok");
	sqlite3_finalize(st);
	return good ||
	       rts_db_err(err, r->db, rc == SQLITE_ROW ? SQLITE_CORRUPT : rc, r->path, "read");
}

/* The path as an SQLite URI. Escapes %, ?, #, blanks and control characters. */
static bool uri_of(const char *path, bool still, char *dst, size_t size)
{
	size_t n = 0;

	if (!str_copy(dst, size, "file:"))
		return false;
	for (n = 5; *path && n + 4 < size; path++) {
		if (strchr("%?#", *path) || (unsigned char)*path <= ' ')
			n += (size_t)snprintf(dst + n, size - n, "%%%02X", (unsigned char)*path);
		else
			dst[n++] = *path;
	}
	dst[n] = '\0';
	return !*path && str_copy(dst + n, size - n, still ? "?mode=ro&immutable=1" : "?mode=ro");
}

static int connect_to(struct rts *r, bool still)
{
	char uri[sizeof(r->path) * 3 + 40];
	int rc;

	if (!uri_of(r->path, still, uri, sizeof(uri)))
		return SQLITE_CANTOPEN;
	rc = sqlite3_open_v2(
		uri, &r->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_extended_result_codes(r->db, 1);
	(void)sqlite3_busy_timeout(r->db, 2000);
	restrict_database(r->db);
	return SQLITE_OK;
}

/* First access to the file: shows whether it is readable at all. */
static int try_read(struct rts *r)
{
	return sqlite3_exec(r->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

static bool pending_elsewhere(struct rts *r, struct err *err)
{
	err_set(err, ERR_IO, r->path,
		"was not closed properly, and its last part cannot be merged: the directory is not "
		"writable");
	return err_cure(err, "copy it together with %s-wal to a directory of your own", r->path);
}

static bool connect_and_read(struct rts *r, off_t size, struct err *err)
{
	off_t waiting = 0;
	bool wal = find_sidecar(r->path, "-wal", &waiting) && waiting > 0;
	int rc = connect_to(r, false);

	if (rc != SQLITE_OK)
		return rts_db_err(err, r->db, rc, r->path, "open");
	if (!check_header(r, size, wal, err))
		return false;
	rc = try_read(r);
	if ((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY)
		return rc == SQLITE_OK || rts_db_err(err, r->db, rc, r->path, "read");
	/* WAL mode in a directory that is not writable: readable as it is if the WAL is empty. */
	if (wal)
		return pending_elsewhere(r, err);
	(void)sqlite3_close(r->db);
	r->db = NULL;
	rc = connect_to(r, true);
	if (rc == SQLITE_OK)
		rc = try_read(r);
	return rc == SQLITE_OK || rts_db_err(err, r->db, rc, r->path, "read");
}

static bool is_file(const char *path, off_t *size, struct err *err)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		int why = errno;

		err_system(err, ERR_IO, path, "cannot open", why);
		return why == ENOENT ? err_cure(err, "%s", NOT_OURS) : false;
	}
	if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		err_set(err, ERR_CONFIG, path, "is not a railtop recording: it is %s",
			S_ISDIR(st.st_mode)   ? "a directory"
			: S_ISREG(st.st_mode) ? "empty"
					      : "not a regular file");
		return err_cure(err, "%s", NOT_OURS);
	}
	*size = st.st_size;
	if (access(path, R_OK) == 0)
		return true;
	return err_system(err, ERR_IO, path, "cannot open", errno);
}

struct rts *rts_open(const char *path, struct err *err)
{
	struct rts *r;
	off_t size = 0;
	bool small, good;

	if (strlen(path) > 4000) {
		err_set(err, ERR_USAGE, "", "the file's name is too long");
		return NULL;
	}
	if (!is_file(path, &size, err))
		return NULL;
	small = (uint64_t)size <= RTS_VERIFY_BYTES;
	r = mem_calloc(1, sizeof(*r));
	(void)str_copy(r->path, sizeof(r->path), path);
	good = connect_and_read(r, size, err) && check_tables(r, err) && check_format(r, err) &&
	       (!small || quick_check(r, err)) && rts_toc_load(r, small, err);
	if (good)
		return r;
	rts_close(r);
	return NULL;
}

void rts_close(struct rts *r)
{
	if (!r)
		return;
	(void)sqlite3_close(r->db);
	clock_track_free(&r->clock);
	vec_free(&r->chunks);
	vec_free(&r->keys);
	vec_free(&r->pieces);
	vec_free(&r->bad);
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		buf_free(&r->loaded[i].raw);
	free(r);
}

const struct rts_info *rts_info(const struct rts *r)
{
	return &r->info;
}

const struct clock_track *rts_clock(const struct rts *r)
{
	return &r->clock;
}

bool rts_refresh(struct rts *r, struct err *err)
{
	return rts_toc_load(r, false, err);
}

/* ---- blobs ---- */

static bool err_damaged(struct rts *r, struct err *err)
{
	if (rts_disk_failed(r->db, r->path, err))
		return false;
	err_set(err, ERR_PROTOCOL, r->path,
		"was altered: a part of it differs from the written one");
	return err_cure(err, "take another copy of it");
}

static bool blob_bytes(struct rts *r, int64_t blob, const struct rts_sum *sum, int64_t size,
	struct buf *out, bool unpack, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(r->db, r->path, "SELECT bytes FROM blob WHERE id = ?", err);
	const void *p;
	struct rts_sum have;
	size_t n;
	int rc;
	bool good;

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, blob);
	rc = sqlite3_step(st);
	p = rc == SQLITE_ROW ? sqlite3_column_blob(st, 0) : NULL;
	n = p ? (size_t)sqlite3_column_bytes(st, 0) : 0;
	have = rts_sha256(p, n);
	good = p && rts_sum_equal(&have, sum) && (!unpack || rts_unpack(p, n, (size_t)size, out));
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rts_db_err(err, r->db, rc, r->path, "read");
	return good || err_damaged(r, err);
}

bool rts_blob(struct rts *r, int64_t blob, const struct rts_sum *sum, int64_t size, struct buf *out,
	struct err *err)
{
	return blob_bytes(r, blob, sum, size, out, true, err);
}

bool rts_verify_some(struct rts *r, unsigned chunks, bool *done, struct err *err)
{
	for (; chunks && r->verified < r->chunks.n; chunks--) {
		const struct rts_chunk *c = &r->chunks.at[r->verified];

		if (!blob_bytes(r, c->blob, &c->sum, c->size, NULL, false, err))
			return false;
		r->verified++;
	}
	*done = r->verified == r->chunks.n;
	return true;
}

static bool verify_parts(struct rts *r, struct err *err)
{
	sqlite3_stmt *st =
		rts_prepare(r->db, r->path, "SELECT * FROM part ORDER BY name LIMIT 1000000", err);
	bool good = st != NULL, bad = false;
	int rc = SQLITE_DONE;

	while (good && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_named p;

		rts_named_row(st, &p, &bad);
		good = !bad && blob_bytes(r, p.blob, &p.sum, p.size, NULL, false, err);
	}
	sqlite3_finalize(st);
	if (good && rc != SQLITE_DONE)
		return rts_db_err(err, r->db, rc, r->path, "read");
	return good || (bad && err_damaged(r, err));
}

bool rts_verify_all(struct rts *r, struct err *err)
{
	bool done, good = rts_verify_some(r, UINT32_MAX, &done, err);

	for (size_t i = 0; good && i < r->pieces.n; i++)
		good = blob_bytes(r, r->pieces.at[i].blob, &r->pieces.at[i].sum,
			r->pieces.at[i].size, NULL, false, err);
	return good && verify_parts(r, err);
}

/* ---- parts and the plan ---- */

bool rts_part(struct rts *r, const char *name, struct buf *out, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(r->db, r->path, "SELECT * FROM part WHERE name = ?", err);
	struct rts_named p;
	bool bad = false;
	int rc;

	if (!st)
		return false;
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		rts_named_row(st, &p, &bad);
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rts_db_err(err, r->db, rc, r->path, "read");
	if (rc == SQLITE_DONE)
		return err_set(err, ERR_UNSUPPORTED, r->path, "has no part %s", name);
	return bad ? err_damaged(r, err) : rts_blob(r, p.blob, &p.sum, p.size, out, err);
}

bool rts_parts(struct rts *r,
	void (*each)(
		void *ctx, const char *name, const char *type, uint64_t size, const char *sha256),
	void *ctx, struct err *err)
{
	sqlite3_stmt *st =
		rts_prepare(r->db, r->path, "SELECT * FROM part ORDER BY name LIMIT 1000000", err);
	bool bad = false;
	int rc = SQLITE_DONE;

	if (!st)
		return false;
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_named p;
		char hex[65];

		rts_named_row(st, &p, &bad);
		rts_sum_hex(&p.sum, hex);
		if (!bad)
			each(ctx, p.name, p.type, (uint64_t)p.size, hex);
	}
	sqlite3_finalize(st);
	if (!bad && rc != SQLITE_DONE)
		return rts_db_err(err, r->db, rc, r->path, "read");
	return !bad || err_damaged(r, err);
}

bool rts_plan(struct rts *r, struct plan *out, struct err *err)
{
	struct buf text;
	bool good;

	plan_init(out);
	buf_init(&text, RTS_BLOB_MAX);
	good = rts_part(r, "plan.json", &text, err) &&
	       rts_plan_parse(text.data, text.len, out, r->path, err);
	buf_free(&text);
	return good;
}
