/* SPDX-License-Identifier: Apache-2.0 */
#include "app/import/import.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "app/discover/found_role.h"
#include "base/hostlist_compress.h"
#include "base/mem.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

#define IMPORTER(id) extern const struct importer importer_##id;
#include "app/options/importers.def"
#undef IMPORTER

const struct importer *const importer_table[] = {
#define IMPORTER(id) &importer_##id,
#include "app/options/importers.def"
#undef IMPORTER
};
const size_t importer_count = COUNT_OF(importer_table);

const struct importer *importer_by_name(const char *name)
{
	for (size_t i = 0; i < importer_count; i++)
		if (str_eq(importer_table[i]->name, name))
			return importer_table[i];
	return NULL;
}

const char *importer_names(void)
{
	static char names[160];

	if (!names[0])
		for (size_t i = 0; i < importer_count; i++)
			(void)str_printf(names + strlen(names), sizeof(names) - strlen(names),
				"%s%s", i ? ", " : "", importer_table[i]->name);
	return names;
}

void import_init(struct import *im)
{
	*im = (struct import){.names = name_index_new()};
}

void import_free(struct import *im)
{
	discovery_free(&im->d);
	vec_free(&im->said);
	vec_free(&im->notes);
	name_index_free(im->names);
}

bool import_error(const struct import *im, struct err *err, size_t line, const char *fmt, ...)
{
	char origin[sizeof(err->origin)], text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (line)
		(void)str_printf(origin, sizeof(origin), "%.100s:%zu", im->file, line);
	else
		(void)str_copy(origin, sizeof(origin), im->file);
	return err_set(err, ERR_CONFIG, origin, "%s", text);
}

bool import_text(struct import *im, const struct importer *kind, const char *file, const char *text,
	size_t len, struct err *err)
{
	im->file = file;
	if (!len)
		return import_error(im, err, 0, "is empty");
	if (memchr(text, '\0', len))
		return import_error(im, err, 0, "is not a text file (it has a zero byte)");
	return kind->read(im, text, len, err);
}

bool import_file(struct import *im, const struct importer *kind, const char *path, struct err *err)
{
	struct buf b;
	bool ok;

	buf_init(&b, IMPORT_FILE_MAX);
	ok = inventory_slurp(path, &b, err) &&
	     import_text(im, kind, path, b.data ? b.data : "", b.len, err);
	buf_free(&b);
	return ok;
}

/* ---- notes ---- */

void import_skip(struct import *im, const char *why, const char *example)
{
	struct import_note *n;

	for (size_t i = 0; i < im->notes.n; i++) {
		if (!str_eq(im->notes.at[i].why, why))
			continue;
		im->notes.at[i].n++;
		return;
	}
	if (im->notes.n >= IMPORT_NOTES_MAX)
		return;
	n = vec_add(&im->notes);
	n->why = why;
	n->n = 1;
	(void)str_sanitise(n->example, sizeof(n->example), example, strnlen(example, 90));
}

void import_print_notes(const struct import *im, FILE *out)
{
	for (size_t i = 0; i < im->notes.n; i++) {
		const struct import_note *n = &im->notes.at[i];

		(void)fprintf(out, "left out: %s (%s%s%.0zu%s)\n", n->why, n->example,
			n->n > 1 ? ", and " : "", n->n > 1 ? n->n - 1 : 0, n->n > 1 ? " more" : "");
	}
}

/* ---- devices ---- */

size_t import_device(struct import *im, const char *name)
{
	struct import_said *said;
	unsigned at;

	if (!found_name_ok(name)) {
		import_skip(im, "names that no device can have", name);
		return SIZE_MAX;
	}
	if (im->d.devices.n >= INVENTORY_DEVICES_MAX) {
		im->d.cut = true;
		import_skip(im, "devices beyond the limit of an inventory", name);
		return SIZE_MAX;
	}
	if (!name_index_add(im->names, name, (unsigned)im->d.devices.n, &at))
		return at;
	discovery_add(&im->d, name)->state = FOUND_KNOWN;
	said = vec_add(&im->said);
	said->tier = -1;
	said->why = "";
	return im->d.devices.n - 1;
}

static bool port_ok(const char *port)
{
	if (!*port || strlen(port) >= NAME_MAX_LEN)
		return false;
	for (; *port; port++)
		if (!isgraph((unsigned char)*port) || strchr(",#:\"'", *port))
			return false;
	return true;
}

static void note_speed(struct found *f, const char *port, unsigned mbps)
{
	struct found_port *p;

	if (!mbps || f->ports.n > 4096)
		return;
	p = vec_add(&f->ports);
	(void)str_copy(p->name, sizeof(p->name), port);
	p->mbps = mbps;
}

void import_link(struct import *im, size_t a, const char *a_port, size_t b, const char *b_port,
	unsigned mbps)
{
	struct found_link l = {.a = a, .b = b};

	if (a == SIZE_MAX || b == SIZE_MAX)
		return;
	if (!port_ok(a_port) || !port_ok(b_port)) {
		import_skip(im, "cables with a name that no port can have",
			port_ok(a_port) ? b_port : a_port);
		return;
	}
	if (im->d.links.n >= IMPORT_LINKS_MAX) {
		import_skip(im, "cables beyond the limit", a_port);
		return;
	}
	if (a == b) {
		import_skip(im, "cables from a device to itself", im->d.devices.at[a].name);
		return;
	}
	(void)str_copy(l.a_port, sizeof(l.a_port), a_port);
	(void)str_copy(l.b_port, sizeof(l.b_port), b_port);
	note_speed(&im->d.devices.at[a], a_port, mbps);
	vec_push(&im->d.links, l);
}

void import_address(struct import *im, size_t at, const char *address)
{
	char text[NAME_MAX_LEN];
	size_t n = strcspn(address, "/");
	unsigned char bytes[16];

	if (at == SIZE_MAX || !*address)
		return;
	if (n < sizeof(text) && str_copyn(text, sizeof(text), address, n) &&
		(inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1 ||
			found_name_ok(text))) {
		(void)str_copy(
			im->d.devices.at[at].address, sizeof(im->d.devices.at[at].address), text);
		return;
	}
	import_skip(im, "addresses that are none", address);
}

size_t import_unnamed(
	const struct import *im, const struct name_index *known, char *list, size_t size)
{
	const char **names = mem_calloc(im->d.devices.n + 1, sizeof(*names));
	size_t n = 0;
	struct buf b;
	unsigned at;

	for (size_t i = 0; i < im->d.devices.n; i++) {
		const struct found *f = &im->d.devices.at[i];

		if (f->state == FOUND_KNOWN && f->is_switch && !f->dialect[0] &&
			!(known && name_index_find(known, f->name, &at)))
			names[n++] = f->name;
	}
	buf_init(&b, INVENTORY_FILE_MAX);
	hostlist_compress(names, n, &b);
	if (!str_copy(list, size, b.data ? b.data : "") && size > 4)
		(void)str_copy(list + size - 4, 4, "...");
	buf_free(&b);
	free(names);
	return n;
}
