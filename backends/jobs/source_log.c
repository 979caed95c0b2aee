/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/facts.h"
#include "backends/contract/reads.h"
#include "base/str.h"

/*
 * Logs of jobs on their hosts (NCCL_DEBUG, ProcessGroupNCCL): new lines of the files that match
 * path, as they are written. tail -F continues after a log is rotated; -q suppresses file names in
 * between.
 *
 * A job may have run for days before railtop reads its log. So the lines that relate ranks to
 * processes and NICs, and errors, are searched first in what tail does not repeat: in the first
 * 16 MiB and the last 64 MiB of each file. Errors that tail repeats count once.
 */

#define LOG_CAP     ((size_t)256 << 10)
#define LOG_COMMAND 4096
/* grep's -a: a log may hold any bytes. The lists of words are short because grep is run on MiBs. */
#define LOG_HEAD "exec sh -c 'LC_ALL=C; export LC_ALL; date +@@zone\\ %z; for f in "
#define LOG_SEARCH                                                                                 \
	"; do [ -f \"$f\" ] && [ -r \"$f\" ] || continue; "                                        \
	"g() { if [ $(wc -c <\"$f\") -gt 83886080 ]; "                                             \
	"then head -c 16777216 \"$f\"; echo; tail -c 67108864 \"$f\"; else cat \"$f\"; fi; }; "    \
	"g | grep -a -m 20000 -E \"NCCL INFO .*( - Init COMPLETE|NET/IB ?: Using|Bootstrap ?: "    \
	"Using|NET/OFI Selected|Channel 0*[01](/0)? : .*via NET/)\"; "                             \
	"g | grep -a -m 1000 -E \"NCCL WARN |[Ww]atchdog|Timeout at NCCL work|NCCL error\"; "      \
	"done; exec tail -q -n 2000 -F "

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
	if (!str_printf(
		    command, sizeof(command), "%s%s%s%s'", LOG_HEAD, j->path, LOG_SEARCH, j->path))
		return err_set(err, ERR_CONFIG, "path", "is too long");
	r = requests_ssh(out, "nccl-log", command, NULL);
	r->cap = LOG_CAP;
	r->follow = true;
	return true;
}

static bool log_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	(void)j;
	(void)request;
	return nccl_log_parse_at(bytes, len, facts_get(t->facts, NCCL_LOG_ZONE), out, err);
}

/* The path between two parts of the command, twice the same. */
static bool log_reads(const struct request *r)
{
	const char *at = r->command, *end, *again;
	char path[LOG_COMMAND];
	size_t n;

	if (!reads_plain(r) || !at || r->input || !r->follow || !reads_skip(&at, LOG_HEAD))
		return false;
	end = strstr(at, LOG_SEARCH);
	if (!end || !str_copyn(path, sizeof(path), at, (size_t)(end - at)) ||
		!job_path_check(path, NULL))
		return false;
	again = end + strlen(LOG_SEARCH);
	n = strlen(path);
	return strncmp(again, path, n) == 0 && str_eq(again + n, "'");
}

const struct job_source_ops job_source_log = {
	.name = "nccl-log",
	.needs_path = true,
	.plan = log_plan,
	.reads = log_reads,
	.parse = log_parse,
};
