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
#include "tests/captures/covered.h"
#include "tests/tools/obs_find.h"
#include "tests/tools/run_command.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SIM          "hosts/sim/"

/* The story of the host captures: rdma3 flaps and has a weak lane, rdma5 is down, rdma6 is copper,
 * mlx5_2 trained at x8. */

static const struct target node = {.device = "gpu-node-03",
	.tier = TIER_HOST,
	.transport = TRANSPORT_SSH,
	.lossless = 1u << 3};

static struct covered needs[] = {{"identity", NOTHING}, {"port state", NOTHING},
	{"port counters", NOTHING}, {"port counters of a real NIC", NOTHING},
	{"RoCE retransmission counters", NOTHING}, {"congestion notifications", NOTHING},
	{"PFC frames per priority", NOTHING}, {"pause duration", NOTHING},
	{"FEC counters", NOTHING}, {"link flaps", NOTHING}, {"optics", NOTHING},
	{"PCIe width", NOTHING}, {"PFC settings", NOTHING}, {"LLDP neighbours", NOTHING},
	{"refusal by the driver", NOTHING}};

static void by(const char *need, enum evidence e)
{
	covered(needs, ARRAY_LEN(needs), need, e);
}

static struct obs *decode(const char *request, const char *bytes, size_t len)
{
	struct obs *o = obs_new(node.device, request);
	struct err err = {0};

	if (!backend_by_name("linux")->parse(&node, request, bytes, len, o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

/* One capture as the only content of a section about a host with one NIC. */
static struct obs *decode_section(const char *request, const char *section, const char *file)
{
	char *text = capture_read(file, NULL);
	struct buf b;
	struct obs *o;

	buf_init(&b, 1u << 20);
	buf_adds(&b, "@@begin 1\n1\n@@map\nmlx5_3/device/net/rdma3\n");
	buf_addf(&b, "@@%s\nmlx5_3/ports/1/state:4: ACTIVE\n",
		str_eq(request, "fast") ? "ib" : "attr");
	buf_addf(&b, "@@%s\n%s\n@@end\n2\n", section, text);
	o = decode(request, b.data, b.len);
	buf_free(&b);
	free(text);
	return o;
}

static const char *const versions[] = {"6.1", "6.14.2", "7.2"};

static void fec_of_all_versions(void **state)
{
	static const char *const variants[] = {"flap", "flap-lanes"};
	char file[128];

	(void)state;
	for (size_t v = 0; v < ARRAY_LEN(versions); v++)
		for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
			struct obs *o;
			struct obs_port_ref p;

			str_printf(file, sizeof(file), SIM "ethtool/%s/I-fec_%s.txt", versions[v],
				variants[i]);
			o = decode_section("fast", "fec rdma3", file);
			p = at_port(o, "mlx5_3");
			assert_true(cell_count(p, "fec_corrected_codewords", 0) ==
				    UINT64_C(98214776631));
			assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1841);
			assert_true(
				cell_count(p, "fec_corrected_bits", 0) == UINT64_C(130911288301));
			assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
			obs_free(o);
			str_printf(
				file, sizeof(file), SIM "ethtool/%s/I-fec_down.txt", versions[v]);
			o = decode_section("fast", "fec rdma3", file);
			assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_FEC, 0), "none");
			obs_free(o);
		}
	by("FEC counters", REAL);
}

static void driver_statistics_of_all_versions(void **state)
{
	char file[128];

	(void)state;
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct obs *o;
		struct obs_port_ref p;

		str_printf(file, sizeof(file), SIM "ethtool/%s/S_flap.txt", versions[v]);
		o = decode_section("fast", "stats rdma3", file);
		p = at_port(o, "mlx5_3");
		assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(376811002113991));
		assert_true(cell_count(p, "tx_bytes", 0) == UINT64_C(367211339002113));
		assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 386);
		assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 1841);
		assert_int_equal(cell_count(p, "link_down_events", 0), 37);
		assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 9812201);
		assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 8812733);
		assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 93122011);
		assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 82033911);
		assert_int_equal(cell_count(p, "rx_prio_discards", 3), 1902);
		assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(366720420212335));
		obs_free(o);
	}
	by("port counters", REAL);
	by("PFC frames per priority", REAL);
	by("pause duration", REAL);
	by("link flaps", REAL);
}

static void modules_of_all_versions(void **state)
{
	char file[128];

	(void)state;
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct obs *o;
		struct obs_port_ref p;

		str_printf(file, sizeof(file), SIM "ethtool/%s/m_flap.txt", versions[v]);
		o = decode_section("slow", "module rdma3", file);
		p = at_port(o, "mlx5_3");
		assert_true(cell_value(p, "temperature_c", 0) == 71.30);
		assert_true(cell_value(p, "voltage_v", 0) == 3.2793);
		assert_true(cell_value(p, "rx_power_dbm", 2) == -8.50);
		assert_true(cell_value(p, "tx_power_dbm", 2) == 1.30);
		assert_true(cell_value(p, "tx_bias_ma", 2) == 60.84);
		/* Four of the eight lanes are in use. */
		assert_true(isnan(cell_value(p, "rx_power_dbm", 4)));
		assert_true(isnan(cell_value(p, "tx_bias_ma", 7)));
		assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "MT2334FT10451");
		obs_free(o);
		str_printf(file, sizeof(file), SIM "ethtool/%s/m_down.txt", versions[v]);
		o = decode_section("slow", "module rdma3", file);
		assert_true(cell_value(at_port(o, "mlx5_3"), "rx_power_dbm", 0) == -40);
		obs_free(o);
		str_printf(file, sizeof(file), SIM "ethtool/%s/m_dac.txt", versions[v]);
		o = decode_section("slow", "module rdma3", file);
		assert_int_equal(
			cell_validity(at_port(o, "mlx5_3"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
		obs_free(o);
	}
	by("optics", REAL);
}

static void drivers_that_support_nothing(void **state)
{
	struct obs *o =
		decode_section("slow", "module rdma3", "hosts/ethtool/real-virtio_net/m_6.1.txt");

	(void)state;
	assert_int_equal(
		cell_validity(at_port(o, "mlx5_3"), "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);
	o = decode_section("fast", "fec rdma3", "hosts/ethtool/real-virtio_net/fec_7.2.txt");
	assert_int_equal(cell_validity(at_port(o, "mlx5_3"), "fec_corrected_codewords", 0),
		VALID_UNSUPPORTED);
	obs_free(o);
	o = decode_section("fast", "stats rdma3", "hosts/ethtool/real-virtio_net/S_6.1.txt");
	assert_int_equal(cell_validity(at_port(o, "mlx5_3"), "rx_bytes", 0), VALID_UNSUPPORTED);
	obs_free(o);
	by("refusal by the driver", REAL);
}

static void neighbours_in_every_format(void **state)
{
	static const struct {
		const char *file, *peer;
	} cases[] = {
		{"hosts/lldp/neighbors-0.json", ":"},
		{"hosts/lldp/neighbors-0.json0", ":"},
		{"hosts/lldp/neighbors-1.json", "leaf01:Ethernet8"},
		{"hosts/lldp/neighbors-1-details.json", "leaf01:Ethernet8"},
		{"hosts/lldp/neighbors-1.json0", "leaf01:Ethernet8"},
		{"hosts/lldp/neighbors-2.json", "leaf01:Ethernet8"},
		{"hosts/lldp/neighbors-2-details.json", "leaf01:Ethernet8"},
		{"hosts/lldp/neighbors-2.json0", "leaf01:Ethernet8"},
		{"hosts/lldp/neighbors-8rails.json", "leaf01:Ethernet16"},
		{"hosts/lldp/neighbors-8rails.json0", "leaf01:Ethernet16"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text = capture_read(cases[i].file, NULL), peer[128];
		struct buf b;
		struct obs *o;

		buf_init(&b, 1u << 20);
		buf_addf(&b,
			"@@begin 1\n1\n@@map\nmlx5_0/device/net/rdma0\n@@attr\n"
			"mlx5_0/ports/1/state:4: ACTIVE\n@@lldp\n%s\n@@end\n2\n",
			text);
		o = decode("slow", b.data, b.len);
		if (!str_eq(lldp_of(at_port(o, "mlx5_0"), peer, sizeof(peer)), cases[i].peer))
			fail_msg("%s: %s", cases[i].file, peer);
		obs_free(o);
		buf_free(&b);
		free(text);
	}
	by("LLDP neighbours", REAL);
}

static void pfc_settings_of_both_releases(void **state)
{
	static const char *const files[] = {SIM "dcb/6.1/pfc.json", SIM "dcb/7.3/pfc.json"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct obs *o = decode_section("slow", "pfc rdma3", files[i]);

		assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_PFC_ENABLED, 0) == 0x08);
		obs_free(o);
	}
	by("PFC settings", REAL);
}

/* ---- the scripts themselves on the captured sysfs, with the captured tools' output ---- */

struct sandbox {
	char root[64], path[512], sys[96];
};

static void write_tool(const struct sandbox *b, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	str_printf(path, sizeof(path), "%s/%s", b->root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(path, 0755);
}

static void sandbox_make(struct sandbox *b, const char *version)
{
	char tar[512], sim[512], script[2048];

	capture_path(SIM "sys-gpu-node-03.tar.gz", tar, sizeof(tar));
	capture_path(SIM, sim, sizeof(sim));
	str_copy(b->root, sizeof(b->root), "/tmp/railtop-host-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	const char *unpack[] = {"tar", "xzf", tar, "-C", b->root, NULL};
	free(run_command(unpack, NULL, NULL, NULL, NULL));
	str_printf(script, sizeof(script),
		"#!/bin/sh\nC='%s/ethtool/%s'\nfor n in \"$@\"; do :; done\n"
		"case $n in rdma3) v=flap;; rdma5) v=down;; rdma6) v=dac;; *) v=good;; esac\n"
		"case \"$*\" in\n-S*) [ $v = flap ] || v=good; cat $C/S_$v.txt;;\n"
		"*--show-fec*) cat $C/I-fec_$v.txt;;\n-m*) cat $C/m_$v.txt;;\n"
		"-i*) cat $C/i.txt;;\n*) echo \"ethtool version %s\";;\nesac\n",
		sim, version, version);
	write_tool(b, "ethtool", script);
	str_printf(script, sizeof(script), "#!/bin/sh\ncat '%s/../lldp/neighbors-8rails.json0'\n",
		sim);
	write_tool(b, "lldpcli", script);
	str_printf(script, sizeof(script), "#!/bin/sh\ncat '%s/dcb/6.1/pfc.json'\n", sim);
	write_tool(b, "dcb", script);
	str_printf(b->path, sizeof(b->path), "PATH=%s:/usr/bin:/bin", b->root);
	str_printf(b->sys, sizeof(b->sys), "SYS=%s/sys", b->root);
}

static void sandbox_remove(const struct sandbox *b)
{
	const char *argv[] = {"rm", "-rf", b->root, NULL};

	free(run_command(argv, NULL, NULL, NULL, NULL));
}

static struct obs *run_script(
	const struct sandbox *b, const char *shell, const char *request, const char *script)
{
	const char *argv[] = {shell, "-s", NULL}, *environment[] = {b->path, b->sys, NULL};
	size_t len;
	char *out = run_command(argv, environment, script, &len, NULL);
	struct obs *o = decode(request, out, len);

	assert_int_equal(o->err.code, ERR_NONE);
	print_message("# figure %s script: %zu ports, %zu bytes\n", request, o->ports.n, len);
	free(out);
	return o;
}

static void check_fast(const struct sandbox *b)
{
	struct obs *o = run_script(b, "sh", "fast", linux_fast_script);
	struct obs_port_ref p = at_port(o, "mlx5_3"), down = at_port(o, "mlx5_5");

	assert_int_equal(o->ports.n, 8);
	assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "rdma3");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(down, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(down, ATTR_DOWN_REASON, 0), "Disabled");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(isnan(attr_number(down, ATTR_SPEED_MBPS, 0)));
	assert_int_equal(cell_count(p, "carrier_changes", 0), 76);
	assert_int_equal(cell_count(p, "link_down_events", 0), 37);
	assert_int_equal(cell_count(p, "cnp_sent", 0), 4226919);
	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 20217);
	assert_int_equal(cell_count(p, "packet_seq_err", 0), 95435);
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(376811002113991));
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 82033911);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1841);
	assert_int_equal(cell_count(at_port(o, "mlx5_0"), "carrier_changes", 0), 2);
	obs_free(o);
}

static void check_slow(const struct sandbox *b)
{
	struct obs *o = run_script(b, "sh", "slow", linux_slow_script);
	char text[128];

	assert_true(cell_value(at_port(o, "mlx5_3"), "pcie_width", 0) == 16);
	assert_true(cell_value(at_port(o, "mlx5_2"), "pcie_width", 0) == 8);
	assert_true(cell_value(at_port(o, "mlx5_3"), "pcie_speed_mtps", 0) == 32000);
	assert_true(cell_value(at_port(o, "mlx5_3"), "rx_power_dbm", 2) == -8.50);
	assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_PFC_ENABLED, 0) == 0x08);
	assert_string_equal(lldp_of(at_port(o, "mlx5_3"), text, sizeof(text)), "leaf04:Ethernet16");
	assert_string_equal(lldp_of(at_port(o, "mlx5_5"), text, sizeof(text)), ":");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_FIRMWARE, 0), "28.43.2026");
	obs_free(o);
}

static void scripts_on_the_captured_host(void **state)
{
	(void)state;
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct sandbox b;

		sandbox_make(&b, versions[v]);
		check_fast(&b);
		check_slow(&b);
		sandbox_remove(&b);
	}
	by("identity", AUTHORED);
	by("port state", AUTHORED);
	by("RoCE retransmission counters", AUTHORED);
	by("congestion notifications", AUTHORED);
	by("PCIe width", AUTHORED);
}

/* A real node's sysfs (without netdevs): the script reads what there is. */
static void scripts_on_a_real_nodes_sysfs(void **state)
{
	char tree[512];
	struct sandbox b = {0};
	struct obs *o;
	struct obs_port_ref p;

	(void)state;
	capture_path("hosts/sysfs/gpud-h100-ib", tree, sizeof(tree));
	str_copy(b.root, sizeof(b.root), "/tmp/railtop-host-XXXXXX");
	assert_non_null(mkdtemp(b.root));
	char cls[96], ib[128];
	str_printf(cls, sizeof(cls), "%s/sys/class", b.root);
	str_printf(ib, sizeof(ib), "%s/infiniband", cls);
	const char *make[] = {"mkdir", "-p", cls, NULL}, *copy[] = {"cp", "-r", tree, ib, NULL};
	free(run_command(make, NULL, NULL, NULL, NULL));
	free(run_command(copy, NULL, NULL, NULL, NULL));
	str_copy(b.path, sizeof(b.path), "PATH=/usr/bin:/bin");
	str_printf(b.sys, sizeof(b.sys), "SYS=%s/sys", b.root);
	o = run_script(&b, "sh", "fast", linux_fast_script);
	assert_true(has_port(o, "mlx5_bond_0"));
	p = at_port(o, "mlx5_0");
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(230539874932483) * 4);
	assert_true(cell_count(p, "tx_bytes", 0) == UINT64_C(230442669431839) * 4);
	assert_true(cell_count(p, "rx_packets", 0) == UINT64_C(317548853677));
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 0);
	/* This port runs InfiniBand: no CNPs, and that is no zero. */
	assert_int_equal(cell_validity(p, "cnp_sent", 0), VALID_UNSUPPORTED);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	obs_free(o);
	const char *make_writable[] = {"chmod", "-R", "u+w", b.root, NULL};
	free(run_command(make_writable, NULL, NULL, NULL, NULL));
	sandbox_remove(&b);
	by("port counters of a real NIC", REAL);
	by("RoCE retransmission counters", REAL);
}

static void what_rests_on_which_capture(void **state)
{
	(void)state;
	covered_print("linux", needs, ARRAY_LEN(needs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fec_of_all_versions),
		cmocka_unit_test(driver_statistics_of_all_versions),
		cmocka_unit_test(modules_of_all_versions),
		cmocka_unit_test(drivers_that_support_nothing),
		cmocka_unit_test(neighbours_in_every_format),
		cmocka_unit_test(pfc_settings_of_both_releases),
		cmocka_unit_test(scripts_on_the_captured_host),
		cmocka_unit_test(scripts_on_a_real_nodes_sysfs),
		cmocka_unit_test(what_rests_on_which_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
