/* SPDX-License-Identifier: Apache-2.0 */
/* One hop: the finding behind it, else its newest sample. */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/trace/trace_internal.h"
#include "fabric/vocabulary/counters.h"

/* A flap counts as recent for this time. */
#define FLAP_RECENT_US (3600 * CLOCK_SEC)

void trace_place_text(const struct model *m, struct ref at, char *dst, size_t size)
{
	const struct port *p =
		at.kind == REF_PORT || at.kind == REF_PRIORITY ? ref_port(m, at) : NULL;

	*dst = '\0';
	if (p)
		(void)str_printf(dst, size, "%s %s", model_dev_of(m, p)->name, p->name);
	else
		(void)ref_format(m, at, dst, size);
}

enum hop_step trace_step_of(const struct model *m, uint32_t port)
{
	const struct port *p = m->ports.at[port], *q = port_peer(m, p, NULL);
	enum tier t = model_dev_of(m, p)->tier;

	if (t == TIER_HOST)
		return HOP_HOST_PORT;
	if (t > TIER_LEAF)
		return HOP_SPINE_PORT;
	return q && model_dev_of(m, q)->tier > t ? HOP_UPLINK : HOP_LEAF_PORT;
}

/* ---- findings ---- */

static bool ref_is_port(struct ref at, uint32_t port)
{
	return (at.kind == REF_PORT || at.kind == REF_PRIORITY || at.kind == REF_LINK ||
		       at.kind == REF_COUNTER) &&
	       at.port == port;
}

bool trace_finding_at_port(const struct model *m, const struct finding *f, uint32_t port)
{
	uint32_t device = m->ports.at[port]->device;

	if (ref_is_port(f->at, port) || ref_is_port(f->peer, port))
		return true;
	for (size_t i = 0; i < f->members.n; i++)
		if (ref_is_port(f->members.at[i], port))
			return true;
	return f->at.kind == REF_DEVICE && f->at.device == device && f->role == ROLE_CULPRIT &&
	       m->devices.at[device]->tier != TIER_HOST;
}

static bool names_victim(const struct finding *f, uint32_t port)
{
	for (size_t i = 0; i < f->victims.n; i++)
		if (ref_is_port(f->victims.at[i].at, port))
			return true;
	return false;
}

/* Whether the finding is about the NIC as a card, rather than about its port. */
static bool is_of_card(const struct finding *f)
{
	return finding_info[f->id].family == FAMILY_HOST || f->id == FIND_PFC_STORM;
}

static bool belongs_to_hop(const struct tracer *r, const struct hop *h, const struct finding *f)
{
	if (h->step == HOP_RANK)
		return trace_names_rank(r->m, f, h->at);
	if (h->step == HOP_GPU)
		return finding_is_of_gpu(f->id) && f->at.kind == REF_DEVICE &&
		       f->at.device == h->at.device;
	/* A connection that failed: either end of it. */
	if (h->at.kind == REF_PORT && (f->id == FIND_NCCL_ERROR || f->id == FIND_NCCL_NIC))
		return h->step == HOP_NIC &&
		       (ref_is_port(f->at, h->at.port) || ref_is_port(f->peer, h->at.port));
	/* Findings about processes do not concern their NICs; a slow edge passes them. */
	if (h->at.kind != REF_PORT || finding_is_of_gpu(f->id) ||
		(finding_info[f->id].family == FAMILY_NCCL && f->id != FIND_NCCL_SLOW_EDGE))
		return false;
	if ((h->step == HOP_NIC && !is_of_card(f)) ||
		(h->step == HOP_HOST_PORT && is_of_card(f) && f->role == ROLE_CULPRIT &&
			h->at.port == r->nic))
		return false;
	return trace_finding_at_port(r->m, f, h->at.port) || names_victim(f, h->at.port);
}

static enum hop_state state_by(const struct finding *f, const struct hop *h)
{
	if (h->at.kind == REF_PORT && names_victim(f, h->at.port) &&
		!ref_is_port(f->at, h->at.port))
		return HOP_VICTIM;
	if (f->id == FIND_NCCL_ERROR && h->step == HOP_NIC)
		return HOP_SUSPECT;
	switch (f->role) {
	case ROLE_CULPRIT:
		return HOP_SUSPECT;
	case ROLE_SYMPTOM:
	case ROLE_VICTIM:
		return HOP_VICTIM;
	default:
		return HOP_OK;
	}
}

/* Findings are sorted by likelihood: the first that accuses the hop counts, else the first that
 * makes it a victim. */
static void judge_by_findings(const struct tracer *r, struct hop *h)
{
	for (size_t i = 0; i < r->d->order.n; i++) {
		const struct finding *f = r->d->order.at[i];
		enum hop_state s;

		if (!belongs_to_hop(r, h, f))
			continue;
		s = state_by(f, h);
		if (h->finding && (s != HOP_SUSPECT || h->state == HOP_SUSPECT) &&
			!(s == HOP_VICTIM && h->state == HOP_OK))
			continue;
		h->finding = f->key;
		h->state = s;
		(void)str_copy(h->why, sizeof(h->why), f->title);
	}
}

/* ---- samples ---- */

static void speed_text(unsigned mbps, char *dst, size_t size)
{
	if (mbps >= 1000000)
		(void)str_printf(dst, size, "%.1fT", mbps / 1e6);
	else
		(void)str_printf(dst, size, "%uG", mbps / 1000);
}

static void rate_text(double per_s, const char *unit, struct hop *h)
{
	char rate[16];

	(void)str_printf(
		h->number, sizeof(h->number), "%s %s", str_si(per_s, rate, sizeof(rate)), unit);
}

/* The most important number, in twelve columns. */
static void count_port(
	const struct tracer *r, const struct port *p, const struct sample *s, struct hop *h)
{
	char is[12], should[12];

	speed_text(p->speed_mbps, is, sizeof(is));
	speed_text(p->plan_speed_mbps, should, sizeof(should));
	if (p->oper == OPER_DOWN)
		(void)str_copy(h->number, sizeof(h->number), "down");
	else if (p->flaps && r->now_us - p->last_flap_us < FLAP_RECENT_US)
		(void)str_printf(
			h->number, sizeof(h->number), "%u flap%s", p->flaps, str_plural(p->flaps));
	else if (p->speed_mbps && p->plan_speed_mbps > p->speed_mbps)
		(void)str_printf(h->number, sizeof(h->number), "%s of %s", is, should);
	else if (s && s->lossless_drops > 0)
		rate_text((double)s->lossless_drops, "drops/s", h);
	else if (s && s->fcs_pps > 0)
		rate_text((double)s->fcs_pps, "fcs/s", h);
	else if (s && s->held > PAUSE_HELD_LEAST)
		(void)str_printf(h->number, sizeof(h->number), "paused %s%.0f%%",
			s->held_bound ? "<=" : "", (double)s->held * 100);
	else if (s && !isnan(s->tx_bps) && p->speed_mbps)
		(void)str_printf(h->number, sizeof(h->number), "%s tx %.0f%%", is,
			(double)s->tx_bps / 1e4 / p->speed_mbps);
	else if (p->speed_mbps)
		(void)str_copy(h->number, sizeof(h->number), is);
}

static void judge_by_sample(
	const struct port *p, const struct device *d, const struct sample *s, struct hop *h)
{
	if (p->oper == OPER_DOWN) {
		h->state = HOP_SUSPECT;
		(void)str_printf(h->why, sizeof(h->why), "the link is down%s%s",
			*p->more->down_reason ? ": " : "", p->more->down_reason);
	} else if (!p->seen || !s) {
		h->state = HOP_UNKNOWN;
		(void)str_printf(h->why, sizeof(h->why), "no sample: %s is %s", d->name,
			d->state == DEV_FRESH ? "missing in its data" : dev_state_words(d->state));
	} else if (s->held > PAUSE_HELD_LEAST && !s->held_bound) {
		h->state = HOP_VICTIM;
		(void)str_printf(h->why, sizeof(h->why), "paused by its peer %.0f%% of the time",
			(double)s->held * 100);
	} else {
		h->state = HOP_OK;
		/* A packet of the bundle may take any of its links. */
		if (p->more->bond[0] && d->tier != TIER_HOST)
			(void)str_printf(h->why, sizeof(h->why), "in %s%s%s", p->more->bond,
				p->more->lag_state[0] ? ", " : "", p->more->lag_state);
	}
}

/* Shows the number of the finding that accuses the NIC. */
static bool convict_nic(const struct tracer *r, struct hop *h)
{
	const struct finding *f = h->state == HOP_SUSPECT ? diag_finding(r->d, h->finding) : NULL;
	const struct evidence *e = f ? finding_conviction(f) : NULL;
	char number[16];

	if (!e)
		return false;
	(void)str_si(e->value, number, sizeof(number));
	(void)str_printf(h->number, sizeof(h->number), "%s%s%s%s",
		evidence_is_pause(e->what) ? "pauses " : "", number,
		e->unit[0] && !strchr("%/", e->unit[0]) ? " " : "", e->unit);
	return true;
}

static void judge_port(const struct tracer *r, struct hop *h)
{
	const struct port *p = ref_port(r->m, h->at);
	const struct sample *s = window_last(r->d->windows, p->id);
	const struct cell *width = port_cell(p, CTR_PCIE_WIDTH, 0);

	if (h->step != HOP_NIC || !convict_nic(r, h)) {
		if (h->step == HOP_NIC && width && width->valid == VALID_OK)
			(void)str_printf(h->number, sizeof(h->number), "PCIe x%.0f", width->real);
		else
			count_port(r, p, s, h);
	}
	if (!h->finding)
		judge_by_sample(p, model_dev_of(r->m, p), s, h);
}

/* ---- judging hops ---- */

static void judge_gpu(const struct tracer *r, struct hop *h)
{
	const struct device *d = ref_device(r->m, h->at);
	bool seen = d->state == DEV_FRESH || d->state == DEV_LATE;

	(void)str_printf(h->number, sizeof(h->number), "GPU %d", r->gpu);
	if (h->finding)
		return;
	h->state = seen ? HOP_OK : HOP_UNKNOWN;
	(void)str_copy(h->why, sizeof(h->why), seen ? "no GPU error was logged" : "host not seen");
}

struct hop *trace_hop(struct tracer *r, enum hop_step step, struct ref at, const char *learned)
{
	struct hop *h = vec_add(&r->t->chain);

	h->step = step;
	h->at = at;
	(void)str_copy(h->learned, sizeof(h->learned), learned);
	judge_by_findings(r, h);
	/* A finding may name a rank of a communicator that was dropped to make room. */
	if (!ref_lives(r->m, at))
		return h;
	if (at.kind == REF_PORT)
		judge_port(r, h);
	else if (step == HOP_RANK && at.kind == REF_RANK)
		trace_judge_rank(r, h);
	else if (step == HOP_GPU)
		judge_gpu(r, h);
	return h;
}
