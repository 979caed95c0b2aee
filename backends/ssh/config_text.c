/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/ssh/config.h"

#include <ctype.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"

/* Parses a file into lines and words once. The query decides later which lines apply. */

static const struct ssh_keyword keywords[] = {
#define USED(id, keyword, kind, choices) {keyword, SAID_##id, kind, choices, NULL},
#define ALSO(id, keyword)                {keyword, SAID_##id, KIND_UNKNOWN, NULL, NULL},
#define PASSED(keyword)                  {keyword, SAID_OPTIONS, KIND_PASSED, NULL, NULL},
#define BARRED(keyword, cure)            {keyword, SAID_OPTIONS, KIND_BARRED, NULL, cure},
#include "backends/ssh/config_keywords.def"
#undef USED
#undef ALSO
#undef PASSED
#undef BARRED
	{"", SAID_OPTIONS, KIND_UNKNOWN, NULL, NULL},
};

#define KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))
#define BLANKS   " \t\r\n"

const struct ssh_keyword *ssh_keyword_at(uint16_t i)
{
	return &keywords[i];
}

/* The used keywords come first in the table, indexed by option; aliases map to them. */
static uint16_t keyword_of(const char *name)
{
	size_t i = 0;

	while (i + 1 < KEYWORDS && strcasecmp(keywords[i].name, name) != 0)
		i++;
	return (uint16_t)(keywords[i].option < SAID_OPTIONS ? keywords[i].option : i);
}

/* ---- values ---- */

unsigned ssh_port_read(const char *s)
{
	struct servent entry, *found = NULL;
	char space[1024];
	uint64_t n;

	if (str_to_u64(s, &n))
		return n <= 65535 ? (unsigned)n : 0;
	if (getservbyname_r(s, "tcp", &entry, space, sizeof(space), &found) == 0 && found)
		return ntohs((uint16_t)entry.s_port);
	return 0;
}

static int64_t unit_of(char c)
{
	switch (tolower((unsigned char)c)) {
	case '\0':
	case 's':
		return 1;
	case 'm':
		return 60;
	case 'h':
		return 3600;
	case 'd':
		return 86400;
	case 'w':
		return 604800;
	default:
		return 0;
	}
}

bool ssh_time_read(const char *s, int64_t *seconds)
{
	*seconds = 0;
	if (!*s)
		return false;
	while (*s) {
		char *end;
		unsigned long long n = strtoull(s, &end, 10);
		int64_t unit = unit_of(*end);

		if (!isdigit((unsigned char)*s) || !unit || n > INT32_MAX)
			return false;
		*seconds += (int64_t)n * unit;
		if (*seconds > INT32_MAX)
			return false;
		s = *end ? end + 1 : end;
	}
	return true;
}

/* Reads "512K", "1G", "default" or "none"; as in ssh, at least 16 bytes. */
static bool size_read(const char *s, uint64_t *bytes)
{
	char *end;
	unsigned shift = 0;

	*bytes = 0;
	if (strcasecmp(s, "default") == 0 || strcasecmp(s, "none") == 0)
		return true;
	*bytes = strtoull(s, &end, 10);
	switch (toupper((unsigned char)*end)) {
	case 'G':
		shift = 30;
		break;
	case 'M':
		shift = 20;
		break;
	case 'K':
		shift = 10;
		break;
	case '\0':
		break;
	default:
		return false;
	}
	if (!isdigit((unsigned char)*s) || (*end && end[1]) || *bytes > UINT64_MAX >> 34)
		return false;
	*bytes <<= shift;
	return *bytes >= 16;
}

static bool rekey_read(const char *limit, const char *time, uint64_t *bytes, uint64_t *seconds)
{
	int64_t s = 0;

	*seconds = 0;
	if (!size_read(limit, bytes))
		return false;
	if (!time || strcasecmp(time, "none") == 0)
		return true;
	if (!ssh_time_read(time, &s))
		return false;
	*seconds = (uint64_t)s;
	return true;
}

bool ssh_rekey_read(const struct ssh_settings *s, uint64_t *bytes, uint64_t *seconds)
{
	const struct ssh_words *w = &s->at[SAID_REKEY_LIMIT];

	*bytes = *seconds = 0;
	return !w->n || rekey_read(w->at[0], w->n > 1 ? w->at[1] : NULL, bytes, seconds);
}

static bool is_choice(const char *choices, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = choices; *s;) {
		size_t n = strcspn(s, " ");

		if (n == len && strncasecmp(s, word, n) == 0)
			return true;
		s += n + (s[n] == ' ');
	}
	return false;
}

static const char *flaw_of_value(const struct ssh_keyword *k, const char *word)
{
	int64_t seconds;
	uint64_t n;

	if (k->choices && !is_choice(k->choices, word))
		return "no such value";
	if (k->kind == KIND_NUMBER && !str_to_u64(word, &n))
		return "not a number";
	if (k->kind == KIND_PORT && !ssh_port_read(word))
		return "not a port";
	if (k->kind == KIND_TIME && !str_eq(word, "none") && !ssh_time_read(word, &seconds))
		return "not a time";
	return NULL;
}

/* ---- words ---- */

/*
 * Splits a line into words in place; a word never grows. Quotes of both kinds may begin and end
 * anywhere; '#' begins a comment only at the start of a word.
 */
static bool cut_words(struct ssh_text *t, char *s, struct ssh_line *l)
{
	while (*(s += strspn(s, " \t")) && *s != '#') {
		char *to = s, quote = '\0', c;

		vec_push(&t->words, s);
		l->n++;
		for (; (c = *s) && (quote || !strchr(" \t", c)); s++) {
			if (c == '\\' && s[1] && (strchr("'\"\\", s[1]) || (!quote && s[1] == ' ')))
				*to++ = *++s;
			else if (c == quote)
				quote = '\0';
			else if (!quote && (c == '"' || c == '\''))
				quote = c;
			else
				*to++ = c;
		}
		if (quote)
			return false;
		s += c != '\0';
		*to = '\0';
	}
	return true;
}

/*
 * Returns the next word of a Match line, or the keyword. '=' separates like a blank, once. Only a
 * word that begins with a quote is quoted. NULL: a quote is not closed.
 */
static char *next_delimited(char **at)
{
	char *word = *at, *end = strpbrk(word, BLANKS "\"=");
	bool equals;

	if (!end) {
		*at = word + strlen(word);
		return word;
	}
	if (*end == '"') {
		memmove(end, end + 1, strlen(end));
		end = strchr(end, '"');
		if (!end)
			return NULL;
		*end = '\0';
		*at = end + 1 + strspn(end + 1, BLANKS);
		return word;
	}
	equals = *end == '=';
	*end++ = '\0';
	end += strspn(end, BLANKS);
	if (!equals && *end == '=')
		end += 1 + strspn(end + 1, BLANKS);
	*at = end;
	return word;
}

static const char *cut_match(struct ssh_text *t, char *s, struct ssh_line *l)
{
	char *word;

	while (*s && *s != '#') {
		word = next_delimited(&s);
		if (!word)
			return "a quote is not closed";
		if (*word) {
			vec_push(&t->words, word);
			l->n++;
		}
	}
	return l->n ? NULL : "it has no value";
}

/* ---- lines ---- */

/* An empty jump list, or one with an empty bastion. The rest is checked if the line applies. */
static const char *flaw_of_jump(const char *rest)
{
	size_t n = strcspn(rest, "#");
	char before = ',';

	while (n && isspace((unsigned char)rest[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++) {
		if (rest[i] == ',' && before == ',')
			return SSH_JUMP_FLAW;
		before = rest[i];
	}
	return before == ',' ? SSH_JUMP_FLAW : NULL;
}

static const char *cut_line(struct ssh_text *t, char *s, struct ssh_line *l)
{
	const struct ssh_keyword *k = ssh_keyword_at(l->keyword);
	size_t most = k->kind == KIND_HOST || k->kind == KIND_INCLUDE || k->kind == KIND_WORDS
			      ? SIZE_MAX
			      : 1;

	if (k->kind == KIND_UNKNOWN || k->kind == KIND_PASSED || k->kind == KIND_BARRED)
		return NULL;
	if (k->kind == KIND_MATCH)
		return cut_match(t, s, l);
	if (k->kind == KIND_REST || k->kind == KIND_JUMP) {
		if (!*l->rest)
			return "it has no value";
		return k->kind == KIND_JUMP ? flaw_of_jump(l->rest) : NULL;
	}
	if (!cut_words(t, s, l))
		return "a quote is not closed";
	if (!l->n)
		return "it has no value";
	if (l->n > most)
		return "it has one word too many";
	if (k->option == SAID_REKEY_LIMIT) {
		uint64_t bytes, seconds;
		const char *const *w = &t->words.at[l->first];

		return l->n > 2 || !rekey_read(w[0], l->n > 1 ? w[1] : NULL, &bytes, &seconds)
			       ? "not a limit"
			       : NULL;
	}
	for (uint32_t i = 0; i < l->n; i++) {
		if (!*t->words.at[l->first + i])
			return "an empty word";
	}
	return flaw_of_value(k, t->words.at[l->first]);
}

static void take_line(struct ssh_text *t, char *s, const char *copy, unsigned number)
{
	char *begin = s + strspn(s, BLANKS), *rest = begin;
	struct ssh_line l = {.number = number, .first = (uint32_t)t->words.n};

	if (!*begin || *begin == '#')
		return;
	l.name = next_delimited(&rest);
	if (!l.name || !*l.name) {
		l.flaw = "no keyword";
		l.name = "";
		l.rest = "";
		l.keyword = KEYWORDS - 1;
	} else {
		l.rest = copy + (rest - s);
		l.keyword = keyword_of(l.name);
		l.flaw = cut_line(t, rest, &l);
	}
	vec_push(&t->lines, l);
}

static void trim_end(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\r\f", end[-1]))
		end--;
	*end = '\0';
}

struct ssh_text *ssh_text_new(const char *path, char *bytes, size_t len)
{
	struct ssh_text *t = mem_calloc(1, sizeof(*t));
	unsigned number = 0;

	t->path = mem_strdup(path);
	t->bytes = bytes;
	for (char *nul = bytes; (nul = memchr(nul, '\0', len - (size_t)(nul - bytes)));)
		*nul = '?'; /* otherwise the line would end at the NUL */
	t->copy = mem_alloc(len + 1);
	memcpy(t->copy, bytes, len + 1);
	for (size_t at = 0, end; at < len; at = end + 1) {
		const char *newline = memchr(bytes + at, '\n', len - at);

		end = newline ? (size_t)(newline - bytes) : len;
		bytes[end] = t->copy[end] = '\0';
		trim_end(bytes + at);
		trim_end(t->copy + at);
		take_line(t, bytes + at, t->copy + at, ++number);
	}
	return t;
}

void ssh_text_free(struct ssh_text *t)
{
	if (!t)
		return;
	free(t->path);
	free(t->bytes);
	free(t->copy);
	vec_free(&t->lines);
	vec_free(&t->words);
	free(t);
}
