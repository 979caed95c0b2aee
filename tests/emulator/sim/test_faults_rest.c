/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/fault_rig.h"
#include "tests/support/cases.h"

/* Nothing is left of a fault that has ended, in any order of their ends. */

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
	       a->clock_skew_us == b->clock_skew_us && a->commands_fail == b->commands_fail &&
	       a->must_change_password == b->must_change_password &&
	       a->nvlinks_down == b->nvlinks_down && a->nvlink_errors_us == b->nvlink_errors_us &&
	       a->write_faults == b->write_faults;
}

static bool same_config(const struct sim_port_config *a, const struct sim_port_config *b)
{
	return a->admin_up == b->admin_up && a->pfc_mask == b->pfc_mask &&
	       a->wd_mask == b->wd_mask && a->weighted == b->weighted && a->ecn == b->ecn &&
	       a->np == b->np && a->rp == b->rp;
}

/* The name of the part that differs; NULL: none. */
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
CASE_WITH(test_every_class_turns_and_rests, fault_setup, fault_teardown)
{
	const struct fault_class *c;
	struct sim *s = *state;
	struct snapshot rest = snap(s);
	int64_t t = 0;

	for (size_t i = 0; (c = fault_class(i)); i++) {
		fault_inject(s, c->name);
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
CASE_WITH(test_overlaps_heal_in_any_order, fault_setup, fault_teardown)
{
	const struct fault_class *c;
	struct sim *s = *state;
	struct snapshot rest = snap(s);
	int64_t t = 0;

	for (size_t i = 0; (c = fault_class(i)); i++) {
		for (unsigned order = 0; order < 2; order++) {
			char spec[160], id[2][16];
			const struct fault *f;

			fault_inject(s, c->name);
			f = fault_last(s);
			(void)str_printf(id[0], sizeof(id[0]), "%u", f->id);
			(void)str_printf(spec, sizeof(spec), "%s%s%s%s%s", c->name,
				f->device ? ":" : "", f->device ? f->device->name : "",
				f->port && c->entity != ENTITY_CYCLE ? ":" : "",
				f->port && c->entity != ENTITY_CYCLE ? f->port->name : "");
			fault_inject(s, spec);
			(void)str_printf(id[1], sizeof(id[1]), "%u", fault_last(s)->id);
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
CASE_WITH(test_random_order_leaves_nothing, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct snapshot rest = snap(s);
	const struct fault_class *c;
	uint64_t dice = 7;

	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; (c = fault_class(i)); i++)
			fault_inject(s, c->name);
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

/* One host, one leaf, one cable: hardly any class finds a place, and none may crash. */
CASE(test_the_smallest_fabric)
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

CASES_MAIN(NULL, NULL)
