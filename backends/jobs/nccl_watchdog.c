/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/nccl_log.h"
#include "base/str.h"

/*
 * Decodes messages of the watchdog of PyTorch's ProcessGroupNCCL, in three generations:
 *	[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=S, OpType=ALLREDUCE,
 *	  ... Timeout(ms)=T) ran for X milliseconds before timing out.
 *	[PG 0 (default_pg) Rank 3] Exception (either an error or timeout) detected by watchdog at
 *	  work: S, last enqueued NCCL work: E, last completed NCCL work: C.
 *	[PG ID 0 PG GUID 0(default_pg) Rank 3]  failure detected by watchdog at work sequence id: S
 *	  PG status: last enqueued work: E, last completed work: C
 *
 * All number the functions of a process group together, from 1. A group has no hash: its
 * communicator is named "pg" and the group's name, as in the flight recorder, which is unique
 * within one job only.
 */

static const char *function_name(const char *word, size_t n)
{
	static const struct {
		const char *torch, *nccl;
	} names[] = {{"ALLREDUCE", "AllReduce"}, {"ALLREDUCE_COALESCED", "AllReduce"},
		{"ALLGATHER", "AllGather"}, {"_ALLGATHER_BASE", "AllGather"},
		{"ALLGATHER_COALESCED", "AllGather"}, {"REDUCE_SCATTER", "ReduceScatter"},
		{"_REDUCE_SCATTER_BASE", "ReduceScatter"}, {"BROADCAST", "Broadcast"},
		{"REDUCE", "Reduce"}, {"ALLTOALL", "AlltoAll"}, {"ALLTOALL_BASE", "AlltoAll"},
		{"SEND", "Send"}, {"RECV", "Recv"}, {"BARRIER", "Barrier"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].torch) == n && strncmp(names[i].torch, word, n) == 0)
			return names[i].nccl;
	return NULL;
}

static int32_t scan_rank(const char *s)
{
	return (int32_t)scan_after(s, "Rank ", NCCL_RANKS_MAX);
}

static bool read_timeout(struct log *l, const char *s)
{
	const char *work = strstr(s, "WorkNCCL("), *word;
	int64_t seq, ms;
	struct obs_nccl *r;
	size_t n;

	if (!work || !strstr(s, "Watchdog caught collective operation timeout"))
		return false;
	r = nccl_add(l->o, NCCL_STATE, SOURCE_WATCHDOG_LOG);
	if (!r)
		return true;
	r->rank = scan_rank(s);
	r->state = NCCL_TIMED_OUT;
	seq = scan_after(work, "SeqNum=", INT64_MAX);
	r->seq = seq > 0 ? seq - 1 : -1;
	ms = scan_after(work, "ran for ", INT64_MAX / 1000);
	if (ms >= 0)
		r->took_us = (double)ms * 1000;
	s = work;
	if (scan_find(&s, "OpType=") && scan_word(&s, ",)", &word, &n)) {
		const char *name = function_name(word, n);

		r->func = name ? obs_string(l->o, name) : nccl_stringn(l->o, word, n);
	}
	r->text = obs_string(l->o, "collective operation timed out");
	return true;
}

/* Reads "PG 0 (default_pg)" or "PG GUID 0(default_pg)". */
static void scan_group(struct log *l, const char *s, uint32_t *comm, uint32_t *name)
{
	const char *guid = s, *pg = s, *at, *word;
	char id[80];
	size_t n;

	if (scan_find(&guid, "PG GUID "))
		at = guid;
	else if (scan_find(&pg, "[PG "))
		at = pg;
	else
		return;
	if (!scan_word(&at, "(]", &word, &n))
		return;
	(void)str_printf(id, sizeof(id), "pg%.*s", (int)(n < 60 ? n : 60), word);
	*comm = obs_string(l->o, id);
	if (scan_text(&at, "(") && scan_word(&at, ")", &word, &n))
		*name = nccl_stringn(l->o, word, n);
}

static int64_t after_either(const char *s, const char *a, const char *b)
{
	int64_t n = scan_after(s, a, INT64_MAX);

	return n >= 0 ? n : scan_after(s, b, INT64_MAX);
}

/* s begins at "[PG". The rank number before it is the one within the job, not the group. */
static bool read_detected(struct log *l, const char *s)
{
	const char *at = strstr(s, "detected by watchdog at work");
	int64_t seq, enqueued, completed;
	uint32_t comm = 0, name = 0;
	struct obs_nccl *r;
	int32_t rank;

	s = strstr(s, "[PG ");
	if (!at || !s)
		return false;
	rank = scan_rank(s);
	scan_group(l, s, &comm, &name);
	seq = after_either(at, "at work sequence id: ", "at work: ");
	enqueued = after_either(at, "last enqueued work: ", "last enqueued NCCL work: ");
	completed = after_either(at, "last completed work: ", "last completed NCCL work: ");
	r = nccl_add(l->o, NCCL_STATE, SOURCE_WATCHDOG_LOG);
	if (!r)
		return true;
	r->comm = comm;
	r->comm_name = name;
	r->rank = rank;
	r->state = NCCL_TIMED_OUT;
	r->seq = seq > 0 ? seq - 1 : -1;
	r->text = obs_string(l->o, "the watchdog gave up");
	if (enqueued < 0)
		return true;
	r = nccl_add(l->o, NCCL_COUNT, SOURCE_WATCHDOG_LOG);
	if (!r)
		return true;
	r->comm = comm;
	r->comm_name = name;
	r->rank = rank;
	r->state = NCCL_TIMED_OUT;
	r->func = obs_string(l->o, NCCL_ANY_FUNC);
	r->seq = enqueued;
	r->completed = completed;
	return true;
}

bool nccl_log_watchdog(struct log *l, const char *line)
{
	if (!strstr(line, "ProcessGroupNCCL"))
		return false;
	if (!read_timeout(l, line))
		(void)read_detected(l, line);
	return true;
}
