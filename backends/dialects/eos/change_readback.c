/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/change_lines.h"
#include "backends/dialects/eos/eos.h"
#include "backends/dialects/eos/change.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Reads the condition of a port before and after a change. The configuration and the BGP session
 * are one text, so that the link partner's address can be found among the neighbours. Each command
 * with a model is a request of its own, so that a release without one of them still answers the
 * others.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LINES        4
#define OWN          4 /* addresses of a port */

#define V(verb) (1u << VERB_##verb)
#define WD      (V(WD_STOP) | V(WD_START))
#define LINK    (V(PORT_DOWN) | V(PORT_UP) | V(BGP_DOWN) | V(BGP_UP))
#define LIGHT   (V(LOCATE_ON) | V(LOCATE_OFF))
#define ALL     (WD | LINK | LIGHT)

typedef bool see_text_fn(
	const struct target *t, const struct order *o, const char *text, struct condition *c);
typedef bool see_json_fn(const struct target *t, const struct order *o,
	const struct json_value *body, struct condition *c);

static see_text_fn see_config;
static see_json_fn see_port, see_sessions, see_watchdog, see_pause, see_light;

/* vital: number of its lines that must be answered; 0: the whole question may be refused. */
static const struct question {
	const char *request;
	unsigned verbs;
	const char *lines[LINES];
	size_t vital;
	see_text_fn *text;
	see_json_fn *json;
} questions[] = {
	{"look-config", WD, {"enable", "show running-config interfaces {port}"}, 2, see_config,
		NULL},
	{"look-link", LINK,
		{"enable", "show running-config interfaces {port}",
			"show running-config section bgp", "show bgp summary vrf all"},
		2, see_config, NULL},
	{"look-port", ALL, {"show interfaces {port}"}, 1, NULL, see_port},
	{"look-sessions", WD | LINK, {"show configuration sessions"}, 0, NULL, see_sessions},
	{"look-watchdog", WD, {"show priority-flow-control counters watchdog"}, 0, NULL,
		see_watchdog},
	{"look-pause", WD, {"show interfaces {port} priority-flow-control counters detail"}, 0,
		NULL, see_pause},
	{"look-light", LIGHT, {"show locator-led"}, 0, NULL, see_light},
};

/* ---- requests ---- */

static bool fill_lines(
	const struct question *q, const struct order *o, struct change_lines *l, struct err *err)
{
	*l = (struct change_lines){0};
	for (size_t i = 0; i < LINES && q->lines[i]; i++) {
		char *line;

		if (!order_fill(q->lines[i], o, &line, err))
			return false;
		change_line(l, "%s", line);
		free(line);
	}
	return true;
}

static void ask_cli(const struct question *q, struct change_lines *l, struct request_list *out)
{
	char *text;

	for (size_t i = 0; i < l->n; i++) {
		size_t n = strlen(l->at[i]);

		if (!str_eq(l->at[i], "enable"))
			(void)str_printf(l->at[i] + n, CHANGE_LINE_MAX - n, " | %s",
				q->json ? "json" : "no-more");
	}
	text = change_lines_join(l, "\n");
	(void)requests_ssh(out, q->request, text, NULL);
	free(text);
}

bool eos_look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	/* The neighbour is not known yet; this query finds it. */
	struct order port_only = *o;
	struct change_lines l;

	port_only.verb = VERB_PORT_DOWN;
	if (!order_check(&port_only, err))
		return false;
	if (!(ALL >> o->verb & 1))
		return err_set(err, ERR_UNSUPPORTED, t->device, "EOS does not support %s",
			verb_name(o->verb));
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		const struct question *q = &questions[i];
		const char *lines[LINES];

		if (!(q->verbs >> o->verb & 1))
			continue;
		if (!fill_lines(q, o, &l, err))
			return false;
		for (size_t k = 0; k < l.n; k++)
			lines[k] = l.at[k];
		if (t->transport == TRANSPORT_HTTPS)
			(void)eos_rpc(out, q->request, q->json ? "json" : "text", lines, l.n);
		else
			ask_cli(q, &l, out);
	}
	return true;
}

/* ---- the configuration ---- */

struct running {
	const struct order *o;
	struct condition *c;
	enum { ELSEWHERE, IN_PORT, IN_BGP, IN_SUMMARY } where;
	size_t indent; /* of a block's own lines; a VRF or an address family is deeper */
	bool found, profile, in_vrf, pfc_on;
	uint8_t priorities;
	char own[OWN][64];
	size_t owned;
	char group[64]; /* group of the neighbour */
	bool group_shut;
};

static const char *skip_words(const char *line, const char *words)
{
	return str_starts(line, words) ? line + strlen(words) : NULL;
}

/* Converts "0.20" seconds. */
static bool to_ms(const char *word, size_t n, unsigned *ms)
{
	double s;

	if (!word || parse_real(word, n, &s) != NUMBER_OK || !(s > 0 && s < 3600))
		return false;
	*ms = (unsigned)lround(s * 1000);
	return true;
}

static void set_hazard(struct condition *c, const char *text)
{
	(void)str_copy(c->hazard, sizeof(c->hazard), text);
}

/* Reads "timeout 0.20 polling-interval auto recovery-time 0.40 [forced]". */
static void read_timers(struct running *r, const char *at)
{
	const char *w;
	size_t n;

	while ((w = eos_word(&at, &n))) {
		bool timeout = n == 7 && !strncmp(w, "timeout", n);
		bool recovery = n == 13 && !strncmp(w, "recovery-time", n);
		bool polling = n == 16 && !strncmp(w, "polling-interval", n);

		if (timeout || recovery || polling)
			w = eos_word(&at, &n);
		if (timeout)
			(void)to_ms(w, w ? n : 0, &r->c->wd_set.detect_ms);
		else if (recovery)
			(void)to_ms(w, w ? n : 0, &r->c->wd_set.restore_ms);
		else if (!polling || !w || n != 4 || strncmp(w, "auto", n) != 0)
			set_hazard(r->c, "the port's watchdog timer has options beside timeout and "
					 "recovery-time, and could not be restored");
	}
}

static void watchdog_line(struct running *r, const char *rest)
{
	const char *at;
	char word[32];
	size_t n;

	if (!*rest)
		r->c->wd = 1;
	else if ((at = skip_words(rest, " port action ")) && (at = eos_word(&at, &n))) {
		(void)str_copyn(word, sizeof(word), at, n);
		(void)str_copy(
			r->c->wd_set.action, sizeof(r->c->wd_set.action), eos_action_ours(word));
	} else if ((at = skip_words(rest, " port timer")))
		read_timers(r, at);
}

static void port_line(struct running *r, const char *line)
{
	const char *rest;
	uint64_t p;

	if (str_eq(line, "shutdown"))
		r->c->admin = OPER_DOWN;
	else if (skip_words(line, "service-profile "))
		r->profile = true;
	else if (skip_words(line, "vrf "))
		r->in_vrf = true;
	else if ((rest = skip_words(line, "priority-flow-control pause watchdog")))
		watchdog_line(r, rest);
	else if (str_eq(line, "priority-flow-control on"))
		r->pfc_on = true;
	else if ((rest = skip_words(line, "priority-flow-control priority ")) &&
		 parse_leading_u64(rest, strspn(rest, "0123456789"), &p) && p < PRIORITIES &&
		 strstr(rest, " no-drop"))
		r->priorities |= (uint8_t)(1u << p);
	else if (((rest = skip_words(line, "ip address ")) ||
			 (rest = skip_words(line, "ipv6 address "))) &&
		 r->owned < OWN)
		(void)str_copyn(r->own[r->owned++], sizeof(r->own[0]), rest, strcspn(rest, " "));
}

static bool is_far_end(const struct running *r, const char *address)
{
	for (size_t i = 0; i < r->owned && !r->in_vrf; i++)
		if (change_far_end(r->own[i], address))
			return true;
	return false;
}

/* Reads "10.64.3.1 remote-as 65001", "10.64.3.1 shutdown" or "SPINES shutdown". */
static void neighbor_line(struct running *r, const char *line)
{
	size_t n;
	const char *w = eos_word(&line, &n), *group;
	char name[64];

	line += strspn(line, " ");
	if (!w || !str_copyn(name, sizeof(name), w, n))
		return;
	if (!*r->c->bgp_peer && is_far_end(r, name)) {
		(void)str_copy(r->c->bgp_peer, sizeof(r->c->bgp_peer), name);
		r->c->bgp_shut = 0;
	}
	if (*r->group && str_eq(name, r->group) && str_starts(line, "shutdown"))
		r->group_shut = true;
	if (!str_eq(name, r->c->bgp_peer))
		return;
	if (str_starts(line, "shutdown"))
		r->c->bgp_shut = 1;
	group = skip_words(line, "peer group ");
	group = group ? group : skip_words(line, "peer-group ");
	if (group)
		(void)str_copyn(r->group, sizeof(r->group), group, strcspn(group, " "));
}

/* Reads "  10.64.3.1 4 65001 12 12 0 0 01:02:03 Estab 12 12", perhaps after a description. */
static void summary_line(struct running *r, const char *line)
{
	static const struct {
		const char *words;
		enum bgp_state state;
	} states[] = {{"Estab", BGP_ESTABLISHED}, {"Idle(Admin)", BGP_ADMIN_DOWN},
		{"Idle", BGP_IDLE}, {"Active", BGP_ACTIVE}, {"Connect", BGP_CONNECT},
		{"OpenSent", BGP_OPENSENT}, {"OpenConfirm", BGP_OPENCONFIRM}};
	size_t n, len = strlen(r->c->bgp_peer);
	bool mine = false;
	const char *w;

	while (len && (w = eos_word(&line, &n))) {
		mine |= n == len && !strncmp(w, r->c->bgp_peer, n);
		for (size_t i = 0; mine && i < ARRAY_LEN(states); i++)
			if (!strncasecmp(w, states[i].words, strlen(states[i].words))) {
				r->c->bgp = states[i].state;
				return;
			}
	}
}

static void block_begin(struct running *r, const char *line)
{
	char name[NAME_MAX_LEN];
	const char *rest;
	uint64_t asn;

	r->where = ELSEWHERE;
	r->indent = 0;
	if ((rest = skip_words(line, "interface ")) && eos_port_name(rest, strlen(rest), name) &&
		str_eq(name, r->o->port)) {
		r->where = IN_PORT;
		r->found = true;
		r->c->admin = OPER_UP;
	} else if ((rest = skip_words(line, "router bgp "))) {
		r->where = IN_BGP;
		if (str_to_u64(rest, &asn) && asn <= UINT32_MAX)
			r->c->bgp_asn = (uint32_t)asn;
	} else if (skip_words(line, "BGP summary information for VRF default")) {
		r->where = IN_SUMMARY;
	}
}

static void running_line(struct running *r, const char *line)
{
	size_t indent = strspn(line, " ");
	const char *words = line + indent, *rest;

	if (!*words || *words == '!')
		return;
	if (!indent && (r->where != IN_SUMMARY || skip_words(words, "BGP summary "))) {
		block_begin(r, words);
		return;
	}
	if (!r->indent)
		r->indent = indent;
	if (r->where == IN_SUMMARY)
		summary_line(r, words);
	else if (r->where == IN_PORT && indent == r->indent)
		port_line(r, words);
	else if (r->where == IN_BGP && indent == r->indent &&
		 (rest = skip_words(words, "neighbor ")))
		neighbor_line(r, rest);
}

/* A watchdog is off if the port is known to have none; it then forgets storms. */
static void derive_states(struct condition *c)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		bool watched = c->wd == 1 && c->pfc > 0 && (c->pfc >> p & 1);

		if (c->wd == 0)
			c->wd_state[p] = WD_OFF;
		else if (watched && c->wd_state[p] == WD_UNKNOWN && c->wd_storms[p] != UINT64_MAX)
			c->wd_state[p] = WD_OPERATIONAL;
	}
}

static bool see_config(
	const struct target *t, const struct order *o, const char *text, struct condition *c)
{
	struct running r = {.o = o, .c = c};
	char line[256];

	(void)t;
	c->wd_set = (struct wd_setting){0};
	c->wd = 0;
	c->bgp_peer[0] = '\0';
	/* Two passes: a group that is shut precedes the neighbour that belongs to it. */
	for (int pass = 0; pass < 2; pass++) {
		struct eos_lines l = {text, text + strlen(text)};

		while (eos_line(&l, line, sizeof(line)))
			running_line(&r, line);
	}
	/*
	 * An action without timers stays on the port after each change, so there is no setting to
	 * restore.
	 */
	if (!c->wd_set.detect_ms)
		c->wd_set.action[0] = '\0';
	c->pfc = r.pfc_on ? r.priorities : 0;
	if (r.profile && !c->wd)
		c->wd = -1;
	if (r.profile && !c->pfc)
		c->pfc = -1;
	if (r.group_shut) {
		c->bgp_shut = 1;
		set_hazard(c, "the peer group of the port's BGP neighbour is shut");
	}
	derive_states(c);
	return r.found;
}

/* ---- answers with a model ---- */

static bool see_port(const struct target *t, const struct order *o, const struct json_value *body,
	struct condition *c)
{
	const struct json_value *port = json_value_get(json_value_get(body, "interfaces"), o->port);
	const char *line = json_value_text(json_value_get(port, "lineProtocolStatus"));
	const char *status =
		json_value_text_or(json_value_get(port, "interfaceStatus"), "connected");

	(void)t;
	if (!line)
		return false;
	c->oper = str_eq(line, "up") && str_eq(status, "connected") ? OPER_UP : OPER_DOWN;
	return true;
}

/* A session is an uncommitted edit; its commit would revert the change. */
static bool see_sessions(const struct target *t, const struct order *o,
	const struct json_value *body, struct condition *c)
{
	const struct json_value *sessions = json_value_get(body, "sessions");

	(void)t, (void)o;
	if (!json_value_is(sessions, DV_OBJECT))
		return false;
	c->pending = 0;
	for (json_value_members(one, sessions))
		if (str_starts(json_value_text_or(json_value_get(one, "state"), ""), "pending"))
			c->pending = 1;
	return true;
}

static bool see_watchdog(const struct target *t, const struct order *o,
	const struct json_value *body, struct condition *c)
{
	const struct json_value *ports = json_value_get(body, "interfaces");
	const struct json_value *queues =
		json_value_get(json_value_get(ports, o->port), "txQueues");

	(void)t;
	if (!json_value_is(ports, DV_OBJECT))
		return false;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		uint64_t stuck = 0, recovered = 0;
		char key[4];

		(void)str_printf(key, sizeof(key), "%u", p);
		/* A queue is listed only after its first storm. */
		if (json_value_get(queues, key) &&
			!json_value_u64(
				json_value_path(json_value_get(queues, key), "stuckCount"), &stuck))
			return false;
		(void)json_value_u64(
			json_value_get(json_value_get(queues, key), "recoveryCount"), &recovered);
		c->wd_storms[p] = stuck;
		if (stuck > recovered)
			c->wd_state[p] = WD_STORMED;
	}
	derive_states(c);
	return true;
}

static bool see_pause(const struct target *t, const struct order *o, const struct json_value *body,
	struct condition *c)
{
	const struct json_value *port = json_value_get(json_value_get(body, "interfaces"), o->port),
				*one;
	bool any = false;
	char key[4];

	(void)t;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		(void)str_printf(key, sizeof(key), "%u", p);
		one = json_value_get(json_value_get(port, "priorities"), key);
		any |= json_value_u64(json_value_get(one, "rxFrames"), &c->rx_pause[p]);
	}
	return any || json_value_is(json_value_get(body, "interfaces"), DV_OBJECT);
}

/*
 * Reads a list of names, or an object keyed by them. No capture of it is known; another form is
 * ignored.
 */
static bool see_light(const struct target *t, const struct order *o, const struct json_value *body,
	struct condition *c)
{
	const struct json_value *on = json_value_get(body, "interfaces");

	(void)t;
	if (!json_value_is(on, DV_ARRAY) && !json_value_is(on, DV_OBJECT))
		return json_value_is(body, DV_OBJECT);
	c->beacon = json_value_get(on, o->port) != NULL;
	for (json_value_items(one, on))
		c->beacon |= str_eq(json_value_text(one), o->port);
	return true;
}

/* ---- answers ---- */

static const char *request_line(const struct question *q)
{
	return q->lines[q->lines[1] ? 1 : 0];
}

static bool check_understood(
	const struct target *t, const struct question *q, bool ok, struct err *err)
{
	return ok ? true
		  : err_set(err, ERR_PROTOCOL, t->device,
			    "railtop finds no known data in the answer to \"%s\"", request_line(q));
}

static bool apply_json(const struct target *t, const struct order *o, const struct question *q,
	const struct json_value *body, struct condition *c, struct err *err)
{
	struct condition next = *c;
	bool ok = q->json(t, o, body, &next);

	if (ok)
		*c = next;
	return check_understood(t, q, ok, err);
}

static bool apply_text(const struct target *t, const struct order *o, const struct question *q,
	const char *text, struct condition *c, struct err *err)
{
	struct condition next = *c;
	bool ok = q->text(t, o, text, &next);

	if (ok)
		*c = next;
	return check_understood(t, q, ok, err);
}

static bool see_rpc(const struct target *t, const struct order *o, const struct question *q,
	const struct reply *r, struct condition *c, struct err *err)
{
	struct json_value *doc = json_value_parse(r->bytes, r->len, t->device, err);
	const struct json_value *error = json_value_get(doc, "error");
	const struct json_value *results =
		error ? json_value_get(error, "data") : json_value_get(doc, "result");
	size_t n = json_value_length(results), ran = error && n ? n - 1 : error ? 0 : n, left = ran;
	bool ok = doc && (r->status == 200 || error);
	struct buf text;

	if (!doc)
		return false;
	buf_init(&text, (size_t)4 << 20);
	for (json_value_items(one, results)) {
		if (left-- == 0)
			break;
		(void)buf_addf(
			&text, "%s\n", json_value_text_or(json_value_get(one, "output"), ""));
	}
	/* An answer that is not required may be unavailable: its values stay unknown. */
	if (!ok || ran < q->vital)
		ok = eos_rpc_failed(t, r, doc, ran, err);
	else if (q->text)
		ok = apply_text(t, o, q, text.data ? text.data : "", c, err);
	else
		ok = error ? true : apply_json(t, o, q, json_value_at(results, 0), c, err);
	buf_free(&text);
	free(doc);
	return ok;
}

static bool see_cli(const struct target *t, const struct order *o, const struct question *q,
	const struct reply *r, struct condition *c, struct err *err)
{
	bool complains;
	char line[160];
	struct json_value *doc;
	bool ok;

	complains = eos_complaint(r->bytes, r->len, line, sizeof(line));
	if (r->status < 0)
		return err_set(err, ERR_PROTOCOL, t->device, "the answer to \"%s\" was cut off",
			request_line(q));
	/* The required section shows whether the error concerned it. */
	if (q->text && apply_text(t, o, q, r->bytes, c, err))
		return true;
	if (q->text)
		return complains ? eos_said(t, line, err) : false;
	if (complains)
		return q->vital ? eos_said(t, line, err) : true;
	doc = json_value_parse(r->bytes, r->len, t->device, err);
	ok = doc && apply_json(t, o, q, doc, c, err);
	free(doc);
	return ok;
}

bool eos_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(questions); i++)
		if (str_eq(questions[i].request, request))
			return t->transport == TRANSPORT_HTTPS
				       ? see_rpc(t, o, &questions[i], r, c, err)
				       : see_cli(t, o, &questions[i], r, c, err);
	return err_set(err, ERR_INTERNAL, t->device, "eos does not read \"%s\" back", request);
}
