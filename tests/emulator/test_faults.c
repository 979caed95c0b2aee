/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/sim/sim_faults.h"

/* The classes of faults: their specs, what they turn, and that nothing is left of them. */

#define SEC INT64_C(1000000)

static struct sim *make(uint64_t seed)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = seed,
		.start_us = 0,
		.speed = 1,
		.steady = true};

	return sim_new(&o);
}

static int setup(void **state)
{
	*state = make(1);
	return 0;
}

static int teardown(void **state)
{
	sim_free(*state);
	return 0;
}

static struct fault *last(struct sim *s)
{
	return &s->faults.at[s->faults.n - 1];
}

static void inject(struct sim *s, const char *spec)
{
	struct err err;

	if (!sim_inject(s, spec, NULL, &err))
		fail_msg("%s: %s (%s)", spec, err.text, err.cure);
}

static void heal(struct sim *s, const char *what, unsigned expected)
{
	struct err err;
	unsigned n = 0;

	if (!sim_heal(s, what, &n, &err))
		fail_msg("%s: %s", what, err.text);
	assert_int_equal(n, expected);
}

static struct port_state *state_of(struct sim *s, const char *device, const char *port)
{
	const struct sim_port *p = sim_port_by_name(s, sim_device_by_name(s, device), port);

	assert_non_null(p);
	return sim_state(s, p);
}

/* ---- specs ---- */

static void test_accepts_every_form(void **state)
{
	static const char *const good[] = {
		"link-flap:node003:mlx5_2",
		"link-flap:node003:eth2,at=20s,period=8s,down=500ms,for=1m",
		"link-flap:leaf-r0-00:Ethernet128",
		"link-down:spine-001:Ethernet3/1",
		"low-speed:leaf-r7-00:Ethernet252",
		"corrupt:leaf-r1-00:Ethernet132,loss=1e-4",
		"weak-optic:leaf-r1-00:Ethernet132,db=6,ramp=10s,lane=yes",
		"weak-optic,ramp=0",
		"incast:node004:mlx5_1,fanin=32,rate=12.5%",
		"slow-receiver:node004,rate=0.7",
		"pcie-degraded",
		"pfc-storm:node031:mlx5_7,at=0,watchdog=no",
		"watchdog-missing:leaf-r2-00,silent=yes",
		"watchdog-missing:spine-000:Ethernet1/1",
		"watchdog-missing:*",
		"watchdog-misfire:leaf-r2-00:Ethernet4,period=5s",
		"deadlock:leaf-r2-00",
		"cbd-pressure,period=2s,down=100ms",
		"ecn-off:leaf-r0-00,fanin=16",
		"cc-off:*",
		"cnp-off:node004",
		"wrong-dscp:node004",
		"pfc-off:leaf-r0-00:Ethernet0",
		"mixed-traffic,fanin=6,rate=40%",
		"polarisation:leaf",
		"polarisation:tor",
		"low-entropy",
		"miswire:node031:mlx5_7",
		"miswire:node000:mlx5_7,with=node009",
		"miswire:node000,rotate=1",
		"uplinks-lost:leaf-r4-00,count=16",
		"gpu-straggler:node003,delay=800ms",
		"one-way:leaf-r4-00:Ethernet128",
		"bgp-down:spine-000:Ethernet1/1,period=0",
		"heavy-load,rate=20%",
		"checkpoint,for=3s",
		"clear-counters:leaf-r0-00,at=3s",
		"reboot:node000,down=250ms",
		"device-hang:spine-000",
		"device-down:node001,for=3s",
		"wrong-key:leaf-r1-00",
		"wrong-cert:spine-003",
		"flood:node002,size=100MB",
		"slow:spine-002,delay=1s",
		"clock-skew:spine-002,by=-3m",
	};
	struct err err;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!sim_fault(*state, good[i], &err))
			fail_msg("%s refused: %s (%s)", good[i], err.text, err.cure);
	sim_advance(*state, 30 * SEC);
}

static void test_refuses_with_a_cure(void **state)
{
	static const struct {
		const char *spec, *text, *cure;
	} bad[] = {
		{"", "no fault class", "link-flap, link-down"},
		{"bogus:node000", "\"bogus\"", "--help"},
		{"link-flap:node099:mlx5_0", "node099", "node000"},
		{"link-flap:node000:mlx5_8", "mlx5_8", "mlx5_7"},
		{"link-flap:leaf-r0-00:Ethernet1", "Ethernet1", "Ethernet252"},
		{"pfc-storm:leaf-r0-00:Ethernet0", "NIC of a host", "node000:mlx5_0"},
		{"gpu-straggler:leaf-r0-00", "takes a host", "node000"},
		{"gpu-straggler:node000:mlx5_0", "not a port", "gpu-straggler:node000"},
		{"deadlock:spine-000", "not for spine-000", "deadlock:LEAF"},
		{"one-way:leaf-r0-00:Ethernet0", "Ethernet0", "lead to a switch"},
		{"polarisation:host", "no tier", "leaf"},
		{"low-entropy:leaf-r0-00", "whole fabric", "without a name"},
		{"watchdog-missing:node000", "not for node000", "SWITCH[:PORT]"},
		{"device-hang:node000:mlx5_0", "not a port", "device-hang:node000"},
		{"device-hang:node000,period=3s", "no key \"period\"", "at=,for="},
		{"device-hang:node000,at", "at=", "a time"},
		{"device-hang:node000,at=-3s", "at=-3s", "a time"},
		{"device-hang:node000,for=0", "for=0", "a time"},
		{"device-hang:node000,", "no key \"\"", "at=,for="},
		{"link-flap:node000:mlx5_0,period=2s,down=2s", "not shorter", "link-down"},
		{"flood:node000,size=big", "size=big", "32MB"},
		{"slow-receiver,rate=0", "rate=0", "70%"},
		{"slow-receiver,rate=120%", "rate=120%", "70%"},
		{"corrupt,loss=x", "loss=x", "1e-4"},
		{"weak-optic,db=-3", "db=-3", "decibel"},
		{"pfc-storm,watchdog=off", "watchdog=off", "yes or no"},
		{"incast,fanin=-1", "fanin=-1", "whole number"},
		{"miswire:node000:mlx5_0,with=leaf-r0-00", "not another host", "host"},
		{"miswire:node000:mlx5_0,with=node000", "not another host", "node"},
		{"wrong-key:spine-000", "HTTPS", "wrong-cert:spine-000"},
		{"wrong-cert:node000", "SSH", "wrong-key:node000"},
	};
	struct sim *s = *state;
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(sim_fault(s, bad[i].spec, &err));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.text, bad[i].text) || !strstr(err.cure, bad[i].cure))
			fail_msg("%s: \"%s\" (%s)", bad[i].spec, err.text, err.cure);
	}
	/* Nothing of what was refused is scheduled. */
	assert_int_equal(s->faults.n, 0);
	assert_true(sim_faults_next(s) == SIM_NEVER);
}

static void test_bounds_the_spec(void **state)
{
	char spec[400];
	struct err err;

	memset(spec, 'x', sizeof(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	assert_false(sim_fault(*state, spec, &err));
}

static void test_chooses_by_seed(void **state)
{
	struct sim *same = make(1);
	const struct sim_port *first = NULL;
	bool differs = false;
	struct err err;

	(void)state;
	for (uint64_t seed = 1; seed < 8; seed++) {
		struct sim *s = make(seed);

		assert_true(sim_fault(s, "pfc-storm", &err));
		assert_int_equal(last(s)->port->tier, TIER_HOST);
		if (seed == 1) {
			assert_true(sim_fault(same, "pfc-storm", &err));
			first = last(same)->port;
			assert_string_equal(last(s)->device->name, last(same)->device->name);
			assert_string_equal(last(s)->port->name, first->name);
		}
		differs = differs || strcmp(last(s)->device->name, last(same)->device->name) != 0;
		sim_free(s);
	}
	assert_true(differs);
	/* The next one goes elsewhere. */
	assert_true(sim_fault(same, "slow-receiver", &err));
	assert_ptr_not_equal(last(same)->device, same->faults.at[0].device);
	/* A host without a NIC: one of its own. */
	assert_true(sim_fault(same, "slow-receiver:node005", &err));
	assert_string_equal(last(same)->device->name, "node005");
	assert_ptr_equal(sim_device_of(same, last(same)->port), last(same)->device);
	sim_free(same);
}

/* ---- what is left: nothing ---- */

/* Everything that a fault may turn, in one piece of memory. */
struct snapshot {
	struct knobs *k;
	struct sim_port_config *config;
	struct sim_port **peer;
	struct device_knobs *device;
	struct sim_device *box;
	size_t nflows;
	unsigned few_paths;
};

static struct snapshot snap(const struct sim *s)
{
	struct snapshot n = {.nflows = s->nflows, .few_paths = s->few_paths};

	n.k = mem_calloc(s->nports, sizeof(*n.k));
	n.config = mem_calloc(s->nports, sizeof(*n.config));
	n.peer = mem_calloc(s->nports, sizeof(struct sim_port *));
	n.device = mem_calloc(s->ndevices, sizeof(*n.device));
	n.box = mem_calloc(s->ndevices, sizeof(*n.box));
	for (size_t i = 0; i < s->nports; i++) {
		n.k[i] = s->state[i].k;
		n.config[i] = s->port[i].config;
		n.peer[i] = s->port[i].peer;
	}
	memcpy(n.device, s->knobs, s->ndevices * sizeof(*n.device));
	memcpy(n.box, s->device, s->ndevices * sizeof(*n.box));
	return n;
}

static void free_snap(struct snapshot *n)
{
	free(n->k);
	free(n->config);
	free(n->peer);
	free(n->device);
	free(n->box);
}

static bool same_box(const struct sim_device *a, const struct sim_device *b)
{
	return a->hung == b->hung && a->refuses_key == b->refuses_key &&
	       a->unreachable == b->unreachable && a->wrong_key == b->wrong_key &&
	       a->wrong_cert == b->wrong_cert && a->garbage == b->garbage &&
	       a->flood_bytes == b->flood_bytes && a->answer_delay_us == b->answer_delay_us &&
	       a->clock_skew_us == b->clock_skew_us && a->commands_fail == b->commands_fail;
}

static bool same_config(const struct sim_port_config *a, const struct sim_port_config *b)
{
	return a->admin_up == b->admin_up && a->pfc_mask == b->pfc_mask &&
	       a->wd_mask == b->wd_mask && a->ecn == b->ecn && a->np == b->np && a->rp == b->rp;
}

/* The name of what differs; NULL: nothing. */
static const char *difference(const struct snapshot *a, const struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++) {
		if (memcmp(&a->k[i], &s->state[i].k, sizeof(struct knobs)) != 0)
			return "knobs";
		if (!same_config(&a->config[i], &s->port[i].config))
			return "configuration";
		if (a->peer[i] != s->port[i].peer)
			return "cables";
	}
	if (memcmp(a->device, s->knobs, s->ndevices * sizeof(*a->device)) != 0)
		return "device knobs";
	for (size_t i = 0; i < s->ndevices; i++)
		if (!same_box(&a->box[i], &s->device[i]))
			return "device";
	if (a->nflows != s->nflows)
		return "flows";
	return a->few_paths != s->few_paths ? "paths" : NULL;
}

static bool is_instant(const struct fault_class *c)
{
	return strcmp(c->name, "clear-counters") == 0;
}

/* Every class by its name alone: it turns something, and when healed all is as before. */
static void test_every_class_turns_and_rests(void **state)
{
	const struct fault_class *c;
	struct sim *s = *state;
	struct snapshot rest = snap(s);
	int64_t t = 0;

	for (size_t i = 0; (c = fault_class(i)); i++) {
		inject(s, c->name);
		if (!difference(&rest, s) && !is_instant(c))
			fail_msg("%s turns nothing", c->name);
		t += 12 * SEC;
		sim_advance(s, t);
		(void)sim_heal(s, "all", NULL, NULL);
		if (difference(&rest, s))
			fail_msg("%s leaves %s", c->name, difference(&rest, s));
	}
	free_snap(&rest);
}

/* The same class twice, on the same and on another entity, healed in both orders. */
static void test_overlaps_heal_in_any_order(void **state)
{
	const struct fault_class *c;
	struct sim *s = *state;
	struct snapshot rest = snap(s);
	int64_t t = 0;

	for (size_t i = 0; (c = fault_class(i)); i++) {
		for (unsigned order = 0; order < 2; order++) {
			char spec[160], id[2][16];
			const struct fault *f;

			inject(s, c->name);
			f = last(s);
			(void)str_printf(id[0], sizeof(id[0]), "%u", f->id);
			(void)str_printf(spec, sizeof(spec), "%s%s%s%s%s", c->name,
				f->device ? ":" : "", f->device ? f->device->name : "",
				f->port && c->entity != ENTITY_CYCLE ? ":" : "",
				f->port && c->entity != ENTITY_CYCLE ? f->port->name : "");
			inject(s, spec);
			(void)str_printf(id[1], sizeof(id[1]), "%u", last(s)->id);
			(void)sim_heal(s, id[order], NULL, NULL);
			if (!difference(&rest, s) && !is_instant(c))
				fail_msg("%s: the first heal ends both", spec);
			(void)sim_heal(s, id[!order], NULL, NULL);
			if (difference(&rest, s))
				fail_msg("%s leaves %s", spec, difference(&rest, s));
			t += SEC;
			sim_advance(s, t);
		}
	}
	free_snap(&rest);
}

/* All classes at once, thrice, ended in an order that a hash makes. */
static void test_random_order_leaves_nothing(void **state)
{
	struct sim *s = *state;
	struct snapshot rest = snap(s);
	const struct fault_class *c;
	uint64_t dice = 7;

	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; (c = fault_class(i)); i++)
			inject(s, c->name);
		sim_advance(s, (int64_t)(round + 1) * 7 * SEC);
	}
	for (size_t left = s->faults.n; left; left--) {
		char id[16];

		dice = sim_hash(dice, left);
		(void)str_printf(id, sizeof(id), "%u", 1 + (unsigned)(dice % s->faults.n));
		(void)sim_heal(s, id, NULL, NULL);
	}
	(void)sim_heal(s, "all", NULL, NULL);
	if (difference(&rest, s))
		fail_msg("%s are left", difference(&rest, s));
	free_snap(&rest);
}

/* ---- what each turns ---- */

static void test_configuration_faults_change_the_configuration(void **state)
{
	struct sim *s = *state;
	struct sim_device *leaf = sim_device_by_name(s, "leaf-r0-00");
	struct sim_port *nic = &sim_device_by_name(s, "node004")->ports[2];
	uint64_t logged = leaf->logged;

	inject(s, "watchdog-missing:leaf-r0-00");
	inject(s, "ecn-off:leaf-r0-00:Ethernet4");
	inject(s, "pfc-off:leaf-r0-00:Ethernet8");
	inject(s, "cc-off:node004");
	inject(s, "cnp-off:node004:mlx5_2");
	assert_int_equal(leaf->ports[0].config.wd_mask, 0);
	assert_int_equal(leaf->ports[63].config.wd_mask, 0);
	assert_false(leaf->ports[1].config.ecn);
	assert_true(leaf->ports[2].config.ecn);
	assert_int_equal(leaf->ports[2].config.pfc_mask, 0);
	assert_false(nic->config.rp || nic->config.np);
	assert_false(sim_device_by_name(s, "node004")->ports[0].config.rp);
	assert_true(sim_device_by_name(s, "node004")->ports[0].config.np);
	/* Nobody configured it today. */
	assert_int_equal(leaf->logged, logged);
	heal(s, "all", 5);
	assert_int_equal(leaf->ports[0].config.wd_mask, 1U << SIM_PRIO_ROCE);
	assert_true(nic->config.rp && nic->config.np);
}

static void test_a_mended_configuration_stays(void **state)
{
	struct sim *s = *state;
	struct sim_port *p = &sim_device_by_name(s, "leaf-r0-00")->ports[3];
	struct sim_port_config c;

	inject(s, "watchdog-missing:leaf-r0-00:Ethernet12");
	c = p->config;
	c.wd_mask = 1U << SIM_PRIO_ROCE | 1U << 4;
	sim_configure(s, p, &c, "operator");
	heal(s, "watchdog-missing", 1);
	assert_int_equal(p->config.wd_mask, 1U << SIM_PRIO_ROCE | 1U << 4);
}

static void test_silent_variants_turn_the_hardware(void **state)
{
	struct sim *s = *state;
	struct port_state *leaf = state_of(s, "leaf-r0-00", "Ethernet12");
	struct port_state *nic = state_of(s, "node003", "mlx5_0");

	inject(s, "watchdog-missing:leaf-r0-00:Ethernet12,silent=yes");
	inject(s, "ecn-off:leaf-r0-00:Ethernet12,silent=yes");
	inject(s, "pfc-off:leaf-r0-00:Ethernet12,silent=yes");
	inject(s, "cc-off:node003:mlx5_0,silent=yes");
	inject(s, "cnp-off:node003:mlx5_0,silent=yes");
	assert_int_equal(leaf->k.no_watchdog, 1);
	assert_int_equal(leaf->k.no_ecn, 1);
	assert_int_equal(leaf->k.no_pfc, 1);
	assert_true(nic->k.no_rp && nic->k.no_np);
	assert_true(s->port[nic - s->state].config.rp);
	heal(s, "node003", 2);
	assert_false(nic->k.no_rp || nic->k.no_np);
	heal(s, "leaf-r0-00", 3);
}

static void test_storm_without_watchdog(void **state)
{
	struct sim *s = *state;
	struct sim_port *leaf = sim_device_by_name(s, "node003")->ports[1].peer;

	inject(s, "pfc-storm:node003:mlx5_1,watchdog=no");
	assert_int_equal(state_of(s, "node003", "mlx5_1")->k.storms, 1);
	assert_int_equal(leaf->config.wd_mask, 0);
	assert_int_equal(sim_state(s, leaf)->k.no_watchdog, 0);
	heal(s, "pfc-storm:node003:eth1", 1);
	assert_int_equal(leaf->config.wd_mask, 1U << SIM_PRIO_ROCE);
}

static void test_values_combine(void **state)
{
	struct sim *s = *state;
	struct port_state *st = state_of(s, "node004", "mlx5_2");

	inject(s, "slow-receiver:node004:mlx5_2,rate=70%");
	inject(s, "pcie-degraded:node004:mlx5_2,rate=30%");
	inject(s, "corrupt:node004:mlx5_2,loss=1e-3");
	assert_float_equal(st->k.drain, 0.3, 1e-9);
	assert_float_equal(st->k.send, 0.3, 1e-9);
	assert_float_equal(st->k.loss, 1e-3, 1e-12);
	assert_int_equal(st->k.pcie_narrow, 1);
	heal(s, "pcie-degraded", 1);
	assert_float_equal(st->k.drain, 0.7, 1e-9);
	assert_float_equal(st->k.send, 1, 0);
	assert_float_equal(st->k.loss, 1e-3, 1e-12);
}

static void test_weak_optic_ramps(void **state)
{
	struct sim *s = *state;
	struct port_state *st = state_of(s, "leaf-r1-00", "Ethernet132");
	struct sim_port *p = &s->port[st - s->state];
	double before = p->lane[0].rx_dbm, half, ber;

	inject(s, "weak-optic:leaf-r1-00:Ethernet132,db=6,ramp=60s,for=5m");
	sim_advance(s, 30 * SEC);
	half = st->k.rx_loss_db;
	ber = st->k.ber;
	assert_in_range((uintmax_t)(half * 10), 25, 40);
	sim_advance(s, 61 * SEC);
	assert_float_equal(st->k.rx_loss_db, 6, 1e-9);
	assert_true(st->k.ber > 10 * ber && st->k.ber < 2.4e-4);
	assert_true(p->lane[0].rx_dbm < before - 5 && p->lane[0].rx_dbm > -14);
	assert_true(p->pre_fec_ber > 1e-6 && !p->rx_los);
	assert_float_equal(st->k.loss, 0, 0);
	sim_advance(s, 301 * SEC);
	assert_float_equal(st->k.rx_loss_db, 0, 0);
	assert_float_equal(st->k.ber, 0, 0);
	/* One lane only, and so weak that the module gives up. */
	inject(s, "weak-optic:leaf-r1-00:Ethernet132,db=20,ramp=0,lane=yes");
	sim_advance(s, 302 * SEC);
	assert_true(p->lane[SIM_WEAK_LANE].rx_dbm < -14 && p->lane[0].rx_dbm > -3);
	assert_true(p->rx_los);
}

static void test_deadlock_is_a_cycle(void **state)
{
	struct sim *s = *state;
	const struct fault *f;
	size_t held = 0;

	inject(s, "deadlock:leaf-r3-00");
	f = last(s);
	assert_int_equal(f->ports.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct sim_port *p = f->ports.at[i], *next = f->ports.at[(i + 1) % 4];

		/* What leaves here arrives where the next egress is, and tiers alternate. */
		assert_ptr_equal(sim_device_of(s, p->peer), sim_device_of(s, next));
		assert_int_not_equal(p->tier, p->peer->tier);
		assert_int_equal(p->config.wd_mask, 0);
	}
	for (size_t i = 0; i < s->nports; i++)
		held += s->state[i].k.held;
	assert_int_equal(held, 4);
	/* It does not end by itself. */
	sim_advance(s, 1000 * SEC);
	assert_int_equal(sim_state(s, f->ports.at[0])->k.held, 1);
	heal(s, "deadlock", 1);
}

static void test_pressure_pulses(void **state)
{
	struct sim *s = *state;
	struct port_state *st;

	inject(s, "cbd-pressure:leaf-r3-00,period=1s,down=150ms,for=10s");
	st = sim_state(s, last(s)->ports.at[0]);
	sim_advance(s, 100000);
	assert_int_equal(st->k.held, 1);
	sim_advance(s, 200000);
	assert_int_equal(st->k.held, 0);
	sim_advance(s, 1100000);
	assert_int_equal(st->k.held, 1);
	sim_advance(s, 11 * SEC);
	assert_int_equal(st->k.held, 0);
	assert_int_equal(last(s)->ended, 10 * SEC);
}

static void test_miswire_comes_back_in_any_order(void **state)
{
	struct sim *s = *state;
	struct sim_port *a = &sim_device_by_name(s, "node001")->ports[2];
	struct sim_port *b = &sim_device_by_name(s, "node002")->ports[2];

	inject(s, "miswire:node001:mlx5_2,with=node002");
	assert_ptr_equal(a->peer, b->plan_peer);
	assert_ptr_equal(b->plan_peer->peer, a);
	inject(s, "miswire:node002:mlx5_2,with=node003");
	heal(s, "1", 1);
	assert_ptr_equal(a->peer, a->plan_peer);
	assert_ptr_not_equal(b->peer, b->plan_peer);
	heal(s, "2", 1);
	assert_ptr_equal(b->peer, b->plan_peer);
	inject(s, "miswire:node001,rotate=3");
	for (unsigned k = 0; k < 8; k++)
		assert_ptr_equal(sim_device_by_name(s, "node001")->ports[k].peer,
			sim_device_by_name(s, "node001")->ports[(k + 3) % 8].plan_peer);
	heal(s, "all", 1);
	assert_ptr_equal(a->peer, a->plan_peer);
}

static void test_uplinks_and_devices(void **state)
{
	struct sim *s = *state;
	struct sim_device *leaf = sim_device_by_name(s, "leaf-r4-00");
	unsigned down = 0;

	inject(s, "uplinks-lost:leaf-r4-00,count=16");
	for (unsigned i = 0; i < leaf->nports; i++) {
		down += sim_state(s, &leaf->ports[i])->k.down;
		assert_true(!sim_state(s, &leaf->ports[i])->k.down ||
			    leaf->ports[i].peer->tier == TIER_SPINE);
	}
	assert_int_equal(down, 16);
	inject(s, "gpu-straggler:node003,delay=800ms");
	inject(s, "gpu-straggler:node003,delay=200ms");
	assert_int_equal(sim_device_knobs(s, sim_device_by_name(s, "node003"))->late_us, 800000);
	heal(s, "2", 1);
	assert_int_equal(sim_device_knobs(s, sim_device_by_name(s, "node003"))->late_us, 200000);
	inject(s, "gpu-error:node009");
	assert_int_equal(sim_device_knobs(s, sim_device_by_name(s, "node009"))->dead, 1);
	assert_int_equal(sim_device_by_name(s, "node009")->log[0].kind, SIM_LOG_XID);
	inject(s, "clock-skew:node009,by=-90s");
	inject(s, "clock-skew:node009,by=30s");
	assert_int_equal(sim_device_by_name(s, "node009")->clock_skew_us, -60 * SEC);
}

static void test_traffic_comes_and_goes(void **state)
{
	struct sim *s = *state;
	size_t before = s->nflows, to_it = 0, spread = 0;
	const struct sim_port *nic = &sim_device_by_name(s, "node004")->ports[0];

	inject(s, "incast:node004:mlx5_0,fanin=24,rate=10%");
	assert_int_equal(s->nflows, before + 24);
	for (size_t i = before; i < s->nflows; i++) {
		assert_int_not_equal(s->flow[i].src->device, nic->device);
		to_it += s->flow[i].dst == nic;
		spread += s->flow[i].src->rail != nic->rail;
	}
	assert_int_equal(to_it, 24);
	/* Some through the spines, some from the same leaf. */
	assert_in_range(spread, 8, 16);
	inject(s, "mixed-traffic:node004:mlx5_0,fanin=6");
	assert_false(s->flow[s->nflows - 1].rdma);
	heal(s, "incast", 1);
	assert_int_equal(s->nflows, before + 6);
	heal(s, "all", 1);
	assert_int_equal(s->nflows, before);
	inject(s, "deaf-nic:node005:mlx5_3");
	to_it = 0;
	for (size_t i = before; i < s->nflows; i++) {
		to_it += s->flow[i].src == &sim_device_by_name(s, "node005")->ports[3];
		assert_int_equal(s->flow[i].dst->peer->device,
			sim_device_by_name(s, "node005")->ports[3].peer->device);
		assert_int_not_equal(s->flow[i].dst->device, 5);
	}
	assert_true(to_it >= 1);
}

/* ---- when ---- */

static void test_service_faults_begin_and_end(void **state)
{
	struct sim_device *d = sim_device_by_name(*state, "spine-001");
	struct err err;

	assert_true(sim_fault(*state, "flood:spine-001,at=1s,for=1s,size=5MB", &err));
	assert_true(sim_fault(*state, "slow:spine-001,at=1s,for=1s,delay=2s", &err));
	assert_true(sim_fault(*state, "refuse-key:spine-001,at=1s,for=1s", &err));
	assert_true(sim_fault(*state, "device-down:spine-001,at=1s,for=2s", &err));
	assert_true(sim_fault(*state, "reboot:spine-001,at=1500ms,down=200ms", &err));
	sim_advance(*state, 1000000);
	assert_int_equal(d->flood_bytes, 5000000);
	assert_int_equal(d->answer_delay_us, 2000000);
	assert_true(d->refuses_key && d->unreachable == 1);
	sim_advance(*state, 1600000);
	assert_int_equal(d->unreachable, 2);
	sim_advance(*state, 2000000);
	assert_true(!d->flood_bytes && !d->answer_delay_us && !d->refuses_key);
	/* Two reasons to be away: the end of one is not the end of the other. */
	assert_int_equal(d->unreachable, 1);
	sim_advance(*state, 3000000);
	assert_int_equal(d->unreachable, 0);
}

static void test_without_a_period_it_stays(void **state)
{
	struct sim *s = *state;

	inject(s, "link-flap:node003:mlx5_2,period=0,for=30s");
	for (int64_t t = 0; t < 30; t++) {
		sim_advance(s, t * SEC);
		assert_int_equal(state_of(s, "node003", "mlx5_2")->k.down, 1);
	}
	sim_advance(s, 30 * SEC);
	assert_int_equal(state_of(s, "node003", "mlx5_2")->k.down, 0);
}

static void test_injects_from_now(void **state)
{
	struct sim *s = *state;
	uint64_t generation;
	unsigned id = 0;
	struct err err;

	sim_advance(s, 50 * SEC);
	generation = sim_fault_generation(s);
	assert_true(sim_inject(s, "link-down:node003:mlx5_2,at=2s,for=3s", &id, &err));
	assert_int_equal(id, 1);
	assert_int_equal(state_of(s, "node003", "mlx5_2")->k.down, 0);
	sim_advance(s, 52 * SEC);
	assert_int_equal(state_of(s, "node003", "mlx5_2")->k.down, 1);
	assert_true(sim_fault_generation(s) > generation);
	generation = sim_fault_generation(s);
	sim_advance(s, 54 * SEC);
	assert_int_equal(sim_fault_generation(s), generation);
	sim_advance(s, 55 * SEC);
	assert_int_equal(state_of(s, "node003", "mlx5_2")->k.down, 0);
	assert_true(sim_fault_generation(s) > generation);
	/* At once, without anybody moving the clock. */
	assert_true(sim_inject(s, "link-down:node003:mlx5_2", NULL, &err));
	assert_false(sim_device_by_name(s, "node003")->ports[2].up);
	heal(s, "node003", 1);
	assert_true(sim_device_by_name(s, "node003")->ports[2].up);
	assert_false(sim_inject(s, "link-down:node777", &id, &err));
}

static void test_heals_what_is_meant(void **state)
{
	struct sim *s = *state;
	unsigned n = 9;
	struct err err;
	struct buf b;

	inject(s, "link-down:node003:mlx5_2");
	inject(s, "link-down:node004:mlx5_2");
	inject(s, "link-down:node004:mlx5_3,at=10s");
	inject(s, "pfc-storm:node004:mlx5_1,for=5s");
	assert_false(sim_heal(s, "node005", &n, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_equal(n, 0);
	assert_false(sim_heal(s, "link-flap", &n, &err));
	heal(s, "link-down:node004", 2);
	heal(s, "link-down:node003:mlx5_2", 1);
	assert_false(sim_heal(s, "1", &n, &err));
	assert_false(sim_heal(s, "pfc-storm:node004:mlx5_2", &n, &err));
	sim_advance(s, 20 * SEC);
	/* What was cancelled before it began never begins; the storm was over. */
	assert_int_equal(state_of(s, "node004", "mlx5_3")->k.down, 0);
	heal(s, "all", 0);
	buf_init(&b, 65536);
	sim_fault_status(s, &b);
	assert_non_null(strstr(b.data, "cancelled"));
	assert_non_null(strstr(b.data, "pfc-storm:node004:mlx5_1,for=5s"));
	buf_free(&b);
}

static void test_status_tells_what_was_chosen(void **state)
{
	struct sim *s = *state;
	struct buf b;

	inject(s, "pfc-storm");
	inject(s, "slow-receiver:node004");
	inject(s, "low-entropy,at=5s");
	buf_init(&b, 65536);
	sim_fault_status(s, &b);
	assert_non_null(strstr(b.data, s->faults.at[0].device->name));
	assert_non_null(strstr(b.data, s->faults.at[1].port->name));
	assert_non_null(strstr(b.data, "planned"));
	buf_free(&b);
}

/* One host, one leaf, one cable: hardly any class finds what it wants, and none may trip. */
static void test_the_smallest_fabric(void **state)
{
	struct topo_device device[] = {
		{.name = "h0", .tier = TIER_HOST, .rail = -1, .platform = sim_platform("linux")},
		{.name = "l0", .tier = TIER_LEAF, .platform = sim_platform("sonic-spectrum")},
	};
	struct topo_port port[] = {
		{.device = 0, .name = "eth0", .speed_mbps = 400000},
		{.device = 1, .name = "Ethernet0", .speed_mbps = 400000},
		{.device = 1, .name = "Ethernet4", .speed_mbps = 400000},
	};
	struct topo_cable cable[] = {{0, 1}};
	const struct topology t = {.name = "tiny",
		.device = device,
		.port = port,
		.cable = cable,
		.ndevices = 2,
		.nports = 3,
		.ncables = 1};
	struct sim_opts o = {.topology = &t, .seed = 1, .speed = 1};
	struct sim *s = sim_new(&o);
	const struct fault_class *c;
	struct err err;

	(void)state;
	for (size_t i = 0; (c = fault_class(i)); i++)
		if (!sim_inject(s, c->name, NULL, &err))
			assert_true(err.code == ERR_USAGE && *err.text && *err.cure);
	assert_false(sim_inject(s, "miswire:h0,rotate=1", NULL, &err));
	assert_false(sim_inject(s, "deadlock:l0", NULL, &err));
	assert_true(sim_inject(s, "link-down:l0:Ethernet4", NULL, &err));
	sim_advance(s, 20 * SEC);
	free(sim_truth(s));
	assert_true(sim_heal(s, "all", NULL, &err));
	assert_true(s->port[0].up);
	sim_free(s);
}

/* ---- texts ---- */

static void test_lists_every_class(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 65536);
	sim_fault_list(&b);
	assert_non_null(strstr(b.data, "link-flap:DEVICE:PORT [at=,for=,period=8s,down=]"));
	assert_non_null(strstr(b.data, "wrong-cert:HTTPS-DEVICE"));
	assert_non_null(strstr(b.data, "  low-entropy [at=,for=]"));
	buf_free(&b);
}

/* Every cause of the field's list has a class. */
static void test_covers_the_taxonomy(void **state)
{
	bool seen[29] = {false};
	const struct fault_class *c;

	(void)state;
	for (size_t i = 0; (c = fault_class(i)); i++) {
		char *end;

		assert_true(*c->help && *c->see);
		for (const char *at = c->taxonomy; *at; at = end) {
			long n = strtol(at, &end, 10);

			assert_in_range(n, 1, 28);
			seen[n] = true;
		}
	}
	for (unsigned i = 1; i <= 28; i++)
		if (!seen[i])
			fail_msg("no class for cause %u", i);
}

/* The page's table is the code's table. Tests run from the top of the tree. */
static void test_man_page_has_the_table(void **state)
{
	char *page = calloc(1, 131072);
	FILE *f = fopen("man/railtop-emulator.1", "re");
	struct buf list;

	(void)state;
	assert_non_null(f);
	assert_non_null(page);
	assert_true(fread(page, 1, 131071, f) > 1000);
	(void)fclose(f);
	buf_init(&list, 131072);
	sim_fault_manual(&list);
	if (!strstr(page, list.data))
		fail_msg("man/railtop-emulator.1 lacks this:\n%.2000s", list.data);
	buf_free(&list);
	free(page);
}

#define WITH_SIM(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SIM(test_accepts_every_form),
		WITH_SIM(test_refuses_with_a_cure),
		WITH_SIM(test_bounds_the_spec),
		cmocka_unit_test(test_chooses_by_seed),
		WITH_SIM(test_every_class_turns_and_rests),
		WITH_SIM(test_overlaps_heal_in_any_order),
		WITH_SIM(test_random_order_leaves_nothing),
		WITH_SIM(test_configuration_faults_change_the_configuration),
		WITH_SIM(test_a_mended_configuration_stays),
		WITH_SIM(test_silent_variants_turn_the_hardware),
		WITH_SIM(test_storm_without_watchdog),
		WITH_SIM(test_values_combine),
		WITH_SIM(test_weak_optic_ramps),
		WITH_SIM(test_deadlock_is_a_cycle),
		WITH_SIM(test_pressure_pulses),
		WITH_SIM(test_miswire_comes_back_in_any_order),
		WITH_SIM(test_uplinks_and_devices),
		WITH_SIM(test_traffic_comes_and_goes),
		WITH_SIM(test_service_faults_begin_and_end),
		WITH_SIM(test_without_a_period_it_stays),
		WITH_SIM(test_injects_from_now),
		WITH_SIM(test_heals_what_is_meant),
		WITH_SIM(test_status_tells_what_was_chosen),
		cmocka_unit_test(test_the_smallest_fabric),
		cmocka_unit_test(test_lists_every_class),
		cmocka_unit_test(test_covers_the_taxonomy),
		cmocka_unit_test(test_man_page_has_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
