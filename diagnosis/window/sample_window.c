/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/window/sample_window.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "diagnosis/window/sample_window_internal.h"
#include "fabric/model/cell_at.h"
#include "fabric/model/rate.h"
#include "fabric/vocabulary/counters.h"

#define STALE_INTERVALS 2.5
/* Caps the period: a gap in the samples is no long period. */
#define PERIOD_MOST_US (60 * CLOCK_SEC)
/* Time constant of loads: the weight of traffic drops by e in this time; see window_load(). */
#define LOAD_SECONDS 300.0

struct sample_windows *windows_new(void)
{
	return mem_calloc(1, sizeof(struct sample_windows));
}

void windows_free(struct sample_windows *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->peaks.n; i++)
		free(w->peaks.at[i]);
	vec_free(&w->peaks);
	for (unsigned i = 0; i < WINDOW_MARKS; i++)
		vec_free(&w->marks[i]);
	vec_free(&w->tracks);
	vec_free(&w->until_us);
	vec_free(&w->last);
	vec_free(&w->following);
	w->rings.at = mem_pages(w->rings.at, w->rings.size * sizeof(*w->rings.at), 0);
	vec_free(&w->samples);
	free(w);
}

/* Grows in steps and relies on zeroed pages: writing the rings of a large fabric would delay a
 * key. */
static void grow_rings(struct sample_windows *w)
{
	size_t n = w->tracks.n * WINDOW_SAMPLES, was = w->rings.size;

	if (n <= was)
		return;
	/* Doubles, because devices add their ports one after the other. */
	w->rings.size = was && n < 2 * was ? 2 * was : n;
	w->rings.at = mem_pages(
		w->rings.at, was * sizeof(*w->rings.at), w->rings.size * sizeof(*w->rings.at));
}

void windows_grow(struct sample_windows *w, size_t ports)
{
	if (w->tracks.n >= ports)
		return;
	while (w->tracks.n < ports) {
		(void)vec_add(&w->tracks);
		vec_push(&w->peaks, NULL);
		vec_push(&w->until_us, INT64_MIN);
		vec_push(&w->last, 0);
		vec_push(&w->following, 0);
	}
	for (unsigned i = 0; i < WINDOW_MARKS; i++)
		while (w->marks[i].n * 64 < ports)
			vec_push(&w->marks[i], 0);
	grow_rings(w);
}

static void set_mark(struct sample_windows *w, enum window_mark mark, uint32_t port, bool on)
{
	uint64_t bit = UINT64_C(1) << (port % 64), *word = &w->marks[mark].at[port / 64];

	*word = on ? *word | bit : *word & ~bit;
}

void windows_mark(struct sample_windows *w, uint32_t port)
{
	const struct sample *s = &w->rings.at[(size_t)port * WINDOW_SAMPLES + w->last.at[port]];

	set_mark(
		w, WINDOW_PAUSING, port, s->held > PAUSE_HELD_LEAST || s->holds > PAUSE_HELD_LEAST);
	set_mark(w, WINDOW_LOSING, port, s->lossless_drops > 0);
}

uint32_t window_marked(const struct sample_windows *w, enum window_mark mark, uint32_t from)
{
	size_t i = from / 64;
	uint64_t word;

	if (i >= w->marks[mark].n)
		return PORT_NONE;
	word = w->marks[mark].at[i] & (~UINT64_C(0) << (from % 64));
	while (!word && ++i < w->marks[mark].n)
		word = w->marks[mark].at[i];
	return word ? (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(word) : PORT_NONE;
}

static void make_room(struct sample_windows *w, const struct model *m)
{
	while (w->samples.n < m->devices.n)
		vec_push(&w->samples, 0);
	windows_grow(w, m->ports.n);
}

/*
 * Wall time of the refresh of the port's numbers. Two other events also give a sample. First, the
 * port has stood still so long that it counts as idle. Second, its counters restart: then the
 * values before the reset must not count as current.
 */
static int64_t refresh_of(const struct port *p)
{
	const struct cell *c = cell_at(p, CTR_RX_BYTES, 0);
	int64_t moved = port_moved_us(p, GROUP_PORT), seen = c ? cell_seen_us(p, c) : 0;
	int64_t nic = port_moved_us(p, GROUP_NIC);

	/* In a pod a NIC may count its RoCE errors alone. */
	if (c && c->valid == VALID_UNSUPPORTED && nic > moved)
		return nic;
	if (!c || seen <= moved)
		return moved;
	return c->valid == VALID_RESET || seen - moved > RATE_HOLD_US ? seen : moved;
}

static struct sample *ring_of(struct sample_windows *w, uint32_t port)
{
	return &w->rings.at[(size_t)port * WINDOW_SAMPLES];
}

static struct sample *newest_of(const struct sample_windows *w, uint32_t port)
{
	const struct track *t = &w->tracks.at[port];

	return &w->rings.at[(size_t)port * WINDOW_SAMPLES +
			    (t->next + WINDOW_SAMPLES - 1U) % WINDOW_SAMPLES];
}

static bool has_peaks(const struct port *p)
{
	const uint8_t *subs = p->layout->subs;

	return subs[CTR_QUEUE_WATERMARK_BYTES] || subs[CTR_PG_WATERMARK_BYTES] ||
	       subs[CTR_HEADROOM_WATERMARK_BYTES];
}

static void read_into(struct sample_windows *w, struct sample *s, const struct model *m,
	const struct port *p, int64_t now_us)
{
	static const struct peaks none;
	struct peaks nothing = none, *k = &nothing;

	if (!w->peaks.at[p->id] && has_peaks(p))
		w->peaks.at[p->id] = mem_calloc(1, sizeof(struct peaks));
	if (w->peaks.at[p->id])
		k = w->peaks.at[p->id];
	sample_read(s, k, &w->tracks.at[p->id].downs, m, p, m->devices.at[p->device]->interval_us,
		now_us);
}

static void add_load(double *sum, double *seconds, float bps, double dt, double decay)
{
	if (isnan(bps))
		return;
	*sum = *sum * decay + (double)bps * dt;
	*seconds = *seconds * decay + dt;
}

static void note_load(struct track *t, const struct sample *s)
{
	double dt = (double)s->dt_s, decay;

	if (!(dt > 0))
		return;
	/* After a long time without polls the old load is obsolete. */
	if (dt > LOAD_SECONDS) {
		t->tx_sum = t->tx_s = t->rx_sum = t->rx_s = t->seen_s = 0;
		return;
	}
	decay = exp(-dt / LOAD_SECONDS);
	add_load(&t->tx_sum, &t->tx_s, s->tx_bps, dt, decay);
	add_load(&t->rx_sum, &t->rx_s, s->rx_bps, dt, decay);
	if (!isnan(s->tx_bps) || !isnan(s->rx_bps))
		t->seen_s += dt;
}

/* Age limit of a sample: from the interval, or from the device's own period if that is longer. */
static int64_t stale_after_us(const struct sample_windows *w, uint32_t port, int64_t interval_us)
{
	const struct track *t = &w->tracks.at[port];
	const struct sample *ring = &w->rings.at[(size_t)port * WINDOW_SAMPLES];
	double period = (double)PERIOD_MOST_US;

	for (unsigned i = 0; i < t->used; i++)
		period = fmin(period, (double)ring[i].dt_s * 1e6);
	if (t->used < 2 || period < (double)interval_us)
		period = (double)interval_us;
	return (int64_t)(period * STALE_INTERVALS);
}

static void take_sample(
	struct sample_windows *w, const struct model *m, const struct port *p, int64_t now_us)
{
	struct track *t = &w->tracks.at[p->id];
	struct sample *s = &ring_of(w, p->id)[t->next];
	float dt = NAN;

	if (t->used)
		dt = (float)(now_us - newest_of(w, p->id)->at_us) / 1e6F;
	memset(s, 0, sizeof(*s));
	s->at_us = now_us;
	s->dt_s = dt;
	t->next = (uint8_t)((t->next + 1) % WINDOW_SAMPLES);
	t->used = (uint8_t)(t->used < WINDOW_SAMPLES ? t->used + 1 : WINDOW_SAMPLES);
	read_into(w, s, m, p, now_us);
	note_load(t, s);
	w->last.at[p->id] = (uint8_t)(s - ring_of(w, p->id));
	w->until_us.at[p->id] =
		now_us + stale_after_us(w, p->id, m->devices.at[p->device]->interval_us);
	windows_follow(w, p->id);
}

/* A second answer of the same sweep: bytes and pauses may come by two requests. */
static void complete_sample(
	struct sample_windows *w, const struct model *m, const struct port *p, int64_t now_us)
{
	struct sample *s = newest_of(w, p->id);
	unsigned flaps = s->flaps;

	read_into(w, s, m, p, now_us);
	flaps += s->flaps;
	s->flaps = (uint8_t)(flaps < UINT8_MAX ? flaps : UINT8_MAX);
}

unsigned windows_note(
	struct sample_windows *w, const struct model *m, uint32_t device, int64_t now_us)
{
	const struct device *d = m->devices.at[device];
	unsigned taken = 0;

	make_room(w, m);
	w->now_us = now_us;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];
		struct track *t = &w->tracks.at[p->id];
		int64_t moved = refresh_of(p);

		if (p->merged || !moved || moved == t->moved_us)
			continue;
		t->moved_us = moved;
		if (t->used && now_us - newest_of(w, p->id)->at_us < d->interval_us / 2) {
			complete_sample(w, m, p, now_us);
		} else {
			take_sample(w, m, p, now_us);
			taken++;
		}
		windows_mark(w, p->id);
	}
	w->samples.at[device] += taken != 0;
	return taken;
}

const struct sample *window_last(const struct sample_windows *w, uint32_t port)
{
	if (port >= w->until_us.n || w->now_us > w->until_us.at[port])
		return NULL;
	return &w->rings.at[(size_t)port * WINDOW_SAMPLES + w->last.at[port]];
}

int64_t windows_until(const struct sample_windows *w, const struct device *d)
{
	int64_t until = INT64_MAX;

	for (size_t i = 0; i < d->ports.n; i++) {
		uint32_t port = d->ports.at[i];

		if (port < w->until_us.n && w->now_us <= w->until_us.at[port] &&
			w->until_us.at[port] < until)
			until = w->until_us.at[port];
	}
	return until;
}

void windows_follow(struct sample_windows *w, uint32_t port)
{
	const struct sample *ring = &w->rings.at[(size_t)port * WINDOW_SAMPLES];
	unsigned newest = WINDOW_SAMPLES + w->last.at[port], n = 1;
	double most_s = (double)(w->until_us.at[port] - ring[w->last.at[port]].at_us) / 1e6;

	while (n < w->tracks.at[port].used &&
		!((double)ring[(newest - n + 1) % WINDOW_SAMPLES].dt_s > most_s))
		n++;
	w->following.at[port] = (uint8_t)n;
}

const struct sample *window_ago(const struct sample_windows *w, uint32_t port, unsigned k)
{
	if (port >= w->until_us.n || w->now_us > w->until_us.at[port] || k >= w->following.at[port])
		return NULL;
	return &w->rings.at[(size_t)port * WINDOW_SAMPLES +
			    (WINDOW_SAMPLES + w->last.at[port] - k) % WINDOW_SAMPLES];
}

uint32_t window_device_samples(const struct sample_windows *w, uint32_t device)
{
	return device < w->samples.n ? w->samples.at[device] : 0;
}

struct window_load window_load_over(const struct sample_windows *w, uint32_t port, double least_s)
{
	struct window_load load = {(double)NAN, (double)NAN, 0};
	const struct track *t;

	if (port >= w->tracks.n)
		return load;
	t = &w->tracks.at[port];
	load.seconds = t->seen_s;
	if (t->seen_s < least_s)
		return load;
	if (t->tx_s > 0)
		load.tx_bps = t->tx_sum / t->tx_s;
	if (t->rx_s > 0)
		load.rx_bps = t->rx_sum / t->rx_s;
	return load;
}

struct window_load window_load(const struct sample_windows *w, uint32_t port)
{
	return window_load_over(w, port, LOAD_SECONDS);
}

void windows_at(struct sample_windows *w, const struct model *m, int64_t now_us)
{
	make_room(w, m);
	w->now_us = now_us;
}
