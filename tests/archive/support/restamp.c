/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/archive/support/restamp.h"

#include <stdlib.h>
#include <string.h>

#include "archive/recording/rts_internal.h"
#include "base/str.h"
#include "tests/support/cases.h"

struct work {
	sqlite3 *db;
	const char *path;
	restamp_fn *change;
	void *ctx;
	struct rts_sums sums;
	unsigned n;
};

static sqlite3_stmt *prepare(const struct work *w, const char *sql)
{
	struct err err = {0};
	sqlite3_stmt *st = rts_prepare(w->db, w->path, sql, &err);

	if (!st)
		fail_msg("%s: %s", sql, err.text);
	return st;
}

/* Changes the blob; its new size and hash. */
static void change_blob(
	struct work *w, enum restamp_kind kind, int64_t id, int64_t *size, struct rts_sum *sum)
{
	sqlite3_stmt *st = prepare(w, "SELECT bytes FROM blob WHERE id = ?");
	struct buf plain, packed;
	char *bytes;
	size_t n;

	buf_init(&plain, RTS_BLOB_MAX);
	buf_init(&packed, (size_t)2 * RTS_BLOB_MAX);
	sqlite3_bind_int64(st, 1, id);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_true(rts_unpack(sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0),
		(size_t)*size, &plain));
	sqlite3_finalize(st);
	bytes = plain.data;
	n = plain.len;
	w->change(w->ctx, kind, &bytes, &n);
	assert_true(rts_pack(bytes, n, 1, &packed));
	free(bytes);
	*size = (int64_t)n;
	*sum = rts_sha256(packed.data, packed.len);
	st = prepare(w, "UPDATE blob SET bytes = ? WHERE id = ?");
	sqlite3_bind_blob64(st, 1, packed.data, packed.len, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, id);
	assert_int_equal(sqlite3_step(st), SQLITE_DONE);
	sqlite3_finalize(st);
	buf_free(&packed);
	w->n++;
}

static void change_chunks(struct work *w)
{
	sqlite3_stmt *st = prepare(w, "SELECT * FROM chunk ORDER BY id"), *put;
	struct rts_sum chain = {{0}};
	char hex[80];

	rts_meta_get(w->db, "chain_start", hex, sizeof(hex));
	for (size_t i = 0; i < sizeof(chain.at); i++)
		chain.at[i] =
			(unsigned char)strtoul((char[]){hex[2 * i], hex[2 * i + 1], 0}, NULL, 16);
	while (sqlite3_step(st) == SQLITE_ROW) {
		struct rts_chunk c;
		bool bad = false;

		rts_chunk_row(st, &c, &bad);
		assert_false(bad);
		change_blob(w, RESTAMP_CHUNK, c.blob, &c.size, &c.sum);
		c.chain = chain = rts_chunk_sum(&chain, &c);
		put = prepare(w, "UPDATE chunk SET size = ?, sha256 = ?, chain = ? WHERE id = ?");
		sqlite3_bind_int64(put, 1, c.size);
		sqlite3_bind_blob(put, 2, c.sum.at, sizeof(c.sum.at), SQLITE_TRANSIENT);
		sqlite3_bind_blob(put, 3, c.chain.at, sizeof(c.chain.at), SQLITE_TRANSIENT);
		sqlite3_bind_int64(put, 4, c.id);
		assert_int_equal(sqlite3_step(put), SQLITE_DONE);
		sqlite3_finalize(put);
		w->sums.chunks++;
	}
	sqlite3_finalize(st);
	w->sums.chain = chain;
}

static void change_sections(struct work *w)
{
	sqlite3_stmt *st = prepare(w, "SELECT * FROM section ORDER BY id"), *put;
	struct rts_sum sum;

	while (sqlite3_step(st) == SQLITE_ROW) {
		struct rts_piece p;
		bool bad = false;

		rts_piece_row(st, &p, &bad);
		assert_false(bad);
		change_blob(w, RESTAMP_SECTION, p.blob, &p.size, &p.sum);
		sum = rts_piece_sum(&p);
		rts_sum_xor(&w->sums.keys, &sum);
		put = prepare(w, "UPDATE section SET size = ?, sha256 = ? WHERE id = ?");
		sqlite3_bind_int64(put, 1, p.size);
		sqlite3_bind_blob(put, 2, p.sum.at, sizeof(p.sum.at), SQLITE_TRANSIENT);
		sqlite3_bind_int64(put, 3, p.id);
		assert_int_equal(sqlite3_step(put), SQLITE_DONE);
		sqlite3_finalize(put);
	}
	sqlite3_finalize(st);
}

static void sum_rest(struct work *w)
{
	sqlite3_stmt *st = prepare(w, "SELECT * FROM keyframe ORDER BY id");
	struct rts_sum sum;
	bool bad = false;

	while (sqlite3_step(st) == SQLITE_ROW) {
		struct rts_key k;

		rts_key_row(st, &k, &bad);
		sum = rts_key_sum(&k);
		rts_sum_xor(&w->sums.keys, &sum);
	}
	sqlite3_finalize(st);
	st = prepare(w, "SELECT * FROM part ORDER BY name");
	while (sqlite3_step(st) == SQLITE_ROW) {
		struct rts_named p;

		rts_named_row(st, &p, &bad);
		sum = rts_named_sum(&p);
		rts_sum_xor(&w->sums.parts, &sum);
	}
	sqlite3_finalize(st);
	assert_false(bad);
}

unsigned restamp(const char *path, restamp_fn *change, void *ctx)
{
	struct work w = {.path = path, .change = change, .ctx = ctx};
	struct err err = {0};
	char hex[65];

	assert_int_equal(sqlite3_open(path, &w.db), SQLITE_OK);
	change_chunks(&w);
	change_sections(&w);
	sum_rest(&w);
	if (!rts_contents(w.db, path, &w.sums, hex, &err) ||
		!rts_meta_put(w.db, path, "contents", hex, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sqlite3_close(w.db), SQLITE_OK);
	return w.n;
}
