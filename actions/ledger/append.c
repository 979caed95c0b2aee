/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/* Appends one line: builds it, writes it, forces it to the disk and updates the head. */

#define VERIFY "check it: railtop ledger verify"

/* Whether a member's name is reserved for the ledger; a detail of that name is renamed. */
static bool own_member(const char *name)
{
	static const char *const names[] = {"n", "t", "event", "act", "user", "via", "uid", "tty",
		"from", "host", "pid", "prev", "hash"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void set_text(json_t *o, const char *name, const char *text)
{
	(void)json_object_set_new_nocheck(o, name, ledger_text(text, strlen(text)));
}

static json_t *make_frame(const struct ledger *l, uint64_t n, enum ledger_event e, const char *act)
{
	json_t *o = json_object();
	char t[40];

	ledger_time_format(clock_wall(l->clock), t, sizeof(t));
	json_put(o, "n", json_integer((json_int_t)n));
	set_text(o, "t", t);
	set_text(o, "event", ledger_event_name(e));
	set_text(o, "act", act ? act : "");
	set_text(o, "user", l->who.user);
	if (l->who.via[0])
		set_text(o, "via", l->who.via);
	json_put(o, "uid", json_integer((json_int_t)l->who.uid));
	set_text(o, "tty", l->who.tty);
	set_text(o, "from", l->who.from);
	set_text(o, "host", l->who.host);
	json_put(o, "pid", json_integer((json_int_t)l->who.pid));
	return o;
}

static void add_detail(json_t *o, json_t *detail)
{
	json_t *clean = ledger_clean(detail), *member;
	const char *key;

	json_object_foreach(clean, key, member)
	{
		char other[80];

		if (!own_member(key)) {
			(void)json_object_set(o, key, member);
			continue;
		}
		(void)str_printf(other, sizeof(other), "detail_%s", key);
		(void)json_object_set(o, other, member);
	}
	json_decref(clean);
}

/* Builds the line with its line end. after: the mark of the line before. */
static bool make_line(const struct ledger *l, const struct ledger_mark *after, enum ledger_event e,
	const char *act, json_t *detail, struct buf *out, struct ledger_mark *self)
{
	json_t *o = make_frame(l, after->n + 1, e, act);
	char *text;
	size_t len;
	bool ok;

	if (detail)
		add_detail(o, detail);
	set_text(o, "prev", after->hash);
	text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(o);
	if (!text)
		return false;
	len = strlen(text) - 1; /* the hash takes the place of the closing brace */
	self->n = after->n + 1;
	sha256_hex(text, len, self->hash);
	ok = self->hash[0] && buf_add(out, text, len) &&
	     buf_addf(out, ",\"hash\":\"%s\"}\n", self->hash);
	free(text);
	return ok;
}

/* A write past RLIMIT_FSIZE raises a signal that would end the process, so it is not attempted. */
static bool within_limit(off_t size, size_t n)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	       (rlim_t)size + n <= limit.rlim_cur;
}

/*
 * Writes all bytes and forces them to the disk, or undoes the write: a failed line must leave no
 * claim.
 */
static bool write_bytes(const struct ledger *l, const struct buf *b, off_t size, struct err *err)
{
	size_t done = 0;
	int code = 0;

	if (!within_limit(size, b->len))
		code = EFBIG;
	while (code == 0 && done < b->len) {
		ssize_t k = write(l->fd, b->data + done, b->len - done);

		if (k > 0)
			done += (size_t)k;
		else if (k == 0 || errno != EINTR)
			code = k == 0 ? EIO : errno;
	}
	if (code == 0 && fdatasync(l->fd) != 0)
		code = errno;
	if (code == 0)
		return true;
	/* The append-only attribute forbids this: the next line then puts the piece aside. */
	if (done > 0 && ftruncate(l->fd, size) == 0)
		(void)fdatasync(l->fd);
	(void)err_system(err, ERR_IO, l->path, "cannot be written", code);
	return err_cure(err, "no action runs without its ledger line; df -h %s", l->path);
}

bool ledger_mend(struct ledger *l, struct ledger_follow *tail, struct err *err)
{
	size_t n = (size_t)(tail->size - tail->end);
	struct ledger_mark self;
	struct buf torn, b;
	json_t *detail;
	char hash[65];
	bool ok, ended = false;

	buf_init(&torn, LEDGER_TAIL_MAX + 2);
	buf_init(&b, LEDGER_LINE_MAX + 1);
	torn.data = mem_alloc(n + 2);
	torn.size = n + 2;
	torn.len = n;
	ok = ledger_file_pread(l->fd, torn.data, n, tail->end);
	if (!ok)
		(void)err_system(err, ERR_IO, l->path, "cannot be read", errno);
	if (ok) {
		ended = torn.data[n - 1] == '\n';
		if (!ended)
			torn.data[torn.len++] = '\n';
		sha256_hex(torn.data, torn.len, hash);
		detail = json_pack(
			"{s:I,s:s}", "torn_bytes", (json_int_t)torn.len, "torn_sha256", hash);
		ok = (ended || buf_adds(&b, "\n")) &&
		     make_line(l, &tail->last, LEDGER_MENDED, "", detail, &b, &self) &&
		     write_bytes(l, &b, tail->size, err);
		json_decref(detail);
	}
	if (ok) {
		tail->last = self;
		tail->end = tail->size = tail->size + (off_t)b.len;
	}
	buf_free(&torn);
	buf_free(&b);
	return ok;
}

/* Finds the end of the file, because other processes append as well. */
static bool find_end(struct ledger *l, struct ledger_follow *tail, struct err *err)
{
	off_t size = 0;

	if (!ledger_same_file(l, &size, err) || !ledger_tail_read(l->fd, l->path, size, tail, err))
		return false;
	if (tail->last.n < l->last.n ||
		(tail->last.n == l->last.n && strcmp(tail->last.hash, l->last.hash) != 0)) {
		(void)err_set(err, ERR_REFUSED, l->path,
			"was cut or rewritten while it was open: line %llu is missing",
			(unsigned long long)l->last.n);
		return err_cure(err, VERIFY);
	}
	return tail->end == tail->size || ledger_mend(l, tail, err);
}

static bool append_locked(
	struct ledger *l, enum ledger_event e, const char *act, json_t *detail, struct err *err)
{
	struct ledger_follow tail;
	struct ledger_mark self;
	struct buf b;
	bool ok;

	if (!find_end(l, &tail, err))
		return false;
	buf_init(&b, LEDGER_LINE_MAX + 1);
	ok = make_line(l, &tail.last, e, act, detail, &b, &self);
	if (!ok) {
		(void)err_set(err, ERR_LIMIT, l->path, "a line of more than %zu KB is not written",
			LEDGER_LINE_MAX / 1024);
		(void)err_cure(err, "this is a defect of railtop: please report it");
	}
	ok = ok && write_bytes(l, &b, tail.size, err);
	buf_free(&b);
	if (!ok)
		return false;
	l->last = self;
	/*
	 * The line is on the disk, so the append has succeeded. A head that stays some lines behind
	 * still reveals that earlier lines were cut off, and the next line writes it again.
	 */
	(void)ledger_head_write(l->path, &self, l->mode, NULL);
	return true;
}

static void add_word(struct buf *b, const char *name, const char *text)
{
	char word[100];
	size_t n = str_sanitise(word, sizeof(word), text, strlen(text));

	/* Each value becomes one word, so that a reader of the syslog can split them. */
	for (size_t i = 0; i < n; i++) {
		if (word[i] == ' ' || word[i] == '=')
			word[i] = '_';
	}
	(void)buf_addf(b, " %s=%s", name, n ? word : "-");
}

static void copy_line(struct ledger *l, enum ledger_event e, const char *act, const json_t *detail)
{
	struct buf b;

	buf_init(&b, 900);
	(void)buf_addf(&b, "ledger n=%llu hash=%s event=%s", (unsigned long long)l->last.n,
		l->last.hash, ledger_event_name(e));
	add_word(&b, "act", act ? act : "");
	add_word(&b, "user", person_of(l->who.user, l->who.via));
	add_word(&b, "device", member_text(detail, "device"));
	add_word(&b, "port", member_text(detail, "port"));
	add_word(&b, "host", l->who.host);
	add_word(&b, "file", l->path);
	if (l->copy)
		l->copy(l->ctx, b.data);
	else
		ledger_syslog(b.data, l->who.pid, clock_wall(l->clock));
	buf_free(&b);
}

bool ledger_append(
	struct ledger *l, enum ledger_event e, const char *act, json_t *detail, struct err *err)
{
	bool ok = ledger_file_lock(l->fd, true, l->path, err);

	if (ok) {
		ok = append_locked(l, e, act, detail, err);
		ledger_file_unlock(l->fd);
	}
	if (ok)
		copy_line(l, e, act, detail);
	json_decref(detail);
	return ok;
}
