/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/ras_internal.h"

/*
 * The client protocol, and the state that the RAS threads learn. Timeouts as in NCCL's src/ras: a
 * leg of a collection 5 s, a connection without keep-alive 20 s, a lost peer is dead after 60 s.
 */

#define LEG_TIMEOUT_US  (5 * CLOCK_SEC)
#define KEEP_ALIVE_US   (20 * CLOCK_SEC)
#define DEAD_TIMEOUT_US (60 * CLOCK_SEC)
#define LEGS            2 /* the RAS network is a ring: two directions */

const struct ras_source ras_sim = {
	.now = sim_now, .job_count = sim_job_count, .job = sim_job, .rank = sim_rank};

struct ras *ras_new(const struct ras_opts *o)
{
	struct ras *r = mem_calloc(1, sizeof(*r));

	r->o = *o;
	r->njobs = o->source->job_count(o->sim);
	r->job = mem_calloc(r->njobs + 1, sizeof(*r->job));
	for (size_t i = 0; i < r->njobs; i++) {
		struct sim_job_view v;

		o->source->job(o->sim, i, &v);
		r->job[i].job = i;
		r->job[i].nranks = v.nranks;
		r->job[i].peer = mem_calloc(v.nranks + 1, sizeof(*r->job[i].peer));
	}
	return r;
}

void ras_free(struct ras *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->njobs; i++)
		free(r->job[i].peer);
	free(r->job);
	free(r);
}

void ras_address(const struct ras *r, const struct sim_device *host, char dst[64])
{
	r->o.address(r->o.arg, host, dst, 64);
}

void ras_timestamp(const struct ras_client *c, char *dst, size_t size)
{
	time_t t = (time_t)((ras_now(c->ras) + c->host->clock_skew_us) / CLOCK_SEC);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(dst, size, "%Y-%m-%d %H:%M:%S", &tm))
		*dst = '\0';
}

/* ---- peer states ---- */

bool ras_considered_dead(const struct ras *r, const struct ras_peer *p)
{
	return p->state == RAS_GONE && ras_now(r) - p->since >= DEAD_TIMEOUT_US;
}

static void put_event(struct ras_client *c, enum ras_events group, const char *event,
	const struct sim_rank_view *v)
{
	char when[32], host[64];

	if (!(c->monitor & group) || c->finished)
		return;
	ras_timestamp(c, when, sizeof(when));
	ras_address(c->ras, v->host, host);
	if (c->json)
		(void)buf_addf(&c->out,
			"{\n  \"timestamp\": \"%s\",\n  \"group\": \"%s\",\n  \"event\": \"%s\",\n"
			"  \"peer\": {\n    \"host\": \"%s\",\n    \"pid\": %u,\n"
			"    \"cuda_devs\": [%u],\n    \"nvml_devs\": [%u]\n  },\n"
			"  \"details\": \"\"\n}\n",
			when, group == RAS_LIFECYCLE ? "LIFECYCLE" : "TRACE", event, host, v->pid,
			v->gpu, v->gpu);
	else
		(void)buf_addf(&c->out, "[%s] %s: Process %u on node %s managing GPU %u \n", when,
			event, v->pid, host, v->gpu);
}

static void notify_monitors(struct ras *r, const struct ras_job *j, enum ras_events group,
	const char *event, const struct sim_rank_view *v)
{
	for (struct ras_client *c = r->clients; c; c = c->next)
		if (c->job == j)
			put_event(c, group, event, v);
}

static void change_state(struct ras *r, const struct ras_job *j, struct ras_peer *p,
	const struct sim_rank_view *v, enum ras_state state)
{
	bool was_dead = p->dead_told;

	*p = (struct ras_peer){.state = state, .since = ras_now(r)};
	/* The end of a process closes its sockets, so its peers know it at once. */
	p->known = state == RAS_GONE;
	if (state == RAS_GONE)
		notify_monitors(r, j, RAS_TRACE, "PEER_DISCONNECTED", v);
	else if (state == RAS_ALIVE && was_dead)
		notify_monitors(r, j, RAS_LIFECYCLE, "PEER_NEW", v);
}

static void update_peer(struct ras *r, const struct ras_job *j, unsigned rank)
{
	struct ras_peer *p = &j->peer[rank];
	struct sim_rank_view v;
	enum ras_state state;

	ras_rank(r, j, rank, &v);
	state = v.dead ? RAS_GONE : v.unresponsive ? RAS_FROZEN : RAS_ALIVE;
	if (state != p->state)
		change_state(r, j, p, &v, state);
	if (state == RAS_FROZEN && !p->known && ras_now(r) - p->since >= KEEP_ALIVE_US) {
		p->known = true;
		notify_monitors(r, j, RAS_TRACE, "PEER_UNRESPONSIVE", &v);
	}
	if (ras_considered_dead(r, p) && !p->dead_told) {
		p->dead_told = true;
		notify_monitors(r, j, RAS_LIFECYCLE, "PEER_DEAD", &v);
	}
}

void ras_update(struct ras *r)
{
	for (size_t i = 0; i < r->njobs; i++)
		for (unsigned k = 0; k < r->job[i].nranks; k++)
			update_peer(r, &r->job[i], k);
}

bool ras_monitored(const struct ras *r)
{
	for (const struct ras_client *c = r->clients; c; c = c->next)
		if (c->monitor && !c->finished)
			return true;
	return false;
}

/* ---- connections ---- */

/* The first live process of the first job on the host holds the port. */
static struct ras_job *find_listener(
	const struct ras *r, const struct sim_device *host, unsigned *rank)
{
	struct sim_rank_view v;

	for (size_t i = 0; i < r->njobs; i++)
		for (unsigned k = 0; k < r->job[i].nranks; k++) {
			ras_rank(r, &r->job[i], k, &v);
			if (v.host == host && !v.dead) {
				*rank = k;
				return &r->job[i];
			}
		}
	return NULL;
}

struct ras_client *ras_connect(struct ras *r, const struct sim_device *host)
{
	unsigned rank = 0;
	struct ras_job *j = find_listener(r, host, &rank);
	struct ras_client *c;

	if (!j)
		return NULL;
	c = mem_calloc(1, sizeof(*c));
	c->ras = r;
	c->job = j;
	c->host = host;
	c->listener = rank;
	c->timeout_us = LEG_TIMEOUT_US;
	buf_init(&c->out, RAS_OUT_MOST);
	c->next = r->clients;
	if (r->clients)
		r->clients->prev = c;
	r->clients = c;
	return c;
}

void ras_disconnect(struct ras_client *c)
{
	if (!c)
		return;
	if (c->prev)
		c->prev->next = c->next;
	else
		c->ras->clients = c->next;
	if (c->next)
		c->next->prev = c->prev;
	buf_free(&c->out);
	free(c);
}

struct buf *ras_output(struct ras_client *c)
{
	return &c->out;
}

bool ras_over(const struct ras_client *c)
{
	return c->finished;
}

int64_t ras_collecting(const struct ras_client *c)
{
	return c->collect_us;
}

/* ---- commands ---- */

/* The rest of line after the words of a command; NULL if it is another command. */
static const char *match_command(const char *line, const char *command)
{
	size_t n = strlen(command);

	return strncasecmp(line, command, n) == 0 ? line + n : NULL;
}

static void start_collecting(struct ras_client *c, bool verbose)
{
	bool waits = false;

	ras_update(c->ras);
	c->verbose = verbose;
	for (unsigned k = 0; k < c->job->nranks; k++)
		waits = waits || (c->job->peer[k].state == RAS_FROZEN && !c->job->peer[k].known);
	c->timeouts = waits ? LEGS : 0;
	/* A healthy collection is a few messages round the ring. */
	c->collect_us = !waits                           ? 2000 + c->job->nranks * 4
			: c->timeout_us < LEG_TIMEOUT_US ? c->timeout_us + 1
							 : LEG_TIMEOUT_US;
	if (!c->json)
		ras_report_head(c);
}

static void learn_of_timeouts(struct ras_client *c)
{
	struct sim_rank_view v;

	for (unsigned k = 0; c->timeouts && k < c->job->nranks; k++) {
		struct ras_peer *p = &c->job->peer[k];

		if (p->state != RAS_FROZEN || p->known)
			continue;
		p->known = true;
		ras_rank(c->ras, c->job, k, &v);
		notify_monitors(c->ras, c->job, RAS_TRACE, "PEER_UNRESPONSIVE", &v);
	}
}

void ras_collect(struct ras_client *c)
{
	double seconds = (double)c->collect_us / 1e6;

	if (!c->collect_us)
		return;
	ras_update(c->ras);
	learn_of_timeouts(c);
	if (c->json)
		ras_report_json(c, seconds);
	else
		ras_report_text(c, seconds);
	c->collect_us = 0;
	c->finished = true;
}

static void set_timeout(struct ras_client *c, const char *text)
{
	double s;

	/* The limit of a day keeps the sum of times from overflowing. */
	if (!str_to_double(text, &s) || !(s >= 0 && s <= 86400)) {
		(void)buf_addf(&c->out, "ERROR: Invalid timeout value %s\n", text);
		return;
	}
	c->timeout_us = (int64_t)(s * 1e6);
	(void)buf_adds(&c->out, "OK\n");
}

static void set_format(struct ras_client *c, const char *text)
{
	bool json = strcasecmp(text, "json") == 0;

	if (!json && strcasecmp(text, "text") != 0) {
		(void)buf_addf(&c->out, "ERROR: Invalid format %s\n", text);
		return;
	}
	c->json = json;
	(void)buf_adds(&c->out, "OK\n");
}

static void start_monitor(struct ras_client *c, const char *groups)
{
	unsigned mask = 0;

	groups += strspn(groups, " ");
	while (*groups) {
		size_t n = strcspn(groups, ",");

		if (n == 9 && strncasecmp(groups, "lifecycle", n) == 0)
			mask |= RAS_LIFECYCLE;
		else if (n == 5 && strncasecmp(groups, "trace", n) == 0)
			mask |= RAS_TRACE;
		else if (n == 3 && strncasecmp(groups, "all", n) == 0)
			mask |= RAS_LIFECYCLE | RAS_TRACE;
		else if (n) {
			(void)buf_addf(
				&c->out, "ERROR: Invalid event group '%.*s'\n", (int)n, groups);
			return;
		}
		groups += n + (groups[n] == ',');
	}
	ras_update(c->ras); /* earlier events are not reported */
	c->monitor = mask ? mask : RAS_LIFECYCLE;
	(void)buf_adds(&c->out, "OK\n");
}

static void run_command(struct ras_client *c, const char *line)
{
	const char *rest;

	if (match_command(line, "client protocol "))
		(void)buf_adds(&c->out, "SERVER PROTOCOL 2\n");
	else if ((rest = match_command(line, "timeout ")))
		set_timeout(c, rest);
	else if ((rest = match_command(line, "set format ")))
		set_format(c, rest);
	else if (strcasecmp(line, "status") == 0)
		start_collecting(c, false);
	else if (strcasecmp(line, "verbose status") == 0)
		start_collecting(c, true);
	else if (strcasecmp(line, "monitor") == 0 || match_command(line, "monitor "))
		start_monitor(c, line + strlen("monitor"));
	else
		(void)buf_addf(&c->out, "ERROR: Unknown command %s\n", line);
}

void ras_input(struct ras_client *c, const char *bytes, size_t n)
{
	/* The process that should read is stopped; the kernel keeps the bytes. */
	ras_update(c->ras);
	if (c->job->peer[c->listener].state == RAS_FROZEN)
		return;
	for (size_t i = 0; i < n && !c->finished && !c->collect_us; i++) {
		if (bytes[i] != '\n') {
			if (c->len == sizeof(c->line) - 1) {
				c->finished = true; /* line too long: end of connection */
				return;
			}
			c->line[c->len++] = bytes[i];
			continue;
		}
		if (c->len && c->line[c->len - 1] == '\r')
			c->len--;
		c->line[c->len] = '\0';
		c->len = 0;
		run_command(c, c->line);
	}
}
