/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/mac.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define MAC_DIGITS 12

/* Digits between two separators: 2 of "b8:ce", 4 of "b8ce.f6aa", 12 of "b8cef6aa0001". */
static bool has_form(const char *text, size_t group, const char *separators)
{
	char used = '\0';

	for (size_t i = 0, at = 0; i < MAC_DIGITS; i++, at++) {
		if (i && i % group == 0) {
			if (!text[at] || !strchr(separators, text[at]) ||
				(used && text[at] != used))
				return false;
			used = text[at++];
		}
		if (!isxdigit((unsigned char)text[at]))
			return false;
		if (i == MAC_DIGITS - 1 && text[at + 1])
			return false;
	}
	return true;
}

/* Twelve digits without separators may be a host's name. */
static bool is_separated(const char *text)
{
	return has_form(text, 2, ":-.") || has_form(text, 4, ".:-");
}

bool mac_is(const char *text)
{
	return is_separated(text) || has_form(text, MAC_DIGITS, "");
}

bool mac_read(const char *text, char dst[MAC_TEXT])
{
	size_t n = 0;

	dst[0] = '\0';
	if (!mac_is(text))
		return false;
	for (; *text; text++) {
		if (!isxdigit((unsigned char)*text))
			continue;
		dst[n++] = (char)tolower((unsigned char)*text);
		if (n % 3 == 2 && n < MAC_TEXT - 1)
			dst[n++] = ':';
	}
	dst[n] = '\0';
	return true;
}

/* Names that systems come with: of devices in the inventory they are found before. */
static bool is_default(const char *name)
{
	static const char *const names[] = {
		"localhost", "sonic", "cumulus", "ubuntu", "debian", "switch", "(none)"};
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && strncasecmp(name, names[i], n) == 0)
			return true;
	return false;
}

bool neighbour_is_nameless(const char *name)
{
	unsigned char room[sizeof(struct in6_addr)];

	return !*name || is_separated(name) || is_default(name) ||
	       inet_pton(AF_INET, name, room) == 1 || inet_pton(AF_INET6, name, room) == 1;
}
