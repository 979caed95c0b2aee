/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/runbook_log_json.h"

#include "archive/snapshot_file/bundle.h"
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"

static json_t *entry_json(const struct trail_entry *e)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "t",
		json_number_or_null((double)e->t_us / 1e6), "user", snapshot_text_or_null(e->user),
		"runbook", snapshot_text_or_null(e->runbook), "step",
		snapshot_text_or_null(e->step), "target", snapshot_text_or_null(e->target),
		"outcome", step_outcome_name((enum step_outcome)e->outcome), "by_hand",
		(int)e->by_hand, "value", snapshot_text_or_null(e->value), "note",
		snapshot_text_or_null(e->note));
}

json_t *trail_list(const trail_vec *t)
{
	json_t *list = json_array();

	for (size_t i = 0; t && i < t->n; i++)
		json_append(list, entry_json(&t->at[i]));
	return list;
}

static int add(const char *bytes, size_t n, void *out)
{
	return buf_add(out, bytes, n) ? 0 : -1;
}

bool json_add(json_t *value, size_t flags, struct buf *out)
{
	bool ok = value && json_dump_callback(value, add, out, flags) == 0;

	json_decref(value);
	return ok;
}

bool json_into(json_t *root, const char *what, struct buf *out, struct err *err)
{
	bool ok = json_add(root, JSON_INDENT(1), out) && buf_adds(out, "\n");

	return ok || err_set(err, ERR_LIMIT, what, "does not fit, or is no text");
}

bool trail_json(const trail_vec *t, struct buf *out, struct err *err)
{
	return json_into(trail_list(t), "trail", out, err);
}
