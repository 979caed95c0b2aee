/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards of the device: the model is current, device and model agree, nobody else is at work on it.
 */
#include <string.h>

#include "actions/kinds/common.h"
#include "actions/guards/guard.h"
#include "base/clock.h"
#include "base/str.h"

#define READ_FRESH_US (10 * CLOCK_SEC)
/*
 * A counter may be older than two polls by this much: the device refreshes it on its own schedule.
 */
#define COUNTERS_SLACK_US (10 * CLOCK_SEC)

bool guard_fresh_model(const struct guard_context *x, struct refusal *out)
{
	const struct device *d = x->at->dev;
	int64_t age;
	char text[16];

	/* Words are about a device that may be the one in trouble, and do not touch it. */
	if (x->action->words)
		return true;
	if (!d)
		return refuse(out, "wait until it was polled", "railtop has no data of %s yet",
			x->at->device->name);
	if (d->state != DEV_FRESH && d->state != DEV_LATE)
		return refuse(out, "railtop check shows why it does not answer",
			"the data of %s is %s: %s", d->name, dev_state_words(d->state),
			d->err->code != ERR_NONE ? d->err->text
			: d->last_ok_us ? str_age(x->now_us - d->last_ok_us, text, sizeof(text))
					: "no data was received");
	age = x->now_us - d->counters_us;
	if (!d->counters_us || device_blind(d))
		return refuse(out, "railtop check shows the questions that it does not answer",
			"%s answers, but reports no port counters", d->name);
	if (age > 2 * d->interval_us + COUNTERS_SLACK_US)
		return refuse(out, "wait for the next poll", "the counters of %s are %lld s old",
			d->name, (long long)(age / CLOCK_SEC));
	return true;
}

bool guard_fresh_read(const struct guard_context *x, struct refusal *out)
{
	int64_t age;

	/* Words are about a device that may be the one in trouble, and do not touch it. */
	if (x->action->words)
		return true;
	if (!x->condition || !x->condition->at_us)
		return refuse(out, CURE_AGAIN, "the device has not been read yet");
	age = x->now_us - x->condition->at_us;
	if (age > READ_FRESH_US)
		return refuse(out, CURE_AGAIN, "the device was read %lld s ago, 10 s are allowed",
			(long long)(age / CLOCK_SEC));
	if (age < -CLOCK_SEC)
		return refuse(out, "correct the clock of this machine, then plan the action again",
			"the device was read in the future: the clock was set back");
	return true;
}

/* ---- agreement ---- */

static bool states_agree(const struct guard_context *x, const char *what, enum oper model,
	enum oper now, bool needed, struct refusal *out)
{
	char cure[120];

	(void)str_printf(cure, sizeof(cure),
		"wait for the next poll (%lld s), then plan the action again",
		(long long)(x->at->dev->interval_us / CLOCK_SEC));
	if (model == OPER_UNKNOWN || now == OPER_UNKNOWN) {
		if (!needed)
			return true;
		return refuse(out, cure, "the %s state of %s is not known: polled %s, read %s",
			what, x->at->port->name, oper_name(model), oper_name(now));
	}
	if (model == now)
		return true;
	return refuse(out, cure, "the %s state of %s was polled as %s and read as %s", what,
		x->at->port->name, oper_name(model), oper_name(now));
}

/* Whether the model knows of a watchdog on the port: 1, 0; -1: the device did not report it. */
static int polled_watchdog(const struct port *p)
{
	int has = -1;

	for (int q = 0; q < PRIORITIES; q++) {
		if (p->wd[q].state == WD_OPERATIONAL || p->wd[q].state == WD_STORMED ||
			(p->wd[q].state == WD_UNKNOWN && p->wd[q].detect_ms))
			return 1;
		if (p->wd[q].state == WD_OFF)
			has = 0;
	}
	return has;
}

static bool queue_agrees(const struct guard_context *x, int q, struct refusal *out)
{
	const struct watchdog *w = &x->at->port->wd[q];
	const struct condition *c = x->condition;

	if (w->state != WD_UNKNOWN && c->wd_state[q] != WD_UNKNOWN && w->state != c->wd_state[q])
		return refuse(out, "wait for the next poll, then plan the action again",
			"the watchdog of queue %d was polled as %s and read as %s", q,
			wd_state_name((enum wd_state)w->state),
			wd_state_name((enum wd_state)c->wd_state[q]));
	if (w->state != WD_OPERATIONAL && w->state != WD_STORMED)
		return true;
	if ((w->detect_ms && c->wd_set.detect_ms && w->detect_ms != c->wd_set.detect_ms) ||
		(w->restore_ms && c->wd_set.restore_ms && w->restore_ms != c->wd_set.restore_ms))
		return refuse(out, "wait for the next poll, then plan the action again",
			"the watchdog's timers were polled as %u/%u ms and read as %u/%u ms",
			w->detect_ms, w->restore_ms, c->wd_set.detect_ms, c->wd_set.restore_ms);
	if (w->action[0] && c->wd_set.action[0] && !str_eq(w->action, c->wd_set.action))
		return refuse(out, "wait for the next poll, then plan the action again",
			"the watchdog's action was polled as %s and read as %s", w->action,
			c->wd_set.action);
	return true;
}

static bool watchdogs_agree(const struct guard_context *x, struct refusal *out)
{
	int polled = polled_watchdog(x->at->port), now = x->condition->wd;

	if (now < 0)
		return refuse(out, "check the device",
			"the device does not report if %s has a watchdog", x->at->port->name);
	if (polled < 0)
		return refuse(out, "wait for the next poll; see railtop check for PFC watchdog",
			"the watchdog of %s has not been polled yet", x->at->port->name);
	/* The poll reports a configured watchdog that does not run as off. */
	if (polled && !now)
		return refuse(out, "wait for the next poll, then plan the action again",
			"the watchdog of %s was polled as on, and is off now", x->at->port->name);
	for (int q = 0; q < PRIORITIES; q++)
		if (!queue_agrees(x, q, out))
			return false;
	return true;
}

static bool sessions_agree(const struct guard_context *x, struct refusal *out)
{
	const struct device *d = x->at->dev;
	const struct condition *c = x->condition;

	if (!c->bgp_peer[0])
		return true; /* no session on the link: it is drained by its port */
	if (c->bgp_shut < 0)
		return refuse(out, "check the device",
			"the device does not report if the session with %s is shut", c->bgp_peer);
	for (size_t i = 0; i < d->bgp.n; i++) {
		const struct bgp_session *s = &d->bgp.at[i];
		/* Some devices report a session that was shut as one that is down. */
		bool fits = c->bgp_shut ? s->state != BGP_ESTABLISHED : s->state != BGP_ADMIN_DOWN;

		if (!str_eq(s->peer, c->bgp_peer) || s->gone || s->state == BGP_UNKNOWN)
			continue;
		if (fits)
			return true;
		return refuse(out, "wait for the next poll of BGP, then plan the action again",
			"the session with %s was polled as %s and read as %s", s->peer,
			bgp_state_name((enum bgp_state)s->state),
			c->bgp_shut ? "shut" : "not shut");
	}
	return refuse(out, "wait for the next poll of BGP; see railtop check for BGP sessions",
		"the session with %s has not been polled", c->bgp_peer);
}

bool guard_agreement(const struct guard_context *x, struct refusal *out)
{
	const struct port *p = x->at->port;
	const struct condition *c = x->condition;
	enum guard_subject about;
	bool port;

	if (!(x->action->needs & NEED_AGREEMENT))
		return true;
	if (!c || !x->at->dev)
		return refuse(out, CURE_AGAIN, "the device has not been read yet");
	about = guard_subject(x);
	if (about == ABOUT_COUNTERS)
		return c->counters >= 0 ||
		       refuse(out, "check the device",
			       "the device does not report if the counters are on");
	if (!p || about == ABOUT_NOTHING)
		return refuse(out, CURE_AGAIN, "the current setting is not known");
	port = about == ABOUT_PORT || (about == ABOUT_SESSION && !c->bgp_peer[0]);
	if (!states_agree(x, "admin", p->admin, c->admin, port, out) ||
		!states_agree(x, "link", p->oper, c->oper, port, out))
		return false;
	if (about == ABOUT_SESSION)
		return sessions_agree(x, out);
	return about != ABOUT_WATCHDOG || watchdogs_agree(x, out);
}

/* ---- others at work, PFC, timers ---- */

bool guard_pending(const struct guard_context *x, struct refusal *out)
{
	if (x->action->words)
		return true;
	if (!x->condition)
		return refuse(out, CURE_AGAIN,
			"railtop cannot check for unapplied changes of other users");
	if (x->condition->hazard[0])
		return refuse(out, "correct this on the device first", "%s", x->condition->hazard);
	if (x->condition->pending == 1)
		return refuse(out, "apply or discard them, then plan the action again",
			"%s has unapplied changes of a user", x->at->device->name);
	return true;
}

bool guard_pfc(const struct guard_context *x, struct refusal *out)
{
	const struct port *p = x->at->port;
	uint8_t want = action_priorities(x->at);
	int mask = -1;

	if (!(x->action->needs & NEED_PFC_ON))
		return true;
	if (x->condition && x->condition->pfc >= 0)
		mask = x->condition->pfc;
	else if (p && p->pfc_enabled & 0x100)
		mask = p->pfc_enabled & 0xff;
	if (mask < 0)
		return refuse(out, "see railtop check for PFC settings",
			"the PFC setting of %s is not known", p ? p->name : "the port");
	if ((uint8_t)mask & want)
		return true;
	return refuse(out,
		x->condition && x->condition->wd == 1
			? "PFC was removed there and its watchdog stayed: stop the watchdog on the "
			  "port, or configure PFC again"
			: "configure PFC there first: a watchdog without it is skipped",
		"PFC is off on %s for all of priorities 0x%02x", p ? p->name : "the port", want);
}

bool guard_timers(const struct guard_context *x, struct refusal *out)
{
	const struct plan_actions *a = &x->at->plan->actions;

	if (!(x->action->needs & NEED_TIMERS))
		return true;
	if (a->wd_detect_ms && a->wd_restore_ms && a->wd_action[0])
		return true;
	return refuse(out,
		"state actions.watchdog in fabric.yaml: {action: drop, detect: 200ms, restore: "
		"400ms}",
		"the inventory does not state the site's watchdog: %s is missing",
		!a->wd_action[0]   ? "action"
		: !a->wd_detect_ms ? "detect"
				   : "restore");
}
