/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "emulator/serve/site.h"
#include "emulator/serve/topology_file.h"
#include "tests/support/cases.h"

/* ---- helpers ---- */

struct place {
	char dir[64];
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	(void)str_copy(p->dir, sizeof(p->dir), "/tmp/railtop-topology-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	DIR *d = opendir(p->dir);
	struct dirent *e;
	char path[512];

	assert_non_null(d);
	while ((e = readdir(d))) {
		(void)str_printf(path, sizeof(path), "%s/%s", p->dir, e->d_name);
		if (e->d_name[0] != '.')
			(void)unlink(path);
	}
	(void)closedir(d);
	assert_int_equal(rmdir(p->dir), 0);
	free(p);
	return 0;
}

static void path_of(const struct place *p, const char *name, char dst[128])
{
	assert_true(str_printf(dst, 128, "%s/%s", p->dir, name));
}

static void put_file(const struct place *p, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	path_of(p, name, path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static struct topology *load(const struct place *p)
{
	struct err err = {0};
	struct topology *t;
	char path[128];

	path_of(p, "fabric.yaml", path);
	t = topology_load(path, &err);
	if (!t)
		fail_msg("%s: %s", err.origin, err.text);
	return t;
}

static unsigned device_at(const struct topology *t, const char *name)
{
	for (unsigned i = 0; i < t->ndevices; i++)
		if (strcmp(t->device[i].name, name) == 0)
			return i;
	fail_msg("no device %s", name);
	return 0;
}

static const struct topo_port *port_at(
	const struct topology *t, const char *device, const char *name)
{
	unsigned d = device_at(t, device);

	for (size_t i = 0; i < t->nports; i++)
		if (t->port[i].device == d && strcmp(t->port[i].name, name) == 0)
			return &t->port[i];
	return NULL;
}

/* "device port", or "" where nothing is plugged in. */
static const char *peer_of(
	const struct topology *t, const char *device, const char *name, char dst[64])
{
	const struct topo_port *p = port_at(t, device, name);
	unsigned at;

	assert_non_null(p);
	at = (unsigned)(p - t->port);
	dst[0] = '\0';
	for (size_t i = 0; i < t->ncables; i++) {
		const struct topo_cable *c = &t->cable[i];
		const struct topo_port *far = c->a == at   ? &t->port[c->b]
					      : c->b == at ? &t->port[c->a]
							   : NULL;

		if (far)
			(void)str_printf(dst, 64, "%s %s", t->device[far->device].name, far->name);
	}
	return dst;
}

static void assert_same(const struct topology *a, const struct topology *b)
{
	assert_string_equal(a->name, b->name);
	assert_ptr_equal(a->sizing, b->sizing);
	assert_int_equal(a->ndevices, b->ndevices);
	assert_int_equal(a->nports, b->nports);
	assert_int_equal(a->ncables, b->ncables);
	for (size_t i = 0; i < a->ndevices; i++) {
		const struct topo_device *x = &a->device[i], *y = &b->device[i];

		if (strcmp(x->name, y->name) != 0 || x->tier != y->tier || x->net != y->net ||
			x->rail != y->rail || x->platform != y->platform)
			fail_msg("device %zu: %s %d %d rail %d %s, %s %d %d rail %d %s", i, x->name,
				x->tier, x->net, x->rail, x->platform->name, y->name, y->tier,
				y->net, y->rail, y->platform->name);
	}
	for (size_t i = 0; i < a->nports; i++) {
		const struct topo_port *x = &a->port[i], *y = &b->port[i];

		if (strcmp(x->name, y->name) != 0 || x->device != y->device ||
			x->speed_mbps != y->speed_mbps || x->rail != y->rail)
			fail_msg("port %zu: %s %s %u rail %d, %s %s %u rail %d", i,
				a->device[x->device].name, x->name, x->speed_mbps, x->rail,
				b->device[y->device].name, y->name, y->speed_mbps, y->rail);
	}
	assert_memory_equal(a->cable, b->cable, a->ncables * sizeof(*a->cable));
}

/* Whether it is in the order that struct topology promises. */
static void assert_ordered(const struct topology *t)
{
	for (size_t i = 1; i < t->ndevices; i++)
		assert_true(t->device[i - 1].tier <= t->device[i].tier);
	for (size_t i = 1; i < t->nports; i++)
		assert_true(t->port[i - 1].device <= t->port[i].device);
	for (size_t i = 0; i < t->ncables; i++) {
		assert_true(t->cable[i].a < t->nports && t->cable[i].b < t->nports);
		assert_true(t->device[t->port[t->cable[i].a].device].tier <=
			    t->device[t->port[t->cable[i].b].device].tier);
	}
}

/* ---- presets ---- */

static void end_is(
	const struct topology *t, const struct sizing *z, unsigned port, const struct wire_end *end)
{
	const struct topo_port *p = &t->port[port];
	const struct topo_device *d = &t->device[p->device];
	char name[NAME_MAX_LEN];

	assert_true(sizing_device_name(z, end->tier, end->device, name, sizeof(name)));
	assert_string_equal(d->name, name);
	assert_int_equal(d->tier, end->tier);
	assert_int_equal(d->rail, sizing_rail(z, end->tier, end->device));
	if (end->tier == TIER_HOST)
		(void)str_printf(name, sizeof(name), "eth%u", end->port);
	else
		assert_true(sizing_port_name(end->tier, d->platform->dialect, end->port, name,
				    sizeof(name)) ||
			    str_printf(name, sizeof(name), "swp%u", end->port + 1));
	assert_string_equal(p->name, name);
	assert_int_equal(p->rail, end->tier == TIER_HOST ? (int)end->port : d->rail);
	assert_int_equal(p->speed_mbps, z->speed_mbps);
}

static void preset_is_the_formula(const char *preset)
{
	const struct sizing *z = sizing_preset(preset);
	struct topology *t = topology_of_sizing(z, NULL);
	size_t devices = 0;

	for (int k = 0; k < TIER_COUNT; k++)
		devices += sizing_devices(z, (enum tier)k);
	assert_int_equal(t->ndevices, devices);
	assert_int_equal(t->ncables, sizing_wires(z));
	assert_ptr_equal(t->sizing, z);
	assert_ordered(t);
	for (size_t i = 0; i < t->ncables; i++) {
		struct wire w = sizing_wire(z, i);

		end_is(t, z, t->cable[i].a, &w.a);
		end_is(t, z, t->cable[i].b, &w.b);
	}
	topology_free(t);
}

CASE(test_presets_are_the_formula)
{
	preset_is_the_formula("ref256");
	preset_is_the_formula("4k");
	preset_is_the_formula("24k");
	preset_is_the_formula("100k");
}

CASE(test_platforms_name_the_ports)
{
	const struct sim_platform *const mix[TIER_COUNT] = {
		NULL, sim_platform("cumulus"), sim_platform("nxos"), NULL};
	struct topology *t = topology_of_sizing(sizing_preset("ref256"), mix);
	char peer[64];

	assert_string_equal(peer_of(t, "node002", "eth1", peer), "leaf-r1-00 swp3");
	assert_string_equal(peer_of(t, "leaf-r0-00", "swp33", peer), "spine-000 Ethernet1/1");
	assert_string_equal(t->device[device_at(t, "spine-003")].platform->name, "nxos");
	assert_int_equal(topology_use_platform(t, TIER_LEAF, sim_platform("frr")), 0);
	assert_string_equal(t->device[device_at(t, "node000")].platform->name, "linux");
	assert_string_equal(t->device[device_at(t, "leaf-r0-00")].platform->name, "cumulus");
	topology_free(t);
	t = topology_of_sizing(sizing_preset("ref256"), NULL);
	assert_int_equal(topology_use_platform(t, TIER_SPINE, sim_platform("sonic-broadcom")), 0);
	assert_int_equal(topology_use_platform(t, TIER_LEAF, sim_platform("sonic-broadcom")), 8);
	assert_string_equal(t->device[device_at(t, "leaf-r0-00")].platform->name, "sonic-broadcom");
	assert_string_equal(t->device[device_at(t, "spine-000")].platform->name, "eos");
	topology_free(t);
}

/* ---- explicit fabrics ---- */

static const char mixed[] =
	"fabric: lab\n"
	"lossless: {priorities: [3]}\n"
	"defaults: {user: noc, interval: 2s}\n"
	"switches:\n"
	"  - {names: \"tor[1-2]\", dialect: sonic, tier: tor, rail: 1, address: \"10.0.0.[1-2]\"}\n"
	"  - {names: edge-r3-x, dialect: cumulus, tier: leaf, transport: https}\n"
	"  - {names: [core1, core2], dialect: eos, tier: spine, credentials: env:EAPI}\n"
	"  - {names: old, dialect: nxos, tier: ctsw}\n"
	"  - {names: box, dialect: linux, tier: leaf, net: storage}\n"
	"hosts:\n"
	"  - {names: \"gpu[09-10]\", rails: \"mlx5_[0-3]\"}\n"
	"jobs: {source: nccl-ras}\n"
	"actions: {drain: true}\n"
	"wiring: {file: links.csv}\n";
static const char mixed_links[] = "device,port,device,port\n"
				  "gpu09,mlx5_0,tor1,Ethernet8  # moved in June\n"
				  "\n"
				  "tor1,Ethernet0,gpu10,mlx5_0\r\n"
				  "gpu09,mlx5_5,box,swp1\n"
				  "core2,Ethernet1/1,tor1,Ethernet12\n"
				  "tor2,Ethernet0,core1,Ethernet2/1\n"
				  "edge-r3-x,swp1,gpu09,mlx5_3\n"
				  "edge-r3-x,swp10,old,Ethernet1/9\n"
				  "edge-r3-x,swp2,core1,Ethernet10/1\n"
				  "core2,Ethernet3/2,box,swp2\n";

CASE_WITH(test_explicit_fabric, setup, teardown)
{
	static const char *const order[] = {
		"gpu09", "gpu10", "tor1", "tor2", "edge-r3-x", "box", "core1", "core2", "old"};
	struct topology *t;
	char peer[64];

	put_file(*state, "fabric.yaml", mixed);
	put_file(*state, "links.csv", mixed_links);
	t = load(*state);
	assert_string_equal(t->name, "lab");
	assert_null(t->sizing);
	assert_int_equal(t->ndevices, 9);
	assert_ordered(t);
	for (size_t i = 0; i < t->ndevices; i++)
		assert_string_equal(t->device[i].name, order[i]);
	assert_string_equal(t->device[2].platform->name, "sonic-spectrum");
	assert_string_equal(t->device[4].platform->name, "cumulus");
	assert_string_equal(t->device[5].platform->name, "frr");
	assert_string_equal(t->device[0].platform->name, "linux");
	assert_int_equal(t->device[2].rail, 1);
	assert_int_equal(t->device[4].rail, 3);
	assert_int_equal(t->device[5].net, NET_STORAGE);
	assert_string_equal(peer_of(t, "gpu09", "eth0", peer), "tor1 Ethernet8");
	assert_string_equal(peer_of(t, "gpu10", "eth0", peer), "tor1 Ethernet0");
	assert_string_equal(peer_of(t, "old", "Ethernet1/9", peer), "edge-r3-x swp10");
	topology_free(t);
}

CASE_WITH(test_explicit_ports, setup, teardown)
{
	struct topology *t;
	char peer[64];

	put_file(*state, "fabric.yaml", mixed);
	put_file(*state, "links.csv", mixed_links);
	t = load(*state);
	/* A port between two wired ports exists, and is dark. */
	assert_string_equal(peer_of(t, "tor1", "Ethernet4", peer), "");
	assert_string_equal(peer_of(t, "gpu09", "eth4", peer), "");
	/* Rails that nobody wired are there as well. */
	assert_string_equal(peer_of(t, "gpu10", "eth3", peer), "");
	assert_null(port_at(t, "gpu10", "eth4"));
	assert_string_equal(peer_of(t, "core1", "Ethernet1/1", peer), "");
	assert_null(port_at(t, "core1", "Ethernet11/1"));
	/* A name of another form is taken as it is. */
	assert_string_equal(peer_of(t, "core2", "Ethernet3/2", peer), "box swp2");
	assert_null(port_at(t, "core2", "Ethernet2/1"));
	/* By number, not by letter. */
	assert_true(port_at(t, "edge-r3-x", "swp2") < port_at(t, "edge-r3-x", "swp10"));
	assert_int_equal(port_at(t, "gpu09", "eth3")->rail, 3);
	assert_int_equal(port_at(t, "gpu09", "eth5")->rail, -1);
	assert_int_equal(port_at(t, "gpu09", "eth5")->speed_mbps, 200000);
	assert_int_equal(port_at(t, "box", "swp1")->speed_mbps, 200000);
	assert_int_equal(port_at(t, "gpu09", "eth0")->speed_mbps, 400000);
	topology_free(t);
}

CASE_WITH(test_renamed_preset, setup, teardown)
{
	struct topology *t;
	char peer[64];

	put_file(*state, "fabric.yaml",
		"fabric: prod\npreset: ref256\n"
		"switches:\n"
		"  - {names: \"rack[1-8]\", dialect: cumulus, tier: leaf}\n"
		"  - {names: \"spine-[000-003]\", dialect: nxos, tier: spine}\n"
		"hosts:\n  - {names: \"gpu-[101-132]\"}\n"
		"wiring: {plan: formula}\n");
	t = load(*state);
	assert_ptr_equal(t->sizing, sizing_preset("ref256"));
	assert_int_equal(t->ncables, sizing_wires(t->sizing));
	assert_string_equal(peer_of(t, "gpu-103", "eth7", peer), "rack8 swp3");
	assert_string_equal(peer_of(t, "rack8", "swp64", peer), "spine-003 Ethernet1/64");
	assert_int_equal(t->device[device_at(t, "rack8")].rail, 7);
	topology_free(t);
}

CASE_WITH(test_part_of_a_preset, setup, teardown)
{
	struct topology *t;
	char peer[64];

	put_file(*state, "fabric.yaml",
		"fabric: part\npreset: 4k\n"
		"switches:\n  - {names: \"leaf-r2-[00-01]\", dialect: sonic, tier: leaf}\n"
		"hosts:\n  - {names: \"node[030-033]\"}\n");
	t = load(*state);
	assert_null(t->sizing);
	assert_int_equal(t->ndevices, 6);
	assert_int_equal(t->ncables, 4);
	assert_string_equal(peer_of(t, "node031", "eth2", peer), "leaf-r2-00 Ethernet124");
	assert_string_equal(peer_of(t, "node032", "eth2", peer), "leaf-r2-01 Ethernet0");
	assert_string_equal(peer_of(t, "node032", "eth1", peer), "");
	assert_string_equal(peer_of(t, "leaf-r2-01", "Ethernet252", peer), "");
	topology_free(t);
}

/* ---- errors ---- */

#define LEAF "switches: [{names: l1, dialect: sonic, tier: leaf}]\n"
#define HOST "hosts: [{names: h1}]\n"
#define CSV  "wiring: {file: links.csv}\n"

CASE_WITH(test_errors, setup, teardown)
{
	static const struct {
		const char *yaml, *csv, *origin, *text, *cure;
	} bad[] = {
		{"", "", "fabric.yaml", "is empty", ""},
		{"fabric: [\n}", "", "fabric.yaml:2", "not YAML", ""},
		{LEAF CSV, "", "fabric.yaml:1", "\"fabric\" is missing", ""},
		{"fabric: x\n" CSV, "", "fabric.yaml:1", "no switches and no hosts", ""},
		{"fabric: x\n" LEAF, "", "fabric.yaml:1", "wired", "ref256"},
		{"fabric: x\npreset: 5k\n" LEAF, "", "fabric.yaml:2", "\"5k\" is not a preset",
			"ref256, 4k, 24k, 100k"},
		{"fabric: x\n\nswitches:\n  - {names: a, dialect: junos, tier: leaf}\n" CSV, "",
			"fabric.yaml:4", "\"junos\" is not a dialect",
			"sonic, eos, cumulus, nxos, linux"},
		{"fabric: x\nswitches: [{names: a, dialect: eos}]\n" CSV, "", "fabric.yaml:2",
			"\"tier\" is missing", "superspine"},
		{"fabric: x\nswitches: [{names: a, tier: leaf}]\n" CSV, "", "fabric.yaml:2",
			"\"dialect\" is missing", "sonic"},
		{"fabric: x\nswitches: [{dialect: eos, tier: leaf}]\n" CSV, "", "fabric.yaml:2",
			"\"names\" is missing", ""},
		{"fabric: x\nhosts: [{names: a, dialect: eos}]\n" CSV, "", "fabric.yaml:2",
			"dialect of hosts", "linux"},
		{"fabric: x\nhosts: [{names: a, net: blue}]\n" CSV, "", "fabric.yaml:2",
			"not a network", "storage"},
		{"fabric: x\nhosts: [{names: \"a[5-3]\"}]\n" CSV, "", "fabric.yaml:2",
			"runs backwards", "name[000-499]"},
		{"fabric: x\nhosts: [{names: \"a[5\"}]\n" CSV, "", "fabric.yaml:2", "never closed",
			""},
		{"fabric: x\nhosts: [{names: \"n[1-2],n2\"}]\n" CSV, "", "fabric.yaml:2",
			"\"n2\" is a device already", ""},
		{"fabric: x\nhosts: [{names: \"n[0-99999999]\"}]\n" CSV, "", "fabric.yaml:2",
			"too many names", ""},
		{"fabric: x\nhosts: [{names: \"a;b\"}]\n" CSV, "", "fabric.yaml:2",
			"not a device name", ""},
		{"fabric: x\nhosts: [{names: a, rails: \"ib[0-3]\"}]\n" CSV, "", "fabric.yaml:2",
			"\"ib0\"", "mlx5_[0-7]"},
		{"fabric: x\npreset: ref256\n" LEAF HOST, "", "fabric.yaml",
			"32 devices of tier host, the inventory 1", "node000"},
		{"fabric: x\n" LEAF HOST CSV, "h1,mlx5_0,l1\n", "links.csv:1", "3 columns",
			"device,port,device,port"},
		{"fabric: x\n" LEAF HOST CSV, "\nh1,mlx5_0,l2,Ethernet0\n", "links.csv:2",
			"\"l2\" is not a device", ""},
		{"fabric: x\n" LEAF HOST CSV, "h1,mlx5_0,l1,Ethernet04\n", "links.csv:1",
			"\"Ethernet04\" is not a port", "Ethernet4"},
		{"fabric: x\n" LEAF HOST CSV, "h1,mlx5_0,l1,swp4\n", "links.csv:1",
			"\"swp4\" is not a port", "Ethernet4"},
		{"fabric: x\n" LEAF HOST CSV, "h1,mlx5_0,l1,Ethernet4,400\n", "links.csv:1",
			"\"400\" is not a speed", "400G"},
		{"fabric: x\n" LEAF HOST CSV, "h1,mlx5_0,l1,Ethernet4,400G,x\n", "links.csv:1",
			"6 columns", "speed"},
		{"fabric: x\n" LEAF HOST CSV, "h1,ib0,l1,Ethernet4\n", "links.csv:1",
			"\"ib0\" is not a port", "mlx5_0"},
		{"fabric: x\n" LEAF HOST CSV, "h1,mlx5_0,l1,Ethernet4\nh1,mlx5_1,l1,Ethernet4\n",
			"links.csv:2", "l1:Ethernet4 is wired a second time (first in line 1)", ""},
		{"fabric: x\n" LEAF HOST CSV, "l1,Ethernet0,l1,Ethernet4\n", "links.csv:1",
			"itself", ""},
		{"fabric: x\nhosts: [{names: \"h[1-2]\"}]\n" CSV, "h1,mlx5_0,h2,mlx5_0\n",
			"links.csv:1", "another host", ""},
		{"fabric: x\n" LEAF "wiring: {file: none.csv}\n", "", "none.csv", "cannot read",
			""},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};
		char path[128];

		put_file(*state, "fabric.yaml", bad[i].yaml);
		put_file(*state, "links.csv", bad[i].csv);
		path_of(*state, "fabric.yaml", path);
		assert_null(topology_load(path, &err));
		if (!strstr(err.origin, bad[i].origin) || !strstr(err.text, bad[i].text) ||
			!strstr(err.cure, bad[i].cure))
			fail_msg("%s\nis said to be wrong at %s: %s (%s)", bad[i].yaml, err.origin,
				err.text, err.cure);
		assert_int_equal(err.code, ERR_CONFIG);
	}
}

/* ---- networks ---- */

static void count_ports(const struct topology *t, enum net_kind net, unsigned out[TIER_COUNT])
{
	memset(out, 0, TIER_COUNT * sizeof(*out));
	for (size_t i = 0; i < t->ncables; i++) {
		const struct topo_device *a = &t->device[t->port[t->cable[i].a].device];
		const struct topo_device *b = &t->device[t->port[t->cable[i].b].device];

		if (b->net == net)
			out[a->tier]++;
	}
}

CASE(test_networks)
{
	struct topology *t = topology_of_sizing(sizing_preset("4k"), NULL);
	size_t before = t->ncables;
	unsigned n[TIER_COUNT];
	char peer[64];

	topology_add_networks(t, 1U << NET_STORAGE | 1U << NET_FRONTEND | 1U << NET_OOB);
	assert_null(t->sizing);
	assert_ordered(t);
	count_ports(t, NET_BACKEND, n);
	assert_int_equal(n[TIER_HOST] + n[TIER_LEAF] + n[TIER_SPINE], before);
	count_ports(t, NET_STORAGE, n);
	assert_int_equal(n[TIER_HOST], 500 + 2 * 32);
	assert_int_equal(n[TIER_LEAF], 22 * 4);
	count_ports(t, NET_FRONTEND, n);
	assert_int_equal(n[TIER_HOST], 500);
	count_ports(t, NET_OOB, n);
	assert_int_equal(n[TIER_HOST], 500);
	/* The backend's devices keep their place: the first of their tier. */
	assert_int_equal(device_at(t, "node499"), 499);
	assert_int_equal(device_at(t, "stor000"), 500);
	assert_string_equal(peer_of(t, "node049", "eth8", peer), "stor-leaf-03 Ethernet0");
	assert_string_equal(peer_of(t, "stor000", "eth0", peer), "stor-leaf-00 Ethernet96");
	assert_string_equal(peer_of(t, "stor000", "eth1", peer), "stor-leaf-01 Ethernet96");
	assert_string_equal(peer_of(t, "node000", "eth9", peer), "front-leaf-00 Ethernet1/1");
	assert_string_equal(peer_of(t, "node000", "bmc", peer), "oob-leaf-00 Ethernet0");
	assert_int_equal(port_at(t, "node000", "eth8")->speed_mbps, 200000);
	assert_int_equal(port_at(t, "node000", "eth9")->speed_mbps, 100000);
	assert_int_equal(port_at(t, "node000", "bmc")->speed_mbps, 1000);
	assert_int_equal(port_at(t, "node000", "bmc")->rail, -1);
	assert_int_equal(port_at(t, "node000", "eth7")->rail, 7);
	before = t->ncables;
	topology_add_networks(t, 1U << NET_STORAGE);
	assert_int_equal(t->ncables, before);
	topology_free(t);
}

CASE(test_network_words)
{
	unsigned mask = 9;
	struct err err;

	assert_true(topology_networks("storage,oob", &mask, &err));
	assert_int_equal(mask, 1U << NET_STORAGE | 1U << NET_OOB);
	assert_true(topology_networks("", &mask, &err));
	assert_int_equal(mask, 0);
	assert_false(topology_networks("storage,backend", &mask, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.text, "backend"));
	assert_non_null(strstr(err.cure, "storage,frontend,oob"));
}

/* ---- round trip ---- */

/* The emulator's inventory for the console is the same fabric when it is read again. */
static void goes_round(const struct place *p, struct topology *t)
{
	struct sim_opts o = {
		.topology = t, .seed = 1, .start_us = 1000000, .speed = 1, .steady = true};
	struct sim *sim = sim_new(&o);
	struct topology *back;
	struct site *site;
	struct err err;

	site = site_new(p->dir, "127.44.0.1", sim, &err);
	if (!site || !site_publish(site, 2222, 8443, "1s", &err))
		fail_msg("%s: %s", err.origin, err.text);
	back = load(p);
	assert_same(t, back);
	topology_free(back);
	topology_free(t);
	site_free(site);
	sim_free(sim);
}

CASE_WITH(test_presets_go_round, setup, teardown)
{
	static const char *const mixes[][TIER_COUNT] = {
		{"linux", "sonic-spectrum", "eos", "eos"},
		{"linux", "cumulus", "nxos", "sonic-spectrum"},
		{"linux", "frr", "cumulus", "nxos"},
	};

	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		const struct sim_platform *mix[TIER_COUNT];

		for (int k = 0; k < TIER_COUNT; k++)
			mix[k] = sim_platform(mixes[i][k]);
		goes_round(*state, topology_of_sizing(sizing_preset("ref256"), mix));
		goes_round(*state, topology_of_sizing(sizing_preset("4k"), mix));
	}
}

CASE_WITH(test_networks_go_round, setup, teardown)
{
	const unsigned all = 1U << NET_STORAGE | 1U << NET_FRONTEND | 1U << NET_OOB;
	const struct sim_platform *const mix[TIER_COUNT] = {
		NULL, sim_platform("eos"), sim_platform("nxos"), sim_platform("cumulus")};
	struct topology *t = topology_of_sizing(sizing_preset("ref256"), NULL);

	topology_add_networks(t, all);
	goes_round(*state, t);
	/* Some leaves of 4k have ports that no host uses. */
	t = topology_of_sizing(sizing_preset("4k"), mix);
	topology_add_networks(t, all);
	goes_round(*state, t);
}

CASE_WITH(test_explicit_goes_round, setup, teardown)
{
	put_file(*state, "fabric.yaml", mixed);
	put_file(*state, "links.csv", mixed_links);
	goes_round(*state, load(*state));
}

/* ---- the simulation of it ---- */

CASE_WITH(test_sim_follows, setup, teardown)
{
	struct sim_opts o = {.seed = 1, .start_us = 1000000, .speed = 1, .steady = true};
	const struct sim_device *gpu, *box;
	struct topology *t;
	struct sim *sim;

	put_file(*state, "fabric.yaml", mixed);
	put_file(*state, "links.csv", mixed_links);
	o.topology = t = load(*state);
	sim = sim_new(&o);
	assert_null(sim_sizing(sim));
	assert_ptr_equal(sim_topology(sim), t);
	assert_int_equal(sim_device_count(sim), 9);
	gpu = sim_device_by_name(sim, "gpu09");
	box = sim_device_by_name(sim, "box");
	assert_int_equal(gpu->nports, 6);
	assert_ptr_equal(gpu->ports[5].peer, &box->ports[0]);
	assert_ptr_equal(gpu->ports[5].plan_peer, &box->ports[0]);
	assert_int_equal(gpu->ports[5].net, NET_STORAGE);
	assert_int_equal(gpu->ports[0].net, NET_BACKEND);
	assert_int_equal(gpu->ports[5].speed_mbps, 200000);
	assert_int_equal(gpu->ports[5].lanes, 2);
	assert_false(gpu->ports[4].up);
	assert_null(gpu->ports[4].peer);
	assert_int_equal(sim_device_by_name(sim, "core2")->index, 1);
	assert_ptr_equal(sim_device_of(sim, &box->ports[0]), box);
	assert_int_not_equal(box->asn, sim_device_by_name(sim, "core1")->asn);
	assert_int_equal(gpu->asn, 0);
	sim_free(sim);
	topology_free(t);
}

CASE(test_plain_networks_lose_packets)
{
	struct topology *t = topology_of_sizing(sizing_preset("ref256"), NULL);
	struct sim_opts o = {
		.topology = t, .seed = 1, .start_us = 1000000, .speed = 1, .steady = true};
	const struct sim_device *host;
	struct sim *sim;

	topology_add_networks(t, 1U << NET_STORAGE | 1U << NET_FRONTEND);
	sim = sim_new(&o);
	host = sim_device_by_name(sim, "node000");
	assert_int_equal(host->ports[8].net, NET_STORAGE);
	assert_int_equal(host->ports[8].config.pfc_mask, 1U << SIM_PRIO_ROCE);
	assert_int_equal(host->ports[9].net, NET_FRONTEND);
	assert_int_equal(host->ports[9].config.pfc_mask, 0);
	assert_int_equal(host->ports[9].peer->config.pfc_mask, 0);
	assert_int_equal(host->ports[9].peer->config.wd_mask, 0);
	assert_false(host->ports[9].peer->config.ecn);
	sim_free(sim);
	topology_free(t);
}

CASES_MAIN(NULL, NULL)
