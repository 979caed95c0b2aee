/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/read_only/read_check.h"
#include "tests/integration/read_only/read_walk.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/*
 * Read-only is structural. With --read-only, and without actions: in the inventory, every
 * subcommand, every command of the palette and every key of every view are tried against the
 * emulated fabric, which logs its requests. All of them must be reads, by rules of this test's own,
 * and nothing on any device may have changed. The credentials of actions are never looked up.
 */

/* ---- subcommands ---- */

/*
 * Every line of app/options/subcommands.def must be here. "@F": the inventory, "@T": a target,
 * "@R": the recording, "@S": a snapshot file.
 */
static const struct walk {
	const char *name;
	const char *args[14];
	int code; /* -1: any */
} walks[] = {
	{"console", {NULL}, -1}, /* walk_console() */
	{"demo", {NULL}, -1},    /* a fabric of its own: test_demo.c */
	{"docs", {NULL}, 0}, {"completion", {"bash"}, 0}, {"check", {"-f", "@F"}, -1},
	{"snapshot",
		{"-f", "@F", "--for", "3s", "--json", "/dev/null", "-o", "@S", "--incident",
			"INC-1"},
		-1},
	{"record", {"-f", "@F", "--for", "3s", "-o", "@R"}, -1},
	{"open", {NULL}, -1}, /* test_read_only_past.c */
	{"rows", {"ports", "@T", "-f", "@F", "--for", "3s", "--json"}, -1},
	{"runbook", {"pfc-storm", "@T", "-f", "@F", "--for", "3s"}, -1},
	{"accept", {"@T", "-f", "@F", "--for", "3s"}, -1}, {"diff", {"@R", "@R", "--json"}, 0},
	{"findings", {"-f", "@F", "--for", "3s"}, -1},
	{"trace", {"-f", "@F", "--for", "3s", "--at", "@T"}, -1}, {"lint", {"-f", "@F"}, -1},
	{"init", {"-o", "/dev/null"}, 2}, /* standard input has no answer */
	{"topology", {"-f", "@F", "--slurm", "tree"}, -1},
	{"timeline", {"-f", "@F", "--for", "3s"}, -1},
	{"discover", {"--seed", "127.0.0.1", "--for", "1s", "-o", "/dev/null"}, -1},
	{"import", {"csv", "/dev/null"}, 2}, {"act", {NULL}, -1}, /* every action: walk_actions() */
	{"approve", {"-f", "@F", "--read-only", "--execute", "0123456789abcdef", "@T"}, -1},
	{"ledger", {"-f", "@F", "verify"}, 0}, /* nothing was ever done */
	{"export", {"-f", "@F", "--listen", "127.0.0.1:0", "--for", "3s"}, 0},
	{"handover", {"--from", "@R"}, -1}, {"doctor", {"-f", "@F"}, -1}, {"mcp", {"-f", "@F"}, -1},
	{"watch", {"-f", "@F", "--for", "3s"}, 2}, /* it has no receivers */
};

static const char *const subcommands[] = {
#define SUBCOMMAND(id, name, ...) name,
#define SUBCOMMAND_HIDDEN(id, name, ...)
#include "app/options/subcommands.def"
#undef SUBCOMMAND
#undef SUBCOMMAND_HIDDEN
};

static void walk_subcommands(const struct fixture *x)
{
	const char *const inventories[] = {x->acting, x->lab.inventory};
	/* FULL=1 takes both in each dialect. */
	const size_t most = x->p == &fabrics[0] || effort_full() ? 2 : 1;
	size_t k;

	for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++) {
		for (k = 0; k < sizeof(walks) / sizeof(walks[0]); k++)
			if (str_eq(walks[k].name, subcommands[i]))
				break;
		if (k == sizeof(walks) / sizeof(walks[0]))
			fail_msg("nobody walks the subcommand %s", subcommands[i]);
		for (size_t f = 0; f < most && walks[k].args[0]; f++)
			walk_run(x, walks[k].name, walks[k].args, inventories[f], x->p->leaf,
				walks[k].code);
	}
}

static void walk_action(const struct fixture *x, const char *name, const char *target)
{
	const char *const locked[] = {name, target, "-f", x->acting, "--read-only", "--execute",
		"--reason", "the walk of a test", "--incident", "INC-1", NULL};
	const char *const silent[] = {name, target, "-f", x->lab.inventory, "--execute", "--reason",
		"the walk of a test", "--incident", "INC-1", NULL};

	walk_run(x, "act", locked, "", target, 4);
	walk_run(x, "act", silent, "", target, 4);
}

/* Each action is tried on a device of one kind, with FULL=1 on one of each. */
static void walk_actions(const struct fixture *x)
{
	static const char *const actions[] = {
#define ACTION(id) #id,
#include "actions/kinds/actions.def"
#undef ACTION
	};
	const char *const targets[] = {x->p->leaf, x->p->spine, x->p->host};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		char name[64];

		(void)str_copy(name, sizeof(name), actions[i]);
		for (char *c = name; *c; c++)
			*c = *c == '_' ? '-' : *c;
		for (size_t k = 0; k < 3; k++)
			if (effort_full() || k == i % 3)
				walk_action(x, name, targets[k]);
	}
}

/* ---- the wall ---- */

static const char *const commands[] = {
#define COMMAND(name, ...) name,
#include "app/console/commands.def"
#include "app/console/act_commands.def"
#undef COMMAND
};

/* The wall has neither a palette nor a keymap of the user's: all these keys, in this order too. */
static void walk_wall(const struct fixture *x)
{
	static const char *const keys[] = {"Enter", "Tab", "Esc", "Up", "Down", "Left", "Right",
		"Home", "End", "PgUp", "PgDn", "Insert", "Delete", "Backspace", "F1", "F2", "F12",
		"Ctrl-l", "Ctrl-d", "Ctrl-f", "Alt-x", ":", "!"};
	char program[256], words[160];
	const char *const argv[] = {built_path("railtop", program, sizeof(program)), "--noc",
		"--rotate", "2s", "-f", x->acting, NULL};
	const struct vt_opts opts = {.rows = 40, .cols = 120, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_text(vt, " fresh", 60);
	for (char c = ' '; c <= '~'; c++) {
		char one[2] = {c, '\0'};

		if (c != 'q')
			vt_type(vt, one);
	}
	vt_settle(vt);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		vt_key(vt, keys[i]);
		/* A key right after an escape would be one key with it. */
		vt_settle(vt);
	}
	/* The terminal makes a signal of it, and no key. */
	vt_send(vt, "\032", 1);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strchr(commands[i], 'q'))
			continue;
		(void)str_printf(words, sizeof(words), "%s %s", commands[i], x->p->leaf);
		walk_type_command(vt, words);
	}
	walk_type_command(vt, "act port-bounce");
	vt_type(vt, x->p->leaf);
	vt_key(vt, "Enter");
	vt_settle(vt);
	vt_type(vt, "qq"); /* the only way out */
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	assert_int_not_equal(access(x->marker, F_OK), 0);
}

/* ---- all of it ---- */

static void nothing_but_reads(const struct platform *p)
{
	struct fixture x;

	walk_up(&x, p);
	walk_subcommands(&x);
	walk_actions(&x);
	/* The effect of a key depends on the view: test_read_only_keys.c, on one of the fabrics. */
	/* In every dialect the console asks the same as the subcommands: FULL=1 walks it in
	 * each. */
	if (p == &fabrics[0] || effort_full()) {
		walk_console(&x, x.acting, true, false);
		walk_wall(&x);
	}
	if (p == &fabrics[0])
		walk_console(&x, x.lab.inventory, false, false);
	walk_down(&x, 1000);
}

static void sonic_and_eos(void **state)
{
	(void)state;
	nothing_but_reads(&fabrics[0]);
}

static void cumulus_and_nxos(void **state)
{
	(void)state;
	nothing_but_reads(&fabrics[1]);
}

static void broadcom_and_frr(void **state)
{
	(void)state;
	nothing_but_reads(&fabrics[2]);
}

/* The rules would see it. */
static void the_rules_know_a_change(void **state)
{
	static const char *const shell[] = {"config pfcwd stop", "sudo config pfcwd stop Ethernet0",
		"sudo -n config interface shutdown Ethernet0", "ip link set dev eth0 down",
		"sudo -n ip link set eth0 up", "ethtool -p eth0 10", "ethtool -s eth0 speed 10",
		"nv set interface swp1 link state down", "nv config apply -y",
		"vtysh -c 'configure terminal' -c 'router bgp 1'", "counterpoll wredqueue enable",
		"sonic-db-cli CONFIG_DB HSET \"PFC_WD|Ethernet0\" action drop",
		"sonic-db-cli CONFIG_DB DEL \"PFC_WD|Ethernet0\"", "show version ; reload",
		"show version; configure terminal", "echo 1 > /sys/class/net/eth0/x",
		"echo 1 >/proc/sysrq-trigger", "dcb pfc set dev eth0 prio-pfc all:off",
		"mlnx_qos -i eth0 --pfc 0,0,0,0,0,0,0,0", "kill -9 1", "cat x | tee /etc/x",
		"s=\"local x redis.call('HSET','a')\"; sonic-db-cli CONFIG_DB EVAL \"$s\" 0",
		"s=\"local x redis['call']('HSET')\"; sonic-db-cli CONFIG_DB EVAL \"$s\" 0",
		"tc qdisc add dev eth0", "lldpcli configure ports eth0", "tail -F /etc/shadow"};
	static const char *const https[][3] = {{"PATCH", "/nvue_v1/interface/swp1", "{}"},
		{"POST", "/nvue_v1/revision", ""}, {"DELETE", "/nvue_v1/interface", ""},
		{"POST", "/api/mo/sys.json", "{}"}, {"GET", "/nvue_v1/x", "{}"}, {"GET", "/", ""},
		{"POST", "/command-api", "{\"cmds\":[\"configure\"]}"},
		{"POST", "/command-api", "{\"cmds\":[{\"cmd\":\"configure\"}]}"},
		{"POST", "/ins", "[{\"cmd\":\"show version\"},{\"cmd\":\"conf t\"}]"},
		{"POST", "/ins", "[{\"cmd\":\"show version ; conf t\"}]"}};
	char why[256];

	(void)state;
	for (size_t i = 0; i < sizeof(shell) / sizeof(shell[0]); i++)
		if (read_check_shell(shell[i], why, sizeof(why)))
			fail_msg("not seen: %s", shell[i]);
	for (size_t i = 0; i < sizeof(https) / sizeof(https[0]); i++)
		if (read_check_https(https[i][0], https[i][1], https[i][2], why, sizeof(why)))
			fail_msg("not seen: %s %s %s", https[i][0], https[i][1], https[i][2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_know_a_change),
		cmocka_unit_test(broadcom_and_frr),
		cmocka_unit_test(cumulus_and_nxos),
		cmocka_unit_test(sonic_and_eos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
