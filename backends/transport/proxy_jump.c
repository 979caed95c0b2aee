/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/proxy_jump.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

bool jump_is_none(const char *spec)
{
	return str_eq(spec, "none");
}

static bool is_name(const char *s, const char *more)
{
	if (!*s || *s == '-')
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr(more, *s))
			return false;
	}
	return true;
}

static bool take_port(const char *text, unsigned *port)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || !n || n > 65535)
		return false;
	*port = (unsigned)n;
	return true;
}

/* Parses "host", "host:22", "[::1]:22", "::1". */
static bool take_host(char *text, struct jump_hop *hop)
{
	char *colon = strchr(text, ':'), *bracket;

	if (*text == '[') {
		bracket = strchr(++text, ']');
		if (!bracket || (bracket[1] && bracket[1] != ':'))
			return false;
		colon = bracket[1] ? bracket + 1 : NULL;
		*bracket = '\0';
	} else if (colon && strchr(colon + 1, ':')) {
		colon = NULL;
	}
	if (colon) {
		*colon = '\0';
		if (!take_port(colon + 1, &hop->port))
			return false;
	}
	return is_name(text, ".-_:") && str_copy(hop->host, sizeof(hop->host), text);
}

static bool take_hop(const char *from, size_t len, struct jump_hop *hop)
{
	char text[sizeof(hop->user) + sizeof(hop->host) + 16], *at;
	char *rest = text;

	memset(hop, 0, sizeof(*hop));
	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, from, len);
	text[len] = '\0';
	if (str_starts(rest, "ssh://"))
		rest += strlen("ssh://");
	at = strrchr(rest, '@');
	if (at) {
		*at = '\0';
		/*
		 * User names from directories may have a domain; none has a shell's special
		 * characters.
		 */
		if (!is_name(rest, ".-_@+") || !str_copy(hop->user, sizeof(hop->user), rest))
			return false;
		rest = at + 1;
	}
	return take_host(rest, hop);
}

static bool refuse_spec(const char *spec, const char *origin, struct err *err)
{
	err_set(err, ERR_CONFIG, origin, "\"%.200s\" is not a path through bastions", spec);
	(void)err_cure(err, "write it as in ProxyJump: [user@]host[:port], several separated by "
			    "commas, or none");
	return false;
}

bool jump_last(const char *spec, struct jump_hop *hop, char *before, size_t size,
	const char *origin, struct err *err)
{
	const char *comma = strrchr(spec, ','), *last = comma ? comma + 1 : spec;
	size_t rest = comma ? (size_t)(comma - spec) : 0;

	if (jump_is_none(spec) || strlen(spec) >= JUMP_TEXT_MAX || rest >= size ||
		(comma && !rest) || !take_hop(last, strlen(last), hop))
		return refuse_spec(spec, origin, err);
	memcpy(before, spec, rest);
	before[rest] = '\0';
	return true;
}

bool jump_check(const char *spec, const char *origin, struct err *err)
{
	char rest[JUMP_TEXT_MAX], before[JUMP_TEXT_MAX];
	struct jump_hop hop;

	if (jump_is_none(spec))
		return true;
	if (!str_copy(rest, sizeof(rest), spec))
		return refuse_spec(spec, origin, err);
	for (unsigned hops = 0; hops < JUMP_HOPS_MOST; hops++) {
		if (!jump_last(rest, &hop, before, sizeof(before), origin, err))
			return refuse_spec(spec, origin, err);
		if (!before[0])
			return true;
		(void)str_copy(rest, sizeof(rest), before);
	}
	err_set(err, ERR_CONFIG, origin, "more than %d bastions in a row", JUMP_HOPS_MOST);
	return err_cure(err, "use a shorter path");
}

/* ---- ProxyCommand ---- */

/* Copies the next word without quotes to dst; NULL: none, or one that needs a shell. */
static const char *next_word(const char *s, char *dst, size_t size)
{
	size_t n = 0;
	char quote = '\0';

	s += strspn(s, " \t");
	if (!*s)
		return NULL;
	for (; *s && (quote || !strchr(" \t", *s)); s++) {
		if (*s == quote) {
			quote = '\0';
		} else if (!quote && (*s == '\'' || *s == '"')) {
			quote = *s;
		} else if (strchr("$`\\|&;<>()*?~", *s) || n + 1 >= size) {
			return NULL;
		} else {
			dst[n++] = *s;
		}
	}
	dst[n] = '\0';
	return quote ? NULL : s;
}

struct ssh_words {
	char user[128], port[8], before[JUMP_TEXT_MAX], target[64], host[300];
};

static bool is_ssh(const char *word)
{
	const char *base = strrchr(word, '/');

	return str_eq(base ? base + 1 : word, "ssh");
}

/* False: an option that does more than set the route. */
static bool take_option(struct ssh_words *w, const char *option, const char **at)
{
	struct {
		const char *option;
		char *to;
		size_t size;
	} const known[] = {
		{"-l", w->user, sizeof(w->user)},
		{"-p", w->port, sizeof(w->port)},
		{"-J", w->before, sizeof(w->before)},
		{"-W", w->target, sizeof(w->target)},
	};

	if (str_eq(option, "-q") || str_eq(option, "-a") || str_eq(option, "-x"))
		return true;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_eq(option, known[i].option)) {
			*at = next_word(*at, known[i].to, known[i].size);
			return *at != NULL;
		}
	}
	return false;
}

static bool format_spec(const struct ssh_words *w, char *dst, size_t size)
{
	bool bare6 = w->port[0] && strchr(w->host, ':') && w->host[0] != '[';

	return str_printf(dst, size, "%s%s%s%s%s%s%s%s%s", w->before, w->before[0] ? "," : "",
		w->user, w->user[0] ? "@" : "", bare6 ? "[" : "", w->host, bare6 ? "]" : "",
		w->port[0] ? ":" : "", w->port);
}

bool jump_of_command(const char *command, char *dst, size_t size)
{
	struct ssh_words w = {0};
	char word[300];
	const char *at = next_word(command, word, sizeof(word));

	if (at && str_eq(word, "exec"))
		at = next_word(at, word, sizeof(word));
	if (!at || !is_ssh(word))
		return false;
	while ((at = next_word(at, word, sizeof(word)))) {
		if (word[0] == '-') {
			if (!take_option(&w, word, &at))
				return false;
		} else if (w.host[0]) {
			return false; /* a command on the bastion */
		} else if (!str_copy(w.host, sizeof(w.host), word)) {
			return false;
		}
		if (!*(at + strspn(at, " \t")))
			break;
	}
	return at && w.host[0] && (str_eq(w.target, "%h:%p") || str_eq(w.target, "[%h]:%p")) &&
	       format_spec(&w, dst, size) && jump_check(dst, "", NULL);
}
