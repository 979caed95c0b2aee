/* SPDX-License-Identifier: Apache-2.0 */
/* A plan by formula for devices with unknown port names, from the guide's own example. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/evidence/wiring.h"
#include "fabric/model/model.h"
#include "fabric/state/state.h"
#include "fabric/model/unnamed.h"
#include "fabric/plan/sizing.h"
#include "fabric/vocabulary/counters.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

#define T0 (INT64_C(1700000000) * CLOCK_SEC)
#define HEAD                                                                                       \
	"fabric: b200\n"                                                                           \
	"preset: 4k\n"                                                                             \
	"wiring: {plan: formula}\n"
/* 128 leaves with 32 uplinks each. */
#define LINKS (128 * 32)

/* The example of an engine in the guide: everything between "engine:" and the end of the block. */
static char *guide(void)
{
	FILE *f = fopen("docs/guide/prometheus.md", "re");
	char *text = mem_calloc(1, 1 << 16), *from, *out;
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, (1 << 16) - 1, f);
	(void)fclose(f);
	assert_true(n > 0);
	from = strstr(text, "\nengine: {");
	assert_non_null(from);
	assert_non_null(strstr(from, "spine-[000-127]\", tier: spine}"));
	*strstr(from, "```") = '\0';
	out = mem_calloc(1, strlen(HEAD) + strlen(from) + 1);
	(void)sprintf(out, HEAD "%s", from + 1);
	free(text);
	return out;
}

static struct model *example(void)
{
	char *text = guide();
	struct plan plan;
	struct model *m;

	inventory_expect(text, "", &plan);
	m = model_new(&plan);
	plan_free(&plan);
	free(text);
	return m;
}

static void apply(struct model *m, struct obs *o)
{
	o->received_us = T0;
	model_apply(m, o, T0);
	obs_free(o);
}

/* The engine reports a spine's ports, named in this format. */
static void tell_spines(
	struct model *m, const char *const *before, const char *format, int first, int step)
{
	for (unsigned s = 0; s < 128; s++) {
		char name[NAME_MAX_LEN];
		struct obs *o;

		(void)str_printf(name, sizeof(name), "spine-%03u", s);
		o = obs_new(name, REQUEST_ENGINE);
		for (size_t i = 0; before && before[i]; i++)
			obs_count(o, obs_port(o, before[i]), CTR_RX_BYTES, 0, 1);
		for (int i = 0; i < 64; i++) {
			(void)snprintf(name, sizeof(name), format, first + i * step);
			obs_count(o, obs_port(o, name), CTR_RX_BYTES, 0, 1);
			obs_word(o, obs_port(o, name), ATTR_OPER, 0, "up");
		}
		apply(m, o);
	}
}

/* The leaves are asked themselves, and hear their spines; cables as planned, two of them swapped.
 */
static void tell_leaves(struct model *m, const char *format, int first, int step, bool swapped)
{
	const struct sizing *z = sizing_preset("4k");

	for (size_t i = 0; i < sizing_wires(z); i++) {
		struct wire w = sizing_wire(z, i);
		char name[NAME_MAX_LEN], port[NAME_MAX_LEN];
		struct obs *o;
		uint32_t p;

		if (w.a.tier != TIER_LEAF)
			continue;
		if (swapped && w.a.device == 0 && w.b.device < 2)
			w.b.device = 1 - w.b.device;
		assert_true(sizing_device_name(z, TIER_LEAF, w.a.device, name, sizeof(name)));
		o = obs_new(name, "lldp");
		assert_true(sizing_port_name(TIER_LEAF, "sonic", w.a.port, port, sizeof(port)));
		p = obs_port(o, port);
		obs_word(o, p, ATTR_OPER, 0, "up");
		assert_true(sizing_device_name(z, TIER_SPINE, w.b.device, name, sizeof(name)));
		(void)snprintf(port, sizeof(port), format, first + (int)w.b.port * step);
		obs_lldp(o, p, name, port);
		apply(m, o);
	}
	model_links(m);
}

static unsigned count(const struct model *m, enum wiring_kind kind, char *text, size_t size)
{
	wiring_vec v = {0};
	unsigned n = 0;

	wiring_check(m, &v);
	for (size_t i = 0; i < v.n; i++) {
		if (v.at[i].kind != kind)
			continue;
		n++;
		if (text)
			(void)str_copy(text, size, v.at[i].text);
	}
	wiring_free(&v);
	return n;
}

static unsigned faults(const struct model *m)
{
	return count(m, WIRING_OTHER, NULL, 0) + count(m, WIRING_SWAP, NULL, 0) +
	       count(m, WIRING_ROTATION, NULL, 0);
}

CASE(nothing_is_planned_by_made_up_names)
{
	struct model *m = example();
	struct unnamed u = model_unnamed(m);
	char text[120];

	assert_int_equal(u.devices, 128);
	assert_int_equal(u.links, LINKS);
	assert_string_equal(m->devices.at[u.first]->name, "spine-000");
	/* Not swp1, nor any other. */
	assert_int_equal(m->devices.at[u.first]->ports.n, 0);
	/* Neither missing nor right. */
	assert_int_equal(model_census(m).links_expected, 0);
	assert_int_equal(count(m, WIRING_NO_NAMES, text, sizeof(text)), 1);
	assert_string_equal(text, "port names of spine-000 and 127 more not known (no dialect): "
				  "4096 links not compared");
	/* LLDP tells of cables that no plan is known for. */
	tell_leaves(m, "Ethernet%d/1", 1, 1, false);
	assert_int_equal(faults(m), 0);
	assert_int_equal(count(m, WIRING_NO_NAMES, NULL, 0), 1);
	assert_int_equal(model_census(m).links_expected, 0);
	model_free(m);
}

/* Port names as each system writes them, with other ports of that system. */
CASE(names_that_are_told_complete_the_plan)
{
	static const char *const others[] = {
		"Management1", "Port-Channel1", "eth0", "Vlan10", NULL};
	static const struct {
		const char *format;
		int first, step;
	} cases[] = {{"Ethernet%d/1", 1, 1}, {"Ethernet1/%d", 1, 1}, {"Ethernet%d", 0, 4},
		{"swp%d", 1, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int leaves_first = 0; leaves_first < 2; leaves_first++) {
			struct model *m = example();

			if (leaves_first)
				tell_leaves(
					m, cases[i].format, cases[i].first, cases[i].step, false);
			tell_spines(m, others, cases[i].format, cases[i].first, cases[i].step);
			if (!leaves_first)
				tell_leaves(
					m, cases[i].format, cases[i].first, cases[i].step, false);
			model_links(m);
			assert_int_equal(model_unnamed(m).links, 0);
			assert_int_equal(model_census(m).links_expected, LINKS);
			assert_int_equal(model_census(m).links_found, LINKS);
			assert_int_equal(faults(m), 0);
			assert_int_equal(count(m, WIRING_NO_NAMES, NULL, 0), 0);
			model_free(m);
		}
}

/* A replay that begins in the middle: the planned data stays with the ports. */
CASE(the_plan_stays_complete_when_loaded)
{
	struct model *m = example(), *c = example();
	struct buf b;
	struct state s;

	tell_spines(m, NULL, "Ethernet%d/1", 1, 1);
	tell_leaves(m, "Ethernet%d/1", 1, 1, false);
	buf_init(&b, (size_t)256 << 20);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(model_state_step(&s, m, i));
	state_loads(&s, b.data, b.len);
	for (size_t i = 0; i < model_state_steps(c); i++)
		assert_true(model_state_step(&s, c, i));
	assert_true(state_ended(&s) && model_state_loaded(c));
	model_links(c);
	assert_int_equal(model_unnamed(c).links, 0);
	assert_int_equal(model_census(c).links_found, LINKS);
	buf_free(&b);
	model_free(c);
	model_free(m);
}

/* And then it is compared as any other. */
CASE(a_cable_in_the_wrong_spine_is_found)
{
	struct model *m = example();

	tell_spines(m, NULL, "Ethernet%d/1", 1, 1);
	tell_leaves(m, "Ethernet%d/1", 1, 1, true);
	assert_true(faults(m) > 0);
	model_free(m);
}

/* Other systems, 800G ports of eight lanes, slots, breakouts: which is the first is not certain. */
CASE(other_names_stay_unknown)
{
	static const struct {
		const char *format;
		int first, step;
	} cases[] = {{"et-0/0/%d", 0, 1}, {"Ethernet%d", 0, 8}, {"Ethernet%d", 0, 2},
		{"Ethernet%d", 1, 1}, {"Ethernet2/%d", 1, 1}, {"swp%ds0", 1, 1}, {"swp%d", 33, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model *m = example();

		tell_spines(m, NULL, cases[i].format, cases[i].first, cases[i].step);
		tell_leaves(m, cases[i].format, cases[i].first, cases[i].step, false);
		assert_int_equal(model_unnamed(m).links, LINKS);
		assert_int_equal(model_census(m).links_expected, 0);
		assert_int_equal(faults(m), 0);
		model_free(m);
	}
}

CASES_MAIN(NULL, NULL)
