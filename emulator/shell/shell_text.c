/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

/* cut, tr, sort, uniq, sed: filters over lines. */

static bool text_of(struct sh *s, const char *tool, int n, char **files, const struct sh_io *io,
	struct buf *text)
{
	buf_init(text, SH_PIPE_MAX);
	return sh_slurp(s, tool, n, files, io, text);
}

struct range {
	unsigned long from, to;
};

/* Parses "1,3-5,7-"; returns the number of ranges. */
static size_t parse_ranges(const char *p, struct range *r, size_t max)
{
	size_t n = 0;
	char *end;

	while (*p && n < max) {
		r[n].from = *p == '-' ? 1 : strtoul(p, &end, 10);
		if (*p != '-')
			p = end;
		r[n].to = r[n].from;
		if (*p == '-') {
			r[n].to = strtoul(p + 1, &end, 10);
			if (end == p + 1)
				r[n].to = (unsigned long)-1;
			p = end;
		}
		n++;
		if (*p != ',')
			break;
		p++;
	}
	return n;
}

static bool in_ranges(const struct range *r, size_t n, unsigned long v)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v >= r[i].from && v <= r[i].to)
			return true;
	return false;
}

static void cut_line(struct buf *out, const char *line, size_t len, const struct range *r, size_t n,
	int delimiter, bool only)
{
	unsigned long field = 1;
	bool some = false;
	size_t i, start = 0;

	if (delimiter < 0) {
		for (i = 0; i < len; i++)
			if (in_ranges(r, n, i + 1))
				(void)buf_add(out, line + i, 1);
	} else if (!memchr(line, delimiter, len)) {
		if (only)
			return;
		(void)buf_add(out, line, len);
	} else {
		for (i = 0; i <= len; i++) {
			if (i < len && line[i] != (char)delimiter)
				continue;
			if (in_ranges(r, n, field++)) {
				char d = (char)delimiter;

				if (some)
					(void)buf_add(out, &d, 1);
				(void)buf_add(out, line + start, i - start);
				some = true;
			}
			start = i + 1;
		}
	}
	(void)buf_add(out, "\n", 1);
}

int sh_cut(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	struct range r[32];
	size_t n = 0, len;
	int i = 1, delimiter = '\t';
	bool only = false, ok;
	const char *at, *line;
	struct buf text;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		char c = argv[i][1];
		const char *v = argv[i][2]                          ? argv[i] + 2
				: strchr("fcbd", c) && i + 1 < argc ? argv[++i]
								    : "";

		if (c == 'd')
			delimiter = (unsigned char)v[0];
		else if (c == 's')
			only = true;
		else
			n = parse_ranges(v, r, 32);
		if (c == 'c' || c == 'b')
			delimiter = -1;
	}
	if (!n) {
		(void)buf_adds(
			io->err, "cut: you must specify a list of bytes, characters, or fields\n");
		return 1;
	}
	ok = text_of(s, "cut", argc - i, argv + i, io, &text);
	for (at = text.data; sh_line(&at, text.data + text.len, &line, &len);)
		cut_line(io->out, line, len, r, n, delimiter, only);
	buf_free(&text);
	return !ok;
}

/* Expands a set of tr with ranges, escapes and common classes; returns its length. */
static size_t tr_set(const char *p, unsigned char *set, size_t max)
{
	static const struct {
		const char *name, *chars;
	} classes[] = {
		{"[:upper:]", "A-Z"},
		{"[:lower:]", "a-z"},
		{"[:digit:]", "0-9"},
		{"[:space:]", " \\t\\n\\r\\v\\f"},
		{"[:blank:]", " \\t"},
		{"[:alnum:]", "0-9A-Za-z"},
		{"[:alpha:]", "A-Za-z"},
	};
	size_t n = 0, i;

	while (*p && n < max) {
		unsigned char c = (unsigned char)*p;

		for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
			if (str_starts(p, classes[i].name))
				break;
		if (i < sizeof(classes) / sizeof(classes[0])) {
			n += tr_set(classes[i].chars, set + n, max - n);
			p += strlen(classes[i].name);
			continue;
		}
		if (c == '\\' && p[1]) {
			static const char from[] = "nrtvf\\", to[] = "\n\r\t\v\f\\";
			const char *hit = strchr(from, *++p);

			c = hit ? (unsigned char)to[hit - from] : (unsigned char)*p;
			/* Up to three octal digits: "\\0" separates entries in files of /proc. */
			if (*p >= '0' && *p <= '7')
				for (c = (unsigned char)(*p - '0'), i = 1;
					i < 3 && p[1] >= '0' && p[1] <= '7'; i++)
					c = (unsigned char)(c * 8 + (*++p - '0'));
		}
		p++;
		if (p[0] == '-' && p[1]) {
			for (i = c; i <= (unsigned char)p[1] && n < max; i++)
				set[n++] = (unsigned char)i;
			p += 2;
		} else {
			set[n++] = c;
		}
	}
	return n;
}

int sh_tr(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	unsigned char from[256], to[256], map[256];
	bool member[256] = {false}, remove = false, squeeze = false, complement = false;
	size_t nf, nt = 0, len, i;
	const char *in;
	int a = 1, last = -1;

	(void)s;
	for (; a < argc && argv[a][0] == '-' && argv[a][1]; a++) {
		remove = remove || strchr(argv[a], 'd');
		squeeze = squeeze || strchr(argv[a], 's');
		complement = complement || strchr(argv[a], 'c') || strchr(argv[a], 'C');
	}
	if (a >= argc) {
		(void)buf_adds(io->err, "tr: missing operand\n");
		return 1;
	}
	nf = tr_set(argv[a], from, 256);
	if (a + 1 < argc)
		nt = tr_set(argv[a + 1], to, 256);
	for (i = 0; i < 256; i++)
		map[i] = (unsigned char)i;
	for (i = 0; i < nf; i++)
		member[from[i]] = true;
	for (i = 0; complement && i < 256; i++)
		member[i] = !member[i];
	for (i = 0; i < 256 && complement && nt; i++)
		if (member[i])
			map[i] = to[nt - 1];
	for (i = 0; i < nf && !complement && nt; i++)
		map[from[i]] = to[i < nt ? i : nt - 1];
	in = sh_take_input(io, &len);
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)in[i];
		char o = (char)map[c];

		if (remove && member[c])
			continue;
		if (squeeze && member[c] && last == (unsigned char)o)
			continue;
		last = squeeze && member[c] ? (unsigned char)o : -1;
		(void)buf_add(io->out, &o, 1);
	}
	return 0;
}

struct sort_key {
	const char *line;
	size_t len;
	bool numeric, reverse;
};

static int sort_compare(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	size_t n = x->len < y->len ? x->len : y->len;
	int d = 0;

	if (x->numeric) {
		double u = strtod(x->line, NULL), v = strtod(y->line, NULL);

		d = u < v ? -1 : u > v;
	}
	if (!d)
		d = memcmp(x->line, y->line, n);
	if (!d)
		d = x->len < y->len ? -1 : x->len > y->len;
	return x->reverse ? -d : d;
}

int sh_sort(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	VEC(struct sort_key) keys = {0};
	struct sort_key key = {0};
	bool unique = false, ok;
	const char *at;
	struct buf text;
	size_t k;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		key.numeric = key.numeric || strchr(argv[i], 'n');
		key.reverse = key.reverse || strchr(argv[i], 'r');
		unique = unique || strchr(argv[i], 'u');
	}
	ok = text_of(s, "sort", argc - i, argv + i, io, &text);
	for (at = text.data; sh_line(&at, text.data + text.len, &key.line, &key.len);)
		vec_push(&keys, key);
	if (keys.n)
		qsort(keys.at, keys.n, sizeof(*keys.at), sort_compare);
	for (k = 0; k < keys.n; k++) {
		if (unique && k && keys.at[k].len == keys.at[k - 1].len &&
			!memcmp(keys.at[k].line, keys.at[k - 1].line, keys.at[k].len))
			continue;
		(void)buf_add(io->out, keys.at[k].line, keys.at[k].len);
		(void)buf_add(io->out, "\n", 1);
	}
	vec_free(&keys);
	buf_free(&text);
	return ok ? 0 : 2;
}

static void uniq_print(const struct sh_io *io, const char *line, size_t len, size_t times,
	bool count, bool doubles)
{
	if (!times || (doubles && times < 2))
		return;
	if (count)
		(void)buf_addf(io->out, "%7zu ", times);
	(void)buf_add(io->out, line, len);
	(void)buf_add(io->out, "\n", 1);
}

int sh_uniq(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *at, *line, *old = NULL;
	size_t len, old_len = 0, times = 0;
	bool count = false, doubles = false, ok;
	struct buf text;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		count = count || strchr(argv[i], 'c');
		doubles = doubles || strchr(argv[i], 'd');
	}
	ok = text_of(s, "uniq", argc - i, argv + i, io, &text);
	for (at = text.data; sh_line(&at, text.data + text.len, &line, &len);) {
		if (times && len == old_len && !memcmp(line, old, len)) {
			times++;
			continue;
		}
		uniq_print(io, old, old_len, times, count, doubles);
		old = line;
		old_len = len;
		times = 1;
	}
	uniq_print(io, old, old_len, times, count, doubles);
	buf_free(&text);
	return !ok;
}

/*
 * ---- sed: [-n] [-E] with s///[gp], p, d, q; each may have an address: number, $ or /regex/
 * ----
 */

struct sed {
	struct sh *s;
	char command, address; /* address: 0 none, 'n' number, '$', 'r' regex */
	unsigned long number;
	const regex_t *where, *regex;
	char *replacement;
	bool global, print, quiet;
	int flags;
};

/* The text up to an unescaped delimiter. The backslash of \delimiter is removed. */
static char *sed_part(struct sed *d, const char **p, char delimiter)
{
	char *part = sh_alloc(d->s, strlen(*p) + 1);
	size_t n = 0;

	while (**p && **p != delimiter) {
		if (**p == '\\' && (*p)[1] == delimiter)
			++*p;
		else if (**p == '\\' && (*p)[1])
			part[n++] = *(*p)++;
		part[n++] = *(*p)++;
	}
	if (**p)
		++*p;
	return part;
}

static bool sed_parse(struct sed *d, const char *p)
{
	while (*p == ' ')
		p++;
	if (*p == '$') {
		d->address = *p++;
	} else if (*p == '/') {
		p++;
		d->address = 'r';
		d->where = sh_regex(d->s->cache, sed_part(d, &p, '/'), d->flags);
		if (!d->where)
			return false;
	} else if (*p >= '0' && *p <= '9') {
		char *end;

		d->address = 'n';
		d->number = strtoul(p, &end, 10);
		p = end;
	}
	d->command = *p ? *p++ : '\0';
	if (d->command == 's' && *p) {
		char delimiter = *p++;

		d->regex = sh_regex(d->s->cache, sed_part(d, &p, delimiter), d->flags);
		d->replacement = sed_part(d, &p, delimiter);
		for (; *p == 'g' || *p == 'p'; p++) {
			d->global = d->global || *p == 'g';
			d->print = d->print || *p == 'p';
		}
		return d->regex && !*p;
	}
	return d->command && strchr("pdq", d->command) && !*p;
}

static void sed_replace(const struct sed *d, struct buf *out, const char *line, const regmatch_t *m)
{
	const char *r;

	for (r = d->replacement; *r; r++) {
		int group = *r == '&'                                  ? 0
			    : *r == '\\' && r[1] >= '0' && r[1] <= '9' ? r[1] - '0'
								       : -1;

		if (group >= 0) {
			if (m[group].rm_so >= 0)
				(void)buf_add(out, line + m[group].rm_so,
					(size_t)(m[group].rm_eo - m[group].rm_so));
			r += *r == '\\';
		} else if (*r == '\\' && r[1]) {
			r++;
			(void)buf_add(out, *r == 'n' ? "\n" : *r == 't' ? "\t" : r, 1);
		} else {
			(void)buf_add(out, r, 1);
		}
	}
}

static bool sed_substitute(const struct sed *d, struct buf *space)
{
	struct buf out;
	regmatch_t m[10];
	const char *line = space->data ? space->data : "";
	size_t at = 0, len = space->len;
	bool hit = false;

	buf_init(&out, SH_PIPE_MAX);
	while (at <= len && (!hit || d->global)) {
		m[0].rm_so = (regoff_t)at;
		m[0].rm_eo = (regoff_t)len;
		if (regexec(d->regex, line, 10, m, REG_STARTEND | (at ? REG_NOTBOL : 0)))
			break;
		hit = true;
		(void)buf_add(&out, line + at, (size_t)m[0].rm_so - at);
		sed_replace(d, &out, line, m);
		at = (size_t)m[0].rm_eo;
		if (m[0].rm_eo == m[0].rm_so) {
			if (at < len)
				(void)buf_add(&out, line + at, 1);
			at++;
		}
	}
	if (at < len)
		(void)buf_add(&out, line + at, len - at);
	if (hit) {
		buf_free(space);
		*space = out;
	} else {
		buf_free(&out);
	}
	return hit;
}

static bool sed_addressed(
	const struct sed *d, const char *line, size_t len, unsigned long number, bool last)
{
	regmatch_t m = {0, (regoff_t)len};

	switch (d->address) {
	case 'n':
		return number == d->number;
	case '$':
		return last;
	case 'r':
		return !regexec(d->where, line, 1, &m, REG_STARTEND);
	default:
		return true;
	}
}

static void sed_run(
	const struct sed *d, size_t n, bool quiet, const struct buf *text, struct buf *out)
{
	const char *at = text->data, *end = text->data + text->len, *line;
	unsigned long number = 0;
	struct buf space;
	bool quit = false;
	size_t len, i;

	buf_init(&space, SH_PIPE_MAX);
	while (!quit && sh_line(&at, end, &line, &len)) {
		bool gone = false;

		number++;
		buf_reset(&space);
		(void)buf_add(&space, line, len);
		for (i = 0; i < n && !gone && !quit; i++) {
			const char *now = space.data ? space.data : "";

			if (!sed_addressed(&d[i], now, space.len, number, at >= end))
				continue;
			gone = d[i].command == 'd';
			quit = d[i].command == 'q';
			if (d[i].command == 'p' ||
				(d[i].command == 's' && sed_substitute(&d[i], &space) &&
					d[i].print))
				(void)buf_addf(out, "%s\n", space.data ? space.data : "");
		}
		if (!gone && !quiet) {
			(void)buf_add(out, space.data ? space.data : "", space.len);
			(void)buf_add(out, "\n", 1);
		}
	}
	buf_free(&space);
}

/* Commands are separated by ';' or newlines; a ';' inside s/// is not supported. */
static bool sed_script(struct sed *all, size_t *n, const char *script, struct sh *s, int flags)
{
	while (*script) {
		size_t len = strcspn(script, ";\n");
		char *one = sh_alloc(s, len + 1);

		memcpy(one, script, len);
		if (*n == 16)
			return false;
		all[*n] = (struct sed){.s = s, .flags = flags};
		if (one[strspn(one, " \t")] && !sed_parse(&all[(*n)++], one))
			return false;
		script += len + (script[len] != '\0');
	}
	return true;
}

int sh_sed(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	struct sed all[16];
	size_t n = 0;
	bool quiet = false, ok, given = false, good = true;
	struct buf text;
	int i = 1, flags = 0;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		quiet = quiet || strchr(argv[i], 'n');
		if (strchr(argv[i], 'E') || strchr(argv[i], 'r'))
			flags = REG_EXTENDED;
		if (strchr(argv[i], 'e') && i + 1 < argc) {
			given = true;
			good = good && sed_script(all, &n, argv[++i], s, flags);
		}
	}
	if (!given && i < argc)
		good = sed_script(all, &n, argv[i++], s, flags);
	if (!good) {
		(void)buf_adds(io->err, "sed: -e expression #1: unknown command\n");
		return 1;
	}
	ok = text_of(s, "sed", argc - i, argv + i, io, &text);
	sed_run(all, n, quiet, &text, io->out);
	buf_free(&text);
	return ok ? 0 : 2;
}
