/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * Decodes the text report of RAS, which releases without JSON print (2.24 to 2.28.6), and all
 * releases without SET FORMAT. It names outliers only:
 *
 *	#0-0 (9bd8b4c5a3b1e8f7) MISMATCH
 *	  Communicator ranks have different AllReduce operation counts
 *	  31 ranks have launched up to operation 640
 *	  Rank 19 has launched up to operation 633 -- GPU 3 managed by process 18244 on node H
 *
 * If all ranks except those of one line are named, the unnamed ranks belong to that line. The
 * report omits healthy ranks, so such an answer is never complete (no NCCL_DONE).
 */

#define LINE_MAX_LEN 4096
#define GROUPS_MAX   4096 /* rows of the table of communicators */
#define UNIQUE_MAX   64   /* different counts or states within one communicator */

enum about { ABOUT_NOTHING, ABOUT_COUNT, ABOUT_STATE, ABOUT_ERROR, ABOUT_MISSING, ABOUT_PROCESS };

/* A line "N ranks have ..."; listed: number of them named below it. */
struct share {
	int64_t ranks, listed, count;
	enum nccl_state state;
};

struct process {
	int32_t pid, gpu, local_gpu;
	uint32_t host;
	enum nccl_state state;
};

struct report {
	struct obs *o;
	bool known; /* it is such a report */
	enum about about;
	enum nccl_state state; /* ABOUT_STATE, ABOUT_ERROR, ABOUT_PROCESS */
	uint32_t error;        /* ABOUT_ERROR: text of the error */
	uint32_t comm, func;
	int32_t nranks;  /* -1: unknown */
	int64_t missing; /* number of ranks missing here, -1: unknown */
	struct share share[UNIQUE_MAX];
	unsigned shares;
	VEC(int32_t) named; /* ranks of the shares */
	VEC(struct process) process;
	int32_t size[GROUPS_MAX]; /* ranks in a communicator of the group; 0: unknown */
};

static enum nccl_state state_by_word(const char *s, size_t n)
{
	static const struct {
		const char *word;
		enum nccl_state state;
	} words[] = {{"RUNNING", NCCL_RUNNING}, {"INIT", NCCL_INIT}, {"FINALIZE", NCCL_FINALIZING},
		{"ABORT", NCCL_ABORTED}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == n && strncmp(s, words[i].word, n) == 0)
			return words[i].state;
	return NCCL_UNKNOWN;
}

static struct obs_nccl *add_record(struct report *r, enum nccl_kind kind, int32_t rank)
{
	struct obs_nccl *n = nccl_add(r->o, kind, SOURCE_RAS);

	if (n) {
		n->comm = r->comm;
		n->nranks = r->nranks;
		n->rank = rank;
	}
	return n;
}

/*
 * Reads "3", or "1 (NVML 5)" if the indexes differ. A list of several GPUs of one process
 * identifies no rank. 2.24 lists each GPU once more, 64 higher.
 */
static void scan_gpu(const char **s, int32_t *local, int32_t *nvml)
{
	int64_t first = -1, n;
	bool single = scan_int(s, &first);

	while (scan_text(s, ",") && scan_int(s, &n))
		if (n != first + 64)
			single = false;
	*local = *nvml = single && first < NCCL_GPUS_MAX ? (int32_t)first : -1;
	if (!scan_text(s, "(NVML"))
		return;
	*nvml = scan_int(s, &n) && single && n < NCCL_GPUS_MAX ? (int32_t)n : -1;
	(void)scan_find(s, ")");
}

/* Reads "... GPU 3 managed by process 25527 on node 10.20.1.13". */
static void scan_owner(struct report *r, const char *s, struct process *p)
{
	const char *host;
	int64_t pid;
	size_t n;

	*p = (struct process){.pid = -1, .gpu = -1, .local_gpu = -1};
	if (scan_find(&s, "-- GPU"))
		scan_gpu(&s, &p->local_gpu, &p->gpu);
	if (scan_find(&s, "by process") && scan_int(&s, &pid) && pid < INT32_MAX)
		p->pid = (int32_t)pid;
	if (scan_find(&s, "on node") && scan_word(&s, "", &host, &n))
		p->host = nccl_stringn(r->o, host, n);
}

static bool add_owner(struct report *r, int32_t rank, const struct process *p)
{
	struct obs_nccl *n;

	if (!p->host && p->pid < 0)
		return true;
	n = add_record(r, NCCL_RANK, rank);
	if (!n)
		return false;
	n->host = p->host;
	n->pid = p->pid;
	n->gpu = p->gpu;
	n->local_gpu = p->local_gpu;
	return true;
}

/* A missing rank is dead if its process was reported dead: that list comes first. */
static enum nccl_state missing_state(const struct report *r, struct process *p)
{
	for (size_t i = 0; i < r->process.n; i++) {
		const struct process *known = &r->process.at[i];

		if (p->pid >= 0 ? known->pid == p->pid && str_eq(obs_text(r->o, known->host),
								  obs_text(r->o, p->host))
				: r->missing == 1 && r->process.n == 1) {
			*p = *known;
			return known->state == NCCL_DEAD ? NCCL_DEAD : NCCL_UNRESPONSIVE;
		}
	}
	return NCCL_UNRESPONSIVE;
}

static bool add_rank(struct report *r, int32_t rank, const struct share *sh, struct process *p)
{
	enum nccl_state state = r->state;
	struct obs_nccl *n;

	if (r->about == ABOUT_MISSING)
		state = missing_state(r, p);
	if (!add_owner(r, rank, p))
		return false;
	n = add_record(r, r->about == ABOUT_COUNT ? NCCL_COUNT : NCCL_STATE, rank);
	if (!n)
		return false;
	if (r->about == ABOUT_COUNT) {
		n->func = r->func;
		n->seq = sh ? sh->count : -1;
		return true;
	}
	n->state = (uint8_t)(r->about == ABOUT_STATE && sh ? sh->state : state);
	n->host = p->host;
	n->pid = p->pid;
	n->text = r->about == ABOUT_ERROR ? r->error : 0;
	return true;
}

/* Reports the unnamed ranks if they are unambiguous: "31 ranks" of 32, and the other one named. */
static void add_unnamed(struct report *r)
{
	const struct share *rest = NULL;
	struct process nobody = {.pid = -1, .gpu = -1, .local_gpu = -1};
	int64_t sum = 0;
	bool *is_named;

	for (unsigned i = 0; i < r->shares; i++) {
		sum += r->share[i].ranks;
		if (r->share[i].listed == r->share[i].ranks)
			continue;
		if (rest || r->share[i].listed)
			return;
		rest = &r->share[i];
	}
	if (!rest || r->nranks <= 0 || sum != r->nranks || r->nranks > OBS_NCCL_MAX)
		return;
	is_named = mem_calloc((size_t)r->nranks, sizeof(*is_named));
	for (size_t i = 0; i < r->named.n; i++)
		if (r->named.at[i] < r->nranks)
			is_named[r->named.at[i]] = true;
	for (int32_t rank = 0; rank < r->nranks; rank++)
		if (!is_named[rank] && !add_rank(r, rank, rest, &nobody))
			break;
	free(is_named);
}

static void end_block(struct report *r)
{
	if (r->about == ABOUT_COUNT || r->about == ABOUT_STATE)
		add_unnamed(r);
	r->shares = 0;
	r->named.n = 0;
	r->about = ABOUT_NOTHING;
	r->missing = -1;
}

/* Reads "#2-0 (7be1f00d0246be01) MISMATCH": group, number in the group, hash. */
static bool read_head(struct report *r, const char *s)
{
	const char *hash;
	char id[32];
	int64_t group, member;
	size_t n;

	if (!scan_text(&s, "#") || !scan_int(&s, &group) || !scan_text(&s, "-") ||
		!scan_int(&s, &member) || !scan_text(&s, "(") || !scan_word(&s, ")", &hash, &n) ||
		n > 16)
		return false;
	end_block(r);
	str_printf(id, sizeof(id), "0x%.*s", (int)n, hash);
	r->comm = obs_string(r->o, id);
	r->nranks = group < GROUPS_MAX && r->size[group] > 0 ? r->size[group] : -1;
	r->func = 0;
	return true;
}

/* Reads "    0         1         4       7-8        32        31   RUNNING  INCOMPLETE". */
static bool read_row(struct report *r, const char *s)
{
	int64_t group, comms, nodes, low, high, ranks, all;

	if (!scan_int(&s, &group) || !scan_int(&s, &comms) || !scan_int(&s, &nodes) ||
		!scan_int(&s, &low))
		return false;
	if (scan_text(&s, "-") && !scan_int(&s, &high))
		return false;
	if (!scan_int(&s, &ranks) || !scan_int(&s, &all) || *s != ' ')
		return false;
	if (group < GROUPS_MAX && ranks <= NCCL_RANKS_MAX)
		r->size[group] = (int32_t)ranks;
	r->known = true;
	return true;
}

static bool read_subject(struct report *r, const char *s)
{
	const char *func, *rest;
	size_t n;

	if (!scan_text(&s, "Communicator ranks have different"))
		return false;
	end_block(r);
	rest = s;
	if (scan_text(&s, "status")) {
		r->about = ABOUT_STATE;
		return true;
	}
	s = rest;
	if (!scan_word(&s, "", &func, &n) || !scan_text(&s, "operation counts"))
		return true;
	r->about = ABOUT_COUNT;
	/* 2.24 has one count for all collectives. */
	r->func = n == strlen("collective") && strncmp(func, "collective", n) == 0
			  ? obs_string(r->o, NCCL_ANY_FUNC)
			  : nccl_stringn(r->o, func, n);
	return true;
}

/* Reads the count or state of N ranks, or of one rank: s is behind "ranks" or the rank's number. */
static bool read_share(struct report *r, const char *s, int64_t ranks)
{
	struct share sh = {.ranks = ranks};
	const char *word;
	size_t n;

	(void)(scan_text(&s, "have") || scan_text(&s, "has"));
	if (scan_text(&s, "launched up to operation")) {
		if (r->about != ABOUT_COUNT || !scan_int(&s, &sh.count))
			return false;
	} else if (scan_text(&s, "status")) {
		if (r->about != ABOUT_STATE || !scan_word(&s, "", &word, &n))
			return false;
		sh.state = state_by_word(word, n);
	} else if (scan_text(&s, "reported")) {
		const char *end = strstr(s, " -- GPU");

		end_block(r);
		r->about = ABOUT_ERROR;
		r->state = NCCL_ASYNC_ERROR;
		n = end ? (size_t)(end - s) : strlen(s);
		r->error = nccl_stringn(r->o, n ? s + 1 : s, n ? n - 1 : 0);
	} else {
		return false;
	}
	if (r->shares < UNIQUE_MAX)
		r->share[r->shares++] = sh;
	return true;
}

/* Reads "Rank 19 has launched up to ... -- GPU ...", or "Rank 12 -- GPU ..." below such a line. */
static bool read_rank(struct report *r, const char *s)
{
	struct share *sh;
	struct process p;
	int64_t rank;

	if (!scan_text(&s, "Rank") || !scan_int(&s, &rank) || rank >= NCCL_RANKS_MAX)
		return false;
	if (strncmp(s, " -- ", 4) != 0 && !read_share(r, s, 1))
		return true;
	if (r->about == ABOUT_NOTHING || r->about == ABOUT_PROCESS)
		return true;
	sh = r->shares ? &r->share[r->shares - 1] : NULL;
	if (sh) {
		sh->listed++;
		vec_push(&r->named, (int32_t)rank);
	}
	scan_owner(r, s, &p);
	(void)add_rank(r, (int32_t)rank, sh, &p);
	return true;
}

static bool read_ranks(struct report *r, const char *s)
{
	int64_t ranks;

	return scan_int(&s, &ranks) && scan_text(&s, "ranks") && read_share(r, s, ranks);
}

/* Reads "Missing communicator data from 1 rank", "The missing ranks: 3,7" (2.24). */
static bool read_missing(struct report *r, const char *s)
{
	int64_t n;

	if (scan_text(&s, "Missing communicator data from") && scan_int(&s, &n)) {
		if (scan_text(&s, "job process")) {
			r->about = ABOUT_PROCESS;
			r->state = NCCL_UNRESPONSIVE;
		} else {
			r->about = ABOUT_MISSING;
			r->missing = n;
		}
		return true;
	}
	if (!scan_text(&s, "The missing rank"))
		return false;
	(void)scan_text(&s, "s");
	if (r->about != ABOUT_MISSING || !scan_text(&s, ":"))
		return true;
	while (scan_int(&s, &n) && n < NCCL_RANKS_MAX) {
		struct process p = {.pid = -1, .gpu = -1, .local_gpu = -1};

		if (!add_rank(r, (int32_t)n, NULL, &p) || !scan_text(&s, ","))
			break;
	}
	return true;
}

/*
 * Reads "Process 9538 on node 10.20.1.14 managing GPU 1", below INCOMPLETE, DEAD or another
 * heading.
 */
static bool read_process(struct report *r, const char *s)
{
	struct process p = {.pid = -1, .state = r->state};
	struct obs_nccl *n;
	const char *host;
	int64_t pid;
	size_t len;

	if (!scan_text(&s, "Process") || !scan_int(&s, &pid) || pid >= INT32_MAX ||
		!scan_text(&s, "on node") || !scan_word(&s, "", &host, &len))
		return false;
	if (r->about != ABOUT_PROCESS)
		return true;
	p.pid = (int32_t)pid;
	p.host = nccl_stringn(r->o, host, len);
	p.gpu = p.local_gpu = -1;
	if (scan_text(&s, "managing GPU")) {
		(void)scan_text(&s, "s");
		scan_gpu(&s, &p.local_gpu, &p.gpu);
	}
	vec_push(&r->process, p);
	n = nccl_add(r->o, NCCL_STATE, SOURCE_RAS);
	if (!n)
		return true;
	n->host = p.host;
	n->pid = p.pid;
	n->gpu = p.gpu;
	n->local_gpu = p.local_gpu;
	n->state = (uint8_t)p.state;
	return true;
}

static bool read_heading(struct report *r, const char *s)
{
	static const char *const known[] = {
		"NCCL version", "CUDA runtime version", "Job summary", "Communicators..."};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_starts(s, known[i]))
			r->known = true;
	if (str_eq(s, "DEAD") || str_eq(s, "INCOMPLETE") || str_eq(s, "TIMEOUT") || !*s) {
		end_block(r);
		return true;
	}
	if (strstr(s, "considered dead")) {
		r->about = ABOUT_PROCESS;
		r->state = NCCL_DEAD;
		return true;
	}
	return false;
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	static bool (*const readers[])(struct report * r, const char *s) = {read_heading, read_head,
		read_subject, read_rank, read_ranks, read_missing, read_process, read_row};
	struct report *r = ctx;
	char line[LINE_MAX_LEN];

	(void)str_copyn(line, sizeof(line), bytes, n < sizeof(line) - 1 ? n : sizeof(line) - 1);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i](r, line))
			break;
	return r->o->nccl.n < OBS_NCCL_MAX;
}

bool nccl_ras_text(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct report *r = mem_calloc(1, sizeof(*r));
	bool known;

	r->o = out;
	r->nranks = -1;
	r->missing = -1;
	(void)nccl_lines(bytes, len, read_line, r);
	end_block(r);
	known = r->known || out->nccl.n > 0;
	vec_free(&r->named);
	vec_free(&r->process);
	free(r);
	return known || err_set(err, ERR_PROTOCOL, out->device, "this is not a report of RAS");
}
