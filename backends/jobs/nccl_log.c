/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_log.h"
#include "backends/parse/first_line.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes lines of a job's log. NCCL's own lines begin with
 *  [19: ][[2026-11-20 12:17:30] ]host:pid:tid [cudaDev] [file:line ]NCCL INFO|WARN text
 * in all releases from 2.8 to 2.30. The leading number is from srun --label. The time has no zone,
 * so it is not used.
 */

#define LINE_MAX_LEN 4096

static struct log_process *process_of(struct log *l, const char *host, int32_t pid)
{
	struct log_process *p;
	char key[sizeof(p->key)];

	(void)str_printf(key, sizeof(key), "%s %d", host, (int)pid);
	HASH_FIND_STR(l->processes, key, p);
	if (p || l->n >= LOG_PROCESSES_MAX)
		return p;
	p = mem_calloc(1, sizeof(*p));
	(void)str_copy(p->key, sizeof(p->key), key);
	p->rank = p->nranks = -1;
	HASH_ADD_STR(l->processes, key, p);
	l->n++;
	return p;
}

/* Reads "gpu-node-03:25527:25778 [3]" at s. */
static bool scan_origin(const char *s, struct log_line *line)
{
	const char *host;
	int64_t pid, n;
	size_t len;

	if (!scan_word(&s, "", &host, &len))
		return false;
	/* Search from the right, because a host may be an IPv6 address. */
	for (int colons = 0; colons < 2; colons++) {
		while (len > 0 && host[len - 1] != ':')
			len--;
		if (len-- == 0)
			return false;
	}
	if (len == 0 || !str_copyn(line->host, sizeof(line->host), host, len))
		return false;
	host += len + 1;
	if (!scan_int(&host, &pid) || *host != ':' || pid >= INT32_MAX)
		return false;
	line->pid = (int32_t)pid;
	line->gpu = -1;
	if (scan_text(&s, "[") && scan_int(&s, &n) && n < NCCL_GPUS_MAX && *s == ']')
		line->gpu = (int32_t)n;
	return true;
}

/* Reads the leading "19: ". */
static void scan_label(const char **s, int32_t *label)
{
	const char *at = *s;
	int64_t n;

	*label = -1;
	if (!scan_int(&at, &n) || *at != ':' || at[1] != ' ')
		return;
	if (n < NCCL_RANKS_MAX)
		*label = (int32_t)n;
	*s = at + 2;
}

static bool scan_line(struct log *l, const char *s, struct log_line *line)
{
	const char *end = strstr(s, "NCCL INFO ");

	line->warn = false;
	if (!end) {
		end = strstr(s, "NCCL WARN ");
		line->warn = true;
	}
	if (!end)
		return false;
	line->text = end + strlen("NCCL INFO ");
	scan_label(&s, &line->label);
	if (scan_text(&s, "[") && !scan_find(&s, "] "))
		return false;
	if (s > end || !scan_origin(s, line))
		return false;
	l->known = true;
	line->process = process_of(l, line->host, line->pid);
	return true;
}

/* busId combines domain, bus, device and function: "5d000" is 0000:5d:00.0. */
static void add_gpu(struct log *l, const struct log_line *line, int32_t gpu, const char *bus)
{
	struct obs_nccl *r;
	char *end, bdf[24];
	unsigned long long id = strtoull(bus, &end, 16);

	if (end == bus || gpu < 0 || id >> 52)
		return;
	r = nccl_add(l->o, NCCL_GPU, SOURCE_NCCL_LOG);
	if (!r)
		return;
	(void)str_printf(bdf, sizeof(bdf), "%04llx:%02llx:%02llx.%llx", id >> 20, id >> 12 & 0xff,
		id >> 4 & 0xff, id & 0xf);
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	r->gpu = gpu;
	r->text = obs_string(l->o, bdf);
}

/*
 * Reads "ncclCommInitRank comm 0x55d rank 3 nranks 32 cudaDev 3 nvmlDev 3 busId 5d000 commId
 * 0x9bd8b4c5 - Init COMPLETE". Without commId (before 2.17) the communicator has no name that other
 * ranks share.
 */
static bool read_init(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "ncclCommInit"), *at, *word;
	struct obs_nccl *r, *state;
	uint32_t comm;
	size_t n;

	if (!s || !strstr(s, " - Init "))
		return false;
	at = s;
	if (!scan_find(&at, " commId ") || !scan_word(&at, "", &word, &n))
		return true;
	comm = nccl_stringn(l->o, word, n);
	r = nccl_add(l->o, NCCL_RANK, SOURCE_NCCL_LOG);
	if (!r)
		return true;
	r->comm = comm;
	r->rank = (int32_t)scan_after(s, " rank ", NCCL_RANKS_MAX);
	r->nranks = (int32_t)scan_after(s, " nranks ", NCCL_RANKS_MAX + 1);
	r->local_gpu = (int32_t)scan_after(s, " cudaDev ", NCCL_GPUS_MAX);
	r->gpu = (int32_t)scan_after(s, " nvmlDev ", NCCL_GPUS_MAX);
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	if (line->process) {
		line->process->comm = comm;
		line->process->rank = r->rank;
		line->process->nranks = r->nranks;
	}
	r->state = (uint8_t)(strstr(s, "Init COMPLETE") ? NCCL_RUNNING : NCCL_INIT);
	at = s;
	if (scan_find(&at, " busId "))
		add_gpu(l, line, r->gpu, at);
	state = nccl_add(l->o, NCCL_STATE, SOURCE_NCCL_LOG);
	if (!state)
		return true;
	state->comm = comm;
	state->rank = (int32_t)scan_after(s, " rank ", NCCL_RANKS_MAX);
	state->nranks = (int32_t)scan_after(s, " nranks ", NCCL_RANKS_MAX + 1);
	state->host = obs_string(l->o, line->host);
	state->pid = line->pid;
	state->state = (uint8_t)(strstr(s, "Init COMPLETE") ? NCCL_RUNNING : NCCL_INIT);
	return true;
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct log *l = ctx;
	struct log_line line = {0};
	char text[LINE_MAX_LEN];

	(void)str_copyn(text, sizeof(text), bytes, n < sizeof(text) - 1 ? n : sizeof(text) - 1);
	l->o->lines.seen++;
	if (scan_line(l, text, &line)) {
		l->o->lines.known++;
		if (!read_init(l, &line))
			(void)nccl_log_net(l, &line);
	} else if (nccl_log_watchdog(l, text)) {
		l->o->lines.known++;
		l->known = true;
	} else if (!l->o->lines.example) {
		l->o->lines.example = obs_string(l->o, text);
	}
	return l->o->nccl.n < OBS_NCCL_MAX;
}

bool nccl_log_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct log l = {.o = out};
	struct log_process *p, *next;
	char line[128];

	(void)nccl_lines(bytes, len, read_line, &l);
	p = l.processes;
	HASH_CLEAR(hh, l.processes);
	for (; p; p = next) {
		next = p->hh.next;
		free(p);
	}
	/* A piece of a job's log may contain no relevant line. */
	if (l.known || len == 0 || memchr(bytes, '\n', len))
		return true;
	return err_set(err, ERR_PROTOCOL, out->device,
		"expected lines of NCCL or ProcessGroupNCCL, got: %s",
		parse_first_line(bytes, len, line, sizeof(line)));
}
