/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/topology_internal.h"

/* Reads devices and wiring from the inventory; ignores keys of other readers. */

#define TEXT_MAX 65536U

struct reader {
	yaml_document_t doc;
	struct topo_file *file;
	struct err *err;
};

bool topo_wrong(struct err *err, const char *path, unsigned line, const char *fmt, ...)
{
	char origin[sizeof(err->origin)], text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)str_printf(origin, sizeof(origin), "%s:%u", path, line);
	return err_set(err, ERR_CONFIG, origin, "%s", text);
}

static unsigned line_of(const yaml_node_t *n)
{
	return (unsigned)n->start_mark.line + 1;
}

static bool not_a(const struct reader *r, const yaml_node_t *n, const char *text, const char *what,
	const char *allowed)
{
	(void)topo_wrong(r->err, r->file->path, line_of(n), "\"%.60s\" is not a %s", text, what);
	return err_cure(r->err, "allowed: %s", allowed);
}

static bool is_plain(const char *text)
{
	while (*text && !iscntrl((unsigned char)*text))
		text++;
	return !*text;
}

/* The text of a scalar, never empty; NULL with *err if the node is not a scalar or is empty. */
static const char *text_of(const struct reader *r, const yaml_node_t *n, const char *what)
{
	const char *text = (const char *)n->data.scalar.value;

	if (n->type == YAML_SCALAR_NODE && n->data.scalar.length && is_plain(text) &&
		strlen(text) == n->data.scalar.length && n->data.scalar.length < TEXT_MAX)
		return text;
	(void)topo_wrong(r->err, r->file->path, line_of(n), "%s is expected", what);
	return NULL;
}

/* ---- values ---- */

typedef bool read_fn(struct reader *r, const yaml_node_t *n, void *to);

static bool read_fabric(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_file *f = to;
	const char *text = text_of(r, n, "the name of the fabric");

	if (!text)
		return false;
	free(f->fabric);
	f->fabric = mem_strdup(text);
	return true;
}

static bool read_preset(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_file *f = to;
	const char *text = text_of(r, n, "a preset");

	if (!text)
		return false;
	f->sizing = sizing_preset(text);
	return f->sizing || not_a(r, n, text, "preset", sizing_preset_names());
}

static bool add_text(struct reader *r, const yaml_node_t *n, struct buf *b)
{
	const char *text = text_of(r, n, "a name or a bracket list");

	if (!text)
		return false;
	return (!b->len || buf_adds(b, ",")) && buf_adds(b, text)
		       ? true
		       : topo_wrong(r->err, r->file->path, line_of(n), "the list is too long");
}

/* A bracket list, or a sequence of them, which is joined. */
static bool read_list(struct reader *r, const yaml_node_t *n, char **to)
{
	bool ok = true;
	struct buf b;

	buf_init(&b, TEXT_MAX);
	if (n->type != YAML_SEQUENCE_NODE)
		ok = add_text(r, n, &b);
	else
		for (const yaml_node_item_t *i = n->data.sequence.items.start;
			ok && i < n->data.sequence.items.top; i++)
			ok = add_text(r, yaml_document_get_node(&r->doc, *i), &b);
	free(*to);
	*to = buf_take(&b, NULL);
	buf_free(&b);
	return ok;
}

static bool read_names(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_list(r, n, &((struct topo_group *)to)->names);
}

static bool read_rails(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_list(r, n, &((struct topo_group *)to)->rails);
}

static bool read_dialect(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_group *g = to;
	const char *text = text_of(r, n, "a dialect");

	if (!text)
		return false;
	if (g->tier == TIER_HOST && strcmp(text, "linux") != 0)
		return not_a(r, n, text, "dialect of hosts", "linux");
	/* The tier of a switch may come later; all switch tiers have the same platforms. */
	g->platform = topo_default_platform(g->tier, text);
	if (!g->platform || strcmp(g->platform->dialect, text) != 0)
		return not_a(r, n, text, "dialect", "sonic, eos, cumulus, nxos, linux");
	return true;
}

static bool read_tier(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_group *g = to;
	const char *text = text_of(r, n, "a tier");

	if (!text)
		return false;
	if (tier_by_name(text, &g->tier) && g->tier != TIER_HOST)
		return true;
	return not_a(r, n, text, "tier of switches",
		"leaf, spine, superspine, or rtsw, tor, ctsw, atsw");
}

static bool read_net(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text = text_of(r, n, "a network");

	for (int i = 0; text && i < NET_COUNT; i++) {
		if (strcasecmp(text, net_kind_name((enum net_kind)i)) == 0) {
			((struct topo_group *)to)->net = (enum net_kind)i;
			return true;
		}
	}
	return text && not_a(r, n, text, "network", "backend, storage, frontend, oob");
}

static bool read_rail(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text = text_of(r, n, "the number of a rail");
	uint64_t v;

	if (!text)
		return false;
	if (!str_to_u64(text, &v) || v > 63)
		return not_a(r, n, text, "rail", "0 to 63");
	((struct topo_group *)to)->rail = (int)v;
	return true;
}

/* Least members of a bundle of uplinks. */
static bool read_bundles(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_group *g = to;
	const char *text = text_of(r, n, "the least members of a bundle");
	uint64_t v;

	if (!text)
		return false;
	if (g->tier == TIER_HOST || !str_to_u64(text, &v) || v < 1 || v > 64)
		return not_a(r, n, text, "number of members of switches' bundles", "1 to 64");
	g->bundle_min = (unsigned)v;
	return true;
}

/* The kind of a host's NICs. */
static bool read_nics(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_group *g = to;
	const char *text = text_of(r, n, "the kind of the NICs");

	if (!text)
		return false;
	if (g->tier == TIER_HOST && sim_host_platform(text)) {
		g->platform = sim_host_platform(text);
		return true;
	}
	return not_a(r, n, text, "kind of NICs of hosts", "connectx, two-port, bond, ionic, bnxt");
}

static bool read_launcher(struct reader *r, const yaml_node_t *n, void *to)
{
	static const char *const names[LAUNCHERS] = {
		"plain", "mpirun", "srun", "ray", "kubectl", "torchrun"};
	const char *text = text_of(r, n, "a launcher");

	for (int i = 0; text && i < LAUNCHERS; i++) {
		if (strcmp(text, names[i]) == 0) {
			((struct topo_group *)to)->nccl.launcher = (enum sim_launcher)i;
			return true;
		}
	}
	return text && not_a(r, n, text, "launcher", "plain, mpirun, srun, ray, kubectl, torchrun");
}

static bool read_nccl_debug(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text = text_of(r, n, "a level");

	if (!text)
		return false;
	((struct topo_group *)to)->nccl.info = strcmp(text, "INFO") == 0;
	return strcmp(text, "INFO") == 0 || strcmp(text, "WARN") == 0 ||
	       not_a(r, n, text, "level of NCCL_DEBUG", "INFO, WARN");
}

static bool read_job_source(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_file *f = to;
	const char *text = text_of(r, n, "a source of jobs");

	if (!text)
		return false;
	/* The emulator's hosts have no other source; the console refuses unknown ones. */
	if (strcmp(text, "nccl-log") == 0 || strcmp(text, "nccl-ras") == 0 ||
		strcmp(text, "processes") == 0)
		(void)str_copy(f->job_source, sizeof(f->job_source), text);
	return true;
}

/* Relative to the inventory's own directory. */
static bool read_wiring_file(struct reader *r, const yaml_node_t *n, void *to)
{
	struct topo_file *f = to;
	const char *text = text_of(r, n, "a path"), *slash = strrchr(f->path, '/'), *home;
	struct buf b;

	if (!text)
		return false;
	buf_init(&b, (size_t)2 * TEXT_MAX);
	home = text[0] == '~' && text[1] == '/' ? getenv("HOME") : NULL;
	if (home)
		(void)buf_addf(&b, "%s%s", home, text + 1);
	else if (text[0] == '/' || !slash)
		(void)buf_adds(&b, text);
	else
		(void)buf_addf(&b, "%.*s/%s", (int)(slash - f->path), f->path, text);
	free(f->wiring);
	f->wiring = buf_take(&b, NULL);
	f->wiring_line = line_of(n);
	return true;
}

/* ---- maps ---- */

struct key {
	const char *name;
	read_fn *read;
};

static bool read_pair(struct reader *r, const yaml_node_pair_t *pair, const struct key *keys,
	size_t nkeys, void *to)
{
	const yaml_node_t *k = yaml_document_get_node(&r->doc, pair->key);
	const yaml_node_t *v = yaml_document_get_node(&r->doc, pair->value);
	const char *name = text_of(r, k, "a key");

	for (size_t i = 0; name && i < nkeys; i++)
		if (strcmp(keys[i].name, name) == 0)
			return keys[i].read(r, v, to);
	return name != NULL;
}

static bool read_map(
	struct reader *r, const yaml_node_t *n, const struct key *keys, size_t nkeys, void *to)
{
	if (n->type != YAML_MAPPING_NODE)
		return topo_wrong(r->err, r->file->path, line_of(n), "a map of keys is expected");
	for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
		p++)
		if (!read_pair(r, p, keys, nkeys, to))
			return false;
	return true;
}

#define READ_MAP(r, n, keys, to) read_map(r, n, keys, sizeof(keys) / sizeof((keys)[0]), to)

static bool check_group(const struct reader *r, const struct topo_group *g)
{
	if (!g->names)
		return topo_wrong(r->err, r->file->path, g->line, "\"names\" is missing");
	if (!g->platform) {
		(void)topo_wrong(r->err, r->file->path, g->line, "\"dialect\" is missing");
		return err_cure(r->err, "allowed: sonic, eos, cumulus, nxos, linux");
	}
	if (g->tier != TIER_COUNT)
		return true;
	(void)topo_wrong(r->err, r->file->path, g->line, "\"tier\" is missing");
	return err_cure(r->err, "allowed: leaf, spine, superspine");
}

static bool read_group(struct reader *r, const yaml_node_t *n, enum tier tier)
{
	static const struct key keys[] = {{"names", read_names}, {"dialect", read_dialect},
		{"tier", read_tier}, {"net", read_net}, {"rail", read_rail}, {"rails", read_rails},
		{"nics", read_nics}, {"launcher", read_launcher}, {"nccl_debug", read_nccl_debug},
		{"bundles", read_bundles}};
	struct topo_group *g = vec_add(&r->file->groups);

	g->line = line_of(n);
	g->tier = tier;
	g->rail = -1;
	g->platform = tier == TIER_HOST ? sim_platform("linux") : NULL;
	return READ_MAP(r, n, keys, g) && check_group(r, g);
}

static bool read_groups(struct reader *r, const yaml_node_t *n, enum tier tier)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return topo_wrong(
			r->err, r->file->path, line_of(n), "a list of groups is expected");
	for (const yaml_node_item_t *i = n->data.sequence.items.start;
		i < n->data.sequence.items.top; i++)
		if (!read_group(r, yaml_document_get_node(&r->doc, *i), tier))
			return false;
	return true;
}

/* TIER_COUNT: the group must state its tier. */
static bool read_switches(struct reader *r, const yaml_node_t *n, void *to)
{
	(void)to;
	return read_groups(r, n, TIER_COUNT);
}

static bool read_hosts(struct reader *r, const yaml_node_t *n, void *to)
{
	(void)to;
	return read_groups(r, n, TIER_HOST);
}

static bool read_wiring(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"file", read_wiring_file}};

	return READ_MAP(r, n, keys, to);
}

/* A list of sources is the console's; the emulator has one. */
static bool read_jobs(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"source", read_job_source}};

	return n->type != YAML_MAPPING_NODE || READ_MAP(r, n, keys, to);
}

static bool read_root(struct reader *r)
{
	static const struct key keys[] = {{"fabric", read_fabric}, {"preset", read_preset},
		{"switches", read_switches}, {"hosts", read_hosts}, {"wiring", read_wiring},
		{"jobs", read_jobs}};
	const yaml_node_t *root = yaml_document_get_root_node(&r->doc);
	struct topo_file *f = r->file;

	if (!root)
		return err_set(r->err, ERR_CONFIG, f->path, "is empty");
	if (!READ_MAP(r, root, keys, f))
		return false;
	if (!f->fabric)
		return topo_wrong(r->err, f->path, line_of(root), "\"fabric\" is missing");
	if (!f->groups.n)
		return topo_wrong(r->err, f->path, line_of(root), "no switches and no hosts");
	if (f->sizing || f->wiring)
		return true;
	(void)topo_wrong(r->err, f->path, line_of(root), "nothing says how devices are wired");
	return err_cure(r->err, "add wiring: {file: links.csv}, or preset: one of %s",
		sizing_preset_names());
}

/* ---- files ---- */

bool topo_slurp(const char *path, struct buf *b, struct err *err)
{
	char block[65536];
	FILE *f = fopen(path, "re");
	bool ok = true;
	size_t n;

	if (!f)
		return err_set(err, ERR_CONFIG, path, "cannot read: %s", strerror(errno));
	while (ok && (n = fread(block, 1, sizeof(block), f)) > 0)
		ok = buf_add(b, block, n);
	if (!ok)
		err_set(err, ERR_CONFIG, path, "is larger than %zu MB", b->cap >> 20);
	else if (ferror(f))
		ok = err_set(err, ERR_CONFIG, path, "cannot read: %s", strerror(errno));
	(void)fclose(f);
	return ok;
}

static bool parse_inventory(struct reader *r, const struct buf *b)
{
	yaml_parser_t y;
	bool ok;

	if (!yaml_parser_initialize(&y))
		return err_set(r->err, ERR_INTERNAL, "libyaml", "cannot start");
	yaml_parser_set_input_string(&y, (const unsigned char *)b->data, b->len);
	ok = yaml_parser_load(&y, &r->doc);
	if (ok) {
		ok = read_root(r);
		yaml_document_delete(&r->doc);
	} else {
		(void)topo_wrong(r->err, r->file->path, (unsigned)y.problem_mark.line + 1,
			"not YAML: %s", y.problem ? y.problem : "cannot be read");
	}
	yaml_parser_delete(&y);
	return ok;
}

bool topo_file_read(const char *path, struct topo_file *f, struct err *err)
{
	struct reader r = {.file = f, .err = err};
	struct buf b;
	bool ok;

	*f = (struct topo_file){.path = path};
	buf_init(&b, TOPO_FILE_MAX);
	ok = topo_slurp(path, &b, err);
	if (ok && !b.len)
		ok = err_set(err, ERR_CONFIG, path, "is empty");
	ok = ok && parse_inventory(&r, &b);
	buf_free(&b);
	return ok;
}

void topo_file_free(struct topo_file *f)
{
	for (size_t i = 0; i < f->groups.n; i++) {
		free(f->groups.at[i].names);
		free(f->groups.at[i].rails);
	}
	vec_free(&f->groups);
	free(f->fabric);
	free(f->wiring);
}
