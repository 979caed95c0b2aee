/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "archive/diff.h"
#include "archive/findings_private.h"
#include "base/str.h"

size_t diff_common(const struct model *a, const struct model *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->devices.n; i++)
		n += model_device(a, b->devices.at[i]->name) != NULL;
	return n;
}

static json_t *text_or_null(const char *text)
{
	json_t *s = *text && !str_eq(text, "-") ? json_string(text) : NULL;

	return s ? s : json_null();
}

static json_t *end_json(const struct diff_end *e)
{
	json_t *o = json_object();

	json_object_set_new(o, "file", text_or_null(e->file));
	json_object_set_new(o, "fabric", text_or_null(e->at->m->fabric));
	json_object_set_new(o, "time", json_real((double)e->at->now_us / 1e6));
	json_object_set_new(o, "coverage", coverage_json(e->at->m));
	return o;
}

static json_t *difference_json(const struct difference *d)
{
	json_t *o = json_object();

	json_object_set_new(
		o, "kind", json_string(difference_kind_name((enum difference_kind)d->kind)));
	json_object_set_new(o, "place", text_or_null(d->place));
	json_object_set_new(o, "what", text_or_null(d->what));
	json_object_set_new(o, "before", text_or_null(d->before));
	json_object_set_new(o, "after", text_or_null(d->after));
	json_object_set_new(
		o, "severity", json_string(finding_severity_name((enum severity)d->severity)));
	json_object_set_new(o, "better", json_boolean(d->better));
	if (d->kind == DIFF_COUNTER && isfinite(d->number))
		json_object_set_new(o, "bands", json_real(d->number));
	return o;
}

bool diff_json(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err)
{
	json_t *root = json_object(), *list = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(list, difference_json(&v->at[i]));
	json_object_set_new(root, "schema", json_integer(1));
	json_object_set_new(root, "from", end_json(from));
	json_object_set_new(root, "to", end_json(to));
	json_object_set_new(root, "devices_in_both",
		json_integer((json_int_t)diff_common(from->at->m, to->at->m)));
	json_object_set_new(root, "differences", list);
	return export_json(root, "differences", out, err);
}
