/* SPDX-License-Identifier: Apache-2.0 */
#include "app/discover/update.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml_lists.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/mac.h"

#define INDENT 2

bool update_possible(const char *path, const char *text, size_t len, struct err *err)
{
	struct inventory_lists r = {.path = path, .text = text, .len = len};
	bool ok = inventory_lists_read(&r, err);

	vec_free(&r.entries);
	vec_free(&r.placed);
	return ok;
}

/* ---- matching ---- */

static const struct inventory_entry *entry_of(
	const struct inventory_lists *r, const struct found *f)
{
	for (size_t i = 0; i < r->entries.n; i++)
		if (strcasecmp(r->entries.at[i].name, f->name) == 0)
			return &r->entries.at[i];
	for (size_t i = 0; i < r->entries.n; i++) {
		const char *address = r->entries.at[i].address;

		if (str_eq(address, f->address) || str_eq(address, f->name) ||
			(*f->mgmt && str_eq(address, f->mgmt)))
			return &r->entries.at[i];
	}
	return NULL;
}

static void tell_tier(const struct discovery *d, const struct inventory_entry *e,
	const struct found *f, void (*differ)(void *, const char *), void *ctx)
{
	char text[512];

	if (e->tier == f->tier)
		return;
	(void)str_printf(text, sizeof(text), "%s: the file says %s, %s %s (%s%s%s); the file stays",
		e->name, tier_name(e->tier), d->source ? d->source : "the network looks like",
		tier_name(f->tier), f->tier_why, *f->tier_why ? "; " : "", f->kind_why);
	differ(ctx, text);
}

/* Only an import knows the site's address; a discovery has the one that it came in by. */
static void tell_address(const struct discovery *d, const struct inventory_entry *e,
	const struct found *f, void (*differ)(void *, const char *), void *ctx)
{
	char text[512];

	if (!d->source || str_eq(f->address, f->name) || str_eq(f->address, e->address))
		return;
	(void)str_printf(text, sizeof(text),
		"%s: the file has the address %s, %s %s; the file stays", e->name, e->address,
		d->source, f->address);
	differ(ctx, text);
}

/* Marks the devices that the file lacks. */
static void match_devices(const struct inventory_lists *r, struct discovery *d, bool *fresh,
	struct update *done, void (*differ)(void *, const char *), void *ctx)
{
	for (size_t i = 0; i < d->devices.n; i++) {
		struct found *f = &d->devices.at[i];
		const struct inventory_entry *e = f->state == FOUND_KNOWN ? entry_of(r, f) : NULL;

		fresh[i] = f->state == FOUND_KNOWN && !e;
		if (!e)
			continue;
		done->known++;
		tell_tier(d, e, f, differ, ctx);
		tell_address(d, e, f, differ, ctx);
		(void)str_copy(f->name, sizeof(f->name), e->name);
	}
}

/* ---- racks ---- */

/* Its racks: is not written with an entry a line: the places become comments. */
static bool is_closed(const struct inventory_lists *r)
{
	return r->has_racks && !r->racks.exists;
}

static const char *unit_number(const char *unit)
{
	return (unit[0] == 'U' || unit[0] == 'u') && unit[1] ? unit + 1 : unit;
}

/* Marks the devices whose place the file lacks; tells of those that stand elsewhere in it. */
static void match_racks(const struct inventory_lists *r, const struct discovery *d, bool *unplaced,
	struct update *done, void (*differ)(void *, const char *), void *ctx)
{
	struct name_index *names = name_index_new();
	char text[512];
	unsigned at;

	for (size_t i = 0; i < r->placed.n; i++)
		(void)name_index_add(names, r->placed.at[i].device, (unsigned)i, &at);
	for (size_t i = 0; i < d->devices.n; i++) {
		const struct found *f = &d->devices.at[i];
		const struct inventory_rack *p;

		if (f->state != FOUND_KNOWN || !f->rack[0])
			continue;
		unplaced[i] = !name_index_find(names, f->name, &at);
		done->racks += unplaced[i] && !is_closed(r);
		if (unplaced[i])
			continue;
		p = &r->placed.at[at];
		if (str_eq(p->rack, f->rack) &&
			(!f->unit[0] || str_eq(unit_number(p->unit), unit_number(f->unit))))
			continue;
		(void)str_printf(text, sizeof(text),
			"%s: the file has it in rack %s%s%s, %s in %s%s%s; the file stays", f->name,
			p->rack, p->unit[0] ? " unit " : "", p->unit,
			d->source ? d->source : "the network", f->rack, f->unit[0] ? " unit " : "",
			f->unit);
		differ(ctx, text);
	}
	name_index_free(names);
}

/* ---- writing ---- */

static bool is_failed_head(const char *text, size_t n)
{
	return (n == strlen(DISCOVERY_FAILED_HEAD) &&
		       memcmp(text, DISCOVERY_FAILED_HEAD, n) == 0) ||
	       (n == strlen(DISCOVERY_FAILED_OLD) && memcmp(text, DISCOVERY_FAILED_OLD, n) == 0);
}

/* The lines of the last report about devices that were not asked; end: the line after them. */
static bool find_failed(const struct inventory_lists *r, size_t *first, size_t *end)
{
	size_t at = 0, n, line = 0;
	const char *text;
	bool empty = false, found = false;

	for (; (text = inventory_line_next(r, &at, &n)); line++) {
		if (found && (n < 4 || memcmp(text, "#   ", 4) != 0))
			break;
		if (!found && is_failed_head(text, n)) {
			found = true;
			/* The empty line before it is part of it. */
			*first = line - empty;
		}
		empty = !n;
	}
	*end = line;
	return found;
}

static void put_line(FILE *out, const char *at, size_t n)
{
	(void)fwrite(at, 1, n, out);
	(void)fputc('\n', out);
}

static void put_entries(const struct inventory_lists *r, const struct discovery *d,
	const bool *fresh, int which, FILE *out, struct update *done)
{
	done->devices += discovery_write_entries(
		d, fresh, which == 1, is_closed(r), r->lists[which].indent, out);
}

static bool has_fresh(const struct discovery *d, const bool *fresh, bool hosts)
{
	for (size_t i = 0; i < d->devices.n; i++)
		if (fresh[i] && (d->devices.at[i].tier == TIER_HOST) == hosts)
			return true;
	return false;
}

static void put_file(const struct inventory_lists *r, const struct discovery *d, const bool *fresh,
	const bool *unplaced, FILE *out, struct update *done)
{
	size_t first = SIZE_MAX, end = SIZE_MAX, n, from = 0;
	bool failed = find_failed(r, &first, &end);
	const char *at;

	for (size_t line = 0; (at = inventory_line_next(r, &from, &n)); line++) {
		if (failed && line == first)
			discovery_write_failed(d, out);
		if (!failed || line < first || line >= end)
			put_line(out, at, n);
		for (int which = 0; which < 2; which++)
			if (r->lists[which].exists && r->lists[which].line == line)
				put_entries(r, d, fresh, which, out, done);
		if (r->racks.exists && r->racks.line == line)
			discovery_write_racks(d, unplaced, r->racks.indent, false, out);
	}
	for (int which = 0; which < 2; which++) {
		if (r->lists[which].exists || !has_fresh(d, fresh, which == 1))
			continue;
		(void)fprintf(out, "%s:\n", inventory_list_names[which]);
		done->devices +=
			discovery_write_entries(d, fresh, which == 1, is_closed(r), INDENT, out);
	}
	if (!r->has_racks)
		discovery_write_racks(d, unplaced, INDENT, true, out);
	if (!failed)
		discovery_write_failed(d, out);
}

bool update_inventory(const char *path, const char *text, size_t len, struct discovery *d,
	FILE *out, struct update *done, void (*differ)(void *ctx, const char *message), void *ctx,
	struct err *err)
{
	struct inventory_lists r = {.path = path, .text = text, .len = len};
	bool *fresh = mem_calloc(d->devices.n + 1, sizeof(*fresh)),
	     *unplaced = mem_calloc(d->devices.n + 1, sizeof(*unplaced));
	bool ok = inventory_lists_read(&r, err);

	if (ok) {
		match_devices(&r, d, fresh, done, differ, ctx);
		match_racks(&r, d, unplaced, done, differ, ctx);
		put_file(&r, d, fresh, unplaced, out, done);
	}
	vec_free(&r.entries);
	vec_free(&r.placed);
	free(fresh);
	free(unplaced);
	return ok && !ferror(out);
}

/* ---- wiring ---- */

/* The table's rows by both of their ends. */
struct rows {
	struct name_index *used; /* "device:port" leads to an end */
	VEC(char *) peers;       /* "device:port" at the other end of each */
};

static char *trim_cell(char *text)
{
	text += strspn(text, " \t");
	text[strcspn(text, " \t\r")] = '\0';
	return text;
}

static void note_end(struct rows *r, const char *key, const char *peer)
{
	unsigned at;

	if (name_index_add(r->used, key, (unsigned)r->peers.n, &at))
		vec_push(&r->peers, mem_strdup(peer));
}

static void note_row(struct rows *r, char *row)
{
	char *rest = row, *cell[4], a[2 * NAME_MAX_LEN + 2], b[2 * NAME_MAX_LEN + 2];

	row[strcspn(row, "#")] = '\0';
	for (size_t i = 0; i < 4; i++) {
		cell[i] = strsep(&rest, ",");
		if (!cell[i])
			return;
		cell[i] = trim_cell(cell[i]);
	}
	(void)str_printf(a, sizeof(a), "%s:%s", cell[0], cell[1]);
	(void)str_printf(b, sizeof(b), "%s:%s", cell[2], cell[3]);
	note_end(r, a, b);
	note_end(r, b, a);
}

struct telling {
	const struct discovery *d;
	const struct rows *rows;
	struct name_index *told; /* ends: both devices report a cable */
	void (*differ)(void *ctx, const char *message);
	void *ctx;
};

/* A host has several names for one port, so another name of its port is no difference. */
static bool same_end(const char *had, const struct found *f, const char *end)
{
	size_t n = strcspn(had, ":");

	return str_eq(had, end) ||
	       (f->tier == TIER_HOST && n == strlen(f->name) && strncmp(had, f->name, n) == 0);
}

static void tell_cable(
	const struct telling *t, const char *end, const struct found *f, const char *peer)
{
	const char *had;
	char text[512];
	unsigned at;

	if (!name_index_find(t->rows->used, end, &at) || at >= t->rows->peers.n)
		return;
	had = t->rows->peers.at[at];
	if (same_end(had, f, peer) || !name_index_add(t->told, end, 0, &at) ||
		!name_index_add(t->told, peer, 0, &at))
		return;
	(void)str_printf(text, sizeof(text), "%s: the table has %s, %s %s; the table stays", end,
		had, t->d->source ? t->d->source : "the network shows", peer);
	t->differ(t->ctx, text);
}

/* Names the cables of the table that another cable contradicts. */
static void tell_cables(const struct telling *t)
{
	for (size_t i = 0; i < t->d->links.n; i++) {
		const struct found_link *l = &t->d->links.at[i];
		const struct found *a = &t->d->devices.at[l->a], *b = &t->d->devices.at[l->b];
		const struct found_port *pb = discovery_port(b, l->b_port);
		char ends[2][2 * NAME_MAX_LEN + 2];

		/* A MAC is no name that the table could have. */
		if (l->management || !*l->b_port || (!pb && mac_is(l->b_port)))
			continue;
		(void)str_printf(ends[0], sizeof(ends[0]), "%s:%s", a->name, l->a_port);
		(void)str_printf(
			ends[1], sizeof(ends[1]), "%s:%s", b->name, pb ? pb->name : l->b_port);
		tell_cable(t, ends[0], b, ends[1]);
		tell_cable(t, ends[1], a, ends[0]);
	}
}

bool update_wiring(const char *text, size_t len, const struct discovery *d, FILE *out,
	struct update *done, void (*differ)(void *ctx, const char *message), void *ctx)
{
	struct inventory_lists lines = {.text = text, .len = len};
	struct rows r = {.used = name_index_new()};
	struct name_index *told = name_index_new();
	size_t n, from = 0;
	const char *at;

	while ((at = inventory_line_next(&lines, &from, &n))) {
		char row[8 * NAME_MAX_LEN];

		put_line(out, at, n);
		if (n < sizeof(row) && str_copyn(row, sizeof(row), at, n))
			note_row(&r, row);
	}
	if (!len)
		(void)fprintf(out, "device,port,device,port,speed\n");
	tell_cables(&(struct telling){d, &r, told, differ, ctx});
	name_index_free(told);
	done->cables += discovery_write_cables(d, r.used, out);
	for (size_t i = 0; i < r.peers.n; i++)
		free(r.peers.at[i]);
	vec_free(&r.peers);
	name_index_free(r.used);
	return !ferror(out);
}
