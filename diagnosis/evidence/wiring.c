/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/wiring.h"

#include <string.h>

#include "base/str.h"
#include "fabric/model/unnamed.h"

/* Data of all ports in compact arrays: a struct port costs several cache misses, so each is read
 * once. */
struct survey {
	const struct model *m;
	uint32_t *peers; /* per port: the observed peer */
	uint32_t *plan;  /* per port: the planned peer */
	bool *odd;       /* per port: it is planned, and names another neighbour */
	bool *quiet;     /* per device: a port that is up may lack a neighbour, see is_silent() */
	bool any;        /* some port names its neighbour */
	uint32_t *next; /* of a displaced lower end: the right place of its cable; else PORT_NONE */
	uint32_t *prev; /* of a displaced lower end: the end with the cable that belongs here */
	bool *displaced, *done;
	VEC(struct wiring_chain) chains;
	wiring_vec *out;
};

/* ---- observation ---- */

/* Whether p is the lower end of its planned link: in the lower tier, or with the lower id in the
 * same tier. */
static bool is_lower(const struct model *m, const struct port *p)
{
	const struct port *q;
	enum tier tp, tq;

	if (p->plan_peer == PORT_NONE)
		return false;
	q = m->ports.at[p->plan_peer];
	tp = model_dev_of(m, p)->tier;
	tq = model_dev_of(m, q)->tier;
	return tp != tq ? tp < tq : p->id < q->id;
}

/* When both ends name neighbours and disagree, the older report is from before the cable was
 * moved. */
static uint32_t observed_peer(const struct model *m, const struct port *p)
{
	const struct port *q;

	if (p->lldp_peer == PORT_NONE || p->merged)
		return PORT_NONE;
	q = m->ports.at[p->lldp_peer];
	if (q->lldp_device[0] && q->lldp_peer != PORT_NONE && q->lldp_peer != p->id &&
		(q->lldp_us > p->lldp_us || !p->lldp_device[0]))
		return PORT_NONE;
	return q->id;
}

static const struct device *neighbour_device(const struct model *m, const struct port *p)
{
	char name[NAME_MAX_LEN];
	const struct device *d = model_device(m, p->lldp_device);

	if (d || !p->lldp_device[0])
		return d;
	(void)str_copyn(name, sizeof(name), p->lldp_device, strcspn(p->lldp_device, "."));
	return *name ? model_device(m, name) : NULL;
}

/* Whether the cable may end at this port of the neighbour: neither it nor its planned peer has a
 * known peer. */
static bool may_be_at(const struct survey *s, const struct port *c)
{
	return c->plan_peer != PORT_NONE && s->peers[c->id] == PORT_NONE &&
	       s->peers[c->plan_peer] != c->id &&
	       (port_miswired(s->m, s->m->ports.at[c->plan_peer]) || c->oper == OPER_UP);
}

/*
 * The neighbour is known but its port is not: hosts announce names and MACs of their own. If
 * exactly one of its ports is unaccounted for, it is that one.
 */
static uint32_t inferred_peer(const struct survey *s, const struct port *p)
{
	const struct device *d = neighbour_device(s->m, p);
	uint32_t found = PORT_NONE;
	unsigned n = 0;

	for (size_t i = 0; d && i < d->ports.n; i++) {
		const struct port *c = s->m->ports.at[d->ports.at[i]];

		if (!may_be_at(s, c) || !port_miswired(s->m, s->m->ports.at[c->plan_peer]))
			continue;
		found = c->id;
		n++;
	}
	return n == 1 ? found : PORT_NONE;
}

static void survey_port(struct survey *s, const struct port *p, size_t i)
{
	bool planned = p->plan_peer != PORT_NONE;

	s->peers[i] = observed_peer(s->m, p);
	s->plan[i] = p->plan_peer;
	if (p->lldp_device[0]) {
		s->any = true;
		s->odd[i] = planned && port_miswired(s->m, p);
	} else if (planned && p->oper == OPER_UP && p->lldp_peer == PORT_NONE) {
		s->quiet[p->device] = true;
	}
}

static void survey_ports(struct survey *s)
{
	const struct model *m = s->m;

	for (size_t i = 0; i < m->ports.n; i++)
		survey_port(s, m->ports.at[i], i);
	for (size_t i = 0; i < m->ports.n; i++) {
		uint32_t c;

		if (!s->odd[i] || s->peers[i] != PORT_NONE)
			continue;
		c = inferred_peer(s, m->ports.at[i]);
		if (c == PORT_NONE)
			continue;
		s->peers[i] = c;
		s->peers[c] = (uint32_t)i;
	}
}

/* ---- chains and cycles ---- */

static void link_ends(struct survey *s)
{
	const struct model *m = s->m;

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *y;

		s->next[i] = s->prev[i] = PORT_NONE;
		if (s->peers[i] == PORT_NONE || s->peers[i] == s->plan[i] ||
			!is_lower(m, m->ports.at[i]))
			continue;
		s->displaced[i] = true;
		y = m->ports.at[s->peers[i]];
		if (y->plan_peer != PORT_NONE && !is_lower(m, y))
			s->next[i] = y->plan_peer;
	}
	for (size_t i = 0; i < m->ports.n; i++)
		if (s->displaced[i] && s->next[i] != PORT_NONE && s->displaced[s->next[i]])
			s->prev[s->next[i]] = (uint32_t)i;
}

static void follow_chain(struct survey *s, uint32_t start)
{
	struct wiring_chain *c = vec_add(&s->chains);
	uint32_t x = start;

	while (x != PORT_NONE && s->displaced[x] && !s->done[x]) {
		s->done[x] = true;
		vec_push(&c->ends, x);
		x = s->next[x];
	}
	c->cycle = x == start;
	c->next = c->cycle ? PORT_NONE : x;
}

static void find_chains(struct survey *s)
{
	for (uint32_t i = 0; i < s->m->ports.n; i++)
		if (s->displaced[i] && s->prev[i] == PORT_NONE)
			follow_chain(s, i);
	for (uint32_t i = 0; i < s->m->ports.n; i++)
		if (s->displaced[i] && !s->done[i])
			follow_chain(s, i);
}

/* ---- faults ---- */

static uint32_t device_of(const struct survey *s, uint32_t port)
{
	return s->m->ports.at[port]->device;
}

static int rail_of(const struct survey *s, uint32_t port)
{
	const struct port *p = s->m->ports.at[port];

	return p->rail >= 0 ? p->rail : model_dev_of(s->m, p)->rail;
}

static bool on_one_device(const struct survey *s, const struct wiring_chain *c)
{
	for (size_t i = 1; i < c->ends.n; i++)
		if (device_of(s, c->ends.at[i]) != device_of(s, c->ends.at[0]))
			return false;
	return c->cycle;
}

/* Number of rails by which all cables of the chain are shifted; -1: not all by the same. */
static int shift_of(const struct survey *s, const struct wiring_chain *c)
{
	int shift = -1, n = (int)s->m->rails;

	for (size_t i = 0; i < c->ends.n; i++) {
		int from = rail_of(s, c->ends.at[i]), to = rail_of(s, s->next[c->ends.at[i]]);
		int by = n > 0 && from >= 0 && to >= 0 ? (to - from + n) % n : -1;

		if (by < 0 || (i && by != shift))
			return -1;
		shift = by;
	}
	return shift;
}

/* Whether two cycles have one cause: rails of one host rotated alike, or two devices swapped. */
static bool has_same_cause(
	const struct survey *s, const struct wiring_chain *a, const struct wiring_chain *b)
{
	uint32_t a0 = device_of(s, a->ends.at[0]), b0 = device_of(s, b->ends.at[0]), a1, b1;

	if (on_one_device(s, a) && on_one_device(s, b))
		return a0 == b0 && shift_of(s, a) >= 0 && shift_of(s, a) == shift_of(s, b);
	if (!a->cycle || !b->cycle || a->ends.n != 2 || b->ends.n != 2)
		return false;
	a1 = device_of(s, a->ends.at[1]);
	b1 = device_of(s, b->ends.at[1]);
	return (a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0);
}

static void describe_fault(const struct survey *s, struct wiring_fault *f,
	const struct wiring_chain *c, size_t nchains)
{
	char a[2 * NAME_MAX_LEN], b[2 * NAME_MAX_LEN], is[2 * NAME_MAX_LEN];
	const struct model *m = s->m;
	uint32_t x = c->ends.at[0];

	(void)wiring_port_name(m, x, a, sizeof(a));
	(void)wiring_port_name(m, c->ends.at[c->ends.n - 1], b, sizeof(b));
	(void)wiring_port_name(m, s->peers[x], is, sizeof(is));
	if (f->kind == WIRING_ROTATION)
		(void)str_printf(f->text, sizeof(f->text), "%s: %zu rails are rotated by %d",
			m->devices.at[device_of(s, x)]->name, f->ports.n, f->rails);
	else if (f->kind == WIRING_SWAP && nchains > 1)
		(void)str_printf(f->text, sizeof(f->text), "%s and %s are swapped on %zu links",
			m->devices.at[device_of(s, x)]->name,
			m->devices.at[device_of(s, c->ends.at[1])]->name, nchains);
	else if (f->kind == WIRING_SWAP)
		(void)str_printf(f->text, sizeof(f->text), "%s and %s are swapped", a, b);
	else if (c->ends.n == 1)
		(void)str_printf(f->text, sizeof(f->text), "%s is in %s%s", a, is,
			f->wrong_tier   ? ": wrong tier"
			: f->wrong_rail ? ": wrong rail"
			: device_of(s, s->peers[x]) == device_of(s, m->ports.at[x]->plan_peer)
				? ": wrong port"
				: ": wrong device");
	else
		(void)str_printf(f->text, sizeof(f->text),
			"%zu cables displaced in a %s: %s ... %s", c->ends.n,
			c->cycle ? "cycle" : "chain", a, b);
}

static void judge_ends(const struct survey *s, struct wiring_fault *f, const struct wiring_chain *c)
{
	for (size_t i = 0; i < c->ends.n; i++) {
		uint32_t x = c->ends.at[i], y = s->peers[x], plan = s->m->ports.at[x]->plan_peer;
		int is = rail_of(s, y), should = rail_of(s, plan);

		vec_push(&f->ports, x);
		f->wrong_tier |= s->m->devices.at[device_of(s, y)]->tier !=
				 s->m->devices.at[device_of(s, plan)]->tier;
		f->wrong_rail |= is >= 0 && should >= 0 && is != should;
	}
}

static void add_fault(struct survey *s, struct wiring_chain *chains, size_t n)
{
	struct wiring_fault *f = vec_add(&s->out[0]);
	const struct wiring_chain *c = &chains[0];

	for (size_t i = 0; i < n; i++)
		judge_ends(s, f, &chains[i]);
	f->kind = c->cycle && c->ends.n == 2 ? WIRING_SWAP : WIRING_OTHER;
	/* Two swapped rails are a swap; three or more have a direction. */
	if (f->ports.n >= 3 && on_one_device(s, c) && shift_of(s, c) > 0) {
		f->kind = WIRING_ROTATION;
		f->rails = shift_of(s, c);
	}
	describe_fault(s, f, c, n);
	wiring_moves(s->m, s->peers, chains, n, f);
}

static void add_faults(struct survey *s)
{
	for (size_t i = 0; i < s->chains.n;) {
		size_t n = i + 1;

		/* Only cycles are grouped: a wrong plan has thousands of chains without a common
		 * cause. */
		for (size_t j = n; s->chains.at[i].cycle && j < s->chains.n; j++)
			if (has_same_cause(s, &s->chains.at[i], &s->chains.at[j])) {
				struct wiring_chain t = s->chains.at[n];

				s->chains.at[n++] = s->chains.at[j];
				s->chains.at[j] = t;
			}
		add_fault(s, &s->chains.at[i], n - i);
		i = n;
	}
}

/* Whether the planned peer sees p at its planned place, and has the later report. */
static bool is_overtaken(const struct model *m, const struct port *p)
{
	const struct port *q = m->ports.at[p->plan_peer];

	return q->lldp_device[0] && q->lldp_peer == p->id && q->lldp_us > p->lldp_us;
}

/* Reports neighbours outside the model or with an unknown port: there is no move by name. */
static void add_unknown(struct survey *s)
{
	const struct model *m = s->m;

	for (uint32_t i = 0; i < m->ports.n; i++) {
		const struct port *p;
		char at[2 * NAME_MAX_LEN], plan[2 * NAME_MAX_LEN];
		struct wiring_fault *f;

		if (!s->odd[i] || s->displaced[i] ||
			(s->peers[i] != PORT_NONE && s->displaced[s->peers[i]]))
			continue;
		p = m->ports.at[i];
		if (is_overtaken(m, p))
			continue;
		f = vec_add(s->out);
		f->kind = WIRING_OTHER;
		vec_push(&f->ports, i);
		(void)wiring_port_name(m, i, at, sizeof(at));
		(void)wiring_port_name(m, p->plan_peer, plan, sizeof(plan));
		(void)str_printf(f->text, sizeof(f->text), "%s sees %s %s, planned %s", at,
			p->lldp_device, p->lldp_port, plan);
	}
}

/* ---- links that are up without a neighbour ---- */

/* Silent: the link is up and neither end has named the other. Reported at the upper end, because
 * hosts often have no LLDP daemon or NICs that drop LLDP. */
static bool is_silent(const struct model *m, const struct port *p)
{
	const struct port *q;

	if (p->plan_peer == PORT_NONE || p->merged || !p->seen || p->oper != OPER_UP ||
		p->lldp_device[0] || p->lldp_peer != PORT_NONE || is_lower(m, p))
		return false;
	q = m->ports.at[p->plan_peer];
	return !q->lldp_device[0];
}

static void add_silent(struct survey *s)
{
	const struct model *m = s->m;

	for (uint32_t d = 0; d < m->devices.n; d++) {
		struct wiring_fault *f = NULL;

		for (size_t i = 0; s->quiet[d] && i < m->devices.at[d]->ports.n; i++) {
			uint32_t p = m->devices.at[d]->ports.at[i];

			if (!is_silent(m, m->ports.at[p]))
				continue;
			if (!f)
				f = vec_add(s->out);
			f->kind = WIRING_NO_PROOF;
			if (s->any)
				vec_push(&f->ports, p);
		}
		if (!f)
			continue;
		if (s->any)
			(void)str_printf(f->text, sizeof(f->text),
				"%s: LLDP shows no neighbour on %zu link%s that are up",
				m->devices.at[d]->name, f->ports.n, str_plural(f->ports.n));
		else
			(void)str_copy(f->text, sizeof(f->text),
				"no device shows LLDP neighbours: the wiring is not confirmed");
		if (!s->any)
			return;
	}
}

/* ---- plans without names ---- */

static void add_unnamed(struct survey *s)
{
	struct unnamed u = model_unnamed(s->m);
	const struct device *d;
	struct wiring_fault *f;
	char more[40] = "", why[40] = "no dialect";

	if (!u.devices)
		return;
	d = s->m->devices.at[u.first];
	if (u.devices > 1)
		(void)str_printf(more, sizeof(more), " and %u more", u.devices - 1);
	if (d->dialect[0])
		(void)str_printf(why, sizeof(why), "%s has none", d->dialect);
	f = vec_add(s->out);
	f->kind = WIRING_NO_NAMES;
	(void)str_printf(f->text, sizeof(f->text),
		"port names of %.40s%s not known (%s): %u link%s not compared", d->name, more, why,
		u.links, str_plural(u.links));
}

void wiring_check(const struct model *m, wiring_vec *out)
{
	struct survey s = {.m = m, .out = out};
	size_t n = m->ports.n ? m->ports.n : 1;

	s.peers = mem_calloc(4 * n, sizeof(*s.peers));
	s.next = s.peers + n;
	s.prev = s.next + n;
	s.plan = s.prev + n;
	s.displaced = mem_calloc(3 * n + m->devices.n, sizeof(*s.displaced));
	s.done = s.displaced + n;
	s.odd = s.done + n;
	s.quiet = s.odd + n;
	survey_ports(&s);
	link_ends(&s);
	find_chains(&s);
	add_faults(&s);
	add_unknown(&s);
	add_silent(&s);
	add_unnamed(&s);
	for (size_t i = 0; i < s.chains.n; i++)
		vec_free(&s.chains.at[i].ends);
	vec_free(&s.chains);
	free(s.peers);
	free(s.displaced);
}

void wiring_fault_free(struct wiring_fault *f)
{
	vec_free(&f->ports);
	vec_free(&f->moves);
}

void wiring_free(wiring_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		wiring_fault_free(&v->at[i]);
	vec_free(v);
}
