/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/emulator/rig.h"

#define HOST "node003"

static int setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	rig_open(r, NULL);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

static void says(struct rig *r, const char *script, const char *want)
{
	assert_int_equal(rig_exec(r, HOST, "sh -s", script), 0);
	assert_string_equal(r->err.data, "");
	assert_string_equal(r->out.data, want);
}

static void sysfs_is_laid_out_as_the_kernel_does(void **state)
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
	(void)snprintf(want, sizeof(want), "%llu\n%llu\n", (unsigned long long)p->q[3].rx_bytes / 4,
		(unsigned long long)p->nic.np_cnp_sent);
	says(r,
		"cd /sys/class/infiniband/mlx5_2/ports/1; cat counters/port_rcv_data "
		"hw_counters/np_cnp_sent",
		want);
	says(r, "cat /sys/class/net/eth1/speed /sys/class/net/eth1/operstate", "400000\nup\n");
}

/* Requester counters are 32 bits wide in the device, congestion counters 64. */
static void narrow_counters_wrap(void **state)
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

static void a_link_that_is_down_says_so(void **state)
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

static void ethtool_counts_what_the_fabric_counts(void **state)
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

static void labels_are_those_of_the_real_tools(void **state)
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

static void json_is_that_of_the_real_tools(void **state)
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
		keys_missing(r, "dcb -j ets show dev eth0", "hosts/sim/dcb/6.1/ets.json"), 0, 3);
}

static void lldp_names_the_leaf(void **state)
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

static void only_a_bare_shell_waits_for_input(void **state)
{
	const struct personality *p = personality_for("linux");

	(void)state;
	assert_true(p->reads_input("sh -s"));
	assert_true(p->reads_input("bash"));
	assert_false(p->reads_input("sh -c 'echo -s'"));
	assert_false(p->reads_input("uname -a"));
	assert_null(personality_for("nosuch"));
	assert_null(personality_for(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sysfs_is_laid_out_as_the_kernel_does),
		cmocka_unit_test(narrow_counters_wrap),
		cmocka_unit_test(a_link_that_is_down_says_so),
		cmocka_unit_test(ethtool_counts_what_the_fabric_counts),
		cmocka_unit_test(labels_are_those_of_the_real_tools),
		cmocka_unit_test(json_is_that_of_the_real_tools),
		cmocka_unit_test(lldp_names_the_leaf),
		cmocka_unit_test(only_a_bare_shell_waits_for_input),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
