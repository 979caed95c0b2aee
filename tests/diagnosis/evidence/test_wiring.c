/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/evidence/wiring.h"
#include "tests/diagnosis/engine/small_fabric.h"
#include "tests/support/cases.h"

/* Carries the moves out: pulls before it plugs, never plugs into a port that has a cable, and in
 * the end every cable is where the plan wants it. */
static void carry_out(const struct model *m, const wiring_vec *v)
{
	uint32_t *at = mem_calloc(m->ports.n, sizeof(*at));

	for (size_t i = 0; i < m->ports.n; i++)
		at[i] = m->ports.at[i]->lldp_peer;
	for (size_t i = 0; i < v->n; i++)
		for (size_t k = 0; k < v->at[i].moves.n; k++)
			if (v->at[i].moves.at[k].parked)
				at[v->at[i].moves.at[k].from] = PORT_NONE;
	for (size_t i = 0; i < v->n; i++)
		for (size_t k = 0; k < v->at[i].moves.n; k++) {
			const struct cable_move *c = &v->at[i].moves.at[k];

			assert_int_equal(c->step, k + 1);
			if (!c->parked) {
				assert_int_equal(at[c->from], c->cable_at);
				at[c->from] = PORT_NONE;
			}
			assert_int_equal(at[c->to], PORT_NONE);
			at[c->to] = c->cable_at;
			at[c->cable_at] = c->to;
		}
	for (size_t i = 0; i < m->ports.n; i++)
		if (at[i] != PORT_NONE)
			assert_int_equal(at[i], m->ports.at[i]->plan_peer);
	free(at);
}

static wiring_vec check(const struct model *m)
{
	wiring_vec v = {0};

	wiring_check(m, &v);
	return v;
}

CASE(test_as_planned)
{
	struct model *m = small_fabric();
	wiring_vec v = check(m);

	assert_int_equal(v.n, 0);
	wiring_free(&v);
	model_free(m);
}

CASE(test_swap)
{
	struct model *m = small_fabric();
	wiring_vec v;

	small_cable(m, "node001", "mlx5_2", "leaf-r2", "Ethernet8");
	small_cable(m, "node002", "mlx5_2", "leaf-r2", "Ethernet4");
	v = check(m);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.at[0].kind, WIRING_SWAP);
	assert_string_equal(v.at[0].text, "node001 mlx5_2 and node002 mlx5_2 are swapped");
	assert_int_equal(v.at[0].moves.n, 2);
	assert_false(v.at[0].wrong_rail);
	/* One leaf to walk to, not two hosts. */
	assert_string_equal(
		model_dev_of(m, m->ports.at[v.at[0].moves.at[0].from])->name, "leaf-r2");
	carry_out(m, &v);
	wiring_free(&v);
	model_free(m);
}

static void rotate(struct model *m, const char *host, unsigned leaf_port, unsigned by)
{
	for (unsigned r = 0; r < 4; r++) {
		char nic[16], leaf[16], port[16];

		(void)str_printf(nic, sizeof(nic), "mlx5_%u", r);
		(void)str_printf(leaf, sizeof(leaf), "leaf-r%u", (r + by) % 4);
		(void)str_printf(port, sizeof(port), "Ethernet%u", leaf_port);
		small_cable(m, host, nic, leaf, port);
	}
}

CASE(test_rotated_host)
{
	for (unsigned by = 1; by < 4; by++) {
		struct model *m = small_fabric();
		wiring_vec v;

		rotate(m, "node003", 12, by);
		v = check(m);
		assert_int_equal(v.n, 1);
		assert_int_equal(v.at[0].kind, WIRING_ROTATION);
		assert_int_equal(v.at[0].rails, by);
		assert_true(v.at[0].wrong_rail);
		assert_int_equal(v.at[0].ports.n, 4);
		assert_int_equal(v.at[0].moves.n, 4);
		/* At the host: all four cables are within reach. */
		for (size_t i = 0; i < 4; i++)
			assert_string_equal(
				model_dev_of(m, m->ports.at[v.at[0].moves.at[i].to])->name,
				"node003");
		carry_out(m, &v);
		wiring_free(&v);
		model_free(m);
	}
}

CASE(test_cycle_over_tiers)
{
	struct model *m = small_fabric();
	wiring_vec v;

	/* On leaf-r0 the cable of a host and an uplink are in each other's port. */
	small_cable(m, "node000", "mlx5_0", "spine-0", "Ethernet1/1");
	small_cable(m, "leaf-r0", "Ethernet16", "leaf-r0", "Ethernet0");
	v = check(m);
	assert_int_equal(v.n, 1);
	assert_true(v.at[0].wrong_tier);
	assert_int_equal(v.at[0].moves.n, 2);
	carry_out(m, &v);
	wiring_free(&v);
	model_free(m);
}

CASE(test_chain_to_a_free_port)
{
	struct model *m = small_fabric();
	wiring_vec v;

	/* node003 is unplugged; the others have moved up by one port of leaf-r1. */
	small_cable(m, "node003", "mlx5_1", "", "");
	small_cable(m, "leaf-r1", "Ethernet0", "", "");
	small_cable(m, "node000", "mlx5_1", "leaf-r1", "Ethernet4");
	small_cable(m, "node001", "mlx5_1", "leaf-r1", "Ethernet8");
	small_cable(m, "node002", "mlx5_1", "leaf-r1", "Ethernet12");
	v = check(m);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.at[0].kind, WIRING_OTHER);
	assert_int_equal(v.at[0].moves.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_false(v.at[0].moves.at[i].parked);
	carry_out(m, &v);
	wiring_free(&v);
	model_free(m);
}

CASE(test_unplanned_port)
{
	struct model *m = small_fabric();
	struct obs *o = obs_new("leaf-r0", "fast");
	wiring_vec v;

	(void)obs_port(o, "Ethernet28");
	obs_word(o, 0, ATTR_OPER, 0, "up");
	model_apply(m, o, SMALL_NOW);
	obs_free(o);
	small_cable(m, "leaf-r0", "Ethernet0", "", "");
	small_cable(m, "node000", "mlx5_0", "leaf-r0", "Ethernet28");
	v = check(m);
	assert_int_equal(v.n, 1);
	assert_string_equal(v.at[0].text, "node000 mlx5_0 is in leaf-r0 Ethernet28: wrong port");
	assert_int_equal(v.at[0].moves.n, 1);
	carry_out(m, &v);
	wiring_free(&v);
	model_free(m);
}

CASE(test_neighbour_by_mac)
{
	struct model *m = small_fabric();
	struct port *a = small_port(m, "leaf-r2", "Ethernet4"),
		    *b = small_port(m, "leaf-r2", "Ethernet8");
	wiring_vec v;

	/* The hosts say nothing themselves and announce MACs that nobody knows. */
	small_uncable(m);
	string_pool_set(m->texts, &a->lldp_device, "node002.example.net");
	string_pool_set(m->texts, &a->lldp_port, "02:00:00:00:00:22");
	string_pool_set(m->texts, &b->lldp_device, "node001");
	string_pool_set(m->texts, &b->lldp_port, "02:00:00:00:00:12");
	m->links_dirty = true;
	model_links(m);
	v = check(m);
	assert_true(v.n >= 1);
	assert_int_equal(v.at[0].kind, WIRING_SWAP);
	assert_int_equal(v.at[0].moves.n, 2);
	wiring_free(&v);
	model_free(m);
}

CASE(test_unknown_neighbour)
{
	struct model *m = small_fabric();
	struct port *p = small_port(m, "leaf-r0", "Ethernet0");
	wiring_vec v;

	small_cable(m, "node000", "mlx5_0", "", "");
	string_pool_set(m->texts, &p->lldp_device, "stranger");
	string_pool_set(m->texts, &p->lldp_port, "eth7");
	m->links_dirty = true;
	model_links(m);
	v = check(m);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.at[0].moves.n, 0);
	assert_non_null(strstr(v.at[0].text, "stranger eth7"));
	wiring_free(&v);
	model_free(m);
}

CASE(test_stale_word_is_no_fault)
{
	struct model *m = small_fabric();
	struct port *p = small_port(m, "node000", "mlx5_0");
	wiring_vec v;

	/* The host has not been asked since its cable was put right; the leaf has. */
	string_pool_set(m->texts, &p->lldp_port, "Ethernet4");
	p->lldp_us = SMALL_NOW - 60 * CLOCK_SEC;
	m->links_dirty = true;
	model_links(m);
	v = check(m);
	assert_int_equal(v.n, 0);
	wiring_free(&v);
	model_free(m);
}

/* ---- findings ---- */

static const struct finding *only(const struct diag *d, enum finding_id id)
{
	size_t n, found = 0;
	const struct finding *const *f = diag_findings(d, &n), *one = NULL;

	for (size_t i = 0; i < n; i++)
		if (f[i]->id == id) {
			one = f[i];
			found++;
		}
	assert_true(found <= 1);
	return one;
}

static void judge(struct diag *d, const struct model *m, int64_t t)
{
	diag_note(d, m, 0, t);
	diag_run(d, m, t);
}

CASE(test_finding)
{
	struct model *m = small_fabric();
	struct diag *d = diag_new();
	const struct finding *f;
	unsigned moves = 0;

	rotate(m, "node003", 12, 1);
	judge(d, m, SMALL_NOW);
	f = only(d, FIND_WIRING_ROTATED);
	assert_non_null(f);
	assert_int_equal(f->at.kind, REF_DEVICE);
	for (size_t i = 0; i < f->evidence.n; i++)
		moves += str_eq(f->evidence.at[i].what, "cable move");
	assert_int_equal(moves, 4);
	assert_true(f->confidence > 0.7F);
	diag_free(d);
	model_free(m);
}

CASE(test_unproven_takes_its_time)
{
	struct model *m = small_fabric();
	struct diag *d = diag_new();

	small_cable(m, "leaf-r0", "Ethernet16", "", "");
	small_cable(m, "spine-0", "Ethernet1/1", "", "");
	judge(d, m, SMALL_NOW);
	assert_null(only(d, FIND_WIRING_UNPROVEN));
	for (int i = 1; i < 40; i++)
		judge(d, m, SMALL_NOW + i * 5 * CLOCK_SEC);
	assert_non_null(only(d, FIND_WIRING_UNPROVEN));
	assert_int_equal(only(d, FIND_WIRING_UNPROVEN)->role, ROLE_INFO);
	diag_free(d);
	model_free(m);
}

CASE(test_silent_host_is_proven_by_its_leaf)
{
	struct model *m = small_fabric();
	wiring_vec v;

	for (unsigned r = 0; r < 4; r++) {
		char nic[16];

		(void)str_printf(nic, sizeof(nic), "mlx5_%u", r);
		small_cable(m, "node000", nic, "", "");
	}
	v = check(m);
	assert_int_equal(v.n, 0);
	small_uncable(m);
	wiring_free(&v);
	v = check(m);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.at[0].kind, WIRING_NO_PROOF);
	assert_int_equal(v.at[0].ports.n, 0);
	wiring_free(&v);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
