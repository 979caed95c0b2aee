/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/fault_rig.h"
#include "tests/support/cases.h"

/* When faults begin and end, and which of them a word ends. */

CASE_WITH(test_service_faults_begin_and_end, fault_setup, fault_teardown)
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

CASE_WITH(test_without_a_period_it_stays, fault_setup, fault_teardown)
{
	struct sim *s = *state;

	fault_inject(s, "link-flap:node003:mlx5_2,period=0,for=30s");
	for (int64_t t = 0; t < 30; t++) {
		sim_advance(s, t * SEC);
		assert_int_equal(fault_port(s, "node003", "mlx5_2")->k.down, 1);
	}
	sim_advance(s, 30 * SEC);
	assert_int_equal(fault_port(s, "node003", "mlx5_2")->k.down, 0);
}

CASE_WITH(test_injects_from_now, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	uint64_t generation;
	unsigned id = 0;
	struct err err;

	sim_advance(s, 50 * SEC);
	generation = sim_fault_generation(s);
	assert_true(sim_inject(s, "link-down:node003:mlx5_2,at=2s,for=3s", &id, &err));
	assert_int_equal(id, 1);
	assert_int_equal(fault_port(s, "node003", "mlx5_2")->k.down, 0);
	sim_advance(s, 52 * SEC);
	assert_int_equal(fault_port(s, "node003", "mlx5_2")->k.down, 1);
	assert_true(sim_fault_generation(s) > generation);
	generation = sim_fault_generation(s);
	sim_advance(s, 54 * SEC);
	assert_int_equal(sim_fault_generation(s), generation);
	sim_advance(s, 55 * SEC);
	assert_int_equal(fault_port(s, "node003", "mlx5_2")->k.down, 0);
	assert_true(sim_fault_generation(s) > generation);
	/* At once, without a step of the clock. */
	assert_true(sim_inject(s, "link-down:node003:mlx5_2", NULL, &err));
	assert_false(sim_device_by_name(s, "node003")->ports[2].up);
	fault_heal(s, "node003", 1);
	assert_true(sim_device_by_name(s, "node003")->ports[2].up);
	assert_false(sim_inject(s, "link-down:node777", &id, &err));
}

CASE_WITH(test_heals_what_is_meant, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	unsigned n = 9;
	struct err err;
	struct buf b;

	fault_inject(s, "link-down:node003:mlx5_2");
	fault_inject(s, "link-down:node004:mlx5_2");
	fault_inject(s, "link-down:node004:mlx5_3,at=10s");
	fault_inject(s, "pfc-storm:node004:mlx5_1,for=5s");
	assert_false(sim_heal(s, "node005", &n, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_equal(n, 0);
	assert_false(sim_heal(s, "link-flap", &n, &err));
	fault_heal(s, "link-down:node004", 2);
	fault_heal(s, "link-down:node003:mlx5_2", 1);
	assert_false(sim_heal(s, "1", &n, &err));
	assert_false(sim_heal(s, "pfc-storm:node004:mlx5_2", &n, &err));
	sim_advance(s, 20 * SEC);
	/* A fault cancelled before its begin never begins; the storm was over. */
	assert_int_equal(fault_port(s, "node004", "mlx5_3")->k.down, 0);
	fault_heal(s, "all", 0);
	buf_init(&b, 65536);
	sim_fault_status(s, &b);
	assert_non_null(strstr(b.data, "cancelled"));
	assert_non_null(strstr(b.data, "pfc-storm:node004:mlx5_1,for=5s"));
	buf_free(&b);
}

CASE_WITH(test_status_tells_what_was_chosen, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct buf b;

	fault_inject(s, "pfc-storm");
	fault_inject(s, "slow-receiver:node004");
	fault_inject(s, "low-entropy,at=5s");
	buf_init(&b, 65536);
	sim_fault_status(s, &b);
	assert_non_null(strstr(b.data, s->faults.at[0].device->name));
	assert_non_null(strstr(b.data, s->faults.at[1].port->name));
	assert_non_null(strstr(b.data, "planned"));
	buf_free(&b);
}

CASES_MAIN(NULL, NULL)
