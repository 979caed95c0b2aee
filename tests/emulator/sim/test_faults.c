/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/fault_rig.h"
#include "tests/support/cases.h"

/* The classes of faults: the forms of their specs, the places they choose, the list. */

CASE_WITH(test_accepts_every_form, fault_setup, fault_teardown)
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

CASE_WITH(test_refuses_with_a_cure, fault_setup, fault_teardown)
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
		{"watchdog-missing:*:Ethernet0", "every device", "watchdog-missing:*"},
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
	/* No part of a refused spec is scheduled. */
	assert_int_equal(s->faults.n, 0);
	assert_true(sim_faults_next(s) == SIM_NEVER);
}

CASE_WITH(test_bounds_the_spec, fault_setup, fault_teardown)
{
	char spec[400];
	struct err err;

	memset(spec, 'x', sizeof(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	assert_false(sim_fault(*state, spec, &err));
}

CASE(test_chooses_by_seed)
{
	struct sim *same = fault_sim(1);
	const struct sim_port *first = NULL;
	bool differs = false;
	struct err err;

	for (uint64_t seed = 1; seed < 8; seed++) {
		struct sim *s = fault_sim(seed);

		assert_true(sim_fault(s, "pfc-storm", &err));
		assert_int_equal(fault_last(s)->port->tier, TIER_HOST);
		if (seed == 1) {
			assert_true(sim_fault(same, "pfc-storm", &err));
			first = fault_last(same)->port;
			assert_string_equal(
				fault_last(s)->device->name, fault_last(same)->device->name);
			assert_string_equal(fault_last(s)->port->name, first->name);
		}
		differs = differs ||
			  strcmp(fault_last(s)->device->name, fault_last(same)->device->name) != 0;
		sim_free(s);
	}
	assert_true(differs);
	/* The next one goes elsewhere. */
	assert_true(sim_fault(same, "slow-receiver", &err));
	assert_ptr_not_equal(fault_last(same)->device, same->faults.at[0].device);
	/* A host without a NIC: one of its own. */
	assert_true(sim_fault(same, "slow-receiver:node005", &err));
	assert_string_equal(fault_last(same)->device->name, "node005");
	assert_ptr_equal(sim_device_of(same, fault_last(same)->port), fault_last(same)->device);
	sim_free(same);
}

/* ---- texts ---- */

CASE(test_lists_every_class)
{
	struct buf b;

	buf_init(&b, 65536);
	sim_fault_list(&b);
	assert_non_null(strstr(b.data, "link-flap:DEVICE:PORT [at=,for=,period=8s,down=]"));
	assert_non_null(strstr(b.data, "wrong-cert:HTTPS-DEVICE"));
	assert_non_null(strstr(b.data, "  low-entropy [at=,for=]"));
	buf_free(&b);
}

/* Every cause of the field's list has a class. */
CASE(test_covers_the_taxonomy)
{
	bool seen[29] = {false};
	const struct fault_class *c;

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
CASE(test_man_page_has_the_table)
{
	char *page = calloc(1, 131072);
	FILE *f = fopen("man/railtop-emulator.1", "re");
	struct buf list;

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

CASES_MAIN(NULL, NULL)
