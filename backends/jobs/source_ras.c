/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/source.h"
#include "backends/jobs/nccl_parse.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * NCCL's RAS: the processes of a job listen on localhost:28028 of each of its hosts (2.24 and
 * later), and any of them answers for the whole job. Crashes of jobs were reported when 2.26.2 to
 * 2.27.x were polled (NVIDIA/nccl issues 1669, 1718, 1996), and the version shows in the report
 * only. So the report is requested only if the listener knows JSON (2.28.7 and later), unless the
 * inventory says "versions: any". Only one connection is open at a time, and the peer closes it.
 */

#define RAS_PORT    28028
#define RAS_CAP     ((size_t)96 << 20) /* 540 bytes per rank and communicator */
#define RAS_TIMEOUT (20 * CLOCK_SEC)   /* RAS waits 5 s for each frozen process */

static const char ras_hello[] = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\n";
static const char ras_report[] = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\nSTATUS\n";

static bool ras_plan(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
	struct request_list *out, struct err *err)
{
	struct request *r;

	(void)t;
	(void)err;
	if (tier != POLL_MEDIUM)
		return true;
	r = j->any_version
		    ? requests_forward(out, "nccl-ras", RAS_PORT, ras_report, NULL, NULL)
		    : requests_forward(out, "nccl-ras", RAS_PORT, ras_hello, "OK", "STATUS\n");
	r->cap = RAS_CAP;
	r->timeout_us = RAS_TIMEOUT;
	return true;
}

static bool ras_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	(void)request;
	if (j->any_version || !memmem(bytes, len, "ERROR: Unknown command", 22) ||
		memchr(bytes, '{', len))
		return nccl_ras_parse(bytes, len, out, err);
	err_set(err, ERR_UNSUPPORTED, t->device,
		"the RAS of the NCCL job that runs there has no JSON: it is older than 2.28.7");
	return err_cure(err,
		"use NCCL 2.28.7 or later in the job, or add \"versions: any\" to the entry "
		"of jobs: if no job has 2.26.2 to 2.27.x, which may crash on such questions");
}

/* The listener knows more commands; only these are allowed, and only on this port. */
static bool ras_reads(const struct request *r)
{
	bool whole = !r->confirm && !r->confirmed && str_eq(r->input, ras_report);
	bool stepwise = str_eq(r->confirm, "OK") && str_eq(r->confirmed, "STATUS\n") &&
			str_eq(r->input, ras_hello);

	return !r->change && !r->follow && r->forward_port == RAS_PORT && !r->command && !r->path &&
	       !r->body && !r->method && !r->content_type && (whole || stepwise);
}

const struct job_source_ops job_source_ras = {
	.name = "nccl-ras",
	.interval_us = 10 * CLOCK_SEC,
	.least_us = 10 * CLOCK_SEC,
	.elect = true,
	.plan = ras_plan,
	.reads = ras_reads,
	.parse = ras_parse,
};
