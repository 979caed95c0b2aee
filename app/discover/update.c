/* SPDX-License-Identifier: Apache-2.0 */
#include "app/discover/update.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/config/inventory.h"
#include "app/config/inventory_yaml_lists.h"
#include "base/mem.h"
#include "base/str.h"

#define INDENT 2

bool update_possible(const char *path, const char *text, size_t len, struct err *err)
{
	struct inventory_lists r = {.path = path, .text = text, .len = len};
	bool ok = inventory_lists_read(&r, err);

	vec_free(&r.entries);
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

static void tell_tier(const struct inventory_entry *e, const struct found *f,
	void (*differ)(void *, const char *), void *ctx)
{
	char text[512];

	if (e->tier == f->tier)
		return;
	(void)str_printf(text, sizeof(text),
		"%s: the file says %s, the network looks like %s (%s%s%s); the file stays", e->name,
		tier_name(e->tier), tier_name(f->tier), f->tier_why, *f->tier_why ? "; " : "",
		f->kind_why);
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
		tell_tier(e, f, differ, ctx);
		(void)str_copy(f->name, sizeof(f->name), e->name);
	}
}

/* ---- writing ---- */

/* The lines of the last report about devices that were not asked; end: the line after them. */
static bool find_failed(const struct inventory_lists *r, size_t *first, size_t *end)
{
	size_t at = 0, n, line = 0;
	const char *text;
	bool empty = false, found = false;

	for (; (text = inventory_line_next(r, &at, &n)); line++) {
		if (found && (n < 4 || memcmp(text, "#   ", 4) != 0))
			break;
		if (!found && n == strlen(DISCOVERY_FAILED_HEAD) &&
			memcmp(text, DISCOVERY_FAILED_HEAD, n) == 0) {
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
	done->devices += discovery_write_entries(d, fresh, which == 1, r->lists[which].indent, out);
}

static bool has_fresh(const struct discovery *d, const bool *fresh, bool hosts)
{
	for (size_t i = 0; i < d->devices.n; i++)
		if (fresh[i] && (d->devices.at[i].tier == TIER_HOST) == hosts)
			return true;
	return false;
}

static void put_file(const struct inventory_lists *r, const struct discovery *d, const bool *fresh,
	FILE *out, struct update *done)
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
	}
	for (int which = 0; which < 2; which++) {
		if (r->lists[which].exists || !has_fresh(d, fresh, which == 1))
			continue;
		(void)fprintf(out, "%s:\n", inventory_list_names[which]);
		done->devices += discovery_write_entries(d, fresh, which == 1, INDENT, out);
	}
	if (!failed)
		discovery_write_failed(d, out);
}

bool update_inventory(const char *path, const char *text, size_t len, struct discovery *d,
	FILE *out, struct update *done, void (*differ)(void *ctx, const char *message), void *ctx,
	struct err *err)
{
	struct inventory_lists r = {.path = path, .text = text, .len = len};
	bool *fresh = mem_calloc(d->devices.n + 1, sizeof(*fresh));
	bool ok = inventory_lists_read(&r, err);

	if (ok) {
		match_devices(&r, d, fresh, done, differ, ctx);
		put_file(&r, d, fresh, out, done);
	}
	vec_free(&r.entries);
	free(fresh);
	return ok && !ferror(out);
}

/* ---- wiring ---- */

static void note_end(struct name_index *used, char *device, char *port)
{
	char key[2 * NAME_MAX_LEN + 2];
	unsigned at;

	if (!device || !port)
		return;
	device += strspn(device, " \t");
	port += strspn(port, " \t");
	device[strcspn(device, " \t\r")] = '\0';
	port[strcspn(port, " \t\r")] = '\0';
	(void)str_printf(key, sizeof(key), "%s:%s", device, port);
	(void)name_index_add(used, key, 0, &at);
}

bool update_wiring(
	const char *text, size_t len, const struct discovery *d, FILE *out, struct update *done)
{
	struct inventory_lists r = {.text = text, .len = len};
	struct name_index *used = name_index_new();
	size_t n, from = 0;
	const char *at;

	while ((at = inventory_line_next(&r, &from, &n))) {
		char row[8 * NAME_MAX_LEN], *rest = row, *cell[4];

		put_line(out, at, n);
		if (n >= sizeof(row) || !str_copyn(row, sizeof(row), at, n))
			continue;
		row[strcspn(row, "#")] = '\0';
		for (size_t i = 0; i < 4; i++)
			cell[i] = strsep(&rest, ",");
		note_end(used, cell[0], cell[1]);
		note_end(used, cell[2], cell[3]);
	}
	if (!len)
		(void)fprintf(out, "device,port,device,port\n");
	done->cables += discovery_write_cables(d, used, out);
	name_index_free(used);
	return !ferror(out);
}
