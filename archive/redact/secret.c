/* SPDX-License-Identifier: Apache-2.0 */
/* Removes likely secrets with everything that may belong to them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "archive/redact/redact_private.h"

#define GONE "<removed>"

/* spaced: a value may follow after a space; else a ':' or '=' is required. */
static const struct {
	const char *word;
	bool spaced;
} tellers[] = {
	{"password", true},
	{"passwd", true},
	{"passphrase", true},
	{"passcode", true},
	{"secret", true},
	{"community", true},
	{"bearer", true},
	{"authorization", false},
	{"credential", false},
	{"credentials", false},
	{"token", false},
	{"apikey", false},
	{"key", false},
	{"psk", false},
	{"cookie", false},
};

/* Words that follow "password" in ordinary sentences. */
static bool is_plain_word(const char *s, size_t n)
{
	static const char *const plain[] = {"or", "and", "not", "is", "was", "are", "refused",
		"for", "of", "the", "accepted", "required", "authentication", "expired", "prompt",
		"in", "file", "by", "has", "to", "a", "no", "none", "but", "from", "with", "wrong",
		"string", "list"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strlen(plain[i]) == n && strncasecmp(plain[i], s, n) == 0)
			return true;
	return false;
}

static size_t match_keyword(const char *text, size_t at, size_t n, bool *spaced)
{
	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++) {
		size_t len = strlen(tellers[i].word);

		if (at + len < n && strncasecmp(text + at, tellers[i].word, len) == 0 &&
			!isalnum((unsigned char)text[at + len])) {
			*spaced = tellers[i].spaced;
			return len;
		}
	}
	return 0;
}

static size_t count_spaces(const char *text, size_t at, size_t n)
{
	size_t from = at;

	while (at < n && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at - from;
}

/* The end of the value: its closing quote, or the next separator. */
static size_t value_end(const char *text, size_t at, size_t n, char quote)
{
	while (at < n && text[at] != '\n' && text[at] != '\r') {
		if (quote && text[at] == '\\' && at + 1 < n)
			at++;
		else if (quote ? text[at] == quote : strchr(" \t,;}])", text[at]) != NULL)
			break;
		at++;
	}
	return at < n ? at : n;
}

/* The encoding before a secret: "7 0822455D0A16", "sha512 $6$...", "Basic bm9j...". */
static bool is_form(const char *s, size_t n)
{
	static const char *const names[] = {"sha512", "sha256", "md5", "basic", "bearer", "digest",
		"encrypted", "hash", "cleartext", "plain"};

	if (n <= 2 && isdigit((unsigned char)s[0]))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && strncasecmp(names[i], s, n) == 0)
			return true;
	return false;
}

static size_t take_keyword_value(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	bool spaced = false, told = false;
	size_t i = at + match_keyword(text, at, n, &spaced), end;
	char quote = '\0';

	if (i == at || (at && isalnum((unsigned char)text[at - 1])))
		return 0;
	if (i < n && (text[i] == '"' || text[i] == '\''))
		i++;
	i += count_spaces(text, i, n);
	if (i < n && (text[i] == ':' || text[i] == '=')) {
		told = true;
		i++;
		i += count_spaces(text, i, n);
	}
	if (!told && !(spaced && text[i - 1] == ' ')) {
		size_t form = value_end(text, i, n, '\0');

		/* "key 7 0822..." */
		if (text[i - 1] != ' ' || form >= n || !is_form(text + i, form - i) ||
			text[form] != ' ')
			return 0;
	}
	if (i < n && (text[i] == '"' || text[i] == '\''))
		quote = text[i++];
	end = value_end(text, i, n, quote);
	if (end == i || (!told && is_plain_word(text + i, end - i)))
		return 0;
	(void)buf_add(out, text + at, i - at);
	while (!quote && is_form(text + i, end - i) && end < n && text[end] == ' ' && end + 1 < n &&
		text[end + 1] != '\n')
		end = value_end(text, end + 1, n, '\0');
	(void)buf_adds(out, GONE);
	r->secrets++;
	return end - at;
}

/* "-----BEGIN OPENSSH PRIVATE KEY-----" to its end, or the rest of the text. */
static size_t take_pem(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	static const char begin[] = "-----BEGIN ", stop[] = "-----END ";
	const char *end;

	if (n - at < sizeof(begin) || memcmp(text + at, begin, sizeof(begin) - 1) != 0)
		return 0;
	end = memmem(text + at, n - at, stop, sizeof(stop) - 1);
	(void)buf_adds(out, GONE);
	r->secrets++;
	if (!end)
		return n - at;
	end += sizeof(stop) - 1;
	while (end < text + n && *end != '\n' && *end != '"')
		end++;
	return (size_t)(end - (text + at));
}

/* "$6$salt$hash", "ssh-rsa AAAA..." */
static size_t take_hash(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t end = at;

	if (n - at > 8 && text[at] == '$' && isalnum((unsigned char)text[at + 1]) &&
		(text[at + 2] == '$' || text[at + 3] == '$')) {
		while (end < n && !strchr(" \t\r\n\"',;:", text[end]))
			end++;
	} else if (n - at > 16 && memcmp(text + at, "AAAA", 4) == 0 &&
		   (!at || !isalnum((unsigned char)text[at - 1]))) {
		while (end < n && (isalnum((unsigned char)text[end]) || strchr("+/=", text[end])))
			end++;
		if (end - at < 40)
			return 0;
	}
	if (end == at)
		return 0;
	(void)buf_adds(out, GONE);
	r->secrets++;
	return end - at;
}

size_t redact_take_secret(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t taken = 0;

	switch (text[at]) {
	case '-':
		return take_pem(r, text, at, n, out);
	case '$':
	case 'A':
		taken = take_hash(r, text, at, n, out);
		break;
	default:
		break;
	}
	return taken || !isalpha((unsigned char)text[at]) ? taken
							  : take_keyword_value(r, text, at, n, out);
}
