/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Linux host behind a real OpenSSH server, polled by railtop itself. The values that the scripts
 * read of sysfs, ethtool and lldpd must come out of a snapshot, and a refused login must name its
 * cure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/support/fake_host.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/cases.h"

struct fixture {
	struct scratch scratch;
	struct sshd sshd;
	char inventory[128];
};

static int set_up(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	char environment[512];

	assert_non_null(x);
	*state = x;
	scratch_open(&x->scratch);
	sshd_keys(&x->scratch);
	fake_host_write(&x->scratch);
	fake_host_environment(&x->scratch, environment, sizeof(environment));
	sshd_start(&x->sshd, &x->scratch, 0, environment);
	scratch_write(&x->scratch, "ssh_config", "");
	scratch_write(&x->scratch, "no_hosts", "");
	(void)str_copy(
		x->inventory, sizeof(x->inventory), scratch_path(&x->scratch, "fabric.yaml"));
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *x = *state;

	sshd_stop(&x->sshd);
	scratch_close(&x->scratch);
	free(x);
	return 0;
}

static void write_inventory(const struct fixture *x, const char *user, const char *known_hosts)
{
	char text[1024];

	(void)str_printf(text, sizeof(text),
		"fabric: lab\n"
		"lossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: %s, identity: user_key, known_hosts: %s, "
		"ssh_config: ssh_config}\n"
		"hosts:\n"
		"  - {names: \"gpu[1-2]\", address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\"}\n",
		user, known_hosts, x->sshd.port);
	scratch_write(&x->scratch, "fabric.yaml", text);
}

static struct lab_output check(const struct fixture *x)
{
	const char *const args[] = {"check", "-f", x->inventory, "--for", "20s", NULL};

	return lab_railtop(args, 240);
}

static json_t *snapshot(const struct fixture *x)
{
	const char *const args[] = {
		"snapshot", "-f", x->inventory, "--for", "5s", "--json", "-", NULL};
	struct lab_output o = lab_railtop(args, 240);
	json_t *root;

	if (o.code != 0)
		fail_msg("exit %d: %s", o.code, o.err);
	root = lab_json(o.out);
	lab_output_free(&o);
	return root;
}

static const char *text_at(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static void assert_rate(json_t *port, const char *counter, const char *priority, double want)
{
	double rate = lab_counter(port, counter, priority, "rate");

	if (!(fabs(rate - want) <= want * 0.02))
		fail_msg(
			"%s %s: rate %g instead of %g", text_at(port, "name"), counter, rate, want);
}

static void assert_number(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		fail_msg("%g instead of %g", got, want);
}

static void assert_count(json_t *port, const char *counter, double want)
{
	assert_string_equal(lab_validity(port, counter, NULL), "ok");
	assert_number(lab_counter(port, counter, NULL, "value"), want);
}

/* Beside counters that moved, a counter that stood still has a rate, and it is zero. */
static void assert_still(json_t *port, const char *counter, double want)
{
	assert_count(port, counter, want);
	assert_number(lab_counter(port, counter, NULL, "rate"), 0);
}

static void assert_settings(json_t *qos)
{
	json_t *pfc = json_object_get(qos, "pfc_enabled");

	assert_int_equal(json_array_size(pfc), 1);
	assert_int_equal(json_integer_value(json_array_get(pfc, 0)), 3);
	assert_string_equal(text_at(qos, "trust"), "dscp");
	assert_int_equal(json_integer_value(json_object_get(qos, "roce_tclass")), 104);
	assert_int_equal(json_integer_value(json_object_get(qos, "cnp_dscp")), 48);
	assert_int_equal(json_integer_value(json_object_get(qos, "storm_tout_ms")), 8000);
}

static void assert_nic(json_t *device, const char *name, const char *netdev, const char *leaf,
	const char *leaf_port, double part)
{
	json_t *p = lab_port(device, name), *peer;

	if (!p)
		fail_msg("%s has no %s", text_at(device, "name"), name);
	peer = json_object_get(p, "peer");
	assert_string_equal(text_at(p, "oper"), "up");
	assert_string_equal(text_at(p, "netdev"), netdev);
	assert_string_equal(text_at(p, "fec"), "rs");
	assert_int_equal(json_integer_value(json_object_get(p, "speed_mbps")), 400000);
	assert_int_equal(json_integer_value(json_object_get(p, "mtu")), 9000);
	assert_string_equal(text_at(peer, "device"), leaf);
	assert_string_equal(text_at(peer, "port"), leaf_port);
	assert_string_equal(text_at(peer, "source"), "lldp");
	assert_rate(p, "rx_bytes", NULL, FAKE_RX_BYTES_PS * part);
	assert_rate(p, "tx_bytes", NULL, FAKE_TX_BYTES_PS * part);
	assert_rate(p, "pfc_rx_frames", "3", FAKE_PAUSE_PS * part);
	assert_rate(p, "pfc_rx_duration_us", "3", FAKE_PAUSE_US_PS * part);
	assert_rate(p, "fec_corrected_codewords", NULL, FAKE_CORRECTED_PS * part);
	assert_count(p, "cnp_handled", FAKE_CNP_HANDLED);
	assert_count(p, "out_of_sequence", FAKE_OUT_OF_SEQ);
	assert_still(p, "link_down_events", FAKE_LINK_DOWN);
	assert_still(p, "fec_uncorrectable_codewords", 0);
	assert_number(lab_counter(p, "pcie_width", NULL, "value"), FAKE_PCIE_WIDTH * part);
	assert_number(lab_counter(p, "pcie_speed_mtps", NULL, "value"), 32000);
	assert_settings(json_object_get(p, "qos"));
	/* A value that the host does not report is no zero. */
	assert_string_equal(lab_validity(p, "rx_discards", NULL), "unsupported");
	assert_string_equal(lab_validity(p, "rx_power_dbm", "0"), "disabled");
}

CASE(test_a_snapshot_has_what_the_host_says)
{
	const struct fixture *x = *state;
	json_t *snap, *d;

	write_inventory(x, x->sshd.user, "known_hosts");
	snap = snapshot(x);
	assert_int_equal(json_array_size(json_object_get(snap, "devices")), 2);
	for (int i = 1; i <= 2; i++) {
		d = lab_device(snap, i == 1 ? "gpu1" : "gpu2");
		assert_non_null(d);
		assert_string_equal(text_at(d, "state"), "fresh");
		assert_string_equal(
			text_at(json_object_get(d, "identity"), "firmware"), "28.43.1000");
		assert_string_equal(text_at(json_object_get(d, "identity"), "model"), "GPU Server");
		assert_null(json_object_get(d, "error"));
		assert_int_equal(json_array_size(json_object_get(d, "ports")), 2);
		assert_nic(d, "mlx5_0", "eth0", "leaf-a", "Ethernet4", 1);
		assert_nic(d, "mlx5_1", "eth1", "leaf-b", "Ethernet8", 0.5);
		assert_int_equal(lab_events(snap, text_at(d, "name"), "counter_reset"), 0);
		assert_int_equal(lab_events(snap, text_at(d, "name"), "reboot"), 0);
	}
	json_decref(snap);
}

CASE(test_check_is_content)
{
	const struct fixture *x = *state;
	struct lab_output o;

	write_inventory(x, x->sshd.user, "known_hosts");
	o = check(x);
	if (o.code != 0)
		fail_msg("exit %d: %s%s", o.code, o.out, o.err);
	assert_non_null(strstr(o.out, "2 devices: 2 fresh"));
	/* The gap that the fake ethtool leaves, and how to close it. */
	assert_non_null(strstr(o.out, "cap_net_admin"));
	lab_output_free(&o);
}

static void assert_refused(const struct fixture *x, const char *why, const char *cure)
{
	struct lab_output o = check(x);
	char *said;

	if (o.code != 3)
		fail_msg("exit %d: %s%s", o.code, o.out, o.err);
	said = strstr(o.out, "cure: ");
	if (!strstr(o.out, why) || !said || !strstr(said, cure))
		fail_msg("no \"%s\" with the cure \"%s\" in: %s", why, cure, o.out);
	lab_output_free(&o);
}

CASE(test_a_wrong_user_is_told_the_cure)
{
	const struct fixture *x = *state;

	write_inventory(x, "nobody-of-this-name", "known_hosts");
	assert_refused(x, "nobody-of-this-name", "ssh-copy-id");
}

CASE(test_an_unknown_host_key_names_keyscan)
{
	const struct fixture *x = *state;
	struct lab_output o;
	char cure[64];

	write_inventory(x, x->sshd.user, "no_hosts");
	(void)str_printf(cure, sizeof(cure), "ssh-keyscan -p %u 127.0.0.1 >> ", x->sshd.port);
	assert_refused(x, "host key", cure);
	/* And it is one: the host is let in after it. */
	scratch_run(&x->scratch, "%s no_hosts", cure);
	o = check(x);
	if (o.code != 0)
		fail_msg("exit %d: %s%s", o.code, o.out, o.err);
	lab_output_free(&o);
}

CASES_MAIN(set_up, tear_down)
