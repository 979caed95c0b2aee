/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/runbook_log.h"

#include <string.h>

const char *step_outcome_name(enum step_outcome o)
{
	static const char *const names[STEP_OUTCOME_COUNT] = {[STEP_OPEN] = "open",
		[STEP_PASS] = "pass",
		[STEP_FAIL] = "fail",
		[STEP_UNKNOWN] = "cannot tell",
		[STEP_SKIPPED] = "skipped"};

	return (unsigned)o < STEP_OUTCOME_COUNT ? names[o] : "?";
}

void runbook_log_append(runbook_log *t, const struct runbook_log_entry *e)
{
	if (t->n >= RUNBOOK_LOG_MOST) {
		memmove(t->at, t->at + 1, (t->n - 1) * sizeof(*t->at));
		t->n--;
	}
	vec_push(t, *e);
}

STATE_SIZE(struct runbook_log_entry, 632);

static void runbook_log_entry_state(struct state *s, struct runbook_log_entry *e)
{
	uint32_t outcome = e->outcome;

	state_i64(s, &e->t_us);
	state_text(s, e->user, sizeof(e->user));
	state_text(s, e->runbook, sizeof(e->runbook));
	state_text(s, e->step, sizeof(e->step));
	state_text(s, e->target, sizeof(e->target));
	state_below(s, &outcome, STEP_OUTCOME_COUNT);
	e->outcome = (uint8_t)outcome;
	state_bool(s, &e->by_hand);
	state_text(s, e->value, sizeof(e->value));
	state_text(s, e->note, sizeof(e->note));
}

void runbook_log_state(struct state *s, runbook_log *t)
{
	size_t n = t->n;

	state_count(s, &n, RUNBOOK_LOG_MOST);
	if (s->loading)
		t->n = 0;
	for (size_t i = 0; i < n && !s->bad; i++)
		runbook_log_entry_state(s, s->loading ? vec_add(t) : &t->at[i]);
}
