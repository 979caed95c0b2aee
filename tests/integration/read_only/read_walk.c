/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/read_only/read_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/read_only/read_check.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

const struct platform fabrics[FABRICS] = {
	{"SONiC and EOS", "leaf=sonic-spectrum,spine=eos", "leaf-r3-00:Ethernet12",
		"spine-000:Ethernet1/1", "node003:mlx5_3"},
	{"Cumulus and NX-OS", "leaf=cumulus,spine=nxos", "leaf-r3-00:swp4", "spine-000:Ethernet1/1",
		"node003:mlx5_3"},
	{"SONiC and FRR", "leaf=sonic-broadcom,spine=frr", "leaf-r3-00:Ethernet8", "spine-000:swp1",
		"node003:mlx5_3"},
};

void walk_run(const struct fixture *x, const char *name, const char *const *args,
	const char *inventory, const char *target, int want)
{
	const char *argv[24] = {name};
	struct lab_output o;
	size_t n = 1;

	for (; *args; args++)
		argv[n++] = str_eq(*args, "@F")   ? inventory
			    : str_eq(*args, "@T") ? target
			    : str_eq(*args, "@R") ? x->recording
			    : str_eq(*args, "@S") ? x->snapshot
						  : *args;
	argv[n] = NULL;
	/* None is ever written over; the last one is looked at later. */
	if (str_eq(name, "snapshot"))
		(void)unlink(x->snapshot);
	o = lab_railtop(argv, 180);
	if (want >= 0 && o.code != want)
		fail_msg("%s %s: exit %d\n%s%s", name, target, o.code, o.out, o.err);
	/* A walk that stumbles over its own words walks nowhere. */
	if (o.code >= 5 || (o.code == 2 && want != 2))
		fail_msg("%s: exit %d\n%s%s", name, o.code, o.out, o.err);
	lab_output_free(&o);
	if (access(x->marker, F_OK) == 0)
		fail_msg("%s: the credentials of actions were looked up", name);
}

/* ---- the console ---- */

static const char *const views[] = {
#define VIEW(name) #name,
#include "views/views.def"
#undef VIEW
};

static const char *const commands[] = {
#define COMMAND(name, ...) name,
#include "app/console/commands.def"
#include "app/console/act_commands.def"
#undef COMMAND
};

void walk_type_command(struct vt *vt, const char *words)
{
	vt_type(vt, ":");
	vt_type(vt, words);
	vt_key(vt, "Enter");
}

/* From any page with any overlay open: not from the first page with q. */
void walk_calm(struct vt *vt)
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

/*
 * Each key of the built-in keymap, which is also a file, in the view that is opened again for it.
 * Without FULL=1 a third of them, in each view another third.
 */
static void press_all(struct vt *vt, const char *open, bool first)
{
	static const char *const asks[] = {
		"palette", "filter", "columns", "help", "ack", "mark", "note", NULL};
	static const char *const times[] = {"scrub", "at", "pause", NULL};
	/* Of the whole fabric, wherever it is pressed, and minutes of work if it were everywhere.
	 */
	static const char *const once[] = {"snapshot", NULL};
	static unsigned turn;
	char line[256], key[32], command[64];
	FILE *f = fopen("keymaps/default.keys", "re");
	unsigned n = 0, due = turn++;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "bind %*s %31s %63s", key, command) != 2 || leaves(key, command))
			continue;
		if (!first && is_in_list(command, once))
			continue;
		n++;
		if (!effort_full() && due++ % 3)
			continue;
		walk_type_command(vt, open);
		vt_key(vt, key);
		if (is_in_list(command, asks))
			vt_key(vt, "Esc");
		if (is_in_list(command, times))
			walk_type_command(vt, "live");
		/* A key right after an escape would be one key with it. */
		if (n % 8 == 0 || is_in_list(command, asks) || str_eq(key, "Esc"))
			vt_settle(vt);
	}
	(void)fclose(f);
	assert_true(n > 30);
	walk_calm(vt);
}

void walk_keys(const struct fixture *x, struct vt *vt)
{
	const char *const places[] = {x->p->leaf, x->p->spine, x->p->host, "leaf-r3-00", "node003"};
	char open[128];

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		(void)str_printf(open, sizeof(open), "view %s", views[i]);
		press_all(vt, open, i == 0);
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		(void)str_printf(open, sizeof(open), "goto %s", places[i]);
		press_all(vt, open, false);
	}
	/* Keys that nobody has bound. */
	for (char c = '!'; c <= '~'; c++) {
		char one[2] = {c, '\0'};

		if (strchr(":/qZ", c))
			continue;
		(void)str_printf(open, sizeof(open), "goto %s", x->p->leaf);
		walk_type_command(vt, open);
		vt_type(vt, one);
		if (c % 8 == 0)
			walk_calm(vt);
	}
	walk_calm(vt);
}

void walk_palette(const struct fixture *x, struct vt *vt)
{
	static const char *const actions[] = {"pfcwd-reset", "pfcwd-enable", "port-drain",
		"port-undrain", "port-bounce", "locate", "counterpoll-enable", "perftest-serve",
		"perftest-run", "host-drain"};
	char words[160];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (str_eq(commands[i], "quit") || str_eq(commands[i], "close"))
			continue;
		(void)str_printf(words, sizeof(words), "goto %s", x->p->leaf);
		walk_type_command(vt, words);
		walk_type_command(vt, commands[i]);
		walk_calm(vt);
		/* It would write a file of that name where the tests run. */
		if (str_eq(commands[i], "record"))
			continue;
		(void)str_printf(words, sizeof(words), "%s %s", commands[i], x->p->leaf);
		walk_type_command(vt, words);
		walk_calm(vt);
		/* The next command is to be tried now, and not in the past. */
		walk_type_command(vt, "live");
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		(void)str_printf(words, sizeof(words), "act %s %s", actions[i], x->p->leaf);
		walk_type_command(vt, words);
		/* As an operator who goes on all the same: the name of the port, a reason. */
		vt_type(vt, x->p->leaf);
		vt_key(vt, "Enter");
		vt_type(vt, "yes");
		vt_key(vt, "Enter");
		walk_calm(vt);
	}
}

void walk_console(const struct fixture *x, const char *inventory, bool read_only, bool keys)
{
	char program[256];
	const char *const argv[] = {built_path("railtop", program, sizeof(program)), "-f",
		inventory, read_only ? "--read-only" : NULL, NULL};
	const struct vt_opts opts = {.rows = 40, .cols = 120, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_text(vt, "data fresh 44", 180);
	walk_palette(x, vt);
	if (keys)
		walk_keys(x, vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	assert_int_not_equal(access(x->marker, F_OK), 0);
}

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

void walk_up(struct fixture *x, const struct platform *p)
{
	char log[] = "/tmp/railtop-reads-XXXXXX";
	int fd = mkstemp(log);
	const char *const args[] = {"--speed", "10", "--steady", "--interval", "10s", "--platforms",
		p->platforms, "--command-log", log, NULL};

	assert_true(fd >= 0);
	(void)close(fd);
	x->p = p;
	(void)str_copy(x->log, sizeof(x->log), log);
	built_take_plain();
	lab_start(&x->lab, args);
	(void)str_printf(x->marker, sizeof(x->marker), "%s/resolved", x->lab.dir);
	(void)str_printf(x->acting, sizeof(x->acting), "%s/acting.yaml", x->lab.dir);
	(void)str_printf(x->recording, sizeof(x->recording), "%s/walk.rts", x->lab.dir);
	(void)str_printf(x->snapshot, sizeof(x->snapshot), "%s/incident.rts", x->lab.dir);
	write_acting(x);
}

void walk_down(struct fixture *x, unsigned least)
{
	unsigned devices, n = read_check_log(x->log, &devices);

	assert_int_equal(devices, 44);
	assert_true(n > least);
	print_message("# %s: %u requests to %u devices\n", x->p->name, n, devices);
	assert_int_not_equal(access(x->marker, F_OK), 0);
	lab_stop(&x->lab);
	(void)unlink(x->log);
}
