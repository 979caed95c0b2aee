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

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * What carries a job's data or its start, at the beginning of a word. Others read files and pages
 * over connections of theirs.
 */
static const char *const carriers[] = {"gloo", "c10d", "TCPStore", "ProcessGroup", "NCCL", "RCCL",
	"MPI", "btl_tcp", "PMIX", "ORTE", "PRTE", "ssh:", "horovod",
	"srun:", "slurmstepd:", "mpirun", "pyxis", "enroot", "rendezvous", "nixl", "mooncake",
	"UCCL", "DeepEP", "mscclpp", "coordination service", "KVTransfer", "KV Cache transfer",
	/* gRPC, below JAX and Ray */
	"grpc", "UNAVAILABLE", "DEADLINE_EXCEEDED", "ipv4:", "ipv6:", "process group",
	"store based barrier", "torch.distributed"};
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
	"lost ", "exceeded", "corrupt", "out of memory", "hung", "stuck", "panic", "segfault",
	"crash", "unresponsive", "exhausted", "evicted", "notready"};
/* Also of settings and of parts that a healthy job goes without. */
static const char *const weak[] = {"unable", "cannot", "could not", "couldn't", "not found",
	"no such", "not support", "denied", "exception", "invalid", "mismatch", "unavailable",
	"hangs", "skipping", "not available", "not active", "no rdma device", "no active port"};

/* Services that a job reads or tells, and libraries for them. */
static const char *const outside[] = {"requests.exceptions", "urllib3", "HTTPSConnectionPool",
	"HTTPConnectionPool", "HTTPError", "huggingface", "wandb", "tensorboard", "botocore",
	"aiohttp", "mlflow", "file_system_monitor"};

static const char *const harmless[] = {"no error", "gdrcopy", "0 errors", "error rate",
	"without error", "deprecat", "futurewarning", "userwarning", "warnings.warn", "error_file",
	"errors.py", "errors/", "(most recent call", "validation", "loss:", "loss=", "loss scale",
	"_loss", "accuracy", "ignor", "retrying", "will retry", "will be used instead",
	"falling back", "not critical"};
/* Names of settings and measures: the rest of the line counts. */
static const char *const settings[] = {"timeout=", "timeout:", "timeout(ms)=", "_timeout",
	"no_error", "max_error", "error_if", "on_error"};

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

/* Prefixes name the own process, and the message all else. */
static void find_named(const char *s, struct log_named *out)
{
	const char *message = nccl_log_message(s), *advice = strstr(message, "please ");
	struct log_named whole;
	char said[1024];

	/* What an advice names is not what failed. */
	if (advice && str_copyn(said, sizeof(said), message, (size_t)(advice - message)))
		nccl_log_named(said, out);
	else
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

/* "errors: 0", "error=0", but not "ERROR: 0x7f: unexpected". */
static bool counts_none(const char *s)
{
	static const char *const counts[] = {"errors=0", "errors: 0", "error=0", "error: 0"};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		const char *at = strcasestr(s, counts[i]);

		if (at && !isalnum((unsigned char)at[strlen(counts[i])]))
			return true;
	}
	return false;
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

/*
 * Mooncake warns "Device mlx5_3 port not active" of each NIC that it finds down, used or not. An
 * error that names the NIC later has its cause in it.
 */
static void note_inactive(
	struct log *l, struct obs_nccl *r, const char *text, const struct log_named *named)
{
	char say[256];

	if (!named->nic[0])
		return;
	if (strstr(text, "port not active") || strstr(text, "port is not active"))
		(void)str_copy(l->inactive, sizeof(l->inactive), named->nic);
	else if (str_eq(l->inactive, named->nic)) {
		(void)str_printf(say, sizeof(say), "%s: its port is not active: %s", named->nic,
			obs_text(l->o, r->text));
		r->text = obs_string(l->o, say);
	}
}

/*
 * Slurm's daemon of a node tells of its trouble without a name, in the output of all nodes: the
 * launcher names the machine later.
 */
static void drop_nameless(struct log *l, const char *word)
{
	for (size_t n = l->o->nccl.n; n-- > 0;) {
		struct obs_nccl *r = &l->o->nccl.at[n];

		if (r->kind != NCCL_ERROR || r->host || r->pid >= 0 || r->rank >= 0 ||
			!strcasestr(obs_text(l->o, r->text), word))
			continue;
		memmove(r, r + 1, (l->o->nccl.n - n - 1) * sizeof(*r));
		l->o->nccl.n--;
		if (l->framework > n)
			l->framework = 0;
	}
}

static void add_record(
	struct log *l, const char *text, const struct log_named *named, const struct log_phrase *p)
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
	/* "Check failed: call(...) : unhandled system error (2)": the reason stands behind. */
	at = str_starts(words, "Check failed: ") ? words + strlen("Check failed: ") : words;
	at = p->word[0] && *p->word[0] ? strstr(words, p->word[0])
				       : find_any(at, strong, ARRAY_LEN(strong));
	at = at ? at : find_any(words, weak, ARRAY_LEN(weak));
	r->text = obs_string(
		l->o, p->says ? p->says
			      : nccl_log_near(words, at,
					p->word[0] && *p->word[0] ? strlen(p->word[0]) : KEY_LEN));
	if ((p->how & OF_OTHERS) && !line.host[0]) {
		(void)str_printf(words, sizeof(words), "a node that is not named here: %s",
			obs_text(l->o, r->text));
		r->text = obs_string(l->o, words);
	}
	note_inactive(l, r, text, named);
	r->nic = obs_string(l->o, named->nic);
	r->state = p->status;
	if (!(p->how & OF_PLACE))
		r->text2 = obs_string(l->o, named->peer[0]                          ? named->peer
					    : (p->how & OF_HOST) || named->own_host ? ""
										    : named->host);
}

void nccl_log_record(
	struct log *l, const char *s, enum nccl_trouble trouble, const char *says, uint8_t status)
{
	const struct log_phrase p = {.trouble = trouble, .says = says, .status = status};
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

	if (level >= LEVEL_ERROR || (level == LEVEL_WARN && fails))
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
	return fails && words >= 4 && isalpha((unsigned char)message[strspn(message, " \t.")]);
}

/* A connection of the job, or of one of its processes that ended by it. */
static bool is_of_job(const char *s, const char *message)
{
	return has_word(s, rdma, ARRAY_LEN(rdma)) || has_word(s, carriers, ARRAY_LEN(carriers)) ||
	       str_starts(message + strspn(message, " "), "RuntimeError: ");
}

/* Length of "NCCL_IB_TIMEOUT=" at s; 0: it is another word. */
static size_t variable_at(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 3 && memchr(s, '_', n) && s[n] == '=' ? n : 0;
}

/* The message without the names of settings, which hold words of failure. */
static const char *without_settings(const char *message, char *dst, size_t size)
{
	(void)str_copyn(dst, size, message, strlen(message) < size ? strlen(message) : size - 1);
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		for (char *at = dst; (at = strcasestr(at, settings[i]));)
			memset(at, '-', strlen(settings[i]));
	for (char *at = dst; *at; at++)
		if (at == dst || at[-1] == ' ')
			memset(at, '-', variable_at(at));
	return dst;
}

/* A line in words that no table has. */
static enum nccl_trouble judge(
	const char *s, const char *message, const struct log_named *named, bool through)
{
	enum log_level level = nccl_log_level(s, message);
	bool part = through || names_part(message, named);
	enum nccl_trouble told;

	if (level >= LEVEL_ERROR && part && nccl_log_tells_closed(message))
		return TROUBLE_AFTER;
	/* It ends its process, and is of a part of the cluster. */
	if (nccl_log_is_exception(message) && (part || strstr(s, "what(): ")))
		return TROUBLE_ERROR;
	told = nccl_log_grammar(message, level, part);
	if (told != TROUBLE_COUNT)
		return told;
	if (level >= LEVEL_ERROR && named->nic[0])
		return TROUBLE_ERROR;
	if (is_of_cluster(s, message, named))
		return TROUBLE_NOTE;
	return is_hint(s, message) ? TROUBLE_HINT : TROUBLE_COUNT;
}

/* through: the traceback before it went through torch's process groups or their store. */
static const struct log_phrase *classify(const char *s, const struct log_named *named, bool through)
{
	static const struct log_phrase by_trouble[TROUBLE_COUNT] = {
		[TROUBLE_NOTE] = {{""}, TROUBLE_NOTE, OF_HOST, NULL, 0},
		[TROUBLE_HINT] = {{""}, TROUBLE_HINT, OF_HOST, NULL, 0},
		[TROUBLE_ERROR] = {{""}, TROUBLE_ERROR, OF_HOST, NULL, 0},
		[TROUBLE_AFTER] = {{""}, TROUBLE_AFTER, OF_HOST, NULL, 0},
		[TROUBLE_CONNECT] = {{""}, TROUBLE_CONNECT, OF_HOST, NULL, 0}};
	const struct log_phrase *p = nccl_log_find_phrase(s);
	const char *message = nccl_log_message(s);
	enum nccl_trouble told;
	char plain[1024];

	if (p)
		return p;
	if (nccl_log_level(s, message) <= LEVEL_PROGRAM || find_any(s, outside, ARRAY_LEN(outside)))
		return NULL;
	p = nccl_log_find_connection(s);
	if (p && is_of_job(s, message))
		return p;
	if (find_any(s, harmless, ARRAY_LEN(harmless)) || counts_none(s))
		return NULL;
	told = judge(s, without_settings(message, plain, sizeof(plain)), named,
		through && nccl_log_is_exception(message));
	return told == TROUBLE_COUNT ? NULL : &by_trouble[told];
}

/* Whether the line is the exception that a logger's warning has brought with its traceback. */
static bool is_handled(struct log *l, const char *s)
{
	const char *message = nccl_log_message(s);
	bool was = l->handled;

	message += strspn(message, " ");
	/* Python's own notice when an object is destroyed: nothing depends on it. */
	if (str_starts(message, "Exception ignored in")) {
		l->ignored = true;
		return false;
	}
	if (str_starts(message, "Traceback (most recent call")) {
		l->handled = l->warned;
		l->warned = false;
		return false;
	}
	l->warned = nccl_log_level(s, message) == LEVEL_WARN;
	if (!nccl_log_is_exception(message))
		return false;
	l->handled = false;
	was |= l->ignored;
	return was;
}

/* Notes whether a traceback goes through what joins the processes of a job. */
static bool goes_through(struct log *l, const char *s)
{
	static const char *const places[] = {"torch/distributed", "_store.", "ProcessGroup",
		"process_group", "dist.barrier", "dist.broadcast", "dist.all_"};
	bool was = l->through;

	if (strstr(s, "Traceback (most recent call"))
		l->through = false;
	else if (find_any(s, places, ARRAY_LEN(places)))
		l->through = true;
	else if (nccl_log_is_exception(nccl_log_message(s)))
		l->through = false;
	return was;
}

/*
 * Whether the line is the first one of a message that Open MPI puts between rules. Its warnings say
 * so.
 */
static bool begins_message(struct log *l, const char *s)
{
	bool was = l->ruled;

	s += strspn(s, " ");
	l->ruled = strspn(s, "-") >= 60;
	if (l->ruled) {
		l->inside = !l->inside;
		l->told = false;
	}
	return was && !l->ruled && !str_starts(s, "WARNING") &&
	       (find_any(s, strong, ARRAY_LEN(strong)) || find_any(s, weak, ARRAY_LEN(weak)));
}

/* Ray tells why an actor is dead behind the lines that say so and name its host. */
static bool repeats_actor(const struct log *l, const char *s)
{
	if (!strstr(s, "actor is dead because"))
		return false;
	for (size_t n = l->o->nccl.n; n-- > 0;)
		if (l->o->nccl.at[n].kind == NCCL_ERROR &&
			strstr(obs_text(l->o, l->o->nccl.at[n].text), "actor died"))
			return true;
	return false;
}

static const struct log_phrase in_block = {{""}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0};

bool nccl_log_phrase(struct log *l, const char *s)
{
	static const struct log_phrase unread = {{""}, TROUBLE_NOTE, OF_HOST, NULL, 0};
	static const struct log_phrase ended = {{""}, TROUBLE_AFTER, OF_PLACE, NULL, 0};
	const struct log_phrase *p;
	struct log_named named;
	bool handled = is_handled(l, s), begins = begins_message(l, s);

	if (handled && l->ignored) {
		l->ignored = false;
		return true;
	}
	if (nccl_log_block(l, s) || nccl_log_verbs(l, s) || nccl_log_results(l, s))
		return true;
	find_named(s, &named);
	p = classify(s, &named, goes_through(l, s));
	if (begins && !nccl_log_find_phrase(s))
		p = &in_block;
	if (!p)
		return false;
	/* A sentence of the message whose first one is kept. */
	if (p->trouble == TROUBLE_OVER || repeats_actor(l, s) ||
		(p->trouble == TROUBLE_HINT && (l->block.kind == BLOCK_NEXT || l->told)) ||
		(p->trouble == TROUBLE_NOTE && l->inside &&
			(l->block.kind == BLOCK_NEXT || l->told)))
		return true;
	l->told |= l->inside;
	if (handled)
		p = &unread;
	/* The launcher tells that the process ended whose error was read. */
	if (l->unnamed && p->trouble == TROUBLE_ERROR &&
		(strstr(s, "(exitcode: 1)") || nccl_log_tells_no_start(s)))
		p = &ended;
	if (str_starts(s, "srun: error: ") && named.host[0] && strstr(s, "Out Of Memory"))
		drop_nameless(l, "oom");
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
	const struct log_phrase *p = nccl_log_find_phrase(b->text);

	l->told |= l->inside;
	add_record(l, b->text, &b->named, p ? p : &in_block);
}
