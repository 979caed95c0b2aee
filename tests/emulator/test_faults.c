/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/sim.h"

static int setup(void **state)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 1,
		.start_us = 0,
		.speed = 1,
		.steady = true};

	*state = sim_new(&o);
	return 0;
}

static int teardown(void **state)
{
	sim_free(*state);
	return 0;
}

static void test_accepts_every_form(void **state)
{
	static const char *const good[] = {
		"link-flap:node003:mlx5_2",
		"link-flap:node003:eth2,at=20s,period=8s,down=500ms,for=1m",
		"link-flap:leaf-r0-00:Ethernet128",
		"link-down:spine-001:Ethernet3/1",
		"low-speed:leaf-r7-00:Ethernet252",
		"pfc-storm:node031:mlx5_7,at=0",
		"miswire:node031:mlx5_7",
		"miswire:node000:mlx5_7,with=node009",
		"clear-counters:leaf-r0-00,at=3s",
		"reboot:node000,down=250ms",
		"device-hang:spine-000",
		"device-down:node001,for=3s",
		"refuse-key:leaf-r1-00",
		"wrong-key:leaf-r1-00",
		"wrong-cert:spine-003",
		"flood:node002,size=100MB",
		"garbage:node002",
		"slow:spine-002,delay=1s",
	};
	struct err err;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!sim_fault(*state, good[i], &err))
			fail_msg("%s refused: %s", good[i], err.text);
	sim_advance(*state, 100000000);
}

static void test_refuses_with_a_cure(void **state)
{
	static const struct {
		const char *spec, *text, *cure;
	} bad[] = {
		{"", "no fault class", "link-flap, link-down"},
		{"bogus:node000", "\"bogus\"", "pfc-storm"},
		{"link-flap", "needs a device", "link-flap:DEVICE:PORT"},
		{"link-flap:node099:mlx5_0", "node099", "node000"},
		{"link-flap:node000", "needs a port", "mlx5_0 ... mlx5_7"},
		{"link-flap:node000:mlx5_8", "mlx5_8", "mlx5_7"},
		{"link-flap:leaf-r0-00:Ethernet1", "Ethernet1", "Ethernet252"},
		{"pfc-storm:leaf-r0-00:Ethernet0", "NIC of a host", "node000:mlx5_0"},
		{"device-hang:node000:mlx5_0", "not a port", "device-hang:node000"},
		{"device-hang:node000,period=3s", "no key \"period\"", "at=,for="},
		{"device-hang:node000,at", "at=", "a time"},
		{"device-hang:node000,at=-3s", "at=-3s", "a time"},
		{"device-hang:node000,for=0", "for=0", "a time"},
		{"device-hang:node000,", "no key \"\"", "at=,for="},
		{"link-flap:node000:mlx5_0,period=2s,down=2s", "not shorter", "link-down"},
		{"flood:node000,size=big", "size=big", "32MB"},
		{"miswire:node000:mlx5_0,with=leaf-r0-00", "not another host", "node"},
		{"miswire:node000:mlx5_0,with=node000", "not another host", "node"},
		{"wrong-key:spine-000", "HTTPS", "wrong-cert:spine-000"},
		{"wrong-cert:node000", "SSH", "wrong-key:node000"},
	};
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(sim_fault(*state, bad[i].spec, &err));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.text, bad[i].text) || !strstr(err.cure, bad[i].cure))
			fail_msg("%s: \"%s\" (%s)", bad[i].spec, err.text, err.cure);
	}
	/* Nothing of what was refused is scheduled. */
	assert_true(sim_next_change(*state) == INT64_MAX);
}

static void test_bounds_the_spec(void **state)
{
	char spec[400];
	struct err err;

	memset(spec, 'x', sizeof(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	assert_false(sim_fault(*state, spec, &err));
}

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

static void test_truth_names_both_ends(void **state)
{
	struct err err;
	char *text;

	assert_true(sim_fault(*state, "link-down:node003:mlx5_2,at=1s,for=5s", &err));
	sim_advance(*state, 2000000);
	text = sim_truth(*state);
	assert_non_null(strstr(text, "\"class\": \"link-down\""));
	assert_non_null(strstr(text, "\"active\": true"));
	assert_non_null(strstr(text, "\"port\": \"Ethernet12\""));
	assert_non_null(strstr(text, "\"end\": 6"));
	free(text);
}

static void test_lists_every_class(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 65536);
	sim_fault_list(&b);
	assert_non_null(strstr(b.data, "link-flap:DEVICE:PORT [at=,for=,period=,down=]"));
	assert_non_null(strstr(b.data, "wrong-cert:HTTPS-DEVICE"));
	buf_free(&b);
}

/* The page's table is the code's table. Tests run from the top of the tree. */
static void test_man_page_has_the_table(void **state)
{
	char *page = calloc(1, 65536), *to;
	FILE *f = fopen("man/railtop-emulator.1", "re");
	struct buf list;

	(void)state;
	assert_non_null(f);
	assert_non_null(page);
	assert_true(fread(page, 1, 65535, f) > 1000);
	(void)fclose(f);
	to = page;
	for (const char *from = page; *from; from++)
		if (*from != '\\')
			*to++ = *from;
	*to = '\0';
	buf_init(&list, 65536);
	sim_fault_list(&list);
	if (!strstr(page, list.data))
		fail_msg("man/railtop-emulator.1 lacks this table:\n%s", list.data);
	buf_free(&list);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_accepts_every_form, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_with_a_cure, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bounds_the_spec, setup, teardown),
		cmocka_unit_test_setup_teardown(test_service_faults_begin_and_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_truth_names_both_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lists_every_class, setup, teardown),
		cmocka_unit_test(test_man_page_has_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
