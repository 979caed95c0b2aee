/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"

/* Most events of one answer: a spine that loses all of its leaves is one more sentence. */
#define EVENTS_MAX 16
/*
 * Limits of all devices together within a minute: a fabric that loses its sessions must not push
 * the cause out of the event ring. Beyond FABRIC_SESSIONS each device sums up its sessions in one
 * sentence; beyond FABRIC_EVENTS there are no more events.
 */
#define FABRIC_US       (60 * CLOCK_SEC)
#define FABRIC_SESSIONS 256
#define FABRIC_EVENTS   1024
/* Time for a down that was seen as state to show in the device's own count. */
#define CREDIT_US (120 * CLOCK_SEC)
/* Ages are in whole seconds and grow while the answer is in transit. */
#define AGE_SLACK_US (2 * CLOCK_SEC)

/* The list of sessions that is being applied. */
struct list {
	struct batch *b;
	size_t next;   /* expected index of the next session */
	unsigned said; /* events */
	unsigned unsaid_down, unsaid_up;
	bool refused;       /* there are more sessions than the limit */
	unsigned restarted; /* sessions with a count that restarted between two polls */
};

bool bgp_session_ok(const struct bgp_session *s)
{
	return s->state == BGP_ADMIN_DOWN || (s->state == BGP_ESTABLISHED && !s->gone);
}

uint64_t bgp_session_key(const struct bgp_session *s)
{
	const char *const words[] = {s->vrf, s->peer};
	uint64_t h = UINT64_C(14695981039346656037) + s->afi; /* FNV-1a */

	for (unsigned i = 0; i < 2; i++) {
		for (const char *c = words[i]; *c; c++)
			h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
		h *= UINT64_C(1099511628211);
	}
	return h;
}

struct bgp_count device_bgp(const struct device *d)
{
	struct bgp_count n = {0};

	for (size_t i = 0; i < d->bgp.n; i++)
		n.ok += bgp_session_ok(&d->bgp.at[i]);
	n.all = (unsigned)d->bgp.n;
	return n;
}

static int compare_session(
	const struct bgp_session *s, const char *vrf, const char *peer, unsigned afi)
{
	int c = str_natcmp(s->vrf, vrf);

	/* natural order alone treats "tenant-1" and "tenant-01" as equal */
	if (!c)
		c = strcmp(s->vrf, vrf);
	if (!c)
		c = str_natcmp(s->peer, peer);
	if (!c)
		c = strcmp(s->peer, peer);
	return c ? c : (int)s->afi - (int)afi;
}

/* Index of the session, or its place. */
static size_t session_place(const struct device *d, const char *vrf, const char *peer, unsigned afi)
{
	size_t lo = 0, hi = d->bgp.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_session(&d->bgp.at[mid], vrf, peer, afi) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Makes room by removing a gone session; false when there is none. */
static bool drop_gone(struct device *d)
{
	for (size_t i = 0; i < d->bgp.n; i++) {
		if (!d->bgp.at[i].gone)
			continue;
		memmove(&d->bgp.at[i], &d->bgp.at[i + 1],
			(d->bgp.n - 1 - i) * sizeof(d->bgp.at[0]));
		d->bgp.n--;
		return true;
	}
	return false;
}

static struct bgp_session *insert_session(
	struct device *d, const char *vrf, const char *peer, unsigned afi)
{
	struct bgp_session *s;
	size_t at;

	if (d->bgp.n >= DEVICE_SESSIONS_MAX && !drop_gone(d))
		return NULL;
	at = session_place(d, vrf, peer, afi);
	(void)vec_add(&d->bgp);
	memmove(&d->bgp.at[at + 1], &d->bgp.at[at], (d->bgp.n - 1 - at) * sizeof(d->bgp.at[0]));
	s = &d->bgp.at[at];
	memset(s, 0, sizeof(*s));
	(void)str_copy(s->vrf, sizeof(s->vrf), vrf);
	(void)str_copy(s->peer, sizeof(s->peer), peer);
	s->afi = (uint8_t)afi;
	s->prefixes = s->drops = UINT64_MAX;
	return s;
}

static bool is_session(const struct bgp_session *s, const char *vrf, const char *peer, unsigned afi)
{
	return s->afi == afi && strcmp(s->peer, peer) == 0 && strcmp(s->vrf, vrf) == 0;
}

static struct bgp_session *session_of(struct list *l, const struct obs_bgp *o, bool *is_new)
{
	struct batch *b = l->b;
	char vrf[sizeof(((struct bgp_session *)0)->vrf)];
	char peer[NAME_MAX_LEN];
	struct device *d = b->d;
	const char *text = obs_text(b->o, o->vrf);
	size_t at;

	(void)str_sanitise(vrf, sizeof(vrf), *text ? text : "default",
		*text ? strlen(text) : strlen("default"));
	text = obs_text(b->o, o->peer);
	(void)str_sanitise(peer, sizeof(peer), text, strlen(text));
	if (!peer[0])
		return NULL;
	/* Answers list sessions in nearly the order of d->bgp. */
	at = l->next;
	if (at >= d->bgp.n || !is_session(&d->bgp.at[at], vrf, peer, o->afi))
		at = session_place(d, vrf, peer, o->afi);
	l->next = at + 1;
	*is_new = at >= d->bgp.n || !is_session(&d->bgp.at[at], vrf, peer, o->afi);
	return *is_new ? insert_session(d, vrf, peer, o->afi) : &d->bgp.at[at];
}

/* False: the event limit of this minute is reached. */
static bool events_left(struct batch *b, unsigned most)
{
	struct model *m = b->m;

	if (b->now - m->bgp_us >= FABRIC_US || b->now < m->bgp_us) {
		m->bgp_us = b->now;
		m->bgp_events = 0;
	}
	if (m->bgp_events >= most)
		return false;
	if (++m->bgp_events < FABRIC_EVENTS)
		return true;
	model_add_event(m, b->now, EV_BGP_DOWN, NULL, NULL, -1, 0,
		"more than 1000 BGP changes within a minute: the rest is skipped");
	return false;
}

/* Adds an event: "10.0.0.1 (spine-003) vrf blue evpn: idle"; omits defaults. */
static void add_session_event(
	struct list *l, const struct bgp_session *s, enum event_kind kind, const char *what)
{
	const struct port *p = model_port(l->b->m, l->b->d, s->peer); /* unnumbered */
	bool usual = strcmp(s->vrf, "default") == 0;
	char text[256], host[NAME_MAX_LEN + 4] = "";

	if (l->said >= EVENTS_MAX || !events_left(l->b, FABRIC_SESSIONS)) {
		l->unsaid_down += kind == EV_BGP_DOWN;
		l->unsaid_up += kind == EV_BGP_UP;
		return;
	}
	l->said++;
	if (s->host[0])
		(void)str_printf(host, sizeof(host), " (%s)", s->host);
	(void)str_printf(text, sizeof(text), "%s%s%s%s%s%s: %s", s->peer, host,
		usual ? "" : " vrf ", usual ? "" : s->vrf, s->afi == BGP_IPV4 ? "" : " ",
		s->afi == BGP_IPV4 ? "" : bgp_afi_name((enum bgp_afi)s->afi), what);
	model_add_event(l->b->m, l->b->now, kind, l->b->d, p, -1, 0, text);
}

static void count_downs(struct list *l, struct bgp_session *s, uint64_t n)
{
	s->downs += n > UINT32_MAX - s->downs ? UINT32_MAX - s->downs : (uint32_t)n;
	s->last_down_us = l->b->now;
	/* Counted here, because not every down has an event. */
	daily_counts_add(l->b->m, TALLY_BGP_DOWNS, NULL, n, l->b->now);
	l->b->changed = true;
}

/* Went up after the last poll although it was up then too. Coarse ages ("2d") only look older. */
static bool is_younger_than_poll(const struct list *l, const struct bgp_session *s, double since_s)
{
	return s->seen_us && since_s >= 0 &&
	       since_s * 1e6 + AGE_SLACK_US < (double)(l->b->received - s->seen_us);
}

/*
 * Downs between polls: from the device's own count, else from the age. A down seen as state is not
 * counted again when the count follows.
 */
static uint64_t hidden_downs(
	struct list *l, struct bgp_session *s, const struct obs_bgp *o, bool went_down, bool up)
{
	bool counted = s->drops != UINT64_MAX && o->drops != UINT64_MAX;
	uint64_t n = counted && o->drops > s->drops ? o->drops - s->drops : 0, used;

	if (l->b->now - s->last_down_us > CREDIT_US)
		s->credit = 0;
	if (went_down && n)
		n--;
	else if (went_down && counted && o->drops == s->drops)
		s->credit++;
	used = n < s->credit ? n : s->credit;
	s->credit = (uint16_t)(s->credit - used);
	n -= used;
	if (n || !up || s->state != BGP_ESTABLISHED)
		return n;
	if (counted && o->drops < s->drops) {
		l->restarted++;
		return 1;
	}
	return !used && !(counted && s->credit) && is_younger_than_poll(l, s, o->since_s);
}

static void judge_session(struct list *l, struct bgp_session *s, const struct obs_bgp *o)
{
	enum bgp_state was = (enum bgp_state)s->state, now = (enum bgp_state)o->state;
	bool was_up = was == BGP_ESTABLISHED && !s->gone, up = now == BGP_ESTABLISHED;
	bool went_down = was_up && !up && now != BGP_UNKNOWN;
	unsigned restarts = l->restarted;
	uint64_t hidden = hidden_downs(l, s, o, went_down, up);
	char text[64];

	if (hidden)
		count_downs(l, s, hidden);
	if (went_down) {
		count_downs(l, s, 1);
		add_session_event(l, s, EV_BGP_DOWN, bgp_state_name(now));
	} else if (up && !was_up && (s->gone || was != BGP_UNKNOWN)) {
		add_session_event(
			l, s, EV_BGP_UP, hidden ? "established, after more downs" : "established");
	} else if (hidden && l->restarted == restarts) {
		(void)str_printf(text, sizeof(text), "down %llu time%s between two polls, now %s",
			(unsigned long long)hidden, str_plural(hidden), bgp_state_name(now));
		add_session_event(l, s, EV_BGP_DOWN, text);
	}
}

static void store_session(struct batch *b, struct bgp_session *s, const struct obs_bgp *o)
{
	const char *host = obs_text(b->o, o->host);

	b->changed |= s->state != o->state || s->gone || s->prefixes != o->prefixes ||
		      s->drops != o->drops || s->remote_as != o->remote_as;
	s->state = o->state;
	s->gone = false;
	s->listed = true;
	if (o->remote_as)
		s->remote_as = o->remote_as;
	s->prefixes = o->prefixes;
	s->drops = o->drops;
	/* A session that is down announces no name: keep the last one, the operator needs it. */
	if (*host)
		batch_set_text(b, s->host, sizeof(s->host), host);
	s->since_us =
		o->since_s >= 0 && o->since_s < 1e9 ? b->received - (int64_t)(o->since_s * 1e6) : 0;
	s->seen_us = b->received;
}

static void note_gone(struct list *l)
{
	struct device *d = l->b->d;

	for (size_t i = 0; i < d->bgp.n; i++) {
		struct bgp_session *s = &d->bgp.at[i];

		if (s->listed || s->gone)
			continue;
		if (s->state == BGP_ESTABLISHED) {
			count_downs(l, s, 1);
			add_session_event(l, s, EV_BGP_DOWN, "no longer listed by the device");
		}
		s->gone = l->b->changed = true;
		s->credit = 0;
	}
}

static void and_more(struct list *l, enum event_kind kind, unsigned n)
{
	struct batch *b = l->b;
	char text[48];

	(void)str_printf(text, sizeof(text), l->said ? "and %u more session%s" : "%u session%s", n,
		str_plural(n));
	if (n && events_left(b, FABRIC_EVENTS))
		model_add_event(b->m, b->now, kind, b->d, NULL, -1, 0, text);
}

static void add_summary(struct list *l)
{
	struct batch *b = l->b;
	char text[96];

	and_more(l, EV_BGP_DOWN, l->unsaid_down);
	and_more(l, EV_BGP_UP, l->unsaid_up);
	if (l->refused)
		batch_complain(b, "more than 4096 BGP sessions: the rest is ignored");
	if (!l->restarted || !events_left(b, FABRIC_EVENTS))
		return;
	(void)str_printf(text, sizeof(text),
		"%u session%s went down and came back: BGP was restarted", l->restarted,
		str_plural(l->restarted));
	model_add_event(b->m, b->now, EV_BGP_DOWN, b->d, NULL, -1, 0, text);
}

void batch_bgp(struct batch *b)
{
	struct list l = {.b = b};

	if (!b->o->bgp.n && !b->o->bgp_whole)
		return;
	for (size_t i = 0; i < b->d->bgp.n; i++)
		b->d->bgp.at[i].listed = false;
	for (size_t i = 0; i < b->o->bgp.n; i++) {
		const struct obs_bgp *o = &b->o->bgp.at[i];
		bool is_new = false;
		struct bgp_session *s;

		if (o->state >= BGP_STATE_COUNT || o->afi > BGP_OTHER)
			continue;
		s = session_of(&l, o, &is_new);
		l.refused |= is_new && !s;
		if (!s)
			continue;
		if (!is_new)
			judge_session(&l, s, o);
		store_session(b, s, o);
	}
	if (b->o->bgp_whole)
		note_gone(&l);
	add_summary(&l);
	b->d->bgp_us = b->received;
}

void bgp_rebase(struct device *d)
{
	for (size_t i = 0; i < d->bgp.n; i++) {
		d->bgp.at[i].drops = UINT64_MAX;
		d->bgp.at[i].seen_us = 0;
		d->bgp.at[i].credit = 0;
	}
}

static int compare_name(const void *a, const void *b)
{
	const struct bgp_session *x = a, *y = b;

	return compare_session(x, y->vrf, y->peer, y->afi);
}

void bgp_sort(struct device *d)
{
	if (d->bgp.n)
		qsort(d->bgp.at, d->bgp.n, sizeof(d->bgp.at[0]), compare_name);
}
