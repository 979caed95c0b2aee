/* SPDX-License-Identifier: Apache-2.0 */
/* Health of a device: its own state, its BGP sessions, the worst of its ports. */
#include "fabric/health/health_internal.h"

#include <string.h>

#include "base/str.h"

bool health_known(const struct device *d)
{
	return (d->state == DEV_FRESH || d->state == DEV_LATE) && !device_blind(d);
}

bool health_worse(const struct health *a, const struct health *b)
{
	return a->severity != b->severity ? a->severity > b->severity : a->rank > b->rank;
}

/* The device's own state, without its ports. */
static struct health state_health(const struct device *d, int64_t now_us)
{
	struct health h = {.severity = SEV_OK};
	char age[16], text[sizeof(d->err->text) + 32];

	switch (d->state) {
	case DEV_UNREACHABLE:
	case DEV_UNAUTHORISED:
	case DEV_NOT_UNDERSTOOD:
		h.severity = SEV_CRIT;
		h.rank = HEALTH_RANK_STATE;
		(void)str_printf(text, sizeof(text), "%s%s%s", dev_state_words(d->state),
			d->err->text[0] ? ": " : "", d->err->text);
		(void)str_sanitise(h.why, 61, text, strlen(text));
		break;
	case DEV_STALE:
		h.severity = SEV_WARN;
		h.rank = HEALTH_RANK_STATE;
		(void)str_age(d->last_ok_us ? now_us - d->last_ok_us : -1, age, sizeof(age));
		if (d->err->code == ERR_PROTOCOL || d->err->code == ERR_LIMIT) {
			/* It is reachable, and its answers have no data. */
			(void)str_printf(
				text, sizeof(text), "no data for %s: %s", age, d->err->text);
			(void)str_sanitise(h.why, 61, text, strlen(text));
		} else {
			(void)str_printf(h.why, 61, "no answer for %s", age);
		}
		break;
	case DEV_PENDING:
		h.severity = SEV_UNKNOWN;
		break;
	case DEV_FRESH:
	case DEV_LATE:
		if (!device_blind(d))
			break;
		h.severity = SEV_WARN;
		h.rank = HEALTH_RANK_STATE;
		(void)str_age(d->counters_us ? now_us - d->counters_us : -1, age, sizeof(age));
		(void)str_printf(text, sizeof(text), "no port counters for %s%s%s", age,
			d->err->text[0] ? ": " : "", d->err->text);
		(void)str_sanitise(h.why, 61, text, strlen(text));
		break;
	case DEV_STATE_COUNT:
		break;
	}
	return h;
}

/* A session that is gone from the list may have been removed on purpose. The list of sessions
 * shows it; the verdict ignores it. */
struct health device_bgp_health(const struct device *d)
{
	struct health h = {.severity = SEV_OK};
	unsigned down = 0, meant = 0;

	for (size_t i = 0; i < d->bgp.n; i++) {
		const struct bgp_session *s = &d->bgp.at[i];

		meant += !s->gone && s->state != BGP_ADMIN_DOWN && s->state != BGP_UNKNOWN;
		down += !s->gone && s->state != BGP_UNKNOWN && !bgp_session_ok(s);
	}
	if (!down)
		return h;
	h.severity = down == meant ? SEV_CRIT : SEV_WARN;
	h.rank = HEALTH_RANK_BGP;
	(void)str_printf(h.why, 61, "BGP: %u of %u sessions down", down, meant);
	return h;
}

void device_worst_add(struct device_worst *w, const struct port *p, const struct health *h)
{
	if (h->severity < SEV_WARN)
		return;
	w->as_bad = h->severity > w->health.severity
			    ? 1
			    : w->as_bad + (h->severity == w->health.severity);
	if (!w->port || health_worse(h, &w->health)) {
		w->health = *h;
		w->port = p;
	}
}

struct health device_health_by(const struct device *d, const struct device_worst *w, int64_t now_us)
{
	struct health bgp, out = state_health(d, now_us);

	if (!health_known(d))
		return out;
	bgp = device_bgp_health(d);
	if (health_worse(&bgp, w->port ? &w->health : &out))
		return bgp;
	if (!w->port)
		return out;
	out.severity = w->health.severity;
	out.rank = w->health.rank;
	if (w->as_bad > 1)
		(void)str_printf(out.why, 61, "%u port%s, %s: %s", w->as_bad, str_plural(w->as_bad),
			w->port->name, w->health.why);
	else
		(void)str_printf(out.why, 61, "%s: %s", w->port->name, w->health.why);
	return out;
}

struct health device_health(const struct model *m, const struct device *d, int64_t now_us)
{
	struct device_worst w = {.port = NULL};

	for (size_t i = 0; health_known(d) && i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];
		struct health h = port_health(m, p, now_us);

		device_worst_add(&w, p, &h);
	}
	return device_health_by(d, &w, now_us);
}
