/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/str.h"

/*
 * Decodes messages of the watchdog of PyTorch's ProcessGroupNCCL. Wordings of 1.13 to 2.11:
 *	[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=S, OpType=ALLREDUCE,
 *	  ... Timeout(ms)=T) ran for X milliseconds before timing out.
 *	[PG 0 Rank 3] Timeout at NCCL work: S, last enqueued NCCL work: E, last completed NCCL work:
 *C. [PG 0 (default_pg) Rank 3] Exception (either an error or timeout) detected by watchdog at work:
 *S, last enqueued NCCL work: E, last completed NCCL work: C. [PG ID 0 PG GUID 0(default_pg) Rank 3]
 *failure detected by watchdog at work sequence id: S PG status: last enqueued work: E, last
 *completed work: C and, of a process with an error of its own: [PG 0 Rank 3] Process group watchdog
 *thread terminated with exception: CUDA error: ... [PG 0 Rank 3] ProcessGroupNCCL's watchdog got
 *stuck for 480 seconds ...
 *
 * All number the functions of a process group together, from 1. A group has no hash: its
 * communicator is named "pg" and the group's name, as in the flight recorder, which is unique
 * within one job only. The first wording names no group, but most releases print another one after
 * it, with the same number.
 */

static const char *function_name(const char *word, size_t n)
{
	static const struct {
		const char *torch, *nccl;
	} names[] = {{"ALLREDUCE", "AllReduce"}, {"ALLREDUCE_COALESCED", "AllReduce"},
		{"ALLGATHER", "AllGather"}, {"_ALLGATHER_BASE", "AllGather"},
		{"ALLGATHER_COALESCED", "AllGather"}, {"REDUCE_SCATTER", "ReduceScatter"},
		{"_REDUCE_SCATTER_BASE", "ReduceScatter"}, {"BROADCAST", "Broadcast"},
		{"SCATTER", "Scatter"}, {"GATHER", "Gather"}, {"REDUCE", "Reduce"},
		{"ALLTOALL", "AlltoAll"}, {"ALLTOALL_BASE", "AlltoAll"}, {"SEND", "Send"},
		{"RECV", "Recv"}, {"BARRIER", "Barrier"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].torch) == n && strncmp(names[i].torch, word, n) == 0)
			return names[i].nccl;
	return NULL;
}

/* The rank within the group; "[rank3]:" in front is the one within the job. */
static int32_t scan_rank(const char *s)
{
	int32_t rank = (int32_t)scan_after(s, " Rank ", NCCL_RANKS_MAX);

	return rank >= 0 ? rank : (int32_t)scan_after(s, "[Rank ", NCCL_RANKS_MAX);
}

static void name_group(struct log *l, const char *word, size_t n, uint32_t *comm)
{
	char id[80];

	(void)str_printf(id, sizeof(id), "pg%.*s", (int)(n < 60 ? n : 60), word);
	*comm = obs_string(l->o, id);
}

/* Reads "PG 0 (default_pg)" or "PG GUID 0(default_pg)". */
static void scan_group(struct log *l, const char *s, uint32_t *comm, uint32_t *name)
{
	const char *guid = s, *pg = s, *at, *word;
	size_t n;

	if (scan_find(&guid, "PG GUID "))
		at = guid;
	else if (scan_find(&pg, "[PG "))
		at = pg;
	else
		return;
	if (!scan_word(&at, "(]", &word, &n))
		return;
	name_group(l, word, n, comm);
	/* A name may have blanks. */
	if (scan_text(&at, "(") && (n = strcspn(at, ")")) > 0)
		*name = nccl_stringn(l->o, at, n);
}

static int64_t after_any(const char *s, const char *const *keys)
{
	for (; *keys; keys++) {
		int64_t n = scan_after(s, *keys, INT64_MAX);

		if (n >= 0)
			return n;
	}
	return -1;
}

/* Whether both are about one operation of one rank. */
static bool is_same(const struct obs *o, const struct log_timeout *a, const struct log_timeout *b)
{
	if (a->seq >= 0 && b->seq >= 0 && a->seq != b->seq)
		return false;
	/* A log that was collected twice has the same time twice. */
	if (a->writer && b->writer && !str_eq(obs_text(o, a->stamp), obs_text(o, b->stamp)) &&
		!str_eq(obs_text(o, a->writer), obs_text(o, b->writer)))
		return false;
	if (a->comm && b->comm && !str_eq(obs_text(o, a->comm), obs_text(o, b->comm)))
		return false;
	return a->global >= 0 && b->global >= 0 ? a->global == b->global : a->rank == b->rank;
}

static void add_timeout(struct log *l, const struct log_timeout *t)
{
	for (size_t i = l->timeouts.n; i-- > 0;) {
		struct log_timeout *was = &l->timeouts.at[i];

		if (!is_same(l->o, was, t))
			continue;
		if (!was->comm && t->comm) {
			was->comm = t->comm;
			was->comm_name = t->comm_name;
			was->rank = t->rank;
		}
		if (was->global < 0)
			was->global = t->global;
		if (!was->func)
			was->func = t->func;
		if (was->elements < 0)
			was->elements = t->elements;
		if (was->seq < 0)
			was->seq = t->seq;
		if (!(was->took_us > 0))
			was->took_us = t->took_us;
		if (was->enqueued < 0) {
			was->enqueued = t->enqueued;
			was->completed = t->completed;
		}
		if (!was->time_us)
			was->time_us = t->time_us;
		return;
	}
	if (l->timeouts.n < LOG_TIMEOUTS_MAX)
		vec_push(&l->timeouts, *t);
}

static struct log_timeout new_timeout(struct log *l, const char *s)
{
	struct log_timeout t = {.rank = scan_rank(s),
		.seq = -1,
		.enqueued = -1,
		.completed = -1,
		.elements = -1,
		.took_us = NAN,
		.writer = l->writer,
		.stamp = l->stamp};

	t.global = nccl_log_label(s, strlen(s));
	t.time_us = nccl_log_time(l, s, strlen(s));
	scan_group(l, s, &t.comm, &t.comm_name);
	return t;
}

static bool read_timeout(struct log *l, const char *s)
{
	const char *work = strstr(s, "WorkNCCL("), *word, *name;
	struct log_timeout t;
	int64_t ms, in;
	size_t n;

	if (!work || !strstr(s, "Watchdog caught collective operation timeout"))
		return false;
	t = new_timeout(l, s);
	t.seq = scan_after(work, "SeqNum=", INT64_MAX);
	in = scan_after(work, "NumelIn=", INT64_MAX);
	t.elements = scan_after(work, "NumelOut=", INT64_MAX);
	if (in > t.elements)
		t.elements = in;
	ms = scan_after(work, "ran for ", INT64_MAX / 1000);
	if (ms >= 0)
		t.took_us = (double)ms * 1000;
	s = work;
	if (scan_find(&s, "OpType=") && scan_word(&s, ",)", &word, &n)) {
		name = function_name(word, n);
		t.func = name ? obs_string(l->o, name) : nccl_stringn(l->o, word, n);
	}
	add_timeout(l, &t);
	return true;
}

static bool read_detected(struct log *l, const char *s)
{
	static const char *const at_work[] = {
		"detected by watchdog at work sequence id: ", "detected by watchdog at work: ",
		"Timeout at NCCL work: ", "Timeout at collective: ", NULL};
	static const char *const enqueued[] = {"last enqueued work: ", "last enqueued NCCL work: ",
		"last enqueued collective: ", NULL};
	static const char *const completed[] = {"last completed work: ",
		"last completed NCCL work: ", "last completed collective: ", NULL};
	struct log_timeout t;
	int64_t seq = after_any(s, at_work);

	if (seq < 0)
		return false;
	t = new_timeout(l, s);
	t.seq = seq;
	t.enqueued = after_any(s, enqueued);
	t.completed = after_any(s, completed);
	add_timeout(l, &t);
	return true;
}

/* A rank repeats that another one gave up: "a dump signal due to a collective timeout from  rank
 * 3". */
static bool read_dump(struct log *l, const char *s)
{
	const char *at = strstr(s, "dump signal due to a collective timeout from ");
	int64_t rank = at ? scan_after(at, " rank ", NCCL_RANKS_MAX) : -1;
	struct log_timeout t;

	if (rank < 0)
		return false;
	t = new_timeout(l, s);
	t.rank = (int32_t)rank;
	t.global = -1;
	add_timeout(l, &t);
	return true;
}

/* The watchdog of a process ended by an error of its own, or hangs itself. */
static bool read_ended(struct log *l, const char *s)
{
	static const char ended[] = "watchdog thread terminated with exception: ";
	const char *why = strstr(s, ended), *stuck = strstr(s, "watchdog got stuck");
	enum nccl_trouble trouble = TROUBLE_ERROR;
	struct log_timeout t;
	struct obs_nccl *r;

	if (why)
		why += strlen(ended);
	else if (stuck || strstr(s, "Heartbeat monitor timed out") ||
		 (strstr(s, "Terminating the process after attempting to dump") &&
			 !strstr(s, "collective timeout"))) {
		why = "its watchdog hangs: a call into NCCL or CUDA does not return";
		trouble = TROUBLE_STUCK;
	} else
		return false;
	if (strstr(why, "ncclRemoteError") || strstr(why, "network error"))
		trouble = TROUBLE_AFTER;
	t = new_timeout(l, s);
	r = nccl_add(l->o, NCCL_ERROR, SOURCE_WATCHDOG_LOG);
	if (!r)
		return true;
	r->comm = t.comm;
	r->comm_name = t.comm_name;
	r->rank = t.comm || t.global < 0 ? t.rank : t.global;
	r->func = obs_string(l->o, nccl_trouble_name(trouble));
	r->text = obs_string(l->o, why);
	r->begin_us = t.time_us;
	return true;
}

void nccl_log_timeouts(struct log *l)
{
	nccl_log_part_groups(l);
	for (size_t i = 0; i < l->timeouts.n; i++) {
		const struct log_timeout *t = &l->timeouts.at[i];
		struct obs_nccl *r = nccl_add(l->o, NCCL_STATE, SOURCE_WATCHDOG_LOG), *count;

		if (!r)
			return;
		r->comm = t->comm;
		r->comm_name = t->comm_name;
		r->rank = t->comm || t->global < 0 ? t->rank : t->global;
		r->state = NCCL_TIMED_OUT;
		r->func = t->func;
		r->seq = t->seq > 0 ? t->seq - 1 : -1;
		r->took_us = t->took_us;
		r->begin_us = t->time_us;
		r->elements = t->elements > 0 ? (uint64_t)t->elements : 0;
		if (t->enqueued < 0)
			continue;
		count = nccl_add(l->o, NCCL_COUNT, SOURCE_WATCHDOG_LOG);
		if (!count)
			return;
		r = count - 1;
		count->comm = r->comm;
		count->comm_name = r->comm_name;
		count->rank = r->rank;
		count->state = NCCL_TIMED_OUT;
		count->func = obs_string(l->o, NCCL_ANY_FUNC);
		count->seq = t->enqueued;
		count->completed = t->completed;
		count->begin_us = t->time_us;
	}
}

/* Where the message begins whose file name is at `mark`: at its rank or its severity. */
static const char *message_begin(const char *from, const char *mark)
{
	const char *at = mark;

	while (at > from && *at != '[')
		at--;
	/* "[rank3]:[E1206 18:44:12.7 ProcessGroupNCCL.cpp:607]" */
	for (const char *rank = at; rank > from && at - rank < 24; rank--)
		if (str_starts(rank, "[rank"))
			return rank;
	return at;
}

/* "E1127 02:41:00.253530467" of "[E1127 02:41:00.253530467 ProcessGroupNCCL.cpp:629]"; 0: none. */
static uint32_t stamp_before(struct obs *o, const char *from, const char *mark)
{
	const char *at = mark;

	while (at > from && at[-1] != '[')
		at--;
	return mark - at > 2 ? nccl_stringn(o, at, (size_t)(mark - at)) : 0;
}

/* A message of ProcessGroupNCCL in other words counts as any line does. */
static void read_message(struct log *l, const char *s)
{
	static bool (*const readers[])(struct log * l, const char *s) = {
		read_timeout, read_detected, read_dump, read_ended, nccl_log_framework};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i](l, s))
			return;
	(void)nccl_log_phrase(l, s);
}

static bool read_all(struct log *l, const char *line)
{
	static const char file[] = "ProcessGroupNCCL.cpp";
	char text[4096], writer[96];
	const char *mark = strstr(line, file), *next;

	l->writer = 0;
	if (!mark && !strstr(line, "Watchdog caught collective operation timeout") &&
		!strstr(line, "ProcessGroupNCCL"))
		return false;
	nccl_log_writer(line, writer, sizeof(writer));
	l->writer = *writer ? obs_string(l->o, writer) : 0;
	l->stamp = 0;
	if (!mark)
		read_message(l, line);
	for (; mark; mark = next) {
		size_t n;

		next = strstr(mark + 1, file);
		n = next ? (size_t)(message_begin(mark, next) - line) : strlen(line);
		(void)str_copyn(text, sizeof(text), line, n < sizeof(text) ? n : sizeof(text) - 1);
		l->stamp = stamp_before(l->o, line, mark);
		read_message(l, text);
		line += n;
	}
	return true;
}

/* The line tells of a timeout and ends before it says of which operation. */
static bool is_cut(const char *line)
{
	return strstr(line, "ProcessGroupNCCL.cpp") && strstr(line, "[Rank ") &&
	       (strstr(line, "Watchdog caught") ||
		       strstr(line, "terminated with exception: [Rank")) &&
	       !strstr(line, "before timing out");
}

bool nccl_log_watchdog(struct log *l, const char *line)
{
	if (is_cut(line) && str_copy(l->held, sizeof(l->held), line))
		return true;
	l->held[0] = '\0';
	return read_all(l, line);
}

bool nccl_log_watchdog_rest(struct log *l, const char *line)
{
	bool is_rest = !strstr(line, "ProcessGroupNCCL.cpp") && !strstr(line, "NCCL INFO ") &&
		       !strstr(line, "NCCL WARN ");
	char whole[sizeof(l->held) + 1024];

	if (!l->held[0])
		return false;
	(void)str_printf(whole, sizeof(whole), "%s%.1000s", l->held, is_rest ? line : "");
	l->held[0] = '\0';
	(void)read_all(l, whole);
	return is_rest;
}
