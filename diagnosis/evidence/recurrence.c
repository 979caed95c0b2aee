/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/recurrence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/nets.h"
#include "fabric/vocabulary/counters.h"

#define COLUMNS_MOST    720
#define PAUSED_FLOOR    10000.0 /* us per second: 1 % */
#define FRAMES_FLOOR    10.0    /* PFC frames per second, where durations are not counted */
#define TRAFFIC_FLOOR   125.0e6 /* bytes per second: 1 Gb/s */
#define DOWN_FLOOR      1e-9    /* any time down */
#define INTERVALS_LEAST 5       /* fewer agree by chance */
#define PERIOD_LEAST    4       /* columns; a shorter one cannot be told from its multiples */
#define REGULAR         0.8     /* share of the intervals that agree */
#define SAME_PERIOD     0.1     /* two periods that differ by less are one */

static int by_size(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

/* Columns that agree with a period of `median` columns; one missed beginning counts as two periods.
 */
static unsigned periods_in(unsigned interval, double median)
{
	double room = fmax(1, 0.15 * median);

	for (unsigned k = 1; k <= 2; k++)
		if (fabs(interval - k * median) <= room)
			return k;
	return 0;
}

/* The mean of the intervals that agree, in columns; NAN: too few do. */
static double rhythm_of(unsigned *intervals, unsigned n)
{
	unsigned agree = 0, periods = 0, columns = 0, middle = n / 2;
	double median;

	if (n < INTERVALS_LEAST)
		return NAN;
	qsort(intervals, n, sizeof(*intervals), by_size);
	median = intervals[middle];
	if (median < PERIOD_LEAST)
		return NAN;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = periods_in(intervals[i], median);

		agree += k > 0;
		periods += k;
		columns += k ? intervals[i] : 0;
	}
	return agree >= REGULAR * n ? (double)columns / periods : NAN;
}

static bool is_known(const struct history_column *c, double width_s)
{
	/* A sum over longer than a column says nothing about the column. */
	return !c->gap && !isnan(c->mean) &&
	       (!c->coarse || width_s * CLOCK_SEC >= (double)HISTORY_STEP_US);
}

void recurrence_of(const struct history_column *c, unsigned n, double width_s, double floor,
	struct recurrence *out)
{
	unsigned intervals[COLUMNS_MOST], nintervals = 0, begun = 0;
	bool on = false, known = false, has_begun = false;
	double most = 0, limit;

	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < n; i++)
		if (is_known(&c[i], width_s)) {
			most = fmax(most, c[i].mean);
			out->known_s += width_s;
		}
	limit = fmax(most / 2, floor);
	for (unsigned i = 0; i < n; i++) {
		bool was_known = known, was_on = on;

		known = is_known(&c[i], width_s);
		if (!known) {
			on = has_begun = false;
			continue;
		}
		on = c[i].mean >= (was_on ? limit / 2 : limit);
		if (!on || was_on)
			continue;
		out->bursts++;
		if (has_begun && nintervals < COLUMNS_MOST)
			intervals[nintervals++] = i - begun;
		/* A burst that was there before has no known beginning. */
		has_begun = was_known;
		begun = i;
	}
	out->period_s = rhythm_of(intervals, nintervals) * width_s;
}

/* ---- of a port ---- */

struct series {
	const struct model *m;
	int64_t end_us, width_us;
	struct history_column columns[COLUMNS_MOST];
};

static void recurrence_at(struct series *s, const struct port *p, counter_id id, unsigned sub,
	double floor, struct recurrence *out)
{
	unsigned n = (unsigned)(HISTORY_WHOLE_US / s->width_us);

	n = n < COLUMNS_MOST ? n : COLUMNS_MOST;
	memset(out, 0, sizeof(*out));
	out->period_s = NAN;
	if (history_columns(p, id, sub, s->end_us, s->width_us, s->columns, n))
		recurrence_of(s->columns, n, (double)s->width_us / CLOCK_SEC, floor, out);
}

/* A rhythm says more than many bursts, and those more than few. */
static void keep_better(struct recurrence *best, const struct recurrence *r)
{
	bool rhythm = !isnan(r->period_s), had = !isnan(best->period_s);

	if (rhythm != had ? rhythm : r->bursts > best->bursts)
		*best = *r;
}

static void pauses_at(struct series *s, const struct port *p, struct recurrence *best)
{
	static const struct {
		counter_id id;
		double floor;
	} kinds[] = {{CTR_PFC_RX_DURATION_US, PAUSED_FLOOR}, {CTR_PFC_TX_DURATION_US, PAUSED_FLOOR},
		{CTR_PFC_RX_FRAMES, FRAMES_FLOOR}, {CTR_PFC_TX_FRAMES, FRAMES_FLOOR}};
	uint8_t lossless = lossless_priorities(&s->m->lossless);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (unsigned left = lossless; left; left &= left - 1) {
			struct recurrence r;

			recurrence_at(s, p, kinds[i].id, (unsigned)__builtin_ctz(left),
				kinds[i].floor, &r);
			keep_better(best, &r);
		}
}

static bool same_period(const struct recurrence *a, const struct recurrence *b)
{
	return fabs(a->period_s - b->period_s) <= SAME_PERIOD * a->period_s;
}

static bool traffic_is_like(struct series *s, const struct port *p, const struct recurrence *r)
{
	struct recurrence rx, tx;

	recurrence_at(s, p, CTR_RX_BYTES, 0, TRAFFIC_FLOOR, &rx);
	recurrence_at(s, p, CTR_TX_BYTES, 0, TRAFFIC_FLOOR, &tx);
	return same_period(r, &rx) || same_period(r, &tx);
}

static bool storage_is_like(struct series *s, const struct device *d, const struct recurrence *r)
{
	for (size_t i = 0; d->tier == TIER_HOST && i < d->ports.n; i++) {
		const struct port *p = s->m->ports.at[d->ports.at[i]];

		if (port_net(s->m, p) == NET_STORAGE && traffic_is_like(s, p, r))
			return true;
	}
	return false;
}

static enum recurs_with find_like(
	struct series *s, const struct port *const ends[2], const struct recurrence *r)
{
	for (size_t i = 0; i < 2; i++)
		if (ends[i] && storage_is_like(s, model_dev_of(s->m, ends[i]), r))
			return RECURS_STORAGE;
	for (size_t i = 0; i < 2; i++)
		if (ends[i] && traffic_is_like(s, ends[i], r))
			return RECURS_TRAFFIC;
	return RECURS_ALONE;
}

static bool is_about_pauses(enum finding_id id)
{
	enum finding_family f = finding_info[id].family;

	return f == FAMILY_PFC || f == FAMILY_CONGESTION || f == FAMILY_QOS ||
	       id == FIND_SLOW_RECEIVER || id == FIND_PCIE_BOUND;
}

bool finding_recurrence(
	const struct model *m, const struct finding *f, int64_t now_us, struct recurrence *out)
{
	const struct port *ends[2] = {ref_port(m, f->at), ref_port(m, f->peer)};
	struct series *s;

	memset(out, 0, sizeof(*out));
	out->period_s = NAN;
	if (!ends[0] || (f->id != FIND_LINK_FLAPPING && !is_about_pauses(f->id)))
		return false;
	if (!ends[1])
		ends[1] = port_peer(m, ends[0], NULL);
	s = mem_calloc(1, sizeof(*s));
	s->m = m;
	s->end_us = now_us;
	s->width_us = model_dev_of(m, ends[0])->interval_us;
	if (s->width_us < CLOCK_SEC)
		s->width_us = CLOCK_SEC;
	for (size_t i = 0; i < 2 && ends[i]; i++) {
		struct recurrence r;

		if (f->id != FIND_LINK_FLAPPING) {
			pauses_at(s, ends[i], out);
			continue;
		}
		recurrence_at(s, ends[i], CTR_LINK_DOWN_EVENTS, 0, DOWN_FLOOR, &r);
		keep_better(out, &r);
	}
	if (!isnan(out->period_s))
		out->with = find_like(s, ends, out);
	free(s);
	return out->bursts > 1;
}

/* ---- in words ---- */

const char *recurs_with_name(enum recurs_with w)
{
	static const char *const names[] = {"nothing", "storage", "traffic"};

	return (size_t)w < sizeof(names) / sizeof(names[0]) ? names[w] : names[0];
}

char *recurrence_words(const struct recurrence *r, char *dst, size_t size)
{
	static const char *const like[] = {"", ", as the traffic to storage", ", as its traffic"};
	char known[16], period[24] = "";

	(void)str_age((int64_t)(r->known_s * CLOCK_SEC), known, sizeof(known));
	if (!isnan(r->period_s))
		(void)str_printf(period, sizeof(period), ", every %.3g s", r->period_s);
	(void)str_printf(dst, size, "%u times in %s%s%s", r->bursts, known, period,
		isnan(r->period_s) ? "" : like[r->with]);
	return dst;
}
