/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of jobs that were read wrongly once, each with its right reading: see hosts.md. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/ref.h"
#include "tests/cases/job_hosts.h"
#include "tests/support/cases.h"

/* 2026-03-13 22:27:00 UTC: a minute after the times in the logs. */
#define THEN (INT64_C(1773440820) * CLOCK_SEC)
/* Eight months later. */
#define LATER (INT64_C(1794600000) * CLOCK_SEC)
/* 2025-03-21 02:07:30, a moment after the watchdog's times. */
#define WATCH (INT64_C(1742522850) * CLOCK_SEC)

/* ---- what stands in front of an origin ---- */

struct prefixes {
	const char *a, *b; /* before lines of node-a and of node-b */
};
static const struct prefixes launchers[] = {
	{"[1,0]<stdout>:", "[1,1]<stdout>:"},
	{"2026-03-13T22:26:44.884Z: [1,0]<stdout>:", "2026-03-13T22:26:44.884Z: [1,1]<stdout>:"},
	{"(RayWorkerWrapper pid=4242) ", "(RayWorkerWrapper pid=5151, ip=172.16.0.2) "},
	{"\x1b[36m(RayWorkerWrapper pid=4242)\x1b[0m ",
		"\x1b[36m(RayWorkerWrapper pid=5151, ip=172.16.0.2)\x1b[0m "},
	{"(EngineCore_DP0 pid=23) (RayWorkerWrapper pid=4242) ",
		"(EngineCore_DP0 pid=23) (RayWorkerWrapper pid=5151, ip=172.16.0.2) "},
	{"[default0]:", "[default3]:"},
	{"[default0]: ", "[default3]: "},
	{"[pod/job-worker-0/pytorch] ", "[pod/job-worker-1/pytorch] "},
	{"[2026-03-13 22:26:02] ", "[2026-03-13 22:26:02] "},
	{"0: ", "1: "},
	{" 0: ", " 1: "},
	{"[rank0]:", "[rank1]:"},
	{"trainer-0 | ", "trainer-1 | "},
	{"2026-03-13T15:26:51.208-07:00 | ", "2026-03-13T15:26:51.208-07:00 | "},
	{"(pytorchjob worker-0) ", "(pytorchjob worker-1) "},
	{"", ""},
	/* Of a container's runtime, the journal, docker compose, and a launcher in a pod in slurm.
	 */
	{"2026-03-13T22:26:44.884123456Z stdout F ", "2026-03-13T22:26:44.884123456Z stderr F "},
	{"Mar 13 22:26:02 node-a train.sh[991]: ", "Mar 13 22:26:02 node-b train.sh[992]: "},
	{"\x1b[0;32mtrainer-0  |\x1b[0m ", "\x1b[0;33mtrainer-1  |\x1b[0m "},
	{"  0: [2026-03-13 22:26:02,123] [INFO] [rank0]: ",
		"  1: [2026-03-13 22:26:02,124] [INFO] [rank1]: "},
	{"step 12: 45%|####5     | 45/100\r", "step 12: 45%|####5     | 45/100\r"},
	{"\t", "\t"},
};

#define USING                                                                                      \
	"NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [2]mlx5_2:1/RoCE "             \
	"[3]mlx5_3:1/RoCE [RO]; OOB eno1:172.16.0."
#define COMM "commId 0xa1ffb74daef8a940 - Init COMPLETE"
#define A0   "node-a:4242:4301 [0] "
#define B1   "node-b:5151:5201 [3] "
#define INIT_A                                                                                     \
	A0 "NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId "     \
	   "1a000 " COMM
#define INIT_B                                                                                     \
	B1 "NCCL INFO ncclCommInitRank comm 0x55d1 rank 1 nranks 2 cudaDev 3 nvmlDev 3 busId "     \
	   "dc000 " COMM
#define BROKEN                                                                                     \
	A0 "transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion from peer "                 \
	   "172.16.0.2<33057> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid "       \
	   "::ffff:10.0.0.1 remoteGids::ffff:10.0.3.2"

static void expect_job(const struct job_hosts *h)
{
	const struct model *m = job_hosts_model(h);
	const struct comm *c;

	assert_int_equal(m->nccl->comms.n, 1);
	c = m->nccl->comms.at[0];
	assert_int_equal(c->nranks, 2);
	assert_int_equal(c->rank[0].pid, 4242);
	assert_int_equal(c->rank[0].gpu, 0);
	assert_int_equal(c->rank[1].pid, 5151);
	assert_int_equal(c->rank[1].gpu, 3);
	assert_string_equal(m->devices.at[c->rank[0].host]->name, "node-a");
	assert_string_equal(m->devices.at[c->rank[1].host]->name, "node-b");
}

/* Rank 0's error, with both of its ends. */
static const struct finding *expect_broken(
	const struct job_hosts *h, const char *at, const char *far)
{
	const struct finding *f = job_hosts_found(h, "nccl.error", at);
	char text[160];

	if (!f) {
		job_hosts_print(h, -1);
		fail_msg("no nccl.error at %s", at);
	}
	assert_true(job_hosts_says(f, "rank 0 of job-a1ffb74d: retries exceeded (status 12)"));
	assert_int_equal(f->severity, SEV_CRIT);
	assert_int_equal(f->role, ROLE_SYMPTOM);
	(void)ref_format(job_hosts_model(h), f->peer, text, sizeof(text));
	assert_string_equal(text, far);
	assert_null(job_hosts_found(h, "nccl.nic", NULL));
	return f;
}

CASE(the_origin_is_found_behind_the_prefix_of_any_launcher)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		struct job_hosts *h = job_hosts_new(THEN);
		const char *a = launchers[i].a, *b = launchers[i].b;
		const struct finding *f;
		char text[4096];

		(void)str_printf(text, sizeof(text),
			"%s" A0 USING "1<0>\n%s" INIT_A "\n%s" B1 USING "2<0>\n%s" INIT_B
			"\n%s" BROKEN "\n",
			a, a, b, b, a);
		job_hosts_text(h, text);
		expect_job(h);
		f = expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
		assert_true(job_hosts_says(f, "10.0.0.1 (node-a mlx5_0)"));
		assert_true(job_hosts_says(f, "10.0.3.2 (node-b mlx5_3)"));
		job_hosts_free(h);
	}
}

CASE(two_messages_in_one_line_are_two)
{
	struct job_hosts *h = job_hosts_new(THEN);

	job_hosts_text(h, INIT_A INIT_B "\nloss 2.1" BROKEN "[1,1]<stderr>:" B1
					"NCCL INFO comm 0x55d1 - Abort COMPLETE\n");
	expect_job(h);
	(void)expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
	job_hosts_free(h);
}

/* ---- the time of a line ---- */

CASE(an_error_of_march_is_no_incident_of_today)
{
	static const char log[] = "[2026-03-13 22:26:02] " INIT_A "\n[2026-03-13 22:26:02] " INIT_B
				  "\n[2026-03-13 22:26:02] " BROKEN "\n";
	struct job_hosts *h = job_hosts_new(LATER);
	struct trace t;

	job_hosts_text(h, log);
	assert_null(job_hosts_found(h, "nccl.error", NULL));
	/* But the rank is not called well. */
	t = job_hosts_trace(h, 0);
	assert_int_equal(t.chain.at[0].state, HOP_UNKNOWN);
	assert_non_null(strstr(t.chain.at[0].why, "2026-03-13T22:26:02"));
	trace_free(&t);
	job_hosts_free(h);
	/* The host's clock is two hours ahead of UTC: 20:26 UTC is two hours ago. */
	h = job_hosts_new(THEN);
	job_hosts_text(h, INIT_A "\n" INIT_B "\n2026-03-13T22:26:02+02:00 " BROKEN "\n");
	assert_null(job_hosts_found(h, "nccl.error", NULL));
	job_hosts_text(h, "2026-03-14T00:26:50+02:00 " BROKEN "\n");
	assert_non_null(job_hosts_found(h, "nccl.error", NULL));
	job_hosts_free(h);
}

CASE(a_job_that_stopped_half_an_hour_ago_is_still_stopped)
{
	struct job_hosts *h = job_hosts_new(THEN);

	job_hosts_text(h, INIT_A "\n" INIT_B "\n2026-03-13T21:57:02Z " BROKEN "\n");
	(void)expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
	/* Started again: another process has rank 0. */
	job_hosts_text(h,
		"node-a:7777:7777 [0] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 2 "
		"cudaDev 0 nvmlDev 0 busId 1a000 " COMM "\n");
	job_hosts_poll(h, 10);
	assert_null(job_hosts_found(h, "nccl.error", NULL));
	job_hosts_free(h);
}

/* ---- warnings alone ---- */

CASE(warnings_without_init_lines_give_findings)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;

	job_hosts_log(h, "m06_warn_only_port_error.log");
	f = job_hosts_found(h, "nccl.nic", "node-b");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_true(job_hosts_says(f, "4 processes on node-b: port error"));
	f = job_hosts_found(h, "nccl.error", "node-a");
	assert_non_null(f);
	assert_true(job_hosts_says(
		f, "process 73076 on node-a, GPU 2: retries exceeded (status 12), peer node-b"));
	assert_int_equal(f->root, job_hosts_found(h, "nccl.nic", "node-b")->key);
	job_hosts_free(h);
	/* Init lines without a commId, up to 2.16. */
	h = job_hosts_new(THEN);
	job_hosts_log(h, "m07_old_init.log");
	f = job_hosts_found(h, "nccl.error", "node-a");
	assert_non_null(f);
	assert_true(
		job_hosts_says(f, "rank 1 of 2 on node-a, GPU 1: retries exceeded (status 12)"));
	assert_true(job_hosts_says(f, "172.16.0.2 (node-b)"));
	job_hosts_free(h);
}

CASE(a_process_gets_its_rank_when_it_is_learnt_later)
{
	struct job_hosts *h = job_hosts_new(THEN);

	job_hosts_text(h, BROKEN "\n");
	assert_true(job_hosts_says(job_hosts_found(h, "nccl.error", "node-a:mlx5_0"),
		"process 4242 on node-a, GPU 0"));
	job_hosts_text(h, INIT_A "\n" INIT_B "\n");
	(void)expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
	job_hosts_free(h);
}

CASE(a_port_that_is_active_again_is_over_soon)
{
	struct job_hosts *h = job_hosts_new(THEN);

	job_hosts_text(h, A0 "x.cc:93 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error\n");
	assert_non_null(job_hosts_found(h, "nccl.nic", "node-a:mlx5_0"));
	job_hosts_text(h, A0 "x.cc:93 NCCL WARN NET/IB : mlx5_0:1 Got async event : port active\n");
	assert_non_null(job_hosts_found(h, "nccl.nic", "node-a:mlx5_0"));
	job_hosts_poll(h, 20);
	assert_null(job_hosts_found(h, "nccl.nic", NULL));
	/* It fails again, and stays. */
	job_hosts_text(h, A0 "x.cc:93 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error\n");
	job_hosts_poll(h, 20);
	assert_non_null(job_hosts_found(h, "nccl.nic", "node-a:mlx5_0"));
	job_hosts_free(h);
}

/* ---- which error, which NIC ---- */

CASE(the_first_error_is_the_cause_and_flushes_follow)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;

	job_hosts_log(h, "m03_129_then_249.log");
	f = expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
	assert_true(job_hosts_says(f, "flushed after an earlier error (status 5)"));
	assert_null(strstr(f->title, "flushed"));
	job_hosts_free(h);
	/* The pieces of a log arrive in any order: the error counts more than its aftermath. */
	h = job_hosts_new(THEN);
	job_hosts_text(h,
		INIT_A "\n" INIT_B "\n" A0
		       "x.cc:1 NCCL WARN NET/IB : Got completion from peer 172.16.0.2<1> with "
		       "status=5 opcode=0 len=0 vendor err 249 (Recv)\n" BROKEN "\n");
	(void)expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
	job_hosts_free(h);
}

CASE(a_nic_that_flaps_elsewhere_did_not_break_the_connection)
{
	static const char *const others[] = {"mlx5_4", "mlx5_3"};

	for (size_t i = 0; i < 2; i++) {
		struct job_hosts *h = job_hosts_new(THEN);
		const struct finding *f, *flap;
		char at[32];
		struct trace t;

		job_hosts_flap(h, "node-b", others[i]);
		job_hosts_poll(h, 8);
		job_hosts_log(h, "m11_cqe_230.log");
		job_hosts_poll(h, 2);
		f = expect_broken(h, "node-a:mlx5_1", "node-b:mlx5_1");
		assert_false(job_hosts_says(f, "followed by"));
		assert_int_equal(f->root, 0);
		(void)str_printf(at, sizeof(at), "node-b:%s", others[i]);
		flap = job_hosts_found(h, "link.flapping", at);
		assert_non_null(flap);
		assert_int_equal(flap->gpus_blocked, 0);
		/* The storage NIC is of no rail. */
		assert_int_equal(flap->gpus_slow, i == 0 ? 0 : 2);
		t = job_hosts_trace(h, 0);
		assert_int_equal(t.finding, 0);
		assert_non_null(strstr(t.summary, "rank 0 (node-a mlx5_1)"));
		assert_non_null(strstr(t.summary, "towards node-b mlx5_1"));
		trace_free(&t);
		job_hosts_free(h);
	}
}

CASE(a_nic_that_flaps_at_an_end_did)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;
	struct trace t;

	job_hosts_flap(h, "node-b", "mlx5_1");
	job_hosts_poll(h, 8);
	job_hosts_log(h, "m11_cqe_230.log");
	job_hosts_poll(h, 2);
	f = expect_broken(h, "node-a:mlx5_1", "node-b:mlx5_1");
	assert_non_null(job_hosts_found(h, "link.flapping", "node-b:mlx5_1"));
	assert_int_equal(f->root, job_hosts_found(h, "link.flapping", "node-b:mlx5_1")->key);
	t = job_hosts_trace(h, 0);
	assert_int_equal(t.finding, f->root);
	trace_free(&t);
	job_hosts_free(h);
}

CASE(a_connection_between_rails_that_never_came_up)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;
	char far[64];

	job_hosts_log(h, "m01_modify_qp_crossrail.log");
	f = job_hosts_found(h, "nccl.error", "node-a:mlx5_1");
	assert_non_null(f);
	(void)ref_format(job_hosts_model(h), f->peer, far, sizeof(far));
	assert_string_equal(far, "node-b:mlx5_2");
	/* Both addresses can be read in the title. */
	assert_non_null(strstr(f->title, "10.0.1.1"));
	assert_non_null(strstr(f->title, "10.0.2.2"));
	assert_true(job_hosts_says(f, "Connection timed out"));
	assert_true(job_hosts_says(f, "mlx5_1 to mlx5_2 of node-b: between rails"));
	assert_true(job_hosts_says(f, "the connection never came up"));
	assert_int_equal(f->refuted.at[0].id, FIND_LINK_DOWN);
	job_hosts_free(h);
}

/* ---- lines that were dropped ---- */

CASE(other_warnings_are_errors_of_their_rank)
{
	static const struct {
		const char *file, *at, *says;
	} cases[] = {{"m04_unable_open.log", "node-b:mlx5_1",
			     "rank 1 of job-a1ffb74d: cannot open mlx5_1, which node-a uses"},
		{"m05_unused_request.log", "node-a",
			"rank 0 of job-a1ffb74d: completion for an unused request"},
		{"m08_ofi.log", "node-a",
			"rank 0 of job-b1: NET/OFI completion error: Unreachable remote (RC 113), "
			"dev 1"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_hosts *h = job_hosts_new(THEN);
		const struct finding *f;

		job_hosts_log(h, cases[i].file);
		f = job_hosts_found(h, "nccl.error", cases[i].at);
		assert_true(job_hosts_says(f, cases[i].says));
		assert_int_equal(f->severity, SEV_CRIT);
		job_hosts_free(h);
	}
}

CASE(a_warning_that_nobody_knows_is_shown_in_its_own_words)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;

	job_hosts_text(h, INIT_A "\n" A0 "new.cc:7 NCCL WARN The frobnicator lost its cogs\n");
	f = job_hosts_found(h, "nccl.error", "node-a");
	assert_true(job_hosts_says(f, "rank 0 of job-a1ffb74d: The frobnicator lost its cogs"));
	assert_int_equal(f->severity, SEV_WARN);
	job_hosts_free(h);
}

/* ---- the watchdog ---- */

CASE(all_ranks_gave_up)
{
	struct job_hosts *h = job_hosts_new(WATCH);
	const struct finding *f;

	job_hosts_log(h, "w_all.log");
	f = job_hosts_found(h, "nccl.timeout", NULL);
	assert_true(job_hosts_says(f, "hangs: all 8 ranks gave up on AllReduce 1580 after 600 s"));
	assert_true(job_hosts_says(f, "group pg1"));
	assert_true(job_hosts_says(f, "enqueued 1582, completed 1579"));
	assert_int_equal(f->severity, SEV_CRIT);
	assert_null(job_hosts_found(h, "nccl.mismatch", NULL));
	/* It still hangs when nothing advances. */
	job_hosts_poll(h, 100);
	assert_non_null(job_hosts_found(h, "nccl.timeout", NULL));
	job_hosts_free(h);
	h = job_hosts_new(THEN);
	job_hosts_log(h, "w_all.log");
	assert_null(job_hosts_found(h, "nccl.timeout", NULL));
	job_hosts_free(h);
	h = job_hosts_new(THEN);
	job_hosts_log(h, "w_23.log");
	f = job_hosts_found(h, "nccl.timeout", NULL);
	assert_true(job_hosts_says(f, "all 4 ranks gave up on operation 1474236"));
	job_hosts_free(h);
}

CASE(the_rank_that_never_gave_up_is_the_first_suspect)
{
	struct job_hosts *h = job_hosts_new(WATCH);
	const struct finding *f, *suspect;

	job_hosts_log(h, "w_all_but3.log");
	f = job_hosts_found(h, "nccl.timeout", NULL);
	assert_true(job_hosts_says(f, "hangs: 7 of 8 ranks gave up on AllReduce 1580"));
	suspect = job_hosts_found(h, "nccl.mismatch", NULL);
	assert_true(job_hosts_says(suspect, "rank 3 of job-pg1 is the first suspect"));
	assert_int_equal(suspect->role, ROLE_CULPRIT);
	assert_int_equal(f->root, suspect->key);
	job_hosts_free(h);
}

#define RANK_OF_4(host, pid, rank, gpu)                                                            \
	host ":" pid ":" pid " [" gpu "] NCCL INFO ncclCommInitRank comm 0x5 rank " rank           \
	     " nranks 4 cudaDev " gpu " nvmlDev " gpu " busId 1a000 " COMM "\n"
#define GAVE_UP(rank)                                                                              \
	"[rank" rank                                                                               \
	"]:[E313 22:26:44.4 ProcessGroupNCCL.cpp:2334] [PG ID 0 PG GUID 0(default_pg) "            \
	"Rank " rank "]  failure detected by watchdog at work sequence id: 77 PG status: last "    \
	"enqueued work: 78, last completed work: 76\n"

/* The log of all hosts is read on one, and the highest rank is silent. */
CASE(the_silent_rank_is_sought_on_its_own_host)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;

	job_hosts_text(h,
		RANK_OF_4("node-a", "10", "0", "0") RANK_OF_4("node-a", "11", "1", "1")
			RANK_OF_4("node-b", "10", "2", "0") RANK_OF_4("node-b", "11", "3", "1"));
	job_hosts_text(h, GAVE_UP("0") GAVE_UP("1") GAVE_UP("2"));
	job_hosts_poll(h, 2);
	job_hosts_text(h, GAVE_UP("0"));
	f = job_hosts_found(h, "nccl.timeout", NULL);
	assert_true(job_hosts_says(f, "3 of 4 ranks gave up on operation 77"));
	f = job_hosts_found(h, "nccl.mismatch", "node-b");
	assert_true(job_hosts_says(f, "rank 3 of job-a1ffb74d is the first suspect"));
	assert_null(job_hosts_found(h, "nccl.mismatch", "node-a"));
	job_hosts_free(h);
}

static const char ras_well[] =
	"{\"communicators\":[{\"hash\":\"0xa1ffb74daef8a940\",\"size\":2,\"ranks\":["
	"{\"rank\":0,\"host\":\"172.16.0.1\",\"pid\":4242,\"cuda_dev\":0,\"nvml_dev\":0},"
	"{\"rank\":1,\"host\":\"172.16.0.2\",\"pid\":5151,\"cuda_dev\":3,\"nvml_dev\":3}]}]}";

CASE(the_watchdog_contradicts_a_ras_that_calls_all_well)
{
	struct job_hosts *h = job_hosts_new(THEN);
	const struct finding *f;
	const struct comm *c = NULL;

	job_hosts_text(h, INIT_A "\n" INIT_B "\n");
	job_hosts_text(h, "[rank1]:[E313 22:26:44.408271250 ProcessGroupNCCL.cpp:607] [Rank 1] "
			  "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, "
			  "OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=1800000) ran for "
			  "1800060 milliseconds before timing out.\n");
	job_hosts_ras(h, ras_well);
	f = job_hosts_found(h, "nccl.timeout", NULL);
	assert_true(job_hosts_says(f, "1 of 2 ranks gave up on AllReduce 77 after 1800 s"));
	for (size_t i = 0; i < job_hosts_model(h)->nccl->comms.n; i++)
		if (strncmp(job_hosts_model(h)->nccl->comms.at[i]->id, "0xa1ff", 6) == 0)
			c = job_hosts_model(h)->nccl->comms.at[i];
	assert_non_null(c);
	assert_int_equal(c->rank[1].state, NCCL_TIMED_OUT);
	job_hosts_free(h);
}

/* ---- pods ---- */

CASE(pods_are_joined_by_their_addresses)
{
	struct job_hosts *h = job_hosts_new(THEN);

	job_hosts_log(h, "q01_pod.log");
	expect_job(h);
	(void)expect_broken(h, "node-a:mlx5_0", "node-b:mlx5_3");
	job_hosts_free(h);
}

CASES_MAIN(NULL, NULL)
