/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/sonic_lua.h"

/* A SONiC switch: a Debian shell with sonic-db-cli in it. */

/* ---- replies as sonic-db-cli prints them: a dict for HGETALL, else one line an element ---- */

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

static bool is(const struct redis_arg *a, const char *word)
{
	return strlen(word) == a->n && !strncasecmp(a->p, word, a->n);
}

static void dispatch(struct personality_ctx *ctx, struct redis *r, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink)
{
	bool eval = is(&argv[0], "EVAL"), sha = is(&argv[0], "EVALSHA"),
	     script = is(&argv[0], "SCRIPT");

	if (!eval && !sha && !script) {
		redis_command(r, argc, argv, sink);
		return;
	}
	if (!ctx->lua)
		ctx->lua = sonic_lua_new();
	if (!ctx->lua)
		sink->error(
			sink->arg, "ERR this emulator has no Lua with cjson: install lua-cjson");
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
	w.dict = is(&argv.at[0], "HGETALL");
	redis_open(&r, m->ctx, m->d, db);
	dispatch(m->ctx, &r, argv.n, argv.at, &sink);
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

static int db_cli(struct machine *m, const struct shell_call *c)
{
	unsigned db;
	int i, first = 1;

	/* Its getopt permutes: an argument that begins with '-' is an option wherever it stands. */
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

/* ---- the rest of the box ---- */

static void show_version(const struct machine *m, struct buf *out)
{
	int64_t now = sim_now(m->ctx->sim), up = (now - m->d->boot_us) / CLOCK_SEC;
	time_t t = (time_t)(now / CLOCK_SEC);
	char date[40];
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm);
	(void)strftime(date, sizeof(date), "%a %d %b %Y %H:%M:%S", &tm);
	(void)buf_addf(out,
		"\nSONiC Software Version: %s\nSONiC OS Version: 12\nDistribution: Debian 12.8\n"
		"Kernel: 6.1.0-22-2-amd64\nBuild commit: 5f3b1c0d2\n\n"
		"Platform: x86_64-accton_as9736_64d-r0\nHwSKU: %s\nASIC: broadcom\nASIC Count: 1\n"
		"Serial Number: %s\nModel Number: N/A\nHardware Revision: N/A\n"
		"Uptime: %.8s up %lld days, %2lld:%02lld,  1 user,  load average: 2.97, 5.17, "
		"8.29\n"
		"Date: %s\n\n",
		m->d->os_version, m->d->model, m->d->serial, date + 16, (long long)(up / 86400),
		(long long)(up / 3600 % 24), (long long)(up / 60 % 60), date);
}

static int show(struct machine *m, const struct shell_call *c)
{
	if (c->argc > 1 && !strcmp(c->argv[1], "version")) {
		show_version(m, c->out);
		return 0;
	}
	(void)buf_addf(c->err,
		"Usage: show [OPTIONS] COMMAND [ARGS]...\nTry 'show -h' for help.\n\n"
		"Error: No such command '%s'.\n",
		c->argc > 1 ? c->argv[1] : "");
	return 2;
}

static int command(void *ctx, const struct shell_call *c)
{
	struct machine *m = ctx;

	if (!strcmp(c->argv[0], "sonic-db-cli") || !strcmp(c->argv[0], "/usr/bin/sonic-db-cli") ||
		!strcmp(c->argv[0], "/usr/local/bin/sonic-db-cli"))
		return db_cli(m, c);
	if (!strcmp(c->argv[0], "show"))
		return show(m, c);
	return -1;
}

static int read_version(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;

	(void)port, (void)item;
	(void)buf_addf(out,
		"---\nbuild_version: '%s'\ndebian_version: '12.8'\nkernel_version: "
		"'6.1.0-22-2-amd64'\n"
		"asic_type: broadcom\nasic_subtype: 'broadcom'\ncommit_id: '5f3b1c0d2'\n"
		"branch: '202411'\nrelease: '202411'\n",
		m->d->os_version);
	return 0;
}

static struct vfs *files(void)
{
	struct vfs *tree = vfs_new();

	personality_common_files(tree);
	vfs_file(tree, "/etc/sonic/sonic_version.yml", read_version, 0, 0);
	vfs_text(tree, "/usr/share/sonic/platform/asic.conf", "NUM_ASIC=1\n");
	return tree;
}

static int switch_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	static const char *const names[] = {"sonic-db-cli", "show", NULL};
	static const struct shell_machine base = {.command = command,
		.commands = names,
		.kernel = "6.1.0-22-2-amd64",
		.kernel_version = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.94-1 (2024-06-21)"};
	struct machine m = {.ctx = ctx, .d = d};

	if (!ctx->sonic_files)
		ctx->sonic_files = files();
	m.view.tree = ctx->sonic_files;
	return personality_shell(&m, &base, line, input, out, err);
}

static bool reads_input(const char *line)
{
	return str_starts(line, "sh -s") || str_starts(line, "bash -s") || !strcmp(line, "sh") ||
	       !strcmp(line, "bash");
}

const struct personality personality_sonic = {"sonic", switch_exec, NULL, reads_input};
