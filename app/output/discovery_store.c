/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/discovery_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "app/inventory/inventory_yaml_lists.h"
#include "app/headless/headless.h"
#include "app/output/output.h"
#include "base/str.h"

/* The wiring table beside the inventory: fabric.yaml -> fabric.wiring.csv. */
static void wiring_path(const char *inventory, char *dst, size_t size)
{
	const char *slash = strrchr(inventory, '/'), *dot = strrchr(inventory, '.');
	size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - inventory) : strlen(inventory);

	(void)str_printf(dst, size, "%.*s.wiring.csv", (int)n, inventory);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *text_of(const struct buf *b)
{
	return b->data ? b->data : "";
}

static bool has_known(const struct discovery *d)
{
	for (size_t i = 0; i < d->devices.n; i++)
		if (d->devices.at[i].state == FOUND_KNOWN)
			return true;
	return false;
}

bool discovery_store_is_file(const char *path)
{
	struct stat st;

	if (!path || str_eq(path, "-"))
		return false;
	return stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

/* ---- an inventory that exists ---- */

/* The table that the file names; one beside it when it names none. */
static bool find_table(struct discovery_store *s, struct err *err)
{
	struct inventory_lists r = {
		.path = s->path, .text = text_of(&s->inventory), .len = s->inventory.len};
	bool ok = inventory_lists_read(&r, err);
	const char *slash = strrchr(s->path, '/');

	vec_free(&r.entries);
	vec_free(&r.placed);
	if (!ok)
		return false;
	s->no_table = r.has_wiring && !r.table[0];
	s->add_key = !r.has_wiring;
	if (!r.table[0])
		wiring_path(s->path, s->table, sizeof(s->table));
	else if (r.table[0] == '/' || !slash)
		(void)str_copy(s->table, sizeof(s->table), r.table);
	else
		(void)str_printf(s->table, sizeof(s->table), "%.*s/%s", (int)(slash - s->path),
			s->path, r.table);
	return true;
}

static bool read_before(struct discovery_store *s, struct err *err)
{
	struct stat st;

	s->exists = stat(s->path, &st) == 0 && st.st_size > 0;
	if (!s->exists)
		return true;
	if (!inventory_slurp(s->path, &s->inventory, err) ||
		!update_possible(s->path, text_of(&s->inventory), s->inventory.len, err) ||
		!find_table(s, err))
		return false;
	s->has_table = !s->no_table && access(s->table, F_OK) == 0;
	return !s->has_table || inventory_slurp(s->table, &s->wiring, err);
}

bool discovery_store_open(struct discovery_store *s, const char *path, bool force, struct err *err)
{
	enum output_check check = force ? OUTPUT_FORCE : OUTPUT_NEW;
	char wiring[sizeof(s->table)];

	*s = (struct discovery_store){.path = path, .force = force};
	buf_init(&s->inventory, INVENTORY_FILE_MAX);
	buf_init(&s->wiring, INVENTORY_FILE_MAX);
	if (!discovery_store_is_file(path))
		return output_allowed(path, check, err);
	if (!force && !read_before(s, err))
		return false;
	if (s->exists)
		return true;
	wiring_path(path, wiring, sizeof(wiring));
	return output_allowed(path, check, err) && output_allowed(wiring, check, err);
}

void discovery_store_free(struct discovery_store *s)
{
	buf_free(&s->inventory);
	buf_free(&s->wiring);
}

/* ---- writing ---- */

/* Writes the table first, so that the inventory never names a missing table. */
static bool write_new(const struct discovery_store *s, const struct discover_opts *opts,
	const struct discovery *d, struct err *err)
{
	struct buf links = {0}, inventory = {0};
	FILE *f = open_memstream(&links.data, &links.len),
	     *g = open_memstream(&inventory.data, &inventory.len);
	char wiring[sizeof(s->table)];
	const struct output files[] = {
		{wiring, &links, !s->force}, {s->path, &inventory, !s->force}};
	bool ok;

	wiring_path(s->path, wiring, sizeof(wiring));
	ok = f && g && discovery_write_wiring(d, f) &&
	     discovery_write(d, opts, base_name(wiring), g);
	ok = (!f || fclose(f) == 0) && ok;
	ok = (!g || fclose(g) == 0) && ok;
	if (!ok)
		err_system(err, ERR_IO, s->path, "the inventory cannot be written", errno);
	ok = ok && output_write(files, 2, err);
	free(links.data);
	free(inventory.data);
	return ok;
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->data || !b->data || memcmp(a->data, b->data, a->len) == 0);
}

/* Files that do not change are not written. */
static bool write_updated(const struct discovery_store *s, const struct buf *inventory,
	const struct buf *links, const struct update *done, struct err *err)
{
	const struct output files[] = {
		{links->len && !same_bytes(links, &s->wiring) ? s->table : NULL, links, false},
		{same_bytes(inventory, &s->inventory) ? NULL : s->path, inventory, false}};
	char racks[48] = "";

	if (!output_write(files, 2, err))
		return false;
	if (done->racks)
		(void)str_printf(racks, sizeof(racks), ", %zu place%s in racks", done->racks,
			str_plural(done->racks));
	(void)fprintf(stderr, "%s: %zu device%s and %zu cable%s added%s, %zu known before\n",
		s->path, done->devices, str_plural(done->devices), done->cables,
		str_plural(done->cables), racks, done->known);
	return true;
}

/* The table, and the key that names it where the file has none. */
static bool update_table(const struct discovery_store *s, const struct discovery *d, FILE *links,
	FILE *inventory, struct update *done, void (*differ)(void *, const char *), void *ctx)
{
	if (s->no_table)
		differ(ctx,
			"wiring: in the file names no table, so no cable is added; wiring: {file: "
			"NAME.csv} takes them");
	if (s->no_table || (!s->has_table && !discovery_has_cables(d)))
		return true;
	if (!update_wiring(text_of(&s->wiring), s->wiring.len, d, links, done, differ, ctx))
		return false;
	if (s->add_key)
		(void)fprintf(inventory, "wiring: {file: '%s'}\n", base_name(s->table));
	return !ferror(inventory);
}

static bool update_files(const struct discovery_store *s, struct discovery *d,
	void (*differ)(void *, const char *), void *ctx, struct err *err)
{
	struct buf links = {0}, inventory = {0};
	struct update done = {0};
	FILE *f = open_memstream(&links.data, &links.len),
	     *g = open_memstream(&inventory.data, &inventory.len);
	bool ok = f && g &&
		  update_inventory(s->path, text_of(&s->inventory), s->inventory.len, d, g, &done,
			  differ, ctx, err) &&
		  update_table(s, d, f, g, &done, differ, ctx);

	ok = (!f || fclose(f) == 0) && ok;
	ok = (!g || fclose(g) == 0) && ok;
	if (!ok && !err->code)
		err_system(err, ERR_IO, s->path, "cannot be made", errno);
	ok = ok && write_updated(s, &inventory, &links, &done, err);
	free(links.data);
	free(inventory.data);
	return ok;
}

static bool write_stream(const struct discovery_store *s, const struct discover_opts *opts,
	const struct discovery *d, struct err *err)
{
	const char *path = s->path ? s->path : "-";
	FILE *f = headless_open(path, err);
	bool ok = f && discovery_write(d, opts, NULL, f);

	return f && headless_close(f, path, err) && ok;
}

bool discovery_store_write(struct discovery_store *s, const struct discover_opts *opts,
	struct discovery *d, void (*differ)(void *ctx, const char *message), void *ctx,
	struct err *err)
{
	if (!discovery_store_is_file(s->path))
		return write_stream(s, opts, d, err);
	/* Never replace an existing inventory by an empty one. */
	if (!has_known(d))
		return true;
	return s->exists ? update_files(s, d, differ, ctx, err) : write_new(s, opts, d, err);
}
