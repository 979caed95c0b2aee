/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/discover/discover.h"
#include "base/hostlist_compress.h"
#include "app/inventory/inventory.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/mac.h"

#define LIST_MAX ((size_t)16 << 20)
#define INDENT   2

typedef VEC(size_t) index_vec;

/* ---- groups: devices described by one entry of the inventory ---- */

static int compare_nics(const struct found *a, const struct found *b)
{
	for (size_t i = 0; i < a->nics.n && i < b->nics.n; i++) {
		int c = strcmp(a->nics.at[i], b->nics.at[i]);

		if (c)
			return c;
	}
	return (a->nics.n > b->nics.n) - (a->nics.n < b->nics.n);
}

static int compare_group(const struct found *a, const struct found *b)
{
	int c = (int)a->tier - (int)b->tier;

	if (!c)
		c = strcmp(a->dialect, b->dialect);
	if (!c)
		c = a->rail - b->rail;
	return c ? c : compare_nics(a, b);
}

static int compare_found(const void *x, const void *y, void *discovery)
{
	const struct discovery *d = discovery;
	const struct found *a = &d->devices.at[*(const size_t *)x];
	const struct found *b = &d->devices.at[*(const size_t *)y];
	int c = compare_group(a, b);

	return c ? c : strverscmp(a->name, b->name);
}

static void put_list(FILE *out, const char *key, const char *const *names, size_t n)
{
	struct buf b;

	buf_init(&b, LIST_MAX);
	hostlist_compress(names, n, &b);
	(void)fprintf(out, "%s: \"%s\"", key, b.data ? b.data : "");
	buf_free(&b);
}

static void put_addresses(
	FILE *out, const struct discovery *d, const size_t *at, size_t n, const char **words)
{
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const struct found *f = &d->devices.at[at[i]];

		words[i] = f->address;
		differ = differ || !str_eq(f->address, f->name);
	}
	if (!differ)
		return;
	(void)fprintf(out, ", ");
	put_list(out, "address", words, n);
}

/* ---- reasons ---- */

static bool same_reason(const struct found *a, const struct found *b)
{
	return str_eq(a->kind_why, b->kind_why) && str_eq(a->tier_why, b->tier_why);
}

static void put_reason(FILE *out, const struct found *f)
{
	if (f->is_switch)
		(void)fprintf(out, "%s, as %s; a switch, as %s", tier_name(f->tier), f->tier_why,
			f->kind_why);
	else
		(void)fprintf(out, "host, as %s", f->kind_why);
	if (f->rail >= 0)
		(void)fprintf(out, "; rail %d, as its hosts are cabled by that NIC", f->rail);
	(void)fprintf(out, "\n");
}

/* One comment for all devices of the group that have the same reason. */
static void put_reasons(
	FILE *out, const struct discovery *d, const size_t *at, size_t n, unsigned indent)
{
	const char **words = mem_calloc(n, sizeof(*words));
	bool *said = mem_calloc(n, sizeof(*said));
	struct buf b;

	for (size_t i = 0; i < n; i++) {
		size_t same = 0;

		for (size_t k = i; k < n; k++) {
			const struct found *f = &d->devices.at[at[k]];

			if (said[k] || !same_reason(f, &d->devices.at[at[i]]))
				continue;
			said[k] = true;
			words[same++] = f->name;
		}
		if (!same)
			continue;
		buf_init(&b, LIST_MAX);
		hostlist_compress(words, same, &b);
		(void)fprintf(out, "%*s# %s: ", (int)indent, "", b.data ? b.data : "");
		put_reason(out, &d->devices.at[at[i]]);
		buf_free(&b);
	}
	free(said);
	free(words);
}

/* The racks of a group as comments: "# rack R12 U14: leaf1". */
static void put_rack_comments(
	FILE *out, const struct discovery *d, const size_t *at, size_t n, unsigned indent)
{
	for (size_t i = 0; i < n; i++) {
		const struct found *f = &d->devices.at[at[i]];

		if (f->rack[0])
			(void)fprintf(out, "%*s# rack %s%s%s: %s\n", (int)indent, "", f->rack,
				f->unit[0] ? " U" : "", f->unit, f->name);
	}
}

static void put_group(FILE *out, const struct discovery *d, const size_t *at, size_t n, bool racks,
	unsigned indent)
{
	const struct found *f = &d->devices.at[at[0]];
	const char **words = mem_calloc(n, sizeof(*words));

	put_reasons(out, d, at, n, indent);
	if (racks)
		put_rack_comments(out, d, at, n, indent);
	for (size_t i = 0; i < n; i++)
		words[i] = d->devices.at[at[i]].name;
	(void)fprintf(out, "%*s- {", (int)indent, "");
	put_list(out, "names", words, n);
	put_addresses(out, d, at, n, words);
	(void)fprintf(out, ", dialect: %s, transport: ssh", f->dialect);
	if (f->tier != TIER_HOST)
		(void)fprintf(out, ", tier: %s", tier_name(f->tier));
	if (f->rail >= 0)
		(void)fprintf(out, ", rail: %d", f->rail);
	if (f->nics.n) {
		(void)fprintf(out, ", ");
		put_list(out, "rails", (const char *const *)f->nics.at, f->nics.n);
	}
	(void)fprintf(out, "}\n");
	free(words);
}

size_t discovery_write_entries(const struct discovery *d, const bool *with, bool hosts, bool racks,
	unsigned indent, FILE *out)
{
	index_vec all = {0};
	size_t written;

	for (size_t i = 0; i < d->devices.n; i++)
		if (d->devices.at[i].state == FOUND_KNOWN && (!with || with[i]) &&
			(d->devices.at[i].tier == TIER_HOST) == hosts)
			vec_push(&all, i);
	if (all.n)
		qsort_r(all.at, all.n, sizeof(*all.at), compare_found, (void *)d);
	for (size_t i = 0, end; i < all.n; i = end) {
		const struct found *first = &d->devices.at[all.at[i]];

		for (end = i + 1; end < all.n; end++)
			if (compare_group(first, &d->devices.at[all.at[end]]) != 0)
				break;
		put_group(out, d, &all.at[i], end - i, racks, indent);
	}
	written = all.n;
	vec_free(&all);
	return written;
}

/* ---- the file ---- */

static void put_quoted(FILE *out, const char *value)
{
	(void)fputc('\'', out);
	for (; *value; value++)
		(void)fprintf(out, *value == '\'' ? "''" : "%c", *value);
	(void)fputc('\'', out);
}

static void put_text(FILE *out, const char *key, const char *value)
{
	if (!value)
		return;
	(void)fprintf(out, ", %s: ", key);
	put_quoted(out, value);
}

void discovery_write_racks(
	const struct discovery *d, const bool *with, unsigned indent, bool head, FILE *out)
{

	for (size_t i = 0; i < d->devices.n; i++) {
		const struct found *f = &d->devices.at[i];

		if (f->state != FOUND_KNOWN || (with && !with[i]) || !f->rack[0])
			continue;
		(void)fprintf(out, "%s%*s- {rack: ", head ? "racks:\n" : "", (int)indent, "");
		head = false;
		put_quoted(out, f->rack);
		put_text(out, "devices", f->name);
		put_text(out, "unit", f->unit[0] ? f->unit : NULL);
		(void)fprintf(out, "}\n");
	}
}

static void put_head(FILE *out, const struct discovery *d, const struct discover_opts *o)
{
	(void)fprintf(out,
		"# Written by %s. Check it before use: each guess has its reason.\n"
		"# Asked again, railtop adds what is new and changes nothing else.\n",
		o->author ? o->author : "railtop discover from LLDP");
	if (d->cut)
		(void)fprintf(out, "# Cut off at %zu device%s (--limit).\n", o->limit,
			str_plural(o->limit));
	(void)fprintf(
		out, "fabric: %s\ndefaults: {interval: 5s", o->fabric ? o->fabric : "discovered");
	put_text(out, "user", o->access.user);
	put_text(out, "identity", o->access.identity);
	put_text(out, "ssh_config", o->access.ssh_config);
	put_text(out, "known_hosts", o->access.known_hosts);
	put_text(out, "jump", o->access.jump);
	(void)fprintf(out, "}\n");
}

void discovery_write_failed(const struct discovery *d, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < d->devices.n; i++) {
		const struct found *f = &d->devices.at[i];

		if (f->state != FOUND_FAILED)
			continue;
		if (first)
			(void)fprintf(out, "\n" DISCOVERY_FAILED_HEAD "\n");
		first = false;
		(void)fprintf(out, "#   %s (%s%s%s): %s\n", f->name, tier_name(f->tier),
			f->descr[0] ? ", " : "", f->descr, f->err.text);
		(void)fprintf(out, "#     ");
		put_reason(out, f);
		if (f->err.cure[0])
			(void)fprintf(out, "#     cure: %s\n", f->err.cure);
	}
}

static bool has_devices(const struct discovery *d, bool hosts)
{
	for (size_t i = 0; i < d->devices.n; i++)
		if (d->devices.at[i].state == FOUND_KNOWN &&
			(d->devices.at[i].tier == TIER_HOST) == hosts)
			return true;
	return false;
}

bool discovery_write(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out)
{
	put_head(out, d, opts);
	if (has_devices(d, false)) {
		(void)fprintf(out, "switches:\n");
		(void)discovery_write_entries(d, NULL, false, false, INDENT, out);
	}
	if (has_devices(d, true)) {
		(void)fprintf(out, "hosts:\n");
		(void)discovery_write_entries(d, NULL, true, false, INDENT, out);
	}
	discovery_write_racks(d, NULL, INDENT, true, out);
	if (wiring)
		(void)fprintf(out, "wiring: {file: '%s'}\n", wiring);
	discovery_write_failed(d, out);
	return !ferror(out);
}

/* ---- links ---- */

/* False when the port has a cable already: both ends report the same one. */
static bool is_free(struct name_index *used, const struct found *f, const char *port, bool take)
{
	char key[2 * NAME_MAX_LEN + 2];
	unsigned at;

	(void)str_printf(key, sizeof(key), "%s:%s", f->name, port);
	return take ? name_index_add(used, key, 0, &at) : !name_index_find(used, key, &at);
}

/* Two ends that differ prove nothing; an unknown one leaves it to the other. */
static void put_speed(FILE *out, const struct found_port *a, const struct found_port *b)
{
	unsigned x = a ? a->mbps : 0, y = b ? b->mbps : 0;

	if (x && y && x != y)
		x = y = 0;
	x = x ? x : y;
	if (x >= 1000 && x % 1000 == 0)
		(void)fprintf(out, ",%uG\n", x / 1000);
	else if (x >= 1000)
		(void)fprintf(out, ",%u\n", x);
	else
		(void)fprintf(out, "\n");
}

size_t discovery_write_cables(const struct discovery *d, struct name_index *used, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->links.n; i++) {
		const struct found_link *l = &d->links.at[i];
		const struct found *a = &d->devices.at[l->a], *b = &d->devices.at[l->b];

		const struct found_port *pa = discovery_port(a, l->a_port),
					*pb = discovery_port(b, l->b_port);
		const char *b_port = pb ? pb->name : l->b_port;

		/* A MAC that the device does not report is no port of its. */
		if (l->management || a->state != FOUND_KNOWN || b->state != FOUND_KNOWN ||
			!*b_port || (!pb && mac_is(b_port)) || strpbrk(b_port, ",#") ||
			!is_free(used, a, l->a_port, false) || !is_free(used, b, b_port, false))
			continue;
		(void)is_free(used, a, l->a_port, true);
		(void)is_free(used, b, b_port, true);
		(void)fprintf(out, "%s,%s,%s,%s", a->name, l->a_port, b->name, b_port);
		put_speed(out, pa, pb);
		n++;
	}
	return n;
}

bool discovery_has_cables(const struct discovery *d)
{
	for (size_t i = 0; i < d->links.n; i++) {
		const struct found_link *l = &d->links.at[i];

		if (!l->management && d->devices.at[l->a].state == FOUND_KNOWN &&
			d->devices.at[l->b].state == FOUND_KNOWN)
			return true;
	}
	return false;
}

bool discovery_write_wiring(const struct discovery *d, FILE *out)
{
	struct name_index *used = name_index_new();

	(void)fprintf(out, "device,port,device,port,speed\n");
	(void)discovery_write_cables(d, used, out);
	name_index_free(used);
	return !ferror(out);
}
