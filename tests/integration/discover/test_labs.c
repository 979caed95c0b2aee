/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop discover` on fabrics of real FRR, lldpd and OpenSSH (lab.sh). Each device has the same
 * programs, some servers run bgpd, and no name resolves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "tests/integration/frr/frr_lab.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/obs_find.h"

#define SCRIPT    "tests/integration/discover/lab.sh"
#define NODES     28
#define LIMIT_MS  20000
#define PATH_SIZE 256

struct run {
	char *yaml, *wiring, *said;
	int64_t took_ms;
};

static void run_free(struct run *r)
{
	free(r->yaml);
	free(r->wiring);
	free(r->said);
}

static char *text_of(const struct frr_lab *l, unsigned folder, const char *name)
{
	char path[PATH_SIZE];
	size_t len;
	char *text;

	(void)str_printf(path, sizeof(path), "%s/run%u/%s", l->scratch.dir, folder, name);
	text = read_file(path, &len);
	assert_non_null(text);
	return text;
}

/* Discovers from one seed into DIR/run<folder>/fabric.yaml. */
static struct run discover(const struct frr_lab *l, const char *seed, unsigned folder)
{
	const char *dir = l->scratch.dir;
	char out[PATH_SIZE], key[PATH_SIZE], config[PATH_SIZE], hosts[PATH_SIZE];
	const char *const args[] = {"discover", "--seed", seed, "--user", "root", "--identity", key,
		"--ssh-config", config, "--known-hosts", hosts, "-o", out, NULL};
	struct run r = {0};
	struct lab_output o;
	int64_t since;

	(void)str_printf(out, sizeof(out), "%s/run%u", dir, folder);
	(void)mkdir(out, 0700);
	(void)str_printf(out, sizeof(out), "%s/run%u/fabric.yaml", dir, folder);
	(void)str_printf(key, sizeof(key), "%s/user_key", dir);
	(void)str_printf(config, sizeof(config), "%s/ssh_config", dir);
	(void)str_printf(hosts, sizeof(hosts), "%s/known_hosts", dir);
	since = now_ms();
	o = lab_railtop(args, 120);
	r.took_ms = now_ms() - since;
	if (o.code != 0)
		fail_msg("discover ended with %d: %s", o.code, o.err);
	r.said = strdup(o.err);
	r.yaml = text_of(l, folder, "fabric.yaml");
	r.wiring = text_of(l, folder, "fabric.wiring.csv");
	lab_output_free(&o);
	return r;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is missing in:\n%s", part, text);
}

/* Other tests share the machine, unless all of each test is run. */
static void assert_quick(const struct run *r)
{
	if (r->took_ms > (effort_full() ? LIMIT_MS : 2 * LIMIT_MS))
		fail_msg("the discovery took %lld ms", (long long)r->took_ms);
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* Runs again from each of the seeds, and wants the same bytes. */
static struct run discover_alike(const struct frr_lab *l, const char *const *seeds, size_t n)
{
	struct run first = discover(l, seeds[0], 0);

	for (unsigned i = 1; i < n; i++) {
		struct run next = discover(l, seeds[i], i);

		assert_string_equal(next.yaml, first.yaml);
		assert_string_equal(next.wiring, first.wiring);
		run_free(&next);
	}
	return first;
}

static bool start(struct frr_lab *l, const char *topology)
{
	if (!frr_lab_start_as(l, SCRIPT, topology, NODES))
		return false;
	frr_lab_word(l, "converged");
	return true;
}

static const char clos_switches[] =
	"  - {names: \"leaf[1-4]\", address: \"192.0.2.[13-16]\", dialect: linux, transport: ssh, "
	"tier: leaf}\n";
static const char clos_spines[] = "  - {names: \"spine[1-2]\", address: \"192.0.2.[11-12]\", "
				  "dialect: linux, transport: ssh, tier: spine}\n";
static const char clos_hosts[] =
	"  - {names: \"host[1-8]\", address: \"192.0.2.[17-24]\", dialect: "
	"linux, transport: ssh}\n";

/* Adds a comment, renames a device and adds a key that railtop does not know. */
static void edit(const struct frr_lab *l)
{
	scratch_run(&l->scratch,
		"cd run0 && sed -i -e 's/names: \"spine\\[1-2\\]\"/names: \"core-a,core-b\"/'"
		" -e 's/^hosts:/# racks 1 to 4 came first\\nx-owner: team-7\\nhosts:/'"
		" -e 's/host\\[1-8\\]/host[1-7]/; s/192.0.2.\\[17-24\\]/192.0.2.[17-23]/'"
		" fabric.yaml && sed -i -e 's/spine1/core-a/; s/spine2/core-b/; /host8/d' "
		"fabric.wiring.csv"
		" && cp fabric.yaml edited && cp fabric.wiring.csv edited.csv");
}

CASE(fourteen_devices_are_told_apart_each_time)
{
	/* From a leaf, a spine, a host that runs FRR. */
	static const char *const seeds[] = {"192.0.2.14", "192.0.2.19", "192.0.2.11"};
	struct frr_lab l;
	struct run r, again;

	if (!start(&l, "clos"))
		skip();
	r = discover_alike(&l, seeds, effort_full() ? 3 : 2);
	assert_has(r.said, "14 devices found, 0 could not be asked");
	assert_has(r.yaml, clos_switches);
	assert_has(r.yaml, clos_spines);
	assert_has(r.yaml, clos_hosts);
	assert_has(r.yaml, "  # host[1-3]: host, as it learns routes, but only its own addresses");
	assert_has(
		r.yaml, "  # spine[1-2]: spine, as leaves are cabled to it, and no host; a switch");
	assert_int_equal(lines_of(r.wiring), 1 + 8 + 9);
	assert_has(r.wiring, "host3,eth2,leaf2,swp9\n");
	assert_quick(&r);
	run_free(&r);

	/* Asked again: nothing changes, and what was edited stays. */
	r = discover(&l, seeds[0], 0);
	assert_has(r.said, "0 devices and 0 cables added, 14 known before");
	edit(&l);
	again = discover(&l, seeds[1], 0);
	assert_has(again.said, "1 device and 1 cable added, 13 known before");
	assert_has(again.yaml, "names: \"core-a,core-b\"");
	assert_has(again.yaml, "# racks 1 to 4 came first\nx-owner: team-7\nhosts:\n");
	assert_has(again.yaml, "  # host8: host, as it learns no route and nothing is reached "
			       "through it\n  - {names: \"host8\", address: \"192.0.2.24\"");
	assert_has(again.wiring, "leaf4,swp50,core-b,swp4\n");
	assert_has(again.wiring, "host8,eth1,leaf4,swp2\n");
	/* All lines of before are there, in their order. */
	scratch_run(&l.scratch, "cd run0 && ! diff edited fabric.yaml | grep -q '^<'"
				" && ! diff edited.csv fabric.wiring.csv | grep -q '^<'");
	run_free(&again);
	run_free(&r);
	frr_lab_stop(&l);
}

/* A leaf whose answers are five seconds late is a leaf, and delays no other device. */
CASE(a_device_that_answers_late_keeps_its_tier)
{
	static const char *const seeds[] = {"192.0.2.14"};
	struct frr_lab l;
	struct run r;

	if (!start(&l, "late"))
		skip();
	r = discover_alike(&l, seeds, 1);
	assert_has(r.yaml, clos_switches);
	assert_has(r.yaml, clos_spines);
	assert_has(r.yaml, clos_hosts);
	assert_true(r.took_ms > 5000);
	assert_quick(&r);
	run_free(&r);
	frr_lab_stop(&l);
}

CASE(one_spine_is_a_spine)
{
	static const char *const seeds[] = {"192.0.2.14", "192.0.2.12"};
	struct frr_lab l;
	struct run r;

	if (!start(&l, "single"))
		skip();
	r = discover_alike(&l, seeds, effort_full() ? 2 : 1);
	assert_has(r.yaml, "{names: \"spine1\", address: \"192.0.2.11\", dialect: linux, "
			   "transport: ssh, tier: spine}");
	assert_has(r.yaml, "{names: \"leaf[1-2]\"");
	assert_has(r.yaml, "{names: \"host[1-4]\"");
	run_free(&r);
	frr_lab_stop(&l);
}

/* Two rails and no spine: hosts have RDMA, two of them run bgpd as well. */
CASE(rails_without_a_spine_are_leaves)
{
	static const char *const seeds[] = {"192.0.2.13", "192.0.2.12"};
	struct frr_lab l;
	struct run r;

	if (!start(&l, "rail"))
		skip();
	r = discover_alike(&l, seeds, effort_full() ? 2 : 1);
	assert_has(r.yaml, "{names: \"leaf1\", address: \"192.0.2.11\", dialect: linux, transport: "
			   "ssh, tier: leaf, rail: 0}");
	assert_has(r.yaml, "tier: leaf, rail: 1}");
	assert_has(r.yaml, "  # host[1-4]: host, as it has RDMA devices\n");
	assert_has(r.yaml, "transport: ssh, rails: \"mlx5_[0-1]\"}");
	assert_has(r.wiring, "host2,mlx5_1,leaf2,swp2\n");
	run_free(&r);
	frr_lab_stop(&l);
}

/* 4 spines, 8 leaves, 16 hosts: more than a push has time for. */
CASE(twenty_eight_devices_are_told_apart)
{
	static const char *const seeds[] = {"192.0.2.24", "192.0.2.12"};
	struct frr_lab l;
	struct run r;

	if (!effort_full() || !start(&l, "large"))
		skip();
	r = discover_alike(&l, seeds, 2);
	assert_has(r.said, "28 devices found, 0 could not be asked");
	assert_has(r.yaml, "{names: \"spine[1-4]\"");
	assert_has(r.yaml, "{names: \"leaf[1-8]\"");
	/* Two reasons, two groups: three of them have FRR. */
	assert_has(r.yaml, "# host[1-3]: host, as it learns routes");
	assert_has(r.yaml, "# host[4-9],host[10-16]: host, as it learns no route");
	run_free(&r);
	frr_lab_stop(&l);
}

CASES_MAIN(NULL, NULL)
