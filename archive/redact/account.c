/* SPDX-License-Identifier: Apache-2.0 */
/* Finds accounts that were not learnt by the words that logs put around them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "archive/redact/redact_private.h"

/* after: what must follow the account, one of several; NULL: anything. */
static const struct {
	const char *before;
	const char *after[5];
} places[] = {
	{"for user ", {NULL}},
	{"for invalid user ", {NULL}},
	{"invalid user ", {NULL}},
	{"illegal user ", {NULL}},
	{"by user ", {NULL}},
	{"of user ", {NULL}},
	{"from user ", {NULL}},
	{"user=", {NULL}},
	{"user: ", {NULL}},
	{"user:", {NULL}},
	{"user ", {" logged", " login", " from ", " authenticated", " failed"}},
	{"username ", {NULL}},
	{"username=", {NULL}},
	{"username: ", {NULL}},
	{"logname=", {NULL}},
	{"acct=", {NULL}},
	{"owner=", {NULL}},
	{"login=", {NULL}},
	{"/home/", {NULL}},
	{"/users/", {NULL}},
	{"for ", {" from ", " by (uid", " by uid"}},
	{"by ", {" on vty", " on pts", " on tty", " on con", " from "}},
	{"by ", {" (", " via "}},
	{"sudo: ", {" : tty="}},
	{"]: ", {" : tty="}},
	{"account ", {" locked", " expired", " disabled"}},
};

static bool is_account_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

/* Words that stand there in sentences, and accounts of all systems. */
static bool is_nobody(const char *s, size_t n)
{
	static const char *const words[] = {"root", "admin", "the", "a", "an", "this", "that",
		"all", "unknown", "none", "nobody", "null", "user", "is", "was", "not", "no", "has",
		"mode", "space", "data", "input", "port", "peer", "remote", "local", "default",
		"system", "daemon", "operator", "cumulus", "cisco", "sonic", "one", "two", "each",
		"more", "packets", "traffic", "link", "railtop", "console", "cli", "snmp", "kernel",
		"false", "true", "its", "both", "other"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && strncasecmp(words[i], s, n) == 0)
			return true;
	return false;
}

static bool stands_before(const char *text, size_t at, const char *words)
{
	size_t len = strlen(words);

	return at >= len && text[at - 1] == words[len - 1] &&
	       strncasecmp(text + at - len, words, len) == 0 &&
	       (at == len || !isalnum((unsigned char)words[0]) ||
		       !isalnum((unsigned char)text[at - len - 1]));
}

static bool stands_after(const char *text, size_t end, size_t n, const char *const *words)
{
	if (!words[0])
		return true;
	for (size_t i = 0; i < 5 && words[i]; i++) {
		size_t len = strlen(words[i]);

		if (n - end >= len && strncasecmp(text + end, words[i], len) == 0)
			return true;
	}
	return false;
}

size_t redact_take_account(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t quoted = at && (text[at - 1] == '"' || text[at - 1] == '\'');
	size_t end = at;

	if (!isalpha((unsigned char)text[at]) || at < 3 || is_account_char(text[at - 1]))
		return 0;
	while (end < n && is_account_char(text[end]))
		end++;
	while (end > at && strchr(".-", text[end - 1]))
		end--;
	if (end - at > 32 || end - at < 2 || is_nobody(text + at, end - at))
		return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint32_t word;

		if (!stands_before(text, at - quoted, places[i].before) ||
			!stands_after(text, end + quoted, n, places[i].after))
			continue;
		word = redact_word(r, NAMED_USER, text + at, end - at);
		r->list.at[word].times++;
		(void)buf_adds(out, r->list.at[word].to);
		return end - at;
	}
	return 0;
}
