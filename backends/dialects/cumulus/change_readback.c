/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/cumulus/change.h"

#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/parse/bgp_neighbors.h"
#include "backends/parse/cells.h"
#include "backends/parse/first_line.h"
#include "backends/parse/tree.h"
#include "base/str.h"

/* Decodes the condition of a port from NVUE's branches. Absent values are unknown. */

#define BIT(v)   (1u << VERB_##v)
#define WATCHDOG (BIT(WD_STOP) | BIT(WD_START))
#define OF_LINK  (BIT(PORT_DOWN) | BIT(PORT_UP) | BIT(BGP_DOWN) | BIT(BGP_UP))

static void see_link(const struct order *o, const struct json_value *v, struct condition *c)
{
	const char *admin = tree_word(json_value_get(v, "admin-status"));
	const char *oper = tree_word(tree_either(v, "oper-status", "state"));

	if (*admin)
		c->admin = str_eq(admin, "up") ? OPER_UP : OPER_DOWN;
	if (*oper)
		c->oper = str_eq(oper, "up") ? OPER_UP : OPER_DOWN;
	if ((OF_LINK >> o->verb & 1) && tree_is_on(json_value_get(v, "protodown")))
		(void)str_printf(c->hazard, sizeof(c->hazard),
			"the switch itself keeps the port down (protodown)");
}

static void see_watchdog(const struct order *o, const struct json_value *v, struct condition *c)
{
	const char *state = tree_word(json_value_get(v, "state"));
	uint64_t n;

	(void)o;
	if (!*state)
		return;
	c->wd = tree_is_on(json_value_get(v, "state"));
	c->wd_global = 1;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *row =
			tree_row(json_value_get(v, "status"), "traffic-class", p);
		const char *word = tree_word(json_value_get(row, "status"));

		if (!c->wd)
			c->wd_state[p] = WD_OFF;
		else if (str_eq(word, "DEADLOCK"))
			c->wd_state[p] = WD_STORMED;
		else if (*word)
			c->wd_state[p] = WD_OPERATIONAL;
		if (c->wd && json_value_u64(json_value_get(row, "deadlock-count"), &n))
			c->wd_storms[p] = n;
	}
}

/* The poll interval, and the number of polls in a row that must find a queue stuck. */
static void see_times(const struct order *o, const struct json_value *v, struct condition *c)
{
	double seconds, times;

	(void)o;
	if (tree_duration_s(json_value_get(v, "polling-interval"), 1e-3, &seconds) &&
		json_value_real(json_value_get(v, "robustness"), &times) == NUMBER_OK &&
		seconds > 0 && times > 0 && seconds * times < 3600)
		c->wd_set.detect_ms = (unsigned)(seconds * times * 1000 + 0.5);
}

static void see_pfc(const struct order *o, const struct json_value *v, struct condition *c)
{
	const char *rx = json_value_text_or(tree_either(v, "rx-enable", "rx"), "");
	const char *tx = json_value_text_or(tree_either(v, "tx-enable", "tx"), "");
	const char *list = json_value_text(json_value_get(v, "pfc-priority"));
	unsigned mask = list ? parse_priorities(list) : 0;

	(void)o;
	if (!list && !json_value_get(v, "switch-priority"))
		return;
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (tree_row(json_value_get(v, "switch-priority"), "switch-priority", p))
			mask |= 1U << p;
	/* A profile can exist and be disabled. */
	c->pfc = str_starts(rx, "disable") && str_starts(tx, "disable") ? 0 : (int)mask;
}

static void see_counters(const struct order *o, const struct json_value *v, struct condition *c)
{
	uint64_t n;

	(void)o;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *row =
			tree_row(json_value_get(v, "pfc-stats"), "switch-priority", p);

		if (tree_amount(json_value_get(row, "rx-pause-frames"), &n))
			c->rx_pause[p] = n;
	}
}

/* ---- BGP ---- */

static bool is_peer(const struct order *o, const char *name)
{
	return str_eq(name, *o->peer ? o->peer : o->port);
}

static void see_sessions(const struct order *o, const struct json_value *v, struct condition *c)
{
	const struct json_value *all = json_value_get(v, "neighbor");
	const char *found = NULL;
	unsigned n = 0;
	struct obs *obs;
	uint32_t asn = json_value_as_number(json_value_get(v, "autonomous-system"));

	if (asn)
		c->bgp_asn = asn;
	for (json_value_members(one, all)) {
		if (!is_peer(o, json_value_name(one)))
			continue;
		found = json_value_name(one);
		n++;
	}
	if (n != 1 || strlen(found) >= sizeof(c->bgp_peer))
		return;
	(void)str_copy(c->bgp_peer, sizeof(c->bgp_peer), found);
	obs = obs_new("", "");
	(void)bgp_read_neighbors(all, obs);
	for (size_t i = 0; i < obs->bgp.n; i++)
		if (str_eq(obs_text(obs, obs->bgp.at[i].peer), found))
			c->bgp = obs->bgp.at[i].state;
	obs_free(obs);
	if (c->bgp == BGP_ADMIN_DOWN)
		c->bgp_shut = 1;
}

/* Reads the configured state, whatever the session is doing. */
static void see_configured(const struct order *o, const struct json_value *v, struct condition *c)
{
	unsigned n = 0;
	int shut = -1;

	for (json_value_members(one, v)) {
		if (!is_peer(o, json_value_name(one)))
			continue;
		n++;
		/* Absent: the default. */
		shut = tree_is_on(json_value_get(one, "shutdown"));
	}
	if (n == 1 && c->bgp_shut != 1)
		c->bgp_shut = shut;
}

/* ---- all of it ---- */

const struct cumulus_question cumulus_questions[] = {
	{"change-link", "interface/%/link", WATCHDOG | OF_LINK, .vital = true, .see = see_link},
	{"change-watchdog", "interface/%/qos/pfc-watchdog", WATCHDOG, .vital = true,
		.see = see_watchdog},
	{"change-times", "qos/pfc-watchdog", WATCHDOG, .see = see_times},
	{"change-pfc", "interface/%/qos/pfc", WATCHDOG, .see = see_pfc},
	{"change-counters", "interface/%/counters/qos", WATCHDOG, .see = see_counters},
	{"change-bgp", "vrf/default/router/bgp", OF_LINK, .see = see_sessions},
	{"change-shutdown", "vrf/default/router/bgp/neighbor", OF_LINK, .config = true,
		.see = see_configured},
};
const size_t cumulus_question_count = sizeof(cumulus_questions) / sizeof(cumulus_questions[0]);

/* True: the document of changes has a leaf; {"set": {}} has none. */
static bool has_leaf(const struct json_value *v, int depth)
{
	if (depth > 16)
		return true;
	for (json_value_items(one, v))
		if (has_leaf(one, depth + 1))
			return true;
	for (json_value_members(one, v)) {
		/* An empty object below "set" is a value: "state: {down: {}}". */
		if (!json_value_is(one, DV_OBJECT) && !json_value_is(one, DV_ARRAY))
			return true;
		if (has_leaf(one, depth + 1) || (depth > 1 && !json_value_first(one, DV_OBJECT)))
			return true;
	}
	return false;
}

/* Reads YAML with colours of a terminal, or JSON; empty if nothing is pending. */
static void see_pending(const struct reply *r, struct condition *c)
{
	size_t at = 0;
	const char *text = r->bytes + strspn(r->bytes, " \t\r\n");
	struct json_value *doc;

	if (r->status != 0)
		return;
	if (!*text || !strncmp(text, "[]", 2) || !strncmp(text, "{}", 2)) {
		c->pending = 0;
		return;
	}
	doc = json_value_parse_next(r->bytes, r->len, &at, "", NULL);
	if (doc)
		c->pending = has_leaf(doc, 0);
	else if (str_starts(text, "- set:") || str_starts(text, "- unset:"))
		c->pending = 1;
	free(doc);
}

static const struct cumulus_question *find_question(const char *name)
{
	for (size_t i = 0; i < cumulus_question_count; i++)
		if (str_eq(cumulus_questions[i].name, name))
			return &cumulus_questions[i];
	return NULL;
}

static bool see_answer(const struct target *t, const struct order *o,
	const struct cumulus_question *q, const struct reply *r, struct condition *c,
	struct err *err)
{
	struct json_value *doc = json_value_parse(r->bytes, r->len, t->device, err);
	char line[160];
	uint64_t status;
	/* RFC 7807: {"title": "Not Found", "status": 404, "detail": ...}. */
	bool problem = json_value_get(doc, "title") &&
		       json_value_u64(json_value_get(doc, "status"), &status);
	bool https = t->transport == TRANSPORT_HTTPS;
	bool ok = doc && !problem && (!https || (r->status >= 200 && r->status <= 299));

	if (ok)
		q->see(o, doc, c);
	else if (q->vital || (https && (r->status == 401 || r->status == 403)))
		err_set(err, ERR_PROTOCOL, t->device, "NVUE does not report \"%s\": %s", q->path,
			problem ? json_value_text_or(json_value_get(doc, "detail"), "")
				: parse_first_line(r->bytes, r->len, line, sizeof(line)));
	else
		ok = true;
	free(doc);
	return ok;
}

bool cumulus_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err)
{
	const struct cumulus_question *q = find_question(request);

	/* A separate revision includes no changes of other users. */
	if (t->transport == TRANSPORT_HTTPS)
		c->pending = 0;
	if (str_eq(request, CUMULUS_PENDING)) {
		see_pending(r, c);
		return true;
	}
	if (!q)
		return err_set(err, ERR_INTERNAL, t->device, "railtop has no question %s", request);
	return see_answer(t, o, q, r, c, err);
}
