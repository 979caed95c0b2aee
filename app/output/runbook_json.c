/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "app/session/runbook_walk.h"
#include "archive/export/sandbox_json.h"
#include "base/clock.h"
#include "base/json_out.h"

/* Texts of users and devices may be invalid UTF-8, which json_string() refuses. */
static void put_text(json_t *o, const char *key, const char *text)
{
	json_t *s = json_string(text);

	json_put(o, key, s ? s : json_string(""));
}

static json_t *step_json(const struct walked *w)
{
	const struct runbook_step *s = w->step;
	enum step_outcome o = (enum step_outcome)w->result.outcome;
	json_t *j = json_object();

	put_text(j, "step", s->id);
	put_text(j, "text", s->text ? s->text : "");
	put_text(j, "outcome", step_outcome_name(o));
	put_text(j, "word", runbook_step_word(s, o));
	put_text(j, "view", s->view ? s->view->name : "");
	put_text(j, "filter", s->filter);
	put_text(j, "expect", s->expect ? s->expect : "");
	json_put(j, "rows", json_integer((json_int_t)w->result.rows));
	json_put(j, "matched", json_integer((json_int_t)w->result.matched));
	json_put(j, "unknown", json_integer((json_int_t)w->result.unknown));
	put_text(j, "value", w->result.value);
	put_text(j, "why", w->result.why);
	put_text(j, "question", s->question);
	put_text(j, "says", o == STEP_PASS ? s->pass_says : o == STEP_FAIL ? s->fail_says : "");
	put_text(j, "action", o == STEP_FAIL ? s->action : "");
	put_text(j, "collect", s->collect);
	put_text(j, "next", w->next);
	return j;
}

bool walk_json(const struct walk *w, FILE *out)
{
	json_t *root = json_object(), *coverage = json_object(), *steps = json_array();
	bool ok;

	json_put(root, "schema", json_integer(1));
	put_text(root, "runbook", w->book->name);
	put_text(root, "source", w->book->source);
	put_text(root, "title", w->book->title);
	put_text(root, "target", w->target);
	json_put(root, "time", json_number_or_null((double)w->wall_us / (double)CLOCK_SEC));
	json_put(coverage, "devices", json_integer((json_int_t)w->coverage.devices));
	for (int s = 0; s < DEV_STATE_COUNT; s++)
		json_put(coverage, dev_state_name((enum dev_state)s),
			json_integer((json_int_t)w->coverage.by_state[s]));
	json_put(root, "coverage", coverage);
	for (size_t i = 0; i < w->steps.n; i++)
		json_append(steps, step_json(&w->steps.at[i]));
	json_put(root, "steps", steps);
	put_text(root, "verdict", step_outcome_name(walk_verdict(w)));
	sandbox_json_put(root);
	ok = json_dumpf(root, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok && fflush(out) == 0;
}

bool runbooks_json(const struct runbooks *all, FILE *out)
{
	json_t *o = json_object(), *list = json_array();
	bool ok;

	json_put(o, "schema", json_integer(1));
	for (size_t i = 0; i < all->at.n; i++) {
		json_t *b = json_object();

		put_text(b, "name", all->at.at[i]->name);
		put_text(b, "title", all->at.at[i]->title);
		put_text(b, "source", all->at.at[i]->source);
		json_append(list, b);
	}
	json_put(o, "runbooks", list);
	ok = json_dumpf(o, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
	json_decref(o);
	return ok;
}
