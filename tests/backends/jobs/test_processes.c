/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks from the environments of processes: the answer of a host, and the script on a tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/jobs/source.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

static const struct job_source_ops *source(void)
{
	return job_source_by_name("processes");
}

static struct obs *parse(const char *text)
{
	struct plan_jobs j = {0};
	struct target t = {.device = "gpu-1"};
	struct obs *o = obs_new("gpu-1", "processes");
	struct err err = {0};

	if (!source()->parse(&j, &t, "processes", text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	return o;
}

static void expect_rank(const struct obs *o, unsigned nth, int32_t rank, int32_t nranks,
	int32_t pid, int32_t gpu, const char *comm, const char *name)
{
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, nth);

	assert_non_null(r);
	assert_int_equal(r->rank, rank);
	assert_int_equal(r->nranks, nranks);
	assert_int_equal(r->pid, pid);
	assert_int_equal(r->gpu, gpu);
	assert_string_equal(obs_text(o, r->comm), comm);
	assert_string_equal(obs_text(o, r->comm_name), name);
}

/* torchrun below srun: its variables count, and its loader of data is no rank. */
CASE(a_worker_is_a_rank_and_its_children_are_none)
{
	struct obs *o = parse(
		"@@processes 1\n@@devices\ncrw-rw-rw- 1 root root 1, 3 Nov 27 02:50 /dev/null\n"
		"70/fd:\n"
		"71/fd:\nlrwx------ 1 u u 64 Nov 27 02:50 40 -> /dev/nvidia1\n"
		"72/fd:\nlrwx------ 1 u u 64 Nov 27 02:50 40 -> /dev/nvidia1\n"
		"73/fd:\nlrwx------ 1 u u 64 Nov 27 02:50 41 -> /dev/infiniband/uverbs3\n"
		"@@parents\n70/status:PPid:\t1\n71/status:PPid:\t70\n72/status:PPid:\t71\n"
		"73/status:PPid:\t70\n"
		"@@variables\n70/environ:SLURM_PROCID=0\n70/environ:SLURM_NTASKS=2\n"
		"71/environ:SLURM_PROCID=0\n71/environ:SLURM_NTASKS=2\n"
		"71/environ:SLURM_JOB_ID=4711\n71/environ:SLURM_JOB_NAME=train\n"
		"71/environ:RANK=9\n71/environ:WORLD_SIZE=16\n71/environ:LOCAL_RANK=1\n"
		"71/environ:MASTER_ADDR=gpu-0\n71/environ:MASTER_PORT=29500\n"
		"72/environ:RANK=9\n72/environ:WORLD_SIZE=16\n72/environ:LOCAL_RANK=1\n"
		"73/environ:RANK=10\n73/environ:WORLD_SIZE=16\n73/environ:LOCAL_RANK=2\n"
		"73/environ:MASTER_ADDR=gpu-0\n73/environ:MASTER_PORT=29500\n"
		"73/environ:CUDA_VISIBLE_DEVICES=4,5,6,7\n@@end\n");

	assert_int_equal(nccl_records(o, NCCL_RANK), 2);
	expect_rank(o, 0, 9, 16, 71, 1, "gpu-0:29500", "train-4711");
	expect_rank(o, 1, 10, 16, 73, 6, "gpu-0:29500", "gpu-0:29500");
	assert_int_equal(nccl_records(o, NCCL_DONE), 0);
	obs_free(o);
}

CASE(other_launchers)
{
	struct obs *o = parse(
		"@@processes 1\n@@devices\n5/fd:\nl 1 -> /dev/kfd\n6/fd:\nl 1 -> /dev/kfd\n"
		"7/fd:\nl 1 -> /dev/kfd\n8/fd:\nl 1 -> /dev/kfd\n@@parents\n"
		"@@variables\n5/environ:OMPI_COMM_WORLD_RANK=3\n5/environ:OMPI_COMM_WORLD_SIZE=8\n"
		"5/environ:OMPI_COMM_WORLD_LOCAL_RANK=3\n5/environ:PMIX_NAMESPACE=prterun-a-77@1\n"
		"6/environ:SLURM_PROCID=12\n6/environ:SLURM_NTASKS=16\n6/environ:SLURM_LOCALID=4\n"
		"6/environ:SLURM_JOB_ID=81\n6/environ:CUDA_VISIBLE_DEVICES=GPU-8d2f\n"
		/* not of this job, or not of any: more ranks than there are, no number */
		"7/environ:RANK=8\n7/environ:WORLD_SIZE=8\n"
		"8/environ:RANK=-1\n8/environ:WORLD_SIZE=99999999999999999999\n"
		"junk\n/environ:RANK=1\n9/environ:\n@@end\n");

	assert_int_equal(nccl_records(o, NCCL_RANK), 2);
	expect_rank(o, 0, 3, 8, 5, 3, "prterun-a-77@1", "prterun-a-77@1");
	expect_rank(o, 1, 12, 16, 6, -1, "slurm-81", "job-81");
	obs_free(o);
}

CASE(an_environment_that_cannot_be_read_is_said)
{
	static const char text[] = "@@processes 1\n@@hidden 4242\n@@end\n";
	struct plan_jobs j = {0};
	struct target t = {.device = "gpu-1"};
	struct obs *o = obs_new("gpu-1", "processes");
	struct err err = {0};

	assert_false(source()->parse(&j, &t, "processes", text, strlen(text), o, &err));
	assert_int_equal(err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(err.text, "4242"));
	obs_free(o);
	obs_free(parse("@@processes 1\n@@end\n")); /* an idle host */
}

/* ---- the script itself ---- */

static void write_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		fail_msg("%s cannot be written", path);
}

static void add_process(const char *root, int pid, int parent, const char *device,
	const char *environment, size_t n)
{
	char path[512], text[64];

	(void)str_printf(path, sizeof(path), "%s/%d", root, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)str_printf(path, sizeof(path), "%s/%d/fd", root, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)str_printf(path, sizeof(path), "%s/%d/fd/7", root, pid);
	assert_int_equal(symlink(device, path), 0);
	(void)str_printf(path, sizeof(path), "%s/%d/status", root, pid);
	(void)str_printf(text, sizeof(text), "Name:\tpython3\nPPid:\t%d\nUid:\t1\n", parent);
	write_bytes(path, text, strlen(text));
	(void)str_printf(path, sizeof(path), "%s/%d/environ", root, pid);
	write_bytes(path, environment, n);
}

/* What the script prints for a tree of files. */
static char *run_script(const char *root)
{
	struct plan_jobs j = {0};
	struct target t = {.device = "gpu-1"};
	struct request_list list = {0};
	struct err err = {0};
	char path[512], command[1024], *text = mem_calloc(1, 65536);
	FILE *f;
	size_t n;

	assert_true(source()->plan(&j, &t, POLL_MEDIUM, &list, &err));
	assert_int_equal(list.at.n, 1);
	assert_true(source()->reads(&list.at.at[0]));
	(void)str_printf(path, sizeof(path), "%s/script", root);
	write_bytes(path, list.at.at[0].input, strlen(list.at.at[0].input));
	(void)str_printf(command, sizeof(command), "PROC=%s SYS=%s sh -s <%s", root, root, path);
	f = popen(command, "re");
	n = f ? fread(text, 1, 65535, f) : 0;
	if (!f || pclose(f) != 0 || !n)
		fail_msg("the script printed nothing");
	requests_free(&list);
	return text;
}

#define ENVIRON_OF_RANK                                                                            \
	"HOME=/home/u\0API_TOKEN=very-secret\0RANK=3\0WORLD_SIZE=8\0LOCAL_RANK=3\0"                \
	"MASTER_ADDR=gpu-0\0MASTER_PORT=29501\0RANK_SECRET=also-secret\0"                          \
	"XRANK=5\0NOTE=first\nRANK=7\0"

CASE(the_script_prints_named_variables_and_no_others)
{
	char root[] = "/tmp/railtop-proc-XXXXXX", command[64];
	struct obs *o;
	char *text;

	assert_non_null(mkdtemp(root));
	add_process(root, 100, 1, "/dev/nvidia3", ENVIRON_OF_RANK, sizeof(ENVIRON_OF_RANK) - 1);
	add_process(root, 101, 100, "/dev/nvidia3", ENVIRON_OF_RANK, sizeof(ENVIRON_OF_RANK) - 1);
	add_process(root, 102, 1, "/dev/null", "RANK=1\0WORLD_SIZE=8\0",
		sizeof("RANK=1\0WORLD_SIZE=8\0") - 1);
	add_process(root, 103, 1, "/dev/nvidia0", "HOME=/\0", sizeof("HOME=/\0") - 1);
	text = run_script(root);
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, "HOME"));
	assert_null(strstr(text, "NOTE"));
	o = parse(text);
	assert_int_equal(nccl_records(o, NCCL_RANK), 1);
	expect_rank(o, 0, 3, 8, 100, 3, "gpu-0:29501", "gpu-0:29501");
	obs_free(o);
	free(text);
	(void)str_printf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
}

CASES_MAIN(NULL, NULL)
