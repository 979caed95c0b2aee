/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/mem.h"
#include "base/str.h"

/* The end of the ledger: its last whole line, and whether PATH.head agrees with it. */

#define VERIFY "check it: railtop ledger verify"

static const char *line_start(const char *from, const char *end)
{
	while (end > from && end[-1] != '\n')
		end--;
	return end;
}

/* A new file may hold the fragment of a first line; anything else is not a ledger. */
static bool first_fragment(const char *data, size_t n)
{
	static const char begin[] = "{\"n\":1,";
	size_t same = n < sizeof(begin) - 1 ? n : sizeof(begin) - 1;

	return memcmp(data, begin, same) == 0 || (data[0] == '\0' && n < LEDGER_LINE_MAX);
}

enum tail_look { TAIL_FOUND, TAIL_MORE, TAIL_BAD };

/* Searches the last whole line in the n bytes before the end of the file. */
static enum tail_look find_last_line(
	const char *data, size_t n, const char *path, struct ledger_follow *out, struct err *err)
{
	const char *end = line_start(data, data + n);

	while (end > data) {
		const char *start = line_start(data, end - 1);
		char prev[65];

		/* The line may begin before these bytes. */
		if (start == data && (off_t)n < out->size)
			break;
		switch (ledger_shape_of(start, (size_t)(end - 1 - start), &out->last, prev)) {
		case SHAPE_LINE:
			out->end = out->size - (data + n - end);
			return TAIL_FOUND;
		case SHAPE_ALTERED:
			(void)err_set(err, ERR_REFUSED, path,
				"its last line was altered: the hash does not match");
			(void)err_cure(err, VERIFY);
			return TAIL_BAD;
		case SHAPE_FRAGMENT:
			end = start;
		}
	}
	if ((off_t)n < out->size)
		return TAIL_MORE;
	if (n > 0 && !first_fragment(data, n)) {
		(void)err_set(err, ERR_CONFIG, path, "is not a ledger");
		(void)err_cure(err, "name another file (actions: ledger: in the inventory)");
		return TAIL_BAD;
	}
	out->end = 0;
	return TAIL_FOUND;
}

bool ledger_tail_read(
	int fd, const char *path, off_t size, struct ledger_follow *out, struct err *err)
{
	enum tail_look found = TAIL_MORE;
	char *data = NULL;

	memset(out, 0, sizeof(*out));
	out->size = size;
	for (size_t n = 16384; found == TAIL_MORE && n <= LEDGER_TAIL_MAX; n *= 4) {
		size_t want = (off_t)n < size ? n : (size_t)size;

		data = mem_realloc(data, want + 1, 1);
		if (!ledger_file_pread(fd, data, want, size - (off_t)want)) {
			(void)err_system(err, ERR_IO, path, "cannot be read", errno);
			found = TAIL_BAD;
			break;
		}
		memset(&out->last, 0, sizeof(out->last));
		found = find_last_line(data, want, path, out, err);
	}
	free(data);
	if (found == TAIL_MORE) {
		(void)err_set(err, ERR_REFUSED, path, "its last %zu KB have no complete line",
			LEDGER_TAIL_MAX / 1024);
		return err_cure(err, VERIFY);
	}
	if (found == TAIL_FOUND && out->end == 0) {
		out->last.n = 0;
		(void)str_copy(out->last.hash, sizeof(out->last.hash), LEDGER_NOTHING);
	}
	return found == TAIL_FOUND;
}

static char *head_path(const char *path)
{
	size_t size = strlen(path) + sizeof(".head");
	char *s = mem_alloc(size);

	(void)str_printf(s, size, "%s.head", path);
	return s;
}

static bool head_parse(char *text, struct ledger_mark *out)
{
	char *space = strchr(text, ' ');

	if (!space)
		return false;
	*space = '\0';
	return str_to_u64(text, &out->n) && strlen(space + 1) == 65 && space[65] == '\n' &&
	       ledger_is_hex(space + 1, 64) &&
	       str_copyn(out->hash, sizeof(out->hash), space + 1, 64);
}

bool ledger_head_read(const char *path, struct ledger_mark *out, bool *there, struct err *err)
{
	char *name = head_path(path), text[128];
	struct stat st;
	int fd, code;
	bool ok = ledger_file_open(name, O_RDONLY, 0, &fd, &st, &code, err);

	memset(out, 0, sizeof(*out));
	*there = ok;
	if (!ok && code == ENOENT) {
		if (err)
			memset(err, 0, sizeof(*err)); /* a missing file is no error here */
		free(name);
		return true;
	}
	if (ok) {
		size_t n = st.st_size < (off_t)sizeof(text) ? (size_t)st.st_size : 0;

		ok = ledger_file_pread(fd, text, n, 0);
		text[n] = '\0';
		ok = ok && head_parse(text, out);
		if (!ok) {
			(void)err_set(err, ERR_REFUSED, name,
				"has an unexpected content (number and hash of the last line)");
			(void)err_cure(err, VERIFY);
		}
		(void)close(fd);
	}
	free(name);
	return ok;
}

bool ledger_head_write(const char *path, const struct ledger_mark *m, mode_t mode, struct err *err)
{
	char *name = head_path(path), text[128];
	bool ok;

	(void)str_printf(text, sizeof(text), "%llu %s\n", (unsigned long long)m->n, m->hash);
	ok = ledger_file_replace(name, text, strlen(text), mode, 0, err);
	free(name);
	return ok;
}

/* Whether line head->n is in the file with its hash, and the chain leads from it to last. */
static bool leads_to(
	int fd, off_t end, const struct ledger_mark *head, const struct ledger_mark *last)
{
	struct ledger_mark self, before = *head;
	struct ledger_scan s;
	enum scan_got got;
	const char *line;
	size_t len;
	char prev[65];
	bool found = head->n == 0;

	ledger_scan_begin(&s, fd, end > LEDGER_RECENT ? end - LEDGER_RECENT : 0, end);
	while ((got = ledger_scan_next(&s, &line, &len)) == SCAN_LINE || got == SCAN_LONG) {
		if (got == SCAN_LONG || ledger_shape_of(line, len, &self, prev) == SHAPE_FRAGMENT)
			continue;
		if (self.n == head->n)
			found = strcmp(self.hash, head->hash) == 0;
		if (!found || self.n <= head->n)
			continue;
		if (strcmp(prev, before.hash) != 0)
			break;
		before = self;
	}
	ledger_scan_end(&s);
	return found && before.n == last->n && strcmp(before.hash, last->hash) == 0;
}

bool ledger_head_fits(
	int fd, const char *path, const struct ledger_follow *tail, bool *there, struct err *err)
{
	struct ledger_mark head;
	unsigned long long last = tail->last.n;

	if (!ledger_head_read(path, &head, there, err))
		return false;
	if (!*there && last == 0)
		return true;
	if (!*there)
		(void)err_set(err, ERR_REFUSED, path,
			"%s.head is missing: railtop cannot check if lines after %llu were cut off",
			path, last);
	else if (head.n > last)
		(void)err_set(err, ERR_REFUSED, path,
			"cut off: the head has line %llu, the file ends at %llu",
			(unsigned long long)head.n, last);
	else if (head.n == last && strcmp(head.hash, tail->last.hash) != 0)
		(void)err_set(err, ERR_REFUSED, path,
			"rewritten: line %llu differs from the one that the head has", last);
	else if (head.n < last && !leads_to(fd, tail->end, &head, &tail->last))
		(void)err_set(err, ERR_REFUSED, path,
			"rewritten: line %llu does not follow line %llu, the last one that the "
			"head has",
			last, (unsigned long long)head.n);
	else
		return true;
	return err_cure(err, VERIFY);
}
