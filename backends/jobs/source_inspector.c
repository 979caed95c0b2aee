/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "backends/jobs/source_state.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/reads.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * Dumps of the Inspector plugin: one file per process that grows by a line per operation
 * (NCCL_INSPECTOR_DUMP_DIR; live only with NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS). Each
 * poll reads the newest 256 KB at most of the added part of a file. Of a new file it reads 64 KB,
 * if the file was written to within ten minutes.
 */

#define INSPECTOR_CAP     ((size_t)32 << 20)
#define INSPECTOR_TIMEOUT (15 * CLOCK_SEC)

static const char inspector_script[] =
	"now=$(date +%s)\n"
	"for f in $P; do\n"
	"[ -f \"$f\" ] && [ -r \"$f\" ] || continue\n"
	"set -- $(stat -Lc '%i %s %Y' \"$f\" 2>/dev/null)\n"
	"[ \"$3\" ] || continue\n"
	"case $K in\n"
	"*\" $1:\"*) o=${K#*\" $1:\"} o=${o%%' '*} ;;\n"
	"*) o=$2\n"
	"[ $((now - $3)) -lt 600 ] && o=$(($2 > 65536 ? $2 - 65536 : 0)) ;;\n"
	"esac\n"
	"[ \"$o\" -gt \"$2\" ] && o=0\n"
	"[ $(($2 - o)) -gt 262144 ] && o=$(($2 - 262144))\n"
	"n=$(($2 - o))\n"
	"echo \"@@file $1 $o $n\"\n"
	"[ $n -gt 0 ] && tail -c +$((o + 1)) \"$f\" | head -c $n\n"
	"echo\n"
	"done\n"
	"echo @@end\n";

static bool inspector_plan(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
	struct request_list *out, struct err *err)
{
	struct request *r;

	if (tier != POLL_MEDIUM)
		return true;
	if (!job_path_check(j->path ? j->path : "", err))
		return false;
	r = job_files_ask(out, "inspector", t, j->path, inspector_script);
	r->cap = INSPECTOR_CAP;
	r->timeout_us = INSPECTOR_TIMEOUT;
	return true;
}

/* Returns the length up to the end of the last whole line; the rest is read again next time. */
static size_t whole_lines(const struct job_file *f)
{
	const char *last = f->len ? memrchr(f->bytes, '\n', f->len) : NULL;

	return last ? (size_t)(last - f->bytes) + 1 : 0;
}

static void say_no_file(const struct plan_jobs *j, struct obs *out)
{
	char text[160];

	(void)str_printf(text, sizeof(text),
		"no readable file is %.60s; check path: and NCCL_INSPECTOR_DUMP_DIR of the job",
		j->path);
	job_source_say(out, "inspector", VALID_DISABLED, text);
}

static bool inspector_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct job_memory memory;
	struct job_file f;
	struct buf b;
	size_t at = 0, n;
	bool any = false, ok = true, file = false;

	(void)request;
	if (!memmem(bytes, len, "@@", 2))
		return err_set(err, ERR_PROTOCOL, t->device,
			"inspector: expected the output of the script");
	job_memory_begin(&memory, out, "inspector");
	buf_init(&b, INSPECTOR_CAP);
	while (job_files_next(bytes, len, &at, &f)) {
		file = true;
		n = whole_lines(&f);
		(void)buf_add(&b, f.bytes, n);
		job_memory_add(&memory, f.id, f.number + n);
	}
	job_memory_end(&memory);
	if (!file)
		say_no_file(j, out);
	any = b.len > 0;
	if (any)
		ok = nccl_inspector_parse(b.data, b.len, out, err);
	buf_free(&b);
	return ok;
}

static bool inspector_reads(const struct request *r)
{
	return reads_plain(r) && job_files_reads(r, inspector_script);
}

const struct job_source_ops job_source_inspector = {
	.name = "inspector",
	.interval_us = 5 * CLOCK_SEC,
	.least_us = CLOCK_SEC,
	.needs_path = true,
	.plan = inspector_plan,
	.reads = inspector_reads,
	.parse = inspector_parse,
};
