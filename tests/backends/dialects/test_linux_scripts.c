/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/dialects/linux/change.h"
#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/run_command.h"

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

static const char *fact_of(const struct obs *o, const char *key)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT &&
			str_eq(obs_text(o, o->items.at[i].text), key))
			return obs_text(o, o->items.at[i].text2);
	return NULL;
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
		{"../../net/eth0/operstate", "up\n"},
		{"../../net/eth0/speed", "400000\n"},
		{"../../net/eth0/carrier_changes", "2\n"},
		{"../../net/eth0/address", "0a:00:00:00:00:01\n"},
		{"../../net/eth0/ecn/roce_np/enable/3", "1\n"},
		{"../../net/eth0/qos/trust", "dscp\n"},
		{"device/net/eth0/name_assign_type", "4\n"},
		{"tc/1/traffic_class", "Global tclass=104\n"},
		{"device/current_link_width", "16\n"},
		{"fw_ver", "1.2.3\n"},
	};
	char name[256];

	str_copy(b->root, sizeof(b->root), "/tmp/railtop-host-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	write_file(b, "sys/devices/pci0000:5a/0000:5d:00.0/vendor", "0x15b3\n", 0644);
	write_file(b, "sys/class/infiniband/mlx5_0/hca_type", "MT4129\n", 0644);
	str_printf(name, sizeof(name), "%s/sys/class/infiniband/mlx5_0/device", b->root);
	assert_int_equal(symlink("../../../devices/pci0000:5a/0000:5d:00.0", name), 0);
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
	write_file(b, "sys/class/infiniband/mlx5_0/device/numa_node", "1\n", 0644);
	write_file(b, "sys/class/infiniband/mlx5_0/device/iommu_group/type", "identity\n", 0644);
	write_file(b, "sys/module/nvidia/version", "570.86.15\n", 0644);
	write_file(b, "bin/id", "#!/bin/sh\necho 0\n", 0755);
	write_file(b, "bin/lspci",
		"#!/bin/sh\n[ \"$*\" = '-D -vvv' ] && printf '%s\\n'"
		" '0000:5a:01.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)'"
		" '\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+'"
		" '\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+'"
		" '0000:5c:00.0 PCI bridge: Other' '\t\tACSCtl:\tSrcValid- ReqRedir- CmpltRedir-'"
		" '0000:5d:00.0 Ethernet controller: Mellanox MT2910 Family [ConnectX-7]'"
		" '\t\tDevCap:\tMaxPayload 1024 bytes, PhantFunc 0, Latency L0s unlimited'"
		" '\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-'"
		" '\t\t\tMaxPayload 512 bytes, MaxReadReq 4096 bytes'"
		" '0000:5e:00.0 3D controller: NVIDIA' '\t\t\tMaxPayload 256 bytes, MaxReadReq 512 "
		"bytes'\n",
		0755);
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

static void check_rest(const struct sandbox *b, const char *const shell[])
{
	size_t bytes;
	struct obs *o = run_script(b, shell, "optics", linux_optics_script, &bytes);
	struct obs_port_ref p = at_port(o, "mlx5_0");
	char text[64];

	assert_true(cell_value(p, "temperature_c", 0) == 44);
	obs_free(o);
	o = run_script(b, shell, "lldp", linux_lldp_script, &bytes);
	assert_string_equal(lldp_of(at_port(o, "mlx5_0"), text, sizeof(text)), ":");
	obs_free(o);
	o = run_script(b, shell, "qos", linux_qos_script, &bytes);
	p = at_port(o, "mlx5_0");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x08);
	assert_true(attr_number(p, ATTR_DCQCN_NP, 0) == 0x08);
	assert_true(attr_number(p, ATTR_ROCE_TCLASS, 0) == 104);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	obs_free(o);
	o = run_script(b, shell, "detect", linux_detect_script, &bytes);
	assert_int_not_equal(capability_of(o, "event log", NULL), VALID_UNKNOWN);
	obs_free(o);
}

/* A module's answer has the lines that are read, in any case, and the refusals. */
static void check_module(const struct sandbox *b, const char *const shell[])
{
	struct obs_port_ref p;
	struct obs *o;
	size_t bytes, least;

	write_file(b, "bin/ethtool", "#!/bin/sh\n", 0755);
	obs_free(run_script(b, shell, "optics", linux_optics_script, &least));
	write_file(b, "bin/ethtool",
		"#!/bin/sh\nprintf '%s\\n' '\tConnector : 0x0c (MPO)' '\tidentifier : 0x19 (OSFP)'"
		" '\tVendor name : NVIDIA' '\tVendor SN : S1'"
		" '  RCVR SIGNAL AVG OPTICAL POWER(Channel 2)  : 1.1500 mW / 0.61 dBm'"
		" 'Laser rx power low warning (Chan 2) : On' 'Laser rx power low alarm : Off'"
		" 'Rx loss of lock : [ No, Yes ]' 'Tx loss of lock : [ No, No ]' 'Tx fault : None'"
		" 'Module voltage high warning threshold : 3.4300 V'\n",
		0755);
	o = run_script(b, shell, "optics", linux_optics_script, &bytes);
	p = at_port(o, "mlx5_0");
	assert_in_range(bytes, least + 200, least + 280);
	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "OSFP");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "S1");
	assert_true(cell_value(p, "rx_power_dbm", 1) == 0.61);
	assert_true(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_HIGH_WARN) == 3.43);
	assert_string_equal(fact_of(o, "alarm.mlx5_0"),
		"Laser rx power low warning lane 2, Rx loss of lock lane 2");
	obs_free(o);
	write_file(b, "bin/ethtool", "#!/bin/sh\necho 'sh: ethtool: not found'\n", 0755);
	o = run_script(b, shell, "optics", linux_optics_script, &bytes);
	assert_int_equal(cell_validity(at_port(o, "mlx5_0"), "temperature_c", 0), VALID_DISABLED);
	obs_free(o);
}

/* Without root lspci shows no capability; without lspci there is nothing to permit. */
static void check_setup_refused(const struct sandbox *b, const char *const shell[])
{
	struct obs *o;
	size_t bytes;
	const char *cure;

	write_file(b, "bin/id", "#!/bin/sh\necho 1000\n", 0755);
	o = run_script(b, shell, "slow", linux_slow_script, &bytes);
	assert_int_equal(capability_of(o, "PCI settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "visudo"));
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_NIC_SETUP, 0),
		"fw=1.2.3 numa=1 iommu=identity");
	obs_free(o);
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
	assert_true(cell_value(at_port(o, "mlx5_0"), "pcie_width", 0) == 16);
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_MAC, 0), "0a:00:00:00:00:01");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "Box 8");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HOST_SETUP, 0),
		"nvidia=570.86.15 peermem=none acs_redirect=1");
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_NIC_SETUP, 0),
		"fw=1.2.3 numa=1 iommu=identity ordering=on payload=512 read_req=4096");
	assert_int_equal(capability_of(o, "PCI settings", NULL), VALID_OK);
	obs_free(o);
	check_setup_refused(&b, shell);
	check_rest(&b, shell);
	check_module(&b, shell);
	sandbox_remove(&b);
}

CASE(scripts_in_sh)
{
	const char *shell[] = {"sh", "-s", NULL};

	check_shell(shell);
}

CASE(scripts_in_bash)
{
	const char *shell[] = {"bash", "-s", NULL};

	if (!has_program("bash"))
		skip();
	check_shell(shell);
}

CASE(scripts_in_busybox)
{
	const char *shell[] = {"busybox", "sh", "-s", NULL};

	if (!has_program("busybox"))
		skip();
	check_shell(shell);
}

/* On any machine: the script ends, and its answer can be read. */
CASE(scripts_on_this_machine)
{
	const char *shell[] = {"sh", "-s", NULL};
	const char *scripts[] = {linux_fast_script, linux_optics_script, linux_lldp_script,
		linux_slow_script, linux_qos_script, linux_detect_script};
	const char *requests[] = {"fast", "optics", "lldp", "slow", "qos", "detect"};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		size_t len;
		char *out = run_command(shell, NULL, scripts[i], &len, NULL);
		struct obs *o = decode_bytes(requests[i], out, len);

		assert_int_equal(o->err.code, ERR_NONE);
		obs_free(o);
		free(out);
	}
}

/* A NIC whose ethtool hangs costs its own counters only, and not the poll. */
CASE(a_nic_that_hangs)
{
	static const char nic[] = "sys/class/infiniband/mlx5_1/ports/1/";
	const char *shell[] = {"sh", "-s", NULL};
	struct sandbox b;
	char name[128], script[16384];
	struct obs *o;
	size_t len;
	char *out;

	if (!has_program("timeout"))
		skip();
	sandbox_make(&b);
	(void)str_printf(name, sizeof(name), "%sstate", nic);
	write_file(&b, name, "4: ACTIVE\n", 0644);
	(void)str_printf(name, sizeof(name), "%sgid_attrs/ndevs/0", nic);
	write_file(&b, name, "eth1\n", 0644);
	(void)str_printf(name, sizeof(name), "%shw_counters/np_cnp_sent", nic);
	write_file(&b, name, "9\n", 0644);
	write_file(&b, "bin/ethtool",
		"#!/bin/sh\ncase \"$*\" in\n"
		"*eth0) printf '     rx_bytes_phy: 7\\n     ring_half: 1'; exec sleep 60 ;;\n"
		"'-S eth1') printf '     rx_bytes_phy: 900\\n' ;;\nesac\n",
		0755);
	assert_true(str_printf(
		script, sizeof(script), "T='timeout 0.1'\nW=rx_bytes\n%s", linux_fast_script));
	{
		const char *environment[] = {b.path, b.sys, NULL};

		out = run_command(shell, environment, script, &len, NULL);
	}
	o = decode_bytes("fast", out, len);
	assert_int_equal(o->err.code, ERR_TIMEOUT);
	assert_non_null(strstr(o->err.text, "eth0"));
	assert_int_equal(cell_count(at_port(o, "mlx5_0"), "cnp_sent", 0), 11);
	assert_int_equal(cell_validity(at_port(o, "mlx5_0"), "rx_bytes", 0), VALID_UNKNOWN);
	assert_int_equal(cell_count(at_port(o, "mlx5_1"), "rx_bytes", 0), 900);
	assert_int_equal(cell_count(at_port(o, "mlx5_1"), "cnp_sent", 0), 9);
	obs_free(o);
	free(out);
	sandbox_remove(&b);
}

/* Two NICs; ethtool of the first takes the script with it, as a sleep that nobody can end does. */
static void two_nics_of_which_one_sleeps(struct sandbox *b)
{
	static const char nic[] = "sys/class/infiniband/mlx5_1/ports/1/";
	static const struct {
		const char *name, *text;
	} files[] = {{"state", "4: ACTIVE\n"}, {"gid_attrs/ndevs/0", "eth1\n"},
		{"hw_counters/np_cnp_sent", "9\n"}};
	char name[128];

	sandbox_make(b);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)str_printf(name, sizeof(name), "%s%s", nic, files[i].name);
		write_file(b, name, files[i].text, 0644);
	}
	write_file(b, "bin/ethtool",
		"#!/bin/sh\ncase \"$*\" in\n*eth0) kill -9 $M ;;\n"
		"'-S eth1') printf '     rx_bytes_phy: 900\\n' ;;\nesac\n",
		0755);
}

/* Representors of a switchdev NIC: hundreds of netdevs, none of which is known to be the port's. */
CASE(representors_are_not_asked)
{
	const char *shell[] = {"sh", "-s", NULL};
	struct sandbox b;
	char *out;
	size_t len;

	sandbox_make(&b);
	write_file(&b, "sys/class/infiniband/mlx5_2/ports/1/state", "4: ACTIVE\n", 0644);
	write_file(&b, "sys/class/infiniband/mlx5_2/device/net/rep0/mtu", "1500\n", 0644);
	write_file(&b, "sys/class/infiniband/mlx5_2/device/net/rep1/mtu", "1500\n", 0644);
	write_file(&b, "sys/class/infiniband/mlx5_3/ports/1/state", "4: ACTIVE\n", 0644);
	write_file(&b, "sys/class/infiniband/mlx5_3/device/net/only0/mtu", "1500\n", 0644);
	{
		const char *environment[] = {b.path, b.sys, NULL};

		out = run_command(shell, environment, linux_fast_script, &len, NULL);
	}
	assert_null(strstr(out, "@@try rep"));
	assert_non_null(strstr(out, "@@try only0\n"));
	assert_non_null(strstr(out, "@@try eth0\n"));
	free(out);
	sandbox_remove(&b);
}

/* The GID of an RDMA device on a VLAN names the VLAN; what is changed is the port below it. */
CASE(a_port_below_a_vlan_is_the_one_that_is_changed)
{
	const char *shell[] = {"sh", "-s", NULL};
	char script[8192], *out;
	struct sandbox b;
	size_t len;

	sandbox_make(&b);
	write_file(&b, "sys/class/infiniband/mlx5_3/ports/1/gid_attrs/ndevs/0", "eth0.100\n", 0644);
	write_file(&b, "sys/class/net/eth0.100/lower_eth0/mtu", "9000\n", 0644);
	(void)str_printf(script, sizeof(script), "P=mlx5_3\nB=0\n%s", linux_condition_script);
	{
		const char *environment[] = {b.path, b.sys, NULL};

		out = run_command(shell, environment, script, &len, NULL);
	}
	assert_non_null(strstr(out, "@@netdev\neth0\n"));
	free(out);
	/* A bond is changed as a whole. */
	write_file(&b, "sys/class/net/eth0.100/bonding/mode", "802.3ad 4\n", 0644);
	{
		const char *environment[] = {b.path, b.sys, NULL};

		out = run_command(shell, environment, script, &len, NULL);
	}
	assert_non_null(strstr(out, "@@netdev\neth0.100\n"));
	free(out);
	sandbox_remove(&b);
}

static struct obs *run_asleep(const struct sandbox *b, const char *before)
{
	const char *shell[] = {"sh", "-s", NULL}, *environment[] = {b->path, b->sys, NULL};
	char script[16384];
	struct obs *o;
	size_t len;
	char *out;

	assert_true(str_printf(script, sizeof(script), "M=$$\nexport M\nPROC=%s/proc\n%s%s",
		b->root, before, linux_fast_script));
	out = run_command(shell, environment, script, &len, NULL);
	o = decode_bytes("fast", out, len);
	free(out);
	return o;
}

CASE(a_tool_that_nobody_can_end)
{
	struct sandbox b;
	struct obs *o;

	two_nics_of_which_one_sleeps(&b);
	o = run_asleep(&b, "");
	assert_int_equal(o->err.code, ERR_TIMEOUT);
	assert_non_null(strstr(o->err.text, "eth0 (mlx5_0)"));
	assert_string_equal(fact_of(o, "stuck.fast"), "eth0");
	/* Values without ethtool are there; a NIC that was not asked lacks nothing. */
	assert_int_equal(cell_count(at_port(o, "mlx5_0"), "cnp_sent", 0), 11);
	assert_int_equal(cell_count(at_port(o, "mlx5_1"), "cnp_sent", 0), 9);
	assert_int_equal(cell_validity(at_port(o, "mlx5_1"), "rx_bytes", 0), VALID_UNKNOWN);
	assert_int_equal(cell_validity(at_port(o, "mlx5_1"), "pfc_rx_frames", 3), VALID_UNKNOWN);
	assert_string_equal(attr_word(at_port(o, "mlx5_0"), ATTR_OPER, 0), "up");
	obs_free(o);
	/* As long as a tool sleeps, nobody goes there again. */
	write_file(&b, "proc/77/stat", "77 (ethtool) D 1 77 77 0\n", 0644);
	o = run_asleep(&b, "Q='eth0 '\n");
	assert_string_equal(fact_of(o, "stuck.fast"), "eth0");
	assert_int_equal(cell_count(at_port(o, "mlx5_1"), "rx_bytes", 0), 900);
	assert_int_equal(cell_validity(at_port(o, "mlx5_0"), "rx_bytes", 0), VALID_UNKNOWN);
	assert_int_equal(cell_count(at_port(o, "mlx5_0"), "cnp_sent", 0), 11);
	assert_int_equal(o->err.code, ERR_TIMEOUT);
	assert_true(o->device_us > 0);
	obs_free(o);
	/* When none does, it has its turn after all others. */
	write_file(&b, "proc/77/stat", "77 (ethtool) S 1 77 77 0\n", 0644);
	o = run_asleep(&b, "Q='eth0 '\n");
	assert_string_equal(fact_of(o, "stuck.fast"), "eth0");
	assert_int_equal(cell_count(at_port(o, "mlx5_1"), "rx_bytes", 0), 900);
	assert_int_equal(cell_validity(at_port(o, "mlx5_1"), "pfc_rx_frames", 3), VALID_DISABLED);
	obs_free(o);
	sandbox_remove(&b);
}

/* The next script gets the name of the NIC that hung, without characters special to a shell. */
CASE(sleepers_are_left_alone)
{
	static const char answer[] = "@@begin 1\n1\n@@ports\nm/ports/1/state:4: ACTIVE\n"
				     "@@try m\n@@ib\n";
	static const char evil[] = "@@begin 1\n1\n@@try a'$(reboot)\n";
	const struct backend_ops *linux_ops = backend_by_name("linux");
	struct request_list l = {0};
	struct facts facts = {0};
	struct target t = node;
	struct err err = {0};
	struct obs *o = decode_bytes("fast", answer, strlen(answer));

	t.facts = &facts;
	facts_learn(&facts, o);
	obs_free(o);
	assert_true(linux_ops->plan(&t, POLL_FAST, &l, &err));
	assert_true(l.at.at[0].partial);
	assert_non_null(strstr(l.at.at[0].input, "Q='m '\n"));
	requests_free(&l);
	o = decode_bytes("fast", evil, strlen(evil));
	facts_learn(&facts, o);
	obs_free(o);
	assert_true(linux_ops->plan(&t, POLL_FAST, &l, &err));
	assert_null(strstr(l.at.at[0].input, "reboot"));
	requests_free(&l);
	facts_free(&facts);
}

/*
 * Root is asked for only after the plain form was refused, and only where the host grants it: for
 * the tool by its name, and for nothing that stands before it.
 */
CASE(sudo_where_it_is_granted)
{
	const char *shell[] = {"sh", "-s", NULL};
	struct sandbox b;
	char script[16384];
	struct obs *o;
	size_t bytes;

	sandbox_make(&b);
	write_file(&b, "bin/ethtool",
		"#!/bin/sh\n[ \"$ROOT\" ] || { echo 'netlink error: Operation not permitted'; exit "
		"1; }\nprintf '\\tModule temperature : 41.00 degrees C\\n'\n",
		0755);
	write_file(&b, "bin/sudo",
		"#!/bin/sh\n[ \"$1\" = -n ] || exit 9\nshift\n[ \"$1\" = -l ] && exit 0\n"
		"case $1 in ethtool|lldpcli|lspci) ROOT=1 exec \"$@\" ;; esac\n"
		"echo 'sudo: a password is required' >&2\nexit 1\n",
		0755);
	o = run_script(&b, shell, "optics", linux_optics_script, &bytes);
	assert_int_equal(cell_validity(at_port(o, "mlx5_0"), "temperature_c", 0), VALID_DISABLED);
	obs_free(o);
	assert_true(str_printf(
		script, sizeof(script), "T='timeout 2'\nSUDO='sudo -n'\n%s", linux_optics_script));
	o = run_script(&b, shell, "optics", script, &bytes);
	assert_true(cell_value(at_port(o, "mlx5_0"), "temperature_c", 0) == 41);
	obs_free(o);
	sandbox_remove(&b);
}

CASES_MAIN(NULL, NULL)
