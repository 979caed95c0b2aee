/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/counters.h"

#define BUCKETS_AN_HOUR (3600 * INT64_C(1000000) / TALLY_BUCKET_US)

static int64_t bucket_of(int64_t us)
{
	return us / TALLY_BUCKET_US;
}

static size_t slot_of(int64_t bucket)
{
	return (size_t)(bucket % TALLY_BUCKETS);
}

static size_t hour_slot(int64_t bucket)
{
	return (size_t)(bucket / BUCKETS_AN_HOUR % TALLY_HOURS);
}

static bool keeps_ports(enum tally_kind kind)
{
	return kind == TALLY_FLAPS || kind == TALLY_WD_DETECTED || kind == TALLY_LOSSLESS_DROPS;
}

void daily_counts_init(struct daily_counts *t)
{
	memset(t, 0, sizeof(*t));
	for (int k = 0; k < TALLY_KINDS; k++)
		for (int i = 0; i < TALLY_PORTS; i++)
			t->ports[k][i].port = UINT32_MAX;
}

/* ---- passing of time ---- */

static void port_clear_hour(struct daily_counts *t, size_t hour)
{
	for (int k = 0; k < TALLY_KINDS; k++)
		for (int i = 0; i < TALLY_PORTS; i++)
			t->ports[k][i].at[hour] = 0;
}

static void clear_all(struct daily_counts *t)
{
	memset(t->count, 0, sizeof(t->count));
	for (size_t h = 0; h < TALLY_HOURS; h++)
		port_clear_hour(t, h);
}

/* A known time (not 0) stays known. */
static void move_back(int64_t *us, int64_t by)
{
	if (*us)
		*us = *us > by ? *us - by : 1;
}

/*
 * The clock was set back. Nothing is counted twice or lost: existing counts move to the new
 * time.
 */
static void go_back(struct daily_counts *t, int64_t now_us)
{
	int64_t now = bucket_of(now_us);
	struct daily_counts was = *t;
	int64_t by = (was.bucket - now) * TALLY_BUCKET_US;

	memset(t->count, 0, sizeof(t->count));
	for (int64_t age = 0; age < TALLY_BUCKETS && age <= now && age <= was.bucket; age++)
		for (int k = 0; k < TALLY_KINDS; k++)
			t->count[k][slot_of(now - age)] = was.count[k][slot_of(was.bucket - age)];
	for (int k = 0; k < TALLY_KINDS; k++) {
		move_back(&t->since_us[k], by);
		move_back(&t->lost_us[k], by);
		for (int i = 0; i < TALLY_PORTS; i++) {
			struct daily_port *p = &t->ports[k][i];
			const struct daily_port *old = &was.ports[k][i];

			for (size_t h = 0; h < TALLY_HOURS; h++)
				p->at[(hour_slot(now) + TALLY_HOURS - h) % TALLY_HOURS] =
					old->at[(hour_slot(was.bucket) + TALLY_HOURS - h) %
						TALLY_HOURS];
			move_back(&p->last_us, by);
		}
	}
	t->bucket = now;
}

/* Makes the bucket of now the newest; those in between are empty. */
static void advance_buckets(struct daily_counts *t, int64_t now_us)
{
	int64_t now = bucket_of(now_us);

	if (now <= 0)
		return;
	/* A batch that is applied slightly late belongs to the newest bucket. */
	if (now + 1 < t->bucket)
		go_back(t, now_us);
	if (t->bucket && now - t->bucket >= TALLY_BUCKETS)
		clear_all(t);
	else
		for (int64_t b = t->bucket + 1; t->bucket && b <= now; b++) {
			for (int k = 0; k < TALLY_KINDS; k++)
				t->count[k][slot_of(b)] = 0;
			if (b % BUCKETS_AN_HOUR == 0)
				port_clear_hour(t, hour_slot(b));
		}
	if (now > t->bucket)
		t->bucket = now;
}

/* ---- counting ---- */

static uint64_t port_sum(const struct daily_counts *t, const struct daily_port *p, int64_t now)
{
	uint64_t n = 0;

	/* The newest hours are in the slots up to t->bucket; hours older than 24 have none. */
	for (int64_t h = 0; h < TALLY_HOURS; h++) {
		int64_t hour = t->bucket / BUCKETS_AN_HOUR - h;

		if (hour < 0 || hour <= now / BUCKETS_AN_HOUR - TALLY_HOURS)
			break;
		n += p->at[hour % TALLY_HOURS];
	}
	return n;
}

/* The entry of the port, a free one, or that of the port with the smallest count. */
static struct daily_port *place_for(
	struct daily_counts *t, enum tally_kind kind, uint32_t port, int64_t now_us)
{
	struct daily_port *least = NULL;
	uint64_t least_n = 0;

	for (int i = 0; i < TALLY_PORTS; i++) {
		struct daily_port *p = &t->ports[kind][i];
		uint64_t n = p->port == UINT32_MAX ? 0 : port_sum(t, p, t->bucket);

		if (p->port == port)
			return p;
		if (!least || n < least_n || (n == least_n && p->last_us < least->last_us)) {
			least = p;
			least_n = n;
		}
	}
	if (least_n)
		t->lost_us[kind] = now_us;
	memset(least, 0, sizeof(*least));
	least->port = port;
	return least;
}

void tally_watch(struct model *m, enum tally_kind kind, int64_t now_us)
{
	if (!m->tally.since_us[kind])
		m->tally.since_us[kind] = now_us;
}

void daily_counts_add(
	struct model *m, enum tally_kind kind, const struct port *p, uint64_t n, int64_t now_us)
{
	struct daily_counts *t = &m->tally;
	struct daily_port *at;
	uint32_t *hour;

	tally_watch(m, kind, now_us);
	advance_buckets(t, now_us);
	t->count[kind][slot_of(t->bucket)] += n;
	if (!p || !keeps_ports(kind))
		return;
	at = place_for(t, kind, p->id, now_us);
	at->last_us = now_us;
	hour = &at->at[hour_slot(t->bucket)];
	*hour = n > UINT32_MAX - *hour ? UINT32_MAX : *hour + (uint32_t)n;
}

static bool counts_storms(const struct port *p)
{
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		if (port_cell(p, CTR_PFCWD_STORM_DETECTED, prio))
			return true;
	return false;
}

/* Whether a counter counts each storm: then other reports of it are not counted again. */
static bool storms_counted(const struct model *m, const struct device *d, const struct port *p)
{
	if (p)
		return counts_storms(p);
	for (size_t i = 0; d && i < d->ports.n; i++)
		if (counts_storms(m->ports.at[d->ports.at[i]]))
			return true;
	return false;
}

void tally_event(struct model *m, enum event_kind kind, const struct device *d,
	const struct port *p, int64_t now_us)
{
	if (kind == EV_STORM_DETECTED || kind == EV_STORM_RESTORED) {
		if (!storms_counted(m, d, p))
			daily_counts_add(m,
				kind == EV_STORM_DETECTED ? TALLY_WD_DETECTED : TALLY_WD_RESTORED,
				p, 1, now_us);
	} else if (kind == EV_REBOOT) {
		daily_counts_add(m, TALLY_REBOOTS, p, 1, now_us);
	}
}

/* The kind for the counter and priority; TALLY_KINDS: none. */
static enum tally_kind kind_of(const struct model *m, enum counter_id id, unsigned sub)
{
	switch (id) {
	case CTR_PFCWD_STORM_DETECTED:
		return TALLY_WD_DETECTED;
	case CTR_PFCWD_STORM_RESTORED:
		return TALLY_WD_RESTORED;
	case CTR_QUEUE_DROPS:
	case CTR_PG_DROPS:
	case CTR_RX_PRIO_DISCARDS:
		return lossless_priorities(&m->lossless) & (1U << sub) ? TALLY_LOSSLESS_DROPS
								       : TALLY_KINDS;
	default:
		return TALLY_KINDS;
	}
}

void tally_growth(struct model *m, const struct port *p, counter_id id, unsigned sub,
	uint64_t delta, int64_t now_us)
{
	enum tally_kind kind = kind_of(m, id, sub);

	if (kind != TALLY_KINDS && delta)
		daily_counts_add(m, kind, p, delta, now_us);
}

/* The state word of a watchdog: one that is off detects no storm. */
static void watch_state(const struct batch *b, const struct obs_item *it)
{
	const struct port *p = it->port < b->o->ports.n ? b->ports[it->port].port : NULL;

	if (strcasecmp(obs_text(b->o, it->text), "off") == 0)
		return;
	tally_watch(b->m, TALLY_WD_DETECTED, b->now);
	/* Where a counter counts storms, their end is counted only by a counter too. */
	if (p && !counts_storms(p))
		tally_watch(b->m, TALLY_WD_RESTORED, b->now);
}

void tally_batch(const struct batch *b)
{
	struct model *m = b->m;

	tally_watch(m, TALLY_REBOOTS, b->now);
	if (b->o->bgp.n)
		tally_watch(m, TALLY_BGP_DOWNS, b->now);
	if (m->tally.since_us[TALLY_FLAPS] && m->tally.since_us[TALLY_WD_DETECTED] &&
		m->tally.since_us[TALLY_WD_RESTORED] && m->tally.since_us[TALLY_LOSSLESS_DROPS])
		return;
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];
		enum tally_kind kind = TALLY_KINDS;

		if (it->kind == OBS_COUNT && it->cell < CELL_COUNT) {
			const struct cell_info *info = &cell_info[it->cell];

			kind = kind_of(m, (enum counter_id)info->id, info->sub);
		} else if (it->kind == OBS_WORD && it->code == ATTR_OPER) {
			kind = TALLY_FLAPS;
		} else if (it->kind == OBS_WORD && it->code == ATTR_PFCWD_STATE) {
			watch_state(b, it);
		}
		if (kind != TALLY_KINDS)
			tally_watch(m, kind, b->now);
	}
}

/* ---- queries ---- */

uint64_t daily_counts_sum(const struct model *m, enum tally_kind kind, int64_t now_us,
	unsigned hours, int64_t *since_us)
{
	const struct daily_counts *t = &m->tally;
	int64_t buckets, now, from;
	uint64_t n = 0;

	hours = hours < 1 ? 1 : hours > TALLY_HOURS ? TALLY_HOURS : hours;
	buckets = (int64_t)hours * BUCKETS_AN_HOUR;
	now = bucket_of(now_us) > t->bucket ? bucket_of(now_us) : t->bucket;
	from = now_us - (int64_t)hours * 3600 * INT64_C(1000000);
	if (since_us)
		*since_us = !t->since_us[kind]         ? 0
			    : t->since_us[kind] > from ? t->since_us[kind]
						       : from;
	for (int64_t b = t->bucket; b > now - buckets && b > 0 && b > t->bucket - TALLY_BUCKETS;
		b--)
		n += t->count[kind][slot_of(b)];
	return n;
}

void daily_counts_hours(
	const struct model *m, enum tally_kind kind, int64_t now_us, uint64_t out[TALLY_HOURS])
{
	const struct daily_counts *t = &m->tally;
	int64_t now = bucket_of(now_us) > t->bucket ? bucket_of(now_us) : t->bucket;
	int64_t first = now / BUCKETS_AN_HOUR - (TALLY_HOURS - 1);

	for (int64_t h = 0; h < TALLY_HOURS; h++) {
		int64_t from = (first + h) * BUCKETS_AN_HOUR;

		out[h] = 0;
		if (!t->since_us[kind] || bucket_of(t->since_us[kind]) >= from + BUCKETS_AN_HOUR)
			out[h] = TALLY_UNKNOWN;
		for (int64_t b = from; b < from + BUCKETS_AN_HOUR; b++)
			if (out[h] != TALLY_UNKNOWN && b > 0 && b <= t->bucket &&
				b > t->bucket - TALLY_BUCKETS)
				out[h] += t->count[kind][slot_of(b)];
	}
}

/* Both ends of a link share one entry. */
static struct daily_worst *same_link(
	const struct model *m, struct daily_worst *list, size_t n, const struct port *p)
{
	const struct port *peer = port_peer(m, p, NULL);

	for (size_t i = 0; peer && i < n; i++)
		if (list[i].port == peer->id)
			return &list[i];
	return NULL;
}

static bool is_worse(const struct daily_worst *a, const struct daily_worst *b)
{
	if (a->n != b->n)
		return a->n > b->n;
	return a->last_us != b->last_us ? a->last_us > b->last_us : a->port < b->port;
}

size_t daily_counts_worst(const struct model *m, enum tally_kind kind, int64_t now_us,
	struct daily_worst *out, size_t max, bool *more)
{
	const struct daily_counts *t = &m->tally;
	int64_t now = bucket_of(now_us) > t->bucket ? bucket_of(now_us) : t->bucket;
	struct daily_worst all[TALLY_PORTS];
	size_t n = 0;

	for (int i = 0; i < TALLY_PORTS; i++) {
		const struct daily_port *p = &t->ports[kind][i];
		struct daily_worst w = {p->port, 0, p->last_us}, *twin;

		if (p->port >= m->ports.n)
			continue;
		w.n = port_sum(t, p, now);
		if (!w.n)
			continue;
		twin = same_link(m, all, n, m->ports.at[p->port]);
		if (!twin)
			all[n++] = w;
		else if (is_worse(&w, twin))
			*twin = w;
	}
	for (size_t i = 1; i < n; i++) {
		struct daily_worst w = all[i];
		size_t at = i;

		for (; at > 0 && is_worse(&w, &all[at - 1]); at--)
			all[at] = all[at - 1];
		all[at] = w;
	}
	if (more)
		*more = n > max || (t->lost_us[kind] && now_us - t->lost_us[kind] <
								TALLY_BUCKETS * TALLY_BUCKET_US);
	n = n < max ? n : max;
	memcpy(out, all, n * sizeof(*out));
	return n;
}

/* ---- serialisation ---- */

/* A wall time. Implausible values would overflow in differences. */
static void when_state(struct state *s, int64_t *us)
{
	state_i64(s, us);
	if (*us < 0 || *us > INT64_MAX / 4)
		s->bad = true;
}

static void port_state(struct state *s, struct daily_port *p)
{
	state_u32(s, &p->port);
	if (s->loading && s->bad)
		p->port = UINT32_MAX;
	if (p->port == UINT32_MAX)
		return;
	when_state(s, &p->last_us);
	for (int h = 0; h < TALLY_HOURS; h++)
		state_u32(s, &p->at[h]);
}

void daily_counts_state(struct state *s, struct daily_counts *t)
{
	if (s->loading)
		daily_counts_init(t);
	state_i64(s, &t->bucket);
	if (t->bucket < 0 || t->bucket > INT64_MAX / TALLY_BUCKET_US)
		s->bad = true;
	for (int k = 0; k < TALLY_KINDS; k++) {
		when_state(s, &t->since_us[k]);
		when_state(s, &t->lost_us[k]);
		for (int i = 0; i < TALLY_BUCKETS; i++)
			state_u64(s, &t->count[k][i]);
		for (int i = 0; i < TALLY_PORTS && keeps_ports((enum tally_kind)k); i++)
			port_state(s, &t->ports[k][i]);
	}
	if (s->loading && s->bad)
		daily_counts_init(t);
}
