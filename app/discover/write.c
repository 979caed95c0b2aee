/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/discover/discover.h"
#include "base/hostlist_compress.h"
#include "app/config/inventory.h"
#include "base/mem.h"
#include "base/str.h"

#define LIST_MAX ((size_t)16 << 20)

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

static void put_group(FILE *out, const struct discovery *d, const size_t *at, size_t n)
{
	const struct found *f = &d->devices.at[at[0]];
	const char **words = mem_calloc(n, sizeof(*words));

	for (size_t i = 0; i < n; i++)
		words[i] = d->devices.at[at[i]].name;
	(void)fprintf(out, "  - {");
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

static void put_groups(FILE *out, const struct discovery *d, const index_vec *all, bool hosts)
{
	for (size_t i = 0; i < all->n;) {
		const struct found *first = &d->devices.at[all->at[i]];
		size_t end = i + 1;

		while (end < all->n && compare_group(first, &d->devices.at[all->at[end]]) == 0)
			end++;
		if ((first->tier == TIER_HOST) == hosts)
			put_group(out, d, &all->at[i], end - i);
		i = end;
	}
}

/* ---- the file ---- */

static void put_text(FILE *out, const char *key, const char *value)
{
	if (!value)
		return;
	(void)fprintf(out, ", %s: '", key);
	for (; *value; value++)
		(void)fprintf(out, *value == '\'' ? "''" : "%c", *value);
	(void)fprintf(out, "'");
}

static void put_head(FILE *out, const struct discovery *d, const struct discover_opts *o)
{
	(void)fprintf(out,
		"# Written by railtop discover from LLDP. Check it before use: tiers follow from "
		"the\n"
		"# distance to the hosts, rails from the NIC that a leaf is cabled to.\n");
	if (d->cut)
		(void)fprintf(out, "# Cut off at %zu device%s (--limit).\n", o->limit,
			str_plural(o->limit));
	(void)fprintf(out, "fabric: discovered\ndefaults: {interval: 5s");
	put_text(out, "user", o->access.user);
	put_text(out, "identity", o->access.identity);
	put_text(out, "ssh_config", o->access.ssh_config);
	put_text(out, "known_hosts", o->access.known_hosts);
	(void)fprintf(out, "}\n");
}

static void put_failed(FILE *out, const struct discovery *d)
{
	bool first = true;

	for (size_t i = 0; i < d->devices.n; i++) {
		const struct found *f = &d->devices.at[i];

		if (f->state != FOUND_FAILED)
			continue;
		if (first)
			(void)fprintf(out, "\n"
					   "# Named by a neighbour or by a seed, and not asked:\n");
		first = false;
		(void)fprintf(out, "#   %s (%s%s%s): %s\n", f->name, tier_name(f->tier),
			f->descr[0] ? ", " : "", f->descr, f->err.text);
		if (f->err.cure[0])
			(void)fprintf(out, "#     cure: %s\n", f->err.cure);
	}
}

static bool has_devices(const struct discovery *d, const index_vec *all, bool hosts)
{
	for (size_t i = 0; i < all->n; i++)
		if ((d->devices.at[all->at[i]].tier == TIER_HOST) == hosts)
			return true;
	return false;
}

bool discovery_write(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out)
{
	index_vec all = {0};

	for (size_t i = 0; i < d->devices.n; i++)
		if (d->devices.at[i].state == FOUND_KNOWN)
			vec_push(&all, i);
	if (all.n)
		qsort_r(all.at, all.n, sizeof(*all.at), compare_found, (void *)d);
	put_head(out, d, opts);
	if (has_devices(d, &all, false)) {
		(void)fprintf(out, "switches:\n");
		put_groups(out, d, &all, false);
	}
	if (has_devices(d, &all, true)) {
		(void)fprintf(out, "hosts:\n");
		put_groups(out, d, &all, true);
	}
	if (wiring)
		(void)fprintf(out, "wiring: {file: '%s'}\n", wiring);
	put_failed(out, d);
	vec_free(&all);
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

bool discovery_write_wiring(const struct discovery *d, FILE *out)
{
	struct name_index *used = name_index_new();

	(void)fprintf(out, "device,port,device,port\n");
	for (size_t i = 0; i < d->links.n; i++) {
		const struct found_link *l = &d->links.at[i];
		const struct found *a = &d->devices.at[l->a], *b = &d->devices.at[l->b];

		if (a->state != FOUND_KNOWN || b->state != FOUND_KNOWN || !l->b_port[0] ||
			strpbrk(l->b_port, ",#") || !is_free(used, a, l->a_port, false) ||
			!is_free(used, b, l->b_port, false))
			continue;
		(void)is_free(used, a, l->a_port, true);
		(void)is_free(used, b, l->b_port, true);
		(void)fprintf(out, "%s,%s,%s,%s\n", a->name, l->a_port, b->name, l->b_port);
	}
	name_index_free(used);
	return !ferror(out);
}
