/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/source.h"

#include "base/str.h"

#define JOB_SOURCE(id, name) extern const struct job_source_ops job_source_##id;
#include "backends/jobs/sources.def"
#undef JOB_SOURCE

const struct job_source_ops *const job_source_table[] = {
#define JOB_SOURCE(id, name) &job_source_##id,
#include "backends/jobs/sources.def"
#undef JOB_SOURCE
};
const size_t job_source_count = sizeof(job_source_table) / sizeof(job_source_table[0]);

const struct job_source_ops *job_source_by_name(const char *name)
{
	for (size_t i = 0; i < job_source_count; i++)
		if (str_eq(job_source_table[i]->name, name))
			return job_source_table[i];
	return NULL;
}

const char *job_source_names(void)
{
	static const char names[] =
#define JOB_SOURCE(id, name) ", " name
#include "backends/jobs/sources.def"
#undef JOB_SOURCE
		;

	return names + 2;
}

int64_t job_source_interval(const struct job_source_ops *ops, const struct plan_jobs *j)
{
	int64_t every = j->interval_us ? j->interval_us : ops->interval_us;

	return every > ops->least_us ? every : ops->least_us;
}
