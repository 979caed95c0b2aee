/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/difference/difference_internal.h"

/* ---- of a port ---- */

/* "3,4", "none"; "" where the mask is not known. */
static const char *mask_text(uint16_t mask, char *dst, size_t size)
{
	size_t n = 0;

	*dst = '\0';
	if (!(mask >> 8 & 1))
		return dst;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (!(mask >> p & 1))
			continue;
		(void)str_printf(dst + n, size - n, "%s%u", n ? "," : "", p);
		n += strlen(dst + n);
	}
	if (!n)
		(void)str_copy(dst, size, "none");
	return dst;
}

/* A lossless priority without this setting loses packets. */
static void differ_mask(struct differ *x, const char *what, uint16_t a, uint16_t b, uint8_t needed)
{
	char was[24], is[24];
	struct difference *d;

	if (a == b)
		return;
	d = differ_words(x, DIFF_CONFIG, a & needed & ~b ? SEV_CRIT : SEV_WARN, what,
		mask_text(a, was, sizeof(was)), mask_text(b, is, sizeof(is)));
	if (d && (b & needed) == needed && (a & needed) != needed)
		differ_better(d);
}

static void differ_map(struct differ *x, const char *what, const char *a, const char *b)
{
	if (a != b)
		(void)differ_words(x, DIFF_CONFIG, SEV_WARN, what, a ? a : "", b ? b : "");
}

static void differ_u32(struct differ *x, const char *name, unsigned prio, uint32_t a, uint32_t b)
{
	struct difference *d;

	if (a == b || a == UINT32_MAX)
		return;
	d = differ_numbers(x, DIFF_CONFIG, SEV_WARN, name, true, a, b != UINT32_MAX, b);
	if (d)
		(void)str_printf(d->what, sizeof(d->what), "%s[%u]", name, prio);
}

static void differ_probability(struct differ *x, unsigned prio, float a, float b)
{
	struct difference *d;

	if (isnan(a) || (!isnan(b) && a >= b && a <= b))
		return;
	if (isnan(b)) {
		differ_lost(x, "ecn_probability");
		return;
	}
	d = differ_add(x, DIFF_CONFIG, SEV_WARN, "");
	(void)str_printf(d->what, sizeof(d->what), "ecn_probability[%u]", prio);
	(void)str_printf(d->before, sizeof(d->before), "%g%%", (double)a);
	(void)str_printf(d->after, sizeof(d->after), "%g%%", (double)b);
}

static void differ_prio(
	struct differ *x, unsigned prio, const struct qos_prio *a, const struct qos_prio *b)
{
	differ_u32(x, "ecn_min_bytes", prio, a->ecn_min_bytes, b->ecn_min_bytes);
	differ_u32(x, "ecn_max_bytes", prio, a->ecn_max_bytes, b->ecn_max_bytes);
	differ_u32(x, "xoff_bytes", prio, a->xoff_bytes, b->xoff_bytes);
	differ_u32(x, "xon_bytes", prio, a->xon_bytes, b->xon_bytes);
	differ_u32(x, "headroom_bytes", prio, a->headroom_bytes, b->headroom_bytes);
	differ_probability(x, prio, a->ecn_probability, b->ecn_probability);
}

static void differ_signed(struct differ *x, const char *what, int32_t a, int32_t b)
{
	(void)differ_numbers(x, DIFF_CONFIG, SEV_WARN, what, a >= 0, (uint64_t)(a < 0 ? 0 : a),
		b >= 0, (uint64_t)(b < 0 ? 0 : b));
}

static void differ_qos(struct differ *x, const struct qos *a, const struct qos *b)
{
	if (!a)
		return;
	if (!b) {
		differ_lost(x, "QoS settings");
		return;
	}
	differ_map(x, "dscp_to_tc", a->dscp_to_tc, b->dscp_to_tc);
	differ_map(x, "tc_to_queue", a->tc_to_queue, b->tc_to_queue);
	differ_map(x, "tc_to_pg", a->tc_to_pg, b->tc_to_pg);
	differ_map(x, "prio_to_queue", a->prio_to_queue, b->prio_to_queue);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "trust", a->trust, b->trust);
	for (unsigned p = 0; p < PRIORITIES; p++)
		differ_prio(x, p, &a->prio[p], &b->prio[p]);
	differ_signed(x, "roce_tclass", a->roce_tclass, b->roce_tclass);
	differ_signed(x, "cnp_dscp", a->cnp_dscp, b->cnp_dscp);
	differ_signed(x, "cnp_prio", a->cnp_prio, b->cnp_prio);
	differ_signed(x, "storm_tout_ms", a->storm_tout_ms, b->storm_tout_ms);
	differ_mask(
		x, "dcqcn_rp", a->dcqcn_rp, b->dcqcn_rp, lossless_priorities(&x->b->m->lossless));
	differ_mask(
		x, "dcqcn_np", a->dcqcn_np, b->dcqcn_np, lossless_priorities(&x->b->m->lossless));
}

static void add_index(struct difference *d, unsigned prio)
{
	char name[40];

	if (!d)
		return;
	(void)str_copy(name, sizeof(name), d->what);
	(void)str_printf(d->what, sizeof(d->what), "%s[%u]", name, prio);
}

static void differ_watchdog(
	struct differ *x, unsigned prio, const struct watchdog *a, const struct watchdog *b)
{
	struct difference *d = differ_words(x, DIFF_CONFIG,
		b->state == WD_STORMED ? SEV_CRIT : SEV_WARN, "watchdog",
		a->state == WD_UNKNOWN ? "" : wd_state_name((enum wd_state)a->state),
		b->state == WD_UNKNOWN ? "" : wd_state_name((enum wd_state)b->state));

	if (d && b->state == WD_OPERATIONAL)
		differ_better(d);
	add_index(d, prio);
	add_index(differ_words(x, DIFF_CONFIG, SEV_WARN, "watchdog_action", a->action, b->action),
		prio);
	add_index(differ_numbers(x, DIFF_CONFIG, SEV_WARN, "watchdog_detect_ms", a->detect_ms != 0,
			  a->detect_ms, b->detect_ms != 0, b->detect_ms),
		prio);
	add_index(differ_numbers(x, DIFF_CONFIG, SEV_WARN, "watchdog_restore_ms",
			  a->restore_ms != 0, a->restore_ms, b->restore_ms != 0, b->restore_ms),
		prio);
}

void differ_port_settings(struct differ *x, const struct port *a, const struct port *b)
{
	uint8_t lossless = lossless_priorities(&x->b->m->lossless);

	differ_mask(x, "pfc", a->pfc_enabled, b->pfc_enabled, lossless);
	differ_mask(x, "ecn", a->ecn_enabled, b->ecn_enabled, lossless);
	differ_qos(x, a->qos, b->qos);
	if (memcmp(a->wd, b->wd, PRIORITIES * sizeof(*a->wd)) != 0)
		for (unsigned p = 0; p < PRIORITIES; p++)
			differ_watchdog(x, p, &a->wd[p], &b->wd[p]);
	(void)differ_words(
		x, DIFF_CONFIG, SEV_OK, "description", a->more->description, b->more->description);
	(void)differ_words(
		x, DIFF_CONFIG, SEV_OK, "module", a->more->module_sn, b->more->module_sn);
	(void)differ_words(x, DIFF_CONFIG, SEV_OK, "media", a->more->media, b->more->media);
}

/* ---- of a device ---- */

void differ_device_settings(struct differ *x, const struct device *a, const struct device *b)
{
	(void)differ_words(x, DIFF_DEVICE, SEV_WARN, "model", a->model, b->model);
	(void)differ_words(x, DIFF_DEVICE, SEV_WARN, "serial", a->serial, b->serial);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "os_version", a->os_version, b->os_version);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "firmware", a->firmware, b->firmware);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "ecmp_hash", a->ecmp_hash, b->ecmp_hash);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "lag_hash", a->lag_hash, b->lag_hash);
	(void)differ_words(
		x, DIFF_CONFIG, SEV_WARN, "hash_algorithm", a->hash_algorithm, b->hash_algorithm);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "balancing", a->balancing, b->balancing);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "schema", a->schema, b->schema);
	(void)differ_words(x, DIFF_CONFIG, SEV_WARN, "router_id", a->router_id, b->router_id);
	(void)differ_numbers(x, DIFF_CONFIG, SEV_WARN, "bgp_as", a->bgp_as != 0, a->bgp_as,
		b->bgp_as != 0, b->bgp_as);
	(void)differ_numbers(x, DIFF_CONFIG, SEV_WARN, "watchdog_poll_ms", a->pfcwd_poll_ms != 0,
		a->pfcwd_poll_ms, b->pfcwd_poll_ms != 0, b->pfcwd_poll_ms);
}

/* ---- BGP ---- */

static void session_name(const struct bgp_session *s, const char *more, char *dst, size_t size)
{
	bool plain = s->afi == BGP_IPV4 && (!*s->vrf || str_eq(s->vrf, "default"));

	(void)str_printf(dst, size, "bgp %s%s%s%s%s%s", s->peer, plain ? "" : " ",
		plain ? "" : bgp_afi_name((enum bgp_afi)s->afi),
		*s->vrf && !str_eq(s->vrf, "default") ? " " : "",
		*s->vrf && !str_eq(s->vrf, "default") ? s->vrf : "", more);
}

static const struct bgp_session *session_of(const struct device *d, uint64_t key)
{
	for (size_t i = 0; i < d->bgp.n; i++)
		if (bgp_session_key(&d->bgp.at[i]) == key)
			return &d->bgp.at[i];
	return NULL;
}

static const char *session_state(const struct bgp_session *s)
{
	return !s ? "" : s->gone ? "gone" : bgp_state_name((enum bgp_state)s->state);
}

static void differ_downs(struct differ *x, const struct bgp_session *a, const struct bgp_session *b)
{
	const struct bgp_session *first = x->forward ? a : b, *last = x->forward ? b : a;
	struct difference *d;
	char name[48];

	if (first->drops == UINT64_MAX || last->drops == UINT64_MAX || last->drops <= first->drops)
		return;
	session_name(b, " downs", name, sizeof(name));
	d = differ_numbers(x, DIFF_CONFIG, SEV_WARN, name, true, a->drops, true, b->drops);
	if (d && !x->forward)
		differ_better(d);
}

static void differ_session(
	struct differ *x, const struct bgp_session *a, const struct bgp_session *b)
{
	const struct bgp_session *any = b ? b : a;
	bool was_ok = a && bgp_session_ok(a), is_ok = b && bgp_session_ok(b);
	char name[48];

	if (any && !str_eq(session_state(a), session_state(b))) {
		struct difference *d;

		session_name(any, "", name, sizeof(name));
		/* A change between two kinds of down is no news. */
		if (a && b && !was_ok && !is_ok && !a->gone && !b->gone)
			return;
		d = differ_texts(x, DIFF_CONFIG, is_ok ? SEV_OK : SEV_CRIT, name, session_state(a),
			session_state(b));
		if (is_ok && a && !was_ok)
			differ_better(d);
	}
	if (a && b)
		differ_downs(x, a, b);
}

void differ_sessions(struct differ *x, const struct device *a, const struct device *b)
{
	if (!a->bgp_us || !b->bgp_us)
		return;
	for (size_t i = 0; i < b->bgp.n; i++)
		differ_session(x, session_of(a, bgp_session_key(&b->bgp.at[i])), &b->bgp.at[i]);
	for (size_t i = 0; i < a->bgp.n; i++)
		if (!session_of(b, bgp_session_key(&a->bgp.at[i])) && !a->bgp.at[i].gone)
			differ_session(x, &a->bgp.at[i], NULL);
}
