/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/source.h"
#include "backends/jobs/nccl_parse.h"
#include "base/clock.h"

/* A file of this machine that lists jobs and their hosts: "JOB: node[000-031]" per line. */

static bool file_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	(void)j;
	(void)t;
	(void)request;
	return nccl_jobs_parse(bytes, len, out, err);
}

const struct job_source_ops job_source_file = {
	.name = "file",
	.interval_us = 30 * CLOCK_SEC,
	.least_us = CLOCK_SEC,
	.local = true,
	.needs_path = true,
	.parse = file_parse,
};
