/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"

#include "base/clock.h"
#include "base/str.h"

bool action_can(const struct place_of_action *at, enum verb v)
{
	return (at->can->verbs & VERB_BIT(v)) != 0;
}

bool action_cannot(const struct place_of_action *at, const char *what, struct err *err)
{
	(void)err_set(err, ERR_UNSUPPORTED, at->device->name, "railtop cannot %s on %s over %s",
		what, at->device->dialect ? at->device->dialect : "this system",
		at->device->transport ? at->device->transport : "this transport");
	return err_cure(err,
		"make the change on the device; railtop check lists the actions of this device");
}

char *action_place(const struct place_of_action *at, char *dst, size_t size)
{
	if (!at->port)
		(void)str_copy(dst, size, at->device->name);
	else if (at->priority < 0)
		(void)str_printf(dst, size, "%s:%s", at->device->name, at->port->name);
	else
		(void)str_printf(
			dst, size, "%s:%s:%d", at->device->name, at->port->name, at->priority);
	return dst;
}

/* ---- orders ---- */

struct order order_of(const struct place_of_action *at, enum verb v)
{
	struct order o = {.verb = v, .priority = -1};

	if (at->port)
		(void)str_copy(o.port, sizeof(o.port), at->port->name);
	return o;
}

struct order order_of_bgp(
	const struct place_of_action *at, enum verb v, const struct condition *now)
{
	struct order o = order_of(at, v);

	(void)str_copy(o.peer, sizeof(o.peer), now->bgp_peer);
	o.asn = now->bgp_asn ? now->bgp_asn : at->dev ? at->dev->bgp_as : 0;
	return o;
}

struct step *step_add(step_vec *v, const struct order *o, const struct order *undo)
{
	struct step *s = vec_add(v);

	s->order = *o;
	s->has_undo = undo != NULL;
	if (undo)
		s->undo = *undo;
	return s;
}

static void project_watchdog(const struct order *o, struct condition *c)
{
	bool stop = o->verb == VERB_WD_STOP;

	for (int p = 0; p < PRIORITIES; p++) {
		uint8_t *s = &c->wd_state[p];

		if (stop && *s != WD_UNKNOWN)
			*s = WD_OFF;
		else if (!stop && (o->priority < 0 || o->priority == p) && *s != WD_UNKNOWN)
			*s = WD_OPERATIONAL;
	}
	/* A timer that the switch has for all ports is left alone. */
	if (stop) {
		c->wd = 0;
	} else if (o->verb == VERB_WD_START) {
		c->wd = 1;
		c->wd_set = o->wd;
	}
}

void order_project(const struct order *o, struct condition *c)
{
	switch (o->verb) {
	case VERB_WD_STOP:
	case VERB_WD_START:
	case VERB_WD_RECOVER:
		project_watchdog(o, c);
		break;
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		c->admin = c->oper = o->verb == VERB_PORT_UP ? OPER_UP : OPER_DOWN;
		break;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		c->bgp_shut = o->verb == VERB_BGP_DOWN;
		c->bgp = o->verb == VERB_BGP_DOWN ? BGP_ADMIN_DOWN : BGP_ESTABLISHED;
		break;
	case VERB_LOCATE_ON:
	case VERB_LOCATE_OFF:
		c->beacon = o->verb == VERB_LOCATE_ON;
		break;
	case VERB_COUNTERS_ON:
	case VERB_COUNTERS_OFF:
		c->counters = o->verb == VERB_COUNTERS_ON;
		break;
	case VERB_PERFTEST_SERVE:
	case VERB_PERFTEST_RUN:
	case VERB_COUNT:
		break;
	}
}

/* ---- where it is ---- */

const struct device *action_host_at(const struct model *m, const struct port *p)
{
	const struct port *peer = port_peer(m, p, NULL);
	const struct device *d = model_dev_of(m, p);

	return d->tier != TIER_HOST && peer && model_dev_of(m, peer)->tier == TIER_HOST
		       ? model_dev_of(m, peer)
		       : d;
}

const struct port *action_peer(const struct place_of_action *at)
{
	return at->port && at->model ? port_peer(at->model, at->port, NULL) : NULL;
}

bool action_between_switches(const struct place_of_action *at)
{
	const struct port *peer = action_peer(at);

	return peer && at->device->tier != TIER_HOST &&
	       model_dev_of(at->model, peer)->tier != TIER_HOST;
}

bool action_by_bgp(const struct place_of_action *at)
{
	return at->plan->actions.drain_bgp && action_can(at, VERB_BGP_DOWN) &&
	       action_can(at, VERB_BGP_UP) && action_between_switches(at) && at->dev &&
	       at->dev->bgp.n;
}

uint8_t action_priorities(const struct place_of_action *at)
{
	if (at->priority >= 0 && at->priority < PRIORITIES)
		return (uint8_t)(1u << (unsigned)at->priority);
	return lossless_priorities(&at->plan->lossless);
}

char *wd_setting_text(const struct wd_setting *w, char *dst, size_t size)
{
	const char *gap = w->action[0] ? " " : "";

	if (w->detect_ms && w->restore_ms)
		(void)str_printf(
			dst, size, "%s%s%u/%u ms", w->action, gap, w->detect_ms, w->restore_ms);
	else if (w->detect_ms)
		(void)str_printf(
			dst, size, "%s%s%u ms, no restoration time", w->action, gap, w->detect_ms);
	else if (w->action[0])
		(void)str_copy(dst, size, w->action);
	else
		(void)str_copy(dst, size, "the device's own timers");
	return dst;
}
