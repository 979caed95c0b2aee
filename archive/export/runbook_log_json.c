/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/runbook_log_json.h"

#include "archive/export/snapshot_private.h"
#include "base/json_out.h"

static json_t *entry_json(const struct model *m, const struct runbook_log_entry *e)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "t",
		json_number_or_null((double)model_wall(m, e->t_us) / 1e6), "user",
		json_text_or_null(e->user), "runbook", json_text_or_null(e->runbook), "step",
		json_text_or_null(e->step), "target", json_text_or_null(e->target), "outcome",
		step_outcome_name((enum step_outcome)e->outcome), "by_hand", (int)e->by_hand,
		"value", json_text_or_null(e->value), "note", json_text_or_null(e->note));
}

json_t *runbook_log_list(const struct model *m, const runbook_log *t)
{
	json_t *list = json_array();

	for (size_t i = 0; t && i < t->n; i++)
		json_append(list, entry_json(m, &t->at[i]));
	return list;
}

bool runbook_log_json(const struct model *m, const runbook_log *t, struct buf *out, struct err *err)
{
	return json_into(runbook_log_list(m, t), "trail", out, err);
}
