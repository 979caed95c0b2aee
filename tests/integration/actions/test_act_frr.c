/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop act` against real FRR, iproute2 and OpenSSH: the link is down where it should be, the
 * far end agrees, and the ledger has exactly the events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/frr/frr_lab.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"

#define REASON "drain for the cable test"

struct fixture {
	struct frr_lab lab;
	char inventory[160], ledger[160];
};

static void write_inventory(struct fixture *f)
{
	char text[1600];

	(void)str_copy(
		f->inventory, sizeof(f->inventory), scratch_path(&f->lab.scratch, "fabric.yaml"));
	(void)str_copy(
		f->ledger, sizeof(f->ledger), scratch_path(&f->lab.scratch, "actions.jsonl"));
	(void)str_printf(text, sizeof(text),
		"fabric: lab\n"
		"lossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: root, identity: user_key, "
		"known_hosts: known_hosts, ssh_config: ssh_config}\n"
		"switches:\n"
		"  - {names: \"spine[1-2]\", address: \"192.0.2.[11-12]\", dialect: linux, "
		"transport: ssh, tier: spine}\n"
		"  - {names: \"leaf[1-4]\", address: \"192.0.2.[13-16]\", dialect: linux, "
		"transport: ssh, tier: leaf}\n"
		"actions: {allow: [port-drain, port-undrain], devices: \"leaf[1-3]\", "
		"ledger: %s, switch_interval: 1s, port_interval: 1s, watch: 5s}\n",
		f->ledger);
	scratch_write(&f->lab.scratch, "fabric.yaml", text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*state = f;
	if (frr_lab_start(&f->lab))
		write_inventory(f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->lab.pid > 0)
		frr_lab_stop(&f->lab);
	free(f);
	return 0;
}

static struct fixture *ready(void **state)
{
	struct fixture *f = *state;

	if (f->lab.pid <= 0)
		skip();
	return f;
}

static struct lab_output act(struct fixture *f, const char *action, const char *target)
{
	const char *const args[] = {"act", action, target, "-f", f->inventory, "--execute",
		"--reason", REASON, "--incident", "LAB-1", "--watch", "3s", NULL};

	return lab_railtop(args, 120);
}

static void succeeded(struct lab_output o, const char *what)
{
	if (o.code != 0)
		fail_msg("%s: exit %d: %s%s", what, o.code, o.out, o.err);
	lab_output_free(&o);
}

static void the_ledger_is_whole(struct fixture *f)
{
	const char *const args[] = {"ledger", "verify", "--ledger", f->ledger, NULL};

	succeeded(lab_railtop(args, 30), "ledger verify");
}

/* Lines of the ledger with the words in them. */
static unsigned told(struct fixture *f, const char *words)
{
	FILE *in = fopen(f->ledger, "r");
	char line[65536];
	unsigned n = 0;

	while (in && fgets(line, sizeof(line), in))
		n += strstr(line, words) != NULL;
	if (in)
		(void)fclose(in);
	return n;
}

/* A link whose session is not up yet does not count as a remaining link. */
#define BOTH_UPLINKS "test $(vtysh -c 'show bgp neighbors' | grep -c 'state = Established') -ge 2"

CASE(a_link_is_drained_and_taken_back)
{
	struct fixture *f = ready(state);

	frr_lab_until(&f->lab, "leaf1", BOTH_UPLINKS);
	succeeded(act(f, "port-drain", "leaf1:swp50"), "port-drain");
	frr_lab_until(&f->lab, "spine2", "grep -q down /sys/class/net/swp1/operstate");
	the_ledger_is_whole(f);
	assert_true(told(f, "ip link set dev swp50 down") > 0);
	succeeded(act(f, "port-undrain", "leaf1:swp50"), "port-undrain");
	frr_lab_until(&f->lab, "spine2",
		"vtysh -c 'show bgp neighbors 10.254.1.1' | grep -q 'state = Established'");
	the_ledger_is_whole(f);
}

/* Neither where nothing was granted, nor where the link is the last one. */
CASE(what_is_refused_changes_nothing)
{
	struct fixture *f = ready(state);
	struct lab_output o = act(f, "port-drain", "leaf4:swp50");

	assert_int_equal(o.code, 4);
	lab_output_free(&o);
	frr_lab_run(&f->lab, "leaf2", "ip link set swp49 down");
	o = act(f, "port-drain", "leaf2:swp50");
	if (o.code != 4)
		fail_msg("the last uplink: exit %d: %s%s", o.code, o.out, o.err);
	lab_output_free(&o);
	frr_lab_run(&f->lab, "leaf2", "grep -q up /sys/class/net/swp50/operstate");
	frr_lab_run(&f->lab, "leaf2", "ip link set swp49 up");
	the_ledger_is_whole(f);
}

CASES_MAIN(setup, teardown)
