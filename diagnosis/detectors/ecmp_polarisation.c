/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Polarisation: all switches of a tier hash alike, so the same members of each stay unused.
 * Diagnosis reference, section 2.3 (idle on more than 60 % of the switches) and class 22. It is
 * structural, so a few samples of the whole tier prove as much as five minutes of one switch.
 */
#include <math.h>

#include "diagnosis/evidence/ecmp.h"

#define SWITCHES_SHARE 0.6
#define SWITCHES_LEAST 3
/*
 * Polarised groups leave half of their members idle. In a healthy hour of a real fabric, one or
 * two members of thirty may be idle over so short a time.
 */
#define IDLE_SHARE 0.3
#define IDLE_BELOW 0.02 /* of the busiest member */
#define LOAD_LEAST 0.02 /* of the speed, for the busiest member */
/* Members idle in both of two switches, as a share of those idle in either; railtop's own. */
#define AGREE_SHARE 0.8
#define TWINS_MOST  4
/* Of the rate of a link below: samples of two ports are not of the same moment. Railtop's own. */
#define ONE_FLOW 1.2
/*
 * Parallel links below a switch, railtop's own. One flow leaves all but one of them idle, at a
 * place that chance selects; so the groups must get more flows than there are groups, and so many
 * of them must leave the same place idle that chance is no explanation: 2^-4 even for one flow
 * each.
 */
#define INPUTS_LEAST 1.5 /* links that bring load, for each group */
#define ALIKE_SHARE  0.9
#define ALIKE_LEAST  4 /* groups, beyond the first of each switch */

struct tier_count {
	unsigned loaded, idle, spreading;
	double idle_members, members;
};

static double most_sent(const struct ecmp_group *g)
{
	double most = 0;

	for (size_t i = 0; i < g->n; i++)
		most = fmax(most, g->at[i].sent);
	return most;
}

/* Whether it has load, all members are up, and the load of each is known. */
static bool is_whole(const struct ecmp_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!g->at[i].up || isnan(g->at[i].sent))
			return false;
	return g->most > LOAD_LEAST * g->at[0].speed_bps;
}

static bool is_idle(const struct ecmp_group *g, size_t i, double most)
{
	return g->at[i].sent < IDLE_BELOW * most;
}

void ecmp_polarisation_digest(struct ecmp_group *g)
{
	g->most = most_sent(g);
	g->whole = is_whole(g);
	g->idle = 0;
	for (size_t i = 0; i < g->n; i++)
		g->idle += is_idle(g, i, g->most);
}

static uint32_t upper_device(const struct diag_run *r, const struct ecmp_group *g, size_t i)
{
	return g->at[i].peer == PORT_NONE ? UINT32_MAX : r->m->ports.at[g->at[i].peer]->device;
}

/*
 * Two switches with the same switches above them leave the same members idle. When few flows leave
 * members idle by chance, each switch leaves other ones.
 */
static bool idle_members_agree(
	const struct diag_run *r, const struct ecmp_group *a, const struct ecmp_group *b)
{
	unsigned both = 0, either = 0, both_busy = 0;

	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		bool x = is_idle(a, i, a->most), y = is_idle(b, i, b->most);

		if (upper_device(r, a, i) != upper_device(r, b, i))
			return false;
		both += x && y;
		either += x || y;
		both_busy += !x && !y;
	}
	/* When most are idle they agree by chance: the busy members must agree too. */
	return either && both >= AGREE_SHARE * either &&
	       both_busy >= AGREE_SHARE * (double)(a->n - both);
}

/* A group with load. Possible twins are adjacent: they have as many members, and the same first
 * switch above. */
struct candidate {
	const struct ecmp_group *g;
	size_t at;
	uint32_t upper;
};
typedef VEC(struct candidate) candidate_vec;

static bool are_alike(const struct candidate *a, const struct candidate *b)
{
	return a->g->n == b->g->n && a->upper == b->upper;
}

static int compare_likeness(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->g->n != b->g->n)
		return a->g->n < b->g->n ? -1 : 1;
	if (a->upper != b->upper)
		return a->upper < b->upper ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void find_candidates(const struct diag_run *r, const struct ecmp *e, candidate_vec *out)
{
	for (size_t i = 0; i < e->groups.n; i++) {
		const struct ecmp_group *g = &e->groups.at[i];

		if (g->whole)
			vec_push(out, (struct candidate){g, i, upper_device(r, g, 0)});
	}
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare_likeness);
}

/* Whether one of the next few of n possible twins is a twin: comparing all pairs would be slow. */
static bool has_twin(const struct diag_run *r, const struct candidate *c, size_t n, size_t at)
{
	for (size_t k = 1; k < n && k <= TWINS_MOST; k++)
		if (idle_members_agree(r, c[at].g, c[(at + k) % n].g))
			return true;
	return false;
}

static bool is_member(const struct ecmp_group *g, uint32_t port)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->at[i].port == port)
			return true;
	return false;
}

/*
 * Whether its one busy member carries no more than one link brings. So it may be one flow, of a
 * ring that crosses there once, whose place chance selects; the other links' traffic stays below.
 */
static bool may_be_one_flow(const struct diag_run *r, const struct ecmp_group *g)
{
	const struct device *d = r->m->devices.at[g->device];
	double most = 0;

	if (g->idle + 1 < g->n)
		return false;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct sample *s = window_last(r->w, d->ports.at[i]);

		if (s && s->rx_bps > most && !is_member(g, d->ports.at[i]))
			most = (double)s->rx_bps;
	}
	return g->most <= ONE_FLOW * most;
}

/* Counts idle groups among n possible twins. */
static void count_idle(
	const struct diag_run *r, const struct candidate *c, size_t n, struct tier_count *count)
{
	for (size_t i = 0; i < n; i++) {
		const struct ecmp_group *g = c[i].g;
		struct tier_count *t = &count[r->m->devices.at[g->device]->tier];

		t->loaded++;
		if (g->idle < IDLE_SHARE * (double)g->n || !has_twin(r, c, n, i) ||
			may_be_one_flow(r, g))
			continue;
		t->idle++;
		t->spreading += device_spreads(r->m->devices.at[g->device]);
		t->idle_members += g->idle;
		t->members += (double)g->n;
	}
}

/* Adaptive routing, spraying: members are idle because few are needed, not because of a hash. */
static void mute_spreading(struct finding *f, const struct tier_count *c)
{
	if (!c->spreading)
		return;
	f->severity = SEV_OK;
	f->role = ROLE_RISK;
	finding_title(f,
		"idle members on %u of %u switches: not the hash, %u of them spread packets "
		"adaptively",
		c->idle, c->loaded, c->spreading);
	finding_number(f, f->at, "switches that spread packets adaptively", c->spreading, "",
		"the hash alone does not choose the path", "config");
}

static void claim_polarisation(struct diag_run *r, enum tier tier, const struct tier_count *c)
{
	struct finding *f = diag_claim(
		r, FIND_ECMP_POLARISATION, (struct ref){.kind = REF_TIER, .tier = (uint8_t)tier});

	finding_title(f, "ECMP polarisation: %u of %u %s switches have idle members", c->idle,
		c->loaded, tier_name(tier));
	finding_number(f, f->at, "switches with idle members", c->idle, "", "> 60%", "counter");
	finding_number(f, f->at, "switches with load", c->loaded, "", "", "counter");
	finding_number(f, f->at, "members that are idle there", c->idle_members / c->members * 100,
		"%", "> 30%", "counter");
	finding_weigh(f, SIGNAL_LOAD, 150);
	finding_refute(f, FIND_ECMP_COLLISION, f->at, "most switches have it at the same time");
	mute_spreading(f, c);
}

/* ---- parallel links below a switch ---- */

struct parallel_count {
	unsigned loaded, idle, alike, switches, spreading;
};

static unsigned count_inputs(const struct ecmp_member *at, size_t n)
{
	unsigned inputs = 0;

	for (size_t i = 0; i < n; i++)
		inputs += at[i].received > LOAD_LEAST * at[i].speed_bps;
	return inputs;
}

void ecmp_polarisation_digest_parallel(struct diag_run *r, const struct device *d)
{
	struct ecmp_kept *k = &ecmp_memory_of(r)->kept.at[d->id];

	for (size_t i = 0; i < k->parallel.n; i++)
		ecmp_polarisation_digest(&k->parallel.at[i]);
	k->inputs =
		count_inputs(k->members.at, k->members.n) + count_inputs(k->below.at, k->below.n);
}

static bool leaves_idle(const struct ecmp_group *g)
{
	return g->whole && g->idle >= IDLE_SHARE * (double)g->n;
}

static bool idle_places_agree(const struct ecmp_group *a, const struct ecmp_group *b)
{
	if (a->n != b->n || a->idle != b->idle)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (is_idle(a, i, a->most) != is_idle(b, i, b->most))
			return false;
	return true;
}

/* The most groups of one switch that leave the same places idle. */
static unsigned count_alike(const struct ecmp_group *g, size_t n)
{
	unsigned most = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned alike = 0;

		for (size_t k = 0; k < n && leaves_idle(&g[i]); k++)
			alike += leaves_idle(&g[k]) && idle_places_agree(&g[i], &g[k]);
		most = alike > most ? alike : most;
	}
	return most;
}

static void count_parallel(
	const struct diag_run *r, const struct ecmp_group *g, size_t n, struct parallel_count *c)
{
	const struct ecmp_memory *e = *r->memory;
	unsigned loaded = 0, idle = 0;

	for (size_t i = 0; i < n; i++) {
		loaded += g[i].whole;
		idle += leaves_idle(&g[i]);
	}
	c->loaded += loaded;
	if (!idle || e->kept.at[g->device].inputs < INPUTS_LEAST * loaded)
		return;
	c->idle += idle;
	c->alike += count_alike(g, n);
	c->switches++;
	c->spreading += device_spreads(r->m->devices.at[g->device]);
}

static void claim_parallel(struct diag_run *r, enum tier tier, const struct parallel_count *c)
{
	struct finding *f = diag_claim(
		r, FIND_ECMP_POLARISATION, (struct ref){.kind = REF_TIER, .tier = (uint8_t)tier});

	finding_title(f,
		"ECMP polarisation: %u of %u groups of parallel links below %s switches have idle "
		"members",
		c->idle, c->loaded, tier_name(tier));
	finding_number(f, f->at, "groups with idle members", c->idle, "", "> 60%", "counter");
	finding_number(f, f->at, "groups with load", c->loaded, "", "", "counter");
	finding_number(f, f->at, "groups that leave the same place idle", c->alike, "",
		"> 90% of them", "counter");
	finding_weigh(f, SIGNAL_LOAD, 150);
	finding_refute(f, FIND_ECMP_COLLISION, f->at, "most groups have it at the same time");
	mute_spreading(
		f, &(struct tier_count){
			   .loaded = c->switches, .idle = c->switches, .spreading = c->spreading});
}

static bool are_polarised(const struct parallel_count *c)
{
	return c->idle > SWITCHES_SHARE * c->loaded && c->alike >= ALIKE_SHARE * c->idle &&
	       c->alike >= c->switches + ALIKE_LEAST;
}

static bool parallel_polarisation(struct diag_run *r, const struct ecmp *e, const bool claimed[])
{
	struct parallel_count count[TIER_COUNT] = {{0}};
	bool any = false;

	for (size_t from = 0, to; from < e->parallel.n; from = to) {
		const struct ecmp_group *g = &e->parallel.at[from];

		for (to = from + 1; to < e->parallel.n && e->parallel.at[to].device == g->device;
			to++)
			;
		count_parallel(r, g, to - from, &count[r->m->devices.at[g->device]->tier]);
	}
	for (unsigned t = 0; t < TIER_COUNT; t++) {
		if (claimed[t] || !are_polarised(&count[t]))
			continue;
		claim_parallel(r, (enum tier)t, &count[t]);
		any = true;
	}
	return any;
}

bool ecmp_polarisation(struct diag_run *r, const struct ecmp *e)
{
	struct tier_count count[TIER_COUNT] = {{0}};
	candidate_vec all = {0};
	bool claimed[TIER_COUNT] = {false}, any = false;

	find_candidates(r, e, &all);
	for (size_t from = 0, to; from < all.n; from = to) {
		for (to = from + 1; to < all.n && are_alike(&all.at[from], &all.at[to]); to++)
			;
		count_idle(r, all.at + from, to - from, count);
	}
	vec_free(&all);
	for (unsigned t = 0; t < TIER_COUNT; t++) {
		if (count[t].idle < SWITCHES_LEAST ||
			count[t].idle <= SWITCHES_SHARE * count[t].loaded)
			continue;
		claim_polarisation(r, (enum tier)t, &count[t]);
		claimed[t] = any = true;
	}
	return parallel_polarisation(r, e, claimed) || any;
}
