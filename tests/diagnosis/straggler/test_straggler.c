/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that are late by themselves, slow edges, and ranks that merely wait: on operations of two
 * rings.
 */
#include <math.h>
#include <string.h>

#include "diagnosis/straggler/edge_votes.h"
#include "diagnosis/straggler/straggler.h"
#include "tests/diagnosis/engine/ring.h"
#include "tests/support/cases.h"

static straggler_vec find(const struct ring *r)
{
	straggler_vec v = {0};

	for (uint32_t i = 0; i < r->s->m->nccl->comms.n; i++)
		straggler_find(r->s->m, i, r->s->now_us, &v);
	return v;
}

/* All that is found is of the kind and about these ranks, in both rings or in one. */
static void expect(const struct ring *r, enum straggler_kind kind, unsigned ranks, size_t count)
{
	straggler_vec v = find(r);

	for (size_t i = 0; i < v.n; i++) {
		if (v.at[i].kind != kind || v.at[i].rank < 0 || !(ranks >> v.at[i].rank & 1))
			fail_msg("kind %d, rank %d", v.at[i].kind, v.at[i].rank);
	}
	assert_int_equal(v.n, count);
	vec_free(&v);
}

CASE_WITH(even_rings_are_innocent, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 20);
	expect(&r, STRAGGLER_LATE, 0, 0);
}

CASE_WITH(own_gap_makes_a_rank_late, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	straggler_vec v;

	ring_play(&r, 10);
	r.gap[3] += 4000;
	ring_play(&r, 6);
	expect(&r, STRAGGLER_LATE, 1 << 3, 2);
	v = find(&r);
	assert_true(v.at[0].us > 3500 && v.at[0].us < 4500);
	assert_true(v.at[0].ratio > 2.5 && v.at[0].z > 6);
	assert_true(v.at[0].ops >= 3);
	vec_free(&v);
	/* It is over when the newest operations do not show it any more. */
	r.gap[3] = RING_GAP;
	ring_play(&r, 2);
	expect(&r, STRAGGLER_LATE, 0, 0);
}

CASE_WITH(once_is_no_straggler, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 10);
	r.gap[0] += 500000; /* writes a checkpoint */
	ring_play(&r, 1);
	r.gap[0] = RING_GAP;
	expect(&r, STRAGGLER_LATE, 0, 0);
	ring_play(&r, 3);
	expect(&r, STRAGGLER_LATE, 0, 0);
}

CASE_WITH(who_left_late_enters_late_without_guilt, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 10);
	for (int i = 0; i < 6; i++) {
		r.exit_late[5] = 4000; /* held by the network at the end of each */
		ring_play(&r, 1);
	}
	expect(&r, STRAGGLER_LATE, 0, 0);
}

CASE_WITH(a_small_gap_is_below_the_share, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 10);
	r.gap[3] += 0.2 * RING_US;
	ring_play(&r, 8);
	expect(&r, STRAGGLER_LATE, 0, 0);
}

CASE_WITH(a_slow_step_is_an_edge_not_a_rank, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	straggler_vec v;

	ring_play(&r, 10);
	r.slow[1][2] = 3;
	ring_play(&r, 5);
	expect(&r, STRAGGLER_EDGE, 1 << 2, 1);
	v = find(&r);
	assert_int_equal(v.at[0].peer, 3);
	assert_true(v.at[0].ratio > 2.9 && v.at[0].ratio < 3.1);
	vec_free(&v);
}

/* Each rank sends to all others: what is slow is the rank, and the way to no peer is. */
CASE_WITH(a_slow_step_to_all_is_no_edge, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	struct edge_votes votes;
	straggler_vec v;

	r.func = "AlltoAll";
	ring_play(&r, 10);
	r.slow[1][2] = 3;
	ring_play(&r, 5);
	expect(&r, STRAGGLER_EDGE, 1 << 2, 1);
	v = find(&r);
	assert_int_equal(v.at[0].peer, -1);
	edge_votes_take(&votes, r.s->m, 0, &v);
	assert_int_equal(votes.links.n, 1);
	assert_int_equal(votes.links.at[0].port, stand_port(r.s, "node002:mlx5_1"));
	edge_votes_free(&votes);
	vec_free(&v);
}

CASE_WITH(an_edge_below_the_ratio_is_normal, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	r.slow[1][2] = 1.4;
	ring_play(&r, 12);
	expect(&r, STRAGGLER_EDGE, 0, 0);
}

CASE_WITH(when_all_edges_are_slow_none_is, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 10);
	for (int i = 0; i < RING_RANKS; i++)
		r.slow[0][i] = r.slow[1][i] = 3;
	ring_play(&r, 8);
	expect(&r, STRAGGLER_EDGE, 0, 0);
}

CASE_WITH(a_backlog_after_a_late_peer_is_not_the_link, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 10);
	r.backlog = true;
	r.gap[3] += 6000;
	ring_play(&r, 8);
	expect(&r, STRAGGLER_LATE, 1 << 3, 2);
}

CASE_WITH(of_times_alone_the_shortest_is_late, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	r.times_only = r.no_edges = true;
	ring_play(&r, 10);
	expect(&r, STRAGGLER_LATE, 0, 0);
	r.gap[6] += 50000;
	ring_play(&r, 4);
	expect(&r, STRAGGLER_LATE, 1 << 6, 2);
}

CASE_WITH(the_first_operations_prove_nothing, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	r.gap[3] += 90000;
	ring_play(&r, 3);
	expect(&r, STRAGGLER_LATE, 0, 0);
}

/* ---- counts ---- */

static void skip_seconds(struct ring *r, unsigned s)
{
	r->s->now_us += (int64_t)s * 1000000;
}

CASE_WITH(behind_is_two_and_a_minority, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t one[] = {640, 640, 639, 640, 640, 641, 640, 640};
	int64_t two[] = {650, 650, 649, 633, 650, 651, 650, 650};
	int64_t ahead[] = {660, 660, 660, 660, 660, 670, 660, 660};
	straggler_vec v;

	ring_ras(&r, one, NULL);
	skip_seconds(&r, 40);
	expect(&r, STRAGGLER_BEHIND, 0, 0);
	ring_ras(&r, two, NULL);
	expect(&r, STRAGGLER_BEHIND, 1 << 3, 1);
	v = find(&r);
	assert_int_equal(v.at[0].ops, 17);
	assert_int_equal(v.at[0].usual, 650);
	vec_free(&v);
	skip_seconds(&r, 10);
	ring_ras(&r, ahead, NULL);
	expect(&r, STRAGGLER_BEHIND, 0, 0);
	assert_int_equal(straggler_counts(r.s->m->nccl->comms.at[0], 0).ahead, 1);
}

CASE_WITH(all_equal_and_nothing_grows_is_stuck, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];
	straggler_vec v;

	for (int64_t k = 0; k < 6; k++) {
		for (int i = 0; i < RING_RANKS; i++)
			n[i] = 100 + 10 * k;
		ring_ras(&r, n, NULL);
		skip_seconds(&r, 10);
	}
	ring_ras(&r, n, NULL);
	expect(&r, STRAGGLER_STUCK, 0, 0);
	skip_seconds(&r, 30);
	ring_ras(&r, n, NULL);
	v = find(&r);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.at[0].kind, STRAGGLER_STUCK);
	assert_true(v.at[0].us >= 39e6);
	vec_free(&v);
	/* Another rank is behind: that is the reason. */
	n[4] -= 3;
	ring_ras(&r, n, NULL);
	skip_seconds(&r, 5);
	n[4] += 1;
	ring_ras(&r, n, NULL);
	v = find(&r);
	for (size_t i = 0; i < v.n; i++)
		assert_int_not_equal(v.at[i].kind, STRAGGLER_STUCK);
	vec_free(&v);
}

CASE_WITH(a_source_that_is_silent_shows_no_hang, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	ring_play(&r, 20);
	skip_seconds(&r, 600);
	expect(&r, STRAGGLER_STUCK, 0, 0);
}

CASE_WITH(missing_ranks_are_named, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS] = {5, 5, 5, 5, 5, 5, 5, 5};
	enum nccl_state s[RING_RANKS];

	for (int i = 0; i < RING_RANKS; i++)
		s[i] = NCCL_RUNNING;
	s[2] = NCCL_DEAD;
	s[6] = NCCL_UNRESPONSIVE;
	n[2] = n[6] = -1;
	ring_ras(&r, n, s);
	expect(&r, STRAGGLER_MISSING, 1 << 2 | 1 << 6, 2);
}

/* ---- the common element ---- */

CASE_WITH(the_common_element_is_the_most_particular, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	const struct model *m = r.s->m;
	static const int32_t one[] = {5}, leaf[] = {0, 1, 2, 3}, some[] = {0, 5};
	double share;
	struct ref at;

	ring_play(&r, 4);
	at = straggler_common(m, 0, one, 1, &share);
	assert_int_equal(at.kind, REF_PORT);
	assert_int_equal(at.port, stand_port(r.s, "node005:mlx5_0"));
	at = straggler_common(m, 0, leaf, 4, &share);
	assert_int_equal(at.kind, REF_DEVICE);
	assert_int_equal(at.device, stand_device(r.s, "leaf-r0-00"));
	assert_true(share > 0.99);
	at = straggler_common(m, 0, some, 2, &share);
	assert_int_equal(at.kind, REF_NONE);
	at = straggler_common(m, 0, some, 0, &share);
	assert_int_equal(at.kind, REF_NONE);
}

CASE_WITH(normal_edges_clear_the_links_that_they_share, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	straggler_vec v;
	struct edge_votes votes;
	uint32_t job;

	ring_play(&r, 10);
	r.slow[0][1] = 4; /* node001 to node002, within leaf-r0-00 */
	ring_play(&r, 5);
	v = find(&r);
	assert_non_null(nccl_job(r.s->m->nccl, "train", &job));
	edge_votes_take(&votes, r.s->m, job, &v);
	assert_int_equal(votes.slow, 1);
	assert_int_equal(votes.normal, 15);
	/* NIC of node001 and the leaf's port to node002: nothing else goes through them. */
	assert_int_equal(votes.links.n, 2);
	for (size_t i = 0; i < 2; i++) {
		uint32_t p = votes.links.at[i].port;

		assert_true(p == stand_port(r.s, "node001:mlx5_0") ||
			    p == stand_port(r.s, "leaf-r0-00:Ethernet8"));
		assert_true(votes.links.at[i].score > 0);
	}
	edge_votes_free(&votes);
	vec_free(&v);
}

CASE_WITH(an_edge_between_leaves_suspects_its_ecmp_members, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	straggler_vec v;
	struct edge_votes votes;
	const struct edge_vote *up;
	uint32_t job;

	r.slow[0][3] = 4; /* node003 to node004: over the spines */
	ring_play(&r, 12);
	v = find(&r);
	assert_non_null(nccl_job(r.s->m->nccl, "train", &job));
	edge_votes_take(&votes, r.s->m, job, &v);
	up = edge_vote_of(&votes, stand_port(r.s, "leaf-r0-00:Ethernet16"));
	assert_non_null(up);
	assert_true(fabs((double)up->slow - 0.25) < 1e-6);
	assert_non_null(edge_vote_of(&votes, stand_port(r.s, "spine-003:Ethernet2/1")));
	assert_null(edge_vote_of(&votes, stand_port(r.s, "leaf-r0-01:Ethernet16")));
	assert_null(edge_vote_of(&votes, stand_port(r.s, "leaf-r1-00:Ethernet16")));
	edge_votes_free(&votes);
	vec_free(&v);
}

CASES_MAIN(NULL, NULL)
