/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/host_script.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/obs_same.h"
#include "tests/support/run_command.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SIM          "hosts/sim/"

/*
 * The scripts themselves, on captured trees of /sys with the captured output of the tools. Also
 * whole answers that another script of the same kind once got from such a host.
 */

static struct covered needs[] = {{"identity", NOTHING}, {"port state", NOTHING},
	{"port counters", NOTHING}, {"RoCE retransmission counters", NOTHING},
	{"congestion notifications", NOTHING}, {"PCIe width and speed", NOTHING},
	{"DCQCN settings", NOTHING}, {"LLDP neighbours", NOTHING}, {"RDMA devices", NOTHING}};

static void by(const char *need, enum evidence e)
{
	covered(needs, ARRAY_LEN(needs), need, e);
}

static const char *const versions[] = {"6.1", "6.14.2", "7.2"};

static void captured_host(struct sandbox *b, const char *version)
{
	char tar[512], sim[512], script[2048];

	sandbox_open(b);
	capture_path(SIM "sys-gpu-node-03.tar.gz", tar, sizeof(tar));
	capture_path(SIM, sim, sizeof(sim));
	const char *unpack[] = {"tar", "xzf", tar, "-C", b->root, NULL};
	free(run_command(unpack, NULL, NULL, NULL, NULL));
	str_printf(script, sizeof(script),
		"C='%s/ethtool/%s'\nfor n in \"$@\"; do :; done\n"
		"case \"$*\" in --get-tunable*) n=$2;; esac\n"
		"case $n in rdma3) v=flap;; rdma5) v=down;; rdma6) v=dac;; *) v=good;; esac\n"
		"case \"$*\" in\n-S*) [ $v = flap ] || v=good; cat $C/S_$v.txt;;\n"
		"*--show-fec*) cat $C/I-fec_$v.txt;;\n-m*) cat $C/m_$v.txt;;\n"
		"-a*|'-I -a'*) cat $C/I-a_$v.txt;;\n-I*) cat $C/I-settings_$v.txt;;\n"
		"--get-tunable*) cat $C/get-tunable-pfc-prevention-tout.txt;;\n"
		"-i*) cat $C/i.txt;;\n*) echo \"ethtool version %s\";;\nesac\n",
		sim, version, version);
	sandbox_tool(b, "ethtool", script);
	str_printf(script, sizeof(script), "cat '%s/../lldp/neighbors-8rails.json0'\n", sim);
	sandbox_tool(b, "lldpcli", script);
	str_printf(script, sizeof(script),
		"cat '%s/dcb/%s/'$2.json 2>/dev/null || cat '%s/dcb/6.1/'$2.txt\n", sim,
		str_eq(version, "6.1") ? "6.1" : "7.3", sim);
	sandbox_tool(b, "dcb", script);
}

static void check_fast(const struct sandbox *b, const char *head)
{
	struct obs_port_ref p, down;
	char script[16384];
	struct obs *o;

	assert_true(str_printf(script, sizeof(script), "%s%s", head, linux_fast_script));
	o = sandbox_run(b, "fast", script);
	p = at_port(o, "mlx5_3");
	down = at_port(o, "mlx5_5");

	assert_int_equal(o->ports.n, 8);
	assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "rdma3");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(down, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(down, ATTR_DOWN_REASON, 0),
		"Bad signal integrity, Large number of physical errors");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(isnan(attr_number(down, ATTR_SPEED_MBPS, 0)));
	assert_int_equal(cell_count(p, "carrier_changes", 0), 76);
	assert_int_equal(cell_count(p, "link_down_events", 0), 37);
	assert_int_equal(cell_count(p, "cnp_sent", 0), 4226919);
	assert_int_equal(cell_count(p, "cnp_handled", 0), 4212682);
	assert_int_equal(cell_count(p, "ecn_marked_roce_packets", 0), 93323419);
	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 20217);
	assert_int_equal(cell_count(p, "packet_seq_err", 0), 95435);
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 189907);
	assert_int_equal(cell_count(p, "duplicate_request", 0), 30950);
	assert_int_equal(cell_count(p, "transport_retries_exceeded", 0), 1);
	assert_int_equal(cell_count(p, "rx_icrc_errors", 0), 7);
	assert_int_equal(cell_count(p, "implied_nak_seq_err", 0), 44);
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(376811002113991));
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 82033911);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1841);
	assert_int_equal(cell_count(at_port(o, "mlx5_0"), "carrier_changes", 0), 2);
	obs_free(o);
}

static void check_slow(const struct sandbox *b)
{
	struct obs *o = sandbox_run(b, "slow", linux_slow_script);

	assert_true(cell_value(at_port(o, "mlx5_3"), "pcie_width", 0) == 16);
	assert_true(cell_value(at_port(o, "mlx5_2"), "pcie_width", 0) == 8);
	assert_true(attr_number(at_port(o, "mlx5_2"), ATTR_PCIE_MAX_WIDTH, 0) == 16);
	assert_true(attr_number(at_port(o, "mlx5_2"), ATTR_PCIE_MAX_MTPS, 0) == 32000);
	assert_true(cell_value(at_port(o, "mlx5_3"), "pcie_speed_mtps", 0) == 32000);
	assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_PCI_ADDR, 0), "0000:5e:00.0");
	assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_MAC, 0), "b8:3f:d2:a1:b3:03");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_FIRMWARE, 0), "28.43.2026");
	obs_free(o);
}

static void check_rest(const struct sandbox *b, bool has_apptrust)
{
	struct obs *o = sandbox_run(b, "qos", linux_qos_script);
	struct obs_port_ref p = at_port(o, "mlx5_3");
	char text[128];

	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x08);
	assert_true(attr_number(p, ATTR_ROCE_TCLASS, 0) == 104);
	assert_true(attr_number(p, ATTR_CNP_DSCP, 0) == 48);
	assert_true(attr_number(p, ATTR_CNP_PRIO, 0) == 6);
	assert_true(attr_number(p, ATTR_DCQCN_NP, 0) == 0xff);
	assert_true(attr_number(p, ATTR_DCQCN_RP, 0) == 0xff);
	assert_true(attr_number(p, ATTR_STORM_TOUT_MS, 0) == 8000);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), has_apptrust ? "dscp" : "(none)");
	assert_null(log_text(o, NULL));
	obs_free(o);
	o = sandbox_run(b, "optics", linux_optics_script);
	assert_true(cell_value(at_port(o, "mlx5_3"), "rx_power_dbm", 2) == -8.50);
	assert_int_equal(cell_validity(at_port(o, "mlx5_6"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	obs_free(o);
	o = sandbox_run(b, "lldp", linux_lldp_script);
	assert_string_equal(lldp_of(at_port(o, "mlx5_3"), text, sizeof(text)), "leaf04:etp3a");
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_LLDP_MGMT, 0), "10.100.0.4");
	assert_string_equal(lldp_of(at_port(o, "mlx5_5"), text, sizeof(text)), ":");
	obs_free(o);
	o = sandbox_run(b, "detect", linux_detect_script);
	assert_int_equal(o->ports.n, 8);
	obs_free(o);
}

CASE(scripts_on_the_captured_host)
{
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct sandbox b;

		captured_host(&b, versions[v]);
		check_fast(&b, "");
		check_fast(&b, linux_fast_head);
		check_slow(&b);
		check_rest(&b, v > 0);
		sandbox_close(&b);
	}
	by("identity", AUTHORED);
	by("port state", AUTHORED);
	by("RoCE retransmission counters", AUTHORED);
	by("congestion notifications", AUTHORED);
	by("PCIe width and speed", AUTHORED);
	by("DCQCN settings", AUTHORED);
	by("RDMA devices", AUTHORED);
}

/* The script without its filter: all that the tool prints. */
static void whole_script(char *dst, size_t size)
{
	const char *from = strstr(linux_optics_script, "LC_ALL=C grep -iE '");

	assert_non_null(from);
	assert_true(str_printf(dst, size, "%.*scat%s", (int)(from - linux_optics_script),
		linux_optics_script, strchr(strchr(from, '\'') + 1, '\'') + 1));
}

/*
 * Each captured module gives the same data, whether the host prints all of it or the filtered
 * lines.
 */
CASE(modules_filtered_on_the_host)
{
	static const char *const kinds[] = {"good", "flap", "down", "dac"};
	char all[16384], sim[512], tool[1024];

	whole_script(all, sizeof(all));
	for (size_t i = 0; i < ARRAY_LEN(versions) * ARRAY_LEN(kinds); i++) {
		struct obs *whole, *filtered;
		struct sandbox b;

		captured_host(&b, versions[i % ARRAY_LEN(versions)]);
		capture_path(SIM, sim, sizeof(sim));
		str_printf(tool, sizeof(tool), "cat '%s/ethtool/%s/m_%s.txt'\n", sim,
			versions[i % ARRAY_LEN(versions)], kinds[i / ARRAY_LEN(versions)]);
		sandbox_tool(&b, "ethtool", tool);
		sandbox_tool(&b, "date", "echo 1764000000000000000\n");
		whole = sandbox_run(&b, "optics", all);
		filtered = sandbox_run(&b, "optics", linux_optics_script);
		assert_true(whole->items.n > 50);
		obs_same(whole, filtered);
		obs_free(whole);
		obs_free(filtered);
		sandbox_close(&b);
	}
}

static void real_tree(struct sandbox *b, const char *capture, const char *below)
{
	char tree[512], cls[96], ib[160];

	sandbox_open(b);
	capture_path(capture, tree, sizeof(tree));
	str_printf(cls, sizeof(cls), "%s/sys/class/infiniband", b->root);
	str_printf(ib, sizeof(ib), "%s/%s", cls, below);
	const char *make[] = {"mkdir", "-p", cls, NULL};
	const char *copy[] = {"cp", "-rT", tree, ib, NULL};
	free(run_command(make, NULL, NULL, NULL, NULL));
	free(run_command(copy, NULL, NULL, NULL, NULL));
}

/* A real node's sysfs (without netdevs): the script reads the files that exist. */
CASE(scripts_on_a_real_nodes_sysfs)
{
	struct sandbox b;
	struct obs *o;
	struct obs_port_ref p;

	real_tree(&b, "hosts/sysfs/gpud-h100-ib", ".");
	o = sandbox_run(&b, "fast", linux_fast_script);
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
	sandbox_close(&b);
	real_tree(&b, "hosts/sysfs/procfs/mlx5_0", "mlx5_0");
	o = sandbox_run(&b, "fast", linux_fast_script);
	p = at_port(o, "mlx5_0");
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(18126345378) * 4);
	assert_true(cell_count(p, "tx_packets", 0) == UINT64_C(10907922116));
	assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 131);
	assert_int_equal(cell_count(p, "duplicate_request", 0), 41);
	assert_int_equal(cell_count(p, "roce_adp_retrans", 0), 99);
	assert_int_equal(cell_count(p, "out_of_sequence", 0), 1);
	assert_int_equal(capability_of(o, "RoCE retransmission counters", NULL), VALID_OK);
	obs_free(o);
	sandbox_close(&b);
	by("port counters", REAL);
	by("RoCE retransmission counters", REAL);
}

/* The host's filter, the real grep, drops only lines that the parser would drop. */
CASE(the_hosts_filter_takes_nothing_away)
{
	static const char *const files[] = {"hosts/sim/ethtool/6.1/S_flap.txt",
		"hosts/sim/ethtool/7.2/S_flap.txt", "hosts/sim/ethtool/6.14.2/S_good.txt",
		"hosts/ethtool/node_exporter/bond0_statistics.txt",
		"hosts/ethtool/node_exporter/eth0_statistics.txt",
		"hosts/ethtool/real-virtio_net/S_7.2.txt"};
	char path[512], script[8192];
	const char *shell[] = {"sh", "-s", NULL};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct obs *all, *some;
		size_t len, whole;
		struct buf b;
		char *kept, *text = capture_read(files[i], &whole);

		assert_true(str_printf(script, sizeof(script), "%sgrep -E \"$W\" '%s'\n",
			linux_fast_head, capture_path(files[i], path, sizeof(path))));
		kept = run_command(shell, NULL, script, &len, NULL);
		assert_non_null(kept);
		assert_true(len < whole);
		script_begin(&b);
		script_port(&b, "mlx5_3", "rdma3");
		script_text(&b, "stats rdma3", text);
		all = script_decode(&b, "fast");
		script_begin(&b);
		script_port(&b, "mlx5_3", "rdma3");
		script_text(&b, "stats rdma3", kept);
		some = script_decode(&b, "fast");
		obs_same(all, some);
		print_message("# figure %s: %zu bytes, %zu of them wanted\n", files[i], whole, len);
		obs_free(all);
		obs_free(some);
		free(kept);
		free(text);
	}
}

/* A NIC with 63 channels prints 860 kB; the kernel's names of rings do not look like ours. */
CASE(rings_stay_on_the_host)
{
	static const char script[] =
		"grep -cE \"$W\" <<END\n     rx0_packets: 1\n     rx12_xdp_drop: 1\n"
		"     tx_xsk_full: 1\n     rx_64_bytes_phy: 1\n     rx_prio3_pause: 1\n"
		"     rx_prio3_pause_transition: 1\n     rx_prio3_pauses: 1\n"
		"     rx_prio8_pause: 1\n     xrx_bytes_phy: 1\n     rx_bytes_phy_x: 1\nEND\n";
	char whole[8192];
	const char *shell[] = {"sh", "-s", NULL};
	char *said;
	size_t len;

	assert_true(str_printf(whole, sizeof(whole), "%s%s", linux_fast_head, script));
	said = run_command(shell, NULL, whole, &len, NULL);
	assert_string_equal(said, "2\n");
	free(said);
}

/* ---- whole answers of another script: its titles in ours ---- */

static const struct {
	const char *theirs, *ours;
} titles[] = {{"@@S ", "@@stats "}, {"@@F ", "@@fec "}, {"@@ethtool -i ", "@@driver "},
	{"@@ethtool -I -a ", "@@flow "}, {"@@ethtool -I ", "@@link "},
	{"@@ethtool -m ", "@@module "}, {"@@ethtool --get-tunable ", "@@tunable "},
	{"@@dcb -j -s -N pfc show dev ", "@@pfc "}, {"@@dcb -j -s -N ets show dev ", "@@ets "},
	{"@@dcb -j -s -N app show dev ", "@@app "},
	{"@@dcb -j -s -N buffer show dev ", "@@buffer "},
	{"@@dcb -j -s -N apptrust show dev ", "@@apptrust "}, {"@@rdma -j -d link", "@@rlink"},
	{"@@ecn ", "@@ecn "}, {"@@lldpcli -f json0 show neighbors details", "@@lldp"}};

/*
 * One line in our script's form: a title, a name that belongs to it ("rdma0"), or a line of a
 * section.
 */
static void translate(struct buf *b, const char *line, char netdev[64])
{
	char rdma[64], path[256];

	if (strncmp(line, "@@end", 5) == 0 || strncmp(line, "@@fast", 6) == 0 ||
		strncmp(line, "@@slow", 6) == 0)
		return;
	if (sscanf(line, "@@pci %63s %255s", rdma, path) == 2) {
		buf_addf(b, "@@pci\n%s/device:%s\n", rdma, path);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(titles); i++) {
		if (!str_starts(line, titles[i].theirs))
			continue;
		line += strlen(titles[i].theirs);
		str_copyn(netdev, 64, line, strcspn(line, " "));
		buf_addf(b, "%s%s\n",
			str_eq(titles[i].ours, "@@ecn ") ? "@@dcqcn " : titles[i].ours, netdev);
		return;
	}
	if (str_starts(line, "roce_"))
		buf_addf(b, "%s/ecn/", netdev);
	buf_addf(b, "%s\n", line);
}

static struct obs *collected(const char *request, const char *file)
{
	char *text = capture_read(file, NULL), *rest = text, *line, netdev[64] = "";
	struct buf b;

	script_begin(&b);
	while ((line = strsep(&rest, "\n")))
		translate(&b, line, netdev);
	free(text);
	return script_decode(&b, request);
}

CASE(answers_that_were_collected)
{
	static const char *const tools[] = {"tools61", "tools72"};

	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		char file[128], text[128];
		struct obs *o;

		str_printf(file, sizeof(file), "hosts/collector/fast_gpu-node-03_%s.txt", tools[i]);
		o = collected("fast", file);
		assert_int_equal(o->ports.n, 8);
		assert_int_equal(
			cell_count(at_port(o, "mlx5_3"), "local_ack_timeout_err", 0), 20217);
		assert_int_equal(cell_count(at_port(o, "mlx5_3"), "link_down_events", 0), 37);
		assert_string_equal(attr_word(at_port(o, "mlx5_5"), ATTR_OPER, 0), "down");
		assert_int_equal(
			cell_count(at_port(o, "mlx5_0"), "fec_corrected_codewords", 0), 4210983);
		obs_free(o);
		str_printf(file, sizeof(file), "hosts/collector/slow_gpu-node-03_%s.txt", tools[i]);
		o = collected("slow", file);
		assert_true(cell_value(at_port(o, "mlx5_2"), "pcie_width", 0) == 8);
		assert_string_equal(
			attr_word(at_port(o, "mlx5_3"), ATTR_PCI_ADDR, 0), "0000:5e:00.0");
		obs_free(o);
		o = collected("qos", file);
		assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_PFC_ENABLED, 0) == 0x08);
		assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_DCQCN_RP, 0) == 0xff);
		assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_CNP_DSCP, 0) == 48);
		obs_free(o);
		o = collected("optics", file);
		assert_true(cell_value(at_port(o, "mlx5_3"), "rx_power_dbm", 2) == -8.50);
		obs_free(o);
		o = collected("lldp", file);
		assert_string_equal(
			lldp_of(at_port(o, "mlx5_0"), text, sizeof(text)), "leaf01:etp3a");
		obs_free(o);
	}
}

/* ---- LLDP in every format that carries JSON ---- */

CASE(neighbours_in_every_format)
{
	static const struct {
		const char *file, *peer, *mgmt;
	} cases[] = {
		{"neighbors-0.json", ":", "(none)"},
		{"neighbors-0.json0", ":", "(none)"},
		{"neighbors-1.json", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-1-details.json", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-1.json0", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-2.json", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-2-details.json", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-2.json0", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-2-summary.json", "leaf01:etp2", "(none)"},
		{"neighbors-ports-rdma0.json", "leaf01:etp2", "10.100.0.10"},
		{"neighbors-8rails.json", "leaf01:etp3a", "10.100.0.4"},
		{"neighbors-8rails-details.json", "leaf01:etp3a", "10.100.0.4"},
		{"neighbors-8rails.json0", "leaf01:etp3a", "10.100.0.4"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char file[128], peer[128];
		struct buf b;
		struct obs *o;

		str_printf(file, sizeof(file), "hosts/lldp/%s", cases[i].file);
		script_begin(&b);
		script_port(&b, "mlx5_0", "rdma0");
		script_file(&b, "lldp", file);
		o = script_decode(&b, "lldp");
		if (!str_eq(lldp_of(at_port(o, "mlx5_0"), peer, sizeof(peer)), cases[i].peer))
			fail_msg("%s: %s", cases[i].file, peer);
		if (!str_eq(attr_word(at_port(o, "mlx5_0"), ATTR_LLDP_MGMT, 0), cases[i].mgmt))
			fail_msg("%s: %s", cases[i].file,
				attr_word(at_port(o, "mlx5_0"), ATTR_LLDP_MGMT, 0));
		obs_free(o);
	}
	by("LLDP neighbours", REAL);
}

CASE(what_rests_on_which_capture)
{
	covered_print("linux", needs, ARRAY_LEN(needs));
}

CASES_MAIN(NULL, NULL)
