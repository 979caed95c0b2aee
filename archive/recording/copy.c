/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/recording/copy.h"

#include <string.h>
#include <sys/stat.h>

#include "archive/recording/copy_internal.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- verbatim ---- */

static bool err_altered(const struct rts *r, struct err *err)
{
	if (rts_disk_failed(r->db, r->path, err))
		return false;
	err_set(err, ERR_PROTOCOL, r->path, "was altered: entries of the window cannot be read");
	return err_cure(err, "take another copy of it");
}

/* Reads a blob without unpacking and checks its hash. */
static bool read_packed(
	struct rts *r, int64_t blob, const struct rts_sum *sum, struct buf *out, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(r->db, r->path, "SELECT bytes FROM blob WHERE id = ?", err);
	struct rts_sum have;
	bool ok = false;

	buf_reset(out);
	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, blob);
	if (sqlite3_step(st) == SQLITE_ROW) {
		const void *p = sqlite3_column_blob(st, 0);
		size_t n = p ? (size_t)sqlite3_column_bytes(st, 0) : 0;

		have = rts_sha256(p, n);
		ok = n && rts_sum_equal(&have, sum) && buf_add(out, p, n);
	}
	sqlite3_finalize(st);
	return ok || err_altered(r, err);
}

static bool copy_pieces(
	struct rts_copy *c, const struct rts_key *key, struct buf *bytes, struct err *err)
{
	struct rts *r = c->from;
	struct rts_key copy = *key;

	for (size_t i = 0; i < r->pieces.n; i++) {
		struct rts_piece p = r->pieces.at[i];

		if (p.keyframe == key->id &&
			(!read_packed(r, p.blob, &p.sum, bytes, err) ||
				!rts_file_piece(&c->file, &p, bytes->data, bytes->len, err)))
			return false;
	}
	return rts_file_key(&c->file, &copy, err);
}

/*
 * Copies the later keyframes while each continues the one before. A scrub in the snapshot is then
 * as quick as in the recording.
 */
static bool copy_keys(
	struct rts_copy *c, int64_t chunk, int64_t *last, struct buf *bytes, struct err *err)
{
	struct rts *r = c->from;

	for (size_t i = 0; i < r->keys.n; i++) {
		struct rts_key key = r->keys.at[i];

		if (key.chunk != chunk || key.id <= *last || key.stamp != rts_stamp() ||
			(!key.whole && key.id != *last + 1))
			continue;
		*last = key.id;
		if (!copy_pieces(c, &key, bytes, err))
			return false;
	}
	return true;
}

/* Index of the first chunk to copy. */
static size_t first_chunk(const struct rts_copy *c)
{
	const struct rts *r = c->from;

	for (size_t i = 0; c->has_key && i < r->keys.n; i++)
		if ((uint64_t)r->keys.at[i].id == c->key.id)
			return rts_chunk_from(r, r->keys.at[i].chunk);
	return 0;
}

static bool copy_chunks(struct rts_copy *c, int64_t to_us, struct err *err)
{
	struct rts *r = c->from;
	size_t first = first_chunk(c);
	int64_t last_key = c->has_key ? (int64_t)c->key.id : INT64_MAX;
	struct buf bytes;
	bool ok = true;

	buf_init(&bytes, RTS_BLOB_MAX);
	for (size_t i = first;
		ok && i < r->chunks.n && rts_chunk_from_us(&r->chunks.at[i]) <= to_us; i++) {
		struct rts_chunk chunk = r->chunks.at[i];
		size_t head = rts_chunk_from(r, chunk.head);

		if (head < first || r->chunks.at[head].id != chunk.head) {
			ok = err_altered(r, err);
			break;
		}
		chunk.head = c->file.at.next_chunk - (int64_t)(i - head);
		ok = (i == first || copy_keys(c, chunk.id, &last_key, &bytes, err)) &&
		     read_packed(r, chunk.blob, &chunk.sum, &bytes, err) &&
		     rts_file_chunk(&c->file, &chunk, bytes.data, bytes.len, err);
	}
	buf_free(&bytes);
	return ok;
}

/* ---- the file ---- */

static bool fill_copy(struct rts_copy *c, const struct rts_copy_opts *o, struct err *err)
{
	struct buf plan, clock;
	struct rts_about about = {.fabric = c->plan.fabric,
		.plan = &plan,
		.tool = o->tool,
		.user = o->user,
		.host = o->host,
		.kind = "snapshot",
		.redacted = o->redact != NULL || rts_info(c->from)->redacted};
	char *text = NULL;
	bool made;

	if (o->redact) {
		if (!rts_copy_learn(c, o->to_us, err))
			return false;
		redact_plan(o->redact, &c->plan);
	}
	buf_init(&plan, RTS_BLOB_MAX);
	buf_init(&clock, RTS_BLOB_MAX);
	if (o->redact) /* its entries are written anew, in session time */
		(void)clock_track_print(&c->from->clock, &clock);
	else if ((text = rts_meta_text(c->from->db, "clock")) != NULL)
		(void)buf_adds(&clock, text);
	free(text);
	about.clock = clock.data;
	about.counted = o->redact || c->from->counted;
	made = rts_plan_text(&c->plan, &plan, err) &&
	       rts_file_open(&c->file, o->path, &about, true, err);
	buf_free(&clock);
	buf_free(&plan);
	if (!made)
		return false;
	/* Private until the file is complete. */
	(void)chmod(o->path, 0600);
	if (c->has_key && !rts_copy_key(c, err))
		return false;
	return o->redact ? rts_copy_entries(c, o->to_us, err) : copy_chunks(c, o->to_us, err);
}

struct rts_copy *rts_copy_new(struct rts *from, const struct rts_copy_opts *o, struct err *err)
{
	struct rts_copy *c = mem_calloc(1, sizeof(*c));

	c->from = from;
	c->redact = o->redact;
	c->has_key = rts_keyframe_at(from, o->from_us, &c->key);
	if (rts_plan(from, &c->plan, err) && fill_copy(c, o, err))
		return c;
	c->from = NULL;
	rts_copy_free(c);
	return NULL;
}

bool rts_copy_part(struct rts_copy *c, const char *name, const char *type, const void *bytes,
	size_t n, struct err *err)
{
	return rts_file_part(&c->file, name, type, 0, "", n ? bytes : "", n, err);
}

bool rts_copy_commit(struct rts_copy *c, struct err *err)
{
	return rts_file_commit(&c->file, err);
}

void rts_copy_sums(const struct rts_copy *c, char entries[65], char keyframes[65])
{
	rts_sum_hex(&c->file.at.sums.chain, entries);
	rts_sum_hex(&c->file.at.sums.keys, keyframes);
}

uint64_t rts_copy_chunks(const struct rts_copy *c)
{
	return (uint64_t)c->file.at.sums.chunks;
}

bool rts_copy_finish(struct rts_copy *c, struct err *err)
{
	bool busy = false, ok = rts_file_plain(&c->file, &busy, err);

	if (ok && busy)
		ok = err_set(err, ERR_INTERNAL, c->file.path,
			"another process reads it while it is made");
	return ok;
}

void rts_copy_free(struct rts_copy *c)
{
	if (!c)
		return;
	rts_file_close(&c->file);
	rts_close(c->from);
	plan_free(&c->plan);
	free(c);
}

/* ---- raw outputs ---- */

struct raws {
	bool (*wanted)(void *ctx, const char *device, const char *request);
	void (*each)(void *ctx, const char *name, const void *bytes, size_t n);
	void *ctx;
};

/* Splits "raw/DEVICE/REQUEST". */
static bool split_raw_name(const char *name, char *device, char *request)
{
	const char *slash;

	if (!str_starts(name, "raw/") || !(slash = strchr(name + 4, '/')))
		return false;
	return str_copyn(device, NAME_MAX_LEN, name + 4, (size_t)(slash - name - 4)) &&
	       str_copy(request, NAME_MAX_LEN, slash + 1);
}

static bool copy_raw(struct rts_copy *c, const struct raws *w, struct rts_named *p, struct err *err)
{
	char device[NAME_MAX_LEN], request[NAME_MAX_LEN], name[200], *text = NULL;
	struct buf raw;
	size_t n;
	bool ok = true;

	if (!split_raw_name(p->name, device, request))
		return true;
	if (c->redact) {
		redact_text(c->redact, device, sizeof(device));
		redact_text(c->redact, p->asked, sizeof(p->asked));
	}
	if (!w->wanted(w->ctx, device, request))
		return true;
	(void)str_printf(name, sizeof(name), "raw/%s/%s", device, request);
	buf_init(&raw, RTS_BLOB_MAX);
	/* An unreadable raw output is left out; it must not stop the copy. */
	if (rts_blob(c->from, p->blob, &p->sum, p->size, &raw, NULL)) {
		n = raw.len;
		if (c->redact)
			text = redact_document(c->redact, raw.data ? raw.data : "", raw.len, &n);
		ok = rts_file_part(
			&c->file, name, p->type, p->t_us, p->asked, text ? text : raw.data, n, err);
		if (ok)
			w->each(w->ctx, name, text ? text : raw.data, n);
	}
	free(text);
	buf_free(&raw);
	return ok;
}

bool rts_copy_raws(struct rts_copy *c,
	bool (*wanted)(void *ctx, const char *device, const char *request),
	void (*each)(void *ctx, const char *name, const void *bytes, size_t n), void *ctx,
	struct err *err)
{
	const struct raws w = {wanted, each, ctx};
	struct rts *r = c->from;
	sqlite3_stmt *st = rts_prepare(r->db, r->path,
		"SELECT * FROM part WHERE name >= 'raw/' AND name < 'raw0' ORDER BY name", err);
	bool ok = st != NULL;
	int rc = SQLITE_DONE;

	while (ok && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rts_named p;
		bool bad = false;

		rts_named_row(st, &p, &bad);
		ok = bad || copy_raw(c, &w, &p, err);
	}
	sqlite3_finalize(st);
	if (ok && rc != SQLITE_DONE)
		return rts_db_err(err, r->db, rc, r->path, "read");
	return ok;
}
