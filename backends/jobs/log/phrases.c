/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * Lines of a job's log that no library for collectives wrote: launchers, schedulers, the rendezvous
 * of torch, Gloo, tests. A table has the sentences that are known. A line with words of failure that
 * names a part of the cluster is kept as an unread warning, so nothing of that kind is lost.
 */

#define WORDS        3
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- sentences ---- */

enum {
	OF_PLACE = 1,  /* the machine in the sentence is the one that failed, not the far end */
	NEXT_LINES = 2 /* one of the next lines names the machine */
};

/* All words of a row must be in the line; the first matching row decides. */
struct phrase {
	const char *word[WORDS];
	enum nccl_trouble trouble; /* TROUBLE_OVER: the line says nothing */
	unsigned how;
	const char *says; /* NULL: its own words */
};

static const struct phrase phrases[] = {
	/* Said of healthy jobs, or beside the line that counts. */
	{{"Address family not supported"}, TROUBLE_OVER, 0, NULL},
	{{"errno: 99 "}, TROUBLE_OVER, 0, NULL},
	{{"Some NCCL operations have failed"}, TROUBLE_OVER, 0, NULL},
	{{"To avoid data inconsistency"}, TROUBLE_OVER, 0, NULL},
	{{"Stack trace of the failed"}, TROUBLE_OVER, 0, NULL},
	{{"dump signal"}, TROUBLE_OVER, 0, NULL},
	{{"dump debug info"}, TROUBLE_OVER, 0, NULL},
	{{"Exception raised from"}, TROUBLE_OVER, 0, NULL},
	{{"encountered a fatal error"}, TROUBLE_OVER, 0, NULL},
	{{"hit an exception"}, TROUBLE_OVER, 0, NULL},
	{{"Exception in "}, TROUBLE_OVER, 0, NULL},
	{{"See root cause above"}, TROUBLE_OVER, 0, NULL},
	{{"See stack trace above"}, TROUBLE_OVER, 0, NULL},
	{{"terminate called after throwing"}, TROUBLE_OVER, 0, NULL},
	{{"Fatal Python error"}, TROUBLE_OVER, 0, NULL},
	{{"libibverbs: Warning: couldn't"}, TROUBLE_OVER, 0, NULL},
	{{"error initializing an OpenFabrics device"}, TROUBLE_OVER, 0, NULL},
	{{"sent help message"}, TROUBLE_OVER, 0, NULL},
	{{"closing signal SIGTERM"}, TROUBLE_OVER, 0, NULL},
	{{"Killing subprocess"}, TROUBLE_OVER, 0, NULL},
	/* A process ended; the machine that is named is its own. */
	{{"srun: error: ", "Terminated"}, TROUBLE_AFTER, OF_PLACE, NULL},
	{{"srun: error: ", " task"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"srun: error: ", "ailed"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"srun: error: ", "ode failure"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"CANCELLED AT ", "NODE FAIL"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"slurmstepd: error: ", "oom"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"slurmstepd: error: ", "OOM"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"noticed that process rank", "exited on"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"lost communication with a remote daemon"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL},
	{{"*** Process received signal"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"(exitcode: -15)", "(pid: "}, TROUBLE_AFTER, OF_PLACE, NULL},
	{{"(exitcode: ", "(pid: "}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"exits with return code = -15"}, TROUBLE_AFTER, OF_PLACE, NULL},
	{{"exits with return code = "}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"has been marked dead"}, TROUBLE_ERROR, OF_PLACE,
		"marked dead by Ray: it sends no heartbeats"},
	{{"heartbeat timeout"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"Watchdog timeout ("}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{": Test failure "}, TROUBLE_OVER, 0, NULL},
	{{"Test NCCL failure", "remote process exited"}, TROUBLE_AFTER, OF_PLACE, NULL},
	{{"Test NCCL failure"}, TROUBLE_ERROR, OF_PLACE, NULL},
	{{"Test CUDA failure"}, TROUBLE_ERROR, OF_PLACE, NULL},
	/* The others never came. */
	{{"client socket has timed out"}, TROUBLE_CONNECT, 0, NULL},
	{{"Timed out after ", " joined"}, TROUBLE_CONNECT, 0, NULL},
	{{"wait timeout after ", "keys"}, TROUBLE_CONNECT, 0, NULL},
	{{"ncclUniqueId", "got error"}, TROUBLE_CONNECT, 0, NULL},
	{{"connectFullMesh failed"}, TROUBLE_CONNECT, 0, NULL},
	{{"ssh: connect to host"}, TROUBLE_CONNECT, 0, NULL},
	{{"ssh: Could not resolve hostname"}, TROUBLE_CONNECT, 0, NULL},
	/* Verbs, as programs of all kinds report them. */
	{{"ibv_modify_qp", "ailed"}, TROUBLE_CONNECT, 0, NULL},
	{{"ibv_create_ah", "ailed"}, TROUBLE_CONNECT, 0, NULL},
	{{"ibv_", "ailed"}, TROUBLE_ERROR, 0, NULL},
	{{"mlx5dv_", "ailed"}, TROUBLE_ERROR, 0, NULL},
	{{"RDMA_CM_EVENT_", "ERROR"}, TROUBLE_CONNECT, 0, NULL},
	{{"RDMA_CM_EVENT_UNREACHABLE"}, TROUBLE_CONNECT, 0, NULL},
	{{"RDMA_CM_EVENT_REJECTED"}, TROUBLE_CONNECT, 0, NULL},
	{{"neither nv_peer_mem"}, TROUBLE_NOTE, 0, NULL},
};

/* ---- connections that broke, in the words of the C library ---- */

static const struct phrase connections[] = {
	{{"onnection refused"}, TROUBLE_CONNECT, 0, NULL},
	{{"No route to host"}, TROUBLE_CONNECT, 0, NULL},
	{{"etwork is unreachable"}, TROUBLE_CONNECT, 0, NULL},
	{{"closed by peer"}, TROUBLE_AFTER, 0, NULL},
	{{"closed by remote"}, TROUBLE_AFTER, 0, NULL},
	{{"reset by peer"}, TROUBLE_AFTER, 0, NULL},
	{{"roken pipe"}, TROUBLE_AFTER, 0, NULL},
};

/* What carries a job's data or its start. Others read files and pages over connections of theirs. */
static const char *const carriers[] = {"gloo", "c10d", "TCPStore", "ProcessGroup", "NCCL", "RDMA",
	"rdma", "nccl", "MPI", "btl_tcp", "PMIX", "pmix", "orte", "prte", "ssh", "horovod", "UCX",
	"NVSHMEM", "nvshmem", "libibverbs", "ibv_", "GPUDirect", "peermem"};

/* ---- words of failure ---- */

static const char *const failures[] = {"error", "fail", "fatal", "timeout", "timed out", "abort",
	"refused", "unreachable", "reset by", "closed by", "broken pipe", "killed", "died",
	" dead", "lost ", "unable", "cannot", "could not", "couldn't", "not found", "no such",
	"not support", "denied", "exception", "exceeded", "corrupt", "invalid", "mismatch",
	"out of memory", "unavailable", "hung", "hangs", "stuck", "panic", "segfault", "skipping"};

static const char *const harmless[] = {"no error", "0 errors", "errors=0", "errors: 0", "error=0",
	"error: 0", "error rate", "without error", "deprecat", "futurewarning", "userwarning",
	"warnings.warn", "error_file", "errors.py", "errors/", "(most recent call", "validation",
	"loss", "accuracy", "ignore", "retry", "will be used instead", "falling back",
	"timeout=", "timeout:", "timeout(ms)=", "_timeout", "not critical", "no_error",
	"max_error", "error_if", "on_error"};

static const char *find_any(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *at = strcasestr(s, words[i]);

		if (at)
			return at;
	}
	return NULL;
}

static bool has_all(const char *s, const char *const *word)
{
	for (unsigned i = 0; i < WORDS && word[i]; i++)
		if (!strstr(s, word[i]))
			return false;
	return true;
}

static const struct phrase *find_phrase(const struct phrase *list, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (has_all(s, list[i].word))
			return &list[i];
	return NULL;
}

/* glog's "I1127 02:51:04.5 4711 file.cc:12]", which may stand in brackets. */
static bool is_glog(const char *s, char level)
{
	for (const char *at = strchr(s, level); at; at = strchr(at + 1, level))
		if ((at == s || strchr(" [:", at[-1])) && digits_is(at[1]) && digits_is(at[2]) &&
			digits_is(at[3]) && strchr(s, ':'))
			return true;
	return false;
}

/* The logger itself calls the line harmless. */
static bool is_told_as_news(const char *s)
{
	static const char *const levels[] = {" INFO ", "[INFO", "INFO:", "|INFO|", " DEBUG ",
		"[DEBUG", "DEBUG:", "level=info", "NCCL INFO", "\"INFO\"", " INFO:", "<info>"};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strstr(s, levels[i]))
			return true;
	return is_glog(s, 'I');
}

static bool is_level(const char *s, size_t n)
{
	static const char *const levels[] = {"ERROR", "WARNING", "WARN", "CRITICAL", "FATAL", "E", "W",
		"F", "error", "warning", "--", "|", "-", "stderr", "stdout"};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strlen(levels[i]) == n && strncmp(s, levels[i], n) == 0)
			return true;
	return false;
}

/* "02:51:16,464", "11-27", "E1127", "core.py:710", "4711": a word of a logger and not of a person. */
static bool is_tag(const char *s, size_t n)
{
	size_t digits = 0, others = 0;

	if (is_level(s, n) || (n > 7 && s[n - 1] == ':' && is_level(s, n - 1)))
		return true;
	for (size_t i = 0; i < n; i++) {
		digits += digits_is(s[i]);
		others += !digits_is(s[i]) && !strchr("-:.,/_TZ+<>", s[i]);
	}
	if (!digits)
		return n > 9 && memcmp(s + n - 9, "<stderr>:", 9) == 0;
	if (!others || (strchr("EWFI", *s) && others == 1))
		return true;
	return digits_is(s[n - 1]) && (memmem(s, n, ".py:", 4) || memmem(s, n, ".c", 2));
}

/* Length of "[...]" or "(...)" with the colon behind it; 0: it does not end, or it is no prefix. */
static size_t bracket_at(const char *s)
{
	const char *end = *s == '[' ? strchr(s, ']') : *s == '(' ? strchr(s, ')') : NULL;

	if (!end || end - s > 100 || (*s == '(' && !memmem(s, (size_t)(end - s), "pid=", 4)))
		return 0;
	end++;
	while (*end == ':' || (*end == '<' && strchr(end, '>')))
		end = *end == ':' ? end + 1 : strchr(end, '>') + 1;
	return (size_t)(end - s);
}

/* Where the words begin behind the prefixes of loggers: "[rank3]: ", "ERROR 11-27 [core.py:710] ". */
static const char *message_of(const char *s)
{
	const char *at = s;

	for (;;) {
		size_t blanks = strspn(at, " \t"), n;

		n = bracket_at(at + blanks);
		if (!n) {
			n = strcspn(at + blanks, " \t[");
			if (!n || !is_tag(at + blanks, n))
				return at;
		}
		if (!at[blanks + n])
			return s;
		at += blanks + n;
		/* Blanks behind the prefix are those of the message. */
		if (*at == ' ')
			at++;
	}
}

/* A line of a stack or of source text: its words are names in a program. */
static bool is_program_text(const char *message)
{
	static const char *const begins[] = {"File \"", "Traceback", "frame #", "^^", "~~", "#",
		"raise ", "except ", "return ", "self.", "def ", "if ", "at ", "import ", "from "};
	size_t blanks = strspn(message, " \t");

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (str_starts(message + blanks, begins[i]))
			return true;
	return blanks >= 4;
}

/* ---- words for a title ---- */

/*
 * A word that names a place in a program: "[../gloo/transport/tcp/pair.cc:144]", "ring.c:742:",
 * "pmixp_coll_ring_reset_if_to:", "0x14ce0c02cb20:".
 */
static bool is_source_place(const char *s, size_t n)
{
	static const char *const files[] = {".c:", ".cc:", ".cpp:", ".cu:", ".h:", ".hpp:", ".py:"};

	if (n > 9 && str_starts(s, "0x"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (memmem(s, n, files[i], strlen(files[i])))
			return true;
	return n >= 12 && s[n - 1] == ':' && (memchr(s, '_', n) || memchr(s, '/', n));
}

/* A copy without places in programs, and with long numbers cut: only so much is shown. */
static void condense(const char *s, char *dst, size_t size)
{
	static const char *const dropped[] = {"torch.distributed.", "what():"};
	size_t n = 0;

	while (*s && n + 1 < size) {
		size_t word, hex;

		s += strspn(s, " \t");
		for (size_t i = 0; i < ARRAY_LEN(dropped); i++)
			if (str_starts(s, dropped[i]))
				s += strlen(dropped[i]);
		s += strspn(s, " \t");
		word = strcspn(s, " \t");
		hex = strspn(s, "0123456789abcdef");
		if (word && !is_source_place(s, word))
			(void)str_printf(dst + n, size - n, "%s%.*s%s", n ? " " : "",
				(int)(hex >= 24 ? 8 : word), s, hex >= 24 ? ".." : "");
		n += strlen(dst + n);
		s += word;
	}
}

/* ---- records ---- */

/* The process of the line: what the launcher put before it, and what the words name. */
static struct log_line line_of(
	const struct log *l, const char *text, const struct log_named *named, bool of_place)
{
	struct log_line line = {.text = text, .pid = named->pid, .gpu = named->gpu};

	line.label = nccl_log_label(text, strlen(text));
	if (line.label < 0)
		line.label = named->rank;
	line.time_us = nccl_log_time(l, text, strlen(text));
	nccl_log_launcher(text, strlen(text), &line);
	if (named->pid >= 0)
		line.pid = named->pid;
	if (named->host[0])
		(void)str_copy(line.host, sizeof(line.host), named->host);
	else if (of_place && named->peer[0])
		(void)str_copy(line.host, sizeof(line.host), named->peer);
	return line;
}

static void add_record(struct log *l, const char *text, const struct log_named *named,
	const struct phrase *p)
{
	bool of_place = p->how & OF_PLACE;
	struct log_line line = line_of(l, text, named, of_place);
	struct obs_nccl *r = nccl_log_error(l, &line, p->trouble);
	char words[256] = "";

	if (!r)
		return;
	condense(message_of(text), words, sizeof(words));
	r->text = obs_string(l->o, p->says ? p->says : words[0] ? words : text);
	r->nic = obs_string(l->o, named->nic);
	if (!of_place)
		r->text2 = obs_string(l->o, named->peer);
}

/* perftest: "Failed status 12: wr_id 0 syndrom 0x81". */
static bool read_status(struct log *l, const char *s)
{
	int64_t status = scan_after(s, "Failed status ", 256);
	struct log_named named;

	if (status < 0 || !strstr(s, "wr_id") || !nccl_wc_status(status))
		return false;
	nccl_log_named(s, &named);
	nccl_log_completion(l, s, &named, status);
	return true;
}

/* ---- blocks of several lines ---- */

#define BLOCK_LINES 8

/* "  host      : gpu-node-03" */
static const char *value_of(const char *s, const char *key)
{
	s += strspn(s, " ");
	/* Prefixes of launchers stand before the blanks. */
	if (!str_starts(s, key)) {
		s = message_of(s);
		s += strspn(s, " ");
	}
	if (!str_starts(s, key))
		return NULL;
	s += strlen(key);
	s += strspn(s, " ");
	return *s == ':' && s[1] == ' ' ? s + 2 : NULL;
}

static void end_failure(struct log *l)
{
	struct log_block *b = &l->block;
	bool ended_by_agent = strstr(b->text, "SIGTERM") != NULL;
	struct log_line line = {.text = b->text, .pid = b->named.pid, .gpu = -1};
	struct obs_nccl *r;
	char say[200];

	if (b->kind != BLOCK_FAILURE || !b->text[0])
		return;
	(void)str_copy(line.host, sizeof(line.host), b->named.host);
	line.label = b->named.rank;
	line.time_us = b->time_us;
	r = nccl_log_error(
		l, &line, b->is_cause && !ended_by_agent ? TROUBLE_ERROR : TROUBLE_AFTER);
	if (r) {
		(void)str_printf(say, sizeof(say), "rank %d: %s%s", (int)b->named.rank, b->text,
			b->is_cause ? ", the first failure that torchrun saw" : "");
		r->text = obs_string(l->o, say);
	}
	b->text[0] = '\0';
}

/*
 * The summary of torchrun: of each failed process host, rank, exitcode and traceback, the last one
 * below "Root Cause (first observed failure):".
 */
static bool read_failure(struct log *l, const char *s)
{
	struct log_block *b = &l->block;
	const char *value;

	if (strstr(s, "Root Cause (first observed failure)") || str_starts(s, "Failures:")) {
		b->is_cause = *s != 'F' || strstr(s, "Root Cause") != NULL;
		b->kind = BLOCK_FAILURE;
		b->text[0] = '\0';
		b->named = (struct log_named){.pid = -1, .rank = -1, .gpu = -1};
		return true;
	}
	if (b->kind != BLOCK_FAILURE)
		return false;
	if ((value = value_of(s, "time"))) {
		b->time_us = nccl_log_time(l, value, strlen(value));
	} else if ((value = value_of(s, "host"))) {
		(void)str_copyn(b->named.host, sizeof(b->named.host), value, strcspn(value, " "));
	} else if ((value = value_of(s, "rank"))) {
		b->named.rank = digits_is(*value) ? (int32_t)strtol(value, NULL, 10) : -1;
	} else if ((value = value_of(s, "exitcode"))) {
		b->named.pid = (int32_t)scan_after(value, "(pid: ", INT32_MAX);
		(void)str_printf(b->text, sizeof(b->text), "exitcode %.*s",
			(int)strcspn(value, " "), value);
	} else if ((value = value_of(s, "traceback"))) {
		size_t n = strlen(b->text);

		(void)str_printf(b->text + n, sizeof(b->text) - n, ", %.100s", value);
		end_failure(l);
	} else if (strstr(s, "=====")) {
		b->kind = BLOCK_NONE;
	} else {
		return strspn(s, "-") > 8 || value_of(s, "error_file");
	}
	return true;
}

/* The machine that the sentence before spoke of. */
static bool read_next(struct log *l, const char *s)
{
	static const struct phrase ended = {{""}, TROUBLE_ERROR, OF_PLACE, NULL};
	struct log_block *b = &l->block;
	struct log_named named;

	if (b->kind != BLOCK_NEXT)
		return false;
	nccl_log_named(s, &named);
	if (strstr(s, "HNP daemon"))
		named.host[0] = '\0';
	b->lines++;
	if (!named.host[0] && b->lines < BLOCK_LINES)
		return false;
	b->kind = BLOCK_NONE;
	if (named.host[0])
		b->named = named;
	add_record(l, b->text, &b->named, &ended);
	return named.host[0] != '\0';
}

/* ---- lines ---- */

static const struct phrase *classify(const char *s, const struct log_named *named)
{
	static const struct phrase unread = {{""}, TROUBLE_NOTE, 0, NULL};
	const struct phrase *p = find_phrase(phrases, ARRAY_LEN(phrases), s);
	const char *message = message_of(s);
	bool carries;

	if (p)
		return p;
	if (is_told_as_news(s) || is_program_text(message))
		return NULL;
	carries = find_any(s, carriers, ARRAY_LEN(carriers)) != NULL;
	p = find_phrase(connections, ARRAY_LEN(connections), s);
	if (p && carries)
		return p;
	if (!find_any(s, failures, ARRAY_LEN(failures)) ||
		find_any(s, harmless, ARRAY_LEN(harmless)))
		return NULL;
	return carries || nccl_log_names_any(named) ? &unread : NULL;
}

bool nccl_log_phrase(struct log *l, const char *s)
{
	const struct phrase *p;
	struct log_named named;

	if (read_failure(l, s) || read_next(l, s) || read_status(l, s))
		return true;
	nccl_log_named(s, &named);
	p = classify(s, &named);
	if (!p)
		return false;
	if (p->trouble == TROUBLE_OVER)
		return true;
	if (p->how & NEXT_LINES) {
		l->block = (struct log_block){.kind = BLOCK_NEXT, .named = named};
		(void)str_copy(l->block.text, sizeof(l->block.text), s);
		return true;
	}
	add_record(l, s, &named, p);
	return true;
}

void nccl_log_phrases_end(struct log *l)
{
	static const struct phrase ended = {{""}, TROUBLE_ERROR, OF_PLACE, NULL};

	end_failure(l);
	if (l->block.kind == BLOCK_NEXT)
		add_record(l, l->block.text, &l->block.named, &ended);
	l->block.kind = BLOCK_NONE;
}
