/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * The prefixes that loggers put before a message, and how bad they call it: glog, Python's logging
 * in the styles of vLLM, SGLang, Ray and DeepSpeed, klog, JSON.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* glog's "I1127 02:51:04.5 4711 file.cc:12]", which may stand in brackets. */
static bool is_glog(const char *s, char level)
{
	for (const char *at = strchr(s, level); at; at = strchr(at + 1, level))
		if ((at == s || strchr(" [:", at[-1])) && digits_is(at[1]) && digits_is(at[2]) &&
			digits_is(at[3]) && strchr(s, ':'))
			return true;
	return false;
}

/* torch up to 1.13: "[E ProcessGroupNCCL.cpp:828] ", without a time. */
static bool is_of_torch(const char *s, char level)
{
	for (const char *at = strchr(s, '['); at; at = strchr(at + 1, '['))
		if (at[1] == level && at[2] == ' ' && isalpha((unsigned char)at[3])) {
			size_t n = strcspn(at + 3, " ]");

			if (memmem(at + 3, n, ".cpp:", 5))
				return true;
		}
	return false;
}

/* The logger itself calls the line harmless. */
static bool is_told_as_news(const char *s)
{
	static const char *const levels[] = {" INFO ", "[INFO", "INFO:", "|INFO|", " DEBUG ",
		"[DEBUG", "DEBUG:", "level=info", "NCCL INFO", "\"INFO\"", " INFO:", "<info>"};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strstr(s, levels[i]))
			return true;
	return is_glog(s, 'I') || is_of_torch(s, 'I');
}

/* "RuntimeError: ...", "torch.distributed.DistStoreError", as Python prints what ends a process. */
static bool is_exception(const char *message)
{
	static const char *const ends[] = {"Error", "Exception", "Timeout"};
	size_t n = 0;

	message += strspn(message, " ");
	while (isalnum((unsigned char)message[n]) || message[n] == '.' || message[n] == '_')
		n++;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t k = strlen(ends[i]);

		if (n >= k && strncmp(message + n - k, ends[i], k) == 0)
			return message[n] == ':' || !message[n] || str_starts(message + n, "('") ||
			       str_starts(message + n, "(\"");
	}
	return false;
}

bool nccl_log_is_exception(const char *message)
{
	return is_exception(message) || strstr(message, "what(): ") ||
	       strstr(message, "Unhandled exception");
}

/* The logger itself calls the line an error. */
static bool is_told_as_error(const char *s)
{
	static const char *const levels[] = {" ERROR", "[ERROR", "ERROR:", "CRITICAL", "FATAL",
		": error: ", "level=error", "\"ERROR\"", "<error>", " E "};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strstr(s, levels[i]))
			return true;
	return str_starts(s, "ERROR ") || strstr(s, ": [PID: ") || is_glog(s, 'E') ||
	       is_glog(s, 'F') || is_of_torch(s, 'E') || is_of_torch(s, 'F');
}

/* Its logger ends the process with such a line: glog's F, Ray's C, Python's CRITICAL. */
static bool is_told_as_fatal(const char *s)
{
	static const char *const levels[] = {" FATAL ", "[FATAL", "FATAL:", "\"FATAL\"",
		"level=fatal", " CRITICAL ", "[CRITICAL", "CRITICAL:", "\"CRITICAL\""};
	const char *ray = str_starts(s, "[20") ? strstr(s, " C ") : NULL;

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strstr(s, levels[i]))
			return true;
	return is_glog(s, 'F') || (ray && ray - s < 28);
}

static bool is_told_as_warning(const char *s)
{
	static const char *const levels[] = {" WARN", "[WARN", "WARN:", "WARNING:", "level=warn",
		"\"WARNING\"", "<warn>", "*WARNING*"};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strstr(s, levels[i]))
			return true;
	/* "Warning  FailedScheduling  2m": an event of Kubernetes */
	return str_starts(s, "WARN") || str_starts(s, "Warning  ") || is_glog(s, 'W') ||
	       is_of_torch(s, 'W');
}

static bool is_level(const char *s, size_t n)
{
	static const char *const levels[] = {"ERROR", "WARNING", "WARN", "CRITICAL", "FATAL", "E",
		"W", "F", "error", "warning", "--", "|", "-", "stderr", "stdout"};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strlen(levels[i]) == n && strncmp(s, levels[i], n) == 0)
			return true;
	return false;
}

/* "02:51:16,464", "11-27", "E1127", "core.py:710", "4711": a word of a logger and not of a person.
 */
static bool is_tag(const char *s, size_t n)
{
	size_t digits = 0, others = 0;

	if (is_level(s, n) || (n > 7 && s[n - 1] == ':' && is_level(s, n - 1)))
		return true;
	/* Ascend: "EI0009:", "ERR02200" */
	if ((n == 7 && *s == 'E' && s[6] == ':' && strspn(s + 2, "0123456789") == 4) ||
		(n == 8 && str_starts(s, "ERR") && strspn(s + 3, "0123456789") == 5))
		return true;
	for (size_t i = 0; i < n; i++) {
		digits += digits_is(s[i]);
		others += !digits_is(s[i]) && !strchr("-:.,/_TZ+<>", s[i]);
	}
	if (!digits)
		return n > 9 && memcmp(s + n - 9, "<stderr>:", 9) == 0;
	if (!others || (strchr("EWFI", *s) && others == 1))
		return true;
	return digits_is(s[n - 1]) && (memmem(s, n, ".py:", 4) || memmem(s, n, ".c", 2));
}

/* Length of "[...]" or "(...)" with the colon behind it; 0: it does not end, or it is no prefix. */
static size_t bracket_at(const char *s)
{
	const char *end = *s == '[' ? strchr(s, ']') : *s == '(' ? strchr(s, ')') : NULL;

	if (!end || end - s > 100 ||
		(*s == '(' && !memmem(s, (size_t)(end - s), "pid=", 4) && !str_starts(s, "(PID:")))
		return 0;
	end++;
	while (*end == ':' || (*end == '<' && strchr(end, '>')))
		end = *end == ':' ? end + 1 : strchr(end, '>') + 1;
	return (size_t)(end - s);
}

/* Where the words begin behind the prefixes of loggers: "[rank3]: ", "ERROR 11-27 [core.py:710] ".
 */
const char *nccl_log_message(const char *s)
{
	const char *at = s;

	for (;;) {
		size_t blanks = strspn(at, " \t"), n;

		/* JSON: "message": "text" */
		while (str_starts(at + blanks, "\"message\": ")) {
			at += blanks + strlen("\"message\": ");
			at += *at == '"';
			blanks = strspn(at, " \t");
		}

		n = bracket_at(at + blanks);
		if (!n) {
			n = strcspn(at + blanks, " \t[");
			if (!n || !is_tag(at + blanks, n))
				return at;
		}
		if (!at[blanks + n])
			return s;
		at += blanks + n;
		/* Blanks behind the prefix are those of the message. */
		if (*at == ' ')
			at++;
	}
}

/* "[rank3]:", "[PG ID 0", "[E1127": here the message of torch begins. */
static bool begins_message(const char *s)
{
	static const char *const begins[] = {"[rank", "[PG ", "[Rank ", "[E", "[W", "[I",
		"terminate called", "what():", "ProcessGroupNCCL"};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (str_starts(s, begins[i]))
			return true;
	return false;
}

void nccl_log_writer(const char *s, char *dst, size_t size)
{
	size_t used = 0;

	*dst = '\0';
	for (;;) {
		size_t n, letters = 0;

		s += strspn(s, " \t");
		n = strcspn(s, " \t");
		if (!n || begins_message(s))
			return;
		for (size_t i = 0; i < n; i++)
			letters += isalpha((unsigned char)s[i]) != 0;
		/* A time of RFC 3339 has a T and perhaps a Z; mpirun's tag names a rank. */
		if (letters > 2 && !is_tag(s, n) && !memmem(s, n, "<std", 4) &&
			used + n + 1 < size) {
			memcpy(dst + used, s, n);
			used += n;
			dst[used] = '\0';
		}
		s += n;
	}
}

/* A line of a stack or of source text: its words are names in a program. */
static bool is_program_text(const char *message)
{
	static const char *const begins[] = {"File \"", "Traceback", "frame #", "^^", "~~", "#",
		"raise ", "except ", "return ", "self.", "def ", "if ", "at ", "import ", "from "};
	size_t blanks = strspn(message, " \t");

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (str_starts(message + blanks, begins[i]))
			return true;
	/* "ERROR     : text" is no indentation. */
	return blanks >= 4 && message[blanks] != ':' && !is_exception(message);
}

enum log_level nccl_log_level(const char *s, const char *message)
{
	if (is_told_as_news(s))
		return LEVEL_NEWS;
	if (is_program_text(message))
		return LEVEL_PROGRAM;
	if (is_told_as_fatal(s))
		return LEVEL_FATAL;
	if (is_told_as_error(s) || is_exception(message))
		return LEVEL_ERROR;
	return is_told_as_warning(s) ? LEVEL_WARN : LEVEL_PLAIN;
}
