/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "backends/contract/backend.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* ---- help ---- */

/* The same with the list of all dialects between two parts. */
static void expect_dialects(const char *text, const char *before, const char *after)
{
	char want[1024];

	assert_true(str_printf(want, sizeof(want), "%s%s%s", before, backend_names(), after));
	inventory_says(text, want);
}

#define TOP_KEYS                                                                                   \
	"fabric, preset, lossless, defaults, switches, hosts, jobs, pins, racks, wiring, "         \
	"include, "                                                                                \
	"actions, "                                                                                \
	"engine, "                                                                                 \
	"notify"
#define HEAD "fabric: t\n"
#define LEAF "switches: [{names: leaf-1, dialect: sonic, tier: leaf}]\n"

static const char sample[] =
	"fabric: b200-4k\n"
	"preset: 4k                 # or explicit tiers and wiring\n"
	"lossless: {priorities: [3], dscp: {26: 3}, cnp_dscp: 48, ecn: {min: 500KB, max: 1500KB}}\n"
	"defaults: {interval: 5s, user: noc, ssh_config: ~/.ssh/config, known_hosts: "
	"~/.ssh/known_hosts, tls_ca: /etc/ssl/fabric-ca.pem}\n"
	"switches:\n"
	"  - {names: \"leaf-r[0-7]-[00-15]\", dialect: sonic, transport: ssh, tier: leaf}\n"
	"  - {names: \"spine-[000-127]\", dialect: eos, transport: https, tier: spine, "
	"credentials: "
	"env:EAPI}\n"
	"hosts:\n"
	"  - {names: \"node[000-499]\", dialect: linux, transport: ssh, rails: \"mlx5_[0-7]\"}\n"
	"jobs: {source: nccl-ras}\n"
	"wiring: {plan: formula}\n";

static const char ref256[] = "fabric: demo\n"
			     "preset: ref256\n"
			     "defaults: {interval: 1s, user: noc, identity: id_ed25519}\n"
			     "switches:\n"
			     "  - {names: 'leaf-r[0-7]-00', dialect: sonic, tier: leaf, "
			     "address: '127.44.0.[1-8]', port: 2222}\n"
			     "  - {names: 'spine-[000-003]', dialect: eos, transport: https, tier: "
			     "spine, credentials: file:eapi.secret, port: 8443}\n"
			     "hosts:\n"
			     "  - {names: 'node[000-031]', rails: 'mlx5_[0-7]', interval: 500ms, "
			     "medium_interval: 10s, slow_interval: 2m}\n"
			     "wiring: {plan: formula}\n"
			     "actions: false\n";

/* ---- good files ---- */

CASE(sample_of_the_contract_loads)
{
	struct plan p;
	const struct plan_device *d;

	assert_int_equal(setenv("HOME", "/home/noc", 1), 0);
	inventory_expect(sample, "", &p);
	assert_string_equal(p.fabric, "b200-4k");
	assert_string_equal(p.preset, "4k");
	assert_int_equal(p.rails, 8);
	assert_int_equal(p.devices.n, 128 + 128 + 500);
	/* No superspines are listed: their links cannot be planned, the others are. */
	assert_int_equal(p.links.n, 4000 + 4096);
	assert_int_equal(p.lossless.priorities, 1 << 3);
	assert_int_equal(p.lossless.dscp_prio[26], 3);
	assert_int_equal(p.lossless.dscp_prio[27], -1);
	assert_int_equal(p.lossless.cnp_dscp, 48);
	assert_int_equal(p.lossless.ecn_min_bytes, 500000);
	assert_int_equal(p.lossless.ecn_max_bytes, 1500000);
	assert_false(p.actions.granted);
	d = inventory_device(&p, "leaf-r5-07");
	assert_int_equal(d->tier, TIER_LEAF);
	assert_int_equal(d->rail, 5);
	assert_int_equal(d->net, NET_BACKEND);
	assert_string_equal(d->dialect, "sonic");
	assert_string_equal(d->transport, "ssh");
	assert_string_equal(d->address, "leaf-r5-07");
	assert_string_equal(d->user, "noc");
	assert_string_equal(d->ssh_config, "/home/noc/.ssh/config");
	assert_string_equal(d->known_hosts, "/home/noc/.ssh/known_hosts");
	assert_null(d->credentials);
	assert_null(d->identity);
	assert_int_equal(d->interval_us, 5000000);
	assert_string_equal(d->source, "f.yaml:6");
	d = inventory_device(&p, "spine-127");
	assert_int_equal(d->tier, TIER_SPINE);
	assert_string_equal(d->transport, "https");
	assert_string_equal(d->credentials, "env:EAPI");
	assert_string_equal(d->tls_ca, "/etc/ssl/fabric-ca.pem");
	d = inventory_device(&p, "node499");
	assert_int_equal(d->tier, TIER_HOST);
	assert_int_equal(d->rail, -1);
	plan_free(&p);
}

CASE(ref256_has_44_devices_and_512_links)
{
	struct plan p;
	const struct plan_device *d;
	const struct plan_link *l;
	unsigned host_links = 0;

	inventory_expect(ref256, "", &p);
	assert_int_equal(p.devices.n, 44);
	assert_int_equal(p.links.n, 512);
	d = inventory_device(&p, "leaf-r3-00");
	assert_int_equal(d->rail, 3);
	assert_string_equal(d->address, "127.44.0.4");
	assert_int_equal(d->port, 2222);
	assert_string_equal(d->transport, "ssh");
	assert_string_equal(d->identity, "/etc/railtop/id_ed25519");
	assert_int_equal(d->interval_us, 1000000);
	d = inventory_device(&p, "spine-002");
	assert_int_equal(d->rail, -1);
	assert_string_equal(d->credentials, "file:/etc/railtop/eapi.secret");
	d = inventory_device(&p, "node007");
	assert_string_equal(d->dialect, "linux");
	assert_string_equal(d->transport, "ssh");
	assert_int_equal(d->interval_us, 500000);
	assert_int_equal(d->medium_us, 10000000);
	assert_int_equal(d->slow_us, 120000000);
	for (size_t i = 0; i < p.links.n; i++) {
		host_links += p.devices.at[p.links.at[i].a].tier == TIER_HOST;
		assert_int_equal(p.links.at[i].speed_mbps, 400000);
		assert_in_range(p.links.at[i].rail, 0, 7);
		assert_true(
			p.devices.at[p.links.at[i].a].tier < p.devices.at[p.links.at[i].b].tier);
	}
	assert_int_equal(host_links, 256);
	l = inventory_link(&p, "node007", "mlx5_3");
	assert_non_null(l);
	assert_string_equal(p.devices.at[l->b].name, "leaf-r3-00");
	assert_int_equal(l->rail, 3);
	/* sonic numbers ports by lanes; eos from 1 with a lane suffix. */
	assert_string_equal(l->b_port, "Ethernet28");
	assert_non_null(inventory_link(&p, "spine-000", "Ethernet1/1"));
	plan_free(&p);
}

CASE(own_names_follow_the_order_of_the_file)
{
	static const char text[] = "fabric: own\n"
				   "preset: ref256\n"
				   "switches:\n"
				   "  - {names: 'rack[1-8]-tor', dialect: sonic, tier: rtsw}\n"
				   "hosts:\n"
				   "  - {names: 'gpu[1-32]', rails: [rdma0, 'rdma[1-7]']}\n"
				   "wiring: {plan: formula}\n";
	struct plan p;
	const struct plan_link *l;

	inventory_expect(text, "", &p);
	assert_int_equal(p.links.n, 256);
	assert_int_equal(inventory_device(&p, "rack4-tor")->rail, 3);
	l = inventory_link(&p, "gpu2", "rdma7");
	assert_non_null(l);
	assert_string_equal(p.devices.at[l->b].name, "rack8-tor");
	assert_string_equal(l->b_port, "Ethernet4");
	plan_free(&p);
}

CASE(rails_come_from_key_then_name)
{
	struct plan p;

	inventory_expect(HEAD "switches:\n"
			      " - {names: 'leaf-r3-05,x-r12.dc1', dialect: sonic, tier: leaf}\n"
			      " - {names: leaf-r4-01, dialect: sonic, tier: leaf, rail: 2}\n"
			      " - {names: 'my-router,x-r123', dialect: sonic, tier: leaf}\n"
			      "hosts: [{names: node-r1-0}]\n",
		"", &p);
	assert_int_equal(inventory_device(&p, "leaf-r3-05")->rail, 3);
	assert_int_equal(inventory_device(&p, "x-r12.dc1")->rail, 12);
	assert_int_equal(inventory_device(&p, "leaf-r4-01")->rail, 2);
	assert_int_equal(inventory_device(&p, "my-router")->rail, -1);
	assert_int_equal(inventory_device(&p, "x-r123")->rail, -1);
	assert_int_equal(inventory_device(&p, "node-r1-0")->rail, -1);
	assert_int_equal(p.rails, 13);
	assert_int_equal(p.links.n, 0);
	plan_free(&p);
}

CASE(access_is_inherited_and_overridden)
{
	struct plan p;

	inventory_expect(HEAD
		"defaults: {user: a, credentials: env:A}\n"
		"switches:\n"
		" - {names: s1, dialect: eos, tier: spine, user: b, credentials: 'command:pass "
		"show x', net: storage}\n"
		" - {names: s2, dialect: eos, tier: spine, address: '2001:db8::1'}\n"
		" - {names: 's[3-4]', dialect: eos, tier: spine, address: bastion, credentials: "
		"netrc:/etc/netrc}\n"
		"actions: {per_hour: 3}\n",
		"", &p);
	assert_string_equal(inventory_device(&p, "s1")->user, "b");
	assert_string_equal(inventory_device(&p, "s1")->credentials, "command:pass show x");
	assert_int_equal(inventory_device(&p, "s1")->net, NET_STORAGE);
	assert_int_equal(inventory_device(&p, "s1")->interval_us, 5000000);
	assert_string_equal(inventory_device(&p, "s2")->user, "a");
	assert_string_equal(inventory_device(&p, "s2")->credentials, "env:A");
	assert_string_equal(inventory_device(&p, "s2")->address, "2001:db8::1");
	assert_string_equal(inventory_device(&p, "s3")->address, "bastion");
	assert_string_equal(inventory_device(&p, "s4")->credentials, "netrc:/etc/netrc");
	assert_true(p.actions.granted);
	plan_free(&p);
}

CASE(ports_of_other_networks)
{
	struct plan p;

	inventory_expect(HEAD LEAF "hosts:\n"
				   " - {names: 'a[0-1]', nets: {storage: 'mlx5_[8-9]', frontend: "
				   "[eth0, 'bond*'], oob: "
				   "bmc}}\n"
				   " - {names: b}\n",
		"", &p);
	assert_int_equal(p.nets.n, 5);
	assert_int_equal(p.nets.at[0].net, NET_STORAGE);
	assert_string_equal(p.nets.at[0].ports, "mlx5_8");
	assert_int_equal(p.nets.at[1].from, p.nets.at[0].from);
	assert_int_equal(p.nets.at[1].to - p.nets.at[1].from, 2);
	assert_string_equal(p.devices.at[p.nets.at[1].from].name, "a0");
	assert_string_equal(p.nets.at[3].ports, "bond*");
	assert_int_equal(p.nets.at[3].net, NET_FRONTEND);
	assert_int_equal(p.nets.at[4].net, NET_OOB);
	plan_free(&p);
	inventory_says(HEAD LEAF "hosts:\n - {names: a, nets: {wifi: eth0}}\n",
		"f.yaml:4: hosts[0].nets: the key \"wifi\" is not allowed here (allowed: backend, "
		"storage, frontend, oob)\n");
	inventory_says(HEAD LEAF "hosts:\n - {names: a, nets: storage}\n",
		"f.yaml:4: hosts[0].nets: expected a map of keys, found a word\n");
}

/* A topology of the emulator is an inventory too: its own keys mean nothing here. */
CASE(keys_of_the_emulator_are_passed_over)
{
	inventory_says(HEAD
		"switches:\n - {names: l, dialect: sonic, tier: leaf, bundles: 2}\n"
		"hosts:\n - {names: a, nics: two-port, launcher: srun, nccl_debug: INFO}\n",
		"");
	inventory_says(HEAD LEAF "hosts:\n - {names: a, nics: {x: 1}}\n",
		"f.yaml:4: hosts[0].nics: expected a word, found a map\n");
}

/* ---- problems, word for word ---- */

CASE(unknown_words_name_what_is_allowed)
{
	expect_dialects(HEAD "switches:\n  - {names: a, dialect: sonik, tier: leaf}\n",
		"f.yaml:3: switches[0].dialect: \"sonik\" is not a dialect (allowed: ", ")\n");
	inventory_says(HEAD "switches:\n- names: a\n  dialect: sonic\n  tier: lief\n",
		"f.yaml:5: switches[0].tier: \"lief\" is not a tier of switches (allowed: leaf, "
		"spine, superspine, or rtsw, tor, ctsw, atsw)\n");
	inventory_says(HEAD
		"switches:\n- {names: a, dialect: sonic, tier: leaf, transport: telnet}\n",
		"f.yaml:3: switches[0].transport: \"telnet\" is not a transport (allowed: ssh, "
		"https)\n");
	inventory_says(HEAD
		"switches:\n- {names: a, dialect: sonic, tier: leaf, transport: https}\n",
		"f.yaml:3: switches[0]: the dialect sonic does not work over https (allowed: "
		"ssh)\n");
	inventory_says(HEAD "preset: 5k\n" LEAF,
		"f.yaml:2: preset: \"5k\" is not a preset (allowed: ref256, 4k, 24k, 100k)\n");
	inventory_says(HEAD LEAF "jobs: {source: lsf}\n",
		"f.yaml:3: jobs.source: \"lsf\" is not a source of jobs (allowed: nccl-ras, "
		"inspector, flight-recorder, nccl-log, slurm, file, jsonl, kubernetes, ray, "
		"processes)\n");
	inventory_says(HEAD LEAF "wiring: {plan: magic}\n",
		"f.yaml:3: wiring.plan: \"magic\" is not a wiring plan (allowed: formula, none; "
		"or file: instead of plan:)\n");
	inventory_says(HEAD "switches: [{names: a, dialect: sonic, tier: leaf, net: wifi}]\n",
		"f.yaml:2: switches[0].net: \"wifi\" is not a network (allowed: backend, storage, "
		"frontend, oob)\n");
	inventory_says(HEAD LEAF "actions: maybe\n",
		"f.yaml:3: actions: \"maybe\" is not a yes or no (allowed: true, false, or a map "
		"of settings)\n");
}

CASE(unknown_keys_ask_what_was_meant)
{
	inventory_says(HEAD LEAF "defaults: {intervall: 5s}\n",
		"f.yaml:3: defaults: the key \"intervall\" is not allowed here (did you mean "
		"interval?)\n");
	inventory_says(HEAD LEAF "swiches: []\n",
		"f.yaml:3: the key \"swiches\" is not allowed here (did you mean switches?)\n");
	inventory_says(HEAD LEAF "jobs: {zzz: 1}\n",
		"f.yaml:3: jobs: the key \"zzz\" is not allowed here (allowed: source, path, "
		"hosts, url, token, tls_ca, interval, name, versions)\n");
	inventory_says(HEAD "hosts: [{names: a, rail: 1, xyzzyq: 1}]\n",
		"f.yaml:2: hosts[0]: the key \"rail\" is not allowed here (did you mean rails?)\n"
		"f.yaml:2: hosts[0]: the key \"xyzzyq\" is not allowed here (allowed: names, "
		"dialect, "
		"transport, source, address, port, net, nets, site, interval, medium_interval, "
		"slow_interval, "
		"poll, user, identity, credentials, ssh_config, known_hosts, jump, tls_ca, "
		"rails, nics, launcher, nccl_debug)\n");
	inventory_says(HEAD HEAD LEAF, "f.yaml:2: the key \"fabric\" is given twice\n");
}

CASE(wrong_types_say_what_was_expected)
{
	inventory_says("fabric: [a]\n" LEAF,
		"f.yaml:1: fabric: expected the name of the fabric, found a list\n");
	inventory_says(HEAD "switches: {names: a}\n",
		"f.yaml:2: switches: expected a list of switches, found a map\n");
	inventory_says(HEAD "switches: [leaf-1]\n",
		"f.yaml:2: switches[0]: expected a map of keys, found a word\n");
	inventory_says(HEAD "switches:\n",
		"f.yaml:2: switches: expected a list of switches, found nothing\n");
	inventory_says(HEAD "hosts: [{names: {a: b}}]\n",
		"f.yaml:2: hosts[0].names: expected a name or a bracket list, found a map\n");
	inventory_says(HEAD "hosts: [{names: []}]\n",
		"f.yaml:2: hosts[0].names: expected a name or a bracket list, found a list\n");
	inventory_says(HEAD LEAF "lossless: 3\n",
		"f.yaml:3: lossless: expected a map of keys, found a word\n");
	inventory_says("- a\n- b\n",
		"f.yaml:1: expected a map of keys, found a list (an inventory begins with "
		"\"fabric: NAME\", see railtop-fabric(5))\n");
	inventory_says("just words\n",
		"f.yaml:1: expected a map of keys, found a word (an inventory begins with "
		"\"fabric: NAME\", see railtop-fabric(5))\n");
	inventory_says(HEAD LEAF "? [a]\n: b\n", "f.yaml:3: expected a key, found a list\n");
}

CASE(numbers_have_ranges)
{
	inventory_says(HEAD LEAF "lossless: {priorities: [3, 8]}\n",
		"f.yaml:3: lossless.priorities[1]: \"8\" is not a number from 0 to 7\n");
	inventory_says(HEAD LEAF "lossless:\n  dscp: {64: 3, 26: 9}\n  cnp_dscp: -1\n",
		"f.yaml:4: lossless.dscp: \"64\" is not a number from 0 to 63\n"
		"f.yaml:4: lossless.dscp: \"9\" is not a number from 0 to 7\n"
		"f.yaml:5: lossless.cnp_dscp: \"-1\" is not a number from 0 to 63\n");
	inventory_says(HEAD LEAF "lossless: {ecn: {min: 2MB, max: 1MB}}\n",
		"f.yaml:3: lossless.ecn: min is above max\n");
	inventory_says(HEAD LEAF "lossless: {ecn: {min: lots}}\n",
		"f.yaml:3: lossless.ecn.min: \"lots\" is not a size (allowed: a number of bytes, "
		"or one with KB, MB, KiB, MiB)\n");
	inventory_says(HEAD LEAF "defaults: {interval: soon}\n",
		"f.yaml:3: defaults.interval: \"soon\" is not a time (allowed: 500ms, 5s, 2m)\n");
	inventory_says(HEAD LEAF "defaults: {interval: 1ms}\n",
		"f.yaml:3: defaults.interval: \"1ms\" is not a polling interval (allowed: 200ms "
		"to 1h)\n");
	inventory_says(HEAD "hosts: [{names: a, port: 65536}]\n",
		"f.yaml:2: hosts[0].port: \"65536\" is not a number from 1 to 65535\n");
}

CASE(missing_parts_are_named)
{
	inventory_says("hosts: [{names: a}]\n", "f.yaml:1: \"fabric\" is missing\n");
	inventory_says(HEAD,
		"f.yaml:1: no switches and no hosts are given (add switches: or hosts:, see "
		"railtop-fabric(5); railtop discover and railtop import write them)\n");
	expect_dialects(HEAD "switches: [{}]\n",
		"f.yaml:2: switches[0]: \"names\" is missing\n"
		"f.yaml:2: switches[0]: \"dialect\" is missing (allowed: ",
		")\nf.yaml:2: switches[0]: \"tier\" is missing (allowed: leaf, spine, "
		"superspine)\n");
	inventory_says(HEAD LEAF "wiring: {plan: formula}\n",
		"f.yaml:3: wiring.plan: the formula needs a preset (add preset: one of ref256, "
		"4k, 24k, 100k)\n");
}

CASE(secrets_are_refused_and_never_repeated)
{
	static const char *const bad[] = {
		"hunter2", "env:", "env:9X", "env:A B", "plain:hunter2", "ENV:A", "file:"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[200];

		(void)str_printf(text, sizeof(text),
			HEAD "hosts:\n  - names: a\n    credentials: \"%s\"\n", bad[i]);
		inventory_says(text,
			"f.yaml:4: hosts[0].credentials: this file must not contain a secret "
			"(write a reference: env:NAME, file:PATH, command:COMMAND or "
			"netrc:PATH)\n");
	}
	inventory_says(HEAD "hosts: [{names: a, password: hunter2}]\n",
		"f.yaml:2: hosts[0]: the key \"password\" is not allowed here (this file must not "
		"contain a secret: use credentials: with env:NAME, file:PATH, command:COMMAND or "
		"netrc:PATH)\n");
	inventory_says(HEAD LEAF "defaults: {identity: ~root/key}\n",
		"f.yaml:3: defaults.identity: \"~root/key\": a path may begin with ~/, not with "
		"~user\n");
}

CASE(names_and_addresses_must_fit)
{
	inventory_says(HEAD "hosts:\n - {names: 'a[1-3]'}\n - {names: 'b,a2'}\n",
		"f.yaml:4: hosts[1].names: the device \"a2\" exists already (f.yaml:3)\n");
	inventory_says(HEAD "hosts:\n - {names: 'a[1-3]', address: '10.0.0.[1-2]'}\n",
		"f.yaml:3: hosts[0].address: 2 addresses for 3 names (give one for all names, or "
		"one for each name)\n");
	inventory_says(HEAD "hosts:\n - {names: 'a[3-1]'}\n",
		"f.yaml:3: hosts[0].names: \"[3-1]\" at column 2: the range runs backwards (write "
		"ranges as name[000-499] or name[0,2,5-7])\n");
	inventory_says(HEAD "hosts:\n - {names: 'a:b'}\n",
		"f.yaml:3: hosts[0].names: \"a:b\" is not a device name (use letters, digits, '.', "
		"'_' and '-')\n");
	inventory_says(HEAD "hosts:\n - {names: a, address: '-oProxyCommand=x'}\n",
		"f.yaml:3: hosts[0].address: an address does not begin with '-'\n");
	inventory_says(HEAD "hosts:\n - {names: \"a\\e[31m\"}\n",
		"f.yaml:3: hosts[0].names: has a control character\n");
	inventory_says(HEAD "hosts:\n - {names: 'a[0-99999]'}\n",
		"f.yaml:3: hosts[0].names: \"a[0-99999]\" gives more than 65536 names (split the "
		"list, or check its ranges)\n");
	inventory_says(HEAD
		"preset: ref256\nhosts: [{names: a, rails: 'mlx5_[0-3]'}]\nwiring: {plan: "
		"formula}\n",
		"f.yaml:3: hosts[0].rails: 4 ports, the preset ref256 has 8 rails\n"
		"f.yaml:4: wiring.plan: the preset ref256 has 32 devices of tier host, the "
		"inventory 1 (use the preset's names (node000, ...), or list all of them)\n");
}

CASE(all_problems_come_in_order_and_bounded)
{
	struct buf b;
	struct plan plan;
	char *got;
	unsigned lines = 0;

	inventory_says("hosts:\n - {names: a, port: x}\nfabric: t\npreset: no\nbogus: 1\n",
		"f.yaml:2: hosts[0].port: \"x\" is not a number from 1 to 65535\n"
		"f.yaml:4: preset: \"no\" is not a preset (allowed: ref256, 4k, 24k, 100k)\n"
		"f.yaml:5: the key \"bogus\" is not allowed here (allowed: " TOP_KEYS ")\n");
	buf_init(&b, 1 << 20);
	(void)buf_adds(&b, HEAD "hosts:\n");
	for (int i = 0; i < 100; i++)
		(void)buf_adds(&b, " - {port: x}\n");
	got = inventory_problems(b.data, b.len, &plan);
	for (const char *s = got; (s = strchr(s, '\n')); s++)
		lines++;
	assert_int_equal(lines, INVENTORY_PROBLEMS_MAX);
	plan_free(&plan);
	free(got);
	buf_free(&b);
}

/* ---- the manual ---- */

static char *manual(void)
{
	FILE *f = fopen("man/railtop-fabric.5", "r");
	char *text = mem_calloc(1, 65536);

	assert_non_null(f);
	assert_in_range(fread(text, 1, 65535, f), 1000, 65000);
	(void)fclose(f);
	return text;
}

/* The permitted keys of a map are those that the refusal of an unknown key lists. */
static void expect_documented(const char *man, const char *text)
{
	struct plan plan;
	char *got = inventory_problems(text, strlen(text), &plan), *rest, *key, want[64];

	rest = strstr(got, "(allowed: ");
	assert_non_null(rest);
	rest += strlen("(allowed: ");
	rest[strcspn(rest, ")")] = '\0';
	while ((key = strsep(&rest, ", "))) {
		(void)str_printf(want, sizeof(want), "%s:", key);
		if (*key && !strstr(man, want))
			fail_msg("man/railtop-fabric.5 does not say what %s is", want);
	}
	plan_free(&plan);
	free(got);
}

CASE(manual_has_every_key)
{
	char *man = manual();

	expect_documented(man, "qqqqqqqq: 1\n");
	expect_documented(man, "defaults: {qqqqqqqq: 1}\n");
	expect_documented(man, "lossless: {qqqqqqqq: 1}\n");
	expect_documented(man, "lossless: {ecn: {qqqqqqqq: 1}}\n");
	expect_documented(man, "switches: [{qqqqqqqq: 1}]\n");
	expect_documented(man, "hosts: [{qqqqqqqq: 1}]\n");
	expect_documented(man, "wiring: {qqqqqqqq: 1}\n");
	expect_documented(man, "jobs: {qqqqqqqq: 1}\n");
	expect_documented(man, "engine: {qqqqqqqq: 1}\n");
	free(man);
}

/* ---- files that are not an inventory ---- */

CASE(files_that_are_not_yaml)
{
	static const char zero[] = "fabric: t\n\0\0hosts";
	struct plan plan;
	char *got;

	inventory_says("", "f.yaml: is empty (see railtop-fabric(5) for its keys)\n");
	inventory_says(
		"# only a comment\n", "f.yaml: is empty (see railtop-fabric(5) for its keys)\n");
	inventory_says("---\n~\n", "f.yaml: is empty (see railtop-fabric(5) for its keys)\n");
	inventory_says("fabric: t\n\thosts: x\n",
		"f.yaml:2: a tab indents the line, and YAML takes spaces only (cure: expand -t "
		"2)\n");
	inventory_says(HEAD "hosts: [{names: a}\n",
		"f.yaml:3: not YAML: while parsing a flow sequence, did not find expected ',' or "
		"']' (line 2)\n");
	inventory_says(HEAD LEAF "---\nfabric: u\n", "f.yaml:3: more than one document\n");
	inventory_says(HEAD "hosts: *nobody\n", "f.yaml:2: not YAML: found undefined alias\n");
	inventory_says(
		"fabric: \xff\xfe\n", "f.yaml:1: not a text file: invalid leading UTF-8 octet\n");
	got = inventory_problems(zero, sizeof(zero) - 1, &plan);
	assert_string_equal(got, "f.yaml:2: not a text file: control characters are not allowed\n");
	plan_free(&plan);
	free(got);
}

/* A repeated piece as a whole file: must come back quickly and with one problem. */
static void expect_refused(const char *piece, size_t bytes, const char *want)
{
	size_t len = strlen(piece);
	char *text = mem_alloc(bytes + len);
	size_t n = 0;
	struct plan plan;
	char *got;

	for (; n < bytes; n += len)
		memcpy(text + n, piece, len);
	got = inventory_problems(text, n, &plan);
	if (!strstr(got, want))
		fail_msg("%.10s...: got \"%.200s\"", piece, got);
	plan_free(&plan);
	free(got);
	free(text);
}

CASE(floods_and_bombs_are_refused)
{
	expect_refused("[", 1 << 20, "nested too deep");
	expect_refused("{a: ", 1 << 20, "nested too deep");
	expect_refused("- ", 1 << 20, "nested too deep");
	expect_refused("- a\n", 8 << 20, "too many values");
	expect_refused("- &a b\n", 1 << 20, "too many anchors");
	expect_refused("x", 8 << 20, "expected a map of keys");
	expect_refused("\x01\x02", 1 << 20, "control characters");
	/* Nested lists of ten elements: ten thousand million elements when written out. */
	inventory_says("aa: &a [x,x,x,x,x,x,x,x,x,x]\nbb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
		       "defaults: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nwiring: &d "
		       "[*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
		       "lossless: {dscp: *d}\n",
		"f.yaml:1: the key \"aa\" is not allowed here (allowed: " TOP_KEYS
		")\nf.yaml:2: the key \"bb\" is not allowed here (allowed: " TOP_KEYS ")\n"
		"f.yaml:3: defaults: expected a map of keys, found a list\n"
		"f.yaml:4: wiring: expected a map of keys, found a list\n"
		"f.yaml:4: lossless.dscp: expected a map from DSCP to priority, found a list\n");
}

CASES_MAIN(NULL, NULL)
