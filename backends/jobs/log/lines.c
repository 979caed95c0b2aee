/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "backends/parse/first_line.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes lines of a job's log. NCCL's own messages are
 *  [[2026-11-20 12:17:30] ]host:pid:tid [cudaDev] [file:line ]NCCL INFO|WARN text
 * in all releases from 2.8 to 2.30, and RCCL's too. Anything may stand in front of them, and
 * processes that share a pipe put several into one line.
 */

#define LINE_MAX_LEN 4096
#define MARK_LEN     10 /* of "NCCL INFO " */
/* Written by the command of source_log.c: the zone of the host's clock. */
#define ZONE_MARK "@@zone "
/* Processes whose host may be that of a word. */
#define HOSTS_TRIED 64

static struct log_process *find_process(struct log *l, const char *host, int32_t pid)
{
	struct log_process *p;
	char key[sizeof(p->key)];

	(void)str_printf(key, sizeof(key), "%s %d", host, (int)pid);
	HASH_FIND_STR(l->processes, key, p);
	return p;
}

static struct log_process *process_of(struct log *l, const char *host, int32_t pid)
{
	struct log_process *p = find_process(l, host, pid);

	if (p || l->n >= LOG_PROCESSES_MAX)
		return p;
	p = mem_calloc(1, sizeof(*p));
	(void)str_printf(p->key, sizeof(p->key), "%s %d", host, (int)pid);
	p->rank = p->nranks = -1;
	HASH_ADD_STR(l->processes, key, p);
	l->n++;
	return p;
}

/* The next "NCCL INFO " or "NCCL WARN " of the line; NULL: none. */
static const char *next_mark(const char *s, bool *warn)
{
	while ((s = strstr(s, "NCCL "))) {
		*warn = str_starts(s, "NCCL WARN ");
		if (*warn || str_starts(s, "NCCL INFO "))
			return s;
		s++;
	}
	return NULL;
}

/* Whether an earlier line is of that process, or of another one on the host. */
static bool is_known_host(struct log *l, const char *host, int32_t pid)
{
	const struct log_process *p = l->processes;
	size_t n = strlen(host);

	if (find_process(l, host, pid))
		return true;
	for (unsigned i = 0; p && i < HOSTS_TRIED; i++, p = p->hh.next)
		if (strncmp(p->key, host, n) == 0 && p->key[n] == ' ')
			return true;
	return false;
}

/*
 * Behind another message without a blank: the end of the word is a known host, or the message ends
 * as init lines do. Returns the number of bytes that are not of the host.
 */
static size_t trim_host(struct log *l, struct log_line *line)
{
	static const char *const ends[] = {"COMPLETE", "START"};
	size_t cut = 0;

	if (!line->host[0] || is_known_host(l, line->host, line->pid))
		return 0;
	for (size_t i = 1; line->host[i] && !cut; i++)
		if (is_known_host(l, line->host + i, line->pid))
			cut = i;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !cut; i++)
		if (str_starts(line->host, ends[i]) && line->host[strlen(ends[i])])
			cut = strlen(ends[i]);
	memmove(line->host, line->host + cut, strlen(line->host + cut) + 1);
	return cut;
}

/* An address of the process's host. A pod's name is in no inventory, but its address may be. */
void nccl_log_address(struct log *l, const struct log_line *line, const char *address)
{
	struct obs_nccl *r;

	if (!line->host[0] || !address[0] ||
		(line->process && line->process->address &&
			str_eq(obs_text(l->o, line->process->address), address)))
		return;
	r = nccl_add(l->o, NCCL_ADDRESS, SOURCE_NCCL_LOG);
	if (!r)
		return;
	r->host = obs_string(l->o, line->host);
	r->text = obs_string(l->o, address);
	if (line->process)
		line->process->address = r->text;
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

/* A state of the rank's process, for init lines. */
static void add_state(struct log *l, const struct log_line *line, const struct obs_nccl *rank)
{
	struct obs_nccl *r = nccl_add(l->o, NCCL_STATE, SOURCE_NCCL_LOG);

	if (!r)
		return;
	r->comm = rank->comm;
	r->rank = rank->rank;
	r->nranks = rank->nranks;
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	r->state = rank->state;
}

/*
 * Reads "ncclCommInitRank comm 0x55d rank 3 nranks 32 cudaDev 3 nvmlDev 3 busId 5d000 commId
 * 0x9bd8b4c5 - Init COMPLETE". Up to 2.16 there is no commId, so the communicator has no name that
 * other ranks share: only the process learns its rank.
 */
static bool read_init(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "comm 0x"), *at, *word;
	struct obs_nccl rank = {.kind = NCCL_RANK}, *r;
	size_t n;

	if (!s || !strstr(s, " - Init ") || !strstr(s, " rank "))
		return false;
	rank.rank = (int32_t)scan_after(s, " rank ", NCCL_RANKS_MAX);
	rank.nranks = (int32_t)scan_after(s, " nranks ", NCCL_RANKS_MAX + 1);
	rank.state = (uint8_t)(strstr(s, "Init COMPLETE") ? NCCL_RUNNING : NCCL_INIT);
	at = s;
	if (scan_find(&at, " commId ") && scan_word(&at, "", &word, &n))
		rank.comm = nccl_stringn(l->o, word, n);
	if (line->process) {
		line->process->comm = rank.comm;
		line->process->rank = rank.rank;
		line->process->nranks = rank.nranks;
	}
	if (!rank.comm || !line->host[0])
		return true;
	r = nccl_add(l->o, NCCL_RANK, SOURCE_NCCL_LOG);
	if (!r)
		return true;
	r->comm = rank.comm;
	r->rank = rank.rank;
	r->nranks = rank.nranks;
	r->state = rank.state;
	r->local_gpu = (int32_t)scan_after(s, " cudaDev ", NCCL_GPUS_MAX);
	r->gpu = rank.gpu = (int32_t)scan_after(s, " nvmlDev ", NCCL_GPUS_MAX);
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	at = s;
	if (scan_find(&at, " busId "))
		add_gpu(l, line, rank.gpu, at);
	add_state(l, line, &rank);
	return true;
}

/* Reads the message at the mark; its origin is behind `from`. */
static void read_message(struct log *l, char *from, const char *mark, struct log_line *line)
{
	struct log_origin at;
	const char *before = mark;

	line->text = mark + MARK_LEN;
	line->pid = line->gpu = -1;
	if (nccl_log_origin(from, mark, line, &at)) {
		before = at.begin;
		line->process = process_of(l, line->host, line->pid);
	} else {
		line->host[0] = '\0';
		if (!line->warn)
			return;
	}
	line->label = nccl_log_label(from, (size_t)(before - from));
	line->time_us = nccl_log_time(l, from, (size_t)(before - from));
	l->known = true;
	if (!read_init(l, line) && !nccl_log_net(l, line) && line->warn)
		nccl_log_other(l, line);
}

/* A process is known before the end of its first message is sought: see trim_host(). */
static void note_origin(struct log *l, const char *from, const char *mark)
{
	struct log_line line;
	struct log_origin at;

	if (nccl_log_origin(from, mark, &line, &at))
		(void)process_of(l, line.host, line.pid);
}

/* Where the message ends: at the origin of the next one, if that has one. */
static char *message_end(struct log *l, char *from, const char *next)
{
	struct log_line other;
	struct log_origin at;

	if (next && nccl_log_origin(from, next, &other, &at))
		return from + (at.begin - from) + trim_host(l, &other);
	return from + strlen(from);
}

static bool read_messages(struct log *l, char *text)
{
	bool warn, next_warn = false;
	char *from = text;
	const char *mark = next_mark(from, &warn);

	if (!mark)
		return false;
	while (mark) {
		struct log_line line = {.warn = warn};
		const char *next = next_mark(mark + MARK_LEN, &next_warn);
		/* A message without an origin is part of the one before it as well. */
		char *begin = from < mark ? from : text + (mark - text), *end, kept;

		if (next)
			note_origin(l, begin, mark);
		end = message_end(l, text + (mark - text) + MARK_LEN, next);
		kept = *end;
		*end = '\0';
		read_message(l, begin, mark, &line);
		*end = kept;
		from = end;
		mark = next;
		warn = next_warn;
	}
	return true;
}

/* A place in NCCL's source: "include/socket.h:360", "transport/net_ib.cu:781". */
static bool is_source_of_nccl(const char *s, size_t n)
{
	static const char *const folders[] = {"include/", "misc/", "transport", "bootstrap",
		"init.", "channel.", "enqueue", "proxy.", "graph/", "group.", "rings",
		"collectives/", "common", "nvmlwrap", "ibvwrap", "core.", "topo."};
	const char *colon = memrchr(s, ':', n);
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (!digits || colon + 1 + digits != s + n ||
		!(colon[-1] == 'u' || colon[-1] == 'c' || colon[-1] == 'h'))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (str_starts(s, folders[i]))
			return true;
	return false;
}

/* Up to 2.2 NCCL's messages say WARN alone, behind their place in its source. */
static void name_old_message(char *text, size_t size)
{
	static const char name[] = {'N', 'C', 'C', 'L', ' '};
	char *mark = strstr(text, " WARN "), *word = mark;
	size_t len = strlen(text);

	if (!mark || strstr(text, "NCCL WARN ") || len + sizeof(name) >= size)
		return;
	while (word > text && word[-1] != ' ')
		word--;
	if (!is_source_of_nccl(word, (size_t)(mark - word)))
		return;
	mark++;
	memmove(mark + sizeof(name), mark, len - (size_t)(mark - text) + 1);
	memcpy(mark, name, sizeof(name));
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct log *l = ctx;
	char text[LINE_MAX_LEN];

	nccl_log_plain(text, sizeof(text), bytes, n);
	if (str_starts(text, ZONE_MARK)) {
		l->has_zone = nccl_log_zone(text + strlen(ZONE_MARK), &l->zone_s);
		obs_fact(l->o, NCCL_LOG_ZONE, text + strlen(ZONE_MARK));
		return true;
	}
	l->o->lines.seen++;
	name_old_message(text, sizeof(text));
	if (nccl_log_watchdog_rest(l, text) || nccl_log_last_error(l, text) ||
		read_messages(l, text) || nccl_log_watchdog(l, text) ||
		nccl_log_framework(l, text) || nccl_log_engine(l, text) ||
		nccl_log_phrase(l, text)) {
		l->o->lines.known++;
		l->known = true;
	} else if (!l->o->lines.example) {
		l->o->lines.example = obs_string(l->o, text);
	}
	return l->o->nccl.n < OBS_NCCL_MAX;
}

bool nccl_log_parse_at(
	const char *bytes, size_t len, const char *zone, struct obs *out, struct err *err)
{
	struct log l = {.o = out};
	struct log_process *p, *next;
	char line[128];

	l.has_zone = nccl_log_zone(zone, &l.zone_s);
	(void)nccl_lines(bytes, len, read_line, &l);
	(void)nccl_log_watchdog_rest(&l, "");
	nccl_log_blocks_end(&l);
	nccl_log_timeouts(&l);
	vec_free(&l.timeouts);
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

bool nccl_log_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	return nccl_log_parse_at(bytes, len, "", out, err);
}
