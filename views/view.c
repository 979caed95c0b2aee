/* SPDX-License-Identifier: Apache-2.0 */
#include "views/view.h"

#include "base/str.h"
#include "fabric/query/name_suggestions.h"

#define VIEW(name) extern const struct view_ops view_##name;
#include "views/views.def"
#undef VIEW

const struct view_ops *const view_table[] = {
#define VIEW(name) &view_##name,
#include "views/views.def"
#undef VIEW
};
const size_t view_count = sizeof(view_table) / sizeof(view_table[0]);

const struct view_ops *view_by_name(const char *name)
{
	for (size_t i = 0; i < view_count; i++)
		if (str_eq(view_table[i]->name, name))
			return view_table[i];
	return NULL;
}

bool view_is_whole(const struct view_ops *v)
{
	return v->scope == REF_NONE || v->scope == REF_FABRIC;
}

bool view_takes(const struct view_ops *v, enum ref_kind kind)
{
	return kind != REF_NONE &&
	       (v->scope == kind || v->narrows == kind || (v->kinds >> kind & 1U));
}

static const struct view_ops *view_for_device(const struct model *m, uint32_t id)
{
	const struct device *d = model_device_at(m, id);

	if (d && d->tier == TIER_HOST)
		return &view_host;
	return &view_leaf;
}

const struct view_ops *view_fitting(
	const struct model *m, const struct view_ops *v, struct ref scope)
{
	if (scope.kind == REF_DEVICE && (v == &view_leaf || v == &view_host))
		return view_for_device(m, scope.device);
	return v;
}

bool view_misspelt(const char *name, struct err *err)
{
	char names[200];
	struct name_suggestions near;

	name_suggestions_init(&near, name);
	for (size_t i = 0; i < view_count; i++)
		name_suggestions_offer(&near, view_table[i]->name);
	if (!name_suggestions_format(&near, names, sizeof(names)))
		return false;
	err_set(err, ERR_USAGE, "", "there is no view or place \"%s\"", name);
	(void)err_cure(err, "did you mean %s?", names);
	return true;
}

const struct view_ops *view_for_ref(const struct model *m, struct ref r)
{
	switch (r.kind) {
	case REF_RAIL:
		return &view_rail;
	case REF_DEVICE:
		return view_for_device(m, r.device);
	case REF_PORT:
	case REF_LINK:
		return &view_port;
	case REF_PRIORITY:
	case REF_COUNTER:
		return &view_priority;
	case REF_EVENT:
		return &view_events;
	case REF_BGP:
		return &view_bgp;
	case REF_NEED:
		return &view_device;
	case REF_FINDING:
		return &view_finding;
	case REF_JOB:
	case REF_COMM:
		return &view_ranks;
	case REF_RANK:
		return &view_trace;
	case REF_TIER:
		return &view_ports;
	case REF_ROW:
	case REF_NONE:
	case REF_FABRIC:
		break;
	}
	return &view_cluster;
}
