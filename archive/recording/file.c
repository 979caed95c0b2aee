/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/recording/rts_internal.h"
#include "base/clock.h"
#include "base/str.h"

/* zstd level of parts. */
#define PART_LEVEL 3

static bool prepare_all(struct rts_file *f, struct err *err)
{
	struct {
		sqlite3_stmt **st;
		const char *sql;
	} const all[] = {
		{&f->add_blob, "INSERT INTO blob (bytes) VALUES (?)"},
		{&f->add_chunk, "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
		{&f->add_key, "INSERT INTO keyframe VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
		{&f->add_piece, "INSERT INTO section VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
		{&f->add_part, "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&f->get_part, "SELECT * FROM part WHERE name = ?"},
		{&f->drop_blob, "DELETE FROM blob WHERE id = ?"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i].st = rts_prepare(f->db, f->path, all[i].sql, err);
		if (!*all[i].st)
			return false;
	}
	return true;
}

/* Runs a statement without result rows. */
static bool run_statement(struct rts_file *f, sqlite3_stmt *st, struct err *err)
{
	int rc = sqlite3_step(st);

	if (rc != SQLITE_DONE)
		(void)rts_db_err(err, f->db, rc, f->path, "write");
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE;
}

bool rts_file_begin(struct rts_file *f, struct err *err)
{
	if (!f->in_transaction)
		f->in_transaction = rts_exec(f->db, f->path, "BEGIN IMMEDIATE", err);
	return f->in_transaction;
}

static bool put_number(struct rts_file *f, const char *key, int64_t v, struct err *err)
{
	char text[32];

	(void)str_printf(text, sizeof(text), "%" PRId64, v);
	return rts_meta_put(f->db, f->path, key, text, err);
}

static bool put_text(struct rts_file *f, const char *key, const char *value, struct err *err)
{
	return rts_meta_put(f->db, f->path, key, value ? value : "", err);
}

static void plan_sum(const struct rts_about *a, char hex[65])
{
	struct rts_sum sum = rts_sha256(a->plan->data, a->plan->len);

	rts_sum_hex(&sum, hex);
}

/* Sets the format version that a program needs to read the file. */
static bool put_format(struct rts_file *f, struct err *err)
{
	char sql[64];

	(void)str_printf(sql, sizeof(sql), "PRAGMA user_version = %d", RTS_FORMAT);
	return rts_exec(f->db, f->path, sql, err) && put_number(f, "format", RTS_FORMAT, err);
}

static bool fill_meta(struct rts_file *f, const struct rts_about *a, struct err *err)
{
	char hex[65];

	plan_sum(a, hex);
	return put_format(f, err) && put_text(f, "tool", a->tool, err) &&
	       put_text(f, "kind", a->kind ? a->kind : "recording", err) &&
	       put_text(f, "fabric", a->fabric, err) && put_text(f, "user", a->user, err) &&
	       put_text(f, "host", a->host, err) &&
	       put_number(f, "created_us", clock_wall(&clock_system), err) &&
	       put_number(f, "redacted", a->redacted, err) &&
	       put_text(f, "plan_sha256", hex, err) &&
	       (!a->counted || put_text(f, RTS_META_TIME, RTS_SESSION_TIME, err)) &&
	       (!a->clock || !a->clock[0] || put_text(f, "clock", a->clock, err)) &&
	       rts_file_part(f, "plan.json", "application/json", 0, "", a->plan->data, a->plan->len,
		       err) &&
	       rts_file_commit(f, err);
}

static bool make_tables(struct rts_file *f, const struct rts_about *a, struct err *err)
{
	char sql[64];
	bool good;

	(void)str_printf(sql, sizeof(sql), "PRAGMA application_id = %d", RTS_ID);
	good = rts_exec(f->db, f->path, sql, err) && rts_file_begin(f, err);
	for (size_t i = 0; good && rts_schema[i]; i++)
		good = rts_exec(f->db, f->path, rts_schema[i], err);
	return good && prepare_all(f, err) && fill_meta(f, a, err);
}

/* Small checkpoints: a copy of the main file alone lacks the data that is still in the WAL. */
static bool connect_to(struct rts_file *f, struct err *err)
{
	struct stat st;
	int rc =
		sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc != SQLITE_OK)
		return rts_db_err(err, f->db, rc, f->path, "open");
	sqlite3_extended_result_codes(f->db, 1);
	if (stat(f->path, &st) != 0)
		return err_system(err, ERR_IO, f->path, "cannot open", errno);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return rts_exec(f->db, f->path,
		"PRAGMA trusted_schema = OFF; PRAGMA journal_mode = WAL; PRAGMA synchronous = "
		"NORMAL; PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 4194304",
		err);
}

/* SQLite would take leftovers of a deleted file for parts of the new one. */
static void clear_leftovers(const char *path)
{
	static const char *const ends[] = {"-wal", "-shm", "-journal"};
	char name[4200];

	for (size_t i = 0; i < 3; i++)
		if (str_printf(name, sizeof(name), "%s%s", path, ends[i]))
			(void)unlink(name);
}

/* Creates the tables in a plain file. */
static bool make_file(struct rts_file *f, const struct rts_about *a, struct err *err)
{
	int rc = sqlite3_open_v2(f->path, &f->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

	f->at.next_chunk = f->at.next_key = 1;
	if (rc != SQLITE_OK)
		return rts_db_err(err, f->db, rc, f->path, "create");
	/* The file is private until it is complete, and is deleted after an error. */
	return rts_exec(f->db, f->path, "PRAGMA journal_mode = MEMORY", err) &&
	       make_tables(f, a, err);
}

/* Creates the file under a temporary name: a kill leaves no unreadable file of the final name. */
static bool create_file(struct rts_file *f, const struct rts_about *a, struct err *err)
{
	struct rts_file made = {0};
	struct rts_new new;
	bool good;

	if (!rts_new_begin(&new, f->path, err))
		return false;
	(void)str_copy(made.path, sizeof(made.path), new.path);
	good = make_file(&made, a, err);
	rts_file_close(&made);
	if (good)
		clear_leftovers(f->path);
	if (!rts_new_end(&new, f->path, good, err))
		return false;
	f->at = f->safe = made.safe;
	f->bytes = made.bytes;
	return connect_to(f, err) && prepare_all(f, err);
}

/*
 * The session must count on from the file's last moment, with the steps that the file has: see
 * clock_session_continue(). A recording that begins while the session runs cannot do that.
 */
static bool continues_clock(
	struct rts_file *f, const struct rts_about *a, const struct rts *r, struct err *err)
{
	struct clock_track mine = {0};
	bool same = true;

	if (a->clock)
		(void)clock_track_read(&mine, a->clock);
	while (mine.steps.n && mine.steps.at[mine.steps.n - 1].at_us > r->info.to_us)
		mine.steps.n--;
	/* A recording without entries has no time yet. */
	same = !r->chunks.n || clock_track_equal(&mine, &r->clock);
	clock_track_free(&mine);
	if (same)
		return true;
	err_set(err, ERR_REFUSED, f->path,
		"was recorded across a step of the clock that this session does not know");
	return err_cure(err, "write to another file, or start railtop record anew with this one");
}

/* Checks the file's fabric, plan and kind, and continues its sums and numbers. */
static bool continue_from(
	struct rts_file *f, const struct rts_about *a, const struct rts *r, struct err *err)
{
	char hex[65], there[80];
	const struct rts_chunk *last = r->chunks.n ? &r->chunks.at[r->chunks.n - 1] : NULL;

	plan_sum(a, hex);
	if (strcmp(r->info.fabric, a->fabric) != 0) {
		err_set(err, ERR_REFUSED, f->path, "is a recording of the fabric %s, not of %s",
			r->info.fabric, a->fabric);
		return err_cure(err, "write to another file");
	}
	rts_meta_get(r->db, "plan_sha256", there, sizeof(there));
	if (strcmp(hex, there) != 0 || r->info.redacted ||
		strcmp(r->info.kind, a->kind ? a->kind : "recording") != 0) {
		err_set(err, ERR_REFUSED, f->path,
			strcmp(hex, there) != 0 ? "was recorded with another inventory"
						: "is a %s: it cannot be continued",
			r->info.redacted ? "redacted file" : r->info.kind);
		return err_cure(err, "write to another file");
	}
	if (!continues_clock(f, a, r, err))
		return false;
	f->at.sums = r->sums;
	f->at.chain_start = r->chain_start;
	f->at.next_chunk = last ? last->id + 1 : 1;
	f->at.next_entry = last ? last->first + last->entries : 0;
	f->at.entries = (int64_t)r->info.entries;
	f->at.keys = (int64_t)r->keys.n;
	f->at.next_key = r->keys.n ? r->keys.at[r->keys.n - 1].id + 1 : 1;
	f->at.from_us = r->info.from_us;
	f->at.to_us = r->info.to_us;
	return true;
}

static bool resume_file(struct rts_file *f, const struct rts_about *a, struct err *err)
{
	struct rts *r = rts_open(f->path, err);
	bool good;
	char was[80], now[80];

	if (!r)
		return false;
	good = continue_from(f, a, r, err);
	rts_meta_get(r->db, "contents", was, sizeof(was));
	rts_close(r);
	if (!good || !connect_to(f, err) || !prepare_all(f, err) || !rts_file_begin(f, err))
		return false;
	/* Another process may have written in between. */
	rts_meta_get(f->db, "contents", now, sizeof(now));
	if (strcmp(was, now) != 0)
		return rts_db_err(err, f->db, SQLITE_BUSY, f->path, "continue");
	return rts_file_commit(f, err);
}

bool rts_file_open(struct rts_file *f, const char *path, const struct rts_about *about,
	bool exclusive, struct err *err)
{
	struct stat st;
	bool good;

	memset(f, 0, sizeof(*f));
	if (!str_copy(f->path, sizeof(f->path), path) || strlen(path) > 4000)
		return err_set(err, ERR_USAGE, "", "the file's name is too long");
	if (!exclusive && stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
		(void)unlink(path);
	if (!exclusive && stat(path, &st) == 0)
		good = resume_file(f, about, err);
	else
		good = create_file(f, about, err);
	/* The write lock is kept from here on: two writers of one file would overwrite each
	 * other. */
	good = good && rts_file_begin(f, err);
	if (!good)
		rts_file_close(f);
	return good;
}

static bool add_blob(struct rts_file *f, const void *p, size_t n, int64_t *id, struct err *err)
{
	sqlite3_bind_blob64(f->add_blob, 1, p, n, SQLITE_STATIC);
	if (!run_statement(f, f->add_blob, err))
		return false;
	*id = sqlite3_last_insert_rowid(f->db);
	return true;
}

static void bind_sum(sqlite3_stmt *st, int at, const struct rts_sum *sum)
{
	sqlite3_bind_blob(st, at, sum->at, sizeof(sum->at), SQLITE_STATIC);
}

static void bind_numbers(sqlite3_stmt *st, int at, const int64_t *v, int n)
{
	for (int i = 0; i < n; i++)
		sqlite3_bind_int64(st, at + i, v[i]);
}

bool rts_file_chunk(
	struct rts_file *f, struct rts_chunk *c, const void *packed, size_t n, struct err *err)
{
	c->id = f->at.next_chunk;
	c->head = c->head ? c->head : c->id;
	c->first = f->at.next_entry;
	c->sum = rts_sha256(packed, n);
	if (!rts_file_begin(f, err) || !add_blob(f, packed, n, &c->blob, err))
		return false;
	c->chain = rts_chunk_sum(&f->at.sums.chain, c);
	bind_numbers(f->add_chunk, 1,
		(int64_t[]){c->id, c->head, c->first, c->entries, c->from_us, c->to_us, c->size},
		7);
	bind_sum(f->add_chunk, 8, &c->sum);
	bind_sum(f->add_chunk, 9, &c->chain);
	sqlite3_bind_int64(f->add_chunk, 10, c->blob);
	if (!run_statement(f, f->add_chunk, err))
		return false;
	f->at.sums.chain = c->chain;
	f->at.sums.chunks++;
	f->at.next_chunk++;
	f->at.next_entry += c->entries;
	f->at.entries += c->entries;
	f->at.from_us = f->at.from_us ? f->at.from_us : c->from_us;
	f->at.to_us = c->to_us;
	return true;
}

bool rts_file_key(struct rts_file *f, struct rts_key *k, struct err *err)
{
	struct rts_sum sum;

	k->id = f->at.next_key;
	k->chunk = f->at.next_chunk;
	if (!rts_file_begin(f, err))
		return false;
	bind_numbers(f->add_key, 1,
		(int64_t[]){k->id, k->t_us, k->chunk, k->stamp, k->whole, k->steps[0], k->steps[1],
			k->steps[2]},
		8);
	if (!run_statement(f, f->add_key, err))
		return false;
	sum = rts_key_sum(k);
	rts_sum_xor(&f->at.sums.keys, &sum);
	f->at.next_key++;
	f->at.keys++;
	return true;
}

bool rts_file_piece(
	struct rts_file *f, struct rts_piece *p, const void *packed, size_t n, struct err *err)
{
	struct rts_sum sum;

	p->keyframe = f->at.next_key;
	p->sum = rts_sha256(packed, n);
	if (!rts_file_begin(f, err) || !add_blob(f, packed, n, &p->blob, err))
		return false;
	/* Blob ids are unique and never renumbered, so they also serve as ids of pieces. */
	p->id = p->blob;
	bind_numbers(f->add_piece, 1,
		(int64_t[]){p->id, p->keyframe, p->section, p->first, p->steps, p->size}, 6);
	bind_sum(f->add_piece, 7, &p->sum);
	sqlite3_bind_int64(f->add_piece, 8, p->blob);
	if (!run_statement(f, f->add_piece, err))
		return false;
	sum = rts_piece_sum(p);
	rts_sum_xor(&f->at.sums.keys, &sum);
	return true;
}

static bool drop_blob(struct rts_file *f, int64_t id, struct err *err)
{
	sqlite3_bind_int64(f->drop_blob, 1, id);
	return run_statement(f, f->drop_blob, err);
}

static bool replace_part(struct rts_file *f, const char *name, struct err *err)
{
	struct rts_named was = {.name = ""};
	struct rts_sum sum;
	bool bad = false, there;

	sqlite3_bind_text(f->get_part, 1, name, -1, SQLITE_STATIC);
	there = sqlite3_step(f->get_part) == SQLITE_ROW;
	if (there)
		rts_named_row(f->get_part, &was, &bad);
	sqlite3_reset(f->get_part);
	if (!there)
		return true;
	sum = rts_named_sum(&was);
	rts_sum_xor(&f->at.sums.parts, &sum);
	return drop_blob(f, was.blob, err);
}

bool rts_file_part(struct rts_file *f, const char *name, const char *type, int64_t t_us,
	const char *asked, const void *bytes, size_t n, struct err *err)
{
	struct rts_named p = {.t_us = t_us, .size = (int64_t)n};
	struct rts_sum sum;
	struct buf packed;
	bool good;

	(void)str_copy(p.name, sizeof(p.name), name);
	(void)str_copy(p.type, sizeof(p.type), type);
	(void)str_copy(p.asked, sizeof(p.asked), asked ? asked : "");
	buf_init(&packed, RTS_BLOB_MAX);
	good = n <= RTS_BLOB_MAX && rts_pack(bytes, n, PART_LEVEL, &packed);
	if (!good)
		err_set(err, ERR_LIMIT, f->path, "%s: larger than allowed in a recording", name);
	good = good && rts_file_begin(f, err) && replace_part(f, p.name, err) &&
	       add_blob(f, packed.data, packed.len, &p.blob, err);
	if (good) {
		p.sum = rts_sha256(packed.data, packed.len);
		sqlite3_bind_text(f->add_part, 1, p.name, -1, SQLITE_STATIC);
		sqlite3_bind_text(f->add_part, 2, p.type, -1, SQLITE_STATIC);
		sqlite3_bind_text(f->add_part, 3, p.asked, -1, SQLITE_STATIC);
		bind_numbers(f->add_part, 4, (int64_t[]){p.t_us, p.size}, 2);
		bind_sum(f->add_part, 6, &p.sum);
		sqlite3_bind_int64(f->add_part, 7, p.blob);
		good = run_statement(f, f->add_part, err);
		sum = rts_named_sum(&p);
		rts_sum_xor(&f->at.sums.parts, &sum);
	}
	buf_free(&packed);
	return good;
}

static bool put_meta(struct rts_file *f, struct err *err)
{
	char hex[65];

	rts_sum_hex(&f->at.chain_start, hex);
	return put_text(f, "chain_start", hex, err) &&
	       put_number(f, "first_entry", f->at.next_entry - f->at.entries, err) &&
	       put_number(f, "entries", f->at.entries, err) &&
	       put_number(f, "from_us", f->at.from_us, err) &&
	       put_number(f, "to_us", f->at.to_us, err) &&
	       (!f->clock || put_text(f, "clock", f->clock, err)) &&
	       rts_contents(f->db, f->path, &f->at.sums, hex, err) &&
	       put_text(f, "contents", hex, err);
}

static int64_t pragma_number(struct rts_file *f, const char *sql)
{
	sqlite3_stmt *st = rts_prepare(f->db, f->path, sql, NULL);
	int64_t v = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;

	sqlite3_finalize(st);
	return v;
}

static bool commit_as(struct rts_file *f, bool closed, struct err *err)
{
	if (!rts_file_begin(f, err) || !put_number(f, "closed", closed, err) || !put_meta(f, err) ||
		!rts_exec(f->db, f->path, "COMMIT", err))
		return false;
	f->in_transaction = false;
	f->safe = f->at;
	f->bytes = (uint64_t)pragma_number(f, "PRAGMA page_count") *
		   (uint64_t)pragma_number(f, "PRAGMA page_size");
	return true;
}

bool rts_file_commit(struct rts_file *f, struct err *err)
{
	/* Takes the write lock again at once, see rts_file_open(). */
	return commit_as(f, false, err) && rts_file_begin(f, err);
}

void rts_file_undo(struct rts_file *f)
{
	if (f->db)
		(void)sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	f->at = f->safe;
	f->in_transaction = false;
}

bool rts_file_there(const struct rts_file *f)
{
	struct stat st;

	return f->db && stat(f->path, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino;
}

bool rts_file_plain(struct rts_file *f, bool *busy, struct err *err)
{
	sqlite3_stmt *st;
	int rc;

	*busy = false;
	if (!commit_as(f, true, err))
		return false;
	st = rts_prepare(f->db, f->path, "PRAGMA journal_mode = DELETE", err);
	if (!st)
		return false;
	rc = sqlite3_step(st);
	if ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED)
		*busy = true;
	else if (rc == SQLITE_ROW)
		*busy = !str_eq((const char *)sqlite3_column_text(st, 0), "delete");
	sqlite3_finalize(st);
	return *busy || rc == SQLITE_ROW || rts_db_err(err, f->db, rc, f->path, "close");
}

void rts_file_close(struct rts_file *f)
{
	sqlite3_stmt **const all[] = {&f->add_blob, &f->add_chunk, &f->add_key, &f->add_piece,
		&f->add_part, &f->get_part, &f->drop_blob};

	if (f->in_transaction)
		rts_file_undo(f);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		sqlite3_finalize(*all[i]);
		*all[i] = NULL;
	}
	(void)sqlite3_close(f->db);
	f->db = NULL;
	free(f->clock);
	f->clock = NULL;
}
