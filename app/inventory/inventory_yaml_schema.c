/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of fabric.yaml: one table for each kind of map. man/railtop-fabric.5 documents them.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "backends/contract/backend.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

#define LIST_MAX 65536 /* limit of a bracket list in bytes */

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

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
	struct name_suggestions near;
	size_t len = 0;

	name_suggestions_init(&near, name);
	for (size_t i = 0; i < nkeys; i++) {
		name_suggestions_offer(&near, keys[i].name);
		(void)str_printf(
			all + len, sizeof(all) - len, "%s%s", len ? ", " : "", keys[i].name);
		len += strlen(all + len);
	}
	(void)problem_add(
		r->problems, yaml_line(n), r->place, "the key \"%.60s\" is not allowed here", name);
	if (names_secret(name))
		return problem_cure(r->problems,
			"this file must not contain a secret: use credentials: with "
			"env:NAME, file:PATH, command:COMMAND or netrc:PATH");
	if (name_suggestions_format(&near, nearest, sizeof(nearest)))
		return problem_cure(r->problems, "did you mean %s?", nearest);
	return problem_cure(r->problems, "allowed: %s", all);
}

static bool read_pair(struct reader *r, const yaml_node_t *k, const yaml_node_t *v,
	const struct key *keys, size_t nkeys, void *into, uint64_t *seen)
{
	const char *name;
	size_t len, i;
	bool ok;

	if (!yaml_text(r, k, "a key", YAML_TEXT_MAX, &name))
		return false;
	for (i = 0; i < nkeys && strcmp(keys[i].name, name) != 0; i++)
		;
	if (i == nkeys)
		return unknown_key(r, k, name, keys, nkeys);
	if (*seen & UINT64_C(1) << i)
		return problem_add(
			r->problems, yaml_line(k), r->place, "the key \"%s\" is given twice", name);
	*seen |= UINT64_C(1) << i;
	len = place_push(r, name);
	ok = keys[i].read(r, v, (char *)into + keys[i].offset);
	r->place[len] = '\0';
	return ok;
}

bool yaml_read_map(
	struct reader *r, const yaml_node_t *n, const struct key *keys, size_t nkeys, void *into)
{
	uint64_t seen = 0;
	bool ok = true;

	if (n->type != YAML_MAPPING_NODE)
		return yaml_expected(r, n, "a map of keys");
	for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
		p < n->data.mapping.pairs.top && !problems_full(r->problems); p++) {
		ok &= read_pair(r, yaml_document_get_node(r->doc, p->key),
			yaml_document_get_node(r->doc, p->value), keys, nkeys, into, &seen);
	}
	return ok;
}

bool yaml_read_items(struct reader *r, const yaml_node_t *n, yaml_read_fn *read, void *to)
{
	bool ok = true;
	size_t i = 0;

	if (n->type != YAML_SEQUENCE_NODE)
		return yaml_is_null(n) ? yaml_expected(r, n, "a list") : read(r, n, to);
	for (const yaml_node_item_t *item = n->data.sequence.items.start;
		item < n->data.sequence.items.top && !problems_full(r->problems); item++) {
		size_t len = place_push_index(r, i++);

		ok &= read(r, yaml_document_get_node(r->doc, *item), to);
		r->place[len] = '\0';
	}
	return ok;
}

/* A bracket list. Several are joined with commas. */
static bool add_to_list(struct reader *r, const yaml_node_t *n, void *to)
{
	struct buf *b = to;
	const char *text;

	if (!yaml_text(r, n, "a name or a bracket list", LIST_MAX, &text))
		return false;
	if ((!b->len || buf_adds(b, ",")) && buf_adds(b, text))
		return true;
	return problem_add(r->problems, yaml_line(n), r->place, "the list is too long");
}

bool yaml_read_list(struct reader *r, const yaml_node_t *n, void *to)
{
	struct buf b;
	bool ok;

	buf_init(&b, LIST_MAX);
	ok = yaml_read_items(r, n, add_to_list, &b);
	if (ok && !b.len)
		ok = yaml_expected(r, n, "a name or a bracket list");
	if (ok)
		yaml_put(to, b.data);
	buf_free(&b);
	return ok;
}

/* ---- lossless ---- */

static bool add_priority(struct reader *r, const yaml_node_t *n, void *to)
{
	unsigned prio = 0;

	if (!yaml_number(r, n, 0, 7, &prio))
		return false;
	*(uint8_t *)to = (uint8_t)(*(uint8_t *)to | 1U << prio);
	return true;
}

static bool read_priorities(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, add_priority, to);
}

static bool read_dscp_map(struct reader *r, const yaml_node_t *n, void *to)
{
	int8_t *prio_of = to;
	bool ok = true;

	if (n->type != YAML_MAPPING_NODE)
		return yaml_expected(r, n, "a map from DSCP to priority");
	for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
		p < n->data.mapping.pairs.top && !problems_full(r->problems); p++) {
		unsigned dscp = 0, prio = 0;

		if (yaml_number(r, yaml_document_get_node(r->doc, p->key), 0, 63, &dscp) &&
			yaml_number(r, yaml_document_get_node(r->doc, p->value), 0, 7, &prio))
			prio_of[dscp] = (int8_t)prio;
		else
			ok = false;
	}
	return ok;
}

static bool read_ecn(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"min", yaml_read_bytes, offsetof(struct lossless, ecn_min_bytes)},
		{"max", yaml_read_bytes, offsetof(struct lossless, ecn_max_bytes)},
	};
	const struct lossless *l = to;

	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	if (l->ecn_min_bytes && l->ecn_max_bytes && l->ecn_min_bytes > l->ecn_max_bytes)
		return problem_add(r->problems, yaml_line(n), r->place, "min is above max");
	return true;
}

static bool read_lossless(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"priorities", read_priorities, offsetof(struct lossless, priorities)},
		{"dscp", read_dscp_map, offsetof(struct lossless, dscp_prio)},
		{"cnp_dscp", yaml_read_dscp, offsetof(struct lossless, cnp_dscp)},
		{"ecn", read_ecn, 0},
	};

	return yaml_read_map(r, n, keys, COUNT_OF(keys), to);
}

/* ---- switches and hosts ---- */

#define ACCESS_KEYS(at)                                                                            \
	{"interval", yaml_read_interval, (at) + offsetof(struct access, interval_us)},             \
		{"medium_interval", yaml_read_interval,                                            \
			(at) + offsetof(struct access, medium_us)},                                \
		{"slow_interval", yaml_read_interval, (at) + offsetof(struct access, slow_us)},    \
		{"poll", yaml_read_poll, (at) + offsetof(struct access, poll)},                    \
		{"user", yaml_read_text, (at) + offsetof(struct access, user)},                    \
		{"identity", yaml_read_path, (at) + offsetof(struct access, identity)},            \
		{"credentials", yaml_read_credentials,                                             \
			(at) + offsetof(struct access, credentials)},                              \
		{"ssh_config", yaml_read_path, (at) + offsetof(struct access, ssh_config)},        \
		{"known_hosts", yaml_read_path, (at) + offsetof(struct access, known_hosts)},      \
		{"jump", yaml_read_jump, (at) + offsetof(struct access, jump)},                    \
	{                                                                                          \
		"tls_ca", yaml_read_path, (at) + offsetof(struct access, tls_ca)                   \
	}

#define GROUP_KEYS                                                                                 \
	{"names", read_names, 0}, {"dialect", yaml_read_dialect, offsetof(struct group, dialect)}, \
		{"transport", read_group_transport, 0}, {"source", read_source, 0},                \
		{"address", read_address, 0},                                                      \
		{"port", yaml_read_tcp_port, offsetof(struct group, port)},                        \
		{"net", yaml_read_net, offsetof(struct group, net)}, {"nets", read_nets, 0},       \
		{"site", read_site, 0}, ACCESS_KEYS(offsetof(struct group, access))

static bool read_site(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;
	char *text = NULL;
	bool ok = yaml_read_text(r, n, &text);

	if (ok && strlen(text) >= sizeof(g->site))
		ok = yaml_expected(r, n, "a name of at most 23 characters");
	else if (ok)
		(void)str_sanitise(g->site, sizeof(g->site), text, strlen(text));
	free(text);
	return ok;
}

static bool read_names(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->names_line = yaml_line(n);
	return yaml_read_list(r, n, &g->names);
}

static bool read_address(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->address_line = yaml_line(n);
	if (!yaml_read_list(r, n, &g->address))
		return false;
	if (g->address[0] != '-')
		return true;
	return problem_add(
		r->problems, yaml_line(n), r->place, "an address does not begin with '-'");
}

/* Ports that are of another network than their device. */
static bool read_nets(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[NET_COUNT] = {
		{"backend", yaml_read_list, NET_BACKEND * sizeof(char *)},
		{"storage", yaml_read_list, NET_STORAGE * sizeof(char *)},
		{"frontend", yaml_read_list, NET_FRONTEND * sizeof(char *)},
		{"oob", yaml_read_list, NET_OOB * sizeof(char *)},
	};
	struct group *g = to;

	g->nets_line = yaml_line(n);
	return yaml_read_map(r, n, keys, COUNT_OF(keys), g->nets);
}

static bool read_rails(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;

	g->rails_line = yaml_line(n);
	return yaml_read_list(r, n, &g->rails);
}

/* The transport "none" is allowed here: only the engine has data of such devices. */
static bool read_group_transport(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;
	const char *text;

	g->transport_line = yaml_line(n);
	if (!r->inv->has_engine || n->type != YAML_SCALAR_NODE ||
		!yaml_text(r, n, "a transport", YAML_TEXT_MAX, &text) || !str_eq(text, "none"))
		return yaml_read_transport(r, n, &g->transport);
	yaml_put(&g->transport, text);
	return true;
}

static bool read_source(struct reader *r, const yaml_node_t *n, void *to)
{
	struct group *g = to;
	const char *text;

	g->source_line = yaml_line(n);
	if (!yaml_text(r, n, "a source", YAML_TEXT_MAX, &text))
		return false;
	if (!str_eq(text, "engine") && !str_eq(text, "direct"))
		return yaml_not_a(r, n, text, "source", "engine, direct");
	g->source = str_eq(text, "engine") ? SOURCE_ENGINE : SOURCE_DIRECT;
	if (g->source == SOURCE_DIRECT || r->inv->has_engine)
		return true;
	(void)problem_add(r->problems, yaml_line(n), r->place, "the file has no engine:");
	return problem_cure(r->problems, "add engine: {url: https://...}, or use direct");
}

static const char *transport_words(unsigned set)
{
	bool ssh = set & 1U << TRANSPORT_SSH, https = set & 1U << TRANSPORT_HTTPS;

	return ssh && https ? "ssh, https" : ssh ? "ssh" : "https";
}

/* True for devices that are never polled directly: no transport or "none", and no direct source. */
static bool by_engine_only(const struct reader *r, const struct group *g)
{
	if (!r->inv->has_engine || g->source == SOURCE_DIRECT)
		return false;
	return g->transport ? str_eq(g->transport, "none") : !g->dialect;
}

/* Checks that required keys are present, and derives missing values from the dialect. */
static void check_group(struct reader *r, const yaml_node_t *n, struct group *g)
{
	const struct backend_ops *ops;
	enum transport_kind kind;
	bool never_asked = by_engine_only(r, g);

	if (g->source == SOURCE_DEFAULT && r->inv->has_engine)
		g->source = SOURCE_ENGINE;
	if (!g->names)
		(void)problem_add(r->problems, yaml_line(n), r->place, "\"names\" is missing");
	if (!never_asked && g->transport && str_eq(g->transport, "none")) {
		(void)problem_add(r->problems, g->transport_line, r->place,
			"transport \"none\" cannot ask devices directly");
		(void)problem_cure(r->problems, "allowed: ssh, https; or source: engine");
		return;
	}
	if (!g->dialect && !g->host && !never_asked) {
		(void)problem_add(r->problems, yaml_line(n), r->place, "\"dialect\" is missing");
		(void)problem_cure(r->problems, "allowed: %s", backend_names());
	}
	if (g->tier < 0) {
		(void)problem_add(r->problems, yaml_line(n), r->place, "\"tier\" is missing");
		(void)problem_cure(r->problems, "allowed: leaf, spine, superspine");
	}
	if (!g->dialect)
		g->dialect = mem_strdup(g->host ? "linux" : "");
	if (never_asked) {
		free(g->transport);
		g->transport = NULL;
		return;
	}
	ops = backend_by_name(g->dialect);
	if (!g->transport)
		g->transport = mem_strdup(transport_name(
			!ops || ops->transports & 1U << TRANSPORT_SSH ? TRANSPORT_SSH
								      : TRANSPORT_HTTPS));
	if (!ops || !transport_by_name(g->transport, &kind) || ops->transports & 1U << kind)
		return;
	(void)problem_add(r->problems, g->transport_line, r->place,
		"the dialect %s does not work over %s", g->dialect, g->transport);
	(void)problem_cure(r->problems, "allowed: %s", transport_words(ops->transports));
}

static struct group *new_group(struct reader *r, const yaml_node_t *n, bool host)
{
	struct group *g = vec_add(&r->inv->groups);

	(void)str_copy(g->label, sizeof(g->label), r->place);
	g->line = yaml_line(n);
	g->host = host;
	g->tier = host ? TIER_HOST : -1;
	g->rail = -1;
	return g;
}

/* Keys of a topology for railtop-emulator, which reads the same files: nothing to the console. */
static bool read_nothing(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	(void)to;
	return yaml_text(r, n, "a word", YAML_TEXT_MAX, &text);
}

static bool read_switch_group(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {GROUP_KEYS,
		{"tier", yaml_read_tier, offsetof(struct group, tier)},
		{"rail", yaml_read_rail, offsetof(struct group, rail)},
		{"bundles", read_nothing, 0}};
	struct group *g = new_group(r, n, false);
	size_t before = r->problems->at.n;

	(void)to;
	/* After a problem in an item, do not report its consequences. */
	if (yaml_read_map(r, n, keys, COUNT_OF(keys), g) && before == r->problems->at.n)
		check_group(r, n, g);
	return before == r->problems->at.n;
}

static bool read_host_group(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {GROUP_KEYS, {"rails", read_rails, 0},
		{"nics", read_nothing, 0}, {"launcher", read_nothing, 0},
		{"nccl_debug", read_nothing, 0}};
	struct group *g = new_group(r, n, true);
	size_t before = r->problems->at.n;

	(void)to;
	if (yaml_read_map(r, n, keys, COUNT_OF(keys), g) && before == r->problems->at.n)
		check_group(r, n, g);
	return before == r->problems->at.n;
}

static bool read_switches(struct reader *r, const yaml_node_t *n, void *to)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return yaml_expected(r, n, "a list of switches");
	return yaml_read_items(r, n, read_switch_group, to);
}

static bool read_hosts(struct reader *r, const yaml_node_t *n, void *to)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return yaml_expected(r, n, "a list of hosts");
	return yaml_read_items(r, n, read_host_group, to);
}

/* ---- the other keys ---- */

static bool read_defaults(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {ACCESS_KEYS(0)};

	return yaml_read_map(r, n, keys, COUNT_OF(keys), to);
}

static bool read_wiring_plan(struct reader *r, const yaml_node_t *n, void *to)
{
	struct inventory *inv = to;
	const char *text;

	if (!yaml_text(r, n, "a wiring plan", YAML_TEXT_MAX, &text))
		return false;
	if (strcmp(text, "formula") == 0)
		inv->wiring = WIRING_FORMULA;
	else if (strcmp(text, "none") != 0)
		return yaml_not_a(
			r, n, text, "wiring plan", "formula, none; or file: instead of plan:");
	return true;
}

static bool read_wiring(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"plan", read_wiring_plan, 0},
		{"file", yaml_read_path, offsetof(struct inventory, wiring_file)}};
	struct inventory *inv = to;

	inv->wiring_line = yaml_line(n);
	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	if (!inv->wiring_file)
		return true;
	if (inv->wiring == WIRING_FORMULA)
		return problem_add(r->problems, yaml_line(n), r->place,
			"\"plan: formula\" and \"file\" exclude each other");
	inv->wiring = WIRING_FILE;
	return true;
}

static const struct key top_keys[] = {
	{"fabric", yaml_read_fabric_name, offsetof(struct inventory, fabric)},
	{"preset", yaml_read_preset, offsetof(struct inventory, sizing)},
	{"lossless", read_lossless, offsetof(struct inventory, lossless)},
	{"defaults", read_defaults, offsetof(struct inventory, defaults)},
	{"switches", read_switches, 0},
	{"hosts", read_hosts, 0},
	{"jobs", yaml_read_jobs, 0},
	{"pins", yaml_read_pins, 0},
	{"racks", yaml_read_racks, 0},
	{"wiring", read_wiring, 0},
	{"include", yaml_read_include, 0},
	{"actions", yaml_read_actions, offsetof(struct inventory, actions)},
	{"engine", yaml_read_engine, 0},
	{"notify", yaml_read_notify, offsetof(struct inventory, notify)},
};

/* fabric: allows to use the file alone. */
static const struct key part_keys[] = {
	{"fabric", yaml_read_fabric_name, offsetof(struct inventory, fabric)},
	{"defaults", read_defaults, offsetof(struct inventory, defaults)},
	{"switches", read_switches, 0},
	{"hosts", read_hosts, 0},
	{"jobs", yaml_read_jobs, 0},
	{"racks", yaml_read_racks, 0},
	{"wiring", read_wiring, 0},
	{"include", yaml_read_include, 0},
};

/* Groups depend on the engine key, which may follow them in the file. */
static bool has_key(yaml_document_t *doc, const yaml_node_t *root, const char *name)
{
	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
		root->type == YAML_MAPPING_NODE && p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(doc, p->key);

		if (k && k->type == YAML_SCALAR_NODE &&
			str_eq((const char *)k->data.scalar.value, name))
			return true;
	}
	return false;
}

void inventory_read_document(yaml_document_t *doc, struct inventory *inv, struct problems *problems)
{
	struct reader r = {.doc = doc, .inv = inv, .problems = problems, .place = ""};
	const yaml_node_t *root = yaml_document_get_root_node(doc);

	if (!root || yaml_is_null(root)) {
		(void)problem_add(problems, 0, NULL, "is empty");
		(void)problem_cure(problems, "see railtop-fabric(5) for its keys");
		return;
	}
	inv->has_engine = has_key(doc, root, "engine");
	if (root->type != YAML_MAPPING_NODE) {
		(void)yaml_expected(&r, root, "a map of keys");
		(void)problem_cure(problems,
			"an inventory begins with \"fabric: NAME\", see railtop-fabric(5)");
		return;
	}
	if (!yaml_read_map(&r, root, top_keys, COUNT_OF(top_keys), inv))
		return;
	if (!inv->fabric)
		(void)problem_add(problems, yaml_line(root), NULL, "\"fabric\" is missing");
	if (!inv->groups.n) {
		(void)problem_add(
			problems, yaml_line(root), NULL, "no switches and no hosts are given");
		(void)problem_cure(problems, "add switches: or hosts:, see railtop-fabric(5); "
					     "railtop discover and railtop import write them");
	}
	if (inv->wiring == WIRING_FORMULA && !inv->sizing) {
		(void)problem_add(
			problems, inv->wiring_line, "wiring.plan", "the formula needs a preset");
		(void)problem_cure(problems, "add preset: one of %s", sizing_preset_names());
	}
}

void inventory_read_part(yaml_document_t *doc, struct inventory *inv, struct problems *problems)
{
	struct reader r = {.doc = doc, .inv = inv, .problems = problems, .place = ""};
	const yaml_node_t *root = yaml_document_get_root_node(doc);

	if (!root || yaml_is_null(root)) {
		(void)problem_add(problems, 0, NULL, "is empty");
		return;
	}
	if (yaml_read_map(&r, root, part_keys, COUNT_OF(part_keys), inv) &&
		inv->wiring == WIRING_FORMULA)
		(void)problem_add(problems, inv->wiring_line, "wiring.plan",
			"the formula is of the whole fabric: it stands in the first file");
}

static void access_free(struct access *a)
{
	free(a->user);
	free(a->identity);
	free(a->ssh_config);
	free(a->known_hosts);
	free(a->jump);
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
		for (size_t k = 0; k < NET_COUNT; k++)
			free(g->nets[k]);
		free(g->dialect);
		free(g->transport);
		access_free(&g->access);
	}
	vec_free(&inv->groups);
	access_free(&inv->defaults);
	free(inv->fabric);
	free(inv->wiring_file);
	for (size_t i = 0; i < inv->tables.n; i++)
		free(inv->tables.at[i].file);
	vec_free(&inv->tables);
	for (size_t i = 0; i < inv->files.n; i++)
		free(inv->files.at[i]);
	vec_free(&inv->files);
	for (size_t i = 0; i < inv->jobs.n; i++) {
		free(inv->jobs.at[i].path);
		free(inv->jobs.at[i].hosts);
		free(inv->jobs.at[i].url);
		free(inv->jobs.at[i].token);
		free(inv->jobs.at[i].tls_ca);
		free(inv->jobs.at[i].name);
	}
	vec_free(&inv->jobs);
	vec_free(&inv->pins);
	for (size_t i = 0; i < inv->racks.n; i++) {
		free(inv->racks.at[i].rack);
		free(inv->racks.at[i].devices);
		free(inv->racks.at[i].units);
		free(inv->racks.at[i].table);
	}
	vec_free(&inv->racks);
	plan_actions_free(&inv->actions);
	plan_engine_free(&inv->engine);
	plan_notify_free(&inv->notify);
}
