/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/dialect_linux.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/tools/hostile.h"
#include "tests/tools/obs_find.h"
#include "tests/tools/run_command.h"

#define FIXTURES "tests/backends/fixtures/"

static const struct target node = {
	.device = "node007", .tier = TIER_HOST, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static struct obs *decode_bytes(const char *request, const char *bytes, size_t len)
{
	struct obs *o = obs_new(node.device, request);
	struct err err = {0};

	if (!backend_by_name("linux")->parse(&node, request, bytes, len, o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode(const char *request, const char *file)
{
	size_t len;
	char *bytes = read_file(file, &len);
	struct obs *o;

	assert_non_null(bytes);
	o = decode_bytes(request, bytes, len);
	assert_int_equal(o->err.code, ERR_NONE);
	free(bytes);
	return o;
}

static void the_wire_counts_before_what_is_further_away(void **state)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), q = at_port(o, "mlx5_1");

	(void)state;
	assert_int_equal(cell_count(p, "rx_bytes", 0), 5000);
	assert_int_equal(cell_count(p, "link_down_events", 0), 3);
	assert_int_equal(cell_count(p, "fec_corrected_bits", 0), 77);
	assert_int_equal(cell_count(p, "rx_out_of_buffer", 0), 5);
	assert_int_equal(cell_count(p, "rx_errors", 0), 17);
	/* IB data counters are words of four bytes; what would overflow is absent. */
	assert_int_equal(cell_count(q, "rx_bytes", 0), 10);
	assert_int_equal(cell_validity(q, "tx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 6000);
	obs_free(o);
}

static void roce_pause_and_fec_counters(void **state)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0");

	(void)state;
	assert_true(cell_count(p, "cnp_sent", 0) == 4294967290u);
	assert_int_equal(cell_count(p, "cnp_handled", 0), 12);
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 7);
	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 3);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 100);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 200);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 2500);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 7500);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 3), 4100);
	assert_int_equal(cell_count(p, "rx_prio_discards", 3), 9);
	assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 2);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 1000);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 8);
	assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
	obs_free(o);
}

static void other_vendors_names(void **state)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "bnxt_re0");

	(void)state;
	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 21);
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 22);
	assert_int_equal(cell_count(p, "rx_bytes", 0), 23);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 31);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 32);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 33);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 34);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 35);
	assert_int_equal(cell_count(p, "link_down_events", 0), 36);
	/* operstate "unknown" leaves the word to the RDMA port. */
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	obs_free(o);
}

static void ports_are_named_by_rdma_device_and_number(void **state)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");

	(void)state;
	assert_int_equal(o->ports.n, 4);
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_NETDEV, 0), "eth0");
	/* Without a GID entry the only netdev of the function is taken. */
	assert_string_equal(attr_word(at_port(o, "mlx5_1"), ATTR_NETDEV, 0), "eth1");
	assert_string_equal(attr_word(at_port(o, "mlx5_2/2"), ATTR_NETDEV, 0), "eth3");
	obs_free(o);
}

static void state_speed_and_identity(void **state)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref up = at_port(o, "mlx5_0"), down = at_port(o, "mlx5_1");
	struct obs_port_ref dev = at_port(o, NULL);

	(void)state;
	assert_string_equal(attr_word(up, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(up, ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(up, ATTR_DOWN_REASON, 0), "");
	assert_string_equal(attr_word(down, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(down, ATTR_ADMIN, 0), "down");
	assert_string_equal(attr_word(down, ATTR_DOWN_REASON, 0), "Polling");
	assert_true(attr_number(up, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(isnan(attr_number(down, ATTR_SPEED_MBPS, 0)));
	assert_true(attr_number(up, ATTR_MTU, 0) == 9000);
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "node007");
	assert_string_equal(
		attr_word(dev, ATTR_BOOT_ID, 0), "5d0e8a52-3c1b-4f7e-8a90-6b2d1c0f9e88");
	assert_true(attr_number(dev, ATTR_UPTIME_S, 0) == 7200.5);
	/* The middle of the run. */
	assert_true(o->device_us == INT64_C(1764000000200000));
	/* read when asked: a counter that stands still is a rate of 0 */
	assert_true(o->ports.n > 0 && o->ports.at[0].sample_us == o->device_us);
	obs_free(o);
}

static void absent_counters_say_why(void **state)
{
	struct obs *o = decode("fast", FIXTURES "linux_fast.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), q = at_port(o, "mlx5_1");

	(void)state;
	assert_int_equal(cell_validity(p, "rx_discards", 0), VALID_UNSUPPORTED);
	/* mlx5 prints pause counters only for priorities with PFC. */
	assert_int_equal(cell_validity(q, "pfc_rx_frames", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(q, "pfc_rx_frames", 3), "eth1"));
	assert_int_equal(
		cell_validity(at_port(o, "mlx5_2/2"), "pfc_rx_frames", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "pause duration sent", NULL), VALID_OK);
	obs_free(o);
}

static void a_host_without_ethtool_or_rdma(void **state)
{
	static const char bare[] = "@@begin 1\n1\n@@map\n*/device/net/*\n@@ib\n@@net\n@@stats *\n"
				   "@@fec *\nsh: 1: ethtool: not found\n@@end\n1764000000\n";
	static const char nic[] =
		"@@begin 1\n1764000000\n@@map\nm/device/net/e\n@@ib\nm/ports/1/state:4: ACTIVE\n"
		"@@stats e\n@@fec e\nsh: 1: ethtool: not found\n@@end\n1764000001%N\n";
	struct obs *o = decode_bytes("fast", bare, strlen(bare));
	const char *cure = "";

	(void)state;
	assert_int_equal(o->ports.n, 0);
	assert_int_equal(capability_of(o, "RDMA devices", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "mlx5_ib"));
	obs_free(o);
	o = decode_bytes("fast", nic, strlen(nic));
	assert_int_equal(
		cell_validity(at_port(o, "m"), "fec_corrected_codewords", 0), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(at_port(o, "m"), "pfc_rx_frames", 3), "package ethtool"));
	/* Seconds only, as busybox prints them. */
	assert_true(o->device_us == INT64_C(1764000000500000));
	obs_free(o);
}

static void modules_of_all_label_styles(void **state)
{
	struct obs *o = decode("slow", FIXTURES "linux_slow.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), denied = at_port(o, "mlx5_1"),
			    sfp = at_port(o, "mlx5_2");

	(void)state;
	assert_true(cell_value(p, "temperature_c", 0) == 55.1);
	assert_true(cell_value(p, "voltage_v", 0) == 3.28);
	assert_true(cell_value(p, "rx_power_dbm", 0) == 0.49);
	assert_true(cell_value(p, "tx_bias_ma", 1) == 61);
	assert_true(cell_value(p, "rx_power_dbm", 1) == -40);
	assert_true(isnan(cell_value(p, "rx_power_dbm", 2)));
	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "OSFP 8X Pluggable Transceiver");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "SN0001");
	assert_int_equal(cell_validity(denied, "rx_power_dbm", 0), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(denied, "rx_power_dbm", 0), "cap_net_admin"));
	assert_true(cell_value(sfp, "rx_power_dbm", 0) == -6.02);
	assert_true(cell_value(sfp, "tx_power_dbm", 0) == -3.01);
	assert_true(cell_value(sfp, "tx_bias_ma", 0) == 6.5);
	obs_free(o);
}

static void settings_pcie_and_neighbours(void **state)
{
	struct obs *o = decode("slow", FIXTURES "linux_slow.txt");
	struct obs_port_ref p = at_port(o, "mlx5_0"), dev = at_port(o, NULL);
	char text[128];

	(void)state;
	assert_true(cell_value(p, "pcie_width", 0) == 16);
	assert_true(cell_value(p, "pcie_speed_mtps", 0) == 32000);
	assert_true(cell_value(at_port(o, "mlx5_1"), "pcie_width", 0) == 8);
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_string_equal(attr_word(p, ATTR_MAC, 0), "0a:00:00:00:00:07");
	assert_string_equal(attr_word(dev, ATTR_FIRMWARE, 0), "28.43.1000");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "Linux 6.8.0-45-generic");
	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "GPU Server 8");
	assert_string_equal(lldp_of(p, text, sizeof(text)), "leaf-r0-00:Ethernet56");
	assert_string_equal(lldp_of(at_port(o, "mlx5_1"), text, sizeof(text)), ":");
	assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
	obs_free(o);
}

static void lldp_in_the_collapsing_format_and_refusals(void **state)
{
	static const char head[] = "@@begin 1\n1\n@@map\nm/device/net/e\n@@attr\n"
				   "m/ports/1/state:4: ACTIVE\n@@lldp\n";
	static const char one[] =
		"{\"lldp\":{\"interface\":{\"e\":{\"chassis\":{\"leaf9\":{\"id\":{\"type\":\"mac\","
		"\"value\":\"02:00\"}}},\"port\":{\"id\":{\"type\":\"ifname\",\"value\":"
		"\"Ethernet4\"},"
		"\"descr\":\"to e\"}}}}}\n@@end\n1\n";
	static const char none[] = "{\"lldp\":{}}\n@@end\n1\n";
	static const char missing[] = "sh: 1: lldpcli: not found\n@@end\n1\n";
	static const char denied[] = "[WARN/control] unable to connect to socket\n@@end\n1\n";
	const char *tails[] = {one, none, missing, denied};
	const char *neighbour[] = {"leaf9:Ethernet4", ":", "(none)", "(none)"};
	const enum validity validity[] = {VALID_OK, VALID_OK, VALID_UNSUPPORTED, VALID_DISABLED};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char all[1024], text[128];
		struct obs *o;

		assert_true(str_printf(all, sizeof(all), "%s%s", head, tails[i]));
		o = decode_bytes("slow", all, strlen(all));
		assert_string_equal(lldp_of(at_port(o, "m"), text, sizeof(text)), neighbour[i]);
		assert_int_equal(capability_of(o, "LLDP neighbours", NULL), validity[i]);
		obs_free(o);
	}
}

static void an_answer_that_breaks_off_or_is_another_shell(void **state)
{
	static const char cut[] = "@@begin 1\n1764000000\n@@ib\nm/ports/1/state:4: ACTIVE\n";
	static const char other[] = "This account is currently not available.\n";
	struct obs *o = decode_bytes("fast", cut, strlen(cut));
	struct err err = {0};

	(void)state;
	assert_int_equal(o->ports.n, 1);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.text, "breaks off"));
	obs_free(o);
	o = obs_new("node007", "fast");
	assert_false(backend_by_name("linux")->parse(&node, "fast", other, strlen(other), o, &err));
	assert_non_null(strstr(err.text, "not available"));
	assert_non_null(strstr(err.cure, "sh -s"));
	obs_free(o);
}

/* ---- the scripts, run by the shells of this machine on a small sysfs of our own ---- */

struct sandbox {
	char root[64], path[512], sys[96];
};

static void write_file(const struct sandbox *b, const char *name, const char *text, mode_t mode)
{
	char path[512];
	FILE *f;

	str_printf(path, sizeof(path), "%s/%s", b->root, name);
	for (char *slash = strchr(path + strlen(b->root) + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

static void sandbox_make(struct sandbox *b)
{
	static const char nic[] = "sys/class/infiniband/mlx5_0/";
	static const struct {
		const char *name, *text;
	} files[] = {
		{"ports/1/state", "4: ACTIVE\n"},
		{"ports/1/phys_state", "5: LinkUp\n"},
		{"ports/1/gid_attrs/ndevs/0", "eth0\n"},
		{"ports/1/counters/port_rcv_data", "250\n"},
		{"ports/1/hw_counters/np_cnp_sent", "11\n"},
		{"device/net/eth0/operstate", "up\n"},
		{"device/net/eth0/speed", "400000\n"},
		{"device/net/eth0/carrier_changes", "2\n"},
		{"device/net/eth0/address", "0a:00:00:00:00:01\n"},
		{"device/current_link_width", "16\n"},
		{"fw_ver", "1.2.3\n"},
	};
	char name[256];

	str_copy(b->root, sizeof(b->root), "/tmp/railtop-host-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		str_printf(name, sizeof(name), "%s%s", nic, files[i].name);
		write_file(b, name, files[i].text, 0644);
	}
	write_file(b, "sys/class/dmi/id/product_name", "Box 8\n", 0644);
	write_file(b, "bin/ethtool",
		"#!/bin/sh\ncase \"$*\" in\n"
		"'-S eth0') printf 'NIC statistics:\\n     rx_bytes_phy: 900\\n     rx0_bytes: 7\\n"
		"     rx_prio3_pause: 5\\n     rx_65_to_127_bytes_phy: 1\\n     ch0_events: "
		"4\\n';;\n"
		"*show-fec*) printf 'Active FEC encoding: RS\\n  corrected_bits: 6\\n';;\n"
		"'-m eth0') printf '\\tModule temperature : 44.00 degrees C\\n';;\n"
		"esac\n",
		0755);
	write_file(b, "bin/lldpcli", "#!/bin/sh\necho '{\"lldp\":[{}]}'\n", 0755);
	write_file(
		b, "bin/dcb", "#!/bin/sh\necho '{\"prio_pfc\":[false,false,false,true]}'\n", 0755);
	str_printf(b->path, sizeof(b->path), "PATH=%s/bin:/usr/bin:/bin", b->root);
	str_printf(b->sys, sizeof(b->sys), "SYS=%s/sys", b->root);
}

static void sandbox_remove(const struct sandbox *b)
{
	const char *argv[] = {"rm", "-rf", b->root, NULL};

	free(run_command(argv, NULL, NULL, NULL, NULL));
}

static struct obs *run_script(const struct sandbox *b, const char *const shell[],
	const char *request, const char *script, size_t *bytes)
{
	const char *environment[] = {b->path, b->sys, NULL};
	size_t len;
	char *out = run_command(shell, environment, script, &len, NULL);
	struct obs *o = decode_bytes(request, out, len);

	assert_int_equal(o->err.code, ERR_NONE);
	*bytes = len;
	free(out);
	return o;
}

static void check_shell(const char *const shell[])
{
	struct sandbox b;
	struct obs *o;
	struct obs_port_ref p;
	size_t bytes;

	sandbox_make(&b);
	o = run_script(&b, shell, "fast", linux_fast_script, &bytes);
	p = at_port(o, "mlx5_0");
	assert_int_equal(cell_count(p, "rx_bytes", 0), 900);
	assert_int_equal(cell_count(p, "cnp_sent", 0), 11);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 5);
	assert_int_equal(cell_count(p, "fec_corrected_bits", 0), 6);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "eth0");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(o->device_us > INT64_C(1600000000000000));
	obs_free(o);
	o = run_script(&b, shell, "slow", linux_slow_script, &bytes);
	p = at_port(o, "mlx5_0");
	assert_true(cell_value(p, "temperature_c", 0) == 44);
	assert_true(cell_value(p, "pcie_width", 0) == 16);
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x08);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "Box 8");
	obs_free(o);
	sandbox_remove(&b);
}

static void scripts_in_sh(void **state)
{
	const char *shell[] = {"sh", "-s", NULL};

	(void)state;
	check_shell(shell);
}

static void scripts_in_bash(void **state)
{
	const char *shell[] = {"bash", "-s", NULL};

	(void)state;
	if (!has_program("bash"))
		skip();
	check_shell(shell);
}

static void scripts_in_busybox(void **state)
{
	const char *shell[] = {"busybox", "sh", "-s", NULL};

	(void)state;
	if (!has_program("busybox"))
		skip();
	check_shell(shell);
}

/* Whatever this machine is: the script ends, and its answer can be read. */
static void scripts_on_this_machine(void **state)
{
	const char *shell[] = {"sh", "-s", NULL};
	const char *scripts[] = {linux_fast_script, linux_slow_script};
	const char *requests[] = {"fast", "slow"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		size_t len;
		char *out = run_command(shell, NULL, scripts[i], &len, NULL);
		struct obs *o = decode_bytes(requests[i], out, len);

		assert_int_equal(o->err.code, ERR_NONE);
		obs_free(o);
		free(out);
	}
}

static void hostile_answers_of_hosts(void **state)
{
	static const char *const cases[][2] = {
		{"fast", FIXTURES "linux_fast.txt"}, {"slow", FIXTURES "linux_slow.txt"}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		size_t len;
		char *good = read_file(cases[i][1], &len);

		assert_non_null(good);
		hostile_answers(backend_by_name("linux"), &node, cases[i][0], good, len);
		free(good);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_wire_counts_before_what_is_further_away),
		cmocka_unit_test(roce_pause_and_fec_counters),
		cmocka_unit_test(other_vendors_names),
		cmocka_unit_test(ports_are_named_by_rdma_device_and_number),
		cmocka_unit_test(state_speed_and_identity),
		cmocka_unit_test(absent_counters_say_why),
		cmocka_unit_test(a_host_without_ethtool_or_rdma),
		cmocka_unit_test(modules_of_all_label_styles),
		cmocka_unit_test(settings_pcie_and_neighbours),
		cmocka_unit_test(lldp_in_the_collapsing_format_and_refusals),
		cmocka_unit_test(an_answer_that_breaks_off_or_is_another_shell),
		cmocka_unit_test(scripts_in_sh),
		cmocka_unit_test(scripts_in_bash),
		cmocka_unit_test(scripts_in_busybox),
		cmocka_unit_test(scripts_on_this_machine),
		cmocka_unit_test(hostile_answers_of_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
