/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may stand in fabric.yaml: one table of keys for each kind of map, one function for each kind
 * of value. man/railtop-fabric.5 says the same for people.
 */
#include "app/inventory_yaml_schema.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/near.h"

#define TEXT_MAX 1024  /* bytes of one value */
#define LIST_MAX 65536 /* bytes of a bracket list */

struct reader {
	yaml_document_t *doc;
	struct inventory *inv;
	struct problems *problems;
	char place[160]; /* "switches[0].dialect" */
};

/* Reads one value to *to; false when there was a problem, which it has reported. */
typedef bool read_fn(struct reader *r, const yaml_node_t *n, void *to);

struct key {
	const char *name;
	read_fn *read;
	size_t offset; /* of the target within the map's struct */
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* ---- problems with a place ---- */

static unsigned line_of(const yaml_node_t *n)
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

static bool expected(struct reader *r, const yaml_node_t *n, const char *what)
{
	return problem_add(
		r->problems, line_of(n), r->place, "expected %s, found %s", what, kind_of(n));
}

/* "x" is not a <what> (allowed: ...) */
static bool not_a(struct reader *r, const yaml_node_t *n, const char *text, const char *what,
	const char *allowed)
{
	(void)problem_add(r->problems, line_of(n), r->place, "\"%.80s\" is not a %s", text, what);
	return problem_cure(r->problems, "allowed: %s", allowed);
}

/* ---- scalars ---- */

static bool is_null(const yaml_node_t *n)
{
	const char *s;

	if (n->type != YAML_SCALAR_NODE || n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	s = (const char *)n->data.scalar.value;
	return !s[0] || strcmp(s, "~") == 0 || strcasecmp(s, "null") == 0;
}

/* A printable text of 1 to max bytes. */
static bool get_text(
	struct reader *r, const yaml_node_t *n, const char *what, size_t max, const char **out)
{
	size_t len;

	if (n->type != YAML_SCALAR_NODE || is_null(n) || !n->data.scalar.length)
		return expected(r, n, what);
	len = n->data.scalar.length;
	*out = (const char *)n->data.scalar.value;
	if (len > max)
		return problem_add(r->problems, line_of(n), r->place,
			"%zu characters are too many (%zu at most)", len, max);
	for (size_t i = 0; i < len; i++) {
		if (iscntrl((unsigned char)(*out)[i]))
			return problem_add(
				r->problems, line_of(n), r->place, "holds a control character");
	}
	return true;
}

static void put_text(void *to, const char *text)
{
	char **slot = to;

	free(*slot);
	*slot = mem_strdup(text);
}

static bool read_text(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!get_text(r, n, "a word", TEXT_MAX, &text))
		return false;
	put_text(to, text);
	return true;
}

static bool get_number(
	struct reader *r, const yaml_node_t *n, unsigned min, unsigned max, unsigned *out)
{
	const char *text;
	uint64_t v;

	if (!get_text(r, n, "a number", TEXT_MAX, &text))
		return false;
	if (!str_to_u64(text, &v) || v < min || v > max)
		return problem_add(r->problems, line_of(n), r->place,
			"\"%.40s\" is not a number from %u to %u", text, min, max);
	*out = (unsigned)v;
	return true;
}

static bool read_tcp_port(struct reader *r, const yaml_node_t *n, void *to)
{
	return get_number(r, n, 1, 65535, to);
}

static bool read_rail(struct reader *r, const yaml_node_t *n, void *to)
{
	unsigned v;

	if (!get_number(r, n, 0, 63, &v))
		return false;
	*(int *)to = (int)v;
	return true;
}

static bool read_dscp(struct reader *r, const yaml_node_t *n, void *to)
{
	unsigned v;

	if (!get_number(r, n, 0, 63, &v))
		return false;
	*(int *)to = (int)v;
	return true;
}

static bool read_bytes(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!get_text(r, n, "a size", TEXT_MAX, &text))
		return false;
	if (str_to_bytes(text, to) && *(uint64_t *)to)
		return true;
	return not_a(r, n, text, "size", "a number of bytes, or one with KB, MB, KiB, MiB");
}

static bool read_interval(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	int64_t us;

	if (!get_text(r, n, "a time", TEXT_MAX, &text))
		return false;
	if (!str_to_duration(text, &us))
		return not_a(r, n, text, "time", "500ms, 5s, 2m");
	if (us < CLOCK_SEC / 5 || us > 3600 * CLOCK_SEC)
		return not_a(r, n, text, "polling interval", "200ms to 1h");
	*(int64_t *)to = us;
	return true;
}

/* ---- words of a fixed set ---- */

static bool read_tier(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	enum tier tier;

	if (!get_text(r, n, "a tier", TEXT_MAX, &text))
		return false;
	if (!tier_by_name(text, &tier) || tier == TIER_HOST)
		return not_a(r, n, text, "tier of switches",
			"leaf, spine, superspine, or rtsw, tor, ctsw, atsw");
	*(int *)to = (int)tier;
	return true;
}

static bool read_net(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!get_text(r, n, "a network", TEXT_MAX, &text))
		return false;
	for (unsigned i = 0; i < NET_COUNT; i++) {
		if (strcasecmp(text, net_kind_name((enum net_kind)i)) == 0) {
			*(enum net_kind *)to = (enum net_kind)i;
			return true;
		}
	}
	return not_a(r, n, text, "network", "backend, storage, frontend, oob");
}

static bool read_dialect(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!get_text(r, n, "a dialect", TEXT_MAX, &text))
		return false;
	if (!backend_by_name(text))
		return not_a(r, n, text, "dialect", backend_names());
	put_text(to, text);
	return true;
}

static bool read_transport(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	enum transport_kind kind;

	if (!get_text(r, n, "a transport", TEXT_MAX, &text))
		return false;
	if (!transport_by_name(text, &kind))
		return not_a(r, n, text, "transport", "ssh, https");
	put_text(to, transport_name(kind));
	return true;
}

static bool read_preset(struct reader *r, const yaml_node_t *n, void *to)
{
	const struct sizing **sizing = to;
	const char *text;

	if (!get_text(r, n, "a preset", TEXT_MAX, &text))
		return false;
	*sizing = sizing_preset(text);
	return *sizing ? true : not_a(r, n, text, "preset", sizing_preset_names());
}

static bool read_fabric_name(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!get_text(r, n, "the name of the fabric", NAME_MAX_LEN - 1, &text))
		return false;
	put_text(to, text);
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

static char *join(const char *dir, const char *path)
{
	size_t size = strlen(dir) + strlen(path) + 2;
	char *out = mem_alloc(size);

	(void)str_printf(out, size, "%s/%s", dir, path);
	return out;
}

/* NULL when there is no home directory, or the path names another user's. */
static char *expand_path(const struct reader *r, const char *path)
{
	char *home, *out = NULL;

	if (path[0] == '/')
		return mem_strdup(path);
	if (path[0] != '~')
		return join(r->inv->dir, path);
	home = path[1] == '/' || !path[1] ? home_directory() : NULL;
	if (home)
		out = join(home, path[1] ? path + 2 : "");
	free(home);
	return out;
}

static bool read_path(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	char *path;

	if (!get_text(r, n, "a path", TEXT_MAX, &text))
		return false;
	path = expand_path(r, text);
	if (!path)
		return problem_add(r->problems, line_of(n), r->place,
			"\"%.80s\": only ~/ is understood, not ~user", text);
	put_text(to, path);
	free(path);
	return true;
}

#define REFERENCES "write a reference: env:NAME, file:PATH, command:COMMAND or netrc:PATH"

/* Never repeats what stands there: it may be the secret itself. */
static bool is_literal_secret(struct reader *r, const yaml_node_t *n)
{
	(void)problem_add(
		r->problems, line_of(n), r->place, "a secret does not belong in this file");
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

static bool read_credentials(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text, *rest;
	char *path, *whole;
	size_t size;

	if (!get_text(r, n, "a reference to a secret", TEXT_MAX, &text))
		return false;
	rest = strchr(text, ':');
	if (!rest++ || !rest[0])
		return is_literal_secret(r, n);
	if ((str_starts(text, "env:") && env_name(rest)) || str_starts(text, "command:")) {
		put_text(to, text);
		return true;
	}
	if (!str_starts(text, "file:") && !str_starts(text, "netrc:"))
		return is_literal_secret(r, n);
	path = expand_path(r, rest);
	if (!path)
		return problem_add(r->problems, line_of(n), r->place,
			"only ~/ is understood in a path, not ~user");
	size = (size_t)(rest - text) + strlen(path) + 1;
	whole = mem_alloc(size);
	(void)str_printf(whole, size, "%.*s%s", (int)(rest - text), text, path);
	put_text(to, whole);
	free(whole);
	free(path);
	return true;
}

/* ---- maps and lists ---- */

static size_t place_push(struct reader *r, const char *name)
{
	size_t len = strlen(r->place);

	(void)str_printf(r->place + len, sizeof(r->place) - len, "%s%.60s", len ? "." : "", name);
	return len;
}

static size_t place_push_index(struct reader *r, size_t i)
{
	size_t len = strlen(r->place);

	(void)str_printf(r->place + len, sizeof(r->place) - len, "[%zu]", i);
	return len;
}

static bool names_secret(const char *key)
{
	static const char *const words[] = {"password", "passwd", "secret", "token", "passphrase"};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strcasecmp(key, words[i]) == 0)
			return true;
	}
	return false;
}

static bool unknown_key(struct reader *r, const yaml_node_t *n, const char *name,
	const struct key *keys, size_t nkeys)
{
	char nearest[128], all[256] = "";
	struct near near;
	size_t len = 0;

	near_init(&near, name);
	for (size_t i = 0; i < nkeys; i++) {
		near_offer(&near, keys[i].name);
		(void)str_printf(
			all + len, sizeof(all) - len, "%s%s", len ? ", " : "", keys[i].name);
		len += strlen(all + len);
	}
	(void)problem_add(r->problems, line_of(n), r->place, "\"%.60s\" is not a key here", name);
	if (names_secret(name))
		return problem_cure(r->problems,
			"secrets do not belong in this file: use credentials: with env:NAME, "
			"file:PATH, command:COMMAND or netrc:PATH");
	if (near_format(&near, nearest, sizeof(nearest)))
		return problem_cure(r->problems, "did you mean %s?", nearest);
	return problem_cure(r->problems, "allowed: %s", all);
}

static bool read_pair(struct reader *r, const yaml_node_t *k, const yaml_node_t *v,
	const struct key *keys, size_t nkeys, void *into, uint64_t *seen)
{
	const char *name;
	size_t len, i;
	bool ok;

	if (!get_text(r, k, "a key", TEXT_MAX, &name))
		return false;
	for (i = 0; i < nkeys && strcmp(keys[i].name, name) != 0; i++)
		;
	if (i == nkeys)
		return unknown_key(r, k, name, keys, nkeys);
	if (*seen & UINT64_C(1) << i)
		return problem_add(
			r->problems, line_of(k), r->place, "\"%s\" is there twice", name);
	*seen |= UINT64_C(1) << i;
	len = place_push(r, name);
	ok = keys[i].read(r, v, (char *)into + keys[i].offset);
	r->place[len] = '\0';
	return ok;
}

/* Fills a struct from a map. Goes on after a problem, so that the user sees all of them. */
static bool read_map(
	struct reader *r, const yaml_node_t *n, const struct key *keys, size_t nkeys, void *into)
{
	uint64_t seen = 0;
	bool ok = true;

	if (n->type != YAML_MAPPING_NODE)
		return expected(r, n, "a map of keys");
	for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
		p < n->data.mapping.pairs.top && !problems_full(r->problems); p++) {
		ok &= read_pair(r, yaml_document_get_node(r->doc, p->key),
			yaml_document_get_node(r->doc, p->value), keys, nkeys, into, &seen);
	}
	return ok;
}

/* Calls read for every item of a list; a single value stands for a list of one. */
static bool read_items(struct reader *r, const yaml_node_t *n, read_fn *read, void *to)
{
	bool ok = true;
	size_t i = 0;

	if (n->type != YAML_SEQUENCE_NODE)
		return is_null(n) ? expected(r, n, "a list") : read(r, n, to);
	for (const yaml_node_item_t *item = n->data.sequence.items.start;
		item < n->data.sequence.items.top && !problems_full(r->problems); item++) {
		size_t len = place_push_index(r, i++);

		ok &= read(r, yaml_document_get_node(r->doc, *item), to);
		r->place[len] = '\0';
	}
	return ok;
}

/* A bracket list, or a list of them, which is joined with commas. */
static bool add_to_list(struct reader *r, const yaml_node_t *n, void *to)
{
	struct buf *b = to;
	const char *text;

	if (!get_text(r, n, "a name or a bracket list", LIST_MAX, &text))
		return false;
	if ((!b->len || buf_adds(b, ",")) && buf_adds(b, text))
		return true;
	return problem_add(r->problems, line_of(n), r->place, "the list is too long");
}

static bool read_list(struct reader *r, const yaml_node_t *n, void *to)
{
	struct buf b;
	bool ok;

	buf_init(&b, LIST_MAX);
	ok = read_items(r, n, add_to_list, &b);
	if (ok && !b.len)
		ok = expected(r, n, "a name or a bracket list");
	if (ok)
		put_text(to, b.data);
	buf_free(&b);
	return ok;
}

/* ---- lossless ---- */

static bool add_priority(struct reader *r, const yaml_node_t *n, void *to)
{
	unsigned prio;

	if (!get_number(r, n, 0, 7, &prio))
		return false;
	*(uint8_t *)to = (uint8_t)(*(uint8_t *)to | 1U << prio);
	return true;
}

static bool read_priorities(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_items(r, n, add_priority, to);
}

static bool read_dscp_map(struct reader *r, const yaml_node_t *n, void *to)
{
	int8_t *prio_of = to;
	bool ok = true;

	if (n->type != YAML_MAPPING_NODE)
		return expected(r, n, "a map from DSCP to priority");
	for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
		p < n->data.mapping.pairs.top && !problems_full(r->problems); p++) {
		unsigned dscp, prio;

		if (get_number(r, yaml_document_get_node(r->doc, p->key), 0, 63, &dscp) &&
			get_number(r, yaml_document_get_node(r->doc, p->value), 0, 7, &prio))
			prio_of[dscp] = (int8_t)prio;
		else
			ok = false;
	}
	return ok;
}

static bool read_ecn(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"min", read_bytes, offsetof(struct lossless, ecn_min_bytes)},
		{"max", read_bytes, offsetof(struct lossless, ecn_max_bytes)},
	};
	const struct lossless *l = to;

	if (!read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	if (l->ecn_min_bytes && l->ecn_max_bytes && l->ecn_min_bytes > l->ecn_max_bytes)
		return problem_add(r->problems, line_of(n), r->place, "min is above max");
	return true;
}

static bool read_lossless(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"priorities", read_priorities, offsetof(struct lossless, priorities)},
		{"dscp", read_dscp_map, offsetof(struct lossless, dscp_prio)},
		{"cnp_dscp", read_dscp, offsetof(struct lossless, cnp_dscp)},
		{"ecn", read_ecn, 0},
	};

	return read_map(r, n, keys, COUNT_OF(keys), to);
}

/* ---- switches and hosts ---- */

#define ACCESS_KEYS(at)                                                                            \
	{"interval", read_interval, (at) + offsetof(struct access, interval_us)},                  \
		{"user", read_text, (at) + offsetof(struct access, user)},                         \
		{"identity", read_path, (at) + offsetof(struct access, identity)},                 \
		{"credentials", read_credentials, (at) + offsetof(struct access, credentials)},    \
		{"ssh_config", read_path, (at) + offsetof(struct access, ssh_config)},             \
		{"known_hosts", read_path, (at) + offsetof(struct access, known_hosts)},           \
	{                                                                                          \
		"tls_ca", read_path, (at) + offsetof(struct access, tls_ca)                        \
	}

#define GROUP_KEYS                                                                                 \
	{"names", read_names, 0}, {"dialect", read_dialect, offsetof(struct group, dialect)},      \
		{"transport", read_group_transport, 0}, {"address", read_address, 0},              \
		{"port", read_tcp_port, offsetof(struct group, port)},                             \
		{"net", read_net, offsetof(struct group, net)},                                    \
		ACCESS_KEYS(offsetof(struct group, access))

static bool read_names(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->names_line = line_of(n);
	return read_list(r, n, &g->names);
}

static bool read_address(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->address_line = line_of(n);
	if (!read_list(r, n, &g->address))
		return false;
	if (g->address[0] != '-')
		return true;
	return problem_add(r->problems, line_of(n), r->place, "an address does not begin with '-'");
}

static bool read_rails(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->rails_line = line_of(n);
	return read_list(r, n, &g->rails);
}

static bool read_group_transport(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->transport_line = line_of(n);
	return read_transport(r, n, &g->transport);
}

static const char *transport_words(unsigned set)
{
	bool ssh = set & 1U << TRANSPORT_SSH, https = set & 1U << TRANSPORT_HTTPS;

	return ssh && https ? "ssh, https" : ssh ? "ssh" : "https";
}

/* What a group must say, and what follows from the dialect where it is silent. */
static void check_group(struct reader *r, const yaml_node_t *n, struct group *g)
{
	const struct backend_ops *ops;
	enum transport_kind kind;

	if (!g->names)
		(void)problem_add(r->problems, line_of(n), r->place, "\"names\" is missing");
	if (!g->dialect && !g->host) {
		(void)problem_add(r->problems, line_of(n), r->place, "\"dialect\" is missing");
		(void)problem_cure(r->problems, "allowed: %s", backend_names());
	}
	if (g->tier < 0) {
		(void)problem_add(r->problems, line_of(n), r->place, "\"tier\" is missing");
		(void)problem_cure(r->problems, "allowed: leaf, spine, superspine");
	}
	if (!g->dialect)
		g->dialect = mem_strdup("linux");
	ops = backend_by_name(g->dialect);
	if (!g->transport)
		g->transport = mem_strdup(transport_name(
			!ops || ops->transports & 1U << TRANSPORT_SSH ? TRANSPORT_SSH
								      : TRANSPORT_HTTPS));
	if (!ops || !transport_by_name(g->transport, &kind) || ops->transports & 1U << kind)
		return;
	(void)problem_add(r->problems, g->transport_line, r->place,
		"the dialect %s does not speak over %s", g->dialect, g->transport);
	(void)problem_cure(r->problems, "allowed: %s", transport_words(ops->transports));
}

static struct group *new_group(struct reader *r, const yaml_node_t *n, bool host)
{
	struct group *g = vec_add(&r->inv->groups);

	(void)str_copy(g->label, sizeof(g->label), r->place);
	g->line = line_of(n);
	g->host = host;
	g->tier = host ? TIER_HOST : -1;
	g->rail = -1;
	return g;
}

static bool read_switch_group(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {GROUP_KEYS,
		{"tier", read_tier, offsetof(struct group, tier)},
		{"rail", read_rail, offsetof(struct group, rail)}};
	struct group *g = new_group(r, n, false);
	size_t before = r->problems->at.n;

	(void)to;
	/* A list item with problems is not also blamed for what follows from them. */
	if (read_map(r, n, keys, COUNT_OF(keys), g) && before == r->problems->at.n)
		check_group(r, n, g);
	return before == r->problems->at.n;
}

static bool read_host_group(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {GROUP_KEYS, {"rails", read_rails, 0}};
	struct group *g = new_group(r, n, true);
	size_t before = r->problems->at.n;

	(void)to;
	if (read_map(r, n, keys, COUNT_OF(keys), g) && before == r->problems->at.n)
		check_group(r, n, g);
	return before == r->problems->at.n;
}

static bool read_switches(struct reader *r, const yaml_node_t *n, void *to)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return expected(r, n, "a list of switches");
	return read_items(r, n, read_switch_group, to);
}

static bool read_hosts(struct reader *r, const yaml_node_t *n, void *to)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return expected(r, n, "a list of hosts");
	return read_items(r, n, read_host_group, to);
}

/* ---- the rest ---- */

static bool read_defaults(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {ACCESS_KEYS(0)};

	return read_map(r, n, keys, COUNT_OF(keys), to);
}

/* Checked now, used by a later reader of jobs: a typo should not wait until then. */
static bool read_job_source(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	(void)to;
	if (!get_text(r, n, "a source of jobs", TEXT_MAX, &text))
		return false;
	if (strcmp(text, "nccl-ras") == 0 || strcmp(text, "slurm") == 0 ||
		strcmp(text, "jsonl") == 0 || (str_starts(text, "file:") && text[5]))
		return true;
	return not_a(r, n, text, "source of jobs", "nccl-ras, slurm, jsonl, file:PATH");
}

static bool read_jobs(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"source", read_job_source, 0}};

	return read_map(r, n, keys, COUNT_OF(keys), to);
}

static bool read_wiring_plan(struct reader *r, const yaml_node_t *n, void *to)
{
	struct inventory *inv = to;
	const char *text;

	if (!get_text(r, n, "a wiring plan", TEXT_MAX, &text))
		return false;
	if (strcmp(text, "formula") == 0)
		inv->wiring = WIRING_FORMULA;
	else if (strcmp(text, "none") != 0)
		return not_a(r, n, text, "wiring plan", "formula, none; or file: instead of plan:");
	return true;
}

static bool read_wiring(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"plan", read_wiring_plan, 0},
		{"file", read_path, offsetof(struct inventory, wiring_file)}};
	struct inventory *inv = to;

	inv->wiring_line = line_of(n);
	if (!read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	if (!inv->wiring_file)
		return true;
	if (inv->wiring == WIRING_FORMULA)
		return problem_add(r->problems, line_of(n), r->place,
			"\"plan: formula\" and \"file\" exclude each other");
	inv->wiring = WIRING_FILE;
	return true;
}

/* true, or a section with the settings of actions, which is read where actions are. */
static bool read_actions(struct reader *r, const yaml_node_t *n, void *to)
{
	static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {
									"false", "no", "off"};
	const char *text;

	if (n->type == YAML_MAPPING_NODE) {
		*(bool *)to = true;
		return true;
	}
	if (!get_text(r, n, "true, false or a map of settings", TEXT_MAX, &text))
		return false;
	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
			*(bool *)to = strcasecmp(text, yes[i]) == 0;
			return true;
		}
	}
	return not_a(r, n, text, "yes or no", "true, false, or a map of settings");
}

static const struct key top_keys[] = {
	{"fabric", read_fabric_name, offsetof(struct inventory, fabric)},
	{"preset", read_preset, offsetof(struct inventory, sizing)},
	{"lossless", read_lossless, offsetof(struct inventory, lossless)},
	{"defaults", read_defaults, offsetof(struct inventory, defaults)},
	{"switches", read_switches, 0},
	{"hosts", read_hosts, 0},
	{"jobs", read_jobs, 0},
	{"wiring", read_wiring, 0},
	{"actions", read_actions, offsetof(struct inventory, actions)},
};

void inventory_read_document(yaml_document_t *doc, struct inventory *inv, struct problems *problems)
{
	struct reader r = {.doc = doc, .inv = inv, .problems = problems, .place = ""};
	const yaml_node_t *root = yaml_document_get_root_node(doc);

	if (!root || is_null(root)) {
		(void)problem_add(problems, 0, NULL, "is empty");
		(void)problem_cure(problems, "see railtop-fabric(5) for what goes into it");
		return;
	}
	if (!read_map(&r, root, top_keys, COUNT_OF(top_keys), inv))
		return;
	if (!inv->fabric)
		(void)problem_add(problems, line_of(root), NULL, "\"fabric\" is missing");
	if (!inv->groups.n)
		(void)problem_add(problems, line_of(root), NULL,
			"no switches and no hosts: there is nothing to watch");
	if (inv->wiring == WIRING_FORMULA && !inv->sizing) {
		(void)problem_add(
			problems, inv->wiring_line, "wiring.plan", "the formula needs a preset");
		(void)problem_cure(problems, "add preset: one of %s", sizing_preset_names());
	}
}

static void access_free(struct access *a)
{
	free(a->user);
	free(a->identity);
	free(a->ssh_config);
	free(a->known_hosts);
	free(a->tls_ca);
	free(a->credentials);
}

void inventory_free(struct inventory *inv)
{
	for (size_t i = 0; i < inv->groups.n; i++) {
		struct group *g = &inv->groups.at[i];

		free(g->names);
		free(g->address);
		free(g->rails);
		free(g->dialect);
		free(g->transport);
		access_free(&g->access);
	}
	vec_free(&inv->groups);
	access_free(&inv->defaults);
	free(inv->fabric);
	free(inv->wiring_file);
}
