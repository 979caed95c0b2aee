/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/reads.h"
#include "backends/jobs/nccl_private.h"
#include "backends/jobs/source.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The processes of jobs as the kernel of their host shows them, for a job whose log began before
 * railtop and that answers no RAS: the variables that torchrun, Slurm, Open MPI and PMI set say
 * which process is which rank.
 *
 * An environment holds secrets. grep on the host prints the variables below and nothing else; no
 * other variable leaves the host, and none is kept here beyond the records. Environments of other
 * users are readable by root alone: what cannot be read is passed over.
 */

#define PROCESSES_CAP     ((size_t)4 << 20)
#define PROCESSES_TIMEOUT (20 * CLOCK_SEC)
#define PROCESSES_MOST    4096
#define VALUE_LEN         96

/* clang-format off */
static const char processes_script[] =
	"cd \"${PROC:-/proc}\" 2>/dev/null || exit 0\n"
	"LC_ALL=C\n"
	"export LC_ALL\n"
	"echo @@processes 1\n"
	"set -- $(grep -slzE '^(RANK|SLURM_PROCID|OMPI_COMM_WORLD_RANK|PMI_RANK)=[0-9]'"
	" [0-9]*/environ | head -n 4000)\n"
	"e= d= s=\n"
	"for f do\n"
	"e=\"$e $f\" d=\"$d ${f%environ}fd\" s=\"$s ${f%environ}status\"\n"
	"done\n"
	"[ \"$e\" ] && {\n"
	"echo @@devices\n"
	"ls -l /dev/null $d 2>/dev/null"
	" | grep -E '^[0-9]+/fd:$|/dev/(nvidia[0-9]+|kfd|infiniband/uverbs[0-9]+)$'\n"
	"echo @@parents\n"
	"grep -sH '^PPid:' $s\n"
	"echo @@variables\n"
	"grep -szHE '^(RANK|WORLD_SIZE|LOCAL_RANK|MASTER_ADDR|MASTER_PORT|CUDA_VISIBLE_DEVICES"
	"|SLURM_PROCID|SLURM_NTASKS|SLURM_LOCALID|SLURM_JOB_ID|SLURM_JOB_NAME"
	"|OMPI_COMM_WORLD_RANK|OMPI_COMM_WORLD_SIZE|OMPI_COMM_WORLD_LOCAL_RANK"
	"|PMIX_NAMESPACE|PMI_RANK|PMI_SIZE)=' $e | tr '\\0' '\\n'\n"
	"}\n"
	/* Without the right to read them there are none: is a GPU in use nevertheless? */
	"[ \"$e\" ] || {\n"
	"t=\n"
	"command -v timeout >/dev/null 2>&1 && t='timeout 10'\n"
	"h=$(ls \"${SYS:-/sys}/class/kfd/kfd/proc\" 2>/dev/null | head -n 1)\n"
	"[ \"$h\" ] || h=$($t nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null"
	" | grep -E '^[0-9]+$' | head -n 1)\n"
	"[ \"$h\" ] && echo \"@@hidden $h\"\n"
	"}\n"
	"echo @@end\n";
/* clang-format on */

/* In the order of trust: a launcher within another one sets its own beside the outer ones. */
enum launcher { LAUNCHER_TORCH, LAUNCHER_MPI, LAUNCHER_SLURM, LAUNCHER_PMI, LAUNCHERS };

struct process {
	int32_t pid, parent;
	bool has_device; /* a GPU or an RDMA device is open */
	int32_t rank[LAUNCHERS], size[LAUNCHERS], local[LAUNCHERS]; /* -1 */
	char address[VALUE_LEN], port[8], devices[VALUE_LEN], job[VALUE_LEN], name[VALUE_LEN];
	char space[VALUE_LEN]; /* of PMIx: one for each job */
};

struct processes {
	struct process at[PROCESSES_MOST];
	unsigned n;
	enum { PART_NONE, PART_DEVICES, PART_PARENTS, PART_VARIABLES } part;
	struct process *now; /* of the devices that follow; NULL */
	int64_t hidden;      /* a process that uses a GPU, while no environment can be read; 0 */
	bool begun, ended;
};

static struct process *find_process(struct processes *p, int32_t pid)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->at[i].pid == pid)
			return &p->at[i];
	return NULL;
}

static struct process *process_of(struct processes *p, int64_t pid)
{
	struct process *found;

	if (pid <= 0 || pid >= INT32_MAX)
		return NULL;
	found = find_process(p, (int32_t)pid);
	if (found || p->n >= PROCESSES_MOST)
		return found;
	found = &p->at[p->n++];
	*found = (struct process){.pid = (int32_t)pid, .parent = -1};
	for (unsigned i = 0; i < LAUNCHERS; i++)
		found->rank[i] = found->size[i] = found->local[i] = -1;
	return found;
}

static void set_number(int32_t *out, const char *value, int32_t limit)
{
	int64_t n;

	if (isdigit((unsigned char)*value) && scan_int(&value, &n) && !*value && n < limit)
		*out = (int32_t)n;
}

/* Of a repeated variable the first counts, as for getenv(3). */
static void set_text(char *dst, size_t size, const char *value)
{
	if (!*dst)
		(void)str_copy(dst, size, value);
}

static void read_variable(struct process *p, const char *name, const char *value)
{
	static const struct {
		const char *name;
		enum launcher launcher;
		char what;
	} numbers[] = {{"RANK", LAUNCHER_TORCH, 'r'}, {"WORLD_SIZE", LAUNCHER_TORCH, 's'},
		{"LOCAL_RANK", LAUNCHER_TORCH, 'l'}, {"OMPI_COMM_WORLD_RANK", LAUNCHER_MPI, 'r'},
		{"OMPI_COMM_WORLD_SIZE", LAUNCHER_MPI, 's'},
		{"OMPI_COMM_WORLD_LOCAL_RANK", LAUNCHER_MPI, 'l'},
		{"SLURM_PROCID", LAUNCHER_SLURM, 'r'}, {"SLURM_NTASKS", LAUNCHER_SLURM, 's'},
		{"SLURM_LOCALID", LAUNCHER_SLURM, 'l'}, {"PMI_RANK", LAUNCHER_PMI, 'r'},
		{"PMI_SIZE", LAUNCHER_PMI, 's'}};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		enum launcher by = numbers[i].launcher;

		if (!str_eq(name, numbers[i].name))
			continue;
		if (numbers[i].what == 'r')
			set_number(&p->rank[by], value, NCCL_RANKS_MAX);
		else if (numbers[i].what == 's')
			set_number(&p->size[by], value, NCCL_RANKS_MAX + 1);
		else
			set_number(&p->local[by], value, NCCL_GPUS_MAX);
		return;
	}
	if (str_eq(name, "MASTER_ADDR"))
		set_text(p->address, sizeof(p->address), value);
	else if (str_eq(name, "MASTER_PORT"))
		set_text(p->port, sizeof(p->port), value);
	else if (str_eq(name, "CUDA_VISIBLE_DEVICES"))
		set_text(p->devices, sizeof(p->devices), value);
	else if (str_eq(name, "SLURM_JOB_ID"))
		set_text(p->job, sizeof(p->job), value);
	else if (str_eq(name, "SLURM_JOB_NAME"))
		set_text(p->name, sizeof(p->name), value);
	else if (str_eq(name, "PMIX_NAMESPACE"))
		set_text(p->space, sizeof(p->space), value);
}

/* "4711/environ:RANK=3" */
static void read_environment(struct processes *p, const char *line)
{
	const char *at = line, *equals;
	struct process *of;
	int64_t pid;
	char name[40];

	if (!scan_int(&at, &pid) || !str_starts(at, "/environ:"))
		return;
	at += strlen("/environ:");
	equals = strchr(at, '=');
	of = process_of(p, pid);
	if (of && equals && str_copyn(name, sizeof(name), at, (size_t)(equals - at)))
		read_variable(of, name, equals + 1);
}

static void read_parent(struct processes *p, const char *line)
{
	const char *at = line;
	struct process *of;
	int64_t pid, parent;

	if (!scan_int(&at, &pid) || !str_starts(at, "/status:PPid:"))
		return;
	at += strlen("/status:PPid:");
	of = process_of(p, pid);
	if (of && scan_int(&at, &parent) && parent < INT32_MAX)
		of->parent = (int32_t)parent;
}

static void read_device(struct processes *p, const char *line)
{
	const char *at = line;
	int64_t pid;

	if (scan_int(&at, &pid) && str_eq(at, "/fd:"))
		p->now = process_of(p, pid);
	else if (p->now && strstr(line, " -> /dev/"))
		p->now->has_device = true;
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct processes *p = ctx;
	char line[512];

	(void)str_copyn(line, sizeof(line), bytes, n < sizeof(line) - 1 ? n : sizeof(line) - 1);
	if (str_starts(line, "@@processes 1")) {
		p->begun = true;
	} else if (str_starts(line, "@@hidden ")) {
		p->hidden = scan_after(line, "@@hidden ", INT32_MAX);
	} else if (str_eq(line, "@@devices")) {
		p->part = PART_DEVICES;
	} else if (str_eq(line, "@@parents")) {
		p->part = PART_PARENTS;
	} else if (str_eq(line, "@@variables")) {
		p->part = PART_VARIABLES;
	} else if (str_eq(line, "@@end")) {
		p->ended = true;
	} else if (p->part == PART_DEVICES) {
		read_device(p, line);
	} else if (p->part == PART_PARENTS) {
		read_parent(p, line);
	} else if (p->part == PART_VARIABLES) {
		read_environment(p, line);
	}
	return true;
}

/* Its launcher; LAUNCHERS: it does not say which rank of how many it is. */
static enum launcher launcher_of(const struct process *p)
{
	enum launcher by = LAUNCHER_TORCH;

	while (by < LAUNCHERS &&
		(p->rank[by] < 0 || p->size[by] <= 0 || p->rank[by] >= p->size[by]))
		by++;
	return by;
}

/* Loaders of data and other children inherit the variables and the open devices. */
static bool is_child_of_rank(struct processes *all, const struct process *p)
{
	const struct process *parent = find_process(all, p->parent);
	enum launcher by = launcher_of(p);

	return parent && parent->has_device && by < LAUNCHERS && parent->rank[by] == p->rank[by];
}

/* The NVML index of CUDA's device; -1: unknown. */
static int32_t gpu_of(const struct process *p, int32_t local)
{
	const char *at = p->devices;
	int64_t n;

	if (!*at || local < 0)
		return local;
	/* One device each: a launcher within a launcher. */
	for (int32_t i = 0; i < local && strchr(at, ','); i++)
		at = strchr(at, ',') + 1;
	return scan_int(&at, &n) && (!*at || *at == ',') && n < NCCL_GPUS_MAX ? (int32_t)n : -1;
}

static void add_rank(struct obs *out, const struct process *p, enum launcher by)
{
	struct obs_nccl *r = nccl_add(out, NCCL_RANK, SOURCE_PROCESSES);
	char id[2 * VALUE_LEN + 16] = "world", name[2 * VALUE_LEN + 16] = "";

	if (!r)
		return;
	if (*p->address)
		(void)str_printf(id, sizeof(id), "%s:%s", p->address, p->port);
	else if (*p->job)
		(void)str_printf(id, sizeof(id), "slurm-%s", p->job);
	else if (*p->space)
		(void)str_copy(id, sizeof(id), p->space);
	if (*p->job)
		(void)str_printf(name, sizeof(name), "%s-%s", *p->name ? p->name : "job", p->job);
	else if (!str_eq(id, "world"))
		(void)str_copy(name, sizeof(name), id);
	r->comm = obs_string(out, id);
	r->comm_name = obs_string(out, name);
	r->rank = p->rank[by];
	r->nranks = p->size[by];
	r->pid = p->pid;
	r->local_gpu = p->local[by];
	r->gpu = gpu_of(p, p->local[by]);
}

static bool processes_read(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct processes *p = mem_calloc(1, sizeof(*p));
	unsigned ranks = 0;
	bool ok;

	(void)nccl_lines(bytes, len, read_line, p);
	for (unsigned i = 0; i < p->n; i++) {
		enum launcher by = launcher_of(&p->at[i]);

		if (by == LAUNCHERS || !p->at[i].has_device || is_child_of_rank(p, &p->at[i]))
			continue;
		add_rank(out, &p->at[i], by);
		ranks++;
	}
	ok = p->begun && p->ended;
	if (!ok)
		err_set(err, ERR_PROTOCOL, out->device,
			"expected the list of processes from /proc: grep there has no -z");
	if (ok && !ranks && p->hidden > 0) {
		err_set(err, ERR_UNAUTHORISED, out->device,
			"process %lld uses a GPU there, and its environment cannot be read",
			(long long)p->hidden);
		ok = err_cure(err, "let railtop log in as the job's user or as root");
	}
	free(p);
	return ok;
}

static bool processes_plan(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
	struct request_list *out, struct err *err)
{
	struct request *r;

	(void)j;
	(void)t;
	(void)err;
	if (tier != POLL_MEDIUM)
		return true;
	r = requests_ssh(out, "processes", "sh -s", processes_script);
	r->cap = PROCESSES_CAP;
	r->timeout_us = PROCESSES_TIMEOUT;
	return true;
}

static bool processes_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	(void)j;
	(void)t;
	(void)request;
	return processes_read(bytes, len, out, err);
}

static bool processes_reads(const struct request *r)
{
	return reads_plain(r) && str_eq(r->command, "sh -s") && str_eq(r->input, processes_script);
}

const struct job_source_ops job_source_processes = {
	.name = "processes",
	.interval_us = 60 * CLOCK_SEC,
	.least_us = 10 * CLOCK_SEC,
	.plan = processes_plan,
	.reads = processes_reads,
	.parse = processes_parse,
};
