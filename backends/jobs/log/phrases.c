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
 * of torch, Gloo, tests. A table has the sentences that are known. A line with words of failure
 * that names a part of the cluster is kept as an unread warning, so nothing of that kind is lost.
 */

#define WORDS        3
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- sentences ---- */

enum {
	OF_PLACE = 1,   /* the machine in the sentence is the one that failed, not the far end */
	NEXT_LINES = 2, /* one of the next lines names the machine */
	OF_RANKS = 8,   /* the line is of other ranks than the one that wrote it */
	OF_HOST = 4 /* a host that is named is that of the process, an address is the far end's */
};

/* All words of a row must be in the line; the first matching row decides. */
struct phrase {
	const char *word[WORDS];
	enum nccl_trouble trouble; /* TROUBLE_OVER: the line says nothing */
	unsigned how;
	const char *says; /* NULL: its own words */
	uint8_t status;   /* of ibv_wc_status, 0: none */
};

static const struct phrase phrases[] = {
	/* Said of healthy jobs, or beside the line that counts. */
	{{"failed to connect to any network address"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"client socket has failed to connect"}, TROUBLE_OVER, 0, NULL, 0}, /* it tries again */
	{{"hostname of the client socket"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Unable to resolve hostname to a"}, TROUBLE_OVER, 0, NULL, 0},
	{{"srun: Job step aborted"}, TROUBLE_OVER, 0, NULL, 0},
	{{"srun: Force Terminated"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Some NCCL operations have failed"}, TROUBLE_OVER, 0, NULL, 0},
	{{"To avoid data inconsistency"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Stack trace of the failed"}, TROUBLE_OVER, 0, NULL, 0},
	{{"dump signal"}, TROUBLE_OVER, 0, NULL, 0},
	{{"dump debug info"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Exception raised from"}, TROUBLE_OVER, 0, NULL, 0},
	{{"encountered a fatal error"}, TROUBLE_OVER, 0, NULL, 0},
	{{"hit an exception"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Exception in "}, TROUBLE_OVER, 0, NULL, 0},
	{{"See root cause above"}, TROUBLE_OVER, 0, NULL, 0},
	{{"See stack trace above"}, TROUBLE_OVER, 0, NULL, 0},
	{{"terminate called after throwing"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Fatal Python error"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Stack trace:"}, TROUBLE_OVER, 0, NULL, 0},
	{{"libibverbs: Warning: couldn't"}, TROUBLE_OVER, 0, NULL, 0},
	{{"error initializing an OpenFabrics device"}, TROUBLE_OVER, 0, NULL, 0},
	{{"sent help message"}, TROUBLE_OVER, 0, NULL, 0},
	{{"closing signal SIGTERM"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Killing subprocess"}, TROUBLE_OVER, 0, NULL, 0},
	/* A process ended; the machine that is named is its own. */
	{{"srun: error: ", "Terminated"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"srun: error: ", " task"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"srun: error: ", "ailed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"srun: error: ", "ode failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"CANCELLED AT ", "NODE FAIL"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"slurmstepd: error: ", "oom"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"slurmstepd: error: ", "OOM"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"noticed that process rank", "exited on"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"lost communication with a remote daemon"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL,
		0},
	{{"*** Process received signal"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"(exitcode: -15)", "(pid: "}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"(exitcode: ", "(pid: "}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"exits with return code = -15"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"exits with return code = "}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"has been marked dead"}, TROUBLE_ERROR, OF_PLACE,
		"marked dead by Ray: it sends no heartbeats", 0},
	{{"heartbeat timeout"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Watchdog timeout ("}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{": Test failure "}, TROUBLE_OVER, 0, NULL, 0},
	{{"Caught signal"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"core dumped"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"SIGTERM received"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"received by PID", "stack trace"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"The first process to do so was"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	{{"InfiniBand retry count between"}, TROUBLE_ERROR, NEXT_LINES,
		"retries exceeded (status 12), Open MPI", 12},
	{{"MPI_ABORT was invoked on rank"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"PID ", " RUNNING AT "}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"ssh exited with exit code"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"command terminated with exit code"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"OOMKilled"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"exceeds the memory usage threshold"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"where this task was running crashed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Worker exit type: SYSTEM_ERROR"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"worker died or was killed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Raylet failed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"actor died"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	/* One rank is not where the others are: it is the one that is named. */
	{{"failed to pass monitoredBarrier"}, TROUBLE_ERROR, OF_PLACE | OF_RANKS, NULL, 0},
	{{"Barrier timed out"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Detected mismatch between collectives"}, TROUBLE_ERROR, OF_PLACE | OF_RANKS, NULL, 0},
	/* Horovod: the second line, of each operation, has the ranks. */
	{{"[missing ranks: "}, TROUBLE_NOTE, 0, NULL, 0},
	{{"waiting for remainder of ranks"}, TROUBLE_NOTE, 0,
		"some ranks do not join an operation: waiting for remainder of ranks", 0},
	{{"Polled an error from coordination service"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"Application timeout caused pair closure"}, TROUBLE_ERROR, 0, NULL, 0},
	/* GPUs */
	{{"Memory access fault by GPU"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"HSA_STATUS_ERROR"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"illegal memory access was encountered"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"unspecified launch failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"uncorrectable ECC error"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"CUDA out of memory"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"HIP out of memory"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"system not yet initialized"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"GPU is lost"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"determine the device handle for GPU"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Test NCCL failure", "remote process exited"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"Test NCCL failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Test CUDA failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	/* The others never came. */
	{{"client socket has timed out"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Timed out after ", " joined"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"wait timeout after ", "keys"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ncclUniqueId", "got error"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"connectFullMesh failed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"connection to the C10d store has failed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"connect() timed out"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"RendezvousTimeoutError"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ssh: connect to host"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ssh: Could not resolve hostname"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Couldn't connect to "}, TROUBLE_CONNECT, 0, NULL, 0}, /* perftest */
	{{"Unable to Connect the HCA"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"failed to TCP connect"}, TROUBLE_CONNECT, NEXT_LINES, NULL, 0},
	{{"unable to complete a TCP connection"}, TROUBLE_CONNECT, NEXT_LINES, NULL, 0},
	{{"odify QP", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"odify qp", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	/* Verbs, as programs of all kinds report them. */
	{{"ibv_modify_qp", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ibv_create_ah", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ibv_", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"register memory", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"MR registration failed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"ailed to register MR"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"mlx5dv_", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"RDMA_CM_EVENT_", "ERROR"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"RDMA_CM_EVENT_UNREACHABLE"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"RDMA_CM_EVENT_REJECTED"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"neither nv_peer_mem"}, TROUBLE_NOTE, 0, NULL, 0},
	{{"nable to find address for"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"nable to find interface"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
};

/* ---- connections that broke, in the words of the C library ---- */

static const struct phrase connections[] = {
	/* It was up: the far end, or the path to it, stopped answering. */
	{{"ead error", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"rite error", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"recv", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"send", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"onnection timed out"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"onnection refused"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"No route to host"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"etwork is unreachable"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"closed by peer"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"closed by remote"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"reset by peer"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"roken pipe"}, TROUBLE_AFTER, 0, NULL, 0},
};

/*
 * What carries a job's data or its start, at the beginning of a word. Others read files and pages
 * over connections of theirs.
 */
static const char *const carriers[] = {"gloo", "c10d", "TCPStore", "ProcessGroup", "NCCL", "RCCL",
	"MPI", "btl_tcp", "PMIX", "ORTE", "PRTE", "ssh:", "horovod",
	"srun:", "slurmstepd:", "mpirun", "pyxis", "enroot", "rendezvous", "nixl", "mooncake",
	"UCCL", "DeepEP", "mscclpp", "coordination service", "KVTransfer", "KV Cache transfer"};
static const char *const rdma[] = {"RDMA", "RoCE", "UCX", "NVSHMEM", "rocSHMEM", "libibverbs",
	"ibv_", "GPUDirect", "nvidia_peermem", "nvidia-peermem", "nv_peer_mem", "QP ", "verbs",
	"DMA-BUF", "DMABUF", "libfabric", "NET/OFI", "NET/IB", "HCA", "rkey", "memory region",
	"mlx5", "mlx4", "bnxt_re", "irdma", "ionic", "erdma"};
/* A host's GPUs and their software. */
static const char *const hardware[] = {"NVML", "CUDA driver", "CUDA error", "libcuda", "NVLink",
	"NVSwitch", "fabric manager", "fabricmanager", "nvidia-smi", "ROCm", "HSA_STATUS",
	"HIP error", "hipError", "cudaError", "CUDA_ERROR"};

/* ---- words of failure ---- */

static const char *const strong[] = {"error", "fail", "fatal", "timeout", "timed out", "abort",
	"refused", "unreachable", "reset by", "closed by", "broken pipe", "killed", "died", " dead",
	"lost ", "exceeded", "corrupt", "out of memory", "hung", "stuck", "panic", "segfault"};
/* Also of settings and of parts that a healthy job goes without. */
static const char *const weak[] = {"unable", "cannot", "could not", "couldn't", "not found",
	"no such", "not support", "denied", "exception", "invalid", "mismatch", "unavailable",
	"hangs", "skipping"};

/* Services that a job reads or tells, and libraries for them. */
static const char *const outside[] = {"requests.exceptions", "urllib3", "HTTPSConnectionPool",
	"HTTPConnectionPool", "HTTPError", "huggingface", "wandb", "tensorboard", "botocore",
	"aiohttp", "mlflow", "file_system_monitor"};

static const char *const harmless[] = {"no error", "gdrcopy", "0 errors", "errors=0", "errors: 0",
	"error=0", "error: 0", "error rate", "without error", "deprecat", "futurewarning",
	"userwarning", "warnings.warn", "error_file", "errors.py", "errors/", "(most recent call",
	"validation", "loss:", "loss=", "loss scale", "_loss", "accuracy", "ignor", "retrying",
	"will retry", "will be used instead", "falling back",
	"timeout=", "timeout:", "timeout(ms)=", "_timeout", "not critical", "no_error", "max_error",
	"error_if", "on_error"};

/* The first place in the text that has any of the words; NULL: there is none. */
static const char *find_any(const char *s, const char *const *words, size_t n)
{
	const char *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *at = strcasestr(s, words[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

/* The same at the beginning of a word. */
static bool has_word(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (const char *at = s; (at = strcasestr(at, words[i])); at++)
			if (at == s || !isalnum((unsigned char)at[-1]))
				return true;
	return false;
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

/* Prefixes name the own process, and the message all else. */
static void find_named(const char *s, struct log_named *out)
{
	const char *message = nccl_log_message(s);
	struct log_named whole;

	nccl_log_named(message, out);
	if (message == s)
		return;
	nccl_log_named(s, &whole);
	if (!out->host[0]) {
		(void)str_copy(out->host, sizeof(out->host), whole.host);
		out->own_host = whole.own_host;
	}
	if (out->rank < 0)
		out->rank = whole.rank;
	if (out->pid < 0)
		out->pid = whole.pid;
}

/* ---- records ---- */

/* The process of the line: what the launcher put before it, and what the words name. */
static struct log_line line_of(
	const struct log *l, const char *text, const struct log_named *named, unsigned how)
{
	struct log_line line = {.text = text, .pid = named->pid, .gpu = named->gpu};

	line.label = nccl_log_label(text, strlen(text));
	if (line.label < 0)
		line.label = named->rank;
	/* "[Rank 0]: Rank 3 failed to pass monitoredBarrier"; of several it is none of them. */
	if (how & OF_RANKS)
		line.label = (int32_t)scan_after(text, "]: Rank ", NCCL_RANKS_MAX);
	line.time_us = nccl_log_time(l, text, strlen(text));
	nccl_log_launcher(text, strlen(text), &line);
	if (named->pid >= 0)
		line.pid = named->pid;
	/* "unable to complete a TCP connection": the machine that is named is the far end. */
	if (named->host[0] && ((how & (OF_PLACE | OF_HOST)) || named->own_host))
		(void)str_copy(line.host, sizeof(line.host), named->host);
	else if ((how & OF_PLACE) && named->peer[0])
		(void)str_copy(line.host, sizeof(line.host), named->peer);
	return line;
}

/* So much of a word of failure and what follows it is shown. */
#define KEY_LEN 12

static void add_record(
	struct log *l, const char *text, const struct log_named *named, const struct phrase *p)
{
	struct log_line line = line_of(l, text, named, p->how);
	struct obs_nccl *r = nccl_log_error(l, &line, p->trouble);
	const char *said; /* in the exception, rather than of the request */
	char words[1024] = "";
	const char *at;

	if (!r)
		return;
	said = strstr(text, " with exception ");
	nccl_log_condense(said ? said + strlen(" with exception ") : nccl_log_message(text), words,
		sizeof(words));
	if (!words[0])
		(void)str_copy(words, sizeof(words), text);
	at = p->word[0] && *p->word[0] ? strstr(words, p->word[0])
				       : find_any(words, strong, ARRAY_LEN(strong));
	r->text = obs_string(
		l->o, p->says ? p->says
			      : nccl_log_near(words, at,
					p->word[0] && *p->word[0] ? strlen(p->word[0]) : KEY_LEN));
	r->nic = obs_string(l->o, named->nic);
	r->state = p->status;
	if (!(p->how & OF_PLACE))
		r->text2 = obs_string(l->o, named->peer[0]       ? named->peer
					    : (p->how & OF_HOST) ? ""
								 : named->host);
}

void nccl_log_record(
	struct log *l, const char *s, enum nccl_trouble trouble, const char *says, uint8_t status)
{
	const struct phrase p = {.trouble = trouble, .says = says, .status = status};
	struct log_named named;

	find_named(s, &named);
	add_record(l, s, &named, &p);
}

/* ---- lines ---- */

static bool names_part(const char *message, const struct log_named *named)
{
	return named->nic[0] || has_word(message, rdma, ARRAY_LEN(rdma)) || named->peer[0] ||
	       named->host[0] || named->gpu >= 0 ||
	       has_word(message, carriers, ARRAY_LEN(carriers)) ||
	       has_word(message, hardware, ARRAY_LEN(hardware));
}

/*
 * Whether the line, in unknown words, may be of the cluster: one that its logger or Python calls an
 * error, or a warning with words of failure, unless it is about services outside; else one with
 * such words that names a part.
 */
static bool is_of_cluster(const char *s, const char *message, const struct log_named *named)
{
	bool of_rdma = named->nic[0] || has_word(message, rdma, ARRAY_LEN(rdma));
	enum log_level level = nccl_log_level(s, message);
	bool fails = find_any(message, strong, ARRAY_LEN(strong)) != NULL;

	if (level == LEVEL_ERROR || (level == LEVEL_WARN && fails))
		return !find_any(s, outside, ARRAY_LEN(outside));
	return fails ? names_part(message, named)
		     : of_rdma && find_any(message, weak, ARRAY_LEN(weak));
}

/*
 * A sentence that has a word of failure and names nothing: it is shown as a mere hint. Lists of
 * settings, measures and commands are no sentences.
 */
static bool is_hint(const char *s, const char *message)
{
	static const char *const lists[] = {"....", " --", "\": ", "| ", " = ", "==", ": 0 "};
	unsigned words = 0;
	bool fails = false, named = false;

	if (find_any(s, outside, ARRAY_LEN(outside)) || find_any(s, lists, ARRAY_LEN(lists)))
		return false;
	for (const char *at = message; *at; words++) {
		at += strspn(at, " \t\"'(");
		/* "error 0.01", "Failed requests:     0": measures */
		if (digits_is(*at) && (named || (at - message > 1 && strstr(message, ":  "))))
			return false;
		named = false;
		for (size_t i = 0; i < ARRAY_LEN(strong); i++)
			named |= strncasecmp(at, strong[i], strlen(strong[i])) == 0;
		fails |= named;
		at += strcspn(at, " \t");
	}
	return fails && words >= 4 && isalpha((unsigned char)message[strspn(message, " \t")]);
}

/* A connection of the job, or of one of its processes that ended by it. */
static bool is_of_job(const char *s, const char *message)
{
	return has_word(s, rdma, ARRAY_LEN(rdma)) || has_word(s, carriers, ARRAY_LEN(carriers)) ||
	       str_starts(message + strspn(message, " "), "RuntimeError: ");
}

static const struct phrase *classify(const char *s, const struct log_named *named)
{
	static const struct phrase unread = {{""}, TROUBLE_NOTE, OF_HOST, NULL, 0},
				   hint = {{""}, TROUBLE_HINT, OF_HOST, NULL, 0},
				   ended = {{""}, TROUBLE_ERROR, OF_HOST, NULL, 0};
	const struct phrase *p = find_phrase(phrases, ARRAY_LEN(phrases), s);
	const char *message = nccl_log_message(s);
	bool is_outside = find_any(s, outside, ARRAY_LEN(outside)) != NULL;

	if (p)
		return p;
	if (nccl_log_level(s, message) <= LEVEL_PROGRAM)
		return NULL;
	p = find_phrase(connections, ARRAY_LEN(connections), s);
	if (p && !is_outside && is_of_job(s, message))
		return p;
	if (find_any(s, harmless, ARRAY_LEN(harmless)))
		return NULL;
	/* It ends its process, and is of a part of the cluster. */
	if (!is_outside && nccl_log_is_exception(message) &&
		(names_part(message, named) || strstr(s, "what(): ")))
		return &ended;
	if (is_of_cluster(s, message, named))
		return &unread;
	return is_hint(s, message) ? &hint : NULL;
}

/* Whether the line is the exception that a logger's warning has brought with its traceback. */
static bool is_handled(struct log *l, const char *s)
{
	const char *message = nccl_log_message(s);
	bool was = l->handled;

	message += strspn(message, " ");
	if (str_starts(message, "Traceback (most recent call")) {
		l->handled = l->warned;
		l->warned = false;
		return false;
	}
	l->warned = nccl_log_level(s, message) == LEVEL_WARN;
	if (!nccl_log_is_exception(message))
		return false;
	l->handled = false;
	return was;
}

bool nccl_log_phrase(struct log *l, const char *s)
{
	static const struct phrase unread = {{""}, TROUBLE_NOTE, OF_HOST, NULL, 0};
	const struct phrase *p;
	struct log_named named;
	bool handled = is_handled(l, s);

	if (nccl_log_block(l, s) || nccl_log_verbs(l, s) || nccl_log_results(l, s))
		return true;
	find_named(s, &named);
	p = classify(s, &named);
	if (!p)
		return false;
	if (p->trouble == TROUBLE_OVER)
		return true;
	if (handled)
		p = &unread;
	if (p->how & NEXT_LINES) {
		l->block = (struct log_block){
			.kind = BLOCK_NEXT, .of_place = p->how & OF_PLACE, .named = named};
		(void)str_copy(l->block.text, sizeof(l->block.text), s);
		return true;
	}
	add_record(l, s, &named, p);
	return true;
}

void nccl_log_sentence(struct log *l, const struct log_block *b)
{
	const struct phrase *p = find_phrase(phrases, ARRAY_LEN(phrases), b->text);

	if (p)
		add_record(l, b->text, &b->named, p);
}
