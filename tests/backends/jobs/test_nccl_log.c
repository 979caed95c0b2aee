/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "base/buf.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

static struct obs *parse(const char *text)
{
	struct obs *o = obs_new("", "nccl-log");
	struct err err = {0};

	if (!nccl_log_parse(text, strlen(text), o, &err))
		fail_msg("%s: %s", text, err.text);
	return o;
}

#define INIT(host, pid, rank, word)                                                                \
	host ":" pid ":" pid " [1] NCCL INFO ncclCommInitRankConfig comm 0x5 rank " rank           \
	     " nranks 8 cudaDev 1 nvmlDev 5 busId 1005d010 commId 0xabcdef0123456789 - Init " word \
	     "\n"

CASE(who_is_where)
{
	struct obs *o =
		parse(INIT("fd00::7", "44", "3", "START") INIT("fd00::7", "44", "3", "COMPLETE"));
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 0);

	assert_string_equal(obs_text(o, r->host), "fd00::7");
	assert_string_equal(obs_text(o, r->comm), "0xabcdef0123456789");
	assert_int_equal(r->pid, 44);
	assert_int_equal(r->rank, 3);
	assert_int_equal(r->nranks, 8);
	assert_int_equal(r->gpu, 5);
	assert_int_equal(r->local_gpu, 1);
	assert_int_equal(nccl_nth(o, NCCL_STATE, 0)->state, NCCL_INIT);
	assert_int_equal(nccl_nth(o, NCCL_STATE, 1)->state, NCCL_RUNNING);
	r = nccl_nth(o, NCCL_GPU, 0);
	assert_int_equal(r->gpu, 5);
	assert_string_equal(obs_text(o, r->text), "0100:5d:01.0");
	obs_free(o);
	/* 2.16 has no hash that another source would know. */
	o = parse("h:1:1 [0] NCCL INFO comm 0x5 rank 3 nranks 8 cudaDev 1 busId 5d000 - Init "
		  "COMPLETE\n");
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}

#define USING                                                                                      \
	"h1:44:44 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_bond_0:1:rail1:p0/RoCE "   \
	"[RO]; OOB eth0:192.0.2.1<0>\n"
#define CHANNEL(what) "h1:44:44 [1] NCCL INFO Channel 00/0 : " what "\n"

CASE(who_uses_which_nic)
{
	struct obs *o = parse(USING INIT("h1", "44", "3", "START")
			CHANNEL("3[1] -> 5[0] [send] via NET/IB/0(2)/GDRDMA")
				CHANNEL("2[0] -> 3[1] [receive] via NET/IB/1/GDRDMA")
					CHANNEL("3[1] -> 4[0] [send] via NET/IB/0"));
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 1);

	/* The send goes over another rank's NIC; the first of its own counts. */
	assert_int_equal(nccl_records(o, NCCL_RANK), 2);
	assert_string_equal(obs_text(o, r->nic), "mlx5_bond_0");
	assert_int_equal(r->rank, 3);
	assert_int_equal(r->pid, 44);
	obs_free(o);
	/* This piece of the log does not name index 1. */
	o = parse(CHANNEL("2[0] -> 3[1] [receive] via NET/IB/1/GDRDMA"));
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}

CASE(errors)
{
	struct obs *o = parse(USING INIT("h1", "44", "3",
		"COMPLETE") "\n[2026-01-02 03:04:05] h1:44:45 [1] a.cc:1 NCCL WARN NET/IB: Got "
			    "completion from "
			    "peer 192.0.2.2<41> with status=IBV_WC_RNR_RETRY_EXC_ERR(13) "
			    "opcode=IBV_WC_SEND(0) "
			    "vendor_err=135 hca mlx5_0\n"
			    "h1:44:45 [1] a.cc:1 NCCL WARN NET/IB: Device 1 marked as failed. "
			    "Initiating "
			    "recovery? No (x)\n"
			    "h1:44:45 [1] a.cc:1 NCCL WARN socketProgress: Connection closed by "
			    "remote peer "
			    "h2<9>\n"
			    "h1:44:45 [1] NCCL INFO Connection refused is only said here\n"
			    "7: h9:45:45 [1] a.cc:1 NCCL WARN NET/IB : mlx5_2:1 Got non-fatal "
			    "async event: "
			    "port error(10)\n"
			    "h9:45:45 [1] a.cc:1 NCCL WARN NET/IB : mlx5_2:1 Got non-fatal async "
			    "event: "
			    "port active(9)\n");
	const struct obs_nccl *r = nccl_nth(o, NCCL_ERROR, 0);

	assert_int_equal(nccl_records(o, NCCL_ERROR), 5);
	assert_int_equal(r->state, 13);
	assert_string_equal(obs_text(o, r->nic), "mlx5_0");
	assert_string_equal(obs_text(o, r->text),
		"receiver not ready (status 13), peer 192.0.2.2, vendor error 135");
	assert_string_equal(obs_text(o, r->comm), "0xabcdef0123456789");
	assert_int_equal(r->rank, 3);
	/* The number counts the NICs of one connection (p2p_resiliency.cc of 2.30). */
	r = nccl_nth(o, NCCL_ERROR, 1);
	assert_string_equal(obs_text(o, r->nic), "");
	assert_string_equal(obs_text(o, r->text), "NIC failed, no recovery");
	r = nccl_nth(o, NCCL_ERROR, 2);
	assert_string_equal(
		obs_text(o, r->text), "socketProgress: Connection closed by remote peer h2<9>");
	/* The label of srun is the rank where nothing better is known. */
	r = nccl_nth(o, NCCL_ERROR, 3);
	assert_int_equal(r->rank, 7);
	assert_int_equal(r->pid, 45);
	assert_string_equal(obs_text(o, r->text), "port error");
	assert_string_equal(obs_text(o, r->func), "nic");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_ERROR, 4)->func), "over");
	obs_free(o);
}

/* Two messages on a line that was torn, the second without its origin: it has no label and no time.
 */
CASE(a_warning_without_an_origin)
{
	struct obs *o =
		parse("h1:44:45 [1] NCCL INFO busy NCCL WARN NET/IB : mlx5_2:1 Got non-fatal "
		      "async event: port error(10)\n");
	const struct obs_nccl *r = nccl_nth(o, NCCL_ERROR, 0);

	assert_int_equal(nccl_records(o, NCCL_ERROR), 1);
	assert_int_equal(r->rank, -1);
	assert_string_equal(obs_text(o, r->text), "port error");
	obs_free(o);
}

CASE(watchdog)
{
	struct obs *o = parse(
		"3: [rank3]:[E1 ProcessGroupNCCL.cpp:1] [Rank 1] Watchdog caught collective "
		"operation timeout: WorkNCCL(SeqNum=15, OpType=_ALLGATHER_BASE, NumelIn=1, "
		"Timeout(ms)=6000) ran for 6007 milliseconds before timing out.\n"
		"[rank3]:[E1 ProcessGroupNCCL.cpp:1] [PG ID 2 PG GUID 7(TP x) Rank 1]  failure "
		"detected by watchdog at work sequence id: 15 PG status: last enqueued work: 19, "
		"last completed work: 14\n"
		"[rank3]:[E1 ProcessGroupNCCL.cpp:1] [PG 0 Rank 3] Exception (either an error or "
		"timeout) detected by watchdog at work: 5, last enqueued NCCL work: -1, last "
		"completed NCCL work: 4.\n"
		"[rank3]:[W1 ProcessGroupNCCL.cpp:1] Warning: something else\n");
	const struct obs_nccl *r = nccl_nth(o, NCCL_STATE, 0);

	assert_string_equal(obs_text(o, r->func), "AllGather");
	assert_int_equal(r->seq, 14);
	assert_true(r->took_us == 6007000);
	assert_int_equal(r->rank, 1);
	/* The second line names the group of the first one. */
	assert_string_equal(obs_text(o, r->comm), "pg7");
	assert_string_equal(obs_text(o, r->comm_name), "TP x");
	r = nccl_nth(o, NCCL_COUNT, 0);
	assert_string_equal(obs_text(o, r->comm), "pg7");
	assert_int_equal(r->rank, 1);
	assert_int_equal(r->seq, 19);
	assert_int_equal(r->completed, 14);
	r = nccl_nth(o, NCCL_STATE, 1);
	assert_string_equal(obs_text(o, r->comm), "pg0");
	assert_int_equal(r->seq, 4);
	assert_int_equal(nccl_records(o, NCCL_COUNT), 1);
	obs_free(o);
}

CASE(other_lines)
{
	struct obs *o = parse("step 17 loss 2.1\nNCCL INFO\n:: NCCL INFO x\nh:x:1 [0] NCCL INFO x\n"
			      "h:99999999999:1 [0] NCCL WARN Got completion with error 12\n"
			      "[ unclosed h:1:1 NCCL WARN Connection refused\n");
	struct err err = {0};

	/* Warnings are kept even where the process is not named. */
	assert_int_equal(o->nccl.n, 2);
	assert_int_equal(nccl_nth(o, NCCL_ERROR, 0)->pid, -1);
	assert_int_equal(nccl_nth(o, NCCL_ERROR, 0)->host, 0);
	assert_int_equal(nccl_nth(o, NCCL_ERROR, 0)->state, 12);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_ERROR, 1)->text), "Connection refused");
	assert_false(nccl_log_parse("bananas", 7, o, &err));
	assert_non_null(strstr(err.text, "bananas"));
	obs_free(o);
}

/* A process is remembered, many are not remembered for ever, and records have a limit. */
CASE(a_log_without_end)
{
	struct buf b;
	struct obs *o;

	buf_init(&b, (size_t)64 << 20);
	for (int i = 0; i < 100000; i++)
		buf_addf(&b,
			"h:%d:1 [0] NCCL INFO ncclCommInitRank comm 0x5 rank %d nranks 100000 "
			"cudaDev 0 nvmlDev 0 busId 19000 commId 0x1 - Init START\n",
			i, i);
	o = parse(b.data);
	assert_int_equal(o->nccl.n, OBS_NCCL_MAX);
	assert_int_equal(o->err.code, ERR_LIMIT);
	obs_free(o);
	buf_free(&b);
}

CASES_MAIN(NULL, NULL)
