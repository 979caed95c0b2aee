/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/sim.h"
#include "tests/support/cases.h"

/* The truth file: the culprits, the victims, and those that only look guilty. */

#define SEC INT64_C(1000000)

static struct sim *make(const char *preset, bool steady)
{
	struct sim_opts o = {.sizing = sizing_preset(preset),
		.seed = 1,
		.start_us = 0,
		.speed = 1,
		.steady = steady};

	return sim_new(&o);
}

static int setup(void **state)
{
	*state = make("ref256", true);
	return 0;
}

static int teardown(void **state)
{
	sim_free(*state);
	return 0;
}

static void inject(struct sim *s, const char *spec)
{
	struct err err;

	if (!sim_inject(s, spec, NULL, &err))
		fail_msg("%s: %s", spec, err.text);
}

static json_t *truth(const struct sim *s)
{
	char *text = sim_truth(s);
	json_t *root = json_loads(text, 0, NULL);

	free(text);
	assert_non_null(root);
	return root;
}

static json_t *fault(json_t *root, size_t i)
{
	json_t *f = json_array_get(json_object_get(root, "faults"), i);

	assert_non_null(f);
	return f;
}

static json_int_t number(json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

static const char *text(json_t *o, const char *key)
{
	assert_non_null(json_string_value(json_object_get(o, key)));
	return json_string_value(json_object_get(o, key));
}

/* Whether a list of ends has this device and port; port NULL: any. */
static bool has(json_t *list, const char *device, const char *port)
{
	json_t *o;
	size_t i;

	json_array_foreach(
		list, i, o) if (strcmp(text(o, "device"), device) == 0 &&
				(!port || strcmp(text(o, "port"), port) == 0)) return true;
	return false;
}

CASE_WITH(test_names_both_ends, setup, teardown)
{
	struct err err;
	json_t *root, *f;

	assert_true(sim_fault(*state, "link-down:node003:mlx5_2,at=1s,for=5s", &err));
	sim_advance(*state, 2 * SEC);
	root = truth(*state);
	f = fault(root, 0);
	assert_string_equal(text(f, "class"), "link-down");
	assert_string_equal(text(f, "device"), "node003");
	assert_string_equal(text(f, "port"), "eth2");
	assert_string_equal(text(json_object_get(f, "peer"), "device"), "leaf-r2-00");
	assert_string_equal(text(json_object_get(f, "peer"), "port"), "Ethernet12");
	assert_int_equal(number(f, "id"), 1);
	assert_true(json_is_true(json_object_get(f, "active")));
	assert_true(json_is_true(json_object_get(f, "blame")));
	assert_int_equal((int)json_real_value(json_object_get(f, "start")), 1);
	assert_int_equal((int)json_real_value(json_object_get(f, "end")), 6);
	assert_int_equal(json_array_size(json_object_get(f, "taxonomy")), 2);
	assert_int_equal(number(f, "transitions"), 1);
	json_decref(root);
}

CASE_WITH(test_storm_has_a_tree_of_victims, setup, teardown)
{
	struct sim *s = *state;
	const struct sim_port *nic = &sim_device_by_name(s, "node017")->ports[3];
	json_t *root, *f, *v, *p;
	size_t i;

	inject(s, "pfc-storm:node017:mlx5_3,watchdog=no");
	sim_advance(s, 2 * SEC);
	root = truth(s);
	f = fault(root, 0);
	v = json_object_get(f, "victims");
	assert_true(number(v, "paused_ports") > 10);
	assert_true(number(v, "slowed_nics") > 10);
	/* The culprit's own cable is not among the victims; others of its leaf are. */
	assert_false(has(json_object_get(v, "ports"), "node017", "eth3"));
	assert_false(has(json_object_get(v, "ports"), "leaf-r3-00", nic->peer->name));
	assert_false(has(json_object_get(v, "nics"), "node017", "eth3"));
	json_array_foreach(json_object_get(v, "ports"), i, p)
		assert_true(json_real_value(json_object_get(p, "paused")) > 0.01);
	assert_true(json_array_size(json_object_get(f, "innocent")) >= 8);
	assert_false(has(json_object_get(f, "innocent"), "leaf-r3-00", nic->peer->name));
	assert_true(json_array_size(json_object_get(v, "jobs")) >= 1);
	json_decref(root);
}

CASE_WITH(test_victims_are_kept_when_it_is_over, setup, teardown)
{
	struct sim *s = *state;
	json_t *root, *v;
	json_int_t during;

	inject(s, "slow-receiver:node004:mlx5_1,rate=30%,for=10s");
	sim_advance(s, 5 * SEC);
	root = truth(s);
	during = number(json_object_get(fault(root, 0), "victims"), "slowed_nics");
	assert_true(during > 0);
	json_decref(root);
	sim_advance(s, 60 * SEC);
	root = truth(s);
	assert_true(json_is_false(json_object_get(fault(root, 0), "active")));
	v = json_object_get(fault(root, 0), "victims");
	assert_true(number(v, "slowed_nics") > 0);
	assert_non_null(json_object_get(fault(root, 0), "innocent"));
	json_decref(root);
}

CASE_WITH(test_victims_belong_to_their_fault, setup, teardown)
{
	struct sim *s = *state;
	json_t *root, *ports;

	inject(s, "slow-receiver:node004:mlx5_1,rate=30%");
	inject(s, "gpu-straggler:node009");
	inject(s, "weak-optic:leaf-r7-00:Ethernet140,ramp=0");
	sim_advance(s, 5 * SEC);
	root = truth(s);
	ports = json_object_get(json_object_get(fault(root, 0), "victims"), "ports");
	assert_false(has(ports, "leaf-r1-00", "Ethernet16"));
	/* A late GPU pauses nobody. */
	assert_int_equal(number(json_object_get(fault(root, 1), "victims"), "paused_ports"), 0);
	assert_string_equal(text(fault(root, 1), "device"), "node009");
	/* FEC still corrects the errors of the weak light. */
	assert_int_equal(number(json_object_get(fault(root, 2), "victims"), "slowed_nics"), 0);
	json_decref(root);
}

CASE_WITH(test_stress_is_nobodys_fault, setup, teardown)
{
	struct sim *s = *state;
	json_t *root;

	inject(s, "heavy-load,for=3s");
	inject(s, "checkpoint");
	inject(s, "ecn-off:*");
	inject(s, "polarisation:leaf");
	root = truth(s);
	assert_true(json_is_false(json_object_get(fault(root, 0), "blame")));
	assert_true(json_is_false(json_object_get(fault(root, 1), "blame")));
	assert_true(json_is_true(json_object_get(fault(root, 2), "blame")));
	assert_string_equal(text(fault(root, 2), "device"), "*");
	assert_string_equal(text(fault(root, 3), "tier"), "leaf");
	json_decref(root);
}

CASE_WITH(test_tells_where_the_pressure_is, setup, teardown)
{
	struct sim *s = *state;
	json_t *root, *f;

	inject(s, "deaf-nic:node005:mlx5_3");
	root = truth(s);
	f = fault(root, 0);
	assert_string_equal(text(json_object_get(f, "contention"), "device"), "leaf-r3-00");
	assert_string_equal(text(f, "device"), "node005");
	json_decref(root);
}

CASE(test_jobs_are_in_it)
{
	struct sim *s = make("ref256", false);
	json_t *root, *jobs, *j;
	size_t i;

	sim_advance(s, 10 * SEC);
	root = truth(s);
	jobs = json_object_get(root, "jobs");
	assert_int_equal(json_array_size(jobs), sim_job_count(s));
	assert_true(json_array_size(jobs) >= 1);
	json_array_foreach(jobs, i, j)
	{
		assert_true(*text(j, "name") && *text(j, "phase"));
		assert_true(number(j, "ranks") > 0);
		assert_true(json_is_false(json_object_get(j, "stalled")));
	}
	json_decref(root);
	inject(s, "rank-dead:node000");
	sim_advance(s, 40 * SEC);
	root = truth(s);
	j = json_array_get(json_object_get(json_object_get(fault(root, 0), "victims"), "jobs"), 0);
	assert_non_null(j);
	json_decref(root);
	sim_free(s);
}

/* A file that is rewritten all the time stays small: of a large fabric only affected ports. */
CASE(test_is_bounded)
{
	struct sim *s = make("4k", true);
	json_t *root;
	char *full;

	inject(s, "link-down:leaf-r0-00:Ethernet128");
	inject(s, "cc-off:*");
	root = truth(s);
	assert_true(json_is_false(json_object_get(root, "ports_are_all")));
	assert_in_range(json_array_size(json_object_get(root, "ports")), 2, 512);
	assert_true(has(json_object_get(root, "ports"), "leaf-r0-00", "Ethernet128"));
	assert_true(json_array_size(json_object_get(fault(root, 1), "touches")) <= 64);
	assert_int_equal(number(fault(root, 1), "touched_ports"), 4000);
	json_decref(root);
	full = sim_truth_full(s);
	root = json_loads(full, 0, NULL);
	free(full);
	assert_true(json_is_true(json_object_get(root, "ports_are_all")));
	assert_true(json_array_size(json_object_get(root, "ports")) >= 24384);
	json_decref(root);
	sim_free(s);
}

CASES_MAIN(NULL, NULL)
