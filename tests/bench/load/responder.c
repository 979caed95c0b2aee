/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/fail.h"
#include "tests/bench/load/responder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/contract/backend.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/tree.h"
#include "tests/support/plan_make.h"
#include "tests/support/run_command.h"

#define PER_NET 250U
/* Sessions of a worker, where the limit of descriptors allows it: CPU is shared out, too. */
#define PER_WORKER 2600U

static const char *const names[] = RESPONDER_NAMES;
static const char *const dialects[] = RESPONDER_DIALECTS;

static bool complain(const char *what)
{
	perror(what);
	return false;
}

static bool write_text(const char *dir, const char *name, const char *what, const char *text)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s.%s", dir, name, what);
	f = fopen(path, "we");
	if (!f)
		return complain(path);
	(void)fputs(text, f);
	return fclose(f) == 0;
}

/* The dialect's requests in each poll of a device that it knows nothing about yet. */
static bool write_payload(const char *dir, enum responder_kind kind)
{
	struct target t = {.device = "device",
		.tier = kind == RESPONDER_HOST ? TIER_HOST : TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.lossless = 1U << 3};
	struct request_list list = {0};
	struct err err = {0};
	const struct request *r;
	bool ok;

	ok = backend_by_name(dialects[kind])->plan(&t, POLL_FAST, &list, &err) && list.at.n == 1;
	if (ok) {
		r = &list.at.at[0];
		ok = write_text(dir, names[kind], "command", r->command) &&
		     write_text(dir, names[kind], "input", r->input ? r->input : "");
	}
	requests_free(&list);
	return ok;
}

static bool map_counts(struct responder *r)
{
	char path[128];
	void *at;
	int fd;

	(void)str_printf(path, sizeof(path), "%s/" RESPONDER_COUNTS, r->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain(path);
	at = mmap(NULL, sizeof(*r->counts), PROT_READ, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (at == MAP_FAILED)
		return complain(path);
	r->counts = at;
	return true;
}

static bool start_program_in(struct responder *r, const struct responder_opts *o)
{
	char step[24], think[24], workers[16];
	char *argv[] = {"tests/bench/responder/responder", r->dir, step, think, workers, NULL};

	(void)str_printf(
		step, sizeof(step), "%lld", (long long)(o->step_us ? o->step_us : 5 * CLOCK_SEC));
	(void)str_printf(think, sizeof(think), "%lld", (long long)o->think_us);
	(void)str_printf(workers, sizeof(workers), "%u", o->workers ? o->workers : 1);
	return program_start(&r->program, argv) && map_counts(r);
}

unsigned responder_workers(unsigned n)
{
	struct rlimit l;
	unsigned each = 400;

	/* The shares are not quite even, and some devices reconnect before their old session is
	 * gone. */
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_max != RLIM_INFINITY)
		each = (unsigned)(l.rlim_max / 3);
	return n / (each < PER_WORKER ? each : PER_WORKER) + 1;
}

double responder_cpu_s(const struct responder *r)
{
	double sum = 0;

	for (int i = 0; i < RESPONDER_WORKERS_MOST && r->counts->worker[i]; i++)
		sum += tree_cpu_of(r->counts->worker[i]);
	return sum;
}

bool responder_start(struct responder *r, const struct responder_opts *o)
{
	*r = (struct responder){.program = {.pid = -1, .life = -1}};
	(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-bench-XXXXXX");
	if (!mkdtemp(r->dir))
		return complain("/tmp");
	for (int k = 0; k < RESPONDER_KINDS; k++)
		if (!write_payload(r->dir, (enum responder_kind)k))
			return false;
	if (start_program_in(r, o)) {
		r->port = r->program.port;
		return true;
	}
	(void)fprintf(stderr, "the responder did not start\n");
	responder_stop(r);
	return false;
}

void responder_stop(struct responder *r)
{
	const char *remove_it[] = {"rm", "-rf", "--", r->dir, NULL};

	program_stop(&r->program);
	if (r->counts)
		(void)munmap((void *)(uintptr_t)r->counts, sizeof(*r->counts));
	r->counts = NULL;
	free(run_command(remove_it, NULL, "", NULL, NULL));
}

void responder_address(enum responder_kind kind, unsigned i, char *dst, size_t size)
{
	(void)str_printf(dst, size, "127.%u.%u.%u", RESPONDER_NET + (unsigned)kind, i / PER_NET,
		i % PER_NET + 1);
}

static char *in_dir(const struct responder *r, const char *name)
{
	char path[128];

	(void)str_printf(path, sizeof(path), "%s/%s", r->dir, name);
	return mem_strdup(path);
}

void responder_plan(
	const struct responder *r, enum responder_kind kind, unsigned n, struct plan *plan)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32], address[32];
		struct plan_device *d;

		(void)str_printf(
			name, sizeof(name), kind == RESPONDER_HOST ? "node%05u" : "leaf-%05u", i);
		responder_address(kind, i, address, sizeof(address));
		d = plan_make_device(plan, name, kind == RESPONDER_HOST ? TIER_HOST : TIER_LEAF,
			kind == RESPONDER_HOST ? -1 : (int)(i % 8));
		free(d->address);
		d->address = mem_strdup(address);
		d->port = r->port;
		d->user = mem_strdup(RESPONDER_USER);
		d->identity = in_dir(r, "id_ed25519");
		d->known_hosts = in_dir(r, "known_hosts");
		d->ssh_config = in_dir(r, "ssh_config");
	}
}

char *responder_reply(const struct responder *r, enum responder_kind kind, size_t *len)
{
	char path[128];
	char *text = mem_alloc((size_t)16 << 20);
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s.reply", r->dir, names[kind]);
	f = fopen(path, "re");
	*len = f ? fread(text, 1, (size_t)16 << 20, f) : 0;
	if (!*len)
		bench_fail("%s cannot be read", path);
	(void)fclose(f);
	return text;
}
