/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_LOG_REPORTS_H
#define TESTS_CASES_LOG_REPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "diagnosis/engine/finding.h"

/* A log of a job from a public report, and its right reading on the hosts of job_hosts.h. */
struct log_report {
	const char *source, *log;
	const char *id;          /* of the finding that must be there; NULL: there must be none */
	const char *at;          /* NULL: anywhere */
	const char *says, *also; /* in its title or evidence; also may be NULL */
	enum severity severity;
	enum finding_role role;
	const char *not_said; /* in no finding; NULL */
};

/* Reads each log alone on node-a, prints those that are read wrongly, and fails if there is one. */
void log_reports_read(int64_t now_us, const struct log_report *list, size_t n);

#endif
