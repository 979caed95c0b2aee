/* SPDX-License-Identifier: Apache-2.0 */
/*
 * include: other files with switches, hosts, jobs and tables of cables. A file that is included may
 * have defaults: for its own devices, and may include others. What is of the whole fabric stands in
 * the first file.
 */
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "base/mem.h"
#include "base/str.h"

#define DEPTH_MAX 4
#define FILES_MAX 256

/* ---- taking over ---- */

static void inherit(char **own, const char *from)
{
	if (!*own && from)
		*own = mem_strdup(from);
}

/* The defaults of the file go before those of the first one. */
static void inherit_access(struct access *a, const struct access *from)
{
	inherit(&a->user, from->user);
	inherit(&a->identity, from->identity);
	inherit(&a->ssh_config, from->ssh_config);
	inherit(&a->known_hosts, from->known_hosts);
	inherit(&a->jump, from->jump);
	inherit(&a->tls_ca, from->tls_ca);
	inherit(&a->credentials, from->credentials);
	a->interval_us = a->interval_us ? a->interval_us : from->interval_us;
	a->medium_us = a->medium_us ? a->medium_us : from->medium_us;
	a->slow_us = a->slow_us ? a->slow_us : from->slow_us;
	a->poll = a->poll ? a->poll : from->poll;
}

static void add_table(struct inventory *inv, char *file, unsigned line, const char *stated_in)
{
	struct table_file *t = vec_add(&inv->tables);

	t->file = file;
	t->line = line;
	t->stated_in = stated_in;
}

/* Moves the contents of an included file to the one that includes it. */
static void take_part(struct inventory *inv, struct inventory *part, const char *file)
{
	for (size_t i = 0; i < part->groups.n; i++) {
		struct group *g = &part->groups.at[i];

		if (!g->file)
			g->file = file;
		inherit_access(&g->access, &part->defaults);
		vec_push(&inv->groups, *g);
	}
	for (size_t t = 0; t < TIER_COUNT; t++)
		if (!inv->tier_words[t][0])
			(void)str_copy(inv->tier_words[t], TIER_TEXT, part->tier_words[t]);
	for (size_t i = 0; i < part->jobs.n; i++)
		vec_push(&inv->jobs, part->jobs.at[i]);
	for (size_t i = 0; i < part->racks.n; i++) {
		struct rack_entry *e = &part->racks.at[i];

		if (!e->file)
			e->file = file;
		vec_push(&inv->racks, *e);
	}
	if (part->wiring_file)
		add_table(inv, part->wiring_file, part->wiring_line, file);
	for (size_t i = 0; i < part->tables.n; i++)
		vec_push(&inv->tables, part->tables.at[i]);
	for (size_t i = 0; i < part->files.n; i++)
		vec_push(&inv->files, part->files.at[i]);
	part->groups.n = part->jobs.n = part->racks.n = part->tables.n = part->files.n = 0;
	part->wiring_file = NULL;
}

/* ---- reading ---- */

static bool is_open_file(const struct inventory *inv, const char *path)
{
	char own[PATH_MAX], open[PATH_MAX];

	if (!realpath(path, own))
		return false;
	for (; inv; inv = inv->above)
		if (realpath(inv->file, open) && str_eq(own, open))
			return true;
	return false;
}

static unsigned depth_of(const struct inventory *inv)
{
	unsigned n = 0;

	for (; inv->above; inv = inv->above)
		n++;
	return n;
}

static const struct inventory *first_of(const struct inventory *inv)
{
	while (inv->above)
		inv = inv->above;
	return inv;
}

static void read_part(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	inventory_read_part(doc, ctx, problems);
}

static bool read_file(struct reader *r, const yaml_node_t *n, char *path)
{
	char *copy = mem_strdup(path);
	struct inventory part = {.file = path, .dir = dirname(copy), .above = r->inv};
	const char *before = r->problems->part;
	struct err err = {0};
	struct buf b;
	bool ok;

	part.has_engine = first_of(r->inv)->has_engine;
	buf_init(&b, INVENTORY_FILE_MAX);
	ok = inventory_slurp(path, &b, &err);
	if (!ok) {
		(void)problem_add(
			r->problems, yaml_line(n), r->place, "%s %s", err.origin, err.text);
	} else {
		r->problems->part = path;
		yaml_with_document(b.data ? b.data : "", b.len, r->problems, read_part, &part);
		r->problems->part = before;
		take_part(r->inv, &part, path);
	}
	inventory_free(&part);
	buf_free(&b);
	free(copy);
	return ok;
}

static bool read_include(struct reader *r, const yaml_node_t *n, void *to)
{
	char *path = NULL;

	(void)to;
	if (!yaml_read_path(r, n, &path))
		return false;
	/* Groups, tables and problems name the file until the plan is made. */
	vec_push(&r->inv->files, path);
	if (is_open_file(r->inv, path)) {
		(void)problem_add(r->problems, yaml_line(n), r->place, "%s includes itself", path);
		return false;
	}
	if (depth_of(r->inv) >= DEPTH_MAX || r->inv->files.n > FILES_MAX) {
		(void)problem_add(r->problems, yaml_line(n), r->place,
			"more than %d files within each other, or %d in all", DEPTH_MAX, FILES_MAX);
		return false;
	}
	return read_file(r, n, path);
}

bool yaml_read_include(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_include, to);
}
