/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/act_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_out.h"
#include "base/str.h"

/* Every document of an action and of the ledger has the number of its form. */
static bool print_json(json_t *o, FILE *out, struct err *err)
{
	bool ok;

	json_put(o, "schema", json_integer(1));
	ok = json_dumpf(o, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF && fflush(out) == 0;

	json_decref(o);
	return ok || err_system(err, ERR_IO, "standard output", "", errno);
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

/* The lines that the operator runs now. */
static json_t *words_json(const words_vec *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_append(list, json_pack("{s:s, s:s, s:s}", "system", all->at[i].system, "run",
					  all->at[i].run, "look", all->at[i].look));
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
	if (manager_words(a)->n)
		json_put(o, "words", words_json(manager_words(a)));
	json_put(o, "ledger", json_string(manager_ledger_path(a)));
	return print_json(o, out, err);
}

/* ---- the ledger ---- */

bool act_refused_json(const struct err *why, FILE *out)
{
	json_t *refusal = json_object(), *list = json_array(), *o = json_object();

	json_put(refusal, "guard",
		json_string(why->code == ERR_UNSUPPORTED ? "supported" : "grant"));
	json_put(refusal, "why", json_string(why->text));
	json_put(refusal, "cure", json_string(why->cure));
	json_append(list, refusal);
	json_put(o, "stage", json_string("refused"));
	json_put(o, "plan", json_null());
	json_put(o, "refusals", list);
	json_put(o, "notes", json_array());
	json_put(o, "summary", json_string(why->text));
	return print_json(o, out, NULL);
}

static json_t *line_json(const struct ledger_line *l)
{
	return json_pack("{s:I, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "n",
		(json_int_t)l->n, "t", json_number_or_null((double)l->t_us / 1e6), "event",
		ledger_event_name(l->event), "act", l->act, "action", l->action, "user", l->user,
		"from", l->from, "tty", l->tty, "device", l->device, "port", l->port, "incident",
		l->incident, "text", l->text);
}

static json_t *anchor_json(const struct anchor_report *a)
{
	json_t *o = json_object();

	json_put(o, "agrees", json_boolean(a->err.code == ERR_NONE));
	json_put(o, "copies", json_integer((json_int_t)a->copies));
	json_put(o, "proved_to", json_integer((json_int_t)a->proved));
	json_put(o, "behind", json_integer((json_int_t)a->behind));
	json_put(o, "lost", json_integer((json_int_t)a->lost));
	json_put(o, "missing", json_integer((json_int_t)a->missing));
	json_put(o, "why", json_string(a->err.text));
	json_put(o, "cure", json_string(a->err.cure));
	return o;
}

bool ledger_json(const ledger_line_vec *lines, const struct ledger_report *r,
	const struct anchor_report *a, FILE *out, struct err *err)
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
		json_put(o, "anchor", a ? anchor_json(a) : json_null());
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
