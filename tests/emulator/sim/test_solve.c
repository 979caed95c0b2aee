/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "emulator/sim/sim_internal.h"
#include "tests/support/cases.h"

/* The steady state of congestion control and PFC: ref256, one leaf a rail, node N at its port N. */

static struct sim *make(bool steady)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 3,
		.start_us = 0,
		.speed = 1,
		.steady = steady};

	return sim_new(&o);
}

static struct sim_port *port(struct sim *s, const char *device, unsigned n)
{
	struct sim_device *d = sim_device_by_name(s, device);

	assert_non_null(d);
	assert_true(n < d->nports);
	return &d->ports[n];
}

static void at_ms(struct sim *s, int64_t ms)
{
	sim_advance(s, ms * CLOCK_MSEC);
	for (size_t i = 0; i < sim_device_count(s); i++)
		sim_live(s, sim_device(s, i));
}

/* Share of time that p is held by its peer, now. */
static double held(const struct sim *s, const struct sim_port *p)
{
	return sim_state(s, p)->rate[S_Q3_PFC_RX_US] / 1e6;
}

static double rate(const struct sim *s, const struct sim_port *p, enum slot slot)
{
	return sim_state(s, p)->rate[slot];
}

static double load(const struct sim *s, const struct sim_port *p)
{
	return rate(s, p, S_Q3_TX_BYTES) / (p->speed_mbps * 1e6 / 8);
}

/* Ports of switches that are held more than share; of_leaf: spine egresses towards that leaf. */
static unsigned held_ports(struct sim *s, double share, const char *of_leaf)
{
	const struct sim_device *leaf = of_leaf ? sim_device_by_name(s, of_leaf) : NULL;
	unsigned n = 0;

	for (size_t i = 0; i < s->nports; i++) {
		const struct sim_port *p = &s->port[i];

		if (p->tier == TIER_HOST || !p->peer || held(s, p) <= share)
			continue;
		n += !leaf || (p->tier == TIER_SPINE && sim_device_of(s, p->peer) == leaf);
	}
	return n;
}

/* An incast of `n` NICs of other rails on one of node000's, each at `share` of its line. */
static void incast(struct sim *s, unsigned n, double share, bool rdma)
{
	for (unsigned i = 0; i < n; i++)
		(void)sim_flow_add(s, &s->device[1 + i % 31].ports[1 + i % 7],
			port(s, "node000", 0), share, rdma);
	sim_changed(s);
}

static void idle(struct sim *s)
{
	struct err err;
	const char *const none[] = {NULL};

	assert_true(sim_set_jobs(s, none, &err));
	assert_int_equal(sim_job_count(s), 0);
}

/* ---- invariants of any state ---- */

static void check_conserves(struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++) {
		const struct sim_port *a = &s->port[i], *b = a->peer;
		const struct sim_queue *q = &a->q[3], *r;

		if (!b)
			continue;
		r = &b->q[3];
		assert_int_equal(a->tx_bytes, b->rx_bytes);
		assert_int_equal(a->tx_packets, b->rx_packets);
		for (unsigned k = 0; k < 8; k++) {
			assert_int_equal(a->q[k].tx_bytes, b->q[k].rx_bytes);
			assert_int_equal(a->q[k].tx_packets, b->q[k].rx_packets);
		}
		assert_int_equal(q->pfc_tx_frames, r->pfc_rx_frames);
		assert_int_equal(q->pfc_tx_us, r->pfc_rx_us);
		assert_true(q->pfc_rx_us <= (uint64_t)s->now);
		if (a->up)
			assert_true(a->tx_bytes_ps <= a->speed_mbps * 1e6 / 8 * 1.0001);
		for (unsigned k = 0; k < SLOT_COUNT; k++)
			assert_true(sim_state(s, a)->rate[k] >= 0 &&
				    isfinite(sim_state(s, a)->rate[k]));
	}
}

/* A switch sends on all that it receives, or drops it where its counters say so. */
static void check_switches(struct sim *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		const struct sim_device *d = &s->device[i];
		double in = 0, out = 0;

		for (unsigned k = 0; d->tier != TIER_HOST && k < d->nports; k++) {
			const struct sim_port *p = &d->ports[k];

			in += rate(s, p, S_Q3_RX_BYTES) + rate(s, p, S_Q6_RX_BYTES);
			out += rate(s, p, S_Q3_TX_BYTES) + rate(s, p, S_Q6_TX_BYTES);
			out += 4166 * (rate(s, p, S_Q3_DROPS) + rate(s, p, S_Q3_PG_DROPS) +
					      rate(s, p, S_RX_FCS));
		}
		assert_true(fabs(in - out) <= 1e-6 * in + 1);
	}
}

static void check_ends(struct sim *s)
{
	double tx = 0, rx = 0, lost = 0, nak = 0, seq = 0, cnp = 0, acted = 0;

	for (size_t i = 0; i < s->nports; i++) {
		const struct sim_port *p = &s->port[i];

		lost += rate(s, p, S_Q3_DROPS) + rate(s, p, S_Q3_PG_DROPS) + rate(s, p, S_RX_FCS) +
			rate(s, p, S_Q0_DROPS);
		tx += rate(s, p, S_RDMA_TX_PACKETS);
		rx += rate(s, p, S_RDMA_RX_PACKETS);
		nak += rate(s, p, S_OUT_OF_SEQUENCE);
		seq += rate(s, p, S_PACKET_SEQ_ERR);
		cnp += rate(s, p, S_CNP_SENT);
		acted += rate(s, p, S_CNP_HANDLED) + rate(s, p, S_CNP_IGNORED);
	}
	assert_true(fabs(tx - rx - lost) <= 1e-6 * tx + 1);
	assert_true(fabs(nak - seq) <= 1e-6 * nak + 1e-3);
	assert_true(fabs(cnp - acted) <= 1e-6 * cnp + 1e-3);
}

CASE(test_conserves_in_every_state)
{
	static const char *const faults[] = {"slow-receiver:node005:mlx5_2",
		"incast:node005:mlx5_2", "pfc-storm:node005:mlx5_2,watchdog=no",
		"pfc-storm:node005:mlx5_2", "corrupt:leaf-r2-00:Ethernet160,loss=1e-3",
		"wrong-dscp:node005:mlx5_2", "cc-off:node005:mlx5_2,fanin=24",
		"ecn-off:leaf-r2-00:Ethernet20,fanin=24", "pfc-off:leaf-r2-00:Ethernet160,fanin=24",
		"deaf-nic:node005:mlx5_2", "mixed-traffic:node005:mlx5_2", "deadlock:leaf-r2-00",
		"low-speed:leaf-r2-00:Ethernet160", "link-flap:leaf-r2-00:Ethernet160",
		"watchdog-misfire:leaf-r2-00:Ethernet20", "pcie-degraded:node005:mlx5_2",
		"polarisation", "low-entropy", "one-way:leaf-r2-00:Ethernet160",
		"rank-dead:node005"};

	for (size_t i = 0; i < 2 * sizeof(faults) / sizeof(faults[0]); i++) {
		struct sim *s = make(i % 2);
		struct err err;

		if (!sim_inject(s, faults[i / 2], NULL, &err))
			fail_msg("%s: %s", faults[i / 2], err.text);
		for (int64_t t = 1; t < 9000; t += 613) {
			at_ms(s, t);
			check_conserves(s);
			check_switches(s);
			check_ends(s);
		}
		sim_free(s);
	}
}

/* ---- slow receivers ---- */

CASE(test_slow_receiver)
{
	struct sim *s = make(false);
	struct sim_port *nic = port(s, "node005", 2);
	double least = 1, most = 0, upstream = 0;
	struct err err;

	assert_true(sim_fault(s, "slow-receiver:node005:mlx5_2,rate=70%,at=1s", &err));
	for (int64_t t = 1200; t < 12000; t += 211) {
		at_ms(s, t);
		assert_true(load(s, nic->peer) <= 0.7);
		if (load(s, nic->peer) > 0.6) {
			least = fmin(least, held(s, nic->peer));
			most = fmax(most, held(s, nic->peer));
			/* The mark, not the pause, slows the senders. */
			assert_true(rate(s, nic, S_CNP_SENT) > 0);
			assert_true(rate(s, nic, S_PASSED_THRES) > 0);
		}
		upstream = fmax(upstream, held_ports(s, 0.01, NULL));
	}
	assert_true(least > 0.25 && most < 0.35);
	assert_true(upstream <= 1);
	sim_free(s);
}

CASE(test_pcie_is_slow_both_ways)
{
	struct sim *s = make(true);
	struct sim_port *nic = port(s, "node005", 2);
	struct err err;

	assert_true(sim_inject(s, "pcie-degraded:node005:mlx5_2,rate=31%", NULL, &err));
	at_ms(s, 100);
	assert_true(load(s, nic) < 0.311 && load(s, nic->peer) < 0.311);
	assert_int_equal(nic->nic.pcie_width, 4);
	assert_true(nic->nic.pci_stalled_percent > 0);
	assert_true(held(s, nic->peer) > 0.5);
	sim_free(s);
}

CASE(test_slow_receiver_without_pfc_drops)
{
	struct sim *s = make(true);
	struct sim_port *nic = port(s, "node005", 2);
	struct sim_port_config c = nic->config;
	struct err err;

	c.pfc_mask = 0;
	sim_configure(s, nic, &c, "noc");
	assert_true(sim_inject(s, "slow-receiver:node005:mlx5_2,rate=30%", NULL, &err));
	at_ms(s, 100);
	assert_true(held(s, nic->peer) == 0 && load(s, nic->peer) > 0.5);
	assert_true(rate(s, nic, S_RX_DISCARDS) > 1e5);
	assert_true(rate(s, nic, S_OUT_OF_SEQUENCE) > 0);
	assert_true(rate(s, nic, S_RDMA_RX_BYTES) < 0.301 * 50e9);
	sim_free(s);
}

/* ---- storms ---- */

CASE(test_unguarded_storm_spreads)
{
	struct sim *s = make(true);
	struct sim_port *nic = port(s, "node017", 3);
	struct err err;

	at_ms(s, 1000);
	assert_int_equal(held_ports(s, 0, NULL), 0);
	assert_true(sim_inject(s, "pfc-storm:node017:mlx5_3,watchdog=no", NULL, &err));
	at_ms(s, 9000);
	assert_true(held(s, nic->peer) > 0.99);
	assert_int_equal(nic->peer->q[3].wd_detected, 0);
	assert_true(load(s, nic->peer) < 0.006);
	assert_true(nic->peer->q[3].depth_bytes > 1000000);
	assert_true(rate(s, nic->peer, S_Q3_ECN) == 0);
	/* A tree rooted at the leaf: spines towards it, and NICs that send to it. */
	assert_true(held_ports(s, 0.6, "leaf-r3-00") >= 8);
	assert_true(held(s, port(s, "node016", 3)) > 0.6);
	assert_true(rate(s, nic, S_STORM_ERROR) > 0);
	sim_free(s);
}

CASE(test_watchdog_cleans_the_fabric)
{
	struct sim *s = make(true);
	struct sim_port *leaf = port(s, "node017", 3)->peer;
	struct sim_device *d;
	struct err err;
	uint64_t logged;

	at_ms(s, 1000);
	d = sim_device_of(s, leaf);
	logged = d->logged;
	assert_true(sim_inject(s, "pfc-storm:node017:mlx5_3", NULL, &err));
	at_ms(s, 1150);
	assert_true(held_ports(s, 0.6, NULL) > 8);
	at_ms(s, 1250);
	assert_int_equal(leaf->q[3].wd_detected, 1);
	assert_int_equal(d->logged, logged + 1);
	assert_int_equal(d->log[logged % SIM_LOG_KEPT].kind, SIM_LOG_STORM_DETECTED);
	/* The NIC goes on; nobody else is held any more. */
	assert_true(held(s, leaf) > 0.99);
	assert_int_equal(held_ports(s, 0.01, NULL), 1);
	assert_true(rate(s, leaf, S_Q3_WD_DROPS) > 0 && rate(s, leaf, S_TX_DISCARDS) > 0);
	assert_true(rate(s, port(s, "node016", 3), S_ACK_TIMEOUT) > 0);
	sim_free(s);
}

/* An operator stops the watchdog and starts it again: the storm is detected again. */
CASE(test_watchdog_is_switched_off_and_on)
{
	struct sim *s = make(true);
	struct sim_port *leaf = port(s, "node017", 3)->peer;
	struct sim_port_config c;
	struct err err;

	assert_true(sim_inject(s, "pfc-storm:node017:mlx5_3", NULL, &err));
	at_ms(s, 1000);
	assert_true(leaf->q[3].wd_stormed);
	c = leaf->config;
	c.wd_mask = 0;
	sim_configure(s, leaf, &c, "noc");
	at_ms(s, 3000);
	assert_false(leaf->q[3].wd_stormed);
	assert_int_equal(leaf->q[3].wd_detected, 1);
	assert_true(held_ports(s, 0.6, NULL) > 8);
	c.wd_mask = 1U << 3;
	c.wd_detect_ms = 400;
	sim_configure(s, leaf, &c, "noc");
	at_ms(s, 3390);
	assert_int_equal(leaf->q[3].wd_detected, 1);
	at_ms(s, 3410);
	assert_int_equal(leaf->q[3].wd_detected, 2);
	assert_int_equal(held_ports(s, 0.01, NULL), 1);
	sim_free(s);
}

CASE(test_watchdog_actions)
{
	struct sim *s = make(true);
	struct sim_port *leaf = port(s, "node017", 3)->peer;
	struct sim_port_config c = leaf->config;
	struct err err;

	c.wd_action = SIM_WD_FORWARD;
	sim_configure(s, leaf, &c, "noc");
	assert_true(sim_inject(s, "pfc-storm:node017:mlx5_3", NULL, &err));
	at_ms(s, 1000);
	assert_int_equal(leaf->q[3].wd_detected, 1);
	assert_true(load(s, leaf) > 0.4 && rate(s, leaf, S_Q3_WD_DROPS) == 0);
	sim_free(s);
	s = make(true);
	leaf = port(s, "node017", 3)->peer;
	c.wd_action = SIM_WD_ALERT;
	sim_configure(s, leaf, &c, "noc");
	assert_true(sim_inject(s, "pfc-storm:node017:mlx5_3", NULL, &err));
	at_ms(s, 1000);
	assert_int_equal(leaf->q[3].wd_detected, 1);
	assert_true(load(s, leaf) < 0.01 && held_ports(s, 0.6, NULL) > 8);
	sim_free(s);
}

CASE(test_big_red_switch)
{
	struct sim *s = make(true);
	struct sim_device *d = sim_device_by_name(s, "leaf-r3-00");
	struct sim_device_config c = d->config;

	c.wd_big_red = true;
	sim_configure_device(s, d, &c, "noc");
	at_ms(s, 100);
	for (unsigned k = 0; k < d->nports; k++) {
		assert_true(load(s, &d->ports[k]) == 0);
		assert_true(rate(s, &d->ports[k], S_Q0_TX_BYTES) > 0);
	}
	assert_true(rate(s, port(s, "node003", 3)->peer, S_Q3_DROPS) > 0);
	assert_true(load(s, port(s, "node003", 4)->peer) > 0.1);
	sim_free(s);
}

/* ---- incast, and the senders that should slow down ---- */

CASE(test_incast_bursts)
{
	struct sim *s = make(true);
	struct sim_port *leaf = port(s, "node000", 0)->peer;
	double most = 0;

	idle(s);
	incast(s, 64, 1, true);
	at_ms(s, 10);
	/* The hot port is not held itself; the highest duty is one hop up. */
	assert_true(load(s, leaf) > 0.94 && held(s, leaf) == 0);
	assert_true(rate(s, leaf, S_Q3_ECN) > 0);
	for (size_t i = 0; i < s->nports; i++)
		if (s->port[i].tier == TIER_SPINE)
			most = fmax(most, held(s, &s->port[i]));
	assert_true(most > 0.2 && most < 0.48);
	assert_true(rate(s, port(s, "node000", 0), S_CNP_SENT) > 1000);
	sim_free(s);
}

CASE(test_senders_that_do_not_react)
{
	struct sim *with = make(true), *without = make(true);
	struct sim_port *leaf = port(without, "node000", 0)->peer;

	idle(with);
	idle(without);
	for (size_t i = 0; i < without->nports; i++)
		if (without->port[i].tier == TIER_HOST)
			sim_state(without, &without->port[i])->k.no_rp++;
	incast(with, 28, 0.5, true);
	incast(without, 28, 0.5, true);
	at_ms(with, 10);
	at_ms(without, 10);
	assert_true(load(without, leaf) > 0.98);
	/* Deep pauses, up to the NICs that send. */
	assert_true(held_ports(without, 0.5, NULL) > held_ports(with, 0.5, NULL) + 8);
	assert_true(held(without, port(without, "node001", 1)) > 0.9);
	assert_true(rate(without, port(without, "node001", 1), S_CNP_IGNORED) > 0);
	assert_true(rate(without, port(without, "node001", 1), S_CNP_HANDLED) == 0);
	assert_true(sim_state(without, leaf)->queue > 2e6);
	assert_true(rate(without, leaf, S_Q3_DROPS) == 0);
	sim_free(with);
	sim_free(without);
}

CASE(test_no_marks_no_reaction)
{
	struct sim *s = make(true);
	struct sim_port *leaf = port(s, "node000", 0)->peer;
	struct sim_port_config c = leaf->config;

	idle(s);
	c.ecn = false;
	sim_configure(s, leaf, &c, "noc");
	incast(s, 28, 0.5, true);
	at_ms(s, 10);
	assert_true(rate(s, leaf, S_Q3_ECN) == 0);
	assert_true(sim_state(s, leaf)->queue > 2e6);
	assert_true(held_ports(s, 0.5, "leaf-r0-00") > 4);
	/* Egresses upstream mark as they stand still; those are the marks that arrive. */
	assert_true(held(s, port(s, "node001", 1)) > 0.9);
	sim_free(s);
}

CASE(test_cnp_not_generated)
{
	struct sim *s = make(true);
	struct sim_port *nic = port(s, "node000", 0);
	struct sim_port_config c = nic->config;

	idle(s);
	c.np = false;
	sim_configure(s, nic, &c, "noc");
	incast(s, 28, 0.5, true);
	at_ms(s, 10);
	assert_true(rate(s, nic, S_ECN_ROCE) > 0);
	assert_true(rate(s, nic, S_CNP_SENT) == 0);
	assert_true(held_ports(s, 0.5, NULL) > 4);
	sim_free(s);
}

/* ---- where lossless is not ---- */

CASE(test_drops_without_and_with_pause)
{
	for (unsigned deaf = 0; deaf < 2; deaf++) {
		struct sim *s = make(true);
		struct sim_port *bad = port(s, "node001", 0), *good = port(s, "node002", 0);

		(void)state;
		idle(s);
		for (unsigned i = 0; i < s->nports; i++)
			sim_state(s, &s->port[i])->k.no_rp++;
		if (deaf)
			sim_state(s, bad)->k.deaf++;
		else
			sim_state(s, bad->peer)->k.no_pfc++;
		for (unsigned i = 1; i < 5; i++)
			(void)sim_flow_add(
				s, &s->device[i].ports[0], port(s, "node000", 0), 0.8, true);
		sim_changed(s);
		at_ms(s, 10);
		assert_true(held(s, good) > 0.5 && rate(s, good->peer, S_RX_DISCARDS) == 0);
		assert_true(rate(s, bad->peer, S_Q3_PG_DROPS) > 1e5);
		assert_true(rate(s, bad->peer, S_RX_DISCARDS) > 1e5);
		assert_true(rate(s, bad, S_PACKET_SEQ_ERR) > 0);
		assert_true(rate(s, port(s, "node000", 0), S_OUT_OF_SEQUENCE) > 0);
		assert_true(load(s, bad) > 0.75); /* it keeps sending */
		if (deaf)
			assert_true(held(s, bad) > 0.3);
		else
			assert_true(held(s, bad) == 0);
		check_switches(s);
		sim_free(s);
	}
}

CASE(test_wrong_class_falls_off_the_tail)
{
	struct sim *s = make(true);
	struct sim_port *nic = port(s, "node005", 2);
	struct err err;

	assert_true(sim_inject(s, "wrong-dscp:node005:mlx5_2", NULL, &err));
	at_ms(s, 100);
	assert_true(rate(s, nic, S_Q3_TX_BYTES) < 1);
	assert_true(rate(s, nic, S_Q0_TX_BYTES) > 0.4 * 50e9);
	assert_true(rate(s, nic, S_PACKET_SEQ_ERR) > 0);
	sim_free(s);
}

CASE(test_corruption_counts_where_it_arrives)
{
	struct sim *s = make(true);
	struct sim_port *at = port(s, "leaf-r2-00", 5), *nic = at->peer;
	struct err err;

	at_ms(s, 100);
	double before = load(s, nic);
	sim_state(s, at)->k.loss = 1e-3;
	assert_true(sim_inject(s, "device-hang:node000", NULL, &err));
	at_ms(s, 200);
	assert_true(rate(s, at, S_RX_FCS) > 100 && rate(s, at, S_RX_ERRORS) > 100);
	assert_true(rate(s, nic, S_RX_FCS) == 0);
	assert_true(rate(s, nic, S_PACKET_SEQ_ERR) > 0 && rate(s, nic, S_OUT_OF_SEQUENCE) == 0);
	assert_true(load(s, nic) < 0.95 * before && load(s, nic) > 0.8 * before);
	sim_free(s);
}

CASE(test_fec)
{
	struct sim *s = make(true);
	struct sim_port *p = port(s, "node005", 2);
	struct port_state *st = sim_state(s, p);
	double words, bins = 0;

	st->k.ber = 1e-4;
	sim_changed(s);
	words = 400e9 / 5440;
	for (unsigned i = 0; i < 17; i++)
		bins += st->rate[S_FEC_BIN0 + i];
	assert_true(fabs(bins / words - 1) < 1e-6);
	/* 544 symbols of 10 bits: 0.544 of them bad in a codeword. */
	assert_true(fabs(st->rate[S_FEC_BIN0] / words - exp(-0.544)) < 1e-3);
	assert_true(st->rate[S_FEC_BIN0 + 8] > 0 && st->rate[S_FEC_UNCORRECTABLE] < 1e-3);
	assert_true(fabs(st->rate[S_FEC_BITS] - 400e9 * 1e-4) < 0.01 * 400e9 * 1e-4);
	st->k.ber = 2e-3;
	sim_changed(s);
	assert_true(st->rate[S_FEC_UNCORRECTABLE] > 1e5);
	assert_true(rate(s, p, S_RX_FCS) > 1000);
	assert_true(rate(s, p->peer, S_RX_FCS) == 0);
	at_ms(s, 1000);
	assert_int_equal(p->fec_bin[16], p->fec_uncorrectable);
	sim_free(s);
}

/* ---- ways ---- */

static double spread(struct sim *s, const char *leaf, unsigned *idle_ports)
{
	double sum = 0, most = 0;

	*idle_ports = 0;
	for (unsigned k = 32; k < 64; k++) {
		double x = load(s, port(s, leaf, k));

		sum += x / 32;
		most = fmax(most, x);
		*idle_ports += x < 1e-4;
	}
	return most / sum;
}

CASE(test_hashing)
{
	struct sim *s = make(true);
	unsigned idle_ports;
	double healthy = spread(s, "leaf-r2-00", &idle_ports);
	struct err err;

	assert_true(healthy < 1.8 && idle_ports == 0);
	assert_true(sim_inject(s, "low-entropy", NULL, &err));
	at_ms(s, 10);
	assert_true(spread(s, "leaf-r2-00", &idle_ports) > 2.3);
	assert_true(idle_ports > 16);
	assert_true(sim_heal(s, "low-entropy", NULL, &err));
	at_ms(s, 20);
	assert_true(fabs(spread(s, "leaf-r2-00", &idle_ports) - healthy) < 1e-9);
	sim_device_knobs(s, sim_device_by_name(s, "leaf-r2-00"))->polarised++;
	sim_changed(s);
	(void)spread(s, "leaf-r2-00", &idle_ports);
	assert_int_equal(idle_ports, 16);
	sim_free(s);
}

CASE(test_one_way_member)
{
	struct sim *s = make(true);
	struct sim_port *up = port(s, "leaf-r2-00", 40);
	struct err err;

	assert_true(sim_inject(s, "one-way:leaf-r2-00:Ethernet160", NULL, &err));
	at_ms(s, 10);
	assert_true(up->up && load(s, up) == 0 && load(s, up->peer) > 0.01);
	assert_true(rate(s, up, S_Q0_TX_BYTES) > 0);
	sim_free(s);
}

/* No path at all: flows that are cut off stop, their senders' timers run out, the others go on. */
CASE(test_no_way)
{
	struct sim *s = make(true);
	struct err err;
	double before = load(s, port(s, "node009", 2));

	assert_true(sim_inject(s, "link-down:node005:mlx5_2", NULL, &err));
	at_ms(s, 4000);
	assert_true(rate(s, port(s, "node004", 2), S_ACK_TIMEOUT) > 0.4);
	assert_true(load(s, port(s, "node005", 2)) == 0);
	assert_true(load(s, port(s, "node009", 2)) > 0.9 * before);
	assert_true(port(s, "node004", 2)->nic.local_ack_timeout_err >= 2);
	sim_free(s);
}

CASES_MAIN(NULL, NULL)
