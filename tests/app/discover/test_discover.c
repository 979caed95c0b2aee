/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/discover/found_role.h"
#include "app/discover/update.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define LIMIT 100

static struct found *seed(
	struct discovery *d, const char *name, const char *dialect, enum tier tier, bool rdma)
{
	struct found *f = vec_add(&d->devices);

	(void)str_copy(f->name, sizeof(f->name), name);
	(void)str_copy(f->address, sizeof(f->address), name);
	(void)str_copy(f->dialect, sizeof(f->dialect), dialect);
	f->state = FOUND_KNOWN;
	f->tier = tier;
	f->role.rdma = rdma;
	f->role.forwards = -1;
	f->kind_why = f->tier_why = "";
	f->rail = -1;
	return f;
}

static void neighbour(struct discovery *d, const char *device, const char *port, const char *peer,
	const char *peer_port)
{
	struct obs *o = obs_new(device, "lldp");

	obs_lldp(o, obs_port(o, port), peer, peer_port);
	discovery_learn(d, discovery_find(d, device), o, LIMIT);
	obs_free(o);
}

static char *written(const struct discovery *d, bool wiring)
{
	struct discover_opts opts = {.limit = LIMIT};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	opts.access.user = (char *)(uintptr_t) "o'neil";
	assert_true(wiring ? discovery_write_wiring(d, f) : discovery_write(d, &opts, "x.csv", f));
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Two rails, two hosts, a spine and a superspine. */
static void clos(struct discovery *d)
{
	static const char *const hosts[] = {"node0", "node1"};
	static const char *const leaves[] = {"leaf-r0", "leaf-r1"};
	char port[16], nic[16];

	seed(d, "super", "eos", TIER_LEAF, false);
	seed(d, "spine", "eos", TIER_LEAF, false);
	for (int i = 0; i < 2; i++) {
		seed(d, leaves[i], "sonic", TIER_LEAF, false);
		seed(d, hosts[i], "linux", TIER_HOST, true);
	}
	for (int r = 0; r < 2; r++) {
		for (int h = 0; h < 2; h++) {
			(void)str_printf(port, sizeof(port), "Ethernet%d", h * 8);
			(void)str_printf(nic, sizeof(nic), "mlx5_%d", r);
			neighbour(d, hosts[h], nic, leaves[r], port);
			neighbour(d, leaves[r], port, hosts[h], nic);
		}
		neighbour(d, leaves[r], "Ethernet256", "spine", r ? "Ethernet2/1" : "Ethernet1/1");
	}
	neighbour(d, "spine", "Ethernet9/1", "super", "Ethernet1/1");
}

CASE(tiers_and_rails_follow_from_the_cables)
{
	struct discovery d = {0};
	char *text;

	clos(&d);
	discovery_tiers(&d);
	assert_int_equal(d.devices.at[discovery_find(&d, "super")].tier, TIER_SUPERSPINE);
	assert_int_equal(d.devices.at[discovery_find(&d, "spine")].tier, TIER_SPINE);
	assert_int_equal(d.devices.at[discovery_find(&d, "leaf-r1")].tier, TIER_LEAF);
	assert_int_equal(d.devices.at[discovery_find(&d, "leaf-r1")].rail, 1);
	text = written(&d, false);
	assert_non_null(strstr(text, "user: 'o''neil'"));
	assert_non_null(strstr(text, "- {names: \"node[0-1]\", dialect: linux, transport: ssh, "
				     "rails: \"mlx5_[0-1]\"}\n"));
	assert_non_null(strstr(text, "- {names: \"leaf-r1\", dialect: sonic, transport: ssh, "
				     "tier: leaf, rail: 1}\n"));
	assert_non_null(strstr(text, "wiring: {file: 'x.csv'}\n"));
	free(text);
	discovery_free(&d);
}

/* Slaves have the cables; the bond's RDMA device is the NIC, and one bundle leads to two leaves. */
CASE(a_bond_is_one_nic_with_two_cables)
{
	struct discovery d = {0};
	struct obs *o = obs_new("node0", "lldp");
	uint32_t bond, port;
	char *text;

	seed(&d, "node0", "linux", TIER_HOST, true);
	bond = obs_port(o, "mlx5_bond_0");
	obs_word(o, bond, ATTR_BOND, 0, "mlx5_bond_0");
	obs_word(o, bond, ATTR_NETDEV, 0, "bond0");
	for (unsigned i = 0; i < 2; i++) {
		port = obs_port(o, i ? "e1" : "e0");
		obs_word(o, port, ATTR_BOND, 0, "mlx5_bond_0");
		obs_word(o, port, ATTR_NETDEV, 0, i ? "e1" : "e0");
		obs_lldp(o, port, i ? "leaf-b" : "leaf-a", "Ethernet0");
	}
	/* A bond of Ethernet NICs is no RDMA device. */
	port = obs_port(o, "bond9");
	obs_word(o, port, ATTR_BOND, 0, "bond9");
	obs_word(o, port, ATTR_NETDEV, 0, "bond9");
	discovery_learn(&d, 0, o, LIMIT);
	obs_free(o);
	assert_int_equal(d.devices.at[0].nics.n, 1);
	assert_string_equal(d.devices.at[0].nics.at[0], "mlx5_bond_0");
	assert_int_equal(d.links.n, 2);
	for (size_t i = 1; i < d.devices.n; i++) {
		d.devices.at[i].state = FOUND_KNOWN;
		(void)str_copy(d.devices.at[i].dialect, sizeof(d.devices.at[i].dialect), "sonic");
	}
	discovery_tiers(&d);
	assert_int_equal(d.devices.at[discovery_find(&d, "leaf-a")].rail, 0);
	assert_int_equal(d.devices.at[discovery_find(&d, "leaf-b")].rail, 0);
	discovery_sort(&d);
	text = written(&d, true);
	assert_non_null(strstr(text, "node0,e1,leaf-b,Ethernet0"));
	free(text);
	discovery_free(&d);
}

CASE(a_cable_told_from_both_ends_is_one)
{
	struct discovery d = {0};
	size_t lines = 0;
	char *text;

	clos(&d);
	text = written(&d, true);
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 1 + 4 + 2 + 1);
	assert_non_null(strstr(text, "node1,mlx5_1,leaf-r1,Ethernet8\n"));
	free(text);
	discovery_free(&d);
}

/* No device is asked: a seed that cannot be an address is refused at once. */
CASE(a_port_in_a_seed_is_refused)
{
	static const char *const seeds[] = {"10.0.0.1:22"};
	struct discover_opts opts = {.seeds = seeds, .nseeds = 1, .limit = 1};
	struct discovery d;
	struct err err = {0};

	assert_false(discover_run(&opts, &d, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.cure, "--ssh-config"));
	discovery_free(&d);
}

CASE(a_seed_by_address_gets_its_name)
{
	struct discovery d = {0};
	struct obs *o;

	seed(&d, "10.0.0.1", "sonic", TIER_LEAF, false);
	seed(&d, "10.0.0.2", "sonic", TIER_LEAF, false);
	/* The second is named by its neighbour before it has named itself. */
	neighbour(&d, "10.0.0.1", "Ethernet0", "leaf2", "Ethernet4");
	assert_int_equal(d.devices.n, 3);
	o = obs_new("10.0.0.2", "config");
	obs_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, "leaf2");
	discovery_learn(&d, 1, o, LIMIT);
	obs_free(o);
	assert_string_equal(d.devices.at[1].name, "leaf2");
	assert_string_equal(d.devices.at[1].address, "10.0.0.2");
	assert_int_equal(d.devices.at[2].state, FOUND_SAME);
	assert_int_equal(d.links.at[0].b, 1);
	assert_int_equal(discovery_find(&d, "leaf2.dc1.example"), 1);
	discovery_free(&d);
}

static void fact(struct discovery *d, const char *device, const char *key, const char *value)
{
	struct obs *o = obs_new(device, "role");

	obs_fact(o, key, value);
	discovery_learn(d, discovery_find(d, device), o, LIMIT);
	obs_free(o);
}

static struct found *linux_box(struct discovery *d, const char *name)
{
	(void)seed(d, name, "linux", TIER_LEAF, false);
	fact(d, name, "role", "1");
	return &d->devices.at[discovery_find(d, name)];
}

/*
 * Two leaves between a spine and servers that run FRR, all of them Linux. The second server offers
 * a detour between the leaves, and does not forward.
 */
static void frr_lab(struct discovery *d)
{
	static const char *const names[] = {"a1", "a2", "b1", "c1", "c2", "c3"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)linux_box(d, names[i]);
	neighbour(d, "a1", "swp49", "b1", "swp1");
	neighbour(d, "a2", "swp49", "b1", "swp2");
	neighbour(d, "a1", "swp1", "c1", "eth1");
	neighbour(d, "a1", "swp2", "c2", "eth1");
	neighbour(d, "a2", "swp2", "c2", "eth2");
	neighbour(d, "a2", "swp1", "c3", "eth1");
	fact(d, "a1", "addr", "10.1.1.1/24 lo");
	fact(d, "a2", "addr", "10.1.2.1/24 lo");
	fact(d, "b1", "addr", "10.2.1.1/32 lo");
	fact(d, "c1", "addr", "10.3.1.1/32 lo");
	fact(d, "c2", "addr", "10.3.2.1/32 lo");
	fact(d, "a1", "route", "10.1.2.0/24 swp49 swp2");
	fact(d, "a1", "route", "10.2.1.1 swp49");
	fact(d, "a1", "route", "10.3.1.1 swp1");
	fact(d, "a1", "route", "10.3.2.1 swp2");
	fact(d, "a2", "route", "10.1.1.0/24 swp49");
	fact(d, "a2", "route", "10.3.1.1 swp49");
	fact(d, "b1", "route", "10.3.1.1 swp1");
	fact(d, "c1", "route", "10.1.2.0/24 eth1");
	fact(d, "c2", "route", "10.1.1.0/24 eth1");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fact(d, names[i], "forwards", names[i][0] == 'c' ? "0" : "1");
}

static enum tier tier_of(const struct discovery *d, const char *name)
{
	return d->devices.at[discovery_find(d, name)].tier;
}

CASE(servers_that_route_are_no_switches)
{
	struct discovery d = {0};

	frr_lab(&d);
	discovery_sort(&d);
	discovery_tiers(&d);
	assert_int_equal(tier_of(&d, "a1"), TIER_LEAF);
	assert_int_equal(tier_of(&d, "a2"), TIER_LEAF);
	assert_int_equal(tier_of(&d, "b1"), TIER_SPINE);
	assert_int_equal(tier_of(&d, "c1"), TIER_HOST);
	assert_int_equal(tier_of(&d, "c2"), TIER_HOST);
	assert_int_equal(tier_of(&d, "c3"), TIER_HOST);
	discovery_free(&d);
}

/* A spine that was not read is one by what its neighbours send through it. */
CASE(a_device_that_was_not_read_is_judged_by_others)
{
	struct discovery d = {0};
	struct found *f;

	frr_lab(&d);
	f = &d.devices.at[discovery_find(&d, "b1")];
	found_role_free(&f->role);
	memset(&f->role, 0, sizeof(f->role));
	f->role.forwards = -1;
	f->state = FOUND_FAILED;
	discovery_sort(&d);
	discovery_tiers(&d);
	assert_int_equal(tier_of(&d, "b1"), TIER_SPINE);
	assert_int_equal(tier_of(&d, "a1"), TIER_LEAF);
	discovery_free(&d);
}

/* LLDP on the management network says nothing about tiers, and is no cable of the fabric. */
CASE(management_cables_do_not_count)
{
	struct discovery d = {0};
	char *text;

	clos(&d);
	seed(&d, "oob", "eos", TIER_LEAF, false);
	neighbour(&d, "super", "Management1", "oob", "Ethernet1");
	neighbour(&d, "oob", "Ethernet2", "node0", "mgmt0");
	discovery_tiers(&d);
	assert_int_equal(tier_of(&d, "super"), TIER_SUPERSPINE);
	text = written(&d, true);
	assert_null(strstr(text, "oob"));
	free(text);
	discovery_free(&d);
}

CASE(what_order_answers_come_in_does_not_matter)
{
	struct discovery d = {0}, e = {0};
	char *a, *b;

	seed(&d, "leaf1", "sonic", TIER_LEAF, false);
	seed(&d, "leaf2", "sonic", TIER_LEAF, false);
	neighbour(&d, "leaf1", "Ethernet0", "spine", "Ethernet0");
	neighbour(&d, "leaf2", "Ethernet0", "spine", "Ethernet4");
	seed(&e, "leaf2", "sonic", TIER_LEAF, false);
	neighbour(&e, "leaf2", "Ethernet0", "spine", "Ethernet4");
	seed(&e, "leaf1", "sonic", TIER_LEAF, false);
	neighbour(&e, "leaf1", "Ethernet0", "spine", "Ethernet0");
	d.devices.at[discovery_find(&d, "spine")].state = FOUND_FAILED;
	e.devices.at[discovery_find(&e, "spine")].state = FOUND_FAILED;
	discovery_sort(&d);
	discovery_sort(&e);
	discovery_tiers(&d);
	discovery_tiers(&e);
	a = written(&d, false);
	b = written(&e, false);
	assert_string_equal(a, b);
	free(a);
	free(b);
	discovery_free(&d);
	discovery_free(&e);
}

/* ---- an inventory that exists ---- */

static void count_message(void *ctx, const char *message)
{
	assert_non_null(strstr(message, " stays"));
	(*(unsigned *)ctx)++;
}

static char *updated(const char *text, struct discovery *d, struct update *done, unsigned *differ)
{
	struct err err = {0};
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	assert_true(update_inventory(
		"fabric.yaml", text, strlen(text), d, f, done, count_message, differ, &err));
	assert_int_equal(fclose(f), 0);
	return out;
}

CASE(an_inventory_keeps_what_was_written_by_hand)
{
	static const char before[] =
		"# ours\n"
		"fabric: x\n"
		"x-team: [a, b]  # not railtop's\n"
		"switches:\n"
		"    - names: top\n"
		"      address: super\n"
		"      tier: superspine\n"
		"      x-rack: 7\n"
		"\n"
		"    # the spine is planned as a leaf\n"
		"    - {names: \"spine,leaf-r0\", tier: leaf}\n"
		"# between\n"
		"hosts:\n"
		"    - {names: \"node[0-1]\"}   # both\n"
		"\n" DISCOVERY_FAILED_HEAD "\n#   old (leaf): gone\n#     cure: none\n"
		"trailer: 1\n";
	struct discovery d = {0};
	struct update done = {0};
	unsigned differ = 0;
	char *text, *again;

	clos(&d);
	discovery_sort(&d);
	discovery_tiers(&d);
	text = updated(before, &d, &done, &differ);
	assert_int_equal(done.devices, 1); /* leaf-r1 */
	assert_int_equal(done.known, 5);
	assert_int_equal(differ, 1); /* the spine */
	assert_non_null(strstr(text, "# ours\nfabric: x\nx-team: [a, b]  # not railtop's\n"));
	assert_non_null(
		strstr(text, "tier: leaf}\n    # leaf-r1: leaf, as hosts are cabled to it"));
	assert_non_null(strstr(text, "    - {names: \"leaf-r1\", dialect: sonic"));
	assert_non_null(strstr(text, "# between\nhosts:\n    - {names: \"node[0-1]\"}   # both\n"
				     "trailer: 1\n"));
	assert_null(strstr(text, "old (leaf)"));
	memset(&done, 0, sizeof(done));
	again = updated(text, &d, &done, &differ);
	assert_string_equal(again, text);
	assert_int_equal(done.devices, 0);
	free(again);
	free(text);
	discovery_free(&d);
}

CASE(a_file_that_cannot_be_extended_is_refused)
{
	static const char *const texts[] = {
		"switches: [{names: a}]\n", "switches: {\n", "- a\n", "hosts: 7\n"};
	struct err err = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memset(&err, 0, sizeof(err));
		assert_false(update_possible("f", texts[i], strlen(texts[i]), &err));
		assert_int_equal(err.code, ERR_CONFIG);
	}
	/* A file of another program keeps its form and its contents. */
	assert_false(update_possible("f", "hello: world\n", 13, &err));
	assert_non_null(strstr(err.text, "not an inventory"));
	assert_true(update_possible("f", "fabric: x\n", 10, &err));
	assert_true(update_possible("f", "", 0, &err));
	assert_true(update_possible("f", "hosts:\n", 7, &err));
}

/* The limits of an inventory count here too: few bytes would stand for a tree without end. */
CASE(a_file_beyond_the_limits_is_refused)
{
	struct err err = {0};
	struct buf b;

	buf_init(&b, 1 << 20);
	(void)buf_adds(&b, "x: ");
	for (int i = 0; i < 200; i++)
		(void)buf_adds(&b, "[");
	for (int i = 0; i < 200; i++)
		(void)buf_adds(&b, "]");
	(void)buf_adds(&b, "\nhosts:\n");
	assert_false(update_possible("f", b.data, b.len, &err));
	assert_non_null(strstr(err.text, "nested too deep"));
	assert_non_null(strstr(err.cure, "--force"));
	buf_reset(&b);
	(void)buf_adds(&b, "a0: &a0 [x]\n");
	for (int i = 1; i < 2000; i++)
		(void)buf_addf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
	(void)buf_adds(&b, "hosts:\n");
	memset(&err, 0, sizeof(err));
	assert_false(update_possible("f", b.data, b.len, &err));
	assert_non_null(strstr(err.text, "too many anchors"));
	buf_free(&b);
}

CASE(a_planned_cable_stays)
{
	static const char before[] = "device,port,device,port,speed\n"
				     "# rack 1\n"
				     "leaf-r0,Ethernet0,node1,mlx5_0,400G\n";
	struct discovery d = {0};
	struct update done = {0};
	char *out = NULL;
	unsigned differ = 0;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	clos(&d);
	discovery_sort(&d);
	discovery_tiers(&d);
	assert_non_null(f);
	assert_true(update_wiring(before, strlen(before), &d, f, &done, count_message, &differ));
	assert_int_equal(fclose(f), 0);
	assert_true(str_starts(out, before));
	assert_null(strstr(out, "node0,mlx5_0"));
	assert_non_null(strstr(out, "node0,mlx5_1,leaf-r1,Ethernet0\n"));
	assert_int_equal(done.cables, 7 - 2);
	/* The port, and the host that the network shows elsewhere. */
	assert_int_equal(differ, 2);
	free(out);
	discovery_free(&d);
}

CASE(neighbours_may_say_anything)
{
	static const char *const names[] = {"-oProxyCommand=x", "a b", "../x", "$(reboot)", ".x",
		"x\ny", "0123456789012345678901234567890123456789012345678901234567890123456789"};
	struct discovery d = {0};
	struct obs *o;
	uint32_t port;

	seed(&d, "leaf", "sonic", TIER_LEAF, false);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		neighbour(&d, "leaf", "Ethernet0", names[i], "p");
	assert_int_equal(d.devices.n, 1);
	assert_int_equal(d.skipped, sizeof(names) / sizeof(names[0]));
	o = obs_new("leaf", "lldp");
	port = obs_port(o, "Ethernet4");
	obs_lldp(o, port, "spine", "Ethernet1,#");
	obs_word(o, port, ATTR_LLDP_MGMT, 0, "10.0.0.9;reboot");
	discovery_learn(&d, 0, o, LIMIT);
	obs_free(o);
	assert_int_equal(d.devices.n, 2);
	assert_string_equal(d.devices.at[1].mgmt, "");
	discovery_free(&d);
}

CASE(the_limit_holds)
{
	struct discovery d = {0};
	char name[16];

	seed(&d, "leaf", "sonic", TIER_LEAF, false);
	for (int i = 0; i < 2 * LIMIT; i++) {
		(void)str_printf(name, sizeof(name), "n%d", i);
		neighbour(&d, "leaf", "Ethernet0", name, "eth0");
	}
	assert_int_equal(d.devices.n, LIMIT);
	assert_true(d.cut);
	discovery_free(&d);
}

CASE(who_was_not_asked_is_listed)
{
	struct discovery d = {0};
	struct found *f;
	char *text;

	seed(&d, "leaf", "sonic", TIER_LEAF, false);
	f = seed(&d, "mgmt-sw", "", TIER_LEAF, false);
	f->state = FOUND_FAILED;
	(void)str_copy(f->descr, sizeof(f->descr), "Arista Networks EOS, internalVersion");
	err_set(&f->err, ERR_UNAUTHORISED, "mgmt-sw", "the key was refused");
	err_cure(&f->err, "ssh-copy-id");
	neighbour(&d, "leaf", "Ethernet0", "mgmt-sw", "Ethernet1");
	discovery_tiers(&d);
	text = written(&d, false);
	assert_non_null(strstr(text, "#   mgmt-sw (leaf, Arista"));
	assert_non_null(strstr(text, "#     cure: ssh-copy-id\n"));
	assert_null(strstr(text, "names: \"mgmt-sw\""));
	free(text);
	text = written(&d, true);
	assert_string_equal(text, "device,port,device,port,speed\n");
	free(text);
	discovery_free(&d);
}

static void report(struct discovery *d, const char *device, const char *port, enum obs_attr attr,
	const char *text, double mbps)
{
	struct obs *o = obs_new(device, "slow");
	uint32_t at = obs_port(o, port);

	obs_word(o, at, attr, 0, text);
	if (mbps > 0)
		obs_number(o, at, ATTR_SPEED_MBPS, 0, mbps);
	discovery_learn(d, discovery_find(d, device), o, LIMIT);
	obs_free(o);
}

/*
 * A NIC's firmware is heard before the host, an alias and a port's own name are one port, and a
 * stranger's MAC is no device. The fifth column is the speed that both ends have.
 */
CASE(names_of_ports_and_speeds)
{
	struct discovery d = {0};
	char *text;

	seed(&d, "leaf-a", "sonic", TIER_LEAF, false);
	seed(&d, "spine", "sonic", TIER_LEAF, false);
	seed(&d, "node0", "linux", TIER_HOST, true);
	neighbour(&d, "leaf-a", "Ethernet0", "b8:ce:f6:aa:00:01", "b8:ce:f6:aa:00:01");
	neighbour(&d, "leaf-a", "Ethernet8", "b8:ce:f6:aa:00:09", "b8:ce:f6:aa:00:09");
	neighbour(&d, "leaf-a", "Ethernet16", "spine", "etp1");
	neighbour(&d, "spine", "Ethernet0", "leaf-a", "etp3");
	report(&d, "leaf-a", "Ethernet16", ATTR_ALIAS, "etp3", 800000);
	report(&d, "leaf-a", "Ethernet0", ATTR_ALIAS, "etp1", 400000);
	report(&d, "spine", "Ethernet0", ATTR_ALIAS, "etp1", 800000);
	report(&d, "node0", "mlx5_0", ATTR_MAC, "B8CE.F6AA.0001", 200000);
	discovery_match_macs(&d);
	assert_int_equal(d.devices.n, 3);
	text = written(&d, true);
	assert_string_equal(text, "device,port,device,port,speed\n"
				  "leaf-a,Ethernet16,spine,Ethernet0,800G\n"
				  "leaf-a,Ethernet0,node0,mlx5_0\n");
	free(text);
	discovery_free(&d);
}

CASES_MAIN(NULL, NULL)
