/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/action.h"

#include "base/str.h"

const struct action_ops *const action_table[] = {
#define ACTION(id) &action_##id,
#include "actions/kinds/actions.def"
#undef ACTION
};
const size_t action_count = sizeof(action_table) / sizeof(action_table[0]);

const struct action_ops *action_by_name(const char *name)
{
	for (size_t i = 0; i < action_count; i++)
		if (str_eq(action_table[i]->name, name))
			return action_table[i];
	return NULL;
}

const char *action_names(void)
{
	return "pfcwd-reset, pfcwd-enable, port-drain, port-undrain, port-bounce, locate, "
	       "counterpoll-enable, perftest-serve, perftest-run, host-drain";
}

void steps_free(step_vec *v)
{
	for (size_t i = 0; i < v->n; i++) {
		requests_free(&v->at[i].requests);
		requests_free(&v->at[i].undoing);
	}
	vec_free(v);
}
