/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/manager/executor_private.h"

#include <string.h>

#include "base/json_out.h"

/* The end of an action in words: they are given to the operator, and the ledger says so. */

void run_words(struct run *r)
{
	const struct act_plan *p = r->plan;
	struct executor_event *e = executor_event_new(EXECUTOR_DONE);
	json_t *d = run_detail(r), *list = json_array();
	char line[sizeof(p->words.at[0].run) + 64];

	for (size_t i = 0; i < p->words.n; i++) {
		(void)words_line(p->words.at[i].run, r->job->consent.incident, line, sizeof(line));
		json_append(list, ledger_text(line, strlen(line)));
	}
	(void)json_object_del(d, "step");
	json_put(d, "outcome", json_string("written for the operator, who runs it"));
	json_put(d, "expect", json_string(p->expect));
	json_put(d, "words", list);
	run_say_hard(r, LEDGER_DONE, d);
	e->condition = r->now;
	e->unseen = true;
	r->end = e;
}
