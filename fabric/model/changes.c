/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"

/*
 * Detects changed settings. The device does not name the author of a change. A setting that an
 * answer does not name keeps its value, so a partial answer changes nothing. A setting that was
 * unknown before, or is no longer reported, is no change.
 */

/* An answer with changes of more ports than this (a reload of the configuration) is summed up. */
#define TOLD_A_BATCH 8
/*
 * Most changes reported of one device within TOLD_US. A device that alternates between values must
 * not push the others' events out of the ring.
 */
#define TOLD_MAX 64
#define TOLD_US  (600 * CLOCK_SEC)
/*
 * Changes after a restart belong to the restart. The slowest request with settings is sent every
 * five minutes.
 */
#define RESTART_US (310 * CLOCK_SEC)

static bool is_setting(enum obs_attr attr)
{
	switch (attr) {
	case ATTR_ADMIN:
	case ATTR_PFC_ENABLED:
	case ATTR_ECN_ENABLED:
	case ATTR_PFCWD_STATE:
	case ATTR_PFCWD_ACTION:
	case ATTR_PFCWD_DETECT_MS:
	case ATTR_PFCWD_RESTORE_MS:
	case ATTR_ECN_MIN_BYTES:
	case ATTR_ECN_MAX_BYTES:
	case ATTR_ECN_PROBABILITY:
		return true;
	default:
		return false;
	}
}

void batch_settings_note(struct batch *b, struct batch_port *bp, enum obs_attr attr)
{
	const struct port *p = bp->port;
	struct settings_before *s;

	if (bp->noted || !is_setting(attr))
		return;
	bp->noted = true;
	s = vec_add(&b->settings);
	s->port = p->id;
	s->pfc = p->pfc_enabled;
	s->ecn = p->ecn_enabled;
	memcpy(s->wd, p->wd, sizeof(s->wd));
	s->has_qos = p->qos != NULL;
	if (p->qos)
		memcpy(s->prio, p->qos->prio, sizeof(s->prio));
}

/* Records the present or last known settings: an unknown word keeps the last known value. */
static void remember_settings(struct port *p)
{
	if (p->admin != OPER_UNKNOWN)
		p->told_admin = (uint8_t)p->admin;
	for (unsigned i = 0; i < PRIORITIES; i++) {
		uint8_t bit = (uint8_t)(1U << i);

		if (p->wd[i].state == WD_UNKNOWN)
			continue;
		p->told_wd |= bit;
		p->told_wd_on = p->wd[i].state == WD_OFF ? (uint8_t)(p->told_wd_on & ~bit)
							 : (uint8_t)(p->told_wd_on | bit);
	}
}

/* ---- events ---- */

struct teller {
	struct batch *b;
	unsigned told[4], left_out[4]; /* by kind, from EV_ADMIN */
};

static bool too_many(struct batch *b)
{
	struct device *d = b->d;

	if (!d->settings_us || b->now - d->settings_us >= TOLD_US || b->now < d->settings_us) {
		d->settings_us = b->now;
		d->settings_changes = 0;
	}
	return d->settings_changes++ >= TOLD_MAX;
}

static void add_change_event(struct teller *t, enum event_kind kind, const struct port *p,
	int priority, const char *was, const char *is)
{
	unsigned i = (unsigned)kind - EV_ADMIN;
	char text[120];

	t->b->changed = true;
	if (t->told[i] >= TOLD_A_BATCH || too_many(t->b)) {
		t->left_out[i]++;
		return;
	}
	t->told[i]++;
	(void)str_printf(text, sizeof(text), "was %s, is %s", was, is);
	model_add_event(t->b->m, t->b->now, kind, t->b->d, p, priority, 0, text);
}

static void add_rest_event(struct teller *t)
{
	char text[64];

	for (unsigned i = 0; i < 4; i++) {
		if (!t->left_out[i] || !t->told[i])
			continue;
		(void)str_printf(text, sizeof(text), "and %u more", t->left_out[i]);
		model_add_event(t->b->m, t->b->now, (enum event_kind)(EV_ADMIN + i), t->b->d, NULL,
			-1, 0, text);
	}
}

/* ---- settings as text ---- */

/* "off", "on", "drop 200/400 ms". */
static void watchdog_text(bool is_on, const struct watchdog *w, char *dst, size_t size)
{
	char detect[16] = "-", restore[16] = "-";

	if (!is_on) {
		(void)str_copy(dst, size, "off");
		return;
	}
	if (w->detect_ms)
		(void)str_printf(detect, sizeof(detect), "%u", w->detect_ms);
	if (w->restore_ms)
		(void)str_printf(restore, sizeof(restore), "%u", w->restore_ms);
	if (w->detect_ms || w->restore_ms)
		(void)str_printf(
			dst, size, "%s %s/%s ms", w->action[0] ? w->action : "on", detect, restore);
	else
		(void)str_copy(dst, size, w->action[0] ? w->action : "on");
}

static void priorities_text(uint16_t mask, char *dst, size_t size)
{
	size_t n = 0;

	(void)str_copy(dst, size, mask & 0xff ? "on for " : "off");
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (!(mask >> p & 1))
			continue;
		n = strlen(dst);
		(void)str_printf(dst + n, size - n, "%s%u", mask & ((1U << p) - 1) ? "," : "", p);
	}
}

/* "500k-1.5M 5%" */
static void curve_text(const struct qos_prio *q, char *dst, size_t size)
{
	char least[16] = "-", most[16] = "-", share[24] = "";

	if (q->ecn_min_bytes != UINT32_MAX)
		(void)str_si(q->ecn_min_bytes, least, sizeof(least));
	if (q->ecn_max_bytes != UINT32_MAX)
		(void)str_si(q->ecn_max_bytes, most, sizeof(most));
	if (!isnan(q->ecn_probability))
		(void)str_printf(share, sizeof(share), " %.3g%%", (double)q->ecn_probability);
	(void)str_printf(dst, size, "%s-%s%s", least, most, share);
}

/* ---- comparing ---- */

static bool other_number(uint32_t was, uint32_t is, uint32_t unknown)
{
	return was != is && was != unknown && is != unknown;
}

static bool other_watchdog(const struct settings_before *s, const struct port *p, unsigned i)
{
	const struct watchdog *was = &s->wd[i], *is = &p->wd[i];
	bool on = s->wd_on >> i & 1, on_now = p->told_wd_on >> i & 1;

	if (!(s->wd_known >> i & 1))
		return false;
	if (on != on_now)
		return true;
	/* The configuration of a stopped watchdog has no effect yet. */
	if (!on_now)
		return false;
	return (was->action[0] && is->action[0] && strcmp(was->action, is->action) != 0) ||
	       other_number(was->detect_ms, is->detect_ms, 0) ||
	       other_number(was->restore_ms, is->restore_ms, 0);
}

static bool other_curve(const struct qos_prio *was, const struct qos_prio *is)
{
	return other_number(was->ecn_min_bytes, is->ecn_min_bytes, UINT32_MAX) ||
	       other_number(was->ecn_max_bytes, is->ecn_max_bytes, UINT32_MAX) ||
	       fabsf(was->ecn_probability - is->ecn_probability) > 1e-6F; /* NAN: false */
}

static void compare_watchdog(struct teller *t, const struct settings_before *s, struct port *p)
{
	char was[64] = "", is[64] = "";
	int first = -1;
	unsigned n = 0;

	for (unsigned i = 0; i < PRIORITIES; i++) {
		if (!other_watchdog(s, p, i))
			continue;
		first = n++ ? first : (int)i;
	}
	if (!n)
		return;
	watchdog_text(s->wd_on >> first & 1, &s->wd[first], was, sizeof(was));
	watchdog_text(p->told_wd_on >> first & 1, &p->wd[first], is, sizeof(is));
	add_change_event(t, EV_WATCHDOG_SET, p, n == 1 ? first : -1, was, is);
}

/* Bit 8 marks a mask as known. */
static bool other_mask(uint16_t was, uint16_t is)
{
	return was != is && was & 0x100 && is & 0x100;
}

static void compare_masks(struct teller *t, const struct settings_before *s, struct port *p)
{
	char was[40], is[40];

	if (other_mask(s->pfc, p->pfc_enabled)) {
		priorities_text(s->pfc, was, sizeof(was));
		priorities_text(p->pfc_enabled, is, sizeof(is));
		add_change_event(t, EV_PFC_SET, p, -1, was, is);
	}
	if (other_mask(s->ecn, p->ecn_enabled)) {
		priorities_text(s->ecn, was, sizeof(was));
		priorities_text(p->ecn_enabled, is, sizeof(is));
		add_change_event(t, EV_ECN_SET, p, -1, was, is);
	}
}

static void compare_curves(struct teller *t, const struct settings_before *s, struct port *p)
{
	char was[48] = "", is[48] = "";
	int first = -1;
	unsigned n = 0;

	for (unsigned i = 0; i < PRIORITIES && s->has_qos && p->qos; i++) {
		if (!other_curve(&s->prio[i], &p->qos->prio[i]))
			continue;
		first = n++ ? first : (int)i;
	}
	if (!n)
		return;
	curve_text(&s->prio[first], was, sizeof(was));
	curve_text(&p->qos->prio[first], is, sizeof(is));
	add_change_event(t, EV_ECN_SET, p, n == 1 ? first : -1, was, is);
}

static void compare_admin(struct teller *t, const struct settings_before *s, struct port *p)
{
	if (s->admin == OPER_UNKNOWN || s->admin == p->told_admin)
		return;
	add_change_event(t, EV_ADMIN, p, -1, s->admin == OPER_UP ? "up" : "down",
		p->told_admin == OPER_UP ? "up" : "down");
}

void batch_settings_events(struct batch *b)
{
	struct teller t = {.b = b};
	bool restarted = b->d->reboot_us && b->now - b->d->reboot_us < RESTART_US;

	for (size_t i = 0; i < b->settings.n; i++) {
		struct settings_before *s = &b->settings.at[i];
		struct port *p = b->m->ports.at[s->port];

		/* At the end, not when it was noted: one answer may name a port twice, under two
		 * names. */
		s->admin = p->told_admin;
		s->wd_known = p->told_wd;
		s->wd_on = p->told_wd_on;
		remember_settings(p);
		if (restarted)
			continue;
		compare_admin(&t, s, p);
		compare_watchdog(&t, s, p);
		compare_masks(&t, s, p);
		compare_curves(&t, s, p);
	}
	add_rest_event(&t);
	vec_free(&b->settings);
}
