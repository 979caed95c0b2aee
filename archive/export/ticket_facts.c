/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a ticket, independent of its format. */
#include <math.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/ticket_private.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/str.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

const char *ticket_or(const char *s, const char *otherwise)
{
	return s && s[0] ? s : otherwise;
}

const char *ticket_place(const struct model *m, struct ref at, char *dst)
{
	dst[0] = '\0';
	(void)ref_format(m, at, dst, TICKET_PLACE);
	return ticket_or(dst, "-");
}

size_t ticket_roots(const struct ticket *t, const struct finding **out, size_t max)
{
	const struct finding *const *f;
	size_t n = 0, roots = 0;

	f = t->d ? diag_findings(t->d, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (f[i]->root)
			continue;
		if (roots < max)
			out[roots] = f[i];
		roots++;
	}
	return roots;
}

/* Whether the finding opened again after its i-th newest end: its last one counts. */
static bool came_back(const struct diag *d, size_t i, uint64_t key)
{
	bool later = diag_finding(d, key) != NULL;
	int64_t closed;

	for (size_t k = 0; k < i && !later; k++)
		later = diag_closed(d, k, &closed)->key == key;
	return later;
}

size_t ticket_ended(const struct ticket *t, struct ended *out, size_t max)
{
	int64_t from = t->from_us ? t->from_us : t->now_us - TICKET_ENDED_US, closed = 0;
	const struct finding *f;
	size_t n = 0;

	for (unsigned others = 0; t->d && others < 2; others++)
		for (size_t i = 0; (f = diag_closed(t->d, i, &closed)) && closed >= from; i++) {
			if (f->root || f->severity < SEV_WARN || f->role == ROLE_INFO ||
				(f->role != ROLE_CULPRIT) != others || came_back(t->d, i, f->key))
				continue;
			if (n < max)
				out[n] = (struct ended){f, closed};
			n++;
		}
	return n;
}

/* Passes: 0 beyond a threshold, 1 other evidence for the finding, 2 evidence against it. */
static bool in_pass(const struct evidence *e, unsigned pass)
{
	if (e->against)
		return pass == 2;
	return (e->threshold[0] != '\0') == (pass == 0) && pass < 2;
}

size_t ticket_evidence(const struct finding *f, const struct evidence **out, size_t max)
{
	size_t n = 0;

	for (unsigned pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < f->evidence.n && n < max; i++)
			if (in_pass(&f->evidence.at[i], pass))
				out[n++] = &f->evidence.at[i];
	return n;
}

bool ticket_gpus_known(const struct ticket *t, const struct finding *f)
{
	const struct nccl *nccl = t->m->nccl;

	if (f->gpus_blocked || f->gpus_slow)
		return true;
	for (size_t i = 0; i < nccl->jobs.n; i++)
		if (job_advances(nccl, nccl->jobs.at[i], t->now_us))
			return true;
	return false;
}

void ticket_gpus(const struct ticket *t, const struct finding *f, char *dst, size_t size)
{
	if (ticket_gpus_known(t, f))
		(void)str_printf(
			dst, size, "GPUs blocked %u, slowed %u", f->gpus_blocked, f->gpus_slow);
	else
		(void)str_copy(dst, size, "GPUs blocked -, slowed -");
}

void ticket_value(const struct evidence *e, char *dst, size_t size)
{
	bool whole = fabs(e->value) >= 1000 || e->value == trunc(e->value);
	char number[400];

	if (!isfinite(e->value))
		(void)str_copy(number, sizeof(number), ticket_or(e->text, "-"));
	else if (e->unit[0])
		(void)evidence_value(e, number, sizeof(number));
	else
		(void)str_printf(number, sizeof(number), whole ? "%.0f%s%s" : "%.4g%s%s", e->value,
			e->text[0] ? ", " : "", e->text);
	(void)str_printf(
		dst, size, "%s%s%s", number, e->threshold[0] ? ", threshold " : "", e->threshold);
}

static bool same_link(const struct suspect *a, const struct suspect *b)
{
	return (a->end[0] == b->end[0] && a->end[1] == b->end[1]) ||
	       (a->end[0] == b->end[1] && a->end[1] == b->end[0]);
}

static bool is_known(const struct suspect *s, const struct suspect *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (same_link(&list[i], s))
			return true;
	return false;
}

size_t ticket_suspects(const struct ticket *t, struct suspect *out, size_t max)
{
	const struct finding *const *f;
	size_t n = 0, kept = 0, all = 0;

	f = t->d ? diag_findings(t->d, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		struct suspect s = {.finding = f[i], .end = {ref_port(t->m, f[i]->at), NULL}};

		if (f[i]->root || !s.end[0])
			continue;
		s.end[1] = ref_port(t->m, f[i]->peer);
		if (!s.end[1] || s.end[1] == s.end[0])
			s.end[1] = port_peer(t->m, s.end[0], NULL);
		if (is_known(&s, out, kept))
			continue;
		all++;
		if (kept < max)
			out[kept++] = s;
	}
	return all;
}

static void number_or(double v, bool scientific, char *dst, size_t size)
{
	if (!isfinite(v)) {
		(void)str_copy(dst, size, "-");
		return;
	}
	if (scientific)
		(void)str_printf(dst, size, "%.1e", v);
	else
		(void)str_printf(dst, size, "%g", round(v * 10) / 10);
}

static unsigned lanes_of(const struct port *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < LANES; i++) {
		const struct cell *c = port_cell(p, CTR_RX_POWER_DBM, i);

		n += c && c->valid == VALID_OK;
	}
	return n;
}

static void speed_text(unsigned mbps, char *dst, size_t size)
{
	if (!mbps)
		(void)str_copy(dst, size, "-");
	else
		(void)str_printf(dst, size, "%gG", mbps / 1000.0);
}

void ticket_end_state(const struct ticket *t, const struct port *p, char *dst, size_t size)
{
	char speed[16], planned[16], ber[24], flaps[24], last[32] = "", lanes[16] = "-";

	speed_text(p->speed_mbps, speed, sizeof(speed));
	speed_text(p->plan_speed_mbps, planned, sizeof(planned));
	number_or(port_pre_fec_ber(p), true, ber, sizeof(ber));
	number_or(port_flaps(p), false, flaps, sizeof(flaps));
	if (p->last_flap_us)
		model_utc(t->m, p->last_flap_us, last, sizeof(last));
	if (lanes_of(p))
		(void)str_printf(lanes, sizeof(lanes), "%u", lanes_of(p));
	(void)str_printf(dst, size,
		"%s (admin %s), %s (plan %s), lanes %s, FEC %s, BER %s, flaps %s%s%s%s%s",
		port_state_name(p), oper_name(p->admin), speed, planned, lanes,
		ticket_or(p->more->fec, "-"), ber, flaps, last[0] ? ", last " : "", last,
		p->more->down_reason[0] ? ", " : "", p->more->down_reason);
}

static void planned_peer(const struct ticket *t, const struct port *p, char *dst, size_t size)
{
	const struct port *peer = model_port_at(t->m, p->plan_peer);

	(void)str_printf(dst, size, "%s%s%s", peer ? model_dev_of(t->m, peer)->name : "-",
		peer ? ":" : "", peer ? peer->name : "");
}

const char *ticket_unseen_end(const struct port *p, char *dst)
{
	if (p->lldp_device[0])
		(void)str_printf(dst, TICKET_UNSEEN, "%s%s%s (LLDP): it is not in the inventory",
			p->lldp_device, p->lldp_port[0] ? ":" : "", p->lldp_port);
	else
		(void)str_copy(dst, TICKET_UNSEEN, "not known: neither LLDP nor the plan has it");
	return dst;
}

void ticket_end_module(const struct ticket *t, const struct port *p, char *dst, size_t size)
{
	char power[24], planned[160], found[160];
	enum peer_source source;

	number_or(port_rx_power_min(p), false, power, sizeof(power));
	planned_peer(t, p, planned, sizeof(planned));
	(void)str_printf(found, sizeof(found), "%s%s%s", ticket_or(p->lldp_device, "-"),
		p->lldp_port[0] ? ":" : "", p->lldp_port);
	(void)port_peer(t->m, p, &source);
	(void)str_printf(dst, size, "module %s, SN %s, rx %s dBm; LLDP %s%s%s%s",
		ticket_or(p->more->media, "not reported"),
		ticket_or(p->more->module_sn, "not reported"), power, found,
		str_eq(found, planned) ? " as planned" : ", planned ",
		str_eq(found, planned) ? "" : planned,
		source == PEER_MAC ? ", other end by its MAC" : "");
}

size_t ticket_dark(const struct ticket *t, const struct device **out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < t->m->devices.n; i++) {
		const struct device *d = t->m->devices.at[i];

		if (d->state == DEV_FRESH || d->state == DEV_LATE)
			continue;
		if (n < max)
			out[n] = d;
		n++;
	}
	return n;
}

void ticket_poll_health(const struct ticket *t, char *dst, size_t size)
{
	uint64_t polls = 0, failures = 0;
	const struct device *slow = NULL;
	unsigned blind = 0;

	for (size_t i = 0; i < t->m->devices.n; i++) {
		const struct device *d = t->m->devices.at[i];

		polls += d->polls;
		failures += d->failures;
		blind += device_blind(d);
		if (d->took_us > 0 && (!slow || d->took_us > slow->took_us))
			slow = d;
	}
	(void)str_printf(dst, size, "polls %llu, failed %llu; without counters %u device%s",
		(unsigned long long)polls, (unsigned long long)failures, blind, str_plural(blind));
	if (slow) {
		char more[120];

		(void)str_printf(more, sizeof(more), "; slowest answer %.2f s (%s)",
			(double)slow->took_us / 1e6, slow->name);
		if (strlen(dst) + strlen(more) < size)
			(void)str_copy(dst + strlen(dst), size - strlen(dst), more);
	}
}

void ticket_verdict(const struct ticket *t, char *dst, size_t size)
{
	const struct verdict_report *v = t->d ? diag_verdict(t->d) : NULL;

	if (!v)
		(void)str_copy(dst, size, "not judged");
	else
		verdict_sentence(v, t->m, t->now_us, dst, size);
}

void ticket_coverage(const struct ticket *t, char *dst, size_t size)
{
	struct coverage v = model_coverage(t->m);
	size_t at;

	(void)str_printf(dst, size, "%u device%s:", v.devices, str_plural(v.devices));
	for (int s = 0; s < DEV_STATE_COUNT; s++) {
		at = strlen(dst);
		(void)str_printf(dst + at, size - at, " %s %u", dev_state_words((enum dev_state)s),
			v.by_state[s]);
	}
}

void ticket_operator(const struct ticket *t, char *dst, size_t size)
{
	(void)str_printf(
		dst, size, "%s@%s", ticket_or(t->about->user, "-"), ticket_or(t->about->host, "-"));
}

json_t *ticket_ledger(const struct ticket *t)
{
	json_t *list = json_array();
	const char *at = t->about->ledger;

	while (at && *at) {
		size_t n = strcspn(at, "\n");
		json_t *line = n ? json_loadb(at, n, 0, NULL) : NULL;

		if (n && !line)
			line = json_stringn(at, n);
		if (n)
			json_append(list, line ? line : json_string("not readable"));
		at += n + (at[n] == '\n');
	}
	return list;
}

static const char *member_text(const json_t *line, const char *key)
{
	return ticket_or(json_string_value(json_object_get(line, key)), "");
}

void ticket_action(const json_t *line, char *dst, size_t size)
{
	const char *place = member_text(line, "place"), *outcome = member_text(line, "outcome");

	if (!json_is_object(line)) {
		(void)str_printf(dst, size, "not readable: %s",
			ticket_or(json_string_value(line), "no object"));
		return;
	}
	(void)str_printf(dst, size, "%s %s %s %s%s%s by %s%s%s", member_text(line, "t"),
		member_text(line, "event"), ticket_or(member_text(line, "action"), "-"),
		place[0] ? place : ticket_or(member_text(line, "device"), "-"),
		!place[0] && member_text(line, "port")[0] ? ":" : "",
		place[0] ? "" : member_text(line, "port"),
		ticket_or(member_text(line, "user"), "-"), outcome[0] ? ": " : "", outcome);
}

void ticket_step(const struct ticket *t, const struct runbook_log_entry *e, char *dst, size_t size)
{
	char when[32];

	(void)str_printf(dst, size, "%s %s %s/%s %s %s: %s%s%s%s",
		model_utc(t->m, e->t_us, when, sizeof(when)), ticket_or(e->user, "-"),
		ticket_or(e->runbook, "-"), ticket_or(e->step, "whole"),
		ticket_or(e->target, "the fabric"),
		step_outcome_name((enum step_outcome)e->outcome), ticket_or(e->value, "-"),
		e->by_hand ? " (by hand)" : "", e->note[0] ? "; note: " : "", e->note);
}
