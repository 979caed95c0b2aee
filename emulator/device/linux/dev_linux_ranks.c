/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* The processes of jobs, one per rank, and their files in /proc. */

void linux_ranks(const struct machine *m, linux_rank_fn each, void *arg)
{
	struct sim_job_view job;
	struct sim_rank_view rank;
	size_t i, n = linux_is_switch(m->d) ? 0 : sim_job_count(m->ctx->sim);
	unsigned r;

	for (i = 0; i < n; i++) {
		sim_job(m->ctx->sim, i, &job);
		for (r = 0; r < job.nranks; r++) {
			sim_rank(m->ctx->sim, i, r, &rank);
			if (rank.host == m->d)
				each(arg, &job, &rank);
		}
	}
}

struct process {
	uint64_t pid;
	bool found;
	struct sim_job_view job;
	struct sim_rank_view rank;
};

static void match_pid(void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	struct process *p = arg;

	if (rank->pid != p->pid || rank->dead)
		return;
	p->found = true;
	p->job = *job;
	p->rank = *rank;
}

/* Parses "/proc/4711" or a file below it; *file: the rest after the number, "" or "/environ". */
static bool process_of(void *ctx, const char *path, struct process *p, const char **file)
{
	char digits[24];
	size_t n;

	if (!str_starts(path, "/proc/"))
		return false;
	path += strlen("/proc/");
	n = strspn(path, "0123456789");
	*file = path + n;
	if (!n || (**file && **file != '/') || !str_copyn(digits, sizeof(digits), path, n) ||
		!str_to_u64(digits, &p->pid))
		return false;
	p->found = false;
	linux_ranks(ctx, match_pid, p);
	return p->found;
}

static void add_variable(struct buf *out, const char *name, const char *value)
{
	(void)buf_adds(out, name);
	(void)buf_adds(out, value);
	(void)buf_add(out, "", 1);
}

static void add_number(struct buf *out, const char *name, uint64_t v)
{
	(void)buf_adds(out, name);
	add_u64(out, v);
	(void)buf_add(out, "", 1);
}

/* NCCL_IB_HCA: the RDMA devices of the backend. */
static void add_devices(const struct sim_device *d, struct buf *out)
{
	const char *between = "=";
	char name[24];

	(void)buf_adds(out, "NCCL_IB_HCA=");
	for (unsigned i = 0; i < d->nports; i++) {
		if (!linux_is_rdma(d, &d->ports[i]) || d->ports[i].net != NET_BACKEND)
			continue;
		linux_rdma_name(d, &d->ports[i], name);
		(void)buf_addf(out, "%s%s", between, name);
		between = ",";
	}
	(void)buf_add(out, "", 1);
}

/* Rank 0 of the job listens on its host. */
static const char *master_of(const struct machine *m, const struct sim_job_view *job)
{
	struct sim_job_view other;
	struct sim_rank_view rank;

	for (size_t i = 0; i < sim_job_count(m->ctx->sim); i++) {
		sim_job(m->ctx->sim, i, &other);
		if (other.id != job->id)
			continue;
		sim_rank(m->ctx->sim, i, 0, &rank);
		return rank.host->name;
	}
	return "";
}

static void add_environment(const struct machine *m, const struct process *p, struct buf *out)
{
	add_variable(out, "PATH=", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	add_number(out, "RANK=", p->rank.rank);
	add_number(out, "LOCAL_RANK=", p->rank.gpu);
	add_number(out, "WORLD_SIZE=", p->job.nranks);
	add_variable(out, "MASTER_ADDR=", master_of(m, &p->job));
	add_number(out, "MASTER_PORT=", 29400 + p->job.id % 1000);
	add_number(out, "LOCAL_WORLD_SIZE=", p->job.gpus_per_host);
	add_number(out, "SLURM_PROCID=", p->rank.rank);
	add_number(out, "SLURM_LOCALID=", p->rank.gpu);
	add_number(out, "SLURM_JOB_ID=", p->job.id);
	add_variable(out, "SLURM_JOB_NAME=", p->job.name);
	add_devices(p->rank.host, out);
	add_variable(out, "NCCL_IB_GID_INDEX=", "3");
	add_number(out, "NCCL_IB_TC=", ROCE_DSCP << 2);
	add_variable(out, "NCCL_IB_QPS_PER_CONNECTION=", "4");
	add_variable(out, "NCCL_DEBUG=", p->rank.host->nccl.info ? "INFO" : "WARN");
}

static enum shell_kind fs_stat(void *ctx, const char *path)
{
	struct process p;
	const char *file;

	if (!process_of(ctx, path, &p, &file))
		return vfs_shell_fs.stat(ctx, path);
	if (!*file)
		return SHELL_DIR;
	if (!strcmp(file, "/fd"))
		return SHELL_DIR;
	return !strcmp(file, "/environ") || !strcmp(file, "/comm") || !strcmp(file, "/cmdline") ||
			       !strcmp(file, "/status")
		       ? SHELL_FILE
		       : SHELL_NONE;
}

static int fs_read(void *ctx, const char *path, struct buf *out)
{
	struct process p;
	const char *file;

	if (!process_of(ctx, path, &p, &file))
		return vfs_shell_fs.read(ctx, path, out);
	if (!*file || !strcmp(file, "/fd"))
		return EISDIR;
	if (!strcmp(file, "/status"))
		(void)buf_addf(out, "Name:\tpython3\nPid:\t%u\nPPid:\t1\n", p.rank.pid);
	else if (!strcmp(file, "/environ"))
		add_environment(ctx, &p, out);
	else if (!strcmp(file, "/comm"))
		(void)buf_adds(out, "python3\n");
	else if (!strcmp(file, "/cmdline"))
		(void)buf_add(out, "python3\0-u\0train.py", 20);
	else
		return ENOENT;
	return 0;
}

struct lister {
	shell_name_fn each;
	void *arg;
};

static void list_process(
	void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	struct lister *l = arg;
	char name[16];

	(void)job;
	if (rank->dead)
		return;
	(void)str_printf(name, sizeof(name), "%u", rank->pid);
	l->each(l->arg, name);
}

static bool fs_list(void *ctx, const char *path, shell_name_fn each, void *arg)
{
	struct lister l = {each, arg};
	struct process p;
	const char *file;

	if (process_of(ctx, path, &p, &file) && !strcmp(file, "/fd")) {
		each(arg, "31"); /* its GPU */
		return true;
	}
	if (process_of(ctx, path, &p, &file)) {
		each(arg, "cmdline");
		each(arg, "comm");
		each(arg, "environ");
		each(arg, "fd");
		each(arg, "status");
		return !*file;
	}
	/* A pattern that is matched there asks for "/proc/", or "/proc/." after cd. */
	if (!strcmp(path, "/proc") || !strcmp(path, "/proc/") || !strcmp(path, "/proc/."))
		linux_ranks(ctx, list_process, &l);
	return vfs_shell_fs.list(ctx, path, each, arg);
}

static bool fs_link(void *ctx, const char *path, bool final, struct buf *out)
{
	struct process p;
	const char *file;

	if (!process_of(ctx, path, &p, &file))
		return vfs_shell_fs.link(ctx, path, final, out);
	if (!strcmp(file, "/fd/31")) {
		(void)buf_addf(out, "/dev/nvidia%u", p.rank.gpu);
		return true;
	}
	if (!final)
		return false;
	(void)buf_adds(out, path);
	return true;
}

const struct shell_fs linux_fs = {fs_stat, fs_read, fs_list, fs_link};
