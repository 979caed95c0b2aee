/* SPDX-License-Identifier: Apache-2.0 */
/* BGP sessions that should be established and are not, and sessions that flap. */
#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"

/* Routes converge within seconds; a flap is reported for ten minutes (table: "3 / 10 min"). */
#define TOLD_US  (10 * INT64_C(60) * 1000000)
#define HURTS_US (INT64_C(60) * 1000000)

static struct ref at_session(const struct device *d, size_t i)
{
	return (struct ref){.kind = REF_BGP,
		.device = d->id,
		.cell = (uint16_t)i,
		.seq = bgp_session_key(&d->bgp.at[i])};
}

static const char *peer_name(const struct bgp_session *s)
{
	return s->host[0] ? s->host : s->peer;
}

/* A session that never came up was configured in advance: it is no trouble. */
static bool was_up(const struct bgp_session *s)
{
	return s->downs || s->last_down_us || (s->drops != UINT64_MAX && s->drops > 0);
}

static void describe_session(struct finding *f, const struct device *d, const struct bgp_session *s)
{
	struct bgp_count n = device_bgp(d);
	char text[80];

	(void)str_printf(text, sizeof(text), "%s%s", bgp_state_name((enum bgp_state)s->state),
		s->gone ? ", no longer configured" : "");
	(void)finding_text(f, f->at, "session", text, "bgp");
	(void)str_printf(text, sizeof(text), "%u of %u established", n.ok, n.all);
	(void)finding_text(f, at_device(d->id), "sessions of the device", text, "bgp");
}

static bool is_down(const struct diag_run *r, const struct bgp_session *s)
{
	(void)r;
	return !bgp_session_ok(s) && (s->state != BGP_UNKNOWN || s->gone);
}

static bool has_flapped(const struct diag_run *r, const struct bgp_session *s)
{
	return s->state == BGP_ESTABLISHED && !s->gone && s->last_down_us &&
	       r->now_us - s->last_down_us <= TOLD_US;
}

typedef bool trouble_fn(const struct diag_run *r, const struct bgp_session *s);

/* The other end of a session. */
struct far_end {
	const struct device *d; /* NULL: unknown */
	size_t i;               /* of its session */
};

/* Whether t, of device e, may be the same session as s, of device d. */
static bool may_be_same(const struct model *m, const struct device *d, const struct bgp_session *s,
	const struct device *e, const struct bgp_session *t)
{
	const struct port *p = model_port(m, d, s->peer), *q = p ? port_peer(m, p, NULL) : NULL;

	if (t->afi != s->afi || !str_eq(t->vrf, s->vrf))
		return false;
	/* Without addresses each end names the port that it runs over. */
	if (p)
		return q && q->device == e->id && str_eq(t->peer, q->name);
	return !model_port(m, e, t->peer) && str_eq(s->host, e->name) && str_eq(t->host, d->name);
}

/* Whether a and b are the two addresses of one point-to-point link: a /31 (RFC 3021) or a /127. */
static bool are_one_link(const char *a, const char *b)
{
	uint8_t x[16], y[16];
	size_t last = 3;

	if (inet_pton(AF_INET, a, x) != 1 || inet_pton(AF_INET, b, y) != 1) {
		last = 15;
		if (inet_pton(AF_INET6, a, x) != 1 || inet_pton(AF_INET6, b, y) != 1)
			return false;
	}
	return memcmp(x, y, last) == 0 && (x[last] ^ y[last]) == 1;
}

static struct far_end end_by_address(const struct diag_run *r, const struct device *e,
	const struct bgp_session *s, trouble_fn *is_so)
{
	for (size_t i = 0; e && i < e->bgp.n; i++) {
		const struct bgp_session *t = &e->bgp.at[i];

		if (t->afi == s->afi && str_eq(t->vrf, s->vrf) && is_so(r, t) &&
			are_one_link(s->peer, t->peer))
			return (struct far_end){e, i};
	}
	return (struct far_end){0};
}

/* A peer that is listed by its address alone, as EOS and NX-OS do, is a neighbour over a link. */
static struct far_end end_among_neighbours(const struct diag_run *r, const struct device *d,
	const struct bgp_session *s, trouble_fn *is_so)
{
	struct far_end far = {0};
	uint32_t asked = UINT32_MAX;

	for (size_t i = 0; !far.d && i < d->ports.n; i++) {
		const struct port *q = port_peer(r->m, r->m->ports.at[d->ports.at[i]], NULL);

		if (!q || q->device == asked)
			continue;
		asked = q->device;
		far = end_by_address(r, model_dev_of(r->m, q), s, is_so);
	}
	return far;
}

/* Without addresses of one link parallel sessions look alike: then the other end is unknown. */
static struct far_end far_end_of(const struct diag_run *r, const struct device *d,
	const struct bgp_session *s, trouble_fn *is_so)
{
	const struct model *m = r->m;
	const struct port *p = model_port(m, d, s->peer), *q = p ? port_peer(m, p, NULL) : NULL;
	const struct device *e = q ? model_dev_of(m, q) : p ? NULL : model_device(m, s->host);
	struct far_end far = {0};
	unsigned own = 0, other = 0;

	if (!p)
		far = e ? end_by_address(r, e, s, is_so) : end_among_neighbours(r, d, s, is_so);
	if (far.d)
		return far;
	for (size_t i = 0; e && i < e->bgp.n; i++)
		if (is_so(r, &e->bgp.at[i]) && may_be_same(m, d, s, e, &e->bgp.at[i])) {
			far = (struct far_end){e, i};
			other++;
		}
	for (size_t i = 0; other && i < d->bgp.n; i++)
		own += is_so(r, &d->bgp.at[i]) &&
		       may_be_same(m, e, &e->bgp.at[far.i], d, &d->bgp.at[i]);
	return own == 1 && other == 1 ? far : (struct far_end){0};
}

/* Both ends of a session see the same: it is told at the end that told it first. */
static bool is_told_there(const struct diag_run *r, enum finding_id id, const struct device *d,
	size_t i, const struct far_end *far)
{
	bool here, there;

	if (!far->d)
		return false;
	here = diag_open(r, id, at_session(d, i)) != NULL;
	there = diag_open(r, id, at_session(far->d, far->i)) != NULL;
	return here == there ? far->d->id < d->id : there;
}

static void judge_down(struct diag_run *r, const struct device *d, size_t i)
{
	const struct bgp_session *s = &d->bgp.at[i];
	const char *peer = peer_name(s);
	struct far_end far;
	struct finding *f;

	if (!is_down(r, s))
		return;
	far = far_end_of(r, d, s, is_down);
	if (is_told_there(r, FIND_BGP_DOWN, d, i, &far))
		return;
	f = diag_claim(r, FIND_BGP_DOWN, at_session(d, i));
	if (far.d) {
		f->peer = at_device(far.d->id);
		peer = far.d->name;
	}
	describe_session(f, d, s);
	if (s->last_down_us && s->last_down_us < f->onset_us)
		f->onset_us = s->last_down_us;
	finding_weigh(f, SIGNAL_FACT, 50);
	if (s->gone) {
		/* A session removed on purpose looks like one that the daemon forgot. */
		f->role = ROLE_RISK;
		f->severity = SEV_WARN;
		finding_title(f, "BGP session to %s is no longer configured", peer);
		return;
	}
	if (!was_up(s)) {
		f->role = ROLE_RISK;
		f->severity = SEV_WARN;
	}
	finding_title(f, "BGP session to %s is down, state %s%s", peer,
		bgp_state_name((enum bgp_state)s->state),
		was_up(s) ? "" : ", and was never established since railtop started");
}

static void judge_flaps(struct diag_run *r, const struct device *d, size_t i)
{
	const struct bgp_session *s = &d->bgp.at[i];
	const char *peer = peer_name(s);
	struct far_end far;
	struct finding *f;

	if (!has_flapped(r, s))
		return;
	far = far_end_of(r, d, s, has_flapped);
	if (is_told_there(r, FIND_BGP_FLAPPING, d, i, &far))
		return;
	f = diag_claim(r, FIND_BGP_FLAPPING, at_session(d, i));
	if (far.d) {
		f->peer = at_device(far.d->id);
		peer = far.d->name;
	}
	describe_session(f, d, s);
	(void)finding_number(f, f->at, "went down since railtop started", s->downs, "", "0", "bgp");
	f->onset_us = s->last_down_us;
	finding_weigh(f, SIGNAL_FACT, 30);
	if (r->now_us - s->last_down_us > HURTS_US)
		f->role = ROLE_RISK;
	finding_title(f, "BGP session to %s went down and came back", peer);
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->bgp.n; i++) {
		judge_down(r, d, i);
		judge_flaps(r, d, i);
	}
}

static void run_bgp(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_bgp = {"bgp", run_bgp, NULL, NULL, NULL};
