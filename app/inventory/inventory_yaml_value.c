/* SPDX-License-Identifier: Apache-2.0 */
/* Reads single values of YAML files: texts, numbers, words of a fixed set, paths, secrets. */
#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "backends/contract/backend.h"
#include "backends/transport/proxy_jump.h"
#include "base/clock.h"
#include "base/str.h"

/* ---- problems with a place ---- */

unsigned yaml_line(const yaml_node_t *n)
{
	return (unsigned)n->start_mark.line + 1;
}

static const char *kind_of(const yaml_node_t *n)
{
	switch (n->type) {
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a map";
	case YAML_SCALAR_NODE:
		return n->data.scalar.length ? "a word" : "nothing";
	case YAML_NO_NODE:
		break;
	}
	return "nothing";
}

bool yaml_expected(struct reader *r, const yaml_node_t *n, const char *what)
{
	return problem_add(
		r->problems, yaml_line(n), r->place, "expected %s, found %s", what, kind_of(n));
}

bool yaml_not_a(struct reader *r, const yaml_node_t *n, const char *text, const char *what,
	const char *allowed)
{
	(void)problem_add(r->problems, yaml_line(n), r->place, "\"%.80s\" is not a %s", text, what);
	return problem_cure(r->problems, "allowed: %s", allowed);
}

/* ---- scalars ---- */

bool yaml_is_null(const yaml_node_t *n)
{
	const char *s;

	if (n->type != YAML_SCALAR_NODE || n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	s = (const char *)n->data.scalar.value;
	return !s[0] || strcmp(s, "~") == 0 || strcasecmp(s, "null") == 0;
}

bool yaml_text(
	struct reader *r, const yaml_node_t *n, const char *what, size_t max, const char **out)
{
	size_t len;

	if (n->type != YAML_SCALAR_NODE || yaml_is_null(n) || !n->data.scalar.length)
		return yaml_expected(r, n, what);
	len = n->data.scalar.length;
	*out = (const char *)n->data.scalar.value;
	if (len > max)
		return problem_add(r->problems, yaml_line(n), r->place,
			"%zu characters are too many (%zu at most)", len, max);
	for (size_t i = 0; i < len; i++) {
		if (iscntrl((unsigned char)(*out)[i]))
			return problem_add(
				r->problems, yaml_line(n), r->place, "has a control character");
	}
	return true;
}

void yaml_put(void *to, const char *text)
{
	char **slot = to;

	free(*slot);
	*slot = mem_strdup(text);
}

bool yaml_word_is_yes(const char *text, bool *yes)
{
	static const char *const words[][2] = {{"true", "false"}, {"yes", "no"}, {"on", "off"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		*yes = strcasecmp(text, words[i][0]) == 0;
		if (*yes || strcasecmp(text, words[i][1]) == 0)
			return true;
	}
	return false;
}

bool yaml_read_yes(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "true or false", YAML_TEXT_MAX, &text))
		return false;
	return yaml_word_is_yes(text, to) || yaml_not_a(r, n, text, "yes or no", "true, false");
}

bool yaml_read_text(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a word", YAML_TEXT_MAX, &text))
		return false;
	yaml_put(to, text);
	return true;
}

bool yaml_number(struct reader *r, const yaml_node_t *n, unsigned min, unsigned max, unsigned *out)
{
	const char *text;
	uint64_t v;

	if (!yaml_text(r, n, "a number", YAML_TEXT_MAX, &text))
		return false;
	if (!str_to_u64(text, &v) || v < min || v > max)
		return problem_add(r->problems, yaml_line(n), r->place,
			"\"%.40s\" is not a number from %u to %u", text, min, max);
	*out = (unsigned)v;
	return true;
}

bool yaml_read_tcp_port(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_number(r, n, 1, 65535, to);
}

bool yaml_read_rail(struct reader *r, const yaml_node_t *n, void *to)
{
	unsigned v = 0;

	if (!yaml_number(r, n, 0, 63, &v))
		return false;
	*(int *)to = (int)v;
	return true;
}

bool yaml_read_dscp(struct reader *r, const yaml_node_t *n, void *to)
{
	unsigned v = 0;

	if (!yaml_number(r, n, 0, 63, &v))
		return false;
	*(int *)to = (int)v;
	return true;
}

bool yaml_read_bytes(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a size", YAML_TEXT_MAX, &text))
		return false;
	if (str_to_bytes(text, to) && *(uint64_t *)to)
		return true;
	return yaml_not_a(r, n, text, "size", "a number of bytes, or one with KB, MB, KiB, MiB");
}

bool yaml_read_interval(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	int64_t us;

	if (!yaml_text(r, n, "a time", YAML_TEXT_MAX, &text))
		return false;
	if (!str_to_duration(text, &us))
		return yaml_not_a(r, n, text, "time", "500ms, 5s, 2m");
	if (us < CLOCK_SEC / 5 || us > 3600 * CLOCK_SEC)
		return yaml_not_a(r, n, text, "polling interval", "200ms to 1h");
	*(int64_t *)to = us;
	return true;
}

/* ---- words of a fixed set ---- */

bool yaml_read_tier(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	enum tier tier;
	char *word;

	if (!yaml_text(r, n, "a tier", YAML_TEXT_MAX, &text))
		return false;
	if (!tier_by_name(text, &tier) || tier == TIER_HOST)
		return yaml_not_a(r, n, text, "tier of switches",
			"leaf, spine, superspine, or rtsw, tor, ctsw, atsw");
	*(int *)to = (int)tier;
	/* A site that writes RTSW wants to read it. */
	word = r->inv->tier_words[tier];
	if (!word[0] && strcasecmp(text, tier_name(tier)) != 0) {
		(void)str_copy(word, TIER_TEXT, text);
		for (; *word; word++)
			*word = (char)toupper((unsigned char)*word);
	}
	return true;
}

bool yaml_read_net(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a network", YAML_TEXT_MAX, &text))
		return false;
	for (unsigned i = 0; i < NET_COUNT; i++) {
		if (strcasecmp(text, net_kind_name((enum net_kind)i)) == 0) {
			*(enum net_kind *)to = (enum net_kind)i;
			return true;
		}
	}
	return yaml_not_a(r, n, text, "network", "backend, storage, frontend, oob");
}

bool yaml_read_dialect(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a dialect", YAML_TEXT_MAX, &text))
		return false;
	if (!backend_by_name(text))
		return yaml_not_a(r, n, text, "dialect", backend_names());
	yaml_put(to, text);
	return true;
}

bool yaml_read_transport(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	enum transport_kind kind;

	if (!yaml_text(r, n, "a transport", YAML_TEXT_MAX, &text))
		return false;
	if (!transport_by_name(text, &kind))
		return yaml_not_a(r, n, text, "transport", "ssh, https");
	yaml_put(to, transport_name(kind));
	return true;
}

/* Files of earlier releases may have it, and are to work: the first place is said once. */
static void warn_of_stream(struct reader *r, const yaml_node_t *n)
{
	if (!r->inv->warning[0])
		(void)str_printf(r->inv->warning, sizeof(r->inv->warning),
			"%.100s:%zu: poll: stream is read as poll: filtered (stream is no more)",
			r->inv->file, n->start_mark.line + 1);
}

bool yaml_read_poll(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a way to poll", YAML_TEXT_MAX, &text))
		return false;
	for (unsigned w = 0; w < POLL_WAY_COUNT; w++) {
		if (str_eq(text, poll_way_name((enum poll_way)w))) {
			*(unsigned *)to = w + 1;
			return true;
		}
	}
	if (str_eq(text, "stream")) {
		*(unsigned *)to = POLL_WAY_FILTERED + 1;
		warn_of_stream(r, n);
		return true;
	}
	return yaml_not_a(r, n, text, "way to poll", "full, filtered");
}

bool yaml_read_jump(struct reader *r, const yaml_node_t *n, void *to)
{
	struct err err;
	const char *text;

	if (!yaml_text(r, n, "a way through bastions", JUMP_TEXT_MAX - 1, &text))
		return false;
	if (!jump_check(text, "", &err)) {
		(void)problem_add(r->problems, yaml_line(n), r->place, "%s", err.text);
		return problem_cure(r->problems, "%s", err.cure);
	}
	yaml_put(to, text);
	return true;
}

bool yaml_read_preset(struct reader *r, const yaml_node_t *n, void *to)
{
	const struct sizing **sizing = to;
	const char *text;

	if (!yaml_text(r, n, "a preset", YAML_TEXT_MAX, &text))
		return false;
	*sizing = sizing_preset(text);
	return *sizing ? true : yaml_not_a(r, n, text, "preset", sizing_preset_names());
}

bool yaml_read_fabric_name(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "the name of the fabric", NAME_MAX_LEN - 1, &text))
		return false;
	yaml_put(to, text);
	return true;
}

/* ---- paths and secrets ---- */

static char *home_directory(void)
{
	const char *home = getenv("HOME");
	struct passwd pw, *found = NULL;
	char scratch[4096];

	if (home && home[0])
		return mem_strdup(home);
	if (getpwuid_r(getuid(), &pw, scratch, sizeof(scratch), &found) == 0 && found)
		return mem_strdup(found->pw_dir);
	return NULL;
}

static char *join_path(const char *dir, const char *path)
{
	size_t size = strlen(dir) + strlen(path) + 2;
	char *out = mem_alloc(size);

	(void)str_printf(out, size, "%s/%s", dir, path);
	return out;
}

/* NULL: no home directory, or the path is ~user. */
char *yaml_expand_path(const struct reader *r, const char *path)
{
	char *home, *out = NULL;

	if (path[0] == '/')
		return mem_strdup(path);
	if (path[0] != '~')
		return join_path(r->inv->dir, path);
	home = path[1] == '/' || !path[1] ? home_directory() : NULL;
	if (home)
		out = join_path(home, path[1] ? path + 2 : "");
	free(home);
	return out;
}

bool yaml_read_path(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	char *path;

	if (!yaml_text(r, n, "a path", YAML_TEXT_MAX, &text))
		return false;
	path = yaml_expand_path(r, text);
	if (!path)
		return problem_add(r->problems, yaml_line(n), r->place,
			"\"%.80s\": a path may begin with ~/, not with ~user", text);
	yaml_put(to, path);
	free(path);
	return true;
}

#define REFERENCES "write a reference: env:NAME, file:PATH, command:COMMAND or netrc:PATH"

/* The message must not repeat the value, which may be the secret itself. */
static bool is_literal_secret(struct reader *r, const yaml_node_t *n)
{
	(void)problem_add(
		r->problems, yaml_line(n), r->place, "this file must not contain a secret");
	return problem_cure(r->problems, REFERENCES);
}

static bool env_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

bool yaml_read_credentials(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text = "", *rest;
	char *path, *whole;
	size_t size;

	if (!yaml_text(r, n, "a reference to a secret", YAML_TEXT_MAX, &text))
		return false;
	rest = strchr(text, ':');
	if (!rest || !rest[1])
		return is_literal_secret(r, n);
	rest++;
	if ((str_starts(text, "env:") && env_name(rest)) || str_starts(text, "command:")) {
		yaml_put(to, text);
		return true;
	}
	if (!str_starts(text, "file:") && !str_starts(text, "netrc:"))
		return is_literal_secret(r, n);
	path = yaml_expand_path(r, rest);
	if (!path)
		return problem_add(r->problems, yaml_line(n), r->place,
			"a path may begin with ~/, not with ~user");
	size = (size_t)(rest - text) + strlen(path) + 1;
	whole = mem_alloc(size);
	(void)str_printf(whole, size, "%.*s%s", (int)(rest - text), text, path);
	yaml_put(to, whole);
	free(whole);
	free(path);
	return true;
}

const char *yaml_after_scheme(const char *url)
{
	if (strncasecmp(url, "https://", 8) == 0)
		return url + 8;
	return strncasecmp(url, "http://", 7) == 0 ? url + 7 : NULL;
}
