/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bonds of a host and bundles of a switch: a link that is down, slower than the others, or kept
 * out.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* A link with so much of its speed is busy, and one with so little of the busiest one's load idles:
 * the hash puts nearly all connections on one link. Railtop's own. */
#define BUSY 0.6F
#define IDLE 0.1F

struct bond_state {
	unsigned slaves, up, down, shut, slow;
	double up_gbps, fastest_gbps;
	const struct port *dead; /* the first slave that is down, else the first slow one */
};

static double gbps_of(const struct port *p)
{
	return p->speed_mbps / 1e3;
}

static struct bond_state state_of(const struct model *m, const struct port *bond)
{
	struct bond_state s = {0};
	const struct port *p;

	for (size_t i = 0; (p = port_slave(m, bond, i)); i++)
		if (p->oper == OPER_UP && gbps_of(p) > s.fastest_gbps)
			s.fastest_gbps = gbps_of(p);
	for (size_t i = 0; (p = port_slave(m, bond, i)); i++) {
		bool is_slow = p->oper == OPER_UP && p->speed_mbps && gbps_of(p) < s.fastest_gbps;

		s.slaves++;
		s.slow += is_slow;
		s.down += p->oper == OPER_DOWN;
		s.shut += p->oper == OPER_DOWN && p->admin == OPER_DOWN;
		s.up += p->oper == OPER_UP;
		s.up_gbps += p->oper == OPER_UP ? gbps_of(p) : 0;
		if (p->oper == OPER_DOWN && (!s.dead || s.dead->oper != OPER_DOWN))
			s.dead = p;
		else if (is_slow && !s.dead)
			s.dead = p;
	}
	return s;
}

/* In this mode all slaves but one are spares. */
static bool has_spares(const struct port *bond)
{
	return str_starts(bond->more->description, "bond active-backup");
}

static void add_slaves(struct diag_run *r, struct finding *f, const struct port *bond)
{
	const struct port *p;
	char text[120];

	for (size_t i = 0; (p = port_slave(r->m, bond, i)); i++) {
		const struct cell *downs = port_cell(p, CTR_LINK_DOWN_EVENTS, 0);

		(void)str_printf(text, sizeof(text), "%s%s%s",
			p->oper == OPER_DOWN ? "down"
			: p->oper == OPER_UP ? "up"
					     : "unknown",
			p->more->down_reason[0] ? ": " : "", p->more->down_reason);
		(void)finding_text(f, at_port(p->id), "slave", text, "counter");
		if (p->oper == OPER_DOWN && downs && downs->valid == VALID_OK && downs->u64)
			(void)finding_number(f, at_port(p->id), "link_down_events",
				(double)downs->u64, "", "since it was loaded", "counter");
		vec_push(&f->members, at_port(p->id));
	}
}

static void title_bond(struct finding *f, const struct bond_state *s, const struct port *bond)
{
	double should = s->fastest_gbps * s->slaves;
	char speed[64] = "";

	if (has_spares(bond) && s->up)
		(void)str_copy(speed, sizeof(speed), ", no spare is left");
	else if (s->fastest_gbps > 0)
		(void)str_printf(speed, sizeof(speed), ", %.4g of %.4g Gb/s", s->up_gbps, should);
	if (s->down)
		finding_title(f, "%u of %u links of the bond are up%s: %s is down%s%s", s->up,
			s->slaves, speed, s->dead->name, s->dead->more->down_reason[0] ? ", " : "",
			s->dead->more->down_reason);
	else
		finding_title(f, "%s runs at %.4g Gb/s, the bond's other links at %.4g",
			s->dead->name, gbps_of(s->dead), s->fastest_gbps);
}

struct load {
	const struct port *busy, *idle;
	float most, least; /* shares of the speed, the direction of the host */
};

/* Load of the slaves at the sample k before the newest; NULL ports: not known. */
static struct load load_of(const struct diag_run *r, const struct port *bond, unsigned k)
{
	struct load l = {.most = -1, .least = 2};
	const struct port *p;

	for (size_t i = 0; (p = port_slave(r->m, bond, i)); i++) {
		const struct sample *s = window_ago(r->w, p->id, k);

		if (!s || isnan(s->tx_util) || p->oper != OPER_UP)
			return (struct load){.busy = NULL};
		if (s->tx_util > l.most) {
			l.most = s->tx_util;
			l.busy = p;
		}
		if (s->tx_util < l.least) {
			l.least = s->tx_util;
			l.idle = p;
		}
	}
	return l;
}

/* In all samples the same slave is full and the same one idle. */
static void judge_balance(struct diag_run *r, const struct port *bond)
{
	struct load now = load_of(r, bond, 0);
	struct finding *f;

	for (unsigned k = 0; k < WINDOW_SAMPLES; k++) {
		struct load l = load_of(r, bond, k);

		if (!l.busy || l.busy != now.busy || l.idle != now.idle || l.busy == l.idle ||
			l.most < BUSY || l.least > IDLE * l.most)
			return;
	}
	f = diag_claim(r, FIND_LINK_BOND, at_port(bond->id));
	f->severity = SEV_WARN;
	(void)finding_number(f, at_port(now.busy->id), "load sent", (double)now.most * 100, "%",
		"even", "counter");
	(void)finding_number(f, at_port(now.idle->id), "load sent", (double)now.least * 100, "%",
		"even", "counter");
	finding_weigh(f, SIGNAL_LOAD, 10);
	finding_title(f, "the bond does not spread its load: %s carries %.0f%% and %s %.0f%%",
		now.busy->name, (double)now.most * 100, now.idle->name, (double)now.least * 100);
	if (model_dev_of(r->m, bond)->tier != TIER_HOST)
		(void)str_copy(f->command, sizeof(f->command), "show port-channel load-balance");
	else
		(void)str_printf(f->command, sizeof(f->command),
			"cat /sys/class/net/%s/bonding/xmit_hash_policy",
			bond->netdev[0] ? bond->netdev : bond->name);
}

static void judge_bond(struct diag_run *r, const struct port *bond)
{
	const struct bond_state s = state_of(r->m, bond);
	bool short_of = !s.down && !s.slow && s.up > 1 && bond->speed_mbps && !has_spares(bond) &&
			gbps_of(bond) < s.up_gbps;
	struct finding *f;

	if (!s.down && !s.slow && !short_of) {
		if (!has_spares(bond))
			judge_balance(r, bond);
		return;
	}
	f = diag_claim(r, FIND_LINK_BOND, at_port(bond->id));
	if (bond->speed_mbps)
		(void)finding_number(
			f, f->at, "speed", gbps_of(bond), "Gb/s", "sum of its slaves", "counter");
	add_slaves(r, f, bond);
	finding_weigh(f, SIGNAL_FACT, 50);
	if (short_of)
		finding_title(f,
			"the bond has %.4g of %.4g Gb/s, though its links are up: LACP has not "
			"taken all of them",
			gbps_of(bond), s.up_gbps);
	else
		title_bond(f, &s, bond);
	/* Without RDMA it is no part of the fabric between GPUs. */
	if (!port_cell(bond, CTR_CNP_HANDLED, 0) || (s.down && s.shut == s.down && !s.slow) ||
		(has_spares(bond) && s.up))
		f->severity = SEV_WARN;
	(void)str_printf(f->command, sizeof(f->command), "cat /proc/net/bonding/%s",
		bond->netdev[0] ? bond->netdev : bond->name);
}

/* ---- bundles of a switch ---- */

struct members {
	unsigned n, active, unknown;
	const struct port *kept; /* its link is up, and LACP keeps it out */
};

static bool is_kept_out(const struct port *p)
{
	return p->oper == OPER_UP && (str_starts(p->more->lag_state, "suspended") ||
					     str_starts(p->more->lag_state, "individual"));
}

static struct members members_of(const struct diag_run *r, const struct port *bundle)
{
	struct members m = {0};
	const struct port *p;

	for (size_t i = 0; (p = port_slave(r->m, bundle, i)); i++) {
		m.n++;
		m.active += p->oper != OPER_DOWN && str_starts(p->more->lag_state, "active");
		m.unknown += !p->more->lag_state[0] || str_starts(p->more->lag_state, "unknown");
		if (is_kept_out(p) && !m.kept)
			m.kept = p;
	}
	return m;
}

static void add_members(struct diag_run *r, struct finding *f, const struct port *bundle)
{
	const struct port *p;
	char text[160];

	for (size_t i = 0; (p = port_slave(r->m, bundle, i)); i++) {
		(void)str_printf(text, sizeof(text), "link %s, %s", port_state_name(p),
			p->more->lag_state[0] ? p->more->lag_state : "LACP unknown");
		(void)finding_text(f, at_port(p->id), "member", text, "counter");
		vec_push(&f->members, at_port(p->id));
	}
	(void)str_copy(f->command, sizeof(f->command),
		str_eq(model_dev_of(r->m, bundle)->dialect, "sonic") ? "show interfaces portchannel"
								     : "show port-channel summary");
}

static void claim_bundle_down(
	struct diag_run *r, const struct port *bundle, const struct members *m)
{
	struct finding *f = diag_claim(r, FIND_LAG_DOWN, at_port(bundle->id));

	add_members(r, f, bundle);
	if (bundle->more->lag_min)
		(void)finding_number(
			f, f->at, "active members", m->active, "", ">= least", "counter");
	finding_weigh(f, SIGNAL_FACT, 100);
	if (bundle->admin == OPER_DOWN) {
		f->role = ROLE_INFO;
		f->severity = SEV_WARN;
	}
	if (bundle->more->lag_min > m->active && m->active)
		finding_title(f, "%s has %u of %u members active and needs %u: the bundle is down",
			bundle->name, m->active, m->n, bundle->more->lag_min);
	else
		finding_title(f, "%s is down: %u of %u members are active%s%s", bundle->name,
			m->active, m->n, bundle->more->down_reason[0] ? ", " : "",
			bundle->more->down_reason);
}

static void claim_kept_out(struct diag_run *r, const struct port *bundle, const struct members *m)
{
	struct finding *f = diag_claim_link(r, FIND_LAG_MEMBER, m->kept->id);
	const char *why = strchr(m->kept->more->lag_state, ':');

	add_members(r, f, bundle);
	finding_weigh(f, SIGNAL_FACT, 50);
	finding_title(f, "%s is up, and LACP keeps it out of %s%s%s; %u of %u members are active",
		m->kept->name, bundle->name, why ? ": " : "", why ? why + 2 : "", m->active, m->n);
}

static void judge_bundle(struct diag_run *r, const struct port *bundle)
{
	const struct bond_state s = state_of(r->m, bundle);
	const struct members m = members_of(r, bundle);
	struct finding *f;

	if (!m.n)
		return;
	if (bundle->oper == OPER_DOWN || (!m.unknown && bundle->more->lag_min > m.active)) {
		claim_bundle_down(r, bundle, &m);
		return;
	}
	if (m.kept)
		claim_kept_out(r, bundle, &m);
	if (!s.down && !s.slow) {
		judge_balance(r, bundle);
		return;
	}
	f = diag_claim(r, FIND_LINK_BOND, at_port(bundle->id));
	f->severity = SEV_WARN;
	add_members(r, f, bundle);
	finding_weigh(f, SIGNAL_FACT, 20);
	title_bond(f, &s, bundle);
}

/* "state=down" of "kind=vpc state=down domain=7": "" if it has none. */
static const char *word_of(const char *text, const char *key, char *dst, size_t size)
{
	const char *at = strstr(text, key);
	size_t n = at ? strcspn(at + strlen(key), " ") : 0;

	(void)str_copyn(dst, size, at ? at + strlen(key) : "", n < size ? n : size - 1);
	return dst;
}

/* Two switches should serve the bundle, and only this one does; or their settings differ. */
static bool is_half(const struct port *bundle)
{
	const char *pair = bundle->more->lag_pair;

	return bundle->oper != OPER_DOWN &&
	       (strstr(pair, " alone") || strstr(pair, " inconsistent") ||
		       str_eq(pair, "mclag, peer's down"));
}

static void judge_shared(struct diag_run *r, const struct device *d)
{
	struct finding *f = NULL;
	const struct port *first = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!p->seen || p->merged || !port_is_bond(p) || !is_half(p))
			continue;
		if (!f)
			f = diag_claim(r, FIND_LAG_PAIR, at_device(d->id));
		first = first ? first : p;
		(void)finding_text(f, at_port(p->id), "bundle", p->more->lag_pair, "counter");
		vec_push(&f->members, at_port(p->id));
		n++;
	}
	if (!f)
		return;
	f->severity = SEV_WARN;
	finding_weigh(f, SIGNAL_FACT, 30);
	if (n == 1)
		finding_title(f, "%s should be served by two switches: %s", first->name,
			first->more->lag_pair);
	else
		finding_title(f, "%u bundles should be served by two switches, first %s: %s", n,
			first->name, first->more->lag_pair);
}

static void judge_pair(struct diag_run *r, const struct device *d)
{
	char state[16], kind[16], peer[64], link[64], partial[16];
	struct finding *f;

	(void)word_of(d->pair, "state=", state, sizeof(state));
	(void)word_of(d->pair, "partial=", partial, sizeof(partial));
	if (!d->pair[0] || str_eq(state, "unknown") ||
		(str_eq(state, "ok") && (!*partial || *partial == '0'))) {
		if (d->tier != TIER_HOST)
			judge_shared(r, d);
		return;
	}
	f = diag_claim(r, FIND_LAG_PAIR, at_device(d->id));
	(void)finding_text(f, f->at, "pair", d->pair, "counter");
	finding_weigh(f, SIGNAL_FACT, 50);
	(void)word_of(d->pair, "kind=", kind, sizeof(kind));
	(void)word_of(d->pair, "peer=", peer, sizeof(peer));
	(void)word_of(d->pair, "link=", link, sizeof(link));
	(void)str_printf(f->command, sizeof(f->command), "show %s", kind);
	if (str_eq(state, "ok")) {
		f->severity = SEV_WARN;
		finding_title(
			f, "%s bundles of the %s pair are active on one side only", partial, kind);
		return;
	}
	finding_title(f, "the %s pair is %s%s%s%s%s", kind,
		str_eq(state, "split") ? "split: each side works alone" : "not whole",
		*peer ? ", peer " : "", peer, *link ? ", link " : "", link);
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!p->seen || p->merged || !port_is_bond(p))
			continue;
		if (d->tier == TIER_HOST)
			judge_bond(r, p);
		else
			judge_bundle(r, p);
	}
	judge_pair(r, d);
}

static void run_bond(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_bond = {"bond", run_bond, NULL, NULL, NULL};
