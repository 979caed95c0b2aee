/* SPDX-License-Identifier: Apache-2.0 */
#include "views/outlier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/common.h"

/*
 * Smaller differences are noise: among eight nearly equal numbers the deviation is almost zero, and
 * every number would be odd.
 */
#define LOSS_DIFFERENCE   0.5 /* packets per second */
#define PAUSED_DIFFERENCE 1.0 /* per cent of time: pauses begin to matter here */
#define RATE_DIFFERENCE   5.0 /* per cent of line rate */

/* A bond without RDMA has no rail, and neither have its slaves. */
static bool is_nic(const struct model *m, const struct port *p)
{
	const struct port *bond = port_is_bond(p) ? p : port_bond(m, p);

	if (!bond)
		return true;
	if (!port_cell(bond, CTR_CNP_HANDLED, 0))
		return port_cell(p, CTR_CNP_HANDLED, 0) != NULL;
	return bond == p;
}

void host_nics(const struct model *m, const struct device *d, const struct port *nics[ODD_NICS])
{
	size_t place = 0;

	for (size_t i = 0; i < ODD_NICS; i++)
		nics[i] = NULL;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->rail >= 0 && p->rail < ODD_NICS && !nics[p->rail])
			nics[p->rail] = p;
	}
	for (size_t i = 0; i < d->ports.n && place < ODD_NICS; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (!is_nic(m, p))
			continue;
		if (p->rail < 0 && !nics[place])
			nics[place] = p;
		place++;
	}
}

static int compare_doubles(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

/* Sorts v. */
static double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

int outlier_value(const double *v, size_t n, double min_difference, double *median)
{
	double known[ODD_NICS], mid, mad, furthest = 0;
	size_t used = 0;
	int odd = -1;

	for (size_t i = 0; i < n && i < ODD_NICS; i++)
		if (!isnan(v[i]))
			known[used++] = v[i];
	if (used < ODD_MIN)
		return -1;
	mid = median_of(known, used);
	for (size_t i = 0; i < used; i++)
		known[i] = fabs(known[i] - mid);
	mad = median_of(known, used);
	for (size_t i = 0; i < n && i < ODD_NICS; i++) {
		double away = fabs(v[i] - mid);

		if (away > ODD_MADS * mad && away >= min_difference && away > furthest) {
			furthest = away;
			odd = (int)i;
		}
	}
	if (median)
		*median = mid;
	return odd;
}

/* A port that is down (or up) while most of the others are not. */
static bool odd_state(const struct port *const nics[ODD_NICS], struct outlier *out)
{
	unsigned up = 0, down = 0;
	enum oper lonely;

	for (size_t i = 0; i < ODD_NICS; i++) {
		up += nics[i] && nics[i]->oper == OPER_UP;
		down += nics[i] && nics[i]->oper == OPER_DOWN;
	}
	if (!up || !down || up == down || up + down < ODD_MIN)
		return false;
	lonely = down < up ? OPER_DOWN : OPER_UP;
	for (size_t i = 0; i < ODD_NICS; i++) {
		if (!nics[i] || nics[i]->oper != lonely)
			continue;
		out->nic = (int)i;
		(void)str_printf(out->text, sizeof(out->text), "%.40s: link %s", nics[i]->name,
			oper_name(lonely));
		return true;
	}
	return false;
}

static double loss_rate(const struct model *m, const struct port *p)
{
	(void)m;
	return known_sum(port_drop_rate(p), port_rate(p, CTR_OUT_OF_SEQUENCE, 0));
}

static double paused_percent(const struct model *m, const struct port *p)
{
	uint8_t mask = lossless_priorities(&m->lossless);

	return fmax(
		port_paused_max(p, mask, DIR_RX).percent, port_paused_max(p, mask, DIR_TX).percent);
}

static double receive_percent(const struct model *m, const struct port *p)
{
	(void)m;
	return port_utilisation(p, DIR_RX) * 100;
}

struct comparison {
	double (*value)(const struct model *m, const struct port *p);
	double min_difference;
	const char *name;
	bool percent;
	bool only_above; /* less loss than the others is not odd */
};
static const struct comparison comparisons[] = {
	{loss_rate, LOSS_DIFFERENCE, "loss/s", false, true},
	{paused_percent, PAUSED_DIFFERENCE, "paused", true, true},
	{receive_percent, RATE_DIFFERENCE, "rx", true, false},
};

static void number_text(const struct comparison *c, double v, char *dst, size_t size)
{
	if (c->percent)
		(void)percent_text(v, dst, size);
	else
		(void)str_si(v, dst, size);
}

static bool odd_number(const struct comparison *c, const struct model *m,
	const struct port *const nics[ODD_NICS], struct outlier *out)
{
	double v[ODD_NICS], median = NAN;
	char own[16], others[16];
	int i;

	for (size_t n = 0; n < ODD_NICS; n++)
		v[n] = nics[n] ? c->value(m, nics[n]) : NAN;
	i = outlier_value(v, ODD_NICS, c->min_difference, &median);
	if (i < 0 || (c->only_above && v[i] < median))
		return false;
	out->nic = i;
	number_text(c, v[i], own, sizeof(own));
	number_text(c, median, others, sizeof(others));
	(void)str_printf(out->text, sizeof(out->text), "%.40s: %s %s (others %s)", nics[i]->name,
		c->name, own, others);
	return true;
}

struct outlier outlier_find(const struct model *m, const struct port *const nics[ODD_NICS])
{
	struct outlier out = {.nic = -1};

	if (odd_state(nics, &out))
		return out;
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
		if (odd_number(&comparisons[i], m, nics, &out))
			return out;
	return out;
}
