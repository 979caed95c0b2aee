/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "app/output/rows.h"
#include "archive/export/sandbox_json.h"
#include "base/json_out.h"
#include "base/str.h"

static json_t *text_or_null(const char *text)
{
	json_t *s = *text ? json_string(text) : NULL;

	return s ? s : json_null();
}

static json_t *number_json(double v)
{
	if (v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	return json_number_or_null(v);
}

static json_t *cell_value(const struct rows_page *p, struct ref row, size_t i)
{
	struct view_cell c = {.number = NAN};
	char text[TABLE_CELL_TEXT];

	p->view->cell(p->ctx, row, p->columns[i], &c);
	if (rows_is_number(&p->view->columns[p->columns[i]], &c))
		return number_json(c.number);
	(void)str_sanitise(text, sizeof(text), c.text, strnlen(c.text, sizeof(c.text)));
	if (str_eq(text, "-") || (c.has_number && isnan(c.number)))
		return json_null();
	return text_or_null(text);
}

static json_t *row_object(const struct rows_page *p, struct ref row)
{
	json_t *o = json_object();
	char ref[256];

	json_put(o, "ref", rows_ref(p, row, ref, sizeof(ref)) ? text_or_null(ref) : json_null());
	for (size_t i = 0; i < p->ncolumns; i++)
		json_put(o, p->view->columns[p->columns[i]].id, cell_value(p, row, i));
	return o;
}

static json_t *coverage_object(const struct model *m)
{
	struct coverage v = model_coverage(m);
	json_t *o = json_object();

	json_put(o, "devices", json_integer((json_int_t)v.devices));
	for (unsigned s = 0; s < DEV_STATE_COUNT; s++)
		json_put(o, dev_state_name((enum dev_state)s),
			json_integer((json_int_t)v.by_state[s]));
	return o;
}

static json_t *head_object(const struct rows_page *p)
{
	json_t *o = json_pack("{s:i, s:s}", "schema", 1, "view", p->view->name);
	json_t *columns = json_array();

	for (size_t i = 0; i < p->ncolumns; i++)
		json_append(columns, json_string(p->view->columns[p->columns[i]].id));
	json_put(o, "place", text_or_null(p->place));
	json_put(o, "fabric", text_or_null(p->ctx->model->fabric));
	json_put(o, "time",
		json_number_or_null((double)model_wall(p->ctx->model, p->ctx->now_us) / 1e6));
	json_put(o, "coverage", coverage_object(p->ctx->model));
	json_put(o, "columns", columns);
	sandbox_json_put(o);
	return o;
}

/* Writes a value and frees it. cut: number of bytes to omit at its end. */
static bool put_value(json_t *value, size_t cut, FILE *out)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	size_t len = text ? strlen(text) : 0;
	bool ok = len > cut && fwrite(text, 1, len - cut, out) == len - cut;

	free(text);
	json_decref(value);
	return ok;
}

/* Writes row by row: the JSON tree of 24,000 ports would need too much memory. */
bool rows_json(const struct rows_page *p, bool one_line, FILE *out)
{
	const char *end = one_line ? "" : "\n";

	if (!put_value(head_object(p), 1, out))
		return false;
	(void)fprintf(out, ",%s\"rows\":[", end);
	for (size_t r = 0; r < p->rows->n; r++) {
		(void)fprintf(out, "%s%s", r ? "," : "", end);
		if (!put_value(row_object(p, p->rows->at[r]), 0, out))
			return false;
	}
	(void)fprintf(out, "%s]}\n", end);
	return true;
}
