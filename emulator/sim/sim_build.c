/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/sim_internal.h"

/* Devices, ports and cables, as the sizing says. */

#define ECN_MIN_BYTES 500000U
#define ECN_MAX_BYTES 1500000U

static const char *const platform_of[TIER_COUNT] = {
	[TIER_HOST] = "linux",
	[TIER_LEAF] = "sonic-spectrum",
	[TIER_SPINE] = "eos",
	[TIER_SUPERSPINE] = "eos",
};

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

static void name_device(struct sim *s, struct sim_device *d)
{
	const struct sim_platform *m = d->platform;
	uint64_t h = sim_hash(s->o.seed, 0x5e71a1 + (uint64_t)(d - s->device));
	int64_t uptime = (int64_t)(1 + h % 90) * 86400 * CLOCK_SEC + (int64_t)(h >> 44) * 4096;

	if (!sizing_device_name(s->o.sizing, d->tier, d->index, d->name, sizeof(d->name)))
		(void)str_printf(d->name, sizeof(d->name), "%u-%u", d->tier, d->index);
	d->dialect = m->dialect;
	(void)str_copy(d->model, sizeof(d->model), m->model);
	(void)str_copy(d->os_version, sizeof(d->os_version), m->os);
	(void)str_printf(d->serial, sizeof(d->serial), "RT%010llX",
		(unsigned long long)(h & UINT64_C(0xffffffffff)));
	/* Locally administered, so that no real card has it; the last byte counts ports. */
	(void)str_printf(d->mac_base, sizeof(d->mac_base), "02:%02x:%02x:%02x:%02x:00",
		(unsigned)d->tier, (unsigned)(h >> 40 & 0xff), d->index >> 8 & 0xff,
		d->index & 0xff);
	sim_boot(s, d, s->o.start_us - uptime, 0);
}

static void init_port(struct sim *s, struct sim_device *d, struct sim_port *p)
{
	uint64_t h = sim_hash(s->o.seed ^ 0x0b71c5, (uint64_t)(p - s->port));

	p->tier = d->tier;
	p->device = d->index;
	p->port = (unsigned)(p - d->ports);
	p->rail = d->tier == TIER_HOST ? (int)p->port : d->rail;
	if (d->tier == TIER_HOST)
		(void)str_printf(p->name, sizeof(p->name), "eth%u", p->port);
	else
		(void)sizing_port_name(d->tier, d->dialect, p->port, p->name, sizeof(p->name));
	p->config = (struct sim_port_config){.admin_up = true,
		.pfc_mask = 1U << SIM_PRIO_ROCE,
		.wd_mask = d->tier == TIER_HOST ? 0 : 1U << SIM_PRIO_ROCE,
		.wd_detect_ms = 200,
		.wd_restore_ms = 200,
		.ecn = d->tier != TIER_HOST,
		.ecn_min_bytes = ECN_MIN_BYTES,
		.ecn_max_bytes = ECN_MAX_BYTES,
		.ecn_max_percent = 20,
		.np = d->tier == TIER_HOST,
		.rp = d->tier == TIER_HOST,
		.mtu = 9100};
	p->speed_mbps = p->plan_mbps = s->o.sizing->speed_mbps;
	sim_state(s, p)->k.drain = sim_state(s, p)->k.send = 1;
	sim_state(s, p)->wd_since = SIM_NEVER;
	p->last_change_us = d->boot_us + 60 * CLOCK_SEC;
	p->lanes = d->platform->lanes;
	if (d->tier == TIER_HOST) {
		p->nic.pcie_width = p->nic.pcie_width_max = 16;
		p->nic.pcie_gts = 32.0;
	}
	/* Healthy PAM4 links sit between 1e-10 and 1e-8 before FEC. */
	sim_state(s, p)->ber = 1e-10 * (1 + 99 * sim_unit(h));
}

static void configure(struct sim_device *d)
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
	d->asn = d->tier == TIER_LEAF ? 64512 + d->index : 65100U + (unsigned)d->tier * 100;
	(void)str_printf(d->router_id, sizeof(d->router_id), "10.25%u.%u.%u", (unsigned)d->tier,
		d->index >> 8, d->index & 0xff);
}

static void build_devices(struct sim *s)
{
	const struct sizing *z = s->o.sizing;
	size_t d = 0, p = 0;

	for (int t = 0; t < TIER_COUNT; t++) {
		s->first[t] = s->ndevices;
		s->ndevices += sizing_devices(z, (enum tier)t);
		s->nports +=
			(size_t)sizing_devices(z, (enum tier)t) * sizing_ports(z, (enum tier)t);
	}
	s->device = mem_calloc(s->ndevices, sizeof(*s->device));
	s->port = mem_calloc(s->nports, sizeof(*s->port));
	s->state = mem_calloc(s->nports, sizeof(*s->state));
	s->knobs = mem_calloc(s->ndevices, sizeof(*s->knobs));
	for (int t = 0; t < TIER_COUNT; t++) {
		for (unsigned i = 0; i < sizing_devices(z, (enum tier)t); i++) {
			struct sim_device *dev = &s->device[d++];

			dev->tier = (enum tier)t;
			dev->index = i;
			dev->ports = &s->port[p];
			dev->nports = sizing_ports(z, (enum tier)t);
			p += dev->nports;
			dev->platform = sim_platform(platform_of[t]);
			dev->rail = sizing_rail(z, (enum tier)t, i);
			dev->log = mem_calloc(SIM_LOG_KEPT, sizeof(*dev->log));
			name_device(s, dev);
			configure(dev);
			for (unsigned k = 0; k < dev->nports; k++)
				init_port(s, dev, &dev->ports[k]);
		}
	}
}

static struct sim_port *port_of(const struct sim *s, const struct wire_end *e)
{
	return &sim_tier_device(s, e->tier, e->device)->ports[e->port];
}

void sim_build(struct sim *s)
{
	build_devices(s);
	for (size_t i = 0; i < sizing_wires(s->o.sizing); i++) {
		struct wire w = sizing_wire(s->o.sizing, i);
		struct sim_port *a = port_of(s, &w.a), *b = port_of(s, &w.b);

		a->peer = b;
		b->peer = a;
		a->up = b->up = true;
		a->carrier_up = b->carrier_up = 1;
	}
}
