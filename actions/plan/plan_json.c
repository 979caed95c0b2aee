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

/* ---- values; unknown ones are null ---- */

/* Bytes that are not UTF-8 cannot be JSON: their hash stands for them. */
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

static void put_member(json_t *o, const char *key, json_t *value)
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

	put_member(o, "action", told_text(w->action));
	put_member(o, "detect_ms", json_integer(w->detect_ms));
	put_member(o, "restore_ms", json_integer(w->restore_ms));
	put_member(o, "history", json_boolean(w->history));
	return o;
}

/* The settings that an operator has configured, without their effects: part of the approval. */
static json_t *settings_json(const struct condition *c)
{
	json_t *o = json_object();

	put_member(o, "admin", told_oper(c->admin));
	put_member(o, "wd", told_bool(c->wd));
	put_member(o, "wd_setting",
		c->wd == 1 || c->wd_global == 1 ? setting_json(&c->wd_set) : json_null());
	put_member(o, "wd_global", told_bool(c->wd_global));
	put_member(o, "pfc", c->pfc < 0 ? json_null() : json_integer(c->pfc));
	put_member(o, "beacon", told_bool(c->beacon));
	put_member(o, "bgp_peer", told_text(c->bgp_peer));
	put_member(o, "bgp_asn", c->bgp_asn ? json_integer(c->bgp_asn) : json_null());
	put_member(o, "bgp_shut", told_bool(c->bgp_shut));
	put_member(o, "counters", told_bool(c->counters));
	if (c->perftest >= 0)
		put_member(o, "perftest", told_bool(c->perftest));
	put_member(o, "pending", told_bool(c->pending));
	put_member(o, "hazard", told_text(c->hazard));
	return o;
}

static json_t *queue_json(const struct condition *c, int p)
{
	json_t *q = json_object();

	put_member(q, "state",
		c->wd_state[p] == WD_UNKNOWN
			? json_null()
			: json_string(wd_state_name((enum wd_state)c->wd_state[p])));
	put_member(q, "storms", told_count(c->wd_storms[p]));
	put_member(q, "rx_pause", told_count(c->rx_pause[p]));
	return q;
}

json_t *condition_json(const struct condition *c)
{
	json_t *o = settings_json(c), *queues = json_object();
	char key[8];

	put_member(o, "t", time_json(condition_wall_us(c)));
	put_member(o, "oper", told_oper(c->oper));
	put_member(o, "bgp",
		c->bgp == BGP_UNKNOWN ? json_null() : json_string(bgp_state_name(c->bgp)));
	for (int p = 0; p < PRIORITIES; p++) {
		if (c->wd_state[p] == WD_UNKNOWN && c->wd_storms[p] == UINT64_MAX &&
			c->rx_pause[p] == UINT64_MAX)
			continue;
		(void)str_printf(key, sizeof(key), "%d", p);
		put_member(queues, key, queue_json(c, p));
	}
	put_member(o, "queues", queues);
	return o;
}

/* ---- requests and steps ---- */

json_t *request_json(const struct request *r)
{
	json_t *o = json_object();

	put_member(o, "name", text_json(r->name));
	if (r->command) {
		put_member(o, "command", text_json(r->command));
		if (r->input)
			put_member(o, "input", text_json(r->input));
		return o;
	}
	put_member(o, "method", text_json(r->method));
	put_member(o, "path", text_json(r->path));
	if (r->content_type)
		put_member(o, "content_type", text_json(r->content_type));
	if (r->body)
		put_member(o, "body", text_json(r->body));
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

	put_member(j, "verb", json_string(verb_name(o->verb)));
	if (o->priority >= 0)
		put_member(j, "priority", json_integer(o->priority));
	if (o->verb == VERB_WD_START)
		put_member(j, "wd_setting", setting_json(&o->wd));
	put_member(j, "requests", requests_json(l));
	return j;
}

static json_t *steps_json(const struct act_plan *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->steps.n; i++) {
		const struct step *s = &p->steps.at[i];
		json_t *j = order_json(&s->order, &s->requests);

		put_member(j, "dwell_s", json_number_or_null((double)s->dwell_us / CLOCK_SEC));
		put_member(j, "unproven", json_boolean(s->unproven));
		put_member(j, "sites_own", json_boolean(s->sites_own));
		put_member(
			j, "undo", s->has_undo ? order_json(&s->undo, &s->undoing) : json_null());
		json_append(a, j);
	}
	return a;
}

static json_t *words_json(const struct act_plan *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->words.n; i++) {
		const struct words *w = &p->words.at[i];
		json_t *j = json_object();

		put_member(j, "system", json_string(w->system));
		put_member(j, "look", text_json(w->look));
		put_member(j, "run", text_json(w->run));
		put_member(j, "undo", told_text(w->undo));
		json_append(a, j);
	}
	return a;
}

/* ---- the plan ---- */

static json_t *blast_json(const struct blast *b)
{
	json_t *o = json_object();

	put_member(o, "jobs", json_integer(b->jobs));
	/* A scheduler names hosts, not ranks. */
	put_member(o, "ranks", b->jobs && !b->ranks ? json_null() : json_integer(b->ranks));
	put_member(o, "gpus", b->jobs && !b->ranks ? json_null() : json_integer(b->gpus));
	put_member(o, "names", text_json(b->names));
	put_member(o, "last_path", json_boolean(b->last_path));
	put_member(o, "last_job", told_text(b->last_job));
	put_member(o, "uplinks_planned", json_integer(b->uplinks_planned));
	put_member(o, "uplinks_up", json_integer(b->uplinks_up));
	put_member(o, "peer_planned", json_integer(b->peer_planned));
	put_member(o, "peer_up", json_integer(b->peer_up));
	put_member(o, "jobs_unknown", json_boolean(b->jobs_unknown));
	if (b->tenants[0])
		put_member(o, "tenants", text_json(b->tenants));
	if (b->others)
		put_member(o, "other_hosts", json_integer(b->others));
	put_member(o, "load", json_number_or_null(b->load));
	return o;
}

/* The planned change and the settings it starts from; nothing that changes by itself. */
static json_t *core_json(const struct act_plan *p)
{
	json_t *o = json_object();

	put_member(o, "action", json_string(p->action->name));
	put_member(o, "device", text_json(p->device));
	put_member(o, "port", told_text(p->port));
	put_member(o, "priority", p->priority < 0 ? json_null() : json_integer(p->priority));
	put_member(o, "dialect", text_json(p->dialect));
	put_member(o, "transport", text_json(p->transport));
	put_member(o, "steps", steps_json(p));
	if (p->words.n)
		put_member(o, "words", words_json(p));
	return o;
}

/* The bytes under the hash; the caller frees them. */
static char *sealed_text(const struct act_plan *p)
{
	json_t *o = core_json(p);
	char *text;

	put_member(o, "settings", settings_json(&p->before));
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(o);
	return text;
}

void act_plan_seal(struct act_plan *p)
{
	char *text = sealed_text(p);

	p->hash[0] = '\0';
	if (text)
		sha256_hex(text, strlen(text), p->hash);
	free(text);
}

json_t *act_plan_sealed(const struct act_plan *p)
{
	char *text = sealed_text(p);
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

	put_member(o, "id", text_json(p->id));
	put_member(o, "hash", told_text(p->hash));
	put_member(o, "t", time_json(p->made_us));
	put_member(o, "place", text_json(p->place));
	put_member(o, "peer", told_text(p->peer));
	put_member(o, "before", condition_json(&p->before));
	put_member(o, "blast", p->port[0] || p->words.n ? blast_json(&p->blast) : json_null());
	put_member(o, "expect", text_json(p->expect));
	act_plan_warnings(p, add_warning, warnings);
	put_member(o, "warnings", warnings);
	return o;
}
