/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

#define TOP                                                                                        \
	"ERROR: Unknown command SET FORMAT json\nNCCL version 2.27.3 compiled with CUDA 12.6\n"    \
	"\nGroup     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"            \
	"    #  in group  per comm  per node  per comm  in group\n"                                \
	"    0         1         2       3-4         8         8   RUNNING      OK\n"              \
	"    1         2         2         2         4         8   RUNNING      OK\n\n"

static struct obs *parse(const char *text)
{
	struct obs *o = obs_new("node-7", "nccl-ras");
	struct err err = {0};

	if (!nccl_ras_parse(text, strlen(text), o, &err))
		fail_msg("refused: %s", err.text);
	return o;
}

CASE(all_is_well)
{
	struct obs *o = parse(TOP "Errors\n======\n\nWarnings\n========\n");

	/* It names no rank: so it reports no rank as missing either. */
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}

CASE(one_behind_and_the_rest)
{
	struct obs *o = parse(TOP
		"#1-1 (00aa00aa00aa00aa) MISMATCH\n"
		"  Communicator ranks have different AllGather operation counts\n"
		"  3 ranks have launched up to operation 12\n"
		"  Rank 2 has launched up to operation 9 -- GPU 1 (NVML 5) managed by process 77 "
		"on node fd00::2\n\n");
	const struct obs_nccl *r = nccl_of_rank(o, NCCL_RANK, 2, NULL);

	assert_string_equal(obs_text(o, r->comm), "0x00aa00aa00aa00aa");
	assert_string_equal(obs_text(o, r->host), "fd00::2");
	assert_int_equal(r->pid, 77);
	assert_int_equal(r->local_gpu, 1);
	assert_int_equal(r->gpu, 5);
	assert_int_equal(r->nranks, 4);
	assert_int_equal(nccl_launched(o, 2, "AllGather"), 9);
	assert_int_equal(nccl_launched(o, 0, "AllGather"), 12);
	assert_int_equal(nccl_launched(o, 1, "AllGather"), 12);
	assert_int_equal(nccl_launched(o, 3, "AllGather"), 12);
	assert_int_equal(nccl_records(o, NCCL_COUNT), 4);
	assert_int_equal(nccl_records(o, NCCL_DONE), 0);
	obs_free(o);
}

CASE(two_ahead)
{
	struct obs *o =
		parse(TOP "#0-0 (1) MISMATCH\n"
			  "  Communicator ranks have different collective operation counts\n"
			  "  6 ranks have launched up to operation 30\n"
			  "  2 ranks have launched up to operation 31\n"
			  "  Rank 6 -- GPU 2 managed by process 5 on node h\n"
			  "  Rank 7 -- GPU 3 managed by process 6 on node h\n");

	assert_int_equal(nccl_launched(o, 7, "Collective"), 31);
	assert_int_equal(nccl_launched(o, 6, "Collective"), 31);
	assert_int_equal(nccl_launched(o, 5, "Collective"), 30);
	assert_int_equal(nccl_records(o, NCCL_COUNT), 8);
	obs_free(o);
}

CASE(halves_are_not_guessed)
{
	struct obs *o = parse(TOP "#0-0 (1) MISMATCH\n"
				  "  Communicator ranks have different AllReduce operation counts\n"
				  "  4 ranks have launched up to operation 30\n"
				  "  4 ranks have launched up to operation 31\n\n");

	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
	/* Nor is the missing rank named if the counts do not add up. */
	o = parse(TOP "#0-0 (1) MISMATCH\n"
		      "  Communicator ranks have different AllReduce operation counts\n"
		      "  5 ranks have launched up to operation 30\n"
		      "  Rank 7 has launched up to operation 31 -- GPU 0 managed by process 1 on "
		      "node h\n\n");
	assert_int_equal(nccl_records(o, NCCL_COUNT), 1);
	obs_free(o);
}

CASE(states_and_errors)
{
	struct obs *o = parse(TOP
		"#0-0 (1) ERROR\n  Asynchronous errors on 3 ranks\n"
		"  2 ranks reported System error\n"
		"  Rank 1 -- GPU 1 managed by process 11 on node h\n"
		"  Rank 2 -- GPU 2 managed by process 12 on node h\n"
		"  Rank 4 reported Remote process error -- GPU 0 managed by process 13 on node i\n"
		"\n#1-0 (2) MISMATCH\n  Communicator ranks have different status\n"
		"  3 ranks have status RUNNING\n"
		"  Rank 0 has status ABORT -- GPU 7 managed by process 14 on node h\n\n");
	const struct obs_nccl *r = nccl_of_rank(o, NCCL_STATE, 2, NULL);

	assert_int_equal(r->state, NCCL_ASYNC_ERROR);
	assert_string_equal(obs_text(o, r->text), "System error");
	assert_int_equal(r->pid, 12);
	r = nccl_of_rank(o, NCCL_STATE, 4, NULL);
	assert_string_equal(obs_text(o, r->text), "Remote process error");
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 0, NULL)->state, NCCL_ABORTED);
	r = nccl_of_rank(o, NCCL_STATE, 3, NULL);
	assert_string_equal(obs_text(o, r->comm), "0x2");
	assert_int_equal(r->state, NCCL_RUNNING);
	assert_int_equal(nccl_records(o, NCCL_STATE), 3 + 4);
	obs_free(o);
}

CASE(who_is_missing)
{
	struct obs *o = parse(TOP "Errors\n======\n\nDEAD\n"
				  "  1 job process is considered dead (unreachable via the RAS "
				  "network)\n  Process 95 on node h managing GPU 1,65\n\n"
				  "#0-0 (1) INCOMPLETE\n"
				  "  Missing communicator data from 1 rank\n"
				  "  The missing rank: 5\n\n");
	const struct obs_nccl *r = nccl_of_rank(o, NCCL_STATE, -1, NULL);

	assert_int_equal(r->state, NCCL_DEAD);
	assert_int_equal(r->pid, 95);
	assert_int_equal(r->gpu, 1);
	r = nccl_of_rank(o, NCCL_STATE, 5, NULL);
	assert_int_equal(r->state, NCCL_DEAD);
	assert_int_equal(r->pid, 95);
	assert_string_equal(obs_text(o, nccl_of_rank(o, NCCL_RANK, 5, NULL)->host), "h");
	obs_free(o);
	o = parse(TOP "INCOMPLETE\n  Missing communicator data from 2 job processes\n"
		      "  Process 95 on node h managing GPUs 1,2\n"
		      "  Process 96 on node i managing GPU 3\n\n#0-0 (1) INCOMPLETE\n"
		      "  Missing communicator data from 3 ranks\n  The missing ranks: 1,2,7\n\n");
	r = nccl_of_rank(o, NCCL_STATE, 7, NULL);
	assert_int_equal(r->state, NCCL_UNRESPONSIVE);
	assert_int_equal(r->pid, -1);
	assert_int_equal(nccl_nth(o, NCCL_STATE, 0)->gpu, -1);
	assert_int_equal(nccl_records(o, NCCL_RANK), 0);
	assert_int_equal(nccl_records(o, NCCL_STATE), 5);
	obs_free(o);
}

static struct obs *monitor(const char *text, bool want)
{
	struct obs *o = obs_new("node-7", "nccl-ras/monitor");
	struct err err = {0};

	if (nccl_ras_monitor_parse(text, strlen(text), o, &err) != want)
		fail_msg("%s: %s", text, err.text);
	assert_true(want || *err.text);
	return o;
}

CASE(events)
{
	struct obs *o = monitor(
		"OK\n[2026-01-02 03:04:05] PEER_DEAD: Process 5 on node h managing GPU 1 \n"
		"[2026-01-02 03:04:06] PEER_CONNECTING: Process 6 on node i managing GPUs 1,2\n",
		true);
	const struct obs_nccl *r = nccl_nth(o, NCCL_STATE, 0);

	assert_int_equal(r->state, NCCL_DEAD);
	assert_string_equal(obs_text(o, r->text), "PEER_DEAD");
	assert_string_equal(obs_text(o, r->host), "h");
	assert_int_equal(r->pid, 5);
	assert_int_equal(r->gpu, 1);
	r = nccl_nth(o, NCCL_STATE, 1);
	assert_int_equal(r->state, NCCL_UNKNOWN);
	assert_int_equal(r->gpu, -1);
	obs_free(o);
	o = monitor("OK\nOK\n{\n \"event\": \"PEER_UNRESPONSIVE\",\n \"peer\": {\n  \"host\": "
		    "\"h\",\n  \"pid\": 9,\n  \"cuda_devs\": [1],\n  \"nvml_devs\": [3]\n }\n}\n{"
		    "\n \"event\": \"PEER_NEW\",\n \"peer\": {}\n}\n",
		true);
	r = nccl_nth(o, NCCL_STATE, 0);
	assert_int_equal(r->state, NCCL_UNRESPONSIVE);
	assert_int_equal(r->gpu, 3);
	assert_int_equal(r->local_gpu, 1);
	assert_int_equal(nccl_nth(o, NCCL_STATE, 1)->state, NCCL_RUNNING);
	obs_free(o);
	obs_free(monitor("ERROR: Invalid event group 'x'\n", false));
	obs_free(monitor("{\"event\":7}\n", false));
}

CASES_MAIN(NULL, NULL)
