/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"

/* Sources of facts about jobs: their requests, run by a real shell if they are scripts. */

#define LINE(sn)                                                                                   \
	"{\"header\":{\"id\":\"0x9f2ad5f3aa7c1e\",\"rank\":3,\"n_ranks\":32,\"nnodes\":4},"        \
	"\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"hostname\":\"node003\","     \
	"\"pid\":77,\"dump_timestamp_us\":1700000000000000},"                                      \
	"\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":" #sn ",\"coll_msg_size_bytes\":1024,"  \
	"\"coll_exec_time_us\":1039,\"coll_timing_source\":\"kernel_gpu\"}}\n"

struct bed {
	char dir[64], file[96], pattern[96];
	struct plan_jobs jobs;
	struct facts facts;
	struct target target;
};

static int setup(void **state)
{
	struct bed *b = mem_calloc(1, sizeof(*b));

	(void)str_copy(b->dir, sizeof(b->dir), "/tmp/railtop-jobs-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	(void)str_printf(b->file, sizeof(b->file), "%s/node003-pid77.log", b->dir);
	(void)str_printf(b->pattern, sizeof(b->pattern), "%s/*.log", b->dir);
	b->jobs.path = b->pattern;
	b->target = (struct target){.device = "node003", .tier = TIER_HOST, .facts = &b->facts};
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	(void)remove(b->file);
	(void)rmdir(b->dir);
	facts_free(&b->facts);
	free(b);
	return 0;
}

static void append(const struct bed *b, const char *text)
{
	FILE *f = fopen(b->file, "ae");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Plans, runs the plan in a shell, decodes, learns: one poll. */
static struct obs *poll_once(struct bed *b, const char *source)
{
	const struct job_source_ops *ops = job_source_by_name(source);
	const char *const argv[] = {"/bin/sh", "-s", NULL};
	struct request_list list = {0};
	struct obs *o = obs_new("node003", source);
	struct err err = {0};
	size_t len = 0;
	char *out;
	int status = -1;

	assert_true(ops->plan(&b->jobs, &b->target, POLL_MEDIUM, &list, &err));
	assert_int_equal(list.at.n, 1);
	assert_string_equal(list.at.at[0].name, source);
	out = run_command(argv, NULL, list.at.at[0].input, &len, &status);
	assert_non_null(out);
	if (!ops->parse(&b->jobs, &b->target, source, out, strlen(out), o, &err))
		fail_msg("%s", err.text);
	facts_learn(&b->facts, o);
	free(out);
	requests_free(&list);
	return o;
}

/* The numbers of the operations that a poll told of, "7 8 ". */
static void expect_ops(struct bed *b, const char *want)
{
	struct obs *o = poll_once(b, "inspector");
	char got[256] = "";

	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_OP)
			(void)str_printf(got + strlen(got), sizeof(got) - strlen(got), "%d ",
				(int)o->nccl.at[i].seq);
	assert_string_equal(got, want);
	obs_free(o);
}

CASE_WITH(inspector_reads_what_is_new, setup, teardown)
{
	struct bed *b = *state;

	expect_ops(b, "");
	append(b, LINE(7));
	expect_ops(b, "7 ");
	expect_ops(b, "");
	append(b, LINE(8) LINE(9) "{\"header\":{\"id\":\"0x9f2ad5f3");
	expect_ops(b, "8 9 ");
	expect_ops(b, "");
	/* The rest of the line that was cut. */
	append(b, &LINE(10)[strlen("{\"header\":{\"id\":\"0x9f2ad5f3")]);
	expect_ops(b, "10 ");
	/* The file is truncated and begins again. */
	assert_int_equal(truncate(b->file, 0), 0);
	append(b, LINE(1));
	expect_ops(b, "1 ");
}

CASE_WITH(inspector_leaves_out_what_is_too_much, setup, teardown)
{
	struct bed *b = *state;
	struct obs *o;

	append(b, LINE(1));
	expect_ops(b, "1 ");
	for (unsigned i = 0; i < 3000; i++)
		append(b, LINE(2));
	append(b, LINE(3));
	o = poll_once(b, "inspector");
	assert_true(o->nccl.n > 100 && o->nccl.n < 3000);
	assert_int_equal(o->nccl.at[o->nccl.n - 1].seq, 3);
	obs_free(o);
}

CASE_WITH(a_dump_is_fetched_once, setup, teardown)
{
	struct bed *b = *state;
	struct obs *o;

	(void)str_printf(b->file, sizeof(b->file), "%s/nccl_trace_rank_1", b->dir);
	(void)str_printf(b->pattern, sizeof(b->pattern), "%s/nccl_trace_rank_*", b->dir);
	append(b,
		"{\"version\":\"2.9\",\"pg_config\":{\"0\":{\"name\":\"0\",\"desc\":\"default_pg\","
		"\"ranks\":\"[0, 1]\"}},\"pg_status\":{\"0\":{\"last_enqueued_collective\":5,"
		"\"last_started_collective\":5,\"last_completed_collective\":4}},"
		"\"entries\":[{\"record_id\":1,\"pg_id\":0,\"process_group\":[\"0\",\"default_pg\"]"
		","
		"\"collective_seq_id\":5,\"p2p_seq_id\":0,\"op_id\":5,"
		"\"profiling_name\":\"nccl:all_reduce\",\"time_created_ns\":1700000000000000000,"
		"\"state\":\"started\",\"retired\":false,\"timeout_ms\":600000,\"is_p2p\":false,"
		"\"input_sizes\":[[4]],\"output_sizes\":[[4]]}]}");
	o = poll_once(b, "flight-recorder");
	assert_true(o->nccl.n > 0);
	assert_int_equal(o->nccl.at[0].rank, 1);
	obs_free(o);
	o = poll_once(b, "flight-recorder");
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}

CASE_WITH(ras_asks_old_versions_only_when_told_to, setup, teardown)
{
	static const char old[] = "SERVER PROTOCOL 2\nOK\nERROR: Unknown command SET FORMAT json\n";
	const struct job_source_ops *ras = job_source_by_name("nccl-ras");
	struct bed *b = *state;
	struct request_list list = {0};
	struct obs *o = obs_new("node003", "nccl-ras");
	struct err err = {0};

	assert_true(ras->plan(&b->jobs, &b->target, POLL_MEDIUM, &list, &err));
	assert_int_equal(list.at.at[0].forward_port, 28028);
	assert_null(strstr(list.at.at[0].input, "STATUS"));
	assert_string_equal(list.at.at[0].confirmed, "STATUS\n");
	assert_false(ras->parse(&b->jobs, &b->target, "nccl-ras", old, strlen(old), o, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.cure, "versions: any"));
	requests_free(&list);
	b->jobs.any_version = true;
	assert_true(ras->plan(&b->jobs, &b->target, POLL_MEDIUM, &list, &err));
	assert_non_null(strstr(list.at.at[0].input, "STATUS\n"));
	assert_null(list.at.at[0].confirmed);
	assert_true(ras->plan(&b->jobs, &b->target, POLL_SLOW, &list, &err));
	assert_int_equal(list.at.n, 1);
	requests_free(&list);
	obs_free(o);
}

CASE_WITH(nothing_is_asked_too_often, setup, teardown)
{
	const struct job_source_ops *ras = job_source_by_name("nccl-ras");
	struct plan_jobs j = {0};

	assert_int_equal(job_source_interval(ras, &j), 10 * CLOCK_SEC);
	j.interval_us = CLOCK_SEC;
	assert_int_equal(job_source_interval(ras, &j), 10 * CLOCK_SEC);
	j.interval_us = 60 * CLOCK_SEC;
	assert_int_equal(job_source_interval(ras, &j), 60 * CLOCK_SEC);
}

CASE_WITH(no_path_runs_anything, setup, teardown)
{
	static const char *const bad[] = {"", "out.log", "/tmp/$(reboot)", "/tmp/a b", "/tmp/a;b",
		"/tmp/a'b", "/tmp/a`b`", "/tmp/a\nb", "/tmp/a|b", "/tmp/a>b", "~/x", "/tmp/{a,b}"};
	const struct job_source_ops *log = job_source_by_name("nccl-log");
	struct bed *b = *state;
	struct request_list list = {0};
	struct err err = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		b->jobs.path = (char *)bad[i];
		assert_false(job_path_check(bad[i], &err));
		assert_false(log->plan(&b->jobs, &b->target, POLL_EVENTS, &list, &err));
	}
	assert_int_equal(list.at.n, 0);
	b->jobs.path = b->pattern;
	assert_true(log->plan(&b->jobs, &b->target, POLL_EVENTS, &list, &err));
	assert_true(list.at.at[0].follow);
	assert_true(str_starts(list.at.at[0].command, "exec sh -c 'exec 3<&0; { LC_ALL=C;"));
	assert_non_null(strstr(list.at.at[0].command, "; while :; do set -- /"));
	requests_free(&list);
}

static void put_tool(
	const struct bed *b, const char *name, const char *script, char *path, size_t size)
{
	FILE *f;

	(void)str_printf(path, size, "%s/%s", b->dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs("#!/bin/sh\n", f) >= 0 && fputs(script, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

/* tail without -F, which would not end. */
static void put_tail(const struct bed *b, char *path, size_t size)
{
	put_tool(b, "tail",
		"for a; do shift; [ \"$a\" = -F ] || set -- \"$@\" \"$a\"; done\n"
		"exec /usr/bin/tail \"$@\"\n",
		path, size);
}

static unsigned count_kind(const struct obs *o, enum nccl_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->nccl.n; i++)
		n += o->nccl.at[i].kind == (uint8_t)kind;
	return n;
}

/* A job that has run for days: its init lines are far before what tail repeats, an error too. */
CASE_WITH(a_log_is_searched_back_for_who_is_who_and_for_errors, setup, teardown)
{
	struct bed *b = *state;
	const struct job_source_ops *ops = job_source_by_name("nccl-log");
	const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
	struct request_list list = {0};
	char tail[128], nap[128], path[160], line[128], *out, *inner;
	const char *env[] = {path, "TZ=UTC-2", NULL};
	struct obs *o = obs_new("node003", "nccl-log"), *live;
	struct err err = {0};
	size_t len = 0;
	int status = -1;

	put_tail(b, tail, sizeof(tail));
	put_tool(b, "sleep", "exit 0\n", nap, sizeof(nap));
	(void)str_printf(path, sizeof(path), "PATH=%s:/usr/bin:/bin", b->dir);
	append(b,
		"node-a:42:42 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB "
		"eno1:172.16.0.1<0>\n"
		"0: node-a:42:43 [0] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 2 "
		"cudaDev "
		"0 nvmlDev 0 busId 1a000 commId 0xa1ffb74daef8a940 - Init COMPLETE\n"
		"node-a:42:44 [0] net_ib.cc:93 NCCL WARN NET/IB : Got async event : port error\n");
	for (int i = 0; i < 2500; i++) {
		(void)str_printf(line, sizeof(line), "iteration %d/ 250000 | samples: %d\n", i, i);
		append(b, line);
	}
	append(b, "[2026-03-13 22:26:02] node-a:42:44 [0] net_ib.cc:9 NCCL WARN NET/IB : Got "
		  "completion from peer 172.16.0.2<1> with status=12 opcode=0 len=0 vendor err "
		  "129\n");
	assert_true(ops->plan(&b->jobs, &b->target, POLL_EVENTS, &list, &err));
	assert_true(ops->reads(&list.at.at[0]));
	argv[2] = inner = requests_followed(list.at.at[0].command);
	assert_non_null(inner);
	out = run_command(argv, env, "", &len, &status);
	assert_non_null(out);
	assert_int_equal(status, 0);
	/* Progress that nobody asks for stays on the host, but for the last lines. */
	assert_true(len < 150000);
	o->received_us = INT64_C(1773434000) * CLOCK_SEC; /* 20:33:20 UTC of that day */
	assert_true(ops->parse(&b->jobs, &b->target, "nccl-log", out, len, o, &err));
	assert_true(count_kind(o, NCCL_RANK) >= 1);
	assert_true(count_kind(o, NCCL_ADDRESS) >= 1);
	assert_string_equal(obs_text(o, o->nccl.at[0].text), "172.16.0.1");
	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *r = &o->nccl.at[i];

		if (r->kind != NCCL_ERROR)
			continue;
		assert_string_equal(obs_text(o, r->comm), "0xa1ffb74daef8a940");
		assert_int_equal(r->rank, 0);
		/* The clock of the host is two hours ahead of UTC. */
		if (r->state == 12)
			assert_true(r->begin_us == INT64_C(1773433562) * CLOCK_SEC);
	}
	assert_true(count_kind(o, NCCL_ERROR) >= 2);
	/* Later pieces are read by the zone that the first one named. */
	facts_learn(&b->facts, o);
	assert_string_equal(facts_get(&b->facts, "nccl-log.zone"), "+0200");
	live = obs_new("node003", "nccl-log");
	live->received_us = o->received_us;
	assert_true(ops->parse(&b->jobs, &b->target, "nccl-log",
		"[2026-03-13 22:26:02] node-a:42:44 [0] a.cc:1 NCCL WARN Cuda failure 'x'\n", 70,
		live, &err));
	assert_true(live->nccl.at[0].begin_us == INT64_C(1773433562) * CLOCK_SEC);
	obs_free(live);
	obs_free(o);
	free(out);
	free(inner);
	requests_free(&list);
	(void)remove(tail);
	(void)remove(nap);
}

/*
 * The next job has a log of its own: tail begins again with it. At the end no tail is left: its
 * output would stay open, and so would this test.
 */
CASE_WITH(a_log_that_comes_later_is_followed_too, setup, teardown)
{
	struct bed *b = *state;
	const struct job_source_ops *ops = job_source_by_name("nccl-log");
	const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
	const char *env[] = {NULL, NULL};
	char tail[128], nap[128], later[128], count[128], path[160], script[512], *out, *first;
	struct request_list list = {0};
	struct err err = {0};
	size_t len = 0;
	int status = -1;

	(void)str_printf(later, sizeof(later), "%s/z.log", b->dir);
	(void)str_printf(count, sizeof(count), "%s/count", b->dir);
	put_tool(b, "tail",
		"case \" $* \" in *\" -F \"*) ;; *) exec /usr/bin/tail \"$@\" ;; esac\n"
		"echo \"follows $*\"\nexec /usr/bin/tail -f /dev/null\n",
		tail, sizeof(tail));
	/* The first sleep ends with a new file, the second without, the third with the session. */
	(void)str_printf(script, sizeof(script),
		"n=x$(cat %s 2>/dev/null)\necho \"$n\" >%s\ncase $n in x) echo >%s ;; xxx*) "
		"/bin/sleep 1; "
		"kill -TERM $PPID ;; esac\n",
		count, count, later);
	put_tool(b, "sleep", script, nap, sizeof(nap));
	(void)str_printf(path, sizeof(path), "PATH=%s:/usr/bin:/bin", b->dir);
	env[0] = path;
	append(b, "one\n");
	assert_true(ops->plan(&b->jobs, &b->target, POLL_EVENTS, &list, &err));
	argv[2] = requests_followed(list.at.at[0].command);
	out = run_command(argv, env, "", &len, &status);
	assert_non_null(out);
	first = strstr(out, "follows -q -n 2000 -F /");
	assert_non_null(first);
	assert_null(memmem(first, strcspn(first, "\n"), later, strlen(later)));
	assert_non_null(strstr(first, "z.log"));
	free(out);
	free((char *)(uintptr_t)argv[2]);
	requests_free(&list);
	(void)remove(tail);
	(void)remove(nap);
	(void)remove(later);
	(void)remove(count);
}

/* Lines of other programs, written long before those that tail repeats. */
CASE_WITH(a_log_is_searched_back_for_errors_of_other_programs, setup, teardown)
{
	static const char *const lines[] = {"ibv_modify_qp failed with 110\n",
		"E1127 02:53:01.123456 4711 rdma_endpoint.cpp:200] Failed to exchange handshake\n",
		"slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n",
		"Failed status 12: wr_id 0 syndrom 0x81\n",
		"DeepEP timeout for dispatch receivers, rank 3, responsible_channel = 7\n",
		"[node-b:04711] PMIX ERROR: UNREACHABLE in file ptl_tcp_component.c at line 1847\n",
		"node-a:1:2 [0] NCCL INFO RAS declaring peer 10.0.1.2<4711> as DEAD; hash 0x1\n"};
	struct bed *b = *state;
	const struct job_source_ops *ops = job_source_by_name("nccl-log");
	const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
	struct request_list list = {0};
	char tail[128], nap[128], path[160], line[128], *out, *inner;
	const char *env[] = {path, NULL};
	struct err err = {0};
	size_t len = 0;
	int status = -1;

	put_tail(b, tail, sizeof(tail));
	put_tool(b, "sleep", "exit 0\n", nap, sizeof(nap));
	(void)str_printf(path, sizeof(path), "PATH=%s:/usr/bin:/bin", b->dir);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		append(b, lines[i]);
	for (int i = 0; i < 2500; i++) {
		(void)str_printf(line, sizeof(line), "iteration %d/ 250000 | loss: %d\n", i, i);
		append(b, line);
	}
	assert_true(ops->plan(&b->jobs, &b->target, POLL_EVENTS, &list, &err));
	argv[2] = inner = requests_followed(list.at.at[0].command);
	out = run_command(argv, env, "", &len, &status);
	assert_non_null(out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!memmem(out, len, lines[i], strlen(lines[i])))
			fail_msg("%s", lines[i]);
	free(out);
	free(inner);
	requests_free(&list);
}

CASE_WITH(only_the_search_of_one_log_is_on_the_list, setup, teardown)
{
	struct bed *b = *state;
	const struct job_source_ops *ops = job_source_by_name("nccl-log");
	struct request_list list = {0};
	struct err err = {0};
	struct request bad;
	char *command, *path;

	assert_true(ops->plan(&b->jobs, &b->target, POLL_EVENTS, &list, &err));
	command = mem_strdup(list.at.at[0].command);
	bad = list.at.at[0];
	bad.command = command;
	assert_true(ops->reads(&bad));
	/* Another path in the second place. */
	path = strstr(command, "set -- /");
	path[8] = 'x';
	assert_false(ops->reads(&bad));
	path[8] = '\'';
	assert_false(ops->reads(&bad));
	free(command);
	requests_free(&list);
}

CASE_WITH(every_source_has_a_name, setup, teardown)
{
	for (size_t i = 0; i < job_source_count; i++) {
		assert_ptr_equal(
			job_source_by_name(job_source_table[i]->name), job_source_table[i]);
		assert_non_null(strstr(job_source_names(), job_source_table[i]->name));
	}
	assert_null(job_source_by_name("lsf"));
}

CASES_MAIN(NULL, NULL)
