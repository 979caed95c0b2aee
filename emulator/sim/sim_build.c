/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/sim_internal.h"

/* Builds devices, ports and cables from the topology. */

#define ECN_MIN_BYTES 500000U
#define ECN_MAX_BYTES 1500000U

void sim_boot(struct sim *s, struct sim_device *d, int64_t boot_us, unsigned count)
{
	uint64_t id = sim_hash(s->o.seed ^ 0xb007, (uint64_t)(d - s->device) << 16 | count);
	uint64_t low = sim_hash(id, 1);

	d->boot_us = boot_us;
	(void)str_printf(d->boot_id, sizeof(d->boot_id), "%08x-%04x-4%03x-%04x-%012llx",
		(unsigned)(id >> 32), (unsigned)(id >> 16 & 0xffff), (unsigned)(id & 0xfff),
		(unsigned)(0x8000 | (low >> 48 & 0x3fff)),
		(unsigned long long)(low & UINT64_C(0xffffffffffff)));
}

static void init_identity(struct sim *s, struct sim_device *d)
{
	const struct sim_platform *m = d->platform;
	uint64_t h = sim_hash(s->o.seed, 0x5e71a1 + (uint64_t)(d - s->device));
	int64_t uptime = (int64_t)(1 + h % 90) * 86400 * CLOCK_SEC + (int64_t)(h >> 44) * 4096;

	d->dialect = m->dialect;
	(void)str_copy(d->model, sizeof(d->model), m->model);
	(void)str_copy(d->os_version, sizeof(d->os_version), m->os);
	(void)str_printf(d->serial, sizeof(d->serial), "RT%010llX",
		(unsigned long long)(h & UINT64_C(0xffffffffff)));
	/* A locally administered address, so that no real card has it; the last byte counts ports.
	 */
	(void)str_printf(d->mac_base, sizeof(d->mac_base), "02:%02x:%02x:%02x:%02x:00",
		(unsigned)d->tier, (unsigned)(h >> 40 & 0xff), d->index >> 8 & 0xff,
		d->index & 0xff);
	sim_boot(s, d, s->o.start_us - uptime, 0);
}

/* Frontend and management networks carry no RDMA: nothing is lossless there. */
static struct sim_port_config port_config(const struct sim_port *p)
{
	bool host = p->tier == TIER_HOST;
	bool rdma = p->net == NET_BACKEND || p->net == NET_STORAGE;

	return (struct sim_port_config){.admin_up = true,
		.pfc_mask = rdma ? 1U << SIM_PRIO_ROCE : 0,
		.wd_mask = rdma && !host ? 1U << SIM_PRIO_ROCE : 0,
		.wd_detect_ms = 200,
		.wd_restore_ms = 200,
		.weighted = true,
		.ecn = rdma && !host,
		.ecn_min_bytes = ECN_MIN_BYTES,
		.ecn_max_bytes = ECN_MAX_BYTES,
		.ecn_max_percent = 20,
		.np = rdma && host,
		.rp = rdma && host,
		.mtu = 9100};
}

static unsigned lanes_of(const struct sim_platform *m, unsigned mbps)
{
	unsigned n = (unsigned)((uint64_t)m->lanes * mbps / 400000);

	return n ? n : 1;
}

static void init_port(struct sim *s, struct sim_device *d, struct sim_port *p)
{
	const struct topo_port *t = &s->topology->port[p - s->port];
	uint64_t h = sim_hash(s->o.seed ^ 0x0b71c5, (uint64_t)(p - s->port));

	p->tier = d->tier;
	p->device = d->index;
	p->port = (unsigned)(p - d->ports);
	(void)str_copy(p->name, sizeof(p->name), t->name);
	p->rail = t->rail;
	p->net = d->net;
	p->speed_mbps = p->plan_mbps = t->speed_mbps;
	sim_state(s, p)->k.drain = sim_state(s, p)->k.send = 1;
	sim_state(s, p)->wd_since = SIM_NEVER;
	p->last_change_us = d->boot_us + 60 * CLOCK_SEC;
	p->lanes = lanes_of(d->platform, t->speed_mbps);
	if (d->tier == TIER_HOST) {
		p->nic.pcie_width = p->nic.pcie_width_max = 16;
		p->nic.pcie_gts = 32.0;
	}
	/* Healthy PAM4 links sit between 1e-10 and 1e-8 before FEC. */
	sim_state(s, p)->ber = 1e-10 * (1 + 99 * sim_unit(h));
}

/*
 * Private AS numbers (RFC 6996), one per switch; four-byte ones if the two-byte range is too
 * small.
 */
static unsigned first_asn(const struct sim *s)
{
	return s->ndevices - s->first[TIER_LEAF] <= 65534 - 64512 + 1 ? 64512 : 4200000000U;
}

static void init_config(const struct sim *s, struct sim_device *d)
{
	struct sim_device_config *c = &d->config;

	c->dscp_prio[26] = SIM_PRIO_ROCE;
	c->dscp_prio[48] = 6;
	c->trust_dscp = true;
	c->wd_poll_ms = 200;
	c->count_ports = c->count_queues = c->count_watermarks = true;
	c->count_ecn = true;
	if (d->tier == TIER_HOST)
		return;
	d->asn = first_asn(s) + (unsigned)((size_t)(d - s->device) - s->first[TIER_LEAF]);
	(void)str_printf(d->router_id, sizeof(d->router_id), "10.25%u.%u.%u", (unsigned)d->tier,
		d->index >> 8, d->index & 0xff);
}

static void build_device(struct sim *s, size_t at, size_t *port)
{
	const struct topology *t = s->topology;
	const struct topo_device *plan = &t->device[at];
	struct sim_device *d = &s->device[at];

	d->tier = plan->tier;
	d->index = (unsigned)(at - s->first[plan->tier]);
	(void)str_copy(d->name, sizeof(d->name), plan->name);
	d->platform = plan->platform;
	d->rail = plan->rail;
	d->net = plan->net;
	d->nccl = plan->nccl;
	d->log = mem_calloc(SIM_LOG_KEPT, sizeof(*d->log));
	d->ports = &s->port[*port];
	init_identity(s, d);
	init_config(s, d);
	for (; *port < t->nports && t->port[*port].device == at; (*port)++) {
		d->nports++;
		init_port(s, d, &s->port[*port]);
	}
}

static void build_devices(struct sim *s)
{
	const struct topology *t = s->topology;
	size_t port = 0;

	s->ndevices = t->ndevices;
	s->nports = t->nports;
	s->device = mem_calloc(s->ndevices + 1, sizeof(*s->device));
	s->port = mem_calloc(s->nports + 1, sizeof(*s->port));
	s->state = mem_calloc(s->nports + 1, sizeof(*s->state));
	s->knobs = mem_calloc(s->ndevices + 1, sizeof(*s->knobs));
	for (int tier = 0; tier < TIER_COUNT; tier++) {
		size_t i = tier ? s->first[tier - 1] : 0;

		while (i < t->ndevices && (int)t->device[i].tier < tier)
			i++;
		s->first[tier] = i;
	}
	for (size_t i = 0; i < s->ndevices; i++)
		build_device(s, i, &port);
}

static void connect_ports(struct sim_port *a, struct sim_port *b)
{
	a->peer = a->plan_peer = b;
	a->up = true;
	a->carrier_up = 1;
	/* A host's port is in the network of the switch that it is wired to. */
	if (a->tier == TIER_HOST && b->tier != TIER_HOST)
		a->net = b->net;
}

/* Ports 2k and 2k+1 of a host with bonds that lead to the same network. */
static void build_bonds(struct sim *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		struct sim_device *d = &s->device[i];

		if (d->tier != TIER_HOST || d->platform->nics != NICS_BOND)
			continue;
		for (unsigned k = 0; k + 1 < d->nports; k += 2) {
			struct sim_port *a = &d->ports[k], *b = a + 1;

			if (!a->plan_peer || !b->plan_peer || a->net != b->net)
				continue;
			a->bond = b;
			b->bond = a;
		}
	}
}

/* The first device of a set; sets are trees whose roots are the lowest. */
static uint32_t first_of(struct sim *s, uint32_t d)
{
	while (s->island[d] != d)
		d = s->island[d] = s->island[s->island[d]];
	return d;
}

/* Switches that planned cables join are one island. */
static void find_islands(struct sim *s)
{
	s->island = mem_calloc(s->ndevices + 1, sizeof(*s->island));
	for (uint32_t d = 0; d < s->ndevices; d++)
		s->island[d] = d;
	for (size_t i = 0; i < s->topology->ncables; i++) {
		const struct topo_cable *c = &s->topology->cable[i];
		uint32_t a = s->topology->port[c->a].device, b = s->topology->port[c->b].device;

		if (s->device[a].tier == TIER_HOST || s->device[b].tier == TIER_HOST)
			continue;
		a = first_of(s, a);
		b = first_of(s, b);
		s->island[a > b ? a : b] = a > b ? b : a;
	}
	for (uint32_t d = 0; d < s->ndevices; d++)
		s->island[d] = first_of(s, d);
}

bool sim_joined(const struct sim *s, const struct sim_port *a, const struct sim_port *b)
{
	if (!a->plan_peer || !b->plan_peer)
		return false;
	return s->island[sim_device_of(s, a->plan_peer) - s->device] ==
	       s->island[sim_device_of(s, b->plan_peer) - s->device];
}

struct sim_port *sim_way_out(const struct sim *s, struct sim_port *from, const struct sim_port *dst)
{
	const struct sim_device *d;
	struct sim_port *best = NULL;

	if (!from || !dst || sim_joined(s, from, dst))
		return from;
	d = sim_device_of(s, from);
	for (unsigned i = 0; i < d->nports; i++) {
		struct sim_port *p = &d->ports[i];

		/* The port with dst's own number first: the same rail and plane. */
		if (p->net == from->net && sim_joined(s, p, dst) && (!best || i == dst->port))
			best = p;
	}
	return best;
}

void sim_build(struct sim *s)
{
	if (s->o.topology) {
		s->topology = s->o.topology;
	} else {
		s->own_topology = topology_of_sizing(s->o.sizing, NULL);
		s->topology = s->own_topology;
	}
	s->o.sizing = s->topology->sizing;
	build_devices(s);
	for (size_t i = 0; i < s->topology->ncables; i++) {
		const struct topo_cable *c = &s->topology->cable[i];

		connect_ports(&s->port[c->a], &s->port[c->b]);
		connect_ports(&s->port[c->b], &s->port[c->a]);
	}
	build_bonds(s);
	sim_build_bundles(s);
	for (size_t i = 0; i < s->nports; i++)
		s->port[i].config = port_config(&s->port[i]);
	find_islands(s);
}
