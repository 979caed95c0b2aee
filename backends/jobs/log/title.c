/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/* The words of a line that are worth a title: without places in programs, and near what failed. */

/* A row of evidence shows so much of a text. */
#define SHOWN 76

static bool is_source_file(const char *s, size_t n)
{
	static const char *const files[] = {".c:", ".cc:", ".cpp:", ".cu:", ".h:", ".hpp:", ".py:"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (memmem(s, n, files[i], strlen(files[i])))
			return true;
	return false;
}

/* The name of a C++ type: "St13runtime_error.", "N5boost10wrapexceptE." */
static bool is_type(const char *s)
{
	return (str_starts(s, "St") && digits_is(s[2])) ||
	       (*s == 'N' && digits_is(s[1]) && isalpha((unsigned char)s[2]));
}

/*
 * A word that names a place in a program: "[../gloo/transport/tcp/pair.cc:144]", "ring.c:742:",
 * "0x14ce0c02cb20:", and before the message "pmixp_coll_ring_reset_if_to:".
 */
static bool is_source_place(const char *s, size_t n, bool begins)
{
	if ((n > 9 && str_starts(s, "0x")) || is_source_file(s, n) || is_type(s))
		return true;
	/* Names in capitals are those of errors. */
	return begins && n >= 12 && s[n - 1] == ':' && (memchr(s, '_', n) || memchr(s, '/', n)) &&
	       strcspn(s, "abcdefghijklmnopqrstuvwxyz") < n;
}

void nccl_log_condense(const char *s, char *dst, size_t size)
{
	static const char *const dropped[] = {"torch.distributed.", "what():"};
	size_t n = 0;

	while (*s && n + 1 < size) {
		size_t word, hex;

		s += strspn(s, " \t");
		for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
			if (str_starts(s, dropped[i]))
				s += strlen(dropped[i]);
		s += strspn(s, " \t");
		/* "recvValue failed on SocketImpl(fd=7, addr=[..]:1, remote=[..]:2): Failed to" */
		if (str_starts(s, "on SocketImpl(") && strstr(s, "): "))
			s = strstr(s, "): ") + 2;
		s += strspn(s, " \t");
		word = strcspn(s, " \t");
		hex = strspn(s, "0123456789abcdef");
		/* An identity of a job or a request. */
		if (hex == word && strspn(s, "0123456789") >= 16)
			hex = 24;
		if (word && !is_source_place(s, word, n == 0))
			(void)str_printf(dst + n, size - n, "%s%.*s%s", n ? " " : "",
				(int)(hex >= 24 ? 8 : word), s, hex >= 24 ? ".." : "");
		n += strlen(dst + n);
		s += word;
	}
}

const char *nccl_log_near(const char *words, const char *at, size_t len)
{
	size_t end = at ? (size_t)(at - words) + len : 0, n = strlen(words);

	/* What was found may be shorter than a word that says what failed. */
	if (n <= SHOWN || end <= SHOWN)
		return words;
	/* A little of what stands behind it, and more of what stands before it. */
	end = end + SHOWN / 4 < n ? end + SHOWN / 4 : n;
	at = words + end - SHOWN;
	while (*at && at[-1] != ' ')
		at++;
	return *at ? at : words;
}
