/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger_file.h"
#include "actions/ledger_say.h"
#include "base/mem.h"
#include "base/str.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

/* The lines of the ledger for people and views, from its end. */

#define FIRST_LOOK  ((off_t)64 * 1024)
#define LINE_LENGTH 1024 /* a guess: how much to read for so many */

/* What an act's first lines said of it, for those that follow. */
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
	ledger_say(out->event, o, out->text, sizeof(out->text));
	return true;
}

static void inherit(char *line, char *topic, size_t size)
{
	if (line[0])
		(void)str_copy(topic, size, line);
	else
		(void)str_copy(line, size, topic);
}

static void complete(struct topic **topics, struct ledger_line *line)
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
	/* A port belongs to its device: it is not taken for another one's. */
	if (!line->device[0] || !t->device[0] || strcmp(line->device, t->device) == 0)
		inherit(line->port, t->port, sizeof(t->port));
	inherit(line->device, t->device, sizeof(t->device));
	inherit(line->action, t->action, sizeof(t->action));
	inherit(line->incident, t->incident, sizeof(t->incident));
}

static void forget(struct topic **topics)
{
	struct topic *t, *next;

	HASH_ITER (hh, *topics, t, next) {
		HASH_DEL(*topics, t);
		free(t);
	}
}

/* The lines from there on; *first_us: of the oldest one seen. */
static bool read_from(
	int fd, off_t from, off_t size, int64_t since_us, ledger_line_vec *got, int64_t *first_us)
{
	struct topic *topics = NULL;
	struct ledger_scan s;
	enum scan_got what;
	const char *text;
	size_t len;

	*first_us = INT64_MAX;
	ledger_scan_begin(&s, fd, from, size);
	while ((what = ledger_scan_next(&s, &text, &len)) != SCAN_END && what != SCAN_FAILED) {
		json_t *o = what == SCAN_LINE ? json_loadb(text, len, 0, NULL) : NULL;
		struct ledger_line line;

		if (line_of(o, &line)) {
			if (*first_us == INT64_MAX)
				*first_us = line.t_us;
			complete(&topics, &line);
			if (line.t_us >= since_us)
				vec_push(got, line);
		}
		json_decref(o);
	}
	ledger_scan_end(&s);
	forget(&topics);
	return what == SCAN_END;
}

/*
 * Without the lock: it is read by who draws as well, who must not wait. What is there stays as it
 * is, and a last line that is being written is not counted.
 */
static bool open_unlocked(const char *path, int *fd, off_t *size, int *code, struct err *err)
{
	struct stat st;

	if (!ledger_file_open(path, O_RDONLY, 0, fd, &st, code, err))
		return false;
	*size = st.st_size;
	return true;
}

bool ledger_read(
	const char *path, int64_t since_us, size_t most, ledger_line_vec *out, struct err *err)
{
	bool endless = most == 0 && since_us == 0, ok;
	off_t size, look = endless ? LEDGER_SHOWN : FIRST_LOOK;
	int fd, code;

	if (!open_unlocked(path, &fd, &size, &code, err)) {
		if (code == ENOENT && err)
			memset(err, 0, sizeof(*err));
		return code == ENOENT;
	}
	if (most < (size_t)LEDGER_SHOWN / LINE_LENGTH)
		look += (off_t)most * LINE_LENGTH;
	for (;; look *= 4) {
		off_t from = size > look ? size - look : 0;
		ledger_line_vec got = {0};
		int64_t first_us;
		size_t skip;

		ok = read_from(fd, from, size, since_us, &got, &first_us);
		if (!ok)
			(void)err_set(err, ERR_IO, path, "cannot be read: %s", strerror(errno));
		if (ok && from > 0 && look < LEDGER_SHOWN && (most == 0 || got.n < most) &&
			first_us >= since_us) {
			vec_free(&got);
			continue;
		}
		skip = most && got.n > most ? got.n - most : 0;
		for (size_t i = skip; ok && i < got.n; i++)
			vec_push(out, got.at[i]);
		vec_free(&got);
		break;
	}
	(void)close(fd);
	return ok;
}
