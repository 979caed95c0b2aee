/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/act_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_out.h"
#include "base/str.h"

static bool print_json(json_t *o, FILE *out, struct err *err)
{
	bool ok = json_dumpf(o, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF &&
		  fflush(out) == 0;

	json_decref(o);
	return ok || err_set(err, ERR_IO, "standard output", "%s", strerror(errno));
}

static json_t *refusals_json(const refusal_vec *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_append(list, json_pack("{s:s, s:s, s:s}", "guard", all->at[i].guard, "why",
					  all->at[i].why, "cure", all->at[i].cure));
	return list;
}

static json_t *notes_json(const act_note_vec *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_append(list, json_pack("{s:o, s:s}", "t",
					  json_number_or_null((double)all->at[i].t_us / 1e6),
					  "text", all->at[i].text));
	return list;
}

bool act_json(const struct action_manager *a, FILE *out, struct err *err)
{
	char summary[320];
	json_t *o = json_object();

	manager_summary(a, summary, sizeof(summary));
	json_put(o, "stage", json_string(act_stage_name(manager_stage(a))));
	json_put(o, "summary", json_string(summary));
	json_put(o, "plan", manager_plan(a) ? act_plan_json(manager_plan(a)) : json_null());
	json_put(o, "refusals", refusals_json(manager_refusals(a)));
	json_put(o, "notes", notes_json(manager_notes(a)));
	json_put(o, "ledger", json_string(manager_ledger_path(a)));
	return print_json(o, out, err);
}

/* ---- the ledger ---- */

static json_t *line_json(const struct ledger_line *l)
{
	return json_pack("{s:I, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "n",
		(json_int_t)l->n, "t", json_number_or_null((double)l->t_us / 1e6), "event",
		ledger_event_name(l->event), "act", l->act, "action", l->action, "user", l->user,
		"from", l->from, "tty", l->tty, "device", l->device, "port", l->port, "incident",
		l->incident, "text", l->text);
}

bool ledger_json(
	const ledger_line_vec *lines, const struct ledger_report *r, FILE *out, struct err *err)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < lines->n; i++)
		json_append(list, line_json(&lines->at[i]));
	if (r) {
		json_put(o, "whole", json_boolean(!r->bad_line && !r->why[0]));
		json_put(o, "lines", json_integer((json_int_t)r->lines));
		json_put(o, "acts", json_integer((json_int_t)r->acts));
		json_put(o, "unfinished", json_integer((json_int_t)r->unfinished));
		json_put(o, "hash", json_string(r->hash));
		json_put(o, "bad_line", json_integer((json_int_t)r->bad_line));
		json_put(o, "why", json_string(r->why));
		json_decref(list);
	} else {
		json_put(o, "lines", list);
	}
	return print_json(o, out, err);
}

bool ledger_settle(struct ledger *l, const char *act, const char *reason, struct err *err)
{
	return ledger_append(l, LEDGER_SETTLED, act, json_pack("{s:s}", "reason", reason), err);
}

bool ledger_note_approval(struct ledger *l, const char *hash, const char *place, struct err *err)
{
	return ledger_append(
		l, LEDGER_APPROVED, "", json_pack("{s:s, s:s}", "plan", hash, "place", place), err);
}

/* ---- four eyes ---- */

bool act_offer(const struct action_manager *a, struct err *err)
{
	char *dir = ledger_beside(manager_ledger_path(a), "approvals");
	const struct act_plan *p = manager_plan(a);
	json_t *o = act_plan_json(p);
	bool ok;

	json_put(o, "sealed", act_plan_sealed(p));
	json_put(o, "asked_by", json_string(manager_user(a)->user));
	ok = approval_offer(dir, p->hash, o, err);
	free(dir);
	return ok;
}

static void place_of(const json_t *sealed, char place[2 * NAME_MAX_LEN + 4])
{
	const char *device = json_string_value(json_object_get(sealed, "device"));
	const char *port = json_string_value(json_object_get(sealed, "port"));
	const json_t *priority = json_object_get(sealed, "priority");

	(void)str_printf(place, (size_t)2 * NAME_MAX_LEN, "%s%s%s", device ? device : "",
		port && *port ? ":" : "", port ? port : "");
	if (json_is_integer(priority) && json_integer_value(priority) >= 0)
		(void)str_printf(
			place + strlen(place), 4, ":%d", (int)(json_integer_value(priority) & 7));
}

/* The file is untrusted: only a plan with this hash is the one that will run. */
static json_t *unseal_plan(const json_t *offer, const char *hash, struct err *err)
{
	const char *text = json_string_value(json_object_get(offer, "sealed"));
	char is[65] = "";
	json_t *o = NULL;

	if (text)
		sha256_hex(text, strlen(text), is);
	if (str_eq(is, hash))
		o = json_loads(text, 0, NULL);
	if (!json_is_object(o)) {
		json_decref(o);
		(void)err_set(err, ERR_REFUSED, hash, "the offered plan has a different hash");
		return NULL;
	}
	return o;
}

char *act_offered(
	const char *dir, const char *hash, char place[2 * NAME_MAX_LEN + 4], struct err *err)
{
	json_t *offer = approval_plan(dir, hash, err);
	json_t *plan = offer ? unseal_plan(offer, hash, err) : NULL;
	char *text = NULL;

	if (plan) {
		place_of(plan, place);
		text = json_dumps(plan, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	}
	json_decref(plan);
	json_decref(offer);
	return text;
}
