/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/facts.h"
#include "backends/contract/reads.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Logs of jobs on their hosts (NCCL_DEBUG, ProcessGroupNCCL): new lines of the files that match
 * path, as they are written. The pattern is expanded again every 20 s: the next job has a log of
 * another name, and then tail begins again with it. tail -F continues after a log is rotated; -q
 * suppresses file names in between. What tail itself says comes in the same output, because it
 * waits for a missing file without an end: GNU coreutils writes "cannot open", busybox "can't
 * open".
 *
 * A job may have run for days before railtop reads its log. So the lines that relate ranks to
 * processes and NICs, and errors, are searched first in what tail does not repeat: in the first
 * 16 MiB and the last 64 MiB of each file. Errors that tail repeats count once. Of the words that
 * healthy jobs say as well the last lines are taken.
 */

#define LOG_CAP     ((size_t)256 << 10)
#define LOG_COMMAND 4096
/* grep's -a: a log may hold any bytes. The lists of words are short because grep is run on MiBs. */
#define LOG_HEAD "{ LC_ALL=C; export LC_ALL; date +@@zone\\ %z; for f in "
#define LOG_SEARCH                                                                                 \
	"; do [ -f \"$f\" ] && [ -r \"$f\" ] || continue; "                                        \
	"g() { if [ $(wc -c <\"$f\") -gt 83886080 ]; "                                             \
	"then head -c 16777216 \"$f\"; echo; tail -c 67108864 \"$f\"; else cat \"$f\"; fi; }; "    \
	"g | grep -a -m 20000 -E \"NCCL INFO .*( - Init COMPLETE|NET/IB ?: Using|Bootstrap ?: "    \
	"Using|NET/OFI Selected|Channel 0*[01](/0)? : .*via NET/)\"; "                             \
	"g | grep -a -m 1000 -E \"NCCL WARN |[Ww]atchdog|Timeout at NCCL work|NCCL error\"; "      \
	"g | grep -a -m 500 -E \"[Cc]onnection (re|clo|timed)|timed out|exited on|exitcode|"       \
	"marked dead|lost comm|retry count|UCX  (ERR|FAT)|non-zero status|srun: err|"              \
	"RuntimeError: | died|SYSTEM_ERROR|NULL value|GID table\"; "                               \
	"g | grep -a -E \"ibv_.*ail|fi_.* fail|rdma_.*ail|DeepEP .*timeout|^[EF][01][0-9]+ |"      \
	"[[][EF][01 ]|slurmstepd: err|Error: |[[]ERROR|_ERR_|(QP|AH|MR|CQ|send|recv).* fail|"      \
	"[Ff]ailed to .*(QP|AH|MR|CQ)|Unable to |Couldn.t |GID is|suitable GID|unresponsive|"      \
	"IX ERR|AL ERR|OOM|Fatal|ssertion|CQE|unreachable|No route|Failed status|Exit code|"       \
	"received signal|RDMA dev|permanently failed|as DEAD\" | tail -n 500; "                    \
	"done; t=; l=; "                                                                           \
	"trap \"kill -9 \\$t \\$z 2>/dev/null; exit 0\" TERM HUP INT; while :; do set -- "
#define LOG_TAIL                                                                                   \
	"; [ \"$*\" = \"$l\" ] || { [ \"$t\" ] && kill -9 $t; l=$*; "                              \
	"{ exec tail -q -n 2000 -F \"$@\"; } & t=$!; }; "                                          \
	"sleep 20 & z=$!; wait $z; kill -0 $t 2>/dev/null || break; done; } 2>&1"

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
	if (!str_printf(command, sizeof(command), "%s%s%s%s%s", LOG_HEAD, j->path, LOG_SEARCH,
		    j->path, LOG_TAIL))
		return err_set(err, ERR_CONFIG, "path", "is too long");
	r = requests_follow(out, "nccl-log", command);
	r->cap = LOG_CAP;
	return true;
}

/* Reads "tail: cannot open '/no/such.log' for reading: No such file or directory". */
static bool read_trouble(const char *line, size_t n, struct obs *out)
{
	char text[512], *why, *file, *end;
	char say[200];

	if (n < 6 || strncmp(line, "tail: ", 6) != 0)
		return false;
	(void)str_copyn(text, sizeof(text), line, n < sizeof(text) ? n : sizeof(text) - 1);
	file = strchr(text, '\'');
	if (file && file > text && file[-1] == 'n') /* busybox: can't */
		file = strchr(file + 1, '\'');
	end = file ? strchr(file + 1, '\'') : NULL;
	why = strrchr(text, ':');
	if (!end || !why || !strstr(text, " open '"))
		return true; /* "has become inaccessible", "file truncated", inotify */
	*end = '\0';
	(void)str_printf(say, sizeof(say), "%.90s: %.40s%s", file + 1, why + 2,
		strstr(why, "ermission") ? "; let railtop's user read it"
					 : "; check path: and that the job writes its log there");
	out->lines.trouble = obs_string(out, say);
	return true;
}

/* Takes the lines of tail out. Returns the number of bytes that remain. */
static size_t take_trouble(char *bytes, size_t len, struct obs *out)
{
	size_t kept = 0, n;

	for (size_t at = 0; at < len; at += n) {
		const char *end = memchr(bytes + at, '\n', len - at);

		n = end ? (size_t)(end - bytes) + 1 - at : len - at;
		if (read_trouble(bytes + at, n - (end != NULL), out))
			continue;
		memmove(bytes + kept, bytes + at, n);
		kept += n;
	}
	bytes[kept] = '\0';
	return kept;
}

static bool log_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	const char *zone = facts_get(t->facts, NCCL_LOG_ZONE);
	char *text;
	bool ok;

	(void)j;
	(void)request;
	if (!memmem(bytes, len, "tail: ", 6))
		return nccl_log_parse_at(bytes, len, zone, out, err);
	text = mem_strndup(bytes, len);
	len = take_trouble(text, len, out);
	ok = nccl_log_parse_at(text, len, zone, out, err);
	free(text);
	return ok;
}

/* The path between two parts of the command, twice the same. */
static bool log_reads(const struct request *r)
{
	char *command = r->command && r->follow ? requests_followed(r->command) : NULL;
	const char *at = command, *end, *again;
	char path[LOG_COMMAND];
	bool ok = reads_plain(r) && !r->input && at && reads_skip(&at, LOG_HEAD);

	end = ok ? strstr(at, LOG_SEARCH) : NULL;
	ok = end && str_copyn(path, sizeof(path), at, (size_t)(end - at)) &&
	     job_path_check(path, NULL);
	if (ok) {
		again = end + strlen(LOG_SEARCH);
		ok = str_starts(again, path) && str_eq(again + strlen(path), LOG_TAIL);
	}
	free(command);
	return ok;
}

const struct job_source_ops job_source_log = {
	.name = "nccl-log",
	.needs_path = true,
	.lines_cure = "the job needs NCCL_DEBUG=INFO or WARN",
	.plan = log_plan,
	.reads = log_reads,
	.parse = log_parse,
};
