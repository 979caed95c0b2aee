/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All switches of a tier hash alike: the same part of the members of each is never used. Diagnosis
 * reference, section 2.3 (idle on more than 60 % of the switches) and class 22. It is structural,
 * so a few samples of the whole tier prove what five minutes of one switch would not.
 */
#include <math.h>

#include "diagnosis/ecmp.h"

#define SWITCHES_SHARE 0.6
#define SWITCHES_LEAST 3
/*
 * Polarised groups leave half of their members idle; in a healthy hour of a real fabric a member or
 * two of thirty may be, over so short a time.
 */
#define IDLE_SHARE 0.3
#define IDLE_BELOW 0.02 /* of the busiest member */
#define LOAD_LEAST 0.02 /* of the speed, the busiest member */

struct tier_count {
	unsigned loaded, idle;
	double idle_members, members;
};

/* How many members of the group carry nothing; -1: it has no load, or is not known. */
static int idle_members(const struct diag_run *r, const struct ecmp_group *g)
{
	double most = 0, speed = 0;
	int idle = 0;

	for (size_t i = 0; i < g->n; i++) {
		double rate = ecmp_recent(r->w, g->at[i].port, true);

		/* Links that are down are another finding. */
		if (!g->at[i].up || isnan(rate))
			return -1;
		most = fmax(most, rate);
		speed = fmax(speed, g->at[i].speed_bps);
	}
	if (most < LOAD_LEAST * speed)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		idle += ecmp_recent(r->w, g->at[i].port, true) < IDLE_BELOW * most;
	return idle;
}

static void claim(struct diag_run *r, enum tier tier, const struct tier_count *c)
{
	struct finding *f = diag_claim(
		r, FIND_ECMP_POLARISATION, (struct ref){.kind = REF_TIER, .tier = (uint8_t)tier});

	finding_title(f, "ECMP polarisation: %u of %u %s switches leave members idle", c->idle,
		c->loaded, tier_name(tier));
	finding_number(f, f->at, "switches with idle members", c->idle, "", "> 60 %", "counter");
	finding_number(f, f->at, "switches with load", c->loaded, "", "", "counter");
	finding_number(f, f->at, "members that are idle there", c->idle_members / c->members * 100,
		"%", "> 30 %", "counter");
	finding_weigh(f, SIGNAL_LOAD, 150);
	finding_refute(f, FIND_ECMP_COLLISION, f->at, "it is so on most switches at once");
}

bool ecmp_polarisation(struct diag_run *r, const struct ecmp *e)
{
	struct tier_count count[TIER_COUNT] = {{0}};
	bool any = false;

	for (size_t i = 0; i < e->groups.n; i++) {
		const struct ecmp_group *g = &e->groups.at[i];
		struct tier_count *c = &count[r->m->devices.at[g->device]->tier];
		int idle = idle_members(r, g);

		if (idle < 0)
			continue;
		c->loaded++;
		if (idle < IDLE_SHARE * (double)g->n)
			continue;
		c->idle++;
		c->idle_members += idle;
		c->members += (double)g->n;
	}
	for (unsigned t = 0; t < TIER_COUNT; t++) {
		if (count[t].idle < SWITCHES_LEAST ||
			count[t].idle <= SWITCHES_SHARE * count[t].loaded)
			continue;
		claim(r, (enum tier)t, &count[t]);
		any = true;
	}
	return any;
}
