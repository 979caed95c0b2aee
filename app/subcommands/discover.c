/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/inventory.h"
#include "app/config/inventory_yaml.h"
#include "app/discover/discover.h"
#include "app/discover/update.h"
#include "app/headless/headless.h"
#include "app/output/output.h"
#include "base/clock.h"
#include "base/str.h"

#define LIMIT_DEFAULT 5000
#define PATIENCE_US   (12 * CLOCK_SEC)
#define PATH_LEN      4096

static size_t count_state(const struct discovery *d, enum found_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < d->devices.n; i++)
		n += d->devices.at[i].state == state;
	return n;
}

static void show_progress(void *ctx, const struct discovery *d, const char *doing)
{
	if (*(const bool *)ctx)
		(void)fprintf(stderr, "\r%s: %zu devices named, %zu known, %zu failed\033[K", doing,
			d->devices.n, count_state(d, FOUND_KNOWN), count_state(d, FOUND_FAILED));
}

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

/* Relative paths in an inventory start at its folder; those of the command line at this one. */
static const char *absolute_path(const char *path, char *dst)
{
	return path && realpath(path, dst) ? dst : path;
}

/* Writes the table first, so that the inventory never names a missing table. */
static bool write_files(const struct options *o, const struct discover_opts *opts,
	const struct discovery *d, const char *wiring, struct err *err)
{
	struct buf links = {0}, inventory = {0};
	FILE *f = open_memstream(&links.data, &links.len),
	     *g = open_memstream(&inventory.data, &inventory.len);
	bool ok = f && g && discovery_write_wiring(d, f) &&
		  discovery_write(d, opts, base_name(wiring), g);
	const struct output files[] = {
		{wiring, &links, !o->force}, {o->output, &inventory, !o->force}};

	ok = (!f || fclose(f) == 0) && ok;
	ok = (!g || fclose(g) == 0) && ok;
	if (!ok)
		err_system(err, ERR_IO, o->output, "the inventory cannot be written", errno);
	ok = ok && output_write(files, 2, err);
	free(links.data);
	free(inventory.data);
	return ok;
}

/* ---- an inventory that exists ---- */

/* The inventory and its wiring table as they are. */
struct before {
	bool exists, has_wiring;
	struct buf inventory, wiring;
	char path[PATH_LEN]; /* of the table */
};

static bool read_before(const struct options *o, struct before *b, struct err *err)
{
	struct stat st;

	b->exists = stat(o->output, &st) == 0 && st.st_size > 0;
	if (!b->exists)
		return true;
	wiring_path(o->output, b->path, sizeof(b->path));
	b->has_wiring = access(b->path, F_OK) == 0;
	buf_init(&b->inventory, INVENTORY_FILE_MAX);
	buf_init(&b->wiring, INVENTORY_FILE_MAX);
	if (!inventory_slurp(o->output, &b->inventory, err) ||
		(b->has_wiring && !inventory_slurp(b->path, &b->wiring, err)))
		return false;
	return update_possible(
		o->output, b->inventory.data ? b->inventory.data : "", b->inventory.len, err);
}

static void free_before(struct before *b)
{
	buf_free(&b->inventory);
	buf_free(&b->wiring);
}

static void print_difference(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "%s\n", message);
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->data || !b->data || memcmp(a->data, b->data, a->len) == 0);
}

/* Files that do not change are not written. */
static bool write_updated(const struct options *o, const struct before *b, struct buf *inventory,
	struct buf *links, const struct update *done, struct err *err)
{
	const struct output files[] = {
		{b->has_wiring && !same_bytes(links, &b->wiring) ? b->path : NULL, links, false},
		{same_bytes(inventory, &b->inventory) ? NULL : o->output, inventory, false}};

	if (!output_write(files, 2, err))
		return false;
	(void)fprintf(stderr, "%s: %zu device%s and %zu cable%s added, %zu known before\n",
		o->output, done->devices, str_plural(done->devices), done->cables,
		str_plural(done->cables), done->known);
	return true;
}

static bool update_files(
	const struct options *o, const struct before *b, struct discovery *d, struct err *err)
{
	struct buf links = {0}, inventory = {0};
	struct update done = {0};
	FILE *f = open_memstream(&links.data, &links.len),
	     *g = open_memstream(&inventory.data, &inventory.len);
	bool ok = f && g &&
		  update_inventory(o->output, b->inventory.data ? b->inventory.data : "",
			  b->inventory.len, d, g, &done, print_difference, NULL, err) &&
		  (!b->has_wiring || update_wiring(b->wiring.data ? b->wiring.data : "",
					     b->wiring.len, d, f, &done));

	ok = (!f || fclose(f) == 0) && ok;
	ok = (!g || fclose(g) == 0) && ok;
	if (!ok && !err->code)
		err_system(err, ERR_IO, o->output, "cannot be made", errno);
	ok = ok && write_updated(o, b, &inventory, &links, &done, err);
	free(links.data);
	free(inventory.data);
	return ok;
}

/* False for standard output, devices and pipes: there is no place for a table beside them. */
static bool is_file(const struct options *o)
{
	struct stat st;

	if (!o->output || str_eq(o->output, "-"))
		return false;
	return stat(o->output, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

static bool write_stream(const struct options *o, const struct discover_opts *opts,
	const struct discovery *d, struct err *err)
{
	const char *path = o->output ? o->output : "-";
	FILE *f = headless_open(path, err);
	bool ok = f && discovery_write(d, opts, NULL, f);

	return f && headless_close(f, path, err) && ok;
}

static bool write_all(const struct options *o, const struct discover_opts *opts,
	const struct before *b, struct discovery *d, struct err *err)
{
	char wiring[PATH_LEN];

	if (!is_file(o))
		return write_stream(o, opts, d, err);
	/* Never replace an existing inventory by an empty one. */
	if (!count_state(d, FOUND_KNOWN))
		return true;
	if (b->exists)
		return update_files(o, b, d, err);
	wiring_path(o->output, wiring, sizeof(wiring));
	return write_files(o, opts, d, wiring, err);
}

/* Checked before the discovery, whose result would otherwise be lost. */
static bool may_write(const struct options *o, struct before *b, struct err *err)
{
	enum output_check check = o->force ? OUTPUT_FORCE : OUTPUT_NEW;
	char wiring[PATH_LEN];

	if (!is_file(o))
		return output_allowed(o->output, check, err);
	if (!o->force && !read_before(o, b, err))
		return false;
	if (b->exists)
		return true;
	wiring_path(o->output, wiring, sizeof(wiring));
	return output_allowed(o->output, check, err) && output_allowed(wiring, check, err);
}

/* The devices that were named but not reached, each with its error. */
#define FAILED_MOST 10
static void print_failed(const struct discovery *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->devices.n; i++) {
		if (d->devices.at[i].state != FOUND_FAILED || ++n > FAILED_MOST)
			continue;
		err_print(&d->devices.at[i].err);
	}
	if (n > FAILED_MOST)
		(void)fprintf(stderr, "... and %zu more\n", n - FAILED_MOST);
}

static int print_result(const struct options *o, const struct discovery *d, FILE *out)
{
	size_t known = count_state(d, FOUND_KNOWN), failed = count_state(d, FOUND_FAILED);

	(void)fprintf(out, "%zu device%s found, %zu could not be asked", known, str_plural(known),
		failed);
	if (d->skipped)
		(void)fprintf(out, ", %zu neighbour%s without a valid name", d->skipped,
			str_plural(d->skipped));
	(void)fprintf(out, "%s\n", d->cut ? "; the limit was reached: more devices exist" : "");
	if (!known)
		print_failed(d);
	if (!known && is_file(o))
		(void)fprintf(out, "no device was found: %s is not written\n", o->output);
	return failed || !known ? EXIT_UNREACHED : EXIT_FINE;
}

/* Files of the command line, before any device is asked. */
static bool files_exist(const struct options *o, struct err *err)
{
	const struct {
		const char *option, *path;
	} files[] = {{"identity", o->identity}, {"ssh-config", o->ssh_config},
		{"known-hosts", o->known_hosts}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].path && access(files[i].path, R_OK) != 0)
			return err_set(err, ERR_USAGE, files[i].path, "--%s cannot be read: %s",
				files[i].option, strerror(errno));
	return true;
}

int sub_discover(const struct options *o)
{
	char config[PATH_LEN], hosts[PATH_LEN], key[PATH_LEN];
	bool progress = isatty(STDERR_FILENO) == 1;
	struct discover_opts opts = {
		.seeds = o->seeds.at,
		.nseeds = o->seeds.n,
		.limit = o->limit ? o->limit : LIMIT_DEFAULT,
		.threads = o->collectors,
		.patience_us = o->for_us ? o->for_us : PATIENCE_US,
		.progress = show_progress,
		.ctx = &progress,
	};
	struct before before = {0};
	struct discovery d;
	struct err err = {0};
	int code = EXIT_USAGE;

	if (!o->seeds.n) {
		(void)fprintf(stderr,
			"railtop: no device to start at is given\n"
			"  cure: railtop discover --seed LEAF... (one switch or host is enough)\n");
		return EXIT_USAGE;
	}
	if (!files_exist(o, &err) || !may_write(o, &before, &err)) {
		err_print(&err);
		free_before(&before);
		return EXIT_USAGE;
	}
	opts.access.user = (char *)(uintptr_t)o->user;
	opts.access.identity = (char *)(uintptr_t)absolute_path(o->identity, key);
	opts.access.ssh_config = (char *)(uintptr_t)absolute_path(o->ssh_config, config);
	opts.access.known_hosts = (char *)(uintptr_t)absolute_path(o->known_hosts, hosts);
	if (discover_run(&opts, &d, &err) && write_all(o, &opts, &before, &d, &err)) {
		if (progress)
			(void)fprintf(stderr, "\r\033[K");
		code = print_result(o, &d, stderr);
	} else {
		err_print(&err);
		/* A full disk behind it; an output that cannot be created is the user's mistake. */
		if (ferror(stdout))
			code = EXIT_INTERNAL;
	}
	discovery_free(&d);
	free_before(&before);
	return code;
}
