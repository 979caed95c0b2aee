/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/integration/lab.h"
#include "tests/integration/read_check.h"
#include "tests/tools/vt.h"

/*
 * Read-only is structural: with --read-only, and without actions: in the inventory, every
 * subcommand, every command of the palette and every key of every view are tried against the
 * emulated fabric, which logs what it was sent. All of it must read, by rules of this test's own,
 * and nothing on any device may have changed. The credentials of actions are never looked up.
 */

struct platform {
	const char *name, *platforms;
	const char *leaf, *spine, *host; /* a port of each, as railtop calls it */
};

static const struct platform fabrics[] = {
	{"SONiC and EOS", "leaf=sonic-spectrum,spine=eos", "leaf-r3-00:Ethernet12",
		"spine-000:Ethernet1/1", "node003:mlx5_3"},
	{"Cumulus and NX-OS", "leaf=cumulus,spine=nxos", "leaf-r3-00:swp4", "spine-000:Ethernet1/1",
		"node003:mlx5_3"},
	{"SONiC and FRR", "leaf=sonic-broadcom,spine=frr", "leaf-r3-00:Ethernet8", "spine-000:swp1",
		"node003:mlx5_3"},
};

struct fixture {
	const struct platform *p;
	struct lab lab;
	char log[256], marker[256];
	char acting[256]; /* the inventory with actions: */
};

/* ---- what was sent ---- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool only_reads(const json_t *e, char *why, size_t size)
{
	static const char ras[] = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\n";
	const char *input = text_of(e, "input");

	if (str_eq(text_of(e, "via"), "https"))
		return read_check_https(
			text_of(e, "method"), text_of(e, "path"), text_of(e, "body"), why, size);
	if (str_eq(text_of(e, "via"), "forward")) {
		(void)str_copy(why, size, "a connection");
		return json_integer_value(json_object_get(e, "port")) == 28028 &&
		       (!*input || str_eq(input, "STATUS\n") ||
			       (str_starts(input, ras) &&
				       (!input[sizeof(ras) - 1] ||
					       str_eq(input + sizeof(ras) - 1, "STATUS\n"))));
	}
	return read_check_shell(text_of(e, "command"), why, size) &&
	       read_check_shell(input, why, size);
}

/* Each line of the log; returns how many there were. */
static unsigned judge(const struct fixture *x, unsigned *devices)
{
	char *line = NULL, why[256], seen[64][32];
	size_t room = 0, n = 0, nseen = 0, i;
	FILE *f = fopen(x->log, "re");

	assert_non_null(f);
	while (getline(&line, &room, f) > 0) {
		json_t *e = lab_json(line);

		if (!only_reads(e, why, sizeof(why)))
			fail_msg("%s: %s\n%s", x->p->name, why, line);
		if (json_is_true(json_object_get(e, "wrote")) ||
			json_is_true(json_object_get(e, "changed")))
			fail_msg("%s: a write\n%s", x->p->name, line);
		for (i = 0; i < nseen && !str_eq(seen[i], text_of(e, "device")); i++)
			;
		if (i == nseen && nseen < 64)
			(void)str_copy(seen[nseen++], sizeof(seen[0]), text_of(e, "device"));
		n++;
		json_decref(e);
	}
	free(line);
	(void)fclose(f);
	*devices = (unsigned)nseen;
	return (unsigned)n;
}

/* ---- subcommands ---- */

/* Every line of app/subcommands.def must be here. "@F": the inventory, "@T": a target. */
static const struct walk {
	const char *name;
	const char *args[12];
	int code; /* -1: any */
} walks[] = {
	{"console", {NULL}, -1}, /* walk_console() */
	{"demo", {NULL}, -1},    /* a fabric of its own: test_demo.c */
	{"docs", {NULL}, 0},
	{"check", {"-f", "@F"}, -1},
	{"snapshot", {"-f", "@F", "--for", "3s", "--json", "/dev/null"}, -1},
	{"findings", {"-f", "@F", "--for", "3s"}, -1},
	{"trace", {"-f", "@F", "--for", "3s", "--at", "@T"}, -1},
	{"lint", {"-f", "@F"}, -1},
	{"discover", {"--seed", "127.0.0.1", "--for", "1s", "-o", "/dev/null"}, -1},
	{"act", {NULL}, -1}, /* every action: walk_actions() */
	{"approve", {"-f", "@F", "--read-only", "--execute", "0123456789abcdef", "@T"}, -1},
	{"ledger", {"-f", "@F", "verify"}, -1},
};

static const char *const subcommands[] = {
#define SUBCOMMAND(id, name, ...) name,
#include "app/subcommands.def"
#undef SUBCOMMAND
};

static void run(const struct fixture *x, const char *name, const char *const *args,
	const char *inventory, const char *target, int want)
{
	const char *argv[24] = {name};
	struct lab_output o;
	size_t n = 1;

	for (; *args; args++)
		argv[n++] = str_eq(*args, "@F") ? inventory : str_eq(*args, "@T") ? target : *args;
	argv[n] = NULL;
	o = lab_railtop(argv, 60);
	if (want >= 0 && o.code != want)
		fail_msg("%s %s: exit %d\n%s%s", name, target, o.code, o.out, o.err);
	if (o.code >= 5)
		fail_msg("%s: exit %d\n%s%s", name, o.code, o.out, o.err);
	lab_output_free(&o);
	if (access(x->marker, F_OK) == 0)
		fail_msg("%s: the credentials of actions were looked up", name);
}

static void walk_subcommands(const struct fixture *x)
{
	const char *const inventories[] = {x->acting, x->lab.inventory};
	size_t k;

	for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++) {
		for (k = 0; k < sizeof(walks) / sizeof(walks[0]); k++)
			if (str_eq(walks[k].name, subcommands[i]))
				break;
		if (k == sizeof(walks) / sizeof(walks[0]))
			fail_msg("nobody walks the subcommand %s", subcommands[i]);
		for (size_t f = 0; f < 2 && walks[k].args[0]; f++)
			run(x, walks[k].name, walks[k].args, inventories[f], x->p->leaf,
				walks[k].code);
	}
}

static void walk_actions(const struct fixture *x)
{
	static const char *const actions[] = {
#define ACTION(id) #id,
#include "actions/actions.def"
#undef ACTION
	};
	const char *const targets[] = {x->p->leaf, x->p->spine, x->p->host};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		char name[64];

		(void)str_copy(name, sizeof(name), actions[i]);
		for (char *c = name; *c; c++)
			*c = *c == '_' ? '-' : *c;
		for (size_t k = 0; k < 3; k++) {
			const char *const locked[] = {name, targets[k], "-f", x->acting,
				"--read-only", "--execute", "--reason", "the walk of a test",
				"--incident", "INC-1", NULL};
			const char *const silent[] = {name, targets[k], "-f", x->lab.inventory,
				"--execute", "--reason", "the walk of a test", "--incident",
				"INC-1", NULL};

			run(x, "act", locked, "", targets[k], 4);
			run(x, "act", silent, "", targets[k], 4);
		}
	}
}

/* ---- the console ---- */

static const char *const views[] = {
#define VIEW(name) #name,
#include "views/views.def"
#undef VIEW
};

static const char *const commands[] = {
#define COMMAND(id, name, ...) name,
#include "app/commands.def"
#include "app/act_commands.def"
#undef COMMAND
};

static void type_command(struct vt *vt, const char *words)
{
	vt_type(vt, ":");
	vt_type(vt, words);
	vt_key(vt, "Enter");
}

/* From wherever it is, whatever is open: not from the first page with q. */
static void calm(struct vt *vt)
{
	vt_key(vt, "Esc");
	vt_key(vt, "Esc");
	vt_settle(vt);
}

static bool is_in_list(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (str_eq(word, *list))
			return true;
	return false;
}

static bool leaves(const char *key, const char *command)
{
	return str_eq(key, "ZZ") || str_starts(command, "quit") || str_starts(command, "close");
}

/* Each key of the built-in keymap, which is also a file, in the view that is opened anew for it. */
static void press_all(struct vt *vt, const char *open)
{
	static const char *const asks[] = {
		"palette", "filter", "columns", "help", "ack", "mark", NULL};
	char line[256], key[32], command[64];
	FILE *f = fopen("keymaps/default.keys", "re");
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "bind %*s %31s %63s", key, command) != 2 || leaves(key, command))
			continue;
		type_command(vt, open);
		vt_key(vt, key);
		if (is_in_list(command, asks))
			vt_key(vt, "Esc");
		/* What follows an escape at once would be one key with it. */
		if (++n % 8 == 0 || is_in_list(command, asks) || str_eq(key, "Esc"))
			vt_settle(vt);
	}
	(void)fclose(f);
	assert_true(n > 30);
	calm(vt);
}

static void walk_keys(const struct fixture *x, struct vt *vt)
{
	const char *const places[] = {x->p->leaf, x->p->spine, x->p->host, "leaf-r3-00", "node003"};
	char open[128];

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		(void)str_printf(open, sizeof(open), "view %s", views[i]);
		press_all(vt, open);
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		(void)str_printf(open, sizeof(open), "goto %s", places[i]);
		press_all(vt, open);
	}
	/* Keys that nobody has bound. */
	for (char c = '!'; c <= '~'; c++) {
		char one[2] = {c, '\0'};

		if (strchr(":/qZ", c))
			continue;
		(void)str_printf(open, sizeof(open), "goto %s", x->p->leaf);
		type_command(vt, open);
		vt_type(vt, one);
		if (c % 8 == 0)
			calm(vt);
	}
	calm(vt);
}

static void walk_palette(const struct fixture *x, struct vt *vt)
{
	static const char *const actions[] = {"pfcwd-reset", "pfcwd-enable", "port-drain",
		"port-undrain", "port-bounce", "locate", "counterpoll-enable"};
	char words[160];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (str_eq(commands[i], "quit") || str_eq(commands[i], "close"))
			continue;
		(void)str_printf(words, sizeof(words), "goto %s", x->p->leaf);
		type_command(vt, words);
		type_command(vt, commands[i]);
		calm(vt);
		(void)str_printf(words, sizeof(words), "%s %s", commands[i], x->p->leaf);
		type_command(vt, words);
		calm(vt);
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		(void)str_printf(words, sizeof(words), "act %s %s", actions[i], x->p->leaf);
		type_command(vt, words);
		/* Whoever goes on all the same: the name of the port, a reason. */
		vt_type(vt, x->p->leaf);
		vt_key(vt, "Enter");
		vt_type(vt, "yes");
		vt_key(vt, "Enter");
		calm(vt);
	}
}

static void walk_console(const struct fixture *x, const char *inventory, bool read_only)
{
	char program[256];
	const char *const argv[] = {lab_program("railtop", program, sizeof(program)), "-f",
		inventory, read_only ? "--read-only" : NULL, NULL};
	const struct vt_opts opts = {.rows = 40, .cols = 120, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_text(vt, "44/44 fresh", 60);
	walk_palette(x, vt);
	/* What a key does depends on the view, not on whose switches they are. */
	if (read_only && x->p == &fabrics[0])
		walk_keys(x, vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	assert_int_not_equal(access(x->marker, F_OK), 0);
}

/* ---- all of it ---- */

static void write_acting(struct fixture *x)
{
	FILE *from = fopen(x->lab.inventory, "re"), *to = fopen(x->acting, "we");
	char part[4096];
	size_t n;

	assert_non_null(from);
	assert_non_null(to);
	while ((n = fread(part, 1, sizeof(part), from)) > 0)
		assert_int_equal(fwrite(part, 1, n, to), n);
	(void)fprintf(to,
		"actions:\n  user: operator\n  credentials: \"command:touch %s; echo "
		"operator:secret\"\n"
		"  ledger: %s/ledger.jsonl\n",
		x->marker, x->lab.dir);
	(void)fclose(from);
	assert_int_equal(fclose(to), 0);
}

static void lab_up(struct fixture *x, const struct platform *p)
{
	char log[] = "/tmp/railtop-reads-XXXXXX";
	int fd = mkstemp(log);
	const char *const args[] = {"--speed", "10", "--listen", "127.93.0.1", "--steady",
		"--platforms", p->platforms, "--command-log", log, NULL};

	assert_true(fd >= 0);
	(void)close(fd);
	x->p = p;
	(void)str_copy(x->log, sizeof(x->log), log);
	lab_start(&x->lab, args);
	(void)str_printf(x->marker, sizeof(x->marker), "%s/resolved", x->lab.dir);
	(void)str_printf(x->acting, sizeof(x->acting), "%s/acting.yaml", x->lab.dir);
	write_acting(x);
}

static void nothing_but_reads(const struct platform *p)
{
	struct fixture x;
	unsigned devices, n;

	lab_up(&x, p);
	walk_subcommands(&x);
	walk_actions(&x);
	walk_console(&x, x.acting, true);
	if (p == &fabrics[0])
		walk_console(&x, x.lab.inventory, false);
	n = judge(&x, &devices);
	assert_int_equal(devices, 44);
	assert_true(n > 1000);
	print_message("# %s: %u requests to %u devices\n", p->name, n, devices);
	assert_int_not_equal(access(x.marker, F_OK), 0);
	lab_stop(&x.lab);
	(void)unlink(x.log);
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
