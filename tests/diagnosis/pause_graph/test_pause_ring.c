/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

/*
 * Four switches of one tier in a ring (sw0 to sw1 ... to sw0), a host on each: no up and down, so
 * that every way may be taken. Port "cw" of a switch leads clockwise, "ccw" back, "host" to its
 * host's NIC.
 */
#define SWITCHES 4
#define T0       (INT64_C(1700000000) * 1000000)

struct ring {
	struct model *m;
	struct diag *d;
	double held_cw[SWITCHES], held_host[SWITCHES];   /* share */
	double load_cw[SWITCHES], load_host[SWITCHES];   /* share of 400G */
	double depth_cw[SWITCHES], depth_host[SWITCHES]; /* bytes */
	unsigned polls;
};

static int setup(void **state)
{
	struct ring *r = mem_calloc(1, sizeof(*r));
	struct plan plan;
	char name[16];

	plan_init(&plan);
	plan.lossless.priorities = 1U << 3;
	for (unsigned i = 0; i < SWITCHES; i++) {
		(void)snprintf(name, sizeof(name), "sw%u", i);
		(void)plan_make_device(&plan, name, TIER_LEAF, -1);
	}
	for (unsigned i = 0; i < SWITCHES; i++) {
		(void)snprintf(name, sizeof(name), "node%u", i);
		(void)plan_make_device(&plan, name, TIER_HOST, -1);
		plan_make_link(&plan, i, "cw", (i + 1) % SWITCHES, "ccw", -1);
		plan_make_link(&plan, i, "host", SWITCHES + i, "mlx5_0", -1);
	}
	r->m = model_new(&plan);
	plan_free(&plan);
	r->d = diag_new();
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct ring *r = *state;

	diag_free(r->d);
	model_free(r->m);
	free(r);
	return 0;
}

static void say(
	struct obs *o, const char *port, double seconds, double held, double load, double depth)
{
	uint32_t at = obs_port(o, port);

	obs_word(o, at, ATTR_OPER, 0, "up");
	obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, at, CTR_TX_BYTES, 0, (uint64_t)(seconds * load * 50e9));
	obs_count(o, at, CTR_RX_BYTES, 0, (uint64_t)(seconds * 1e9));
	obs_count(o, at, CTR_PFC_RX_DURATION_US, 3, (uint64_t)(seconds * held * 1e6));
	obs_gauge(o, at, CTR_QUEUE_DEPTH_BYTES, 3, depth);
}

static void poll_ring(struct ring *r, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		double seconds = 5.0 * r->polls;
		int64_t now = T0 + (int64_t)r->polls++ * 5000000;

		for (unsigned i = 0; i < SWITCHES; i++) {
			char name[16];
			struct obs *o;

			(void)snprintf(name, sizeof(name), "sw%u", i);
			o = obs_new(name, "fast");
			o->received_us = now;
			say(o, "cw", seconds, r->held_cw[i], r->load_cw[i], r->depth_cw[i]);
			say(o, "ccw", seconds, 0, 0.01, 0);
			say(o, "host", seconds, r->held_host[i], r->load_host[i], r->depth_host[i]);
			model_apply(r->m, o, now);
			diag_note(r->d, r->m, model_device(r->m, name)->id, now);
			obs_free(o);
		}
		diag_run(r->d, r->m, now);
	}
}

static const struct finding *find(const struct ring *r, enum finding_id id)
{
	size_t n;
	const struct finding *const *f = diag_findings(r->d, &n);

	for (size_t i = 0; i < n; i++)
		if (f[i]->id == id)
			return f[i];
	return NULL;
}

static const struct finding *first(const struct ring *r)
{
	size_t n;
	const struct finding *const *f = diag_findings(r->d, &n);

	return n ? f[0] : NULL;
}

static void hold_all(struct ring *r, double held, double load)
{
	for (unsigned i = 0; i < SWITCHES; i++) {
		r->held_cw[i] = held;
		r->load_cw[i] = load;
		r->depth_cw[i] = 3e6;
	}
}

CASE_WITH(test_deadlock_of_the_whole_ring, setup, teardown)
{
	struct ring *r = *state;
	const struct finding *f;

	hold_all(r, 1, 0);
	poll_ring(r, 5);
	f = find(r, FIND_DEADLOCK);
	assert_non_null(f);
	assert_ptr_equal(f, first(r));
	assert_int_equal(f->members.n, SWITCHES);
	assert_null(find(r, FIND_PFC_CYCLE));
}

CASE_WITH(test_pressure_with_a_full_egress_beside, setup, teardown)
{
	struct ring *r = *state;
	const struct finding *f;

	hold_all(r, 0.5, 0.4);
	r->load_host[2] = 1;
	r->depth_host[2] = 2e6;
	poll_ring(r, 5);
	f = find(r, FIND_PFC_CYCLE);
	assert_non_null(f);
	assert_int_equal(f->members.n, SWITCHES);
	assert_int_equal(f->severity, SEV_CRIT);
	if (f != first(r))
		fail_msg("%s (%g, %g) before the cycle (%g, %g)", first(r)->title,
			(double)first(r)->rank, (double)first(r)->confidence, (double)f->rank,
			(double)f->confidence);
	assert_null(find(r, FIND_DEADLOCK));
}

CASE_WITH(test_storm_beside_the_ring_is_no_cycle, setup, teardown)
{
	struct ring *r = *state;

	/* Pauses spread back from sw3's NIC to sw1 and end there. */
	r->held_host[3] = 1;
	r->depth_host[3] = 2e6;
	for (unsigned i = 1; i < 3; i++) {
		r->held_cw[i] = 0.9;
		r->load_cw[i] = 0.05;
		r->depth_cw[i] = 2e6;
	}
	poll_ring(r, 5);
	assert_non_null(find(r, FIND_PFC_STORM));
	assert_ptr_equal(find(r, FIND_PFC_STORM), first(r));
	assert_null(find(r, FIND_PFC_CYCLE));
	assert_null(find(r, FIND_DEADLOCK));
}

CASE_WITH(test_deadlock_outlives_what_set_it_off, setup, teardown)
{
	struct ring *r = *state;

	hold_all(r, 1, 0);
	r->held_host[1] = 1;
	r->depth_host[1] = 2e6;
	poll_ring(r, 5);
	/* Both: the NIC's storm, and the ring that it has closed. */
	assert_non_null(find(r, FIND_PFC_STORM));
	assert_non_null(find(r, FIND_DEADLOCK));
	r->held_host[1] = 0;
	r->depth_host[1] = 0;
	poll_ring(r, 8);
	assert_null(find(r, FIND_PFC_STORM));
	assert_non_null(find(r, FIND_DEADLOCK));
	assert_ptr_equal(find(r, FIND_DEADLOCK), first(r));
}

CASES_MAIN(NULL, NULL)
