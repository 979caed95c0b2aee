/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/emulator/support/fault_rig.h"
#include "tests/support/cases.h"

struct sim *fault_sim(uint64_t seed)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = seed,
		.start_us = 0,
		.speed = 1,
		.steady = true};

	return sim_new(&o);
}

int fault_setup(void **state)
{
	*state = fault_sim(1);
	return 0;
}

int fault_teardown(void **state)
{
	sim_free(*state);
	return 0;
}

struct fault *fault_last(struct sim *s)
{
	return &s->faults.at[s->faults.n - 1];
}

void fault_inject(struct sim *s, const char *spec)
{
	struct err err;

	if (!sim_inject(s, spec, NULL, &err))
		fail_msg("%s: %s (%s)", spec, err.text, err.cure);
}

void fault_heal(struct sim *s, const char *what, unsigned expected)
{
	struct err err;
	unsigned n = 0;

	if (!sim_heal(s, what, &n, &err))
		fail_msg("%s: %s", what, err.text);
	assert_int_equal(n, expected);
}

struct port_state *fault_port(struct sim *s, const char *device, const char *port)
{
	const struct sim_port *p = sim_port_by_name(s, sim_device_by_name(s, device), port);

	assert_non_null(p);
	return sim_state(s, p);
}
