/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/reads.h"
#include "base/buf.h"
#include "base/clock.h"

/*
 * Flight recorder dumps: one file per rank, written when a watchdog fires
 * (TORCH_NCCL_DEBUG_INFO_TEMP_FILE). Dumps of the last day are fetched, each once, eight at a time,
 * none above 16 MB. A pickle is decoded here, so the host runs none of its content.
 */

#define FLIGHT_CAP     ((size_t)130 << 20)
#define FLIGHT_TIMEOUT (60 * CLOCK_SEC)
#define FLIGHT_PATH    "/tmp/nccl_trace_rank_*"

static const char flight_script[] =
	"LC_ALL=C\n"
	"now=$(date +%s)\n"
	"n=0\n"
	"for f in $P; do\n"
	"[ -f \"$f\" ] && [ -r \"$f\" ] || continue\n"
	"set -- $(stat -Lc '%i %Y %s' \"$f\" 2>/dev/null)\n"
	"[ \"$3\" ] || continue\n"
	"[ $((now - $2)) -lt 86400 ] && [ \"$3\" -le 16777216 ] || continue\n"
	"case $K in *\" $1:$2 \"*) echo \"@@file $1 $2 0\"; echo; continue ;; esac\n"
	"[ $n -lt 8 ] || continue\n"
	"n=$((n + 1))\n"
	/* Only the file name contains the rank. */
	"h=\"# $f\"\n"
	"echo \"@@file $1 $2 $(($3 + ${#h} + 1))\"\n"
	"echo \"$h\"\n"
	"head -c \"$3\" \"$f\"\n"
	"echo\n"
	"done\n"
	"echo @@end\n";

static bool flight_plan(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
	struct request_list *out, struct err *err)
{
	const char *path = j->path ? j->path : FLIGHT_PATH;
	struct request *r;

	if (tier != POLL_MEDIUM)
		return true;
	if (!job_path_check(path, err))
		return false;
	r = job_files_ask(out, "flight-recorder", t, path, flight_script);
	r->cap = FLIGHT_CAP;
	r->timeout_us = FLIGHT_TIMEOUT;
	return true;
}

/* Reads one dump; an unreadable dump does not affect the others. */
static void read_dump(const struct job_file *f, struct obs *out)
{
	struct err e = {0};
	struct buf b;

	buf_init(&b, f->len + 1);
	(void)buf_add(&b, f->bytes, f->len);
	if (!nccl_flight_parse(b.data, b.len, out, &e) && out->err.code == ERR_NONE)
		out->err = e;
	buf_free(&b);
}

static bool flight_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct job_memory memory;
	struct job_file f;
	size_t at = 0;

	(void)j;
	(void)request;
	if (!memmem(bytes, len, "@@", 2))
		return err_set(err, ERR_PROTOCOL, t->device,
			"flight-recorder: expected the output of the script");
	job_memory_begin(&memory, out, "flight-recorder");
	while (job_files_next(bytes, len, &at, &f)) {
		if (!f.whole)
			break;
		if (f.len)
			read_dump(&f, out);
		job_memory_add(&memory, f.id, f.number);
	}
	job_memory_end(&memory);
	return true;
}

static bool flight_reads(const struct request *r)
{
	return reads_plain(r) && job_files_reads(r, flight_script);
}

const struct job_source_ops job_source_flight = {
	.name = "flight-recorder",
	.interval_us = 30 * CLOCK_SEC,
	.least_us = 5 * CLOCK_SEC,
	.plan = flight_plan,
	.reads = flight_reads,
	.parse = flight_parse,
};
