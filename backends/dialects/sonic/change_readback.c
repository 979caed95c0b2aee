/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "backends/dialects/sonic/change.h"
#include "base/str.h"

/* Decodes the condition of a port from the output of sonic_condition_lua and FRR. */

/* ---- the watchdog ---- */

static enum wd_state state_of(const char *text)
{
	return str_eq(text, "stormed")       ? WD_STORMED
	       : str_eq(text, "operational") ? WD_OPERATIONAL
					     : WD_UNKNOWN;
}

static void note_hazard(struct condition *c, const char *text)
{
	if (!*c->hazard)
		(void)str_copy(c->hazard, sizeof(c->hazard), text);
}

static bool is_watchdog(const struct order *o)
{
	return o->verb == VERB_WD_STOP || o->verb == VERB_WD_START || o->verb == VERB_WD_RECOVER;
}

/* orchagent lists the queues in a storm: "3", "storm". */
static void see_storms(const struct json_value *doc, struct condition *c)
{
	const struct json_value *list = json_value_get(doc, "storm"), *queue = NULL, *state = NULL;
	unsigned p;

	while (json_value_pair(list, &queue, &state))
		if (parse_index(json_value_text_or(queue, ""), "", PRIORITIES, &p) &&
			str_eq(json_value_text_or(state, ""), "storm"))
			c->wd_state[p] = WD_STORMED;
}

/* Returns true if some queue is watched. */
static bool see_queues(const struct json_value *doc, const struct order *o, struct condition *c)
{
	const struct json_value *fields = json_value_get(doc, "qf");
	bool watched = false;
	unsigned p;

	for (json_value_members(row, json_value_get(doc, "q"))) {
		if (!parse_index(json_value_name(row), "", PRIORITIES, &p))
			continue;
		c->wd_state[p] = (uint8_t)state_of(sonic_text(fields, row, "PFC_WD_STATUS"));
		watched |= c->wd_state[p] != WD_UNKNOWN;
		(void)json_value_u64(
			sonic_value(fields, row, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"),
			&c->wd_storms[p]);
		if (is_watchdog(o) && str_eq(sonic_text(fields, row, "DEBUG_STORM"), "enabled"))
			note_hazard(c, "a storm is simulated on the port: DEBUG_STORM is enabled");
	}
	see_storms(doc, c);
	return watched;
}

static unsigned read_ms(const struct json_value *v)
{
	uint64_t n;

	return json_value_u64(v, &n) && n <= 1000000 ? (unsigned)n : 0;
}

static void see_row(const struct json_value *doc, const struct order *o, struct condition *c)
{
	const struct json_value *fields = json_value_get(doc, "wf"),
				*row = json_value_get(doc, "w");
	const char *key = json_value_text_or(json_value_get(doc, "wk"), ""), *action;

	c->wd = json_value_is(row, DV_ARRAY);
	if (!c->wd)
		return;
	action = sonic_text(fields, row, "action");
	(void)str_copy(c->wd_set.action, sizeof(c->wd_set.action), *action ? action : "drop");
	c->wd_set.detect_ms = read_ms(sonic_value(fields, row, "detection_time"));
	c->wd_set.restore_ms = read_ms(sonic_value(fields, row, "restoration_time"));
	c->wd_set.history = str_eq(sonic_text(fields, row, "pfc_stat_history"), "enable");
	if (is_watchdog(o) && strchr(key, ','))
		note_hazard(c, "the watchdog's row is shared by several ports: it cannot be "
			       "changed for one");
}

static void see_watchdog(const struct json_value *doc, const struct order *o, struct condition *c)
{
	const struct json_value *all = json_value_get(doc, "all");
	bool watched = see_queues(doc, o, c);

	see_row(doc, o, c);
	/* A row that orchagent has not adopted yet does not guard the port. */
	if (o->verb == VERB_WD_START && c->wd == 1 && !watched)
		c->wd = -1;
	c->wd_poll_ms = read_ms(json_value_at(all, 0));
	if (is_watchdog(o) && str_eq(json_value_text_or(json_value_at(all, 1), ""), "enable"))
		note_hazard(c, "the watchdog's big red switch is on: all lossless traffic of the "
			       "switch is dropped");
}

/* ---- the port ---- */

static enum oper oper_of(const char *text)
{
	return str_eq(text, "up") ? OPER_UP : str_eq(text, "down") ? OPER_DOWN : OPER_UNKNOWN;
}

static void see_port(const struct json_value *doc, struct condition *c)
{
	const struct json_value *appl = json_value_get(doc, "appl"),
				*rx = json_value_get(doc, "rx");
	const char *pfc = json_value_text_or(json_value_at(json_value_get(doc, "qos"), 0), "");

	/*
	 * APPL_DB is the state in force; CONFIG_DB is the intended one, and changes a moment
	 * earlier.
	 */
	c->admin = oper_of(json_value_text_or(json_value_at(appl, 0), ""));
	if (c->admin == OPER_UNKNOWN)
		c->admin = oper_of(json_value_text_or(json_value_get(doc, "conf"), "down"));
	c->oper = oper_of(json_value_text_or(json_value_at(appl, 1), ""));
	c->pfc = parse_priorities(pfc);
	for (unsigned p = 0; p < PRIORITIES; p++)
		(void)json_value_u64(json_value_at(rx, p), &c->rx_pause[p]);
}

/* ---- counters ---- */

static void see_counters(const struct json_value *doc, const struct order *o, struct condition *c)
{
	const char *status = json_value_text_or(json_value_get(doc, "flex"), "");

	if (str_eq(status, "enable") || str_eq(status, "disable"))
		c->counters = status[0] == 'e';
	else if (str_eq(o->group, "wredqueue")) /* off by default */
		c->counters = 0;
	if (str_eq(o->group, "wredqueue") &&
		str_eq(json_value_text_or(json_value_path(doc, "can.ecn"), ""), "false"))
		note_hazard(c, "the ASIC of this switch does not count ECN marks by queue");
}

/* ---- BGP ---- */

struct ip {
	int family;
	unsigned char at[16];
};

static bool ip_of(const char *text, size_t n, struct ip *out)
{
	char copy[64];

	memset(out, 0, sizeof(*out));
	if (!str_copyn(copy, sizeof(copy), text, n))
		return false;
	out->family = strchr(copy, ':') ? AF_INET6 : AF_INET;
	return inet_pton(out->family, copy, out->at) == 1;
}

static bool ip_eq(const struct ip *a, const struct ip *b)
{
	return a->family == b->family && memcmp(a->at, b->at, sizeof(a->at)) == 0;
}

/* The other end of "10.0.0.0/31"; false: the subnet has more than two addresses. */
static bool far_end(const char *cidr, struct ip *out)
{
	size_t n = strcspn(cidr, "/"), last;
	uint64_t bits = 0;

	if (!ip_of(cidr, n, out) || !cidr[n] ||
		!parse_u64(cidr + n + 1, strlen(cidr + n + 1), &bits))
		return false;
	last = out->family == AF_INET ? 3 : 15;
	if (bits == 8 * last + 7)
		out->at[last] ^= 1;
	else if (bits == 8 * last + 6)
		out->at[last] ^= 3;
	else
		return false;
	return true;
}

/* True: the neighbour is the link partner of the port. */
static bool is_of_port(const struct json_value *doc, const char *neighbor, const char *local)
{
	struct ip own, ours, far, theirs;

	if (!ip_of(neighbor, strlen(neighbor), &theirs))
		return false; /* a session of another VRF: "Vrf1|10.0.0.1" */
	for (json_value_items(cidr, json_value_get(doc, "ips"))) {
		const char *text = json_value_text_or(cidr, "");

		if (ip_of(text, strcspn(text, "/"), &own) && ip_of(local, strlen(local), &ours) &&
			ip_eq(&own, &ours))
			return true;
		if (far_end(text, &far) && ip_eq(&far, &theirs))
			return true;
	}
	return false;
}

static void take_session(const struct json_value *doc, const struct order *o, const char *neighbor,
	const struct json_value *row, struct condition *c)
{
	const struct json_value *fields = json_value_get(doc, "nf");
	const char *admin = sonic_text(fields, row, "admin_status");

	if (*c->bgp_peer) {
		if (o->verb == VERB_BGP_DOWN || o->verb == VERB_BGP_UP)
			note_hazard(c, "several BGP sessions run over this link: one of them does "
				       "not drain it");
		if (!str_eq(o->peer, neighbor))
			return;
	}
	if (!str_copy(c->bgp_peer, sizeof(c->bgp_peer), neighbor))
		return;
	if (!*admin)
		admin = json_value_text_or(json_value_at(json_value_get(doc, "meta"), 1), "up");
	c->bgp_shut = str_eq(admin, "up") ? 0 : str_eq(admin, "down") ? 1 : -1;
	if (c->bgp == BGP_UNKNOWN)
		c->bgp = bgp_state_by_name(sonic_text(fields, row, "state"));
}

static void see_neighbors(const struct json_value *doc, const struct order *o, struct condition *c)
{
	const struct json_value *fields = json_value_get(doc, "nf");

	c->bgp_asn = json_value_as_number(json_value_at(json_value_get(doc, "meta"), 0));
	for (json_value_members(row, json_value_get(doc, "near")))
		if (is_of_port(doc, json_value_name(row), sonic_text(fields, row, "local_addr")))
			take_session(doc, o, json_value_name(row), row, c);
}

/* ---- the answers ---- */

/* Reads one ASIC, or the whole switch. Returns false if the port is on another ASIC. */
static bool see_part(const struct json_value *doc, const struct order *o, struct condition *c)
{
	uint64_t has = 0;

	if (*o->port) {
		if (!json_value_u64(json_value_get(doc, "has"), &has) || !has)
			return false;
		see_watchdog(doc, o, c);
		see_port(doc, c);
		see_neighbors(doc, o, c);
	} else {
		see_counters(doc, o, c);
	}
	/* The configuration is in force: no other changes are pending. */
	c->pending = 0;
	return true;
}

static bool is_condition(const struct json_value *doc)
{
	return json_value_is(json_value_get(doc, "appl"), DV_ARRAY) &&
	       json_value_is(json_value_get(doc, "qf"), DV_ARRAY) &&
	       json_value_is(json_value_get(doc, "t"), DV_ARRAY);
}

static bool see_condition(const struct target *t, const struct order *o, const struct reply *r,
	struct condition *c, struct err *err)
{
	const char *end = r->bytes + r->len, *stop;
	bool found = false, read = false;

	for (const char *at = r->bytes; at < end; at = stop) {
		struct err why = {0};
		struct json_value *doc;

		if (str_starts(at, SONIC_ASIC_MARK))
			at += strcspn(at, "\n");
		stop = sonic_next_part(at, end);
		doc = json_value_parse(at, (size_t)(stop - at), t->device, &why);
		if (!doc || !is_condition(doc)) {
			free(doc);
			return sonic_explain(at, (size_t)(stop - at), t->device, err);
		}
		read = true;
		found |= see_part(doc, o, c);
		free(doc);
	}
	if (!read)
		return sonic_explain(r->bytes, r->len, t->device, err);
	if (found)
		return true;
	err_set(err, ERR_REFUSED, t->device, "the switch has no port %s", o->port);
	return err_cure(err, "show interfaces status on the switch");
}

static bool see_sessions(const struct target *t, const struct order *o, const struct reply *r,
	struct condition *c, struct err *err)
{
	struct obs *batch = obs_new(t->device, SONIC_SESSIONS);
	bool ok = sonic_parse_bgp(t, r->bytes, r->len, batch, err);

	for (size_t i = 0; ok && i < batch->bgp.n; i++) {
		const struct obs_bgp *b = &batch->bgp.at[i];

		if (str_eq(obs_text(batch, b->peer), o->peer) &&
			str_eq(obs_text(batch, b->vrf), "default"))
			c->bgp = b->state;
	}
	obs_free(batch);
	return ok;
}

bool sonic_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err)
{
	if (str_eq(request, SONIC_CONDITION))
		return see_condition(t, o, r, c, err);
	if (str_eq(request, SONIC_SESSIONS))
		return see_sessions(t, o, r, c, err);
	return err_set(err, ERR_INTERNAL, t->device, "sonic has no question \"%s\"", request);
}
