/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/serve/topology_file.h"
#include "tests/support/cases.h"

/* The fabrics of topologies/: each can be built, carries its jobs, and takes faults that it can. */

#define START (INT64_C(1763726000) * CLOCK_SEC)

static const struct {
	const char *name;
	unsigned gpus, switches, uplinks; /* uplinks: of one leaf */
} shapes[] = {{"two-leaf-rail", 128, 20, 8}, {"rail-only", 256, 8, 0}, {"single-spine", 128, 9, 16},
	{"three-tier", 128, 28, 8}, {"breakout", 128, 12, 8}, {"dual-plane", 128, 20, 8},
	{"mixed-hosts", 128, 22, 8}, {"lag-pairs", 32, 10, 8}, {"two-nics", 64, 4, 2}};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct place {
	struct topology *topology;
	struct sim *sim;
};

static void open_shape(struct place *p, const char *name)
{
	struct sim_opts o = {.seed = 5, .start_us = START, .speed = 1};
	struct err err = {0};

	p->topology = topology_named(name, NULL, &err);
	if (!p->topology)
		fail_msg("%s: %s %s", name, err.origin, err.text);
	o.topology = p->topology;
	p->sim = sim_new(&o);
}

static void close_shape(struct place *p)
{
	sim_free(p->sim);
	topology_free(p->topology);
}

static unsigned ranks_of(const struct sim *s)
{
	struct sim_job_view job;
	unsigned n = 0;

	for (size_t i = 0; i < sim_job_count(s); i++) {
		sim_job(s, i, &job);
		n += job.nranks;
	}
	return n;
}

static unsigned uplinks_of(const struct sim_device *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->nports; i++)
		n += d->ports[i].peer && d->ports[i].peer->tier > d->tier;
	return n;
}

static void test_sizes(void **state)
{
	struct place p;
	struct sim_device *d;

	(void)state;
	for (size_t k = 0; k < SHAPES; k++) {
		unsigned switches = 0;

		open_shape(&p, shapes[k].name);
		assert_string_equal(p.topology->name, shapes[k].name);
		assert_int_equal(ranks_of(p.sim), shapes[k].gpus);
		for (size_t i = 0; (d = sim_device(p.sim, i)); i++) {
			switches += d->tier != TIER_HOST;
			if (d->tier == TIER_LEAF && d->net == NET_BACKEND)
				assert_int_equal(uplinks_of(d), shapes[k].uplinks);
		}
		assert_int_equal(switches, shapes[k].switches);
		close_shape(&p);
	}
}

/* Healthy: steps go on, nothing is lost, and every cabled port has carried bytes. */
static void test_carries_jobs(void **state)
{
	struct place p;
	struct sim_device *d;
	struct sim_job_view job;

	(void)state;
	for (size_t k = 0; k < SHAPES; k++) {
		open_shape(&p, shapes[k].name);
		sim_advance(p.sim, START + 50 * CLOCK_SEC);
		assert_int_equal(sim_job_count(p.sim), 2);
		for (size_t i = 0; i < 2; i++) {
			sim_job(p.sim, i, &job);
			assert_false(job.stalled);
			if (job.step < 15)
				fail_msg("%s: %s made %llu steps", shapes[k].name, job.name,
					(unsigned long long)job.step);
		}
		for (size_t i = 0; (d = sim_device(p.sim, i)); i++) {
			sim_live(p.sim, d);
			for (unsigned n = 0; n < d->nports; n++) {
				const struct sim_port *q = &d->ports[n];

				assert_int_equal(q->rx_discards + q->tx_discards, 0);
				if (d->tier == TIER_HOST && q->peer && q->net == NET_BACKEND &&
					!q->tx_bytes)
					fail_msg("%s: nothing left %s:%s", shapes[k].name, d->name,
						q->name);
			}
		}
		close_shape(&p);
	}
}

/* A NIC of two ports is one GPU, and sends by both to the same plane. */
static void test_two_ports_are_one_gpu(void **state)
{
	struct place p;
	struct sim_rank_view rank;
	struct sim_device *d;

	(void)state;
	open_shape(&p, "dual-plane");
	sim_rank(p.sim, 0, 1, &rank);
	assert_int_equal(rank.gpu, 1);
	assert_string_equal(rank.host->name, "node000");
	assert_string_equal(rank.nic->name, "eth2");
	assert_int_equal(rank.nic->plan_mbps, 200000);
	sim_advance(p.sim, START + 20 * CLOCK_SEC);
	d = sim_device_by_name(p.sim, "node000");
	sim_live(p.sim, d);
	assert_in_range(d->ports[2].tx_bytes, d->ports[3].tx_bytes / 100 * 95,
		d->ports[3].tx_bytes / 100 * 105);
	/* The planes meet nowhere: what a NIC port of plane 0 sends arrives in plane 0. */
	for (size_t i = 0; (d = sim_device(p.sim, i)); i++)
		for (unsigned n = 0; d->tier == TIER_LEAF && n < d->nports; n++)
			if (d->ports[n].peer && d->ports[n].peer->tier == TIER_HOST)
				assert_int_equal(d->ports[n].peer->port % 2,
					d->name[strlen(d->name) - 1] - '0');
	close_shape(&p);
}

static void refuses(struct sim *s, const char *spec, const char *text)
{
	struct err err = {0};

	assert_false(sim_fault(s, spec, &err));
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.text, text))
		fail_msg("%s: %s", spec, err.text);
}

/* Without the link of one slave all bytes of the bond go by the other, at its speed. */
static void test_a_bond_uses_its_other_slave(void **state)
{
	uint64_t down, up, rdma;
	struct err err = {0};
	struct sim_device *d;
	struct place p;

	(void)state;
	open_shape(&p, "mixed-hosts");
	d = sim_device_by_name(p.sim, "node001");
	assert_ptr_equal(d->ports[2].bond, &d->ports[3]);
	assert_ptr_equal(d->ports[16].bond, &d->ports[17]);
	assert_null(sim_device_by_name(p.sim, "node005")->ports[2].bond);
	assert_true(sim_fault(p.sim, "link-down:node001:eth3", &err));
	sim_advance(p.sim, START + 5 * CLOCK_SEC);
	sim_live(p.sim, d);
	down = d->ports[3].tx_bytes;
	up = d->ports[2].tx_bytes;
	rdma = d->ports[2].nic.rdma_tx_bytes;
	sim_advance(p.sim, START + 25 * CLOCK_SEC);
	sim_live(p.sim, d);
	assert_int_equal(d->ports[3].tx_bytes, down);
	/* At least a third of 200 Gb/s: jobs pause between their steps. */
	assert_true(d->ports[2].tx_bytes - up > UINT64_C(20) * 25000000000 / 3);
	assert_true(d->ports[2].nic.rdma_tx_bytes > rdma);
	close_shape(&p);
}

static void test_names_of_rdma_devices(void **state)
{
	struct err err = {0};
	struct place p;
	char name[24];

	(void)state;
	sim_rdma_name(NICS_BOND, 5, name);
	assert_string_equal(name, "mlx5_bond_2");
	sim_rdma_name(NICS_BNXT, 5, name);
	assert_string_equal(name, "bnxt_re5");
	open_shape(&p, "mixed-hosts");
	assert_true(sim_fault(p.sim, "link-down:node009:ionic_3", &err));
	refuses(p.sim, "link-down:node009:bnxt_re3", "has no port");
	close_shape(&p);
}

#define SECOND_HELD 0.2 /* of a second */
#define FULL_BYTES  500000U

static uint64_t paused_us(const struct sim_port *p, bool sent)
{
	return sent ? p->q[SIM_PRIO_ROCE].pfc_tx_us : p->q[SIM_PRIO_ROCE].pfc_rx_us;
}

/* Whether the switch pauses a peer; has_reason: one of its egresses is full, or paused. */
static bool pauses_a_peer(
	const struct sim_device *d, const uint64_t *sent, const uint64_t *got, bool *has_reason)
{
	bool pauses = false;

	*has_reason = false;
	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		pauses |= (double)(paused_us(p, true) - sent[i]) > SECOND_HELD * 1e6;
		*has_reason |= p->q[SIM_PRIO_ROCE].watermark_bytes > FULL_BYTES ||
			       (double)(paused_us(p, false) - got[i]) > SECOND_HELD * 1e6;
	}
	return pauses;
}

/*
 * A switch pauses its peers because the queue of an egress is full. A queue that is full sends at
 * line rate, or is paused in its turn.
 */
static void test_a_pause_has_a_reason(void **state)
{
	static const char *const names[] = {"two-leaf-rail", "three-tier", "breakout"};
	uint64_t sent[96], got[96];
	unsigned pausing = 0;
	struct err err = {0};
	struct sim_device *d;
	struct place p;

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		open_shape(&p, names[k]);
		assert_true(sim_fault(p.sim, "ecn-off:leaf-r0-00", &err));
		assert_true(sim_fault(p.sim, "incast:node004:mlx5_0,fanin=24", &err));
		for (size_t i = 0; (d = sim_device(p.sim, i)); i++) {
			bool has_reason;

			/* Each device in a second of its own: the faults stay the same. */
			sim_advance(p.sim, START + (int64_t)(10 + i) * CLOCK_SEC);
			sim_live(p.sim, d);
			assert_in_range(d->nports, 1, 96);
			for (unsigned n = 0; n < d->nports; n++) {
				sent[n] = paused_us(&d->ports[n], true);
				got[n] = paused_us(&d->ports[n], false);
			}
			sim_advance(p.sim, START + (int64_t)(11 + i) * CLOCK_SEC);
			sim_live(p.sim, d);
			if (d->tier == TIER_HOST || !pauses_a_peer(d, sent, got, &has_reason))
				continue;
			pausing++;
			if (!has_reason)
				fail_msg("%s: %s pauses for no reason", names[k], d->name);
		}
		close_shape(&p);
	}
	assert_true(pausing > 6);
}

static void assert_port(struct sim *s, const char *device, const char *port, const char *peer,
	const char *peer_port, unsigned mbps)
{
	struct sim_device *d = sim_device_by_name(s, device);

	assert_non_null(d);
	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (strcmp(p->name, port) != 0)
			continue;
		assert_non_null(p->peer);
		assert_string_equal(sim_device_of(s, p->peer)->name, peer);
		assert_string_equal(p->peer->name, peer_port);
		assert_int_equal(p->plan_mbps, mbps);
		assert_int_equal(p->peer->plan_mbps, mbps);
		return;
	}
	fail_msg("%s has no port %s", device, port);
}

static void test_parts_of_ports(void **state)
{
	struct place p;

	(void)state;
	open_shape(&p, "breakout");
	assert_port(p.sim, "leaf-r0-00", "Ethernet2", "node001", "eth0", 200000);
	assert_port(p.sim, "leaf-r5-00", "swp1s1", "node001", "eth5", 200000);
	assert_port(p.sim, "leaf-r5-00", "swp9", "spine-000", "Ethernet6/1", 400000);
	/* A port of which there are parts is no port of its own. */
	assert_int_equal(sim_device_by_name(p.sim, "leaf-r5-00")->nports, 16 + 8);
	assert_port(p.sim, "spine-000", "Ethernet1/5", "leaf-r0-00", "Ethernet36", 400000);
	close_shape(&p);
}

static void test_needs_spines(void **state)
{
	static const char *const specs[] = {"deadlock", "cbd-pressure", "polarisation",
		"polarisation:spine", "low-entropy", "uplinks-lost", "one-way", "bgp-down",
		"deadlock:leaf-r0-00", "uplinks-lost:leaf-r0-00"};
	struct err err = {0};
	struct place p;

	(void)state;
	open_shape(&p, "rail-only");
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		refuses(p.sim, specs[i], "needs links between switches, rail-only has none");
	refuses(p.sim, "link-down:leaf-r0-00:uplink0", "has no port \"uplink0\"");
	assert_true(sim_fault(p.sim, "incast,fanin=24", &err));
	assert_true(sim_fault(p.sim, "heavy-load", &err));
	sim_advance(p.sim, START + 5 * CLOCK_SEC);
	close_shape(&p);
	open_shape(&p, "single-spine");
	refuses(p.sim, "deadlock", "needs a leaf with two spines, single-spine has none");
	refuses(p.sim, "deadlock:leaf-r0-00", "shares no two spines");
	assert_true(sim_fault(p.sim, "polarisation", &err));
	close_shape(&p);
}

/* "uplink3" is the fourth uplink, whatever its name. */
static void test_uplink_by_number(void **state)
{
	struct err err = {0};
	struct place p;
	char *truth;

	(void)state;
	open_shape(&p, "breakout");
	assert_true(sim_fault(p.sim, "link-down:leaf-r5-00:uplink3", &err));
	sim_advance(p.sim, START + CLOCK_SEC);
	truth = sim_truth(p.sim);
	assert_non_null(strstr(truth, "\"port\": \"swp12\""));
	free(truth);
	close_shape(&p);
}

static void test_unknown_name(void **state)
{
	struct err err = {0};

	(void)state;
	assert_null(topology_named("tree", NULL, &err));
	assert_int_equal(err.code, ERR_USAGE);
	for (size_t i = 0; i < SHAPES; i++)
		assert_non_null(strstr(err.cure, shapes[i].name));
	assert_non_null(strstr(err.cure, "ref256"));
	assert_null(topology_named("../topologies/breakout", NULL, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_carries_jobs), cmocka_unit_test(test_two_ports_are_one_gpu),
		cmocka_unit_test(test_parts_of_ports), cmocka_unit_test(test_needs_spines),
		cmocka_unit_test(test_a_pause_has_a_reason),
		cmocka_unit_test(test_a_bond_uses_its_other_slave),
		cmocka_unit_test(test_names_of_rdma_devices),
		cmocka_unit_test(test_uplink_by_number), cmocka_unit_test(test_unknown_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
