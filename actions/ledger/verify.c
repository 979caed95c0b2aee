/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/buf.h"
#include "base/str.h"

/* Verifies the whole ledger line by line: consecutive numbers, each hash, each link, the head. */

struct walk {
	struct ledger_report *out;
	struct ledger_mark last;
	struct open_acts *acts;
	struct ledger_mark head, noted; /* n 0: none */
	bool head_there, head_met, noted_met;
	struct buf torn; /* bytes that are no line, until the next line puts them aside */
	void (*line)(void *ctx, uint64_t n, const char *hash); /* NULL: none */
	void *ctx;
	unsigned mended;
	uint64_t mended_after, backwards;
};

/* Always returns false, so that a check can return it. */
static bool set_fault(struct walk *w, uint64_t line, const char *why)
{
	w->out->bad_line = line;
	(void)str_copy(w->out->why, sizeof(w->out->why), why);
	return false;
}

#define FAULT(w, line, ...)                                                                        \
	(str_printf((w)->out->why, sizeof((w)->out->why), __VA_ARGS__),                            \
		(w)->out->bad_line = (line), false)

static bool check_link(struct walk *w, const struct ledger_mark *self, const char *prev)
{
	unsigned long long n = self->n, want = w->last.n + 1;

	if (n > want && n - want == 1)
		return FAULT(w, want, "line %llu is missing", want);
	if (n > want)
		return FAULT(w, want, "lines %llu to %llu are missing", want, n - 1);
	if (n < want)
		return FAULT(w, want, "line %llu stands where line %llu belongs", n, want);
	if (strcmp(prev, w->last.hash) != 0)
		return FAULT(w, n,
			"line %llu does not follow line %llu: the line before it was replaced", n,
			want - 1);
	return true;
}

/* A piece of a line is allowed only if the next line puts exactly these bytes aside. */
static bool puts_aside(struct walk *w, const json_t *line)
{
	unsigned long long n = w->last.n + 1;
	char hash[65];

	if (w->torn.len == 0)
		return true;
	sha256_hex(w->torn.data, w->torn.len, hash);
	if (strcmp(member_text(line, "event"), "mended") != 0)
		return FAULT(
			w, n, "line %llu follows %zu bytes that are not a line", n, w->torn.len);
	if (json_integer_value(json_object_get(line, "torn_bytes")) != (json_int_t)w->torn.len ||
		strcmp(member_text(line, "torn_sha256"), hash) != 0)
		return FAULT(w, n, "the torn bytes that line %llu put aside were altered", n);
	w->mended++;
	w->mended_after = w->last.n;
	buf_reset(&w->torn);
	return true;
}

static void note_times(struct walk *w, const json_t *line)
{
	int64_t t_us;

	if (!ledger_time_parse(member_text(line, "t"), &t_us))
		return;
	if (!w->out->first_us)
		w->out->first_us = t_us;
	if (t_us < w->out->last_us && !w->backwards)
		w->backwards = w->last.n + 1;
	w->out->last_us = t_us;
}

static bool check_known_marks(struct walk *w, const struct ledger_mark *self)
{
	if (w->head_there && self->n == w->head.n) {
		w->head_met = strcmp(self->hash, w->head.hash) == 0;
		if (!w->head_met)
			return FAULT(w, self->n,
				"rewritten: line %llu differs from the one that the head has",
				(unsigned long long)self->n);
	}
	if (w->noted.n && self->n == w->noted.n) {
		w->noted_met = strcmp(self->hash, w->noted.hash) == 0;
		if (!w->noted_met)
			return FAULT(w, self->n, "rewritten: line %llu differs from the noted one",
				(unsigned long long)self->n);
	}
	return true;
}

static bool whole_line(struct walk *w, const struct ledger_mark *self, const char *prev,
	const char *line, size_t len)
{
	json_t *o = json_loadb(line, len, 0, NULL);
	bool ok;

	ok = o ? puts_aside(w, o) && check_link(w, self, prev) && check_known_marks(w, self)
	       : FAULT(w, w->last.n + 1, "line %llu is not JSON",
			 (unsigned long long)w->last.n + 1);
	if (ok) {
		note_times(w, o);
		open_acts_line(w->acts, o);
		w->out->acts += strcmp(member_text(o, "event"), "begun") == 0;
		w->out->lines++;
		w->last = *self;
		if (w->line)
			w->line(w->ctx, self->n, self->hash);
	}
	json_decref(o);
	return ok;
}

static bool check_line(struct walk *w, enum scan_got got, const char *line, size_t len)
{
	unsigned long long n = w->last.n + 1;
	struct ledger_mark self;
	char prev[65];

	if (got == SCAN_LONG)
		return FAULT(w, n, "line %llu is longer than any line that railtop writes", n);
	switch (ledger_shape_of(line, len, &self, prev)) {
	case SHAPE_LINE:
		if (got == SCAN_LINE)
			return whole_line(w, &self, prev, line, len);
		break; /* torn at the very last byte: the line end is missing */
	case SHAPE_ALTERED:
		return FAULT(w, n, "line %llu was altered: its hash does not match", n);
	case SHAPE_FRAGMENT:
		break;
	}
	if (!buf_add(&w->torn, line, len) || !buf_adds(&w->torn, "\n"))
		return FAULT(w, n, "line %llu is followed by more than %zu KB that are not a line",
			n - 1, LEDGER_TAIL_MAX / 1024);
	return true;
}

static bool check_lines(struct walk *w, int fd, const char *path, off_t size, struct err *err)
{
	struct ledger_scan s;
	enum scan_got got;
	const char *line;
	size_t len;
	bool good = true;

	ledger_scan_begin(&s, fd, 0, size);
	while (good && (got = ledger_scan_next(&s, &line, &len)) != SCAN_END) {
		if (got == SCAN_FAILED) {
			ledger_scan_end(&s);
			return err_system(err, ERR_IO, path, "cannot be read", errno);
		}
		good = check_line(w, got, line, len);
	}
	ledger_scan_end(&s);
	return true;
}

static bool at_end(struct walk *w)
{
	unsigned long long last = w->last.n;

	if (w->head_there && w->head.n > last)
		return FAULT(w, last + 1, "cut off: the head has line %llu, the file ends at %llu",
			(unsigned long long)w->head.n, last);
	if (w->noted.n > last)
		return FAULT(w, last + 1, "cut off: line %llu was noted, the file ends at %llu",
			(unsigned long long)w->noted.n, last);
	if (w->torn.len > 0)
		return FAULT(w, last + 1,
			"line %llu is followed by %zu bytes of an incomplete line; the next action "
			"puts them aside",
			last, w->torn.len);
	if (!w->head_there && last > 0)
		return set_fault(w, last + 1,
			"the head file is missing: railtop cannot check if lines were cut off");
	return true;
}

static void write_notes(struct walk *w)
{
	struct buf b;

	buf_init(&b, sizeof(w->out->note) - 1);
	if (w->mended)
		(void)buf_addf(&b, "%u torn line%s put aside, the last after line %llu; ",
			w->mended, w->mended == 1 ? " was" : "s were",
			(unsigned long long)w->mended_after);
	if (w->backwards)
		(void)buf_addf(&b, "the clock was put back before line %llu; ",
			(unsigned long long)w->backwards);
	if (w->head_there && w->head.n < w->last.n && !w->out->why[0])
		(void)buf_addf(&b, "the head is behind: it has line %llu; ",
			(unsigned long long)w->head.n);
	if (b.len > 2)
		(void)str_copyn(w->out->note, sizeof(w->out->note), b.data, b.len - 2);
	buf_free(&b);
}

/* The ledger is missing: a fault if its head is left. */
static bool check_gone(const char *path, struct walk *w, struct err *err)
{
	if (!ledger_head_read(path, &w->head, &w->head_there, NULL) ||
		(w->head_there && w->head.n > 0)) {
		(void)FAULT(w, 1, "the ledger is gone, its head is still there: line %llu",
			(unsigned long long)w->head.n);
		return true;
	}
	(void)err_set(err, ERR_IO, path, "there is not a ledger: nothing was ever done");
	return false;
}

/* The writer updates line and head under one lock, so size and head are read under one lock. */
static bool open_walk(const char *path, int *fd, off_t *size, struct walk *w, struct err *err)
{
	struct err head = {0};
	struct stat st;
	int code;
	bool ok;

	*fd = -1;
	if (!ledger_open_reading(path, fd, size, &code, err))
		return code == ENOENT && check_gone(path, w, err);
	ok = ledger_file_lock(*fd, false, path, err);
	if (ok && fstat(*fd, &st) == 0)
		*size = st.st_size;
	if (ok && !ledger_head_read(path, &w->head, &w->head_there, &head)) {
		ok = head.code == ERR_REFUSED;
		if (ok)
			(void)FAULT(w, 0, "%s: %s", head.origin, head.text);
		else if (err)
			*err = head;
	}
	if (!ok)
		(void)close(*fd);
	else
		ledger_file_unlock(*fd);
	return ok;
}

static bool verify_walk(
	const char *path, struct walk *w, struct ledger_report *out, struct err *err)
{
	off_t size = 0;
	bool ok;
	int fd;

	memset(out, 0, sizeof(*out));
	(void)str_copy(w->last.hash, sizeof(w->last.hash), LEDGER_NOTHING);
	if (!open_walk(path, &fd, &size, w, err))
		return false;
	if (fd < 0)
		return true;
	w->acts = open_acts_new();
	buf_init(&w->torn, LEDGER_TAIL_MAX);
	ok = check_lines(w, fd, path, size, err);
	if (ok && !out->why[0] && at_end(w))
		(void)str_copy(out->hash, sizeof(out->hash), w->last.hash);
	if (ok)
		write_notes(w);
	out->unfinished = open_acts_count(w->acts);
	buf_free(&w->torn);
	open_acts_free(w->acts);
	(void)close(fd);
	return ok;
}

bool ledger_verify_noted(
	const char *path, uint64_t n, const char *hash, struct ledger_report *out, struct err *err)
{
	struct walk w = {.out = out, .noted = {.n = n}};

	(void)str_copy(w.noted.hash, sizeof(w.noted.hash), hash);
	return verify_walk(path, &w, out, err);
}

bool ledger_verify_each(const char *path, void (*line)(void *ctx, uint64_t n, const char *hash),
	void *ctx, struct ledger_report *out, struct err *err)
{
	struct walk w = {.out = out, .line = line, .ctx = ctx};

	return verify_walk(path, &w, out, err);
}

bool ledger_verify(const char *path, struct ledger_report *out, struct err *err)
{
	return ledger_verify_noted(path, 0, "", out, err);
}
