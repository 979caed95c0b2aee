/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/discover/discover.h"
#include "app/output/discovery_store.h"
#include "app/subcommands/discover.h"
#include "app/headless/headless.h"
#include "base/clock.h"
#include "base/str.h"

#define LIMIT_DEFAULT 5000
#define PATIENCE_US   (12 * CLOCK_SEC)
#define PATH_LEN      PATH_MAX

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

/* Relative paths in an inventory start at its folder; those of the command line at this one. */
static const char *absolute_path(const char *path, char *dst)
{
	return path && realpath(path, dst) ? dst : path;
}

static void print_difference(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "%s\n", message);
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
	if (!known && discovery_store_is_file(o->output))
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
	return discover_from(o, NULL, NULL);
}

int discover_from(const struct options *o, const char *jump, size_t *known)
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
	struct discovery_store store = {0};
	struct discovery d;
	struct err err = {0};
	int code = EXIT_USAGE;

	if (!o->seeds.n) {
		(void)fprintf(stderr,
			"railtop: no device to start at is given\n"
			"  cure: railtop discover --seed LEAF... (one switch or host is enough)\n");
		return EXIT_USAGE;
	}
	if (!files_exist(o, &err) || !discovery_store_open(&store, o->output, o->force, &err)) {
		err_print(&err);
		discovery_store_free(&store);
		return EXIT_USAGE;
	}
	opts.access.jump = (char *)(uintptr_t)jump;
	opts.access.user = (char *)(uintptr_t)o->user;
	opts.access.identity = (char *)(uintptr_t)absolute_path(o->identity, key);
	opts.access.ssh_config = (char *)(uintptr_t)absolute_path(o->ssh_config, config);
	opts.access.known_hosts = (char *)(uintptr_t)absolute_path(o->known_hosts, hosts);
	if (discover_run(&opts, &d, &err) &&
		discovery_store_write(&store, &opts, &d, print_difference, NULL, &err)) {
		if (progress)
			(void)fprintf(stderr, "\r\033[K");
		code = print_result(o, &d, stderr);
		if (known)
			*known = count_state(&d, FOUND_KNOWN);
	} else {
		err_print(&err);
		/* A full disk behind it; an output that cannot be created is the user's mistake. */
		if (ferror(stdout))
			code = EXIT_INTERNAL;
	}
	discovery_free(&d);
	discovery_store_free(&store);
	return code;
}
