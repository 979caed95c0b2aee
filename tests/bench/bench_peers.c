/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other programs that run commands over SSH on many machines, compared with this one: the same
 * command on the same devices in the same run. CPU is user and system time of the client's whole
 * tree of processes. Arguments (or N): numbers of devices (100). `make bench-peers` installs the
 * other programs.
 */
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/responder.h"
#include "tests/bench/load/sweep.h"
#include "tests/bench/load/tree.h"
#include "tests/support/figures.h"
#include "tests/support/run_command.h"

#define LIMIT_S     600.0
#define WARM_SWEEPS 5
/* The cache knows an answer from the third on; a filter sends no less before. */
#define SETTLING 3

/*
 * $D: the directory of this run with hosts, config and out/; a peer prints to out/all or to files
 * in out/. Widths as their manuals recommend for many hosts: 64, ansible 50.
 */
static const struct peer {
	const char *name, *program, *script;
	double target; /* CPU, times ours */
} peers[] = {
	{"xargs -P64 ssh", "ssh",
		"xargs -a $D/hosts -P64 -I{} ssh -n -F $D/config {} " RESPONDER_PAYLOAD
		" >>$D/out/all",
		10},
	{"parallel-ssh -p64", "parallel-ssh",
		"parallel-ssh -h $D/hosts -p 64 -t 0 -x \"-F $D/config\" -o "
		"$D/out " RESPONDER_PAYLOAD " >/dev/null",
		0},
	{"pdsh -R ssh -f64", "pdsh",
		"PDSH_SSH_ARGS_APPEND=\"-F $D/config\" pdsh -R ssh -f 64 -w ^$D/hosts "
		"-l " RESPONDER_USER " " RESPONDER_PAYLOAD " >$D/out/all",
		15},
	{"clush -f64", "clush",
		"clush --hostfile $D/hosts -f 64 -l " RESPONDER_USER
		" -o \"-F $D/config\" -N " RESPONDER_PAYLOAD " >$D/out/all",
		40},
	{"ansible -m raw -f50", "ansible",
		"ANSIBLE_LOCAL_TEMP=$D/ansible ANSIBLE_HOME=$D/ansible "
		"ANSIBLE_SSH_ARGS=\"-F $D/config -o ControlMaster=no\" "
		"ansible all -i $D/hosts -u " RESPONDER_USER " -m raw -a " RESPONDER_PAYLOAD
		" -f 50 >$D/out/all",
		50},
};
static const char warm_script[] =
	"xargs -a $D/hosts -P64 -I{} ssh -n -F $D/config -S $D/cm/{} {} " RESPONDER_PAYLOAD
	" >>$D/out/all";

static struct responder devices;

/* ---- this program, started again to be measured as the others are ---- */

static bool sweep_is_good(const struct sweep_result *r)
{
	if (r->failed)
		(void)fprintf(stderr, "%u devices failed: %s\n", r->failed, r->complaint);
	return r->failed == 0;
}

/* How this program is measured. */
enum measured { COLD, WARM, FILTERED };
static const char *const measured_args[] = {"--cold", "--warm", "--filtered"};

/* The cost of sweeps over devices that have answered before. */
struct warm_cost {
	double cpu_s, bytes; /* a sweep; an answer */
};

static bool write_warm(const char *dir, const struct warm_cost *w)
{
	char path[128];
	FILE *f;
	bool ok;

	(void)str_printf(path, sizeof(path), "%s/warm", dir);
	f = fopen(path, "we");
	ok = f && fprintf(f, "%.9f %.1f\n", w->cpu_s, w->bytes) > 0;
	return f && fclose(f) == 0 && ok;
}

static bool sweep_warm(struct sweeper *s, unsigned n, struct warm_cost *w)
{
	struct sweep_result result;
	bool ok = true;

	*w = (struct warm_cost){0};
	for (int i = 0; ok && i < WARM_SWEEPS; i++) {
		sweeper_poll(s, SWEEP_APPLY, &result);
		ok = sweep_is_good(&result);
		w->cpu_s += result.cpu_s / WARM_SWEEPS;
		w->bytes += (double)result.bytes / n / WARM_SWEEPS;
	}
	return ok;
}

/* A filter is part of a shell that is kept: the dialect's own question is asked, not the payload.
 */
static bool settle(struct sweeper *s)
{
	struct sweep_result result;
	bool ok;

	sweeper_detect(s, &result);
	ok = sweep_is_good(&result);
	for (int i = 0; ok && i < SETTLING; i++) {
		sweeper_poll(s, SWEEP_APPLY, &result);
		ok = sweep_is_good(&result);
	}
	return ok;
}

/* argv: DIR PORT N. Writes the cost of warm sweeps to DIR/warm. */
static int be_measured(char **argv, enum measured how)
{
	struct responder r = {.port = (unsigned)strtoul(argv[1], NULL, 10)};
	unsigned n = (unsigned)strtoul(argv[2], NULL, 10);
	struct sweep_result result;
	struct warm_cost w;
	struct sweeper *s;
	struct plan plan;
	bool ok;

	(void)str_copy(r.dir, sizeof(r.dir), argv[0]);
	plan_init(&plan);
	responder_plan(&r, RESPONDER_HOST, n, &plan);
	for (unsigned i = 0; how == FILTERED && i < n; i++)
		plan.devices.at[i].poll = POLL_WAY_FILTERED;
	s = sweeper_new(&plan, how != FILTERED);
	if (how == COLD)
		sweeper_once(s);
	sweeper_connect(s, &result);
	ok = sweep_is_good(&result);
	if (ok && how == FILTERED)
		ok = settle(s);
	if (ok && how != FILTERED) {
		sweeper_poll(s, SWEEP_APPLY, &result);
		ok = sweep_is_good(&result);
	}
	if (ok && how != COLD)
		ok = sweep_warm(s, n, &w) && write_warm(r.dir, &w);
	sweeper_free(s);
	plan_free(&plan);
	return ok ? 0 : 1;
}

static struct tree_cost run_ourselves(unsigned n, enum measured how)
{
	char port[16], count[16];
	const char *argv[] = {"/proc/self/exe", measured_args[how], devices.dir, port, count, NULL};

	(void)str_printf(port, sizeof(port), "%u", devices.port);
	(void)str_printf(count, sizeof(count), "%u", n);
	return tree_run(argv, LIMIT_S);
}

static bool read_warm(struct warm_cost *w)
{
	char path[128];
	FILE *f;
	bool ok;

	(void)str_printf(path, sizeof(path), "%s/warm", devices.dir);
	f = fopen(path, "re");
	ok = f && fscanf(f, "%lf %lf", &w->cpu_s, &w->bytes) == 2;
	if (f)
		(void)fclose(f);
	(void)unlink(path);
	return ok;
}

/* ---- the others ---- */

static FILE *create(const char *name)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s", devices.dir, name);
	f = fopen(path, "we");
	if (!f)
		bench_fail_errno(path);
	return f;
}

static void prepare(unsigned n)
{
	FILE *f = create("config");
	char address[32];

	(void)fprintf(f,
		"Host *\nPort %u\nUser " RESPONDER_USER "\nIdentityFile %s/id_ed25519\n"
		"IdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile %s/known_hosts\n"
		"GlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\nLogLevel ERROR\n",
		devices.port, devices.dir, devices.dir);
	(void)fclose(f);
	f = create("hosts");
	for (unsigned i = 0; i < n; i++) {
		responder_address(RESPONDER_HOST, i, address, sizeof(address));
		(void)fprintf(f, "%s\n", address);
	}
	(void)fclose(f);
}

/* Runs the script with an empty directory for its output; *bytes: the size of the output. */
static struct tree_cost run_script(const char *script, double *bytes)
{
	static const char empty[] = "rm -rf -- $D/out $D/ansible; mkdir $D/out";
	static const char count[] = "cat $D/out/* | wc -c";
	const char *clear_argv[] = {"sh", "-c", empty, NULL};
	const char *argv[] = {"sh", "-c", script, NULL};
	const char *count_argv[] = {"sh", "-c", count, NULL};
	struct tree_cost c;
	char *text;

	free(run_command(clear_argv, NULL, "", NULL, NULL));
	c = tree_run(argv, LIMIT_S);
	text = run_command(count_argv, NULL, "", NULL, NULL);
	*bytes = text ? strtod(text, NULL) : 0;
	free(text);
	return c;
}

/* A program that did not fetch all the bytes was not as cheap as it looks. */
static bool complete(const char *name, struct tree_cost *c, double bytes, unsigned n)
{
	size_t len;

	free(responder_reply(&devices, RESPONDER_HOST, &len));
	if (c->ok && bytes >= (double)len * n)
		return true;
	(void)fprintf(stderr, "%s: failed, %.0f bytes came instead of %.0f\n", name, bytes,
		(double)len * n);
	return false;
}

static void show(struct figures *f, const char *name, const struct tree_cost *c)
{
	char line[96];

	(void)str_printf(line, sizeof(line), "%s: CPU", name);
	figure(f, line, c->cpu_s, "s", 0);
	(void)str_printf(line, sizeof(line), "  wall");
	figure(f, line, c->wall_s, "s", 0);
	(void)str_printf(line, sizeof(line), "  memory, peak");
	figure(f, line, c->peak_mb, "MB", 0);
}

static void one_peer(struct figures *f, const struct peer *p, unsigned n, double ours)
{
	struct tree_cost c;
	double bytes;

	if (!has_program(p->program)) {
		(void)printf("  %s: not installed (make bench-peers does it)\n", p->name);
		return;
	}
	c = run_script(p->script, &bytes);
	if (!complete(p->name, &c, bytes, n)) {
		figure_none(f, p->name, 1, "failed");
		return;
	}
	show(f, p->name, &c);
	figure_least(f, "  CPU, times ours", c.cpu_s / ours, "times", p->target);
}

/* ---- a master for each device, and commands through it ---- */

struct masters {
	pid_t *pid;
	unsigned n;
};

static char *socket_of(unsigned i)
{
	char address[32], path[128];

	responder_address(RESPONDER_HOST, i, address, sizeof(address));
	(void)str_printf(path, sizeof(path), "%s/cm/%s", devices.dir, address);
	return mem_strdup(path);
}

static bool wait_for_socket(unsigned i)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	int64_t end = clock_mono(&clock_system) + 60 * CLOCK_SEC;
	char *path = socket_of(i);
	struct stat st;
	bool there = false;

	while (!(there = stat(path, &st) == 0) && clock_mono(&clock_system) < end)
		(void)nanosleep(&pause, NULL);
	free(path);
	return there;
}

static bool masters_start(struct masters *m, unsigned n)
{
	char config[128], address[32];
	bool ok = true;

	(void)str_printf(config, sizeof(config), "%s/cm", devices.dir);
	(void)mkdir(config, 0700);
	(void)str_printf(config, sizeof(config), "%s/config", devices.dir);
	*m = (struct masters){.pid = mem_calloc(n, sizeof(*m->pid))};
	for (; ok && m->n < n; m->n++) {
		char *path = socket_of(m->n);
		char *argv[] = {"ssh", "-n", "-F", config, "-M", "-N", "-S", path, address, NULL};

		responder_address(RESPONDER_HOST, m->n, address, sizeof(address));
		ok = posix_spawnp(&m->pid[m->n], "ssh", NULL, NULL, argv, environ) == 0;
		free(path);
		if (ok && m->n >= 32)
			ok = wait_for_socket(m->n - 32);
	}
	for (unsigned i = 0; ok && i < n; i++)
		ok = wait_for_socket(i);
	return ok;
}

static double masters_sum(const struct masters *m, double (*of)(pid_t pid))
{
	double sum = 0;

	for (unsigned i = 0; i < m->n; i++)
		sum += of(m->pid[i]);
	return sum;
}

static void masters_stop(struct masters *m)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->pid[i] > 0)
			(void)kill(m->pid[i], SIGTERM);
	for (unsigned i = 0; i < m->n; i++)
		if (m->pid[i] > 0)
			(void)waitpid(m->pid[i], NULL, 0);
	free(m->pid);
}

struct warm_run {
	struct tree_cost tree;
	struct warm_cost sweep;
	bool ok;
};

static struct warm_run warm_ourselves(
	struct figures *f, const char *name, unsigned n, enum measured how)
{
	struct warm_run r = {.tree = run_ourselves(n, how)};

	r.ok = r.tree.ok && read_warm(&r.sweep);
	if (!r.ok) {
		figure_none(f, name, 1, "failed");
		return r;
	}
	figure(f, name, r.sweep.cpu_s, "s", 0);
	figure(f, "  bytes of an answer", r.sweep.bytes, "bytes", 0);
	figure(f, "  memory, peak", r.tree.peak_mb, "MB", 0);
	return r;
}

static void warm(struct figures *f, unsigned n)
{
	struct warm_run full, filtered;
	struct tree_cost c = {.ok = false};
	double bytes = 0, before;
	struct masters m;

	full = warm_ourselves(f, "warm: this, with parse and model: CPU", n, WARM);
	filtered = warm_ourselves(f, "warm: the same filtered (poll: filtered): CPU", n, FILTERED);
	if (masters_start(&m, n)) {
		before = masters_sum(&m, tree_cpu_of);
		c = run_script(warm_script, &bytes);
		c.cpu_s += masters_sum(&m, tree_cpu_of) - before;
		c.peak_mb += masters_sum(&m, tree_memory_of);
	}
	masters_stop(&m);
	if (!complete("warm ssh", &c, bytes, n)) {
		figure_none(f, "warm: ssh through masters", 1, "failed");
		return;
	}
	show(f, "warm: xargs -P64 ssh through ControlMaster", &c);
	if (full.ok) {
		figure_least(f, "  CPU, times ours", c.cpu_s / full.sweep.cpu_s, "times", 20);
		figure_least(f, "  memory, times ours", c.peak_mb / full.tree.peak_mb, "times", 10);
	}
	if (filtered.ok) {
		figure_least(f, "  CPU, times ours filtered", c.cpu_s / filtered.sweep.cpu_s,
			"times", 100);
		figure_least(f, "  memory, times ours filtered", c.peak_mb / filtered.tree.peak_mb,
			"times", 10);
	}
}

/* As which of them this program was started; false: as itself. */
static bool measured_arg(int argc, char **argv, enum measured *how)
{
	for (*how = COLD; argc == 5 && *how <= FILTERED; (*how)++)
		if (str_eq(argv[1], measured_args[*how]))
			return true;
	return false;
}

static void compare(struct figures *f, unsigned n)
{
	struct tree_cost ours;

	prepare(n);
	ours = run_ourselves(n, COLD);
	if (!ours.ok) {
		figure_none(f, "this", 1, "failed");
		return;
	}
	(void)printf("%u devices, one command each:\n", n);
	show(f, "cold: this, with parse and model", &ours);
	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		one_peer(f, &peers[i], n, ours.cpu_s);
	warm(f, n);
}

int main(int argc, char **argv)
{
	const char *number = getenv("N");
	enum measured how;
	struct figures *f;
	bool ok;

	if (measured_arg(argc, argv, &how))
		return be_measured(argv + 2, how);
	if (!responder_start(&devices, &(struct responder_opts){0}))
		return 1;
	(void)setenv("D", devices.dir, 1);
	f = figures_new("peers");
	if (argc < 2)
		compare(f, number ? (unsigned)strtoul(number, NULL, 10) : 100);
	for (int i = 1; i < argc; i++)
		compare(f, (unsigned)strtoul(argv[i], NULL, 10));
	ok = figures_end(f);
	responder_stop(&devices);
	return ok ? 0 : 1;
}
