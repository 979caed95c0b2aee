/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * The origin of a message, "gpu-node-03:25527:25778 [3]", wherever it stands in a line. Launchers,
 * loggers and viewers put anything in front: tags, names, times, colours, padding.
 */

/* Characters of a host's name; a colon in an IPv6 address is read apart. */
static bool is_host_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '.' || c == '_';
}

/* Moves *s back over digits; false: there are none. */
static bool back_digits(const char *from, const char **s)
{
	const char *at = *s;

	while (at > from && digits_is(at[-1]))
		at--;
	if (at == *s || *s - at > 10)
		return false;
	*s = at;
	return true;
}

static bool back_char(const char *from, const char **s, char c)
{
	if (*s == from || (*s)[-1] != c)
		return false;
	--*s;
	return true;
}

/* The host ends at `end`: its first byte. An address has two colons and more, and hex digits. */
static const char *host_begin(const char *from, const char *end)
{
	const char *name = end, *address = end;
	unsigned colons = 0;

	while (name > from && is_host_char(name[-1]))
		name--;
	while (address > from && (isxdigit((unsigned char)address[-1]) || address[-1] == ':')) {
		address--;
		colons += *address == ':';
	}
	while (address < end && *address == ':' && !str_starts(address, "::")) {
		address++;
		colons--;
	}
	return colons >= 2 && address < name && (address == from || !is_host_char(address[-1]))
		       ? address
		       : name;
}

/* The bracket of the GPU ends before `end`. */
static bool origin_at(
	const char *from, const char *end, struct log_line *line, struct log_origin *out)
{
	const char *at = end, *gpu, *pid;
	int64_t n;

	if (!back_char(from, &at, ']') || !back_digits(from, &at))
		return false;
	gpu = at;
	(void)back_char(from, &at, '-');
	if (!back_char(from, &at, '[') || !back_char(from, &at, ' ') || !back_digits(from, &at) ||
		!back_char(from, &at, ':'))
		return false;
	if (!back_digits(from, &at))
		return false;
	pid = at;
	if (!back_char(from, &at, ':'))
		return false;
	out->begin = host_begin(from, at);
	out->end = end;
	/* ":5202:5683 [0]": a container that has no name of its own. */
	if (out->begin == at) {
		if (at > from && at[-1] != ' ')
			return false;
		out->begin = at;
	}
	if (!str_copyn(line->host, sizeof(line->host), out->begin, (size_t)(at - out->begin)))
		return false;
	if (!scan_int(&pid, &n) || n >= INT32_MAX)
		return false;
	line->pid = (int32_t)n;
	line->gpu = -1;
	if (gpu[-1] == '[' && scan_int(&gpu, &n) && n < NCCL_GPUS_MAX)
		line->gpu = (int32_t)n;
	return true;
}

/* "[gpu-node-03][25527:25778][3]" of ACCL, which is made from NCCL. */
static bool bracketed_at(
	const char *from, const char *end, struct log_line *line, struct log_origin *out)
{
	const char *at = end, *gpu, *pid, *host;
	int64_t n;

	if (!back_char(from, &at, ']') || !back_digits(from, &at))
		return false;
	gpu = at;
	if (!back_char(from, &at, '[') || !back_char(from, &at, ']') || !back_digits(from, &at) ||
		!back_char(from, &at, ':') || !back_digits(from, &at))
		return false;
	pid = at;
	if (!back_char(from, &at, '[') || !back_char(from, &at, ']'))
		return false;
	host = host_begin(from, at);
	if (host == at || host == from || host[-1] != '[' ||
		!str_copyn(line->host, sizeof(line->host), host, (size_t)(at - host)))
		return false;
	if (!scan_int(&pid, &n) || n >= INT32_MAX)
		return false;
	line->pid = (int32_t)n;
	line->gpu = scan_int(&gpu, &n) && n < NCCL_GPUS_MAX ? (int32_t)n : -1;
	out->begin = host - 1;
	out->end = end;
	return true;
}

void nccl_log_launcher(const char *s, size_t n, struct log_line *line)
{
	static const char *const of_pid = " pid=", *const of_host = ", ip=";
	const char *at = memmem(s, n, of_pid, strlen(of_pid));
	const char *end = at ? memchr(at, ')', n - (size_t)(at - s)) : NULL;
	int64_t pid;

	if (!end)
		return;
	at += strlen(of_pid);
	if (!scan_int(&at, &pid) || pid >= INT32_MAX)
		return;
	line->pid = (int32_t)pid;
	if (!str_starts(at, of_host))
		return;
	at += strlen(of_host);
	(void)str_copyn(line->host, sizeof(line->host), at, (size_t)(end - at));
}

bool nccl_log_origin(const char *from, const char *to, struct log_line *line, struct log_origin *at)
{
	for (const char *end = to; end > from; end--)
		if (end[-1] == ']' &&
			(origin_at(from, end, line, at) || bracketed_at(from, end, line, at)))
			return true;
	return false;
}

static int32_t rank_of(int64_t n)
{
	return n < NCCL_RANKS_MAX ? (int32_t)n : -1;
}

/* mpirun --tag-output: "[1,19]<stdout>:"; with names also "[1,19]<stderr>". */
static bool label_mpirun(const char *s, int32_t *out)
{
	int64_t job, rank;

	if (!scan_text(&s, "[") || !scan_int(&s, &job) || *s != ',')
		return false;
	s++;
	if (!scan_int(&s, &rank) || !(str_starts(s, "]<std") || str_starts(s, "]: ")))
		return false;
	*out = rank_of(rank);
	return true;
}

int32_t nccl_log_label(const char *s, size_t n)
{
	const char *at = s, *end = s + n;
	int32_t rank = -1;
	int64_t number;

	if (scan_int(&at, &number) && *at == ':' && at[1] == ' ')
		return rank_of(number);
	for (; s < end; s++) {
		if (*s != '[')
			continue;
		if (label_mpirun(s, &rank))
			return rank;
		at = s;
		if (scan_text(&at, "[rank") && scan_int(&at, &number) && *at == ']')
			return rank_of(number);
		/* Up to torch 2.2: "[11] is setting up NCCL communicator". */
		at = s + 1;
		if (scan_int(&at, &number) && str_starts(at, "] is "))
			return rank_of(number);
	}
	return -1;
}

void nccl_log_plain(char *dst, size_t size, const char *s, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k + 1 < size; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == 0x1b && i + 1 < n && s[i + 1] == '[') {
			for (i += 2; i < n && !(s[i] >= '@' && s[i] <= '~'); i++)
				;
			continue;
		}
		dst[k++] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
	}
	dst[k] = '\0';
}
