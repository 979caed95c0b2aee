/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/fabric_4k.h"

#include "base/clock.h"
#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/figures.h"
#include "tests/support/plan_make.h"

static unsigned at(const struct sizing *s, unsigned first[TIER_COUNT], struct wire_end e)
{
	(void)s;
	return first[e.tier] + e.device;
}

static void port_name(struct wire_end e, char *dst, size_t size)
{
	(void)sizing_port_name(e.tier, e.tier == TIER_HOST ? "linux" : "sonic", e.port, dst, size);
}

void bench_4k_plan(struct plan *p)
{
	bench_fabric_plan(p, figures_quick() ? "ref256" : "4k");
}

void bench_fabric_plan(struct plan *p, const char *preset)
{
	const struct sizing *s = sizing_preset(preset);
	unsigned first[TIER_COUNT];
	char a[64], b[64];

	plan_init(p);
	p->rails = 8;
	p->lossless.priorities = 1U << 3;
	for (unsigned t = 0; t < TIER_COUNT; t++) {
		first[t] = (unsigned)p->devices.n;
		for (unsigned i = 0; i < sizing_devices(s, (enum tier)t); i++) {
			(void)sizing_device_name(s, (enum tier)t, i, a, sizeof(a));
			(void)plan_make_device(p, a, (enum tier)t, sizing_rail(s, (enum tier)t, i));
		}
	}
	for (size_t i = 0; i < sizing_wires(s); i++) {
		struct wire w = sizing_wire(s, i);

		port_name(w.a, a, sizeof(a));
		port_name(w.b, b, sizeof(b));
		plan_make_link(p, at(s, first, w.a), a, at(s, first, w.b), b, w.rail);
	}
}

/* Even load that wanders by a few per cent, some PFC; half as much later. */
void bench_4k_poll(struct model *m, unsigned n, uint32_t part, uint32_t parts, int64_t now)
{
	bench_fabric_poll(m, n, part, parts, now, 1);
}

void bench_fabric_poll(struct model *m, unsigned n, uint32_t part, uint32_t parts, int64_t now,
	uint32_t one_held_in)
{
	bool after = n > BENCH_4K_POLLS;

	for (size_t d = part; d < m->devices.n; d += parts) {
		struct obs *o = obs_new(m->devices.at[d]->name, "fast");

		o->received_us = o->device_us = now;
		for (size_t i = 0; i < m->devices.at[d]->ports.n; i++) {
			uint32_t p = obs_port(o, m->ports.at[m->devices.at[d]->ports.at[i]]->name);
			uint64_t load = (after ? 60 : 125) * UINT64_C(1000000000);

			load = load * n + (uint64_t)((n * 7 + i) % 11) * UINT64_C(1000000000);
			obs_word(o, p, ATTR_OPER, 0, "up");
			obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
			obs_count(o, p, CTR_RX_BYTES, 0, load);
			obs_count(o, p, CTR_TX_BYTES, 0, load);
			for (unsigned prio = 0; prio < PRIORITIES; prio++) {
				uint64_t pause =
					prio == 3 && d % one_held_in == 0 ? n * 1000 + i : 0;

				obs_count(o, p, CTR_PFC_RX_FRAMES, prio, pause);
				obs_count(o, p, CTR_PFC_TX_FRAMES, prio, pause);
				obs_count(o, p, CTR_QUEUE_DROPS, prio, 0);
				obs_count(o, p, CTR_ECN_MARKED_PACKETS, prio, pause * 7);
			}
			obs_count(o, p, CTR_RX_FCS_ERRORS, 0, 0);
		}
		model_apply(m, o, now);
		obs_free(o);
	}
}

struct model *bench_4k_model(const struct plan *p, unsigned polls, int64_t *now)
{
	struct model *m = model_new(p);

	for (unsigned n = 1; n <= polls; n++) {
		*now += 5 * CLOCK_SEC;
		bench_4k_poll(m, n, 0, 1, *now);
		(void)model_age(m, *now);
	}
	model_links(m);
	return m;
}

unsigned bench_4k_told(const struct counter_info *c, enum tier tier)
{
	bool host = tier == TIER_HOST, leaf = tier == TIER_LEAF;

	if (c->dim == DIM_LANE)
		return 4;
	if (c->dim == DIM_BIN)
		return tier == TIER_SPINE ? 0 : FEC_BINS;
	switch ((int)c->group) {
	case GROUP_NIC:
	case GROUP_CONFIG:
		return !host ? 0 : c->dim == DIM_PRIO ? PRIORITIES : 1;
	case GROUP_WATERMARK:
	case GROUP_PGDROP:
		return leaf;
	case GROUP_WATCHDOG:
		return !host;
	case GROUP_QUEUE:
		return leaf ? 1 : !host || str_starts(c->name, "queue_tx") ? PRIORITIES : 0;
	}
	if (c->dim == DIM_ONE)
		return 1;
	if (host)
		return str_starts(c->name, "rx_prio") ? PRIORITIES : 1;
	return str_starts(c->name, "pfc_rx_frames") || str_starts(c->name, "pfc_tx_frames")
		       ? PRIORITIES
		       : leaf && str_starts(c->name, "pfc_rx_duration");
}
