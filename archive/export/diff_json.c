/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "archive/export/diff.h"
#include "archive/export/findings_private.h"
#include "base/json_out.h"
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

	json_put(o, "file", text_or_null(e->file));
	json_put(o, "fabric", text_or_null(e->at->m->fabric));
	json_put(o, "time", json_number_or_null((double)model_wall(e->at->m, e->at->now_us) / 1e6));
	json_put(o, "coverage", coverage_json(e->at->m));
	return o;
}

static json_t *difference_json(const struct difference *d)
{
	json_t *o = json_object();

	json_put(o, "kind", json_string(difference_kind_name((enum difference_kind)d->kind)));
	json_put(o, "place", text_or_null(d->place));
	json_put(o, "what", text_or_null(d->what));
	json_put(o, "before", text_or_null(d->before));
	json_put(o, "after", text_or_null(d->after));
	json_put(o, "severity", json_string(finding_severity_name((enum severity)d->severity)));
	json_put(o, "better", json_boolean(d->better));
	if (d->kind == DIFF_COUNTER && isfinite(d->number))
		json_put(o, "bands", json_number_or_null(d->number));
	return o;
}

bool diff_json(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err)
{
	json_t *root = json_object(), *list = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_append(list, difference_json(&v->at[i]));
	json_put(root, "schema", json_integer(1));
	json_put(root, "from", end_json(from));
	json_put(root, "to", end_json(to));
	json_put(root, "devices_in_both",
		json_integer((json_int_t)diff_common(from->at->m, to->at->m)));
	json_put(root, "differences", list);
	return export_json(root, "differences", out, err);
}
