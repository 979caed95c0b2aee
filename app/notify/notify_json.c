/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "app/notify/notify_json.h"
#include "app/notify/store.h"
#include "base/clock.h"
#include "base/json_out.h"

static json_t *time_json(int64_t us)
{
	return us ? json_number_or_null((double)us / (double)CLOCK_SEC) : json_null();
}

static json_t *receiver_json(const struct plan *plan, const struct plan_receiver *r)
{
	struct store_status s;
	bool noted = store_status(plan->fabric, r->name, &s);
	const char *state = !noted || (!s.problem_us && !s.done_us) ? "nothing_told"
			    : s.problem_us                          ? "not_reached"
								    : "reached";

	return json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "name", json_text(r->name),
		"kind", receiver_kind_name(r->kind), "severity",
		r->severity == SEV_WARN ? "warning" : "critical", "state", state, "last_message",
		time_json(s.done_us), "not_reached_since", time_json(s.problem_us), "problem",
		s.problem[0] ? json_text(s.problem) : json_null(), "watched", (int)s.watched);
}

json_t *notify_json(const struct plan *plan)
{
	json_t *list = json_array();

	for (size_t i = 0; i < plan->notify.to.n; i++)
		json_append(list, receiver_json(plan, &plan->notify.to.at[i]));
	return list;
}
