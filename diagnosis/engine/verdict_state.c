/* SPDX-License-Identifier: Apache-2.0 */
/* State of the fabric from all evidence: no text and no exit code may be milder. */
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "diagnosis/engine/root_cause.h"

/* Above this share of ports paused more than 10 % of the time, the fabric suffers. */
#define PAUSED_MANY  0.01
#define STALLED_MOST 64

const char *fabric_state_name(enum fabric_state s)
{
	static const char *const names[FABRIC_STATES] = {"unknown", "clean", "suspect", "trouble"};

	return (unsigned)s < FABRIC_STATES ? names[s] : names[0];
}

enum severity verdict_severity(const struct verdict_report *v)
{
	switch (v->state) {
	case FABRIC_CLEAN:
		return SEV_OK;
	case FABRIC_SUSPECT:
	case FABRIC_TROUBLE: /* critical trouble stays critical when its cause is known */
		return v->critical ? SEV_CRIT : SEV_WARN;
	default:
		return SEV_UNKNOWN;
	}
}

/* ---- evidence ---- */

static bool is_about(const struct model *m, uint32_t job, const struct finding *f)
{
	return job == JOB_NONE || verdict_touches(m, job, f);
}

/* A finding without present harm counts only if it is critical. */
static bool is_evidence(const struct finding *f)
{
	return f->severity >= SEV_CRIT ||
	       (f->severity == SEV_WARN && f->role != ROLE_RISK && f->role != ROLE_INFO);
}

static void count_findings(
	struct verdict_report *out, const struct diag *d, const struct model *m, uint32_t job)
{
	uint32_t stalled[STALLED_MOST] = {0};

	for (size_t i = 0; i < d->order.n; i++) {
		const struct finding *f = d->order.at[i];
		struct place at;
		unsigned k = 0;

		if (!is_about(m, job, f))
			continue;
		out->risks += !is_evidence(f) && !f->root && f->severity >= SEV_WARN &&
			      f->role != ROLE_INFO;
		if (!is_evidence(f))
			continue;
		out->criticals += f->severity >= SEV_CRIT;
		out->warnings += f->severity < SEV_CRIT;
		if (!verdict_stops(f->id) || f->severity < SEV_CRIT)
			continue;
		at = place_of(m, f);
		while (k < out->stalled && stalled[k] != at.job)
			k++;
		if (at.job != JOB_NONE && k == out->stalled && k < STALLED_MOST)
			stalled[out->stalled++] = at.job;
	}
}

/* For the whole fabric only: checks do not tell about a single job. */
static bool check_fails(const struct verdict_report *v)
{
	for (size_t i = 0; i < v->proof.n; i++)
		if (v->proof.at[i].checked && !v->proof.at[i].ok &&
			v->proof.at[i].line != LINE_DEVICES)
			return true;
	return false;
}

/* ---- the strongest hint ---- */

static bool is_hint(const struct model *m, const struct finding *f)
{
	return (f->open || f->claimed) && is_evidence(f) && f->role != ROLE_RISK &&
	       f->role != ROLE_INFO && (f->role != ROLE_VICTIM || verdict_of_unseen(f)) &&
	       verdict_of(m, f) != VERDICT_UNKNOWN;
}

/* A strict order, so that a loaded state gives the same text. */
static bool is_stronger(const struct finding *a, const struct finding *b)
{
	if (!b || a->severity != b->severity)
		return !b || a->severity > b->severity;
	if (!a->root != !b->root)
		return !a->root;
	if (a->confidence < b->confidence || a->confidence > b->confidence)
		return a->confidence > b->confidence;
	return a->key < b->key;
}

/* Includes claimed findings that are not open yet: the second sample confirms them, but the first
 * one suffices for a hint. */
static const struct finding *strongest_hint(
	const struct diag *d, const struct model *m, uint32_t job)
{
	const struct finding *best = NULL;
	struct record *r, *next;

	HASH_ITER (hh, d->known, r, next)
		if (is_hint(m, &r->f) && is_about(m, job, &r->f) && is_stronger(&r->f, best))
			best = &r->f;
	return best;
}

static void hint_finding(struct verdict_report *out, const struct model *m, const struct finding *f)
{
	char place[160] = "";
	struct place at = place_of(m, f);
	const struct device *d = model_device_at(m, at.device);
	bool named = d && strstr(f->title, d->name);

	(void)ref_format(m, f->at, place, sizeof(place));
	(void)str_printf(out->hint, sizeof(out->hint), "%s%s%s",
		f->title[0] ? f->title : finding_info[f->id].title,
		named || !place[0] ? "" : " at ", named ? "" : place);
}

static void hint_cycle(
	struct verdict_report *out, const struct pause_graph *g, const struct model *m)
{
	char path[sizeof(out->hint)];

	pause_cycle_write(g, m, &g->cycles.at[0], path, sizeof(path));
	(void)str_printf(out->hint, sizeof(out->hint), "cycle of pauses: %s", path);
}

static void hint_terminal(
	struct verdict_report *out, const struct pause_graph *g, const struct model *m)
{
	const struct pause_node *n = &g->nodes.at[g->terminals.at[0]];
	char place[2 * NAME_MAX_LEN] = "", lost[24];

	(void)ref_format(m, at_port(n->port), place, sizeof(place));
	(void)str_printf(out->hint, sizeof(out->hint), "most pauses lead to %s (%s lost)", place,
		str_bitrate((double)n->blame_bps, lost, sizeof(lost)));
}

static void find_hint(
	struct verdict_report *out, const struct diag *d, const struct model *m, uint32_t job)
{
	const struct finding *f = strongest_hint(d, m, job);
	const struct pause_graph *g = d->pauses;

	if (f && (f->severity >= SEV_CRIT || job != JOB_NONE))
		hint_finding(out, m, f);
	else if (job == JOB_NONE && g->cycles.n && g->cycles.at[0].nodes.n)
		hint_cycle(out, g, m);
	else if (f)
		hint_finding(out, m, f);
	else if (job == JOB_NONE && out->paused && g->terminals.n)
		hint_terminal(out, g, m);
}

/* ---- the state ---- */

void verdict_settle(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, bool suffers, int64_t now_us)
{
	const struct job *j = model_job_at(m, job);
	bool many = job == JOB_NONE && out->paused > PAUSED_MANY * out->paused_of;
	bool fails = job == JOB_NONE && check_fails(out);

	count_findings(out, d, m, job);
	out->trouble = suffers || out->criticals || out->stalled || many;
	out->critical = out->trouble || fails;
	if (suffers && out->verdict != VERDICT_UNKNOWN)
		out->state = FABRIC_TROUBLE;
	else if (out->critical || out->warnings)
		out->state = FABRIC_SUSPECT;
	else
		out->state = out->fabric_clean && (!j || job_advances(m->nccl, j, now_us))
				     ? FABRIC_CLEAN
				     : FABRIC_UNKNOWN;
	if (out->state < FABRIC_SUSPECT)
		out->since_us = 0;
	else if (!out->since_us)
		out->since_us = now_us;
	if (out->state == FABRIC_SUSPECT)
		find_hint(out, d, m, job);
}
