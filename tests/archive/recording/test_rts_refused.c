/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no recording, or were altered, are refused, each with its own message. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/recording/rts_internal.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/archive/support/obs_make.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* A closed recording with everything in it. */
static void make(struct rts_rig *g)
{
	rig_open(g, NULL);
	for (unsigned i = 0; i < 12; i++) {
		rig_poll(g, i);
		if (i == 5)
			rig_keyframe(g, RIG_T0 + 5 * 5 * CLOCK_SEC, true, i);
	}
	rts_writer_raw(g->w, "leaf-0", "fast", "show x", RIG_T0, "what it said", 12);
	rig_close_writer(g);
}

static void refused(const char *path, const char *word)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);

	if (r)
		fail_msg("%s was opened, though %s", path, word);
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
	assert_true(err.cure[0] != '\0');
}

CASE(what_is_no_recording)
{
	struct rts_rig g;
	char path[600];
	sqlite3 *db;

	make(&g);
	refused(g.dir, "a directory");
	(void)str_printf(path, sizeof(path), "%s/none.rts", g.dir);
	refused(path, "No such file");
	(void)str_printf(path, sizeof(path), "%s/x.rts", g.dir);
	write_file(path, "", 0);
	refused(path, "empty");
	write_file(path, "a short text\n", 13);
	refused(path, "is not a railtop recording");
	write_file(path, RIG_LONG_TEXT, sizeof(RIG_LONG_TEXT));
	refused(path, "is not a railtop recording");
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(path, "not a regular file");
	(void)unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE chunk (id)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refused(path, "of another program");
	rig_done(&g);
}

CASE(cut_off_anywhere)
{
	struct rts_rig g;
	size_t n;
	char *bytes;
	struct err err;

	make(&g);
	bytes = rig_bytes(&g, &n);
	for (size_t cut = 1; cut < n; cut += cut < 4200 ? 97 : 1531) {
		write_file(g.path, bytes, cut);
		if (cut >= 100)
			refused(g.path, "is cut off");
		else
			assert_null(rts_open(g.path, &err));
	}
	free(bytes);
	rig_done(&g);
}

static void edit(const char *path, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

CASE(edited_in_any_table)
{
	static const char *const edits[] = {
		"UPDATE meta SET value = 'other' WHERE key = 'fabric'",
		"UPDATE meta SET value = 'other' WHERE key = 'user'",
		"DELETE FROM meta WHERE key = 'contents'",
		"INSERT INTO meta VALUES ('x', 'y')",
		"UPDATE chunk SET entries = entries + 1 WHERE id = 3",
		"UPDATE chunk SET from_us = from_us - 1 WHERE id = 3",
		"UPDATE chunk SET from_us = 'text' WHERE id = 3",
		"UPDATE chunk SET size = -1 WHERE id = 3",
		"UPDATE chunk SET sha256 = zeroblob(32) WHERE id = 3",
		"UPDATE chunk SET chain = zeroblob(3) WHERE id = 3",
		"UPDATE chunk SET blob = 1 WHERE id = 3",
		"DELETE FROM chunk WHERE id = 3",
		"DELETE FROM chunk WHERE id = 1",
		"DELETE FROM chunk WHERE id = (SELECT max(id) FROM chunk)",
		"UPDATE keyframe SET t_us = t_us + 1",
		"UPDATE keyframe SET stamp = stamp + 1",
		"DELETE FROM keyframe",
		"INSERT INTO keyframe SELECT id + 1, t_us, chunk, stamp, whole, model, history, "
		"diag FROM keyframe",
		"UPDATE section SET steps = steps + 1 WHERE section = 1",
		"DELETE FROM section WHERE section = 2",
		"UPDATE part SET asked = 'rm' WHERE name LIKE 'raw/%'",
		"UPDATE part SET name = 'raw/x' WHERE name LIKE 'raw/%'",
		"DELETE FROM part WHERE name LIKE 'raw/%'",
		"UPDATE blob SET bytes = zeroblob(10) WHERE id = (SELECT blob FROM chunk WHERE id "
		"= 2)",
		"DELETE FROM blob WHERE id = (SELECT blob FROM chunk WHERE id = 2)",
		"UPDATE blob SET bytes = 'x' WHERE id = (SELECT blob FROM part LIMIT 1)",
		"UPDATE blob SET bytes = NULL WHERE id = (SELECT max(blob) FROM section)",
		"CREATE TABLE more (id)",
		"CREATE TRIGGER t AFTER INSERT ON chunk BEGIN DELETE FROM blob; END",
		"CREATE INDEX i ON chunk (head)",
		"ALTER TABLE blob RENAME COLUMN bytes TO data",
		"DROP TABLE part",
		"DROP TABLE part; CREATE VIEW part AS SELECT * FROM blob",
	};
	struct rts_rig g;
	size_t n;
	char *bytes;

	make(&g);
	bytes = rig_bytes(&g, &n);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		write_file(g.path, bytes, n);
		edit(g.path, edits[i]);
		refused(g.path, "was altered");
	}
	free(bytes);
	rig_done(&g);
}

CASE(made_by_a_newer_one)
{
	struct rts_rig g;
	struct err err = {0};

	make(&g);
	edit(g.path, "PRAGMA user_version = 4");
	refused(g.path, "was made by a newer railtop (format 4; this one reads 3)");
	edit(g.path, "PRAGMA user_version = 3; UPDATE meta SET value = '7' WHERE key = 'format'");
	refused(g.path, "was made by a newer railtop (format 7; this one reads 3)");
	assert_null(rts_writer_open(&g.opts, &err));
	rig_done(&g);
}

/* As an older program left it. */
static void make_older(const char *path, unsigned format)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct rts_sums sums;
	sqlite3 *db;
	char hex[65], sql[120];

	if (!r)
		fail_msg("%s", err.text);
	sums = r->sums;
	rts_close(r);
	(void)str_printf(sql, sizeof(sql),
		"PRAGMA user_version = %u; UPDATE meta SET value = '%u' WHERE key = 'format'",
		format, format);
	edit(path, sql);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_true(rts_contents(db, path, &sums, hex, &err));
	assert_true(rts_meta_put(db, path, "contents", hex, &err));
	sqlite3_close(db);
}

/* The cure names the program that can open it. It is not continued either, and stays as it is. */
CASE(made_by_an_older_one)
{
	for (unsigned format = 1; format < RTS_FORMAT; format++) {
		struct rts_rig g;
		struct err err = {0};
		size_t n, m;
		char *was, *is;

		make(&g);
		make_older(g.path, format);
		refused(g.path, "was made by an older railtop (format ");
		was = rig_bytes(&g, &n);
		assert_null(rts_writer_open(&g.opts, &err));
		assert_non_null(strstr(err.text, "was made by an older railtop"));
		assert_non_null(strstr(err.cure, g.opts.tool));
		is = rig_bytes(&g, &m);
		assert_int_equal(n, m);
		assert_memory_equal(was, is, n);
		free(was);
		free(is);
		rig_done(&g);
	}
}

/* Any byte of the file: refused, or nothing of it is used; never a fault. */
CASE(damaged_at_any_place)
{
	struct rts_rig g;
	struct dice d = {5};
	struct err err = {0};
	size_t n;
	char *bytes, *copy;
	unsigned opened = 0;

	make(&g);
	bytes = rig_bytes(&g, &n);
	copy = mem_alloc(n);
	for (unsigned i = 0; i < 300; i++) {
		struct rts *r;

		memcpy(copy, bytes, n);
		for (unsigned k = 1 + dice_below(&d, 4); k; k--)
			copy[dice_below(&d, (unsigned)(i % 2 ? n : 8192))] ^=
				(char)(1 + dice_below(&d, 255));
		write_file(g.path, copy, n);
		r = rts_open(g.path, &err);
		if (r) {
			struct rts_cursor *c = rts_cursor_new(r);

			/* Pages that are not in use, or header fields that say nothing. */
			assert_int_equal(rig_read(c), 12);
			rts_cursor_free(c);
			rts_close(r);
			opened++;
		}
	}
	assert_true(opened < 150);
	free(bytes);
	free(copy);
	rig_done(&g);
}

/* A chunk that proves altered when it is read is a gap: reading goes on at the next keyframe. */
CASE(altered_chunk_is_a_gap)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_cursor *c;
	struct entry e;
	struct err err = {0};
	bool gap, any = false;
	unsigned n = 0;

	make(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	edit(g.path,
		"UPDATE blob SET bytes = zeroblob(10) WHERE id = (SELECT blob FROM chunk WHERE "
		"id = 2)");
	c = rts_cursor_new(r);
	while (rts_next(c, &e, &gap, &err)) {
		any |= gap;
		if (gap)
			assert_true(e.t_us == RIG_T0 + 6 * 5 * CLOCK_SEC);
		entry_free(&e);
		n++;
	}
	assert_true(any);
	assert_int_equal(n, 7);
	rts_cursor_free(c);
	rts_close(r);
	rig_done(&g);
}

/* As another user, since root may write anywhere. 0: good; the exit status else. */
static int as_nobody(int (*what)(const char *path), const char *path)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
			_exit(99);
		_exit(what(path));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int reads_it(const char *path)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct rts_cursor *c;
	unsigned n;

	if (!r) {
		err_print(&err);
		return 1;
	}
	c = rts_cursor_new(r);
	n = rig_read(c);
	rts_cursor_free(c);
	rts_close(r);
	return n == 12 ? 0 : 2;
}

static int says_that_more_waits(const char *path)
{
	struct err err = {0};

	return !rts_open(path, &err) && strstr(err.text, "not writable") && err.cure[0] ? 0 : 1;
}

CASE(directory_that_is_read_only)
{
	struct rts_rig g;
	char wal[600];

	make(&g);
	assert_int_equal(chmod(g.path, 0444), 0);
	assert_int_equal(chmod(g.dir, 0555), 0);
	assert_int_equal(as_nobody(reads_it, g.path), 0);
	/* In WAL mode, as a kill leaves it, but everything is checkpointed. */
	assert_int_equal(chmod(g.dir, 0755), 0);
	assert_int_equal(chmod(g.path, 0644), 0);
	edit(g.path, "PRAGMA journal_mode = WAL");
	assert_int_equal(chmod(g.path, 0444), 0);
	assert_int_equal(chmod(g.dir, 0555), 0);
	assert_int_equal(as_nobody(reads_it, g.path), 0);
	assert_int_equal(chmod(g.dir, 0755), 0);
	/* And with something that waits. */
	(void)str_printf(wal, sizeof(wal), "%s-wal", g.path);
	write_file(wal, RIG_LONG_TEXT, sizeof(RIG_LONG_TEXT));
	assert_int_equal(chmod(g.dir, 0555), 0);
	assert_int_equal(as_nobody(says_that_more_waits, g.path), 0);
	assert_int_equal(chmod(g.dir, 0755), 0);
	rig_done(&g);
}

CASES_MAIN(NULL, NULL)
