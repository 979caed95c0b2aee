/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/change_lines.h"
#include "backends/dialects/nxos/nxos.h"
#include "backends/dialects/nxos/change.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Reads the condition of a port before and after a change. It uses the decoders of polling, so both
 * interpret the switch alike. The link partner comes from the configuration, as text.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LINES        4
#define OWN          4 /* addresses of a port */
#define TIMEOUT_US   INT64_C(20000000)

#define V(verb) (1u << VERB_##verb)
#define WD      (V(WD_STOP) | V(WD_START) | V(WD_RECOVER))
#define LINK    (V(PORT_DOWN) | V(PORT_UP) | V(BGP_DOWN) | V(BGP_UP))
#define LIGHT   (V(LOCATE_ON) | V(LOCATE_OFF))

/* The first line is required. A feature that is off has no commands. */
static const struct question {
	const char *request;
	unsigned verbs;
	bool text;
	const char *lines[LINES];
} questions[] = {
	{"look-port", LINK | LIGHT, false, {"show interface {port}"}},
	{"look-watchdog", WD, false,
		{"show interface {port}", "show queuing pfc-queue interface {port} detail",
			"show interface {port} priority-flow-control",
			"show queuing interface {port}"}},
	{"look-link", LINK, true,
		{"show running-config interface {port}", "show running-config bgp",
			"show bgp all summary vrf all"}},
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

static struct request *ask_cli(const struct target *t, const struct question *q,
	struct change_lines *l, struct request_list *out)
{
	bool old = str_eq(facts_get(t->facts, NXOS_FACT_NATIVE), "no");
	struct request *r;
	char *text;

	for (size_t i = 0; i < l->n && !q->text; i++) {
		size_t n = strlen(l->at[i]);

		(void)str_printf(
			l->at[i] + n, CHANGE_LINE_MAX - n, " | json%s", old ? "" : " native");
	}
	text = change_lines_join(l, " ; ");
	r = requests_ssh(out, q->request, text, NULL);
	free(text);
	return r;
}

static struct request *ask_rpc(
	const struct question *q, const struct change_lines *l, struct request_list *out)
{
	json_t *all = json_array();
	struct request *r;
	char *body;

	for (size_t i = 0; i < l->n; i++)
		json_append(all, json_pack("{s:s,s:s,s:{s:s,s:i},s:I}", "jsonrpc", "2.0", "method",
					 q->text ? "cli_ascii" : "cli", "params", "cmd", l->at[i],
					 "version", 1, "id", (json_int_t)i + 1));
	body = json_dumps(all, JSON_COMPACT);
	r = requests_http(
		out, q->request, "POST", "/ins", "application/json-rpc", body ? body : "");
	free(body);
	json_decref(all);
	return r;
}

bool nxos_look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	/* The neighbour is not known yet; this query finds it. */
	struct order port_only = *o;
	struct change_lines l;

	port_only.verb = VERB_PORT_DOWN;
	if (!order_check(&port_only, err))
		return false;
	if (!((WD | LINK | LIGHT) >> o->verb & 1))
		return err_set(err, ERR_UNSUPPORTED, t->device, "NX-OS does not support %s",
			verb_name(o->verb));
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		const struct question *q = &questions[i];
		struct request *r;

		if (!(q->verbs >> o->verb & 1))
			continue;
		if (!fill_lines(q, o, &l, err))
			return false;
		r = t->transport == TRANSPORT_HTTPS ? ask_rpc(q, &l, out) : ask_cli(t, q, &l, out);
		r->timeout_us = TIMEOUT_US;
	}
	return true;
}

/* ---- answers with a model ---- */

struct seen {
	const struct target *t;
	const struct order *o;
	struct condition *c;
	bool port;     /* the port was in an answer */
	bool watchdog; /* the current body is that of its watchdog */
};

static void port_row(void *ctx, const struct json_value *row)
{
	struct seen *s = ctx;
	const char *state = json_value_text(json_value_get(row, "state"));
	const char *admin = json_value_text(json_value_get(row, "admin_state"));
	const char *light = json_value_text(json_value_get(row, "eth_beacon"));

	/* Other commands have tables of the same name. */
	if (!state || !admin ||
		!str_eq(json_value_text(json_value_get(row, "interface")), s->o->port))
		return;
	s->port = true;
	s->c->oper = str_eq(state, "up") ? OPER_UP : OPER_DOWN;
	s->c->admin = str_eq(admin, "up") ? OPER_UP : OPER_DOWN;
	if (light)
		s->c->beacon = str_eq(light, "on");
}

/* The timers are those of the switch; a port without a watchdog has them as well. */
static void timer_of(void *ctx, const struct json_value *body)
{
	struct seen *s = ctx;
	double ms, stop, back;

	if (json_value_real(json_value_get(body, "glb-wd-timer"), &ms) != NUMBER_OK ||
		!(ms > 0 && ms < 1e5))
		return;
	if (str_to_double(facts_get(s->t->facts, NXOS_FACT_WD_STOP), &stop) && stop > 0 &&
		stop < 1e4)
		s->c->wd_set.detect_ms = (unsigned)(ms * stop);
	if (str_to_double(facts_get(s->t->facts, NXOS_FACT_WD_BACK), &back) && back > 0 &&
		back < 1e4)
		s->c->wd_set.restore_ms = (unsigned)(ms * back);
}

static void watchdog_row(void *ctx, const struct json_value *row)
{
	struct seen *s = ctx;
	const char *status = json_value_text(json_value_get(row, "wd-status"));
	const char *disable = json_value_text(json_value_get(row, "disable-action"));
	char name[NAME_MAX_LEN];

	if (!status ||
		!nxos_port_name(json_value_text_or(json_value_get(row, "if_name_str"), ""), name) ||
		!str_eq(name, s->o->port))
		return;
	s->watchdog = true;
	s->c->wd = !strcasecmp(status, "Enabled");
	if (disable)
		(void)str_copy(s->c->wd_set.action, sizeof(s->c->wd_set.action),
			!strcasecmp(disable, "Yes") ? "alert" : "drop");
}

static enum wd_state state_of(const char *word)
{
	return str_eq(word, "stormed")       ? WD_STORMED
	       : str_eq(word, "operational") ? WD_OPERATIONAL
	       : str_eq(word, "off")         ? WD_OFF
					     : WD_UNKNOWN;
}

static void take_item(struct condition *c, const struct obs *o, const struct obs_item *i)
{
	unsigned p = i->sub;

	if (i->kind == OBS_WORD && i->code == ATTR_PFCWD_STATE && p < PRIORITIES)
		c->wd_state[p] = (uint8_t)state_of(obs_text(o, i->text));
	else if (i->kind == OBS_NUMBER && i->code == ATTR_PFCWD_DETECT_MS)
		c->wd_set.detect_ms = (unsigned)i->real;
	else if (i->kind == OBS_NUMBER && i->code == ATTR_PFCWD_RESTORE_MS)
		c->wd_set.restore_ms = (unsigned)i->real;
	else if (i->kind == OBS_NUMBER && i->code == ATTR_PFC_ENABLED)
		c->pfc = (int)i->real;
	for (p = 0; p < PRIORITIES && i->kind == OBS_COUNT; p++) {
		if (i->cell == counter_cell(CTR_PFC_RX_FRAMES, p))
			c->rx_pause[p] = i->u64;
		if (i->cell == counter_cell(CTR_PFCWD_STORM_DETECTED, p))
			c->wd_storms[p] = i->u64;
	}
}

/* Decodes the body like a poll and uses the results for the port. */
static void see_as_polled(struct seen *s, const struct json_value *body)
{
	struct obs *o = obs_new(s->t->device, "look");
	struct nxos_job j = {.t = s->t, .o = o};

	/* Both bodies have tables of the same name. */
	if (s->watchdog)
		nxos_watchdog(&j, body);
	else
		nxos_queuing(&j, body);
	nxos_pfc(&j, body);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *item = &o->items.at[i];

		if (item->port != OBS_NO_PORT && str_eq(o->ports.at[item->port].name, s->o->port))
			take_item(s->c, o, item);
	}
	obs_free(o);
}

static void see_body(struct seen *s, const struct json_value *body)
{
	s->watchdog = false;
	nxos_each(body, "interface", port_row, s);
	timer_of(s, body);
	nxos_each(body, "module", timer_of, s);
	nxos_each_module(body, "queuing_interface", watchdog_row, s);
	see_as_polled(s, body);
}

/* ---- the link's BGP session ---- */

struct running {
	const struct order *o;
	struct condition *c;
	enum { ELSEWHERE, IN_PORT, IN_BGP, IN_SUMMARY } where;
	size_t indent, inner; /* of a block's own lines, and of those below its neighbours */
	bool found, in_vrf, wrapped;
	char own[OWN][64];
	size_t owned;
	char block[64];    /* the current neighbour or template */
	char template[64]; /* template from which the port's neighbour inherits */
	bool template_shut;
};

static const char *skip_words(const char *line, const char *words)
{
	return str_starts(line, words) ? line + strlen(words) : NULL;
}

static void copy_word(char *dst, size_t size, const char *at)
{
	(void)str_copyn(dst, size, at, strcspn(at, " "));
}

static void port_line(struct running *r, const char *line)
{
	const char *rest;

	if (skip_words(line, "vrf member "))
		r->in_vrf = true;
	else if (((rest = skip_words(line, "ip address ")) ||
			 (rest = skip_words(line, "ipv6 address "))) &&
		 r->owned < OWN)
		copy_word(r->own[r->owned++], sizeof(r->own[0]), rest);
}

static bool is_far_end(const struct running *r, const char *name)
{
	/* Unnumbered: the neighbour has the port's name. */
	if (str_eq(name, r->o->port))
		return !r->in_vrf;
	for (size_t i = 0; i < r->owned && !r->in_vrf; i++)
		if (change_far_end(r->own[i], name))
			return true;
	return false;
}

static void bgp_line(struct running *r, const char *line)
{
	const char *rest;

	r->inner = 0;
	r->block[0] = '\0';
	if ((rest = skip_words(line, "template peer ")))
		copy_word(r->block, sizeof(r->block), rest);
	if (!(rest = skip_words(line, "neighbor ")))
		return;
	copy_word(r->block, sizeof(r->block), rest);
	if (*r->c->bgp_peer || !is_far_end(r, r->block))
		return;
	(void)str_copy(r->c->bgp_peer, sizeof(r->c->bgp_peer), r->block);
	r->c->bgp_shut = 0;
}

static void neighbor_line(struct running *r, const char *line)
{
	bool mine = *r->block && str_eq(r->block, r->c->bgp_peer);
	const char *rest;

	if (mine && (rest = skip_words(line, "inherit peer ")))
		copy_word(r->template, sizeof(r->template), rest);
	if (!str_eq(line, "shutdown") || !*r->block)
		return;
	if (mine)
		r->c->bgp_shut = 1;
	else if (str_eq(r->block, r->template))
		r->template_shut = true;
}

/*
 * Reads "10.64.3.1 4 65001 12 12 42 0 0 1d02h 544" or "... never Shut (Admin)"; a long address has
 * a line of its own.
 */
static void summary_line(struct running *r, const char *line)
{
	size_t n = strcspn(line, " ");
	bool mine = r->wrapped ||
		    (n && n == strlen(r->c->bgp_peer) && strncmp(line, r->c->bgp_peer, n) == 0);
	const char *last = strrchr(line, ' ');
	uint64_t prefixes;

	r->wrapped = mine && !line[n];
	if (!mine || r->wrapped || !last)
		return;
	r->c->bgp = strstr(line, "(Admin)")           ? BGP_ADMIN_DOWN
		    : str_to_u64(last + 1, &prefixes) ? BGP_ESTABLISHED
						      : bgp_state_by_name(last + 1);
}

static void block_begin(struct running *r, const char *line)
{
	char name[NAME_MAX_LEN];
	const char *rest;

	r->where = ELSEWHERE;
	r->indent = r->inner = 0;
	if ((rest = skip_words(line, "interface ")) && nxos_port_name(rest, name) &&
		str_eq(name, r->o->port)) {
		r->where = IN_PORT;
		r->found = true;
	} else if ((rest = skip_words(line, "router bgp "))) {
		r->where = IN_BGP;
		r->c->bgp_asn = parse_as_number(rest, strlen(rest));
	} else if (skip_words(line, "BGP summary information for VRF default,")) {
		r->where = IN_SUMMARY;
	}
}

static void running_line(struct running *r, const char *line)
{
	size_t indent = strspn(line, " ");
	const char *words = line + indent;

	if (!*words || *words == '!')
		return;
	if (r->where == IN_SUMMARY && !skip_words(words, "BGP summary ")) {
		summary_line(r, words);
		return;
	}
	if (!indent) {
		block_begin(r, words);
		return;
	}
	if (!r->indent)
		r->indent = indent;
	if (r->where == IN_PORT && indent == r->indent) {
		port_line(r, words);
	} else if (r->where == IN_BGP && indent == r->indent) {
		bgp_line(r, words);
	} else if (r->where == IN_BGP && indent > r->indent) {
		r->inner = r->inner ? r->inner : indent;
		if (indent == r->inner)
			neighbor_line(r, words);
	}
}

static bool see_text(const struct order *o, const char *text, struct condition *c)
{
	struct running r = {.o = o, .c = c};

	c->bgp_peer[0] = '\0';
	/* Two passes: a template that is shut precedes the neighbour that inherits from it. */
	for (int pass = 0; pass < 2; pass++)
		for (const char *at = text; *at;) {
			size_t n = strcspn(at, "\n"), used = n + (at[n] == '\n');
			char line[256];

			(void)str_copyn(line, sizeof(line), at, n);
			n = strlen(line);
			while (n && (line[n - 1] == '\r' || line[n - 1] == ' '))
				line[--n] = '\0';
			running_line(&r, line);
			at += used;
		}
	if (r.template_shut) {
		c->bgp_shut = 1;
		(void)str_copy(c->hazard, sizeof(c->hazard),
			"the template of the port's BGP neighbour is shut");
	}
	return r.found;
}

/* ---- answers ---- */

/* A line other than the first may be refused: its values stay unknown. */
static void rpc_one(
	struct seen *s, const struct question *q, const struct json_value *one, struct buf *text)
{
	const struct json_value *result = json_value_get(one, "result");
	const char *said = json_value_text(json_value_get(result, "msg"));

	said = said ? said : json_value_text(json_value_get(result, "body"));
	if (q->text)
		(void)buf_addf(text, "%s\n", said ? said : "");
	else
		see_body(s, json_value_get(result, "body"));
}

/* The text of the first line's error, or NULL. */
static const char *rpc_error(const struct json_value *doc)
{
	const struct json_value *one = json_value_is(doc, DV_ARRAY) ? json_value_at(doc, 0) : doc,
				*error = json_value_get(one, "error");

	if (!error)
		return NULL;
	return json_value_text_or(json_value_path(error, "data.msg"),
		json_value_text_or(json_value_get(error, "message"), "no reason"));
}

static bool see_rpc(struct seen *s, const struct question *q, const struct reply *r,
	struct buf *text, struct err *err)
{
	struct json_value *doc = NULL;
	size_t at = 0, line = 0;
	const char *refused;
	bool ok = true;

	if (r->status == 401 || r->status == 403)
		return err_set(err, ERR_UNAUTHORISED, s->t->device, "NX-API answers with status %d",
			r->status);
	doc = json_value_parse_next(r->bytes, r->len, &at, s->t->device, err);
	if (!doc)
		return err->code != ERR_NONE ? false
					     : err_set(err, ERR_PROTOCOL, s->t->device,
						       "NX-API answers without known data");
	refused = rpc_error(doc);
	if (refused)
		ok = nxos_said(s->t, refused, err);
	for (json_value_items(one, doc))
		if (ok && line++ < LINES)
			rpc_one(s, q, one, text);
	if (ok && json_value_is(doc, DV_OBJECT))
		rpc_one(s, q, doc, text);
	free(doc);
	return ok;
}

static bool see_cli(struct seen *s, const struct question *q, const struct reply *r,
	struct buf *text, struct err *err)
{
	size_t at = 0;
	struct json_value *doc;

	if (r->status < 0)
		return err_set(err, ERR_PROTOCOL, s->t->device, "the answer to \"%s\" was cut off",
			q->lines[0]);
	if (q->text)
		return buf_add(text, r->bytes, r->len);
	while ((doc = json_value_parse_next(r->bytes, r->len, &at, s->t->device, err))) {
		see_body(s, doc);
		free(doc);
	}
	return err->code == ERR_NONE;
}

static bool read_answer(
	struct seen *s, const struct question *q, const struct reply *r, struct err *err)
{
	char line[160];
	struct buf text;
	bool ok;

	buf_init(&text, (size_t)8 << 20);
	ok = s->t->transport == TRANSPORT_HTTPS ? see_rpc(s, q, r, &text, err)
						: see_cli(s, q, r, &text, err);
	if (ok && q->text)
		s->port = see_text(s->o, text.data ? text.data : "", s->c);
	buf_free(&text);
	if (!ok || s->port)
		return ok;
	if (nxos_complaint(r->bytes, r->len, line, sizeof(line)))
		return nxos_said(s->t, line, err);
	return err_set(err, ERR_PROTOCOL, s->t->device,
		"railtop finds no known data in the answer to \"%s\"", q->lines[0]);
}

bool nxos_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		struct condition next = *c;
		struct seen s = {.t = t, .o = o, .c = &next};

		if (!str_eq(questions[i].request, request))
			continue;
		if (!read_answer(&s, &questions[i], r, err))
			return false;
		*c = next;
		return true;
	}
	return err_set(err, ERR_INTERNAL, t->device, "nxos does not read \"%s\" back", request);
}
