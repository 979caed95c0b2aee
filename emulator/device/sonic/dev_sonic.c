/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_lua.h"

/* A SONiC switch: a Debian shell with sonic-db-cli and the Python tools in it. */

/* ---- replies in the format of sonic-db-cli: a dict for HGETALL, else one line per element ---- */

struct print {
	struct buf *out, error;
	bool dict;
	unsigned depth;
	size_t elements;
};

static void print_text(void *arg, const char *p, size_t n)
{
	struct print *w = arg;

	if (w->depth && w->dict) {
		(void)buf_adds(w->out, !w->elements ? "'" : w->elements % 2 ? ": '" : ", '");
		(void)buf_add(w->out, p, n);
		(void)buf_add(w->out, "'", 1);
	} else {
		if (w->elements)
			(void)buf_add(w->out, "\n", 1);
		(void)buf_add(w->out, p, n);
	}
	w->elements++;
}

static void print_nil(void *arg)
{
	print_text(arg, "", 0);
}

static void print_integer(void *arg, int64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%lld", (long long)v);
	print_text(arg, text, strlen(text));
}

static void print_status(void *arg, const char *text)
{
	print_text(arg, text, strlen(text));
}

static void print_error(void *arg, const char *text)
{
	struct print *w = arg;

	(void)buf_adds(&w->error, text);
}

static void print_array(void *arg)
{
	struct print *w = arg;

	if (!w->depth++ && w->dict)
		(void)buf_add(w->out, "{", 1);
}

static void print_end(void *arg)
{
	struct print *w = arg;

	if (!--w->depth && w->dict)
		(void)buf_add(w->out, "}", 1);
}

static bool arg_is(const struct redis_arg *a, const char *word)
{
	return strlen(word) == a->n && !strncasecmp(a->p, word, a->n);
}

static void dispatch_command(struct personality_ctx *ctx, struct redis *r, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink)
{
	bool eval = arg_is(&argv[0], "EVAL"), sha = arg_is(&argv[0], "EVALSHA"),
	     script = arg_is(&argv[0], "SCRIPT");

	if (!eval && !sha && !script) {
		redis_command(r, argc, argv, sink);
		return;
	}
	if (!ctx->lua)
		ctx->lua = sonic_lua_new();
	if (!ctx->lua)
		sink->error(sink->arg, "ERR Error compiling script: module 'cjson' not found");
	else if (script)
		sonic_lua_script(ctx->lua, r, argc - 1, argv + 1, sink);
	else
		sonic_lua_eval(ctx->lua, r, sha, argc - 1, argv + 1, sink);
}

static int run_redis(struct machine *m, const struct shell_call *c, int first, unsigned db)
{
	struct print w = {.out = c->out};
	struct redis_sink sink = {&w, print_nil, print_text, print_integer, print_status,
		print_error, print_array, print_end};
	VEC(struct redis_arg) argv = {0};
	struct redis r;
	int status = 0;

	for (; first < c->argc; first++)
		vec_push(&argv, (struct redis_arg){c->argv[first], strlen(c->argv[first])});
	buf_init(&w.error, 4096);
	w.dict = arg_is(&argv.at[0], "HGETALL");
	redis_open(&r, m->ctx, m->d, db);
	dispatch_command(m->ctx, &r, argv.n, argv.at, &sink);
	if (w.error.len) {
		(void)buf_addf(c->err, "%s: Input/output error\n", w.error.data);
		status = 1;
	} else {
		(void)buf_add(c->out, "\n", 1);
	}
	buf_free(&w.error);
	vec_free(&argv);
	return status;
}

static int db_cli_usage(const struct shell_call *c, const char *argument)
{
	(void)buf_addf(c->err, "Command Line Error: Unknown argument:%s\n", argument);
	(void)buf_adds(
		c->out, "usage: sonic-db-cli [-h] [-s] [-n NAMESPACE] db_or_op [cmd [cmd ...]]\n");
	return 255;
}

static int fail_unreachable(const struct shell_call *c)
{
	(void)buf_adds(
		c->err, "Could not connect to Redis at 127.0.0.1:6379: Connection refused\n");
	return 1;
}

static int db_cli(struct machine *m, const struct shell_call *c)
{
	unsigned db;
	int i, first = 1;

	/* Its getopt permutes: an argument that begins with '-' is an option in any position. */
	for (i = 1; i < c->argc; i++) {
		if (c->argv[i][0] != '-' || !c->argv[i][1])
			continue;
		if (i != first || (strcmp(c->argv[i], "-s") != 0 && strcmp(c->argv[i], "-n") != 0))
			return db_cli_usage(c, c->argv[i]);
		first += c->argv[i][1] == 'n' ? 2 : 1;
		i = first - 1;
	}
	if (first >= c->argc)
		return db_cli_usage(c, "");
	if (m->d->commands_fail)
		return fail_unreachable(c);
	if (first + 1 == c->argc) {
		if (strcmp(c->argv[first], "PING") != 0)
			return db_cli_usage(c, c->argv[first]);
		(void)buf_adds(c->out, "PONG\n");
		return 0;
	}
	if (!redis_db_by_name(c->argv[first], &db)) {
		(void)buf_addf(c->err,
			"Invalid database name input : '%s'\nFailed to find %s database in : key\n",
			c->argv[first], c->argv[first]);
		return 1;
	}
	return run_redis(m, c, first + 1, db);
}

/* ---- other programs ---- */

static int run_pfcwd(struct machine *m, const struct shell_call *c)
{
	return sonic_pfcwd(m, c, 1, "pfcwd");
}

/* The error message of a program when its database or container is dead. */
enum dies { DIES_REDIS, DIES_PYTHON, DIES_FRR, DIES_LLDPD, DIES_NEVER };

static const struct program {
	const char *name;
	int (*run)(struct machine *m, const struct shell_call *c);
	enum dies dies;
} programs[] = {
	{"sonic-db-cli", db_cli, DIES_REDIS},
	{"show", sonic_show, DIES_PYTHON},
	{"config", sonic_config, DIES_PYTHON},
	{"pfcwd", run_pfcwd, DIES_PYTHON},
	{"counterpoll", sonic_counterpoll, DIES_PYTHON},
	{"ecnconfig", sonic_ecnconfig, DIES_PYTHON},
	{"pfcstat", sonic_pfcstat, DIES_PYTHON},
	{"vtysh", sonic_vtysh, DIES_FRR},
	{"rvtysh", sonic_vtysh, DIES_FRR},
	{"ip", sonic_ip, DIES_NEVER},
	{"lldpctl", sonic_lldpctl, DIES_LLDPD},
	{"lldpcli", sonic_lldpctl, DIES_LLDPD},
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static int fail_dead(const struct program *p, const struct shell_call *c)
{
	switch (p->dies) {
	case DIES_PYTHON:
		(void)buf_adds(c->err, "RuntimeError: Unable to connect to redis - Connection "
				       "refused(1): Cannot assign requested address\n");
		return 1;
	case DIES_FRR:
		(void)buf_adds(c->err, "Exiting: failed to connect to any daemons.\n");
		return 1;
	case DIES_LLDPD:
		(void)buf_adds(c->err, "unable to connect to socket /var/run/lldpd.socket: "
				       "Connection refused\n");
		return 1;
	default:
		return fail_unreachable(c);
	}
}

static int run_command(void *ctx, const struct shell_call *c)
{
	struct machine *m = ctx;
	const char *name = c->argv[0];

	if (str_starts(name, "/usr/bin/") || str_starts(name, "/usr/local/bin/"))
		name = strrchr(name, '/') + 1;
	for (size_t i = 0; i < PROGRAMS; i++)
		if (!strcmp(programs[i].name, name))
			return m->d->commands_fail && programs[i].dies != DIES_NEVER
				       ? fail_dead(&programs[i], c)
				       : programs[i].run(m, c);
	return -1;
}

static int read_version(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;

	(void)port, (void)item;
	(void)buf_addf(out,
		"---\nbuild_version: '%s'\ndebian_version: '12.8'\nkernel_version: '" SONIC_KERNEL
		"'\nasic_type: %s\nasic_subtype: '%s'\ncommit_id: '5f3b1c0d2'\n"
		"branch: '202411'\nrelease: '202411'\n",
		m->d->os_version, sonic_asic(m->d), sonic_asic(m->d));
	return 0;
}

static int read_syslog(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;

	(void)port, (void)item;
	sonic_syslog(m->ctx, m->d, out);
	return 0;
}

static struct vfs *make_files(void)
{
	struct vfs *tree = vfs_new();

	personality_common_files(tree);
	vfs_file(tree, "/etc/sonic/sonic_version.yml", read_version, 0, 0);
	vfs_file(tree, "/var/log/syslog", read_syslog, 0, 0);
	vfs_text(tree, "/usr/share/sonic/platform/asic.conf", "NUM_ASIC=1\n");
	return tree;
}

static int switch_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	static const struct shell_machine base = {.command = run_command,
		.kernel = SONIC_KERNEL,
		.kernel_version = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.94-1 (2024-06-21)"};
	struct shell_machine shell = base;
	const char *names[PROGRAMS + 1];
	struct machine m = {.ctx = ctx, .d = d};

	for (size_t i = 0; i < PROGRAMS; i++)
		names[i] = programs[i].name;
	names[PROGRAMS] = NULL;
	shell.commands = names;
	if (!ctx->sonic_files)
		ctx->sonic_files = make_files();
	m.view.tree = ctx->sonic_files;
	return personality_shell(&m, &shell, line, input, out, err);
}

static bool reads_input(const char *line)
{
	return str_starts(line, "sh -s") || str_starts(line, "bash -s") || !strcmp(line, "sh") ||
	       !strcmp(line, "bash");
}

const struct personality personality_sonic = {"sonic", switch_exec, NULL, reads_input, true};
