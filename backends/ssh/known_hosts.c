/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/ssh/known_hosts.h"

#include <ctype.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends/ssh/config.h"
#include "base/str.h"

#define SHA1_BYTES 20
#define NONE       UINT32_MAX
#define BLANKS     " \t"

/* Offsets into the text; each part ends with a NUL. */
struct line {
	uint32_t hosts, type, key;
	uint32_t number : 30, mark : 2;
};

struct name {
	uint32_t hash, at, line, next;
};

struct hashed {
	uint8_t salt[SHA1_BYTES], sum[SHA1_BYTES];
	uint32_t line;
};

struct known_hosts {
	char *text;
	VEC(struct line) lines;
	VEC(struct name) names;
	VEC(struct hashed) hashed;
	VEC(uint32_t) patterns; /* indexes of lines with patterns */
	uint32_t *heads;        /* heads of the hash chains of names */
	uint32_t mask;
	size_t unreadable;
	unsigned unreadable_first;
};

/* ---- reading ---- */

static uint32_t hash_name(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h;
}

static uint32_t offset_of(const struct known_hosts *k, const char *at)
{
	return (uint32_t)(at - k->text);
}

/* Decodes 20 bytes of base64, which must fill all len characters. */
static bool decode_sum(char *text, size_t len, uint8_t out[SHA1_BYTES])
{
	gnutls_datum_t in = {(unsigned char *)text, (unsigned)len}, sum = {0};
	bool ok = len && gnutls_base64_decode2(&in, &sum) == GNUTLS_E_SUCCESS &&
		  sum.size == SHA1_BYTES;

	if (ok)
		memcpy(out, sum.data, SHA1_BYTES);
	gnutls_free(sum.data);
	return ok;
}

/* "|1|salt|sum" is the only hash format. */
static bool add_hashed(struct known_hosts *k, char *hosts, uint32_t line)
{
	struct hashed h = {.line = line};
	char *salt = hosts + 3, *bar;

	if (!str_starts(hosts, "|1|"))
		return false;
	bar = strchr(salt, '|');
	if (!bar || !decode_sum(salt, (size_t)(bar - salt), h.salt) ||
		!decode_sum(bar + 1, strlen(bar + 1), h.sum))
		return false;
	vec_push(&k->hashed, h);
	return true;
}

static void add_names(struct known_hosts *k, char *hosts, uint32_t line)
{
	char *rest = hosts, *name;

	while ((name = strsep(&rest, ","))) {
		if (*name)
			vec_push(&k->names, (struct name){.hash = hash_name(name),
						    .at = offset_of(k, name),
						    .line = line,
						    .next = NONE});
	}
}

static bool add_hosts(struct known_hosts *k, char *hosts, uint32_t line)
{
	if (*hosts == '|')
		return add_hashed(k, hosts, line);
	for (char *c = hosts; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (strpbrk(hosts, "*?!"))
		vec_push(&k->patterns, line);
	else
		add_names(k, hosts, line);
	return true;
}

static bool is_base64(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

	return n && !s[n + strspn(s + n, "=")];
}

static bool is_type(const char *s)
{
	size_t n = 0;

	while (isgraph((unsigned char)s[n]))
		n++;
	return n && !s[n];
}

static bool read_mark(const char *word, enum known_mark *mark)
{
	*mark = str_eq(word, "@revoked") ? KNOWN_REVOKED : KNOWN_AUTHORITY;
	return *mark == KNOWN_REVOKED || str_eq(word, "@cert-authority");
}

static char *next_word(char **rest)
{
	char *word;

	while ((word = strsep(rest, BLANKS)) && !*word)
		;
	return word;
}

/* Parses one line. Returns false if it is invalid. */
static bool read_line(struct known_hosts *k, char *text, unsigned number)
{
	char *rest = text, *hosts = next_word(&rest), *type, *key;
	enum known_mark mark = KNOWN_KEY;

	if (!hosts || *hosts == '#')
		return true;
	if (*hosts == '@') {
		if (!read_mark(hosts, &mark))
			return false;
		hosts = next_word(&rest);
	}
	type = next_word(&rest);
	key = next_word(&rest);
	if (!hosts || !type || !key || !is_type(type) || !is_base64(key))
		return false;
	if (!add_hosts(k, hosts, (uint32_t)k->lines.n))
		return false;
	vec_push(&k->lines, (struct line){.hosts = offset_of(k, hosts),
				    .type = offset_of(k, type),
				    .key = offset_of(k, key),
				    .number = number & 0x3fffffff,
				    .mark = (unsigned)mark & 3});
	return true;
}

static void note_unreadable(struct known_hosts *k, unsigned number)
{
	if (!k->unreadable++)
		k->unreadable_first = number;
}

static void read_lines(struct known_hosts *k, size_t len)
{
	char *at = k->text, *end = k->text + len, *stop;
	unsigned number = 0;

	while (at < end) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			stop = end;
		*stop = '\0';
		if (stop > at && stop[-1] == '\r')
			stop[-1] = '\0';
		if (++number > KNOWN_HOSTS_LINES) {
			note_unreadable(k, number);
			return;
		}
		/* A NUL in the line would hide the rest of it. */
		if ((size_t)(stop - at) > KNOWN_HOSTS_LINE ||
			(strlen(at) + 1 < (size_t)(stop - at)) || !read_line(k, at, number))
			note_unreadable(k, number);
		at = stop + 1;
	}
}

static void index_names(struct known_hosts *k)
{
	uint32_t size = 16;

	while (size < k->names.n)
		size *= 2;
	k->mask = size - 1;
	k->heads = mem_alloc(size * sizeof(*k->heads));
	memset(k->heads, 0xff, size * sizeof(*k->heads));
	for (uint32_t i = 0; i < k->names.n; i++) {
		struct name *n = &k->names.at[i];

		n->next = k->heads[n->hash & k->mask];
		k->heads[n->hash & k->mask] = i;
	}
}

struct known_hosts *known_hosts_new(char *text, size_t len)
{
	struct known_hosts *k = mem_calloc(1, sizeof(*k));

	k->text = text;
	if (len <= KNOWN_HOSTS_BYTES)
		read_lines(k, len);
	else
		note_unreadable(k, 1);
	index_names(k);
	return k;
}

void known_hosts_free(struct known_hosts *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->heads);
	vec_free(&k->lines);
	vec_free(&k->names);
	vec_free(&k->hashed);
	vec_free(&k->patterns);
	free(k);
}

/* ---- searching ---- */

static void find_name(const struct known_hosts *k, const char *name, struct known_found *found)
{
	uint32_t h = hash_name(name);

	for (uint32_t i = k->heads[h & k->mask]; i != NONE; i = k->names.at[i].next) {
		const struct name *n = &k->names.at[i];

		if (n->hash == h && strcmp(k->text + n->at, name) == 0)
			vec_push(&found->lines, n->line);
	}
}

static bool pattern_fits(const char *at, size_t n, const char *name, const char *bracketed)
{
	return ssh_pattern_fits(at, n, n && *at == '[' ? bracketed : name);
}

static bool line_fits(const char *hosts, const char *name, const char *bracketed)
{
	bool fits = false;

	for (const char *at = hosts; *at;) {
		size_t n = strcspn(at, ",");

		if (*at == '!') {
			if (pattern_fits(at + 1, n - 1, name, bracketed))
				return false;
		} else if (n) {
			fits = fits || pattern_fits(at, n, name, bracketed);
		}
		at += n + (at[n] == ',');
	}
	return fits;
}

static void find_hashed(const struct known_hosts *k, const char *name, struct known_found *found)
{
	uint8_t sum[SHA1_BYTES];
	size_t len = strlen(name);

	for (size_t i = 0; i < k->hashed.n; i++) {
		const struct hashed *h = &k->hashed.at[i];

		if (gnutls_hmac_fast(GNUTLS_MAC_SHA1, h->salt, SHA1_BYTES, name, len, sum) == 0 &&
			memcmp(sum, h->sum, SHA1_BYTES) == 0)
			vec_push(&found->lines, h->line);
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sorts by line number and removes duplicates. */
static void put_in_order(struct known_found *found)
{
	size_t n = 0;

	if (!found->lines.n)
		return;
	qsort(found->lines.at, found->lines.n, sizeof(uint32_t), by_number);
	for (size_t i = 0; i < found->lines.n; i++) {
		if (!n || found->lines.at[n - 1] != found->lines.at[i])
			found->lines.at[n++] = found->lines.at[i];
	}
	found->lines.n = n;
}

void known_hosts_find(
	const struct known_hosts *k, const char *host, unsigned port, struct known_found *found)
{
	char plain[512], bracketed[512];
	const char *name = port == 22 ? plain : bracketed;

	if (!str_copy(plain, sizeof(plain), host))
		return;
	for (char *c = plain; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!str_printf(bracketed, sizeof(bracketed), "[%s]:%u", plain, port))
		return;
	find_name(k, bracketed, found);
	if (port == 22)
		find_name(k, plain, found);
	for (size_t i = 0; i < k->patterns.n; i++) {
		const struct line *l = &k->lines.at[k->patterns.at[i]];

		if (line_fits(k->text + l->hosts, name, bracketed))
			vec_push(&found->lines, k->patterns.at[i]);
	}
	find_hashed(k, name, found);
	put_in_order(found);
}

struct known_line known_hosts_line(const struct known_hosts *k, uint32_t i)
{
	const struct line *l = &k->lines.at[i];

	return (struct known_line){.mark = (enum known_mark)l->mark,
		.number = l->number,
		.type = k->text + l->type,
		.key = k->text + l->key};
}

size_t known_hosts_count(const struct known_hosts *k)
{
	return k->lines.n;
}

size_t known_hosts_hashed(const struct known_hosts *k)
{
	return k->hashed.n;
}

size_t known_hosts_unreadable(const struct known_hosts *k, unsigned *first)
{
	if (first)
		*first = k->unreadable_first;
	return k->unreadable;
}
