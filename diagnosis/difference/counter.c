/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/difference/difference_internal.h"
#include "diagnosis/engine/quickselect.h"
#include "fabric/vocabulary/counters.h"

/* With fewer samples the usual range is unknown. */
#define BAND_SAMPLES 10
/* MAD of a normal distribution times this is its standard deviation. */
#define MAD_SIGMA 1.4826

/* The usual range of a rate at the first moment. half: from the middle to the edge. */
struct band {
	double middle, half;
};

/*
 * The smallest rate worth showing, a second. For pauses a thousandth of the time: 12 PFC frames at
 * 400G pause a link that long. Else 1 MB, ten events of a counter of work, or one event in ten
 * seconds of a counter of trouble.
 */
static double least_rate(enum counter_id id)
{
	if (counter_info[id].trend == TREND_BAD)
		return 0.1;
	switch (counter_info[id].unit) {
	case UNIT_BYTES:
		return 1e6;
	case UNIT_US:
		return 1e3;
	default:
		return 10;
	}
}

/* The history of the counter at the first moment. */
struct past {
	struct history_set *set;
	const struct port *port;
	enum counter_id id;
	unsigned sub;
};

static size_t read_samples(const struct past *past, double *at)
{
	unsigned all;
	const float *v;
	size_t n = 0;

	history_set_read(past->set, past->port);
	v = history_set_of(past->set, past->id, past->sub, &all);
	for (unsigned i = 0; i < all; i++)
		if (!isnan(v[i]))
			at[n++] = (double)v[i];
	return n;
}

/*
 * was, is: the rates of the two moments. False: there is no band, the rate is within it, or it
 * equals the rate of the first moment. The spread is computed only when the rate is far enough
 * from the middle: most are not.
 */
static bool leaves_band(
	const struct past *past, double was, double is, double lowest, struct band *out)
{
	double at[HISTORY_LEN], away;
	size_t n = read_samples(past, at);

	if (n < BAND_SAMPLES)
		return false;
	out->middle = quickselect(at, n, n / 2);
	out->half = fmax(out->middle / 20, lowest);
	away = fabs(is - out->middle);
	if (!(away > out->half) || !(fabs(is - was) > out->half))
		return false;
	for (size_t i = 0; i < n; i++)
		at[i] = fabs(at[i] - out->middle);
	out->half += 3 * MAD_SIGMA * quickselect(at, n, n / 2);
	return away > out->half;
}

static void rate_text(enum counter_id id, double rate, char *dst, size_t size)
{
	const char *unit = unit_name(counter_info[id].unit);
	char si[16];

	if (counter_info[id].unit == UNIT_US) {
		(void)str_printf(dst, size, "%s%% of time", STR_NUMBER(rate / 1e4));
		return;
	}
	(void)str_printf(dst, size, "%s %s/s", str_si(rate, si, sizeof(si)), unit);
}

/* Growth of trouble and congestion counters is worse; of bytes it is neither. */
static enum severity severity_of(enum counter_id id, bool more)
{
	bool congestion = counter_info[id].unit == UNIT_FRAMES ||
			  counter_info[id].unit == UNIT_US || id == CTR_ECN_MARKED_PACKETS ||
			  id == CTR_ECN_MARKED_ROCE_PACKETS || id == CTR_CNP_SENT ||
			  id == CTR_CNP_HANDLED;

	if (counter_info[id].trend == TREND_BAD || congestion)
		return more ? SEV_WARN : SEV_UNKNOWN;
	return SEV_OK;
}

static void add_difference(
	struct differ *x, enum counter_id id, unsigned sub, double rate, const struct band *band)
{
	enum severity s = severity_of(id, rate > band->middle);
	struct difference *d = differ_add(x, DIFF_COUNTER, s, counter_info[id].name);

	if (s == SEV_UNKNOWN)
		differ_better(d);
	if (counter_dim_size(id) > 1)
		(void)str_printf(d->what, sizeof(d->what), "%s[%u]", counter_info[id].name, sub);
	rate_text(id, band->middle, d->before, sizeof(d->before));
	rate_text(id, rate, d->after, sizeof(d->after));
	d->number = fabs(rate - band->middle) / band->half;
}

static void differ_counter(struct differ *x, const struct port *a, const struct cell *now,
	enum counter_id id, unsigned sub)
{
	const struct cell *was = port_cell(a, id, sub);
	const struct past past = {x->past, a, id, sub};
	struct band band = {0, least_rate(id)};
	double rate = (double)now->rate;

	if (!was || was->valid != VALID_OK || isnan(was->rate) || isnan(rate))
		return;
	if (was->chart && leaves_band(&past, (double)was->rate, rate, least_rate(id), &band)) {
		add_difference(x, id, sub, rate, &band);
		return;
	}
	/* A counter that never moved has no history: it was silent. */
	band = (struct band){0, least_rate(id)};
	if ((!was->chart || counter_info[id].trend == TREND_BAD) && !(was->rate > 0) &&
		(rate > band.half || (counter_info[id].trend == TREND_BAD && rate > 0)) &&
		(counter_info[id].trend == TREND_BAD || counter_charted(id)))
		add_difference(x, id, sub, rate, &band);
}

void differ_counters(struct differ *x, const struct port *a, const struct port *b)
{
	const struct device *da = model_dev_of(x->a->m, a), *db = model_dev_of(x->b->m, b);

	/* Rates of a device that does not answer belong to another moment. */
	if (da->state > DEV_LATE || db->state > DEV_LATE || device_blind(da) || device_blind(db))
		return;
	for (unsigned id = 0; id < COUNTER_COUNT; id++) {
		const struct counter_info *info = &counter_info[id];

		if (info->kind != KIND_COUNT ||
			(info->trend != TREND_BAD && !counter_charted((enum counter_id)id)))
			continue;
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++) {
			const struct cell *c = port_cell(b, (enum counter_id)id, sub);

			if (c && c->valid == VALID_OK)
				differ_counter(x, a, c, (enum counter_id)id, sub);
		}
	}
}
