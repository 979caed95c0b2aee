/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "diagnosis/trace/trace.h"
#include "tests/diagnosis/engine/ring.h"
#include "tests/diagnosis/engine/wisher.h"
#include "tests/support/cases.h"

static int setup(void **state)
{
	struct stand *s = stand_new();

	wisher_setup(s);
	wisher_job(s, 8); /* node000 to node003 */
	stand_poll(s, 3);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	stand_free(*state);
	return 0;
}

static struct ref rank(int32_t r)
{
	return (struct ref){.kind = REF_RANK, .comm = 0, .rank = r};
}

static struct ref port(const struct stand *s, const char *name)
{
	return at_port(stand_port(s, name));
}

static struct trace trace(const struct stand *s, struct ref from)
{
	struct trace t = {0};
	struct err err = {0};

	if (!trace_from(s->d, s->m, from, s->now_us, &t, &err))
		fail_msg("%s", err.text);
	return t;
}

static const struct hop *hop(const struct trace *t, enum hop_step step)
{
	for (size_t i = 0; i < t->chain.n; i++)
		if (t->chain.at[i].step == step)
			return &t->chain.at[i];
	fail_msg("no hop %s", hop_step_name(step));
	return NULL;
}

static const struct hop *culprit(const struct trace *t)
{
	const struct hop *found = NULL;

	for (size_t i = 0; i < t->chain.n; i++)
		if (t->chain.at[i].state == HOP_CULPRIT) {
			assert_null(found);
			found = &t->chain.at[i];
		}
	assert_non_null(found);
	return found;
}

CASE_WITH(test_nothing_wrong, setup, teardown)
{
	static const enum hop_step steps[] = {HOP_RANK, HOP_GPU, HOP_NIC, HOP_HOST_PORT,
		HOP_LEAF_PORT, HOP_UPLINK, HOP_SPINE_PORT};
	struct stand *s = *state;
	struct trace t = trace(s, rank(3));

	assert_int_equal(t.chain.n, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(t.chain.at[i].step, steps[i]);
		assert_int_equal(t.chain.at[i].state, HOP_OK);
	}
	assert_int_equal(t.rank, 3);
	assert_int_equal(t.finding, 0);
	assert_int_equal(t.id, FIND_COUNT);
	assert_int_equal(t.verdict, VERDICT_UNKNOWN);
	assert_string_equal(hop(&t, HOP_UPLINK)->why, "ECMP over 4 uplinks, all ok");
	assert_string_equal(hop(&t, HOP_RANK)->learned, "nccl-ras");
	assert_string_equal(hop(&t, HOP_LEAF_PORT)->learned, "lldp");
	assert_true(ref_eq(hop(&t, HOP_LEAF_PORT)->at, port(s, "leaf-r1-00:Ethernet4")));
	assert_string_equal(
		t.summary, "rank 3 (node001 mlx5_1): no problem on its path to the spines");
	trace_free(&t);
}

/* A host is that of its job's ranks and NICs, not of a port that comes first by its name. */
CASE_WITH(test_a_host_without_a_fault_is_traced_from_its_rank, setup, teardown)
{
	struct stand *s = *state;
	struct trace t = trace(s, at_device(stand_device(s, "node001")));

	assert_int_equal(t.rank, 2);
	assert_int_equal(t.chain.n, 7);
	assert_string_equal(
		t.summary, "rank 2 (node001 mlx5_0): no problem on its path to the spines");
	trace_free(&t);
	/* Without a job the first of its rails is taken, and the trace says so. */
	t = trace(s, at_device(stand_device(s, "node007")));
	assert_int_equal(t.rank, -1);
	assert_string_equal(hop(&t, HOP_NIC)->learned, "first NIC");
	assert_true(ref_eq(hop(&t, HOP_NIC)->at, port(s, "node007:mlx5_0")));
	trace_free(&t);
}

CASE_WITH(test_fault_at_a_hop, setup, teardown)
{
	struct stand *s = *state;
	struct wished *w = wisher_wish(s, FIND_LINK_FLAPPING, port(s, "node001:mlx5_1"), 100);
	struct trace t;

	w->refuted = (struct refuted){FIND_PFC_STORM, port(s, "node001:mlx5_1"), "no pause"};
	stand_poll(s, 3);
	t = trace(s, rank(3));
	assert_int_equal(culprit(&t)->step, HOP_HOST_PORT);
	assert_int_equal(t.id, FIND_LINK_FLAPPING);
	assert_int_equal(t.verdict, VERDICT_NETWORK);
	assert_true(t.confidence > 0.7);
	assert_int_equal(t.alternatives.n, 1);
	assert_int_equal(t.alternatives.at[0].id, FIND_PFC_STORM);
	assert_string_equal(t.alternatives.at[0].why, "no pause");
	assert_non_null(strstr(t.summary, "node001 mlx5_1"));
	trace_free(&t);
	/* The same from the leaf's side, from the host, and by rank through the job. */
	t = trace(s, port(s, "leaf-r1-00:Ethernet4"));
	assert_int_equal(t.rank, 3);
	assert_int_equal(t.id, FIND_LINK_FLAPPING);
	trace_free(&t);
	t = trace(s, at_device(stand_device(s, "node001")));
	assert_int_equal(t.rank, 3);
	trace_free(&t);
	t = trace(s, (struct ref){.kind = REF_JOB, .job = 0});
	assert_int_equal(t.rank, 3);
	trace_free(&t);
}

CASE_WITH(test_uplink_with_the_finding, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	(void)wisher_wish(s, FIND_LINK_CORRUPTING, port(s, "spine-002:Ethernet3/1"), 100);
	stand_poll(s, 3);
	t = trace(s, rank(3));
	assert_true(ref_eq(hop(&t, HOP_UPLINK)->at, port(s, "leaf-r1-00:Ethernet24")));
	assert_int_equal(culprit(&t)->step, HOP_SPINE_PORT);
	trace_free(&t);
	t = trace(s, port(s, "spine-002:Ethernet3/1"));
	assert_int_equal(t.chain.n, 2);
	assert_int_equal(culprit(&t)->step, HOP_SPINE_PORT);
	trace_free(&t);
	/* Another rail has nothing to do with it but through the job. */
	t = trace(s, rank(2));
	assert_string_equal(hop(&t, HOP_UPLINK)->why, "ECMP over 4 uplinks, all ok");
	trace_free(&t);
}

CASE_WITH(test_along_the_pauses, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;
	size_t last;

	stand_hold(s, "leaf-r0-01:Ethernet12", 99);
	stand_hold(s, "spine-002:Ethernet2/1", 60);
	stand_hold(s, "leaf-r0-00:Ethernet24", 40);
	stand_hold(s, "node000:mlx5_0", 30);
	(void)wisher_wish(s, FIND_PFC_STORM, port(s, "node007:mlx5_0"), 100);
	stand_poll(s, 3);
	t = trace(s, rank(0));
	last = t.chain.n - 1;
	assert_int_equal(hop(&t, HOP_HOST_PORT)->state, HOP_VICTIM);
	assert_true(ref_eq(hop(&t, HOP_UPLINK)->at, port(s, "leaf-r0-00:Ethernet24")));
	assert_true(ref_eq(t.chain.at[last].at, port(s, "node007:mlx5_0")));
	assert_int_equal(t.chain.at[last].state, HOP_CULPRIT);
	assert_true(ref_eq(t.chain.at[last - 1].at, port(s, "leaf-r0-01:Ethernet12")));
	assert_true(ref_eq(t.chain.at[last - 2].at, port(s, "spine-002:Ethernet2/1")));
	assert_int_equal(t.verdict, VERDICT_NETWORK);
	assert_non_null(strstr(t.summary, "is affected by"));
	trace_free(&t);
}

CASE_WITH(test_gpu, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	(void)wisher_wish(s, FIND_NCCL_STRAGGLER, rank(5), 100);
	stand_poll(s, 3);
	t = trace(s, rank(5));
	assert_int_equal(culprit(&t)->step, HOP_RANK);
	assert_int_equal(t.verdict, VERDICT_GPU);
	trace_free(&t);
	/* Rank 0 waits for it: its own way is clean, and it is not blamed. */
	t = trace(s, rank(0));
	assert_true(ref_eq(culprit(&t)->at, rank(5)));
	assert_int_equal(t.chain.at[0].state, HOP_VICTIM);
	assert_non_null(strstr(t.chain.at[0].why, "waits"));
	assert_int_equal(t.chain.at[0].finding, 0);
	assert_non_null(strstr(t.summary, "waits for"));
	trace_free(&t);
	/* The job's trace starts at the late rank. */
	t = trace(s, (struct ref){.kind = REF_JOB, .job = 0});
	assert_int_equal(t.rank, 5);
	trace_free(&t);
}

/* The late rank's host has a GPU without its links: NVLink, not the fabric. */
CASE_WITH(test_late_by_nvlink, setup, teardown)
{
	struct stand *s = *state;
	const struct rank *late = ref_rank(s->m, rank(5));
	const struct finding *f;
	const char *host;
	struct trace t;

	assert_non_null(late);
	host = model_device_at(s->m, late->host)->name;
	(void)wisher_wish(s, FIND_NVLINK_DOWN, at_device(late->host), 50);
	(void)wisher_wish(s, FIND_NCCL_STRAGGLER, rank(5), 100);
	stand_poll(s, 3);
	f = stand_found(s, "nvlink.down", host);
	assert_non_null(f);
	t = trace(s, rank(5));
	assert_int_equal(culprit(&t)->step, HOP_GPU);
	assert_int_equal(culprit(&t)->at.device, late->host);
	assert_true(t.finding == f->key);
	assert_int_equal(t.verdict, VERDICT_GPU);
	assert_non_null(strstr(t.summary, "NVLink, not the fabric"));
	trace_free(&t);
	/* The straggler follows from it, and the job's verdict is not the network. */
	assert_int_equal(diag_verdict(s->d)->verdict, VERDICT_GPU);
	assert_true(diag_verdict(s->d)->culprit == f->key);
}

CASE_WITH(test_processes_of_a_host, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	wisher_wish(s, FIND_NCCL_INCOMPLETE, at_device(stand_device(s, "node002")), 100)->member =
		rank(4);
	stand_poll(s, 3);
	t = trace(s, rank(0));
	assert_int_equal(culprit(&t)->step, HOP_RANK);
	assert_true(ref_eq(culprit(&t)->at, rank(4)));
	assert_int_equal(t.verdict, VERDICT_GPU);
	trace_free(&t);
	t = trace(s, (struct ref){.kind = REF_JOB, .job = 0});
	assert_int_equal(t.rank, 4);
	assert_int_equal(culprit(&t)->step, HOP_RANK);
	trace_free(&t);
}

/* Its communicator was let go to make room for another one, and the finding still names its rank.
 */
CASE_WITH(test_rank_of_a_forgotten_communicator, setup, teardown)
{
	struct stand *s = *state;
	struct comm *c = s->m->nccl->comms.at[0], kept = *c;
	struct trace t;

	wisher_wish(s, FIND_NCCL_INCOMPLETE, at_device(stand_device(s, "node002")), 100)->member =
		rank(4);
	stand_poll(s, 3);
	*c = (struct comm){.job = kept.job, .gone = true};
	t = trace(s, at_device(stand_device(s, "node002")));
	assert_true(t.chain.n > 0);
	for (size_t i = 0; i < t.chain.n; i++)
		assert_true(t.chain.at[i].at.kind != REF_RANK ||
			    t.chain.at[i].state == HOP_CULPRIT ||
			    t.chain.at[i].state == HOP_UNKNOWN);
	trace_free(&t);
	*c = kept;
}

/*
 * A host with a late process: the finding is about its rank, not the NIC that it names as a member.
 */
CASE_WITH(test_behind_is_no_fault_of_the_nic, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	wisher_wish(s, FIND_NCCL_MISMATCH, at_device(stand_device(s, "node002")), 100)->member =
		port(s, "node002:mlx5_1");
	stand_poll(s, 3);
	t = trace(s, rank(5));
	assert_int_equal(culprit(&t)->step, HOP_RANK);
	assert_true(ref_eq(culprit(&t)->at, rank(5)));
	assert_int_equal(hop(&t, HOP_NIC)->state, HOP_OK);
	assert_int_equal(hop(&t, HOP_HOST_PORT)->state, HOP_OK);
	assert_int_equal(t.verdict, VERDICT_GPU);
	trace_free(&t);
	/* The other process of that host waits as all do. */
	t = trace(s, rank(4));
	assert_int_equal(t.chain.at[0].state, HOP_VICTIM);
	assert_int_equal(t.id, FIND_NCCL_MISMATCH);
	trace_free(&t);
}

/* A link elsewhere slows all ranks alike: it does not put one of them behind the others. */
CASE_WITH(test_behind_beside_a_far_link, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	(void)wisher_wish(s, FIND_LINK_CORRUPTING, port(s, "spine-002:Ethernet1/1"), 1000);
	(void)wisher_wish(s, FIND_NCCL_MISMATCH, rank(4), 50);
	stand_poll(s, 3);
	t = trace(s, rank(4));
	assert_int_equal(culprit(&t)->step, HOP_RANK);
	assert_int_equal(t.id, FIND_NCCL_MISMATCH);
	assert_int_equal(t.verdict, VERDICT_GPU);
	trace_free(&t);
}

/* A symptom at the rank itself is told at the rank. */
CASE_WITH(test_follower_is_a_victim, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	(void)wisher_wish(s, FIND_LINK_FLAPPING, port(s, "node003:mlx5_0"), 100);
	wisher_wish(s, FIND_NCCL_SLOW_EDGE, rank(3), 50)->role = ROLE_SYMPTOM;
	stand_poll(s, 3);
	t = trace(s, rank(3));
	assert_int_equal(hop(&t, HOP_RANK)->state, HOP_VICTIM);
	assert_true(hop(&t, HOP_RANK)->finding != 0);
	assert_int_equal(t.id, FIND_LINK_FLAPPING);
	assert_int_equal(t.verdict, VERDICT_NETWORK);
	trace_free(&t);
}

/* All that a hop shows has its place: a number of at most twelve columns, and where it was learnt.
 */
CASE_WITH(test_numbers_are_short, setup, teardown)
{
	static const double held[] = {0, 5, 99, 100};
	struct stand *s = *state;

	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		struct trace t;

		stand_hold(s, "node001:mlx5_1", held[i]);
		stand_poll(s, 3);
		t = trace(s, rank(3));
		for (size_t k = 0; k < t.chain.n; k++) {
			if (!*t.chain.at[k].number || strlen(t.chain.at[k].number) > 12)
				fail_msg("%s \"%s\"", hop_step_name(t.chain.at[k].step),
					t.chain.at[k].number);
			assert_true(*t.chain.at[k].learned != '\0');
		}
		trace_free(&t);
	}
}

/* Refuted hypotheses have no confidence, and say why; a share that rounds to 0 % is none. */
CASE_WITH(test_refuted_is_not_zero, setup, teardown)
{
	struct stand *s = *state;
	struct wished *w = wisher_wish(s, FIND_LINK_FLAPPING, port(s, "node001:mlx5_1"), 100);
	struct trace t;

	w->refuted = (struct refuted){FIND_PFC_STORM, port(s, "node001:mlx5_1"), "no pause"};
	stand_poll(s, 3);
	t = trace(s, rank(3));
	assert_int_equal(t.alternatives.n, 1);
	assert_true(isnan(t.alternatives.at[0].confidence));
	assert_int_equal(t.alternatives.at[0].finding, 0);
	trace_free(&t);
}

CASE_WITH(test_one_of_many_alike, setup, teardown)
{
	static const char *const ports[] = {"spine-000:Ethernet2/1", "spine-001:Ethernet2/1"};
	struct stand *s = *state;
	struct trace t;

	(void)wisher_wish(s, FIND_LINK_FLAPPING, port(s, "node000:mlx5_0"), 1000);
	for (size_t i = 0; i < 2; i++)
		wisher_wish(s, FIND_LINK_CORRUPTING, port(s, ports[i]), 10)->victim =
			port(s, "node001:mlx5_0");
	stand_poll(s, 3);
	t = trace(s, rank(0));
	assert_int_equal(t.id, FIND_LINK_FLAPPING);
	assert_int_equal(t.alternatives.n, 1);
	assert_int_equal(t.alternatives.at[0].id, FIND_LINK_CORRUPTING);
	trace_free(&t);
}

CASE_WITH(test_near_fault_before_far_one, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	(void)wisher_wish(s, FIND_NCCL_STRAGGLER, rank(5), 1000);
	(void)wisher_wish(s, FIND_LINK_SPEED, port(s, "node000:mlx5_0"), 100);
	stand_poll(s, 3);
	t = trace(s, rank(0));
	assert_int_equal(t.id, FIND_LINK_SPEED);
	assert_int_equal(t.alternatives.n, 1);
	assert_int_equal(t.alternatives.at[0].id, FIND_NCCL_STRAGGLER);
	trace_free(&t);
}

CASE_WITH(test_unknown_is_said, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	stand_silent(s, "leaf-r0-00", true);
	stand_poll(s, 6);
	t = trace(s, rank(0));
	assert_int_equal(hop(&t, HOP_LEAF_PORT)->state, HOP_UNKNOWN);
	assert_int_equal(hop(&t, HOP_UPLINK)->state, HOP_UNKNOWN);
	assert_non_null(strstr(t.summary, "not seen"));
	trace_free(&t);
}

CASE_WITH(test_link_down_without_a_finding, setup, teardown)
{
	struct stand *s = *state;
	struct trace t;

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 3);
	t = trace(s, rank(0));
	assert_int_equal(hop(&t, HOP_LEAF_PORT)->state, HOP_SUSPECT);
	assert_string_equal(hop(&t, HOP_LEAF_PORT)->number, "down");
	assert_string_equal(t.summary, "rank 0 (node000 mlx5_0): 3 suspect hops on its path");
	trace_free(&t);
}

CASE(test_slow_edge_without_a_fault)
{
	struct stand *s = stand_new();
	struct ring r;
	struct trace t;

	wisher_setup(s);
	stand_poll(s, 3);
	r = ring_make(s);
	ring_play(&r, 10);
	r.slow[0][1] = 4; /* node001 to node002 */
	ring_play(&r, 5);
	stand_poll(s, 1);
	t = trace(s, port(s, "node001:mlx5_0"));
	assert_int_equal(hop(&t, HOP_HOST_PORT)->state, HOP_SUSPECT);
	assert_int_equal(t.verdict, VERDICT_NETWORK);
	assert_int_equal(t.finding, 0);
	assert_true(t.confidence > 0.2 && t.confidence < 0.7);
	assert_non_null(strstr(t.summary, "no fault is seen there"));
	trace_free(&t);
	stand_free(s);
}

/*
 * The job's operations go on as ever: traffic takes other paths around the fault between switches.
 */
CASE(test_job_that_waits_for_nothing)
{
	struct stand *s = stand_new();
	struct ring r;
	struct trace t;

	wisher_setup(s);
	stand_poll(s, 3);
	r = ring_make(s);
	ring_play(&r, 10);
	(void)wisher_wish(s, FIND_LINK_FLAPPING, port(s, "leaf-r0-00:Ethernet24"), 100);
	stand_poll(s, 3);
	t = trace(s, (struct ref){.kind = REF_RANK, .comm = 0, .rank = 0});
	assert_int_equal(t.finding, 0);
	assert_int_equal(t.id, FIND_COUNT);
	assert_int_equal(t.verdict, VERDICT_UNKNOWN);
	/* It is not called a way without trouble. */
	assert_int_equal(hop(&t, HOP_UPLINK)->state, HOP_SUSPECT);
	assert_non_null(strstr(t.summary, "its job waits for nothing; 1 suspect hop on its path"));
	trace_free(&t);
	/* Its own NIC it cannot go around. */
	(void)wisher_wish(s, FIND_LINK_FLAPPING, port(s, "node001:mlx5_0"), 100);
	stand_poll(s, 3);
	t = trace(s, (struct ref){.kind = REF_RANK, .comm = 0, .rank = 0});
	assert_int_equal(t.id, FIND_LINK_FLAPPING);
	assert_true(ref_eq(t.culprit, port(s, "node001:mlx5_0")));
	trace_free(&t);
	stand_free(s);
}

/* However well the job goes, the way is no better known than its hops. */
CASE_WITH(test_unseen_hops_are_counted, setup, teardown)
{
	struct stand *s = stand_new();
	struct ring r;
	struct trace t;

	wisher_setup(s);
	stand_poll(s, 3);
	r = ring_make(s);
	stand_silent(s, "leaf-r0-00", true);
	ring_play(&r, 10);
	stand_poll(s, 5);
	t = trace(s, (struct ref){.kind = REF_RANK, .comm = 0, .rank = 0});
	assert_int_equal(hop(&t, HOP_LEAF_PORT)->state, HOP_UNKNOWN);
	assert_non_null(strstr(t.summary, "waits for nothing: its job and the rest of its path"));
	assert_non_null(strstr(t.summary, "hops not seen"));
	trace_free(&t);
	stand_free(s);
}

CASE_WITH(test_what_cannot_be_traced, setup, teardown)
{
	struct stand *s = *state;
	const struct ref from[] = {{.kind = REF_NONE}, {.kind = REF_RAIL}, {.kind = REF_FABRIC},
		{.kind = REF_RANK, .comm = 7, .rank = 0}, {.kind = REF_RANK, .comm = 0, .rank = 99},
		{.kind = REF_JOB, .job = 9}, {.kind = REF_PORT, .port = 99999},
		{.kind = REF_FINDING, .seq = 12345}};

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		struct trace t = {0};
		struct err err = {0};

		assert_false(trace_from(s->d, s->m, from[i], s->now_us, &t, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(*err.cure != '\0');
		trace_free(&t);
	}
}

CASES_MAIN(NULL, NULL)
