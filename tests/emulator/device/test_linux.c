/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

#define HOST "node003"

static void says(struct rig *r, const char *script, const char *want)
{
	assert_int_equal(rig_exec(r, HOST, "sh -s", script), 0);
	assert_string_equal(r->err.data, "");
	assert_string_equal(r->out.data, want);
}

CASE(sysfs_is_laid_out_as_the_kernel_does)
{
	struct rig *r = *state;
	const struct sim_port *p = &rig_device(r, HOST)->ports[2];
	char want[256];

	says(r, "cd /sys/class/infiniband; echo *",
		"mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7\n");
	says(r,
		"cd /sys/class/infiniband; for p in */device/net/*; do echo ${p##*/}; done | tail "
		"-1",
		"eth7\n");
	says(r,
		"cd /sys/class/infiniband/mlx5_2; cat ports/1/state ports/1/phys_state "
		"ports/1/rate "
		"ports/1/link_layer ports/1/gid_attrs/ndevs/0 device/current_link_width",
		"4: ACTIVE\n5: LinkUp\n400 Gb/sec (4X NDR)\nEthernet\neth2\n16\n");
	says(r, "readlink -f /sys/class/net/eth0/device; ls /sys/class/net | wc -l",
		"/sys/devices/pci0000:18/0000:18:00.0\n10\n");
	/* Words of four bytes. */
	(void)snprintf(want, sizeof(want), "%llu\n%llu\n",
		(unsigned long long)p->nic.rdma_rx_bytes / 4,
		(unsigned long long)p->nic.np_cnp_sent);
	says(r,
		"cd /sys/class/infiniband/mlx5_2/ports/1; cat counters/port_rcv_data "
		"hw_counters/np_cnp_sent",
		want);
	says(r, "cat /sys/class/net/eth1/speed /sys/class/net/eth1/operstate", "400000\nup\n");
}

/* Requester counters are 32 bits wide in the device, congestion counters 64. */
CASE(narrow_counters_wrap)
{
	struct rig *r = *state;
	struct sim_nic *nic = &rig_device(r, HOST)->ports[0].nic;
	uint64_t sent = nic->np_cnp_sent, sequence = nic->packet_seq_err;

	nic->np_cnp_sent = nic->packet_seq_err = (UINT64_C(1) << 32) + 5;
	says(r,
		"cd /sys/class/infiniband/mlx5_0/ports/1/hw_counters; cat np_cnp_sent "
		"packet_seq_err",
		"4294967301\n5\n");
	nic->np_cnp_sent = sent;
	nic->packet_seq_err = sequence;
}

CASE(a_link_that_is_down_says_so)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, HOST)->ports[5];

	p->up = false;
	says(r,
		"cd /sys/class; cat infiniband/mlx5_5/ports/1/state net/eth5/operstate "
		"net/eth5/speed; "
		"ethtool eth5 | grep -E 'Speed|detected'; ethtool --show-fec eth5 | tail -1; "
		"lldpcli -f json0 show neighbors | grep -c eth5; true",
		"1: DOWN\ndown\n-1\n\tSpeed: Unknown!\n\tLink detected: no (No cable)\n"
		"Active FEC encoding: None\n0\n");
	p->up = true;
}

CASE(ethtool_counts_what_the_fabric_counts)
{
	struct rig *r = *state;
	const struct sim_port *p = &rig_device(r, HOST)->ports[1];
	char want[512];

	(void)snprintf(want, sizeof(want),
		"     tx_bytes_phy: %llu\n     rx_bytes_phy: %llu\n     rx_prio3_bytes: %llu\n"
		"     rx_prio3_pause_duration: %llu\n",
		(unsigned long long)p->tx_bytes, (unsigned long long)p->rx_bytes,
		(unsigned long long)p->q[3].rx_bytes, (unsigned long long)p->q[3].pfc_rx_us);
	says(r, "ethtool -S eth1 | grep -E '[rt]x_bytes_phy|rx_prio3_(bytes|pause_duration):'",
		want);
	assert_int_equal(rig_exec(r, HOST, "ethtool -S eth9", NULL), 1);
	assert_string_equal(r->err.data, "netlink error: No such device\n");
	assert_int_equal(rig_exec(r, HOST, "ethtool --json -S eth1", NULL), 1);
	assert_int_equal(rig_exec(r, HOST, "nosuch", NULL), 127);
	assert_string_equal(r->err.data, "bash: line 1: nosuch: command not found\n");
}

/* The text before ": " of each line that names a counter or property. */
static unsigned labels_missing(const char *want, const char *have, const char *what)
{
	unsigned missing = 0;
	char label[128];

	while (*want) {
		size_t n = strcspn(want, "\n"), k = 0;

		while (k + 1 < n && !(want[k] == ':' && want[k + 1] == ' '))
			k++;
		if (k + 1 < n && k < sizeof(label) - 2) {
			(void)snprintf(label, sizeof(label), "%.*s:", (int)k, want);
			if (!strstr(have, label)) {
				print_message("%s lacks '%s'\n", what, label);
				missing++;
			}
		}
		want += n + (want[n] != '\0');
	}
	return missing;
}

CASE(labels_are_those_of_the_real_tools)
{
	struct rig *r = *state;
	char *statistics = rig_capture_text("hosts/sim/ethtool/6.1/S_good.txt");
	char *module = rig_capture_text("hosts/sim/ethtool/6.1/m_good.txt");
	char *fec = rig_capture_text("hosts/sim/ethtool/6.1/I-fec_good.txt");
	char *swap;

	if (!statistics || !module || !fec) {
		free(statistics);
		free(module);
		free(fec);
		skip();
	}
	/* Rings above the few that are printed do not count. */
	assert_int_equal(rig_exec(r, HOST, "grep -vE '^ +(rx|tx|ch)[0-9]+_'", statistics), 0);
	swap = strdup(r->out.data);
	assert_int_equal(rig_exec(r, HOST, "ethtool -S eth0", NULL), 0);
	assert_int_equal(labels_missing(swap, r->out.data, "-S"), 0);
	free(swap);
	assert_int_equal(rig_exec(r, HOST, "ethtool -m eth0", NULL), 0);
	assert_int_equal(labels_missing(module, r->out.data, "-m"), 0);
	assert_int_equal(rig_exec(r, HOST, "ethtool -I --show-fec eth0", NULL), 0);
	/* Its first line names the port. */
	assert_int_equal(labels_missing(strchr(fec, '\n') + 1, r->out.data, "fec"), 0);
	free(statistics);
	free(module);
	free(fec);
}

static unsigned keys_missing(struct rig *r, const char *command, const char *file)
{
	json_t *want = rig_capture_json(file), *mine;
	unsigned n;

	if (!want)
		skip();
	assert_int_equal(rig_exec(r, HOST, command, NULL), 0);
	mine = json_loads(r->out.data, 0, NULL);
	assert_non_null(mine);
	n = json_is_array(want)
		    ? rig_missing_keys(json_array_get(want, 0), json_array_get(mine, 0), command)
		    : rig_missing_keys(want, mine, command);
	json_decref(want);
	json_decref(mine);
	return n;
}

CASE(json_is_that_of_the_real_tools)
{
	struct rig *r = *state;

	assert_int_equal(keys_missing(r, "rdma -j link", "hosts/sim/rdma/link_6.1.json"), 0);
	assert_int_equal(keys_missing(r, "rdma -j dev", "hosts/sim/rdma/dev_6.1.json"), 0);
	assert_int_equal(
		keys_missing(r, "rdma -j statistic", "hosts/sim/rdma/statistic_6.1.json"), 0);
	assert_int_equal(
		keys_missing(r, "dcb -j -s pfc show dev eth0", "hosts/sim/dcb/6.1/pfc.json"), 0);
	assert_int_equal(
		keys_missing(r, "dcb -j app show dev eth0", "hosts/sim/dcb/6.1/app.json"), 0);
	assert_in_range(
		keys_missing(r, "dcb -j ets show dev eth0", "hosts/sim/dcb/6.1/ets.json"), 0, 0);
}

CASE(lldp_names_the_leaf)
{
	struct rig *r = *state;
	json_t *o, *first;

	assert_int_equal(rig_exec(r, HOST, "lldpcli -f json0 show neighbors details", NULL), 0);
	o = json_loads(r->out.data, 0, NULL);
	first = json_array_get(
		json_object_get(json_array_get(json_object_get(o, "lldp"), 0), "interface"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "name")), "eth0");
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(
					       json_array_get(json_object_get(first, "chassis"), 0),
					       "name"),
				0),
			"value")),
		"leaf-r0-00");
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(
				json_object_get(
					json_array_get(json_object_get(first, "port"), 0), "descr"),
				0),
			"value")),
		"Ethernet12");
	json_decref(o);
	/* One neighbour is an object, several are an array, as lldpd has it. */
	assert_int_equal(rig_exec(r, HOST, "lldpcli -f json show neighbors ports eth2", NULL), 0);
	o = json_loads(r->out.data, 0, NULL);
	assert_true(json_is_object(json_object_get(json_object_get(o, "lldp"), "interface")));
	json_decref(o);
	assert_int_equal(rig_exec(r, HOST, "lldpcli -f json show neighbors", NULL), 0);
	o = json_loads(r->out.data, 0, NULL);
	assert_true(json_is_array(json_object_get(json_object_get(o, "lldp"), "interface")));
	json_decref(o);
}

/* Runs on any host; the exit status must be 0 and nothing complained. */
static const char *run_on(struct rig *r, const char *host, const char *command)
{
	int status = rig_exec(r, host, command, NULL);

	if (status || r->err.len)
		fail_msg("%s: %d %s", command, status, r->err.data);
	return r->out.data;
}

CASE(what_is_configured_shows)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, HOST)->ports[4];
	const struct sim_port_config before = p->config;
	json_t *o;

	says(r, "cat /sys/class/net/eth4/ecn/roce_np/enable/3; dcb -j apptrust show dev eth4",
		"1\n{\"order\":[\"dscp\"]}\n");
	assert_non_null(strstr(run_on(r, HOST, "mlnx_qos -i eth4"),
		"\tenabled     0   0   0   1   0   0   0   0   \n"));
	assert_non_null(strstr(r->out.data, "\tprio:3 dscp:26,\n"));
	p->config.pfc_mask = 0;
	p->config.np = p->config.rp = false;
	says(r,
		"cat /sys/class/net/eth4/ecn/roce_np/enable/3 "
		"/sys/class/net/eth4/ecn/roce_rp/enable/0; "
		"ethtool -S eth4 | grep -c prio3_pause; true",
		"0\n0\n0\n");
	assert_int_equal(rig_exec(r, HOST, "dcb -j pfc show dev eth4", NULL), 0);
	o = json_loads(r->out.data, 0, NULL);
	assert_true(json_is_false(json_array_get(json_object_get(o, "prio_pfc"), 3)));
	json_decref(o);
	assert_int_equal(rig_exec(r, HOST, "dcb pfc set dev eth4 prio-pfc 3:on", NULL), 1);
	assert_int_equal(p->config.pfc_mask, 0);
	run_on(r, HOST, "sudo dcb pfc set dev eth4 prio-pfc 3:on");
	assert_int_equal(p->config.pfc_mask, 8);
	p->config = before;
}

CASE(only_root_moves_a_link)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, HOST)->ports[6];
	const struct sim_port_config before = p->config;

	assert_int_equal(rig_exec(r, HOST, "ip link set eth6 down", NULL), 2);
	assert_string_equal(r->err.data, "RTNETLINK answers: Operation not permitted\n");
	assert_true(p->config.admin_up);
	run_on(r, HOST, "sudo ip link set dev eth6 down");
	assert_false(p->config.admin_up);
	run_on(r, HOST, "sudo ip link set eth6 up mtu 4200");
	assert_true(p->config.admin_up);
	says(r, "cat /sys/class/net/eth6/mtu", "4200\n");
	assert_int_equal(rig_exec(r, HOST, "sudo ip link set eth66 up", NULL), 1);
	assert_int_equal(rig_exec(r, HOST, "ethtool -p eth6", NULL), 1);
	run_on(r, HOST, "sudo ethtool -p eth6 30");
	assert_true(p->config.beacon);
	run_on(r, HOST, "sudo ethtool -p eth6 1");
	assert_false(p->config.beacon);
	sim_configure(r->sim, p, &before, "test");
	sim_advance(r->sim, RIG_NOW);
}

CASE(errors_are_told_apart_by_lane_and_size)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, HOST)->ports[2], before = *p;

	p->lane_corrected_bits[2] = 987654;
	p->fec_bin[0] = 1000000;
	p->fec_bin[9] = 41;
	p->nic.pci_stalled_percent = 37;
	p->nic.storm_warning_events = 3;
	p->nic.rx_write_requests = 12345;
	says(r,
		"ethtool -S eth2 | grep -E 'lane_2|stalled_wr:|storm_warning'; ethtool -I "
		"--show-fec eth2 | grep -E 'err_(0|9|15):'; cat "
		"/sys/class/infiniband/mlx5_2/ports/1/hw_counters/rx_write_requests",
		"     rx_err_lane_2_phy: 987654\n     outbound_pci_stalled_wr: 37\n"
		"     tx_pause_storm_warning_events: 3\n  fec_symbols_err_0: 1000000\n"
		"  fec_symbols_err_9: 41\n  fec_symbols_err_15: 0\n12345\n");
	*p = before;
}

/* A rank's process, its queue pairs and its GPU name each other. */
CASE(a_rank_can_be_found_from_its_nic)
{
	struct rig *r = *state;
	json_t *o, *qp = NULL, *each;
	char script[128], want[64];
	size_t i;

	if (!sim_job_count(r->sim))
		skip();
	run_on(r, HOST, "rdma -j res show qp");
	o = json_loads(r->out.data, 0, NULL);
	json_array_foreach(o, i, each) if (json_object_get(each, "pid")) qp = each;
	assert_non_null(qp);
	assert_string_equal(json_string_value(json_object_get(qp, "type")), "RC");
	(void)snprintf(script, sizeof(script),
		"tr '\\0' '\\n' < /proc/%d/environ | grep -E '^(LOCAL_RANK|NCCL_IB_TC)='",
		(int)json_integer_value(json_object_get(qp, "pid")));
	(void)snprintf(want, sizeof(want), "LOCAL_RANK=%c\nNCCL_IB_TC=104\n",
		json_string_value(json_object_get(qp, "ifname"))[5]);
	says(r, script, want);
	(void)snprintf(script, sizeof(script),
		"nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader | grep -c "
		"'^%d, python3$'",
		(int)json_integer_value(json_object_get(qp, "pid")));
	says(r, script, "1\n");
	json_decref(o);
	assert_int_equal(rig_exec(r, HOST, "cat /proc/1/environ", NULL), 1);
}

/* The source "processes" looks for them below /proc, by patterns. */
CASE(ranks_are_found_below_proc)
{
	struct rig *r = *state;

	says(r, "cd /proc; grep -slzE '^(RANK|SLURM_PROCID)=[0-9]' [0-9]*/environ | wc -l", "8\n");
	says(r, "grep -slzE '^RANK=[0-9]' /proc/[0-9]*/environ | wc -l", "8\n");
	says(r,
		"cd /proc; set -- $(grep -slzE '^RANK=' [0-9]*/environ | head -n 1); "
		"ls -l /dev/null ${1%environ}fd | grep -oE '/dev/nvidia[0-9]+'",
		"/dev/nvidia0\n");
}

CASE(a_gpu_has_a_nic_beside_it)
{
	struct rig *r = *state;
	const char *row = strstr(run_on(r, HOST, "nvidia-smi topo -m"), "\nGPU3\t");

	assert_non_null(row);
	assert_ptr_equal(row,
		strstr(row, "\nGPU3\tNV18\tNV18\tNV18\t X \tNV18\tNV18\tNV18\tNV18\tNODE\tNODE\t"
			    "NODE\tPIX\tSYS\t"));
	says(r, "nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader | tail -1",
		"7, 00000000:DB:00.0\n");
	says(r, "lspci -s 18:00.0 -vv | grep -c 'Width x16$'; true", "1\n");
}

static void log_line(struct rig *r, enum sim_log_kind kind, unsigned port, const char *text)
{
	struct sim_device *d = rig_device(r, HOST);
	struct sim_log *l = &d->log[d->logged++ % SIM_LOG_KEPT];

	*l = (struct sim_log){.t_us = RIG_NOW, .kind = kind, .port = port};
	(void)snprintf(l->text, sizeof(l->text), "%s", text);
}

CASE(the_kernel_logs_in_its_own_words)
{
	struct rig *r = *state;

	log_line(r, SIM_LOG_LINK_DOWN, 3, "");
	log_line(r, SIM_LOG_XID, 4, "79, GPU has fallen off the bus.");
	log_line(r, SIM_LOG_CONFIG, 3, "configured by root");
	assert_int_equal(
		rig_exec(r, HOST, "journalctl -k -n 2 --no-pager | cut -d: -f3-", NULL), 0);
	assert_string_equal(strchr(r->out.data, ' ') + 1,
		HOST " kernel: mlx5_core 0000:5e:00.0 eth3: Link down\n"
		     "20 " HOST " kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the "
		     "bus.\n");
	assert_non_null(strstr(run_on(r, HOST, "sudo dmesg -T | tail -1"), "] NVRM: Xid (PCI:"));
	assert_non_null(strstr(run_on(r, HOST, "journalctl --since '5 min ago'"), "sudo["));
}

CASE(clocks_and_boots_are_the_hosts_own)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, HOST);
	char want[64];

	d->clock_skew_us = -5000000;
	(void)snprintf(want, sizeof(want), "%lld\n", (long long)(RIG_NOW / 1000000 - 5));
	says(r, "date +%s", want);
	d->clock_skew_us = 0;
	(void)snprintf(want, sizeof(want), "%s\n", d->boot_id);
	says(r, "cat /proc/sys/kernel/random/boot_id", want);
}

CASE(only_rdma_networks_have_rdma_devices)
{
	static const char host[] = "node011";
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, host);

	d->ports[7].net = NET_FRONTEND;
	(void)snprintf(d->ports[7].name, sizeof(d->ports[7].name), "ens3f0np0");
	d->ports[6].net = NET_STORAGE;
	assert_string_equal(run_on(r, host, "ls /sys/class/infiniband | tail -1"), "mlx5_6\n");
	assert_string_equal(run_on(r, host, "rdma link | wc -l"), "7\n");
	assert_string_equal(run_on(r, host, "cat /sys/class/net/ens3f0np0/carrier"), "1\n");
	assert_non_null(strstr(run_on(r, host, "ip link show ens3f0np0"), "state UP"));
	/* Others have their own files. */
	assert_string_equal(run_on(r, HOST, "ls /sys/class/infiniband | tail -1"), "mlx5_7\n");
	d->ports[7].net = d->ports[6].net = NET_BACKEND;
	(void)snprintf(d->ports[7].name, sizeof(d->ports[7].name), "eth7");
}

CASE(tools_have_text_for_people)
{
	struct rig *r = *state;

	assert_non_null(strstr(run_on(r, HOST, "ip -s link show eth1"), "state UP"));
	assert_non_null(strstr(r->out.data, "RX:  bytes packets errors dropped"));
	assert_non_null(strstr(run_on(r, HOST, "ip -br a"), "eth7             UP"));
	assert_non_null(strstr(
		run_on(r, HOST, "lldpcli show neighbors ports eth0"), "SysName:      leaf-r0-00"));
	assert_non_null(strstr(run_on(r, HOST, "lldpctl -f keyvalue"), "lldp.eth0.chassis.name="));
	assert_non_null(strstr(run_on(r, HOST, "dcb pfc show dev eth0"), "prio-pfc 0:off"));
	assert_non_null(strstr(run_on(r, HOST, "rdma link"),
		"link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0"));
}

CASE(a_broken_host_has_no_tools)
{
	struct rig *r = *state;

	rig_device(r, HOST)->commands_fail = true;
	assert_int_equal(rig_exec(r, HOST, "ethtool eth0", NULL), 127);
	assert_string_equal(r->out.data, "");
	rig_device(r, HOST)->commands_fail = false;
}

CASE(faults_show_where_an_operator_looks)
{
	static const struct rig_fault_case all[] = {
		{"gpu-error:node003", "dmesg", "] NVRM: Xid (PCI:0000:19:00): 79, GPU has fallen"},
		{"nvlink-down:node003,count=3", "nvidia-smi nvlink -s | grep -c inactive", "3\n"},
		{"nvlink-errors:node003", "nvidia-smi nvlink -e | grep 'Recovery Errors: [1-9]'",
			"Link 14: Recovery Errors: "},
		{"link-down:node003:mlx5_2,at=20s", "journalctl -k",
			"mlx5_core 0000:4f:00.0 eth2: Link down"},
		{"link-flap:node003:mlx5_2,at=20s", "cat /var/log/nccl/nccl.log",
			"[2] transport/net_ib/common.cc:179 NCCL WARN NET/IB : mlx5_2:1 Got "
			"non-fatal async event: port error(10)\n"},
		{"link-down:node003:mlx5_2,at=20s", "rdma link",
			"mlx5_2/1 state DOWN physical_state POLLING"},
		{"pfc-storm:node003:mlx5_1",
			"N=$(ethtool -S eth1 | grep tx_prio3_pause: | cut -d' ' -f7); "
			"[ $N -gt 1000 ] && echo stormy",
			"stormy"},
		{"weak-optic:node003:mlx5_1,db=9,ramp=1s", "ethtool -m eth1",
			"Laser rx power low warning  (Channel 1)   : On"},
		{"pcie-degraded:node003:mlx5_1",
			"cat /sys/class/infiniband/mlx5_1/device/current_link_width", "4\n"},
	};

	rig_shows_faults(HOST, all, sizeof(all) / sizeof(all[0]));
}

CASE(only_a_bare_shell_waits_for_input)
{
	const struct personality *p = personality_for("linux");

	assert_true(p->reads_input("sh -s"));
	assert_true(p->reads_input("bash"));
	assert_false(p->reads_input("sh -c 'echo -s'"));
	assert_false(p->reads_input("uname -a"));
	assert_null(personality_for("nosuch"));
	assert_null(personality_for(NULL));
}

CASES_MAIN(rig_setup, rig_teardown)
