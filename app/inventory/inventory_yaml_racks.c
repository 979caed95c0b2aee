/* SPDX-License-Identifier: Apache-2.0 */
/*
 * racks: of an inventory: where each device stands, for the hands that are sent there. Entries name
 * a rack and its devices, or a table of them.
 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_table.h"
#include "app/inventory/inventory_yaml.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "base/mem.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define TABLE_CURE  "device,rack, and its unit if it is known: leaf-r0-00,R12,40"

/* ---- the file as written ---- */

static bool read_rack(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"rack", yaml_read_text, offsetof(struct rack_entry, rack)},
		{"devices", yaml_read_list, offsetof(struct rack_entry, devices)},
		{"unit", yaml_read_list, offsetof(struct rack_entry, units)},
		{"file", yaml_read_path, offsetof(struct rack_entry, table)}};
	struct inventory *inv = to;
	struct rack_entry *e = vec_add(&inv->racks);

	e->line = yaml_line(n);
	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), e))
		return false;
	if (e->table ? !e->rack && !e->devices && !e->units : e->rack && e->devices)
		return true;
	(void)problem_add(r->problems, e->line, r->place,
		e->table ? "a table and a rack exclude each other"
			 : "\"rack\" and \"devices\" must both be given");
	return problem_cure(
		r->problems, "{rack: R12, unit: 40, devices: leaf-r0-00}, or {file: racks.csv}");
}

bool yaml_read_racks(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_rack, to);
}

/* ---- to the devices of the plan ---- */

struct placing {
	struct inventory_table table;
	const struct rack_entry *entry; /* that is being read */
};

static void not_placed(struct placing *p, const char *device, const char *why)
{
	(void)problem_add_in(p->table.problems, p->table.file, p->table.line, "the place of %s: %s",
		device, why);
}

/* "U40" and "40" are the same unit. */
static void place(struct placing *p, const char *device, const char *rack, const char *unit)
{
	struct plan_device *d;
	unsigned at;

	/* A table of the whole site names much that is no part of this fabric: it is no error. */
	if (!name_index_find(p->table.devices, device, &at)) {
		if (!p->entry->table && !p->table.plan->warning[0])
			(void)str_printf(p->table.plan->warning, sizeof(p->table.plan->warning),
				"%s:%u: racks: there is no device %s in the inventory",
				p->entry->file ? p->entry->file : p->table.file, p->table.line,
				device);
		return;
	}
	d = &p->table.plan->devices.at[at];
	if ((unit[0] == 'U' || unit[0] == 'u') && unit[1])
		unit++;
	if (d->rack[0])
		not_placed(p, device, "it stands in a rack already");
	else if (!rack[0] || strlen(rack) >= sizeof(d->rack))
		not_placed(p, device, "the name of the rack is missing or too long");
	else if (strlen(unit) >= sizeof(d->unit))
		not_placed(p, device, "the unit is too long");
	else {
		(void)str_sanitise(d->rack, sizeof(d->rack), rack, strlen(rack));
		(void)str_sanitise(d->unit, sizeof(d->unit), unit, strlen(unit));
	}
}

static void place_row(struct inventory_table *t, char *columns[TABLE_COLUMNS])
{
	place(t->ctx, columns[0], columns[1], columns[2]);
}

struct words {
	VEC(char *) at;
};

static void add_word(void *ctx, const char *word)
{
	struct words *w = ctx;

	vec_push(&w->at, mem_strdup(word));
}

static void free_words(struct words *w)
{
	for (size_t i = 0; i < w->at.n; i++)
		free(w->at.at[i]);
	vec_free(&w->at);
}

static bool expand(struct placing *p, const char *list, struct words *out)
{
	struct err err = {0};

	if (!list || hostlist_expand(list, INVENTORY_DEVICES_MAX, add_word, out, &err))
		return true;
	(void)problem_add(p->table.problems, p->entry->line, "racks", "%s", err.text);
	return err.cure[0] ? problem_cure(p->table.problems, "%s", err.cure) : false;
}

static void place_entry(struct placing *p)
{
	const struct rack_entry *e = p->entry;
	struct words devices = {0}, units = {0};

	if (!expand(p, e->devices, &devices) || !expand(p, e->units, &units)) {
		/* It was reported. */
	} else if (units.at.n && units.at.n != devices.at.n) {
		(void)problem_add(p->table.problems, e->line, "racks", "%zu units for %zu devices",
			units.at.n, devices.at.n);
		(void)problem_cure(p->table.problems, "give a unit for each device, or none");
	} else {
		for (size_t i = 0; i < devices.at.n && !problems_full(p->table.problems); i++)
			place(p, devices.at.at[i], e->rack, units.at.n ? units.at.at[i] : "");
	}
	free_words(&devices);
	free_words(&units);
}

void inventory_place_devices(
	const struct inventory *inv, struct plan *plan, struct problems *problems)
{
	struct placing p = {.table = {.place = "racks",
				    .least = 2,
				    .most = 3,
				    .cure = TABLE_CURE,
				    .row = place_row,
				    .plan = plan,
				    .problems = problems}};

	if (!inv->racks.n)
		return;
	p.table.ctx = &p;
	p.table.devices = inventory_device_index(plan);
	for (size_t i = 0; i < inv->racks.n && !problems_full(problems); i++) {
		p.entry = &inv->racks.at[i];
		problems->part = p.entry->file;
		p.table.line = p.entry->line;
		p.table.key_line = p.entry->line;
		p.table.file = p.entry->table ? p.entry->table : problems->file;
		if (p.entry->table)
			inventory_table_read(&p.table);
		else
			place_entry(&p);
	}
	problems->part = NULL;
	name_index_free(p.table.devices);
}
