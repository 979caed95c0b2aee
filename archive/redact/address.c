/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes addresses by their form and replaces them. */
#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "archive/redact/redact_private.h"
#include "base/mem.h"
#include "base/str.h"

#define IPV4_FIRST 0xc6120001u /* 198.18.0.0/15: for tests of networks, RFC 2544 */
#define IPV4_COUNT 0x1fffeu

static bool is_hex(char c)
{
	return isxdigit((unsigned char)c) != 0;
}

struct redact_word *redact_address(struct redact *r, enum redact_kind kind, const char *canonical)
{
	uint32_t *slot = trie_put(&r->addresses, canonical, strlen(canonical));
	uint32_t n = ++r->issued[kind];
	char text[64];

	if (*slot) {
		r->issued[kind]--;
		return &r->list.at[*slot - 1];
	}
	/* The original may come from the same block: the replacement must differ from it. */
	do {
		if (kind == NAMED_IPV4) {
			uint32_t a = n <= IPV4_COUNT ? IPV4_FIRST + n - 1
						     : 0xf0000000u + (n & 0xfffffff);

			(void)str_printf(text, sizeof(text), "4%u.%u.%u.%u", a >> 24, a >> 16 & 255,
				a >> 8 & 255, a & 255);
		} else if (kind == NAMED_IPV6) {
			(void)str_printf(text, sizeof(text), "6%s%x%s%x",
				str_starts(canonical, "6fe8") ? "fe80::" : "2001:db8::", n >> 16,
				":", n & 0xffff);
		} else {
			(void)str_printf(text, sizeof(text), "m0200%08x", n);
		}
		r->issued[kind] = n++;
	} while (strcmp(text, canonical) == 0);
	*slot = (uint32_t)r->list.n + 1;
	vec_push(&r->list, (struct redact_word){.to = mem_strdup(text + 1), .kind = (uint8_t)kind});
	return &r->list.at[r->list.n - 1];
}

/* Reserved addresses identify no device: they stay. */
static bool is_reserved_ipv4(const unsigned char a[4])
{
	return a[0] == 0 || a[0] == 127 || a[0] == 255 || a[0] >= 240;
}

static size_t take_ipv4(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t end = at, dots = 0;
	char one[16], canonical[24];
	unsigned char a[4];
	struct redact_word *w;

	while (end < n && end - at < sizeof(one) &&
		(isdigit((unsigned char)text[end]) ||
			(text[end] == '.' && end + 1 < n && isdigit((unsigned char)text[end + 1]))))
		dots += text[end++] == '.';
	if (dots != 3 || end - at >= sizeof(one) ||
		(end < n && isalnum((unsigned char)text[end])) || (at && text[at - 1] == '.'))
		return 0;
	(void)str_copyn(one, sizeof(one), text + at, end - at);
	if (inet_pton(AF_INET, one, a) != 1 || is_reserved_ipv4(a))
		return 0;
	(void)str_printf(canonical, sizeof(canonical), "4%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
	w = redact_address(r, NAMED_IPV4, canonical);
	w->times++;
	(void)buf_adds(out, w->to);
	return end - at;
}

static bool ipv6_stays(const unsigned char a[16])
{
	static const unsigned char none[15];

	return memcmp(a, none, 15) == 0 || a[0] == 0xff;
}

static size_t take_ipv6(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t end = at, colons = 0;
	char one[INET6_ADDRSTRLEN], canonical[40] = "6";
	unsigned char a[16];
	struct redact_word *w;

	while (end < n && end - at < sizeof(one) &&
		(is_hex(text[end]) || text[end] == ':' || text[end] == '.'))
		colons += text[end++] == ':';
	while (end > at &&
		(text[end - 1] == '.' ||
			(text[end - 1] == ':' && (end - at < 2 || text[end - 2] != ':'))))
		colons -= text[--end] == ':';
	if (colons < 2 || end - at >= sizeof(one) || (end < n && isalnum((unsigned char)text[end])))
		return 0;
	(void)str_copyn(one, sizeof(one), text + at, end - at);
	if (inet_pton(AF_INET6, one, a) != 1 || ipv6_stays(a))
		return 0;
	for (size_t i = 0; i < 16; i++)
		(void)str_printf(
			canonical + 1 + 2 * i, sizeof(canonical) - 1 - 2 * i, "%02x", a[i]);
	w = redact_address(r, NAMED_IPV6, canonical);
	w->times++;
	(void)buf_adds(out, w->to);
	return end - at;
}

/* "aa:bb:cc:dd:ee:ff", "aa-bb-...", "aabb.ccdd.eeff", "aabb:ccdd:eeff:0011" (a GUID). */
static const struct form {
	unsigned groups, digits;
	const char *between;
	enum redact_kind kind;
} forms[] = {
	{8, 2, ":-", NAMED_GUID},
	{6, 2, ":-", NAMED_MAC},
	{3, 4, ".:-", NAMED_MAC},
	{4, 4, ":", NAMED_GUID},
};

/* Collects the digits without separators. Returns the length in text; 0: not of this form. */
static size_t digits_of(const struct form *f, const char *text, size_t n, char *hex, char *between)
{
	size_t at = 0, out = 0;

	for (unsigned g = 0; g < f->groups; g++) {
		if (g && (at >= n || !strchr(f->between, text[at]) ||
				 (g > 1 && text[at] != *between)))
			return 0;
		if (g)
			*between = text[at++];
		for (unsigned d = 0; d < f->digits; d++, at++) {
			if (at >= n || !is_hex(text[at]))
				return 0;
			hex[out++] = (char)tolower((unsigned char)text[at]);
		}
	}
	hex[out] = '\0';
	return at < n && (isalnum((unsigned char)text[at]) ||
				 (text[at] == *between && at + 1 < n && is_hex(text[at + 1])))
		       ? 0
		       : at;
}

static bool mac_stays(const char *hex)
{
	return strspn(hex, "0") == strlen(hex) || strspn(hex, "f") == strlen(hex) ||
	       str_starts(hex, "0180c2");
}

static size_t take_mac(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *f = &forms[i];
		char hex[20], canonical[24], between = '\0';
		size_t len = digits_of(f, text + at, n - at, hex, &between);
		struct redact_word *w;

		if (!len)
			continue;
		if (mac_stays(hex))
			return 0;
		(void)str_printf(canonical, sizeof(canonical), "m%s", hex);
		w = redact_address(r, f->kind, canonical);
		w->times++;
		for (size_t g = 0, d = 0; g < f->groups; g++) {
			if (g)
				(void)buf_add(out, &between, 1);
			for (unsigned k = 0; k < f->digits; k++, d++)
				(void)buf_add(out, d < strlen(w->to) ? &w->to[d] : "0", 1);
		}
		return len;
	}
	return 0;
}

/* "001b21b2c3d4", a MAC without separators: twelve hex digits with some of both kinds. */
static size_t take_bare_mac(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	char canonical[24] = "m";
	size_t letters = 0;
	struct redact_word *w;

	for (size_t i = 0; i < 12; i++) {
		if (at + i >= n || !is_hex(text[at + i]))
			return 0;
		letters += isalpha((unsigned char)text[at + i]) != 0;
		canonical[i + 1] = (char)tolower((unsigned char)text[at + i]);
	}
	canonical[13] = '\0';
	if ((at + 12 < n && (isalnum((unsigned char)text[at + 12]) || text[at + 12] == '_')) ||
		!letters || letters == 12 || mac_stays(canonical + 1))
		return 0;
	w = redact_address(r, NAMED_MAC, canonical);
	w->times++;
	for (size_t d = 0; d < 12; d++)
		(void)buf_add(out, d < strlen(w->to) ? &w->to[d] : "0", 1);
	return 12;
}

static void put_ipv4(struct redact *r, const unsigned char a[4], char between, struct buf *out)
{
	char canonical[24], text[24];
	struct redact_word *w;

	(void)str_printf(canonical, sizeof(canonical), "4%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
	w = redact_address(r, NAMED_IPV4, canonical);
	w->times++;
	(void)str_copy(text, sizeof(text), w->to);
	for (char *p = text; *p; p++)
		if (*p == '.')
			*p = between;
	(void)buf_adds(out, text);
}

/* "ip-10-0-0-5", "10_0_0_5": an address within a name. Dates begin with more than an octet has. */
static size_t take_dashed_ipv4(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	unsigned char a[4] = {0};
	size_t end = at;
	char between = '\0';
	bool named = at >= 2 && isalpha((unsigned char)text[at - 2]) &&
		     strchr("-_", text[at - 1]) != NULL;

	for (unsigned i = 0; i < 4; i++) {
		unsigned v = 0;
		size_t from;

		if (i && (end >= n || !strchr("-_", text[end]) || (i > 1 && text[end] != between)))
			return 0;
		if (i)
			between = text[end++];
		for (from = end; end < n && end - from < 4 && isdigit((unsigned char)text[end]);
			end++)
			v = v * 10 + (unsigned)(text[end] - '0');
		if (end == from || v > 255)
			return 0;
		a[i] = (unsigned char)v;
	}
	if ((end < n && (isdigit((unsigned char)text[end]) ||
				(text[end] == between && end + 1 < n &&
					isdigit((unsigned char)text[end + 1])))) ||
		is_reserved_ipv4(a) || !(named || a[0] == 10 || a[0] == 172 || a[0] == 192))
		return 0;
	put_ipv4(r, a, between, out);
	return end - at;
}

/* "ip=3232235777", "addr 0x0a000005": an address as one number, where a word says so. */
static size_t take_numeric_ipv4(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	static const char *const words[] = {
		"ip", "addr", "address", "saddr", "daddr", "nexthop", "gateway", "ipv4"};
	size_t word = at, end = at, len;
	unsigned long v = 0;
	bool hex = at + 1 < n && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
	unsigned char a[4];

	if (!at || !strchr("=: ", text[at - 1]))
		return 0;
	while (word && strchr("=: ", text[word - 1]))
		word--;
	for (len = 0; word - len && isalnum((unsigned char)text[word - len - 1]);)
		len++;
	for (size_t i = 0;; i++) {
		if (i == sizeof(words) / sizeof(words[0]))
			return 0;
		if (strlen(words[i]) == len && strncasecmp(words[i], text + word - len, len) == 0)
			break;
	}
	for (end += hex ? 2 : 0; end < n && end - at < 12 &&
				 (hex ? is_hex(text[end]) : isdigit((unsigned char)text[end]) != 0);
		end++)
		v = v * (hex ? 16 : 10) +
		    (unsigned long)(isdigit((unsigned char)text[end])
					    ? text[end] - '0'
					    : tolower((unsigned char)text[end]) - 'a' + 10);
	if (v < 0x01000000 || v > 0xffffffff || (hex && end - at != 10) ||
		(end < n && (isalnum((unsigned char)text[end]) || text[end] == '.')))
		return 0;
	for (unsigned i = 0; i < 4; i++)
		a[i] = (unsigned char)(v >> (24 - 8 * i));
	if (is_reserved_ipv4(a))
		return 0;
	put_ipv4(r, a, '.', out);
	return end - at;
}

static bool is_kept(const struct redact *r, const char *text, size_t at, size_t n)
{
	uint32_t node = 0;

	for (size_t i = at; i < n; i++) {
		uint32_t word;

		node = trie_step(&r->words, node, (unsigned char)text[i]);
		if (!node)
			return false;
		word = r->words.nodes.at[node].word;
		if (word && r->list.at[word - 1].kind == NAMED_KEEP &&
			(i + 1 >= n || !isalnum((unsigned char)text[i + 1])))
			return true;
	}
	return false;
}

/*
 * text[at - 1] is ':'. After a word that is not a number ("eth0:", "src:", "ROUTE_TABLE:") an
 * address may begin. After hexadecimal digits an address continues.
 */
static bool after_word(const char *text, size_t at)
{
	size_t i = at - 1;

	while (i && is_hex(text[i - 1]))
		i--;
	if (i && (isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_'))
		return true;
	return i == at - 1 && i && text[i - 1] != ':';
}

size_t redact_take_address(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	bool colon = at && text[at - 1] == ':';
	size_t taken = 0;

	if ((!is_hex(text[at]) && text[at] != ':') || (colon && text[at] == ':') ||
		(at && isalnum((unsigned char)text[at - 1])) || is_kept(r, text, at, n))
		return 0;
	if (!colon || after_word(text, at)) {
		taken = take_mac(r, text, at, n, out);
		if (!taken)
			taken = take_ipv6(r, text, at, n, out);
	}
	/* The dots distinguish IPv4 from the rest of another address, whatever precedes the
	 * colon. */
	if (!taken)
		taken = take_ipv4(r, text, at, n, out);
	if (!taken && isdigit((unsigned char)text[at]))
		taken = take_dashed_ipv4(r, text, at, n, out);
	if (!taken && isdigit((unsigned char)text[at]))
		taken = take_numeric_ipv4(r, text, at, n, out);
	if (!taken)
		taken = take_bare_mac(r, text, at, n, out);
	return taken;
}
