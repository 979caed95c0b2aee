/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/observations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/observations_internal.h"

#define LINE_MOST   (8U << 20) /* the RAS report of 28,000 ranks fits */
#define GPU_BUS     0x19U      /* of the first GPU of a host, as in its PCI tree */
#define FILE_BUFFER (1U << 20)

/* ---- text ---- */

void line_number(struct buf *b, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	(void)buf_add(b, digits + i, sizeof(digits) - i);
}

void line_fixed(struct buf *b, double v, unsigned decimals)
{
	static const double scale[] = {1, 10, 100, 1000};
	uint64_t whole = (uint64_t)llround(fabs(v) * scale[decimals]);
	uint64_t unit = (uint64_t)scale[decimals];

	if (v < 0 && whole)
		(void)buf_add(b, "-", 1);
	line_number(b, whole / unit);
	if (!decimals)
		return;
	(void)buf_add(b, ".", 1);
	for (unit /= 10; unit; unit /= 10)
		line_number(b, whole / unit % 10);
}

void line_string(struct buf *b, const char *text)
{
	size_t plain = 0;

	while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\')
		plain++;
	(void)buf_adds(b, "\"");
	(void)buf_add(b, text, plain);
	for (text += plain; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20)
			(void)buf_addf(b, "\\u%04x", c);
		else
			(void)buf_addf(b, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	(void)buf_adds(b, "\"");
}

void line_begin(struct buf *b, int64_t t_us, const char *device)
{
	buf_reset(b);
	(void)buf_addf(b, "{\"t\":%lld.%06lld,\"device\":", (long long)(t_us / CLOCK_SEC),
		(long long)(t_us % CLOCK_SEC));
	line_string(b, device);
}

static void report_loss(struct observations *w, int why)
{
	w->lost = true;
	w->why = why;
	(void)fprintf(stderr,
		"railtop-emulator: %s: cannot be written any more: %s (the devices go on)\n",
		w->o.path, strerror(why));
}

/* Writes the line, which is complete but for its last brace. */
static void put_line(struct observations *w)
{
	(void)buf_adds(&w->line, "}\n");
	if (w->lost)
		return;
	/* A file without an end would take the disk; who reads a pipe takes what it wants. */
	w->written += w->line.len;
	if (!w->o.file && w->file != stdout && w->written > w->o.most)
		report_loss(w, EFBIG);
	else if (fwrite(w->line.data, 1, w->line.len, w->file) != w->line.len)
		report_loss(w, errno);
}

/* ---- events ---- */

/* The contract's event name of a log entry; NULL: it has none. */
static const char *event_name(enum sim_log_kind kind)
{
	switch (kind) {
	case SIM_LOG_LINK_UP:
		return "link_up";
	case SIM_LOG_LINK_DOWN:
		return "link_down";
	case SIM_LOG_STORM_DETECTED:
		return "storm_detected";
	case SIM_LOG_STORM_RESTORED:
		return "storm_restored";
	case SIM_LOG_BOOT:
		return "reboot";
	case SIM_LOG_XID:
		return "log_alarm";
	case SIM_LOG_BGP_UP:
	case SIM_LOG_BGP_DOWN:
	case SIM_LOG_CONFIG:
	case SIM_LOG_OPTIC:
		break;
	}
	return NULL;
}

static void write_event(struct observations *w, const struct sim_device *d, const struct sim_log *l)
{
	const char *event = event_name(l->kind);
	char port[32], text[160];

	if (!event)
		return;
	line_begin(&w->line, l->t_us, d->name);
	(void)buf_addf(&w->line, ",\"event\":\"%s\"", event);
	if (l->port < d->nports) {
		observe_port_name(d, &d->ports[l->port], port, sizeof(port));
		(void)buf_adds(&w->line, ",\"port\":");
		line_string(&w->line, port);
	}
	if (l->kind == SIM_LOG_STORM_DETECTED || l->kind == SIM_LOG_STORM_RESTORED)
		(void)buf_addf(&w->line, ",\"text\":\"priority %u\"", l->prio);
	if (l->kind == SIM_LOG_XID) {
		(void)str_printf(
			text, sizeof(text), "NVRM: Xid (PCI:0000:%02x:00): %s", GPU_BUS, l->text);
		(void)buf_adds(&w->line, ",\"text\":");
		line_string(&w->line, text);
	}
	put_line(w);
}

static void write_events(struct observations *w, size_t i, const struct sim_device *d)
{
	uint64_t from = w->logged[i];

	/* Entries that the device's own log has dropped are missing here as well. */
	if (d->logged - from > SIM_LOG_KEPT)
		from = d->logged - SIM_LOG_KEPT;
	for (; d->log && from < d->logged; from++)
		write_event(w, d, &d->log[from % SIM_LOG_KEPT]);
	w->logged[i] = d->logged;
}

/* ---- states ---- */

/* The identity of the device: at the start, and again after a boot. */
static void write_identity(struct observations *w, size_t i, const struct sim_device *d)
{
	if (w->boot[i] == d->boot_us)
		return;
	w->boot[i] = d->boot_us;
	line_begin(&w->line, sim_now(w->o.sim), d->name);
	(void)buf_adds(&w->line, ",\"state\":{\"model\":");
	line_string(&w->line, d->model);
	(void)buf_adds(&w->line, ",\"serial\":");
	line_string(&w->line, d->serial);
	(void)buf_adds(&w->line, ",\"os_version\":");
	line_string(&w->line, d->os_version);
	(void)buf_adds(&w->line, ",\"boot_id\":");
	line_string(&w->line, d->boot_id);
	if (d->tier != TIER_HOST)
		(void)buf_addf(&w->line,
			",\"pfcwd_poll_ms\":%u,\"bgp_as\":%u,\"router_id\":\"%s\","
			"\"ecmp_hash\":\"DST_IP,SRC_IP,IP_PROTOCOL,L4_DST_PORT,L4_SRC_PORT\","
			"\"hash_algorithm\":\"CRC\"",
			d->config.wd_poll_ms, d->asn, d->router_id);
	(void)buf_adds(&w->line, "}");
	put_line(w);
}

/* The LLDP neighbour, at the start and after a change; a port whose link is down has none. */
static void put_lldp(struct observations *w, struct port_memory *m, const struct sim_port *p)
{
	const struct sim_port *peer = p->up && p->peer && p->peer->up ? p->peer : NULL;

	if (peer && sim_hosts_silent(w->o.sim) &&
		(sim_device_of(w->o.sim, p)->tier == TIER_HOST ||
			sim_device_of(w->o.sim, peer)->tier == TIER_HOST))
		peer = NULL;
	if (m->told && m->peer == peer)
		return;
	m->told = true;
	m->peer = peer;
	if (!peer) {
		(void)buf_adds(&w->line, ",\"lldp\":null");
		return;
	}
	(void)buf_adds(&w->line, ",\"lldp\":{\"device\":");
	line_string(&w->line, sim_device_of(w->o.sim, peer)->name);
	(void)buf_adds(&w->line, ",\"port\":");
	line_string(&w->line, peer->name);
	(void)buf_adds(&w->line, "}");
}

/* The BGP sessions, at the start and after a change of one of them. */
static void write_sessions(struct observations *w, size_t i, const struct sim_device *d)
{
	uint64_t h = observe_sessions_hash(d);

	if (w->sessions[i] == h)
		return;
	w->sessions[i] = h;
	line_begin(&w->line, sim_now(w->o.sim), d->name);
	if (observe_sessions(&w->line, w->o.sim, d, sim_now(w->o.sim)))
		put_line(w);
}

static void write_device(struct observations *w, size_t i, struct sim_device *d)
{
	int64_t now = sim_now(w->o.sim);

	sim_live(w->o.sim, d);
	write_events(w, i, d);
	write_identity(w, i, d);
	write_sessions(w, i, d);
	for (unsigned k = 0; k < d->nports && !w->lost; k++) {
		line_begin(&w->line, now, d->name);
		observe_port(&w->line, d, &d->ports[k], &w->port[w->first_port[i] + k]);
		put_lldp(w, &w->port[w->first_port[i] + k], &d->ports[k]);
		put_line(w);
	}
}

/* The lines that all ranks of the job write for one collective. Dead processes write none. */
static void write_collective(
	struct observations *w, size_t i, const struct sim_job_view *job, uint64_t n)
{
	unsigned hosts = job->gpus_per_host ? job->nranks / job->gpus_per_host : 1;
	struct sim_rank_view v;

	for (unsigned rank = 0; rank < job->nranks && !w->lost; rank++) {
		sim_rank(w->o.sim, i, rank, &v);
		if (v.dead || v.unresponsive || !sim_rank_past(w->o.sim, i, n, &v))
			continue;
		line_begin(&w->line, v.ended_us, v.host->name);
		observe_collective(&w->line, job, hosts, &v);
		put_line(w);
	}
}

static void write_job(struct observations *w, size_t i)
{
	struct job_memory *m = &w->job[i];
	struct sim_job_view job;

	sim_job(w->o.sim, i, &job);
	if (observe_ras(w, i, &job))
		put_line(w);
	if (job.finished - m->finished > SIM_PAST)
		m->finished = job.finished - SIM_PAST;
	while (m->finished < job.finished)
		write_collective(w, i, &job, m->finished++);
}

/* ---- jobs that came and went ---- */

static bool has_same_jobs(const struct observations *w)
{
	struct sim_job_view job;

	if (sim_job_count(w->o.sim) != w->njobs)
		return false;
	for (size_t i = 0; i < w->njobs; i++) {
		sim_job(w->o.sim, i, &job);
		if (job.id != w->job[i].id)
			return false;
	}
	return true;
}

/* Of a job that goes on, what was written is not written again. */
static void take_jobs(struct observations *w)
{
	struct job_memory *before = w->job;
	size_t nbefore = w->njobs;
	struct sim_job_view job;

	w->njobs = sim_job_count(w->o.sim);
	w->job = mem_calloc(w->njobs + 1, sizeof(*w->job));
	for (size_t i = 0; i < w->njobs; i++) {
		sim_job(w->o.sim, i, &job);
		w->job[i].id = job.id;
		for (size_t k = 0; k < nbefore; k++)
			if (before[k].id == job.id)
				w->job[i] = before[k];
	}
	free(before);
	ras_free(w->ras);
	w->ras = ras_new(&(struct ras_opts){
		.source = &ras_sim, .sim = w->o.sim, .address = observe_address});
}

/* ---- schedule ---- */

/* Rounded up: at this wall time the device time has been reached. */
static int64_t wall_of(const struct observations *w, uint64_t n)
{
	double device = (double)n * (double)w->o.interval_us;

	return w->o.start_us + (int64_t)ceil(device / w->o.speed);
}

int64_t observations_next(const struct observations *w)
{
	return w->lost ? INT64_MAX : wall_of(w, w->n);
}

void observations_take(struct observations *w, int64_t wall_us)
{
	size_t n = sim_device_count(w->o.sim);

	sim_advance_device(w->o.sim, sim_device(w->o.sim, 0), wall_us);
	if (!has_same_jobs(w))
		take_jobs(w);
	ras_update(w->ras);
	for (size_t i = 0; i < n && !w->lost; i++)
		write_device(w, i, sim_device(w->o.sim, i));
	for (size_t i = 0; i < w->njobs && !w->lost; i++)
		write_job(w, i);
	if (!w->lost && fflush(w->file) != 0)
		report_loss(w, errno);
}

int64_t observations_run(struct observations *w, int64_t wall_us)
{
	if (observations_next(w) <= wall_us)
		observations_take(w, wall_of(w, w->n++));
	return observations_next(w) < wall_us ? observations_next(w) : wall_us;
}

/* ---- construction and end ---- */

static void init_memory(struct observations *w)
{
	size_t n = sim_device_count(w->o.sim), ports = 0;

	w->first_port = mem_calloc(n + 1, sizeof(*w->first_port));
	w->logged = mem_calloc(n + 1, sizeof(*w->logged));
	w->boot = mem_calloc(n + 1, sizeof(*w->boot));
	w->sessions = mem_calloc(n + 1, sizeof(*w->sessions));
	for (size_t i = 0; i < n; i++) {
		w->first_port[i] = ports;
		ports += sim_device(w->o.sim, i)->nports;
	}
	w->port = mem_calloc(ports + 1, sizeof(*w->port));
	take_jobs(w);
}

struct observations *observations_new(const struct observations_opts *o, struct err *err)
{
	struct observations *w;
	FILE *f = o->file ? o->file : strcmp(o->path, "-") == 0 ? stdout : fopen(o->path, "we");

	if (!f) {
		err_set(err, ERR_IO, o->path, "cannot be written: %s", strerror(errno));
		err_cure(err, "another file for --observations, or - for standard output");
		return NULL;
	}
	w = mem_calloc(1, sizeof(*w));
	w->o = *o;
	w->o.most = o->most ? o->most : OBSERVATIONS_MOST;
	w->file = f;
	if (!o->file)
		(void)setvbuf(f, NULL, _IOFBF, FILE_BUFFER);
	buf_init(&w->line, LINE_MOST);
	init_memory(w);
	return w;
}

bool observations_close(struct observations *w, struct err *err)
{
	bool ok;

	if (!w)
		return true;
	ok = fflush(w->file) == 0;
	if (!ok || w->lost)
		ok = err_set(err, ERR_IO, w->o.path, "is incomplete: %s",
			strerror(w->lost ? w->why : errno));
	if (w->lost && w->why == EFBIG)
		(void)err_cure(err, "--for DURATION, or - for standard output and a filter");
	if (w->file != stdout && !w->o.file && fclose(w->file) != 0 && ok)
		ok = err_set(err, ERR_IO, w->o.path, "is incomplete: %s", strerror(errno));
	free(w->job);
	ras_free(w->ras);
	free(w->port);
	free(w->boot);
	free(w->sessions);
	free(w->logged);
	free(w->first_port);
	buf_free(&w->line);
	free(w);
	return ok;
}
