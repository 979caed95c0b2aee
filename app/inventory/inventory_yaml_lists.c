/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/inventory_yaml_lists.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "base/mem.h"
#include "base/str.h"

#define INDENT        2
#define INCLUDE_DEPTH 4

const char *const inventory_list_names[2] = {"switches", "hosts"};

/* ---- lines ---- */

/* The next line, of *n bytes without its end; *at starts at 0. NULL: there is none. */
const char *inventory_line_next(const struct inventory_lists *r, size_t *at, size_t *n)
{
	const char *line = r->text + *at, *end;

	if (*at >= r->len)
		return NULL;
	end = memchr(line, '\n', r->len - *at);
	*n = end ? (size_t)(end - line) : r->len - *at;
	*at += *n + 1;
	return line;
}

/* Likewise the line of this number, from 0. */
static const char *line_at(const struct inventory_lists *r, size_t line, size_t *n)
{
	size_t at = 0;
	const char *text;

	while ((text = inventory_line_next(r, &at, n)) && line--)
		;
	return text;
}

static bool is_empty_line(const struct inventory_lists *r, size_t line)
{
	size_t n, blanks = 0;
	const char *at = line_at(r, line, &n);

	if (!at)
		return true;
	while (blanks < n && strchr(" \t\r", at[blanks]))
		blanks++;
	return blanks == n || at[blanks] == '#';
}

/* The last line of a node: its end may be the beginning of what follows it. */
static size_t last_line(const struct inventory_lists *r, const yaml_node_t *node)
{
	size_t line = node->end_mark.line, first = node->start_mark.line;

	if (line > first && !node->end_mark.column)
		line--;
	while (line > first && is_empty_line(r, line))
		line--;
	return line;
}

/* ---- the file ---- */

static const char *scalar(yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
	yaml_node_pair_t *p;

	if (map->type != YAML_MAPPING_NODE)
		return NULL;
	for (p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(doc, p->key),
				  *v = yaml_document_get_node(doc, p->value);

		if (k->type == YAML_SCALAR_NODE && v->type == YAML_SCALAR_NODE &&
			str_eq((const char *)k->data.scalar.value, key))
			return (const char *)v->data.scalar.value;
	}
	return NULL;
}

typedef VEC(char *) words_vec;

static void add_word(void *ctx, const char *word)
{
	vec_push((words_vec *)ctx, mem_strdup(word));
}

static void read_entry(
	struct inventory_lists *r, yaml_document_t *doc, const yaml_node_t *e, bool host)
{
	const char *names = scalar(doc, e, "names"), *addresses = scalar(doc, e, "address"),
		   *tier = scalar(doc, e, "tier");
	words_vec name = {0}, address = {0};
	struct err err = {0};

	if (names)
		(void)hostlist_expand(names, INVENTORY_DEVICES_MAX, add_word, &name, &err);
	if (addresses)
		(void)hostlist_expand(addresses, INVENTORY_DEVICES_MAX, add_word, &address, &err);
	for (size_t i = 0; i < name.n; i++) {
		struct inventory_entry *x = vec_add(&r->entries);

		(void)str_copy(x->name, sizeof(x->name), name.at[i]);
		(void)str_copy(
			x->address, sizeof(x->address), i < address.n ? address.at[i] : name.at[i]);
		x->tier = host ? TIER_HOST : TIER_LEAF;
		if (tier)
			(void)tier_by_name(tier, &x->tier);
	}
	for (size_t i = 0; i < name.n; i++)
		free(name.at[i]);
	for (size_t i = 0; i < address.n; i++)
		free(address.at[i]);
	vec_free(&name);
	vec_free(&address);
}

static bool read_list(struct inventory_lists *r, yaml_document_t *doc, const yaml_node_t *key,
	const yaml_node_t *list, int which, struct err *err)
{
	struct inventory_place *p = &r->lists[which];
	yaml_node_item_t *i;

	p->exists = true;
	p->line = key->start_mark.line;
	p->indent = INDENT;
	if (list->type == YAML_SCALAR_NODE && !list->data.scalar.length)
		return true;
	if (list->type != YAML_SEQUENCE_NODE ||
		list->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE) {
		err_set(err, ERR_CONFIG, r->path, "line %zu: %s is not a list of one entry a line",
			list->start_mark.line + 1, inventory_list_names[which]);
		return err_cure(err, "write each entry on a line of its own, or use --force");
	}
	p->indent = (unsigned)list->start_mark.column;
	for (i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++) {
		const yaml_node_t *e = yaml_document_get_node(doc, *i);

		p->line = last_line(r, e);
		read_entry(r, doc, e, which == 1);
	}
	return true;
}

/* ---- racks ---- */

static void add_place(
	struct inventory_lists *r, const char *device, const char *rack, const char *unit)
{
	struct inventory_rack *p = vec_add(&r->placed);

	(void)str_copy(p->device, sizeof(p->device), device);
	(void)str_copy(p->rack, sizeof(p->rack), rack);
	(void)str_copy(p->unit, sizeof(p->unit), unit);
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = '\0';
	return text;
}

/* A path of the file, relative to its folder. */
static void path_beside(const struct inventory_lists *r, const char *file, char *dst, size_t size)
{
	const char *slash = r->path ? strrchr(r->path, '/') : NULL;

	if (file[0] == '/' || !slash)
		(void)str_copy(dst, size, file);
	else
		(void)str_printf(dst, size, "%.*s/%s", (int)(slash - r->path), r->path, file);
}

/* "device,rack,unit" a line; comments after '#'. */
static void read_rack_table(struct inventory_lists *r, const char *file)
{
	char path[PATH_MAX], *rest, *row;
	struct buf b;

	path_beside(r, file, path, sizeof(path));
	buf_init(&b, INVENTORY_FILE_MAX);
	if (inventory_slurp(path, &b, NULL) && buf_add(&b, "", 1)) {
		rest = b.data;
		while ((row = strsep(&rest, "\n"))) {
			char *device, *rack, *unit;

			row[strcspn(row, "#")] = '\0';
			device = strsep(&row, ",");
			rack = row ? strsep(&row, ",") : NULL;
			unit = row ? strsep(&row, ",") : NULL;
			if (rack)
				add_place(r, trim(device), trim(rack), unit ? trim(unit) : "");
		}
	}
	buf_free(&b);
}

static void read_rack_entry(struct inventory_lists *r, yaml_document_t *doc, const yaml_node_t *e)
{
	const char *rack = scalar(doc, e, "rack"), *devices = scalar(doc, e, "devices"),
		   *units = scalar(doc, e, "unit"), *table = scalar(doc, e, "file");
	words_vec device = {0}, unit = {0};
	struct err err = {0};

	if (table)
		read_rack_table(r, table);
	if (rack && devices)
		(void)hostlist_expand(devices, INVENTORY_DEVICES_MAX, add_word, &device, &err);
	if (units)
		(void)hostlist_expand(units, INVENTORY_DEVICES_MAX, add_word, &unit, &err);
	for (size_t i = 0; i < device.n; i++)
		add_place(r, device.at[i], rack, i < unit.n ? unit.at[i] : "");
	for (size_t i = 0; i < device.n; i++)
		free(device.at[i]);
	for (size_t i = 0; i < unit.n; i++)
		free(unit.at[i]);
	vec_free(&device);
	vec_free(&unit);
}

/* Nothing can be added to a list that is not written with an entry a line: its racks are known. */
static void read_racks(struct inventory_lists *r, yaml_document_t *doc, const yaml_node_t *key,
	const yaml_node_t *list)
{
	const yaml_node_item_t *i;

	r->has_racks = true;
	r->racks = (struct inventory_place){.line = key->start_mark.line, .indent = INDENT};
	r->racks.exists = list->type == YAML_SCALAR_NODE && !list->data.scalar.length;
	if (list->type != YAML_SEQUENCE_NODE)
		return;
	r->racks.exists = list->data.sequence.style != YAML_FLOW_SEQUENCE_STYLE;
	r->racks.indent = (unsigned)list->start_mark.column;
	for (i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++) {
		const yaml_node_t *e = yaml_document_get_node(doc, *i);

		r->racks.line = last_line(r, e);
		read_rack_entry(r, doc, e);
	}
}

/* Without a file the wiring is the formula's, or there is none. */
static void read_wiring(struct inventory_lists *r, yaml_document_t *doc, const yaml_node_t *value)
{
	const char *file = scalar(doc, value, "file");

	r->has_wiring = true;
	if (file)
		(void)str_copy(r->table, sizeof(r->table), file);
}

/* Devices of included files are known; nothing is added to those files. */
static void read_included(struct inventory_lists *r, const char *file)
{
	char path[PATH_MAX];
	struct inventory_lists part = {.path = path, .depth = r->depth + 1};
	struct buf b;

	path_beside(r, file, path, sizeof(path));
	buf_init(&b, INVENTORY_FILE_MAX);
	if (r->depth < INCLUDE_DEPTH && inventory_slurp(path, &b, NULL)) {
		part.text = b.data ? b.data : "";
		part.len = b.len;
		(void)inventory_lists_read(&part, NULL);
		for (size_t i = 0; i < part.entries.n; i++)
			vec_push(&r->entries, part.entries.at[i]);
		for (size_t i = 0; i < part.placed.n; i++)
			vec_push(&r->placed, part.placed.at[i]);
	}
	vec_free(&part.entries);
	vec_free(&part.placed);
	buf_free(&b);
}

static void read_include(struct inventory_lists *r, yaml_document_t *doc, const yaml_node_t *value)
{
	if (value->type == YAML_SCALAR_NODE)
		read_included(r, (const char *)value->data.scalar.value);
	for (const yaml_node_item_t *i =
			value->type == YAML_SEQUENCE_NODE ? value->data.sequence.items.start : NULL;
		i && i < value->data.sequence.items.top; i++) {
		const yaml_node_t *n = yaml_document_get_node(doc, *i);

		if (n->type == YAML_SCALAR_NODE)
			read_included(r, (const char *)n->data.scalar.value);
	}
}

static bool read_root(struct inventory_lists *r, yaml_document_t *doc, struct err *err)
{
	const yaml_node_t *root = yaml_document_get_root_node(doc);
	yaml_node_pair_t *p;
	bool known = false;

	if (!root)
		return true;
	if (root->type != YAML_MAPPING_NODE || root->data.mapping.style == YAML_FLOW_MAPPING_STYLE)
		return err_set(err, ERR_CONFIG, r->path, "it is not an inventory");
	for (p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(doc, p->key);

		known |= k->type == YAML_SCALAR_NODE &&
			 str_eq((const char *)k->data.scalar.value, "fabric");
		if (k->type == YAML_SCALAR_NODE &&
			str_eq((const char *)k->data.scalar.value, "wiring"))
			read_wiring(r, doc, yaml_document_get_node(doc, p->value));
		if (k->type == YAML_SCALAR_NODE &&
			str_eq((const char *)k->data.scalar.value, "racks"))
			read_racks(r, doc, k, yaml_document_get_node(doc, p->value));
		if (k->type == YAML_SCALAR_NODE &&
			str_eq((const char *)k->data.scalar.value, "include"))
			read_include(r, doc, yaml_document_get_node(doc, p->value));
		for (int which = 0; k->type == YAML_SCALAR_NODE && which < 2; which++)
			if (str_eq((const char *)k->data.scalar.value,
				    inventory_list_names[which]) &&
				!read_list(r, doc, k, yaml_document_get_node(doc, p->value), which,
					err))
				return false;
	}
	/* Another program's file of the same form. */
	return known || r->lists[0].exists || r->lists[1].exists ||
	       err_set(err, ERR_CONFIG, r->path,
		       "it is not an inventory: it has none of fabric, switches, hosts");
}

struct reading {
	struct inventory_lists *lists;
	struct err *err;
	bool ok;
};

static void read_document(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	struct reading *r = ctx;

	(void)problems;
	r->ok = read_root(r->lists, doc, r->err);
}

static void keep_first(void *ctx, const struct err *problem)
{
	struct err *first = ctx;

	if (first->code == ERR_NONE)
		*first = *problem;
}

bool inventory_lists_read(struct inventory_lists *r, struct err *err)
{
	struct problems problems = {.file = r->path};
	struct err first = {0};
	struct reading reading = {.lists = r, .err = err};

	yaml_with_document(r->text, r->len, &problems, read_document, &reading);
	if (problems_report(&problems, keep_first, &first))
		return reading.ok;
	if (err)
		*err = first;
	return err_cure(err, "correct it, or use --force to write it anew");
}
