/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "actions/ledger/explain.h"
#include "base/mem.h"
#include "base/str.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

/* Reads the ledger's lines for people and views, from its end. */

#define TOPICS_MAX  4096 /* the console may run for weeks */
#define FIRST_LOOK  ((off_t)64 * 1024)
#define LINE_LENGTH 1024 /* estimated bytes of a line, to choose how much to read */

/* Members from an act's first lines, for its later lines. */
struct topic {
	char act[40], action[32], device[NAME_MAX_LEN], port[NAME_MAX_LEN], incident[64];
	UT_hash_handle hh;
};

static void copy_member(char *dst, size_t size, const json_t *o, const char *name)
{
	const char *s = member_text(o, name);

	(void)str_sanitise(dst, size, s, strlen(s));
}

static bool event_by_name(const char *s, enum ledger_event *out)
{
	for (unsigned e = 0; e < LEDGER_EVENT_COUNT; e++) {
		if (strcmp(s, ledger_event_name((enum ledger_event)e)) == 0) {
			*out = (enum ledger_event)e;
			return true;
		}
	}
	return false;
}

static bool line_of(const json_t *o, struct ledger_line *out)
{
	const char *t = member_text(o, "t");
	const char *person = person_of(member_text(o, "user"), member_text(o, "via"));

	memset(out, 0, sizeof(*out));
	if (!event_by_name(member_text(o, "event"), &out->event) ||
		!ledger_time_parse(t, &out->t_us))
		return false;
	out->n = (uint64_t)json_integer_value(json_object_get(o, "n"));
	(void)str_sanitise(out->user, sizeof(out->user), person, strlen(person));
	copy_member(out->act, sizeof(out->act), o, "act");
	copy_member(out->action, sizeof(out->action), o, "action");
	copy_member(out->from, sizeof(out->from), o, "from");
	copy_member(out->tty, sizeof(out->tty), o, "tty");
	copy_member(out->device, sizeof(out->device), o, "device");
	copy_member(out->port, sizeof(out->port), o, "port");
	copy_member(out->incident, sizeof(out->incident), o, "incident");
	ledger_explain(out->event, o, out->text, sizeof(out->text));
	return true;
}

static void inherit_member(char *line, char *topic, size_t size)
{
	if (line[0])
		(void)str_copy(topic, size, line);
	else
		(void)str_copy(line, size, topic);
}

static void complete_line(struct topic **topics, struct ledger_line *line)
{
	struct topic *t = NULL;

	if (!line->act[0])
		return;
	HASH_FIND_STR(*topics, line->act, t);
	if (!t) {
		t = mem_calloc(1, sizeof(*t));
		(void)str_copy(t->act, sizeof(t->act), line->act);
		HASH_ADD_STR(*topics, act, t);
	}
	/* A port belongs to its device: do not copy it to a line about another device. */
	if (!line->device[0] || !t->device[0] || strcmp(line->device, t->device) == 0)
		inherit_member(line->port, t->port, sizeof(t->port));
	inherit_member(line->device, t->device, sizeof(t->device));
	inherit_member(line->action, t->action, sizeof(t->action));
	inherit_member(line->incident, t->incident, sizeof(t->incident));
}

static void free_topics(struct topic **topics)
{
	struct topic *t = *topics, *next;

	HASH_CLEAR(hh, *topics);
	for (; t; t = next) {
		next = t->hh.next;
		free(t);
	}
}

struct ledger_reader {
	char *path;
	size_t most;
	struct topic *topics;
	dev_t dev;
	ino_t ino;
	off_t at; /* everything before this offset was delivered */
	bool begun;
};

struct ledger_reader *ledger_reader_new(const char *path, size_t most)
{
	struct ledger_reader *r = mem_calloc(1, sizeof(*r));

	r->path = mem_strdup(path);
	r->most = most;
	return r;
}

void ledger_reader_free(struct ledger_reader *r)
{
	if (!r)
		return;
	free_topics(&r->topics);
	free(r->path);
	free(r);
}

/* Counts the lines between two offsets without parsing them. */
static size_t count_lines(int fd, off_t from, off_t end)
{
	struct ledger_scan s;
	enum scan_got got;
	const char *text;
	size_t len, n = 0;

	ledger_scan_begin(&s, fd, from, end);
	while ((got = ledger_scan_next(&s, &text, &len)) == SCAN_LINE || got == SCAN_LONG)
		n += got == SCAN_LINE;
	ledger_scan_end(&s);
	return n;
}

/*
 * Reads the lines from offset from on, without the first skip of them. *first_us: time of the
 * oldest line read. *end: offset behind the last whole line.
 */
static bool read_from(int fd, struct topic **topics, off_t from, off_t size, size_t skip,
	int64_t since_us, ledger_line_vec *got, int64_t *first_us, off_t *end)
{
	struct ledger_scan s;
	enum scan_got what;
	const char *text;
	size_t len;

	*first_us = INT64_MAX;
	*end = size;
	ledger_scan_begin(&s, fd, from, size);
	while ((what = ledger_scan_next(&s, &text, &len)) != SCAN_END && what != SCAN_FAILED) {
		struct ledger_line line;
		json_t *o;

		if (what == SCAN_TORN)
			*end = size - (off_t)len;
		if (what != SCAN_LINE || (skip > 0 && skip--))
			continue;
		o = json_loadb(text, len, 0, NULL);
		if (line_of(o, &line)) {
			if (*first_us == INT64_MAX)
				*first_us = line.t_us;
			complete_line(topics, &line);
			if (line.t_us >= since_us)
				vec_push(got, line);
		}
		json_decref(o);
	}
	ledger_scan_end(&s);
	return what == SCAN_END;
}

/* Reads the newest most lines since since_us; 0 for both: all. */
static bool read_last(int fd, struct topic **topics, off_t size, int64_t since_us, size_t most,
	ledger_line_vec *out, off_t *end)
{
	off_t look = most == 0 && since_us == 0 ? LEDGER_SHOWN : FIRST_LOOK;

	if (most < (size_t)LEDGER_SHOWN / LINE_LENGTH)
		look += (off_t)most * LINE_LENGTH;
	for (;; look *= 4) {
		off_t from = size > look ? size - look : 0;
		size_t n = most ? count_lines(fd, from, size) : 0, before = out->n;
		int64_t first_us;

		if (most && n < most && from > 0 && look < LEDGER_SHOWN)
			continue;
		if (!read_from(fd, topics, from, size, n > most ? n - most : 0, since_us, out,
			    &first_us, end))
			return false;
		/* Without a limit on the number, since_us decides how far back to read. */
		if (most || from == 0 || look >= LEDGER_SHOWN || first_us < since_us)
			return true;
		out->n = before;
		free_topics(topics);
	}
}

/*
 * Opens the ledger without its lock, because the drawing thread reads it as well and must not wait.
 * Existing lines never change, and a last line that is being written does not count.
 */
static bool open_unlocked(const char *path, int *fd, struct stat *st, bool *there, struct err *err)
{
	int code;

	*there = ledger_file_open(path, O_RDONLY, 0, fd, st, &code, err);
	if (*there || code != ENOENT)
		return *there;
	if (err)
		memset(err, 0, sizeof(*err));
	return true;
}

static bool refuse_unreadable(const char *path, struct err *err)
{
	return err_system(err, ERR_IO, path, "cannot be read", errno);
}

bool ledger_read(
	const char *path, int64_t since_us, size_t most, ledger_line_vec *out, struct err *err)
{
	struct topic *topics = NULL;
	struct stat st;
	bool there, ok;
	off_t end;
	int fd;

	if (!open_unlocked(path, &fd, &st, &there, err))
		return false;
	if (!there)
		return true;
	ok = read_last(fd, &topics, st.st_size, since_us, most, out, &end) ||
	     refuse_unreadable(path, err);
	free_topics(&topics);
	(void)close(fd);
	return ok;
}

bool ledger_reader_next(struct ledger_reader *r, ledger_line_vec *out, bool *anew, struct err *err)
{
	struct stat st;
	int64_t first_us;
	bool there, ok;
	int fd;

	*anew = false;
	if (!open_unlocked(r->path, &fd, &st, &there, err))
		return false;
	if (!there || st.st_dev != r->dev || st.st_ino != r->ino || st.st_size < r->at) {
		*anew = true;
		out->n = 0;
		free_topics(&r->topics);
		r->at = 0;
		r->begun = false;
	}
	if (!there)
		return true;
	r->dev = st.st_dev;
	r->ino = st.st_ino;
	if (!r->begun)
		ok = read_last(fd, &r->topics, st.st_size, 0, r->most, out, &r->at);
	else
		ok = read_from(fd, &r->topics, r->at, st.st_size, 0, 0, out, &first_us, &r->at);
	if (HASH_COUNT(r->topics) > TOPICS_MAX)
		free_topics(&r->topics);
	r->begun = ok;
	(void)close(fd);
	return ok || refuse_unreadable(r->path, err);
}
