/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

#define GREP_PATTERNS_MAX 32u

struct grep_pattern {
	const regex_t *regex; /* NULL: a search for literal */
	const char *literal;
	size_t len;
};

struct grep {
	struct sh *s;
	const struct sh_io *io;
	bool invert, ignore_case, count, quiet, silent, names, no_names, number, only, list, whole,
		word, zero;
	int syntax; /* 'G' 'E' 'F' */
	uint64_t max;
	struct grep_pattern pattern[GREP_PATTERNS_MAX];
	size_t patterns;
	bool matched, failed;
};

static bool set_flag(struct grep *g, char c)
{
	switch (c) {
	case 'v':
		return g->invert = true;
	case 'i':
	case 'y':
		return g->ignore_case = true;
	case 'c':
		return g->count = true;
	case 'q':
		return g->quiet = true;
	case 's':
		return g->silent = true;
	case 'H':
		return g->names = true;
	case 'h':
		return g->no_names = true;
	case 'n':
		return g->number = true;
	case 'o':
		return g->only = true;
	case 'l':
		return g->list = true;
	case 'x':
		return g->whole = true;
	case 'w':
		return g->word = true;
	case 'z':
		return g->zero = true;
	case 'E':
	case 'F':
	case 'G':
		g->syntax = (unsigned char)c;
		return true;
	case 'a':
	case 'I':
		return true;
	default:
		return false;
	}
}

/* One line of the pattern operand; each is an alternative. */
static bool add_one(struct grep *g, const char *text, size_t n)
{
	struct grep_pattern *p = &g->pattern[g->patterns];
	char *copy = sh_alloc(g->s, n + 20), *wrapped;
	bool plain;

	if (g->patterns == GREP_PATTERNS_MAX)
		return false;
	memcpy(copy, text, n);
	plain = g->syntax == 'F' ||
		!strpbrk(copy, g->syntax == 'E' ? "\\^$.[]|()*+?{}" : "\\^$.[]*");
	if (plain && !g->ignore_case && !g->whole && !g->word) {
		p->literal = copy;
		p->len = n;
		g->patterns++;
		return true;
	}
	wrapped = copy;
	if (g->whole || g->word) {
		wrapped = sh_alloc(g->s, n + 20);
		(void)snprintf(wrapped, n + 20, g->syntax == 'E' ? "%s(%s)%s" : "%s\\(%s\\)%s",
			g->whole ? "^" : "\\<", copy, g->whole ? "$" : "\\>");
	}
	p->regex = sh_regex(g->s->cache, wrapped,
		(g->syntax == 'E' ? REG_EXTENDED : 0) | (g->ignore_case ? REG_ICASE : 0) |
			(g->only ? 0 : REG_NOSUB));
	g->patterns++;
	return p->regex != NULL;
}

static bool add_pattern(struct grep *g, const char *text)
{
	const char *nl;

	while ((nl = strchr(text, '\n'))) {
		if (!add_one(g, text, (size_t)(nl - text)))
			return false;
		text = nl + 1;
	}
	return add_one(g, text, strlen(text));
}

static bool match_one(const struct grep_pattern *p, const char *line, size_t len, regmatch_t *m)
{
	m->rm_so = 0;
	m->rm_eo = (regoff_t)len;
	if (p->regex)
		return !regexec(p->regex, line, 1, m, REG_STARTEND);
	if (p->len) {
		const char *hit = memmem(line, len, p->literal, p->len);

		if (!hit)
			return false;
		m->rm_so = (regoff_t)(hit - line);
		m->rm_eo = (regoff_t)((size_t)(hit - line) + p->len);
	} else {
		m->rm_eo = 0;
	}
	return true;
}

static bool match_line(const struct grep *g, const char *line, size_t len)
{
	regmatch_t m;
	size_t i;

	for (i = 0; i < g->patterns; i++)
		if (match_one(&g->pattern[i], line, len, &m))
			return true;
	return false;
}

static void print_prefix(const struct grep *g, const char *name, uint64_t number)
{
	if (name) {
		(void)buf_adds(g->io->out, name);
		(void)buf_add(g->io->out, ":", 1);
	}
	if (g->number)
		(void)buf_addf(g->io->out, "%llu:", (unsigned long long)number);
}

static void print_parts(
	const struct grep *g, const char *name, uint64_t number, const char *line, size_t len)
{
	size_t at = 0, i;

	while (at < len) {
		regmatch_t best = {-1, -1}, m;

		for (i = 0; i < g->patterns; i++)
			if (match_one(&g->pattern[i], line + at, len - at, &m) &&
				m.rm_eo > m.rm_so &&
				(best.rm_so < 0 || m.rm_so < best.rm_so ||
					(m.rm_so == best.rm_so && m.rm_eo > best.rm_eo)))
				best = m;
		if (best.rm_so < 0)
			break;
		print_prefix(g, name, number);
		(void)buf_add(
			g->io->out, line + at + best.rm_so, (size_t)(best.rm_eo - best.rm_so));
		(void)buf_add(g->io->out, "\n", 1);
		at += (size_t)best.rm_eo;
	}
}

static void print_line(
	const struct grep *g, const char *name, uint64_t number, const char *line, size_t len)
{
	if (g->only) {
		print_parts(g, name, number, line, len);
		return;
	}
	print_prefix(g, name, number);
	(void)buf_add(g->io->out, line, len);
	(void)buf_add(g->io->out, g->zero ? "" : "\n", 1);
}

/* As sh_line(); with -z a line ends at a NUL. */
static bool next_line(
	const struct grep *g, const char **at, const char *end, const char **line, size_t *len)
{
	const char *stop;

	if (!g->zero)
		return sh_line(at, end, line, len);
	if (*at >= end)
		return false;
	stop = memchr(*at, 0, (size_t)(end - *at));
	*line = *at;
	*len = (size_t)((stop ? stop : end) - *at);
	*at = stop ? stop + 1 : end;
	return true;
}

static void search_text(struct grep *g, const char *name, const char *text, size_t size)
{
	const char *at = text, *end = text + size, *line;
	uint64_t hits = 0, number = 0;
	bool show = !g->count && !g->quiet && !g->list;
	size_t len;

	while (hits < g->max && next_line(g, &at, end, &line, &len)) {
		number++;
		if (match_line(g, line, len) == g->invert)
			continue;
		hits++;
		g->matched = true;
		if (!show)
			continue;
		print_line(g, name, number, line, len);
		if (g->io->out->overflow)
			break;
	}
	if (g->count && !g->quiet)
		(void)buf_addf(g->io->out, "%s%s%llu\n", name ? name : "", name ? ":" : "",
			(unsigned long long)hits);
	if (g->list && hits)
		(void)buf_addf(g->io->out, "%s\n", name ? name : "(standard input)");
}

static void search_files(struct grep *g, int n, char **files)
{
	bool names = g->list || (!g->no_names && (g->names || n > 1));
	struct buf text;
	int i;

	buf_init(&text, SH_PIPE_MAX);
	for (i = 0; i < n && !g->io->out->overflow; i++) {
		char *path;
		int code = 0;

		buf_reset(&text);
		if (!strcmp(files[i], "-")) {
			size_t len;
			const char *in = sh_take_input(g->io, &len);

			search_text(g, names ? "(standard input)" : NULL, in, len);
			continue;
		}
		path = sh_path(g->s, files[i]);
		if (strcmp(path, "/dev/null") != 0)
			code = g->s->m->fs->read(g->s->m->ctx, path, &text);
		free(path);
		if (code) {
			g->failed = true;
			if (!g->silent)
				(void)buf_addf(
					g->io->err, "grep: %s: %s\n", files[i], sh_strerror(code));
		} else {
			search_text(
				g, names ? files[i] : NULL, text.data ? text.data : "", text.len);
		}
	}
	buf_free(&text);
}

static int print_usage(struct grep *g)
{
	(void)buf_adds(g->io->err, "Usage: grep [OPTION]... PATTERNS [FILE]...\n"
				   "Try 'grep --help' for more information.\n");
	return 2;
}

/*
 * Parses options, which GNU grep allows anywhere. Moves the operands to the front of argv; returns
 * their number, or -1.
 */
static int parse_options(struct grep *g, int argc, char **argv, char **expressions, size_t *n)
{
	int i, operands = 0;
	bool ended = false;

	for (i = 1; i < argc; i++) {
		const char *p = argv[i];

		if (ended || p[0] != '-' || !p[1]) {
			argv[operands++] = argv[i];
			continue;
		}
		if (!strcmp(p, "--")) {
			ended = true;
			continue;
		}
		for (p++; *p; p++) {
			if (*p == 'e' || *p == 'm') {
				const char *value = p[1] ? p + 1 : i + 1 < argc ? argv[++i] : NULL;

				if (!value || (*p == 'm' && !str_to_u64(value, &g->max)) ||
					(*p == 'e' && *n == GREP_PATTERNS_MAX))
					return -1;
				if (*p == 'e')
					expressions[(*n)++] = mem_strdup(value);
				break;
			}
			if (!set_flag(g, *p))
				return -1;
		}
	}
	return operands;
}

static int run_grep(struct grep *g, int n, char **operands, char **expressions, size_t count)
{
	static char dash[] = "-";
	char *in[] = {dash};
	size_t i;

	if (!count && !n)
		return print_usage(g);
	for (i = 0; i < count; i++)
		if (!add_pattern(g, expressions[i]))
			return 2;
	if (!count) {
		if (!add_pattern(g, operands[0])) {
			(void)buf_adds(g->io->err, "grep: Invalid regular expression\n");
			return 2;
		}
		operands++;
		n--;
	}
	search_files(g, n ? n : 1, n ? operands : in);
	if (g->matched && (g->quiet || !g->failed))
		return 0;
	return g->failed ? 2 : 1;
}

int sh_grep(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	struct grep g = {.s = s, .io = io, .syntax = 'G', .max = UINT64_MAX};
	char *expressions[GREP_PATTERNS_MAX];
	char **args = mem_alloc((size_t)argc * sizeof(*args));
	size_t n = 0, i;
	int operands, status;

	memcpy(args, argv, (size_t)argc * sizeof(*args));
	if (argv[0][0] == 'e' || argv[0][0] == 'f')
		g.syntax = argv[0][0] - 32;
	operands = parse_options(&g, argc, args, expressions, &n);
	status = operands < 0 ? print_usage(&g) : run_grep(&g, operands, args, expressions, n);
	for (i = 0; i < n; i++)
		free(expressions[i]);
	free(args);
	return status;
}
