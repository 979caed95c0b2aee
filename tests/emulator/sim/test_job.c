/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "emulator/sim/sim_internal.h"
#include "tests/support/cases.h"

/* The timing of jobs, and NCCL's reports of it; and when devices show their counters. */

static struct sim *make(const char *const *jobs)
{
	struct sim_opts o = {
		.sizing = sizing_preset("ref256"), .seed = 9, .start_us = 0, .speed = 1};
	struct sim *s = sim_new(&o);
	struct err err;

	if (jobs && !sim_set_jobs(s, jobs, &err))
		fail_msg("%s", err.text);
	return s;
}

static void at_ms(struct sim *s, int64_t ms)
{
	sim_advance(s, ms * CLOCK_MSEC);
}

static struct sim_port *port(struct sim *s, const char *device, unsigned n)
{
	struct sim_device *d = sim_device_by_name(s, device);

	assert_non_null(d);
	return &d->ports[n];
}

static double load(const struct sim *s, const struct sim_port *p)
{
	return sim_state(s, p)->rate[S_Q3_TX_BYTES] / (p->speed_mbps * 1e6 / 8);
}

static struct sim_job_view job(const struct sim *s, size_t i)
{
	struct sim_job_view v;

	sim_job(s, i, &v);
	return v;
}

static struct sim_rank_view rank(const struct sim *s, unsigned r)
{
	struct sim_rank_view v;

	sim_rank(s, 0, r, &v);
	return v;
}

/* The first instant in steps of 7 ms at which the job is in that phase. */
static int64_t find_phase(struct sim *s, int64_t from, const char *phase)
{
	for (int64_t t = from; t < from + 120000; t += 7) {
		at_ms(s, t);
		if (strcmp(job(s, 0).phase, phase) == 0)
			return t;
	}
	fail_msg("no phase %s", phase);
	return 0;
}

static const char *const one_ring[] = {
	"name=train,kind=ring,hosts=0-7,step=2s,gap=500ms,checkpoint=0", NULL};

CASE(test_a_step)
{
	struct sim *s = make(one_ring);
	uint64_t step;
	int64_t t;

	assert_int_equal(sim_job_count(s), 1);
	assert_int_equal(job(s, 0).nranks, 64);
	assert_int_equal(job(s, 0).gpus_per_host, 8);
	t = find_phase(s, 5000, "collective");
	assert_true(load(s, port(s, "node003", 0)) > 0.85);
	/* A host in no job sends nothing. */
	assert_true(load(s, port(s, "node008", 0)) == 0);
	step = job(s, 0).step;
	t = find_phase(s, t, "compute");
	assert_int_equal(job(s, 0).step, step + 1);
	assert_true(load(s, port(s, "node003", 0)) == 0);
	assert_false(job(s, 0).stalled);
	/* 500 ms of gap and 1.5 s of collective, give or take a twentieth. */
	at_ms(s, t + 20000);
	assert_true(job(s, 0).step >= step + 10 && job(s, 0).step <= step + 12);
	sim_free(s);
}

CASE(test_ranks_count)
{
	struct sim *s = make(one_ring);
	struct sim_rank_view a, b;
	uint64_t before;

	at_ms(s, 8000);
	before = rank(s, 13).counts[SIM_ALLREDUCE];
	at_ms(s, 20000);
	a = rank(s, 13);
	b = rank(s, 62);
	assert_true(a.counts[SIM_ALLREDUCE] > before + 200);
	assert_int_equal(a.counts[SIM_ALLREDUCE], b.counts[SIM_ALLREDUCE]);
	assert_int_equal(a.counts[SIM_BROADCAST], 0);
	assert_string_equal(a.host->name, "node001");
	assert_int_equal(a.gpu, 5);
	assert_ptr_equal(a.nic, port(s, "node001", 5));
	assert_true(a.coll == SIM_ALLREDUCE && a.coll_sn < a.counts[SIM_ALLREDUCE]);
	assert_true(a.ended_us > a.entered_us && a.ended_us <= sim_now(s));
	/* 1.5 s of nine tenths of 400G. */
	assert_true((double)a.bytes > 60e9 && (double)a.bytes < 75e9);
	assert_true(fabs((double)a.bytes / (double)(a.ended_us - a.entered_us) - 45e3) < 450);
	assert_int_not_equal(a.pid, b.pid);
	sim_free(s);
}

CASE(test_ring_goes_as_fast_as_its_slowest_edge)
{
	struct sim *s = make(one_ring);
	struct err err;
	int64_t t;

	assert_true(sim_fault(s, "low-speed:node004:mlx5_1,at=10ms", &err));
	t = find_phase(s, find_phase(s, 3000, "compute"), "collective");
	assert_true(fabs(load(s, port(s, "node002", 1)) - load(s, port(s, "node003", 1))) < 1e-6);
	/* Half a line is .5 of everybody's; the other rails are through sooner. */
	assert_true(load(s, port(s, "node002", 1)) > 0.45 && load(s, port(s, "node002", 1)) < 0.5);
	assert_true(load(s, port(s, "node002", 0)) > 0.85);
	at_ms(s, t + 2000);
	assert_string_equal(job(s, 0).phase, "collective");
	sim_free(s);
}

CASE(test_late_host)
{
	struct sim *s = make(one_ring);
	struct sim_rank_view late, other;
	struct err err;
	int64_t t;

	assert_true(sim_fault(s, "gpu-straggler:node003,delay=300ms,at=10ms", &err));
	t = find_phase(s, 4000, "waiting");
	late = rank(s, 3 * 8 + 2);
	other = rank(s, 4 * 8 + 2);
	assert_int_equal(late.counts[SIM_ALLREDUCE] + 1, other.counts[SIM_ALLREDUCE]);
	assert_true(load(s, port(s, "node004", 2)) == 0);
	for (size_t i = 0; i < s->nports; i++)
		assert_true(sim_state(s, &s->port[i])->hold == 0);
	at_ms(s, t + 310);
	assert_string_equal(job(s, 0).phase, "collective");
	at_ms(s, t + 2500);
	late = rank(s, 3 * 8 + 2);
	other = rank(s, 4 * 8 + 2);
	assert_int_equal(late.ended_us, other.ended_us);
	assert_true(late.entered_us - other.entered_us == 300 * CLOCK_MSEC);
	sim_free(s);
}

CASE(test_frozen_and_dead)
{
	static const char *const faults[] = {"rank-frozen:node003", "rank-dead:node003"};

	for (unsigned i = 0; i < 2; i++) {
		struct sim *s = make(one_ring);
		struct sim_rank_view gone, other;
		struct err err;
		uint64_t count;

		at_ms(s, 4000);
		assert_true(sim_inject(s, faults[i], NULL, &err));
		at_ms(s, 9000);
		gone = rank(s, 3 * 8);
		other = rank(s, 0);
		assert_true(gone.unresponsive == (i == 0) && gone.dead == (i == 1));
		assert_false(other.unresponsive || other.dead);
		assert_int_equal(gone.counts[SIM_ALLREDUCE] + 1, other.counts[SIM_ALLREDUCE]);
		count = other.counts[SIM_ALLREDUCE];
		for (size_t k = 0; k < s->nports; k++)
			assert_true(load(s, &s->port[k]) == 0);
		at_ms(s, 19000);
		assert_int_equal(rank(s, 0).counts[SIM_ALLREDUCE], count);
		assert_true(sim_heal(s, "all", NULL, &err));
		at_ms(s, 29000);
		assert_true(rank(s, 3 * 8).counts[SIM_ALLREDUCE] > count + 100);
		sim_free(s);
	}
}

CASE(test_storm_stalls_the_ring)
{
	static const char *const jobs[] = {
		"name=a,kind=ring,hosts=0-7", "name=b,kind=ring,hosts=8-15", NULL};
	struct sim *s = make(jobs);
	struct err err;
	uint64_t a, b;

	assert_true(sim_fault(s, "pfc-storm:node003:mlx5_0,at=5s,for=20s,watchdog=no", &err));
	at_ms(s, 9000);
	assert_true(job(s, 0).stalled && !job(s, 1).stalled);
	a = job(s, 0).step;
	b = job(s, 1).step;
	at_ms(s, 24000);
	assert_int_equal(job(s, 0).step, a);
	assert_true(job(s, 1).step > b + 5);
	at_ms(s, 40000);
	assert_false(job(s, 0).stalled);
	assert_true(job(s, 0).step > a + 4);
	sim_free(s);
}

CASE(test_checkpoint_is_a_short_incast)
{
	static const char *const jobs[] = {"kind=ring,hosts=0-30,checkpoint=10s", NULL};
	struct sim *s = make(jobs);
	int64_t t;

	t = find_phase(s, 3000, "checkpoint");
	assert_true(load(s, port(s, "node000", 0)->peer) > 0.9);
	assert_false(job(s, 0).stalled);
	assert_true(find_phase(s, t, "compute") < t + 5000);
	sim_free(s);
}

/* Where there is a storage network, checkpoints go there and leave the backend alone. */
CASE(test_checkpoint_goes_to_storage)
{
	static const char *const jobs[] = {"kind=ring,hosts=0-30,checkpoint=10s", NULL};
	struct topology *t = topology_of_sizing(sizing_preset("ref256"), NULL);
	struct sim_opts o = {.seed = 9, .start_us = 0, .speed = 1};
	double backend = 0, storage = 0;
	struct sim *s;
	struct err err;

	topology_add_networks(t, 1U << NET_STORAGE);
	o.topology = t;
	s = sim_new(&o);
	assert_true(sim_set_jobs(s, jobs, &err));
	(void)find_phase(s, 3000, "checkpoint");
	for (size_t i = 0; i < s->nports; i++) {
		const struct sim_port *p = &s->port[i];

		if (p->tier == TIER_HOST)
			*(p->net == NET_STORAGE ? &storage : &backend) += load(s, p);
	}
	assert_true(backend == 0 && storage > 0.5);
	assert_true(find_phase(s, 13000, "collective") > 0);
	assert_true(load(s, port(s, "node003", 0)) > 0.85);
	sim_free(s);
	topology_free(t);
}

CASE(test_kinds_run_in_turn)
{
	static const char *const jobs[] = {
		"name=x,kind=ring+alltoall+tree+pipeline,hosts=0-15,step=4s,gap=1s,qps=2", NULL};
	struct sim *s = make(jobs);
	double crossing = 0, local = 0;

	for (int64_t t = 3000; t < 12000; t += 37) {
		double up = 0;

		at_ms(s, t);
		for (unsigned k = 32; k < 64; k++)
			up += load(s, port(s, "leaf-r0-00", k));
		crossing += up > 1;
		local += up < 0.01 && load(s, port(s, "node005", 0)) > 0.2;
	}
	/* Only the all-to-all leaves the rail. */
	assert_true(crossing > 20 && local > 40);
	assert_true(rank(s, 0).counts[SIM_ALLREDUCE] > 0);
	assert_true(rank(s, 0).counts[SIM_ALLGATHER] > 0);
	assert_true(rank(s, 0).counts[SIM_BROADCAST] > 0);
	sim_free(s);
}

CASE(test_specs_are_checked)
{
	static const struct {
		const char *spec, *text, *cure;
	} bad[] = {
		{"hosts=0-7,kind=star", "kind=star", "ring, tree, alltoall, pipeline"},
		{"hosts=0-32", "hosts=0-32", "hosts=0-31"},
		{"hosts=", "hosts=", "hosts=0-31"},
		{"hosts=7-3", "hosts=7-3", "hosts=0-31"},
		{"hosts=0-3+2", "node002", "one job"},
		{"kind=ring", "no hosts", "hosts=0-7"},
		{"hosts=0-7,step=1s,gap=1s", "gap=", "gap and then"},
		{"hosts=0-7,step=soon", "step=soon", "2s"},
		{"hosts=0-7,qps=0", "qps=0", "qps=64"},
		{"hosts=0-7,colour=red", "\"colour\"", "checkpoint="},
		{"name=,hosts=0-7", "name=", "characters"},
	};
	struct sim *s = make(NULL);
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *const specs[] = {bad[i].spec, NULL};

		assert_false(sim_set_jobs(s, specs, &err));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.text, bad[i].text) || !strstr(err.cure, bad[i].cure))
			fail_msg("%s: \"%s\" (%s)", bad[i].spec, err.text, err.cure);
	}
	/* A refused spec changed nothing. */
	assert_int_equal(sim_job_count(s), 2);
	assert_string_equal(job(s, 0).name, "pretrain");
	at_ms(s, 3000);
	assert_true(job(s, 0).step >= 1);
	sim_free(s);
}

/* ---- the counters that devices show ---- */

CASE(test_counters_are_shown_as_of_the_last_refresh)
{
	struct sim *s = make(NULL), *often = make(NULL);
	struct sim_device *leaf = sim_device_by_name(s, "leaf-r1-00"), *truth;
	uint64_t seen = 0, value = 0;
	int64_t tick = -1;
	unsigned jumps = 0;

	assert_int_equal(leaf->platform->queue_us, 10 * CLOCK_SEC);
	truth = sim_device_by_name(often, "leaf-r1-00");
	for (int64_t t = 20000; t < 60000; t += 333) {
		const struct sim_port *p = &leaf->ports[3];

		sim_advance_device(s, leaf, t * CLOCK_MSEC);
		assert_true(p->counters_us <= sim_now(s));
		assert_true(p->counters_us > sim_now(s) - CLOCK_SEC);
		assert_true(p->queues_us > sim_now(s) - 10 * CLOCK_SEC);
		if (p->queues_us == tick) {
			assert_int_equal(p->q[3].tx_bytes, value);
			continue;
		}
		jumps++;
		tick = p->queues_us;
		assert_true(p->q[3].tx_bytes > value);
		value = p->q[3].tx_bytes;
		/* Exactly the hardware's value at the tick, even if a question came in between. */
		sim_advance_device(often, truth, tick);
		sim_live(often, truth);
		assert_int_equal(truth->ports[3].q[3].tx_bytes, value);
		seen++;
	}
	assert_true(jumps >= 4 && jumps <= 5 && seen == jumps);
	sim_free(s);
	sim_free(often);
}

CASE(test_clear_shows_at_once)
{
	struct sim *s = make(NULL);
	struct sim_device *leaf = sim_device_by_name(s, "leaf-r1-00");

	at_ms(s, 31234);
	assert_true(leaf->ports[3].q[3].tx_bytes > 0 && leaf->ports[3].fec_corrected > 0);
	sim_clear_counters(s, leaf, NULL);
	sim_advance_device(s, leaf, 31234 * CLOCK_MSEC);
	assert_int_equal(leaf->ports[3].q[3].tx_bytes, 0);
	assert_int_equal(leaf->ports[3].rx_bytes, 0);
	assert_int_equal(leaf->ports[3].fec_corrected, 0);
	at_ms(s, 45000);
	assert_true(leaf->ports[3].q[3].tx_bytes > 0);
	assert_true(leaf->ports[3].fec_corrected > 0);
	sim_free(s);
}

/* Faults, jobs, BGP and watchdogs: nothing depends on the times of the questions. */
CASE(test_polls_change_nothing)
{
	static const char *const faults[] = {"pfc-storm:node003:mlx5_0,at=5s,for=9s",
		"link-flap:leaf-r2-00:Ethernet160,at=3s", "gpu-straggler:node030,at=2s",
		"weak-optic:node006:mlx5_1,at=1s", "reboot:leaf-r4-00,at=12s"};
	struct sim *a = make(NULL), *b = make(NULL);
	struct err err;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		assert_true(sim_fault(a, faults[i], &err) && sim_fault(b, faults[i], &err));
	for (int64_t t = 0; t < 40000; t += 731)
		sim_advance_device(a, sim_device(a, (size_t)t % 40), t * CLOCK_MSEC + t);
	at_ms(a, 40000);
	at_ms(b, 40000);
	for (size_t i = 0; i < a->nports; i++) {
		const struct sim_port *p = &a->port[i], *q = &b->port[i];

		assert_int_equal(p->rx_bytes, q->rx_bytes);
		assert_memory_equal(p->q, q->q, offsetof(struct sim_queue, depth_bytes));
		assert_int_equal(p->q[3].pfc_rx_us, q->q[3].pfc_rx_us);
		assert_int_equal(p->q[3].wd_drops, q->q[3].wd_drops);
		assert_int_equal(p->fec_corrected, q->fec_corrected);
		assert_memory_equal(&p->nic, &q->nic, sizeof(p->nic));
		assert_int_equal(p->carrier_down, q->carrier_down);
	}
	assert_int_equal(job(a, 0).step, job(b, 0).step);
	sim_free(a);
	sim_free(b);
}

/* A job ends and another begins; the third goes on in the middle of its collective. */
CASE(test_jobs_come_and_go)
{
	static const char *const first[] = {
		"name=a,hosts=0-7,checkpoint=0", "name=b,hosts=8-15,checkpoint=0", NULL};
	static const char *const then[] = {
		"name=c,hosts=8-19,kind=tree", "name=a,hosts=0-7,checkpoint=0", NULL};
	struct sim *s = make(first), *alone = make(first);
	struct sim_job_view was;
	struct err err;

	at_ms(s, 9100);
	at_ms(alone, 9100);
	was = job(s, 0);
	assert_string_equal(was.phase, "collective");
	assert_true(sim_set_jobs(s, then, &err));
	assert_int_equal(sim_job_count(s), 2);
	assert_string_equal(job(s, 1).name, "a");
	assert_int_equal(job(s, 1).comm, was.comm);
	assert_int_equal(job(s, 1).step, was.step);
	assert_string_equal(job(s, 1).phase, "collective");
	assert_int_equal(job(s, 0).step, 0);
	assert_int_equal(job(s, 0).id, 1002);
	assert_int_not_equal(job(s, 0).comm, job(alone, 1).comm);
	at_ms(s, 40000);
	at_ms(alone, 40000);
	assert_in_range(job(s, 1).step, job(alone, 0).step - 1, job(alone, 0).step + 1);
	assert_true(job(s, 0).step > 10);
	/* What b used and c does not is idle. */
	assert_true(load(s, port(s, "node019", 0)) + load(s, port(s, "node012", 0)) > 0);
	at_ms(s, 41000);
	for (int64_t t = 41000; t < 43000; t += 100) {
		at_ms(s, t);
		assert_true(load(s, port(s, "node025", 0)) < 0.001);
	}
	sim_free(s);
	sim_free(alone);
}

CASES_MAIN(NULL, NULL)
