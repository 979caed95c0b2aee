/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"

/* Events that one answer may add: a spine that loses all of its leaves is one sentence more. */
#define EVENTS_MAX 16
/*
 * And all devices together within a minute: a fabric that loses its sessions must not wash out of
 * the ring what made it lose them. Beyond FABRIC_SESSIONS each device says how many in one
 * sentence, beyond FABRIC_EVENTS nothing more is said.
 */
#define FABRIC_US       (60 * CLOCK_SEC)
#define FABRIC_SESSIONS 256
#define FABRIC_EVENTS   1024
/* How long a down that was seen as state may take to show in the device's own count. */
#define CREDIT_US (120 * CLOCK_SEC)
/* Ages are told in whole seconds and grow while the answer is on its way. */
#define AGE_SLACK_US (2 * CLOCK_SEC)

/* One list on its way into the model. */
struct list {
	struct batch *b;
	size_t next;   /* where the session behind the last one is */
	unsigned said; /* events */
	unsigned unsaid_down, unsaid_up;
	bool refused;       /* there are more than are kept */
	unsigned restarted; /* sessions whose count began anew while they were not looked at */
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

static int compare(const struct bgp_session *s, const char *vrf, const char *peer, unsigned afi)
{
	int c = str_natcmp(s->vrf, vrf);

	/* "tenant-1" and "tenant-01" stand side by side, and are two. */
	if (!c)
		c = strcmp(s->vrf, vrf);
	if (!c)
		c = str_natcmp(s->peer, peer);
	if (!c)
		c = strcmp(s->peer, peer);
	return c ? c : (int)s->afi - (int)afi;
}

/* Where the session is or belongs. */
static size_t place(const struct device *d, const char *vrf, const char *peer, unsigned afi)
{
	size_t lo = 0, hi = d->bgp.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare(&d->bgp.at[mid], vrf, peer, afi) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Makes room by what is gone; false when there is none. */
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

static struct bgp_session *insert(struct device *d, const char *vrf, const char *peer, unsigned afi)
{
	struct bgp_session *s;
	size_t at;

	if (d->bgp.n >= DEVICE_SESSIONS_MAX && !drop_gone(d))
		return NULL;
	at = place(d, vrf, peer, afi);
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
	/* They are listed in nearly the order in which they are kept. */
	at = l->next;
	if (at >= d->bgp.n || !is_session(&d->bgp.at[at], vrf, peer, o->afi))
		at = place(d, vrf, peer, o->afi);
	l->next = at + 1;
	*is_new = at >= d->bgp.n || !is_session(&d->bgp.at[at], vrf, peer, o->afi);
	return *is_new ? insert(d, vrf, peer, o->afi) : &d->bgp.at[at];
}

/* False: within this minute enough was said. */
static bool affordable(struct batch *b, unsigned most)
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
		"more than 1000 BGP changes within a minute: the rest is left out");
	return false;
}

/* "10.0.0.1 (spine-003) vrf blue evpn: idle"; what is usual is left out. */
static void say(struct list *l, const struct bgp_session *s, enum event_kind kind, const char *what)
{
	const struct port *p = model_port(l->b->m, l->b->d, s->peer); /* unnumbered */
	bool usual = strcmp(s->vrf, "default") == 0;
	char text[256], host[NAME_MAX_LEN + 4] = "";

	if (l->said >= EVENTS_MAX || !affordable(l->b, FABRIC_SESSIONS)) {
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
	/* Here and not by events, of which there are only some: each down counts. */
	tally_add(l->b->m, TALLY_BGP_DOWNS, NULL, n, l->b->now);
	l->b->changed = true;
}

/* Went up after the last look, while it was up then too. Coarse ages ("2d") only look older. */
static bool younger_than_look(const struct list *l, const struct bgp_session *s, double since_s)
{
	return s->seen_us && since_s >= 0 &&
	       since_s * 1e6 + AGE_SLACK_US < (double)(l->b->received - s->seen_us);
}

/*
 * Downs that the state did not show: from the device's count where it keeps one, else from the age.
 * What was seen as state is not counted again when the count follows.
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
	return !used && !(counted && s->credit) && younger_than_look(l, s, o->since_s);
}

static void judge(struct list *l, struct bgp_session *s, const struct obs_bgp *o)
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
		say(l, s, EV_BGP_DOWN, bgp_state_name(now));
	} else if (up && !was_up && (s->gone || was != BGP_UNKNOWN)) {
		say(l, s, EV_BGP_UP, hidden ? "established, after more downs" : "established");
	} else if (hidden && l->restarted == restarts) {
		(void)str_printf(text, sizeof(text), "down %llu time%s between two looks, now %s",
			(unsigned long long)hidden, hidden == 1 ? "" : "s", bgp_state_name(now));
		say(l, s, EV_BGP_DOWN, text);
	}
}

static void store(struct batch *b, struct bgp_session *s, const struct obs_bgp *o)
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
	/* A session that is down announces no name: whose it was is what one wants to know. */
	if (*host)
		batch_set_text(b, s->host, sizeof(s->host), host);
	s->since_us =
		o->since_s >= 0 && o->since_s < 1e9 ? b->received - (int64_t)(o->since_s * 1e6) : 0;
	s->seen_us = b->received;
}

static void gone(struct list *l)
{
	struct device *d = l->b->d;

	for (size_t i = 0; i < d->bgp.n; i++) {
		struct bgp_session *s = &d->bgp.at[i];

		if (s->listed || s->gone)
			continue;
		if (s->state == BGP_ESTABLISHED) {
			count_downs(l, s, 1);
			say(l, s, EV_BGP_DOWN, "not listed by the device any more");
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
		n == 1 ? "" : "s");
	if (n && affordable(b, FABRIC_EVENTS))
		model_add_event(b->m, b->now, kind, b->d, NULL, -1, 0, text);
}

static void summary(struct list *l)
{
	struct batch *b = l->b;
	char text[96];

	and_more(l, EV_BGP_DOWN, l->unsaid_down);
	and_more(l, EV_BGP_UP, l->unsaid_up);
	if (l->refused)
		batch_complain(b, "more than 4096 BGP sessions: the rest is ignored");
	if (!l->restarted || !affordable(b, FABRIC_EVENTS))
		return;
	(void)str_printf(text, sizeof(text),
		"%u session%s went down and came back: BGP was restarted", l->restarted,
		l->restarted == 1 ? "" : "s");
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
			judge(&l, s, o);
		store(b, s, o);
	}
	if (b->o->bgp_whole)
		gone(&l);
	summary(&l);
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

static int by_name(const void *a, const void *b)
{
	const struct bgp_session *x = a, *y = b;

	return compare(x, y->vrf, y->peer, y->afi);
}

void bgp_sort(struct device *d)
{
	if (d->bgp.n)
		qsort(d->bgp.at, d->bgp.n, sizeof(d->bgp.at[0]), by_name);
}
