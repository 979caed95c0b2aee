/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actions/plan/plan.h"
#include "actions/ledger/ledger.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/str.h"

/* ---- values; what was not told is null ---- */

/* Bytes that are no UTF-8 cannot be JSON: they are shown by their hash then. */
static json_t *text_json(const char *s)
{
	char hex[65];
	json_t *j;

	if (!s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	sha256_hex(s, strlen(s), hex);
	return json_sprintf("(not UTF-8, sha256 %s)", hex);
}

static json_t *told_text(const char *s)
{
	return s[0] ? text_json(s) : json_null();
}

static json_t *told_bool(int v)
{
	return v < 0 ? json_null() : json_boolean(v);
}

static json_t *told_count(uint64_t v)
{
	return v > INT64_MAX ? json_null() : json_integer((json_int_t)v);
}

static json_t *told_oper(enum oper o)
{
	return o == OPER_UNKNOWN ? json_null() : json_string(oper_name(o));
}

static void set(json_t *o, const char *key, json_t *value)
{
	json_put(o, key, value);
}

static json_t *time_json(int64_t us)
{
	char t[32];

	return us ? json_string(clock_format_utc(us, t, sizeof(t))) : json_null();
}

/* ---- condition ---- */

static json_t *setting_json(const struct wd_setting *w)
{
	json_t *o = json_object();

	set(o, "action", told_text(w->action));
	set(o, "detect_ms", json_integer(w->detect_ms));
	set(o, "restore_ms", json_integer(w->restore_ms));
	set(o, "history", json_boolean(w->history));
	return o;
}

/* What somebody has set, unlike what comes of it: part of what is approved. */
static json_t *settings_json(const struct condition *c)
{
	json_t *o = json_object();

	set(o, "admin", told_oper(c->admin));
	set(o, "wd", told_bool(c->wd));
	set(o, "wd_setting",
		c->wd == 1 || c->wd_global == 1 ? setting_json(&c->wd_set) : json_null());
	set(o, "wd_global", told_bool(c->wd_global));
	set(o, "pfc", c->pfc < 0 ? json_null() : json_integer(c->pfc));
	set(o, "beacon", told_bool(c->beacon));
	set(o, "bgp_peer", told_text(c->bgp_peer));
	set(o, "bgp_asn", c->bgp_asn ? json_integer(c->bgp_asn) : json_null());
	set(o, "bgp_shut", told_bool(c->bgp_shut));
	set(o, "counters", told_bool(c->counters));
	set(o, "pending", told_bool(c->pending));
	set(o, "hazard", told_text(c->hazard));
	return o;
}

static json_t *queue_json(const struct condition *c, int p)
{
	json_t *q = json_object();

	set(q, "state",
		c->wd_state[p] == WD_UNKNOWN
			? json_null()
			: json_string(wd_state_name((enum wd_state)c->wd_state[p])));
	set(q, "storms", told_count(c->wd_storms[p]));
	set(q, "rx_pause", told_count(c->rx_pause[p]));
	return q;
}

json_t *condition_json(const struct condition *c)
{
	json_t *o = settings_json(c), *queues = json_object();
	char key[8];

	set(o, "t", time_json(c->at_us));
	set(o, "oper", told_oper(c->oper));
	set(o, "bgp", c->bgp == BGP_UNKNOWN ? json_null() : json_string(bgp_state_name(c->bgp)));
	for (int p = 0; p < PRIORITIES; p++) {
		if (c->wd_state[p] == WD_UNKNOWN && c->wd_storms[p] == UINT64_MAX &&
			c->rx_pause[p] == UINT64_MAX)
			continue;
		(void)str_printf(key, sizeof(key), "%d", p);
		set(queues, key, queue_json(c, p));
	}
	set(o, "queues", queues);
	return o;
}

/* ---- requests and steps ---- */

json_t *request_json(const struct request *r)
{
	json_t *o = json_object();

	set(o, "name", text_json(r->name));
	if (r->command) {
		set(o, "command", text_json(r->command));
		if (r->input)
			set(o, "input", text_json(r->input));
		return o;
	}
	set(o, "method", text_json(r->method));
	set(o, "path", text_json(r->path));
	if (r->content_type)
		set(o, "content_type", text_json(r->content_type));
	if (r->body)
		set(o, "body", text_json(r->body));
	return o;
}

static json_t *requests_json(const struct request_list *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->at.n; i++)
		json_append(a, request_json(&l->at.at[i]));
	return a;
}

static json_t *order_json(const struct order *o, const struct request_list *l)
{
	json_t *j = json_object();

	set(j, "verb", json_string(verb_name(o->verb)));
	if (o->priority >= 0)
		set(j, "priority", json_integer(o->priority));
	if (o->verb == VERB_WD_START)
		set(j, "wd_setting", setting_json(&o->wd));
	set(j, "requests", requests_json(l));
	return j;
}

static json_t *steps_json(const struct act_plan *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->steps.n; i++) {
		const struct step *s = &p->steps.at[i];
		json_t *j = order_json(&s->order, &s->requests);

		set(j, "dwell_s", json_number_or_null((double)s->dwell_us / CLOCK_SEC));
		set(j, "unproven", json_boolean(s->unproven));
		set(j, "sites_own", json_boolean(s->sites_own));
		set(j, "undo", s->has_undo ? order_json(&s->undo, &s->undoing) : json_null());
		json_append(a, j);
	}
	return a;
}

/* ---- the plan ---- */

static json_t *blast_json(const struct blast *b)
{
	json_t *o = json_object();

	set(o, "jobs", json_integer(b->jobs));
	set(o, "ranks", json_integer(b->ranks));
	set(o, "gpus", json_integer(b->gpus));
	set(o, "names", text_json(b->names));
	set(o, "last_path", json_boolean(b->last_path));
	set(o, "last_job", told_text(b->last_job));
	set(o, "uplinks_planned", json_integer(b->uplinks_planned));
	set(o, "uplinks_up", json_integer(b->uplinks_up));
	set(o, "peer_planned", json_integer(b->peer_planned));
	set(o, "peer_up", json_integer(b->peer_up));
	set(o, "jobs_unknown", json_boolean(b->jobs_unknown));
	set(o, "load", json_number_or_null(b->load));
	return o;
}

/* What is done, and in which settings; nothing that changes by itself. */
static json_t *core_json(const struct act_plan *p)
{
	json_t *o = json_object();

	set(o, "action", json_string(p->action->name));
	set(o, "device", text_json(p->device));
	set(o, "port", told_text(p->port));
	set(o, "priority", p->priority < 0 ? json_null() : json_integer(p->priority));
	set(o, "dialect", text_json(p->dialect));
	set(o, "transport", text_json(p->transport));
	set(o, "steps", steps_json(p));
	return o;
}

/* The bytes that the hash is of; the caller frees them. */
static char *sealed(const struct act_plan *p)
{
	json_t *o = core_json(p);
	char *text;

	set(o, "settings", settings_json(&p->before));
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(o);
	return text;
}

void act_plan_seal(struct act_plan *p)
{
	char *text = sealed(p);

	p->hash[0] = '\0';
	if (text)
		sha256_hex(text, strlen(text), p->hash);
	free(text);
}

json_t *act_plan_sealed(const struct act_plan *p)
{
	char *text = sealed(p);
	json_t *o = text_json(text ? text : "");

	free(text);
	return o;
}

static void add_warning(void *ctx, const char *text)
{
	json_append(ctx, text_json(text));
}

json_t *act_plan_json(const struct act_plan *p)
{
	json_t *o = core_json(p), *warnings = json_array();

	set(o, "id", text_json(p->id));
	set(o, "hash", told_text(p->hash));
	set(o, "t", time_json(p->made_us));
	set(o, "place", text_json(p->place));
	set(o, "peer", told_text(p->peer));
	set(o, "before", condition_json(&p->before));
	set(o, "blast", p->port[0] ? blast_json(&p->blast) : json_null());
	set(o, "expect", text_json(p->expect));
	act_plan_warnings(p, add_warning, warnings);
	set(o, "warnings", warnings);
	return o;
}
