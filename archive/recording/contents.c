/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/recording/rts_internal.h"
#include "base/str.h"

/* Limit of rows. A month of five-second chunks is half a million. */
#define PIECES_MAX 10000000

void rts_chunk_row(sqlite3_stmt *st, struct rts_chunk *c, bool *bad)
{
	memset(c, 0, sizeof(*c));
	c->id = rts_column(st, 0, INT64_MAX - 1, bad);
	c->head = rts_column(st, 1, c->id, bad);
	c->first = rts_column(st, 2, INT64_MAX / 2, bad);
	c->entries = rts_column(st, 3, RTS_BLOB_MAX, bad);
	c->from_us = rts_column(st, 4, INT64_MAX / 2, bad);
	c->to_us = rts_column(st, 5, INT64_MAX / 2, bad);
	c->size = rts_column(st, 6, RTS_BLOB_MAX, bad);
	rts_column_sum(st, 7, &c->sum, bad);
	rts_column_sum(st, 8, &c->chain, bad);
	c->blob = rts_column(st, 9, INT64_MAX, bad);
}

void rts_key_row(sqlite3_stmt *st, struct rts_key *k, bool *bad)
{
	memset(k, 0, sizeof(*k));
	k->id = rts_column(st, 0, INT64_MAX - 1, bad);
	k->t_us = rts_column(st, 1, INT64_MAX / 2, bad);
	k->chunk = rts_column(st, 2, INT64_MAX, bad);
	k->stamp = rts_column(st, 3, INT64_MAX, bad);
	k->whole = rts_column(st, 4, 1, bad);
	for (int i = 0; i < SECTION_COUNT; i++)
		k->steps[i] = rts_column(st, 5 + i, PIECES_MAX, bad);
}

void rts_piece_row(sqlite3_stmt *st, struct rts_piece *p, bool *bad)
{
	memset(p, 0, sizeof(*p));
	p->id = rts_column(st, 0, INT64_MAX, bad);
	p->keyframe = rts_column(st, 1, INT64_MAX, bad);
	p->section = rts_column(st, 2, SECTION_COUNT - 1, bad);
	p->first = rts_column(st, 3, PIECES_MAX, bad);
	p->steps = rts_column(st, 4, PIECES_MAX, bad);
	p->size = rts_column(st, 5, RTS_BLOB_MAX, bad);
	rts_column_sum(st, 6, &p->sum, bad);
	p->blob = rts_column(st, 7, INT64_MAX, bad);
}

void rts_named_row(sqlite3_stmt *st, struct rts_named *p, bool *bad)
{
	memset(p, 0, sizeof(*p));
	rts_column_text(st, 0, p->name, sizeof(p->name), bad);
	rts_column_text(st, 1, p->type, sizeof(p->type), bad);
	rts_column_text(st, 2, p->asked, sizeof(p->asked), bad);
	p->t_us = rts_column(st, 3, INT64_MAX, bad);
	p->size = rts_column(st, 4, RTS_BLOB_MAX, bad);
	rts_column_sum(st, 5, &p->sum, bad);
	p->blob = rts_column(st, 6, INT64_MAX, bad);
}

static bool err_altered(struct rts *r, const char *what, struct err *err)
{
	if (rts_disk_failed(r->db, r->path, err))
		return false;
	err_set(err, ERR_PROTOCOL, r->path,
		"was altered: its %s differ from those that railtop wrote", what);
	return err_cure(err, "take another copy of it, and compare the SHA-256 with the original");
}

size_t rts_chunk_from(const struct rts *r, int64_t id)
{
	size_t low = 0, high = r->chunks.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->chunks.at[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Removes the chunks below first. After a replacement of the file that may be all of them. */
static void drop_forgotten(struct rts *r, int64_t first)
{
	size_t n = rts_chunk_from(r, first);

	if (!n)
		return;
	memmove(r->chunks.at, r->chunks.at + n, (r->chunks.n - n) * sizeof(*r->chunks.at));
	r->chunks.n -= n;
	r->verified -= r->verified < n ? r->verified : n;
}

static bool hex_sum(const char *hex, struct rts_sum *sum)
{
	for (size_t i = 0; i < sizeof(sum->at); i++) {
		unsigned v = 0;

		for (size_t k = 0; k < 2; k++) {
			char c = hex[2 * i + k];

			if (c >= '0' && c <= '9')
				v = v * 16 + (unsigned)(c - '0');
			else if (c >= 'a' && c <= 'f')
				v = v * 16 + (unsigned)(c - 'a') + 10;
			else
				return false;
		}
		sum->at[i] = (unsigned char)v;
	}
	return hex[64] == '\0';
}

static int64_t one_number(struct rts *r, const char *sql)
{
	sqlite3_stmt *st = rts_prepare(r->db, r->path, sql, NULL);
	int64_t v = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;

	sqlite3_finalize(st);
	return v;
}

/* True when the chunk continues the chain and the numbering of the chunk before. */
static bool continues_chain(const struct rts *r, const struct rts_chunk *c)
{
	const struct rts_chunk *last = r->chunks.n ? &r->chunks.at[r->chunks.n - 1] : NULL;
	struct rts_sum want = rts_chunk_sum(last ? &last->chain : &r->chain_start, c);

	return rts_sum_equal(&want, &c->chain) &&
	       (!last || (c->id > last->id && c->first == last->first + last->entries));
}

static bool load_chunks(struct rts *r, struct err *err)
{
	char hex[80];
	bool bad = false;
	int rc = SQLITE_DONE;
	sqlite3_stmt *st;

	rts_meta_get(r->db, "chain_start", hex, sizeof(hex));
	if (strlen(hex) != 64 || !hex_sum(hex, &r->chain_start))
		return err_altered(r, "chunks", err);
	/* An empty table: all chunks were forgotten. */
	drop_forgotten(
		r, one_number(r, "SELECT coalesce(min(id), 9223372036854775807) FROM chunk"));
	st = rts_prepare(
		r->db, r->path, "SELECT * FROM chunk WHERE id > ? ORDER BY id LIMIT 20000000", err);
	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, r->chunks.n ? r->chunks.at[r->chunks.n - 1].id : -1);
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_chunk c;

		rts_chunk_row(st, &c, &bad);
		bad |= !continues_chain(r, &c);
		vec_push(&r->chunks, c);
	}
	sqlite3_finalize(st);
	if (bad)
		return err_altered(r, "chunks", err);
	r->sums.chunks = (int64_t)r->chunks.n;
	r->sums.chain = r->chunks.n ? r->chunks.at[r->chunks.n - 1].chain : r->chain_start;
	return rc == SQLITE_DONE || rts_db_err(err, r->db, rc, r->path, "read");
}

static bool load_keys(struct rts *r, struct err *err)
{
	bool bad = false;
	int rc = SQLITE_DONE;
	sqlite3_stmt *st = rts_prepare(
		r->db, r->path, "SELECT * FROM keyframe ORDER BY id LIMIT 1000000", err);

	if (!st)
		return false;
	r->keys.n = 0;
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_key k;
		struct rts_sum sum;

		rts_key_row(st, &k, &bad);
		sum = rts_key_sum(&k);
		rts_sum_xor(&r->sums.keys, &sum);
		vec_push(&r->keys, k);
	}
	sqlite3_finalize(st);
	if (bad)
		return err_altered(r, "keyframes", err);
	return rc == SQLITE_DONE || rts_db_err(err, r->db, rc, r->path, "read");
}

static bool load_pieces(struct rts *r, struct err *err)
{
	bool bad = false;
	int rc = SQLITE_DONE;
	sqlite3_stmt *st = rts_prepare(r->db, r->path,
		"SELECT * FROM section ORDER BY keyframe, section, first LIMIT 10000000", err);

	if (!st)
		return false;
	r->pieces.n = 0;
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_piece p;
		struct rts_sum sum;

		rts_piece_row(st, &p, &bad);
		sum = rts_piece_sum(&p);
		rts_sum_xor(&r->sums.keys, &sum);
		vec_push(&r->pieces, p);
	}
	sqlite3_finalize(st);
	if (bad)
		return err_altered(r, "keyframes", err);
	return rc == SQLITE_DONE || rts_db_err(err, r->db, rc, r->path, "read");
}

static bool sum_parts(struct rts *r, struct err *err)
{
	bool bad = false;
	int rc = SQLITE_DONE;
	sqlite3_stmt *st =
		rts_prepare(r->db, r->path, "SELECT * FROM part ORDER BY name LIMIT 1000000", err);

	if (!st)
		return false;
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_named p;
		struct rts_sum sum;

		rts_named_row(st, &p, &bad);
		sum = rts_named_sum(&p);
		rts_sum_xor(&r->sums.parts, &sum);
	}
	sqlite3_finalize(st);
	if (bad)
		return err_altered(r, "parts", err);
	return rc == SQLITE_DONE || rts_db_err(err, r->db, rc, r->path, "read");
}

static void take_info(struct rts *r)
{
	struct rts_info *i = &r->info;

	rts_meta_get(r->db, "fabric", i->fabric, sizeof(i->fabric));
	rts_meta_get(r->db, "tool", i->tool, sizeof(i->tool));
	rts_meta_get(r->db, "kind", i->kind, sizeof(i->kind));
	rts_meta_get(r->db, "user", i->user, sizeof(i->user));
	rts_meta_get(r->db, "host", i->host, sizeof(i->host));
	i->created_us = rts_meta_number(r->db, "created_us");
	i->closed = rts_meta_number(r->db, "closed") != 0;
	i->redacted = rts_meta_number(r->db, "redacted") != 0;
	i->chunks = r->chunks.n;
	i->keyframes = r->keys.n;
	i->entries = 0;
	for (size_t k = 0; k < r->chunks.n; k++)
		i->entries += (uint64_t)r->chunks.at[k].entries;
	i->from_us = r->chunks.n ? rts_chunk_from_us(&r->chunks.at[0]) : 0;
	i->to_us = r->chunks.n ? rts_chunk_to_us(&r->chunks.at[r->chunks.n - 1]) : 0;
	i->bytes = (uint64_t)one_number(r, "PRAGMA page_count") *
		   (uint64_t)one_number(r, "PRAGMA page_size");
}

static bool load_all(struct rts *r, struct err *err)
{
	char want[65], have[80];

	memset(&r->sums, 0, sizeof(r->sums));
	if (!load_chunks(r, err) || !load_keys(r, err) || !load_pieces(r, err) ||
		!sum_parts(r, err) || !rts_contents(r->db, r->path, &r->sums, want, err))
		return false;
	rts_meta_get(r->db, "contents", have, sizeof(have));
	if (strcmp(want, have) != 0)
		return err_altered(r, "contents", err);
	if (!rts_straighten(r, err))
		return false;
	take_info(r);
	return true;
}

bool rts_toc_load(struct rts *r, bool verify, struct err *err)
{
	bool good;
	int rc = sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL);

	/* A transaction gives one consistent view of a growing file. */
	if (rc != SQLITE_OK)
		return rts_db_err(err, r->db, rc, r->path, "read");
	good = load_all(r, err) && (!verify || rts_verify_all(r, err));
	(void)sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		r->loaded[i].piece = -1;
	return good;
}
