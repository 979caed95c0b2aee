/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/noc/noc_private.h"
#include "views/summary.h"

struct view_ctx noc_ctx(const struct noc *n)
{
	return (struct view_ctx){.model = n->model,
		.now_us = n->data_us,
		.term = n->opts.term,
		.cache = n->cache,
		.diag = n->diag};
}

/* ---- words ---- */

char *noc_hhmm(const struct noc *n, int64_t us, char *dst, size_t size)
{
	char hms[32];

	dst[0] = '\0';
	if (us > 0) {
		(void)clock_format_hms(
			clock_zone_shown(&n->opts.zone, n->model ? model_wall(n->model, us) : us),
			hms, sizeof(hms));
		hms[5] = '\0';
		(void)str_copy(dst, size, hms);
	}
	return dst;
}

char *noc_since(const struct noc *n, int64_t since_us, char *dst, size_t size)
{
	int64_t age = n->data_us - since_us, minutes = age / (60 * CLOCK_SEC);

	if (since_us <= 0)
		(void)str_copy(dst, size, "-");
	else if (minutes < 1)
		(void)str_copy(dst, size, "<1m");
	else if (minutes < 60)
		(void)str_printf(dst, size, "%lldm", (long long)minutes);
	else if (minutes < (int64_t)48 * 60)
		(void)str_printf(dst, size, "%lldh%02lldm", (long long)(minutes / 60),
			(long long)(minutes % 60));
	else
		(void)str_printf(dst, size, "%lldd", (long long)(minutes / 1440));
	return dst;
}

/* Leaves out the job's name, which is often the name of a tenant. */
static void rank_place(const struct model *m, struct ref at, char *dst, size_t size)
{
	const struct rank *r = ref_rank(m, at);
	const struct port *p = r ? model_port_at(m, r->nic) : NULL;
	const struct device *host = r ? model_device_at(m, r->host) : NULL;
	char nic[2 * NAME_MAX_LEN] = "";

	if (p)
		(void)port_locator(m, p, nic, sizeof(nic));
	else if (host)
		(void)str_copy(nic, sizeof(nic), host->name);
	(void)str_printf(
		dst, size, "rank %d of a job%s%s", (int)at.rank, nic[0] ? " on " : "", nic);
}

char *noc_place(const struct model *m, struct ref at, char *dst, size_t size)
{
	dst[0] = '\0';
	if (at.kind == REF_FABRIC)
		(void)str_copy(dst, size, "the fabric");
	else if (at.kind == REF_JOB || at.kind == REF_COMM)
		(void)str_copy(dst, size, "a job");
	else if (at.kind == REF_RANK)
		rank_place(m, at, dst, size);
	else if (at.kind != REF_NONE)
		(void)ref_format(m, at, dst, size);
	if (!dst[0])
		(void)str_copy(dst, size, "-");
	return dst;
}

char *noc_ends(const struct model *m, const struct finding *f, char *dst, size_t size)
{
	char at[160], peer[160];

	(void)noc_place(m, f->at, at, sizeof(at));
	if (f->peer.kind == REF_NONE)
		(void)str_copy(dst, size, at);
	else
		(void)str_printf(
			dst, size, "%s <-> %s", at, noc_place(m, f->peer, peer, sizeof(peer)));
	return dst;
}

/* Leaves out the hint, which may name a job, and ages, which would change each second. */
static void suspicion_text(const struct verdict_report *v, char *dst, size_t size)
{
	char counts[160];

	verdict_counts(v, counts, sizeof(counts));
	(void)str_printf(dst, size, "%s%s%s",
		v->critical ? "a problem is seen, its cause is not proven" : "suspicion",
		counts[0] ? ": " : "", counts);
}

enum role noc_verdict(const struct noc *n, const struct noc_facts *f, char *dst, size_t size)
{
	const struct verdict_report *v = n->diag ? diag_verdict(n->diag) : NULL;
	const struct finding *culprit = v ? diag_finding(n->diag, v->culprit) : NULL;
	char ends[330], text[VERDICT_SENTENCE], sure[16];

	if (f->word == NOC_BLIND) {
		(void)str_printf(dst, size, "no data: %s", f->why);
		return ROLE_UNKNOWN;
	}
	if (!v) {
		(void)str_copy(dst, size, "not diagnosed");
		return ROLE_UNKNOWN;
	}
	if (v->state == FABRIC_TROUBLE) {
		(void)str_printf(dst, size, "%s %s%s%s%s%s%s", verdict_name(v->verdict),
			str_share(v->confidence, "%", sure, sizeof(sure)), culprit ? ": " : "",
			culprit ? finding_info[culprit->id].title : "", culprit ? ", " : "",
			culprit ? noc_ends(n->model, culprit, ends, sizeof(ends)) : "",
			v->fabric_clean ? "; fabric clean" : "");
		return role_of_severity(verdict_severity(v));
	}
	if (v->state == FABRIC_SUSPECT) {
		suspicion_text(v, dst, size);
		return v->critical ? ROLE_CRIT : ROLE_WARN;
	}
	verdict_sentence(v, n->model, n->data_us, text, sizeof(text));
	(void)str_printf(dst, size, "%s; %u of %u devices current", text, f->current, f->devices);
	return v->state == FABRIC_CLEAN ? ROLE_OK : ROLE_UNKNOWN;
}

/* ---- numbers ---- */

static void count_devices(const struct model *m, struct noc_facts *f)
{
	bool planned = false;

	for (size_t i = 0; i < m->devices.n && !planned; i++)
		planned = m->devices.at[i]->planned;
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		/* Reports about unplanned devices must not make the fabric blind. */
		if (planned && !d->planned)
			continue;
		f->devices++;
		f->coverage.devices++;
		f->coverage.by_state[d->state]++;
		if (d->state == DEV_PENDING)
			f->pending++;
		else if (f->silent || device_is_old(d))
			f->dark++;
		else
			f->current++;
	}
}

static void count_sessions(const struct model *m, struct noc_facts *f)
{
	for (size_t i = 0; i < m->devices.n; i++) {
		struct bgp_count c = device_bgp(m->devices.at[i]);

		f->bgp_known |= m->devices.at[i]->bgp_us > 0;
		f->bgp_ok += device_is_old(m->devices.at[i]) ? 0 : c.ok;
		f->bgp_all += c.all;
	}
}

static uint32_t job_of(const struct model *m, const struct finding *f)
{
	const struct comm *c = ref_comm(m, f->at);

	if (f->at.kind == REF_JOB)
		return f->at.job;
	return c ? c->job : JOB_NONE;
}

unsigned noc_job_blocked(const struct noc *n, uint32_t job)
{
	const struct finding *const *all;
	unsigned most = 0;
	size_t count;

	if (!n->diag)
		return 0;
	all = diag_findings(n->diag, &count);
	for (size_t i = 0; i < count; i++)
		if (job_of(n->model, all[i]) == job && all[i]->gpus_blocked > most)
			most = all[i]->gpus_blocked;
	return most;
}

#define BLOCKED_JOBS 64 /* further jobs are not distinguished: the sum is a lower bound anyway */

/*
 * None is blocked only where a job was seen to advance: hosts and processes do not show it. All
 * findings of one job name its GPUs, so each job counts once. Findings of other sources may be
 * about the same GPUs, so the largest number is a lower bound.
 */
static void count_blocked(const struct noc *n, struct noc_facts *f)
{
	struct {
		uint32_t job;
		unsigned gpus;
	} jobs[BLOCKED_JOBS];
	const struct nccl *nccl = n->model->nccl;
	const struct finding *const *all;
	unsigned sum = 0, most = 0;
	size_t count, used = 0, at;

	if (!n->diag)
		return;
	for (size_t i = 0; i < nccl->jobs.n && !f->blocked_known; i++)
		f->blocked_known = job_advances(nccl, nccl->jobs.at[i], n->data_us);
	all = diag_findings(n->diag, &count);
	for (size_t i = 0; i < count; i++) {
		unsigned gpus = all[i]->gpus_blocked;
		uint32_t job = job_of(n->model, all[i]);

		if (gpus > most)
			most = gpus;
		for (at = 0; at < used && jobs[at].job != job; at++)
			;
		if (!gpus || job == JOB_NONE || at == BLOCKED_JOBS)
			continue;
		if (at == used) {
			jobs[used].job = job;
			jobs[used++].gpus = 0;
		}
		if (gpus > jobs[at].gpus)
			jobs[at].gpus = gpus;
	}
	for (at = 0; at < used; at++)
		sum += jobs[at].gpus;
	f->blocked = sum > most ? sum : most;
	f->blocked_known |= f->blocked > 0;
}

static bool takes_part(const struct finding *f)
{
	return f->role != ROLE_RISK && f->role != ROLE_INFO;
}

static void take_findings(const struct noc *n, struct noc_facts *f, bool risks, bool acked)
{
	const struct finding *const *all;
	size_t count;

	all = diag_findings(n->diag, &count);
	for (size_t i = 0; i < count; i++) {
		if (all[i]->root || takes_part(all[i]) == risks || all[i]->severity < SEV_WARN ||
			finding_acked(all[i], n->data_us) != acked)
			continue;
		if (f->ntop < NOC_TOP)
			f->top[f->ntop++] = all[i];
		else
			f->more++;
	}
}

static void count_findings(const struct noc *n, struct noc_facts *f)
{
	const struct finding *const *all;
	size_t count;

	if (!n->diag)
		return;
	all = diag_findings(n->diag, &count);
	for (size_t i = 0; i < count; i++) {
		if (!takes_part(all[i]) || finding_acked(all[i], n->data_us))
			continue;
		if (all[i]->severity > f->worst)
			f->worst = all[i]->severity;
		if (all[i]->root)
			continue;
		f->crit += all[i]->severity == SEV_CRIT;
		f->warn += all[i]->severity == SEV_WARN;
	}
	take_findings(n, f, false, false);
	take_findings(n, f, false, true);
	take_findings(n, f, true, false);
}

static bool is_storm(const struct finding *f)
{
	return f->id == FIND_PFC_STORM || f->id == FIND_DEADLOCK || f->id == FIND_WATCHDOG_FIRED ||
	       f->id == FIND_WATCHDOG_SILENT;
}

static unsigned count_stormed(const struct model *m)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		n += !p->merged && !device_is_old(model_dev_of(m, p)) &&
		     watchdog_worst(p, 0xff) == WD_STORMED;
	}
	return n;
}

static void look_for_storm(const struct noc *n, struct noc_facts *f)
{
	const struct pause_graph *g = n->diag ? diag_pauses(n->diag) : NULL;
	const struct finding *const *all = NULL, *root = NULL;
	unsigned stormed = count_stormed(n->model), held = g ? g->held : 0;
	char at[330] = "", ports[64] = "", queues[64] = "";
	size_t count = 0;

	if (n->diag)
		all = diag_findings(n->diag, &count);
	for (size_t i = 0; i < count && !root; i++)
		if (is_storm(all[i]) && takes_part(all[i]))
			root = all[i];
	f->storm = root || stormed;
	if (!f->storm)
		return;
	/* Names the port that sends the pause, not the port that the watchdog helped. */
	for (int steps = 0; root && root->root && root->root != root->key && steps < 8; steps++) {
		const struct finding *up = diag_finding(n->diag, root->root);

		if (!up)
			break;
		root = up;
	}
	if (root)
		(void)noc_place(n->model, root->at, at, sizeof(at));
	if (held)
		(void)str_printf(
			ports, sizeof(ports), "  %u port%s paused", held, str_plural(held));
	if (stormed)
		(void)str_printf(queues, sizeof(queues), "  %u port%s stormed", stormed,
			str_plural(stormed));
	(void)str_printf(f->storm_text, sizeof(f->storm_text), "PAUSE STORM%s%s%s%s",
		at[0] ? "  from " : "", at, queues, ports);
}

static bool is_blind(const struct noc *n, struct noc_facts *f)
{
	char age[16];

	if (!n->model || !f->devices)
		(void)str_copy(f->why, sizeof(f->why), "there is no data");
	else if (f->silent)
		(void)str_printf(f->why, sizeof(f->why), "no device has answered for %s",
			str_age(f->age_us, age, sizeof(age)));
	else if (f->current * 2 < f->devices)
		(void)str_printf(f->why, sizeof(f->why), "%u of %u devices do not answer",
			f->devices - f->current, f->devices);
	return f->why[0] != '\0';
}

static enum noc_word word_of(const struct noc *n, struct noc_facts *f)
{
	struct view_ctx ctx = noc_ctx(n);
	struct summary s;

	if (is_blind(n, f))
		return NOC_BLIND;
	if (f->worst == SEV_CRIT || f->blocked || f->storm)
		return NOC_CRITICAL;
	summary_fabric(&ctx, &s);
	/* Without a diagnosis the worst port stands for the fabric. */
	if (!n->diag && s.health.severity == SEV_CRIT)
		return NOC_CRITICAL;
	if (n->diag && diag_verdict(n->diag)->state >= FABRIC_SUSPECT)
		return NOC_DEGRADED;
	if (f->loud || f->worst == SEV_WARN || f->dark || s.health.severity == SEV_CRIT ||
		(!n->diag && s.health.severity == SEV_WARN))
		return NOC_DEGRADED;
	/* An acknowledged finding is still open. */
	for (size_t i = 0; i < f->ntop; i++)
		if (takes_part(f->top[i]))
			return NOC_DEGRADED;
	/* A check that could not be made is not green. */
	return n->diag && diag_verdict(n->diag)->state != FABRIC_CLEAN ? NOC_UNKNOWN : NOC_OK;
}

void noc_facts(const struct noc *n, struct noc_facts *f)
{
	memset(f, 0, sizeof(*f));
	f->age_us = noc_age(n);
	f->loud = f->age_us >= n->loud_after;
	f->silent = f->age_us >= n->blind_after;
	if (n->model) {
		count_devices(n->model, f);
		count_sessions(n->model, f);
		count_blocked(n, f);
		count_findings(n, f);
		look_for_storm(n, f);
	}
	f->word = word_of(n, f);
}
