/* SPDX-License-Identifier: Apache-2.0 */
/* "The fabric is clean" with its proof: each check over the whole fabric, and the parts without
 * data. */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "fabric/model/cell_at.h"
#include "fabric/model/unnamed.h"
#include "fabric/vocabulary/counters.h"

/* A line proves nothing with data from less of the fabric. */
#define COVERED_LEAST 0.95
/* Pauses above this do harm: diagnosis reference, section 3, critical line of PFC duty. */
#define HELD_HARM 0.10F
/* Older flaps are history. */
#define FLAP_RECENT_US (3600 * CLOCK_SEC)

static enum proof_line line_of(enum finding_id id)
{
	switch (id) {
	case FIND_LINK_DOWN:
		return LINE_LINKS;
	case FIND_LINK_SPEED:
		return LINE_SPEED;
	case FIND_LINK_FLAPPING:
		return LINE_FLAPS;
	case FIND_LOSSLESS_DROP:
	case FIND_PFC_OFF:
	case FIND_NIC_IGNORES_PFC:
		return LINE_DROPS;
	case FIND_LINK_CORRUPTING:
		return LINE_CORRUPTION;
	case FIND_WATCHDOG_FIRED:
	case FIND_WATCHDOG_MISFIRE:
	case FIND_WATCHDOG_SILENT:
		return LINE_WATCHDOG;
	case FIND_BGP_DOWN:
	case FIND_BGP_FLAPPING:
		return LINE_BGP;
	case FIND_WIRING_SWAPPED:
	case FIND_WIRING_ROTATED:
	case FIND_WIRING_WRONG:
		return LINE_WIRING;
	default:
		return LINE_COUNT;
	}
}

static void count_line(struct proof_count *c, bool told, bool bad)
{
	c->of++;
	c->told += told;
	c->bad += told && bad;
}

static void count_sample(struct proof_tally *t, const struct sample *s, bool host)
{
	float held = s ? s->held : NAN;
	bool high = held > HELD_HARM;

	count_line(&t->line[LINE_CORRUPTION], s && !isnan(s->fcs_pps), s && s->fcs_pps > 0);
	/* Not every NIC reports pauses; one that reports them counts. */
	if (host && isnan(held))
		return;
	if (!host)
		count_line(&t->line[LINE_DROPS], s && !isnan(s->lossless_drops),
			s && s->lossless_drops > 0);
	/* An upper bound never proves a pause, and a high one does not disprove it: the value is
	 * unknown. */
	count_line(&t->line[LINE_PAUSES], s && !isnan(held) && !(high && s->held_bound), high);
	if (held > t->held)
		t->held = held;
}

/* Platforms report watchdog activity by drops, by counted storms, or only by the state of the
 * queue. */
static void count_watchdog(
	struct proof_tally *t, const struct model *m, const struct port *p, const struct sample *s)
{
	unsigned mask = lossless_priorities(&m->lossless);
	bool told = s && !isnan(s->watchdog_drops), bad = told && s->watchdog_drops > 0;

	for (unsigned i = 0; i < PRIORITIES; i++) {
		/* It may hold a queue that the plan does not call lossless. */
		bad |= p->wd[i].state == WD_STORMED;
		if (!(mask >> i & 1U))
			continue;
		told |= p->wd[i].state != WD_UNKNOWN || cell_at(p, CTR_PFCWD_STORM_DETECTED, i);
	}
	count_line(&t->line[LINE_WATCHDOG], (told || bad) && s, bad);
}

/* Both ends may run at half the speed: only a plan shows it. */
static void count_speed(struct proof_tally *t, const struct port *p)
{
	bool known = p->plan_speed_mbps && (p->speed_mbps || p->oper == OPER_DOWN);

	t->unplanned += !p->plan_speed_mbps;
	count_line(&t->line[LINE_SPEED], p->seen && known,
		p->oper != OPER_DOWN && p->speed_mbps < p->plan_speed_mbps);
}

static void count_port(struct proof_tally *t, const struct diag *d, const struct model *m,
	const struct port *p, int64_t now_us)
{
	const struct sample *s = window_last(d->windows, p->id);
	bool host = model_dev_of(m, p)->tier == TIER_HOST;

	count_line(&t->line[LINE_LINKS], p->seen && p->oper != OPER_UNKNOWN,
		p->oper == OPER_DOWN && p->plan_peer != PORT_NONE);
	count_line(&t->line[LINE_FLAPS], p->seen,
		p->flaps && now_us - p->last_flap_us < FLAP_RECENT_US);
	t->flaps += p->flaps;
	count_speed(t, p);
	count_sample(t, s, host);
	if (!host)
		count_watchdog(t, m, p, s);
}

static void count_sessions(struct proof_tally *t, const struct device *d)
{
	struct bgp_count c;

	if (!d->bgp_us)
		return;
	c = device_bgp(d);
	t->line[LINE_BGP].of += c.all;
	t->line[LINE_BGP].told += c.all;
	t->line[LINE_BGP].bad += c.all - c.ok;
}

/* A NIC whose leaf is not in the inventory is a part of the fabric as well. */
static bool is_of_fabric(const struct model *m, const struct port *p)
{
	return port_peer(m, p, NULL) ||
	       (p->lldp_device[0] && model_dev_of(m, p)->tier == TIER_HOST);
}

int64_t verdict_digest(struct proof_tally *t, const struct diag *d, const struct model *m,
	const struct device *dev, int64_t now_us)
{
	int64_t until = INT64_MAX;

	*t = (struct proof_tally){0};
	for (size_t i = 0; i < dev->ports.n; i++) {
		const struct port *p = m->ports.at[dev->ports.at[i]];
		int64_t over = p->last_flap_us + FLAP_RECENT_US - 1;

		if (p->merged || !is_of_fabric(m, p))
			continue;
		/* LLDP names a device that the inventory lacks, and no plan has the link. */
		if (!port_peer(m, p, NULL)) {
			t->line[LINE_WIRING].of++;
			t->unplanned_links++;
		}
		count_port(t, d, m, p, now_us);
		if (p->flaps && now_us <= over && over < until)
			until = over;
	}
	count_sessions(t, dev);
	return until;
}

static bool is_current(const struct device *d)
{
	return d->state == DEV_FRESH || d->state == DEV_LATE;
}

/* Lines from the model's memory, of any age; samples expire by themselves. */
static bool is_remembered(enum proof_line l)
{
	return l == LINE_LINKS || l == LINE_FLAPS || l == LINE_SPEED || l == LINE_BGP;
}

/*
 * The state of a device changes without news of it, so it is tested here. Good last values of a
 * silent device prove nothing; bad ones stand.
 */
static void add_tally(struct proof_tally *t, const struct proof_tally *one, bool current)
{
	for (unsigned i = 0; i < LINE_COUNT; i++) {
		bool old = !current && is_remembered((enum proof_line)i);

		t->line[i].of += one->line[i].of;
		t->line[i].told += old ? one->line[i].bad : one->line[i].told;
		t->line[i].bad += one->line[i].bad;
	}
	t->flaps += one->flaps;
	t->unplanned += one->unplanned;
	t->unplanned_links += one->unplanned_links;
	if (one->held > t->held)
		t->held = one->held;
}

static void count_devices(
	struct proof_tally *t, const struct diag *d, const struct model *m, int64_t now_us)
{
	for (uint32_t i = 0; i < m->devices.n; i++) {
		const struct device *dev = m->devices.at[i];
		const struct proof_tally *one = engine_proof(d, m, i, now_us);
		struct proof_tally made;

		if (!one) {
			(void)verdict_digest(&made, d, m, dev, now_us);
			one = &made;
		}
		add_tally(t, one, is_current(dev));
	}
}

/* Whether LLDP reported the link and there is a plan to compare it with. */
static bool is_compared(const struct model *m, const struct link *l)
{
	if (l->state == LINK_MISWIRED)
		return true;
	return l->state == LINK_AS_PLANNED &&
	       (is_current(model_dev_of(m, m->ports.at[l->a])) ||
		       is_current(model_dev_of(m, m->ports.at[l->b])));
}

static void count_wiring(struct proof_tally *t, const struct model *m)
{
	unsigned unnamed = model_unnamed(m).links;

	t->line[LINE_WIRING].of += unnamed;
	t->unplanned_links += unnamed;
	for (size_t i = 0; i < m->links.n; i++) {
		const struct link *l = &m->links.at[i];

		t->unplanned_links += l->state == LINK_FOUND;
		count_line(&t->line[LINE_WIRING], is_compared(m, l), l->state == LINK_MISWIRED);
	}
}

static void count_findings(struct proof_tally *t, const struct diag *d)
{
	unsigned n[LINE_COUNT] = {0};

	for (size_t i = 0; i < d->order.n; i++) {
		enum proof_line l = line_of(d->order.at[i]->id);

		if (l != LINE_COUNT && d->order.at[i]->role == ROLE_CULPRIT)
			n[l]++;
	}
	/* The counters were counted above; a finding outlasts a quiet poll. */
	for (unsigned l = 0; l < LINE_COUNT; l++)
		if (!t->line[l].bad)
			t->line[l].bad = n[l];
}

/* ---- texts ---- */

static const char *const words[LINE_COUNT] = {
	[LINE_LINKS] = "links down against the plan",
	[LINE_FLAPS] = "ports that flapped within an hour",
	[LINE_DROPS] = "ports that drop on a lossless priority",
	[LINE_PAUSES] = "ports paused more than 10% of the time",
	[LINE_WATCHDOG] = "ports where the PFC watchdog acts",
	[LINE_CORRUPTION] = "ports that receive corrupt frames",
	[LINE_BGP] = "BGP sessions not established",
	[LINE_WIRING] = "links not as planned by LLDP",
	[LINE_SPEED] = "ports below their planned speed",
};

/* How to get the missing data. */
static const char *const cures[LINE_COUNT] = {
	[LINE_LINKS] = "railtop check lists the devices that do not answer",
	[LINE_FLAPS] = "railtop check lists the devices that do not answer",
	[LINE_DROPS] = "railtop check lists the missing drop counters and their cures",
	[LINE_PAUSES] = "railtop check lists the missing PFC counters and their cures",
	[LINE_WATCHDOG] = "railtop check lists the devices that do not report the PFC watchdog",
	[LINE_CORRUPTION] = "railtop check lists the missing error counters and their cures",
	[LINE_BGP] = "railtop check lists the devices that do not report BGP",
	[LINE_WIRING] = "switch LLDP on, at switches and at hosts",
	[LINE_SPEED] = "railtop check lists the devices that do not report link speeds",
};
#define CURE_NO_PLAN  "give the switches' \"dialect:\" in the inventory, or a \"wiring:\" file"
#define CURE_NO_SPEED "give the wiring file a fifth column: device,port,device,port,400G"

static const char *line_unit(enum proof_line l)
{
	return l == LINE_BGP ? "sessions" : l == LINE_WIRING ? "links" : "ports";
}

static bool is_covered(const struct proof_count *c)
{
	return c->of && c->told >= COVERED_LEAST * c->of;
}

static const char *line_cure(const struct proof_tally *t, enum proof_line l)
{
	if (l == LINE_SPEED && t->unplanned)
		return CURE_NO_SPEED;
	return l == LINE_WIRING && t->unplanned_links ? CURE_NO_PLAN : cures[l];
}

/* There is no data, or nothing to compare it with. */
static bool describe_missing(struct proof *p, const struct proof_tally *t, enum proof_line l)
{
	const struct proof_count *c = &t->line[l];

	if (l == LINE_SPEED && c->of && t->unplanned == c->of)
		(void)str_printf(p->text, sizeof(p->text),
			"%s: unknown: no planned speed (neither plan nor wiring file has one)",
			words[l]);
	else if (l == LINE_WIRING && c->of && t->unplanned_links == c->of)
		(void)str_printf(p->text, sizeof(p->text), "%s: unknown: no plan for %u link%s",
			words[l], c->of, str_plural(c->of));
	else if (!c->of)
		(void)str_printf(p->text, sizeof(p->text), "%s: no data", words[l]);
	else
		return false;
	return true;
}

/* Only findings show it: a finding may be about several ports. */
static bool describe_failed(struct proof *p, const struct proof_tally *t, enum proof_line l)
{
	const struct proof_count *c = &t->line[l];
	bool unplanned = l == LINE_SPEED && c->of && t->unplanned == c->of;

	if (!unplanned && c->bad <= c->told)
		return false;
	(void)str_printf(p->text, sizeof(p->text), "%s: reported by %u finding%s%s",
		unplanned ? "ports slower than they should be" : words[l], c->bad,
		str_plural(c->bad), unplanned ? "; no planned speed is known" : "");
	return true;
}

static void describe_count(
	struct proof *p, const struct proof_count *c, enum proof_line l, const char *more)
{
	if (c->told < c->of)
		(void)str_printf(p->text, sizeof(p->text), "%s: %u of %u %s%s; %.1f%% not seen",
			words[l], c->bad, c->told, line_unit(l), more,
			100.0 * (c->of - c->told) / c->of);
	else
		(void)str_printf(p->text, sizeof(p->text), "%s: %u of %u %s%s", words[l], c->bad,
			c->of, line_unit(l), more);
}

static void add_line(struct verdict_report *out, const struct proof_tally *t, enum proof_line l)
{
	const struct proof_count *c = &t->line[l];
	struct proof *p = vec_add(&out->proof);
	char more[48] = "";

	p->line = (uint8_t)l;
	p->checked = is_covered(c) || c->bad;
	p->ok = c->bad == 0;
	if (!p->checked)
		(void)str_copy(p->cure, sizeof(p->cure), line_cure(t, l));
	if (l == LINE_PAUSES && c->told)
		(void)str_printf(more, sizeof(more), ", at most %.1f%%", (double)t->held * 100);
	if (l == LINE_FLAPS)
		(void)str_printf(more, sizeof(more), ", %llu flap%s since start",
			(unsigned long long)t->flaps, str_plural(t->flaps));
	if (c->bad ? !describe_failed(p, t, l) : !describe_missing(p, t, l))
		describe_count(p, c, l, more);
}

/* Number of current devices, with the names of the others as far as there is room. */
static void add_devices(struct verdict_report *out, const struct model *m)
{
	struct proof *p = vec_add(&out->proof);
	unsigned fresh = 0, named = 0, blind = 0;
	char who[64] = "";
	size_t at = 0;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		bool ok = is_current(d) && !device_blind(d);

		fresh += ok;
		blind += !ok;
		if (ok || named == 3 || at >= sizeof(who))
			continue;
		(void)str_printf(
			who + at, sizeof(who) - at, "%s%.18s", named ? ", " : ": ", d->name);
		named++;
		for (; who[at]; at++)
			;
	}
	p->line = LINE_DEVICES;
	p->checked = m->devices.n != 0;
	p->ok = m->devices.n && fresh >= COVERED_LEAST * (double)m->devices.n;
	if (!p->ok)
		(void)str_copy(p->cure, sizeof(p->cure), cures[LINE_LINKS]);
	if (blind)
		(void)str_printf(p->text, sizeof(p->text), "devices fresh: %u of %zu; not seen%s%s",
			fresh, m->devices.n, who, blind > named ? ", ..." : "");
	else
		(void)str_printf(
			p->text, sizeof(p->text), "devices fresh: %u of %zu", fresh, m->devices.n);
}

bool verdict_prove(
	struct verdict_report *out, const struct diag *d, const struct model *m, int64_t now_us)
{
	struct proof_tally t = {0};
	bool all = true;

	count_devices(&t, d, m, now_us);
	count_wiring(&t, m);
	count_findings(&t, d);
	for (int l = 0; l < LINE_COUNT; l++)
		add_line(out, &t, (enum proof_line)l);
	add_devices(out, m);
	out->paused = t.line[LINE_PAUSES].bad;
	out->paused_of = t.line[LINE_PAUSES].told;
	for (size_t i = 0; i < out->proof.n; i++)
		all &= out->proof.at[i].ok && out->proof.at[i].checked;
	return all;
}
