/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/ledger/anchor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/mem.h"
#include "base/str.h"

#define LINE_MAX_BYTES 65536
#define PLACES_MAX     1000
#define HEAD           "ledger n="

/* ---- reading ---- */

/* The word after NAME=, up to a blank or the end of a text in JSON. */
static void read_word(const char *line, const char *name, char *dst, size_t size)
{
	const char *at = strstr(line, name);
	size_t n;

	dst[0] = '\0';
	if (!at)
		return;
	at += strlen(name);
	n = strcspn(at, " \"\t\r\n");
	(void)str_copyn(dst, size, at, n);
	if (str_eq(dst, "-"))
		dst[0] = '\0';
}

static bool place_of(struct ledger_anchor *a, const char *line, unsigned *place)
{
	struct anchor_place p = {.lines = 0};

	read_word(line, " host=", p.host, sizeof(p.host));
	read_word(line, " file=", p.file, sizeof(p.file));
	for (size_t i = 0; i < a->places.n; i++)
		if (str_eq(a->places.at[i].host, p.host) && str_eq(a->places.at[i].file, p.file)) {
			a->places.at[i].lines++;
			*place = (unsigned)i;
			return true;
		}
	if (a->places.n == PLACES_MAX)
		return false;
	*place = (unsigned)a->places.n;
	p.lines = 1;
	vec_push(&a->places, p);
	return true;
}

/* "ledger n=17 hash=HEX event=...". Words of users and devices come later, and have no blanks. */
static bool take_copy(struct ledger_anchor *a, const char *line)
{
	const char *at = strstr(line, HEAD);
	struct anchor_line l = {.n = 0};
	char *end;

	if (!at)
		return true;
	at += strlen(HEAD);
	if (*at < '1' || *at > '9')
		return true;
	errno = 0;
	l.n = strtoull(at, &end, 10);
	if (errno || !str_starts(end, " hash=") || !ledger_is_hex(end + 6, 64))
		return true;
	(void)str_copyn(l.hash, sizeof(l.hash), end + 6, 64);
	if (a->lines.n == ANCHOR_LINES_MAX || !place_of(a, end + 70, &l.place))
		return false;
	vec_push(&a->lines, l);
	return true;
}

/* The journal writes a text with unusual bytes as a list of numbers: "MESSAGE":[108,101,...]. */
static bool decode_bytes(const char *line, char *dst, size_t size)
{
	const char *at = strstr(line, "\"MESSAGE\"");
	size_t n = 0;

	at = at ? strchr(at, ':') : NULL;
	at = at ? at + 1 + strspn(at + 1, " ") : NULL;
	if (!at || *at != '[')
		return false;
	for (at++; n + 1 < size && *at && *at != ']'; at += *at == ',') {
		char *end;
		unsigned long v = strtoul(at, &end, 10);

		if (end == at || v > 255)
			return false;
		dst[n++] = (char)(v ? v : ' ');
		at = end + strspn(end, " ");
	}
	dst[n] = '\0';
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct anchor_line *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return strcmp(x->hash, y->hash);
}

bool anchor_read(struct ledger_anchor *a, FILE *in, const char *name, struct err *err)
{
	char *line = mem_alloc(LINE_MAX_BYTES), *bytes = mem_alloc(LINE_MAX_BYTES);
	bool ok = true;

	memset(a, 0, sizeof(*a));
	(void)str_copy(a->name, sizeof(a->name), name);
	for (; ok && fgets(line, LINE_MAX_BYTES, in); a->read++)
		ok = take_copy(a, decode_bytes(line, bytes, LINE_MAX_BYTES) ? bytes : line);
	free(line);
	free(bytes);
	if (ferror(in))
		return err_set(err, ERR_IO, name, "cannot be read: %s", strerror(errno));
	if (!ok) {
		err_set(err, ERR_LIMIT, name,
			"has more than %d copies of ledger lines, or of more than %d ledgers",
			ANCHOR_LINES_MAX, PLACES_MAX);
		return err_cure(err, "pass the part that matters: grep 'file=/path' FILE | railtop "
				     "ledger verify --anchor -");
	}
	if (!a->lines.n) {
		err_set(err, ERR_USAGE, name, "has no copy of a ledger line in %zu line%s", a->read,
			str_plural(a->read));
		return err_cure(err,
			"name the log with facility authpriv (/var/log/auth.log, "
			"/var/log/secure), or: journalctl -t railtop -o json | railtop "
			"ledger verify --anchor -");
	}
	qsort(a->lines.at, a->lines.n, sizeof(*a->lines.at), by_number);
	return true;
}

void anchor_free(struct ledger_anchor *a)
{
	vec_free(&a->lines);
	vec_free(&a->places);
}

/* ---- which copies are of this ledger ---- */

/* The word as add_word() of append.c writes it. */
static void word_of(const char *text, char *dst, size_t size)
{
	size_t n = str_sanitise(dst, size, text, strlen(text));

	for (size_t i = 0; i < n; i++)
		if (dst[i] == ' ' || dst[i] == '=')
			dst[i] = '_';
}

struct matching {
	const struct ledger_anchor *a;
	bool *mine;     /* by place */
	uint64_t *same; /* lines of the ledger that equal a copy, by place */
	size_t at;
	uint64_t last_same, bad, last; /* bad: the first line that differs from its copy */
	bool conflict;
};

static void meet_line(void *ctx, uint64_t n, const char *hash)
{
	struct matching *m = ctx;

	m->last = n;
	while (m->at < m->a->lines.n && m->a->lines.at[m->at].n < n)
		m->at++;
	for (size_t i = m->at; i < m->a->lines.n && m->a->lines.at[i].n == n; i++)
		m->same[m->a->lines.at[i].place] += str_eq(m->a->lines.at[i].hash, hash);
}

/*
 * Copies with this file's path, of any host. Else those of the one ledger that has lines in common
 * with this one, or of the only ledger there is: a copy of a ledger is verified under another path.
 */
static void choose_places(struct matching *m, const char *path)
{
	char word[100];
	size_t named = 0, best = 0;

	word_of(path, word, sizeof(word));
	for (size_t i = 0; i < m->a->places.n; i++) {
		m->mine[i] = str_eq(m->a->places.at[i].file, word) || m->same[i] > 0;
		named += m->mine[i];
		best = m->a->places.at[i].lines > m->a->places.at[best].lines ? i : best;
	}
	if (!named && m->a->places.n == 1)
		m->mine[best] = true;
}

/* ---- the verdict ---- */

static void check_line(void *ctx, uint64_t n, const char *hash)
{
	struct matching *m = ctx;
	bool any = false, same = false, differs = false;

	while (m->at < m->a->lines.n && m->a->lines.at[m->at].n < n)
		m->at++;
	for (size_t i = m->at; i < m->a->lines.n && m->a->lines.at[i].n == n; i++) {
		if (!m->mine[m->a->lines.at[i].place])
			continue;
		any = true;
		same |= str_eq(m->a->lines.at[i].hash, hash);
		differs |= !str_eq(m->a->lines.at[i].hash, hash);
	}
	if (same)
		m->last_same = n;
	if (any && differs && !m->bad) {
		m->bad = n;
		m->conflict = same;
	}
}

static void count_copies(const struct matching *m, struct anchor_report *out)
{
	uint64_t before = 0;

	for (size_t i = 0; i < m->a->lines.n; i++) {
		const struct anchor_line *l = &m->a->lines.at[i];

		if (!m->mine[l->place])
			continue;
		out->copies++;
		if (l->n == before)
			continue;
		out->missing += l->n - before - 1;
		before = l->n;
		if (l->n > m->last)
			out->lost++;
	}
	out->newest = before;
	out->proved = m->bad && m->last_same >= m->bad ? m->bad - 1 : m->last_same;
	out->lost = before > m->last ? before - m->last : 0;
	out->behind = m->last > before ? m->last - before : 0;
}

static void say_wrong(const struct matching *m, const char *path, struct anchor_report *out)
{
	const char *name = m->a->name;

	if (m->bad && m->conflict) {
		(void)err_set(&out->err, ERR_REFUSED, path,
			"FORKED: %s has two different lines %" PRIu64
			", one of them is in this ledger: it was begun anew or rewritten, and "
			"copied again",
			name, m->bad);
		(void)err_cure(&out->err,
			"grep 'ledger n=%" PRIu64 " ' %s: who wrote both, and when", m->bad, name);
	} else if (m->bad && m->last_same) {
		(void)err_set(&out->err, ERR_REFUSED, path,
			"REWRITTEN: line %" PRIu64
			" differs from its copy in %s; up to line %" PRIu64 " they are the same",
			m->bad, name, m->last_same < m->bad ? m->last_same : m->bad - 1);
		(void)err_cure(&out->err,
			"trust the copy: grep 'ledger n=' %s shows what was logged "
			"from there on",
			name);
	} else if (m->bad) {
		out->other = true;
		(void)err_set(&out->err, ERR_REFUSED, path,
			"REWRITTEN from line 1, or %s is of another ledger: no line is the same, "
			"and "
			"line %" PRIu64 " differs",
			name, m->bad);
		(void)err_cure(&out->err,
			"the words host= and file= of %s name the ledger of each "
			"line; if they are this one's, trust the copy",
			name);
	} else if (out->lost) {
		(void)err_set(&out->err, ERR_REFUSED, path,
			"CUT OFF: %s has line %" PRIu64 ", the ledger ends at line %" PRIu64
			": %" PRIu64 " line%s lost",
			name, out->newest, m->last, out->lost, out->lost == 1 ? " is" : "s are");
		(void)err_cure(&out->err,
			"grep 'ledger n=' %s shows what was done; look for an "
			"older copy of the ledger in a backup",
			name);
	}
}

/* No copy is of this path, and none has a line of it. */
static void say_other(const struct ledger_anchor *a, const char *path, struct anchor_report *out)
{
	char names[200] = "";

	for (size_t i = 0; i < a->places.n && i < 3; i++)
		(void)str_printf(names + strlen(names), sizeof(names) - strlen(names),
			"%s%.60s:%.90s", i ? ", " : "",
			a->places.at[i].host[0] ? a->places.at[i].host : "?",
			a->places.at[i].file[0] ? a->places.at[i].file : "?");
	out->other = true;
	(void)err_set(&out->err, ERR_USAGE, a->name, "has no line of %s; it has those of %s%s",
		path, names, a->places.n > 3 ? " and others" : "");
	(void)err_cure(&out->err, "name the log of the machine where this ledger is written");
}

/* A ledger that is gone with its head has no lines. */
static bool walk_ledger(const char *path, void (*line)(void *ctx, uint64_t n, const char *hash),
	struct matching *m, struct ledger_report *ledger, struct err *err)
{
	struct err why = {0};

	if (ledger_verify_each(path, line, m, ledger, &why))
		return true;
	if (access(path, F_OK) != 0 && errno == ENOENT) {
		memset(ledger, 0, sizeof(*ledger));
		return true;
	}
	if (err)
		*err = why;
	return false;
}

bool ledger_verify_anchor(const char *path, const struct ledger_anchor *a,
	struct ledger_report *ledger, struct anchor_report *out, struct err *err)
{
	struct matching m = {.a = a};
	bool any = false, ok;

	memset(out, 0, sizeof(*out));
	m.mine = mem_calloc(a->places.n, sizeof(*m.mine));
	m.same = mem_calloc(a->places.n, sizeof(*m.same));
	ok = walk_ledger(path, meet_line, &m, ledger, err);
	if (ok) {
		choose_places(&m, path);
		for (size_t i = 0; i < a->places.n; i++)
			any |= m.mine[i];
	}
	m.at = 0;
	if (ok && any && (ok = walk_ledger(path, check_line, &m, ledger, err))) {
		count_copies(&m, out);
		/* Behind a line that is not whole nothing was compared. */
		if (ledger->why[0])
			out->lost = out->behind = 0;
		say_wrong(&m, path, out);
	} else if (ok && !any) {
		say_other(a, path, out);
	}
	free(m.mine);
	free(m.same);
	return ok;
}
