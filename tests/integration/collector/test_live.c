/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole way: emulated devices behind real SSH and HTTPS, railtop as a child process, and the
 * emulator's own truth to compare with.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"

static json_t *snapshot(const struct lab *l, const char *duration, int want_code)
{
	const char *const args[] = {
		"snapshot", "-f", l->inventory, "--for", duration, "--json", "-", NULL};
	struct lab_output o = lab_railtop(args, 240);
	json_t *root;

	if (o.code != want_code)
		print_error("exit %d, stderr: %s\n", o.code, o.err);
	assert_int_equal(o.code, want_code);
	root = lab_json(o.out);
	lab_output_free(&o);
	return root;
}

static double number_at(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *string_at(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static void compare(
	json_t *port, const char *counter, double truth, const char *device, double *worst)
{
	double rate = lab_counter(port, counter, NULL, "rate"), off;

	if (!(truth > 1000))
		return;
	if (isnan(rate))
		fail_msg("%s:%s: no rate of %s", device, string_at(port, "name"), counter);
	off = fabs(rate - truth) / truth;
	if (off > 0.02)
		fail_msg("%s:%s %s: rate %.0f, truth %.0f (%.2f%% off)", device,
			string_at(port, "name"), counter, rate, truth, off * 100);
	if (off > *worst)
		*worst = off;
}

/* Every port that carries traffic, on all three dialects, within 2 % of the truth. */
CASE(test_rates_equal_truth)
{
	const char *const args[] = {"--steady", NULL};
	struct lab l;
	json_t *snap, *truth, *t;
	double worst = 0;
	size_t i, compared = 0;

	lab_start(&l, args);
	snap = snapshot(&l, "8s", 0);
	truth = lab_truth(&l);
	json_array_foreach(json_object_get(truth, "ports"), i, t)
	{
		const char *device = string_at(t, "device");
		json_t *d = lab_device(snap, device), *p;

		assert_non_null(d);
		p = lab_port(d, string_at(t, "port"));
		if (!p)
			fail_msg("%s:%s is not in the snapshot", device, string_at(t, "port"));
		compare(p, "rx_bytes", number_at(t, "rx_bytes_ps"), device, &worst);
		compare(p, "tx_bytes", number_at(t, "tx_bytes_ps"), device, &worst);
		compared++;
	}
	/* 32 x 8 NICs, 8 leaves x 64, 4 spines x 64 */
	assert_int_equal(compared, 256 + 512 + 256);
	print_message("# figure worst rate error of %zu ports: %.3f%%\n", compared, worst * 100);
	json_decref(truth);
	json_decref(snap);
	lab_stop(&l);
}

/* No rate may be larger than the wire: a wrong delta over a clear or a reboot would give one. */
static void assert_no_wrong_rate(json_t *snap)
{
	json_t *d, *p;
	size_t i, k;

	json_array_foreach(json_object_get(snap, "devices"), i, d)
	{
		json_array_foreach(json_object_get(d, "ports"), k, p)
		{
			double speed = number_at(p, "speed_mbps") * 1e6 / 8;
			double rx = lab_counter(p, "rx_bytes", NULL, "rate");

			if (rx < 0 || rx > speed * 1.02)
				fail_msg("%s:%s: rate %.0f on a wire of %.0f bytes/s",
					string_at(d, "name"), string_at(p, "name"), rx, speed);
		}
	}
}

/* A cleared counter must have been reported before: on a busy machine that takes seconds. */
CASE(test_clear_and_reboot_give_one_event)
{
	const char *const args[] = {"--fault", "clear-counters:leaf-r0-00,at=9s", "--fault",
		"reboot:leaf-r1-00,at=8s,down=2s", "--fault", "clear-counters:node005,at=9s",
		"--fault", "clear-counters:spine-002,at=9s", NULL};
	struct lab l;
	json_t *snap;

	lab_start(&l, args);
	snap = snapshot(&l, "18s", 1);
	assert_no_wrong_rate(snap);
	assert_int_equal(lab_events(snap, "leaf-r0-00", "counter_reset"), 1);
	assert_int_equal(lab_events(snap, "node005", "counter_reset"), 1);
	assert_int_equal(lab_events(snap, "spine-002", "counter_reset"), 1);
	assert_int_equal(lab_events(snap, "leaf-r1-00", "reboot"), 1);
	assert_int_equal(lab_events(snap, "leaf-r1-00", "counter_reset"), 0);
	assert_int_equal(lab_events(snap, "leaf-r2-00", "counter_reset"), 0);
	json_decref(snap);
	lab_stop(&l);
}

static void assert_error(json_t *snap, const char *device, const char *code, const char *cure)
{
	json_t *d = lab_device(snap, device), *e;

	assert_non_null(d);
	e = json_object_get(d, "error");
	if (!e)
		fail_msg("%s: no error in the snapshot", device);
	if (strcmp(string_at(e, "code"), code) != 0 || !strstr(string_at(e, "cure"), cure))
		fail_msg("%s: error %s, text \"%s\", cure \"%s\"; expected %s and a cure with "
			 "\"%s\"",
			device, string_at(e, "code"), string_at(e, "text"), string_at(e, "cure"),
			code, cure);
}

/* Each kind of bad device gets its own word and its own cure, and all others go on. */
CASE(test_bad_devices_are_named)
{
	const char *const args[] = {"--interval", "2s", "--fault", "refuse-key:leaf-r0-00",
		"--fault", "wrong-key:leaf-r1-00", "--fault", "wrong-cert:spine-001", "--fault",
		"device-down:leaf-r3-00", "--fault", "device-hang:leaf-r2-00,at=5s", "--fault",
		"garbage:node003", "--fault", "flood:node004,size=100MB", NULL};
	struct lab l;
	json_t *snap, *d, *v;
	size_t i, fresh = 0;

	lab_start(&l, args);
	snap = snapshot(&l, "12s", 3);
	assert_error(snap, "leaf-r0-00", "unauthorised", "ssh-copy-id");
	assert_error(snap, "leaf-r1-00", "unauthorised", "ssh-keygen -R");
	assert_error(snap, "spine-001", "unauthorised", "certificate must contain");
	assert_error(snap, "leaf-r3-00", "unreachable", "");
	assert_error(snap, "node003", "protocol", "");
	assert_error(snap, "node004", "limit", "");
	assert_string_equal(string_at(lab_device(snap, "leaf-r0-00"), "state"), "unauthorised");
	assert_string_equal(string_at(lab_device(snap, "leaf-r3-00"), "state"), "unreachable");
	/*
	 * It answered for five seconds, then hung: its values are marked as old. After the deadline
	 * of a request, which a slow machine may reach, it counts as unreachable.
	 */
	d = lab_device(snap, "leaf-r2-00");
	if (strcmp(string_at(d, "state"), "stale") != 0)
		assert_string_equal(string_at(d, "state"), "unreachable");
	assert_true(number_at(d, "age_s") > 4);
	json_array_foreach(json_object_get(snap, "devices"), i, d)
	{
		if (strcmp(string_at(d, "state"), "fresh") == 0 ||
			strcmp(string_at(d, "state"), "late") == 0)
			fresh++;
	}
	assert_int_equal(fresh, 44 - 7);
	v = json_object_get(snap, "coverage");
	assert_int_equal(json_integer_value(json_object_get(v, "devices")), 44);
	assert_int_equal(json_integer_value(json_object_get(v, "unauthorised")), 3);
	json_decref(snap);
	lab_stop(&l);
}

/* A storm from one NIC: its pause duration is exact, the switch that counts frames says "at most".
 */
CASE(test_pause_shares)
{
	const char *const args[] = {"--steady", "--fault", "pfc-storm:node002:mlx5_3,at=6s", NULL};
	struct lab l;
	json_t *snap, *truth, *t, *nic, *leaf, *derived;
	double share = NAN, nic_percent, leaf_percent;
	size_t i;

	/* The storm starts after the first polls: an event is a change that we saw. */
	lab_start(&l, args);
	snap = snapshot(&l, "12s", 1);
	truth = lab_truth(&l);
	json_array_foreach(json_object_get(truth, "ports"), i, t)
	{
		if (strcmp(string_at(t, "device"), "leaf-r3-00") == 0 &&
			strcmp(string_at(t, "port"), "Ethernet8") == 0)
			share = number_at(t, "rx_paused");
	}
	assert_true(share > 0.5);
	leaf = lab_port(lab_device(snap, "leaf-r3-00"), "Ethernet8");
	derived = json_object_get(json_object_get(leaf, "derived"), "paused_rx");
	leaf_percent = number_at(json_object_get(derived, "3"), "percent");
	assert_true(fabs(leaf_percent - share * 100) < 2.5);
	assert_true(json_is_false(json_object_get(json_object_get(derived, "3"), "upper_bound")));
	nic = lab_port(lab_device(snap, "node002"), "mlx5_3");
	derived = json_object_get(json_object_get(nic, "derived"), "paused_tx");
	nic_percent = number_at(json_object_get(derived, "3"), "percent");
	assert_true(fabs(nic_percent - share * 100) < 2.5);
	assert_true(lab_events(snap, "leaf-r3-00", "storm_detected") >= 1);
	/* No switch of this make says how long it held a peer: from frames, so an upper bound. */
	derived = json_object_get(json_object_get(leaf, "derived"), "paused_tx");
	if (!isnan(number_at(json_object_get(derived, "3"), "percent")))
		assert_true(json_is_true(
			json_object_get(json_object_get(derived, "3"), "upper_bound")));
	json_decref(truth);
	json_decref(snap);
	lab_stop(&l);
}

/* The contract's shape: every device with its ports, all canonical names that were reported. */
CASE(test_snapshot_contract)
{
	static const char *const leaf_counters[] = {"rx_bytes", "tx_bytes", "rx_packets",
		"tx_packets", "rx_errors", "rx_discards", "tx_discards", "fec_corrected_codewords",
		"fec_uncorrectable_codewords", "pre_fec_ber"};
	static const char *const leaf_prio[] = {"pfc_rx_frames", "pfc_tx_frames",
		"pfc_rx_duration_us", "queue_tx_packets", "queue_drops", "ecn_marked_packets",
		"queue_watermark_bytes", "pg_watermark_bytes", "headroom_watermark_bytes",
		"pg_drops", "pfcwd_storm_detected"};
	static const char *const nic_counters[] = {"rx_bytes", "out_of_sequence",
		"local_ack_timeout_err", "cnp_sent", "cnp_handled", "ecn_marked_roce_packets",
		"link_down_events", "carrier_changes", "pcie_width"};
	const char *const args[] = {NULL};
	struct lab l;
	json_t *snap, *p;

	lab_start(&l, args);
	snap = snapshot(&l, "15s", 0);
	assert_int_equal(json_integer_value(json_object_get(snap, "schema")), 1);
	assert_int_equal(json_array_size(json_object_get(snap, "devices")), 44);
	assert_int_equal(json_array_size(json_object_get(snap, "links")), 512);
	p = lab_port(lab_device(snap, "leaf-r3-00"), "Ethernet12");
	assert_non_null(p);
	for (size_t i = 0; i < sizeof(leaf_counters) / sizeof(leaf_counters[0]); i++)
		if (strcmp(lab_validity(p, leaf_counters[i], NULL), "ok") != 0)
			fail_msg("leaf %s: %s", leaf_counters[i],
				lab_validity(p, leaf_counters[i], NULL));
	for (size_t i = 0; i < sizeof(leaf_prio) / sizeof(leaf_prio[0]); i++)
		if (strcmp(lab_validity(p, leaf_prio[i], "3"), "ok") != 0)
			fail_msg(
				"leaf %s[3]: %s", leaf_prio[i], lab_validity(p, leaf_prio[i], "3"));
	assert_string_equal(lab_validity(p, "pfc_tx_duration_us", "3"), "unsupported");
	assert_string_equal(string_at(json_object_get(p, "peer"), "device"), "node003");
	assert_string_equal(string_at(json_object_get(p, "peer"), "source"), "lldp");
	p = lab_port(lab_device(snap, "node003"), "mlx5_3");
	assert_non_null(p);
	for (size_t i = 0; i < sizeof(nic_counters) / sizeof(nic_counters[0]); i++)
		if (strcmp(lab_validity(p, nic_counters[i], NULL), "ok") != 0)
			fail_msg("nic %s: %s", nic_counters[i],
				lab_validity(p, nic_counters[i], NULL));
	p = lab_port(lab_device(snap, "spine-000"), "Ethernet1/1");
	assert_non_null(p);
	assert_string_equal(lab_validity(p, "rx_bytes", NULL), "ok");
	assert_string_equal(lab_validity(p, "pfc_rx_frames", "3"), "ok");
	json_decref(snap);
	lab_stop(&l);
}

CASE(test_check_says_what_each_device_can)
{
	const char *const emulator[] = {NULL};
	struct lab l;
	struct lab_output o;
	json_t *root, *d;

	lab_start(&l, emulator);
	{
		const char *const args[] = {"check", "-f", l.inventory, "--json", NULL};

		o = lab_railtop(args, 240);
	}
	assert_int_equal(o.code, 0);
	root = lab_json(o.out);
	d = lab_device(root, "leaf-r3-00");
	assert_non_null(d);
	assert_true(json_array_size(json_object_get(d, "capabilities")) > 0);
	assert_string_equal(string_at(d, "state"), "fresh");
	json_decref(root);
	lab_output_free(&o);
	lab_stop(&l);
}

CASES_MAIN(NULL, NULL)
