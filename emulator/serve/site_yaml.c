/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "emulator/serve/site.h"
#include "emulator/sim/topology.h"

/*
 * Writes fabric.yaml. Bracket lists keep it short: a run of devices has consecutive names and
 * addresses. wiring.csv has the wiring if no formula gives it.
 */

#define NUMBERS_MOST 3 /* numbers of a name, from its end, that may be the counting one */

struct run {
	const struct sim_device *first, *last;
	unsigned number; /* index of the counting number in the names, from their end */
	size_t n;
};

struct split {
	char head[NAME_MAX_LEN], digits[16], tail[NAME_MAX_LEN]; /* leaf-r, 3, -00 */
};

static uint32_t host_order_address(const struct site *s, const struct sim_device *d)
{
	return ntohl(site_address(s, d).s_addr);
}

/* Splits a name at its k-th number from the end; false if it has no such number. */
static bool split_name(const char *name, unsigned k, struct split *out)
{
	size_t from, to = strlen(name);

	for (;; k--) {
		while (to && !isdigit((unsigned char)name[to - 1]))
			to--;
		for (from = to; from && isdigit((unsigned char)name[from - 1]);)
			from--;
		if (from == to)
			return false;
		if (!k)
			break;
		to = from;
	}
	return str_copyn(out->head, sizeof(out->head), name, from) &&
	       str_copyn(out->digits, sizeof(out->digits), name + from, to - from) &&
	       str_copy(out->tail, sizeof(out->tail), name + to);
}

/* True if b's k-th number is the successor of a's, and the names are equal otherwise. */
static bool is_successor(const char *a, const char *b, unsigned k)
{
	struct split x, y;

	return split_name(a, k, &x) && split_name(b, k, &y) && strcmp(x.head, y.head) == 0 &&
	       strcmp(x.tail, y.tail) == 0 && strlen(x.digits) == strlen(y.digits) &&
	       strtoul(x.digits, NULL, 10) + 1 == strtoul(y.digits, NULL, 10);
}

/* The rail that the inventory must state; -1 if it need not. */
static int stated_rail(const struct site *s, const struct sim_device *d)
{
	if (sim_sizing(s->sim) || d->tier == TIER_HOST || d->rail == topo_rail_in_name(d->name))
		return -1;
	return d->rail;
}

static unsigned count_rails(const struct sim_device *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->nports; i++)
		if (d->ports[i].rail >= (int)n)
			n = (unsigned)d->ports[i].rail + 1;
	return n;
}

static int rail_behind(const struct site *s, const struct sim_port *p)
{
	return p->rail >= 0 && p->plan_peer ? sim_device_of(s->sim, p->plan_peer)->rail : -1;
}

/*
 * Whether the ports of a host count the rails. Not where two ports lead to one rail: there only the
 * leaves say the rail.
 */
static bool counts_rails(const struct site *s, const struct sim_device *d)
{
	for (unsigned i = 0; i < d->nports; i++)
		for (unsigned k = 0; k < i; k++)
			if (rail_behind(s, &d->ports[i]) >= 0 &&
				rail_behind(s, &d->ports[i]) == rail_behind(s, &d->ports[k]))
				return false;
	return true;
}

static bool is_similar(const struct site *s, const struct sim_device *a, const struct sim_device *b)
{
	return a->tier == b->tier && a->net == b->net && strcmp(a->dialect, b->dialect) == 0 &&
	       stated_rail(s, a) == stated_rail(s, b) &&
	       (a->tier != TIER_HOST ||
		       (count_rails(a) == count_rails(b) && a->platform == b->platform));
}

/* Adds d to the run if it continues it; returns whether it did. */
static bool extend_run(const struct site *s, struct run *r, const struct sim_device *d)
{
	unsigned k = r->n == 1 ? 0 : r->number;

	if (r->n) {
		if (!is_similar(s, r->last, d) ||
			host_order_address(s, d) != host_order_address(s, r->last) + 1)
			return false;
		while (!is_successor(r->last->name, d->name, k))
			if (r->n > 1 || ++k == NUMBERS_MOST)
				return false;
	} else {
		r->first = d;
	}
	r->number = k;
	r->last = d;
	r->n++;
	return true;
}

static void put_names(struct buf *b, const struct run *r)
{
	struct split from, to;

	if (r->n > 1 && split_name(r->first->name, r->number, &from) &&
		split_name(r->last->name, r->number, &to))
		(void)buf_addf(b, "  - {names: \"%s[%s-%s]%s\", ", from.head, from.digits,
			to.digits, from.tail);
	else
		(void)buf_addf(b, "  - {names: \"%s\", ", r->first->name);
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

struct ports {
	unsigned ssh, https;
};

static void put_rails(struct buf *b, const struct sim_device *d, unsigned rails)
{
	char first[24];

	sim_rdma_name(d->platform->nics, 0, first);
	(void)buf_addf(b, ", rails: \"%.*s[0-%u]\"", (int)strlen(first) - 1, first, rails - 1);
}

static void put_run(
	struct buf *b, const struct site *s, const struct ports *ports, const struct run *r)
{
	const struct sim_device *d = r->first;
	const char *password = site_password_file(d->dialect);
	unsigned rails = count_rails(d);

	put_names(b, r);
	put_address(b, host_order_address(s, d), host_order_address(s, r->last));
	(void)buf_addf(b, ", port: %u, dialect: %s, transport: %s",
		password ? ports->https : ports->ssh, d->dialect, password ? "https" : "ssh");
	if (d->tier != TIER_HOST)
		(void)buf_addf(b, ", tier: %s", tier_name(d->tier));
	else if (rails && counts_rails(s, d))
		put_rails(b, d, rails);
	if (stated_rail(s, d) >= 0)
		(void)buf_addf(b, ", rail: %d", d->rail);
	if (d->net != NET_BACKEND)
		(void)buf_addf(b, ", net: %s", net_kind_name(d->net));
	if (password)
		(void)buf_addf(b, ", credentials: \"file:%s\"", password);
	(void)buf_adds(b, "}\n");
}

static void put_devices(
	struct buf *b, const struct site *s, const struct ports *ports, size_t from, size_t to)
{
	struct run r = {0};

	for (size_t i = from; i < to; i++) {
		const struct sim_device *d = sim_device(s->sim, i);

		if (extend_run(s, &r, d))
			continue;
		put_run(b, s, ports, &r);
		r = (struct run){0};
		(void)extend_run(s, &r, d);
	}
	if (r.n)
		put_run(b, s, ports, &r);
}

/* A rack of eight devices, four units each, for hosts and for switches. */
#define RACK_DEVICES 8
#define RACK_UNITS   4

static void put_racks(struct buf *b, const struct site *s, char row, size_t from, size_t to)
{
	for (size_t n = 1; from < to; n++) {
		size_t end = from + RACK_DEVICES < to ? from + RACK_DEVICES : to;

		(void)buf_addf(b, "  - {rack: %c%02zu, unit: \"", row, n);
		for (size_t i = from; i < end; i++)
			(void)buf_addf(
				b, "%s%zu", i > from ? "," : "", 1 + (i - from) * RACK_UNITS);
		(void)buf_adds(b, "\", devices: \"");
		for (size_t i = from; i < end; i++)
			(void)buf_addf(b, "%s%s", i > from ? "," : "", sim_device(s->sim, i)->name);
		(void)buf_adds(b, "\"}\n");
		from = end;
	}
}

static void put_head(struct buf *b, const struct site *s, const char *interval)
{
	const struct sizing *z = sim_sizing(s->sim);

	(void)buf_adds(b,
		"# Written by railtop-emulator at every start. Paths are relative to this file.\n"
		"fabric: '");
	for (const char *c = sim_topology(s->sim)->name; *c; c++)
		(void)buf_addf(b, *c == '\'' ? "''" : "%c", *c);
	(void)buf_adds(b, "'\n");
	if (z)
		(void)buf_addf(b, "preset: %s\n", z->preset);
	(void)buf_adds(b, "lossless: {priorities: [3], dscp: {26: 3}, cnp_dscp: 48, "
			  "ecn: {min: 500KB, max: 1500KB}}\n");
	(void)buf_addf(b,
		"defaults: {interval: %s, user: " SITE_USER ", identity: id_ed25519, "
		"known_hosts: known_hosts, tls_ca: ca.pem}\n",
		interval);
}

/* Grants a console all actions, with the ledger in the same directory. */
static void put_actions(struct buf *b)
{
	(void)buf_adds(b, "actions:\n"
			  "  ledger: ledger.jsonl\n"
			  "  watchdog: {action: drop, detect: 200ms, restore: 400ms}\n");
}

static void put_jobs(struct buf *b, const char *source)
{
	if (str_eq(source, "nccl-log"))
		(void)buf_adds(b, "jobs: {source: nccl-log, path: /var/log/nccl/*.log}\n");
	else
		(void)buf_addf(b, "jobs: {source: %s}\n", *source ? source : "nccl-ras");
}

char *site_yaml(const struct site *s, unsigned ssh_port, unsigned https_port, const char *interval)
{
	const struct ports ports = {ssh_port, https_port};
	size_t n = sim_device_count(s->sim);
	struct buf b;

	buf_init(&b, 16U << 20);
	put_head(&b, s, interval);
	if (s->hosts < n)
		(void)buf_adds(&b, "switches:\n");
	put_devices(&b, s, &ports, s->hosts, n);
	if (s->hosts)
		(void)buf_adds(&b, "hosts:\n");
	put_devices(&b, s, &ports, 0, s->hosts);
	(void)buf_adds(&b, "racks:\n");
	put_racks(&b, s, 'R', 0, s->hosts);
	put_racks(&b, s, 'N', s->hosts, n);
	if (s->hosts)
		put_jobs(&b, sim_topology(s->sim)->job_source);
	(void)buf_adds(&b, sim_sizing(s->sim) ? "wiring: {plan: formula}\n"
					      : "wiring: {file: " SITE_WIRING "}\n");
	if (s->actions)
		put_actions(&b);
	return buf_take(&b, NULL);
}

/*
 * The console names a host's ports by their RDMA devices, and slaves of bonds by their netdevs.
 * Ports without RDMA are known to the switch only, by the name that the host announces.
 */
static void put_end(struct buf *b, const struct topology *t, unsigned port, enum net_kind net)
{
	const struct topo_port *p = &t->port[port];
	const struct topo_device *d = &t->device[p->device];

	char name[24];

	(void)str_copy(name, sizeof(name), p->name);
	if (d->tier == TIER_HOST && (net == NET_BACKEND || net == NET_STORAGE) &&
		d->platform->nics != NICS_BOND)
		sim_rdma_name(d->platform->nics,
			(unsigned)strtoul(p->name + strlen("eth"), NULL, 10), name);
	(void)buf_addf(b, "%s,%s", d->name, name);
}

static enum net_kind net_of(const struct topology *t, size_t cable)
{
	return t->device[t->port[t->cable[cable].b].device].net;
}

/*
 * Of each network whether the table says the speeds of links: where one is not the network's usual
 * speed.
 */
static void find_odd_speeds(const struct topology *t, bool odd[NET_COUNT])
{
	memset(odd, 0, NET_COUNT * sizeof(*odd));
	for (size_t i = 0; i < t->ncables; i++)
		odd[net_of(t, i)] |=
			t->port[t->cable[i].a].speed_mbps != topo_net_speed(net_of(t, i));
}

char *site_wiring(const struct site *s)
{
	const struct topology *t = sim_topology(s->sim);
	bool odd[NET_COUNT];
	struct buf b;

	if (t->sizing)
		return NULL;
	find_odd_speeds(t, odd);
	buf_init(&b, 160 * (t->ncables + 1));
	(void)buf_adds(&b, "device,port,device,port\n");
	for (size_t i = 0; i < t->ncables; i++) {
		enum net_kind net = net_of(t, i);
		unsigned mbps = t->port[t->cable[i].a].speed_mbps;

		put_end(&b, t, t->cable[i].a, net);
		(void)buf_adds(&b, ",");
		put_end(&b, t, t->cable[i].b, net);
		if (odd[net] && mbps == t->port[t->cable[i].b].speed_mbps)
			(void)buf_addf(&b, ",%u", mbps);
		(void)buf_adds(&b, "\n");
	}
	return buf_take(&b, NULL);
}
