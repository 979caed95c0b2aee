/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

#define LEAF  "leaf-r0-00"
#define FIRST 32u /* the first port to a spine */

/* A leaf that runs Linux and FRR instead of its built-in platform. */
static int setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct sim_device *d;
	unsigned i;

	assert_non_null(r);
	rig_open(r, NULL);
	d = rig_device(r, LEAF);
	d->platform = sim_platform("frr");
	d->dialect = d->platform->dialect;
	for (i = 0; i < d->nports; i++)
		(void)snprintf(d->ports[i].name, sizeof(d->ports[i].name), "swp%u", i + 1);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

static const char *run(struct rig *r, const char *command)
{
	int status = rig_exec(r, LEAF, command, NULL);

	if (status || r->err.len)
		fail_msg("%s: %d %s", command, status, r->err.data);
	return r->out.data;
}

static json_t *run_json(struct rig *r, const char *command)
{
	json_t *o = json_loads(run(r, command), 0, NULL);

	assert_non_null(o);
	return o;
}

/* The first port with a configured session; its number. */
static unsigned first_session(struct rig *r)
{
	struct sim_device *d = rig_device(r, LEAF);
	unsigned i;

	for (i = 0; i < d->nports; i++)
		if (d->ports[i].bgp.configured)
			return i;
	fail_msg("no session");
	return 0;
}

/* A link has the kernel's route of its two addresses; the default is the management port's. */
CASE(routes_are_those_of_the_port)
{
	struct rig *r = *state;
	char command[64];
	json_t *o;

	(void)snprintf(command, sizeof(command), "ip -j route show table all dev swp%u",
		first_session(r) + 1);
	o = run_json(r, command);
	assert_int_equal(json_array_size(o), 1);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(o, 0), "protocol")), "kernel");
	json_decref(o);
	o = run_json(r, "ip -j route show table all dev swp1");
	assert_int_equal(json_array_size(o), 0);
	json_decref(o);
	o = run_json(r, "ip -j route show default");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(o, 0), "dst")), "default");
	json_decref(o);
}

CASE(a_switch_is_no_host)
{
	struct rig *r = *state;

	assert_string_equal(run(r, "ls /sys/class"), "dmi\nnet\n");
	assert_non_null(strstr(run(r, "cat /etc/os-release"), "VERSION_CODENAME=bookworm"));
	assert_string_equal(run(r, "uname -sr"), "Linux 6.1.0-37-amd64\n");
	assert_int_equal(rig_exec(r, LEAF, "rdma link", NULL), 127);
	assert_int_equal(rig_exec(r, LEAF, "nvidia-smi", NULL), 127);
	assert_int_equal(rig_exec(r, "node000", "vtysh -c 'show version'", NULL), 127);
}

CASE(ip_has_the_keys_of_the_real_one)
{
	struct rig *r = *state;
	json_t *want = rig_capture_json("lab/netns/healthy/leaf1.ip-s-link.json"), *mine, *port;
	/* Of virtual links only. */
	static const char *const only_there[] = {"link_index", "link_netnsid", "linkinfo",
		"tso_max_size", "tso_max_segs", "gro_max_size"};
	const struct sim_port *p = &rig_device(r, LEAF)->ports[FIRST];
	size_t i;

	mine = run_json(r, "ip -j -s -s -d link show swp33");
	port = json_array_get(mine, 0);
	assert_string_equal(json_string_value(json_object_get(port, "ifname")), "swp33");
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(json_object_get(port, "stats64"), "rx"), "bytes")),
		p->rx_bytes);
	assert_int_equal(json_integer_value(json_object_get(port, "mtu")), p->config.mtu);
	if (want) {
		json_t *theirs = json_array_get(want, json_array_size(want) - 1);

		for (i = 0; i < sizeof(only_there) / sizeof(only_there[0]); i++)
			(void)json_object_del(theirs, only_there[i]);
		assert_int_equal(rig_missing_keys(theirs, port, "ip"), 0);
		json_decref(want);
	}
	json_decref(mine);
}

CASE(counters_are_the_chips)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, LEAF)->ports[FIRST];
	char want[256];

	(void)snprintf(want, sizeof(want), "%llu\n%llu\n", (unsigned long long)p->rx_bytes,
		(unsigned long long)p->carrier_down);
	assert_string_equal(
		run(r, "cd /sys/class/net/swp33; cat statistics/rx_bytes carrier_down_count"),
		want);
	(void)snprintf(want, sizeof(want),
		"     a_octets_transmitted_ok: %llu\n     rx_pause_prio_3: %llu\n",
		(unsigned long long)p->tx_bytes, (unsigned long long)p->q[3].pfc_rx_frames);
	assert_string_equal(
		run(r, "ethtool -S swp33 | grep -E 'octets_trans|rx_pause_prio_3'"), want);
	/* Time is not counted by this chip. */
	assert_string_equal(run(r, "ethtool -S swp33 | grep -c duration; true"), "0\n");
	p->config.ecn = false;
	assert_string_equal(run(r, "ethtool -S swp33 | grep -c tc_ecn_marked; true"), "0\n");
	p->config.ecn = true;
	assert_non_null(strstr(run(r, "ethtool -I --show-fec swp33"), "corrected_blocks: "));
	assert_non_null(strstr(run(r, "ethtool -m swp33"), "Rcvr signal avg optical power"));
	assert_non_null(strstr(run(r, "dcb -j pfc show dev swp33"), "\"prio_pfc\":[false,false,"));
}

CASE(lldp_names_the_far_port)
{
	struct rig *r = *state;
	json_t *o = run_json(r, "lldpcli -f json0 show neighbors ports swp1"), *first;

	first = json_array_get(
		json_object_get(json_array_get(json_object_get(o, "lldp"), 0), "interface"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "name")), "swp1");
	json_decref(o);
	/* And is named so by the other end. */
	assert_int_equal(rig_exec(r, "node000", "lldpcli -f keyvalue show neighbors", NULL), 0);
	assert_non_null(strstr(r->out.data, "lldp.eth0.port.ifname=swp1\n"));
}

CASE(sessions_have_the_keys_of_the_real_ones)
{
	static const char *const files[] = {"lab/netns/healthy/leaf1.bgp-summary.json"};
	struct rig *r = *state;
	unsigned at = first_session(r);
	struct sim_port *p = &rig_device(r, LEAF)->ports[at];
	const struct sim_bgp before = p->bgp;
	json_t *o, *v4, *mine, *want = rig_capture_json(files[0]);

	p->bgp.established = true;
	p->bgp.resets = 2;
	p->bgp.since_us = RIG_NOW - 75 * INT64_C(1000000);
	o = run_json(r, "vtysh -c 'show bgp summary json'");
	v4 = json_object_get(o, "ipv4Unicast");
	mine = json_object_get(json_object_get(v4, "peers"), p->name);
	assert_string_equal(json_string_value(json_object_get(mine, "state")), "Established");
	assert_string_equal(json_string_value(json_object_get(mine, "peerUptime")), "00:01:15");
	assert_int_equal(json_integer_value(json_object_get(mine, "connectionsEstablished")), 3);
	assert_int_equal(json_integer_value(json_object_get(mine, "connectionsDropped")), 2);
	if (want) {
		json_t *theirs = json_object_get(want, "ipv4Unicast");
		json_t *peers = json_object_get(theirs, "peers");

		assert_int_equal(rig_missing_keys(json_object_iter_value(json_object_iter(peers)),
					 mine, "peer"),
			0);
		(void)json_object_del(theirs, "peers");
		assert_int_equal(rig_missing_keys(theirs, v4, "summary"), 0);
		json_decref(want);
	}
	json_decref(o);
	o = run_json(r, "vtysh -c 'show bgp neighbors json'");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(o, p->name), "bgpState")),
		"Established");
	json_decref(o);
	assert_non_null(strstr(run(r, "vtysh -c 'show bgp summary'"), "Total number of neighbors"));
	p->bgp = before;
}

CASE(a_neighbor_can_be_shut_and_a_link_moved)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	struct sim_port *p = &d->ports[first_session(r)];
	const struct sim_port_config before = p->config;
	char command[256];
	json_t *o;

	(void)snprintf(command, sizeof(command),
		"vtysh -c 'conf t' -c 'router bgp %u' -c 'neighbor %s shutdown'", d->asn, p->name);
	assert_string_equal(run(r, command), "");
	assert_true(p->bgp.shut);
	sim_advance(r->sim, RIG_NOW + 5 * INT64_C(1000000));
	o = run_json(r, "vtysh -c 'show ip bgp summary json'");
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(json_object_get(json_object_get(o, "ipv4Unicast"), "peers"),
				p->name),
			"state")),
		"Idle (Admin)");
	json_decref(o);
	assert_non_null(strstr(run(r, "vtysh -c 'show running-config'"), " shutdown\n"));
	(void)snprintf(command, sizeof(command),
		"vtysh -c 'conf t' -c 'router bgp' -c 'no neighbor %s shutdown'", p->name);
	run(r, command);
	assert_false(p->bgp.shut);
	(void)snprintf(command, sizeof(command), "sudo ip link set %s down", p->name);
	run(r, command);
	assert_false(p->config.admin_up);
	sim_configure(r->sim, p, &before, "test");
}

CASE(what_frr_does_not_know_it_says)
{
	struct rig *r = *state;

	assert_int_equal(rig_exec(r, LEAF, "vtysh -c 'show version json'", NULL), 1);
	assert_string_equal(r->out.data, "% Unknown command: show version json\n");
	assert_int_equal(rig_exec(r, LEAF, "vtysh -c 'neighbor swp1 shutdown'", NULL), 1);
	assert_int_equal(
		rig_exec(r, LEAF, "vtysh -c 'conf t' -c 'interface swp1' -c 'nonsense'", NULL), 1);
	assert_non_null(strstr(run(r, "vtysh -c 'show version'"), "FRRouting 8.4.4 (" LEAF ")"));
}

CASES_MAIN(setup, teardown)
