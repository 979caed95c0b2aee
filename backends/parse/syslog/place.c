/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/parse/syslog/words.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Finds what a line of a log is about: a port, a bundle, a priority. */

bool syslog_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

int syslog_priority(const char *line)
{
	static const char *const before[] = {"queue index ", "priority ", "queue ", "qos-group ",
		"qos_group ", "cos ", "traffic class ", "traffic-class ", "class ", "prio ", "tc ",
		"tc", "uc"};

	if (!strstr(line, "pfc") && !strstr(line, "storm") && !strstr(line, "no-drop"))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		size_t n = strlen(before[i]);

		for (const char *at = strstr(line, before[i]); at; at = strstr(at + 1, before[i]))
			if (at[n] >= '0' && at[n] <= '7' && !isalnum((unsigned char)at[n + 1]) &&
				(at == line || !isalnum((unsigned char)at[-1])))
				return at[n] - '0';
	}
	return -1;
}

static bool looks_like_port(const char *name)
{
	static const char *const prefixes[] = {"Ethernet", "Eth", "Et", "swp", "eth", "enp", "ens",
		"eno", "ib", "rdma", "mlx5_", "bond", "port-channel", "Port-Channel",
		"PortChannel"};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (str_starts(name, prefixes[i]) &&
			isdigit((unsigned char)name[strlen(prefixes[i])]))
			return true;
	return false;
}

#define BETWEEN_WORDS " \t,;()[]<>='\"|{}"

static bool is_port_word(
	const char *word, size_t n, bool (*is_port)(const char *), char *dst, size_t size)
{
	if (!n || n >= size)
		return false;
	str_copyn(dst, size, word, n);
	return is_port ? is_port(dst) : looks_like_port(dst);
}

bool syslog_find_port(const char *text, bool (*is_port)(const char *name), char *dst, size_t size)
{
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, BETWEEN_WORDS), word = n;
		const char *named = memchr(at, ':', n);

		while (word && strchr(".:!", at[word - 1]))
			word--;
		if (is_port_word(at, word, is_port, dst, size))
			return true;
		/* "Ethernet0:3": a queue of the port; "Ethernet0->": followed by an arrow. */
		if (is_port_word(at, strcspn(at, ":-" BETWEEN_WORDS), is_port, dst, size))
			return true;
		/* "port:Ethernet0" */
		if (named && is_port_word(named + 1, strcspn(named + 1, ":-" BETWEEN_WORDS),
				     is_port, dst, size))
			return true;
		at += n;
		at += strspn(at, BETWEEN_WORDS);
	}
	if (size)
		dst[0] = '\0';
	return false;
}

bool syslog_find_brief(const char *text, const char *brief, const char *full,
	bool (*is_port)(const char *name), char *dst, size_t size)
{
	size_t n = strlen(brief);

	for (const char *at = strstr(text, brief); at; at = strstr(at + 1, brief)) {
		size_t number = strspn(at + n, "0123456789/");

		if (!isdigit((unsigned char)at[n]) || (at > text && syslog_in_word(at[-1])) ||
			syslog_in_word(at[n + number]))
			continue;
		if (str_printf(dst, size, "%s%.*s", full, (int)number, at + n) &&
			(!is_port || is_port(dst)))
			return true;
	}
	return false;
}

bool syslog_find_numbered(const char *text, const char *prefix, char *dst, size_t size)
{
	size_t n = strlen(prefix);

	for (const char *at = strstr(text, prefix); at; at = strstr(at + 1, prefix)) {
		size_t digits = strspn(at + n, "0123456789");

		if (!digits || n + digits >= size || (at > text && syslog_in_word(at[-1])) ||
			syslog_in_word(at[n + digits]))
			continue;
		str_copyn(dst, size, at, n + digits);
		return true;
	}
	return false;
}
