/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "actions/ledger/ledger_file.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/str.h"

/* Makes foreign text safe for JSON: valid UTF-8, and of limited length. */

#define NOT_TEXT "\xEF\xBF\xBD" /* U+FFFD */
#define DEPTH    16
#define MARK_MAX 128 /* bytes of the mark on a cut text */

/* The length of the UTF-8 sequence at s; 0: invalid. */
static size_t sequence_length(const unsigned char *s, size_t n)
{
	/*
	 * The second byte's range depends on the first (RFC 3629): no overlong forms, surrogates, >
	 * 10FFFF.
	 */
	unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
	unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;

	if (s[0] == 0 || s[0] > 0xF4 || len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (s[i] < (i == 1 ? low : 0x80) || s[i] > (i == 1 ? high : 0xBF))
			return 0;
	}
	return len;
}

static json_t *text_of(const char *bytes, size_t n, size_t most)
{
	const unsigned char *s = (const unsigned char *)bytes;
	char hash[65];
	struct buf b;
	json_t *text;
	size_t i = 0;

	buf_init(&b, most + MARK_MAX + 16);
	while (i < n && b.len < most) {
		size_t len = sequence_length(s + i, n - i);

		(void)(len ? buf_add(&b, bytes + i, len) : buf_adds(&b, NOT_TEXT));
		i += len ? len : 1;
	}
	/* The hash lets an owner of the whole text prove the part that is cut off. */
	if (i < n) {
		sha256_hex(bytes, n, hash);
		(void)buf_addf(&b, " [cut, of %zu bytes with SHA-256 %s]", n, hash);
	}
	text = json_stringn_nocheck(b.data ? b.data : "", b.len);
	buf_free(&b);
	return text;
}

json_t *ledger_text(const char *bytes, size_t n)
{
	return text_of(bytes, n, LEDGER_TEXT_MAX);
}

static json_t *clean_value(json_t *v, int depth);

static json_t *clean_object(json_t *v, int depth)
{
	json_t *o = json_object(), *member;
	const char *key;

	json_object_foreach(v, key, member)
	{
		json_t *name = ledger_text(key, strlen(key));

		json_put(o, json_string_value(name), clean_value(member, depth));
		json_decref(name);
	}
	return o;
}

static json_t *clean_array(json_t *v, int depth)
{
	json_t *a = json_array(), *member;
	size_t i;

	json_array_foreach(v, i, member) json_append(a, clean_value(member, depth));
	return a;
}

static json_t *clean_value(json_t *v, int depth)
{
	if (depth == 0)
		return json_string("[nested too deeply]");
	if (json_is_object(v))
		return clean_object(v, depth - 1);
	if (json_is_array(v))
		return clean_array(v, depth - 1);
	if (json_is_string(v))
		/* A text that was cut already ends with its mark, which must fit as well. */
		return text_of(
			json_string_value(v), json_string_length(v), LEDGER_TEXT_MAX + MARK_MAX);
	return json_incref(v);
}

json_t *ledger_clean(json_t *v)
{
	return clean_value(v, DEPTH);
}
