/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/log_reports.h"

#include "tests/cases/job_hosts.h"
#include "tests/support/cases.h"

static const char *misread(const struct log_report *r, const struct job_hosts *h)
{
	const struct finding *f = r->id ? job_hosts_found(h, r->id, r->at) : NULL;

	if (!r->id)
		return job_hosts_found(h, "nccl.error", NULL) ? "a finding" : NULL;
	if (!f)
		return job_hosts_found(h, r->id, NULL) ? "at another place" : "no finding";
	if (!job_hosts_says(f, r->says))
		return "other words";
	if (r->also && !job_hosts_says(f, r->also))
		return "less than is known";
	if (f->severity != r->severity)
		return "another severity";
	if (f->role != r->role)
		return "another role";
	return r->not_said && job_hosts_say(h, r->not_said) ? "what it must not say" : NULL;
}

void log_reports_read(int64_t now_us, const struct log_report *list, size_t n)
{
	unsigned bad = 0;

	for (size_t i = 0; i < n; i++) {
		struct job_hosts *h = job_hosts_new(now_us);
		const char *wrong;

		job_hosts_text(h, list[i].log);
		job_hosts_poll(h, 2);
		wrong = misread(&list[i], h);
		if (wrong) {
			print_message("%s: %s\n", list[i].source, wrong);
			job_hosts_print(h, -1);
		}
		bad += wrong != NULL;
		job_hosts_free(h);
	}
	assert_int_equal(bad, 0);
}
