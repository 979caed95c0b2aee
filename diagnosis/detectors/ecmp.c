/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uplinks of one switch that should share its load: diagnosis reference, sections 3 (ECMP spread)
 * and 4 (classes 22, 23, 25, 28), traps 13 and 14.
 */
#include <math.h>

#include "diagnosis/evidence/congestion.h"
#include "diagnosis/evidence/ecmp.h"
#include "diagnosis/evidence/job_trouble.h"

/* Maximum over mean, five minutes: 1.6 is above the worst of a healthy hour (1.57), 2.3 is
 * critical. */
#define SPREAD_WARN 1.6
#define SPREAD_CRIT 2.3
/* One switch of so many may be uneven by itself. */
#define UNEVEN_MOST 3
/* Below this average load the uplinks do not show how ECMP selects them. */
#define MEAN_LEAST 0.05
/* One way only: under a twentieth of the siblings' median for five minutes. */
/* Below this share only keep-alives pass: then fewer samples suffice. */
#define NOTHING_SHARE 0.0005
#define OTHER_WAY     0.4
#define ONE_WAY_GROUP 3
#define FEW_SHARE     0.1
/* A member that worked within this time and stopped is no member that chance left out. */
#define CARRIED_US (INT64_C(60) * 1000000)
/* Deviation over mean of the other members: a hash of many flows keeps below it (railtop's own). */
#define EVEN_SPREAD 0.1
#define EVEN_LEAST  5
/* Capacity: a quarter of the planned uplinks, and two. */
#define LOST_SHARE 0.25
#define LOST_LEAST 2
/*
 * Collision: the member is full while flows send, and its siblings have much room: section 2.3
 * gives 60 %, but of a few flows two meet on a member in every healthy job. The poll includes
 * pauses of the job, so marks show that it is full.
 */
#define COLLISION_UTIL 0.25F
#define MARKED_SHARE   0.05
/*
 * A member that is as full as any link in the mean of some samples, and marks in each of them: its
 * flows are slowed down, whether a job tells of it or not.
 */
#define FILLED_UTIL    0.68F
#define FILLED_SAMPLES 3
/* A busy link of a healthy job marks one packet in thousands. Once so many were marked, flows that
 * have slowed down to what the link takes mark fewer. */
#define FILLED_MARKED 0.01
#define SIBLINGS_UTIL 0.3
#define NOT_HELD      0.02F

/* Paused so long by a NIC or a cycle that flows stall: "critical" of section 3. */
#define STALL_HELD 0.10F

/* ---- capacity ---- */

static void claim_capacity(struct diag_run *r, const struct ecmp_group *g)
{
	struct finding *f = diag_claim(r, FIND_ECMP_CAPACITY, at_device(g->device));
	unsigned lost = g->planned - g->up;

	finding_title(f, "uplink capacity lost: %u of %u uplinks are down", lost, g->planned);
	finding_number(f, f->at, "uplinks that are up", g->up, "", "= plan", "counter");
	finding_number(f, f->at, "uplinks in the plan", g->planned, "", "", "plan");
	for (size_t i = 0; i < g->n; i++) {
		if (g->at[i].up)
			continue;
		vec_push(&f->members, at_port(g->at[i].port));
	}
	finding_weigh(f, SIGNAL_FACT, 200);
}

static bool lost_capacity(const struct ecmp_group *g)
{
	unsigned lost = g->planned - g->up;

	return g->up && lost >= LOST_LEAST && lost >= LOST_SHARE * g->planned;
}

/* ---- one way only ---- */

struct way {
	double mine, other, median, other_median;
};

static bool has_carried(
	const struct diag_run *r, const struct ecmp_member *m, bool sends, double idle_s)
{
	const struct ecmp_memory *mem = *r->memory;
	int64_t at = sends ? mem->recent.at[m->port].sent_us : mem->recent.at[m->port].received_us;
	const struct finding *f = diag_open(r, FIND_ROUTE_ONE_WAY, at_port(m->port));

	if (f && f->role == ROLE_CULPRIT)
		return true;
	return idle_s <= ECMP_RECENT_S && at && r->now_us - at < CARRIED_US;
}

static void claim_one_way(struct diag_run *r, const struct ecmp_group *g,
	const struct ecmp_member *m, bool sends, const struct way *w, double s)
{
	struct finding *f = diag_claim(r, FIND_ROUTE_ONE_WAY, at_port(m->port));

	/* Chance leaves a member without flows, too: worth a look, and nobody's fault. One that has
	 * just stopped, beside many equal ones, is no chance. */
	if (g->up <= EVEN_LEAST || !has_carried(r, m, sends, s))
		f->role = ROLE_RISK;

	if (m->peer != PORT_NONE)
		f->peer = at_port(m->peer);
	finding_title(f, "%s nothing for %.0f s while it %s %.1f Gb/s",
		sends ? "sends" : "receives", s, sends ? "receives" : "sends", w->other / 1e9);
	finding_number(f, f->at, sends ? "sent" : "received", w->mine / 1e9, "Gb/s",
		"< 5% of its siblings", "counter");
	finding_number(f, f->at, sends ? "sent by its siblings" : "received by its siblings",
		w->median / 1e9, "Gb/s", "", "counter");
	finding_number(
		f, f->at, sends ? "received" : "sent", w->other / 1e9, "Gb/s", "", "counter");
	finding_weigh(f, SIGNAL_LOAD, 100);
	finding_refute(f, FIND_LINK_DOWN, f->at, "the link is up and works the other way");
}

/* A storm or a deadlock stalls flows on all paths: that is no fault of a route. */
static void remember_stalls(struct diag_run *r)
{
	const struct pause_graph *g = r->pauses;
	struct ecmp_memory *mem = ecmp_memory_of(r);

	for (size_t i = 0; i < g->terminals.n; i++) {
		const struct pause_node *n = &g->nodes.at[g->terminals.at[i]];

		if (n->end != PAUSE_CONTENTION && n->held > STALL_HELD)
			mem->stalled_us = r->now_us;
	}
}

/* Whether all samples in the averages are from after the stall. */
static bool flowed_since(const struct diag_run *r, const struct ecmp_group *g)
{
	const struct ecmp_memory *mem = *r->memory;

	for (size_t i = 0; mem->stalled_us && i < g->n; i++) {
		const struct sample *s = window_ago(r->w, g->at[i].port, WINDOW_SAMPLES - 1);

		if (s && s->at_us <= mem->stalled_us)
			return false;
	}
	return true;
}

/* Over the last samples alone: true only when not even keep-alives pass in numbers. */
static bool nothing_goes(const struct ecmp_member *m, const struct ecmp_group *g, bool sends)
{
	double mine = sends ? m->sent : m->received, other = sends ? m->received : m->sent;

	return mine < NOTHING_SHARE * (sends ? g->sent_median : g->received_median) &&
	       other > OTHER_WAY * (sends ? g->received_median : g->sent_median);
}

static struct way way_of(const struct ecmp_group *g, size_t i, bool sends)
{
	const struct ecmp_member *m = &g->at[i];

	return sends ? (struct way){m->tx, m->rx, g->tx_median, g->rx_median}
		     : (struct way){m->rx, m->tx, g->rx_median, g->tx_median};
}

/* The same over the last samples alone: the long averages hold what went before it stopped. */
static struct way recent_way_of(const struct ecmp_group *g, size_t i, bool sends)
{
	const struct ecmp_member *m = &g->at[i];

	return sends ? (struct way){m->sent, m->received, g->sent_median, g->received_median}
		     : (struct way){m->received, m->sent, g->received_median, g->sent_median};
}

static bool goes_one_way_long(const struct ecmp_member *m, const struct way *w)
{
	return m->seconds >= ECMP_LONG_S && w->mine / w->median < ECMP_IDLE_SHARE;
}

static bool is_loaded(const struct ecmp_member *m, const struct way *w)
{
	return w->median > ECMP_LOAD_LEAST * m->speed_bps && w->other > OTHER_WAY * w->other_median;
}

static void judge_way(struct diag_run *r, const struct ecmp_group *g, size_t i, bool sends)
{
	const struct ecmp_member *m = &g->at[i];
	struct way w = way_of(g, i, sends), recent;

	if (!is_loaded(m, &w))
		return;
	if (goes_one_way_long(m, &w)) {
		claim_one_way(r, g, m, sends, &w, m->seconds);
	} else if (g->up > EVEN_LEAST && flowed_since(r, g) && nothing_goes(m, g, sends)) {
		recent = recent_way_of(g, i, sends);
		claim_one_way(r, g, m, sends, &recent, ECMP_RECENT_S);
	}
}

/* Whether judge_ways() may report something, now or later. */
static bool may_go_one_way(const struct ecmp_group *g)
{
	for (size_t i = 0; g->up >= ONE_WAY_GROUP && i < g->n; i++) {
		const struct ecmp_member *m = &g->at[i];

		for (int sends = 0; sends < 2 && m->up; sends++) {
			struct way w = way_of(g, i, sends);

			if (is_loaded(m, &w) &&
				(goes_one_way_long(m, &w) || nothing_goes(m, g, sends)))
				return true;
		}
	}
	return false;
}

/*
 * Whether few members carry traffic one way only. When many do, few flows selected few members. A
 * member that is idle both ways does not count: it leads elsewhere, or nowhere.
 */
static bool are_few(const struct ecmp_group *g, bool sends)
{
	unsigned n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct ecmp_member *m = &g->at[i];
		double mine = sends ? m->sent : m->received;
		double other = sends ? m->received : m->sent;

		n += m->up &&
		     mine < ECMP_IDLE_SHARE * (sends ? g->sent_median : g->received_median) &&
		     other > ECMP_IDLE_SHARE * (sends ? g->received_median : g->sent_median);
	}
	return n <= 1 || n <= FEW_SHARE * g->up;
}

struct moments {
	double sum, squares;
	unsigned n;
};

static void add_load(struct moments *m, double load)
{
	m->sum += load;
	m->squares += load * load;
	m->n++;
}

static bool is_even(const struct moments *m)
{
	double mean = m->sum / m->n;

	return m->n >= 2 && m->squares / m->n - mean * mean < pow(EVEN_SPREAD * mean, 2);
}

/*
 * Many flows load their members evenly. Of few flows a member may get none by chance: then the
 * others have unequal loads, too. Over the last samples alone they may be equal by chance, so the
 * minutes before count as well. Members that carry nothing now are left out of both.
 */
static bool are_even(const struct ecmp_group *g, bool sends)
{
	double least = ECMP_IDLE_SHARE * (sends ? g->sent_median : g->received_median);
	struct moments recent = {0}, minutes = {0};

	for (size_t i = 0; i < g->n; i++) {
		const struct ecmp_member *m = &g->at[i];
		double load = sends ? m->sent : m->received;

		if (!m->up || !(load > least))
			continue;
		add_load(&recent, load);
		add_load(&minutes, sends ? m->tx : m->rx);
	}
	return is_even(&recent) && is_even(&minutes);
}

static void judge_ways(struct diag_run *r, const struct ecmp_group *g)
{
	bool few_send = are_few(g, true) && are_even(g, true);
	bool few_receive = are_few(g, false) && are_even(g, false);

	if (g->up < ONE_WAY_GROUP)
		return;
	for (size_t i = 0; i < g->n; i++) {
		if (!g->at[i].up)
			continue;
		if (few_send)
			judge_way(r, g, i, true);
		if (few_receive)
			judge_way(r, g, i, false);
	}
}

/* ---- spread over five minutes ---- */

struct spread {
	const struct ecmp_member *top;
	double most, mean; /* share of the speed */
};

static bool is_spread_badly(const struct ecmp_group *g, struct spread *s)
{
	double sum = 0, most = 0, n = 0;
	const struct ecmp_member *top = NULL;

	for (size_t i = 0; i < g->n; i++) {
		const struct ecmp_member *m = &g->at[i];

		if (!m->up || m->seconds < ECMP_LONG_S || isnan(m->tx))
			continue;
		sum += m->tx / m->speed_bps;
		n++;
		if (m->tx / m->speed_bps <= most)
			continue;
		most = m->tx / m->speed_bps;
		top = m;
	}
	*s = (struct spread){top, most, sum / n};
	return top && n >= 2 && !(s->mean < MEAN_LEAST) && !(most < SPREAD_WARN * sum / n);
}

/* Most switches at once: the workload has few flows, and no switch hashes badly. */
static bool are_all_uneven(const struct ecmp *e)
{
	size_t uneven = 0;
	struct spread s;

	for (size_t i = 0; i < e->groups.n; i++)
		uneven += e->groups.at[i].suspect && is_spread_badly(&e->groups.at[i], &s);
	return uneven > 1 && uneven * UNEVEN_MOST > e->groups.n;
}

/* ---- collision ---- */

/* A slow link is full because it is slow. */
static bool is_slow(const struct port *p)
{
	return p->plan_speed_mbps && p->speed_mbps < p->plan_speed_mbps;
}

static bool is_full(const struct diag_run *r, const struct ecmp_member *m)
{
	const struct port *p = r->m->ports.at[m->port];
	const struct sample *s = window_last(r->w, m->port), *before = window_ago(r->w, m->port, 1);

	if (!s || !before || !(s->tx_util > COLLISION_UTIL) || s->held > NOT_HELD ||
		!(before->ecn_pps > 0) || !(congestion_marked_share(r->m, p, s) > MARKED_SHARE))
		return false;
	return !is_slow(p);
}

/* Of the last samples, in the mean. */
static double marked_lately(const struct diag_run *r, uint32_t port)
{
	double sum = 0;

	for (unsigned ago = 0; ago < FILLED_SAMPLES; ago++)
		sum += congestion_marked_share(
			r->m, r->m->ports.at[port], window_ago(r->w, port, ago));
	return sum / FILLED_SAMPLES;
}

/* Its mean load over the last samples, each of which has marks; NAN: one has none. */
static float load_with_marks(const struct diag_run *r, const struct ecmp_member *m)
{
	float load = 0;

	for (unsigned ago = 0; ago < FILLED_SAMPLES; ago++) {
		const struct sample *s = window_ago(r->w, m->port, ago);

		if (!s || !(s->ecn_pps > 0) || s->held > NOT_HELD)
			return NAN;
		load += s->tx_util;
	}
	return is_slow(r->m->ports.at[m->port]) ? NAN : load / FILLED_SAMPLES;
}

/*
 * How full a member is. MEMBER_MARKING: full in bursts only, which is no harm that is proven: a
 * job that sends half of the time fills a link to a half in the mean.
 */
enum member_load { MEMBER_FREE, MEMBER_MARKING, MEMBER_FULL, MEMBER_FILLED };

static enum member_load load_of(const struct diag_run *r, const struct ecmp_member *m)
{
	float load = load_with_marks(r, m);
	bool marking = load > COLLISION_UTIL && marked_lately(r, m->port) > FILLED_MARKED;

	if (load > FILLED_UTIL && (marking || diag_open(r, FIND_ECMP_COLLISION, at_port(m->port))))
		return MEMBER_FILLED;
	if (is_full(r, m))
		return MEMBER_FULL;
	return marking ? MEMBER_MARKING : MEMBER_FREE;
}

static double siblings_util(const struct diag_run *r, const struct ecmp_group *g, size_t but)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct sample *s = i == but ? NULL : window_last(r->w, g->at[i].port);

		if (!s || isnan(s->tx_util) || !g->at[i].up)
			continue;
		sum += (double)s->tx_util;
		n++;
	}
	return n ? sum / n : (double)NAN;
}

static bool is_under_workload(const struct diag_run *r)
{
	return diag_open(r, FIND_WORKLOAD, (struct ref){.kind = REF_FABRIC}) != NULL;
}

static void judge_collision(struct diag_run *r, const struct ecmp_group *g)
{
	if (g->up < 2 || g->up < g->planned)
		return;
	for (size_t i = 0; i < g->n; i++) {
		const struct ecmp_member *m = &g->at[i];
		const struct sample *s = window_last(r->w, m->port);
		struct finding *f;
		enum member_load load = m->up ? load_of(r, m) : MEMBER_FREE;
		double others;

		/* Few members are loaded so, and the next test reads all siblings. */
		if (load == MEMBER_FREE)
			continue;
		others = siblings_util(r, g, i);
		if (!(others < SIBLINGS_UTIL * (double)s->tx_util))
			continue;
		f = diag_claim(r, FIND_ECMP_COLLISION, at_port(m->port));
		if (m->peer != PORT_NONE)
			f->peer = at_port(m->peer);
		/*
		 * Two flows meet in many a healthy job: it is to blame if that costs. Under an even
		 * load of most receivers it is the load that costs.
		 */
		if (is_under_workload(r) || load == MEMBER_MARKING ||
			(load == MEMBER_FULL && !job_trouble(r))) {
			f->role = ROLE_RISK;
			f->severity = SEV_WARN;
		}
		finding_number(
			f, f->at, "load sent", (double)s->tx_util * 100, "%", "> 25%", "counter");
		finding_number(f, at_device(g->device), "mean load of its siblings", others * 100,
			"%", "< 30% of it", "counter");
		finding_number(f, f->at, "ecn_marked_packets", (double)s->ecn_pps, "/s",
			"> 1% of packets", "counter");
		finding_weigh(f, SIGNAL_LOAD, 15);
		finding_weigh(f, SIGNAL_QUEUE, 5);
	}
}

static void judge_spread(struct diag_run *r, const struct ecmp_group *g)
{
	struct finding *f;
	struct spread s;

	if (!is_spread_badly(g, &s))
		return;
	f = diag_claim(r, FIND_ECMP_IMBALANCE, at_device(g->device));
	f->severity = s.most > SPREAD_CRIT * s.mean ? SEV_CRIT : SEV_WARN;
	/* Few flows never spread evenly: it is to blame if the member is full, and that costs. */
	if (!job_trouble(r) || !is_full(r, s.top)) {
		f->role = ROLE_RISK;
		f->severity = SEV_WARN;
	}
	vec_push(&f->members, at_port(s.top->port));
	finding_number(f, at_port(s.top->port), "load over 5 min", s.most * 100, "%",
		"< 1.6 of the mean", "counter");
	finding_number(f, f->at, "mean load of its uplinks", s.mean * 100, "%", "", "counter");
	if (device_spreads(r->m->devices.at[g->device])) {
		f->role = ROLE_RISK;
		f->severity = SEV_OK;
		finding_text(f, f->at, "path selection", r->m->devices.at[g->device]->balancing,
			"config");
	}
	finding_weigh(f, SIGNAL_LOAD, 20);
}

static bool may_collide(const struct diag_run *r, const struct ecmp_group *g)
{
	for (size_t i = 0; g->up >= 2 && i < g->n; i++)
		if (g->at[i].up && load_of(r, &g->at[i]) != MEMBER_FREE)
			return true;
	return false;
}

/* ---- one device, all groups ---- */

static int64_t digest_ecmp(struct diag_run *r, const struct device *d)
{
	int64_t until = INT64_MAX;
	struct ecmp_group *g = ecmp_digest(r, d, &until);
	struct spread s;

	ecmp_digest_parallel(r, d, &until);
	ecmp_polarisation_digest_parallel(r, d);
	if (g->n < 2)
		return until;
	ecmp_polarisation_digest(g);
	g->suspect = lost_capacity(g) || may_go_one_way(g) || is_spread_badly(g, &s) ||
		     may_collide(r, g);
	return until;
}

static void run_ecmp(struct diag_run *r)
{
	struct ecmp e = {0};
	bool polarised, all_uneven;

	remember_stalls(r);
	ecmp_find(r, &e);
	polarised = ecmp_polarisation(r, &e);
	all_uneven = are_all_uneven(&e);
	for (size_t i = 0; i < e.groups.n; i++) {
		const struct ecmp_group *g = &e.groups.at[i];

		if (!g->suspect)
			continue;
		if (lost_capacity(g))
			claim_capacity(r, g);
		/* Trap 14: a fault common to all switches is one finding. */
		if (polarised)
			continue;
		judge_ways(r, g);
		if (!all_uneven)
			judge_spread(r, g);
		judge_collision(r, g);
	}
	ecmp_free(&e);
}

const struct detector detect_ecmp = {"ecmp", run_ecmp, ecmp_free_memory, ecmp_state, digest_ecmp};
