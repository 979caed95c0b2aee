/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/actions/support/fake.h"

/* The dialect: pure, as real ones are. */

static bool plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)t, (void)err;
	if (tier == POLL_DETECT)
		(void)requests_ssh(out, "version", "show version", NULL);
	return true;
}

static bool parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *out, struct err *err)
{
	char version[16] = "";

	(void)request, (void)len;
	if (sscanf(bytes, "version %15s", version) != 1)
		return err_set(err, ERR_PROTOCOL, t->device, "not a version");
	obs_fact(out, "version", version);
	return true;
}

static bool reads(const struct request *r)
{
	return r->command && str_starts(r->command, "show ");
}

static bool look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	char text[128];

	if (!facts_get(t->facts, "version")[0])
		return err_set(err, ERR_PROTOCOL, t->device, "it was not detected");
	(void)str_printf(text, sizeof(text), "show port %s", o->port);
	if (o->port[0])
		(void)requests_ssh(out, "port", text, NULL);
	(void)requests_ssh(out, "device", "show device", NULL);
	return true;
}

static bool see_port(const char *bytes, struct condition *c)
{
	char admin[8], oper[8], action[16], state[16], beacon[8];
	unsigned long long rx3 = 0;
	int history = 0;

	if (sscanf(bytes,
		    "admin=%7s oper=%7s wd=%d action=%15s detect=%u restore=%u history=%d "
		    "state=%15s pfc=%d rx3=%llu beacon=%7s",
		    admin, oper, &c->wd, action, &c->wd_set.detect_ms, &c->wd_set.restore_ms,
		    &history, state, &c->pfc, &rx3, beacon) != 11)
		return false;
	c->admin = str_eq(admin, "up") ? OPER_UP : OPER_DOWN;
	c->oper = str_eq(oper, "up") ? OPER_UP : OPER_DOWN;
	c->wd_set.history = history != 0;
	(void)str_copy(
		c->wd_set.action, sizeof(c->wd_set.action), str_eq(action, "-") ? "" : action);
	for (int p = 0; p < PRIORITIES; p++)
		c->wd_state[p] = !c->wd ? WD_OFF : WD_OPERATIONAL;
	if (str_eq(state, "stormed"))
		c->wd_state[3] = WD_STORMED;
	c->rx_pause[3] = rx3;
	c->beacon = str_eq(beacon, "on") ? 1 : str_eq(beacon, "off") ? 0 : -1;
	return true;
}

static bool see_device(const char *bytes, struct condition *c)
{
	char bgp[16], hazard[80];

	if (sscanf(bytes, "peer=%63s asn=%u bgp=%15s shut=%d counters=%d pending=%d hazard=%79s",
		    c->bgp_peer, &c->bgp_asn, bgp, &c->bgp_shut, &c->counters, &c->pending,
		    hazard) != 7)
		return false;
	c->bgp = bgp_state_by_name(bgp);
	if (!str_eq(hazard, "-"))
		(void)str_copy(c->hazard, sizeof(c->hazard), hazard);
	return true;
}

static bool see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err)
{
	(void)o;
	if (str_eq(request, "port") ? see_port(r->bytes, c) : see_device(r->bytes, c))
		return true;
	return err_set(err, ERR_PROTOCOL, t->device, "%s: not understood", request);
}

static bool words(const struct order *o, char *dst, size_t size)
{
	switch (o->verb) {
	case VERB_WD_STOP:
		return str_printf(dst, size, "set %s wd off", o->port);
	case VERB_WD_START:
		return str_printf(dst, size, "set %s wd on %s %u %u %d", o->port, o->wd.action,
			o->wd.detect_ms, o->wd.restore_ms, o->wd.history);
	case VERB_WD_RECOVER:
		return str_printf(dst, size, "set %s wd recover %d", o->port, o->priority);
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		return str_printf(dst, size, "set %s admin %s", o->port,
			o->verb == VERB_PORT_UP ? "up" : "down");
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		return str_printf(dst, size, "set bgp %s %s", o->peer,
			o->verb == VERB_BGP_UP ? "up" : "down");
	case VERB_LOCATE_ON:
	case VERB_LOCATE_OFF:
		return str_printf(dst, size, "set %s beacon %s", o->port,
			o->verb == VERB_LOCATE_ON ? "on" : "off");
	case VERB_COUNTERS_ON:
	case VERB_COUNTERS_OFF:
		return str_printf(dst, size, "set counters %s %s", o->group,
			o->verb == VERB_COUNTERS_ON ? "on" : "off");
	case VERB_PERFTEST_SERVE: /* it has no such programs */
	case VERB_PERFTEST_RUN:
	case VERB_COUNT:
		break;
	}
	return false;
}

static bool command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	bool staged = str_eq(facts_get(t->facts, "version"), "8");
	char text[200], line[240];

	if (!order_check(o, err))
		return false;
	if (o->verb == VERB_WD_START && !now->pfc)
		return err_set(err, ERR_REFUSED, o->port, "no PFC there");
	if (!words(o, text, sizeof(text)))
		return err_set(err, ERR_UNSUPPORTED, t->device, "no words for it");
	if (!staged) {
		requests_ssh(out, "set", text, NULL)->change = true;
		return true;
	}
	requests_ssh(out, "open", "open", NULL)->change = true;
	(void)str_printf(line, sizeof(line), "stage {revision} %s", text);
	requests_ssh(out, "stage", line, NULL)->change = true;
	requests_ssh(out, "apply", "apply {revision}", NULL)->change = true;
	return true;
}

static enum taken taken(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	(void)o;
	if (r->status == 0 && str_starts(r->bytes, "wait"))
		return TAKEN_WAIT;
	if (r->status == 0 && str_eq(request, "open") &&
		sscanf(r->bytes, "revision %63s", notes->revision) == 1)
		return TAKEN_YES;
	if (r->status == 0 && str_starts(r->bytes, "ok"))
		return TAKEN_YES;
	(void)err_set(err, ERR_PROTOCOL, t->device, "the device says: %.100s%.100s", r->bytes,
		r->complaint);
	return TAKEN_NO;
}

#define ALL_VERBS ((1u << VERB_COUNT) - 1)
const struct dialect_changes fake_changes_ops = {
	.verbs = ALL_VERBS & ~(1u << VERB_WD_RECOVER),
	.look = look,
	.see = see,
	.command = command,
	.taken = taken,
};

const struct backend_ops fake_backend = {
	.name = "fake",
	.title = "a device in memory",
	.transports = 1u << TRANSPORT_SSH,
	.plan = plan,
	.parse = parse,
	.reads = reads,
	.changes = &fake_changes_ops,
};
