/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/discover.h"
#include "app/headless.h"
#include "base/clock.h"
#include "base/str.h"

#define LIMIT_DEFAULT 5000
#define ROUND_US      (60 * CLOCK_SEC)
#define PATH_LEN      4096

static size_t count(const struct discovery *d, enum found_state state)
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
			d->devices.n, count(d, FOUND_KNOWN), count(d, FOUND_FAILED));
}

/* fabric.yaml -> fabric.wiring.csv, beside it. */
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

/* Relative paths in an inventory are from its own folder: what was given is from here. */
static const char *absolute(const char *path, char *dst)
{
	return path && realpath(path, dst) ? dst : path;
}

typedef bool write_fn(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out);

static bool write_links(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out)
{
	(void)opts;
	(void)wiring;
	return discovery_write_wiring(d, out);
}

/* A device or a pipe is written to; it is never replaced by a file of its name. */
static bool is_replaced(const char *path)
{
	struct stat st;

	return !str_eq(path, "-") && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

/* Whole or not at all: an inventory that is there already is worth more than half a new one. */
static bool write_file(const char *path, write_fn *write, const struct discovery *d,
	const struct discover_opts *opts, const char *wiring, struct err *err)
{
	bool replaced = is_replaced(path);
	char temporary[PATH_LEN];
	FILE *f;
	bool ok;

	(void)str_printf(temporary, sizeof(temporary), "%s.new", path);
	f = headless_open(replaced ? temporary : path, err);
	if (!f)
		return false;
	ok = write(d, opts, wiring, f);
	if (!headless_close(f, path, err) || !ok)
		return false;
	if (!replaced || rename(temporary, path) == 0)
		return true;
	return err_set(err, ERR_IO, path, "cannot be written: %s", strerror(errno));
}

static bool write_all(const struct options *o, const struct discover_opts *opts,
	const struct discovery *d, struct err *err)
{
	const char *path = o->output ? o->output : "-";
	char wiring[PATH_LEN];

	if (str_eq(path, "-"))
		return write_file(path, discovery_write, d, opts, NULL, err);
	wiring_path(path, wiring, sizeof(wiring));
	return write_file(wiring, write_links, d, opts, NULL, err) &&
	       write_file(path, discovery_write, d, opts, base_name(wiring), err);
}

static int result(const struct discovery *d, FILE *out)
{
	size_t known = count(d, FOUND_KNOWN), failed = count(d, FOUND_FAILED);

	(void)fprintf(out, "%zu devices found, %zu could not be asked", known, failed);
	if (d->skipped)
		(void)fprintf(out, ", %zu neighbours have names that are none", d->skipped);
	(void)fprintf(out, "%s\n", d->cut ? "; the limit was reached: there is more" : "");
	if (!known && d->devices.n)
		err_print(&d->devices.at[0].err);
	return failed || !known ? EXIT_UNREACHED : EXIT_FINE;
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
		.round_us = o->for_us ? o->for_us : ROUND_US,
		.progress = show_progress,
		.ctx = &progress,
	};
	struct discovery d;
	struct err err = {0};
	int code = EXIT_USAGE;

	if (!o->seeds.n) {
		(void)fprintf(stderr, "railtop: no device to start at (give --seed HOST...)\n");
		return EXIT_USAGE;
	}
	opts.access.user = (char *)(uintptr_t)o->user;
	opts.access.identity = (char *)(uintptr_t)absolute(o->identity, key);
	opts.access.ssh_config = (char *)(uintptr_t)absolute(o->ssh_config, config);
	opts.access.known_hosts = (char *)(uintptr_t)absolute(o->known_hosts, hosts);
	if (discover_run(&opts, &d, &err) && write_all(o, &opts, &d, &err)) {
		if (progress)
			(void)fprintf(stderr, "\r\033[K");
		code = result(&d, stderr);
	} else {
		err_print(&err);
	}
	discovery_free(&d);
	return code;
}
