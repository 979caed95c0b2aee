/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include "fabric/plan/sizing.h"
#include "tests/support/cases.h"

struct size_case {
	const char *name;
	unsigned devices[TIER_COUNT];
	size_t wires;
};

/* ref256 and 4k are published figures; 24k and 100k follow from the same radix. */
static const struct size_case sizes[] = {
	{"ref256", {32, 8, 4, 0}, 256 + 256},
	{"4k", {500, 128, 128, 64}, 12192},
	{"24k", {3000, 752, 768, 512}, 24000 + 24064 + 24576},
	{"100k", {12500, 3128, 3328, 2048}, 100000 + 100096 + 106496},
};

CASE(presets_have_their_sizes)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct sizing *s = sizing_preset(sizes[i].name);

		assert_non_null(s);
		assert_non_null(strstr(sizing_preset_names(), sizes[i].name));
		for (unsigned t = 0; t < TIER_COUNT; t++) {
			assert_int_equal(sizing_devices(s, (enum tier)t), sizes[i].devices[t]);
			assert_true(sizing_ports(s, (enum tier)t) <= 64);
		}
		assert_int_equal(sizing_wires(s), sizes[i].wires);
		assert_int_equal(s->speed_mbps, 400000);
	}
	assert_null(sizing_preset("4K"));
	assert_null(sizing_preset(""));
}

/* Marks an end as used; fails on a port that does not exist or is used twice. */
static void use(
	const struct sizing *s, unsigned char *used[TIER_COUNT], struct wire_end e, size_t i)
{
	unsigned ports = sizing_ports(s, e.tier);

	if (e.device >= sizing_devices(s, e.tier) || e.port >= ports)
		fail_msg("%s wire %zu: no %s %u port %u", s->preset, i, tier_name(e.tier), e.device,
			e.port);
	if (used[e.tier][(size_t)e.device * ports + e.port]++)
		fail_msg("%s wire %zu: %s %u port %u is used twice", s->preset, i,
			tier_name(e.tier), e.device, e.port);
}

CASE(every_port_is_wired_once)
{
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		const struct sizing *s = sizing_preset(sizes[k].name);
		unsigned char *used[TIER_COUNT];

		for (unsigned t = 0; t < TIER_COUNT; t++)
			used[t] = calloc((size_t)sizing_devices(s, (enum tier)t) *
							 sizing_ports(s, (enum tier)t) +
						 1,
				1);
		for (size_t i = 0; i < sizing_wires(s); i++) {
			struct wire w = sizing_wire(s, i);

			assert_int_equal(w.b.tier, w.a.tier + 1);
			use(s, used, w.a, i);
			use(s, used, w.b, i);
		}
		/* Every NIC and every uplink is in use. */
		for (unsigned n = 0; n < s->hosts * s->rails; n++)
			assert_int_equal(used[TIER_HOST][n], 1);
		for (unsigned leaf = 0; leaf < sizes[k].devices[TIER_LEAF]; leaf++)
			for (unsigned u = s->hosts_per_leaf; u < 64; u++)
				assert_int_equal(used[TIER_LEAF][leaf * 64 + u], 1);
		for (unsigned t = 0; t < TIER_COUNT; t++)
			free(used[t]);
	}
}

CASE(rails_do_not_mix_below_the_top)
{
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		const struct sizing *s = sizing_preset(sizes[k].name);

		for (size_t i = 0; i < sizing_wires(s); i++) {
			struct wire w = sizing_wire(s, i);
			int above = sizing_rail(s, w.b.tier, w.b.device);

			if (w.a.tier == TIER_SPINE)
				assert_int_equal(w.rail, -1);
			else if (above >= 0)
				assert_int_equal(above, w.rail);
			if (w.a.tier == TIER_HOST)
				assert_int_equal(w.rail, w.a.port);
		}
	}
}

CASE(the_formula_of_the_design)
{
	const struct sizing *s = sizing_preset("4k");
	unsigned pair[2] = {0, 0};

	for (unsigned n = 0; n < 500; n += 37) {
		for (unsigned r = 0; r < 8; r++) {
			struct wire w = sizing_wire(s, (size_t)n * 8 + r);

			assert_int_equal(w.a.device, n);
			assert_int_equal(w.b.device, r * 16 + n / 32);
			assert_int_equal(w.b.port, n % 32);
		}
	}
	/* Two links a leaf and spine pair; even and odd spines reach different superspines. */
	for (size_t i = 0; i < sizing_wires(s); i++) {
		struct wire w = sizing_wire(s, i);

		pair[0] += w.a.tier == TIER_LEAF && w.a.device == 17 && w.b.device == 16;
		if (w.a.tier == TIER_SPINE)
			assert_int_equal(w.b.device / 32, w.a.device % 2);
	}
	assert_int_equal(pair[0], 2);
	s = sizing_preset("ref256");
	for (size_t i = 0; i < sizing_wires(s); i++) {
		struct wire w = sizing_wire(s, i);

		pair[1] += w.a.tier == TIER_LEAF && w.a.device == 5 && w.b.device == 3;
	}
	assert_int_equal(pair[1], 8);
}

CASE(names_follow_the_inventories)
{
	const struct sizing *s = sizing_preset("4k");
	char name[32];

	assert_true(sizing_device_name(s, TIER_HOST, 7, name, sizeof(name)));
	assert_string_equal(name, "node007");
	assert_true(sizing_device_name(s, TIER_LEAF, 50, name, sizeof(name)));
	assert_string_equal(name, "leaf-r3-02");
	assert_true(sizing_device_name(s, TIER_SPINE, 9, name, sizeof(name)));
	assert_string_equal(name, "spine-009");
	assert_true(sizing_device_name(s, TIER_SUPERSPINE, 63, name, sizeof(name)));
	assert_string_equal(name, "superspine-63");
	assert_true(sizing_device_name(sizing_preset("100k"), TIER_LEAF, 391, name, sizeof(name)));
	assert_string_equal(name, "leaf-r1-000");
	assert_false(sizing_device_name(s, TIER_HOST, 7, name, 7));
	assert_true(sizing_port_name(TIER_HOST, "linux", 3, name, sizeof(name)));
	assert_string_equal(name, "mlx5_3");
	assert_true(sizing_port_name(TIER_LEAF, "sonic", 3, name, sizeof(name)));
	assert_string_equal(name, "Ethernet12");
	assert_true(sizing_port_name(TIER_SPINE, "eos", 3, name, sizeof(name)));
	assert_string_equal(name, "Ethernet4/1");
	assert_true(sizing_port_name(TIER_SPINE, "cumulus", 3, name, sizeof(name)));
	assert_string_equal(name, "swp4");
	/* No dialect, or one with port names chosen by an operator. */
	assert_false(sizing_port_name(TIER_SPINE, "", 3, name, sizeof(name)));
	assert_false(sizing_port_name(TIER_SPINE, "linux", 3, name, sizeof(name)));
	assert_false(sizing_port_name(TIER_SPINE, "junos", 3, name, sizeof(name)));
}

CASES_MAIN(NULL, NULL)
