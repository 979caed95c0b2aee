/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/redact/redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "archive/redact/redact_private.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/* Shorter words are replaced only as whole words: "ann" is in "channel" too. */
#define ANYWHERE_LEN 5

static const struct {
	const char *name, *prefix;
	int digits; /* 0: no number */
} kinds[NAMED_COUNT] = {
	[NAMED_HOST] = {"host", "host-", 4},
	[NAMED_LEAF] = {"leaf", "leaf-", 4},
	[NAMED_SPINE] = {"spine", "spine-", 4},
	[NAMED_SUPERSPINE] = {"superspine", "superspine-", 4},
	[NAMED_NAME] = {"name", "name-", 4},
	[NAMED_FABRIC] = {"fabric", "fabric", 0},
	[NAMED_SERIAL] = {"serial", "SN-", 4},
	[NAMED_USER] = {"user", "user-", 1},
	[NAMED_JOB] = {"job", "job-", 1},
	[NAMED_DOMAIN] = {"domain", "site", 0},
	[NAMED_IPV4] = {"ipv4", "", 0},
	[NAMED_IPV6] = {"ipv6", "", 0},
	[NAMED_MAC] = {"mac", "", 0},
	[NAMED_GUID] = {"guid", "", 0},
	[NAMED_SECRET] = {"secret", "", 0},
	[NAMED_KEEP] = {"keep", "", 0},
};

/* Common words identify nobody and are frequent in sentences. */
static bool is_common(const char *s, size_t n)
{
	static const char *const common[] = {"root", "admin", "administrator", "user", "host",
		"leaf", "spine", "superspine", "fabric", "default", "localhost", "none", "null",
		"unknown", "operator", "cumulus", "sonic", "nobody", "world", "switch", "server",
		"router", "site", "name", "job", "cluster", "rail", "port", "ethernet", "n/a", "up",
		"down", "true", "false", "not reported"};

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (strlen(common[i]) == n && strncasecmp(common[i], s, n) == 0)
			return true;
	return false;
}

/* True when the candidate contains a learnt word. */
static bool is_taken(const struct redact *r, const char *candidate)
{
	size_t n = strlen(candidate);

	for (size_t i = 0; i < n; i++)
		for (uint32_t node = 0, k = 0; i + k < n; k++) {
			uint32_t word;

			node = trie_step(&r->words, node, (unsigned char)candidate[i + k]);
			if (!node)
				break;
			word = r->words.nodes.at[node].word;
			/* A word that is put but not numbered yet is the one being learnt. */
			if (word &&
				(word > r->list.n || r->list.at[word - 1].anywhere || k + 1 == n))
				return true;
		}
	return false;
}

#define TRIES 2000

static bool next_free_name(
	struct redact *r, enum redact_kind kind, const char *prefix, char *dst, size_t size)
{
	for (unsigned tries = 0; tries < TRIES; tries++) {
		if (kinds[kind].digits)
			(void)str_printf(
				dst, size, "%s%0*u", prefix, kinds[kind].digits, ++r->issued[kind]);
		else
			(void)str_printf(dst, size, tries ? "%s%u" : "%s", prefix, tries);
		if (!is_taken(r, dst))
			return true;
	}
	return false;
}

char *redact_issue(struct redact *r, enum redact_kind kind)
{
	char text[64];

	/* A site's own names may look like the replacements, or be contained in all of them. */
	if (!r->blocked[kind])
		r->blocked[kind] = !next_free_name(r, kind, kinds[kind].prefix, text, sizeof(text));
	if (r->blocked[kind])
		(void)next_free_name(r, kind, "id-", text, sizeof(text));
	return mem_strdup(text);
}

uint32_t redact_word(struct redact *r, enum redact_kind kind, const char *original, size_t n)
{
	uint32_t *slot = trie_put(&r->words, original, n), number = *slot;
	bool letters = false;

	if (number)
		return number - 1;
	for (size_t i = 0; i < n; i++)
		letters |= isalpha((unsigned char)original[i]) != 0;
	/* A replacement must not equal the original, so the original enters the trie first. */
	number = (uint32_t)r->list.n + 1;
	*slot = number;
	(void)vec_add(&r->list);
	r->list.at[number - 1] = (struct redact_word){
		.to = kind == NAMED_KEEP ? mem_strndup(original, n) : redact_issue(r, kind),
		.kind = (uint8_t)kind,
		.anywhere = kind != NAMED_KEEP && letters && n >= ANYWHERE_LEN};
	return number - 1;
}

static enum redact_kind kind_by_name(const char *name)
{
	for (int k = 0; k < NAMED_COUNT; k++)
		if (strcmp(kinds[k].name, name) == 0)
			return (enum redact_kind)k;
	return NAMED_NAME;
}

/* Addresses and numbers are not names: their form identifies them. */
static bool is_address(const char *s)
{
	struct redact none = {0};
	struct buf out;
	bool yes;

	buf_init(&out, 4096);
	yes = redact_take_address(&none, s, 0, strlen(s), &out) == strlen(s);
	buf_free(&out);
	for (size_t i = 0; i < none.list.n; i++)
		free(none.list.at[i].to);
	vec_free(&none.list);
	vec_free(&none.addresses.nodes);
	return yes;
}

static bool is_number(const char *s)
{
	return s[strspn(s, "0123456789.,+-")] == '\0' && strlen(s) < ANYWHERE_LEN + 1;
}

static void learn_domain(struct redact *r, const char *domain)
{
	bool letters = false;

	for (const char *p = domain; *p; p++)
		letters |= isalpha((unsigned char)*p) != 0;
	if (letters && strlen(domain) >= 3)
		(void)redact_word(r, NAMED_DOMAIN, domain, strlen(domain));
}

/* Words shared by many names, for a kind of thing and not for an owner. */
static bool is_vocabulary(const char *s, size_t n)
{
	static const char *const words[] = {"access", "accel", "aggregation", "backend", "border",
		"center", "centre", "cluster", "compute", "control", "controller", "default",
		"device", "ethernet", "fabric", "frontend", "gateway", "group", "infiniband",
		"infra", "interface", "internal", "leafs", "leaves", "local", "login", "management",
		"master", "mellanox", "network", "nodes", "nvidia", "arista", "cisco", "juniper",
		"cumulus", "optic", "plane", "prod", "production", "racks", "rails", "router",
		"server", "service", "slurm", "sonic", "spine", "spines", "staging", "stage",
		"storage", "super", "superspine", "switch", "switches", "tenant", "tests", "train",
		"training", "inference", "trunk", "uplink", "downlink", "virtual", "worker",
		"workers", "north", "south", "dgxhost", "gpuhost", "admin", "operator", "support",
		"queue", "pause", "storm", "counter", "watchdog", "priority", "lossless", "traffic",
		"congestion", "error", "state", "speed", "cable", "module", "power", "temperature",
		"system", "version", "description"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && strncasecmp(words[i], s, n) == 0)
			return true;
	return is_common(s, n);
}

/* "tor-frankfurt-07" contains a place, which people also write on its own. */
static void learn_components(struct redact *r, const char *name)
{
	while (*name && *name != '.') {
		size_t n = 0;

		while (isalpha((unsigned char)name[n]))
			n++;
		/* Only a part that is all letters between separators. Not "r3" or "a07". */
		if (n >= ANYWHERE_LEN && (!name[n] || strchr("-_.", name[n])) &&
			!is_vocabulary(name, n))
			(void)redact_word(r, NAMED_NAME, name, n);
		while (*name && !strchr("-_.", *name))
			name++;
		name += *name == '-' || *name == '_';
	}
}

void redact_learn(struct redact *r, const char *kind, const char *original)
{
	enum redact_kind k = kind_by_name(kind);
	const char *dot;
	uint32_t whole, *alias;

	if (k == NAMED_KEEP && original && is_address(original))
		(void)redact_word(r, k, original, strlen(original));
	if (!original || !*original || is_number(original) || is_address(original))
		return;
	dot = k <= NAMED_NAME ? strchr(original, '.') : NULL;
	if (dot && (dot == original || !dot[1]))
		dot = NULL;
	if (dot)
		learn_domain(r, dot + 1);
	/* The name without its domain is the same device and gets the same replacement. */
	if (dot && !is_common(original, (size_t)(dot - original))) {
		(void)redact_word(r, k, original, (size_t)(dot - original));
		if (trie_get(&r->words, original, strlen(original)))
			return;
		whole = trie_get(&r->words, original, (size_t)(dot - original));
		alias = trie_put(&r->words, original, strlen(original));
		*alias = (uint32_t)r->list.n + 1;
		vec_push(&r->list, (struct redact_word){.to = mem_strdup(r->list.at[whole - 1].to),
					   .kind = r->list.at[whole - 1].kind,
					   .anywhere = true});
		return;
	}
	if (!is_common(original, strlen(original)))
		(void)redact_word(r, k, original, strlen(original));
}

struct redact *redact_new(const struct plan *plan)
{
	static const char *const tiers[TIER_COUNT] = {"host", "leaf", "spine", "superspine"};
	struct redact *r = mem_calloc(1, sizeof(*r));

	redact_learn(r, "fabric", plan->fabric);
	for (size_t i = 0; i < plan->devices.n; i++)
		redact_learn(r, tiers[plan->devices.at[i].tier], plan->devices.at[i].name);
	learn_components(r, plan->fabric);
	for (size_t i = 0; i < plan->devices.n; i++)
		learn_components(r, plan->devices.at[i].name);
	for (size_t i = 0; i < plan->devices.n; i++) {
		const struct plan_device *d = &plan->devices.at[i];

		redact_learn(r, "user", d->user);
		redact_learn(r, "name", d->address);
		redact_learn(r, "name", d->rack);
	}
	for (size_t i = 0; i < plan->jobs.n; i++)
		redact_learn(r, "job", plan->jobs.at[i].name);
	return r;
}

struct redact *redact_new_secrets(const struct model *m)
{
	struct redact *r = mem_calloc(1, sizeof(*r));

	r->names_stay = true;
	for (size_t i = 0; m && i < m->devices.n; i++)
		redact_learn(r, "keep", m->devices.at[i]->name);
	for (size_t i = 0; m && i < m->nccl->jobs.n; i++)
		redact_learn(r, "keep", m->nccl->jobs.at[i]->name);
	return r;
}

void redact_free(struct redact *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->list.n; i++)
		free(r->list.at[i].to);
	vec_free(&r->list);
	vec_free(&r->words.nodes);
	vec_free(&r->addresses.nodes);
	vec_free(&r->sessions);
	vec_free(&r->numbers);
	free(r);
}

void redact_text(void *redact, char *text, size_t size)
{
	struct redact *r = redact;
	struct buf out;
	size_t n = strnlen(text, size);

	if (!n)
		return;
	buf_init(&out, n * 64 + 256);
	r->cut = n + 1 >= size;
	redact_scan(r, text, n, &out);
	r->cut = false;
	if (!str_copyn(text, size, out.data ? out.data : "", out.len)) {
		/* Removes a cut UTF-8 character. */
		for (n = strlen(text); n && ((unsigned char)text[n - 1] & 0xc0) == 0x80; n--)
			text[n - 1] = '\0';
		if (n && (unsigned char)text[n - 1] >= 0xc0)
			text[n - 1] = '\0';
	}
	buf_free(&out);
}

char *redact_document(struct redact *r, const char *text, size_t n, size_t *out_n)
{
	struct buf out;

	buf_init(&out, n * 64 + 4096);
	redact_scan(r, text, n, &out);
	return buf_take(&out, out_n);
}

char *redact_summary(const struct redact *r)
{
	json_t *root = json_object(), *list = json_object();
	char *text;

	for (int k = 0; k < NAMED_KEEP; k++) {
		json_int_t names = 0, times = 0;

		for (size_t i = 0; i < r->list.n; i++) {
			names += r->list.at[i].kind == k;
			times += r->list.at[i].kind == k ? (json_int_t)r->list.at[i].times : 0;
		}
		if (k == NAMED_SECRET)
			times = (json_int_t)r->secrets;
		if (names || times)
			json_put(list, kinds[k].name,
				json_pack("{s:I, s:I}", "originals", names, "times", times));
	}
	json_put(root, "replaced", list);
	json_put(root, "note",
		json_string("Each original has one replacement in this file. Secrets were "
			    "dropped. The hash chain of ledger lines cannot be checked any more; "
			    "port names, counters, models and versions are as they were."));
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return text ? text : mem_strdup("{}");
}
