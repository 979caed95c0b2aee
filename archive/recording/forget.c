/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/recording/rts_internal.h"

/* Runs a statement that takes an id and gives no rows. */
static bool run_with(struct rts_file *f, const char *sql, int64_t below, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(f->db, f->path, sql, err);
	int rc;

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, below);
	rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rts_db_err(err, f->db, rc, f->path, "write");
}

/* Calls each for every row of the statement with the id. */
static bool each_row(struct rts_file *f, const char *sql, int64_t below,
	void (*each)(struct rts_file *f, sqlite3_stmt *st), struct err *err)
{
	sqlite3_stmt *st = rts_prepare(f->db, f->path, sql, err);
	int rc;

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, below);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		each(f, st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rts_db_err(err, f->db, rc, f->path, "write");
}

static void drop_chunk(struct rts_file *f, sqlite3_stmt *st)
{
	struct rts_chunk c;
	bool bad = false;

	rts_chunk_row(st, &c, &bad);
	f->at.chain_start = c.chain;
	f->at.sums.chunks--;
	f->at.entries -= c.entries;
}

static void drop_key(struct rts_file *f, sqlite3_stmt *st)
{
	struct rts_key k;
	struct rts_sum sum;
	bool bad = false;

	rts_key_row(st, &k, &bad);
	sum = rts_key_sum(&k);
	rts_sum_xor(&f->at.sums.keys, &sum);
	f->at.keys--;
}

static void drop_piece(struct rts_file *f, sqlite3_stmt *st)
{
	struct rts_piece p;
	struct rts_sum sum;
	bool bad = false;

	rts_piece_row(st, &p, &bad);
	sum = rts_piece_sum(&p);
	rts_sum_xor(&f->at.sums.keys, &sum);
}

static void read_from_us(struct rts_file *f, sqlite3_stmt *st)
{
	f->at.from_us = sqlite3_column_int64(st, 0);
}

#define OLD_KEYS "(SELECT id FROM keyframe WHERE chunk < ?1)"

bool rts_file_forget(struct rts_file *f, int64_t below, struct err *err)
{
	return rts_file_begin(f, err) &&
	       each_row(
		       f, "SELECT * FROM chunk WHERE id < ? ORDER BY id", below, drop_chunk, err) &&
	       each_row(f, "SELECT * FROM section WHERE keyframe IN " OLD_KEYS, below, drop_piece,
		       err) &&
	       each_row(f, "SELECT * FROM keyframe WHERE chunk < ?", below, drop_key, err) &&
	       run_with(f, "DELETE FROM blob WHERE id IN (SELECT blob FROM chunk WHERE id < ?)",
		       below, err) &&
	       run_with(f,
		       "DELETE FROM blob WHERE id IN (SELECT blob FROM section WHERE keyframe "
		       "IN " OLD_KEYS ")",
		       below, err) &&
	       run_with(f, "DELETE FROM section WHERE keyframe IN " OLD_KEYS, below, err) &&
	       run_with(f, "DELETE FROM keyframe WHERE chunk < ?", below, err) &&
	       run_with(f, "DELETE FROM chunk WHERE id < ?", below, err) &&
	       each_row(f, "SELECT from_us FROM chunk WHERE id >= ? ORDER BY id LIMIT 1", below,
		       read_from_us, err);
}
