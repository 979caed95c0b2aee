/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml_lists.h"
#include "app/output/discovery_store.h"
#include "app/import/import.h"
#include "app/options/options.h"
#include "app/session/file_moment.h"
#include "backends/contract/backend.h"
#include "base/str.h"

#define DIFFERENCES_MAX 200 /* printed */

struct told {
	FILE *out;
	size_t n;
};

static void print_difference(void *ctx, const char *message)
{
	struct told *t = ctx;

	if (t->n++ < DIFFERENCES_MAX)
		(void)fprintf(t->out, "differs: %s\n", message);
}

static const struct importer *find_kind(const struct options *o, struct err *err)
{
	const struct importer *kind = o->words.n ? importer_by_name(o->words.at[0]) : NULL;

	if (kind && o->words.n > 1)
		return kind;
	if (kind)
		err_set(err, ERR_USAGE, "", "no file is given");
	else if (o->words.n)
		err_set(err, ERR_USAGE, "", "\"%s\" is no kind of file", o->words.at[0]);
	else
		err_set(err, ERR_USAGE, "", "the kind of the files is missing");
	if (kind)
		(void)err_cure(err, "railtop import %s FILE...: %s", kind->name, kind->help);
	else
		(void)err_cure(err, "railtop import KIND FILE...; kinds: %s", importer_names());
	return NULL;
}

static bool check_dialect(const struct options *o, struct err *err)
{
	if (!o->dialect || backend_by_name(o->dialect))
		return true;
	err_set(err, ERR_USAGE, "", "--dialect: \"%s\" is not a dialect", o->dialect);
	return err_cure(err, "allowed: %s", backend_names());
}

/* Switches of an unknown system cannot be asked, unless the inventory has them already. */
static bool all_named(const struct import *im, const struct discovery_store *store, struct err *err)
{
	struct inventory_lists r = {.path = store->path,
		.text = store->inventory.data ? store->inventory.data : "",
		.len = store->inventory.len};
	struct name_index *known = name_index_new();
	char list[160];
	unsigned at;
	size_t n;

	if (store->exists && inventory_lists_read(&r, NULL))
		for (size_t i = 0; i < r.entries.n; i++)
			(void)name_index_add(known, r.entries.at[i].name, 0, &at);
	n = import_unnamed(im, known, list, sizeof(list));
	vec_free(&r.entries);
	vec_free(&r.placed);
	name_index_free(known);
	if (!n)
		return true;
	err_set(err, ERR_CONFIG, "", "%s does not say the system of %zu switch%s: %s", im->file, n,
		str_count_word(n, "", "es"), list);
	return err_cure(err, "--dialect NAME is the dialect of those: %s", backend_names());
}

/* ---- LLDP ---- */

static bool compare_lldp(const struct import *im, const char *from, FILE *out,
	struct import_compared *r, struct err *err)
{
	struct file_moment moment;
	struct replay *replay;

	if (!file_moment_read(from, &moment, err))
		return false;
	replay = file_moment_replay(&moment, err);
	if (!replay)
		return false;
	import_compare(im, replay_model(replay), out, r);
	replay_free(replay);
	return true;
}

static void print_compared(const struct import_compared *r, const char *from, FILE *out)
{
	size_t all = r->same + r->differ + r->unheard;

	(void)fprintf(out,
		"LLDP in %s: of %zu cable%s %zu as in the file, %zu differ%s, %zu not shown; %zu "
		"more "
		"that the file lacks\n",
		from, all, str_plural(all), r->same, r->differ, r->differ == 1 ? "s" : "",
		r->unheard, r->extra);
	if (all && r->unheard == all)
		(void)fprintf(out, "LLDP shows none of the cables: nothing was compared\n");
}

static int code_of(const struct options *o, const struct import *im, const struct told *t,
	const struct import_compared *r)
{
	size_t known = 0;

	for (size_t i = 0; i < im->d.devices.n; i++)
		known += im->d.devices.at[i].state == FOUND_KNOWN;
	if (!known)
		return EXIT_UNREACHED;
	if (t->n || r->differ || r->extra)
		return EXIT_FINDINGS;
	return o->from && !r->same ? EXIT_UNREACHED : EXIT_FINE;
}

/* ---- the work ---- */

static void print_count(const struct import *im, FILE *out)
{
	size_t n[2] = {0}, cables = 0;

	for (size_t i = 0; i < im->d.devices.n; i++)
		if (im->d.devices.at[i].state == FOUND_KNOWN)
			n[im->d.devices.at[i].is_switch]++;
	for (size_t i = 0; i < im->d.links.n; i++) {
		const struct found_link *l = &im->d.links.at[i];

		cables += !l->management && im->d.devices.at[l->a].state == FOUND_KNOWN &&
			  im->d.devices.at[l->b].state == FOUND_KNOWN;
	}
	(void)fprintf(out, "%zu switch%s, %zu host%s, %zu cable%s\n", n[1],
		str_count_word(n[1], "", "es"), n[0], str_plural(n[0]), cables, str_plural(cables));
	if (!n[0] && !n[1])
		(void)fprintf(out, "no device is part of the fabric: nothing is written\n");
}

static bool read_files(const struct options *o, struct import *im, const struct importer *kind,
	const struct discovery_store *store, struct err *err)
{
	bool ok = true;

	for (size_t i = 1; ok && i < o->words.n; i++)
		ok = import_file(im, kind, o->words.at[i], err);
	import_finish(im, kind, o->dialect);
	return ok && all_named(im, store, err);
}

static int import_all(const struct options *o, struct import *im, const struct importer *kind,
	struct discovery_store *store, struct err *err)
{
	bool is_file = discovery_store_is_file(o->output);
	struct told told = {.out = is_file ? stdout : stderr};
	struct import_compared compared = {0};
	char author[64], source[64];
	struct discover_opts opts = {.author = author, .fabric = "imported"};

	(void)str_printf(author, sizeof(author), "railtop import %s", kind->name);
	(void)str_printf(source, sizeof(source), "%s says", kind->name);
	if (!read_files(o, im, kind, store, err))
		return EXIT_USAGE;
	if (o->from && !compare_lldp(im, o->from, told.out, &compared, err))
		return EXIT_USAGE;
	discovery_sort(&im->d);
	im->d.source = source;
	opts.access.user = (char *)(uintptr_t)o->user;
	if (!discovery_store_write(store, &opts, &im->d, print_difference, &told, err))
		return ferror(stdout) ? EXIT_INTERNAL : EXIT_USAGE;
	if (told.n > DIFFERENCES_MAX)
		(void)fprintf(told.out, "... and %zu more\n", told.n - DIFFERENCES_MAX);
	import_print_notes(im, told.out);
	print_count(im, told.out);
	if (!is_file && im->d.links.n)
		(void)fprintf(
			stderr, "cables are written with -o FILE only, to a table beside it\n");
	if (o->from)
		print_compared(&compared, o->from, told.out);
	return code_of(o, im, &told, &compared);
}

int sub_import(const struct options *o)
{
	struct discovery_store store = {0};
	struct import im;
	struct err err = {0};
	const struct importer *kind = find_kind(o, &err);
	int code = EXIT_USAGE;

	if (!kind || !check_dialect(o, &err)) {
		err_print(&err);
		return EXIT_USAGE;
	}
	import_init(&im);
	im.hosts = o->host;
	if (discovery_store_open(&store, o->output, o->force, &err))
		code = import_all(o, &im, kind, &store, &err);
	if (err.code)
		err_print(&err);
	import_free(&im);
	discovery_store_free(&store);
	return code;
}
