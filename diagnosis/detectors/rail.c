/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rail that differs from the others. In a collective all rails do the same work, so more pauses,
 * drops or flaps on one of them point at its leaves. It says where to look and blames nobody.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"

/* Reference design, row 2: above twice the median of the others. */
#define TIMES 2.0
#define RAILS 64
#define LEAST 4u /* rails, or there is no median of others */
/* Below these a rail is as calm as any (railtop's own): share of a port's time, drops, flaps. */
#define HELD_LEAST  0.02
#define DROPS_LEAST 10.0
#define FLAPS_LEAST 3.0

/* Means or sums over the ports of a rail's leaves towards hosts; NAN: no port has a sample. */
struct rail_sum {
	unsigned ports;
	double held, drops, flaps;
};

static const struct measure {
	const char *words, *what, *unit;
	size_t at;
	double least;
} measures[] = {
	{"pauses", "share of time paused", "", offsetof(struct rail_sum, held), HELD_LEAST},
	{"drops", "drops on lossless priorities", "/s", offsetof(struct rail_sum, drops),
		DROPS_LEAST},
	{"flaps", "links that went down in the last sample", "", offsetof(struct rail_sum, flaps),
		FLAPS_LEAST},
};

static void add_leaf(const struct diag_run *r, const struct device *d, struct rail_sum *sums)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct port *q = port_peer(r->m, p, NULL);
		const struct sample *s = window_last(r->w, p->id);
		int rail = p->rail >= 0 ? p->rail : d->rail;

		if (!s || rail < 0 || rail >= RAILS || !q ||
			model_dev_of(r->m, q)->tier != TIER_HOST)
			continue;
		sums[rail].ports++;
		if (s->held > 0 || s->holds > 0)
			sums[rail].held += (double)(s->held > s->holds ? s->held : s->holds);
		if (s->lossless_drops > 0)
			sums[rail].drops += (double)s->lossless_drops;
		sums[rail].flaps += s->flaps;
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double value_of(const struct rail_sum *s, const struct measure *how)
{
	double v;

	memcpy(&v, (const char *)s + how->at, sizeof(v));
	return v / (how->at == offsetof(struct rail_sum, held) && s->ports ? s->ports : 1);
}

/* The median of all rails but one; NAN: too few. */
static double median_of_others(const struct rail_sum *sums, unsigned but, const struct measure *how)
{
	double v[RAILS];
	unsigned n = 0;

	for (unsigned i = 0; i < RAILS; i++)
		if (i != but && sums[i].ports)
			v[n++] = value_of(&sums[i], how);
	if (n + 1 < LEAST)
		return NAN;
	qsort(v, n, sizeof(v[0]), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void judge_rail(
	struct diag_run *r, const struct rail_sum *sums, unsigned rail, const struct measure *how)
{
	struct ref at = {.kind = REF_RAIL, .rail = (int)rail};
	double v = value_of(&sums[rail], how), others = median_of_others(sums, rail, how);
	char limit[40];
	struct finding *f;

	if (!(v >= how->least && v > TIMES * others))
		return;
	f = diag_claim(r, FIND_RAIL_OUTLIER, at);
	(void)str_printf(limit, sizeof(limit), "<= 2 x %.3g of the others", others);
	(void)finding_number(f, at, how->what, v, how->unit, limit, "counter");
	finding_weigh(f, SIGNAL_LOAD, 2);
	if (f->evidence.n == 1)
		finding_title(f, "rail %u has more %s than the others: %.3g against %.3g", rail,
			how->words, v, others);
}

static void run_rail(struct diag_run *r)
{
	struct rail_sum sums[RAILS];

	memset(sums, 0, sizeof(sums));
	for (size_t i = 0; i < r->m->devices.n; i++)
		if (r->m->devices.at[i]->tier == TIER_LEAF &&
			r->m->devices.at[i]->net == NET_BACKEND)
			add_leaf(r, r->m->devices.at[i], sums);
	for (unsigned i = 0; i < RAILS; i++)
		for (size_t k = 0; sums[i].ports && k < sizeof(measures) / sizeof(measures[0]); k++)
			judge_rail(r, sums, i, &measures[k]);
}

const struct detector detect_rail = {"rail", run_rail, NULL, NULL, NULL};
