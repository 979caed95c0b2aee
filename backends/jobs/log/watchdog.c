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
		{"REDUCE", "Reduce"}, {"ALLTOALL", "AlltoAll"}, {"ALLTOALL_BASE", "AlltoAll"},
		{"SEND", "Send"}, {"RECV", "Recv"}, {"BARRIER", "Barrier"}};

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
static bool is_same(const struct log_timeout *a, const struct log_timeout *b)
{
	if (a->seq >= 0 && b->seq >= 0 && a->seq != b->seq)
		return false;
	if (a->comm && b->comm && a->comm != b->comm)
		return false;
	return a->global >= 0 && b->global >= 0 ? a->global == b->global : a->rank == b->rank;
}

static void add_timeout(struct log *l, const struct log_timeout *t)
{
	for (size_t i = l->timeouts.n; i-- > 0;) {
		struct log_timeout *was = &l->timeouts.at[i];

		if (!is_same(was, t))
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
	struct log_timeout t = {
		.rank = scan_rank(s), .seq = -1, .enqueued = -1, .completed = -1, .took_us = NAN};

	t.global = nccl_log_label(s, strlen(s));
	t.time_us = nccl_log_time(l, s, strlen(s));
	scan_group(l, s, &t.comm, &t.comm_name);
	return t;
}

static bool read_timeout(struct log *l, const char *s)
{
	const char *work = strstr(s, "WorkNCCL("), *word, *name;
	struct log_timeout t;
	int64_t ms;
	size_t n;

	if (!work || !strstr(s, "Watchdog caught collective operation timeout"))
		return false;
	t = new_timeout(l, s);
	t.seq = scan_after(work, "SeqNum=", INT64_MAX);
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

/* The last record names no process: a process that said the same before has said it. */
static void drop_repeated(struct log *l)
{
	size_t n = l->o->nccl.n;
	const struct obs_nccl *last = n ? &l->o->nccl.at[n - 1] : NULL;

	for (size_t i = 0; last && i + 1 < n; i++) {
		const struct obs_nccl *r = &l->o->nccl.at[i];

		if (r->kind != NCCL_ERROR || r->pid < 0 || r->state != last->state ||
			!str_eq(obs_text(l->o, r->text), obs_text(l->o, last->text)))
			continue;
		l->o->nccl.n--;
		return;
	}
}

/* A message of NCCL's network code that a framework repeats; false: it is another one. */
static bool read_own_words(struct log *l, const char *line, const char *words)
{
	struct log_line own = {.text = words, .warn = true, .pid = -1, .gpu = -1};

	own.label = nccl_log_label(line, (size_t)(words - line));
	own.time_us = nccl_log_time(l, line, (size_t)(words - line));
	nccl_log_launcher(line, (size_t)(words - line), &own);
	if (!strstr(words, "Got completion") || !nccl_log_net(l, &own))
		return false;
	drop_repeated(l);
	return true;
}

/* "ncclRemoteError: A call failed possibly due to ...": torch explains the result before it. */
static bool is_explained(const char *message)
{
	message += strspn(message, " ");
	return str_starts(message, "nccl") &&
	       (strstr(message, "Error: ") || strstr(message, "Usage: ") ||
		       strstr(message, "Argument: "));
}

bool nccl_log_last_error(struct log *l, const char *line)
{
	static const char mark[] = "Last error:";
	const char *at = strstr(line, mark);
	struct obs_nccl *r;
	bool is_last;

	if (!l->framework || l->framework > l->o->nccl.n)
		return false;
	if (!l->last_error && is_explained(nccl_log_message(line)))
		return true;
	r = &l->o->nccl.at[l->framework - 1];
	is_last = l->framework == l->o->nccl.n;
	if (at && !at[strlen(mark) + strspn(at + strlen(mark), " ")]) {
		l->last_error = true;
		l->prefix = (size_t)(at - line);
		return true;
	}
	if (!l->last_error)
		return false;
	l->last_error = false;
	l->framework = 0;
	if (strlen(line) <= l->prefix)
		return false;
	at = line + l->prefix;
	at += strspn(at, " ");
	if (is_last && strstr(at, "Got completion")) {
		l->o->nccl.n--;
		(void)read_own_words(l, line, at);
		return true;
	}
	r->text = obs_string(l->o, at);
	/* Of an internal error NCCL's words may tell that another process is the cause. */
	if (nccl_log_trouble(at) == TROUBLE_AFTER || nccl_log_trouble(at) == TROUBLE_CONNECT)
		r->func = obs_string(l->o, nccl_trouble_name(nccl_log_trouble(at)));
	return true;
}

/* What ncclGetErrorString() says, behind an engine's own "NCCL error" or "NCCL failure". */
static const char *find_result(const char *line)
{
	static const char *const results[] = {"unhandled cuda error", "unhandled system error",
		"internal error", "invalid argument", "invalid usage", "remote process exited",
		"unknown result code"};
	const char *at = strcasestr(line, "NCCL error"), *found;

	if (!at)
		at = strcasestr(line, "NCCL failure");
	for (size_t i = 0; at && i < sizeof(results) / sizeof(results[0]); i++) {
		found = strstr(at, results[i]);
		if (found)
			return found;
	}
	return NULL;
}

/*
 * Reads XLA's "... nccl_utils.cc:191] Aborting communicator: 0x5555 due to async NCCL error: remote
 * process exited", "NCCL operation ncclCommInitRank(...) failed: unhandled system error", and
 * torch's "RuntimeError: NCCL error in: ..., unhandled cuda error, NCCL version 2.7.8". NCCL's own
 * words count more: the line names no process.
 */
bool nccl_log_framework(struct log *l, const char *line)
{
	static const char *const words[] = {"async NCCL error: ", "NCCL error in: ", "NCCL error: ",
		"NCCL operation ", "Failed to modify QP to "};
	static const char last[] = "Last error: ";
	struct log_line process = {.pid = -1};
	const char *s = NULL, *own, *comma, *entry;
	char text[256];
	struct obs_nccl *r;

	/* nccl-tests names its host: see phrases.c. */
	if (strstr(line, ": Test NCCL failure"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !s; i++)
		s = strstr(line, words[i]);
	if (!s)
		s = find_result(line);
	if (!s || (str_starts(s, "NCCL operation ") && !strstr(s, "failed")))
		return false;
	own = strstr(s, last);
	if (own && own[strlen(last)] && read_own_words(l, line, own + strlen(last)))
		return true;
	r = nccl_add(l->o, NCCL_ERROR, SOURCE_NCCL_LOG);
	if (!r)
		return true;
	l->framework = l->o->nccl.n;
	r->rank = nccl_log_label(line, (size_t)(s - line));
	nccl_log_launcher(line, (size_t)(s - line), &process);
	r->host = obs_string(l->o, process.host);
	r->pid = process.pid;
	/* Of a remote error the cause is elsewhere; these are of the process itself. */
	r->func = obs_string(
		l->o, nccl_trouble_name(strstr(s, "internal error") || strstr(s, "invalid usage") ||
							strstr(s, "invalid argument") ||
							strstr(s, "cuda error")
						? TROUBLE_ERROR
					: str_starts(s, "Failed to modify QP") ? TROUBLE_CONNECT
									       : TROUBLE_AFTER));
	/* The place in torch's source says nothing: "NCCL error in: FILE:1197, unhandled ...". */
	comma = str_starts(s, "NCCL error in: ") ? strstr(s, ", ") : NULL;
	r->text = obs_string(l->o, comma ? comma + 2 : s);
	/* XLA: "... failed: unhandled system error (run ...). Last NCCL warning(error) log entry
	   (may be unrelated) 'socketTryAccept: ...'." */
	entry = strstr(s, "log entry");
	entry = entry ? strchr(entry, '\'') : NULL;
	if (entry && strstr(s, "failed: ")) {
		own = strstr(s, "failed: ") + strlen("failed: ");
		(void)str_printf(text, sizeof(text), "%.*s: %.*s", (int)strcspn(own, "(.;"), own,
			(int)strcspn(entry + 1, "'"), entry + 1);
		r->text = obs_string(l->o, text);
	}
	r->begin_us = nccl_log_time(l, line, (size_t)(s - line));
	return true;
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

bool nccl_log_watchdog(struct log *l, const char *line)
{
	static const char file[] = "ProcessGroupNCCL.cpp";
	char text[4096];
	const char *mark = strstr(line, file), *next;

	if (!mark) {
		if (!strstr(line, "Watchdog caught collective operation timeout") &&
			!strstr(line, "ProcessGroupNCCL"))
			return false;
		read_message(l, line);
		return true;
	}
	for (; mark; mark = next) {
		size_t n;

		next = strstr(mark + 1, file);
		n = next ? (size_t)(message_begin(mark, next) - line) : strlen(line);
		(void)str_copyn(text, sizeof(text), line, n < sizeof(text) ? n : sizeof(text) - 1);
		read_message(l, text);
		line += n;
	}
	return true;
}
