/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "archive/notice/notice.h"
#include "base/str.h"

/* ---- links ---- */

/* Unreserved characters of RFC 3986 stay. */
static bool add_encoded(char *dst, size_t size, size_t *len, const char *text)
{
	static const char hex[] = "0123456789ABCDEF";

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool plain = isalnum(c) || strchr("-._~", c);

		if (*len + (plain ? 1 : 3) >= size)
			return false;
		if (plain) {
			dst[(*len)++] = (char)c;
			continue;
		}
		dst[(*len)++] = '%';
		dst[(*len)++] = hex[c >> 4];
		dst[(*len)++] = hex[c & 15];
	}
	return true;
}

/* The value of a name in braces; NULL: there is no such name. */
static const char *value_of(
	const char *fabric, const struct notice *n, const char *name, size_t len)
{
	const struct {
		const char *name, *value;
	} values[] = {{"place", n->place}, {"device", n->device}, {"port", n->port},
		{"key", n->key}, {"fabric", fabric}, {"runbook", n->runbook}, {"id", n->id}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strlen(values[i].name) == len && strncmp(values[i].name, name, len) == 0)
			return values[i].value;
	return NULL;
}

char *notice_link(
	const char *template, const char *fabric, const struct notice *n, char *dst, size_t size)
{
	size_t len = 0;
	bool fits = size > 0;

	for (const char *s = template ? template : ""; *s && fits; s++) {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;
		const char *value = end ? value_of(fabric, n, s + 1, (size_t)(end - s) - 1) : NULL;

		if (value) {
			fits = add_encoded(dst, size, &len, value);
			s = end;
		} else if (len + 1 < size) {
			dst[len++] = *s;
		} else {
			fits = false;
		}
	}
	if (size)
		dst[fits ? len : 0] = '\0';
	return dst;
}

/* ---- the sentence ---- */

static void add_count(char *dst, size_t size, unsigned n, const char *one, const char *many)
{
	size_t len = strlen(dst);

	if (n)
		(void)str_printf(dst + len, size - len, "%s%u %s", len ? ", " : "", n,
			str_count_word(n, one, many));
}

char *notice_summary(const struct notice *n, char *dst, size_t size)
{
	char counts[200] = "";
	/* Many titles name their place. */
	bool named = n->members > 1 || !n->place[0] || strstr(n->title, n->place);

	add_count(counts, sizeof(counts), n->follows, "finding follows", "findings follow");
	add_count(counts, sizeof(counts), n->victims, "victim", "victims");
	add_count(counts, sizeof(counts), n->gpus_blocked, "GPU blocked", "GPUs blocked");
	add_count(counts, sizeof(counts), n->gpus_slow, "GPU slow", "GPUs slow");
	(void)str_printf(dst, size, "%s%s%s%s%s%s", named ? "" : n->place, named ? "" : ": ",
		n->title, counts[0] ? " (" : "", counts, counts[0] ? ")" : "");
	return dst;
}
