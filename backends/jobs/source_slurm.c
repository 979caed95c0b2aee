/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/source.h"
#include "backends/jobs/source_state.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/reads.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * Slurm's running jobs, read on a host where squeue works: its controller or a login node. A
 * controller with a long memory of jobs takes minutes for its JSON, and some builds have none:
 * then the lines of the plain squeue, which lack the number of tasks.
 */

#define SLURM_CAP ((size_t)32 << 20)
/* clang-format off */
#define SLURM_SCRIPT                                                                               \
	"T=\n"                                                                                     \
	"command -v timeout >/dev/null 2>&1 && T='timeout 20'\n"                                   \
	"if $T squeue --json --all --states=RUNNING; then :\n"                                     \
	"else\n"                                                                                   \
	"o=$(squeue --noheader --all --states=RUNNING --format='%A|%u|%N|%j')"                     \
	" && { echo; echo @@text; printf '%s\\n' \"$o\"; }\n"                                       \
	"fi\n"
/* clang-format on */
#define SLURM_TIMEOUT (30 * CLOCK_SEC)

static bool slurm_plan(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
	struct request_list *out, struct err *err)
{
	struct request *r;

	(void)j;
	(void)t;
	(void)err;
	if (tier != POLL_MEDIUM)
		return true;
	r = requests_ssh(out, "slurm", "sh -s", SLURM_SCRIPT);
	r->cap = SLURM_CAP;
	r->timeout_us = SLURM_TIMEOUT;
	return true;
}

static bool slurm_parse(const struct plan_jobs *j, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	(void)j;
	(void)t;
	(void)request;
	return nccl_slurm_parse(bytes, len, out, err);
}

/* The messages of squeue, by release: see https://slurm.schedmd.com/download.html#json. */
static bool slurm_explain(const char *device, int status, const char *complaint, struct err *err)
{
	static const struct {
		const char *words, *text, *cure;
	} known[] = {
		{"serializer", "Slurm was built without JSON",
			"install Slurm's JSON plugin (serializer_json.so, built with json-c) "
			"there"},
		{"data_parser", "Slurm was built without JSON",
			"install Slurm's JSON plugin (serializer_json.so, built with json-c) "
			"there"},
		{"rror loading JSON", "Slurm was built without JSON",
			"install Slurm's JSON plugin (serializer_json.so, built with json-c) "
			"there"},
		{"nrecognized option", "squeue has no --json", "Slurm 21.08 or later is needed"},
		{"nable to contact slurm controller", "slurmctld does not answer squeue",
			"check slurmctld, or name another host in hosts:"},
		{"ould not establish a configuration source", "squeue finds no slurm.conf",
			"name a host in hosts: where squeue works"},
		{"munged is up", "munge does not answer squeue",
			"start munged there, and let the user who runs squeue reach its socket"},
		{"rotocol authentication error", "slurmctld does not accept the host's munge key",
			"check munge there"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strstr(complaint, known[i].words))
			continue;
		err_set(err, ERR_UNSUPPORTED, device, "%s: %.160s", known[i].text, complaint);
		return !err_cure(err, "%s", known[i].cure);
	}
	return job_source_explain(device, "squeue", status, complaint, err);
}

static bool slurm_reads(const struct request *r)
{
	return reads_plain(r) && str_eq(r->command, "sh -s") && str_eq(r->input, SLURM_SCRIPT);
}

const struct job_source_ops job_source_slurm = {
	.name = "slurm",
	.interval_us = 60 * CLOCK_SEC,
	.least_us = 10 * CLOCK_SEC,
	.needs_hosts = true,
	.explain = slurm_explain,
	.plan = slurm_plan,
	.reads = slurm_reads,
	.parse = slurm_parse,
};
