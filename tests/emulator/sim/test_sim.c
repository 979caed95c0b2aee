/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "emulator/sim/sim.h"
#include "tests/support/cases.h"

#define START (INT64_C(1763726000) * CLOCK_SEC)

static struct sim *make(uint64_t seed, bool steady, const char *fault)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = seed,
		.start_us = START,
		.speed = 1,
		.steady = steady};
	struct sim *s = sim_new(&o);
	struct err err;

	if (fault && !sim_fault(s, fault, &err))
		fail_msg("%s: %s", err.origin, err.text);
	return s;
}

static struct sim_port *port(struct sim *s, const char *device, unsigned n)
{
	struct sim_device *d = sim_device_by_name(s, device);

	assert_non_null(d);
	assert_true(n < d->nports);
	return &d->ports[n];
}

/* The hardware's values then, whether or not the devices show them. */
static void at_ms(struct sim *s, int64_t ms)
{
	sim_advance(s, START + ms * CLOCK_MSEC);
	for (size_t i = 0; i < sim_device_count(s); i++)
		sim_live(s, sim_device(s, i));
}

/* Every port against its peer: the link neither makes nor loses anything. */
static void check_links(struct sim *s)
{
	for (size_t i = 0; i < sim_device_count(s); i++) {
		struct sim_device *d = sim_device(s, i);

		for (unsigned k = 0; k < d->nports; k++) {
			const struct sim_port *a = &d->ports[k], *b = a->peer;

			if (!b) {
				assert_false(a->up);
				assert_int_equal(a->rx_bytes, 0);
				continue;
			}
			assert_ptr_equal(b->peer, a);
			assert_int_equal(a->tx_bytes, b->rx_bytes);
			assert_int_equal(a->tx_packets, b->rx_packets);
			assert_int_equal(a->q[3].tx_bytes, b->q[3].rx_bytes);
			assert_int_equal(a->q[3].pfc_tx_frames, b->q[3].pfc_rx_frames);
			assert_int_equal(a->q[3].pfc_tx_us, b->q[3].pfc_rx_us);
			assert_int_equal(a->up, b->up);
			assert_true(a->q[3].pfc_rx_us <= (uint64_t)(sim_now(s) - START));
		}
	}
}

/* A switch sends on all it receives, but for the small traffic that begins and ends in it. */
static void check_switches(struct sim *s)
{
	for (size_t i = 0; i < sim_device_count(s); i++) {
		struct sim_device *d = sim_device(s, i);
		double in = 0, out = 0;

		for (unsigned k = 0; k < d->nports; k++) {
			in += (double)d->ports[k].q[3].rx_bytes;
			out += (double)d->ports[k].q[3].tx_bytes +
			       (double)d->ports[k].q[3].wd_drops * 4166;
		}
		if (d->tier != TIER_HOST)
			assert_true(fabs(in - out) <= 1e-6 * in + 5000 * d->nports);
	}
}

CASE(test_conserves)
{
	static const int64_t instants[] = {1, 137, 999, 19999, 20000, 20001, 33333, 61234};
	struct sim *s = make(7, false, "link-flap:leaf-r2-00:Ethernet160,at=1s,period=3s");
	struct err err;

	assert_true(sim_fault(s, "pfc-storm:node004:mlx5_1,at=5s,for=10s", &err));
	for (size_t i = 0; i < sizeof(instants) / sizeof(instants[0]); i++) {
		at_ms(s, instants[i]);
		check_links(s);
		check_switches(s);
	}
	sim_free(s);
}

/* The counters of every port of a healthy fabric at any time. */
static void check_healthy(struct sim *s, double *busiest)
{
	double cap = 400e9 / 8;

	for (size_t i = 0; i < sim_device_count(s); i++) {
		struct sim_device *d = sim_device(s, i);

		for (unsigned k = 0; k < d->nports; k++) {
			const struct sim_port *p = &d->ports[k];

			if (!p->peer)
				continue;
			assert_true(p->up);
			*busiest = fmax(*busiest, p->tx_bytes_ps / cap);
			assert_true(p->tx_bytes_ps > 0 && p->tx_bytes_ps <= cap);
			assert_true(p->fec_corrected > 0 && p->fec_uncorrectable == 0);
			assert_true(p->lane[0].rx_dbm > -3 && p->lane[0].rx_dbm < 3);
			assert_true(p->q[3].drops == 0 && p->rx_discards == 0);
			assert_true(p->nic.packet_seq_err == 0 && p->nic.out_of_sequence == 0);
			assert_int_equal(p->q[3].wd_detected, 0);
		}
	}
}

CASE(test_steady_loads_are_plausible)
{
	struct sim *s = make(1, true, NULL);
	double most = 0, cap = 400e9 / 8;

	at_ms(s, 45000);
	check_healthy(s, &most);
	assert_true(most > 0.6 && most < 0.9);
	for (size_t i = 0; i < sim_device_count(s); i++) {
		struct sim_device *d = sim_device(s, i);

		for (unsigned k = 0; k < d->nports; k++) {
			const struct sim_port *p = &d->ports[k];

			if (d->tier == TIER_HOST)
				assert_true(
					p->tx_bytes_ps > 0.3 * cap && p->tx_bytes_ps < 0.78 * cap &&
					p->rx_bytes_ps > 0.3 * cap && p->rx_bytes_ps < 0.78 * cap);
			assert_int_equal(p->q[3].pfc_tx_frames, 0);
		}
	}
	/* Some port marks, or nobody could ever see congestion control at work. */
	assert_true(port(s, "node000", 0)->nic.np_cnp_sent > 0);
	assert_true(port(s, "leaf-r0-00", 0)->q[3].ecn_marked > 0);
	sim_free(s);
}

CASE(test_jobs_load_the_fabric)
{
	struct sim *s = make(1, false, NULL);
	double busiest = 0;
	uint64_t after_start = 0, later = 0;

	at_ms(s, 2000);
	for (size_t i = 0; i < sim_device_count(s); i++)
		for (unsigned k = 0; k < sim_device(s, i)->nports; k++)
			after_start += sim_device(s, i)->ports[k].q[3].pfc_tx_us;
	for (int64_t t = 2000; t < 50000; t += 97) {
		at_ms(s, t);
		if (t % 10 == 0)
			check_healthy(s, &busiest);
	}
	for (size_t i = 0; i < sim_device_count(s); i++)
		for (unsigned k = 0; k < sim_device(s, i)->nports; k++)
			later += sim_device(s, i)->ports[k].q[3].pfc_tx_us;
	assert_true(busiest > 0.85);
	/* Bursts where all ranks meet at the first; no pause while the jobs run. */
	assert_true(after_start > 0);
	assert_int_equal(later, after_start);
	sim_free(s);
}

/* Over a minute every uplink of a leaf gets its share, or health would look like a fault. */
CASE(test_uplinks_share_the_load)
{
	struct sim *s = make(4, false, NULL);
	double before[64];

	for (unsigned round = 0; round < 2; round++) {
		double sum = 0, most = 0, least = 1e30;

		at_ms(s, 5000 + 60000 * round);
		for (unsigned k = 32; k < 64; k++) {
			double x = (double)port(s, "leaf-r5-00", k)->q[3].tx_bytes;
			double moved = x - (round ? before[k] : 0);

			before[k] = x;
			sum += moved;
			most = fmax(most, moved);
			least = fmin(least, moved);
		}
		if (round)
			assert_true(most < 1.3 * sum / 32 && least > 0.7 * sum / 32);
	}
	sim_free(s);
}

CASE(test_same_seed_same_fabric)
{
	struct sim *a = make(42, false, NULL), *b = make(42, false, NULL),
		   *c = make(43, false, NULL);
	const struct sim_port *pa = port(a, "spine-002", 5), *pb = port(b, "spine-002", 5);

	/* Looking more often must not change anything. */
	for (int64_t t = 0; t <= 50000; t += 777)
		at_ms(a, t);
	at_ms(a, 50000);
	at_ms(b, 50000);
	at_ms(c, 50000);
	assert_int_equal(pa->rx_bytes, pb->rx_bytes);
	assert_int_equal(pa->tx_bytes, pb->tx_bytes);
	assert_string_equal(sim_device_by_name(a, "node003")->boot_id,
		sim_device_by_name(b, "node003")->boot_id);
	assert_int_not_equal(pa->rx_bytes, port(c, "spine-002", 5)->rx_bytes);
	sim_free(a);
	sim_free(b);
	sim_free(c);
}

CASE(test_steady_rates_are_the_truth)
{
	struct sim *s = make(5, true, NULL);
	uint64_t before[4][64];
	json_t *truth, *ports, *o;
	size_t i;
	char *text;

	at_ms(s, 3210);
	for (unsigned d = 0; d < 4; d++)
		for (unsigned k = 0; k < 64; k++)
			before[d][k] = sim_device(s, 40 + d)->ports[k].tx_bytes;
	at_ms(s, 13210);
	text = sim_truth(s);
	truth = json_loads(text, 0, NULL);
	assert_non_null(truth);
	ports = json_object_get(truth, "ports");
	assert_int_equal(json_array_size(ports), 32 * 8 + 8 * 64 + 4 * 64);
	json_array_foreach(ports, i, o)
	{
		size_t n = i - (32 * 8 + 8 * 64);
		double rate = json_real_value(json_object_get(o, "tx_bytes_ps")), seen;

		if (i < 32 * 8 + 8 * 64)
			continue;
		seen = (double)(sim_device(s, 40 + n / 64)->ports[n % 64].tx_bytes -
				before[n / 64][n % 64]) /
		       10;
		assert_true(fabs(seen - rate) <= 1e-3 * rate);
	}
	json_decref(truth);
	free(text);
	sim_free(s);
}

CASE(test_link_flap_host)
{
	struct sim *s = make(1, true, "link-flap:node003:mlx5_2,at=2s,period=4s,down=1s,for=9s");
	struct sim_port *p = port(s, "node003", 2);
	uint64_t sent;

	at_ms(s, 1999);
	assert_true(p->up);
	at_ms(s, 2000);
	assert_false(p->up);
	assert_false(p->peer->up);
	assert_int_equal(p->carrier_down, 1);
	assert_int_equal(p->peer->carrier_down, 1);
	assert_true(p->lane[0].rx_dbm < -30);
	sent = p->tx_bytes;
	at_ms(s, 2999);
	assert_int_equal(p->tx_bytes, sent);
	assert_true(port(s, "node002", 2)->nic.local_ack_timeout_err > 0);
	at_ms(s, 3000);
	assert_true(p->up);
	at_ms(s, 4000);
	assert_true(p->tx_bytes > sent);
	at_ms(s, 60000);
	assert_true(p->up);
	assert_int_equal(p->carrier_down, 3); /* at 2, 6 and 10 s; over at 11 s */
	assert_int_equal(p->carrier_up, p->peer->carrier_up);
	assert_int_equal(p->last_change_us, START + 11 * CLOCK_SEC);
	sim_free(s);
}

CASE(test_flap_ends_up_when_it_stops_while_down)
{
	struct sim *s = make(1, true, "link-flap:node003:mlx5_2,period=4s,down=2s,for=5s");

	at_ms(s, 4500);
	assert_false(port(s, "node003", 2)->up);
	at_ms(s, 5000);
	assert_true(port(s, "node003", 2)->up);
	sim_free(s);
}

CASE(test_uplink_down_moves_its_flows)
{
	struct sim *s = make(1, true, NULL),
		   *f = make(1, true, "link-down:leaf-r2-00:Ethernet160,at=1s");
	double healthy = 0, faulty = 0, moved = 0;

	at_ms(s, 2000);
	at_ms(f, 2000);
	assert_true(port(s, "leaf-r2-00", 40)->tx_bytes_ps > 1e9);
	assert_true(port(f, "leaf-r2-00", 40)->tx_bytes_ps == 0);
	for (unsigned k = 32; k < 64; k++) {
		double a = port(s, "leaf-r2-00", k)->tx_bytes_ps;
		double b = port(f, "leaf-r2-00", k)->tx_bytes_ps;

		healthy += a;
		faulty += b;
		assert_true(k == 40 || b >= a - 1);
		moved += k == 40 ? 0 : b - a;
	}
	/* All but the small traffic of the link itself goes another way. */
	assert_true(fabs(healthy - faulty) < 1e6);
	assert_true(moved > 1e9);
	double oos = 0, seq = 0;
	for (size_t i = 0; i < 32; i++) {
		for (unsigned r = 0; r < 8; r++) {
			oos += (double)sim_device(f, i)->ports[r].nic.out_of_sequence;
			seq += (double)sim_device(f, i)->ports[r].nic.packet_seq_err;
		}
	}
	assert_true(oos > 0 && oos == seq);
	sim_free(s);
	sim_free(f);
}

CASE(test_pfc_storm)
{
	struct sim *s = make(1, true, "pfc-storm:node017:mlx5_3,at=1s,for=10s");
	struct sim_port *nic = port(s, "node017", 3), *leaf = nic->peer;
	uint64_t us;
	double upstream = 0;

	at_ms(s, 1100);
	assert_int_equal(leaf->q[3].wd_detected, 0);
	assert_true(leaf->q[3].depth_bytes > 1000000);
	at_ms(s, 1300);
	assert_int_equal(leaf->q[3].wd_detected, 1);
	assert_true(leaf->q[3].wd_stormed);
	us = leaf->q[3].pfc_rx_us;
	at_ms(s, 5300);
	assert_true((double)(leaf->q[3].pfc_rx_us - us) / 4e6 > 0.97);
	assert_int_equal(leaf->q[3].pfc_rx_us, nic->q[3].pfc_tx_us);
	assert_true(leaf->q[3].wd_drops > 0);
	/* Only the little traffic that never stops reaches the NIC now. */
	assert_true(nic->rx_bytes_ps < 1e6);
	/* Its ring neighbour on the same leaf is held, and so are spine ports towards the leaf. */
	assert_true(port(s, "node016", 3)->q[3].pfc_rx_us > 100000);
	assert_true(port(s, "node016", 3)->q[3].pfc_rx_us < us + 2000000);
	for (size_t i = 40; i < 44; i++)
		for (unsigned k = 0; k < 64; k++)
			if (sim_device(s, i)->ports[k].peer->device == 3)
				upstream += (double)sim_device(s, i)->ports[k].q[3].pfc_rx_us;
	assert_true(upstream > 0);
	at_ms(s, 11100);
	assert_int_equal(leaf->q[3].wd_restored, 0);
	at_ms(s, 11300);
	assert_int_equal(leaf->q[3].wd_restored, 1);
	assert_false(leaf->q[3].wd_stormed);
	us = leaf->q[3].pfc_rx_us;
	at_ms(s, 20000);
	assert_int_equal(leaf->q[3].pfc_rx_us, us);
	sim_free(s);
}

CASE(test_reboot_and_clear)
{
	struct sim *s = make(1, true, "reboot:leaf-r1-00,at=10s,down=4s");
	struct sim_device *d = sim_device_by_name(s, "leaf-r1-00");
	struct err err;
	char boot[40];
	uint64_t was;

	assert_true(sim_fault(s, "clear-counters:node001,at=20s", &err));
	memcpy(boot, d->boot_id, sizeof(boot));
	at_ms(s, 9999);
	assert_int_equal(d->unreachable, 0);
	was = d->ports[0].rx_bytes;
	at_ms(s, 10000);
	assert_int_equal(d->unreachable, 1);
	assert_false(d->ports[0].peer->up);
	at_ms(s, 14000);
	assert_int_equal(d->unreachable, 0);
	assert_true(d->ports[0].up);
	assert_string_not_equal(d->boot_id, boot);
	assert_int_equal(d->boot_us, START + 14 * CLOCK_SEC);
	at_ms(s, 15000);
	assert_true(d->ports[0].rx_bytes > 0 && d->ports[0].rx_bytes < was / 5);
	at_ms(s, 20500);
	assert_true(port(s, "node001", 0)->rx_bytes < port(s, "node000", 0)->rx_bytes / 10);
	assert_true(port(s, "node001", 0)->rx_bytes > 0);
	sim_free(s);
}

CASE(test_low_speed_and_miswire)
{
	struct sim *s = make(1, true, "low-speed:node005:mlx5_0");
	struct err err;

	assert_true(sim_fault(s, "miswire:node010:mlx5_4,with=node012", &err));
	at_ms(s, 1000);
	assert_int_equal(port(s, "node005", 0)->speed_mbps, 200000);
	assert_int_equal(port(s, "leaf-r0-00", 5)->speed_mbps, 200000);
	assert_true(port(s, "node005", 0)->tx_bytes_ps <= 200e9 / 8 * 1.001);
	assert_true(port(s, "node005", 0)->tx_bytes_ps > 0.9 * 200e9 / 8);
	assert_ptr_equal(port(s, "node010", 4)->peer, port(s, "leaf-r4-00", 12));
	assert_ptr_equal(port(s, "leaf-r4-00", 10)->peer, port(s, "node012", 4));
	check_links(s);
	assert_true(port(s, "node010", 4)->tx_bytes_ps > 1e9);
	assert_int_equal(port(s, "node010", 4)->carrier_down, 0);
	sim_free(s);
	/* Cables that are swapped while the fabric runs go down once, and once when put back. */
	s = make(1, true, "miswire:node010:mlx5_4,at=2s,for=3s");
	at_ms(s, 2000);
	assert_ptr_equal(port(s, "node010", 4)->peer, port(s, "leaf-r4-00", 11));
	assert_int_equal(port(s, "leaf-r4-00", 11)->carrier_down, 1);
	assert_int_equal(port(s, "leaf-r4-00", 11)->carrier_up, 2);
	assert_true(port(s, "node011", 4)->up);
	at_ms(s, 9000);
	assert_ptr_equal(port(s, "node010", 4)->peer, port(s, "leaf-r4-00", 10));
	assert_int_equal(port(s, "leaf-r4-00", 10)->carrier_down, 2);
	sim_free(s);
}

CASE(test_speed_runs_the_clock_faster)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 1,
		.start_us = START,
		.speed = 10,
		.steady = true};
	struct sim *s = sim_new(&o);
	struct err err;

	assert_true(sim_fault(s, "device-hang:node000,at=20s", &err));
	at_ms(s, 0);
	assert_int_equal(sim_next_change(s), START + 2 * CLOCK_SEC);
	at_ms(s, 1000);
	assert_int_equal(sim_now(s), START + 10 * CLOCK_SEC);
	at_ms(s, 2000);
	assert_true(sim_device(s, 0)->hung);
	assert_true(sim_next_change(s) == INT64_MAX);
	/* A clock that is set back must not turn counters back. */
	at_ms(s, 1000);
	assert_int_equal(sim_now(s), START + 20 * CLOCK_SEC);
	sim_free(s);
}

CASE(test_larger_presets_carry_traffic)
{
	struct sim_opts o = {.sizing = sizing_preset("4k"),
		.seed = 1,
		.start_us = START,
		.speed = 1,
		.steady = true};
	struct sim *s = sim_new(&o);
	double up = 0;

	at_ms(s, 1000);
	check_links(s);
	check_switches(s);
	for (size_t i = 0; i < sim_device_count(s); i++)
		if (sim_device(s, i)->tier == TIER_SUPERSPINE)
			up += sim_device(s, i)->ports[0].rx_bytes_ps;
	assert_true(up > 1e9);
	sim_free(s);
}

CASES_MAIN(NULL, NULL)
