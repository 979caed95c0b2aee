/* SPDX-License-Identifier: Apache-2.0 */
/* Links that went down and came back: how often, which end first, and whether a change caused
 * it. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/detectors/link.h"
#include "diagnosis/evidence/job_trouble.h"

/* The effects of a flap end soon: NICs retransmit and ramp up within seconds (trap 21). A job that
 * waits may have been stopped by it for longer. */
#define HURTS_US (INT64_C(15) * 1000000)
/* Between switches sessions come back later, and are read every half a minute. */
#define HURTS_ROUTES_US (INT64_C(45) * 1000000)
#define HURTS_JOBS_US   (INT64_C(60) * 1000000)
/* A single flap is reported for so long (railtop's own). */
#define TOLD_US (10 * INT64_C(60) * 1000000)
/* Repeat offenders: thresholds table, "link_downed: 3 per 24 h -> drain". */
#define OFTEN 3
/* Last-change times are in whole seconds; a smaller difference is no order. */
#define ORDER_US (INT64_C(1500000))
/* A change in the log within this time of a flap explains the flap. */
#define CHANGE_NEAR_US (INT64_C(15) * 1000000)
/* Most events to search for one flap. */
#define EVENTS_LOOKED_AT 512
/* The links of a restarting device are down for up to this time. */
#define RESTART_US (INT64_C(10) * 60 * 1000000)

void flaps_note(struct port_memory *pm, const struct port *p, int64_t now_us)
{
	uint32_t grown = p->flaps - pm->flaps_was;

	if (pm->flaps && p->oper == OPER_DOWN)
		pm->flaps->down_us = now_us;

	if (!pm->known) {
		/* Flaps before the first call came before the first sample. */
		pm->known = true;
		grown = p->last_flap_us ? p->flaps : 0;
	}
	pm->flaps_was = p->flaps;
	if (!grown)
		return;
	if (!pm->flaps)
		pm->flaps = mem_calloc(1, sizeof(*pm->flaps));
	for (uint32_t i = 0; i < grown && i < FLAPS_KEPT; i++)
		pm->flaps->at_us[pm->flaps->n++ % FLAPS_KEPT] = p->last_flap_us;
}

unsigned flaps_within(const struct port_memory *pm, int64_t now_us, int64_t us)
{
	unsigned n = 0;

	if (!pm || !pm->flaps)
		return 0;
	for (uint32_t i = 0; i < pm->flaps->n && i < FLAPS_KEPT; i++)
		n += now_us - pm->flaps->at_us[i] <= us;
	return n;
}

/* ---- order of the ends ---- */

/* The device's own time of the port's newest down, converted to our clock; 0: not reported. */
static int64_t down_time(const struct model *m, const struct port *p, int64_t now_us)
{
	const struct event *e;

	for (size_t i = 0; i < EVENTS_LOOKED_AT && (e = model_event(m, i)); i++) {
		if (now_us - e->wall_us > HURTS_JOBS_US)
			break;
		if (e->port == p->id && (e->kind == EV_LINK_DOWN || e->kind == EV_LINK_FLAP) &&
			e->device_us)
			return e->device_us - model_dev_of(m, p)->clock_skew_us;
	}
	return 0;
}

/* Negative: a went down first; 0: unknown. */
static int order_of(const struct diag_run *r, const struct port *a, const struct port *b)
{
	int64_t ta = down_time(r->m, a, r->now_us), tb = b ? down_time(r->m, b, r->now_us) : 0;

	if (!ta || !tb || (ta - tb < ORDER_US && tb - ta < ORDER_US))
		return 0;
	return ta < tb ? -1 : 1;
}

/* ---- deliberate changes ---- */

static bool tells_of_change(const struct event *e)
{
	static const char *const words[] = {
		"config", "shutdown", "shut down", "admin", "commit", "no shut"};

	if (e->kind == EV_REBOOT)
		return true;
	for (size_t i = 0; e->kind == EV_LOG && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(e->text, words[i]))
			return true;
	return false;
}

/* A line about a change at an end, or at its whole device, near the flap; NULL. */
static const struct event *change_near(
	const struct diag_run *r, const struct port *a, const struct port *b, int64_t flap_us)
{
	const struct event *e;

	for (size_t i = 0; i < EVENTS_LOOKED_AT && (e = model_event(r->m, i)); i++) {
		bool here = e->port == a->id || (b && e->port == b->id) ||
			    (e->port == EVENT_NO_ID &&
				    (e->device == a->device || (b && e->device == b->device)));

		if (flap_us - e->wall_us > CHANGE_NEAR_US)
			break;
		if (here && tells_of_change(e) &&
			e->wall_us - flap_us <=
				(e->kind == EV_REBOOT ? RESTART_US : CHANGE_NEAR_US))
			return e;
	}
	return NULL;
}

/* ---- the finding ---- */

static unsigned max_of(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static void add_counts(
	struct diag_run *r, struct finding *f, const struct port *p, const struct port_memory *pm)
{
	(void)finding_number(f, at_port(p->id), "link_down_events",
		flaps_within(pm, r->now_us, TOLD_US), "", "0 in 10 min", "counter");
	(void)finding_number(f, at_port(p->id), "link_down_events, 24 h",
		flaps_within(pm, r->now_us, DAY_US), "", "< 3 a day", "counter");
}

static void add_change(struct diag_run *r, struct finding *f, const struct event *e)
{
	char text[80];

	(void)str_copy(text, sizeof(text), e->text[0] ? e->text : event_info[e->kind].name);
	finding_text(f, f->at, "change by an operator", text, "log")->t_us = e->wall_us;
	if (e->kind == EV_REBOOT)
		(void)str_copy(text, sizeof(text), "its device restarted");
	f->role = ROLE_RISK;
	finding_title(
		f, "%s went down with a change: %s", link_kind(r->m, ref_port(r->m, f->at)), text);
}

/* The time between the last two downs, 0: there was one only. */
static int64_t last_gap(const struct port_memory *pm)
{
	const struct flap_memory *k = pm ? pm->flaps : NULL;
	int64_t newest;

	if (!k || k->n < 2)
		return 0;
	newest = k->at_us[(k->n - 1) % FLAPS_KEPT];
	for (uint32_t i = 2; i <= k->n && i <= FLAPS_KEPT; i++)
		if (k->at_us[(k->n - i) % FLAPS_KEPT] < newest)
			return newest - k->at_us[(k->n - i) % FLAPS_KEPT];
	return 0;
}

/* How long after its last down the link still does harm: until it would have flapped again. */
static int64_t harm_us(const struct diag_run *r, const struct port_memory *pm, const struct port *p)
{
	int64_t polls = 3 * model_dev_of(r->m, p)->interval_us, gap = 2 * last_gap(pm);
	int64_t us = polls > HURTS_US ? polls : HURTS_US;

	if (!link_to_host(r->m, p) && us < HURTS_ROUTES_US)
		us = HURTS_ROUTES_US;
	us = gap > us && gap <= HURTS_JOBS_US ? gap : us;
	return us < HURTS_JOBS_US && job_trouble(r) ? HURTS_JOBS_US : us;
}

/* Whether this end or the other one ever went down: most links never did. */
static bool ever_flapped(const struct model *m, const struct link_memory *mem, const struct port *p)
{
	const struct port *far = port_peer(m, p, NULL);

	return mem->ports.at[p->id].flaps ||
	       (far && far->id < mem->ports.n && mem->ports.at[far->id].flaps);
}

static bool is_back(const struct diag_run *r, const struct port *p, const struct port *peer)
{
	return p->oper == OPER_UP && !port_down_unsure(r->m, p, r->now_us) &&
	       !(peer && port_down_unsure(r->m, peer, r->now_us));
}

/*
 * The newest time at which a link that is back was down, as far as this port's device shows it: its
 * harm begins to end then. One that stays down is no longer a link that flaps.
 */
static int64_t down_until(const struct port_memory *pm, const struct port *p, int64_t last_flap_us)
{
	int64_t seen = pm && pm->flaps && p->oper == OPER_UP ? pm->flaps->down_us : 0;

	return seen > last_flap_us ? seen : last_flap_us;
}

#define DOWN_FIRST "went down first"

/* The order of the ends in the open finding about the link; NULL: not told. */
static const struct evidence *told_order(const struct diag_run *r, const struct port *p)
{
	const struct finding *open = diag_open(r, FIND_LINK_FLAPPING, diag_link_place(r->m, p->id));

	for (size_t i = 0; open && i < open->evidence.n; i++)
		if (str_eq(open->evidence.at[i].what, DOWN_FIRST))
			return &open->evidence.at[i];
	return NULL;
}

/*
 * The end to blame: the one that went down first, *order_us: in the flap of that time, else the one
 * of the lower tier. The order of an earlier flap stays while the finding is open, or a link would
 * change its name from flap to flap.
 */
static const struct port *end_to_blame(const struct diag_run *r, const struct port *p,
	const struct port *peer, int64_t last_us, int64_t *order_us)
{
	const struct evidence *told = told_order(r, p);
	int first;

	if (told && told->t_us < last_us &&
		(told->at.port == p->id || (peer && told->at.port == peer->id))) {
		*order_us = told->t_us;
		return told->at.port == p->id ? p : peer;
	}
	first = order_of(r, p, peer);
	*order_us = first ? last_us : 0;
	if (first)
		return first > 0 ? peer : p;
	return peer && model_dev_of(r->m, peer)->tier < model_dev_of(r->m, p)->tier ? peer : p;
}

void link_judge_flaps(struct diag_run *r, struct link_memory *mem, const struct port *p)
{
	const struct port *peer, *end;
	const struct port_memory *pm = &mem->ports.at[p->id], *other;
	unsigned lately, day, hour;
	int64_t last = p->last_flap_us;
	const struct event *change;
	struct finding *f;
	int64_t order_us;

	if (!ever_flapped(r->m, mem, p))
		return;
	peer = port_peer(r->m, p, NULL);
	other = peer && peer->id < mem->ports.n ? &mem->ports.at[peer->id] : NULL;
	lately = max_of(
		flaps_within(pm, r->now_us, TOLD_US), flaps_within(other, r->now_us, TOLD_US));
	day = max_of(flaps_within(pm, r->now_us, DAY_US), flaps_within(other, r->now_us, DAY_US));
	hour = max_of(
		flaps_within(pm, r->now_us, HOUR_US), flaps_within(other, r->now_us, HOUR_US));
	/* Down once and not back yet: that is a link that is down. */
	if (!(lately >= 2 || (lately == 1 && is_back(r, p, peer)) || day >= OFTEN))
		return;
	if (peer && peer->last_flap_us > last)
		last = peer->last_flap_us;
	end = end_to_blame(r, p, peer, last, &order_us);
	f = diag_claim_link(r, FIND_LINK_FLAPPING, end->id);
	if (last && last < f->onset_us)
		f->onset_us = last;
	add_counts(r, f, p, pm);
	if (other && other->known)
		add_counts(r, f, peer, other);
	finding_weigh(
		f, SIGNAL_FACT, 100); /* guide: 30 for a flap before the onset, link facts to 200 */
	if (order_us)
		finding_text(f, f->at, DOWN_FIRST, "by the devices' own times", "log")->t_us =
			order_us;
	link_weigh_network(r, f);
	finding_title(f, "%s flapping: %u in 10 min, %u in 1 h, %u in 24 h%s", link_kind(r->m, p),
		lately, hour, day, order_us == last && last ? ", went down first here" : "");
	change = link_shut(p, peer) ? NULL : change_near(r, p, peer, last);
	if (link_shut(p, peer)) {
		f->role = ROLE_RISK;
		finding_title(f, "%s was shut by an operator", link_kind(r->m, p));
	} else if (change) {
		add_change(r, f, change);
	} else if (r->now_us - down_until(pm, p, down_until(other, p, last)) >
		   harm_us(r, pm->flaps ? pm : other, p)) {
		/* No harm now, but it may recur. */
		f->role = ROLE_RISK;
		f->severity = day >= OFTEN ? SEV_CRIT : SEV_WARN;
	}
}
