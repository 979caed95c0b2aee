/* SPDX-License-Identifier: Apache-2.0 */
/* Links that are down or below their planned speed. Flaps and errors have files of their own. */
#include <math.h>

#include "base/str.h"
#include "diagnosis/detectors/link.h"
#include "diagnosis/engine/state_parts.h"
#include "fabric/model/metrics.h"

struct port_memory *link_memory_of(struct link_memory *mem, uint32_t port)
{
	while (mem->ports.n <= port)
		(void)vec_add(&mem->ports);
	return &mem->ports.at[port];
}

bool link_to_host(const struct model *m, const struct port *p)
{
	const struct port *peer = port_peer(m, p, NULL);

	return model_dev_of(m, p)->tier == TIER_HOST ||
	       (peer && model_dev_of(m, peer)->tier == TIER_HOST);
}

const char *link_kind(const struct model *m, const struct port *p)
{
	return link_to_host(m, p) ? "host link" : "fabric link";
}

bool link_shut(const struct port *p, const struct port *peer)
{
	return p->admin == OPER_DOWN || (peer && peer->admin == OPER_DOWN);
}

static void add_end(struct finding *f, const struct port *p)
{
	char text[80];

	(void)str_printf(text, sizeof(text), "%s%s%s%s", oper_name(p->oper),
		p->admin == OPER_DOWN ? ", shut by an operator" : "",
		p->more->down_reason[0] ? ": " : "", p->more->down_reason);
	(void)finding_text(f, at_port(p->id), "link state", text, "counter");
}

/* ---- down ---- */

/* An empty cage of a switch is enabled and dark by custom: it counts only if it ever had a link. */
static bool should_be_up(const struct port *p, const struct port_memory *pm)
{
	return p->plan_peer != PORT_NONE || p->lldp_us || p->flaps || pm->was_up;
}

/* The end to name: one that gives a reason, else the lower tier, where cable and NIC are. */
static const struct port *end_to_name(
	const struct model *m, const struct port *p, const struct port *peer)
{
	if (!peer)
		return p;
	if ((p->more->down_reason[0] != '\0') != (peer->more->down_reason[0] != '\0'))
		return p->more->down_reason[0] ? p : peer;
	if (model_dev_of(m, p)->tier != model_dev_of(m, peer)->tier)
		return model_dev_of(m, p)->tier < model_dev_of(m, peer)->tier ? p : peer;
	return p->id < peer->id ? p : peer;
}

/*
 * A host with several ports of one rail has a plane for each (dual-plane, or eight of a NIC): what
 * is left. "": it has one, or its ports are a bond.
 */
static void say_planes(const struct model *m, const struct port *p, char *dst, size_t size)
{
	const struct device *d = p ? model_dev_of(m, p) : NULL;
	unsigned n = 0, up = 0;

	dst[0] = '\0';
	if (!d || d->tier != TIER_HOST || p->rail < 0 || p->more->bond[0])
		return;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *q = m->ports.at[d->ports.at[i]];

		if (q->rail != p->rail || q->merged || (!q->seen && q->plan_peer == PORT_NONE))
			continue;
		n++;
		up += q->oper == OPER_UP;
	}
	if (n > 1)
		(void)str_printf(dst, size, "%u of %u planes of rail %d are up", up, n, p->rail);
}

/* The bond that lacks the port is a member: it suffers from this, and is no cause of its own. */
static void add_bond(const struct model *m, struct finding *f, const struct port *p)
{
	const struct port *bond = p ? port_bond(m, p) : NULL;

	if (!bond)
		return;
	for (size_t i = 0; i < f->members.n; i++)
		if (ref_port(m, f->members.at[i]) == bond)
			return;
	vec_push(&f->members, at_port(bond->id));
}

static void judge_down(struct diag_run *r, const struct port *p, const struct port_memory *pm)
{
	const struct port *peer, *end;
	struct finding *f;
	char planes[64];

	if (p->oper != OPER_DOWN || !should_be_up(p, pm))
		return;
	peer = port_peer(r->m, p, NULL);
	end = link_shut(p, peer) ? p : end_to_name(r->m, p, peer);
	f = diag_claim_link(r, FIND_LINK_DOWN, end->id);
	add_end(f, p);
	if (peer && peer->seen)
		add_end(f, peer);
	if (p->plan_peer != PORT_NONE)
		(void)finding_text(f, at_port(p->id), "plan", "has a link at this port", "plan");
	/* Whichever end tells of it: a host whose answers are late is known by its switch. */
	add_bond(r->m, f, p);
	add_bond(r->m, f, peer);
	finding_weigh(f, SIGNAL_FACT, 100); /* guide: link down 50-200 */
	if (link_shut(p, peer)) {
		f->role = ROLE_INFO;
		f->severity = SEV_WARN;
		finding_title(f, "%s down: shut by an operator", link_kind(r->m, p));
		return;
	}
	link_weigh_network(r, f);
	say_planes(r->m, p, planes, sizeof(planes));
	if (!planes[0])
		say_planes(r->m, peer, planes, sizeof(planes));
	finding_title(f, "%s down%s%s%s%s%s", link_kind(r->m, p),
		pm->was_up ? "" : " since railtop started", end->more->down_reason[0] ? ": " : "",
		end->more->down_reason, planes[0] ? "; " : "", planes);
}

/* ---- gone ---- */

/* Planned ports that the device no longer lists: one finding, for they mostly share a card. */
static void judge_gone(struct diag_run *r, const struct device *d)
{
	const struct port *first = NULL, *last = NULL;
	struct finding *f;
	unsigned n = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!port_is_gone(p) || p->merged || p->plan_peer == PORT_NONE)
			continue;
		n++;
		first = first ? first : p;
		last = p;
	}
	if (!first)
		return;
	f = diag_claim(r, FIND_LINK_GONE, at_port(first->id));
	f->peer = at_port(first->plan_peer);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!port_is_gone(p) || p->merged || p->plan_peer == PORT_NONE)
			continue;
		vec_push(&f->members, at_port(p->id));
		vec_push(&f->members, at_port(p->plan_peer));
	}
	(void)finding_text(f, at_port(first->id), "list of ports", "no longer has it", "counter");
	(void)finding_text(f, at_port(first->id), "plan", "has a link at this port", "plan");
	finding_weigh(f, SIGNAL_FACT, 100);
	link_weigh_network(r, f);
	if (n == 1)
		finding_title(
			f, "the device no longer has this port: broken out, renamed or pulled");
	else
		finding_title(f, "%u planned ports are gone, %s to %s: was a card pulled?", n,
			first->name, last->name);
	(void)str_copy(f->command, sizeof(f->command),
		"# compare the ports that the device lists with the wiring file");
}

void link_weigh_network(const struct diag_run *r, struct finding *f)
{
	const struct port *p = ref_port(r->m, f->at), *peer = p ? port_peer(r->m, p, NULL) : NULL;

	if (p && (model_dev_of(r->m, p)->net != NET_BACKEND ||
			 (peer && model_dev_of(r->m, peer)->net != NET_BACKEND)))
		f->severity = SEV_WARN;
}

/* ---- speed ---- */

/* Of the device's links to the same tier: so many, and so large a share of them, are faster. */
#define FASTER_LEAST 3
#define FASTER_SHARE 0.75

/*
 * The speed of most siblings, links to the same tier of the same network, Mb/s, when it is above
 * the port's own; 0: none. Without a plan it is all that tells that both ends came up slow.
 */
static unsigned speed_of_siblings(const struct diag_run *r, const struct port *p)
{
	const struct device *d = model_dev_of(r->m, p);
	const struct port *far = port_peer(r->m, p, NULL);
	unsigned n = 0, faster = 0, least = UINT32_MAX;

	for (size_t i = 0; far && i < d->ports.n; i++) {
		const struct port *q = r->m->ports.at[d->ports.at[i]];
		const struct port *peer = q == p ? NULL : port_peer(r->m, q, NULL);

		if (!peer || q->oper != OPER_UP || !q->speed_mbps ||
			model_dev_of(r->m, peer)->tier != model_dev_of(r->m, far)->tier ||
			model_dev_of(r->m, peer)->net != model_dev_of(r->m, far)->net)
			continue;
		n++;
		faster += q->speed_mbps > p->speed_mbps;
		if (q->speed_mbps > p->speed_mbps && q->speed_mbps < least)
			least = q->speed_mbps;
	}
	return faster >= FASTER_LEAST && faster >= FASTER_SHARE * n ? least : 0;
}

/* fastest: Mb/s, of the device's ports: no sibling is faster than that. */
static void judge_speed(struct diag_run *r, const struct port *p, unsigned fastest)
{
	const struct port *peer;
	unsigned should = p->plan_speed_mbps;
	const char *reason = "plan";
	struct finding *f;
	bool inferred = false;
	char is[16], was[16], text[80];

	if (p->oper != OPER_UP || !p->speed_mbps || (should && should <= p->speed_mbps))
		return;
	peer = port_peer(r->m, p, NULL);
	if (!should && peer && peer->oper == OPER_UP && peer->speed_mbps > p->speed_mbps) {
		should = peer->speed_mbps;
		reason = "other end";
	}
	if (!should && p->speed_mbps < p->more->first_speed_mbps) {
		should = p->more->first_speed_mbps;
		reason = "inferred from its first speed";
		inferred = true;
	}
	/* Asked last, and seldom: it looks at all links of the device. */
	if (!should && p->speed_mbps < fastest) {
		should = speed_of_siblings(r, p);
		reason = "inferred from its siblings";
		inferred = true;
	}
	if (should <= p->speed_mbps)
		return;
	f = diag_claim_link(r, FIND_LINK_SPEED, p->id);
	(void)str_si(p->speed_mbps * 1e6, is, sizeof(is));
	(void)str_si(should * 1e6, was, sizeof(was));
	(void)str_printf(text, sizeof(text), "%s, %s: %s", is, reason, was);
	finding_number(f, f->at, "speed", p->speed_mbps / 1e3, "Gb/s", "= plan", "counter");
	(void)finding_text(f, f->at, "planned speed", text, "plan");
	if (peer && peer->speed_mbps)
		(void)finding_number(f, at_port(peer->id), "speed", peer->speed_mbps / 1e3, "Gb/s",
			"= plan", "counter");
	finding_weigh(f, SIGNAL_FACT, inferred ? 5 : 100);
	link_weigh_network(r, f);
	if (!inferred) {
		finding_title(f, "%s runs at %s instead of %s", link_kind(r->m, p), is, was);
		return;
	}
	/* It may be meant so. */
	f->role = ROLE_RISK;
	f->severity = SEV_WARN;
	finding_title(f,
		should == p->more->first_speed_mbps
			? "%s runs at %s, before at %s; no speed is planned"
			: "%s runs at %s, its siblings at %s; no speed is planned",
		link_kind(r->m, p), is, was);
}

/* ---- one device ---- */

static unsigned fastest_of(const struct model *m, const struct device *d)
{
	unsigned fastest = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->oper == OPER_UP && p->speed_mbps > fastest)
			fastest = p->speed_mbps;
	}
	return fastest;
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	struct link_memory *mem = *r->memory;
	unsigned fastest = fastest_of(r->m, d);

	judge_gone(r, d);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		struct port_memory *pm;

		/* The links are those of a bond's slaves. */
		if (!p->seen || p->merged || port_is_bond(p))
			continue;
		pm = link_memory_of(mem, p->id);
		flaps_note(pm, p, r->now_us);
		judge_down(r, p, pm);
		judge_speed(r, p, fastest);
		link_judge_flaps(r, mem, p);
		link_judge_errors(r, p);
		pm->was_up |= p->oper == OPER_UP;
	}
}

static void run_link(struct diag_run *r)
{
	if (!*r->memory)
		*r->memory = mem_calloc(1, sizeof(struct link_memory));
	if (!diag_each_device(r, judge_device))
		return;
	link_trace_errors(r);
}

static void free_memory(void *memory)
{
	struct link_memory *mem = memory;

	if (!mem)
		return;
	for (size_t i = 0; i < mem->ports.n; i++)
		free(mem->ports.at[i].flaps);
	vec_free(&mem->ports);
	free(mem);
}

/* ---- serialisation ---- */

STATE_SIZE(struct flap_memory, 144);
STATE_SIZE(struct port_memory, 16);
STATE_SIZE(struct link_memory, 24);

static void state_flaps(struct state *s, struct flap_memory **flaps)
{
	bool there = *flaps != NULL;

	state_bool(s, &there);
	if (!there)
		return;
	if (s->loading && !*flaps)
		*flaps = mem_calloc(1, sizeof(**flaps));
	if (!*flaps)
		return;
	state_u32(s, &(*flaps)->n);
	for (uint32_t i = 0; i < (*flaps)->n && i < FLAPS_KEPT; i++)
		state_wall(s, &(*flaps)->at_us[i]);
	state_wall(s, &(*flaps)->down_us);
}

static void state_port(struct state *s, struct port_memory *pm)
{
	state_u32(s, &pm->flaps_was);
	state_bool(s, &pm->known);
	state_bool(s, &pm->was_up);
	state_flaps(s, &pm->flaps);
}

static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	struct link_memory *mem;

	if (!state_memory(s, memory, sizeof(*mem)))
		return;
	mem = *memory;
	STATE_LIST(s, &mem->ports, m->ports.n, pm, state_port(s, pm));
}

const struct detector detect_link = {"link", run_link, free_memory, state_memory_of, NULL};
