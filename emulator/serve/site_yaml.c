/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "emulator/serve/site.h"

/* fabric.yaml: as few lines as the bracket form allows; names and addresses count alike. */

struct run {
	char prefix[NAME_MAX_LEN], from[16], to[16]; /* leaf-r3-, 00, 15 */
	uint32_t first, last;                        /* addresses, host byte order */
	size_t n;
};

static uint32_t address(const struct site *s, const struct sim_device *d)
{
	return ntohl(site_address(s, d).s_addr);
}

/* Splits a name in its head and the number at its end. */
static void split(const char *name, char *prefix, size_t psize, char *digits, size_t dsize)
{
	size_t n = strlen(name);

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	(void)str_copyn(prefix, psize, name, n);
	(void)str_copy(digits, dsize, name + n);
}

/* Whether d goes on where the run stops; takes it when it does. */
static bool extend(const struct site *s, struct run *r, const struct sim_device *d)
{
	char prefix[NAME_MAX_LEN], digits[16];
	uint32_t a = address(s, d);

	split(d->name, prefix, sizeof(prefix), digits, sizeof(digits));
	if (r->n) {
		if (strcmp(prefix, r->prefix) != 0 || strlen(digits) != strlen(r->to) ||
			a != r->last + 1 ||
			strtoul(digits, NULL, 10) != strtoul(r->to, NULL, 10) + 1)
			return false;
	} else {
		r->first = a;
		(void)str_copy(r->prefix, sizeof(r->prefix), prefix);
		(void)str_copy(r->from, sizeof(r->from), digits);
	}
	(void)str_copy(r->to, sizeof(r->to), digits);
	r->last = a;
	r->n++;
	return true;
}

static void put_address(struct buf *b, uint32_t first, uint32_t last)
{
	(void)buf_addf(
		b, "address: \"%u.%u.%u.", first >> 24, first >> 16 & 0xff, first >> 8 & 0xff);
	if (first == last)
		(void)buf_addf(b, "%u\"", first & 0xff);
	else
		(void)buf_addf(b, "[%u-%u]\"", first & 0xff, last & 0xff);
}

static void put_rest(struct buf *b, const struct site *s, enum tier t, unsigned port)
{
	const struct sizing *z = sim_sizing(s->sim);

	if (t == TIER_HOST)
		(void)buf_addf(b,
			", port: %u, dialect: linux, transport: ssh, rails: \"mlx5_[0-%u]\"}\n",
			port, z->rails - 1);
	else if (t == TIER_LEAF)
		(void)buf_addf(
			b, ", port: %u, dialect: sonic, transport: ssh, tier: leaf}\n", port);
	else
		(void)buf_addf(b,
			", port: %u, dialect: eos, transport: https, tier: %s, "
			"credentials: \"file:eapi.password\"}\n",
			port, t == TIER_SPINE ? "spine" : "superspine");
}

static void put_run(
	struct buf *b, const struct site *s, enum tier t, unsigned port, const struct run *r)
{
	if (r->n == 1)
		(void)buf_addf(b, "  - {names: \"%s%s\", ", r->prefix, r->from);
	else
		(void)buf_addf(b, "  - {names: \"%s[%s-%s]\", ", r->prefix, r->from, r->to);
	put_address(b, r->first, r->last);
	put_rest(b, s, t, port);
}

static struct sim_device *nth(const struct site *s, enum tier t, unsigned n)
{
	char name[NAME_MAX_LEN];

	(void)sizing_device_name(sim_sizing(s->sim), t, n, name, sizeof(name));
	return sim_device_by_name(s->sim, name);
}

/* One leaf a rail: the number that counts is in the middle of the name. */
static bool put_one_leaf_a_rail(struct buf *b, const struct site *s, unsigned port)
{
	const struct sizing *z = sim_sizing(s->sim);
	uint32_t first, last;

	if (z->leaves_per_rail != 1 || z->rails < 2)
		return false;
	first = address(s, nth(s, TIER_LEAF, 0));
	last = address(s, nth(s, TIER_LEAF, z->rails - 1));
	if (last - first != z->rails - 1 || strcmp(nth(s, TIER_LEAF, 0)->name, "leaf-r0-00") != 0)
		return false;
	(void)buf_addf(b, "  - {names: \"leaf-r[0-%u]-00\", ", z->rails - 1);
	put_address(b, first, last);
	put_rest(b, s, TIER_LEAF, port);
	return true;
}

static void put_tier(struct buf *b, const struct site *s, enum tier t, unsigned port)
{
	unsigned n = sizing_devices(sim_sizing(s->sim), t);
	struct run r = {0};

	if (t == TIER_LEAF && put_one_leaf_a_rail(b, s, port))
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct sim_device *d = nth(s, t, i);

		if (extend(s, &r, d))
			continue;
		put_run(b, s, t, port, &r);
		r = (struct run){0};
		(void)extend(s, &r, d);
	}
	if (r.n)
		put_run(b, s, t, port, &r);
}

char *site_yaml(const struct site *s, unsigned ssh_port, unsigned https_port, const char *interval)
{
	const char *preset = sim_sizing(s->sim)->preset;
	struct buf b;

	buf_init(&b, 16U << 20);
	(void)buf_addf(&b,
		"# Written by railtop-emulator at every start. Paths are relative to this file.\n");
	(void)buf_addf(&b, "fabric: %s\npreset: %s\n", preset, preset);
	(void)buf_adds(&b, "lossless: {priorities: [3], dscp: {26: 3}, cnp_dscp: 48, "
			   "ecn: {min: 500KB, max: 1500KB}}\n");
	(void)buf_addf(&b,
		"defaults: {interval: %s, user: " SITE_USER ", identity: id_ed25519, "
		"known_hosts: known_hosts, tls_ca: ca.pem}\n",
		interval);
	(void)buf_adds(&b, "switches:\n");
	put_tier(&b, s, TIER_LEAF, ssh_port);
	put_tier(&b, s, TIER_SPINE, https_port);
	put_tier(&b, s, TIER_SUPERSPINE, https_port);
	(void)buf_adds(&b, "hosts:\n");
	put_tier(&b, s, TIER_HOST, ssh_port);
	(void)buf_adds(&b, "wiring: {plan: formula}\n");
	return buf_take(&b, NULL);
}
