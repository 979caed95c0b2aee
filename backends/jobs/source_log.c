/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/reads.h"
#include "base/str.h"

/*
 * Logs of jobs on their hosts (NCCL_DEBUG, ProcessGroupNCCL): new lines of the files that match
 * path, as they are written. tail -F continues after a log is rotated; -q suppresses file names in
 * between.
 */

#define LOG_CAP     ((size_t)256 << 10)
#define LOG_COMMAND 2048
#define LOG_HEAD    "exec tail -q -n 2000 -F "

static bool log_plan(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
	struct request_list *out, struct err *err)
{
	char command[LOG_COMMAND];
	struct request *r;

	(void)t;
	if (tier != POLL_EVENTS)
		return true;
	if (!job_path_check(j->path ? j->path : "", err))
		return false;
	/* The first lines of a log relate ranks to processes and NICs. */
	(void)str_printf(command, sizeof(command), LOG_HEAD "%s", j->path);
	r = requests_ssh(out, "nccl-log", command, NULL);
	r->cap = LOG_CAP;
	r->follow = true;
	return true;
}

static bool log_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	(void)j;
	(void)t;
	(void)request;
	return nccl_log_parse(bytes, len, out, err);
}

static bool log_reads(const struct request *r)
{
	const char *at = r->command;

	return reads_plain(r) && at && !r->input && r->follow && reads_skip(&at, LOG_HEAD) &&
	       job_path_check(at, NULL);
}

const struct job_source_ops job_source_log = {
	.name = "nccl-log",
	.needs_path = true,
	.plan = log_plan,
	.reads = log_reads,
	.parse = log_parse,
};
