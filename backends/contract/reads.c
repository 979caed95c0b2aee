/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/reads.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#define WORD_MOST 128
/* More than any dialect sends; a longer text is refused without matching. */
#define TEXT_MOST ((size_t)64 << 10)

/* ---- patterns ---- */

static bool is_safe(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("._/:,@%+=-", c));
}

/* Returns the most characters at text that one argument may have. */
static size_t word_most(const char *text)
{
	size_t n = 0;

	if (*text == '-')
		return 0;
	while (n < WORD_MOST && is_safe(text[n]) && !(n && text[n] == '.' && text[n - 1] == '.'))
		n++;
	/* Exclude the first dot of ".." as well. */
	return n && text[n] == '.' && text[n - 1] == '.' ? n - 1 : n;
}

static bool match_pattern(const char *pattern, const char *text);

static bool match_word(const char *rest, const char *text)
{
	for (size_t n = word_most(text); n; n--)
		if (match_pattern(rest, text + n))
			return true;
	return false;
}

/*
 * Matches words and blanks; the literal after them begins with another character, such as a quote.
 */
static bool match_words(const char *rest, const char *text)
{
	size_t n;

	for (;;) {
		text += strspn(text, " ");
		n = word_most(text);
		if (!n)
			return match_pattern(rest, text);
		text += n;
		if (is_safe(*text))
			return false;
	}
}

static bool match_pattern(const char *pattern, const char *text)
{
	for (; *pattern; pattern++, text++) {
		if (pattern[0] == '*' && pattern[1] == '*')
			return match_words(pattern + 2, text);
		if (*pattern == '*')
			return match_word(pattern + 1, text);
		if (pattern[0] == '\\' && pattern[1] == '*')
			pattern++;
		if (*pattern != *text)
			return false;
	}
	return !*text;
}

bool reads_match(const char *pattern, const char *text)
{
	return *pattern && *pattern != '*' && match_pattern(pattern, text);
}

bool reads_match_any(const char *const *patterns, const char *text)
{
	for (; patterns && *patterns; patterns++)
		if (reads_match(*patterns, text))
			return true;
	return false;
}

/* ---- stepping ---- */

bool reads_skip(const char **at, const char *literal)
{
	if (!str_starts(*at, literal))
		return false;
	*at += strlen(literal);
	return true;
}

bool reads_skip_until(const char **at, char stop, const char *pattern)
{
	const char *end = strchr(*at, stop);
	size_t n = end ? (size_t)(end - *at) : strlen(*at);
	char *piece = mem_strndup(*at, n);
	bool ok = reads_match(pattern, piece);

	free(piece);
	if (ok)
		*at += n;
	return ok;
}

void reads_skip_heads(const char **at, const char *const *heads)
{
	bool any = true;

	while (any && **at) {
		any = false;
		for (const char *const *h = heads; h && *h && !any; h++)
			any = reads_skip_until(at, '\n', *h);
		any = any && reads_skip(at, "\n");
	}
}

/* Compares the text with the script in which each "{}" is replaced by fill. */
static bool is_filled(const char *script, const char *fill, const char *text)
{
	const char *hole;
	size_t n;

	for (; (hole = strstr(script, "{}")); script = hole + 2) {
		n = (size_t)(hole - script);
		if (strncmp(script, text, n) != 0)
			return false;
		text += n;
		if (!reads_skip(&text, fill))
			return false;
	}
	return str_eq(script, text);
}

bool reads_script_is(const struct read_script *s, const char *text)
{
	if (!s->fills)
		return str_eq(s->text, text);
	for (const char *const *fill = s->fills; *fill; fill++)
		if (is_filled(s->text, *fill, text))
			return true;
	return false;
}

/* ---- requests ---- */

static bool is_script(const struct read_list *l, const char *input)
{
	const char *at = input;

	if (l->script && l->script(input))
		return true;
	reads_skip_heads(&at, l->heads);
	for (const struct read_script *s = l->scripts; s && s->text; s++)
		if (reads_script_is(s, at))
			return true;
	return false;
}

static bool is_command(const struct read_list *l, const struct request *r)
{
	char *followed;
	bool ok;

	if (r->input)
		return str_eq(r->command, "sh -s") && is_script(l, r->input);
	if (reads_match_any(l->commands, r->command) || (l->command && l->command(r->command)))
		return true;
	followed = r->follow ? requests_followed(r->command) : NULL;
	ok = followed && reads_match_any(l->follows, followed);
	free(followed);
	return ok;
}

static bool is_http(const struct read_list *l, const struct request *r)
{
	if (str_eq(r->method, "GET"))
		return !r->body && !r->content_type && reads_match_any(l->gets, r->path);
	return str_eq(r->method, "POST") && r->body && l->post && l->post(r);
}

static bool is_short(const char *s)
{
	return !s || strnlen(s, TEXT_MOST) < TEXT_MOST;
}

bool reads_plain(const struct request *r)
{
	return !r->change && !r->forward_port && !r->confirm && !r->confirmed && r->command &&
	       is_short(r->command) && is_short(r->input) && !r->method && !r->path && !r->body &&
	       !r->content_type;
}

bool reads_listed(const struct read_list *l, const struct request *r)
{
	if (reads_plain(r))
		return is_command(l, r);
	return !r->change && !r->forward_port && !r->confirm && !r->confirmed && !r->command &&
	       !r->input && !r->follow && r->path && is_short(r->path) && is_short(r->body) &&
	       is_http(l, r);
}
