/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/jobs_heard.h"

#include <string.h>

#include "app/headless/headless.h"
#include "backends/jobs/source.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/job.h"
#include "fabric/vocabulary/need.h"

/* The begin of a log is searched before its new lines come. */
#define LOG_BEGIN_US (5 * CLOCK_SEC)

/* The devices that an entry of jobs: asks. */
struct asked {
	const struct model *m;
	const struct job_source_ops *ops;
	size_t devices;
	const char *one; /* the name of the last one */
	bool all;        /* each has answered or failed */
};

/* Whether a list of needs has the state of the source, which comes with its first answer. */
static bool has_state(const struct capability_list *list, const char *source)
{
	char need[48];

	(void)str_printf(need, sizeof(need), NEED_JOB_SOURCE "%s", source);
	for (size_t i = 0; i < list->n; i++)
		if (str_starts(list->at[i].need, need))
			return true;
	return false;
}

static bool has_answered(const struct asked *a, const struct device *d)
{
	if (d->err->code != ERR_NONE && headless_unreached(d))
		return true;
	/* Another host of its job answers for it. */
	if (a->ops->elect && model_job_of(a->m, d->id) != JOB_NONE)
		return true;
	if (!has_state(&d->caps, a->ops->name))
		return false;
	return !a->ops->lines_cure || d->last_ok_us - d->heard_us >= LOG_BEGIN_US;
}

static void ask_device(struct asked *a, const struct device *d)
{
	/* No other is asked for jobs. */
	if (!str_eq(d->transport, "ssh"))
		return;
	a->devices++;
	a->one = d->name;
	a->all = a->all && has_answered(a, d);
}

static void on_name(void *ctx, const char *name)
{
	struct asked *a = ctx;
	const struct device *d = model_device(a->m, name);

	if (d)
		ask_device(a, d);
}

static bool entry_heard(const struct plan_jobs *j, const struct model *m, char *dst, size_t size)
{
	struct asked a = {.m = m, .ops = job_source_by_name(j->source), .all = true};
	struct err ignored;

	(void)str_copy(dst, size, j->source);
	if (!a.ops || a.ops->paths || a.ops->local)
		return a.ops && has_state(&m->sources, a.ops->name);
	if (j->hosts)
		(void)hostlist_expand(j->hosts, m->devices.n + 1, on_name, &a, &ignored);
	for (size_t i = 0; !j->hosts && i < m->devices.n; i++)
		if (m->devices.at[i]->tier == TIER_HOST)
			ask_device(&a, m->devices.at[i]);
	if (a.devices == 1)
		(void)str_printf(dst, size, "%s on %s", j->source, a.one);
	else
		(void)str_printf(dst, size, "%s on %zu hosts", j->source, a.devices);
	return a.all;
}

bool jobs_heard(const struct plan *plan, const struct model *m, char *asked, size_t size)
{
	char one[160];
	bool all = plan->jobs.n > 0;

	if (size)
		asked[0] = '\0';
	for (size_t i = 0; i < plan->jobs.n && all; i++) {
		all = entry_heard(&plan->jobs.at[i], m, one, sizeof(one));
		(void)str_printf(asked + strlen(asked), size - strlen(asked), "%s%s",
			*asked ? ", " : "", one);
	}
	return all;
}
